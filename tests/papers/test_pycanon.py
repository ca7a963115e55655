"""pycanon 1.3.6 on its own example tables: where we agree, and where we differ and why."""

from __future__ import annotations

import math

import pandas as pd
import polars as pl
import pytest

import kanonym as ka
from kanonym.metrics.disclosure import measure_table
from model_classes import classes

FILES = ["StudentsMath_Score_k5.csv", "drugs_k5.csv", "hospital_anonymized.csv", "stroke_k5.csv"]


@pytest.fixture(params=FILES)
def golden(request, shared_data):
    """Return pycanon's numbers on one table, our classes of it, and our numbers."""
    listed = pl.read_csv(shared_data.parent / "golden" / "pycanon.csv")
    theirs = listed.row(by_predicate=pl.col("file") == request.param, named=True)
    table = pl.read_csv(shared_data / "pycanon" / request.param)
    seen = classes(table.select(theirs["qi"].split("|")).rows(), s=table[theirs["sa"]].to_list())
    return theirs, seen, measure_table(seen)


def test_sizes_agree(golden):
    """Records, classes and k agree."""
    theirs, _, ours = golden
    assert (ours.rows, ours.classes, ours.k) == (theirs["rows"], theirs["classes"], theirs["k"])
    assert ours.k == theirs["alpha_k_k"]


@pytest.mark.parametrize(
    ("measure", "column"),
    [
        ("alpha", "alpha"),
        ("l_distinct", "l"),
        ("l_entropy", "exp_min_entropy"),
        ("basic_beta", "basic_beta"),
        ("delta_disclosure", "delta"),
    ],
)
def test_disclosure_agrees(golden, measure, column):
    """alpha, distinct l, entropy l before truncation, basic beta and delta agree to 1e-9."""
    theirs, _, ours = golden
    assert getattr(ours.attributes["s"], measure) == pytest.approx(theirs[column], abs=1e-9)


def test_closeness_agrees(golden):
    """T agrees to 1e-9: ordered for what pycanon takes for numbers, equal distance for text."""
    theirs, _, ours = golden
    distance = "t_equal" if theirs["sa_dtypes"] == "object" else "t_ordered"
    assert getattr(ours.attributes["s"], distance) == pytest.approx(theirs["t"], abs=1e-9)


def test_enhanced_beta_agrees_where_one_value_decides(golden):
    """Enhanced beta agrees on these tables, and is a lower bound of pycanon's in general.

    pycanon pairs the largest gain of any value with the largest -ln p of any value;
    we cap each value's gain at its own -ln p.
    """
    theirs, _, ours = golden
    assert ours.attributes["s"].enhanced_beta == pytest.approx(theirs["enhanced_beta"], abs=1e-9)


def test_enhanced_beta_is_about_one_value_at_a_time():
    """A rare value that gains nothing does not lift the cap of a common one, as in pycanon.

    Of 100 records each, the classes have 95 and 5 of one value, 3 and 93 of another
    and 2 and 2 of a rare third. The second gains most, 45/48, above its own cap
    -ln 0.48 = 0.73; pycanon compares it with the cap of the rare one, -ln 0.02 = 3.9.
    """
    values = [0] * 95 + [1] * 3 + [2] * 2 + [0] * 5 + [1] * 93 + [2] * 2
    ours = measure_table(classes("a" * 100 + "b" * 100, s=values)).attributes["s"]
    pycanons = max(min(ours.basic_beta, -math.log(p)) for p in (0.5, 0.48, 0.02))
    assert ours.basic_beta == pytest.approx(45 / 48) == pycanons
    assert ours.enhanced_beta == pytest.approx(-math.log(0.48))


def test_entropy_l_is_not_truncated(golden):
    """Pycanon truncates exp(H) to an integer; we report the real number."""
    theirs, _, ours = golden
    assert theirs["entropy_l"] <= ours.attributes["s"].l_entropy < theirs["entropy_l"] + 1 + 1e-9


