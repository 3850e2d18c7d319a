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
# **Question.** Does a reworded or edited English text still say the same, and if not, which words changed the meaning? How far
# can you trust the answers of `nbhelpers.metrics.check`: *kept*, *changed* or *unsure*?
#
# **Method.** A trained metric rates a pair of texts from 0 (another meaning) to 100 (the same). Two
# [thresholds](../docs/glossary.md#threshold) turn the rating into a verdict: *kept* from the higher one, *changed* up to the lower
# one, *unsure* between them. `check` also never says *kept* where a number in figures replaces another one; all shares here go by
# the ratings alone. Labelled pairs of four sets chose the thresholds. They make two **promises** for a mixture of pairs like these,
# each with a confidence of 97.5 %: at most 5 % of the changed pairs pass as kept, and at most 5 % of the kept pairs are called
# changed (*learn then test*, [Angelopoulos et al., 2021](https://arxiv.org/abs/2110.01052)). None of the five papers has this
# experiment.
#
# Two of our metrics are tested. *same-meaning* ([card](../data/models/same-meaning-en/README.md)) ships. *same-meaning-base*
# ([card](../data/models/same-meaning-base-en/README.md)) is larger; `make base` fetches it.
#
# ## What we found
#
# Brackets: 95 % intervals; n counts pairs.
#
# * **Where the thresholds were chosen, few pairs are judged wrongly, but many are *unsure*.** Of the changed pairs of these four
#   sets .04 [.03, .05] pass as *kept* with either metric (n = 1,080), but of APT alone .11 [.07, .16] with *same-meaning-base*
#   (n = 180). The price is that .63 [.61, .65] of all pairs stay *unsure* with *same-meaning* and .31 [.29, .33] with
#   *same-meaning-base* (n = 2,280). The same pairs chose the thresholds, so this is not a test.
# * **On several other kinds of text, more than 5 % are judged wrongly.** Of the changed pairs of six other sets .09 [.08, .12]
#   pass with *same-meaning* and .06 [.04, .08] with *same-meaning-base* (n = 728); of the kept ones .04 [.03, .06] and .11 [.09,
#   .14] are called *changed* (n = 627). Set by set, the first share is clearly above 5 % in 5 of 12 cases (six sets, two
#   metrics), the second in 3. In questions with words moved (PAWS-QQP, 300 changed and 190 kept pairs) .13 [.10, .18] of the
#   changed pairs pass with *same-meaning*: of 119 called *kept*, 40 are changed. Without this
#   set and the free rewordings (next point) .12 [.08, .17] pass, with *same-meaning-base* .14 [.10, .19] (n = 208). Summaries
#   beside whole documents are judged near chance.
# * **Free rewordings, written for us by a language model, are rarely called *kept*:** none of 158 with *same-meaning*, 18 with
#   *same-meaning-base*; .11 [.07, .17] and .16 [.11, .23] are called *changed*.
# * **Which words changed the meaning?** In 68 reworded definitions (PARADE), the rules of the training changed the meaning in one
#   of several places. *same-meaning* puts this place first in .85 [.75, .92]; the longest place is the right one in .49 [.37, .60],
#   a blind guess in .36. On the two sets that chose the ranking it has .97 and .75; in the second the lead is not shown. In our own
#   rewordings it is not shown to differ from the longest place; damaged one by one, it has .72 against .81 (81 of 220 pairs can be
#   counted). No set is fresh.
# * **You can choose thresholds for your own texts**, with many labelled pairs. In the one trial here, with 201 pairs of ours,
#   *same-meaning* then leaves most *unsure* and calls 3 of the 73 kept pairs *kept*.

# %%
import pandas as pd
from IPython.display import display

from nbhelpers import metrics
from nbhelpers.base import plots, stats, teaching
from nbhelpers.base.stats import Estimate
from nbhelpers.leaderboard import verdicts
from nbhelpers.metrics.changes import differences
from nbhelpers.resources import challenge
from nbhelpers.results import estimates, evidence, tables

