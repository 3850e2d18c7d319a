# ---
# jupyter:
#   jupytext:
#     cell_metadata_filter: tags,-all
#     notebook_metadata_filter: kernelspec,jupytext,-all
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 13 · Kept, changed or unsure?
#
# **Question.** A text was simplified, translated or shortened. Does the new version still say the same, and if not, which words
# changed the meaning? `nbhelpers.metrics.check` answers with one of three verdicts and a list of words. How far can these answers
# be trusted?
#
# **Method.** A trained metric rates a pair from 0 (another meaning) to 100 (the same). Two
# [thresholds](../docs/glossary.md#threshold) of this rating decide: at or above the higher one the meaning is *kept*, at or below
# the lower one it is *changed*, and between them the check is *unsure*. They were chosen by *learn then test* ([Angelopoulos et
# al., 2021](https://arxiv.org/abs/2110.01052)) on labelled pairs that the metric was not trained on, so that at most 5 % of the
# changed pairs pass as kept. That is the **promise**. None of the five papers of this collection has this experiment.
#
# ## What we found
#
# **The promise is kept where it was made, and its price is high.** On the four sets that chose the thresholds, few changed pairs
# pass. The small metric, *same-meaning*, leaves most pairs *unsure*; the larger one, *same-meaning-base*, about half.
#
# **The promise does not carry over to every kind of change.** Of the small edits in summaries (SummEdits) and of our minimal
# pairs, clearly more changed ones pass than promised, with either metric. So label some pairs of your own, and calibrate: *Your
# own thresholds* shows how.
#
# **Free rewordings stay unsure.** Where a text says the same in quite other words, both metrics seldom call it *kept*.
#
# **The words that the check points to are usually the damaged ones**, if one damage was made in a paraphrase. In our own free
# rewordings, where almost every word differs, the longest place that differs is as good a guess or a better one.
#
# Both metrics were trained for this project; their cards ([small](../data/models/same-meaning-en/README.md),
# [base](../data/models/same-meaning-base-en/README.md)) say on what. The small one ships; *same-meaning-base* reads with
# all-mpnet-base-v2, as large as BERT-base.

# %%
import json

import pandas as pd
from IPython.display import display

from nbhelpers import metrics
from nbhelpers.base import plots
from nbhelpers.base.paths import data_dir
from nbhelpers.base.stats import Estimate
from nbhelpers.leaderboard import verdicts
from nbhelpers.results import estimates, evidence, tables

plots.theme()
rated = evidence.load("check-verdicts")  # one line for each pair and model
limits = {model: verdicts.thresholds(own) for model, own in rated.groupby("model", sort=False)}
found = verdicts.promise(rated)

# %%
passed = found[found["column"] == verdicts.PASSED]
elsewhere = passed[passed["row"].isin(verdicts.ELSEWHERE)].replace({"row": verdicts.NAMES})
order = elsewhere.groupby("row")["value"].mean()  # the set with the most on top
elsewhere = elsewhere.sort_values("row", key=lambda names: -names.map(order), kind="stable")
figure = plots.dots(
    elsewhere,
    by="model",
    xlabel="share of changed pairs that pass as kept",
    title="On some other texts more changed pairs pass than promised",
    reference=(0.05, "5 %"),
)
said = "; ".join(f"{one.row}, {one.model} {one.value:.2f}" for one in elsewhere.itertuples())
plots.show(figure, name="13_check", alt=f"Shares of changed pairs that pass as kept, with intervals: {said}.")
tables.in_numbers(elsewhere.assign(row="passed as kept, " + elsewhere["row"]), reference=verdicts.RISK)

# %% [markdown]
# **How to read the figure.** Each mark is the share of changed pairs that a metric calls *kept*, with a 95 % interval; right of
# the dashed line it is more than was promised. The promise was made for pairs like those of the four sets that chose the
# thresholds; the sets in the figure are others. n counts changed pairs.
#
# | | |
# |---|---|
# | **Afterwards you can** | read a verdict, find the words behind it, and set thresholds for your own texts |
# | **You need** | [05_meaningbert_sanity](05_meaningbert_sanity.ipynb) |
# | **Time** | a minute to run on one CPU core, twenty minutes to read |
# | **Before and after** | [12_model_size](12_model_size.ipynb) · [00_start_here](00_start_here.ipynb) |

