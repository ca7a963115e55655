"""Laws of frequency sets that nobody takes whole: they are divided where they are.

The release of a polars table is the judge; engines are small ones that stand for large ones, so
fragments are small, too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.algorithms import mondrian
from kanonym.data.errors import DataError, InfeasibleError, PolicyError, SchemaError
from kanonym.data.files import read_table
from kanonym.data.schema import Role
from kanonym.engines.duckdb import scan_duckdb
from kanonym.engines.sql.frequencies import types_of
from kanonym.engines.sql.large import partition_on_engine, released_query, tree_builder
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task, sensitive_names

DUCKDB = pytest.mark.xdist_group("duckdb")

AGES = ka.hierarchy.intervals(width=[5, 10, 20])


@pytest.fixture(autouse=True, scope="module")
def large():
    """Let these tables be large to Mondrian, too: by `span` it compares no cuts of fragments."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mondrian, "LARGE", 0)
        yield


def records(n, seed, *, nulls=True):
    """Return a table of n records: numbers, categories and text, some of them null."""
    rng = np.random.default_rng(seed)
    cities = ["Bern", "Genève", 'a"b', "it's; DROP TABLE t", *([None] if nulls else [])]
    weight = pl.Series(rng.normal(70, 10, n).round()).set(
        pl.Series(rng.random(n) < 0.02 * nulls), None
    )
    return pl.DataFrame(
        {
            "age": rng.integers(0, 90, n),
            "city": [cities[place] for place in rng.integers(0, len(cities), n)],
            "weight": weight,
            "visit": pl.Series(rng.integers(0, 400, n), dtype=pl.Int32).cast(pl.Date),
            "disease": rng.choice(["flu", "cold", "gout"], n, p=[0.6, 0.3, 0.1]),
            "note": [f"note {i}" for i in rng.permutation(n)],
        }
    )


def policy(models, algorithm=None, recoding=None, *, keep=True, limit=0.0, **ways):
    """Return a policy over these columns; `note` is released as it is, or not at all.

    ways: parameters of a quasi-identifier by its name.
    """
    known = {
        name: ka.QuasiIdentifier(**ways.get(name, {}))
        for name in ("age", "city", "weight", "visit")
    }
    return ka.Policy(
        attributes={
            **known,
            "disease": ka.Sensitive(**ways.get("disease", {})),
            "note": ka.Insensitive() if keep else ka.Identifier(),
        },
        models=models,
        algorithm=algorithm or ka.Mondrian(split="span"),
        recoding=recoding,
        suppression_limit=limit,
    )


def released(source, asked, fragment, watch=None):
    """Divide a source; return what was decided, and the released rows."""
    dtypes = types_of(source)
    schema = asked.schema_for(list(dtypes))
    names = [*schema.names(Role.QUASI_IDENTIFIER), *sensitive_names(schema, asked.models)]
    task = Task.of(asked, schema)
    found = partition_on_engine(source, task, names, dtypes, watch or Stopwatch(), fragment)
    query = released_query(source, found, schema, dtypes, 0)
    return found, source.store.fetch(query)


def ordered(frame):
    """Return the rows of a frame in an order of their own, in types that all engines have."""
    plain = frame.with_columns(pl.col(pl.Int8, pl.Int16, pl.Int32).cast(pl.Int64))
    return plain.sort(plain.columns, nulls_last=True)


def agree(found, rows, local):
    """Require the release of a polars table: rows, classes, loss."""
    assert rows.columns == local.frame.columns
    assert ordered(rows).equals(ordered(local.frame), null_equal=True)
    sizes = local.verification.class_sizes
    assert dict(zip(*np.unique(found.classes.sizes, return_counts=True), strict=True)) == sizes
    ours, theirs = found.classes.utility, local.utility
    assert ours.discernibility == theirs.discernibility
    assert ours.average_class_size == theirs.average_class_size
    assert ours.ncp == pytest.approx(theirs.ncp, rel=1e-12)
    assert ours.rmse == pytest.approx(theirs.rmse, rel=1e-12)
    assert (ours.loss is None) == (theirs.loss is None)
    assert ours.loss is None or ours.loss == pytest.approx(theirs.loss, rel=1e-12)


L = [ka.KAnonymity(4), ka.LDiversity("disease", l=2)]
T = [ka.KAnonymity(3), ka.TCloseness("disease", t=0.25), ka.models.BetaLikeness("disease", beta=3)]

