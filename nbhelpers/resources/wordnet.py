"""WordNet in its own file format, wherever it lies, through NLTK's reader."""

from __future__ import annotations

import contextlib
import functools
import io
import warnings
from pathlib import Path
from typing import Any

from nbhelpers.base.errors import DataFormatError, ResourceNotFoundError
from nbhelpers.resources import data


@functools.lru_cache(maxsize=4)
def _read(folder: Path, digest: str) -> Any:
    """NLTK's reader on any folder; Debian's lack `lexnames`, which synonyms do not need.

    NLTK opens files only below `nltk.data.path`. That this folder is to be read was settled by who registered it.
    """
    from nltk.corpus.reader.wordnet import WordNetCorpusReader, WordNetError
    from nltk.data import PathPointer, SeekableUnicodeStreamReader

    class Root(PathPointer):
        open = file_size = join = None  # never asked: the reader opens its files by itself

    class Reader(WordNetCorpusReader):
        def open(self, file: str) -> Any:
            if file == "lexnames" and not (folder / file).exists():
                return io.StringIO("".join(f"{number:02} unknown.{number} 0\n" for number in range(64)))
            return SeekableUnicodeStreamReader((folder / file).open("rb"), "utf8")

        def map_wn(self, version: str = "wordnet") -> None:
            """Other languages are not read, so nothing has to be mapped to the version they refer to."""

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are no other languages
        try:
            return Reader(Root(), None)
        except (OSError, ValueError, WordNetError) as error:
            raise DataFormatError(folder, None, f"is no WordNet, or is damaged: {error}") from error


def find_wordnet() -> tuple[Any, str]:
    """WordNet through NLTK's reader, and its label in signatures: `nbhelpers.resources.data`'s, else NLTK's own.

    Raises
    ------
    ResourceNotFoundError
        This machine has neither; the message says how to get one.
    DataFormatError
        A file of it is missing or damaged.
    """
    import nltk
    from nltk.corpus import wordnet

    try:
        located = data.find("wordnet", allow_shipped=False)
        return _read(located.path, located.sha256), located.sha256[:8]
    except ResourceNotFoundError:
        for place in ("corpora/wordnet", "corpora/wordnet.zip"):
            with contextlib.suppress(LookupError, OSError):  # the second where NLTK refuses to open it
                found = nltk.data.find(place)
                if isinstance(found, nltk.data.FileSystemPathPointer) and Path(found).is_dir():
                    return _read(Path(found), data.sha256(Path(found))), "nltk"
                wordnet.ensure_loaded()
                return wordnet, "nltk"
        raise
