"""Injection: every target is reached by records that fit, and nothing else changes."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kanonym as ka
from kanonym.data import frames
from kanonym.data.errors import DataError, InfeasibleError, PolicyError, SchemaError
from kanonym.synthesis import inject, injected_rows
from kanonym.synthesis.columns import Constraint
from normal_tables import latent

KEY = b"of these tests only, never of data"
KNOWN = ["age", "sex", "ward"]
HIDDEN = ["disease", "visits"]
DISEASES = ["flu", "cold", "asthma", "angina", "gout", "measles", "mumps", "scurvy"]


def hospital(n=300):
    """Return n stays: 40 classes of few records, two sensitive attributes, two days in order.

    Of 300 stays the largest classes have 12 with four diseases (a diversity of 33 %) and three
    numbers of visits.
    """
    i = np.arange(n)
    decade, turn = 2 + i % 5, i // 10
    sick = np.clip(decade + turn % 4 - 2, 0, len(DISEASES) - 1)
    visits = (decade + turn % 3).tolist()
    visits[3] = None
    admission = [dt.date(2024, 1, 1) + dt.timedelta(int(day)) for day in i * i % 299]
    stay = (i * 13 % 20).tolist()
    return pl.DataFrame(
        {
            "age": [f"[{10 * one}, {10 * one + 10})" for one in decade.tolist()],
            "sex": np.array(["f", "m"])[i // 5 % 2],
            "ward": [[*"aaaabbbcc", None][one % 10] for one in turn.tolist()],
            "disease": [DISEASES[one] for one in sick],
            "visits": visits,
            "cost": 1000 + 200 * decade + i * 3701 % 10007 / 100,
            "admission": admission,
            "discharge": [
                day + dt.timedelta(days) for day, days in zip(admission, stay, strict=True)
            ],
        }
    )


ASKED = {"quasi_identifiers": KNOWN, "sensitive": HIDDEN, "seed": 1}


def multiset(table):
    """Return how often each record stands in a table."""
    return Counter(table.rows())


def classes(table, known=KNOWN):
    """Return the size of each class by its values."""
    return {row[:-1]: row[-1] for row in table.group_by(known).len().rows()}


@pytest.mark.parametrize(
    "targets",
    [{"size": 12}, {"l": 5}, {"diversity": 40.0}, {"size": 15, "diversity": 30.0, "l": 4}],
    ids=str,
)
def test_every_target_is_reached_as_measured_from_the_result(targets):
    """`ka.measure` of the result finds what was asked, in every class and sensitive attribute."""
    done = inject(hospital(), **ASKED, **targets)
    found = ka.measure(done.frame, quasi_identifiers=KNOWN, sensitive=HIDDEN)
    assert done.added > 0
    assert found == done.after
    assert found.k >= targets.get("size", 1)
    for one in found.attributes.values():
        assert one.l_distinct >= targets.get("l", 1)
        assert one.diversity_percent.min >= targets.get("diversity", 0)


def test_the_extended_diversity_rises_and_the_account_says_so():
    """Before and after are those of `ka.measure`; sizes and diversity went up."""
    table = hospital()
    done = inject(table, **ASKED, diversity=40.0)
    assert done.before == ka.measure(table, quasi_identifiers=KNOWN, sensitive=HIDDEN)
    for name in HIDDEN:
        before, after = (one.attributes[name] for one in (done.before, done.after))
        assert after.diversity_percent.min >= 40.0 > before.diversity_percent.min
        assert after.diversity_percent.mean > before.diversity_percent.mean
    assert (done.rows_in, done.added) == (300, len(done.frame) - 300)


def test_no_more_records_are_added_than_the_sizes_need():
    """Each class below the size gets exactly what it lacks, others get nothing."""
    table = hospital()
    done = inject(table, **ASKED, size=12)
    before, after = classes(table), classes(done.frame)
    assert after == {values: max(size, 12) for values, size in before.items()}
    assert done.classes_changed == sum(size < 12 for size in before.values())


def test_original_records_are_all_still_there_and_none_is_touched():
    """The result is the table's multiset of records and as many more as were added."""
    table = hospital()
    copy = table.clone()
    done = inject(table, **ASKED, size=12, l=4)
    assert multiset(table) <= multiset(done.frame)
    assert table.equals(copy)
    assert done.frame.columns == table.columns
    assert done.frame.schema == table.schema


