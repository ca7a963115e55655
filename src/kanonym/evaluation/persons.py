"""How many persons are in each class: of a population table, and as a release counted them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data import frames
from kanonym.data.columns.frame_types import Frame
from kanonym.data.errors import SchemaError
from kanonym.data.hierarchy import Flat
from kanonym.data.message import Message
from kanonym.evaluation.columns import SelectedColumns
from kanonym.kernels.classes.grouping import Groups
from kanonym.metrics.person_risk import PersonRisk
from kanonym.release import Release
from kanonym.verification.checked_classes import PopulationColumn, count_persons

NOBODY = (
    ", and nobody in the population table has it. A population table has everybody of the table; "
    "a release beside it has values or labels of hierarchies"
)
"""What a value means that the population table does not have."""


def persons_of_release(
    release: Release | None, entity: str, groups: Groups, threshold: float
) -> PersonRisk | None:
    """Return the risk of persons as a release counted them, by the classes of its values.

    groups: the released records. None where the release counts no persons by `entity`, or
    where its values make other classes than its algorithm did.
    """
    if release is None or release.persons is None or release.policy.entities[0] != entity:
        return None
    own = release.decision.encoded().labels[release.rows]
    of_group = own[groups.first]
    torn = len(np.unique(own)) != len(of_group)
    if torn or not np.array_equal(of_group[groups.labels], own):
        return None
    risk = release.persons
    return replace(
        risk,
        threshold=threshold,
        at_risk=int((risk.by_person > threshold).sum()),
        by_class=risk.by_class[of_group],
    )


def persons_of_classes(
    population: Frame | None,
    known: Sequence[pl.Series],
    asked: SelectedColumns,
    first: NDArray[np.int64],
) -> NDArray[np.int64] | None:
    """Return (n_classes,) int64: the persons of a population table in each class.

    known: the quasi-identifiers of the table. first: a row of each class. None without a
    population table.
    """
    if population is None:
        return None
    names = frames.column_names(population)
    for name, own in asked.held.items():
        if len(own) > 1:
            raise SchemaError(
                f"quasi-identifier {name!r} is a range in two columns: beside a population table "
                "a release must have values or labels of hierarchies"
            )
        if name not in names:
            raise SchemaError(
                f"the population table has no column {name!r}. It has: {', '.join(names)}"
            )
    columns = [
        PopulationColumn(
            frames.column_with_exceptions(population, name), asked.trees.get(name) or Flat()
        )
        for name in asked.held
    ]
    return count_persons(known, columns, first, NOBODY)[0]


def persons_unknown(entity: str) -> Message:
    """Say why a table without its entity says nothing of persons."""
    return Message(
        "k-anonymity counts persons by {entity!r}, which the table lacks: give the release itself, "
        "or one with a pseudonym of it (action surrogate); records are no persons",
        entity=entity,
    )
