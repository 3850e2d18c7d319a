"""Speed and memory of word alignment and pivoting: 30,000 sentence pairs in under 5 minutes and 4 GiB.

Run with ``NBHELPERS_BENCHMARKS=1 python -m pytest tests/benchmarks/bench_pivot.py -s``, or as a script. The whole way
from lines to paraphrases runs in a process of its own, whose largest memory the system reports. With the registered
parallel corpora at hand (``NBHELPERS_DATA``) they are measured, else invented sentences of the same number and length.
NLTK's IBM Model 1 and phrase extraction run on a small sample in the same process, beside ours on the same sample.
"""

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time

import pytest

PAIRS, SAMPLE, ITERATIONS = 30_000, 300, 5
MADE_UP = "invented"
CORPORA = (("small-parallel-enja", "ja"), ("multi30k", "de"))


def made_up_text(pairs: int):
    """Sentences of about 13 words from a Zipf-like vocabulary of 8,000, with translations word by word, reordered."""
    from nbhelpers.studies.paraphrase.parallel import parallel_text

    draw = random.Random(0)
    weights = [1 / rank for rank in range(1, 8001)]
    first, second = [], []
    for _ in range(pairs):
        words = draw.choices(range(8000), weights, k=draw.randint(5, 21))
        moved = [word for place, word in sorted((i + draw.uniform(0, 2), w) for i, w in enumerate(words))]
        first.append(" ".join(f"e{'abcdefghij'[word % 10]}{word}" for word in words))
        second.append(" ".join(f"d{word // 2 if word > 50 else word}" for word in moved))  # two words, one translation
    return parallel_text(first, second, ("en", "de"), name=MADE_UP)


def measure(name: str, other: str) -> dict[str, float]:
    """Seconds of each step and MiB at most; ours and NLTK's seconds on a sample."""
    from nltk.translate import AlignedSent, IBMModel1
    from nltk.translate.phrase_based import phrase_extraction

    from nbhelpers.studies.paraphrase import alignment, parallel, smt

    result: dict[str, float] = {}

    def timed(step, function):
        begin = time.perf_counter()
        value = function()
        result[step] = time.perf_counter() - begin
        return value

    if name == MADE_UP:
        text = made_up_text(PAIRS)
    else:
        text = timed("reading, seconds", lambda: parallel.open_parallel(name, "en", other))
        text = parallel.parallel_text(text.first[:PAIRS], text.second[:PAIRS], text.languages, name=name)
    sides = timed(
        "words and parts of speech, seconds",
        lambda: [parallel.analyse(text.side(language), language) for language in ("en", other)],
    )
    settings = smt.PivotSettings()
    table = timed("alignment and phrases, seconds", lambda: smt.translations(*sides, settings))
    pairs, _ = timed("pivoting, seconds", lambda: smt.pivot(table, settings))
    result["all steps, seconds"] = sum(result.values())
    result["most memory, MiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result["sentence pairs"], result["paraphrase pairs"] = len(text), sum(map(len, pairs.values()))

    # NLTK counts a target word that stands twice in a sentence too low, so such sentences are left out of the sample.
    words = [[[token for token, _ in sentence] for sentence in side] for side in sides]
    few = [(a, b) for a, b in zip(*words, strict=True) if len(set(b)) == len(b)][:SAMPLE]
    few = [list(side) for side in zip(*few, strict=True)]
    encoded = [alignment.encode(side) for side in few]
    model_1 = alignment.AlignmentSettings(model1_iterations=ITERATIONS, diagonal_iterations=0, pseudo_count=0)
    ours, theirs = [], []
    for _ in range(3):  # alternating, so that both meet the same load of the machine
        begin = time.perf_counter()
        model = alignment.train(*encoded, model_1)
        ours.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        reference = IBMModel1([AlignedSent(b, a) for a, b in zip(*few, strict=True)], ITERATIONS)
        theirs.append(time.perf_counter() - begin)
    first, second = encoded
    for word, other_word in zip(few[0][0], few[1][0], strict=False):
        key = (first.words.index(word) + 1) * len(second.words) + second.words.index(other_word)
        ours_here = float(model.probabilities[model.keys == key].sum())
        assert abs(ours_here - reference.translation_table[other_word][word]) < 1e-6
    result["sample: Model 1, seconds"] = statistics.median(ours)
    result["sample: NLTK's Model 1, seconds"] = statistics.median(theirs)
    result["NLTK's Model 1 / ours"] = statistics.median(theirs) / statistics.median(ours)

    links = alignment.align(*encoded)
    sizes = [(len(a), len(b)) for a, b in zip(*few, strict=True)]
    begin = time.perf_counter()
    found = [list(alignment.phrase_pairs(pairs, size, 4)) for pairs, size in zip(links, sizes)]
    ours_phrases = time.perf_counter() - begin
    begin = time.perf_counter()
    for pairs, a, b in zip(links, *few, strict=True):
        phrase_extraction(" ".join(a), " ".join(b), pairs, 4)
    result["sample: phrase pairs"] = sum(map(len, found))
    result["NLTK's phrase extraction / ours"] = (time.perf_counter() - begin) / ours_phrases
    return result


def measure_alone(name: str, other: str) -> dict[str, float]:
    """`measure` in a new process, so that memory is its own."""
    done = subprocess.run([sys.executable, __file__, name, other], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def at_hand() -> list[tuple[str, str]]:
    """The registered corpora that can be measured, else the invented one."""
    from nbhelpers.base.errors import ResourceNotFoundError
    from nbhelpers.resources.data import find

    found = []
    for name, other in CORPORA:
        try:
            find(name)
            found.append((name, other))
        except ResourceNotFoundError:
            pass
    return found or [(MADE_UP, "de")]


@pytest.mark.skipif(not os.environ.get("NBHELPERS_BENCHMARKS"), reason="opt-in: NBHELPERS_BENCHMARKS=1")
def test_thirty_thousand_pairs_in_five_minutes_and_four_gibibytes():
    for name, other in at_hand():
        result = measure_alone(name, other)
        print(name, result)
        assert result["sentence pairs"] >= 29_000  # Multi30k has no more
        assert result["all steps, seconds"] < 300
        assert result["most memory, MiB"] < 4096
        assert result["NLTK's Model 1 / ours"] > 10


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(*sys.argv[1:])))
    else:
        for corpus, language in at_hand():
            print(corpus)
            for step, value in measure_alone(corpus, language).items():
                print(f"  {step:40} {value:14,.3f}")
