"""The public functions: a table and a policy in, a verified release out."""

from __future__ import annotations

import copy
import datetime as dt
import hashlib
import json
from collections import Counter
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

import kanonym as ka
from kanonym import pipeline
from kanonym.data import hierarchy
from kanonym.data.frames import to_polars
from kanonym.data.table import kind_of
from kanonym.recoding.recode import ALLOWED

PEOPLE = {
    "name": ["Ada", "Bob", "Eve", "Dan", "Kim", "Lea", "Max", "Ned"],
    "age": [23, 25, 28, 29, 41, 43, 47, 49],
    "visit": [8, 7, 6, 5, 4, 3, 2, 1],
    "zip": ["01234", "01235", "01310", "01311", "04555", "04556", "04780", "04781"],
    "disease": ["flu", "cold", "burn", "flu", "cold", "flu", "burn", "cold"],
}
ROLES = {
    "name": ka.Identifier(),
    "age": ka.QuasiIdentifier(),
    "visit": ka.Insensitive(),
    "zip": ka.QuasiIdentifier(hierarchy.masking()),
    "disease": ka.Sensitive(),
}


def policy(*models, roles=ROLES, **options):
    """Return a policy over the people; 2-anonymity where no model is given."""
    return ka.Policy(attributes=roles, models=list(models or [ka.KAnonymity(2)]), **options)


def rows(frame):
    """Return the rows of any frame as tuples."""
    return to_polars(frame).rows()


# --- the released table ---------------------------------------------------------------


def test_the_release_has_the_columns_of_the_input_without_identifiers(frame):
    """Columns keep their order and identifiers are gone, in every library, in its own type."""
    table = frame(PEOPLE)
    release = ka.anonymize(table, policy())
    assert type(release.frame) is type(table)
    assert to_polars(release.frame).columns == ["age", "visit", "zip", "disease"]


def test_a_range_takes_the_place_of_its_column(frame):
    """Age is released as age_min and age_max, where age stood."""
    release = ka.anonymize(frame(PEOPLE), policy(recoding="range"))
    assert to_polars(release.frame).columns == ["age_min", "age_max", "visit", "zip", "disease"]


def test_unrecoded_columns_stay_with_their_records(frame):
    """Whatever the order of the release, visit and disease belong to the age that they had."""
    release = to_polars(ka.anonymize(frame(PEOPLE), policy()).frame)
    for age, visit, disease in release.select("age", "visit", "disease").iter_rows():
        place = PEOPLE["visit"].index(visit)
        assert disease == PEOPLE["disease"][place]
        low, high = (int(end) for end in age[1:-1].split(", "))
        assert low <= PEOPLE["age"][place] <= high


def test_unrecoded_columns_keep_their_types():
    """A sensitive or insensitive column of any type, lists and objects included, stays as it is."""
    day = pl.Series("day", [dt.date(2020, 1, i) for i in range(1, 9)])
    table = pl.DataFrame(
        {
            "age": PEOPLE["age"],
            "tiny": pl.Series(PEOPLE["visit"], dtype=pl.Int8),
            "grade": pl.Series(["a", "b"] * 4, dtype=pl.Enum(["b", "a"])),
            "day": day,
            "list": [[i] for i in range(8)],
            "record": [{"a": i} for i in range(8)],
        }
    )
    release = ka.anonymize(table, quasi_identifiers=["age"], k=2, others="insensitive")
    assert release.frame.drop("age").schema == table.drop("age").schema
    in_pandas = pd.DataFrame(
        {"age": [1, 1, 2], "mixed": [1, "x", None], "flag": pd.array([True, None, False])}
    )
    release = ka.anonymize(in_pandas, quasi_identifiers=["age"], k=1, others="insensitive")
    assert release.frame.dtypes[1:].to_dict() == in_pandas.dtypes[1:].to_dict()


def test_a_pandas_release_has_a_fresh_index():
    """The index of the input may name people: it is neither read nor released."""
    table = pd.DataFrame(PEOPLE).set_index(pd.Index(PEOPLE["name"]))
    release = ka.anonymize(table, policy(suppression_limit=0.5))
    assert release.frame.index.equals(pd.RangeIndex(release.rows_out))


def test_a_lazy_frame_comes_back_lazy(tmp_path):
    """A LazyFrame is collected once; its release, also aggregated, is lazy and can be written."""
    table = pl.LazyFrame(PEOPLE)
    release = ka.anonymize(table, policy(ka.KAnonymity(2), ka.LDiversity("disease", 2)))
    assert isinstance(release.frame, pl.LazyFrame)
    assert isinstance(release.aggregate(), pl.LazyFrame)
    release.write(tmp_path / "released.csv")
    release.report(tmp_path / "report.md")
    written = pl.read_csv(tmp_path / "released.csv")
    assert written.rows() == release.frame.collect().rows()
    assert ka.verify(release.frame, release.policy).satisfied
    assert ka.verify(release.aggregate(), release.policy, count="count").satisfied


