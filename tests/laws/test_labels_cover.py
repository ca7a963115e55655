"""Laws of labels: what a label names are the values that it stands for, and no other reads so."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data.files import read_table, write_table

ZONES = ["Africa/Monrovia", "Europe/Amsterdam", "Europe/Berlin", "Europe/Paris", "UTC"]
"""Offsets of Monrovia until 1972, and of Paris until 1911, have seconds."""
MOMENTS = [
    dt.datetime(year, 1, 1, 21, 0, 7, tzinfo=dt.UTC) + dt.timedelta(hours=7 * i, seconds=13 * i)
    for year in (1900, 1971, 2020)
    for i in range(8)
]


def moments(zone):
    """Return a table of moments in a zone."""
    at = pl.Series("at", MOMENTS).dt.convert_time_zone(zone)
    return pl.DataFrame({"at": at, "s": ["a", "b"] * (len(at) // 2)})


def policy(**how):
    """Return a policy that recodes the moments."""
    return ka.Policy(
        attributes={"at": ka.QuasiIdentifier(**how), "s": ka.Insensitive()},
        models=[ka.KAnonymity(3)],
        rows="persons",
        seed=5,
    )


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("recoding", ["interval", "set"])
def test_labels_of_moments_cover_them(zone, recoding):
    """Python reads both ends, or each member: the original moment lies between, or is one."""
    asked = policy(recoding=recoding).model_copy(update={"keep_order": True})
    released = ka.anonymize(moments(zone), asked).frame
    for moment, label in zip(MOMENTS, released["at"], strict=True):
        named = [dt.datetime.fromisoformat(one) for one in label.strip("[]{}").split(", ")]
        held = min(named) <= moment <= max(named) if recoding == "interval" else moment in named
        assert held, label


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("extension", ["csv", "tsv", "json", "jsonl", "xlsx", "sav", "parquet"])
def test_files_hold_the_same_moments(zone, extension, tmp_path):
    """A moment that is written is read back as the same one, as text or as a moment."""
    if extension == "sav":
        pytest.importorskip("pyreadstat")
    path = str(tmp_path / f"t.{extension}")
    write_table(moments(zone), path)
    read = read_table(path)["at"]
    if read.dtype == pl.String:
        assert [dt.datetime.fromisoformat(one) for one in read] == MOMENTS
    else:
        assert read.dt.convert_time_zone("UTC").to_list() == MOMENTS


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(("place", "levels"), [("table", None), ("file", ["day", "month", "year"])])
def test_duckdb_has_the_labels_of_this_process(zone, place, levels, tmp_path):
    """Days and intervals are those of the column's zone, not of UTC; CSV has no odd offsets."""
    pytest.importorskip("duckdb")
    table = moments(zone)
    if place == "file":
        table.write_parquet(tmp_path / "t.parquet")
    given = table if place == "table" else str(tmp_path / "t.parquet")
    asked = policy(hierarchy=ka.hierarchy.dates(levels=levels)) if levels else policy()
    here = ka.anonymize(table, asked).frame
    there = ka.anonymize(ka.engines.scan_duckdb(given), asked).frame.fetchall()
    assert sorted(there) == sorted(here.rows())
    kept = ka.Policy(
        attributes={"at": ka.Insensitive(), "s": ka.QuasiIdentifier()}, models=[ka.KAnonymity(3)]
    )
    ka.anonymize(ka.engines.scan_duckdb(given), kept, output=str(tmp_path / "out.csv"))
    read = read_table(str(tmp_path / "out.csv"))["at"].dt.convert_time_zone("UTC")
    assert sorted(read) == MOMENTS


def test_the_law_has_offsets_with_seconds():
    """A zone of whole minutes would show nothing."""
    offsets = [MOMENTS[0].astimezone(ZoneInfo(zone)).utcoffset() for zone in ZONES]
    assert any(one.total_seconds() % 60 for one in offsets)


@pytest.mark.parametrize("values", [["other"], ["other", "(other)"], ["other ", "Other"], []])
def test_the_label_of_rare_values_is_no_value(values):
    """Where a value reads `other`, frequent or rare, the group reads otherwise."""
    column = pl.Series("x", [*values, "a", "b", "c", "d"])
    for counts in (np.arange(len(column)) + 1, np.arange(len(column))[::-1] + 1):
        tree = ka.hierarchy.frequency(shares=[0.15, 0.3]).bind(column, counts.astype(np.int64))
        leaves = set(tree.labels[0])
        for labels, codes in zip(tree.labels[1:-1], tree.codes[1:-1], strict=True):
            sizes = np.bincount(codes, minlength=len(labels))
            merged = {label for label, size in zip(labels, sizes, strict=True) if size > 1}
            assert not merged & leaves
