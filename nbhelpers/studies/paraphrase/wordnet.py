"""WordNet: words of one synset are paraphrases of each other (Hirahara et al. 2010, section 4.2, Table 1).

`load_wordnet` finds a dictionary; what it gives is a `nbhelpers.studies.paraphrase.expressions.Resource`:

* English: WordNet in its own format, NLTK's or the system's (Debian's ``wordnet-base``); Open English WordNet
* Japanese: Japanese WordNet (Bond et al. 2009), else the synonym groups of Sudachi's dictionary
* both: the project's small lexicons in ``data/corpus``, when nothing else is at hand or when asked for

A table maps the forms that texts hold: where *car* and *automobile* share a synset, *cars* may stand for *automobile*;
number and tense need not agree, since a summary may say a thing in another tense. Expressions of several words
(*give up*) stand in the same table; the matcher tries them in its first step. Forms of one word (*car*, *cars*) are no
pair here, unless asked for: they are the business of `nbhelpers.studies.paraphrase.variants`.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from nbhelpers.base import paths
from nbhelpers.base.errors import InputError, ResourceNotFoundError
from nbhelpers.resources import data
from nbhelpers.studies.paraphrase.expressions import LANGUAGES, Expression, ParaphraseTable
from nbhelpers.studies.paraphrase.inflection import IRREGULAR, VocabularyForms
from nbhelpers.studies.paraphrase.lexicon_files import LEXICON_PARTS, read_lexicon, sudachi_synonyms_of
from nbhelpers.studies.paraphrase.synonym_files import (
    Exceptions,
    Synset,
    read_japanese_wordnet,
    read_open_english_wordnet,
    read_wordnet,
)
from nbhelpers.studies.paraphrase.tokens import japanese_signature, tokenize

NAME = "WordNet"

BACKENDS = {
    "en": ("nltk", "system", "open-english-wordnet", "shipped"),
    "ja": ("japanese-wordnet", "nltk", "sudachi-synonyms", "shipped"),
}
"""For each language the dictionaries, in the order in which ``auto`` looks for them."""

PARTS_OF_SPEECH = "nvarx"
"""Nouns, verbs, adjectives, adverbs; and the phrases and clauses of the project's lexicons, which only they have."""


class _Prepared(NamedTuple):
    part_of_speech: str
    lemmas: tuple[Expression, ...]
    only_targets: frozenset[Expression]


@dataclass(frozen=True)
class WordNet:
    """Synsets of one dictionary, ready to make tables; made by `load_wordnet`.

    Attributes
    ----------
    language : {"en", "ja"}
    backend : str
        The dictionary that was really taken.
    description : str
        One line for a notebook.
    signature : str
    parts_of_speech : str
        Which of ``nvarx`` count.
    function_words, same_lemma : bool
        See `load_wordnet`.
    """

    language: str
    backend: str
    description: str
    signature: str
    parts_of_speech: str
    function_words: bool
    same_lemma: bool
    synsets: tuple[Synset, ...] = field(repr=False)
    exceptions: Exceptions = field(repr=False)
    name: str = NAME

    def table(self, vocabulary: Collection[str]) -> ParaphraseTable:
        """Paraphrases whose words are all in `vocabulary`; every pair has the score 1.

        Parameters
        ----------
        vocabulary : collection of str
            Words as `nbhelpers.studies.paraphrase.tokens.tokenize` gives them.

        Raises
        ------
        InputError
            `vocabulary` is a single string.
        """
        if isinstance(vocabulary, str):
            raise InputError("A vocabulary is a collection of words, not a string.")
        prepared, known = self._prepared(vocabulary)
        forms = VocabularyForms(vocabulary, self.language, known, self.exceptions, self.function_words)
        pairs: dict[Expression, dict[Expression, float]] = {}
        for part, lemmas, only_targets in prepared:
            found = [(lemma, forms.expressions(lemma, part)) for lemma in lemmas]
            found = [(lemma, expressions) for lemma, expressions in found if expressions]
            for lemma, sources in found:
                if lemma in only_targets:
                    continue
                for other, targets in found:
                    if other == lemma and not self.same_lemma:
                        continue
                    for source in sources:
                        for target in targets:
                            if source != target:
                                pairs.setdefault(source, {})[target] = 1.0
        return ParaphraseTable(self.name, self.language, pairs, self.signature)

    def _prepared(self, vocabulary: Collection[str]) -> tuple[list[_Prepared], dict[str, set[str]]]:
        """Synsets as expressions, and in English the words of each part of speech that may be inflected."""
        if self.language == "en":
            return _prepare_english(self)
        # Cutting all lemmas into words would take Sudachi many seconds, and few of them can be in the texts. The last
        # two characters may be an ending that the texts do not have.
        characters = {character for word in vocabulary for character in word} | {" "}
        prepared = []
        for part, lemmas, only_targets in self.synsets:
            starts = [unicodedata.normalize("NFKC", lemma) for lemma in lemmas]  # as words of the vocabulary are
            starts = [start[:-2] or start[:1] for start in starts]
            possible = [lemma for lemma, start in zip(lemmas, starts) if characters.issuperset(start)]
            if len(possible) > 1 or self.same_lemma and possible:
                cut = {lemma: expression for lemma in possible if (expression := _expression(lemma, "ja"))}
                targets = frozenset(expression for lemma, expression in cut.items() if lemma in only_targets)
                prepared.append(_Prepared(part, tuple(dict.fromkeys(cut.values())), targets))
        return prepared, {}

    def __hash__(self) -> int:
        return hash(self.signature)


