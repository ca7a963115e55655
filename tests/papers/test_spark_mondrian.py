"""Inputs on which the published Mondrian for Spark releases classes below k, or records raw.

Scalable distributed Mondrian (De Capitani di Vimercati et al., IEEE TBD 2022) cuts the table into
fragments by quantiles of one column, and each fragment by itself, at its medians. `published`
restates these rules; what it is shown to do follows from them: fragments are not checked, a null
is on neither side of a cut, and a median that is the minimum cuts nothing.
"""

from __future__ import annotations

import statistics

import polars as pl
import pytest

import kanonym as ka
from engines.spark_sessions import spark  # noqa: F401 - a fixture

K = 5
NAMES = ["age", "post"]
ENGINES = [
    pytest.param("local"),
    pytest.param("duckdb", marks=pytest.mark.xdist_group("duckdb")),
    pytest.param("spark", marks=pytest.mark.xdist_group("spark")),
]


def by_quantiles(rows, n):
    """Return the fragments of rows: by n quantiles of the first column, linearly interpolated."""
    if n == 1:
        return [rows]
    ages = [row[0] for row in rows]
    ends = statistics.quantiles(ages, n=n, method="inclusive")
    assert len({min(ages), *ends, max(ages)}) == n + 1, "it needs distinct quantiles"
    fragments = [[] for _ in range(n)]
    for row in rows:
        fragments[sum(row[0] >= end for end in ends)].append(row)
    return fragments


def span(rows, column):
    """Return the number of distinct values, the published score of a column."""
    return len({row[column] for row in rows} - {None})


def cut(rows):
    """Return two sides of k rows at least, by the best column that has them; None without one."""
    for column in sorted(range(2), key=lambda one: -span(rows, one)):
        known = [row for row in rows if row[column] is not None]
        if not known:
            continue
        median = statistics.median(row[column] for row in known)
        sides = (
            [row for row in known if row[column] < median],
            [row for row in known if row[column] >= median],
        )
        if min(map(len, sides)) >= K:
            return sides
    return None


def published(rows, n_fragments=1):
    """Return the classes of the published algorithm, and the rows that are in none of them."""
    waiting, classes = by_quantiles(rows, n_fragments), []
    while waiting:
        part = waiting.pop(0)
        sides = cut(part)
        if sides is None:
            classes.append(part)
        else:
            waiting += sides
    return classes, len(rows) - sum(map(len, classes))


TINY = [(20 + one, 100 + one % 7) for one in range(24)]
SKEWED = [(1, 100)] + [(5, 100 + one) for one in range(60)] + [(9, 300 + one) for one in range(40)]
MISSING = [(None if one % 5 == 0 else 20 + one, 100 + one % 4) for one in range(100)]
AT_MINIMUM = [(max(one - 60, 0), 100) for one in range(100)]


@pytest.fixture(params=ENGINES)
def released(request, tmp_path):
    """Return a function that releases rows on an engine, and returns the release as written."""

    def release(rows):
        frame = pl.DataFrame(rows, schema=dict.fromkeys(NAMES, pl.Int64), orient="row")
        source = frame
        if request.param == "duckdb":
            pytest.importorskip("duckdb", reason="needs DuckDB: pip install 'kanonym[duckdb]'")
            source = ka.engines.scan_duckdb(frame)
        elif request.param == "spark":
            session = request.getfixturevalue("spark")
            source = ka.engines.scan_spark(session.createDataFrame(frame.to_arrow()))
        place = tmp_path / "release.parquet"
        found = ka.anonymize(
            source, quasi_identifiers=NAMES, k=K, algorithm=ka.Mondrian(), output=place
        )
        files = sorted(place.glob("*.parquet")) if place.is_dir() else place
        return found, pl.read_parquet(files)

    return release


def sizes(written):
    """Return the sizes of the groups of records that look alike."""
    return written.group_by(written.columns).len()["len"]


def test_published_fragment_below_k():
    """Published: a fragment of fewer than k records is a class."""
    classes, lost = published(TINY, n_fragments=8)
    assert (max(map(len, classes)), lost) == (3, 0)


def test_published_skewed_quantile():
    """Published: a value that many records have leaves a fragment of one record beside it."""
    classes, _ = published(SKEWED, n_fragments=2)
    assert min(map(len, classes)) == 1


def test_published_null_in_no_class():
    """Published: records without a value of the column that is cut are in no class."""
    _, lost = published(MISSING)
    assert lost == 20


def test_published_median_at_minimum():
    """Published: a column is not cut where more than half of its records have its minimum."""
    classes, _ = published(AT_MINIMUM)
    assert len(classes) == 1


@pytest.mark.parametrize("rows", [TINY, SKEWED, MISSING], ids=["tiny", "skewed", "missing"])
def test_ours_is_verified(released, rows):
    """Ours: of the same records every one is released, in groups of k at least as written."""
    found, written = released(rows)
    assert found.verification.satisfied
    assert sizes(written).sum() == len(rows)
    assert sizes(written).min() >= K


def test_ours_cuts_at_minimum(released):
    """Ours: a column is cut where more than half of its records have its minimum."""
    found, written = released(AT_MINIMUM)
    assert found.verification.n_classes == len(sizes(written)) > 1
    assert sizes(written).min() >= K
