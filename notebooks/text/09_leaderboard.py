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
# **Question.** Which measure of meaning should you take for your job, and what will it not notice?
#
# ## What we found
#
# **No measure is best at everything: choose by the job.** A table below names for each job the measures to take.
#
# **Grading similarity and noticing an error are two skills.** Most measures that agree with people on how similar two sentences
# are do no better than chance, or worse, when an antonym, a *not* or another fact is put into a copy. Worse than chance means
# that they prefer the damaged text: it has more words in common with the source than a good rewording has.
#
# **What does notice such errors was trained for it.** On the jobs of the figure the highest values are mostly those of *Same
# meaning, base*. It is this project's own, learned from damage of the same kinds in other texts, and is slow. Where it was
# trained on text from the same source as a test it is left out.
#
# **For most jobs several measures cannot be told apart** by these tests; then the fastest will do.

# %%
from nbhelpers import leaderboard
from nbhelpers.base import plots
from nbhelpers.results import evidence

plots.theme()
found = evidence.load("board-scores")  # one line for each pair, with its score by every measure
board = leaderboard.Board(found)
EDITS = ("negation", "facts", "order", "logic", "inside", "noise")  # jobs that edits test: chance is .5
FOUR = ("rouge1-f1", "bertscore-f1", "sentence-transformer", "same-meaning-base")
titles = {name: one.title for name, one in leaderboard.ABILITIES.items()}
cells = board.columns[board.columns["row"].isin(FOUR) & board.columns["column"].isin(EDITS)]
cells = cells[cells["seen"] == ""].assign(measure=cells["row"].map(leaderboard.title), row=cells["column"].map(titles))
figure = plots.dots(
    cells.sort_values("column", key=lambda names: names.map(EDITS.index), kind="stable"),
    by="measure",
    xlabel="share of comparisons in which the good text gets the higher score",
    title="Usual measures miss a 'not' or a wrong fact",
    reference=(0.5, "chance"),
)
said = "; ".join(f"{one.row}, {one.measure} {one.value:.2f}" for one in cells.itertuples())
plots.show(figure, name="09_edits", alt=f"Share of comparisons won by four measures, with intervals: {said}.")
lowest = board.columns.set_index(["row", "column"])["low"]
agree = [name for name in board.measures if lowest.get((name, "similarity"), 0) > 0.3]
missed = [f"{titles[one]}: {sum(lowest.get((name, one), 1) <= 0.5 for name in agree)}" for one in EDITS[:3]]
print(f"{len(agree)} measures have a rank correlation clearly above .3 on graded similarity.")
print(f"How many of them are not clearly above chance: {'; '.join(missed)}.")

# %% [markdown]
# **The figure.** A row is a job; each mark says how often a measure rates the good text above the bad one, with a 95 % interval;
# n counts pairs, fewer for a slow measure. In the last row the good text is a copy with slips, which a measure should forgive. A
# mark is missing where the measure was trained on such text.
#
# **What it rests on.** More than thirty tests, nearly all of them sets by other people with human labels or human-made edits. The
# score of every pair by every measure ships with the project, and every number below is computed from these scores. The nearest
# public work, Babakov et al. (2022, ACL Student Research Workshop), compares 57 measures on samples of 100 pairs, without
# intervals.
#
# | | |
# |---|---|
# | **Afterwards you can** | choose a measure for a job, say what it will not notice, and put a measure of your own on the board |
# | **You need** | [correlation](../docs/glossary.md#spearmans-correlation), [area under the ROC curve](../docs/glossary.md#auc), and [05_meaningbert_sanity](05_meaningbert_sanity.ipynb) for the measures |
# | **Time** | half a minute to run, half an hour to read |
# | **Before and after** | [08_paraphrase_evaluation](08_paraphrase_evaluation.ipynb) · [10_csmd_audit](10_csmd_audit.ipynb) |
#
# ## Which measure for which job
#
# *Take* lists the measures that no other one is clearly better than, the fastest first. *Reached* is the highest value among
# measures that were not trained on such text: Spearman's ρ where people gave ratings (chance 0), else the share of comparisons
# that a measure gets right (chance .5). *Beware* says where a value is worth less than it looks.

# %%
import numpy as np
import pandas as pd
from IPython.display import display

from nbhelpers.base import teaching
from nbhelpers.metrics import load
from nbhelpers.results import tables
from nbhelpers.results.estimates import estimate, short, with_interval