@functools.lru_cache(maxsize=1 << 18)
def _expression(lemma: str, language: str) -> Expression:
    return tokenize(lemma, language)


@functools.lru_cache(maxsize=4)
def _prepare_english(wordnet: WordNet) -> tuple[list[_Prepared], dict[str, set[str]]]:
    known: dict[str, set[str]] = {part: set() for part in wordnet.parts_of_speech}
    prepared = []
    for part, lemmas, _ in wordnet.synsets:
        expressions = tuple(dict.fromkeys(e for lemma in lemmas if (e := _expression(lemma, "en"))))
        for expression in expressions:
            known[part].add(expression[0 if part == "v" else -1])
        if len(expressions) > 1 or wordnet.same_lemma:
            prepared.append(_Prepared(part, expressions, frozenset()))
    return prepared, known


# ------------------------------------------------------------------------------------------------------- loading


class _Content(NamedTuple):
    synsets: list[Synset]
    exceptions: Exceptions
    title: str


def _locate_nltk(language: str) -> Path:
    import nltk

    package, file = ("wordnet", "") if language == "en" else ("omw-1.4", "jpn/wn-data-jpn.tab")
    # A corpus that is still packed is read from its archive, where a reader can do so.
    names = [f"corpora/{package}/{file}"] + ([f"corpora/{package}.zip/{package}/"] if language == "en" else [])
    for name in names:
        try:
            pointer = nltk.data.find(name)
        except LookupError:
            continue
        return Path(pointer.zipfile.filename if hasattr(pointer, "zipfile") else pointer.path)
    raise ResourceNotFoundError(
        f"NLTK has no {package}{'' if language == 'en' else ' (unpacked)'}; python -m nltk.downloader {package} "
        "fetches it, NLTK_DATA says where it looks."
    )


def _locate_registered(name: str) -> Path:
    if name not in data.registry():
        raise ResourceNotFoundError(
            f"{name} is not at hand. To get it: fetch wnjpn-ok.tab.gz from a release of github.com/bond-lab/wnja "
            "and give its path."
        )
    return data.find(name, allow_shipped=False).path


def _locate_shipped(language: str) -> Path:
    path = paths.data_dir() / "corpus" / f"synonyms-{language}.tsv"
    if not path.is_file():
        raise ResourceNotFoundError(f"{path} is missing: the checkout is incomplete.")
    return path


_LOCATE: dict[str, Callable[[str], Path]] = {
    "nltk": _locate_nltk,
    "system": lambda language: _locate_registered("wordnet"),
    "open-english-wordnet": lambda language: _locate_registered("open-english-wordnet"),
    "japanese-wordnet": lambda language: _locate_registered("japanese-wordnet"),
    "sudachi-synonyms": lambda language: _locate_registered("sudachi-synonyms"),
    "shipped": _locate_shipped,
}

_LETTERS = dict(zip(LEXICON_PARTS, "nvarx", strict=True))


def _read(backend: str, language: str, path: Path, parts: str) -> _Content:
    if backend == "shipped":
        pairs = [(_LETTERS[entry.part_of_speech], entry[:2]) for entry in read_lexicon(path)]
        synsets = [Synset(part, lemmas) for part, lemmas in pairs if part in parts]
        return _Content(synsets, {}, "the project's small synonym lexicon")
    if backend == "sudachi-synonyms":
        return _Content(_sudachi_groups(path, parts), {}, "synonym groups of Sudachi's dictionary")
    if backend == "open-english-wordnet":
        return _Content(read_open_english_wordnet(path, parts), {}, "Open English WordNet")
    if language == "ja":
        return _Content(read_japanese_wordnet(path, parts), {}, "Japanese WordNet")
    synsets, exceptions = read_wordnet(path, parts)
    return _Content(synsets, exceptions, "WordNet")


