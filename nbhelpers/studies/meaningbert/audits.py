"""What to know about rated pairs before a model is trained on them: repeats, leakage, and where the labels come from.

Each function looks at pairs and answers with a small record of counts; ``sentence`` says it in words, ``table`` gives
rows for a notebook. Texts are compared as `nbhelpers.resources.csmd.normalized` gives them, and rows are named by
their number in the list given, from 1. Nothing is printed and nothing is changed.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate, correlation
from nbhelpers.metrics import load
from nbhelpers.resources.csmd import COLLECTIONS, Csmd, RatedPair, SourceRatings, normalized
from nbhelpers.studies.meaningbert.splits import PUBLISHED_SEED, construction_order, random_split

TOLERANCE = 1e-6
"""Ratings that differ by no more are the same: files round the mean of the same annotators differently."""


def _key(pair: RatedPair) -> tuple[str, str]:
    return normalized(pair.source), normalized(pair.candidate)


def _pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson's correlation; None where it is not defined."""
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])


def _checked(pairs: Sequence[RatedPair], name: str = "pairs") -> tuple[RatedPair, ...]:
    pairs = tuple(pairs)
    if not pairs:
        raise InputError(f"There are no {name} to look at.")
    return pairs


# ------------------------------------------------------------------------------------------ repeats and leakage


@dataclass(frozen=True)
class Duplicates:
    """Pairs whose two texts occur more than once.

    Attributes
    ----------
    rows : int
        Pairs looked at.
    repeats : int
        Rows that repeat an earlier one: `rows` less the number of different pairs.
    groups : int
        Different pairs that occur more than once.
    disagreeing : int
        Those of them whose ratings are not all the same.
    largest_difference : float
        Between two ratings of the same pair, in points of 100.
    between : mapping
        Different pairs that occur in both of two parts.
    """

    rows: int
    repeats: int
    groups: int
    disagreeing: int
    largest_difference: float
    between: Mapping[tuple[str, str], int]

    @property
    def sentence(self) -> str:
        """The finding in words."""
        if not self.groups:
            return f"None of {self.rows:,} pairs occurs twice."
        shared = "".join(f" {n} in both {a} and {b}." for (a, b), n in self.between.items() if n)
        return (
            f"{self.repeats} of {self.rows:,} rows repeat an earlier pair; of the {self.groups} pairs that occur more "
            f"than once, {self.disagreeing} have ratings that differ, by up to {self.largest_difference:.1f}.{shared}"
        )


def duplicates(pairs: Sequence[RatedPair] | Mapping[str, Sequence[RatedPair]]) -> Duplicates:
    """Pairs that occur more than once, in one list or within and between named parts.

    Raises
    ------
    InputError
        For no pairs at all.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import RatedPair
    >>> pairs = [RatedPair("It rained.", "Rain fell.", 80, 1), RatedPair("He left.", "He went.", 70, 2)]
    >>> duplicates(pairs * 2).sentence[:40]
    '2 of 4 rows repeat an earlier pair; of t'
    """
    parts = pairs if isinstance(pairs, Mapping) else {"": pairs}
    found: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for part, some in parts.items():
        for pair in some:
            found.setdefault(_key(pair), []).append((part, pair.rating))
    rows = len(_checked([one for some in found.values() for one in some]))
    groups = [some for some in found.values() if len(some) > 1]
    spans = [float(np.ptp([rating for _, rating in some])) for some in groups]
    named = [{part for part, _ in some} for some in groups]
    return Duplicates(
        rows=rows,
        repeats=rows - len(found),
        groups=len(groups),
        disagreeing=sum(span > TOLERANCE for span in spans),
        largest_difference=max(spans, default=0.0),
        between={two: sum(set(two) <= names for names in named) for two in itertools.combinations(parts, 2)},
    )


@dataclass(frozen=True)
class Leakage:
    """What another part shares with the training part.

    Attributes
    ----------
    rows, leaking_rows : int
        Pairs of the other part, and those whose source sentence is in the training part, too.
    sources, leaking_sources : int
        The same, counted in different source sentences.
    exact_rows, exact_pairs : int
        Rows of the other part whose pair is in the training part, and the number of different pairs they hold.
    """

    rows: int
    leaking_rows: int
    sources: int
    leaking_sources: int
    exact_rows: int
    exact_pairs: int

    @property
    def clean_rows(self) -> int:
        """Rows whose source sentence is not in the training part."""
        return self.rows - self.leaking_rows

    @property
    def sentence(self) -> str:
        """The finding in words."""
        both = "1 pair is" if self.exact_pairs == 1 else f"{self.exact_pairs} pairs are"
        return (
            f"{self.leaking_rows} of {self.rows:,} rows ({self.leaking_sources} of {self.sources} source sentences) "
            f"share their source sentence with the training part, and {both} in both; "
            f"{self.clean_rows} rows are clean."
        )


