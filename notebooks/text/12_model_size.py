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
# # 12 · Is it the model or the measure?
#
# **Question.** [NDD](../docs/glossary.md#ndd) asks a [masked language model](../docs/glossary.md#masked-language-model) what it
# expects of the *neighbours* of an edit. It never asks about the edited word itself. When it fails, was the model too weak,
# or does it ask the wrong thing? We change the model, and then the measure.
#
# ## What we found
#
# For noticing a changed meaning, a model that predicts words better helps NDD little. For seeing what hangs on what in a sentence,
# it helps. Best for meaning is one **sentence encoder**, which predicts no words at all; another encoder does no better than base.
#
# * **For meaning, a better language model helps little.** *Base* needs half as many nats a word as *embedded*, the small one that ships.
#   Still it tells broken from kept meaning only a little better than guessing: [AUC](../docs/glossary.md#auc) .62 [.51, .73],
#   on the same 96 pairs .12 [.02, .22] above *embedded*. The 84 grammatical pairs give .66 [.55, .78] and .16 [.05, .27].
#   The plain cosine of base's own vectors gives .84 [.75, .92].
# * **One encoder does far better.** The *MPNet encoder*, from which base was made, was trained to compare sentences. It predicts masked
#   words no better than guessing, and gives NDD .91 [.84, .96], as much as its own [cosine](../docs/glossary.md#cosine). After it was
#   trained to predict words, as base, NDD has .62. The *MiniLM encoder* gives only .63 [.52, .74]. Whether the training data make the
#   difference, or what each position knows of the sentence, is not tested.
# * **Is that still the paper's NDD?** It cannot be told: the rank correlation with the 13 values that the paper prints is .04 [−.51, .71]
#   with the encoder and .60 [−.08, .98] with base.
# * **For grammar it helps much.** On the same sentences base prunes whole branches 12.3 [8.2, 16.7] points more often than the small
#   model, and finds predicates better by 9.5 [4.5, 13.9]. In compression no gain shows: −0.4 [−3.8, 3.1] points of F1. A simple rule is still
#   at least as good.
# * **Seeing the edited word** helps a language model where words change places (PAWS); elsewhere no gain is shown.

# %%
import pandas as pd

from nbhelpers.base import plots
from nbhelpers.results import ledger, tables

plots.theme()
READING = ["nats per word", "words expected first, %", "BLiMP, %"]
RESULTS = ["Spearman with Table 1", "AUC, grammatical pairs", "AUC, minimal pairs"]
MODELS = ["random weights", "MiniLM encoder", "embedded, 7 M tokens", "embedded", "MPNet encoder", "base"]
tables.show("ndd", "models", only=[], also=MODELS, columns=[*READING, *RESULTS])

# %% [markdown]
# *Embedded* was made from the MiniLM encoder, base from the MPNet encoder: each was given a head and trained to predict masked words.
# The encoders stand here as they were before: what a position "expects" are the words whose vectors are nearest to its own.
# Twelve of the 96 edits are ungrammatical; the fifth column leaves them out. In the figure, grey marks the rivals that need no
# NDD: *1 - cosine* of the two sentences' mean vectors, and the *perplexity ratio*.

# %%
recorded = (
    tables.rows("ndd", "models").query("column == 'AUC, minimal pairs'").set_index("row").loc[MODELS].reset_index()
)
seen = tables.rows("ndd", "edited word").query("row in ['1 - cosine', 'perplexity ratio']")
seen = seen[seen["column"].isin(["minimal pairs, base", "minimal pairs, MPNet encoder"])]
seen = seen.assign(row=seen["row"] + ", " + seen["column"].str.removeprefix("minimal pairs, "))
seen = seen[~seen["row"].isin(["perplexity ratio, MPNet encoder"])]
shown = pd.concat([recorded.assign(row="NDD, " + recorded["row"]), seen]).sort_values("value", ascending=False)
figure = plots.forest(
    shown,
    xlabel="AUC: edits that break the meaning score higher",
    title="96 minimal pairs: the MPNet encoder stands out",
    grey=list(seen["row"]),
    reference=(0.5, "chance"),
)
said = "; ".join(f"{one.row} {one.value:.2f}" for one in shown.itertuples())
plots.show(figure, name="12_models", alt=f"Areas under the ROC curve on 96 minimal pairs, with intervals: {said}.")

