"""Neighboring Distribution Divergence (NDD), and the two measures it is compared with.

NDD asks a masked language model which words it expects in the place of every word that an edit left alone, before
and after the edit, and sums the divergences of the two distributions, nearer words weighing more (*A Novel Metric
for Evaluating Semantics Preservation*, sections 2 and 4.3). Zero means that the edit disturbed no neighbour.

Beside it stand pseudo-perplexity, and the cosine of mean contextual vectors, as in the paper's Table 1.
"""

from __future__ import annotations

import difflib
import functools
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import nbhelpers
from nbhelpers.base.checks import check_number
from nbhelpers.base.errors import InputError
from nbhelpers.language.mlm import EncodedWords, MaskedLM, MaskRequest, Question, check_words

WEIGHTS = ("plain", "balanced", "paper", "uniform")


@dataclass(frozen=True)
class Edit:
    """Replace the words ``start`` to ``stop - 1`` (0-based) by `replacement`.

    An empty range inserts before word `start`; an empty replacement deletes.
    """

    start: int
    stop: int
    replacement: tuple[str, ...] = ()


@dataclass(frozen=True)
class NDDSettings:
    """How the divergences of the neighbours are measured and summed.

    Attributes
    ----------
    weights : {"plain", "official", "paper", "uniform"}
        With d the distance to the nearest edit, n' the number of unedited words and m the mirrored position of a
        word among them (first ↔ last):

        * ``plain``, the default here: μ^d (section 2);
        * ``official``, stored as ``balanced``, the default of the studies: μ^d + μ^(d + n' - d_m), the authors' code,
          which gives words near both ends of the text the second look that section 4.3 describes;
        * ``paper``: μ^d + μ^(d_m + n'), the formula of section 4.3, with distance 0 beside an insertion and positions
          counted from 1 in the original for `nu`. Its index n'-k is read as the mirrored position (taken literally it
          points outside the text);
        * ``uniform``: 1.
    mu : float
        μ in (0, 1], the decay with distance.
    nu : float
        ν in (0, 1], the bias b = ν^k over the unedited words k = 0, 1, … (over the original's words k = 1, 2, … for
        ``paper``); below 1 it makes later words cheaper to disturb. 1 switches it off.
    """

    weights: str = "plain"
    mu: float = 0.9
    nu: float = 1.0

    def __post_init__(self) -> None:
        if self.weights == "official":
            object.__setattr__(self, "weights", "balanced")
        if self.weights not in WEIGHTS:
            raise InputError(f"weights is official or one of {', '.join(WEIGHTS)}, not {self.weights!r}.")
        for name in ("mu", "nu"):
            check_number(name, getattr(self, name), above=0, most=1)

    @property
    def nearest(self) -> int:
        """Distance of a word next to the edit: 1 in the paper's formula, 0 in the authors' code.

        Only ``paper`` gives the words around an insertion 0, as the formula does.
        """
        return int(self.weights != "balanced")

    @property
    def signature(self) -> str:
        """The settings in one line."""
        return f"w:{self.weights}|mu:{self.mu:g}|nu:{self.nu:g}|near:{self.nearest}|kl:edited||original"


@dataclass(frozen=True)
class Neighbour:
    """One unedited word: where it stands, how far from the edit, and how much its distribution moved (nats)."""

    word: str
    original_index: int
    edited_index: int
    distance: int
    weight: float
    divergence: float


@dataclass(frozen=True)
class NDDResult:
    """The NDD of one edit: `value` is the weighted sum over `neighbours`, at least 0."""

    value: float
    neighbours: tuple[Neighbour, ...]
    edits: tuple[Edit, ...]


_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"


