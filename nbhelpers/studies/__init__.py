"""The five published studies, one folder each. No study imports another.

An *experiment* is a module with three things: ``record(**settings)``, which runs it on real data and returns its items
and where they come from; ``TABLES``, which names for each table of the paper the function that makes its estimates
from items; and what these need. A *claim* is a function of ``studies.<paper>.claims``: evidence in, estimate out.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from types import ModuleType

from nbhelpers.base.errors import InputError, did_you_mean
from nbhelpers.base.stats import Estimate

PAPERS = ("ndd", "meaningbert", "pyramid", "ordering", "paraphrase")

EXPERIMENTS: dict[str, str] = {
    "ndd-compression": "ndd.compression_evidence",
    "ndd-pruning": "ndd.pruning_evidence",
    "ndd-predicates": "ndd.predicates_evidence",
    "ordering-documents": "ordering.experiment",
    "ordering-reorder": "ordering.fitting",
    "pyramid-pairs": "pyramid.pairs",
    "pyramid-questions": "pyramid.questions",
    "ndd-cases": "ndd.cases",
    "ndd-pairs": "ndd.edits",
    "ndd-reading": "ndd.model_size",
    "paraphrase-scores": "paraphrase.experiment",
    "paraphrase-links": "paraphrase.links",
    "paraphrase-passages": "paraphrase.passages",
    "paraphrase-resources": "paraphrase.resources",
    "paraphrase-choices": "paraphrase.choices",
    "paraphrase-categories": "paraphrase.categories",
    "meaningbert-csmd": "meaningbert.ratings",
    "meaningbert-sanity": "meaningbert.sanity.checks",
    "meaningbert-trained": "meaningbert.experiment",
}
"""For each table of evidence the module, below this package, that makes and reads it."""


def experiment(name: str) -> ModuleType:
    """The module of an experiment.

    Raises
    ------
    InputError
        There is no such experiment.
    """
    if name not in EXPERIMENTS:
        raise InputError(f"there is no experiment {name!r}; {did_you_mean(name, EXPERIMENTS)}")
    return importlib.import_module(f"{__name__}.{EXPERIMENTS[name]}")


def claims() -> dict[str, Callable[[], Estimate]]:
    """For each claim, such as ``ndd-7``, the function that tests it.

    The first line of its docstring says what is measured.

    Examples
    --------
    >>> all(name.partition("-")[0] in PAPERS for name in claims())
    True
    """
    found = {}
    for paper in PAPERS:
        try:
            module = importlib.import_module(f"{__name__}.{paper}.claims")
        except ModuleNotFoundError:
            continue
        for name, function in vars(module).items():
            if number := re.fullmatch(rf"{paper}_(\d+)", name):
                found[f"{paper}-{number[1]}"] = function
    return dict(sorted(found.items(), key=lambda one: (PAPERS.index(one[0].split("-")[0]), int(one[0].split("-")[1]))))