plots.theme()
rated = evidence.load("check-verdicts")  # one line for each pair and model
rated = rated[rated["model"].isin(["same-meaning", "same-meaning-base"])]
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
    title="On several other kinds of text, more than 5 % are judged wrongly",
    reference=(0.05, "5 %"),
)
said = "; ".join(f"{one.column}, {one.row}, {one.model} {one.value:.2f}" for one in errors.itertuples())
plots.show(figure, name="13_check", alt=f"Shares of wrongly judged pairs: {said}. A line marks 5 %.")
print(f"Above 5 % in exact tests, corrected for all {len(errors)} (false discovery rate of 5 %):")
for what, clear in errors[errors["q"] < 0.05].groupby("column", sort=False):
    print(f"{what}:", "; ".join(f"{one.row}, {one.model}" for one in clear.itertuples()))
tables.folded("In numbers", tables.beside(errors, caption="Shares of wrongly judged pairs"))

# %% [markdown]
# **How to read the figure.** Each mark is a share of wrongly judged pairs; the dashed line is at 5 %. The lines below the figure
# name the shares clearly above it, corrected for 24 tests; the intervals are not corrected.
#
# | | |
# |---|---|
# | **Afterwards you can** | read a verdict, find the words behind it, and set thresholds for your own texts |
# | **You need** | [05_meaningbert_sanity](05_meaningbert_sanity.ipynb) |
# | **Time** | a minute to run on one CPU core, fifteen minutes to read |
# | **Before and after** | [12_model_size](12_model_size.ipynb) · [00_start_here](00_start_here.ipynb) |

# %% tags=["parameters"]
metric = "same-meaning"  # or "same-meaning-base", which decides more often, ten times slower; it needs `make base`
risk = 0.05  # share of wrongly judged pairs that each promise allows, in the tables of *The price of a promise*
pairs = 60  # so many of the 60 pairs for a try are rated in this run, drawn at random
examples = 5  # changed pairs whose words are shown

# %% [markdown]
# ## The price of a promise
#
# **Four sets chose the thresholds:** [MENLI](https://github.com/cyr19/MENLI), paraphrases with and without an error;
# [PAWS-Wiki](https://github.com/google-research-datasets/paws), sentences with words moved or exchanged;
# [SemAntoNeg](https://github.com/teemuvh/antonym-substitution), negations and opposites; and
# [APT](https://github.com/Advancing-Machine-Human-Reasoning-Lab/apt), rewordings that people wrote to mislead a metric.
#
# **Six other sets show how far the promises carry.** Two are by other people:
# [SummEdits](https://github.com/salesforce/factualNLG), summaries before and after one edit, and PAWS-QQP, questions with words
# moved. Four are ours: [minimal pairs](../data/corpus/minimal-pairs.md), written to mislead (12 of 96 ungrammatical; without
# these more pass), [pairs for a try](../data/corpus/tried-pairs.md), [notices and messages](../data/corpus/everyday-pairs.md) and
# [free rewordings](../data/corpus/rewordings-en.md). One author wrote the first with its labels, a language model the other
# three. Nobody else confirmed the labels.
#
# We trained on no pair of the ten sets, but on other parts of PAWS-Wiki, APT and our free rewordings. The encoders had been
# trained on Quora's questions, from which PAWS-QQP is made.
#
# **Look for** what the promises cost. *Kept pairs found* is the share of kept pairs called *kept*. Then change `risk`.

# %%
chosen = {model: verdicts.thresholds(own, risk=risk) for model, own in rated.groupby("model", sort=False)}
print("; ".join(f"{model}: kept from {one.kept:.1f}, changed up to {one.changed:.1f}" for model, one in chosen.items()))
promised = verdicts.promise(rated, risk=risk)
together = [verdicts.pooled(rated, risk=risk)]
both = ["paws-qqp", "own-rewordings"]
for less, names in {"PAWS-QQP": both[:1], "our free rewordings": both[1:], "both of these": both}.items():
    rest = verdicts.pooled(rated[~rated["set"].isin(names)], risk=risk)
    together.append(rest[rest["row"] == "other sets"].assign(row=f"other sets without {less}"))
display(tables.beside(pd.concat(together), caption="Shares of pairs, sets together"))
every = promised.assign(row=promised["row"].map(challenge.title))
faulty = [at for at, pair in enumerate(challenge.read("minimal-pairs").pairs) if pair.kind == "agreement error"]
sound = rated[(rated["set"] == "minimal-pairs") & ~rated["pair"].isin(faulty)]
for model, own in sound.groupby("model", sort=False):
    own = verdicts.shares(own, chosen[model]).assign(model=model)
    every = pd.concat([every, own.assign(row="minimal pairs, ours, grammatical")])