def source_leakage(train: Sequence[RatedPair], other: Sequence[RatedPair]) -> Leakage:
    """Rows of a part whose source sentence, or whole pair, the training part has seen.

    Raises
    ------
    InputError
        If one of the parts is empty.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import RatedPair
    >>> pairs = [RatedPair("It rained.", "Rain fell.", 80, 1), RatedPair("He left.", "He went.", 70, 2)]
    >>> source_leakage(pairs[:1], pairs).leaking_rows
    1
    """
    train, other = _checked(train, "training pairs"), _checked(other, "other pairs")
    known, known_sources = {_key(pair) for pair in train}, {normalized(pair.source) for pair in train}
    sources = [normalized(pair.source) for pair in other]
    exact = [_key(pair) for pair in other if _key(pair) in known]
    return Leakage(
        rows=len(other),
        leaking_rows=sum(source in known_sources for source in sources),
        sources=len(set(sources)),
        leaking_sources=len(set(sources) & known_sources),
        exact_rows=len(exact),
        exact_pairs=len(set(exact)),
    )


def unseen(train: Sequence[RatedPair], other: Sequence[RatedPair]) -> list[RatedPair]:
    """Pairs of a part whose source sentence the training part has not: those that `Leakage.clean_rows` counts.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import RatedPair
    >>> pairs = [RatedPair("It rained.", "Rain fell.", 80, 1), RatedPair("He left.", "He went.", 70, 2)]
    >>> [pair.source for pair in unseen(pairs[:1], pairs)]
    ['He left.']
    """
    seen = {normalized(pair.source) for pair in train}
    return [pair for pair in other if normalized(pair.source) not in seen]


# -------------------------------------------------------------------------------------------------------- labels


def label_overlap(pairs: Sequence[RatedPair]) -> dict[str, Estimate]:
    """Pearson's correlation of the ratings with how many words the texts share, for each origin.

    Needs no other file: people rate a pair higher when more of its words are kept (the metric ``token-f1``), so ratings
    that have nothing to do with it may sit on other pairs. Origins with fewer than three pairs, or in which the ratings
    or the overlaps are all the same, are left out.

    Raises
    ------
    InputError
        For no pairs.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import RatedPair
    >>> kept = ["A cat sat.", "A cat ran.", "A dog ran.", "It rained."]
    >>> pairs = [RatedPair("A cat sat.", text, 90 - 20 * row, row, "own") for row, text in enumerate(kept)]
    >>> round(label_overlap(pairs)["own"].value, 2)
    1.0
    """
    pairs = _checked(pairs)
    overlaps = load("token-f1")([pair.source for pair in pairs], [pair.candidate for pair in pairs])
    groups: dict[str, list[tuple[float, float]]] = {}
    for pair, overlap in zip(pairs, overlaps):
        groups.setdefault(pair.origin, []).append((overlap, pair.rating))
    columns = {origin: np.array(some).T for origin, some in groups.items() if len(some) > 2}
    return {origin: correlation(*some, "pearson") for origin, some in columns.items() if np.ptp(some, axis=1).min() > 0}


@dataclass(frozen=True)
class Provenance:
    """Labels beside the ratings that they were made from.

    Attributes
    ----------
    collection : str
    rows, matched : int
        Pairs looked at, and those that the collection holds.
    pearson : float or None
        Of labels and source ratings over the matched rows; None where it is not defined.
    equal : int
        Matched rows whose label is the rating of their own pair.
    sorted_difference : float or None
        Largest difference between the two lists when each is sorted: 0 means the same labels, whatever their order.
    """

    collection: str
    rows: int
    matched: int
    pearson: float | None
    equal: int
    sorted_difference: float | None

    @property
    def permuted(self) -> bool:
        """Whether the labels are those of the collection, but on other pairs."""
        return self.matched > self.equal and self.sorted_difference <= TOLERANCE

    @property
    def sentence(self) -> str:
        """The finding in words."""
        if not self.matched:
            return f"None of {self.rows:,} rows is in {self.collection}."
        text = f"{self.matched} of {self.rows:,} rows are in {self.collection}: "
        if self.equal == self.matched:
            return f"{text}every label is the rating of its pair."
        relation = "is not defined" if self.pearson is None else f"{self.pearson:+.3f}"
        text += f"{self.equal} labels are the rating of their pair, correlation {relation}. "
        if self.permuted:
            return text + "Sorted, both lists are the same: the labels are on the wrong pairs."
        return text + f"Sorted, the lists differ by up to {self.sorted_difference:.2f}."


