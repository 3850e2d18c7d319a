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
# # 05 · Does a trained metric know when a sentence still means the same?
#
# **Question.** People rate how much of a sentence's meaning a simpler version keeps. Which metric rates as they do?
# And does it know the obvious: that a sentence means the same as itself, and nothing like an unrelated one?
#
# **Paper.** David Beauchemin, Horacio Saggion and Richard Khoury: [MeaningBERT: assessing meaning preservation
# between sentences](https://doi.org/10.3389/frai.2023.1223924), Frontiers in Artificial Intelligence 6, 2023,
# sections 3 and 4, Tables 1 to 7. Data and code: [GRAAL-Research/csmd](https://github.com/GRAAL-Research/csmd)
# (commit aba7d73).
#
# ## What we found
#
# **The paper's main claim could not be tested.** It says that MeaningBERT correlates with people nearly twice as well as
# the best other metric, LENS (.5638; twice that is above 1, the highest correlation). Neither could be run here, so we
# trained smaller models.
#
# * **Nearly half of the published ratings belong to other pairs**: 629 of 1,355 ([10](10_csmd_audit.ipynb)). We put
#   them back: the *corrected labels*.
# * **On texts like those of its training, a small trained metric is ahead of its encoder**, called *Sentence Transformer* in the
#   tables. On 407 test pairs with corrected labels, 337 of them with a source sentence from training, its correlation with
#   people is higher by .221 [.146, .303] (95 % interval). Over ten splits (n = 453 source sentences) a second model, of three
#   epochs, leads by .095 [.053, .132], but within the data's collections it is not shown to differ from BERTScore,
#   which uses the same encoder. On published labels no lead over the encoder is shown; within collections it is behind both.
# * **Augmentation makes ratings too high; a straight line mends that.** The paper adds identical and unrelated pairs and
#   reports gains. In our short training (ten splits, n = 453, published labels) these pairs lift ratings by 5.6 points
#   [4.9, 6.4], to 8.1 above people's. Errors grow (R² −.092 [−.143, −.039]); no gain in correlation is shown, .040 [−.001,
#   .085]. After a line fitted on development pairs no loss is shown. Judged by corrected labels the correlation gains .104
#   [.071, .139], but the training steps nearly double, too ([10](10_csmd_audit.ipynb)).
# * **On pairs written to mislead, the trained metric is behind its encoder.** On 250 that we wrote and rated, it correlates
#   *less* with the ratings: −.183 [−.240, −.126]; without the 26 easy ones −.096 [−.180, −.019].
# * **Some metrics pass both sanity checks.** These ask for 100 for identical sentences and 0 for random words. The abstract
#   says that existing metrics cannot pass. Within five points, 7 of the 13 that ran on all pairs pass both on the authors'
#   lists (n = 359 sentences); within one point, 4. All seven count shared words. With real sentences in place of random words,
#   3 pass within five points and none within one. On these lists our metric never passes.

# %%
import numpy as np
import pandas as pd
from IPython.display import display
from matplotlib import pyplot as plt

from nbhelpers.base import plots, stats, teaching
from nbhelpers.results import claims, estimates, evidence, tables
from nbhelpers.studies.meaningbert import experiment, measures, ratings, sanity
from nbhelpers.studies.meaningbert.sanity import checks

plots.theme()
found = evidence.load("meaningbert-csmd")  # the 1,355 rated pairs, one line each
trained = evidence.load("meaningbert-trained")  # what models trained on folds of the 1,355 give for their test parts
table5 = {labels: experiment.summary(found, trained, labels) for labels in experiment.LABELS}
test = experiment.test_part(found, trained)  # of the published split: not in the shipped model's training
own = ratings.summary(test[["collection", "source", "restored", "meaningbert"]], "restored")
shown = pd.concat([own, table5["restored"]]).set_index("row").loc[list(measures.FIGURE)].reset_index()
where = {"Pearson": "all collections together", "Pearson within collections": "within collections"}
shown = shown.assign(where=shown["column"].map(where), row=shown["row"].map(measures.FIGURE)).dropna(subset=["where"])
shown["kind"] = np.where(shown["row"].str.startswith("no meaning"), "no meaning", "metric")
options = {"grey": "no meaning", "title": "Agreement with people, by corrected labels"}
options["xlabel"] = "Pearson's correlation with people, 95 % interval; n: sources, 10 splits if not said"
figure = plots.dots(shown, by="kind", panels="where", **options)
figure.axes[1].text(0.3, list(measures.FIGURE).index(experiment.COLLECTION), "no value (constant)", va="center")
said = shown["row"] + shown["value"].map(" {:.2f}".format)
alt = ". ".join(f"{one}: {'; '.join(said[shown['where'] == one])}" for one in where.values())
plots.show(figure, name="05_correlation", alt=f"Correlations with people's ratings. {alt}.")

