"""Releases that are evaluated: their recodings and persons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from kanonym.data import frames
from kanonym.data.columns.rebuild import Frame
from kanonym.data.errors import DataError, Message, SchemaError
from kanonym.data.files import table_of
from kanonym.data.hierarchy import Flat, Hierarchy
from kanonym.data.schema import QuasiIdentifier, Recoding
from kanonym.data.table import kind_of
from kanonym.evaluation.columns import SelectedColumns
from kanonym.evaluation.pair.tables import TablePair
from kanonym.kernels.arrays import Ints
from kanonym.kernels.classes.grouping import Groups
from kanonym.metrics.record_risk import PersonRisk
from kanonym.policy import Policy, PolicySource
from kanonym.policy.definition import policy_from
from kanonym.recoding.recode import CENTROIDS, choose_recoding
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
    population: Frame | None, known: Sequence[pl.Series], asked: SelectedColumns, first: Ints
) -> Ints | None:
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


SINGLE = frozenset({*CENTROIDS.values(), "balanced"})
"""Recodings that release one value of a class in the place of all."""


def recodings_of(policy: Policy, columns: Mapping[str, pl.Series]) -> dict[str, Recoding]:
    """Return the recodings of quasi-identifiers; none of those that are released as they are.

    columns: their original values, as actions leave them.
    """
    algorithm = policy.algorithm
    if algorithm.recodes == "levels":
        return dict.fromkeys(columns, "hierarchy")
    if algorithm.recodes == "cells":
        return {}
    found: dict[str, Recoding] = {}
    for name, values in columns.items():
        attribute = policy.attributes.get(name)
        identifier = attribute if isinstance(attribute, QuasiIdentifier) else QuasiIdentifier()
        kind = kind_of(values.dtype)
        # As the engine: the mean of microaggregation is the centroid of the kind.
        own = algorithm.recoding
        default = policy.recoding or (CENTROIDS[kind] if own == "mean" else own)
        found[name] = identifier.recoding or choose_recoding(name, identifier, kind, default)
    return found


def with_centroids(pair: TablePair, recodings: Mapping[str, Recoding]) -> TablePair:
    """Return a pair that knows of centroids: alone they do not say what they stand for."""
    if pair.rows is not None:
        return pair
    return replace(
        pair,
        generalizations=tuple(
            replace(
                generalization,
                unknown=Message(
                    "{name} is released as one value per class ({recoding}): what it stands for is "
                    "known only where the rows of both tables are aligned, or of a release object",
                    name=generalization.name,
                    recoding=recodings[generalization.name],
                ),
            )
            if recodings.get(generalization.name) in SINGLE
            else generalization
            for generalization in pair.generalizations
        ),
    )


def unpack_release(
    given: Any, source: PolicySource | None, *, named: bool
) -> tuple[Any, Policy | None, Release | None]:
    """Return the table of what was given, the policy that is meant, and the release it is.

    source: the policy, or its file. named: whether columns are named in its place.
    """
    policy = None if source is None else policy_from(source)
    if not isinstance(given, Release):
        return table_of(given), policy, None
    return given.frame, given.policy if policy is None and not named else policy, given


def hierarchies_of(release: Release, *, released_only: bool = False) -> dict[str, Hierarchy]:
    """Return the hierarchies of a release, bound to its input: given ones and built ones.

    released_only: bound to the released records alone.

    None of one under differential privacy: its hierarchies are over public texts, and who compares
    it with the original reads both by those of the policy.
    """
    if release.promise is not None:
        return {}
    decision = release.decision.encoded()
    return {
        domain.name: domain.hierarchy
        for domain in (decision.released if released_only else decision).table.domains
        if domain.hierarchy is not None
    }


def require_made_of(release: Release, n_rows: int) -> None:
    """Refuse an original that has not as many records as the input of the release."""
    if release.rows_in != n_rows:
        raise DataError(
            f"the release was made of a table of {release.rows_in} records, and the original has "
            f"{n_rows}: give the table that was anonymized"
        )


def released_originals(original: Any, release: Release) -> Any:
    """Return the records of the input of a release that are released, in their order."""
    kept = released_records(release)
    if kept is None:
        return original
    native = frames.to_eager(original)
    return frames.assemble(native, kept, frames.column_names(native))


def released_records(release: Release) -> Ints | None:
    """Return the records of the input that are released, ascending.

    None where all are, where records were sampled, or where an engine does not tell which.
    """
    if release.rows is None or not release.suppressed or release.promise is not None:
        return None
    return np.sort(release.rows)
