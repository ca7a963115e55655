"""`ka.risk`: what any table gives away, by a policy or by the names of columns."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data.frames import to_polars

KNOWN = ["age", "sex"]
TABLE = {
    "age": [23, 23, 41, 41, 41, None, None, 57],
    "sex": ["f", "f", "m", "m", "f", "f", "f", None],
    "disease": ["flu", "cold", "flu", "flu", "cold", "flu", None, "cold"],
}
EVERYBODY = {"age": [23, 23, 41, 41, 41, None, None, 57] * 2, "sex": TABLE["sex"] * 2}
NUMBERS = {"k": 1, "uniques": 2, "prosecutor_average": 5 / 8, "l_distinct": 1, "suda_highest": 2}


def table(**more):
    """Return eight records in classes of 2, 2, 1, 2 and 1, nulls being values."""
    return pl.DataFrame({**TABLE, **more})


def values(found):
    """Return the value of every entry that has one."""
    return {name: one.value for name, one in found.entries().items() if one.value is not None}


def drawn(n, seed=0):
    """Return n records of three columns and a disease, some cells null."""
    random = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": random.integers(20, 40, n),
            "zip": random.choice(["01", "02", "03"], n),
            "sex": random.choice(["f", "m"], n),
            "disease": random.choice(["flu", "cold", "asthma"], n),
        }
    )
    blank = pl.Series(random.random(n) < 0.1)
    return frame.with_columns(pl.when(blank).then(None).otherwise(pl.col("age")).alias("age"))


# --- every table ------------------------------------------------------------------------


def test_every_frame_library_gives_the_same_numbers(frame):
    """The numbers are of the values, whichever library holds them; null and NaN are one."""
    found = values(ka.risk(frame(TABLE), quasi_identifiers=KNOWN, sensitive=["disease"]))
    assert found == values(ka.risk(table(), quasi_identifiers=KNOWN, sensitive=["disease"]))
    assert {name: found[name] for name in NUMBERS} == NUMBERS


def test_a_lazy_frame_is_measured_and_answered_lazily():
    """A lazy frame gives the numbers of the collected one, and lazy frames back."""
    found = ka.risk(table().lazy(), quasi_identifiers=KNOWN)
    assert values(found) == values(ka.risk(table(), quasi_identifiers=KNOWN))
    assert isinstance(found.records, pl.LazyFrame)
    assert isinstance(found.classes, pl.LazyFrame)


def test_numbers_are_those_of_counting():
    """Class sizes and what follows from them are what counting each record gives."""
    given = drawn(200)
    found = values(ka.risk(given, quasi_identifiers=["age", "zip", "sex"], threshold=0.3))
    sizes = Counter(given.select("age", "zip", "sex").rows())
    risks = [1 / sizes[row] for row in given.select("age", "zip", "sex").rows()]
    assert found["k"] == min(sizes.values())
    assert found["uniques"] == sum(size == 1 for size in sizes.values())
    assert found["prosecutor_highest"] == max(risks)
    assert found["prosecutor_average"] == pytest.approx(len(sizes) / 200, abs=1e-15)
    assert found["prosecutor_number_at_risk"] == sum(one > 0.3 for one in risks)
    assert found["marketer"] == found["journalist_average"] == found["prosecutor_average"]


def test_order_of_rows_and_columns_is_irrelevant():
    """A shuffled table with other columns between has the same numbers."""
    given = drawn(120)
    shuffled = given.sample(fraction=1, shuffle=True, seed=3).select(
        "sex", pl.lit(1).alias("other"), "disease", "zip", "age"
    )
    asked = {"sensitive": ["disease"], "population": 5_000}
    one = values(ka.risk(given, quasi_identifiers=["age", "zip", "sex"], **asked))
    other = values(ka.risk(shuffled, quasi_identifiers=["age", "zip", "sex"], **asked))
    assert one == pytest.approx(other, rel=1e-12, abs=1e-15)


def test_a_filtered_frame_is_the_table_of_its_rows():
    """A filtered pandas frame, whose index has gaps, is measured as the rows that it has."""
    given = drawn(80).drop_nulls()
    filtered = given.to_pandas().query("sex == 'f'")
    chosen = given.filter(pl.col("sex") == "f")
    asked = {"quasi_identifiers": ["age", "zip"], "sensitive": ["disease"]}
    assert values(ka.risk(filtered, **asked)) == values(ka.risk(chosen, **asked))


def test_rows_with_nulls_count_as_records_with_a_value_of_their_own():
    """Nulls equal each other and nothing else; only `k_wildcard` lets them match every value."""
    found = ka.risk(table(), quasi_identifiers=KNOWN)
    assert found.assessment.records == 8
    assert found.records["class_size"].to_list() == [2, 2, 2, 2, 1, 2, 2, 1]
    # Null and f may be 23 and f or 41 and f; 57 and null may be null and f; 41 and m is alone.
    assert values(found)["k"] == 1
    assert values(found)["k_wildcard"] == 2


# --- released tables --------------------------------------------------------------------

POLICY = {
    "attributes": {
        "age": {"role": "quasi-identifier"},
        "zip": {"role": "quasi-identifier", "hierarchy": "masking"},
        "sex": {"role": "quasi-identifier"},
        "disease": {"role": "sensitive"},
    },
    "models": [{"type": "k-anonymity", "k": 4}],
}


def policy(**more):
    """Return a policy for `drawn`."""
    return ka.Policy.from_text(json.dumps({"version": 1, **POLICY, **more}))


@pytest.mark.parametrize("recoding", ["interval", "range", "set", "hierarchy", "mean"])
def test_a_release_is_as_its_verification_says(recoding):
    """Whatever released values are, classes are the verified ones, by policy and by names."""
    asked = policy(recoding=recoding)
    release = ka.anonymize(drawn(60), asked)
    found = ka.risk(release.frame, asked)
    named = ka.risk(release.frame, quasi_identifiers=["age", "zip", "sex"], sensitive=["disease"])
    assert found.measurement.k == release.verification.k >= 4
    assert found.assessment.classes == release.verification.n_classes
    assert values(named) == values(found)
    assert values(found)["prosecutor_average"] == release.risk.average


def test_a_range_is_one_attribute():
    """A quasi-identifier released as two columns counts once: as the interval of both."""
    given = table().drop_nulls()
    low, high = pl.col("age") // 10 * 10, pl.col("age") // 10 * 10 + 9
    ranges = given.select(low.alias("age_min"), high.alias("age_max"), "sex")
    intervals = given.select(pl.format("[{}, {}]", low, high).alias("age"), "sex")
    asked = {"quasi_identifiers": KNOWN, "population": 1_000}
    of_ranges, of_intervals = (ka.risk(one, **asked) for one in (ranges, intervals))
    assert values(of_ranges) == pytest.approx(values(of_intervals))
    assert of_ranges.suda.names == ("age", "sex")


def test_columns_that_a_policy_does_not_name_have_the_role_that_it_gives_the_others():
    """Under `others: quasi-identifier` every further column tells records apart."""
    asked = policy(attributes={"disease": {"role": "sensitive"}}, others="quasi-identifier")
    found = ka.risk(drawn(50), asked)
    named = ka.risk(drawn(50), quasi_identifiers=["age", "zip", "sex"], sensitive=["disease"])
    assert values(found) == values(named)


def test_the_entity_of_a_policy_is_counted_where_the_table_has_it():
    """Persons of k-anonymity's entity are counted in a table that has them, and in no other."""
    known = {**POLICY["attributes"], "person": {"role": "identifier"}}
    asked = policy(attributes=known, models=[{"type": "k-anonymity", "k": 4, "entity": "person"}])
    given = drawn(30)
    persons = pl.Series("person", np.arange(30) // 3)
    assert values(ka.risk(given.with_columns(persons), asked))["person_uniques"] >= 0
    found = ka.risk(given, asked, population=1_000)
    for name in ("person_highest", "person_uniques", "population_uniques_snb"):
        assert found.entries()[name].value is None
        assert "counts persons by 'person', which the table lacks" in found.entries()[name].reason
    assert {one.met for one in found.assessment.verdicts.values()} == {None}


@pytest.mark.parametrize("recoding", ["interval", "hierarchy", "mean"])
def test_a_release_brings_its_policy_and_its_persons(recoding):
    """A release is judged by the persons that it counted, whose column it lacks."""
    known = {**POLICY["attributes"], "person": {"role": "identifier"}}
    models = [{"type": "k-anonymity", "k": 4, "entity": "person"}]
    given = drawn(90).with_columns(person=pl.Series(np.arange(90) // 3))
    release = ka.anonymize(given, policy(attributes=known, models=models, recoding=recoding))
    found = ka.risk(release, threshold=0.1)
    assert "person" not in release.frame.columns
    assert found.assessment.persons.fewest == release.verification.k >= 4
    assert values(found)["person_highest"] == release.risk.highest
    # As if the released table still said whose records these are.
    told = release.frame.with_columns(person=given["person"].gather(release.rows))
    again = ka.risk(told, release.policy, threshold=0.1)
    assert values(again) == values(found)
    assert again.records.equals(found.records)
    assert found.assessment.verdicts == again.assessment.verdicts


def test_a_release_is_measured_by_named_columns_too():
    """Named columns are meant in the place of a release's policy."""
    release = ka.anonymize(drawn(60), policy())
    found = ka.risk(release, quasi_identifiers=["zip"])
    assert values(found) == values(ka.risk(release.frame, quasi_identifiers=["zip"]))


# --- population -------------------------------------------------------------------------


def test_a_population_table_makes_the_journalists_risk(frame, tmp_path):
    """Every record is one of the persons with its values, from a frame, a path or a text."""
    pl.DataFrame(EVERYBODY).write_csv(tmp_path / "all.csv")
    places = [frame(EVERYBODY), tmp_path / "all.csv", str(tmp_path / "all.csv")]
    for population in places:
        found = ka.risk(table(), quasi_identifiers=KNOWN, population=population, largest=0)
        assert found.records["journalist"].to_list() == [
            1 / 4, 1 / 4, 1 / 4, 1 / 4, 1 / 2, 1 / 4, 1 / 4, 1 / 2,
        ]  # fmt: skip
        assert values(found)["marketer"] == values(found)["prosecutor_average"] / 2


def test_labels_of_a_hierarchy_stand_for_all_persons_below_them():
    """Beside a population table a generalized value is every person with a value below."""
    tree = ka.hierarchy.from_mapping({23: ["young"], 41: ["old"], 57: ["old"]})
    released = pl.DataFrame({"age": ["young", "old"], "sex": ["f", "m"]})
    persons = pl.DataFrame({"age": [23, 23, 41, 57, 57], "sex": ["f", "m", "m", "m", "f"]})
    found = ka.risk(
        released, quasi_identifiers=KNOWN, hierarchies={"age": tree}, population=persons
    )
    assert found.records["journalist"].to_list() == [1, 1 / 2]


def test_a_number_of_persons_gives_population_uniques():
    """With the number of persons the estimators have values, within bounds."""
    found = ka.risk(drawn(60), quasi_identifiers=["age", "zip"], population=1_000)
    assert found.assessment.population.population == 1_000
    assert values(found)["population_uniques_dankar"] <= 1_000
    assert np.int64(1_000) == 1_000
    again = ka.risk(drawn(60), quasi_identifiers=["age", "zip"], population=np.int64(1_000))
    assert values(again) == values(found)


@pytest.mark.parametrize(
    ("population", "said"),
    [
        (pl.DataFrame(TABLE).head(2), "column 'age'.*nobody in the population table has it"),
        (pl.DataFrame(EVERYBODY).clear(), "nobody in the population table has it"),
        (pl.DataFrame(EVERYBODY).unique(), "more records .* than persons"),
        (pl.DataFrame({"age": [23]}), "the population table has no column 'sex'. It has: age"),
        (Path("nowhere.csv"), "no file nowhere.csv"),
        (7, "8 records, but the population only 7 persons"),
        (-1, "only -1 persons"),
        (1e4, "population is the number of persons, a table .* this is 10000.0"),
        (True, "this is True"),
        (["Ada"], "population is the number of persons"),
    ],
)
def test_a_population_that_does_not_hold_the_table_is_refused(population, said):
    """The message says what is wrong with the population, and of which column."""
    with pytest.raises(ka.KanonymError, match=said) as caught:
        ka.risk(table(), quasi_identifiers=KNOWN, population=population)
    assert "k-map" not in str(caught.value)


@pytest.mark.parametrize(
    ("released", "said"),
    [
        ({"age": ["[20, 30]"], "sex": ["f"]}, "'age': '\\[20, 30\\]' is not a label"),
        ({"age_min": [20], "age_max": [30], "sex": ["f"]}, "'age' is a range in two columns"),
    ],
)
def test_beside_a_population_table_values_say_who_is_meant(released, said):
    """Intervals and ranges cannot be looked up in a population table, and are refused."""
    with pytest.raises(ka.SchemaError, match=said):
        ka.risk(pl.DataFrame(released), quasi_identifiers=KNOWN, population=pl.DataFrame(EVERYBODY))


def test_beside_a_population_table_persons_are_compared_with_persons():
    """Six records of two persons are in a population of three; of six persons they are not."""
    given = pl.DataFrame({"age": [23] * 6, "who": [1, 1, 1, 2, 2, 2], "each": range(6)})
    persons = pl.DataFrame({"age": [23] * 3})
    found = ka.risk(given, quasi_identifiers=["age"], entity="who", population=persons)
    assert values(found)["journalist_highest"] == 1 / 3
    with pytest.raises(ka.DataError, match=r"persons of the table \(6\) than persons \(3\)"):
        ka.risk(given, quasi_identifiers=["age"], entity="each", population=persons)


# --- persons, weights, households -------------------------------------------------------


def test_entity_counts_persons_and_the_missing_are_one():
    """Records of one person are no crowd; records without a person are one person's."""
    found = ka.risk(
        table(person=["a", "a", "b", "c", "d", None, None, "e"]),
        quasi_identifiers=KNOWN,
        entity="person",
    )
    assert found.records["persons"].to_list() == [1, 1, 2, 2, 1, 1, 1, 1]
    assert values(found)["person_uniques"] == 4  # all but b and c, who share a class
    assert found.assessment.persons.persons == 6


def test_persons_with_several_records_have_no_estimates_of_single_ones():
    """Estimators that take each record for a person say why they give none; persons count."""
    of_persons = table(person=[1, 1, 2, 2, 3, 3, 4, 4])
    found = ka.risk(of_persons, quasi_identifiers=KNOWN, entity="person", population=5)
    entry = found.entries()["population_uniques_dankar"]
    assert entry.value is None
    assert "several records" in entry.reason
    assert values(found)["suda_highest"] == 2
    with pytest.raises(ka.DataError, match="records of 4 persons, but the population only 3"):
        ka.risk(of_persons, quasi_identifiers=KNOWN, entity="person", population=3)


def test_weights_give_individual_risk_and_households_that_of_their_members():
    """Weights of 2 halve the risk of statistical offices' scale; a null is no household."""
    given = table(weight=[2.0] * 8, household=["x", "x", "y", "y", "z", "z", None, None])
    found = ka.risk(given, quasi_identifiers=KNOWN, weight="weight", household="household")
    records = found.records
    assert records["individual"].is_between(0, 1).all()
    assert (records["individual"] < records["prosecutor"]).all()
    assert (records["household"] >= records["individual"] - 1e-15).all()
    alone = records["household"].to_list()[6:]
    assert alone == records["individual"].to_list()[6:]


def test_weights_may_have_a_decimal_comma():
    """Sampling weights are numbers, however a file writes them."""
    plain = table(weight=[1.5, 2.25, 3.0, 4.5, 1.5, 2.25, 3.0, 4.5])
    texts = table(weight=["1,5", "2,25", "3,0", "4,5"] * 2)
    found = [ka.risk(one, quasi_identifiers=KNOWN, weight="weight") for one in (plain, texts)]
    assert found[0].to_dict() == found[1].to_dict()


@pytest.mark.parametrize("option", ["entity", "weight", "household"])
def test_a_column_that_the_table_lacks_is_named(option):
    """The message names the missing column and those that the table has."""
    with pytest.raises(ka.DataError, match="no column 'nobody'; the table has: age, sex, disease"):
        ka.risk(table(), quasi_identifiers=KNOWN, **{option: "nobody"})


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (["one"] * 8, "'weight' is not a column of weights: it holds String"),
        ([True] * 8, "it holds Boolean"),
        ([1.0, None, *[1.0] * 6], "column 'weight', row 2: the sampling weight is missing"),
        ([1, 1, 0, *[1] * 5], "column 'weight', row 3: the sampling weight is 0"),
        ([-2.5, *[1.0] * 7], "row 1: the sampling weight is -2.5"),
        ([float("inf"), *[1.0] * 7], "row 1: the sampling weight is inf"),
    ],
)
def test_weights_are_numbers_above_0(weights, said):
    """A weight that no record can have is refused with its column, row and value."""
    with pytest.raises(ka.KanonymError, match=said):
        ka.risk(table(weight=weights), quasi_identifiers=KNOWN, weight="weight")


# --- what is refused --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"quasi_identifiers": []}, "without one there is no risk"),
        ({"quasi_identifiers": "age"}, "give a list of columns, not the text 'age'"),
        ({"quasi_identifiers": ["age", "age"]}, "'age' is named twice"),
        ({"quasi_identifiers": ["age", "zip"]}, "no column for: zip. It has: age, sex"),
        ({"sensitive": ["zip"]}, "no such column: 'zip'"),
        ({"sensitive": ["age"]}, "'age' is both quasi-identifying and sensitive"),
        ({"sensitive": "disease"}, "not the text 'disease'"),
        ({"hierarchies": {"agee": ka.hierarchy.masking()}}, "hierarchy of 'agee'"),
        ({"threshold": 1.5}, "threshold is 1.5; it must be from 0 to 1"),
        ({"threshold": float("nan")}, "threshold is nan"),
        ({"presets": ["ema-007"]}, "unknown preset; did you mean 'ema-0070'"),
        ({"presets": "ema-0070"}, "give a list of presets, not the text 'ema-0070'"),
        ({"largest": -1}, "-1 attributes are not a set"),
        ({"policy": policy()}, "give a policy or name the columns, not both"),
        (
            {"policy": ["age"], "quasi_identifiers": ()},
            "policy must be a Policy, its form as a mapping or the path of a policy file, not list",
        ),
    ],
)
def test_what_has_no_meaning_is_refused(asked, said):
    """Each message says which name or number is wrong, and what would be right."""
    with pytest.raises(ka.KanonymError, match=said):
        ka.risk(table(), **{"quasi_identifiers": KNOWN, **asked})


