"""Reading a release: what each form of a released value leaves open, and which rows are known."""

from __future__ import annotations

import datetime as dt
import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.evaluation.pair.reading import read_pair
from kanonym.evaluation.pair.reading.texts import Codes

AGES = [20, 25, 29, 30, 47]


def read(original, released, source=None, aligned=None, others=None):
    """Read one quasi-identifier `q`, with other columns of both tables beside it."""
    before = {"q": pl.Series("q", original), **(others or {})}
    two = isinstance(released, dict)
    after = released if two else {"q": pl.Series("q", released)}
    pair = read_pair(before, {**after, **(others or {})}, ["q"], {"q": source}, aligned=aligned)
    return pair, pair.column("q"), pair.generalizations[0]


def opened(column):
    """Return the categories that each released cell leaves open."""
    categories = column.categories.to_list()
    return [
        [categories[code] for code in column.members[column.offsets[i] : column.offsets[i + 1]]]
        for i in column.labels
    ]


@pytest.mark.parametrize(
    ("text", "low", "high", "values"),
    [
        ("25", 25, 25, 1),
        ("25.0", 25, 25, 1),
        ("[20, 30]", 20, 30, 4),
        ("[20, 30)", 20, 29, 3),
        ("(20, 30]", 21, 30, 3),
        ("(20,30]", 21, 30, 3),
        ("<30", 20, 29, 3),
        ("<=30", 20, 30, 4),
        (">=30", 30, 47, 2),
        (">30", 31, 47, 1),
        ("{20, 47}", 20, 47, 2),
        ("2*", 20, 29, 3),
        ("[20, 30[", 20, 29, 3),
        ("]20, 30]", 21, 30, 3),
        ("20-30", 20, 30, 4),
        ("20 – 30", 20, 30, 4),
        ("30+", 30, 47, 2),
        ("≥30", 30, 47, 2),
        ("2x", 20, 29, 3),
        ("2#", 20, 29, 3),
        ("*", 20, 47, 5),
    ],
)
def test_a_text_over_whole_numbers_leaves_open_what_it_says(text, low, high, values):
    """Every form that a release may have is read as the numbers between its ends."""
    _, column, read_as = read(AGES, [text])
    assert (column.low[0], column.high[0]) == (low, high)
    assert read_as.values[read_as.labels[0]] == values
    assert column.suppressed[0] == (text == "*")


@pytest.mark.parametrize(
    ("text", "penalty"), [("[20, 47]", 1), ("[25, 30]", 5 / 27), ("30", 0), ("{20, 47}", 1 / 4)]
)
def test_intervals_cost_their_width_and_sets_their_members(text, penalty):
    """The certainty penalty is a share of the range, of a set a share of the distinct values."""
    _, _, read_as = read(AGES, [text])
    assert read_as.penalties[read_as.labels[0]] == pytest.approx(penalty)


def test_half_open_intervals_of_measures_keep_their_end():
    """Between real numbers there is no largest one below the end."""
    _, column, read_as = read([0.5, 1.0, 1.5], ["[0.5, 1.5)"])
    assert (column.low[0], column.high[0]) == (0.5, 1.5)
    assert read_as.values[read_as.labels[0]] == 2


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([dt.date(2020, 1, 1), dt.date(2020, 2, 1)], "[2020-01-01, 2020-02-01)"),
        (
            [dt.datetime(2020, 1, 1, 8), dt.datetime(2020, 2, 1)],
            "[2020-01-01T08:00:00, 2020-01-31T00:00:00]",
        ),
        ([dt.time(8), dt.time(9, 30)], "[08:00:00, 09:00:00]"),
        ([dt.timedelta(hours=1), dt.timedelta(hours=2)], "PT1H"),
    ],
)
def test_times_are_read_in_their_own_unit(values, text):
    """An interval of ISO times leaves open the time at its start, and not the one behind it."""
    _, column, read_as = read(values, [text])
    assert column.low[0] == column.original[0]
    assert column.high[0] < column.original[1]
    assert read_as.values[read_as.labels[0]] == 1


