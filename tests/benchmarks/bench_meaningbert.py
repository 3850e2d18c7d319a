"""Pairs per second of MeaningBERT and of `same-meaning`: batches sorted by length against one pair at a time.

Two sets of pairs that are all
different: the project's own (36 pieces on average), and sentences of the Lee news corpus, which comes with gensim, each
beside itself with a fifth of the words left out (about 60). The loop is what one writes first with `transformers`
(`side_by_side.plain_rating`): the same model in float32, which is its default. A CPU core is busy with matrix products
in either way, so that
batches alone cannot give more than its free share; bfloat16 multiplies the rate of these products where the processor
has it (AMX), and moves ratings by some tenths of 100. Pairs that stand in a list several times are rated once.
"""

from pathlib import Path

import numpy as np
import pytest
import torch
from side_by_side import judge, median_seconds, news_pairs, opt_in, plain_rating

from nbhelpers.metrics import meaning_model
from nbhelpers.resources.csmd import read_meaning_pairs

SAMPLE = 100
"""Pairs that the loop takes; its time is scaled to all."""


def multiplies_bfloat16() -> bool:
    """Whether the processor has units for matrix products in bfloat16; where it cannot be told: no."""
    flags = Path("/proc/cpuinfo")
    return flags.is_file() and "amx_bf16" in flags.read_text()


@opt_in
@pytest.mark.parametrize("texts", ["own pairs", "news"])
@pytest.mark.parametrize("model", ["embedded", "same-meaning"])
def test_batches_against_a_loop(model, texts):
    exact = meaning_model.load_meaning_model(model)
    metrics = {"float32": meaning_model.metric(exact), "bfloat16": meaning_model.metric(model, dtype="bfloat16")}
    own = [(pair.source, pair.candidate) for pair in read_meaning_pairs()]
    sources, candidates = map(list, zip(*own)) if texts == "own pairs" else news_pairs(500)
    sample, ratings = np.random.default_rng(0).choice(len(sources), SAMPLE, replace=False), {}

    def rate(way):
        ratings[way] = metrics[way](sources, candidates)[sample]

    def loop():
        ratings["loop"] = np.array([plain_rating(exact, sources[i], candidates[i]) for i in sample])

    ways = {"float32": lambda: rate("float32"), "bfloat16": lambda: rate("bfloat16")}
    median_seconds(ways, rounds=1)  # what is set up at the first call is not timed
    seconds = median_seconds({"loop": loop, **ways}, rounds=7)
    rates = {way: (SAMPLE if way == "loop" else len(sources)) / value for way, value in seconds.items()}
    result = {"threads": torch.get_num_threads(), "pairs": len(sources)}
    result |= {f"{way}, pairs per second": rate for way, rate in rates.items()}
    for way, most in {"float32": 1e-2, "bfloat16": 2}.items():
        result[f"loop / {way}"] = rates[way] / rates["loop"]
        result[f"{way}, largest difference of 100"] = np.abs(ratings[way] - ratings["loop"]).max()
        assert result[f"{way}, largest difference of 100"] < most
    judge(result, {"loop / float32": 1.3} | ({"loop / bfloat16": 5} if multiplies_bfloat16() else {}))
