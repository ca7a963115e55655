"""Every command that a terminal or a report prints runs, as a shell reads it, and does its work."""

from __future__ import annotations

import ast
import html
import json
import re
import shlex
import shutil
import sqlite3
from pathlib import Path

import polars as pl
import pytest
from typer.main import get_command

import kanonym as kanonym_package
from kanonym.cli import app
from pages import ROOT
from printed import printed_commands, words_of

ATTRIBUTES = """\
version: 1
attributes:
  patient_id: {role: identifier%s}
  age: {role: quasi-identifier}
  zip: {role: quasi-identifier, hierarchy: {file: zip.csv}}
  disease: {role: sensitive}
"""
DIVERSE = "  - {type: l-diversity, attribute: disease, l: 2}\n"
ROWS = "rows: persons\nmodels:\n  - {type: k-anonymity, k: 4}\n"
PERSONS = "models:\n  - {type: k-anonymity, k: 4, entity: patient_id}\n" + DIVERSE
CLOSE = "  - {type: t-closeness, attribute: disease, t: 0.5}\n"
POLICIES = {
    "rows.yaml": ATTRIBUTES % "" + ROWS + DIVERSE,
    "persons.yaml": ATTRIBUTES % "" + PERSONS,
    "ann's policy.yaml": ATTRIBUTES % "" + PERSONS,
    "surrogate.yaml": ATTRIBUTES % ", action: surrogate" + PERSONS,
    "close.yaml": ATTRIBUTES % "" + ROWS + CLOSE,
    "private.yaml": """\
version: 1
attributes:
  age: {role: quasi-identifier, hierarchy: {intervals: {width: 20, bottom: 0, top: 100}}}
  zip: {role: quasi-identifier, hierarchy: {file: zip.csv}}
others: identifier
rows: persons
models: [{type: differential-privacy, epsilon: 1, delta: 1e-6}]
algorithm: {type: full-domain, levels: {age: 2, zip: 1}}
""",
    "sets.yaml": """\
version: 1
attributes:
  patient_id: {role: identifier}
  disease: {role: set}
others: identifier
rows: persons
models: [{type: km-anonymity, k: 2, m: 2}]
""",
}
COLUMNS = "-i patient_id -q age,zip -s disease --hierarchy zip=zip.csv"
MODEL = "{type: t-closeness, attribute: disease, t: 0.5}"
LINE = "anonymize visits.csv -p persons.yaml -o out.csv"
REPORTS = [word for form in ("json", "md", "html") for word in ("--report", f"report.{form}")]
DATABASE = "sqlite:///visits.db"
RUNS = [
    "anonymize visits.csv -p rows.yaml -o out.csv",
    LINE,
    f"{LINE} -k 5",
    f"{LINE} --manifest kept.json",
    f"{LINE} --aggregate",
    "anonymize visits.csv -p rows.yaml -o out.csv --aggregate --safe-cells",
    "anonymize people.csv -p surrogate.yaml -o out.csv",
    "anonymize visits.csv -p close.yaml -o out.csv.gz",
    f"anonymize visits.csv {COLUMNS} -k 4 --entity patient_id --model '{MODEL}' -o out.csv",
    """anonymize "ann's visits.csv" -p "ann's policy.yaml" -o 'the "new" $HOME.csv'""",
    "anonymize ./-visits.csv -p persons.yaml -o ./-out.csv",
    "anonymize latin.csv --encoding latin-1 -p persons.yaml -o out.csv",
    "anonymize latin.csv --encoding latin-1 -p close.yaml -o out.csv",
    "anonymize visits.txt --format csv -p persons.yaml -o out.dat",
    "anonymize visits.xlsx --sheet second --header-row 2 -p persons.yaml -o out.xlsx",
    "anonymize visits.xlsx --sheet second --header-row 2 -p close.yaml -o out.csv",
    "anonymize visits.parquet -p persons.yaml -o out.parquet",
    "anonymize visits.parquet -p persons.yaml -o out.parquet --engine duckdb --memory 1GB",
    "anonymize visits.parquet -p close.yaml -o out.parquet --engine duckdb",
    "anonymize people.csv -p private.yaml --ledger spent.json --public-report it.md -o out.csv",
    "anonymize items.csv -p sets.yaml --long patient_id,disease -o out.csv",
    f"anonymize {DATABASE} --table visits -p persons.yaml -o out.csv",
    f"anonymize {DATABASE} --table visits -p close.yaml -o {DATABASE} --output-table 'a release'",
]
"""Commands that make a release, of which there is a report; all print three commands."""
UNVERIFIABLE = [
    f"{LINE} --no-manifest",
    f"anonymize {DATABASE} --table visits -p persons.yaml -o {DATABASE}",
    "anonymize visits.csv -p persons.yaml -o -",
]
"""Those after which nothing has the number of persons: no command verifies them."""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Write visits, three for each patient, in several formats, and policies, once."""
    folder = tmp_path_factory.mktemp("tables")
    n = 240
    table = pl.DataFrame(
        {
            "patient_id": [1000 + i // 3 for i in range(n)],
            "age": [20 + i % 40 for i in range(n)],
            "zip": [f"0{1000 + i % 7}" for i in range(n)],
            "disease": [("flu", "cold", "burn", "gout")[(i + i // 40) % 4] for i in range(n)],
        }
    )
    for name in ("visits.csv", "visits.txt", "ann's visits.csv", "-visits.csv"):
        table.write_csv(folder / name)
    table.with_columns(patient_id=pl.int_range(n)).write_csv(folder / "people.csv")
    table.select("patient_id", "disease").write_csv(folder / "items.csv")
    french = table.with_columns(pl.col("disease").replace("flu", "grippé")).write_csv()
    (folder / "latin.csv").write_bytes(french.encode("latin-1"))
    table.write_parquet(folder / "visits.parquet")
    write_workbook(table, folder / "visits.xlsx")
    (folder / "zip.csv").write_text("".join(f"0{1000 + i};*\n" for i in range(7)))
    with sqlite3.connect(folder / "visits.db") as database:
        database.execute("create table visits (patient_id int, age int, zip text, disease text)")
        database.executemany("insert into visits values (?, ?, ?, ?)", table.rows())
    database.close()
    for name, text in POLICIES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(autouse=True)
def tables(folder, written):
    """Copy the tables and policies to the folder of a test."""
    shutil.copytree(written, folder, dirs_exist_ok=True)


def write_workbook(table, path):
    """Write a table to the second sheet of a workbook, below a line that belongs to nothing."""
    import xlsxwriter

    with xlsxwriter.Workbook(path) as book:
        book.add_worksheet("first").write(0, 0, "nothing")
        sheet = book.add_worksheet("second")
        for row, cells in enumerate([["visits"], table.columns, *table.rows()]):
            sheet.write_row(row, 0, cells)


def placed(line, folder):
    """Return the words of a command, with the database where it is."""
    return shlex.split(line.replace(DATABASE, f"sqlite:///{folder}/visits.db"))


def reported_commands(folder, report="report.json"):
    """Return the commands of a report, and save the policy that it prints."""
    found = json.loads((folder / report).read_text("utf-8"))
    (folder / "policy.json").write_text(json.dumps(found["policy"]))
    return [found["provenance"]["command"], *found["provenance"]["checks"]]


def verdict_in(ran):
    """Return the verdict that a terminal shows."""
    return re.search(r"^ *verdict +(\S[^\n]*?) *$", ran.text, re.MULTILINE)[1]


def run_all(kanonym, folder, commands, verdict="satisfied"):
    """Run commands in their order: a release has a verdict, and is verified with the same one."""
    for command in commands:
        words = words_of(command)
        if words[0] == "anonymize":  # no release takes the place of a table in a database
            with sqlite3.connect(folder / "visits.db") as database:
                for name in ("a release", "visits_released"):
                    database.execute(f'drop table if exists "{name}"')
            database.close()
        more = {"attack": ["--attempts", "20"], "anonymize": ["--overwrite"]}
        ran = kanonym("", *words, *more.get(words[0], []))
        refused = words[0] == "verify" and verdict != "satisfied"
        assert ran.code == int(refused), (command, ran.error)
        if "-" in words:
            (folder / "RELEASED.csv").write_bytes(ran.out)
        elif words[0] in ("anonymize", "verify"):
            assert verdict in ("", verdict_in(ran))


@pytest.mark.parametrize("line", RUNS)
def test_the_commands_of_a_report_run(kanonym, folder, line):
    """One makes the release again, one verifies it with its verdict, and one attacks it."""
    ran = kanonym("", *placed(line, folder), "--report", "report.json", "--no-attack")
    assert ran.code == 0, ran.error
    commands = reported_commands(folder)
    assert [words_of(one)[0] for one in commands] == ["anonymize", "verify", "attack"]
    assert words_of(commands[0])[1] == placed(line, folder)[1]
    run_all(kanonym, folder, commands[1:2], verdict_in(ran))
    run_all(kanonym, folder, commands, verdict_in(ran))


@pytest.mark.parametrize("line", UNVERIFIABLE)
def test_no_command_verifies_what_nothing_can(kanonym, folder, line):
    """Where the persons are recorded nowhere, the report says so, and so does the command."""
    ran = kanonym("", *placed(line, folder), *REPORTS)
    assert "which the release no longer has" in ran.error
    commands = reported_commands(folder)
    assert [words_of(one)[0] for one in commands] == ["anonymize", "attack"]
    run_all(kanonym, folder, commands)
    assert "cannot check this one" in (folder / "report.md").read_text("utf-8")


def test_all_forms_of_a_report_print_the_same_commands(kanonym, folder):
    """HTML and Markdown have the commands of the JSON form, first page and last section."""
    line = """anonymize "ann's visits.csv" -p "ann's policy.yaml" -o 'the "new" $HOME.csv'"""
    assert kanonym("", *placed(line, folder), *REPORTS).code == 0
    commands = "\n".join(reported_commands(folder))
    page = (folder / "report.html").read_text("utf-8")
    blocks = [html.unescape(re.sub(r"<[^>]*>", "", one)) for one in page.split("<pre")[1:]]
    assert sum(commands in one for one in blocks) == 2
    assert (folder / "report.md").read_text("utf-8").count(commands) == 2


@pytest.mark.parametrize(
    "line",
    [
        "profile visits.csv --write new.yaml",
        "profile ./-visits.csv --write ./-new.yaml",
        "profile latin.csv --encoding latin-1 --write new.yaml",
        f"profile {DATABASE} --table visits --write new.yaml",
        "recommend visits.txt --format csv --write 'a new policy.yaml'",
        "recommend visits.xlsx --sheet second --header-row 2 --write new.yaml",
        "compare visits.csv -p persons.yaml --sweep k=2,4,40 --write new.yaml",
        "compare latin.csv --encoding latin-1 -p persons.yaml --sweep k=2,4,40",
        f"compare visits.csv {COLUMNS} --sweep k=2,4,40 --model '{MODEL}'",
    ],
)
def test_the_commands_of_a_terminal_run(kanonym, folder, line):
    """What profile, recommend and compare say to run next makes a release."""
    ran = kanonym("", *placed(line, folder))
    assert ran.code == 0, ran.error
    (command,) = printed_commands(ran.text)
    run_all(kanonym, folder, [command], verdict="")
    assert (folder / "released.csv").is_file()


def test_the_command_of_a_comparison_asks_for_what_was_compared(kanonym):
    """Models, roles and hierarchies that options stated are there, with the values of the knee."""
    ran = kanonym(f"compare visits.csv {COLUMNS} --sweep k=2,4,40", "--model", MODEL)
    (command,) = printed_commands(ran.text)
    words = words_of(command)
    for one in (*COLUMNS.split(), MODEL, "-k", "4"):
        assert one in words


@pytest.mark.parametrize("options", ["", "--linked"])
def test_the_commands_of_the_demo_run(kanonym, folder, options):
    """The demo's last lines verify, assess and measure what it wrote."""
    ran = kanonym(f"demo --rows 300 --directory demo {options}")
    commands = printed_commands(ran.text)
    assert len(commands) == 2
    run_all(kanonym, folder, commands, verdict_in(ran))


def sentences_of(path):
    """Return the texts of a module, or of a page."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        return [text]
    nodes = ast.walk(ast.parse(text))
    return [one.value for one in nodes if isinstance(one, ast.Constant) and type(one.value) is str]


def named_commands():
    """Return the commands within sentences of modules and pages; SIGO's options are its own."""
    modules = Path(kanonym_package.__file__).parent.rglob("*.py")
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    texts = [text for path in [*modules, *pages] for text in sentences_of(path)]
    return sorted(
        {one for text in texts for one in re.findall(r"`(kanonym (?!sigo -)[^`]*)`", text)}
    )


def test_commands_within_sentences_exist():
    """A message, a report or a page names no command and no option that there is not."""
    commands = named_commands()
    assert len(commands) > 20
    whole = get_command(app)
    for command in commands:
        known = whole
        options = {option for one in known.params for option in one.opts}
        for word in shlex.split(command)[1:]:
            if word in getattr(known, "commands", {}):
                known = known.commands[word]
                own = [one.opts + one.secondary_opts for one in known.params]
                options.update(*own)
            elif word.startswith("-"):
                assert word in options | {"--help", "--install-completion"}, command
            else:
                assert not hasattr(known, "commands") or word in ("…", "..."), command
