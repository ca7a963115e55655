"""The slow corners: seconds of whole calls, each beside a floor in the same run.

The floor is the work that no such call can avoid, by a library alone: sorting, grouping or
predicting once. Adult needs ../shared/data/adult beside the checkout; the other tables have
columns that depend on each other, among them an income to the cent; the survey's hierarchies lie
in ../shared/data/ihis.

    python benches/corners.py [--quick]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import kanonym as ka
from kanonym.algorithms.full_domain import FullDomain, find_best_node
from kanonym.data.table import encode
from kanonym.minimization import Minimizer

DATA = Path(__file__).parents[2] / "shared" / "data" / "adult" / "adult.csv"
SENSITIVE = ["occupation", "salary-class"]
DOMAINS = [90, 2, 1000, 16, 7, 366, 51, 96]


def line(
    title: str, floor_of: str, floor: Callable[[], object], call: Callable[[], object]
) -> None:
    """Print wall and CPU seconds of a floor and of a call; the call has been warmed up before."""
    floor()
    started = time.perf_counter(), time.process_time()
    floor()
    least = time.perf_counter() - started[0], time.process_time() - started[1]
    started = time.perf_counter(), time.process_time()
    call()
    took = time.perf_counter() - started[0], time.process_time() - started[1]
    print(
        f"{title:<46}{took[0]:>8.2f} s{took[1]:>8.2f} s CPU   "
        f"{floor_of} {least[0]:.3f} s, {least[1]:.3f} s CPU",
        flush=True,
    )


def dependent(n: int) -> pl.DataFrame:
    """Return n records of eight columns that depend on each other, an income and a disease."""
    random = np.random.default_rng(0)
    hidden = random.standard_normal((n, 3))
    columns = {}
    for i, size in enumerate(DOMAINS):
        seen = 0.7 * (hidden[:, i % 3] + random.standard_normal(n))
        columns[f"c{i}"] = np.clip((seen + 2.5) / 5 * size, 0, size - 1).astype(np.int64)
    return pl.DataFrame(columns).with_columns(
        pl.format("education {}", "c3").alias("c3"),
        pl.format("region {}", "c6").alias("c6"),
        pl.Series("income", np.round(random.lognormal(10, 1, n), 2)),
        pl.format("disease {}", pl.Series("disease", random.integers(0, 20, n))).alias("disease"),
    )


def large(n: int) -> None:
    """Time a profile, and risks with SUDA."""
    table = dependent(n)
    known = [f"c{i}" for i in range(8)]
    ka.profile(table.head(1000))
    ka.risk(table.head(1000), quasi_identifiers=known)
    group = "group_by of all columns"
    line(
        f"profile, {n:,} x 10",
        group,
        lambda: table.group_by(table.columns).len(),
        lambda: ka.profile(table),
    )
    line(
        f"risk with SUDA, {n:,} x 8",
        group,
        lambda: table.group_by(known).len(),
        lambda: ka.risk(table, quasi_identifiers=known),
    )


def attacks(n: int) -> None:
    """Time singling out and membership on a table with a continuous column."""
    table = dependent(n).select("c0", "c1", "c3", "c4", "c6", "income", "disease")
    people, others = table.head(n * 4 // 5), table.tail(n // 5)
    known = table.columns[:-1]
    release = ka.anonymize(people, quasi_identifiers=known, sensitive=["disease"], k=5, seed=0)
    for name in ("singling-out", "membership"):
        line(
            f"{name}, {n:,} x 7, income to the cent",
            "group_by of the release",
            lambda: release.frame.group_by(table.columns).len(),
            lambda: ka.attack(people, release, control=others, attacks=[name]),  # noqa: B023
        )


def adult(*, quick: bool) -> None:
    """Time all attacks, the report, utility and learning on Adult."""
    table = ka.read_table(DATA)
    known = [name for name in table.columns if name not in SENSITIVE]
    release = ka.anonymize(table, quasi_identifiers=known, sensitive=SENSITIVE, k=5, seed=0)
    found = ka.attack(table, release)
    ka.utility(table, release)
    group = "group_by of both tables"

    def floor() -> None:
        for one in (table, release.frame):
            one.group_by(table.columns).len()

    line("Adult, all attacks", group, floor, lambda: ka.attack(table, release))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "report.html"
        line(
            "Adult, the report with them",
            group,
            floor,
            lambda: release.report(place, attacks=found),
        )
    line("Adult, utility", group, floor, lambda: ka.utility(table, release))
    if not quick:
        target = {"target": "salary-class", "measures": []}
        line("Adult, learning", group, floor, lambda: ka.utility(table, release, **target))


def lattices(*, quick: bool) -> None:
    """Time lattice searches by metrics that rank classes."""
    frame = pl.read_csv(DATA, separator=";", infer_schema=False)
    known: list[tuple[pl.Series, Any]] = [
        (frame[name], ka.hierarchy.from_file(DATA.parent / f"hierarchy_{name}.csv"))
        for name in frame.columns
    ]
    table = encode(known, [], len(frame))
    for metric in ("average-class-size", "discernibility", "kl-divergence", "ambiguity"):
        algorithm = FullDomain(metric=metric, steps=10 if quick else None)
        line(
            f"Adult, lattice by {metric}",
            "group_by",
            lambda: frame.group_by(frame.columns).len(),
            lambda: find_best_node(algorithm, algorithm.space(table, [ka.KAnonymity(5)], 1.0)),  # noqa: B023
        )


def survey() -> None:
    """Time a lattice search with l-diversity on a generated health survey."""
    folder = DATA.parents[1]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "ihis.csv"
        subprocess.run([sys.executable, folder / "ihis_like.py", path], check=True)  # noqa: S603
        frame = pl.read_csv(path, separator=";", infer_schema=False)
    known: list[tuple[pl.Series, Any]] = [
        (frame[name], ka.hierarchy.from_file(folder / "ihis" / f"hierarchy_{name}.csv"))
        for name in frame.columns
        if name != "EDUC"
    ]
    table = encode(known, [(frame["EDUC"], None, False)], len(frame))
    models = [ka.KAnonymity(5), ka.LDiversity("EDUC", 3)]
    algorithm = FullDomain()
    line(
        f"survey, {len(frame):,} x 9, lattice, l-diversity",
        "group_by",
        lambda: frame.group_by(frame.columns).len(),
        lambda: find_best_node(algorithm, algorithm.space(table, models, 0.0)),
    )


def features() -> None:
    """Time a minimizer that has to exempt some of thirty features."""
    data = load_breast_cancer(as_frame=True)
    model = RandomForestClassifier(random_state=0).fit(data.data, data.target)
    line(
        "Minimizer, forest, 30 features, target 0.95",
        "a prediction",
        lambda: model.predict(data.data),
        lambda: Minimizer(model, 0.95, random_state=0).fit(data.data),
    )


def commands() -> None:
    """Time commands on little data, which mostly load code; the first run of each is left out."""
    start = "import kanonym.cli; kanonym.cli.main()"
    with tempfile.TemporaryDirectory() as folder:
        few, many = (Path(folder) / name for name in ("few.json", "many.json"))
        for path, n in ((few, 20), (many, 10_000)):
            random = np.random.default_rng(n)
            columns = {name: random.standard_normal(n) for name in ("x", "y", "z")}
            pl.DataFrame(columns).write_ndjson(path)
        policy = Path(folder) / "policy.yaml"
        policy.write_text(
            "attributes: {x: {role: quasi-identifier}, y: {role: quasi-identifier}, "
            "z: {role: insensitive}}\n"
            "models: [{type: k-anonymity, k: 5}]\nrows: persons\nalgorithm: {type: mondrian}\n"
        )
        thousand = Path(folder) / "thousand.csv"
        pl.read_ndjson(many).head(1000).write_csv(thousand)
        named = ["-q", "x,y", "-s", "z"]
        released = Path(folder) / "released.csv"
        again = ["-o", many, "-m", many, "-q", "x,y", "-s", "z"]
        for title, arguments in {
            "kanonym --help": ["--help"],
            "kanonym sigo, 20 records": ["sigo", "-k", "5", "-q", "x,y", "-a", "general"],
            "kanonym sigo reidentification, 10,000 x 10,000": ["sigo", "reidentification", *again],
            "kanonym check": ["check", policy],
            "kanonym measure, 1,000": ["measure", thousand, *named],
            "kanonym profile, 1,000": ["profile", thousand],
            "kanonym anonymize, 1,000": ["anonymize", thousand, "-p", policy, "-o", released],
            "kanonym verify, 1,000": ["verify", released, "--policy", policy, "--accept-findings"],
            "kanonym demo": ["demo", "--directory"],
        }.items():
            spent = []
            for run in range(4):
                place = [Path(folder) / str(run)] if "demo" in title else []
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run(  # noqa: S603 - our own command
                    [sys.executable, "-c", start, *arguments, *place],
                    check=True,
                    input=few.read_bytes(),
                    capture_output=True,
                )
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            print(
                f"{title:<46}{'':>10}{min(spent[1:]):>8.2f} s CPU, the least of three", flush=True
            )


def main() -> None:
    """Time every corner."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the records")
    quick = parser.parse_args().quick
    if DATA.exists():
        adult(quick=quick)
        lattices(quick=quick)
        if not quick:
            survey()
    else:
        print(f"skipped: no {DATA.name} beside the checkout")
    large(100_000 if quick else 1_000_000)
    attacks(30_000 if quick else 300_000)
    features()
    commands()


if __name__ == "__main__":
    main()
