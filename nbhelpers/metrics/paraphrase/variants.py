"""Variants: one word in another spelling or another form (the role that NTT Goi-Taikai has in Hirahara et al. 2010).

English, words of the vocabulary that share a lemma in any of their spellings (*colour*, *colors*):

* ``spelling``: VarCon (*organise*, *organize*); without it there are no spellings, and the signature has no such kind
* ``inflection``: forms of one noun, verb or adjective (*walk*, *walked*, *walking*; *went*, *go*; *happier*, *happy*).
  A regular ending counts where what it leaves has the same Snowball stem; the stem alone would also join words that are
  derived from one another (*university*, *universal*). Function words (*be*, *have*, *do* among them) stay alone.
* ``contraction``: *n't* and *not*, *'re* and *are*; not *'s* and *'d*, which are short for several words
* ``number``: *1,000* and *1000*, *two* and *2*

Japanese, words with the same normalised form in Sudachi's dictionary and the same kind of part of speech (noun, verb,
adjective):

* ``spelling``: in the same inflected form (附属, 付属; 打込ん, 打ち込ん; あいまい, 曖昧; 十, 10)
* ``inflection``: in another form (行か, 行く), except auxiliaries such as する and いる
* ``dictionary``: the spelling variants of Sudachi's synonym dictionary, among them expressions of several words and
  foreign words in Latin letters. Its synonyms are word-level paraphrases: `nbhelpers.metrics.paraphrase.wordnet`
  offers them.

Every pair holds in both directions with the score 1.

`VocabularyForms` looks up which words of the texts are inflected forms of a dictionary's words, here and for WordNet.
English forms are led back to lemmas by `nbhelpers.language.inflection`, Japanese ones by Sudachi, word by word and
without context.
"""

from __future__ import annotations

import csv
import functools
import io
import itertools
import re
import unicodedata
from collections.abc import Callable, Collection, Container, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from nbhelpers.base.errors import DataFormatError, ResourceNotFoundError
from nbhelpers.base.files import open_binary, open_text
from nbhelpers.language import STOP_WORDS, load_english
from nbhelpers.language import stem as stem_of
from nbhelpers.language.inflection import IRREGULAR, detached, english_lemmas
from nbhelpers.metrics.paraphrase import tokens
from nbhelpers.metrics.paraphrase.tables import Expression, Pairs, ParaphraseTable, check_choice, check_vocabulary
from nbhelpers.resources import data

NAME = "Variants"

DICTIONARIES = {"en": "varcon", "ja": "sudachi-synonyms"}
"""For each language the dictionary that joins what needs no file: rules in English, and in Japanese the normalised
forms in the dictionary that pip installs."""

_KANA = frozenset(map(chr, range(0x3041, 0x3100)))

_LETTERS = {"NOUN": "n", "PROPN": "n", "NUM": "n", "PRON": "n", "VERB": "v", "ADJ": "a"}
"""The paper's dictionary has nouns, verbs and adjectives."""

CONTRACTIONS = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'m": "am", "ca": "can", "wo": "will"}
"""Clitics, and the verbs that change before *n't*, with what they are short for."""

_NUMERALS = """
zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety
"""
NUMBER_WORDS = dict(zip(_NUMERALS.split(), map(str, [0, *range(2, 20), *range(20, 100, 10)]), strict=True))
"""English numerals with their digits; *one* is a pronoun as well and stays out."""


# ------------------------------------------------------------------------------------- the words of a vocabulary


