"""What section 4.1 leaves open about matching, one choice changed at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pandas import DataFrame

from nbhelpers.metrics.paraphrase.matcher import MatchSettings
from nbhelpers.metrics.paraphrase.tables import ParaphraseTable
from nbhelpers.results import evidence
from nbhelpers.studies.paraphrase import experiment
from nbhelpers.studies.paraphrase.collections import SummaryCollection, open_collection
from nbhelpers.studies.paraphrase.sources import english_tables, signature_of

CHOICES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "optimal": {"matching": "optimal"},
    "literals last": {"literals": "last"},
    "literals first": {"literals": "first"},
    "phrases from the left": {"phrases": "left-to-right"},
    "words not used up": {"clip": False},
    "read both ways": {"direction": "both"},
    "read backwards": {"direction": "candidate"},
}


def run(
    collection: SummaryCollection, tables: Mapping[str, ParaphraseTable], methods: Sequence[str] = ("PDWN",)
) -> DataFrame:
    """Items as of `experiment.run`, against written references only, with a column for each method and choice."""
    runs = {
        choice: experiment.run(collection, tables, methods, MatchSettings(**changed), roles=("written",))
        for choice, changed in CHOICES.items()
    }
    columns = {f"{method}, {choice}": items[method] for choice, items in runs.items() for method in methods}
    return runs["greedy"].drop(columns=list(methods)).assign(**columns)


def record() -> tuple[DataFrame, evidence.Run]:
    """Evidence on REALSumm: all resources together, with PPDB or the content words of S as S."""
    opened = open_collection("realsumm")
    given = english_tables(experiment.words_of(opened))
    made = f"{MatchSettings().signature}|{signature_of(given, 'CPDWN')}"
    return run(opened, given, ("PDWN", "CDWN")), evidence.Run(data=opened.signature, signature=made)


def summary(items: DataFrame, method: str = "PDWN") -> DataFrame:
    """Mean correlation with each choice, all summaries ranked against each written reference."""
    names = [f"{method}, {choice}" for choice in CHOICES]
    found = experiment.summary(items, [experiment.BASELINE, *names])
    return found[found["column"] == "all-each"]


def gains(items: DataFrame, method: str = "PDWN", other: str = experiment.BASELINE) -> DataFrame:
    """Correlation with each choice minus that of another method, or another choice."""
    names = [f"{method}, {choice}" for choice in CHOICES]
    found = experiment.gains(items, [name for name in names if name != other], other)
    return found[found["column"] == "all-each"]


TABLES = {"paraphrase/choices": summary, "paraphrase/choices, minus ROUGE-1": gains}