# %% [markdown]
# **Four models have nearly the same name.** *DA* is data augmentation: identical pairs, and pairs with another real
# sentence, added to the training. (The paper's unrelated texts are *word soups*, random words.) *Adapters* are added weights.
#
# | name | what it is | where it stands |
# |---|---|---|
# | *MeaningBERT* | the paper's: all of BERT-base, 250 epochs. Not released; a [later version](https://huggingface.co/davebulaval/MeaningBERT) could not be run here | in brackets |
# | *MeaningBERT with DA*, *without DA* | adapters on the upper half of a six-layer encoder, three epochs, trained for each of ten random splits | figure above (*3 epochs*), Table 5 |
# | *MeaningBERT without DA*, trained once | the same recipe, on the parts first released | Tables 6 and 7 |
# | *MeaningBERT shipped* | adapters on all layers, up to eight epochs, with DA, trained once on corrected labels. A *calibration*, a straight line cut at 0 and 100, then fits it to the checks' thresholds 95 and 5 (*uncalibrated*: without it) | figure above; texts from elsewhere; Tables 6 and 7 |
#
# **How to read it.** *Pearson* is the [correlation](../docs/glossary.md#pearsons-correlation) with people's ratings; *within
# collections*, each collection's mean is subtracted first. METEOR, ROUGE, BLEU and SARI count what the two texts
# share; *source recall* is the share of the sentence's words that are kept. Over all collections, each count of shared words
# in the figure is behind the length ratio (paired comparison).
#
# The test pairs are those of one random split for the shipped model, ten for all others. So compare them by *What does
# training add?*, whose [paired differences](../docs/glossary.md#paired-bootstrap) use the same pairs. The intervals do
# not cover chance in training. On the 70 test pairs with a source new to its training part, the shipped model is still ahead
# over all collections; within them, a lead over its encoder is shown only without the 12 whose source is in the development
# part, which chose the epoch.
#
# | | |
# |---|---|
# | **Afterwards you can** | read a correlation beside what trivial predictors reach, tell correlation from R², put any metric through two sanity checks, and say what they cannot see |
# | **You need** | [correlation](../docs/glossary.md#pearsons-correlation) and [mean squared error](../docs/glossary.md#rmse) |
# | **Time** | half a minute on one CPU core |
# | **Before and after** | [04_srl_predicates](04_srl_predicates.ipynb) · [06_pyramid_embeddings](06_pyramid_embeddings.ipynb); the data of this paper: [10_csmd_audit](10_csmd_audit.ipynb) |

# %% tags=["parameters"]
metrics = ["token-f1", "bleu", "rouge1-f1", "bertscore-f1", "sentence-transformer"]  # rated in this run
meaningbert = "embedded"  # the shipped MeaningBERT, davebulaval/MeaningBERT, or a folder
sanity_sentences = 15  # news sentences for the sanity checks
dose_sentences = 5  # news sentences that are edited
resamples = 1000  # bootstrap resamples behind the intervals of this run

# %% [markdown]
# ## A sentence and five versions of it
#
# A metric should rate the paraphrase high, the shortened version lower, and the versions that change *who*, *whether* or
# *what* lowest. **Look at** the order in each row.
#
# **Exercise 1 · predict, then run** · `05_negated`
#
# Which of these three will all five metrics rate highest: (a) the paraphrase; (b) the shortened version; (c) the one in which
# council and mayor are swapped?

# %%
sentence = "The council approved the new bridge on Monday although the mayor had warned of its cost."
versions = {
    "paraphrase": "On Monday councillors agreed to build the bridge despite the mayor's warning that it is expensive.",
    "shortened": "The council approved the new bridge.",
    "negated": "The council did not approve the new bridge on Monday although the mayor had warned of its cost.",
    "swapped": "The mayor approved the new bridge on Monday although the council had warned of its cost.",
    "unrelated": "Octopuses can remember the smell of a predator for more than a week.",
}
few = ["bleu", "rouge1-f1", "bertscore-f1", "sentence-transformer", "meaningbert"]
example = measures.rate([(sentence, version) for version in versions.values()], few, rater=meaningbert)
example = example.rename(columns=measures.title).set_axis(list(versions)).T.round(0).astype(int).astype(str)
tables.plain(example, "Ratings of five versions of one sentence, 0 to 100")

