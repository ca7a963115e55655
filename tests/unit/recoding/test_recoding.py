"""Recoding: what each class of a partition releases."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import released_texts as reading
from kanonym import SchemaError
from kanonym.data import hierarchy
from kanonym.data.columns.values import text_of
from kanonym.data.partition import Partition
from kanonym.data.schema import RECODINGS, QuasiIdentifier
from kanonym.data.table import encode
from kanonym.metrics.certainty import certainty_costs
from kanonym.recoding.recode import (
    ALLOWED,
    CENTROIDS,
    choose_recoding,
    join_equal,
    recode,
    relabel_classes,
    released_names,
)


def recoded(values, labels, recoding, source=None, **options):
    """Return one attribute recoded, given the class of each record (-1 suppressed)."""
    series = values if isinstance(values, pl.Series) else pl.Series("x", values)
    table = encode([(series, source)], [], len(series))
    partition = Partition(np.array(labels, np.int32), max(labels, default=-1) + 1, by_row=True)
    costs = certainty_costs(table.domains, [recoding])
    (attribute,) = recode(table, partition, [recoding], costs, [series.dtype], **options)
    return attribute


def released(values, labels, recoding, source=None, **options):
    """Return what each class releases; for two columns, pairs."""
    attribute = recoded(values, labels, recoding, source, **options)
    columns = [column.gather(attribute.label_of_class).to_list() for column in attribute.columns]
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


# --- interval -------------------------------------------------------------------------


def test_an_interval_is_closed_and_a_single_value_reads_as_itself():
    """A class of 20, 23 and 29 releases [20, 29], a class of 40 alone releases 40."""
    assert released([20, 23, 29, 40], [0, 0, 0, 1], "interval") == ["[20, 29]", "40"]


def test_intervals_of_numbers_end_in_numbers_by_value_not_by_text():
    """9 is below 10 and -5 below -4, whatever their texts."""
    assert released([9, 10, -4, -5], [0, 0, 1, 1], "interval") == ["[9, 10]", "[-5, -4]"]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([0.5, 3.0], "[0.5, 3]"),
        ([0.1, 0.30000000000000004], "[0.1, 0.30000000000000004]"),
        ([-0.0, 1.5], "[0, 1.5]"),
        ([1e16, 1e-7], "[1e-7, 1e+16]"),
        (pl.Series([0.1, 2.0], dtype=pl.Float32), "[0.1, 2]"),
        ([2**63 - 1, -(2**63)], "[-9223372036854775808, 9223372036854775807]"),
        (pl.Series([0, 2**64 - 1], dtype=pl.UInt64), "[0, 18446744073709551615]"),
        (pl.Series([2**100, -(2**100)], dtype=pl.Int128), f"[{-(2**100)}, {2**100}]"),
        ([Decimal("1.50"), Decimal("-2.25")], "[-2.25, 1.50]"),
        ([dt.date(2021, 2, 1), dt.date(2020, 1, 31)], "[2020-01-31, 2021-02-01]"),
        ([dt.time(9, 30), dt.time(8)], "[08:00:00, 09:30:00]"),
        ([dt.timedelta(days=1, hours=2), dt.timedelta(0)], "[PT0S, P1DT2H]"),
        (
            [dt.datetime(2020, 1, 31, 8), dt.datetime(2020, 1, 31, 8, 0, 0, 500000)],
            "[2020-01-31T08:00:00, 2020-01-31T08:00:00.500000]",
        ),
        (
            [dt.datetime(2020, 7, 1, tzinfo=dt.UTC), dt.datetime(2020, 1, 1, tzinfo=dt.UTC)],
            "[2020-01-01T00:00:00+00:00, 2020-07-01T00:00:00+00:00]",
        ),
        (pl.Series(["low", "high"], dtype=pl.Enum(["low", "mid", "high"])), "[low, high]"),
    ],
)
def test_interval_texts_are_short_and_in_iso_8601(values, text):
    """Numbers read in their shortest form that reads back the same; dates and times in ISO 8601."""
    assert released(values, [0, 0], "interval") == [text]


def test_one_instant_that_a_clock_shows_twice_stays_two():
    """The hour that a clock repeats when summer time ends differs by the offset."""
    utc = [dt.datetime(2020, 10, 25, 0, 30), dt.datetime(2020, 10, 25, 1, 30)]
    local = pl.Series(utc).dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Berlin")
    assert released(local, [0, 1], "interval") == [
        "2020-10-25T02:30:00+02:00",
        "2020-10-25T02:30:00+01:00",
    ]


def test_an_interval_of_nulls_is_null_and_of_nulls_with_values_is_anything():
    """A class of nulls releases null; one that holds null and values releases `*`."""
    found = released([1, 2, None, None, 5, None], [0, 0, 1, 1, 2, 2], "interval")
    assert found == ["[1, 2]", None, "*"]


def test_a_column_of_nulls_is_released_as_nulls():
    """Every recoding that numbers have leaves a column of nulls as it is."""
    nulls = pl.Series("x", [None, None], dtype=pl.Int64)
    for recoding in ALLOWED["number"]:
        source = hierarchy.flat() if recoding == "hierarchy" else None
        expected = (None, None) if recoding == "range" else None
        assert released(nulls, [0, 0], recoding, source) == [expected]


# --- range ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        pl.Series("x", [3, 1, 2], dtype=pl.Int16),
        pl.Series("x", [0.5, 0.25, 7.0], dtype=pl.Float32),
        pl.Series("x", [dt.date(2020, 1, 3), dt.date(2020, 1, 1), dt.date(2020, 1, 2)]),
        pl.Series("x", ["c", "a", "b"], dtype=pl.Enum(["a", "b", "c"])),
    ],
)
def test_a_range_is_two_columns_of_the_attributes_own_type(values):
    """Column x becomes x_min and x_max, which hold the outer values with their type."""
    attribute = recoded(values, [0, 0, 0], "range")
    assert [column.name for column in attribute.columns] == ["x_min", "x_max"]
    assert [column.dtype for column in attribute.columns] == [values.dtype] * 2
    assert [column.to_list() for column in attribute.columns] == [[values.min()], [values.max()]]


def test_a_range_with_nulls_is_open_on_both_ends():
    """A class of nulls, and one that holds null and values, release null and null."""
    found = released([1, 2, None, None, 5], [0, 0, 1, 2, 2], "range")
    assert found == [(1, 2), (None, None), (None, None)]


# --- set ------------------------------------------------------------------------------


def test_a_set_lists_its_values_in_their_order_and_a_single_value_is_itself():
    """Neither frequency nor order of appearance shows in a set."""
    values = ["b", "b", "b", "c", "a", "c", "d"]
    assert released(values, [0, 0, 0, 0, 0, 1, 1], "set") == ["{a, b, c}", "{c, d}"]
    assert released(["b", "b"], [0, 0], "set") == ["b"]


def test_sets_of_numbers_and_dates_are_in_order_of_value():
    """A set of numbers counts up: 9 comes before 10."""
    assert released([10, 9, 9], [0, 0, 1], "set") == ["{9, 10}", "9"]
    days = [dt.date(2020, 12, 1), dt.date(2020, 2, 1)]
    assert released(days, [0, 0], "set") == ["{2020-02-01, 2020-12-01}"]


def test_sets_read_alike_with_and_without_a_hierarchy():
    """The order of a hierarchy's leaves does not show."""
    tree = hierarchy.from_mapping({"*": {"warm": ["red", "orange"], "cold": ["blue"]}})
    values = ["red", "blue", "orange"]
    assert released(values, [0, 0, 0], "set", tree) == released(values, [0, 0, 0], "set")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a, b", '"a, b"'),
        ("{x}", '"{x}"'),
        ('say "hi"', '"say \\"hi\\""'),
        ("null", '"null"'),
        ("", '""'),
        (" padded", '" padded"'),
        ("new\nline", '"new\\nline"'),
        ("ñandú 😀", "ñandú 😀"),
        ("a b", "a b"),
    ],
)
def test_a_value_that_reads_as_something_else_is_quoted(value, shown):
    """Inside a set a value with a comma, brace, quote, outer space or line break stands in quotes.

    So does `null`, which would read as the missing value, and the empty text.
    """
    (text,) = released([value, "zzz"], [0, 0], "set")
    assert text in (f"{{{shown}, zzz}}", f"{{zzz, {shown}}}")


