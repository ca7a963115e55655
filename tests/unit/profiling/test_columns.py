"""What a column holds, without telling its values."""

from __future__ import annotations

from datetime import date, time, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.data.errors import DataError
from kanonym.profiling.columns import content_of, unreadable_content


def content(values, name="column", **kind):
    """Return the content of a column of some values."""
    return content_of(pl.Series(name, values, **kind))[0]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], "integer"),
        ([1.5, 2.0], "real number"),
        ([True, False], "yes or no"),
        (["ja", "nein", None], "yes or no"),
        (["Sí", "No"], "yes or no"),
        (["no", "nein"], "text"),
        (["a", "b"], "text"),
        ([date(2024, 1, 1)], "date"),
        ([time(12)], "time"),
        ([timedelta(days=1)], "duration"),
    ],
)
def test_types_have_plain_names(values, kind):
    """The type is said in words."""
    assert content(values).type == kind


def test_categories_are_ordered_or_not():
    """An enumeration is ordered, other categories are not."""
    assert content(["a"], dtype=pl.Categorical).type == "categories"
    assert content(["a"], dtype=pl.Enum(["a"])).type == "ordered categories"


@settings(max_examples=examples(40))
@given(st.lists(st.one_of(st.none(), st.integers(0, 5)), max_size=20))
def test_nulls_and_values_are_counted(values):
    """Null is a value where records are told apart, and is counted on its own."""
    found = content(values, dtype=pl.Int64)
    assert found.nulls == values.count(None)
    assert found.counted.records == len(values)
    assert found.counted.distinct == len(set(values))
    assert found.largest == max((values.count(one) for one in values), default=0)
    assert found.constant == (len(set(values)) == 1 < len(values))


@pytest.mark.parametrize(
    ("usual", "code"),
    [
        (range(-9000, -100), 365243),
        (range(100), -999),
        (range(18, 90), -1),
        (range(19), 97),
        (range(500), 999),
        ([0.5, 1.25, 7.5, 8.0], -9.0),
        ([date(2000 + year, 5, 3) for year in range(20)], date(1900, 1, 1)),
        ([date(2000 + year, 5, 3) for year in range(20)], date(9999, 12, 31)),
        (["Ulm", "Bonn", "Kiel"], "?"),
        (["Ulm", "Bonn", "Kiel"], " N/A "),
    ],
)
def test_codes_for_missing_values_are_suspected(usual, code):
    """A value that stands apart, and that several records share, may stand for no value."""
    found = content([*usual, *[code] * 6])
    assert [(one.value, one.records) for one in found.sentinels] == [(str(code), 6)]


def test_several_codes_at_one_end_are_suspected():
    """97, 98 and 99 beside small numbers are three codes."""
    found = content([*range(15), *[97, 98, 99] * 5])
    assert [one.value for one in found.sentinels] == ["97", "98", "99"]


@pytest.mark.parametrize(
    "values",
    [
        [*range(100), *[100] * 9],
        [*range(100), 100_000],
        [*range(-100, 100), *[-9] * 9],
        [100 / size for size in range(1, 13) for _ in range(9)],
        [0, 1] * 9,
        ["Ulm", "Bonn"] * 9,
        [date(2000, 1, 1), date(1970, 1, 1)] * 9,
    ],
)
def test_usual_values_are_no_codes(values):
    """Ends of a range, single outliers, and codes among usual values are left alone."""
    assert content(values).sentinels == ()


def test_outliers_lie_beyond_the_fences():
    """Numbers are counted that lie more than 1.5 and 3 interquartile ranges beyond quartiles."""
    values = [*range(300), *range(301, 1500, 50), *range(-1300, -1, 60)]
    found = content(values).outliers
    numbers = np.array(values)
    first, third = np.quantile(numbers, [0.25, 0.75], method="inverted_cdf")
    reach = third - first
    far = (numbers > third + 3 * reach).sum(), (numbers < first - 3 * reach).sum()
    near = (numbers > third + 1.5 * reach).sum() + (numbers < first - 1.5 * reach).sum()
    assert (found.high, found.low) == far
    assert (found.near, found.far) == (near, sum(far))
    assert min(found.low, found.high, found.near - found.far) > 0


def test_a_code_for_missing_values_is_no_outlier():
    """Sentinels are taken out before outliers are counted."""
    found = content([*range(-9000, -100), *[365243] * 1500])
    assert found.sentinels
    assert found.outliers.far == 0
    assert found.outliers.advice == ""


