"""What a suppressed person's values are changes nothing that is published of a release."""

from __future__ import annotations

import contextlib
import datetime as dt
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kanonym as ka
from columns_of_cells import FILES
from effort import NIGHTLY
from kanonym.cli import main
from kanonym.data.files import read_again, read_with_content
from kanonym.reporting.rendering import pdf

POLICY = """\
version: 1
attributes:
  name: {{role: identifier}}
  age:  {{role: quasi-identifier{age}}}
  town: {{role: quasi-identifier}}
  income: {{role: insensitive}}
  note: {{role: insensitive}}
  ill:  {{role: sensitive}}
models:
  - {{type: k-anonymity, k: 5}}
{models}
suppression_limit: 0.1
seed: 7
{algorithm}
"""
LEVELS = ", hierarchy: {intervals: {width: [20, 40], origin: 0}}"
ALGORITHMS = {
    "full-domain": (LEVELS, "algorithm: {type: full-domain, levels: {town: 0}}"),
    "fractions": (
        ", hierarchy: {intervals: {width: [20.5, 41], origin: 0.5}}",
        "algorithm: {type: full-domain, levels: {town: 0}}",
    ),
    "entropy": (LEVELS, "algorithm: {type: full-domain, metric: non-uniform-entropy}"),
    "mondrian": ("", "algorithm: {type: mondrian}"),
    "local-recoding": (LEVELS, "algorithm: {type: local-recoding}"),
    "declared": (
        ", type: number, hierarchy: {intervals: {width: [20, 40], origin: 0}}",
        "algorithm: {type: full-domain, levels: {town: 0}}",
    ),
}
ODD = [
    {"name": "p7", "age": 117, "town": "Zzyzx", "income": 98_765, "ill": "plague"},
    {"name": "q", "age": 119, "town": "Ypres", "income": 7, "ill": "scurvy"},
    {"name": "n", "age": 118, "town": "Bern", "income": 20, "ill": "cold"},
    {"name": "o", "age": 1, "town": "Zzyzx", "income": 20, "ill": "cold"},
    {"name": "p9", "age": 117, "town": "Zzyzx", "income": 20, "ill": "plaguE"},
]
"""Values of one person, who stands alone with each of them."""


def people(odd):
    """Return records of which the last cannot but be suppressed."""
    random = np.random.default_rng(3)
    n = 150
    rows = {
        "name": [f"p{i}" for i in range(n - 1)],
        "age": random.integers(20, 60, n - 1).tolist(),
        "town": random.choice(["Bern", "Chur", "Arosa"], n - 1).tolist(),
        "income": random.integers(10, 60, n - 1).tolist(),
        "note": random.choice(["a", "b"], n - 1).tolist(),
        "ill": random.choice(["flu", "gout", "cold", "gout"], n - 1).tolist(),
    }
    last = {"note": "b", **odd}
    return pl.DataFrame({name: [*values, last[name]] for name, values in rows.items()})


def policy_text(algorithm, models=""):
    """Return a policy file."""
    age, text = ALGORITHMS[algorithm]
    return POLICY.format(age=age, algorithm=text, models=models)


def without_hashes_and_seconds(text):
    """Return a text without hashes of files and measured times."""
    text = re.sub(r"[0-9a-f]{64}", "", text)
    text = re.sub(r'"seconds": \{[^}]*\}', "", text)
    text = re.sub(r"(read|count|encode) \d[\d.]*, [^<|]*", "", text)
    text = re.sub(r"\d+\.\d+ s\b|\b\d+(\.\d+)? m?s\b", "", text)
    # A stage that took long, or of which a part is done; and the first run on a machine.
    parts = r"\(\)| done \(.* left\)| nodes visited, .*|compiling its kernels .*"
    return re.sub(rf"(?m)^kanonym: .*({parts})\n", "", text)


def published(folder, line, capfd):
    """Run a command in a folder with its table; return all that it wrote and printed."""
    (folder / "p.yaml").write_text((folder.parent / "p.yaml").read_text())
    capfd.readouterr()
    with contextlib.chdir(folder), pytest.raises(SystemExit) as ended:
        main(line.split())
    printed = capfd.readouterr()
    searched = r'"(nodes_checked|score|lattice_size)": [\d.]+,|"highest_levels": {[^}]*},'
    told = re.sub(searched, "", printed.out)  # for the custodian
    texts = {"exit code": str(ended.value.code or 0), "out": told, "err": printed.err}
    for path in sorted(folder.rglob("*.*")):
        if path.stem not in ("in", "p") and path.parent.name != "in":
            texts[path.name] = path.read_bytes().decode("utf-8", "replace")
    return {name: without_hashes_and_seconds(text) for name, text in texts.items()}


