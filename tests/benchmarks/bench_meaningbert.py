"""MeaningBERT's pairs per second: batches sorted by length, each different pair once, against one pair at a time."""

import time

import numpy as np

from nbhelpers import meaning_model
from nbhelpers.csmd import read_meaning_pairs


def test_batches_against_a_loop():
    own = read_meaning_pairs()
    sources, candidates = [pair.source for pair in own] * 2, [pair.candidate for pair in own] * 2
    model = meaning_model.load_meaning_model()
    metric = meaning_model.metric(model)
    metric(sources[:20], candidates[:20])  # both ways have been run once before they are timed
    started = time.perf_counter()
    fast = metric(sources, candidates)
    batched = time.perf_counter() - started
    started = time.perf_counter()
    slow = np.array([model.rate([source], [candidate])[0] for source, candidate in zip(sources, candidates)])
    looped = time.perf_counter() - started
    np.testing.assert_allclose(fast, slow, atol=1e-2)  # of 100
    print(f"\n{len(sources)} pairs, {len(own)} of them different: {len(sources) / batched:.0f} pairs/s, one at a time "
          f"{len(sources) / looped:.0f} pairs/s: {looped / batched:.1f}x")  # fmt: skip
    started = time.perf_counter()
    metric(sources[: len(own)], candidates[: len(own)])
    different = time.perf_counter() - started
    print(f"different pairs only: {looped / 2 / different:.1f}x (what batches alone give)")
    assert looped / batched > 2
