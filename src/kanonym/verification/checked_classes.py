"""Ask every model of a released table again, from its released values alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from kanonym.data.columns.values import text_of
from kanonym.data.errors import SchemaError
from kanonym.data.frames import values_of
from kanonym.data.hierarchy import Hierarchy, HierarchySource
from kanonym.data.item_sets import EncodedSets, texts_of
from kanonym.data.partition import Classes, Distribution
from kanonym.data.readings.reading import MARK
from kanonym.data.results import ShortRepr
from kanonym.data.table import encode_column, value_codes
from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.kernels.classes.grouping import Groups, group_rows
from kanonym.kernels.parallel import parallel
from kanonym.models import Criterion, PrivacyModel
from kanonym.models.base import Answer, ReleasedSets, ReleasedTable
from kanonym.verification.released_classes import (
    Counting,
    SensitiveColumn,
    classes_of_release,
    group_by_code,
    group_released,
)
from kanonym.verification.verdict import ModelCheck

_ZEROS = re.compile(r"(\.[0-9]*[1-9])0+(?![0-9])|\.0+(?![0-9])")
NEEDED = "; k-map and delta-presence need recoding 'hierarchy'"
"""What models ask of a release, behind the message that one of its values is no label."""


class PopulationColumn(NamedTuple):
    """One quasi-identifier in the population table: (n_persons,) values."""

    values: pl.Series
    hierarchy: HierarchySource

    def without_exceptions(self) -> PopulationColumn:
        """Return the column with null for exceptions."""
        return self._replace(values=values_of(self.values))


def name_exceptions(released: pl.Series, texts: pl.Series | None) -> pl.Series:
    """Return released labels, those of exceptions as hierarchies have them.

    texts: the column as it is written, of which `released` has null for exceptions.
    """
    if texts is None:
        return released
    exceptional = released.is_null() & texts.is_not_null()
    if not exceptional.any():
        return released
    return (MARK + texts).zip_with(exceptional, text_of(released)).alias(released.name)


def count_persons(
    released: Sequence[pl.Series],
    population: Sequence[PopulationColumn],
    first: Ints,
    needed: str = NEEDED,
) -> tuple[Ints, int]:
    """Count the persons with the values of each class, (n_classes,) int64, and of none."""
    if len(released) != len(population):
        raise SchemaError(
            "the release has other columns than the population table has quasi-identifiers: "
            "k-map and delta-presence need recoding 'hierarchy' throughout"
        )
    if not len(first):
        return np.zeros(0, np.int64), len(population[0].values) if population else 0
    encoded = parallel(lambda one: encode_column(one.values, one.hierarchy), population)
    trees = [domain.hierarchy for domain, _ in encoded if domain.hierarchy is not None]
    persons = group_rows([codes for _, codes in encoded], [tree.size for tree in trees])
    levels = np.zeros((len(first), len(trees)), np.int32)
    labels = np.zeros((len(first), len(trees)), np.int32)
    for a, (tree, column) in enumerate(zip(trees, released, strict=True)):
        levels[:, a], labels[:, a] = _read_levels(tree, column.gather(first), needed)
    counts = np.zeros(len(first), np.int64)
    reached = np.zeros(len(persons.sizes), np.bool_)
    ways = group_rows(list(np.ascontiguousarray(levels.T)), [tree.n_levels for tree in trees])
    for way, row in enumerate(ways.codes.tolist()):
        own = np.flatnonzero(ways.labels == way)
        columns = [
            np.concatenate([labels[own, a], tree.codes[level][persons.codes[:, a]]])
            for a, (tree, level) in enumerate(zip(trees, row, strict=True))
        ]
        sizes = [len(tree.labels[level]) for tree, level in zip(trees, row, strict=True)]
        groups = group_rows(columns, sizes)
        of_class, of_person = groups.labels[: len(own)], groups.labels[len(own) :]
        counts[own] = np.bincount(of_person, persons.sizes, len(groups.sizes))[of_class]
        reached |= np.isin(of_person, of_class)
    return counts, int(persons.sizes[~reached].sum())


def _short(text: str | None) -> str | None:
    """Return a label without zeros at the end of its fractions: `[1.5, 2]` of `[1.50, 2.00]`."""
    return None if text is None else _ZEROS.sub(lambda match: match[1] or "", text)


def _read_levels(tree: Hierarchy, released: pl.Series, needed: str) -> tuple[Int32s, Int32s]:
    """Return (n,) int32 levels, the lowest that all values have or else each, and labels."""
    distinct = released.unique(maintain_order=True)
    place = released.replace_strict(
        distinct, pl.int_range(len(distinct), dtype=pl.Int64, eager=True), return_dtype=pl.Int64
    ).to_numpy()
    texts = text_of(distinct).to_list()
    found = np.empty((tree.n_levels, len(texts)), np.int32)
    for level, names in enumerate(tree.labels):
        number = {name: i for i, name in enumerate(names)}
        for name in [name for name in number if name is not None and name.startswith(MARK)]:
            number.setdefault(name.removeprefix(MARK), number[name])
        found[level] = [number.get(text, number.get(_short(text), -1)) for text in texts]
    if distinct.dtype != pl.String:
        # A number may read otherwise than its label: 1.50 and 1.5.
        leaves = tree.leaf_of(distinct)
        found[0] = np.where(found[0] < 0, leaves, found[0])
    mask = found >= 0
    if not mask.any(axis=0).all():
        wrong = distinct[int(np.argmin(mask.any(axis=0)))]
        raise SchemaError(
            f"column {released.name!r}: {wrong!r} is not a label of its hierarchy{needed}"
        )
    shared = np.flatnonzero(mask.all(axis=1))
    lowest = np.full(len(texts), shared[0]) if len(shared) else np.argmax(mask, axis=0)
    levels = lowest[place].astype(np.int32)
    return levels, found[levels, place]


MOST_VIOLATING = 100
BLOCK = 1024
"""Values that are tried at a time; the first block nearly always settles it."""


@dataclass(frozen=True, repr=False)
class CheckedClasses(ShortRepr):
    """The equivalence classes of a release, and what every model says of them."""

    _shown: ClassVar[tuple[str, ...]] = ("rows", "n_violating")

    checks: tuple[ModelCheck, ...]
    violating: tuple[dict[str, Any], ...]
    n_violating: int
    groups: Groups
    labels: tuple[pl.Series, ...]
    classes: Classes
    judged: Bools  # (n_classes,): k counts no more than the records of the class
    sensitive: tuple[SensitiveColumn, ...]
    ask: Callable[[Sequence[SensitiveColumn]], tuple[ModelCheck, ...]]
    text_columns: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Number of records."""
        return int(self.classes.sizes.sum())


