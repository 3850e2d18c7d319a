"""Compression: the exact search against a full one and against the authors' algorithm, the measures, the baselines."""

import dataclasses
import functools
import itertools
import math
import pickle
from typing import NamedTuple

import numpy as np
import pandas
import pytest
import torch
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from reference_ndd import plain_iteration
from refused import refused
from sacrebleu.metrics import BLEU

from nbhelpers.base.errors import InputError
from nbhelpers.commands import evidence as command
from nbhelpers.language.mlm import MaskedLM, Question, on_engine
from nbhelpers.metrics.ndd import Edit, NDDSettings, ndd_batch, pseudo_perplexity
from nbhelpers.results import evidence, published
from nbhelpers.results.estimates import estimate
from nbhelpers.studies.ndd import baselines, compression, compression_evidence, lengths, measures, together
from nbhelpers.studies.ndd.baselines import RULES, by_rule, delete_by_perplexity
from nbhelpers.studies.ndd.compression import (
    BIASED,
    UNBIASED,
    CompressionSettings,
    compress,
    compress_many,
    left,
    words_at,
)
from nbhelpers.studies.ndd.measures import MEASURES, Coded, coded, token_f1, tokens_of
from nbhelpers.studies.ndd.span_search import TIE, ScoredSpan, candidate_spans, select_spans
from nbhelpers.studies.ndd.together import Skipped

SENTENCE = "the man sat on a river bank in cold rain .".split()
VOCABULARY = "the a man dog sat on river bank cold rain . , unknown café".split()
OVERLAP = ("code", "paper")
sentences = st.lists(st.sampled_from(VOCABULARY), min_size=2, max_size=9)
FREE = CompressionSettings(rate_limit=None)
SLOW = settings(deadline=None, suppress_health_check=list(HealthCheck))


# A full search, and the rules for overlapping spans, written as plainly as they are defined --------------------------


def overlap(a, b):
    return a[0] < b[1] and b[0] < a[1]


class Value(NamedTuple):
    """A plain NDD, and how much lower another one must be to be lower by more than rounding."""

    ndd: float
    tie: float = TIE


def lower(a, b):
    return a.ndd < b.ndd - b.tie


def from_the_lowest(spans):
    left = dict(spans)
    while left:
        least = min(left.values(), key=lambda value: value.ndd)
        yield (lowest := min(span for span in left if not lower(least, left[span])))
        del left[lowest]


def choose(spans, rule):
    """`spans`: {(start, stop): Value} below the threshold."""
    if rule == "code":
        return {s for s in spans if not any(overlap(s, t) and lower(spans[t], spans[s]) for t in spans)}
    left = sorted(spans)
    while pair := next((pair for pair in itertools.combinations(left, 2) if overlap(*pair)), None):
        first, second = pair
        left.remove(first if lower(spans[first], spans[second]) else second)
    return set(left)


def all_ndds(lm, words, how):
    """`Value` of every candidate of a text, by the measure itself."""
    words = tuple(words)
    longest, last = min(how.longest_span, len(words) - 1), len(words) - (not how.last_word)
    spans = [(a, b) for a in range(len(words)) for b in range(a + 1, min(a + longest, last) + 1)]
    pairs = [(words, words[:a] + words[b:]) for a, b in spans]
    results = ndd_batch(lm, pairs, [[Edit(*span)] for span in spans], settings=how.ndd)
    return {
        span: Value(result.value, TIE * min(1, sum(neighbour.weight for neighbour in result.neighbours)))
        for span, result in zip(spans, results)
    }


def clear(values, threshold, tied):
    """Whether no decision hangs on rounding: values far from the threshold, and from each other unless tied."""
    ordered = sorted(values, key=lambda value: value.ndd)
    gaps = [(b.ndd - a.ndd) / min(a.tie, b.tie) for a, b in zip(ordered, ordered[1:])]
    near = [gap for gap in gaps if gap < 5 and not (tied and gap < 1 / 3)]
    return not near and all(abs(value.ndd - threshold) > 5e-5 for value in ordered)