def test_null_stands_last_in_a_set():
    """A class of nulls releases null; null among values is the last member, without quotes."""
    assert released(["a", None, None, "null"], [0, 0, 1, 0], "set") == ['{a, "null", null}', None]


@given(st.lists(st.text(max_size=4), min_size=2, max_size=6, unique=True))
def test_sets_can_be_read_back(values):
    """Whatever its members are, a set of several can be parsed without doubt."""
    (text,) = released(values, [0] * len(values), "set")
    assert reading.set_of(text) == set(values)


def test_equal_sets_share_one_label():
    """Classes with the same members point at the same entry of the released column."""
    attribute = recoded(["a", "b", "b", "a", "c"], [0, 0, 1, 1, 2], "set")
    assert attribute.label_of_class.tolist() == [0, 0, 1]
    assert attribute.columns[0].to_list() == ["{a, b}", "c"]


# --- hierarchy ------------------------------------------------------------------------

CITIES = hierarchy.from_mapping(
    {
        "world": {
            "Europe": {"France": ["Paris", "Lyon"], "Italy": ["Rome"]},
            "Asia": {"Japan": ["Kyoto"]},
        }
    }
)


@pytest.mark.parametrize(
    ("values", "label"),
    [
        (["Paris", "Paris"], "Paris"),
        (["Paris", "Lyon"], "France"),
        (["Paris", "Rome"], "Europe"),
        (["Lyon", "Kyoto"], "world"),
        ([None, None], None),
        (["Paris", None], "world"),
    ],
)
def test_a_class_releases_its_lowest_common_ancestor(values, label):
    """The label is the lowest one that covers all values; null is a branch below the root."""
    everything = [*values, "Paris", "Lyon", "Rome", "Kyoto", None]
    assert released(everything, [0, 0, 1, 2, 3, 4, 5], "hierarchy", CITIES)[0] == label


