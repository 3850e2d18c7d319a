"""Single edits under the microscope: the cases of the NDD paper's Table 1 and Figures 1 and 2.

A line of evidence is one number: a measure of one edit, the divergence of one of its words (`place`), or the
probability of a word that the model expects in a place of the sentence (`word`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas

from nbhelpers.base import stats
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import WEIGHTS, NDDSettings, ndd_batch, ndd_signature, split_words
from nbhelpers.results import evidence, published
from nbhelpers.results.estimates import Rows, by_model
from nbhelpers.studies.ndd.edits import scores
from nbhelpers.studies.ndd.model_size import engine

INITIAL_SENTENCE = "I am walking in the cold rain."
"""The unedited sentence of Table 1."""

ORDERING_CLAIMS = (
    ("cool", "heavy"),
    ("freezing", "heavy"),
    ("heavy", "hot"),
    ("snow", "night"),
    ("night", "sunshine"),
    ("running", "swimming"),
    ("wandering", "swimming"),
    ("He is", "He am"),
    ("cool", "was"),
    ("running", "was"),
    ("hot", "He is"),
)
"""Pairs (milder, stronger): the first edit of Table 1 disturbs less than the second, as section 3 of the paper says or
implies (similar < different < opposite in each group of words; sensitive to tense and subject; *He am* is a fault)."""

FIGURE_1 = ("The man sits beside the bank of the river.", "lake", "town")
"""Figure 1: *river* replaced by a word that keeps the sense of *bank*, and by one that changes it."""

REPLACEMENTS = ("Replacement that preserves the meaning", "Replacement that changes the meaning")
"""The two edits of Figure 1, as its table names them."""

COLUMNS = ("PPL", "NDD", "Cos.Sim.")
"""The measures of Table 1."""

SIGNS = {"Cos.Sim.": -1}
"""Where a lower value says that an edit changes more."""

AGREEMENT, RATIO = "Spearman with the published values", "NDD relative to the other replacement"
"""A row of Table 1, a column of Figure 1: how the measures agree with the paper, how much stronger one edit is."""


def sentences(case: str) -> list[str]:
    """The original and the edited sentences of a case: ``table1`` (14, the unedited one among them) or ``figure1``."""
    if case == "figure1":
        original, *others = FIGURE_1
        return [original, *(original.replace("river", other) for other in others)]
    edited = dict.fromkeys(published.table("ndd/table1")["row"])
    return [INITIAL_SENTENCE, *(sentence for sentence in edited if sentence != INITIAL_SENTENCE)]


def run(lm: MaskedLM, settings: NDDSettings = NDDSettings()) -> pandas.DataFrame:
    """Items: every measure of every edit (``place`` -1), each word's divergence, what is expected at three words."""
    rows = []
    for case in ("table1", "figure1"):
        original, *_ = texts = sentences(case)
        words = list(map(split_words, texts))
        found = scores(lm, [(original, text) for text in texts], settings)
        weighted = {
            name: ndd_batch(lm, [(words[0], one) for one in words], settings=replace(settings, weights=name))
            for name in dict.fromkeys([settings.weights, *WEIGHTS])
        }
        for item, own in enumerate(found):
            own["Cos.Sim."] = 1 - own.pop("1 - cosine")
            own |= {f"NDD, {name} weights": each[item].value for name, each in weighted.items()}
            rows += [{"case": case, "item": item, "measure": name, "value": value} for name, value in own.items()]
            for one in weighted[settings.weights][item].neighbours:
                place = {"place": one.original_index, "value": one.divergence}
                rows.append({"case": case, "item": item, "measure": "divergence", **place})
        if case == "figure1":
            rows += [
                {"case": case, "item": item, "place": own.index(word), **one}
                for item, own in enumerate(words)
                for word in ("of", "bank", "man")
                for one in _expected(lm, own, own.index(word))
            ]
    return (
        pandas.DataFrame(rows).fillna({"place": -1, "word": ""}).astype({"place": "int16"}).assign(model=lm.loaded.name)
    )


def _expected(lm: MaskedLM, words: list[str], place: int) -> list[dict[str, object]]:
    best = lm.log_probabilities([lm.request(lm.encode(words), place)])[0][0].exp().topk(3)
    names = lm.loaded.tokenizer.convert_ids_to_tokens(best.indices.tolist())
    choices = enumerate(zip(best.values.tolist(), names), start=1)
    return [{"measure": f"choice {number}", "value": share, "word": word} for number, (share, word) in choices]


def record(model: str = "embedded", dtype: str = "float32") -> tuple[pandas.DataFrame, evidence.Run]:
    """One model on the cases of the paper, for the evidence."""
    lm = engine(model, dtype)
    signature = ndd_signature(lm, NDDSettings())
    about = {"model": model, "identity": lm.loaded.identity, "data": "the paper's examples", "signature": signature}
    return run(lm).drop(columns="model"), evidence.Run(**about)