def label_provenance(pairs: Sequence[RatedPair], ratings: SourceRatings) -> Provenance:
    """Compare labels with the ratings of the collection that they come from, pair by pair.

    Where the collection rates a pair more than once, the rating nearest to the label is taken.

    Raises
    ------
    InputError
        For no pairs.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import read_csmd, read_source_ratings
    >>> ratings = read_source_ratings()["SimpDA-2022"]  # doctest: +SKIP
    >>> label_provenance(read_csmd().pairs, ratings).equal  # doctest: +SKIP
    23
    """
    pairs = _checked(pairs)
    matched = [
        (pair.rating, min(given, key=lambda rating: abs(rating - pair.rating)))
        for pair in pairs
        if (given := ratings.of(pair.source, pair.candidate))
    ]
    if not matched:
        return Provenance(ratings.name, len(pairs), 0, None, 0, None)
    labels, sources = np.array(matched).T
    return Provenance(
        collection=ratings.name,
        rows=len(pairs),
        matched=len(matched),
        pearson=_pearson(labels, sources),
        equal=int((np.abs(labels - sources) <= TOLERANCE).sum()),
        sorted_difference=float(np.abs(np.sort(labels) - np.sort(sources)).max()),
    )


# ----------------------------------------------------------------------------------------- origins and correction


@dataclass(frozen=True)
class Origins:
    """Pairs with the collection that each comes from.

    Attributes
    ----------
    pairs : tuple of RatedPair
        In the order given, with `origin` set; "unknown" where nothing tells.
    counts : mapping
        Rows of each collection.
    """

    pairs: tuple[RatedPair, ...]
    counts: Mapping[str, int]


def origins(csmd: Csmd, sources: Mapping[str, SourceRatings]) -> Origins:
    """Which collection each of ``csmd.pairs`` comes from.

    A row is matched with the collections that hold its pair: first where the rating is the same, too; then rows that
    are left over with entries that are. QuestEval's file is not needed: if the rows that match nothing all stand at
    the end of the list that the authors' script put together, after the three other collections, they are QuestEval's.

    Parameters
    ----------
    csmd : Csmd
    sources : mapping
        `nbhelpers.resources.csmd.read_source_ratings`, and `read_asset_ratings` under its name; fewer will do.

    Raises
    ------
    InputError
        For no pairs.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import read_csmd
    >>> from nbhelpers.studies.meaningbert.experiment import all_source_ratings
    >>> origins(read_csmd(), all_source_ratings()).counts["QuestEval"]  # doctest: +SKIP
    295
    """
    pairs = _checked(csmd.pairs)
    left = {
        (name, *key): list(given) for name, ratings in sources.items() for key, given in ratings.ratings.items()
    }  # ratings that no row has taken yet
    names = ["unknown"] * len(pairs)
    for same_rating in (True, False):
        for place, pair in enumerate(pairs):
            if names[place] != "unknown":
                continue
            for name in sources:
                waiting = left.get((name, *_key(pair)), [])
                fits = [rating for rating in waiting if not same_rating or abs(rating - pair.rating) <= TOLERANCE]
                if fits:
                    waiting.remove(fits[0])
                    names[place] = name
                    break
    last = COLLECTIONS[-1]
    if last not in sources and (order := _construction_places(csmd)):
        built = [names[place] for place in order]
        blocks = [name for name, _ in itertools.groupby(built)]
        if blocks == [*COLLECTIONS[:-1], "unknown"]:
            names = [last if name == "unknown" else name for name in names]
    counted = Counter(names)
    return Origins(
        tuple(replace(pair, origin=name) for pair, name in zip(pairs, names)),
        {name: counted[name] for name in (*COLLECTIONS, *sources, "unknown") if counted[name]},
    )


def _construction_places(csmd: Csmd) -> list[int]:
    """Positions in ``csmd.pairs``, in the order before the shuffle; empty if the parts are no random split."""
    try:
        construction_order(csmd)
    except InputError:
        return []
    shuffled = [position for part in random_split(len(csmd.pairs), PUBLISHED_SEED) for position in part]
    return np.argsort(shuffled).tolist()