class VocabularyForms:
    """The words of a vocabulary, looked up by the words of a dictionary.

    A function word (``in``, ``have``, する) never stands for a dictionary's word by itself: WordNet knows ``in`` as
    indium and ``have`` as a verb of eating; in running text it is neither.

    Parameters
    ----------
    vocabulary : frozenset of str
        Words of the texts, as `nbhelpers.metrics.paraphrase.tokens.tokenize` gives them.
    language : {"en", "ja"}
    known : mapping of str to container of str, optional
        English: for each part of speech the dictionary's words that may be inflected.
    exceptions : mapping, optional
        English: for each part of speech the dictionary's irregular forms.
    """

    def __init__(
        self,
        vocabulary: frozenset[str],
        language: str,
        known: Mapping[str, Container[str]] | None = None,
        exceptions: Mapping[str, Mapping[str, tuple[str, ...]]] = IRREGULAR,
    ) -> None:
        self.vocabulary, self.language = vocabulary, language
        self._forms: dict[tuple[str, str], list[str]] = {}
        self._content: set[str] = set()
        for word in sorted(vocabulary):
            if language == "en":
                is_content_word = word not in STOP_WORDS
                parts = [part for part in known or () if part in IRREGULAR]
                lemmas = [(p, lemma) for p in parts for lemma in english_lemmas(word, p, known[p], exceptions[p])]
            else:
                readings = tokens.japanese_readings(word)
                is_content_word = any(map(tokens.is_content, readings))
                lemmas = [("", form) for form in dict.fromkeys(reading.dictionary_form for reading in readings)]
            for key in lemmas:
                self._forms.setdefault(key, []).append(word)
            if is_content_word:
                self._content.add(word)

    def of(self, lemma: str, part_of_speech: str) -> list[str]:
        """The vocabulary's forms of one dictionary word, function words among them, sorted."""
        if self.language == "en":
            return self._forms.get((part_of_speech, lemma), [])
        found = self._forms.get(("", lemma), [])
        return found if lemma not in self.vocabulary or lemma in found else sorted([*found, lemma])

    def expressions(self, lemma: Expression, part_of_speech: str) -> list[Expression]:
        """How a dictionary's word or expression may stand in the texts.

        The head may be inflected: the last word of an expression, of an English verb the first (``gave up``). What is
        neither noun, verb, adjective nor adverb (``x``: phrases, connectives, clauses) stands as it is.
        """
        if part_of_speech not in IRREGULAR:
            return [lemma] if self.vocabulary.issuperset(lemma) else []
        if len(lemma) == 1:
            return [(form,) for form in self.of(lemma[0], part_of_speech) if form in self._content]
        head = 0 if self.language == "en" and part_of_speech == "v" else len(lemma) - 1
        if not all(word in self.vocabulary for place, word in enumerate(lemma) if place != head):
            return []
        choices = [[word] for word in lemma]
        choices[head] = self.of(lemma[head], part_of_speech)
        return list(itertools.product(*choices))


# ------------------------------------------------------------------------------------------------------- the resource


