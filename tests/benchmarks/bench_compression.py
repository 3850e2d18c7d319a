"""Compression by the exact search, and by the authors' algorithm restated.

Both walk through the same iterations of the same sentences with the same model. The restatement does what the authors'
code does: for each candidate one batch of its neighbours in the original and one in the edited text, the full
vocabulary head and softmax at every position. It is timed on every 20th candidate only and scaled by the number of
masked texts, which is exact.
"""

import dataclasses
import os
import time

import numpy as np
import pytest
from reference_ndd import plain_ndd
from side_by_side import SENTENCES, judge, median_seconds, opt_in, seconds_of

from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import Edit, ndd_batch
from nbhelpers.resources import data
from nbhelpers.results import evidence
from nbhelpers.studies.ndd import compression, span_search
from nbhelpers.studies.ndd.pairs import read_pairs
from nbhelpers.studies.ndd.span_search import ScoredSpan, candidate_spans, select_spans, tie_within

EVERY = 20

SHORT = [
    "The old man sat on a bench in the park .",
    "Heavy rain fell on the city last night .",
    "She bought three red apples at the market .",
    "The train to the coast was late again .",
    "Police arrested two men near the station .",
    "My brother plays the piano very well .",
    "A small dog ran quickly across the road .",
    "The new bridge will open in early spring .",
    "He slowly opened the heavy wooden door .",
    "Prices rose by two per cent in June .",
    "The children sang a song for their teacher .",
    "Our team finally won the last game .",
]


@opt_in
@pytest.mark.parametrize("settings", [compression.UNBIASED, compression.BIASED])
def test_search_against_the_authors_algorithm(settings):
    lm, sentences, jobs = MaskedLM(), [sentence.split() for sentence in SENTENCES], []

    def search():
        return list(compression.compress_many(lm, sentences, settings))

    def plain():
        for text, (start, stop) in jobs[::EVERY]:
            plain_ndd(lm.loaded.model, lm.loaded.tokenizer, list(text), start, stop, nu=settings.ndd.nu)

    for result in search():
        # the texts that were searched: the source and the result of each iteration, unless the search stopped there
        texts = [result.source, *(item.words for item in result.iterations)]
        for text in texts if result.stopped == compression.UNCHANGED else texts[:-1]:
            spans = candidate_spans(len(text), settings.longest_span, last_word=settings.last_word)
            jobs += [(text, span) for span in spans]
    sent = [2 * (len(text) - (stop - start)) for text, (start, stop) in jobs]
    seconds = median_seconds({"search": search, "plain": plain}, clock=time.process_time)
    seconds["plain"] *= sum(sent) / sum(sent[::EVERY])
    result = {"candidates": len(jobs), "processor seconds, plain / search": seconds["plain"] / seconds["search"]}
    result |= {f"processor seconds a sentence, {name}": value / len(sentences) for name, value in seconds.items()}
    judge(result, {"processor seconds, plain / search": 20})


@opt_in
@pytest.mark.parametrize("settings", [compression.UNBIASED, compression.BIASED])
def test_short_sentences_equal_a_full_search(settings):
    """Every NDD of every span is measured: the same spans with the same NDDs, iteration by iteration."""
    lm, deleted = MaskedLM(), 0
    for result in compression.compress_many(lm, [sentence.split() for sentence in SHORT], settings):
        kept = tuple(range(len(result.source)))
        for item in [*result.iterations, *[None] * (result.stopped == compression.UNCHANGED)]:
            words = compression.words_at(result.source, kept)
            spans = candidate_spans(len(words), settings.longest_span, last_word=settings.last_word)
            pairs = [(words, words[:start] + words[stop:]) for start, stop in spans]
            every = ndd_batch(lm, pairs, [[Edit(*span)] for span in spans], settings=settings.ndd)
            ties = [tie_within(np.array([word.weight for word in ndd.neighbours])) for ndd in every]
            scored = [ScoredSpan(*span, ndd.value, tie) for span, ndd, tie in zip(spans, every, ties)]
            chosen = select_spans([one for one in scored if one.ndd < settings.threshold], settings.overlap)
            found = {span.positions: span.ndd for span in item.deleted} if item else {}
            assert found == pytest.approx({kept[one.start : one.stop]: one.ndd for one in chosen}, abs=1e-4)
            deleted, kept = deleted + len(found), item.kept if item else kept
    judge({"sentences": len(SHORT), "spans deleted": deleted}, {"spans deleted": 1})


@opt_in
@pytest.mark.parametrize("system", compression.SETTINGS)
def test_recorded_compressions_equal_a_full_search(system, monkeypatch):
    """The deletions in the evidence, on the first SENTENCES (environment, 2 by default) of the Google set.

    A sentence has 6,600 passes on average in the paper's setting, so 300 are for a GPU.
    """

    def everything(search):
        search.wanted = search.seen < search.total
        return np.flatnonzero(search.wanted)

    monkeypatch.setattr(span_search._Search, "choose", everything)
    table, lm = evidence.load("ndd-compression"), MaskedLM()
    own = table[(table["system"] == system) & (table["model"] == "embedded")].set_index("sentence")["went"]
    chosen = [place for place in range(int(os.environ.get("SENTENCES", "2"))) if place in own]
    pairs = read_pairs(data.find("google-compression", allow_shipped=False).path)
    found = compression.compress_rows(lm, [pairs[place][0] for place in chosen], settings=compression.SETTINGS[system])
    same = sum(list(own[place]) == went for place, went in zip(chosen, found, strict=True))
    judge({"sentences": len(chosen), "passes": lm.forward_requests, "the same": same / len(chosen)}, {"the same": 1})


@opt_in
@pytest.mark.parametrize("length", [20, 40, 80, 120])
def test_cost_by_length_of_the_sentence(length):
    """One iteration of the paper's setting on so many words: passes for each candidate stay few."""
    settings = dataclasses.replace(compression.BIASED, iterations=1)
    lm, words = MaskedLM(), " ".join(SENTENCES).split()[:length]
    compression.compress(lm, words[:8], settings)  # what is set up at the first call is not timed
    lm = MaskedLM(lm.loaded)
    spans = candidate_spans(length, settings.longest_span)
    result = {"words": length, "candidates": len(spans)}
    result["processor seconds"] = seconds_of(lambda: compression.compress(lm, words, settings), time.process_time)
    result["passes"] = lm.forward_requests
    result["passes, plain / search"] = sum(2 * (length - (stop - start)) for start, stop in spans) / result["passes"]
    judge(result, {"passes, plain / search": 15})
