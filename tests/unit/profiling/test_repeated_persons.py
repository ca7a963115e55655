"""Several records of one person are noticed where the person's number was dropped."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.profiling import profile
from kanonym.profiling.groupings import coded_columns
from kanonym.profiling.repeated_persons import repeated_persons

SEEDS = st.integers(0, 2**32 - 1)
KNOWN = ["born", "sex", "postal"]


def people(n, seed):
    """Return persons, a row each: date of birth, sex, postal code with its city, and school."""
    random = np.random.default_rng(seed)
    postal = random.integers(0, 60, n)
    return pl.DataFrame(
        {
            "born": pl.Series(random.integers(0, 25_000, n)).cast(pl.Int32).cast(pl.Date),
            "sex": random.integers(0, 2, n),
            "postal": [f"{8_000 + one}" for one in postal],
            "city": [f"city {one // 9}" for one in postal],
            "school": random.integers(0, 5, n),
        }
    )


def visits(n_persons, seed, each=4):
    """Return rows of visits, in random order: the person, and ward and pulse of the visit."""
    random = np.random.default_rng(seed)
    n = each * n_persons
    table = people(n_persons, seed)[random.integers(0, n_persons, n)]
    return table.with_columns(
        ward=pl.Series(random.integers(0, 6, n)), pulse=pl.Series(random.integers(50, 120, n))
    )


@settings(max_examples=examples(60), deadline=None)
@given(SEEDS, st.sampled_from([200, 1_000, 4_000]))
def test_one_row_per_person_is_quiet(seed, n):
    """Different persons who agree do so by chance."""
    table = people(n, seed)
    assert repeated_persons(table) is None
    years = table.with_columns(pl.col("born").dt.year(), age=2026 - pl.col("born").dt.year())
    assert repeated_persons(years) is None


@settings(max_examples=examples(60), deadline=None)
@given(SEEDS, st.sampled_from([300, 1_000]), st.sampled_from([3, 4, 8]))
def test_visits_are_found_among_columns_that_differ_by_visit(seed, n_persons, each):
    """Ward and pulse differ in each visit, and do not hide that persons repeat."""
    told = repeated_persons(visits(n_persons, seed, each))
    assert told is not None
    assert "born" in told.columns
    assert not {"ward", "pulse"} & {*told.columns, *told.constant}


@settings(max_examples=examples(15), deadline=None)
@given(SEEDS, st.booleans())
def test_neither_the_order_of_rows_nor_names_change_anything(seed, repeats):
    """Shuffled rows and renamed columns give the same evidence."""
    table = visits(300, seed) if repeats else people(600, seed)
    told = repeated_persons(table)
    assert repeated_persons(table.sample(fraction=1, shuffle=True, seed=seed)) == told
    names = {name: f"c{place}" for place, name in enumerate(table.columns)}
    renamed = repeated_persons(table.rename(names))
    assert (renamed is None) == (told is None)
    if told is not None:
        assert renamed.columns == tuple(names[name] for name in told.columns)


def test_an_age_in_days_that_determines_others_is_evidence():
    """A number of many digits repeats with the same sex and arm of treatment."""
    random = np.random.default_rng(1)
    rows = random.integers(0, 300, 1_800)
    age = np.round(random.integers(7_000, 30_000, 300) / 365.25, 5)
    own = {"age": age, "sex": random.integers(0, 2, 300), "arm": random.integers(0, 2, 300)}
    table = {name: values[rows] for name, values in own.items()}
    varying = {f"lab{place}": random.integers(0, 90, 1_800) for place in range(3)}
    assert repeated_persons(pl.DataFrame(table | varying)) is None  # two of five are less than half
    told = repeated_persons(pl.DataFrame(table | {"edema": random.integers(0, 3, 1_800)}))
    assert told.columns == ("age",)
    assert set(told.constant) == {"sex", "arm"}
    assert told.values == len(np.unique(age[rows]))
    assert told.digits > 100


@pytest.mark.parametrize("n_persons", [1_000, 75_000])
def test_fewer_are_alone_than_different_persons_would_be(n_persons):
    """Where many share a date of birth, records alone in all three columns are the evidence."""
    table = visits(n_persons, 2).select(KNOWN)
    years = table.with_columns(pl.col("born").dt.strftime("%Y-%m"))
    told = repeated_persons(table if n_persons > 10_000 else years)
    assert told is not None
    if told.expected_alone is not None:
        assert told.alone < told.expected_alone / 3
        assert told.records <= table.height


@pytest.mark.parametrize("n", [3_000, 300_000])
def test_persons_of_any_number_are_quiet(n):
    """A large table is looked at in part, and as quiet as a small one."""
    assert repeated_persons(people(n, 3)) is None


def test_functions_of_columns_are_no_evidence():
    """A body mass index, an age group and a score of answers follow from other columns."""
    random = np.random.default_rng(4)
    weight, height = random.integers(50, 95, 2_000), random.integers(150, 195, 2_000)
    index = (weight / (height / 100) ** 2).round(1)
    answers = random.integers(0, 5, (2_000, 4))
    table = {"weight": weight, "height": height, "bmi": index, "obese": (index > 30).astype(int)}
    assert repeated_persons(pl.DataFrame(table)) is None
    table = {f"answer{place}": answers[:, place] for place in range(4)}
    table["score"] = (answers @ np.array([125, 25, 5, 1])) / 3
    assert repeated_persons(pl.DataFrame(table)) is None


def test_rows_with_counts_are_records():
    """Distinct rows with their counts give the evidence of all rows."""
    table = visits(400, 5).select(KNOWN)
    counted = table.group_by(KNOWN).len()
    told = repeated_persons(
        coded_columns(counted.drop("len")), counted["len"].to_numpy().astype(np.int64)
    )
    assert told == repeated_persons(table)


def test_the_profile_says_so():
    """Without a column to propose, the profile tells that persons repeat, and leaves it open."""
    found = profile(visits(400, 6))
    assert found.proposed_persons == ()
    assert found.repeated_persons is not None
    assert found.entity.name is None
    assert not found.entity.rows_are_persons
    assert "several records of each person" in found.entity.reason
    assert found.to_dict()["persons"]["repeated"]["columns"] == found.repeated_persons.columns
    assert "rows: persons" not in [line.strip() for line in found.policy_text().splitlines()]


@pytest.mark.parametrize("columns", [[], ["born"], ["sex", "school"]])
def test_little_says_nothing(columns):
    """A single column, none, and two of few values are no evidence."""
    assert repeated_persons(visits(300, 7).select(columns)) is None
