"""Exact search for the spans of a sentence that can go, without measuring every one of them to the end.

An NDD is a sum of weighted divergences, none of them negative, so the part of the sum known so far is a lower bound.
That decides most candidates after one or two of their neighbours:

* a span whose lower bound reaches the threshold is rejected;
* under the authors' overlap rule a span also loses once its lower bound passes the NDD of an overlapping span that is
  measured to the end. A beaten span can still beat another one, so it is measured on for as long as its lower bound
  lies below the NDD of an unbeaten neighbour, and no longer.

NDD is not monotone: a span can disturb its neighbours less than a part of it does. So what is known of a part decides
nothing about the whole, and only a span's own sum is used as a bound.

Every candidate is first measured at one word beside it. Then those go on that promise the lowest NDD where they stand,
since under the authors' rule a low one that is known to the end beats many others at once.

What is left out could not have changed a decision: the spans selected and their NDDs are those of a full search.

A search is a computation that `nbhelpers.studies.ndd.together` runs for many sentences in step.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbhelpers.language.mlm import Answer, MaskedLM, Question
from nbhelpers.metrics.ndd import Edit, NDDSettings, neighbour_weights
from nbhelpers.studies.ndd.together import Steps, surprisal_question

OVERLAP_RULES = ("code", "paper")

TIE = 1e-5
"""Terms of an NDD closer than this (nats) count as equal: the engine is no more exact (see `tie_within`)."""

_FADING = 1.5
"""Divergences fall with distance d from the edit about as (1 + d)^-1.5. This orders the questions, nothing else."""

_PIECES_A_WAVE = 16_384
"""Bound on the pieces that one sentence sends to the engine at once."""


# Spans and the rules for overlapping ones ----------------------------------------------------------------------------


@dataclass(frozen=True)
class ScoredSpan:
    """The words ``start`` to ``stop - 1`` (0-based) of a text and the NDD of deleting them.

    One whose NDD is lower by no more than `tie` (nats) is tied with it (see `tie_within`).
    """

    start: int
    stop: int
    ndd: float
    tie: float = TIE

    def overlaps(self, other: ScoredSpan) -> bool:
        """Whether the two have a word in common."""
        return self.start < other.stop and other.start < self.stop

    def is_below(self, other: ScoredSpan) -> bool:
        """Whether this one's NDD is lower, and the two are not tied."""
        return self.ndd < other.ndd - other.tie


def candidate_spans(length: int, longest: int, *, last_word: bool = True) -> list[tuple[int, int]]:
    """Spans of 1 to `longest` words of a text of `length` words, as (start, stop), never the whole text.

    Without `last_word` no span holds the last word.
    """
    end = length if last_word else length - 1
    return [(start, start + size) for size in range(1, min(longest, length - 1) + 1) for start in range(end - size + 1)]


def tie_within(weights: np.ndarray) -> float:
    """How much lower another NDD must be than one with these weights to be lower by more than rounding, in nats.

    Rounding is weighted as the terms are: where a bias makes all weights of a late span tiny, so is its rounding.
    """
    return TIE * min(1.0, float(weights.sum()))


def rising(spans: Iterable[ScoredSpan]) -> list[ScoredSpan]:
    """Spans by rising NDD, tied ones (see `tie_within`) by start, then by stop."""
    ordered: list[ScoredSpan] = []
    tied: list[ScoredSpan] = []
    for span in sorted(spans, key=lambda span: span.ndd):
        if tied and tied[0].is_below(span):
            ordered += sorted(tied, key=lambda span: (span.start, span.stop))
            tied = []
        tied.append(span)
    return ordered + sorted(tied, key=lambda span: (span.start, span.stop))


