"""Ask every model of a released table again, from its released values alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import SchemaError
from kanonym.data.item_sets import EncodedSets, texts_of
from kanonym.data.partition import Classes
from kanonym.data.results.short_repr import ShortRepr
from kanonym.data.table import value_codes
from kanonym.kernels.classes.grouping import Groups
from kanonym.models import PrivacyModel
from kanonym.models.answer import Answer
from kanonym.models.released_table import ReleasedSets, ReleasedTable
from kanonym.verification.class_counting import Counting
from kanonym.verification.persons import PopulationColumn, count_persons, name_exceptions
from kanonym.verification.released_classes import (
    SensitiveColumn,
    classes_of_release,
    group_by_code,
    group_released,
)
from kanonym.verification.trivial_models import bounds_nothing, requires_nothing
from kanonym.verification.verdict import ModelCheck

MOST_VIOLATING = 100


@dataclass(frozen=True, repr=False)
class CheckedClasses(ShortRepr):
    """The equivalence classes of a release, and what every model says of them.

    judged: (n_classes,) bool, False where k counts more than the records of the class.
    """

    _shown: ClassVar[tuple[str, ...]] = ("rows", "n_violating")

    checks: tuple[ModelCheck, ...]
    violating: tuple[dict[str, Any], ...]
    n_violating: int
    groups: Groups
    labels: tuple[pl.Series, ...]
    classes: Classes
    judged: NDArray[np.bool_]
    sensitive: tuple[SensitiveColumn, ...]
    ask: Callable[[Sequence[SensitiveColumn]], tuple[ModelCheck, ...]]
    text_columns: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Number of records."""
        return int(self.classes.sizes.sum())

    def with_mechanism(self, *, made: bool, repeatable: bool) -> Self:
        """Return the same for a mechanism that did not make the release, or is repeatable."""
        checks = tuple(
            replace(one, satisfied=one.satisfied and made and not repeatable, repeatable=repeatable)
            if one.guarantee == "mechanism"
            else one
            for one in self.checks
        )
        return replace(self, checks=checks)


def check_models(  # noqa: PLR0917 - a released table has many parts
    quasi_identifiers: Sequence[pl.Series],
    sensitive: Sequence[SensitiveColumn],
    models: Sequence[PrivacyModel],
    n_rows: int,
    counts: NDArray[np.int64] | None = None,
    population: Sequence[PopulationColumn] | None = None,
    counting: Counting | None = None,
    texts: Mapping[str, pl.Series] | None = None,
    sets: EncodedSets | None = None,
    *,
    reference_told: bool = False,
) -> CheckedClasses:
    """Regroup a released table and ask every model again.

    counts: (n_rows,) records that each row stands for; None for one each.

    Notes
    -----
    Nothing that an algorithm decided is used. Cost as `group_released` plus
    O(n_rows) per sensitive attribute, and as `count_persons`.

    """
    check = partial(
        _check,
        quasi_identifiers=quasi_identifiers,
        models=models,
        n_rows=n_rows,
        counts=counts,
        counting=counting,
        sets=sets,
        reference_told=reference_told,
    )
    plain = population
    if population is not None and texts:  # exceptions are null among values
        plain = [one.without_exceptions() for one in population]
    typed = check(quasi_identifiers, sensitive, population=plain, labels=quasi_identifiers)
    if not texts:
        return typed
    spelled = check(
        [texts.get(column.name, column) for column in quasi_identifiers],
        sensitive,
        population=population,
        labels=[name_exceptions(one, texts.get(one.name)) for one in quasi_identifiers],
    )
    checks = tuple(
        by_value if by_text.satisfied and not by_value.satisfied else by_text
        for by_value, by_text in zip(typed.checks, spelled.checks, strict=True)
    )
    fails = [not all(one.satisfied for one in each.checks) for each in (typed, spelled)]
    # δ-presence may hold for parts of a class that violates it.
    worse = typed if fails == [True, False] else spelled
    known = {column.name: column.n_unique() for column in quasi_identifiers}
    told = tuple(name for name, one in texts.items() if one.n_unique() > known.get(name, 0))
    return replace(worse, checks=checks, text_columns=told)


def _check(
    grouped: Sequence[pl.Series],
    sensitive: Sequence[SensitiveColumn],
    *,
    quasi_identifiers: Sequence[pl.Series],
    models: Sequence[PrivacyModel],
    n_rows: int,
    counts: NDArray[np.int64] | None,
    population: Sequence[PopulationColumn] | None,
    labels: Sequence[pl.Series],
    counting: Counting | None,
    sets: EncodedSets | None,
    reference_told: bool,
) -> CheckedClasses:
    """Ask every model about the classes of equal rows of `grouped`; else as `check_models`.

    labels: the quasi-identifiers with their exceptions, as persons of the population have them.
    """
    if counting is None or not n_rows:
        groups = group_released(grouped, n_rows)
    else:
        groups = group_by_code(grouped)
    seen, judged = _told_and_judged(groups, sensitive, counts, reference_told=reference_told)
    counted, sizes = seen, seen.sizes
    if counting is not None and n_rows:
        counted = replace(seen, sizes=counting.sizes(grouped, groups, sizes))
    seen, beyond = _with_population(seen, labels, models, population, groups)
    judged = replace(judged, population=seen.population) if judged is not counted else seen
    rows = partial(_codes, quasi_identifiers)
    held = None
    if sets is not None:
        held = ReleasedSets(sets.tree, sets.offsets, sets.nodes, groups.labels)

    def asked(model: PrivacyModel, classes: Classes) -> Answer:
        if counting is not None and model.counts_records:
            classes = replace(classes, sizes=counted.sizes)
        return model.answer(ReleasedTable(classes, beyond, rows, counts, held))

    def answers(seen: Classes, judged: Classes) -> list[tuple[PrivacyModel, Answer, ModelCheck]]:
        return [_answer(model, asked, seen, judged, counting) for model in models]

    def ask(columns: Sequence[SensitiveColumn]) -> tuple[ModelCheck, ...]:
        again = replace(classes_of_release(groups, columns, counts), population=seen.population)
        return tuple(check for _, _, check in answers(again, again))

    checks: list[ModelCheck] = []
    failing = np.zeros(len(sizes), np.bool_)
    violating: list[dict[str, Any]] = []
    n_itemsets = 0
    for model, answer, checked in answers(seen, judged):
        checks.append(checked)
        if sets is not None:
            n_itemsets += sum(place is None for place, _, _ in answer.itemsets)
            violating += _violating_itemsets(model.type, answer, sets, grouped, groups.first)
        if answer.failing is None:
            continue
        failing |= answer.failing
        if answer.itemsets:
            continue  # they name their classes
        violating += violating_classes(model.type, answer.failing, grouped, groups, sizes, counts)
    return CheckedClasses(
        checks=tuple(checks),
        violating=tuple(sorted(violating, key=lambda one: one["size"])[:MOST_VIOLATING]),
        n_violating=int(failing.sum()) + n_itemsets,
        groups=groups,
        labels=tuple(column.gather(groups.first) for column in quasi_identifiers),
        classes=seen,
        judged=counted.sizes <= sizes,
        sensitive=tuple(sensitive),
        ask=ask,
    )