@dataclass(frozen=True)
class Corrected:
    """Pairs with ratings put right.

    Attributes
    ----------
    pairs : tuple of RatedPair
        All of them, in the order given.
    matched, changed : int
        Pairs whose ratings were looked at, and those whose rating is another now.
    pearson : float or None
        Of the ratings before and after, over all pairs: what a judge who gives every rating as it is after reaches on
        the labels as they were before.
    """

    pairs: tuple[RatedPair, ...]
    matched: int
    changed: int
    pearson: float | None


def _corrected(pairs: Sequence[RatedPair], right: Mapping[int, float]) -> Corrected:
    after = tuple(replace(pair, rating=right[place]) if place in right else pair for place, pair in enumerate(pairs))
    before, now = [pair.rating for pair in pairs], [pair.rating for pair in after]
    changed = sum(abs(a - b) > TOLERANCE for a, b in zip(before, now))
    return Corrected(after, len(right), changed, _pearson(before, now))


def corrected(pairs: Sequence[RatedPair], ratings: SourceRatings) -> Corrected:
    """The pairs with the ratings of one collection taken from its own file again; all others are left as they are.

    Rows are found by their texts: a pair that the collection rates more than once gets the mean, and so does a row that
    another collection gave with the same two texts (none in SimpDA-2022; for the others give their own rows only, see
    `origins`).

    Raises
    ------
    InputError
        For no pairs, or none that the collection holds.
    """
    pairs = _checked(pairs)
    found = ((place, ratings.of(pair.source, pair.candidate)) for place, pair in enumerate(pairs))
    right = {place: sum(given) / len(given) for place, given in found if given}
    if not right:
        raise InputError(f"None of the pairs is in {ratings.name}; there is nothing to correct.")
    return _corrected(pairs, right)


def rated_twice(pairs: Sequence[RatedPair], name: str, others: Sequence[str]) -> list[tuple[float, float]]:
    """Ratings of the pairs that collection `name` shares with `others`: its own, and the mean of theirs.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import RatedPair
    >>> pairs = [RatedPair("A.", "B.", 10, 1, "QuestEval"), RatedPair("A.", "B.", 30, 2, "ASSET")]
    >>> rated_twice(pairs, "QuestEval", ["ASSET"])
    [(10, 30.0)]
    """
    elsewhere: dict[tuple[str, str], list[float]] = {}
    for pair in pairs:
        if pair.origin in others:
            elsewhere.setdefault(_key(pair), []).append(pair.rating)
    return [
        (pair.rating, float(np.mean(elsewhere[_key(pair)])))
        for pair in pairs
        if pair.origin == name and _key(pair) in elsewhere
    ]


def restored(csmd: Csmd, sources: Mapping[str, SourceRatings]) -> Corrected:
    """``csmd.pairs`` with the labels of SimpDA-2022 and QuestEval put back on the pairs that they were given for.

    The authors' script takes the mean rating of each pair with pandas' ``groupby``, which sorts by text, and writes the
    means beside the pairs in the order of the file. The first mean of such a block so belongs to the pair that sorts
    first: by the candidate in SimpDA-2022, by source and candidate in QuestEval. Undoing this needs no file of
    QuestEval. On SimpDA-2022 it must give every rating of the collection's own file, which is checked here. Of
    QuestEval's key that says nothing; `rated_twice` gives a check.

    Parameters
    ----------
    csmd, sources
        As in `origins`.

    Raises
    ------
    InputError
        If the rows of the two collections cannot be told, or the check fails.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import read_csmd
    >>> from nbhelpers.studies.meaningbert.experiment import all_source_ratings
    >>> restored(read_csmd(), all_source_ratings()).changed  # doctest: +SKIP
    629
    """
    named = origins(csmd, sources)
    order = _construction_places(csmd)
    keys = {"SimpDA-2022": lambda pair: pair.candidate, "QuestEval": lambda pair: (pair.source, pair.candidate)}
    right: dict[int, float] = {}
    for name, key in keys.items():
        block = [place for place in order if named.pairs[place].origin == name]
        if not block:
            raise InputError(f"It cannot be told which rows come from {name}; give all source ratings and all of CSMD.")
        ranked = sorted(block, key=lambda place: key(named.pairs[place]))
        right |= {place: named.pairs[label].rating for place, label in zip(ranked, block)}
    result = _corrected(csmd.pairs, right)
    check = label_provenance(
        [pair for pair, at in zip(result.pairs, named.pairs) if at.origin == "SimpDA-2022"], sources["SimpDA-2022"]
    )
    if check.equal < check.matched:
        raise InputError(f"The labels were not put together as supposed. {check.sentence}")
    return result
