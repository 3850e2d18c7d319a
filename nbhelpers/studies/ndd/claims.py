"""What tests each claim of the NDD paper: evidence in, estimate out."""

from __future__ import annotations

from nbhelpers.base.stats import Estimate
from nbhelpers.results import evidence
from nbhelpers.studies.ndd import measures

# Compression (section 4, Table 2), with the small masked LM: F1 as Table 2 counts ----------------------------------


def _compressed(one: str, other: str, *systems: str) -> Estimate:
    scores = measures.scored(evidence.load("ndd-compression"), systems)
    return measures.difference(scores, ("embedded", one), ("embedded", other))


def ndd_3() -> Estimate:
    """F1, NDD minus perplexity, as many words deleted from each sentence."""
    return _compressed(measures.OURS, measures.GUIDED, "paper", "perplexity")


def ndd_4() -> Estimate:
    """F1, NDD minus perplexity, as many words deleted from each sentence."""
    return _compressed(measures.OURS, measures.GUIDED, "paper", "perplexity")


def ndd_5() -> Estimate:
    """F1, NDD minus the unedited sentence."""
    return _compressed(measures.OURS, measures.UNEDITED, "paper")


def ndd_6() -> Estimate:
    """F1, NDD minus random deletion of as many words."""
    return _compressed(measures.OURS, measures.RANDOM, "paper")


def ndd_7() -> Estimate:
    """F1, perplexity minus random deletion of as many words."""
    return _compressed(measures.GUIDED, measures.RANDOM, "paper", "perplexity")