@pytest.mark.parametrize("given", [{"sensitive": ["disease"]}, {"hierarchies": {"age": None}}])
def test_a_policy_is_not_added_to(given):
    """Beside a policy neither sensitive attributes nor hierarchies are named."""
    with pytest.raises(ka.PolicyError, match="not both"):
        ka.risk(drawn(5), policy(), **given)


def test_what_is_no_table_is_refused():
    """A dict is no table, and the message says what one is."""
    with pytest.raises(ka.DataError, match="a table is a pandas or polars DataFrame"):
        ka.risk(TABLE, quasi_identifiers=KNOWN)


# --- edges ------------------------------------------------------------------------------


@pytest.mark.parametrize("population", [None, 1_000, pl.DataFrame(EVERYBODY)])
def test_an_empty_table_has_nobody_to_be_found(population):
    """Without a record every risk is 0, no entry is missing without a reason, presets are met."""
    found = ka.risk(
        table(person=1, weight=1.0, household=1).clear(),
        quasi_identifiers=KNOWN,
        sensitive=["disease"],
        entity="person",
        weight="weight",
        household="household",
        population=population,
    )
    for name, one in found.entries().items():
        assert one.value == 0 or one.reason, name
    assert all(one["met"] for one in found.to_dict()["presets"].values())
    assert len(found.records) == len(found.classes) == 0


