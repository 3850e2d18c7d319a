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
# # 05 · A trained meaning metric, its rivals, and two sanity checks
#
# **Question.** People rate how much of a sentence's meaning a simpler version keeps. Which metric rates as they do, and
# does it at least know that a sentence means the same as itself, and nothing like another one?
#
# **Paper.** D. Beauchemin, H. Saggion and R. Khoury, *MeaningBERT: assessing meaning preservation between sentences*
# (Frontiers in Artificial Intelligence 6, 2023), sections 3 and 4.
#
# **Reproduced here.** The study's metrics behind one call, each beside people's ratings over ten folds (Table 5);
# MeaningBERT trained on every fold, with and without augmentation; the two sanity checks (Tables 6 and 7). Before that
# the data are audited, which changes what the numbers mean. Then edits with a dose show *where* a metric breaks.
#
# **Afterwards you can** audit rated pairs before you train on them, put any metric through the sanity checks, and read a
# correlation beside what trivial predictors and wrong labels allow.
#
# **You need** correlation and mean squared error. `01_ndd_cases` for NDD, `06_pyramid_embeddings` for sentence vectors.
#
# **Run time.** About a minute in the quick profile on two CPU cores with nothing else to do; the full profile trains
# MeaningBERT some dozens of times on CSMD, two minutes each, and eight times for ten to twenty.
#
# Previous: `04_srl_predicates` · Next: `06_pyramid_embeddings`

# %% tags=["parameters"]
pairs = "shipped"  # "shipped": 250 pairs of this project; "auto": CSMD where it is at hand; or the folder of CSMD
metrics = []  # names of the registry; []: all of them
slow_pairs = 12  # pairs given to BLANC, Coverage and NDD, which ask a masked LM hundreds of times for each; 0: all
meaningbert = "embedded"  # the shipped MeaningBERT, davebulaval/MeaningBERT, or a folder
encoder = "all-MiniLM-L6-v2"  # sentence encoder that is fine-tuned; the study's is bert-base-uncased
training_pairs = 30  # of the project's own pairs that the training shown here learns from; 0: all of its training part
training_epochs = 2  # of every training of MeaningBERT
training_dtype = "float32"  # "bfloat16" is about twice as fast on processors that have it
folds = 0  # trainings with and without augmentation, as in the study (which has 10); 0: none, the ledger has them
further_folds = 0  # trainings for each of the other three ways of labels and splits
recipe_folds = 0  # trainings as the shipped model's: adapters on all layers, up to eight epochs; ten minutes each
sanity_sentences = 30  # news sentences for the sanity checks
dose_sentences = 8  # news sentences that are edited by rising doses
resamples = 1000  # bootstrap resamples behind the intervals that need them
seed = 0  # of the sentences drawn, the edits and the resamples
workers = 1  # processes of this machine that share the trainings

# %%
import functools
import time
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from nbhelpers.base import plots, shards, stats, teaching
from nbhelpers.metrics import meaning_model, names, score_all
from nbhelpers.metrics.registry import SPECIFICATIONS, available
from nbhelpers.resources import csmd
from nbhelpers.results import ledger, published
from nbhelpers.studies.meaningbert import audits, experiment, sanity, splits, training

plots.theme()
pd.options.display.max_colwidth = 110
SLOW = ("blanc", "coverage", "ndd")
chosen = [name for name in names() if not metrics or name in metrics]
rater = meaning_model.load_meaning_model(meaningbert)


def with_rater(some):
    """Names of metrics, with the MeaningBERT chosen above in the place of its name."""
    return [meaning_model.metric(rater) if name == "meaningbert" else name for name in some]


print("MeaningBERT:", rater.signature)

# %% [markdown]
# ## A sentence and five versions of it
#
# What should a rating do? Keep high for the paraphrase, fall for the shortened one, and fall far for those that change
# *who*, *whether* or *what*. Watch the negated one and the swapped one: nearly all of their words are the first
# sentence's own.

# %%
sentence = "The council approved the new bridge on Monday although the mayor had warned of its cost."
versions = {
    "paraphrase": "On Monday councillors agreed to build the bridge despite the mayor's warning that it is expensive.",
    "shortened": "The council approved the new bridge.",
    "negated": "The council did not approve the new bridge on Monday although the mayor had warned of its cost.",
    "roles swapped": "The mayor approved the new bridge on Monday although the council had warned of its cost.",
    "unrelated": "Octopuses can remember the smell of a predator for more than a week.",
}
few = ["bleu", "rouge1-recall", "bertscore-f1", "sentence-transformer", "ndd", "meaningbert"]
example = score_all([sentence] * len(versions), list(versions.values()), metrics=few, progress=False)["values"]
pd.DataFrame(example, index=list(versions)).rename(columns=lambda name: SPECIFICATIONS[name].title).round(2)

# %% [markdown]
# Metrics of shared words rate the swapped roles above the paraphrase, and so does MeaningBERT: those who simplify texts
# seldom swap roles or negate, so its training had nothing of the kind. NDD is a distance (0: nothing disturbed). It puts the
# unrelated pair last, rightly, but also the paraphrase behind the negation: it was made for edits, which leave most words
# in place, not for rewording.
#
# ## One shape for all
#
# Every measure is called as `metric(sources, candidates, references=None)` and says what its numbers mean. In the
# study's setting there are no references: the source stands in their place. A measure that cannot run here stays in the
# table, with the way to get what it lacks. The same registry answers on the command line:
# `python -m nbhelpers score --metric bleu,meaningbert pairs.tsv`.

