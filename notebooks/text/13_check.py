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
# **Question.** An English text was simplified, reworded or shortened. Does the new version still say the same, and if not, which
# words changed the meaning? The function `nbhelpers.metrics.check` answers with a verdict, *kept*, *changed* or *unsure*, and a list
# of words. How far can these answers be trusted?
#
# **Method.** A trained metric rates a pair of texts from 0 (another meaning) to 100 (the same). Two
# [thresholds](../docs/glossary.md#threshold) turn the rating into a verdict: at or above the higher one the meaning is *kept*, at
# or below the lower one it is *changed*, and between them the check is *unsure*. The thresholds were chosen on labelled pairs of
# four sets: MENLI, PAWS-Wiki, SemAntoNeg and APT. They make two **promises** for a mixture like that of these pairs, each with a
# confidence of 97.5 %: at most 5 % of the changed pairs pass as kept, and at most 5 % of the kept pairs are called changed (*learn
# then test*, [Angelopoulos et al., 2021](https://arxiv.org/abs/2110.01052)). Both hold together with at least 95 %. No pair of
# these or of the six other sets below was trained on, but other parts of PAWS-Wiki, APT and our free rewordings were. None of the
# five papers behind this collection has this experiment.
#
# **Two metrics** were trained for this project, on the texts that their cards list. *same-meaning*
# ([card](../data/models/same-meaning-en/README.md)) ships. *same-meaning-base* ([card](../data/models/same-meaning-base-en/README.md))
# reads with all-mpnet-base-v2, an encoder as large as BERT-base, which `make base` fetches.
#
# ## What we found
#
# **On the sets that chose the thresholds few verdicts are wrong, but many are *unsure*. On several other kinds of text more are
# wrong than promised.** Numbers in brackets are 95 % intervals, and n counts pairs.
#
# * **Where the thresholds were chosen**, .03 of the changed pairs pass as *kept* with *same-meaning* and .04 with
#   *same-meaning-base*. The price is that .64 and .40 of the pairs stay *unsure*: *same-meaning* says *kept* only from
#   a rating of 99.2. This is no test, since the same pairs chose the thresholds, and a single set is promised nothing:
#   in PAWS-Wiki .087 [.060, .124] pass with *same-meaning*, n = 300.
# * **Elsewhere each promise can fail:** in six other sets, with two metrics, the first fails clearly in 4 of 12 cases, the second
#   in 3 of 12. For example, in summaries with one edit (SummEdits, n = 115) .10 [.06, .17] of the changed pairs pass with
#   *same-meaning-base*; in our minimal pairs, which were written to mislead (n = 48), .17 [.09, .30] pass with *same-meaning* and
#   .21 [.12, .34] with *same-meaning-base*.
# * **A text that says the same in other words throughout is almost never called *kept***: none of 158 pairs with *same-meaning*,
#   seven of them with *same-meaning-base*. *same-meaning* even calls .18 [.13, .24] of them *changed*, *same-meaning-base* .15
#   [.10, .22].
# * **Which words changed the meaning.** Paraphrases of three sets by other people were damaged by rules like those of
#   the training (which had other parts of two of these sets). The damaged place is put first in .79 to .92 of the
#   pairs that can be counted with *same-meaning*, in .88 to .98 with *same-meaning-base*, and in .45 to .63 by the
#   simple rule *longest place* (n = 57 to 68). In our free rewordings neither metric is shown to be better than the
#   simple rule. Where each text was damaged one by one, the rule gets .81 [.72, .88], the check .67 [.56, .76] and .79
#   [.69, .86], n = 81.
# * **With labelled pairs of your own** you can choose thresholds for texts like yours. They do not help where a metric
#   ranks badly: in 40 notices and messages, and in the 60 pairs for a try, *same-meaning*, the metric that ships, is
#   not shown to rank reworded pairs above changed ones; *same-meaning-base* does.

# %%
import json

import pandas as pd
from IPython.display import display

