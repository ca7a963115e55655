"""Where a policy counts persons by an identifier, the pages count persons, and say so."""

from __future__ import annotations

import html
import re
import shutil
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.cli import main
from kanonym.data.files import write_table
from kanonym.pipeline import uncounted_entities
from kanonym.pipeline.planning import count_violations
from kanonym.workbench.work.records import RankedRecords
from printed import words_of
from workbench_servers import Visitor, act, idle, release, running, text_of

KNOWN = ["age", "town"]
NAME = "our visits' table.csv"


def visits(seed, persons, most):
    """Return visits of persons, each of whom has 1 to `most`, and mostly lives in one town."""
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(persons):
        age, town = int(rng.integers(20, 26)), int(rng.integers(4))
        for _ in range(int(rng.integers(1, most + 1))):
            moved = int(rng.integers(4)) if rng.integers(5) == 0 else town
            rows.append((f"p{person:03d}", age, f"t{moved}", "abc"[int(rng.integers(3))]))
    return pl.DataFrame(rows, schema=["person", "age", "town", "ill"], orient="row")


def policy(k, **more):
    """Return a policy that counts persons, and asks for two illnesses a class."""
    models = [ka.KAnonymity(k, entity="person"), ka.LDiversity("ill", l=2)]
    roles = {name: ka.QuasiIdentifier() for name in KNOWN}
    attributes = {"person": ka.Identifier(), **roles, "ill": ka.Sensitive()}
    return ka.Policy(attributes=attributes, models=models, **more)


def persons_with(rows, known):
    """Return the persons who have a record with values of some columns."""
    return {one["person"] for one in rows if all(one[name] == known[name] for name in known)}


def alike(rows):
    """Return the persons that are the same as each record, the slow way."""
    return [persons_with(rows, {name: one[name] for name in KNOWN}) for one in rows]


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 5), st.integers(1, 4))
def test_persons_are_counted_as_a_list_of_them_is(seed, persons, most, k):
    """Violations and uniques are distinct persons; no record of a person counts twice."""
    table = visits(seed, persons, most)
    rows = table.rows(named=True)
    groups = {tuple(one[name] for name in KNOWN): [] for one in rows}
    for one in rows:
        groups[tuple(one[name] for name in KNOWN)].append(one)
    small = {one["person"] for g in groups.values() for one in g if len({*map(person, g)}) < k}
    plain = {one["person"] for g in groups.values() for one in g if len({*map(illness, g)}) < 2}
    alone = {one["person"] for one, same in zip(rows, alike(rows), strict=True) if len(same) == 1}
    found = count_violations(table, policy(k))
    assert (found.unit, found.total) == ("person", persons)
    assert [one.number for one in found.models] == [len(small), len(plain)]
    assert (found.number, found.uniques) == (len(small | plain), len(alone))


def person(row):
    """Return whose record it is."""
    return row["person"]


def illness(row):
    """Return the sensitive value of a record."""
    return row["ill"]


def test_a_promise_of_the_draw_counts_no_persons():
    """Under differential privacy nothing is counted by the entity: neither here nor by `verify`."""
    ages = ka.QuasiIdentifier(hierarchy=ka.hierarchy.intervals(width=10, bottom=0, top=100))
    private = ka.Policy(
        attributes={"person": ka.Identifier(), "age": ages},
        others="identifier",
        models=[{"type": "differential-privacy", "epsilon": 1, "delta": 1e-6, "entity": "person"}],
        algorithm={"type": "full-domain", "levels": {"age": 1}},
    )
    assert count_violations(visits(1, 20, 3), private).unit == "record"
    assert uncounted_entities(private, ["age"]) == []
    assert uncounted_entities(policy(3), KNOWN) == ["person"]
    assert uncounted_entities(policy(3), ["person", *KNOWN]) == []