POLICIES = {
    "k": policy([ka.KAnonymity(5)]),
    "k alone": policy([ka.KAnonymity(5)], keep=False),
    "l": policy(L),
    "l alone": policy(L, keep=False),
    "t": policy(T),
    "loss": policy(L, ka.Mondrian(split="loss")),
    "sets": policy(L, recoding="set"),
    "ranges": policy(L, age={"recoding": "range"}, visit={"recoding": "range"}),
    "centres": policy(
        L, age={"recoding": "mean"}, weight={"recoding": "median"}, city={"recoding": "mode"}
    ),
    "trees": policy(L, age={"hierarchy": AGES}, city={"hierarchy": ka.hierarchy.masking()}),
    "nulls": policy(T, disease={"nulls": "exclude"}),
}


@DUCKDB
@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("fragment", [40, pytest.param(150, marks=pytest.mark.nightly)])
def test_strict_mondrian_releases_what_the_whole_table_does(name, fragment):
    """Cut from counts, and finished fragment by fragment, a table has the classes of the whole."""
    # In small tables `loss` tries every cut of 1,024 tuples: fragments are no smaller.
    table = records(4000 if name == "loss" else 700, 3)
    if name == "nulls":
        gone = pl.int_range(pl.len()) % 7 == 0
        table = table.with_columns(pl.when(~gone).then("disease").alias("disease"))
    found, rows = released(scan_duckdb(table), POLICIES[name], fragment)
    agree(found, rows, ka.anonymize(table, POLICIES[name]))
    assert found.account["outgrown"]["tuples"] > 600
    assert found.account["outgrown"]["levels"] > 1


@pytest.mark.nightly(on="spark")  # by day, Adult is divided there (test_conformance)
@pytest.mark.parametrize("name", ["l", "l alone", "centres"])
def test_every_engine_divides_alike(source, name):
    """Whoever holds the table, its fragments end in the classes of the whole."""
    table = records(600, 5).with_columns(pl.col("visit").to_physical())  # SQLite has no dates
    found, rows = released(source(table), POLICIES[name], 100)
    local = ka.anonymize(table, POLICIES[name])
    agree(found, rows.cast(dict(local.frame.schema)), local)


@DUCKDB
@settings(max_examples=examples(15))
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([1, 7, 60, 300]),
    fragment=st.sampled_from([0, 1, 40]),
    models=st.sampled_from([L, T, [ka.KAnonymity(2)]]),
    split=st.sampled_from(["auto", "span"]),
)
def test_any_table_is_divided_as_a_whole_one(seed, n, fragment, models, split):
    """On random tables the release is that of the polars table, or both are infeasible."""
    table, asked = records(n, seed), policy(models, ka.Mondrian(split=split))
    try:
        local = ka.anonymize(table, asked)
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            released(scan_duckdb(table), asked, fragment)
        return
    found, rows = released(scan_duckdb(table), asked, fragment)
    agree(found, rows, local)


@DUCKDB
def test_a_class_may_be_larger_than_a_fragment():
    """What no cut divides is one class, however large; its values come from counts alone."""
    table = records(900, 1)
    asked = policy([ka.KAnonymity(200)], weight={"recoding": "mean"}, city={"recoding": "set"})
    found, rows = released(scan_duckdb(table), asked, 10)
    agree(found, rows, ka.anonymize(table, asked))
    assert found.account["outgrown"]["large_classes"] == len(found.classes.sizes)


@DUCKDB
def test_deep_trees_and_few_counts_at_a_time(monkeypatch):
    """Neither writing down node numbers nor counting few nodes at a time changes a class."""
    monkeypatch.setattr(tree_builder, "DEEP", 1)
    table = records(1000, 8)
    local = ka.anonymize(table, POLICIES["t"])
    few = replace(scan_duckdb(table), most_tuples=600)
    found, rows = released(few, POLICIES["t"], 20)
    agree(found, rows, local)
    assert found.account["outgrown"]["levels"] > 4


@DUCKDB
def test_texts_of_files_have_the_types_of_local_tables(tmp_path):
    """Columns of CSV are typed as the local reader does, and sensitive texts stay as written."""
    path = tmp_path / "patients.csv"
    table = records(500, 2, nulls=False).with_columns(
        zip=pl.Series(np.arange(500) % 40).cast(pl.String).str.zfill(5)
    )
    table.write_csv(path)
    asked = ka.Policy(
        attributes={
            **{name: ka.QuasiIdentifier() for name in ("age", "zip", "weight", "visit")},
            "disease": ka.Sensitive(),
        },
        others="identifier",
        models=L,
    )
    found, rows = released(scan_duckdb(path), asked, 60)
    agree(found, rows, ka.anonymize(read_table(path), asked))


