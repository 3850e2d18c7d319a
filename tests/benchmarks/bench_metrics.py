"""The whole registry of metrics over 2,000 pairs in one call, and what sharing the work of a family saves.

Sources are sentences of the
Lee background corpus, which comes inside gensim; candidates are the same sentences with words left out and put in
another order, so that every pair is another one. The nine values of ROUGE in one call are measured beside nine calls.
"""

import random

from side_by_side import opt_in, seconds_of, show

PAIRS = 2_000


def made_up_pairs(count: int = PAIRS) -> tuple[list[str], list[str]]:
    """Sentences of news articles, and the same with about a fifth of the words left out and two neighbours swapped."""
    from gensim.test.utils import datapath

    from nbhelpers.language.english import load_english

    split, rng = load_english().sentences, random.Random(0)
    sentences: list[str] = []
    with open(datapath("lee_background.cor"), encoding="utf-8") as articles:
        for article in articles:
            sentences += [text for text in split(article) if 5 <= len(text.split()) <= 60]
    sources = list(dict.fromkeys(sentences))[:count]
    assert len(sources) == count
    candidates = []
    for source in sources:
        words = [word for word in source.split() if rng.random() < 0.8] or source.split()[:1]
        place = rng.randrange(len(words))
        words[place : place + 2] = reversed(words[place : place + 2])
        candidates.append(" ".join(words))
    return sources, candidates


def measure() -> dict[str, float | str]:
    """Seconds of each metric, all of them in one call; the reason for each that cannot run; what sharing saves."""
    from nbhelpers import metrics

    sources, candidates = made_up_pairs()
    result: dict = {}
    whole = seconds_of(lambda: result.update(metrics.score_all(sources, candidates)))
    found: dict[str, float | str] = {"pairs": len(sources), "all, seconds": whole}
    assert all(len(values) == len(sources) for values in result["values"].values())
    found |= {f"{name}, seconds": value for name, value in result["seconds"].items()}
    found |= {f"{name}, missing": reason for name, reason in result["missing"].items()}

    rouges = [metrics.load(name) for name in metrics.names() if name.startswith("rouge")]
    together = seconds_of(lambda: metrics.score_all(sources, candidates, metrics=rouges, progress=False))
    one_by_one = seconds_of(lambda: [metric(sources, candidates) for metric in rouges])
    return found | {"nine ROUGE calls / one": one_by_one / together}


@opt_in
def test_the_whole_registry_scores_2000_pairs_in_one_call():
    from nbhelpers import metrics

    result = measure()
    show(result)
    for name in metrics.names():
        assert (f"{name}, seconds" in result) != (f"{name}, missing" in result)
    assert result["nine ROUGE calls / one"] >= 4
