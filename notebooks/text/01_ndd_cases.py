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
# # 01 · Can a language model tell how much an edit changes the meaning?
#
# Change one word of a sentence. A [masked language model](../docs/glossary.md#masked-language-model) (one that fills gaps)
# then expects other words around it. Does the size of that disturbance say how much the *meaning* has changed?
#
# The paper: *A Novel Metric for Evaluating Semantics Preservation* (the NDD paper), sections 1 to 3: Figures 1 and 2,
# Table 1. The paper calls the measure neighboring distribution divergence (NDD).
#
# | | |
# |:--|:--|
# | **Afterwards you can** | compute NDD for any edit, see which words it disturbed, and say what it cannot see |
# | **You need** | a little probability (what a distribution is) |
# | **Time** | one to two minutes to run on two CPU cores, an hour to work through |
# | Previous · next | [Start here](00_start_here.ipynb) · [Sentence compression](02_compression.ipynb) |

# %% [markdown]
# ## What we found
#
# **Only in part.** On 84 labelled edits NDD (with *base*, a model of the paper's size) tells broken from kept meaning better than
# chance: AUC .65 [.53, .77], chance is .5. But the similarity of sentence vectors (*cosine*), which the paper calls too coarse, does
# better still: .84 [.75, .92]. NDD sees what an edit does to the words *around* it, not the edit itself.

# %%
from IPython.display import display

from nbhelpers.base import plots
from nbhelpers.results import claims, ledger
from nbhelpers.studies.ndd import cases

plots.theme()
display(claims.found("ndd", "ndd-1", "ndd-2", "ndd-19", "ndd-20", "ndd-21"))
recorded = ledger.read()
recorded = recorded[recorded.study == "ndd"]
areas = recorded[(recorded.table == "minimal pairs") & (recorded.column == "meaning broken or kept")]
areas = areas[areas.row.isin(cases.MEASURES) & areas.profile.isin(["full", "quick"])].sort_values("profile")
size = areas.profile.map({"full": "base model", "quick": "small model"})
counted = areas.row == "words changed"  # needs no model, so it stands once
areas = areas.assign(row=(areas.row + ", " + size).mask(counted, "words changed, no model")).drop_duplicates(
    "row", keep="last"
)
figure = plots.forest(
    areas,
    xlabel="area under the ROC curve",
    title="Which measure tells broken from kept meaning?",
    grey=["words changed, no model"],
    reference=(0.5, "chance"),
)
described = "; ".join(f"{a.row} {a.value:.2f}" for a in areas.itertuples())
plots.show(figure, name="01_opening", alt=f"Areas under the ROC curve on minimal pairs with intervals: {described}.")

# %% tags=["parameters"]
model = "embedded"  # masked LM: "embedded" (small, ships here), "base", or any Hugging Face id or path
mask = "word"  # one mask for a whole word, or "pieces": one for each of its pieces
weights = "plain"  # plain, official, paper or uniform (the paper does not say which Table 1 used)
mu = 0.9  # decay of a neighbour's weight with its distance
pairs_file = ""  # minimal pairs to read instead of the shipped ones (same columns)
resamples = 2000  # bootstrap resamples behind every interval
seed = 0  # of those resamples

# %%
from matplotlib import pyplot as plt

from nbhelpers.base import stats, teaching
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import NDDSettings, ndd, ndd_signature, split_words
from nbhelpers.results import tables

lm = MaskedLM(model, mask=mask)
settings = NDDSettings(weights=weights, mu=mu)
signature = ndd_signature(lm, settings)
print("This run uses the model", lm.loaded.identity, "on", lm.loaded.device)

