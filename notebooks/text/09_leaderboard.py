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
# # 09 · The leaderboard: every measure on every test
#
# **Question.** Which measure notices which change of meaning, and which one should you take for your job?
#
# **What it rests on.** More than thirty tests, nearly all of them sets by other people with human labels or human-made edits, sorted
# into jobs. The score of every pair by every measure ships with the project; every number below is computed from these scores.
# Nearest public work: Babakov et al. (2022, ACL Student Research Workshop), who compared 57 measures on samples of 100 pairs,
# without intervals.
#
# **Afterwards you can** choose a measure for a job, say what it will not notice, and put a measure of your own on the board.
#
# **You need** what a [correlation](../docs/glossary.md#spearmans-correlation) and an
# [area under the ROC curve](../docs/glossary.md#auc) are;
# [05_meaningbert_sanity](05_meaningbert_sanity.ipynb) introduces the measures.
#
# **Time.** Seconds to run, half an hour to read.
#
# Previous: [08_paraphrase_evaluation](08_paraphrase_evaluation.ipynb) · Next: [10_csmd_audit](10_csmd_audit.ipynb)
#
# ## What we found
#
# **No measure is best at everything.** Most measures that agree with people on graded similarity are at chance, or below it, where
# an edit changes a word or two (counted below the table). The table says for each job which measures to take: those that no other
# measure is surely better than, the fastest first. It also says what the first of them will not notice, and where a high value is
# worth less than it looks.

# %%
import numpy as np
import pandas as pd
from IPython.display import display

from nbhelpers import leaderboard
from nbhelpers.base import plots, teaching
from nbhelpers.metrics import load
from nbhelpers.results import evidence, tables
from nbhelpers.results.estimates import estimate, short, with_interval

plots.theme()
found = evidence.load("board-scores")
board = leaderboard.Board(found)
tables.plain(leaderboard.jobs(board), "Recorded on the real sets; 95 % intervals resample sources", index=False)

# %% [markdown]
# *Surely better* means that the 95 % interval of the difference, drawn for all pairs of measures together, lies above 0; *surely above*
# a number, that the measure's own 95 % interval lies above it.
#
# *Reached* is the highest value among the measures that were not trained on such text: Spearman's ρ where people gave
# ratings (chance 0), else the share of comparisons that a measure gets right, ties one half (chance .5). Below chance means that a
# measure prefers the damaged text. *Will not notice* lists jobs in which the first measure is not surely better than chance.

# %%
best = board.columns[board.columns["best"]].groupby("row").size()
counting = [one for one in leaderboard.board.TRIVIAL if one in best]
first = board.order[0]
lowest = board.columns.set_index(["row", "column"])["low"]
agree = [name for name in board.measures if lowest.get((name, "similarity"), 0) > 0.3]
print(f"Of {len(agree)} measures with ρ surely above .3 on graded similarity, not surely above chance:", end=" ")
not_above = {one: sum(lowest.get((name, one), 1) <= 0.5 for name in agree) for one in ("negation", "facts", "order")}
print("; ".join(f"{leaderboard.ABILITIES[one].title}: {count}" for one, count in not_above.items()) + ".")
hours = sum(sum(run.settings["seconds"].values()) for run in evidence.runs("board-scores")) / 3600
print(f"{len(board.measures)} measures, {len(board.tests['column'].unique())} tests, {len(found):,} pairs,", end=" ")
print(f"scored in {hours:.1f} processor hours.")
print(f"In most best sets: {leaderboard.title(first)}, {best[first]} of {len(board.abilities)}.")
print(
    "Baselines that only count words are in", {leaderboard.title(one): int(best[one]) for one in counting}, "best sets."
)

plots.show(
    leaderboard.heat_map(board),
    name="09_board",
    alt=f"Measures by abilities, in colours from worse than chance to perfect. {leaderboard.title(first)} is in most best sets.",
)

