"""Synthesis: fitting a copula to 100,000 × 10 and completing 10,000 records beside 4 columns.

The floor is one polars sort of every column.

    python benches/synthesis.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from kanonym.synthesis.copula import Constraint, fit

N = 100_000
FURTHER = 10_000
GIVEN = ("age", "sex", "town", "children")


def table(n: int) -> list[pl.Series]:
    """Return ten columns of numbers, dates and categories that go together."""
    random = np.random.default_rng(0)
    z = random.normal(size=(n, 6)) + 0.7 * random.normal(size=(n, 1))
    came = (15_000 + 300 * z[:, 5]).astype(np.int32)
    went = came + random.geometric(0.1, n).astype(np.int32)
    return [
        pl.Series("age", np.clip(45 + 15 * z[:, 0], 18, 95).astype(np.int64)),
        pl.Series("sex", np.array(["f", "m"])[(z[:, 1] > 0).astype(int)]),
        pl.Series("town", [f"t{one}" for one in np.digitize(z[:, 2], np.linspace(-3, 3, 59))]),
        pl.Series("children", np.digitize(z[:, 3], [0, 0.7, 1.5, 2.2])),
        pl.Series("income", np.round(1000 * np.exp(z[:, 4]), 2)),
        pl.Series("weight", 70 + 10 * z[:, 1] + 5 * z[:, 0]),
        pl.Series("smokes", z[:, 2] + z[:, 3] > 1).set(pl.Series(random.random(n) < 0.1), None),
        pl.Series("came", came).cast(pl.Date),
        pl.Series("went", went).cast(pl.Date),
        pl.Series("disease", np.array(list("abcdefghij"))[random.geometric(0.4, n) % 10]),
    ]


def timed(work: Callable[[], Any]) -> float:
    """Return the median milliseconds of five calls."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


def main() -> None:
    """Print the milliseconds of each step, and how many floors they are."""
    columns = table(N)
    frame = pl.DataFrame(columns)
    order = [Constraint.parse("came < went")]
    floor = timed(lambda: [column.sort() for column in columns])
    model = fit(columns, order)
    given = frame.select(GIVEN).sample(FURTHER, seed=0).get_columns()
    steps = {
        f"fit {N:,} × {len(columns)}": lambda: fit(columns, order),
        f"completed {FURTHER:,} beside {len(GIVEN)}": lambda: model.complete(
            given, np.random.default_rng(0)
        ),
        f"probabilities of disease, {FURTHER:,}": lambda: model.probabilities("disease", given),
        f"sampled {N:,}": lambda: model.sample(N, np.random.default_rng(0)),
    }
    print(f"{'polars sort of every column':<36}{floor:>8.0f} ms")
    for label, work in steps.items():
        took = timed(work)
        print(f"{label:<36}{took:>8.0f} ms {took / floor:>7.1f} ×", flush=True)


if __name__ == "__main__":
    main()
