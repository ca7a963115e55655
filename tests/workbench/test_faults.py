"""What pages refuse, say and keep: faults that stewards met, each on one small table."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import polars as pl
import pytest

from effort import NIGHTLY
from kanonym.data.example_tables import patients
from kanonym.data.files import sha256, write_table
from kanonym.policy import Policy
from kanonym.workbench.project.folder import ProjectFolder, load_releases
from kanonym.workbench.screens.explore import is_offered
from kanonym.workbench.work import exploration
from workbench_servers import Visitor, act, idle, opened, release, running, state_of, text_of


@pytest.fixture(scope="module", name="visitor")
def fixture_visitor(tmp_path_factory):
    """Give somebody who opened a table of 120 invented patients."""
    folder = tmp_path_factory.mktemp("faults")
    write_table(patients(120), folder / "patients.csv")
    given = str(folder / "patients.csv")
    with running(given, folder=folder / "project", upload_limit=2 << 20) as (server, addresses):
        visitor = Visitor.enter(addresses[-1])
        visitor.at = visitor.place.rpartition("/")[0]
        visitor.folder, visitor.addresses, visitor.workbench = folder, addresses, server
        idle(visitor)
        yield visitor


def size(visitor, k):
    """Require a size of classes."""
    assert act(visitor, "requirements/save", type="k-anonymity", k=str(k)).status == 200


def upload(visitor, name, text, folder=""):
    """Upload a file."""
    head = 'Content-Disposition: form-data; name="'
    parts = f'--b\r\n{head}file"; filename="{name}"\r\n\r\n{text}\r\n'
    parts += f'--b\r\n{head}folder"\r\n\r\n{folder}\r\n--b--\r\n'
    form = "multipart/form-data; boundary=b"
    return visitor.send("POST", "/upload", parts, Content_Type=form)


def test_no_solution_is_below_the_requirement(monkeypatch):
    """Class sizes start at the one that is required; a requirement that was raised is kept."""
    monkeypatch.setattr(exploration, "SIZES", (1.0, 2.0))
    form = {"quasi_identifiers": ["sex", "postal_code"], "others": "insensitive"}
    found = exploration.compare(patients(60), Policy.from_columns(**form, k=11), str)
    assert {one.size for one in found.solutions} == {11, 22}
    asked = {"models": [{"type": "k-anonymity", "k": 11}], "algorithm": {"type": "auto"}}
    raised = {**asked, "models": [{"type": "k-anonymity", "k": 22}]}
    least, larger = (next(one for one in found.solutions if one.size == k) for k in (11, 22))
    assert is_offered(least, asked, asked)
    assert not is_offered(least, asked, raised)
    assert is_offered(larger, asked, raised)
    assert not is_offered(larger, asked, {**asked, "suppression_limit": 0.1})


def test_an_error_stands_at_its_field_in_the_language_of_the_page(visitor):
    """The field is invalid, has the focus and says why; what was typed stays."""
    visitor.post("/language", {"language": "es"})
    for k, told in {
        "1" + "0" * 23: "Debe ser como máximo 2.147.483.647.",
        "-5": "Debe ser al menos 1.",
        "five": "«five» no es un número entero.",
    }.items():
        answer = act(visitor, "requirements/save", type="k-anonymity", k=k)
        assert answer.status == 422
        (field,) = re.findall(r"<input[^>]*aria-invalid[^>]*>", answer.text)
        assert f'value="{k}"' in field
        assert 'aria-describedby="field-k-fault" autofocus' in field
        assert f'<p class="fault" id="field-k-fault">{told}</p>' in answer.text
    visitor.post("/language", {"language": "en"})
    answer = act(visitor, "requirements/save", type="t-closeness", attribute="diagnosis", t="7")
    assert "It must be from 0 to 1." in answer.text
    for limit in ("-5", "150", "nan"):
        answer = act(visitor, "run/save", type="mondrian", suppression_limit=limit)
        assert answer.status == 422
        assert 'id="field-suppression_limit-fault"' in answer.text


def test_whatever_fails_there_is_a_page_that_says_what_to_do(visitor, tmp_path):
    """Foreign files, long names, too much, addresses of forms: no bare text, nothing made."""
    for ending in ("pdf", "docx", "ods", "zip"):
        place = tmp_path / f"table.{ending}"
        place.write_bytes(b"PK\x03\x04")
        answer = visitor.send("POST", "/open", {"path": str(place)})
        assert answer.status == 422
        assert f"A file .{ending} is no table" in text_of(answer)
        assert 'aria-invalid="true"' in answer.text
    for named in (
        {"path": f"{tmp_path}/{'n' * 300}.csv"},
        {"path": str(visitor.folder / "no.csv")},
    ):
        answer = visitor.send("POST", "/open", named)
        assert answer.status == 422
        assert 'aria-describedby="path-fault"' in answer.text
    answer = upload(visitor, "n" * 300 + ".csv", "a,b\n1,2\n", str(tmp_path / "long"))
    assert answer.status == 303
    large = visitor.send("POST", "/upload", b"x" * (3 << 20))
    assert large.status == 413
    assert "name the path of the file on this machine" in text_of(large)
    for place in ("/open", "/upload", f"{visitor.at}/run/both", f"{visitor.at}/cancel"):
        answer = visitor.get(place)
        assert answer.status == 303
        assert visitor.get(answer.headers["location"]).status == 200
    for place in ("/nowhere", "/p/unknown/open", f"{visitor.at}/nowhere"):
        answer = visitor.get(place)
        assert answer.status == 404
        assert "There is no such page" in text_of(answer)
    refused = Visitor(visitor.port).get("/", Accept_Language="es")
    assert refused.status == 403
    assert "Esta página pertenece a una sesión" in text_of(refused)


def test_a_project_is_one_for_two_browsers(visitor):
    """A second session sees what the first does; a form over an older state changes nothing."""
    other = Visitor.enter(visitor.addresses[-1])
    other.at = other.place.rpartition("/")[0]
    before = state_of(other)
    size(visitor, 4)
    assert "at least 4 records" in text_of(other.get(f"{other.at}/requirements"))
    late = {"state": before, "type": "k-anonymity", "k": "3"}
    assert other.post(f"{other.at}/requirements/save", late).status == 409
    assert "at least 4 records" in text_of(visitor.get(f"{visitor.at}/requirements"))


def test_what_another_workbench_wrote_is_not_overwritten(visitor):
    """A policy that was changed on the disk is shown, and the change over the older one is not."""
    folder = ProjectFolder(visitor.folder / "project")
    source, history = folder.load()
    form = {**history.state.form, "suppression_limit": 0.125}
    folder.save(source, history.after(form, "Algorithm: {algorithm}", {"algorithm": "theirs"}))
    answer = act(visitor, "requirements/save", type="k-anonymity", k="9")
    assert answer.status == 409
    assert folder.load()[1].state.form == form
    assert 'value="12.5"' in visitor.get(f"{visitor.at}/run").text
    size(visitor, 5)


def test_no_release_and_no_result_is_lost(visitor):
    """Formats stay side by side, undone states keep their release, attacks outlive a restart."""
    act(visitor, "run/save", type="mondrian", strict="on", split="auto", recoding="interval")
    size(visitor, 6)
    release(visitor)
    act(visitor, "export/write", format=".parquet", report="html")
    idle(visitor)
    act(visitor, "results/attack")
    idle(visitor)
    (written,) = (visitor.folder / "project" / "releases").glob("[0-9]*")
    page = visitor.get(f"{visitor.at}/export").text
    assert dict(re.findall(r"SHA-256 (\S+): <code>(\w+)</code>", page)).keys() == {
        "released.csv",
        "released.parquet",
    }
    assert "SHA-256 released.parquet: <code>" + sha256(written / "released.parquet") in page
    shown = text_of(visitor.get(f"{visitor.at}/export"))
    publish, _, secret = shown.partition("Keep secret")
    assert "released.parquet the released records" in publish
    assert "report.html show has figures of the table itself" in secret
    assert "policy.yaml holds the seed" in secret
    assert "This makes the same file, byte for byte" in shown
    act(visitor, "export/write", format=".xlsx")
    idle(visitor)
    shown = text_of(visitor.get(f"{visitor.at}/export"))
    assert "byte for byte" not in shown
    assert "its format holds the time" in shown
    (first,) = load_releases(visitor.folder / "project" / "releases")
    act(visitor, "history/undo")
    act(visitor, "run/save", type="mondrian", strict="on", split="auto", recoding="interval")
    size(visitor, 7)
    results = visitor.get(f"{visitor.at}/results")  # not green for another policy
    assert "says nothing of the policy as it is now" in text_of(results)
    assert 'class="verdict satisfied"' not in results.text
    release(visitor)
    history = visitor.get(f"{visitor.at}/history").text
    folders = set(re.findall(r"/files/(\d+)/released.csv", history))
    assert len(folders) == 2
    act(visitor, "history/restore", number=str(first.state))
    release(visitor)
    kept = load_releases(visitor.folder / "project" / "releases")
    assert {one.written.folder for one in kept} == folders
    with running(str(visitor.folder / "project")) as (_, addresses):
        again = Visitor.enter(addresses[-1])
        again.at = again.place.rpartition("/")[0]
        idle(again)
        page = text_of(again.get(f"{again.at}/results"))
        assert "by chance" in page
        act(again, "export/write", format=".csv", report="html")
        idle(again)
        report = again.get(f"{again.at}/files/{first.written.folder}/report.html")
        assert "Attacks: success compared with chance" in report.text


def test_what_cannot_be_met_is_said_before_the_run(visitor):
    """A class size above the table, or what differential privacy lacks, with an offer."""
    size(visitor, 121)
    for screen in ("requirements", "run"):
        page = text_of(visitor.get(f"{visitor.at}/{screen}"))
        assert "with all records in one class: 120" in page
    size(visitor, 5)
    before = state_of(visitor)
    model = {"type": "differential-privacy", "epsilon": "1", "delta": "0.001"}
    page = act(visitor, "requirements/save", **model)
    assert "stands alone" in text_of(page)
    page = act(visitor, "requirements/private")
    assert "stands alone; its" not in text_of(page)
    form = ProjectFolder(visitor.folder / "project").load()[1].state.form
    assert form["algorithm"] == {"type": "full-domain"}
    assert [one["search_epsilon"] for one in form["models"]] == [0.1]
    act(visitor, "requirements/persons")
    faults = re.search(
        r'id="faults">(.*?)</section>', visitor.get(f"{visitor.at}/run").text, re.DOTALL
    )
    left = re.findall(r"<li>(.*?)</li>", faults[1])
    assert left
    assert all("hierarchy" in one for one in left)
    act(visitor, "history/restore", number=before)


def test_a_recoding_is_offered_only_where_it_can_be_kept(visitor):
    """Classes that overlap have none: the page says why, and has no button."""
    act(visitor, "run/save", type="mondrian", split="auto", suppression_limit="0")
    release(visitor)
    page = visitor.get(f"{visitor.at}/export")
    assert "export/fit" not in page.text
    assert "The recoding of this release cannot be kept" in text_of(page)


def test_tables_of_the_same_name_are_projects_of_their_own(visitor, tmp_path, monkeypatch):
    """Where nobody named a folder another table has another one, by path and by upload."""
    monkeypatch.chdir(tmp_path)
    mine = Visitor(visitor.port, visitor.cookie)
    for name in ("first", "second", "first"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "t.csv").write_text(f"sex,{name}\nf,1\nm,2\n")
        opened(mine, mine.send("POST", "/open", {"path": str(tmp_path / name / "t.csv")}))
        assert name in mine.get(f"{mine.at}/columns").text
    for column in ("third", "fourth", "third"):
        opened(mine, upload(mine, "t.csv", f"sex,{column}\nf,1\nm,2\n"))
        assert column in mine.get(f"{mine.at}/columns").text
    found = sorted(one.name for one in tmp_path.glob("*-project*"))
    assert found == ["t-project", "t-project-2", "t-project-3", "t-project-4"]


def test_tables_of_a_database_are_a_list_to_click(visitor, tmp_path):
    """A database without a named table shows its tables; a click opens one."""
    with closing(sqlite3.connect(tmp_path / "people.db")) as connection:
        for name in ("visits", "people"):
            connection.execute(f"CREATE TABLE {name} (town TEXT, illness TEXT)")
            connection.execute(f"INSERT INTO {name} VALUES ('Bern', 'flu')")  # noqa: S608
        connection.commit()
    named = {"path": str(tmp_path / "people.db"), "folder": str(tmp_path / "project")}
    page = visitor.send("POST", "/open", named).text
    assert re.findall(r'name="table" value="(\w+)"', page) == ["people", "visits"]
    mine = Visitor(visitor.port, visitor.cookie)
    opened(mine, mine.send("POST", "/open", {**named, "table": "visits"}))
    assert "1 records, 2 columns" in text_of(mine.get(f"{mine.at}/open"))


def test_a_large_hierarchy_by_rule_and_by_import(visitor, tmp_path):
    """Values are found by search and by page, any group is renamed; of a sensitive column, too."""
    n = 100_000 if NIGHTLY else 20_000
    codes = [f"{i:06d}" for i in range(n)]
    table = pl.DataFrame({"code": codes, "illness": ["flu", "cold"] * (n // 2)})
    write_table(table, tmp_path / "codes.csv")
    (tmp_path / "policy.yaml").write_text(
        "version: 1\nattributes: {code: {role: quasi-identifier}, illness: {role: sensitive}}\n"
        "models: [{type: k-anonymity, k: 5}]\nrows: persons\n"
    )
    mine = Visitor(visitor.port, visitor.cookie)
    named = {"path": "codes.csv", "policy": "policy.yaml", "folder": "project"}
    named = {key: str(tmp_path / name) for key, name in named.items()}
    opened(mine, mine.send("POST", "/open", named))
    place = f"{mine.at}/hierarchies?column=code"
    act(mine, "hierarchies/build", column="code", builder="masking")
    assert f"It covers all {n:,} values" in text_of(mine.get(place))
    assert "000201" in mine.get(f"{place}&row=200").text
    assert "1 to 11 of 11" in text_of(mine.get(f"{place}&seek=01777"))
    moved = act(mine, "hierarchies/group", column="code", value="17777", level="1", name="late")
    assert moved.status == 200
    answer = act(mine, "hierarchies/rename", column="code", level="5", old="none", name="later")
    assert "There is no group “none” at this level" in answer.text
    rows = "".join(f"{code};{code[:3]};*\n" for code in codes)
    head = 'Content-Disposition: form-data; name="'
    parts = f'--b\r\n{head}file"; filename="h.csv"\r\n\r\n{rows}\r\n--b\r\n{head}column"\r\n\r\n'
    parts += "code\r\n--b--\r\n"
    form = "multipart/form-data; boundary=b"
    answer = mine.send("POST", f"{mine.at}/hierarchies/import", parts, Content_Type=form)
    assert answer.status == 303, text_of(answer)
    assert f"{n} → {n // 1000} → 1" in text_of(mine.get(place))
    few = "flu;lungs;*\ncold;lungs;*\n"
    parts = parts.replace(rows, few).replace("code\r\n--b--", "illness\r\n--b--")
    answer = mine.send("POST", f"{mine.at}/hierarchies/import", parts, Content_Type=form)
    assert answer.status == 303, text_of(answer)
    assert "lungs" in mine.get(f"{mine.at}/hierarchies?column=illness").text
