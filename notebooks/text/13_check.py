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
# changed the meaning? The function `nbhelpers.metrics.check` answers with a verdict, *kept*, *changed* or *unsure*, and a list of
# words. How far can these answers be trusted?
#
# **Method.** A trained metric rates a pair from 0 (another meaning) to 100 (the same). Two
# [thresholds](../docs/glossary.md#threshold) turn the rating into a verdict: at or above the higher one the meaning is *kept*, at
# or below the lower one it is *changed*, and between them the check is *unsure*. The thresholds were chosen on labelled pairs that
# the metric was not trained on, so that at most 5 % of the changed pairs pass as kept (*learn then test*, [Angelopoulos et al.,
# 2021](https://arxiv.org/abs/2110.01052)). These 5 % are the **promise**. None of the five papers has this experiment.
#
# **Two metrics** were trained for this project, on the texts that their cards list. *same-meaning* ([card](../data/models/same-meaning-en/README.md))
# ships. *same-meaning-base* ([card](../data/models/same-meaning-base-en/README.md)) reads with all-mpnet-base-v2, an encoder as
# large as BERT-base, which `make base` fetches.
#
# ## What we found
#
# **The promise is kept where it was made, and its price is high.** On the four sets that chose the thresholds, few changed pairs
# pass; that had to be so. But the small metric leaves most pairs *unsure*, and the larger one about half.
#
# **The promise does not carry over to every kind of change.** Of the small edits in summaries (SummEdits) and of our minimal
# pairs, clearly more changed ones pass than promised, with either metric. So label some pairs of your own, and choose thresholds
# on them: *Your own thresholds* shows how.
#
# **Free rewordings stay unsure.** Where a text says the same in entirely different words, both metrics seldom call it *kept*.
#
# **The check usually points to the damaged words**, if one damage was made in a paraphrase. In our own free rewordings almost
# every word differs. There the check is not shown to do better than a simple rule: point to the longest stretch that differs.

# %%
import json

import pandas as pd
from IPython.display import display

from nbhelpers import metrics
from nbhelpers.base import plots, teaching
from nbhelpers.base.paths import data_dir
from nbhelpers.base.stats import Estimate
from nbhelpers.leaderboard import verdicts
from nbhelpers.resources import challenge
from nbhelpers.results import estimates, evidence, tables

plots.theme()
rated = evidence.load("check-verdicts")  # one line for each pair and model
limits = {model: verdicts.thresholds(own) for model, own in rated.groupby("model", sort=False)}
found = verdicts.promise(rated)

# %%
passed = found[found["column"] == verdicts.PASSED]
elsewhere = passed[passed["row"].isin(verdicts.ELSEWHERE)]
elsewhere = elsewhere.assign(row=elsewhere["row"].map(challenge.title))
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
tables.in_numbers(elsewhere.assign(row="share that passes, " + elsewhere["row"]), reference=verdicts.RISK)

# %% [markdown]
# **How to read the figure.** Each mark is the share of changed pairs that a metric calls *kept*, with a 95 % interval; n counts
# changed pairs. Marks to the right of the dashed line are above the promised 5 %. The promise was made for pairs like those that
# chose the thresholds; the six sets in the figure are others.
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
# errors. What is left over is *unsure*, and a person has to read it. The first table has means over the four sets that chose the
# thresholds, and over the other six. A click opens every set, with intervals and n. **Look for** what the promise costs. Change
# `risk`, and every number changes.

# %%
chosen = {model: verdicts.thresholds(own, risk=risk) for model, own in rated.groupby("model", sort=False)}
print("; ".join(f"{model}: kept from {one.kept:.1f}, changed up to {one.changed:.1f}" for model, one in chosen.items()))
promised = verdicts.promise(rated, risk=risk)
chose = promised["row"].isin(verdicts.CALIBRATION).map({True: "sets that chose the thresholds", False: "other sets"})
means = promised.groupby([chose.rename("means over"), "model", "column"], sort=False)["value"].mean().unstack()
sizes = f"{len(verdicts.CALIBRATION)} and {rated['set'].nunique() - len(verdicts.CALIBRATION)} sets"
display(tables.plain(means.round(2).astype(str).reset_index(), f"Shares of pairs, means of {sizes}", index=False))
every = tables.beside(promised.assign(row=promised["row"].map(challenge.title)), caption="Shares of pairs")
tables.folded("Every set, with intervals", every)

