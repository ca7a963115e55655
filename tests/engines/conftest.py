"""Engines as fixtures: real ones, started here, on the loopback interface alone.

Each engine has a group of its own (`xdist_group`): its tests run in one process, one after the
other, and it is started once.
"""

from __future__ import annotations

import importlib.util
import secrets

import pytest

from engines.held_tables import (  # noqa: F401 - fixtures
    engine_holder,
    held_by_duckdb,
    held_by_pandas,
    held_by_postgresql,
    held_by_pyarrow,
    held_by_spark,
    held_by_sqlite,
    holder,
)
from engines.postgres_servers import create_database, postgres_server
from kanonym.engines import scan_duckdb
from kanonym.engines.database import scan_database, write_table

ENGINES = ["duckdb", "sqlite", "postgresql"]

if importlib.util.find_spec("engines") and importlib.util.find_spec("engines.spark_sessions"):
    from engines.spark_sessions import spark  # noqa: F401 - a fixture

    ENGINES.append("spark")


def engines(*names):
    """Return engines as parameters, each in its group."""
    return [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in names]


@pytest.fixture(params=engines(*ENGINES))
def source(request, tmp_path):
    """Return a function that gives a frame to an engine and returns the source of it."""
    made = []
    giving = _FUNCTIONS[request.param](request, tmp_path)

    def give(frame):
        made.append(giving(frame))
        return made[-1]

    yield give
    for one in made:
        one.store.close()


@pytest.fixture(params=engines("sqlite", "postgresql"))
def database(request, tmp_path):
    """Return the URL of an empty database of each kind."""
    return _url(request.param, request, tmp_path)


@pytest.fixture(scope="session")
def postgres():
    """Return the URL of a database of a PostgreSQL server that is started for these tests."""
    with postgres_server() as url:
        yield url


def _url(kind, request, tmp_path):
    """Return the URL of an empty database."""
    if kind == "sqlite":
        return f"sqlite:///{tmp_path / 'tables.db'}"
    url = request.getfixturevalue("postgres")
    return create_database(url)


def _duckdb(_request, _tmp_path):
    return scan_duckdb


def _in_database(kind):
    def made(request, tmp_path):
        url = _url(kind, request, tmp_path)

        def give(frame):
            table = f"patients_{secrets.token_hex(4)}"
            write_table(frame, url, table)
            return scan_database(url, table)

        return give

    return made


def _spark(request, _tmp_path):
    from kanonym.engines.spark import scan_spark

    session = request.getfixturevalue("spark")
    return lambda frame: scan_spark(session.createDataFrame(frame.to_arrow()))


_FUNCTIONS = {
    "duckdb": _duckdb,
    "sqlite": _in_database("sqlite"),
    "postgresql": _in_database("postgresql"),
    "spark": _spark,
}