def check_against_full_search(lm, source, how, quantile, tied=False):
    """Compress, and follow every iteration with a full search; the threshold is a quantile of the first NDDs."""
    source = tuple(source)
    first = all_ndds(lm, source, how)
    assume(first)
    threshold = float(np.quantile([value.ndd for value in first.values()], quantile)) + 1e-4
    how = dataclasses.replace(how, threshold=max(1e-3, threshold))
    result = compress(lm, source, how)
    kept = tuple(range(len(source)))
    for item in [*result.iterations, None]:
        values = all_ndds(lm, words_at(source, kept), how)
        assume(clear(values.values(), how.threshold, tied))
        below = {span: value for span, value in values.items() if value.ndd < how.threshold}
        expected = choose(below, how.overlap)
        if item is None:
            assert not expected
            break
        gone = set()
        for span in from_the_lowest({span: values[span] for span in expected}):
            if len(gone | set(range(*span))) < len(kept):  # never the whole text
                gone |= set(range(*span))
            else:
                expected = expected - {span}
        positions = {words_at(kept, range(*span)): values[span].ndd for span in expected}
        assert {span.positions: span.ndd for span in item.deleted} == pytest.approx(positions, abs=1e-5, rel=1e-5)
        kept = tuple(place for i, place in enumerate(kept) if i not in gone)
        assert item.kept == kept and item.words == words_at(source, kept)
    assert result.kept == kept and kept


@pytest.fixture(scope="module")
def models(tiny_model):
    """Engines in double precision: weights as random as these magnify the rounding of single precision to 2e-5."""
    made = {family: MaskedLM(str(tiny_model(family))) for family in ("bert", "bert-cased", "roberta")}
    made["pieces"] = MaskedLM(str(tiny_model("bert")), mask="pieces")
    made["roberta pieces"] = MaskedLM(str(tiny_model("roberta")), mask="pieces")
    # without positions a text is a bag of words: spans of the same words tie exactly
    made["bag"] = MaskedLM(str(tiny_model("bert")))
    with torch.no_grad():
        made["bag"].loaded.model.base_model.embeddings.position_embeddings.weight.zero_()
        made["constant"] = MaskedLM(str(tiny_model("bert")))
        for parameter in made["constant"].loaded.model.parameters():
            parameter.zero_()
    for lm in made.values():
        lm.loaded.model.double()
    return made


@settings(SLOW, max_examples=20)
@given(st.data())
def test_the_search_equals_a_full_one(models, data):
    how = CompressionSettings(
        longest_span=data.draw(st.integers(1, 5)),
        overlap=data.draw(st.sampled_from(OVERLAP)),
        ndd=NDDSettings(
            data.draw(st.sampled_from(["plain", "balanced", "uniform"])), nu=data.draw(st.sampled_from([1, 0.7]))
        ),
        last_word=data.draw(st.booleans()),
        rate_limit=None,
    )
    lm = models[data.draw(st.sampled_from(["bert", "bert-cased", "roberta", "pieces", "roberta pieces"]))]
    check_against_full_search(lm, data.draw(sentences), how, data.draw(st.floats(0.05, 0.9)))


@settings(SLOW, max_examples=15)
@given(
    st.lists(st.sampled_from(["the", "man"]), min_size=2, max_size=7), st.sampled_from(OVERLAP), st.floats(0.05, 0.9)
)
def test_the_search_equals_a_full_one_with_ties(models, words, rule, quantile):
    how = dataclasses.replace(FREE, ndd=NDDSettings("uniform"), overlap=rule, longest_span=4)
    check_against_full_search(models["bag"], words, how, quantile, tied=True)


