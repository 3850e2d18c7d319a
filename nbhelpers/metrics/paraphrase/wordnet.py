"""WordNet: words of one synset are paraphrases of each other (Hirahara et al. 2010, section 4.2, Table 1).

`load_wordnet` takes the first dictionary that it finds:

* English: WordNet, the system's (Debian's ``wordnet-base``) or NLTK's; Open English WordNet
* Japanese: Japanese WordNet (Bond et al. 2009), else the synonym groups of Sudachi's dictionary
* both: the project's small lexicons in ``data/corpus``, if nothing else is found or when asked for

A table maps the forms that texts hold: where *car* and *automobile* share a synset, *cars* may stand for *automobile*;
number and tense need not agree, since a summary may say a thing in another tense. Expressions of several words
(*give up*) stand in the same table; the matcher tries them in its first step. Forms of one word (*car*, *cars*) are no
pair here: `nbhelpers.metrics.paraphrase.variants` has them.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.files import open_text
from nbhelpers.language.inflection import IRREGULAR
from nbhelpers.metrics.paraphrase.tables import Pairs, ParaphraseTable, check_choice, check_vocabulary
from nbhelpers.metrics.paraphrase.tokens import cut, japanese_signature
from nbhelpers.metrics.paraphrase.variants import VocabularyForms, may_occur, read_once, read_sudachi_synonyms
from nbhelpers.resources import data
from nbhelpers.resources.wordnet import find_wordnet

NAME = "WordNet"

PARTS_OF_SPEECH = "nvarx"
"""Nouns, verbs, adjectives, adverbs; and the phrases and clauses of the project's lexicons, which only they have."""


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


@dataclass(frozen=True)
class WordNet:
    """Synsets of one dictionary, ready to make tables; made by `load_wordnet`.

    Attributes
    ----------
    language : {"en", "ja"}
    signature : str
    synsets : tuple of Synset
    exceptions : dict
        English: irregular forms with their lemmas, by part of speech.
    """

    language: str
    signature: str
    synsets: tuple[Synset, ...] = field(repr=False)
    exceptions: Exceptions = field(repr=False)

    def table(self, vocabulary: Collection[str]) -> ParaphraseTable:
        """Paraphrases whose words are all in a vocabulary; every pair has the score 1.

        Parameters
        ----------
        vocabulary : collection of str
            Words as `nbhelpers.metrics.paraphrase.tokens.tokenize` gives them.

        Raises
        ------
        InputError
            `vocabulary` is a single string.

        Examples
        --------
        >>> load_wordnet("en", "shipped").table({"plan", "scheme", "ports", "harbour"}).pairs[("ports",)]
        {('harbour',): 1.0}
        """
        words = check_vocabulary(vocabulary)
        synsets = self.synsets
        if self.language == "ja":
            # Cutting all lemmas into words would take Sudachi many seconds, and few of them can be in the texts.
            characters = {character for word in words for character in word} | {" "}
            possible = [[lemma for lemma in one.lemmas if may_occur(lemma, characters)] for one in synsets]
            synsets = [one._replace(lemmas=lemmas) for one, lemmas in zip(synsets, possible) if len(lemmas) > 1]
        known: dict[str, set[str]] = {}
        several = []
        for part, lemmas, only_targets in synsets:
            expressions = {lemma: cut(lemma, self.language) for lemma in lemmas}
            targets = {expressions[lemma] for lemma in only_targets if lemma in expressions}
            unique = [expression for expression in dict.fromkeys(expressions.values()) if expression]
            known.setdefault(part, set()).update(expression[0 if part == "v" else -1] for expression in unique)
            if len(unique) > 1:
                several.append((part, unique, targets))
        forms = VocabularyForms(words, self.language, known, self.exceptions)
        pairs: Pairs = {}
        for part, lemmas, only_targets in several:
            found = {lemma: forms.expressions(lemma, part) for lemma in lemmas}
            for lemma, other in itertools.permutations([lemma for lemma in lemmas if found[lemma]], 2):
                for source, target in itertools.product(found[lemma], found[other]):
                    if source != target and lemma not in only_targets:
                        pairs.setdefault(source, {})[target] = 1.0
        return ParaphraseTable(NAME, self.language, pairs, self.signature)


# ------------------------------------------------------------------------------------------ the dictionaries


def read_wordnet(reader: Any) -> tuple[list[Synset], Exceptions]:
    """Synsets and irregular forms of WordNet.

    Parameters
    ----------
    reader : nltk.corpus.reader.WordNetCorpusReader
        As `nbhelpers.resources.wordnet.find_wordnet` gives it.

    Returns
    -------
    synsets : list of Synset
        In the order of the files.
    exceptions : dict
        From the ``.exc`` files.
    """
    synsets = [
        Synset(part, tuple(name.replace("_", " ") for name in synset.lemma_names()))
        for part in "nvar"
        for synset in reader.all_synsets(part)
    ]
    irregular = {part: reader._exception_map[part] for part in "nvar"}
    return synsets, {part: {form: tuple(of) for form, of in forms.items()} for part, forms in irregular.items()}


def read_open_english_wordnet(path: str | Path) -> Iterator[Synset]:
    """Synsets of Open English WordNet as JSON lines.

    Parameters
    ----------
    path : path
        The folder that holds ``oewn_synsets.jsonl.gz``; every line is an object with ``pos`` and ``members``.

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        With file and line: no JSON, or no synset.
    """
    path = Path(path) / "oewn_synsets.jsonl.gz"
    with open_text(path) as reader:
        for line in reader:
            try:
                entry = json.loads(line)
                part = _SATELLITE.get(entry["pos"], entry["pos"])
                lemmas = tuple(member.replace("_", " ") for member in entry["members"])
                if not all(lemmas) or not lemmas:
                    raise ValueError("it has an empty word, or none")
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise DataFormatError(path, reader.line, f"is no synset as JSON ({error})") from None
            yield Synset(part, lemmas)