@DUCKDB
def test_several_texts_of_one_value_are_one_value(tmp_path):
    """Numbers that a file writes in two ways are equal to models, and stay as they are written."""
    path = tmp_path / "stages.csv"
    ages = np.arange(60) % 30
    stages = ["1", "1.0", "2.5", "2.50"] * 15
    pl.DataFrame({"age": ages, "stage": stages}).write_csv(path)
    asked = ka.Policy(
        attributes={"age": ka.QuasiIdentifier(), "stage": ka.Sensitive()},
        models=[ka.KAnonymity(4), ka.LDiversity("stage", l=2)],
        algorithm=ka.Mondrian(split="span"),
    )
    found, rows = released(scan_duckdb(path), asked, 5)
    local = ka.anonymize(read_table(path), asked)
    assert sorted(rows["stage"]) == sorted(stages)
    agree(found, rows.with_columns(pl.col("stage").cast(pl.Float64)), local)


BLOCKS = [
    ka.Segmentation(order="serpentine"),
    ka.Segmentation(order="kd"),
    ka.MDAV(),
    ka.algorithms.KMember(),
    ka.Mondrian(strict=False),
]


@DUCKDB
@pytest.mark.parametrize("algorithm", BLOCKS, ids=str)
@pytest.mark.parametrize("keep", [True, False])
def test_other_algorithms_divide_each_fragment(algorithm, keep):
    """Every record is released once, in a class that satisfies the models."""
    table = records(900, 4, nulls=False)
    models = [ka.KAnonymity(5)] if isinstance(algorithm, (ka.MDAV, ka.algorithms.KMember)) else L
    asked = policy(models, algorithm, keep=keep)
    found, rows = released(scan_duckdb(table), asked, 200)
    assert len(rows) == 900
    assert found.account["outgrown"]["fragments"] > 3
    checked = ka.verify(rows, asked)
    assert checked.satisfied
    sizes = dict(zip(*np.unique(found.classes.sizes, return_counts=True), strict=True))
    assert checked.class_sizes == sizes
    assert rows["disease"].value_counts(sort=True).equals(table["disease"].value_counts(sort=True))
    if keep:
        assert sorted(rows["note"]) == sorted(table["note"])


@DUCKDB
@pytest.mark.parametrize("algorithm", [ka.Segmentation(order="serpentine"), ka.MDAV()], ids=str)
def test_fragments_cost_little(algorithm):
    """Divided into fragments of 1,000 tuples a table loses up to an eighth more than whole."""
    table = records(6000, 6, nulls=False)
    asked = policy([ka.KAnonymity(5)], algorithm, recoding="interval", city={"recoding": "set"})
    found, _ = released(scan_duckdb(table), asked, 1000)
    assert found.classes.utility.gcp <= 1.125 * ka.anonymize(table, asked).utility.gcp


@DUCKDB
def test_a_retried_division_is_the_same():
    """Divided twice, a table gives the same release, row for row."""
    table = records(400, 9)
    first, second = (released(scan_duckdb(table), POLICIES["sets"], 50)[1] for _ in range(2))
    assert first.equals(second, null_equal=True)


@DUCKDB
def test_a_column_of_too_many_values_is_refused():
    """A single column that outgrows this process is an error that names it."""
    table = records(400, 9)
    with pytest.raises(DataError, match="column 'visit' has more than 100 distinct values"):
        released(replace(scan_duckdb(table), most_tuples=100), POLICIES["k"], 50)


@DUCKDB
def test_a_release_of_too_many_classes_is_refused():
    """Classes are counted here: more than may come here are an error that says what to do."""
    table = records(2000, 9)
    with pytest.raises(DataError, match="more than 600 classes: give the source a larger"):
        released(replace(scan_duckdb(table), most_tuples=600), policy([ka.KAnonymity(2)]), 50)


@DUCKDB
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (policy([ka.KAnonymity(2)], ka.FullDomain()), "full-domain needs every"),
        (policy([ka.KAnonymity(2)], ka.Mondrian(target="disease")), "a target needs the whole"),
        (policy([ka.KAnonymity(2)], limit=0.1), "suppression_limit: mondrian spends it"),
        (policy(T, ka.Segmentation()), "t-closeness compares classes with the whole table"),
        (policy([ka.models.DeltaDisclosure("disease", 2)]), "delta-disclosure may be lost"),
        (policy([ka.KAnonymity(5)], recoding="balanced"), "balanced compares the classes"),
    ],
    ids=["full-domain", "target", "suppression", "comparison", "delta", "balanced"],
)
def test_what_needs_the_whole_is_refused(asked, message):
    """What cannot be done on fragments is an error that says so, and what can be done."""
    with pytest.raises(PolicyError, match=message):
        released(scan_duckdb(records(50, 0)), asked, 10)