# %% [markdown]
# **How to read the figure.** Each of the 84 pairs is a sentence and one small edit that keeps the meaning or breaks it. The
# area under the ROC curve ([AUC](../docs/glossary.md#auc)) is how often a breaking edit scores higher than a keeping one; 0.5
# is chance. The rivals of NDD are the [perplexity](../docs/glossary.md#perplexity) of the edited sentence divided by that of
# the original; 1 minus the [cosine](../docs/glossary.md#cosine) of the two sentences' vectors; and the number of words
# changed, the trivial baseline.
#
# With the small model no interval lies above chance. With the base model, which has the size of the paper's BERT, NDD is
# above chance and cosine is higher. The reason runs through this notebook: **NDD looks at the neighbours of the edited word,
# never at the word itself.** An opposite can fit its neighbours as well as a synonym does.
#
# Two cautions. The base model's encoder was once tuned for sentence vectors, which helps its cosine; the paper's BERT was not.
# And what runs live here is the small model, so that it takes seconds; where tables show the base model, it was recorded.
#
# ## What NDD asks
#
# Take a sentence and an edit. Mask one of the *other* words and let the model say which words it expects there: a
# distribution $d$ over the vocabulary. Do the same in the edited sentence: $d'$. NDD adds up how far the two lie apart,
# measured by the [Kullback-Leibler divergence](../docs/glossary.md#kullback-leibler-divergence) $D_{KL}$ (0 if nothing has
# changed). Near words count more, since $\mu$ is below 1 (section 2; the paper draws it as its Figure 2):
#
# $$\mathrm{div}_k = D_{KL}(d'_k \,\|\, d_k), \qquad
# \mathrm{NDD} = \sum_{k\ \text{unedited}} \mu^{\text{distance of } k \text{ to the edit}}\ \mathrm{div}_k.$$
#
# ## Figure 1: a bank by a lake, a bank in a town
#
# *The man sits beside the bank of the river.* With *lake* in place of *river* the bank still lies by the water. With *town*
# it may be a bank of money. Look for the darkest cells: the words whose distribution moved most. The number under each word is
# its divergence; the box is the edited word, which NDD leaves out. Each model has its own colour scale.
#
# **Exercise 1 · predict, then run** · `01_bank`
#
# Which word disturbs more, and where will a model of the paper's size be disturbed most: (a) *lake*, at the end of the
# sentence; (b) *town*, at *bank* and the words beside it; (c) both equally, since one word changes?
# Check a choice in a cell of your own, for example with `teaching.check("01_bank", "a")`.

# %%
for table, rows in cases.figure1_rows(lm, settings).items():
    ledger.record_rows("ndd", table, rows, signature=signature)
each = ledger.read().query("study == 'ndd' and table == 'figure1, each word'")
figure, axes = plt.subplots(4, 1, figsize=(9, 5.0))
places = [(profile, edit) for profile in ("full", "quick") for edit in cases.FIGURE_1[1:]]
for axis, (profile, edit) in zip(axes, places):
    part = each[(each.profile == profile) & (each.column == edit)]
    words = [edit if note == "edited" else row.split()[1] for row, note in zip(part.row, part.note)]
    values = [None if value != value else value for value in part.value]
    highest = each[each.profile == profile].value.max()
    plots.word_strip(axis, words, values, highest=highest, edited=[words.index(edit)])
    axis.set_title({"full": "base model", "quick": "small model"}[profile], fontsize=11, pad=2)
alt = "Four strips of words shaded by divergence. Base model: of, bank and beside are the darkest with town. Small model: man."
plots.show(figure, name="01_bank_strip", alt=alt)
edits = [f"Replacement that {what} the meaning" for what in ("preserves", "changes")]
tables.show("ndd", "figure1", only=edits, columns=["NDD", "Cos.Sim.", "NDD relative to the other replacement"])

# %% [markdown]
# Both models agree with the paper: *town* disturbs the sentence much more than *lake*, with base 6.6 times as much. (The table shows the base
# model.) It is disturbed where a reader would be, at *bank* and at the words beside it. The small model is disturbed most at
# *man*. Why there? Look at the words that each model expects in the place in brackets.

# %%
expected = ledger.read().query("study == 'ndd' and table == 'figure2'")
expected = expected.assign(words=expected.note + " " + (100 * expected.value).round().astype(int).astype(str) + " %")
expected = expected.groupby(["row", "profile"], sort=False).words.agg(", ".join).unstack(sort=False)
expected = expected.rename(columns={"quick": "small model", "full": "base model"})
expected.rename_axis(index="in the place of", columns=None)[["base model", "small model"]]

