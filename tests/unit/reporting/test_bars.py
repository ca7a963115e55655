"""Laws of the bars that show a distribution: readable, and nothing rare."""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data.table import encode_column
from kanonym.language import SPANISH
from kanonym.reporting.distributions.bars import bars_of

MISSING = "(missing)"
MOST = 12
DAY = dt.date(1900, 1, 1)
VALUES = {
    "integers": st.integers(-1000, 1000),
    "few integers": st.integers(0, 9),
    "floats": st.floats(-1e6, 1e6, allow_subnormal=False),
    "dates": st.integers(0, 60_000).map(lambda days: DAY + dt.timedelta(days)),
    "moments": st.datetimes(dt.datetime(1980, 1, 1), dt.datetime(2030, 1, 1)),
    "times": st.times(),
    "texts": st.sampled_from("abcdefghijklmnopqrstuvwxyz"),
    "durations": st.timedeltas(dt.timedelta(0), dt.timedelta(400)),
    "any floats": st.floats(allow_nan=False, allow_infinity=False),
    "tiny floats": st.integers(0, 9).map(lambda n: n * 5e-324),
    "near floats": st.integers(0, 20).map(lambda n: 1e300 * (1 + n * 2e-16)),
    "any integers": st.integers(-(2**63), 2**63 - 1),
    "long integers": st.integers(-(2**100), 2**100),
}


def bars(values, floor=5, most=24):
    """Return the bars of a column and the number of records of each."""
    long = any(isinstance(value, int) and abs(value) >= 2**63 for value in values)
    domain, codes = encode_column(pl.Series("x", values, dtype=pl.Int128 if long else None))
    counts = np.bincount(codes, minlength=domain.size)
    made = bars_of(domain, counts, floor, most)
    shown = np.bincount(made.bar_of_code, counts, minlength=len(made.labels)).astype(int)
    return domain, made, shown.tolist()


@pytest.mark.parametrize("kind", VALUES)
@given(data=st.data(), floor=st.integers(2, 8))
def test_no_bar_shows_a_rare_value(kind, data, floor):
    """A bar holds no record or at least `floor`, and every record is in one bar."""
    column = st.lists(VALUES[kind] | st.none(), min_size=floor, max_size=80)
    values = data.draw(column.filter(lambda drawn: set(drawn) != {None}))
    domain, made, shown = bars(values, floor, MOST)
    assert sum(shown) == len(values)
    assert len(made.bar_of_code) == domain.size
    assert len(made.labels) <= MOST + 1
    assert not [count for count in shown if 0 < count < floor]


@pytest.mark.parametrize("kind", [one for one in VALUES if one != "texts"])
@given(data=st.data())
def test_bars_of_a_line_keep_its_order(kind, data):
    """Bars of numbers, dates and times stand in the order of the values."""
    _, made, _ = bars(data.draw(st.lists(VALUES[kind], min_size=5, max_size=60)), 3, MOST)
    assert (np.diff(made.bar_of_code) >= 0).all()


@given(st.lists(st.integers(-500, 500), min_size=3, max_size=80), st.integers(2, 6))
def test_labels_of_integers_say_what_they_hold(values, floor):
    """An integer lies within the range that its bar's label names."""
    domain, made, _ = bars(values, floor, MOST)
    for value, bar in zip(domain.values.to_list(), made.bar_of_code.tolist(), strict=True):
        label = made.labels[bar]
        if label == "all values":
            continue
        low, high = -np.inf, np.inf
        if match := re.fullmatch(r"(-?\d+)(?:–(-?\d+))?", label):
            low, high = int(match[1]), int(match[2] or match[1])
        elif label.startswith("under "):
            high = int(label.removeprefix("under ")) - 1
        else:
            low = int(label.removesuffix("+"))
        assert low <= value <= high


def test_extremes_are_not_named():
    """The largest and smallest values, if rare, appear in no label: the ends are open."""
    _, made, shown = bars([*list(range(20, 70)) * 10, 3, 107])
    assert (made.labels[0], made.labels[-1]) == ("under 25", "65+")
    assert sum(shown) == 502
    assert not {"3", "107"} & set(re.findall(r"\d+", " ".join(made.labels)))


def test_rare_texts_are_not_named():
    """Values of few records are called other, together."""
    _, made, shown = bars(["Bern"] * 9 + ["Chur"] * 7 + ["Ems"] * 3 + ["Igis"] * 2)
    assert made.labels == ("Bern", "Chur", "other (2 values)")
    assert shown == [9, 7, 5]


