"""What is asked of a table, and the encoded table that algorithms look at."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.actions.pseudonymization.keyed_pseudonyms import read_key
from kanonym.algorithms.base import Algorithm, Problem
from kanonym.algorithms.itemsets.apriori import Apriori
from kanonym.algorithms.itemsets.base import ItemAlgorithm
from kanonym.data import files, frames
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.hierarchy import Automatic, Hierarchy, HierarchySource
from kanonym.data.hierarchy.builders.base import Builder
from kanonym.data.population import encode_with_population, require_contained
from kanonym.data.readings import Reading, typed_like
from kanonym.data.results import ShortRepr
from kanonym.data.schema import QuasiIdentifier, Recoding, Role, Schema
from kanonym.data.table import EncodedTable, encode, kind_of, value_codes
from kanonym.differential_privacy.public_hierarchies import public_hierarchy
from kanonym.engines.stopwatch import Stopwatch
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.histograms import Costs
from kanonym.metrics.certainty import certainty_costs, weighted_costs
from kanonym.metrics.information_loss.base import attribute_weights
from kanonym.models import PrivacyModel
from kanonym.models.differential import sampling_model
from kanonym.policy import Policy
from kanonym.policy.algorithms import target_of
from kanonym.recoding.recode import CENTROIDS, choose_recoding, released_names
from kanonym.verification.release_view import sensitive_names
from kanonym.verification.released_classes import SensitiveColumn

BITS = 63
"""A seed fits a signed integer of 64 bits."""


def draw_private_seed() -> int:
    """Return a seed from the system's source."""
    return secrets.randbits(BITS)


def resolve_private_seed(source: Mapping[str, str | Path] | None) -> int:
    """Return the seed that a policy names, or one that is drawn for this release alone."""
    if source is None:
        return draw_private_seed()
    digest = hashlib.sha256(read_key("private_seed", source)).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - BITS)


@dataclass(frozen=True, slots=True)
class Task:
    """What an engine is asked to do: built objects, no policy."""

    schema: Schema
    models: Sequence[PrivacyModel]
    algorithm: Algorithm
    recoding: Recoding | None
    suppression_limit: float
    population: Callable[[str], pl.Series] | None = None
    keep_integers: bool = False
    target: str | None = None
    leaves_to_chance: bool = False
    private_seed: Mapping[str, Any] | None = None
    item_algorithm: ItemAlgorithm = field(default_factory=Apriori)
    seed: int | None = None

    @classmethod
    def of(cls, policy: Policy, schema: Schema) -> Task:
        """Return what a policy asks.

        schema: the roles of the table's columns.
        """
        return cls(
            schema=schema,
            models=policy.models,
            algorithm=policy.algorithm,
            recoding=policy.recoding,
            suppression_limit=policy.suppression_limit,
            population=population_of(policy, schema.readings),
            keep_integers=policy.keep_integers,
            target=target_of(policy.algorithm, schema),
            leaves_to_chance=policy.leaves_to_chance,
            private_seed=policy.private_seed,
            item_algorithm=policy.item_algorithm or Apriori(),
            seed=policy.seed,
        )

    def problem(self, table: EncodedTable, costs: Costs, persons: Int32s | None = None) -> Problem:
        """Return what the algorithm is asked about an encoded table.

        persons: of `Prepared`.
        """
        return Problem(
            table,
            self.weigh(table, costs),
            self.models,
            self.suppression_limit,
            key=self.draw_key(),
            persons=persons,
            seed=self.seed,
        )

    def weigh(self, table: EncodedTable, costs: Costs) -> Costs:
        """Return what the algorithm takes for the costs of a table: those times its weights."""
        if self.algorithm.recodes != "spans" or not self.algorithm.weights:
            return costs
        return weighted_costs(costs, attribute_weights(table, self.algorithm.weights))

    def draw_key(self) -> int | None:
        """Return what draws for a table follow from; None where nothing is left to chance."""
        return resolve_private_seed(self.private_seed) if self.leaves_to_chance else None

    @property
    def fixed_hierarchies(self) -> frozenset[str] | None:
        """The quasi-identifiers whose hierarchy does not come from the values of the table.

        None where records are sampled: hierarchies are then public.
        """
        if self.samples:
            return None
        known = self.schema.attributes.items()
        return frozenset(
            name
            for name, one in known
            if isinstance(one, QuasiIdentifier)
            and one.hierarchy is not None
            and (self.population is not None or not isinstance(one.hierarchy, Builder))
        )

    @property
    def samples(self) -> bool:
        """Whether a model samples records: hierarchies are then public ones."""
        return sampling_model(self.models) is not None

    @property
    def columns(self) -> list[str]:
        """The columns that are looked at: quasi-identifiers, those of models, the target."""
        named = self.schema.names(Role.QUASI_IDENTIFIER)
        named += sensitive_names(self.schema, self.models)
        return named if self.target is None or self.target in named else [*named, self.target]


@dataclass(frozen=True, slots=True, repr=False)
class Prepared(ShortRepr):
    """A table ready for its algorithm.

    persons: (n_rows,) int32, the person of each record, where a model keeps one record of each,
    negative where nobody is named; or None.
    """

    _shown: ClassVar[tuple[str, ...]] = ("table",)

    table: EncodedTable
    recodings: list[Recoding]
    dtypes: list[pl.DataType]
    costs: Costs
    built: dict[str, str]
    persons: Int32s | None = None


