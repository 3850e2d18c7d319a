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
# **Question.** *Does an edited, shortened or reworded text still mean the same?* Five published studies ask it in five
# ways; this collection rebuilds them and then goes past them.
#
# **Here** you check that everything runs, see what the notebooks can use, get a first result in three lines, and learn how
# every number in the collection is kept and how to scale it up.
#
# **You need** Python. No network, no GPU: everything in the quick profile ships with the project.
#
# **Run time.** A few seconds.
#
# Next: `01_ndd_cases`

# %% tags=["parameters"]
original = "The council will open the new library in the spring."  # the sentence of the first example
edited = "The council will close the new library in the spring."  # the same sentence after an edit

# %%
import platform
from importlib.metadata import version

import pandas as pd

from nbhelpers.base import teaching
from nbhelpers.resources import data
from nbhelpers.results import claims, ledger, published
from nbhelpers.runner import parameters as run

pd.options.display.max_colwidth = 140
packages = ["numpy", "scipy", "pandas", "torch", "transformers", "nltk", "gensim", "papermill"]
print("Python", platform.python_version(), "·", " · ".join(f"{name} {version(name)}" for name in packages))

# %% [markdown]
# ## The notebooks
#
# Each rebuilds a study or a part of one. They can be read in any order after `01_ndd_cases`, which explains the measure
# that three of them build on.

# %%
notebooks = run.load_registry()
pd.DataFrame([{"notebook": name, "about": entry.title, "rebuilds": entry.source} for name, entry in notebooks.items()])

# %% [markdown]
# ## What was found
#
# Each paper claims things in words. For each claim one recorded number on real data decides: if its whole 95 % interval
# lies on the claimed side, the claim *holds*; on the other side, it is *contradicted*; otherwise the two *cannot be told
# apart* with so few data. First look at how the claims come out, paper by paper.

# %%
claims.counts()

# %% [markdown]
# Now every claim, with the paper's number beside ours and the row of the ledger that decides.

# %%
claims.table().style.hide(axis="index").set_properties(**{"text-align": "left", "vertical-align": "top"})

# %% [markdown]
# A claim that is contradicted here is not refuted for good: read the caveat in the last column. All numbers of the NDD paper
# were computed with a small masked language model, other collections stand in for those that need a licence, and a claim
# about *all* measures falls with one exception.
#
# ## A first result
#
# A masked language model fills gaps. If an edit changes what a sentence says, the model expects other words in the
# places *around* the edit. NDD, the neighboring distribution divergence, adds up how much its expectations move
# (in nats, the unit of information that belongs to natural logarithms).

# %%
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import ndd, split_words

lm = MaskedLM()
result = ndd(lm, split_words(original), split_words(edited))
print(f"{original}\n{edited}\nNDD {result.value:.2f} nats over {len(result.neighbours)} unedited words")

# %% [markdown]
# One number says little alone. Look at where it comes from: each unedited word with its distance to the edit, its weight
# and the divergence of what the model expects there.

# %%
pd.DataFrame([vars(neighbour) for neighbour in result.neighbours]).round(3)

# %% [markdown]
# ## What the notebooks can use
#
# Every study runs on a small set that ships with the project. In the profiles *full* and *paper*, or with a parameter set to
# `auto`, it takes the real data when it finds it. A data set is looked for at a path you give; in the folders of the
# environment variable `NBHELPERS_DATA`; in what an installed package or the system brings; in the user cache; at its official
# source, with a checksum (unless `NBHELPERS_OFFLINE` is set); and then the small set stands in. A notebook prints which one it
# took and the ledger keeps it, so nobody mistakes one for the other.

# %%
resources = data.registry()
rows = []
for name, resource in resources.items():
    if resource.kind != "model":
        rows.append(
            {
                "name": name,
                "what": resource.title,
                "stands in when absent": resource.shipped or "–",
                "licence": resource.licence,
            }
        )
print(f"{len(rows)} registered data sets, {len(resources) - len(rows)} registered models")
pd.DataFrame(rows).head(12)

# %% [markdown]
# That is the beginning of the list; `data.registry()` has all of it, with sources and citations, and `data.find(name)`
# says where one is.
#
# ## How numbers are kept
#
# * **The papers' tables** are CSV files in `data/published`; `published.value(table, row, column)` reads one cell.
# * **The ledger** holds the headline numbers and the tables that stand beside a paper's, with interval, number of items,
#   published value, time and a *signature* that says how they were made, where these apply. No number in it is typed by hand.
# * **Every headline number has an interval and a baseline.** Read the interval first.

# %%
print("Published NDD of 'cold' -> 'hot':", published.value("ndd/table1", "I am walking in the hot rain.", "NDD"))
kept = ledger.read()
kept.groupby(["study", "table", "profile"]).size().rename("numbers").reset_index() if len(
    kept
) else "The ledger is empty."

# %% [markdown]
# ## From the quick profile to the real thing
#
# A profile is a set of parameter values, and the code is the same in all of them. `quick` uses what ships with the
# project. `full` uses real data with the shipped models. `paper` uses the papers' models and sizes.
#
# ```
# make run                                                    every notebook, quick profile
# make lab                                                    JupyterLab
# python -m nbhelpers run --list                              the parameters of every notebook
# python -m nbhelpers run --only 01 -p model=bert-base-cased  one notebook, one parameter changed
# NBHELPERS_DATA=~/corpora python -m nbhelpers run --profile full
# ```
#
# A parameter that no notebook knows is an error, and so is one of the wrong type: a run never quietly ignores you.
#
# ## Exercise
#
# Exercises come with a check that takes your function and says what it overlooks. Try it: write the mean of a list.


# %%
def mean(values): ...


teaching.check("00_mean", mean)


# %% tags=["solution"]
def mean(values):
    return sum(values) / len(values)


teaching.check("00_mean", mean)
