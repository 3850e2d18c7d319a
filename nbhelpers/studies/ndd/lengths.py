"""How long were the outputs behind Table 2? The paper does not say; F1 and B1 as printed do.

With precision P and recall R of words, F1 = 2PR / (P + R), and B1 is P but for repetitions, so R = F1·B1 / (2·B1 − F1).
The hits are R times the words of the gold compression and B1 times those of the output. Unedited sentences keep all
hits, so their B1 is the share of the gold words, and the share of the words kept is R·B1(unedited) / B1.
Means over sentences stand for sums here, so this is inferred, not measured: `validation` says how far off it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbhelpers.base.stats import Estimate
from nbhelpers.results import estimates, published
from nbhelpers.studies.ndd import measures
from nbhelpers.studies.ndd.baselines import RULES
from nbhelpers.studies.ndd.measures import GUIDED, OURS, RANDOM, RULE, UNEDITED, Coded, of_rule

if TYPE_CHECKING:
    import pandas

SHARES = (0.4, 0.5, 0.6, 0.7, 0.8)


def inferred(f1: float, b1: float, unedited_b1: float) -> tuple[float, float]:
    """Recall and share of the words kept, both in [0, 1], that follow from F1, B1 and the B1 of unedited sentences.

    Examples
    --------
    >>> [round(one, 2) for one in inferred(67.4, 54.8, 44.8)]
    [0.88, 0.72]
    """
    recall = f1 * b1 / (2 * b1 - f1) / 100
    return recall, recall * unedited_b1 / b1


def validation(
    texts: Mapping[int, Coded], shares: Sequence[float] = SHARES, spreads: Sequence[float] = (0.0, 0.2)
) -> pandas.DataFrame:
    """What `inferred` makes of rules whose length is known: columns rule, spread, kept, inferred and error."""
    import pandas

    unedited, lines = of_rule(texts, "first words", 1.0)["B1"].mean(), []
    for rule, share, spread in itertools.product(RULES, shares, spreads):
        f1, b1, kept = of_rule(texts, rule, share, spread=spread)[["F1", "B1", "kept words"]].mean()
        lines.append([rule, spread, kept, inferred(f1, b1, unedited)[1]])
    found = pandas.DataFrame(lines, columns=["rule", "spread", "kept", "inferred"])
    return found.assign(error=found["inferred"] - found["kept"])


def summary(items: pandas.DataFrame, *, worst: float | None = None) -> pandas.DataFrame:
    """What the paper's systems kept, inferred, and what rules score at that length.

    Parameters
    ----------
    items : DataFrame
        The evidence of compression; all its sentences serve.
    worst : float, optional
        The largest error of `validation`; computed where it is not given. It is the width on both sides.

    Returns
    -------
    DataFrame
        Estimates: for each of the paper's systems ``recall``, ``kept words`` (both inferred), ``F1`` as printed, and
        the F1 of random words and of the beginning and final word at the inferred length, from its low end to its high.
    """
    texts = measures.sentences(items)
    worst = float(validation(texts)["error"].abs().max()) if worst is None else worst
    unedited, rows = published.value("ndd/table2", UNEDITED, "B1"), []
    for system in (OURS, GUIDED, RANDOM):
        f1, b1 = (published.value("ndd/table2", system, column) for column in ("F1", "B1"))
        recall, kept = inferred(f1, b1, unedited)
        rows.append({"row": system, "column": "F1", "value": f1})
        rows.append({"row": system, "column": "recall", "value": recall})
        span = (kept, kept - worst, kept + worst)
        rows.append({"row": system, "column": "kept words", "value": Estimate(*span, len(texts), variant="inferred")})
        for rule, column in (("random words", "random words"), ("beginning and final word", RULE)):
            found = [float(of_rule(texts, rule, share)["F1"].mean()) for share in span]
            rows.append({"row": system, "column": column, "value": Estimate(found[0], *_ends(found), len(texts))})
    return estimates.frame(rows, model="")


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return float(np.min(values)), float(np.max(values))


def share_of_lead(found: pandas.DataFrame) -> Estimate:
    """How much of the printed lead over random deletion random words gain by being as many as NDD keeps."""
    at = estimates.estimate(found, OURS, "random words")
    ours, random = (published.value("ndd/table2", system, "F1") for system in (OURS, RANDOM))
    values = ((value - random) / (ours - random) for value in (at.value, at.low, at.high))
    return Estimate(*values, at.n, variant="inferred", unit="share of the lead")
