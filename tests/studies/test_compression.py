"""Compression: the exact search against a full one and against the authors' algorithm, the measures, the baselines."""

import dataclasses
import functools
import itertools
import math
import pickle

import numpy as np
import pytest
import sacrebleu
import torch
from benchmarks.bench_compression import plain_iteration
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from nbhelpers.base.errors import InputError, TextTooLongError
from nbhelpers.language.mlm import MaskedLM, Question, on_engine
from nbhelpers.metrics.ndd import Edit, NDDSettings, ndd_batch, pseudo_perplexity
from nbhelpers.studies.ndd import baselines, compression, together
from nbhelpers.studies.ndd.baselines import lead, perplexity_deletion, random_deletion, random_spans
from nbhelpers.studies.ndd.compression import (
    BIASED,
    UNBIASED,
    Compression,
    CompressionSettings,
    calibrate_threshold,
    compress,
    compress_many,
    compress_rows,
    compression_signature,
    words_at,
)
from nbhelpers.studies.ndd.measures import TABLE_2, against_best, corpus_bleu, evaluate, mean_evaluation, token_f1
from nbhelpers.studies.ndd.span_search import TIE, ScoredSpan, candidate_spans, search_spans, select_spans
from nbhelpers.studies.ndd.together import Skipped

SENTENCE = "the man sat on a river bank in cold rain .".split()
VOCABULARY = "the a man dog sat on river bank cold rain . , unknown café".split()
RULES = ("code", "paper", "lowest-first")
sentences = st.lists(st.sampled_from(VOCABULARY), min_size=2, max_size=9)
repetitive = st.lists(st.sampled_from(["the", "man"]), min_size=2, max_size=7)
FREE = CompressionSettings(rate_limit=None)


# A full search, and the rules for overlapping spans, written as plainly as they are defined --------------------------


def overlap(a, b):
    return a[0] < b[1] and b[0] < a[1]


@dataclasses.dataclass(frozen=True)
class Value:
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
    if rule == "lowest-first":
        taken = set()
        for s in from_the_lowest(spans):
            if not any(overlap(s, t) for t in taken):
                taken.add(s)
        return taken
    left = sorted(spans)
    while True:
        pair = next(((s, t) for s, t in itertools.combinations(left, 2) if overlap(s, t)), None)
        if pair is None:
            return set(left)
        left.remove(pair[0] if lower(spans[pair[0]], spans[pair[1]]) else pair[1])


def all_ndds(lm, words, how):
    """`Value` of every candidate of a text, by the measure itself."""
    words = tuple(words)
    spans = [
        (a, b)
        for a in range(len(words))
        for b in range(a + 1, len(words) + 1)
        if b - a <= how.longest_span and b - a < len(words) and (how.last_word or b < len(words))
    ]
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
    assert result.requests < 2 * sum(len(source) for _ in first) * (1 + len(result.iterations))
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


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_the_search_equals_a_full_one(models, data):
    how = CompressionSettings(
        longest_span=data.draw(st.integers(1, 5)),
        overlap=data.draw(st.sampled_from(RULES)),
        ndd=NDDSettings(
            data.draw(st.sampled_from(["plain", "balanced", "uniform"])), nu=data.draw(st.sampled_from([1, 0.7]))
        ),
        last_word=data.draw(st.booleans()),
        rate_limit=None,
    )
    lm = models[data.draw(st.sampled_from(["bert", "bert-cased", "roberta", "pieces", "roberta pieces"]))]
    check_against_full_search(lm, data.draw(sentences), how, data.draw(st.floats(0.05, 0.9)))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(repetitive, st.sampled_from(RULES), st.floats(0.05, 0.9), st.booleans())
def test_the_search_equals_a_full_one_with_ties(models, words, rule, quantile, last_word):
    how = dataclasses.replace(FREE, ndd=NDDSettings("uniform"), overlap=rule, last_word=last_word, longest_span=4)
    check_against_full_search(models["bag"], words, how, quantile, tied=True)


def test_ties_there_are(models):
    words = "the man the man the".split()
    values = all_ndds(models["bag"], words, dataclasses.replace(FREE, ndd=NDDSettings("uniform")))
    assert values[0, 2].ndd == pytest.approx(values[1, 3].ndd, abs=TIE / 3) and values[0, 2].ndd > 0.01


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


