"""The statement that judges a table in SQL says what the models say of its classes."""

from __future__ import annotations

import datetime as dt
import random
import secrets
import sqlite3

import duckdb
import numpy as np
import polars as pl
import pytest
import sqlglot

from engines.conftest import ENGINES, engines
from kanonym.data.errors import PolicyError
from kanonym.engines.database import write_table
from kanonym.engines.sql.model_query import figures_query, violations_query
from kanonym.engines.sql.statements import DIALECTS, EXECUTED
from kanonym.metrics.disclosure import measure_table
from kanonym.policy import Policy
from kanonym.verification.released_classes import (
    SensitiveColumn,
    classes_of_release,
    group_released,
)

TEXTS = [None, "x", "O'Neil", "select", '"q"', "a;b --", "{0}"]
DATES = [None, dt.date(2020, 1, 1), dt.date(2021, 5, 6)]
VALUES = {
    "integers": [1, 2, 3, None],
    "numbers": [1.5, 2.25, 7.0],
    "texts": ["a", "B", "c", "Ä", None],
    "dates": DATES,
}
NAMES = {"order": "group", "day": "k0", "value": 'it\'s "v"', "person": "who"}


def drawn_models(rng, attribute, person):
    """Draw one to three requirements."""
    of = {"attribute": attribute}
    pool = [
        {"type": "k-anonymity", "k": rng.choice([1, 2, 3, 5])},
        {"type": "k-anonymity", "k": 2, "entity": person},
        {"type": "l-diversity", **of, "l": rng.choice([1, 2, 3])},
        {"type": "l-diversity", **of, "l": rng.choice([1.2, 1.9, 2]), "kind": "entropy"},
        {"type": "l-diversity", **of, "l": 2, "kind": "recursive", "c": rng.choice([0.5, 1, 3])},
        {"type": "alpha-k-anonymity", **of, "k": 2, "alpha": rng.choice([0.4, 0.5, 2 / 3])},
        {"type": "delta-disclosure", **of, "delta": rng.choice([0.5, 1, 2])},
        {"type": "average-risk", "threshold": rng.choice([0.1, 0.3, 0.5])},
        {"type": "sample-uniqueness", "threshold": rng.choice([0, 0.1, 0.2])},
    ]
    pool += [
        {"type": "beta-likeness", **of, "beta": rng.choice([0.5, 1, 2]), "kind": kind}
        for kind in ("basic", "enhanced")
    ]
    for distance in ("equal", "ordered", "largest-difference", "kullback-leibler"):
        t = rng.choice([0.1, 0.3, 0.5, 0.8])
        pool.append({"type": "t-closeness", **of, "t": t, "distance": distance})
    return rng.sample(pool, rng.choice([1, 1, 2, 3]))


def drawn_case(seed):
    """Draw a small table with nulls, quotes, reserved words and dates, and a policy for it."""
    rng = random.Random(seed)  # noqa: S311 - tables are no secret
    n = rng.choice([1, 4, 12, 40])
    values = rng.choice(list(VALUES.values()))
    frame = pl.DataFrame(
        {
            NAMES["order"]: pl.Series([rng.choice(TEXTS) for _ in range(n)], dtype=pl.String),
            NAMES["day"]: pl.Series([rng.choice(DATES) for _ in range(n)], dtype=pl.Date),
            NAMES["value"]: pl.Series(
                [rng.choice(values) for _ in range(n)], dtype=pl.Series(values).dtype
            ),
            NAMES["person"]: pl.Series(
                [rng.choice([1, 2, 3, 4, 5, None]) for _ in range(n)], dtype=pl.Int64
            ),
        }
    )
    nulls = rng.choice(["value", "exclude"])
    attributes = {
        NAMES["order"]: {"role": "quasi-identifier"},
        NAMES["day"]: {"role": "quasi-identifier"},
        NAMES["value"]: {"role": "sensitive", "nulls": nulls},
        NAMES["person"]: {"role": "identifier"},
    }
    models = drawn_models(rng, NAMES["value"], NAMES["person"])
    return frame, Policy.from_dict({"version": 1, "attributes": attributes, "models": models})