# %% [markdown]
# Read the columns, not only the rows: what agrees with people on *graded similarity* can be at chance, or *below* it, on edits
# that change a word or two. A value in a box belongs to a measure that was trained on another part of that test, or on text from the same
# source; it has no rank there. The two grey rows at the bottom are not measures. They are regressions that see only one of the two texts (its length, and how rare
# its words are) and learned from the labels of other sources: what they reach is not meaning. Jobs in which five measures or more reach .98 are left out of the figure. A dash: not scored, so the row cannot be in that best set.

# %% tags=["parameters"]
real = False  # whether to score the sets of NBHELPERS_DATA in this run; otherwise this project's own pairs stand in
measures = "fast"  # names with commas, such as "bleu,sentence-transformer", or "fast": those that count words
most = 0  # pairs of each test, for slow measures; 0: all
draws = 1000  # random draws behind the simultaneous ranks
seed = 0  # of draws

# %% [markdown]
# ## Four pairs, five measures
#
# Before any table, look at pairs. Two keep the meaning in other words, two change it with one word or by moving words.
# Which measures rate the first two above the last two? Guess first: which of the four pairs will MeaningBERT rate highest?

# %%
pairs = {
    "kept: synonyms": (
        "The doctor purchased a large house near the coast.",
        "The physician bought a big home by the sea.",
    ),
    "kept: passive": ("The storm destroyed the old bridge.", "The old bridge was destroyed by the storm."),
    "changed: antonym": ("The water here is safe to drink.", "The water here is unsafe to drink."),
    "changed: roles": ("The lawyer accused the witness of lying.", "The witness accused the lawyer of lying."),
}
shown = ("token-f1", "chrf", "word-vectors", "sentence-transformer", "meaningbert")
values = {load(name).title: load(name).ratings(load(name)(*zip(*pairs.values()))) for name in shown}
tables.plain(pd.DataFrame(values, index=list(pairs)).round(0).astype(int))

# %% [markdown]
# All on a scale of 0 to 100. None of the five puts both kept pairs above both changed ones, since the changed ones share nearly
# all their words. That is why a leaderboard needs more than one column: each column holds edits of another kind.
#
# ## The tests
#
# Each test holds pairs with labels of one kind: ratings, kept or changed, or *which of these is best*. Where a set has several kinds
# of edits, each kind gets its own number and the mean is taken. *Decides* marks the tests that make the value of a column:
# those whose source the fewest measures were trained on.

# %%
decides = {test for ability in board.abilities for test in board.judged(ability)}
rows = []
for ability, tests in board.abilities.items():
    for test in tests:
        own = board.tests[(board.tests["column"] == test) & board.tests["row"].isin(board.measures)]
        trained = dict.fromkeys(what for seen in own["seen"] for what in seen.split("; ") if what)
        pairs_of = f"{own['n'].max():,}" + (f" ({own['n'].min():,})" if own["n"].min() < own["n"].max() else "")
        rows.append((leaderboard.ABILITIES[ability].title, test, pairs_of, own["groups"].max()))
        rows[-1] += ("yes" if test in decides else "", "; ".join(trained))
heads = ["ability", "test", "pairs (fewest for a slow measure)", "sources", "decides", "some measures were trained on"]
tables.plain(pd.DataFrame(rows, columns=heads), index=False)

# %% [markdown]
# Several tests are made here from other people's texts. *Shorter sentences* compete with a **run** of as many words of the
# sentence: against scattered words every measure that likes whole phrases would win without knowing what matters. *Negated* sentences
# compete with a kept pair of nearly the same length and overlap. *Noisy copies* (case, blanks, exchanged letters, no
# punctuation) compete with what people damaged. *Damaged paraphrases* are good paraphrases with one word reversed, another
# number or a *not*.
#
# **Exercise 1 · predict, then run** · `09_sanity`
#
# *Sanity* asks whether a copy gets more than an unrelated text. What does a score of 1.00 there tell you about the other
# columns: (a) that the measure is good on them, too; (b) next to nothing; (c) that it can notice small edits?
#
# **Exercise 2 · write code** · `09_wins`
#
# Candidates compete: one keeps the meaning, the others do not. Write the share of comparisons that the right one wins. A tie
# counts one half, so that a measure that gives every text the same value gets .5 and not 1. `right` is a number, `others` a list:
# `wins(1.0, [2.0, 0.5])` is 0.5.


