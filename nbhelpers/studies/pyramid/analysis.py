"""Analyses of the pyramid tests as tables: sizes, readings, errors, effects of the constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.resources.pyramids import Pyramid
from nbhelpers.results import published
from nbhelpers.studies.pyramid.items import Items, words
from nbhelpers.studies.pyramid.measures import binary_result, values_of
from nbhelpers.studies.pyramid.pairs import PairTest, Rules, pair_test, random_answer_f
from nbhelpers.studies.pyramid.questions import QuestionTest, question_test
from nbhelpers.studies.pyramid.scoring import Scores, score

if TYPE_CHECKING:
    import pandas

PAPER_PYRAMIDS = 63
"""Pyramids of DUC 2005 (20), 2006 (20) and 2007 (23), which the paper used together."""

_BINS = {"words": ((0, 2), (3, 5), (6, 9), (10, None)), "overlap": ((0, 2), (3, 3), (4, 5), (6, None))}


def sizes(pairs: PairTest, questions: QuestionTest) -> pandas.DataFrame:
    """Sizes of the tests beside the paper's, in all and per pyramid, and the words of the items."""
    import pandas

    tokens = [words(segment.text) for segment in pairs.segments]
    count, n = sum(map(len, tokens)), len(pairs.topics)
    unique = len({token.lower() for row in tokens for token in row})
    rows = [
        ("positive pairs", pairs.positives, "Binary test", "Positive pairs"),
        ("negative pairs", pairs.negatives, "Binary test", "Negative pairs"),
        ("questions", len(questions), "Ranking test", "Questions"),
        ("words", count, "Propositions", "Words"),
        ("unique words", unique, "Propositions", "Unique words"),
        ("words per item", count / len(tokens), "Propositions", "Average length"),
    ]
    found = [(name, ours, published.value("pyramid/text", row, column)) for name, ours, row, column in rows]
    frame = pandas.DataFrame(found, columns=["what", "ours", "paper"])
    each = frame.index < 4
    frame["ours per pyramid"] = (frame["ours"] / n).where(each)
    frame["paper per pyramid"] = (frame["paper"] / PAPER_PYRAMIDS).where(each)
    return frame


def readings(pyramids: Sequence[Pyramid]) -> pandas.DataFrame:
    """What each reading of the rules gives, per pyramid: pairs, negatives for one positive, and questions."""
    import pandas

    n, rows = len(pyramids), []
    for labels in (True, False):
        asks = ("label", "contributor", "any") if labels else ("contributor",)
        questions = {f"questions from {ask}": len(question_test(pyramids, labels=labels, ask=ask)) / n for ask in asks}
        for unique, overlap, variety in np.ndindex(2, 2, 2):
            rules = Rules(overlap=3 + overlap, variety=("differ", "each")[variety])
            test = pair_test(pyramids, rules=rules, labels=labels, unique=bool(unique))
            row = {"labels": labels, "unique": bool(unique), "overlap": rules.overlap, "variety": rules.variety}
            row |= {"positives": test.positives / n, "negatives": test.negatives / n}
            rows.append(row | {"negatives per positive": test.negatives / test.positives} | questions)
    return pandas.DataFrame(rows)


def pair_features(test: PairTest) -> dict[str, NDArray]:
    """What the rules look at, for every pair: arrays (n,).

    "words": words of the shorter item; "overlap": shared words; "pronouns": whether either has one; "variety": how many
    of the two items have a content word of their own (0, 1, 2); "labels": how many are labels.
    """
    items, i, j = Items.of(test.segments), test.left, test.right
    shared, shared_content = items.shared(i, j)
    label = np.array([segment.kind == "label" for segment in test.segments], dtype=np.int64)
    return {
        "words": np.minimum(items.length[i], items.length[j]),
        "overlap": shared,
        "pronouns": items.pronoun[i] | items.pronoun[j],
        "variety": items.own_content(i, j, shared_content),
        "labels": label[i] + label[j],
    }


def error_analysis(test: PairTest, scores: Scores | ArrayLike, threshold: float) -> pandas.DataFrame:
    """What makes a pair hard: errors at a threshold by the features that the rules look at.

    Build the test with ``Rules.none()`` to see the pairs that the rules remove, and take the threshold from the result
    on the paper's rules.

    Returns
    -------
    DataFrame
        feature, value, positives, negatives, recall and false alarms (shares of positives and of negatives answered
        yes), f, always_yes (f of answering yes always in that row) and auc (area under the ROC curve, whatever the
        threshold). NaN where a row has no positive or no negative pair.
    """
    import pandas

    values = values_of(test, scores)
    if not np.isfinite(values).all():
        raise InputError("a score is not finite")
    yes, rows = values > threshold, []
    for feature, column in pair_features(test).items():
        for low, high in _BINS.get(feature) or [(value, value) for value in np.unique(column).tolist()]:
            within = (column >= low) & (column <= (np.inf if high is None else high))
            same, said = test.same[within], yes[within]
            p, n = int(same.sum()), int((~same).sum())
            if not p + n:
                continue
            name = f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"
            row = {"feature": feature, "value": name, "positives": p, "negatives": n}
            row |= {"recall": said[same].mean() if p else np.nan, "false alarms": said[~same].mean() if n else np.nan}
            if p and n:
                row |= {"f": 2 * (said & same).sum() / (said.sum() + p), "auc": stats.roc_auc(same, values[within])}
                row |= {"always_yes": random_answer_f(p / (p + n), 1.0)}
            rows.append(row)
    return pandas.DataFrame(rows)


def rule_effects(pyramids: Sequence[Pyramid], scorer: Any, *, seeds: int = 20, **options: Any) -> pandas.DataFrame:
    """The binary test with all rules, with each one switched off, and with none: sizes, F, always-yes, lift.

    `lift` is F minus always-yes; a test on which it is near zero measures nothing. `options` are those of `score`.
    """
    import pandas

    off, rows = vars(Rules.none()), []
    variants = {"all rules": Rules()}
    variants |= {f"without {name}": replace(Rules(), **{name: off[name]}) for name, on in Rules().active.items() if on}
    for name, rules in (variants | {"no rules": Rules.none()}).items():
        test = pair_test(pyramids, rules=rules)
        result = binary_result(test, score(test, scorer, **options), seeds=seeds, resamples=100)
        row = {"rules": name, "positives": test.positives, "negatives": test.negatives}
        row |= {"f": result.f.value, "low": result.f.low, "high": result.f.high, "always_yes": result.always_yes}
        rows.append(row | {"lift": result.f.value - result.always_yes})
    return pandas.DataFrame(rows)
