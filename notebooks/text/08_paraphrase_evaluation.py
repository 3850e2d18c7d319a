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
# # 08 · Evaluating summaries with paraphrases
#
# **Question.** [ROUGE-1](../docs/glossary.md#rouge-1) scores a summary by the share of a reference's words that it contains. Do
# the scores agree better with people's if paraphrases of these words count as well?
#
# **Paper.** Kazuho Hirahara, Hidetsugu Nanba, Toshiyuki Takezawa and Manabu Okumura: *Automatic Evaluation of Texts by Using
# Paraphrases*, [LREC 2010](https://cir.nii.ac.jp/crid/1873398392565030912). It says yes, above all with three kinds of
# paraphrases together. The authors published no code.
#
# ## What we found
#
# **No, not on these texts.** We ranked real English summaries (the collections REALSumm and SummEval) as the paper ranked Japanese
# ones. None of the paper's fifteen combinations of resources is significantly better than ROUGE-1 in any of its four experiments.
# Gains as large as the paper's best ones are outside our intervals.
#
# **One of our resources is broken, so we replaced it.** The paper's best resource comes from machine translation. Ours was made
# from a small parallel text and mostly links function words, such as *in* with *for*. All conclusions rest on two substitutes: the
# same pairs without function words, and the Paraphrase Database (PPDB), which was made in the same way from a hundred million
# sentence pairs.
#
# **Counting stems does as much.** ROUGE-1 on stems (words without their endings) needs no resource, and no combination of
# paraphrases is significantly ahead of it.

# %%
from nbhelpers.base import plots, teaching
from nbhelpers.results import claims, estimates, evidence, published, tables
from nbhelpers.studies.paraphrase import experiment, links

plots.theme()
recorded = evidence.load("paraphrase-scores")  # a line for each summary and reference: words that each method matches
WORDS = {"PDW": "three resources, PPDB as S", "CDW": "three resources, S″ as S", "ROUGE-1 stemmed": "ROUGE-1 on stems"}
TASKS = {
    column: f"{kind}s by an {role.split()[1]} ({name})"
    for name, column in experiment.COLUMNS.items()
    for kind, role in [experiment.EXPERIMENTS[name]]
}
parts = experiment.gains(recorded, list(WORDS)).assign(method=lambda made: made["row"].map(WORDS))
parts["published"] = parts["column"].map(experiment.gains(recorded, ["SDW"]).groupby("column")["published"].first())
shown = parts[parts["column"].isin(TASKS)].assign(row=parts["column"].map(TASKS))
shown = shown.sort_values("column", key=lambda one: one.str[-5:], kind="stable")
axis = {"xlabel": "Spearman's correlation with people, minus ROUGE-1's", "reference": (0, "ROUGE-1")}
title = "No clear gain from the paper's best combination of paraphrases"
figure = plots.dots(shown, by="method", panels="model", title=title, **axis)
text = "; ".join(f"{one.method}, {one.row}, {one.model}: {one.value:+.3f}" for one in shown.itertuples())
plots.show(figure, name="08_minus_rouge", alt=f"Paired differences from ROUGE-1 with intervals. {text}.")
mean = parts.query("column == @experiment.FOUR")
tables.in_numbers(mean.assign(row=mean["method"] + " minus ROUGE-1, mean of the four experiments"))

