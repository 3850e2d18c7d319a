"""Are the spans that were pruned the subordinate parts of a sentence? What the items of ``ndd-pruning`` say.

*A Novel Metric for Evaluating Semantics Preservation*, Table 6: Depth-n is the share of pruned words at depth n,
Subtree-n the share of pruned spans of n words that are complete subtrees. Each setting stands beside random runs that
prune as many spans of the same lengths. Punctuation counts, which fits the paper's random rows.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas

from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate, Resampled, percent, proportion, shares
from nbhelpers.results import estimates, published
from nbhelpers.results.estimates import Rows, by_model, tabled
from nbhelpers.studies.ndd.pruning import CONFIGURATIONS
from nbhelpers.studies.ndd.trees import TREES, TREES_IN_WORDS

SYSTEMS = (*(("ndd", *key) for key in CONFIGURATIONS), ("rule", 0, 0.0), ("rule predicted", 0, 0.0))
"""What prunes: system, L_max and NDD_max, of which the rules of thumb have none."""

_NDD, _OF_RULES = SYSTEMS[: len(CONFIGURATIONS)], SYSTEMS[len(CONFIGURATIONS) :]

COLUMNS = ("Depth 1", "Depth 2", "Depth 3", "Depth >=4", "Subtree 1", "Subtree 2", "Subtree >=3")
"""The columns of Table 6."""

RULES = {"rule": "Rule of thumb, treebank's tags", "rule predicted": "Rule of thumb, tagger's tags"}
"""The rule of thumb by whose parts of speech: systems of the evidence, and their rows in tables."""

NO_MODEL = "rule"
"""What the series of the rules is called in a figure."""

PLACED = {"random": "Random", "matched": "Matched in position"}
"""How the spans beside those of a system are drawn, and the beginning of their rows in tables."""

Setting = tuple[str, int, float]
"""System, longest span, threshold: one of `SYSTEMS`."""

Key = tuple[str, int, float, str]
"""System, longest span, threshold, and how its spans are placed."""


def counts(
    items: pandas.DataFrame, *, tree: str = "treebank", single: bool = False, punctuation: bool = True
) -> dict[Key, np.ndarray]:
    """Hits and totals of `COLUMNS` in each sentence, for each system; random runs as the mean of their draws.

    Parameters
    ----------
    items : DataFrame
        As `nbhelpers.studies.ndd.pruning_evidence.run` makes them, of one model.
    tree : str
        One of `TREES`.
    single : bool
        Whether a span must be a single subtree, not several side by side (of the treebank's trees).
    punctuation : bool
        Whether punctuation marks count; without them they are no words of a depth, and no spans by themselves.

    Returns
    -------
    dict
        By (system, longest, threshold, placed) arrays of shape (sentences, 7, 2), with the sentences in order.

    Raises
    ------
    InputError
        Items of several models, or of a sentence in several runs.
    """
    if "model" in items and items["model"].nunique() > 1:
        raise InputError(f"these are items of {items['model'].nunique()} models; choose one")
    if "run" in items and len(items[["sentence", "run"]].drop_duplicates()) > items["sentence"].nunique():
        raise InputError("a sentence stands in several runs and would count twice; choose one of column 'run'")
    if tree not in TREES:
        raise InputError(f"tree is one of {', '.join(TREES)}, not {tree!r}")
    places = np.unique(items["sentence"])
    every = [(*system, placed) for system in SYSTEMS for placed in ("own", *PLACED)]
    found = {key: np.zeros((len(places), len(COLUMNS), 2)) for key in every}  # a system may prune nothing
    words = items[["length", *(f"{tree}_{depth}" for depth in (1, 2, 3))]].to_numpy(float)  # all, and by depth
    if not punctuation:
        words = words - _marks(items, tree)
    length, *depths = words.T
    whole, longest = items["single" if single else f"{tree}_branch"].to_numpy(bool), np.minimum(items["length"], 3)
    sizes = [(length > 0) & (longest == size) for size in (1, 2, 3)]
    hits = np.stack([*depths, length - sum(depths), *(whole & of_size for of_size in sizes)], axis=1)
    cells = np.stack([hits, np.stack([length] * 4 + sizes, axis=1)], axis=2)
    number, draws = np.searchsorted(places, items["sentence"]), items["draw"].to_numpy()
    groups = items.groupby(["system", "longest", "threshold", "placed"], observed=True)
    for key, at in groups.indices.items():
        table = np.zeros((len(places), len(COLUMNS), 2))
        np.add.at(table, number[at], cells[at])
        found[(str(key[0]), int(key[1]), float(key[2]), str(key[3]))] = table / len(np.unique(draws[at]))
    return found


def _marks(items: pandas.DataFrame, tree: str) -> np.ndarray:
    """Punctuation marks in each span: how many, and how many of them at depths 1, 2 and 3."""
    places, alone = np.unique(items["sentence"]), items[(items["tag"] == "PUNCT") & (items["length"] == 1)]
    before = np.zeros((len(places), int(items["words"].max()) + 1, 4))
    columns = ["length", *(f"{tree}_{depth}" for depth in (1, 2, 3))]
    before[np.searchsorted(places, alone["sentence"]), alone["start"].to_numpy(int) + 1] = alone[columns]
    before, start = before.cumsum(axis=1), items["start"].to_numpy(int)
    number = np.searchsorted(places, items["sentence"])
    return before[number, start + items["length"].to_numpy(int)] - before[number, start]


def sampled(items: pandas.DataFrame, *, resamples: int = 2000, **how: Any) -> dict[Key, Resampled]:
    """The shares of `COLUMNS` for each system, with resamples of the sentences; keywords of `counts`."""
    return {key: shares(table, resamples=resamples) for key, table in counts(items, **how).items()}


def leads(items: pandas.DataFrame, **how: Any) -> dict[tuple[int, float], Resampled]:
    """For each setting NDD's shares minus those of its random runs."""
    found = sampled(items, **how)
    return {key: found["ndd", *key, "own"] - found["ndd", *key, "random"] for key in CONFIGURATIONS}


def cells(leads: Mapping[tuple[int, float], Resampled], columns: slice) -> Resampled:
    """Some of `COLUMNS` in all settings, to be tested together."""
    return Resampled.beside(*(lead[columns] for lead in leads.values()))


def _setting_name(key: tuple[int, float]) -> str:
    """Name of a configuration in Table 6.

    Examples
    --------
    >>> _setting_name((3, 1.0))
    'L_max=3 NDD_max=1.0'
    """
    return f"L_max={key[0]} NDD_max={key[1]:.1f}"


def _cells(
    row: str, found: Resampled, columns: Sequence[str] = COLUMNS, totals: Sequence[float] = (), **more: Any
) -> Rows:
    """Rows of a table of estimates: shares in percent, differences in points.

    A share of 0 or 1 of the `totals` has Wilson's interval, since no resample would differ from it.
    """
    for place, column in enumerate(columns):
        value = found.estimate(place)
        if value and len(totals) and value.value in (0, 1):
            ends = proportion(np.full(round(totals[place]), value.value))
            value = replace(value, low=ends.low, high=ends.high)
        if value:
            value = replace(percent(value), p=value.p if more.get("over", True) else None)  # a share is not tested
        yield {"row": row, "column": column, "value": value, **more}


def _printed(key: tuple[int, float], column: str, placed: str = "own", over: str = "") -> float:
    """A cell of Table 6, or how much more its value is than that of spans placed `over`; NaN where it has none."""
    if over:
        return _printed(key, column, placed) - _printed(key, column, over)
    who = {"own": "NDD-based", "random": "Random"}.get(placed)
    cell = published.by_place("ndd/table6").get((f"{who} {_setting_name(key)}", column))
    return np.nan if cell is None else cell.value


def _points(parts: Iterable[Resampled]) -> Estimate | None:
    """The mean of differences of shares on the same sentences, in points; None where none is defined."""
    value = Resampled.beside(*parts).mean(unit="points")
    return value and percent(value)


@by_model
def summary(items: pandas.DataFrame, *, resamples: int = 2000, **how: Any) -> Rows:
    """Table 6, in percent, with differences in points: each setting, its random runs, and the rules of thumb.

    Parameters
    ----------
    items : DataFrame
        As `nbhelpers.studies.ndd.pruning_evidence.run` makes them, or `evidence.load` has them.
    resamples : int
        Of the sentences.
    **how
        ``tree``, ``single`` and ``punctuation`` of `counts`.

    Returns
    -------
    DataFrame
        Estimates. Beside the usual columns ``system``, ``longest``, ``threshold`` and ``over``: what was
        subtracted, *random* or *matched* or nothing; and ``published``, the paper's number or difference.
    """
    tables = counts(items, **how)
    words = items[items["system"] == "word"].groupby("sentence").size()
    for key in SYSTEMS:
        found = {placed: shares(tables[*key, placed], resamples=resamples) for placed in ("own", *PLACED)}
        gone = _own(items, *key).groupby("sentence")["length"].sum().reindex(words.index, fill_value=0)
        pruned = shares(np.stack([gone, words], axis=-1)[:, None], resamples=resamples)
        for one in _of_system(key, found, pruned, tables[*key, "own"][..., 1].sum(axis=0)):
            setting = dict(zip(("system", "longest", "threshold"), key))
            yield one | setting | {"published": _printed(key[1:], one["column"], one["placed"], one["over"])}


def _of_system(key: Setting, found: Mapping[str, Resampled], pruned: Resampled, totals: np.ndarray) -> Rows:
    """The rows of `summary` of one of `SYSTEMS`, from its shares by how spans are placed, and that of pruned words."""
    if key in _NDD:
        columns, name, beside = COLUMNS, f"NDD-based {_setting_name(key[1:])}", f" {_setting_name(key[1:])}"
    else:
        columns, name, beside = COLUMNS[:5], RULES[key[0]], f" beside: {RULES[key[0]]}"
    yield from _cells(name, found["own"], columns, totals, over="", placed="own")
    for placed, title in PLACED.items():
        yield from _cells(title + beside, found[placed], columns, over="", placed=placed)
        lead = found["own"] - found[placed]
        yield from _cells(f"{name} minus {placed}", lead, columns, over=placed, placed="own")
    yield from _cells(name, pruned, ["Words pruned"], over="", placed="own")


def _own(items: pandas.DataFrame, system: str, longest: int, threshold: float) -> pandas.DataFrame:
    """What one of `SYSTEMS` prunes, without random runs."""
    own = items[(items["system"] == system) & (items["placed"] == "own")]
    return own[(own["longest"] == longest) & (own["threshold"] == np.float32(threshold))]


@by_model
def compared(items: pandas.DataFrame, *, over: str = "", resamples: int = 2000, **how: Any) -> Rows:
    """The settings of Table 6 against each other and against the rule of thumb, on the same sentences, in points.

    Parameters
    ----------
    items, resamples, how
        As those of `summary`.
    over : str
        Subtract the random runs of each setting first: *random* or *matched*; nothing without it.

    Returns
    -------
    DataFrame
        Estimates, with the ``kind`` of the comparison and the ``published`` difference.
    """
    found = sampled(items, resamples=resamples, **how)

    def of(system: str, longest: int = 0, threshold: float = 0.0) -> Resampled:
        own = found[system, longest, threshold, "own"]
        return own - found[system, longest, threshold, over] if over else own

    pairs = {f"threshold 1 minus 2, longest span {n}": ((n, 1.0), (n, 2.0), "threshold") for n in (3, 5)}
    pairs |= {f"longest span 5 minus 3, threshold {t:.0f}": ((5, t), (3, t), "longest span") for t in (1.0, 2.0)}
    for title, (first, second, kind) in pairs.items():
        for one in _cells(title, of("ndd", *first) - of("ndd", *second), kind=kind):
            ahead, behind = (_printed(key, one["column"], over=over) for key in (first, second))
            yield one | {"published": ahead - behind}
    for key in CONFIGURATIONS:
        for rule, name in RULES.items():
            title = f"NDD-based {_setting_name(key)} minus {name[0].lower()}{name[1:]}"
            yield from _cells(title, of("ndd", *key) - of(rule), COLUMNS[:5], kind="rule")


@tabled
def models_compared(items: pandas.DataFrame, first: str, second: str, **how: Any) -> Rows:
    """What one model prunes minus what another one prunes from the same sentences, in points; keywords of `sampled`."""
    both = set(items.loc[items["model"] == first, "sentence"]) & set(items.loc[items["model"] == second, "sentence"])
    shared = items[items["sentence"].isin(both)]
    a, b = (sampled(shared[shared["model"] == name], **how) for name in (first, second))
    for key in CONFIGURATIONS:
        difference = a["ndd", *key, "own"] - b["ndd", *key, "own"]
        yield from _cells(f"{first} minus {second}, {_setting_name(key)}", difference)


@tabled
def by_part_of_speech(items: pandas.DataFrame, *, least: int = 5, resamples: int = 2000) -> Rows:
    """How often nothing hangs on a single word that NDD prunes, and on any such word, by part of speech, in percent.

    In the first setting of `CONFIGURATIONS`.

    Parameters
    ----------
    items : DataFrame
        Of one model.
    least : int
        Pruned words that a part of speech has at least.
    resamples : int
    """
    pruned, every = _own(items, *SYSTEMS[0]), items[items["system"] == "word"]
    pruned, places = pruned[pruned["length"] == 1], np.unique(items["sentence"])
    for tag, count in pruned["tag"].value_counts().items():
        for column, part in (("Pruned words", pruned), ("All words", every)):
            if count >= least:
                table = _branches(part[part["tag"] == tag], "treebank", places)
                found, totals = shares(table, resamples=resamples), [table[..., 1].sum()]
                yield from _cells(str(tag), found, [column], totals, over="", pruned=int(count))


def _branches(words: pandas.DataFrame, tree: str, places: np.ndarray) -> np.ndarray:
    """How many single words are whole branches, and how many there are, in each sentence."""
    hits = words.groupby("sentence")[f"{tree}_branch"].agg(["sum", "size"])
    return hits.reindex(places, fill_value=0).to_numpy(float)[:, None]


ANSWERS = {"whole branches": slice(4, 7), "depth 4 and more": slice(3, 4), "depth 2": slice(1, 2)}
"""What the paper's claims are about, as columns of Table 6."""


@by_model
def answers(items: pandas.DataFrame, *, resamples: int = 2000, **how: Any) -> Rows:
    """The paper's questions in one number each: means over the four settings, in points.

    NDD minus random spans, and minus random spans matched in position. Spans of all lengths count together, so that few
    sentences do for a number. In the last rows single words that are whole branches, NDD minus the rule of thumb, after
    the random words of each. Parameters are those of `summary`.
    """
    lead = functools.partial(_lead, counts(items, **how), resamples=resamples)
    single = slice(4, 5)
    for over in PLACED:
        asked = {what: [lead(key, over, at) for key in _NDD] for what, at in ANSWERS.items()}
        for rule in _OF_RULES:
            tags = RULES[rule[0]].partition(", ")[2]
            leads = [lead(key, over, single) - lead(rule, over, single) for key in _NDD]
            asked[f"single words, NDD minus the rule ({tags})"] = leads
        for what, leads in asked.items():
            yield {"row": what, "column": f"minus {over}", "value": _points(leads)}


def _lead(
    found: Mapping[Key, np.ndarray], system: tuple, over: str, columns: slice, *, resamples: int, of: Any = 1.0
) -> Resampled:
    """A system's share minus that of its random spans, columns together; `of` weighs the sentences."""
    of = np.asarray(of, float)[..., None, None]
    own, random = (of * found[(*system, placed)][:, columns].sum(axis=1, keepdims=True) for placed in ("own", over))
    return shares(own, resamples=resamples) - shares(random, resamples=resamples)


@by_model
def by_group(items: pandas.DataFrame, group: str, *, resamples: int = 2000, **how: Any) -> Rows:
    """The lead in whole branches (see `answers`) in two groups of sentences, and the first of them minus the second.

    Parameters
    ----------
    items : DataFrame
        As those of `summary`.
    group : str
        The column that says for each line to which group its sentence belongs.
    resamples, how
        As those of `summary`.
    """
    found, of = counts(items, **how), items.groupby("sentence")[group].first()
    names = sorted(set(items[group]))

    def leads(name: str) -> Resampled:
        parts = (_lead(found, key, "random", slice(4, 7), resamples=resamples, of=of == name) for key in _NDD)
        return Resampled.beside(*parts)

    first, second = map(leads, names)
    sizes = [int((of == name).sum()) for name in names]
    rows = [*names, f"{names[0]} minus {names[1]}"]
    for row, its, n in zip(rows, (first, second, first - second), (*sizes, len(of))):
        value = _points([its])
        yield {"row": row, "column": "minus random", "value": value and replace(value, n=n)}


@by_model
def random_rows(items: pandas.DataFrame, *, resamples: int = 2000) -> Rows:
    """Random spans beside NDD's, as the mean of the four settings, in each of `TREES`, in per cent.

    With and without punctuation marks; ``published`` is the mean of the paper's four random rows.
    """
    for tree, name in TREES_IN_WORDS.items():
        for punctuation, ending in ((True, ""), (False, ", without punctuation")):
            found = sampled(items, tree=tree, punctuation=punctuation, resamples=resamples)
            for place, column in enumerate(COLUMNS):
                rows = [found[*key, "random"][place : place + 1] for key in _NDD]
                value = Resampled.beside(*rows).mean()
                cell = {"column": column, "published": random_published(column)}
                yield cell | {"row": f"{name}{ending}", "value": value and replace(percent(value), p=None)}


def random_published(column: str) -> float:
    """Mean of the paper's four random rows in one of `COLUMNS`."""
    return float(np.mean([_printed(key, column, "random") for key in CONFIGURATIONS]))


def in_trees(items: pandas.DataFrame, **options: Any) -> pandas.DataFrame:
    """`answers` in each of `TREES`, whose name in words is in the column ``tree``."""
    parts = (answers(items, tree=tree, **options).assign(tree=name) for tree, name in TREES_IN_WORDS.items())
    return pandas.concat(parts, ignore_index=True)


@by_model
def as_many(items: pandas.DataFrame, *, resamples: int = 2000) -> Rows:
    """NDD's single words that are whole branches minus the rule's, where NDD has no more single words than the rule.

    In each sentence those with the lowest NDD count, at most as many as the rule deletes; the mean of both longest
    spans (threshold 2), in points. A row for each of `TREES`, a column for each of `RULES`.
    """
    places = np.unique(items["sentence"])

    def share(words: pandas.DataFrame, tree: str) -> Resampled:
        return shares(_branches(words, tree, places), resamples=resamples)

    for rule, name in RULES.items():
        its = _own(items, rule, 0, 0.0)
        limit, lowest = its.groupby("sentence").size().reindex(places, fill_value=0), []
        for longest in (3, 5):
            own = _own(items, "ndd", longest, 2.0)
            own = own[own["length"] == 1].sort_values("ndd", kind="stable")
            lowest.append(own[own.groupby("sentence").cumcount().to_numpy() < limit.loc[own["sentence"]].to_numpy()])
        for tree, row in TREES_IN_WORDS.items():
            value = _points(share(own, tree) - share(its, tree) for own in lowest)
            yield {"row": row, "column": f"whole branches, {name.partition(', ')[2]}", "value": value}


@by_model
def deep_words(items: pandas.DataFrame, *, punctuation: bool = True, resamples: int = 2000) -> Rows:
    """NDD's lead over random spans in words at depth 4 and more, minus the rule's lead, in points.

    The mean of the four settings. A row for each of `TREES`, a column for each of `RULES`.
    """
    for tree, row in TREES_IN_WORDS.items():
        lead = functools.partial(_lead, counts(items, tree=tree, punctuation=punctuation), resamples=resamples)
        at = {"over": "random", "columns": ANSWERS["depth 4 and more"]}
        for rule in _OF_RULES:
            value = _points(lead(key, **at) - lead(rule, **at) for key in _NDD)
            yield {"row": row, "column": f"deep words, {RULES[rule[0]].partition(', ')[2]}", "value": value}


def minus_rule(items: pandas.DataFrame, *, punctuation: bool = True, **options: Any) -> pandas.DataFrame:
    """`as_many`, and `deep_words` among single words, in one table, with or without punctuation marks."""
    single = items[items["length"] == 1]
    words = single if punctuation else single[single["tag"] != "PUNCT"]
    return pandas.concat([as_many(words, **options), deep_words(single, punctuation=punctuation, **options)])


def by_punctuation(items: pandas.DataFrame, **options: Any) -> pandas.DataFrame:
    """Rows of `answers` about depth, with and without punctuation marks.

    Deep words also among single words, and among those on which nothing hangs. Keywords are those of `answers`.
    """
    single, parts = items[items["length"] == 1], []
    alone = single[single["treebank_branch"]]
    which_of = {"all words": items, "single words": single, "single words on which nothing hangs": alone}
    for which, of in which_of.items():
        for punctuation, ending in ((True, ""), (False, ", no punctuation")):
            found = answers(of, punctuation=punctuation, **options)
            parts.append(found.assign(row=found["row"] + f", {which}{ending}"))
    rows = pandas.concat(parts).sort_values(["model", "row"], kind="stable")
    return rows[rows["row"].str.match("depth 2, all|depth 4")]


def rules_once(found: pandas.DataFrame) -> pandas.DataFrame:
    """Rows of `by_length` for a figure: the rules, which need no model, once, on the sentences that all models have."""
    once = estimates.once(found, found["row"].str.contains("rule"), NO_MODEL, smallest=True)
    return once.set_index("row").loc[list(dict.fromkeys(found["row"]))].reset_index()


def in_short(items: pandas.DataFrame, **options: Any) -> pandas.DataFrame:
    """`answers` beside random spans as an opening has them, each with its unit; two also without punctuation marks."""
    every, words = answers(items, **options), answers(items, punctuation=False, **options)
    words = words[~words["row"].isin(["whole branches", "depth 4 and more"])]
    rows = pandas.concat([every, words.assign(row=words["row"] + " without punctuation marks")])
    rules = rows["row"].str.contains("rule")
    rows = rows[(rows["column"] == "minus random") & (~rules | rows["row"].str.contains("tagger"))]
    units = {True: ": difference of their leads over random words, in points", False: ", points more than random spans"}
    rows = rows.assign(row=rows["row"] + rows["row"].str.contains("rule").map(units))
    return rows.sort_values("model", kind="stable")


def at_depths(found: pandas.DataFrame, model: str) -> pandas.DataFrame:
    """Rows of `summary` for a figure: how far a model's shares at each depth are from those of random spans."""
    rows = found[(found["model"] == model) & (found["system"] == "ndd") & (found["over"] != "")]
    rows = rows[rows["column"].str.startswith("Depth")].sort_values("column", kind="stable")
    return rows.assign(
        row=[f"longest span {one.longest}, NDD below {one.threshold:.0f}" for one in rows.itertuples()],
        over="minus " + rows["over"],
        column=rows["column"].str.replace(">=4", "4 and more"),
    )


@by_model
def by_length(items: pandas.DataFrame, *, resamples: int = 2000, **how: Any) -> Rows:
    """Spans that are whole branches, minus random ones, by length: NDD as the mean of the four settings, and the rules.

    In points, with the paper's numbers (``published``). Parameters are those of `summary`.
    """
    found = sampled(items, resamples=resamples, **how)
    for place, length in {4: "1 word", 5: "2 words", 6: "3 words or more"}.items():
        leads = {key: (found[*key, "own"] - found[*key, "random"])[place : place + 1] for key in SYSTEMS}
        printed = np.mean([_printed(key, COLUMNS[place], over="random") for key in CONFIGURATIONS])
        own = {"row": f"{length}, NDD", "value": _points(leads[key] for key in _NDD), "published": printed}
        yield {"column": "minus random"} | own
        for key in _OF_RULES if place == 4 else ():
            row, value = f"{length}, rule ({RULES[key[0]].partition(', ')[2]})", leads[key].estimate()
            yield {"column": "minus random", "row": row, "value": value and percent(value), "published": np.nan}
