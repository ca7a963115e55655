"""k of a file is the least over the readings that any common reader makes of it."""

from __future__ import annotations

import io

import polars as pl
import pyarrow as pa
import pytest
import xlsxwriter
from pyarrow import parquet

import kanonym as ka

POLICY = """\
version: 1
rows: persons
attributes: {q: {role: quasi-identifier}, s: {role: sensitive}}
models: [{type: k-anonymity, k: 4}, {type: l-diversity, attribute: s, l: 2}]
"""
ILL = ["a", "b", "c", "d"] * 2


def workbook(write):
    """Return a workbook whose table `write` changes; its column q is 7 in all eight records."""
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer)
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ["q", "s"])
    for row, ill in enumerate(ILL, 1):
        sheet.write_row(row, 0, [7, ill])
    write(book, sheet)
    book.close()
    return buffer.getvalue()


def lines(cells):
    """Return JSON Lines; a cell is the text of a member, or nothing."""
    return "".join(
        f'{{{cell}{", " if cell else ""}"s": "{ill}"}}\n'
        for cell, ill in zip(cells, ILL, strict=True)
    ).encode()


def lines_of_csv(cells):
    """Return a CSV file."""
    return "\n".join(["q,s", *map(",".join, zip(cells, ILL, strict=True))]).encode()


def table(values, form="parquet", **kind):
    """Return a Parquet or Arrow file."""
    buffer = io.BytesIO()
    column = pa.array(values, **kind)
    held = pa.table({"q": column, "s": ILL})
    if form == "parquet":
        parquet.write_table(held, buffer)
    else:
        with pa.ipc.new_file(buffer, held.schema) as out:
            out.write_table(held)
    return buffer.getvalue()


NAN = float("nan")
SPLIT = {
    "numbers and texts.jsonl": lines(['"q": 1'] * 6 + ['"q": "1"'] * 2),
    "forms of a number.jsonl": lines(['"q": 1'] * 6 + ['"q": 1.0'] * 2),
    "forms of a number.json": b"["
    + lines(['"q": 1'] * 6 + ['"q": 1e0'] * 2).replace(b"\n", b",").removesuffix(b",")
    + b"]",
    "missing keys.jsonl": lines(['"q": 1'] * 4 + ['"q": null'] * 2 + [""] * 2),
    "forms of a date.jsonl": lines(
        ['"q": "2024-01-01 00:00"'] * 6 + ['"q": "2024-01-01T00:00"'] * 2
    ),
    "NaN and null.parquet": table([1.0] * 4 + [NAN] * 2 + [None] * 2),
    "NaN and null.feather": table([1.0] * 4 + [NAN] * 2 + [None] * 2, "feather"),
    "two zeros.parquet": table([0.0] * 6 + [-0.0] * 2),
    "texts.xlsx": workbook(lambda _, sheet: [sheet.write_string(row, 0, "7") for row in (3, 4)]),
    "formats.xlsx": workbook(
        lambda book, sheet: [
            sheet.write_number(row, 0, 7, book.add_format({"num_format": "0.00"})) for row in (3, 4)
        ]
    ),
    "colours.xlsx": workbook(
        lambda book, sheet: [
            sheet.write_number(row, 0, 7, book.add_format({"bg_color": "red"})) for row in (3, 4)
        ]
    ),
    "formulas.xlsx": workbook(
        lambda _, sheet: [sheet.write_formula(row, 0, "=3+4", None, 7) for row in (3, 4)]
    ),
    "hidden rows.xlsx": workbook(
        lambda _, sheet: [sheet.set_row(row, None, None, {"hidden": True}) for row in (3, 4)]
    ),
}
WHOLE = {
    "numbers.jsonl": lines(['"q": 1'] * 8),
    "numbers.parquet": table([1.0] * 4 + [None] * 4),
    "numbers.feather": table([1.0] * 4 + [NAN] * 4, "feather"),
    "numbers.xlsx": workbook(lambda *_: None),
    "dates.xlsx": workbook(
        lambda book, sheet: sheet.set_column(0, 0, 20, book.add_format({"bold": True}))
    ),
}


def verified(kanonym, folder, name, data, further=""):
    """Return the exit code, k and findings of `verify`."""
    (folder / "p.yaml").write_text(POLICY)
    place = name.replace(" ", "-")
    (folder / place).write_bytes(data)
    ran = kanonym(f"verify {place} --policy p.yaml --json {further}")
    check, _ = ran.json["models"]
    return ran.code, check["achieved"], [one["kind"] for one in ran.json["findings"]]


