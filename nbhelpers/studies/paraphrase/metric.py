"""The paraphrase matcher as a metric of the registry's shape."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

import nbhelpers
from nbhelpers.base.errors import RowError
from nbhelpers.metrics import Metric
from nbhelpers.studies.paraphrase.matcher import Index
from nbhelpers.studies.paraphrase.sources import words_in
from nbhelpers.studies.paraphrase.tokens import tokenize
from nbhelpers.studies.paraphrase.variants import load_variants
from nbhelpers.studies.paraphrase.wordnet import load_wordnet


@functools.cache
def paraphrase_matcher(dictionaries: str = "auto") -> Metric:
    """Share of the source's words that the candidate has, a synonym or another form counted as the word (section 4.1).

    Parameters
    ----------
    dictionaries : {"shipped", "auto"}
        Of the two tables that people made, WordNet and variants; ``auto``: the best on this machine.

    Examples
    --------
    >>> paraphrase_matcher("shipped")(["They bought a car ."], ["They purchased an automobile ."]).round(2).tolist()
    [0.75]
    """
    wordnet, variants = load_wordnet("en", dictionaries, parts_of_speech="nvarx"), load_variants("en", dictionaries)

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> NDArray[np.float64]:
        words = words_in({*sources, *candidates}, "en")
        tables = [wordnet.table(words), variants.table(words)]
        index, names = Index(tables), [table.name for table in tables]
        values = []
        for row, (source, candidate) in enumerate(zip(sources, candidates), start=1):
            if not (tokens := tokenize(source, "en")):
                raise RowError(row, f"there is no word in the source {source[:60]!r}")
            values.append(index.recalls([tokens], tokenize(candidate, "en"), [names])[0])
        return np.array(values)

    signature = f"paraphrase-matcher|WN|{wordnet.signature}|{variants.signature}|v:{nbhelpers.__version__}"
    return Metric("paraphrase-matcher", "Paraphrase matcher", (0.0, 1.0), True, False, signature, compute, 100.0)
