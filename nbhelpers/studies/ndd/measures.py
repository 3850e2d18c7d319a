"""The measures of Table 2, from numbers: which words of a sentence were kept, and codes in place of its tokens.

A sentence and its gold compression are kept as *codes*: its distinct tokens, numbered. From them and the places of the
words that a system kept follow F1, BLEU's n-gram precisions and the compression ratio exactly, for any system.
"""

from __future__ import annotations

import difflib
import functools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.results import estimates, published
from nbhelpers.results.estimates import Rows, by_model
from nbhelpers.studies.ndd.baselines import by_rule, generator
from nbhelpers.studies.ndd.compression import left

MEASURES = ("F1", "B1", "B2", "B3", "B4", "B", "kept words", "customary F1")
"""F1 as Table 2 counts: lower-cased tokens, each a hit when it stands on the other side at all. This gives the paper's
row of unedited sentences to within 0.4 points, and the scores printed in Table 3 to the digit. B1 to B4: precision of
n-grams, clipped, without smoothing or brevity penalty, 0 for an output shorter than n; B is their mean. Customary F1:
tokens as they are, each a hit as often as it stands on the other side. All in [0, 100], but for the words kept:
tokens of the output over those of the source."""

UNEDITED, RULE, BARE, RANDOM = "Unedited", "Beginning and final word", "Beginning, without the final word", "Random"
OURS, GUIDED = "NDD-based (ours)", "PPL-based (re-implementation)"
SYSTEMS = {"paper": OURS, "perplexity": GUIDED, "code": "NDD, authors' code"}
"""Rows of Table 2 by the short name of a system that needs a model; those of the paper have the paper's names."""
SHORTER = "NDD, authors' code, as long as ours"
"""The deletions of the authors' code in their order, until a sentence is as short as ours."""
MARKED = "NDD, final word kept"
"""Ours, with the final word in place of the last other one where it had gone: what the final mark is worth to NDD."""
LABELS = {
    OURS: "NDD",
    RANDOM: "random words",
    GUIDED: "perplexity",
    RULE: "beginning and final word",
    BARE: "beginning without the final word",
    UNEDITED: "unedited sentence",
}
"""What figures and lists call these rows."""


# Tokens and codes ----------------------------------------------------------------------------------------------------


def tokens_of(text: str) -> list[str]:
    """Tokens of a text (NLTK's).

    Raises
    ------
    InputError
        If there are none.

    Examples
    --------
    >>> tokens_of("He isn't here.")
    ['He', 'is', "n't", 'here', '.']
    """
    from nltk.tokenize import NLTKWordTokenizer

    tokens = NLTKWordTokenizer().tokenize(text)
    if not tokens:
        raise InputError(f"There is no token in {text!r}.")
    return tokens


@functools.lru_cache(maxsize=100_000)
def _forms(word: str) -> tuple[tuple[str, ...], ...]:
    """Tokens of a word within a text, at its beginning and at its end."""
    return tuple(tokens_of(f"x {word} x")[1:-1]), tuple(tokens_of(f"{word} x")[:-1]), tuple(tokens_of(f"x {word}")[1:])


def coded(words: Sequence[str], reference: str) -> dict[str, list[Any]]:
    """A sentence and its gold compression as codes.

    Returns
    -------
    dict
        ``tokens``: for each word the codes of its tokens. ``edges``: lines of place, 0 or 1, and codes, for words that
        have other tokens at the beginning (0) or the end (1) of a text, such as a quotation mark or *Inc.* ``gold``:
        codes of the gold compression. ``lower``: for each code that of the token in lower case.

    Examples
    --------
    >>> coded(["The", "man", "saw", "the", "dog", "."], "the dog.")["tokens"]
    [[0], [1], [2], [3], [4], [5]]
    """
    number: dict[str, int] = {}

    def codes(tokens: Iterable[str]) -> list[int]:
        return [number.setdefault(token, len(number)) for token in tokens]

    tokens = [codes(_forms(word)[0]) for word in words]
    places = [(place, edge) for place in range(len(words)) for edge in (0, 1)]
    edges = [
        [place, edge, *codes(_forms(words[place])[1 + edge])]
        for place, edge in places
        if _forms(words[place])[1 + edge] != _forms(words[place])[0]
    ]
    gold = codes(tokens_of(reference))
    small: dict[str, int] = {}
    return {
        "tokens": tokens,
        "edges": edges,
        "gold": gold,
        "lower": [small.setdefault(t.lower(), len(small)) for t in number],
    }