def test_a_bias_makes_no_ties_of_late_spans(models):
    """The NDDs of the last words are below 1e-5 here, and still the lower ones win."""
    source = [VOCABULARY[place * 5 % 7 % len(VOCABULARY)] for place in range(24)]
    how = dataclasses.replace(FREE, longest_span=3, ndd=NDDSettings(mu=0.4, nu=0.4), iterations=1)
    values = all_ndds(models["bert"], source, how)
    late = {span: value for span, value in values.items() if span[0] >= 16}
    assert max(value.ndd for value in late.values()) < TIE
    expected = choose({span: value for span, value in values.items() if value.ndd < how.threshold}, "code")
    result = compress(models["bert"], source, how)
    assert {(s.positions[0], s.positions[-1] + 1) for s in result.iterations[0].deleted} == expected
    assert not any(overlap(a, b) for a, b in itertools.combinations(expected & set(late), 2))


def test_all_spans_tied_leave_one_word(models):
    result = compress(models["constant"], SENTENCE, FREE)
    assert len(result.kept) >= 1 and result.stopped == compression.UNCHANGED
    untouched = compress(models["constant"], SENTENCE, dataclasses.replace(FREE, last_word=False))
    assert untouched.words == (".",)


@pytest.mark.parametrize("threshold", [12.0, 40.0])
def test_equals_the_authors_algorithm(models, threshold):
    """The same spans with the same NDDs, iteration by iteration, as a plain restatement of the authors' code."""
    lm = models["bert"]
    how = dataclasses.replace(UNBIASED, threshold=threshold)
    for words in (SENTENCE, "a dog is walking in the snow , not the rain .".split()):
        result = compress(lm, words, how)
        text = list(words)
        for number in range(5):
            spans = plain_iteration(lm.loaded.model, lm.loaded.tokenizer, text, 5, threshold)
            if not spans:
                break
            expected = {tuple(text[start:stop]): value for start, stop, value in spans}
            found = {span.words: span.ndd for span in result.iterations[number].deleted}
            assert found == pytest.approx(expected, rel=1e-4)
            gone = {i for start, stop, _ in spans for i in range(start, stop)}
            text = [word for i, word in enumerate(text) if i not in gone]
        assert result.words == tuple(text) and len(result.iterations) >= 1


@pytest.mark.parametrize("settings, threshold, most", [(UNBIASED, 12.0, 574), (BIASED, 4.0, 365)])
def test_leaders_first_takes_no_more_passes(tiny_model, settings, threshold, most):
    """At most as many as when both words beside every span were asked about before anything else."""
    lm = MaskedLM(str(tiny_model("bert")))
    for words in (SENTENCE, SENTENCE[::-1]):
        compress(lm, words, dataclasses.replace(settings, threshold=threshold, rate_limit=None))
    assert lm.forward_requests <= most


def test_does_not_depend_on_company_or_batches(tiny_model, monkeypatch):
    texts = [SENTENCE, ["the"], SENTENCE[::-1], SENTENCE[2:7], SENTENCE[:3] * 3, ["a", "dog"]]
    how = dataclasses.replace(FREE, threshold=6.0)

    def ndds(result):
        return [span.ndd for item in result.iterations for span in item.deleted]

    expected = [compress(MaskedLM(str(tiny_model("bert"))), words, how) for words in texts]
    assert sum(len(result.iterations) for result in expected) >= 4
    for at_once, budget in ((1, 4096), (512, 30)):
        monkeypatch.setattr(together, "_AT_ONCE", at_once)
        lm = MaskedLM(str(tiny_model("bert")), batch_tokens=budget)
        results = list(compress_many(lm, iter(texts), how))
        for found, alone in zip(results, expected, strict=True):
            assert (found.source, found.kept) == (alone.source, alone.kept)
            assert ndds(found) == pytest.approx(ndds(alone), abs=1e-5)


