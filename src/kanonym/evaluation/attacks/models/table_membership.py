"""Membership attacks on models that are trained on tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from kanonym.data import frames
from kanonym.data.columns.rebuild import Frame
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.results import ShortRepr
from kanonym.evaluation.attacks import setup
from kanonym.evaluation.attacks.matching.guessing import Values, values_of
from kanonym.evaluation.attacks.models.model_membership import (
    ModelAttackResult,
    Persons,
    TrainingData,
    attack_model,
    classifies,
    fresh_estimator,
)
from kanonym.evaluation.attacks.table_attacks import policy_of, split_hold_out
from kanonym.evaluation.columns import ColumnKeywords, check_seed
from kanonym.evaluation.pair.aligned_tables import AlignedTables, align_tables
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair
from kanonym.evaluation.utility.models.learning import CLASSES, features_of
from kanonym.kernels.arrays import Bools, Floats, Ints
from kanonym.metrics.measured_value import format_figure
from kanonym.models.base import check_integer
from kanonym.pipeline import anonymize
from kanonym.policy import PolicySource
from kanonym.policy.definition import policy_from


@dataclass(frozen=True, slots=True, repr=False)
class PersonData(ShortRepr):
    """Persons of the original, and below them those of the control, beside a release.

    rows: (n_released,) int64, whose record each released one is; None where nobody knows.
    """

    pair: TablePair
    n: int
    rows: Ints | None

    def holds_categories(self, name: str) -> bool:
        """Whether a column holds categories, and not numbers or times."""
        return isinstance(self.pair.column(name), CategoricalColumn)


def read_persons(tables: AlignedTables, control: Frame) -> PersonData:
    """Read the persons of the original and of the control beside the release."""
    others = setup.control_columns(control, tables)
    both = {name: setup.stack_columns(tables.before, others, name) for name in tables.before}
    scene = setup.build_context(
        tables.before,
        tables.after,
        tables.known,
        control=both,
        hierarchies=tables.trees,
        sources=tables.sources,
        aligned=tables.aligned,
        rows=tables.rows,
    )
    assert scene.control is not None  # noqa: S101 - it was given
    return PersonData(scene.control, scene.pair.n_original, scene.pair.rows)


def membership_data(
    everybody: PersonData, target: str, *, categorical: bool, seed: int
) -> tuple[Persons, TrainingData, TrainingData]:
    """Return who is attacked, and what the original and the release teach."""
    pair, n, rows = everybody.pair, everybody.n, everybody.rows
    truth, taught = _targets(everybody, target, categorical=categorical)
    features = features_of([column for column in pair.columns if column.name != target])
    known = ~np.isnan(truth)
    persons = Persons(
        features.original(np.arange(pair.n_original)),
        truth,
        member=known & (np.arange(pair.n_original) < n),
        control=known & (np.arange(pair.n_original) >= n),
        first=_draw_halves(n, pair.n_original, seed),
    )
    own = np.flatnonzero(persons.member)
    before = TrainingData(persons.features[own], truth[own], own)
    if rows is None:
        order = features_of(pair.columns).value_order(pair.n_released)
    else:
        order = np.argsort(rows, kind="stable")
    order = order[~np.isnan(taught[order])]
    if not len(order):
        raise DataError(f"the release has no record with a target {target!r}: it teaches nothing")
    whose = None if rows is None else rows[order]
    return persons, before, TrainingData(features.released(order), taught[order], whose)


def _draw_halves(n: int, n_persons: int, seed: int) -> Bools:
    """Return (n_persons,) bool: half of the first n, and half of the others."""
    random = np.random.default_rng([seed, *b"halves"])
    first = np.zeros(n_persons, np.bool_)
    first[random.permutation(n)[: n // 2]] = True
    first[n + random.permutation(n_persons - n)[: (n_persons - n) // 2]] = True
    return first


def _targets(everybody: PersonData, target: str, *, categorical: bool) -> tuple[Floats, Floats]:
    """Return (n_persons,) and (n_released,) targets, NaN for null: numbers, or codes from 0."""
    values = values_of(everybody.pair, target)
    _require_unchanged(values, target, everybody)
    line = _numbers(values, everybody.pair.column(target))
    distinct = np.unique(line[values.own[: everybody.n]])
    distinct = distinct[~np.isnan(distinct)]
    if len(distinct) < 2:
        raise DataError(
            f"target {target!r} has {'one value' if len(distinct) else 'no value'} in the "
            "original: there is nothing to predict"
        )
    if categorical and len(distinct) > CLASSES:
        raise DataError(
            f"target {target!r} has {len(distinct)} categories, more than {CLASSES}: group them, "
            "or give a regressor for numbers"
        )
    if categorical:
        known = np.unique(line[~np.isnan(line)])
        line = np.where(np.isnan(line), np.nan, np.searchsorted(known, line))
    return line[values.own], line[values.released]


def _numbers(values: Values, column: Column) -> Floats:
    """Return (size,) float64: what each code of a target stands for, NaN for null."""
    if isinstance(column, NumericColumn):
        assert values.line is not None  # noqa: S101 - of numbers it is
        return values.line
    line = np.arange(values.size, dtype=np.float64)
    if column.categories[-1] is None:
        line[-1] = np.nan
    return line


def _require_unchanged(values: Values, target: str, everybody: PersonData) -> None:
    """Refuse a release whose targets are not those of its records."""
    own, released, rows = values.own[: everybody.n], values.released, everybody.rows
    if rows is not None:
        wrong = int((own[rows] != released).sum())
    else:
        counts = np.bincount(released, minlength=values.size + 1)
        more = counts - np.bincount(own, minlength=values.size + 1)
        wrong = int(np.maximum(more, 0).sum())
    if wrong:
        raise DataError(
            f"target {target!r} is changed in {wrong} of {len(released)} released records: models "
            "can be compared where it is released as it was; name such a column, or make it "
            "insensitive or sensitive in the policy"
        )


UNKNOWN_ROWS = (
    "it is unknown which record of the release belongs to whom: all persons of the original count "
    "as "
    "members, and shadow models of the release learn from true values"
)


@dataclass(frozen=True, slots=True, repr=False)
class ModelRisk(ShortRepr):
    """What a model gives away of those it has learned from; `print` shows it."""

    target: str
    estimator: str
    before: ModelAttackResult
    after: ModelAttackResult
    shadows: int
    seed: int
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return both models as JSON."""
        return {
            "target": self.target,
            "estimator": self.estimator,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "shadows": self.shadows,
            "seed": self.seed,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        """Return a sentence, and every number of both models on a line of its own."""
        both = self.before, self.after
        first, second = (format_figure(round(one.strongest.auc, 3)) for one in both)
        sentence = (
            f"Models of {self.target!r}: the best attack ranks a member above somebody else with\n"
            f"probability {first} before anonymization, and {second} after; 0.5 is chance."
        )
        columns = [dict(_lines(one)) for one in both]
        lines = [
            f"{name:36}" + "".join(f"{column[name]:>24}" for column in columns)
            for name in columns[0]
        ]
        heading = f"{self.estimator:36}{'before':>24}{'after':>24}"
        return "\n".join([sentence, heading, *lines, *(f"note: {note}" for note in self.notes)])


def model_membership(
    original: Frame,
    released: Frame | None = None,
    policy: PolicySource | None = None,
    *,
    target: str,
    control: Frame | None = None,
    hold_out: float | None = None,
    estimator: Any = None,
    shadows: int = 4,
    seed: int = 0,
    **columns: Unpack[ColumnKeywords],
) -> ModelRisk:
    """Attack a model trained on a release, and one trained on the original.

    Parameters
    ----------
    original
        The table before anonymization.
    released
        The release, whoever made it; or a `Release`, which brings its policy, its
        hierarchies, and which records are which.
    policy
        As of `attack`.
    target
        The column to predict, which is released unchanged: at most 25 categories, or numbers.
        Everything else that both tables have is a feature, quasi-identifier or not: what is
        released as it was can be learned by heart as before. Records without it are left out.
    control
        People of the same population who are not in the original, with its columns.
    hold_out
        In the place of a release and a control, as of `attack`.
    estimator
        A classifier or regressor of scikit-learn, as the target asks for; a classifier also
        learns numbers, as categories. None for its gradient boosted trees. Both models are
        clones of it, with `seed` wherever a `random_state` is None.
    shadows
        Shadow models of each of the two, at least 1.
    seed
        Of what is drawn, and of the models.
    columns
        `quasi_identifiers`, `sensitive`, `hierarchies` and `aligned`, as of `utility`.

    Returns
    -------
    For both models: the score on members and on others, and what attacks by right and wrong, by
    loss and by shadow models achieve (`model_membership.attack_model`). Members are the
    persons whose records a model has learned from: suppressed ones are not in the model of the
    release, where it is known who they are.

    Raises
    ------
    SchemaError
        The target is no column of both tables, or there is no other; else as `attack`.
    DataError
        The target is released changed, has one value, or more than 25 categories; fewer than
        20 members or persons of the control are left; else as `attack`, as where the control has
        people of the original.
    PolicyError
        There is nobody to compare with, the estimator does not fit the target, or the policy
        counts persons who have several records; else as `attack`.

    Notes
    -----
    Released records are features as `utility.models.features` says: an interval teaches its
    middle, a label an equal share of each of its categories. The area's interval is that of
    these two models; another seed or another sample trains others.

    Cost: two fits, and 2 · `shadows` on a quarter of the persons; 8 bytes a feature and person.

    Examples
    --------
    >>> import numpy as np
    >>> import polars as pl
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> random = np.random.default_rng(0)
    >>> everybody = pl.DataFrame({"age": random.random(200), "score": random.random(200)})
    >>> people, others = everybody[:100], everybody[100:]
    >>> found = model_membership(
    ...     people,
    ...     people.with_columns(age=pl.lit("*")),
    ...     target="score",
    ...     control=others,
    ...     estimator=DecisionTreeRegressor(),
    ...     quasi_identifiers=["age"],
    ... )
    >>> found.before["loss"].auc, round(found.after["loss"].auc, 1)
    (1.0, 0.5)
    """
    check_seed(seed)
    check_integer("model membership", "shadows", shadows, 1)
    meant = None if policy is None else policy_from(policy)
    policies = [one for one in (meant, policy_of(released)) if one is not None]
    if any(one.entities for one in policies):
        raise PolicyError(
            "the policy counts persons who have several records, and this attack treats every "
            "record as a different person"
        )
    names = frames.column_names(original)
    if target not in names:
        raise SchemaError(f"there is no target {target!r}. The original has: {', '.join(names)}")
    if hold_out is not None:
        given = released is not None or control is not None or any(columns.values())
        if given or meant is None:
            raise PolicyError("hold_out makes a release and its control: it needs a policy alone")
        original, control = split_hold_out(original, meant, hold_out, seed)
        released, meant = anonymize(original, meant), None
    elif released is None:
        raise PolicyError("model_membership needs a release, or hold_out and a policy to make one")
    elif control is None:
        raise PolicyError(
            "model_membership needs people who are not in the original: give a control, or "
            "hold_out and a policy"
        )
    tables = align_tables(original, released, meant, released_only=False, **columns)
    if target not in tables.before:
        why = tables.left_out.get(target, "is not in both tables, or an identifier")
        raise SchemaError(f"target {target!r} cannot be compared: it {why}")
    if len(tables.before) < 2:
        raise SchemaError(f"the tables have no column besides {target!r} to learn from")
    notes: list[str] = []
    if hold_out is None:
        setup.require_other_people(original, control, policies)
        notes += setup.overlap_notes(
            tables.before, setup.control_columns(control, tables), (None, None)
        )
    everybody = read_persons(tables, control)
    categorical = everybody.holds_categories(target) or _classifies(estimator)
    model = fresh_estimator(estimator, categorical=categorical, seed=seed)
    persons, *lessons = membership_data(everybody, target, categorical=categorical, seed=seed)
    before, after = (
        attack_model(model, lesson, persons, shadows=shadows, seed=seed) for lesson in lessons
    )
    notes += [] if everybody.rows is not None else [UNKNOWN_ROWS]
    notes += [] if after.reason is None else [after.reason]
    name = type(model).__name__
    return ModelRisk(target, name, before, after, int(shadows), int(seed), tuple(notes))


def _classifies(estimator: Any) -> bool:
    return estimator is not None and classifies(estimator)


def _lines(model: ModelAttackResult) -> Iterator[tuple[str, str]]:
    """Return each number of a model by its name."""
    yield "records learned from", format_figure(model.records)
    yield "members", format_figure(model.members)
    yield "others", format_figure(model.control)
    yield f"{model.score} on members", f"{model.on_members:.4f}"
    yield f"{model.score} on others", f"{model.on_control:.4f}"
    yield "gap", f"{model.gap:.4f}"
    for attack in model.attacks:
        low, high = attack.interval
        yield f"{attack.type}: ROC area", f"{attack.auc:.3f} ({low:.3f} to {high:.3f})"
        yield f"{attack.type}: advantage", f"{attack.advantage:.4f}"
        yield f"{attack.type}: found at 1 % false", f"{attack.true_positive_rate:.4f}"
