"""English text, read offline: sentences, tokens, parts of speech and names.

Three backends stand behind one interface. ``"shipped"`` (the default, the same on every machine) uses the models in
``data/models/text-en``; ``"nltk"`` uses NLTK's own models where they are installed, ``"spacy"`` a spaCy pipeline, and
``"auto"`` the first of spaCy, NLTK and the shipped models that is there. `English.signature` says which it was.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ParameterError, ResourceNotFoundError
from nbhelpers.language.entities import document_names
from nbhelpers.language.tagger import PerceptronTagger
from nbhelpers.language.tokens import stem, tokenize

BACKENDS = ("shipped", "nltk", "spacy", "auto")
TAGGER_FILE = "tagger.json.gz"
SENTENCES_FILE = "sentences.json.gz"
_SENTENCES_FORMAT = "nbhelpers-punkt-1"
_PARAGRAPH_BREAK = re.compile(r"\n[ \t\r\f\v]*\n\s*")


# -------------------------------------------------------------------- parts of speech

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
    """Universal part of speech (NOUN, PROPN, VERB, …) of a Penn Treebank tag; ``"X"`` for any other string."""
    return COARSE_TAGS.get(tag, "X")


# -------------------------------------------------------------------- sentences


class SentenceSplitter:
    """Punkt with given parameters.

    The decisions are those of `nltk.tokenize.punkt.PunktSentenceTokenizer`. NLTK stops matching after five seconds of
    wall time, whatever the machine, so the same patterns run here without that limit: an answer never depends on how
    fast the machine is.

    Parameters
    ----------
    parameters : nltk.tokenize.punkt.PunktParameters
        Abbreviations, collocations, sentence starters and orthographic contexts.
    """

    def __init__(self, parameters) -> None:
        from nltk.tokenize.punkt import PunktSentenceTokenizer

        self.parameters = parameters
        variables, token_class = _without_time_limit()
        self._tokenizer = PunktSentenceTokenizer(parameters, lang_vars=variables, token_cls=token_class)

    @classmethod
    def load(cls, path: str | Path) -> tuple[SentenceSplitter, frozenset[str]]:
        """Read parameters that `save_sentence_model` has written; the second value are the common words.

        Raises
        ------
        DataFormatError
            If the file is not such a model.
        """
        from nltk.tokenize.punkt import PunktParameters

        try:
            with gzip.open(path, "rt", encoding="utf-8") as stream:
                stored = json.load(stream)
            if stored["format"] != _SENTENCES_FORMAT:
                raise ValueError(f"format is {stored['format']!r}, not {_SENTENCES_FORMAT!r}")
            parameters = PunktParameters()
            parameters.abbrev_types = set(stored["abbreviations"])
            parameters.collocations = {tuple(pair) for pair in stored["collocations"]}
            parameters.sent_starters = set(stored["sentence_starters"])
            for flags, words in stored["orthographic_contexts"].items():
                for word in words:
                    parameters.ortho_context[word] = int(flags)
            common = frozenset(stored["common_words"])
        except FileNotFoundError:
            raise
        except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataFormatError(path, None, f"not a sentence model: {error}") from error
        return cls(parameters), common

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Start and end offsets of the sentences of a text; a blank line always ends a sentence.

        Raises
        ------
        InputError
            If `text` is not a string.
        """
        if not isinstance(text, str):
            raise InputError(f"a text is a string, not {type(text).__name__}")
        spans = []
        start = 0
        breaks = [(match.start(), match.end()) for match in _PARAGRAPH_BREAK.finditer(text)]
        for end, following in [*breaks, (len(text), len(text))]:
            while start < end and text[start].isspace():
                start += 1
            paragraph = text[start:end]
            if paragraph.strip():
                for first, last in self._tokenizer.span_tokenize(paragraph):
                    if last > first:
                        spans.append((start + first, start + last))
            start = following
        return spans

    def split(self, text: str) -> list[str]:
        """The sentences of a text, without the white space between them."""
        return [text[start:end] for start, end in self.spans(text)]


