"""Which words of a vocabulary are inflected forms of a dictionary's words.

A dictionary lists uninflected words, texts hold inflected ones. English forms are led back to lemmas by
`nbhelpers.language.inflection`; Japanese ones by Sudachi, word by word and without context.
"""

from __future__ import annotations

import functools
import itertools
import unicodedata
from collections.abc import Container, Mapping

from nbhelpers.language import STOP_WORDS
from nbhelpers.language.inflection import IRREGULAR, english_lemmas
from nbhelpers.studies.paraphrase.tables import Expression
from nbhelpers.studies.paraphrase.tokens import (
    FUNCTION_TAGS,
    JapaneseWord,
    japanese_entries,
    japanese_tag,
    japanese_words,
)

FUNCTION_VERBS = frozenset({"為る", "居る", "有る", "無い", "成る", "出来る", "御座る", "仕舞う", "呉れる", "貰う"})
"""Verbs (in Sudachi's normalised form) that mostly serve as auxiliaries: forms of them say nothing about meaning."""
_DO = "為る"
_FORMS_OF_DO = frozenset("し さ せ する すれ しろ せよ しよう".split())


def _has_kanji(word: str) -> bool:
    return any("CJK UNIFIED" in unicodedata.name(character, "") or character == "々" for character in word)


@functools.lru_cache(maxsize=1 << 17)
def japanese_readings(word: str) -> tuple[JapaneseWord, ...]:
    """What a Japanese word by itself may be: its dictionary form, normalised form and part of speech.

    The first is Sudachi's analysis of the word alone. A word written with kanji also has all other entries of the
    dictionary with that spelling, since few are homographs (行っ is a form of 行く and of 行う). For a word in kana
    those entries are legion (いる: 居る, 要る, 入る, 射る, …): only the analysis counts, and する, since し by itself
    is taken for an auxiliary.
    """
    found: dict[JapaneseWord, None] = {}
    analysis = japanese_words(word)
    whole = len(analysis) == 1 and analysis[0].surface == word
    if whole:
        found[analysis[0]] = None
    if not whole or _has_kanji(word):
        found.update(dict.fromkeys(japanese_entries(word)))
        # Entries for slang: 失え would be ない.
        found = {e: None for e in found if e.normalized_form not in FUNCTION_VERBS or e.normalized_form[0] in word}
    elif word in _FORMS_OF_DO:
        entries = japanese_entries(word)
        found.update(dict.fromkeys(entry for entry in entries if entry.normalized_form == _DO))
    return tuple(found)


def is_content(reading: JapaneseWord) -> bool:
    """Whether a reading is a noun, verb, adjective, adverb or number, and no auxiliary."""
    tag = japanese_tag(reading.part_of_speech)
    return tag not in FUNCTION_TAGS and reading.normalized_form not in FUNCTION_VERBS


# ------------------------------------------------------------------------------------- the words of a vocabulary


class VocabularyForms:
    """The words of a vocabulary, looked up by the words of a dictionary.

    A function word (``in``, ``have``, する) never stands for a dictionary's word by itself: WordNet knows ``in`` as
    indium and ``have`` as a verb of eating; in running text it is neither.

    Parameters
    ----------
    vocabulary : frozenset of str
        Words of the texts, as `nbhelpers.studies.paraphrase.tokens.tokenize` gives them.
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
                readings = japanese_readings(word)
                is_content_word = any(map(is_content, readings))
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
