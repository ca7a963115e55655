"""The whole way through the pages, without scripts: forms are sent as a browser sends them."""

from __future__ import annotations

import html
import json
import multiprocessing
import re
import shlex
import time
from contextlib import suppress

import pytest

from kanonym.cli import main
from kanonym.data.example_tables import patients
from kanonym.data.files import read_table, sha256, write_table
from kanonym.pipeline import verify
from printed import words_of
from workbench_servers import Visitor, act, idle, release, running, state_of, text_of


@pytest.fixture(scope="module", name="folder")
def fixture_folder(tmp_path_factory):
    """Give a folder with a table of invented patients."""
    folder = tmp_path_factory.mktemp("way")
    write_table(patients(400), folder / "patients.csv")
    return folder


@pytest.fixture(scope="module", name="visitor")
def fixture_visitor(folder):
    """Give somebody who opened the table, and waited until it was read."""
    project = folder / "project"
    with running(str(folder / "patients.csv"), folder=project) as (_, addresses):
        visitor = Visitor.enter(addresses[-1])
        visitor.at = visitor.place.rpartition("/")[0]
        visitor.table = folder / "patients.csv"
        idle(visitor)
        yield visitor


def place_of(visitor, column):
    """Return the number that a column has in forms."""
    page = visitor.get(f"{visitor.at}/columns").text
    return re.search(rf'name="column" value="(\d+)" aria-label="{column}"', page)[1]


def test_the_table_is_shown(visitor):
    """The preview has the records and the types of the columns."""
    page = text_of(visitor.get(f"{visitor.at}/open"))
    assert "400 records" in page
    assert "birth_date" in page


def test_roles_are_suggested_with_evidence(visitor):
    """Each column has a role, the reasons for it, and a histogram."""
    page = visitor.get(f"{visitor.at}/columns")
    assert page.text.count('<svg class="bars"') == 7
    assert "the name suggests: date of birth" in text_of(page)


def test_the_strip_counts_violating_records(visitor):
    """The strip tells how many records violate the policy as the table is."""
    strip = text_of(visitor.get(f"{visitor.at}/status"))
    assert "Table as it is: 400 of 400 records violate" in strip


def test_one_click_changes_a_role_and_undo_brings_it_back(visitor):
    """A role is changed by one form, and changed back by another."""
    place = place_of(visitor, "occupation")
    pressed = f'value="{place}:insensitive" class="insensitive" aria-pressed="true"'
    assert pressed in act(visitor, "columns/role", one=f"{place}:insensitive").text
    act(visitor, "history/undo")
    assert pressed not in visitor.get(f"{visitor.at}/columns").text


def test_several_columns_get_a_role_at_once(visitor):
    """All ticked columns get the role of the button."""
    places = [place_of(visitor, name) for name in ("sex", "occupation")]
    page = act(visitor, "columns/role", column=places, ticked="insensitive").text
    assert all(
        f'value="{p}:insensitive" class="insensitive" aria-pressed="true"' in page for p in places
    )
    act(visitor, "history/undo")


def test_a_form_of_an_older_state_overwrites_nothing(visitor):
    """A second tab that shows an older state is told so, and the policy stays."""
    number = int(state_of(visitor))
    answer = visitor.post(
        f"{visitor.at}/requirements/preset", {"state": number - 1, "preset": "ema-0070"}
    )
    assert answer.status == 409
    assert "another tab" in text_of(answer)
    assert int(state_of(visitor)) == number


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"type": "k-anonymity", "k": "0"}, "It must be at least 1."),
        ({"type": "k-anonymity", "k": "many"}, "no whole number"),
        ({"type": "nothing"}, "no model"),
    ],
)
def test_wrong_requirements_are_refused_on_the_screen(visitor, form, told):
    """The error stands on the screen of the form, and nothing is changed."""
    number = state_of(visitor)
    answer = act(visitor, "requirements/save", **form)
    assert answer.status == 422
    assert told in text_of(answer)
    assert "Requirements" in text_of(answer)
    assert "k" not in form or f'name="k" value="{form["k"]}"' in answer.text
    assert state_of(visitor) == number


def test_a_requirement_is_changed_and_counted(visitor):
    """A model's form changes the policy, and its sentence and its count follow."""
    page = text_of(act(visitor, "requirements/save", type="k-anonymity", k="3", place="0"))
    assert "each class has at least 3 records" in page
    assert "violated by 400 records now" in page


