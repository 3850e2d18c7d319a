"""The whole registry of metrics over 2,000 pairs in one call, and what sharing the work of a family saves.

Run with ``make benchmark`` or ``python tests/benchmarks/bench_metrics.py [NAME ...]``. Sources are sentences of the
Lee background corpus, which comes inside gensim; candidates are the same sentences with words left out and put in
another order, so that every pair is another one. The nine values of ROUGE in one call are measured beside nine calls.
"""

import os
import random
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

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


def measure(names: list[str] | None = None) -> dict[str, float | str]:
    """Seconds of each metric, all of them in one call; the reason for each that cannot run; what sharing saves."""
    from nbhelpers import metrics

    sources, candidates = made_up_pairs()
    begin = time.perf_counter()
    result = metrics.score_all(sources, candidates, metrics=names)
    found: dict[str, float | str] = {"pairs": len(sources), "all, seconds": time.perf_counter() - begin}
    assert all(len(values) == len(sources) for values in result["values"].values())
    found |= {f"{name}, seconds": value for name, value in result["seconds"].items()}
    found |= {f"{name}, missing": reason for name, reason in result["missing"].items()}

    rouges = [metrics.load(name) for name in metrics.names() if name.startswith("rouge")]
    begin = time.perf_counter()
    metrics.score_all(sources, candidates, metrics=rouges, progress=False)
    together = time.perf_counter() - begin
    begin = time.perf_counter()
    for metric in rouges:
        metric(sources, candidates)
    found["nine ROUGE calls / one"] = (time.perf_counter() - begin) / together
    return found


@pytest.mark.skipif(not os.environ.get("NBHELPERS_BENCHMARKS"), reason="opt-in: NBHELPERS_BENCHMARKS=1")
def test_the_whole_registry_scores_2000_pairs_in_one_call():
    from nbhelpers import metrics

    result = measure()
    print(result)
    for name in metrics.names():
        assert (f"{name}, seconds" in result) != (f"{name}, missing" in result)
    assert result["nine ROUGE calls / one"] >= 4


if __name__ == "__main__":
    for name, value in measure(sys.argv[1:] or None).items():
        print(f"{name:32} {value if isinstance(value, str) else f'{value:12,.2f}'}")