def _answer(
    model: PrivacyModel,
    asked: Callable[[PrivacyModel, Classes], Answer],
    seen: Classes,
    judged: Classes,
    counting: Counting | None,
) -> tuple[PrivacyModel, Answer, ModelCheck]:
    """Ask a model beside the reference, and take what it achieved from the released records."""
    answer = told = asked(model, judged)
    if judged is not seen and model.attribute is not None:
        told = asked(model, seen)
    check = _model_check(model, answer, seen, counting if model.counts_records else None)
    return model, answer, replace(check, achieved=told.achieved)


def _told_and_judged(
    groups: Groups,
    sensitive: Sequence[SensitiveColumn],
    counts: NDArray[np.int64] | None,
    *,
    reference_told: bool,
) -> tuple[Classes, Classes]:
    """Return the classes of which is told, and those beside the reference: the same without one."""
    beside = classes_of_release(groups, sensitive, counts)
    if reference_told or all(one.reference is None for one in sensitive):
        return beside, beside
    alone = [one._replace(reference=None, reference_counts=None) for one in sensitive]
    return classes_of_release(groups, alone, counts), beside


def _with_population(
    classes: Classes,
    quasi_identifiers: Sequence[pl.Series],
    models: Sequence[PrivacyModel],
    population: Sequence[PopulationColumn] | None,
    groups: Groups,
) -> tuple[Classes, Classes]:
    """Return the classes with their persons of the population, and one of all further persons."""
    beyond = Classes(np.zeros(0, np.int64), {}, np.zeros(0, np.int64))
    asking = [model.type for model in models if model.guarantee == "population"]
    if not asking:
        return classes, beyond
    if population is None:
        raise SchemaError(f"{asking[0]} cannot be checked without the population table")
    persons, others = count_persons(quasi_identifiers, population, groups.first)
    if others:
        beyond = Classes(np.zeros(1, np.int64), {}, np.array([others]))
    return replace(classes, population=persons), beyond


def _model_check(
    model: PrivacyModel, answer: Answer, seen: Classes, counting: Counting | None
) -> ModelCheck:
    some = len(seen.sizes) > 0
    protects = model.protects
    if some and "attributes" in protects and bounds_nothing(model, seen):
        protects = tuple(one for one in protects if one != "attributes")
    return ModelCheck(
        model.type,
        model.attribute,
        model.required,
        answer.achieved,
        answer.satisfied,
        counting,
        trivial=some and requires_nothing(model, seen),
        guarantee=model.guarantee,
        rests_on=model.rests_on,
        protects=protects,
        strict=any(one.relation == "<" for one in model.criteria()),
    )


def violating_classes(
    model: str,
    failing: NDArray[np.bool_],
    grouped: Sequence[pl.Series],
    groups: Groups,
    sizes: NDArray[np.int64],
    counts: NDArray[np.int64] | None,
) -> list[dict[str, Any]]:
    """Return up to `MOST_VIOLATING` of the classes that fail a model, smallest first."""
    failed = np.flatnonzero(failing)
    smallest = np.lexsort((groups.first[failed], sizes[failed]))[:MOST_VIOLATING]
    return [
        {
            "class": {column.name: column[int(groups.first[i])] for column in grouped},
            "size": int(sizes[i]),
            **({"row": int(groups.first[i]) + 1} if counts is None else {}),
            "model": model,
        }
        for i in failed[smallest]
    ]


def _violating_itemsets(
    model: str,
    answer: Answer,
    sets: EncodedSets,
    grouped: Sequence[pl.Series],
    first: NDArray[np.int64],
) -> list[dict[str, Any]]:
    """Return known items with too few candidates, with the labels of their class."""
    return [
        {
            "class": {
                **(
                    {}
                    if place is None
                    else {column.name: column[int(first[place])] for column in grouped}
                ),
                **texts_of(sets.tree, nodes),
            },
            "size": number,
            "model": model,
        }
        for place, nodes, number in answer.itemsets
    ]


def _codes(columns: Sequence[pl.Series]) -> NDArray[np.int32]:
    """Return (n_rows, n_columns) int32: equal values of a column have equal codes."""
    return np.column_stack([value_codes(column)[0] for column in columns])
