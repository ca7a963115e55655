"""Why a record is risky: the few attributes on which it is alone (SUDA, DIS-SUDA)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from kanonym.data.errors import DataError, Message, PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.risk.suda import Uniques, minimal_uniques
from kanonym.metrics.measured_value import Meaning, MeasuredValue

MOST_ATTRIBUTES = 27
"""With one more, the exponent of DIS-SUDA is 0, and then negative: high scores would be safe."""

MOST_SETS = 10_000_000
"""Most minimal sample uniques that `largest_feasible` lets a search find: 400 MB, some seconds."""

MOST_VISITS = 200_000_000
"""Most times that it looks at a record: some seconds."""

SUDA = (
    "Elliot, Manning and Ford (2002), IJUFKS 10(5); Elliot, Manning, Mayes, Gurd and Bane (2005); "
    "Manning, Haglin and Keane (2008), DMKD 16"
)
DIS = (
    "Elliot and Manning (2003), with the exponent of sdcMicro; part file: Skinner and Elliot "
    "(2002), J. R. Stat. Soc. B 64(4)"
)

ENTRIES: dict[str, Meaning] = {
    meaning.name: meaning
    for meaning in (
        Meaning(
            "suda_highest",
            0.0,
            math.inf,
            "lower",
            "largest score of a record",
            SUDA,
            title=_("Highest score of a special unique (SUDA)"),
            counted=_("score"),
            short="SUDA highest",
        ),
        Meaning(
            "suda_mean",
            0.0,
            math.inf,
            "lower",
            "mean score of the records",
            SUDA,
            title=_("Mean score of special uniques (SUDA)"),
            counted=_("score"),
            short="SUDA mean",
        ),
        Meaning(
            "dis_highest",
            0.0,
            1.0,
            "lower",
            "chance that a unique match is correct",
            DIS,
            title=_("Highest chance that a unique match is correct (DIS)"),
            counted=_("probability"),
            short="DIS highest",
        ),
    )
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Suda(ShortRepr):
    """How special each record is, and by which attributes.

    A minimal sample unique of a record is a set of attributes on whose values it is alone
    in the table, while on each smaller part of the set it is not.

    scores: (n_rows,) float64, at least 0: the SUDA score of each record; 0 for records with an
    equal one, and for those without a set of at most `largest` attributes.
    dis: (n_rows,) float64 in [0, 1], 0 where the score is: the DIS-SUDA score, the chance that a
    match is correct if it is the only one.
    counts: (largest,) int64: number of minimal sample uniques of 1, 2 ... attributes.
    """

    names: tuple[str, ...]
    largest: int
    scores: Floats
    dis: Floats
    file_dis: float
    counts: Ints
    contributions: dict[str, float]
    _uniques: Uniques = field(repr=False)
    _carried: Floats = field(repr=False)

    @property
    def is_conclusive(self) -> bool:
        """Whether scores of 0 throughout say that nobody is alone, or nothing at all."""
        looked = self.largest == len(self.names) or bool(self.counts.any())
        return looked or not bool((self._uniques.counts == 1).any())

    def explain(self, row: int) -> tuple[tuple[str, ...], ...]:
        """Return the minimal sample uniques of a record as names, the smallest first."""
        t = self._tuple(row)
        uniques = self._uniques
        sets = uniques.sets[uniques.starts[t] : uniques.starts[t + 1]].tolist()
        members = [tuple(a for a in range(len(self.names)) if bits >> a & 1) for bits in sets]
        members.sort(key=lambda chosen: (len(chosen), chosen))
        return tuple(tuple(self.names[a] for a in chosen) for chosen in members)

    def shares(self, row: int) -> dict[str, float]:
        """Return `contributions` to the score of one record; zeros where that is 0."""
        return _shares(self.names, self._carried[self._tuple(row)], float(self.scores[row]))

    def entries(self) -> dict[str, MeasuredValue]:
        """Return the entries of `ENTRIES`; without a value for a table without a record.

        The parts of `suda_mean` are `contributions`; part `file` of `dis_highest` is `file_dis`.
        Where sets of all attributes were not looked for, part `largest` of the other two says
        up to how many were.
        """
        if not self.is_conclusive:
            reason = Message(
                "records are alone in the table, but none on {largest} attributes or fewer, "
                "and sets of more were not looked for",
                largest=self.largest,
            )
            return {
                name: MeasuredValue(meaning, None, {}, reason) for name, meaning in ENTRIES.items()
            }
        if not len(self.scores):
            reason = Message("the table has no record")
            return {
                name: MeasuredValue(meaning, None, {}, reason) for name, meaning in ENTRIES.items()
            }
        up_to = {"largest": float(self.largest)} if self.largest < len(self.names) else {}
        found: dict[str, tuple[float, dict[str, float]]] = {
            "suda_highest": (float(self.scores.max()), up_to),
            "suda_mean": (float(self.scores.mean()), self.contributions),
            "dis_highest": (float(self.dis.max()), {"file": self.file_dis, **up_to}),
        }
        return {name: MeasuredValue(ENTRIES[name], *one) for name, one in found.items()}

    def _tuple(self, row: int) -> int:
        if not 0 <= row < len(self.scores):
            raise DataError(f"there is no row {row}: rows are 0 to {len(self.scores) - 1}")
        return int(self._uniques.tuples[row])


def largest_feasible(n_distinct: int, sizes: Sequence[int], largest: int) -> int:
    """Return up to how many attributes sets can be looked for in a table of this size.

    n_distinct: different records. sizes: values of each of the d attributes. At most `largest`;
    0 where not even single attributes can. Records that are alone on a set of attributes are
    no more than all records, nor than the combinations of its values; all sets of one size
    have at most `MOST_SETS` of them. No set is within another, so that those of several sizes
    together are about as many (Sperner 1928). Cost: one step a set of attributes.

    Examples
    --------
    >>> largest_feasible(30_000, [60] * 9, 9), largest_feasible(50_000, [60] * 15, 3)
    (9, 2)
    >>> largest_feasible(10**8, [60] * 15, 3)
    0
    """
    visits = 0
    for k in range(1, min(largest, len(sizes)) + 1):
        visits += n_distinct * math.comb(len(sizes), k)
        if visits > MOST_VISITS:
            return k - 1
        if (
            sum(min(n_distinct, math.prod(combination)) for combination in combinations(sizes, k))
            > MOST_SETS
        ):
            return k - 1
    return min(largest, len(sizes))


def suda(
    codes: Int32s, names: Sequence[str], *, largest: int | None = None, fraction: float = 0.01
) -> Suda:
    """Score records by the small sets of attributes on which they are alone.

    A minimal sample unique of k of the d attributes scores the product of d - i over i from k to
    min(largest, d - 1); a record scores the sum. Without `largest` that is (d - k)!, as in
    sdcMicro.

    codes: (n_rows, d) int32 from 0, with d from 1 to 27. Null is a value with a code of its own: it
        makes a record unique where it is rare. (In sdcMicro a missing value is in no minimal sample
        unique and agrees with no other value.)

    Notes
    -----
    DIS-SUDA spreads the chance u f / (u f + p (1 - f)) that a unique match is correct over the
    unique records by their scores s, with f the fraction, u the unique records, p those in pairs
    (Skinner and Elliot 2002): 1 / (1 + p (1 - f) / (f A s^q)), where A is the sum of s^-q over the
    records that score, and q = 1 + (8 - d) / 20. The exponent q is sdcMicro's. Give `largest` (3 or
    4) where there are more than ten or so: what it leaves out scores least.

    Examples
    --------
    >>> codes = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 0]], np.int32)
    >>> found = suda(codes, ["age", "sex", "town"])
    >>> found.scores.tolist(), found.explain(0), found.explain(3)
    ([2.0, 2.0, 2.0, 1.0], (('town',),), (('age', 'sex', 'town'),))
    """
    d = codes.shape[1]
    if not 1 <= d <= MOST_ATTRIBUTES:
        raise DataError(
            f"SUDA takes 1 to {MOST_ATTRIBUTES} quasi-identifiers, not {d}: name fewer, those "
            "that an intruder is likely to know"
        )
    if len(names) != d:
        raise ValueError(f"{len(names)} names for {d} attributes")
    if largest is not None and largest < 1:
        raise PolicyError(f"largest: {largest} attributes are not a set; take 1 or more")
    if not 0 < fraction <= 1:
        raise PolicyError(f"fraction: {fraction} is not a share of the population in (0, 1]")
    largest = d if largest is None else min(largest, d)
    uniques = minimal_uniques(codes, largest)
    set_sizes = np.bitwise_count(uniques.sets)
    worth = _points(d, largest)[set_sizes]
    holder = np.repeat(np.arange(len(uniques.counts)), np.diff(uniques.starts))
    n_tuples = len(uniques.counts)
    carried = np.empty((n_tuples, d))
    for a in range(d):
        inside = uniques.sets >> a & 1
        carried[:, a] = np.bincount(holder, worth * inside, minlength=n_tuples)
    of_tuple = np.bincount(holder, worth, minlength=n_tuples)
    scores = of_tuple[uniques.tuples].astype(np.float64)
    n_single, n_paired = int((uniques.counts == 1).sum()), 2 * int((uniques.counts == 2).sum())
    return Suda(
        names=tuple(names),
        largest=largest,
        scores=scores,
        dis=_dis(scores, d, n_paired * (1 - fraction) / fraction),
        file_dis=_file_dis(n_single, n_paired, fraction),
        counts=np.bincount(set_sizes, minlength=largest + 1)[1:],
        contributions=_shares(names, carried.sum(axis=0), float(of_tuple.sum())),
        _uniques=uniques,
        _carried=carried,
    )


def _points(d: int, largest: int) -> Floats:
    """Return what a minimal sample unique of 0, 1 ... `largest` attributes scores."""
    last = min(largest, d - 1)
    return np.array(
        [math.prod(d - i for i in range(k, last + 1)) for k in range(largest + 1)], float
    )


def _dis(scores: Floats, d: int, others: float) -> Floats:
    """Return the DIS-SUDA scores; `others` is the expected number of wrong unique matches."""
    dis = np.zeros(len(scores))
    scored = scores > 0
    if scored.any():
        weights = scores[scored] ** (1 + (8 - d) / 20)
        dis[scored] = 1 / (1 + others / (weights * (1 / weights).sum()))
    return dis


def _file_dis(n_single: int, n_paired: int, fraction: float) -> float:
    if not n_single:
        return 0.0
    return n_single * fraction / (n_single * fraction + n_paired * (1 - fraction))


def _shares(names: Sequence[str], carried: Floats, total: float) -> dict[str, float]:
    return {
        name: float(part) / total if total else 0.0
        for name, part in zip(names, carried, strict=True)
    }
