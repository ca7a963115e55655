"""Laws of encoding: codes stand for values, in their order, and tuples for records."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data import hierarchy
from kanonym.data.errors import DataError, HierarchyError
from kanonym.data.table import encode, encode_column, kind_of, quick_codes, value_codes

SIZES = pl.Enum(["small", "large", "huge"])

COLUMNS = {
    "integers": pl.Series([3, -7, 3, None, 0]),
    "no null": pl.Series([3, -7, 3, 0]),
    "wide": pl.Series([2**63 - 1, -(2**63), 0]),
    "bytes": pl.Series([200, 0, 200], dtype=pl.UInt8),
    "unsigned": pl.Series([2**64 - 1, 0, 2**63, 2**63], dtype=pl.UInt64),
    "huge": pl.Series([2**100, -(2**100), 2**100], dtype=pl.Int128),
    "huge unsigned": pl.Series([2**127, 0, 2**127], dtype=pl.UInt128),
    "huge type": pl.Series([5, -5, 5], dtype=pl.Int128),
    "floats": pl.Series([0.5, -1e9, None, 0.5, 1e-9]),
    "single": pl.Series([0.5, 0.1, 0.5], dtype=pl.Float32),
    "decimals": pl.Series([Decimal("1.50"), Decimal(-2), None, Decimal("1.5")]),
    "booleans": pl.Series([True, False, None, True]),
    "text": pl.Series(["b", "a", "", None, "b", "é", "0042"]),
    "categories": pl.Series(["b", "a", "b", None], dtype=pl.Categorical),
    "ordered": pl.Series(["huge", "small", None, "huge"], dtype=SIZES),
    "dates": pl.Series([date(2020, 2, 29), date(1900, 1, 1), None, date(1900, 1, 1)]),
    "datetimes": pl.Series([datetime(2020, 1, 1, 2), None, datetime(2020, 1, 1, 1)]),
    "zoned": pl.Series([datetime(2020, 1, 1, 2, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)]),
    "times": pl.Series([time(23), time(0), None, time(23)]),
    "durations": pl.Series([timedelta(1), timedelta(-1), timedelta(1)]),
    "nulls": pl.Series([None, None], dtype=pl.Int64),
    "null text": pl.Series([None, None], dtype=pl.String),
    "nothing": pl.Series([None, None]),
    "no rows": pl.Series([], dtype=pl.Int64),
    "no text": pl.Series([], dtype=pl.String),
}


def texts(column):
    """Return a column as text where encoding does so: categories and booleans."""
    plain = column.dtype in (pl.Categorical, pl.Boolean)
    return (column.cast(pl.String) if plain else column).to_list()


def decoded(domain, codes):
    """Return the values that codes stand for."""
    values = [*domain.values.to_list(), *([None] if domain.has_null else [])]
    return [values[code] for code in codes]


# --- one column --------------------------------------------------------------


@pytest.mark.parametrize("by_value", [False, True])
@pytest.mark.parametrize("name", COLUMNS)
def test_codes_stand_for_their_values(name, by_value):
    """Each code leads back to the value of its row, for every type of column."""
    column = COLUMNS[name].alias("x")
    domain, codes = encode_column(column, by_value=by_value)
    assert codes.dtype == np.int32
    assert decoded(domain, codes.tolist()) == texts(column)
    assert domain.name == "x"
    assert domain.observed.tolist() == [True] * domain.size


@pytest.mark.parametrize("name", COLUMNS)
def test_null_is_the_last_code(name):
    """Null, where a column has one, is a value of its own after all others."""
    column = COLUMNS[name]
    domain, codes = encode_column(column)
    assert domain.has_null == (column.null_count() > 0)
    assert domain.null_code == (len(domain.values) if domain.has_null else -1)
    assert (codes == domain.null_code).tolist() == column.is_null().to_list()
    assert domain.values.null_count() == 0


@pytest.mark.parametrize("name", COLUMNS)
def test_values_ascend(name):
    """Numbers, times and ordered categories stand in their own order, nominal values by value."""
    domain, _ = encode_column(COLUMNS[name], by_value=True)
    assert domain.values.n_unique() == len(domain.values)
    assert domain.values.equals(domain.values.sort())


@pytest.mark.parametrize("name", ["integers", "unsigned", "huge", "decimals", "dates", "ordered"])
def test_values_keep_their_type(name):
    """The values of a domain have the type of the column, and its precision."""
    domain, _ = encode_column(COLUMNS[name])
    assert domain.values.dtype == COLUMNS[name].dtype


def test_nominal_values_stand_by_frequency():
    """The most frequent value comes first, ties by value, null last whatever its frequency."""
    column = pl.Series(["c", "b", None, "c", "a", None, None, "b", "d"])
    domain, codes = encode_column(column)
    assert domain.values.to_list() == ["b", "c", "a", "d"]
    assert codes.tolist() == [1, 0, 4, 1, 2, 4, 4, 0, 3]


def test_ordered_categories_stand_in_their_order():
    """An enumeration keeps its own order; values that nobody has are left out."""
    domain, codes = encode_column(COLUMNS["ordered"])
    assert domain.values.to_list() == ["small", "huge"]
    assert codes.tolist() == [1, 0, 2, 1]


def test_both_zeros_are_one_value():
    """0.0 and -0.0 are equal, and which of them stands first in the table does not matter."""
    for column in ([0.0, -0.0], [-0.0, 0.0]):
        domain, codes = encode_column(pl.Series(column))
        assert codes.tolist() == [0, 0]
        assert str(domain.values[0]) == "0.0"


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        (pl.Int8(), "number"),
        (pl.Float32(), "number"),
        (pl.Decimal(10, 2), "number"),
        (pl.Date(), "temporal"),
        (pl.Duration(), "temporal"),
        (pl.Time(), "temporal"),
        (SIZES, "ordered"),
        (pl.Categorical(), "nominal"),
        (pl.Boolean(), "nominal"),
        (pl.String(), "nominal"),
        (pl.Null(), "nominal"),
    ],
)
def test_the_type_of_a_column_says_how_its_values_are_ordered(dtype, kind):
    """Only numbers, times and enumerations have an order of their own."""
    assert kind_of(dtype) == kind


@given(values=st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))))
def test_any_integers_are_encoded(values):
    """Codes of integers are ranks, for small and for wide ranges."""
    domain, codes = encode_column(pl.Series(values, dtype=pl.Int64))
    ranks = sorted({value for value in values if value is not None})
    assert codes.tolist() == [len(ranks) if v is None else ranks.index(v) for v in values]
    assert domain.values.to_list() == ranks


# --- with a hierarchy --------------------------------------------------------

CITIES = {"Paris": "France", "Rome": "Italy", "Lyon": "France", "Milan": "Italy"}


def test_with_a_hierarchy_values_stand_in_its_order():
    """Codes are leaves of the tree, those included that the column does not hold."""
    column = pl.Series("city", ["Rome", "Paris", "Rome", "Lyon"])
    domain, codes = encode_column(column, hierarchy.from_mapping(CITIES))
    assert domain.values.to_list() == domain.hierarchy.values.to_list()
    assert domain.hierarchy.size == domain.size == 4
    assert decoded(domain, codes.tolist()) == column.to_list()
    assert dict(zip(domain.values, domain.observed.tolist(), strict=True)) == {
        "Paris": True,
        "Lyon": True,
        "Rome": True,
        "Milan": False,
    }
    assert (np.diff(domain.hierarchy.codes, axis=1) >= 0).all()


def test_null_is_the_last_leaf():
    """A null of the column is a branch of its own, after all values."""
    column = pl.Series("city", ["Rome", None])
    domain, codes = encode_column(column, hierarchy.from_mapping(CITIES))
    assert codes.tolist() == [domain.values.to_list().index("Rome"), 4]
    assert (domain.size, domain.null_code, domain.observed[4]) == (5, 4, True)


def test_a_null_that_only_the_hierarchy_knows_is_a_code():
    """The hierarchy's null is in the domain, and not observed."""
    domain, codes = encode_column(
        pl.Series("x", ["a", "a"]), hierarchy.from_mapping({"a": "A", None: "N", "b": "A"})
    )
    assert domain.has_null
    assert not domain.observed[domain.null_code]
    assert decoded(domain, codes.tolist()) == ["a", "a"]


