"""A batch each night, recoded inside of the database, beside a plain copy of the same rows.

A recoding is fitted to 100,000 records once. Each batch is then one `INSERT … SELECT` of the
statement that `kanonym apply --sql` prints, and the union of all batches is judged by the one that
`kanonym verify --sql` prints. The floor is the `INSERT … SELECT` of the same columns as they are.
Seconds are those of the clock; of DuckDB the database is in this process, so that its memory is
what DuckDB was allowed.

Fitting has a process of its own; the memory is the highest of the process that runs the batches.

    python benches/warehouse_batches.py [--batches 10] [--rows 1000000] [--postgres URL]
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb

import kanonym as ka
from kanonym.engines.sql.model_query import violations_query
from kanonym.series import Fitted

POLICY = ka.Policy(
    attributes={
        "age": ka.QuasiIdentifier(ka.hierarchy.intervals(width=[5, 10, 20])),
        "postcode": ka.QuasiIdentifier(ka.hierarchy.intervals(width=[10, 100])),
        "sex": ka.QuasiIdentifier(),
        "illness": ka.Sensitive(),
    },
    models=[ka.KAnonymity(10), ka.LDiversity("illness", l=2)],
    rows="persons",
    algorithm=ka.FullDomain(),
    minimality="none",
)
DRAWN = (
    "SELECT CAST(18 + floor(random() * 70) AS INTEGER) AS age, "
    "CAST(1000 + floor(random() * 1000) AS INTEGER) AS postcode, "
    "CASE WHEN random() < 0.5 THEN 'f' ELSE 'm' END AS sex, "
    "'i' || CAST(CAST(floor(random() * 12) AS INTEGER) AS VARCHAR) AS illness FROM "
)
ROWS = {"duckdb": "range({n})", "postgres": "generate_series(1, {n}) AS rows"}


@contextlib.contextmanager
def connected(dialect: str, url: str | None) -> Iterator[Callable[[str], list[Any]]]:
    """Yield what runs a statement, and returns its rows."""
    if dialect == "duckdb":
        with tempfile.TemporaryDirectory() as folder:
            connection = duckdb.connect(str(Path(folder) / "warehouse.duckdb"))
            connection.execute("SET memory_limit = '150MB'")
            yield lambda text: connection.execute(text).fetchall()
            connection.close()
        return
    from adbc_driver_postgresql import dbapi  # noqa: PLC0415 - an extra

    with dbapi.connect(url, autocommit=True) as server, server.cursor() as cursor:

        def run(text: str) -> list[Any]:
            cursor.execute(text)
            return cursor.fetchall() if cursor.description else []

        yield run


def seconds_of(run: Callable[[str], object], text: str) -> float:
    """Return how long a statement takes."""
    begun = time.perf_counter()
    run(text)
    return time.perf_counter() - begun


def nightly(dialect: str, url: str | None, batches: int, n: int, fitted: str) -> None:
    """Print what each batch takes."""
    recoding = Fitted.load(fitted).to_sql("batch", dialect)
    judging = violations_query("released", POLICY, dialect)
    with connected(dialect, url) as run:
        for table in ("batch", "released", "copied"):
            run(f"DROP TABLE IF EXISTS {table}")
        plain, recoded, judged, violating = [], [], [], 0
        for number in range(batches):
            run("DROP TABLE IF EXISTS batch")
            run(f"CREATE TABLE batch AS {DRAWN}{ROWS[dialect].format(n=n)}")
            if not number:
                run(f"CREATE TABLE released AS {recoding} LIMIT 0")
                run("CREATE TABLE copied AS SELECT * FROM batch LIMIT 0")
            plain.append(seconds_of(run, "INSERT INTO copied SELECT * FROM batch"))
            recoded.append(seconds_of(run, f"INSERT INTO released {recoding}"))
            begun = time.perf_counter()
            violating = len(run(judging))
            judged.append(time.perf_counter() - begun)
        total = run("SELECT COUNT(*) FROM released")[0][0]
        for table in ("batch", "released", "copied"):
            run(f"DROP TABLE {table}")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    floor, work = statistics.median(plain), statistics.median(recoded)
    print(
        f"{dialect:9} {batches} × {n:,}: copy {floor:.2f} s, recode {work:.2f} s "
        f"({work / floor:.1f} times), judge all {total:,}: {judged[-1]:.2f} s, "
        f"{violating} violating classes, {memory} MB"
    )


def fit(place: str) -> None:
    """Fit the recoding to drawn records."""
    sample = duckdb.sql(DRAWN + ROWS["duckdb"].format(n=100_000)).pl()
    ka.fit(sample, POLICY).save(place)


def main() -> None:
    """Run DuckDB, and PostgreSQL where a server is named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--batches", type=int, default=10)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--postgres", metavar="URL")
    asked = parser.parse_args()
    alone = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        fitted = str(Path(folder) / "fitted.json")
        dialects = ["duckdb", *(["postgres"] if asked.postgres else [])]
        works = [(fit, (fitted,))]
        works += [
            (nightly, (one, asked.postgres, asked.batches, asked.rows, fitted)) for one in dialects
        ]
        for work, arguments in works:
            process = alone.Process(target=work, args=arguments)
            process.start()
            process.join()


if __name__ == "__main__":
    main()
