"""An invented hospital of several tables, for `kanonym demo --linked` and for tests."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

FIRST_DAY = np.datetime64("2021-01-01", "D")
DAYS = 3 * 365
"""Stays begin within three years from the first day."""

MEAN_STAYS = 2.2
NEVER = 0.12
"""Share of patients without a stay."""
OFTEN = 40
"""Stays of one patient who is planted."""

PHYSICIANS = 30
_WARDS = ("cardiology", "surgery", "maternity", "oncology", "paediatrics", "intensive care")
_CODES = ("I10", "I21", "I50", "E11", "J18", "J44", "K35", "K80", "C34", "C50", "O80", "N39")
_TESTS = ("haemoglobin", "creatinine", "glucose", "sodium")
_NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gil", "Hana", "Ivo", "Jana", "Kim", "Lea")


def hospital(patients: int = 5_000, seed: int = 0) -> dict[str, pl.DataFrame]:
    """Return patients, staff, admissions, diagnoses and labs.

    Notes
    -----
    `born` is copied into admissions, diagnoses have a composite key, and staff refer to
    themselves. Stays lie within three years.

    """
    random = np.random.default_rng(seed)
    born = np.datetime64("2021-01-01", "D") - random.integers(0, 95 * 365, patients)
    zips = random.choice([28001, 28002, 28015, 28045, 28911, 28920], patients)
    table = pl.DataFrame(
        {
            "patient": [f"P{i:05}" for i in range(1, patients + 1)],
            "name": [
                f"{_NAMES[i % 12]} {chr(65 + i % 26)}." for i in random.integers(0, 312, patients)
            ],
            "born": born,
            "sex": random.choice(["f", "m"], patients),
            "zip": [str(one) for one in zips],
        }
    )
    counts = np.where(
        random.random(patients) < NEVER, 0, random.geometric(1 / MEAN_STAYS, patients)
    )
    counts[random.integers(patients)] = OFTEN
    staff = pl.DataFrame(
        {
            "physician": [f"D{i:02}" for i in range(1, PHYSICIANS + 1)],
            "boss": [None, *(f"D{1 + i // 5:02}" for i in range(PHYSICIANS - 1))],
        }
    )
    admissions = _admissions(table, counts, random)
    return {
        "patients": table,
        "staff": staff,
        "admissions": admissions,
        "diagnoses": _diagnoses(admissions, random),
        "labs": _labs(admissions, random),
    }


def _admissions(
    patients: pl.DataFrame, counts: NDArray[np.int64], random: np.random.Generator
) -> pl.DataFrame:
    """Return stays; the ward depends on age and sex."""
    whose = np.repeat(np.arange(len(counts)), counts)
    admitted = FIRST_DAY + random.integers(0, DAYS, len(whose))
    days = random.geometric(1 / 4, len(whose))
    born = patients["born"].to_numpy()[whose]
    age = (admitted - born).astype(int) // 365
    drawn = random.choice(len(_WARDS), len(whose), p=[0.35, 0.35, 0.0, 0.2, 0.0, 0.1])
    fertile = (age > 18) & (age < 45) & (patients["sex"].to_numpy()[whose] == "f")
    drawn = np.where(fertile & (random.random(len(whose)) < 0.5), 2, drawn)
    drawn = np.where(age < 16, 4, drawn)
    return pl.DataFrame(
        {
            "admission": [f"A{i:06}" for i in range(1, len(whose) + 1)],
            "patient": patients["patient"].gather(whose),
            "born": born,
            "admitted": admitted,
            "discharged": admitted + days,
            "ward": [_WARDS[i] for i in drawn],
            "physician": [f"D{i:02}" for i in random.integers(1, PHYSICIANS + 1, len(whose))],
        }
    )


def _diagnoses(admissions: pl.DataFrame, random: np.random.Generator) -> pl.DataFrame:
    """Return one to three diagnoses of each stay."""
    counts = random.integers(1, 4, admissions.height)
    whose = np.repeat(np.arange(admissions.height), counts)
    place = np.arange(len(whose)) - (np.cumsum(counts) - counts)[whose] + 1
    first = random.integers(0, len(_CODES), admissions.height)
    return pl.DataFrame(
        {
            "admission": admissions["admission"].gather(whose),
            "position": place,
            "icd10": [_CODES[i] for i in (first[whose] + 5 * (place - 1)) % len(_CODES)],
        }
    )


def _labs(admissions: pl.DataFrame, random: np.random.Generator) -> pl.DataFrame:
    """Return up to four tests of each stay, on its first day."""
    counts = random.integers(0, 5, admissions.height)
    whose = np.repeat(np.arange(admissions.height), counts)
    return pl.DataFrame(
        {
            "admission": admissions["admission"].gather(whose),
            "taken": admissions["admitted"].gather(whose),
            "test": random.choice(_TESTS, len(whose)),
            "value": np.round(random.normal(100, 15, len(whose)), 1),
        }
    )