# %% [markdown]
# NDD is far from chance with the MPNet encoder only. The plain cosine is so with base as well: what base knows of the meaning, NDD
# does not bring out. (The encoder's perplexity ratio is left out: it predicts no words.)
#
# | | |
# |---|---|
# | **Afterwards you can** | tell a weak model from a wrong measure, and say what a masked language model cannot see |
# | **You need** | [01_ndd_cases](01_ndd_cases.ipynb) |
# | **Time** | about a minute to run, half an hour to read; the full profile about an hour, after `make base` |
# | **Before and after** | [11_paraphrase_resources](11_paraphrase_resources.ipynb) · [00_start_here](00_start_here.ipynb) |

# %% tags=["parameters"]
models = ["random weights", "MiniLM encoder", "embedded"]  # "MPNet encoder", "base", any Hugging Face id or path, too
dtype = "float32"  # "bfloat16" is about twice as fast on processors that have it, and a little rougher
blimp = 0  # pairs of each of BLiMP's 67 phenomena, drawn at random; 0: BLiMP is left out
challenge = []  # challenge sets for the edited word, such as ["semantoneg", "paws-wiki"]
challenge_items = 60  # sources of each challenge set, drawn at random
longest = 40  # of texts with at most so many words
resamples = 1000  # bootstrap resamples behind every interval
seed = 0  # of the draws

# %%
import functools
from pathlib import Path

import numpy as np

from nbhelpers.base import stats, teaching
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import NDDSettings, split_words
from nbhelpers.resources import challenge as sets
from nbhelpers.studies.ndd import cases, model_size


@functools.cache
def engine(name):
    if name == "random weights":
        return model_size.with_random_weights(MaskedLM(dtype=dtype), seed)
    if name in model_size.ENCODERS:
        return model_size.encoder_as_masked_lm(name, dtype)
    return MaskedLM(name, dtype=dtype)


pairs = cases.read_minimal_pairs()
texts = [split_words(pair.original) for pair in pairs]
print(f"Live below: {', '.join(models)}; {len(pairs)} minimal pairs, {sum(map(len, texts)):,} words to be read.")

# %% [markdown]
# ## How well does a model read?
#
# Three questions, none of them about NDD. How many [nats](../docs/glossary.md#nat) does a masked word cost (its cross-entropy; 10.3 is the
# logarithm of the vocabulary, so guessing)? How many words did the model expect **before all others**? And does it
# give the grammatical one of two sentences the higher probability (**BLiMP**; guessing gets 50 %)? The first two are asked
# on the unedited sentences of the minimal pairs, written for this project, which no model has seen. What runs here has full
# precision; the tables of recorded results have bfloat16, so digits differ a little. n counts sentences.

# %%
rows, acceptable = [], model_size.read_blimp(each=blimp, seed=seed) if blimp else []
for name in models:
    lm = engine(name)
    found = model_size.reading_rows(lm, texts, resamples=resamples)
    if acceptable:
        hits = stats.bootstrap(model_size.acceptability(lm, acceptable), resamples=resamples)
        found.append({"column": READING[2], "value": stats.percent(hits)})
    rows += [{"row": Path(name).name, "model": lm.loaded.identity, **one} for one in found]
ledger.record_rows("ndd", "models", rows, data="minimal-pairs@own")
table = pd.DataFrame(rows).astype({"value": str}).pivot(index="row", columns="column", values="value")
table.reindex([Path(name).name for name in models])

# %% [markdown]
# The small model is far from guessing, and base (table at the top) reads better still: it spends about half as many nats a word. On
# BLiMP (804 pairs) the small model is halfway between guessing and base, and the MPNet encoder, which cannot predict words,
# is level with the small model (63.8 [60.4, 67.2]).
#
# **Exercise 1 · write code** · `12_choices`
#
# A model spends $h$ nats on a word. Between how many equally likely words does it hesitate? Write that number.


# %%
def choices(nats): ...


teaching.check("12_choices", choices)

# %% [markdown]
# ## What NDD makes of it
#
# The same models on the paper's Table 1 (rank correlation of our NDD with the printed one) and on the minimal pairs (the
# chance that an edit that breaks the meaning has the higher NDD than one that keeps it). Each further row sets the six broken
# edits of a kind against all 48 that keep the meaning. A kind says what the edit touches: a broken *synonym* is one only in another
# sense (*odd numbers*, *strange numbers*), a broken *agreement error* exchanges the subject as well. **Look for** a kind that base
# mends and the encoder does not.

