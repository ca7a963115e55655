"""Laws of re-identification, of both forms, against plain twins."""

from __future__ import annotations

import json
import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.data.errors import DataError, SchemaError
from kanonym.sigo.anonymizers import clusters_of, models_of
from kanonym.sigo.attributes import identities, read_attribute
from kanonym.sigo.records import _read_sequence, json_lines
from kanonym.sigo.reidentification import reidentify, reidentify_in_clusters, standardize

CELLS = st.integers(-4, 4)


def of(rows):
    """Return rows as records read from a file."""
    return _read_sequence("\n".join(map(json.dumps, rows)), "file")


def found_by(original, masked, *, threshold=0.0, sensitive=("z",), names=("x", "y")):
    """Return what is printed, parsed."""
    found = reidentify(of(original), of(masked), names, sensitive, threshold)
    rows = [json.loads(line) for line in found.printed.splitlines()]
    assert found.n_found == len(rows)
    return rows


def scaled(points):
    """Standardize a list of points: mean to two decimals, deviation around it."""
    columns = []
    for column in zip(*points, strict=True):
        mean = statistics.fmean(column)
        mean = math.copysign(math.floor(100 * abs(mean) + 0.5), mean) / 100
        deviation = math.sqrt(sum((value - mean) ** 2 for value in column) / len(column))
        constant = len(set(column)) == 1
        columns.append([0.0 if constant else (value - mean) / deviation for value in column])
    return list(zip(*columns, strict=True))


def naive(original, masked):
    """Return the expected lines: every distance, no index."""
    groups = {}
    for row in masked:
        groups.setdefault((row["x"], row["y"]), []).append(row["z"])
    places = scaled(list(groups))
    asked = scaled([(row["x"], row["y"]) for row in original])
    printed = []
    for row, point in zip(original, asked, strict=True):
        distances = [math.dist(point, place) for place in places]
        nearest = min(distances)
        near = [i for i, one in enumerate(distances) if one <= nearest + 1e-12]
        told = [list(groups.values())[i] for i in near]
        printed.append((row, 1 / (1 + nearest), [set(values) for values in told]))
    return printed


@settings(max_examples=examples(150))
@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12),
    st.lists(st.tuples(CELLS, CELLS, st.sampled_from("ab")), min_size=1, max_size=12),
)
def test_the_nearest_group_gives_its_value_away(open_data, anonymized):
    """Printed are those whose nearest group agrees on the value, with its similarity."""
    original = [{"x": x, "y": y} for x, y in open_data]
    masked = [{"x": x, "y": y, "z": z} for x, y, z in anonymized]
    found = iter(found_by(original, masked))
    for row, similarity, told in naive(original, masked):
        if all(len(values) > 1 for values in told):
            continue
        if len(told) > 1:  # groups equally near: which one, the next test says
            return
        one = next(found)
        assert {"x": one["x"], "y": one["y"]} == row
        assert one["sensitive"] == list(told[0])
        assert one["similarity"] == pytest.approx(100 * similarity, abs=0.00501)
    assert next(found, None) is None


@pytest.mark.parametrize("first", [-1, 1])
def test_of_groups_equally_near_the_first_one_counts(first):
    """A record between two groups takes the one that comes first in the file."""
    masked = [{"x": x, "z": "first" if x == first else "last"} for x in (first, -first)]
    original = [{"x": x} for x in (0, -5, 5)]
    assert found_by(original, masked, names=["x"])[0]["sensitive"] == ["first"]


def test_many_groups_equally_near_are_looked_through():
    """However many groups are equally near, the first of them is found."""
    angles = np.arange(0, 16) / 16 * 2 * math.pi
    corners = [(1, 1), (-1, 1), (1, -1), (-1, -1)]
    masked = [{"x": x, "y": y, "z": str(i)} for i, (x, y) in enumerate(corners)]
    original = [{"x": 0, "y": 0}, *({"x": math.cos(a), "y": math.sin(a)} for a in angles)]
    assert found_by(original, masked)[0]["sensitive"] == ["0"]


def test_values_are_given_only_where_a_group_agrees():
    """A group that differs, or has null, gives nothing; equal numbers are one group."""
    masked = [
        {"x": 1, "y": 0, "z": "a"},
        {"x": 1.0, "y": 0, "z": "b"},
        {"x": 5, "y": 0, "z": None},
        {"x": 9, "y": 0, "z": 7},
        {"x": 9, "y": 0, "z": 7},
    ]
    original = [{"x": x, "y": 0} for x in (1, 5, 9)]
    assert [(row["x"], row["sensitive"]) for row in found_by(original, masked)] == [(9, [7])]


def test_several_sensitive_attributes_are_given_together():
    """Two sensitive attributes are both known, or nothing is told."""
    masked = [{"x": 1, "z": "a", "w": 1}, {"x": 9, "z": "b", "w": 1}, {"x": 9, "z": "b", "w": 2}]
    original = [{"x": 1}, {"x": 9}]
    found = found_by(original, masked, sensitive=("z", "w"), names=["x"])
    assert [row["sensitive"] for row in found] == [["a", 1]]


def test_threshold_is_met_from_the_similarity_on():
    """A similarity equal to the threshold is printed, one below is not."""
    masked = [{"x": 0, "z": "a"}, {"x": 2, "z": "b"}]
    original = [{"x": 0}, {"x": 2}]
    assert len(found_by(original, masked, names=["x"], threshold=1)) == 2
    original = [{"x": 0}, {"x": 1}, {"x": 2}]
    assert len(found_by(original, masked, names=["x"], threshold=1)) == 0


