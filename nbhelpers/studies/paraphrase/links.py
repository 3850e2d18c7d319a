"""What a resource really links, how much and of which kind, and whether its links go with people's scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas
from pandas import DataFrame

from nbhelpers.base import plots, stats
from nbhelpers.metrics.paraphrase.matcher import STEPS, Index, Match, MatchSettings
from nbhelpers.metrics.paraphrase.tables import Expression, ParaphraseTable
from nbhelpers.metrics.paraphrase.tokens import cut, is_function
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.paraphrase.collections import SummaryCollection
from nbhelpers.studies.paraphrase.experiment import EXPERIMENTS, comparisons, with_all_tables
from nbhelpers.studies.paraphrase.sources import signature_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = {
    "function": "with a side of function words only",
    "number": "with a number",
    "form": "another form of the word",
    "synonym": "synonym in WordNet",
    "other": "other words",
}
"""Kinds of paraphrase links; a link is of the first kind that fits."""

SAME = "the same word"


def _kind_of(x: Expression, y: Expression, tables: Mapping[str, ParaphraseTable]) -> str:
    """Which of `KINDS` a pair is, by its words and by the tables N (variants) and W (WordNet)."""
    if is_function(x, tables["W"].language) or is_function(y, tables["W"].language):
        return "function"
    if any(character.isdigit() for word in (*x, *y) for character in word):
        return "number"
    for letter, kind in (("N", "form"), ("W", "synonym")):
        if y in tables[letter].pairs.get(x, ()):
            return kind
    return "other"


def run(
    collection: SummaryCollection, tables: Mapping[str, ParaphraseTable], letters: Sequence[str] = ("S",)
) -> tuple[DataFrame, Counter[tuple[str, str]]]:
    """What resources link in EX-4, where abstracts are compared with the best abstract.

    Parameters
    ----------
    collection : SummaryCollection
    tables : mapping of str to ParaphraseTable
        Those of `letters`, and N and W, which say what kind a link is.
    letters : sequence of str

    Returns
    -------
    DataFrame
        For each summary and resource: ``people`` (its human score), ``words`` of the reference, how many of them are
        matched by links of each kind (``words_same``, ``words_function``, …), and the number of such links.
    collections.Counter
        How often each pair of expressions was linked.
    """
    kind, role = EXPERIMENTS["EX-4"]
    lines, seen = [], Counter()
    for letter in letters:
        index = Index([tables[letter]])
        for one in comparisons(collection):
            if one.role != role or one.candidate.kind != kind:
                continue
            found = index.match(*(cut(text.text, collection.language) for text in (one.reference, one.candidate)))
            words, links = Counter(), Counter()
            for link in found.links:
                x, y = found.words(link)
                which = "same" if link.step == 3 else _kind_of(x, y, tables)
                words[which] += len(x)
                links[which] += 1
                if link.step < 3:
                    seen[" ".join(x), " ".join(y)] += 1
            line = {"collection": collection.name, "topic": one.topic, "system": one.candidate.id, "resource": letter}
            line |= {"people": one.candidate.score, "words": len(found.reference)}
            line |= {f"words_{name}": words[name] for name in ("same", *KINDS)}
            lines.append(line | {f"links_{name}": links[name] for name in ("same", *KINDS)})
    return pandas.DataFrame(lines), seen


def record() -> tuple[DataFrame, evidence.Run]:
    """Evidence on real collections: what each resource and each stand-in for S links."""
    opened, given = with_all_tables()
    items = pandas.concat([run(one, given, "SCPFDWN")[0] for one in opened], ignore_index=True)
    made = f"{MatchSettings().signature}|{signature_of(given, 'SCPFDWN')}"
    return items, evidence.Run(data=" + ".join(one.signature for one in opened), signature=made)


WORDS, NONE = "reference's words linked", "summaries without a link"


@estimates.tabled
def shares(items: DataFrame) -> estimates.Rows:
    """How much each resource (rows) links, and the share of each kind among its links; topics resampled.

    Columns are the share of the reference's words that are linked by paraphrases, the share of summaries in which none
    is, and for each of `KINDS` its share of the links.
    """
    for (collection, letter), part in items.groupby(["collection", "resource"], sort=False):
        links = part[[f"links_{name}" for name in KINDS]].set_axis(list(KINDS.values()), axis=1)
        words = part[[f"words_{name}" for name in KINDS]].sum(axis=1)
        hits = pandas.concat([words.rename(WORDS), (words == 0).rename(NONE), links], axis=1)
        whole = pandas.DataFrame({name: links.sum(axis=1) for name in hits}).assign(**{WORDS: part["words"], NONE: 1})
        both = np.stack([one.groupby(part["topic"]).sum().to_numpy(float) for one in (hits, whole)], axis=2)
        found = stats.shares(both) if words.any() else None
        for place, name in enumerate(hits):
            common = {"row": letter, "column": name, "model": collection, "links": int(links.to_numpy().sum())}
            yield common | {"value": found and replace(found.estimate(place), p=None)}


@estimates.tabled
def with_people(items: DataFrame) -> estimates.Rows:
    """Spearman's correlation, topic by topic, of the share of the reference's words linked with people's scores.

    A row for each resource, with links of all kinds, and one for the words matched literally (of the first resource).
    The mean over the topics in which it is defined: people's scores and the shares differ. Topics are resampled.
    """
    for (collection, letter), part in items.groupby(["collection", "resource"], sort=False):
        counts = {letter: part[[f"words_{name}" for name in KINDS]].sum(axis=1)}
        if letter == items["resource"].iloc[0]:
            counts = {SAME: part["words_same"]} | counts
        people = part["people"].to_numpy().round(12)
        numbers = np.stack([one / part["words"] for one in counts.values()])
        topics = part.groupby("topic", sort=False).indices.values()
        rho = np.array([stats.spearman_rows(numbers[:, at], people[at]) for at in topics])
        for label, values in zip(counts, rho.T):
            defined = values[~np.isnan(values)]
            value = stats.bootstrap(defined) if len(defined) > 1 else None
            yield {"row": label, "column": "Spearman with people", "model": collection, "value": value}


TABLES = {"paraphrase/what is linked": shares, "paraphrase/links and people": with_people}


def draw_match(found: Match, axes: Axes) -> None:
    """Draw both texts as rows of boxes, coloured by step, with a line for each link."""
    styles = {1: (plots.PALETTE[1], "-"), 2: (plots.PALETTE[0], "--"), 3: (plots.PALETTE[2], ":")}
    middles = {}
    for side, height in (("reference", 1.0), ("candidate", 0.0)):
        left = 0.0
        for place, (word, link) in enumerate(found.marks(side)):
            middle = middles[side, place] = left + 0.55 + 0.31 * len(word)
            left += 1.45 + 0.62 * len(word)
            edge = styles[link.step][0] if link else "0.45"
            text, face = ("white", edge) if link else ("black", "white")
            box = {"boxstyle": "round,pad=0.25", "facecolor": face, "edgecolor": edge}
            axes.text(middle, height, word, ha="center", va="center", fontsize=13, color=text, bbox=box)
        axes.text(-0.4, height, side, ha="right", va="center", fontsize=12)
    for link in found.links:
        colour, style = styles[link.step]
        ends = [np.mean([middles[side, place] for place in getattr(link, side)]) for side in ("reference", "candidate")]
        axes.plot(ends, [0.86, 0.14], color=colour, linestyle=style, marker="", linewidth=2)
    key = [axes.plot([], [], color=styles[step][0], linestyle=styles[step][1], marker="")[0] for step in STEPS]
    key.append(axes.plot([], [], color="0.45", marker="s", markersize=11, fillstyle="none", linestyle="")[0])
    labels = [*(f"{step} {label}" for step, label in STEPS.items()), "not matched"]
    axes.figure.legend(key, labels, loc="outside lower center", ncols=4, fontsize=12)
    axes.set(xlim=(-0.5, max(14.0, *middles.values()) + 2), ylim=(-0.3, 1.3))
    axes.axis("off")
