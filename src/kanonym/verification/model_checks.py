"""Ask every model of a released table again, from its released values alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import SchemaError
from kanonym.data.item_sets import EncodedSets, texts_of
from kanonym.data.partition import Classes
from kanonym.data.table import value_codes
from kanonym.models import PrivacyModel
from kanonym.models.answer import Answer
from kanonym.models.released_table import ReleasedSets, ReleasedTable
from kanonym.verification.class_counting import Counting
from kanonym.verification.dominant_values import dominance
from kanonym.verification.long_lists import long_list_warnings
from kanonym.verification.near_values import near_values
from kanonym.verification.persons import PopulationColumn, count_persons
from kanonym.verification.released_classes import (
    SensitiveColumn,
    classes_of_release,
    group_by_code,
    group_released,
)
from kanonym.verification.similar_values import similar_values
from kanonym.verification.spellings import spelling_warnings
from kanonym.verification.trivial_models import bounds_nothing, requires_nothing
from kanonym.verification.verdict import (
    ModelCheck,
    Verification,
    VerificationWarning,
    column_names_text,
)

MOST_VIOLATING = 100
NO_RECORDS = VerificationWarning(
    "no-records", (), "no record was released, so there is nothing that models could check"
)


def verify_columns(  # noqa: PLR0917 - a released table has many parts
    quasi_identifiers: Sequence[pl.Series],
    sensitive: Sequence[SensitiveColumn],
    models: Sequence[PrivacyModel],
    n_rows: int,
    counts: NDArray[np.int64] | None = None,
    population: Sequence[PopulationColumn] | None = None,
    counting: Counting | None = None,
    texts: Mapping[str, pl.Series] | None = None,
    sets: EncodedSets | None = None,
) -> Verification:
    """Regroup a released table and ask every model again.

    Parameters
    ----------
    quasi_identifiers
        The released columns of the quasi-identifiers.
    sensitive
        Every sensitive attribute, and the identifiers by which models count persons.
    models
        What is required.
    n_rows
        Number of released rows.
    counts
        (n_rows,) records that each row stands for, in the aggregate form.
    population
        The quasi-identifiers in the population table, in the order of the released
        ones, for models that look at it. Each class is generalized back: its labels
        say the levels, and the population is counted at these.
    counting
        How k-anonymity counts; None counts the records of each class.
    texts
        Quasi-identifiers as text by name, where several texts read as one value: models
        are asked about classes of equal values and about classes of equal texts.
    sets
        The released sets of items, for models of known items.

    Raises
    ------
    SchemaError
        A model needs the population table and there is none; or a released value is
        no label of its hierarchy.

    Notes
    -----
    Nothing that an algorithm decided is used. Cost as `group_released` plus
    O(n_rows) a sensitive attribute, and as `count_persons`.

    """
    verify = partial(
        _verify,
        quasi_identifiers=quasi_identifiers,
        models=models,
        n_rows=n_rows,
        counts=counts,
        population=population,
        counting=counting,
        sets=sets,
    )
    typed = verify(quasi_identifiers, sensitive=sensitive)
    spelled = spelling_warnings(
        typed, sensitive, models, lambda columns: verify(quasi_identifiers, sensitive=columns)
    )
    typed = typed.with_warnings(*spelled)
    if not texts:
        return typed
    grouped = [texts.get(column.name, column) for column in quasi_identifiers]
    found = verify(grouped, sensitive=sensitive).with_warnings(*spelled)
    checks = tuple(
        by_value if by_text.satisfied and not by_value.satisfied else by_text
        for by_value, by_text in zip(typed.checks, found.checks, strict=True)
    )
    if typed.satisfied is False and found.satisfied:
        found = typed  # δ-presence may hold for parts of a class that violates it
    return replace(found, checks=checks, text_columns=tuple(texts))


def _verify(
    grouped: Sequence[pl.Series],
    *,
    quasi_identifiers: Sequence[pl.Series],
    sensitive: Sequence[SensitiveColumn],
    models: Sequence[PrivacyModel],
    n_rows: int,
    counts: NDArray[np.int64] | None,
    population: Sequence[PopulationColumn] | None,
    counting: Counting | None,
    sets: EncodedSets | None,
) -> Verification:
    """Ask every model about the classes of equal rows of `grouped`; else as `verify_columns`."""
    if counting is None or not n_rows:
        groups = group_released(grouped, n_rows)
    else:
        groups = group_by_code(grouped)
    seen = counted = classes_of_release(groups, sensitive, counts)
    sizes = seen.sizes
    if counting is not None and n_rows:
        counted = replace(seen, sizes=counting.sizes(grouped, groups, sizes))
    beyond = Classes(np.zeros(0, np.int64), {}, np.zeros(0, np.int64))
    asking = [model.type for model in models if model.guarantee == "population"]
    if asking:
        if population is None:
            raise SchemaError(f"{asking[0]} cannot be checked without the population table")
        persons, others = count_persons(quasi_identifiers, population, groups.first)
        seen = replace(seen, population=persons)
        if others:  # persons of whom the release has no record, as one more class
            beyond = Classes(np.zeros(1, np.int64), {}, np.array([others]))
    rows = partial(_codes, quasi_identifiers)
    held = None
    if sets is not None:
        held = ReleasedSets(sets.tree, sets.offsets, sets.nodes, groups.labels)
    checks: list[ModelCheck] = []
    failing = np.zeros(len(sizes), np.bool_)
    violating: list[dict[str, Any]] = []
    n_itemsets = 0
    for model in models:
        own = counting if model.counts_records else None
        asked = seen if own is None else counted
        answer = model.answer(ReleasedTable(asked, beyond, rows, counts, held))
        checks.append(
            ModelCheck(
                model.type,
                model.attribute,
                model.required,
                answer.achieved,
                answer.satisfied,
                own,
                trivial=len(sizes) > 0 and requires_nothing(model, seen),
                guarantee=model.guarantee,
                rests_on=model.rests_on,
            )
        )
        if sets is not None:
            n_itemsets += sum(place is None for place, _, _ in answer.itemsets)
            violating += _violating_itemsets(model.type, answer, sets, grouped, groups.first)
        if answer.failing is None:
            continue
        failing |= answer.failing
        if answer.itemsets:
            continue  # they name their classes
        failed = np.flatnonzero(answer.failing)
        smallest = np.lexsort((groups.first[failed], sizes[failed]))[:MOST_VIOLATING]
        violating += [
            {
                "class": {column.name: column[int(groups.first[i])] for column in grouped},
                "size": int(sizes[i]),
                **({"row": int(groups.first[i]) + 1} if counts is None else {}),
                "model": model.type,
            }
            for i in failed[smallest]
        ]
    attributes = _sensitive_attributes(sensitive, models)
    judged = counted.sizes <= seen.sizes
    shares, dominant = dominance(seen, attributes, judged)
    alike = [
        tells(name, seen.distributions[name], judged)
        for name in attributes
        for tells in (near_values, similar_values)
    ]
    warned = [
        *unprotected_warnings(attributes, models),
        *_trivial_warnings(models, checks, seen),
        *_apart_warnings(models, sets, grouped),
        *dominant,
        *(one for one in alike if one),
    ]
    warned += long_list_warnings(
        [column.gather(groups.first) for column in quasi_identifiers], sizes
    )
    distinct, numbers = np.unique(sizes, return_counts=True)
    return Verification(
        rows=int(sizes.sum()),
        n_classes=len(sizes),
        checks=tuple(checks),
        violating=tuple(sorted(violating, key=lambda one: one["size"])[:MOST_VIOLATING]),
        n_violating=int(failing.sum()) + n_itemsets,
        class_sizes=dict(zip(distinct.tolist(), numbers.tolist(), strict=True)),
        largest_shares=shares,
        warnings=tuple(warned) if n_rows else (NO_RECORDS,),
    )


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


def _sensitive_attributes(
    sensitive: Sequence[SensitiveColumn], models: Sequence[PrivacyModel]
) -> list[str]:
    """Return the sensitive attributes without the identifiers by which persons are counted."""
    persons = {one.entity for one in models}
    return [one.values.name for one in sensitive if one.values.name not in persons]


def unprotected_warnings(
    attributes: Sequence[str], models: Sequence[PrivacyModel]
) -> list[VerificationWarning]:
    """Return a warning of sensitive attributes that no model names, if there are any."""
    named = {model.attribute for model in models}
    without = tuple(name for name in attributes if name not in named)
    if not without:
        return []
    message = (
        f"no model protects {column_names_text(without)}: a class whose records share a value "
        "discloses it. Require l-diversity or t-closeness, or declare it insensitive, by name, if "
        "it may be known"
    )
    return [VerificationWarning("unprotected-sensitive", without, message)]


def _apart_warnings(
    models: Sequence[PrivacyModel], sets: EncodedSets | None, grouped: Sequence[pl.Series]
) -> list[VerificationWarning]:
    """Return a warning of items that are protected apart from quasi-identifiers."""
    apart = [one for one in models if one.known_items is not None and not one.known_items.by_class]
    if sets is None or not apart or not grouped:
        return []
    message = (
        f"{column_names_text(sets.tree.names)}: items and quasi-identifiers are protected apart. "
        "Whoever knows both may find fewer records; require k-km-anonymity to protect them together"
    )
    return [VerificationWarning("items-apart", sets.tree.names, message)]


def _trivial_warnings(
    models: Sequence[PrivacyModel], checks: Sequence[ModelCheck], classes: Classes
) -> list[VerificationWarning]:
    """Return a warning of models that ask nothing, if there are any."""
    found = [
        model
        for model, check in zip(models, checks, strict=True)
        if check.trivial or (len(classes.sizes) and bounds_nothing(model, classes))
    ]
    if not found:
        return []
    named = ", ".join(
        f"{one.type} {one.required:g}" + (f" of {one.attribute}" if one.attribute else "")
        for one in found
    )
    columns = tuple(dict.fromkeys(one.attribute for one in found if one.attribute))
    return [
        VerificationWarning(
            "trivial-model",
            columns,
            f"{named}: requires nothing, because in this table even classes of one record satisfy "
            f"it. Require more, or remove it",
            {"models": len(found), "requirements": len(models)},
        )
    ]