# %% [markdown]
# **How to read the figure.** Each panel is one of our collections, and each row one of the paper's four experiments. A mark to the
# right of the dashed line agrees better with people than ROUGE-1 does. *Three resources* are the paper's best combination, *SDW*.
# ◇ is the paper's number for it (30 Japanese editorials, no interval), and n counts articles.
#
# **The four experiments.** An *extract* copies sentences of the article; an *abstract* is written freely. The best extract or the
# best abstract, by people's scores, serves as the reference for all other summaries:
#
# | | against the best extract | against the best abstract |
# |---|---|---|
# | **extracts are ranked** | EX-1 | EX-3 |
# | **abstracts are ranked** | EX-2 | EX-4 |
#
# The resources have letters: **S** statistical machine translation (SMT), **D** distributional similarity, **W** WordNet, **N**
# variants of a word. **S″** is S without function words. Several letters, such as *SDW*, are several resources together.
#
# | Afterwards you can | You need | Time | Before and after |
# |---|---|---|---|
# | explain every word of a recall score, judge a gain by a paired interval and by how many tests it is one of, and ask what a resource really links | [recall](../docs/glossary.md#recall), [rank correlation](../docs/glossary.md#spearmans-correlation) | a minute to run (full: ten), an hour to work through | [07 Sentence order](07_sentence_order.ipynb) · [11 Paraphrase resources](11_paraphrase_resources.ipynb) |

# %% tags=["parameters"]
collection = "topics"  # topics (ships), realsumm or summeval: what this run ranks
stands_for_s = "C"  # what is S in this run: "S" as it is, "C" without function words, "P" the Paraphrase Database
dictionaries = "shipped"  # "auto": the best WordNet and VarCon found
parts_of_speech = "nvarx"  # of the WordNet; x: phrases and clauses, which only the shipped lexicon has. The paper: "nv"
parallel = ["shipped"]  # sentence pairs to pivot through; also multi30k, small-parallel-enja
least_count = 1  # how often two phrases must be aligned; 1 only for a tiny corpus
parsed = "shipped"  # for distributional similarity; "auto": the treebanks and news articles found
resamples = 2000  # for intervals and permutation tests

# %% [markdown]
# ## A score in three steps
#
# The score is the share of the reference's words that are matched (section 4.1 of the paper), in three steps: first by paraphrases
# of several words, then by paraphrases of one word, then by the same word. Each step is *greedy*: it takes the first match that it
# finds, and a word that has been used cannot be matched again.
#
# **Exercise 1 · predict, then run** · `08_lost`
#
# *The council gave up its plan to close the harbour because of the costs* is the reference, *The town council abandoned its
# scheme for closing the port due to rising cost* the candidate. Which word does ROUGE-1 match that is lost when *due to*
# counts as *because of*: (a) *council*; (b) *to*; (c) *plan*?

# %%
import pandas as pd
from IPython.display import display
from matplotlib import pyplot as plt

from nbhelpers.metrics.paraphrase.matcher import match
from nbhelpers.metrics.paraphrase.tables import restrict
from nbhelpers.metrics.paraphrase.tokens import tokenize
from nbhelpers.studies.paraphrase import smt, sources
from nbhelpers.studies.paraphrase.collections import open_collection

reference = tokenize("The council gave up its plan to close the harbour because of the costs.", "en")
candidate = tokenize("The town council abandoned its scheme for closing the port due to rising cost.", "en")
found = match(reference, candidate, sources.lexicons("en", {*reference, *candidate}))
figure, axes = plt.subplots(figsize=(11.5, 3.2))
links.draw_match(found, axes)
text = "; ".join(f"{row['reference']} = {row['candidate']}" for row in found.rows())
plots.show(figure, name="08_three_steps", alt=f"A reference above its candidate, with a line for each link: {text}.")
print(f"ROUGE-1 {match(reference, candidate).recall:.2f}, with paraphrases {found.recall:.2f}")

# %% [markdown]
# *due to* has used up the candidate's only *to*, so the reference's own *to* stays white. Here that is a good trade: two words
# are gained for one.
#
# **Exercise 2 · write code** · `08_recall`
#
# Step 3 alone is ROUGE-1. Given two lists of words, return the share of the reference's words that the candidate has. A word
# counts at most as often as it stands in the candidate.


# %%
def recall(reference, candidate): ...


teaching.check("08_recall", recall)

# %% [markdown]
# **Exercise 3 · write code** · `08_greedy`
#
# Now steps 2 and 3: go through the reference's words from the left and match each with the first free word of the candidate among
# its paraphrases (`synonyms[word]`, a set); then match what is left literally. How many words of the reference are matched?


