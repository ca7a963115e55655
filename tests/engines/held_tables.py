"""A table as each library and each engine holds it, what reads its release, and where that is."""

from __future__ import annotations

import secrets

import polars as pl
import pytest

import kanonym as ka

HOLDERS = ["pandas", "pyarrow", "duckdb", "sqlite", "postgresql", "spark"]


def group(name):
    """Return a kind of table as a parameter: its tests run in one process, beside one server."""
    return pytest.param(name, marks=pytest.mark.xdist_group(name))


@pytest.fixture(params=[group(name) for name in HOLDERS])
def holder(request):
    """Return three functions: hold a table, read its release, and say where that is written."""
    return request.getfixturevalue(f"held_by_{request.param}")


def nowhere():
    """Return no place: the release is a table of the same kind."""
    return


@pytest.fixture
def held_by_pandas():
    """Pandas frames."""
    return pl.DataFrame.to_pandas, lambda release: pl.from_pandas(release.frame), nowhere


@pytest.fixture
def held_by_pyarrow():
    """Arrow tables."""
    return pl.DataFrame.to_arrow, lambda release: pl.from_arrow(release.frame), nowhere


@pytest.fixture
def held_by_duckdb():
    """Relations of DuckDB."""
    duckdb = pytest.importorskip("duckdb", reason="needs kanonym[duckdb]")
    with duckdb.connect() as connection:
        yield (
            lambda table: connection.from_arrow(table.to_arrow()),
            lambda release: release.frame.pl(),
            nowhere,
        )


@pytest.fixture
def held_by_sqlite(tmp_path):
    """Tables of SQLite."""
    yield from held_by_database(f"sqlite:///{tmp_path / 'clinic.db'}")


@pytest.fixture
def held_by_postgresql(postgres):
    """Tables of PostgreSQL."""
    yield from held_by_database(postgres)


@pytest.fixture
def held_by_spark(spark):
    """Yield DataFrames of Spark."""

    def hold(table):
        return spark.createDataFrame(table.to_arrow(compat_level=pl.CompatLevel.oldest()))

    yield hold, lambda release: pl.from_arrow(release.frame.toArrow()), nowhere
    spark.catalog.clearCache()  # a release without a place keeps what it is computed from


def held_by_database(url):
    """Yield what writes tables into a database, and reads what is released there."""
    from kanonym.engines.database import write_table

    current = []

    def hold(table):
        current[:] = [f"patients_{secrets.token_hex(4)}"]
        write_table(table, url, current[0])
        return ka.engines.scan_database(url, current[0])

    yield (
        hold,
        lambda release: reading(ka.engines.scan_database(url, release.frame)),
        lambda: f"{current[0]}_r",
    )


def reading(source):
    """Return all rows of a source."""
    found = source.store.fetch(source.query)
    source.store.close()
    return found


@pytest.fixture(params=[group(name) for name in HOLDERS[2:]])
def engine_holder(request):
    """Return what an engine holds, as `holder`."""
    return request.getfixturevalue(f"held_by_{request.param}")


def ordered(frame):
    """Return the rows of a release in an order of their own, in types that all engines have."""
    plain = frame.with_columns(
        pl.col(pl.Categorical, pl.Enum).cast(pl.String),
        pl.col(pl.Int8, pl.Int16, pl.Int32).cast(pl.Int64),
    )
    return plain.sort(plain.columns, nulls_last=True)