# %%
registered = available() | {"meaningbert": meaning_model.metric(rater)}
pd.DataFrame(
    [
        {
            "metric": SPECIFICATIONS[name].title,
            "range": f"{m.range[0]:g} to {m.range[1]:g}",
            "higher means same": "yes" if m.higher_means_same else "no",
            "made for references": "yes" if m.needs_reference else "",
            "not here because": "",
        }
        if not isinstance(m, str)
        else {
            "metric": SPECIFICATIONS[name].title,
            "range": "",
            "higher means same": "",
            "made for references": "",
            "not here because": m,
        }
        for name, m in registered.items()
    ]
).style.hide(axis="index").set_properties(**{"text-align": "left"})

# %% [markdown]
# ## The pairs, audited
#
# The study joins four collections of simplified sentences that people rated from 0 to 100: **ASSET** (100 pairs),
# **Simplicity-DA** (600 outputs of six systems; DA is *direct assessment*, a rating on a continuous scale), **SimpDA-2022**
# (360 pairs of newer sources) and the ratings that the authors of the metric **QuestEval** collected (295 pairs). The whole is
# **CSMD**, the Continuous Scale Meaning Dataset.
#
# Look before you train: do pairs repeat, do training and test share sentences, are the labels the ones that people gave?
# The functions of `nbhelpers.studies.meaningbert.audits` answer for any rated pairs. On CSMD (1,355 pairs) they find three defects.

# %%
if pairs == "shipped":
    rated = {"own": csmd.read_meaning_pairs()}
    identity, ways = "meaning-pairs.tsv", [("own", "random")]
    print(
        f"{len(rated['own'])} pairs of data/corpus/meaning-pairs.tsv, rated by their authors: the small original set,"
        " not CSMD.\nOf CSMD the ledger knows:"
    )
else:
    collection, sources = csmd.read_csmd(None if pairs == "auto" else pairs), experiment.all_source_ratings()
    rated = {labels: experiment.labelled(collection, labels, sources) for labels in experiment.LABELS}
    identity = collection.located.identity
    ways = [(labels, split) for labels in experiment.LABELS for split in experiment.SPLITS]
    repeats = audits.duplicates(collection.pairs)
    leaking = {
        name: audits.source_leakage(collection.train, getattr(collection, name))
        for name in ("test", "dev", "identical")
    }
    origin = audits.origins(collection, sources)
    simpda = audits.label_provenance([p for p in origin.pairs if p.origin == "SimpDA-2022"], sources["SimpDA-2022"])
    overlap = audits.label_overlap(origin.pairs)
    mended = [
        replace(pair, origin=known.origin)
        for pair, known in zip(audits.restored(collection, sources).pairs, origin.pairs)
    ]
    checked = audits.label_provenance([p for p in mended if p.origin == "SimpDA-2022"], sources["SimpDA-2022"])
    sound = ("ASSET", "Simplicity-DA")
    twice = {
        labels: audits.rated_twice(many, "QuestEval", sound)
        for labels, many in (("published", origin.pairs), ("restored", mended))
    }
    right = {
        labels: stats.correlation([p.rating for p in rated["published"]], [p.rating for p in rated[labels]], "pearson")
        for labels in ("corrected", "restored")
    }

# %%
if pairs != "shipped":
    found = [("Rows that repeat an earlier pair", repeats.repeats, repeats.rows, repeats.sentence)]
    found += [
        (f"Rows of {name} whose source is in training", leak.leaking_rows, leak.rows, leak.sentence)
        for name, leak in leaking.items()
    ]
    found += [
        ("Labels of SimpDA-2022 on their own pair", simpda.equal, simpda.matched, simpda.sentence),
        ("Restored labels of SimpDA-2022 on their own pair", checked.equal, checked.matched, checked.sentence),
    ]
    for row, value, count, text in found:
        ledger.record(
            study="meaningbert", table="audit", row=row, column="rows", value=value, n=count, note=text, data=identity
        )
    ledger.record(
        study="meaningbert",
        table="audit",
        row="Correlation of SimpDA-2022's labels with its ratings",
        column="Pearson",
        value=simpda.pearson,
        n=simpda.matched,
        data=identity,
    )
    for labels, shared in twice.items():
        ledger.record(
            study="meaningbert",
            table="audit",
            row=f"QuestEval's {labels} labels with those of ASSET or Simplicity-DA",
            column="Pearson",
            value=stats.correlation(*zip(*shared), "pearson"),
            n=len(shared),
            data=identity,
            note="on the pairs that were rated in both",
        )
    for labels, value in right.items():
        ledger.record(
            study="meaningbert",
            table="audit",
            row=f"Correlation of published with {labels} labels",
            column="Pearson",
            value=value,
            n=value.n,
            data=identity,
        )
    for labels, correlations in {"Labels": overlap, "Restored labels": audits.label_overlap(mended)}.items():
        for name, value in correlations.items():
            ledger.record(
                study="meaningbert",
                table="audit",
                row=f"{labels} of {name} with the pair's token F1",
                column="Pearson",
                value=value,
                n=value.n,
                data=identity,
            )
table = ledger.beside_the_paper("meaningbert", "audit").drop(columns=["published", "difference"], errors="ignore")
table.reset_index(drop=True).style.hide(axis="index").format(precision=3, na_rep="").set_properties(
    **{"text-align": "left"}
)

# %% [markdown]
# Three defects, found by these functions on the published files:
#
# * **Leakage.** Most test rows share their source sentence with a training row; the study calls its check sentences
#   *completely unseen*, and most of them stand in the training part.
# * **SimpDA-2022's labels are on the wrong pairs.** Sorted, they are the ratings people gave; pair by pair they have
#   nothing to do with them.
# * **QuestEval's labels, too.** The means were sorted by text and written beside pairs in another order, which can be
#   undone (`audits.restored`). In SimpDA-2022, which was sorted by the candidate, this gives every rating of the source
#   file. QuestEval, whose file is not to be had, was sorted by source and candidate: 17 of its pairs were rated in ASSET
#   or Simplicity-DA, too, and correlate with those ratings by 0.84 after the step, by -0.26 before. Before it, its labels
#   do not follow the share of kept words; after it they do, as SimpDA-2022's (0.28 and 0.25), if less than in the two
#   sound collections.
#
# So results are given for labels as *published*, *corrected* (SimpDA-2022) and *restored* (both), on *random* splits as in
# the study and on splits *grouped* by source sentence. The correlation of published with restored labels says what a judge
# who gives every true rating reaches on the published ones: 0.71. It is no ceiling. A judge that also tells from which
# collection a pair comes can answer with that collection's mean where labels are shuffled, and a model that is trained on
# the published labels is rewarded for learning just that.