# %%
def greedy_matches(reference, candidate, synonyms): ...


teaching.check("08_greedy", greedy_matches)

# %% [markdown]
# ## Four resources (Table 1)
#
# S and D are made automatically, W and N by hand. S *pivots*: two phrases with the same translation count as paraphrases.
# [Notebook 11](11_paraphrase_resources.ipynb) looks into each. In the table, what the paper says stands in brackets. The last
# column counts the pairs whose words occur in the summaries: in the evidence, which uses every resource that we have, and in this
# run.

# %%
given = open_collection(collection)
words = experiment.words_of(given)
options = dict(dictionaries=dictionaries, parts_of_speech=parts_of_speech, least_count=least_count, parsed=parsed)
four = sources.four_tables("en", words, parallel=parallel, **options)
ppdb = restrict(smt.read_ppdb(), words) if stands_for_s == "P" else None
made = sources.with_variants(four, ppdb)
names = {"S": "SMT", "D": "DS", "W": "Word", "N": "NTT"}
sizes = evidence.load("paraphrase-resources").query("language == 'en'").groupby("resource")["pairs"].sum()
rows = [
    [{"row": names[one], "column": "pairs", "value": n, "unit": "count"} for one, n in counted.items() if one in names]
    for counted in (sizes.to_dict(), {one: len(table) for one, table in made.items()})
]
columns = ["Target POS", "Automatic/Manual", "pairs"]
tables.beside(estimates.frame(rows[0]), "paraphrase/table1", here=estimates.frame(rows[1]), columns=columns)

# %% [markdown]
# None of them is the paper's. Our SMT goes by way of German (captions of pictures) and Japanese (textbooks) instead of Japanese
# newspapers. DS has words of a treebank that occur beside the same words. WordNet is Open English WordNet. Variants (word forms,
# contractions, spelling) take the place of the dictionary NTT.
#
# ## What does S really link?
#
# Before we rank anything: which words does S link in EX-4? And do people give higher scores to summaries with more such links? If
# the links were paraphrases, good summaries would have more of them. **Look for** the share of links with a function word.

# %%
linked = evidence.load("paraphrase-links")
here, pairs = links.run(given, made, ["S", stands_for_s])
print("S links most often here:", "; ".join(f"{x} = {y}" for (x, y), _ in pairs.most_common(8)))
letters = {"C": "S″", "P": "PPDB"}
both = [links.shares(one).replace({"row": letters}) for one in (linked, here)]
display(tables.beside(both[0], here=both[1], caption="Share of the links of each resource, EX-4"))
kinds = links.with_people(linked, "S").dropna(subset="value").query("n >= 10")
figure = plots.dots(
    kinds,
    by="model",
    xlabel="correlation of the share of such links with people's scores",
    title="Summaries with many function-word links are worse (S, EX-4)",
    reference=(0, "no relation"),
)
text = "; ".join(f"{one.row}, {one.model} {one.value:+.2f}" for one in kinds.itertuples())
plots.show(figure, name="08_links", alt=f"Spearman's correlation with people by kind of link, with intervals: {text}.")

# %% [markdown]
# More than nine of ten links of S touch a function word. Such links raise the recall of every summary, since every text has these
# words. Summaries with many of them are even the *worse* ones, probably because a word is linked only where it is not matched
# literally. So a test with S as it is says nothing about paraphrases. Two tables take its place:
#
# * **S″** drops every pair in which one side has function words only. Few pairs are left that occur in the texts.
# * **PPDB** has many more. It has pairs of function words, too: they are a small part of its pairs but about two thirds of its
#   links, since these words are so frequent.
#
# (In the evidence S″ has the letter C and PPDB the letter P; so *PDW* is SDW with PPDB as S.)
#
# ## Rank the summaries of one article
#
# The evidence has the count of matched words for each summary, so you can look at any article. This is the first one of REALSumm in
# EX-4. *People* is the share of the reference's content that they found in the summary. **Look for** a summary that people like
# and ROUGE-1 does not. Change `place`, or the methods.