def select_spans(spans: Sequence[ScoredSpan], rule: str = "code") -> list[ScoredSpan]:
    """Choose among overlapping spans.

    Parameters
    ----------
    spans : sequence of ScoredSpan
        Spans whose NDD is below the threshold.
    rule : {"code", "paper"}
        * ``code``, the authors' code: a span is dropped when any span that overlaps it has a lower NDD, even if that
          one is itself dropped. Ties stay, both of them, and their union is deleted.
        * ``paper``, section 4.2 as written: of two overlapping spans the one with the *lower* NDD is deleted, until
          no two overlap. The order, which the paper leaves open and on which the result depends, is from left to
          right: the first span (by start, then by stop) is compared with those that overlap it, in the same order,
          until it loses or none is left. A tie deletes the later one.

    Returns
    -------
    list of ScoredSpan
        By start, then by stop.
    """
    ordered = sorted(spans, key=lambda span: (span.start, span.stop))
    if rule == "code":
        return [s for s in ordered if not any(s.overlaps(t) and t.is_below(s) for t in ordered)]
    kept: list[ScoredSpan] = []
    while ordered:
        first, *rest = ordered
        ordered = []
        for position, other in enumerate(rest):
            if not first.overlaps(other):
                ordered.append(other)
            elif first.is_below(other):  # the lower one goes, and the next one becomes the first
                ordered += rest[position:]
                break
        else:
            kept.append(first)
    return kept


# The search ----------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def _plan(length: int, start: int, stop: int, settings: NDDSettings):
    """Weight of each neighbour, the order to visit them in, and the share of the NDD to be expected from each.

    The words next to the span come first: their requests serve two candidates.
    """
    distances, weights = neighbour_weights(length, [Edit(start, stop)], settings)
    expected = weights * (1.0 + distances - settings.nearest) ** -_FADING
    near = [index for index in (start, start - 1) if 0 <= index < len(weights)]
    order = near + [int(index) for index in np.argsort(-expected, kind="stable") if index not in near]
    return weights, np.array(order), expected[order] / expected.sum()


_Term = tuple[int, int]
"""One term of a candidate's sum: the candidate, and its place in the order of the plan."""