# %% [markdown]
# Every metric rates the swapped version above the paraphrase, the trained one included.
#
# ## The metrics beside people
#
# The study has no reference texts, so the source sentence stands in for them. Here are 250 pairs written for this project, which
# we rated ourselves. They are meant to mislead: many shared words often go with another meaning.
# [BERTScore](../docs/glossary.md#bertscore) compares the vectors of words, *Sentence Transformer* those of sentences; Token F1
# counts shared words. **Look at** the order of the metrics in both columns of correlations.

# %%
news = sanity.lee_sentences(sanity_sentences)
edited = sanity.graded_edits([one.text for one in sanity.lee_sentences(dose_sentences, seed=1)], [1.0])
asked = pd.concat([checks.own_pairs(), checks.news_pairs(news), sanity.edited_pairs(edited)], ignore_index=True)
known = evidence.load("meaningbert-sanity")  # pairs for the sanity checks, edited and adversarial pairs
items = checks.run(asked, [*metrics, *measures.RATERS], rater=meaningbert)
adversarial, rated = checks.adversarial(known), checks.adversarial(items)
hard_recorded, hard_here = (one[~one["kind"].isin(["unrelated", "related topic"])] for one in (adversarial, rated))
same = found[["source", *experiment.LABELS, *metrics]]
options = {"of": "same metrics on CSMD, 1,355 pairs, published labels"}
options["model"] = f"{len(rated)} pairs, others, rated by us"
caption = "Weakest metric of vectors minus strongest of words, correlation with the ratings"
tables.headline(caption, measures.gap(same), measures.gap(rated, resamples=resamples), **options)
rows = [measures.title(name) for name in measures.known(rated)]
less = ratings.summary(hard_here, resamples=resamples).query("column == 'Pearson'")
less = less.assign(column=f"Pearson, {len(hard_here)} harder pairs")
agreement = pd.concat([ratings.summary(rated, resamples=resamples), less])
caption = f"Agreement with the ratings, this run, {len(rated)} pairs"
display(tables.beside(agreement, only=rows, caption=caption))
for columns, which in ((same, "these"), (found, "all 20")):
    print(f"First line on CSMD's corrected labels, {which} metrics:", estimates.text(measures.gap(columns, "restored")))
learned = [measures.difference(one, "meaningbert", "sentence-transformer") for one in (adversarial, hard_recorded)]
print("MeaningBERT shipped minus Sentence Transformer, Pearson:", "; ".join(map(estimates.text, learned)))

# %% [markdown]
# The signs depend on our choice of pairs. Over all 250 only BLEU is shown to correlate *negatively* with our ratings; without
# the 26 easy ones (*unrelated*, *related topic*) every metric is, except the Sentence Transformer. Vectors stay ahead of shared
# words, and the encoder (*Sentence Transformer*) of the trained metric (last line); BERTScore F1 is shown to lead it
# only over all 250.
#
# [R²](../docs/glossary.md#r2) compares a metric's errors with those of always giving the mean; below 0 they are
# larger. Here it is negative throughout: a metric can order pairs partly right and still miss the scale.
#
# By the first lines, the same metrics of vectors lead on CSMD, the paper's data, on published and on corrected labels.
# Over all 20 metrics, a lead on corrected labels is not shown.
#
# **Exercise 2 · write code** · `05_r_squared`
#
# Write the [coefficient of determination](../docs/glossary.md#r2): 1 minus a fraction. Its numerator is the sum of
# squared errors of the predictions, its denominator that of always predicting the mean of the people's ratings.


# %%
def r_squared(predictions, people): ...


teaching.check("05_r_squared", r_squared)

# %% [markdown]
# ## Two sanity checks
#
# A [sanity check](../docs/glossary.md#sanity-check) asks for the obvious. A metric *passes* here if 95 of 100 ratings,
# rounded, reach the threshold. Our *word soups* are random words of other news sentences; *unrelated* is a real sentence of
# another article without a common content word.