def check_models(  # noqa: PLR0917 - a released table has many parts
    quasi_identifiers: Sequence[pl.Series],
    sensitive: Sequence[SensitiveColumn],
    models: Sequence[PrivacyModel],
    n_rows: int,
    counts: Ints | None = None,
    population: Sequence[PopulationColumn] | None = None,
    counting: Counting | None = None,
    texts: Mapping[str, pl.Series] | None = None,
    sets: EncodedSets | None = None,
    *,
    reference_told: bool = False,
) -> CheckedClasses:
    """Regroup a released table and ask every model again: nothing that was decided is used.

    Models are judged beside the references of columns; what they achieve is told of the released
    records alone, unless `reference_told`.
    """

    def check(
        grouped: Sequence[pl.Series],
        labels: Sequence[pl.Series],
        persons: Sequence[PopulationColumn] | None,
    ) -> CheckedClasses:
        # labels: with their exceptions, as persons of the population have them.
        if counting is None or not n_rows:
            groups = group_released(grouped, n_rows)
        else:
            groups = group_by_code(grouped)
        seen = judged = classes_of_release(groups, sensitive, counts)
        if not reference_told and any(column.reference is not None for column in sensitive):
            seen = classes_of_release(groups, [column.alone() for column in sensitive], counts)
        sizes = counted = seen.sizes
        if counting is not None and n_rows:
            counted = counting.sizes(grouped, groups, sizes)
        is_same = judged is seen
        seen, beyond = _with_population(seen, labels, models, persons, groups)
        judged = seen if is_same else replace(judged, population=seen.population)
        item_sets = (
            None
            if sets is None
            else ReleasedSets(sets.tree, sets.offsets, sets.nodes, groups.labels)
        )

        def answer(model: PrivacyModel, classes: Classes) -> Answer:
            if counting is not None and model.counts_records:
                classes = replace(classes, sizes=counted)
            rows = partial(_codes, quasi_identifiers)
            return model.answer(ReleasedTable(classes, beyond, rows, counts, item_sets))

        def check_of(
            model: PrivacyModel, seen: Classes, judged: Classes
        ) -> tuple[Answer, ModelCheck]:
            verdict = figures = answer(model, judged)
            if judged is not seen and model.attribute is not None:
                figures = answer(model, seen)
            counted_by = counting if model.counts_records else None
            check = _model_check(model, verdict, seen, counted_by)
            return verdict, replace(check, achieved=figures.achieved)

        def ask(columns: Sequence[SensitiveColumn]) -> tuple[ModelCheck, ...]:
            again = classes_of_release(groups, columns, counts)
            again = replace(again, population=seen.population)
            return tuple(check_of(model, again, again)[1] for model in models)

        pairs = [check_of(model, seen, judged) for model in models]
        answers = [(model.type, found) for model, (found, _) in zip(models, pairs, strict=True)]
        violating, n_violating = _violations(answers, sets, grouped, groups, sizes, counts)
        return CheckedClasses(
            checks=tuple(check for _, check in pairs),
            violating=violating,
            n_violating=n_violating,
            groups=groups,
            labels=tuple(column.gather(groups.first) for column in quasi_identifiers),
            classes=seen,
            judged=counted <= sizes,
            sensitive=tuple(sensitive),
            ask=ask,
        )

    plain = population
    if population is not None and texts:  # exceptions are null among values
        plain = [column.without_exceptions() for column in population]
    by_value = check(quasi_identifiers, quasi_identifiers, plain)
    if not texts:
        return by_value
    by_text = check(
        [texts.get(column.name, column) for column in quasi_identifiers],
        [name_exceptions(column, texts.get(column.name)) for column in quasi_identifiers],
        population,
    )
    checks = tuple(
        value if text.satisfied and not value.satisfied else text
        for value, text in zip(by_value.checks, by_text.checks, strict=True)
    )
    fails = [not all(one.satisfied for one in each.checks) for each in (by_value, by_text)]
    # δ-presence may hold for parts of a class that violates it.
    worse = by_value if fails == [True, False] else by_text
    distinct = {column.name: column.n_unique() for column in quasi_identifiers}
    more = [name for name, text in texts.items() if text.n_unique() > distinct.get(name, 0)]
    return replace(worse, checks=checks, text_columns=tuple(more))


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
        protects = tuple(protect for protect in protects if protect != "attributes")
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
        strict=any(criterion.relation == "<" for criterion in model.criteria()),
    )


