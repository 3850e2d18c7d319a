"""The measures of Table 2: F1 of tokens and BLEU against a gold compression, always with the compression ratio."""

from __future__ import annotations

import difflib
import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.results import published
from nbhelpers.studies.ndd import baselines
from nbhelpers.studies.ndd.compression import words_at
from nbhelpers.studies.ndd.pairs import example_pair

MEASURES = ("F1", "B1", "B2", "B3", "B4", "B", "kept words")
AS_IN_TABLE_2 = ", as in Table 2"


@functools.cache
def _nltk_tokenize():
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer().tokenize


def tokens_of(text: str, *, lowercase: bool = False) -> list[str]:
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
    tokens = _nltk_tokenize()(text)
    if not tokens:
        raise InputError(f"There is no token in {text!r}.")
    return [token.lower() for token in tokens] if lowercase else tokens


def token_f1(output: Sequence[str], reference: Sequence[str], clipped: bool = True) -> float:
    """F1 of tokens, in [0, 1].

    With `clipped` a token is a hit as often as it stands on the other side (multisets, the custom on the Google set),
    without it whenever it stands there at all.

    Examples
    --------
    >>> token_f1("a b b c".split(), "b a".split())
    0.6666666666666666
    """
    if clipped:
        common = sum((Counter(output) & Counter(reference)).values())
        precision, recall = common / len(output), common / len(reference)
    else:
        there, here = set(reference), set(output)
        precision = sum(token in there for token in output) / len(output)
        recall = sum(token in here for token in reference) / len(reference)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@functools.cache
def _bleu():
    from sacrebleu.metrics import BLEU

    return BLEU(tokenize="none", force=True, effective_order=True)


def evaluate(
    sources: Sequence[str], outputs: Sequence[str], references: Sequence[str], *, as_in_table_2: bool = False
) -> dict[str, np.ndarray]:
    """Score outputs against references, sentence by sentence.

    Parameters
    ----------
    sources, outputs, references : sequences of str
        Of equal length.
    as_in_table_2 : bool
        Lower-cased tokens, each a hit when it stands on the other side at all. This gives the paper's row for unedited
        sentences to within 0.4 points on the first 5,000 pairs of the evaluation file, and the scores printed in Table
        3 to the digit (its first example without the final period).

    Returns
    -------
    dict of str to numpy.ndarray, shape (n,)
        ``F1`` of tokens, in [0, 100]. ``B1`` to ``B4``: precision of n-grams, clipped, without smoothing or brevity
        penalty, in [0, 100]; 0 for an output shorter than n. Table 2's B1 to B4 and Table 3's BLEU are these, and ``B``
        is their mean. ``kept words``: tokens of the output over those of the source, the compression ratio.

    Raises
    ------
    InputError
        For lists of different lengths, no sentences, or a text without tokens.

    Examples
    --------
    >>> evaluate(["an old man sat there ."], ["an old man ."], ["a man sat ."])["F1"]
    array([50.])
    """
    if not len(sources) == len(outputs) == len(references) or not len(sources):
        raise InputError(f"There are {len(sources)} sources, {len(outputs)} outputs and {len(references)} references.")
    rows = []
    for number, texts in enumerate(zip(sources, outputs, references)):
        try:
            source, output, reference = (tokens_of(text, lowercase=as_in_table_2) for text in texts)
        except InputError as error:
            raise InputError(f"Sentence {number}: {error}") from None
        bleu = _bleu().sentence_score(" ".join(output), [" ".join(reference)])
        ngrams = [100 * hits / total if total else 0.0 for hits, total in zip(bleu.counts, bleu.totals)]
        f1 = 100 * token_f1(output, reference, clipped=not as_in_table_2)
        rows.append([f1, *ngrams, np.mean(ngrams), len(output) / len(source)])
    return dict(zip(MEASURES, np.array(rows).T))


def score_system(
    runs: Sequence[Sequence[Any]], sources: Sequence[Sequence[str]], references: Sequence[str]
) -> dict[str, np.ndarray]:
    """Mean scores of a system's runs, an array with one entry for each sentence for every measure.

    A run has the kept positions of each sentence, or None for a sentence that the system did not take; its scores are
    NaN. The scores that count as Table 2 does have names that end in ", as in Table 2".
    """
    places = [place for place, kept in enumerate(runs[0]) if kept is not None]
    texts, short = [" ".join(sources[place]) for place in places], [references[place] for place in places]
    scores = {}
    for mark in ("", AS_IN_TABLE_2):
        outputs = [[" ".join(words_at(sources[place], kept[place])) for place in places] for kept in runs]
        found = [evaluate(texts, output, short, as_in_table_2=bool(mark)) for output in outputs]
        for measure in MEASURES:
            scores[measure + mark] = np.full(len(sources), np.nan)
            scores[measure + mark][places] = np.mean([one[measure] for one in found], axis=0)
    return scores


