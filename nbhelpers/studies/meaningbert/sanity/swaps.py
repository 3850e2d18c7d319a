"""Facts swapped for others of the same kind: proper names and numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from nbhelpers.studies.meaningbert.sanity.reading import read, replaced, some_of

_UNITS = "two three four five six seven eight nine ten eleven twelve".split()
_TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_POWERS = "hundred thousand million billion trillion".split()
_SMALL = ["one", *_UNITS[:8]]
_COMPOUND = [f"{ten}-{unit}" for ten in _TENS for unit in _SMALL]
_CLASS_OF = {word: group for group in (_COMPOUND, _UNITS, _TEENS, _TENS, _POWERS) for word in group}

# Digits that stand alone: no part of F-16, 21st, 1990s, 4:30 or 12/10/2001.
_DIGITS = r"(?<![\w.,:/])(?<![^\W\d_]-)\d+(?:,\d{3})*(?:\.\d+)?(?![\w:/]|[.,]\d)"
_WORDS = rf"\b(?:{'|'.join(_CLASS_OF)})\b"
_NUMBER = re.compile(f"{_DIGITS}|{_WORDS}", re.IGNORECASE)


_MONTH = (
    "(?:Jan(?:uary|\\.)?|Feb(?:ruary|\\.)?|March|Mar\\.|April|Apr\\.|May|June|July|Aug(?:ust|\\.)?|Sept?(?:ember|\\.)?|"
    "Oct(?:ober|\\.)?|Nov(?:ember|\\.)?|Dec(?:ember|\\.)?)"
)
_MONTH_BEFORE, _MONTH_AFTER = re.compile(rf"\b{_MONTH}\s+$"), re.compile(rf"\s+{_MONTH}(?!\w)")

# -------------------------------------------------------------------- names


def names_in(sentences: Sequence[str]) -> list[str]:
    """The distinct proper names of sentences, in the order in which they are found."""
    return list(dict.fromkeys(text[start:end] for text in sentences for start, end in read(text).names))


def swap_names(text: str, dose: float, generator: np.random.Generator, names: Sequence[str]) -> str | None:
    """A share of the sentence's distinct names replaced, each by another name wherever it stands.

    A replacement shares no word with the sentence's names, has as many words as the name where the corpus has such a
    one, and is given once. Names have no types: a place may become a person.

    Returns
    -------
    str or None
        None where there is no name or nothing to put in its place.
    """
    places = read(text).names
    own = list(dict.fromkeys(text[start:end] for start, end in places))
    taken = {word for name in own for word in name.lower().split()}
    pool = [name for name in dict.fromkeys(names) if not taken & set(name.lower().split())]
    if not own or len(pool) < len(own):
        return None
    pool = some_of(pool, 1.0, generator)
    new: dict[str, str] = {}
    for name in own:
        same_length = (other for other in pool if len(other.split()) == len(name.split()))
        new[name] = next(same_length, pool[0])
        pool.remove(new[name])
    swapped = set(some_of(own, dose, generator))
    return replaced(text, [(a, b, new[text[a:b]]) for a, b in places if text[a:b] in swapped])


# -------------------------------------------------------------------- numbers


def change_numbers(text: str, dose: float, generator: np.random.Generator) -> str | None:
    """A share of the numbers changed: figures and number words (but not *one*, which is mostly no number).

    A number in figures gets another one of as many digits, written alike; a year (1100 to 2099, four figures) moves by
    1 to 50 years; a day beside its month becomes another of 1 to 28; a word gets another of its class (two to twelve,
    thirteen to nineteen, tens, powers of ten). Times, dates with strokes, ordinals and figures joined to letters stay.

    Returns
    -------
    str or None
        None where there is no number.
    """
    found = list(_NUMBER.finditer(text))
    if not found:
        return None
    changes = [(*match.span(), _other_number(match, generator)) for match in found]
    return replaced(text, some_of(changes, dose, generator))


def _other_number(match: re.Match[str], generator: np.random.Generator) -> str:
    number, text = match.group(), match.string
    if not number[0].isdigit():
        return _other_number_word(number, generator)
    if len(number) <= 2 and (_MONTH_BEFORE.search(text[: match.start()]) or _MONTH_AFTER.match(text[match.end() :])):
        return str(generator.choice([day for day in range(1, 29) if day != int(number)]))
    if re.fullmatch(r"(?:1[1-9]|20)\d\d", number):
        shift = int(generator.integers(1, 51))
        return str(int(number) + (shift if generator.random() < 0.5 else -shift))
    digits = [i for i, character in enumerate(number) if character.isdigit()]
    whole = number.partition(".")[0]
    while True:
        new = list(number)
        for place in digits:
            # No leading zero, and no 1 alone: "1 men".
            first = place == 0 and (len(whole) > 1 or "." not in number)
            lowest = 0 if not first else 2 if len(number) == 1 else 1
            new[place] = str(generator.integers(lowest, 10))
        if "".join(new) != number:
            return "".join(new)


def _other_number_word(word: str, generator: np.random.Generator) -> str:
    others = [other for other in _CLASS_OF[word.lower()] if other != word.lower()]
    new = others[int(generator.integers(len(others)))]
    return new.upper() if word.isupper() else new.capitalize() if word[0].isupper() else new