from nbhelpers import metrics
from nbhelpers.base import plots, stats, teaching
from nbhelpers.base.paths import data_dir
from nbhelpers.base.stats import Estimate
from nbhelpers.leaderboard import verdicts
from nbhelpers.metrics.changes import differences
from nbhelpers.resources import challenge
from nbhelpers.results import estimates, evidence, tables

plots.theme()
rated = evidence.load("check-verdicts")  # one line for each pair and model
limits = {model: verdicts.thresholds(own) for model, own in rated.groupby("model", sort=False)}
found = verdicts.promise(rated)

# %%
errors = verdicts.beyond(found)
panel = errors["column"].map(dict(zip(verdicts.ERRORS, ("changed, called kept", "kept, called changed"))))
errors = errors.assign(row=errors["row"].map(challenge.title), panel=panel)
order = errors[errors["column"] == verdicts.PASSED].groupby("row")["value"].mean()  # the set with the most on top
errors = errors.sort_values("row", key=lambda names: -names.map(order), kind="stable")
figure = plots.dots(
    errors,
    by="model",
    panels="panel",
    xlabel="share of pairs",
    title="On several other kinds of text more verdicts are wrong than promised",
    reference=(0.05, "5 %"),
)
said = "; ".join(f"{one.column}, {one.row}, {one.model} {one.value:.2f}" for one in errors.itertuples())
plots.show(figure, name="13_check", alt=f"Shares of wrong verdicts, with intervals: {said}.")
print(f"Above 5 % in exact tests, corrected for all {len(errors)} (false discovery rate of 5 %):")
for what, clear in errors[errors["q"] < 0.05].groupby("column", sort=False):
    print(f"{what}:", "; ".join(f"{one.row}, {one.model}" for one in clear.itertuples()))
tables.in_numbers(errors.assign(row=errors["column"] + ", " + errors["row"]), reference=verdicts.RISK)

# %% [markdown]
# **How to read the figure.** Each mark is the share of wrong verdicts of a metric, with a 95 % interval: on the left of the changed
# pairs, on the right of the kept ones. n is a range where a set has more pairs of one label. The intervals, in the figure and in
# numbers, are not corrected for their number; the first lines below the figure name the shares that stay above 5 % after such a
# correction.
#
# The *free rewordings* are the test part of a collection whose training part both metrics were trained on. Few changed ones pass
# there, but few of the kept ones are called *kept*, too: .06 [.03, .10] with *same-meaning* and .25 [.20, .31] with
# *same-meaning-base*, n = 220.
#
# **The sets.** Four chose the thresholds: [MENLI](https://github.com/cyr19/MENLI), source sentences, each with a paraphrase and
# with a paraphrase that has one error; [PAWS-Wiki](https://github.com/google-research-datasets/paws), sentences of Wikipedia with
# words moved or exchanged; [SemAntoNeg](https://github.com/teemuvh/antonym-substitution), negations and opposites; and
# [APT](https://github.com/Advancing-Machine-Human-Reasoning-Lab/apt), rewordings that people wrote to mislead a metric. Two others
# are by other people: [SummEdits](https://github.com/salesforce/factualNLG), summaries with one edit, and PAWS-QQP, questions with
# words moved. Four are ours: [minimal pairs](../data/corpus/minimal-pairs.md), [pairs for a try](../data/corpus/tried-pairs.md),
# [notices and messages](../data/corpus/everyday-pairs.md), and [free rewordings](../data/corpus/rewordings-en.md), among them some
# small edits. A language model wrote the last three with their labels; nobody but the author confirmed the labels of any of the
# four.
#
# | | |
# |---|---|
# | **Afterwards you can** | read a verdict, find the words behind it, and set thresholds for your own texts |
# | **You need** | [05_meaningbert_sanity](05_meaningbert_sanity.ipynb) |
# | **Time** | a minute to run on one CPU core, twenty minutes to read |
# | **Before and after** | [12_model_size](12_model_size.ipynb) · [00_start_here](00_start_here.ipynb) |

# %% tags=["parameters"]
metric = "same-meaning"  # or "same-meaning-base", which decides more often, ten times slower; it needs `make base`
risk = 0.05  # share of changed pairs that may pass as kept, in the tables of *The price of a promise*
pairs = 60  # so many of the 60 pairs for a try are rated in this run, drawn at random
examples = 5  # changed pairs whose words are shown