def test_a_value_missing_from_the_hierarchy_is_an_error():
    """The error names column and value."""
    with pytest.raises(HierarchyError, match=r"'city'.*'Oslo'"):
        encode_column(pl.Series("city", ["Oslo"]), hierarchy.from_mapping(CITIES))


@pytest.mark.parametrize("name", COLUMNS)
def test_every_type_goes_through_a_flat_hierarchy(name):
    """Codes lead back to the values where the hierarchy is made of the column itself."""
    column = COLUMNS[name].alias("x")
    if column.dtype == pl.Duration:
        return  # there is no hierarchy over durations
    domain, codes = encode_column(column, hierarchy.flat())
    assert decoded(domain, codes.tolist()) == texts(column)
    assert domain.observed.all()


# --- value_codes -------------------------------------------------------------


@pytest.mark.parametrize("name", COLUMNS)
def test_value_codes_are_equal_where_values_are(name):
    """Two rows have one code exactly where their values are equal; null equals itself."""
    column = COLUMNS[name]
    codes, size = value_codes(column)
    assert codes.dtype == np.int32
    assert len(codes) == len(column)
    assert all(0 <= code < size for code in codes.tolist())
    values = column.to_list()
    assert len(set(zip(values, codes.tolist(), strict=True))) == len(set(values))
    assert len(set(codes.tolist())) == len(set(values))


