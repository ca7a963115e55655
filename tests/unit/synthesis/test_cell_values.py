"""Laws of releases with one value per cell: what is drawn, and what is said of it."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data import frames
from kanonym.synthesis import draw_values

DAY = date(2020, 1, 1)


def people(n=200, seed=0):
    """Return persons with quasi-identifiers of every kind."""
    random = np.random.default_rng(seed)
    age = random.integers(20, 60, n)
    return pl.DataFrame(
        {
            "age": age,
            "weight": (60 + age / 2 + random.normal(0, 5, n)).round(1),
            "born": [DAY - timedelta(days=int(one) * 300) for one in age],
            "town": random.choice(["Bonn", "Köln", "Rom, Nord"], n),
            "children": random.integers(0, 4, n),
            "disease": random.choice(["flu", "cold"], n),
        }
    )


def release_of(table, known, **more):
    """Return a release of a table with k = 5."""
    return ka.anonymize(
        table, quasi_identifiers=known, k=5, others="insensitive", seed=1, keep_order=True, **more
    )


def labelled(labels, name="age", **more):
    """Return a table of labels, each twice, and a policy that it satisfies."""
    policy = ka.Policy.from_columns(quasi_identifiers=[name], k=2, others="insensitive", **more)
    return pl.DataFrame({name: labels * 2}), policy


@pytest.mark.parametrize("algorithm", [ka.Mondrian(), ka.Segmentation()], ids=lambda one: one.type)
@pytest.mark.parametrize("recoding", [None, "set", "range"])
@pytest.mark.parametrize("by", ["label", "class"])
def test_each_value_is_one_that_its_label_leaves_open(algorithm, recoding, by):
    """Whatever the recoding, the label of each cell holds its value."""
    table = people()
    known = ["age", "weight", "born", "children"]
    release = release_of(table, known, algorithm=algorithm, recoding=recoding)
    drawn = draw_values(release, by=by, seed=3)
    assert drawn.frame.columns == table.columns
    assert drawn.frame.select(known).schema == table.select(known).schema
    for name in known:
        ends = [f"{name}_min", f"{name}_max"] if recoding == "range" else [name] * 2
        for value, low, high in zip(
            drawn.frame[name], *(release.frame[e] for e in ends), strict=True
        ):
            assert is_open(str(value), str(low), str(high))


def is_open(value, low, high):
    """Return whether labels, or two ends, leave a value open, by comparing texts."""
    if low != high:
        return key(low) <= key(value) <= key(high)
    if low.startswith("["):
        return is_open(value, *low[1:-1].split(", "))
    return value in low.strip("{}").split(", ") or key(value) == key(low)


def key(text):
    """Return a text as a number or as a date."""
    return text if text.count("-") == 2 else float(text)


def test_categories_are_drawn_from_their_set():
    """Members with a comma among them, each about as often; text stays text."""
    table, policy = labelled(['{Bonn, "Rom, Nord"}'] * 500, "town")
    found = draw_values(table, policy, seed=0).frame["town"]
    assert found.dtype == pl.String
    assert found.value_counts().sort("town")["count"].to_list() == pytest.approx([500, 500], abs=60)
    assert set(found) == {"Bonn", "Rom, Nord"}


@pytest.mark.parametrize(
    ("labels", "values"),
    [
        (["[20, 23]"], {20, 21, 22, 23}),
        (["[20, 23)"], {20, 21, 22}),
        (["[0.5, 0.8)"], {0.5, 0.6, 0.7}),
        (["[0.5, 0.7]"], {0.5, 0.6, 0.7}),
        (["{1, 5}"], {1, 5}),
        (["7", "*", "9"], {7, 9}),
        (["[1, 2]", "*"], {1, 2}),
        (["[1, 2]", "<4"], {1, 2, 3}),
        (["[2020-01-30, 2020-02-01]"], {date(2020, 1, 30), date(2020, 1, 31), date(2020, 2, 1)}),
        (
            ["[2020-01-01T10:00:00, 2020-01-01T10:00:01]"],
            {datetime(2020, 1, 1, 10), datetime(2020, 1, 1, 10, 0, 1)},
        ),
        (["<=50K", ">50K", "{<=50K, >50K}"], {"<=50K", ">50K"}),
        (["[1, 2]", "{5, 9}"], {1, 2, 5, 9}),
        (["[1, 2]", "{5, null}"], {1, 2, 5, None}),
        (["{a, null}"], {"a", None}),
        (["*"], {None}),
        ([None, "[1, 2]"], {None, 1, 2}),
        (["010", "{011, 012}"], {"010", "011", "012"}),
    ],
    ids=lambda one: str(sorted(map(str, one))),  # the same in every process
)
def test_a_label_leaves_these_values_open(labels, values):
    """All of them are drawn and no other; where labels name no value, the cell is null."""
    table, policy = labelled(labels * 60)
    assert set(draw_values(table, policy, seed=0).frame["age"]) == values


def test_a_label_of_a_hierarchy_leaves_its_leaves_open():
    """Also leaves that no record has; the root leaves all of them open."""
    tree = {"*": {"EU": {"FR": ["Paris", "Lyon"], "IT": ["Rome"]}, "AS": {"JP": ["Tokyo"]}}}
    policy = ka.Policy(
        attributes={"town": ka.QuasiIdentifier(hierarchy=ka.hierarchy.from_mapping(tree))},
        models=[ka.KAnonymity(2)],
        algorithm=ka.FullDomain(),
    )
    for label, leaves in (("FR", {"Paris", "Lyon"}), ("EU", {"Paris", "Lyon", "Rome"})):
        table = pl.DataFrame({"town": [label, "JP"] * 60})
        found = draw_values(table, policy, seed=0).frame
        assert set(found["town"].gather_every(2)) == leaves
        assert set(found["town"].gather_every(2, 1)) == {"Tokyo"}
    every = draw_values(pl.DataFrame({"town": ["*"] * 90}), policy, seed=0).frame
    assert set(every["town"]) == {"Paris", "Lyon", "Rome", "Tokyo"}


def test_a_suppressed_cell_is_drawn_from_the_column():
    """After cell suppression null is a suppressed cell, which leaves every value open."""
    policy = ka.Policy.from_columns(
        quasi_identifiers=["sex"], k=2, others="insensitive", algorithm="cell-suppression"
    )
    table = pl.DataFrame({"sex": ["f", "m", None] * 40})
    assert set(draw_values(table, policy, seed=0).frame["sex"]) == {"f", "m"}


@pytest.mark.parametrize("label", ["130**", "[Bonn, Köln]"])
def test_a_label_without_known_values_is_refused(label):
    """Also a mask of which another cell names one value: the column, row and label are told."""
    table, policy = labelled(["13001", "Bonn", label], "zip")
    with pytest.raises(
        ka.SchemaError, match=r"column 'zip', row 3: the label .* hierarchy of 'zip'"
    ):
        draw_values(table, policy)


@pytest.mark.parametrize(
    ("labels", "values"),
    [
        (["04***", "661**", "04109"], [("04000", "04999"), ("66100", "66199"), ("04109",) * 2]),
        (["66xx", "1200", None], [(6600, 6699), (1200, 1200), (None, None)]),
        (["12", "8*", "**"], [(12, 12), (80, 89), (12, 89)]),
    ],
)
def test_a_mask_of_digits_is_drawn_digit_by_digit(labels, values):
    """A hidden digit may be any; leading zeros stay, codes without them are numbers."""
    character = "x" if "66xx" in labels else "*"
    hierarchy = ka.hierarchy.masking(character=character)
    table, policy = labelled(labels * 30, "zip", hierarchies={"zip": hierarchy})
    found = draw_values(table, policy, seed=0).frame["zip"].reshape((-1, len(labels)))
    for place, (low, high) in enumerate(values):
        own = found.arr.get(place)
        if low is None:
            assert own.null_count() == len(own)
        else:
            assert low <= own.min() <= own.max() <= high
            assert low == high or own.n_unique() > 5


@pytest.mark.parametrize(
    ("labels", "hierarchy"),
    [
        (["***61", "04109"], ka.hierarchy.masking(from_="left")),
        (["SW1**", "SW1AA"], ka.hierarchy.masking()),
        (["041**", "123456"], ka.hierarchy.masking()),
    ],
)
def test_other_masks_are_refused(labels, hierarchy):
    """The left end, letters, and codes of several lengths do not say which values are meant."""
    table, policy = labelled(labels, "zip", hierarchies={"zip": hierarchy})
    with pytest.raises(ka.SchemaError, match=r"column 'zip', row 1: the label"):
        draw_values(table, policy)


def test_two_columns_of_ends_are_one_again():
    """Numbers between both ends, as texts of a file too; ends of categories are refused."""
    ends = pl.DataFrame({"age_min": ["1", "5"] * 60, "age_max": ["3", "5"] * 60, "x": 0})
    policy = ka.Policy.from_columns(quasi_identifiers=["age"], k=2, others="insensitive")
    for table in (ends, ends.cast({"age_min": pl.Int64, "age_max": pl.Float64})):
        found = draw_values(table, policy, seed=0).frame
        assert found.columns == ["age", "x"]
        assert set(found["age"]) == {1, 2, 3, 5}
    towns = pl.DataFrame({"age_min": ["Bonn"] * 2, "age_max": ["Köln"] * 2})
    with pytest.raises(ka.SchemaError, match="column 'age_min', row 1: the label 'Bonn'"):
        draw_values(towns, policy)


def test_values_of_a_class_are_as_frequent_as_in_it():
    """By class, nine of ten records of a class with nine ones and a two have a one."""
    table = pl.DataFrame({"x": ([1] * 9 + [2]) * 100})
    release = ka.anonymize(table, quasi_identifiers=["x"], k=1000, seed=0)
    by_label, by_class = (
        draw_values(release, by=by, seed=0).frame["x"].mean() for by in ("label", "class")
    )
    assert by_label == pytest.approx(1.5, abs=0.07)
    assert by_class == pytest.approx(1.1, abs=0.04)


def test_a_constraint_holds_in_every_record():
    """Values that break it are drawn again, beside a column that is not drawn, too."""
    random = np.random.default_rng(0)
    came = random.integers(0, 50, 300)
    table = pl.DataFrame({"came": came, "left": came + random.integers(0, 20, 300), "end": 100})
    release = release_of(table, ["came", "left"])
    free = draw_values(release, seed=0).frame
    assert (free["left"] < free["came"]).any()
    for by in ("label", "class"):
        found = draw_values(release, by=by, constraints=["left >= came", "end > left"], seed=0)
        assert (found.frame["left"] >= found.frame["came"]).all()
        assert found.constraints == ("left >= came", "end > left")


@pytest.mark.parametrize(
    ("rule", "error", "message"),
    [
        ("age > agee", ka.SchemaError, "did you mean 'age'"),
        ("town > age", ka.SchemaError, "have no order"),
        ("age > old", ka.DataError, "row 1, have no values that keep the constraints age > old"),
    ],
)
def test_constraints_that_cannot_be_kept_are_refused(rule, error, message):
    """The column, the types or the first record are named."""
    table, policy = labelled(["[20, 30]"])
    table = table.with_columns(town=pl.lit("Bonn"), old=99)
    with pytest.raises(error, match=message):
        draw_values(table, policy, constraints=[rule])


def test_labels_that_break_their_policy_are_refused():
    """Equal values by chance would hide it: nothing is drawn, and the model is named."""
    policy = ka.Policy.from_columns(quasi_identifiers=["age"], k=2, others="insensitive")
    with pytest.raises(ka.InfeasibleError, match="violates k-anonymity in 2 classes: nothing is"):
        draw_values(pl.DataFrame({"age": ["[1, 2]", "[2, 3]"]}), policy)


def test_the_verdict_is_on_the_labels_and_said_so():
    """The drawn table has no verdict of its own: its classes are by chance, and it says that."""
    drawn = draw_values(release_of(people().select("age", "weight"), ["age", "weight"]), seed=7)
    told = drawn.to_dict()
    assert told == json.loads(json.dumps(told))
    assert told["verified"] == {"table": "labels", "verdict": "not assessed", "k": 5}
    assert told["values"] == {"verified": False, "k": 1}
    assert "do not hold for these values" in told["meaning"]
    for said in ("labels", "not verified, smallest class 1", "do not hold for these values"):
        assert said in str(drawn)
    assert (
        ka.verify(
            drawn.frame,
            ka.Policy.from_columns(quasi_identifiers=["age", "weight"], k=5, others="insensitive"),
        ).satisfied
        is False
    )


def test_without_open_cells_the_table_is_the_verified_one():
    """After mean and mode nothing is drawn, and the values stay verified; a mean is no leaf."""
    tree = ka.hierarchy.from_mapping(dict.fromkeys(range(20, 60), "all"))
    release = release_of(people(), ["age", "town"], algorithm=ka.MDAV(), hierarchies={"age": tree})
    assert release.frame["age"].dtype == pl.Float64
    drawn = draw_values(release)
    assert drawn.frame.equals(release.frame)
    assert drawn.to_dict()["values"]["verified"] is True
    assert drawn.to_dict()["values"]["k"] >= 5


def test_the_seed_decides():
    """One seed gives one table, another one another; without one each is new, and none is told."""
    release = release_of(people(), ["age"])
    first, again, other = (draw_values(release, seed=seed).frame for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)
    free = draw_values(release)
    assert free.seed is None
    assert not free.frame.equals(draw_values(release).frame)


def test_a_table_and_its_release_give_the_same_values(frame):
    """On every frame library, a drawn table has the type of the released one and equal values."""
    release = release_of(people(), ["age", "town"])
    made = frame(release.frame.to_dict(as_series=False))
    drawn = draw_values(made, release.policy, seed=3).frame
    assert type(drawn) is type(made)
    assert (
        frames.to_polars(drawn)["age"].to_list()
        == draw_values(release, seed=3).frame["age"].to_list()
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"by": "record"}, "by is 'record'; it must be label or class"),
        ({"by": "class"}, "needs the release object"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_what_cannot_be_asked_is_refused(given, message):
    """The message says which parameter, and what it may be."""
    table, policy = labelled(["[20, 30]"])
    with pytest.raises(ka.PolicyError, match=message):
        draw_values(table, policy, **given)
    with pytest.raises(ka.PolicyError, match="give the policy"):
        draw_values(table)