@pytest.mark.parametrize(
    ("algorithm", "models", "form", "attack"),
    [
        ("full-domain", "", "csv", "--attack"),
        ("full-domain", "  - {type: t-closeness, attribute: ill, t: 0.5}", "csv", "--no-attack"),
        ("entropy", "", "jsonl", "--no-attack"),
        ("mondrian", "", "parquet", "--no-attack"),
        ("local-recoding", "", "csv", "--no-attack"),
        ("full-domain", "", "parquet", "--engine duckdb"),
    ],
)
def test_everything_published_is_the_same(tmp_path, capfd, algorithm, models, form, attack):
    """Release, manifest, reports, what is printed and logged, and the exit code."""
    (tmp_path / "p.yaml").write_text(policy_text(algorithm, models))
    line = (
        f"anonymize in.{form} --policy p.yaml -o out.{form} --manifest m.json --report r.html "
        f"--report r.md --report r.json --json -vv {attack}"
    )

    def run(folder, odd):
        folder.mkdir()
        ka.write_table(people(odd), folder / f"in.{form}")
        return published(folder, line, capfd)

    first, *others = (
        run(tmp_path / str(i), odd)
        for i, odd in enumerate(ODD if algorithm == "mondrian" else [*ODD[:2], ODD[3]])
    )
    assert first["exit code"] == "0"
    assert re.search(r'"suppressed": [1-9]', first["m.json"])
    for one in others:
        assert one == first


WRITTEN = {
    "age": ["117", "90+", "1,5", "abc", "", "?", "+7", "007", "12/11/1900", ">90"],
    "income": ["98765", "abc", "1.5", "1,50", "inf", "NaN", "", "2024-01-05", "true"],
}
WRITTEN["age"] += ["9999999999999999999999", "7 kg", "117,50", "117.50"]
"""Cells of one person, with which a file has no column of whole numbers."""
FEW = 6
WAYS = [
    ("full-domain", "age", "csv", "parquet", ""),
    ("fractions", "age", "csv", "csv", ""),
    ("mondrian", "age", "csv", "csv", ""),
    ("local-recoding", "age", "csv", "csv", ""),
    ("declared", "age", "csv", "csv", "--engine duckdb"),
    ("full-domain", "age", "jsonl", "csv", ""),
    ("full-domain", "age", "xlsx", "csv", ""),
    ("full-domain", "age", "parquet", "parquet", ""),
    ("full-domain", "income", "csv", "parquet", ""),
    ("full-domain", "income", "csv", "csv", ""),
    ("full-domain", "income", "jsonl", "jsonl", ""),
    ("full-domain", "income", "xlsx", "xlsx", ""),
]


@pytest.mark.parametrize(("algorithm", "name", "form", "to", "engine"), WAYS)
def test_how_a_suppressed_cell_is_written_is_not_published(
    tmp_path, capfd, monkeypatch, algorithm, name, form, to, engine
):
    """Manifest, reports and release tell the reading and type of the records that are released."""
    monkeypatch.setattr(pdf, "print_pdf", lambda page, *_, **__: b"%PDF-1.4 " + page.encode())
    (tmp_path / "p.yaml").write_text(policy_text(algorithm))
    line = (
        f"anonymize in.{form} --policy p.yaml -o out.{to} --manifest m.json --report r.html "
        f"--report r.pdf --report r.md --report r.json --json --no-attack {engine}"
    )
    columns = people(ODD[0]).to_dict(as_series=False)
    columns[name] = columns[name] if form in ("jsonl", "xlsx") else [*map(str, columns[name])]
    runs = []
    for place, written in enumerate(WRITTEN[name] if NIGHTLY else WRITTEN[name][:FEW]):
        columns[name][-1] = columns[name][-1] if place == 0 else written
        folder = tmp_path / str(place)
        folder.mkdir()
        FILES[form](columns, folder / f"in.{form}")
        run = published(folder, line, capfd)
        del run["err"]  # it tells the custodian how cells are read
        if to == "xlsx":
            sheet = ka.read_table(folder / "out.xlsx")
            run["out.xlsx"] = f"{sheet.schema} {sheet.write_csv()}"
        runs.append(run)
    assert runs[0]["exit code"] == "0"
    assert re.search(r'"suppressed": [1-9]', runs[0]["m.json"])
    assert (
        algorithm == "declared" or '"type": "number"' not in runs[0]["m.json"] or form == "parquet"
    )
    for run in runs[1:]:
        assert run == runs[0]