@functools.cache
def _words() -> re.Pattern[str]:
    # Accents and vowel signs that stand as characters of their own belong to the letter before them.
    every = map(chr, range(0x10000))
    marks = "".join(c for c in every if unicodedata.category(c)[0] == "M" and c not in "\u3099\u309a")
    letters = rf"[^\W{_CJK}][{marks}]*"
    return re.compile(rf"\[MASK\]|<mask>|[{_CJK}]|(?:{letters})+(?:['’.,-](?:{letters})+)*|[^\w\s]", flags=re.UNICODE)


def split_words(text: str) -> list[str]:
    """Split a sentence into words and punctuation marks; Chinese and Japanese by the character.

    Raises
    ------
    InputError
        If `text` is not a string or has no words.

    Examples
    --------
    >>> split_words("It's 1.5 km (well-known).")
    ["It's", '1.5', 'km', '(', 'well-known', ')', '.']
    """
    if not isinstance(text, str):
        raise InputError(f"split_words takes one string, not {type(text).__name__}.")
    words = _words().findall(text)
    if not words:
        raise InputError("A sentence has at least one word; this one is empty.")
    return words


def find_edits(original: Sequence[str], edited: Sequence[str]) -> tuple[Edit, ...]:
    """Find the edits that turn one word sequence into another (longest matching blocks; difflib).

    Examples
    --------
    >>> find_edits("a cold rain".split(), "a cool rain".split())
    (Edit(start=1, stop=2, replacement=('cool',)),)
    """
    original, edited = check_words(original), check_words(edited)
    blocks = difflib.SequenceMatcher(None, original, edited, autojunk=False).get_opcodes()
    return tuple(Edit(i1, i2, edited[j1:j2]) for tag, i1, i2, j1, j2 in blocks if tag != "equal")


def apply_edits(original: Sequence[str], edits: Sequence[Edit]) -> tuple[str, ...]:
    """Apply edits, given in any order, to a word sequence.

    Raises
    ------
    InputError
        For something else than an `Edit` by single words, an edit outside the sentence, overlapping edits, or an empty
        result.

    Examples
    --------
    >>> apply_edits("a cold rain".split(), [Edit(1, 2, ("cool",))])
    ('a', 'cool', 'rain')
    """
    words, result, end = check_words(original), [], 0
    for edit in edits:
        given = edit.replacement if isinstance(edit, Edit) else None
        if not isinstance(given, tuple) or not all(isinstance(word, str) and word.split() == [word] for word in given):
            raise InputError(f"An edit is Edit(start, stop, replacement), replacement a tuple of words, not {edit!r}.")
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.stop)):
        if not 0 <= edit.start <= edit.stop <= len(words):
            raise InputError(f"The edit {edit.start}:{edit.stop} lies outside a sentence of {len(words)} words.")
        if edit.start < end:
            raise InputError(f"The edit {edit.start}:{edit.stop} overlaps the one before it, which ends at {end}.")
        result += [*words[end : edit.start], *edit.replacement]
        end = edit.stop
    return check_words([*result, *words[end:]])


def kept_positions(length: int, edits: Sequence[Edit]) -> list[tuple[int, int]]:
    """Pairs (original index, edited index) of the words that edits leave alone, for a text of `length` words."""
    pairs, shift, end = [], 0, 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.stop)):
        pairs += [(index, index + shift) for index in range(end, edit.start)]
        shift += len(edit.replacement) - (edit.stop - edit.start)
        end = edit.stop
    return pairs + [(index, index + shift) for index in range(end, length)]


