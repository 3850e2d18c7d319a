"""Readers of wordnets in their official formats.

* WordNet's own files (``data.noun``, ``noun.exc``, …; wndb(5WN) and morphy(7WN)), from a folder or from NLTK's zip;
  neither ``lexnames`` nor the index files are needed, and nothing is ever written beside them
* Open English WordNet as JSON lines
* Japanese WordNet (Bond et al. 2009): ``wnjpn-*.tab`` (synset, lemma, confidence), the same words in the layout of the
  Open Multilingual Wordnet, and the SQLite distribution ``wnjpn.db``
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from nbhelpers.base.errors import DataFormatError, ResourceNotFoundError
from nbhelpers.base.files import open_text

FILE_NAMES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""WordNet's letters for parts of speech, and how its files are called."""

_SATELLITE = {"s": "a"}  # adjective satellites are adjectives


class Synset(NamedTuple):
    """Words with one meaning.

    Attributes
    ----------
    part_of_speech : str
        ``n``, ``v``, ``a`` or ``r``; ``x`` for a phrase that is used as it stands.
    lemmas : tuple of str
        Words and expressions as the dictionary writes them, with blanks between words.
    only_targets : frozenset of str
        Those of the lemmas that may stand for the others, but cannot be replaced by them.
    """

    part_of_speech: str
    lemmas: tuple[str, ...]
    only_targets: frozenset[str] = frozenset()


Exceptions = dict[str, dict[str, tuple[str, ...]]]
"""For each part of speech the irregular forms with their lemmas (women → woman)."""


# ------------------------------------------------------------------------------------------ WordNet's own format


def _wordnet_lines(place: Path, name: str) -> Iterator[tuple[int, str]] | None:
    """Numbered lines of one of WordNet's files, in a folder or a zip archive; None where there is no such file."""
    if place.is_dir():
        path = next((p for p in (place / name, place / "dict" / name) if p.is_file()), None)
        if path is None:
            return None
        with open_text(path) as reader:
            return enumerate(reader.read().split("\n"), 1)
    try:
        with zipfile.ZipFile(place) as archive:
            member = next((m for m in archive.namelist() if m.split("/")[-1] == name), None)
            if member is None:
                return None
            return enumerate(io.TextIOWrapper(archive.open(member), "utf-8").read().split("\n"), 1)
    except (zipfile.BadZipFile, EOFError, UnicodeDecodeError) as error:
        raise DataFormatError(place, None, f"is no folder and no readable zip archive ({error})") from None


def read_wordnet(place: str | Path, parts_of_speech: str = "nv") -> tuple[list[Synset], Exceptions]:
    """Synsets and irregular forms from WordNet's own files.

    Parameters
    ----------
    place : path
        Folder with ``data.noun``, ``data.verb``, … (or with a folder ``dict`` that holds them), such as Debian's
        ``/usr/share/wordnet`` or NLTK's ``corpora/wordnet``; or NLTK's ``wordnet.zip``.
    parts_of_speech : str
        Which of ``n``, ``v``, ``a``, ``r``.

    Returns
    -------
    synsets : list of Synset
        In the order of the files.
    exceptions : dict
        From the ``.exc`` files; empty for a part of speech without one.

    Raises
    ------
    ResourceNotFoundError
        A data file is missing.
    DataFormatError
        With file and line: a line that is not a synset or not an exception.
    """
    place = Path(place)
    if not place.exists():
        raise ResourceNotFoundError(f"There is no WordNet at {place}.")
    synsets: list[Synset] = []
    exceptions: Exceptions = {}
    for part in (part for part in FILE_NAMES if part in parts_of_speech):
        name = f"data.{FILE_NAMES[part]}"
        lines = _wordnet_lines(place, name)
        if lines is None:
            raise ResourceNotFoundError(f"{place} is no WordNet: it holds no {name}.")
        for number, line in lines:
            if line and not line.startswith("  "):  # the licence stands in lines that begin with two blanks
                synsets.append(Synset(part, _wordnet_words(line, place / name, number)))
        irregular: dict[str, tuple[str, ...]] = {}
        for number, line in _wordnet_lines(place, f"{FILE_NAMES[part]}.exc") or ():
            words = line.split()
            if len(words) == 1:
                raise DataFormatError(place / f"{FILE_NAMES[part]}.exc", number, "names a form without its lemma")
            if words:
                irregular[words[0]] = irregular.get(words[0], ()) + tuple(words[1:])
        exceptions[part] = irregular
    return synsets, exceptions


_MARKER = re.compile(r"\((?:a|p|ip)\)$")  # where an adjective stands: attributive, predicative, after its noun


