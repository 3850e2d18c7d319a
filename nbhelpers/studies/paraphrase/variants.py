"""Variants: one word in another spelling or another form (the role that NTT Goi-Taikai has in Hirahara et al. 2010).

English, words of the vocabulary that share a lemma in any of their spellings (*colour*, *colors*):

* ``spelling``: VarCon (*organise*, *organize*)
* ``inflection``: forms of one noun, verb or adjective (*walk*, *walked*, *walking*; *went*, *go*; *happier*, *happy*).
  A regular ending counts where what it leaves has the same Snowball stem; the stem alone would also join words that are
  derived from one another (*university*, *universal*). Function words (*be*, *have*, *do* among them) stay alone.
* ``contraction``: *n't* and *not*, *'re* and *are*; not *'s* and *'d*, which are short for several words
* ``number``: *1,000* and *1000*, *two* and *2*

Japanese, words with the same normalised form in Sudachi's dictionary and the same kind of part of speech:

* ``spelling``: in the same inflected form (附属, 付属; 打込ん, 打ち込ん; あいまい, 曖昧; 十, 10)
* ``inflection``: in another form (行か, 行く), except auxiliaries such as する and いる
* ``dictionary``: the spelling variants of Sudachi's synonym dictionary, among them expressions of several words and
  foreign words in Latin letters. Its synonyms are word-level paraphrases: `nbhelpers.studies.paraphrase.wordnet`
  offers them.

Every pair holds in both directions with the score 1.
"""

from __future__ import annotations

import functools
import itertools
import unicodedata
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nbhelpers.base.errors import InputError, ResourceNotFoundError
from nbhelpers.language import STOP_WORDS, load_english
from nbhelpers.language import stem as stem_of
from nbhelpers.resources import data
from nbhelpers.studies.paraphrase.expressions import LANGUAGES, Expression, ParaphraseTable
from nbhelpers.studies.paraphrase.inflection import (
    FUNCTION_VERBS,
    IRREGULAR,
    VocabularyForms,
    detached,
    japanese_readings,
)
from nbhelpers.studies.paraphrase.lexicon_files import SudachiSynonym, read_varcon, sudachi_synonyms_of
from nbhelpers.studies.paraphrase.tokens import japanese_signature, japanese_tag, tokenize

NAME = "Variants"

KINDS = {
    "en": ("spelling", "inflection", "contraction", "number"),
    "ja": ("spelling", "inflection", "dictionary"),
}
"""For each language the kinds of variants."""

BACKENDS = {"en": ("varcon", "shipped"), "ja": ("sudachi-synonyms", "shipped")}
"""For each language the dictionaries. ``"shipped"`` is what needs no file: rules in English, and in Japanese the
normalised forms in the dictionary that pip installs."""

PARTS_OF_SPEECH = "nvar"

_KANA = frozenset(map(chr, range(0x3041, 0x3100)))

_LETTERS = {
    "NOUN": "n",
    "PROPN": "n",
    "NUM": "n",
    "PRON": "n",
    "VERB": "v",
    "ADJ": "a",
    "ADV": "r",
    "CCONJ": "r",
    "DET": "r",
}

CONTRACTIONS = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'m": "am", "ca": "can", "wo": "will"}
"""Clitics, and the verbs that change before *n't*, with what they are short for."""

_UNITS = "zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
NUMBER_WORDS = {word: str(value) for value, word in enumerate(f"{_UNITS} eighteen nineteen".split()) if word != "-"} | {
    word: str(value)
    for value, word in zip(range(20, 100, 10), "twenty thirty forty fifty sixty seventy eighty ninety".split())
}
"""English numerals with their digits; *one* is a pronoun as well and stays out."""


