"""Candidates of paraphrases in texts: expressions that stand in the same place of two similar sentences."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from nbhelpers.base.errors import InputError
from nbhelpers.language import load_english
from nbhelpers.studies.paraphrase.expressions import LANGUAGES, Expression
from nbhelpers.studies.paraphrase.tokens import japanese_sentences, tokenize

LONGEST = 8
"""Words of the longest expression, unless told otherwise."""


def differing_expressions(
    first: str, second: str, language: str, *, longest: int = LONGEST, least_shared: float = 0.5
) -> list[tuple[Expression, Expression]]:
    """Expressions that stand in the same place of two similar sentences: candidates of paraphrases.

    The words of the sentences are aligned by their longest common runs (`difflib.SequenceMatcher`); words between two
    runs on one side are paired with those on the other. Whether they mean the same is not asked: two sentences that
    are alike in wording may differ in content, so these pairs want a look.

    Parameters
    ----------
    first, second : str
        Sentences.
    language : {"en", "ja"}
    longest : int
        Words of the longest expression; pairs with a longer one are left out.
    least_shared : float
        Share of common words (0 to 1, twice their number by all words) below which the sentences count as
        unrelated and give no pairs.

    Returns
    -------
    list of (Expression, Expression)
        In the order of the sentences.

    Raises
    ------
    InputError
        A limit is out of range, or as `nbhelpers.studies.paraphrase.tokens.tokenize` does.
    """
    if longest < 1 or not 0 <= least_shared <= 1:
        raise InputError(f"longest is at least 1 and least_shared from 0 to 1, not {longest} and {least_shared}.")
    words, others = tokenize(first, language), tokenize(second, language)
    matcher = difflib.SequenceMatcher(None, words, others, autojunk=False)
    if matcher.ratio() < least_shared:
        return []
    return [
        (words[a:b], others[c:d])
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind == "replace" and b - a <= longest and d - c <= longest
    ]


def pairs_of_texts(
    texts: Sequence[str], language: str, *, longest: int = LONGEST, least_shared: float = 0.5
) -> list[tuple[Expression, Expression]]:
    """`differing_expressions` of several summaries of one text, as in section 3: each sentence of each with the most
    similar sentence of every later one.

    Returns
    -------
    list of (Expression, Expression)
        Each pair once, whichever side comes first.

    Raises
    ------
    InputError
        As `differing_expressions` does.
    """
    if isinstance(texts, str):
        raise InputError("Texts are a sequence of strings: two of them at least give pairs.")
    if language not in LANGUAGES:
        raise InputError(f"The language is one of {', '.join(LANGUAGES)}, not {language!r}.")
    split = load_english().sentences if language == "en" else japanese_sentences
    documents = [[(sentence, tokenize(sentence, language)) for sentence in split(text)] for text in texts]
    found: dict[frozenset[Expression], tuple[Expression, Expression]] = {}
    for place, document in enumerate(documents):
        for other in documents[place + 1 :]:
            for sentence, words in document:
                ratios = [difflib.SequenceMatcher(None, words, others, autojunk=False).ratio() for _, others in other]
                if ratios and max(ratios) >= least_shared:
                    nearest = other[ratios.index(max(ratios))][0]
                    for pair in differing_expressions(
                        sentence, nearest, language, longest=longest, least_shared=least_shared
                    ):
                        found.setdefault(frozenset(pair), pair)
    return list(found.values())
