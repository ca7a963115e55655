"""Under differential privacy one record changes nothing of how another one is read or released."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import replace

import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

import kanonym as ka
from columns_of_cells import FILES, FRAMES, KINDS, ODD, table_of
from effort import NIGHTLY
from kanonym.cli import main
from kanonym.data.files import read_table
from kanonym.differential_privacy.cells import canonical_texts, declared_cells
from kanonym.policy.writing import policy_yaml
from kanonym.synthesis.marginals.domains import cell_domains

LEVELS = {
    name: int("intervals" in kind.attribute.hierarchy.to_dict()) for name, kind in KINDS.items()
}
POLICY = ka.Policy(
    attributes={name: kind.attribute for name, kind in KINDS.items()},
    models=[{"type": "differential-privacy", "epsilon": 3, "delta": 0.3, "beta": 0.5}],
    algorithm={"type": "full-domain", "levels": LEVELS},
    seed=4,
)
WAYS = [*FILES, *FRAMES]
CASES = [(way, odd) for way in WAYS for odd in ODD]
if not NIGHTLY:  # every fifth odd cell by one way in
    CASES = [(WAYS[place % len(WAYS)], odd) for place, odd in enumerate(ODD)][::5]
DOMAINS = {
    name: replace(kind.attribute, domain=ka.Domain(minimum=0, maximum=4000, bins=1000))
    if LEVELS[name]
    else kind.attribute
    for name, kind in KINDS.items()
}
DOMAINS["dates"] = ka.Sensitive(domain=ka.Domain(minimum="1899-01-01", maximum="2024-12-31"))
RECORDS = len(table_of()["whole"])


def name_of(case):
    """Return the name of a way in, or of an odd cell."""
    return getattr(case, "__name__", "1…" if case == 10**400 else repr(case)[:20])


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """Return the release of the table without an odd cell by a way in, made once."""
    known = {}

    def release(way):
        if way not in known:
            table = given(way, table_of(), tmp_path_factory.mktemp("table"))
            known[way] = ka.anonymize(table, POLICY)
        return known[way]

    return release


def given(way, table, folder):
    """Return a table as a way in has it: read from a file, or a frame."""
    if way not in FILES:
        return way(table)
    FILES[way](table, folder / f"table.{way}")
    return read_table(folder / f"table.{way}", declared=POLICY.attributes)


def records_of(frame):
    """Return the records of a frame of any library; null is None."""
    if isinstance(frame, pd.DataFrame):
        return [
            {name: None if pd.isna(cell) else cell for name, cell in record.items()}
            for record in frame.to_dict("records")
        ]
    return frame.to_pylist() if isinstance(frame, pa.Table) else frame.to_dicts()


def labels_of(release):
    """Return by record of the input what is released of it; without the odd one, the last."""
    found = dict(zip(release.rows.tolist(), records_of(release.frame), strict=True))
    found.pop(RECORDS, None)
    return found


def types_of(frame):
    """Return the columns of a frame with their types, in order."""
    if isinstance(frame, pa.Table):
        return str(frame.schema)
    return list(zip(frame.columns, map(str, frame.dtypes), strict=True))


@pytest.mark.parametrize("way", WAYS, ids=name_of)
def test_every_cell_of_an_ordinary_column_has_its_label(way, released):
    """So the law below is about labels, and not about stars."""
    found = labels_of(released(way))
    assert len(found) > 10
    for record, labels in found.items():
        assert labels == {name: kind.labels[record % 3] for name, kind in KINDS.items()}


@pytest.mark.parametrize(("way", "odd"), CASES, ids=name_of)
def test_an_odd_cell_changes_nothing_of_other_records(way, odd, released, tmp_path, caplog):
    """Labels, types, order of columns, verdict and messages are those of the table without it."""
    before = released(way)
    with caplog.at_level(logging.WARNING):
        after = ka.anonymize(given(way, table_of([odd]), tmp_path), POLICY)
    assert labels_of(after) == labels_of(before)
    assert types_of(after.frame) == types_of(before.frame)
    assert after.verification.verdict == before.verification.verdict
    assert after.verification.findings == before.verification.findings
    assert caplog.records == []


def cells_of(table):
    """Return by column the cells of public domains in which a synthesizer counts records."""
    domains = cell_domains(list(DOMAINS), DOMAINS)
    counted = []

    def count(columns, *_, **__):
        counted.extend(
            one.encode(column)[:RECORDS].tolist()
            for one, column in zip(domains, columns, strict=True)
        )
        raise CountedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kanonym.synthesis.private.generate", count)
        with pytest.raises(CountedError):
            ka.synthesize(table, epsilon=1, policy=DOMAINS)
    return counted


class CountedError(Exception):
    """Raised where noise would be added."""


@pytest.mark.parametrize(("way", "odd"), CASES[::5], ids=name_of)
def test_an_odd_cell_changes_nothing_of_what_a_synthesizer_counts(way, odd, tmp_path):
    """The other records are in the cells of the public domains in which they were."""
    before = cells_of(given(way, table_of(), tmp_path))
    assert cells_of(given(way, table_of([odd]), tmp_path)) == before
    assert all(len(set(cells)) > 1 for cells in before)


@pytest.mark.parametrize("way", FRAMES, ids=name_of)
def test_an_odd_cell_changes_no_type_of_a_synthetic_table(way):
    """Its types are those of the domains, on every frame library."""
    values = {"whole": [7, 8, 9], "fractions": [0.5, 1.25], "zip": ["01067"], "bits": [True, False]}
    policy = {
        name: ka.QuasiIdentifier(domain=ka.Domain(values=several, nulls=False))
        for name, several in values.items()
    }
    types = []
    for odd in ([], [None], ["soon"], [1.5], [True]):
        table = {name: cells for name, cells in table_of(odd).items() if name in values}
        table["bits"] = [*map(bool, table["bits"][:RECORDS]), *odd]
        made = ka.synthesize(way(table), policy=policy, epsilon=1, method="mst", rows=5, seed=1)
        types.append(types_of(made.frame))
    assert types.count(types[0]) == len(types)


@pytest.mark.parametrize(("way", "odd"), CASES[1::5], ids=name_of)
def test_an_odd_name_changes_nothing_of_whose_the_other_records_are(way, odd, tmp_path):
    """Persons are told apart by what is written of them, one cell at a time."""
    people = ["whole", "codes of 18 digits", "words", "dates", "uuid"]
    attributes = dict.fromkeys(people, ka.Identifier())
    grouped = []
    for place, table in enumerate((table_of(), table_of([odd]))):
        folder = tmp_path / str(place)
        folder.mkdir()
        cells = declared_cells(given(way, table, folder), attributes, exact=people)
        grouped.append([one[:RECORDS].rank("dense").to_list() for one in cells])
    assert grouped[0] == grouped[1]
    assert all(max(one) == 3 for one in grouped[0])


@pytest.mark.parametrize("way", list(FILES) if NIGHTLY else ["csv", "xlsx"])
@pytest.mark.parametrize("odd", ODD if NIGHTLY else ["soon"], ids=name_of)
def test_an_odd_record_changes_nothing_of_a_run(way, odd, tmp_path, monkeypatch, capsys):
    """Exit code, messages, and the released records are those of the run without it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.yaml").write_text(policy_yaml(POLICY.to_dict(), (), {}), encoding="utf-8")
    runs = []
    for table in (table_of(), table_of([odd])):
        FILES[way](table, tmp_path / f"table.{way}")
        with pytest.raises(SystemExit) as ended:
            main(f"anonymize table.{way} --policy policy.yaml -o out.csv --ledger l.json".split())
        lines = (tmp_path / "out.csv").read_text("utf-8").splitlines()
        (tmp_path / "out.csv").unlink()
        # A machine under load tells how long a step takes.
        told = re.sub(r"(?m)^kanonym: \w+ \(\d+ s\)\n", "", capsys.readouterr().err)
        runs.append((ended.value.code, told, lines[0], sorted(lines[1:])))
    assert runs[0] == runs[1]
    assert runs[0][0] == 0


