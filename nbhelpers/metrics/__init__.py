"""Measures of how far two texts say the same: one shape, one registry, one command line.

``load("bleu")(sources, candidates)`` gives one number for each pair; `score_all` takes many metrics over many pairs.
``load("same-meaning").changes(source, candidate)`` names the words that cost meaning, and `check` says whether it is
kept, changed or unsure.
A new metric is a function with the decorator `nbhelpers.metrics.metric.register` in any module of this package: all
of them are imported here. They import packages such as torch only when a metric is loaded.
"""

import importlib
import pkgutil

from nbhelpers.metrics.metric import SPECIFICATIONS, Metric
from nbhelpers.metrics.registry import load, names, resolve, score_all
from nbhelpers.metrics.verdicts import Thresholds, Verdict, calibrate, check, check_all, thresholds_from

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
