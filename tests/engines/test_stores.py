"""Every ability of a store, on every engine."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sqlglot import exp

import kanonym as ka
from kanonym.data.errors import DataError
from kanonym.data.files import read_table
from kanonym.engines import database as database_tables
from kanonym.engines.sql.statements import (
    count_query,
    empty_query,
    equal_condition,
    exact_column,
    subquery,
)
from kanonym.engines.sql.store import Source, Store

ODD = [
    'a"b', "it's", "semi;colon", "DROP TABLE patients; --", "ünï ☃ 表", "`tick`", "back\\slash",
    "%s ? $1 :name {x}", "select", "", " blank ", "line\nbreak", None,
]  # fmt: skip

PATIENTS = pl.DataFrame(
    {
        "age": [34, 34, None, 71, 71, 71],
        "city": ["Bern", "Bern", "Genève", None, "Bern", "Bern"],
        "weight": [61.5, 61.5, 80.25, None, 0.1, 0.1],
        "n": [2, 0, 1, 3, None, -1],
    }
)


def fetched(source, query):
    """Return the rows of a query, in an order of their own."""
    found = source.store.fetch(query)
    return found.sort(pl.all(), nulls_last=True)


def ordered(frame):
    """Return the rows of a frame in that order."""
    return frame.sort(pl.all(), nulls_last=True)


def doubled(rows):
    """Return the ages of a group, doubled, and its number of rows."""
    return rows.select("age", (pl.col("age") * 2).alias("twice"), pl.len().alias("rows"))


def alike(rows):
    """Return the rows as they came."""
    return rows


def test_is_a_store(source):
    """A source holds a store with a name and a dialect, and reads its columns by name."""
    made = source(PATIENTS)
    assert isinstance(made, Source)
    assert {"name", "dialect"} <= set(dir(made.store))
    assert all(hasattr(made.store, ability) for ability in vars(Store) if ability[0] != "_")


def test_fetch_returns_the_table(source):
    """What the engine reads is what was given to it: values, types and nulls."""
    made = source(PATIENTS)
    assert_frame_equal(fetched(made, made.query), ordered(PATIENTS))


def test_types_of_no_rows(source):
    """A query without rows has the types that it has with rows."""
    made = source(PATIENTS)
    assert made.store.fetch(empty_query(made.query)).schema == PATIENTS.schema
    made.store.close()
    late = pl.DataFrame({"late": [None] * 3000 + ["x"], "n": [1] * 3001})
    made = source(late)
    assert made.store.fetch(empty_query(made.query)).schema == late.schema


def test_put_and_fetch(source):
    """A table that is put comes back as it is, the empty one with its types."""
    store = source(PATIENTS).store
    assert_frame_equal(fetched(Source(store, None), store.put(PATIENTS)), ordered(PATIENTS))
    assert store.fetch(store.put(PATIENTS.head(0))).is_empty()


def test_hold_computes_once(source):
    """A held query reads the same rows again, and may be counted."""
    made = source(PATIENTS)
    held = made.store.hold(made.query)
    assert_frame_equal(fetched(made, held), ordered(PATIENTS))
    found = made.store.fetch(count_query(held, ["city"]))
    assert dict(found.select("city", "n").iter_rows()) == {"Bern": 4, "Genève": 1, None: 1}


def test_repeat_keeps_rows_in_order(source):
    """Each row stands as often as its number says, none for zero, less, and null."""
    made = source(PATIENTS)
    rows = PATIENTS.with_row_index("row").cast({"row": pl.Int64})
    found = made.store.fetch(made.store.repeat(made.store.put(rows), "n"))
    assert found["row"].sort().to_list() == [0, 0, 2, 3, 3, 3]
    assert found.columns == ["row", "age", "city", "weight"]


def test_repeat_of_nothing(source):
    """A table without rows is repeated to one without rows."""
    store = source(PATIENTS).store
    assert store.fetch(store.repeat(store.put(PATIENTS.head(0)), "n")).is_empty()


def test_by_group_sees_whole_groups(source):
    """The function gets each group once, by itself, with all of its rows."""
    made = source(PATIENTS)
    schema = {"age": pl.Int64(), "twice": pl.Int64(), "rows": pl.Int64()}
    known = made.query.copy().where(exact_column("age").is_(exp.null()).not_())
    found = fetched(made, made.store.by_group(known, "age", doubled, schema))
    assert found.rows() == [(34, 68, 2)] * 2 + [(71, 142, 3)] * 3


def test_by_group_of_many_groups(source, monkeypatch):
    """Groups that do not fit into this process together are there one after the other."""
    monkeypatch.setattr("kanonym.engines.database.temporary._FRAGMENT_ROWS", 50)
    rows = pl.DataFrame({"age": [n % 17 - 8 for n in range(300)], "b": list(range(300))})
    made = source(rows)
    found = made.store.by_group(made.query, "age", alike, dict(rows.schema))
    assert_frame_equal(fetched(made, found), ordered(rows))


@pytest.mark.parametrize("name", [name for name in ODD if name and name.strip()])
def test_names_are_names(source, name):
    """Whatever a column is called, it is read, counted, held, put and repeated by that name."""
    frame = pl.DataFrame({name: ["x", None, "x"], "n": [1, 2, 3]})
    made = source(frame)
    assert_frame_equal(fetched(made, made.query), ordered(frame))
    assert made.store.fetch(count_query(made.store.hold(made.query), [name]))["n"].sum() == 3
    found = made.store.fetch(made.store.repeat(made.store.put(frame), "n"))
    assert found[name].null_count() == 2


def test_values_are_values(source):
    """Whatever a text says, it is counted, put and joined as that text."""
    frame = pl.DataFrame({"text": [*ODD, *ODD], "n": list(range(2 * len(ODD)))})
    made = source(frame)
    found = made.store.fetch(count_query(made.query, ["text"]))
    assert dict(found.select("text", "n").iter_rows()) == dict.fromkeys(ODD, 2)
    keys = made.store.put(pl.DataFrame({"key": ODD, "place": list(range(len(ODD)))}))
    joined = (
        exp.select(exact_column("n", "t"), exact_column("place", "a"))
        .from_(subquery(made.query, "t"))
        .join(
            subquery(keys, "a"),
            on=equal_condition(
                made, exact_column("text", "t"), exact_column("key", "a"), pl.String()
            ),
        )
    )
    pairs = sorted(made.store.fetch(joined).rows())
    assert pairs == [(n, n % len(ODD)) for n in range(2 * len(ODD))]


def test_staged_rows_are_read_before_they_are_published(source, tmp_path):
    """A staged file is no file until it is published, and holds what was verified."""
    made = source(PATIENTS)
    place = tmp_path / "out" / "released.parquet"
    place.parent.mkdir()
    staged = made.store.stage(made.query, str(place))
    assert not place.exists()
    assert_frame_equal(fetched(made, staged.query), ordered(PATIENTS))
    assert str(staged.publish()) == str(place)
    released = pl.read_parquet(place if place.is_file() else place / "*.parquet")
    assert_frame_equal(ordered(released), ordered(PATIENTS))
    assert [path.name for path in place.parent.iterdir()] == [place.name]


def test_discarded_files_leave_nothing(source, tmp_path):
    """What is discarded was never there."""
    made = source(PATIENTS)
    place = tmp_path / "out" / "released.parquet"
    place.parent.mkdir()
    made.store.stage(made.query, str(place)).discard()
    assert list(place.parent.iterdir()) == []


def test_a_place_is_refused_before_the_work(source, tmp_path, monkeypatch):
    """Where a release can never be written, nobody waits for a decision first."""

    def decided(*_):
        raise AssertionError("decided before the place was looked at")

    monkeypatch.setattr("kanonym.engines.sql.engine.SqlInput.decide", decided)
    made = source(PATIENTS.select("age"))
    places = [str(tmp_path / "released.docx")]
    if made.store.name == "spark":
        (tmp_path / "there.parquet").mkdir()
        places.append(str(tmp_path / "there.parquet"))
    elif made.store.name == "duckdb":
        places.append(str(tmp_path / "none" / "released.parquet"))
    else:
        made.store.stage(made.query, "there").publish()
        places += ["there", None]
    for place in places:
        with pytest.raises(DataError):
            ka.anonymize(made, quasi_identifiers=["age"], k=2, output=place)


def test_errors_of_an_engine_are_ours(source):
    """An engine's error is a DataError, and does not quote values."""
    made = source(pl.DataFrame({"text": ["verysecret"], "n": [1]}))
    with pytest.raises(DataError):
        made.store.fetch(exp.select("*").from_(exp.table_("no_such_table", quoted=True)))


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "csv.gz", "feather"])
def test_forms_of_files(source, tmp_path, form):
    """A release is written in every format, and read back it is the same table."""
    made = source(PATIENTS)
    if made.store.name == "spark":
        pytest.skip("Spark writes folders, in its own formats")
    place = str(tmp_path / f"released.{form}")
    staged = made.store.stage(made.query, place)
    assert_frame_equal(fetched(made, staged.query), ordered(PATIENTS))
    staged.publish()
    assert_frame_equal(ordered(read_table(place)), ordered(PATIENTS))


def test_a_release_is_verified_beside_its_original(source):
    """Where no model looks at a sensitive attribute, the original may be on an engine, too."""
    table = PATIENTS.select("age")
    policy = ka.Policy(attributes={"age": ka.QuasiIdentifier()}, models=[ka.KAnonymity(1)])
    found = ka.verify(source(table), policy, original=source(table))
    assert found.to_dict() == ka.verify(table, policy, original=table).to_dict()


def test_a_table_without_rows_is_written_to_a_database(database):
    """What is read back of it comes in no part, and is the same."""
    database_tables.write_table(PATIENTS.head(0), database, "nobody")
    assert ka.engines.scan_database(database, "nobody").to_polars().is_empty()
