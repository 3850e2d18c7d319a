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
# # 11 · Where paraphrases come from, and what they are worth
#
# **Question.** Which resource of paraphrases links texts that say the same, and does not link texts that differ? This notebook goes on
# from [08](08_paraphrase_evaluation.ipynb), which rebuilds the experiments of one paper.
#
# **Paper.** Kazuho Hirahara, Hidetsugu Nanba, Toshiyuki Takezawa and Manabu Okumura: *Automatic Evaluation of Texts by Using
# Paraphrases*, [LREC 2010](https://cir.nii.ac.jp/crid/1873398392565030912). The authors published no code. Their four
# resources have letters: **S** statistical machine translation (SMT), **D** distributional similarity, **W** WordNet, **N**
# variants of a word. We add **PPDB**, the Paraphrase Database, which was made in the same way as S, from a hundred million sentence
# pairs.
#
# ## What we found
#
# The task is to tell passages that say the same from passages that do not, by the words that they share.
#
# **PPDB helps most, and a stemmer comes second.** Of the single resources PPDB raises the area of ROUGE-1 most. Next comes linking words of
# one *stem* (*complain*, *complains*), which needs no resource; word forms (N) follow closely. PPDB and stems together are not told apart from
# all resources together. It is not the number of pairs: WordNet has three times as many as PPDB and gains much less.
#
# **What the paper relies on adds little here.** WordNet's synonyms add a bit, and nothing that can be seen to PPDB. Our own pairs from
# parallel text add next to nothing, with function words (S) or without (**S″**). Words of similar distribution (D) add nothing that can be
# seen: they are related words, not synonyms.
#
# **The test is hard for a count of shared words, on purpose.** Passages that differ in meaning were chosen to share words. If all pairs are
# chosen like that, ROUGE-1 does far better, and each gain is less than half as large; the order of the best resources stays.
#
# **Of what helps with passages, only word forms help to rank summaries, and only a little.** By references written for each article, N and
# stems gain about a hundredth in rank correlation; PPDB does not gain, with or without its function words. By the paper's own four experiments no single resource is
# shown to gain, once corrected for the number of methods.

# %%
import pandas as pd
from IPython.display import display

from nbhelpers.base import plots, teaching
from nbhelpers.results import claims, estimates, evidence, published, tables
from nbhelpers.studies.paraphrase import experiment, passages

plots.theme()
letters = {"P": "PPDB", "K": "same stem", "PK": "PPDB and same stem", "N": "N, word forms", "W": "W, WordNet"}
letters |= {"C": "S″, by translation, no function words", "D": "D, distributional", "Q": "PPDB, shuffled"}
recorded = evidence.load("paraphrase-passages")  # a line for each topic of DUC 2006 and method
found = passages.summary(recorded).replace({"row": letters})
shown = found.query("column == 'minus ROUGE-1' and row in @letters.values()").sort_values("value", ascending=False)
figure = plots.forest(
    shown.assign(published=float("nan")),
    xlabel="area under the ROC curve, minus ROUGE-1's (DUC 2006)",
    title="Telling passages that say the same: what each resource adds",
    grey=["PPDB, shuffled"],
    grey_label="pairs shuffled",
    reference=(0, "ROUGE-1"),
)
text = "; ".join(f"{one.row} {one.value:+.3f}" for one in shown.itertuples())
plots.show(figure, name="11_passages", alt=f"Area under the ROC curve minus ROUGE-1's, with intervals: {text}.")

# %% [markdown]
# **How to read the figure.** A *summary content unit* is a set of passages that say the same, by people's judgement. A resource is
# good if it links passages of one unit, and not passages of different units. The [area under the ROC
# curve](../docs/glossary.md#auc) says how well the two kinds are told apart; a mark shows how much a resource adds to that of
# ROUGE-1, with a 95 % interval, and n counts topics. The verdict on each claim of the paper that is tested here is at the end.
#
# | | |
# |---|---|
# | **Afterwards you can** | build a paraphrase table from parallel text, judge a resource by what it links, and say whether greedy matching costs anything |
# | **You need** | conditional probability, and the [area under the ROC curve](../docs/glossary.md#auc) |
# | **Time** | half a minute to run (full: a quarter of an hour), an hour to work through |
# | **Before and after** | [08 Evaluating summaries](08_paraphrase_evaluation.ipynb), [06 Pyramid tests](06_pyramid_embeddings.ipynb) · [12 Model or measure](12_model_size.ipynb) |