def test_times_with_a_zone_are_read_with_their_offset():
    """The offset that recoding writes is the one that is read."""
    zone = pl.Series("q", ["2020-03-01 08:00", "2020-08-01 08:00"]).str.to_datetime(
        time_zone="Europe/Berlin"
    )
    table = pl.DataFrame({"q": zone})
    release = ka.anonymize(table, quasi_identifiers=["q"], k=2, keep_order=True)
    pair = read_pair({"q": zone}, {"q": release.frame["q"]}, ["q"])
    column = pair.column("q")
    assert column.low.tolist() == [column.original[0]] * 2
    assert column.high.tolist() == [column.original[1]] * 2


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a", ["a"]),
        ("{a, b}", ["a", "b"]),
        ('{a, "x, y"}', ["a", "x, y"]),
        ("{b, null}", ["b", None]),
        ("*", ["a", "b", "x, y", "{a}", None]),
        ("***", ["a", "b", "x, y", "{a}", None]),
        ("x*y", []),
        ("x, *", ["x, y"]),
        ("{a}", ["a", "{a}"]),
    ],
)
def test_a_text_over_categories_leaves_open_what_it_says(text, values):
    """A value, a set, a mask or a star; what reads as two things leaves open both."""
    original = ["a", "b", "x, y", "{a}", None]
    if not values:
        with pytest.raises(ka.SchemaError, match="row 1 of the release"):
            read(original, [text])
    else:
        _, column, _ = read(original, [text])
        assert opened(column) == [values]


def test_intervals_of_ordered_categories_follow_their_order():
    """Ends are categories, also where they hold what parts them."""
    size = pl.Enum(["S", "M", "L, long", "XL"])
    original = pl.Series(["S", "M", "L, long", "XL"], dtype=size)
    _, column, read_as = read(original, ["[M, L, long]", "XL"])
    assert opened(column) == [["M", "L, long"], ["XL"]]
    assert read_as.penalties[read_as.labels].tolist() == [1 / 3, 0]


def test_masks_show_what_is_left_of_a_code():
    """A star is one character, at the ends also none, and whole numbers are padded with zeros."""
    assert opened(read(["13053", "13068", "148"], ["130**", "148**"])[1]) == [
        ["13053", "13068"],
        ["148"],
    ]
    _, column, _ = read([5, 13, 123], ["01*", "00*"])
    assert column.low.tolist() == [13, 5]


def test_two_columns_are_read_as_the_ends_of_one():
    """`q_min` and `q_max` without values leave everything open."""
    ends = {"q_min": pl.Series("q_min", [20, None]), "q_max": pl.Series("q_max", [29, None])}
    _, column, read_as = read(AGES, ends)
    assert column.low.tolist() == [20, 20]
    assert column.high.tolist() == [29, 47]
    assert column.suppressed.tolist() == [False, True]
    assert read_as.values[read_as.labels].tolist() == [3, 5]


TREE = ka.hierarchy.from_mapping({"*": {"warm": ["red", "orange"], "cold": ["blue"]}})


def test_labels_of_a_hierarchy_leave_open_the_leaves_below():
    """Also leaves that the original does not hold, at the level where the label stands."""
    _, column, read_as = read(["red", "blue"], ["warm", "blue", "*", None], TREE)
    assert opened(column)[:2] == [["red", "orange"], ["blue"]]
    assert column.suppressed.tolist() == [False, False, True, True]
    assert read_as.levels[read_as.labels].tolist() == [1, 0, 2, 2]
    assert read_as.height == 2
    assert read_as.values[read_as.labels].tolist() == [2, 1, 3, 3]


def test_labels_of_numbers_are_read_as_their_leaves():
    """Numbers keep what lies between: the lowest and the highest leaf of a label."""
    tree = ka.hierarchy.intervals(width=[10, 20])
    _, column, read_as = read(AGES, ["[20, 30)", "[40, 50)", "[20, 30)"], tree)
    assert column.low.tolist() == [20, 47, 20]
    assert column.high.tolist() == [29, 47, 29]
    assert read_as.levels[read_as.labels].tolist() == [1, 1, 1]
    assert read_as.missing.tolist() == [1, 1, 0]


