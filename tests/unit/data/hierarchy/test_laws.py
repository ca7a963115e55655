"""Laws of every hierarchy, however it is made."""

from __future__ import annotations

from datetime import date, datetime
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kanonym.data import hierarchy

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=6)
WHOLE = st.integers(-(10**6), 10**6)
REALS = st.floats(-1e6, 1e6)
DATES = st.dates(date(1600, 1, 1), date(2400, 1, 1))
TIMES = st.datetimes(datetime(1600, 1, 1), datetime(2400, 1, 1))
SOURCES = {
    "width": (hierarchy.intervals(width=[5, 10, 50]), [WHOLE, REALS]),
    "decimal width": (hierarchy.intervals(width=[0.1, 0.7], origin=0.25), [WHOLE, REALS]),
    "coded width": (hierarchy.intervals(width=[3, 6], bottom=-7.5, top=20), [WHOLE, REALS]),
    "bounds": (hierarchy.intervals(bounds=[[-5, 0, 9], [0]], top=7), [WHOLE, REALS]),
    "quantiles": (hierarchy.intervals(quantiles=[8, 4, 2]), [WHOLE, REALS]),
    "coded": (hierarchy.intervals(bottom=-3, top=3), [WHOLE, REALS]),
    "groups": (hierarchy.groups([2, 3]), [WHOLE, REALS, TEXTS, DATES, TIMES]),
    "masking from right": (hierarchy.masking(), [WHOLE, TEXTS]),
    "masking from left": (hierarchy.masking("left"), [WHOLE, TEXTS]),
    "prefix": (hierarchy.prefix(2), [WHOLE, TEXTS]),
    "months": (hierarchy.dates(), [DATES, TIMES]),
    "weeks": (hierarchy.dates(["day", "week"]), [DATES, TIMES]),
    "frequency": (hierarchy.frequency([0.1, 0.3]), [WHOLE, REALS, TEXTS, DATES, TIMES]),
    "flat": (hierarchy.flat(), [WHOLE, REALS, TEXTS, DATES, TIMES]),
    "automatic": (
        hierarchy.automatic(),
        [WHOLE, st.floats(allow_infinity=False), TEXTS, DATES, TIMES],
    ),
}


@st.composite
def columns(draw, elements):
    """Draw the distinct values of a column, perhaps with null, and numbers of records."""
    values = draw(st.lists(st.none() | draw(st.sampled_from(elements)), unique=True, max_size=30))
    counts = draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))
    column = pl.Series("x", values)
    if column.dtype.is_float():
        column = column.fill_nan(None).unique()
        counts = counts[: len(column)]
    return column, np.array(counts, dtype=np.int64)


@st.composite
def bound_hierarchies(draw):
    """Draw a source, a column that it fits, and the hierarchy over it."""
    source, elements = SOURCES[draw(st.sampled_from(sorted(SOURCES)))]
    column, counts = draw(columns(elements))
    return source, column, source.bind(column, counts)


@given(bound_hierarchies())
def test_levels_are_nested_intervals_of_leaves(drawn):
    """Codes count up along the leaves, and a label lies within one label of the next level."""
    _, _, found = drawn
    assert found.codes.dtype == np.int32
    assert found.codes.flags.c_contiguous
    assert found.codes.shape == (found.n_levels, found.size)
    for lower, upper in pairwise(found.codes):
        assert set(np.diff(upper)) <= {0, 1}
        assert len(set(zip(lower.tolist(), upper.tolist(), strict=True))) == len(set(lower))


@given(bound_hierarchies())
def test_equal_labels_of_a_level_have_equal_labels_above(drawn):
    """Texts alone tell the parent: no two labels of one level read the same."""
    _, _, found = drawn
    for level in range(found.n_levels):
        assert len(set(found.generalize(level))) == len(found.labels[level]) or not found.size


@given(bound_hierarchies())
def test_there_is_one_root_and_every_value_below_it(drawn):
    """The last level is `*`, and the leaves are the values of the column, each once."""
    _, column, found = drawn
    assert found.labels[-1] == ("*",)
    assert found.values.dtype == column.dtype
    assert sorted(found.leaf_of(column).tolist()) == list(range(found.size))
    assert found.leaf_counts(found.n_levels - 1).tolist() == [len(column)]