@dataclass(frozen=True)
class Variants:
    """Variants of words, ready to make tables; made by `load_variants`.

    Attributes
    ----------
    language : {"en", "ja"}
    signature : str
        The dictionary in use, or ``shipped`` without one, and what is made of it.
    entries : tuple
        English: spellings of the same word, from VarCon; Japanese: the entries of Sudachi's synonym dictionary.
    """

    language: str
    signature: str
    entries: tuple[tuple[str, ...] | SudachiSynonym, ...] = field(repr=False)

    def table(self, vocabulary: Collection[str]) -> ParaphraseTable:
        """Variants whose words are all in a vocabulary.

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
        >>> load_variants("en", "shipped").table({"close", "closed", "fund"}).pairs
        {('close',): {('closed',): 1.0}, ('closed',): {('close',): 1.0}}
        """
        words = check_vocabulary(vocabulary)
        groups = self._english(words) if self.language == "en" else self._japanese(words)
        pairs: Pairs = {}
        for group in groups:
            for first, second in itertools.permutations(dict.fromkeys(group), 2):
                pairs.setdefault(first, {})[second] = 1.0
        ordered = {source: dict(sorted(pairs[source].items())) for source in sorted(pairs)}
        return ParaphraseTable(NAME, self.language, ordered, self.signature)

    def _english(self, words: frozenset[str]) -> Iterator[Iterable[Expression]]:
        """Groups of expressions that are variants of each other."""
        known = {word: {word} for word in words}  # each word with its other spellings
        for group in self.entries:
            expressions = dict.fromkeys(tokens.cut(spelling, "en") for spelling in group)
            single = [expression[0] for expression in expressions if len(expression) == 1]
            if len({spelling in STOP_WORDS for spelling in single}) > 1:
                continue  # so, the conjunction, is no spelling of the note sol
            for word in words.intersection(single):
                known[word].update(single)
            several = [e for e in expressions if len(e) > 1 and e[-1] != "'s" and words.issuperset(e)]
            if several:
                yield [*several, *((word,) for word in words.intersection(single))]
        lemmas = _inflection_keys(frozenset().union(*known.values()))
        keyed = [(word, lemma) for word in words for spelling in known[word] for lemma in lemmas[spelling]]
        for word in words:
            digits = NUMBER_WORDS.get(word) or (word.replace(",", "") if word[0].isdigit() else None)
            if digits:
                keyed.append((word, f"number {digits}"))
        yield from _sharing(keyed)
        yield from ([(short,), (long,)] for short, long in CONTRACTIONS.items() if short in words and long in words)

    def _japanese(self, words: frozenset[str]) -> Iterator[Iterable[Expression]]:
        keys: list[tuple[str, Hashable]] = []
        for word in words:
            if len(word) == 1 and word in _KANA:
                continue  # one kana may be anything
            for reading in tokens.japanese_readings(word):
                if letter := _LETTERS.get(tokens.japanese_tag(reading.part_of_speech)):
                    keys.append((word, (reading.normalized_form, letter, reading.part_of_speech[4:])))
                    if reading.normalized_form not in tokens.FUNCTION_VERBS:
                        keys.append((word, (reading.normalized_form, letter, "any form")))
        yield from _sharing(keys)
        if self.entries:
            yield from self._dictionary(words)

    def _dictionary(self, words: frozenset[str]) -> Iterator[Iterable[Expression]]:
        """Spelling variants of Sudachi's synonym dictionary: same group, lexeme, form and abbreviation."""
        characters = {character for word in words for character in word} | {" "}
        groups: dict[tuple, list[SudachiSynonym]] = {}
        for entry in self.entries:
            if entry.expansion < 2 and entry.spelling < 3 and may_occur(entry.headword, characters, entry.is_predicate):
                for lexeme in entry.lexemes:
                    groups.setdefault((entry.group, lexeme, entry.form, entry.abbreviation), []).append(entry)
        forms = VocabularyForms(words, "ja")
        for entries in groups.values():
            # Several abbreviations of a word have the same marks; a main spelling begins each of them.
            starts = [place for place, entry in enumerate(entries) if place == 0 or entry.spelling == 0]
            for start, end in zip(starts, [*starts[1:], len(entries)]):
                few = entries[start:end]
                found = [forms.expressions(tokens.cut(one.headword, "ja"), one.part_of_speech) for one in few]
                for first, second in itertools.combinations(found, 2):
                    yield from itertools.product(first, second)


def may_occur(lemma: str, characters: Collection[str], may_be_inflected: bool = True) -> bool:
    """Whether a Japanese lemma can stand in texts with these characters: a quick look before it is cut into words.

    The last two characters of a word that may be inflected are an ending, which the texts may not have.
    """
    lemma = unicodedata.normalize("NFKC", lemma)
    start = lemma[:-2] or lemma[:1] if may_be_inflected else lemma
    return set(start) <= set(characters)


def _sharing(keyed: Iterable[tuple[str, Hashable]]) -> Iterator[list[Expression]]:
    """Groups of words that have a key in common."""
    groups: dict[Hashable, dict[str, None]] = {}
    for word, key in keyed:
        groups.setdefault(key, {})[word] = None
    for group in groups.values():
        if len(group) > 1:
            yield [(word,) for word in group]


