"""What pages refuse, say and keep: faults that stewards met, each on one small table."""

from __future__ import annotations

import re

import pytest

from kanonym.data.files import write_table
from kanonym.data.patients import patients
from kanonym.policy import Policy
from kanonym.workbench.screens.explore import is_offered
from kanonym.workbench.work import exploration
from workbench_servers import Visitor, act, idle, running, text_of


@pytest.fixture(scope="module", name="visitor")
def fixture_visitor(tmp_path_factory):
    """Give somebody who opened a table of 120 invented patients."""
    folder = tmp_path_factory.mktemp("faults")
    write_table(patients(120), folder / "patients.csv")
    given = str(folder / "patients.csv")
    with running(given, folder=folder / "project", upload_limit=1 << 20) as (server, addresses):
        visitor = Visitor.enter(addresses[-1])
        visitor.at = visitor.place.rpartition("/")[0]
        visitor.folder, visitor.addresses, visitor.workbench = folder, addresses, server
        idle(visitor)
        yield visitor


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
    large = visitor.send("POST", "/upload", b"x" * (2 << 20))
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
