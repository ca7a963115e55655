"""One policy, one release: on every frame library and every engine.

Values, classes and what is told of them are compared with the release of the polars table.
The order of rows is the engine's own (`docs/engines.md`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import kanonym as ka
from effort import NIGHTLY
from engines.held_tables import HOLDERS, group, ordered
from kanonym.data.files import read_table
from kanonym.engines import engine_of

PART = 1 if NIGHTLY else 10
"""One record of Adult in so many is taken."""


def told(release):
    """Return what is told of a release, apart from its seconds and its own place."""
    return {key: value for key, value in release.to_dict().items() if key != "seconds"}


def manifest(release, path):
    """Return the manifest of a release, apart from its seconds, its engine and its order."""
    release.manifest(path)
    found = json.loads(path.read_text(encoding="utf-8"))
    return {key: value for key, value in found.items() if key not in ("seconds", "engine", "order")}


def policies(folder, columns, sensitive):
    """Return the policies that are compared, by name; hierarchies lie in a folder."""
    trees = {
        name: ka.QuasiIdentifier(hierarchy=ka.hierarchy.from_file(folder / file))
        for name, file in columns.items()
    }
    both = {"attributes": {**trees, sensitive: ka.Sensitive()}, "others": "insensitive"}
    k, l = ka.KAnonymity(10), ka.LDiversity(sensitive, l=2)
    return {
        "mondrian": ka.Policy(**both, models=[k, l], algorithm=ka.Mondrian()),
        "mondrian-k": ka.Policy(**both, models=[k], algorithm=ka.Mondrian(), recoding="set"),
        "full-domain": ka.Policy(
            **both, models=[k, l], algorithm=ka.FullDomain(), suppression_limit=0.02
        ),
        "segmentation": ka.Policy(
            **both, models=[k, l], algorithm=ka.Segmentation(order="serpentine")
        ),
    }


@pytest.fixture(scope="module")
def adult(shared_data):
    """Return a part of Adult, without the column that no model looks at, and its policies."""
    return adult_without(shared_data)


@pytest.fixture(scope="module")
def narrow_adult(shared_data):
    """Return the same with five quasi-identifiers (at night eight): engines count one by one."""
    return adult_without(shared_data, *([] if NIGHTLY else ["sex", "race", "native-country"]))


def adult_without(shared_data, *dropped):
    """Return a part of Adult without some columns, and its policies."""
    folder = shared_data / "adult"
    table = read_table(folder / "adult.csv").gather_every(PART).drop(dropped)
    names = [name for name in table.columns if name not in ("occupation", "salary-class")]
    files = {name: f"hierarchy_{name}.csv" for name in names}
    return table, policies(folder, files, "occupation")


@pytest.fixture(scope="module")
def ihis(shared_data, tmp_path_factory):
    """Return the 1,185,424 records of a health survey, and the policies."""
    path = tmp_path_factory.mktemp("ihis") / "ihis.csv"
    script = str(shared_data / "ihis_like.py")
    subprocess.run([sys.executable, script, str(path)], check=True, capture_output=True)
    table = read_table(path)
    names = ["YEAR", "REGION", "AGE", "MARSTAT", "SEX"]
    files = {name: f"hierarchy_{name}.csv" for name in names}
    return table.select(*names, "EDUC"), policies(shared_data / "ihis", files, "EDUC")


references: dict[tuple[str, str], ka.Release] = {}


def agree(name, table, asked, kind, holder, folder):
    """Require the release of a held table to be that of the polars table."""
    hold, read, place = holder
    if (name, kind) not in references:
        references[name, kind] = ka.anonymize(table, asked)
    expected = references[name, kind]
    release = ka.anonymize(hold(table), asked, output=place())
    assert told(release) == told(expected)
    assert manifest(release, folder / "own.json") == manifest(expected, folder / "expected.json")
    found = read(release)
    assert found.columns == expected.frame.columns
    assert ordered(found).equals(ordered(expected.frame), null_equal=True)


def by_night_on_spark(name):
    """Return a policy as a parameter: by day, other tests of Spark have its abilities."""
    return pytest.param(name, marks=pytest.mark.nightly(on="spark"))


@pytest.mark.parametrize(
    "kind", ["mondrian", by_night_on_spark("mondrian-k"), by_night_on_spark("full-domain")]
)
def test_adult_is_released_alike_everywhere(adult, kind, holder, tmp_path):
    """Values, classes and manifest of Adult's release are those of the polars table."""
    table, asked = adult
    agree("adult", table, asked[kind], kind, holder, tmp_path)