def test_keys_of_other_records_are_no_columns(tmp_path):
    """A record of JSON with keys of its own, or without any, adds, moves and removes no column."""
    tree = ka.hierarchy.from_mapping({"f": "*", "m": "*"})
    policy = ka.Policy(
        attributes={name: ka.QuasiIdentifier(hierarchy=tree) for name in "ab"},
        models=POLICY.models,
        algorithm={"type": "full-domain", "degree": "none"},
        seed=4,
    )
    for odd in ({}, {"c": 1}, {"b": "f", "a": "m"}, {"c": [1], "b": None}):
        lines = [json.dumps(one) for one in [odd, *[{"a": "f", "b": "m"}] * 12]]
        for name, text in (("t.jsonl", "\n".join(lines)), ("t.json", f"[{','.join(lines)}]")):
            (tmp_path / name).write_text(text)
            frame = read_table(tmp_path / name, declared=policy.attributes)
            assert frame.columns == ["a", "b"]
            assert set(ka.anonymize(frame, policy).frame.rows()) == {("f", "m")}


@pytest.mark.parametrize("user_missing", ["null", "keep"])
@pytest.mark.parametrize("form", ["sav", "dta"])
@pytest.mark.parametrize("odd", [1.5, -7.0, 9.0, 2.0**60, None])
def test_an_odd_number_in_a_file_of_spss_or_stata(form, odd, user_missing, tmp_path):
    """Codes, their labels and user-missing ones are read alike whatever another cell holds."""
    read = []
    for place, cells in enumerate(([1.0, 2.0, 9.0], [1.0, 2.0, 9.0, odd])):
        path = tmp_path / f"t{place}.{form}"
        frame = pl.DataFrame({"code": cells, "text": ["a", "b", ""] + ["c"] * (len(cells) - 3)})
        if form == "sav":
            pyreadstat.write_sav(
                frame,
                str(path),
                variable_value_labels={"code": {1: "yes", 2: "no", 9: "refused"}},
                variable_measure={"code": "nominal"},
                missing_ranges={"code": [9]},
            )
        else:
            pyreadstat.write_dta(frame, str(path))
        found = read_table(path, declared=["code", "text"], user_missing=user_missing)
        read.append([canonical_texts(one).to_list()[:3] for one in found])
    assert read[0] == read[1]
    kept = {("sav", "null"): None, ("sav", "keep"): "refused"}.get((form, user_missing), "9")
    assert read[0][0] == (["yes", "no", kept] if form == "sav" else ["1", "2", kept])