@dataclass(frozen=True)
class Variants:
    """Variants of words, ready to make tables; made by `load_variants`.

    Attributes
    ----------
    language : {"en", "ja"}
    backend : str
        The dictionary that was really taken.
    kinds : tuple of str
        Of `KINDS`.
    parts_of_speech : str
        Japanese: which of ``nvar`` count.
    description : str
        One line for a notebook.
    signature : str
    """

    language: str
    backend: str
    kinds: tuple[str, ...]
    parts_of_speech: str
    description: str
    signature: str
    spellings: tuple[tuple[str, ...], ...] = field(repr=False)
    synonyms: tuple[SudachiSynonym, ...] = field(repr=False)
    name: str = NAME

    def table(self, vocabulary: Collection[str]) -> ParaphraseTable:
        """Variants whose words are all in `vocabulary`, words as `nbhelpers.studies.paraphrase.tokens.tokenize` gives
        them.

        Raises
        ------
        InputError
            `vocabulary` is a single string.
        """
        if isinstance(vocabulary, str):
            raise InputError("A vocabulary is a collection of words, not a string.")
        words = frozenset(vocabulary)
        groups = self._english(words) if self.language == "en" else self._japanese(words)
        pairs: dict[Expression, dict[Expression, float]] = {}
        for group in groups:
            for first, second in itertools.permutations(dict.fromkeys(group), 2):
                pairs.setdefault(first, {})[second] = 1.0
        ordered = {source: dict(sorted(pairs[source].items())) for source in sorted(pairs)}
        return ParaphraseTable(self.name, self.language, ordered, self.signature)

    # ------------------------------------------------------------------------------------------------ English

    def _english(self, words: frozenset[str]) -> Iterator[Iterable[Expression]]:
        """Groups of expressions that are variants of each other."""
        known = {word: {word} for word in words}  # each word with its other spellings
        if "spelling" in self.kinds:
            for group in self.spellings:
                expressions = dict.fromkeys(_english_expression(spelling) for spelling in group)
                single = [expression[0] for expression in expressions if len(expression) == 1]
                if len({spelling in STOP_WORDS for spelling in single}) > 1:
                    continue  # so, the conjunction, is no spelling of the note sol
                for word in words.intersection(single):
                    known[word].update(single)
                several = [e for e in expressions if len(e) > 1 and e[-1] != "'s" and words.issuperset(e)]
                if several:
                    yield [*several, *((word,) for word in words.intersection(single))]
        if "inflection" in self.kinds:
            lemmas = _inflection_keys(frozenset().union(*known.values()))
            known = {
                word: {lemma for spelling in spellings for lemma in lemmas[spelling]}
                for word, spellings in known.items()
            }
        if "number" in self.kinds:
            for word in words:
                digits = NUMBER_WORDS.get(word) or (word.replace(",", "") if word[0].isdigit() else None)
                if digits:
                    known[word].add(f"number {digits}")
        yield from _sharing((word, key) for word, keys in known.items() for key in keys)
        if "contraction" in self.kinds:
            yield from ([(short,), (long,)] for short, long in CONTRACTIONS.items() if short in words and long in words)

    # ----------------------------------------------------------------------------------------------- Japanese

    def _japanese(self, words: frozenset[str]) -> Iterator[Iterable[Expression]]:
        keys: list[tuple[str, Hashable]] = []
        for word in words:
            if len(word) == 1 and word in _KANA:
                continue  # one kana may be anything
            for reading in japanese_readings(word):
                letter = _LETTERS.get(japanese_tag(reading.part_of_speech), "")
                if letter and letter in self.parts_of_speech:
                    if "spelling" in self.kinds:
                        keys.append((word, (reading.normalized_form, letter, reading.part_of_speech[4:])))
                    if "inflection" in self.kinds and reading.normalized_form not in FUNCTION_VERBS:
                        # Without other spellings, only forms with the same dictionary form are variants.
                        base = "" if "spelling" in self.kinds else reading.dictionary_form
                        keys.append((word, (reading.normalized_form, letter, base, "any form")))
        yield from _sharing(keys)
        if "dictionary" in self.kinds and self.synonyms:
            yield from self._dictionary(words)

    def _dictionary(self, words: frozenset[str]) -> Iterator[Iterable[Expression]]:
        """Spelling variants of Sudachi's synonym dictionary: same group, lexeme, form and abbreviation."""
        characters = {character for word in words for character in word} | {" "}
        groups: dict[tuple, list[SudachiSynonym]] = {}
        for entry in self.synonyms:
            # Few of the headwords can be in the texts; the last two characters may be an ending.
            headword = unicodedata.normalize("NFKC", entry.headword)
            start = headword[:-2] or headword[:1] if entry.is_predicate else headword
            if entry.expansion < 2 and entry.spelling < 3 and characters.issuperset(start):
                for lexeme in entry.lexemes:
                    groups.setdefault((entry.group, lexeme, entry.form, entry.abbreviation), []).append(entry)
        forms = VocabularyForms(words, "ja")

        @functools.cache
        def written(headword: str, part: str) -> list[Expression]:
            return forms.expressions(_japanese_expression(headword), part)

        for entries in groups.values():
            # Several abbreviations of a word have the same marks; a main spelling begins each of them.
            starts = [place for place, entry in enumerate(entries) if place == 0 or entry.spelling == 0]
            for start, end in zip(starts, [*starts[1:], len(entries)]):
                found = [written(entry.headword, "v" if entry.is_predicate else "n") for entry in entries[start:end]]
                for first, second in itertools.combinations(found, 2):
                    yield from itertools.product(first, second)


_english_expression = functools.lru_cache(maxsize=1 << 16)(functools.partial(tokenize, language="en"))
_japanese_expression = functools.lru_cache(maxsize=1 << 16)(functools.partial(tokenize, language="ja"))


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
    content = sorted(word for word in words if word not in STOP_WORDS and word[:1].isalpha())
    keys = {word: {word} for word in words}
    for word in content:
        stem = stem_of(word)
        regular = {*detached(word, "n"), *detached(word, "v")}
        if word.endswith(("ies", "ied")) and f"{word[:-3]}y" in keys:
            regular.discard(f"{word[:-1]}")  # carried is a form of carry, not of Carrie
        keys[word] |= {base for base in regular if len(base) > 2 and stem_of(base) == stem}
        for part in "nva":
            keys[word].update(IRREGULAR[part].get(word, ()))
    for word, base in _comparisons(content):
        keys[word].add(base)
    return keys