# %% [markdown]
# ## The price of a promise
#
# A check can err in two ways: a changed pair passes as *kept*, or a kept pair is called *changed*. The thresholds limit each of
# the two. What is left over is *unsure*, and a person has to read it. The table has means over the four sets that chose the
# thresholds, and over the other six. *Kept pairs found* is the share of the kept pairs that are called *kept*, *changed pairs found* that
# of the changed pairs that are called *changed*. A click opens every set, with intervals and n. **Look for** what the promise costs.
# Change `risk`, and the thresholds and these shares change.

# %%
chosen = {model: verdicts.thresholds(own, risk=risk) for model, own in rated.groupby("model", sort=False)}
print("; ".join(f"{model}: kept from {one.kept:.1f}, changed up to {one.changed:.1f}" for model, one in chosen.items()))
promised = verdicts.promise(rated, risk=risk)
chose = promised["row"].isin(verdicts.CALIBRATION).map({True: "sets that chose the thresholds", False: "other sets"})
means = promised.groupby([chose.rename("means over"), "model", "column"], sort=False)["value"].mean().unstack()
sizes = f"{len(verdicts.CALIBRATION)} and {rated['set'].nunique() - len(verdicts.CALIBRATION)} sets"
means = means.map("{:.2f}".format).reset_index().rename_axis(columns=None)
display(tables.plain(means, f"Shares of pairs, means of {sizes}", index=False))
every = tables.beside(promised.assign(row=promised["row"].map(challenge.title)), caption="Shares of pairs")
tables.folded("Every set, with intervals", every)

# %% [markdown]
# Both metrics keep the same promises on the sets that chose the thresholds. The larger one decides more often: it leaves fewer
# pairs *unsure*. On the other six sets its mean share of changed pairs that pass is lower, and that of kept pairs called *changed*
# is higher. But these means have no intervals, and a set of 21 pairs weighs in them as much as one of 300: they do not show which
# metric errs more. The next table compares the two on the same pairs. A difference above 0 means that more changed pairs pass with
# the larger metric; q is the p-value corrected for the number of sets.

# %%
gaps = verdicts.compared(rated, "same-meaning-base", "same-meaning", risk=risk)
gaps = gaps.assign(
    set=gaps["row"].map(challenge.title),
    difference=[estimates.text(Estimate(*one)) for one in zip(gaps["value"], gaps["low"], gaps["high"], gaps["n"])],
    q=gaps["q"].map("{:.3f}".format),
)
tables.plain(
    gaps[["set", "difference", "q"]], "Changed pairs that pass: same-meaning-base minus same-meaning", index=False
)

# %% [markdown]
# In two sets the two are told apart after this correction: in PAWS-QQP the larger metric lets fewer changed pairs pass, in APT it
# lets more pass. Some of our sets are so small that even a large difference would not be seen.
#
# **Exercise 1 · predict, then run** · `13_stricter`
#
# Make the promise stricter: 1 % of the changed pairs may pass as kept instead of 5 %. What grows: (a) the share of pairs that are
# *unsure*; (b) the share of changed pairs called *kept*; (c) neither? Check your choice in a new cell, for example with
# `teaching.check("13_stricter", "a")`.

# %%
chose = {True: "pass, four sets that chose", False: "pass, six other sets"}
prices = []
for allowed in (0.01, 0.02, 0.05, 0.1, 0.2):
    each = verdicts.promise(rated, risk=allowed)
    passing = each["column"].where(each["column"] != verdicts.PASSED, each["row"].isin(verdicts.CALIBRATION).map(chose))
    means = each.groupby(["model", passing], sort=False)["value"].mean().unstack()
    prices.append(means[["unsure", *chose.values()]].assign(promised=f"{allowed:.0%}"))
