"""Read rated pairs: the Continuous Scale Meaning Dataset (CSMD), the rating files it was made from, the project's own.

CSMD (Beauchemin, Saggion & Khoury 2023, Frontiers in Artificial Intelligence 6, section 3.1) holds 1,355 pairs of a
sentence and its simplification, rated from 0 (nothing of the meaning is kept) to 100 (all of it). They come from four
collections, whose files are read here as well, so that ratings can be traced.

Files are foreign input: a missing column, an empty cell, a rating that is no number or outside the scale, or a row that
is cut off is a `DataFormatError` with its line. Pairs that occur twice are kept: what is twice in the data is a finding
(`nbhelpers.studies.meaningbert.audits`), not an error.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from nbhelpers.base.errors import DataFormatError, ResourceNotFoundError
from nbhelpers.base.files import table_rows
from nbhelpers.resources import challenge, data

COLLECTIONS = ("ASSET", "SimpDA-2022", "Simplicity-DA", "QuestEval")
"""The four collections that CSMD was made from, in the order in which its authors' script put them together."""

_FILES = {
    "train": "meaning/train.tsv",
    "dev": "meaning/dev.tsv",
    "test": "meaning/test.tsv",
    "identical": "holdout/identical.tsv",
    "unrelated": "holdout/unrelated.tsv",
}


@dataclass(frozen=True)
class RatedPair:
    """Two texts and how much of the first one's meaning the second keeps.

    Attributes
    ----------
    source, candidate : str
        As the file has them, white space included.
    rating : float
        From 0 (another meaning) to 100 (the same).
    row : int
        Number of the pair in its file, from 1; the header does not count.
    origin : str
        Collection or kind that the pair belongs to; empty where the file does not say.
    """

    source: str
    candidate: str
    rating: float
    row: int
    origin: str = ""


@dataclass(frozen=True)
class Csmd:
    """CSMD as published: three parts of rated pairs, and two holdouts of 359 pairs."""

    train: tuple[RatedPair, ...]
    dev: tuple[RatedPair, ...]
    test: tuple[RatedPair, ...]
    identical: tuple[RatedPair, ...]
    unrelated: tuple[RatedPair, ...]
    located: data.Located

    @property
    def pairs(self) -> tuple[RatedPair, ...]:
        """Training, development and test pairs, in this order."""
        return self.train + self.dev + self.test


@dataclass(frozen=True)
class SourceRatings:
    """Ratings of meaning in one of the collections that CSMD was made from.

    Attributes
    ----------
    ratings : mapping
        ``(source, candidate)``, each as `normalized` gives it, to the ratings (0 to 100) that stand for the pair: the
        mean over its annotators; several of them where the collection lists the pair more than once.
    """

    ratings: Mapping[tuple[str, str], tuple[float, ...]]

    def of(self, source: str, candidate: str) -> tuple[float, ...]:
        """Ratings of a pair; none where the collection does not hold it."""
        return self.ratings.get((normalized(source), normalized(candidate)), ())