def test_further_numbers_add_to_the_distance_and_are_warned_of():
    """Another column of numbers adds its standardized value, as in SIGO; texts do not."""
    masked = [{"x": 0, "z": "a"}, {"x": 2, "z": "b"}]
    original = [{"x": 0, "id": 1, "name": "A"}, {"x": 2, "id": 3, "name": "B"}]
    found = reidentify(of(original), of(masked), ["x"], ["z"], 0)
    assert [json.loads(line)["similarity"] for line in found.printed.splitlines()] == [50, 50]
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith("id of file is not a quasi-identifier but a number")


def test_deviation_is_around_the_rounded_mean():
    """Values below a hundredth are standardized as SIGO does; constant columns become 0."""
    points = np.array([[0.001, 7.0], [0.002, 7.0]])
    deviation = math.sqrt((0.001**2 + 0.002**2) / 2)
    expected = [[0.001 / deviation, 0], [0.002 / deviation, 0]]
    assert standardize(points) == pytest.approx(np.array(expected))


def test_what_cannot_be_compared_is_refused():
    """Texts, a missing column, and anonymized data without a record are refused."""
    one = [{"x": "a", "z": 1}]
    with pytest.raises(SchemaError, match="'x' holds texts"):
        found_by(one, one, names=["x"])
    with pytest.raises(SchemaError, match="no such column: 'w'"):
        found_by(one, one, sensitive=["w"], names=["x"])
    with pytest.raises(DataError, match="holds no record"):
        found_by(one, [], names=["x"])


# --- inside of clusters ------------------------------------------------------


def merged(rows, k=2):
    """Return what `-a reidentification` prints of a merged file, parsed, in printed order."""
    records = of(rows)
    attributes = [read_attribute(records, name) for name in ("x", "y")]
    flag = identities(records.columns["original"]).alias("original")
    made = clusters_of(attributes, [flag], models_of(k, 2, ["original"], entropy=False))
    values = reidentify_in_clusters(records, attributes, made, "original", "z")
    printed = json_lines(records, made.order, values).decode()
    return [json.loads(line) for line in printed.splitlines()]


def test_one_value_of_a_cluster_is_found_with_certainty():
    """Where the anonymized records share the value, the others get it with similarity 1."""
    rows = [{"original": 0, "x": 1, "y": 1, "z": "a"}, {"original": 0, "x": 2, "y": 2, "z": "a"}]
    assert merged([*rows, {"original": 1, "x": 1, "y": 2}], k=3) == [
        *rows,
        {"original": 1, "x": 1, "y": 2, "z": "a", "similarity": 1},
    ]


def test_equal_records_that_differ_in_the_value_tell_nothing():
    """Where the anonymized records are alike but not their values, nothing is added."""
    rows = [
        {"original": 0, "x": 1, "y": 1, "z": "a"},
        {"original": 0, "x": 1, "y": 1, "z": "b"},
        {"original": 1, "x": 1, "y": 2},
    ]
    assert merged(rows, k=3) == rows


@settings(max_examples=examples(100))
@given(
    st.lists(
        st.tuples(st.integers(0, 1), CELLS, CELLS, st.sampled_from("ab")), min_size=2, max_size=10
    )
)
def test_the_nearest_record_of_a_cluster_gives_its_value(cells):
    """Elsewhere the nearest anonymized record gives its value, the last one of equals."""
    rows = [{"original": o, "x": x, "y": y} | ({} if o else {"z": z}) for o, x, y, z in cells]
    if {row["original"] for row in rows} != {0, 1}:
        return
    found = merged(rows, k=len(rows))
    masked = [row for row in rows if not row["original"]]
    points = scaled([(row["x"], row["y"]) for row in rows])
    place = {(row["x"], row["y"]): point for row, point in zip(rows, points, strict=True)}
    shared = len({row["z"] for row in masked}) == 1
    alike = len({(row["x"], row["y"]) for row in masked}) == 1
    for row in found:
        if not row["original"]:
            assert row in masked
        elif shared:
            assert (row["z"], row["similarity"]) == (masked[0]["z"], 1)
        elif alike:
            assert "similarity" not in row
        else:
            own = place[row["x"], row["y"]]
            distances = [math.dist(own, place[one["x"], one["y"]]) for one in masked]
            nearest = min(distances)
            assert row["similarity"] == pytest.approx(1 / (1 + nearest))
            last = [i for i, one in enumerate(distances) if one <= nearest + 1e-12]
            assert row["z"] in {masked[i]["z"] for i in last}


def test_clusters_without_anonymized_records_are_refused():
    """A cluster of open data alone is an error that says which flag is missing."""
    rows = [{"original": int(x > 5), "x": x, "y": 0, "z": "a"} for x in (1, 2, 8, 9)]
    records = of(rows)
    attributes = [read_attribute(records, "x")]
    made = clusters_of(attributes, [], models_of(2, 1, [], entropy=False))
    with pytest.raises(DataError, match=r"cluster of file:3 has no anonymized record: .* -l 2"):
        reidentify_in_clusters(records, attributes, made, "original", "z")


def test_flags_are_0_or_1():
    """The flag of a merged file is 0 or 1, as number, text or boolean; else it is an error."""
    rows = [{"original": "0", "x": 1, "y": 1, "z": "a"}, {"original": True, "x": 1, "y": 1}]
    assert merged(rows)[1]["similarity"] == 1
    with pytest.raises(DataError, match="file:2: 'original' is 2; it must be 0"):
        merged([rows[0], {**rows[1], "original": 2}])
