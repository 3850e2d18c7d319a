"""Which tests show which ability (``data/board.toml``), and tests made here from texts that other studies read.

A task has one of four kinds of labels: those of `nbhelpers.resources.challenge` (``rating``, ``yes/no``, ``best``), and
``ranking``: ratings that are compared within a group only, such as the summaries of one document.
"""

from __future__ import annotations

import difflib
import functools
import re
import tomllib
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nbhelpers.base.errors import ChecksumError, InputError, ResourceNotFoundError, did_you_mean
from nbhelpers.base.paths import data_dir
from nbhelpers.resources import challenge, csmd, data, pyramids
from nbhelpers.resources.challenge import ChallengePair

Pairs = tuple[ChallengePair, ...]


@dataclass(frozen=True)
class Task:
    """Pairs that test one thing.

    Attributes
    ----------
    name : str
    labels : {"rating", "yes/no", "best", "ranking"}
    pairs : tuple of ChallengePair
        For ``ranking`` the system that wrote the candidate stands in ``item``.
    data : str
        What it was read from, as `nbhelpers.resources.data.Located.identity`.
    by_kind : bool
        Whether each kind of pair is evaluated by itself and the mean taken.
    topics : bool
        Whether its licence lets only sums for each group be shown.
    """

    name: str
    labels: str
    pairs: Pairs
    data: str
    by_kind: bool = False
    topics: bool = False

    def sample(self, rows: int) -> tuple[int, ...]:
        """Places of about `rows` pairs in whole groups, drawn at random; a larger sample holds the smaller one.

        What competes stays together. All pairs, in their order, where there are no more than `rows`.
        """
        if len(self.pairs) <= rows:
            return tuple(range(len(self.pairs)))
        units: dict[str, list[int]] = {}
        for place, pair in enumerate(self.pairs):
            key = pair.item if self.labels == "best" else pair.group if self.labels == "ranking" else str(place)
            units.setdefault(key, []).append(place)
        order = np.random.default_rng([0, zlib.crc32(self.name.encode())]).permutation(len(units))
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
    tests : list of str
        Names of its tests; all have labels of one scale (a correlation, or a share of comparisons won).
    kinds : list of str
        Kinds of this project's rated pairs that stand in where no test is found; empty where none do.
    """

    title: str
    job: str
    tests: Sequence[str]
    kinds: Sequence[str] = ()


_BOARD = tomllib.loads((data_dir() / "board.toml").read_text(encoding="utf-8"))

ABILITIES = {name: Ability(**table) for name, table in _BOARD["abilities"].items()}
"""The columns of the leaderboard, in their order."""

GROUPS: dict[str, list[str]] = _BOARD["groups"]
"""Measures that were trained on the same texts."""

SEEN: dict[str, dict[str, str]] = _BOARD["seen"]
"""For each test the groups that were trained on another part of it, or on text from the same source, and on what."""

_BY_KIND = ("summedits", "menli", "simplification-errors")
"""Sets whose kinds are evaluated one by one: domains, kinds of damage, kinds of error."""


def seen(test: str, measure: str) -> str:
    """What of a test's source a measure was trained on; empty where nothing is known.

    Examples
    --------
    >>> seen("paws-wiki", "same-meaning"), seen("paws-wiki", "bleu")
    ('its development part', '')
    """
    return "; ".join(what for group, what in SEEN.get(test, {}).items() if measure in GROUPS[group])


def title_of(name: str) -> str:
    """A test in words: what was made here has its title in ``data/board.toml``, the others in `challenge`.

    Examples
    --------
    >>> title_of("noise-bump"), title_of("menli")
    ('noisy copies against damage (BUMP)', 'translations, one error (MENLI)')
    """
    return _BOARD["titles"].get(name) or challenge.title(name)


def tests(names: Iterable[str] | None = None, real: bool = True) -> dict[str, list[Task]]:
    """The tests of each ability, as far as their data are on this machine.

    Parameters
    ----------
    names : iterable of str, optional
        Tests to read; default all.
    real : bool
        Whether to read other people's sets. Otherwise pairs of this project stand in.

    Returns
    -------
    dict
        Abilities without a test are left out.

    Raises
    ------
    InputError
        A name is unknown.
    DataFormatError
        A set is damaged.

    Examples
    --------
    >>> [task.name for task in tests(real=False)["order"]]
    ['own order']
    """
    known = {name: ability for ability, one in ABILITIES.items() for name in one.tests}
    for name in (wanted := list(known if names is None else names)):
        if name not in known:
            raise InputError(f"there is no test {name!r}; {did_you_mean(name, known)}")
    found: dict[str, list[Task]] = {}
    for name, ability in ABILITIES.items():
        if not real:
            own = [_stand_in(name, ability)] if ability.kinds else []
        else:
            own = list(filter(None, (read(test) for test in ability.tests if test in wanted)))
        if own:
            found[name] = own
    return found


def read(name: str) -> Task | None:
    """One test; None where its data are not on this machine."""
    try:
        return _opened(name)
    except (ChecksumError, ResourceNotFoundError):  # one source that changed does not stop all tests
        return None


def absent(name: str) -> str:
    """Why a test is not on this machine; empty where it is."""
    try:
        _opened(name)
    except ResourceNotFoundError as error:  # addresses of single files are too long for a list
        reason = error.reason.removeprefix("not its official source, because ")
        return re.sub(r"https://([^/\s]+)\S*", r"\1", reason) or str(error)
    except ChecksumError as error:
        return str(error)
    return ""


def _opened(name: str) -> Task:
    if name in _MADE:
        return _MADE[name](name)
    one = challenge.read(name)
    pairs, labels = one.pairs, one.labels
    if name == "parade":  # the official two classes; definitions of one term belong together
        labels = "yes/no"
        pairs = tuple(replace(pair, label=float(pair.label >= 2), group=pair.kind) for pair in pairs)
    return Task(name, labels, pairs, one.located.identity, name in _BY_KIND)


def _stand_in(name: str, ability: Ability) -> Task:
    own = challenge.read("rated-pairs")
    pairs = tuple(pair for pair in own.pairs if pair.kind in ability.kinds)
    return Task(f"own {name}", "rating", pairs, own.located.identity)


# ------------------------------------------------------------------------------------------------------- made tests


def against(rows: Iterable[tuple[str, str, str, str]], groups: Sequence[str] = ()) -> Pairs:
    """Pairs of items in which two candidates compete.

    Parameters
    ----------
    rows : iterable of (source, right, wrong, kind)
    groups : sequence of str, optional
        What each row belongs to; default its source.

    Examples
    --------
    >>> [pair.label for pair in against([("a b", "b a", "c", "")])]
    [1.0, 0.0]
    """
    made = []
    for number, (source, right, wrong, kind) in enumerate(rows):
        group = groups[number] if groups else source
        made.append(ChallengePair(source, right, 1.0, kind, group, str(number)))
        made.append(ChallengePair(source, wrong, 0.0, kind, group, str(number)))
    return tuple(made)


def negated(name: str) -> Task:
    """Negated sentences (NaN-NLI, GLUE) against a pair of the STS benchmark with the full 5 and much the same words.

    Neither negated set has kept pairs of its own. Each negated pair competes with the kept pair, used once, whose
    number of words in both texts and share of common words are nearest to its own.
    """
    changed = [challenge.read(one) for one in ("nan-nli", "glue-negation")]
    kept = challenge.read("stsb")

    def shape(pair: ChallengePair) -> np.ndarray:
        first, second = (challenge.normalized(text).split() for text in (pair.source, pair.candidate))
        same = len(set(first) & set(second)) / max(len(set(first) | set(second)), 1)
        return np.array([np.log(len(first) + 1), np.log(len(second) + 1), 2 * same])

    from scipy.optimize import linear_sum_assignment

    damaged = [pair for one in changed for pair in one.pairs]
    fine = [pair for pair in kept.pairs if pair.label == 5]
    cost = np.linalg.norm(np.array([*map(shape, damaged)])[:, None] - np.array([*map(shape, fine)])[None], axis=-1)
    pairs = []
    for number, (row, column) in enumerate(zip(*linear_sum_assignment(cost))):
        if cost[row, column] < 0.5:
            for pair, label in ((fine[column], 1.0), (damaged[row], 0.0)):
                pairs.append(ChallengePair(pair.source, pair.candidate, label, "", damaged[row].source, str(number)))
    return Task(name, "best", tuple(pairs), f"{changed[0].located.identity}; stsb")


def sanity(name: str) -> Task:
    """500 sentences against themselves (label 1) and against another sentence of the same set (label 0)."""
    own = challenge.read("stsb")
    texts = list(dict.fromkeys(pair.source for pair in own.pairs))
    rng = np.random.default_rng(0)
    chosen = rng.permutation(len(texts))[:500]
    others = (chosen + rng.integers(1, len(texts), len(chosen))) % len(texts)
    rows = [(texts[place], texts[place], texts[other], "") for place, other in zip(chosen, others)]
    return Task(name, "best", against(rows), own.located.identity)


def shortened(rows: Iterable[tuple[str, str]], name: str, identity: str) -> Task:
    """People's shorter sentence (label 1) against a run of as many words of the sentence, beginning at random.

    Parameters
    ----------
    rows : iterable of (sentence, shorter sentence)
    name, identity : str
    """
    rng, made = np.random.default_rng(0), []
    for sentence, shorter in rows:
        words = sentence.split()
        count = min(len(shorter.split()), len(words))
        first = int(rng.integers(0, len(words) - count + 1))
        made.append((sentence, shorter, " ".join(words[first : first + count]), ""))
    return Task(name, "best", against(made), identity)


def _compressions(name: str) -> Task:
    from nbhelpers.studies.ndd.pairs import read_compressions

    google = data.find("google-compression", allow_shipped=False)
    rows = [(one.sentence, one.compression) for one in read_compressions(google.path)][:3000]
    return shortened(rows, name, google.identity)


def _asset(name: str) -> Task:
    """ASSET's simplifications with at most .8 of the words of a sentence and nearly none of their own."""
    located = data.find("asset", allow_shipped=False)
    columns = ["asset.test.orig", *(f"asset.test.simp.{number}" for number in range(10))]
    texts = [(located.path / one).read_text("utf-8").splitlines() for one in columns]
    rows = []
    for sentence, *shorter in zip(*texts):
        own = challenge.normalized(sentence).split()
        for text in dict.fromkeys(shorter):
            words = challenge.normalized(text).split()
            if 4 < len(words) <= 0.8 * len(own) and len(set(words) - set(own)) <= 2:
                rows.append((sentence, text))
    return shortened(rows, name, located.identity)