def neighbour_weights(length: int, edits: Sequence[Edit], settings: NDDSettings) -> tuple[np.ndarray, np.ndarray]:
    """Distance to the nearest edit and weight (≥ 0) of each unedited word, each of shape (kept,), sections 2 and 4.3.

    Examples
    --------
    >>> neighbour_weights(4, [Edit(1, 2)], NDDSettings(mu=0.5))
    (array([1, 1, 2]), array([0.5 , 0.5 , 0.25]))
    """
    mu, paper = settings.mu, settings.weights == "paper"
    kept = np.array([index for index, _ in kept_positions(length, edits)], dtype=int)
    distances = np.full(len(kept), np.iinfo(int).max) if len(edits) else np.zeros(len(kept), dtype=int)
    for edit in edits:
        beside = 0 if paper and edit.start == edit.stop else settings.nearest
        away = np.where(kept < edit.start, edit.start - 1 - kept, kept - edit.stop)
        distances = np.minimum(distances, away + beside)
    weights = mu ** (distances * float(settings.weights != "uniform"))
    if settings.weights == "balanced":
        weights = weights + mu ** (distances + len(kept) - distances[::-1]).astype(float)
    elif paper:
        weights = weights + mu ** (distances[::-1] + len(kept)).astype(float)
    return distances, weights * settings.nu ** (kept + 1 if paper else np.arange(len(kept)))


def divergence(reference, other):
    """Divergence of the edited text's distributions from the original's, row by row, in nats (section 2).

    Parameters
    ----------
    reference, other : torch.Tensor, float32, shape (rows, vocabulary)
        Log-probabilities of the original and of the edited text.

    Returns
    -------
    torch.Tensor, shape (rows,), at least 0
    """
    return (other.exp() * (other - reference)).sum(-1).clamp_min(0)  # rounding can leave -1e-9


def encode_edit(
    lm: MaskedLM, original: Sequence[str], edited: Sequence[str], edits: Sequence[Edit]
) -> tuple[EncodedWords, EncodedWords]:
    """Encode both texts of an edit so that every unedited word has the same pieces in both.

    A word may have other pieces at the beginning of a text than after a space: one that becomes the first keeps the
    space that it had, and one that is the first no longer has a space in both texts.
    """
    kept = kept_positions(len(original), edits)
    before, after = lm.default_spaces(len(original)), lm.default_spaces(len(edited))
    for i, j in kept:
        before[i] = before[i] or (i == 0 and j > 0)
        after[j] = before[i]
    return lm.encode(original, before), lm.encode(edited, after)


def ndd_batch(
    lm: MaskedLM,
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]],
    edits: Sequence[Sequence[Edit] | None] | None = None,
    *,
    settings: NDDSettings = NDDSettings(),
) -> list[NDDResult]:
    """NDD of many edits at once; texts of all pairs share the engine's batches.

    Parameters
    ----------
    lm : MaskedLM
    pairs : sequence of (original words, edited words)
    edits : sequence of edit lists, optional
        For each pair the edits that lead from the first to the second text; found by alignment where None.
    settings : NDDSettings

    Returns
    -------
    list of NDDResult

    Raises
    ------
    InputError
        For a text that is no list of words, edits that do not give the edited text, or an edit that leaves no word
        of the original in place: its NDD would be an empty sum.
    TextTooLongError
        For a text longer than the model takes.

    Examples
    --------
    >>> pairs = [("a cold rain fell".split(), "a cool rain fell".split())]
    >>> (result,) = ndd_batch(MaskedLM(), pairs)  # doctest: +SKIP
    >>> [neighbour.word for neighbour in result.neighbours]  # doctest: +SKIP
    ['a', 'rain', 'fell']
    """
    if edits is not None and len(edits) != len(pairs):
        raise InputError(f"edits has {len(edits)} entries for {len(pairs)} pairs.")
    prepared, requests = [], []
    for number, (original, edited) in enumerate(_checked(pairs)):
        given = edits[number] if edits is not None else None
        if given is None:
            given = find_edits(original, edited)
        elif apply_edits(original, given) != edited:
            raise InputError(f"The edits of pair {number} do not turn its first text into its second.")
        kept = kept_positions(len(original), given)
        if not kept and original != edited:
            raise InputError(f"The edit of pair {number} leaves no word in place, so there is no neighbour to compare.")
        first, second = encode_edit(lm, original, edited, given)
        if given:  # a text compared with itself needs no model: every divergence is 0 by definition
            requests += [(lm.request(first, i), lm.request(second, j)) for i, j in kept]
        prepared.append((original, tuple(given), kept))
    values = _divergences(lm, requests)
    results = []
    for words, given, kept in prepared:
        distances, weights = neighbour_weights(len(words), given, settings)
        neighbours = tuple(
            Neighbour(words[i], i, j, distance, weight, next(values) if given else 0.0)
            for (i, j), distance, weight in zip(kept, distances.tolist(), weights.tolist())
        )
        results.append(NDDResult(math.fsum(n.weight * n.divergence for n in neighbours), neighbours, given))
    return results


