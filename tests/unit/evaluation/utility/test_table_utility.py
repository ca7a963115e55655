"""`ka.utility`: what a release is still good for, whoever made it."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.evaluation.utility.table_utility import ALL, MEASURES
from kanonym.metrics.information_loss import METRICS

KNOWN = ["age", "sex"]
BEFORE = {
    "age": [23, 25, 41, 42, 30, 31, None, 24],
    "sex": ["f", "f", "m", "m", "f", "m", "f", "f"],
    "income": [900.5, 1200.0, 3000.0, 2950.0, 1500.0, None, 1000.0, 1250.0],
    "disease": ["flu", "cold", "flu", "flu", "cold", "cold", "flu", "flu"],
}
AFTER = {
    "age": [
        "[23, 25]",
        "[23, 25]",
        "[41, 42]",
        "[41, 42]",
        "[30, 31]",
        "[30, 31]",
        None,
        "[23, 25]",
    ],
    "sex": ["f", "f", "m", "m", "{f, m}", "{f, m}", "*", "f"],
    "income": BEFORE["income"],
    "disease": BEFORE["disease"],
}
FEW = ["gcp", "rmse", "total-variation", "query-error", "pmse"]
FULL_DOMAIN = {
    "loss", "loss-arithmetic", "average-class-size", "discernibility", "non-uniform-entropy",
    "normalized-entropy", "precision", "height", "kl-divergence", "ambiguity",
}  # fmt: skip
OTHERS = {
    "span-loss", "gcp", "rmse", "mse", "sse-sst", "il1s", "eigenvalues", "unchanged-cells",
    "total-variation", "hellinger", "jensen-shannon", "wasserstein", "pairwise-total-variation",
    "correlation-difference", "cramers-v-difference", "correlation-ratio-difference",
    "interval-overlap", "interval-overlap-regression", "query-error", "pmse", "k-marginal",
}  # fmt: skip


def before(**more):
    """Return the original table."""
    return pl.DataFrame({**BEFORE, **more})


def after(**more):
    """Return a release of it: intervals, sets and suppressed cells, rows in their order."""
    return pl.DataFrame({**AFTER, **more})


def values(found):
    """Return the value of every measure."""
    return {name: one.value for name, one in found.measured.items()}


def of(original, released, **asked):
    """Return the utility of a release of `age` and `sex`."""
    return ka.utility(original, released, **{"quasi_identifiers": KNOWN, **asked})


# --- the registry -----------------------------------------------------------------------


def test_every_metric_of_the_search_is_a_measure_of_any_pair():
    """The metrics that full-domain recoding minimizes are measures, under the same names.

    But for `weighted`, which is another metric with weights.
    """
    assert set(METRICS) - {"weighted"} == FULL_DOMAIN
    assert set(MEASURES) == FULL_DOMAIN | OTHERS


def test_names_of_measures_are_unique():
    """No measure hides another, in the registry or in the JSON contract."""
    assert len({one.meaning.name for one in ALL}) == len(ALL) == len(MEASURES)
    assert len({name.replace("-", "_") for name in MEASURES}) == len(ALL)


@pytest.mark.parametrize("measure", ALL, ids=lambda measure: measure.meaning.name)
def test_every_measure_says_how_to_read_it(measure):
    """Each has a name, a range, a direction, a unit and a source."""
    meaning = measure.meaning
    assert meaning.name == meaning.name.lower().strip()
    assert meaning.low < meaning.high
    assert math.isfinite(meaning.low)
    assert meaning.better in ("lower", "higher")
    assert meaning.unit
    assert len(meaning.source) > 10


# --- every table ------------------------------------------------------------------------


def test_every_frame_library_gives_the_same_numbers(frame):
    """The numbers are of the values, whichever libraries hold the two tables."""
    expected = of(before(), after())
    found = of(frame(BEFORE), frame(AFTER))
    assert values(found) == pytest.approx(values(expected))
    assert values(of(frame(BEFORE), after().lazy(), measures=FEW)) == pytest.approx(
        values(of(before(), after(), measures=FEW))
    )


def test_every_measure_has_a_value_in_its_range_or_a_reason():
    """No measure is silent, and none leaves its range; the tables hold nulls."""
    for released in (after(), after().sample(fraction=1, shuffle=True, seed=1), after().head(5)):
        for name, one in of(before(), released).measured.items():
            assert one.meaning.name == name
            assert (one.value is None) == bool(one.reason), name
            if one.value is not None:
                assert one.meaning.low <= one.value <= one.meaning.high + 1e-12, name


def test_the_original_itself_lost_nothing():
    """A table beside itself has the good end of every measure with two ends."""
    for name, one in of(before(), before()).measured.items():
        if one.value is None or name in ("discernibility", "average-class-size", "ambiguity"):
            continue
        best = one.meaning.low if one.meaning.better == "lower" else one.meaning.high
        assert one.value == pytest.approx(best, abs=1e-9), name


def test_shuffled_tables_are_found_out_and_measured_alike():
    """Without a common order what compares records says why it cannot; the rest is the same."""
    one = of(before(), after())
    other = of(before(), after().sample(fraction=1, shuffle=True, seed=1))
    assert one.aligned
    assert not other.aligned
    for name, found in other.measured.items():
        if name in ("rmse", "mse", "sse-sst", "il1s", "unchanged-cells"):
            assert "it is unknown" in found.reason
        elif name != "pmse":  # draws from what is left open, row by row
            assert found.value == pytest.approx(one.measured[name].value), name


def test_aligned_is_believed():
    """What the caller knows of the order is not found out again."""
    assert not of(before(), after(), aligned=False, measures=["rmse"]).aligned
    means = before(age=24.5).select("age", "sex")
    told = of(before(), means, aligned=True, measures=["rmse"])
    assert told.aligned
    assert told.measured["rmse"].value > 0
    with pytest.raises(ka.SchemaError, match="the release has 5 rows and the original 8"):
        of(before(), after().head(5), aligned=True)


def test_rmse_is_that_of_each_column_and_their_mean():
    """The error of a released mean is that of counting by hand, suppressed cells at the middle."""
    original = pl.DataFrame({"age": [20, 30, 40, 50], "weight": [1.0, 1.0, 3.0, 3.0]})
    released = pl.DataFrame({"age": [25.0, 25.0, 45.0, 45.0], "weight": [1.0, 1.0, 3.0, 3.0]})
    found = ka.utility(
        original, released, quasi_identifiers=["age"], aligned=True, measures=["rmse", "mse"]
    )
    assert found.measured["rmse"].parts == {"age": 5.0, "weight": 0.0}
    assert values(found) == {"rmse": 2.5, "mse": 12.5}


@pytest.mark.parametrize("recoding", ["interval", "set", "range", "hierarchy"])
def test_own_releases_are_measured_as_when_they_were_made(recoding):
    """GCP and class sizes of a released file are those that the release told, by policy."""
    policy = ka.Policy(
        attributes={
            "age": ka.QuasiIdentifier(hierarchy=ka.hierarchy.intervals(width=[10, 20])),
            "sex": ka.QuasiIdentifier(hierarchy=ka.hierarchy.flat()),
            "income": ka.Insensitive(),
            "disease": ka.Sensitive(),
        },
        models=[ka.KAnonymity(2)],
        recoding=recoding,
    )
    release = ka.anonymize(before(), policy)
    found = ka.utility(before(), release.frame, policy)
    assert found.measured["gcp"].value == pytest.approx(release.utility.gcp, abs=1e-12)
    told = release.utility.to_dict()
    assert found.entries()["average_class_size"].value == told["average_class_size"]
    assert found.entries()["discernibility"].value == told["discernibility"]


def test_labels_of_a_hierarchy_have_levels():
    """With the hierarchy that made them, released labels have precision and height."""
    tree = ka.hierarchy.intervals(width=[10, 20])
    release = ka.anonymize(
        before(),
        quasi_identifiers=KNOWN,
        sensitive=["disease"],
        others="insensitive",
        k=2,
        hierarchies={"age": tree, "sex": ka.hierarchy.flat()},
        algorithm="full-domain",
    )
    trees = {"age": tree, "sex": ka.hierarchy.flat()}
    found = of(before(), release.frame, hierarchies=trees)
    assert found.measured["height"].value == sum(release.to_dict()["algorithm"]["levels"].values())
    assert found.measured["loss"].value == pytest.approx(release.to_dict()["algorithm"]["score"])


# --- columns ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([[1], [2], [3], [], [5], [6], [7], [8]]),
        pl.Series([b"a"] * 8),
        pl.Series([1.0, math.inf, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_columns_that_cannot_be_measured_are_left_out(column):
    """Lists, bytes and infinite numbers of other roles stop no measure of the others."""
    found = of(before(odd=column), after(odd=column), measures=FEW)
    assert values(found) == values(of(before(), after(), measures=FEW))
    with pytest.raises(ka.SchemaError, match="target 'odd' is not a column of both"):
        of(before(odd=column), after(odd=column), target="odd")


def test_columns_of_one_table_alone_are_not_read():
    """What only one table has is nothing to compare, whatever it holds."""
    lists = pl.Series([[1]] * 8)
    found = of(before(odd=lists), after(new=lists), measures=FEW)
    assert values(found) == values(of(before(), after(), measures=FEW))


def test_identifiers_of_a_policy_are_not_compared():
    """A pseudonym is not measured as a change of what it stands for."""
    policy = ka.Policy.from_columns(
        identifiers=["name"], quasi_identifiers=KNOWN, k=2, others="insensitive"
    )
    found = ka.utility(before(name="Ada"), after(name="x7"), policy, measures=["unchanged-cells"])
    assert "name" not in found.measured["unchanged-cells"].parts
    assert found.measured["unchanged-cells"].parts["disease"] == 1


# --- what is refused --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"measures": ["rsme"]}, "'rsme' is an unknown measure; did you mean 'rmse'"),
        ({"measures": ["average_class_sise"]}, "did you mean 'average-class-size'"),
        ({"measures": "rmse"}, "give a list of measures, not the text 'rmse'"),
        ({"quasi_identifiers": "age"}, "give a list of columns"),
        ({"quasi_identifiers": ["age", "age"]}, "'age' is named twice"),
        ({"quasi_identifiers": ["height"]}, "the released table has no column for: height"),
        ({"hierarchies": {"agee": ka.hierarchy.masking()}}, "hierarchy of 'agee'"),
        ({"target": "height"}, "target 'height' is not a column of both tables"),
        ({"seed": -1}, "seed is -1; it must be an integer"),
        (
            {"policy": ["age"]},
            "policy must be a Policy, its form as a mapping or the path of a policy file, not list",
        ),
        ({"policy": ka.Policy.from_columns(quasi_identifiers=KNOWN, k=2)}, "not both"),
    ],
)
def test_what_has_no_meaning_is_refused(asked, said):
    """Each message says which name is wrong, and what would be right."""
    with pytest.raises(ka.KanonymError, match=said):
        of(before(), after(), **asked)


@pytest.mark.parametrize(
    ("original", "released", "said"),
    [
        (before().drop("sex"), after(), "the original has no column 'sex'. It has: age"),
        (before(), after().drop("sex"), "the released table has no column for: sex. It has: age"),
        (before(), after(age=["old"] * 8), "column 'age', row 1 of the release: 'old' is neither"),
        (before().clear(), after(), "the original has no record"),
        (before().clear(), after().clear(), "the original has no record"),
        (before(age=math.inf), after(), "quasi-identifier 'age', row 1: inf is infinite or beyond"),
        (BEFORE, after(), "a table is a pandas or polars DataFrame"),
    ],
)
def test_tables_that_cannot_be_compared_are_refused(original, released, said):
    """The message says which table, column and value is wrong."""
    with pytest.raises(ka.KanonymError, match=said):
        of(original, released)


# --- edges ------------------------------------------------------------------------------


def test_an_empty_release_lost_everything():
    """Of a release without a record every measure has its worst, or says why it has no value."""
    found = of(before(), after().clear())
    assert found.measured["gcp"].value == 1
    assert all(one.reason for one in found.measured.values() if one.value is None)


@pytest.mark.parametrize("dtype", [pl.Int64, pl.String])
def test_a_column_of_nulls_is_a_column_of_one_value(dtype):
    """A quasi-identifier that is null throughout loses nothing where it stays so."""
    nulls = pl.Series([None] * 8, dtype=dtype)
    found = of(before(age=nulls), before(age=nulls), quasi_identifiers=["age"])
    assert found.measured["gcp"].value == 0
    assert found.measured["total-variation"].value == 0


def test_one_record_is_enough():
    """A table of one record is measured; what needs two says so."""
    found = of(before().head(1), before().head(1))
    assert found.measured["average-class-size"].value == 1
    assert all(one.reason for one in found.measured.values() if one.value is None)


def test_without_quasi_identifiers_what_needs_them_says_so():
    """Two tables are compared without any recoded column; generalization has no value."""
    found = of(before(), before(), quasi_identifiers=())
    assert found.measured["gcp"].reason == "there is not a quasi-identifier"
    assert found.measured["total-variation"].value == 0


# --- what comes out ---------------------------------------------------------------------


def test_chosen_measures_are_those_asked_for_and_have_the_same_numbers():
    """Asking for a few gives these alone, with the numbers that all would have."""
    few, every = of(before(), after(), measures=FEW), of(before(), after())
    assert list(few.measured) == FEW
    assert values(few) == {name: values(every)[name] for name in FEW}
    assert list(every.measured) == list(MEASURES)
    assert of(before(), after(), measures=[]).measured == {}


def test_the_same_seed_gives_the_same_numbers():
    """What is drawn depends on the seed alone."""
    asked = {"measures": ["query-error", "pmse"], "seed": 3}
    assert values(of(before(), after(), **asked)) == values(of(before(), after(), **asked))


def test_a_target_is_learned_beside_the_other_measures():
    """A column to predict adds `learning`; the other measures stay."""
    found = of(before(), after(), target="disease", measures=["gcp"])
    assert list(found.measured) == ["gcp", "learning"]
    assert "too few" in found.measured["learning"].reason


def test_the_contract_is_json_without_nan():
    """`to_dict` has one entry a measure with value, range, direction, unit and source."""
    found = json.loads(json.dumps(of(before(), after()).to_dict(), allow_nan=False))
    assert list(found) == [name.replace("-", "_") for name in MEASURES]
    for name, one in found.items():
        assert one.keys() >= {"value", "low", "high", "better", "unit", "source"}, name


def test_print_shows_every_measure_on_a_line():
    """Printed, each measure is a line with its value and direction, or the reason."""
    found = of(before(), after())
    lines = str(found).splitlines()
    names = [one.meaning.label for one in found.entries().values() if one.value is not None]
    for name in names:
        assert sum(line.startswith(f"{name}  ") for line in lines) == 1


# --- what a policy and a release say ----------------------------------------------------


def many(n=120):
    """Return an original whose records differ."""
    random = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "age": random.integers(20, 60, n),
            "sex": random.choice(["f", "m"], n),
            "income": random.normal(3000, 500, n).round(1),
        }
    )


WAYS = [
    {},
    {"recoding": "mode"},
    {"recoding": "median"},
    {"recoding": "mean"},
    {"algorithm": "mdav"},
    {"algorithm": "full-domain", "suppression_limit": 0.2},
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("keep_order", [False, True])
def test_a_release_says_which_record_each_is(way, keep_order):
    """Shuffled and suppressed, a release is compared record by record, with its own loss."""
    release = ka.anonymize(
        many(), quasi_identifiers=KNOWN, others="insensitive", k=5, keep_order=keep_order, **way
    )
    found = ka.utility(many(), release, measures=["gcp", "rmse"])
    assert found.aligned
    assert found.measured["gcp"].value == pytest.approx(release.utility.gcp, abs=1e-12)
    assert found.measured["rmse"].parts["income"] == 0
    again = ka.utility(many(), release, quasi_identifiers=KNOWN, measures=["rmse"])
    assert again.measured["rmse"].parts["income"] == 0


def test_the_original_of_a_release_is_the_table_that_it_was_made_of():
    """A table with other records is refused with both numbers."""
    release = ka.anonymize(many(), quasi_identifiers=KNOWN, others="insensitive", k=5)
    with pytest.raises(ka.DataError, match="made of a table of 120 records, and the original has"):
        ka.utility(many(119), release)


@pytest.mark.parametrize("way", WAYS[:5])
def test_a_policy_that_keeps_the_order_aligns_the_tables(way):
    """Row i of the release is row i of the original, and the loss is the release's own."""
    policy = ka.Policy.from_columns(
        quasi_identifiers=KNOWN, others="identifier", k=5, keep_order=True, **way
    )
    release = ka.anonymize(many(), policy)
    found = ka.utility(many(), release.frame, policy)
    assert found.aligned
    assert found.measured["gcp"].value == pytest.approx(release.utility.gcp, abs=1e-12)
    assert not ka.utility(many(), release.frame, policy, aligned=False).aligned
    assert not ka.utility(many(), release.frame.head(50), policy).aligned


