"""Measures of how far two texts say the same: one shape, one registry.

``load("bleu")(sources, candidates)`` gives one number for each pair; `score_all` takes many measures over many pairs.
See the package's modules: `nbhelpers.metrics.metric` (the shape), `nbhelpers.metrics.registry` (the names), and
``lexical``, ``simplification``, ``neural``, ``language_model`` and ``external``, which hold the measures.
"""

from nbhelpers.metrics.metric import Metric
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