# %%
def wins(right, others): ...


teaching.check("09_wins", wins)

# %% [markdown]
# ## This run
#
# The same function scores pairs here, and the same class makes a board of them. Values are kept in files part by part: a run
# that was stopped goes on where it was. Without real data, rated pairs of this project stand in, sorted by their kind of edit. They
# are few: they show how the board is made, and decide nothing.

# %%
tasks = [task for some in leaderboard.tests(real=real).values() for task in some]
here = leaderboard.Board(leaderboard.scored(tasks, leaderboard.chosen(measures), most), draws, seed)
ability, some = "similarity", ["token-f1", "chrf", "meteor", "rouge2-f1", "length-ratio"]
table = pd.DataFrame(index=[leaderboard.title(name) for name in some])
for name, one in {"recorded": board, "this run": here}.items():
    cells = [estimate(one.columns, row, ability) for row in some]
    table[f"{name}: {', '.join(one.judged(ability))}"] = [f"{with_interval(c.value, c.low, c.high)}" for c in cells]
    table[f"{name}: pairs"] = [f"{c.n:,}" for c in cells]
main = [estimate(one.columns, "chrf", ability) for one in (board, here)]
tables.headline(
    "chrF and people's ratings of similarity, Spearman's rho", *main, of="real sets", model=tasks[0].title[:9]
)
tables.plain(table, leaderboard.ABILITIES[ability].title)

# %% [markdown]
# Change one line: another ability, other measures, `found[found["candidate words"] > 25]` for long sentences only.
#
# The interval treats a *source* with all its candidates as one draw: several edits of one sentence are not independent, and counting
# them as such would make intervals too narrow.
#
# **Exercise 3 · write code** · `09_resample`
#
# `groups[i]` is the source of pair i, `drawn` a list of sources drawn with repetition. Return the places of the pairs
# of the resample: all pairs of a source, as often as it was drawn, in the order of `drawn`. `resample(["a", "a", "b"], ["b", "a"])`
# is `[2, 0, 1]`.


# %%
def resample(groups, drawn): ...


teaching.check("09_resample", resample)

# %% [markdown]
# ## Places, all at once
#
# A single rank with its own interval is too sure of itself: among thirty measures some look good by luck. Here the limits are drawn
# for all pairs of measures together, so that with 95 % no place in the whole column is wrong (Mogstad et al. 2024). Bars that overlap are
# measures whose order you should not quote. Change `ability` for another job.
#
# **Picking the winner adds something of its own**, too: whoever takes the best of many and reports its value on the same data reports
# too much. So choose on one half of the sources, and look at the other half (table below the figure): the difference is what the choice
# itself added.

# %%
ability = "facts" if "facts" in board.abilities else next(iter(board.abilities))
ranks = pd.DataFrame(board.ranks(ability), index=["low", "high"]).T.sort_values(["low", "high"])
ranked = pd.DataFrame({"row": map(leaderboard.title, ranks.index), "value": (ranks["low"] + ranks["high"]).values / 2})
ranked = ranked.assign(low=ranks["low"].values, high=ranks["high"].values, n=np.nan, published=np.nan)
trivial = [leaderboard.title(name) for name in leaderboard.board.TRIVIAL]
figure = plots.forest(
    ranked, xlabel="place, 1 is best", title=f"{leaderboard.ABILITIES[ability].title}: possible places", grey=trivial
)
width = (ranks["high"] - ranks["low"]).median() + 1
plots.show(
    figure, name="09_ranks", alt=f"Possible places of {len(ranks)} measures; the median bar holds {width:.0f} places."
)
widths = {one: np.median([b - a + 1 for a, b in board.ranks(one).values()]) for one in board.abilities}
edits = ("order", "negation", "logic", "facts", "inside", "noise")
print("Median number of possible places:", {leaderboard.ABILITIES[one].title: int(widths[one]) for one in widths})
print(
    f"Median over the {len(edits)} jobs that edits test: {np.median([widths[one] for one in edits if one in widths]):g}"
)