def test_one_record_is_certain():
    """A table of one record has a unique, found with certainty by who knows it is there."""
    found = values(ka.risk(table().head(1), quasi_identifiers=KNOWN, sensitive=["disease"]))
    assert found["prosecutor_highest"] == found["uniques"] == found["unique_share"] == 1
    assert found["t_equal"] == 0


def test_a_column_of_nulls_tells_nobody_apart():
    """A quasi-identifier that is null throughout makes one class, whatever its type."""
    for nulls in (pl.Series([None] * 8, dtype=pl.Int64), [None] * 8):
        found = values(ka.risk(table(empty=nulls), quasi_identifiers=["empty"], population=1_000))
        assert found["k"] == found["k_wildcard"] == 8
        assert found["uniques"] == found["suda_highest"] == 0


def test_one_quasi_identifier_is_enough():
    """With one attribute, uniques are its values that occur once, each a set of one."""
    found = ka.risk(table(), quasi_identifiers=["age"])
    assert values(found)["uniques"] == 1
    assert found.suda.explain(7) == (("age",),)


def test_more_quasi_identifiers_than_suda_takes_are_measured_without_it():
    """Of 30 attributes SUDA says why it has no score; asked for by `largest`, it refuses."""
    random = np.random.default_rng(0)
    wide = pl.DataFrame({f"c{i}": random.integers(0, 2, 40) for i in range(30)})
    found = ka.risk(wide, quasi_identifiers=wide.columns)
    assert found.suda is None
    assert "suda" not in found.records.columns
    assert "at most 27" in found.entries()["suda_highest"].reason
    with pytest.raises(ka.DataError, match="27 quasi-identifiers, not 30"):
        ka.risk(wide, quasi_identifiers=wide.columns, largest=2)
    assert ka.risk(wide, quasi_identifiers=wide.columns[:12]).suda.largest == 3