def test_a_few_sentences_advance_in_step(tiny_lm, monkeypatch):
    monkeypatch.setattr(together, "_AT_ONCE", 3)
    running, most = [], []

    def work(number):
        running.append(number)
        most.append(len(running))
        yield [Question(tiny_lm.request(tiny_lm.encode(SENTENCE), number % 5), targets=(7,))]
        yield []  # a computation may have nothing to ask
        running.remove(number)
        return number

    jobs = together.run_together(tiny_lm, [SENTENCE] * 8, lambda _, number: work(number))
    assert list(jobs) == list(range(8)) and max(most) == 3


# Rules for overlapping spans, by hand --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ndds, code, paper",
    [
        # the code drops the first span although the second, which beats it, is itself beaten;
        # as the paper has it the lower of the first two goes, and nothing overlaps any more
        ((3.0, 2.0, 1.0), [2], [0, 2]),
        ((1.0, 2.0, 3.0), [0], [2]),
        ((1.0, 1.0, 9.0), [0, 1], [0, 2]),
    ],
)
def test_overlap_rules_by_hand(ndds, code, paper):
    chain = [ScoredSpan(*span, ndd) for span, ndd in zip([(0, 2), (1, 4), (3, 5)], ndds)]
    for rule, expected in zip(OVERLAP, (code, paper), strict=True):
        assert select_spans(chain, rule) == [chain[place] for place in expected]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4), st.integers(0, 5)), max_size=12), st.sampled_from(OVERLAP)
)
def test_overlap_rules_equal_their_plain_definition(triples, rule):
    spans = {(start, start + size): float(ndd) for start, size, ndd in triples}
    selected = select_spans([ScoredSpan(*span, ndd) for span, ndd in spans.items()], rule)
    assert {(s.start, s.stop) for s in selected} == choose({span: Value(ndd) for span, ndd in spans.items()}, rule)


def test_candidates():
    assert candidate_spans(3, 9) == [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3)]  # never the whole text
    # the authors' loop: end below both the length and start + max_span
    code = {(a, b) for a in range(8) for b in range(a + 1, min(8, a + 5))}
    assert set(candidate_spans(8, UNBIASED.longest_span, last_word=False)) == code


# Settings ------------------------------------------------------------------------------------------------------------


def test_rate_limit_and_iterations(models):
    lm, how = models["bert"], dataclasses.replace(FREE, threshold=45.0, longest_span=2)
    full = compress(lm, SENTENCE, how)
    stop = compress(lm, SENTENCE, dataclasses.replace(how, rate_limit=0.7))
    assert stop.stopped == compression.LIMIT and full.kept_share < stop.kept_share <= 0.7
    assert stop.iterations == full.iterations[: len(stop.iterations)]
    assert all(len(item.kept) / len(SENTENCE) > 0.7 for item in stop.iterations[:-1])
    limited = compress(lm, SENTENCE, dataclasses.replace(how, iterations=1))
    assert limited.stopped == compression.ITERATIONS and limited.iterations == full.iterations[:1] != full.iterations


def test_signatures_are_those_of_the_recorded_rows(tiny_lm):
    line = "L:9|max:1|overlap:code|last:yes|vs:previous|iter:all|rate:kept-words-stop0.6"
    assert BIASED.signature == line
    assert UNBIASED.signature == "L:4|max:4|overlap:code|last:no|vs:previous|iter:5|rate:none"
    assert compression.compression_signature(tiny_lm, BIASED).startswith(f"compression|{line}|ndd|lm:")


WRONG = {"overlap": ["both"], "threshold": [0, math.nan, "1.0"], "rate_limit": [1.0, "0.6"]}
WRONG |= {name: [0, math.nan, 2.5] for name in ("longest_span", "iterations")}
test_settings_are_checked = refused(
    *((functools.partial(CompressionSettings, **{name: wrong}), name) for name in WRONG for wrong in WRONG[name])
)


test_sentences_are_checked = refused(
    (lambda lm: list(compress_many(lm, [SENTENCE, []])), "Sentence 1: .*at least one word"),
    (lambda lm: list(compress_many(lm, ["the man"])), "not as one string"),
    (lambda lm: list(compress_many(lm, "the man")), "lists of words"),
    (lambda lm: compress(lm, ["the"] * 50), "52 pieces"),
    given="tiny_lm",
)