def test_persons_of_several_columns_are_counted():
    """Where ward and number tell persons apart together, both are needed to count them again."""
    table = visits(2, 60, 4)
    both = table.with_columns(
        ward=pl.col("person").str.slice(0, 3), number=pl.col("person").str.slice(3)
    ).drop("person")
    key = ["ward", "number"]
    roles = {name: ka.QuasiIdentifier() for name in KNOWN} | {"ill": ka.Sensitive()}
    asked = ka.Policy(
        attributes={name: ka.Identifier() for name in key} | roles,
        models=[ka.KAnonymity(3, entity=key), ka.LDiversity("ill", l=2)],
    )
    assert replace(count_violations(both, asked), models=()) == (
        replace(count_violations(table, policy(3)), models=())
    )
    assert uncounted_entities(asked, ["ward", *KNOWN]) == ["ward + number"]
    assert uncounted_entities(asked, [*key, *KNOWN]) == []
    made = ka.anonymize(both, asked)
    page = RankedRecords(both, made).page({}, 0, 5, suppressed=False)
    assert (page.entity, page.whole) == ("ward + number", 60)


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_records_of_the_persons_easiest_to_find_come_first(seed):
    """Each record has the persons with its values, before and after, and without each column."""
    table = visits(seed, 40, 4)
    made = ka.anonymize(table, policy(3, algorithm={"type": "mondrian"}))
    rows, released = table.rows(named=True), made.frame.rows(named=True)
    whose = [rows[place]["person"] for place in made.rows]
    page = RankedRecords(table, made).page({}, 0, len(rows), suppressed=False)
    assert (page.entity, page.unit, page.whole) == ("person", "person", 40)
    befores = [len(same) for same in alike(rows)]
    assert [one.before for one in page.records] == sorted(befores)
    place_of = {int(row): place for place, row in enumerate(made.rows)}
    for one in page.records:
        row = rows[one.number - 1]
        assert one.before == befores[one.number - 1]
        now = released[place_of[one.number - 1]]
        same = [all(other[name] == now[name] for name in KNOWN) for other in released]
        assert one.after == len(
            {name for name, is_same in zip(whose, same, strict=True) if is_same}
        )
        for column, number in one.telling.items():
            others = {name: row[name] for name in KNOWN if name != column}
            assert number == len(persons_with(rows, others))
    assert page.uniques == len({rows[i]["person"] for i, n in enumerate(befores) if n == 1})


@pytest.fixture(scope="module", name="visitor")
def fixture_visitor(tmp_path_factory):
    """Give somebody who opened visits whose file has an odd name, and counts persons."""
    folder = tmp_path_factory.mktemp("persons")
    write_table(visits(5, 90, 6), folder / NAME)
    with running(str(folder / NAME), folder=folder / "project") as (_, addresses):
        visitor = Visitor.enter(addresses[-1])
        visitor.at = visitor.place.rpartition("/")[0]
        visitor.folder = folder
        idle(visitor)
        roles = ["identifier", "quasi-identifier", "quasi-identifier", "sensitive"]
        for place, role in enumerate(roles):
            act(visitor, "columns/role", one=f"{place}:{role}")
        act(visitor, "columns/persons", entity="person")
        act(visitor, "requirements/save", type="k-anonymity", k="3", entity="person", place="0")
        form = {"attribute": "ill", "l": "2", "kind": "distinct", "place": "1"}
        assert act(visitor, "requirements/save", type="l-diversity", **form).status == 200
        release(visitor)
        yield visitor


def test_every_count_says_of_what(visitor):
    """Strip, requirements and records speak of persons, and of how many there are."""
    found = count_violations(visits(5, 90, 6), policy(3))
    strip = text_of(visitor.get(f"{visitor.at}/status"))
    assert f"{found.number} of 90 people have records that violate the requirements" in strip
    assert f"unique: {found.uniques} of 90 people" in strip
    page = text_of(visitor.get(f"{visitor.at}/requirements"))
    assert f"violated by {found.models[0].number} people now" in page
    page = text_of(visitor.get(f"{visitor.at}/records"))
    assert "The records of the people who are easiest to find come first" in page
    assert f"Unique before: {found.uniques} of 90 people" in page
    assert "people the same before" in page
    assert re.search(r"its class would have \d+ (person|people); at least 3 are required", page)


def test_records_are_counted_where_they_are_persons(visitor):
    """The same table without an identifier of persons has counts of records."""
    act(visitor, "columns/persons", entity="")
    strip = text_of(visitor.get(f"{visitor.at}/status"))
    assert re.search(r"Table as it is: \d+ of \d+ records violate", strip)
    assert re.search(r"unique: \d+ of \d+ records", strip)
    act(visitor, "history/undo")


def test_printed_commands_run(visitor, tmp_path, monkeypatch):
    """Those of the export page and of the report end with 0, side by side with the files."""
    act(visitor, "export/write", format=".csv", report="md")
    idle(visitor)
    page = visitor.get(f"{visitor.at}/export").text
    shown = map(html.unescape, re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.DOTALL))
    (made,) = [one for one in shown if one.startswith("kanonym")]
    (place,) = (visitor.folder / "project" / "releases").glob("[0-9]*")
    for file in [visitor.folder / NAME, *place.iterdir()]:
        shutil.copy(file, tmp_path)
    text = (tmp_path / "report.md").read_text("utf-8")
    listed = re.findall(r"^kanonym .*", text, re.MULTILINE)
    assert [words_of(one)[0] for one in listed[:3]] == ["anonymize", "verify", "attack"]
    monkeypatch.chdir(tmp_path)
    for command in [*listed[1:3], *listed[:2], made]:
        with pytest.raises(SystemExit) as ended:
            main(words_of(command))
        assert not ended.value.code, command
