"""The whole registry of metrics over 2,000 pairs in one call, and what sharing the work of a family saves.

Sources are sentences of the
Lee background corpus, which comes inside gensim; candidates are the same sentences with words left out and put in
another order, so that every pair is another one. The nine values of ROUGE in one call are measured beside nine calls.
"""

from side_by_side import judge, news_pairs, opt_in, seconds_of

from nbhelpers import metrics


@opt_in
def test_the_whole_registry_scores_2000_pairs_in_one_call():
    pairs, scored = news_pairs(2_000), {}
    found = {"all, seconds": seconds_of(lambda: scored.update(metrics.score_all(*pairs)))}
    assert all(len(values) == 2_000 for values in scored["values"].values())
    assert sorted([*scored["seconds"], *scored["missing"]]) == sorted(metrics.names())
    found |= {f"{name}, {what}": value for what in ("seconds", "missing") for name, value in scored[what].items()}
    rouges = [metrics.load(name) for name in metrics.names() if name.startswith("rouge")]
    together = seconds_of(lambda: metrics.score_all(*pairs, metrics=rouges))
    found["nine ROUGE calls / one"] = seconds_of(lambda: [metric(*pairs) for metric in rouges]) / together
    judge(found, {"nine ROUGE calls / one": 4})