# %%
place, methods = 0, ["ROUGE-1", "ROUGE-1 stemmed", "PDW", "CDW"]
ranked = recorded.query("role == 'best abstract' and kind == 'abstract' and collection == 'REALSumm'")
article = ranked[ranked["topic"] == place].set_index("system")
article.index = article.index.str.replace(r"_out|\.txt", "", regex=True)
scores = article[methods].div(article["words"], axis=0).assign(people=article["people"])
caption = f"Share of the words matched, one article, {len(scores)} summaries"
ordered = scores.sort_values("people", ascending=False).rename(columns=WORDS)
display(tables.plain(ordered.round(2).astype(str), caption))
rank = scores[methods].corrwith(scores["people"], method="spearman").round(3).astype(str)
tables.plain(rank.rename(WORDS).to_frame("Spearman's ρ"), "Correlation with people, this article")

# %% [markdown]
# A correlation over a dozen summaries is very uncertain. The mean over a hundred articles says more; it is what the paper's Tables
# 4 and 5 show. To compare two methods, take the difference on each article first; then it no longer matters that some articles
# are harder than others. The gains below are such paired differences: first a count over all four experiments, then EX-4.
#
# (The topics that ship are too small for this. In each experiment two summaries are left to rank, so a topic's correlation is 1
# or −1. Look at the recorded rows.)

# %%
items = experiment.run(given, made)
here = experiment.gains(experiment.stand_in(items, stands_for_s), resamples=resamples).assign(model=collection)
gained = {one: experiment.gains(experiment.stand_in(recorded, one), resamples=resamples) for one in "PC"}
column = experiment.COLUMNS["EX-4"]
tables.headline(
    "SDW minus ROUGE-1, abstracts against the best abstract, Spearman",
    estimates.estimate(gained["P"], "SDW", column, model="REALSumm"),
    estimates.estimate(here, "SDW", column),
    of="PPDB as S, REALSumm",
    model=collection,
    published=0.047,
)
counts = pd.concat({name: experiment.tally(gained[one]) for one, name in {"P": "PPDB as S", "C": "S″ as S"}.items()})
counts = counts.rename_axis(["what S is", "collection"]).reset_index()
caption = "60 gains over ROUGE-1 (15 combinations, EX-1 to EX-4): how many lie above and below 0"
display(tables.plain(counts, caption, index=False))
caption = "EX-4: Spearman's correlation with people, minus ROUGE-1's; S is PPDB"
mine = None if collection == "topics" else here
tables.beside(gained["P"], here=mine, only=[*"SDWN", "SDW", "SDWN"], columns=[column], caption=caption)

# %% [markdown]
# *Significantly* means after [Holm's correction](../docs/glossary.md#holms-correction) for the fifteen combinations of an
# experiment. On REALSumm more combinations lie above ROUGE-1 than below it; on SummEval more lie below. Not one is significantly
# better or worse.
#
# **Exercise 4 · read a result** · `08_largest`
#
# In Table 5, SN has .426 in EX-3 and ROUGE-1 .313, the largest gain of the paper, and the best of 15 on 30 topics. Which two
# numbers do you need before you believe it? (a) The two correlations with more digits; (b) an interval of the paired difference,
# and the number of comparisons; (c) the sizes of the resources S and N.
#
# ## What does each resource add?
#
# The fifteen combinations share their parts, so fifteen gains are not fifteen results. A *main effect* sums them up: what a
# resource adds to the correlation, as the mean over the eight sets of the other three. The same can be computed from the paper's
# two tables (◇).