QUICK = {
    *("integers", "no null", "bytes", "booleans", "categories", "ordered", "dates", "nulls"),
    *("no rows", "no text", "text", "null text"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_quick_codes_need_no_hash_table(name):
    """Categories, Booleans, dates, small integers and few texts have quick codes: value codes."""
    quick = quick_codes(COLUMNS[name])
    assert (quick is not None) == (name in QUICK)
    if quick is not None:
        codes, size = value_codes(COLUMNS[name])
        assert (quick[0].tolist(), quick[1]) == (codes.tolist(), size)


def test_categories_that_no_row_has_are_no_value():
    """Unobserved categories change no code of an observed one, and null differs from all."""
    column = pl.Series(["b", None, "b"], dtype=pl.Enum(["a", "b", "c"]))
    codes, size = value_codes(column)
    assert len(set(codes.tolist())) == 2
    assert max(codes) < size


@given(values=st.lists(st.one_of(st.none(), st.text(max_size=3))))
def test_value_codes_of_texts_are_equal_where_texts_are(values):
    """Any text is its own value, the empty one too."""
    codes, size = value_codes(pl.Series(values, dtype=pl.String))
    assert len(set(zip(values, codes.tolist(), strict=True))) == len(set(values))
    assert len(set(codes.tolist())) == len(set(values))
    assert max(codes, default=0) < size


# --- whole tables ------------------------------------------------------------

CELLS = {
    "age": st.one_of(st.none(), st.integers(0, 3)),
    "city": st.sampled_from([None, "x", "y"]),
    "illness": st.sampled_from([None, "flu", "cold"]),
}


@given(rows=st.lists(st.tuples(*CELLS.values()), max_size=30), exclude=st.booleans())
def test_tuples_are_the_distinct_records(rows, exclude):
    """Equal records share one tuple, whose weight is their number; an excluded null is -1."""
    age, city, illness = (
        pl.Series(name, [row[i] for row in rows], dtype=pl.Int64 if name == "age" else pl.String)
        for i, name in enumerate(CELLS)
    )
    table = encode([(age, None), (city, None)], [(illness, None, exclude)], len(rows))
    assert table.n_rows == len(rows)
    assert [domain.name for domain in table.domains] == ["age", "city"]
    (hidden,) = table.sensitive
    assert not (exclude and hidden.has_null)
    values = [*hidden.values.to_list(), None]  # -1 is the last one, too
    tuples = [
        (
            *(
                decoded(domain, [code])[0]
                for domain, code in zip(table.domains, codes, strict=True)
            ),
            values[secret[0]],
        )
        for codes, secret in zip(table.codes.tolist(), table.sensitive_codes.tolist(), strict=True)
    ]
    assert dict(zip(tuples, table.weights.tolist(), strict=True)) == Counter(rows)
    assert [tuples[i] for i in table.tuple_of_row] == rows
    assert (table.sensitive_codes < hidden.size).all()


@given(rows=st.lists(st.tuples(*CELLS.values()), max_size=30), seed=st.integers(0, 99))
def test_order_of_records_does_not_matter(rows, seed):
    """Shuffled records have the same tuples, weights and domains."""
    order = np.random.default_rng(seed).permutation(len(rows))
    age, city, illness = (
        pl.Series(name, [row[i] for row in rows], dtype=pl.Int64 if name == "age" else pl.String)
        for i, name in enumerate(CELLS)
    )
    one, other = (
        encode(
            [(age.gather(rows_), None), (city.gather(rows_), None)],
            [(illness.gather(rows_), None, False)],
            len(rows),
        )
        for rows_ in (np.arange(len(rows)), order)
    )
    assert one.codes.tolist() == other.codes.tolist()
    assert one.sensitive_codes.tolist() == other.sensitive_codes.tolist()
    assert one.weights.tolist() == other.weights.tolist()
    assert [d.values.to_list() for d in one.domains] == [d.values.to_list() for d in other.domains]
    assert one.tuple_of_row[order].tolist() == other.tuple_of_row.tolist()


def test_tuples_stand_in_the_order_of_their_codes():
    """Tuples are sorted by quasi-identifier, then by sensitive value."""
    rng = np.random.default_rng(0)
    a, b, s = (pl.Series(name, rng.integers(0, 4, 200)) for name in "abs")
    table = encode([(a, None), (b, None)], [(s, None, False)], 200)
    tuples = np.hstack([table.codes, table.sensitive_codes]).tolist()
    assert tuples == sorted(tuples)
    assert table.codes.flags.c_contiguous
    assert table.sensitive_codes.flags.c_contiguous


def test_sensitive_values_stand_by_value():
    """Sensitive text is in the order of its values, for the ordered distance, not of frequency."""
    table = encode([], [(pl.Series("s", ["b", "b", "a"]), None, False)], 3)
    assert table.sensitive[0].values.to_list() == ["a", "b"]


def test_an_excluded_null_leaves_the_hierarchy_its_values():
    """Where null does not count, the domain is the hierarchy's leaves without it."""
    column = pl.Series("city", ["Rome", None, "Paris"])
    table = encode([], [(column, hierarchy.from_mapping(CITIES), True)], 3)
    (domain,) = table.sensitive
    assert (domain.size, domain.has_null, len(domain.observed)) == (4, False, 4)
    assert table.sensitive_codes.min() == -1


def test_an_attribute_of_excluded_nulls_alone_has_no_values():
    """A sensitive column without any value has an empty domain where null is excluded."""
    table = encode([], [(pl.Series("s", [None, None], dtype=pl.String), None, True)], 2)
    assert table.sensitive[0].size == 0
    assert table.sensitive_codes.tolist() == [[-1]]
    assert table.weights.tolist() == [2]


def test_a_table_without_columns_is_one_tuple():
    """Records of which nothing is known are all equal."""
    table = encode([], [], 3)
    assert (table.codes.shape, table.sensitive_codes.shape) == ((1, 0), (1, 0))
    assert (table.weights.tolist(), table.tuple_of_row.tolist()) == ([3], [0, 0, 0])


@pytest.mark.parametrize(
    "source",
    [None, hierarchy.from_mapping({"1": "*"}), hierarchy.flat(), hierarchy.intervals(width=[5])],
)
def test_no_records_are_no_tuples(source):
    """An empty table is encoded, with a hierarchy too."""
    column = pl.Series("x", [], dtype=pl.Int64)
    table = encode([(column, source)], [(column, source, False)], 0)
    assert table.codes.shape == (0, 1)
    assert table.n_rows == len(table.weights) == 0


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ([1.0, None, float("inf"), float("inf")], "row 3: inf is not a finite number"),
        ([float("-inf"), 2.0], "row 1: -inf is not a finite number"),
        ([None, 2.0, -1e200], r"row 3: -1e\+200 is beyond ±1e\+150"),
    ],
)
def test_numbers_without_bounds_are_refused(values, place):
    """An infinite or immense number in a quasi-identifier is an error that names its cell."""
    column = pl.Series("income", values)
    with pytest.raises(DataError, match=f"column 'income', {place}"):
        encode([(column, None)], [], len(values))
    encode([], [(column, None, False)], len(values))  # a sensitive one is released as it is