every = tables.beside(every, caption="Shares of pairs")
called = [chosen[one.model].verdict(one.rating) for one in rated.itertuples()]
trusted = rated[pd.Series(called, rated.index) == "kept"]
trusted = trusted.groupby([trusted["set"].astype(str).map(challenge.title), "model"], sort=False)["label"]
trusted = trusted.agg(lambda labels: f"{(labels == 0).sum()} of {len(labels)}").unstack(fill_value="0 of 0")
trusted = trusted.rename_axis(index=None, columns=None)
tables.folded("Every set", every, tables.plain(trusted, "Changed pairs among those called kept, in our mix of labels"))

# %% [markdown]
# By the intervals, more than 5 % go wrong in the other sets: of the changed pairs (first column) with *same-meaning*, of the kept
# ones (second) with *same-meaning-base*. But the mix matters: without PAWS-QQP neither is shown with *same-meaning*, both with the
# larger metric; without PAWS-QQP and our free rewordings only the first is shown, with both metrics.
#
# Ratings unrelated to the labels would leave at least nine in ten *unsure*.
#
# A single set is promised nothing. The next table compares the metrics on the same pairs of each set. Above 0, more pass with the
# larger one; q is the corrected p-value.

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
# In PAWS-QQP the larger metric lets fewer changed pairs pass, but calls more kept ones *changed* (.17 against .01). In APT more pass.
#
# **Exercise 1 · predict, then run** · `13_stricter`
#
# Make both promises stricter: 1 % instead of 5 %. What grows: (a) the share of pairs that are
# *unsure*; (b) the share of changed pairs called *kept*; (c) neither?

# %%
allowed = (0.01, 0.02, 0.05, 0.1, 0.2)
prices = pd.concat([verdicts.pooled(rated, each).assign(promised=f"{each:.0%}") for each in allowed])
prices = prices[prices["column"].isin([verdicts.PASSED, "unsure"])]
called = prices["column"].replace(verdicts.PASSED, "pass as kept")
prices = prices.assign(row=prices["promised"], column=called + ", " + prices["row"])
columns = sorted(prices["column"].unique(), key=lambda name: "unsure" in name)
tables.beside(
    prices, columns=columns, caption="Changed pairs that pass as kept, and unsure pairs, by the risk of both promises"
)

# %% [markdown]
# In the sets that chose the thresholds, the share of changed pairs that pass stays within each risk. In the others each interval
# lies above the risk with *same-meaning*; with *same-meaning-base* each contains it, but lies below it at 20 %. Without PAWS-QQP
# all intervals contain the risk, except that of the larger one at 5 %, which lies above.
#
# **Exercise 2 · read a result** · `13_promise`
#
# A tool says *kept* for 10 % of your pairs, and promises that at most 5 % of changed pairs pass as kept. Somebody concludes: "So at
# most 5 % of the pairs that it calls *kept* are changed." Is that (a) right, (b) wrong, because that share depends on how many of
# your pairs are changed, or (c) wrong, because the share is 10 %?
#
# ## Verdicts by kind of change
#
# The *pairs for a try* are 36 free rewordings, and 24 small changes of other sentences. The lines above the table are about the
# larger set of *free rewordings*, and rank the 60 pairs: [AUC](../docs/glossary.md#auc) is how often a reworded pair gets a higher
# rating than a changed one; .5 is chance. **Look for** kinds of change that pass.

# %%
written = challenge.read("tried-pairs").pairs
mine = pd.DataFrame(written).sample(min(pairs, len(written)), random_state=0).sort_index()
checked = metrics.check_all(list(mine["source"]), list(mine["candidate"]), metric=metric, words=False)
mine["rating"] = [one.rating for one in checked]
own_sets = ("minimal-pairs", "tried-pairs", "everyday-pairs", "own-rewordings")
texts = {name: challenge.read(name).pairs for name in own_sets}
ours = rated[rated["set"].isin(texts)]
ours = ours.assign(verdict=[limits[one.model].verdict(one.rating) for one in ours.itertuples()])
ours["kind"] = [texts[one.set][one.pair].kind.removeprefix("changed ") for one in ours.itertuples()]
for name, own in ours[(ours["set"] == "own-rewordings") & (ours["kind"] == "same")].groupby("model", sort=False):
    shares = [estimates.text(stats.proportion(own["verdict"] == called)) for called in ("kept", "changed")]
    print(f"{name}, free rewordings: called kept {shares[0]}; called changed {shares[1]}")