prices = pd.concat(prices).reset_index().pivot(index="promised", columns="model").map("{:.3f}".format)
prices = prices.loc[[f"{allowed}%" for allowed in (1, 2, 5, 10, 20)]].rename_axis(columns=["", ""])
tables.plain(prices, "Pairs that are unsure, and changed pairs that pass as kept, at five promises: means of the sets")

# %% [markdown]
# Each line is a promise, from strict to loose. The looser it is, the fewer pairs are left to a person, and the more changed pairs
# pass. On the sets that chose the thresholds each promise is kept. On the other six the mean share lies above the promise; but
# these means have no intervals.
#
# **Exercise 2 · read a result** · `13_promise`
#
# A tool says *kept* for 10 % of your pairs, and promises that at most 5 % of changed pairs pass as kept. Somebody concludes: "So at
# most 5 % of the pairs that it calls *kept* are changed." Is that (a) right, (b) wrong, because that share depends on how many of
# your pairs are changed, or (c) wrong, because the share is 10 %?
#
# ## Verdicts by kind of change
#
# The *pairs for a try* are 36 free rewordings, and 24 small changes of other sentences. They were written before any metric had
# rated one. Each cell counts the verdicts *kept*, *unsure* and *changed*, in this order. The last column is rated now, by the
# metric of the parameters, and should repeat its recorded column. The lines above the table are about rewordings of another set,
# our *free rewordings*, and about how these 60 pairs are ranked: [AUC](../docs/glossary.md#auc) is how often a reworded pair gets a
# higher rating than a changed one; .5 is chance. **Look for** changed pairs that are called *kept*, and for rewordings that are
# called *changed*.

# %%
written = challenge.read("tried-pairs").pairs
mine = pd.DataFrame(written).sample(min(pairs, len(written)), random_state=0).sort_index()
verdict = metrics.check_all(list(mine["source"]), list(mine["candidate"]), metric=metric, words=False)
mine = mine.assign(
    rating=[one.rating for one in verdict], verdict=[one.verdict for one in verdict], model=f"{metric}, this run"
)
ours = rated[rated["set"].isin(["tried-pairs", "own-rewordings"])]
ours = ours.assign(verdict=[limits[one.model].verdict(one.rating) for one in ours.itertuples()])
texts = {name: challenge.read(name).pairs for name in ("tried-pairs", "own-rewordings")}
ours["kind"] = [texts[one.set][one.pair].kind for one in ours.itertuples()]
for name, own in ours[(ours["set"] == "own-rewordings") & (ours["kind"] == "same")].groupby("model", sort=False):
    shares = [estimates.text(stats.proportion(own["verdict"] == called)) for called in ("kept", "changed")]
    print(f"{name}, free rewordings: called kept {shares[0]}; called changed {shares[1]}")
recorded = ours[ours["set"] == "tried-pairs"]
for name, own in recorded.groupby("model", sort=False):
    area = stats.roc_auc_interval(own["label"] == 1, own["rating"].to_numpy(float))
    print(f"{name}, pairs for a try: AUC {estimates.text(area)}")
both = pd.concat([recorded, mine]).assign(kept=lambda made: made["label"].map({1: "kept", 0: "changed"}))
counts = both.groupby(["model", "kept", "kind"], sort=False)["verdict"].value_counts().unstack(fill_value=0)
counts = counts.reindex(columns=["kept", "unsure", "changed"], fill_value=0).astype(str).agg(" · ".join, axis=1)
counts = counts.unstack("model").loc[:, list(both["model"].unique())].rename_axis(["truth", "kind"]).reset_index()
tables.plain(counts, "Verdicts: pairs called kept · unsure · changed", index=False)

# %% [markdown]
# The small metric calls none of these rewordings *kept*, the larger one two, and each calls five of them *changed*. The larger one
# ranks them above the changed pairs more often than not; for the small one the interval of the AUC contains .5. Of the 24 changed
# pairs two pass with either.
#
# ## Where both metrics go wrong
#
# Forty more pairs are recipes, package leaflets, contracts, notices, messages and the like. None of them was trained on, but the
# training had rewordings of some of these kinds, among them recipes and package leaflets. In 19 of the pairs the text is reworded,
# in 21 its meaning is changed. The table shows the pairs that *same-meaning-base* ranks worst: the four changed pairs that it rates
# highest, and the four reworded ones that it rates lowest. *Words* counts the words that differ. **Look for** what the changed ones
# have in common, and then whether the pairs that were found have it, too.