def shuffled(documents: Iterable[Sequence[str]], name: str, identity: str) -> Task:
    """The first four sentences of each document: a copy (label 1) against the same in another order (label 0).

    Parameters
    ----------
    documents : iterable of sequence of str
        Sentences of each document; those with fewer than four are left out.
    name, identity : str
    """
    rng, rows = np.random.default_rng(0), []
    for document in documents:
        first, order = list(document)[:4], rng.permutation(4)
        if len(set(first)) == 4 and not (order == np.arange(4)).all():
            text = " ".join(first)
            rows.append((text, text, " ".join(first[place] for place in order), ""))
    return Task(name, "best", against(rows), identity)


def _shuffled(collection: str, name: str) -> Task:
    from nbhelpers.language.english import load_english
    from nbhelpers.studies.ordering.documents import open_collection

    read = open_collection(collection).documents[:300]
    sentences = [load_english().sentences(" ".join(one.paragraphs)) for one in read]
    return shuffled(sentences, name, data.find(collection).identity)


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
        ChallengePair(topic.references[0].text, one.text, float(one.score), one.kind, topic.id, one.id)
        for topic in topics
        if topic.references
        for one in topic.candidates
    ]
    signature = getattr(topics, "signature", name).partition("|")[0]
    return Task(name, "ranking", tuple(pairs), signature)


