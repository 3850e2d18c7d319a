"""Computations on many sentences that ask the masked-LM engine and advance in step, so that they share its batches.

Such a computation is a generator that yields questions and is sent the answers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nbhelpers.base.errors import InputError, TextTooLongError
from nbhelpers.language.mlm import Answer, EncodedWords, MaskedLM, Question, check_words
from nbhelpers.metrics.ndd import divergence

_AT_ONCE = 16
"""Sentences that advance in step: they fill the engine's batches, and their distributions fit into memory."""

Steps = Generator[list[Question], list[Answer], Any]
"""A computation that yields questions, is sent their answers in the same order, and returns its result."""


@dataclass(frozen=True)
class Skipped:
    """A sentence that was left out, as the model cannot take it whole, and why. It has no result."""

    source: tuple[str, ...]
    reason: str


def run_together(
    lm: MaskedLM, sentences: Iterable[Sequence[str]], make: Callable[[tuple[str, ...], int], Steps]
) -> Iterator[Any]:
    """Run a computation on each sentence, many in step, and yield the results in the order of the sentences.

    A sentence that the model cannot take whole has a `Skipped` in place of its result.

    Parameters
    ----------
    lm : MaskedLM
    sentences : iterable of word sequences
        Taken and checked a few at a time.
    make : callable
        Takes the words of a sentence and its number, and gives the computation.

    Raises
    ------
    InputError
        For a sentence that is empty or no list of words, naming its number.
    """
    if isinstance(sentences, str):
        raise InputError("Sentences are given as lists of words, not as one string.")
    jobs = _jobs(sentences, make)
    chunks = iter(lambda: list(itertools.islice(jobs, _AT_ONCE)), [])
    return itertools.chain.from_iterable(_in_step(lm, chunk) for chunk in chunks)


def _jobs(sentences, make) -> Iterator[Steps]:
    """The computation of each sentence, checked; where a sentence is too long, the result is a `Skipped`."""

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
        yield guarded(words, make(words, number))


def _in_step(lm: MaskedLM, jobs: Sequence[Steps]) -> list[Any]:
    """Results of computations whose questions are asked together."""
    asked: dict[int, list[Question]] = {number: [] for number in range(len(jobs))}
    results: list[Any] = [None] * len(jobs)
    first = True
    while asked:
        answers = iter(lm.answer([question for own in asked.values() for question in own], divergence))
        for number, questions in list(asked.items()):
            try:
                asked[number] = jobs[number].send(None if first else [next(answers) for _ in questions])
            except StopIteration as end:
                results[number] = end.value
                del asked[number]
        first = False
    return results


def distributions(lm: MaskedLM, words: Sequence[str]) -> Steps:
    """Distribution of every word of a text, masked in turn: a list of tensors (masked positions, vocabulary)."""
    encoded = lm.encode(words)
    requests = [lm.request(encoded, index) for index in range(len(words))]
    counts = [len(request.positions) for request in requests]
    stores = lm.room(sum(counts)).split(counts)  # one block, as many small ones would scatter the memory
    yield [Question(request, store=store) for request, store in zip(requests, stores)]
    return list(stores)


def surprisal_question(lm: MaskedLM, encoded: EncodedWords, index: int) -> Question:
    """Ask for the log-probabilities of a word's pieces, all masked at once (as in `ndd.pseudo_perplexity`)."""
    start, stop = encoded.spans[index]
    return Question(lm.request(encoded, index, mask="pieces"), targets=encoded.input_ids[start:stop])
