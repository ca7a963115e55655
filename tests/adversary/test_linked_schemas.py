"""Linked tables of random schemas: persons with equal trees of rows, counted without kanonym.

A long run by hand: PYTHONPATH=src:tests python tests/adversary/test_linked_schemas.py 300
"""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from datetime import date, timedelta

import polars as pl
import pytest

import kanonym as ka
from effort import examples
from kanonym.data.errors import InfeasibleError
from kanonym.linked import LinkedPolicy

VALUES = ("a", "b", "a,b", "null", "é\n1")
COARSE = {
    "a": ["A", "*"],
    "b": ["A", "*"],
    "a,b": ["A", "*"],
    "null": ["B", "*"],
    "é\n1": ["B", "*"],
}
KNOWN = {"role": "quasi-identifier", "hierarchy": {"mapping": COARSE}}
DAYS = {"role": "quasi-identifier", "hierarchy": {"dates": {"levels": ["year"]}}}
FIRST = date(2020, 12, 25)


class Schema:
    """A random schema: its policy, its rows, and what an intruder counts of each table.

    counted: by table the columns that an intruder knows in the release. numbered: by table the
    columns of its key that a release must number, and the rest of the key.
    """

    def __init__(self, seed, key):
        self.draw = random.Random(seed)  # noqa: S311 - examples of a test
        self.key = str(key)
        self.rows, self.form, self.keys = {}, {}, {}
        self.parent, self.counted, self.numbered, self.hidden = {}, {}, {}, set()
        self.shifts = self.draw.random() < 0.5
        self.rows["things"] = [{"thing": f"t{i}"} for i in range(3)]
        self.form["things"] = {"key": "thing"}
        self._persons()
        for i in range(self.draw.randint(1, 3)):
            self._table(f"table{i}")

    def _column(self, name, column, attribute, rows, values):
        for row in rows:
            row[column] = values(row)
        self.form[name].setdefault("attributes", {})[column] = attribute
        if attribute["role"] == "quasi-identifier":
            self.counted[name].append(column)

    def _persons(self):
        n = self.draw.randint(1, 8)
        single = self.draw.random() < 0.4
        self.keys["persons"] = ["id"] if single else ["site", "number"]
        rows = [{"id": i} if single else {"site": i % 2, "number": i // 2} for i in range(n)]
        self.rows["persons"], self.form["persons"] = rows, {"key": self.keys["persons"]}
        self.counted["persons"], self.numbered["persons"] = [], None
        if not single and self.draw.random() < 0.3:
            self.form["persons"]["attributes"] = {"site": {"role": "quasi-identifier"}}
            self.counted["persons"].append("site")
            self.numbered["persons"] = ["number"], ["site"]
        elif not single:
            self.numbered["persons"] = ["site", "number"], []
        self._column("persons", "sex", KNOWN, rows, lambda _: self.draw.choice(VALUES))

    def _table(self, name):
        owner = self.draw.choice([one for one in self.keys if self.keys[one]])
        own = [f"{owner}_{column}" for column in self.keys[owner]]
        pairs = list(zip(own, self.keys[owner], strict=True))
        rows = [
            {column: above[key] for column, key in pairs}
            for above in self.rows[owner]
            for _ in range(self.draw.choice([0, 1, 1, 2, 3]))
        ]
        self.rows[name], self.parent[name] = rows, (owner, own)
        self.counted[name], self.numbered[name] = [], None
        references = [{"columns": own, "table": owner}]
        self.form[name] = {"references": references, "merge": self.draw.random() < 0.3}
        kind = self.draw.choice(["none", "single", "parts", "known part", "insensitive part"])
        self.keys[name] = []
        if kind == "single":
            self.keys[name] = [f"{name}_id"]
            for i, row in enumerate(rows):
                row[f"{name}_id"] = f"{name}{i}"
        elif kind != "none":
            self.keys[name] = [*own, f"{name}_year"]
            years = defaultdict(lambda: self.draw.sample(range(2000, 2006), 6))
            for row in rows:
                row[f"{name}_year"] = years[tuple(row[one] for one in own)].pop()
            if kind == "parts":
                self.numbered[name] = [f"{name}_year"], own
            else:
                role = "quasi-identifier" if kind == "known part" else "insensitive"
                self.form[name]["attributes"] = {f"{name}_year": {"role": role}}
                self.counted[name] += [f"{name}_year"] * (kind == "known part")
        if self.keys[name]:
            self.form[name]["key"] = self.keys[name]
        self._columns(name, owner, rows, references)

    def _columns(self, name, owner, rows, references):
        draw = self.draw
        if draw.random() < 0.6:
            self._column(name, "ward", KNOWN, rows, lambda _: draw.choice([*VALUES, None]))
        if draw.random() < 0.3 and any("sex" in row for row in self.rows[owner]):
            of = {tuple(r[k] for k in self.keys[owner]): r["sex"] for r in self.rows[owner]}
            own = self.parent[name][1]
            self._column(name, "sex", KNOWN, rows, lambda r: of[tuple(r[one] for one in own)])
        if draw.random() < 0.5:
            action = {"type": "shift-date", "days": 9, "key": {"file": self.key}}
            day = {**DAYS, **({"action": action} if self.shifts else {})}
            self._column(name, "day", day, rows, lambda _: FIRST + timedelta(draw.randint(0, 20)))
        if draw.random() < 0.4:
            references.append({"columns": ["thing"], "table": "things"})
            role = draw.choice(["identifier", "quasi-identifier", "insensitive"])
            values = [one["thing"] for one in self.rows["things"]]
            self._column(name, "thing", {"role": role}, rows, lambda _: draw.choice(values))
        if not self.counted[name] and draw.random() < 0.5:
            self.hidden.add(name)

    def policy(self):
        """Return the policy; tables without anything known may have rows that nobody counts."""
        below = {self.parent[one][0] for one in self.parent}
        self.hidden = {one for one in self.hidden if one not in below}
        tables = {
            name: {**one, **({"rows": "unknown"} if name in self.hidden else {})}
            for name, one in self.form.items()
        }
        self.counting = self.draw.choice(["multiset", "multiset", "set"])
        self.k = self.draw.randint(1, 3)
        return LinkedPolicy.from_dict(
            {
                "person": "persons",
                "tables": tables,
                "models": [{"type": "k-anonymity", "k": self.k}],
                "counting": self.counting,
                "suppression_limit": self.draw.choice([0.0, 0.5, 0.9]),
            }
        )

    def tables(self):
        """Return the rows as polars tables, in an order of their own."""
        for rows in self.rows.values():
            self.draw.shuffle(rows)
        empty = {name: [*self.parent[name][1], *self.keys[name]] for name in self.parent}
        return {
            name: pl.DataFrame(rows)
            if rows
            else pl.DataFrame(
                schema={
                    **dict.fromkeys(empty[name], pl.String),
                    **dict.fromkeys(self.form[name].get("attributes", {}), pl.String),
                }
            )
            for name, rows in self.rows.items()
        }

    def fewest(self, frames):
        """Return how many persons the rarest tree of rows has, by plain Python."""
        rows = {name: frame.to_dicts() for name, frame in frames.items()}
        collect = bag if self.counting == "multiset" else frozenset
        below = defaultdict(lambda: defaultdict(list))
        for name in reversed(self.parent):
            if name in self.hidden:
                continue
            for row in rows[name]:
                owner = tuple(row[one] for one in self.parent[name][1])
                below[name][owner].append(self.tree(name, row, below, collect))
        persons = Counter(self.tree("persons", row, below, collect) for row in rows["persons"])
        assert not any(several for one in below.values() for several in one.values()), "dangling"
        return min(persons.values(), default=self.k)

    def tree(self, name, row, below, collect):
        """Return what is known of a row, with the rows below it, which are used up."""
        own = tuple(row[one] for one in self.counted[name])
        key = tuple(row.get(one) for one in self.keys[name])
        children = [one for one in self.parent if self.parent[one][0] == name]
        return own, tuple(
            collect(below[one].pop(key, [])) for one in children if one not in self.hidden
        )


def bag(rows):
    """Return rows with how often each occurs."""
    return frozenset(Counter(rows).items())


def check(seed, folder):
    """Release a random schema and count it again; return what became of it."""
    (folder / "key").write_bytes(b"0123456789abcdef")
    schema = Schema(seed, folder / "key")
    policy, tables = schema.policy(), schema.tables()
    try:
        release = ka.linked.anonymize(tables, policy)
    except InfeasibleError as error:
        told = str(error)
        return "infeasible" if "no levels satisfy" in told else told
    fewest = schema.fewest(release.frames)
    assert release.verification.k == fewest
    assert fewest >= schema.k
    assert ka.linked.verify(release.frames, policy).k == fewest
    for name, numbered in schema.numbered.items():
        if numbered is not None:
            parts, rest = numbered
            counts = Counter()
            rows = release.frames[name].sort(parts[0]).to_dicts()
            for row in rows:
                place = tuple(row[one] for one in rest)
                counts[place] += 1
                assert {row[one] for one in parts} == {counts[place]}
    return "suppressed" if release.suppressed else "whole"


@pytest.mark.parametrize("seed", range(examples(30)))
def test_random_schemas_protect_persons_with_all_their_rows(seed, tmp_path):
    """Chains, composite keys, many-to-many tables, copies, dates: k is that of the definition."""
    assert check(seed, tmp_path) in {"infeasible", "suppressed", "whole"}


if __name__ == "__main__":
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as directory:
        found = Counter(check(1_000 + i, Path(directory)) for i in range(int(sys.argv[1])))
    sys.stdout.write(f"{dict(found)}\n")