@pytest.mark.parametrize("recoding", [None, "range", "set", "mean"])
def test_the_input_is_never_modified(frame, recoding):
    """The table that came in is, cell by cell and in its types, what it was."""
    columns = {**PEOPLE, "age": [*PEOPLE["age"][:-1], None], "score": [0.5, None, -0.0, 1.0] * 2}
    roles = {**ROLES, "score": ka.QuasiIdentifier()}
    table, before = frame(columns), copy.deepcopy(frame(columns))
    release = ka.anonymize(
        table,
        policy(ka.KAnonymity(2), ka.TCloseness("disease", 0.9), roles=roles, recoding=recoding),
    )
    release.aggregate()
    ka.verify(release.frame, release.policy, original=table)
    ka.measure(table, quasi_identifiers=["age", "score"], sensitive=["disease"])
    assert table.equals(before)
    if isinstance(table, pd.DataFrame):
        assert table.dtypes.equals(before.dtypes)


def test_a_table_with_identifiers_is_no_release():
    """Verification refuses a table that still names people, however large its classes."""
    table = pl.DataFrame(PEOPLE)
    asked = policy(ka.KAnonymity(1))
    with pytest.raises(ka.SchemaError, match="still has the identifiers name"):
        ka.verify(table, asked)


NUMBERED = {"age": [5] * 10 + [900] + [6] * 10, "n": list(range(21))}


def test_kept_order_keeps_the_row_numbers_of_pandas(caplog):
    """An index 0 to n-1 tells which rows were left out; no other is released, which is told."""
    caplog.set_level("WARNING", "kanonym")  # whatever a command of another test logs
    roles = {"age": ka.QuasiIdentifier(), "n": ka.Insensitive()}
    asked = policy(roles=roles, keep_order=True, suppression_limit=0.1)
    released = ka.anonymize(pd.DataFrame(NUMBERED), asked).frame
    assert released.index.tolist() == released["n"].tolist() == [*range(10), *range(11, 21)]
    assert not caplog.messages
    named = pd.DataFrame(NUMBERED, index=[f"person {n}" for n in range(21)])
    released = ka.anonymize(named, asked).frame
    assert released.index.tolist() == list(range(20))
    assert caplog.messages == [
        "the index of the frame is not 0 to n-1, and is not released: records are numbered anew"
    ]


# --- order and seed -------------------------------------------------------------------


def test_one_seed_is_one_release_and_another_seed_another_order():
    """The seed decides the order of the rows and nothing else."""
    table = pl.DataFrame(PEOPLE)
    first, again = (ka.anonymize(table, policy(seed=3)).frame for _ in range(2))
    other = ka.anonymize(table, policy(seed=4)).frame
    assert_frame_equal(first, again)
    assert first.rows() != other.rows()
    assert Counter(first.rows()) == Counter(other.rows())