for name, own in ours[ours["set"] == "tried-pairs"].groupby("model", sort=False):
    area = stats.roc_auc_interval(own["label"] == 1, own["rating"].to_numpy(float))
    print(f"{name}, pairs for a try: AUC {estimates.text(area)}")
joined = {"day": "time", "party": "roles", "speaker": "roles", "lost": "left out", "lost part": "left out"}
altered = ours[ours["label"] == 0].replace({"kind": joined}).assign(passes=lambda made: made["verdict"] == "kept")
rare = altered["kind"].map(altered["kind"].value_counts()) < 4 * len(limits)
altered["kind"] = altered["kind"].mask(rare, "other")
passed = altered.groupby(["kind", "model"], observed=True)["passes"]
passed = pd.Series({names: estimates.text(stats.proportion(each)) for names, each in passed}).unstack()
most = altered.groupby("kind")["passes"].mean().sort_values(ascending=False, kind="stable").index
tables.plain(passed.loc[most], "Changed pairs of our four sets that pass as kept, by kind of change")

# %% [markdown]
# Of 31 changes of tense, aspect or time 10 pass with *same-meaning* and 7 with *same-meaning-base*, of the other 282 changes 6 and
# 8; we formed this group after a look at the table. Most pairs in the rows of zeros are free rewordings. In all rows, of their 69
# small edits 4 and 1 pass, of the 151 others none and 1. Both intervals of the AUC lie above .5, that of the small metric barely.
#
# ## The worst ratings in forty pairs
#
# The forty *notices and messages* (19 reworded, 21 changed) are contracts, recipes and the like. Both metrics were trained on
# rewordings of such kinds of text.
#
# The table shows the four changed pairs that *same-meaning-base* rates highest, and the four reworded ones rated lowest. **Look
# for** what was changed.

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
# It even lets *the landlord shall pay* pass for *the tenant shall pay*.
#
# Of the 12 changed pairs here that differ in one or two words the larger one calls 10 *changed* and none *kept*; but of the
# grammatical minimal pairs, small edits too, .29 [.17, .44] pass (n = 42).
#
# ## Which words
#
# Each stretch in which two texts differ is a *place*: one word, or half of the sentence. It is tried in two ways:
#
# 1. Put this difference alone into a copy of the source. If it matters, the rating falls.
# 2. Take this difference alone out of the candidate. If it matters, the rating rises.
#
# The mean of the two is the *cost* of the place. A small network, the *head*, says of each word how likely it is damaged. Cost
# and head together decide which place comes first.
#
# The table has the changed pairs for a try with the highest ratings, and two free rewordings. *Likely kind* is a guess from lists of words. **Look
# at** whether you would name the same place first.

# %%
rater = metrics.load(metric)
lines = []
missed = ("Those opposed to the station's", "She sat through")  # two of our free rewordings, with one place damaged
missed = [one for one in texts["own-rewordings"] if one.candidate.startswith(missed)]
for one in pd.concat([mine[mine["label"] == 0].nlargest(examples, "rating"), pd.DataFrame(missed)]).itertuples():
    first, *_ = rater.changes(one.source, one.candidate)
    words = f"{first.was or '–'} → {first.became or '–'}"
    (rating,) = rater.ratings(rater([one.source], [one.candidate]))
    lines.append([one.source, one.candidate, f"{rating:.1f}", words, first.kind, f"{first.cost:.1f}"])
print(f"{metric}: kept from {limits[metric].kept:.1f}, changed up to {limits[metric].changed:.1f}")
tables.plain(
    pd.DataFrame(lines, columns=["source", "candidate", "rating", "first place", "likely kind", "cost"]),
    f"Changed pairs, {metric}, this run",
    index=False,
)