@pytest.mark.parametrize("way", WAYS[1:5])
def test_what_a_centroid_stands_for_is_not_guessed(way):
    """Without alignment, a mode is not taken for a value that was not generalized."""
    policy = ka.Policy.from_columns(quasi_identifiers=KNOWN, others="identifier", k=5, **way)
    found = ka.utility(many(), ka.anonymize(many(), policy).frame, policy, measures=["gcp", "loss"])
    for one in found.measured.values():
        assert one.value is None
        assert "what it stands for is known only where" in one.reason


def test_an_assessment_of_a_release_needs_nothing_else():
    """`ka.assess` of an original and a release is the risk and the utility of both."""
    release = ka.anonymize(many(), quasi_identifiers=KNOWN, others="insensitive", k=5)
    found = ka.assess(many(), release)
    assert found.utility.aligned
    assert found.to_dict() == {
        "risk": ka.risk(release).to_dict(),
        "utility": ka.utility(many(), release).to_dict(),
    }


def test_a_release_with_more_records_generalizes_nothing():
    """Of a synthetic table with twice the records, what is left open is nobody's: no value."""
    twice = pl.concat([after(), after()])
    found = of(before(), twice)
    for name in FULL_DOMAIN | {"gcp"}:
        assert found.measured[name].value is None
        assert "more records than the original" in found.measured[name].reason
    assert found.measured["total-variation"].value is not None