@pytest.mark.parametrize("odd", ["soon", 1.5, None])
def test_cells_of_a_workbook_have_types_of_their_own(tmp_path, odd):
    """Numbers, dates, times and truths that are released are such, whatever stands beside them."""
    day = dt.datetime(2024, 1, 5)
    cells = {
        "number": range(30),
        "fraction": [i / 2 for i in range(30)],
        "day": [day + dt.timedelta(days=i) for i in range(30)],
        "moment": [day + dt.timedelta(hours=7 * i + 1) for i in range(30)],
        "truth": [i % 2 == 0 for i in range(30)],
        "text": [f"t{i}" for i in range(30)],
    }
    FILES["xlsx"]({name: [*own] for name, own in cells.items()}, tmp_path / "plain.xlsx")
    FILES["xlsx"]({name: [*own, odd] for name, own in cells.items()}, tmp_path / "odd.xlsx")
    _, content = read_with_content(tmp_path / "odd.xlsx")
    kept = read_again(tmp_path / "odd.xlsx", content, np.arange(30), {})
    assert kept.equals(ka.read_table(tmp_path / "plain.xlsx"))
    assert kept.schema == ka.read_table(tmp_path / "plain.xlsx").schema


@pytest.mark.parametrize("algorithm", ["full-domain", "mondrian"])
@pytest.mark.parametrize("name", ["age", "income"])
def test_a_suppressed_cell_gives_a_column_of_pandas_no_other_type(tmp_path, algorithm, name):
    """NumPy has no null among whole numbers, and what holds texts and numbers is of objects."""
    odd = [117, None, 117.5]
    if name == "income":
        odd += ["abc", float("inf"), float("-inf"), 10**20, True, Decimal("117.5")]
    policy = ka.Policy.from_text(policy_text(algorithm))
    runs = []
    for cell in odd:
        columns = people(ODD[0]).to_dict(as_series=False)
        columns[name][-1] = cell
        release = ka.anonymize(pd.DataFrame(columns), policy)
        assert release.suppressed == 1
        texts = [release.frame.to_csv(), str(release.frame.dtypes), str(release.algorithm)]
        for form in ("md", "html", "json"):
            release.report(tmp_path / f"r.{form}")
            texts.append(without_hashes_and_seconds((tmp_path / f"r.{form}").read_text()))
        runs.append(texts)
    for run in runs[1:]:
        assert run == runs[0]


@pytest.mark.parametrize(("name", "to"), [("age", "csv"), ("income", "csv"), ("income", "parquet")])
def test_a_batch_of_a_series_tells_nothing_of_a_suppressed_cell(tmp_path, capfd, name, to):
    """Its manifest counts no value of a suppressed record, and types are those of the others."""
    (tmp_path / "p.yaml").write_text(policy_text("full-domain"))
    ka.write_table(people(ODD[0]).head(149), tmp_path / "fit.csv")
    with contextlib.chdir(tmp_path), pytest.raises(SystemExit):
        main(["fit", "fit.csv", "--policy", "p.yaml", "-o", "series.json"])
    columns = people(ODD[0]).to_dict(as_series=False)
    cells = ["117", "", "21"] if name == "age" else WRITTEN["income"]
    runs = []
    for place, written in enumerate(cells):
        columns[name][-1] = written
        folder = tmp_path / str(place)
        folder.mkdir()
        FILES["csv"](columns, folder / "in.csv")
        line = f"apply ../series.json in.csv -o out.{to} --manifest m.json --json"
        run = published(folder, line, capfd)
        del run["err"]
        runs.append(run)
    assert runs[0]["exit code"] == "0"
    assert '"suppressed": 1' in runs[0]["m.json"]
    for run in runs[1:]:
        assert run == runs[0]


def test_a_batch_with_suppressed_records_has_a_report(tmp_path):
    """The levels of a series are in its recoding, not in what a search tells."""
    fitted = ka.fit(people(ODD[0]).head(149), ka.Policy.from_text(policy_text("full-domain")))
    release = fitted.apply(people(ODD[0]))
    assert release.suppressed == 1
    release.report(tmp_path / "r.md")
    assert "117" not in (tmp_path / "r.md").read_text()


