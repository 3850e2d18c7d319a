"""Sentences with dependency trees and marked predicates: CoNLL-U, CoNLL-2009 and NLTK's dependency treebank.

Each format has a reader that gives a list (``read_…``) and one that streams (``iterate_…``); ``.gz`` files
are read as they are. Words are syntactic words: the parts of a multiword token (*del* = *de* + *el*) count,
the multiword token itself only shapes the text; empty nodes are passed over.

Predicates are words with ``Pred=Y`` in `Token.misc`, however the file marks them:

* CoNLL-U: ``Pred=Y`` in MISC; ``Roleset=…`` in MISC, or an eleventh column with the roleset (Universal
  Propositions 1.0 for English, and 2.0); ``Y`` in the ninth column (1.0, the other languages);
* CoNLL-2009: FILLPRED and PRED.

The name of the sense, where the file has one, is ``misc["Sense"]``.
"""

from __future__ import annotations

import gzip
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError

CONLLU_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")

_RANGE = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")
_EMPTY_NODE = re.compile(r"[0-9]+\.[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class Token:
    """One syntactic word.

    Attributes
    ----------
    id : int
        Position in the sentence, from 1.
    form, lemma, upos, xpos, deprel : str
        As in the file; ``_`` where the file says nothing.
    head : int or None
        `id` of the head, 0 for the root, None in a sentence without a tree.
    misc : dict of str to str
        MISC as a mapping (``SpaceAfter=No``, ``Keep=Y``), with ``Pred`` and ``Sense`` set by the readers.
    """

    id: int
    form: str
    lemma: str
    upos: str
    xpos: str
    head: int | None
    deprel: str
    misc: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def is_predicate(self) -> bool:
        """Whether the data marks the word as a predicate."""
        return self.misc.get("Pred") == "Y"


@dataclass(frozen=True)
class Sentence:
    """One sentence; ``tokens[i].id == i + 1``.

    Attributes
    ----------
    sent_id : str
        Name from the file, else its number in the file.
    text : str
        ``# text`` of the file, else `surface_text`.
    tokens : tuple of Token
    metadata : dict of str to str
        The file's ``# key = value`` comments.
    multiword : tuple of (first, last, form, space_after)
        Multiword tokens with the ids of their first and last word.
    """

    sent_id: str
    text: str
    tokens: tuple[Token, ...]
    metadata: dict[str, str] = field(default_factory=dict, hash=False)
    multiword: tuple[tuple[int, int, str, bool], ...] = ()

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def words(self) -> list[str]:
        """The forms, in order."""
        return [token.form for token in self.tokens]

    @property
    def has_tree(self) -> bool:
        """Whether every word has a head."""
        return all(token.head is not None for token in self.tokens)

    def depths(self) -> np.ndarray:
        """Depth of each word in the tree: the root has 1, its dependents 2.

        Returns
        -------
        numpy.ndarray of int, shape (n,)

        Raises
        ------
        InputError
            When the sentence has no tree, or its heads are not one.
        """
        heads = self._heads()
        depths = [1] + [0] * len(heads)
        for word in range(1, len(heads) + 1):
            path = []
            while not depths[word]:
                path.append(word)
                word = heads[word - 1]
            above = depths[word] if word else 0
            for step, below in enumerate(reversed(path), start=1):
                depths[below] = above + step
        return np.array(depths[1:], dtype=int)

    def is_projective(self) -> bool:
        """Whether every word together with all its descendants covers an unbroken stretch of the sentence."""
        heads, size = self._heads(), len(self.tokens)
        first, last, count = list(range(size)), list(range(size)), [1] * size
        for word in np.argsort(-self.depths(), kind="stable").tolist():  # dependents before their heads
            head = heads[word] - 1
            if last[word] - first[word] + 1 != count[word]:
                return False
            if head >= 0:
                first[head], last[head] = min(first[head], first[word]), max(last[head], last[word])
                count[head] += count[word]
        return True

    def is_complete_subtree(self, start: int, stop: int) -> bool:
        """Whether the words ``start`` to ``stop - 1`` (0-based) are a word and all its descendants."""
        heads = self._heads()
        if not 0 <= start < stop <= len(heads):
            raise InputError(f"words {start} to {stop} are no span of sentence {self.sent_id} ({len(heads)} words).")
        leaving = sum(not start < head <= stop for head in heads[start:stop])
        entering = any(start < head <= stop for head in heads[:start] + heads[stop:])
        return leaving == 1 and not entering

    def predicates(self, *, verbal_only: bool = False) -> list[int]:
        """Positions (0-based) of the words that the data marks as predicates.

        Parameters
        ----------
        verbal_only : bool
            Only verbs: UPOS ``VERB`` or ``AUX``, or, without UPOS, a language-specific tag that begins with V
            (``VBD`` in the Penn tag set, ``v`` in AnCora's).

        Raises
        ------
        InputError
            When `verbal_only` is asked of a predicate that has no part of speech at all.
        """
        marked = [i for i, token in enumerate(self.tokens) if token.is_predicate]
        return [i for i in marked if self._is_verbal(self.tokens[i])] if verbal_only else marked

    def kept(self) -> list[int]:
        """Positions (0-based) of the words marked ``Keep=Y``: the shortened version of the sentence."""
        return [i for i, token in enumerate(self.tokens) if token.misc.get("Keep") == "Y"]

    def surface_text(self) -> str:
        """The text rebuilt from the words, their multiword tokens and ``SpaceAfter=No``."""
        ranges = {first: (last, form, space) for first, last, form, space in self.multiword}
        parts, position = [], 1
        while position <= len(self.tokens):
            token = self.tokens[position - 1]
            own = (position, token.form, token.misc.get("SpaceAfter") != "No")
            last, form, space = ranges.get(position, own)
            parts.append(form + " " * space)
            position = last + 1
        return "".join(parts).strip()

    def _is_verbal(self, token: Token) -> bool:
        if token.upos != "_":
            return token.upos in ("VERB", "AUX")
        if token.xpos == "_":
            raise InputError(
                f"sentence {self.sent_id}: predicate {token.form!r} has no part of speech, so it cannot be "
                "said whether it is verbal."
            )
        return token.xpos[0] in "Vv"

    def _heads(self) -> list[int]:
        heads = [token.head for token in self.tokens]
        if None in heads:
            raise InputError(f"sentence {self.sent_id} has no dependency tree.")
        fault = _tree_fault(heads)
        if fault:
            raise InputError(f"sentence {self.sent_id}: {fault}.")
        return heads


def _tree_fault(heads: list[int]) -> str | None:
    """What keeps `heads` (1-based, 0 = root) from being a tree with one root, or None."""
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    for word, head in enumerate(heads, start=1):
        if not 0 <= head <= len(heads):
            return f"word {word} has head {head}, and the sentence has {len(heads)} words"
    if heads and not roots:
        return "no word is the root"
    if len(roots) > 1:
        return f"words {', '.join(map(str, roots))} are all roots"
    seen = [0] * (len(heads) + 1)  # the walk that visited a word first; meeting one's own trail is a circle
    seen[0] = -1
    for start in range(1, len(heads) + 1):
        word = start
        while not seen[word]:
            seen[word] = start
            word = heads[word - 1]
        if seen[word] == start:
            return f"the heads run in a circle through word {word}"
    return None


def is_conllu(path: str | Path) -> bool:
    """Whether the name of a file is that of CoNLL-U: ``.conllu``, also ``.gz``."""
    return Path(path).name.removesuffix(".gz").endswith(".conllu")


def read_conllu(path: str | Path, *, require_tree: bool = True) -> list[Sentence]:
    """Read a CoNLL-U file, or a CoNLL-U Plus one that begins with the ten columns of CoNLL-U.

    Parameters
    ----------
    path : path or str
        The file, plain or ``.gz``, in UTF-8. An empty file gives an empty list.
    require_tree : bool
        False allows sentences whose heads are all ``_``; heads that are given must make a tree either way.

    Returns
    -------
    list of Sentence

    Raises
    ------
    ResourceNotFoundError
        When there is no such file.
    DataFormatError
        When a line does not follow the format, is not UTF-8, or the heads of a sentence are not a tree with
        one root (the message names the sentence).
    """
    return list(iterate_conllu(path, require_tree=require_tree))


def iterate_conllu(path: str | Path, *, require_tree: bool = True) -> Iterator[Sentence]:
    """Stream the sentences of a CoNLL-U file; otherwise as `read_conllu`."""
    predicate_column = len(CONLLU_COLUMNS)
    for block in _blocks(_source(path)):
        columns = block.metadata.get("global.columns", "").split()
        if columns:
            if tuple(columns[: len(CONLLU_COLUMNS)]) != CONLLU_COLUMNS:
                raise block.error("its columns do not begin with CoNLL-U's ten: merge it with its treebank")
            predicate_column = columns.index("UP:PRED") if "UP:PRED" in columns else None
        if block.rows:
            yield _conllu_sentence(block, predicate_column, require_tree)


def read_conll09(path: str | Path, *, require_tree: bool = False) -> list[Sentence]:
    """Read a file in the layout of the CoNLL-2009 shared task (Hajič et al. 2009).

    Columns: ID FORM LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD DEPREL PDEPREL FILLPRED PRED, then one column
    of arguments per predicate, which is not kept. POS becomes `Token.xpos`; `Token.upos` stays ``_``. The
    predicted columns (PLEMMA, PPOS, …) never stand in for open ones. `text` is the words with spaces between.

    Parameters and errors are those of `read_conllu`, except that a tree is not required by default: files
    made from PropBank releases leave HEAD open.
    """
    return list(iterate_conll09(path, require_tree=require_tree))


def iterate_conll09(path: str | Path, *, require_tree: bool = False) -> Iterator[Sentence]:
    """Stream the sentences of a CoNLL-2009 file; otherwise as `read_conll09`."""
    for block in _blocks(_source(path)):
        if block.rows:
            yield _conll09_sentence(block, require_tree)


def read_nltk_dependency(path: str | Path) -> list[Sentence]:
    """Read NLTK's ``dependency_treebank``, or one of its ``.dp`` files: form, tag and head in each line.

    Parameters
    ----------
    path : path or str
        ``dependency_treebank.zip``, the unpacked folder, or a ``.dp`` file. A fourth column, if there is one,
        is the relation. Tags become `Token.xpos`. A folder or archive is read in the order of the file names.
        Sentences are called ``wsj_0001-1``: file and number.

    Raises
    ------
    ResourceNotFoundError, DataFormatError
        As `read_conllu`; also when a folder or an archive has no ``.dp`` file.
    """
    return list(iterate_nltk_dependency(path))


def iterate_nltk_dependency(path: str | Path) -> Iterator[Sentence]:
    """Stream the sentences of NLTK's dependency treebank; otherwise as `read_nltk_dependency`."""
    for source in _nltk_sources(Path(path)):
        for block in _blocks(source, comments=False):  # the word # is a pound sign in the Penn Treebank
            yield _nltk_sentence(block)


@dataclass
class _Block:
    """The lines between two blank lines, split: comments as metadata, the rest as (line number, columns)."""

    name: str
    line: int
    number: int
    rows: list[tuple[int, list[str]]]
    metadata: dict[str, str]

    @property
    def sent_id(self) -> str:
        return self.metadata.get("sent_id") or str(self.number)

    def error(self, reason: str, line: int | None = None) -> DataFormatError:
        return DataFormatError(self.name, self.line if line is None else line, f"{reason}.")

    def check_widths(self, allowed: Callable[[int], bool], expected: str) -> None:
        """Every line has an allowed number of columns, the same in the whole sentence."""
        width = len(self.rows[0][1])
        for line, columns in self.rows:
            if not allowed(len(columns)):
                raise self.error(f"{len(columns)} tab-separated columns, where {expected}", line)
            if len(columns) != width:
                raise self.error(f"{len(columns)} columns in a sentence that began with {width}", line)

    def sentence(self, tokens: list[Token], require_tree: bool, multiword: Sequence = ()) -> Sentence:
        """The sentence, after a check of its heads; its text is rebuilt where the file has none."""
        if not tokens:
            raise self.error(f"sentence {self.sent_id} has no words")
        heads = [token.head for token in tokens]
        if require_tree or any(head is not None for head in heads):
            fault = f"word {heads.index(None) + 1} has no head" if None in heads else _tree_fault(heads)
            if fault:
                raise self.error(f"sentence {self.sent_id}: {fault}")
        text = self.metadata.get("text", "")
        sentence = Sentence(self.sent_id, text, tuple(tokens), self.metadata, tuple(multiword))
        return sentence if text else replace(sentence, text=sentence.surface_text())


Source = tuple[str, Callable[[], BinaryIO]]


def _source(path: str | Path) -> Source:
    path = Path(path)
    if not path.is_file():
        raise ResourceNotFoundError(f"There is no file {path}.")
    return str(path), lambda: gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb")


def _nltk_sources(path: Path) -> Iterator[Source]:
    if path.suffix == ".zip" and path.is_file():
        try:
            archive = zipfile.ZipFile(path)
        except zipfile.BadZipFile:
            raise DataFormatError(path, None, "it is not a zip archive.") from None
        with archive:
            names = sorted(name for name in archive.namelist() if name.endswith(".dp"))
            for name in names:
                yield f"{path}/{name}", lambda name=name: archive.open(name)
    elif path.is_dir():
        names = sorted(path.glob("*.dp"))
        for name in names:
            yield _source(name)
    else:
        names = [path]
        yield _source(path)
    if not names:
        raise DataFormatError(path, None, "it holds no .dp file.")


def _blocks(source: Source, *, comments: bool = True) -> Iterator[_Block]:
    """Blocks of lines between blank lines, with comment lines (``# key = value``) taken apart."""
    name, opener = source
    number = 0
    block = None
    for line, text in _lines(name, opener):
        if not text or text.isspace():
            if block:
                yield block
            block = None
            continue
        if block is None:
            block = _Block(name, line, number + 1, [], {})
        if comments and text[0] == "#":
            key, equals, value = text[1:].partition("=")
            if not equals:  # version 1 of CoNLL-U writes "# sent_id dev-s1"
                key, _, value = text[1:].strip().partition(" ")
            block.metadata[key.strip()] = value.strip()
        else:
            if not block.rows:
                number += 1
                block.line = line
            block.rows.append((line, text.split("\t")))
    if block:
        yield block


def _lines(name: str, opener: Callable[[], BinaryIO]) -> Iterator[tuple[int, str]]:
    """Numbered lines without their ends, decoded one by one: a wrong byte is reported with its own line."""
    line = 0
    try:
        with opener() as stream:
            for line, raw in enumerate(stream, start=1):
                text = raw.decode("utf-8-sig" if line == 1 else "utf-8").rstrip("\r\n")
                if "\0" in text:
                    raise DataFormatError(name, line, "a zero byte, so this is no text file in UTF-8.")
                yield line, text
    except UnicodeDecodeError as error:
        raise DataFormatError(name, line, f"byte {error.start + 1} of the line is not UTF-8.") from None
    except (gzip.BadGzipFile, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise DataFormatError(name, line + 1, f"the compressed file is damaged ({error}).") from None


def _conllu_sentence(block: _Block, predicate_column: int | None, require_tree: bool) -> Sentence:
    block.check_widths(lambda width: width >= len(CONLLU_COLUMNS), "CoNLL-U has 10")
    multiword, words = _split_words(block)
    tokens = []
    # Universal Propositions 1.0 puts FILLPRED and PRED in the place of DEPS and MISC; "Y" is no DEPS value.
    replaced = any(columns[8] == "Y" for _, columns in words)
    for line, columns in words:
        if replaced:
            misc = {"Pred": "Y", "Sense": columns[9]} if columns[8] == "Y" else {}
        else:
            misc = _misc(columns[9])
            if misc.get("Roleset", "-") not in ("-", "_"):
                misc.update(Pred="Y", Sense=misc["Roleset"])
            if predicate_column and len(columns) > predicate_column and columns[predicate_column] != "_":
                misc.update(Pred="Y", Sense=columns[predicate_column])
        _, form, lemma, upos, xpos, _, head, deprel = columns[:8]
        tokens.append(_token(block, line, len(tokens) + 1, form, lemma, upos, xpos, head, deprel, misc))
    return block.sentence(tokens, require_tree, multiword)


def _split_words(block: _Block) -> tuple[list[tuple[int, int, str, bool]], list[tuple[int, list[str]]]]:
    """Multiword tokens, and the rows of the words, whose ids must count 1, 2, 3, …; no empty nodes."""
    multiword, words = [], []
    for line, columns in block.rows:
        name = columns[0]
        if name == str(len(words) + 1):
            words.append((line, columns))
        elif found := _RANGE.fullmatch(name):
            first, last = int(found[1]), int(found[2])
            if first != len(words) + 1 or last <= first or (multiword and first <= multiword[-1][1]):
                raise block.error(f"multiword token {name} stands before word {len(words) + 1}", line)
            multiword.append((first, last, columns[1], _misc(columns[9]).get("SpaceAfter") != "No"))
        elif not _EMPTY_NODE.fullmatch(name):
            raise block.error(f"ID {name!r}, where {len(words) + 1} was expected", line)
    if multiword and multiword[-1][1] > len(words):
        raise block.error(f"multiword token {multiword[-1][2]!r} goes on after the last word, {len(words)}")
    return multiword, words


def _conll09_sentence(block: _Block, require_tree: bool) -> Sentence:
    block.check_widths(lambda width: width >= 14, "CoNLL-2009 has 14 and one more for each predicate")
    tokens = []
    for line, columns in block.rows:
        if columns[0] != str(len(tokens) + 1):
            raise block.error(f"ID {columns[0]!r}, where {len(tokens) + 1} was expected", line)
        marked, sense = columns[12], columns[13]
        if marked not in ("Y", "_"):
            raise block.error(f"FILLPRED is Y or _, not {marked!r}", line)
        if marked == "_" and sense != "_":
            raise block.error(f"PRED is {sense!r} where FILLPRED is _", line)
        # The evaluation files of the shared task leave PRED open where FILLPRED asks for it.
        misc = {} if marked == "_" else {"Pred": "Y"} if sense == "_" else {"Pred": "Y", "Sense": sense}
        _, form, lemma, _, tag, _, _, _, head, _, deprel = columns[:11]
        tokens.append(_token(block, line, len(tokens) + 1, form, lemma, "_", tag, head, deprel, misc))
    return block.sentence(tokens, require_tree)


def _nltk_sentence(block: _Block) -> Sentence:
    block.check_widths(lambda width: width in (3, 4), "a line is form, tag, head and perhaps relation")
    tokens = []
    for line, columns in block.rows:
        form, tag, head, deprel = (*columns, "_")[:4]
        tokens.append(_token(block, line, len(tokens) + 1, form, "_", "_", tag, head, deprel, {}))
    block.metadata = {"sent_id": f"{Path(block.name).stem}-{block.number}"}
    return block.sentence(tokens, require_tree=True)


def _token(block, line, id, form, lemma, upos, xpos, head, deprel, misc) -> Token:
    """A token from the strings of its line, with the checks that all formats share."""
    if not form:
        raise block.error("the word is empty", line)
    if head == "_":
        return Token(id, form, lemma, upos, xpos, None, deprel, misc)
    if not (head.isascii() and head.isdigit()):
        raise block.error(f"HEAD {head!r} is neither a number nor _", line)
    return Token(id, form, lemma, upos, xpos, int(head), deprel, misc)


def _misc(text: str) -> dict[str, str]:
    if text == "_":
        return {}
    return {key: value for key, _, value in (item.partition("=") for item in text.split("|")) if key}
