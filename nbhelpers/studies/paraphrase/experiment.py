"""The experiments of section 5: extracts and abstracts ranked by paraphrase matching, compared with people's ranking.

`make_plan` lists what is compared with what, `match_scores` scores it by every combination of tables and ROUGE-1 in
one pass, and `evaluate_scores` correlates any scores with the human ones, topic by topic. `run` does all three. A
further method joins in as an array of scores for the rows of the plan (see `nbhelpers.studies.paraphrase.soft`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations as combinations_of

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base.errors import InputError
from nbhelpers.studies.paraphrase.expressions import Expression, ParaphraseTable
from nbhelpers.studies.paraphrase.links import MatchSettings
from nbhelpers.studies.paraphrase.matcher import Index
from nbhelpers.studies.paraphrase.plan import BASELINE, Plan, make_plan
from nbhelpers.studies.paraphrase.ranking import (
    RankingResults,
    evaluate_scores,
)
from nbhelpers.studies.paraphrase.summaries import SummaryCollection

LETTERS = {"S": "SMT", "D": "DS", "W": "WordNet", "N": "Variants"}
"""Resources by the letters of Table 3; Variants have the part of NTT Goi-Taikai."""


def combinations(letters: str = "".join(LETTERS)) -> list[str]:
    """All combinations of the letters in the order of Table 3: S, D, W, N, SD, …, SDWN."""
    return ["".join(chosen) for size in range(1, len(letters) + 1) for chosen in combinations_of(letters, size)]


def match_scores(
    plan: Plan,
    tables: Mapping[str, ParaphraseTable],
    methods: Sequence[str] | None = None,
    settings: MatchSettings = MatchSettings(),
    *,
    tokenize: Callable[[str], Sequence[str]] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Recall of every row of a plan by ROUGE-1 and by combinations of tables.

    Each text is tokenized once, and the links between two texts are found once for all tables.

    Parameters
    ----------
    tables : mapping of str to ParaphraseTable
        By letter, such as ``{"S": smt, "D": ds, "W": wordnet, "N": variants}``.
    methods : sequence of str, optional
        Combinations such as ``SDW``, all by default; ROUGE-1 is always among the results.
    settings : MatchSettings
    tokenize : callable, optional
        Takes a text; by default `nbhelpers.studies.paraphrase.tokens.tokenize` in the plan's language.
    progress : callable, optional
        Called with the rows done and all rows, for every topic.

    Returns
    -------
    dict of str to numpy.ndarray, float64, shape (rows,)
        ``ROUGE-1`` first, then the methods; in [0, 1].

    Raises
    ------
    InputError
        A letter without a table, a table in another language, or a reference without words.
    """
    for letter, table in tables.items():
        if len(letter) != 1 or table.language != plan.language:
            raise InputError(f"Table {letter!r} is in {table.language!r}; wanted is one letter and {plan.language!r}.")
    methods = combinations("".join(tables)) if methods is None else list(methods)
    for method in methods:
        if not method or not set(method) <= set(tables):
            raise InputError(f"The method {method!r} is no combination of {', '.join(tables) or 'no tables'}.")
    if tokenize is None:
        from nbhelpers.studies.paraphrase.tokens import tokenize as by_language

        tokenize = partial(by_language, language=plan.language)
    words: dict[str, Expression] = {text: tuple(tokenize(text)) for text in plan.texts}
    # In the index a table goes by its letter, so that two tables of one resource can be compared.
    index = Index([replace(table, name=letter) for letter, table in tables.items()], settings)
    scores = np.empty((len(plan), len(methods) + 1))
    known: dict[tuple[Expression, ...], NDArray[np.float64]] = {}  # experiments share comparisons
    for row, one in enumerate(plan.rows):
        references = [words[reference.text] for reference in one.references]
        if not all(references):
            raise InputError(f"Topic {one.topic!r}: a reference has no words, so its recall is undefined.")
        texts = (*references, words[one.candidate.text])
        if texts not in known:
            known[texts] = index.recalls(references, texts[-1], ["", *methods])
        scores[row] = known[texts]
        if progress and (row + 1 == len(plan) or plan.rows[row + 1].topic != one.topic):
            progress(row + 1, len(plan))
    return dict(zip((BASELINE, *methods), scores.T.copy(), strict=True))


def words_of(collection: SummaryCollection, tokenize: Callable[[str], Sequence[str]] | None = None) -> frozenset[str]:
    """Every word of the summaries: the vocabulary that paraphrase tables are made for."""
    if tokenize is None:
        from nbhelpers.studies.paraphrase.tokens import tokenize as by_language

        tokenize = partial(by_language, language=collection.topics[0].language)
    texts = dict.fromkeys(one.text for topic in collection for one in (*topic.references, *topic.candidates))
    return frozenset(word for text in texts for word in tokenize(text))


def run(
    collection: SummaryCollection,
    tables: Mapping[str, ParaphraseTable],
    methods: Sequence[str] | None = None,
    settings: MatchSettings = MatchSettings(),
    *,
    reference: str = "top",
    ties: str = "name",
    seed: int = 0,
    further: Callable[[Plan], Mapping[str, ArrayLike]] | None = None,
    tokenize: Callable[[str], Sequence[str]] | None = None,
    resamples: int = 2000,
) -> RankingResults:
    """Plan, score and evaluate a collection.

    Parameters
    ----------
    collection, reference, ties, seed
        As in `make_plan`; `seed` is also that of the intervals and tests.
    tables, methods, settings, tokenize
        As in `match_scores`.
    further : callable, optional
        Takes the plan and gives scores of further methods, for example ``lambda plan: {"BERTScore": metric_scores(plan,
        "bertscore-f1")}``.
    resamples
        As in `evaluate_scores`.

    Returns
    -------
    RankingResults
        With the seconds that scoring took, tokenizing included.
    """
    plan = make_plan(collection, reference=reference, ties=ties, seed=seed)
    begin = time.perf_counter()
    scores: dict[str, ArrayLike] = dict(match_scores(plan, tables, methods, settings, tokenize=tokenize))
    scores |= further(plan) if further else {}
    seconds = time.perf_counter() - begin
    named = "|".join(f"{letter}:[{table.signature}]" for letter, table in tables.items())
    options = dict(resamples=resamples, seed=seed, seconds=seconds)
    return evaluate_scores(plan, scores, signature="|".join(filter(None, (settings.signature, named))), **options)