# %%
effects = experiment.effects(experiment.stand_in(recorded, "P"), resamples=resamples)
shown = effects[effects["column"].isin(experiment.COLUMNS.values())]
shown = shown.sort_values("row", key=lambda names: names.map("SDWN".index), kind="stable")
called = {"S": "S: PPDB", "D": "D: distribution", "W": "W: WordNet", "N": "N: variants"}
figure = plots.dots(
    shown.assign(row=shown["column"].str[-5:-1], resource=shown["row"].map(called)),
    by="model",
    panels="resource",
    xlabel="Spearman's correlation with people: with the resource, minus without",
    title="What each resource adds is small, and its sign is not stable",
    reference=(0, "nothing"),
)
text = "; ".join(f"{one.row}, {one.column}, {one.model}: {one.value:+.3f}" for one in shown.itertuples())
plots.show(
    figure, name="08_effects", alt=f"Main effects of four resources in four experiments, with intervals. {text}."
)
four_means = effects[effects["column"] == experiment.FOUR]
tables.beside(four_means, caption="Main effects, mean of the four experiments")

# %% [markdown]
# In the paper S has large effects, and their sign changes between experiments; ours are small everywhere. In the mean of the four
# experiments the interval of D lies just above 0 on REALSumm, and its value just below 0 on SummEval: no effect to rely on.
#
# ## With written references: a real loss, and stems
#
# The paper's references are the best summaries. The collections have references that were written for each article as well:
# *abstract-each* ranks abstracts against these, *all-each* all summaries. That is not the paper's experiment, but it is how ROUGE
# is mostly used. **Look for** intervals that do not contain 0, and for the stems.

# %%
written = ["abstract-each", "all-each"]
controls = experiment.gains(recorded, ["ROUGE-1 stemmed", "ROUGE-2", "ROUGE-L", "Length"], resamples=resamples)
rows = pd.concat([gained["P"].query("row in ['S', 'D', 'W', 'N', 'SDW', 'SDWN']"), controls])
rows = rows.replace({"row": called | WORDS})
display(tables.beside(rows, columns=written, caption="Written references: minus ROUGE-1; S is PPDB"))
systems = experiment.by_system(recorded, ["ROUGE-1 stemmed", "PDW", "CDW", "N"], resamples=resamples)
systems = systems.replace({"row": called | WORDS})
tables.beside(systems, caption="Ranking of the systems by their mean scores, all-each")

# %% [markdown]
# Here paraphrases do harm. For abstracts the intervals of PPDB, D and WordNet lie below 0 on REALSumm, and that of D on SummEval,
# too. Only N (word forms) gains, and about as much as stems do.
#
# The second table ranks *systems* by their mean scores, and compares the ranking with people's. SDW with PPDB is below ROUGE-1 on
# REALSumm; the other differences are smaller than a few dozen systems can show.
#
# ## Beside the paper
#
# **Tables 3 to 5.** Table 3 lists the combinations, with the gains on both collections beside them. Tables 4 and 5 open with a
# click. In them the intervals of all combinations overlap that of ROUGE-1, but overlap is not a test; the paired differences
# above are.

# %%
marks = published.table("paraphrase/table3").pivot(index="row", columns="column", values="text").replace("(empty)", "")
lines = [
    tables.layout(gained["P"].query("model == @one"), columns=[experiment.COLUMNS[ex] for ex in ("EX-2", "EX-4")])
    for one in ("REALSumm", "SummEval")
]
joined = marks.join([part.add_suffix(f", {one}") for part, one in zip(lines, ("REALSumm", "SummEval"))])
articles = "{:.0f} to {:.0f} articles".format(*gained["P"]["n"].agg(["min", "max"]))
caption = f"Table 3, and gains over ROUGE-1 with 95 % intervals (S is PPDB, n = {articles})"
display(tables.plain(joined.fillna("").loc[experiment.combinations()], caption))
ours = experiment.stand_in(recorded, "P")
means = experiment.summary(ours, ["ROUGE-1", *experiment.combinations(), *experiment.CONTROLS], resamples=resamples)
methods = ["ROUGE-1", *experiment.combinations()]
here = experiment.summary(items, methods, resamples=resamples) if collection != "topics" else None  # topics are tiny
for table in ("paraphrase/table4", "paraphrase/table5"):
    shown = tables.beside(means, table, here=here, also=experiment.CONTROLS)
    display(tables.folded(f"Table {table[-1]}: ours, 95 % interval, and the paper's number; S is PPDB", shown))
