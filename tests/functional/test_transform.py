"""`kanonym transform`: actions on columns, files in and files out."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest
import yaml

from kanonym.actions.registry import ACTIONS
from kanonym.data.files import read_table
from kanonym.policy import Policy
from kanonym.policy.actions import describe_actions, meanings, parameters

RUN = "transform patients.csv -o out.csv"
DOCS = Path(__file__).parents[2] / "docs"


def test_actions_are_applied_and_columns_dropped(kanonym):
    """The file has the changed columns, in the input's order, without those dropped."""
    ran = kanonym(f"{RUN} --drop name,sex --action", "age={type: round, to: 10}")
    assert ran.code == 0
    changed = read_table("out.csv")
    assert changed.columns == ["age", "zip", "disease"]
    assert changed["age"].to_list() == [20, 20, 30, 30, 40, 40, 50, 50]
    assert changed["zip"].to_list() == read_table("patients.csv")["zip"].to_list()
    assert "round (to: 10)" in ran.text


def test_actions_of_one_column_are_applied_in_the_order_given(kanonym):
    """--action may be repeated for a column, and hold a list."""
    more = ("--action", "zip={type: keep, first: 3}", "--action", "zip=[redact]")
    assert kanonym(RUN, *more).code == 0
    assert set(read_table("out.csv")["zip"]) == {"***"}


def test_standard_input_and_output_carry_the_table(kanonym, folder):
    """`-` reads standard input and writes standard output; what people read goes elsewhere."""
    patients = (folder / "patients.csv").read_bytes()
    ran = kanonym("transform - -o - --action name=redact", stdin=patients)
    assert ran.code == 0
    assert set(pl.read_csv(io.BytesIO(ran.out))["name"]) == {"***"}
    assert "redact" in ran.error


def test_json_says_what_was_done_without_a_value(kanonym, folder):
    """--json prints the forms of the actions; of a key, only its file."""
    (folder / "key.txt").write_text("00112233445566778899aabbccddeeff", "utf-8")
    more = ("name={type: keyed-hash, key: {file: key.txt}}", "--sample", "0.5", "--json")
    ran = kanonym(f"{RUN} --drop sex --action", *more)
    found = ran.json
    assert (found["rows_in"], found["rows_out"], found["dropped"]) == (8, 4, ["sex"])
    form = {"type": "keyed-hash", "key": {"file": "key.txt"}, "length": 32}
    assert found["actions"] == {"name": [form]}
    assert found["written"] == ["out.csv"]
    assert "0011223344" not in ran.text + ran.error
    assert "Ada" not in ran.text


def test_a_mapping_is_written_beside_the_output(kanonym):
    """The mapping that an action keeps is named among the files, and undoes the pseudonyms."""
    ran = kanonym(f"{RUN} --json --action", "name={type: surrogate, mapping: map.csv}")
    assert ran.json["written"] == ["out.csv", "map.csv"]
    known = dict(read_table("map.csv").select("pseudonym", "value").iter_rows())
    assert [known[one] for one in read_table("out.csv")["name"]] == list(
        read_table("patients.csv")["name"]
    )


def test_one_seed_gives_one_file(kanonym, folder):
    """The same seed writes the same bytes, another seed others."""
    written = []
    for seed in (1, 1, 2):
        assert kanonym(f"{RUN} --seed {seed} --action age=shuffle --overwrite").code == 0
        written.append((folder / "out.csv").read_bytes())
    assert written[0] == written[1] != written[2]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--action", "agge=redact"), "'agge' is an unknown column; did you mean 'age'?"),
        (("--action", "age=rund"), "--action age: type: 'rund' is an unknown type; did you mean"),
        (("--action", "age={type: round"), "--action age, line 1, column 13: not valid YAML"),
        (("--action", "zip={type: round, to: 5}"), "column 'zip' holds String, and round needs"),
        (("--action", "sex=swap"), "swap of column 'sex' needs equivalence classes"),
        (("--action", "sex={type: swap, when: after}"), "sex.when: applies to values that an"),
        (("--action", "sex={type: keyed-hash, key: {env: NO_SUCH}}"), "keyed-hash: the environ"),
        (("--sample", "2"), "sample: share is 2.0"),
        (("--drop", "nobody"), "'nobody' is an unknown column"),
    ],
)
def test_a_refusal_is_one_line_and_leaves_no_file(refused, more, said):
    """What cannot be done is told in one line, and nothing is written."""
    assert refused(RUN, *more).startswith(said)