class Coded:
    """A sentence with its gold compression, from the line of a table that has the columns of `coded`."""

    def __init__(self, line: Mapping[str, Any]) -> None:
        self.tokens = [list(map(int, codes)) for codes in line["tokens"]]
        self.edges = {(int(e[0]), int(e[1])): list(map(int, e[2:])) for e in line["edges"]}
        self.gold, self.lower = list(map(int, line["gold"])), list(map(int, line["lower"]))
        self.size, self._small = len(self.output(range(len(self.tokens)))), [self.lower[code] for code in self.gold]
        self._counts = Counter(self._small)

    @functools.cached_property
    def _grams(self) -> dict[int, Counter]:
        return {order: _grams(self._small, order) for order in range(2, 5)}

    def output(self, kept: Sequence[int]) -> list[int]:
        """Codes of the text that the kept words make."""
        parts = [self.tokens[place] for place in kept]
        for edge, end in ((1, -1), (0, 0)):
            parts[end] = self.edges.get((int(kept[end]), edge), parts[end])
        return [code for part in parts for code in part]

    def scores(self, kept: Sequence[int], orders: int = 4) -> list[float]:
        """The `MEASURES` of the text that the kept words make; with fewer `orders` only F1, B1 … and the kept words."""
        output = self.output(kept)
        small = [self.lower[code] for code in output]
        counts, theirs = Counter(small), self._counts
        common = [(count, theirs[code]) for code, count in counts.items() if code in theirs]
        f1 = _f1(sum(count for count, _ in common) / len(small), sum(count for _, count in common) / len(self.gold))
        precisions = [100 * sum(map(min, common)) / len(small)]
        for order in range(2, orders + 1):
            ours, theirs = _grams(small, order), self._grams[order]
            hits = sum(min(count, theirs[gram]) for gram, count in ours.items() if gram in theirs)
            precisions.append(100 * hits / max(1, len(small) - order + 1))
        precisions += [math.nan] * (4 - orders)
        customary = token_f1(output, self.gold) if orders == 4 else math.nan
        return [100 * f1, *precisions, sum(precisions) / 4, len(output) / self.size, 100 * customary]

    def kept_by_gold(self) -> list[int]:
        """Places of the words that the gold compression keeps, by the longest common parts in lower case."""
        words = [self.lower[codes[0]] if len(codes) == 1 else -1 - place for place, codes in enumerate(self.tokens)]
        blocks = difflib.SequenceMatcher(None, words, self._small, autojunk=False).get_matching_blocks()
        return [place for block in blocks for place in range(block.a, block.a + block.size)]


def _grams(codes: Sequence[int], order: int) -> Counter:
    return Counter(zip(*(codes[k:] for k in range(order))))


def token_f1(output: Sequence[Any], reference: Sequence[Any]) -> float:
    """F1 of tokens, in [0, 1]: one is a hit as often as it stands on the other side, the custom on the Google set.

    Examples
    --------
    >>> token_f1("a b b c".split(), "b a".split()), token_f1(["x"], ["y"])
    (0.6666666666666666, 0.0)
    """
    common = sum((Counter(output) & Counter(reference)).values())
    return _f1(common / len(output), common / len(reference))


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


# Sentences and systems -----------------------------------------------------------------------------------------------


def sentences(items: pandas.DataFrame) -> dict[int, Coded]:
    """The sentences of a table of items by their place in the file."""
    lines = items[items["system"] == "unedited"]
    return {int(line["sentence"]): Coded(line) for line in lines.to_dict("records")}