# %% [markdown]
# ## All metrics beside people
#
# Ten folds as in the study (30 % of the pairs for test, seeds 42 to 51). A metric is measured by Pearson's correlation,
# and, where it has a rating of 0 to 100, by R² and the root of the mean square error, as it is and after an affine
# correction fitted on the development part. Trivial predictors (shares of words, lengths) stand in the same table.
#
# On CSMD there is one more: the mean rating of the pair's collection. People rated the four collections very differently, so
# that a correlation over all of them rewards whoever tells them apart. *Within collections* is the correlation after each
# collection's mean was taken from both sides.

# %%
everyone = next(iter(rated.values()))
fold_parts = {
    split: [experiment.split_of(everyone, split, number) for number in experiment.SEEDS]
    for split in dict.fromkeys(split for _, split in ways)
}
texts = [pair.source for pair in everyone], [pair.candidate for pair in everyone]
own_model = meaningbert == "embedded" and pairs != "shipped"  # trained on CSMD: its row there would be no test
quick = [name for name in chosen if name not in SLOW and not (own_model and name == "meaningbert")]
scores = score_all(*texts, metrics=with_rater(quick))
some = np.random.default_rng(seed).permutation(len(everyone))[: slow_pairs or None]
slow = score_all([texts[0][i] for i in some], [texts[1][i] for i in some], metrics=[n for n in chosen if n in SLOW])
missing = scores["missing"] | slow["missing"]
print(
    f"{len(everyone):,} pairs, {len(scores['values']) + len(slow['values'])} metrics; BLANC, Coverage and NDD on "
    f"{len(some)} pairs; {len(missing)} cannot run here."
)


# %%
def turned(name, values):
    """Values of a metric, the sign of a distance turned: more is better."""
    return values if registered[name].higher_means_same else -values


def folds_for(name, values, people, split):
    scaled = registered[name].ratings(values)
    given = turned(name, values) if scaled is None else scaled
    return experiment.folds_of_metric(given, people, fold_parts[split]), scaled is not None


def record_mean(over_folds, column, split, note="", **common):
    """Record a mean over folds, given as `experiment.over_folds` does, with its interval."""
    part = fold_parts[split][0]
    mean = experiment.fold_interval(over_folds, len(part.test), len(part.train)) if over_folds[2] > 1 else over_folds[0]
    ledger.record(
        study="meaningbert",
        column=f"{column}, mean of {over_folds[2]} folds",
        value=mean,
        n=len(part.test),
        data=identity,
        note=note,
        **common,
    )


def record_summary(summary, whole, split, note="", **common):
    for column, value in summary.items():
        record_mean(value, column, split, note, **common)
        ledger.record(
            study="meaningbert",
            column=f"{column}, standard deviation over folds",
            value=value[1],
            n=len(fold_parts[split][0].test),
            data=identity,
            **common,
        )
    if whole is not None:
        ledger.record(study="meaningbert", column="Pearson, all pairs", value=whole, n=whole.n, data=identity, **common)


def table_of(labels, split):
    return "table5" if (labels, split) in {("published", "random"), ("own", "random")} else f"table5 {labels} {split}"


# %%
rows, tested = {}, {}
for labels, split in ways:
    people = np.array([pair.rating for pair in rated[labels]])
    for name, values in scores["values"].items():
        tested[labels, split, name], scaled = folds_for(name, values, people, split)
        summary = experiment.summarise(tested[labels, split, name], scaled=scaled)
        whole = stats.correlation(turned(name, values), people, "pearson") if split == "random" else None
        rows[labels, split, name] = summary, whole
        record_summary(
            summary,
            whole,
            split,
            table=table_of(labels, split),
            row=SPECIFICATIONS[name].title,
            signature=registered[name].signature_for(None),
            seconds=scores["seconds"][name],
            note="the shipped MeaningBERT, which was trained on CSMD" if name == "meaningbert" else "",
        )
    if split == "random":
        for name, values in slow["values"].items():
            whole = stats.correlation(turned(name, values), people[some], "pearson")
            rows[labels, split, name] = None, whole
            ledger.record(
                study="meaningbert",
                table=table_of(labels, split),
                row=SPECIFICATIONS[name].title,
                column="Pearson, all pairs",
                value=whole,
                n=whole.n,
                signature=registered[name].signature_for(None),
                data=identity,
                seconds=slow["seconds"][name],
            )
# %%
if pairs != "shipped":  # of the four collections
    of = np.array([pair.origin for pair in experiment.in_construction_order(collection, origin.pairs)])

    for labels, split in ways:
        people = np.array([pair.rating for pair in rated[labels]])
        record_summary(
            experiment.summarise(experiment.folds_of_group_means(of, people, fold_parts[split])),
            None,
            split,
            table=table_of(labels, split),
            row="Mean of the pair's collection",
            signature="group mean",
        )
        for name, values in scores["values"].items() if split == "random" else ():
            within = stats.correlation(
                experiment.centred(turned(name, values), of), experiment.centred(people, of), "pearson"
            )
            ledger.record(
                study="meaningbert",
                table=table_of(labels, split),
                row=SPECIFICATIONS[name].title,
                data=identity,
                column="Pearson, within collections",
                value=within,
                n=within.n,
                signature=registered[name].signature_for(None),
            )