# %%
soup = sanity.word_soup([sanity.ArticleSentence(sentence, "own"), *news])[0].candidate
display(tables.plain(pd.DataFrame({"sentence": [sentence], "word soup": [soup]}), "Table 4: ours", index=False))
columns = ["identical ≥ 95", "word soup ≤ 5", "word soup ≤ 1", "unrelated ≤ 5", "unrelated ≤ 1"]
caption = f"News sentences: {(known['list'] == 'lee').sum() // 3} recorded, {len(news)} in this run"
here = checks.summary(items, "lee")
display(tables.beside(checks.summary(known, "lee"), here=here, only=rows, columns=columns, caption=caption))
caption = "The authors' own lists, recorded"
display(tables.beside(checks.summary(known, "csmd"), only=rows, columns=columns, caption=caption))
bare = [(one.source, one.candidate.rstrip(".")) for one in sanity.word_soup(news)]
print(
    f"BLEU of {len(bare)} word soups without their full stop: at most {measures.rate(bare, ['bleu'])['bleu'].max():.0f}"
)

# %% [markdown]
# At the thresholds 95 and 5, BLEU passes on news and on the authors' own lists; at stricter thresholds it does not
# always. At 1 it fails on our word soups because it counts the full stop at the end of both texts. Without the full stop it
# gives 0.
#
# Metrics of single words fail with real sentences, where *the* and *of* lift most pairs above 5. With word soups, which
# share few words or none, they pass at 5; at 1 they fail on the authors' list.
#
# The shipped model as trained (*uncalibrated*) passes the check with identical sentences and fails both others. Its
# training had no word soups, and it rates too few of them low: 69 of 100 on news, 56 on the authors' list. The
# calibration lifts this to 97 and 84. On news that is enough by the count, though the interval reaches below 95. It
# was fitted to these thresholds, so the uncalibrated row is fairer. On the authors' list the calibrated model fails
# even with identical sentences. Most of that list's sentences stand in its training part.
#
# **Exercise 3 · write code** · `05_share`
#
# Write the share of ratings that reach a threshold after rounding to the nearest whole number.


# %%
def share_reaching(ratings, threshold): ...


teaching.check("05_share", share_reaching)

# %% [markdown]
# ## What neither check shows: changes that all five metrics rank too high
#
# Here are the 250 pairs by kind of change. Ranks (0 lowest, 100 highest) make scales comparable. **Look for** rows dark for us
# and light for a metric.

# %%
names = ["people", "token-f1", "bleu", "bertscore-f1", "sentence-transformer", "meaningbert"]
values = (
    adversarial[names]
    .rename(columns={name: measures.title(name) for name in names[1:]})
    .rename(columns={"people": "our own ratings", measures.title("meaningbert"): "our trained metric"})
    .rank(pct=True)
    .mul(100)
)
ranks = values.groupby(adversarial["kind"], observed=True).mean().sort_values("our own ratings")
figure, axes = plt.subplots(figsize=(9.2, 6.6))
axes.imshow(ranks, cmap=plots.SEQUENTIAL, vmin=0, vmax=100, aspect="auto")
for (row, column), value in np.ndenumerate(ranks.to_numpy()):
    axes.text(
        column, row, f"{value:.0f}", ha="center", va="center", color="white" if value < 45 else "black", fontsize=12
    )
counts = adversarial["kind"].value_counts()
axes.set(xticks=range(ranks.shape[1]), xticklabels=[c.replace(" ", "\n") for c in ranks.columns])
axes.set(yticks=range(len(ranks)), yticklabels=[f"{kind} (n = {counts[kind]})" for kind in ranks.index])
axes.grid(False)
half = values.groupby(adversarial["kind"], observed=True).sem().mul(1.96).stack().median()
title = "All five metrics rank reversals and swaps high, lexical paraphrases low"
axes.set_title(f"{title}\nMean rank, {len(adversarial)} pairs (typical 95 % interval: ±{half:.0f})")
worst = ranks.iloc[:, 1:].sub(ranks["our own ratings"], axis=0).stack().idxmax()
alt = f"Mean rank of {len(adversarial)} pairs by kind of change, by our own ratings and five metrics. Most overrated: "
plots.show(figure, name="05_kinds", alt=f"{alt}'{worst[0]}' by {worst[1]}, rank {ranks.loc[worst]:.0f}.")

