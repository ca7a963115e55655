"""The utility of a release, by all measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from kanonym.data.columns.rebuild import TableSource
from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.results import Result, ResultTable
from kanonym.evaluation.columns import check_seed, name_list
from kanonym.evaluation.pair.aligned_tables import align_tables
from kanonym.evaluation.pair.reading import read_pair
from kanonym.evaluation.releases import with_centroids
from kanonym.evaluation.utility import (
    Measure,
    associations,
    cells,
    generalization,
    intervals,
    items,
    k_marginal,
    queries,
    records,
)
from kanonym.evaluation.utility.items import ITEM_MEASURES
from kanonym.evaluation.utility.models import propensity
from kanonym.evaluation.utility.models.learning import accuracy_measure, learning_measure
from kanonym.metrics.measured_value import MeasuredValue, format_figure, measured_tables
from kanonym.policy import PolicySource
from kanonym.policy.faults import unknown_name
from kanonym.release import Release

ALL: tuple[Measure, ...] = (
    *generalization.MEASURES,
    *records.MEASURES,
    *cells.MEASURES,
    *associations.MEASURES,
    *k_marginal.MEASURES,
    *intervals.MEASURES,
    *queries.MEASURES,
    *propensity.MEASURES,
)
"""Every measure but those of a column that is named: `OF_A_COLUMN`."""

MEASURES: dict[str, Measure] = {measure.meaning.name: measure for measure in ALL}

EVERY = MEASURES | {measure.meaning.name: measure for measure in items.ITEM_MEASURES}
"""Those of sets of items, too, which are taken where there are sets."""

OF_A_TARGET = {"learning": learning_measure, "accuracy": accuracy_measure}
"""Measures of how well a model predicts a column, by what stands before the column's name."""

OF_A_COLUMN = OF_A_TARGET | {"k-marginal": k_marginal.k_marginal_measure}
"""Measures of a column that their name tells: those of a target, and three-way tables."""


def target_of(name: str) -> str | None:
    """Return the column that a name such as `accuracy-salary` has; None of other measures."""
    kind, _, target = name.partition("-")
    return target if kind in OF_A_TARGET and target else None


def measure_of(name: str) -> Measure | None:
    """Return the measure of a name, with `-` or, as in JSON, `_`; None where there is none."""
    plain = name.replace("_", "-")
    if plain in EVERY:
        return EVERY[plain]
    for kind, measure in OF_A_COLUMN.items():
        column = name.removeprefix(f"{kind}-")
        if column not in ("", name):
            return measure(column)
    return None


BY_COLUMN = ("span_loss", "gcp", "rmse", "total_variation", "wasserstein", "interval_overlap")
"""Measures that are shown column by column; the JSON form has the parts of all."""


