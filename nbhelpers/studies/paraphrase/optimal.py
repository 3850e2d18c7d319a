"""The links that match most words of the reference: what the greedy steps of section 4.1 give away.

Words of either side and the links between them fall into connected parts that are solved one by one, each exactly:
a part with one-word links only is an assignment problem (`scipy.optimize.linear_sum_assignment`, a maximum bipartite
matching), one with longer expressions an integer programme (`scipy.optimize.milp`, solved to a gap of zero). Among the
solutions that match most words one with most literal matches is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from nbhelpers.base.errors import ModelError
from nbhelpers.studies.paraphrase.links import Possible, positions, possible


def optimal_links(
    links: Iterable[Possible], shared: Sequence[tuple[int, int]], length: int, clip: bool = True
) -> list[Possible]:
    """Links that together match most words of the reference.

    Parameters
    ----------
    links : iterable of Possible
        Paraphrase links that are allowed; each word of the reference may be in one that is taken at most.
    shared : sequence of (int, int)
        For each word that both texts have its places in the reference and in the candidate, as bits.
    length : int
        Words of the reference.
    clip : bool
        Whether a word of the candidate may be in one link at most; if not, links are chosen from the left by dynamic
        programming over the reference.

    Returns
    -------
    list of Possible
        From the left of the reference.

    Raises
    ------
    ModelError
        The solver found no solution.
    """
    allowed = [one for one in links if not one.literal]
    for ours, theirs in shared:
        allowed += [possible(i, 1, j, 1, 0, True) for i in positions(ours) for j in positions(theirs)]
    allowed.sort(key=lambda one: (one.i, one.m, not one.literal, one.n, one.j))
    if not clip:
        return _schedule(allowed, length)
    taken: list[Possible] = []
    for part in _parts(allowed):
        solve = _assign if all(one.m == one.n == 1 for one in part) else _programme
        taken += solve(part, length + 1)
    return sorted(taken, key=lambda one: one.i)


def _parts(links: Sequence[Possible]) -> list[list[Possible]]:
    """Links grouped so that those of different groups share no word."""
    groups: list[tuple[int, int, list[Possible]]] = []
    for one in links:
        ours, theirs, members = one.reference_bits, one.candidate_bits, [one]
        apart = []
        for group in groups:
            if group[0] & ours or group[1] & theirs:
                ours, theirs, members = ours | group[0], theirs | group[1], group[2] + members
            else:
                apart.append(group)
        groups = [*apart, (ours, theirs, members)]
    return [members for _, _, members in groups]


def _gain(one: Possible, weight: int) -> int:
    """Matched words count first; a literal match is worth less than a word, whatever their number."""
    return one.m * weight + one.literal


def _assign(links: Sequence[Possible], weight: int) -> list[Possible]:
    """Part with one-word links only."""
    from scipy.optimize import linear_sum_assignment

    rows = {i: row for row, i in enumerate(sorted({one.i for one in links}))}
    columns = {j: column for column, j in enumerate(sorted({one.j for one in links}))}
    gains = np.zeros((len(rows), len(columns)))
    by_place = {}
    for one in links:
        gains[rows[one.i], columns[one.j]] = _gain(one, weight)
        by_place[rows[one.i], columns[one.j]] = one
    chosen = zip(*(places.tolist() for places in linear_sum_assignment(gains, maximize=True)), strict=True)
    return [by_place[place] for place in chosen if place in by_place]


def _programme(links: Sequence[Possible], weight: int) -> list[Possible]:
    """Part with longer expressions: choose links so that no word is in two of them."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    rows: dict[tuple[str, int], int] = {}
    entries = []
    for column, one in enumerate(links):
        words = [("reference", one.i + k) for k in range(one.m)] + [("candidate", one.j + k) for k in range(one.n)]
        entries += [(rows.setdefault(word, len(rows)), column) for word in words]
    at = tuple(zip(*entries, strict=True))
    words = csr_array((np.ones(len(entries)), at), shape=(len(rows), len(links)))
    result = milp(
        -np.array([_gain(one, weight) for one in links], dtype=float),
        constraints=LinearConstraint(words, ub=1.0),
        integrality=np.ones(len(links)),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0.0},
    )
    if not result.success:
        raise ModelError(f"No optimal matching was found: {result.message}")
    return [one for one, value in zip(links, result.x, strict=True) if value > 0.5]


def _schedule(links: Sequence[Possible], length: int) -> list[Possible]:
    """Links that overlap nowhere in the reference and cover most of it: weighted interval scheduling."""
    best: list[tuple[int, tuple[Possible, ...]]] = [(0, ())]
    ending: dict[int, list[Possible]] = {}
    for one in links:
        ending.setdefault(one.i + one.m, []).append(one)
    for end in range(1, length + 1):
        value, chosen = best[end - 1]
        for one in ending.get(end, ()):
            reached = best[one.i][0] + _gain(one, length + 1)
            if reached > value:
                value, chosen = reached, (*best[one.i][1], one)
        best.append((value, chosen))
    return list(best[-1][1])