def test_a_key_on_the_command_line_is_refused_and_not_shown(refused):
    """A key itself is no source of a key, and the error does not repeat it."""
    said = refused(RUN, "--action", "name={type: keyed-hash, key: hunter2-hunter2-hunter2}")
    assert "key: must be {env: NAME} or {file: path}" in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("line", "more"),
    [
        (RUN, ()),
        (RUN, ("--action", "redact")),
        (RUN, ("--action", "name=")),
        (f"{RUN} --seed -1 --drop name", ()),
        ("transform patients.csv -o - --json --drop name", ()),
        ("transform patients.csv -o patients.csv --drop name", ()),
        (RUN, ("--action", "name={type: surrogate, mapping: out.csv}")),
        (RUN, ("--action", "name={type: surrogate, mapping: patients.csv}")),
        ("transform patients.csv -o key", ("--action", "name={type: ff1, key: {file: key}}")),
        ("transform patients.csv --drop name", ()),
    ],
)
def test_wrong_usage_is_told_before_anything_is_written(kanonym, folder, line, more):
    """Exit code 2: nothing asked, no FORM, or an output that would overwrite another file."""
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert kanonym(line, *more).code == 2
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_the_list_shows_every_action_on_eighty_columns(kanonym, monkeypatch):
    """--list needs no input, names all actions whole, and fits a terminal."""
    monkeypatch.setenv("COLUMNS", "80")
    ran = kanonym("transform --list")
    assert ran.code == 0
    assert max(map(len, ran.text.splitlines())) <= 80
    for name, kind in ACTIONS.items():
        assert name in ran.text
        assert kind.protects.split()[-1] in ran.text
    assert "…" not in ran.text


def test_the_page_of_actions_holds_what_the_actions_say():
    """The tables of docs/actions.md are those that the classes give."""
    page = (DOCS / "actions.md").read_text("utf-8")
    for kind, several in describe_actions().items():
        rows = [
            f"| `{one['type']}` | {_code(one['parameters'])} | "
            f"{one['protects']} | {one['exposes']} |"
            for one in several
        ]
        head = ["| `type` | parameters | protects | does not |", "|---|---|---|---|"]
        assert f"## {kind.capitalize()}\n" in page
        assert "\n".join([*head, *rows]) in page, "\n".join([*head, *rows])


def test_the_page_of_actions_says_what_each_parameter_means():
    """Each parameter stands there with its default and the meaning that its class gives it."""
    page = (DOCS / "actions.md").read_text("utf-8")
    rows = [
        f"| `{name}` | {_code(str(one))} | {meanings(kind)[one.name].replace('|', chr(92) + '|')} |"
        for name, kind in ACTIONS.items()
        for one in parameters(kind)
    ]
    assert "\n".join(rows) in page, "\n".join(rows)


def test_the_policy_of_the_page_is_one():
    """The YAML in docs/actions.md is a policy, and each of its actions is built."""
    page = (DOCS / "actions.md").read_text("utf-8")
    asked = Policy.from_text(page.split("```yaml\n")[1].split("```")[0])
    acting = [one for one in asked.attributes.values() if one.action]
    assert len(acting) == 4
    assert Policy.from_text(yaml.safe_dump(asked.to_dict())) == asked


def test_the_command_line_page_names_every_option(kanonym):
    """Each option in the help of transform stands in its section of docs/cli.md."""
    section = (DOCS / "cli.md").read_text("utf-8").split("\n## transform\n")[1].split("\n## ")[0]
    words = kanonym("transform --help").text.replace(",", " ").split()
    asked = {word for word in words if word.startswith("--") and len(word) > 2}
    assert {"--action", "--drop", "--sample", "--seed", "--list"} <= asked
    for option in asked - {"--help", "--help-all", "--quiet"}:
        assert option in section


def _code(parameters: str) -> str:
    """Return parameters as the page writes them: each as code, but what is said of it."""
    if parameters == "none":
        return ""
    written = []
    for one in parameters.split(", "):
        name, needed, _ = one.partition(" (needed)")
        written.append(f"**`{name}`**" if needed else f"`{one}`")
    return ", ".join(written)