def test_the_order_of_the_input_is_not_released_unless_asked_for():
    """Rows are shuffled; `keep_order` keeps them, suppressed records left out."""
    table = pl.DataFrame({"age": [i // 3 for i in range(300)], "n": range(300)})
    roles = {"age": ka.QuasiIdentifier(), "n": ka.Insensitive()}
    assert not ka.anonymize(table, policy(roles=roles)).frame["n"].is_sorted()
    kept = ka.anonymize(table, policy(roles=roles, keep_order=True)).frame
    assert kept["n"].to_list() == list(range(300))
    outlier = pl.DataFrame({"age": [5] * 10 + [900] + [6] * 10, "n": range(21)})
    release = ka.anonymize(outlier, policy(roles=roles, keep_order=True, suppression_limit=0.1))
    assert release.frame["n"].to_list() == [i for i in range(21) if i != 10]
    assert (release.rows_in, release.rows_out, release.suppressed) == (21, 20, 1)


def test_one_record_in_one_column():
    """The smallest table there is, is its own only class."""
    release = ka.anonymize(pl.DataFrame({"age": [30]}), quasi_identifiers=["age"], k=1)
    assert rows(release.frame) == [("30",)]


# --- what is measured and written -----------------------------------------------------


def test_a_release_knows_what_it_cost():
    """The JSON form has the keys of the contract, and numbers that JSON has."""
    asked = policy(ka.KAnonymity(2), ka.LDiversity("disease", 2))
    found = ka.anonymize(pl.DataFrame(PEOPLE), asked).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert (found["rows_in"], found["rows_out"], found["suppressed"]) == (8, 8, 0)
    assert found["algorithm"]["type"] == "mondrian"
    assert found["algorithm"]["classes"] == found["verification"]["classes"]
    assert set(found["seconds"]) == {"read", "encode", "algorithm", "recode", "verify", "total"}
    assert set(found["utility"]) >= {"gcp", "discernibility", "average_class_size", "rmse"}
    assert found["risk"]["prosecutor"]["highest"] <= 0.5


def test_each_stage_is_announced():
    """Progress is told when a stage begins, in the order of the flow."""
    told = []
    ka.anonymize(pl.DataFrame(PEOPLE), policy(), progress=told.append)
    assert list(dict.fromkeys(told)) == ["read", "encode", "algorithm", "recode", "verify"]


def test_the_aggregate_form_counts_the_records_of_a_class_by_disease(frame):
    """One row a class and sensitive value; the counts add up to the records of the release."""
    release = ka.anonymize(frame(PEOPLE), policy(ka.KAnonymity(4)))
    table = release.aggregate()
    assert type(table) is type(release.frame)
    found = to_polars(table)
    assert found.columns == ["age", "zip", "disease", "count"]
    counted = Counter(to_polars(release.frame).select("age", "zip", "disease").rows())
    assert {row[:-1]: row[-1] for row in found.rows()} == counted


def test_the_aggregate_form_of_a_table_without_quasi_identifiers_is_a_count():
    """Where nothing is quasi-identifying or sensitive, one number is left."""
    asked = ka.Policy(
        attributes={"visit": ka.Insensitive()}, models=[ka.KAnonymity(2)], others="quasi-identifier"
    )
    release = ka.anonymize(pl.DataFrame({"visit": [1, 2, 3]}), asked)
    assert release.aggregate().to_dicts() == [{"count": 3}]


def test_a_column_called_count_stands_in_the_way_of_counts():
    """The aggregate form refuses to shadow a released column, and does not mind others."""
    table = pl.DataFrame({"age": [1, 1], "count": ["a", "b"]})
    release = ka.anonymize(table, quasi_identifiers=["age"], sensitive=["count"], k=2)
    with pytest.raises(ka.SchemaError, match="the column name 'count'"):
        release.aggregate()
    release = ka.anonymize(table, quasi_identifiers=["age"], k=2, others="insensitive")
    assert release.aggregate().to_dicts() == [{"age": "1", "count": 2}]


def test_the_manifest_says_how_to_repeat_and_check_the_release(tmp_path):
    """It holds policy, seed, versions, achieved values, utility, and the hashes of both files."""
    source, target = tmp_path / "people.csv", tmp_path / "released.csv"
    pl.DataFrame(PEOPLE).write_csv(source)
    release = ka.anonymize(ka.read_table(source), policy(seed=7))
    release.write(target)
    release.manifest(tmp_path / "manifest.json", input=source, output=target)
    found = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    for key, path in (("input", source), ("output", target)):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert found[key] == {"file": path.name, "sha256": digest}
    assert found["seed"] == 7
    assert found["versions"]["kanonym"] == ka.__version__
    assert found["policy"]["models"] == [{"type": "k-anonymity", "k": 2}]
    assert found["verification"]["models"][0]["achieved"] == 2
    assert found["utility"] == release.utility.to_dict()


def test_the_manifest_says_what_the_order_means(tmp_path):
    """A seed undoes the shuffle, and one that was drawn is kept nowhere."""
    said = {}
    for name, options in (("drawn", {}), ("given", {"seed": 7}), ("kept", {"keep_order": True})):
        release = ka.anonymize(pl.DataFrame(PEOPLE), policy(**options))
        release.manifest(tmp_path / "manifest.json")
        found = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
        said[name] = (found["seed"], found["policy"].get("seed"), found["order"])
    assert said["drawn"][:2] == (None, None)
    assert "not stored" in said["drawn"][2]
    assert said["given"][:2] == (7, 7)
    assert "whoever has it" in said["given"][2]
    assert "can reveal identities" in said["kept"][2]


def test_the_manifest_holds_no_value_of_any_record(tmp_path):
    """Hierarchies that list values go in as their SHA-256; every other part is kept."""
    tree = {town: ["R1" if town < "01300" else "R2"] for town in PEOPLE["zip"]}
    roles = {
        **ROLES,
        "zip": ka.QuasiIdentifier(hierarchy.from_mapping(tree)),
        "age": ka.QuasiIdentifier(hierarchy.groups(fan_outs=2, order=PEOPLE["age"])),
        "disease": ka.Sensitive(
            hierarchy.from_mapping(dict.fromkeys(set(PEOPLE["disease"]), "ill"))
        ),
    }
    release = ka.anonymize(pl.DataFrame(PEOPLE), policy(roles=roles))
    release.manifest(tmp_path / "manifest.json")
    text = (tmp_path / "manifest.json").read_text("utf-8")
    for column in ("name", "zip", "disease"):
        assert not [value for value in PEOPLE[column] if f'"{value}"' in text]
    found = json.loads(text)["policy"]["attributes"]
    listed = release.policy.to_dict()["attributes"]["zip"]["hierarchy"]["mapping"]
    digest = hashlib.sha256(json.dumps(listed).encode()).hexdigest()
    assert found["zip"]["hierarchy"] == {"mapping": {"sha256": digest}}
    assert found["age"]["hierarchy"]["groups"]["fan_outs"] == [2]
    assert set(found["age"]["hierarchy"]["groups"]["order"]) == {"sha256"}


@pytest.mark.parametrize("suffix", ["html", "md", "json"])
def test_reports_are_written_whatever_the_recoding(tmp_path, frame, suffix):
    """Each form of report can be made of releases from every library."""
    release = ka.anonymize(frame(PEOPLE), policy(recoding="range"))
    release.report(tmp_path / f"report.{suffix}", title="Ours")
    assert "Ours" in (tmp_path / f"report.{suffix}").read_text("utf-8")


# --- what is asked --------------------------------------------------------------------


def test_short_forms_change_a_policy():
    """Beside a policy, a short form takes the place of its value; the policy stays as it is."""
    own = policy()
    release = ka.anonymize(pl.DataFrame(PEOPLE), own, k=3)
    assert release.verification.checks[0].required == 3
    assert own == policy()


def test_a_policy_file_is_read(tmp_path):
    """The path of a policy file stands for the policy."""
    (tmp_path / "policy.yaml").write_text(
        "version: 1\nattributes: {age: {role: quasi-identifier}}\n"
        "others: insensitive\nmodels: [{type: k-anonymity, k: 2}]\n"
    )
    release = ka.anonymize(pl.DataFrame(PEOPLE), tmp_path / "policy.yaml")
    assert release.verification.satisfied


def test_a_list_is_no_policy():
    """Only a policy, its form as a mapping or a path is taken."""
    with pytest.raises(ka.PolicyError, match="must be a Policy, its form as a mapping or the path"):
        ka.anonymize(pl.DataFrame(PEOPLE), ["age"])


def test_tables_and_policies_are_taken_in_every_form(tmp_path):
    """What anonymizes, verifies, fits and compares takes files, mappings and policy files alike."""
    table = pl.DataFrame({"age": [23, 25, 41, 42], "disease": ["flu", "cold", "flu", "cold"]})
    policy = ka.Policy.from_columns(quasi_identifiers=["age"], sensitive=["disease"], k=2)
    table.write_csv(tmp_path / "people.csv")
    policy.to_file(tmp_path / "policy.yaml")
    policies = [policy, policy.to_dict(), tmp_path / "policy.yaml", str(tmp_path / "policy.yaml")]
    for source in (table, tmp_path / "people.csv", str(tmp_path / "people.csv")):
        for form in policies:
            assert min(ka.anonymize(source, form).frame["age"]) == "[23, 25]"
            assert ka.fit(source, form).account["classes"] == 2
            assert ka.compare(source, form, sweep={"k": [2]}).trials[0].reason is None
            assert ka.verify(source, form).k == 1
        assert ka.measure(source, quasi_identifiers=["age"]).k == 1
        assert [column.name for column in ka.profile(source).columns] == table.columns


def test_a_file_is_verified_by_what_stands_in_its_cells(tmp_path):
    """Two spellings of a number are two classes of the file, though the values are one class."""
    (tmp_path / "released.csv").write_text("age\n1\n1.0\n", encoding="utf-8")
    policy = {"attributes": {"age": {"role": "quasi-identifier"}}, "models": [ka.KAnonymity(2)]}
    assert ka.verify(ka.read_table(tmp_path / "released.csv"), policy).satisfied
    assert not ka.verify(tmp_path / "released.csv", policy).satisfied
    assert ka.measure(tmp_path / "released.csv", quasi_identifiers=["age"]).k == 1


def test_short_forms_say_the_same_as_a_policy():
    """Lists of columns and single numbers give the release of the policy that they stand for."""
    table = pl.DataFrame(PEOPLE).drop("name", "visit")
    release = ka.anonymize(
        table,
        quasi_identifiers=["age", "zip"],
        sensitive=["disease"],
        hierarchies={"zip": hierarchy.masking()},
        k=2,
        l=2,
        seed=1,
    )
    roles = {name: role for name, role in ROLES.items() if name in table.columns}
    asked = policy(ka.KAnonymity(2), ka.LDiversity("disease", 2), roles=roles, seed=1)
    assert_frame_equal(release.frame, ka.anonymize(table, asked).frame)


@pytest.mark.parametrize("taken", ["age_min", "age_max"])
@pytest.mark.parametrize("role", [ka.Insensitive(), ka.Sensitive(), ka.QuasiIdentifier()])
def test_a_range_needs_its_names(taken, role):
    """Where age_min or age_max is a column already, nothing is done and both are named."""
    table = pl.DataFrame({**PEOPLE, taken: range(8)})
    asked = policy(roles={**ROLES, "age": ka.QuasiIdentifier(recoding="range"), taken: role})
    stages = []
    with pytest.raises(ka.SchemaError, match=f"would both be released as '{taken}'"):
        ka.anonymize(table, asked, progress=stages.append)
    assert "algorithm" not in stages


def test_the_name_of_an_identifier_is_free():
    """An identifier is dropped, so a range may take its name."""
    table = pd.DataFrame({**PEOPLE, "age_min": ["x"] * 8})
    roles = {**ROLES, "age": ka.QuasiIdentifier(recoding="range"), "age_min": ka.Identifier()}
    release = ka.anonymize(table, policy(roles=roles, keep_order=True))
    assert release.frame["age_min"].tolist() == [23, 23, 28, 28, 41, 41, 47, 47]


def test_a_table_of_identifiers_has_nothing_to_release():
    """Dropping every column is refused."""
    asked = ka.Policy(
        attributes={"name": ka.Identifier()}, models=[ka.KAnonymity(1)], others="quasi-identifier"
    )
    with pytest.raises(ka.SchemaError, match="nothing to release"):
        ka.anonymize(pl.DataFrame({"name": ["Ada"]}), asked)


def test_a_model_of_no_column_is_refused_before_any_work():
    """The message names the model and the columns that there are."""
    asked = ka.Policy(
        attributes={"age": ka.QuasiIdentifier()},
        models=[ka.TCloseness("diseas", 0.2)],
        others="sensitive",
    )
    with pytest.raises(ka.SchemaError, match="t-closeness is about 'diseas', but the table has no"):
        ka.anonymize(pl.DataFrame(PEOPLE), asked)


def test_hierarchical_distance_needs_a_hierarchy():
    """The policy itself is refused, whether the attribute is named or sensitive by default."""
    model = ka.TCloseness("disease", 0.2, "hierarchical")
    with pytest.raises(ka.PolicyError, match="needs a hierarchy"):
        policy(model)
    with pytest.raises(ka.PolicyError, match="needs a hierarchy"):
        ka.Policy(attributes={"age": ka.QuasiIdentifier()}, models=[model], others="sensitive")


@pytest.mark.parametrize(
    ("model", "best"),
    [
        (ka.KAnonymity(9), "k-anonymity: required 9, the best possible is 8"),
        (ka.LDiversity("disease", 4), "required 4, the best possible is 3"),
        (ka.LDiversity("disease", 3, "entropy"), "required 3, the best possible is 2.951"),
        (ka.models.AlphaKAnonymity(0.3, 2, "disease"), "required 0.3, the best possible is 0.375"),
    ],
)
@pytest.mark.parametrize("limit", [0.0, 1.0])
def test_what_no_release_can_satisfy_is_refused_with_the_best_value(model, best, limit):
    """The error names the model and the best that the table can do as one class."""
    with pytest.raises(ka.InfeasibleError, match=best):
        ka.anonymize(pl.DataFrame(PEOPLE), policy(model, suppression_limit=limit))


def test_models_may_be_given_twice():
    """Each is checked and reported on its own; the strictest one decides."""
    release = ka.anonymize(
        pl.DataFrame(PEOPLE), policy(ka.KAnonymity(2), ka.KAnonymity(4), ka.KAnonymity(4))
    )
    assert [check.required for check in release.verification.checks] == [2, 4, 4]
    assert release.verification.satisfied


# --- columns of every type ------------------------------------------------------------

TYPES = {
    "int8": pl.Series([-128, 127, 0, 1, 2, None], dtype=pl.Int8),
    "uint64": pl.Series([0, 2**64 - 1, 5, 6, 7, 8], dtype=pl.UInt64),
    "int64": pl.Series([-(2**63), 2**63 - 1, 5, 6, 7, 8], dtype=pl.Int64),
    "int128": pl.Series([0, 2**100, -(2**100), 6, 7, 8], dtype=pl.Int128),
    "float32": pl.Series([0.1, 0.2, None, float("nan"), 2.0, 3.5], dtype=pl.Float32),
    "float64": pl.Series([-0.0, 0.0, 1.0, -1.0, 5e-324, 1e150]),
    "decimal": pl.Series([Decimal("1.50"), Decimal("-3.00"), None, *map(Decimal, "456")]),
    "bool": pl.Series([True, False, None, True, False, True]),
    "enum": pl.Series(["b", "a", "c", "a", "b", None], dtype=pl.Enum(["c", "b", "a"])),
    "categorical": pl.Series(["b", "a", "c", "a", "b", None], dtype=pl.Categorical),
    "date": pl.Series([dt.date(1, 1, 1), dt.date(9999, 12, 31), None, *[dt.date(2020, 1, 1)] * 3]),
    "time": pl.Series([dt.time(i, 30) for i in range(6)]),
    "duration": pl.Series([dt.timedelta(days=i - 3, seconds=1) for i in range(6)]),
    "datetime": pl.Series([dt.datetime(2020, 1, i + 1) for i in range(6)]).dt.replace_time_zone(
        "Europe/Berlin"
    ),
    "text": pl.Series(["a\nb", "c\0", "c", "", "null", "{a, b}"]),
    "null": pl.Series([None] * 6, dtype=pl.Null),
    "nulls": pl.Series([None] * 6, dtype=pl.Int32),
    "constant": pl.Series([7] * 6),
}


@pytest.mark.parametrize("name", TYPES)
def test_columns_of_every_type_are_released_under_every_recoding_that_they_have(name):
    """Extreme values, nulls and odd texts are released, verified, aggregated and measured."""
    values = pl.concat([TYPES[name]] * 2).alias("q")
    table = pl.DataFrame([values, pl.Series("s", ["x", "y", "z"] * 4)])
    for recoding in ALLOWED[kind_of(values.dtype) if name != "null" else "number"]:
        for k in (1, 5, 12):
            tree = hierarchy.flat()
            if values.dtype == pl.Duration and recoding == "hierarchy":
                continue  # Durations have no text of their own, over which hierarchies are.
            source = tree if recoding == "hierarchy" else None
            roles = {"q": ka.QuasiIdentifier(source, recoding), "s": ka.Sensitive()}
            release = ka.anonymize(table, policy(ka.KAnonymity(k), roles=roles))
            assert release.rows_out == 12
            assert ka.verify(release.frame, release.policy).satisfied
            assert to_polars(release.aggregate())["count"].sum() == 12
            json.dumps(release.to_dict(), allow_nan=False)


@pytest.mark.parametrize("value", [float("inf"), -float("inf"), 1e151, -1.7e308])
def test_numbers_that_arithmetic_cannot_take_are_refused(value):
    """The message names column, row and value; a sensitive attribute may hold them."""
    table = pl.DataFrame({"q": [1.0, value, 2.0], "s": [value, value, 1.0]})
    with pytest.raises(ka.DataError, match="column 'q', row 2: "):
        ka.anonymize(table, quasi_identifiers=["q"], k=1, others="insensitive")
    table = table.with_columns(q=pl.Series([1, 2, 3]))
    release = ka.anonymize(table, quasi_identifiers=["q"], sensitive=["s"], k=1, t=1)
    assert release.verification.satisfied


@pytest.mark.parametrize(
    "values", [[[1], [2]], [{"a": 1}, {"a": 2}], [b"a", b"b"]], ids=["list", "struct", "binary"]
)
def test_what_has_no_order_and_no_text_cannot_be_recoded(values):
    """A list, a record or bytes are refused as a quasi-identifier, with a way out."""
    with pytest.raises(ka.DataError, match="give it the role insensitive"):
        ka.anonymize(pl.DataFrame({"q": values}), quasi_identifiers=["q"], k=1)


@pytest.mark.parametrize("values", [pd.period_range("2020", periods=2), pd.interval_range(0, 2)])
def test_types_of_pandas_alone_cannot_be_recoded(values):
    """Periods and intervals are refused as quasi-identifiers, and released where insensitive."""
    table = pd.DataFrame({"q": values, "n": [1, 2]})
    with pytest.raises(ka.DataError, match="column 'q' holds Extension"):
        ka.anonymize(table, quasi_identifiers=["q"], k=2, others="insensitive")
    release = ka.anonymize(table, quasi_identifiers=["n"], k=2, others="insensitive")
    assert release.frame["q"].dtype == table["q"].dtype


@pytest.mark.parametrize("name", ["", "*", "^.*$"])
def test_names_that_are_no_names_are_refused(frame, name):
    """No name, and what polars takes for a pattern of names, cannot be a column's."""
    with pytest.raises(ka.DataError, match="cannot be used; rename that column"):
        ka.anonymize(frame({name: [1, 2], "n": [1, 2]}), quasi_identifiers=["n"], k=2)


@pytest.mark.parametrize(
    "names", [["class", "code"], ["low", "high"], ["0", "1"], ["a\nb", "日本"]]
)
def test_names_of_columns_do_not_matter(frame, names):
    """Names that the inside uses, numbers, line breaks and any script are names like others."""
    table = frame({name: [1, 2, 3, 4] for name in names})
    for recoding in (None, "range", "median"):
        release = ka.anonymize(table, quasi_identifiers=names, k=2, recoding=recoding)
        assert ka.verify(release.frame, release.policy).satisfied


@pytest.mark.parametrize("recoding", ALLOWED["number"])
def test_a_column_without_a_value_takes_every_recoding(recoding):
    """An empty column of a text file has no type: the policy of the full one still fits it."""
    for values in ([], [None, None]):
        table = pl.DataFrame({"q": pl.Series(values, dtype=pl.String)})
        source = hierarchy.flat() if recoding == "hierarchy" else None
        roles = {"q": ka.QuasiIdentifier(source, recoding)}
        release = ka.anonymize(table, policy(ka.KAnonymity(2), roles=roles))
        assert release.rows_out == len(values)


MAKERS = {
    "pandas": pl.DataFrame.to_pandas,
    "pyarrow": pl.DataFrame.to_arrow,
    "polars": pl.DataFrame,
}


@pytest.mark.parametrize("library", MAKERS)
@pytest.mark.parametrize("recoding", [None, "range", "set", "mean", "mode"])
def test_a_table_without_records_is_released_as_such(library, recoding, tmp_path):
    """Its release has the columns that records would have, in files and reports as well."""
    table = MAKERS[library](pl.DataFrame(PEOPLE).clear())
    asked = policy(ka.KAnonymity(2), ka.LDiversity("disease", 2), recoding=recoding)
    release = ka.anonymize(table, asked)
    assert release.rows_in == release.rows_out == len(to_polars(release.aggregate())) == 0
    full = ka.anonymize(pl.DataFrame(PEOPLE), asked).frame
    assert to_polars(release.frame).columns == full.columns
    release.write(tmp_path / "released.csv")
    release.report(tmp_path / "report.html")
    json.dumps(release.to_dict(), allow_nan=False)


@pytest.mark.parametrize("nulls", ["value", "exclude"])
@pytest.mark.parametrize("values", [[None] * 4, ["u", None, "v", None], ["u", None, None, None]])
@pytest.mark.parametrize(
    "source", [None, hierarchy.flat(), hierarchy.from_mapping({"u": "x", "v": "x"})]
)
def test_missing_sensitive_values_never_break_a_release(nulls, values, source):
    """Where few or no sensitive values are left, each model is satisfied or refused by name."""
    table = pl.DataFrame({"q": [1, 2, 3, 4], "s": pl.Series(values, dtype=pl.String)})
    roles = {"q": ka.QuasiIdentifier(), "s": ka.Sensitive(source, nulls)}
    models = [
        ka.models.AlphaKAnonymity(0.5, 2, "s"),
        ka.LDiversity("s", 2),
        ka.LDiversity("s", 1.5, "entropy"),
        ka.LDiversity("s", 2, "recursive", c=2),
        ka.TCloseness("s", 0.2),
        ka.TCloseness("s", 0.2, "ordered"),
        ka.models.BetaLikeness("s", 1),
        ka.models.BetaLikeness("s", 1, "enhanced"),
        ka.models.DeltaDisclosure("s", 1),
    ]
    if source is not None:
        models.append(ka.TCloseness("s", 0.2, "hierarchical"))
    for model in models:
        asked, refusal = policy(model, roles=roles), model.type
        try:
            release = ka.anonymize(table, asked)
        except ka.InfeasibleError as error:
            refusal = str(error)
        else:
            assert ka.verify(release.frame, asked).satisfied
        assert model.type in refusal


def test_pandas_objects_of_one_type_are_read():
    """Dates and decimal numbers in columns of objects are dates and decimal numbers."""
    table = pd.DataFrame(
        {
            "cost": pd.Series([Decimal("1.5"), None, Decimal(2), Decimal(2)], dtype=object),
            "day": pd.Series([dt.date(2020, 1, i) for i in (1, 2, 3, 4)], dtype=object),
        }
    )
    release = ka.anonymize(table, quasi_identifiers=["cost", "day"], k=4)
    assert rows(release.frame) == [("*", "[2020-01-01, 2020-01-04]")] * 4


# --- classes that release the same ----------------------------------------------------


def test_joined_classes_satisfy_models_that_joining_can_break(monkeypatch):
    """Delta-disclosure holds of the released classes, though some of them merge in the release.

    Classes that meet in one label are one class, and a value that is missing from one
    of them may then be too rare. Without mending, verification would refuse this one.
    """
    table = pl.DataFrame(
        {"age": [0, 1, 1, 2, 4, 6, 7, 7, 8, 9, 10, 11, 11], "s": list("aacccaabbabbc")}
    )
    tree = hierarchy.groups(fan_outs=[2, 2])
    roles = {"age": ka.QuasiIdentifier(tree), "s": ka.Sensitive()}
    asked = policy(ka.models.DeltaDisclosure("s", 0.8), roles=roles)
    release = ka.anonymize(table, asked)
    assert ka.verify(release.frame, asked, original=table).satisfied
    assert release.verification.n_classes == release.decision.partition.n_classes > 1
    monkeypatch.setattr("kanonym.engines.decision._repair_partition", lambda *given: given[2])
    with pytest.raises(ka.InfeasibleError, match="fails delta-disclosure"):
        ka.anonymize(table, asked)


def test_what_fails_verification_is_not_released(monkeypatch):
    """If an algorithm were wrong, the error would name the model and count the classes."""
    table = pl.DataFrame({"age": [1, 2]})
    wrong = ka.verify(table, policy(roles={"age": ka.QuasiIdentifier()}))
    monkeypatch.setattr(pipeline, "verify_release", lambda *_, **__: wrong)
    with pytest.raises(ka.InfeasibleError, match=r"fails k-anonymity in 2 classes"):
        ka.anonymize(table, quasi_identifiers=["age"], k=2)


# --- measure --------------------------------------------------------------------------


def test_measure_reads_any_table(frame):
    """Every library gives the same numbers."""
    found = ka.measure(frame(PEOPLE), quasi_identifiers=["zip"], sensitive=["disease"])
    assert (found.rows, found.classes, found.k, found.uniques) == (8, 8, 1, 8)
    assert found.attributes["disease"].l_distinct == 1


def test_measure_counts_null_as_a_value_and_as_a_wildcard():
    """With null as a value k is 1; as a wildcard, the missing age matches the others."""
    table = pl.DataFrame({"age": [1, 1, None], "sex": ["f", "f", "f"]})
    found = ka.measure(table, quasi_identifiers=["age", "sex"])
    assert (found.k, found.k_wildcard) == (1, 3)


def test_measure_has_hierarchical_distance_with_a_hierarchy():
    """Without one it is None."""
    table = pl.DataFrame({"q": [1, 2], "s": ["a", "b"]})
    tree = {"s": hierarchy.from_mapping({"a": "x", "b": "y"})}
    for trees, expected in ((None, None), (tree, 0.5)):
        found = ka.measure(table, quasi_identifiers=["q"], sensitive=["s"], hierarchies=trees)
        assert found.attributes["s"].t_hierarchical == expected


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"quasi_identifiers": "age"}, "give a list of columns, not the text 'age'"),
        ({"quasi_identifiers": ["aeg"]}, "did you mean 'age'"),
        ({"quasi_identifiers": ["age"], "sensitive": ["age"]}, "both quasi-identifying and"),
        (
            {"quasi_identifiers": ["age"], "hierarchies": {"age": hierarchy.flat()}},
            "hierarchy of 'age': only sensitive",
        ),
    ],
)
def test_measure_refuses_what_makes_no_sense(asked, reason):
    """Text in place of a list, unknown columns, two roles, hierarchies that nothing reads."""
    with pytest.raises(ka.SchemaError, match=reason):
        ka.measure(pl.DataFrame(PEOPLE), **asked)


def test_measure_of_nothing():
    """No record, and no quasi-identifier, are both measured."""
    table = pl.DataFrame(PEOPLE)
    assert ka.measure(table.clear(), quasi_identifiers=["age"], sensitive=["disease"]).k == 0
    assert ka.measure(table, quasi_identifiers=[]).k == 8
    assert ka.measure(pa.table(PEOPLE), quasi_identifiers=[]).classes == 1
