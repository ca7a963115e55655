"""Speed of record linkage, against scipy's k-d tree alone.

The large table holds 1,000,000 persons with three numbers, released as 198,476 classes of
five: intervals, and means. The floor is scipy's tree of the classes' middles, built and
asked for everybody's nearest middle on all cores: it knows no intervals, counts no ties and
does not say whose record was found. Adult needs ../shared/data/adult beside the checkout.

    python benches/attacks.py [--quick]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

import kanonym as ka
from kanonym.evaluation.attacks.base import AttackContext
from kanonym.evaluation.attacks.linking.linkage import Linkability, Linkage
from kanonym.evaluation.attacks.linking.similarity import SimilarRecords
from kanonym.evaluation.attacks.setup import build_context
from kanonym.evaluation.pair.tables import NumericColumn, TablePair

DATA = Path(__file__).parents[2] / "shared" / "data" / "adult" / "adult.csv"
LIMIT = 5.0
"""Seconds that everybody's nearest record may take in the large table."""

EVERYBODY = Linkage(attempts=None)


def seconds(function: Callable[[], object], runs: int) -> float:
    """Return the median time of several runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def sliced(points: NDArray[np.float64], parts: tuple[int, ...]) -> NDArray[np.int32]:
    """Return the class of each point: slices of equal size, each cut along the next number."""
    classes = np.zeros(len(points), np.int32)
    for column, number in enumerate(parts):
        order = np.lexsort((points[:, column], classes))
        starts = np.searchsorted(classes[order], classes[order])
        sizes = np.bincount(classes)[classes[order]]
        within = (np.arange(len(points)) - starts) * number // sizes
        classes[order] = classes[order] * number + within
    return np.unique(classes, return_inverse=True)[1].astype(np.int32)


def scenes_of(
    points: NDArray[np.float64], classes: NDArray[np.int32], *, known: bool
) -> list[AttackContext]:
    """Return the scenes of a release with intervals and of one with means."""
    n = len(points)
    order = np.argsort(classes, kind="stable")
    starts = np.searchsorted(classes[order], np.arange(classes.max() + 1))
    sizes = np.diff(np.append(starts, n))
    columns: tuple[list[NumericColumn], list[NumericColumn]] = ([], [])
    for column, values in enumerate(points.T):
        low, high, mean = (
            done[classes]
            for done in (
                np.minimum.reduceat(values[order], starts),
                np.maximum.reduceat(values[order], starts),
                np.add.reduceat(values[order], starts) / sizes,
            )
        )
        for one, ends in zip(columns, ((low, high), (mean, mean)), strict=True):
            one.append(NumericColumn(f"x{column}", values, *ends, np.zeros(n, np.bool_)))
    rows = np.arange(n) if known else None
    names = tuple(f"x{column}" for column in range(points.shape[1]))
    return [
        AttackContext(TablePair(tuple(one), names, n, n, rows, (), classes), None, ())
        for one in columns
    ]


def large(n: int, parts: tuple[int, ...], runs: int) -> None:
    """Time everybody's nearest record among classes of five."""
    random = np.random.default_rng(0)
    points = random.random((n, len(parts)))
    classes = sliced(points, parts)
    first = np.unique(classes, return_index=True)[1]
    title = f"{n:,} x {len(parts)}, {len(first):,} classes"
    for known in (True, False):
        scenes = scenes_of(points, classes, known=known)
        for kind, scene in zip(("intervals", "means"), scenes, strict=True):
            if kind == "means" and not known:
                continue  # whose record is whose cannot be told then
            middles = np.column_stack([one.released[first] for one in scene.pair.columns])

            def floor(middles: NDArray[np.float64] = middles) -> object:
                return cKDTree(middles).query(points, workers=-1)

            def attack(scene: AttackContext = scene) -> object:
                return EVERYBODY.run(scene, np.random.default_rng(0))

            rate = EVERYBODY.run(scene, np.random.default_rng(0)).targets.rate
            line(
                f"{title}, {kind}{'' if known else ', shuffled'}",
                seconds(floor, runs),
                seconds(attack, runs),
                f"rate {rate:.4f} (limit {LIMIT:g} s at 1,000,000)",
            )


def adult() -> None:
    """Time each attack on Adult, released by Mondrian at k = 5, with 2,000 attempts."""
    table = ka.read_table(DATA)
    known = [name for name in table.columns if name != "salary-class"]
    hidden = ["salary-class"]
    half = len(table) * 4 // 5
    table, control = table[:half], table[half:]
    release = ka.anonymize(
        table, quasi_identifiers=known, sensitive=hidden, k=5, keep_order=True
    ).frame
    frames = [
        {column.name: column for column in one.get_columns()} for one in (table, release, control)
    ]
    scene = build_context(frames[0], frames[1], known, hidden, control=frames[2])
    for attack in (Linkage(), EVERYBODY, Linkability(), SimilarRecords()):
        found = attack.run(scene, np.random.default_rng(0))
        took = seconds(lambda: attack.run(scene, np.random.default_rng(0)), 3)  # noqa: B023
        note = f"rate {found.targets.rate:.4f}, {found.targets.attempts:,} attempts"
        line(f"Adult, k = 5, {attack.type}", None, took, note)


def line(title: str, floor: float | None, took: float, note: str = "") -> None:
    """Print seconds, and the ratio to the floor where there is one."""
    beside = " " * 20 if floor is None else f"{floor:>9.3f} s{took / floor:>7.1f}x "
    print(f"{title:<52}{took:>9.3f} s {beside} {note}", flush=True)


def main() -> None:
    """Compile on a small table, then time every case; ratios are taken within one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="100,000 persons, not 1,000,000")
    quick = parser.parse_args().quick
    points = np.random.default_rng(1).random((500, 3))
    for known in (True, False):
        for scene in scenes_of(points, sliced(points, (5, 5, 4)), known=known):
            EVERYBODY.run(scene, np.random.default_rng(0))
    print(f"{'':<52}{'attack':>11} {'scipy':>11}{'ratio':>8}")
    large(100_000 if quick else 1_000_000, (27, 27, 27) if quick else (59, 58, 58), 3)
    if DATA.exists():
        adult()
    else:
        print(f"skipped: no {DATA.name} beside the checkout")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"peak memory of this process: {peak:.2f} GiB")


if __name__ == "__main__":
    main()
