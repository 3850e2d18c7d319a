"""Words of English and Japanese texts, as all paraphrase resources and the matcher see them.

English words are those of `nbhelpers.language.tokens.tokenize`, lower-cased, with straight apostrophes and composed
accents (NFC), without punctuation: hyphenated words are split (``long term``) unless one part is an affix
(``co-author`` stays one word, so that it can be a spelling variant of ``coauthor``), contractions are split (``do
n't``, ``john 's``), and numbers keep their commas and points.

Japanese words are those of Sudachi (Takaoka et al. 2018) with its core dictionary, both installed with pip, in split
mode B. Mode A would cut words such as 切り離す and 委員会 in two, which would turn the paper's word-level paraphrases
into phrases; mode C would keep every name and long compound whole (選挙管理委員会), so that two texts that share most
of it share nothing. Full-width letters and digits become half-width ones (NFKC), since the width is a matter of typing,
not of wording; kana and kanji stay as they are written.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from typing import NamedTuple

from nbhelpers.base.errors import InputError
from nbhelpers.language import STOP_WORDS, coarse_tag, is_word, load_english
from nbhelpers.language import tokenize as english_tokens
from nbhelpers.metrics.paraphrase.tables import check_language

LONGEST_PIECE = 1_500
"""Characters given to Sudachi at once. Its limits are 49,149 bytes of input and 65,535 bytes after its own character
normalisation, under which one character of three bytes may grow to 33."""


class JapaneseWord(NamedTuple):
    """One word of a Japanese text.

    Attributes
    ----------
    surface : str
        As it stands in the text, letters and digits in half width.
    dictionary_form : str
        Uninflected (行っ → 行く).
    normalized_form : str
        Uninflected, in Sudachi's standard spelling (附属 → 付属, 打込む → 打ち込む, ５．５兆 → 5500000000000).
    part_of_speech : tuple of str
        Six parts: four levels of the part of speech, conjugation type, conjugation form; ``*`` where there is none.
    """

    surface: str
    dictionary_form: str
    normalized_form: str
    part_of_speech: tuple[str, ...]


# ------------------------------------------------------------------------------------------------------- Sudachi


@functools.cache
def _sudachi():
    """Sudachi's dictionary and its tokenizer, which serves one thread only."""
    import sudachipy

    dictionary = sudachipy.Dictionary(dict="core")
    return dictionary, dictionary.tokenizer("B")


@functools.cache
def japanese_signature() -> str:
    """Versions of Sudachi and its dictionary, such as ``sudachi0.7.0-core20261015``."""
    return f"sudachi{version('sudachipy')}-core{version('sudachidict-core')}"


_SENTENCE = re.compile(r"[^。！？\n]*[。！？\n]+[」』）】〉》”’)\]]*|[^。！？\n]+")
_BRACKET = re.compile(r"(?=[(（])")


def japanese_pieces(text: str) -> Iterator[str]:
    """A text in sentences or less, each short enough for Sudachi; joined, they are the text.

    Sentences end at 。！？ and at line ends; one that is too long is cut after `LONGEST_PIECE` characters. All
    texts are read sentence by sentence: the words of a sentence never depend on what stands around it. A bracket begins
    a piece of its own, because Sudachi would make one word of a noun and of kana that follow it in brackets
    (移植を受ける者（ドナー）).
    """
    for piece in (piece for sentence in _SENTENCE.findall(text) for piece in _BRACKET.split(sentence) if piece):
        yield from (piece[start : start + LONGEST_PIECE] for start in range(0, len(piece), LONGEST_PIECE))


_NO_WORDS = ("補助記号", "空白")
"""Sudachi's parts of speech of punctuation, symbols and white space; 記号 (letters by themselves) are words."""


def _morphemes(text: str) -> Iterator:
    _, tokenizer = _sudachi()
    for piece in japanese_pieces(text):
        yield from tokenizer.tokenize(piece)


def _words(morphemes: Iterable) -> list[JapaneseWord]:
    """What Sudachi knows of morphemes, without those that are punctuation or white space."""
    normal = functools.partial(unicodedata.normalize, "NFKC")
    words = [
        JapaneseWord(normal(one.surface()), normal(one.dictionary_form()), one.normalized_form(), one.part_of_speech())
        for one in morphemes
    ]
    return [word for word in words if word.part_of_speech[0] not in _NO_WORDS and any(map(str.isalnum, word.surface))]


def japanese_words(text: str) -> list[JapaneseWord]:
    """The words of a Japanese text of any length with what Sudachi knows of them, without punctuation and white space.

    Their surfaces are ``tokenize(text, "ja")``.

    Examples
    --------
    >>> word = japanese_words("行った")[0]
    >>> word.surface, word.dictionary_form
    ('行っ', '行く')
    """
    return _words(_morphemes(text))


def _japanese_entries(word: str) -> list[JapaneseWord]:
    """All entries of Sudachi's dictionary with the spelling of a word, without choosing one by context."""
    return list(dict.fromkeys(_words(_sudachi()[0].lookup(word)))) if len(word) <= LONGEST_PIECE else []


# -------------------------------------------------------------------------------------------------------- tokens


