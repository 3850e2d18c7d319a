"""Pairs per second of MeaningBERT and of `same-meaning`: batches sorted by length against one pair at a time.

Two sets of pairs that are all
different: the project's own (36 pieces on average), and sentences of the Lee news corpus, which comes with gensim, each
beside itself with a fifth of the words left out (about 60). The loop is what one writes first: the same model in
float32, which is its default, called with one pair. A CPU core is busy with matrix products in either way, so that
batches alone cannot give more than its free share; bfloat16 multiplies the rate of these products where the processor
has it (AMX), and moves ratings by some tenths of 100. Pairs that stand in a list several times are rated once.
"""

from pathlib import Path

import numpy as np
import pytest
from bench_metrics import made_up_pairs
from side_by_side import median_seconds, opt_in, show

SAMPLE = 100
"""Pairs that the loop takes; its time is scaled to all."""


def multiplies_bfloat16() -> bool:
    """Whether the processor has units for matrix products in bfloat16; where it cannot be told: no."""
    flags = Path("/proc/cpuinfo")
    return flags.is_file() and "amx_bf16" in flags.read_text()


def sets_of_pairs() -> dict[str, tuple[list[str], list[str]]]:
    from nbhelpers.resources.csmd import read_meaning_pairs

    own = read_meaning_pairs()
    return {"own pairs": ([p.source for p in own], [p.candidate for p in own]), "news": made_up_pairs(500)}


def measure(model: str) -> dict[str, float]:
    """Pairs per second and ratios (from the medians of the times), and the largest differences of a rating."""
    import torch

    from nbhelpers.metrics import meaning_model

    exact = meaning_model.load_meaning_model(model)
    metrics = {"float32": meaning_model.metric(exact), "bfloat16": meaning_model.metric(model, dtype="bfloat16")}
    found: dict[str, float] = {"threads": torch.get_num_threads()}
    for name, (sources, candidates) in sets_of_pairs().items():
        sample = np.random.default_rng(0).choice(len(sources), SAMPLE, replace=False)
        ratings = {}

        def rate(way, sources=sources, candidates=candidates, ratings=ratings):
            ratings[way] = metrics[way](sources, candidates)

        def loop(sources=sources, candidates=candidates, ratings=ratings, sample=sample):
            ratings["loop"] = np.array([exact.rate([sources[i]], [candidates[i]])[0] for i in sample])

        ways = {way: lambda way=way: rate(way) for way in metrics}
        median_seconds(ways, rounds=1)  # what is set up at the first call is not timed
        seconds = median_seconds({"loop": loop, **ways}, rounds=7)
        each = {way: value / (SAMPLE if way == "loop" else len(sources)) for way, value in seconds.items()}
        found[f"{name}: pairs"] = len(sources)
        found[f"{name}: loop, pairs per second"] = 1 / each["loop"]
        for way in ways:
            found[f"{name}: {way}, pairs per second"] = 1 / each[way]
            found[f"{name}: loop / {way}"] = each["loop"] / each[way]
            found[f"{name}: {way}, largest difference of 100"] = np.abs(ratings[way][sample] - ratings["loop"]).max()
    return found


@opt_in
@pytest.mark.parametrize("model", ["embedded", "same-meaning"])
def test_batches_against_a_loop(model):
    result = measure(model)
    show(result)
    for name in ("own pairs", "news"):
        assert result[f"{name}: float32, largest difference of 100"] < 1e-2
        assert result[f"{name}: bfloat16, largest difference of 100"] < 2
        assert result[f"{name}: loop / float32"] > 1.3
        if multiplies_bfloat16():
            assert result[f"{name}: loop / bfloat16"] >= 5
