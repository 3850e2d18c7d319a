"""Paraphrase matching: 2,500 summaries by 16 methods, against a plain search over the tables in the same run.

Summaries are made of sentences of the
Lee background corpus, which comes inside gensim; four made-up tables have the sizes that such resources have for a
vocabulary like this one (phrases of up to four words that occur in the texts, 20 neighbours of each word, …). The plain
search is the one that tests compare the matcher with: it looks up every expression in every table for every method and
searches the candidate for everything found. It gets the rows of a few topics, and the engine the same ones beside it.
Tokenizing is in the engine's time.
"""

import random

from metrics.test_paraphrase_matcher import plain_match
from side_by_side import judge, median_seconds, news, opt_in, seconds_of

from nbhelpers.metrics.paraphrase.matcher import Index
from nbhelpers.metrics.paraphrase.tables import ParaphraseTable
from nbhelpers.metrics.paraphrase.tokens import tokenize
from nbhelpers.studies.paraphrase.experiment import combinations

TOPICS, SUMMARIES, WORDS, SAMPLE_ROWS = 100, 25, 60, 50


def made_up_texts() -> list[list[str]]:
    """For each of 100 topics of news sentences a reference and 25 summaries of about 60 words each."""
    articles, rng, topics = news(), random.Random(0), []
    for number in range(TOPICS):
        pool = sum(articles[number * 3 : number * 3 + 3], [])
        texts = [""] * (SUMMARIES + 1)
        for place in range(len(texts)):
            while len(texts[place].split()) < WORDS:
                texts[place] += f"{rng.choice(pool)} "
        topics.append(texts)
    return topics


def made_up_tables(texts: list[tuple[str, ...]]) -> dict:
    """Tables of the sizes of real ones for the words and phrases of the texts."""
    rng = random.Random(1)
    one = sorted({(word,) for text in texts for word in text})
    phrases = sorted({text[i : i + n] for text in texts for n in (2, 3, 4) for i in range(0, len(text) - n, n)})

    def some(pool, least: int, most: int) -> dict:
        return {rng.choice(pool): rng.random() for _ in range(rng.randint(least, most))}

    smt = {phrase: some(phrases, 1, 8) for phrase in phrases}
    tables = {
        "S": smt | {word: some(one, 1, 12) | some(phrases, 0, 4) for word in one},
        "D": {word: some(one, 20, 20) for word in one},
        "W": {word: some(one, 1, 8) | some(phrases, 0, 1) for word in one if rng.random() < 0.5},
        "N": {word: some(one, 1, 2) for word in one if rng.random() < 0.2},
    }
    return {letter: ParaphraseTable(letter, "en", pairs, "made-up") for letter, pairs in tables.items()}


@opt_in
def test_2500_summaries_by_16_methods_ten_times_a_plain_search():
    topics, methods = made_up_texts(), ["", *combinations()]
    words = {text: tokenize(text, "en") for texts in topics for text in texts}
    tables = made_up_tables(list(words.values()))
    rows = [(texts[0], text) for texts in topics for text in texts[1:]]

    def engine(some):
        index = Index(tables.values())
        return [index.recalls(tokenize(one, "en"), tokenize(two, "en"), methods) for one, two in some]

    whole, sample = seconds_of(lambda: engine(rows)), rows[:SAMPLE_ROWS]
    found = engine(sample)

    def plain_search():
        for (one, two), recalls in zip(sample, found):
            for method, recall in zip(methods, recalls):
                links = plain_match(words[one], words[two], [tables[letter] for letter in method])
                assert recall == sum(len(places) for _, places, _, _ in links) / len(words[one])

    seconds = median_seconds({"engine": lambda: engine(sample), "plain search": plain_search})
    result = {"words": sum(map(len, words.values())), "pairs in the tables": sum(map(len, tables.values()))}
    result |= {"all, seconds": whole, **{f"sample, seconds: {name}": value for name, value in seconds.items()}}
    result["plain search / engine"] = seconds["plain search"] / seconds["engine"]
    result["plain search, scaled / all"] = seconds["plain search"] * len(rows) / len(sample) / whole
    judge(result, {"plain search / engine": 10})
