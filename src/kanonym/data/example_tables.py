"""Generated tables of patients and hospital stays."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.kernels.arrays import Bools, Floats, Ints

# Ages are counted from a fixed day, so that a seed gives the same table for ever.
REFERENCE_DAY = np.datetime64("2024-12-31", "D")
SCHOOL_STARTS, SCHOOL_ENDS, LAST_AGE = 6, 18, 100
FERTILE = (15, 50)

COLUMNS = {
    "name": pl.String,
    "national_number": pl.String,
    "postal_code": pl.String,
    "birth_date": pl.Date,
    "sex": pl.String,
    "occupation": pl.String,
    "diagnosis": pl.String,
}

# Curves over age: name, weight, age of the peak in years, spread in years, how much
# likelier (or rarer) for women.
Curve = tuple[str, float, float, float, float]
OCCUPATIONS: tuple[Curve, ...] = (
    ("student", 9.0, 20, 3, 1.1),
    ("nurse", 1.6, 42, 14, 6.0),
    ("teacher", 1.8, 44, 13, 2.2),
    ("office clerk", 3.5, 43, 15, 1.6),
    ("sales assistant", 2.6, 34, 15, 1.7),
    ("engineer", 2.0, 40, 12, 0.3),
    ("software developer", 1.7, 33, 9, 0.3),
    ("electrician", 1.5, 38, 14, 0.05),
    ("bricklayer", 1.4, 36, 12, 0.03),
    ("factory worker", 2.6, 43, 14, 0.5),
    ("lorry driver", 1.6, 46, 12, 0.08),
    ("farmer", 0.9, 52, 13, 0.5),
    ("cleaner", 1.4, 47, 13, 4.0),
    ("cook", 1.2, 34, 12, 0.7),
    ("manager", 1.6, 51, 9, 0.6),
    ("unemployed", 1.8, 38, 18, 1.0),
)
DIAGNOSES: tuple[Curve, ...] = (
    ("otitis media", 6.0, 3, 4, 1.0),
    ("asthma", 1.6, 14, 16, 0.9),
    ("influenza", 1.5, 30, 40, 1.0),
    ("appendicitis", 0.8, 18, 11, 0.8),
    ("fracture", 0.8, 22, 14, 0.5),
    ("osteoporotic fracture", 1.2, 82, 9, 3.5),
    ("pregnancy care", 5.0, 30, 5.5, 1.0),
    ("migraine", 0.9, 36, 12, 2.8),
    ("depression", 1.4, 42, 18, 1.7),
    ("back pain", 2.0, 48, 15, 1.0),
    ("type 2 diabetes", 1.8, 67, 13, 0.8),
    ("hypertension", 3.0, 70, 15, 1.0),
    ("ischaemic heart disease", 1.6, 74, 11, 0.5),
    ("obstructive lung disease", 1.0, 70, 11, 0.7),
    ("breast cancer", 0.8, 63, 13, 1.0),
    ("prostate cancer", 0.9, 72, 9, 1.0),
    ("arthrosis", 1.6, 71, 12, 1.5),
    ("dementia", 1.6, 86, 7, 1.4),
)
ONLY_WOMEN = ("pregnancy care", "breast cancer")
ONLY_MEN = ("prostate cancer",)
HEAVY_WORK = ("bricklayer", "factory worker", "lorry driver", "farmer", "cleaner", "nurse")

# Regions: first two digits of the postal code, weight, mean age of the inhabitants,
# and the occupation that is several times commoner there.
REGIONS = (
    ("01", 0.9, 52, "farmer"),
    ("04", 1.6, 38, "student"),
    ("07", 0.7, 55, "farmer"),
    ("12", 3.0, 42, "software developer"),
    ("13", 2.2, 44, "office clerk"),
    ("45", 2.0, 46, "factory worker"),
    ("66", 0.9, 48, "factory worker"),
    ("89", 1.1, 47, "engineer"),
)
DISTRICTS = 9

WOMEN = (
    "Ada Alma Amina Anna Beatrice Carla Clara Dora Edith Elena Elif Emma Erika Eva Fatima Flora "
    "Greta Hanna Helga Ida Ines Irina Johanna Julia Karin Laura Lea Lena Lucia Maria Marta Mina "
    "Nadia Nora Olga Paula Rosa Sara Selma Sofia Teresa Ursula Vera Yara Zoe"
)
MEN = (
    "Aaron Adam Ali Anton Bruno Carl Daniel David Elias Emil Erik Felix Franz Georg Hans Hugo "
    "Igor Ivan Jakob Jan Jonas Josef Karl Leo Levi Luca Lukas Marco Martin Max Mehmet Milan Noah "
    "Omar Oskar Otto Paul Peter Pavel Rafael Samuel Simon Stefan Theo Thomas Viktor Yusuf"
)
FAMILIES = (
    "Adler Bach Baum Berger Braun Brandt Costa Demir Dietz Ebner Engel Falk Fischer Fuchs Garcia "
    "Graf Haas Hahn Hoffmann Horvat Huber Jansen Kaiser Keller Klein Koch Kovac Kowalski Kraus "
    "Lang Lehmann Lorenz Maier Marek Moretti Moser Nowak Otto Peters Pohl Reiter Richter Ritter "
    "Rossi Roth Sommer Schmid Schubert Schulz Silva Stein Vogel Wagner Weber Winkler Wolf Yilmaz "
    "Ziegler Zimmermann"
)


def patients(rows: int = 10_000, seed: int = 0) -> pl.DataFrame:
    """Return invented patients, one row a person.

    Age depends on the region, the occupation on age, sex and region, the diagnosis
    on age, sex and occupation, so that privacy and loss behave as on real data.
    Nobody is described: names are drawn from lists and numbers are made up.

    Examples
    --------
    >>> patients(3, seed=1).columns
    ['name', 'national_number', 'postal_code', 'birth_date', 'sex', 'occupation', 'diagnosis']
    """
    rng = np.random.default_rng(seed)
    region = _draw(rng, np.tile([weight for _, weight, _, _ in REGIONS], (rows, 1)))
    mean_age = np.array([age for _, _, age, _ in REGIONS])[region]
    # Ages beyond either end are mirrored back into the range, so that none pile up there.
    age = np.abs(LAST_AGE - np.abs(LAST_AGE - np.abs(rng.normal(mean_age, 23.0))))
    # Women live longer: their share grows with age.
    female = rng.random(rows) < 0.47 + 0.25 * np.clip((age - 60) / 40, 0, 1)
    occupation = _occupations(rng, age, female, region)
    diagnosis = _diagnoses(rng, age, female, occupation)
    return pl.DataFrame(
        {
            "name": _names(rng, female),
            "national_number": _national_numbers(rng, rows),
            "postal_code": _postal_codes(rng, region),
            "birth_date": REFERENCE_DAY - (age * 365.25).astype(np.int64),
            "sex": np.where(female, "female", "male"),
            "occupation": occupation,
            "diagnosis": diagnosis,
        },
        schema=COLUMNS,
    )


def check_digit(numbers: Ints) -> Ints:
    """Return the Luhn check digit of each number (Luhn 1960, US patent 2950048).

    numbers: (n,) int64, none negative: the numbers without their check digit.
    Returns: numpy.ndarray (n,) int64 in 0..9.

    Examples
    --------
    >>> check_digit(np.array([7992739871])).tolist()
    [3]
    """
    total = np.zeros_like(numbers)
    rest = numbers.copy()
    double = True
    while rest.any():
        digit = rest % 10 * (2 if double else 1)
        total += digit // 10 + digit % 10
        rest //= 10
        double = not double
    return -total % 10


def _draw(rng: np.random.Generator, weights: Floats) -> Ints:
    """Draw one column index a row, with the (n, m) weights of that row."""
    steps = np.cumsum(weights, axis=1)
    threshold = rng.random((len(weights), 1)) * steps[:, -1:]
    drawn: Ints = np.count_nonzero(steps <= threshold, axis=1)
    return drawn


def _curve_weights(curves: tuple[Curve, ...], age: Floats, female: Bools) -> Floats:
    """Return (n, len(curves)) weights: a bell over age, times the factor for women."""
    _, weight, peak, spread, women = zip(*curves, strict=True)
    bell = np.exp(-0.5 * ((age[:, None] - np.array(peak)) / np.array(spread)) ** 2)
    weights: Floats = bell * np.array(weight)
    return weights * np.where(female[:, None], np.array(women), 1.0)


def _occupations(
    rng: np.random.Generator, age: Floats, female: Bools, region: Ints
) -> NDArray[np.str_]:
    names = np.array([name for name, *_ in OCCUPATIONS])
    local = np.array([occupation for *_, occupation in REGIONS])[region]
    weights = _curve_weights(OCCUPATIONS, age, female) + 1e-12
    weights *= np.where(names == local[:, None], 4.0, 1.0)
    retired = rng.random(len(age)) < 1 / (1 + np.exp(65.5 - age))
    return np.select(
        [age < SCHOOL_STARTS, age < SCHOOL_ENDS, retired],
        ["preschool child", "pupil", "retired"],
        default=names[_draw(rng, weights)],
    )


def _diagnoses(
    rng: np.random.Generator, age: Floats, female: Bools, occupation: NDArray[np.str_]
) -> NDArray[np.str_]:
    names = np.array([name for name, *_ in DIAGNOSES])
    weights = _curve_weights(DIAGNOSES, age, female) + 0.004
    weights[:, np.isin(names, ONLY_WOMEN)] *= female[:, None]
    weights[:, np.isin(names, ONLY_MEN)] *= ~female[:, None]
    fertile = (age > FERTILE[0]) & (age < FERTILE[1])
    weights[:, names == "pregnancy care"] *= fertile[:, None]
    heavy = np.isin(occupation, HEAVY_WORK)
    weights[:, names == "back pain"] *= np.where(heavy, 2.5, 1.0)[:, None]
    jobless = occupation == "unemployed"
    weights[:, names == "depression"] *= np.where(jobless, 2.5, 1.0)[:, None]
    return names[_draw(rng, weights)]


def _names(rng: np.random.Generator, female: Bools) -> list[str]:
    women, men = rng.choice(WOMEN.split(), len(female)), rng.choice(MEN.split(), len(female))
    families = rng.choice(FAMILIES.split(), len(female))
    first = np.where(female, women, men)
    return [f"{given} {family}" for given, family in zip(first, families, strict=True)]


def _national_numbers(rng: np.random.Generator, rows: int) -> list[str]:
    numbers = rng.choice(10**9, rows, replace=False, shuffle=True)
    return [f"{n:09d}{digit}" for n, digit in zip(numbers, check_digit(numbers), strict=True)]


def _postal_codes(rng: np.random.Generator, region: Ints) -> list[str]:
    # Zipf over districts and their streets: a few codes hold most people.
    rank = 1 / np.arange(1, DISTRICTS + 1)
    district = rng.choice(DISTRICTS, len(region), p=rank / rank.sum())
    street = rng.choice(DISTRICTS, len(region), p=rank / rank.sum())
    prefix = [REGIONS[index][0] for index in region]
    return [f"{p}{d + 1}{s * 11:02d}" for p, d, s in zip(prefix, district, street, strict=True)]


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
    """Return patients, staff, admissions, diagnoses and labs."""
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
        "diagnoses": _stay_diagnoses(admissions, random),
        "labs": _labs(admissions, random),
    }


def _admissions(patients: pl.DataFrame, counts: Ints, random: np.random.Generator) -> pl.DataFrame:
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


def _stay_diagnoses(admissions: pl.DataFrame, random: np.random.Generator) -> pl.DataFrame:
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