# %%
rows, measured = [], {}
for name in models:
    lm = engine(name)
    measured[name] = model_size.measure(lm, [(p.original, p.edited) for p in pairs]).assign(
        label=[float(p.kept) for p in pairs],
        kind=[p.kind for p in pairs],
        grammatical=[p.grammatical for p in pairs],
    )
    first = [one for one in cases.table1_rows(lm, NDDSettings(), resamples=resamples) if one["column"] == "NDD"]
    (agreement,) = (one for one in first if one["row"] == "Spearman with the published values")
    rows += [{"row": Path(name).name, "column": RESULTS[0], "value": agreement["value"]}]
    sound = measured[name][measured[name]["grammatical"]]
    for column, some in ((RESULTS[1], sound), (RESULTS[2], measured[name])):
        area = stats.roc_auc_interval(1 - some["label"], some["NDD"], resamples=resamples)
        rows += [{"row": Path(name).name, "column": column, "value": area}]
    rows += model_size.kind_rows(measured[name], Path(name).name, resamples=resamples)
if "embedded" in models:
    rows += model_size.difference_rows(measured, "embedded", resamples=resamples)
ledger.record_rows("ndd", "models", rows, data="minimal-pairs@own")


# %%
def cell(table, row, column):
    """A recorded value with its interval and n."""
    found = tables.rows("ndd", table).query("row == @row and column == @column")
    if found.empty:
        return "–"
    value, low, high = (f"{found[end].iloc[0]:.1f}".replace("-", "−") for end in ("value", "low", "high"))
    return f"{value} [{low}, {high}], n = {found['n'].iloc[0]:,}"


kinds = list(dict.fromkeys(one["column"] for one in rows if one["column"].startswith("AUC, ")))
shown = ["random weights", "embedded", "base", "base minus embedded", "MPNet encoder"]
by_kind = tables.in_layout("ndd", "models", only=shown, columns=kinds).T
by_kind.rename(index=lambda column: column.removeprefix("AUC, "))

# %% [markdown]
# No kind is surely of that sort; at aspect the two are alike. Base is above guessing at aspect, negation and agreement errors, not
# at antonyms, tense, numbers and names, though six edits leave wide intervals. Against the small model the gain is sure only in
# synonyms and negations, and in negations random weights do as well as base.
#
# A possible reason: an antonym fits its neighbours as well as the word it replaces. To the encoder it may not matter what *fits*: its
# vectors were trained to say what the sentence is about, and those move with the meaning.
#
# And the three tasks for which the paper uses NDD, from the recorded runs of [02_compression](02_compression.ipynb),
# [03_tree_pruning](03_tree_pruning.ipynb) and [04_srl_predicates](04_srl_predicates.ipynb): NDD minus a rule that needs no
# model, in points. The rules: keep the beginning and the final word; delete determiners, adjectives and adverbs; call every verb a
# predicate. The small model's column has more sentences (n) than base's; only the last column is paired, on base's sentences.

# %%
task = {
    "table2": "compression, F1",
    "table6": "pruning, whole branches of one word",
    "table7": "predicates, mean average precision",
}
column = {"table2": "F1, as in Table 2", "table6": "Subtree 1", "table7": "ENG-ID mAP"}
rule = {
    "table2": "NDD-based (ours) minus Beginning and final word",
    "table6": "NDD-based L_max=3 NDD_max=1.0 minus rule of thumb",
    "table7": "NDD-based Ensemble minus Is a verb, ties at random",
}
smaller = {
    "table2": "NDD-based (ours) minus NDD by embedded",
    "table6": "base minus embedded L_max=3 NDD_max=1.0",
    "table7": "base minus embedded, NDD-based Ensemble",
}

lines = {
    task[t]: [
        cell(t, rule[t], column[t]),
        cell(f"{t} base", rule[t], column[t]),
        cell(f"{t} base", smaller[t], column[t]),
    ]
    for t in task
}
pd.DataFrame(lines, index=["embedded", "base", "base minus embedded"]).T

# %% [markdown]
# In compression base cannot be told from the small model. In pruning it is 12 points ahead of it (whole branches of one word), in
# finding predicates 9 or 10. **There the model was too weak.** But in all three tasks a simple rule without a model stays level with NDD
# or ahead of it.
#
# **Exercise 2 · predict, then run** · `12_help`
#
# NDD never asks about the edited word itself. Suppose it did: by how much do the context's expectations of the old and of the new
# word differ, up or down? Which kind of edit would such a measure notice best: (a) antonyms; (b) agreement errors; (c) synonyms, which it
# should leave alone? Try one edit of each kind in the last cell.
#
# ## A measure that sees the edited word
#
# For each edit we mask all of its words, the old ones in the original and the new ones in the edited text, and compare what
# the model gives them: the absolute log-odds per word, $|\log p(\text{old}) - \log p(\text{new})|$, in nats. For a deletion
# or an insertion it is the surprise of the words that went or came. Added to NDD it has the weight of distance 0, which is 1.