# %% [markdown]
# In the five pairs for a try that *same-meaning* rates highest, every place has words that changed the meaning: none can be missed.
# In the last two, misses of earlier weights, *station's* (for *stop's*) and *through* (for *out*) are the damage. The first is
# still missed, the second hit by nearly the whole candidate. A kind can be wrong: *is used to teaching* is a change of time, not
# *added*.
#
# ### How often is the first place the damaged one?
#
# Many rewordings were damaged in one place each:
#
# * [ParaBank](https://github.com/decompositional-semantics-initiative/ParaBank-Eval-Data), paraphrases by a machine that people rated
#   95 or higher; [PARADE](https://github.com/heyunh2015/PARADE_dataset), definitions of terms; and APT, by the rules that also made
#   most of the damage in the training;
# * our own free rewordings, by these rules, or by a language model one by one.
#
# The shares are from the metrics' cards; single pairs are not recorded. Neither metric was trained on these pairs, but on other
# parts of all sets but ParaBank. The goal, set before the measurement, was .80. *Longest place* is a rule without a model, *any
# place* a blind guess. **Look for** sets in which the rule does as well.

# %%
NAMED = {"Words, ParaBank of 95 or more": "ParaBank", "Words, APT": "APT", "Words, PARADE": "PARADE"}
NAMED |= {"Words, own rewordings": "ours, damaged by rules"}
NAMED |= {"Words, own rewordings by hand": "ours, damaged one by one"}
cards = pd.concat([verdicts.on_card(model) for model in limits])  # what each metric's card has measured
words = cards.assign(row=cards["row"].map(NAMED)).dropna(subset="row")
ways = {
    "the first place by cost and head together": "check",
    "the longest place": "longest place",
    "any place": "any place",
}
places = words.assign(column=words["column"].map(ways)).dropna(subset="column")
places = places.sort_values("column", key=lambda names: names.map([*ways.values()].index), kind="stable")

# %%
found_in = "share of pairs in which the damaged place is found"
title = "How often the damaged place comes first"
goal = 0.8, "goal .80"
figure = plots.dots(places, by="column", panels="model", grey="any place", xlabel=found_in, title=title, reference=goal)
said = "; ".join(f"{one.model}, {one.row}, {one.column}: {one.value:.2f}" for one in places.itertuples())
plots.show(figure, name="13_words", alt=f"{found_in.capitalize()}: {said}. A line marks .80.")
asked = {
    "cost and head above the longest place": "check minus longest place",
    "pairs with a damaged and an undamaged place": "pairs that count",
    "share of the candidate's words in the damaged place": "words in the damaged place",
}
about = words.assign(column=words["column"].map(asked)).dropna(subset="column")
of_model = about["column"] == asked["cost and head above the longest place"]
about["column"] += (", " + about["model"]).where(of_model, "")
about["text"] = [estimates.text(Estimate(*one)) for one in zip(*(about[key] for key in ("value", "low", "high", "n")))]
about = (
    about.drop_duplicates(["row", "column"]).pivot(index="row", columns="column", values="text").fillna("not measured")
)
about = about.loc[list(dict.fromkeys(places["row"]))].rename_axis(index=None, columns=None)
display(tables.plain(about[sorted(about)], "The check beside the longest place, and what could be counted"))
tables.folded("In numbers", tables.beside(places, caption=found_in.capitalize()))

# %% [markdown]
# **In the sets by other people the check is mostly ahead.** With *same-meaning-base* the intervals of its lead lie above 0 in all
# three sets, with *same-meaning* in ParaBank and PARADE; a blind guess finds .33 to .39.
#
# **In our own rewordings only the larger metric is shown to be ahead, and only if rules damaged them.** One by one, the longest
# place gets .81 [.72, .88], the check .72 [.61, .80] and .80 [.70, .87], n = 81; *same-meaning* is not shown to be behind: −.099
# [−.222, .012].
#
# The check reaches the goal in two of the five sets with *same-meaning* and in all with *same-meaning-base*. The interval lies
# above it in ParaBank and, with the larger metric, in all sets but ours one by one. No set is fresh: cost and head were combined
# after a look at ParaBank and APT, and all five were measured after earlier trainings.
#
# **Not every pair counts:** it needs a damaged and an undamaged place. Of our rewordings damaged one by one only .37 [.31, .43]
# can be counted, n = 220, mostly because the whole text is a single place. The damaged place has on average more than half of the
# candidate's words: a hit points to half of a sentence.
#
# ## A long text
#
# A pair that is too long for the model is divided into sentences, aligned in order. A sentence without a partner, even one left
# out on purpose, counts as *changed*. The part with the lowest rating decides the verdict. **Look at** which of four edits of a
# page are found: a rewording, a reversal, a divided sentence, an added one.

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
print(f"Chance that one or more of 20 parts are called changed, each with {verdicts.RISK:.0%}: {wrong:.2f}")
shorter = [metrics.check(story, story.replace(f"{one}. ", ""), metric=metric) for one in story.split(". ")[:-1]]
print("One of the three stories, without one of its sentences:", ", ".join(one.verdict for one in shorter))
others = pd.DataFrame([vars(part) for part in long.parts if part.verdict != "kept"])
display(tables.plain(others.round(1).astype(str), "Parts with another verdict than kept", index=False))
print("SummEdits, document against summary, balanced accuracy in %:")
for name in limits:
    one = estimates.estimate(cards, "SummEdits, document against summary", "balanced accuracy", model=name)
    print(f"{name}: {one.value:.0f} [{one.low:.0f}, {one.high:.0f}], {one.n} documents")

