"""Generate the tables of the stories: nobody in them exists.

    python examples/tables.py FOLDER

Writes census.csv, loans.csv, sleep.csv and vehicles.jsonl, always the same ones. What is in
`examples/data` was written by this; the tables of nine patients and of points are from texts.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl

import kanonym as ka


def census(rows: int = 1_500) -> pl.DataFrame:
    """Return people with age, hours at work and whether they earn more than 50,000."""
    rng = np.random.default_rng(1994)
    age = np.clip(rng.gamma(6.0, 6.5, rows), 17, 90).astype(int)
    usual = np.where(age < 22, 25, np.where(age > 64, 22, 41))
    worked = rng.choice([0, 1], rows, p=[0.45, 0.55]) * rng.normal(0, 11, rows)
    hours = np.clip(np.round(usual + worked), 2, 98).astype(int)
    odds = -4.2 + 0.055 * np.minimum(age, 60) + 0.03 * hours
    rich = rng.random(rows) < 1 / (1 + np.exp(-odds))
    return pl.DataFrame({"age": age, "hours": hours, "income": np.where(rich, ">50k", "<=50k")})


def loans(rows: int = 1_500) -> pl.DataFrame:
    """Return loans with four numbers about who took them; one income is far from all others."""
    rng = np.random.default_rng(2023)
    income = np.round(rng.lognormal(11.9, 0.4, rows), -2)
    birth = -rng.integers(7_489, 25_229, rows)
    works = rng.random(rows) < 0.82
    employed = np.where(works, np.round(birth * rng.beta(1.1, 4, rows)).astype(int), 365_243)
    late = rng.random(rows) < 0.08
    table = pl.DataFrame(
        {
            "SK_ID_CURR": np.arange(100_000, 100_000 + rows),
            "AMT_INCOME_TOTAL": income,
            "AMT_CREDIT": np.round(income * rng.lognormal(1.1, 0.6, rows), -1),
            "DAYS_BIRTH": birth,
            "DAYS_EMPLOYED": employed,
            "TARGET": late.astype(int),
        }
    )
    table[1_284, "AMT_INCOME_TOTAL"] = 117_000_000.0
    return table


def sleep(rows: int = 374) -> pl.DataFrame:
    """Return people with their habits, a disorder and the quality of their sleep."""
    rng = np.random.default_rng(374)
    age = rng.integers(27, 60, rows)
    sex = rng.choice(["female", "male"], rows)
    jobs = ["accountant", "doctor", "engineer", "lawyer", "nurse", "sales", "teacher"]
    job = rng.choice(jobs, rows)
    stress = np.clip(
        np.round(5 + 2 * np.isin(job, ["doctor", "sales"]) + rng.normal(0, 1, rows)), 3, 8
    )
    hours = np.round(8.6 - 0.25 * stress + rng.normal(0, 0.35, rows), 1)
    weight = rng.choice(["normal", "overweight"], rows, p=[0.6, 0.4])
    chance = np.where(weight == "overweight", 0.6, 0.12)
    ill = rng.random(rows) < chance
    disorder = np.where(ill, rng.choice(["apnea", "insomnia"], rows), "none")
    felt = hours - 0.03 * (age - 43) - 0.5 * ill + rng.normal(0, 0.15, rows)
    quality = np.where(felt > 7.4, "good", np.where(felt > 6.7, "fair", "poor"))
    return pl.DataFrame(
        {
            "age": age,
            "sex": sex,
            "occupation": job,
            "hours": hours,
            "stress": stress.astype(int),
            "steps": rng.integers(30, 100, rows) * 100,
            "weight": weight,
            "disorder": disorder,
            "quality": quality,
        }
    )


def vehicles(rows: int = 60) -> pl.DataFrame:
    """Return cars with numbers, a date, a category and the country that they come from."""
    rng = np.random.default_rng(1970)
    weight = np.round(rng.normal(2_900, 700, rows)).clip(1_600, 5_000).astype(int)
    power = np.round(weight / 29 + rng.normal(0, 14, rows)).clip(45, 230).astype(int)
    cylinders = np.where(power > 130, 8, np.where(power > 95, 6, 4))
    year = rng.integers(1970, 1983, rows)
    return pl.DataFrame(
        {
            "name": [f"car {number}" for number in range(1, rows + 1)],
            "horsepower": power,
            "weight": weight,
            "cylinders": cylinders,
            "year": [f"{one}-01-01" for one in year],
            "gear": rng.choice(["automatic", "manual"], rows),
            "origin": rng.choice(["USA", "Europe", "Japan"], rows, p=[0.5, 0.25, 0.25]),
        }
    )


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in {
        "census.csv": census(),
        "loans.csv": loans(),
        "sleep.csv": sleep(),
        "vehicles.jsonl": vehicles(),
    }.items():
        ka.write_table(table, folder / name)
        print(folder / name)


if __name__ == "__main__":
    main()