# %% [markdown]
# Both metrics keep the same promise, so the larger one need not let fewer changed pairs pass. It decides more often: it leaves
# fewer pairs *unsure*.
#
# **Exercise 1 · predict, then run** · `13_stricter`
#
# Make the promise stricter: 1 % of the changed pairs may pass as kept instead of 5 %. What grows: (a) the share of pairs that are
# *unsure*; (b) the share of changed pairs called *kept*; (c) neither? Check your choice in a new cell, for example with
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
# pass. More pass than was promised, since the means include the sets that did not choose the thresholds.
#
# **Exercise 2 · read a result** · `13_promise`
#
# A tool says *kept* for 90 % of your pairs, and promises that at most 5 % of changed pairs pass as kept. Somebody concludes: "So at
# most 5 % of the pairs that it calls *kept* are changed." Is that (a) right, (b) wrong, because that share depends on how many of
# your pairs are changed, or (c) wrong, because the share is 10 %?
#
# ## Verdicts by kind of change
#
# We wrote these *pairs for a try* on subjects that the training did not have: 36 free rewordings, and 24 small changes of other
# sentences. Each cell counts the verdicts *kept*, *unsure* and *changed*, in this order. **Look for** changed pairs that are called
# *kept*, and for rewordings that are called *changed*.

# %%
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
counts = counts.reindex(columns=["kept", "unsure", "changed"], fill_value=0).astype(str).agg(" · ".join, axis=1)
counts = counts.unstack("model").loc[:, list(both["model"].unique())].rename_axis(["truth", "kind"]).reset_index()
tables.plain(counts, "Verdicts: pairs called kept · unsure · changed", index=False)

# %% [markdown]
# Neither metric calls any rewording *kept*: these texts say the same in entirely different words. The larger metric lets more
# of the changed pairs pass, but 24 pairs are too few to say that it does so in general.
#
# ## Where both metrics go wrong
#
# Forty more pairs are of kinds of text that the training did not have: recipes, package leaflets, contracts, notices and messages.
# In 19 of them the text is reworded, in 21 its meaning is changed. [AUC](../docs/glossary.md#auc) is how often a reworded pair gets a higher
# rating than a changed one; .5 is chance. The table shows the worst errors of *same-meaning-base*: the four changed pairs that it
# rates highest, and the four reworded ones that it rates lowest. **Look for** what the changed ones have in common.

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
    medians = rows.groupby("label")[name].median()
    print(f"{name}: AUC {area.value:.2f} [{area.low:.2f}, {area.high:.2f}], n = {area.n}; median rating", end=" ")
    print(f"of the reworded {medians[1]:.0f}, of the changed {medians[0]:.0f}")
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
# The larger metric rates rewordings above changes more often than not. The small one is not shown to be better than chance here.
# The changes that the larger one overlooks most are of one or two words, as in *few* and *a few*: they leave nearly all of the
# text as it was. Before you trust a check with texts of your own kind, try it like this.
#
# ## Which words
#
# A verdict of *changed* is of little use without the words behind it. So each place where the two texts differ is tried in two
# ways:
#
# 1. Put this difference alone into an exact copy of the source. If it matters, the rating falls.
# 2. Take this difference alone out of the candidate. If it matters, the rating rises.
#
# The mean of the two is the *cost* of the place. A metric can also have a *head*: a small network that was trained to say of each
# word how likely it is damaged. Cost and head together then decide which place comes first. The table has the changed pairs with
# the highest ratings: these are the ones to worry about. **Look at** whether the first place is the one that you would name.

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
# How often is the first place the damaged one? To measure it, one damage was made in each of many rewordings that neither metric
# was trained on, and that differ from their source in at least one other place. They come from ParaBank (paraphrases that people
# rated 95 or higher), APT and PARADE, and from our own rewordings, which were damaged by rules or by hand. The goal, set before the
# measurement, was .80. **Look for** rewordings in which the longest place is the best guess.
#
# * *cost alone* takes the costliest place, and *cost and head* takes both into account;
# * *longest place* needs no model, and *any place* is a blind guess.