def test_added_records_make_no_class_and_no_new_value_of_repeating_columns():
    """Quasi-identifiers are those of classes, and categories are from the valid domain."""
    table = hospital()
    done = inject(table, **ASKED, size=14)
    assert set(classes(done.frame)) == set(classes(table))
    assert set(done.frame["disease"]) <= set(table["disease"])
    assert done.frame["visits"].max() <= table["visits"].max()
    assert done.frame["cost"].round(2).equals(done.frame["cost"])
    assert done.frame["cost"].is_between(table["cost"].min(), table["cost"].max()).all()


@pytest.mark.parametrize("form", ["mapping", "text", "polars", "pandas", "pyarrow"])
def test_only_named_classes_are_changed(form):
    """Classes given by their values or their texts, or as a table, get records; others none."""
    table = hospital().with_columns(age=pl.col("age").str.slice(1, 2).cast(pl.Int64))
    before = classes(table)
    chosen = sorted((one for one in before if None in one), key=str)[:2]
    chosen += sorted(one for one in before if None not in one)[:1]
    given = [dict(zip(KNOWN, one, strict=True)) for one in chosen]
    if form == "text":
        given = [{**one, "age": str(one["age"])} for one in given]
    elif form != "mapping":
        make = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.Table.from_pylist}
        given = make[form](given)
    done = inject(table, **ASKED, size=30, classes=given)
    after = classes(done.frame)
    assert {one for one in before if before[one] != after[one]} == set(chosen)
    assert all(after[one] == 30 for one in chosen)
    assert done.classes_changed == 3


def test_values_drawn_for_diversity_are_new_to_their_class():
    """Of each attribute, as many different values come in as the class lacks, not one less."""
    table = hospital()
    done = inject(table, **ASKED, l=6)
    counts = pl.col(HIDDEN).n_unique().cast(pl.Int64)
    before = table.group_by(KNOWN).agg(pl.len(), counts)
    after = done.frame.group_by(KNOWN).agg(pl.len().alias("n"), counts)
    both = before.join(after, on=KNOWN, nulls_equal=True, suffix="_after")
    lacking = both.select(pl.max_horizontal(6 - pl.col(HIDDEN)).clip(0)).to_series()
    assert (both["n"] - both["len"] == lacking).all()
    assert both.select(pl.min_horizontal(f"{name}_after" for name in HIDDEN)).min().item() >= 6


def test_finely_measured_values_go_beyond_the_observed_ones():
    """A column of measured numbers can bring more values than the table has, on its grid."""
    table = pl.DataFrame({"g": ["a"] * 40, "x": (np.arange(40) ** 2 / 10).tolist()})
    done = inject(table, quasi_identifiers=["g"], sensitive=["x"], l=200, seed=0)
    assert done.frame["x"].n_unique() == 200 == len(done.frame)
    assert done.frame["x"].round(1).equals(done.frame["x"])
    assert done.frame["x"].is_between(0, 152.1).all()


def test_a_small_grid_is_used_up_before_it_is_refused():
    """The last of the numbers that a column can hold is found; one more is impossible."""
    table = pl.DataFrame({"g": ["a"] * 8, "x": [0, 3, 9, 10, 14, 18, 23, 30]})
    asked = {"quasi_identifiers": ["g"], "sensitive": ["x"], "seed": 0}
    done = inject(table, **asked, l=31)
    assert sorted(done.frame["x"]) == list(range(31))
    with pytest.raises(InfeasibleError, match="can have 31 of them: the best is 31"):
        inject(table, **asked, l=32)


