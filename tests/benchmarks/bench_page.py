"""A page of text: `check` of 30 sentences of news against an edited copy, against a loop over its pairs of sentences.

The loop is told which sentences belong together and rates each pair of them, as one writes it first. `check` takes two
texts, finds that out, and looks for the words that cost most in the worst pair. Memory is that of the command line.
"""

import random
import sys
import time

import pytest
from side_by_side import judge, median_seconds, news, opt_in, plain_rating, tells_memory, used_by

from nbhelpers.base.errors import ResourceNotFoundError
from nbhelpers.metrics import check, load
from nbhelpers.metrics.meaning_model import load_meaning_model

SENTENCES = 30


def page() -> tuple[list[str], list[str]]:
    """Sentences of news in their order, and an edited copy: half of them have a word left out or put elsewhere."""
    rng, candidates = random.Random(0), []
    sources = [text for article in news()[:20] for text in article if 8 <= len(text.split()) <= 40][:SENTENCES]
    for number, source in enumerate(sources):
        words = source.split()
        if number % 2:
            moved = words.pop(rng.randrange(1, len(words) - 1))
            if number % 4 == 1:
                words.insert(rng.randrange(1, len(words) - 1), moved)
        candidates.append(" ".join(words))
    return sources, candidates


@opt_in
@tells_memory
@pytest.mark.parametrize("name", ["same-meaning", "same-meaning-base"])
def test_a_page_against_a_loop_over_its_sentences(name, tmp_path):
    try:
        model = load_meaning_model(name)
    except ResourceNotFoundError as missing:
        pytest.skip(str(missing))
    load(name)
    sources, candidates = page()
    texts, found = (" ".join(sources), " ".join(candidates)), {}

    def loop():
        found["loop"] = [plain_rating(model, *pair) for pair in zip(sources, candidates)]

    ways = {"loop": loop, "check": lambda: found.update(check=check(*texts, metric=name))}
    median_seconds(ways, rounds=1)  # what is set up at the first call is not timed
    seconds = median_seconds(ways, rounds=1 if name.endswith("base") else 3, clock=time.process_time)
    files = [tmp_path / "page.txt", tmp_path / "copy.txt"]
    for file, text in zip(files, texts):
        file.write_text(text + "\n", encoding="utf-8")
    call = [sys.executable, "-m", "nbhelpers", "check", "--quiet", "--metric", name, *files]
    used = used_by(call)
    result = {"metric": name, "sentences": len(sources), "parts of check": len(found["check"].parts)}
    result["lowest rating, loop"], result["lowest rating, check"] = min(found["loop"]), found["check"].rating
    result |= {f"processor seconds, {way}": value for way, value in seconds.items()}
    result["processor seconds, loop / check"] = seconds["loop"] / seconds["check"]
    result["processor seconds, command line with loading"] = used.ru_utime + used.ru_stime
    result["peak MiB, command line"] = used.ru_maxrss / 1024
    judge(result, {"processor seconds, loop / check": 1})