picked = board.winners()
picked["ability"] = [leaderboard.ABILITIES[one].title for one in picked["ability"]]
picked["best"] = picked["best"].map(leaderboard.title)
for column in ("value", "other half", "same"):
    picked[column] = picked[column].map(short)
tables.plain(picked, "The best measure of each job; same: how often the other half has the same winner", index=False)

# %% [markdown]
# ## Choosing for several jobs, with a condition
#
# Suppose texts are checked for wrong facts, the output is freely worded, and the licence must allow everything. Change the
# jobs (keys of `leaderboard.ABILITIES`), the licence or the speed. Values in brackets belong to measures that were
# trained on such text. The same on the command line: `python -m nbhelpers board --measures --ability facts --licence Apache --fast 5`.


# %%
def shortlist(jobs, licence, pairs_a_second):
    wanted = [one.strip() for one in jobs.split(",")]
    chosen = leaderboard.choose(board, wanted, licence=licence.strip("-"), pairs_a_second=pairs_a_second)
    display(tables.plain(chosen.head(10), index=False))


fields = {
    "Jobs": "facts, inside, noise",
    "Licence": ["Apache", "CC BY", "-"],
    "Pairs a second": (5.0, 0.0, 1000.0, 5.0),
}
teaching.try_it(shortlist, fields)

# %% [markdown]
# **Exercise 4 · read a result** · `09_sample`
#
# A measure has .71 [.68, .74] in a column, another .69 [.61, .77] on a sample of it. What do you write: (a) the first one is
# better; (b) they are equally good; (c) neither follows?
#
# ## How well do people agree?
#
# Several people rated each paraphrase of ParaBank. One half of them is the measure of the other half; each measure is held against
# the *same* half, so that like is compared with like. From the two halves follows how well two whole panels would agree
# (Spearman 1910, Brown 1910). The last column is a measure's ρ with the whole panel as a share of that: 1 means as good as asking
# other people.
#
# The second table: a ρ over all pairs mixes two things, which *sentences* are hard and which *candidate* of one sentence is
# better. Who compares systems needs the second. Of two candidates for one source, how often does a measure order them as people
# do? A difference below a threshold counts as a tie, which is right where people tie; the threshold is chosen on other sources
# (Deutsch et al. 2023).

# %%
rated = found[found["test"] == "parabank"]
some = [name for name in board.order if rated[name].notna().any()][:10]
rows = [
    (leaderboard.title(name), with_interval(half.value, half.low, half.high), f"{half.n:,}")
    + ("1" if name == "people" else with_interval(share.value, share.low, share.high),)
    for name, (half, share) in leaderboard.people(rated, some).items()
]
heads = ["", "ρ with one half of the people", "pairs", "ρ with all, as a share of people's"]
display(tables.plain(pd.DataFrame(rows, columns=heads), "ParaBank", index=False))
within = {}
for test in ("parabank", "realsumm", "summeval"):
    own = found[found["test"] == test]
    values = leaderboard.within(own, [name for name in some if own[name].notna().any()])
    within[test] = {
        leaderboard.title(name): with_interval(one.value, one.low, one.high) for name, one in values.items()
    }
tables.plain(pd.DataFrame(within).fillna("–"), "Candidates of one source in people's order")

# %% [markdown]
# ## Do measures rank *systems* as people do?
#
# REALSumm and SummEval have the same summarisers on every document. Soft pairwise accuracy (Thompson et al. 2024) compares, for each pair
# of systems, how sure people and the measure are that the first one is better; 1 is perfect agreement.

# %%
soft = {}
for test in ("realsumm", "summeval"):
    own = found[found["test"] == test]
    soft[test] = leaderboard.systems(own, [name for name in board.order if own[name].notna().all()])