@pytest.mark.parametrize("file", FILES)
def test_files_give_the_same_numbers(shared_data, file):
    """Read and measured as a user would, the files give pycanon's numbers, too."""
    listed = pl.read_csv(shared_data.parent / "golden" / "pycanon.csv")
    theirs = listed.row(by_predicate=pl.col("file") == file, named=True)
    ours = ka.measure(
        ka.read_table(shared_data / "pycanon" / file),
        quasi_identifiers=theirs["qi"].split("|"),
        sensitive=[theirs["sa"]],
    )
    sensitive = ours.attributes[theirs["sa"]]
    assert (ours.rows, ours.classes, ours.k) == (theirs["rows"], theirs["classes"], theirs["k"])
    assert sensitive.l_distinct == theirs["l"]
    assert sensitive.alpha == pytest.approx(theirs["alpha"], abs=1e-9)
    assert sensitive.basic_beta == pytest.approx(theirs["basic_beta"], abs=1e-9)
    assert sensitive.delta_disclosure == pytest.approx(theirs["delta"], abs=1e-9)


@pytest.mark.parametrize("file", FILES)
def test_shuffled_and_filtered_frames_give_the_same_numbers(shared_data, file):
    """Shuffled, with rows filtered out and the index kept, a pandas frame measures the same.

    Pycanon reads index labels as positions: it fails, or gives other numbers silently.
    """
    listed = pl.read_csv(shared_data.parent / "golden" / "pycanon.csv")
    theirs = listed.row(by_predicate=pl.col("file") == file, named=True)
    asked = {"quasi_identifiers": theirs["qi"].split("|"), "sensitive": [theirs["sa"]]}
    table = pd.read_csv(shared_data / "pycanon" / file)
    twice = pd.concat([table, table], ignore_index=True).sample(frac=1, random_state=0)
    kept = twice[twice.index >= len(table)]
    assert not kept.index.is_monotonic_increasing
    one, other = ka.measure(table, **asked), ka.measure(kept, **asked)
    assert (other.k, other.classes, other.rows) == (theirs["k"], theirs["classes"], theirs["rows"])
    mine, shuffled = one.attributes[theirs["sa"]], other.attributes[theirs["sa"]]
    for name in ("t_equal", "t_ordered", "delta_disclosure", "basic_beta", "alpha", "l_entropy"):
        assert getattr(shuffled, name) == pytest.approx(getattr(mine, name), rel=1e-12)
    assert shuffled.basic_beta == pytest.approx(theirs["basic_beta"], abs=1e-9)


@pytest.mark.parametrize("l", [2, 3, 4, 6, 7, 8, 10])
def test_entropy_l_of_equal_counts_is_l(l):
    """L equally frequent values have entropy l; pycanon's truncation of a rounded l gives l - 1."""
    assert measure_table(classes("a" * l, s=range(l))).attributes["s"].l_entropy == pytest.approx(l)


def test_recursive_c_counts_from_the_most_frequent():
    """Counts 7, 2, 1 with l = 3 have c = 7; pycanon sorts ascending and reports 1."""
    measured = measure_table(classes("a" * 10, s=[0] * 7 + [1] * 2 + [2])).attributes["s"]
    assert measured.l_recursive_c[3] == 7


def test_records_with_a_missing_quasi_identifier_count():
    """One record with a null in a quasi-identifier is a class of its own; pycanon leaves it out."""
    labels = [("x",), ("x",), ("x",), (None,)]
    assert measure_table(classes(labels, s=[1, 2, 3, 4])).k == 1


def test_a_single_sensitive_value_is_no_error():
    """A numeric attribute with one value has t = 0; pycanon divides by zero."""
    assert measure_table(classes("aab", s=[1, 1, 1])).attributes["s"].t_ordered == 0


def test_order_of_records_does_not_matter():
    """Shuffled records give the same numbers; pycanon reads index labels as positions."""
    labels, values = "aabbbccc", [1, 2, 1, 1, 3, 2, 2, 3]
    turned = [3, 7, 0, 5, 1, 6, 2, 4]
    one = measure_table(classes(labels, s=values))
    other = measure_table(classes([labels[i] for i in turned], s=[values[i] for i in turned]))
    assert one == other
