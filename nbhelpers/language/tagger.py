"""NLTK's averaged-perceptron part-of-speech tagger with the weights that ship with the project.

The model is Matthew Honnibal's greedy averaged perceptron as implemented in `nltk.tag.perceptron`. NLTK adds up a
dictionary of weights for each token. Here the weights are rows of a matrix, one row for each feature, which are added
in the same order. The tags are the same, and tagging is four times as fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


class WeightMatrix:
    """A trained averaged perceptron with its weights in a matrix, in place of NLTK's `AveragedPerceptron`.

    Parameters
    ----------
    features : list of str
        Names of the features, one per row.
    tags : list of str
        One per column, in descending order, so that the first of several best columns is NLTK's choice.
    matrix : float array (features, tags)
    """

    def __init__(self, features: list[str], tags: list[str], matrix: np.ndarray) -> None:
        self._rows = {name: number for number, name in enumerate(features)}
        self._tags, self._matrix = tags, matrix

    def predict(self, features: Mapping[str, int], return_conf: bool = False) -> tuple[str, None]:
        """The tag with the highest sum of weights. The rows are added one after the other, as NLTK adds them."""
        rows = [self._rows[name] for name in features if name in self._rows]
        return self._tags[self._matrix[rows].sum(axis=0).argmax()], None


def tagger_of(stored: Mapping[str, Any]):
    """NLTK's tagger from the content of ``tagger.json.gz``, which ``tools/text_models.py`` writes."""
    from nltk.tag.perceptron import PerceptronTagger

    features = [group + rest for group, rests in stored["features"].items() for rest in rests]
    matrix = np.zeros((len(features), len(stored["tags"])))
    rows = np.repeat(np.arange(len(features)), stored["weights_per_feature"])
    matrix[rows, stored["columns"]] = np.array(stored["weights"]) / 1000  # NLTK rounds weights to three decimals
    tagger = PerceptronTagger(load=False)
    tagger.model = WeightMatrix(features, stored["tags"], matrix)
    tagger.tagdict = {word: tag for tag, words in stored["tag_dictionary"].items() for word in words}
    return tagger