def prepare(
    task: Task,
    column: Callable[[str], pl.Series],
    n_rows: int,
    watch: Stopwatch,
    counts: Ints | None = None,
    *,
    given: Callable[[str], pl.Series] | None = None,
) -> Prepared:
    """Encode a table for a task; parameters and errors as of `decision.run_task`."""
    asked = sensitive_names(task.schema, task.models)
    with watch.stage("encode"):
        known, recodings = _quasi_identifiers(task, column)
        hidden = [
            SensitiveColumn.of(column(name), task.schema.attributes.get(name))[:3] for name in asked
        ]
        target = None if task.target is None else (given or column)(task.target)
        if task.population is None:
            table = encode(known, hidden, n_rows, target=target, counts=counts)
        else:
            persons = [task.population(values.name) for values, _ in known]
            table = encode_with_population(known, hidden, n_rows, persons, counts)
            if any(model.within_population for model in task.models):
                require_contained(table)
        spans = task.algorithm.recodes == "spans"
        costs = certainty_costs(table.domains if spans else [], recodings if spans else [])
        if counts is not None and not task.algorithm.by_tuple:
            table = replace(table, tuple_of_row=np.repeat(table.tuple_of_row, counts))
        built = {
            values.name: source.description
            for values, source in known
            if isinstance(source, _SuggestedHierarchy)
        }
        for name, description in built.items():
            watch.tell(f"{name}: no hierarchy given; built {description}")
        promised = sampling_model(task.models)
        each = None  # the person of each record
        if promised is not None and promised.entity is not None:
            each = _person_codes(column(promised.entity))
    dtypes = [frames.values_of(values).dtype for values, _ in known]
    return Prepared(table, recodings, dtypes, costs, built, each)


def _person_codes(texts: pl.Series) -> Int32s:
    """Return (n_rows,) int32 codes of persons, -1 for null."""
    codes, _ = value_codes(texts)
    return np.where(texts.is_null().to_numpy(), np.int32(-1), codes)


def population_of(
    policy: Policy, readings: Mapping[str, Reading]
) -> Callable[[str], pl.Series] | None:
    """Return what gives the columns of the policy's population table, if it has one.

    readings: those of the table; the population is read in the same way.
    """
    given = policy.population
    if given is None:
        return None
    path = isinstance(given, str | os.PathLike)
    if path:
        files.refuse_url(os.fspath(given))  # a policy is kept and passed on, keys and all
    table = files.read_table(os.fspath(given)) if path else frames.to_eager(given)
    where = f" {os.fspath(given)}" if path else ""
    try:
        table = typed_like(table, readings)
    except DataError as error:
        raise DataError(f"population table{where}, {error}") from None

    def column(name: str) -> pl.Series:
        names = frames.column_names(table)
        if name not in names:
            raise SchemaError(
                f"the population table{where} has no column {name!r}, which is a "
                f"quasi-identifier. It has: {', '.join(names)}"
            )
        return frames.column_with_exceptions(table, name)

    return column


def _quasi_identifiers(
    task: Task, column: Callable[[str], pl.Series]
) -> tuple[list[tuple[pl.Series, HierarchySource | None]], list[Recoding]]:
    """Return the columns to encode, with the hierarchies in use, and the recodings."""
    known: list[tuple[pl.Series, HierarchySource | None]] = []
    recodings: list[Recoding] = []
    released: dict[str, str] = {}
    for name, attribute in task.schema.attributes.items():
        names = [name] if attribute.role is not Role.IDENTIFIER or attribute.action else []
        if isinstance(attribute, QuasiIdentifier):
            given = column(name)
            values = frames.values_of(given)
            source: HierarchySource | None
            recoding: Recoding
            if task.samples:
                public = public_hierarchy(name, attribute)
                given, source, recoding = public.leaves(values), public.tree, "hierarchy"
            else:
                source, recoding = _recoding_for(task, attribute, values)
            known.append((given, source))
            recodings.append(recoding)
            names = released_names(name, recoding)
        for one in names:
            if one in released:
                raise SchemaError(
                    f"columns {released[one]!r} and {name!r} would both be released as {one!r}: "
                    "recoding 'range' needs that name. Rename the column, or choose 'interval'"
                )
            released[one] = name
    if not released:
        raise SchemaError("every column is an identifier: there is nothing to release")
    return known, recodings


def _recoding_for(
    task: Task, attribute: QuasiIdentifier, values: pl.Series
) -> tuple[HierarchySource | None, Recoding]:
    """Return the hierarchy in use and the recoding of one quasi-identifier."""
    if task.algorithm.recodes == "levels":
        return attribute.hierarchy or _SuggestedHierarchy(), "hierarchy"
    if task.algorithm.recodes == "cells":
        return None, "interval"  # not applied: each value is released as it is, or not at all
    kind = kind_of(values.dtype)
    recoding = attribute.recoding
    # A column without a value has no type either, and takes whatever is asked.
    if recoding is None or values.null_count() < len(values):
        # An algorithm may have one of its own; microaggregation's mean is the kind's centroid.
        own = task.algorithm.recoding
        default = task.recoding or (CENTROIDS[kind] if own == "mean" else own)
        recoding = choose_recoding(values.name, attribute, kind, default)
    in_tree = recoding == "hierarchy" or (recoding == "set" and kind == "nominal")
    return attribute.hierarchy if in_tree else None, recoding


@dataclass(slots=True)
class _SuggestedHierarchy:
    """The hierarchy that is suggested for a column that has none; remembers which."""

    description: str = ""

    def bind(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Return the hierarchy over a column: see `HierarchySource.bind`."""
        suggestion = Automatic().suggest(values, counts)
        self.description = suggestion.parameters
        return suggestion.builder.bind(values, counts)

    def to_dict(self) -> dict[str, Any]:
        """Return the form that a policy file gives it."""
        return Automatic().to_dict()