def test_constraints_hold_in_every_added_record():
    """Nobody leaves before arriving, whether the days are drawn or given by the class."""
    table = hospital()
    rules = ["discharge >= admission"]
    done = inject(table, **ASKED, size=14, constraints=rules)
    assert (done.frame["discharge"] >= done.frame["admission"]).all()
    ends = {"quasi_identifiers": ["discharge"], "sensitive": ["disease"], "seed": 1}
    late = inject(table, **ends, size=3, constraints=[Constraint.parse(rules[0])])
    assert (late.frame["discharge"] >= late.frame["admission"]).all()


def test_a_diverse_value_that_a_constraint_forbids_is_neither_counted_nor_drawn():
    """What a class can have of an attribute is bounded by its quasi-identifiers."""
    floor, top = [1] * 6 + [3] * 6, [1, 2, 3, 4, 5, 6, 3, 3, 4, 4, 5, 6]
    table = pl.DataFrame({"floor": floor, "top": top})
    asked = {"quasi_identifiers": ["floor"], "sensitive": ["top"], "seed": 3}
    asked["constraints"] = ["floor <= top"]
    few = table.filter(~((pl.col("floor") == 3) & (pl.col("top") > 4)))
    done = inject(few, **asked, l=4)
    assert set(done.frame.filter(pl.col("floor") == 3)["top"]) == {3, 4, 5, 6}
    with pytest.raises(InfeasibleError, match="and can have 4 of them: the best is 4"):
        inject(few, **asked, l=5)


def test_one_seed_gives_one_table_and_another_seed_another():
    """All that is drawn follows from the seed; without one it is drawn anew."""
    table = hospital(100)
    asked = {"quasi_identifiers": KNOWN, "sensitive": HIDDEN, "size": 6}
    one, same, other = (inject(table, **asked, seed=seed) for seed in (5, 5, 6))
    assert one.frame.equals(same.frame)
    assert one.detection == same.detection
    assert multiset(one.frame) != multiset(other.frame)
    assert inject(table, **asked).seed != inject(table, **asked).seed


def test_every_frame_library_gives_the_same_table(frame):
    """One seed, one table: values, order and account are those of polars; the types are kept."""
    table = hospital(120)
    done = inject(frame(table.to_dict(as_series=False)), **ASKED, size=6)
    expected = inject(table, **ASKED, size=6)
    given = frames.to_eager(frame(table.to_dict(as_series=False)))
    assert type(done.frame) is type(given)
    for name in table.columns:
        assert frames.column(done.frame, name).to_list() == expected.frame[name].to_list()
    assert (done.detection, done.distance) == (expected.detection, expected.distance)
    types = "dtypes" if hasattr(given, "dtypes") else "schema"
    assert list(getattr(done.frame, types)) == list(getattr(given, types))


def test_a_lazy_frame_stays_lazy():
    """What came lazily goes lazily."""
    done = inject(hospital(80).lazy(), **ASKED, size=4)
    assert isinstance(done.frame, pl.LazyFrame)
    assert done.frame.collect().height == 80 + done.added


def test_place_does_not_tell_who_was_added():
    """Added records stand anywhere: their mean place is that of all within what chance allows."""
    done = inject(hospital(), **ASKED, size=20, key=KEY)
    rows = injected_rows(done.frame, done.marks, KEY)
    n = len(rows)
    spread = np.sqrt((n - done.added) * (n + 1) / (12 * done.added))
    assert rows.sum() == done.added > 100
    assert abs(np.flatnonzero(rows).mean() - (n - 1) / 2) < 4 * spread


def test_marks_take_the_added_records_out_again(tmp_path):
    """Without the marked records, the table is what came in; marks go to their own file only."""
    table = hospital()
    done = inject(table, **ASKED, size=12, key=KEY)
    done.write_marks(tmp_path / "marks.json")
    rows = injected_rows(done.frame, tmp_path / "marks.json", KEY)
    assert multiset(done.frame.filter(~rows)) == multiset(table)
    assert done.frame.columns == table.columns


