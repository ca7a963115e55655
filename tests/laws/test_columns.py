"""What holds of every release whose columns were grouped alone, or by k-means."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from conftest import FRAMES
from effort import examples
from kanonym.data.frames import to_polars

NUMBERS = st.one_of(st.integers(-5, 5), st.sampled_from([0.25, 1e6, -1e-3, 7.5]))
ALGORITHMS = {
    "kmeans": ka.algorithms.KMeans(3),
    "kmeans-as-they-are": ka.algorithms.KMeans(2, standardize=False, seed=5),
    "kmeans-columns": ka.algorithms.KMeans(3, per_column=True),
    "individual-ranking": ka.algorithms.IndividualRanking(3),
}


@st.composite
def asked(draw):
    """Draw a table of 3 to 30 records, the first three different, and a k that it has room for."""
    n = draw(st.integers(0, 27))
    columns = {
        name: [1.0, 2.0, 3.0] + [float(draw(NUMBERS)) for _ in range(n)] for name in ("a", "b")
    }
    return {**columns, "other": list(range(n + 3))}, draw(st.integers(2, n + 3))


def released(frame, algorithm, **models):
    """Release a table by an algorithm, its records in their order."""
    return ka.anonymize(
        frame,
        quasi_identifiers=["a", "b"],
        others="insensitive",
        algorithm=ALGORITHMS[algorithm],
        keep_order=True,
        **models,
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=examples(40), deadline=None)
@given(case=asked())
def test_every_record_is_released_once_among_k(algorithm, case):
    """None is dropped, and at least k share what is released of their quasi-identifiers."""
    columns, k = case
    release = released(pl.DataFrame(columns), algorithm, k=k)
    assert release.frame["other"].to_list() == columns["other"]
    assert min(Counter(release.frame.select("a", "b").iter_rows()).values()) >= k
    assert release.verification.satisfied
    assert ka.verify(release.frame, release.policy).satisfied


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=examples(40), deadline=None)
@given(case=asked())
def test_means_of_columns_stay(algorithm, case):
    """A class or a group releases its own mean, so the table keeps its means, merged or not."""
    columns, k = case
    frame = released(pl.DataFrame(columns), algorithm, k=k).frame
    for name in ("a", "b"):
        scale = max(1.0, *map(abs, columns[name]))
        assert frame[name].sum() == pytest.approx(sum(columns[name]), abs=1e-9 * scale * len(frame))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=examples(30), deadline=None)
@given(case=asked(), seed=st.integers(0, 2**32 - 1), enforce=st.booleans())
def test_the_order_of_records_does_not_matter(algorithm, case, seed, enforce):
    """The same records in another order release the same values."""
    columns, k = case
    models = {"k": k} if enforce else {}
    frame = pl.DataFrame(columns)
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=seed)
    one, other = (
        Counter(released(table, algorithm, **models).frame.select("a", "b").iter_rows())
        for table in (frame, mixed)
    )
    assert one == other


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=examples(5), deadline=None)
@given(case=asked())
def test_every_frame_library_gives_the_same(algorithm, case):
    """pandas, polars and pyarrow come in, and the same values go out."""
    columns, k = case
    found = [
        to_polars(released(make(columns), algorithm, k=k).frame).select("a", "b").rows()
        for make in FRAMES.values()
    ]
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize("recoding", ["interval", "set", "median", "range"])
@settings(max_examples=examples(20), deadline=None)
@given(case=asked())
def test_any_recoding_pairs_with_groups_of_columns(recoding, case):
    """Classes of columns grouped alone are verified whatever is released of a group."""
    columns, k = case
    release = released(pl.DataFrame(columns), "individual-ranking", k=k, recoding=recoding)
    assert release.verification.satisfied
    assert 0 <= release.utility.gcp <= 1
    assert release.rows_out == len(columns["a"])
