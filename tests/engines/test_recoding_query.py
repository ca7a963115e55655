"""A fitted recoding as one SQL statement releases the rows that `apply` does."""

from __future__ import annotations

import datetime as dt
import random
import secrets
import sqlite3
from collections import Counter
from dataclasses import replace

import duckdb
import polars as pl
import pytest
import sqlglot

import kanonym as ka
from engines.conftest import ENGINES, engines
from engines.test_model_query import DIALECT_OF, RUNNERS, run_on_duckdb
from kanonym.algorithms import KDTree
from kanonym.data.errors import PolicyError
from kanonym.engines.database import write_table
from kanonym.engines.sql.statements import DIALECTS, EXECUTED
from kanonym.models import KAnonymity
from kanonym.series import fit

H = ka.hierarchy
CITIES = ["Zürich", "O'Neil", "select", 'a "q"', "back\\slash", "{v}", "Ab", "ab"]
GRADES = ["low", "middling", "high", "highest"]
MOMENT = pl.Datetime("us")
CODES = [f"{number:03d}" for number in range(0, 999, 7)]


def drawn_table(rng, n, *, new=False):
    """Draw a table with nulls; new: with values that a fit has not seen, too."""
    ages = [*range(18, 66, 1 if new else 3), None] + [7, 99] * new
    zips = ["13053", "13058", "13068", "148", "14853", None] + ["13099", "9", "1305999"] * new
    days = [dt.date(2019, 1 + place, 1 + 3 * place) for place in range(9)]
    days += [None] + [dt.date(2019, 1, 2), dt.date(1987, 12, 31)] * new
    values = {
        "age": (ages, pl.Int64),
        "zip": (zips, pl.String),
        "day": (days, pl.Date),
        "Weight": ([50.5, 61.25, 70.0, 88.75, None] + [55.0, 1e3] * new, pl.Float64),
        "member": ([True, False, None], pl.Boolean),
        "city": ([*CITIES[: 8 if new else 6], None], pl.String),
        "at": ([one and dt.datetime(one.year, one.month, one.day, 7, 5) for one in days], MOMENT),
        "post": ([148, 13053, 13058, 14853, None] + [7, 13051] * new, pl.Int64),
        "grade": ([*GRADES[: 4 if new else 3], None], pl.Enum(GRADES)),
        "code": ([*CODES, None] + ["xyz"] * 20 * new, pl.String),
        "k0": (["flu", "cold", None, "it's"], pl.String),
    }
    return pl.DataFrame(
        {
            name: pl.Series([rng.choice(given) for _ in range(n)], dtype=dtype)
            for name, (given, dtype) in values.items()
        }
    )


TREE = {"*": {"early": CODES[:70], "late": CODES[70:]}}
CITY_TREE = {"*": {"a'b": CITIES[:3], "other\\": CITIES[3:]}}
LEVELS = [
    {"age": (H.intervals(width=[5, 20]), 1), "zip": (H.masking(), 2)},
    {"age": (H.intervals(width=10, origin=5, bottom=20, top=61), 1), "code": (TREE, 1)},
    {"age": (H.intervals(bounds=[[20, 30, 50], [30]]), 2), "member": (None, 1)},
    {"age": (H.intervals(quantiles=4), 1), "city": (CITY_TREE, 1)},
    {"zip": (H.masking(from_="left"), 1), "day": (H.dates(levels=["month", "year"]), 1)},
    {"day": (H.dates(levels=["quarter", "decade"]), 1), "code": (TREE, 0)},
    {"day": (H.dates(levels=["day", "year"]), 2), "Weight": (None, 1)},
    {"post": (H.masking(), 2), "grade": (None, 1)},
    {"at": (H.dates(levels=["quarter", "year"]), 1), "grade": (None, 0)},
    {"Weight": (H.intervals(width=20), 1), "city": (CITY_TREE, 0), "member": (None, 0)},
    {"Weight": (H.intervals(bounds=[60.5, 70.0]), 1), "age": (H.intervals(width=10), 0)},
]
BOXES = [
    {"age": (None, None), "zip": (None, None), "Weight": (None, None)},
    {"age": (H.intervals(width=[5, 20]), None), "zip": (H.masking(), None)},
    {"post": (H.masking(), None), "grade": (None, None)},
    {
        "at": (None, None),
        "grade": (H.from_mapping({"*": {"a": GRADES[:2], "b": GRADES[2:]}}), None),
    },
    {"day": (None, "range"), "age": (None, "median"), "city": (None, "set")},
    {"day": (H.dates(levels=["month", "year"]), None), "code": (TREE, None)},
    {"age": (H.intervals(bounds=[20, 30, 50]), "interval"), "member": (None, None)},
    {"city": (CITY_TREE, None), "Weight": (None, "mean"), "day": (None, None)},
    {"city": (None, "mode"), "day": (H.dates(levels=["year"]), None), "code": (TREE, None)},
]