jobs = leaderboard.jobs(board, most=2)
useful = [not board.saturated(one) for one in board.abilities]
short_list = jobs.loc[useful, ["job", "take, the fastest first", "reached", "chance", "beware"]]
display(tables.plain(short_list, "Which measure for which job; 95 % intervals resample sources", index=False))
tables.folded(
    "All jobs, with the number of pairs and what the first measure will not notice",
    tables.plain(leaderboard.jobs(board), index=False),
)

# %% [markdown]
# *Clearly better* means that the 95 % interval of the difference, drawn for all pairs of measures together, lies above 0. *Clearly
# above* a number means that the measure's own 95 % interval lies above it.
#
# ## The whole board
#
# One row for each measure, one column for each job. **Look down a column, not only along a row:** what agrees with people on
# *graded similarity* can be orange, worse than chance, a few columns further on.
#
# * A value in a box belongs to a measure that was trained on another part of that test, or on text from the same source. It has no
#   rank there.
# * The two grey rows at the bottom are not measures but regressions that see only one of the two texts: its length, and how rare
#   its words are. They learned from the labels of other sources. What they reach is not meaning.
# * A dash: not scored, so that row cannot be among the best.
# * Jobs in which five measures or more reach .98 are left out; they are in the folded table.

# %%
best = board.columns[board.columns["best"]].groupby("row").size()
first = board.order[0]
plots.show(
    leaderboard.heat_map(board),
    name="09_board",
    alt=f"Measures by abilities, in colours from worse than chance to perfect. {leaderboard.title(first)} is in most best sets.",
)
hours = sum(sum(run.settings["seconds"].values()) for run in evidence.runs("board-scores")) / 3600
print(f"{len(board.measures)} measures, {len(board.tests['column'].unique())} tests, {len(found):,} pairs,", end=" ")
print(f"scored in {hours:.1f} processor hours.")
print(f"Most often among the best: {leaderboard.title(first)}, in {best[first]} of {len(board.abilities)} jobs.")
counting = [f"{leaderboard.title(one)} {best[one]}" for one in leaderboard.board.TRIVIAL if one in best]
print(f"Baselines that only count words, in how many jobs they are among the best: {', '.join(counting)}.")

# %% tags=["parameters"]
real = False  # whether to score the sets of NBHELPERS_DATA in this run; otherwise this project's own pairs stand in
measures = "fast"  # names with commas, such as "bleu,sentence-transformer", or "fast": those that count words
most = 0  # pairs of each test, for slow measures; 0: all
draws = 1000  # random draws behind the simultaneous ranks
seed = 0  # of draws

# %% [markdown]
# ## Four pairs, five measures
#
# Why do good measures fail at small edits? Four pairs show it. Two keep the meaning in other words; two change it, with one word
# or by moving words. Which measures rate the first two above the last two? Guess first which of the four pairs MeaningBERT rates
# highest.

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
tables.plain(pd.DataFrame(values, index=list(pairs)).round(0).astype(int), "Four pairs, rated from 0 to 100")

# %% [markdown]
# None of the five puts both kept pairs above both changed ones, since the changed ones share nearly all their words. That is why a
# board needs more than one column: each column holds texts of another kind.
#
# ## The tests
#
# Each test holds pairs with labels of one kind: ratings, kept or changed, or *which of these is best*. Where a set has several
# kinds of edits, each kind gets its own number and the mean is taken. *Decides* marks the tests that make the value of a column:
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
counted = pd.DataFrame(rows, columns=heads)
print(
    f"{len(counted)} tests of {counted['ability'].nunique()} abilities; {(counted['decides'] == 'yes').sum()} decide."
)
tables.folded("All tests", tables.plain(counted, index=False))

# %% [markdown]
# Several tests are made here from other people's texts:
#
# * *Shorter sentences* compete with a **run** of as many words of the sentence. Against scattered words every measure that likes
#   whole phrases would win without knowing what matters.
# * *Negated* sentences compete with a kept pair of nearly the same length and overlap.
# * *Noisy copies* (case, blanks, exchanged letters, no punctuation) compete with what people damaged.
# * *Damaged paraphrases* are good paraphrases with one word reversed, another number or a *not*.
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
# The same function scores pairs here, and the same class makes a board of them. Values are kept in files part by part, so that a
# run that was stopped goes on where it was. Without real data, rated pairs of this project stand in, sorted by their kind of
# edit. They are few: they show how the board is made, and decide nothing.

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
# Change one line: another ability, other measures, or `found[found["candidate words"] > 25]` for long sentences only.
#
# The interval treats a *source* with all its candidates as one draw. Several edits of one sentence are not independent; to count
# them as if they were would make intervals too narrow.
#
# **Exercise 3 · write code** · `09_resample`
#
# `groups[i]` is the source of pair i, `drawn` a list of sources drawn with repetition. Return the places of the pairs of the
# resample: all pairs of a source, as often as it was drawn, in the order of `drawn`. `resample(["a", "a", "b"], ["b", "a"])` is
# `[2, 0, 1]`.


