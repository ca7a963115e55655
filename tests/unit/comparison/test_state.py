"""What is kept of a comparison that was interrupted."""

from __future__ import annotations

import datetime
import json

import polars as pl
import pytest

import kanonym as ka
from kanonym.comparison.trials import key_of, open_state, table_digest

COLUMNS = {
    "age": [20, 21, None, 23],
    "pay": [0.1, 0.2, 0.3, None],
    "word": ["a", "", None, "b"],
    "born": [datetime.date(2000, 1, day) for day in (1, 2, 3, 4)],
}


def policy(**options):
    """Return a policy over the columns."""
    return ka.Policy.from_columns(quasi_identifiers=["age"], k=2, others="insensitive", **options)


def test_rows_are_there_again(tmp_path):
    """What was added is known to who opens the file next."""
    path = tmp_path / "state.jsonl"
    with open_state(path) as state:
        state.add("a", {"k": 2})
        state.add("b", {"k": 3})
    with open_state(path) as state:
        assert (state.get("a"), state.get("b"), state.get("c")) == ({"k": 2}, {"k": 3}, None)


@pytest.mark.parametrize("cut", [1, 5, 30, 50])
def test_a_line_that_was_cut_off_is_ignored(tmp_path, cut):
    """The lines before it are known, and those that are added afterwards."""
    path = tmp_path / "state.jsonl"
    with open_state(path) as state:
        state.add("a", {"k": 2})
        state.add("b", {"k": 3})
    path.write_bytes(path.read_bytes()[:-cut])
    with open_state(path) as state:
        assert state.get("a") == {"k": 2}
        assert (state.get("b") is None) == (cut > 1)
        state.add("c", {"k": 4})
    with open_state(path) as state:
        assert (state.get("a"), state.get("c")) == ({"k": 2}, {"k": 4})


def test_a_first_line_that_was_cut_off_is_ignored(tmp_path):
    """A file that holds no more than the start of a line is one of ours."""
    path = tmp_path / "state.jsonl"
    path.write_bytes(b'{"kanonym com')
    with open_state(path) as state:
        state.add("a", {"k": 2})
    with open_state(path) as state:
        assert state.get("a") == {"k": 2}


def test_another_file_is_left_alone(tmp_path):
    """A table that is named by mistake is refused, and stays as it is."""
    path = tmp_path / "table.csv"
    path.write_text("age,sex\n1,f\n")
    with (
        pytest.raises(ka.DataError, match="holds something else than a comparison"),
        open_state(path),
    ):
        pass
    assert path.read_text() == "age,sex\n1,f\n"


def test_lines_are_json_of_one_key_and_one_row(tmp_path):
    """Each line can be read by itself."""
    path = tmp_path / "state.jsonl"
    with open_state(path) as state:
        state.add("a", {"k": 2})
    (line,) = path.read_text().splitlines()
    assert json.loads(line) == {"kanonym comparison": 1, "key": "a", "row": {"k": 2}}


def test_equal_tables_have_one_digest_whatever_library_holds_them(frame):
    """The digest is that of the values."""
    columns = {name: values for name, values in COLUMNS.items() if name != "age"}
    assert table_digest(frame(columns)) == table_digest(pl.DataFrame(columns))


CHANGES = {
    "value": {"age": [20, 21, None, 24]},
    "last digit": {"pay": [0.1, 0.2, 0.3 + 1e-16, None]},
    "null for an empty text": {"word": ["a", None, None, "b"]},
    "place of a letter": {"word": ["", "a", None, "b"]},
    "type": {"age": pl.Series([20, 21, None, 23], dtype=pl.Int16)},
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_changes_the_digest(change):
    """Values, nulls, types: whatever differs makes another table."""
    assert table_digest(pl.DataFrame({**COLUMNS, **CHANGES[change]})) != table_digest(
        pl.DataFrame(COLUMNS)
    )


def test_names_and_the_order_of_rows_and_columns_change_the_digest():
    """A table is its columns in order, its records in order."""
    table = pl.DataFrame(COLUMNS)
    others = [table.rename({"age": "years"}), table.reverse(), table.select(table.columns[::-1])]
    assert len({table_digest(one) for one in (table, *others)}) == 4


def test_the_key_tells_policies_and_measures_apart():
    """Another threshold, algorithm, seed or measure is another row; the same one is the same."""
    keys = [
        key_of("t", policy(), ["gcp"]),
        key_of("u", policy(), ["gcp"]),
        key_of("t", policy(seed=1), ["gcp"]),
        key_of("t", policy(algorithm="auto"), ["gcp"]),
        key_of("t", policy(), ["gcp", "pmse"]),
    ]
    assert len(set(keys)) == 5
    assert key_of("t", policy(), ["gcp"]) == keys[0]
    assert key_of("t", policy(), ["pmse", "gcp"]) == keys[4]


def test_the_key_looks_into_the_files_that_a_policy_names(tmp_path):
    """A hierarchy that is changed in its file is another one."""
    file = tmp_path / "age.csv"
    file.write_text("20;*\n21;*\n")
    asked = policy(hierarchies={"age": file})
    before = key_of("t", asked, ())
    file.write_text("20;20-21;*\n21;20-21;*\n")
    assert key_of("t", asked, ()) != before


def test_files_of_a_policy_are_found_beside_it(tmp_path, monkeypatch):
    """A hierarchy is hashed in the policy's folder, wherever the command runs."""
    (tmp_path / "policies").mkdir()
    (tmp_path / "age.csv").write_text("another file\n")
    (tmp_path / "policies" / "age.csv").write_text("20;*\n21;*\n")
    (tmp_path / "policies" / "p.yaml").write_text(
        "version: 1\nattributes: {age: {role: quasi-identifier, hierarchy: {file: age.csv}}}\n"
        "models: [{type: k-anonymity, k: 2}]\n"
    )
    keys = set()
    for folder in (tmp_path, tmp_path / "policies"):
        monkeypatch.chdir(folder)
        path = (tmp_path / "policies" / "p.yaml").relative_to(folder)
        keys.add(key_of("t", ka.Policy.from_file(path), ()))
    assert len(keys) == 1


def test_the_key_looks_into_the_population_table():
    """Another population is another comparison."""

    def asked(ages):
        people = pl.DataFrame({"age": ages})
        return ka.Policy(
            attributes={"age": ka.QuasiIdentifier()},
            models=[ka.models.KMap(2, people)],
            algorithm="full-domain",
        )

    assert key_of("t", asked([1, 2]), ()) != key_of("t", asked([1, 3]), ())
    assert key_of("t", asked([1, 2]), ()) == key_of("t", asked([1, 2]), ())