@given(bound_hierarchies())
def test_null_is_a_branch_of_its_own(drawn):
    """Null is the last leaf, and alone at every level below the root."""
    _, column, found = drawn
    assert found.has_null == (column.null_count() > 0)
    if found.has_null:
        below = found.codes[:-1, -1]
        assert (below == [len(names) - 1 for names in found.labels[:-1]]).all()
        assert all(found.label(level, -1) is None for level in range(found.n_levels - 1))
        assert all(found.leaf_counts(level)[-1] == 1 for level in range(found.n_levels - 1))


@given(bound_hierarchies())
def test_no_builder_makes_a_useless_level(drawn):
    """Every level between leaves and root has fewer labels than the one below it, or says more."""
    _, _, found = drawn
    sizes = [len(names) for names in found.labels[:-1]]
    assert all(more > fewer for more, fewer in pairwise(sizes))
    for names in found.labels[1:-1]:
        assert not {*names} <= {"*", "other", None}


@given(bound_hierarchies(), st.randoms())
def test_the_order_of_the_column_does_not_matter(drawn, random):
    """Rows in any order give the same hierarchy."""
    source, column, _ = drawn
    order = list(range(len(column)))
    random.shuffle(order)
    counts = np.arange(1, len(column) + 1)
    shuffled = source.bind(column.gather(order), counts[order])
    assert shuffled.to_rows() == source.bind(column, counts).to_rows()


@given(bound_hierarchies())
def test_a_written_hierarchy_reads_back(drawn):
    """File and mapping bind to the column again, with the same tree and the same leaves."""
    _, column, found = drawn
    assume(found.size and "" not in found.labels[0])
    with TemporaryDirectory() as folder:
        path = Path(folder, "x.csv")
        found.write(path)
        read = hierarchy.from_file(path, separator=";").bind(column)
    for again in (read, found.bind(column)):
        assert dict(zip(again.values, again.rows(), strict=True)) == dict(
            zip(found.values, found.rows(), strict=True)
        )


@given(bound_hierarchies())
def test_a_column_may_be_counted_by_the_builder(drawn):
    """Without counts, the values are the column itself, and repeated values count."""
    source, column, _ = drawn
    counts = np.arange(1, len(column) + 1)
    repeated = column.gather(np.repeat(np.arange(len(column)), counts))
    assert source.bind(repeated).to_rows() == source.bind(column, counts).to_rows()


@given(columns([WHOLE, REALS]), st.sampled_from(["width", "decimal width", "coded width"]))
def test_a_number_lies_in_the_interval_that_its_label_names(drawn, name):
    """The edges that a label shows hold the value, read as decimals."""
    column, counts = drawn
    found = SOURCES[name][0].bind(column, counts)
    for level in range(1, found.n_levels - 1):
        for value, label in zip(found.values, found.generalize(level), strict=True):
            if label is None:
                continue
            if label.startswith("["):
                low, high = map(float, label[1:-1].split(", "))
                assert low <= value < high
            elif label.startswith("<"):
                assert value < float(label[1:])
            else:
                assert value >= float(label[2:])


@given(columns([TEXTS]), st.sampled_from(["right", "left"]))
def test_a_mask_shows_only_what_is_there(drawn, side):
    """Each character of a label is hidden, or the value's own at that place."""
    column, counts = drawn
    found = hierarchy.masking(side).bind(column, counts)
    for level in range(1, found.n_levels - 1):
        for value, label in zip(found.values, found.generalize(level), strict=True):
            if label is None:
                continue
            shown = value.ljust(len(label)) if side == "right" else value.rjust(len(label))
            assert all(a in {"*", b} for a, b in zip(label, shown, strict=True))


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_can_be_compared_and_described(name):
    """Equal parameters make equal sources; the form of each gives it again."""
    source, _ = SOURCES[name]
    assert hierarchy.from_dict(source.to_dict()) == source