def test_does_not_depend_on_company_memory_or_batches(tiny_model, monkeypatch):
    texts = [SENTENCE, ["the"], SENTENCE[::-1], SENTENCE[2:7], SENTENCE[:3] * 3, ["a", "dog"]]
    how = dataclasses.replace(FREE, threshold=6.0)
    expected = [compress(MaskedLM(str(tiny_model("bert"))), words, how) for words in texts]
    assert sum(len(result.iterations) for result in expected) >= 4
    for at_once, budget in ((1, 4096), (512, 4096), (512, 30)):
        monkeypatch.setattr(together, "_SENTENCES_AT_ONCE", at_once)
        lm = MaskedLM(str(tiny_model("bert")), batch_tokens=budget)
        results = list(compress_many(lm, iter(texts), how))
        assert [(r.source, r.kept) for r in results] == [(r.source, r.kept) for r in expected]
        ndds = [[s.ndd for item in r.iterations for s in item.deleted] for r in results]
        for a, b in zip(ndds, [[s.ndd for item in r.iterations for s in item.deleted] for r in expected]):
            assert a == pytest.approx(b, abs=1e-5)
        assert lm.forward_requests <= sum(result.requests for result in results)  # equal texts are sent once


def test_memory_bounds_what_runs_at_a_time(tiny_lm):
    running, most = 0, 0

    def work(number):
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(1 + number % 3):
            answers = yield [Question(tiny_lm.request(tiny_lm.encode(SENTENCE), number % 5), targets=(7,))]
            yield []  # a computation may have nothing to ask
        running -= 1
        return number, answers[0].log_probabilities[0]

    def run(count, size):
        return list(together.run_together(tiny_lm, [SENTENCE] * count, lambda _, n: (size, work(n)), memory=35))

    results = run(20, 10)
    assert [number for number, _ in results] == list(range(20)) and most == 3
    assert results[0][1] == pytest.approx(results[5][1], abs=1e-5) and results[0][1] < 0
    run(3, 50)  # too big: one by one
    assert most == 3


@pytest.mark.parametrize("rule", RULES)
def test_the_best_span_hands_its_distributions_on(models, rule):
    """What the search keeps for the next iteration are the distributions of the text without the best span."""
    handed = 0
    for lm, words in itertools.product((models["bert"], models["pieces"]), (SENTENCE, SENTENCE[::-1], SENTENCE[:7])):

        def run(steps, lm=lm, words=words):
            return next(together.run_together(lm, [words], lambda _, number: (0, steps)))

        references = run(together.distributions(lm, words))
        how = {"threshold": 20.0, "rule": rule, "settings": NDDSettings("balanced")}
        found = run(search_spans(lm, words, references, candidate_spans(len(words), 3), **how))
        assert found.best in found.spans
        shorter = words[: found.best.start] + words[found.best.stop :]
        expected = run(together.distributions(lm, shorter))
        for index, rows in found.rows.items():
            assert torch.allclose(rows, expected[index], atol=1e-6)
        handed += len(found.rows)
        known = dict.fromkeys(range(len(shorter)), expected[0])
        assert next(together.distributions(lm, shorter, known)) == []  # nothing is asked for twice
    assert handed > 5


# Rules for overlapping spans, by hand --------------------------------------------------------------------------------


def spans_of(*triples):
    return [ScoredSpan(*triple) for triple in triples]


def test_overlap_rules_by_hand():
    chain = spans_of((0, 2, 3.0), (1, 4, 2.0), (3, 5, 1.0))
    # the first is dropped although the second, which beats it, is itself beaten
    assert select_spans(chain, "code") == chain[2:]
    assert select_spans(chain, "lowest-first") == [chain[0], chain[2]]
    # as the paper has it the lower one goes: of the first pair the second span, and nothing overlaps any more
    assert select_spans(chain, "paper") == [chain[0], chain[2]]
    rising = spans_of((0, 2, 1.0), (1, 4, 2.0), (3, 5, 3.0))
    assert select_spans(rising, "paper") == rising[2:] and select_spans(rising, "code") == rising[:1]
    tied = spans_of((0, 2, 1.0), (1, 3, 1.0), (5, 6, 9.0))
    assert select_spans(tied, "code") == tied
    assert select_spans(tied, "paper") == select_spans(tied, "lowest-first") == [tied[0], tied[2]]
    assert select_spans([], "paper") == []


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4), st.integers(0, 5)), max_size=12), st.sampled_from(RULES)
)
def test_overlap_rules_equal_their_plain_definition(triples, rule):
    spans = {(start, start + size): float(ndd) for start, size, ndd in triples}
    selected = select_spans([ScoredSpan(*span, ndd) for span, ndd in spans.items()], rule)
    assert {(s.start, s.stop) for s in selected} == choose({span: Value(ndd) for span, ndd in spans.items()}, rule)
    if rule != "code":
        assert not any(a.overlaps(b) for a, b in itertools.combinations(selected, 2))


