"""`--sheet` and `--header-row`: the commands that read a workbook."""

from __future__ import annotations

from pathlib import Path

import pytest
import xlsxwriter

COMMANDS = {
    "profile": "profile book.xlsx",
    "measure": "measure book.xlsx -q age",
    "anonymize": "anonymize book.xlsx -q age -k 2 --others insensitive -o out.csv",
    "verify": "verify book.xlsx -p k.yaml --accept-findings",
    "assess": "assess book.xlsx -q age",
    "transform": "transform book.xlsx --action age=shuffle --seed 3 -o out.csv",
}


@pytest.fixture
def book(folder):
    """Write a workbook whose second sheet has a title above its table."""
    with xlsxwriter.Workbook(folder / "book.xlsx") as workbook:
        workbook.add_worksheet("info").write_row(0, 0, ["about"])
        page = workbook.add_worksheet("data")
        page.write_row(0, 0, ["Patients"])
        for number, row in enumerate([["age", "zip"], [3, "a"], [3, "b"]], 2):
            page.write_row(number, 0, row)
    (folder / "k.yaml").write_text(
        "attributes: {age: {role: quasi-identifier}, zip: {role: insensitive}}\n"
        "models: [{type: k-anonymity, k: 2}]\n",
        "utf-8",
    )


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_sheet_and_its_header_can_be_named(kanonym, command):
    """Every command that reads a table takes the sheet, and the row of its names."""
    assert kanonym(f"{command} --sheet data --header-row 3").code == 0
    Path("out.csv").unlink(missing_ok=True)
    refused = kanonym(f"{command} --sheet 2")
    assert refused.code == 3
    assert "--header-row 3" in refused.error


@pytest.mark.usefixtures("book")
def test_other_sheets_are_named(kanonym):
    """A cover sheet in front is no table: the error names the sheet that is one."""
    refused = kanonym("profile book.xlsx")
    assert refused.code == 3
    assert "--sheet 'data'" in refused.error


def test_a_sheet_of_a_text_file_is_refused(kanonym):
    """Only Excel files have sheets."""
    refused = kanonym("profile patients.csv --sheet 2")
    assert refused.code == 3
    assert "sheet is for Excel files; this is csv" in refused.error