def test_a_label_of_several_levels_is_the_one_that_its_records_have():
    """Where rows are known, a level at which another record would read otherwise is not meant."""
    above = {"a": "xz", "b": "xz", "c": "yx", "d": "yx", "e": "yx"}
    tree = ka.hierarchy.from_mapping({leaf: [*two, "*"] for leaf, two in above.items()})
    before, after = ["a", "b"], ["x", "x"]
    assert opened(read(before, after, tree)[1])[0] == ["c", "d", "e"]
    assert opened(read(before, after, tree, aligned=True)[1])[0] == ["a", "b"]


def test_a_column_that_is_no_label_is_read_without_its_hierarchy():
    """A mean or an interval of an attribute with a hierarchy is what it says."""
    tree = ka.hierarchy.intervals(width=10)
    _, column, read_as = read(AGES, ["[20, 25]", "[30, 47]"], tree)
    assert column.high.tolist() == [25, 47]
    assert read_as.levels is None


def test_null_is_a_value_until_there_are_more_than_before():
    """Nobody can tell which of too many nulls are suppressed cells: all of them are."""
    _, column, _ = read(["a", None, None], ["a", None, None])
    assert opened(column)[1] == [None]
    _, column, _ = read(["a", "b", None], ["a", None, None])
    assert column.suppressed.tolist() == [False, True, True]


def test_null_where_the_record_had_a_value_is_a_suppressed_cell():
    """Where rows are known it needs no count, and one of a class tells for all of it."""
    table = {"id": pl.Series("id", [1, 2, 3])}
    _, column, _ = read([1.0, None, 3.0], [1.0, None, 3.0], others=table)
    assert np.isnan(column.low[1])
    assert not column.suppressed[1]
    _, column, _ = read([1.0, None, 3.0], [None, None, 3.0], others=table)
    assert column.suppressed.tolist() == [True, True, False]


def test_a_mean_is_itself_and_stands_for_its_class_where_rows_are_known():
    """It is no original value: what it leaves open is seen from the records alone."""
    _, column, read_as = read([1, 2, 6, 11], [3.0, 3.0, 3.0, 11.0])
    assert column.released.tolist() == [3, 3, 3, 11]
    assert read_as.values[read_as.labels].tolist() == [0, 0, 0, 1]
    _, column, read_as = read([1, 2, 6, 11], [3.0, 3.0, 3.0, 11.0], aligned=True)
    assert read_as.values[read_as.labels].tolist() == [3, 3, 3, 1]
    assert read_as.penalties[read_as.labels].tolist() == [0.5, 0.5, 0.5, 0]


@pytest.mark.parametrize(
    ("others", "found"),
    [
        ({}, False),
        ({"s": pl.Series("s", ["x", "x", "x"])}, False),
        ({"s": pl.Series("s", ["x", "y", "x"])}, True),
    ],
)
def test_order_is_recognized_by_columns_that_stayed_as_they_were(others, found):
    """A constant column says nothing about order, and neither do recoded ones alone."""
    pair, _, _ = read([1, 2, 9], ["[1, 2]", "[1, 2]", "9"], others=others)
    assert (pair.rows is not None) == found


def test_order_is_not_recognized_against_a_quasi_identifier():
    """A released interval without the original value of its row is of another record."""
    others = {"s": pl.Series("s", ["x", "y", "x"])}
    pair, _, _ = read([1, 2, 9], ["9", "[1, 2]", "[1, 2]"], others=others)
    assert pair.rows is None


def test_what_others_say_about_order_counts():
    """`aligned` is believed; different numbers of rows contradict it."""
    assert read(AGES, ["[20, 47]"] * 5, aligned=False)[0].rows is None
    assert read(AGES, ["[20, 30]"] * 5, aligned=True)[0].rows.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ka.SchemaError, match="1 rows and the original 5"):
        read(AGES, ["20"], aligned=True)


def test_columns_of_other_roles_hold_values():
    """What is no number there is a category, new ones too, and texts that look like sets."""
    before = {"q": [1, 2], "s": ["a", "b"], "n": [1, 2]}
    after = {"q": [1, 2], "s": ["{a, b}", "*"], "n": ["low", "1"]}
    pair = read_pair(
        {name: pl.Series(name, values) for name, values in before.items()},
        {name: pl.Series(name, values) for name, values in after.items()},
        ["q"],
    )
    assert opened(pair.column("s")) == [["{a, b}"], ["*"]]
    assert opened(pair.column("n")) == [["low"], ["1"]]
    assert len(pair.generalizations) == 1


