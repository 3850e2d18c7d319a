"""Sentences with dependency trees and marked predicates: CoNLL-U, CoNLL-2009 and NLTK's dependency treebank.

Words are syntactic words: the parts of a multiword token (*del* = *de* + *el*) count, the multiword token itself and
empty nodes are passed over. Predicates are words with ``Pred=Y`` in `Token.misc`: so marked in MISC (CoNLL-U), by ``Y``
in the ninth column (Universal Propositions 1.0) or by FILLPRED (CoNLL-2009).
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.base.files import open_text

_NO_WORD = re.compile(r"[0-9]+[-.][0-9]+")  # the id of a multiword token or an empty node


@dataclass(frozen=True, slots=True)
class Token:
    """One syntactic word.

    Attributes
    ----------
    id : int
        Position in the sentence, from 1.
    form, lemma, upos, xpos : str
        As in the file; ``_`` where the file says nothing.
    head : int or None
        `id` of the head, 0 for the root, None in a sentence without a tree.
    deprel : str
        Relation to the head.
    misc : dict of str to str
        MISC as a mapping: ``SpaceAfter=No``, ``Keep=Y``, ``Pred=Y``.
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
        ``# text`` of the file, else the words with spaces between.
    tokens : tuple of Token
    metadata : dict of str to str
        The file's ``# key = value`` comments.
    """

    sent_id: str
    text: str
    tokens: tuple[Token, ...]
    metadata: dict[str, str] = field(default_factory=dict, hash=False)

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def words(self) -> list[str]:
        """The forms, in order."""
        return [token.form for token in self.tokens]

    def depths(self) -> np.ndarray:
        """Depth of each word in the tree: the root has 1, its dependents 2.

        Returns
        -------
        array of int, shape (n,)

        Raises
        ------
        InputError
            The sentence has no tree.

        Examples
        --------
        >>> heads = {"Dogs": 2, "bark": 0, "loudly": 2}
        >>> tokens = [Token(i, word, "_", "_", "_", head, "_") for i, (word, head) in enumerate(heads.items(), 1)]
        >>> Sentence("1", "Dogs bark loudly", tuple(tokens)).depths()
        array([2, 1, 2])
        """
        try:
            return np.array(depths_of([token.head for token in self.tokens]), dtype=int)
        except ValueError as error:
            raise InputError(f"sentence {self.sent_id} has no dependency tree: {error}") from None

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
            `verbal_only` is asked of a predicate that has no part of speech.
        """
        marked = [i for i, token in enumerate(self.tokens) if token.is_predicate]
        return [i for i in marked if self._is_verbal(self.tokens[i])] if verbal_only else marked

    def kept(self) -> list[int]:
        """Positions (0-based) of the words marked ``Keep=Y``: the shortened version of the sentence."""
        return [i for i, token in enumerate(self.tokens) if token.misc.get("Keep") == "Y"]

    def _is_verbal(self, token: Token) -> bool:
        if token.upos != "_":
            return token.upos in ("VERB", "AUX")
        if token.xpos == "_":
            raise InputError(f"sentence {self.sent_id}: predicate {token.form!r} has no part of speech")
        return token.xpos[0] in "Vv"


def depths_of(heads: Sequence[int | None]) -> list[int]:
    """Depth of each word from its 1-based head; ValueError says why the heads are not a tree with one root."""
    for word, head in enumerate(heads, start=1):
        if head is None:
            raise ValueError(f"word {word} has no head")
        if head > len(heads):
            raise ValueError(f"word {word} has head {head}, and the sentence has {len(heads)} words")
    if heads.count(0) != 1:
        raise ValueError(f"{heads.count(0)} words are the root")
    depths = [0] * (len(heads) + 1)
    for word in range(1, len(heads) + 1):
        path = []
        while word and not depths[word]:
            if word in path:
                raise ValueError(f"the heads run in a circle through word {word}")
            path.append(word)
            word = heads[word - 1]
        for step, below in enumerate(reversed(path), start=1):
            depths[below] = depths[word] + step
    return depths[1:]