@DUCKDB
def test_points_need_values():
    """Algorithms of distances refuse a column with a missing value, and name it."""
    with pytest.raises(DataError, match="column 'weight': some record has no value, and mdav"):
        released(scan_duckdb(records(200, 0)), policy([ka.KAnonymity(2)], ka.MDAV()), 10)


@DUCKDB
@pytest.mark.parametrize("fragment", [10, 10_000])
@pytest.mark.parametrize(
    "algorithm", [ka.algorithms.KMember(), ka.MDAV(), ka.algorithms.ONA()], ids=str
)
def test_what_an_algorithm_never_does_is_refused_at_once(algorithm, fragment):
    """Models that an algorithm does not look at are refused as locally, divided or not."""
    table = records(200, 0, nulls=False)
    own = f"{algorithm.type} only forms classes of k records"
    with pytest.raises(PolicyError, match=own):
        ka.anonymize(table, policy(L, algorithm))
    # The whole table is one class: no fragment is ever divided.
    large = [ka.KAnonymity(150), ka.LDiversity("disease", l=2)]
    with pytest.raises(PolicyError, match=own):
        released(scan_duckdb(table), policy(large, algorithm), fragment)


@DUCKDB
def test_numbers_alone_are_asked_for_before_anything_is_divided():
    """Algorithms of numbers refuse a column of text, and name it."""
    with pytest.raises(
        SchemaError, match="attribute 'city' is nominal, but ona takes only numbers"
    ):
        released(
            scan_duckdb(records(200, 0, nulls=False)),
            policy([ka.KAnonymity(2)], ka.algorithms.ONA()),
            10,
        )


@DUCKDB
@pytest.mark.parametrize("algorithm", [ka.Mondrian(), ka.Segmentation()], ids=str)
@pytest.mark.parametrize("most", [None, 100])
def test_lists_tell_nothing_of_the_order_of_records(algorithm, most):
    """Columns of lists alone part equal records, and order them, by what they hold."""
    table = pl.DataFrame({"age": np.arange(300) % 30, "visits": [[i] for i in range(300)]})
    table = table.with_columns(
        sex=pl.Series(["f", "m", "m", "f", "f"] * 60), ward=np.arange(300) % 7
    )
    asked = ka.Policy(
        attributes={
            **{name: ka.QuasiIdentifier() for name in ("age", "sex", "ward")},
            "visits": ka.Insensitive(),
        },
        models=[ka.KAnonymity(20)],
        algorithm=algorithm,
    )
    frames = [
        ka.anonymize(scan_duckdb(one, most_tuples=most), asked).frame.pl()
        for one in (table, table.reverse(), table.sample(fraction=1, shuffle=True, seed=4))
    ]
    assert frames[0].equals(frames[1])
    assert frames[0].equals(frames[2])
    assert sorted(frames[0]["visits"].to_list()) == table["visits"].to_list()


@DUCKDB
def test_an_infeasible_policy_is_refused_from_counts():
    """What the table as one class does not satisfy is known before anything is divided."""
    with pytest.raises(InfeasibleError, match="the best possible is 3"):
        released(scan_duckdb(records(50, 0)), policy([ka.LDiversity("disease", l=4)]), 10)


@DUCKDB
def test_adult_is_divided_as_a_whole(shared_data):
    """Adult in fragments of 2,000 tuples has the classes of the whole table, to the row."""
    table = read_table(shared_data / "adult" / "adult.csv")
    hierarchies = {
        name: ka.QuasiIdentifier(
            hierarchy=ka.hierarchy.from_file(shared_data / "adult" / f"hierarchy_{name}.csv")
        )
        for name in table.columns
        if name not in ("occupation", "salary-class")
    }
    asked = ka.Policy(
        attributes={**hierarchies, "occupation": ka.Sensitive()},
        others="insensitive",
        models=[ka.KAnonymity(5), ka.LDiversity("occupation", l=3)],
    )
    found, rows = released(scan_duckdb(table), asked, 2000)
    agree(found, rows, ka.anonymize(table, asked))
    assert found.account["outgrown"]["fragments"] > 5
