"""``python -m nbhelpers compare``: several systems' outputs for the same sources, by any metrics of the registry.

Compare systems on one test set. Give one table whose header names a source and has a column for each system, or a
file of sources and a file for each system (UTF-8), with one text a line in the same order.

For each metric and each two systems A and B the table gives their means, the difference A - B with its 95 % interval
(paired bootstrap over lines), the share of lines on which A is better (a tie counts one half), the p-value of the
paired randomisation test, the same adjusted for all rows of the table (Holm), and the smallest difference that a test
set of this size shows with a probability of 80 %. "better" names a system only where the adjusted p-value is below
0.05, and only for metrics that have a better end: a school grade (fkgl) has none. A line that a metric refuses for one
system is left out for all.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.paths import program
from nbhelpers.commands.pace import portions
from nbhelpers.commands.reading import not_english, read_lines, read_systems
from nbhelpers.commands.score import Cache
from nbhelpers.metrics.metric import Metric, sharing
from nbhelpers.metrics.registry import load

if TYPE_CHECKING:
    import pandas


DEFAULT = ("same-meaning", "sentence-transformer", "chrf")
"""Metrics that are taken where none are named."""

NO_BETTER = frozenset({"fkgl", "length-ratio"})
"""Metrics that describe a text, and of which neither end is better."""


def compare(
    sources: Sequence[str],
    systems: Mapping[str, Sequence[str]],
    metrics: Sequence[str | Metric] = DEFAULT,
    references: Sequence[Sequence[str]] | None = None,
    *,
    cache: str | None = None,
    tell: bool = False,
) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """Compare systems that rewrote the same sources.

    Parameters
    ----------
    sources : sequence of str, length n
    systems : mapping of str to sequence of str
        The outputs of two or more systems, n each. An empty text is left out for all systems.
    metrics : sequence of str or Metric
        Names of the registry, or metrics.
    references : sequence of sequence of str, optional
        For each source its references, for the metrics that take some.
    cache : str, optional
        Folder that keeps values.
    tell : bool
        Show a bar on standard error.

    Returns
    -------
    table : DataFrame
        One row for each metric and two systems: ``metric``, ``A``, ``B`` (names), ``n``, their means, ``difference``
        (A - B) with ``low`` and ``high`` (95 %), ``A wins``, ``p`` (two-sided, paired randomisation), ``p adjusted``
        (Holm 1979), ``detectable`` (smallest true difference found with power 0.8 at level 0.05, by the normal
        approximation) and ``better``.
    lines : DataFrame
        One row for each source and system: ``line`` (from 1), ``system``, and the value by each metric (NaN where the
        metric refuses the text).

    Raises
    ------
    InputError
        Fewer than two systems or sources, different lengths, an unknown metric, or one that cannot run here.

    Examples
    --------
    >>> sources = ["The ferry sails at noon .", "It rained all night .", "He sold his boat ."]
    >>> short = ["A ferry .", "It rained .", "He sold it ."]
    >>> table, lines = compare(sources, {"copy": sources, "short": short}, ["token-f1"])
    >>> table[["metric", "A", "B", "n", "mean A"]].values.tolist()
    [['token-f1', 'copy', 'short', 3, 1.0]]
    """
    import pandas
    from scipy.stats import norm

    if len(systems) < 2:
        raise InputError(f"two or more systems can be compared, not {len(systems)}")
    if wrong := next((name for name, texts in systems.items() if len(texts) != len(sources)), None):
        raise InputError(f"{wrong} has {len(systems[wrong])} texts for {len(sources)} sources")
    loaded = {metric.name: metric for metric in (m if isinstance(m, Metric) else load(m) for m in metrics)}
    store, values = Cache(cache), {(m, s): np.full(len(sources), np.nan) for m in loaded for s in systems}
    places = [
        (place, name)
        for place, source in enumerate(sources)
        for name in systems
        if source.strip() and systems[name][place].strip()
    ]
    triples = [
        (sources[k], systems[name][k], list(references[k]) if references else [sources[k]]) for k, name in places
    ]
    for portion in portions(len(triples), "rated texts", tell):
        with sharing():
            for metric in loaded.values():
                found = store.values(metric, [triples[number] for number in portion])
                for number, value in zip(portion, found):
                    place, name = places[number]
                    values[metric.name, name][place] = np.nan if isinstance(value, str) else value
    pairs, rows = {}, []
    for metric in loaded:
        whole = np.all([np.isfinite(values[metric, name]) for name in systems], axis=0)
        if whole.sum() < 2:
            raise InputError(f"{metric} rates all systems on {whole.sum()} of {len(sources)} lines; two are needed")
        for first, second in combinations(systems, 2):
            pairs[metric, first, second] = values[metric, first][whole], values[metric, second][whole]
    # the interval of this test is that of the paired bootstrap
    tested = stats.adjusted({names: stats.paired_permutation(a, b) for names, (a, b) in pairs.items()}, "holm")
    power = float(norm.ppf(0.975) + norm.ppf(0.8))
    for (metric, first, second), found in tested.items():
        a, b = pairs[metric, first, second]
        gain = (a - b) * (1 if loaded[metric].higher_means_same else -1)
        row = {"metric": metric, "A": first, "B": second, "n": len(a), "mean A": a.mean(), "mean B": b.mean()}
        row |= {"difference": found.value, "low": found.low, "high": found.high}
        row |= {"A wins": ((gain > 0) + 0.5 * (gain == 0)).mean(), "p": found.p, "p adjusted": found.q}
        row["detectable"] = power * float(np.std(a - b, ddof=1)) / len(a) ** 0.5
        shown = found.q < 0.05 and metric not in NO_BETTER
        row["better"] = "" if not shown else first if gain.mean() > 0 else second
        rows.append(row)
    lines = [
        {"line": place + 1, "system": name} | {metric: values[metric, name][place] for metric in loaded}
        for place in range(len(sources))
        for name in systems
    ]
    return pandas.DataFrame(rows), pandas.DataFrame(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    about = {"description": __doc__.partition("\n\n")[2], "formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = argparse.ArgumentParser(f"{program()} compare", **about)
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="SOURCES A B [C …], or one table")
    add("--columns", metavar="SOURCE,A,B", help="names of the columns of a table")
    repeated = {"action": "append", "default": [], "metavar": "FILE"}
    add("--reference", **repeated, help="file of references, one a line; may be repeated")
    default = ",".join(DEFAULT)
    add("--metric", metavar="NAMES", default=default, help="with commas between; default: %(default)s")
    add("--format", choices=("table", "tsv", "json"), default="table", help="default: %(default)s")
    add("--lines", action="store_true", help="show the values of every line in place of the comparison")
    add("--cache", metavar="FOLDER", help="keep values by text and metric, and use those kept before")
    add("--quiet", action="store_true", help="print no remarks and no progress")
    options = parser.parse_args(argv)
    given = read_systems(options.files, options.columns)
    references = [read_lines(file, len(given.sources)) for file in options.reference]
    for file, texts in zip(options.reference, references):
        if len(texts) != len(given.sources):
            raise InputError(f"{file} has {len(texts)} lines, and there are {len(given.sources)} sources")
    metrics = options.metric.split(",")
    if not options.quiet:
        if given.problems:
            print(f"Left out for all systems: {len(given.problems)} with an empty text.", file=sys.stderr)
        if not_english(given.sources):
            print("These texts are hardly English; measures with a model were made for English.", file=sys.stderr)
    rows = [list(row) for row in zip(*references)] or None
    table, lines = compare(given.sources, given.outputs, metrics, rows, cache=options.cache, tell=not options.quiet)
    shown = lines if options.lines else table
    if options.format == "table":
        print(shown.to_string(index=False, float_format="{:.3f}".format))
    elif options.format == "tsv":
        print(shown.to_csv(sep="\t", index=False), end="")
    else:
        print(json.dumps(json.loads(shown.to_json(orient="records")), indent=1, ensure_ascii=False))
    return 0