# %% [markdown]
# For *bank* the base model expects parts of a river or a lake (*bottom*, *edge*), and parts of a town (*corner*, *walls*) after
# the edit: the sense of the place has changed. In the place of *man* neither model expects a
# person: the small one *river* or *town*, base *house* or *village*. Both repeat the topic instead of asking who sits there, but
# only in the small model is this the largest change, an echo of the edited word. A weak model can give a plausible NDD for a wrong
# reason.
#
# **Exercise 2 · write code** · `01_divergence`
#
# Write $D_{KL}(d' \,\|\, d) = \sum_w d'(w)\,\log\bigl(d'(w) / d(w)\bigr)$ in [nats](../docs/glossary.md#nat) for two lists of
# probabilities, `before` ($d$) and `after` ($d'$). What does a word add whose probability `after` is 0?


# %%
def divergence(before, after): ...


teaching.check("01_divergence", divergence)

# %% [markdown]
# ## Beside the paper: Table 1
#
# Thirteen edits of *I am walking in the cold rain*, with three measures by the base model: perplexity of the edited sentence
# (PPL), NDD, and the cosine of the two sentences' vectors. The size of an NDD depends on the model, so compare the *order* of
# the edits, not the numbers. The last rows do that: the rank correlation
# ([Spearman](../docs/glossary.md#spearmans-correlation)) with the paper's column, and the share of eleven comparisons that the
# paper names or implies (*cool* changes less than *hot*, and so on) that come out as it says. Two rows
# repeat the correlation with other weights, explained under *Differences from the paper*.

# %%
rows = cases.table1_rows(lm, settings, resamples=resamples, seed=seed)
ledger.record_rows("ndd", "table1", rows, signature=signature)
summary = ["Spearman with the published values", "Orderings held"]
summary += [f"Spearman with the published values, {name} weights" for name in ("official", "paper")]
tables.show("ndd", "table1", also=summary, columns=["PPL", "NDD", "Cos.Sim."])

# %% [markdown]
# **Exercise 3 · read a result** · `01_orderings`
#
# Look at the row of Spearman's correlation, and at its three intervals. What may you say: (a) NDD orders the edits better
# than its rivals; (b) the three measures order them equally well; (c) neither?
#
# ### Which edits rank differently from the paper?
#
# Thirteen edits of one sentence are few. Steep lines show where our order differs from the paper's.

# %%
ranks = tables.rows("ndd", "table1").query("column == 'NDD' and published > 0").set_index("row")[["published", "value"]]
ranks = ranks.loc[[row for row in ranks.index if row != cases.INITIAL_SENTENCE]].rank()
figure, axes = plt.subplots(figsize=(6.4, 4.8))
for row, (theirs, ours) in zip(ranks.index, ranks.to_numpy()):
    far = abs(theirs - ours) > 3
    axes.plot([0, 1], [theirs, ours], "--o" if far else "-o", color=plots.PALETTE[int(far)], linewidth=2.2)
    axes.text(-0.04, theirs, cases.edit_label(row), ha="right", va="center")
    axes.text(1.04, ours, cases.edit_label(row), ha="left", va="center")
axes.set(xlim=(-0.5, 1.5), xticks=[0, 1], xticklabels=["paper", "here, base model"], ylabel="rank of NDD (1 = mildest)")
axes.set_title("Thirteen edits, ranked by NDD")
axes.grid(False)
moved = ranks[abs(ranks.published - ranks.value) > 3].index.map(cases.edit_label)
alt = f"Slope chart of the ranks of 13 edits in the paper and here. More than three ranks apart: {', '.join(moved)}."
plots.show(figure, name="01_table1_ranks", alt=alt)

