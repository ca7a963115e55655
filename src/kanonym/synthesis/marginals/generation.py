"""From a table to a synthetic one, through public domains and a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.differential_privacy.ledger import Budget
from kanonym.differential_privacy.noise import Bits
from kanonym.kernels.arrays import Bools, Int32s
from kanonym.synthesis.columns import Constraint
from kanonym.synthesis.marginals import measuring
from kanonym.synthesis.marginals.domains import NOWHERE, CellDomain, impossible_cells
from kanonym.synthesis.marginals.fitting import estimate_total
from kanonym.synthesis.marginals.graphical_model import Attributes, GraphicalModel
from kanonym.synthesis.result import keeps_constraints

Fit = Callable[[measuring.PrivateRecords, Mapping[Attributes, Bools]], GraphicalModel]

FITS: dict[str, Fit] = {"aim": measuring.fit_aim, "mst": measuring.fit_mst}
"""Differentially private methods by their names; the first is the default."""
REDRAWS = 50
"""How often values within the cells of a record are drawn again where they break a constraint."""


@dataclass(frozen=True, slots=True)
class Generated:
    """Synthetic records, and what was measured for them."""

    table: pl.DataFrame
    measured: tuple[tuple[str, ...], ...]


def generate(
    columns: Sequence[pl.Series],
    domains: Sequence[CellDomain],
    method: str,
    budget: Budget,
    bits: Bits,
    *,
    per_person: int,
    rows: int | None,
    rules: Sequence[Constraint],
) -> Generated:
    """Measure a table, and draw another one from what was measured.

    A record with a value that its domain does not have is left out: one record more or less changes
    what is measured by that record alone, so the cost is the same.
    """
    impossible = impossible_cells(domains, rules)
    sizes = tuple(domain.size for domain in domains)
    codes = _encode(columns, domains)
    records = measuring.PrivateRecords(
        codes, sizes, per_person, budget, bits, pooling_of(domains, impossible)
    )
    model = FITS[method](records, impossible)
    n = round(estimate_total(records.measured)) if rows is None else rows
    random = np.random.default_rng(bits.words(4))
    cells = records.unpool(measuring.draw_records(model, records.sizes, n, random), random)
    table = _values_of(domains, cells, rules, random)
    names = [domain.name for domain in domains]
    measured = tuple(tuple(names[one] for one in each) for each in records.measured)
    return Generated(table, measured)


def _encode(columns: Sequence[pl.Series], domains: Sequence[CellDomain]) -> NDArray[Any]:
    """Return (attributes, n), the cells of the records that have one in each attribute."""
    mask = np.ones(len(columns[0]), np.bool_)
    least = np.min_scalar_type(max(one.size for one in domains))
    codes = np.zeros((len(domains), len(mask)), least)
    for row, column, domain in zip(codes, columns, domains, strict=True):
        cells = domain.encode(column)
        mask &= cells != NOWHERE
        row[:] = cells.astype(least)
    return codes if mask.all() else codes[:, mask]


def pooling_of(
    domains: Sequence[CellDomain], impossible: Mapping[Attributes, object]
) -> dict[int, measuring.Pooling]:
    """Return how rare cells of attributes are counted together, where no constraint is of them."""
    fixed = {one for each in impossible for one in each}
    return {place: domain.pool for place, domain in enumerate(domains) if place not in fixed}


def _values_of(
    domains: Sequence[CellDomain],
    cells: Int32s,
    rules: Sequence[Constraint],
    random: np.random.Generator,
) -> pl.DataFrame:
    """Return values drawn within cells; again, for records that break a constraint."""
    kept: list[pl.DataFrame] = []
    for _ in range(REDRAWS if rules else 1):
        table = pl.DataFrame(
            [one.decode(part, random) for one, part in zip(domains, cells, strict=True)]
        )
        fine = keeps_constraints(table, rules)
        kept.append(table.filter(pl.Series(fine)))
        cells = cells[:, ~fine]
        if not cells.shape[1]:
            break
    together = pl.concat(kept)
    if len(kept) > 1:
        together = together.select(pl.all().gather(random.permutation(len(together))))
    if cells.shape[1] and not len(together):
        raise DataError("no drawn record keeps the constraints; narrow the bins of their columns")
    # What no draw could mend is replaced by records that keep the constraints.
    if not cells.shape[1]:
        return together
    more = random.integers(0, len(together), (cells.shape[1],))
    return pl.concat([together, together.select(pl.all().gather(more))])