# %%
for name, reason in missing.items():
    ledger.record(
        study="meaningbert",
        table="table5",
        row=SPECIFICATIONS[name].title,
        column="Pearson, all pairs",
        value=None,
        note=reason,
        data=identity,
    )
first = ways[0]
pd.DataFrame(
    [
        {
            "metric": SPECIFICATIONS[name].title,
            "Pearson, all pairs": str(whole),
            **(
                {}
                if summary is None
                else {
                    "Pearson, folds": f"{summary['Pearson'][0]:.2f} ± {summary['Pearson'][1]:.2f}",
                    "R²": f"{summary['R2'][0]:.2f}" if "R2" in summary else "",
                    "RMSE": f"{summary['RMSE'][0]:.1f}" if "RMSE" in summary else "",
                    "RMSE, calibrated": f"{summary['RMSE calibrated'][0]:.1f}",
                }
            ),
        }
        for (labels, split, name), (summary, whole) in sorted(rows.items(), key=lambda row: -abs(float(row[1][1] or 0)))
        if (labels, split) == first
    ]
).fillna("").style.hide(axis="index")

# %% [markdown]
# The training mean as a predictor has R² near 0: a negative R² means that the metric, read as a rating, is worse than
# always saying the mean. A good correlation with a bad R² is a scale that does not fit, and the calibrated column mends it.
# The sign of distances (TER, NDD) is turned everywhere, so that more is better. Squares in the figure are trivial predictors.

# %%
shown = []
for (labels, split, name), (_, whole) in rows.items():
    if (labels, split) == first and whole is not None:
        shown.append((SPECIFICATIONS[name].title, whole.low, float(whole), whole.high))
shown.sort(key=lambda row: row[2])
trivial = {SPECIFICATIONS[name].title for name in ("length-ratio", "source-recall", "token-f1")}
figure, axes = plt.subplots(figsize=(7.5, 0.26 * len(shown) + 1))
for place, (title, low, value, high) in enumerate(shown):
    colour = plots.PALETTE[1] if title in trivial else plots.PALETTE[3] if title == "MeaningBERT" else plots.PALETTE[0]
    axes.plot([low, high], [place, place], color=colour, linewidth=2, marker="")
    axes.plot(value, place, marker="s" if title in trivial else "o", color=colour, markersize=6)
axes.axvline(0, color="grey", linewidth=0.8)
axes.set(
    yticks=range(len(shown)),
    yticklabels=[title for title, *_ in shown],
    ylim=(-0.7, len(shown) - 0.3),
    xlabel="Pearson's correlation with people, 95 % interval",
)
plots.show(
    figure,
    name="05_correlation",
    alt=(
        f"Dots with intervals: correlation of {len(shown)} metrics with people's ratings of {len(everyone)} pairs, the sign of "
        f"distances turned. Highest: {shown[-1][0]} with {shown[-1][2]:.2f}; lowest: {shown[0][0]} with {shown[0][2]:.2f}. "
        "Squares are trivial predictors."
    ),
)

# %% [markdown]
# On this project's pairs (quick profile) the trained metric is below the encoder that it starts from: CSMD, which it learned
# from, has few of the changes that these pairs are made of. The next figure shows which.
#
# ## Which changes fool which metric
#
# The 250 pairs of this project are grouped by what was changed, and high overlap with changed meaning is as common as low
# overlap with kept meaning; the authors of the pairs rated them. A row that is dark for the authors and light for a metric
# is a change that the metric does not see.
# Metrics are compared by rank here (0: the lowest of all pairs, 100: the highest), because their scales differ.

# %%
own = csmd.read_meaning_pairs()
looked = [
    name for name in ("token-f1", "bleu", "bertscore-f1", "sentence-transformer", "meaningbert") if name in chosen
]
own_scores = (
    scores["values"]
    if pairs == "shipped"
    else score_all([p.source for p in own], [p.candidate for p in own], progress=False, metrics=with_rater(looked))[
        "values"
    ]
)
by_kind = pd.DataFrame(
    {
        "kind": [p.origin for p in own],
        "authors": [p.rating for p in own],
        **{SPECIFICATIONS[name].title: own_scores[name] for name in looked},
    }
)
ranks = by_kind.drop(columns="kind").rank(pct=True).mul(100).groupby(by_kind["kind"]).mean().sort_values("authors")
figure, axes = plt.subplots(figsize=(8.4, 6.4))
image = axes.imshow(ranks, cmap="cividis", vmin=0, vmax=100, aspect="auto")
for row, column in np.ndindex(*ranks.shape):
    value = ranks.iat[row, column]
    axes.text(
        column, row, f"{value:.0f}", ha="center", va="center", color="white" if value < 55 else "black", fontsize=9
    )
axes.set(
    xticks=range(ranks.shape[1]),
    xticklabels=[c.replace(" ", "\n").replace("gB", "g\nB") for c in ranks.columns],
    yticks=range(len(ranks)),
    yticklabels=[f"{kind} (n={(by_kind['kind'] == kind).sum()})" for kind in ranks.index],
)
axes.grid(False)
worst = (ranks.iloc[:, 1:].sub(ranks["authors"], axis=0)).stack().idxmax()
plots.show(
    figure,
    name="05_kinds",
    alt=(
        f"Table of mean ranks of {len(own)} pairs by kind of change, for their authors and {len(looked)} metrics. The largest "
        f"overrating is that of '{worst[0]}' by {worst[1]}: rank {ranks.loc[worst]:.0f} where the authors have "
        f"{ranks.loc[worst[0], 'authors']:.0f}."
    ),
)