def save_sentence_model(path: str | Path, parameters, common_words: Iterable[str]) -> None:
    """Write Punkt parameters and the common words as gzip-compressed JSON (the bytes are reproducible)."""
    contexts: dict[str, list[str]] = {}
    for word, flags in sorted(parameters.ortho_context.items()):
        if flags:
            contexts.setdefault(str(flags), []).append(word)
    stored = {
        "format": _SENTENCES_FORMAT,
        "abbreviations": sorted(parameters.abbrev_types),
        "collocations": sorted(map(list, parameters.collocations)),
        "sentence_starters": sorted(parameters.sent_starters),
        "orthographic_contexts": contexts,
        "common_words": sorted(common_words),
    }
    text = json.dumps(stored, ensure_ascii=False, separators=(",", ":"))
    Path(path).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


@functools.cache
def _without_time_limit():
    """NLTK's language variables and token class with the same patterns, compiled by Python's own `re`."""
    from nltk.tokenize.punkt import PunktLanguageVars, PunktToken

    class Token(PunktToken):
        __slots__ = ()
        _RE_ELLIPSIS = re.compile(PunktToken._RE_ELLIPSIS.pattern)
        _RE_NUMERIC = re.compile(PunktToken._RE_NUMERIC.pattern)
        _RE_INITIAL = re.compile(PunktToken._RE_INITIAL.pattern)
        _RE_ALPHA = re.compile(PunktToken._RE_ALPHA.pattern)

    class LanguageVariables(PunktLanguageVars):
        __slots__ = ()
        re_boundary_realignment = re.compile(PunktLanguageVars.re_boundary_realignment.pattern, re.MULTILINE)

        def _word_tokenizer_re(self):
            return words

        def period_context_re(self):
            return periods

    plain = PunktLanguageVars()
    parts = {
        "NonWord": plain._re_non_word_chars,
        "MultiChar": plain._re_multi_char_punct,
        "WordStart": plain._re_word_start,
        "SentEndChars": plain._re_sent_end_chars,
    }
    words = re.compile(plain._word_tokenize_fmt % parts, re.UNICODE | re.VERBOSE)
    periods = re.compile(plain._period_context_fmt % parts, re.UNICODE | re.VERBOSE)
    return LanguageVariables(), Token