# %%
own = rated[rated["set"] == "everyday-pairs"]
rows = own.pivot(index=["pair", "label"], columns="model", values="rating").reset_index()
for name in limits:
    area = stats.roc_auc_interval(rows["label"] == 1, rows[name].to_numpy(float))
    print(f"{name}: AUC {estimates.text(area)}")
rows = rows.join(pd.DataFrame(challenge.read("everyday-pairs").pairs)[["source", "candidate"]], on="pair")
rows["truth"] = rows["label"].map({1: "kept", 0: "changed"})
rows["words"] = [
    sum(max(len(place.was.split()), len(place.became.split())) for place in differences(one.source, one.candidate))
    for one in rows.itertuples()
]
rows = rows.sort_values("same-meaning-base", ascending=False)
small = rows[(rows["truth"] == "changed") & (rows["words"] <= 2)]
print(f"{len(small)} of the changed pairs differ in one or two words.")
for name, limit in limits.items():
    given = small[name].map(limit.verdict).value_counts()
    print(f"Of these, {name} calls", "; ".join(f"{count} {verdict}" for verdict, count in given.items()))
    rows[name] = [f"{rating:.1f} {limit.verdict(rating)}" for rating in rows[name]]
shown = rows[["source", "candidate", "truth", "words", *limits]]
changed = shown[shown["truth"] == "changed"]
worst = pd.concat([changed.head(4), shown[shown["truth"] == "kept"].tail(4)])
display(tables.plain(worst, "Ratings from 0 to 100, and verdicts, of eight pairs of 40", index=False))
tables.folded("All changed pairs", tables.plain(changed, index=False))

# %% [markdown]
# The larger metric rates rewordings above changes more often than not. The small one is not shown to be better than chance here.
# One changed pair passes as *kept* with *same-meaning*, *the landlord shall pay* for *the tenant shall pay*, and none with
# *same-meaning-base*.
#
# A small edit alone does not explain what the larger metric ranks badly: of the 12 changed pairs that differ in one or two words it
# calls 9 *changed*, such as *off* and *on* or *must* and *may*. *same-meaning* calls 3 of the same 12 *changed*; *off* and *on* it
# rates 66. The four changed pairs that the larger metric rates highest are another certainty, a piece of advice left out, cause and
# effect exchanged, and another party. Four pairs are too few for a rule; they are kinds to test in texts of your own.
#
# ## Which words
#
# A verdict of *changed* is of little use without the words behind it. So the two texts are compared word by word. Each stretch in which
# they differ is a *place*: it can be one word, or half of the sentence. Each place is tried in two ways:
#
# 1. Put this difference alone into an exact copy of the source. If it matters, the rating falls.
# 2. Take this difference alone out of the candidate. If it matters, the rating rises.
#
# The mean of the two is the *cost* of the place. A metric can also have a *head*: a small network that was trained to say of each
# word how likely it is damaged. Cost and head together then decide which place comes first. The table has the changed pairs with
# the highest ratings. *Likely kind* is a guess from lists of words. **Look at** whether the first place is the one that you would
# name.

# %%
rater = metrics.load(metric)
lines = []
for one in mine[mine["label"] == 0].nlargest(examples, "rating").itertuples():
    first, *_ = rater.changes(one.source, one.candidate)
    words = f"{first.was or '–'} → {first.became or '–'}"
    lines.append([one.source, one.candidate, f"{one.rating:.1f}", words, first.kind, f"{first.cost:.1f}"])
print(f"{metric}: kept from {limits[metric].kept:.1f}, changed up to {limits[metric].changed:.1f}")
tables.plain(
    pd.DataFrame(lines, columns=["source", "candidate", "rating", "first place", "likely kind", "cost"]),
    f"Changed pairs for a try, {metric}, this run",
    index=False,
)