def scored(
    items: pandas.DataFrame, systems: Sequence[str] = tuple(SYSTEMS), *, share: float = 0.0, seed: int = 0
) -> pandas.DataFrame:
    """Scores of each sentence by each system, and by rules that need no model.

    A model's systems are compared on the sentences that all of them have. The rules keep as many words of each as the
    first system does.

    Parameters
    ----------
    items : DataFrame
        From ``evidence.load("ndd-compression")`` or `nbhelpers.studies.ndd.compression_evidence.run`.
    systems : sequence of str
        Keys of `SYSTEMS`; those that a model lacks are left out.
    share : float
        Every system stops as soon as this share of the words is left (rounded, at least two words); 0: where it stops.
    seed : int
        Of random deletion, which is the mean of ten draws.

    Returns
    -------
    DataFrame
        Columns ``model``, ``system`` (the row of Table 2), ``sentence``, ``words`` and the `MEASURES`.

    Raises
    ------
    InputError
        For items without the lines of the unedited sentences, which have no model.
    """
    texts, lines = sentences(items), []
    if len(items) and not texts:
        raise InputError('items need the lines of the unedited sentences: keep those of the model "", too')
    for model, part in items[items["system"].isin(systems)].groupby("model", sort=False):
        deleted = {name: dict(zip(one["sentence"], one["went"])) for name, one in part.groupby("system", sort=False)}
        deleted = {name: deleted[name] for name in systems if name in deleted}
        for sentence in sorted(set(texts).intersection(*deleted.values())):
            text, went = texts[sentence], {name: each[sentence] for name, each in deleted.items()}
            most = max(2, round(share * len(text.tokens))) if share else 0
            for name, runs in _outputs(went, most, (seed, sentence)).items():
                values = np.mean([text.scores(places) for places in runs], axis=0)
                lines.append([model, name, sentence, len(text.tokens), *values])
    return pandas.DataFrame(lines, columns=["model", "system", "sentence", "words", *MEASURES])


def _outputs(went: Mapping[str, Sequence[int]], most: int, seed: tuple[int, int]) -> dict[str, list[Sequence[int]]]:
    """What is left of a sentence by each row of Table 2, in several draws where it is random (`most`: as in `left`)."""
    found = {SYSTEMS[name]: [left(each, most)] for name, each in went.items()}
    first = next(iter(went.values()))
    n, count = len(first), len(left(first, most))
    if "paper" in went:
        ours = left(went["paper"], most)
        found[MARKED] = [ours if ours[-1] == n - 1 else [*ours[:-1], n - 1]]
    if "code" in went and "paper" in went:
        found[SHORTER] = [left(went["code"], count)]
    found[RANDOM] = [by_rule("random words", n, count, (seed[0] + draw, seed[1])) for draw in range(10)]
    found[RULE] = [by_rule("beginning and final word", n, count)]
    return found | {BARE: [range(count)], UNEDITED: [range(n)]}


def summary(items: pandas.DataFrame, *, resamples: int = 2000, seed: int = 0) -> pandas.DataFrame:
    """Table 2: the mean of every measure for every system (see `scored`), with an interval over sentences."""
    return means(scored(items, seed=seed), resamples=resamples, seed=seed)


@by_model
def means(scores: pandas.DataFrame, *, resamples: int = 2000, seed: int = 0) -> Rows:
    """Mean of every measure for every system, with an interval over sentences, from `scored`."""
    for system, part in scores.groupby("system", sort=False):
        for name in MEASURES:
            yield {"row": system, "column": name, "value": stats.bootstrap(part[name], resamples=resamples, seed=seed)}


def difference(
    scores: pandas.DataFrame, one: tuple[str, str], other: tuple[str, str], column: str = "F1"
) -> stats.Estimate:
    """Mean difference of two systems on the sentences that both have, with interval and p-value.

    Parameters
    ----------
    scores : DataFrame
        From `scored`.
    one, other : (str, str)
        Model and system.
    column : str
        One of `MEASURES`.
    """
    chosen = scores.set_index(["model", "system", "sentence"])[column].sort_index()
    both = chosen.loc[one].to_frame("one").join(chosen.loc[other].rename("other"), how="inner")
    found = stats.paired_bootstrap(both["one"], both["other"])
    return replace(found, unit="share" if column == "kept words" else "points")


def printed_lead(row: str, column: str = "F1") -> float:
    """How far the paper's NDD is ahead of another row of Table 2; NaN where the table lacks it.

    Examples
    --------
    >>> round(printed_lead(RANDOM), 1)
    21.7
    """
    cell = published.by_place("ndd/table2").get((row, column))
    return np.nan if cell is None else published.value("ndd/table2", OURS, column) - cell.value