# %% [markdown]
# We rank reversals (*rose* for *fell*), swapped roles and negations low, and all five metrics rank them high.
# Simplifications and lexical paraphrases we rank high and they rank low.
#
# In numbers: *turned* pairs are the negations, reversals and role swaps that we rate below 50. *Kept* pairs are the
# paraphrases, simplifications and sentence splits rated 80 or more. How often does a metric rate a kept pair above a turned
# one (the [AUC](../docs/glossary.md#auc); .5 is guessing)? The last two columns divide the kept pairs: in *new words* (lexical
# paraphrases, simplifications) or mostly the *same words*.

# %%
parts = [checks.noticed(items, resamples)]
in_words = {
    "new words": ["lexical paraphrase", "simplification"],
    "the same words": ["syntactic paraphrase", "sentence split"],
}
for words, kinds in in_words.items():
    some = checks.noticed(items[~items["kind"].isin(checks.KEPT) | items["kind"].isin(kinds)], resamples)
    some = some[some["column"].str.startswith("AUC")]
    parts.append(some.assign(column=f"AUC, kept in {words}"))
turned = pd.concat(parts)
turned["column"] += turned["n"].map(", n = {:.0f}".format)
caption = "Turned pairs that pass as the same, and kept against turned: pairs of this project, this run, n = pairs"
tables.beside(turned, only=rows, caption=caption)

# %% [markdown]
# Against all kept pairs every metric lies clearly below .5: on these 78 pairs it mostly rates a sentence that says something
# else above another sentence's faithful version. Against those kept in new words no metric here exceeds .03; against those
# kept in the same words the Sentence Transformer is near .5, and the others are below.
#
# The encoder has the same fault: the training did not cure it. This rests on 33 turned and 45 kept pairs that we wrote to
# mislead; how often real texts do this is not shown.
#
# **Exercise 4 · open question** · `05_augment`
#
# Find ten pairs that change the meaning and that MeaningBERT rates above 80. What would you add to the training, and
# how would you make sure that the training does not contain the test?
#
# **Exercise 5 · predict, then run** · `05_doses`
#
# Next comes the same AUC for news sentences under eight kinds of edits. Three keep the meaning (all capitals, the
# sentence twice, a typo in every longer word). Five change it (word order, negation, names, numbers, all but the
# first word cut off).
# For most metrics, will the AUC be (a) higher; (b) lower; (c) the same?

# %%
area = "AUC, meaning kept against changed"
areas = []
for some in (known, items):
    lines = [{"row": measures.title(name), "column": area, "value": sanity.detection(some, name)} for name in names[1:]]
    areas.append(estimates.frame(lines))
caption = f"News sentences under whole edits: 60 recorded, {dose_sentences} in this run"
display(tables.beside(areas[0], here=areas[1], caption=caption))
whole = known[(known["list"] == "edits") & (known["dose"] == 1)]
lines = []
for kind, part in whole.groupby("kind", observed=True):
    row = f"{sanity.edits()[kind].meaning}: {kind}, n = {len(part)}"
    lines += [{"row": row, "column": measures.title(name), "value": stats.bootstrap(part[name])} for name in names[1:]]
means = estimates.frame(lines).sort_values("row", kind="stable")
tables.beside(means, caption="Mean rating of whole edits, recorded, n = sentences")

# %% [markdown]
# All five metrics are higher here than on the turned pairs. Those of vectors and the trained one are near .70, but they do not
# see capitals: without that edit they are near .55. So the choice of edits decides.
#
# The mean hides opposite results: the trained metric rates repetitions near 100 and cut sentences 0, but sentences full of typos
# near 0 and negated ones nearly 90. No person has rated these edits.
#
# ## Beside the paper
#
# The article's tables are pictures, which our plain-text copy lacks; those of Tables 2 and 3 are in the authors' repository.
# So brackets contain the published number where it is known, else the article's words. **Look for** the columns Simplicity-DA
# and SimpDA2022: their headings are exchanged in print.

# %%
statistics = ratings.collections(found)
sizes = (
    statistics["table1"]
    .pivot(index="row", columns="column", values="value")
    .loc[list(dict.fromkeys(statistics["table1"]["row"]))]
)
sizes = sizes.rename_axis(None).rename_axis(None, axis=1).round().astype(int)
display(tables.plain(sizes, "Table 1: the four collections of CSMD, and all of them"))
display(tables.beside(statistics["table3"], "meaningbert/table3", caption="Table 3: the ratings of each collection"))
texts = tables.beside(
    statistics["table2"], "meaningbert/table2", caption="Table 2: words and sentences of each collection"
)
tables.folded("Table 2: how long the texts are, and how many different words they have", texts)

