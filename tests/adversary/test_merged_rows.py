"""Rows of linked tables that are merged, joined and counted again without kanonym."""

from __future__ import annotations

import random
from collections import Counter

import polars as pl
import pytest

import kanonym as ka
from effort import examples
from kanonym.linked import LinkedPolicy

COARSE = {"a": "A", "b": "A", "a,b": "A", "null": "B"}
KEPT = {"role": "insensitive"}
COLUMNS = {
    "persons": ["tag"],
    "visits": ["visit", "tag", "ward", "result", "cost", "doctor"],
    "tests": ["visit", "place", "sign"],
    "bills": ["visit", "year", "paid"],
    "letters": ["tag", "visit"],
}


def drawn_tables(draw):
    """Return persons known by a tag, visits that often repeat, and rows that refer to visits."""
    tags = [f"tag{i}" for i in range(draw.randint(2, 6))]
    owners = [tag for tag in tags for _ in range(draw.choice([0, 1, 2, 5]))]
    values = ([*COARSE], ["s", "t", None], [1, 2], ["d1", "d2"])
    few = [tuple(map(draw.choice, values)) for _ in range(draw.randint(1, 4))]
    visits = [(f"v{i}", tag, *draw.choice(few)) for i, tag in enumerate(owners)]
    rows = {
        "persons": [(tag,) for tag in tags],
        "visits": visits,
        "tests": [
            (visit, place, draw.choice("+-"))
            for visit, *_ in visits
            for place in range(draw.choice([0, 1, 3]))
        ],
        "bills": [(one[0], 2020, draw.choice("yn")) for one in visits if draw.random() < 0.2],
        "letters": [(draw.choice(tags), one[0]) for one in visits if draw.random() < 0.3],
    }
    numbers = dict.fromkeys(("cost", "place", "year"), pl.Int64)
    tables = {"doctors": pl.DataFrame({"doctor": ["d1", "d2"]})}
    for name, columns in COLUMNS.items():
        draw.shuffle(rows[name])
        kinds = {one: numbers.get(one, pl.String) for one in columns}
        tables[name] = pl.DataFrame(rows[name], kinds, orient="row")
    return tables


def drawn_policy(draw):
    """Return a policy in which persons and doctors keep their keys, and visits are merged."""
    mapping = {one: [label, "*"] for one, label in COARSE.items()}
    return LinkedPolicy.from_dict(
        {
            "person": "persons",
            "tables": {
                "persons": {"key": "tag", "attributes": {"tag": KEPT}},
                "visits": {
                    "key": "visit",
                    "references": {"tag": "persons", "doctor": "doctors"},
                    "merge": True,
                    "attributes": {
                        "ward": {"role": "quasi-identifier", "hierarchy": {"mapping": mapping}},
                        "result": {"role": "sensitive"},
                        "cost": KEPT,
                        "doctor": KEPT,
                    },
                },
                "tests": {
                    "key": ["visit", "place"],
                    "references": {"visit": "visits"},
                    "merge": draw.random() < 0.3,
                    "attributes": {"sign": {"role": "sensitive"}},
                },
                "bills": {
                    "key": ["visit", "year"],
                    "references": {"visit": "visits"},
                    "attributes": {"year": KEPT, "paid": KEPT},
                },
                "letters": {
                    "references": {"tag": "persons", "visit": "visits"},
                    "owner": "tag",
                    "attributes": {"visit": KEPT},
                },
                "doctors": {"key": "doctor", "attributes": {"doctor": KEPT}},
            },
            "models": [{"type": "k-anonymity", "k": draw.choice([1, 2])}],
            "suppression_limit": draw.choice([0.0, 0.5, 0.9]),
        }
    )


def values_of_persons(frames, label):
    """Return by table how often a person has which values, those of the visit referred to too."""
    rows = {name: frames[name].select(columns).rows() for name, columns in COLUMNS.items()}
    visits = {key: (tag, label(ward), *rest) for key, tag, ward, *rest in rows["visits"]}
    return {
        "visits": Counter(visits.values()),
        "tests": Counter((*visits[visit], sign) for visit, _, sign in rows["tests"]),
        "bills": Counter((*visits[visit], *rest) for visit, *rest in rows["bills"]),
        "letters": Counter((tag, visits.get(visit)) for tag, visit in rows["letters"]),
    }, {visit for visit, _, _ in rows["bills"]}


@pytest.mark.parametrize("seed", range(examples(150)))
def test_merging_loses_nothing_but_exact_repetitions(seed):
    """What a person's rows say is released as often as before, and once where it is merged."""
    draw = random.Random(seed)  # noqa: S311 - examples of a test
    tables, policy = drawn_tables(draw), drawn_policy(draw)
    try:
        release = ka.linked.anonymize(tables, policy)
    except ka.InfeasibleError as error:
        told = str(error)
        assert "no levels satisfy" in told
        return
    level = release.levels["visits.ward"]
    steps = [{}, COARSE, dict.fromkeys(COARSE, "*")]
    shown = set(release.frames["persons"]["tag"])
    before, _ = values_of_persons(tables, lambda ward: steps[level].get(ward, ward))
    after, billed = values_of_persons(release.frames, lambda ward: ward)
    before = {
        name: Counter(one for one in counts.elements() if one[0] in shown)
        for name, counts in before.items()
    }
    before["letters"] = Counter(  # those about visits of suppressed persons lead nowhere
        (tag, visit if visit[0] in shown else None) for tag, visit in before["letters"].elements()
    )
    merging = {"visits", *(["tests"] if policy.tables["tests"].merge else [])}
    for name, counts in after.items():
        assert set(counts) == set(before[name])
        if name not in merging:
            assert counts == before[name]
            assert "merged" not in release.to_dict()["tables"][name]
            continue
        told = release.to_dict()["tables"][name]["merged"]
        assert told == {
            "rows": before[name].total() - counts.total(),
            "different": len({(one[0], one[-1]) if name == "tests" else one for one in counts}),
            "lost": 0,
        }
    rows = release.frames["visits"].select(COLUMNS["visits"]).rows()
    assert set(Counter(one[1:] for one in rows if one[0] not in billed).values()) <= {1}