@pytest.mark.parametrize(("name", "data"), SPLIT.items(), ids=SPLIT)
def test_what_a_reader_tells_apart_is_counted_apart(kanonym, folder, name, data):
    """Two of eight records are told from the others, and k is 2."""
    assert verified(kanonym, folder, name, data) == (1, 2, [])


@pytest.mark.parametrize(("name", "data"), WHOLE.items(), ids=WHOLE)
def test_a_plain_file_is_counted_as_before(kanonym, folder, name, data):
    """Nothing tells the records of a class apart."""
    code, k, findings = verified(kanonym, folder, name, data)
    assert (code, k >= 4, findings) == (0, True, [])


def beside(name):
    """Return a workbook with something beside its table."""

    def write(book, sheet):
        if name == "comments":
            sheet.write_comment(3, 1, "Mr Miller")
        elif name == "cells with comments":
            sheet.write_comment(3, 0, "Mr Miller")
        else:
            further = book.add_worksheet("people")
            further.write(0, 0, "Mr Miller")
            if name == "hidden sheets":
                further.hide()

    return workbook(write)


@pytest.mark.parametrize("name", ["sheets", "hidden sheets", "comments", "cells with comments"])
def test_what_a_workbook_has_beside_its_table_is_found(kanonym, folder, name):
    """It is named, and the verdict is not green; a comment tells its record apart as well."""
    code, k, findings = verified(kanonym, folder, f"{name}.xlsx", beside(name))
    assert (code, findings[-1]) == (1, "unread-parts")
    assert k == (1 if name == "cells with comments" else 8)


def test_metadata_of_a_file_is_named(kanonym, folder):
    """Programs write types there, and others write anything."""
    buffer = io.BytesIO()
    held = pa.table({"q": [1] * 8, "s": ILL}).replace_schema_metadata({"source": "Mr Miller"})
    parquet.write_table(held, buffer)
    code, _, findings = verified(kanonym, folder, "m.parquet", buffer.getvalue())
    assert (code, findings) == (1, ["unread-parts"])


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json", "a.parquet", "a.feather", "a.xlsx"])
def test_what_is_written_here_has_one_reading(kanonym, folder, name):
    """Files that are written by `write_table` have nothing beside their table."""
    frame = pl.DataFrame(
        {"q": [0.5, 0.5, 2.0, 2.0] * 2, "s": ["a", "a", "b", "b", "c", "c", "d", "d"]}
    )
    ka.write_table(frame, folder / name)
    code, k, findings = verified(kanonym, folder, name, (folder / name).read_bytes())
    assert (code, k, findings) == (0, 4, [])


ENGINES = {"duckdb": (".jsonl", ".json", ".parquet", ".csv"), "spark": (".parquet", ".csv")}
FORMS = {
    **SPLIT,
    **WHOLE,
    "forms of a number.csv": lines_of_csv(["1"] * 6 + ["1.0"] * 2),
    "numbers.csv": lines_of_csv(["1"] * 8),
}


@pytest.mark.parametrize("name", [one for one in FORMS if one.endswith(ENGINES["duckdb"])])
@pytest.mark.parametrize("engine", ["duckdb", pytest.param("spark", marks=pytest.mark.nightly)])
def test_an_engine_tells_apart_what_this_process_does(kanonym, folder, engine, name):
    """`verify --engine` has the same verdict; what Spark cannot tell of JSON is named."""
    pytest.importorskip("duckdb" if engine == "duckdb" else "pyspark")
    code, k, findings = verified(kanonym, folder, name, FORMS[name])
    there = verified(kanonym, folder, name, FORMS[name], f"--engine {engine}")
    if name.endswith(ENGINES[engine]):
        assert there == (code, k, findings)
    else:
        assert (there[0], there[2]) == (1, ["unread-parts"])


def test_metadata_of_a_file_is_named_on_an_engine(kanonym, folder):
    """As it is in this process."""
    pytest.importorskip("duckdb")
    buffer = io.BytesIO()
    held = pa.table({"q": [1] * 8, "s": ILL}).replace_schema_metadata({"source": "Mr Miller"})
    parquet.write_table(held, buffer)
    found = verified(kanonym, folder, "m.parquet", buffer.getvalue(), "--engine duckdb")
    assert (found[0], found[2]) == (1, ["unread-parts"])
