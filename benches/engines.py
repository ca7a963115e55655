"""The same policy on Spark local[2], DuckDB and the local engine, beside what each one must do.

The floor is the engine's own `GROUP BY` of all six columns with its counts, written to Parquet:
whoever counts the records of each tuple pays that much. Each line is a process of its own, so
that its peak memory is its own; on Spark the session is started before the clock. Every process
runs its work twice: the first time is what a user waits for, the second shows what is left of
it where the engine is warm. CPU seconds are those of the process and of all that it started
(the Java runtime, its compiler and its garbage collector among them): on a machine that has
other work as well their ratios say more than those of the seconds.

Needs Linux: memory and CPU seconds are read from /proc. Memory of several processes is the sum
of the highest that each had.

    python benches/engines.py [--rows 10000000 50000000] [--shapes few many] [--repeats 3]
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from inputs import census_like

Work: TypeAlias = Callable[[Path], dict[str, Any]]
"""Writes to a place; returns what there is to tell of it."""

ENGINES = ("local", "duckdb", "spark")
WORKS = ("floor", "mondrian", "full-domain")
CORES = 2
K = 10
WARM_UP = 10_000
"""Rows of a first run that is not counted: it compiles the kernels, once per installation."""


@dataclass(frozen=True)
class Case:
    """One process: an engine, what it does, and the table that it does it to."""

    engine: str
    work: str
    shape: str
    rows: int
    table: str
    memory: str
    heap: str

    @property
    def floor(self) -> Case:
        """The floor of this case."""
        return dataclasses.replace(self, work="floor")


@dataclass(frozen=True)
class Run:
    """What one process took: seconds and CPU seconds of the first and the second time."""

    seconds: tuple[float, float]
    cpu: tuple[float, float]
    peak: int
    started: float
    told: dict[str, Any]


# --- in the process of a case ---------------------------------------------------------------


def processes() -> list[int]:
    """Return this process and all that descend from it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                text = (entry / "stat").read_text()
            except OSError:  # it has ended meanwhile
                continue
            parents[int(entry.name)] = int(text.rpartition(")")[2].split()[1])
    found = [os.getpid()]
    for one in found:  # it grows while it is read
        found += [child for child, parent in parents.items() if parent == one]
    return found


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and all that it started."""
    ticks = 0
    for one in processes():
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def peak_bytes() -> int:
    """Return the sum of the highest memory of this process and of those that it started."""
    total = 0
    for one in processes():
        for line in Path(f"/proc/{one}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                total += int(line.split()[1]) * 1024
    return total


def policy(work: str) -> dict[str, Any]:
    """Return what is asked of a release: k-anonymity of all columns."""
    import kanonym as ka  # noqa: PLC0415 - the floor does without it

    asked: dict[str, Any] = {"quasi_identifiers": list(census_like.COLUMNS), "k": K}
    if work == "mondrian":
        return {**asked, "algorithm": ka.Mondrian()}
    trees = {
        "age": ka.hierarchy.intervals(width=[5, 10, 20, 40]),
        "sex": ka.hierarchy.flat(),
        "region": ka.hierarchy.groups(fan_outs=[3, 3]),
        "education": ka.hierarchy.groups(fan_outs=[4, 2], order=census_like.EDUCATION),
        "marital": ka.hierarchy.groups(fan_outs=[3], order=census_like.MARITAL),
        "occupation": ka.hierarchy.intervals(width=[80, 320]),
    }
    return {**asked, "hierarchies": trees, "algorithm": ka.FullDomain(), "suppression_limit": 0.02}


def released(source: Callable[[], Any], work: str) -> Work:
    """Return what releases a table; `source` opens it anew each time."""
    asked = policy(work)
    import kanonym as ka  # noqa: PLC0415 - the floor does without it

    def release(place: Path) -> dict[str, Any]:
        found = ka.anonymize(source(), output=place, **asked)
        return {
            "classes": found.verification.n_classes,
            "rows": found.verification.rows,
            "stages": {stage: round(took, 2) for stage, took in found.seconds.items()},
        }

    return release


def on_local(case: Case) -> Work:
    """Return the work of a case on polars and the local engine."""
    import polars as pl  # noqa: PLC0415 - each process imports what it measures

    def floor(place: Path) -> dict[str, Any]:
        frame = pl.read_parquet(case.table)
        frame.group_by(census_like.COLUMNS).len().write_parquet(place)
        return {}

    return (
        floor if case.work == "floor" else released(lambda: pl.read_parquet(case.table), case.work)
    )


def on_duckdb(case: Case) -> Work:
    """Return the work of a case on DuckDB, which has so much memory and spills the rest."""
    import duckdb  # noqa: PLC0415 - each process imports what it measures

    columns = ", ".join(census_like.COLUMNS)

    def floor(place: Path) -> dict[str, Any]:
        with duckdb.connect() as connection:
            connection.execute(f"SET memory_limit = '{case.memory}'")
            connection.execute(f"SET threads = {CORES}")
            connection.execute(f"SET temp_directory = '{place.parent / 'spilled'}'")
            connection.read_parquet(case.table).aggregate(
                f"{columns}, count(*) AS n", columns
            ).write_parquet(str(place))
        return {}

    if case.work == "floor":
        return floor
    import kanonym as ka  # noqa: PLC0415 - the floor does without it

    return released(
        lambda: ka.engines.scan_duckdb(case.table, memory=case.memory, threads=CORES), case.work
    )


def on_spark(case: Case) -> Work:
    """Return the work of a case on a local Spark of two cores, which is started here."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession  # noqa: PLC0415 - each imports what it measures

    builder = SparkSession.builder.master(f"local[{CORES}]")
    settings = {
        "spark.driver.memory": case.heap,
        "spark.driver.maxResultSize": "0",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.local.dir": tempfile.mkdtemp(),
        "spark.sql.caseSensitive": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.range(1).count()  # the session is there when it has done something

    def floor(place: Path) -> dict[str, Any]:
        frame = session.read.parquet(case.table)
        frame.groupBy(*census_like.COLUMNS).count().write.parquet(str(place))
        return {}

    if case.work == "floor":
        return floor
    import kanonym as ka  # noqa: PLC0415 - the floor does without it

    return released(lambda: ka.engines.scan_spark(case.table, session=session), case.work)


def run_here(case: Case) -> Run:
    """Run a case twice in this process."""
    start = time.perf_counter()
    work = {"local": on_local, "duckdb": on_duckdb, "spark": on_spark}[case.engine](case)
    started = time.perf_counter() - start
    seconds, cpu, told = [], [], {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("first.parquet", "second.parquet"):
            before, start = cpu_seconds(), time.perf_counter()
            told = work(Path(folder) / name)
            seconds.append(time.perf_counter() - start)
            cpu.append(cpu_seconds() - before)
    return Run((seconds[0], seconds[1]), (cpu[0], cpu[1]), peak_bytes(), started, told)


# --- in the process that asks ---------------------------------------------------------------


def run(case: Case) -> Run:
    """Run a case in a process of its own.

    Raises
    ------
    RuntimeError
        It failed; the message is what it said last.

    """
    with tempfile.TemporaryDirectory() as folder:  # it takes what the process leaves behind
        asked = json.dumps(dataclasses.asdict(case))
        done = subprocess.run(  # noqa: S603 - this very file
            [sys.executable, __file__, "--case", asked],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "TMPDIR": folder, "POLARS_MAX_THREADS": str(CORES)},
        )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        raise RuntimeError("".join(last) or f"ended with {done.returncode}")
    return Run(**json.loads(done.stdout.strip().splitlines()[-1]))


def middle(runs: list[Run]) -> Run:
    """Return the medians of several runs of one case, its highest memory, and the last's words."""

    def of(values: Iterator[tuple[float, float]]) -> tuple[float, float]:
        first, second = (statistics.median(times) for times in zip(*values, strict=True))
        return first, second

    return Run(
        of(tuple(one.seconds) for one in runs),
        of(tuple(one.cpu) for one in runs),
        max(one.peak for one in runs),
        statistics.median(one.started for one in runs),
        runs[-1].told,
    )


def line(case: Case, found: Run, floor: Run | None) -> str:
    """Return a line of the table of results."""

    def pair(own: tuple[float, float], least: tuple[float, float] | None) -> str:
        if least is None:
            return "".join(f"{time:>9.1f}{'':>7}" for time in own)
        return "".join(
            f"{time:>9.1f}{time / other:>6.1f}×" for time, other in zip(own, least, strict=True)
        )

    given = None if floor is None or case.work == "floor" else floor
    return (
        f"{case.rows:>11,} {case.shape:<5}{case.engine:<7}{case.work:<12}"
        f"{pair(found.seconds, given and given.seconds)}{pair(found.cpu, given and given.cpu)}"
        f"{found.peak / 1e6:>8,.0f}{found.told.get('classes', 0) or '':>10}"
    )


def slopes(results: dict[Case, Run]) -> Iterator[str]:
    """Return how the seconds grow with the rows: the exponent of a power fitted to them."""

    def key(case: Case) -> tuple[str, str, str]:
        return case.shape, case.engine, case.work

    for group, several in itertools.groupby(sorted(results, key=key), key=key):
        cases = list(several)
        if len(cases) > 1:
            rows = np.log([case.rows for case in cases])
            seconds = np.log([results[case].seconds[0] for case in cases])
            slope = np.polyfit(rows, seconds, 1)[0]
            yield f"{' '.join(group):<28} seconds ~ rows^{slope:.2f}"


def draw(results: dict[Case, Run], place: str) -> None:
    """Write a chart of seconds by rows."""
    import altair as alt  # noqa: PLC0415 - only where a chart is asked for
    import polars as pl  # noqa: PLC0415

    table = pl.DataFrame(
        [
            {
                "rows": case.rows,
                "seconds": found.seconds[0],
                "engine": case.engine,
                "work": case.work,
                "shape": case.shape,
            }
            for case, found in results.items()
        ]
    )
    of_rows = alt.Axis(format="~s", values=sorted({case.rows for case in results}), grid=False)
    chart = alt.Chart().encode(
        alt.X("rows:Q", scale=alt.Scale(type="log"), axis=of_rows),
        alt.Y("seconds:Q", scale=alt.Scale(type="log")),
        alt.Color("engine:N", sort=ENGINES),
    )
    works = alt.StrokeDash("work:N", sort=WORKS, legend=alt.Legend(symbolType="stroke"))
    both = alt.layer(chart.mark_line().encode(works), chart.mark_circle(size=30), data=table)
    both = both.properties(width=280, height=280)
    both.facet(column=alt.Column("shape:N", title="distinct tuples")).save(place)


def arguments() -> argparse.Namespace:
    """Return what the command line asks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000_000])
    parser.add_argument("--shapes", nargs="+", default=["few", "many"], choices=census_like.SHAPES)
    parser.add_argument("--engines", nargs="+", default=ENGINES, choices=ENGINES)
    parser.add_argument("--works", nargs="+", default=WORKS[1:], choices=WORKS[1:])
    parser.add_argument("--repeats", type=int, default=1, help="processes per line; their median")
    parser.add_argument("--memory", default="500MB", help="DuckDB's limit")
    parser.add_argument("--heap", default="3g", help="Spark's memory")
    parser.add_argument("--folder", type=Path, help="where tables are kept from run to run")
    parser.add_argument("--chart", help="write a chart of seconds by rows: .svg, .png or .html")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    return parser.parse_args()


def table_of(folder: Path, rows: int, shape: str) -> str:
    """Return the path of a table, which is written unless it is there."""
    place = folder / f"census_{shape}_{rows}.parquet"
    if not place.exists():
        unfinished = place.with_suffix(".unfinished")
        census_like.write(rows, unfinished, shape)
        unfinished.rename(place)
    return str(place)


def measure(asked: argparse.Namespace, folder: Path) -> dict[Case, Run]:
    """Run all cases, print a line for each, and return what they took."""
    results: dict[Case, Run] = {}
    for engine, work in itertools.product(asked.engines, asked.works):
        small = table_of(folder, WARM_UP, "few")
        run(Case(engine, work, "few", WARM_UP, small, asked.memory, asked.heap))
    print(
        f"{'rows':>11} {'':<24}{'s first':>9}{'':>7}{'second':>9}{'':>7}"
        f"{'CPU first':>9}{'':>7}{'second':>9}{'':>7}{'peak MB':>8}{'classes':>10}"
    )
    for rows, shape, engine in itertools.product(asked.rows, asked.shapes, asked.engines):
        table = table_of(folder, rows, shape)
        floor = Case(engine, "floor", shape, rows, table, asked.memory, asked.heap)
        cases = [floor, *(dataclasses.replace(floor, work=work) for work in asked.works)]
        runs: dict[Case, list[Run]] = {case: [] for case in cases}
        # In turn: what else the machine does falls on all of them.
        for _, case in itertools.product(range(asked.repeats), cases):
            runs[case].append(run(case))
        for case in cases:
            results[case] = middle(runs[case])
            print(line(case, results[case], results[floor]), flush=True)
            if stages := results[case].told.get("stages"):
                print(f"{'':>12}{stages}", flush=True)
    return results


def main() -> None:
    """Print seconds, CPU seconds, their ratios to the floor, memory, and whether classes agree."""
    asked = arguments()
    if asked.case:
        found = run_here(Case(**json.loads(asked.case)))
        print(json.dumps(dataclasses.asdict(found)))
        return
    folder = asked.folder or Path(tempfile.mkdtemp())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        results = measure(asked, folder)
    finally:
        if asked.folder is None:
            shutil.rmtree(folder, ignore_errors=True)
    print(*slopes(results), sep="\n")
    if asked.chart:
        draw(results, asked.chart)
    seen: dict[tuple[int, str, str], set[int]] = {}
    for case, found in results.items():
        if case.work != "floor":
            place = seen.setdefault((case.rows, case.shape, case.work), set())
            place.add(found.told["classes"])
    agree = all(len(classes) == 1 for classes in seen.values())
    print(f"the same number of classes on all engines: {'yes' if agree else 'NO'}")


if __name__ == "__main__":
    main()