def tree_of(given):
    """Return a hierarchy: a builder as it is, a nested mapping as one."""
    return H.from_mapping(given) if isinstance(given, dict) else given


def fitted_recoding(kind, number, seed=0):
    """Return a recoding of one of the cases, under which a batch fails nowhere, and its batch."""
    rng = random.Random(seed)  # noqa: S311 - tables are no secret
    case = (LEVELS if kind == "levels" else BOXES)[number]
    attributes, levels = {}, {}
    for name, (given, how) in case.items():
        if kind == "levels":
            attributes[name] = ka.QuasiIdentifier(tree_of(given) or H.automatic())
            levels[name] = how
        else:
            attributes[name] = ka.QuasiIdentifier(tree_of(given), recoding=how)
    frame, batch = drawn_table(rng, 60), drawn_table(rng, 50, new=True)
    attributes |= {"k0": ka.Sensitive()}
    attributes |= {n: ka.Identifier() for n in frame.columns if n not in attributes}
    policy = ka.Policy(
        attributes={name: attributes[name] for name in frame.columns},
        models=[KAnonymity(1 if kind == "levels" else 4)],
        algorithm={
            "levels": ka.FullDomain(levels=levels),
            "boxes": ka.Mondrian(),
            "tree": KDTree(),
        }[kind],
    )
    fitted = fit(frame, policy)
    free = fitted.policy.model_copy(update={"models": [KAnonymity(1)]})
    fitted.series = replace(fitted.series, policy=free)
    return fitted, batch


def plain(value):
    """Return a value as all engines can be compared: dates as texts, numbers as such."""
    if isinstance(value, dt.date):
        return value.isoformat()
    return float(value) if isinstance(value, bool | int | float) else value


def rows_of(rows):
    """Return rows, and how often there is each."""
    return Counter(tuple(map(plain, row)) for row in rows)


CASES = [
    *(("levels", number) for number in range(len(LEVELS))),
    *(("boxes", number) for number in range(len(BOXES))),
    *(("tree", number) for number in range(len(BOXES))),
]


@pytest.mark.parametrize("engine", engines(*ENGINES))
def test_a_statement_releases_the_rows_that_apply_does(engine, request, tmp_path):
    """By levels and by boxes, of all kinds of columns, with unseen values and nulls."""
    run = RUNNERS[engine](request, tmp_path)
    for kind, number in CASES:
        if engine == "sqlite" and "at" in (LEVELS if kind == "levels" else BOXES)[number]:
            continue  # which has no type for it
        for seed in range({"duckdb": 3, "sqlite": 2}.get(engine, 1)):
            fitted, batch = fitted_recoding(kind, number, seed)
            name = f"t_{secrets.token_hex(4)}"
            text = fitted.to_sql(name, DIALECT_OF.get(engine, engine))
            found = rows_of(run(batch, name, text))
            expected = rows_of(fitted.apply(batch).frame.rows())
            assert found == expected, (kind, number, seed, text)


@pytest.mark.parametrize("dialect", sorted({*DIALECTS} - {*EXECUTED}))
def test_statements_of_other_dialects_recode_alike(dialect):
    """Parsed back and run on DuckDB, a statement of a dialect that is not here gives the rows."""
    run = run_on_duckdb(None, None)
    for kind, number in CASES:
        fitted, batch = fitted_recoding(kind, number)
        text = fitted.to_sql("t", dialect)
        # DuckDB compares characters as they are, and knows no longest text; FLOAT has 64 bits.
        for own, other in (
            (" COLLATE Latin1_General_BIN2", ""),
            ("(MAX)", ""),
            ("AS FLOAT)", "AS DOUBLE)"),
        ):
            text = text.replace(own, other) if dialect == "tsql" else text
        [text] = sqlglot.transpile(text, read=dialect, write="duckdb")
        found = rows_of(run(batch, "t", text))
        assert found == rows_of(fitted.apply(batch).frame.rows()), (kind, number, text)


@pytest.mark.parametrize("kind", ["view", "table"])
@pytest.mark.parametrize("engine", engines(*ENGINES))
def test_a_view_or_table_is_made(engine, kind, request, tmp_path):
    """The database takes the statement, and has what `apply` releases, under quoted names."""
    if engine == "spark" and kind == "table":
        pytest.skip("a table of Spark needs a warehouse of Hive")
    fitted, batch = fitted_recoding("boxes", 5)
    name = f"t_{secrets.token_hex(4)}"
    text = fitted.to_sql(name, DIALECT_OF.get(engine, engine), f"order {name}", kind)
    if engine == "spark":  # a view that lasts reads no temporary one
        text = text.replace("CREATE VIEW", "CREATE TEMPORARY VIEW")
    rows = made_and_read(engine, request, tmp_path)(batch, name, text, f"order {name}")
    assert rows_of(rows) == rows_of(fitted.apply(batch).frame.rows())


