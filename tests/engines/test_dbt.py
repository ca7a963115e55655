"""The tests of the dbt package say what the models say, in dbt and as plain SQL."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from urllib.parse import urlsplit

import jinja2
import polars as pl
import pytest
import yaml
from sqlglot import exp

import kanonym as ka
from engines.test_model_query import NAMES, drawn_case, expected_answer, run_on_duckdb
from kanonym.engines.sql.model_query import violations_query
from kanonym.policy import Policy
from pages import ROOT

PACKAGE = ROOT / "integrations" / "dbt"
DBT = shutil.which(os.environ.get("KANONYM_DBT", "dbt"))
KEYS = ["group", "k0"]
MODELS = [
    ({"type": "k-anonymity", "k": 3}, "k_anonymous", {"k": 3}),
    ({"type": "k-anonymity", "k": 2, "entity": "who"}, "k_anonymous", {"k": 2, "entity": "who"}),
    ({"type": "l-diversity", "l": 2}, "l_diverse", {"l": 2}),
    (
        {"type": "l-diversity", "l": 1.5, "kind": "entropy"},
        "l_diverse",
        {"l": 1.5, "kind": "entropy"},
    ),
    (
        {"type": "l-diversity", "l": 2, "kind": "recursive", "c": 1},
        "l_diverse",
        {"l": 2, "kind": "recursive", "c": 1},
    ),
    ({"type": "t-closeness", "t": 0.3, "distance": "equal"}, "t_close", {"t": 0.3}),
    (
        {"type": "t-closeness", "t": 0.3, "distance": "ordered"},
        "t_close",
        {"t": 0.3, "distance": "ordered"},
    ),
]


class Answer(Exception):  # noqa: N818 - as dbt has it
    """What a macro of dbt returns."""


def rendered(name, arguments):
    """Return the SQL of a test as dbt renders it: its own tags and functions are few."""
    text = "\n".join(path.read_text() for path in sorted((PACKAGE / "macros").glob("*.sql")))
    text = re.sub(r"{% test (\w+)", r"{% macro \1", text).replace("endtest", "endmacro")
    text = text.replace("kanonym.kanonym_", "kanonym_").replace(
        "{{ return(adapter.dispatch('kanonym_double', 'kanonym')()) }}", "double"
    )
    words = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    template = jinja2.Environment(autoescape=False).from_string(  # noqa: S701 - SQL, no HTML
        f"{text}\n{{{{ {name}(model='t', {words}) }}}}"
    )
    return template.render()


@pytest.mark.parametrize(("model", "name", "arguments"), MODELS)
def test_a_test_of_the_package_returns_the_classes_that_fail(model, name, arguments):
    """Rendered and run on DuckDB, as many and as large ones as the library says."""
    run = run_on_duckdb(None, None)
    sensitive = NAMES["value"]
    arguments = {"quasi_identifiers": [f'"{key}"' for key in KEYS], **arguments}
    if name != "k_anonymous":
        model = {**model, "attribute": sensitive}
        arguments["sensitive"] = exp.to_identifier(sensitive, quoted=True).sql()
    for seed in range(40):
        frame, policy = drawn_case(seed)
        attributes = policy.to_dict()["attributes"]
        attributes[sensitive] = {"role": "sensitive"}
        asked = Policy.from_dict({"version": 1, "attributes": attributes, "models": [model]})
        rows = run(frame, "t", rendered(name, arguments))
        holds, sizes = expected_answer(frame, asked)
        assert holds is not bool(rows), (seed, rows)
        if "entity" not in arguments:
            assert sorted(int(row[2]) for row in rows) == sizes


@pytest.fixture(params=["duckdb", "postgres"])
def project(request, tmp_path):
    """Return a project of dbt with a seed, a recoding as a model, and tests of it."""
    dialect = request.param
    if DBT is None:
        pytest.skip("dbt is absent: KANONYM_DBT names the program")
    known = subprocess.run([DBT, "--version"], capture_output=True, text=True, check=False)
    if f"- {dialect}:" not in known.stdout + known.stderr:
        pytest.skip(f"dbt has no adapter for {dialect} here")
    visits = pl.DataFrame(
        {
            "age": [20 + place % 40 for place in range(400)],
            "region": ["north", "south"] * 200,
            "illness": ["flu", "cold", "gout", "flu", "ulcer"] * 80,
        }
    )
    policy = {
        "version": 1,
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": [5, 20]}}},
            "region": {"role": "quasi-identifier"},
            "illness": {"role": "sensitive"},
        },
        "models": [
            {"type": "k-anonymity", "k": 20},
            {"type": "l-diversity", "attribute": "illness", "l": 3},
        ],
        "algorithm": {"type": "full-domain"},
    }
    for folder in ("models", "tests", "seeds"):
        (tmp_path / folder).mkdir()
    visits.write_csv(tmp_path / "seeds" / "visits.csv")
    asked = Policy.from_dict(policy)
    model = ka.fit(visits, asked).to_sql("{{ ref('visits') }}", dialect)
    (tmp_path / "models" / "visits_released.sql").write_text(model)
    judging = violations_query("{{ ref('visits_released') }}", asked, dialect)
    (tmp_path / "tests" / "satisfies.sql").write_text(judging)
    (tmp_path / "dbt_project.yml").write_text("name: clinic\nversion: 1.0.0\nprofile: clinic\n")
    (tmp_path / "packages.yml").write_text(f"packages:\n  - local: {PACKAGE}\n")
    profile = {"type": "duckdb", "path": str(tmp_path / "clinic.duckdb")}
    if dialect == "postgres":
        url = urlsplit(request.getfixturevalue("postgres"))
        profile = {"type": "postgres", "host": url.hostname, "port": url.port, "user": url.username}
        profile |= {"password": url.password, "dbname": "postgres", "schema": "clinic"}
    profiles = {"clinic": {"target": "dev", "outputs": {"dev": profile}}}
    (tmp_path / "profiles.yml").write_text(yaml.safe_dump(profiles))
    return tmp_path


def data_tests(k):
    """Return the properties of the released model, as the README has them."""
    block = (PACKAGE / "README.md").read_text().split("```yaml\n# models/schema.yml\n")[1]
    return block.split("```")[0].replace("k: 5", f"k: {k}")


def build(project):
    """Run `dbt build`; return its exit code and what it printed."""
    known = {**os.environ, "DO_NOT_TRACK": "1", "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}
    known.pop("PYTHONPATH", None)
    text = ""
    for command in ("deps", "build"):
        ran = subprocess.run(
            [DBT, "--no-use-colors", command, "--profiles-dir", "."],
            cwd=project,
            env=known,
            capture_output=True,
            text=True,
            check=False,
        )
        text += ran.stdout
    return ran.returncode, text


def test_dbt_builds_a_release_and_tests_it(project):
    """All tests pass on the recoded table; a larger k fails, and is named."""
    (project / "models" / "schema.yml").write_text(data_tests(5))
    code, text = build(project)
    assert code == 0, text
    assert "PASS=6 WARN=0 ERROR=0" in text
    (project / "models" / "schema.yml").write_text(data_tests(500))
    code, text = build(project)
    assert code == 1
    assert re.search(r"FAIL 1?[0-9] kanonym_k_anonymous_visits_released", text), text