def _sudachi_groups(path: Path, parts: str) -> list[Synset]:
    """Groups as synsets. The dictionary tells only nouns from predicates: its verbs and adjectives are all ``v``."""
    groups: dict[tuple[str, str], dict[str, bool]] = {}
    for entry in sudachi_synonyms_of(path, data.sha256(path)):
        part = "v" if entry.is_predicate else "n"
        if entry.expansion < 2 and entry.spelling < 3 and part in parts:
            groups.setdefault((entry.group, part), {})[entry.headword] = entry.expansion == 1
    return [
        Synset(part, tuple(members), frozenset(word for word, only_target in members.items() if only_target))
        for (_, part), members in groups.items()
    ]


def load_wordnet(
    language: str = "en",
    backend: str = "auto",
    *,
    path: str | Path | None = None,
    parts_of_speech: str = "nv",
    function_words: bool = False,
    same_lemma: bool = False,
) -> WordNet:
    """A synonym dictionary as a paraphrase resource.

    Parameters
    ----------
    language : {"en", "ja"}
    backend : str
        One of `BACKENDS` of the language, or ``"auto"``: the first of them that is at hand.
    path : path, optional
        The dictionary's file or folder, with a named backend. ``"system"`` takes any folder in WordNet's own format,
        ``"japanese-wordnet"`` a tab file or ``wnjpn.db``, ``"shipped"`` any lexicon of the project's form.
    parts_of_speech : str
        Letters of ``nvarx``: nouns, verbs, adjectives, adverbs; ``x`` is connectives, fixed phrases and clauses, which
        only the project's lexicons have. The paper takes nouns and verbs.
    function_words : bool
        Whether function words may be a word of the dictionary (``in`` for indium, ``have`` for eat).
    same_lemma : bool
        Whether forms of one word (``car``, ``cars``) are a pair, too.

    Returns
    -------
    WordNet

    Raises
    ------
    InputError
        The language, the backend or a part of speech is unknown, or a path is given without a backend.
    ResourceNotFoundError
        The named dictionary is not at hand; the message says how to get it.
    DataFormatError
        With file and line: the dictionary is damaged.
    """
    if language not in LANGUAGES:
        raise InputError(f"The language is one of {', '.join(LANGUAGES)}, not {language!r}.")
    if backend not in ("auto", *BACKENDS[language]):
        raise InputError(f"The WordNet backend is auto or one of {', '.join(BACKENDS[language])}, not {backend!r}.")
    parts = "".join(part for part in PARTS_OF_SPEECH if part in parts_of_speech)
    if not parts or set(parts_of_speech) - set(PARTS_OF_SPEECH):
        raise InputError(f"Parts of speech are letters of {PARTS_OF_SPEECH}, not {parts_of_speech!r}.")
    if path is not None and backend == "auto":
        raise InputError("Say which backend reads the given path.")
    for choice in BACKENDS[language] if backend == "auto" else (backend,):
        try:
            found = Path(path).expanduser() if path is not None else _LOCATE[choice](language)
            break
        except ResourceNotFoundError:
            if choice == backend or choice == BACKENDS[language][-1]:
                raise
    if not found.exists():
        raise ResourceNotFoundError(f"There is no {choice} at {found}.")
    digest = data.sha256(found)[:8]
    options = "".join(f"|{name}" for name, on in (("function", function_words), ("inflected", same_lemma)) if on)
    content = _load(choice, language, found, parts, digest)
    return WordNet(
        language=language,
        backend=choice,
        description=f"{NAME} ({language}): {content.title}, {len(content.synsets):,} synsets (sha256 {digest})",
        signature=f"wordnet:{choice}@{digest}|{language}|pos:{parts}{options}"
        + (f"|{japanese_signature()}" if language == "ja" else ""),
        parts_of_speech=parts,
        function_words=function_words,
        same_lemma=same_lemma,
        synsets=tuple(content.synsets),
        exceptions={part: content.exceptions.get(part) or IRREGULAR.get(part, {}) for part in parts},
    )


@functools.lru_cache(maxsize=4)
def _load(backend: str, language: str, path: Path, parts: str, digest: str) -> _Content:
    """Read once; the checksum is in the key, so that a changed file is read again."""
    return _read(backend, language, path, parts)