def normalized(text: str) -> str:
    """The text by which sentences are compared: composed Unicode characters, one space between words.

    Examples
    --------
    >>> normalized("  A  cafe\u0301. ")
    'A café.'
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


# -------------------------------------------------------------------------------------------------------- tables


def _rows(path: Path, source: str, candidate: str, rating: str, **csv_format) -> Iterator[tuple[dict, str, str, float]]:
    """Cells by column, source, candidate and rating of each row; columns may stand in any order."""
    for line, cells in table_rows(path, **csv_format):
        if lacking := [name for name in (source, candidate, rating) if name not in cells]:
            raise DataFormatError(path, 1, f"the header lacks {', '.join(lacking)}")
        for name in (source, candidate):
            if not cells[name].strip():
                raise DataFormatError(path, line, f"the {name} is empty")
        yield cells, cells[source], cells[candidate], _number(path, line, rating, cells[rating])


def _number(path: Path, line: int, column: str, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 100:
        raise DataFormatError(path, line, f"the {column} {cell!r} is no number from 0 to 100")
    return value


def read_pairs(path: str | Path) -> tuple[RatedPair, ...]:
    """Read rated pairs from a file in CSMD's format.

    The format: UTF-8, tab-separated, cells quoted as in CSV where they need it, a header with ``original``,
    ``simplification`` and ``label``. Packed files are unpacked on the way.

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        With file and line: a missing column, an empty cell, a label that is no number from 0 to 100, a row with too
        few cells; or no pairs at all.
    """
    rows = _rows(Path(path), "original", "simplification", "label", delimiter="\t")
    pairs = tuple(RatedPair(*pair, row) for row, (_, *pair) in enumerate(rows, start=1))
    if not pairs:
        raise DataFormatError(path, None, "holds no pairs")
    return pairs


def read_meaning_pairs() -> tuple[RatedPair, ...]:
    """The pairs written and rated for this project (``data/corpus/meaning-pairs.tsv``).

    The kind of change becomes the pair's `origin`.

    Examples
    --------
    >>> pairs = read_meaning_pairs()
    >>> len(pairs), pairs[0].origin, pairs[0].rating
    (250, 'lexical paraphrase', 96.0)
    """
    pairs = challenge.read("rated-pairs").pairs
    return tuple(RatedPair(p.source, p.candidate, p.label, row, p.kind) for row, p in enumerate(pairs, start=1))


def read_csmd(path: str | Path | None = None) -> Csmd:
    """Read CSMD from where `nbhelpers.resources.data.find` has it, or from a given folder.

    Parameters
    ----------
    path : path, optional
        A folder in the layout of the official repository (``meaning/``, ``holdout/``), or a clone that holds them in
        ``dataset/``.

    Returns
    -------
    Csmd

    Raises
    ------
    ResourceNotFoundError
        It is not there, or lacks a file.
    DataFormatError
        As `read_pairs`.

    Examples
    --------
    >>> csmd = read_csmd()  # doctest: +SKIP
    >>> len(csmd.pairs)  # doctest: +SKIP
    1355
    """
    located = data.find("csmd", path, allow_shipped=False)
    folder = located.path / "dataset" if (located.path / "dataset").is_dir() else located.path
    lacking = [file for file in _FILES.values() if not (folder / file).is_file()]
    if lacking:
        raise ResourceNotFoundError(f"{folder} lacks {', '.join(lacking)} of CSMD")
    return Csmd(**{part: read_pairs(folder / file) for part, file in _FILES.items()}, located=located)


def read_word_soups(path: str | Path | None = None) -> dict[str, tuple[RatedPair, ...]]:
    """CSMD's augmented parts and unrelated pairs as first released, with random words as in the article.

    Parameters
    ----------
    path : path, optional
        The folder; by default where `nbhelpers.resources.data.find` has ``csmd-word-soup``.

    Returns
    -------
    dict
        ``train``, ``dev`` and ``test`` (human ratings, identical pairs and soups), ``unrelated`` (359 soups).

    Raises
    ------
    ResourceNotFoundError, DataFormatError
        A file is missing, or does not follow its format.
    """
    folder = data.find("csmd-word-soup", path, allow_shipped=False).path
    return {part: read_pairs(folder / f"{part}.tsv") for part in ("train", "dev", "test", "unrelated")}


# ------------------------------------------------------------------------------------------- where ratings come from


def _ratings(path: Path, *columns: str, **only: str) -> dict[tuple[str, str], list[float]]:
    """Ratings of each pair in a CSV file; `only` keeps rows with that value in that column."""
    ratings: dict[tuple[str, str], list[float]] = {}
    for cells, source, candidate, rating in _rows(path, *columns):
        if all(cells[name] == value for name, value in only.items()):
            ratings.setdefault((normalized(source), normalized(candidate)), []).append(rating)
    if not ratings:
        raise DataFormatError(path, None, "holds no ratings")
    return ratings


def _means(ratings: dict[tuple[str, str], list[float]]) -> SourceRatings:
    return SourceRatings({pair: (sum(values) / len(values),) for pair, values in ratings.items()})


def read_source_ratings(path: str | Path | None = None) -> dict[str, SourceRatings]:
    """Ratings of SimpDA-2022, Simplicity-DA and QuestEval from the files that CSMD was made from (``csmd/sources``).

    A SimpDA-2022 rating is the mean of ``Answer.adequacy`` over the annotators of a pair, as LENS publishes them, and a
    QuestEval rating the mean of its ratings of meaning; Simplicity-DA's file gives one mean for each output of a system
    (``meaning``), and lists four pairs twice because two systems wrote the same. Pairs stand in the order of the file.

    Parameters
    ----------
    path : path, optional
        The folder; by default where `nbhelpers.resources.data.find` has ``csmd-sources``.

    Returns
    -------
    dict
        By name of the collection.

    Raises
    ------
    ResourceNotFoundError, DataFormatError
        A file is missing, or does not follow its format.
    """
    folder = data.find("csmd-sources", path, allow_shipped=False).path
    simpda = _packed(folder, "lens_simpDA_2022.csv")
    simplicity = _ratings(_packed(folder, "simplicity_DA.csv"), "orig_sent", "simp_sent", "meaning")
    questeval = _packed(folder, "questeval_simplification_likert_ratings_cleaned.csv")
    return {
        "SimpDA-2022": _means(_ratings(simpda, "Input.original", "Input.simplified", "Answer.adequacy")),
        "Simplicity-DA": SourceRatings({pair: tuple(values) for pair, values in simplicity.items()}),
        "QuestEval": _means(_ratings(questeval, "source", "simplification", "rating", aspect="meaning")),
    }


def read_asset_ratings() -> SourceRatings:
    """ASSET's human ratings of meaning: the mean over the annotators of each of its 100 rated pairs.

    Raises
    ------
    ResourceNotFoundError, DataFormatError
        As `read_source_ratings`.
    """
    path = data.find("asset-ratings", allow_shipped=False).path
    return _means(_ratings(path, "original", "simplification", "rating", aspect="meaning"))


def _packed(folder: Path, name: str) -> Path:
    return folder / name if (folder / name).is_file() else folder / f"{name}.gz"
