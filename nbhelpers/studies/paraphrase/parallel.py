"""Parallel text: sentences and their translations, read line by line from two files, with the words of each side.

The three corpora of the registry open by name (`open_parallel`); `read_parallel` takes any two files of one sentence
per line. Words are cut as the matcher cuts them (`nbhelpers.studies.paraphrase.tokens`), but punctuation marks stay
among them here, tagged ``PUNCT``: the aligner needs them, and no phrase reaches across one.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path

import numpy as np

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.files import open_text
from nbhelpers.resources.data import find
from nbhelpers.studies.paraphrase import tokens as matcher_tokens

CORPORA = {"news-commentary": ("en", "de"), "multi30k": ("en", "de", "fr"), "small-parallel-enja": ("en", "ja")}
"""Registered corpora with their languages."""

CHECKED_TOGETHER, LEAST_CORRELATION = 200, 0.3
"""So many pairs are checked together by `mismatch`, and the least correlation of their lengths."""

PUNCTUATION = "PUNCT"
"""Tag of a token that is no word; no phrase contains one."""

Analyser = Callable[[Sequence[str]], list[list[tuple[str, str]]]]
"""From lines to the (token, tag) pairs of each line; the tag is ``""`` where a language has no tags."""

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
    description : str
        One line for a notebook; it holds no folder of this machine.
    left_out : tuple of int
        Line numbers (from 1) of pairs that were left out because one side is empty.
    """

    languages: tuple[str, str]
    first: tuple[str, ...] = field(repr=False)
    second: tuple[str, ...] = field(repr=False)
    signature: str
    description: str = ""
    left_out: tuple[int, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        """Number of sentence pairs."""
        return len(self.first)

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
    first: Sequence[str],
    second: Sequence[str],
    languages: tuple[str, str],
    *,
    name: str = "pairs",
    description: str = "",
    left_out: tuple[int, ...] = (),
) -> ParallelText:
    """Sentence pairs held in memory.

    Raises
    ------
    InputError
        The sides differ in length, a sentence is empty or no string, there are none, or the languages are the same.
    """
    if len(languages) != 2 or languages[0] == languages[1]:
        raise InputError(f"A parallel text is in two languages, not in {languages!r}.")
    if isinstance(first, str) or isinstance(second, str):
        raise InputError(f"{name}: each side is a sequence of sentences, not one string.")
    if len(first) != len(second):
        raise InputError(f"{name}: {len(first)} sentences in {languages[0]} and {len(second)} in {languages[1]}.")
    if not len(first):
        raise InputError(f"{name}: there are no sentence pairs.")
    for language, side in zip(languages, (first, second), strict=True):
        for number, sentence in enumerate(side, start=1):
            if not isinstance(sentence, str) or not sentence.strip():
                raise InputError(f"{name}: sentence {number} in {language} is empty or no text: {sentence!r:.60}.")
    digest = hashlib.sha256("\n".join((*first, "", *second)).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    signature = f"{name}:{languages[0]}-{languages[1]}:{len(first)}@{digest}"
    return ParallelText(
        tuple(languages),
        tuple(first),
        tuple(second),
        signature,
        description or f"{name}, {len(first):,} pairs",
        left_out,
    )


def read_parallel(
    first: str | Path,
    second: str | Path,
    languages: tuple[str, str],
    *,
    name: str = "",
    empty: str = "error",
    limit: int | None = None,
    check: bool = True,
) -> ParallelText:
    """Read two files whose lines are translations of each other.

    Parameters
    ----------
    first, second : path
        One sentence a line, UTF-8, plain or packed (gzip, xz, bzip2).
    languages : (str, str)
        Language of each file, such as ``("en", "de")``.
    name : str
        For the signature; by default the name of the first file's folder.
    empty : {"error", "skip"}
        What becomes of a pair with an empty line. "skip" leaves it out and counts it in `ParallelText.left_out`.
    limit : int, optional
        Read so many pairs; the lengths of the files are then compared only as far as they are read.
    check : bool
        Whether to refuse files whose lines do not correspond (see `mismatch`), as after a line lost in one of them.

    Raises
    ------
    ResourceNotFoundError
        A file is not there.
    DataFormatError
        The files differ in length, a line is empty (unless skipped) or not UTF-8, the packed data is damaged, or the
        lines do not correspond; with file and line.
    InputError
        `empty` or `limit` is not one of the above, or no pair is left.
    """
    first, second = Path(first), Path(second)
    if empty not in ("error", "skip"):
        raise InputError(f"empty is 'error' or 'skip', not {empty!r}.")
    if limit is not None and limit < 1:
        raise InputError(f"limit is at least 1, not {limit}.")
    sides: tuple[list[str], list[str]] = ([], [])
    numbers, left_out = [], []
    with open_text(first) as one, open_text(second) as two:
        for number, lines in enumerate(islice(zip_longest(one, two), limit), start=1):
            if None in lines:
                short, long = (first, second) if lines[0] is None else (second, first)
                reason = f"ends after {number - 1} lines, and {long.name} goes on: not the same number of lines"
                raise DataFormatError(short, number, reason)
            texts = [line.strip() for line in lines]
            if not all(texts):
                if empty == "error":
                    raise DataFormatError(first if not texts[0] else second, number, "the line is empty")
                left_out.append(number)
                continue
            for side, text in zip(sides, texts, strict=True):
                side.append(text)
            numbers.append(number)
    if check and (found := mismatch(*sides)):
        start, correlation = found
        reason = (
            f"from about here on the lines do not translate those of {first.name}: the lengths of {CHECKED_TOGETHER} "
            f"pairs correlate at {correlation:.2f}, and translations at 0.5 or more"
        )
        raise DataFormatError(second, numbers[start], reason)
    name = name or first.resolve().parent.name
    description = f"{name}, {languages[0]}-{languages[1]}, {len(sides[0]):,} pairs"
    if left_out:
        description += f" ({len(left_out)} with an empty side left out)"
    return parallel_text(*sides, languages, name=name, description=description, left_out=tuple(left_out))


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


def open_parallel(
    name: str,
    language: str = "en",
    pivot: str | None = None,
    *,
    path: str | Path | None = None,
    limit: int | None = None,
) -> ParallelText:
    """A registered parallel corpus by name.

    Parameters
    ----------
    name : str
        One of `CORPORA`.
    language, pivot : str
        The two languages; `pivot` is by default the first other language of the corpus.
    path : path, optional
        Its folder. Without it, the corpus is looked for as `nbhelpers.resources.data.find` does.
    limit : int, optional
        Take so many pairs from the beginning.

    Raises
    ------
    InputError
        The corpus is unknown or not in those languages.
    ResourceNotFoundError
        It is not at hand; the message says where it was looked for.
    DataFormatError
        As for `read_parallel`; pairs with an empty side, of which News Commentary has a few, are left out and counted.
    """
    if name not in CORPORA:
        raise InputError(f"The parallel corpus is one of {', '.join(CORPORA)}, not {name!r}.")
    known = CORPORA[name]
    if language not in known:
        raise InputError(f"{name} is in {', '.join(known)}, not in {language!r}.")
    pivot = pivot or next(other for other in known if other != language)
    if pivot not in known or pivot == language:
        raise InputError(f"{name} is in {', '.join(known)}; {pivot!r} is no language to pivot {language} through.")
    folder = find(name, path).path
    files = []
    for side in (language, pivot):
        candidates = [folder / f"train.{side}.gz", folder / f"train.{side}"]
        file = next((candidate for candidate in candidates if candidate.is_file()), None)
        if file is None:
            raise ResourceNotFoundError(f"{name}: the folder {folder} holds no train.{side}.gz.")
        files.append(file)
    return read_parallel(*files, (language, pivot), name=name, empty="skip", limit=limit)


# ------------------------------------------------------------------------------------------------------------ words


def analyser(language: str) -> Analyser:
    """What cuts and tags the lines of a language.

    English: `nbhelpers.language`, tagged in context by the shipped tagger; Japanese: Sudachi; both with universal
    parts of speech, and the words that are left without punctuation are those of ``tokens.tokenize``. Any other
    language is cut at everything that is neither letter nor digit and has no tags. Hyphens are dropped, as texts
    differ in them.
    """
    return {"en": _english, "ja": _japanese}.get(language, _other)


def analyser_signature(language: str) -> str:
    """Short name of what `analyser` uses, for signatures."""
    if language == "en":
        from nbhelpers.language.english import load_english

        return load_english().signature
    return matcher_tokens.japanese_signature() if language == "ja" else "letters"


def _english(lines: Sequence[str]) -> list[list[tuple[str, str]]]:
    from nbhelpers.language.english import coarse_tag, load_english
    from nbhelpers.language.tokens import is_word, tokenize

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


def _japanese(lines: Sequence[str]) -> list[list[tuple[str, str]]]:
    result = []
    for line in lines:
        line = _BLANKS_IN_JAPANESE.sub("", line)
        text, place = unicodedata.normalize("NFKC", line), 0
        tagged = []
        for word in matcher_tokens.japanese_words(line):
            start = text.find(word.surface, place)
            if start > place and text[place:start].strip():
                tagged.append((text[place:start].strip(), PUNCTUATION))
            is_plain = not any(character.isspace() for character in word.surface)
            tag = matcher_tokens.japanese_tag(word.part_of_speech) if is_plain else PUNCTUATION
            tagged.append((word.surface, tag))
            place = max(place, start + len(word.surface))
        if text[place:].strip():
            tagged.append((text[place:].strip(), PUNCTUATION))
        result.append(tagged)
    return result


def _other(lines: Sequence[str]) -> list[list[tuple[str, str]]]:
    return [
        [
            (piece, "" if piece[0].isalnum() else PUNCTUATION)
            for piece in _PIECE.findall(line.lower().replace("’", "'"))
            if piece not in _HYPHENS
        ]
        for line in lines
    ]
