"""Memory of ``python -m nbhelpers score`` for few and for many pairs: files are read, and texts rated, row by row."""

import random
import sys

import pytest
from side_by_side import judge, opt_in, tells_memory, used_by

WORDS = "the a cat dog sat ran on in mat house red old man saw big small boat river town went".split()


def pairs(path, count: int):
    """A file of short pairs that are all different."""
    rng = random.Random(0)
    with open(path, "w", encoding="utf-8") as file:
        for number in range(count):
            words = " ".join(rng.choices(WORDS, k=6))
            file.write(f"{words} {number}\tThe {words} {number}\n")
    return path


@opt_in
@tells_memory
@pytest.mark.parametrize(("metric", "few", "many"), [("chrf", 20_000, 100_000), ("same-meaning", 512, 5_000)])
def test_memory_does_not_grow_with_the_number_of_pairs(metric, few, many, tmp_path):
    peak = {}
    for count in (few, many):
        call = [sys.executable, "-m", "nbhelpers", "score", "--quiet", "--metric", metric]
        peak[count] = used_by([*call, pairs(tmp_path / "pairs.tsv", count)]).ru_maxrss / 1024
    result = {f"{metric}, {count:,} pairs, peak MiB": value for count, value in peak.items()}
    result["few / many"] = peak[few] / peak[many]
    judge(result, {"few / many": 0.9})