@by_model
def rivals(scores: pandas.DataFrame, system: str = OURS, column: str = "F1") -> Rows:
    """Differences of a system and each other one, model by model, p-values corrected within a model (Holm).

    The column ``published`` has the paper's difference, where its Table 2 has both.
    """
    (model,) = scores["model"].unique()
    others = [name for name in scores["system"].unique() if name not in (system, MARKED)]
    found = {name: difference(scores, (model, system), (model, name), column) for name in others}
    for name, value in stats.adjusted(found, "holm").items():
        theirs = printed_lead(name, column) if system == OURS else np.nan
        yield {"row": name, "column": column, "value": value, "variant": f"minus {name}", "published": theirs}


def of_rule(
    texts: Mapping[int, Coded],
    rule: str | Mapping[int, Sequence[int]],
    share: float,
    *,
    spread: float = 0.0,
    orders: int = 4,
) -> pandas.DataFrame:
    """The `MEASURES` of sentences of which a rule keeps a share (rounded, at least two words), a line for each.

    Parameters
    ----------
    texts : mapping of int to Coded
        From `sentences`.
    rule : str or mapping
        One of `nbhelpers.studies.ndd.baselines.RULES`, or for each sentence what a system deletes
        (`nbhelpers.studies.ndd.compression.Compression.went`), of which only as much goes as the share asks for.
    share : float
    spread : float
        The share of a sentence differs from `share` by at most this, at random.
    orders : int
        1 where only F1, B1 and kept words are asked for, which is faster; the others are NaN then.
    """

    def of(sentence: int, text: Coded) -> Sequence[float]:
        n = len(text.tokens)
        drawn = generator(0, sentence).uniform(-spread, spread) if spread else 0
        count = min(n, max(2, round((share + drawn) * n)))
        kept = by_rule(rule, n, count, (0, sentence)) if isinstance(rule, str) else left(rule[sentence], count)
        return text.scores(kept, orders)

    return pandas.DataFrame([of(sentence, text) for sentence, text in texts.items()], columns=list(MEASURES))


def curve(
    texts: Mapping[int, Coded], name: str, shares: Sequence[float], rule: Mapping[int, Sequence[int]] | None = None
) -> pandas.DataFrame:
    """F1 over the share of words that a rule keeps: estimates, the row is `name`, the column the share it kept.

    A rule with no name in `nbhelpers.studies.ndd.baselines.RULES` is given (see `of_rule`).
    """
    found = [of_rule(texts, rule or name, share, orders=1) for share in shares]
    return estimates.frame(
        {"row": name, "column": one["kept words"].mean(), "value": stats.bootstrap(one["F1"])} for one in found
    )


@estimates.tabled
def quarters(items: pandas.DataFrame, model: str) -> Rows:
    """Share of the words of each quarter of a sentence that NDD keeps, the gold compression, and the rule.

    The final word, nearly always the final mark, is left out.
    """
    texts = sentences(items)
    chosen = items[(items["model"] == model) & (items["system"] == "paper") & items["sentence"].isin(list(texts))]
    kept = dict(zip(chosen["sentence"], map(left, chosen["went"])))
    length = {sentence: len(texts[sentence].tokens) for sentence in kept}
    runs = {
        "gold compression": {sentence: texts[sentence].kept_by_gold() for sentence in kept},
        OURS: kept,
        RULE: {s: by_rule("beginning and final word", length[s], len(places)) for s, places in kept.items()},
    }
    for name, found in runs.items():
        shares = [_quarters(length[sentence], list(places)) for sentence, places in found.items()]
        for quarter, values in enumerate(zip(*shares), start=1):
            yield {"row": name, "column": quarter, "value": stats.bootstrap(values), "model": model}


def _quarters(length: int, kept: Sequence[int]) -> np.ndarray:
    """Share of the words of each quarter that are kept, the final one left out; 0 where there are none."""
    quarter = 4 * np.arange(length - 1) // (length - 1)
    kept = [place for place in kept if place < length - 1]
    return np.bincount(quarter[kept], minlength=4) / np.maximum(1, np.bincount(quarter, minlength=4))