# %% tags=["parameters"]
metric = "same-meaning"  # or "same-meaning-base", stronger and ten times slower; it needs `make base`
risk = 0.05  # share of changed pairs that may pass as kept
pairs = 60  # of the pairs written for a try that are rated in this run; 60 are all
examples = 5  # changed pairs whose words are shown

# %% [markdown]
# ## The price of a promise
#
# A check can err in two ways: a changed pair passes as *kept*, or a kept pair is called *changed*. The thresholds limit both
# errors. What is left over is *unsure*, and a person has to read it. The first table has the means over the four sets that chose
# the thresholds, and over the others; every set opens with a click. **Look for** what the promise costs. Change `risk`, and every
# number changes.

# %%
chosen = {model: verdicts.thresholds(own, risk=risk) for model, own in rated.groupby("model", sort=False)}
print("; ".join(f"{model}: kept from {one.kept:.1f}, changed up to {one.changed:.1f}" for model, one in chosen.items()))
promised = verdicts.promise(rated, risk=risk)
chose = promised["row"].isin(verdicts.CALIBRATION).map({True: "sets that chose the thresholds", False: "other sets"})
means = promised.groupby([chose.rename("means over"), "model", "column"], sort=False)["value"].mean().unstack()
sizes = f"{len(verdicts.CALIBRATION)} and {rated['set'].nunique() - len(verdicts.CALIBRATION)} sets"
display(tables.plain(means.round(2).astype(str).reset_index(), f"Shares of pairs, means of {sizes}", index=False))
every = tables.beside(promised.replace({"row": verdicts.NAMES}), caption="Shares of pairs")
tables.folded("Every set, with intervals", every)

# %% [markdown]
# The larger model does not let fewer changed pairs pass, since both models were given the same promise. It leaves fewer pairs
# *unsure*.
#
# **Exercise 1 · predict, then run** · `13_stricter`
#
# The promise is made stricter: 1 % of the changed pairs may pass as kept instead of 5 %. What grows: (a) the share of pairs that
# are *unsure*; (b) the share of changed pairs called *kept*; (c) neither? Check a choice in a cell of your own, for example with
# `teaching.check("13_stricter", "a")`.

# %%
prices = []
for allowed in (0.01, 0.02, 0.05, 0.1, 0.2):
    means = verdicts.promise(rated, risk=allowed).groupby(["model", "column"], sort=False)["value"].mean()
    prices.append(means.unstack()[["unsure", verdicts.PASSED]].assign(risk=allowed))
prices = pd.concat(prices).reset_index().pivot(index="risk", columns="model").round(2).astype(str)
prices.index = [f"{share:.0%}" for share in prices.index]
tables.plain(prices, f"Shares at five promises, means of {rated['set'].nunique()} sets")

# %% [markdown]
# Each line is a promise, from strict to loose. The looser it is, the fewer pairs are left to a person, and the more changed pairs
# pass. More can pass than was promised, since the mean includes the sets that did not choose the thresholds.
#
# **Exercise 2 · read a result** · `13_promise`
#
# A tool says *kept* for 90 % of your pairs and promises that at most 5 % of changed pairs pass as kept. Somebody concludes: "so at
# most 5 % of the pairs that it calls *kept* are changed." Is that (a) right, (b) wrong, because that share depends on how many of
# your pairs are changed, or (c) wrong, because the share is 10 %?
#
# ## Verdicts by kind of change
#
# These pairs were written for a try, on subjects that the training did not have: 36 free rewordings, and 24 small changes of
# other sentences. **Look for** changed pairs that are called *kept*, and for rewordings that are called *changed*. The last rows
# are this run's.

# %%
from nbhelpers.resources import challenge

written = challenge.read("tried-pairs").pairs
mine = pd.DataFrame(written[:pairs])
verdict = metrics.check_all(list(mine["source"]), list(mine["candidate"]), metric=metric, words=False)
mine = mine.assign(
    rating=[one.rating for one in verdict], verdict=[one.verdict for one in verdict], model=f"{metric}, this run"
)
recorded = rated[rated["set"] == "tried-pairs"]
recorded = recorded.assign(kind=[written[place].kind for place in recorded["pair"]])
recorded["verdict"] = [limits[one.model].verdict(one.rating) for one in recorded.itertuples()]
both = pd.concat([recorded, mine]).assign(kept=lambda made: made["label"].map({1: "kept", 0: "changed"}))
counts = both.groupby(["model", "kept", "kind"], sort=False)["verdict"].value_counts().unstack(fill_value=0)
tables.plain(
    counts.reindex(columns=["kept", "unsure", "changed"], fill_value=0)
    .rename_axis(["model", "truth", "kind"])
    .reset_index(),
    "Number of pairs by verdict",
    index=False,
)

