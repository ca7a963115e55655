"""Composite keys: what their columns tell of persons is numbered anew, or counted."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.linked import LinkedPolicy, anonymize, attack, measure, verify

YEARS = {1: (2001, 2003), 2: (2001, 2005), 3: (2001, 2003), 4: (2004, 2005)}
WARDS = {1: "xy", 2: "xy", 3: "yx", 4: "yx"}


def yearly(**years):
    """Return people with one row a year, tests of some of these, and their policy."""
    rows = [
        (person, year, ward)
        for person, several in YEARS.items()
        for year, ward in zip(several, WARDS[person], strict=True)
    ]
    tables = {
        "people": pl.DataFrame({"id": list(YEARS)}),
        "years": pl.DataFrame(rows, schema=["id", "year", "ward"], orient="row"),
        "tests": pl.DataFrame(
            [(person, several[0], n) for person, several in YEARS.items() for n in (5, 9)],
            schema=["id", "year", "n"],
            orient="row",
        ),
    }
    owner = {"columns": ["id", "year"], "table": "years"}
    form = {
        "person": "people",
        "tables": {
            "people": {"key": "id"},
            "years": {
                "key": ["id", "year"],
                "references": {"id": "people"},
                "attributes": {"ward": {"role": "quasi-identifier"}, **years},
            },
            "tests": {"key": ["id", "year", "n"], "references": [owner]},
        },
        "models": [{"type": "k-anonymity", "k": 2}],
        "seed": 1,
    }
    return tables, form


def persons_by(frame, person, known):
    """Return how many persons share the same rows of the columns that somebody knows."""
    rows = [
        tuple(sorted(several.select(known).rows()))
        for _, several in frame.partition_by(person, as_dict=True).items()
    ]
    return Counter(rows)


def test_years_of_a_key_tell_nothing_to_who_knows_them():
    """Years in a key become 1, 2, …: all persons are alike to an intruder who knows the years."""
    tables, form = yearly()
    raw = measure(tables, LinkedPolicy.from_dict(form))
    assert raw.by_multiset == 1
    release = anonymize(tables, LinkedPolicy.from_dict(form))
    assert (release.verification.k, release.suppressed) == (2, 0)
    assert release.levels == {"years.ward": 0}
    years, tests = release.frames["years"], release.frames["tests"]
    assert min(persons_by(years, "id", ["year"]).values()) == 4
    assert min(persons_by(tests, "id", ["n"]).values()) == 4
    assert tests.join(years, on=["id", "year"]).height == tests.height == 8
    assert any("years.year numbers rows" in one for one in release.verification.notes)


def test_numbers_of_rows_are_drawn_for_each_person():
    """The same ward has either number, whatever its year was, and no order of rows changes that."""
    people = list(range(60))
    wards = ["x", "y"] * 60
    tables, form = yearly()
    form["tables"] = {name: form["tables"][name] for name in ("people", "years")}
    tables = {
        "people": pl.DataFrame({"id": people}),
        "years": pl.DataFrame(
            {"id": [i for i in people for _ in "xy"], "year": [1, 2] * 60, "ward": wards}
        ),
    }
    policy = LinkedPolicy.from_dict(form)
    years = anonymize(tables, policy).frames["years"]
    first = years.filter(ward="x")["year"].value_counts(sort=True)["count"].to_list()
    assert sum(first) == 60
    assert min(first) > 15
    turned = anonymize({**tables, "years": tables["years"].reverse()}, policy).frames["years"]
    assert turned.sort("id", "year")["ward"].to_list() == years.sort("id", "year")["ward"].to_list()


@pytest.mark.parametrize("pseudonym", [True, False])
def test_columns_of_keys_that_keep_their_equality_count(tmp_path, pseudonym):
    """Hashes of years, and years that are quasi-identifiers, make persons different."""
    (tmp_path / "key").write_bytes(b"0123456789abcdef")
    year = {"role": "quasi-identifier"}
    if pseudonym:
        hashed = {"type": "keyed-hash", "key": {"file": "key"}}
        year = {"role": "identifier", "action": hashed}
    tables, form = yearly(ward={"role": "insensitive"}, year=year)
    with pytest.raises(InfeasibleError, match=r"years\.year count as they are"):
        anonymize(tables, LinkedPolicy.from_dict(form, tmp_path))
    policy = LinkedPolicy.from_dict({**form, "suppression_limit": 0.5}, tmp_path)
    release = anonymize(tables, policy)
    assert release.suppressed == 2
    years = release.frames["years"]
    assert list(persons_by(years, "id", ["year"]).values()) == [2]
    assert (set(years["year"]) == {2001, 2003}) is not pseudonym
    assert verify(release.frames, policy).satisfied
    told = " ".join(attack(tables, release.frames, policy, attempts=4).notes)
    assert ("years.year" in told) is pseudonym


def test_insensitive_columns_of_keys_are_noted():
    """A year that the policy calls insensitive is released, and a note says who knows it."""
    tables, form = yearly(year={"role": "insensitive"})
    release = anonymize(tables, LinkedPolicy.from_dict(form))
    assert set(release.frames["years"]["year"]) == {2001, 2003, 2004, 2005}
    (note,) = [one for one in release.verification.notes if "years.year" in one]
    assert "finds 4 persons alone" in note


def test_a_place_in_the_key_of_persons_counts_where_references_need_it():
    """A site that a reference shares cannot be numbered anew: it counts; else it is numbered."""
    people = pl.DataFrame(
        {"site": ["a", "a", "a", "b"], "number": [1, 2, 3, 1], "mother": [None, 1, 1, None]}
    )
    form = {
        "person": "people",
        "tables": {
            "people": {
                "key": ["site", "number"],
                "references": [{"columns": ["site", "mother"], "table": "people"}],
                "attributes": {"mother": {"role": "insensitive"}, "site": {"role": "identifier"}},
            }
        },
        "models": [{"type": "k-anonymity", "k": 2}],
        "suppression_limit": 0.5,
    }
    told = []
    release = anonymize({"people": people}, LinkedPolicy.from_dict(form), progress=told.append)
    assert release.suppressed == 1
    assert release.frames["people"]["site"].n_unique() == 1
    assert any("people.site is in a key and repeats: it counts" in one for one in told)
    form["tables"]["people"]["attributes"]["mother"]["role"] = "identifier"
    apart = anonymize({"people": people}, LinkedPolicy.from_dict(form))
    assert apart.suppressed == 0
    assert sorted(apart.frames["people"].rows()) == [(i, i) for i in range(1, 5)]


def many_to_many(course):
    """Return students with courses, and their policy; course: its role."""
    pairs = [(1, "a"), (1, "b"), (2, "a"), (2, "b"), (3, "c")]
    tables = {
        "students": pl.DataFrame({"student": [1, 2, 3]}),
        "courses": pl.DataFrame({"course": ["a", "b", "c"]}),
        "takes": pl.DataFrame(pairs, schema=["student", "course"], orient="row"),
    }
    form = {
        "person": "students",
        "tables": {
            "students": {"key": "student"},
            "courses": {"key": "course"},
            "takes": {
                "key": ["student", "course"],
                "references": {"student": "students", "course": "courses"},
                "attributes": {"course": {"role": course}},
            },
        },
        "models": [{"type": "k-anonymity", "k": 2}],
        "suppression_limit": 0.4,
    }
    return tables, LinkedPolicy.from_dict(form)


def test_the_other_side_of_a_many_to_many_table_is_dropped_or_counts():
    """Courses are dropped as identifiers, and count as quasi-identifiers in the key of a row."""
    dropped = anonymize(*many_to_many("identifier"))
    assert dropped.frames["takes"].columns == ["student"]
    counted = anonymize(*many_to_many("quasi-identifier"))
    assert counted.suppressed == 1
    takes = counted.frames["takes"]
    assert list(persons_by(takes, "student", ["course"]).values()) == [2]


def test_a_key_of_one_column_is_no_quasi_identifier():
    """Every value of such a key is one person: k would be 1."""
    tables, form = yearly()
    form["tables"]["people"]["attributes"] = {"id": {"role": "quasi-identifier"}}
    with pytest.raises(PolicyError, match=r"people\.id is a key, and quasi-identifier"):
        anonymize(tables, LinkedPolicy.from_dict(form))
