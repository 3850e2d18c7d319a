"""Which tests show which ability, and tests made here from texts that other studies read.

A task has one of four kinds of labels: those of `nbhelpers.resources.challenge` (``rating``, ``yes/no``, ``best``), and
``ranking``: ratings that are compared within a group only, such as the summaries of one document.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbhelpers.base.errors import InputError, ResourceNotFoundError
from nbhelpers.resources import challenge, data
from nbhelpers.resources.challenge import ChallengePair


@dataclass(frozen=True)
class Task:
    """Pairs that test one thing.

    Attributes
    ----------
    name, title : str
    labels : {"rating", "yes/no", "best", "ranking"}
    pairs : tuple of ChallengePair
    data : str
        What it was read from, as `nbhelpers.resources.data.Located.identity`.
    by_kind : bool
        Whether each kind of pair is evaluated by itself and the mean taken.
    """

    name: str
    title: str
    labels: str
    pairs: tuple[ChallengePair, ...]
    data: str
    by_kind: bool = False

    def sample(self, rows: int, seed: int = 0) -> tuple[int, ...]:
        """Places of about `rows` pairs in whole groups, drawn at random; a larger sample holds the smaller one.

        What competes stays together. All pairs, in their order, where there are no more than `rows`.
        """
        if len(self.pairs) <= rows:
            return tuple(range(len(self.pairs)))
        units: dict[str, list[int]] = {}
        for place, pair in enumerate(self.pairs):
            key = pair.item if self.labels == "best" else pair.group if self.labels == "ranking" else str(place)
            units.setdefault(key, []).append(place)
        order = np.random.default_rng([seed, zlib.crc32(self.name.encode())]).permutation(len(units))
        listed, chosen = list(units.values()), []
        for unit in order:
            chosen += listed[unit]
            if len(chosen) >= rows:
                break
        return tuple(chosen)


@dataclass(frozen=True)
class Ability:
    """Something that a measure should be able to do.

    Attributes
    ----------
    title : str
        As a column.
    job : str
        For which job one needs it.
    sets : tuple of str
        Challenge sets that test it; made tests come on top.
    kinds : tuple of str
        Kinds of this project's rated pairs that stand in where no set is found; empty where none do.
    """

    title: str
    job: str
    sets: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


_STYLE = ("cae", "pg-yelp", "strap-coha", "strap-formality", "strap-shakespeare", "gyafc", "yelp", "paraphrases", "pit")

ABILITIES: dict[str, Ability] = {
    "similarity": Ability(
        "Graded similarity", "rate how similar two sentences are", ("stsb", "sick", "parabank"),
        ("lexical paraphrase", "detail lost", "tense", "certainty", "related topic", "unrelated"),
    ),
    "content": Ability(
        "Content preservation", "rate rewrites of informal text, such as style transfer", _STYLE,
        ("lexical paraphrase", "sentence split", "addition", "garbled"),
    ),
    "other words": Ability(
        "Same in other words", "tell paraphrases from sentences on the same subject", ("msrp", "etpc", "adversarial"),
        ("lexical paraphrase", "syntactic paraphrase", "related topic"),
    ),
    "order": Ability(
        "Word order, roles", "notice who did what to whom", ("paws-wiki", "paws-qqp"),
        ("role swap", "syntactic paraphrase"),
    ),
    "negation": Ability(
        "Negation, antonyms", "notice a negated or reversed statement", ("semantoneg", "scone"),
        ("negation", "reversal"),
    ),
    "facts": Ability(
        "Entities, numbers, facts", "notice unfaithful edits of a summary", ("summedits", "bump", "menli"),
        ("number", "entity", "addition"),
    ),
    "simplification": Ability(
        "Simplification errors", "find the bad outputs of a simplifier", ("simplification-errors",),
        ("simplification", "sentence split", "detail lost", "main point lost"),
    ),
    "shortening": Ability(
        "Shortening", "choose what may be dropped", ("med",), ("compression", "main point lost", "detail lost"),
    ),
    "sanity": Ability("Sanity", "tell a copy from an unrelated text"),
    "summaries": Ability("Summary ranking", "rank summaries of one document"),
    "questions": Ability("Pyramid questions", "find the passage that says the same"),
    "shuffled": Ability("Sentence order", "notice shuffled sentences"),
}  # fmt: skip
"""The columns of the leaderboard, in their order."""

BY_KIND = ("summedits", "menli", "simplification-errors")
"""Sets whose kinds are evaluated one by one: domains, kinds of damage, kinds of error."""


def all_tasks(extra: Mapping[str, Sequence[Task]] = {}, real: bool = True) -> dict[str, list[Task]]:
    """The tests of each ability.

    Parameters
    ----------
    extra : mapping
        For an ability (a key of `ABILITIES`) further tasks, such as those that `ranked` makes.
    real : bool
        Whether to read the challenge sets. Otherwise, and for an ability none of whose sets is found, pairs of this
        project stand in.

    Returns
    -------
    dict
        Abilities without a test are left out.

    Raises
    ------
    InputError
        `extra` names no ability.
    DataFormatError
        A set is damaged.

    Examples
    --------
    >>> [task.name for task in all_tasks(real=False)["order"]]
    ['own order']
    """
    if unknown := sorted(extra.keys() - ABILITIES.keys()):
        raise InputError(f"there is no ability {unknown[0]!r}; there are {', '.join(ABILITIES)}")
    found: dict[str, list[Task]] = {}
    for name, ability in ABILITIES.items():
        own = [task for task in map(_challenge, ability.sets if real else ()) if task]
        if real and name == "negation" and (task := negated()):
            own.append(task)
        if not own and ability.kinds:
            own = [_stand_in(name, ability)]
            if real:
                data.note_stand_in(f"{ability.sets[0]}-shipped@{own[0].data.rpartition('@')[2]}")
        if name == "sanity":
            own = [sanity(real)]
        if own := [*own, *extra.get(name, ())]:
            found[name] = own
    return found


def _challenge(name: str) -> Task | None:
    try:
        read = challenge.read(name)
    except ResourceNotFoundError:
        return None
    return Task(name, read.title, read.labels, challenge.unseen(read.pairs), read.located.identity, name in BY_KIND)


def _stand_in(name: str, ability: Ability) -> Task:
    own = challenge.read("rated-pairs")
    pairs = tuple(pair for pair in own.pairs if pair.kind in ability.kinds)
    return Task(f"own {name}", f"Own pairs: {', '.join(ability.kinds)}", "rating", pairs, own.located.identity)


# ------------------------------------------------------------------------------------------------------- made tests


def negated() -> Task | None:
    """Negated sentences (NaN-NLI, GLUE diagnostic) against pairs of the STS benchmark that people gave the full 5.

    Neither negated set has kept pairs of its own, so the kept ones come from elsewhere. None where a set is missing.
    """
    try:
        changed = [challenge.read(name) for name in ("nan-nli", "glue-negation")]
        kept = challenge.read("stsb")
    except ResourceNotFoundError:
        return None
    pairs = [pair for one in changed for pair in one.pairs]
    pairs += [ChallengePair(p.source, p.candidate, 1.0, "kept", p.group) for p in kept.pairs if p.label == 5]
    identity = f"{changed[0].located.identity}; {kept.located.identity}"
    return Task("negated", "Negated (NaN-NLI, GLUE) against equal", "yes/no", tuple(pairs), identity)


def sanity(real: bool = True, sentences: int = 500, seed: int = 0) -> Task:
    """Sentences against themselves (label 1) and against another sentence of the same set (label 0)."""
    try:
        own = challenge.read("stsb" if real else "rated-pairs")
    except ResourceNotFoundError:
        own = challenge.read("rated-pairs")
    texts = list(dict.fromkeys(pair.source for pair in own.pairs))
    rng = np.random.default_rng(seed)
    pairs = []
    for place in rng.permutation(len(texts))[:sentences]:
        text, other = texts[place], texts[(place + rng.integers(1, len(texts))) % len(texts)]
        pairs.append(ChallengePair(text, text, 1.0, "identical", text, text))
        pairs.append(ChallengePair(text, other, 0.0, "unrelated", text, text))
    return Task("sanity", "Identical against unrelated", "best", tuple(pairs), own.located.identity)


def shortened(compressions: Iterable[Any], identity: str, seed: int = 0) -> Task:
    """People's shortened sentence (label 1) against as many words of the sentence drawn at random, in their order.

    Parameters
    ----------
    compressions : iterable
        With ``sentence`` and ``compression``, as `nbhelpers.studies.ndd.pairs.read_compressions` gives them.
    identity : str
        Of the data.
    seed : int
        Of the words drawn.
    """
    rng, pairs = np.random.default_rng(seed), []
    for number, one in enumerate(compressions):
        words = one.sentence.split()
        count = min(len(one.compression.split()), len(words))
        drawn = " ".join(words[place] for place in sorted(rng.choice(len(words), count, replace=False)))
        for text, label in ((one.compression, 1.0), (drawn, 0.0)):
            pairs.append(ChallengePair(one.sentence, text, label, "", one.sentence, str(number)))
    return Task("compressions", "Compressions against random words", "best", tuple(pairs), identity)


def shuffled(documents: Iterable[Sequence[str]], identity: str, sentences: int = 4, seed: int = 0) -> Task:
    """The first sentences of each document: a copy (label 1) against the same sentences in another order (label 0).

    Parameters
    ----------
    documents : iterable of sequence of str
        Sentences of each document; those with fewer than `sentences` are left out.
    identity : str
        Of the data.
    sentences : int
    seed : int
        Of the orders.
    """
    rng, pairs = np.random.default_rng(seed), []
    for number, document in enumerate(documents):
        first = list(document)[:sentences]
        order = rng.permutation(sentences)
        if len(set(first)) < sentences or (order == np.arange(sentences)).all():
            continue
        text, mixed = " ".join(first), " ".join(first[place] for place in order)
        pairs.append(ChallengePair(text, text, 1.0, "", text, str(number)))
        pairs.append(ChallengePair(text, mixed, 0.0, "", text, str(number)))
    return Task("shuffled", "Shuffled sentences", "best", tuple(pairs), identity)


def ranked(topics: Iterable[Any], name: str) -> Task:
    """Summaries with people's scores against the first reference of their document.

    Parameters
    ----------
    topics : iterable
        With ``id``, ``references`` and ``candidates``, as `nbhelpers.studies.paraphrase.collections` reads them.
    name : str
        Of the collection; topics without a reference are left out.
    """
    pairs = [
        ChallengePair(topic.references[0].text, one.text, float(one.score), one.kind, topic.id)
        for topic in topics
        if topic.references
        for one in topic.candidates
    ]
    signature = getattr(topics, "signature", name).partition("|")[0]
    return Task(name, f"Summaries: {name}", "ranking", tuple(pairs), signature)


def questions(asked: Iterable[tuple[str, Sequence[str]]], identity: str) -> Task:
    """Questions with their answers, the right one first, as the pyramid study gives them."""
    pairs = [
        ChallengePair(question, answer, float(place == 0), "", question, str(number))
        for number, (question, answers) in enumerate(asked)
        for place, answer in enumerate(answers)
    ]
    return Task("pyramid", "Pyramid questions", "best", tuple(pairs), identity)