def table2_rows(
    systems: Mapping[str, Sequence[Sequence[Any]]],
    sources: Sequence[Sequence[str]],
    references: Sequence[str],
    *,
    pairs: Sequence[tuple[str, str]] = (),
    seed: int = 0,
) -> list[dict[str, Any]]:
    """Rows of Table 2 for systems with their runs; paired differences of the first and each other one, and of `pairs`.

    Published rows that no system has come with the reason. p-values of the differences stand in the notes, corrected
    by Holm's procedure for each column.

    Examples
    --------
    >>> systems = {"first": [[(0, 1)] * 2], "all": [[(0, 1, 2)] * 2]}
    >>> rows = table2_rows(systems, [["a", "man", "sat"]] * 2, ["a man"] * 2)
    >>> [(row["row"], round(row["value"].value)) for row in rows if row["column"] == "F1" and row["value"]]
    [('first', 100), ('all', 80), ('first minus all', 20)]
    """
    paper = {(cell.row, cell.column + AS_IN_TABLE_2): cell for cell in published.cells("ndd/table2")}
    scores = {name: score_system(runs, sources, references) for name, runs in systems.items()}
    rows = []
    for name, found in scores.items():
        for column, values in found.items():
            theirs = paper[name, column].value if (name, column) in paper else None
            value = stats.bootstrap(values[~np.isnan(values)], seed=seed)
            rows.append({"row": name, "column": column, "value": value, "published": theirs})
    for (name, column), cell in paper.items():
        if name not in scores and cell.value is not None:
            note = "trained on gold compressions: not rebuilt" if cell.group == "supervised" else "not computed here"
            rows.append({"row": name, "column": column, "value": None, "published": cell.value, "note": note})
    first, *others = scores
    for column in ("F1", "F1" + AS_IN_TABLE_2):
        found = {}
        for one, other in [*((first, other) for other in others), *pairs]:
            both = np.column_stack([scores[one][column], scores[other][column]])
            both = both[~np.isnan(both).any(1)]
            found[f"{one} minus {other}"] = stats.paired_bootstrap(*both.T, seed=seed)
        corrected = stats.holm({name: value.p for name, value in found.items()})
        for name, value in found.items():
            note = f"p = {corrected[name]:.3f} (Holm, {len(found)} comparisons; {len(found) / 2001:.3f} is the least)"
            rows.append({"row": name, "column": column, "value": value, "published": None, "note": note})
    return rows


def curve_rows(
    sources: Sequence[Sequence[str]], references: Sequence[str], *, shares: Sequence[float], seed: int = 0
) -> list[dict[str, Any]]:
    """F1, as in Table 2, of baselines that keep a share of each sentence (rounded, at least two words)."""
    rows = []
    for share in shares:
        counts = [min(len(words), max(2, round(share * len(words)))) for words in sources]
        gone = [len(words) - count for words, count in zip(sources, counts)]
        systems = {
            "first words": [baselines.first_words(sources, counts)],
            "beginning and final word": [baselines.first_words(sources, counts, final=True)],
            "random words": [baselines.random_deletion(sources, gone, seed=seed + run) for run in range(3)],
        }
        for name, runs in systems.items():
            values = score_system(runs, sources, references)["F1" + AS_IN_TABLE_2]
            rows.append({"row": name, "column": f"{share:g}", "value": stats.bootstrap(values, seed=seed)})
    return rows


def quarter_rows(
    systems: Mapping[str, Sequence[Any]], sources: Sequence[Sequence[str]], references: Sequence[str], *, seed: int = 0
) -> list[dict[str, Any]]:
    """Share of the words of each quarter of a sentence that systems keep, and that the gold compression keeps."""
    gold = []
    for words, reference in zip(sources, references):
        lower, short = [word.lower() for word in words], [token.lower() for token in tokens_of(reference)]
        blocks = difflib.SequenceMatcher(None, lower, short, autojunk=False).get_matching_blocks()
        gold.append([place for block in blocks for place in range(block.a, block.a + block.size)])
    rows = []
    for name, runs in {"gold compression": gold, **systems}.items():
        shares = [np.bincount(4 * np.array(k) // len(w), minlength=4) for k, w in zip(runs, sources)]
        sizes = [np.bincount(4 * np.arange(len(w)) // len(w), minlength=4) for w in sources]
        for quarter, values in enumerate((np.array(shares) / np.array(sizes)).T, start=1):
            rows.append({"row": name, "column": f"quarter {quarter}", "value": stats.bootstrap(values, seed=seed)})
    return rows


def table3_rows(path: str | Path) -> list[dict[str, Any]]:
    """Table 3: the paper's printed outputs, scored by the measures here; the Google set at `path` has the gold."""
    rows = []
    for row in ("Example 1", "Example 2"):
        pair, printed = example_pair("ndd/table3", row, path), published.text("ndd/table3", row, "Edit")
        for version, output in (("", printed), (", without its period", printed.removesuffix("."))):
            found = evaluate([pair.sentence], [output], [pair.compression], as_in_table_2=True)
            for column, measure in (("F1 Score", "F1"), ("BLEU", "B")):
                paper = published.value("ndd/table3", row, column)
                value = {"value": float(found[measure][0]), "n": 1, "published": paper}
                rows.append({"row": row + version, "column": column, **value})
    return rows