_SATELLITE = {"s": "a"}  # adjective satellites are adjectives
_SYNSET_ID = re.compile(r"\d+-[nvasr]")


def read_japanese_wordnet(path: str | Path) -> list[Synset]:
    """Synsets of Japanese WordNet.

    Parameters
    ----------
    path : path
        ``wnjpn-ok.tab`` or ``wnjpn-all.tab`` (synset, lemma, confidence; packed or not).

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        With file and line: a line of another shape.
    """
    members: dict[str, dict[str, None]] = {}
    with open_text(path) as reader:
        for line in reader:
            if not line.strip() or line.startswith("#"):
                continue
            synset, *fields = (field.strip() for field in line.split("\t"))
            if not _SYNSET_ID.fullmatch(synset) or not fields or not fields[0]:
                raise DataFormatError(path, reader.line, "is not synset, lemma and confidence, separated by tabs")
            members.setdefault(synset, {})[fields[0].replace("_", " ")] = None
    return [Synset(_SATELLITE.get(synset[-1], synset[-1]), tuple(lemmas)) for synset, lemmas in members.items()]


def read_sudachi_groups(path: str | Path) -> list[Synset]:
    """Groups of Sudachi's synonym dictionary as synsets; errors as `read_sudachi_synonyms`.

    The dictionary tells only nouns from predicates: its verbs and adjectives are all ``v``.
    """
    groups: dict[tuple[str, str], dict[str, bool]] = {}
    for entry in read_sudachi_synonyms(path):
        if entry.expansion < 2 and entry.spelling < 3:
            groups.setdefault((entry.group, entry.part_of_speech), {})[entry.headword] = entry.expansion == 1
    return [
        Synset(part, tuple(members), frozenset(word for word, only_target in members.items() if only_target))
        for (_, part), members in groups.items()
    ]


_LEXICON_PARTS = {"noun": "n", "verb": "v", "adjective": "a", "adverb": "r", "phrase": "x"}


def read_lexicon(path: str | Path) -> list[Synset]:
    """Pairs of one of the project's small lexicons; either side may stand for the other.

    Parameters
    ----------
    path : path
        Tab-separated columns expression, paraphrase, part_of_speech (noun, verb, adjective, adverb, or phrase for what
        is used as it stands), kind (word, phrase, clause) under a heading.
    """
    with open(path, encoding="utf-8", newline="") as lines:
        _, *rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [Synset(_LEXICON_PARTS[part], (expression, other)) for expression, other, part, _ in rows]


# ------------------------------------------------------------------------------------------------------- loading


_DICTIONARIES = {
    "en": {"wordnet": None, "open-english-wordnet": read_open_english_wordnet},
    "ja": {"japanese-wordnet": read_japanese_wordnet, "sudachi-synonyms": read_sudachi_groups},
}
"""For each language its dictionaries, in the order in which they are looked for, with what reads their files."""


def _found(language: str) -> tuple[str, Sequence[Synset], Exceptions] | None:
    """The first dictionary that is found: its identity, synsets and irregular forms."""
    for name, reader in _DICTIONARIES[language].items():
        try:
            if name == "wordnet":
                wordnet, label = find_wordnet()
                return f"{name}@{label}", *read_wordnet(wordnet)
            found = data.find(name, allow_shipped=False)
            return found.identity, read_once(reader, found.path, found.sha256), {}
        except ResourceNotFoundError:
            continue
    data.note_stand_in("wordnet-shipped")
    return None


def load_wordnet(language: str = "en", dictionaries: str = "auto", *, parts_of_speech: str = "nv") -> WordNet:
    """A synonym dictionary as a paraphrase resource.

    Parameters
    ----------
    language : {"en", "ja"}
    dictionaries : {"auto", "shipped"}
        ``auto``: the first dictionary that is found; ``shipped``: the project's lexicon.
    parts_of_speech : str
        Letters of ``nvarx``: nouns, verbs, adjectives, adverbs; ``x`` is connectives, fixed phrases and clauses, which
        only the project's lexicons have. The paper takes nouns and verbs.

    Returns
    -------
    WordNet

    Raises
    ------
    InputError
        The language, the choice or a part of speech is unknown.
    DataFormatError
        With file and line: the dictionary is damaged.

    Examples
    --------
    >>> load_wordnet("en", "shipped").signature.partition("@")[0]
    'wordnet:shipped'
    """
    check_choice(language, dictionaries)
    parts = "".join(part for part in PARTS_OF_SPEECH if part in parts_of_speech)
    if not parts or set(parts_of_speech) - set(PARTS_OF_SPEECH):
        raise InputError(f"Parts of speech are letters of {PARTS_OF_SPEECH}, not {parts_of_speech!r}.")
    found = _found(language) if dictionaries == "auto" else None
    if found is None:
        path = paths.data_dir() / "corpus" / f"synonyms-{language}.tsv"
        digest = data.sha256(path)
        found = f"shipped@{digest[:8]}", read_once(read_lexicon, path, digest), {}
    identity, synsets, exceptions = found
    signature = f"wordnet:{identity}|{language}|pos:{parts}"
    return WordNet(
        language=language,
        signature=signature if language == "en" else f"{signature}|{japanese_signature()}",
        synsets=tuple(one for one in synsets if one.part_of_speech in parts),
        exceptions={part: exceptions.get(part) or IRREGULAR.get(part, {}) for part in parts},
    )
