"""``python -m nbhelpers compare``: two systems' outputs for the same sources, by any metrics of the registry."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbhelpers.base import stats
from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.base.files import open_text
from nbhelpers.metrics.metric import Metric
from nbhelpers.metrics.registry import load, score_all

if TYPE_CHECKING:
    import pandas

_DESCRIPTION = """\
Compare two systems on one test set. SOURCES, A and B are UTF-8 text files with one text a line: line 1 of A and line 1
of B are what the two systems made of line 1 of SOURCES.

For each metric the table gives the means of A and B, their difference A - B with its 95 % interval (paired bootstrap
over lines), the share of lines on which A is better (a tie counts one half), the p-value of the paired randomisation
test, the same adjusted for the number of metrics (Holm), and the smallest difference that a test set of this size shows
with a probability of 80 %. "better" names a system only where the adjusted p-value is below 0.05.
"""


def compare(
    sources: Sequence[str],
    first: Sequence[str],
    second: Sequence[str],
    metrics: Sequence[str | Metric] = ("token-f1", "bleu", "rouge1-f1"),
    references: Sequence[Sequence[str]] | None = None,
) -> pandas.DataFrame:
    """Compare two systems that rewrote the same sources.

    Parameters
    ----------
    sources, first, second : sequence of str, each of length n
        The sources, and the outputs of the two systems.
    metrics : sequence of str or Metric
        Names of the registry, or metrics.
    references : sequence of sequence of str, optional
        For each source its references, for the metrics that take some.

    Returns
    -------
    DataFrame
        One row for each metric: ``metric``, ``n``, the means ``A`` and ``B``, ``difference`` (A - B) with ``low`` and
        ``high`` (95 %), ``A wins`` (share of sources on which A is better, ties one half), ``p`` (two-sided, paired
        randomisation), ``p adjusted`` (Holm 1979), ``detectable`` (smallest true difference found with power 0.8 at
        level 0.05, by the normal approximation) and ``better`` ("A" or "B" if the adjusted p-value is below 0.05,
        else "").

    Raises
    ------
    InputError
        Fewer than two sources, different lengths, an unknown metric, or a metric that cannot run here.

    Examples
    --------
    >>> sources = ["The ferry sails at noon .", "It rained all night .", "He sold his boat ."]
    >>> table = compare(sources, sources, ["A ferry .", "It rained .", "He sold it ."], ["token-f1"])
    >>> print(table[["metric", "n", "A"]].to_string(index=False))
      metric  n   A
    token-f1  3 1.0
    """
    import pandas
    from scipy.stats import norm

    loaded = {metric.name: metric for metric in (m if isinstance(m, Metric) else load(m) for m in metrics)}
    scored = [score_all(sources, out, references, metrics=list(loaded.values())) for out in (first, second)]
    for name, reason in scored[0]["missing"].items() | scored[1]["missing"].items():
        raise InputError(f"{name} cannot be used: {reason}")
    power = float(norm.ppf(0.975) + norm.ppf(0.8))
    rows = []
    for name in loaded:
        a, b = (one["values"][name] for one in scored)
        found = stats.paired_permutation(a, b)  # its interval is that of the paired bootstrap
        error = float(np.std(a - b, ddof=1)) / len(a) ** 0.5
        gain = (a - b) * (1 if loaded[name].higher_means_same else -1)
        wins = ((gain > 0) + 0.5 * (gain == 0)).mean()
        ends = found.value, found.low, found.high
        better = "A" if gain.mean() > 0 else "B"
        rows.append((name, len(a), a.mean(), b.mean(), *ends, wins, found.p, power * error, better))
    columns = ["metric", "n", "A", "B", "difference", "low", "high", "A wins", "p", "detectable", "better"]
    table = pandas.DataFrame(rows, columns=columns)
    adjusted = stats.holm(dict(zip(table["metric"], table["p"])))
    table.insert(9, "p adjusted", [adjusted[name] for name in table["metric"]])
    table["better"] = table["better"].where(table["p adjusted"] < 0.05, "")
    return table


def _lines(path: str) -> list[str]:
    """The texts of a file, one a line; a blank last line is no text."""
    with open_text(path) as stream:
        texts = stream.read().rstrip("\n").split("\n")
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            raise DataFormatError(path, number, "is empty")
    return texts


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m nbhelpers compare", description=_DESCRIPTION, formatter_class=plain)
    for name in ("sources", "a", "b"):
        parser.add_argument(name, metavar=name.upper())
    parser.add_argument("--reference", action="append", help="file of references, one a line; may be repeated")
    parser.add_argument("--metric", default="token-f1,bleu,rouge1-f1", help="names, with commas; default: %(default)s")
    parser.add_argument("--format", choices=("table", "tsv", "json"), default="table", help="default: %(default)s")
    options = parser.parse_args(argv)
    files = [options.sources, options.a, options.b, *(options.reference or [])]
    texts = [_lines(file) for file in files]
    for file, given in zip(files, texts):
        if len(given) != len(texts[0]):
            raise InputError(f"{file} has {len(given)} lines, and {options.sources} has {len(texts[0])}")
    references = [list(row) for row in zip(*texts[3:])] or None
    table = compare(*texts[:3], options.metric.split(","), references)
    if options.format == "table":
        print(table.to_string(index=False, float_format="{:.3f}".format))
    elif options.format == "tsv":
        print(table.to_csv(sep="\t", index=False), end="")
    else:
        print(table.to_json(orient="records", indent=1))
    return 0