def test_a_sentence_that_is_too_long_is_skipped(tiny_lm):
    results = list(compress_many(tiny_lm, [SENTENCE, ["the"] * 50, SENTENCE[:4]]))
    assert [type(result) for result in results] == [compression.Compression, Skipped, compression.Compression]
    assert "52 pieces" in results[1].reason and not hasattr(results[1], "words")


def test_one_word_is_returned_with_a_reason(tiny_lm):
    result = compress(tiny_lm, ["rain"])
    assert result.words == ("rain",) and result.stopped == compression.ONE_WORD
    assert delete_by_perplexity(tiny_lm, [(["rain"], 0)]) == [[0]]


# Baselines -----------------------------------------------------------------------------------------------------------


def test_rules_keep_as_many_words_as_asked_for():
    assert by_rule("beginning and final word", 3, 1) == (2,) and by_rule("both ends", 7, 3) == (0, 1, 6)
    for rule in RULES:
        for length, count in ((11, 4), (11, 10), (11, 11), (2, 2)):
            kept = by_rule(rule, length, count, (3, 1))
            assert list(kept) == sorted(set(kept)) and len(kept) == count and set(kept) <= set(range(length)), rule


def test_random_words_are_even_and_hang_on_their_seed_alone():
    kept = [by_rule("random words", 11, 7, (1, sentence)) for sentence in range(400)]
    share = np.bincount(np.concatenate(kept), minlength=11) / 400
    assert np.abs(share[:10] - 6 / 10).max() < 0.12 and share[10] == 1  # the final word stays
    assert kept[7] == by_rule("random words", 11, 7, (1, 7)) and kept != [by_rule("random words", 11, 7)] * 400


def greedy_perplexity(lm, words, count):
    kept = list(range(len(words)))
    level = pseudo_perplexity(lm, [words])[0]
    while len(words) - len(kept) < count:
        best = None
        for size in range(1, min(baselines.LONGEST_SPAN, count - len(words) + len(kept)) + 1):
            texts = [kept[:a] + kept[a + size :] for a in range(len(kept) - size + 1)]
            values = pseudo_perplexity(lm, [words_at(words, text) for text in texts])
            best = min([best] * (best is not None) + list(zip(values, texts)))
            if best[0] <= level * baselines.GROWTH:
                break
        level, kept = best
    return tuple(kept)


@settings(SLOW, max_examples=15)
@given(sentences, st.data())
def test_perplexity_deletion_equals_a_full_greedy_search(models, words, data):
    count = data.draw(st.integers(0, len(words) - 1))
    lm = models[data.draw(st.sampled_from(["bert", "roberta"]))]
    found = left(delete_by_perplexity(lm, [(words, count)])[0])
    expected = greedy_perplexity(lm, words, count)
    # deleting either of two equal neighbours gives the same text
    assert words_at(words, found) == words_at(words, expected) and len(found) == len(words) - count


# Measures ------------------------------------------------------------------------------------------------------------


OLD, GOLD = "the old man sat on a bench .", "the man sat on a bench ."
ALL, GOLDEN = list(range(8)), [0, 2, 3, 4, 5, 6, 7]


def test_evaluation_by_hand():
    text = Coded(coded(OLD.split(), GOLD))
    found = [dict(zip(MEASURES, text.scores(kept))) for kept in (GOLDEN, ALL, [0, 2, 3, 7], [5, 6, 7])]
    assert [one["F1"] for one in found[:2]] == pytest.approx([100, 200 * 7 / 15])
    assert [one["kept words"] for one in found[:2]] == pytest.approx([7 / 8, 1])
    # bigrams of the source: 7, of which "the old" and "old man" are not in the reference
    assert [found[1][f"B{n}"] for n in range(1, 5)] == pytest.approx([700 / 8, 500 / 7, 400 / 6, 300 / 5])
    assert found[1]["B"] == pytest.approx(np.mean([700 / 8, 500 / 7, 400 / 6, 300 / 5])) and found[3]["B4"] == 0
    with pytest.raises(InputError, match="no token"):
        tokens_of("")