order = sorted(soft["realsumm"], key=lambda name: -soft["realsumm"][name].value)[:12]
shown = {
    test: [with_interval(one.value, one.low, one.high) for one in map(values.get, order)]
    for test, values in soft.items()
}
table = pd.DataFrame(shown, index=map(leaderboard.title, order))
tables.plain(table, "Soft pairwise accuracy over systems, by the first reference; 100 documents each")

# %% [markdown]
# ## What each measure is
#
# Two names deserve care. *BERTScore* here is the authors' matching on a small sentence encoder, whose last layer was not tuned for
# it. *MeaningBERT* is this project's training of the study's recipe. Pairs a second are for one core, by the registry.
# The second table has measures that are not on the board, and how to add them: `python -m nbhelpers board --metric
# my_module:my_metric` scores any measure on all tests, prints its place in every column and writes a file to send in (see
# [CONTRIBUTING](../CONTRIBUTING.md#put-a-measure-on-the-board)).

# %%
display(tables.plain(leaderboard.about(board.order), "On the board", index=False))
scored = {name: text for run in evidence.runs("board-scores") for name, text in run.settings["signatures"].items()}
for name in ("meaningbert", "same-meaning"):
    if load(name).signature != scored[name]:
        print(
            f"{leaderboard.title(name)} was scored with another version of its weights than the one that ships: {scored[name]}"
        )
tables.plain(leaderboard.missing(board), "Not on the board", index=False)

# %% [markdown]
# ## What could be wrong
#
# * **Measures with a model score samples** (see *the tests*), whole items drawn at random; those that count words score
#   every pair. Two measures are compared on the pairs that both scored, so a sample costs width, not fairness.
# * **Entailment has a direction.** ScoNe and MED ask what follows; a symmetric measure gets .5 by construction where both
#   directions are asked.
# * **What encoders were trained on** is taken from their cards (Flickr, Quora, Yahoo, SNLI, Simple Wikipedia, Google's
#   compressions). It costs them their rank where they may deserve one: for simplification and shortening there is no test left
#   that they have not met in some form.
# * **Negated sentences** of NaN-NLI and the GLUE diagnostic have no kept pairs of their own; their rivals come from the STS
#   benchmark, like them in length and overlap, not in subject. Measures that know the benchmark are marked there, and SemAntoNeg
#   decides the column.
# * **Trained models change.** A row belongs to the weights that the evidence names; where others ship by now, the cell above
#   says so.
# * **SemAntoNeg is a trap.** The candidate that keeps the meaning is the one with the fewest common words, so whatever counts
#   words loses nearly every time. It shows who can be fooled, not how often that happens in a text.
# * **Made damage, made noise.** *Same meaning* was trained on noise and damage of the same kinds, made in other texts by
#   other rules. That is not a leak, but it is practice.
# * **BUMP's articles** are cut to the three sentences nearest to both summaries, since few measures take a whole article.
# * **Left out:** ETPC, whose pairs are MSRP's with other labels; APT's people, who are the *adversarial* set; STS by year,
#   on which *Same meaning* is trained. Pyramid questions have one set only; for licence reasons their scores ship as sums
#   by topic.
# * **A source with unusual texts** counts as much as any other; a mean over tests depends on which tests there are.
#
# **Exercise 5 · open question** · `09_job`
#
# Describe a job for such a measure, choose one by the board, and say what it will not notice.
#
# ## Try it
#
# Type two sentences: what do the fast measures say, from 0 (another meaning) to 100 (the same)?


# %%
def rate(source, candidate):
    rated = [load(name) for name in ("token-f1", "chrf", "word-vectors", "sentence-transformer", "meaningbert")]
    for metric in rated:
        print(f"{metric.title:24}{metric.ratings(metric([source], [candidate]))[0]:6.0f}")


ferry = "The ferry sails at noon unless the wind is strong."
examples = [
    (ferry, "Unless it is windy, the boat leaves at twelve."),
    (ferry, "The ferry does not sail at noon."),
    ("The lawyer accused the witness.", "The witness accused the lawyer."),
]
teaching.try_it(rate, {"Source": ferry, "Candidate": examples[0][1]}, examples=examples)