# %%
def resample(groups, drawn): ...


teaching.check("09_resample", resample)

# %% [markdown]
# ## Places, all at once
#
# A single rank with an interval of its own says too much: among thirty measures some look good by luck. Here the limits
# are drawn for all pairs of measures together, so that, in 95 of 100 samples, no place in the whole column is wrong (Mogstad et
# al. 2024). **Where two bars overlap, do not quote the order of the two measures.** Change `ability` for another job.
#
# Picking the winner adds something of its own: whoever takes the best of many and reports its value on the same data reports too
# much. So choose on one half of the sources, and look at the other half (folded table). The difference is what the choice itself
# added.

# %%
ability = "facts"
ranks = pd.DataFrame(board.ranks(ability), index=["low", "high"]).T.sort_values(["low", "high"])
ranked = ranks.assign(row=ranks.index.map(leaderboard.title), value=ranks.mean(axis=1), n=np.nan, published=np.nan)
figure = plots.forest(
    ranked.head(15),
    xlabel="possible places, 1 is best",
    title=f"{titles[ability]}: the first 15 of {len(ranked)} measures",
    grey=[leaderboard.title(name) for name in leaderboard.board.TRIVIAL],
)
width = (ranks["high"] - ranks["low"]).median() + 1
alt = f"Possible places of the first 15 measures of {len(ranks)}; the median bar of all holds {width:.0f} places."
plots.show(figure, name="09_ranks", alt=alt)
picked = board.winners()
widths = [np.median([high - low + 1 for low, high in board.ranks(one).values()]) for one in picked["ability"]]
edited = picked["ability"].isin(EDITS)
print(
    f"Median number of possible places in the {edited.sum()} jobs that edits test: {np.median(np.array(widths)[edited]):g}"
)
picked = picked.replace({"ability": titles}).assign(places=np.array(widths, dtype=int))
picked["best"] = picked["best"].map(leaderboard.title)
picked[["value", "other half", "same"]] = picked[["value", "other half", "same"]].map(short)
said = "same: share of splits with the same winner; places: possible places of a measure, median"
tables.folded("The best measure of each job, tried on another half", tables.plain(picked, said, index=False))

# %% [markdown]
# ## Choosing for several jobs, with a condition
#
# Suppose that freely worded texts are checked for wrong facts, and that the licence must allow everything. Change the jobs (keys
# of `leaderboard.ABILITIES`), the licence or the speed. A value in brackets belongs to a measure that was trained on such text.
# The same on the command line: `python -m nbhelpers board --measures --ability facts --licence Apache --fast 5`.


# %%
def shortlist(jobs, licence, pairs_a_second):
    wanted = [one.strip() for one in jobs.split(",")]
    chosen = leaderboard.choose(board, wanted, licence=licence.strip("-"), pairs_a_second=pairs_a_second)
    caption = f"Jobs: {jobs}; licence: {licence}; at least {pairs_a_second:g} pairs a second"
    display(tables.plain(chosen.head(10), caption, index=False))


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
# Several people rated each paraphrase of ParaBank. The ratings of one half of them are compared with those of the other half;
# each measure is held against the *same* half, so that like is compared with like. From the agreement of two halves follows how
# well two whole panels would agree (Spearman 1910, Brown 1910). The last column is a measure's ρ with the whole panel as a share
# of that: at 1 a measure would be as good as asking other people.
#
# The second table takes one source at a time. A ρ over all pairs mixes two questions: which *sentences* are hard, and which
# *candidate* of a sentence is better. To compare systems, you need the second. Of two candidates for one source, how often does a
# measure order them as people do? A difference below a threshold counts as a tie, which is right where people tie; the threshold
# is chosen on other sources (Deutsch et al. 2023).