@pytest.mark.parametrize(
    ("original", "released", "said"),
    [
        (AGES, ["20", "young"], "column 'q', row 2 of the release: 'young'"),
        (["a", "b"], ["a", "vowel"], "column 'q', row 2 of the release: 'vowel'"),
        ([dt.date(2020, 1, 1)], [2020], "column 'q', row 1 of the release: '2020'"),
        (AGES, {"q_min": pl.Series("q_min", ["x"]), "q_max": pl.Series("q_max", ["9"])}, "q_min"),
        (AGES, {"p": pl.Series("p", [1])}, "no column for the quasi-identifier 'q'"),
    ],
)
def test_what_cannot_be_read_is_refused(original, released, said):
    """The message names column, row and value, and what to do."""
    with pytest.raises(ka.SchemaError, match=said) as raised:
        read(original, released)
    assert "give the hierarchy" in str(raised.value) or "It has" in str(raised.value)


def test_a_quasi_identifier_that_the_original_lacks_is_refused():
    """The message names it and what there is."""
    with pytest.raises(ka.SchemaError, match=r"no column 'z'.*It has: q"):
        read_pair({"q": pl.Series([1])}, {"q": pl.Series([1])}, ["z"])


LARGE = {
    "Int64": [10**18 + 7 * i for i in range(12)],
    "UInt64": [2**64 - 1 - 7 * i for i in range(11, -1, -1)],
}


@pytest.mark.parametrize("dtype", LARGE)
@pytest.mark.parametrize(
    ("form", "values", "penalty"),
    [
        (lambda v: v, 1, 0),
        (lambda v: [str(one) for one in v], 1, 0),
        (lambda v: [f"[{v[0]}, {v[5]}]"] * 12, 6, 35 / 77),
        (lambda v: [f"[{v[2]}, {v[6]})"] * 12, 4, 28 / 77),
        (lambda v: [f">={v[6]}"] * 12, 6, 35 / 77),
        (lambda v: [f"<{v[6]}"] * 12, 6, 42 / 77),
        (lambda v: {"q_min": [v[0]] * 12, "q_max": [v[5]] * 12}, 6, 35 / 77),
        (lambda v: {"q_min": [str(v[3])] * 12, "q_max": [str(v[5])] * 12}, 3, 14 / 77),
        (lambda v: ["*"] * len(v), 12, 1),
    ],
)
def test_integers_that_float64_does_not_tell_apart_are_told_apart(dtype, form, values, penalty):
    """Beyond 2^53, where neighbours are one number as float64, each is a value of its own."""
    numbers = LARGE[dtype]
    released = form(numbers)
    if released is numbers:
        released = pl.Series(numbers, dtype=getattr(pl, dtype))
    elif isinstance(released, dict):
        whole = isinstance(next(iter(released.values()))[0], int)
        kind = getattr(pl, dtype) if whole else pl.String
        released = {name: pl.Series(name, one, dtype=kind) for name, one in released.items()}
    original = pl.Series("q", numbers, dtype=getattr(pl, dtype))
    _, _, read_as = read(original, released, aligned=False)
    assert (read_as.values[read_as.labels] == values).all()
    assert read_as.penalties[read_as.labels] == pytest.approx(penalty, abs=1e-15)


def test_shuffled_large_integers_are_not_taken_for_their_neighbours():
    """Rows that hold other integers are other records, though float64 does not part them."""
    numbers = LARGE["Int64"]
    assert read(numbers, numbers)[0].rows is not None
    assert read(numbers, numbers[1:] + numbers[:1])[0].rows is None


@given(
    st.lists(st.text("ab", min_size=1, max_size=5), min_size=1, max_size=12, unique=True),
    st.lists(st.text("ab**", min_size=1, max_size=6), min_size=1, max_size=4),
)
@settings(max_examples=examples(200), deadline=None)
def test_masks_that_are_announced_find_what_others_find(texts, masks):
    """What masks have in common is done once, and each has the codes that it has alone."""
    together = Codes(texts, masks)
    for mask in masks:
        assert together.under(mask) == Codes(texts).under(mask)


