"""Persons looked up by similarity, as SIGO does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, get_args

import numpy as np
import polars as pl

from kanonym.data import frames
from kanonym.data.columns.rebuild import Frame
from kanonym.data.errors import DataError, Message, SchemaError
from kanonym.data.errors import gettext as _
from kanonym.data.hierarchy.base import ROOT
from kanonym.data.table import LARGEST, value_codes
from kanonym.evaluation.attacks.base import (
    Aim,
    Attack,
    AttackContext,
    AttackedPersons,
    draw_persons,
    everybody,
)
from kanonym.evaluation.attacks.linking.linkage import linkage_obstacle, linked_by_chance
from kanonym.evaluation.attacks.matching.guessing import values_of
from kanonym.evaluation.attacks.matching.lookup import Distance, nearest_points
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount, worst_of
from kanonym.evaluation.pair.tables import NumericColumn, TablePair
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.grouping import Groups, group_rows
from kanonym.models.base import check_choice, check_integer, check_number

_NUMBER = r"([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)"
_INTERVAL = rf"^[\[(]\s*{_NUMBER}\s*,\s*{_NUMBER}\s*[\])]$"


@dataclass(frozen=True, slots=True, eq=False)
class SimilarityAttack:
    """What the attack finds for each attacked record.

    nearest: (n,) int64, the group of released records nearest to each attacked one; -1 where there
    is none.
    distance: (n,) float64, how far away it is; infinite where there is none.
    similarity: (n,) float64 in [0, 1]: 1 / (1 + distance).
    sensitive: (n,) the sensitive value that all records of that group share, null where they do
    not; None where none was asked for.
    reidentified: (n,) bool: similar enough, and the sensitive value is given away where one was
    asked for.
    first: (n_groups,) int64, ascending: the first released row of each group.
    sizes: (n_groups,) int64, the number of released rows of each group.
    labels: (n_released,) int32, the group of each released row; -1 where a value is missing.
    """

    nearest: Ints
    distance: Floats
    similarity: Floats
    sensitive: pl.Series | None
    reidentified: Bools
    first: Ints
    sizes: Ints
    labels: Int32s

    def with_sensitive(self, values: pl.Series) -> SimilarityAttack:
        """Return the same attack on a sensitive attribute: nobody is compared anew.

        values: (n_released,), those of the released records.
        """
        shared = _common_values(values, self.labels, self.first)
        index = pl.Series(np.where(self.nearest < 0, len(shared), self.nearest))
        shown = shared.extend_constant(None, 1).gather(index)
        given = self.reidentified & shown.is_not_null().to_numpy()
        return replace(self, sensitive=shown, reidentified=given)

    @property
    def number(self) -> int:
        """How many attacked records are re-identified."""
        return int(self.reidentified.sum())

    @property
    def share(self) -> float:
        """Which share of the attacked records is re-identified; 0 where there are none."""
        return self.number / max(1, len(self.reidentified))


def similarity_attack(
    original: Frame,
    released: Frame,
    columns: Sequence[str],
    *,
    sensitive: str | None = None,
    distance: Distance = "euclidean",
    threshold: float = 0.5,
    standardize: bool = True,
) -> SimilarityAttack:
    """Look up each person that an intruder knows among the released records, by similarity.

    Released records with the same values are one group. Each known person is compared with all
    groups, and the most similar one is taken to be theirs. If it is similar enough, and all its
    records have the same sensitive value, the intruder concludes that value. The attack does not
    say whether it is the person's own.

    Parameters
    ----------
    original
        What the intruder knows: a pandas or polars frame or a pyarrow table, with `columns`.
    released
        The release, a frame of any of these libraries, with `columns` and `sensitive`.
    columns
        The quasi-identifiers to compare: numbers, intervals `[20, 30)`, which count as
        their middle, and numbers as text.
    sensitive
        The attribute that the intruder wants to know; None counts similar persons alone.
    distance
        `euclidean` or `manhattan`.
    threshold
        The least similarity of the re-identified, from 0 to 1.
    standardize
        Whether a difference counts in standard deviations of the original column, else
        in units of it. Of a column that is constant in the original it is units always.

    Returns
    -------
    SimilarityAttack
        One entry for each row of the original. Persons with a missing value are found
        nowhere, and released records with a missing or suppressed one (null, `*`) are
        nobody's. A group that shares a missing sensitive value gives nothing away.

    Raises
    ------
    DataError
        There is no such column; or a cell is no number and no interval, is not finite,
        or is beyond ±1e150.
    SchemaError
        `columns` are none, not different, hold something other than numbers or text,
        or name the sensitive attribute.
    PolicyError
        `distance` or `threshold` is none of those possible.

    Notes
    -----
    The similarity is 1 / (1 + d) at distance d. Of groups equally near, within a
    relative 1e-9, the one that comes first in the release is taken. Cost O((n + m) log m)
    for n persons, m groups and few columns, by a k-d tree.

    SIGO (https://github.com/CGI-FR/SIGO), whose attack this is, standardizes either
    table with its own mean and deviation, so that equal values may be apart, and compares
    all columns of the original; here both tables have the same scale.

    Examples
    --------
    >>> known = pl.DataFrame({"age": [34, 61], "income": [1900, 2500]})
    >>> released = pl.DataFrame(
    ...     {"age": [33, 33, 60, 60], "income": [2000] * 2 + [2500] * 2, "ill": list("abcc")}
    ... )
    >>> attack = similarity_attack(known, released, ["age", "income"], sensitive="ill")
    >>> attack.nearest, attack.similarity.round(2), attack.sensitive.to_list()
    (array([0, 1]), array([0.75, 0.93]), [None, 'c'])
    >>> attack.number, attack.share
    (1, 0.5)
    """
    check_choice("similarity attack", "distance", distance, get_args(Distance))
    check_number("similarity attack", "threshold", threshold, minimum=0, maximum=1)
    names = _check_columns(columns, sensitive)
    original, released = frames.to_eager(original), frames.to_eager(released)
    persons = _points(original, names)
    groups, points = _groups(released, names)
    if standardize:
        scale = _spread_of_numbers(persons)
        persons, points = _scale_points(persons, scale), _scale_points(points, scale)
    whole = np.flatnonzero(~np.isnan(persons).any(axis=1))
    own = np.full(len(persons), -1)
    away = np.full(len(persons), np.inf)
    if len(points):
        own[whole], away[whole] = nearest_points(points, persons[whole], distance)
    similarity = 1 / (1 + away)
    reidentified = (own >= 0) & (similarity >= threshold)
    attack = SimilarityAttack(
        nearest=own,
        distance=away,
        similarity=similarity,
        sensitive=None,
        reidentified=reidentified,
        first=groups.first,
        sizes=groups.sizes,
        labels=groups.labels,
    )
    return (
        attack if sensitive is None else attack.with_sensitive(frames.column(released, sensitive))
    )


def _check_columns(columns: Sequence[str], sensitive: str | None) -> list[str]:
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names or len(set(names)) < len(names):
        raise SchemaError(
            f"similarity attack: columns is {columns!r}; name one or more quasi-identifiers, each "
            "once"
        )
    if sensitive in names:
        raise SchemaError(
            f"similarity attack: {sensitive!r} is what the intruder wants to know; leave it out of "
            "columns"
        )
    return names


def _points(frame: Any, names: list[str]) -> Floats:
    """Return (n, d) float64: where each row stands, NaN for a missing value."""
    columns = [_positions(frames.column(frame, name)) for name in names]
    return np.ascontiguousarray(np.array(columns).T)


def _positions(values: pl.Series) -> Floats:
    """Return (n,) float64: numbers, and intervals by their middle; NaN for a missing value."""
    name, dtype = values.name, values.dtype
    if dtype.is_numeric():
        column = values.cast(pl.Float64)
    elif dtype in (pl.String, pl.Categorical, pl.Enum):
        values = values.cast(pl.String)
        values = values.set(values == ROOT, None)
        ends = values.str.extract_groups(_INTERVAL).struct.unnest().cast(pl.Float64, strict=False)
        middles = ends.get_column("1") / 2 + ends.get_column("2") / 2
        column = pl.select(pl.coalesce(values.cast(pl.Float64, strict=False), middles)).to_series()
    else:
        raise SchemaError(
            f"column {name!r} holds {dtype}, and the similarity attack compares numbers: leave it "
            "out of columns, or write it as numbers"
        )
    wrong = values.is_not_null() & ~(column.abs() <= LARGEST).fill_null(value=False)
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise DataError(
            f"column {name!r}, row {row + 1}: {values[row]!r} is neither a finite number nor an "
            "interval of two, and the similarity attack compares numbers: leave the column out, or "
            "write it as numbers"
        )
    return column.fill_null(np.nan).to_numpy()


def _groups(released: Any, names: list[str]) -> tuple[Groups, Floats]:
    """Group equal released rows, in order of their first ones; and (n_groups, d) their points."""
    rows = _points(released, names)
    whole = np.flatnonzero(~np.isnan(rows).any(axis=1))
    # By released value, not by position: [20, 30) and [24, 26) have one middle.
    coded = [value_codes(frames.column(released, name)) for name in names]
    groups = group_rows(
        [np.ascontiguousarray(codes[whole]) for codes, _ in coded], [size for _, size in coded]
    )
    order = np.argsort(groups.first)
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    labels = np.full(len(rows), -1, np.int32)
    labels[whole] = number[groups.labels]
    first = whole[groups.first[order]]
    return Groups(labels, groups.sizes[order], first, groups.codes[order]), rows[first]


def _common_values(values: pl.Series, labels: Int32s, first: Ints) -> pl.Series:
    """Return (n_groups,) values: the one that all records of a group have, else null."""
    codes, size = value_codes(values)
    held = np.flatnonzero(labels >= 0)
    least, most = np.full(len(first), size), np.full(len(first), -1)
    np.minimum.at(least, labels[held], codes[held])
    np.maximum.at(most, labels[held], codes[held])
    index = np.where(least == most, first, len(values))
    return values.extend_constant(None, 1).gather(index)


def _spread_of_numbers(points: Floats) -> Floats:
    """Return (d,) float64: the standard deviation of each column, 1 where it has none."""
    spread = np.ones(points.shape[1])
    for a, column in enumerate(points.T):
        held = column[~np.isnan(column)]
        if len(held) and held.min() < held.max():
            # A spread below the least positive number there is counts as none.
            spread[a] = held.std() or 1.0
    return spread


def _scale_points(points: Floats, scale: Floats) -> Floats:
    """Return points in units of a scale; what is farther than squares can tell is cut off."""
    with np.errstate(over="ignore"):
        return np.clip(points / scale, -LARGEST, LARGEST)


@dataclass(frozen=True, slots=True)
class SimilarRecords(Attack):
    """Look up each person among the released records by similarity of their numbers.

    `kanonym.attacks.similarity_attack`, judged. The most similar group of released records is taken
    for the person's, if it is similar enough. Where a sensitive attribute is known, success
    is that its value is right: the one that all records of the group share, and else, as
    without the release, the most frequent of all released ones. Without a sensitive
    attribute, success is that the person's own record is in the group: 1/n for a group of n.

    Attributes
    ----------
    threshold
        The least similarity 1 / (1 + distance), in standard deviations, from 0 to 1.
    distance
        `euclidean` or `manhattan`.
    attempts
        How many persons are looked up at most; None for all.

    Notes
    -----
    It needs quasi-identifiers that are numbers, and uses these alone. Full success: of the original
    published unchanged, everybody has similarity 1, and whose equals (by numbers) share the
    sensitive value has it found out. The baseline is exact: the share of the most frequent value in
    the original, or 1 / n_original. With several sensitive attributes the outcome is that of the
    largest risk; `parts` has each one's rate, and as `claimed ...` the share of persons whose group
    gives a value away, which is what SIGO counts. Cost: `similarity_attack`.

    References
    ----------
    SIGO, https://github.com/CGI-FR/SIGO (reidentification). There a value that is given away
    counts whether or not it is right, and there is no baseline.
    """

    type: ClassVar[str] = "similarity-reidentification"
    title: ClassVar[str] = _("Re-identification by similarity")
    question: ClassVar[str] = _(
        "Which class is most similar to a person, and does it disclose the sensitive value?"
    )
    result_sentence: ClassVar[str] = _(
        "Knows the quasi-identifiers. Of 100 known people, {right} are guessed right; by chance, "
        "{chance}."
    )
    method: ClassVar[str] = "looks up persons by their numbers alone, as [SIGO](sigo.md) does"
    source: ClassVar[str] = "SIGO"
    aim: ClassVar[Aim] = "inference"
    of_person: ClassVar[str] = (
        "the value of one of the records is right; without values as `linkage`"
    )

    threshold: float = 0.5
    distance: Distance = "euclidean"
    attempts: int | None = 2000

    def __post_init__(self) -> None:
        check_number(self.type, "threshold", self.threshold, minimum=0, maximum=1)
        check_choice(self.type, "distance", self.distance, get_args(Distance))
        if self.attempts is not None:
            check_integer(self.type, "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        pair = scene.pair
        reason = linkage_obstacle(pair)
        if reason is None and not _numbers(pair):
            reason = Message("no quasi-identifier is a number")
        if reason is None and not scene.sensitive and pair.rows is None:
            reason = Message(
                "there is no sensitive attribute, and it is unknown which released record belongs "
                "to whom"
            )
        if reason:
            return self.not_run(reason)
        persons = draw_persons(pair, self.attempts, random)
        if not scene.sensitive:
            found = self._own_records(pair, persons)
            return AttackResult(self.type, self.question, found, linked_by_chance(pair))
        outcomes = []
        parts: dict[str, float] = {}
        attack = self._search(pair, pair, persons.records)
        control, others, elsewhere = scene.control, None, None
        if control is not None and control.n_original:
            others = draw_persons(control, self.attempts, random)
            elsewhere = self._search(control, pair, others.records)
        for done, name in enumerate(scene.sensitive):
            scene.told(done, len(scene.sensitive))
            targets, claimed = _judge_values(attack, pair, persons, name)
            controlled = None
            if control is not None and others is not None and elsewhere is not None:
                controlled, _ = _judge_values(elsewhere, control, others, name)
            parts |= {name: targets.rate, f"{name}: claimed": claimed}
            outcomes.append((targets, _most_frequent(pair, name), controlled))
        judged = [
            AttackResult(self.type, self.question, *outcome, parts=parts, other_attack=True)
            for outcome in outcomes
        ]
        return worst_of(judged)

    def _own_records(self, pair: TablePair, persons: AttackedPersons) -> SuccessCount:
        """Return how many are expected to be given a record of their own."""
        attack = self._search(pair, pair, persons.records)
        whose = pair.released_persons
        assert whose is not None  # noqa: S101 - `run` refuses before
        grouped = attack.labels >= 0
        keys, mine = np.unique(
            attack.labels[grouped].astype(np.int64) * pair.n_persons + whose[grouped],
            return_counts=True,
        )
        right = np.flatnonzero(attack.reidentified)
        group = attack.nearest[right]
        own = persons.records if pair.persons is None else pair.persons[persons.records]
        wanted = group * pair.n_persons + own[right]
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        chances = np.zeros(len(persons.records))
        chances[right] = np.where(keys[at] == wanted, mine[at] / attack.sizes[group], 0)
        return persons.count(chances)

    def _search(self, pair: TablePair, units: TablePair, persons: Ints) -> SimilarityAttack:
        """Return what the attack finds for some persons, in the order of the release."""
        original, released = {}, {}
        # Of groups equally near the first is taken: first by value, not by place.
        ends = [end for column in _numbers(pair) for end in (column.low, column.high)]
        order = np.lexsort(ends[::-1])
        for a, column in enumerate(_numbers(pair)):
            unit = _spread(units, column.name)
            original[f"n{a}"] = _series(column.original[persons] / unit)
            released[f"n{a}"] = _cells(column, unit)
        attack = similarity_attack(
            pl.DataFrame(original),
            pl.DataFrame(released)[order],
            list(original),
            distance=self.distance,
            threshold=self.threshold,
            standardize=False,
        )
        labels = np.empty_like(attack.labels)
        labels[order] = attack.labels
        return replace(attack, first=order[attack.first], labels=labels)


def _judge_values(
    found: SimilarityAttack, pair: TablePair, persons: AttackedPersons, name: str
) -> tuple[SuccessCount, float]:
    """Return how many sensitive values are right, and the share of those given away."""
    values = values_of(pair, name)
    known = np.bincount(values.released, minlength=values.size + 1)[: values.size]
    # Without a released value there is no guess: -1 is nobody's.
    guess = int(known.argmax()) if known.any() else -1
    codes = pl.Series(values.released)
    attack = found.with_sensitive(codes.set(codes == values.size, None))
    claims, shown = attack.reidentified, attack.sensitive
    given = np.full(len(persons.records), guess)
    if shown is not None:
        given[claims] = shown.fill_null(-1).to_numpy()[claims]
    right = given == values.own[persons.records]
    return persons.count(right), float(persons.find_any(claims).mean())


def _most_frequent(pair: TablePair, name: str) -> SuccessCount:
    """Return how many persons have the value that the most of them have."""
    own, persons = values_of(pair, name).own, everybody(pair)
    held = np.unique(persons.owners * (int(own.max()) + 1) + own) % (int(own.max()) + 1)
    return SuccessCount(int(np.bincount(held).max()), persons.number, exact=True)


def _numbers(pair: TablePair) -> list[NumericColumn]:
    columns = map(pair.column, pair.quasi_identifiers)
    return [column for column in columns if isinstance(column, NumericColumn)]


def _spread(pair: TablePair, name: str) -> float:
    """Return the standard deviation of a column of the original, 1 where it has none."""
    values = pair.column(name).original
    held = values[~np.isnan(values)]
    return float(held.std()) or 1.0 if len(held) and held.min() < held.max() else 1.0


def _series(values: Floats) -> pl.Series:
    return pl.Series(values).fill_nan(None)


def _cells(column: NumericColumn, unit: float) -> pl.Series:
    """Return released cells as the attack reads them; null for what says nothing."""
    low, high = _series(column.low / unit), _series(column.high / unit)
    if (column.low < column.high).any():
        low = pl.select(pl.format("[{}, {}]", low, high)).to_series()
    return low.set(pl.Series(column.suppressed), None)
