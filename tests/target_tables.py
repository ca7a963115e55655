"""Small random tables with a target, as lists of rows for the slow twins and encoded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
from hypothesis import strategies as st

from kanonym.algorithms.workload import BIT, FEW, guiding_target
from kanonym.data.table import Domain
from tables import random_table
from twins import workload as naive_workload

TASKS = ["classification", "regression"]


class Guided:
    """A random table of up to n rows, each with a target or without one."""

    def __init__(self, n, seed, task):
        """Draw the table and its targets."""
        rng = np.random.default_rng([seed, 1])
        self.table = random_table(n, seed)
        size = FEW + 5 if task == "regression" else int(rng.integers(1, 5))
        numbers = np.sort(rng.choice(1000, size, replace=False)) - 300
        values = pl.Series("t", numbers, pl.Int64)
        kind = "number" if task == "regression" else "nominal"
        codes = rng.integers(-1, size, len(self.table.rows)).astype(np.int32)
        self.encoded = replace(
            self.table.encoded(),
            target=Domain("t", kind, values, False, np.ones(size, np.bool_), None),  # noqa: FBT003
            target_codes=codes,
        )
        self.rows = [
            row._replace(secrets=(*row.secrets, int(code)))
            for row, code in zip(self.table.rows, codes, strict=True)
        ]
        self.aim = guiding_target(self.encoded, "t")
        target = self.aim.target
        self.twin = naive_workload.Aim(
            target.values.tolist() if task == "regression" else (),
            target.curve.tolist(),
            target.least,
        )
        self.numbers = target.values.tolist() if task == "regression" else ()
        self.unit = 1 if task == "regression" else BIT

    @property
    def d(self):
        """Number of quasi-identifiers."""
        return len(self.table.domains)


def guided(*sizes):
    """Draw random tables of some numbers of rows, with categories or with numbers."""
    sizes = sizes or (1, 2, 3, 5, 8, 12, 16)
    seeds = st.integers(0, 2**32 - 1)
    return st.builds(Guided, st.sampled_from(sizes), seeds, st.sampled_from(TASKS))