def is_conllu(path: str | Path) -> bool:
    """Whether the name of a file is that of CoNLL-U: ``.conllu``, also ``.gz``."""
    return Path(path).name.removesuffix(".gz").endswith(".conllu")


def read_conllu(path: str | Path, *, require_tree: bool = True) -> list[Sentence]:
    """Read a CoNLL-U file.

    Parameters
    ----------
    path : path
        The file, plain or packed, in UTF-8. An empty file gives an empty list.
    require_tree : bool
        False allows sentences whose heads are all ``_``; heads that are given must make a tree either way.

    Returns
    -------
    list of Sentence

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        With file and line: not UTF-8, a line that does not follow the format, heads that are not a tree with one root.

    Examples
    --------
    >>> from nbhelpers.base.paths import data_dir
    >>> sentence = read_conllu(data_dir() / "corpus" / "treebank-en.conllu")[0]
    >>> sentence.words[:4], [sentence.words[i] for i in sentence.predicates()]
    (['After', 'months', 'of', 'heated'], ['voted', 'close'])
    """
    return list(iterate_conllu(path, require_tree=require_tree))


def iterate_conllu(path: str | Path, *, require_tree: bool = True) -> Iterator[Sentence]:
    """Stream the sentences of a CoNLL-U file; otherwise as `read_conllu`."""
    for block in _blocks(path, _lines(path), 10):
        block.rows = [(line, columns) for line, columns in block.rows if not _NO_WORD.fullmatch(columns[0])]
        tokens = []
        # Universal Propositions 1.0 puts FILLPRED and PRED in the place of DEPS and MISC; "Y" is no DEPS value.
        replaced = any(columns[8] == "Y" for _, columns in block.rows)
        for line, columns in block.rows:
            block.check_id(line, columns[0], len(tokens) + 1)
            _, form, lemma, upos, xpos, _, head, deprel, deps, misc = columns[:10]
            if replaced:
                misc = "Pred=Y" if deps == "Y" else "_"
            tokens.append(block.token(line, len(tokens) + 1, form, lemma, upos, xpos, head, deprel, _misc(misc)))
        yield block.sentence(tokens, require_tree)


def read_conll09(path: str | Path) -> list[Sentence]:
    """Read a file in the layout of the CoNLL-2009 shared task (Hajič et al. 2009).

    Columns: ID FORM LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD DEPREL PDEPREL FILLPRED PRED, then one column of
    arguments for each predicate. POS becomes `Token.xpos`; `Token.upos` stays ``_``. The predicted columns (PLEMMA,
    PPOS, …), the senses and the arguments are not kept. A tree is not required: files made from PropBank releases leave
    HEAD open. Otherwise as `read_conllu`.
    """
    sentences = []
    for block in _blocks(path, _lines(path), 14):
        tokens = []
        for line, columns in block.rows:
            block.check_id(line, columns[0], len(tokens) + 1)
            _, form, lemma, _, tag, _, _, _, head, _, deprel, _, marked, sense = columns[:14]
            if marked not in ("Y", "_") or (marked == "_" and sense != "_"):
                raise block.error(line, f"FILLPRED is {marked!r} and PRED is {sense!r}: Y and a sense, or _ and _")
            misc = {"Pred": "Y"} if marked == "Y" else {}
            tokens.append(block.token(line, len(tokens) + 1, form, lemma, "_", tag, head, deprel, misc))
        sentences.append(block.sentence(tokens, require_tree=False))
    return sentences


