"""What a release says about the sensitive value of each person whom an intruder looks up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.results import ShortRepr
from kanonym.evaluation.attacks.base import Attack, AttackContext, AttackedPersons, draw_persons
from kanonym.evaluation.attacks.matching.guessing import Values
from kanonym.evaluation.attacks.matching.lookup import (
    Candidates,
    classes_of,
    informative_candidates,
    is_changed,
)
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount, worst_of
from kanonym.evaluation.pair.tables import TablePair
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints

Sparse = Any
"""scipy.sparse.csr_array, which carries no types."""

AT_ONCE = 512
"""Persons that are looked up together."""

CELLS = 1 << 22
"""About how many values of persons are counted together."""


@dataclass(frozen=True, slots=True, repr=False)
class PossibleValues(ShortRepr):
    """The sensitive values of the records that could be each person's.

    counts: (n_persons, size + 1) sparse int64, records of the person's candidate classes by value,
    codes ascending; the last column counts cells that say nothing, of persons of whom no other cell
    says anything.
    own: (n_persons,) int32, the code of each person's true value.
    table: (size + 1,) int64, all released records by value; the last one as of `counts`.
    line: (size,) numbers behind the codes, None for categories.
    """

    counts: Sparse
    own: Int32s
    table: Ints
    line: Floats | None

    @property
    def distinct(self) -> Ints:
        """(n_persons,) int64, how many values could be the person's.

        All of the table's and more where no candidate's cell says anything.
        """
        known = np.diff(self.counts.indptr).astype(np.int64)
        rows, codes = self.entries
        open_ = np.zeros(len(known), np.bool_)
        open_[rows[codes == self.size]] = True
        return np.where(open_, self.size + 1, known)

    @property
    def includes_own(self) -> Bools:
        """(n_persons,) bool, whether the true value is among them."""
        rows, codes = self.entries
        mask = np.zeros(len(self.own), np.bool_)
        mask[rows[codes == self.own[rows]]] = True
        return mask

    @property
    def entries(self) -> tuple[Ints, Int32s]:
        """The person and the code of each count."""
        rows = np.repeat(np.arange(len(self.own)), np.diff(self.counts.indptr))
        return rows, self.counts.indices

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.table) - 1


@dataclass(frozen=True, slots=True, repr=False)
class Judgement(ShortRepr):
    """What the intruder achieved with each record, or each person.

    successes: (n_persons,) bool.
    chances: (n_persons,) float64 in [0, 1]: how likely the same is without the release's classes.
    claims: (n_persons,) bool, whether the intruder claimed anything.
    """

    successes: Bools
    chances: Floats
    claims: Bools


Judge = Callable[[PossibleValues], Judgement]
Coder = Callable[[TablePair], Values]


def run_disclosure(
    attack: Attack,
    scene: AttackContext,
    random: np.random.Generator,
    judges: Mapping[str, tuple[Coder, Judge]],
    reason: str,
) -> AttackResult:
    """Look persons up in a release, and judge what it says of their sensitive values."""
    if not judges or not scene.pair.n_original:
        return attack.not_run(Message("the original has no person") if judges else reason)
    nearest = is_changed(scene.pair)
    persons = draw_persons(scene.pair, attack.attempts, random)
    tables = [(scene.pair, persons)]
    if scene.control is not None and scene.control.n_original:
        tables.append((scene.control, draw_persons(scene.control, attack.attempts, random)))
    total = sum(len(some.records) for _, some in tables)
    found: list[dict[str, Judgement]] = []
    for (pair, some), before in zip(tables, (0, len(persons.records)), strict=False):
        told = partial(_report_progress, scene, before, total)
        found.append(_judge_persons(pair, some, judges, told, nearest=nearest))
    targets, control = found[0], found[1] if len(found) > 1 else {}
    parts: dict[str, float] = {}
    for name, judgement in targets.items():
        parts[name] = float(judgement.successes.mean())
        if (judgement.claims != judgement.successes).any():
            parts[f"{name}: claimed"] = float(judgement.claims.mean())
    outcomes = [
        AttackResult(
            attack.type,
            attack.question,
            _count_successes(one.successes),
            SuccessCount(float(one.chances.sum()), len(one.chances), exact=True),
            _count_successes(control[name].successes) if control else None,
            parts=parts,
            other_attack=True,
        )
        for name, one in targets.items()
    ]
    return worst_of(outcomes)


@dataclass(frozen=True, slots=True)
class LookupSource:
    """A release in which persons are looked up."""

    pair: TablePair
    coded: Sequence[Values]
    nearest: bool


def look_up_values(
    sources: Sequence[LookupSource], persons: Ints
) -> Iterator[tuple[Ints, list[list[PossibleValues]]]]:
    """Yield some of the persons at a time, and what releases say of them.

    Suppression in place hides few records and no others: records of which all quasi-identifiers are
    suppressed could be anybody's, and count for those alone whom no other record fits; suppressed
    sensitive cells count where no other candidate has a value.

    persons: (n,) rows of the original. Yields: (n_some,) rows, the persons in their order; and for
        each source what it says of each attribute.
    """
    held = [_histograms(source) for source in sources]
    tables = [[_table(values) for values in source.coded] for source in sources]
    for start in range(0, len(persons), AT_ONCE):
        looked_up = persons[start : start + AT_ONCE]
        found = [
            _sparse(
                informative_candidates(source.pair, looked_up, nearest=source.nearest),
                len(classes_of(source.pair)[1]),
            )
            for source in sources
        ]
        for part in _batches(found, held):
            some = looked_up[part]
            yield (
                some,
                [
                    [
                        PossibleValues(
                            _informative_counts(own[part] @ one),
                            values.own[some],
                            table,
                            values.line,
                        )
                        for one, values, table in zip(*each, strict=True)
                    ]
                    for own, *each in zip(
                        found, held, [source.coded for source in sources], tables, strict=True
                    )
                ],
            )


def _batches(found: list[Sparse], held: list[list[Sparse]]) -> Iterator[slice]:
    """Yield runs of persons of whom few enough values are counted at once."""
    entries = np.ones(found[0].shape[0], np.int64)
    for own, histograms in zip(found, held, strict=True):
        for histogram in histograms:
            entries += np.minimum(own @ np.diff(histogram.indptr), histogram.shape[1])
    ends = np.flatnonzero(np.diff(np.cumsum(entries) // CELLS, append=-1)) + 1
    start = 0
    for end in ends.tolist():
        yield slice(start, end)
        start = end


def _report_progress(scene: AttackContext, before: int, total: int, done: int) -> None:
    scene.told(before + done, total)


def _judge_persons(
    pair: TablePair,
    persons: AttackedPersons,
    judges: Mapping[str, tuple[Coder, Judge]],
    told: Callable[[int], None],
    *,
    nearest: bool,
) -> dict[str, Judgement]:
    """Return what was achieved with each person, by attribute; told of how many are done."""
    source = LookupSource(pair, [coder(pair) for coder, _ in judges.values()], nearest)
    found: dict[str, list[Judgement]] = {name: [] for name in judges}
    done = 0
    for some, (several,) in look_up_values([source], persons.records):
        done += len(some)
        told(done)
        for (name, (_, judge)), values in zip(judges.items(), several, strict=True):
            found[name].append(judge(values))
    return {
        name: Judgement(
            persons.find_any(np.concatenate([part.successes for part in parts])),
            persons.find_largest(np.concatenate([part.chances for part in parts])),
            persons.find_any(np.concatenate([part.claims for part in parts])),
        )
        for name, parts in found.items()
    }


def _count_successes(successes: Bools) -> SuccessCount:
    return SuccessCount(int(successes.sum()), len(successes))


def _histograms(source: LookupSource) -> list[Sparse]:
    """Return (n_classes, size + 1) sparse for each attribute: records of a class by value."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - scipy takes a while to load

    classes, rows = classes_of(source.pair)
    ones = np.ones(len(classes), np.int64)
    return [
        coo_array((ones, (classes, values.released)), shape=(len(rows), values.size + 1)).tocsr()
        for values in source.coded
    ]


def _sparse(found: Candidates, n_classes: int) -> Sparse:
    """Return (n_persons, n_classes) sparse: 1 for each candidate."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - scipy takes a while to load

    ones = np.ones(len(found.classes), np.int64)
    shape = (len(found.offsets) - 1, n_classes)
    return csr_array((ones, found.classes, found.offsets), shape=shape)


def _table(values: Values) -> Ints:
    """Return (size + 1,) int64: released records by value."""
    counts = np.bincount(values.released, minlength=values.size + 1)
    if counts[:-1].any():
        counts[-1] = 0
    return counts


def _informative_counts(counts: Sparse) -> Sparse:
    """Leave out cells that say nothing of persons of whom others do; codes ascending."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - scipy takes a while to load

    counts.sort_indices()
    n_persons, width = counts.shape
    rows = np.repeat(np.arange(n_persons), np.diff(counts.indptr))
    says = counts.indices < width - 1
    says |= (np.bincount(rows[says], minlength=n_persons) == 0)[rows]
    if says.all():
        return counts
    ends = np.cumsum(np.bincount(rows[says], minlength=n_persons))
    offsets = np.concatenate([np.zeros(1, np.int64), ends])
    return csr_array((counts.data[says], counts.indices[says], offsets), shape=counts.shape)