# %% [markdown]
# ## MeaningBERT, trained
#
# An encoder reads both sentences at once; a regression head rates the pair. The study trains all weights of BERT-base for
# 250 epochs. Here a low-rank adapter of the shipped encoder's upper layers is trained, which a CPU can do. With
# *augmentation*, every source sentence is also paired with itself (100) and with an unrelated one (0).
#
# What follows is a real training, a short one on the project's own pairs, so that the rater is not tested on what it
# learned: grouped by source, the last part is held out. A dozen or two of development pairs choose the epoch and the
# calibration; so few can even turn a rating round, and the intervals are wide.

# %%
settings = training.TrainingSettings(encoder=encoder, epochs=training_epochs, dtype=training_dtype)
part = splits.grouped_split([pair.source for pair in own], 42).parts(own)
drawn = np.random.default_rng(seed).permutation(len(part[0]))[: training_pairs or None]
lessons = [part[0][place] for place in drawn]  # a sample, as the file is sorted by kind of change
started = time.perf_counter()
lower = training.lower_layers(settings)
small, epochs = training.train(splits.augment(lessons, seed=42), part[1], settings, lower=lower)
held_out = training.predict(small, lower, part[2], settings)
people = np.array([pair.rating for pair in part[2]])
learned = {
    "always the training mean": np.full(len(people), np.mean([p.rating for p in lessons])),
    "trained here": held_out,
    "trained here, calibrated": experiment.least_squares(
        training.predict(small, lower, part[1], settings), [p.rating for p in part[1]]
    )(held_out),
    "shipped, trained on CSMD": rater.rate([p.source for p in part[2]], [p.candidate for p in part[2]]),
}
training.release(small)
print(
    f"{len(lessons)} pairs and their augmentation, {len(epochs)} epochs, {time.perf_counter() - started:.0f} s; "
    f"development loss " + ", ".join(f"{epoch.development_loss:.3f}" for epoch in epochs)
)
print(f"On {len(people)} pairs that none of them has seen:")
pd.DataFrame(
    {
        name: {
            **{measure: round(value, 2) for measure, value in asdict(experiment.agreement(values, people)).items()},
            "Pearson, 95 % interval": ""
            if np.ptp(values) == 0
            else str(stats.correlation(values, people, "pearson", resamples=resamples, seed=seed)),
        }
        for name, values in learned.items()
    }
).T

# %% [markdown]
# *Spread* is the standard deviation of the ratings over that of people's. A rater that is unsure rates everything near
# the mean; predictions are never cut in training, so that this can be seen. Correlation does not see it.
#
# ## Ten folds, four ways
#
# In the full profile MeaningBERT is trained anew on every fold: with augmentation on published and restored labels, random
# and grouped splits; and without it in the study's own way (published, random). In the tables *DA* is data augmentation.
# These trainings are small, for time: an adapter on three of six layers, three epochs. *All layers* is the recipe of the
# shipped model, with adapters on all six layers and up to eight epochs, on four folds of two of the ways. Each training is
# kept, so that a run that was stopped goes on. Three metrics that need no training are measured on the same folds, and the
# differences are paired by fold. Folds drawn from one collection overlap; the intervals allow for that (Nadeau and Bengio,
# 2003). A cell of the tables is empty where nothing was measured.

# %%
recipe = replace(settings, frozen_layers=0, epochs=8, patience=3)  # as the shipped model was trained
WAYS = [
    ("published", "random", "with DA", settings, folds),
    ("published", "random", "without DA", settings, folds),
    ("restored", "grouped", "with DA", settings, further_folds),
    ("restored", "random", "with DA", settings, further_folds),
    ("published", "grouped", "with DA", settings, further_folds),
    ("published", "random", "with DA, all layers", recipe, recipe_folds),
    ("restored", "grouped", "with DA, all layers", recipe, recipe_folds),
]
RIVALS = ("sentence-transformer", "bertscore-recall", "length-ratio")


def fold_correlations(given, split):
    """Pearson's correlation in the test part of each fold, over all its pairs and within collections."""
    groups = [of[list(part.test)] for part in fold_parts[split][: len(given)]]
    return {
        "Pearson": experiment.each_fold(given),
        "Pearson within collections": experiment.each_fold(given, groups=groups),
    }


# %%
trained = {}
for labels, split, kind, how, count in WAYS if pairs != "shipped" else []:
    augmented, title = kind != "without DA", f"MeaningBERT {kind}"
    plan = [asdict(experiment.Fold(labels, split, augmented, False, number)) for number in experiment.SEEDS[:count]]
    if not plan:
        continue
    results = shards.map(
        functools.partial(experiment.run_folds, settings=how, data=None if pairs == "auto" else pairs),
        plan,
        shard_size=1,
        workers=workers,
        signature=experiment.folds_signature(how, collection),
        description=f"{labels}, {split}, {kind}",
    )
    for judged in dict.fromkeys([labels, "restored"]):
        people = np.array([pair.rating for pair in rated[judged]])
        given = [
            (result["dev"], people[list(part.dev)], result["test"], people[list(part.test)])
            for result, part in zip(results, fold_parts[split])
        ]
        where = table_of(labels, split) if judged == labels else f"trained on {labels} {split}, judged by {judged}"
        trained[where, kind] = given
        here = dict(
            table=where,
            signature=experiment.folds_signature(how, collection),
            seconds=sum(r["seconds"] for r in results),
        )
        record_summary(experiment.summarise(given), None, split, row=title, **here)
        if len(plan) < 2:
            continue
        ours = fold_correlations(given, split)
        inside = "Pearson within collections"
        record_mean(experiment.over_folds(ours[inside]), inside, split, row=title, **here)
        for rival in [r for r in RIVALS if augmented and (judged, split, r) in tested]:
            for column, theirs in fold_correlations(tested[judged, split, rival][: len(plan)], split).items():
                record_mean(
                    experiment.over_folds(ours[column] - theirs),
                    column,
                    split,
                    row=f"{title} minus {SPECIFICATIONS[rival].title}",
                    **here,
                )
        for better, worse in ("with DA", "without DA"), ("with DA, all layers", "with DA"):
            if kind in (better, worse) and {(where, better), (where, worse)} <= trained.keys():
                both = list(zip(trained[where, better], trained[where, worse]))  # as many folds as either has
                for column, measure in ("Pearson", "pearson"), ("R2", "r2"), ("RMSE", "rmse"):
                    gained = np.subtract(*(experiment.each_fold(side, measure) for side in zip(*both)))
                    record_mean(
                        experiment.over_folds(gained), column, split, row=f"MeaningBERT {better} minus {worse}", **here
                    )

