"""Audits of what a policy asks for: truthful records, or a synthetic table, under (ε, δ)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.audit.run import LEAST, Audit, audit_mechanism, canary_scores
from kanonym.data import frames
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.schema import Attribute, QuasiIdentifier, Role
from kanonym.differential_privacy.cells import canonical_texts, declared_cells
from kanonym.differential_privacy.public_hierarchies import public_hierarchy
from kanonym.models.base import check_integer
from kanonym.models.differential import DifferentialPrivacy
from kanonym.pipeline import anonymize
from kanonym.policy import Policy
from kanonym.policy.attribute_policy import attribute_policy
from kanonym.synthesis import synthesize
from kanonym.synthesis.marginals.domains import CellDomain, cell_domains
from kanonym.synthesis.marginals.generation import FITS

CANARIES = 1_000
ROOT = 0x61756469


def audit_policy(
    frame: Any,
    policy: Policy | str | os.PathLike[str],
    *,
    epsilon: float | None = None,
    delta: float = 1e-9,
    method: str | None = None,
    canaries: int = CANARIES,
    seed: int = 0,
) -> Audit:
    """Estimate a lower bound of the ε that a mechanism has, from one run with canaries.

    Canaries are records whose values are drawn, column by column, from those of the table. A coin
    decides for each whether it is put in. Who knows everything but the coins then guesses from
    the release which were. Many right guesses contradict a small ε.

    Where the policy has the model `differential-privacy`, its release is audited, on a table
    made of copies of the canaries, so that classes have about the size at which they are released
    or not. Otherwise a synthetic table of the given one is audited.

    Parameters
    ----------
    frame
        A table, of any kind that `anonymize` takes. It is not changed.
    policy
        The policy of the release, or the one that declares the domains of a synthetic table; or
        the path of it.
    epsilon, delta, method
        As of `synthesize`; the model of the policy has its own.
    canaries
        How many, at least 100.
    seed
        Of the canaries and coins, not of the mechanism.

    Raises
    ------
    PolicyError
        The policy has no such model, and no epsilon is given; or both are.
    DataError
        There are too few canaries.

    Notes
    -----
    Cost: one run of the mechanism. Source: Steinke, Nasr, Jagielski, *Privacy auditing with one
    (1) training run*, NeurIPS 2023. Deviation: bounds at four numbers of guesses are tried, each
    at a quarter of the significance.

    """
    check_integer("audit", "canaries", canaries, LEAST)
    asked = attribute_policy(policy)
    private = [model for model in asked.models if isinstance(model, DifferentialPrivacy)]
    if private and (epsilon is not None or method is not None):
        raise PolicyError(
            "the policy has the model differential-privacy with an epsilon of its own: leave out "
            "epsilon and method, or take a policy without this model"
        )
    if not private and epsilon is None:
        raise PolicyError(
            "nothing to audit: the policy has no model differential-privacy, and no epsilon of a "
            "synthetic table is given"
        )
    table, attributes = _read(frame, asked)
    if not table.height:
        raise DataError("the table has no records: canaries have values of the table")
    random = np.random.default_rng([seed, ROOT])
    drawn = _draw_canaries(table, canaries, random)
    if private:
        return _audit_release(drawn, asked, private[0], seed)
    assert epsilon is not None  # noqa: S101 - refused above
    chosen = method or next(iter(FITS))
    return _audit_synthesis(table, drawn, attributes, chosen, epsilon, delta, seed)


def _read(frame: Any, policy: Policy) -> tuple[pl.DataFrame, dict[str, Attribute]]:
    """Return the cells of a table without its identifiers, and what describes these columns."""
    schema = policy.schema_for(frames.column_names(frames.to_eager(frame)))
    attributes = {
        name: attribute
        for name, attribute in schema.attributes.items()
        if attribute.role is not Role.IDENTIFIER
    }
    cells = declared_cells(frame, attributes)
    # The mechanism reads them again: as a text, 1.234 might then be 1,234.
    numbers = [name for name, one in attributes.items() if getattr(one, "type", None) == "number"]
    return cells.with_columns(pl.col(numbers).cast(pl.Float64, strict=False)), attributes


def _draw_canaries(table: pl.DataFrame, number: int, random: np.random.Generator) -> pl.DataFrame:
    """Return records of values that the columns have, each drawn apart from the others."""
    return pl.DataFrame(
        [
            values.gather(random.integers(0, len(values), number))
            for values in (column.unique().sort() for column in table.get_columns())
        ]
    )


def _audit_synthesis(
    table: pl.DataFrame,
    canaries: pl.DataFrame,
    attributes: dict[str, Attribute],
    method: str,
    epsilon: float,
    delta: float,
    seed: int,
) -> Audit:
    """Audit a synthetic table, in the cells of the public domains."""
    domains = cell_domains(table.columns, attributes)

    def mechanism(records: pl.DataFrame) -> pl.DataFrame:
        made = synthesize(records, method=method, epsilon=epsilon, delta=delta, policy=attributes)
        return pl.DataFrame(made.frame)

    return audit_mechanism(
        mechanism,
        table,
        canaries,
        name=method,
        epsilon=epsilon,
        delta=delta,
        seed=seed,
        scores=partial(_scores_of_cells, domains=domains),
    )


def _scores_of_cells(
    released: pl.DataFrame,
    others: pl.DataFrame,
    canaries: pl.DataFrame,
    *,
    domains: Sequence[CellDomain],
) -> NDArray[np.float64]:
    """Return scores of the cells of values: in a cell, values are drawn evenly."""
    return canary_scores(
        *(
            pl.DataFrame(
                {
                    domain.name: domain.encode(canonical_texts(table[domain.name]))
                    for domain in domains
                }
            )
            for table in (released, others, canaries)
        )
    )


def _audit_release(
    canaries: pl.DataFrame, policy: Policy, model: DifferentialPrivacy, seed: int
) -> Audit:
    """Audit truthful records, on a table of classes near the size that decides."""
    attributes = {
        name: attribute
        for name, attribute in policy.attributes.items()
        if isinstance(attribute, QuasiIdentifier)
    }
    distinct = canaries.select(*attributes).unique(maintain_order=True)
    copies = round(model.sampling.k / float(model.sampling.beta)) - 1
    others = distinct.select(pl.all().repeat_by(copies).explode())
    plain = replace(model, entity=None)
    asked = Policy(attributes=attributes, models=[plain], algorithm=policy.algorithm)
    levels: dict[str, int] = {}

    def mechanism(records: pl.DataFrame) -> pl.DataFrame:
        release = anonymize(records, asked)
        levels.update(release.to_dict()["algorithm"]["levels"])
        return pl.DataFrame(release.frame)

    def scores(
        released: pl.DataFrame, known_records: pl.DataFrame, marked: pl.DataFrame
    ) -> NDArray[np.float64]:
        recoded = (_at_levels(frame, attributes, levels) for frame in (known_records, marked))
        return canary_scores(*map(_classes, (released.select(*attributes), *recoded)))

    return audit_mechanism(
        mechanism,
        others,
        distinct,
        name=model.type,
        epsilon=float(model.epsilon),
        delta=float(model.delta),
        seed=seed,
        scores=scores,
    )


def _at_levels(
    records: pl.DataFrame, attributes: Mapping[str, QuasiIdentifier], levels: Mapping[str, int]
) -> pl.DataFrame:
    """Return the labels that records have at the levels of a release."""
    cells = declared_cells(records, attributes)
    columns = []
    for name, attribute in attributes.items():
        public = public_hierarchy(name, attribute)
        labels = pl.Series(name, public.tree.labels[levels[name]], dtype=pl.String)
        columns.append(labels.gather(public.tree.codes[levels[name]][public.place(cells[name])]))
    return pl.DataFrame(columns)


def _classes(table: pl.DataFrame) -> pl.DataFrame:
    """Return one column of the classes of records."""
    expression = pl.struct(pl.all().cast(pl.String)).struct.json_encode()
    return table.select(expression.alias("class"))
