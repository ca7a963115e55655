"""Tables that break programs: odd names, odd values, odd shapes; drawn from a seed."""

from __future__ import annotations

import datetime as dt

import polars as pl

NAMES = (
    "rowid", "oid", "_rowid_", "ctid", "count", "c0", "index", "select", "group", "Größe",
    "a b", "semi;colon", 'quo"te', "it's", "comma, name", "level_0", "__index_level_0__", "=1+1",
    "null", "\N{RIGHT-TO-LEFT OVERRIDE}x", "e\N{COMBINING ACUTE ACCENT}", "k", "size", "label",
)  # fmt: skip

TEXTS = (
    "", " ", "a", "A", "a ", "null", "NaN", "*", "{a, b}", "[1, 2]", "=1+1", "@x", "-", "1", "01",
    "1.0", "line\nbreak", "tab\there", 'quo"te', "é", "e\N{COMBINING ACUTE ACCENT}", "北京",
    "\N{ZERO WIDTH SPACE}", "x" * 300, "<b>&amp;</b>", "TRUE", "2024-02-30",
)  # fmt: skip

NUMBERS = (0.1 + 0.2, 0.3, -0.0, 0.0, 1e-300, 1e15, 123456789.123456789, 1 / 3, -1.5, 2.0**53 + 2)
WHOLES = (0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63), 99, 100)
DAYS = (dt.date(1, 1, 1), dt.date(1899, 12, 31), dt.date(2024, 2, 29), dt.date(9999, 12, 31))
TIMES = tuple(dt.datetime(2024, 1, 1, 12, 0, 0, n) for n in (0, 1, 999, 1000, 500_000, 999_999))


SIZES = (0, 1, 5, 12, 12, 30, 30, 30, 30, 60, 60, 60, 60, 60, 60, 60)


def hostile_table(rng, *, numbers=False, nulls=True, most=4):
    """Return a table of 0 to 60 records.

    Its columns are `id`, `person` (who has up to three records), up to four quasi-identifiers, and
    `s`. numbers: whether quasi-identifiers are numbers without null. nulls: whether any is null.
    most: of them.
    """
    n = int(rng.choice(SIZES))
    names = list(rng.choice(NAMES, size=int(rng.integers(1, most + 1)), replace=False))
    columns = {"id": pl.Series("id", range(n), pl.Int64)}
    persons = rng.integers(0, max(n // 2, 1), n)
    columns["person"] = pl.Series("person", [f"p{one}" for one in persons], pl.String)
    for name in names:
        columns[str(name)] = _column(str(name), n, rng, numbers=numbers, nulls=nulls)
    # Skewed, nearly constant, or even: what diversity has to cope with.
    shares = [(0.9, 0.05, 0.05), (0.98, 0.01, 0.01), (0.4, 0.3, 0.3)][int(rng.integers(3))]
    columns["s"] = pl.Series("s", rng.choice(["hiv", "flu", "none"], n, p=shares), pl.String)
    return pl.DataFrame(list(columns.values())), [str(name) for name in names]


def _column(name, n, rng, *, numbers, nulls):
    """Return a column of one kind: few values, heavy repetition, some null."""
    kinds = ["number", "whole", "small", "text", "day", "time", "flag", "category", "none"]
    kind = rng.choice(kinds[:3] if numbers else kinds if nulls else kinds[:-1])
    pools = {
        "number": (NUMBERS, pl.Float64),
        "whole": (WHOLES, pl.Int64),
        "small": (tuple(range(20)), pl.Int64),
        "text": (TEXTS, pl.String),
        "category": (TEXTS, pl.String),
        "day": (DAYS, pl.Date),
        "time": (TIMES, pl.Datetime("us")),
        "flag": ((True, False), pl.Boolean),
        "none": ((None,), pl.String),
    }
    pool, dtype = pools[str(kind)]
    few = [pool[place] for place in rng.integers(0, len(pool), int(rng.integers(1, 7)))]
    places = rng.integers(0, len(few), n)
    missing = rng.random(n) < (0.15 if rng.random() < 0.4 and nulls else 0.0)
    values = [None if gone else few[place] for place, gone in zip(places, missing, strict=True)]
    column = pl.Series(name, values, dtype)
    if kind == "category":
        column = column.cast(
            pl.Categorical if rng.random() < 0.5 else pl.Enum(list(dict.fromkeys(TEXTS)))
        )
    return column
