"""Loss recomputed from released values: the score of the node, and what labels cover."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.data import hierarchy
from kanonym.data.errors import HierarchyError
from kanonym.metrics.information_loss import Loss, LossArithmetic
from kanonym.metrics.information_loss.loss import ReleasedValues, leaves_below, released_loss
from lattice_nodes import lattices

CITIES = hierarchy.from_mapping(
    {"world": {"France": ["Paris", "Lyon"], "Monaco": ["Monaco"], "Italy": ["Rome"]}}
)
NAMES = ["Paris", "Lyon", "Monaco", "Rome"]


def tree(*more):
    """Return the hierarchy of cities over these four, and null where it is named."""
    return CITIES.bind(pl.Series("city", [*NAMES, *more], dtype=pl.String))


def column(*values):
    """Return released texts."""
    return pl.Series("city", values, dtype=pl.String)


@settings(max_examples=examples(100))
@given(lattice=lattices(), typed=st.booleans())
def test_the_loss_of_released_values_is_the_score_of_their_node(lattice, typed):
    """To the last bit, for any node and any suppressed classes, level 0 as texts or typed."""
    lost = lattice.subset(lattice.high)
    node = lattice.node(lattice.high, lost)
    released = []
    for j, domain in enumerate(lattice.table.domains):
        level = lattice.high[j]
        texts = domain.hierarchy.labels[level]
        kept = Counter(texts[node.labels(record)[j]] for record in node.kept)
        values = pl.Series(domain.name, list(kept), dtype=pl.String)
        if typed and level == 0:
            values = values.str.strip_prefix("0:").cast(pl.Int64)
        counts = np.array(list(kept.values()), np.int64)
        released.append(ReleasedValues(domain.name, domain.hierarchy, values, counts))
    classes = lattice.classes(lattice.high, lost)
    assert released_loss(released, lattice.table.n_rows) == (
        Loss().bind(lattice.table, {}).score(classes),
        LossArithmetic().bind(lattice.table, {}).score(classes),
    )


def test_labels_of_several_levels_lose_what_each_covers():
    """Local recoding: two French, one Roman, the world; a record that is not there loses all."""
    values = ReleasedValues("city", tree(), column("France", "Rome", "world"), np.array([2, 1, 1]))
    # Shares 2/4, 2/4, 1/4, 1 and, for the suppressed record, 1: mean 0.65, from 1/4 to 1.
    expected = pytest.approx((0.65 - 0.25) / 0.75, abs=1e-10)
    assert released_loss([values], 5) == (expected, expected)


def test_a_text_of_two_levels_is_taken_from_the_level_that_has_all_texts():
    """`Spain` is one city among cities, and the two cities of the country among countries."""
    spain = hierarchy.from_mapping({"*": {"Spain": ["Spain", "Madrid"], "Italy": ["Rome"]}})
    known = spain.bind(column("Spain", "Madrid", "Rome"))
    assert leaves_below(known, column("Spain", "Rome")).tolist() == [1, 1]
    assert leaves_below(known, column("Spain", "Italy")).tolist() == [2, 1]


def test_a_text_of_two_levels_counts_widest_where_no_level_decides():
    """Alone, or among texts of several levels."""
    spain = hierarchy.from_mapping({"*": {"Spain": ["Spain", "Madrid"], "Italy": ["Rome"]}})
    known = spain.bind(column("Spain", "Madrid", "Rome"))
    assert leaves_below(known, column("Spain")).tolist() == [2]
    assert leaves_below(known, column("Spain", "Rome", "*")).tolist() == [2, 1, 3]


def test_null_is_a_leaf_where_the_hierarchy_has_it_and_a_suppressed_cell_elsewhere():
    """One of five leaves, or all four."""
    assert leaves_below(tree(None), column("France", None)).tolist() == [2, 1]
    assert leaves_below(tree(), column("France", None)).tolist() == [2, 4]


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Int16, pl.Float64, pl.String])
def test_values_of_any_type_are_leaves(dtype):
    """Numbers that were released as they are lose nothing, whatever their type."""
    known = hierarchy.intervals(width=[10]).bind(pl.Series("age", [31, 35, 47], dtype=pl.Int64))
    values = pl.Series("age", [47, 31]).cast(dtype)
    assert leaves_below(known, values).tolist() == [1, 1]


@pytest.mark.parametrize("values", [column("France", "Spain"), pl.Series("city", [1])])
def test_a_value_that_is_no_label_is_refused(values):
    """The message names the column and the value."""
    with pytest.raises(
        HierarchyError, match=r"'city': the released value '(Spain|1)' is not a label"
    ):
        leaves_below(tree(), values)


def test_no_record_has_lost_nothing():
    """An empty table loses 0."""
    values = ReleasedValues("city", tree(), column(), np.zeros(0, np.int64))
    assert released_loss([values], 0) == (0.0, 0.0)
