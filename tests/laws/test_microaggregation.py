"""What holds of every release by microaggregation, whatever the numbers."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from conftest import FRAMES
from effort import examples
from kanonym.data.frames import to_polars

GRADES = ["low", "middle", "high"]
NUMBERS = st.one_of(st.integers(-5, 5), st.sampled_from([0.25, 1e6, -1e-3, 7.5]))


@st.composite
def asked(draw):
    """Draw a table of 1 to 30 records and a k that it has room for."""
    n = draw(st.integers(1, 30))
    columns = {name: [float(draw(NUMBERS)) for _ in range(n)] for name in ("a", "b")}
    return {**columns, "other": list(range(n))}, draw(st.integers(1, n))


@st.composite
def mixed(draw):
    """Draw a table of numbers, days, grades and towns, some towns missing, and a k."""
    n = draw(st.integers(1, 25))
    columns = {
        "a": [draw(st.integers(0, 9)) for _ in range(n)],
        "b": [dt.date(2020, 1, 1) + dt.timedelta(draw(st.integers(0, 60))) for _ in range(n)],
        "c": pl.Series([draw(st.sampled_from(GRADES)) for _ in range(n)], dtype=pl.Enum(GRADES)),
        "d": [draw(st.sampled_from(["x", "y", "z", None])) for _ in range(n)],
        "other": list(range(n)),
    }
    schema = {"b": pl.Date, "d": pl.String}
    return pl.DataFrame(columns, schema_overrides=schema), draw(st.integers(1, n))


def released(frame, k, **options):
    """Release the means of classes of k."""
    return ka.anonymize(
        frame,
        quasi_identifiers=["a", "b"],
        others="insensitive",
        k=k,
        algorithm=ka.MDAV(**options),
        keep_order=True,
    )


def of_mixed(frame, k, **options):
    """Release the centroids of classes of k, means of numbers as whole ones."""
    return ka.anonymize(
        frame,
        quasi_identifiers=["a", "b", "c", "d"],
        others="insensitive",
        k=k,
        algorithm=ka.MDAV(**options),
        keep_order=True,
        keep_integers=True,
    )


@settings(max_examples=examples(60), deadline=None)
@given(case=asked(), standardize=st.booleans())
def test_every_record_is_released_once_among_k(case, standardize):
    """None is dropped, and at least k share what is released of their quasi-identifiers."""
    columns, k = case
    release = released(pl.DataFrame(columns), k, standardize=standardize)
    assert release.frame["other"].to_list() == columns["other"]
    assert min(Counter(release.frame.select("a", "b").iter_rows()).values()) >= k
    assert release.verification.satisfied


@settings(max_examples=examples(60), deadline=None)
@given(case=mixed(), standardize=st.booleans())
def test_classes_of_mixed_tables_release_values_of_their_own_type(case, standardize):
    """At least k share each row of centroids, every column has its type and no new value.

    Ordered categories are those that occur.
    """
    frame, k = case
    release = of_mixed(frame, k, standardize=standardize)
    assert release.verification.satisfied
    kinds = [one.base_type() for one in frame.dtypes]
    assert [one.base_type() for one in release.frame.dtypes] == kinds
    assert min(Counter(release.frame.drop("other").iter_rows()).values()) >= k
    for name in ("b", "c", "d"):
        assert set(release.frame[name]) <= set(frame[name])
    assert frame["a"].min() <= release.frame["a"].min()
    assert release.frame["a"].max() <= frame["a"].max()


@settings(max_examples=examples(60), deadline=None)
@given(case=asked())
def test_means_of_columns_stay(case):
    """A class releases its own mean, so the table keeps its means."""
    columns, k = case
    frame = released(pl.DataFrame(columns), k).frame
    for name in ("a", "b"):
        scale = max(1.0, *map(abs, columns[name]))
        assert frame[name].sum() == pytest.approx(sum(columns[name]), abs=1e-9 * scale * len(frame))


@settings(max_examples=examples(40), deadline=None)
@given(case=asked(), seed=st.integers(0, 2**32 - 1))
def test_the_order_of_records_does_not_matter(case, seed):
    """The same records in another order release the same values."""
    columns, k = case
    frame = pl.DataFrame(columns)
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=seed)
    one, other = (
        Counter(released(table, k).frame.select("a", "b").iter_rows())
        for table in (frame, shuffled)
    )
    assert one == other


@settings(max_examples=examples(40), deadline=None)
@given(case=mixed(), seed=st.integers(0, 2**32 - 1))
def test_the_order_of_mixed_records_does_not_matter(case, seed):
    """So do records of all kinds, where many are equally far."""
    frame, k = case
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=seed)
    one, other = (
        Counter(of_mixed(table, k).frame.drop("other").iter_rows()) for table in (frame, shuffled)
    )
    assert one == other


@settings(max_examples=examples(10), deadline=None)
@given(case=asked())
def test_every_frame_library_gives_the_same(case):
    """pandas, polars and pyarrow come in, and the same values go out."""
    columns, k = case
    found = [
        to_polars(released(make(columns), k).frame).select("a", "b").rows()
        for make in FRAMES.values()
    ]
    assert all(one == found[0] for one in found)