def test_without_suda_there_is_no_entry_of_it():
    """`largest=0` asks for no special uniques, and nothing is said of them."""
    found = ka.risk(table(), quasi_identifiers=KNOWN, largest=0)
    assert found.suda is None
    assert not any(name.startswith(("suda", "dis_")) for name in found.entries())


# --- what comes out ---------------------------------------------------------------------


def everything():
    """Return the risk of a table with all that can be measured."""
    given = drawn(60).with_columns(
        person=np.arange(60), weight=np.linspace(2, 9, 60), household=np.arange(60) // 3
    )
    return given, ka.risk(
        given,
        quasi_identifiers=["age", "zip", "sex"],
        sensitive=["disease"],
        hierarchies={"disease": ka.hierarchy.flat()},
        population=2_000,
        entity="person",
        weight="weight",
        household="household",
    )


def test_every_entry_says_what_it_is_and_lies_in_its_range():
    """Entries have value, range, direction, unit and source, and values are in the range."""
    _, found = everything()
    contract = found.to_dict()
    del contract["presets"]
    assert contract.keys() == found.entries().keys()
    for name, one in contract.items():
        assert one.keys() >= {"value", "low", "high", "better", "unit", "source"}, name
        assert one["better"] in ("lower", "higher")
        assert one["unit"]
        assert one["source"]
        assert one["value"] is not None or one["reason"], name
        if one["value"] is not None:
            assert one["value"] >= (0 if one["low"] is None else one["low"]), name
            assert one["high"] is None or one["value"] <= one["high"] + 1e-12, name
    assert contract["t_hierarchical"]["parts"].keys() == {"disease"}