# %%
rows = []
tests = {"minimal pairs": ("yes/no", None)}
for name in challenge:
    known = sets.read(name)
    frame = known.frame
    short = frame[["source", "candidate"]].map(lambda text: len(text.split())).max(axis=1) <= longest
    frame = frame[short & (frame["source"] != frame["candidate"])]
    unit = "item" if known.labels == "best" else "group"
    whole = frame[unit].unique()
    drawn = np.random.default_rng(seed).permutation(whole)[:challenge_items]
    tests[known.name] = known.labels, frame[frame[unit].isin(drawn)].reset_index(drop=True)
for model in models:
    lm = engine(model) if challenge else None
    for name, (labels, frame) in tests.items():
        found = measured[model]
        if frame is not None:
            found = model_size.measure(lm, list(zip(frame["source"], frame["candidate"]))).assign(
                label=frame["label"], item=frame["item"], group=frame["group"]
            )
        rows += model_size.detection_rows(found, f"{name}, {model}", labels=labels, resamples=resamples)
ledger.record_rows("ndd", "edited word", rows, data="; ".join(tests))

# %%
scores = [*model_size.SCORES[:3], "NDD + edited word minus NDD", *model_size.SCORES[3:]]
columns = [
    f"{name}, {model}"
    for name in ("minimal pairs", "semantoneg", "paws-wiki", "summedits")
    for model in ("base", "MPNet encoder")
]
tables.in_layout("ndd", "edited word", only=scores, columns=columns).T

# %% [markdown]
# With base, seeing the word changes nothing on the minimal pairs that these data can show. The same holds for SemAntoNeg (60 items;
# the share in which the one sentence that keeps the meaning has the lowest score; guessing gets .33), where no score of base is
# above guessing, perhaps because the sentence that keeps the meaning changes the most words; and for SummEdits (12 sources), where
# a summary is wrong by a word or two. On PAWS (60 sources), where words are exchanged, the edited word carries a signal that base's
# NDD lacks: a word in the wrong place does not fit there. The encoder, which knows no words to expect, loses by it
# on PAWS and on the minimal pairs; its NDD is already as good as its cosine.
#
# ## What could be wrong
#
# * **96 minimal pairs** give wide intervals. They are ours: other authors would write other edits.
#   [01_ndd_cases](01_ndd_cases.ipynb) counts the 84 grammatical ones.
# * **Few challenge pairs**: those of 60 sources (SummEdits: 12), with at most 40 words. The small model was asked about 51 sources of
#   SummEdits: there, too, the edited word adds nothing that can be shown, .031 [−.007, .070].
# * **Models differ in more than size.** Base was pretrained on a hundred times more text, then tuned for sentence vectors;
#   a head and the last nine layers were trained on masked words afterwards. The small model saw 11 million words of masked text.
# * **The encoders know the task.** They were trained on pairs of sentences, some of them from inference data with antonyms and
#   negations. So .91 says what such training puts into a model, and that NDD can read it out, not that NDD finds it alone.
# * **How an encoder is read** has one free number, the scale before the word vectors. It was .5; with .25 and 1 the MPNet encoder's
#   area is .90 as well.
# * **One sum.** Other weights of the edited word than 1 were not tried, since there is nothing to choose them on.
#
# ## What this does not show
#
# What a model ten times larger would do. Run it: `python -m nbhelpers run --only 12 -p models='["bert-large-uncased"]'`.
#
# **Exercise 3 · read a result** · `12_larger`
#
# A colleague says: "NDD gets better with the model, so a large enough model will solve it." Compare embedded with base, kind by
# kind, under *What NDD makes of it*. Do the rows (a) speak against her; (b) speak for her; (c) both?
#
# **Exercise 4 · open question** · `12_design`
#
# Design a measure that asks a masked language model and notices antonyms, and the test that would convince you.
#
# ## Try it


# %%
def look(original, edited):
    found = model_size.measure(trial, [(original, edited)]).iloc[0]
    print("\n".join(f"{name:16}{value:8.2f}" for name, value in found.items()))


trial = engine(models[-1])
examples = [["The rain was cold.", f"The rain was {word}."] for word in ("hot", "chilly", "colds")]
teaching.try_it(look, {"Sentence": "The rain was cold.", "After the edit": "The rain was hot."}, examples=examples)
