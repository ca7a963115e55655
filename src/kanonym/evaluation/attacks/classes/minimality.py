"""The minimality attack: what the algorithm refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from kanonym.data.errors import gettext as _
from kanonym.data.partition import Replay
from kanonym.evaluation.attacks.base import Aim, Attack, AttackContext
from kanonym.evaluation.attacks.classes.consistent_values import possible_values
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount
from kanonym.kernels.arrays import Bools, Floats, Ints


class Claims(NamedTuple):
    """Which value each of some persons is said to have.

    rows, values: (n_claims,) int64. shares: (n_claims,) float64, of the value in the person's
    class, or in the release for suppressed persons: how often a guess by it alone is right.
    """

    rows: Ints
    values: Ints
    shares: Floats


def claim_values(replay: Replay) -> Claims:
    """Return what follows where only classes that satisfied the models were kept.

    A class for size alone that is not whole in a released class was dissolved, so it has fewer than
    `least` values. Where the class that its persons joined has no more values than a kept class
    needs, one record of each belongs to the kept one, and the others are what is left for those who
    joined. A dissolved class that was suppressed is said to have the value that is commonest in the
    release.
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


def _joined_claims(replay: Replay, released: Ints, counts: Ints) -> Claims:
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


def _suppressed_claims(replay: Replay, released: Ints, counts: Ints) -> Claims:
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


LISTED = 20
"""Of so many sensitive values each has a part of its own."""


@dataclass(frozen=True, slots=True)
class Minimality(Attack):
    """Learn a person's sensitive value for certain, from what the algorithm did not do.

    The intruder knows the algorithm, its parameters and the quasi-identifiers of everybody in the
    table, and who was suppressed; no sensitive value. So the classes can be replayed: each cut,
    group or node that is large enough and was not made was refused because of its sensitive values.
    Every assignment of the released values to the persons of their classes that explains all
    refusals is possible. Success: only one value is left for a person, who then has it. The
    intruder also makes the classes for size alone, and takes those that are not released whole to
    be dissolved because they fail: what that leaves for their persons is claimed, and a success
    where it is right.

    Notes
    -----
    The baseline is homogeneity by the same knowledge: one value is left because the class has no
    other; for claims it is a guess by the value's share of the class. `parts` has the share of
    persons for whom `fewer than l values` are left, by sensitive value the share of those who have
    it and are found, the share of persons whose value is `claimed from dissolved classes`, and of
    these the share `right of the claimed` beside `right by the class alone`. It is the worst case
    in what is known, and a lower bound in what is concluded: refusals that are not replayed (cuts
    further up in a tree, nodes of large lattices) and explanations that take too long to rule out
    only leave more values open. What a policy leaves to chance (`minimality: chance`) explains
    refusals as well: these are not counted, though they shift the odds. Tried for strict
    `mondrian`, `segmentation`, `local-recoding` and `full-domain` where l-diversity of distinct
    values of one attribute is the only model of sensitive values: to fail another one says less,
    and what it says is not looked at. The algorithm has to be known: from a `Release`, or from the
    policy beside a table that it leads to again.

    References
    ----------
    Wong, Fu, Wang, Pei (2007). Minimality attack in privacy preserving data publishing. VLDB.
    Theirs is for algorithms that generalize only where a sensitive value makes them do so;
    the replay of each algorithm here is ours.
    """

    type: ClassVar[str] = "minimality"
    title: ClassVar[str] = _("Minimality")
    question: ClassVar[str] = _(
        "Which sensitive value does a person have, given what the algorithm did not do?"
    )
    result_sentence: ClassVar[str] = _(
        "Knows the quasi-identifiers of everybody and the algorithm with its parameters. Of 100 "
        "persons {right} are told for sure, by the classes alone {chance}. What may as well have "
        "been left out by chance is not counted."
    )
    method: ClassVar[str] = (
        "knows the algorithm, its parameters and everybody's quasi-identifiers, and learns a value "
        "for certain from what the algorithm refused"
    )
    source: ClassVar[str] = "Wong et al. 2007"
    aim: ClassVar[Aim] = "inference"
    whole_parts: ClassVar[tuple[str, ...]] = (
        "fewer than l values",
        "claimed from dissolved classes",
        "right of the claimed",
        "right by the class alone",
    )
    of_person: ClassVar[str] = "not run: the replay counts records"

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        del random
        replay = scene.replay
        if not isinstance(replay, Replay):
            return self.not_run(replay)
        of_row = replay.refusals.units.of_row
        released = of_row >= 0  # of suppressed persons nothing is told
        claims = claim_values(replay)
        mask = np.zeros(len(of_row), np.bool_)
        mask[claims.rows] = claims.values == replay.secrets[claims.rows]
        n = int(released.sum()) + int((~released[claims.rows]).sum())
        left = _count_possible(
            replay,
            possible_values(replay.refusals, replay.secrets, len(replay.values), replay.least),
        )
        homogeneous = _count_possible(replay, _values_in_class(replay))
        certain = left == 1
        parts = {
            "fewer than l values": float((left < replay.least)[released].mean())
            if released.any()
            else 0.0
        }
        if len(claims.rows):
            parts |= {
                "claimed from dissolved classes": len(claims.rows) / n,
                "right of the claimed": float(mask[claims.rows].mean()),
                "right by the class alone": float(claims.shares.mean()),
            }
        if len(replay.values) <= LISTED:
            for code, value in enumerate(replay.values):
                have = released & (replay.secrets == code)
                if have.any():
                    parts[value] = float(certain[have].mean())
        return AttackResult(
            self.type,
            self.question,
            SuccessCount(int((certain | mask).sum()), n, exact=True),
            SuccessCount(int((homogeneous == 1).sum() + round(claims.shares.sum())), n, exact=True),
            parts=parts,
        )


def _count_possible(replay: Replay, possible: Bools) -> Ints:
    """Return (n_rows,) int64: how many values are left for each person; 0 for the suppressed."""
    units = replay.refusals.units
    mask = np.zeros((int(units.profiles.max(initial=-1)) + 1, possible.shape[1]), np.bool_)
    np.logical_or.at(mask, units.profiles, possible)
    number = mask.sum(axis=1)[units.profiles]
    return np.where(units.of_row >= 0, np.append(number, 0)[units.of_row], 0)


def _values_in_class(replay: Replay) -> Bools:
    """Return (n_units, n_values + 1) bool: the values that the class of each unit has."""
    units = replay.refusals.units
    mask = np.zeros((int(units.classes.max(initial=-1)) + 1, len(replay.values) + 1), np.bool_)
    rows = np.flatnonzero(units.of_row >= 0)
    mask[units.classes[units.of_row[rows]], replay.secrets[rows]] = True
    return mask[units.classes]
