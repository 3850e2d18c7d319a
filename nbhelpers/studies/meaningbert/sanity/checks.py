"""The two sanity checks of the MeaningBERT study: identical sentences are rated 100, unrelated ones 0.

Beauchemin, Saggion and Khoury (2023), section 3.3 and Tables 6 and 7: the share of ratings of at least 95 … 99 for
identical pairs, and of at most 5 … 1 for unrelated pairs, each rating rounded to the nearest integer first. "To account
for computer floating-point inaccuracy" no threshold is 100 or 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nbhelpers.base.stats import Estimate, proportion

THRESHOLDS: dict[str, tuple[int, ...]] = {"identical": (95, 96, 97, 98, 99), "unrelated": (5, 4, 3, 2, 1)}
"""For each check the thresholds, from the easiest to the hardest, as in Tables 6 and 7."""


def shares(ratings: ArrayLike, kind: str) -> dict[int, Estimate]:
    """Share of ratings that pass each threshold of a check, with Wilson intervals.

    Ratings are rounded to the nearest integer as Python and NumPy do, a half to the even one: 94.5 becomes 94 and 95.5
    becomes 96. The paper does not name its rule for halves.

    Parameters
    ----------
    ratings : array (n,)
        From 0 (another meaning) to 100 (the same). Ratings beyond, such as those of TER, are taken as they are.
    kind : {"identical", "unrelated"}
        At least 95 … 99, or at most 5 … 1.

    Returns
    -------
    dict of int to Estimate
        By threshold, from the easiest to the hardest.
    """
    rounded = np.rint(ratings)
    passes = np.greater_equal if kind == "identical" else np.less_equal
    return {threshold: proportion(passes(rounded, threshold)) for threshold in THRESHOLDS[kind]}