def tokenize(text: str, language: str) -> tuple[str, ...]:
    """The words of a text, in order, without punctuation.

    Parameters
    ----------
    text : str
        Of any length; an empty text has no words.
    language : {"en", "ja"}

    Returns
    -------
    tuple of str
        English: lower-cased words, numbers and clitics (``n't``, ``'s``). Japanese: surfaces as written, letters and
        digits in half width.

    Raises
    ------
    InputError
        The language is unknown; the text is no string or holds a lone surrogate.

    Examples
    --------
    >>> tokenize("Don't close the long-term fund.", "en")
    ('do', "n't", 'close', 'the', 'long', 'term', 'fund')
    >>> tokenize("時間がない。", "ja")
    ('時間', 'が', 'ない')
    """
    check_language(language)
    if not isinstance(text, str):
        raise InputError(f"A text is a string, not {type(text).__name__}.")
    if language == "en":
        # Some files have accents as characters of their own.
        text = unicodedata.normalize("NFC", text).replace("’", "'")
        return tuple(token.lower() for token in english_tokens(text) if is_word(token))
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"The text holds half a character (a lone surrogate) at {error.start}.") from None
    return tuple(word.surface for word in japanese_words(text))


cut = functools.lru_cache(maxsize=1 << 18)(tokenize)
"""`tokenize` for expressions and texts that come again and again."""

# ----------------------------------------------------------------------------------------------- parts of speech

_UNIVERSAL = {
    "NOUN": "名詞 接頭辞 接尾辞",
    "PROPN": "名詞-固有名詞",
    "NUM": "名詞-数詞",
    "AUX": "名詞-助動詞語幹 形状詞-助動詞語幹 助動詞",
    "PRON": "代名詞",
    "ADJ": "形状詞 形容詞 接尾辞-形容詞的 接尾辞-形状詞的",
    "DET": "連体詞",
    "ADV": "副詞",
    "CCONJ": "接続詞",
    "INTJ": "感動詞",
    "VERB": "動詞 接尾辞-動詞的",
    "ADP": "助詞",
    "SCONJ": "助詞-接続助詞 助詞-準体助詞",
    "PART": "助詞-終助詞",
    "SYM": "記号",
    "PUNCT": "補助記号 空白",
}
_JAPANESE_TAGS = {tuple(name.split("-")): tag for tag, names in _UNIVERSAL.items() for name in names.split()}
"""Universal parts of speech of Sudachi's (UniDic's), after the Japanese treebanks of Universal Dependencies."""

FUNCTION_TAGS = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "PUNCT", "SCONJ", "SYM", "X"})
"""Tags of words that carry no content of their own: no noun, verb, adjective, adverb, number or interjection."""


def japanese_tag(part_of_speech: Sequence[str]) -> str:
    """Universal part of speech (NOUN, VERB, …) of one of Sudachi's; ``"X"`` for an unknown one."""
    return _JAPANESE_TAGS.get(tuple(part_of_speech[:2])) or _JAPANESE_TAGS.get(tuple(part_of_speech[:1]), "X")


def coarse_tags(tokens: Sequence[str], language: str) -> tuple[str, ...]:
    """Universal part of speech (NOUN, PROPN, VERB, ADJ, …) of every word of a sentence.

    English words are tagged by the shipped tagger. Japanese words are joined and analysed again by Sudachi; a word that
    the analysis divides or cuts differently (words from another tokenizer) gets the tag of the last content word among
    the parts that begin in it or cover it, since Japanese compounds have their head at the end.

    Parameters
    ----------
    tokens : sequence of str
        Words as `tokenize` gives them, or another tokenizer's.
    language : {"en", "ja"}

    Examples
    --------
    >>> coarse_tags(["the", "railway", "loses", "money"], "en")
    ('DET', 'NOUN', 'VERB', 'NOUN')
    """
    if language == "en":
        return tuple(map(coarse_tag, load_english().tag([list(tokens)])[0]))
    owner: list[str] = []  # the tag of the morpheme at each character, and whether the morpheme begins there
    begins: list[bool] = []
    for morpheme in _morphemes("".join(tokens)):
        length = len(morpheme.surface())
        owner += [japanese_tag(morpheme.part_of_speech())] * length
        begins += [True] + [False] * (length - 1) if length else []
    tags, start = [], 0
    for token in tokens:
        here = [owner[i] for i in range(start, start + len(token)) if begins[i] or i == start]
        content = [tag for tag in here if tag not in FUNCTION_TAGS]
        tags.append(content[-1] if content else here[-1] if here else "X")
        start += len(token)
    return tuple(tags)


@functools.lru_cache(maxsize=1 << 18)
def is_function(expression: tuple[str, ...], language: str) -> bool:
    """Whether an expression consists of function words only.

    Examples
    --------
    >>> is_function(("of", "the"), "en"), is_function(("the", "car"), "en")
    (True, False)
    """
    if language == "en":
        return set(expression) <= STOP_WORDS
    return set(coarse_tags(expression, "ja")) <= FUNCTION_TAGS


# ------------------------------------------------------------------------------- what an inflected form may be

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
        found.update(dict.fromkeys(_japanese_entries(word)))
        # Entries for slang: 失え would be ない.
        found = {e: None for e in found if e.normalized_form not in FUNCTION_VERBS or e.normalized_form[0] in word}
    elif word in _FORMS_OF_DO:
        entries = _japanese_entries(word)
        found.update(dict.fromkeys(entry for entry in entries if entry.normalized_form == _DO))
    return tuple(found)


def is_content(reading: JapaneseWord) -> bool:
    """Whether a reading is a noun, verb, adjective, adverb or number, and no auxiliary."""
    tag = japanese_tag(reading.part_of_speech)
    return tag not in FUNCTION_TAGS and reading.normalized_form not in FUNCTION_VERBS