# %% [markdown]
# With *same-meaning*, the reversal and the added sentence are *changed*, the reworded sentence is *unsure*, and the divided one
# passes.
#
# **The promises are for one pair, not for a page.** If 5 % of the faithful parts are called *changed*, independently, a faithful
# page of 20 parts is called *changed* with a chance of .64. So read the parts, too.
#
# A shorter text is rated whole: a single story is *unsure*, whichever sentence is left out.
#
# **Whole documents against summaries: near chance.** In six of SummEdits' ten domains we rated each sentence of a summary
# beside the nearest places of its document, with a threshold from other documents. Balanced accuracy is 49 % [42, 56] with
# *same-meaning* and 54 % [47, 60] with *same-meaning-base* (300 pairs of 105 documents); chance is 50 %.
#
# ## Your own thresholds
#
# By the method, `calibrate` finds thresholds that keep both promises for pairs drawn like yours, with the same confidence. This
# was not tested here.
#
# ```python
# own = metrics.calibrate(sources, candidates, kept, metric="same-meaning")
# metrics.check(source, candidate, metric="same-meaning", thresholds=own)
# ```
#
# It needs at least 72 pairs of each label with different sources: even if none of 71 were wrong, we could not be 97.5 % sure that the
# rate is at most 5 %.
#
# The example uses the 250 rated pairs of this project, rated by its authors: 85 or more counts as *kept*, 60 or less as
# *changed*; the 49 between are left out, so the promise is for clear pairs only. Label all of yours.

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
made = []
for name, limit in {"from these pairs": own, "shipped": limits[metric]}.items():
    truth = ["kept" if one else "changed" for one in kept]
    verdict = [limit.verdict(one) for one in ratings]
    made.append(pd.DataFrame({"thresholds": name, "our rating says": truth, "verdict": verdict}))
made = pd.concat(made)
shown = pd.crosstab([made["thresholds"], made["our rating says"]], made["verdict"])
shown = shown.reindex(columns=["kept", "unsure", "changed"], fill_value=0).reset_index().rename_axis(columns=None)
tables.plain(shown, f"Verdicts of {metric}, {own.found}", index=False)

# %% [markdown]
# With so few pairs the method allows one changed pair to pass and no kept one to be called *changed*. So *same-meaning* leaves
# most pairs *unsure* and calls 3 of the 73 kept ones *kept*. The shipped thresholds decide more here, but are not shown to keep the
# promises: they call 7 of the 73 kept pairs *kept* and 1 *changed*, and 4 of the 128 changed ones pass. The same pairs chose the
# new thresholds: only fresh pairs can show what they are worth.
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
# * **Your texts.** The errors here are not those of your system. Label its output and calibrate.
# * **Simplified or shortened texts.** The ten sets have none by people. On compressions of news *same-meaning-base* ranks worse than
#   the small encoder's cosine ([card](../data/models/same-meaning-base-en/README.md)).
# * **Other languages.** All pairs are in English.
# * **Dependence.** The intervals treat pairs as independent, but some share their source, and many their author.
#
# ## Try it
#
# Each place is shown with its cost.


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
# With *same-meaning*, the first two stay *unsure*. The plain negation is barely *changed*: *not* comes first, but the harmless
# move of *in winter* costs much, too.
