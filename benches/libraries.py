"""What the decisions to take k-means from scikit-learn and neighbours from scipy rest on.

Decisions 0014 and 0016 quote these figures. The loans need ../shared/data beside the checkout.

    python benches/libraries.py [--quick]
"""

from __future__ import annotations

import argparse
import runpy
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.cluster import KMeans

import kanonym as ka
from kanonym.evaluation.attacks.matching.lookup import nearest_points

DATA = Path(__file__).parents[2] / "shared" / "data"
SEEDS = 12


def seconds(function: Callable[[], object], runs: int) -> float:
    """Return the median time of several runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def importing(module: str) -> float:
    """Return the seconds that a module takes to import after numpy and kanonym's pipeline."""
    code = (
        "import time, numpy, polars, kanonym, kanonym.pipeline; start = time.perf_counter()\n"
        f"import {module}; print(time.perf_counter() - start)"
    )
    command = [sys.executable, "-c", code]
    printed = [subprocess.run(command, check=True, capture_output=True).stdout for _ in range(5)]  # noqa: S603
    return statistics.median(map(float, printed))


def installed(*names: str) -> float:
    """Return the megabytes of installed packages."""
    files = [file for name in names for file in metadata.files(name) or []]
    paths = [Path(str(file.locate())) for file in files]
    return sum(path.stat().st_size for path in paths if path.exists()) / 1e6


def neighbours(runs: int, *, quick: bool) -> None:
    """Time the nearest of many points for as many others."""
    rng = np.random.default_rng(0)
    for n, d in ((10_000, 2), (10_000, 8), (100_000, 2), (100_000, 8)):
        if quick and n * d > 200_000:
            continue
        points, asked = rng.standard_normal((2, n, d))
        took = seconds(lambda points=points, asked=asked: nearest_points(points, asked), runs)
        print(f"nearest, {n:,} against {n:,} in {d} columns: {took:.2f} s", flush=True)
    names = ["x", "y"]
    known, released = (
        pl.DataFrame(one, schema=names) for one in rng.standard_normal((2, 10_000, 2))
    )
    took = seconds(lambda: ka.attacks.similarity_attack(known, released, names), runs)
    print(f"similarity_attack, 10,000 against 10,000 in 2 columns: {took:.2f} s", flush=True)
    print(f"import of scipy.spatial: {importing('scipy.spatial'):.2f} s", flush=True)


def loans() -> None:
    """Time k-means on the loans, and count the seeds that do not find their outlier."""
    frame = pl.from_pandas(runpy.run_path(str(DATA / "credit_like.py"))["make"](307_511))
    times = []
    for seed in range(SEEDS):
        release = ka.anonymize(
            frame,
            ka.Policy(
                attributes=dict.fromkeys(frame.columns, ka.QuasiIdentifier()),
                models=[],
                algorithm=ka.algorithms.KMeans(4, seed=seed),
            ),
        )
        times.append(release.seconds["algorithm"])
    print(
        f"k-means of the loans, 307,511 x 4, four clusters, ten starts: {min(times):.2f} to "
        f"{max(times):.2f} s",
        flush=True,
    )
    values = frame.to_numpy().astype(float)
    outlier = int(values[:, 0].argmax())
    scaled = (values - values.mean(axis=0)) / values.std(axis=0)
    for title, points in (("standardized", scaled), ("as they are", values)):
        for starts in (1, 10):
            missed = 0
            for seed in range(SEEDS):
                labels = KMeans(4, n_init=starts, random_state=seed).fit_predict(points)
                missed += bool((labels == labels[outlier]).sum() > 1)
            print(
                f"{title}, {starts} starts: the outlier is no class of its own for {missed} of "
                f"{SEEDS} seeds",
                flush=True,
            )


def main() -> None:
    """Print every figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without the large tables")
    quick = parser.parse_args().quick
    neighbours(1 if quick else 3, quick=quick)
    print(f"import of sklearn.cluster: {importing('sklearn.cluster'):.2f} s", flush=True)
    size = installed("scikit-learn", "scipy", "joblib", "threadpoolctl")
    print(f"scikit-learn, scipy, joblib and threadpoolctl: {size:.0f} MB installed", flush=True)
    if DATA.is_dir() and not quick:
        loans()


if __name__ == "__main__":
    main()
