"""Columns as people write them, each a file that is released and judged by its cells."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import kanonym as ka
from kanonym.data.readings.month_names import MONTHS
from reading_cases import cells_of, faults, frame_of, policy_of, table_of, write_input

GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden" / "reading.json"
OWN = json.loads((Path(__file__).parent / "reading_cases.json").read_text("utf-8"))
GIVEN = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.is_file() else {}
BY_DAY = 4
"""Every so manieth golden case runs by day, and those of frames and databases."""
NAMES = GIVEN.get("months") or {
    language: {form: names.split() for form, names in own._asdict().items()}
    for language, own in MONTHS.items()
}


def cases():
    """Return the cases; by day those of what was once read in another way, and some others."""
    if not GIVEN:
        yield pytest.param(None, marks=pytest.mark.skip("needs ../shared beside the checkout"))
    for place, case in enumerate([*GIVEN.get("cases", ()), *OWN]):
        odd = case.get("format") in ("pandas", "sqlite") or case.get("day")
        by_day = odd or "loss" in case or place % BY_DAY == 0
        marks = () if by_day else pytest.mark.nightly
        yield pytest.param(case, id=case["name"], marks=marks)


def released_labels(path, name):
    """Return the labels of a column of a released file; an empty cell is null."""
    with path.open(encoding="utf-8", newline="") as file:
        separator = ";" if ";" in file.readline() else ","
        file.seek(0)
        return [row[name] or None for row in csv.DictReader(file, delimiter=separator)]


def released_frame(case, cells, policy):
    """Return the labels of a pandas table, and no sentences."""
    column = ka.anonymize(frame_of(case, cells), policy).frame[case["column"]]
    return [None if one is None or one != one else str(one) for one in column.tolist()]  # noqa: PLR0124


@pytest.mark.parametrize("case", list(cases()))
def test_a_column_is_read_as_a_person_reads_it(case, kanonym, folder):
    """Numbers, dates and bands are released as ranges, other cells as themselves."""
    cells = table_of(case, NAMES)
    (folder / "p.yaml").write_text(policy_of(case), "utf-8")
    answers = {case["reads_as"], case.get("or")}
    if case["format"] == "pandas":
        policy = ka.Policy.from_file(folder / "p.yaml")
        if case["reads_as"] == "refuse":
            with pytest.raises(ka.KanonymError, match=case["column"]):
                released_frame(case, cells, policy)
        else:
            labels = released_frame(case, cells, policy)
            assert not faults({**case, "note": False}, cells, labels, "")
        return
    line = write_input(case, cells, folder)
    ran = kanonym("anonymize -p p.yaml -o o.csv", *line)
    if "refuse" in answers and ran.code == 3:
        assert case["column"] in ran.error or "--columns" in ran.error
        return
    assert ran.code == 0, ran.error
    assert case["reads_as"] != "refuse"
    labels = released_labels(folder / "o.csv", case["column"])
    assert not faults(case, cells, labels, ran.error)[:3]


@pytest.mark.parametrize("case", GIVEN.get("hierarchies", ()), ids=lambda case: case["name"])
def test_a_hierarchy_says_what_all_rows_share(case, kanonym, folder):
    """A level whose label is the same for all rows is released, not the root."""
    case = {"format": "csv", **case}
    (folder / "p.yaml").write_text(policy_of(case), "utf-8")
    line = write_input(case, cells_of(case["cells"]), folder)
    assert kanonym("anonymize -p p.yaml -o o.csv", *line).code == 0
    assert sorted(set(released_labels(folder / "o.csv", case["column"]))) == case["released"]