# %% [markdown]
# With the two headings swapped back, Table 3 agrees in every cell, up to rounding. In Table 2 vocabularies and source
# lengths agree within a tenth. Our simplifications are longer: we count words per text, and a simplification often has two
# sentences.
#
# The collections differ in their mean ratings (Table 1). So a metric gains by telling them apart, and the mean of a
# pair's collection is a baseline.
#
# Next come Tables 5 and 6 in short, on published labels: means over ten random splits with 407 test pairs each.
# *Near-expected* is 99 or more; a metric that the article does not name as above .39 is taken to be below .21.
#
# **The column *identical ≥ 99* does not show what augmentation does.** There the row *without DA* is a model trained
# once on published labels. The shipped model, uncalibrated and trained on corrected labels, stands in for the one
# with DA. The last three tables say **what training and augmentation add**.

# %%
absent = dict.fromkeys(["BLEURT", "LENS", "QuestEval"], "its package is not installed here")
absent |= dict.fromkeys(["AM of BLEU and SAMSA", "GM of BLEU and SAMSA"], "SAMSA's package is not installed here")
trivial = [*map(measures.title, measures.TRIVIAL), experiment.COLLECTION]
reasons = {row: absent.get(row, "not recorded") for row in measures.TABLE5}
stand_in, corrected = measures.title("meaningbert-raw"), measures.title("meaningbert")
wide = ["identical ≥ 95", "identical ≥ 99", "word soup ≤ 5", "word soup ≤ 1", "unrelated ≤ 5", "unrelated ≤ 1"]
slow_of = found[["collection", "source", *experiment.LABELS, *measures.SLOW]]
reasons |= {experiment.WITH: f"for the checks see {stand_in}", "FKGL": "a school grade, no rating"}
shape, full = {"only": measures.TABLE5, "empty": reasons}, []
for kind in experiment.LABELS:
    cells = pd.concat([table5[kind], ratings.summary(slow_of, kind)])
    options = {"caption": f"Table 5, {kind.replace('restored', 'corrected')} labels", "also": trivial}
    full.append(tables.beside(cells, columns=list(measures.AGREEMENT), **shape, **options))
shares = pd.concat([checks.summary(known), experiment.checks(known, trained)])
full.append(tables.beside(shares, **shape, also=[stand_in, corrected], columns=wide, caption="Tables 6 and 7, shares"))
said = pd.DataFrame({row: measures.printed(row) for row in measures.TABLE5}).T
every = pd.concat([table5["published"], ratings.summary(slow_of), shares])
short = tables.layout(every, **shape, also=[stand_in, *trivial], columns=list(said))
short[list(said)] += (" " + said).reindex(short.index).fillna("")
n = every.loc[every["row"].isin(said.index) & every["column"].isin(list(said)), "n"]
caption = f"Tables 5 and 6, in short, n = {n.min():.0f} to {n.max():.0f}: ours [95 % interval] (the article's words)"
display(tables.plain(short, caption))
display(tables.folded("All numbers: Table 5 on both kinds of labels, Tables 6 and 7", *full))

# %%
caption = "What does training add? Pearson of trained models minus that of others (n = source sentences)"
display(tables.beside(experiment.training_adds(found, trained), caption=caption))
errors, gains = [], []
for labels, name in zip(experiment.LABELS, ("published", "corrected")):
    for rival in (*experiment.RIVALS[:2], experiment.COLLECTION):
        value = experiment.over_folds(experiment.WITH, found, trained, minus=rival, measure="RMSE", labels=labels)
        column = f"{name} labels, 10 splits (n = {value.n})"
        errors.append({"row": f"minus {measures.title(rival)}", "column": column, "value": value})
    for measure in measures.AGREEMENT:
        more = {"minus": experiment.WITHOUT, "measure": measure, "judged": labels}
        value = experiment.over_folds(experiment.WITH, found, trained, **more)
        gains.append({"row": f"judged by {name} labels", "column": measure, "value": value})
caption = "RMSE of three epochs minus that of others, in points; below 0 its errors are smaller (n = source sentences)"
display(tables.beside(estimates.frame(errors), caption=caption))
caption = "What does augmentation add? Three epochs on published labels, with DA minus without, ten splits"
tables.beside(estimates.frame(gains), caption=caption)

