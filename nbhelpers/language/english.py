"""English text: sentences, parts of speech and names, with the models in ``data/models/text-en``."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.base.files import open_text
from nbhelpers.language.entities import name_spans
from nbhelpers.language.tokens import tokenize

TAGGER_FILE, TAGGER_FORMAT = "tagger.json.gz", "nbhelpers-perceptron-1"
SENTENCES_FILE, SENTENCES_FORMAT = "sentences.json.gz", "nbhelpers-punkt-1"
_PARAGRAPH_BREAK = re.compile(r"\n[ \t\r\f\v]*\n\s*")

_COARSE = {
    "NOUN": "NN NNS",
    "PROPN": "NNP NNPS",
    "VERB": "VB VBD VBG VBN VBP VBZ",
    "AUX": "MD",
    "ADJ": "JJ JJR JJS AFX",
    "ADV": "RB RBR RBS WRB",
    "PRON": "PRP PRP$ WP WP$ EX",
    "DET": "DT PDT WDT",
    "ADP": "IN RP",
    "CCONJ": "CC",
    "PART": "TO POS",
    "NUM": "CD",
    "INTJ": "UH",
    "PUNCT": ". , : `` '' -LRB- -RRB- ( ) HYPH NFP",
    "SYM": "$ # SYM",
    "X": "FW LS GW XX ADD",
}
COARSE_TAGS: dict[str, str] = {fine: coarse for coarse, row in _COARSE.items() for fine in row.split()}
"""Universal part of speech of each Penn Treebank tag. The Penn tags do not tell auxiliary from main verbs (only modals
are AUX here) nor subordinating conjunctions from prepositions (both are ADP)."""

NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS"})


def coarse_tag(tag: str) -> str:
    """Universal part of speech (NOUN, PROPN, VERB, …) of a Penn Treebank tag; ``"X"`` for any other string.

    Examples
    --------
    >>> [coarse_tag(tag) for tag in ("NNS", "VBD", "JJR", "no tag")]
    ['NOUN', 'VERB', 'ADJ', 'X']
    """
    return COARSE_TAGS.get(tag, "X")


TAGS_IN_WORDS = {
    "NOUN": "nouns",
    "PROPN": "names",
    "PRON": "pronouns",
    "VERB": "verbs",
    "AUX": "auxiliaries",
    "ADJ": "adjectives",
    "ADV": "adverbs",
    "ADP": "prepositions",
    "DET": "articles, determiners",
    "CCONJ": "and, or, but",
    "PART": "to, not, 's",
    "NUM": "numbers",
    "PUNCT": "punctuation",
}
"""Universal parts of speech as figures call them."""


@dataclass(frozen=True)
class Sentence:
    """One analysed sentence.

    Attributes
    ----------
    text : str
        The sentence as it stands in the text.
    start : int
        Offset of its first character in the text.
    tokens : list of str
    tags : list of str
        Penn Treebank tags, one per token.
    names : list of (int, int)
        Named entities: first token and the one after the last.
    """

    text: str
    start: int
    tokens: list[str]
    tags: list[str]
    names: list[tuple[int, int]]

    def name_texts(self) -> list[str]:
        """The named entities as strings, tokens joined by blanks."""
        return [" ".join(self.tokens[first:last]) for first, last in self.names]


@dataclass(frozen=True)
class English:
    """Reads English text; made by `load_english`. Tokens are those of `nbhelpers.language.tokenize`.

    Attributes
    ----------
    signature : str
        Short form for the evidence, with the first digits of the models' SHA-256.
    """

    signature: str
    _splitter: Any = field(repr=False)
    _tagger: Any = field(repr=False)
    _common: frozenset[str] = field(repr=False)

    def sentence_spans(self, text: str) -> list[tuple[int, int]]:
        """Start and end offsets of the sentences; a blank line always ends a sentence."""
        breaks = [match.span() for match in _PARAGRAPH_BREAK.finditer(text)]
        spans = []
        for (_, start), (end, _) in zip([(0, 0), *breaks], [*breaks, (len(text), 0)], strict=True):
            paragraph = text[start:end].lstrip()
            shift = end - len(paragraph)
            found = self._splitter.span_tokenize(paragraph)
            spans += [(shift + first, shift + last) for first, last in found if last > first]
        return spans

    def sentences(self, text: str) -> list[str]:
        """The sentences of a text, without the white space between them.

        Examples
        --------
        >>> load_english().sentences("Mr. Tanaka left at 4:30 p.m. on Monday. Did the U.S. team agree?")
        ['Mr. Tanaka left at 4:30 p.m. on Monday.', 'Did the U.S. team agree?']
        """
        return [text[start:end] for start, end in self.sentence_spans(text)]

    def tag(self, sentences: Iterable[Sequence[str]]) -> list[list[str]]:
        """Penn Treebank tags of tokenised sentences.

        Raises
        ------
        InputError
            If a sentence is a string.

        Examples
        --------
        >>> load_english().tag([["The", "old", "dog", "quickly", "found", "two", "bones", "."]])
        [['DT', 'JJ', 'NN', 'RB', 'VBD', 'CD', 'NNS', '.']]
        """
        result = []
        for tokens in sentences:
            if isinstance(tokens, str):
                raise InputError("the tagger takes lists of tokens, not strings: split the sentence into tokens first")
            result.append([tag for _, tag in self._tagger.tag(as_tagger_sees(tokens))])
        return result

    def names(self, tokens: Sequence[str], tags: Sequence[str]) -> list[tuple[int, int]]:
        """Named entities of one tagged sentence: first token and the one after the last of each."""
        return name_spans(tokens, tags, self._common)

    def analyse(self, texts: Iterable[str]) -> Iterator[list[Sentence]]:
        """Sentences, tokens, tags and names of texts, one list of sentences per text, in order.

        Parameters
        ----------
        texts : iterable of str
            Whole documents or single sentences. A text of white space gives an empty list.

        Raises
        ------
        InputError
            If `texts` is one string.

        Examples
        --------
        >>> [[sentence]] = load_english().analyse(["The ferry left Osaka on Monday."])
        >>> sentence.name_texts()
        ['Osaka']
        """
        if isinstance(texts, str):
            raise InputError("texts are a sequence of strings: put a single text into a list")
        for text in texts:
            spans = self.sentence_spans(text)
            tokens = [tokenize(text[start:end]) for start, end in spans]
            rows = zip(spans, tokens, self.tag(tokens), strict=True)
            yield [Sentence(text[a:b], a, words, tags, self.names(words, tags)) for (a, b), words, tags in rows]


@functools.lru_cache(maxsize=4)
def load_english(folder: str | Path | None = None) -> English:
    """The English text engine.

    Parameters
    ----------
    folder : path, optional
        Folder with other models that ``tools/text_models.py`` has trained.

    Returns
    -------
    English

    Raises
    ------
    ResourceNotFoundError, DataFormatError
        If a model file is missing or damaged.
    """
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    folder = Path(folder) if folder else paths.data_dir() / "models" / "text-en"
    files = [folder / TAGGER_FILE, folder / SENTENCES_FILE]
    tagger, stored = (_read_model(*one) for one in zip(files, (TAGGER_FORMAT, SENTENCES_FORMAT)))
    parameters = PunktParameters()
    parameters.abbrev_types = set(stored["abbreviations"])
    parameters.collocations = {tuple(pair) for pair in stored["collocations"]}
    parameters.sent_starters = set(stored["sentence_starters"])
    for flags, words in stored["orthographic_contexts"].items():
        parameters.ortho_context.update(dict.fromkeys(words, int(flags)))
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:8]
    return English(
        signature=f"text:shipped@{digest}",
        _splitter=PunktSentenceTokenizer(parameters),
        _tagger=tagger_of(tagger),
        _common=frozenset(stored["common_words"]),
    )


def _read_model(path: Path, expected: str) -> dict[str, Any]:
    with open_text(path) as stream:
        try:
            stored = json.loads(stream.read())
            if stored["format"] != expected:
                raise ValueError(f"format is {stored['format']!r}, not {expected!r}")
        except (ValueError, KeyError, TypeError) as error:
            raise DataFormatError(path, None, f"not a model of tools/text_models.py: {error!r}") from error
    return stored


# Marks that the treebank hardly has, written as those that it has.
_PLAIN_MARKS = {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "—": "--", "–": "-", "…": "..."}


def as_tagger_sees(tokens: Sequence[str]) -> list[str]:
    """Tokens with typographic quotation marks, dashes and apostrophes written plainly, as the tagger was trained."""
    return [
        token if token.isascii() else _PLAIN_MARKS.get(token, token.replace("’", "'").replace("‘", "'"))
        for token in tokens
    ]


# -------------------------------------------------------------------------------------------------- parts of speech


class WeightMatrix:
    """A trained averaged perceptron with its weights in a matrix, in place of NLTK's `AveragedPerceptron`.

    NLTK's tagger is Matthew Honnibal's greedy averaged perceptron; it adds up a dictionary of weights for each token.
    Here the weights are rows of a matrix, one for each feature, which are added in the same order. The tags are the
    same, and tagging is many times as fast, also because `_features_of` makes the names faster.

    Parameters
    ----------
    features : list of str
        Names of the features, one per row.
    tags : list of str
        One per column, in descending order, so that the first of several best columns is NLTK's choice.
    matrix : float array (features, tags)
    """

    def __init__(self, features: list[str], tags: list[str], matrix: np.ndarray) -> None:
        self._rows = {name: number for number, name in enumerate(features)}
        self._tags, self._matrix = tags, matrix

    def predict(self, features: Iterable[str], return_conf: bool = False) -> tuple[str, None]:
        """The tag with the highest sum of weights. The rows are added one after the other, as NLTK adds them."""
        rows = [row for row in map(self._rows.get, features) if row is not None]
        return self._tags[np.add.reduce(self._matrix.take(rows, axis=0)).argmax()], None


def _features_of(place: int, word: str, context: Sequence[str], before: str, last: str) -> tuple[str, ...]:
    """NLTK's features of a token; `before` and `last` are the tags of the token before it and of the one before that.

    `context` has two marks at both ends of the sentence.
    """
    second, first, own, next_, after = context[place : place + 5]
    return (
        "bias",
        f"i suffix {word[-3:]}",
        f"i pref1 {word[:1]}",
        f"i-1 tag {before}",
        f"i-2 tag {last}",
        f"i tag+i-2 tag {before} {last}",
        f"i word {own}",
        f"i-1 tag+i word {before} {own}",
        f"i-1 word {first}",
        f"i-1 suffix {first[-3:]}",
        f"i-2 word {second}",
        f"i+1 word {next_}",
        f"i+1 suffix {next_[-3:]}",
        f"i+2 word {after}",
    )


def tagger_of(stored: Mapping[str, Any]):
    """NLTK's tagger from the content of ``tagger.json.gz``, which ``tools/text_models.py`` writes."""
    from nltk.tag.perceptron import PerceptronTagger

    features = [group + rest for group, rests in stored["features"].items() for rest in rests]
    matrix = np.zeros((len(features), len(stored["tags"])))
    rows = np.repeat(np.arange(len(features)), stored["weights_per_feature"])
    matrix[rows, stored["columns"]] = np.array(stored["weights"]) / 1000  # NLTK rounds weights to three decimals
    tagger = PerceptronTagger(load=False)
    tagger.model, tagger._get_features = WeightMatrix(features, stored["tags"], matrix), _features_of
    tagger.tagdict = {word: tag for tag, words in stored["tag_dictionary"].items() for word in words}
    return tagger
