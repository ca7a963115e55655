"""Adult, 8 quasi-identifiers: information loss and warm time of both splits.

Needs ../shared/data/adult beside the checkout.

    python benches/adult.py
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

import kanonym as ka

DATA = Path(__file__).parents[2] / "shared" / "data" / "adult"


def timed(frame: Any, **asked: Any) -> tuple[ka.Release, float]:
    """Return a release and the median seconds of five calls."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        release = ka.anonymize(frame, others="insensitive", **asked)
        times.append(time.perf_counter() - start)
    return release, statistics.median(times)


def main() -> None:
    """Print GCP and milliseconds by k, split, recoding and further model."""
    if not DATA.exists():
        print(f"skipped: no {DATA.name} table beside the checkout")
        return
    frame = ka.read_table(DATA / "adult.csv")
    names = [name for name in frame.columns if name != "salary-class"]
    trees = {name: ka.hierarchy.from_file(DATA / f"hierarchy_{name}.csv") for name in names}
    floor = []
    for _ in range(5):
        start = time.perf_counter()
        frame.group_by(names).len()
        floor.append(time.perf_counter() - start)
    print(f"polars group_by of the 8 columns: {statistics.median(floor) * 1000:.0f} ms")
    print(f"{'models':<28}{'recoding':<12}{'split':<7}{'GCP':>8}{'classes':>9}{'ms':>7}")
    # One sensitive attribute at a time; quasi-identifiers are all other columns but it.
    cases: list[tuple[str, dict[str, Any]]] = [
        ("k=5", {"k": 5}),
        ("k=10", {"k": 10}),
        ("k=5, 3 distinct values", {"k": 5, "l": 3, "sensitive": ["occupation"]}),
        ("k=5, t=0.2", {"k": 5, "t": 0.2, "sensitive": ["salary-class"]}),
    ]
    for label, models in cases:
        known = [name for name in names if name not in models.get("sensitive", ())]
        for recoding, hierarchies in (("set", {}), ("hierarchy", trees)):
            for split in ("loss", "span"):
                own = {name: tree for name, tree in hierarchies.items() if name in known}
                release, took = timed(
                    frame,
                    quasi_identifiers=known,
                    hierarchies=own,
                    algorithm=ka.Mondrian(split=split),
                    **models,
                )
                print(
                    f"{label:<28}{recoding:<12}{split:<7}{release.utility.gcp:>8.4f}"
                    f"{release.verification.n_classes:>9}{took * 1000:>7.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