def _wordnet_words(line: str, path: Path, number: int) -> tuple[str, ...]:
    fields = line.split(" | ", 1)[0].split()
    try:
        int(fields[0])
        count = int(fields[3], 16)
        words = fields[4 : 4 + 2 * count : 2]
        if len(fields[2]) != 1 or count < 1 or len(words) < count or not fields[4 + 2 * count].isdigit():
            raise ValueError
    except (IndexError, ValueError):
        raise DataFormatError(path, number, "is no synset: offset, file, type, word count, words, …") from None
    return tuple(_MARKER.sub("", word).replace("_", " ") for word in words)


# --------------------------------------------------------------------------------------------- other wordnets


def read_open_english_wordnet(path: str | Path, parts_of_speech: str = "nv") -> list[Synset]:
    """Synsets of Open English WordNet as JSON lines.

    Parameters
    ----------
    path : path
        ``oewn_synsets.jsonl.gz`` or the folder that holds it; every line is an object with ``pos`` and ``members``.
    parts_of_speech : str

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        With file and line: no JSON, or no synset.
    """
    path, parts = Path(path), parts_of_speech
    if path.is_dir():
        names = ("oewn_synsets.jsonl", "oewn_synsets.jsonl.gz")
        path = next((path / name for name in names if (path / name).is_file()), path / names[-1])
    synsets = []
    with open_text(path) as reader:
        for line in reader:
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
                part, members = entry["pos"], entry["members"]
                part = _SATELLITE.get(part, part)
                if not isinstance(members, list) or not members or not all(isinstance(m, str) and m for m in members):
                    raise ValueError("members are no list of words")
            except (ValueError, KeyError, TypeError) as error:
                raise DataFormatError(path, reader.line, f"is no synset as JSON ({error})") from None
            if part in parts:
                synsets.append(Synset(part, tuple(member.replace("_", " ") for member in members)))
    return synsets


_SYNSET_ID = re.compile(r"\d+-([nvasr])")


def read_japanese_wordnet(path: str | Path, parts_of_speech: str = "nv") -> list[Synset]:
    """Synsets of Japanese WordNet.

    Parameters
    ----------
    path : path
        ``wnjpn-ok.tab`` or ``wnjpn-all.tab`` (synset, lemma, confidence; packed or not), ``wn-data-jpn.tab`` of the
        Open Multilingual Wordnet (synset, ``jpn:lemma``, lemma), or the SQLite file ``wnjpn.db``.
    parts_of_speech : str

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        With file and line: a line of another shape; a database without the tables ``word`` and ``sense``.
    """
    path, parts = Path(path), parts_of_speech
    if not path.is_file():
        raise ResourceNotFoundError(f"There is no Japanese WordNet at {path}.")
    rows = _sqlite_rows(path) if path.read_bytes()[:15] == b"SQLite format 3" else _tab_rows(path)
    members: dict[str, dict[str, None]] = {}
    for synset, lemma in rows:
        members.setdefault(synset, {})[lemma.replace("_", " ")] = None
    part_of = {synset: _SATELLITE.get(synset[-1], synset[-1]) for synset in members}
    return [Synset(part_of[s], tuple(lemmas)) for s, lemmas in members.items() if part_of[s] in parts]


def _tab_rows(path: Path) -> Iterator[tuple[str, str]]:
    with open_text(path) as reader:
        for line in reader:
            if not line.strip() or line.startswith("#"):
                continue
            fields = [field.strip() for field in line.rstrip("\n").split("\t")]
            kind = fields[1] if len(fields) > 2 and (fields[1] == "lemma" or ":" in fields[1]) else ""
            if kind and kind not in ("lemma", "jpn:lemma"):
                continue  # definitions and examples of the Open Multilingual Wordnet
            lemma = fields[2] if kind else fields[1] if len(fields) > 1 else ""
            if not _SYNSET_ID.fullmatch(fields[0]) or not lemma:
                raise DataFormatError(path, reader.line, "is not synset, lemma and confidence, separated by tabs")
            yield fields[0], lemma


def _sqlite_rows(path: Path) -> list[tuple[str, str]]:
    import sqlite3

    query = (
        "SELECT sense.synset, word.lemma FROM sense JOIN word ON sense.wordid = word.wordid "
        "WHERE word.lang = 'jpn' ORDER BY sense.synset, word.wordid"
    )
    try:
        with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            rows = connection.execute(query).fetchall()
    except sqlite3.Error as error:
        raise DataFormatError(path, None, f"is not the database of Japanese WordNet ({error})") from None
    for synset, lemma in rows:
        if not _SYNSET_ID.fullmatch(str(synset)) or not isinstance(lemma, str) or not lemma:
            raise DataFormatError(path, None, f"has a sense that is no synset and lemma: {synset!r}, {lemma!r}")
    return rows