# %%
known = ledger.read()
known = known[
    (known["study"] == "meaningbert") & (known["profile"] == "full") & known["column"].str.contains("mean of")
]
shown = [
    *dict.fromkeys(f"MeaningBERT {kind}" for _, _, kind, _, _ in WAYS),
    "Mean of the pair's collection",
    *(SPECIFICATIONS[name].title for name in RIVALS),
]
known = known.assign(
    measure=known["column"].str.split(",").str[0], folds=known["column"].str.extract(r"of (\d+) folds")[0]
)
means = known[known["row"].isin(shown) & ~known["table"].str.contains("corrected")]
means.pivot(index=["table", "row", "folds"], columns="measure", values="value").round(2).astype(object).fillna("")

# %%
differences = known[known["row"].str.contains(" minus ")]
differences = differences.assign(
    value=[f"{d.value:+.2f} [{d.low:+.2f}, {d.high:+.2f}]" for d in differences.itertuples()]
)
differences.pivot(index=["table", "row", "folds"], columns="measure", values="value").fillna("")

# %% [markdown]
# What the full profile says, in Pearson's correlation over ten folds (*all layers*: four):
#
# * **On published labels training adds little to the encoder it starts from.** MeaningBERT with augmentation has 0.45 [0.38,
#   0.51], the untrained encoder's cosine (*Sentence Transformer*) 0.43: a difference of 0.02 [-0.02, 0.06]. On restored
#   labels it is 0.09, with an interval clear of 0 on either split. The ratio of the two lengths alone has 0.28 and 0.44.
# * **And that little is telling the collections apart.** The mean rating of the pair's collection, which looks at no word,
#   has 0.46 [0.42, 0.49] on published labels, as much as the trained metric. Within collections the trained metric has 0.37
#   [0.30, 0.43], which is less than the untrained cosine: -0.06 [-0.09, -0.02]. On restored labels the lead of 0.09
#   becomes 0.03 [-0.05, 0.10] there.
# * **A larger training does not mend that**: with all layers 0.40 [0.30, 0.49] on published labels, 0.02 less than the small
#   one on the same folds [-0.17, 0.12].
# * **With the right labels it does.** On restored ones, split by source, all layers reach 0.66 [0.56, 0.76], 0.16 [0.07, 0.25]
#   above the untrained cosine on the same folds; within collections 0.63, and 0.11 above it [0.01, 0.21]. BERTScore's
#   recall is not clearly behind there: 0.07 [-0.04, 0.18].
# * **Augmentation**, paired by fold: +0.04 [-0.04, 0.12] on published labels, and +0.11 [0.02, 0.20] where the same
#   trainings are judged by restored ones. Without calibration R² (-0.09) and RMSE (+1.2) go the other way, with intervals
#   that contain 0. The study finds it better in all three.
# * **Labels.** The metrics that correlate with ratings at all agree better with the restored ones, trained or not, as noise
#   in labels lowers any correlation: MeaningBERT trained on them has 0.61, trained on the published ones and judged by them
#   0.60.
# * **Splits** grouped by source give nearly the same (0.42 and 0.60): in so short a training leakage cannot be seen.
#
# The study's figure, about twice that of LENS, which has 0.56, cannot be meant to the letter: no correlation is above 1. A
# judge who gives every true rating has 0.71 on these labels. It may have been taken on a test part that holds augmented
# pairs, which are easy.
#
# ## The two sanity checks
#
# A sentence compared with itself should be rated 100, with an unrelated one 0. The study counts how many ratings, rounded,
# reach 95 to 99, or stay below 5 to 1. News sentences that come with gensim take the place of ASSET's here; *other
# article* is a sentence of another one without a shared content word, *word soup* is random words as in the study.

# %%
news = sanity.lee_sentences(sanity_sentences, seed=seed)
identical = {"identical": sanity.identical_pairs(news)}
unrelated = {"other article": sanity.unrelated_pairs(news, seed=seed), "word soup": sanity.word_soup(news, seed=seed)}
if pairs != "shipped":
    identical |= {"CSMD, identical": collection.identical}
    unrelated |= {"CSMD, unrelated": collection.unrelated}
    seen = [*collection.train, *collection.dev]  # what the shipped MeaningBERT was trained, stopped and calibrated on
    identical |= {"CSMD, identical, new sources": audits.unseen(seen, collection.identical)}
    unrelated |= {"CSMD, unrelated, new sources": audits.unseen(seen, collection.unrelated)}
uncalibrated = meaning_model.metric(meaning_model.load_meaning_model(meaningbert, calibrated=False))
checked = with_rater(name for name in chosen if name not in SLOW or not slow_pairs)
checks = sanity.sanity_table(checked, identical, unrelated)
checks += sanity.sanity_table([uncalibrated], identical, unrelated) if "meaningbert" in chosen else []
titles = [f"{r.title}, uncalibrated" if "calibrated:no" in (r.signature or "") else r.title for r in checks]
for title, check in zip(titles, checks):
    for threshold, share in (check.shares or {}).items():
        sign = "≥" if check.kind == "identical" else "≤"
        ledger.record(
            study="meaningbert",
            table="table6" if check.kind == "identical" else "table7",
            row=title,
            column=f"{check.pairs} {sign} {threshold}",
            value=share,
            n=check.n,
            signature=check.signature,
            data="lee-background" if "CSMD" not in check.pairs else identity,
            seconds=check.seconds,
        )
