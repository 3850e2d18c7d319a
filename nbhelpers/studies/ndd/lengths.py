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

import pandas

from nbhelpers.base import plots
from nbhelpers.base.stats import Estimate
from nbhelpers.results import estimates, published
from nbhelpers.studies.ndd import measures
from nbhelpers.studies.ndd.baselines import RULES
from nbhelpers.studies.ndd.measures import GUIDED, OURS, RANDOM, RULE, UNEDITED, Coded, of_rule

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    unedited, lines = of_rule(texts, "first words", 1.0)["B1"].mean(), []
    for rule, share, spread in itertools.product(RULES, shares, spreads):
        f1, b1, kept = of_rule(texts, rule, share, spread=spread, orders=1)[["F1", "B1", "kept words"]].mean()
        lines.append([rule, spread, kept, inferred(f1, b1, unedited)[1]])
    found = pandas.DataFrame(lines, columns=["rule", "spread", "kept", "inferred"])
    return found.assign(error=found["inferred"] - found["kept"])


@estimates.tabled
def summary(items: pandas.DataFrame, *, worst: float | None = None) -> estimates.Rows:
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
    unedited = published.value("ndd/table2", UNEDITED, "B1")
    for system in (OURS, GUIDED, RANDOM):
        f1, b1 = (published.value("ndd/table2", system, column) for column in ("F1", "B1"))
        recall, kept = inferred(f1, b1, unedited)
        yield {"row": system, "column": "F1", "value": f1}
        yield {"row": system, "column": "recall", "value": recall}
        span = (kept, kept - worst, kept + worst)
        yield {"row": system, "column": "kept words", "value": Estimate(*span, len(texts), variant="inferred")}
        for rule, column in (("random words", "random words"), ("beginning and final word", RULE)):
            found = [float(of_rule(texts, rule, share, orders=1)["F1"].mean()) for share in span]
            value = Estimate(found[0], min(found), max(found), len(texts))
            yield {"row": system, "column": column, "value": value}


def draw(items: pandas.DataFrame, found: pandas.DataFrame, cells: pandas.DataFrame) -> Figure:
    """F1 over the share of words kept: our models, and the paper's rows, each beside rules.

    Parameters
    ----------
    items : DataFrame
        The evidence of compression.
    found : DataFrame
        From `summary`.
    cells : DataFrame
        Table 2, from `nbhelpers.studies.ndd.measures.means`.
    """
    from matplotlib import pyplot as plt

    figure, (ours, paper) = plt.subplots(1, 2, figsize=(10, 4.8), sharex=True, sharey=True)
    texts, went = measures.sentences(items), items[items["system"] == "paper"]
    sizes = went["model"].map(went.groupby("model").size())
    went = went[sizes > sizes.max() / 3]  # a model with few sentences would stand beside rules on other ones
    _draw_rules(ours, {sentence: texts[sentence] for sentence in went["sentence"].unique()})
    _draw_rules(paper, texts)
    colours = (plots.PALETTE[0], plots.PALETTE[4])
    for place, ((model, its), colour) in enumerate(zip(went.groupby("model", sort=False), colours)):
        deleted = dict(zip(its["sentence"], its["went"]))
        line = measures.curve({each: texts[each] for each in deleted}, "NDD", [0.5, 0.6, 0.7, 0.8, 0.9, 1], deleted)
        ours.plot(line["column"], line["value"], color=colour, marker="")
        label, at = f"NDD, {model}, n = {len(its)}", (0.03, 0.97 - 0.055 * place)
        ours.text(*at, label, va="top", color=colour, fontsize=10, transform=ours.transAxes)
        _draw_point(ours, cells[cells["model"] == model], colour)
    style = {"color": plots.PALETTE[1], "marker": ""}
    for row, kept in found[found["column"] == "kept words"].set_index("row").iterrows():
        y = published.value("ndd/table2", row, "F1")
        paper.plot([kept.low, kept.high], [y, y], **style)
        paper.plot(kept.value, y, **style | {"marker": "D", "fillstyle": "none"})
        plots.note(paper, kept.value, y, {**kept, "row": row, "series": "share of words kept"})
        name = "random row" if row == RANDOM else measures.LABELS[row]  # it fits no random words
        paper.text(kept.high + 0.01, y, name, va="bottom", color=plots.PALETTE[1], fontsize=10)
    ours.set(title=f"Ours, and rules, n = {went['sentence'].nunique()}", xlabel="share of words kept", ylabel="F1")
    paper.set(
        title=f"The paper's (n = 10,000), and rules (n = {len(texts):,})",
        xlabel="share of words kept (◇ inferred)",
        xlim=(0, 1.03),
    )
    return figure


def _draw_rules(axes: Axes, texts: Mapping[int, Coded]) -> None:
    """The curves of two rules in grey."""
    for rule, (x, y) in {"beginning and final word": (0.05, 57), "random words": (0.38, 39.5)}.items():
        line = measures.curve(texts, rule, [0.2, 0.35, 0.5, 0.65, 0.8, 1])
        axes.plot(line["column"], line["value"], color="0.5", marker="")
        axes.fill_between(line["column"].astype(float), line["low"], line["high"], color="0.5", alpha=0.12, linewidth=0)
        axes.text(x, y, rule.replace(" words", "\nwords").replace("and ", "and\n"), color="0.35", fontsize=10)


def _draw_point(axes: Axes, cells: pandas.DataFrame, colour: str) -> None:
    """Where NDD stops, with its interval."""
    its = cells[cells["row"] == OURS].set_index("column")
    x, y = its.loc["kept words", "value"], its.loc["F1"]
    axes.errorbar(x, y.value, [[y.value - y.low], [y.high - y.value]], color=colour, marker="o")
    plots.note(axes, x, y.value, {**y, "series": y["model"]})