# %% tags=["parameters"]
collection = "topics"  # summaries in English: topics (ships), realsumm, summeval
pyramids = "shipped"  # passages that say the same; "auto": DUC 2006, if it is found
dictionaries = "shipped"  # "auto": the best WordNet, VarCon and Sudachi synonyms found
parts_of_speech = "nvarx"  # of the WordNet; x: phrases and clauses, which only the shipped lexicon has. The paper: "nv"
parallel = ["shipped"]  # sentence pairs to pivot through; also multi30k, small-parallel-enja
least_count = 1  # how often two phrases must be aligned; 1 only for a tiny corpus
parsed = "shipped"  # for distributional similarity; "auto": the treebanks and news articles found
ppdb = False  # whether this run has the Paraphrase Database, too, if it is found
resamples = 2000  # for intervals and tests

# %% [markdown]
# ## Four tables and their relatives
#
# Every resource becomes the same kind of table: expression → expressions, with a score. Only pairs whose words occur in the texts
# are kept, and each direction counts as a pair. The cell prints five pairs of each resource, drawn at random: which of them would
# you call paraphrases? The table counts the pairs of this run and of the evidence, which uses every resource that we have, and the
# words of REALSumm and SummEval.

# %%
from nbhelpers.metrics.paraphrase.tables import restrict
from nbhelpers.resources import data
from nbhelpers.resources.pyramids import read_pyramids
from nbhelpers.studies.paraphrase import categories, choices, resources, smt, sources
from nbhelpers.studies.paraphrase.collections import open_collection

summaries = open_collection(collection)
located = data.find("duc2006-pyramids", pyramids)
units = read_pyramids(located.path)
words = experiment.words_of(summaries) | passages.words_of(units)
options = dict(dictionaries=dictionaries, parts_of_speech=parts_of_speech, parallel=parallel)
options |= dict(least_count=least_count, parsed=parsed)
four = sources.four_tables("en", words, **options)
made = sources.with_variants(four, restrict(smt.read_ppdb(), words) if ppdb else None)
for letter, table in four.items():
    drawn = pd.Series([(x, y) for x in table.pairs for y in table.pairs[x]]).sample(5, random_state=1)
    print(f"{letter} {table.name}:", "; ".join(" → ".join(map(" ".join, pair)) for pair in drawn))
names = {"C": "S″", "P": "PPDB"}
sizes = resources.summary(evidence.load("paraphrase-resources").query("language == 'en'")).replace({"row": names})
here = resources.summary(resources.run(made)).assign(model="").replace({"row": names})
tables.beside(sizes, here=here, only=["S", "S″", "PPDB", "D", "W", "N"], caption="Pairs of each resource")

# %% [markdown]
# A dictionary lists synonyms. Distributional similarity finds words that are *related*, such as *England* and *France* in the
# paper. According to WordNet hardly any of its pairs are synonyms, far fewer than of PPDB's (last column).
#
# ## Pivoting, step by step
#
# [Pivoting](../docs/glossary.md#pivoting) translates an expression, and translates its translations back: $p(y|x) =
# \sum_f p(f|x)\,p(y|f)$. The cell counts what becomes of the sentence pairs that ship. How many pairs pass the filters of
# section 4.2 (the same number of words, the same parts of speech)?

# %%
pivoted = smt.pivot_table(sources.shipped_sentences(), "en", smt.PivotSettings(minimum_count=1))
for step, number in pivoted.report:
    print(f"{number:8,}  {step}")

# %% [markdown]
# Few of the paraphrase pairs pass the filters, so a small parallel text leaves little. (The table above has only those whose
# words occur in our texts.) One word by hand: if *gale* is translated as 風 half of the time, and 風 is translated back as *storm*
# two times in ten, then this path adds .5 × .2 = .1 to p(storm | gale).
#
# **Exercise 1 · write code** · `11_pivot`
#
# `forward[x]` has the probabilities of the translations *f* of *x*, and `backward[f]` those of the expressions into which *f* is
# translated. Write p(y | x).


