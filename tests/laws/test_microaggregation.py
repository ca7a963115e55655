"""What holds of every release by microaggregation, whatever the numbers."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from conftest import FRAMES
from kanonym.data.frames import to_polars

NUMBERS = st.one_of(st.integers(-5, 5), st.sampled_from([0.25, 1e6, -1e-3, 7.5]))


@st.composite
def asked(draw):
    """Draw a table of 1 to 30 records and a k that it has room for."""
    n = draw(st.integers(1, 30))
    columns = {name: [float(draw(NUMBERS)) for _ in range(n)] for name in ("a", "b")}
    return {**columns, "other": list(range(n))}, draw(st.integers(1, n))


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


@settings(max_examples=60, deadline=None)
@given(case=asked(), standardize=st.booleans())
def test_every_record_is_released_once_among_k(case, standardize):
    """None is dropped, and at least k share what is released of their quasi-identifiers."""
    columns, k = case
    release = released(pl.DataFrame(columns), k, standardize=standardize)
    assert release.frame["other"].to_list() == columns["other"]
    assert min(Counter(release.frame.select("a", "b").iter_rows()).values()) >= k
    assert release.verification.satisfied


@settings(max_examples=60, deadline=None)
@given(case=asked())
def test_means_of_columns_stay(case):
    """A class releases its own mean, so the table keeps its means."""
    columns, k = case
    frame = released(pl.DataFrame(columns), k).frame
    for name in ("a", "b"):
        scale = max(1.0, *map(abs, columns[name]))
        assert frame[name].sum() == pytest.approx(sum(columns[name]), abs=1e-9 * scale * len(frame))


@settings(max_examples=40, deadline=None)
@given(case=asked(), seed=st.integers(0, 2**32 - 1))
def test_the_order_of_records_does_not_matter(case, seed):
    """The same records in another order release the same values."""
    columns, k = case
    frame = pl.DataFrame(columns)
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=seed)
    one, other = (
        Counter(released(table, k).frame.select("a", "b").iter_rows()) for table in (frame, mixed)
    )
    assert one == other


@settings(max_examples=10, deadline=None)
@given(case=asked())
def test_every_frame_library_gives_the_same(case):
    """pandas, polars and pyarrow come in, and the same values go out."""
    columns, k = case
    found = [
        to_polars(released(make(columns), k).frame).select("a", "b").rows()
        for make in FRAMES.values()
    ]
    assert all(one == found[0] for one in found)