def test_values_between_the_outer_ones_do_not_widen_the_label():
    """A class of both ends of a branch releases the branch, not more."""
    widths = hierarchy.intervals(width=[10, 20], origin=0)
    found = released([0, 9, 10, 19, 20], [0, 0, 1, 1, 2], "hierarchy", widths)
    assert found == ["[0, 10)", "[10, 20)", "20"]


# --- mean, median, mode ---------------------------------------------------------------


def test_mean_is_of_all_records_of_the_class():
    """A value counts as often as it occurs: the mean of 1, 1, 4 is 2."""
    assert released([1, 1, 4, 7], [0, 0, 0, 1], "mean") == [2.0, 7.0]


@pytest.mark.parametrize(
    ("values", "median"),
    [
        ([5, 1, 9], 5.0),
        ([1, 2, 4, 9], 3.0),
        ([1, 1, 1, 8], 1.0),
        ([1, 8, 8, 8], 8.0),
        ([2, 3], 2.5),
    ],
)
def test_median_is_the_middle_record_or_the_mean_of_two(values, median):
    """An odd number of records has one in the middle, an even number two."""
    assert released(values, [0] * len(values), "median") == [median]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 5)), min_size=1, max_size=20),
    st.sampled_from(["mean", "median"]),
)
def test_centres_are_what_numpy_computes(records, recoding):
    """Mean and median of each class equal those of its list of values."""
    order = sorted({label for label, _ in records})
    labels = [order.index(label) for label, _ in records]
    classes = [[v for label, v in records if label == one] for one in order]
    expected = [float(getattr(np, recoding)(values)) for values in classes]
    assert released([v for _, v in records], labels, recoding) == pytest.approx(expected)