# %% [markdown]
# With *same-meaning*, each first place has words that changed the meaning, but three of the five costs are small, and the first two
# pairs even pass as *kept*. The kinds are guesses: the pair *used to teach* and *is used to teaching* was written as a change of
# time, but the guess is *added*.
#
# ### How often is the first place the damaged one?
#
# To measure it, one damage was made in each of many rewordings. Neither metric was trained on these, but both were trained on other
# parts of APT, of PARADE and of our rewordings; only ParaBank is new to them. Three sets are paraphrases by other people:
# [ParaBank](https://github.com/decompositional-semantics-initiative/ParaBank-Eval-Data), written by a machine and rated 95 or
# higher by people, [PARADE](https://github.com/heyunh2015/PARADE_dataset), definitions of terms, and APT. In these, and in some of
# our own free rewordings, rules made the damage; the same rules made most of the damage in the training. In the last set a language
# model damaged our rewordings one by one, as in the training part of that collection. The goal, set before the measurement, was
# .80.
#
# * *cost alone* takes the costliest place, and *cost and head* takes both into account;
# * *longest place* needs no model, and *any place* is a blind guess: both are the same in the two panels.
#
# **Look for** sets in which the longest place is as good a guess.

# %%
NAMED = {"ParaBank of 95 or more": "ParaBank", "own rewordings": "ours, damaged by rules"}
NAMED |= {"own rewordings by hand": "ours, damaged one by one"}
parts = []
for model in limits:
    goals = json.loads((data_dir() / "models" / f"{model}-en" / "goals.json").read_text(encoding="utf-8"))
    for goal in goals:
        if goal["goal"].startswith("Words, "):
            where, way = goal.pop("goal").removeprefix("Words, ").split(": ")
            value = Estimate(*(goal[key] for key in ("value", "low", "high", "n")))
            parts.append({"row": NAMED.get(where, where), "model": model, "column": way, "value": value})
words = estimates.frame(parts)
ways = {
    "the first place by cost and head together": "cost and head",
    "the costliest place is the damaged one": "cost alone",
}
ways |= {"the longest place": "longest place", "any place": "any place"}
places = words.assign(column=words["column"].map(ways)).dropna(subset="column")
places = places.sort_values("column", key=lambda names: names.map([*ways.values()].index), kind="stable")

# %%
found_in = "share of pairs in which the damaged place is found"
title = "How often the damaged place comes first"
goal = 0.8, "goal .80"
figure = plots.dots(places, by="column", panels="model", grey="any place", xlabel=found_in, title=title, reference=goal)
said = "; ".join(f"{one.model}, {one.row}, {one.column}: {one.value:.2f}" for one in places.itertuples())
plots.show(figure, name="13_words", alt=f"{found_in.capitalize()}, with intervals. {said}.")
asked = {
    "pairs with a damaged and an undamaged place": "pairs that count",
    "share of the candidate's words in the damaged place": "share of words in the damaged place",
    "cost and head above the longest place": "cost and head minus longest place",
}
about = words.assign(column=words["column"].map(asked)).dropna(subset="column")
of_model = about["column"] == asked["cost and head above the longest place"]
about["column"] += (", " + about["model"]).where(of_model, "")
about["text"] = [estimates.text(Estimate(*one)) for one in zip(*(about[key] for key in ("value", "low", "high", "n")))]
about = (
    about.drop_duplicates(["row", "column"]).pivot(index="row", columns="column", values="text").fillna("not measured")
)
about = about.loc[list(dict.fromkeys(places["row"]))].rename_axis(index=None, columns=None)
display(tables.plain(about[sorted(about, reverse=True)], "What can be counted, and the check beside the longest place"))
tables.folded("In numbers", tables.beside(places, caption=found_in.capitalize()))

