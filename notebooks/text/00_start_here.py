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
# # 00 · Start here
#
# **Does an edited, shortened or reworded text still mean the same?** Five published studies ask it in five ways. This
# collection rebuilds them on data that ships with it and on real data, and says of every claim whether it holds.
#
# ## What we found
#
# **No measure here answers it for every kind of edit.** Measures that agree with people on how similar two sentences are can be
# at chance on edits of a word or two ([09](09_leaderboard.ipynb)). Of the papers' claims less than a third hold. About as many
# are contradicted, and the largest group cannot be decided.
#
# For each claim one recorded number decides, such as the difference of two measures. If its whole 95 %
# [interval](../docs/glossary.md#confidence-interval) lies on the claimed side, the claim *holds*; if it lies on the other
# side, the claim is *contradicted*; if the interval contains both answers, they *cannot be told apart* with so few data. For a
# claim that is *not tested*, data or a model is missing here. A claim about a single example has no interval and is judged by
# its value. The number comes from real data where the claim allows it, otherwise from the paper's own sentences or from pairs
# written for this project.

# %%
from matplotlib import pyplot as plt

from nbhelpers.base import plots, teaching
from nbhelpers.results import claims

plots.theme()
counts = claims.counts()
figure, axes = plt.subplots(figsize=(8, 3.4))
left = 0 * counts.iloc[:, 0]
for verdict, colour in zip(counts, (plots.PALETTE[2], plots.PALETTE[1], "0.75", "0.92")):
    bars = axes.barh(counts.index, counts[verdict], left=left, color=colour, label=verdict)
    axes.bar_label(bars, [number or "" for number in counts[verdict]], label_type="center")
    left = left + counts[verdict]
axes.invert_yaxis()
axes.grid(False)
axes.set(
    xticks=range(0, 21, 5), xlabel="claims", title=f"{counts['holds'].sum()} of {counts.to_numpy().sum()} claims hold"
)
axes.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.42, -0.2))
said = "; ".join(f"{verdict} {number}" for verdict, number in counts.sum().items())
plots.show(figure, name="00_claims", alt=f"Verdicts on {counts.to_numpy().sum()} claims of five papers: {said}.")

# %% [markdown]
# Each bar is one study: *ndd* (notebooks 01 to 04), *meaningbert* (05 and 10), *pyramid* (06), *ordering* (07) and
# *paraphrase* (08 and 11). The numbers in the bars count claims.
#
# | Afterwards you can | You need | Time | Next |
# |---|---|---|---|
# | say what was found, find the notebook for your question, and run it on small or real data | Python; no network, no GPU | a minute to run, a quarter of an hour to read | [01 Divergence, case by case](01_ndd_cases.ipynb) |

# %% tags=["parameters"]
original = "The council will open the new library in the spring."  # the sentence of the first example
edited = "The council will close the new library in the spring."  # the same sentence after an edit

# %% [markdown]
# ## A first result
#
# A [masked language model](../docs/glossary.md#masked-language-model) fills gaps. The idea of the first study: if an edit
# changes what a sentence says, the model expects other words in the places *around* the edit.
# [NDD](../docs/glossary.md#ndd), the neighboring distribution divergence, adds up how much its expectations move (in
# [nats](../docs/glossary.md#nat)).
#
# In the table below, *divergence* says how much the expectations in a word's place move (the text says: how much the word
# moves), and *weight* falls with the distance from the edit. NDD is the sum of weight times divergence.
#
# **Exercise 1 · predict, then run** · `00_moved`
#
# *open* becomes *close*. Which word will move most: (a) the last one, since the sentence ends differently; (b) one near the
# edit; (c) all about equally? Answer in a cell of your own, for instance `teaching.check("00_moved", "b")`.

# %%
import pandas as pd

from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import ndd, split_words

lm = MaskedLM()
result = ndd(lm, split_words(original), split_words(edited))
print(f"{original}\n{edited}\nNDD {result.value:.2f} nats over {len(result.neighbours)} unedited words")
shown = pd.DataFrame([vars(neighbour) for neighbour in result.neighbours]).drop(
    columns=["original_index", "edited_index"]
)
shown.style.hide(axis="index").format(precision=2)

# %% [markdown]
# The word just before the edit, *will*, moves by far the most. The word just after it, *the*, moves less than
# *library*, three words away. One sentence proves nothing. Whether such a number says anything about meaning is the
# question of the notebooks.
#
# ## The notebooks
#
# Read them in any order after 01, which explains the measure that 02, 03, 04 and 12 build on. *Real data* names the data sets
# that a run on real data reads. The last column says how many of them are on this machine; none is needed to begin.

# %%
from nbhelpers.resources import data
from nbhelpers.runner import parameters
from nbhelpers.runner.checks import is_here

