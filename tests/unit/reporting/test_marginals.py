"""Laws of distributions before and after."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data import hierarchy
from kanonym.data.partition import Partition
from kanonym.reporting import render
from kanonym.reporting.charts.bars import marginal_chart
from kanonym.reporting.distributions.marginals import Marginal, marginal_of

RECORDS = st.lists(
    st.tuples(st.integers(-1, 3), st.sampled_from([*range(8)])), min_size=1, max_size=40
)
TREE = hierarchy.from_mapping({"*": {"low": [0, 1, 2, 3], "high": [4, 5, 6, 7]}})


def dense(records):
    """Return values and labels of records, labels counting up from 0 without a gap."""
    labels = np.array([label for label, _ in records])
    kept = labels >= 0
    labels[kept] = np.unique(labels[kept], return_inverse=True)[1]
    return [value for _, value in records], labels.tolist()


def after_of(divided, records, recoding, tree=None):
    """Return the bars before and after, with no bar hidden."""
    values, labels = dense(records)
    trees = None if tree is None else {"x": tree}
    table, partition, recoded = divided({"x": values}, labels, {"x": recoding}, trees)
    sizes = np.bincount(
        [label for label in labels if label >= 0], minlength=partition.n_classes
    ).astype(np.int64)
    shown = marginal_of(table, partition, 0, recoded[0], sizes, 1)
    return shown, table.domains[0].values.to_list()


def spread(records, covered):
    """Spread each class over what it covers, slowly: `{value: records}`."""
    values, labels = dense(records)
    mass = {}
    for label in sorted({one for one in labels if one >= 0}):
        held = [value for value, own in zip(values, labels, strict=True) if own == label]
        over = covered(held)
        for value in over:
            mass[value] = mass.get(value, 0) + len(held) / len(over)
    return mass


COVERED = {
    "interval": lambda held, known: [v for v in known if min(held) <= v <= max(held)],
    "set": lambda held, _: sorted(set(held)),
    "hierarchy": lambda held, known: (
        sorted(set(held))
        if len(set(held)) == 1
        else [v for v in known if len({h // 4 for h in held}) > 1 or v // 4 == held[0] // 4]
    ),
}


@pytest.mark.parametrize("recoding", COVERED)
@given(records=RECORDS)
def test_after_spreads_each_class_over_its_released_value(divided, recoding, records):
    """Bars after are the classes' records, spread evenly over the values that are released."""
    shown, known = after_of(divided, records, recoding, TREE if recoding == "hierarchy" else None)
    expected = spread(records, lambda held: COVERED[recoding](held, known))
    for label, after in zip(shown.labels, shown.after, strict=True):
        if label.isdigit():
            assert after == pytest.approx(expected.get(int(label), 0), abs=0.501)
    assert sum(shown.after) == pytest.approx(sum(expected.values()), abs=0.5 * len(shown.labels))


@given(records=RECORDS)
def test_before_and_after_count_the_released_records(divided, records):
    """Both add up to the release, but for rounding: suppressed records are in neither."""
    shown, _ = after_of(divided, records, "interval")
    released = sum(label >= 0 for label, _ in records)
    assert sum(shown.before) == released
    assert sum(shown.after) == pytest.approx(released, abs=0.5 * len(shown.labels))


@pytest.mark.parametrize(
    ("recoding", "after"), [("mean", {"2–4": 4}), ("median", {"1": 4}), ("mode", {"1": 4})]
)
def test_points_stand_at_the_released_value(divided, recoding, after):
    """A mean, median or mode puts all records of its class on the value next to it."""
    shown, _ = after_of(divided, [(0, 1), (0, 1), (0, 2), (0, 5), (-1, 8)], recoding)
    by_label = {label: n for label, n in zip(shown.labels, shown.after, strict=True) if n}
    assert by_label == after


@pytest.mark.parametrize(
    ("values", "recoding", "after"),
    [
        (["a", "a", "b", None], "mode", {"a": 4}),
        ([True, False, False, True], "mode", {"false": 4}),
        (pl.Series(["a", "b", "b", "c"], dtype=pl.Enum(["c", "b", "a"])), "median", {"b": 4}),
        (
            [dt.date(2020, 1, 1), dt.date(2020, 1, 1), dt.date(2020, 1, 1), dt.date(2021, 1, 1)],
            "median",
            {"befor": 4},
        ),
    ],
)
def test_points_of_other_values_stand_at_the_value(divided, values, recoding, after):
    """So does the median or the mode of dates, categories, words and Booleans."""
    table, partition, recoded = divided({"x": values}, [0] * 4, {"x": recoding})
    shown = marginal_of(table, partition, 0, recoded[0], np.array([4]), 1)
    held = {label: n for label, n in zip(shown.labels, shown.after, strict=True) if n}
    assert [(label[:5], n) for label, n in held.items()] == list(after.items())


def test_null_with_other_values_covers_the_whole_domain(divided):
    """A class of null and another value is released as the root, and spread over all."""
    shown, _ = after_of(divided, [(0, 1), (0, None), (1, 5), (1, 5)], "interval")
    bars = zip(shown.labels, shown.after, strict=True)
    assert {label: after for label, after in bars if after} == {
        "under 5": 1,
        "5": 3,
        "(missing)": 1,
    }


@pytest.mark.parametrize("recoding", ["interval", "set"])
def test_labels_of_tuples_and_of_records_give_the_same_bars(divided, recoding):
    """A partition by tuple and the same one by record are the same distribution."""
    values, labels = [1, 1, 2, 3, 3, 3, 9], [0, 0, 0, 1, 1, 1, -1]
    table, by_row, recoded = divided({"x": values}, labels, {"x": recoding})
    of_tuple = np.empty(len(table.weights), np.int32)
    of_tuple[table.tuple_of_row] = by_row.labels
    sizes = np.array([3, 3])
    made = [
        marginal_of(table, partition, 0, recoded[0], sizes, 1)
        for partition in (by_row, Partition(of_tuple, 2))
    ]
    assert made[0] == made[1]


LONG_TAIL = Marginal(
    "town", "nominal", ("Bern", "Chur", "other (212 values)"), (20, 10, 470), (15, 15, 470), 2
)


def test_a_long_bar_of_all_other_values_is_told_in_words(summary_of):
    """The bars that have names share the axis; the rest is a sentence, and in the numbers."""
    made = summary_of({"town": ["Bern"] * 4}, [0] * 4)
    made = replace(made, loss=replace(made.loss, marginals=(LONG_TAIL,)))
    page = render(made, "html").replace("\N{NO-BREAK SPACE}", " ")
    told = "Not shown: other (212 values), 94.0 % of the records before and 94.0 % after."
    assert told in page
    assert "other" not in marginal_chart(LONG_TAIL).to_svg()
    assert "other (212 values)" in page.replace(told, "")


def test_a_short_bar_of_all_other_values_is_drawn():
    """Where other bars can be read beside it, the rest is a bar as they are."""
    assert replace(LONG_TAIL, before=(200, 100, 200), after=(200, 100, 200)).clipped_bar is None