def test_a_single_rare_value_does_not_stand_alone_as_other():
    """One rare value takes the least frequent shown value along, or it could be told."""
    _, made, shown = bars(["Bern"] * 9 + ["Chur"] * 7 + ["Ems"])
    assert made.labels == ("Bern", "other (2 values)")
    assert shown == [9, 8]


def test_missing_values_have_their_own_bar():
    """Null is a bar of its own where enough records have it."""
    _, made, shown = bars([1] * 6 + [2] * 8 + [None] * 5)
    assert made.labels == ("1", "2", MISSING)
    assert shown == [6, 8, 5]


def test_few_missing_values_join_the_fullest_bar():
    """Null in few records is not shown alone."""
    _, made, shown = bars([1] * 6 + [2] * 8 + [None])
    assert made.labels == ("1", "2 or missing")
    assert shown == [6, 9]


def test_column_without_a_value_is_missing_throughout():
    """A column of nulls has one bar."""
    domain, codes = encode_column(pl.Series("x", [None] * 6, dtype=pl.Int64))
    assert bars_of(domain, np.bincount(codes), 5).labels == (MISSING,)


def test_constant_column_has_one_bar():
    """A constant number is named by itself."""
    assert bars([0.25] * 7)[1].labels == ("0.25",)


def test_skewed_numbers_get_bars_where_the_records_are():
    """A rare giant does not press everybody else into one bar."""
    _, made, shown = bars([*list(range(100)) * 5, 10**9])
    assert len(made.labels) >= 15
    assert max(shown) <= 50


def test_ordered_categories_keep_their_order():
    """Ordered categories stand in their own order, not by frequency."""
    sizes = pl.Series("x", ["S"] * 5 + ["M"] * 9 + ["L"] * 6, dtype=pl.Enum(["S", "M", "L"]))
    assert bars(sizes)[1].labels == ("S", "M", "L")


def test_dates_are_binned_by_the_calendar():
    """Bars of dates are decades, years, quarters or months."""
    days = [dt.date(1950 + i % 50, 1 + i % 12, 1 + i % 28) for i in range(600)]
    labels = bars(days)[1].labels
    assert labels[1:-1] == tuple(f"{year}–{year + 4}" for year in range(1955, 1995, 5))
    assert (labels[0], labels[-1]) in {("before 1955", "from 1995"), ("1950–1954", "1995–1999")}


def test_value_that_only_the_hierarchy_knows_has_no_record_before(divided):
    """Values that the data does not hold share one bar."""
    from kanonym.data import hierarchy

    tree = hierarchy.from_mapping({"*": {"warm": ["red", "orange"], "cold": ["blue"]}})
    table, _, _ = divided(
        {"colour": ["red"] * 6 + ["blue"] * 6}, [0] * 12, {"colour": "hierarchy"}, {"colour": tree}
    )
    counts = np.array([6 * bool(seen) for seen in table.domains[0].observed])
    assert set(bars_of(table.domains[0], counts, 5).labels) == {
        "red",
        "blue",
        "not in the original",
    }


def test_many_names_are_shown_at_a_level_of_the_hierarchy(divided):
    """Where there are too many values to name, the finest level that has few enough is shown."""
    from kanonym.data import hierarchy

    codes = [f"{city}{street:02}" for city in "12" for street in range(30)]
    table, _, _ = divided(
        {"zip": [*codes * 5, *[None] * 6]},
        [0] * 306,
        {"zip": "hierarchy"},
        {"zip": hierarchy.masking()},
    )
    made = bars_of(table.domains[0], np.array([5] * 60 + [6]), 5)
    assert sorted(made.labels) == [MISSING, "10*", "11*", "12*", "20*", "21*", "22*"]


def test_labels_speak_the_language_of_the_report():
    """Open ends, rests and missing values are named in Spanish, with a decimal comma."""
    domain, codes = encode_column(pl.Series("x", [0.1 * (i % 10) for i in range(200)]))
    made = bars_of(domain, np.bincount(codes), 5, 6, SPANISH)
    assert made.labels[1] == "de 0,2 a 0,4"
    towns, codes = encode_column(pl.Series("x", ["Bern"] * 9 + ["Chur", "Ems"] * 3 + [None] * 5))
    labels = bars_of(towns, np.bincount(codes), 5, speech=SPANISH).labels
    assert labels == ("Bern", "otros (2 valores)", "(sin valor)")
