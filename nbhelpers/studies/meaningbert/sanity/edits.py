"""Edits with a dose: what is done to a sentence, and how much of it.

Every edit is a pure function of a sentence, a dose between 0 and 1 and a random generator. Dose 0 is the sentence
itself, dose 1 the whole edit. In between, the share is rounded to whole words (names, numbers, verbs), and at least one
of them is edited. A larger dose with a generator in the same state edits the same words and more, so that a curve over
doses compares like with like. Where an edit cannot be made (a sentence without a number has none to change) the answer
is None: no text comes back unchanged under a dose above 0.

These checks go beyond the two of the MeaningBERT study (Beauchemin, Saggion and Khoury 2023, section 3.3).
"""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas

from nbhelpers.studies.meaningbert.sanity.negation import negations
from nbhelpers.studies.meaningbert.sanity.reading import how_many, replaced, some_of, word_spans
from nbhelpers.studies.meaningbert.sanity.swaps import change_numbers, names_in, swap_names

Apply = Callable[[str, float, np.random.Generator], str | None]

_NEIGHBOURS = dict(
    zip(
        "qwertyuiopasdfghjklzxcvbnm",
        "wa qes wrd etf ryg tuh yij uok ipl ol qsz adwx sfec dgrv fhtb gjyn hkum jlin kop xas zcsd xvdf cbfg vngh bmhj "
        "njk".split(),
    )
)
"""Letters beside each letter on a QWERTY keyboard."""
_TYPO_WORD = re.compile(r"[A-Za-z]{4,}")


@dataclass(frozen=True)
class Edit:
    """One kind of edit: ``edit(text, dose, generator)``.

    Attributes
    ----------
    meaning : {"changes", "kept"}
        What happens to the meaning; typos keep it mostly.
    apply : callable
        The edit itself; it sees checked input and a dose above 0.
    """

    meaning: Literal["changes", "kept"]
    apply: Apply = field(repr=False)

    def __call__(self, text: str, dose: float, generator: np.random.Generator) -> str | None:
        """The edited sentence, or None where the edit cannot be made.

        Parameters
        ----------
        text : str
            One sentence.
        dose : float
            In [0, 1]; at 0 the sentence comes back as it is.
        generator : numpy.random.Generator
            Where the choices come from. The same state gives the same text.
        """
        if dose == 0:
            return text
        edited = self.apply(text, dose, generator)
        return None if edited == text else edited


# -------------------------------------------------------------------- the edits


def _shuffle_words(text: str, dose: float, generator: np.random.Generator) -> str | None:
    """A share of the words (at least two) moved round a circle; the punctuation stays where it is."""
    words = word_spans(text)
    if len(words) < 2:
        return None
    places = some_of(words, dose, generator, least=2)
    # One circle through all of them: none stays in its place.
    return replaced(text, [(*to, text[a:b]) for to, (a, b) in zip(places, [*places[1:], places[0]])])


def _negate(text: str, dose: float, generator: np.random.Generator) -> str | None:
    """A share of the finite verbs negated; see `nbhelpers.studies.meaningbert.sanity.negation`."""
    found = negations(text)
    return replaced(text, [change for one in some_of(found, dose, generator) for change in one]) if found else None


def truncate(text: str, dose: float, generator: np.random.Generator) -> str | None:
    """A share of the words cut off at the end; the first word always stays."""
    words = word_spans(text)
    if len(words) < 2:
        return None
    kept = len(words) - how_many(dose, len(words) - 1)
    return text[: words[kept - 1][1]]


def repeat(text: str, dose: float, generator: np.random.Generator) -> str | None:
    """The sentence, and after it a share of its words again, from the first on; at dose 1 it stands twice."""
    words = word_spans(text)
    if not words:
        return None
    again = how_many(dose, len(words))
    return f"{text} {text.strip() if again == len(words) else text[words[0][0] : words[again - 1][1]]}"


