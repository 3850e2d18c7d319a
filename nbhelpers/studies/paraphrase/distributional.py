"""The DS resource: expressions that occur with the same words (section 4.2, "distributional similarity").

Nouns and noun phrases are counted with verbs, verbs with nouns. From dependency trees such a context is the lemma of
the word that a relation joins them with; without a tree, every verb or noun within a window. Each expression becomes a
vector of these counts, weighted as in the SMART system (Salton 1971), and has its 20 nearest neighbours as paraphrases.
The paper names SMART's measure without its weights; here they are ``ltc`` in the letters of Salton & Buckley (1988):
1 + ln(frequency), times ln(expressions / expressions with that context), divided by the vector's length, so that the
product of two vectors is their cosine.
"""

from __future__ import annotations

import csv
import hashlib
import itertools
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, diags_array

from nbhelpers.base import paths
from nbhelpers.base.errors import InputError, ResourceNotFoundError
from nbhelpers.base.files import open_text, table_rows
from nbhelpers.language import STOP_WORDS, coarse_tag, is_word, load_english, stem
from nbhelpers.metrics.paraphrase import tables
from nbhelpers.metrics.paraphrase.tables import Expression, Pairs, ParaphraseTable
from nbhelpers.metrics.paraphrase.tokens import cut, japanese_pieces, japanese_tag, japanese_words
from nbhelpers.resources import data
from nbhelpers.resources.treebank import Sentence, Token, iterate_conllu
from nbhelpers.studies.paraphrase.parallel import analyser_signature

NAME = "DS"

KINDS = ("noun", "phrase", "verb")
NOUNS, VERBS = ("NOUN", "PROPN"), ("VERB",)
NEIGHBOURS, WINDOW, LONGEST_PHRASE = 20, 5, 4
"""Paraphrases of an expression (20 in the paper); words to either side without a tree; words of a noun phrase."""

MODIFIERS = frozenset({"compound", "amod", "flat"})
"""Relations whose dependents make a noun phrase with their noun."""

_JAPANESE_STOP_WORDS = frozenset(
    "する 為る いる 居る ある 有る なる 成る できる 出来る こと 事 もの 物 ため 為 よう 様 ところ 所 とき 時 ない 無い "
    "良い よい いう 言う ら 等 さん 氏 的 さ".split()
)
_HYPHENS = frozenset("-‐‑・")


LEAST_FREQUENCY, LEAST_CONTEXTS = 5, 5
"""Expressions that occur less often are passed over (in trees: less often with a verb or noun), and expressions with
fewer different contexts: two that share their only context have a cosine of 1."""


# ------------------------------------------------------------------------------------------------ dependency trees


def dependency_pairs(sentence: Sentence, language: str = "en") -> Iterator[tuple[str, Expression, str]]:
    """Nouns, noun phrases and verbs of a dependency tree with what they occur with.

    A noun and a verb are a pair when either depends on the other (*visit a town*, *the town visited*), except as part
    of the noun phrase (*frozen soil*). The noun phrase is the unbroken run of the noun's modifiers around it; a noun
    without modifiers is its own phrase, and one of more than `LONGEST_PHRASE` words is passed over.

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
        The words of the text, as `nbhelpers.metrics.paraphrase.tokens.tokenize` gives them.
    context : str
        Lemma of the verb or noun (the form where the tree has no lemmas).

    """
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
            if word and not is_suffix and not _is_stop_word(noun.form, language):
                yield "noun", word, context
            if 1 <= len(phrase) <= LONGEST_PHRASE and (len(phrase) > 1 or not is_suffix):
                yield "phrase", phrase, context
            verb_word = _expression([verb], language)
            if verb_word and not _is_stop_word(verb.form, language) and not _is_stop_word(_lemma(verb), language):
                yield "verb", verb_word, f"dep:{_lemma(noun)}"


def _is_stop_word(word: str, language: str) -> bool:
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
        return cut("".join(token.form for token in tokens), "ja")
    return cut(" ".join(token.form for token in tokens), "en")


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
                        plain = tag in NOUNS + VERBS and not _is_stop_word(token, "en") and token[0].isalpha()
                        row.append((token.lower(), tag, stem(token) if plain else None))
                yield row
        return
    for text in texts:
        for piece in japanese_pieces(text):
            row = []
            for word in japanese_words(piece):
                tag, base = japanese_tag(word.part_of_speech), word.dictionary_form
                plain = tag in NOUNS + VERBS and not _is_stop_word(base, "ja") and " " not in word.surface
                row.append((word.surface, tag, base if plain else None))
            yield row


