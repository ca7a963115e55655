"""Sets of items and linked tables, counted again by definitions that share no code with kanonym."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from itertools import combinations

import polars as pl
import pytest

import kanonym as ka
from effort import examples
from kanonym.data.errors import InfeasibleError
from kanonym.linked import LinkedPolicy
from kanonym.linked.given_tables import Place, write_tables
from kanonym.models import KKmAnonymity, KmAnonymity

# Hostile items: words of file formats, spaces, quotes, line ends, other alphabets.
ITEMS = ("null", "NaN", "a,b", 'q"', "x y", "é\n1", "0", "-9")


def random_paths(draw):
    """Return each item with the labels above it, of uneven depth: {item: (label, …, root)}."""
    items = draw.sample(ITEMS, draw.randint(2, len(ITEMS)))
    paths = {}
    for item in items:
        branch = draw.choice(["F", "G", item])
        twig = item if branch == item else draw.choice([f"{branch}1", f"{branch}2", item])
        paths[item] = (twig, branch, "*")
    return paths


def covers(paths):
    """Return each label with the items that it stands for: the lowest of labels that are alike."""
    found = defaultdict(set)
    for level in range(-1, 3):
        for item, path in paths.items():
            found[item if level < 0 else path[level]].add(item)
    lowest = {}
    for label, items in found.items():
        lowest.setdefault(frozenset(items), label)
    return {label: items for items, label in lowest.items()}


def fewest_candidates(sets, below, items, m):
    """Return the fewest records, of those with any, that have m known items or labels above."""
    candidates = {
        item: frozenset(i for i, one in enumerate(sets) if any(item in below[x] for x in one))
        for item in items
    }
    counts = [
        len(frozenset.intersection(*(candidates[item] for item in known)))
        for size in range(1, m + 1)
        for known in combinations(items, size)
    ]
    return min((count for count in counts if count), default=None)


def random_sets(draw, words, n):
    """Return sets of words, empty ones and equal ones among them."""
    return [sorted(draw.sample(words, draw.randint(0, min(4, len(words))))) for _ in range(n)]


@pytest.mark.parametrize("seed", range(examples(40)))
def test_verdicts_on_released_sets_are_those_of_the_definition(seed):
    """Labels of any level in any record: satisfied if and only if nobody has fewer than k."""
    draw = random.Random(seed)  # noqa: S311 - examples of a test
    paths = random_paths(draw)
    below = covers(paths)
    k, m, n = draw.randint(1, 4), draw.randint(1, 3), draw.randint(1, 9)
    words = sorted(below)
    separator = draw.choice([None, ";"])
    sets = random_sets(draw, words, n)
    sets += draw.choices(sets, k=draw.randint(0, 9))
    column = sets if separator is None else [separator.join(one) or None for one in sets]
    classes = [draw.choice("uv") for _ in sets] if draw.random() < 0.5 else None
    model = KmAnonymity(k, m=m) if classes is None else KKmAnonymity(k, m=m)
    attributes = {"items": {"role": "set", "hierarchy": {"mapping": paths}, "separator": separator}}
    frame = pl.DataFrame({"items": column}, schema_overrides={} if separator else None)
    groups = [sets]
    if classes is not None:
        attributes["class"] = {"role": "quasi-identifier", "hierarchy": {"flat": {}}}
        frame = frame.with_columns(pl.Series("class", classes))
        groups = [
            [one for one, own in zip(sets, classes, strict=True) if own == name]
            for name in set(classes)
        ]
    found = ka.verify(frame, ka.Policy(attributes=attributes, models=[model]))
    least = [fewest_candidates(one, below, sorted(paths), m) for one in groups]
    sizes = [] if classes is None else [len(one) for one in groups]
    assert found.satisfied == all(one is None or one >= k for one in (*least, *sizes))


@pytest.mark.parametrize("seed", range(examples(24)))
@pytest.mark.parametrize("algorithm", ["apriori", "vpa", "lra", "optimal-cut"])
def test_released_sets_are_protected_and_true(algorithm, seed):
    """Every algorithm releases labels of items that the record has, with k candidates."""
    draw = random.Random(seed)  # noqa: S311 - examples of a test
    paths = random_paths(draw)
    below = covers(paths)
    k, m = draw.randint(1, 3), draw.randint(1, 3)
    sets = random_sets(draw, list(paths), draw.randint(1, 12))
    policy = ka.Policy(
        attributes={"items": {"role": "set", "hierarchy": {"mapping": paths}}},
        models=[KmAnonymity(k, m=m)],
        item_algorithm={"type": algorithm, "drop": draw.random() < 0.7},
        keep_order=True,
    )
    frame = pl.DataFrame({"items": sets}, schema={"items": pl.List(pl.String)})
    try:
        release = ka.anonymize(frame, policy)
    except InfeasibleError:
        assert not policy.item_algorithm.drop
        assert 0 < sum(map(bool, sets)) < k
        return
    out = release.frame["items"].to_list()
    for own, labels in zip(sets, out, strict=True):
        assert labels == sorted(set(labels))
        assert all(below[label] & set(own) for label in labels)
    least = fewest_candidates(out, below, sorted(paths), m)
    assert least is None or least >= k
    assert ka.verify(release.frame, policy).satisfied


VALUES = (None, "a", "b", "a,b", "null", "é\n1")
COARSE = {None: "-", "a": "A", "b": "A", "a,b": "A", "null": "B", "é\n1": "B"}


def linked_tables(draw):
    """Return persons of two key columns, visits of some of them, and tests of some visits."""
    n = draw.randint(1, 7)
    persons = [(i % 3, f"p{i // 3}", draw.choice("fm")) for i in range(n)]
    visits, tests = [], []
    for site, number, _ in persons:
        for _ in range(draw.choice([0, 1, 1, 2, 3])):
            visits.append((len(visits), site, number, draw.choice(VALUES), draw.choice("xy")))
            rows = draw.choice([0, 0, 1, 2])
            tests += [(visits[-1][0], draw.choice(VALUES)) for _ in range(rows)]
    for rows in (persons, visits, tests):
        draw.shuffle(rows)
    return {
        "persons": pl.DataFrame(
            persons, {"site": pl.Int64, "number": pl.String, "sex": pl.String}, orient="row"
        ),
        "visits": pl.DataFrame(
            visits,
            {
                "visit": pl.Int64,
                "site": pl.Int64,
                "number": pl.String,
                "ward": pl.String,
                "kind": pl.String,
            },
            orient="row",
        ),
        "tests": pl.DataFrame(tests, {"visit": pl.Int64, "test": pl.String}, orient="row"),
    }


def linked_policy(k, *, merge=False, limit=0.0, counting="multiset", cap=None):
    """Return a policy of these tables in which a column of tests is named by `others` alone."""
    flat = {"role": "quasi-identifier", "hierarchy": {"flat": {}}}
    wards = {"mapping": {one: [label, "*"] for one, label in COARSE.items() if one}}
    visits = {
        "key": "visit",
        "references": [{"columns": ["site", "number"], "table": "persons"}],
        "attributes": {"ward": {"role": "quasi-identifier", "hierarchy": wards}, "kind": flat},
        "merge": merge,
    }
    return LinkedPolicy.from_dict(
        {
            "person": "persons",
            "tables": {
                "persons": {"key": ["site", "number"], "attributes": {"sex": flat}},
                "visits": visits if cap is None else {**visits, "cap": cap},
                "tests": {"references": {"visit": "visits"}},
            },
            "others": "quasi-identifier",
            "counting": counting,
            "suppression_limit": limit,
            "models": [{"type": "k-anonymity", "k": k}],
        }
    )


def persons_with_rows(tables, kind):
    """Return how many persons have the same rows; kind: what collects rows that are alike."""
    tests, visits = defaultdict(list), defaultdict(list)
    for visit, test in tables["tests"]:
        tests[visit].append(test)
    for visit, site, number, *known in tables["visits"]:
        visits[site, number].append((*known, kind(tests.pop(visit, []))))
    found = Counter(
        (sex, kind(visits.pop((site, number), []))) for site, number, sex in tables["persons"]
    )
    assert not tests, "a test of no visit"
    assert not visits, "a visit of no person"
    return found


def bag(rows):
    """Return rows with how often each occurs."""
    return frozenset(Counter(rows).items())


def of_frames(frames):
    """Return the rows of tables in the order of columns that `linked_tables` has."""
    order = {
        "persons": ["site", "number", "sex"],
        "visits": ["visit", "site", "number", "ward", "kind"],
        "tests": ["visit", "test"],
    }
    return {name: frames[name].select(columns).rows() for name, columns in order.items()}


@pytest.mark.parametrize("seed", range(examples(40)))
def test_counts_of_persons_are_those_of_the_definition(seed):
    """Raw tables are as anonymous as the rarest person with all rows is."""
    draw = random.Random(seed)  # noqa: S311 - examples of a test
    tables = linked_tables(draw)
    for counting, kind in (("multiset", bag), ("set", frozenset)):
        least = min(persons_with_rows(of_frames(tables), kind).values())
        policy = linked_policy(2, counting=counting)
        found = ka.linked.verify(tables, policy)
        assert (found.k, found.satisfied) == (least, least >= 2)
        measured = ka.linked.measure(tables, policy)
        assert (measured.by_multiset if counting == "multiset" else measured.by_set) == least


@pytest.mark.parametrize("seed", range(examples(30)))
def test_written_tables_protect_persons_with_all_their_rows(seed, tmp_path):
    """Tables in SQLite, read by sqlite3 alone: k persons alike, keys without gaps, no orphans."""
    draw = random.Random(seed)  # noqa: S311 - examples of a test
    tables = linked_tables(draw)
    k, counting = draw.randint(1, 3), draw.choice(["multiset", "set"])
    options = {"merge": draw.random() < 0.5, "limit": draw.choice([0.0, 0.5, 0.9])}
    policy = linked_policy(k, counting=counting, cap=draw.choice([None, 1]), **options)
    try:
        release = ka.linked.anonymize(tables, policy)
    except InfeasibleError as error:
        told = str(error)
        assert "no levels satisfy" in told
        return
    place = Place.of(str(tmp_path / "released.db"))
    write_tables(release.frames, place, lambda found: ka.linked.verify(found, policy))
    with closing(sqlite3.connect(str(tmp_path / "released.db"))) as database:
        rows = {
            name: database.execute(
                f"SELECT {', '.join(columns)} FROM {name}"  # noqa: S608 - names are ours
            ).fetchall()
            for name, columns in {
                "persons": ("site", "number", "sex"),
                "visits": ("visit", "site", "number", "ward", "kind"),
                "tests": ("visit", "test"),
            }.items()
        }
    found = persons_with_rows(rows, bag if counting == "multiset" else frozenset)
    assert min(found.values(), default=k) >= k
    assert len(rows["persons"]) == tables["persons"].height - release.suppressed
    assert sorted(one[0] for one in rows["visits"]) == list(range(1, len(rows["visits"]) + 1))
    assert {one[3] for one in rows["visits"]} <= {*VALUES, *COARSE.values(), "*"}
    if 0 < release.suppressed < 5:
        assert {release.to_dict()["tables"][name]["rows_in"] for name in ("visits", "tests")} == {
            None
        }