@dataclass(frozen=True, slots=True, repr=False)
class Utility(Result):
    """Utility of a release.

    Attributes
    ----------
    measured
        Every measure by name.
    aligned
        Whether each released record could be compared with its original.
    left_out
        By column that both tables have, why nothing of it is in a measure.
    suppressed
        Share of the records of the original that are suppressed, in [0, 1]. Those of a `Release`
        are in no measure but as lost in full.
    all_records
        Whether suppressed records are compared, too, as of two tables: for the custodian.
    """

    _shown: ClassVar[tuple[str, ...]] = ("measured", "aligned")

    measured: dict[str, MeasuredValue]
    aligned: bool
    left_out: dict[str, str] = field(default_factory=dict)
    suppressed: float = 0.0
    all_records: bool = False

    def entries(self) -> dict[str, MeasuredValue]:
        """Return every measure, by its name in the JSON contract."""
        return {name.replace("-", "_"): one for name, one in self.measured.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9: one entry a measure."""
        return {name: one.to_dict() for name, one in self.entries().items()}

    def tables(self) -> list[ResultTable]:
        """Return a row for each number, what was left out, and a row for each column."""
        out = tuple(f"left out: {name} {why}" for name, why in self.left_out.items())
        if self.suppressed:
            how = "compared, too: for the custodian" if self.all_records else "not compared"
            out = (f"suppressed: {100 * self.suppressed:.3g} % of the records, {how}", *out)
        entries = self.entries()
        parts = {name: entries[name].parts for name in BY_COLUMN if name in entries}
        parts = {name: of_columns for name, of_columns in parts.items() if of_columns}
        names = dict.fromkeys(name for of_columns in parts.values() for name in of_columns)
        rows = [(name, *(format_figure(one.get(name)) for one in parts.values())) for name in names]
        header = ("column", *(entries[name].meaning.label for name in parts))
        by_column = ResultTable(header, rows, frozenset(range(1, len(header))))
        return [*measured_tables("utility", entries, notes=out), *([by_column] if rows else [])]


def utility(
    original: TableSource,
    released: TableSource,
    policy: PolicySource | None = None,
    *,
    quasi_identifiers: Sequence[str] = (),
    hierarchies: Mapping[str, HierarchySource] | None = None,
    aligned: bool | None = None,
    target: str | None = None,
    measures: Sequence[str] | None = None,
    seed: int = 0,
) -> Utility:
    """Measure the loss and utility of a release, for any two tables.

    Parameters
    ----------
    original, released
        Tables, each of any kind, or paths of files. The release has the quasi-identifiers, as
        values, intervals, sets, labels of a hierarchy, `*` or null, whoever made it; other columns
        are compared where both have them and can be measured: no lists, no numbers that are
        infinite or beyond ±1e150. Or `released` is a `Release`, which brings its policy, its
        hierarchies and which record each released one is: released records are then compared
        with their originals, and the values of suppressed ones change nothing.
    policy
        Whose quasi-identifiers and hierarchies are meant; or leave it out and name them.
        Of what it releases as a mean, median or mode nobody knows what it stands for
        without alignment: measures of what is left open then have no value.
    quasi_identifiers, hierarchies
        Names of columns, and the hierarchies whose labels the release has.
    aligned
        Whether row i of both tables is one record: some measures compare records. None: so it
        is where the policy keeps the order and no record is missing; else it is found out,
        from columns that are released unchanged. Not read of a `Release`.
    target
        A column that models learn to predict, on the release and on the original; takes
        tens of seconds.
    measures
        Names of `evaluation.utility.table_utility`; None for all of them. `learning-` or
        `accuracy-` and a column: how well models predict it.
    seed
        Of the queries and samples that are drawn.

    Raises
    ------
    SchemaError
        A quasi-identifier is missing or named twice, or a released value cannot be read.
    DataError
        The original has no record, or not those that a `Release` was made of; or a
        quasi-identifier has a number that is infinite or beyond ±1e150.
    PolicyError
        There is no such measure, or the policy is none.

    Examples
    --------
    >>> import polars as pl
    >>> before = pl.DataFrame({"income": [1000, 1200, 3000, 3400]})
    >>> after = pl.DataFrame({"income": [1100, 1100, 3200, 3200]})
    >>> found = utility(before, after, quasi_identifiers=["income"], aligned=True)
    >>> round(found.measured["rmse"].value, 3)
    158.114
    """
    check_seed(seed)
    tables = align_tables(
        original,
        released,
        policy,
        quasi_identifiers=quasi_identifiers,
        hierarchies=hierarchies,
        aligned=aligned,
    )
    chosen = _select_measures(measures)
    if measures is None and tables.sets is not None:
        chosen = {**chosen, **{one.meaning.name: one for one in ITEM_MEASURES}}
    if target is not None:
        if target not in tables.before:
            raise SchemaError(
                f"target {target!r} is not a column of both tables that can be compared"
            )
        chosen = {**chosen, "learning": learning_measure(target)}
    pair = read_pair(
        tables.before,
        tables.after,
        tables.known,
        tables.known_hierarchies,
        aligned=tables.aligned,
        rows=tables.rows,
    )
    pair = tables.with_sets(with_centroids(pair, tables.recodings))
    if isinstance(released, Release) and tables.kept is not None:
        pair = replace(pair, suppressed=released.suppressed)
    # Each has a generator of its own: what one draws does not depend on which others are asked.
    found = {
        name: measure.take(pair, np.random.default_rng([seed, *name.encode()]))
        for name, measure in chosen.items()
    }
    every = pair.n_original + pair.suppressed
    return Utility(
        found,
        pair.rows is not None,
        tables.left_out,
        max(every - pair.n_released, 0) / every if every else 0.0,
        all_records=pair.n_original > pair.n_released,
    )


def _select_measures(measures: Sequence[str] | None) -> dict[str, Measure]:
    """Return the measures that are asked for."""
    if measures is None:
        return MEASURES
    chosen = {}
    for name in name_list(measures, "measures"):
        measure = measure_of(name)
        if measure is None:
            raise PolicyError(unknown_name("measure", name, MEASURES))
        chosen[measure.meaning.name if measure.meaning.name in EVERY else name] = measure
    return chosen