def rows_of(visitor, column):
    """Return the rows of the hierarchy that the page exports."""
    answer = visitor.get(f"{visitor.at}/hierarchies/export?column={column}")
    assert answer.status == 200, answer.text
    return [line.split(";") for line in answer.text.splitlines()]


def test_a_hierarchy_is_built_by_a_rule(visitor):
    """The form of a builder gives the column that hierarchy, and the page shows its labels."""
    page = act(visitor, "hierarchies/build", column="postal_code", builder="masking", from_="right")
    assert page.status == 200, text_of(page)
    assert all(row[1].endswith("*") for row in rows_of(visitor, "postal_code"))


def test_a_wrong_rule_is_refused_and_changes_nothing(visitor):
    """A builder that does not fit the column says so, and the state stays."""
    number = state_of(visitor)
    answer = act(visitor, "hierarchies/build", column="sex", builder="intervals", width="[5, 10]")
    assert answer.status == 422
    assert "problem" in answer.text
    assert 'name="width" value="[5, 10]"' in answer.text
    assert state_of(visitor) == number


def test_values_are_grouped_and_renamed_by_hand(visitor):
    """Ticked values get a group in a new level; the group gets another name; undo takes it back."""
    before = rows_of(visitor, "occupation")
    act(visitor, "hierarchies/build", column="occupation", builder="flat")
    act(visitor, "hierarchies/group", column="occupation", level="new", name="some", value=[0, 2])
    rows = rows_of(visitor, "occupation")
    assert [row[0] for row in rows if row[1] == "some"] != []
    assert sum(row[1] == "some" for row in rows) == 2
    act(visitor, "hierarchies/rename", column="occupation", label="1:some", name="few")
    assert sum(row[1] == "few" for row in rows_of(visitor, "occupation")) == 2
    for _ in range(3):
        act(visitor, "history/undo")
    assert rows_of(visitor, "occupation") == before


def import_hierarchy(visitor, column, text):
    """Upload a hierarchy of a column, and return the answer."""
    head = 'Content-Disposition: form-data; name="'
    parts = {"column": column, "state": state_of(visitor)}
    body = "".join(f'--b\r\n{head}{k}"\r\n\r\n{v}\r\n' for k, v in parts.items())
    body += f'--b\r\n{head}file"; filename="sex.csv"\r\n\r\n{text}\r\n--b--\r\n'
    at = f"{visitor.at}/hierarchies/import"
    return visitor.send("POST", at, body, Content_Type="multipart/form-data; boundary=b")


def test_an_exported_hierarchy_is_imported_again(visitor):
    """What the page exports it takes back, and says where a file does not cover the column."""
    own = visitor.get(f"{visitor.at}/hierarchies/export?column=sex").text
    for text, status in ((own, 303), ("a;*\n", 422)):
        assert import_hierarchy(visitor, "sex", text).status == status
    assert rows_of(visitor, "sex") == [line.split(";") for line in own.splitlines()]


def test_a_refused_option_of_the_algorithm_keeps_what_was_typed(visitor):
    """The screen of the algorithm shows the error above the form as it was filled in."""
    answer = act(visitor, "run/save", type="kmeans", clusters="many", suppression_limit="7")
    assert answer.status == 422
    assert 'name="clusters" value="many"' in answer.text
    assert 'name="suppression_limit" inputmode="decimal" value="7"' in answer.text


def test_what_is_exported_is_what_command_and_python_make(visitor, folder, monkeypatch):
    """The release, the shown command line and the shown Python give the same bytes."""
    own = visitor.get(f"{visitor.at}/hierarchies/export?column=sex").text
    assert import_hierarchy(visitor, "sex", own).status == 303
    act(visitor, "run/save", type="mondrian", suppression_limit="2", strict="on", split="auto")
    release(visitor)
    act(visitor, "export/write", format=".csv", report="md")
    idle(visitor)
    page = visitor.get(f"{visitor.at}/export").text
    shown = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.DOTALL)
    command, python = map(html.unescape, shown)
    hashed = re.search(r"<code>([0-9a-f]{64})</code>", page)[1]
    words = shlex.split(command)
    assert words[0] == "kanonym"
    for name, again in (
        ("by-command", lambda: main(words[1:])),
        ("by-python", lambda: exec(python, {})),  # noqa: S102 - what the page shows
    ):
        (folder / name).mkdir()
        monkeypatch.chdir(folder / name)
        with suppress(SystemExit):
            again()
        assert sha256(folder / name / "released.csv") == hashed
    link = re.search(r'href="([^"]*/released\.csv)"', page)[1]
    assert visitor.get(link).text == (folder / "by-command" / "released.csv").read_text("utf-8")