WORDS = ["The", "the", "U.S.", '"', "man", "can't", "$5", "Inc.", ",", "...", "isn't", "sat", "'s", "."]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=9), st.lists(st.sampled_from(WORDS), min_size=1), st.data()
)
def test_codes_score_as_the_texts_do(words, gold, data):
    """Without the text: the same tokens, F1 and n-grams (sacreBLEU's) for any words that are kept."""
    kept = sorted(data.draw(st.sets(st.integers(0, len(words) - 1), min_size=1)))
    text = Coded(coded(words, " ".join(gold)))
    output, reference = (" ".join(side) for side in (words_at(words, kept), gold))
    found = dict(zip(MEASURES, text.scores(kept)))
    sides = [tokens_of(side) for side in (output, reference)]
    assert found["customary F1"] == pytest.approx(100 * token_f1(*sides))
    assert found["kept words"] == pytest.approx(len(sides[0]) / len(tokens_of(" ".join(words))))
    small = [[token.lower() for token in side] for side in sides]
    hits = [np.mean([token in other for token in side]) for side, other in (small, small[::-1])]
    assert found["F1"] == pytest.approx(200 * hits[0] * hits[1] / max(sum(hits), 1e-9))
    lower = [" ".join(side) for side in small]
    bleu = BLEU(tokenize="none", force=True, effective_order=True).sentence_score(lower[0], [lower[1]])
    ngrams = [100 * hits / total if total else 0 for hits, total in zip(bleu.counts, bleu.totals)]
    assert text.scores(kept)[1:5] == pytest.approx(ngrams)


PAIRS = [(OLD.split(), GOLD)] * 3


def items(**systems):
    """Items of `PAIRS`; for each system the words that it keeps of each sentence, None where it has no line."""
    lines = [
        {"sentence": place, "words": 8, "system": name, "went": [int(i not in kept) for i in ALL], "model": "tiny"}
        for name, many in systems.items()
        for place, kept in enumerate(many)
        if kept
    ]
    return pandas.concat([compression_evidence.texts(PAIRS), pandas.DataFrame(lines)], ignore_index=True)


def test_systems_are_compared_on_the_sentences_that_all_have():
    assert set(measures.summary(items(paper=[GOLDEN] * 3, code=[None, ALL, ALL])).n) == {2}
    scores = measures.scored(items(paper=[GOLDEN] * 3))
    assert set(scores.model) == {"tiny"} and set(scores.sentence) == {0, 1, 2}
    lead = measures.difference(scores, ("tiny", measures.OURS), ("tiny", measures.UNEDITED))
    assert (lead.value, lead.n, lead.unit) == (pytest.approx(100 - 1400 / 15), 3, "points")
    rivals = measures.rivals(scores)
    assert set(rivals.row) == {"Random", "Beginning and final word", "Beginning, without the final word", "Unedited"}
    assert rivals.q.notna().all() and estimate(rivals, "Unedited", "F1").value == lead.value
    rule = scores[(scores.system == measures.RULE) & (scores.sentence == 0)]
    assert rule["kept words"].item() == pytest.approx(7 / 8)  # as many as the first system keeps


def test_ndd_is_also_scored_with_the_final_word_in_place_of_its_last_other_one():
    for went, kept in (([0, 0, 1], [0, 2]), ([1, 0, 0], [1, 2])):
        assert measures._outputs({"paper": went}, 0, (0, 0))[measures.MARKED] == [kept]
    assert measures.MARKED not in set(measures.rivals(measures.scored(items(paper=[GOLDEN] * 3))).row)