def _inflection_keys(words: Collection[str]) -> dict[str, set[str]]:
    """For each English word what may be its lemma, itself included: two words that share one are forms of it."""
    content = {word for word in words if word not in STOP_WORDS and word[:1].isalpha()}
    keys = {word: {word} for word in words}
    for word in content:
        stem = stem_of(word)
        regular = {*detached(word, "n"), *detached(word, "v")}
        if word.endswith(("ies", "ied")) and f"{word[:-3]}y" in keys:
            regular.discard(f"{word[:-1]}")  # carried is a form of carry, not of Carrie
        keys[word] |= {base for base in regular if len(base) > 2 and stem_of(base) == stem}
        for part in "nva":
            keys[word].update(IRREGULAR[part].get(word, ()))
        if word.endswith(("er", "est")):
            bases = set(detached(word, "a")).intersection(content)
            keys[word].update(base for base in bases if _is_comparison(word, base))
    return keys


def _is_comparison(word: str, base: str) -> bool:
    """Whether an English word in -er or -est is a comparative or superlative of an adjective or adverb.

    That is left to the tagger, which sees the words alone and in the place of a comparative: *faster* is one, *forest*,
    *number* and *fighter* are none.
    """
    sentence = ["it", "was", *(["the"] if word.endswith("est") else []), word, "than", "that"]
    (tag_of_base,), (alone,), tags = load_english().tag([[base], [word], sentence])
    return tag_of_base in ("JJ", "RB") and bool({alone, tags[-3]} & {"JJR", "JJS", "RBR", "RBS"})


# ------------------------------------------------------------------------------------------------ the dictionaries


class SudachiSynonym(NamedTuple):
    """One headword of Sudachi's synonym dictionary.

    Attributes
    ----------
    group : str
        Words of one group are synonyms.
    is_predicate : bool
        用言 (verb or adjective) as against 体言 (noun).
    expansion : int
        0: a word like any other; 1: others may be replaced by it, it not by others; 2: withdrawn, never used.
    lexemes : tuple of int
        Numbers of its lexeme in the group; rarely two (an abbreviation of both).
    form, abbreviation : int
        0 the lexeme's main form, 1 translation, 2 other name, 3 old name, 4 misuse; 0 the full form, 1 abbreviation
        in letters, 2 another abbreviation.
    spelling : int
        Among words with the same four marks: 0 the main spelling, 1 in Latin letters, 2 another spelling, 3 misspelt.
    headword : str
    """

    group: str
    is_predicate: bool
    expansion: int
    lexemes: tuple[int, ...]
    form: int
    abbreviation: int
    spelling: int
    headword: str

    @property
    def part_of_speech(self) -> str:
        """``v`` or ``n``: the dictionary tells only nouns from predicates."""
        return "v" if self.is_predicate else "n"


_HIGHEST = (2, 2, 10**6, 4, 2, 3)
"""The greatest number that the documentation knows in each of the columns 2 to 7."""


def read_sudachi_synonyms(path: str | Path) -> list[SudachiSynonym]:
    """Headwords of Sudachi's synonym dictionary, in the order of the file.

    The file is CSV (RFC 4180) in UTF-8 with eleven columns, as ``docs/synonyms.md`` of SudachiDict describes it;
    numbers that are left out count as 0, and blank lines stand between groups.

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        With file and line: too few columns, no group, no headword, or a number that the format does not know.
    """
    entries = []
    with open_text(path) as reader:
        for line in reader:
            if not line.strip():
                continue
            fields = next(csv.reader([line.rstrip("\n")]))
            try:
                group, headword = fields[0], fields[8].strip()
                marks = [[int(mark or 0) for mark in field.strip().split("/")] for field in fields[1:7]]
                is_known = all(mark <= highest for given, highest in zip(marks, _HIGHEST) for mark in given)
                if not headword or not group.isdigit() or not is_known:
                    raise ValueError
                (category,), (expansion,), lexemes, *others = marks
                numbers = [mark for (mark,) in others]
            except (ValueError, IndexError):
                raise DataFormatError(path, reader.line, "is no group number, six marks, field and headword") from None
            entries.append(SudachiSynonym(group, category == 2, expansion, tuple(lexemes), *numbers, headword))
    return entries


