"""Sets of items: loss and seconds beside a prototype; merged classes; and a million persons.

The table is that of ../shared/data/conditions_like.py; the prototype's figures lie in
../shared/golden/set_valued_peers.csv, in CPU seconds of its own run. A million persons with five
million items are generated here, and go through `anonymize`, verification included.

    python benches/itemsets.py
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import kanonym as ka
from kanonym.algorithms.itemsets.apriori import Apriori
from kanonym.algorithms.itemsets.base import ItemProblem
from kanonym.data.item_sets import EncodedSets, encode_sets, read_sets, tree_of
from kanonym.engines import decided_sets
from kanonym.models import KKmAnonymity, KmAnonymity
from kanonym.models.itemsets import rare_items

SHARED = Path(__file__).parents[2] / "shared"
DROPPING = "own greedy prototype, items may be dropped"


def patients(number: int) -> tuple[pl.DataFrame, ka.hierarchy.HierarchySource]:
    """Return generated patients with their conditions, and the hierarchy of these."""
    with tempfile.TemporaryDirectory() as folder:
        made = [sys.executable, str(SHARED / "data" / "conditions_like.py"), str(number), folder]
        subprocess.run(made, check=True, capture_output=True)  # noqa: S603 - our own generator
        texts = {"condition": pl.String}
        table = pl.read_csv(Path(folder) / "conditions.csv", schema_overrides=texts)
        lines = (Path(folder) / "hierarchy_condition.csv").read_text().splitlines()
        mapping = {one.split(";")[0]: one.split(";")[1:] for one in lines}
    grouped = table.group_by("patient", maintain_order=True).agg("condition")
    return grouped, ka.hierarchy.from_mapping(mapping)


def conditions() -> EncodedSets:
    """Return the generated conditions of 26,854 patients."""
    grouped, hierarchy = patients(26_854)
    attributes = {"condition": ka.ItemSet(hierarchy)}
    lists = {"condition": read_sets(grouped["condition"], attributes["condition"])}
    return encode_sets(tree_of(attributes, lists), lists, grouped.height)


def compare(sets: EncodedSets) -> None:
    """Print loss and CPU seconds of both, by k and m."""
    peers = {
        (int(one["k"]), int(one["m"]), one["method"]): one
        for one in csv.DictReader((SHARED / "golden" / "set_valued_peers.csv").open())
        if one["data"].startswith("conditions_like")
    }
    Apriori().recode(ItemProblem(sets.tree, sets.offsets, sets.nodes, 5, 2))  # compiles
    head = ("k", "m", "drop", "loss", "theirs", "bound", "seconds", "theirs", "ratio")
    print(("{:>3}{:>3}{:>7}" + "{:>9}" * 6).format(*head))
    for (k, m, method), peer in peers.items():
        drop = method == DROPPING
        problem = ItemProblem(sets.tree, sets.offsets, sets.nodes, k, m)
        start = time.process_time()
        found = Apriori(drop).recode(problem)
        spent = time.process_time() - start
        if rare_items(sets.tree, found.offsets, found.labels, k, m).number:
            raise SystemExit("the release has rare itemsets")
        account = found.account
        figures = f"{account['loss']:9.5f}{float(peer['ncp']):9.5f}{account['loss_at_least']:9.5f}"
        theirs = float(peer["cpu_seconds"])
        print(f"{k:>3}{m:>3}{drop!s:>7}{figures}{spent:9.2f}{theirs:9.2f}{theirs / spent:9.1f}")


def merged(number: int = 3_000) -> None:
    """Print what classes lose as the algorithm forms them, and merged for their items."""
    grouped, hierarchy = patients(number)
    rng = np.random.default_rng(5)
    n = grouped.height
    frame = grouped.drop("patient").with_columns(
        age=pl.Series(rng.integers(18, 95, n)),
        sex=pl.Series(rng.choice(["f", "m"], n)),
        region=pl.Series([f"r{i:02d}" for i in rng.integers(0, 20, n)]),
    )
    known = {name: ka.QuasiIdentifier() for name in ("age", "sex", "region")}
    print(f"\n(k, k^m), {n:,} patients, m = 2: classes, loss of quasi-identifiers and of items")
    merging = decided_sets.merged_classes
    for k in (10, 50, 200):
        policy = ka.Policy(
            attributes={**known, "condition": ka.ItemSet(hierarchy)},
            models=[KKmAnonymity(k, 2)],
            seed=1,
        )
        line = f"{k:>4}"
        for one in (lambda *given: np.arange(len(given[3].sizes), dtype=np.int32), merging):
            decided_sets.merged_classes = one
            start = time.process_time()
            release = ka.anonymize(frame, policy)
            spent = time.process_time() - start
            items = release.algorithm["items"]["loss"]
            classes = release.verification.n_classes
            line += f"{classes:6}{release.utility.gcp:8.3f}{items:8.3f}{spent:7.1f} s"
        print(line)


def million(persons: int = 1_000_000) -> None:
    """Print the seconds of a million persons with five million items, m = 2."""
    rng = np.random.default_rng(0)
    popularity = 1 / (np.arange(600) + 3) ** 1.25
    sizes = np.minimum(rng.geometric(1 / 6, persons), 36)
    items = rng.choice(600, sizes.sum(), p=popularity / popularity.sum())
    names = pl.Series([f"{i:03d}" for i in range(600)])
    rows = pl.DataFrame({"person": np.repeat(np.arange(persons), sizes), "item": names[items]})
    frame = rows.unique().group_by("person").agg(pl.col("item").alias("items")).drop("person")
    # Groups of neighbours in popularity: common items have common relatives.
    mapping = {f"{i:03d}": [f"block {i // 7}", f"chapter {i // 35}", "*"] for i in range(600)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        path.write_text("\n".join(";".join((one, *above)) for one, above in mapping.items()))
        attributes = {"items": ka.ItemSet(ka.hierarchy.from_file(path))}
        policy = ka.Policy(attributes=attributes, models=[KmAnonymity(10, 2)], seed=1)
        release = ka.anonymize(frame, policy)
    total = int(frame["items"].list.len().sum())
    print(f"\n{frame.height:,} persons, {total:,} items, k = 10, m = 2")
    print({name: round(one, 2) for name, one in release.seconds.items()})
    print(release.algorithm["items"])


if __name__ == "__main__":
    if SHARED.exists():
        compare(conditions())
        merged()
    else:
        print("comparison skipped: no ../shared beside the checkout")
    million()