def window_pairs(sentence: Sequence[Word]) -> Iterator[tuple[str, Expression, list[str]]]:
    """Nouns and noun phrases with the verbs within a window on either side, and verbs with the nouns around them.

    A noun phrase is an unbroken run of adjectives and nouns that ends in a noun; it is passed over if it has more than
    `LONGEST_PHRASE` words. A window never leaves its sentence.

    Parameters
    ----------
    sentence : sequence of Word
        As `read_words` gives it.

    Yields
    ------
    kind : str
        One of `KINDS`.
    expression : tuple of str
    contexts : list of str
    """
    for kind, first, last in _spans(sentence):
        wanted = NOUNS if kind == "verb" else VERBS
        near = (*sentence[max(0, first - WINDOW) : first], *sentence[last : last + WINDOW])
        contexts = [f"win:{name}" for _, tag, name in near if name is not None and tag in wanted]
        yield kind, tuple(word for word, *_ in sentence[first:last]), contexts


def _spans(sentence: Sequence[Word]) -> Iterator[tuple[str, int, int]]:
    """Kind, first word and the word after the last of each noun, verb and noun phrase."""
    for place, (_, tag, context) in enumerate(sentence):
        if context is not None:
            yield "verb" if tag in VERBS else "noun", place, place + 1
    for is_run, run in itertools.groupby(range(len(sentence)), lambda place: sentence[place][1] in (*NOUNS, "ADJ")):
        places = list(run)
        while places and sentence[places[-1]][1] == "ADJ":
            places.pop()
        is_plain = len(places) > 1 or (len(places) == 1 and sentence[places[0]][2] is not None)
        if is_run and is_plain and len(places) <= LONGEST_PHRASE:
            yield "phrase", places[0], places[-1] + 1


# ---------------------------------------------------------------------------------------------- vectors, neighbours


def frequent(occurrences: Iterable[tuple[Expression, Iterable[str]]]) -> tuple[list[Expression], csr_array]:
    """The expressions that occur often enough, in alphabetical order, and how often each has which context.

    Parameters
    ----------
    occurrences : iterable of (Expression, contexts)

    Returns
    -------
    list of Expression
        Those that reach `LEAST_FREQUENCY` and `LEAST_CONTEXTS`.
    scipy.sparse.csr_array of float64, shape (expressions, contexts)
    """
    from sklearn.feature_extraction import DictVectorizer

    frequency: Counter[Expression] = Counter()
    contexts: defaultdict[Expression, Counter[str]] = defaultdict(Counter)
    for expression, names in occurrences:
        frequency[expression] += 1
        contexts[expression].update(names)
    often = (x for x, count in frequency.items() if count >= LEAST_FREQUENCY)
    kept = sorted(x for x in often if len(contexts[x]) >= LEAST_CONTEXTS)
    counts = DictVectorizer().fit_transform([contexts[x] for x in kept]) if kept else np.zeros((0, 0))
    return kept, csr_array(counts)


