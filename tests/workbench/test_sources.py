"""Tables that are no CSV file: a workbook with European dates, a database, an upload."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

from kanonym.data.files import sha256, write_table
from kanonym.workbench.work.facts import Source
from workbench_servers import Visitor, act, exported, idle, opened, running, text_of

PEOPLE = pl.DataFrame(
    {
        "born": [f"{1 + i % 28:02d}.{1 + i % 12:02d}.{1950 + i % 40}" for i in range(60)],
        "town": ["Bern", "Chur", "Thun"] * 20,
        "illness": ["flu", "cold", "asthma", "gout"] * 15,
    }
)


@pytest.fixture(scope="module", name="visitor")
def fixture_visitor():
    """Give somebody with a session of a workbench that has nothing open."""
    with running() as (_, addresses):
        yield Visitor.enter(addresses[-1])


def test_european_dates_of_a_workbook(visitor, tmp_path, monkeypatch):
    """Dates as texts in a sheet are read as dates, and released in their style; Python agrees."""
    write_table(PEOPLE, tmp_path / "people.xlsx")
    form = {"path": str(tmp_path / "people.xlsx"), "folder": str(tmp_path / "project")}
    opened(visitor, visitor.send("POST", "/open", form))
    page = visitor.get(f"{visitor.at}/open").text
    assert 'name="format" value="%d.%m.%Y"' in page
    assert "02.02.1951 → 1951-02-02" in page
    changed = act(visitor, "open/reading", column="born", type="date", format="%m.%d.%Y")
    assert "13.01.1962" in re.search(r'<p class="unmet">(.*?)</p>', changed.text)[1]
    act(visitor, "history/undo")
    hashed, python = exported(visitor)
    monkeypatch.chdir(tmp_path)
    exec(python, {})  # noqa: S102 - what the page shows
    assert sha256(tmp_path / "released.csv") == hashed
    assert re.search(r"\[\d\d\.\d\d\.\d{4}, ", (tmp_path / "released.csv").read_text("utf-8"))


def test_a_table_in_another_encoding(visitor, tmp_path, monkeypatch):
    """Text that is not UTF-8 is told; its encoding is given there, and kept with the project."""
    people = PEOPLE.with_columns(town=pl.col("town").replace("Bern", "Zürich"))
    (tmp_path / "people.csv").write_bytes(people.write_csv().encode("windows-1252"))
    form = {"path": str(tmp_path / "people.csv"), "folder": str(tmp_path / "project")}
    opened(visitor, visitor.send("POST", "/open", form))
    page = visitor.get(f"{visitor.at}/open")
    assert "is not UTF-8: line 2" in text_of(page)
    assert 'name="encoding" list="encodings" value=""' in page.text
    visitor.send("POST", f"{visitor.at}/open/read", {"encoding": "no-such"})
    idle(visitor)
    page = visitor.get(f"{visitor.at}/open")
    assert "is unknown" in text_of(page)
    assert 'value="no-such"' in page.text
    visitor.send("POST", f"{visitor.at}/open/read", {"encoding": "windows-1252"})
    idle(visitor)
    assert "Zürich" in text_of(visitor.get(f"{visitor.at}/open"))
    hashed, python = exported(visitor)
    monkeypatch.chdir(tmp_path)
    exec(python, {})  # noqa: S102 - what the page shows
    assert sha256(tmp_path / "released.csv") == hashed
    assert "Zürich" in (tmp_path / "released.csv").read_text("utf-8")
    command = re.search(r"kanonym anonymize [^<]*", visitor.get(f"{visitor.at}/export").text)[0]
    assert "--encoding windows-1252" in command
    again = visitor.send("POST", "/open", {"path": str(tmp_path / "project")})
    opened(visitor, again)
    assert 'value="windows-1252"' in visitor.get(f"{visitor.at}/open").text


def test_names_of_columns_go_along_with_a_source():
    """A file without a header is read by the names that the page asks for, and so are commands."""
    source = Source("/tables/people.csv", columns='age, "last, first"')
    assert source.column_names == ["age", "last, first"]
    assert source.options == ["--columns", 'age, "last, first"']


def test_a_project_is_found_again_by_its_table_alone():
    """A path that leaves the sheet open is that of the project; another sheet is another table."""
    kept = Source("/tables/people.xlsx", sheet="2024", ledger="/tables/spent.json")
    assert kept.is_place_of(Source("/tables/people.xlsx"))
    assert not kept.is_place_of(Source("/tables/people.xlsx", sheet="2023"))
    assert not kept.is_place_of(Source("/tables/others.xlsx"))


def test_a_table_of_a_duckdb_file(visitor, tmp_path, monkeypatch):
    """The file is named by its path, its table by name; the shown Python makes the same file."""
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(tmp_path / "people.duckdb") as connection:
        connection.register("given", PEOPLE.to_arrow())
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
    named = {"path": str(tmp_path / "people.duckdb"), "table": "people"}
    opened(visitor, visitor.send("POST", "/open", {**named, "folder": str(tmp_path / "project")}))
    hashed, python = exported(visitor)
    monkeypatch.chdir(tmp_path)
    exec(python, {})  # noqa: S102 - what the page shows
    assert sha256(tmp_path / "released.csv") == hashed


def test_a_table_of_a_sqlite_file(visitor, tmp_path):
    """A SQLite file is named by its path, like any other file."""
    with closing(sqlite3.connect(tmp_path / "people.db")) as connection:
        connection.execute("CREATE TABLE people (town TEXT, illness TEXT)")
        rows = PEOPLE.select("town", "illness").rows()
        connection.executemany("INSERT INTO people VALUES (?, ?)", rows)
        connection.commit()
    named = {"path": str(tmp_path / "people.db"), "table": "people"}
    opened(visitor, visitor.send("POST", "/open", {**named, "folder": str(tmp_path / "project")}))
    assert "60 records, 2 columns" in text_of(visitor.get(f"{visitor.at}/open"))


def test_an_upload_is_private_and_deleted(tmp_path):
    """An uploaded file is readable by its owner alone, whatever name it came with, then gone."""
    head = 'Content-Disposition: form-data; name="'
    text = PEOPLE.write_csv()
    parts = f'--b\r\n{head}file"; filename="../../.p<b>.csv"\r\n\r\n{text}\r\n'
    parts += f'--b\r\n{head}folder"\r\n\r\n{tmp_path / "project"}\r\n--b--\r\n'
    with running() as (_, addresses):
        visitor = Visitor.enter(addresses[-1])
        sent = {"Content_Type": "multipart/form-data; boundary=b"}
        opened(visitor, visitor.send("POST", "/upload", parts, **sent))
        assert "60 records" in text_of(visitor.get(f"{visitor.at}/open"))
        saved = (tmp_path / "project" / "project.json").read_text("utf-8")
        place = Path(re.search(r'"path": "([^"]*)"', saved)[1])
        assert place.is_file()
        assert place.parent.parent.stat().st_mode & 0o077 == 0
        assert re.fullmatch(r"[\w.-]+", place.name)
    assert not place.parent.parent.exists()
    assert [one.name for one in (tmp_path / "project").glob("*.csv")] == []


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"path": "/nowhere/t.csv"}, "no file"),
        ({"path": ""}, "Something must be entered here"),
        ({"path": "postgresql://ann:secret@nowhere.invalid/x", "table": "t"}, "***"),
    ],
)
def test_what_cannot_be_opened_says_why(visitor, form, told, tmp_path):
    """A missing file or database is told on the page, without a password, and nothing is made."""
    answer = visitor.send("POST", "/open", {**form, "folder": str(tmp_path / "project")})
    if answer.status == 303:
        opened(visitor, answer)
        answer = visitor.get(f"{visitor.at}/open")
    text = text_of(answer)
    assert told in text
    assert "secret" not in answer.text
    assert not (tmp_path / "project").exists()
