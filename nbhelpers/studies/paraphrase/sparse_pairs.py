"""Pairs of expressions from products of large sparse matrices: in blocks of bounded memory, best ones first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PRODUCTS_AT_ONCE = 8_000_000
"""So many products of two entries are formed together: some 200 MB."""


def products(left: csr_array, right: csr_array) -> Iterator[tuple[NDArray, NDArray, NDArray]]:
    """Row, column and value of each non-zero entry of ``left @ right``, in blocks of rows, in any order within one.

    Parameters
    ----------
    left, right : scipy.sparse.csr_array of float64, shapes (n, k) and (k, m)
    """
    work = np.concatenate([[0], np.cumsum(np.diff(right.indptr)[left.indices], dtype=np.int64)])[left.indptr]
    start = 0
    while start < left.shape[0]:
        stop = int(np.searchsorted(work, work[start] + PRODUCTS_AT_ONCE, side="right")) - 1
        stop = min(max(stop, start + 1), left.shape[0])
        block = (left[start:stop] @ right).tocoo()
        yield block.row.astype(np.int64) + start, block.col.astype(np.int64), block.data
        start = stop


def best(rows: NDArray, columns: NDArray, scores: NDArray, most: int = 0) -> NDArray[np.int64]:
    """Places of the `most` highest scores of each row, highest first; the lower column wins a tie; 0 takes all.

    Parameters
    ----------
    rows, columns : arrays of int, shape (n,)
    scores : array of float, shape (n,)
    """
    order = np.lexsort((columns, -scores, rows))
    if not most or not len(order):
        return order
    sorted_rows = rows[order]
    begins = np.flatnonzero(np.append(True, sorted_rows[1:] != sorted_rows[:-1]))
    rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
    return order[rank < most]
