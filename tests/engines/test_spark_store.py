"""What is particular to Spark as a store: its names, types, errors, and Connect."""

from __future__ import annotations

import datetime as dt
from functools import partial

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sqlglot import exp

import kanonym as ka
import kanonym.engines.spark
from engines.spark_sessions import spark_connect  # noqa: F401 - a fixture
from kanonym.data.errors import DataError, InfeasibleError
from kanonym.engines.spark import scan_spark
from kanonym.engines.sql.statements import count_query, exact_column, subquery

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'kanonym[spark]'")
from kanonym.engines.spark.columns import to_spark
from kanonym.engines.spark.session import translate_errors, without_credentials
from kanonym.engines.spark.store import SparkStore

pytestmark = pytest.mark.xdist_group("spark")

MOMENT = dt.datetime(2024, 3, 31, 1, 30, 0, 5, tzinfo=dt.UTC)

PATIENTS = pl.DataFrame(
    {
        "age `in` years.": [34, None, 71],
        "city; DROP": ["Bern", 'Gen"ève', None],
        "seen": [MOMENT, None, MOMENT],
        "local": [MOMENT.replace(tzinfo=None)] * 3,
        "n": [2, 0, 70_000],
    }
)


@pytest.fixture(params=["classic", pytest.param("connect", marks=pytest.mark.nightly)])
def session(request):
    """Return a session of each kind."""
    return request.getfixturevalue("spark" if request.param == "classic" else "spark_connect")


@pytest.fixture
def store(session):
    """Return a store over a session of each kind."""
    store = SparkStore(session)
    yield store
    store.close()


def shortened(rows, *, by):
    """Return some rows of a group, the same in whatever order it comes."""
    return rows.sort(pl.all(), nulls_last=True).head(by)


def refusing(_rows):
    """Refuse a group, as an algorithm does that cannot go on."""
    raise InfeasibleError("no release of this fragment satisfies 5-anonymity")


def failing(rows):
    """Fail with an error that quotes a value."""
    raise ValueError(f"cannot take {rows['city; DROP'][0]}")


def test_abilities(store):
    """On both kinds of session, what is put is repeated, held, grouped and counted as it is."""
    put = store.put(PATIENTS)
    assert_frame_equal(store.fetch(put), PATIENTS)
    many = store.hold(store.repeat(put, "n"))
    columns = [name for name in PATIENTS.columns if name != "n"]
    found = store.fetch(count_query(many, columns)).sort("n")
    assert_frame_equal(found, PATIENTS.filter(pl.col("n") > 0).select(*columns, "n"))
    few = store.by_group(put, "n", partial(shortened, by=1), PATIENTS.schema)
    assert_frame_equal(store.fetch(few).sort("n"), PATIENTS.sort("n"))


def test_staged_files(store, tmp_path):
    """On both kinds of session, a release is hidden until it is published, and then whole."""
    for kind in ("parquet", "csv", "tsv", "json", "jsonl"):
        place = tmp_path / f"release.{kind}"
        staged = store.stage(store.put(PATIENTS), str(place))
        assert not place.exists()
        assert [one.name[0] for one in tmp_path.iterdir() if one != place] == ["."]
        assert_frame_equal(store.fetch(staged.query), PATIENTS, check_row_order=False)
        assert staged.publish() == str(place)
        assert [one.name for one in tmp_path.iterdir()] == [place.name]
        (place.rename(tmp_path.parent / f"{tmp_path.name}-{place.name}"))
    parquet = tmp_path.parent / f"{tmp_path.name}-release.parquet"
    read = pl.read_parquet(parquet / "*.parquet")
    assert_frame_equal(read, PATIENTS, check_row_order=False)


def test_discarded_files(store, tmp_path):
    """A release that is discarded leaves nothing."""
    store.stage(store.put(PATIENTS), str(tmp_path / "release.parquet")).discard()
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_replaced(store, tmp_path):
    """What is at the place of a release stays, whether it was there before or came meanwhile."""
    place = tmp_path / "release.csv"
    place.write_text("mine")
    with pytest.raises(DataError, match="exists already"):
        store.stage(store.put(PATIENTS), str(place))
    later = tmp_path / "later.csv"
    staged = store.stage(store.put(PATIENTS), str(later))
    later.mkdir()
    (later / "note").write_text("mine")
    with pytest.raises(DataError, match="exists already"):
        staged.publish()
    staged.discard()
    assert place.read_text() == (later / "note").read_text() == "mine"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["later.csv", "release.csv"]