def smart_weights(counts: csr_array) -> csr_array:
    """Counts weighted as in the SMART system, by ``ltc``.

    Parameters
    ----------
    counts : scipy.sparse.csr_array, shape (expressions, contexts)
        Frequencies above 0.

    Returns
    -------
    scipy.sparse.csr_array of float64, same shape
        Each row has length 1, or 0 if all expressions have its contexts.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> smart_weights(csr_array([[2.0, 1.0, 0.0], [3.0, 0.0, 1.0]])).toarray()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    having = np.bincount(counts.indices, minlength=counts.shape[1])
    weighted = csr_array((1 + np.log(counts.data), counts.indices, counts.indptr), shape=counts.shape)
    weighted = csr_array(weighted @ diags_array(np.log(max(counts.shape[0], 1) / np.maximum(having, 1))))
    weighted.eliminate_zeros()
    norms = np.sqrt(weighted.multiply(weighted).sum(axis=1))
    return csr_array(diags_array(1 / np.where(norms > 0, norms, 1.0)) @ weighted)


def neighbours(expressions: Sequence[Expression], counts: csr_array, *, with_phrase: bool = False) -> Pairs:
    """The `NEIGHBOURS` nearest neighbours of each expression, nearest first; ties in alphabetical order.

    Parameters
    ----------
    expressions : sequence of Expression
        In alphabetical order.
    counts : scipy.sparse.csr_array, shape (expressions, contexts)
    with_phrase : bool
        Only pairs in which one side has more than one word.

    Returns
    -------
    dict of Expression to dict of Expression to float
        Cosines between 0 and 1.
    """
    vectors = smart_weights(counts)
    is_phrase = np.array([len(expression) > 1 for expression in expressions], bool)
    found: Pairs = {}
    for rows, columns, scores in tables.products(vectors, vectors.T.tocsr()):
        # Sums of the same products in another order differ in the last digits, which must not decide a tie.
        scores = np.round(scores, 12)
        kept = (rows != columns) & (scores > 0)
        if with_phrase:
            kept &= is_phrase[rows] | is_phrase[columns]
        rows, columns, scores = rows[kept], columns[kept], scores[kept]
        for place in tables.best(rows, columns, scores, NEIGHBOURS).tolist():
            targets = found.setdefault(expressions[rows[place]], {})
            targets[expressions[columns[place]]] = float(scores[place])
    return found


# --------------------------------------------------------------------------------------------------- the resource


def default_sources(language: str = "en") -> tuple[list[Path], list[str]]:
    """Treebanks and plain texts to learn from, as far as they are found on this machine.

    For English the Web Treebank (else the small treebank that ships) and the Lee news articles, for Japanese the GSD
    treebank and Wikinews.

    Raises
    ------
    ResourceNotFoundError
        Nothing is found (Japanese).
    """
    treebanks, collection = {
        "en": (["ud-english-ewt-train"], "lee-background"),
        "ja": (["ud-japanese-gsd-dev", "ud-japanese-gsd-test"], "japanese-wikinews"),
    }[language]
    found = {}
    for name in (*treebanks, collection):
        try:
            found[name] = data.find(name, allow_shipped=False).path
        except ResourceNotFoundError:
            continue
    texts = _read_texts(found.pop(collection), language) if collection in found else []
    if language == "en" and not found:
        data.note_stand_in("ud-english-ewt-train-shipped")
        found["shipped"] = paths.data_dir() / "corpus" / "treebank-en.conllu"
    if not found and not texts:
        raise ResourceNotFoundError(
            "No Japanese text to learn from is found: put ud-japanese-gsd-dev or japanese-wikinews into a folder "
            "named in NBHELPERS_DATA, or give distributional_table texts of your own."
        )
    return list(found.values()), texts


def _read_texts(path: Path, language: str) -> list[str]:
    """Articles: one a line, or for Japanese in a column of a table, with blanks between the words."""
    if language == "ja":
        rows = table_rows(path, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [cells["article"].replace(" ", "") for _, cells in rows]
    with open_text(path) as reader:
        return [line.strip() for line in reader if line.strip()]


def distributional_table(
    language: str = "en",
    parsed: Sequence[str | Path] = (),
    texts: Sequence[str] = (),
) -> ParaphraseTable:
    """Paraphrases by distributional similarity.

    Parameters
    ----------
    language : {"en", "ja"}
    parsed : sequence of paths
        CoNLL-U files with dependency trees in Universal Dependencies.
    texts : sequence of str
        Plain texts, for which a window takes the place of a tree. With neither, `default_sources`.

    Returns
    -------
    ParaphraseTable
        Nouns with nouns, noun phrases with noun phrases (one side at least of several words), verbs with verbs.

    Raises
    ------
    InputError
        The language is unknown, or texts are one string.
    ResourceNotFoundError
        A file does not exist, or nothing is found by default.
    DataFormatError
        A treebank does not follow its format.

    Examples
    --------
    >>> texts = [f"The cook {did} the {what}." for did in ("ate", "sold") for what in "bread cake pie soup ham".split()]
    >>> texts += [f"The mayor met the {who}." for who in "king queen bishop guests teacher".split()]
    >>> list(distributional_table("en", texts=texts).pairs[("ate",)])
    [('sold',)]
    """
    tables.check_language(language)
    if isinstance(texts, str):
        raise InputError("texts is a sequence of strings.")
    if not parsed and not texts:
        parsed, texts = default_sources(language)
    parsed = [Path(path) for path in parsed]
    marks = [f"{path.name.removesuffix('.gz')}@{data.sha256(path)[:8]}" for path in parsed]
    if texts:
        digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
        marks.append(f"texts:{len(texts)}@{digest[:8]}")
    signature = (
        f"ds|{language}:{analyser_signature(language)}|{'+'.join(marks)}|ds(weighting:ltc,neighbours:{NEIGHBOURS},"
        f"minimum_frequency:{LEAST_FREQUENCY},minimum_contexts:{LEAST_CONTEXTS},minimum_similarity:0.0,window:{WINDOW},"
        f"noun_phrases:True,longest_phrase:{LONGEST_PHRASE})"
    )
    occurrences: dict[str, list] = {kind: [] for kind in KINDS}
    for path in parsed:
        for sentence in iterate_conllu(path):
            for kind, expression, context in dependency_pairs(sentence, language):
                occurrences[kind].append((expression, [context]))
    for words in read_words(texts, language):
        for kind, expression, contexts in window_pairs(words):
            occurrences[kind].append((expression, contexts))
    pairs: Pairs = {}
    for kind in KINDS:
        found = neighbours(*frequent(occurrences[kind]), with_phrase=kind == "phrase")
        for expression, nearest in found.items():
            for other, similarity in nearest.items():
                tables.add_pair(pairs, expression, other, similarity)
    return ParaphraseTable(NAME, language, pairs, signature)