# %% [markdown]
# *He is* falls from near the top to near the bottom. It changes who walks, and yet our model expects nearly the same words
# around it as before. That is the limit from the beginning again.
#
# ## A test with answers: minimal pairs
#
# Table 1 has no labels: its numbers are judged by how sensible they look. The minimal pairs have labels. 96 sentences were
# written for this project, each with one small edit of one of eight kinds. One kind, twelve edits, are agreement errors; of the
# other 84 edits half keep the meaning. Over all kinds, edits of the two labels are alike in size, place and word frequency. No
# measure was looked at while they were written.
#
# Each cell is an AUC by the base model. The first column takes the 84 edits without a grammatical error. The second takes the
# 26 of them that put one word in the place of one other (so the number of words changed says nothing there). The third asks
# another question: do the 12 edits with an agreement error (*He am*) score higher than the 42 sound edits that keep the meaning?

# %%
frame = cases.measure_pairs(lm, cases.read_minimal_pairs(pairs_file or None), settings)
for table, rows in cases.pair_rows(frame, resamples=resamples, seed=seed).items():
    ledger.record_rows("ndd", table, rows, signature=signature, data=pairs_file or "minimal-pairs.tsv")
tables.show("ndd", "minimal pairs")

# %% [markdown]
# The differences at the bottom are [paired](../docs/glossary.md#paired-bootstrap): both measures are compared on the same
# pairs each time. An interval that contains 0 means that these pairs cannot tell the two measures apart. Cosine beats NDD in
# the first column; NDD and perplexity cannot be told apart. NDD finds agreement errors, as the paper says, but perplexity
# finds them even more reliably. Part of that needs no model: an agreement error changes few words, so the .210 of *words
# changed* is .790 if it is read backwards.
#
# **Exercise 4 · write code** · `01_auc`
#
# Given which pairs are broken and their scores, write the share of (broken, kept) comparisons that the broken pair wins, a
# tie counting one half. That is the AUC.


# %%
def area_under_curve(broken, scores): ...


teaching.check("01_auc", area_under_curve)

# %% [markdown]
# ## Why it fails: the neighbours cannot see the edited word
#
# Each point is one of the 84 pairs, with the base model. If NDD worked, the orange triangles would lie to the right of the
# blue circles in every row. Look for rows where they do not. The two tables below list the worst errors of both sorts.

# %%
each = tables.rows("ndd", "minimal pairs, each").set_index("row").value
labels = frame.set_index("id").assign(value=each).query("grammatical")
kinds = list(dict.fromkeys(labels.kind))
figure, axes = plt.subplots(figsize=(7.5, 4.6))
for broken, marker, label in ((False, "o", "meaning kept"), (True, "^", "meaning broken")):
    part = labels[labels.broken == broken]
    heights = part.kind.map(kinds.index) + (0.14 if broken else -0.14)
    axes.plot(part.value, heights, marker, color=plots.PALETTE[broken], label=label, markersize=8, alpha=0.8)
areas = [stats.roc_auc(part.broken, part.value) for _, part in labels.groupby("kind", sort=False)]
names = [f"{kind}, AUC {area:.2f}" for kind, area in zip(kinds, areas)]
axes.set(
    yticks=range(len(kinds)), yticklabels=names, xlabel="NDD (nats)", xscale="log", title="NDD of each minimal pair"
)
axes.set_xticks([0.1, 1.0], ["0.1", "1"])
axes.invert_yaxis()
figure.legend(loc="outside lower center", ncols=2)
middle = labels.groupby(["kind", "broken"]).value.median().unstack()
wrong = ", ".join(middle.index[middle[True] < middle[False]])
alt = f"NDD of 84 pairs by kind. The median of the broken pairs is below that of the kept ones for: {wrong}."
plots.show(figure, name="01_pairs_by_kind", alt=alt)

# %%
columns = ["original", "edited", "value"]
lowest, highest = labels[labels.broken].nsmallest(4, "value"), labels[labels.kept].nlargest(4, "value")
for caption, part in (("Meaning broken, lowest NDD", lowest), ("Meaning kept, highest NDD", highest)):
    styled = part[columns].rename(columns={"value": "NDD"}).style.format(precision=2).hide(axis="index")
    display(styled.set_caption(caption).set_properties(**{"text-align": "left"}))