def test_the_contract_is_json_without_nan():
    """`to_dict` holds what JSON has: no NaN, no infinity, no NumPy number."""
    _, found = everything()
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["k"]["value"] == 1


def test_presets_are_judged_by_name():
    """The presets asked for are there with verdict, threshold, basis and source, and no other."""
    found = ka.risk(table(), quasi_identifiers=KNOWN, presets=["ema-0070"]).to_dict()["presets"]
    assert found.keys() == {"ema-0070"}
    assert found["ema-0070"].keys() >= {"met", "reason", "title", "threshold", "basis", "source"}
    assert found["ema-0070"]["met"] is False
    assert ka.risk(table(), quasi_identifiers=KNOWN, presets=()).to_dict()["presets"] == {}


def test_records_are_in_the_tables_order_and_show_no_value_of_it():
    """One row a record, numbers only: class and risks, and no quasi-identifier."""
    given, found = everything()
    records = found.records
    assert records.columns == [
        "class", "class_size", "prosecutor", "journalist", "individual", "household", "persons",
        "suda", "dis",
    ]  # fmt: skip
    assert len(records) == 60
    assert all(dtype.is_numeric() for dtype in records.dtypes)
    sizes = Counter(given.select("age", "zip", "sex").rows())
    of_rows = [sizes[row] for row in given.select("age", "zip", "sex").rows()]
    assert records["class_size"].to_list() == of_rows
    assert records["prosecutor"].to_list() == [1 / size for size in of_rows]


