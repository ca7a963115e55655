"""`ka.measure` counts records by their values, whatever frame holds them and in what order."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.metrics.disclosure import measure_table
from model_classes import classes
from twins import cells as naive_cells

AGE = st.sampled_from([30, 40, None])
ZIP = st.sampled_from(["a", "b", None])
CODE = st.sampled_from([1, 2, 10])
DISEASE = st.sampled_from(["flu", "cold", "angina", None])
RECORDS = st.lists(st.tuples(AGE, ZIP, CODE, DISEASE), min_size=1, max_size=25)
NAMES = ["age", "zip", "code", "disease"]


def in_pandas(records):
    """Return a frame as pandas users have it.

    Numbers with NaN are floats, categories have a level that no row has, codes are a
    category of integers.
    """
    frame = pd.DataFrame(records, columns=NAMES)
    return frame.assign(
        age=frame["age"].astype("float64"),
        zip=pd.Categorical(frame["zip"], ["z", "b", "a"]),
        code=pd.Categorical(frame["code"], [10, 7, 2, 1]),
    )


def measured(frame, known=("age", "zip", "code")):
    """Measure a frame; return {field: number}, those of the disease with its name in front."""
    found = ka.measure(frame, quasi_identifiers=list(known), sensitive=["disease"]).to_dict()
    return flat(found)


def expected(records, columns=(0, 1, 2)):
    """Return what `measured` should, from a dict of tuples."""
    labels = [tuple(record[i] for i in columns) for record in records]
    seen = classes(labels, disease=[record[3] for record in records])
    wildcard = naive_cells.k_wildcard(labels)
    return flat(measure_table(seen, wildcard).to_dict())


def flat(found, name=""):
    """Flatten dicts in dicts, so that numbers can be compared up to rounding; null is -1."""
    if not isinstance(found, dict):
        return {name: -1 if found is None else found}
    return {
        key: one for inner in found for key, one in flat(found[inner], f"{name}/{inner}").items()
    }


@given(records=RECORDS)
@settings(max_examples=examples(60))
def test_records_count_by_value(records):
    """Missing cells are values: no record is left out, in no measure."""
    assert measured(in_pandas(records)) == pytest.approx(expected(records), rel=1e-12, abs=1e-12)


@given(records=RECORDS)
@settings(max_examples=examples(60))
def test_quick_values_count_as_others_do(records):
    """Integers and categories, which need no hash table, measure as the same values in text.

    So do they where they are too many bits for one key.
    """
    frame = pl.DataFrame(records, schema=NAMES, orient="row").with_columns(
        pl.col("zip").cast(pl.Enum(["z", "b", "a"])), pl.col("disease").cast(pl.Categorical)
    )
    twice = [f"{name} {i}" for i in range(12) for name in ("age", "zip", "code")]
    many = frame.with_columns(pl.col(name.split()[0]).alias(name) for name in twice)
    assert measured(frame) == pytest.approx(expected(records), rel=1e-12, abs=1e-12)
    found, few = measured(many, ["age", "zip", "code", *twice]), expected(records)
    assert found == pytest.approx(few, rel=1e-12, abs=1e-12)


@given(records=RECORDS, seed=st.integers(0, 100))
@settings(max_examples=examples(60))
def test_a_shuffled_frame_gives_the_same_numbers(records, seed):
    """The index of a pandas frame is no position: shuffled with its index, nothing changes."""
    frame = in_pandas(records)
    shuffled = frame.sample(frac=1, random_state=seed)
    assert measured(shuffled) == pytest.approx(measured(frame), rel=1e-12, abs=1e-12)


@given(records=RECORDS, others=RECORDS)
@settings(max_examples=examples(60))
def test_a_filtered_frame_gives_the_numbers_of_its_rows(records, others):
    """Rows that were filtered out leave gaps in the index, levels in categories, and no trace."""
    mixed = [*others, *records]
    frame = in_pandas(mixed)
    kept = frame[[False] * len(others) + [True] * len(records)]
    assert measured(kept) == pytest.approx(expected(records), rel=1e-12, abs=1e-12)


def test_levels_that_no_row_has_are_no_classes():
    """A category without a row is no class of size 0: k is that of the rows."""
    frame = pd.DataFrame({"zip": pd.Categorical(list("aabb"), list("abcdef"))})
    found = ka.measure(frame, quasi_identifiers=["zip"])
    assert (found.k, found.classes) == (2, 2)


def test_one_unique_row_with_nan_makes_k_1():
    """A row with a missing quasi-identifier counts: alone it makes k 1, as a wildcard it blends in.

    It is compatible with the three rows of its zip code.
    """
    frame = pd.DataFrame({"age": [30.0, 30, 30, None], "zip": ["a"] * 4, "s": [1, 2, 3, 4]})
    found = ka.measure(frame, quasi_identifiers=["age", "zip"], sensitive=["s"])
    assert (found.rows, found.classes, found.k, found.k_wildcard) == (4, 2, 1, 4)
    assert found.attributes["s"].l_distinct == 1


@pytest.mark.parametrize("values", [["x", "y", None, None], [1.0, 2.0, None, None]])
def test_missing_sensitive_values_are_one_value(values):
    """Null is one value of a sensitive attribute, of texts and of numbers."""
    found = ka.measure(
        pd.DataFrame({"q": [1, 1, 1, 1], "s": values}), quasi_identifiers=["q"], sensitive=["s"]
    ).attributes["s"]
    assert (found.l_distinct, found.alpha) == (3, 0.5)


@given(records=RECORDS)
@settings(max_examples=examples(60))
def test_numbers_that_name_categories_are_ordered_in_one_measure_only(records):
    """Codes measure as the categories that they stand for, in all but the ordered distance."""
    code = {"flu": 10, "cold": 1, "angina": 7, None: 3}
    frame = in_pandas(records)
    coded = measured(frame.assign(disease=[code[record[3]] for record in records]))
    named = measured(frame)
    for found in (coded, named):
        found.pop("/attributes/disease/t_ordered")
    assert coded == pytest.approx(named, rel=1e-12, abs=1e-12)


def test_both_distances_are_told_of_coded_categories():
    """With codes 1, 2 and 9 the ordered and the equal distance differ, and both are there."""
    frame = pl.DataFrame({"q": [0, 0, 1, 1, 1, 1], "s": [1, 1, 9, 9, 2, 2]})
    found = ka.measure(frame, quasi_identifiers=["q"], sensitive=["s"]).attributes["s"]
    assert found.t_equal == pytest.approx(2 / 3)
    assert found.t_ordered == pytest.approx((2 / 3 + 1 / 3) / 2)
    text = frame.with_columns(pl.col("s").cast(pl.String))
    named = ka.measure(text, quasi_identifiers=["q"], sensitive=["s"]).attributes["s"]
    assert named.t_equal == found.t_equal


def suppressed_of(labels):
    """Return the rows of stars alone and the smallest class of the others, from a dict of lists."""
    sizes = Counter(labels)
    stars = sum(size for row, size in sizes.items() if {*row} == {"*"})
    others = [size for row, size in sizes.items() if {*row} != {"*"}]
    return (stars, min(others, default=0)) if stars else (0, None)


@given(st.lists(st.tuples(*[st.sampled_from(["*", "a", None])] * 2), min_size=1, max_size=20))
def test_rows_of_stars_alone_are_told_and_k_is_given_without_them(rows):
    """Other tools write suppressed records so: they are a class that hides how small others are."""
    frame = pl.DataFrame(rows, schema={"x": pl.String, "y": pl.String}, orient="row")
    found = ka.measure(frame, quasi_identifiers=["x", "y"])
    assert (found.suppressed, found.k_unsuppressed) == suppressed_of(rows)
    assert found.k == min(Counter(rows).values())
    risk = ka.risk(frame, quasi_identifiers=["x", "y"]).entries()
    assert ("suppressed" in risk) == (found.suppressed > 0)
    if found.suppressed:
        told = risk["suppressed"].value, risk["k_unsuppressed"].value
        assert told == (found.suppressed, found.k_unsuppressed)