# %%
def paraphrase_probability(forward, backward, x, y): ...


teaching.check("11_pivot", paraphrase_probability)

# %% [markdown]
# ## What each resource links
#
# Take two passages of one topic ([06](06_pyramid_embeddings.ipynb) explains these *pyramids*). If they belong to one content unit they say
# the same. The others are of different units, and only those are taken that share at least three words: they look alike and say different
# things. So the test is hard for a count of shared words, on purpose. A good resource raises the recall of the first kind and not of the
# second. As a control, the pairs of S and of PPDB are also shuffled.
#
# **Exercise 2 · predict, then run** · `11_links`
#
# How much of what PPDB gains will *same stem* gain, which knows no dictionary: (a) a tenth; (b) about a third; (c) about two thirds?

# %%
found_as = "shipped topics" if located.is_shipped else located.name
stems = sources.same_stem(passages.words_of(units))
items = passages.run(units, made | {"K": stems})
here = passages.summary(items)
gained = [estimates.estimate(one, "K", "minus ROUGE-1") for one in (passages.summary(recorded), here)]
tables.headline("Same stem minus ROUGE-1, area under the curve", *gained, of="DUC 2006", model=found_as)
called = {"C": "S″", "P": "PPDB", "K": "same stem", "R": "S, shuffled", "Q": "PPDB, shuffled"}
called |= {"PK": "PPDB and same stem", "WN": "W and N", "PDWN": "PPDB, D, W and N", "CDWN": "S″, D, W and N"}
order = ["ROUGE-1", "S", *called.values(), "D", "W", "N"]
caption = f"Passages of the same unit or not; evidence: DUC 2006, this run: {found_as}"
both = [passages.summary(recorded).replace({"row": called}), here.replace({"row": called})]
display(tables.beside(both[0], here=both[1], only=order, caption=caption))
against = passages.summary(recorded, "K").replace({"row": called, "column": {"minus K": "minus same stem"}})
wanted = ["PPDB", "N", "PPDB and same stem", "PPDB, D, W and N", "S″, D, W and N"]
display(tables.beside(against, only=wanted, columns=["minus same stem"], caption="DUC 2006"))
alike = passages.summary(recorded, alike=True).replace({"row": called})
tables.beside(
    alike, only=[*order[:2], *list(called.values())[:3]], caption="DUC 2006, pairs of one unit share three words, too"
)

# %% [markdown]
# Here paraphrases help. The area is low because the pairs of different units were chosen to share words. In the last table the pairs of one
# unit share three words, too: ROUGE-1 is far higher, the order of PPDB and stems is the same, and the gains are less than half. PPDB is above
# stems, and N is hardly below them (second table). More pairs do not mean a greater gain: W has far more than PPDB and gains much less. And
# it is not enough to link *something*: shuffled pairs add nothing.
#
# ## Pairs that hold one way only, and function words
#
# The paper regrets pairs such as 判決 → 敗訴 (*adjudication* → *unsuccessful litigation*), which hold one way only, and hopes for a
# filter. Pivoting makes a pair in both directions; here a pair holds one way only if the other direction is too improbable, or not
# among the first 20 of its expression.
#
# * **S′** keeps the pairs that hold both ways.
# * **S″** drops every pair in which one side has function words only; these are most of what S links (notebook 08).
# * **PPDB** takes the place of S, as it is or without such pairs (**PPDB″**).
#
# Does any of these tables rank the summaries better than S as it is?

# %%
scores = evidence.load("paraphrase-scores")
filters = {"B": "S′, both ways", "C": "S″, no function words", "P": "PPDB", "F": "PPDB″, no function words"}
gained = experiment.gains(scores, list(filters), "S", resamples=resamples).replace({"row": filters})
heads = {"abstract-each": "by written references", experiment.FOUR: "by the best summaries"}
shown = gained[gained["column"].isin(heads)].assign(references=gained["column"].map(heads))
figure = plots.dots(
    shown,
    by="model",
    panels="references",
    xlabel="correlation with people (Spearman), minus S's",
    title="By written references S ranks better without its function words",
    reference=(0, "S as it is"),
)
text = "; ".join(f"{one.row}, {one.column}, {one.model} {one.value:+.3f}" for one in shown.itertuples())
plots.show(figure, name="11_filters", alt=f"Gain of filtered tables over S, with intervals, by experiment: {text}.")
more = {"D": "D, distributional", "W": "W, WordNet", "N": "N, word forms", "ROUGE-1 stemmed": "ROUGE-1 on stems"}
base = experiment.gains(scores, ["S", *filters, *more], resamples=resamples).replace({"row": filters | more})
columns = [experiment.FOUR, "abstract-each", "all-each"]
tables.beside(base, columns=columns, caption="The same tables, minus ROUGE-1")