def read_nltk_dependency(path: str | Path) -> list[Sentence]:
    """Read NLTK's ``dependency_treebank``: form, tag, head and perhaps relation in each line.

    Parameters
    ----------
    path : path
        ``dependency_treebank.zip``, the unpacked folder, or a ``.dp`` file. Files are read in the order of their
        names. Tags become `Token.xpos`. Sentences are called ``wsj_0001-1``: file and number.

    Raises
    ------
    ResourceNotFoundError, DataFormatError
        As `read_conllu`; also when a folder or an archive has no ``.dp`` file.
    """
    path = Path(path)
    sentences = []
    for name, lines in _dp_files(path):
        for block in _blocks(name, lines, 3, comments=False):  # the word # is a pound sign in the Penn Treebank
            tokens = []
            for line, columns in block.rows:
                form, tag, head, deprel = (*columns, "_")[:4]
                tokens.append(block.token(line, len(tokens) + 1, form, "_", "_", tag, head, deprel, {}))
            block.metadata["sent_id"] = f"{Path(name).stem}-{block.number}"
            sentences.append(block.sentence(tokens, require_tree=True))
    if not sentences and not path.suffix == ".dp":
        raise DataFormatError(path, None, "it holds no .dp file with sentences")
    return sentences


@dataclass
class _Block:
    """The lines between two blank lines, split: comments as metadata, the rest as (line number, columns)."""

    path: str | Path
    number: int
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)

    def error(self, line: int, reason: str) -> DataFormatError:
        return DataFormatError(self.path, line, f"{reason}.")

    def check_id(self, line: int, given: str, expected: int) -> None:
        if given != str(expected):
            raise self.error(line, f"ID {given!r}, where {expected} was expected")

    def token(self, line, id, form, lemma, upos, xpos, head, deprel, misc) -> Token:
        """A token from the strings of its line."""
        if not form:
            raise self.error(line, "the word is empty")
        if head != "_" and not (head.isascii() and head.isdigit()):
            raise self.error(line, f"HEAD {head!r} is neither a number nor _")
        return Token(id, form, lemma, upos, xpos, None if head == "_" else int(head), deprel, misc)

    def sentence(self, tokens: list[Token], require_tree: bool) -> Sentence:
        """The sentence, after a check of its heads."""
        sent_id = self.metadata.get("sent_id") or str(self.number)
        heads = [token.head for token in tokens]
        if require_tree or any(head is not None for head in heads):
            try:
                depths_of(heads)
            except ValueError as error:
                raise self.error(self.rows[0][0] if self.rows else None, f"sentence {sent_id}: {error}") from None
        text = self.metadata.get("text") or " ".join(token.form for token in tokens)
        return Sentence(sent_id, text, tuple(tokens), self.metadata)


def _blocks(path: str | Path, lines: Iterable[str], width: int, *, comments: bool = True) -> Iterator[_Block]:
    """Blocks of lines between blank lines; lines have at least `width` columns, or are comments (``# key = value``)."""
    block = _Block(path, 1)
    for line, text in enumerate(lines, start=1):
        text = text.rstrip("\r\n")
        if not text.strip():
            if block.rows:
                yield block
            block = _Block(path, block.number + bool(block.rows))
        elif comments and text.startswith("#"):
            key, _, value = text[1:].partition("=")
            block.metadata[key.strip()] = value.strip()
        else:
            columns = text.split("\t")
            if len(columns) < width:
                raise block.error(line, f"{len(columns)} tab-separated columns, where the format has {width}")
            block.rows.append((line, columns))
    if block.rows:
        yield block


def _lines(path: str | Path) -> Iterator[str]:
    with open_text(path) as reader:
        yield from reader


def _dp_files(path: Path) -> Iterator[tuple[str, Iterable[str]]]:
    """Names and lines of the ``.dp`` files of an archive or a folder, or of a single file."""
    if path.is_dir():
        for file in sorted(path.glob("*.dp")):
            yield str(file), _lines(file)
    elif path.suffix == ".zip":
        if not zipfile.is_zipfile(path):
            raise DataFormatError(path, None, "it is not a zip archive")
        with zipfile.ZipFile(path) as archive:
            for name in sorted(name for name in archive.namelist() if name.endswith(".dp")):
                yield f"{path}/{name}", archive.read(name).decode("utf-8").split("\n")
    else:
        yield str(path), _lines(path)


def _misc(text: str) -> dict[str, str]:
    if text == "_":
        return {}
    return {key: value for key, _, value in (item.partition("=") for item in text.split("|")) if key}
