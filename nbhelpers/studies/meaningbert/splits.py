"""Parts for training, development and test, and the pairs that the MeaningBERT study adds to the training part.

The study (section 3.4) splits 60-10-30 "with simple random sampling, resulting in 853 training samples", once for each
seed from 42 to 51. 853 of 1,355 are 63 %: the test part is 30 % of all pairs and the development part 10 % of what is
left, both rounded up. `random_split` draws as the authors' script does, so seed 42 on the pairs in the order in which
that script put them together (`construction_order`) gives the published parts, pair for pair.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from nbhelpers.base.errors import InputError
from nbhelpers.language.tokens import content_stems
from nbhelpers.resources.csmd import Csmd, RatedPair, normalized

Item = TypeVar("Item")

TEST_SHARE, DEV_SHARE = 0.3, 0.1
"""Of all pairs, and of those that the test part leaves."""

PUBLISHED_SEED = 42
"""The seed of the parts that CSMD is published in."""


class Split(NamedTuple):
    """Three parts of a list, as positions in it (from 0); every position is in one part, and no part is empty."""

    train: tuple[int, ...]
    dev: tuple[int, ...]
    test: tuple[int, ...]

    def parts(self, items: Sequence[Item]) -> tuple[list[Item], list[Item], list[Item]]:
        """The items of the training, development and test part."""
        train, dev, test = ([items[position] for position in part] for part in self)
        return train, dev, test


def _sizes(count: int) -> tuple[int, int]:
    """Pairs in the test and in the development part."""
    test = math.ceil(TEST_SHARE * count)
    return test, math.ceil(DEV_SHARE * (count - test))


def random_split(count: int, seed: int) -> Split:
    """Simple random parts: 30 % for test, 10 % of the rest for development.

    It draws as ``datasets.Dataset.train_test_split`` does twice in the authors' script (NumPy's default generator,
    started anew with the same seed for the second draw), so equal seeds give the study's own parts.

    Parameters
    ----------
    count : int
        Number of pairs, at least 3.
    seed : int
        The study's ten folds have 42 to 51.
    """
    test, dev = _sizes(count)
    order = np.random.default_rng(seed).permutation(count)
    rest = order[test:]
    again = np.random.default_rng(seed).permutation(len(rest))
    return Split(tuple(rest[again[dev:]].tolist()), tuple(rest[again[:dev]].tolist()), tuple(order[:test].tolist()))


def grouped_split(sources: Sequence[str], seed: int) -> Split:
    """Random parts of the same sizes, but with every source sentence in one part only.

    Source sentences, compared as `nbhelpers.resources.csmd.normalized` gives them, are put in random order and taken
    for the test part until it is as near its size as whole groups allow, then for the development part, then for
    training. (Scikit-learn's GroupShuffleSplit counts groups, not rows, and groups differ in size here.)

    Parameters
    ----------
    sources : sequence of str
        The source sentence of each pair; three different ones at least.
    seed : int

    Examples
    --------
    >>> split = grouped_split(["A.", "A.", "B.", "B.", "C.", "D."], seed=0)
    >>> sorted(place for part in split for place in part)
    [0, 1, 2, 3, 4, 5]
    """
    groups: dict[str, list[int]] = {}
    for position, source in enumerate(sources):
        groups.setdefault(normalized(source), []).append(position)
    order = np.random.default_rng(seed).permutation(len(groups))
    shuffled = [list(groups.values())[place] for place in order]
    ends = np.cumsum([len(group) for group in shuffled])
    test, dev = _sizes(len(sources))
    # As many groups as come nearest to the size, but at least one for each part.
    first = min(int(np.abs(ends - test).argmin()), len(groups) - 3)
    second = int(np.abs(ends - ends[first] - dev).argmin())
    second = min(max(second, first + 1), len(groups) - 2)

    def positions(some: list[list[int]]) -> tuple[int, ...]:
        return tuple(sorted(position for group in some for position in group))

    return Split(
        positions(shuffled[second + 1 :]), positions(shuffled[first + 1 : second + 1]), positions(shuffled[: first + 1])
    )


def construction_order(csmd: Csmd) -> tuple[RatedPair, ...]:
    """The pairs in the order in which the authors' script put them together, before it shuffled them.

    ASSET comes first, then SimpDA-2022, Simplicity-DA and QuestEval, each in the order of its own file; that the order
    is right is seen from that (`nbhelpers.studies.meaningbert.audits.origins`). Split this list with `random_split`
    and the seeds 42 to 51 to have the study's ten folds.

    Raises
    ------
    InputError
        If the parts do not have the sizes of a random split.
    """
    split = random_split(len(csmd.pairs), PUBLISHED_SEED)
    sizes, published = [len(part) for part in split], [len(csmd.train), len(csmd.dev), len(csmd.test)]
    if sizes != published:
        raise InputError(f"The parts have {published} pairs; a random split of as many pairs has {sizes}.")
    places = [position for part in split for position in part]
    return tuple(pair for _, pair in sorted(zip(places, csmd.pairs), key=lambda placed: placed[0]))


# ------------------------------------------------------------------------------------------------- augmentation


def augment(pairs: Sequence[RatedPair], *, seed: int) -> tuple[RatedPair, ...]:
    """A training part with the study's augmentation (section 3.4).

    Two pairs are added for every different source sentence: the sentence with itself, rated 100, and the sentence with
    an unrelated one, rated 0. Unrelated is the source sentence of another pair that shares no content word (compared by
    stem); all are used about equally often.

    Parameters
    ----------
    pairs : sequence of RatedPair
        The training part alone, so that no sentence of another part gets into it.
    seed : int
        Of the order in which unrelated sentences are tried.

    Returns
    -------
    tuple of RatedPair
        The given pairs, then identical, then unrelated ones. Added pairs have the `row` of the pair whose source they
        take, and the `origin` ``identical`` or ``unrelated``.

    Raises
    ------
    InputError
        For a source sentence that shares a content word with every other one.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import RatedPair
    >>> pairs = [RatedPair("The rain stopped.", "Rain fell.", 80, 1), RatedPair("He left.", "He went.", 70, 2)]
    >>> [(pair.source, pair.candidate, pair.rating) for pair in augment(pairs, seed=0)[2:4]]
    [('The rain stopped.', 'The rain stopped.', 100.0), ('He left.', 'He left.', 100.0)]
    """
    first_rows: dict[str, RatedPair] = {}
    for pair in pairs:
        first_rows.setdefault(normalized(pair.source), pair)
    chosen = tuple(first_rows.values())
    waiting = deque(chosen[place].source for place in np.random.default_rng(seed).permutation(len(chosen)))
    identical, other = [], []
    for pair in chosen:
        identical.append(replace(pair, candidate=pair.source, rating=100.0, origin="identical"))
        words = content_stems(pair.source)
        others = (text for text in waiting if normalized(text) != normalized(pair.source))
        found = next((text for text in others if not words & content_stems(text)), None)
        if found is None:
            raise InputError(f"Every unrelated sentence shares a content word with the source of row {pair.row}.")
        waiting.remove(found)
        waiting.append(found)
        other.append(replace(pair, candidate=found, rating=0.0, origin="unrelated"))
    return (*pairs, *identical, *other)