def test_classes_are_shown_with_their_values_the_smallest_first():
    """One row a class: its quasi-identifiers, number, size and risk, in order of size."""
    found = ka.risk(table(), quasi_identifiers=KNOWN).classes
    assert found.columns == [*KNOWN, "class", "class_size", "prosecutor", "journalist"]
    assert found["class_size"].to_list() == [1, 1, 2, 2, 2]
    assert set(found.head(2).select(KNOWN).rows()) == {(41, "f"), (57, None)}
    assert found["class_size"].sum() == 8


def test_a_quasi_identifier_may_be_called_class():
    """Where a quasi-identifier has a measure's name it keeps it, and the measure's is longer."""
    named = table().rename({"age": "class", "sex": "class_"})
    found = ka.risk(named, quasi_identifiers=["class", "class_"]).classes
    assert found.columns == [
        "class", "class_", "class__", "class_size", "prosecutor", "journalist",
    ]  # fmt: skip
    assert found["class"].to_list()[0] in (41, 57)


def test_records_and_classes_have_the_type_of_the_table(frame):
    """Every frame library gets its own type back, of records and of classes."""
    given = frame(TABLE)
    found = ka.risk(given, quasi_identifiers=KNOWN)
    for made in (found.records, found.classes):
        assert type(nw.to_native(made, pass_through=True)) is type(
            nw.to_native(given, pass_through=True)
        )
    assert to_polars(found.records)["class_size"].to_list() == [2, 2, 2, 2, 1, 2, 2, 1]