def made_and_read(engine, request, tmp_path):
    """Return what runs a statement that makes something, and returns its rows."""

    def run(frame, name, statement, made):
        read = (
            sqlglot.select("*")
            .from_(sqlglot.exp.to_table(f'"{made}"'))
            .sql(DIALECT_OF.get(engine, engine))
        )
        if engine == "duckdb":
            connection = duckdb.connect(tmp_path / "made.duckdb")
            frame.write_parquet(tmp_path / "t.parquet")
            table = connection.read_parquet(str(tmp_path / "t.parquet"))
            table.create(name)
            connection.execute(statement)
            return connection.execute(read).fetchall()
        if engine == "spark":
            session = request.getfixturevalue("spark")
            session.createDataFrame(frame.to_arrow()).createOrReplaceTempView(name)
            session.sql(statement)
            return [tuple(row) for row in session.sql(read).collect()]
        if engine == "sqlite":
            write_table(frame, f"sqlite:///{tmp_path / 'made.db'}", name)
            with sqlite3.connect(tmp_path / "made.db") as connection:
                connection.execute(statement)
                return connection.execute(read).fetchall()
        from adbc_driver_postgresql import dbapi

        url = request.getfixturevalue("postgres")
        write_table(frame, url, name)
        with dbapi.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            cursor.execute(read)
            return cursor.fetchall()

    return run


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_mapping_of_many_values_is_a_table_of_the_statement(dialect):
    """Thousands of values neither nest too deep, nor stand in a condition each."""
    values = [f"{number:05d}" for number in range(3000)]
    tree = H.from_mapping({"*": {"low": values[:100], "high": values[100:]}})
    frame = pl.DataFrame({"v": values, "s": 1})
    fitted = fit(
        frame,
        ka.Policy(
            attributes={"v": ka.QuasiIdentifier(tree), "s": ka.Sensitive()},
            models=[KAnonymity(2)],
            algorithm=ka.FullDomain(levels={"v": 1}),
        ),
    )
    text = fitted.to_sql("t", dialect, "made", "table")
    assert text.count(values[7]) == 1
    if dialect == "duckdb":
        connection = duckdb.connect()
        connection.register("t", frame.to_arrow())
        connection.execute(text)
        [(n,)] = connection.execute("SELECT COUNT(*) FROM made WHERE v = 'low'").fetchall()
        assert n == 100


@pytest.mark.parametrize(
    ("change", "options", "word"),
    [
        ({}, {"unseen": "error"}, "unseen: root"),
        ({"others": "insensitive"}, {}, "others"),
        ({"id": {"role": "identifier", "action": {"type": "surrogate"}}}, {}, "action changes id"),
        ({"age": {"role": "quasi-identifier", "missing": [7]}}, {}, "age"),
        (
            {"age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 0.5}}}},
            {},
            "whole widths",
        ),
        (
            {"at": {"role": "quasi-identifier", "hierarchy": {"dates": {"levels": ["week"]}}}},
            {},
            "dates of at",
        ),
    ],
)
def test_what_sql_cannot_say_of_a_recoding_is_refused(change, options, word):
    """The error names what stands in the way, and what to do."""
    attributes = {
        "id": {"role": "identifier"},
        "age": {"role": "insensitive"},
        "at": {"role": "insensitive"},
        "s": {"role": "sensitive"},
    }
    others = change.pop("others", None)
    attributes |= change
    names = [name for name, one in attributes.items() if one["role"] == "quasi-identifier"]
    if not names:
        attributes["age"] = {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}}
        names = ["age"]
    form = {
        "attributes": attributes,
        "models": [{"type": "k-anonymity", "k": 1}],
        "algorithm": {"type": "full-domain", "levels": dict.fromkeys(names, 1)},
        **({} if others is None else {"others": others}),
    }
    if "missing" in attributes["age"]:
        form["algorithm"] = {"type": "mondrian"}
    days = [dt.date(2020, 1, 1 + place) for place in range(12)]
    frame = pl.DataFrame(
        {"id": range(12), "age": [place / 4 for place in range(12)], "at": days, "s": ["x"] * 12}
    )
    fitted = fit(frame, ka.Policy.from_dict({"version": 1, **form}), **options)
    with pytest.raises(PolicyError, match=word):
        fitted.to_sql("t", "duckdb")