# %% [markdown]
# *Antonym* points the wrong way, and *tense* and *entity* are at chance (the AUC stands beside the kind). Each row has only twelve
# pairs, so take this as a hint. The tables show why it is plausible: another number, country or tense fits its
# context as well as the word that it replaces. The neighbours stay calm, although the sentence now says something else. An
# edit that says the same in other words can disturb them more. The size of the edit may be part of the failure: where just one
# word takes the place of one other (second column of the table of AUCs), NDD comes out higher, but with 26 pairs the intervals
# of the two columns overlap widely.
#
# **Exercise 5 · read a result** · `01_antonyms`
#
# For antonyms the broken edits tend to score *lower* than the kept ones: the AUC is below 0.5. One of the broken edits turns
# *fell* into *rose*; one of the kept edits turns *was alive* into *was not dead*. Does NDD, read backwards, detect opposites?
# (a) Yes, with the sign turned; (b) these pairs cannot say; (c) no, since a divergence is never negative. What would the pairs
# have to look like to answer it?
#
# ## Every claim of the paper
#
# The other claims belong to the next three notebooks.

# %%
claims.table("ndd").style.hide(axis="index").set_properties(**{"text-align": "left", "vertical-align": "top"})

# %% [markdown]
# ## Differences from the paper
#
# * **Model.** The paper uses BERT-base-cased. The small model here has 22.7 M parameters and is uncased; the base model has
#   110 M and is uncased, too. Run with `-p model=bert-base-cased` for the paper's.
# * **Weights.** Section 2 gives the plain weights $\mu^{\text{distance}}$, the default here. For compression, section 4.3 adds a
#   second term to them. Its formula is the setting `paper`; its index points outside the text, so we count the position from
#   the other end. The authors' code computes something else: the setting `official`, the default of the next notebooks. The
#   rows *official weights* and *paper weights* above show how little Table 1 depends on this.
# * **Insertions.** With plain weights the words beside an insertion have distance 1; the formula would give 0.
# * **Perplexity** has no formula in the paper. Here it is pseudo-perplexity: every word masked in turn.
# * **Orderings.** The paper names few comparisons outright; the others are our reading of its sentences.
#
# ## What this does not show
#
# * One sentence with thirteen edits, chosen by the paper's authors, cannot establish a measure.
# * The minimal pairs have one author, simple language and no second annotator.
# * NDD is a sum that grows with the sentence: compare edits of the *same* sentence.
#
# ## Try it
#
# Type an original and an edit, or choose an example. The strip shows, while you type, which neighbours the edit disturbed.
# The slider sets how quickly a neighbour's weight falls with its distance.


# %%
def show_edit(original, edited, decay):
    before, after = split_words(original), split_words(edited)
    result = ndd(lm, before, after, settings=NDDSettings(weights=weights, mu=decay))
    values = {one.edited_index: one.divergence for one in result.neighbours}
    changed = [i for i in range(len(after)) if i not in values]
    figure, axes = plt.subplots(figsize=(9, 1.2))
    highest = max(values.values(), default=0.0)
    plots.word_strip(axes, after, [values.get(i) for i in range(len(after))], highest=highest, edited=changed)
    axes.set_title(f"NDD {result.value:.2f} nats with μ = {decay:.2f}", fontsize=12)
    plots.show(figure, name="01_your_edit", alt=f"The edited sentence shaded by divergence: {edited}")
    if unknown := lm.unknown(before + after):
        print("The model does not know, and cannot tell apart:", ", ".join(unknown))


bread = "The price of bread fell sharply."
examples = [
    (bread, "The price of bread rose sharply."),
    (bread, "The cost of bread fell sharply."),
    ("He is walking home.", "He are walking home."),
]
fields = {"Original": bread, "Edited": examples[0][1], "μ": (mu, 0.5, 1.0, 0.05)}
teaching.try_it(show_edit, fields, examples=examples, live=True)

# %% [markdown]
# In the stored example the price does the opposite, and the small model's expectations hardly move outside *sharply*.
#
# **Exercise 6 · open question** · `01_edited_word`
#
# NDD compares each neighbour with itself. How could it see the *edited* word? Predict what happens to *fell* and *rose* if
# you compare what the model expects in their place with the word that stands there. Then try it with
# `lm.log_probabilities`.