def _comparisons(words: Collection[str]) -> list[tuple[str, str]]:
    """Comparatives and superlatives among English words, with the adjective or adverb, which must be there, too.

    Whether *-er* and *-est* are endings at all is left to the tagger, which sees the words alone and in the place of a
    comparative: *faster* is one, *forest*, *number* and *fighter* are none.
    """
    there = frozenset(words)
    found = [
        (word, base) for word in words if word.endswith(("er", "est")) for base in detached(word, "a") if base in there
    ]
    rows = [
        row
        for word, base in found
        for row in ([base], [word], ["it", "was", *(["the"] if word.endswith("est") else []), word, "than", "that"])
    ]
    tags = load_english().tag(rows)
    return [
        pair
        for pair, (base,), (alone,), sentence in zip(found, tags[::3], tags[1::3], tags[2::3], strict=True)
        if base in ("JJ", "RB") and {alone, sentence[-3]} & {"JJR", "JJS", "RBR", "RBS"}
    ]


# ------------------------------------------------------------------------------------------------------- loading

_REGISTERED = {"varcon": "varcon", "sudachi-synonyms": "sudachi-synonyms"}
_TITLES = {
    ("en", "varcon"): "VarCon's spellings, inflection, contractions",
    ("en", "shipped"): "inflection and contractions by rule, no spelling dictionary",
    ("ja", "sudachi-synonyms"): "Sudachi's normalised forms and synonym dictionary",
    ("ja", "shipped"): "Sudachi's normalised forms, no synonym dictionary",
}


def load_variants(
    language: str = "en",
    backend: str = "auto",
    *,
    path: str | Path | None = None,
    kinds: Iterable[str] | None = None,
    parts_of_speech: str = "nva",
) -> Variants:
    """Spelling variants and forms of words as a paraphrase resource.

    Parameters
    ----------
    language : {"en", "ja"}
    backend : str
        One of `BACKENDS` of the language, or ``"auto"``: the dictionary where it is at hand, else what needs none.
    path : path, optional
        The dictionary's file, with a named backend.
    kinds : iterable of str, optional
        Some of `KINDS` of the language; all by default.
    parts_of_speech : str
        Japanese: letters of ``nvar``. The paper's dictionary has nouns, verbs and adjectives (``nva``); ``r`` adds
        adverbs, conjunctions and adnominals (及び, および). English words have no tag here.

    Returns
    -------
    Variants
        Its description says what was taken.

    Raises
    ------
    InputError
        The language, the backend, a kind or a part of speech is unknown, or a path is given without a backend.
    ResourceNotFoundError
        The named dictionary is not at hand; Japanese, and Sudachi is not installed.
    DataFormatError
        With file and line: the dictionary is damaged.
    """
    if language not in LANGUAGES:
        raise InputError(f"The language is one of {', '.join(LANGUAGES)}, not {language!r}.")
    if backend not in ("auto", *BACKENDS[language]):
        raise InputError(f"The variants backend is auto or one of {', '.join(BACKENDS[language])}, not {backend!r}.")
    chosen = KINDS[language] if kinds is None else tuple(kinds)
    if not chosen or set(chosen) - set(KINDS[language]):
        raise InputError(f"Kinds of variants are some of {', '.join(KINDS[language])}, not {', '.join(chosen)!r}.")
    if not parts_of_speech or set(parts_of_speech) - set(PARTS_OF_SPEECH):
        raise InputError(f"Parts of speech are letters of {PARTS_OF_SPEECH}, not {parts_of_speech!r}.")
    if path is not None and backend in ("auto", "shipped"):
        raise InputError("Say which backend reads the given path.")
    found: Path | None = None
    name = BACKENDS[language][0]
    if backend != "shipped":
        try:
            found = Path(path).expanduser() if path is not None else data.find(_REGISTERED[name]).path
            if not found.is_file():
                raise ResourceNotFoundError(f"There is no {name} at {found}.")
        except ResourceNotFoundError:
            if backend == name:
                raise
            found = None
    taken = name if found is not None else "shipped"
    digest = data.sha256(found)[:8] if found is not None else ""
    is_english = language == "en"
    parts = "".join(part for part in PARTS_OF_SPEECH if part in parts_of_speech)
    return Variants(
        language=language,
        backend=taken,
        kinds=tuple(kind for kind in KINDS[language] if kind in chosen),
        parts_of_speech=parts,
        description=f"{NAME} ({language}): {_TITLES[language, taken]}" + (f" (sha256 {digest})" if digest else ""),
        signature=f"variants:{taken}{'@' if digest else ''}{digest}|{language}|kinds:{'+'.join(sorted(chosen))}"
        + ("" if is_english else f"|pos:{parts}|{japanese_signature()}"),
        spellings=_spellings(found, digest) if found is not None and is_english else (),
        synonyms=sudachi_synonyms_of(found, data.sha256(found)) if found is not None and not is_english else (),
    )


@functools.lru_cache(maxsize=2)
def _spellings(path: Path, digest: str) -> tuple[tuple[str, ...], ...]:
    return tuple(read_varcon(path))