def test_without_a_key_there_are_no_marks():
    """Marks need a key, and asking for them without one is refused."""
    done = inject(hospital(), **ASKED, size=10)
    assert done.marks is None
    with pytest.raises(PolicyError, match="marks need a key"):
        done.write_marks("marks.json")


def test_a_table_that_has_it_all_gets_nothing():
    """No record is added where nothing is lacking; the result is the table, shuffled."""
    table = hospital()
    done = inject(table, **ASKED, size=1)
    assert (done.added, done.classes_changed, done.gives_away) == (0, 0, ())
    assert multiset(done.frame) == multiset(table)
    assert done.distance.value == 0.0
    assert (done.detection.value, done.detection.reason) == (None, "nothing was added")


def fitted_family(n=6000, seed=0):
    """Return a table of which each record is one normal vector, cut or scaled."""
    correlation = 0.6 ** np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    z = latent(n, seed, correlation)
    cuts = np.quantile(z[:, 0], [0.02, 0.1, 0.3, 0.6, 0.9])
    return pl.DataFrame(
        {
            "region": np.array(list("abcdef"))[np.searchsorted(cuts, z[:, 0])],
            "class": np.searchsorted([-1.5, 0.0, 1.5], z[:, 1]),
            "income": np.exp(7 + 0.4 * z[:, 2]).round(0),
            "visits": np.floor(np.exp(1 + 0.5 * z[:, 3])).astype(np.int64),
            "sick": z[:, 4] > 0.8,
            "score": z[:, 5].round(3),
        }
    )


@pytest.mark.parametrize("seed", [0, 1])
def test_added_records_cannot_be_told_from_real_ones_of_the_fitted_family(seed):
    """On data that the model can draw, a classifier within changed classes is near chance."""
    table = fitted_family(seed=seed)
    done = inject(table, quasi_identifiers=["region", "class"], size=400, seed=seed)
    assert done.added > 2000
    assert done.detection.value <= 0.55


def test_records_drawn_column_by_column_are_told_apart():
    """The same classifier finds records whose columns do not belong together."""
    from kanonym.synthesis.injection.classes import classes_of
    from kanonym.synthesis.injection.targets import measure_distinguishability

    table = fitted_family()
    held = classes_of([table["region"]], {}, len(table))
    owners = np.sort(np.random.default_rng(0).permutation(held.labels)[:2000])
    added = [
        column.gather(held.first[owners])
        if column.name == "region"
        else column.sample(2000, seed=i)
        for i, column in enumerate(table.get_columns())
    ]
    found = measure_distinguishability(
        table.get_columns(), added, held, owners, np.random.default_rng(0)
    )
    assert found.value > 0.7


def test_the_distance_is_that_of_the_measure_of_utility():
    """Two-way total variation of before and after, as `ka.utility` takes it of two tables."""
    # Of a release, null may be a suppressed cell: here, it is none.
    table = hospital().with_columns(pl.col("ward").fill_null("d"), pl.col("visits").fill_null(0))
    done = inject(table, **ASKED, size=14)
    one = ka.utility(
        table, done.frame, quasi_identifiers=[], measures=["pairwise-total-variation"]
    ).measured["pairwise-total-variation"]
    assert done.distance.value == pytest.approx(one.value, abs=1e-12)
    assert 0 < done.distance.value <= done.added / len(done.frame)


def test_the_account_names_no_value_and_no_seed():
    """JSON and text hold numbers: no value of a quasi-identifier or sensitive attribute."""
    done = inject(hospital(), **ASKED | {"seed": 987654321}, size=12, l=4, key=KEY)
    told = json.dumps(done.to_dict()) + str(done)
    assert not [word for word in (*DISEASES, "[20, 30)", "987654321") if word in told]
    assert not [mark for mark in done.marks.records if mark in told]
    for sentence in done.gives_away:
        assert sentence in " ".join(str(done).split())
    assert {"before", "after", "distance", "detection", "gives_away"} <= set(done.to_dict())