table = (
    pd.DataFrame(
        [
            {
                "metric": title,
                **{
                    f"{check.pairs}, {'≥ 95' if check.kind == 'identical' else '≤ 5'}": ""
                    if check.shares is None
                    else f"{100 * float(check.shares[95 if check.kind == 'identical' else 5]):.0f} %"
                },
                f"{check.pairs}, mean": "" if check.mean is None else f"{check.mean:.0f}",
            }
            for title, check in zip(titles, checks)
        ]
    )
    .groupby("metric", sort=False)
    .first()
)
print(f"{len(news)} sentences, one of an article each; metrics without a rating of 0 to 100 have no share.")
table

# %% [markdown]
# (The shipped MeaningBERT was trained and calibrated on CSMD, with one identical and one unrelated pair for each source of
# these parts, and most sources of CSMD's own holdouts are among them, as the audit shows. *New sources* are the 72 pairs of
# either holdout whose source is not; the news sentences are all new.)
#
# The shipped MeaningBERT does not pass both checks at once in 95 of 100 pairs on CSMD's own holdouts, in the full profile's
# rows below: raw, it knows identical pairs and leaves too many unrelated ones above 5; the affine correction that brings
# those down pulls some identical pairs under 95. A straight line has two numbers, and the ratings of both kinds are spread.
# On the 72 pairs with new sources the corrected ratings pass in 97 % [90, 99] and 94 % [87, 98]: no worse than on all 359,
# and too few to be told from 95.
#
# Passing both is cheap: BLEU, ROUGE-2 and SARI do, since two unrelated sentences hardly share a pair of words. Metrics of
# single words do not: *the* and *of* lift most unrelated pairs above 5. So the checks say what a metric must not fail, not that
# it understands anything. They also catch metrics that never reach the ends of their scale.
#
# ## Edits with a dose
#
# Where does a metric break? Each sentence is edited by rising doses. The first five edits change the meaning and should
# pull a rating down; the last three keep it, and should leave it alone.

# %%
graded = sanity.graded_edits([one.text for one in sanity.lee_sentences(dose_sentences, seed=seed + 1)], seed=seed)
dosed = sanity.rate_all_edits(with_rater(looked), graded)
curves = {name: sanity.dose_curves(given, resamples=resamples) for name, given in dosed.items()}
figure, panels = plt.subplots(2, 4, figsize=(11, 5.4), sharey=True)
for number, axes in enumerate(panels.flat):
    for colour, (name, its) in zip(plots.PALETTE, curves.items()):
        points = [point for point in its[number].points if point.mean is not None]
        axes.plot(
            [p.dose for p in points],
            [float(p.mean) for p in points],
            color=colour,
            label=SPECIFICATIONS[name].title,
            marker="osD^v"[list(curves).index(name)],
            markersize=4,
        )
    axes.set(
        title=f"{its[number].kind} (n={points[0].n if points else 0})\nmeaning {its[number].meaning}", ylim=(-5, 105)
    )
panels[0, 0].set_ylabel("mean rating")
panels[1, 0].set_ylabel("mean rating")
for axes in panels[1]:
    axes.set_xlabel("dose")
figure.legend(
    *panels[0, 0].get_legend_handles_labels(), loc="lower center", ncol=len(curves), bbox_to_anchor=(0.5, -0.06)
)
last = {name: float(its[1].points[-1].mean) for name, its in curves.items() if its[1].points[-1].mean is not None}
plots.show(
    figure,
    name="05_doses",
    alt=(
        "Eight panels, one for each edit, with the mean rating of each metric against the dose. At the full dose of "
        f"'{its[1].kind}' the ratings are "
        + ", ".join(f"{SPECIFICATIONS[n].title} {v:.0f}" for n, v in last.items())
        + "."
    ),
)

# %%
apart = {SPECIFICATIONS[name].title: sanity.detection(given, resamples=resamples) for name, given in dosed.items()}
for title, area in apart.items():
    ledger.record(
        study="meaningbert",
        table="doses",
        row=title,
        column="AUC, meaning kept against changed",
        value=area,
        n=area.n,
        data="lee-background",
    )
pd.Series(
    {title: str(area) for title, area in apart.items()}, name="AUC: does it rate kept above changed meaning?"
).to_frame()

# %% [markdown]
# 0.5 is guessing. A sentence is edited in several ways, so whole sentences are resampled, each with all its edits, and n
# counts them. The intervals say what other sentences would give under these eight edits, not what other edits would, and
# those of eight sentences are somewhat too narrow. A value clearly below 0.5 means that the metric prefers the edits that
# change the meaning: one changed word breaks fewer n-grams than capitals or typos in every word do.
#
# ## Beside the paper
#
# Tables 6 and 7 in the full profile, for the trained metric, two that compare vectors, and two that compare words:

# %%
known = ledger.read()
known = known[
    (known["study"] == "meaningbert")
    & known["table"].isin(["table6", "table7"])
    & (known["profile"] == "full")
    & known["row"].isin(
        ["MeaningBERT", "MeaningBERT, uncalibrated", "Sentence Transformer", "BERTScore F1", "BLEU", "Token F1"]
    )
    & known["column"].str.contains("≥ 95|≤ 5")
]
known.pivot(index="row", columns="column", values="value").round(3)

# %% [markdown]
# The article prints its tables as images; its text states these figures for the correlation with people.