class _Search:
    """State of one search; arrays have one entry for each candidate."""

    def __init__(self, lm, words, references, spans, threshold, rule, settings) -> None:
        self.lm, self.words, self.references, self.spans = lm, tuple(words), references, spans
        self.threshold, self.rule, self.settings = threshold, rule, settings
        # unedited words keep their pieces, also where they become the first one
        self.spaces = lm.default_spaces(len(words))
        self.number = {span: c for c, span in enumerate(spans)}
        starts, stops = np.array(spans).T
        count = len(spans)
        self.total = len(words) - (stops - starts)
        self.near = (starts > 0).astype(int) + (stops < len(words))
        self.near_seen = np.zeros((count, 2), dtype=bool)
        self.seen = np.zeros(count, dtype=int)
        self.lower = np.zeros(count)
        self.tie = np.array([tie_within(self._plan(c)[0]) for c in range(count)])
        self.share = np.zeros(count)
        # every (candidate, word) pair, by candidate: two spans overlap when they share a word
        self.first = np.concatenate([[0], np.cumsum(stops - starts)[:-1]])
        self.owner = np.repeat(np.arange(count), stops - starts)
        self.word = np.arange(len(self.owner)) - self.first[self.owner] + starts[self.owner]

    def _overlapping(self, chosen: np.ndarray, values: np.ndarray, reduce: np.ufunc, empty: float) -> np.ndarray:
        """For each candidate the least (or greatest) value among the chosen ones that overlap it, itself included."""
        by_word = np.full(len(self.words), empty)
        pairs = chosen[self.owner]
        reduce.at(by_word, self.word[pairs], values[self.owner[pairs]])
        return reduce.reduceat(by_word[self.word], self.first)

    def choose(self) -> np.ndarray:
        """The candidates to measure on, most promising first; none when every decision stands."""
        done, possible = self.seen == self.total, self.lower < self.threshold
        beaten, may_beat = np.zeros_like(done), np.zeros_like(done)
        if self.rule == "code":
            lowest = self._overlapping(done & possible, self.lower, np.minimum, np.inf)
            beaten = lowest < self.lower - self.tie
            highest = self._overlapping(done & possible & ~beaten, self.lower - self.tie, np.maximum, -np.inf)
            may_beat = self.lower < highest
        self.wanted = ~done & possible & (~beaten | may_beat)
        chosen = np.flatnonzero(self.wanted)
        new = chosen[self.seen[chosen] == 0]
        if len(new) or not len(chosen):
            return new
        projected = self.lower / np.maximum(self.share, 1e-300)
        if self.rule == "code":  # a span with a lower one beside it will probably be beaten: it waits
            lowest = self._overlapping(self.wanted, projected, np.minimum, np.inf)
            chosen = chosen[projected[chosen] <= lowest[chosen]]
        return chosen[np.argsort(projected[chosen], kind="stable")]

    def ask(self, chosen: np.ndarray) -> list[tuple[Question, list[_Term]]]:
        """Questions about the chosen candidates, each with the terms of sums that its answer gives."""
        room = max(1, _PIECES_A_WAVE // (len(self.words) + 2))
        served: set[int] = set()
        questions: list[tuple[Question, list[_Term]]] = []
        for c in map(int, chosen):
            if room <= len(questions):
                break
            near = self.near_seen[c].sum() < self.near[c]
            if near and c in served:
                continue
            done = int(self.seen[c])
            places = range(done, min(done + max(2, done // 2), int(self.total[c]), done + room - len(questions)))
            start, stop = self.spans[c]
            spaces = self.spaces[:start] + self.spaces[stop:]
            encoded = self.lm.encode(self.words[:start] + self.words[stop:], spaces)
            for place in [int(np.argmin(self.near_seen[c]))] if near else places:
                terms, index = [(c, place)], self._index(c, place)
                partner = self._partner(c, index) if near else None
                if partner is not None:
                    terms.append(partner)
                    served.add(partner[0])
                references = tuple(self._reference(*term) for term in terms)
                questions.append((Question(self.lm.request(encoded, index), references), terms))
        return questions

    def read(self, asked: Sequence[tuple[Question, list[_Term]]], answers: Sequence[Answer]) -> None:
        """Add the answers to the sums."""
        for (_, terms), reply in zip(asked, answers):
            for (c, place), value in zip(terms, reply.divergences):
                weights, order, shares = self._plan(c)
                self.lower[c] += weights[order[place]] * value
                self.share[c] += shares[place]
                self.seen[c] += 1
                if place < self.near[c]:
                    self.near_seen[c, place] = True

    def _plan(self, c: int):
        return _plan(len(self.words), *self.spans[c], self.settings)

    def _index(self, c: int, place: int) -> int:
        """Position of a neighbour in the edited text."""
        return int(self._plan(c)[1][place])

    def _reference(self, c: int, place: int):
        (start, stop), index = self.spans[c], self._index(c, place)
        return self.references[index if index < start else index + stop - start]

    def _partner(self, c: int, index: int) -> _Term | None:
        """The other candidate, and the place in its order, that a request next to a span serves as well.

        With one mask for a word, deleting words a to b-1 and masking word b gives the same text as deleting words
        a+1 to b and masking word a.
        """
        if self.lm.mask != "word":
            return None
        start, stop = self.spans[c]
        step = 1 if index == start else -1
        other = self.number.get((start + step, stop + step))
        if other is None or not self.wanted[other]:
            return None
        # the word after a span comes first; the word before it second, or first where none comes after
        place = int(self.near[other] == 2) if step == 1 else 0
        return None if self.near_seen[other, place] else (other, place)

    def found(self) -> list[ScoredSpan]:
        """The spans below the threshold that were measured to the end."""
        done = np.flatnonzero((self.seen == self.total) & (self.lower < self.threshold))
        return [ScoredSpan(*self.spans[c], float(self.lower[c]), float(self.tie[c])) for c in done]


def search_spans(
    lm: MaskedLM,
    words: Sequence[str],
    references: Sequence[Any],
    spans: Sequence[tuple[int, int]],
    *,
    threshold: float,
    rule: str,
    settings: NDDSettings,
) -> Steps:
    """Search a text for the spans whose deletion has an NDD below `threshold`.

    Parameters
    ----------
    words : sequence of str
        The text.
    references : sequence of torch.Tensor
        Its distributions (see `nbhelpers.studies.ndd.together.distributions`), one entry for each word.
    spans : sequence of (start, stop)
        Candidates, see `candidate_spans`; at least one.
    rule : str
        See `select_spans`. Under ``code`` beaten spans are not measured to the end; the other rule needs every NDD
        below the threshold.
    settings : NDDSettings

    Returns
    -------
    list of ScoredSpan
        Those below the threshold whose NDD is known, as the result of the computation (see `Steps`); `select_spans`
        finds the same ones in them as in all.
    """
    search = _Search(lm, words, references, list(spans), threshold, rule, settings)
    while len(chosen := search.choose()):
        asked = search.ask(chosen)
        search.read(asked, (yield [question for question, _ in asked]))
    return search.found()


# Deletions that keep a text fluent ------------------------------------------------------------------------------------


def surprisals(lm: MaskedLM, words: Sequence[str]) -> Steps:
    """Surprisal of every word of a text, masked in turn, in nats: a list of numbers, at least 0.

    Their sum over the number of pieces is the logarithm of the pseudo-perplexity.
    """
    encoded = lm.encode(words)
    answers = yield [surprisal_question(lm, encoded, index) for index in range(len(words))]
    return [max(0.0, -sum(reply.log_probabilities)) for reply in answers]


def least_perplexity(
    lm: MaskedLM, words: Sequence[str], spans: Sequence[tuple[int, int]], before: Sequence[float]
) -> Steps:
    """Find the span whose deletion leaves the text of lowest pseudo-perplexity.

    Exact with early exit: a surprisal is never negative, so a text is out once the part of the sum known so far, over
    the number of pieces, reaches the best text's mean.

    Parameters
    ----------
    spans : sequence of (start, stop)
        At least one; see `candidate_spans`.
    before : sequence of float
        Surprisal of each word of `words`. It says in which order to ask, and changes no result.

    Returns
    -------
    (float, (int, int), list of float)
        Mean surprisal per piece (nats), the span, and the surprisal of each word that is left, as the result of the
        computation (see `Steps`).
    """
    words = tuple(words)
    texts = [words[:start] + words[stop:] for start, stop in spans]
    old = [tuple(before[:start]) + tuple(before[stop:]) for start, stop in spans]
    orders, pieces = [], []
    for (start, _), text, expected in zip(spans, texts, old):
        near = [index for index in (start, start - 1) if 0 <= index < len(text)]
        orders.append(near + sorted(set(range(len(text))) - set(near), key=lambda index: -expected[index]))
        pieces.append(sum(stop - start for start, stop in lm.encode(text).spans))
    known: list[list[float]] = [[] for _ in spans]  # surprisals in these orders, as far as they were asked for
    room = max(1, _PIECES_A_WAVE // (len(words) + 2))

    def mean(c: int, ahead: float = 0.0) -> float:
        return (sum(known[c]) + ahead) / pieces[c]

    while True:
        done = [c for c in range(len(spans)) if len(known[c]) == len(texts[c])]
        best = min(map(mean, done), default=np.inf)
        possible = [c for c in range(len(spans)) if len(known[c]) < len(texts[c]) and mean(c) < best]
        if not possible:
            break
        chosen = [c for c in possible if not known[c]]
        if not chosen:  # the words not asked for yet will have about what they had in the longer text
            guess = {c: mean(c, sum(old[c][index] for index in orders[c][len(known[c]) :])) for c in possible}
            chosen = sorted(possible, key=guess.__getitem__)
            if not done:
                chosen = [c for c in chosen if guess[c] <= 1.05 * guess[chosen[0]]]
        asked: list[tuple[int, int]] = []
        for c in chosen:
            first, reach = len(known[c]), sum(known[c])
            for place, index in enumerate(orders[c][first:]):
                # at least two words, then as many as will probably settle it
                if len(asked) >= room or (place >= 2 and (not first or reach > best * pieces[c])):
                    break
                reach += old[c][index]
                asked.append((c, index))
        answers = yield [surprisal_question(lm, lm.encode(texts[c]), index) for c, index in asked]
        for (c, _), reply in zip(asked, answers):
            known[c].append(max(0.0, -sum(reply.log_probabilities)))
    c = min(done, key=mean)
    return mean(c), spans[c], [value for _, value in sorted(zip(orders[c], known[c]))]
