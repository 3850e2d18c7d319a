"""What words occur with: nouns with the verbs they depend on, noun phrases too, and words within a window.

Three kinds of expressions have contexts (section 4.2): nouns and noun phrases have verbs, verbs have nouns. From
dependency trees a context is the lemma of the word that a relation joins them with; where there is no tree, of every
verb or noun within a window.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nbhelpers.language.english import coarse_tag, load_english
from nbhelpers.language.tokens import STOP_WORDS, is_word, stem
from nbhelpers.resources.treebank import Sentence, Token
from nbhelpers.studies.paraphrase import tokens as matcher_tokens
from nbhelpers.studies.paraphrase.expressions import Expression

if TYPE_CHECKING:
    from scipy.sparse import csr_array

KINDS = ("noun", "phrase", "verb")
NOUNS, VERBS = ("NOUN", "PROPN"), ("VERB",)
MODIFIERS = frozenset({"compound", "amod", "flat"})
"""Relations whose dependents make a noun phrase with their noun."""

PAIRS_AT_ONCE = 10_000_000
"""So many counted contexts are held before they are summed."""

_JAPANESE_STOP_WORDS = frozenset(
    "する 為る いる 居る ある 有る なる 成る できる 出来る こと 事 もの 物 ため 為 よう 様 ところ 所 とき 時 ない 無い "
    "良い よい いう 言う ら 等 さん 氏 的 さ".split()
)
_HYPHENS = frozenset("-‐‑・")
_words = lru_cache(maxsize=1 << 18)(matcher_tokens.tokenize)


class Counts:
    """How often expressions of one kind occur with contexts."""

    def __init__(self) -> None:
        self.expressions: dict[Expression, int] = {}
        self._frequencies: list[int] = []
        self.contexts: dict[str, int] = {}
        self._pending: list[tuple[NDArray, NDArray, NDArray]] = []
        self._rows: list[int] = []
        self._columns: list[int] = []
        self._size = 0

    def occurrence(self, expression: Expression) -> int:
        """Count an occurrence of an expression; gives its number."""
        number = self.expressions.setdefault(expression, len(self.expressions))
        if number == len(self._frequencies):
            self._frequencies.append(0)
        self._frequencies[number] += 1
        return number

    def context(self, context: str) -> int:
        """Number of a context."""
        return self.contexts.setdefault(context, len(self.contexts))

    def add(self, expression: Expression, context: str) -> None:
        """Count an occurrence of an expression with its only context."""
        self._rows.append(self.occurrence(expression))
        self._columns.append(self.context(context))

    def add_arrays(self, rows: NDArray, columns: NDArray) -> None:
        """Count contexts of occurrences, by the numbers of the expressions and of the contexts."""
        self._pending.append((rows, columns, np.ones(len(rows))))
        self._size += len(rows)
        if self._size > PAIRS_AT_ONCE:
            matrix = self._sum().tocoo()
            self._pending = [(matrix.row, matrix.col, matrix.data)]
            self._size = 0

    def _sum(self) -> csr_array:
        from scipy.sparse import csr_array

        self._pending.append((np.array(self._rows, int), np.array(self._columns, int), np.ones(len(self._rows))))
        self._rows, self._columns = [], []
        rows, columns, values = (np.concatenate(part) for part in zip(*self._pending, strict=True))
        matrix = csr_array((values, (rows, columns)), shape=(len(self.expressions), len(self.contexts)))
        matrix.sum_duplicates()
        return matrix

    def matrix(self, minimum_frequency: int = 1, minimum_contexts: int = 1) -> tuple[list[Expression], csr_array]:
        """Expressions that occur so often and have so many different contexts, in alphabetical order, and their counts.

        Returns
        -------
        list of Expression
        scipy.sparse.csr_array of float64, shape (expressions, contexts)
        """
        matrix, names = self._sum(), list(self.expressions)
        kept = (np.array(self._frequencies, int) >= minimum_frequency) & (np.diff(matrix.indptr) >= minimum_contexts)
        order = sorted(np.flatnonzero(kept).tolist(), key=names.__getitem__)
        return [names[i] for i in order], matrix[np.array(order, int)]


# ------------------------------------------------------------------------------------------------ dependency trees


def dependency_pairs(
    sentence: Sentence, language: str = "en", *, longest_phrase: int = 4
) -> Iterator[tuple[str, Expression, str]]:
    """Nouns, noun phrases and verbs of a dependency tree with what they occur with.

    A noun and a verb are a pair when either depends on the other (*visit a town*, *the town visited*), except as part
    of the noun phrase (*frozen soil*). The noun phrase is the unbroken run of the noun's modifiers around it; a noun
    without modifiers is its own phrase, and one of more than `longest_phrase` words is passed over.

    Parameters
    ----------
    sentence : Sentence
        In Universal Dependencies.
    language : {"en", "ja"}
        Decides how forms become the matcher's words.

    Yields
    ------
    kind : str
        One of `KINDS`.
    expression : tuple of str
        The words of the text, as `nbhelpers.studies.paraphrase.tokens.tokenize` gives them.
    context : str
        Lemma of the verb or noun (the form where the tree has no lemmas).

    Raises
    ------
    InputError
        The sentence has no tree.
    """
    sentence.depths()  # refuses a sentence without a tree
    children: dict[int, list[Token]] = {}
    for token in sentence.tokens:
        children.setdefault(token.head, []).append(token)
    for noun in sentence.tokens:
        if noun.upos not in NOUNS or not is_word(noun.form):
            continue
        head = sentence.tokens[noun.head - 1] if noun.head else None
        verbs = [head] if head is not None and _relation(noun) not in MODIFIERS else []
        verbs += [child for child in children.get(noun.id, ()) if _relation(child) not in MODIFIERS]
        verbs = [verb for verb in verbs if verb.upos in VERBS and is_word(verb.form) and _relation(verb) != "fixed"]
        if not verbs:
            continue
        word, phrase = _expression([noun], language), _expression(_noun_phrase(noun, sentence, children), language)
        is_suffix = noun.xpos.startswith("接尾辞")
        for verb in verbs:
            context = f"dep:{_lemma(verb)}"
            if word and not is_suffix and not is_stop_word(noun.form, language):
                yield "noun", word, context
            if 1 <= len(phrase) <= longest_phrase and (len(phrase) > 1 or not is_suffix):
                yield "phrase", phrase, context
            verb_word = _expression([verb], language)
            if verb_word and not is_stop_word(verb.form, language) and not is_stop_word(_lemma(verb), language):
                yield "verb", verb_word, f"dep:{_lemma(noun)}"


def is_stop_word(word: str, language: str) -> bool:
    """Whether a word is too general to be a paraphrase or to say anything about its neighbours."""
    return word in _JAPANESE_STOP_WORDS if language == "ja" else word.lower() in STOP_WORDS


def _relation(token: Token) -> str:
    return token.deprel.partition(":")[0]


def _lemma(token: Token) -> str:
    return (token.lemma if token.lemma not in ("", "_") else token.form).lower()


def _noun_phrase(noun: Token, sentence: Sentence, children: dict[int, list[Token]]) -> list[Token]:
    members, waiting = {noun.id}, [noun.id]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if _relation(child) in MODIFIERS:
                members.add(child.id)
                waiting.append(child.id)
    first = last = noun.id
    for step, end in ((-1, 1), (1, len(sentence))):
        place = noun.id
        while place != end and (place + step in members or sentence.tokens[place + step - 1].form in _HYPHENS):
            place += step
            if place in members:
                first, last = min(first, place), max(last, place)
    return list(sentence.tokens[first - 1 : last])


def _expression(tokens: Sequence[Token], language: str) -> Expression:
    if language == "ja":
        if len(tokens) == 1:  # by itself an inflected form might be cut otherwise than in its sentence
            form = unicodedata.normalize("NFKC", tokens[0].form)
            return (form,) if form.split() == [form] else ()
        return _words("".join(token.form for token in tokens), "ja")
    return _words(" ".join(token.form for token in tokens), "en")


# --------------------------------------------------------------------------------------------------------- windows

Word = tuple[str, str, str | None]
"""A word of a text, its universal part of speech, and its name as a context, or None."""


def read_words(texts: Iterable[str], language: str) -> Iterator[list[Word]]:
    """The sentences of texts as words; punctuation is dropped, and only nouns and verbs are contexts.

    English contexts are stems, Japanese ones dictionary forms.
    """
    if language == "en":
        for sentences in load_english().analyse(text.replace("’", "'") for text in texts):
            for sentence in sentences:
                row: list[Word] = []
                for token, tag in zip(sentence.tokens, map(coarse_tag, sentence.tags), strict=True):
                    if is_word(token):
                        plain = tag in NOUNS + VERBS and not is_stop_word(token, "en") and token[0].isalpha()
                        row.append((token.lower(), tag, stem(token) if plain else None))
                yield row
        return
    for text in texts:
        for piece in matcher_tokens.japanese_pieces(text):
            row = []
            for word in matcher_tokens.japanese_words(piece):
                tag, base = matcher_tokens.japanese_tag(word.part_of_speech), word.dictionary_form
                plain = tag in NOUNS + VERBS and not is_stop_word(base, "ja") and " " not in word.surface
                row.append((word.surface, tag, base if plain else None))
            yield row


def add_window_pairs(
    sentences: Iterable[Sequence[Word]], counts: dict[str, Counts], *, window: int = 5, longest_phrase: int = 4
) -> tuple[int, int]:
    """Count the verbs within `window` words on either side of nouns and noun phrases, and the nouns around verbs.

    A noun phrase is an unbroken run of adjectives and nouns that ends in a noun; it is passed over when it has more
    than `longest_phrase` words. A window never leaves its sentence.

    Returns
    -------
    (int, int)
        Number of sentences and of words.
    """
    read = words = 0
    batch: list[Sequence[Word]] = []
    size = 0
    for sentence in sentences:
        read, words = read + 1, words + len(sentence)
        batch.append(sentence)
        size += len(sentence)
        if size > 200_000:
            _add_batch(batch, counts, window, longest_phrase)
            batch, size = [], 0
    _add_batch(batch, counts, window, longest_phrase)
    return read, words


def _add_batch(batch: list[Sequence[Word]], counts: dict[str, Counts], window: int, longest_phrase: int) -> None:
    words = [(tag, context) for sentence in batch for _, tag, context in sentence]
    owner = np.repeat(np.arange(len(batch)), [len(sentence) for sentence in batch])
    spans: dict[str, list[tuple[int, int, int]]] = {kind: [] for kind in counts}
    start = 0
    for sentence in batch:
        for kind, first, last in _spans(sentence, longest_phrase):
            if kind not in counts:
                continue
            expression = tuple(word for word, *_ in sentence[first:last])
            spans[kind].append((start + first, start + last, counts[kind].occurrence(expression)))
        start += len(sentence)
    for kind, table in counts.items():
        tags = NOUNS if kind == "verb" else VERBS
        places = np.array(
            [table.context(f"win:{name}") if name is not None and tag in tags else -1 for tag, name in words], np.int64
        )
        found = np.array(spans[kind], np.int64).reshape(-1, 3)
        for distance in range(1, window + 1):
            for near, edge in ((found[:, 0] - distance, found[:, 0]), (found[:, 1] - 1 + distance, found[:, 1] - 1)):
                inside = (near >= 0) & (near < len(places))
                near, edge, number = near[inside], edge[inside], found[inside, 2]
                kept = (owner[near] == owner[edge]) & (places[near] >= 0)
                table.add_arrays(number[kept], places[near[kept]])


def _spans(sentence: Sequence[Word], longest_phrase: int) -> Iterator[tuple[str, int, int]]:
    """Kind, first word and the word after the last of each noun, verb and noun phrase."""
    begin = None
    for place, (_, tag, context) in enumerate([*sentence, ("", "", None)]):
        if context is not None and tag in NOUNS:
            yield "noun", place, place + 1
        elif context is not None and tag in VERBS:
            yield "verb", place, place + 1
        if tag in NOUNS or tag == "ADJ":
            begin = place if begin is None else begin
            continue
        if begin is not None:
            end = place
            while end > begin and sentence[end - 1][1] == "ADJ":
                end -= 1
            if 1 < end - begin <= longest_phrase or (end - begin == 1 and sentence[begin][2] is not None):
                yield "phrase", begin, end
        begin = None
