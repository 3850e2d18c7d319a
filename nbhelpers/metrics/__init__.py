"""Measures of how far two texts say the same: one shape, one registry.

``load("bleu")(sources, candidates)`` gives one number for each pair; `score_all` takes many measures over many pairs.
See the package's modules: `nbhelpers.metrics.base` (the shape), `nbhelpers.metrics.registry` (the names), and
``lexical``, ``simplification``, ``neural``, ``language_model`` and ``external``, which hold the measures.
"""

from nbhelpers.metrics.base import Metric
from nbhelpers.metrics.registry import (
    ALIASES,
    SPECIFICATIONS,
    Specification,
    available,
    load,
    names,
    resolve,
    score_all,
)

__all__ = [
    "ALIASES",
    "SPECIFICATIONS",
    "Metric",
    "Specification",
    "available",
    "load",
    "names",
    "resolve",
    "score_all",
]