# %%
parts = []
for model in limits:
    goals = json.loads((data_dir() / "models" / f"{model}-en" / "goals.json").read_text(encoding="utf-8"))
    for goal in goals:
        if goal["goal"].startswith("Words, "):
            where, way = goal.pop("goal").removeprefix("Words, ").split(": ")
            value = Estimate(*(goal[key] for key in ("value", "low", "high", "n")))
            parts.append({"row": where, "model": model, "column": way, "value": value})
ways = {
    "the first place by cost and head together": "cost and head",
    "the costliest place is the damaged one": "cost alone",
}
ways |= {"the longest place": "longest place", "any place": "any place"}
places = estimates.frame(parts)
places = places.assign(column=places["column"].map(ways)).sort_values(
    "column", key=lambda names: names.map([*ways.values()].index), kind="stable"
)
axis = {"xlabel": "share of pairs in which the damaged place is found", "reference": (0.8, "goal"), "panels": "model"}
figure = plots.dots(places, by="column", title="How often each metric finds the damaged place", **axis)
said = "; ".join(f"{one.model}, {one.row}, {one.column}: {one.value:.2f}" for one in places.itertuples())
plots.show(figure, name="13_words", alt=f"Shares of pairs in which the damaged place is found, with intervals. {said}.")
caption = "Share of pairs in which the damaged place is found"
tables.folded("In numbers", tables.beside(places, caption=caption))

# %% [markdown]
# In paraphrases by other people, cost and head find the damaged place more often than a blind guess or the longest place does. In
# our own free rewordings they are not shown to be ahead of the longest place.
#
# ## A long text
#
# A pair that is too long for the model is divided into sentences. The sentences of both texts are aligned in order, one to one or
# one to several, and rated part by part. A sentence without a partner counts as missing, or as added. Nothing is cut off, and the
# part with the lowest rating decides the verdict. Below, a page is retold with four edits: one rewording, one reversal, one
# sentence divided, one sentence added. **Look at** which of them are found.

# %%
story = (
    "The ferry left Split at nine on Monday. There were two hundred passengers on board. An hour later it met a tanker "
    "in thick fog. The captain said that the radar had failed shortly before. Nobody was hurt, but everyone had to be "
    "taken off by fishing boats. The company will pay for lost luggage. "
)
page = story * 3
retold = page.replace("There were two hundred passengers on board.", "It carried two hundred people.", 1)
retold = retold.replace("radar had failed", "radar had worked", 1)
retold = retold.replace("Nobody was hurt, but everyone", "Nobody was hurt. Everyone")
long = metrics.check(page, retold + "The sea was calm.", metric=metric)
print(f"{long.verdict}: lowest rating {long.rating:.0f}, mean {long.mean:.0f}, likely kind: {long.kind}")
others = pd.DataFrame([vars(part) for part in long.parts if part.verdict != "kept"])
tables.plain(others.round(1).astype(str), "Parts with another verdict than kept", index=False)

# %% [markdown]
# The reversal and the added sentence are called *changed*; the reworded sentence is *unsure*, and the divided one passes.
#
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
# Read this table with care: the same pairs chose the thresholds and are judged by them. Only other pairs show what thresholds are
# worth. And look at the price: these pairs were written to mislead, so hardly any pair that keeps the meaning is called *kept*.
#
# **Exercise 3 · write code** · `13_passing`
#
# Given the ratings of some pairs, their labels (1 where the meaning is kept, else 0) and a threshold, return the share of the
# changed pairs that pass as kept.


# %%
def passing(ratings, labels, threshold): ...


teaching.check("13_passing", passing)

# %% [markdown]
# **Exercise 4 · open question** · `13_own_pairs`
#
# You run a system that shortens reports. How would you get thresholds for it, and how would you know that they hold?
#
# ## What this does not show
#
# * **Your texts.** Sets written by one author, and errors made by rules, are not the errors of your system. Label some of its
#   output and calibrate.
# * **Kinds of change.** The kind is guessed from lists of words. It is a hint for sorting, not a measurement.
# * **Other languages.** All pairs are in English. For other languages nothing was measured.
# * **Dependence.** The intervals treat pairs as independent. So for each source at most one pair of each label was drawn.
#
# ## Try it
#
# Type a source and a candidate: the verdict comes first, then each place that differs, with its cost.


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
