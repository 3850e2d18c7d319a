"""Pairs of which everybody knows how much meaning they share: identical sentences, and sentences that share nothing.

The MeaningBERT study (Beauchemin, Saggion and Khoury 2023, section 3.3) rates a metric on 359 sentences paired with
themselves and with an unrelated sentence that a language model wrote ("word soup"). Its pairs come with CSMD; those
made here stand beside them, from any sentences and without a language model.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from nbhelpers.base.errors import InputError
from nbhelpers.language.english import load_english
from nbhelpers.language.tokens import STOP_WORDS, content_stems, stem, tokenize
from nbhelpers.resources import data
from nbhelpers.resources.csmd import RatedPair
from nbhelpers.studies.meaningbert.sanity.reading import read, word_spans

FEWEST_WORDS, MOST_WORDS = 8, 30
"""Length of the sentences that `lee_sentences` takes, in words."""

_MARKS = '"“”«»()[]{}'
_FINITE = frozenset({"MD", "VBD", "VBZ", "VBP"})


@dataclass(frozen=True)
class ArticleSentence:
    """A sentence and the article that it comes from.

    Attributes
    ----------
    text : str
    article : str
        Any key that sentences of one article share and no others have.
    """

    text: str
    article: str


# -------------------------------------------------------------------- sentences


def lee_sentences(count: int, seed: int = 0) -> list[ArticleSentence]:
    """Sentences of the Lee background corpus (300 news articles of 2001, in gensim's wheel), one of an article.

    Taken are sentences of 8 to 30 words that begin with a capital letter, end in a full stop, have a finite verb (by
    the shipped tagger) and neither quotation marks nor brackets, so that they can stand alone. Which article, and which
    of its sentences, the seed decides; a text that two articles share is taken once.

    Parameters
    ----------
    count : int
        How many, at least 1.
    seed : int

    Returns
    -------
    list of ArticleSentence
        In an order that the seed decides; articles are named ``lee_background-1`` and so on, by their line. The first
        sentences of a longer list are those of a shorter one.

    Raises
    ------
    InputError
        If there are not as many articles with such a sentence.

    Examples
    --------
    >>> sentences = lee_sentences(2, seed=0)
    >>> sentences[0].article != sentences[1].article
    True
    """
    located = data.find("lee-background").path
    lines = located.read_text(encoding="utf-8").splitlines()
    english = load_english()
    generator = np.random.default_rng(seed)
    chosen: dict[str, ArticleSentence] = {}
    for line in generator.permutation(len(lines)):
        # A generator for each article: what is taken of one does not depend on the others.
        inside = np.random.default_rng([seed, int(line)])
        sentences = english.sentences(lines[line])
        for place in inside.permutation(len(sentences)):
            text = " ".join(sentences[place].split())
            if text not in chosen and _is_well_formed(text):
                chosen[text] = ArticleSentence(text, f"{located.stem}-{line + 1}")
                break
        if len(chosen) == count:
            return list(chosen.values())
    raise InputError(f"{located.name} has {len(chosen)} articles with a sentence to take, and {count} are wanted.")


def _is_well_formed(text: str) -> bool:
    """Whether a sentence can stand alone: see `lee_sentences`."""
    if not (text[:1].isupper() and text.endswith(".")) or any(mark in text for mark in _MARKS):
        return False
    if not FEWEST_WORDS <= len(word_spans(text)) <= MOST_WORDS or text.isupper():
        return False
    return not _FINITE.isdisjoint(read(text).tags)


# -------------------------------------------------------------------- pairs


def unrelated_pairs(sentences: Sequence[ArticleSentence], seed: int = 0) -> list[RatedPair]:
    """Every sentence with one of another article; nothing of the meaning is kept, the rating should be 0.

    Every sentence is the candidate of exactly one other. News articles tell of the same events, so the two sentences
    have no content word in common (compared by stems); words of grammar they may share. Which one goes
    with which the seed decides, in a matching of all sentences at once.

    Parameters
    ----------
    sentences : sequence of ArticleSentence
        Of two articles or more, and not more than half of them of one.
    seed : int

    Raises
    ------
    InputError
        If there are no such pairs for all of them, as where the sentences are of one article.

    Examples
    --------
    >>> sentences = [ArticleSentence("The farmer sold two horses.", "a"), ArticleSentence("It rained in Oslo.", "b")]
    >>> [pair.candidate for pair in unrelated_pairs(sentences)]
    ['It rained in Oslo.', 'The farmer sold two horses.']
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    generator = np.random.default_rng(seed)
    rows, columns = (generator.permutation(len(sentences)) for _ in range(2))
    articles = np.array([s.article for s in sentences])
    texts = np.array([s.text for s in sentences])
    allowed = (articles[:, None] != articles[None, :]) & (texts[:, None] != texts[None, :])
    allowed &= ~_sharing([content_stems(s.text) for s in sentences])
    matched = maximum_bipartite_matching(csr_array(allowed[np.ix_(rows, columns)]), perm_type="column")
    if (matched < 0).any():
        row = int(rows[np.flatnonzero(matched < 0)[0]]) + 1
        raise InputError(
            f"There is no unrelated sentence left for sentence {row}: too many sentences are of one article, or share "
            "words. Give more sentences."
        )
    partner = np.empty(len(sentences), dtype=int)
    partner[rows] = columns[matched]
    return [
        RatedPair(sentence.text, sentences[place].text, 0.0, row, "unrelated")
        for row, (sentence, place) in enumerate(zip(sentences, partner), start=1)
    ]


def word_soup(sentences: Sequence[ArticleSentence], seed: int = 0) -> list[RatedPair]:
    """Every sentence with as many random words, none of them its own: "a completely irrelevant sentence mainly composed
    of irrelevant words" (section 3.3.2), drawn here from the other sentences in place of a language model.

    The words of a soup are distinct; it begins with a capital letter and ends in a full stop, so that only the words
    tell it from a sentence. No word has the stem of a word of the sentence.

    Parameters
    ----------
    sentences : sequence of ArticleSentence
    seed : int
        A sentence gets the same soup in whatever list it stands, given the same words to draw from.

    Raises
    ------
    InputError
        If there are too few words for a sentence.

    Examples
    --------
    >>> sentences = lee_sentences(20)
    >>> pair = word_soup(sentences)[0]
    >>> len(pair.candidate.split()) == len(pair.source.split())
    True
    """
    words = sorted({word for s in sentences for word in tokenize(s.text) if _is_content(word)})
    stems = [stem(word) for word in words]
    pairs = []
    for row, sentence in enumerate(sentences, start=1):
        own = {stem(token) for token in tokenize(sentence.text)}
        free = [word for word, its_stem in zip(words, stems) if its_stem not in own]
        length = max(1, len(word_spans(sentence.text)))
        if len(free) < length:
            raise InputError(f"There are {len(free)} words for sentence {row}, which has {length} words.")
        generator = np.random.default_rng([seed, zlib.crc32(sentence.text.encode())])
        soup = " ".join(free[i] for i in generator.choice(len(free), size=length, replace=False))
        pairs.append(RatedPair(sentence.text, f"{soup[0].upper()}{soup[1:]}.", 0.0, row, "word soup"))
    return pairs


def _is_content(word: str) -> bool:
    return len(word) >= 3 and word.isalpha() and word.islower() and word not in STOP_WORDS


def _sharing(stems: Sequence[Collection[str]]) -> np.ndarray:
    """Which sentences share a word with which, as a boolean array (n, n)."""
    from sklearn.feature_extraction.text import CountVectorizer

    found = CountVectorizer(analyzer=lambda own: own).fit_transform(stems)
    return (found @ found.T).toarray() > 0