# %% [markdown]
# For the untrained metrics the short table agrees with the article on identical sentences, except that iBLEU and FKBLEU, read
# as its "variations" of BLEU, never reach 99. By correlation, vectors are ahead of words as in the article, but the gap between
# .21 and .39 is not empty here.
#
# Over all collections the shipped model is ahead of every rival, and so is the model of three epochs, if it is judged by
# corrected labels. Within collections, trained and judged on corrected labels, it is ahead of Sentence Transformer, even with new
# source sentences, and no difference from BERTScore is shown. Trained and judged on published labels, no lead over Sentence
# Transformer is shown, and within the collections it is behind both.
#
# Its errors are smaller than those of both rivals, which were never fitted to people's scale
# ([RMSE](../docs/glossary.md#rmse)). But on published labels the mean rating of each
# collection has smaller errors still.
#
# With augmentation, on published labels, RMSE rises by 1.21 points [0.50, 1.84]. Judged by corrected labels, R² and RMSE are
# shown to improve only after a straight line ([10](10_csmd_audit.ipynb)).
#
# **Exercise 6 · read a result** · `05_overlap`
#
# In the short table, the interval of MeaningBERT with DA overlaps that of Sentence Transformer. May you say that the
# two are equally good? (a) Yes, the intervals overlap; (b) no, overlap does not answer that; (c) no, one number is
# higher. Which table above has the [paired difference](../docs/glossary.md#paired-bootstrap), and why is its interval
# narrower than one that you would work out from the two single intervals, as if the systems were judged on different
# pairs?
#
# ## What could be wrong
#
# 1. **Metrics.** BERTScore and Sentence Transformer use the six-layer encoder that MeaningBERT started from; BLANC and Coverage a small masked LM, on
#    300 of the pairs and 100 of each list.
# 2. **MeaningBERT** is smaller and trained for far fewer epochs, with fewer added pairs and without word soups. More layers
#    and epochs together raise the correlation clearly (rows *minus MeaningBERT with DA*). What 250 epochs reach, with or
#    without augmentation, is not shown. The longer training used corrected labels only.
# 3. **Ratings** are not cut to 0–100, except the calibrated ones. SARI of 0/0 is 1, since an identical pair could not
#    reach 100 otherwise.
# 4. **The checks'** word soups are those of the authors' first release; the article's are not known.
# 5. **Intervals** resample source sentences with all their pairs.
#
# **Not shown:** what a crowd would say of our 250 pairs.
#
# ## Try it
#
# Type a sentence and a version of it, or choose an example.


# %%
def rate(source, candidate):
    print(source, "→", candidate)
    for name, value in measures.rate([(source, candidate)], four, rater=meaningbert).iloc[0].items():
        print(f"{measures.title(name):22} {value:4.0f}")


four = ["bleu", "bertscore-f1", "sentence-transformer", "meaningbert"]
ferry = "The ferry sails at noon unless the wind is strong."
texts = ["The ferry does not sail at noon.", "In calm weather the boat leaves at twelve.", "The wind sails at noon."]
for text in texts[1:]:
    rate(ferry, text)
teaching.try_it(rate, {"Sentence": ferry, "Version": texts[0]}, examples=[(ferry, each) for each in texts])

# %% [markdown]
# ## The paper's claims, one by one
#
# The claims about the labels and about leakage are in [10](10_csmd_audit.ipynb). Claims 14 and 15 must not be compared with
# each other: of the models with augmentation only the shipped one has rated the identical pairs, and it differs in more. Where
# the verdict is *not tested with the paper's model*, the number is that of a smaller model, as is that of claim 11.

# %%
of_audit = [f"meaningbert-{number}" for number in (1, 3, 21, 26)]
chosen = [one for one in claims.table("meaningbert")["claim"] if one not in of_audit]
given = claims.table("meaningbert", *chosen)
given = given.sort_values("verdict", key=lambda own: own.map(claims.VERDICTS.index), kind="stable")
names = {"verdict": "verdict", "says": "claim (place)", "published": "paper", "ours": "here", "claim": "number"}
shown = given[list(names)].rename(columns=names)
display(tables.plain(shown, f"{len(given)} claims of the paper, by verdict", index=False))
notes = given[["claim", "size", "likeness", "because"]].rename(
    columns={"claim": "number", "likeness": "tested with", "because": "what was measured, and what limits it"}
)
tables.folded("How each claim was tested, and what limits the test", tables.plain(notes, index=False))