def test_numbers_whose_squares_are_infinite_are_left_out_and_named():
    """Numbers beyond 1e150 of other roles stop no measure, and the column is named."""
    large = before(odd=[1e308, -1e308, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    found = of(large, after(odd=large["odd"]), measures=FEW)
    assert values(found) == values(of(before(), after(), measures=FEW))
    assert found.left_out == {"odd": "has numbers that are infinite or beyond ±1e+150"}
    assert "left out: odd has numbers" in str(found)
    with pytest.raises(ka.DataError, match=r"'age', row 1: 1e.308 is infinite or beyond"):
        of(before(age=1e308), after())
    with pytest.raises(ka.SchemaError, match="column 'age', row 1 of the release"):
        of(before(), after(age="[20, 1e308]"))


def test_draws_do_not_depend_on_the_order_of_the_release():
    """With one seed, pMSE and learning are the same of a shuffled release."""
    release = ka.anonymize(many(), quasi_identifiers=KNOWN, others="insensitive", k=5).frame
    found = [
        of(
            many(),
            release.sample(fraction=1, shuffle=True, seed=seed),
            measures=["pmse"],
            target="income",
            aligned=False,
        )
        for seed in (0, 1)
    ]
    assert values(found[0]) == values(found[1])
    assert found[0].measured["learning"].parts == found[1].measured["learning"].parts
