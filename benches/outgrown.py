"""What it costs to divide a table in fragments, on an engine, instead of as a whole, here.

Prints for each algorithm and size of a fragment the loss (GCP) against that of the whole table,
and seconds. Strict Mondrian has the very classes of the whole: its ratio is 1. Of others the
classes do not reach over the borders of fragments; these borders are those of Mondrian's cuts.

    python benches/outgrown.py [ROWS]
"""

from __future__ import annotations

import sys
import time

import numpy as np
import polars as pl

import kanonym as ka
from kanonym.data.schema import Role
from kanonym.engines.sql.frequencies import types_of
from kanonym.engines.sql.large import partition_on_engine
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task

K = 5
NUMBERS = ["age", "income", "hours"]

RUNS = [
    (ka.Mondrian(), True, 1 << 14),
    (ka.Segmentation(order="serpentine"), True, 1 << 14),
    (ka.Segmentation(order="hilbert"), True, 1 << 14),
    (ka.Segmentation(order="kd"), True, 1 << 14),
    (ka.Segmentation(), True, 1 << 14),
    (ka.Segmentation(), True, 1 << 12),
    (ka.MDAV(), False, 1 << 14),
    (ka.MDAV(), False, 1 << 12),
]
"""Algorithm, whether it sees all columns or numbers alone, tuples of a fragment."""


def table(n: int) -> pl.DataFrame:
    """Return n seeded records."""
    random = np.random.default_rng(3)
    age = random.integers(18, 90, n)
    return pl.DataFrame(
        {
            "age": age,
            "income": np.exp(random.normal(10, 0.8, n) + age / 200).round(-1),
            "hours": np.clip(random.normal(38, 12, n).round(), 0, 99),
            "zip": random.integers(0, 3000, n),
            "sex": random.choice(["f", "m"], n),
            "education": random.choice([f"degree {i}" for i in range(12)], n),
        }
    )


def main() -> None:
    """Measure, and print a table."""
    records = table(int(sys.argv[1]) if len(sys.argv) > 1 else 60_000)
    print(f"{'algorithm':28} {'columns':>7} {'fragment':>8} {'parts':>5} {'GCP whole':>10} "
          f"{'fragments':>10} {'ratio':>7} {'s whole':>8} {'s fragments':>11}")  # fmt: skip
    for algorithm, everything, fragment in RUNS:
        own = records if everything else records.select(NUMBERS)
        policy = ka.Policy(
            attributes={name: ka.QuasiIdentifier() for name in own.columns},
            models=[ka.KAnonymity(K)],
            algorithm=algorithm,
            recoding="interval",
        )
        start = time.perf_counter()
        whole = ka.anonymize(own, policy).utility.gcp
        first = time.perf_counter() - start
        source = ka.engines.scan_duckdb(own)
        dtypes = types_of(source)
        schema = policy.schema_for(list(dtypes))
        task = Task.of(policy, schema)
        start = time.perf_counter()
        names = schema.names(Role.QUASI_IDENTIFIER)
        found = partition_on_engine(source, task, names, dtypes, Stopwatch(), fragment)
        second = time.perf_counter() - start
        loss = found.classes.utility.gcp
        name = f"{algorithm.type} {getattr(algorithm, 'order', '')}"
        parts = found.account["outgrown"]["fragments"]
        print(f"{name:28} {own.width:7} {fragment:8} {parts:5} {whole:10.6f} {loss:10.6f} "
              f"{loss / whole:7.4f} {first:8.2f} {second:11.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
