"""Computations on many sentences that ask the masked-LM engine and advance in step, so that they share its batches.

Such a computation is a generator that yields questions and is sent the answers. `run_together` admits only as many
sentences at a time as their distributions fit into a given amount of memory.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nbhelpers.base.errors import InputError, TextTooLongError
from nbhelpers.language.mlm import Answer, EncodedWords, MaskedLM, Question, check_words
from nbhelpers.metrics.ndd import divergence

_SENTENCES_AT_ONCE = 512
_CPU_MEMORY, _GPU_MEMORY = 2**28, 2**31
"""Bytes that all computations together keep at a time (one of them always runs), besides model and batches."""

Steps = Generator[list[Question], list[Answer], Any]
"""A computation that yields questions, is sent their answers in the same order, and returns its result."""


@dataclass(frozen=True)
class Skipped:
    """A sentence that was left out, as the model cannot take it whole, and why. It has no result."""

    source: tuple[str, ...]
    reason: str


def run_together(
    lm: MaskedLM,
    sentences: Iterable[Sequence[str]],
    make: Callable[[tuple[str, ...], int], tuple[int, Steps]],
) -> Iterator[Any]:
    """Run a computation on each sentence, many in step, and yield the results in the order of the sentences.

    A sentence that the model cannot take whole has a `Skipped` in place of its result.

    Parameters
    ----------
    lm : MaskedLM
    sentences : iterable of word sequences
        Taken and checked one by one, as there is room for them.
    make : callable
        Takes the words of a sentence and its number, and gives the bytes that the computation keeps, and the
        computation.

    Raises
    ------
    InputError
        For a sentence that is empty or no list of words, naming its number.
    """
    if isinstance(sentences, str):
        raise InputError("Sentences are given as lists of words, not as one string.")
    memory = _GPU_MEMORY if lm.loaded.device.startswith("cuda") else _CPU_MEMORY
    return _run(lm, _jobs(sentences, make), memory)


def _jobs(sentences, make) -> Iterator[tuple[int, Steps]]:
    """Bytes and computation of each sentence, checked; where a sentence is too long, the result is a `Skipped`."""

    def guarded(words: tuple[str, ...], steps: Steps) -> Steps:
        try:
            return (yield from steps)
        except TextTooLongError as error:
            return Skipped(words, str(error))

    for number, sentence in enumerate(sentences):
        try:
            words = check_words(sentence)
        except InputError as error:
            raise InputError(f"Sentence {number}: {error}") from None
        size, steps = make(words, number)
        yield size, guarded(words, steps)


def _run(lm: MaskedLM, jobs: Iterator[tuple[int, Steps]], memory: int) -> Iterator[Any]:
    """Advance the jobs, as many at a time as there is memory for, and yield their results in order."""
    waiting = next(jobs, None)
    running: list[tuple[int, int, Steps, list[Question]]] = []
    finished: dict[int, Any] = {}
    started = given = used = 0

    def step(number: int, size: int, steps: Steps, answers: list[Answer] | None) -> None:
        nonlocal used
        try:
            questions = steps.send(answers)
            while not questions:
                questions = steps.send([])
            still.append((number, size, steps, questions))
        except StopIteration as end:
            finished[number] = end.value
            used -= size

    while running or waiting is not None:
        still: list[tuple[int, int, Steps, list[Question]]] = []
        answers = iter(lm.answer([q for *_, questions in running for q in questions], divergence))
        for number, size, steps, questions in running:
            step(number, size, steps, [next(answers) for _ in questions])
        while waiting is not None and len(still) < _SENTENCES_AT_ONCE and (not still or used + waiting[0] <= memory):
            used += waiting[0]
            step(started, *waiting, None)
            started += 1
            waiting = next(jobs, None)
        running = still
        while given in finished:
            yield finished.pop(given)
            given += 1


def distributions(lm: MaskedLM, words: Sequence[str], known: dict[int, Any] | None = None) -> Steps:
    """Distribution of every word of a text, masked in turn: a list of tensors (masked positions, vocabulary).

    Those in `known`, by position, are taken over and not asked for.
    """
    encoded, known = lm.encode(words), known or {}
    requests = [lm.request(encoded, index) for index in range(len(words))]
    counts = [len(request.positions) for request in requests]
    stores = lm.room(sum(counts)).split(counts)  # one block, as many small ones would scatter the memory
    for index, rows in known.items():
        stores[index].copy_(rows)
    yield [Question(requests[index], store=stores[index]) for index in range(len(words)) if index not in known]
    return list(stores)


def surprisal_question(lm: MaskedLM, encoded: EncodedWords, index: int) -> Question:
    """Ask for the log-probabilities of a word's pieces, all masked at once (as in `ndd.pseudo_perplexity`)."""
    start, stop = encoded.spans[index]
    return Question(lm.request(encoded, index, mask="pieces"), targets=encoded.input_ids[start:stop])