# %% [markdown]
# **What counts.** Only pairs with at least two places, of which some are damaged and some are not, can be counted: the column *pairs that
# count* gives their share of all pairs. Of our rewordings that were damaged one by one most are left out, mostly because the whole
# text is a single place; there the check can point to nothing. And where it can, the damaged place has on average more than
# half of the candidate's words. So a hit there points to half of a sentence, and not to a word.
#
# **What was found.** In the paraphrases by other people, cost and head are ahead of the longest place. With *same-meaning-base*
# these differences on the same pairs lie above 0 in all three sets, with *same-meaning* in ParaBank and PARADE. In our own
# rewordings neither metric is shown to be ahead, and *same-meaning* is behind where each text was damaged one by one.
#
# Cost and head reach the goal in two of the five sets with *same-meaning* and in four with *same-meaning-base*; the whole interval
# lies above it in ParaBank with both, and in APT with the larger.
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
retold = retold.replace("Nobody was hurt, but everyone", "Nobody was hurt. Everyone", 1)
long = metrics.check(page, retold + "The sea was calm.", metric=metric)
print(f"{long.verdict}: lowest rating {long.rating:.0f}, mean {long.mean:.0f}, likely kind: {long.kind}")
wrong = 1 - (1 - verdicts.RISK) ** 20
print(
    f"If each of 20 faithful parts is called changed with a chance of {verdicts.RISK:.0%}, "
    f"the page is called changed with a chance of {wrong:.2f}."
)
others = pd.DataFrame([vars(part) for part in long.parts if part.verdict != "kept"])
tables.plain(others.round(1).astype(str), "Parts with another verdict than kept", index=False)

# %% [markdown]
# With *same-meaning*, the reversal and the added sentence are called *changed*; the reworded sentence is *unsure*, and the divided
# one passes. This is an example, and no measurement.
#
# **The promises are for one pair, and not for a page.** A page is called *changed* as soon as one of its parts is. The thresholds allow
# that up to 5 % of the kept pairs are called *changed*. If this befell each part of a faithful page of 20 parts independently, the page
# would be called *changed* with a chance of .64. And a sentence that was left out and has no partner always makes a page *changed*: so a
# page that was shortened on purpose can be called *changed* for that alone. For pages read the parts, and not only the verdict.
#
# ## Your own thresholds
#
# `calibrate` takes labelled pairs and gives thresholds that keep both promises for pairs like these, with the same confidence; `check`
# takes the thresholds:
#
# ```python
# own = metrics.calibrate(sources, candidates, kept, metric="same-meaning")
# metrics.check(source, candidate, metric="same-meaning", thresholds=own)
# ```
#
# It needs at least 72 pairs of each label with different sources: even if none of 71 were wrong, we could not be 97.5 % sure that the
# rate is at most 5 %. Here the 250 rated pairs of this project are the example. Their ratings are the authors' own, and not those of a
# crowd: 85 or more counts as *kept*, 60 or less as *changed*, and the pairs between are left out. To rate each pair only once, the cell
# takes the two steps of `calibrate` one by one: first the ratings, and then the thresholds.

# %%
people = challenge.read("rated-pairs").pairs
clear = [pair for pair in people if pair.label >= 85 or pair.label <= 60]
sources, candidates = [pair.source for pair in clear], [pair.candidate for pair in clear]
kept = [int(pair.label >= 85) for pair in clear]
ratings = rater.ratings(rater(sources, candidates))
own = metrics.thresholds_from(ratings, kept, groups=sources)
print(
    f"{len(people) - len(clear)} of {len(people)} pairs left out; kept from {own.kept:.1f}, changed up to {own.changed:.1f}"
)
for count in (71, 72):
    print(f"If 5 % are wrong, none of {count} is wrong with a chance of {0.95**count:.2%}.")
given = pd.Series([own.verdict(one) for one in ratings], name="verdict")
truth = pd.Series(kept, name="our rating says").map({1: "kept", 0: "changed"})
shown = pd.crosstab(truth, given).reindex(columns=["kept", "unsure", "changed"], fill_value=0)
tables.plain(shown.reset_index().rename_axis(columns=None), f"Verdicts, {own.found}", index=False)