def test_shown_frame_outlives_the_store(store):
    """A released DataFrame is still computed when the store that made it is closed."""
    shown = store.stage(store.repeat(store.put(PATIENTS), "n"), None)
    assert len(store.fetch(shown.query)) == 70_002
    frame = shown.publish()
    store.close()
    assert frame.count() == 70_002


def test_close_takes_the_views_away(session):
    """What was put is gone when the store is closed; a view of the user stays."""
    session.range(3).createOrReplaceTempView("mine")
    before = {one.name for one in session.catalog.listTables()}
    store = SparkStore(session)
    store.hold(store.put(PATIENTS))
    assert len(session.catalog.listTables()) == len(before) + 2
    store.close()
    assert {one.name for one in session.catalog.listTables()} == before
    session.catalog.dropTempView("mine")


def test_ordered_rows(store, tmp_path):
    """Rows that a query orders are written in the order of their values, equal ones too."""
    rows = pl.DataFrame({"a": ["b", "a", None, "b"] * 5, "b": [2, 1, 3, 1] * 5})
    query = exp.select(exp.Star()).from_(subquery(store.put(rows), "t"))
    query = query.order_by(exact_column("a"), exact_column("b"))
    staged = store.stage(query, str(tmp_path / "release.parquet"))
    staged.publish()
    found = pl.read_parquet(tmp_path / "release.parquet" / "*.parquet")
    assert_frame_equal(found, rows.sort("a", "b"))


def test_lists_are_ordered_too(store, tmp_path):
    """A column of lists, which may stay as it is in a release, does not keep rows from order."""
    frame = store.session.createDataFrame([(2, [1, 2]), (1, [3]), (1, [3])], "a int, l array<int>")
    query = (
        exp.select(exp.Star()).from_(subquery(store.view(frame), "t")).order_by(exact_column("a"))
    )
    store.stage(query, str(tmp_path / "release.parquet")).publish()
    found = pl.read_parquet(tmp_path / "release.parquet" / "*.parquet")
    assert found["l"].to_list() == [[3], [3], [1, 2]]


def test_an_error_of_ours_comes_back(store):
    """An error of kanonym on a worker is the same error here, with its message."""
    found = store.by_group(store.put(PATIENTS), "n", refusing, PATIENTS.schema)
    with pytest.raises(InfeasibleError, match=r"^no release of this fragment satisfies 5-anon"):
        store.fetch(found)


def test_errors_quote_no_value(store):
    """Another error on a worker says its kind, and nothing of the value that it quotes."""
    found = store.by_group(store.put(PATIENTS), "n", failing, PATIENTS.schema)
    with pytest.raises(DataError) as caught:
        store.fetch(found)
    assert str(caught.value).endswith("ValueError in a function on a worker")
    cast = exp.cast(exact_column("city; DROP"), exp.DataType.Type.INT)
    with pytest.raises(DataError) as caught:
        store.fetch(exp.select(cast).from_(subquery(store.put(PATIENTS), "t")))
    assert "CAST_INVALID_INPUT" in str(caught.value)
    assert "Bern" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_repr_says_nothing(store):
    """A store prints without its session, whose address may hold a token."""
    assert repr(store) == "SparkStore()"


def test_a_dataframe_is_a_source(session):
    """A DataFrame is read where it is; a column without type is text, its moments are in UTC."""
    frame = session.createDataFrame(PATIENTS.to_arrow()).selectExpr("*", "null AS nothing")
    source = scan_spark(frame)
    found = source.store.fetch(source.query)
    assert found.schema["nothing"] == pl.String
    assert found.schema["seen"] == pl.Datetime("us", "UTC")
    assert found["seen"].to_list() == PATIENTS["seen"].to_list()
    source.store.close()