# %%
rated = found[found["test"] == "parabank"]
some = [name for name in board.order if rated[name].notna().any()][:10]
rows = [
    (leaderboard.title(name), with_interval(half.value, half.low, half.high), f"{half.n:,}")
    + ("1" if name == "people" else with_interval(share.value, share.low, share.high),)
    for name, (half, share) in leaderboard.people(rated, some).items()
]
heads = ["", "ρ with one half of the people", "pairs", "ρ with all, as a share of people's"]
display(tables.plain(pd.DataFrame(rows, columns=heads), "ParaBank: agreement with people, 95 % intervals", index=False))
within = {}
for test in ("parabank", "realsumm", "summeval"):
    own = found[found["test"] == test]
    values = leaderboard.within(own, [name for name in some if own[name].notna().any()])
    within[test] = {
        leaderboard.title(name): with_interval(one.value, one.low, one.high) for name, one in values.items()
    }
tables.plain(
    pd.DataFrame(within).fillna("–"), "Share of two candidates of one source in people's order, 95 % intervals"
)

# %% [markdown]
# ## Do measures rank *systems* as people do?
#
# REALSumm and SummEval have the same summarisers on every document. Soft pairwise accuracy (Thompson et al. 2024) compares, for
# each pair of systems, how sure people are, and how sure the measure is, that the first one is better; 1 is perfect agreement.

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
# it. *MeaningBERT* is a model that this project trained by the paper's recipe.
#
# **Your own measure.** `python -m nbhelpers board --metric my_module:my_metric` scores any measure on all tests, prints its place
# in every column and writes a file to send in (see [CONTRIBUTING](../CONTRIBUTING.md#put-a-measure-on-the-board)). The second
# table has measures that are not on the board, and how to add them.

# %%
about = tables.plain(leaderboard.about(board.order), "Pairs a second: on one core", index=False)
display(tables.folded(f"On the board: {len(board.order)} measures", about))
scored = {name: text for run in evidence.runs("board-scores") for name, text in run.settings["signatures"].items()}
rounded = [
    name
    for run in evidence.runs("board-scores")
    for name, text in run.settings["signatures"].items()
    if "bfloat16" in text
]
for name in dict.fromkeys(rounded):
    print(f"{leaderboard.title(name)} was scored in bfloat16 on {rounded.count(name)} tests.")
for name in ("meaningbert", "same-meaning"):
    if load(name).signature != scored[name]:
        print(
            f"{leaderboard.title(name)} was scored with another version of its weights than the one that ships: {scored[name]}"
        )
tables.folded("Not on the board", tables.plain(leaderboard.missing(board), index=False))

# %% [markdown]
# ## What could be wrong
#
# * **Measures with a model score samples** (see *the tests*), whole items drawn at random; those that count words score
#   every pair. Two measures are compared on the pairs that both scored, so a sample costs width, not fairness.
# * **Entailment has a direction.** ScoNe and MED ask what follows from a sentence; a symmetric measure gets .5 by construction
#   where both directions are asked.
# * **What encoders were trained on** is taken from their cards (Flickr, Quora, Yahoo, SNLI, Simple Wikipedia, Google's
#   compressions). It costs them their rank where they may deserve one: for simplification and shortening no test is left that they
#   have not met in some form.
# * **Negated sentences** of NaN-NLI and the GLUE diagnostic have no kept pairs of their own; their rivals come from the STS
#   benchmark, like them in length and overlap, not in subject. Measures that know the benchmark are marked there, and SemAntoNeg
#   decides the column.
# * **Trained models change.** A row belongs to the weights that the evidence names; where others ship by now, the cell above
#   says so.
# * **Rounding.** A slow measure may have been scored in bfloat16; the cell above says which. On 48 pairs such ratings by *Same
#   meaning, base* differ from those in float32 by .12 of 100 on average, and by .56 at most.
# * **SemAntoNeg is a trap.** The candidate that keeps the meaning is the one with the fewest common words, so whatever counts
#   words loses nearly every time. It shows which measures can be fooled, not how often a text fools them.
# * **Made damage, made noise.** *Same meaning* was trained on noise and damage of the same kinds, made in other texts by
#   other rules. That is not a leak, but it is practice.
# * **BUMP's articles** are cut to the three sentences nearest to both summaries, since few measures take a whole article.
# * **Left out:** ETPC, whose pairs are MSRP's with other labels; APT's people, who are the *adversarial* set; STS by year,
#   on which *Same meaning* is trained. Pyramid questions have one set only; for licence reasons their scores ship as sums
#   by topic.
# * **A mean over tests** depends on which tests there are; a source with unusual texts counts as much as any other.
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
for one in examples[1:]:
    print(" → ".join(one))
    rate(*one)
print(" → ".join(examples[0]))
teaching.try_it(rate, {"Source": ferry, "Candidate": examples[0][1]}, examples=examples)