def _ranked(name: str) -> Task:
    from nbhelpers.studies.paraphrase.collections import open_collection

    return ranked(open_collection(name), name)


def _questions(name: str) -> Task:
    """Pyramid questions with their answers, the right one first; a group is a topic."""
    from nbhelpers.studies.pyramid import question_test

    located = data.find("duc2006-pyramids", allow_shipped=False)
    test = question_test(pyramids.read_pyramids(located.path))
    pairs = tuple(
        ChallengePair(question, answer, float(place == 0), "", str(topic), str(number))
        for number, ((question, answers), topic) in enumerate(zip(test.questions(), test.topic))
        for place, answer in enumerate(answers)
    )
    return Task(name, "best", pairs, located.identity, topics=True)


def _csmd(name: str) -> Task:
    """Pairs of CSMD's test part, split by source, with the ratings put back in their place."""
    from nbhelpers.studies.meaningbert import experiment

    own = experiment.parts_of(csmd.read_csmd(), "restored", "grouped", 42)[2]
    made = tuple(ChallengePair(p.source, p.candidate, p.rating, p.origin, p.source) for p in own)
    return Task(name, "rating", made, data.find("csmd", allow_shipped=False).identity)


_AUXILIARY = re.compile(r"\b(is|are|was|were|has|have|had|can|could|will|would|should|must)\b(?! (?:not|n't))")
_NUMBER = re.compile(r"\b\d{1,3}\b")
_REVERSED = (
    "more less/first last/before after/always never/all none/high low/increase decrease/early late/young old/good bad"
    "/new old/up down/open close/win lose/north south/east west/right left/same different/most few/large small"
)
_OPPOSITE = {a: b for pair in _REVERSED.split("/") for a, b in (pair.split(), pair.split()[::-1])}