@pytest.mark.parametrize("recoding", ["mean", "median"])
def test_centres_are_of_the_values_that_are_present(recoding):
    """Null counts for nothing, and a class of nulls releases null."""
    assert released([1, 3, None, None], [0, 0, 0, 1], recoding) == [2.0, None]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.floats(-1e150, 1e150)), min_size=1, max_size=20),
    st.sampled_from(["mean", "median"]),
)
def test_centres_lie_within_their_class(records, recoding):
    """Rounding leads no mean out of the range of its class: equal values are released as such."""
    order = sorted({label for label, _ in records})
    labels = [order.index(label) for label, _ in records]
    for place, centre in enumerate(released([v for _, v in records], labels, recoding)):
        values = [v for label, v in records if label == order[place]]
        assert min(values) <= centre <= max(values)


@pytest.mark.parametrize(
    ("values", "median"),
    [
        ([dt.date(2020, 1, 9), dt.date(2020, 1, 1), dt.date(2020, 1, 2)], dt.date(2020, 1, 2)),
        ([dt.date(2020, 1, 9), dt.date(2020, 1, 1)], dt.date(2020, 1, 1)),
        ([dt.datetime(2020, 1, 1, 8), None, None], dt.datetime(2020, 1, 1, 8)),
        ([dt.time(9), dt.time(8), dt.time(7), dt.time(6)], dt.time(7)),
        ([dt.timedelta(2), dt.timedelta(1), dt.timedelta(1)], dt.timedelta(1)),
        (pl.Series(["c", "b", "a", "a"], dtype=pl.Enum(["c", "b", "a"])), "b"),
        (pl.Series([None], dtype=pl.Date), None),
    ],
)
def test_the_median_of_other_ordered_values_is_the_lower_one_of_two(values, median):
    """Dates, times and ordered categories release a value of the class, in their own type."""
    attribute = recoded(values, [0] * len(values), "median")
    assert attribute.columns[0].to_list() == [median]
    assert attribute.columns[0].dtype == pl.Series(values).dtype


def test_the_mode_keeps_the_type_of_the_column():
    """Numbers, dates, categories and Booleans stay what they are."""
    number = pl.Series("x", [7, 7, 9], dtype=pl.Int16)
    day = pl.Series("x", [dt.date(2020, 1, 1), dt.date(2020, 1, 1), dt.date(2020, 1, 2)])
    grade = pl.Series("x", ["b", "b", "a"], dtype=pl.Enum(["a", "b"]))
    category = pl.Series("x", ["b", "b", "a"], dtype=pl.Categorical)
    flag = pl.Series("x", [True, True, False])
    for values in (number, day, grade, category, flag):
        attribute = recoded(values, [0, 0, 0], "mode")
        assert attribute.columns[0].dtype == values.dtype
        assert attribute.columns[0].to_list() == [values[0]]


def test_of_equally_frequent_values_the_mode_is_the_one_that_comes_first():
    """Ties go to the smaller number, and for text to what the whole table has more of."""
    assert released([9, 7, 7, 9], [0, 0, 0, 0], "mode") == [7]
    assert released(["a", "b", "b"], [0, 0, 1], "mode") == ["b", "b"]


def test_null_can_be_the_mode():
    """Null is a value of its own: where it is the most frequent one, null is released."""
    assert released([1, None, None], [0, 0, 0], "mode") == [None]


# --- whole numbers --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "mean", "median"),
    [
        ([1, 2], 2, 2),
        ([2, 3], 2, 2),
        ([-1, -2], -2, -2),
        ([-2, -3], -2, -2),
        ([1, 1, 2], 1, 1),
        ([1, 2, 2, 5], 2, 2),
        ([-1, 0, 0], 0, 0),
        ([2**63 - 1, 2**63 - 1, 2**63 - 3], 2**63 - 2, 2**63 - 1),
        ([-(2**63), 2**63 - 1], 0, 0),
        ([7, None, None, 8], 8, 8),
    ],
)
def test_integers_can_be_kept(values, mean, median):
    """Means and medians of integers are rounded, half to even, without losing a digit."""
    labels = [0] * len(values)
    assert released(values, labels, "mean", keep_integers=True) == [mean]
    assert released(values, labels, "median", keep_integers=True) == [median]