# %%
if pairs != "shipped":
    correlations = [
        float(whole)
        for (labels, split, _), (_, whole) in rows.items()
        if (labels, split) == first and whole is not None
    ]
    ledger.record(
        study="meaningbert",
        table="text",
        row="All metrics",
        column="Pearson correlation",
        data=identity,
        value=float(np.mean(correlations)),
        n=len(correlations),
        published=published.value("meaningbert/text", "All metrics", "Average Pearson correlation"),
        note="mean over metrics, the sign of distances turned; another set of metrics than the study's",
    )
    ledger.record(
        study="meaningbert",
        table="text",
        row="LENS",
        column="Pearson correlation",
        value=None,
        data=identity,
        published=published.value("meaningbert/text", "LENS", "Pearson correlation"),
        note=missing.get("lens", ""),
    )
ledger.beside_the_paper("meaningbert", "text")

# %%
table = ledger.beside_the_paper("meaningbert", "table5")
table[table["column"] == "Pearson, all pairs"].drop(columns=["published", "difference", "column"], errors="ignore")

# %% [markdown]
# ## Differences from the paper
#
# 1. **No references.** CSMD has none; the source stands in for them, as the study must have done. For iBLEU and FKBLEU
#    that leaves nothing of their own: with the source as reference, iBLEU is 0.8 times BLEU.
# 2. **Labels.** All results of the study rest on the published labels, of which those of SimpDA-2022 and QuestEval are on
#    the wrong pairs. They are given here as published, and again with the labels put right.
# 3. **Splits.** The folds are drawn as the authors' script draws them: seed 42 gives the published parts pair for pair.
#    The splits grouped by source are ours.
# 4. **MeaningBERT** is BERT-base with all weights trained for 250 epochs there; here an adapter (LoRA) on the upper half of
#    a six-layer encoder for a few epochs, with a head on the two sentences' mean vectors, their difference and product.
#    `python tools/meaningbert.py train --encoder bert-base-uncased --frozen-layers 0` comes nearer to the study.
# 5. **Early stopping** on the development part; the study does not say how the epoch was chosen. Nothing is cut in
#    training. The calibration is fitted on the development part and stands in rows of its own.
# 6. **Augmentation** adds one identical and one unrelated pair for each source sentence of the training part, not for
#    each row, and never a sentence of another part. The study's unrelated sentences come from a language model.
# 7. **Sanity sentences** are news here, ASSET's there; word soup is drawn from a vocabulary, theirs is generated.
# 8. **SARI** of 0/0 is 1 (else an identical pair could not reach the 100 that the study reports); **METEOR** knows no
#    synonyms where WordNet is not at hand; the signature of each says so.
# 9. **BLANC and Coverage** run on this project's small masked LM, which hardly uses text that stands before a sentence:
#    their rows say little about the metrics. **NDD** was added by us; it was made for edits.
#
# ## What this does not show
#
# * The shipped pairs were rated by their authors, who also chose the changes: no crowd, and adversarial by design, so that
#   shared words do not help. A correlation there is not comparable with one on CSMD.
# * A high correlation on published labels is not always a better metric: part of those labels is noise with a memory.
# * A sanity check passed is no understanding, and word soup is easier than a wrong but fluent sentence.
# * BLEURT, QuestEval, LENS and SAMSA are here as adapters; where their weights are not at hand, their rows are empty.
#
# ## Try it
#
# Type a sentence and a version of it.


# %%
def rate(source, candidate):
    asked = ["bleu", "bertscore-f1", "sentence-transformer", "meaningbert"]
    given = score_all([source], [candidate], metrics=with_rater(asked), progress=False)
    for name, value in given["values"].items():
        print(f"{SPECIFICATIONS[name].title:22} {value[0]:6.2f}")
    for name, reason in given["missing"].items():
        print(f"{SPECIFICATIONS[name].title:22} {reason}")


teaching.try_it(
    rate,
    {
        "Sentence": "The ferry sails at noon unless the wind is strong.",
        "Version": "If there is little wind, the boat leaves at twelve.",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. A sanity check.** Write the share of ratings that, rounded to the nearest whole number, reach a threshold.


# %%
def share_reaching(ratings, threshold): ...


teaching.check("05_share", share_reaching)


# %% tags=["solution"]
def share_reaching(ratings, threshold):
    return sum(round(rating) >= threshold for rating in ratings) / len(ratings)


teaching.check("05_share", share_reaching)

# %% [markdown]
# **2. Leakage.** Count the test rows whose source sentence stands in the training part, too.


# %%
def leaking_rows(training_sources, test_sources): ...


teaching.check("05_leakage", leaking_rows)


# %% tags=["solution"]
def leaking_rows(training_sources, test_sources):
    known = set(training_sources)
    return sum(source in known for source in test_sources)


teaching.check("05_leakage", leaking_rows)

# %% [markdown]
# **3. R².** Write the coefficient of determination of predictions: 1 less the squared error over that of the mean.


# %%
def r_squared(predictions, people): ...


teaching.check("05_r_squared", r_squared)


# %% tags=["solution"]
def r_squared(predictions, people):
    mean = sum(people) / len(people)
    error = sum((given - wanted) ** 2 for given, wanted in zip(predictions, people))
    return 1 - error / sum((wanted - mean) ** 2 for wanted in people)


teaching.check("05_r_squared", r_squared)

# %% [markdown]
# **4. Calibrate.** Two ratings of a development part are known with people's answers. Give the rating of a third pair after
# the straight line through both.


# %%
def calibrated(first, first_people, second, second_people, rating): ...


teaching.check("05_calibrated", calibrated)


# %% tags=["solution"]
def calibrated(first, first_people, second, second_people, rating):
    slope = (second_people - first_people) / (second - first)
    return first_people + slope * (rating - first)


teaching.check("05_calibrated", calibrated)

# %% [markdown]
# **5. Open.** Find ten pairs that keep the meaning and that MeaningBERT rates below 50, and ten that change it and that it
# rates above 80. What do they have in common? Which further augmentation would you train with, and how would you make sure
# that it is not the test?