def _upper_case(text: str, dose: float, generator: np.random.Generator) -> str | None:
    """A share of the words that have small letters written in capitals."""
    words = [(a, b) for a, b in word_spans(text) if _has_capitals(text[a:b])]
    return replaced(text, [(a, b, text[a:b].upper()) for a, b in some_of(words, dose, generator)]) if words else None


def _has_capitals(word: str) -> bool:
    """Whether the word in capitals is another text, but the same word (not so for the dotless i)."""
    return word.upper() != word and word.upper().casefold() == word.casefold()


def _add_typos(text: str, dose: float, generator: np.random.Generator) -> str | None:
    """A share of the words of four letters or more with one slip: two letters swapped, or a neighbouring key.

    The first letter is never touched. Only letters of the English alphabet are.
    """
    slips = [(*match.span(), _slip(match.group(), generator)) for match in _TYPO_WORD.finditer(text)]
    return replaced(text, some_of(slips, dose, generator)) if slips else None


def _slip(word: str, generator: np.random.Generator) -> str:
    swapped, place = generator.random() < 0.5, int(generator.integers(1, len(word) - 1))
    first, second = word[place], word[place + 1]
    if swapped and first.lower() != second.lower():
        return word[:place] + second + first + word[place + 2 :]
    keys = _NEIGHBOURS[first.lower()]
    key = keys[int(generator.integers(len(keys)))]
    return word[:place] + (key.upper() if first.isupper() else key) + word[place + 1 :]


# -------------------------------------------------------------------- all of them


def edits(names: Sequence[str] = ()) -> dict[str, Edit]:
    """All edits by their kind: first those that change the meaning, then those that keep it.

    Parameters
    ----------
    names : sequence of str
        Names of the corpus that may stand in for those of a sentence
        (`nbhelpers.studies.meaningbert.sanity.swaps.names_in`). Without names, no name can be swapped.

    Returns
    -------
    dict of str to Edit
    """
    return {
        "word-order": Edit("changes", _shuffle_words),
        "negation": Edit("changes", _negate),
        "entity": Edit("changes", functools.partial(swap_names, names=names)),
        "number": Edit("changes", change_numbers),
        "truncated": Edit("changes", truncate),
        "repeated": Edit("kept", repeat),
        "upper-case": Edit("kept", _upper_case),
        "typos": Edit("kept", _add_typos),
    }


def graded_edits(sentences: Sequence[str], doses: Sequence[float], seed: int = 0) -> pandas.DataFrame:
    """Every sentence under every dose of every kind of edit.

    The generator of a sentence depends on the seed, the kind and the text, not on the dose or the other sentences: a
    larger dose edits the same words and more.

    Parameters
    ----------
    sentences : sequence of str
        One sentence each. Names are swapped for those of the other sentences.
    doses : sequence of float
        Distinct, each in [0, 1].
    seed : int

    Returns
    -------
    DataFrame
        ``kind``, ``dose``, ``text`` and ``candidate``, the edited sentence. A kind has the sentences that it can edit
        at every dose and at dose 1, so that all doses have the same ones.

    Examples
    --------
    >>> edited = graded_edits(["He came and left early.", "She sold her boat."], [0.5, 1.0])
    >>> edited.loc[(edited["kind"] == "truncated") & (edited["dose"] == 1), "candidate"].tolist()
    ['He', 'She']
    """
    lines = []
    for number, (kind, edit) in enumerate(edits(names_in(sentences)).items()):
        kept = []
        for text in sentences:
            state = [seed, number, zlib.crc32(text.encode())]
            edited = {dose: edit(text, dose, np.random.default_rng(state)) for dose in {*doses, 1.0}}
            if None not in edited.values():
                kept.append((text, edited))
        lines += [(kind, dose, text, edited[dose]) for dose in doses for text, edited in kept]
    return pandas.DataFrame(lines, columns=["kind", "dose", "text", "candidate"])