tables.beside(experiment.changes(ours), "paraphrase/table6", caption="Table 6, topics; S is PPDB")

# %% [markdown]
# **Table 6.** A mean may hide that a resource helps with some topics and does harm with others. So the paper counts the topics in
# which S improves DW and W. (It heads its second row *W vs. SW* but counts what SW does to W, and so do we.) In the paper S
# improves DW in 17 of 30 topics and impairs it in 9, which an exact sign test cannot tell from chance (p = .17). Here S impairs
# more topics than it improves, on both collections. **Table 2** is in [notebook 11](11_paraphrase_resources.ipynb).
#
# ## What could be wrong
#
# * **Texts.** The paper has 30 Japanese editorials with nine summaries of either kind; we have English news. Systems of REALSumm
#   and SummEval mostly repeat the article's words, which leaves paraphrases little to do. REALSumm has 24 systems, 10 of them
#   extractive; SummEval has four extractive ones, so three are left to rank in EX-1 and EX-3.
# * **Resources.** None of the four is the paper's. S″ and PPDB are very different tables, and with neither is anything gained.
# * **Left open by the paper:** the direction of a table, whether an expression counts among its own paraphrases (here: yes),
#   whether a word is used once (yes, as in ROUGE). [Notebook 11](11_paraphrase_resources.ipynb) tries the others; none changes the
#   answer.
# * **Contradictions in the paper:** EX-2 and EX-3 are swapped between its list and its tables (the tables' numbers are kept); 16
#   methods are announced and 15 listed; *.364 for ROUGE-1* in the conclusion is DW's number, ROUGE-1 has .389.
#
# **What this does not show**: whether paraphrases help where people write freely, as in the paper's editorials, or whether a link
# is right. An undecided claim does not prove that two methods are equal.
#
# **Exercise 5 · open question** · `08_field`
#
# For which kind of texts would you expect paraphrases to help, and which experiment would convince you that they do?

# %%
judged = claims.table("paraphrase")
judged = judged[~judged["claim"].isin([f"paraphrase-{n}" for n in (10, 13, 14, 16)])]  # these are in notebook 11
verdicts = "; ".join(f"{verdict}: {count}" for verdict, count in judged["verdict"].value_counts().items())
tables.folded(f"The claims that are tested here ({verdicts})", tables.plain(judged, index=False))

# %% [markdown]
# ## Try it
#
# Type a reference and a candidate, or choose an example: each line is a link, drawn while you type. The first example shows what
# no such score sees: the same words in another order get the full score.


# %%
def explain(first, second):
    texts = [tokenize(text, "en") for text in (first, second)]
    found = match(*texts, sources.lexicons("en", {*texts[0], *texts[1]}, dictionaries))
    longest = max(len(" ".join(text)) for text in texts)
    figure, axes = plt.subplots(figsize=(max(6.0, min(13.0, 0.17 * longest)), 3.0))
    links.draw_match(found, axes)
    text = "; ".join(f"{row['reference']} = {row['candidate']}" for row in found.rows()) or "none"
    plots.show(
        figure, name="08_your_match", alt=f"The reference above the candidate, with a line for each link: {text}."
    )
    print(f"ROUGE-1 {match(*texts).recall:.2f}, with paraphrases {found.recall:.2f}")


fund = "The company set up a fund because of the strike."
examples = [
    (fund, "A fund was established by the firm due to the walkout."),
    (fund, "The company set up a strike because of the fund."),
    ("The council gave up its plan.", "The town council abandoned its scheme."),
]
for first, second in examples[1:]:
    explain(first, second)
teaching.try_it(explain, {"Reference": fund, "Candidate": examples[0][1]}, examples=examples, live=True)
