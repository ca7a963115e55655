"""Scenes of attacks from two tables: what tests give to an attack."""

from __future__ import annotations

import numpy as np
import polars as pl

import kanonym as ka
from kanonym.data import frames
from kanonym.evaluation.attacks.setup import build_context


def scene(
    original,
    released,
    quasi_identifiers,
    sensitive=(),
    control=None,
    hierarchies=None,
    second=None,
    aligned=None,
):
    """Return the scene of a release; tables are frames of any library or dicts of lists."""
    return build_context(
        _columns(original),
        _columns(released),
        quasi_identifiers,
        sensitive,
        control=None if control is None else _columns(control),
        second=None if second is None else _columns(second),
        hierarchies=hierarchies,
        aligned=aligned,
    )


def people(n=400, seed=0):
    """Return n persons as a polars frame: age, sex and town are known, disease and cost hidden.

    Disease and cost hang together with age and town; some towns are null.
    """
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, n)
    town = random.choice(["Ulm", "Bonn", "Kiel", "Jena", None], n, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    old = random.random(n) < (age - 18) / 62
    disease = np.where(
        old,
        random.choice(["gout", "cancer", "angina"], n, p=[0.5, 0.2, 0.3]),
        random.choice(["flu", "cold", "asthma"], n, p=[0.5, 0.3, 0.2]),
    )
    return pl.DataFrame(
        {
            "age": age,
            "sex": random.choice(["f", "m"], n),
            "town": list(town),
            "disease": disease,
            "cost": (age * 10 + random.integers(0, 200, n)).astype(float),
        }
    )


KNOWN = ["age", "sex", "town"]
HIDDEN = ["disease", "cost"]
ILLNESS = {
    "gout": "chronic",
    "cancer": "chronic",
    "angina": "chronic",
    "asthma": "airway",
    "flu": "airway",
    "cold": "airway",
}
"""Two groups of the diseases of `people`."""


def released(table, k, **options):
    """Return a release of `people` by Mondrian."""
    return ka.anonymize(
        pl.DataFrame(table),
        quasi_identifiers=KNOWN,
        k=k,
        **{"sensitive": HIDDEN, "others": "insensitive", **options},
    ).frame


def shuffled(table, seed=0):
    """Return the rows of a table in another order."""
    frame = pl.DataFrame(table)
    return frame[np.random.default_rng(seed).permutation(len(frame))]


def starred(table, quasi_identifiers):
    """Return a release that is one class: every quasi-identifier is `*`."""
    return pl.DataFrame(table).with_columns(pl.lit("*").alias(name) for name in quasi_identifiers)


def banded(table, width, name="age"):
    """Return a release with a column of whole numbers in intervals of a width."""
    start = pl.col(name) // width * width
    return pl.DataFrame(table).with_columns(pl.format("[{}, {})", start, start + width).alias(name))


def _columns(table):
    table = pl.DataFrame(table) if isinstance(table, dict) else table
    return {name: frames.column(table, name) for name in frames.column_names(table)}
