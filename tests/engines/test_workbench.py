"""The workbench on a table of a database."""

from __future__ import annotations

import polars as pl

from kanonym.data.databases import displayable_url
from kanonym.data.files import sha256
from kanonym.engines.database import write_table
from workbench_servers import Visitor, exported, opened, running, text_of

PEOPLE = pl.DataFrame(
    {
        "born": [f"{1 + i % 28:02d}.{1 + i % 12:02d}.{1950 + i % 40}" for i in range(60)],
        "town": ["Bern", "Chur", "Thun"] * 20,
        "illness": ["flu", "cold", "asthma", "gout"] * 15,
    }
)


def test_table_of_a_database(database, tmp_path, monkeypatch):
    """A table is opened by its address and name; Python repeats the release; no password shows."""
    write_table(PEOPLE, database, "people")
    form = {"path": database, "table": "people", "folder": str(tmp_path / "project")}
    with running() as (_, addresses):
        visitor = Visitor.enter(addresses[-1])
        opened(visitor, visitor.send("POST", "/open", form))
        assert "60 records" in text_of(visitor.get(f"{visitor.at}/open"))
        hashed, python = exported(visitor)
    shown = displayable_url(database)
    assert shown in python
    for place in (tmp_path / "project").rglob("*"):
        password = database.partition("://")[2].partition("@")[0].partition(":")[2]
        assert not password or place.is_dir() or password not in place.read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    exec(python.replace(shown, database), {})  # noqa: S102 - what the page shows
    assert sha256(tmp_path / "released.csv") == hashed