def _divergences(lm: MaskedLM, requests: Sequence[tuple[MaskRequest, MaskRequest]]) -> Iterator[float]:
    """Divergence of each (reference, other) pair of requests; the distributions of references are remembered."""
    window = max(1, lm.cache_words // 2)
    for start in range(0, len(requests), window):
        part = requests[start : start + window]
        references = lm.log_probabilities([reference for reference, _ in part])
        questions = [Question(other, (reference,)) for (_, other), reference in zip(part, references)]
        for answer in lm.answer(questions, divergence):
            yield answer.divergences[0]


def _checked(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    for number, pair in enumerate(pairs):
        if isinstance(pair, str) or len(pair) != 2:
            raise InputError(f"Pair {number} is not an (original words, edited words) pair.")
    return [(check_words(original), check_words(edited)) for original, edited in pairs]


def ndd(
    lm: MaskedLM,
    original: Sequence[str],
    edited: Sequence[str],
    edits: Sequence[Edit] | None = None,
    *,
    settings: NDDSettings = NDDSettings(),
) -> NDDResult:
    """NDD of one edit; see `ndd_batch` for parameters and errors.

    Examples
    --------
    >>> lm = MaskedLM()
    >>> rain = split_words("I am walking in the cold rain.")
    >>> mild, strong = (split_words(f"I am walking in the cold {word}.") for word in ("snow", "wedding"))
    >>> ndd(lm, rain, mild).value < ndd(lm, rain, strong).value
    True
    """
    return ndd_batch(lm, [(original, edited)], [edits], settings=settings)[0]


def ndd_signature(lm: MaskedLM, settings: NDDSettings) -> str:
    """One line that says how an NDD was made.

    Examples
    --------
    >>> ndd_signature(MaskedLM(), NDDSettings()).split("|")[0]  # doctest: +SKIP
    'ndd'
    """
    return f"ndd|{lm.signature}|{settings.signature}|v:{nbhelpers.__version__}"


def pseudo_perplexity(lm: MaskedLM, texts: Sequence[Sequence[str]]) -> list[float]:
    """Pseudo-perplexity of each text: exp of the mean negative log-probability of its pieces, at least 1.

    Every word is masked in turn, all of its pieces at once (one mask for each), and each piece is scored at its own
    mask. The paper names no formula (Table 1, "PPL"); this is the usual pseudo-perplexity with whole words masked.

    Raises
    ------
    InputError
        For a text that is no list of words.
    """
    requests, targets, owners = [], [], []
    for index, words in enumerate(texts):
        encoded = lm.encode(words)
        for k, (start, stop) in enumerate(encoded.spans):
            requests.append(lm.request(encoded, k, mask="pieces"))
            targets.append(encoded.input_ids[start:stop])
            owners.append(index)
    total, count = [0.0] * len(texts), [0] * len(texts)
    window = max(1, lm.cache_words // 2)  # answers are remembered, for an NDD of the same texts
    for offset in range(0, len(requests), window):
        answers = lm.log_probabilities(requests[offset : offset + window])
        for owner, pieces, answer in zip(owners[offset:], targets[offset:], answers):
            total[owner] += float(answer[range(len(pieces)), list(pieces)].sum())
            count[owner] += len(pieces)
    return [math.exp(-t / c) for t, c in zip(total, count)]