def test_adult_is_segmented_alike_everywhere(adult, holder, tmp_path):
    """Equal records that are separated are as many in each class, whoever holds them."""
    table, asked = adult
    policy = asked["segmentation"]
    agree("adult", table.drop("salary-class"), policy, "segmentation", holder, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["mondrian", "full-domain", "segmentation"])
def test_a_million_records_are_released_alike_everywhere(ihis, kind, holder, tmp_path):
    """Values, classes and manifest of 1,185,424 records are those of the polars table."""
    table, asked = ihis
    agree("ihis", table, asked[kind], kind, holder, tmp_path)


OUTGROWN = {"mondrian": 4_000 // PART, "mondrian-k": 4_000 // PART, "full-domain": 12_000 // PART}
"""So many tuples of Adult's come to this process at the most: it has about 18,000 (a tenth)."""


@pytest.mark.nightly(on="spark")
@pytest.mark.parametrize("kind", ["mondrian", "mondrian-k", "full-domain"])
def test_what_outgrows_this_process_is_released_alike(narrow_adult, kind, engine_holder):
    """A frequency set that stays on its engine gives the very records and classes."""
    table, asked = narrow_adult
    hold, read, place = engine_holder
    expected = ka.anonymize(table, asked[kind])
    small = replace(engine_of(hold(table)).source, most_tuples=OUTGROWN[kind])
    release = ka.anonymize(small, asked[kind], output=place())
    account = release.to_dict()["algorithm"]
    assert ("premerged" if kind == "full-domain" else "outgrown") in account
    found = read(release)
    assert ordered(found).equals(ordered(expected.frame), null_equal=True)
    assert release.verification.to_dict() == expected.verification.to_dict()
    assert release.utility.gcp == pytest.approx(expected.utility.gcp, rel=1e-12)


@pytest.mark.nightly(on="spark")
def test_segments_of_what_outgrows_this_process_are_verified(narrow_adult, engine_holder):
    """Segmentation of blocks satisfies the policy, and loses little more than of the whole."""
    table, asked = narrow_adult
    table = table.drop("salary-class")
    hold, _, place = engine_holder
    whole = ka.anonymize(table, asked["segmentation"])
    small = replace(engine_of(hold(table)).source, most_tuples=4_000 // PART)
    release = ka.anonymize(small, asked["segmentation"], output=place())
    assert release.verification.satisfied
    assert release.utility.gcp <= 1.25 * whole.utility.gcp


VISITS = pl.DataFrame(
    {
        "patient": [f"p{number % 17:02}" for number in range(120)],
        "zip": [f"{10000 + 137 * (number % 9)}" for number in range(120)],
        "age": [20 + number % 31 for number in range(120)],
        "income": [1000.25 * (1 + number % 23) if number % 11 else None for number in range(120)],
        "diagnosis": [("flu", "cold", "asthma", "gout")[number % 4] for number in range(120)],
    }
)
KNOWN = {
    "zip": ka.QuasiIdentifier(action=ka.actions.Keep(first=2, character="#")),
    "age": ka.QuasiIdentifier(action=ka.actions.Round(to=5)),
    "income": ka.Insensitive(action=[ka.actions.TopBottom(upper=9000), ka.actions.Round(to=100)]),
    "diagnosis": ka.Sensitive(),
}
PERSONS = {
    "actions": ka.Policy(
        attributes={"patient": ka.Identifier(action=ka.actions.Surrogate()), **KNOWN},
        models=[ka.KAnonymity(3), ka.LDiversity("diagnosis", l=2)],
        rows="persons",
        seed=5,
    ),
    "pseudonyms of counted persons": ka.Policy(
        attributes={"patient": ka.Identifier(action=ka.actions.Surrogate()), **KNOWN},
        models=[ka.KAnonymity(3, entity="patient")],
        seed=5,
    ),
    "counted persons": ka.Policy(
        attributes={"patient": ka.Identifier(), **KNOWN},
        models=[ka.KAnonymity(3, entity="patient"), ka.LDiversity("diagnosis", l=2)],
        suppression_limit=0.1,
        seed=5,
    ),
}


@pytest.mark.parametrize(
    "kind",
    [
        "counted persons",
        by_night_on_spark("pseudonyms of counted persons"),
        by_night_on_spark("actions"),
    ],
)
def test_actions_and_persons_are_the_same_everywhere(kind, engine_holder, tmp_path):
    """What actions make of values, and how many persons a class has, is that of a polars table."""
    # Pseudonyms link the rows of persons, who are then alike with all of these or not released.
    table = VISITS.unique("patient", maintain_order=True) if "pseudonyms" in kind else VISITS
    agree(kind, table, PERSONS[kind], kind, engine_holder, tmp_path)


@pytest.mark.parametrize(
    "pseudonyms",
    [(), by_night_on_spark(("number",)), by_night_on_spark(("site", "number"))],
    ids=str,
)
def test_persons_of_several_columns_are_the_same_everywhere(pseudonyms, engine_holder, tmp_path):
    """Combinations of columns are counted alike, whichever of them are released as pseudonyms."""
    who = pl.col("patient").str.slice(1).cast(pl.Int64)
    table = VISITS.select(
        site=pl.when(who % 3 > 0).then(pl.format("s {}", who % 3)),
        number=pl.when(who < 15).then(who // 3),
        age="age",
        diagnosis="diagnosis",
    )
    if len(pseudonyms) == 2:  # which link the rows of persons
        table = table.unique(["site", "number"], maintain_order=True)
    surrogates = dict.fromkeys(pseudonyms, ka.actions.Surrogate())
    policy = ka.Policy(
        attributes={
            **{name: ka.Identifier(action=surrogates.get(name)) for name in ("site", "number")},
            "age": ka.QuasiIdentifier(),
            "diagnosis": ka.Insensitive(),
        },
        models=[ka.KAnonymity(4, entity=["site", "number"])],
        seed=5,
    )
    agree("sites", table, policy, pseudonyms, engine_holder, tmp_path)
    assert references["sites", pseudonyms].persons.persons == VISITS["patient"].n_unique()


def test_an_amount_of_one_person_is_told_however_many_records_have_it(engine_holder):
    """Owners of a value are persons: on an engine as of a table of this process."""
    hold, _, place = engine_holder
    own = pl.DataFrame(
        {
            "patient": [f"p{n // 3}" for n in range(90)],
            "age": [20 + n // 30 for n in range(90)],
            "income": [1000.5 + n // 3 for n in range(90)],
        }
    )
    policy = ka.Policy(
        attributes={
            "patient": ka.Identifier(),
            "age": ka.QuasiIdentifier(),
            "income": ka.Insensitive(),
        },
        models=[ka.KAnonymity(3, entity="patient")],
    )
    here = ka.anonymize(own, policy).verification
    there = ka.anonymize(hold(own), policy, output=place()).verification
    assert "identifying-amount" in [one.kind for one in here.findings]
    assert there.to_dict() == here.to_dict()


@pytest.mark.nightly(on="spark")
def test_a_release_on_an_engine_has_a_report(engine_holder, tmp_path):
    """The report of a release on an engine is that of a table of this process."""
    hold, _, place = engine_holder
    release = ka.anonymize(hold(VISITS), PERSONS["counted persons"], output=place())
    release.report(tmp_path / "report.json")
    found = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert found["rows_out"] == release.rows_out


WRITTEN = pl.DataFrame(
    {
        "born": [
            f"{1 + place % 28:02}.{1 + place % 12:02}.{1940 + place % 50}" for place in range(90)
        ],
        "income": [
            f"{1 + place % 7}.{100 + 13 * place % 900},{place % 10}0 €" for place in range(90)
        ],
        "seen": [f"2024-0{1 + place % 9}-1{place % 3}" for place in range(90)],
        "costs": [f"{place % 11},{place % 10}" for place in range(90)],
    }
)
DECLARED = {
    "born": ka.QuasiIdentifier(type="date", format="%d.%m.%Y"),
    "income": ka.QuasiIdentifier(type="number", format="1.234,50 €"),
    "costs": ka.Sensitive(type="number", format="1,5"),
}


@pytest.mark.nightly(on="spark")
@pytest.mark.parametrize("recoding", ["interval", "range"])
def test_declared_readings_hold_on_every_engine(engine_holder, recoding):
    """Texts are read as dates and numbers by one rule, and labels are written in their style."""
    hold, read, place = engine_holder
    policy = ka.Policy(
        attributes=DECLARED,
        others="insensitive",
        models=[ka.KAnonymity(4), ka.TCloseness("costs", 0.6)],
        recoding=recoding,
        seed=1,
    )
    here = ka.anonymize(WRITTEN, policy)
    there = ka.anonymize(hold(WRITTEN), policy, output=place())
    assert_frame_equal(ordered(read(there)), ordered(here.frame))
    assert there.verification.to_dict()["models"] == here.verification.to_dict()["models"]


@pytest.mark.nightly(on="spark")
def test_a_text_without_the_declared_reading_is_refused_on_engines(engine_holder):
    """The message names the column, the text and the format; a distinct value has no row."""
    hold, _, place = engine_holder
    table = WRITTEN.with_columns(born=pl.lit("1.1.40x"))
    policy = ka.Policy(attributes=DECLARED, others="insensitive", models=[ka.KAnonymity(4)])
    with pytest.raises(ka.DataError, match=r"column 'born': '1\.1\.40x' is no date written as"):
        ka.anonymize(hold(table), policy, output=place())


@pytest.mark.nightly(on="spark")
@pytest.mark.parametrize("recoding", ["interval", "range", "mean"])
def test_exceptions_are_branches_of_their_own_on_every_engine(engine_holder, recoding):
    """A few cells that a declared type does not read are released as in memory, and told."""
    hold, read, place = engine_holder
    ages = [str(20 + place % 60) for place in range(300)]
    ages += [*["90+"] * 6, *["refused"] * 9, *["8O"] * 6]
    table = pl.DataFrame({"age": [*ages, *["NA", None] * 6], "sex": ["f", "m", "f"] * 111})
    policy = ka.Policy(
        attributes={"age": ka.QuasiIdentifier(type="number"), "sex": ka.QuasiIdentifier()},
        models=[ka.KAnonymity(3)],
        suppression_limit=0.05,
        recoding=recoding,
        seed=1,
    )
    here = ka.anonymize(table, policy)
    there = ka.anonymize(hold(table), policy, output=place())
    assert_frame_equal(ordered(read(there)), ordered(here.frame))
    assert recoding == "range" or "refused" in read(there).to_series()
    assert there.verification.to_dict()["models"] == here.verification.to_dict()["models"]


def test_texts_of_sqlite_that_are_all_dates_are_dates(held_by_sqlite):
    """SQLite has no dates: its exact dates are released as ranges, not as sets."""
    hold, read, place = held_by_sqlite
    policy = ka.Policy(
        attributes={"seen": ka.QuasiIdentifier()}, others="identifier", models=[ka.KAnonymity(20)]
    )
    there = ka.anonymize(hold(WRITTEN), policy, output=place())
    here = ka.anonymize(WRITTEN.with_columns(pl.col("seen").str.to_date()), policy)
    assert_frame_equal(ordered(read(there)), ordered(here.frame))
    assert read(there)["seen"].str.starts_with("[2024-0").all()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"keep_order": True}, "keep_order: not supported by the engine"),
        (
            {"attributes": {"age": ka.QuasiIdentifier(action=ka.actions.LaplaceNoise(scale=1))}},
            "attribute 'age', action laplace-noise: not supported by the engine",
        ),
        (
            {
                "attributes": {
                    "age": ka.QuasiIdentifier(),
                    "diagnosis": ka.Insensitive(action="redact"),
                },
                "algorithm": ka.Mondrian(target="diagnosis"),
            },
            "target 'diagnosis', which has an action: not supported by the engine",
        ),
    ],
)
def test_what_an_engine_cannot_do_is_refused_in_one_form(asked, message, engine_holder):
    """The message names what is asked, the engine, and what to do instead."""
    hold, _, place = engine_holder
    policy = ka.Policy(
        **{"attributes": {"age": ka.QuasiIdentifier()}, **asked},
        models=[ka.KAnonymity(2)],
        others="identifier",
    )
    with pytest.raises(ka.PolicyError, match=message):
        ka.anonymize(hold(VISITS), policy, output=place())


def test_a_release_on_an_engine_refuses_what_files_have(engine_holder):
    """The aggregate form and options of files are refused in the same form."""
    hold, _, place = engine_holder
    release = ka.anonymize(
        hold(VISITS), quasi_identifiers=["age"], k=3, others="identifier", output=place()
    )
    with pytest.raises(ka.PolicyError, match="the aggregate form: not supported by the engine"):
        release.aggregate()
    with pytest.raises(ka.PolicyError, match="safe_cells and read_back: not supported"):
        release.write("released.csv", safe_cells=True)


@pytest.mark.xdist_group("duckdb")
@pytest.mark.parametrize("outgrown", [False, True])
@pytest.mark.parametrize("kind", ["mondrian", "full-domain"])
def test_a_release_is_written_again(adult, kind, outgrown, tmp_path):
    """What is written a second time is verified again, and is the same."""
    table, asked = adult
    source = ka.engines.scan_duckdb(table, most_tuples=OUTGROWN[kind] if outgrown else None)
    release = ka.anonymize(source, asked[kind], output=tmp_path / "first.parquet")
    release.write(tmp_path / "second.parquet")
    first, second = (read_table(tmp_path / f"{name}.parquet") for name in ("first", "second"))
    assert first.equals(second)


@pytest.mark.nightly(on="spark")
@pytest.mark.parametrize(
    "holder", [group(one) for one in HOLDERS if one != "sqlite"], indirect=True
)
def test_equal_records_are_mixed_everywhere(holder):
    """Of 400 equal records, chance takes the half of the first class, in whichever order they come.

    How many of the 200 ill ones it takes follows the hypergeometric distribution, with a standard
    deviation of 5.01 around 100: five of them to either side.
    """
    hold, read, place = holder
    ages, ill = [1] * 200 + [5] * 400 + [9] * 200, [0] * 200 + [1] * 200 + [0] * 400
    table = pl.DataFrame({"age": ages, "ill": ill})
    policy = ka.Policy(
        attributes={"age": ka.QuasiIdentifier(), "ill": ka.Sensitive()},
        models=[ka.KAnonymity(400)],
        algorithm=ka.MDAV(),
        seed=0,
    )
    one, other = (
        ordered(read(ka.anonymize(hold(given), policy, output=place())))
        for given in (table, table.reverse())
    )
    assert one.equals(other)
    assert abs(one.filter(pl.col("age") < 5)["ill"].sum() - 100) < 26
