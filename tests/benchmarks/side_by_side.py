"""What the benchmarks share: the mark that makes them opt-in, texts, and the times of several ways side by side.

Run all of them with ``make benchmark``, one with ``make benchmark ARGS="-k engine"``.
"""

import os
import random
import subprocess
import time

import numpy as np
import pytest

from nbhelpers.language.english import load_english
from nbhelpers.metrics.meaning_model import Calibration, MeaningModel, pool
from nbhelpers.resources.models import DEFAULT_ENCODER, cached_encoder

tells_memory = pytest.mark.skipif(not hasattr(os, "wait4"), reason="memory of another process is told by wait4")
opt_in = pytest.mark.skipif(not os.environ.get("NBHELPERS_BENCHMARKS"), reason="opt-in: NBHELPERS_BENCHMARKS=1")

SENTENCES = [
    "The council approved a new budget for schools on Tuesday after a long and heated debate in the town hall .",
    "Heavy snow closed two mountain roads and left hundreds of drivers waiting for several hours on Sunday night .",
    "A small company from the north of the country has won the contract to build the bridge across the river next "
    "year , its owner said .",
    "Doctors at the university say that walking for half an hour every day lowers the risk of heart disease .",
    "Two men were arrested early on Monday after police found stolen paintings worth several million euros in a "
    "barn near the border .",
    "The museum will open its doors to visitors again in the spring .",
]


def news() -> list[list[str]]:
    """Sentences of each article of the Lee background corpus, which comes inside gensim."""
    from gensim.test.utils import datapath

    with open(datapath("lee_background.cor"), encoding="utf-8") as articles:
        return [load_english().sentences(article) for article in articles]


def news_pairs(count: int, left_out: float = 0.2, each: int = 1) -> tuple[list[str], list[str]]:
    """Sentences of news, and the same with about that share of the words left out and two neighbours swapped."""
    rng, sentences = random.Random(0), [text for article in news() for text in article if 5 <= len(text.split()) <= 60]
    sources, candidates = list(dict.fromkeys(sentences))[: count // each] * each, []
    for source in sources:
        words = [word for word in source.split() if rng.random() >= left_out] or source.split()[:1]
        place = rng.randrange(len(words))
        words[place : place + 2] = reversed(words[place : place + 2])
        candidates.append(" ".join(words))
    assert len(sources) == count
    return sources, candidates


def plain_rating(model: MeaningModel, source: str, candidate: str) -> float:
    """A rating as one writes it first: each order of a pair, and each text for the cosine, by itself."""
    import torch

    def states(loaded, *texts):
        inputs = loaded.tokenizer(*texts, return_tensors="pt")
        return loaded.model(**inputs).last_hidden_state, inputs.sequence_ids(0)

    with torch.no_grad():
        raw = []
        for texts in [(source, candidate), (candidate, source)][: 1 + model.symmetric]:
            hidden, numbers = states(model.loaded, *texts)
            sentence = torch.tensor([[-1 if number is None else number for number in numbers]])
            raw.append(100 * model.head(pool(hidden, sentence)).item())
        value = sum(raw) / len(raw)
        if model.cosine:
            means = [states(cached_encoder(DEFAULT_ENCODER).loaded, text)[0].mean(1) for text in (source, candidate)]
            value += 100 * model.cosine * torch.cosine_similarity(*means).item()
    return float((model.calibration or Calibration())(value))


def seconds_of(function, clock=time.perf_counter) -> float:
    """Seconds of one call."""
    begin = clock()
    function()
    return clock() - begin


def median_seconds(ways: dict, rounds: int = 3, clock=time.perf_counter) -> dict[str, float]:
    """Median seconds of each way by name; they take turns, so that all meet the same load of the machine."""
    times = [[seconds_of(function, clock) for function in ways.values()] for _ in range(rounds)]
    return dict(zip(ways, np.median(times, axis=0).tolist()))


def used_by(command: list):
    """What a process used: seconds of the processor (``ru_utime``, ``ru_stime``) and memory at most (``ru_maxrss``)."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0
    return used


def judge(result: dict, least: dict[str, float]) -> None:
    """Print results by name, and see that some of them reach their bounds."""
    for name, value in result.items():
        print(f"{name:55} {value if isinstance(value, str) else f'{value:14,.6g}'}", flush=True)
    for name, bound in least.items():
        assert result[name] >= bound, name
