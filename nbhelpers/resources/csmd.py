"""Read rated pairs: the Continuous Scale Meaning Dataset (CSMD), the rating files it was made from, the project's own.

CSMD (Beauchemin, Saggion & Khoury 2023, Frontiers in Artificial Intelligence 6, section 3.1) holds 1,355 pairs of a
sentence and its simplification, rated from 0 (nothing of the meaning is kept) to 100 (all of it). They come from four
collections; three of those are read here as well, so that ratings can be traced: SimpDA-2022, Simplicity-DA and ASSET.

Files are foreign input: a missing column, an empty cell, a rating that is no number or outside the scale, or a file
that is cut off is a `DataFormatError` with its line. Pairs that occur twice are kept: what is twice in the data is a
finding (`nbhelpers.studies.meaningbert.audits`), not an error.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.files import open_text
from nbhelpers.resources import data

HUB = "davebulaval/CSMD"
"""The data set on the Hugging Face hub; given as `path` to `read_csmd`, takes it from there."""

COLLECTIONS = ("ASSET", "SimpDA-2022", "Simplicity-DA", "QuestEval")
"""The four collections that CSMD was made from, in the order in which its authors' script put them together."""

_COLUMNS = ("original", "simplification", "label")
_OWN_COLUMNS = ("id", "kind", "source", "candidate", "rating", "second_rating", "note")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_FILES = {
    "train": "meaning/train.tsv",
    "dev": "meaning/dev.tsv",
    "test": "meaning/test.tsv",
    "augmented_train": "meaning_with_data_augmentation/train_da.tsv",
    "augmented_dev": "meaning_with_data_augmentation/dev_da.tsv",
    "augmented_test": "meaning_with_data_augmentation/test_da.tsv",
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
    """CSMD as published: three parts, the same with the authors' augmentation, and two holdouts of 359 pairs."""

    train: tuple[RatedPair, ...]
    dev: tuple[RatedPair, ...]
    test: tuple[RatedPair, ...]
    augmented_train: tuple[RatedPair, ...]
    augmented_dev: tuple[RatedPair, ...]
    augmented_test: tuple[RatedPair, ...]
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
    name : str
        One of `COLLECTIONS`.
    ratings : mapping
        ``(source, candidate)``, each as `normalized` gives it, to the ratings (0 to 100) that stand for the pair: the
        mean over its annotators; several of them where the collection lists the pair more than once.
    located : Located
    """

    name: str
    ratings: Mapping[tuple[str, str], tuple[float, ...]]
    located: data.Located

    def of(self, source: str, candidate: str) -> tuple[float, ...]:
        """Ratings of a pair; none where the collection does not hold it."""
        return self.ratings.get((normalized(source), normalized(candidate)), ())


def normalized(text: str) -> str:
    """The text by which sentences are compared: composed Unicode characters, one space between words."""
    return " ".join(unicodedata.normalize("NFC", text).split())


# ------------------------------------------------------------------------------------------------------- tables


def _table(
    path: str | Path, columns: tuple[str, ...], *, delimiter: str = "\t", quoting: int = csv.QUOTE_MINIMAL
) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and cells of each row; columns may stand in any order, and further ones are passed over."""
    with open_text(path) as reader:
        last = ""

        def lines() -> Iterator[str]:
            nonlocal last
            for text in reader:
                last = text
                yield text

        rows = csv.reader(lines(), delimiter=delimiter, quoting=quoting, strict=True)
        header: list[str] | None = None
        while True:
            line = reader.line + 1  # of the row that comes: a quoted cell may hold line breaks
            try:
                row = next(rows, None)
            except csv.Error as error:
                raise DataFormatError(
                    reader.path, line, f"the cells cannot be told apart ({error}); cut off?"
                ) from None
            if row is None:
                break
            if header is None:
                header = row
                if lacking := [name for name in columns if name not in header]:
                    raise DataFormatError(
                        reader.path, line, f"the header lacks {', '.join(lacking)}; it has {', '.join(header)}"
                    )
                if len(set(header)) < len(header):
                    raise DataFormatError(reader.path, line, "the header has a column twice")
                continue
            if len(row) != len(header):
                reason = f"has {len(row)} cells instead of {len(header)}; cut off?"
                raise DataFormatError(reader.path, line, reason)
            yield line, dict(zip(header, row))
        if header is None:
            raise DataFormatError(reader.path, None, "is empty")
        if not last.endswith("\n"):
            # A label that lost its last digits is still a number; only the missing line break gives it away.
            reason = "the last line has no line break, as if it was cut off; add one if it is whole"
            raise DataFormatError(reader.path, reader.line, reason)


def _rating(path: str | Path, line: int, column: str, cell: str) -> float:
    if not _NUMBER.fullmatch(cell.strip()):
        raise DataFormatError(
            path, line, f"the {column} is {'empty' if not cell.strip() else repr(cell)}, not a number"
        )
    value = float(cell)
    if not 0 <= value <= 100:
        raise DataFormatError(path, line, f"the {column} {cell.strip()} is outside 0 to 100")
    return value


def _text(path: str | Path, line: int, column: str, cell: str) -> str:
    if not cell.strip():
        raise DataFormatError(path, line, f"the {column} is empty")
    return cell


def read_pairs(path: str | Path) -> tuple[RatedPair, ...]:
    """Read rated pairs from a file in CSMD's format.

    The format: UTF-8, tab-separated, cells quoted as in CSV where they need it, a header with ``original``,
    ``simplification`` and ``label``. Packed files are unpacked on the way.

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        With file and line: a missing column, an empty cell, a label that is no number or outside 0 to 100, a row with
        too few cells, a last line without its line break (the file was cut off), no pairs at all.
    """
    pairs = []
    for row, (line, cells) in enumerate(_table(path, _COLUMNS), start=1):
        source, candidate = (_text(path, line, name, cells[name]) for name in _COLUMNS[:2])
        pairs.append(RatedPair(source, candidate, _rating(path, line, "label", cells["label"]), row))
    if not pairs:
        raise DataFormatError(path, None, "holds no pairs")
    return tuple(pairs)


def read_meaning_pairs(path: str | Path | None = None, *, column: str = "rating") -> tuple[RatedPair, ...]:
    """Read the pairs written and rated for this project (``data/corpus/meaning-pairs.tsv``).

    Tab-separated columns ``id, kind, source, candidate, rating, second_rating, note`` with a header, without quoting.
    The kind of change becomes the pair's `origin`.

    Parameters
    ----------
    path : path, optional
        Another file of the same format.
    column : {"rating", "second_rating"}
        Whose rating to take. Pairs without a second rating are left out when that is asked for; `row` tells which.

    Raises
    ------
    InputError
        For another column.
    ResourceNotFoundError, DataFormatError
        As `read_pairs`; also for an id that occurs twice.
    """
    if column not in ("rating", "second_rating"):
        raise InputError(f"column is 'rating' or 'second_rating', not {column!r}.")
    path = Path(path) if path else paths.data_dir() / "corpus" / "meaning-pairs.tsv"
    pairs, ids = [], set()
    for row, (line, cells) in enumerate(_table(path, _OWN_COLUMNS, quoting=csv.QUOTE_NONE), start=1):
        for name in ("id", "kind", "source", "candidate"):
            _text(path, line, name, cells[name])
        if cells["id"] in ids:
            raise DataFormatError(path, line, f"the id {cells['id']} occurs twice")
        ids.add(cells["id"])
        rating = _rating(path, line, "rating", cells["rating"])
        if cells["second_rating"].strip():
            second = _rating(path, line, "second_rating", cells["second_rating"])
            rating = second if column == "second_rating" else rating
        elif column == "second_rating":
            continue
        pairs.append(RatedPair(cells["source"], cells["candidate"], rating, row, cells["kind"]))
    if not pairs:
        raise DataFormatError(path, None, f"holds no pairs with a {column}")
    return tuple(pairs)


# --------------------------------------------------------------------------------------------------------- CSMD


def read_csmd(path: str | Path | None = None, allow_shipped: bool = False) -> Csmd:
    """Read CSMD from where `nbhelpers.resources.data.find` has it, from a given folder, or from the Hugging Face hub.

    Parameters
    ----------
    path : path, optional
        A folder in the layout of the official repository (``meaning/``, ``meaning_with_data_augmentation/``,
        ``holdout/``; a clone that holds them in ``dataset/`` will do), or in that of the hub, where the same eight
        TSV files lie side by side. ``davebulaval/CSMD`` takes it from the Hugging Face cache or, unless
        ``NBHELPERS_OFFLINE`` is set, from the hub.
    allow_shipped : bool
        Whether the project's own pairs may stand in, if they are registered for that: all of them then are `test`,
        the other parts are empty, and ``located.is_shipped`` says so.

    Raises
    ------
    ResourceNotFoundError
        It is not at hand, lacks a file, or is there as Parquet or Arrow only.
    DataFormatError
        As `read_pairs`.
    """
    if path is not None and str(path) == HUB and not Path(HUB).exists():
        located = _from_hub()
    else:
        located = data.find("csmd", path, allow_shipped=allow_shipped)
    if located.is_shipped:
        return Csmd((), (), read_meaning_pairs(located.path), (), (), (), (), (), located)
    files = _files_in(located.path)
    parts = {part: read_pairs(file) for part, file in files.items()}
    return Csmd(**parts, located=_compared(located, files))


def _files_in(folder: Path) -> dict[str, Path]:
    """The eight files, in the repository's layout or side by side as on the hub."""
    layouts = [
        {part: base / (file if nested else Path(file).name) for part, file in _FILES.items()}
        for base in (folder, folder / "dataset")
        for nested in (True, False)
    ]
    files = max(layouts, key=lambda layout: sum(file.is_file() for file in layout.values()))
    lacking = [str(file.relative_to(folder)) for file in files.values() if not file.is_file()]
    binary = [file for pattern in ("*.parquet", "*.arrow") for file in folder.rglob(pattern)]
    if len(lacking) == len(_FILES) and binary:
        raise ResourceNotFoundError(
            f"{folder} holds CSMD as {binary[0].suffix[1:].capitalize()} ({binary[0].name}), which this project does "
            f"not read; take the TSV files of the hub's main branch ({HUB}) or of the official repository"
        )
    if lacking:
        raise ResourceNotFoundError(f"{folder} lacks {', '.join(lacking)} of CSMD")
    return files


def _compared(located: data.Located, files: Mapping[str, Path]) -> data.Located:
    """The note on checksums also for files that do not stand in the repository's layout."""
    registered = data.registry()["csmd"].files
    known = {Path(file.path).name: {file.sha256, file.sha256_development} for file in registered}
    different = sum(data.sha256(file) not in known.get(file.name, ()) for file in files.values())
    if different or "not the registered ones" not in located.note:
        return located
    return replace(located, note="real data, the registered files in another layout")


def _from_hub() -> data.Located:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    options = dict(repo_type="dataset", allow_patterns=["*.tsv"])
    reason = "NBHELPERS_OFFLINE is set"
    for origin in ("cache",) if paths.is_offline() else ("cache", "download"):
        try:
            folder = snapshot_download(HUB, local_files_only=origin == "cache", **options)
            return replace(data.find("csmd", folder), origin=origin)
        except (OSError, ValueError, HfHubHTTPError) as error:
            reason = reason if paths.is_offline() else str(error).strip().split("\n")[0]
    raise ResourceNotFoundError(f"{HUB} is not in the Hugging Face cache, and not to be had from the hub ({reason})")


# ------------------------------------------------------------------------------------------- where ratings come from


def _means(path: Path, source: str, candidate: str, rating: str, **only: str) -> dict[tuple[str, str], float]:
    """Mean rating of each pair over the rows of a CSV file; `only` keeps rows with that value in that column."""
    ratings: dict[tuple[str, str], list[float]] = {}
    for line, cells in _table(path, (source, candidate, rating, *only), delimiter=","):
        if all(cells[name] == value for name, value in only.items()):
            key = tuple(normalized(_text(path, line, name, cells[name])) for name in (source, candidate))
            ratings.setdefault(key, []).append(_rating(path, line, rating, cells[rating]))
    if not ratings:
        raise DataFormatError(path, None, "holds no ratings")
    return {key: sum(values) / len(values) for key, values in ratings.items()}


def read_source_ratings(path: str | Path | None = None) -> dict[str, SourceRatings]:
    """Ratings of SimpDA-2022 and Simplicity-DA from the files that CSMD was made from (``csmd/sources``).

    A SimpDA-2022 rating is the mean of ``Answer.adequacy`` over the annotators of a pair, as LENS publishes them;
    Simplicity-DA's file gives one mean for each output of a system (``meaning``), and lists four pairs twice because
    two systems wrote the same.

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
    located = data.find("csmd-sources", path, allow_shipped=False)
    simpda = _means(
        _packed(located.path, "lens_simpDA_2022.csv"), "Input.original", "Input.simplified", "Answer.adequacy"
    )
    file = _packed(located.path, "simplicity_DA.csv")
    simplicity: dict[tuple[str, str], tuple[float, ...]] = {}
    for line, cells in _table(file, ("orig_sent", "simp_sent", "meaning"), delimiter=","):
        key = tuple(normalized(_text(file, line, name, cells[name])) for name in ("orig_sent", "simp_sent"))
        simplicity[key] = (*simplicity.get(key, ()), _rating(file, line, "meaning", cells["meaning"]))
    return {
        "SimpDA-2022": SourceRatings("SimpDA-2022", {key: (mean,) for key, mean in simpda.items()}, located),
        "Simplicity-DA": SourceRatings("Simplicity-DA", simplicity, located),
    }


def read_asset_ratings(path: str | Path | None = None) -> SourceRatings:
    """ASSET's human ratings of meaning: the mean over the annotators of each of its 100 rated pairs.

    Raises
    ------
    ResourceNotFoundError, DataFormatError
        As `read_source_ratings`.
    """
    located = data.find("asset-ratings", path, allow_shipped=False)
    means = _means(located.path, "original", "simplification", "rating", aspect="meaning")
    return SourceRatings("ASSET", {key: (mean,) for key, mean in means.items()}, located)


def _packed(folder: Path, name: str) -> Path:
    for file in (folder / f"{name}.gz", folder / name):
        if file.is_file():
            return file
    raise ResourceNotFoundError(f"{folder} holds neither {name}.gz nor {name}")