def classes_of(frame, policy):
    """Return the classes of a table as the library counts them."""
    groups = group_released([frame[NAMES["order"]], frame[NAMES["day"]]], frame.height)
    role = policy.attributes[NAMES["value"]]
    columns = [
        SensitiveColumn.of(frame[NAMES["value"]], role),
        SensitiveColumn(frame[NAMES["person"]]),
    ]
    return classes_of_release(groups, columns)


def expected_answer(frame, policy):
    """Return whether all models hold, and the sizes of the classes that fail one of their own."""
    classes = classes_of(frame, policy)
    failing = np.zeros(len(classes.sizes), bool)
    holds = True
    for model in policy.models:
        if model.guarantee == "whole table":
            holds &= bool(model.holds(classes.sizes))
        else:
            failing |= ~model.satisfied(classes)
    return holds and not failing.any(), sorted(classes.sizes[failing].tolist())


def run_on_duckdb(_request, _tmp_path):
    """Return what runs a statement about a table on DuckDB."""
    connection = duckdb.connect()

    def run(frame, name, statement):
        connection.register(name, frame.to_arrow())
        return connection.execute(statement).fetchall()

    return run


def run_on_sqlite(_request, tmp_path):
    """Return what runs a statement about a table on SQLite."""
    path = tmp_path / "tables.db"

    def run(frame, name, statement):
        write_table(frame, f"sqlite:///{path}", name)
        with sqlite3.connect(path) as connection:
            return connection.execute(statement).fetchall()

    return run


def run_on_postgresql(request, _tmp_path):
    """Return what runs a statement about a table on PostgreSQL."""
    from adbc_driver_postgresql import dbapi

    url = request.getfixturevalue("postgres")

    def run(frame, name, statement):
        write_table(frame, url, name)
        with dbapi.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()

    return run


def run_on_spark(request, _tmp_path):
    """Return what runs a statement about a table on Spark."""
    session = request.getfixturevalue("spark")

    def run(frame, name, statement):
        session.createDataFrame(frame.to_arrow()).createOrReplaceTempView(name)
        return [tuple(row) for row in session.sql(statement).collect()]

    return run


RUNNERS = {
    "duckdb": run_on_duckdb,
    "sqlite": run_on_sqlite,
    "postgresql": run_on_postgresql,
    "spark": run_on_spark,
}
DIALECT_OF = {"postgresql": "postgres"}
TABLES = {"duckdb": 60, "sqlite": 40, "postgresql": 30, "spark": 2}


@pytest.mark.parametrize("engine", engines(*ENGINES))
def test_a_statement_returns_the_classes_that_violate_a_policy(engine, request, tmp_path):
    """The rows are as many and as large as the classes that fail; none where all models hold."""
    run = RUNNERS[engine](request, tmp_path)
    nightly = request.config.getoption("--hypothesis-profile") == "nightly"
    for seed in range(500 if nightly else TABLES[engine]):
        frame, policy = drawn_case(seed)
        name = f"t_{secrets.token_hex(4)}"
        text = violations_query(name, policy, DIALECT_OF.get(engine, engine))
        rows = run(frame, name, text)
        holds, sizes = expected_answer(frame, policy)
        assert holds is not bool(rows), (seed, policy.models)
        if all(model.guarantee == "per class" for model in policy.models):
            assert sorted(row[2] for row in rows) == sizes, (seed, policy.models)


