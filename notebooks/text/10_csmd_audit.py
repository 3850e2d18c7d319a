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
# # 10 · An audit of rated pairs: shuffled labels, leakage, and a test part that is too easy
#
# **Question.** Before you train a metric on rated pairs: do the ratings (*labels*) belong to the pairs, has the test
# part been seen in training, and is it the same test for every system?
#
# **Paper.** D. Beauchemin, H. Saggion and R. Khoury,
# [*MeaningBERT: assessing meaning preservation between sentences*](https://doi.org/10.3389/frai.2023.1223924) (Frontiers in
# Artificial Intelligence 6, 2023), sections 3.1 and 3.4, Table 5. Its data set, CSMD, has 1,355 rated pairs; data and
# script are at [GRAAL-Research/csmd](https://github.com/GRAAL-Research/csmd) (commit aba7d73).
#
# **Afterwards you can** check labels without knowing the right ones, count leakage, and notice an unfair test part.
#
# **You need** [correlation](../docs/glossary.md#pearsons-correlation) and
# [notebook 05](05_meaningbert_sanity.ipynb) for the metrics. **Run time.** Some seconds.
#
# Previous: [05_meaningbert_sanity](05_meaningbert_sanity.ipynb) · Next: [06_pyramid_embeddings](06_pyramid_embeddings.ipynb)
#
# ## What we found
#
# **Nearly half of the labels belong to other pairs.** A script took the mean rating of each pair in alphabetical order and
# wrote the means down in the order of the file. We could put the ratings back (*restored* labels), because they
# stand in the authors' own sources. Two smaller faults follow: most test sentences also stand in training, and the
# test part of the released script is full of pairs that are too easy. Neither changes as much as the labels do.
#
# The figure shows how we noticed. People rate a pair higher when more of its words are kept. In two of the four
# collections the labels as published do not follow the words at all; put back on their own pairs, they do.

# %%
import pandas as pd
from IPython.display import Markdown, display
from matplotlib import pyplot as plt

from nbhelpers.base import plots, teaching
from nbhelpers.resources import csmd
from nbhelpers.results import claims, estimates, evidence, tables
from nbhelpers.studies.meaningbert import audits, experiment, measures, ratings, splits

plots.theme()
found = evidence.load("meaningbert-csmd")  # one line for each of the 1,355 pairs
sanity = evidence.load("meaningbert-sanity")
trained = evidence.load("meaningbert-trained")

# %%
labels = audits.summary(found)
figure, axes = plt.subplots(1, 2, figsize=(11, 3.8), sharey=True)
collections = [name for name in csmd.COLLECTIONS][::-1]
for kind, marker in (("published", "o"), ("restored", "s")):
    for height, name in enumerate(collections):
        one = estimates.estimate(labels, f"{name}, {kind} labels and token F1", "Pearson")
        colour = "0.5" if kind == "published" else plots.PALETTE[0]
        at = height + (0.12 if kind == "published" else -0.12)
        axes[0].errorbar(one.value, at, xerr=[[one.value - one.low], [one.high - one.value]], fmt=marker, color=colour)
for height, name in enumerate(collections):
    own = found[found["collection"] == name]
    same = ((own["published"] - own["restored"]).abs() <= audits.TOLERANCE).mean()
    axes[1].barh(height, same, color=plots.PALETTE[0], height=0.5)
    axes[1].text(same + 0.02, height, f"{same:.0%} of {len(own)}", va="center")
axes[0].set(yticks=range(4), yticklabels=collections, xlabel="correlation with token F1 (share of common words)")
axes[0].set_title("labels follow the words: ● published, ■ restored")
axes[0].axvline(0, color="0.6", linestyle="--")
axes[1].set(xlabel="share of labels", xlim=(0, 1.45), xticks=[0, 0.5, 1], title="labels that stand on their own pair")
alt = "Left: labels as published do not follow the words in SimpDA-2022 and QuestEval; restored ones do. "
plots.show(figure, name="10_labels", alt=alt + "Right: only a few labels of these two stand on their own pair.")

# %% [markdown]
# Such a check needs only the pairs. It proves nothing by itself: the 250 pairs of this project are labelled correctly, and
# there the correlation with token F1 is near 0, since they were written so that shared words mislead. The proof is below.

# %% tags=["parameters"]
pairs = "shipped"  # "shipped": pairs of this project; "auto": CSMD and the files it was made from
easy = 250  # identical and as many unrelated pairs that the last demonstration adds to a test part
resamples = 1000  # bootstrap resamples behind the intervals
seed = 0  # of the split and of the pairs drawn

# %% [markdown]
# ## How labels get onto the wrong pairs: four lines of pandas
#
# A file has the ratings of several people for each pair. To get one label for a pair, take the mean. Here is the step of
# the authors' script, on the pairs of this project. Read it and say what is wrong before you run it.
#
# **Exercise 1 · predict, then run** · `10_shuffled`
#
# Which of these would show you that labels were shuffled: (a) their mean and standard deviation; (b) their histogram; (c)
# neither of them?

# %%
if pairs == "shipped":
    own = csmd.read_meaning_pairs()
    file = pd.DataFrame({"source": [p.source for p in own], "text": [p.candidate for p in own], "rating": [p.rating for p in own]})
else:
    given = audits.all_source_ratings()["QuestEval"].ratings
    file = pd.DataFrame([(*pair, one) for pair, some in given.items() for one in some], columns=["source", "text", "rating"])

