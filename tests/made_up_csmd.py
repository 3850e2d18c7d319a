"""Rated pairs that are made up: CSMD in three parts, and items as a study's `run` makes them."""

import numpy as np
import pandas as pd

from nbhelpers.resources import data
from nbhelpers.resources.csmd import Csmd

LOCATED = data.Located("made-up", None, "argument", "0" * 64)


def csmd_of(train, dev, test) -> Csmd:
    """A CSMD of these parts, without holdouts."""
    return Csmd(tuple(train), tuple(dev), tuple(test), (), (), LOCATED)


def rated_items(count: int = 60) -> pd.DataFrame:
    """Items of 20 sources in three collections, with ratings that follow three metrics more and less."""
    random, places = np.random.default_rng(0), np.arange(count)
    people = random.uniform(0, 100, count)
    return pd.DataFrame(
        {
            "collection": np.array(["ASSET", "SimpDA-2022", "QuestEval"])[places % 3],
            "source": places % 20,
            "published": people,
            "restored": people[::-1],
            "sentence-transformer": people + random.normal(0, 10, count),
            "bleu": people + random.normal(0, 60, count),
            "fkgl": random.normal(0, 1, count),
        }
    )