def test_the_authors_code_is_also_stopped_at_the_length_of_the_papers_setting():
    found = items(paper=[[0, 2, 3, 7]], code=[[0, 7]])
    found.loc[found.system == "code", "went"] = pandas.Series([[0, 3, 3, 1, 1, 2, 2, 0]], index=[4])
    scores = measures.scored(found).set_index("system")
    assert scores["kept words"][[measures.OURS, "NDD, authors' code", measures.SHORTER]].tolist() == [0.5, 0.25, 0.5]
    assert scores.F1[measures.SHORTER] == pytest.approx(600 / 11)  # the old man .


def test_a_rule_over_length_and_quarters_by_hand():
    texts = measures.sentences(items(paper=[GOLDEN] * 3))
    assert measures.of_rule(texts, "first words", 1.0).F1[0] == pytest.approx(1400 / 15)
    curve = measures.curve(texts, "beginning and final word", [0.5, 1.0])
    assert curve.value.tolist() == pytest.approx([600 / 11, 1400 / 15]) and curve.column.tolist() == [0.5, 1.0]
    went = dict.fromkeys(texts, [0, 3, 3, 1, 1, 2, 2, 0])
    assert measures.curve(texts, "NDD", [0.5, 0.4], went).column.tolist() == [0.5, 0.25]  # whole deletions only
    spread = measures.of_rule(texts, "first words", 0.5, spread=0.4)["kept words"]
    assert spread.nunique() > 1 and spread.between(0.1, 0.9).all()
    shares = measures.quarters(items(paper=[[0, 1, 2, 3]] * 3), "tiny")
    assert shares[shares.row == measures.OURS].value.tolist() == [1, 1, 0, 0]
    assert shares[shares.row == "gold compression"].value.tolist() == [0.5, 1, 1, 1]


def test_length_follows_from_f1_and_b1():
    """Exactly, where no word stands twice and all sentences are alike."""
    texts = measures.sentences(items(paper=[GOLDEN] * 3))
    unedited = measures.of_rule(texts, "first words", 1.0).B1.mean()
    f1, b1, kept = measures.of_rule(texts, "first words", 0.5)[["F1", "B1", "kept words"]].mean()
    recall, guess = lengths.inferred(f1, b1, unedited)
    assert (recall, guess) == pytest.approx((3 / 7, kept))
    found = lengths.validation(texts, [0.5, 1.0], [0.0])
    assert len(found) == 2 * len(RULES) and found.error.abs().max() < 0.01
    paper = lengths.summary(items(paper=[GOLDEN] * 3), worst=0.05)
    cell = estimate(paper, measures.OURS, "kept words")
    assert (cell.low, cell.value, cell.high) == pytest.approx((0.666, 0.716, 0.766), abs=0.001)
    assert cell.variant == "inferred"


# Data and long runs --------------------------------------------------------------------------------------------------


def test_rows_for_long_runs(tiny_model, tiny_lm):
    texts, how = [SENTENCE, ["the"] * 50, ["rain"]], dataclasses.replace(FREE, threshold=20.0)
    run = functools.partial(on_engine, compression.compress_rows, model=str(tiny_model("bert")), settings=how)
    expected = compress(tiny_lm, SENTENCE, how)
    assert pickle.loads(pickle.dumps(run))(texts) == [expected.went, None, [0]]
    assert left(expected.went) == list(expected.kept) and 1 in expected.went
    shortened = delete_by_perplexity(tiny_lm, [[SENTENCE, 3], [["the"] * 50, 1]])
    assert len(left(shortened[0])) == len(SENTENCE) - 3 and shortened[1] is None