rows = []
for name, entry in parameters.load_registry().items():
    wanted = [need for need in entry.needs if need not in data.registry() or data.registry()[need].kind != "model"]
    here = sum(is_here(need) for need in wanted)
    link = f'<a href="{name}.ipynb">{name}</a>'
    on_machine = f"{here} of {len(wanted)}" if wanted else "nothing needed"
    rows.append((link, entry.title, entry.source, ", ".join(wanted), on_machine))
shown = pd.DataFrame(rows, columns=["notebook", "about", "rebuilds", "real data", "here"])
shown.style.hide(axis="index").set_properties(**{"text-align": "left", "vertical-align": "top"})

# %% [markdown]
# To use a real data set, put it into a folder and name the folder in the environment variable `NBHELPERS_DATA`. Without
# it, a notebook tries the installed packages, the user cache and the official source (not if `NBHELPERS_OFFLINE` is
# set), and then takes the small set that ships with the project. It prints which one it took.
#
# ## Every claim, with the number that decides
#
# The table is long and scrolls: look up the study that interests you. *Ours* is the number that decides, with its 95 %
# interval and *n*, the number of items. A claim that is contradicted here is not refuted for good: read the caveat in the
# last column. Other collections stand in for those that need a licence, and one exception is enough against a claim about
# *all* measures.

# %%
shown = claims.table().style.hide(axis="index").set_properties(**{"text-align": "left", "vertical-align": "top"})
shown.set_table_attributes('style="display: block; max-height: 36em; overflow: auto"')  # a table that scrolls

# %% [markdown]
# ## How numbers are kept
#
# * **The papers' tables** are CSV files in `data/published`; `published.value(table, row, column)` reads one cell.
# * **The ledger** holds every recorded number with its interval, number of items, the paper's value and a *signature*
#   that says how it was made. `tables.show(study, table)` shows a table in the paper's layout.
# * **Every headline number has an interval and a baseline, except single examples.** Read the interval first.
#
# The table counts the numbers in the ledger by study and profile: *quick* is the data that ships, *full* the real data.

# %%
from nbhelpers.results import ledger, published

cell = published.value("ndd/table1", "I am walking in the hot rain.", "NDD")
print(f"One cell of the NDD paper's Table 1, where 'cold' becomes 'hot': NDD {cell}")
kept = ledger.read()
kept.pivot_table(index="study", columns="profile", values="row", aggfunc="count").fillna(0).astype(int)

# %% [markdown]
# ## From the quick profile to the real thing
#
# A profile is a set of parameter values, and the code is the same in all of them. `quick` uses what ships with the
# project, and a notebook then takes a minute or two on two processor cores. `full` uses real data with models that ship or come through pip. `paper` uses the papers' models and sizes.
#
# ```
# make run                                                    every notebook, quick profile
# make lab                                                    JupyterLab
# python -m nbhelpers run --list                              the parameters of every notebook
# python -m nbhelpers run --only 01 -p model=bert-base-cased  one notebook, one parameter changed
# NBHELPERS_DATA=~/corpora python -m nbhelpers run --profile full
# ```
#
# A parameter that no notebook knows is an error, and so is one of the wrong type.
#
# ## Exercises
#
# Every notebook has four to six, each right after its idea. Answer one with letters in a cell of your own, for instance
# `teaching.check("00_verdict", "a")`. Below each function that you write, a check says what it gets wrong.
# `teaching.hint(1)` gives a first hint for the exercise checked last. `make course` writes versions of all notebooks with a place for each answer.
#
# **Exercise 2 · read a result** · `00_verdict`
#
# The difference of two systems is 0.8 with the 95 % [interval](../docs/glossary.md#confidence-interval) [−0.4, 2.0]; the
# paper claims a gain. The claim (a) holds, since the number is above 0; (b) is contradicted; (c) cannot be decided.
#
# **Exercise 3 · open question** · `00_one_sentence`
#
# One sentence proves nothing. What would you need before you believe that NDD measures meaning?
#
# **Exercise 4 · write code** · `00_mean`
#
# Write the mean of a list of numbers. It shows how the check works.


# %%
def mean(values): ...


teaching.check("00_mean", mean)

# %% [markdown]
# ## Try it
#
# Type a sentence and an edit of it: how much do the model's expectations move? Enter, or the button, runs it.


# %%
def compare(first, second):
    before, after = split_words(first), split_words(second)
    found = ndd(lm, before, after)
    print(f"NDD {found.value:.2f} nats over {len(found.neighbours)} unedited words")
    if unknown := lm.unknown(before + after):
        print("The model does not know, and cannot tell apart:", ", ".join(unknown))


examples = [
    (original, edited),
    ("The ferry sails at noon.", "The boat sails at noon."),
    ("The ferry sails at noon.", "The ferry sails at night."),
]
teaching.try_it(compare, {"Sentence": original, "After the edit": edited}, examples=examples)