def _violations(
    answers: Sequence[tuple[str, Answer]],
    sets: EncodedSets | None,
    grouped: Sequence[pl.Series],
    groups: Groups,
    sizes: Ints,
    counts: Ints | None,
) -> tuple[tuple[dict[str, Any], ...], int]:
    """Return up to `MOST_VIOLATING` classes and itemsets that fail, and the number of all."""
    failing = np.zeros(len(sizes), np.bool_)
    violating: list[dict[str, Any]] = []
    n_itemsets = 0
    for model, answer in answers:
        if sets is not None:
            n_itemsets += sum(place is None for place, _, _ in answer.itemsets)
            violating += _violating_itemsets(model, answer, sets, grouped, groups.first)
        if answer.failing is not None:
            failing |= answer.failing
            if not answer.itemsets:  # they name their classes
                violating += violating_classes(
                    model, answer.failing, grouped, groups, sizes, counts
                )
    smallest = sorted(violating, key=lambda one: one["size"])[:MOST_VIOLATING]
    return tuple(smallest), int(failing.sum()) + n_itemsets


def violating_classes(
    model: str,
    failing: Bools,
    grouped: Sequence[pl.Series],
    groups: Groups,
    sizes: Ints,
    counts: Ints | None,
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
    model: str, answer: Answer, sets: EncodedSets, grouped: Sequence[pl.Series], first: Ints
) -> list[dict[str, Any]]:
    """Return known items with too few candidates, with the labels of their class."""
    return [
        {
            "class": {
                **{one.name: one[int(first[place])] for one in grouped if place is not None},
                **texts_of(sets.tree, nodes),
            },
            "size": number,
            "model": model,
        }
        for place, nodes, number in answer.itemsets
    ]


def _codes(columns: Sequence[pl.Series]) -> Int32s:
    """Return (n_rows, n_columns) int32: equal values of a column have equal codes."""
    return np.column_stack([value_codes(column)[0] for column in columns])


def requires_nothing(model: PrivacyModel, classes: Classes) -> bool:
    """Return whether classes of one record, than which none is worse, satisfy a model."""
    if model.guarantee != "per class":
        return model.trivial
    return all(_allows_single_records(criterion, classes) for criterion in model.criteria())


def bounds_nothing(model: PrivacyModel, classes: Classes) -> bool:
    """Return whether what a model asks of its sensitive attribute is nothing."""
    own = [one for one in model.criteria() if one.attribute is not None]
    return bool(own) and all(_allows_single_records(criterion, classes) for criterion in own)


def _allows_single_records(criterion: Criterion, classes: Classes) -> bool:
    if criterion.attribute is None:
        return bool(criterion.satisfied(Classes(np.ones(1, np.int64), {})).all())
    given = classes.distributions[criterion.attribute]
    values = np.flatnonzero(given.table).astype(np.int32)
    for start in range(0, len(values), BLOCK):
        block = values[start : start + BLOCK]
        ones = np.ones(len(block), np.int64)
        alone = Distribution(np.arange(len(block) + 1), block, ones, given.table, given.ancestors)
        single = Classes(ones, {criterion.attribute: alone})
        if not criterion.satisfied(single).all():
            return False
    return True
