"""Parallel text: sentences and their translations, with the words of each side.

The corpora of the registry open by name (`open_parallel`). Words are cut as the matcher cuts them
(`nbhelpers.metrics.paraphrase.tokens`), but punctuation marks stay among them here, tagged ``PUNCT``: the aligner needs
them, and no phrase reaches across one.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np

from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.base.files import open_text
from nbhelpers.language import coarse_tag, is_word, load_english, tokenize
from nbhelpers.metrics.paraphrase.tokens import japanese_signature, japanese_tag, japanese_words
from nbhelpers.resources.data import find

CORPORA = {"news-commentary": ("en", "de"), "multi30k": ("en", "de", "fr"), "small-parallel-enja": ("en", "ja")}
"""Registered corpora with their languages."""

CHECKED_TOGETHER, LEAST_CORRELATION = 200, 0.3
"""So many pairs are checked together by `mismatch`, and the least correlation of their lengths."""

PUNCTUATION = "PUNCT"
"""Tag of a token that is no word; no phrase contains one."""

Tagged = list[list[tuple[str, str]]]
"""The (token, tag) pairs of each line; the tag is ``""`` if a language has no tags."""

_JOIN_CLITICS = re.compile(r"(?<=\w) (?=['’](?:s|re|ve|ll|d|m|t)(?![^\W_]))", re.IGNORECASE)
_BLANKS_IN_JAPANESE = re.compile(r"(?<=[^\x00-\x7f]) +| +(?=[^\x00-\x7f])")
_HYPHENS = frozenset("-‐‑")
_PIECE = re.compile(r"[^\W\d_]+['’](?=[^\W\d_])|\d+(?:[.,]\d+)*|[^\W_]+|[^\w\s]|_")


@dataclass(frozen=True)
class ParallelText:
    """Sentences in two languages.

    Attributes
    ----------
    languages : (str, str)
    first, second : tuple of str
        The sentences; ``first[i]`` and ``second[i]`` are translations of each other.
    signature : str
        Name, languages and the first digits of the sentences' SHA-256.
    """

    languages: tuple[str, str]
    first: tuple[str, ...] = field(repr=False)
    second: tuple[str, ...] = field(repr=False)
    signature: str

    def side(self, language: str) -> tuple[str, ...]:
        """The sentences in one of the two languages.

        Raises
        ------
        InputError
            The text is not in that language.
        """
        if language not in self.languages:
            raise InputError(f"The parallel text is in {' and '.join(self.languages)}, not in {language!r}.")
        return self.first if language == self.languages[0] else self.second

    def other(self, language: str) -> str:
        """The language that is not `language`."""
        self.side(language)
        return self.languages[1] if language == self.languages[0] else self.languages[0]


def parallel_text(
    first: Sequence[str], second: Sequence[str], languages: tuple[str, str], *, name: str = "pairs"
) -> ParallelText:
    """Sentence pairs held in memory.

    Parameters
    ----------
    first, second : sequence of str
        ``first[i]`` and ``second[i]`` are translations of each other; none is empty.
    languages : (str, str)
        Language of each side, such as ``("en", "de")``.
    name : str
        For the signature.

    Raises
    ------
    InputError
        The sides differ in length, or there are no sentences.

    Examples
    --------
    >>> text = parallel_text(["A dog runs."], ["Ein Hund rennt."], ("en", "de"))
    >>> text.side("de")
    ('Ein Hund rennt.',)
    """
    if len(first) != len(second) or not len(first):
        raise InputError(f"{name}: {len(first)} sentences in {languages[0]} and {len(second)} in {languages[1]}.")
    digest = hashlib.sha256("\n".join((*first, "", *second)).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    signature = f"{name}:{languages[0]}-{languages[1]}:{len(first)}@{digest}"
    return ParallelText(languages, tuple(first), tuple(second), signature)


def mismatch(first: Sequence[str], second: Sequence[str]) -> tuple[int, float] | None:
    """Where sentence pairs stop being translations, judged by their lengths (Gale & Church 1993).

    The logarithms of the lengths in characters of a sentence and its translation correlate at 0.9 in English and
    German and at 0.6 in English and Japanese; those of unrelated sentences do not correlate.

    Returns
    -------
    (int, float) or None
        First pair of the first `CHECKED_TOGETHER` pairs that correlate below `LEAST_CORRELATION`, and their
        correlation; None where there are no such pairs, and for fewer pairs, about which nothing can be said.
    """
    lengths = np.log([[max(len(text), 1) for text in side] for side in (first, second)])
    for start in range(0, lengths.shape[1] - CHECKED_TOGETHER + 1, CHECKED_TOGETHER):
        part = lengths[:, start : start + CHECKED_TOGETHER]
        if part.std(axis=1).min() < 0.1:  # sentences of one length cannot tell
            continue
        correlation = float(np.corrcoef(part)[0, 1])
        if correlation < LEAST_CORRELATION:
            return start, correlation
    return None


def open_parallel(name: str, language: str = "en") -> ParallelText:
    """A registered parallel corpus by name, one sentence a line; pairs with an empty side are left out.

    Parameters
    ----------
    name : str
        One of `CORPORA`.
    language : str
        One of its languages; the other side is the first other language of the corpus.

    Raises
    ------
    InputError
        The corpus is unknown or not in that language.
    ResourceNotFoundError
        It is not found; the message says where it was looked for.
    DataFormatError
        The files differ in length, a line is not UTF-8, the packed data is damaged, or the lines do not correspond
        (see `mismatch`), as after a line lost in one of them; with file and line.

    Examples
    --------
    >>> open_parallel("multi30k", "en").languages  # doctest: +SKIP
    ('en', 'de')
    """
    known = CORPORA.get(name, ())
    if language not in known:
        raise InputError(f"There is no corpus {name!r} in {language!r}; there are {CORPORA}.")
    pivot = next(other for other in known if other != language)
    folder = find(name).path
    paths = [folder / f"train.{side}.gz" for side in (language, pivot)]
    sides: tuple[list[str], list[str]] = ([], [])
    numbers = []
    with open_text(paths[0]) as one, open_text(paths[1]) as two:
        for number, lines in enumerate(zip_longest(one, two), start=1):
            if None in lines:
                short, long = paths if lines[0] is None else paths[::-1]
                reason = f"ends after {number - 1} lines, and {long.name} goes on: not the same number of lines"
                raise DataFormatError(short, number, reason)
            if all(map(str.strip, lines)):
                numbers.append(number)
                for side, line in zip(sides, lines):
                    side.append(line.strip())
    if found := mismatch(*sides):
        start, correlation = found
        reason = (
            f"from about here on the lines do not translate those of {paths[0].name}: the lengths of "
            f"{CHECKED_TOGETHER} pairs correlate at {correlation:.2f}, and translations at 0.5 or more"
        )
        raise DataFormatError(paths[1], numbers[start], reason)
    return parallel_text(*sides, (language, pivot), name=name)


# ------------------------------------------------------------------------------------------------------------ words


def analyse(lines: Sequence[str], language: str) -> Tagged:
    """Cut and tag the lines of a language.

    English: `nbhelpers.language`, tagged in context by the shipped tagger; Japanese: Sudachi; both with universal
    parts of speech, and the words that are left without punctuation are those of ``tokens.tokenize``. Any other
    language is cut at everything that is neither letter nor digit and has no tags. Hyphens are dropped, as texts
    differ in them.
    """
    return {"en": _english, "ja": _japanese}.get(language, _other)(lines)


def analyser_signature(language: str) -> str:
    """Short name of what `analyse` uses, for signatures."""
    if language == "en":
        return load_english().signature
    return japanese_signature() if language == "ja" else "letters"


def _english(lines: Sequence[str]) -> Tagged:
    engine = load_english()
    # Corpora that are already tokenised write "can 't"; the tokenizer makes "ca n't" of "can't".
    tokens = [tokenize(_JOIN_CLITICS.sub("", line.replace("’", "'"))) for line in lines]
    return [
        [
            (token.lower(), coarse_tag(tag) if is_word(token) else PUNCTUATION)
            for token, tag in zip(words, tags, strict=True)
            if token not in _HYPHENS
        ]
        for words, tags in zip(tokens, engine.tag(tokens), strict=True)
    ]


def _japanese(lines: Sequence[str]) -> Tagged:
    result = []
    for line in lines:
        line = _BLANKS_IN_JAPANESE.sub("", line)
        text, place = unicodedata.normalize("NFKC", line), 0
        tagged = []
        for word in japanese_words(line):
            start = text.find(word.surface, place)
            if start > place and text[place:start].strip():
                tagged.append((text[place:start].strip(), PUNCTUATION))
            is_plain = not any(character.isspace() for character in word.surface)
            tag = japanese_tag(word.part_of_speech) if is_plain else PUNCTUATION
            tagged.append((word.surface, tag))
            place = max(place, start + len(word.surface))
        if text[place:].strip():
            tagged.append((text[place:].strip(), PUNCTUATION))
        result.append(tagged)
    return result


def _other(lines: Sequence[str]) -> Tagged:
    return [
        [
            (piece, "" if piece[0].isalnum() else PUNCTUATION)
            for piece in _PIECE.findall(line.lower().replace("’", "'"))
            if piece not in _HYPHENS
        ]
        for line in lines
    ]