def test_everything_that_the_policy_names_is_handed_over(visitor, folder):
    """The policy and its hierarchies, downloaded side by side, verify the downloaded release."""
    page = visitor.get(f"{visitor.at}/export").text
    place = folder / "downloaded"
    for link, name in re.findall(r'href="([^"]*)" download hx-boost="false">([^<]*\.\w+)<', page):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(visitor.get(link).text, "utf-8")
    assert any(one.name.startswith("sex-") for one in (place / "hierarchies").iterdir())
    assert verify(read_table(place / "released.csv"), place / "policy.yaml").satisfied
    assert "recoding: hierarchy" in (place / "policy.yaml").read_text("utf-8")


def test_results_have_the_sections_of_the_report(visitor):
    """Loss by column, before and after, and the requirements are shown; nothing has a style.

    The verdict on attacks stands beside that on the requirements: grey without a limit.
    """
    page = visitor.get(f"{visitor.at}/results")
    assert re.search(r'class="verdict nothing">\s*<p><b>– Attacks: no limit was set', page.text)
    columns = visitor.get(f"{visitor.at}/results?tab=columns")
    assert "Loss per attribute" in columns.text
    for one in (page, columns):
        assert " style=" not in one.text
        assert "<style" not in one.text


def test_models_are_trained_on_the_release(visitor):
    """A button has models predict a column, and the share of their advantage that is left."""
    act(visitor, "results/accuracy", target="sex")
    idle(visitor)
    page = text_of(visitor.get(f"{visitor.at}/results?tab=models"))
    assert re.search(r"sex: .{1,20} of what the table has over a guess is left", page), page
    assert "boosted trees, released" in page


def test_records_tell_why_values_are_generalized(visitor):
    """Each record has a sentence on what would fail if its value were released as it is."""
    page = text_of(visitor.get(f"{visitor.at}/records"))
    assert re.search(r"With \w+ \S+ instead of .{1,40}, its class would have \d+ record", page)
    assert "at least 3 are required" in page


def test_a_person_is_looked_up(visitor):
    """Somebody's values lead to the record, and to how many others look the same now."""
    first = text_of(visitor.get(f"{visitor.at}/records"))
    assert "Records: 400" in first
    assert "Sorted by how many records of the original table have the same" in first
    line = visitor.table.read_text("utf-8").splitlines()
    names, values = line[0].split(","), line[1].split(",")
    birth = values[names.index("birth_date")]
    none = {"is:birth_date": birth, "is:sex": "nobody"}
    assert "Records: 0" in text_of(visitor.post(f"{visitor.at}/records/find", none))
    page = text_of(visitor.post(f"{visitor.at}/records/find", {"is:birth_date": birth}))
    assert "Records: 0" not in page
    assert birth in page


def test_a_cancel_acts_within_a_second(visitor):
    """A cancelled work has ended when the answer comes, and what was made before is still shown."""
    visitor.send("POST", f"{visitor.at}/results/attack", {"state": state_of(visitor)})
    (working,) = multiprocessing.active_children()
    begun = time.monotonic()
    visitor.send("POST", f"{visitor.at}/cancel", {"screen": "results"})
    assert time.monotonic() - begun < 1
    assert working not in multiprocessing.active_children()
    assert "Cancelled" in text_of(visitor.get(f"{visitor.at}/results"))
    assert "Loss per attribute" in visitor.get(f"{visitor.at}/results?tab=columns").text


@pytest.mark.parametrize(
    "name", ["..%2fpolicy.yaml", "history.json", "..%2f..%2fhistory.json", "%2fetc%2fpasswd"]
)
def test_only_files_of_the_release_are_handed_over(visitor, name):
    """No other file of the project, or of the machine, has an address."""
    page = visitor.get(f"{visitor.at}/export").text
    folder = re.search(r"/files/(\d+)/", page)[1]
    assert visitor.get(f"{visitor.at}/files/{folder}/{name}").status == 404


