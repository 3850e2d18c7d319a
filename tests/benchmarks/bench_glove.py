"""GloVe against a plain implementation: counting and training, seconds and memory, same text, same machine.

Run with ``make benchmark`` or ``python tests/benchmarks/bench_glove.py``. The plain one is what the original program
does, written in Python with NumPy rows: a dictionary of counts, and one entry of it at a time (Pennington, Socher &
Manning 2014, equation 8; AdaGrad). The text is the Lee background corpus, which comes with gensim.
"""

import math
import os
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

WORDS, WINDOW, DIMENSION, BLOCKS = 4000, 10, 100, 4
SAMPLE = 30_000  # entries that the plain loop takes; its time is proportional to them


def plain_counts(corpus) -> dict[tuple[int, int], float]:
    """Counts in a dictionary, pair by pair."""
    counts: dict[tuple[int, int], float] = {}
    ids, offsets = corpus.ids.tolist(), corpus.offsets.tolist()
    for begin, end in zip(offsets, offsets[1:]):
        for place in range(begin, end):
            for other in range(max(begin, place - WINDOW), place):
                for key in ((ids[place], ids[other]), (ids[other], ids[place])):
                    counts[key] = counts.get(key, 0.0) + 1 / (place - other)
    return counts


def plain_epoch(entries: list[tuple[tuple[int, int], float]], size: int) -> float:
    """One pass over the entries, one at a time; returns the loss."""
    rng = np.random.default_rng(0)
    w, u = (rng.random((2, size, DIMENSION)) - 0.5) / DIMENSION
    b, c = np.zeros((2, size))
    squares = [np.ones_like(part) for part in (w, u, b, c)]
    loss = 0.0
    for (i, j), x in entries:
        weight = min(1.0, (x / 100) ** 0.75)
        difference = w[i] @ u[j] + b[i] + c[j] - math.log(x)
        loss += 0.5 * weight * difference**2
        slope = weight * difference
        for part, row, gradient, square in zip(
            (w, u, b, c), (i, j, i, j), (slope * u[j], slope * w[i], slope, slope), squares
        ):
            part[row] -= 0.05 * gradient / np.sqrt(square[row])
            square[row] += gradient**2
    return loss


def timed(function, *arguments) -> tuple[object, float]:
    """Result and seconds."""
    begin = time.perf_counter()
    result = function(*arguments)
    return result, time.perf_counter() - begin


def peak(function, *arguments) -> float:
    """Most memory held at a time while a function runs, in MB, without what was there before."""
    tracemalloc.start()
    try:
        function(*arguments)
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def measure(rounds: int = 3) -> dict[str, float]:
    """Seconds and memory of both ways, and how many times faster the vectorised one is."""
    import word_vectors as vector_training
    from word_vectors import GloveSettings

    from nbhelpers.resources import data

    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "lee.txt"  # one document a line, of a hundred words or more
        text.write_text(data.find("lee-background").path.read_text(encoding="utf-8"), encoding="utf-8")
        corpus = vector_training.read_corpus([text], WORDS)
    epochs = {n: GloveSettings(dimension=DIMENSION, window=WINDOW, epochs=n, blocks=BLOCKS) for n in (1, 4)}
    seconds: dict[str, list[float]] = {"count plain": [], "count": [], "epoch plain": [], "epoch": []}
    for _ in range(rounds):  # alternating, so that both meet the same load of the machine
        plain, taken = timed(plain_counts, corpus)
        seconds["count plain"].append(taken)
        counts, taken = timed(vector_training.cooccurrences, corpus, WINDOW)
        seconds["count"].append(taken)
        sample = list(plain.items())[:: max(1, len(plain) // SAMPLE)]
        _, taken = timed(plain_epoch, sample, len(corpus.words))
        seconds["epoch plain"].append(taken * len(plain) / len(sample))
        once, four = (timed(vector_training.train_glove, counts, epochs[n])[1] for n in (1, 4))
        seconds["epoch"].append((four - once) / 3)  # without what is done once
    assert len(plain) == counts.nnz and abs(sum(plain.values()) - float(counts.sum())) < 1e-3 * counts.sum()
    result = {"words of text": len(corpus.ids), "entries": int(counts.nnz)}
    result |= {f"{name}, s": sorted(values)[len(values) // 2] for name, values in seconds.items()}
    result["count plain, MB"], result["count, MB"] = (
        peak(plain_counts, corpus),
        peak(vector_training.cooccurrences, corpus),
    )
    result["train, MB"] = peak(vector_training.train_glove, counts, epochs[1])
    result["count, times faster"] = result["count plain, s"] / result["count, s"]
    result["epoch, times faster"] = result["epoch plain, s"] / result["epoch, s"]
    return result


@pytest.mark.skipif(not os.environ.get("NBHELPERS_BENCHMARKS"), reason="opt-in: NBHELPERS_BENCHMARKS=1")
def test_glove_is_much_faster_than_a_plain_loop():
    result = measure()
    print(result)
    assert result["count, times faster"] >= 5 and result["epoch, times faster"] >= 30
    assert result["count, MB"] < result["count plain, MB"]


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name}: {value:,.4g}")
