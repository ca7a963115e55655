"""Information loss: by hand on small tables, and recomputed from the released texts."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
import released_texts as reading
from effort import examples
from kanonym.data import hierarchy
from kanonym.data.partition import Partition
from kanonym.data.table import encode
from kanonym.metrics.certainty import Coverage, certainty_costs
from kanonym.metrics.release_loss import InformationLoss, measure_utility
from kanonym.recoding.recode import recode

RANK = pl.Enum(["low", "mid", "high"])


def utility(columns, labels, recodings, sources=None):
    """Measure records whose class is given (-1 suppressed); columns and recodings by name."""
    series = [pl.Series(name, values) for name, values in columns.items()]
    table = encode([(one, (sources or {}).get(one.name)) for one in series], [], len(labels))
    partition = Partition(np.array(labels, np.int32), max(labels, default=-1) + 1, by_row=True)
    chosen = [recodings[name] for name in columns]
    recoded = recode(table, partition, chosen, certainty_costs(table.domains, chosen))
    sizes = np.bincount(partition.labels[partition.labels >= 0])
    return measure_utility(table, partition, recoded, sizes)


# --- NCP and GCP ----------------------------------------------------------------------


@pytest.mark.parametrize("recoding", ["interval", "range", "mean", "median", "mode"])
def test_a_number_loses_the_width_of_its_class_over_that_of_the_table(recoding):
    """In a table from 0 to 10, a class from 2 to 4 loses 0.2 and a class of one value nothing."""
    found = utility({"x": [2, 4, 0, 10, 10]}, [0, 0, 1, 2, 2], {"x": recoding})
    assert found.ncp["x"] == pytest.approx(2 * 0.2 / 5)
    found = utility({"x": [0, 5, 10, 10]}, [0, 0, 1, 1], {"x": recoding})
    assert found.ncp["x"] == pytest.approx(2 * 0.5 / 4)


def test_a_set_loses_its_further_members_over_those_of_the_table():
    """Of four values a set of three loses 2/3, one of two 1/3, a single value nothing."""
    values = ["a", "b", "c", "c", "d", "d"]
    found = utility({"x": values}, [0, 0, 0, 1, 1, 2], {"x": "set"})
    assert found.ncp["x"] == pytest.approx((3 * 2 / 3 + 2 * 1 / 3) / 6)


def test_a_set_of_numbers_loses_by_members_not_by_width():
    """The set {0, 100} of three values loses 1/2, though it spans the table."""
    found = utility({"x": [0, 100, 7]}, [0, 0, 1], {"x": "set"})
    assert found.ncp["x"] == pytest.approx(2 * 0.5 / 3)


def test_a_label_loses_the_leaves_below_it_over_those_of_the_hierarchy():
    """France has two of the four leaves of the world: it loses 1/3; the data need not know all."""
    tree = hierarchy.from_mapping(
        {"world": {"France": ["Paris", "Lyon"], "Italy": ["Rome", "Pisa"]}}
    )
    values = ["Paris", "Lyon", "Rome", "Paris", "Rome"]
    found = utility({"x": values}, [0, 0, 1, 2, 2], {"x": "hierarchy"}, {"x": tree})
    assert found.ncp["x"] == pytest.approx((2 / 3 + 2) / 5)


def test_ordered_categories_lose_by_rank():
    """From low to mid is half of the way from low to high."""
    values = pl.Series(["low", "mid", "high", "high"], dtype=RANK)
    found = utility({"x": values}, [0, 0, 1, 1], {"x": "interval"})
    assert found.ncp["x"] == pytest.approx(2 * 0.5 / 4)


@pytest.mark.parametrize("recoding", ["interval", "range", "mean", "mode"])
def test_null_among_numbers_loses_everything_and_alone_nothing(recoding):
    """A class of nulls is released unchanged; one of nulls and numbers says nothing."""
    found = utility({"x": [1, None, None, 3]}, [0, 0, 1, 2], {"x": recoding})
    assert found.ncp["x"] == pytest.approx(2 / 4)


def test_gcp_is_the_mean_over_attributes():
    """An attribute that loses 1 and one that loses 0 make 1/2."""
    found = utility({"x": [0, 1], "y": ["a", "a"]}, [0, 0], {"x": "interval", "y": "set"})
    assert found.ncp == {"x": 1.0, "y": 0.0}
    assert found.gcp == 0.5


def test_suppressed_records_lose_everything():
    """Of four records in classes without loss, a suppressed one costs 1/4 in each attribute."""
    found = utility({"x": [1, 1, 2, 9]}, [0, 0, 1, -1], {"x": "interval"})
    assert found.ncp["x"] == pytest.approx(0.25)
    assert found.suppressed == 1


# --- classes --------------------------------------------------------------------------


def test_discernibility_is_the_sum_of_squares_and_of_the_table_for_the_suppressed():
    """Classes of 3 and 2 with one of six records suppressed make 9 + 4 + 6."""
    found = utility({"x": [1, 1, 1, 2, 2, 3]}, [0, 0, 0, 1, 1, -1], {"x": "interval"})
    assert found.discernibility == 19
    assert found.average_class_size == 2.5


# --- RMSE -----------------------------------------------------------------------------


def test_rmse_is_the_distance_to_the_middle():
    """[0, 4] stands for 2: values 0, 1 and 4 are 2, 1 and 2 away."""
    found = utility({"x": [0, 1, 4]}, [0, 0, 0], {"x": "interval"})
    assert found.rmse["x"] == pytest.approx((9 / 3) ** 0.5)


@pytest.mark.parametrize(
    ("recoding", "centre"), [("mean", 2.0), ("median", 1.0), ("mode", 1.0), ("range", 2.5)]
)
def test_rmse_is_the_distance_to_the_released_number(recoding, centre):
    """Means, medians and modes stand for themselves, a range for its middle."""
    values = [1, 1, 4]
    found = utility({"x": values}, [0, 0, 0], {"x": recoding})
    expected = (sum((value - centre) ** 2 for value in values) / 3) ** 0.5
    assert found.rmse["x"] == pytest.approx(expected)


def test_rmse_of_a_label_is_to_the_middle_of_its_leaves():
    """A hierarchy may know numbers that the data lacks; its leaves need not stand by value."""
    tree = hierarchy.from_mapping({1: "odd", 2: "even", 3: "odd", 4: "even", 9: "odd"})
    found = utility({"x": [1, 3, 2]}, [0, 0, 1], {"x": "hierarchy"}, {"x": tree})
    assert found.rmse["x"] == pytest.approx(((4**2 + 2**2 + 0) / 3) ** 0.5)


def test_rmse_where_null_hides_the_number_is_to_the_middle_of_the_table():
    """A class released as `*`, or as null for its mode, could be anything from 0 to 10."""
    values = [0, None, None, 10]
    for recoding in ("interval", "mode"):
        found = utility({"x": values}, [0, 0, 0, 1], {"x": recoding})
        assert found.rmse["x"] == pytest.approx((5**2 / 2) ** 0.5)


def test_rmse_is_of_released_records_with_a_value():
    """Suppressed records and missing values have no error; text attributes have no RMSE."""
    found = utility({"x": [0, 2, 99]}, [0, 0, -1], {"x": "interval"})
    assert found.rmse == {"x": 1.0}
    assert utility({"x": [None, None]}, [0, 0], {"x": "set"}).rmse == {}
    nulls = pl.Series([None, None], dtype=pl.Int64)
    assert utility({"x": nulls}, [0, 0], {"x": "interval"}).rmse == {"x": 0.0}


# --- Loss -----------------------------------------------------------------------------

CITIES = hierarchy.from_mapping(
    {"world": {"France": ["Paris", "Lyon"], "Italy": ["Rome"], "Spain": ["Madrid"]}}
)


def by_levels(values, labels, levels):
    """Measure cities whose class is given, and the level of each class, -1 for a blank."""
    table = encode([(pl.Series("city", values, dtype=pl.String), CITIES)], [], len(values))
    partition = Partition(
        np.array(labels, np.int32),
        max(labels) + 1,
        by_row=True,
        levels=np.array(levels, np.int32).reshape(-1, 1),
    )
    recoded = recode(table, partition, ["hierarchy"], certainty_costs(table.domains, ["hierarchy"]))
    sizes = np.bincount(partition.labels[partition.labels >= 0])
    return measure_utility(table, partition, recoded, sizes)


def test_loss_is_the_mean_share_of_the_domain():
    """Paris as France has 2 of 4 leaves, Rome 1; a suppressed record has all."""
    found = by_levels(["Paris", "Lyon", "Rome", "Madrid"], [0, 0, 1, -1], [1, 0])
    mean = (2 / 4 + 2 / 4 + 1 / 4 + 1) / 4
    assert found.loss == pytest.approx((mean - 1 / 4) / (1 - 1 / 4), abs=1e-10)
    assert found.loss_arithmetic == pytest.approx(found.loss)


def test_loss_of_a_suppressed_cell_is_that_of_the_whole_domain():
    """A null that stood in the table is one leaf of five; one that was put there says nothing."""
    found = by_levels(["Paris", None, "Rome"], [0, 1, 2], [0, 0, -1])
    mean = (1 / 5 + 1 / 5 + 1) / 3
    assert found.loss == pytest.approx((mean - 1 / 5) / (1 - 1 / 5), abs=1e-10)


def test_loss_of_a_common_ancestor_is_read_from_its_label():
    """Mondrian released Paris and Lyon as France; the geometric mean is of x + 1."""
    columns = {"city": ["Paris", "Lyon", "Rome"], "flag": ["no", "yes", "no"]}
    recodings = {"city": "hierarchy", "flag": "hierarchy"}
    sources = {"city": CITIES, "flag": hierarchy.flat()}
    found = utility(columns, [0, 0, 1], recodings, sources)
    city, flag = ((2 / 4 + 2 / 4 + 1 / 4) / 3 - 1 / 4) / (3 / 4), ((1 + 1 + 1 / 2) / 3 - 1 / 2) * 2
    assert found.loss == pytest.approx(((city + 1) * (flag + 1)) ** 0.5 - 1, abs=1e-9)
    assert found.loss_arithmetic == pytest.approx((city + flag) / 2, abs=1e-9)


def test_loss_is_unknown_where_an_attribute_is_no_label():
    """Intervals and sets are no labels of a hierarchy."""
    columns = {"city": ["Paris", "Lyon"], "age": [1, 2]}
    found = utility(columns, [0, 0], {"city": "hierarchy", "age": "interval"}, {"city": CITIES})
    assert found.loss is None
    assert found.loss_arithmetic is None


# --- what labels cover ----------------------------------------------------------------

POSTAL = [*("01067", "01069", "04103", "10115", "10117", "20095"), *("50667", "60311", "80331")]
DAYS = pl.date_range(pl.date(2000, 1, 1), pl.date(2000, 1, 11), eager=True).to_list()


@pytest.mark.parametrize(
    ("values", "ordered"),
    [
        pytest.param(DAYS, "interval", id="dates"),
        pytest.param([1, 2, 5, 40, 70, 99], "interval", id="numbers"),
        pytest.param(pl.Series(["low", "mid", "high"], dtype=RANK), "interval", id="ranks"),
    ],
)
def test_a_list_of_ordered_values_costs_what_their_range_costs(values, ordered):
    """Listing the values of a class is no cheaper than the range from the first to the last."""
    labels = [0, 1, *[0] * (len(values) - 2)]
    listed = utility({"x": values}, labels, {"x": "set"})
    ranged = utility({"x": values}, labels, {"x": ordered})
    assert listed.span_loss == pytest.approx(ranged.span_loss)
    assert ranged.span_loss == pytest.approx(ranged.gcp)


def test_a_list_of_postal_codes_costs_the_codes_in_between():
    """Two codes at both ends of the country cost everything, and neighbours next to nothing."""
    codes = {"x": POSTAL * 2}
    apart = [0, *[1] * 7, 0] * 2
    found = utility(codes, apart, {"x": "set"})
    assert found.ncp["x"] < 0.7
    assert found.coverage["x"].span == pytest.approx((4 * 1 + 14 * 6 / 8) / 18)
    together = [0, 0, *range(1, 8)] * 2
    found = utility(codes, together, {"x": "set"})
    assert found.coverage["x"].span == pytest.approx((4 / 18) * (1 / 8))


def test_a_mask_and_the_list_of_all_codes_below_it_cost_the_same():
    """`01***` and `{01067, 01069}` stand for the same two of nine codes."""
    labels = [0, 0, *range(1, 8)]
    mask = {"x": hierarchy.masking()}
    masked = utility({"x": POSTAL}, labels, {"x": "hierarchy"}, mask)
    assert masked.span_loss == pytest.approx(utility({"x": POSTAL}, labels, {"x": "set"}).span_loss)
    assert masked.coverage["x"].listed == pytest.approx(7 / 9)


def test_numbers_as_text_stand_by_value():
    """`{9, 10}` costs 1 of 99, although the text 9 comes after 89."""
    texts = [str(number) for number in (1, 9, 10, 89, 100)]
    found = utility({"x": texts}, [0, 1, 1, 2, 3], {"x": "set"})
    assert found.coverage["x"].span == pytest.approx(2 / 5 * 1 / 99)


def test_values_without_an_order_cost_their_share_of_the_values():
    """In a column of four colours a set of three costs 2/3, as by NCP."""
    found = utility({"x": ["a", "b", "c", "d"]}, [0, 0, 0, 1], {"x": "set"})
    assert found.span_loss == pytest.approx(found.gcp)


def test_null_in_a_list_of_ordered_values_costs_what_a_star_costs():
    """There is no range with null, and its list is charged as `*` would be."""
    found = utility({"x": [1, None, 5, 9]}, [0, 0, 1, 2], {"x": "set"})
    assert found.coverage["x"].span == pytest.approx(2 / 4)


def test_coverage_tells_what_is_listed_and_how_many_values_a_label_names():
    """Three listed of four, a range over four values beside them, and the longest list."""
    columns = {"x": ["a", "b", "c", "d"], "y": [1, 2, 3, 4]}
    found = utility(columns, [0, 0, 0, 1], {"x": "set", "y": "interval"}).coverage
    assert (found["x"].listed, found["x"].values, found["x"].longest_list) == (1.0, 10 / 4, 3)
    assert (found["y"].listed, found["y"].values, found["y"].longest_list) == (1 / 4, 10 / 4, 1)


def test_a_suppressed_record_loses_the_whole_span_and_is_not_covered():
    """The loss is over all records, what labels cover over the released ones."""
    found = utility({"x": [1, 2, 3]}, [0, 0, -1], {"x": "interval"}).coverage["x"]
    assert (found.loss, found.span, found.values) == pytest.approx(((0.5 * 2 + 1) / 3, 0.5, 2.0))


# --- all of it ------------------------------------------------------------------------


def test_a_table_without_records_has_lost_nothing():
    """Every measure is zero, and finite."""
    empty = {"x": pl.Series([], dtype=pl.Int64), "y": pl.Series([], dtype=pl.String)}
    found = utility(empty, [], {"x": "interval", "y": "set"})
    nothing = Coverage(0.0, 0.0, 0.0, 0.0, 1)
    covered = {"x": nothing, "y": nothing}
    none = {"discernibility": 0, "average_class_size": 0.0, "suppressed": 0, "rmse": {"x": 0.0}}
    assert found == InformationLoss(coverage=covered, gcp=0.0, ncp={"x": 0.0, "y": 0.0}, **none)


def test_the_json_form_has_every_measure():
    """The names of the JSON contract, and numbers that JSON has."""
    found = utility({"x": [0, 4]}, [0, 0], {"x": "interval"}).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == {
        "span_loss": 1.0,
        "coverage": {
            "x": {"loss": 1.0, "listed": 0.0, "values": 2.0, "span": 1.0, "longest_list": 1}
        },
        "gcp": 1.0,
        "ncp": {"x": 1.0},
        "loss": None,
        "loss_arithmetic": None,
        "discernibility": 4,
        "average_class_size": 2.0,
        "suppressed": 0,
        "rmse": {"x": 2.0},
    }


def column(values):
    """Draw 2 to 30 cells of a few values."""
    return st.lists(st.sampled_from(values), min_size=30, max_size=30)


@settings(max_examples=examples(60))
@given(
    n=st.integers(2, 30),
    x=column([0, 1, 2, 5, 40, None]),
    y=column([-0.5, 0.25, 3.0]),
    z=column(["a", "b", "c, d", "null", "", None]),
    strict=st.booleans(),
    limit=st.sampled_from([0.0, 0.2]),
)
def test_the_measures_are_what_the_released_texts_say(n, x, y, z, strict, limit):
    """NCP, GCP, discernibility, class size and RMSE can be recomputed from the texts alone."""
    original = {"x": x[:n], "y": y[:n], "z": z[:n]}
    types = {"id": pl.Int64, "x": pl.Int64, "y": pl.Float64, "z": pl.String}
    release = ka.anonymize(
        pl.DataFrame({"id": range(n), **original}, schema=types),
        quasi_identifiers=["x", "y", "z"],
        k=2,
        others="insensitive",
        algorithm=ka.Mondrian(strict=strict),
        suppression_limit=limit,
    )
    released = {name: release.frame[name].to_list() for name in original}
    found, lost, ids = release.utility, release.suppressed, release.frame["id"].to_list()
    every = original
    original = {name: [values[i] for i in sorted(ids)] for name, values in original.items()}
    ncp = reading.penalties(original, released, lost)
    assert found.ncp == pytest.approx(ncp)
    assert found.gcp == pytest.approx(sum(ncp.values()) / 3)
    rows = list(zip(*released.values(), strict=True))
    assert found.discernibility == reading.discernibility(rows, lost)
    assert found.average_class_size == pytest.approx(len(rows) / len(set(rows)))
    for name in ("x", "y"):
        values = [every[name][i] for i in ids]
        assert found.rmse[name] == pytest.approx(
            reading.rmse(values, released[name], original[name])
        )