@pytest.mark.parametrize("recoding", ["mean", "median"])
@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt8, pl.Int64, pl.UInt64, pl.Int128], ids=str)
def test_kept_integers_keep_their_type(dtype, recoding):
    """The released column has the type that came in, also at its ends, and null for nulls."""
    top = pl.select(dtype.max()).item()
    series = pl.Series("x", [top, top - 1, top - 1, None], dtype=dtype)
    attribute = recoded(series, [0, 0, 0, 1], recoding, keep_integers=True)
    assert attribute.columns[0].dtype == dtype
    assert attribute.columns[0].gather(attribute.label_of_class).to_list() == [top - 1, None]


@pytest.mark.parametrize("recoding", ["mean", "median"])
def test_other_numbers_are_not_rounded(recoding):
    """Where integers are kept, real numbers stay what they were, and integers else are real."""
    assert released([1.5, 2.0], [0, 0], recoding, keep_integers=True) == [1.75]
    assert recoded([1, 3], [0, 0], recoding).columns[0].to_list() == [2.0]
    assert recoded([1, 3], [0, 0], recoding).columns[0].dtype == pl.Float64


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=9))
def test_a_kept_mean_is_the_nearest_integer_to_the_exact_one(values):
    """It equals Python's rounding of the exact fraction, so it lies within the class."""
    (mean,) = released(values, [0] * len(values), "mean", keep_integers=True)
    assert mean == round(Fraction(sum(values), len(values)))
    assert min(values) <= mean <= max(values)


# --- all ------------------------------------------------------------------------------


@pytest.mark.parametrize("recoding", RECODINGS)
def test_suppressed_records_leave_no_trace(recoding):
    """A suppressed outlier widens no class."""
    source = hierarchy.flat() if recoding == "hierarchy" else None
    with_outlier = released([1, 2, 999, 3], [0, 0, -1, 1], recoding, source)
    assert with_outlier == released([1, 2, 3], [0, 0, 1], recoding, source)


@pytest.mark.parametrize("recoding", RECODINGS)
def test_no_record_gives_no_label(recoding):
    """A table without records has columns of the right names, without values."""
    source = hierarchy.flat() if recoding == "hierarchy" else None
    attribute = recoded(pl.Series("x", [], dtype=pl.Int64), [], recoding, source)
    assert [column.name for column in attribute.columns] == released_names("x", recoding)
    assert [len(column) for column in attribute.columns] == [0] * len(attribute.columns)
    assert len(attribute.label_of_class) == len(attribute.loss) == 0


def test_text_of_a_column_keeps_its_length_and_nulls():
    """Every value has a text, and null has none."""
    assert text_of(pl.Series([1.0, None, 2.5])).to_list() == ["1", None, "2.5"]


# --- which recoding -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "own", "source", "default", "chosen"),
    [
        ("number", None, None, None, "interval"),
        ("temporal", None, None, None, "interval"),
        ("ordered", None, None, None, "interval"),
        ("nominal", None, None, None, "set"),
        ("number", None, hierarchy.flat(), None, "hierarchy"),
        ("nominal", None, hierarchy.flat(), None, "hierarchy"),
        ("nominal", "mode", hierarchy.flat(), "set", "mode"),
        ("number", None, None, "set", "interval"),
        ("number", "set", None, None, "set"),
        ("nominal", None, hierarchy.flat(), "set", "set"),
        ("number", None, hierarchy.flat(), "interval", "interval"),
        ("nominal", None, None, "interval", "set"),
        ("nominal", None, hierarchy.flat(), "interval", "hierarchy"),
        ("number", None, None, "hierarchy", "interval"),
        ("nominal", None, None, "hierarchy", "set"),
        ("number", None, None, "mean", "mean"),
        ("temporal", None, None, "mean", "interval"),
        ("nominal", None, None, "mode", "mode"),
    ],
)
def test_recoding_is_the_attributes_own_or_the_policys_or_the_kinds(
    kind, own, source, default, chosen
):
    """An attribute's own recoding comes first, then the policy's where it fits, then the kind's.

    A policy-wide `set` means intervals where there are any.
    """
    assert choose_recoding("x", QuasiIdentifier(source, own), kind, default) == chosen


