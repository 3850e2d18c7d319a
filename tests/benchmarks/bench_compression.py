"""Compression by the exact search, by a full search with the same engine, and by the authors' algorithm restated.

Run with ``make benchmark`` or ``python tests/benchmarks/bench_compression.py [SHARE]``. All three walk through the same
iterations of the same sentences with the same model. The restatement does what the authors' code does: for each
candidate one batch of its neighbours in the original and one in the edited text, the full vocabulary head and softmax
at every position. The two slow ways are timed on every k-th candidate only (SHARE, one tenth by default; 1 runs them
whole) and scaled by the number of masked texts, which is exact.
"""

import os
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

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


def plain_distributions(model, tokenizer, words, neighbours):
    """Probabilities at each neighbour, masked in turn: one padded batch, full head, softmax at every position."""
    import torch

    texts = [" ".join(tokenizer.mask_token if i == k else w for i, w in enumerate(words)) for k in neighbours]
    batch = tokenizer(texts, return_tensors="pt", padding=True)
    position = batch["input_ids"].eq(tokenizer.mask_token_id).float().argmax(1)
    with torch.no_grad():
        probabilities = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits.softmax(-1)
    return torch.stack([row[position[i]] for i, row in enumerate(probabilities)])


def plain_ndd(model, tokenizer, words, start, stop, mu=0.9, nu=1.0):
    """NDD of deleting words[start:stop] as the authors' code computes it."""
    import numpy
    import torch

    edited = words[:start] + words[stop:]
    neighbours = [k for k in range(len(words)) if not start <= k < stop]
    before = plain_distributions(model, tokenizer, words, neighbours)
    after = plain_distributions(model, tokenizer, edited, range(len(edited)))
    distance = numpy.array([start - 1 - k if k < start else k - stop for k in neighbours])
    weight = mu**distance + mu ** (distance + len(distance) - distance[::-1])
    weight = torch.tensor(weight * nu ** numpy.arange(len(weight)), dtype=torch.float32)
    return float(((after * (after / before).log()).sum(1) * weight).sum())


def plain_iteration(model, tokenizer, words, max_span, threshold, nu=1.0):
    """The spans (start, stop, NDD) that one iteration of the authors' code deletes: spans below the threshold, less
    those that overlap a lower one."""
    found = []
    for start in range(len(words)):
        for stop in range(start + 1, min(len(words), start + max_span)):
            value = plain_ndd(model, tokenizer, words, start, stop, nu=nu)
            if value < threshold:
                found.append((start, stop, value))
    return [a for a in found if not any(set(range(*a[:2])) & set(range(*b[:2])) and a[2] > b[2] for b in found)]


class Clock:
    """Wall and processor seconds spent under each name, and the masked texts sent."""

    def __init__(self):
        self.wall, self.cpu, self.texts = {}, {}, {}

    def run(self, name, texts, function, *arguments):
        wall, cpu = time.perf_counter(), time.process_time()
        result = function(*arguments)
        self.wall[name] = self.wall.get(name, 0.0) + time.perf_counter() - wall
        self.cpu[name] = self.cpu.get(name, 0.0) + time.process_time() - cpu
        self.texts[name] = self.texts.get(name, 0) + texts(result)
        return result


def measure(preset: str, share: float = 0.1) -> dict[str, float]:
    """Masked texts and seconds for each sentence, and their ratios, for ``"UNBIASED"`` or ``"BIASED"``."""
    from nbhelpers.language.mlm import MaskedLM
    from nbhelpers.metrics.ndd import Edit, ndd_batch
    from nbhelpers.studies.ndd import compression
    from nbhelpers.studies.ndd.span_search import candidate_spans

    settings = getattr(compression, preset)
    lm, clock = MaskedLM(), Clock()
    model, tokenizer = lm.loaded.model, lm.loaded.tokenizer
    sentences = [sentence.split() for sentence in SENTENCES]
    compression.compress(lm, sentences[-1], settings)
    plain_ndd(model, tokenizer, sentences[-1], 0, 1)
    step, offset = max(1, round(1 / share)), 0
    total = dict.fromkeys(("full", "plain", "candidates", "iterations searched"), 0)

    def full(sample):
        """By text, so that the distributions of a text are computed once for all of its candidates."""
        sent = lm.forward_requests
        for text in dict.fromkeys(text for text, _ in sample):
            spans = [span for other, span in sample if other == text]
            pairs = [(text, text[:start] + text[stop:]) for start, stop in spans]
            ndd_batch(lm, pairs, [[Edit(*span)] for span in spans], settings=settings.ndd)
        return lm.forward_requests - sent

    def plain(sample):
        for text, (start, stop) in sample:
            plain_ndd(model, tokenizer, list(text), start, stop, nu=settings.ndd.nu)
        return sum(2 * (len(text) - (stop - start)) for text, (start, stop) in sample)

    def search(texts):
        return list(compression.compress_many(lm, texts, settings))

    def requests(results):
        return sum(result.requests for result in results)

    clock.run("search", requests, search, sentences)
    for words in sentences:  # taking turns, so that all ways meet the same load of the machine
        (result,) = clock.run("one by one", requests, search, [words])
        # the texts that were searched: the source and the result of each iteration, unless the search stopped there
        texts = [result.source, *(item.words for item in result.iterations)]
        if result.stopped != compression.UNCHANGED:
            del texts[-1]
        jobs = []
        for text in texts:
            spans = candidate_spans(len(text), settings.longest_span, last_word=settings.last_word)
            jobs += [(text, span) for span in spans]
            total["full"] += len(text)
        neighbours = sum(len(text) - (stop - start) for text, (start, stop) in jobs)
        total["full"] += neighbours
        total["plain"] += 2 * neighbours
        total["candidates"] += len(jobs)
        total["iterations searched"] += len(texts)
        sample = jobs[offset::step]
        offset = (offset + 1) % step
        clock.run("plain", int, plain, sample)
        clock.run("full", int, full, sample)
    clock.run("search", requests, search, sentences)

    n = len(sentences)
    result = {name: total[name] for name in ("iterations searched", "candidates")} | {"sentences": n}
    texts = {name: total.get(name, clock.texts[name] / (2 if name == "search" else 1)) for name in clock.texts}
    for name in texts:
        result[f"texts a sentence, {name}"] = texts[name] / n
    for kind, seconds in (("wall", clock.wall), ("processor", clock.cpu)):
        each = {name: seconds[name] / clock.texts[name] * texts[name] / n for name in texts}
        result |= {f"{kind} seconds a sentence, {name}": value for name, value in each.items()}
        result |= {f"{kind} seconds, {name} / search": each[name] / each["search"] for name in ("full", "plain")}
    return result | {f"texts, {name} / search": texts[name] / texts["search"] for name in ("full", "plain")}


@pytest.mark.skipif(not os.environ.get("NBHELPERS_BENCHMARKS"), reason="opt-in: NBHELPERS_BENCHMARKS=1")
@pytest.mark.parametrize("preset", ["UNBIASED", "BIASED"])
def test_search_against_the_authors_algorithm(preset):
    result = measure(preset, share=0.05)
    print(preset, result)
    assert result["texts, plain / search"] >= 10
    assert result["processor seconds, plain / search"] >= 20


if __name__ == "__main__":
    for name in ("UNBIASED", "BIASED"):
        print(name)
        for key, value in measure(name, float(sys.argv[1]) if len(sys.argv) > 1 else 0.1).items():
            print(f"  {key:45} {value:10.2f}", flush=True)