def test_many_masks_at_the_front_are_read_in_one_pass():
    """Ten thousand masks of as many codes take their time once, not once a mask."""
    codes = [f"{i:05d}" for i in range(0, 100_000, 10)]
    masks = ["**" + code[2:] for code in codes]
    begun = time.perf_counter()
    found = Codes(codes, masks)
    assert [len(found.under(mask)) for mask in masks] == [100] * len(masks)
    assert time.perf_counter() - begun < 5  # 20 s one by one


@pytest.mark.parametrize("text", ["130xx", "130XX", "130##", "130??", "130__", "130••"])
def test_any_repeated_character_that_no_value_has_is_a_mask(text):
    """Masks of other tools leave open what the same mask with asterisks does."""
    _, column, _ = read(["13053", "13068", "14853"], [text])
    assert opened(column) == [["13053", "13068"]]


def test_a_character_of_the_values_is_no_mask():
    """What the original's values have themselves stands for itself."""
    _, column, _ = read(["Axx", "Abc", "Bcd", "Axy"], ["Axx", "Abc", "Bcd"])
    assert opened(column) == [["Axx"], ["Abc"], ["Bcd"]]


@pytest.mark.parametrize("text", ["01000-01999", "[01000, 02000[", "01000–01999"])
def test_ranges_of_codes_are_those_of_their_digits(text):
    """Between codes of digits an interval leaves open the codes of that length inside."""
    _, column, _ = read(["01067", "01979", "04103", "1500"], [text])
    assert opened(column) == [["01067", "01979"]]


def test_a_code_that_looks_like_a_range_is_the_code():
    """Where the original has `15-25` as a value, it is that value."""
    _, column, _ = read(["15-25", "20", "30"], ["15-25"])
    assert opened(column) == [["15-25"]]


@pytest.mark.parametrize(
    ("text", "values"),
    [("2020-01", 2), ("2020", 3), ("2019-2020", 4), ("2020-01-01 – 2020-01-20", 1)],
)
def test_months_and_years_of_dates_leave_their_days_open(text, values):
    """Over dates `2020-01` is a month, and `2020` a year."""
    days = [dt.date(2019, 5, 1), dt.date(2020, 1, 1), dt.date(2020, 1, 31), dt.date(2020, 2, 1)]
    _, _, read_as = read(days, [text])
    assert read_as.values[read_as.labels[0]] == values


def test_a_month_over_numbers_is_refused():
    """Over numbers `2020-01` is neither a range, which ascends, nor a number."""
    with pytest.raises(ka.SchemaError, match=r"row 1 of the release: '2020-01'.*--hierarchy q="):
        read([2020, 2021], ["2020-01"])


def test_categories_that_the_original_lacks_are_nobodys():
    """Plain texts in less than half of the records are new categories that leave nobody open."""
    pair, column, read_as = read(["Ulm", "Bonn", None], ["Ulm", "Kiel", "Ulm", None])
    assert opened(column) == [["Ulm"], ["Kiel"], ["Ulm"], [None]]
    assert [column.categories[code] for code in column.original.tolist()] == ["Ulm", "Bonn", None]
    assert read_as.values[read_as.labels].tolist() == [1, 0, 1, 1]
    assert pair.new == {"q": 1}


def test_a_column_of_unknown_texts_is_refused():
    """Where most texts are unknown they are taken for labels, whose hierarchy is asked for."""
    with pytest.raises(ka.SchemaError, match="row 2 of the release: 'Europe'"):
        read(["Ulm", "Bonn"], ["Ulm", "Europe", "Asia", "Europe"])


def test_beside_a_hierarchy_no_text_is_a_new_category():
    """What is neither a label of the hierarchy nor a value is refused."""
    tree = ka.hierarchy.masking()
    with pytest.raises(ka.SchemaError, match="row 3 of the release: 'Kiel'"):
        read(["Ulm", "Bonn"], ["Ulm", "Bonn", "Kiel"], source=tree)
