"""Paraphrase matching: 2,500 summaries by 16 methods, against a plain search over the tables in the same run.

Summaries are made of sentences of the
Lee background corpus, which comes inside gensim; four made-up tables have the sizes that such resources have for a
vocabulary like this one (phrases of up to four words that occur in the texts, 20 neighbours of each word, …). The plain
search is the one that tests compare the matcher with: it looks up every expression in every table for every method and
searches the candidate for everything found. It gets the rows of a few topics, and the engine the same ones beside it.
Tokenizing is in the engine's time for all rows, and in neither side's for the sample.
"""

import random
from dataclasses import replace
from unittest import mock

from side_by_side import median_seconds, opt_in, seconds_of, show
from studies.test_paraphrase_matcher import plain_match

TOPICS, SUMMARIES, WORDS = 100, 25, 60
SAMPLE_ROWS = 50


def made_up_collection():
    """100 topics of news sentences: a reference and 25 summaries of about 60 words each, judged by chance."""
    from gensim.test.utils import datapath

    from nbhelpers.language.english import load_english
    from nbhelpers.studies.paraphrase.collections import CandidateSummary, SummaryCollection, SummaryTopic

    split, rng = load_english().sentences, random.Random(0)
    with open(datapath("lee_background.cor"), encoding="utf-8") as articles:
        sentences = [split(article) for article in articles]
    topics = []
    for number in range(TOPICS):
        pool = [sentence for article in sentences[number * 3 : number * 3 + 3] for sentence in article]

        def summary(pool=pool) -> str:
            chosen: list[str] = []
            while sum(len(sentence.split()) for sentence in chosen) < WORDS:
                chosen.append(rng.choice(pool))
            return " ".join(chosen)

        reference = CandidateSummary("reference", "abstract", summary())
        candidates = tuple(
            CandidateSummary(f"system {n}", ("extract", "abstract")[n % 2], summary(), rng.random())
            for n in range(SUMMARIES)
        )
        topics.append(SummaryTopic(f"topic {number}", "en", (reference,), candidates))
    return SummaryCollection("made up", tuple(topics), "made-up")


def made_up_tables(texts: list[tuple[str, ...]]) -> dict:
    """Tables of the sizes of real ones for the words and phrases of the texts."""
    from nbhelpers.studies.paraphrase.tables import ParaphraseTable

    rng = random.Random(1)
    words = sorted({word for text in texts for word in text})
    runs = [tuple(text[i : i + n]) for text in texts for n in (2, 3, 4) for i in range(0, len(text) - n, n)]
    phrases = sorted(set(runs))

    def some(pool, least: int, most: int) -> dict:
        return {rng.choice(pool): rng.random() for _ in range(rng.randint(least, most))}

    one = [(word,) for word in words]
    smt = {phrase: some(phrases, 1, 8) for phrase in phrases}
    smt |= {word: some(one, 1, 12) | some(phrases, 0, 4) for word in one}
    tables = {
        "S": smt,
        "D": {word: some(one, 20, 20) for word in one},
        "W": {word: some(one, 1, 8) | some(phrases, 0, 1) for word in one if rng.random() < 0.5},
        "N": {word: some(one, 1, 2) for word in one if rng.random() < 0.2},
    }
    return {letter: ParaphraseTable(letter, "en", pairs, "made-up") for letter, pairs in tables.items()}


def measure() -> dict[str, float]:
    """Seconds of all rows and methods, and how often the engine goes into the plain search on a sample."""
    from nbhelpers.studies.paraphrase import experiment
    from nbhelpers.studies.paraphrase.experiment import BASELINE, combinations, make_plan, match_scores
    from nbhelpers.studies.paraphrase.tokens import tokenize

    plan = make_plan(made_up_collection(), reference="each")
    plan = replace(plan, rows=tuple(row for row in plan.rows if row.experiment == "all-each"))
    words = {text: tokenize(text, "en") for text in plan.texts}
    tables = made_up_tables(list(words.values()))
    methods = ["", *combinations()]

    found = {}
    whole = seconds_of(lambda: found.update(match_scores(plan, tables)))
    assert len(found) == 16 and len(plan) == TOPICS * SUMMARIES
    sample = replace(plan, rows=plan.rows[:SAMPLE_ROWS])

    def plain_search():
        for row, one in enumerate(sample.rows):
            reference, candidate = words[one.references[0].text], words[one.candidate.text]
            for method in methods:
                links = plain_match(reference, candidate, [tables[letter] for letter in method])
                matched = sum(len(places) for _, places, _, _ in links)
                assert found[method or BASELINE][row] == matched / len(reference)

    with mock.patch.object(experiment, "tokenize", lambda text, language: words[text]):
        seconds = median_seconds({"engine": lambda: match_scores(sample, tables), "plain search": plain_search})
    return {
        "summaries": len(plan),
        "methods": len(methods),
        "words": sum(map(len, words.values())),
        "pairs in the tables": sum(map(len, tables.values())),
        "all, seconds": whole,
        **{f"sample, seconds: {name}": value for name, value in seconds.items()},
        "plain search / engine": seconds["plain search"] / seconds["engine"],
        "plain search, scaled / all": seconds["plain search"] * len(plan) / len(sample) / whole,
    }


@opt_in
def test_2500_summaries_by_16_methods_ten_times_a_plain_search():
    result = measure()
    show(result)
    assert result["plain search / engine"] >= 10