# %% [markdown]
# Read this table with care: the same pairs chose the thresholds and are judged by them. Only other pairs show what thresholds are
# worth. And look at the price: with *same-meaning* not one pair that keeps the meaning is called *kept*. These pairs were written so that
# common words mislead; texts of your own may cost less, or more.
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
# ## The findings one by one
#
# **Where the thresholds were chosen.** The shares are means over the four sets. A single set is promised nothing: in PAWS-Wiki .087
# [.060, .124] of the changed pairs pass with *same-meaning*, n = 300.
#
# **Other kinds of text.** Clearly more changed pairs pass than promised also with *same-meaning* in questions whose words were
# moved (PAWS-QQP): .15 [.11, .19], n = 300.
#
# **Free rewordings stay unsure, or are even called changed.** Where one of our texts says the same in other words throughout,
# *same-meaning* calls none of 158 pairs *kept* (.00 [.00, .02]), *same-meaning-base* seven (.04 [.02, .09]). The second promise
# fails here, too: of all 220 kept pairs of the set, small edits included, .141 [.101, .193] are called *changed* with
# *same-meaning* and .127 [.090, .178] with *same-meaning-base*. (It also fails with *same-meaning-base* in questions.)
#
# **Thresholds of your own** keep each promise for pairs drawn like yours with a confidence of 97.5 %: this follows from the method,
# and was not tested here. They do not change a ranking. In 40 notices and messages, and in the 60 pairs for a try, *same-meaning*,
# the metric that ships, is not shown to rank reworded pairs above changed ones; *same-meaning-base* does. If ratings told nothing
# about the labels, thresholds that keep both promises would leave at least nine of ten pairs *unsure*.
#
# **The damaged place is often found in paraphrases by other people, but in our free rewordings no better than by a simple rule.**
# The rule points to the longest stretch that differs; a blind guess finds .33 to .39 in the paraphrases by other people. In our
# free rewordings neither metric is shown to be better than the simple rule, whether the same rules made the damage (n = 33) or each
# text was damaged one by one: there it gets .81 [.72, .88], the check .67 [.56, .76] and .79 [.69, .86], n = 81; only .37
# [.31, .43] can be counted, n = 220.
#
# ## What this does not show
#
# * **Your texts.** Texts by a language model, and errors made by rules, are not the errors of your system. Label some of its output
#   and calibrate.
# * **Shortened texts.** None of the sets has texts that people shortened. On compressions of news *same-meaning-base* ranks worse
#   than the small encoder's cosine ([card](../data/models/same-meaning-base-en/README.md)).
# * **Kinds of change.** The kind is guessed from lists of words. It is a hint for sorting, not a measurement.
# * **Other languages.** All pairs are in English. For other languages nothing was measured.
# * **Dependence.** The intervals treat pairs as independent. So for each source at most one pair of each label was drawn. But a kept and a
#   changed pair may share their source, and texts of one author have much in common.
#
# ## Try it
#
# Type a source and a candidate: the verdict comes first, then each place that differs, with its cost.


# %%
def look(source, candidate):
    found = metrics.check(source, candidate, metric=metric)
    print(f"{found.verdict}, rating {found.rating:.1f}" + (f", likely {found.kind}" if found.kind else ""))
    for one in found.changes:
        print(f"{one.cost:6.1f}  {one.was or '–'} → {one.became or '–'}  ({one.kind})")


tries = [
    ["Members can only vote in person.", "Only members can vote in person."],
    ["The drug lowers the risk.", "The risk becomes smaller when people take the medicine."],
]
print(f"{metric}: kept from {limits[metric].kept:.1f}, changed up to {limits[metric].changed:.1f}")
fields = {"Source": "The road is safe in winter.", "Candidate": "In winter, the road is not safe."}
for one in tries:
    print(f"{one[0]} → {one[1]}")
    look(*one)
print(f"{fields['Source']} → {fields['Candidate']}")
teaching.try_it(look, fields, examples=tries)

# %% [markdown]
# With *same-meaning*, the first two stay *unsure*. *Members can only* and *only members can* differ in meaning, and the rating is
# just too low for *kept*. The second pair says the same, but the whole text is one place. The plain negation is called *changed*,
# but barely: its rating lies just below the lower threshold. The place *not* comes first, as it should; but the harmless move of
# *in winter* costs much, too.