@pytest.mark.parametrize("odd", ODD)
def test_a_release_measures_its_own_records(odd):
    """Loss, utility, attacks and findings of a release are those of its records alone."""
    policy = ka.Policy.from_text(policy_text("mondrian"))
    table, plain = people(odd), people(ODD[0])
    found, first = ka.anonymize(table, policy), ka.anonymize(plain, policy)
    assert found.suppressed == 1
    assert found.utility == first.utility
    assert ka.utility(table, found).to_dict() == ka.utility(plain, first).to_dict()
    assert ka.utility(table, found).suppressed == 1 / len(table)
    asked = {"attacks": ["linkage", "homogeneity"], "released_only": True}
    assert ka.attack(table, found, **asked).to_dict() == ka.attack(plain, first, **asked).to_dict()


def test_two_tables_are_compared_whole_and_a_report_refuses_it(tmp_path):
    """What compares suppressed records says so, and is in no report."""
    policy = ka.Policy.from_text(policy_text("mondrian"))
    table = people(ODD[0])
    release = ka.anonymize(table, policy)
    found = ka.utility(table, release.frame, policy)
    assert found.all_records
    assert "for the custodian" in str(found)
    with pytest.raises(ka.DataError, match="compares suppressed records"):
        release.report(tmp_path / "r.md", utility=found)


def test_a_model_that_fails_beside_the_released_table_is_found():
    """t-closeness is judged beside the input, and told of the released records."""
    table = pl.DataFrame(
        {
            "town": ["x"] * 60 + ["y"] * 40 + ["z"],
            "ill": ["a"] * 36 + ["b"] * 24 + ["a", "b"] * 20 + ["b"],
        }
    )
    policy = ka.Policy(
        attributes={"town": ka.QuasiIdentifier(), "ill": ka.Sensitive()},
        models=[ka.KAnonymity(5), ka.TCloseness("ill", 0.055)],
        algorithm=ka.FullDomain(levels={"town": 0}),
        suppression_limit=0.1,
        rows="persons",
    )
    release = ka.anonymize(table, policy)
    (check,) = [one for one in release.verification.checks if one.type == "t-closeness"]
    assert check.satisfied
    assert check.achieved == pytest.approx(0.06)
    assert [one.kind for one in release.verification.findings] == ["shifted-distribution"]
    assert not ka.verify(release.frame, policy).satisfied
    beside = ka.verify(release.frame, policy, original=table)
    assert beside.satisfied
    assert beside.checks[1].achieved == pytest.approx(56 / 101 - 0.5)


LINKED = """\
version: 1
person: persons
tables:
  persons:
    key: id
    attributes:
      age: {role: quasi-identifier, hierarchy: {intervals: {width: [20, 40], origin: 0}}}
      town: {role: quasi-identifier}
  visits:
    references: {id: persons}
    attributes: {ill: {role: sensitive}}
models:
  - {type: k-anonymity, k: 3}
suppression_limit: 0.1
seed: 3
"""


def test_linked_tables_tell_nothing_of_a_suppressed_person(tmp_path, capfd):
    """Releases, manifest and reports of linked tables are the same."""
    (tmp_path / "p.yaml").write_text(LINKED)
    line = "anonymize --policy p.yaml --from in --to out --manifest m.json --report r.md"
    n, runs = 60, []
    for i, odd in enumerate((ODD[0], ODD[1], ODD[4])):
        place = tmp_path / str(i) / "in"
        place.mkdir(parents=True)
        ages = [*(20 + j % 30 for j in range(n)), odd["age"]]
        towns = [*("Bern", "Chur") * (n // 2), odd["town"]]
        persons = pl.DataFrame({"id": range(n + 1), "age": ages, "town": towns})
        who, ills = [*range(n), *range(n), n], [*("flu", "gout", "cold") * (2 * n // 3), odd["ill"]]
        ka.write_table(persons, place / "persons.csv")
        ka.write_table(pl.DataFrame({"id": who, "ill": ills}), place / "visits.csv")
        run = published(place.parent, line, capfd)
        del run["out"], run["err"]  # for the custodian
        runs.append(run)
    assert runs[0]["exit code"] == "0"
    assert '"suppressed_persons": 1' in runs[0]["m.json"]
    assert runs[1:] == runs[:1] * 2