@pytest.mark.parametrize(
    ("kind", "recoding"),
    [
        ("nominal", "interval"),
        ("nominal", "range"),
        ("nominal", "mean"),
        ("nominal", "median"),
        ("ordered", "mean"),
        ("temporal", "mean"),
    ],
)
def test_a_recoding_without_a_meaning_is_refused(kind, recoding):
    """The message names the attribute, its kind, and the recodings that do apply."""
    with pytest.raises(SchemaError) as caught:
        choose_recoding("colour", QuasiIdentifier(recoding=recoding), kind, None)
    assert str(caught.value) == (
        f"attribute 'colour' is {kind}: recoding {recoding!r} does not apply; "
        f"choose one of {', '.join(ALLOWED[kind])}"
    )


def test_every_kind_has_every_recoding_that_needs_no_arithmetic():
    """Sets, hierarchies and modes exist for all kinds, medians where there is an order.

    Means are of numbers alone.
    """
    assert all({"set", "hierarchy", "mode"} <= set(allowed) for allowed in ALLOWED.values())
    assert {kind for kind, allowed in ALLOWED.items() if "median" not in allowed} == {"nominal"}
    assert {kind for kind, allowed in ALLOWED.items() if "mean" in allowed} == {"number"}


def test_every_kind_has_a_centroid_that_applies_to_it():
    """What microaggregation releases by default is a recoding of the kind."""
    assert all(CENTROIDS[kind] in allowed for kind, allowed in ALLOWED.items())


# --- classes that release the same ----------------------------------------------------


def joined(values, labels, recoding, source=None):
    """Return the class of each record after classes of equal values are joined."""
    table = encode([(pl.Series("x", values), source)], [], len(values))
    partition = Partition(np.array(labels, np.int32)[table.tuple_of_row.argsort()], max(labels) + 1)
    attribute = recode(table, partition, [recoding], certainty_costs(table.domains, [recoding]))
    found = join_equal(table, partition, attribute)
    assert (found is partition) == (found.n_classes == partition.n_classes)
    return found.labels[table.tuple_of_row].tolist()


@pytest.mark.parametrize(
    ("values", "recoding"),
    [
        ([1, 5, 3, 4, 9], "mean"),
        ([1, 5, 3, 4, 9], "median"),
        ([1, None, 3, 4, 9], "interval"),
        ([1, None, 3, 4, 9], "range"),
        ([1, None, 3, 4, 9], "set"),
        ([1, 5, 3, 4, 9], "interval"),
        ([1, 5, 3, 4, 9], "hierarchy"),
    ],
)
def test_classes_are_joined_where_they_release_the_same(values, recoding):
    """Classes a and b become one exactly where the released values of a and b are equal."""
    source = hierarchy.flat() if recoding == "hierarchy" else None
    labels = [0, 0, 1, 1, 2]
    shown = released(values, labels, recoding, source)
    distinct = list(dict.fromkeys(shown))
    expected = [distinct.index(shown[label]) for label in labels]
    found = joined(values, labels, recoding, source)
    assert [found[i] == found[j] for i in range(5) for j in range(5)] == [
        expected[i] == expected[j] for i in range(5) for j in range(5)
    ]


def test_classes_of_equal_means_are_joined():
    """Two classes whose means agree are one class to whoever holds the release."""
    assert joined([1, 5, 2, 4, 9], [0, 0, 1, 1, 2], "mean") == [0, 0, 0, 0, 1]


def test_a_text_that_reads_like_a_set_is_joined_with_it():
    """The value `{a, b}` alone and the set of a and b are released as the same text."""
    assert joined(["a", "b", "{a, b}"], [0, 0, 1], "set") == [0, 0, 0]


def test_relabelling_keeps_the_suppressed():
    """Records without a class have none afterwards."""
    table = encode([(pl.Series("x", [1, 2, 3, 4]), None)], [], 4)
    partition = Partition(np.array([2, -1, 0, 1], np.int32), 3, by_row=True)
    joined = relabel_classes(table, partition, np.array([0, 1, 0], np.int32))
    assert (joined.labels.tolist(), joined.n_classes) == ([0, -1, 0, 1], 2)
