"""Engine against the plain `transformers` loop, same machine, same model, same requests, side by side.

Run with ``make benchmark`` or ``python tests/benchmarks/bench_engine.py``. The plain loop sends one masked copy at a
time through the model with the full vocabulary head, as most published code does. The share of the machine's matrix
rate counts the multiplications the engine has to do, against a large float32 matrix product measured in the same run.
"""

import os
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

SENTENCES = [
    "The council approved a new budget for schools on Tuesday after a long and heated debate in the town hall .",
    "Heavy snow closed two mountain roads and left hundreds of drivers waiting for several hours .",
    "A small company from the north has won the contract to build the bridge across the river next year .",
    "Doctors say that walking for half an hour every day lowers the risk of heart disease .",
    "The museum will open its doors to visitors again in the spring , its director said .",
]


def matrix_rate(seconds: float = 1.0) -> float:
    """Multiply-adds per second of a 1024×1024 float32 product, median over about `seconds`."""
    import torch

    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    rates, start = [], time.perf_counter()
    while time.perf_counter() - start < seconds:
        begin = time.perf_counter()
        a @ b
        rates.append(1024**3 / (time.perf_counter() - begin))
    return sorted(rates)[len(rates) // 2]


def body_multiplications(config, length: int) -> int:
    """Multiply-adds of one text of `length` pieces through the encoder."""
    width, inner = config.hidden_size, config.intermediate_size
    return config.num_hidden_layers * (length * (4 * width**2 + 2 * width * inner) + 2 * length**2 * width)


def measure(rounds: int = 3) -> dict[str, float]:
    """Median seconds of both ways over the same requests, their ratio, and the share of the matrix rate."""
    import torch

    from nbhelpers.language.mlm import MaskedLM, Question

    lm = MaskedLM(cache_words=1)
    encoded = [lm.encode(sentence.split()) for sentence in SENTENCES]
    requests = [lm.request(item, index) for item in encoded for index in range(len(item.words))]

    def engine():
        return lm.answer([Question(request, targets=(0,)) for request in requests])

    def plain():
        answers = []
        for request in requests:
            with torch.no_grad():
                logits = lm.loaded.model(input_ids=torch.tensor([request.input_ids])).logits
            answers.append(torch.log_softmax(logits, dim=-1)[0, request.positions[0]])
        return answers

    engine(), plain()
    seconds = {"engine": [], "plain": []}
    for _ in range(rounds):  # alternating, so that both meet the same load of the machine
        for name, function in (("engine", engine), ("plain", plain)):
            begin = time.perf_counter()
            function()
            seconds[name].append(time.perf_counter() - begin)
    median = {name: sorted(values)[len(values) // 2] for name, values in seconds.items()}
    config = lm.loaded.model.config
    head = config.hidden_size * (config.hidden_size + config.vocab_size)
    work = sum(body_multiplications(config, len(r.input_ids)) + head for r in requests)
    return {
        "requests": len(requests),
        "plain / engine": median["plain"] / median["engine"],
        "share of matrix rate": work / median["engine"] / matrix_rate(),
    }


def measure_threads(threads: int = 2, rounds: int = 3) -> dict[str, float]:
    """Wall and processor seconds of one compression: a batch for each thread, and all threads on every batch."""
    import torch

    from nbhelpers.language import mlm
    from nbhelpers.studies.ndd.compression import UNBIASED, compress

    def one_by_one(work, batches, device):
        with torch.inference_mode():
            return [work(batch) for batch in batches]

    lm, shared_out, before = mlm.MaskedLM(), mlm.map_batches, torch.get_num_threads()
    torch.set_num_threads(threads)
    result = {}
    try:
        for _ in range(rounds):
            for name, way in (("a batch for each thread", shared_out), ("all threads on a batch", one_by_one)):
                mlm.map_batches = way
                wall, processor = time.perf_counter(), time.process_time()
                compress(lm, SENTENCES[0].split(), UNBIASED)
                for kind, seconds in (
                    ("wall", time.perf_counter() - wall),
                    ("processor", time.process_time() - processor),
                ):
                    result.setdefault(f"{kind} seconds, {name}", []).append(seconds)
    finally:
        mlm.map_batches = shared_out
        torch.set_num_threads(before)
    return {name: sorted(values)[len(values) // 2] for name, values in result.items()}


@pytest.mark.skipif(not os.environ.get("NBHELPERS_BENCHMARKS"), reason="opt-in: NBHELPERS_BENCHMARKS=1")
def test_engine_is_at_least_five_times_the_plain_loop():
    result = measure()
    print(result)
    assert result["plain / engine"] >= 5


if __name__ == "__main__":
    for name, value in (measure() | measure_threads()).items():
        print(f"  {name:45} {value:10.2f}", flush=True)