def test_the_advice_is_an_action_that_hides_the_far_numbers():
    """Top coding at the share that is advised leaves none of the far numbers."""
    values = [*range(1000), 10**6, 10**7]
    found = content(values).outliers
    assert found.advice == "{type: top-bottom, quantiles: [0, 0.998]}"
    top = np.quantile(values, 0.998, method="inverted_cdf")
    assert top < 1000


@pytest.mark.parametrize("values", [[5] * 30, list(range(10)), [0] * 100 + list(range(30))])
def test_numbers_without_spread_have_no_outliers(values):
    """Few values, or most of them equal, give no fences."""
    assert content(values).outliers is None


@pytest.mark.parametrize(
    ("values", "trait"),
    [
        (["2024-01-31", "2023-02-01"], "dates as text"),
        (["31.01.2024", "1.2.23"], "dates as other text"),
        (["01234", "99999"], "leading zeros"),
        (["12,5", "7"], "numbers as text"),
        (["1.234,50", "7"], "numbers as text"),
        ([3, 4], "positive"),
    ],
)
def test_texts_that_are_something_else_are_noticed(values, trait):
    """Dates, numbers and codes that are written as text are told."""
    assert trait in content(values).traits


@pytest.mark.parametrize("value", ["48.52325,16.40120", "10.0.0.1", "2.11.3", "1,2"])
def test_pairs_addresses_and_versions_are_no_numbers(value):
    """Several marks are a number's only where they part groups of three digits."""
    several = [value, value[::-1], "1,234,567.5"]
    assert ("numbers as text" in content(several).traits) == (value == "1,2")


@pytest.mark.parametrize(
    "values",
    [list(range(60)), list(range(60, 0, -1)), [number for number in range(100) for _ in range(4)]],
)
def test_numbers_of_records_and_groups_are_running(values):
    """Numbers that count up along the file, or fill their range once, number records."""
    assert "running" in content(values).traits


@pytest.mark.parametrize(
    "values",
    [
        list(range(30)),
        sorted([17 + at % 70 for at in range(5000)]),
        [0, *range(2, 200), 5],
        [float(at) for at in range(100)],
        [*range(99), None],
    ],
)
def test_other_numbers_are_not_running(values):
    """Few numbers, sorted ages, gaps, real numbers and nulls are no numbering."""
    assert "running" not in content(values).traits


def test_numbers_that_cannot_be_recoded_are_trouble():
    """Infinite numbers are told, and given no hierarchy."""
    found = content([1.0, float("inf")])
    assert "infinite" in found.trouble
    assert found.suggestion is None


def test_durations_have_no_hierarchy():
    """Where no hierarchy fits, none is suggested."""
    assert content([timedelta(days=day) for day in range(9)]).suggestion is None


def test_an_unreadable_column_is_described():
    """A column that is not read keeps the reader's reason."""
    found = unreadable_content("tags", DataError("column 'tags' holds List(String): only …"), 3)
    assert found.trouble == "holds List(String): only …"
    assert (found.counted.records, found.counted.distinct) == (3, 0)


@pytest.mark.parametrize("dtype", [pl.UInt64, pl.Int128, pl.UInt128, pl.Int8])
def test_running_numbers_are_exact_in_every_type_of_integers(dtype):
    """Steps of 1 and of 2 are told apart above 2^53, too, where floating point rounds them."""
    start = {pl.UInt64: 2**64 - 500, pl.Int8: -128}.get(dtype, 2**100)
    column = pl.Series("v", [start + at for at in range(60)], dtype=dtype)
    assert "running" in content_of(column)[0].traits
    assert "running" in content_of(column.shuffle(seed=1))[0].traits
    column = pl.Series("v", [start + 2 * at for at in range(60)], dtype=dtype)
    assert "running" not in content_of(column)[0].traits


def test_a_step_that_wraps_round_is_no_step():
    """From the largest integer to the smallest it is not one more."""
    wrapped = [*range(68, 128), -128, -127]
    assert "running" not in content(wrapped, dtype=pl.Int8).traits


@pytest.mark.parametrize(
    ("usual", "code", "shown"),
    [
        (range(30_000, 90_000, 700), 987_654_321, None),
        (range(30_000, 90_000, 700), 10**9, "1000000000"),
        (range(30_000, 90_000, 700), 9_999_999, "9999999"),
        (range(100), 2**31 - 1, "2147483647"),
        ([0.5 * at for at in range(90)], -54_321.5, None),
    ],
)
def test_only_well_known_codes_are_shown(usual, code, shown):
    """A number far from all others may be somebody's: it is counted, and not named."""
    found = content([*usual, *[code] * 5])
    assert [(one.value, one.records) for one in found.sentinels] == [(shown, 5)]
    assert found.outliers.far == 0