def test_a_node_of_the_lattice_is_chosen(visitor):
    """The picture of the lattice has a link for each node; the chosen one becomes the policy."""
    act(visitor, "explore/lattice")
    idle(visitor)
    page = visitor.get(f"{visitor.at}/explore").text
    place = re.search(r'explore\?solution=(\d+)#chosen" aria-label="postal_code', page)[1]
    assert "Use this, and make its release" in text_of(
        visitor.get(f"{visitor.at}/explore?solution={place}")
    )
    listed = re.search(r'<td><a href="[^"]*solution=(\d+)', page)[1]
    act(visitor, "explore/choose", solution=listed)
    assert "Solution: postal_code" in text_of(visitor.get(f"{visitor.at}/history"))
    idle(visitor)  # no second run: the release is made of the node
    assert "All requirements are satisfied" in text_of(visitor.get(f"{visitor.at}/results"))
    act(visitor, "history/undo")


def test_a_project_is_resumed_as_it_was(visitor, folder):
    """Another workbench on the folder shows the same policy and the whole history."""
    with running(str(folder / "project")) as (_, addresses):
        other = Visitor.enter(addresses[-1])
        other.at = other.place.rpartition("/")[0]
        idle(other)
        assert state_of(other) == state_of(visitor)
        assert "Requirement k-anonymity" in text_of(other.get(f"{other.at}/history"))
    saved = json.loads((folder / "project" / "history.json").read_text("utf-8"))
    assert str(saved["states"][saved["position"]]["number"]) == state_of(visitor)


def test_a_killed_process_loses_no_more_than_its_work(visitor):
    """After the computing process was killed, the pages go on and read the table again."""
    strip = visitor.get(f"{visitor.at}/status").text
    (child,) = multiprocessing.active_children()
    child.kill()
    assert "400 records" in text_of(visitor.get(f"{visitor.at}/open"))
    assert visitor.get(f"{visitor.at}/status").text.partition("unique")[0] in strip


def test_the_notebook_makes_the_same_file(visitor, folder, monkeypatch):
    """The cells of the notebook, run one after another, write the release byte for byte."""
    act(visitor, "run/save", type="full-domain", search="optimal", metric="loss")
    release(visitor)
    page = visitor.get(f"{visitor.at}/export").text
    hashed = re.search(r"<code>([0-9a-f]{64})</code>", page)[1]
    notebook = json.loads(visitor.get(f"{visitor.at}/export/notebook").text)
    assert (notebook["nbformat"], notebook["cells"][0]["cell_type"]) == (4, "markdown")
    (folder / "by-notebook").mkdir()
    monkeypatch.chdir(folder / "by-notebook")
    names = {}
    for cell in notebook["cells"][1:]:
        exec(cell["source"], names)  # noqa: S102 - what the page hands out
    assert sha256(folder / "by-notebook" / "released.csv") == hashed


def test_a_further_batch_is_released_by_the_recoding_and_counted(visitor, folder):
    """The recoding is kept with this release as its first batch; the next one is checked too."""
    act(visitor, "export/fit")
    idle(visitor)
    write_table(patients(300, 5), folder / "next.csv")
    act(visitor, "export/batch", batch=str(folder / "next.csv"))
    idle(visitor)
    page = text_of(visitor.get(f"{visitor.at}/export"))
    assert re.search(r"Batch 2: \d+ of 300 records released", page), page
    place = re.search(r"into (\S+\.csv)\.", page)[1]
    assert verify(read_table(place), folder / "project" / "policy.yaml").satisfied
    manifest = json.loads((folder / f"{place}.manifest.json").read_text("utf-8"))
    assert manifest["output"]["sha256"] == sha256(place)


def test_the_command_of_further_batches_runs(visitor, folder, monkeypatch):
    """What the page says to run releases the next batch, and counts it."""
    page = visitor.get(f"{visitor.at}/export").text
    (command,) = re.findall(r"<code>(kanonym apply .*?)</code>", page)
    write_table(patients(300, 6), folder / "NEXT.csv")
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as ended:
        main(words_of(html.unescape(command)))
    assert not ended.value.code
    assert (folder / "OUT.csv").is_file()