def test_the_input_is_not_modified(frame):
    """Measuring leaves the table as it was."""
    given, same = frame(TABLE), frame(TABLE)
    _ = ka.risk(given, quasi_identifiers=KNOWN, sensitive=["disease"]).records
    assert to_polars(given).equals(to_polars(same))


def test_print_shows_every_number_on_a_line():
    """Printed, each entry is a line with name, value and direction, and no array."""
    found = ka.risk(table(), quasi_identifiers=KNOWN, sensitive=["disease"])
    lines = str(found).splitlines()
    assert lines[0] == "records 8 · classes 5 · k 1 · records alone in their class 2"
    same = "journalist"  # those of an intruder who knows less, where they are no other
    for name in (one.meaning.label for one in found.entries().values()):
        assert sum(line.startswith(f"{name}  ") for line in lines) == (not name.startswith(same))
    assert not any("array" in line for line in lines)


@pytest.mark.parametrize("number", [float("inf"), -float("inf"), 1e200])
def test_quasi_identifiers_have_finite_numbers(number):
    """Infinite numbers, and those whose squares are, are refused with column and row."""
    given = pl.DataFrame({"age": [1.0, number]})
    with pytest.raises(ka.DataError, match=r"'age', row 2: .* infinite or beyond"):
        ka.risk(given, quasi_identifiers=["age"])


def test_records_have_the_index_of_a_pandas_frame():
    """Put beside a filtered pandas frame, the risk of each record is its own."""
    given = drawn(80).drop_nulls()
    filtered = given.to_pandas().query("sex == 'f'")
    found = ka.risk(filtered, quasi_identifiers=["age"]).records
    assert found.index.equals(filtered.index)
    assert list(found.index) != list(range(len(found)))
    filtered = filtered.assign(size=found["class_size"])
    assert (filtered["size"] == filtered.groupby("age")["age"].transform("size")).all()
    wrapped = ka.risk(nw.from_native(filtered), quasi_identifiers=["age"]).records
    assert wrapped.to_native().index.equals(filtered.index)


def test_special_uniques_of_many_records_are_looked_for_as_far_as_memory_goes():
    """Of 50,000 records with 15 attributes, sets of two are looked for, and that is said."""
    random = np.random.default_rng(0)
    names = [f"q{a}" for a in range(15)]
    given = pl.DataFrame(random.integers(0, 60, (50_000, 15)), schema=names)
    found = ka.risk(given, quasi_identifiers=names)
    assert found.suda.largest == found.entries()["suda_highest"].parts["largest"] == 2


def test_special_uniques_of_too_many_records_have_no_value(monkeypatch):
    """Where not even single attributes fit, entries say how to ask for them all the same."""
    monkeypatch.setattr("kanonym.evaluation.risk.suda.MOST_VISITS", 9)
    found = ka.risk(table(), quasi_identifiers=KNOWN)
    assert found.suda is None
    assert "`largest` asks for it" in found.entries()["suda_mean"].reason
    assert values(ka.risk(table(), quasi_identifiers=KNOWN, largest=2))["suda_highest"] == 2


def test_special_uniques_that_were_not_found_are_no_column_of_records():
    """Records that are alone on larger sets than were looked for are not shown a score of 0."""
    crossed = pl.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    found = ka.risk(crossed, quasi_identifiers=["a", "b"], largest=1)
    assert not {"suda", "dis"} & set(found.records.columns)
    assert found.entries()["dis_highest"].value is None