means = file.groupby(["source", "text"])["rating"].mean()  # sorted by text ...
once = file.drop_duplicates(["source", "text"])  # ... the pairs, in the order of the file
once = once.assign(label=means.to_numpy())  # ... side by side: each label beside another pair
once["right"] = means.loc[list(zip(once["source"], once["text"]))].to_numpy()
print("the same numbers, sorted:", (once["label"].sort_values().values == once["right"].sort_values().values).all())
print(f"labels on their own pair: {(once['label'] == once['right']).sum()} of {len(once)}")
print(f"correlation of labels with the right ones: {once['label'].corr(once['right']):.2f}")
once[["right", "label"]].describe().T[["mean", "std", "min", "50%", "max"]].round(1)

# %% [markdown]
# `groupby` sorts by text; the table does not. Every number is a rating that somebody gave, so range, mean and histogram
# look right, and Table 3 of the article cannot show the fault. One line mends it: let pandas *join by key*, as the line
# with `right` does, and never set two columns side by side by their position.
#
# Does this explain CSMD? Replay the step on the authors' own files. If it gives exactly the published labels, that is
# how these files were made.

# %%
counts = labels[labels["column"] == "count"]
shown = pd.DataFrame({"finding on CSMD": counts["row"], "labels": [f"{v:.0f} of {n:,}" for v, n in zip(counts["value"], counts["n"])]})
display(tables.plain(shown, "SimpDA-2022 is sorted by the simplified text, QuestEval by both texts", index=False))
whole = estimates.estimate(labels, "Published and restored labels", "Pearson")
print(f"A judge who gives every true rating correlates with the published labels by {estimates.text(whole)} source sentences")

# %% [markdown]
# The replay gives *every* published label of both collections. A few labels are right by chance. The last line is no
# ceiling: whoever can tell the collections apart may answer with the collection's mean where labels are shuffled, and a
# model that is trained on such labels is rewarded for just that.
#
# `tools/corrected_csmd.py` makes the corrected data set from the official files and checks the result by its checksum;
# `docs/csmd-report.md` is the report to its authors.
#
# **Exercise 2 · write code** · `10_replay`
#
# Write the step without pandas: given texts in the order of a file and their ratings, return the labels as the script
# assigns them. No text stands twice.


# %%
def replay(texts, ratings): ...


teaching.check("10_replay", replay)

# %% [markdown]
# ## What the labels do to a result
#
# Every metric of notebook 05 again, judged by both sets of labels. **Look for** the direction of the change.
#
# **Exercise 3 · read a result** · `10_half`
#
# A metric has Pearson .40 on labels that are half shuffled. Is its correlation with the true ratings likely (a)
# higher; (b) the same; (c) lower?

# %%
shown = ["sentence-transformer", "bertscore-recall", "bleu", "rouge1-f1", "ter", "sari", "length-ratio", "token-f1"]
rows = [
    {"row": measures.title(name), "column": kind, "value": measures.with_people(found, name, kind, resamples)}
    for name in shown
    for kind in ("published", "restored")
]
tables.beside(estimates.frame(rows), caption="Pearson's correlation with people, 1,355 pairs")

# %% [markdown]
# ## Leakage
#
# [Leakage](../docs/glossary.md#leakage) means that something of the test stands in training. The collections give
# several simplifications of one sentence, and a random split puts some of them into training and others into test.
#
# **Exercise 4 · write code** · `10_leakage`
#
# Count the rows of a test part whose source stands in the training part, too.


# %%
def leaking_rows(training_sources, test_sources): ...


teaching.check("10_leakage", leaking_rows)

# %%
training, test = found[found["part"] == "train"], found[found["part"] == "test"]
print("random split, as released:", test["source"].isin(training["source"]).sum(), "of", len(test), "test rows leak")
grouped = splits.grouped_split([str(number) for number in found["source"]], seed)
training, test = found.iloc[list(grouped.train)], found.iloc[list(grouped.test)]
print("no source in two parts:   ", test["source"].isin(training["source"]).sum(), "of", len(test), "test rows leak")
held_out = sanity[(sanity["list"] == "csmd") & (sanity["kind"] == "identical")]
print("sentences of the sanity checks in training:", (held_out["seen"] == "train").sum(), "of", len(held_out))
leaks = audits.leakage(found)
tables.plain(leaks[["row", "value", "n"]].rename(columns={"row": "CSMD, released split", "value": "rows", "n": "of"}).astype({"rows": int}), index=False)

# %% [markdown]
# The article calls the sentences of the sanity checks completely unseen. Leakage is a property of the data; whether it made a
# model look better is another question, which this notebook does not answer.
#
# ## A test part that is too easy
#
# The released script tests the model trained *with* augmentation on the *augmented* test part: identical and unrelated
# pairs make up two thirds of it. Its rivals are tested on the plain one. What does that alone do? Take token F1, the
# share of common words, which learns nothing.

# %%
own = csmd.read_meaning_pairs()
added = {kind: [one for one in splits.augment(own, seed=seed) if one.origin == kind] for kind in ("identical", "unrelated")}


def with_easy_pairs(count):
    """Token F1 beside people, after `count` identical and as many unrelated pairs were added to the 250."""
    items = ratings.run([*own, *added["identical"][:count], *added["unrelated"][:count]], ["token-f1"])
    return measures.with_people(items, "token-f1", resamples=resamples)


for count in (0, easy // 10, easy):
    print(f"{len(own)} pairs, {2 * count} easy ones more: Pearson {estimates.text(with_easy_pairs(count))} source sentences")

# %% [markdown]
# From nothing to a correlation that anybody would publish, and the metric is the same. Now the test part that was first
# released, for untrained metrics and for a small model that we trained as the script does: its rated pairs alone
# (*plain*), and all of it.

# %%
parts = experiment.test_parts(sanity, trained, resamples)
columns = ["Pearson, plain", "Pearson, with word soups", "R2, plain", "R2, with word soups"]
tables.beside(parts, columns=columns, caption="The same metrics on both test parts (source sentences resampled)")