def test_candidates():
    assert candidate_spans(3, 9) == [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3)]  # never the whole text
    assert candidate_spans(3, 9, last_word=False) == [(0, 1), (1, 2), (0, 2)]
    assert candidate_spans(1, 9) == []
    # the authors' loop: end below both the length and start + max_span
    code = {(a, b) for a in range(8) for b in range(a + 1, min(8, a + 5))}
    assert set(candidate_spans(8, UNBIASED.longest_span, last_word=False)) == code


# Settings ------------------------------------------------------------------------------------------------------------


def test_rate_limit_and_iterations(models):
    lm, how = models["bert"], dataclasses.replace(FREE, threshold=45.0, longest_span=2)
    full = compress(lm, SENTENCE, how)
    assert full.kept_share < 0.5 and len(full.iterations) > 1
    stop = compress(lm, SENTENCE, dataclasses.replace(how, rate_limit=0.7))
    assert stop.stopped == compression.LIMIT and stop.kept_share <= 0.7
    assert stop.iterations == full.iterations[: len(stop.iterations)]
    before = stop.iterations[-2].kept if len(stop.iterations) > 1 else range(len(SENTENCE))
    assert len(before) / len(SENTENCE) > 0.7
    limited = compress(lm, SENTENCE, dataclasses.replace(how, iterations=1))
    assert limited.stopped == compression.ITERATIONS and limited.iterations == full.iterations[:1]


def test_the_last_word_stays_when_it_must(models):
    for words in (SENTENCE, SENTENCE[::-1]):
        result = compress(models["bert"], words, dataclasses.replace(FREE, threshold=60.0, last_word=False))
        assert result.words[-1] == words[-1] and len(result.kept) < len(words)


def test_signatures_are_those_of_the_recorded_rows(tiny_lm):
    line = "L:9|max:1|overlap:code|last:yes|vs:previous|iter:all|rate:kept-words-stop0.6"
    assert BIASED.signature == line
    assert UNBIASED.signature == "L:4|max:4|overlap:code|last:no|vs:previous|iter:5|rate:none"
    assert compression_signature(tiny_lm, BIASED).startswith(f"compression|{line}|ndd|lm:")