# %% [markdown]
# ## Where both models go wrong
#
# Forty more pairs are of kinds that the training had none of: recipes, package leaflets, contracts, notices and messages; 19 are
# reworded and 21 changed. [AUC](../docs/glossary.md#auc) is how often a reworded pair gets a higher rating than a changed one; .5
# is chance. The table shows the changed pairs that *same-meaning-base* rates highest and the reworded ones that it rates lowest.
# **Look for** what the changed ones have in common.

# %%
from nbhelpers.base import stats

everyday = challenge.read("everyday-pairs").pairs
rows = (
    rated[rated["set"] == "everyday-pairs"]
    .pivot(index=["pair", "label"], columns="model", values="rating")
    .reset_index()
)
for name in limits:
    area = stats.roc_auc_interval(rows["label"] == 1, rows[name].to_numpy(float))
    print(f"{name}: AUC {area.value:.2f} [{area.low:.2f}, {area.high:.2f}], n = {area.n}")
larger = rows.sort_values("same-meaning-base", ascending=False)
worst = pd.concat([larger[larger["label"] == 0].head(4), larger[larger["label"] == 1].tail(4)])
worst = worst.assign(
    source=[everyday[place].source for place in worst["pair"]],
    candidate=[everyday[place].candidate for place in worst["pair"]],
    truth=worst["label"].map({1: "kept", 0: "changed"}),
)
tables.plain(
    worst[["source", "candidate", "truth", *limits]].round(0).astype({name: int for name in limits}),
    "Ratings from 0 to 100 of eight pairs of 40",
    index=False,
)

# %% [markdown]
# The larger model rates rewordings above changes more often than not, but misses changes of a small word that says who, how many or
# how sure. The small one is not shown to be better than chance here. Both give middling ratings to the rewordings. Before you trust
# a check with texts of your own kind, try it like this.
#
# ## Which words
#
# A verdict of *changed* is of little use without the words behind it. Each place where two texts differ is tried twice:
#
# 1. alone in an exact copy of the source, where it lowers the rating if it matters;
# 2. alone taken back in the candidate, where it raises the rating if it matters.
#
# The mean of both is the *cost* of the place. The small metric also has a *head*, a small network that was trained to say of each
# word how likely it is damaged. The costs and the head decide together which place comes first. The table lists changed pairs
# with the highest ratings first: these are the ones to worry about.

# %%
rater = metrics.load(metric)
lines = []
for one in mine[mine["label"] == 0].nlargest(examples, "rating").itertuples():
    first, *_ = rater.changes(one.source, one.candidate)
    words = f"{first.was or '–'} → {first.became or '–'}"
    lines.append([one.source, one.candidate, round(one.rating), words, first.kind, round(first.cost)])
tables.plain(
    pd.DataFrame(lines, columns=["source", "candidate", "rating", "first place", "likely kind", "cost"]),
    f"Changed pairs for a try, {metric}, this run",
    index=False,
)

# %% [markdown]
# How often is the first place the damaged one? This was measured on rewordings from sets that neither model was trained on
# (ParaBank, APT, PARADE, and our own), with one damage made in each and at least one other place that differs. *The costliest
# place* goes by the costs alone. *Any place* is the chance of a blind guess; *the longest place* needs no model. The goal was
# .80. **Look for** the rows that reach it, and for those in which the longest place is the better guess.

# %%
parts = []
for model in limits:
    goals = json.loads((data_dir() / "models" / f"{model}-en" / "goals.json").read_text(encoding="utf-8"))
    for goal in goals:
        if goal["goal"].startswith("Words, "):
            where, way = goal.pop("goal").removeprefix("Words, ").split(": ")
            value = Estimate(*(goal[key] for key in ("value", "low", "high", "n")))
            parts.append({"row": f"{where}, {model}", "column": way, "value": value})
tables.beside(estimates.frame(parts), caption="Share of pairs in which the damaged place is found")