def test_a_release_is_the_local_one(session, tmp_path):
    """On both kinds of session, a table is released as in this process, as a frame and as files."""
    rows = pl.DataFrame({"age": [30, 31, 32, 33, 70, 71] * 4, "city": ["Bern", "Lyon", None] * 8})
    given = {"quasi_identifiers": ["age"], "others": "insensitive", "k": 4}
    local = ka.anonymize(rows, **given).frame
    frame = session.createDataFrame(rows.to_arrow())
    shown = ka.anonymize(frame, **given).frame
    assert_frame_equal(pl.from_arrow(shown.toArrow()), local, check_row_order=False)
    ka.anonymize(frame, **given, output=tmp_path / "release.parquet")
    written = pl.read_parquet(tmp_path / "release.parquet" / "*.parquet")
    assert_frame_equal(written, local.sort("age", "city"))


def test_names_that_differ_in_case(spark):
    """Columns that Spark cannot tell apart are refused, with what to do; else they are two."""
    spark.conf.set("spark.sql.caseSensitive", "true")
    frame = spark.createDataFrame([(1, 2)], "Age int, age int")
    source = scan_spark(frame)
    assert source.store.fetch(source.query).columns == ["Age", "age"]
    spark.conf.set("spark.sql.caseSensitive", "false")
    try:
        with pytest.raises(DataError, match=r"'Age' and 'age' have the same name.*caseSens"):
            scan_spark(frame)
    finally:
        spark.conf.set("spark.sql.caseSensitive", "true")


def test_settings_stay(spark, tmp_path):
    """Writing a release leaves the settings of the session as they were."""
    name = "spark.sql.parquet.outputTimestampType"
    before = spark.conf.get(name)
    store = SparkStore(spark)
    store.stage(store.put(PATIENTS), str(tmp_path / "release.parquet")).publish()
    assert spark.conf.get(name) == before


def test_what_a_killed_run_left_is_removed(spark, tmp_path):
    """The next run to a place removes what a dead process left there, and nothing else."""
    store = SparkStore(spark)
    staged = store.stage(store.put(PATIENTS), str(tmp_path / "release.parquet"))
    (hidden,) = tmp_path.iterdir()
    start, process, _ = hidden.name.rsplit("-", 2)
    dead = tmp_path / f"{start}-99999999-aa"
    other = tmp_path / f".other.parquet{start.removeprefix('.release.parquet')}-99999999-aa"
    elsewhere = tmp_path / ".release.parquet.kanonym-another.machine-99999999-aa"
    for one in (dead, other, elsewhere):
        one.mkdir()
    second = store.stage(store.put(PATIENTS), str(tmp_path / "release.parquet"))
    assert not dead.exists()
    assert hidden.exists()  # its process lives
    assert other.exists()
    assert elsewhere.exists()
    assert process.isdigit()
    for one in (staged, second):
        one.discard()