def test_what_gives_classes_away_is_counted():
    """The account says how many classes of the least size have added records, and new values."""
    table = pl.DataFrame({"g": list("aabbbcccc"), "s": list("xxxyzxyzx")})
    done = inject(table, quasi_identifiers=["g"], sensitive=["s"], size=3, l=2, seed=0)
    assert "1 of the 2 classes with 3 records have added ones" in " ".join(done.gives_away)
    assert "new to their class, as was asked: 1." in " ".join(done.gives_away)


def test_a_value_is_counted_and_drawn_only_if_a_third_column_fits_between():
    """Constraints bind sensitive attributes also by way of columns that nobody named."""
    table = pl.DataFrame({"a": [0] * 4 + [1] * 4, "b": [1, 1, 2, 2] * 2, "c": [2, 3, 3, 4] * 2})
    table = table.with_columns(pl.col("b", "c") + pl.col("a"))
    asked = {"quasi_identifiers": ["a"], "sensitive": ["c"], "constraints": ["a < b", "b < c"]}
    done = inject(table, **asked, l=3, classes=[{"a": 1}], seed=0).frame
    assert (done["a"] < done["b"]).all()
    assert (done["b"] < done["c"]).all()
    inject(table, **asked, l=4, classes=[{"a": 0}], seed=0)
    with pytest.raises(InfeasibleError, match=r"1 class: that of row 5 has .* the best is 3"):
        inject(table, **asked, l=4, seed=0)