# %% [markdown]
# ## A long text
#
# A pair that is too long for the model is divided into sentences. They are aligned in order, one to one or one to several, and
# rated part by part. A sentence without a partner is missing, or added. Nothing is cut off, and the part with the lowest rating
# decides the verdict. Below, a page is retold with four edits: one rewording, one reversal, one sentence divided, one sentence
# added.

# %%
story = (
    "The ferry left Split at nine on Monday. There were two hundred passengers on board. An hour later it met a tanker "
    "in thick fog. The captain said that the radar had failed shortly before. Nobody was hurt, but everyone had to be "
    "taken off by fishing boats. The company will pay for lost luggage. "
)
page = story * 3
retold = page.replace("There were two hundred", "About 200 people were", 1).replace(
    "radar had failed", "radar had worked", 1
)
retold = retold.replace("Nobody was hurt, but everyone", "Nobody was hurt. Everyone")
long = metrics.check(page, retold + "The sea was calm.", metric=metric)
print(f"{long.verdict}: lowest rating {long.rating:.0f}, mean {long.mean:.0f}, likely kind: {long.kind}")
others = pd.DataFrame([vars(part) for part in long.parts if part.verdict != "kept"])
tables.plain(others.round(1).astype(str), "Parts with another verdict than kept", index=False)

# %% [markdown]
# ## Your own thresholds
#
# `calibrate` takes labelled pairs and gives thresholds that keep the same promise for pairs like these. It needs at least 72
# pairs of each label with different sources: with fewer, even no error at all would not show that the rate is below 5 %. Here the
# 250 rated pairs of this project are the example: a rating of 85 or more by people counts as *kept*, one of 60 or less as
# *changed*.

# %%
people = [pair for pair in challenge.read("rated-pairs").pairs if pair.label >= 85 or pair.label <= 60]
texts = [pair.source for pair in people], [pair.candidate for pair in people]
kept = [int(pair.label >= 85) for pair in people]
own = metrics.calibrate(*texts, kept, metric=metric)
print(f"kept from {own.kept:.1f}, changed up to {own.changed:.1f}, from {own.found}")
again = metrics.check_all(*texts, metric=metric, thresholds=own, words=False)
given = pd.Series([one.verdict for one in again], name="verdict")
truth = pd.Series(kept, name="people say").map({1: "kept", 0: "changed"})
tables.plain(pd.crosstab(truth, given), "Number of pairs by verdict, with these thresholds")

# %% [markdown]
# Read this table with care: the same pairs chose the thresholds and are judged by them. What thresholds are worth shows only on
# other pairs. And look at the price: these pairs were written to mislead, so few or none of those that keep the meaning are
# called *kept*.
#
# **Exercise 3 · write code** · `13_passing`
#
# Given the ratings of some pairs, their labels (1 where the meaning is kept, else 0) and a threshold: which share of the changed
# pairs passes as kept?


# %%
def passing(ratings, labels, threshold): ...


from nbhelpers.base import teaching

teaching.check("13_passing", passing)

# %% [markdown]
# **Exercise 4 · open question** · `13_own_pairs`
#
# You run a system that shortens reports. How would you get thresholds for it, and how would you know that they hold?
#
# ## What this does not show
#
# * The kind of a change is guessed from lists of words. It is a hint for sorting, not a measurement.
# * Sets written by one author, and errors made by rules, are not the errors of your system. Label some of its output and
#   calibrate.
# * All pairs are English. For other languages the verdicts mean nothing.
# * The intervals take pairs as independent; one pair of each label was drawn for a source.
#
# ## Try it


# %%
def look(source, candidate):
    found = metrics.check(source, candidate, metric=metric)
    print(f"{found.verdict}, rating {found.rating:.0f}" + (f", likely {found.kind}" if found.kind else ""))
    for one in found.changes:
        print(f"{one.cost:6.1f}  {one.was or '–'} → {one.became or '–'}  ({one.kind})")


tries = [
    ["Members can only vote in person.", "Only members can vote in person."],
    ["The drug lowers the risk.", "The risk becomes smaller when people take the medicine."],
]
fields = {"Source": "The road is safe in winter.", "Candidate": "In winter, the road is not safe."}
for one in tries:
    print(f"{one[0]} → {one[1]}")
    look(*one)
print(f"{fields['Source']} → {fields['Candidate']}")
teaching.try_it(look, fields, examples=tries)