def test_a_failure_while_writing_leaves_nothing(spark, tmp_path):
    """Where Spark fails in the middle of writing, nothing is left."""
    store = SparkStore(spark)
    found = store.by_group(store.put(PATIENTS), "n", failing, PATIENTS.schema)
    with pytest.raises(DataError, match=r"Spark cannot write .*ValueError"):
        store.stage(found, str(tmp_path / "release.parquet"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["release.xlsx", "release.orc", "release.delta"])
def test_formats_that_are_not_written(spark, tmp_path, name):
    """A format that Spark does not write safely is refused before anything is computed."""
    store = SparkStore(spark)
    with pytest.raises(DataError, match=r"no format for \.xlsx|read only"):
        store.stage(store.put(PATIENTS), str(tmp_path / name))


def test_a_server_with_another_disk(spark_connect, monkeypatch, tmp_path):  # noqa: F811
    """Under Connect, a place that cannot be renamed from here is refused, with what to do."""
    store = SparkStore(spark_connect)
    with pytest.raises(DataError, match=r"hdfs://far/x is on the server.*write release\.frame"):
        store.stage(store.put(PATIENTS), "hdfs://ann:secret@far/x/release.parquet")
    monkeypatch.setattr("kanonym.engines.spark.staging._is_visible", lambda *_: False)
    with pytest.raises(DataError, match=r"does not see /.*write release"):
        store.stage(store.put(PATIENTS), str(tmp_path / "release.parquet"))


def test_credentials_are_cut_out():
    """Addresses in messages lose user, password and parameters, and keep the rest."""
    said = without_credentials(
        "no s3a://key:se/cret@b/x and jdbc:x://h/d?password=y&z=1, abfs://a@b/c"
    )
    assert "password" not in said
    assert "a@b" not in said
    assert without_credentials("sc://h:15002/;token=abc") == "sc://h:15002/"
    assert without_credentials("s3a://b/x; mend it") == "s3a://b/x; mend it"
    assert without_credentials("no file /data/x.csv") == "no file /data/x.csv"


def test_missing_paths_are_named_without_credentials(spark):
    """A path that is not there is named; what stands before its @ is not."""
    with pytest.raises(DataError, match=r"nowhere/x\.parquet"):
        scan_spark("/nowhere/x.parquet", session=spark)
    with pytest.raises(DataError) as caught:
        scan_spark("s3a://key:secret@bucket/x.parquet", session=spark)
    assert "secret" not in str(caught.value)


def test_lists_cannot_be_put():
    """A column that Spark cannot take from here is refused by name and type."""
    with pytest.raises(DataError, match="column 'l' holds List"):
        to_spark(pl.DataFrame({"l": [[1]]}))


def test_integers_without_sign_are_widened():
    """Types that Spark lacks become the next ones that hold all of their values."""
    largest = {
        kind: [2**bits - 1]
        for kind, bits in ((pl.UInt8, 8), (pl.UInt16, 16), (pl.UInt32, 32), (pl.UInt64, 64))
    }
    frame = pl.DataFrame([pl.Series(str(kind), ends, dtype=kind) for kind, ends in largest.items()])
    arrow, struct = to_spark(frame)
    assert [field.simpleString().split(":")[1] for field in struct] == [
        "smallint", "int", "bigint", "decimal(20,0)"
    ]  # fmt: skip
    assert [int(one[0].as_py()) for one in arrow.columns] == [ends[0] for ends in largest.values()]


def test_only_spark_errors_are_told(spark):
    """An error that is not Spark's passes through as it is."""
    assert spark is not None
    with pytest.raises(KeyError), translate_errors("do this"):
        raise KeyError("x")


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_line_breaks_in_cells_are_written_and_read(spark, tmp_path, form):
    """A text of two lines is one cell of a file: the records that are read back are as many."""
    table = pl.DataFrame({"age": [1, 1], "note": ["two\nlines", "one"]})
    source = scan_spark(spark.createDataFrame(table.to_arrow(compat_level=pl.CompatLevel.oldest())))
    asked = {"quasi_identifiers": ["age"], "others": "insensitive", "rows": "persons", "k": 2}
    release = ka.anonymize(source, **asked, output=str(tmp_path / f"out.{form}"))
    assert release.verification.rows == 2


LINKED = """\
person: people
tables:
  people:
    key: id
    attributes: {sex: {role: quasi-identifier, hierarchy: {flat: {}}}}
  visits:
    references: {person: people}
    attributes: {ward: {role: quasi-identifier, hierarchy: {flat: {}}}}
models: [{type: k-anonymity, k: 2}]
seed: 1
"""


def test_linked_tables_come_and_go(session, tmp_path):
    """Linked tables are collected, and what is released are DataFrames of the same session."""
    people = pl.DataFrame({"id": [1, 2, 3, 4], "sex": ["f", "f", "m", "m"]})
    visits = pl.DataFrame({"person": [1, 2, 3, 4], "ward": ["a", "b", "a", "a"]})
    (tmp_path / "policy.yaml").write_text(LINKED)
    here = {"people": people, "visits": visits}
    there = {name: session.createDataFrame(one.to_arrow()) for name, one in here.items()}
    expected = ka.linked.anonymize(here, tmp_path / "policy.yaml")
    release = ka.linked.anonymize(there, tmp_path / "policy.yaml")
    assert all(one.sparkSession is session for one in release.frames.values())
    assert ka.linked.verify(release.frames, tmp_path / "policy.yaml").satisfied
    for name, one in expected.frames.items():
        collected = kanonym.engines.spark.collect_frame(release.frames[name])
        assert_frame_equal(collected, one, check_row_order=False, check_dtypes=False)