def test_a_run_has_the_items_of_the_evidence(tiny_model, tmp_path):
    """The same columns, and the numbers of a compression done by hand."""
    model, options = str(tiny_model("bert")), {"out": tmp_path, "shard_size": 2}
    pairs = [(SENTENCE, "the man sat ."), (SENTENCE[:5], "the man"), (["the"] * 50, "the")]
    found = compression_evidence.run(pairs, ["paper", "perplexity"], model=model, **options)
    assert found.groupby("system").size().to_dict() == {"unedited": 3, "paper": 2, "perplexity": 2}
    kept = [left(went) for went in found[found.system == "paper"].went]
    assert kept == [list(compress(MaskedLM(model), words).kept) for words in (SENTENCE, SENTENCE[:5])]
    assert [len(left(went)) for went in found[found.system == "perplexity"].went] == [len(one) for one in kept]
    recorded = evidence.load("ndd-compression")
    assert set(found.columns) | {"run"} == set(recorded.columns)
    assert set(measures.summary(found).row) >= {measures.OURS, measures.GUIDED, measures.RULE}
    with pytest.raises(InputError, match="'ours'"):
        compression_evidence.deleted_by("ours", [SENTENCE], model=model)


def test_recording_goes_on_after_the_sentences_that_the_evidence_has(tmp_path, monkeypatch):
    asked = []

    def deleted(system, sources, **options):
        asked.append(sources)
        return [[len(words) % 2] * len(words) for words in sources]

    monkeypatch.setattr(compression_evidence, "deleted_by", deleted)
    monkeypatch.setattr(compression_evidence, "read_pairs", lambda path: PAIRS)
    monkeypatch.setattr(evidence, "folder", lambda: tmp_path)
    monkeypatch.setattr(evidence, "stand_ins", tuple)
    settings = ["system=paper", "dtype=float32"]
    command.record("ndd-compression", [*settings, "sentences=1"])
    command.record("ndd-compression", [*settings, f"sentences={len(PAIRS)}", "more=True"])
    found, (run,) = evidence.load("ndd-compression"), evidence.runs("ndd-compression")
    whole, _ = compression_evidence.record("paper", len(PAIRS), dtype="float32")
    assert [len(each) for each in asked] == [1, len(PAIRS) - 1, len(PAIRS)]
    for column in whole:
        assert [list(each) if column == "went" else each for each in found[column]] == whole[column].tolist()
    assert run.command.endswith(f"sentences={len(PAIRS)}") and "more" not in run.settings
    with pytest.raises(InputError, match=f"{len(PAIRS)} sentences are recorded already"):
        command.record("ndd-compression", [*settings, "sentences=2", "more=True"])
    words, gold = PAIRS[0]
    monkeypatch.setattr(compression_evidence, "read_pairs", lambda path: [PAIRS[0], (2 * words, gold), PAIRS[0]])
    short, _ = compression_evidence.record("paper", 3, dtype="float32", longest=len(words))
    assert short["sentence"].tolist() == [0, 2] and set(short["words"]) == {len(words)}
    with pytest.raises(InputError, match="more than 2 words"):
        compression_evidence.record("paper", 3, dtype="float32", longest=2)


def test_table_3_of_the_evidence_is_the_papers():
    """The first example fits without its final period, the second as printed."""
    found, paper = compression_evidence.table3(evidence.load("ndd-compression")), published.by_place("ndd/table3")
    for row, version in (("Example 1", "Example 1, without its period"), ("Example 2", "Example 2")):
        for column in ("F1 Score", "BLEU"):
            assert estimate(found, version, column).value == pytest.approx(paper[row, column].value, abs=0.05)


def test_unedited_sentences_score_as_in_the_paper_and_lengths_are_inferred_closely():
    texts = measures.sentences(evidence.load("ndd-compression"))
    unedited = measures.of_rule(texts, "first words", 1.0).mean()
    paper = [published.value("ndd/table2", measures.UNEDITED, name) for name in MEASURES[:6]]
    assert unedited[list(MEASURES[:6])].tolist() == pytest.approx(paper, abs=0.5)
    checked = lengths.validation(dict(list(texts.items())[:200]))
    assert checked.error[checked.spread > 0].mean() < 0 < checked.error[checked.spread == 0].mean()
    assert checked.error.abs().max() < 0.05
