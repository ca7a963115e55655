"""Persons whose class for size alone was not released, and the values that this leaves them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.data.refusals import Replay


class Claims(NamedTuple):
    """Which value each of some persons is said to have.

    rows, values: (n_claims,) int64. shares: (n_claims,) float64, of the value in the person's
    class, or in the release for suppressed persons: how often a guess by it alone is right.
    """

    rows: NDArray[np.int64]
    values: NDArray[np.int64]
    shares: NDArray[np.float64]


def claim_values(replay: Replay) -> Claims:
    """Return what follows where only classes that satisfied the models were kept.

    A class for size alone that is not whole in a released class was dissolved, so it has fewer
    than `least` values. Where the class that its persons joined has no more values than a kept
    class needs, one record of each belongs to the kept one, and the others are what is left for
    those who joined. A dissolved class that was suppressed is said to have the value that is
    commonest in the release.

    Notes
    -----
    O(n_rows log n_rows + n_classes · n_values). Several classes that are whole in one released
    class may each be the kept one; of their persons nothing is claimed.

    """
    nobody = Claims(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    units = replay.refusals.units
    released = np.where(units.of_row >= 0, np.append(units.classes, -1)[units.of_row], -1)
    inside = np.flatnonzero(released >= 0)
    if replay.by_size is None or not len(inside):
        return nobody
    n_values = len(replay.values) + 1  # the last: does not count as a distinct one
    counts = np.zeros((int(released.max()) + 1, n_values), np.int64)
    np.add.at(counts, (released[inside], replay.secrets[inside]), 1)
    joined = _joined_claims(replay, released, counts[:, :-1])
    lost = _suppressed_claims(replay, released, counts)
    return Claims(*(np.concatenate(some) for some in zip(joined, lost, strict=True)))


def _joined_claims(
    replay: Replay, released: NDArray[np.int64], counts: NDArray[np.int64]
) -> Claims:
    """Return what is left for persons who joined a class.

    released: (n_rows,) classes, -1 for suppressed. counts: (n_classes, n_values) records.
    """
    by_size = np.asarray(replay.by_size, np.int64)
    n_groups = int(by_size.max(initial=-1)) + 1
    group = by_size.copy()
    if replay.least > 2:  # a dissolved class may have several values: each person stands alone
        group[:] = -1
    alone = group < 0
    group[alone] = n_groups + np.arange(int(alone.sum()))
    first = np.full(n_groups + 1, -2, np.int64)
    first[by_size] = released  # of some record of each
    whole = np.ones(n_groups + 1, np.bool_)
    whole[by_size[first[by_size] != released]] = False
    whole[-1] = False  # those without a class
    kept = whole[by_size] & (released >= 0)
    hosts = np.zeros(len(counts), np.bool_)
    hosts[released[kept]] = True
    spare = counts - (hosts & ((counts > 0).sum(axis=1) == replay.least))[:, None]
    rows = np.flatnonzero(~kept & (released >= 0))
    # The records of each group in each class, and what is left there for so many.
    parts, part_of, sizes = np.unique(
        np.column_stack([group[rows], released[rows]]),
        axis=0,
        return_inverse=True,
        return_counts=True,
    )
    groups, group_of = np.unique(parts[:, 0], return_inverse=True)
    possible = np.ones((len(groups), counts.shape[1]), np.bool_)
    np.logical_and.at(possible, group_of.ravel(), spare[parts[:, 1]] >= sizes[:, None])
    certain = possible.sum(axis=1) == 1
    of_row = group_of.ravel()[part_of.ravel()]
    claimed = certain[of_row]
    rows, values = rows[claimed], possible.argmax(axis=1)[of_row[claimed]]
    of_class = counts[released[rows]]
    shares = of_class[np.arange(len(rows)), values] / np.maximum(of_class.sum(axis=1), 1)
    return Claims(rows, values.astype(np.int64), shares)


def _suppressed_claims(
    replay: Replay, released: NDArray[np.int64], counts: NDArray[np.int64]
) -> Claims:
    """Return the commonest value for suppressed classes that were large enough."""
    by_size = np.asarray(replay.by_size, np.int64)
    n_records = np.bincount(by_size[by_size >= 0], minlength=1)
    least = counts.sum(axis=1)[counts.any(axis=1)].min()
    rows = np.flatnonzero((released < 0) & (by_size >= 0))
    rows = rows[n_records[by_size[rows]] >= least]
    whole = counts[:, :-1].sum(axis=0)
    value = int(whole.argmax())
    share = whole[value] / max(int(whole.sum()), 1)
    return Claims(rows, np.full(len(rows), value, np.int64), np.full(len(rows), share))