@pytest.mark.parametrize(
    "wrong",
    [
        {"overlap": "both"},
        *({"longest_span": value} for value in (0, math.nan, 2.5)),
        *({"threshold": value} for value in (0, math.nan, "1.0")),
        *({"iterations": value} for value in (0, math.nan, 2.5)),
        *({"rate_limit": value} for value in (1.0, "0.6")),
    ],
)
def test_settings_are_checked(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        CompressionSettings(**wrong)


def test_sentences_are_checked(tiny_lm):
    with pytest.raises(InputError, match="Sentence 1: .*at least one word"):
        list(compress_many(tiny_lm, [SENTENCE, []]))
    with pytest.raises(InputError, match="not as one string"):
        compress(tiny_lm, "the man")
    with pytest.raises(InputError, match="lists of words"):
        compress_many(tiny_lm, "the man")
    with pytest.raises(InputError, match="'error' or 'skip'"):
        compress_many(tiny_lm, [SENTENCE], too_long="cut")


def test_a_sentence_too_long_is_refused_or_skipped_and_never_returned(tiny_lm):
    texts = [SENTENCE, ["the"] * 50, SENTENCE[:4]]
    with pytest.raises(TextTooLongError, match="Sentence 1: .*52 pieces"):
        list(compress_many(tiny_lm, texts))
    results = list(compress_many(tiny_lm, texts, too_long="skip"))
    assert [type(result) for result in results] == [Compression, Skipped, Compression]
    assert "52 pieces" in results[1].reason and not hasattr(results[1], "words")
    assert isinstance(perplexity_deletion(tiny_lm, texts, [1, 1, 1], too_long="skip")[1], Skipped)


def test_one_word_is_returned_with_a_reason(tiny_lm):
    result = compress(tiny_lm, ["rain"])
    assert result.words == ("rain",) and result.stopped == compression.ONE_WORD and result.requests == 0
    assert perplexity_deletion(tiny_lm, [["rain"]], [0]) == [(0,)]


# Baselines -----------------------------------------------------------------------------------------------------------


def test_lead():
    texts = [SENTENCE, SENTENCE[:3]]
    assert lead(texts, 0.5) == [(0, 1, 2, 3, 4, 5), (0, 1)]
    assert lead(texts, 0.01) == [(0,), (0,)]
    for wrong in (0.0, 1.1, "half"):
        with pytest.raises(InputError, match="share"):
            lead(texts, wrong)


def test_random_deletion_deletes_as_many_words_as_it_is_told():
    texts, counts = [SENTENCE] * 400, [4] * 400
    kept = random_deletion(texts, counts, seed=1)
    assert all(len(k) == len(SENTENCE) - 4 and list(k) == sorted(set(k)) for k in kept)
    share = np.bincount(np.concatenate(kept), minlength=11) / 400
    assert np.abs(share - 7 / 11).max() < 0.1
    assert kept == random_deletion(texts, counts, seed=1) != random_deletion(texts, counts, seed=2)
    assert all(k[-1] == 10 for k in random_deletion(texts, counts, seed=1, last_word=False))
    with pytest.raises(InputError, match="2 numbers of deletions for 1"):
        random_deletion([SENTENCE], [1, 2], seed=0)
    with pytest.raises(InputError, match="11 of 11 words cannot be deleted from sentence 0"):
        random_deletion([SENTENCE], [11], seed=0)


def test_random_spans_have_the_lengths_of_a_method_s():
    kept = (0, 3, 4, 5, 7, 8, 9)  # spans of 2, 1 and 1 words are gone, the last one at the end
    drawn = random_spans([SENTENCE] * 300, [kept] * 300, seed=1)
    assert drawn == random_spans([SENTENCE] * 300, [kept] * 300, seed=1)
    assert all(len(places) == len(kept) and list(places) == sorted(set(places)) for places in drawn)
    share = np.bincount(np.concatenate(drawn), minlength=11) / 300
    assert np.abs(share - 7 / 11).max() < 0.12
    broken = [sum(b > a + 1 for a, b in zip((-1, *places), (*places, 11))) for places in drawn]
    assert set(broken) <= {1, 2, 3} and 3 in broken  # spans may come to stand side by side
    assert all(places[-1] == 10 for places in random_spans([SENTENCE] * 20, [kept] * 20, seed=1, last_word=False))
    whole = tuple(range(11))
    assert random_spans([SENTENCE], [whole], seed=0) == [whole]


def test_the_mean_of_runs_scores_each_sentence_by_its_mean():
    source, gold = ["a b c d .", "e f ."], ["a b .", "e ."]
    runs = [evaluate("r", source, outputs, gold) for outputs in (["a b .", "e ."], ["c d .", "e f ."])]
    both = mean_evaluation(runs)
    assert both.scores["F1"] == pytest.approx(np.mean([run.scores["F1"] for run in runs], axis=0))
    assert both.row()["BLEU-1"] == pytest.approx(100 * (3 + 2 + 1 + 2) / (3 + 2 + 3 + 3))
    assert both.signature == runs[0].signature and both.name == "r"


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


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(sentences, st.data())
def test_perplexity_deletion_equals_a_full_greedy_search(models, words, data):
    count = data.draw(st.integers(0, len(words) - 1))
    lm = models[data.draw(st.sampled_from(["bert", "roberta"]))]
    found = perplexity_deletion(lm, [words], [count])[0]
    expected = greedy_perplexity(lm, words, count)
    # deleting either of two equal neighbours gives the same text
    assert words_at(words, found) == words_at(words, expected) and len(found) == len(words) - count


# Measures ------------------------------------------------------------------------------------------------------------


def test_f1_by_hand():
    output, reference = "a b b c".split(), "b a d".split()
    assert token_f1(output, reference) == pytest.approx(4 / 7)
    assert token_f1(output, reference, clipped=False) == pytest.approx(12 / 17)
    assert token_f1(["x"], ["y"]) == 0 and token_f1(reference, reference) == 1


def test_evaluation_by_hand():
    source, gold = "the old man sat on a bench .", "the man sat on a bench ."
    same = evaluate("same", [source] * 2, [gold, source], [gold] * 2)
    assert same.scores["F1"] == pytest.approx([100, 200 * 7 / 15])
    assert same.scores["kept words"] == pytest.approx([7 / 8, 1])
    assert same.scores["kept characters"] == pytest.approx([len(gold) / len(source), 1])
    # bigrams of the source: 7, of which "the old" and "old man" are not in the reference
    assert [same.scores[f"B{n}"][1] for n in range(1, 5)] == pytest.approx([700 / 8, 500 / 7, 400 / 6, 300 / 5])
    assert same.scores["B"][1] == pytest.approx(np.mean([700 / 8, 500 / 7, 400 / 6, 300 / 5]))
    assert corpus_bleu(same.counts[:1]) == pytest.approx(100)
    outputs = [source, "the man sat .", "a bench ."]
    ours = evaluate("x", [source] * 3, outputs, [gold] * 3)
    assert ours.row()["BLEU"] == pytest.approx(sacrebleu.corpus_bleu(outputs, [[gold] * 3], tokenize="none").score)
    assert ours.scores["B4"][2] == 0 and ours.row()["BLEU-1"] > ours.row()["BLEU"]
    assert ours.estimate("F1").n == 3
    with pytest.raises(InputError, match="1 sources, 2 outputs"):
        evaluate("x", [source], outputs[:2], [gold])
    with pytest.raises(InputError, match="Sentence 0: There is no token"):
        evaluate("x", [source], [""], [gold])


def test_comparison_with_the_best_baseline():
    source, gold = "the old man sat on a bench .", "the man sat on a bench ."
    golds = [gold] * 30
    best = evaluate("unedited", [source] * 30, [source] * 30, golds)
    worse = evaluate("lead", [source] * 30, ["the old"] * 30, golds)
    system = evaluate("ours", [source] * 30, [gold] * 29 + [source], golds)
    name, difference = against_best(system, [worse, best])
    assert name == "unedited" and difference.value == pytest.approx(29 / 30 * (100 - 1400 / 15))
    assert difference.p_value < 0.05 and difference.low > 0
    with pytest.raises(InputError, match="no baseline"):
        against_best(system, [])
    with pytest.raises(InputError, match="different conventions"):
        against_best(system, [evaluate("x", [source], [source], [gold], TABLE_2)])


def test_calibration_looks_at_the_kept_share_only(models):
    texts = [SENTENCE, SENTENCE[::-1], SENTENCE[3:9], SENTENCE[:7]]
    found = calibrate_threshold(models["bert"], texts, 0.6, FREE, tolerance=0.08)
    at_it = dataclasses.replace(FREE, threshold=found.threshold)
    shares = [result.kept_share for result in compress_many(models["bert"], texts, at_it)]
    assert np.mean(shares) == pytest.approx(found.kept_share) and found.n == 4 and found.target == 0.6
    assert abs(found.kept_share - 0.6) == min(abs(share - 0.6) for _, share in found.tried)
    assert len(found.tried) > 1 and abs(found.kept_share - 0.6) < 0.2
    for target, options in ((0, {}), (math.nan, {}), (0.5, {"tolerance": math.nan}), (0.5, {"steps": 0})):
        with pytest.raises(InputError, match="target_rate|tolerance|steps"):
            calibrate_threshold(models["bert"], texts, target, **options)
    with pytest.raises(InputError, match="no sentence"):
        calibrate_threshold(models["bert"], [], 0.5)


# Data and long runs --------------------------------------------------------------------------------------------------


def test_rows_for_long_runs(tiny_model, tiny_lm):
    texts, how = [SENTENCE, ["the"] * 50, ["rain"]], dataclasses.replace(FREE, threshold=20.0)
    run = functools.partial(on_engine, compress_rows, model=str(tiny_model("bert")), settings=how)
    expected = compress(tiny_lm, SENTENCE, how)
    assert pickle.loads(pickle.dumps(run))(texts) == [
        {"kept": list(expected.kept), "requests": expected.requests},
        {"kept": None, "requests": 0},
        {"kept": [0], "requests": 0},
    ]
    shortened = baselines.delete_by_perplexity(tiny_lm, [[SENTENCE, 3], [["the"] * 50, 1]])
    assert shortened == [list(perplexity_deletion(tiny_lm, [SENTENCE], [3])[0]), None]