# -------------------------------------------------------------------- the engine


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
    """What reads English text; made by `load_english`.

    Attributes
    ----------
    backend : str
        ``"shipped"``, ``"nltk"`` or ``"spacy"``: what was really used.
    description : str
        One line for a notebook: which models, from where.
    signature : str
        Short form for the ledger: backend and the first digits of the models' SHA-256.
    """

    backend: str
    description: str
    signature: str
    _spans: Callable[[str], list[tuple[int, int]]] = field(repr=False)
    _tokenize: Callable[[str], list[str]] = field(repr=False)
    _tag: Callable[[Sequence[Sequence[str]]], list[list[str]]] = field(repr=False)
    _names: Callable[[Sequence, Sequence], list[list[tuple[int, int]]]] = field(repr=False)
    _pipeline: Callable[[Sequence[str]], Iterator[list[Sentence]]] | None = field(default=None, repr=False)

    def sentence_spans(self, text: str) -> list[tuple[int, int]]:
        """Start and end offsets of the sentences; a blank line always ends a sentence."""
        return self._spans(text)

    def sentences(self, text: str) -> list[str]:
        """The sentences of a text, without the white space between them."""
        return [text[start:end] for start, end in self._spans(text)]

    def tokenize(self, text: str) -> list[str]:
        """Tokens of a text; joined, they are the text without white space."""
        return self._tokenize(text)

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Penn Treebank tags of tokenised sentences. Pass many at once: that is what makes it fast."""
        return self._tag(sentences)

    def names(self, tokens: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> list[list[tuple[int, int]]]:
        """Named entities of tagged sentences: first token and the one after the last of each, sentence by sentence.

        Raises
        ------
        InputError
            If the backend finds names only in running text (spaCy): use `analyse`.
        """
        return self._names(tokens, tags)

    def stem(self, word: str, algorithm: str = "snowball") -> str:
        """Stem of a word; see `nbhelpers.language.tokens.stem`."""
        return stem(word, algorithm)

    def analyse(self, texts: Iterable[str], *, characters_at_once: int = 2_000_000) -> Iterator[list[Sentence]]:
        """Sentences, tokens, tags and names of texts, one list of sentences per text, in order.

        Parameters
        ----------
        texts : iterable of str
            Whole documents or single sentences. A text without any character but white space gives an empty list.
        characters_at_once : int
            How much text is held and tagged together; changes speed and memory, never an answer.

        Raises
        ------
        InputError
            If a text is not a string, or `texts` is one.
        """
        if isinstance(texts, str):
            raise InputError("texts are a sequence of strings: put a single text into a list")
        batch: list[str] = []
        size = 0
        for text in texts:
            if not isinstance(text, str):
                raise InputError(f"a text is a string, not {type(text).__name__}")
            batch.append(text)
            size += len(text)
            if size >= characters_at_once:
                yield from self._analyse(batch)
                batch, size = [], 0
        yield from self._analyse(batch)

    def _analyse(self, texts: list[str]) -> Iterator[list[Sentence]]:
        if self._pipeline is not None:
            yield from self._pipeline(texts)
            return
        spans = [self._spans(text) for text in texts]
        tokens = [self._tokenize(text[a:b]) for text, found in zip(texts, spans, strict=True) for a, b in found]
        tags = self._tag(tokens)
        place = 0
        for text, found in zip(texts, spans, strict=True):
            here = slice(place, place + len(found))
            names = self._names(tokens[here], tags[here])
            yield [
                Sentence(text[a:b], a, tokens[place + i], tags[place + i], names[i]) for i, (a, b) in enumerate(found)
            ]
            place += len(found)


def load_english(backend: str = "shipped", *, path: str | Path | None = None, pipeline: str | None = None) -> English:
    """The English text engine.

    Parameters
    ----------
    backend : {"shipped", "nltk", "spacy", "auto"}
        ``"shipped"``: the project's own models, the same on every machine. ``"nltk"``: NLTK's ``punkt_tab`` and
        ``averaged_perceptron_tagger_eng``, looked for where NLTK looks (``NLTK_DATA``). ``"spacy"``: a spaCy
        pipeline. ``"auto"``: spaCy, else NLTK, else shipped, whichever is complete.
    path : path, optional
        Folder with other models of the shipped kind.
    pipeline : str, optional
        Name of the spaCy pipeline (default ``en_core_web_sm``).

    Returns
    -------
    English

    Raises
    ------
    ParameterError
        If the backend is unknown.
    ResourceNotFoundError
        If the backend's models are not installed; the message says how to get them.
    DataFormatError
        If a shipped model file is damaged.
    """
    if backend not in BACKENDS:
        raise ParameterError(f"backend is one of {', '.join(BACKENDS)}, not {backend!r}")
    if backend == "auto":
        for choice in (functools.partial(_load_spacy, pipeline or "en_core_web_sm"), _load_nltk):
            try:
                return choice()
            except ResourceNotFoundError:
                continue
        backend = "shipped"
    if backend == "spacy":
        return _load_spacy(pipeline or "en_core_web_sm")
    if backend == "nltk":
        return _load_nltk()
    return _load_shipped(Path(path).resolve() if path is not None else paths.data_dir() / "models" / "text-en")


@functools.lru_cache(maxsize=4)
def _load_shipped(folder: Path) -> English:
    files = [folder / TAGGER_FILE, folder / SENTENCES_FILE]
    for file in files:
        if not file.is_file():
            raise ResourceNotFoundError(
                f"{file} is missing: it ships with the project and is rebuilt by python tools/text_models.py"
            )
    tagger = PerceptronTagger.load(files[0])
    splitter, common = SentenceSplitter.load(files[1])
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:8]
    return English(
        backend="shipped",
        description=(
            "English text engine: shipped models (Punkt from Wikipedia, averaged perceptron from UD English EWT, "
            f"names by proper-noun chunks), sha256 {digest}"
        ),
        signature=f"text:shipped@{digest}",
        _spans=splitter.spans,
        _tokenize=tokenize,
        _tag=lambda sentences: tagger.tag([as_tagger_sees(tokens) for tokens in sentences]),
        _names=lambda tokens, tags: document_names(tokens, tags, common),
    )


# Marks that the treebank hardly has, written as those that it has.
_PLAIN_MARKS = {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "—": "--", "–": "-", "…": "..."}


def as_tagger_sees(tokens: Sequence[str]) -> list[str]:
    """Tokens with typographic quotation marks, dashes and apostrophes written plainly, as the tagger was trained."""
    return [_plain_form(token) if not token.isascii() else token for token in tokens]


@functools.lru_cache(maxsize=1 << 16)
def _plain_form(token: str) -> str:
    return _PLAIN_MARKS.get(token) or token.replace("’", "'").replace("‘", "'")


@functools.cache
def _load_nltk() -> English:
    import nltk
    from nltk.tag.perceptron import PerceptronTagger as NltkTagger
    from nltk.tokenize import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktTokenizer

    try:
        punkt = PunktTokenizer("english")
        original = NltkTagger()
        where = nltk.data.find("tokenizers/punkt_tab/english/")
    except LookupError as error:
        raise ResourceNotFoundError(
            "NLTK's punkt_tab and averaged_perceptron_tagger_eng are not installed: run "
            "python -m nltk.downloader punkt_tab averaged_perceptron_tagger_eng, or set NLTK_DATA to their folder"
        ) from error
    tagger = PerceptronTagger.from_nltk(original)
    splitter = SentenceSplitter(punkt._params)
    words = NLTKWordTokenizer()
    _, common = SentenceSplitter.load(paths.data_dir() / "models" / "text-en" / SENTENCES_FILE)

    def split_words(text: str) -> list[str]:
        if not isinstance(text, str):
            raise InputError(f"a text is a string, not {type(text).__name__}")
        return [text[a:b] for a, b in words.span_tokenize(text)]

    def tag(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        return tagger.tag([_with_directed_quotes(as_tagger_sees(tokens)) for tokens in sentences])

    weights = json.dumps([sorted(tagger.tag_dictionary.items()), sorted(punkt._params.abbrev_types)]).encode()
    digest = hashlib.sha256(weights + tagger._matrix.tobytes()).hexdigest()[:8]
    root = Path(str(where)).parent.parent.parent.name
    return English(
        backend="nltk",
        description=(
            f"English text engine: NLTK's punkt_tab and averaged_perceptron_tagger_eng from {root}, "
            f"names by proper-noun chunks, {digest}"
        ),
        signature=f"text:nltk-{nltk.__version__}@{digest}",
        _spans=splitter.spans,
        _tokenize=split_words,
        _tag=tag,
        _names=lambda tokens, tags: document_names(tokens, tags, common),
    )


def _with_directed_quotes(tokens: list[str]) -> list[str]:
    """Double quotes as the Penn Treebank writes them: the first opens, the second closes, and so on."""
    if '"' not in tokens:
        return tokens
    result, is_open = [], False
    for token in tokens:
        if token == '"':
            token = "''" if is_open else "``"
            is_open = not is_open
        result.append(token)
    return result


_NOT_NAMES = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"})


@functools.lru_cache(maxsize=2)
def _load_spacy(name: str) -> English:
    try:
        import spacy

        nlp = spacy.load(name)
    except (ImportError, OSError) as error:
        raise ResourceNotFoundError(
            f"the spaCy pipeline {name!r} is not installed: install spaCy and run python -m spacy download {name}"
        ) from error

    def sentences_of(document) -> list[Sentence]:
        found = []
        for sentence in document.sents:
            kept = [token for token in sentence if not token.is_space]
            if not kept:
                continue
            place = {token.i: number for number, token in enumerate(kept)}
            names = []
            for entity in sentence.ents:
                inside = [place[token.i] for token in entity if token.i in place]
                if inside and entity.label_ not in _NOT_NAMES:
                    names.append((inside[0], inside[-1] + 1))
            start, end = kept[0].idx, kept[-1].idx + len(kept[-1].text)
            found.append(
                Sentence(document.text[start:end], start, [t.text for t in kept], [t.tag_ for t in kept], names)
            )
        return found

    def run(texts: Sequence[str]) -> Iterator[list[Sentence]]:
        return (sentences_of(document) for document in nlp.pipe(texts))

    def tag(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        from spacy.tokens import Doc

        documents = (Doc(nlp.vocab, words=list(tokens)) for tokens in sentences)
        return [[token.tag_ for token in document] for document in nlp.pipe(documents)]

    def names(tokens, tags):
        raise InputError("spaCy finds names in running text: use analyse(texts), which gives them per sentence")

    def spans(text: str) -> list[tuple[int, int]]:
        if not isinstance(text, str):
            raise InputError(f"a text is a string, not {type(text).__name__}")
        return [(s.start, s.start + len(s.text)) for s in sentences_of(nlp(text))]

    version = f"{Path(name).name}-{nlp.meta.get('version', '?')}"
    return English(
        backend="spacy",
        description=f"English text engine: spaCy {spacy.__version__} pipeline {version}",
        signature=f"text:spacy-{spacy.__version__}:{version}",
        _spans=spans,
        _tokenize=lambda text: [token.text for token in nlp.make_doc(text) if not token.is_space],
        _tag=tag,
        _names=names,
        _pipeline=run,
    )