_VARCON_TAG = re.compile(r"[ABZCD_*Q][.vVx0-9-]?|[0-9]+")


def read_varcon(path: str | Path) -> list[tuple[str, ...]]:
    """Spellings of the same English word form, line by line, from VarCon's ``varcon.txt`` (Atkinson), in Latin-1.

    A line such as ``A Cv: acknowledgment / Av B C: acknowledgement | note`` lists the spellings of one form with tags
    that say where each is used. Spellings tagged ``x`` (improper) or ``-`` (should generally not be used) everywhere
    are left out, and so are lines about a rare or archaic use of a word (``| (-) …``) and lines with one spelling.
    Lines that begin with ``#`` are remarks.

    Returns
    -------
    list of tuple of str
        At least two different spellings each, in the order of the line.

    Raises
    ------
    DataFormatError
        With file and line: an entry without tags or with unknown ones.
    """
    groups = []
    with io.TextIOWrapper(open_binary(path), encoding="latin-1") as lines:
        for number, line in enumerate(lines, start=1):
            entries, _, note = line.split("#", 1)[0].partition("|")
            spellings: dict[str, None] = {}
            for entry in entries.split(" / ") if entries.strip() else ():
                tags, _, word = entry.strip().partition(": ")
                marks = tags.split()
                if not word.strip() or not marks or not all(map(_VARCON_TAG.fullmatch, marks)):
                    raise DataFormatError(path, number, f"the entry {entry.strip()!r} is not tags: word")
                if not all(mark[-1] in "x-" for mark in marks if not mark.isdigit()):
                    spellings[word.strip()] = None
            if len(spellings) > 1 and not note.strip().startswith("(-)"):
                groups.append(tuple(spellings))
    return groups


@functools.lru_cache(maxsize=8)
def read_once(reader: Callable[[Path], Iterable], path: Path, sha256: str) -> tuple:
    """What a reader gives for a file, kept in memory; a changed file has another checksum and is read again."""
    return tuple(reader(path))


def load_variants(language: str = "en", dictionaries: str = "auto") -> Variants:
    """Spelling variants and forms of words as a paraphrase resource.

    Parameters
    ----------
    language : {"en", "ja"}
    dictionaries : {"auto", "shipped"}
        ``auto``: the one in `DICTIONARIES`, if it is found; ``shipped`` needs none.

    Returns
    -------
    Variants
        Its signature says what was taken.

    Raises
    ------
    InputError
        The language or the choice is unknown.
    DataFormatError
        With file and line: the dictionary is damaged.

    Examples
    --------
    >>> load_variants("en", "shipped").signature
    'variants:shipped|en|kinds:contraction+inflection+number'
    """
    check_choice(language, dictionaries)
    entries, taken = (), "shipped"
    if dictionaries == "auto":
        try:
            found = data.find(DICTIONARIES[language])
            entries = read_once(read_varcon if language == "en" else read_sudachi_synonyms, found.path, found.sha256)
            taken = found.identity
        except ResourceNotFoundError:
            data.note_stand_in(f"{DICTIONARIES[language]}-shipped")
    if language == "en":
        kinds = "contraction+inflection+number" + "+spelling" * bool(entries)
    else:
        kinds = "dictionary+" * bool(entries) + f"inflection+spelling|pos:nva|{tokens.japanese_signature()}"
    return Variants(language, f"variants:{taken}|{language}|kinds:{kinds}", entries)