@pytest.mark.parametrize("engine", engines(*ENGINES))
def test_a_statement_measures_what_measure_does(engine, request, tmp_path):
    """Records, classes, k and the figures of the sensitive column are those of `measure`."""
    run = RUNNERS[engine](request, tmp_path)
    keys = [NAMES["order"], NAMES["day"]]
    for seed in range(TABLES[engine] // 4 + 1):
        frame, _ = drawn_case(seed)
        name = f"t_{secrets.token_hex(4)}"
        text = figures_query(name, keys, [NAMES["value"]], DIALECT_OF.get(engine, engine))
        [row] = run(frame, name, text)
        plain = Policy.from_dict(
            {
                "version": 1,
                "attributes": {key: {"role": "quasi-identifier"} for key in keys}
                | {NAMES["value"]: {"role": "sensitive"}},
                "models": [{"type": "k-anonymity", "k": 1}],
            }
        )
        measured = measure_table(classes_of(frame, plain))
        figures = measured.attributes[NAMES["value"]]
        expected = [measured.rows, measured.classes, measured.k, measured.uniques]
        expected += [
            figures.alpha,
            figures.l_distinct,
            figures.l_entropy,
            figures.t_equal,
            figures.t_ordered,
            figures.basic_beta,
            figures.enhanced_beta,
            figures.delta_disclosure,
            figures.kl_divergence,
            figures.total_variation,
        ]
        assert [float(value) for value in row] == pytest.approx(expected, abs=1e-9), seed


@pytest.mark.parametrize("dialect", sorted({*DIALECTS} - {*EXECUTED}))
def test_statements_of_other_dialects_say_the_same(dialect):
    """Parsed back and run on DuckDB, a statement of a dialect that is not here gives its rows."""
    run = run_on_duckdb(None, None)
    for seed in range(8):
        frame, policy = drawn_case(seed)
        text = violations_query("released", policy, dialect)
        [translated] = sqlglot.transpile(text, read=dialect, write="duckdb")
        rows = run(frame, "released", translated)
        assert expected_answer(frame, policy)[0] is not bool(rows), (dialect, seed, policy.models)


def test_the_names_of_figures_are_free_and_short():
    """No figure has the name of a column in another case, or one that PostgreSQL cuts."""
    long = "ä" * 31
    frame = pl.DataFrame({"Records": [1, 1, 2], "x_l_distinct": ["a"] * 3, "x": [1] * 3, long: 0})
    models = [{"type": "k-anonymity", "k": 2}]
    models += [{"type": "l-diversity", "attribute": name, "l": 2} for name in ("x", long)]
    recursive = {"type": "l-diversity", "attribute": "x", "l": 2, "kind": "recursive"}
    models += [recursive | {"c": c, "l": number} for c, number in ((1, 2), (2, 3))]
    roles = {name: {"role": "quasi-identifier"} for name in ("Records", "x_l_distinct")}
    roles |= {name: {"role": "sensitive"} for name in ("x", long)}
    policy = Policy.from_dict({"version": 1, "attributes": roles, "models": models})
    connection = duckdb.connect()
    connection.register("t", frame.to_arrow())
    shown = connection.execute(violations_query("t", policy, "duckdb"))
    names = [column[0] for column in shown.description]
    assert {"records_2", "x_l_distinct_2", "x_recursive_c", "x_recursive_c_2"} <= {*names}
    assert len({name.lower() for name in names}) == len(names)
    assert all(len(name.encode()) < 64 for name in names)
    assert len(shown.fetchall()) == 2


def test_bounds_in_two_columns_are_two_quasi_identifiers():
    """A range is released as its lowest and highest value, and judged by both."""
    form = {
        "version": 1,
        "attributes": {"age": {"role": "quasi-identifier", "recoding": "range"}},
        "models": [{"type": "k-anonymity", "k": 2}],
    }
    frame = pl.DataFrame({"age_min": [1, 1, 1], "age_max": [2, 2, 3]})
    run = run_on_duckdb(None, None)
    policy = Policy.from_dict(form)
    assert run(frame, "t", violations_query("t", policy, "duckdb")) == [(1, 3, 1)]
    del form["attributes"]["age"]["recoding"]
    open_one = Policy.from_dict(form | {"recoding": "range"})
    with pytest.raises(PolicyError, match="range"):
        violations_query("t", open_one, "duckdb")


@pytest.mark.parametrize("engine", engines("postgresql"))
def test_postgresql_orders_texts_by_their_characters(engine, request, tmp_path):
    """The ordered distance is that of `verify`, whatever the language of the column."""
    run = RUNNERS[engine](request, tmp_path)
    frame = pl.DataFrame({"q": [1, 1, 1, 2, 2, 2], "s": ["B", "c", "c", "a", "a", "Ä"]})
    base, view = f"t_{secrets.token_hex(4)}", f"t_{secrets.token_hex(4)}"
    rows = run(frame, base, figures_query(base, ["q"], ["s"], "postgres"))
    from adbc_driver_postgresql import dbapi

    url = request.getfixturevalue("postgres")
    with dbapi.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(
            f'CREATE VIEW {view} AS SELECT q, s COLLATE "und-x-icu" AS s FROM {base}'  # noqa: S608
        )
        cursor.execute(f"SELECT s FROM {view} ORDER BY s")  # noqa: S608
        assert [row[0] for row in cursor.fetchall()] == ["a", "a", "Ä", "B", "c", "c"]
        cursor.execute(figures_query(view, ["q"], ["s"], "postgres"))
        assert cursor.fetchall() == rows


def test_an_aggregated_table_counts_its_records():
    """A column of record counts stands for as many rows."""
    frame, policy = drawn_case(3)
    keys = frame.columns
    counted = frame.group_by(keys).len("records behind")
    run = run_on_duckdb(None, None)
    text = figures_query("t", keys[:2], [keys[2]], "duckdb", count="records behind")
    [aggregated] = run(counted, "t", text)
    [single] = run(frame, "t", figures_query("t", keys[:2], [keys[2]], "duckdb"))
    assert aggregated == pytest.approx(single)
    violating = run(counted, "t", violations_query("t", policy, "duckdb", "records behind"))
    assert {*violating} == {*run(frame, "t", violations_query("t", policy, "duckdb"))}


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (
            {"models": [{"type": "population-uniqueness", "threshold": 0.1, "population": 1000}]},
            "population-uniqueness",
        ),
        (
            {
                "models": [
                    {"type": "t-closeness", "attribute": "s", "t": 0.2, "distance": "hierarchical"}
                ]
            },
            "hierarchy",
        ),
        (
            {
                "attributes": {
                    "a": {"role": "quasi-identifier"},
                    "s": {"role": "sensitive", "type": "ordered"},
                },
                "models": [
                    {"type": "t-closeness", "attribute": "s", "t": 0.2, "distance": "ordered"}
                ],
            },
            "as ordered",
        ),
        (
            {
                "attributes": {
                    "a": {"role": "quasi-identifier"},
                    "s": {"role": "sensitive", "nulls": "exclude", "missing": ["-9"]},
                },
                "models": [{"type": "l-diversity", "attribute": "s", "l": 2}],
            },
            "missing",
        ),
        ({"others": "quasi-identifier"}, "others"),
        (
            {
                "attributes": {
                    "a": {"role": "quasi-identifier"},
                    "who": {"role": "identifier", "action": {"type": "surrogate"}},
                },
                "models": [{"type": "k-anonymity", "k": 2, "entity": "who"}],
            },
            "who",
        ),
    ],
)
def test_what_sql_cannot_say_is_refused(change, word):
    """The error names what stands in the way."""
    form = {
        "version": 1,
        "attributes": {
            "a": {"role": "quasi-identifier"},
            "s": {"role": "sensitive", "hierarchy": {"mapping": {"a": ["b"]}}},
        },
        "models": [{"type": "k-anonymity", "k": 2}],
    }
    policy = Policy.from_dict(form | change)
    with pytest.raises(PolicyError, match=word):
        violations_query("t", policy, "duckdb")