# %% [markdown]
# The four experiments of the paper (*EX-1 to EX-4*, their mean) take the best summaries as references. There no filter is shown to
# change anything, not even the one that the paper hopes for. With references that were written for each article
# (*abstract-each* ranks abstracts, *all-each* all summaries) S loses on both collections. Without function words the loss is
# gone, but nothing is gained: S″ is level with ROUGE-1. PPDB loses on REALSumm nearly as much as S. It has pairs of function words, too; they
# make up about two thirds of its links. Without them (PPDB″) its loss is gone as well, and again nothing is gained. Word forms (N) and stems
# gain a little by written references.
#
# Why does PPDB help with passages and not with rankings? In the first test a link is right or wrong for one pair. In the second, all
# summaries of an article talk about the same things: a loose link is open to each of them, and lifts poor ones as well. This reason fits; we
# did not test it.
#
# **Exercise 3 · write code** · `11_one_way`
#
# In a table `{x: {y: score}}`, what share of the pairs x → y lacks y → x?


# %%
def one_way_share(pairs): ...


teaching.check("11_one_way", one_way_share)

# %% [markdown]
# ## Does greedy matching cost anything? And the other choices
#
# Greedy matching takes the first match that it finds, and may lose a better one. *Optimal* matching finds as many matches as
# possible. The paper's section 4.1 also leaves four choices open: in which direction a table is read, which phrase comes first,
# whether a word may be matched by a paraphrase although the candidate has the word itself (*literals last*), and whether a
# candidate's word is used up. The table takes all resources together (PPDB as S) and changes one choice at a time. All summaries
# are ranked against each written one (*all-each*). **Look for** a choice that lifts the resources above ROUGE-1.

# %%
chosen = evidence.load("paraphrase-choices")
method = "PDWN" if ppdb else "CDWN"
items = choices.run(summaries, made, [method])
less = (items[f"{method}, greedy"] < items[f"{method}, optimal"]).mean()
print(f"Greedy matching finds fewer matches than possible in {less:.0%} of {len(items)} comparisons of this run.")
both = choices.gains(chosen), choices.gains(chosen, other="PDWN, greedy").assign(column="minus greedy")
wide = pd.concat([choices.summary(chosen).assign(column="Spearman"), both[0].assign(column="minus ROUGE-1"), both[1]])
wide = wide.assign(row=wide["row"].str.replace("PDWN", "all resources"))
display(tables.beside(wide, caption="Ways of matching, REALSumm, PPDB as S, articles"))
mine = choices.summary(items, method).assign(model=collection)
tables.folded(
    "This run", tables.beside(mine.assign(row=mine["row"].str.replace(method, "all resources")), caption="This run")
)

# %% [markdown]
# Greedy matching loses matches (the first line is of this run's texts and tables), but does not spoil the ranking. On REALSumm no choice
# changes the estimate by more than a hundredth, and none is shown to lift the resources above ROUGE-1.
#
# **Exercise 4 · read a result** · `11_optimal`
#
# *Optimal* matching never finds fewer matches than greedy matching, often more. Does that make its ranking better? (a) Yes, higher
# scores are better; (b) no: a ranking depends on who gains more than others; (c) no, since a rank correlation ignores scores
# altogether.
#
# ## Beside the paper: Table 2
#
# Table 2 sorts 318 paraphrases of Japanese summaries by what it takes to explain them: characters (A), words (B), phrases (C),
# clauses (D), others (E). The authors of the paper judged that. Their symbols (◎, ○, △), which they do not define, say how well a
# resource covers a level. We do not have their summaries, so we cannot repeat their judgement. But we can ask how many paraphrases
# our tables *explain*: in this project's own Japanese editorials, the author marked 115. (How many there are of each kind was the
# author's choice and says nothing.)
#
# The first table is the paper's. The second one is ours, on other texts: how many paraphrases are *marked*, how many of these all
# tables together explain, and how many each resource does.