# ------------------------------------------------------------------------------------------------------------- summary


def values(items: pandas.DataFrame, case: str = "table1") -> pandas.DataFrame:
    """The measures of the edits of one case by one model: a line for each edit, named by its sentence."""
    own = items[(items["case"] == case) & (items["place"] < 0)]
    frame = own.pivot(index="item", columns="measure", values="value")
    return frame.set_axis(sentences(case), axis="index") if case == "table1" else frame.iloc[1:].set_axis(REPLACEMENTS)


def held(items: pandas.DataFrame) -> pandas.DataFrame:
    """Which of `ORDERING_CLAIMS` hold by each measure of one model (columns `COLUMNS`), as 1 and 0."""
    ours = values(items)
    hits = {name: orderings_held((SIGNS.get(name, 1) * ours[name]).to_dict()) for name in COLUMNS}
    return pandas.DataFrame(hits).astype(float)


@by_model
def table1(items: pandas.DataFrame, *, resamples: int = 2000) -> Rows:
    """Table 1: three measures of each edit, their rank correlation with the published ones, the orderings that hold.

    Correlation and orderings leave the unedited sentence out. Rows named by weights have other readings of NDD.
    """
    paper = published.table("ndd/table1").pivot(index="row", columns="column", values="value")
    ours, hits = values(items), held(items)
    edited, theirs = ours.drop(index=INITIAL_SENTENCE), paper.drop(index=INITIAL_SENTENCE)
    found = {(sentence, name): ours.loc[sentence, name] for name in COLUMNS for sentence in ours.index}
    for name in (*COLUMNS, *(f"NDD, {one} weights" for one in WEIGHTS)):
        column, _, note = name.replace("balanced", "authors'").partition(", ")
        row = f"{AGREEMENT}, {note}" if note else AGREEMENT
        found[row, column] = stats.correlation(edited[name], theirs.loc[edited.index, column], resamples=resamples)
    found |= {("Orderings held", name): stats.proportion(hits[name] > 0) for name in COLUMNS}
    for rival in ("PPL", "Cos.Sim."):
        found[f"Orderings held, NDD minus {rival}", "NDD"] = stats.paired_permutation(hits["NDD"], hits[rival])
    for (row, column), value in found.items():
        yield {"row": row, "column": column, "value": value}


@by_model
def figure1(items: pandas.DataFrame) -> Rows:
    """Figure 1: NDD and cosine of the two replacements, and how many times the NDD of the first the second has."""
    found = values(items, "figure1")
    cells = {(row, column): found.loc[row, column] for row in REPLACEMENTS for column in COLUMNS[1:]}
    cells[REPLACEMENTS[1], RATIO] = found.loc[REPLACEMENTS[1], "NDD"] / found.loc[REPLACEMENTS[0], "NDD"]
    for (row, column), value in cells.items():
        yield {"row": row, "column": column, "value": value}


def expected(items: pandas.DataFrame) -> pandas.DataFrame:
    """Figure 2: the words that each model expects in the place in brackets, with their probabilities, as texts."""
    own = items[items["word"] != ""]
    texts = [split_words(sentence) for sentence in sentences("figure1")]
    places = [
        " ".join([*texts[item][:place], f"[{texts[item][place]}]", *texts[item][place + 1 :]])
        for item, place in zip(own["item"], own["place"])
    ]
    said = own["word"] + " " + (100 * own["value"]).round().astype(int).astype(str) + " %"
    found = own.assign(said=said, where=places).groupby(["where", "model"], sort=False)["said"].agg(", ".join)
    return found.unstack(sort=False).rename_axis(index="in the place of", columns=None)


def edit_label(sentence: str) -> str:
    """A short name of an edited sentence of Table 1: the word or words that tell it from the others.

    Examples
    --------
    >>> edit_label("I am walking in the cool rain.")
    'cool'
    >>> edit_label("I am walking in the cold rain.")
    'I am walking in the cold rain.'
    """
    markers = dict.fromkeys(marker for claim in ORDERING_CLAIMS for marker in claim)
    return next((m for m in markers if f" {m} " in f" {' '.join(split_words(sentence))} "), sentence)


def orderings_held(scores: Mapping[str, float]) -> list[bool]:
    """Which of `ORDERING_CLAIMS` hold for the scores of edited sentences; a higher score means a greater change.

    Examples
    --------
    >>> words = dict.fromkeys(word for claim in ORDERING_CLAIMS for word in claim)
    >>> all(orderings_held({f"{word} rain": score for score, word in enumerate(words)}))
    False
    """
    found = {edit_label(sentence): score for sentence, score in scores.items()}
    return [found[milder] < found[stronger] for milder, stronger in ORDERING_CLAIMS]


TABLES = {"ndd/table1": table1, "ndd/figure1": figure1}
"""What is made of the evidence ``ndd-cases``."""
