"""MeaningBERT's pairs per second: batches sorted by length, in two precisions, against one pair at a time.

Run with ``make benchmark`` or ``python tests/benchmarks/bench_meaningbert.py``. Two sets of pairs that are all
different: the project's own (36 pieces on average), and sentences of the Lee news corpus, which comes with gensim, each
beside itself with a fifth of the words left out (about 60). The loop is what one writes first: the same model in
float32, which is its default, called with one pair. A CPU core is busy with matrix products in either way, so that
batches alone cannot give more than its free share; bfloat16 multiplies the rate of these products where the processor
has it (AMX), and moves ratings by some tenths of 100. Pairs that stand in a list several times are rated once.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

SAMPLE = 100
"""Pairs that the loop takes; its time is scaled to all."""


def multiplies_bfloat16() -> bool:
    """Whether the processor has units for matrix products in bfloat16; where it cannot be told: no."""
    flags = Path("/proc/cpuinfo")
    return flags.is_file() and "amx_bf16" in flags.read_text()


def sets_of_pairs() -> dict[str, tuple[list[str], list[str]]]:
    from bench_metrics import made_up_pairs

    from nbhelpers.resources.csmd import read_meaning_pairs

    own = read_meaning_pairs()
    return {"own pairs": ([p.source for p in own], [p.candidate for p in own]), "news": made_up_pairs(500)}


def measure(rounds: int = 7) -> dict[str, float]:
    """Pairs per second and ratios (from the medians of the times), and the largest differences of a rating."""
    import torch

    from nbhelpers.metrics import meaning_model

    exact = meaning_model.load_meaning_model()
    ways = {"float32": meaning_model.metric(exact), "bfloat16": meaning_model.metric(dtype="bfloat16")}
    found: dict[str, float] = {"threads": torch.get_num_threads()}
    for name, (sources, candidates) in sets_of_pairs().items():
        sample = np.random.default_rng(0).choice(len(sources), SAMPLE, replace=False)
        ratings, times = {}, {way: [] for way in ("loop", *ways)}
        for metric in ways.values():
            metric(sources[:20], candidates[:20])  # what is set up at the first call is not timed
        for _ in range(rounds):  # alternating, so that all meet the same load of the machine
            begin = time.perf_counter()
            ratings["loop"] = np.array([exact.rate([sources[i]], [candidates[i]])[0] for i in sample])
            times["loop"].append((time.perf_counter() - begin) / SAMPLE)
            for way, metric in ways.items():
                begin = time.perf_counter()
                ratings[way] = metric(sources, candidates)[sample]
                times[way].append((time.perf_counter() - begin) / len(sources))
        each = {way: float(np.median(values)) for way, values in times.items()}
        found[f"{name}: pairs"] = len(sources)
        found[f"{name}: loop, pairs per second"] = 1 / each["loop"]
        for way in ways:
            found[f"{name}: {way}, pairs per second"] = 1 / each[way]
            found[f"{name}: loop / {way}"] = each["loop"] / each[way]
            found[f"{name}: {way}, largest difference of 100"] = float(np.abs(ratings[way] - ratings["loop"]).max())
    return found


@pytest.mark.skipif(not os.environ.get("NBHELPERS_BENCHMARKS"), reason="opt-in: NBHELPERS_BENCHMARKS=1")
def test_batches_against_a_loop():
    result = measure()
    print(result)
    for name in ("own pairs", "news"):
        assert result[f"{name}: float32, largest difference of 100"] < 1e-2
        assert result[f"{name}: bfloat16, largest difference of 100"] < 2
        assert result[f"{name}: loop / float32"] > 1.3
        if multiplies_bfloat16():
            assert result[f"{name}: loop / bfloat16"] >= 5


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:50} {value:12,.6g}")
