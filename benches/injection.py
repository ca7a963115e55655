"""Speed of injection: at least 10,000 records into 100,000 × 10, and what they are worth.

python benches/injection.py
"""

from __future__ import annotations

import time

import numpy as np
import polars as pl

from kanonym.synthesis import inject

ROWS = 100_000
WANTED = 10_000


def table(n: int, seed: int = 0) -> pl.DataFrame:
    """Return n records of ten columns that hang together: numbers, dates and categories."""
    random = np.random.default_rng(seed)
    distance = np.abs(np.subtract.outer(np.arange(10), np.arange(10)))
    z = random.multivariate_normal(np.zeros(10), 0.6**distance, n)
    return pl.DataFrame(
        {
            "age": np.clip(45 + 15 * z[:, 0], 18, 90).astype(np.int64),
            "region": [f"region {one:02}" for one in np.digitize(z[:, 1], np.linspace(-2, 2, 19))],
            "sex": np.where(z[:, 2] > 0, "f", "m"),
            "education": [f"level {one}" for one in np.digitize(z[:, 3], [-1, 0, 0.8, 1.5])],
            "income": np.exp(7.5 + 0.5 * z[:, 4]).round(2),
            "visits": np.floor(np.exp(1 + 0.6 * z[:, 5])).astype(np.int64),
            "admitted": np.datetime64("2020-01-01") + (500 + 150 * z[:, 6]).astype(np.int64),
            "insured": z[:, 7] > -0.5,
            "disease": [
                f"code {one:02}" for one in np.digitize(z[:, 8], np.linspace(-2.5, 2.5, 39))
            ],
            "score": z[:, 9].round(4),
        }
    ).with_columns(pl.col("admitted").cast(pl.Date))


def size_that_takes(frame: pl.DataFrame, known: list[str], least: int) -> int:
    """Return the smallest class size whose injection adds at least so many records."""
    sizes = frame.group_by(known).len()["len"].cast(pl.Int64).to_numpy()
    size = 1
    while np.maximum(size - sizes, 0).sum() < least:
        size += 1
    return size


def main() -> None:
    """Print seconds, AUC and distance, with a size alone and with diversity."""
    frame = table(ROWS)
    known = ["age", "region", "sex"]
    size = size_that_takes(frame, known, WANTED)
    for targets in ({"size": size}, {"size": size, "l": 3}):
        seconds = []
        for _ in range(3):
            start = time.perf_counter()
            done = inject(frame, quasi_identifiers=known, sensitive=["disease"], seed=0, **targets)
            seconds.append(time.perf_counter() - start)
        print(
            f"{targets}: {done.added:,} records into {done.classes_changed:,} of "
            f"{done.before.classes:,} classes, {min(seconds):.2f} s (first {seconds[0]:.2f} s), "
            f"AUC {done.detection.value:.3f}, moved {done.distance.value:.3f}"
        )


if __name__ == "__main__":
    main()