def damaged(text: str) -> tuple[str, str]:
    """A sentence that says something else, and how: an opposite word, another number, or a *not*; empty if none fits.

    Examples
    --------
    >>> damaged("He was born in the north."), damaged("She has 12 of them.")
    (('He was born in the south.', 'opposite'), ('She has 25 of them.', 'number'))
    """
    for word in re.findall(r"\b[a-z]+\b", text):
        if word in _OPPOSITE:
            return re.sub(rf"\b{word}\b", _OPPOSITE[word], text, count=1), "opposite"
    if _NUMBER.search(text):
        return _NUMBER.sub(lambda found: str(2 * int(found[0]) + 1), text, count=1), "number"
    if _AUXILIARY.search(text):
        return _AUXILIARY.sub(r"\1 not", text, count=1), "not"
    return "", ""


def _damaged_parabank(name: str) -> Task:
    """Paraphrases that people gave 80 and more, in other words, against the same with one damage."""
    own, rows = challenge.read("parabank"), []
    for pair in own.pairs:
        first, second = (challenge.normalized(text).split() for text in (pair.source, pair.candidate))
        if pair.label >= 80 and difflib.SequenceMatcher(None, first, second).ratio() < 0.8:
            text, kind = damaged(pair.candidate)
            if text:
                rows.append((pair.source, pair.candidate, text, kind))
    return Task(name, "best", against(rows), own.located.identity, True)


NOISE: Mapping[str, Callable[[str], str]] = {
    "lower case": str.lower,
    "capitals": str.upper,
    "two letters exchanged": lambda text: _exchanged(text),
    "no punctuation": lambda text: re.sub(r"[.,;:!?\"]", "", text),
    "blanks before marks": lambda text: re.sub(r" ?([.,;:!?\"])", r" \1", text).strip(),
}
"""What should not matter to a reader."""


def _exchanged(text: str) -> str:
    found = sorted(re.finditer(r"[a-z]{5,}", text), key=lambda one: -len(one[0]))
    if not found:
        return text
    at = found[0].start() + 2
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _noisy(own: str, name: str) -> Task:
    """A noisy copy against what people damaged; kinds of noise take turns, and copies that stay equal are left out."""
    read, items = challenge.read(own), {}
    for pair in read.pairs:
        items.setdefault(pair.item, {})[pair.label] = pair
    rows, groups, kinds = [], [], list(NOISE)
    order = np.random.default_rng(0).permutation(len(items))
    for place in order[:1000]:
        both = list(items.values())[place]
        source = both[1.0].candidate if own == "bump" else both[1.0].source
        kind = kinds[len(rows) % len(kinds)]
        copy = NOISE[kind](source)
        if copy != source:
            rows.append((source, copy, both[0.0].candidate, kind))
            groups.append(both[1.0].group)
    return Task(name, "best", against(rows, groups), read.located.identity, True)


_MADE: dict[str, Callable[[str], Task]] = {
    "negated": negated,
    "sanity": sanity,
    "compressions": _compressions,
    "shorter-asset": _asset,
    "shuffled-lee": functools.partial(_shuffled, "lee-background"),
    "shuffled-bbc": functools.partial(_shuffled, "bbc-news"),
    "realsumm": _ranked,
    "summeval": _ranked,
    "pyramid": _questions,
    "csmd": _csmd,
    "damaged-parabank": _damaged_parabank,
    "noise-bump": functools.partial(_noisy, "bump"),
    "noise-semantoneg": functools.partial(_noisy, "semantoneg"),
}
