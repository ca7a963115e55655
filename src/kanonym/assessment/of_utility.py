"""What a release is still good for, beside its original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from kanonym.assessment.columns import columns_asked
from kanonym.data import frames
from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.schema import Identifier
from kanonym.metrics.measured import Measured
from kanonym.metrics.utility.learning import learning_measure
from kanonym.metrics.utility.measure import Measure
from kanonym.metrics.utility.measures import MEASURES
from kanonym.pipeline import acting_on
from kanonym.policy import Policy
from kanonym.policy.faults import unknown
from kanonym.transforms.reading import read_pair


@dataclass(frozen=True, slots=True)
class TableUtility:
    """What a release is still good for.

    Attributes
    ----------
    measured
        Every measure by name.
    aligned
        Whether each released record could be compared with its original.

    """

    measured: dict[str, Measured]
    aligned: bool

    def entries(self) -> dict[str, Measured]:
        """Return every measure, by its name in the JSON contract."""
        return {name.replace("-", "_"): one for name, one in self.measured.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9: one entry a measure."""
        return {name: one.to_dict() for name, one in self.entries().items()}


def utility(
    original: Any,
    released: Any,
    policy: Policy | None = None,
    *,
    quasi_identifiers: Sequence[str] = (),
    hierarchies: Mapping[str, HierarchySource] | None = None,
    aligned: bool | None = None,
    target: str | None = None,
    measures: Sequence[str] | None = None,
    seed: int = 0,
) -> TableUtility:
    """Measure what a release lost, and what it is still good for: of any two tables.

    Parameters
    ----------
    original, released
        Tables, each of any kind. The release has the quasi-identifiers, as values,
        intervals, sets, labels of a hierarchy, `*` or null, whoever made it; other columns
        are compared where both have them.
    policy
        Whose quasi-identifiers and hierarchies are meant; or leave it out and name them.
    quasi_identifiers, hierarchies
        Names of columns, and the hierarchies whose labels the release has.
    aligned
        Whether row i of both tables is one record: some measures compare records. None:
        found out, from columns that are released unchanged. Releases are shuffled unless
        their policy keeps the order.
    target
        A column that models learn to predict, on the release and on the original; takes
        tens of seconds.
    measures
        Names of `metrics.utility.measures`; None for all of them.
    seed
        Of the queries and samples that are drawn.

    Raises
    ------
    SchemaError
        A quasi-identifier is missing, or a released value cannot be read.
    PolicyError
        There is no such measure.

    Examples
    --------
    >>> import polars as pl
    >>> before = pl.DataFrame({"income": [1000, 1200, 3000, 3400]})
    >>> after = pl.DataFrame({"income": [1100, 1100, 3200, 3200]})
    >>> found = utility(before, after, quasi_identifiers=["income"], aligned=True)
    >>> round(found.measured["rmse"].value, 3)
    158.114

    """
    tables = frames.eager(original), frames.eager(released)
    names = frames.column_names(tables[0])
    held = frames.column_names(tables[1])
    asked = columns_asked(policy, quasi_identifiers, (), hierarchies or {}, held)
    known = [name for name in names if name in asked.attributes]
    absent = [name for name in asked.attributes if name not in names]
    if absent:
        raise SchemaError(f"the original has no column {absent[0]!r}. It has: {', '.join(names)}")
    chosen = _chosen(measures)
    if target is not None:
        if target not in names or target not in held:
            raise SchemaError(f"target {target!r} is no column of both tables")
        chosen = {**chosen, "learning": learning_measure(target)}
    trees = {
        name: tree
        for name, tree in asked.trees.items()
        if name in known and (policy is None or _labelled(policy, name))
    }
    values = partial(frames.column, tables[0])
    pair = read_pair(
        {
            name: _recoded(policy, tables[0], names, name) if name in trees else values(name)
            for name in names
            if _compared(policy, name)
        },
        {name: frames.column(tables[1], name) for name in held},
        known,
        trees,
        aligned=aligned,
    )
    # Each has a generator of its own: what one draws does not depend on which others are asked.
    found = {
        name: measure.take(pair, np.random.default_rng([seed, *name.encode()]))
        for name, measure in chosen.items()
    }
    return TableUtility(found, pair.rows is not None)


def _chosen(measures: Sequence[str] | None) -> dict[str, Measure]:
    """Return the measures that are asked for."""
    if measures is None:
        return MEASURES
    for name in measures:
        if name not in MEASURES:
            raise PolicyError(unknown("measure", name, MEASURES))
    return {name: MEASURES[name] for name in measures}


def _compared(policy: Policy | None, name: str) -> bool:
    """Whether a column of the original is compared; identifiers, which a policy drops, are not."""
    return policy is None or not isinstance(policy.attributes.get(name), Identifier)


def _labelled(policy: Policy, name: str) -> bool:
    """Whether a quasi-identifier that has a hierarchy is released as labels of it."""
    own = getattr(policy.attributes.get(name), "recoding", None)
    return policy.algorithm.recodes == "levels" or (own or policy.recoding) in (None, "hierarchy")


def _recoded(policy: Policy | None, table: Any, names: Sequence[str], name: str) -> pl.Series:
    """Return a column as actions leave it: its hierarchy knows these values."""
    if policy is None:
        return frames.column(table, name)
    return acting_on(table, policy.schema_for(names), policy.seed).before(name)
