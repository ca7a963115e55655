"""Laws of re-identification by similarity, and the example of the tool that it comes from."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.evaluation.attacks import similarity_attack
from twins import neighbours as naive_similarity

CELL = st.one_of(st.none(), st.integers(-4, 4), st.sampled_from([0.5, 2.25]))


def rows_of(width, min_size=0):
    """Draw rows of numbers and missing values."""
    return st.lists(st.tuples(*[CELL] * width), min_size=min_size, max_size=25)


def table(rows, **further):
    """Return rows of numbers as a table of columns c0, c1, ... and what else there is."""
    width = len(rows[0]) if rows else 2
    columns = {
        f"c{a}": pl.Series([row[a] for row in rows], dtype=pl.Float64, strict=False)
        for a in range(width)
    }
    return pl.DataFrame({**columns, **further})


@given(
    rows_of(2),
    rows_of(2),
    st.data(),
    st.sampled_from(["euclidean", "manhattan"]),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    st.booleans(),
)
@settings(max_examples=examples(300))
def test_equals_the_twin(persons, released, data, distance, threshold, standardize):
    """Groups, distances, shared values and who is re-identified are as by comparing all pairs."""
    secrets = data.draw(
        st.lists(
            st.sampled_from(["flu", "cold", None]), min_size=len(released), max_size=len(released)
        )
    )
    hidden = pl.Series(secrets, dtype=pl.String)
    for known in (secrets, None):
        attack = similarity_attack(
            table(persons),
            table(released, ill=hidden),
            ["c0", "c1"],
            sensitive=None if known is None else "ill",
            distance=distance,
            threshold=threshold,
            standardize=standardize,
        )
        expected = naive_similarity.attacked(
            persons, released, known, distance, threshold, standardize=standardize
        )
        assert attack.nearest.tolist() == [one.group for one in expected]
        assert attack.distance.tolist() == pytest.approx([one.distance for one in expected])
        assert (attack.similarity == 1 / (1 + attack.distance)).all()
        assert attack.reidentified.tolist() == [one.reidentified for one in expected]
        assert attack.number == sum(one.reidentified for one in expected)
        assert attack.share == attack.number / max(1, len(persons))
        if known is None:
            assert attack.sensitive is None
        else:
            assert attack.sensitive.to_list() == [one.sensitive for one in expected]


@given(rows_of(2, min_size=1))
def test_groups_are_the_distinct_released_values(released):
    """Each group has the row that comes first, in their order, and as many rows as are equal."""
    attack = similarity_attack(table([(0, 0)]), table(released), ["c0", "c1"])
    whole = [row for row in released if None not in row]
    distinct = list(dict.fromkeys(whole))
    assert [released[row] for row in attack.first] == distinct
    assert attack.first.tolist() == [released.index(row) for row in distinct]
    assert attack.sizes.tolist() == [whole.count(row) for row in distinct]


KNOWN = [
    *((5, 6), (3, 7), (4, 4), (2, 10), (8, 4), (8, 10), (3, 16), (7, 19)),
    *((6, 18), (4, 19), (7, 14), (10, 14), (15, 5), (15, 7), (11, 9), (12, 3)),
    *((18, 6), (14, 6), (20, 20), (18, 19), (20, 18), (18, 18), (14, 18), (19, 15)),
]
RELEASED = [
    *((3, 7, "bac"), (7, 6.67, "aaa"), (4.33, 17.67, "aba"), (8, 15.67, "cac")),
    *((12.33, 6, "bac"), (16, 6, "cbc"), (16.67, 18.33, "bcc"), (19.67, 17.67, "bbb")),
]


def as_sigo_scales(rows):
    """Return columns less their means, rounded to cents, over deviations around those."""
    points = np.array(rows, float)
    means = np.round(points.mean(axis=0), 2)
    return (points - means) / np.sqrt(((points - means) ** 2).mean(axis=0))


@pytest.mark.parametrize(
    ("threshold", "found"),
    [
        (
            0.6,
            {
                (5, 6): ("a", 75.36),
                (8, 4): ("a", 69.3),
                (8, 10): ("a", 60.59),
                (20, 20): ("b", 74.69),
                (20, 18): ("b", 98.11),
                (19, 15): ("b", 65.02),
            },
        ),
        (0.9, {(20, 18): ("b", 98.11)}),
    ],
)
def test_the_published_example(threshold, found):
    """On values in SIGO's scales, those and no others are found that SIGO's README prints."""
    persons = as_sigo_scales(KNOWN).tolist()
    groups = as_sigo_scales([(x, y) for x, y, _ in RELEASED]).tolist()
    rows = [group for group in groups for _ in range(3)]
    secrets = [z for _, _, values in RELEASED for z in values]
    attack = similarity_attack(
        table(persons),
        table(rows, z=secrets),
        ["c0", "c1"],
        sensitive="z",
        threshold=threshold,
        standardize=False,
    )
    printed = {
        KNOWN[i]: (attack.sensitive[i], round(100 * attack.similarity[i], 2))
        for i in np.flatnonzero(attack.reidentified).tolist()
    }
    assert printed == found


def test_a_table_against_itself_gives_everybody_away():
    """Released as it is, everybody has similarity 1, at any threshold."""
    rows = [(x, y) for x, y in KNOWN if (x, y) != (18, 6)]
    attack = similarity_attack(table(rows), table(rows), ["c0", "c1"], threshold=1)
    assert attack.share == 1
    assert attack.nearest.tolist() == list(range(len(rows)))


@pytest.mark.parametrize("factor", [1000, 1e-7])
def test_standardized_units_do_not_matter(factor):
    """In metres or in kilometres, the same are found; unstandardized they are not."""
    random = np.random.default_rng(1)
    known, noise = random.normal(size=(50, 2)), random.normal(size=(50, 2))
    released = known + 0.3 * noise
    scale = np.array([factor, 1])
    found = [
        similarity_attack(
            table((known * unit).tolist()),
            table((released * unit).tolist()),
            ["c0", "c1"],
            standardize=standardize,
        )
        for unit in (1, scale)
        for standardize in (True, False)
    ]
    assert found[0].nearest.tolist() == found[2].nearest.tolist()
    assert found[0].similarity == pytest.approx(found[2].similarity)
    assert found[1].nearest.tolist() != found[3].nearest.tolist()


def test_frames_of_any_library_are_attacked(frame):
    """Known persons and release may come from pandas, polars or pyarrow."""
    known = frame({"age": [34, 61], "income": [1900.0, 2500.0]})
    released = frame(
        {"age": [33, 33, 60, 60], "income": [2000, 2000, 2500, 2500], "ill": list("abcc")}
    )
    attack = similarity_attack(known, released, ["age", "income"], sensitive="ill")
    assert attack.nearest.tolist() == [0, 1]
    assert attack.sensitive.to_list() == [None, "c"]
    assert attack.reidentified.tolist() == [False, True]


def test_intervals_count_as_their_middle():
    """Intervals, single numbers as text and suppressed cells are read as kanonym writes them."""
    released = pl.DataFrame({"age": ["[20, 30)", "[24, 26]", "[-1.5, 1e1]", "40", "*", None]})
    known = pl.DataFrame({"age": [25.0, 4.25, 39.0]})
    attack = similarity_attack(known, released, ["age"], standardize=False)
    assert attack.first.tolist() == [0, 1, 2, 3]
    assert attack.nearest.tolist() == [0, 2, 3]
    assert attack.distance.tolist() == [0, 0, 1]


def test_a_release_of_nobody_gives_nobody_away():
    """Without a released record, nobody is found, whatever the threshold."""
    attack = similarity_attack(
        table([(1, 2)]), table([(1, 2)], z=["a"]).clear(), ["c0", "c1"], sensitive="z", threshold=0
    )
    assert attack.nearest.tolist() == [-1]
    assert attack.distance.tolist() == [math.inf]
    assert (attack.number, attack.sensitive.to_list()) == (0, [None])


def test_numbers_far_beyond_the_known_are_far_away():
    """A spread of next to nothing does not overflow: who is beyond all bounds is not similar."""
    known = pl.DataFrame({"x": [0.0, 1e-200]})
    attack = similarity_attack(known, pl.DataFrame({"x": [1e149, -1e150]}), ["x"])
    assert attack.number == 0
    assert np.isfinite(attack.distance).all()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"columns": []}, SchemaError, "name one or more quasi-identifiers"),
        ({"columns": ["c0", "c0"]}, SchemaError, "name one or more quasi-identifiers, each"),
        ({"columns": ["c0", "c9"]}, DataError, "no column 'c9'; the table has: c0, c1"),
        ({"sensitive": "c1"}, SchemaError, "'c1' is what the intruder wants to know"),
        ({"sensitive": "zz"}, DataError, "no column 'zz'"),
        ({"distance": "cosine"}, PolicyError, "'cosine'; it must be euclidean or manhattan"),
        ({"threshold": 1.5}, PolicyError, "threshold is 1.5; it must be a number of at least 0"),
        ({"threshold": -1}, PolicyError, "threshold is -1; it must be a number of at least 0"),
    ],
)
def test_what_makes_no_sense_is_refused(change, error, message):
    """Columns that are not there, distances and thresholds that do not exist are said."""
    arguments = {"columns": ["c0", "c1"], "sensitive": "z", **change}
    columns = arguments.pop("columns")
    with pytest.raises(error, match=message):
        similarity_attack(table([(1, 2)]), table([(1, 2)], z=["a"]), columns, **arguments)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (["7", "Rome"], DataError, "column 'x', row 2: 'Rome' is neither a finite number nor an"),
        ([1.0, math.inf], DataError, "column 'x', row 2: inf is neither a finite number"),
        ([1.0, -1e151], DataError, r"column 'x', row 2: -1e\+151 is neither a finite number"),
        (["1", "[1, inf)"], DataError, r"row 2: '\[1, inf\)' is neither a finite number"),
        ([dt.date(2020, 1, 1)], SchemaError, "column 'x' holds Date.* compares numbers"),
        ([True], SchemaError, "column 'x' holds Boolean.* compares numbers"),
    ],
)
def test_values_without_a_distance_are_refused(values, error, message):
    """Words, dates and infinite numbers are refused in either table, with their row."""
    wrong, right = pl.DataFrame({"x": values}), pl.DataFrame({"x": [1, 2]})
    for known, released in ((wrong, right), (right, wrong)):
        with pytest.raises(error, match=message):
            similarity_attack(known, released, ["x"])