# %%
marked = sources.marked_paraphrases()
pairs, levels = [pair[:2] for pair in marked], [pair[2] for pair in marked]
japanese = sources.four_tables("ja", sources.words_in([text for pair in pairs for text in pair], "ja"), **options)
here = categories.summary(categories.run(pairs, japanese, levels))
printed = published.table("paraphrase/table2")
printed["text"] = (
    printed["text"].where(printed["value"].isna(), printed["value"].map("{:g}".format)).replace("(empty)", "")
)
printed = printed.pivot(index="row", columns="column", values="text").rename_axis(index=None, columns=None)
columns = ["Number of cases", "Share of cases", "SMT", "DS", "WordNet", "NTT"]
display(tables.plain(printed[columns].rename(columns={"Share of cases": "Share of cases, %"}), "Table 2 of the paper"))
explained = categories.summary(evidence.load("paraphrase-categories"))
columns = ["marked", "explained", *"SDWN"]
caption = "Explained by our tables: paraphrases of our own editorials"
tables.beside(explained, here=here, only=[*"ABCDE", "A to D"], columns=columns, caption=caption)

# %% [markdown]
# Most of the marked paraphrases are in none of our tables: all those explained are single characters or words, and of the phrases and clauses
# our tables explain none. (One author marked them; there was no second rater.)
# The paper's 70 % (levels A to D) is therefore an upper bound: the share of paraphrases that such resources *could* cover.
#
# ## What could be wrong
#
# * **Resources.** NTT Goi-Taikai is not available. English variants take its place, and in Table 2 Sudachi's normalised forms.
#   There is parallel news, News Commentary, but our copy is misaligned from its 200th pair on and was not used.
# * **Distributional similarity** comes from decades of newspapers in the paper. Here it comes from treebanks, news articles and
#   plain sentences with a window. The paper does not say which of SMART's term weights it uses; we used *ltc* (logarithm of the
#   count, rarity of the word, length one).
# * **PPDB** here is a copy of its lexical pairs, most of them single words, without directions or probabilities. Each holds both ways by construction, so
#   its share of pairs that hold one way only says nothing, and no threshold could be set.
# * **Filters of pivoting** compare an expression with its paraphrase, as the paper's example does.
# * **Passages** are of 20 topics. The intervals resample topics; that other topics look alike is an assumption.
#
# **What this does not show**: that a link is right. Passages of one content unit say the same as wholes, not word by word; and a
# resource made from other texts, above all from news, might link more and better.
#
# **Exercise 5 · open question** · `11_resource`
#
# Think of a further resource of paraphrases. How would you make it, and which result of the test above would convince you that it
# helps?
#
# ## Try it
#
# Type words in English or Japanese, with spaces between them, or choose some. Each line shows what one of the tables above has
# for a word.


# %%
def look_up(text):
    for word in dict.fromkeys(text.lower().split()):
        known = [table for part in (four, japanese) for table in part.values() if (word,) in table.pairs]
        for table in known:
            targets = table.pairs[word,]
            nearest = sorted(targets, key=lambda target: -targets[target])[:8]
            print(f"{word:12} {table.name:10}", ", ".join(" ".join(target) for target in nearest))
        if not known:
            print(f"{word:12} in none of the tables")


examples = [["council close"], ["storm rain ships"], ["住宅 会社 守る"]]
for (text,) in examples[1:]:
    look_up(text)
teaching.try_it(look_up, {"Words": "council close"}, examples=examples)

# %% [markdown]
# ## The paper's claims, one by one
#
# The other claims of this paper are in [08](08_paraphrase_evaluation.ipynb). EX-1 and EX-3 rank extracts, EX-2 and EX-4
# abstracts.

# %%
claims.found("paraphrase", "paraphrase-10", "paraphrase-13", "paraphrase-14", "paraphrase-16")
