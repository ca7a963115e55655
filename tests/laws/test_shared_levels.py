"""What all rows of a column share is released, rather than the root."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

import kanonym as ka

DAYS = [dt.date(2024, 1, 3) + dt.timedelta(days=11 * place) for place in range(30)]
SHARED = {
    "one year": (DAYS, ka.hierarchy.dates(levels=["month", "year"]), "2024"),
    "one day": (
        [dt.datetime(2024, 3, 5, 8, place) for place in range(30)],
        ka.hierarchy.dates(levels=["day", "year"]),
        "2024-03-05",
    ),
    "one town": ([f"750{place:02}" for place in range(30)], ka.hierarchy.masking(), "750**"),
    "one chapter": ([f"E11.{place}" for place in range(30)], ka.hierarchy.prefix(), "E11.*"),
    "one decade": (
        [60 + place % 10 for place in range(30)],
        ka.hierarchy.intervals(10),
        "[60, 70)",
    ),
    "one group": ([place % 9 for place in range(30)], ka.hierarchy.groups([3, 3]), "[0, 8]"),
    "one country": (
        ["Bern", "Zug", "Chur"] * 10,
        ka.hierarchy.from_mapping({town: ["CH", "*"] for town in ("Bern", "Zug", "Chur", "Genf")}),
        "CH",
    ),
}
BY_LEVELS = [
    *(ka.FullDomain(metric=metric) for metric in ("loss", "height", "discernibility", "precision")),
    ka.FullDomain(search="best-first", steps=20),
    ka.LocalRecoding(),
]
BY_ANCESTORS = [ka.Mondrian(), ka.Segmentation(), ka.algorithms.KMember()]


@pytest.mark.parametrize("algorithm", [*BY_LEVELS, *BY_ANCESTORS], ids=repr)
@pytest.mark.parametrize("name", SHARED)
def test_what_all_rows_share_is_released(name, algorithm):
    """If all rows are one class, it has the lowest label of all; null is a branch beside it."""
    cells, hierarchy, label = SHARED[name]
    recoding = {"recoding": "hierarchy"} if algorithm in BY_ANCESTORS else {}

    def released(values, k):
        policy = ka.Policy(
            attributes={"x": ka.QuasiIdentifier(hierarchy=hierarchy)},
            models=[ka.KAnonymity(k)],
            algorithm=algorithm,
            **recoding,
        )
        return set(ka.anonymize(pl.DataFrame({"x": values}), policy).frame["x"].to_list())

    assert released(cells, len(cells)) == {label}
    if algorithm in BY_LEVELS:
        assert released([*cells, *[None] * len(cells)], len(cells)) == {label, None}