@pytest.mark.parametrize("names", [["low", "high"], ["high", "low"]], ids=str)
def test_new_values_of_two_attributes_fit_each_other(names):
    """A constraint between sensitive attributes holds, or the attribute that cannot is named.

    Each class has five of the eight low values and seven or more high ones, so that a sixth low
    one always fits a high one. Beyond, what was drawn first may leave no value that fits.
    """
    i = np.arange(300)
    low = (i // 10 + i % 5) % 8
    table = pl.DataFrame({"q": i // 10, "low": low, "high": low + i % 10 // 5 * 2})
    asked = {"quasi_identifiers": ["q"], "sensitive": names, "constraints": ["low <= high"]}
    for l, seed in ((3, 0), (3, 1), (6, 0), (7, 1), (8, 0)):
        try:
            done = inject(table, **asked, l=l, seed=seed)
        except InfeasibleError as refused:
            assert f"no further value of {names[1]!r} fits the class of row" in str(refused)  # noqa: PT017
            assert l > 3
        else:
            assert (done.frame["low"] <= done.frame["high"]).all()
            assert min(done.after.attributes[name].l_distinct for name in names) >= l


CLASS = {"age": "[20, 30)", "sex": "f", "ward": "a"}


@pytest.mark.parametrize(
    ("error", "asked", "said"),
    [
        (PolicyError, {}, "set a target for classes"),
        (PolicyError, {"size": 0}, "size is 0"),
        (PolicyError, {"diversity": 101}, "at most 100"),
        (PolicyError, {"size": 3, "seed": -1}, "seed is -1"),
        (PolicyError, {"l": 2, "sensitive": []}, "l is of sensitive attributes; name them"),
        (SchemaError, {"size": 3, "quasi_identifiers": []}, "name the quasi-identifiers"),
        (SchemaError, {"size": 3, "sensitive": ["age"]}, "both quasi-identifying and sensitive"),
        (SchemaError, {"size": 3, "sensitive": ["agee"]}, "'agee' is an unknown column"),
        (SchemaError, {"size": 3, "sensitive": "disease"}, "give a list of columns"),
        (InfeasibleError, {"l": 9}, "9 different values of 'disease' cannot be reached by"),
        (InfeasibleError, {"diversity": 100}, "a diversity of 100 % of 'disease' cannot be"),
        (PolicyError, {"size": 3, "classes": []}, "classes names none"),
        (PolicyError, {"size": 3, "classes": "age=3"}, "classes is a list of mappings"),
        (
            PolicyError,
            {"size": 3, "classes": [{"age": "x"}]},
            "class 1 of 1 does not say its 'sex'",
        ),
        (PolicyError, {"size": 3, "classes": [CLASS | {"x": 1}]}, "class 1 of 1 names 'x'"),
        (
            PolicyError,
            {"size": 3, "classes": [CLASS, CLASS | {"age": "[200, 300)"}]},
            "class 2 of 2 is not in the table: no record has '[200, 300)' as 'age'; a similar",
        ),
        (PolicyError, {"size": 3, "constraints": "discharge >= admission"}, "give a list of con"),
        (PolicyError, {"size": 3, "constraints": ["discharge"]}, "'discharge' is not a constraint"),
        (PolicyError, {"size": 3, "key": b"short"}, "fewer than 16 bytes"),
        (DataError, {"size": 3, "constraints": ["discharge <= admission"]}, "row"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_with_what_to_do(error, asked, said):
    """Each refusal says what is wrong with which class, column or parameter."""
    with pytest.raises(error) as caught:
        inject(hospital(), **({"quasi_identifiers": KNOWN, "sensitive": HIDDEN} | asked))
    assert said in str(caught.value)


def test_a_class_that_no_record_has_is_told_by_what_it_lacks():
    """Where each value occurs and all together do not, the nearest class says which differ."""
    table = pl.DataFrame({"a": [1, 1, 2], "b": ["x", "y", "y"]})
    with pytest.raises(PolicyError, match="no record has all of them; the nearest class differs"):
        inject(table, quasi_identifiers=["a", "b"], size=2, classes=[{"a": 2, "b": "x"}])


@pytest.mark.parametrize("value", ["two", 2.5, dt.date(2024, 1, 1), [1]])
def test_a_value_of_another_type_is_in_no_class(value):
    """What the column cannot hold is refused, never rounded to what it can."""
    table = pl.DataFrame({"a": [1, 1, 2]})
    with pytest.raises(PolicyError, match="class 1 of 1 is not in the table"):
        inject(table, quasi_identifiers=["a"], size=2, classes=[{"a": value}])


def test_free_text_is_refused_with_what_to_do():
    """A column of texts that hardly repeat cannot be imitated: drop it, or change it before."""
    table = hospital().with_columns(name=pl.Series([f"person {i}" for i in range(300)]))
    with pytest.raises(SchemaError, match=r"column 'name' is free text.*Drop it"):
        inject(table, **ASKED, size=10)


@pytest.mark.parametrize("start", [0, dt.date(2024, 1, 1), 0.0])
def test_a_column_that_numbers_the_records_is_refused(start):
    """An added record would repeat a number that nobody else has twice."""
    step = dt.timedelta(1) if isinstance(start, dt.date) else 1
    table = hospital().with_columns(number=pl.Series([start + i * step for i in range(300)]))
    with pytest.raises(
        SchemaError, match=r"'number' numbers the records: 300 of its 300 values are"
    ):
        inject(table, **ASKED, size=10)
    known = inject(table[:20], quasi_identifiers=["number"], size=2, seed=1)
    assert known.added == 20


def test_a_number_that_stands_twice_does_not_hide_that_others_are_serial():
    """A serial number is one with a record written twice, too; numbers by chance are none."""
    random = np.random.default_rng(0)
    serial = [*range(299), 7]
    with pytest.raises(SchemaError, match="299 of its 300 values are different, of 299 that"):
        inject(hospital().with_columns(number=pl.Series(serial)), **ASKED, size=10)
    drawn = hospital().with_columns(number=pl.Series(random.integers(0, 300, 300)))
    assert inject(drawn, **ASKED, size=10).added


def test_a_table_without_records_is_refused():
    """There is nothing to imitate."""
    with pytest.raises(DataError, match="has no records"):
        inject(hospital().clear(), **ASKED, size=3)
