"""Laws of the policy: its forms are equal, its faults are listed at once, each at its place."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

import kanonym as ka
from kanonym.algorithms.clustering import KMeans
from kanonym.algorithms.mondrian import Mondrian
from kanonym.data import hierarchy
from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.schema import Identifier, Insensitive, QuasiIdentifier, Role, Sensitive
from kanonym.models import (
    MEASURES,
    BetaLikeness,
    Criterion,
    KAnonymity,
    KMap,
    LDiversity,
    PerClass,
    TCloseness,
)
from kanonym.pipeline import resolve_policy
from kanonym.policy import Policy

ATTRIBUTES = {"age": QuasiIdentifier(), "disease": Sensitive()}
TABLE = pl.DataFrame({"age": [1, 2], "disease": ["flu", "cold"]})
YAML = """
version: 1
attributes:
  age:        {role: quasi-identifier, hierarchy: {intervals: {width: [5, 10, 20]}}}
  zip:        {role: quasi-identifier, hierarchy: masking, recoding: set}
  name:       {role: identifier}
  occupation: {role: sensitive, nulls: exclude}
others: insensitive
models:
  - {type: k-anonymity, k: 5}
  - {type: l-diversity, attribute: occupation, l: 3, kind: entropy}
algorithm: {type: mondrian, split: span}
recoding: interval
suppression_limit: 0.02
attack_limits: {linkage: 0.2, singling-out: 1}
seed: 7
keep_order: true
keep_integers: true
"""


def faults_of(text: str) -> dict[str, str]:
    """Return the faults of a policy text, by path."""
    with pytest.raises(PolicyError) as caught:
        Policy.from_text(text)
    _, *lines = str(caught.value).splitlines()
    found = [line.strip() for line in lines] or [str(caught.value).removeprefix("policy text: ")]
    return dict(line.split(": ", 1) for line in found)


def test_yaml_says_what_objects_say():
    """A policy read from YAML equals the one built from objects."""
    built = Policy(
        attributes={
            "age": QuasiIdentifier(hierarchy=hierarchy.intervals(width=[5, 10, 20])),
            "zip": QuasiIdentifier(hierarchy=hierarchy.masking(), recoding="set"),
            "name": Identifier(),
            "occupation": Sensitive(nulls="exclude"),
        },
        others="insensitive",
        models=[KAnonymity(5), LDiversity("occupation", l=3, kind="entropy")],
        algorithm=Mondrian(split="span"),
        recoding="interval",
        suppression_limit=0.02,
        attack_limits={"linkage": 0.2, "singling-out": 1.0},
        seed=7,
        keep_order=True,
        keep_integers=True,
    )
    assert Policy.from_text(YAML) == built


def test_json_is_read_as_yaml_is():
    """The same policy in JSON, indented with tabs, is the same policy."""
    text = json.dumps(yaml.safe_load(YAML), indent="\t")
    assert Policy.from_text(text) == Policy.from_text(YAML)


def test_to_dict_is_read_back():
    """What a policy writes, as YAML or as JSON, is the policy that is read."""
    policy = Policy.from_text(YAML)
    assert Policy.from_text(json.dumps(policy.to_dict())) == policy
    assert Policy.from_text(yaml.safe_dump(policy.to_dict())) == policy


def test_defaults_suppress_nothing_and_shuffle():
    """A policy that says no more than it must suppresses nothing and keeps no order."""
    policy = Policy(attributes=ATTRIBUTES, models=[KAnonymity(2)])
    assert (policy.suppression_limit, policy.keep_order, policy.seed) == (0.0, False, None)
    assert policy.keep_integers is False
    assert policy.attack_limits == {}
    assert "attack_limits" not in policy.to_dict()
    assert policy.algorithm == Mondrian()
    assert policy.others is None


def test_policy_does_not_change():
    """A policy is frozen: what a release was asked cannot change afterwards."""
    policy = Policy(attributes=ATTRIBUTES, models=[KAnonymity(2)])
    with pytest.raises(ValueError, match="frozen"):
        policy.seed = 1


def test_hierarchy_file_is_found_beside_the_policy(tmp_path, monkeypatch):
    """A file name in a policy starts in the policy's own folder, wherever one calls from."""
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "age.csv").write_text("7;0-9;*\n12;10-19;*\n", "utf-8")
    (folder / "policy.yaml").write_text(
        "attributes: {age: {role: quasi-identifier, hierarchy: {file: age.csv}}}\n"
        "models: [{type: k-anonymity, k: 2}]\n",
        "utf-8",
    )
    monkeypatch.chdir(tmp_path)
    policy = Policy.from_file("study/policy.yaml")
    assert policy.attributes["age"].hierarchy.rows.labels[1] == ("0-9", "10-19")


def test_every_fault_is_listed_at_its_place():
    """All faults are told at once, each with its path."""
    found = faults_of("""
version: 2
attributes:
  age: {role: quasi-identifer, hierarchy: {intervalls: {width: 5}}}
  sex: {role: quasi-identifier, recoding: means}
  true:  {role: identifier}
  job: sensitive
  pay: {role: insensitive, hierarchy: dates}
others: harmless
models:
  - {type: k-anonymity, k: 0}
  - {type: l-diversty, attribute: job, l: 3}
  - {type: l-diversity, attribute: job, k: 3, kind: entropie}
  - {type: t-closeness, attribute: job, t: -0.1}
  - {type: k-mapp, k: 3}
  - 5
algorithm: {type: full-domian}
recoding: meen
suppression_limit: 1.5
seed: -1
keep_order: yep
keep_integers: 1
suppresion_limit: 0.1
""")
    assert set(found) == {
        "version",
        "attributes.age.hierarchy",
        "attributes.age.role",
        "attributes.sex.recoding",
        "attributes.True",
        "attributes.job",
        "attributes.pay.hierarchy",
        "others",
        "models[0].k",
        "models[1].type",
        "models[2].k",
        "models[2].kind",
        "models[2].l",
        "models[3].t",
        "models[4].type",
        "models[5]",
        "algorithm.type",
        "recoding",
        "suppression_limit",
        "seed",
        "keep_order",
        "keep_integers",
        "suppresion_limit",
    }


@pytest.mark.parametrize(
    ("part", "path", "right"),
    [
        ("suppresion_limit: 0.1", "suppresion_limit", "suppression_limit"),
        ("recoding: meen", "recoding", "mean"),
        ("others: insensitve", "others", "insensitive"),
        ("attack_limits: {linkge: 0.2}", "attack_limits.linkge", "linkage"),
        ("algorithm: {type: mondrain}", "algorithm.type", "mondrian"),
        ("algorithm: {type: mondrian, spilt: loss}", "algorithm.spilt", "split"),
    ],
)
def test_misspelt_name_is_told_with_the_nearest_right_one(part, path, right):
    """A key or a value that is misspelt is told together with what was probably meant."""
    text = f"""
attributes: {{age: {{role: quasi-identifier}}}}
models: [{{type: k-anonymity, k: 2}}]
{part}
"""
    assert f"did you mean {right!r}?" in faults_of(text)[path]


@pytest.mark.parametrize(
    ("model", "path", "right"),
    [
        ("{type: k-anonimity, k: 2}", "models[0].type", "k-anonymity"),
        ("{type: t-closeness, attribut: job, t: 0.1}", "models[0].attribut", "attribute"),
        ("{type: l-diversity, attribute: jobb, l: 2}", "models[0].attribute", "job"),
        ("{type: l-diversity, attribute: job, l: 2, kind: entropi}", "models[0].kind", "entropy"),
    ],
)
def test_misspelt_part_of_a_model_is_told_with_the_nearest_right_one(model, path, right):
    """In a model, too, the nearest right name is told: of types, keys, values, attributes."""
    text = f"""
attributes: {{age: {{role: quasi-identifier}}, job: {{role: sensitive}}}}
models: [{model}]
"""
    assert f"did you mean {right!r}?" in faults_of(text)[path]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("'5'", "valid integer, not '5'"),
        ("true", "valid integer, not True"),
        ("2.5", "integer"),
        ("null", "valid integer, not None"),
        ("[5]", "valid integer"),
        ("-1", "is -1; it must be an integer of at least 1"),
    ],
)
def test_value_of_a_wrong_type_is_a_fault(value, reason):
    """Nothing is guessed from a value of another type: a text, a truth, a list is no k."""
    model = f"{{type: k-anonymity, k: {value}}}"
    text = f"attributes: {{a: {{role: quasi-identifier}}}}\nmodels: [{model}]"
    assert reason in faults_of(text)["models[0].k"]


@pytest.mark.parametrize("limit", [".nan", ".inf", "-0.1", "1.1", "'0.1'"])
def test_suppression_limit_is_a_share(limit):
    """The suppression limit is a number from 0 to 1, and nothing else."""
    text = f"""
attributes: {{a: {{role: quasi-identifier}}}}
models: [{{type: k-anonymity, k: 2}}]
suppression_limit: {limit}
"""
    assert set(faults_of(text)) == {"suppression_limit"}


@pytest.mark.parametrize("limit", [".nan", "0", "-0.1", "1.1", "true", "'0.1'", "null"])
def test_a_limit_of_an_attack_is_a_share_above_0(limit):
    """The largest tolerated risk is above 0 and at most 1, and each wrong one is named."""
    text = f"""
attributes: {{a: {{role: quasi-identifier}}}}
models: [{{type: k-anonymity, k: 2}}]
attack_limits: {{linkage: {limit}, inference: {limit}, downcoding: 0.3}}
"""
    assert set(faults_of(text)) == {"attack_limits.linkage", "attack_limits.inference"}


def test_limits_name_attacks():
    """A number alone is no limit: of which attack is asked."""
    parts = {"attributes": ATTRIBUTES, "models": [KAnonymity(2)]}
    with pytest.raises(PolicyError, match=r"attack_limits: must name attacks .*, not 0.2"):
        Policy(**parts, attack_limits=0.2)
    short = Policy.from_columns(quasi_identifiers=["age"], k=2, attack_limits={"linkage": 0.2})
    assert short.attack_limits == {"linkage": 0.2}


def test_model_needs_a_sensitive_attribute():
    """A model of an attribute that is in another role is refused, with the role."""
    with pytest.raises(PolicyError, match=r"models\[0\].attribute: 'age' is quasi-identifier"):
        Policy(attributes=ATTRIBUTES, models=[LDiversity("age", 2)])


def test_attribute_that_all_others_make_sensitive_may_carry_a_model():
    """Where all other columns are sensitive, a model may name one that the policy does not."""
    policy = Policy(attributes=ATTRIBUTES, others="sensitive", models=[TCloseness("pay", 0.2)])
    assert policy.schema_for(["age", "disease", "pay"]).names(Role.SENSITIVE) == ["disease", "pay"]


def test_hierarchical_distance_needs_a_hierarchy():
    """Hierarchical distance without a hierarchy of the attribute is refused beforehand."""
    with pytest.raises(PolicyError, match=r"models\[0\].attribute: .* needs a hierarchy"):
        Policy(attributes=ATTRIBUTES, models=[TCloseness("disease", 0.2, "hierarchical")])


def test_policy_without_quasi_identifiers_is_refused():
    """A policy that names nothing an intruder may know protects nothing."""
    with pytest.raises(PolicyError, match="attributes: no column is a quasi-identifier"):
        Policy(attributes={"disease": Sensitive()}, others="insensitive", models=[KAnonymity(2)])


def test_policy_without_models_is_refused():
    """A policy that requires nothing is refused, where the algorithm makes what is required."""
    with pytest.raises(PolicyError, match=r"^models: must be a list with at least one"):
        Policy(attributes=ATTRIBUTES, models=[])
    with pytest.raises(PolicyError, match=r"^models: must be a list with at least one"):
        Policy(attributes=ATTRIBUTES, models=[], algorithm="mdav")
    with pytest.raises(PolicyError, match=r"^models: must be a list with at least one"):
        Policy(attributes=ATTRIBUTES, models=None, algorithm="kmeans")


@pytest.mark.parametrize("algorithm", [KMeans(3), "kmeans", {"type": "kmeans", "clusters": 3}])
def test_algorithms_with_groups_of_their_own_need_no_model(algorithm):
    """An algorithm that has parameters for its groups may be asked for without a model."""
    policy = Policy(attributes=ATTRIBUTES, models=[], algorithm=algorithm)
    assert policy.models == ()
    assert policy.to_dict()["models"] == []
    assert Policy(**policy.to_dict()) == policy
    with pytest.raises(PolicyError, match=r"^models: must be a list with at least one"):
        policy.with_algorithm("mondrian")
    short = Policy.from_columns(quasi_identifiers=["age"], algorithm=algorithm)
    assert short.models == ()
    assert Policy.from_columns(quasi_identifiers=["age"], k=2, algorithm=algorithm).models == (
        KAnonymity(2),
    )


def test_a_policy_without_models_is_about_attributes_alone():
    """It releases and verifies nothing, and a file says `models: []` on purpose; k completes it."""
    policy = Policy(attributes=ATTRIBUTES, algorithm="kmeans")
    for call in (ka.anonymize, ka.verify):
        with pytest.raises(PolicyError, match=r"^models: is missing"):
            call(TABLE, policy)
    with pytest.raises(PolicyError, match=r"models: must be a list"):
        Policy.from_text("attributes: {age: {role: quasi-identifier}}")
    assert policy.with_algorithm("mondrian").models == ()
    assert resolve_policy(policy, k=2).models == (KAnonymity(2),)


def test_a_policy_is_shown_as_the_yaml_of_what_it_states():
    """Its `repr` has no default and no value of a hierarchy, and leads back to the policy."""
    policy = Policy(attributes=ATTRIBUTES, models=[KAnonymity(2)], suppression_limit=0.1)
    assert Policy.from_text(repr(policy)) == policy
    assert "version" not in repr(policy)
    tree = hierarchy.from_mapping({"secret": "*"})
    wide = {f"c{place}": QuasiIdentifier(tree) for place in range(90)}
    shown = repr(Policy(attributes=wide, models=[KAnonymity(2)]))
    assert "secret" not in shown
    assert shown.endswith("more lines")


def test_a_policy_shows_its_own_names_alone():
    """Completion lists parts and methods of a policy, and nothing of pydantic."""
    shown = dir(Policy(attributes=ATTRIBUTES, models=[KAnonymity(2)]))
    assert shown == dir(Policy)
    assert {"attributes", "models", "from_file", "to_file", "to_dict"} <= set(shown)
    assert not {"model_dump", "parse_obj", "dict", "copy"} & set(shown)


def test_a_policy_writes_a_file_that_reads_back(tmp_path, monkeypatch):
    """Files that it names are named as seen from its own folder, wherever the program runs."""
    monkeypatch.chdir(tmp_path)
    Path("trees").mkdir()
    Path("trees/age.csv").write_text("1;*\n2;*\n", encoding="utf-8")
    Path("people.csv").write_text("age\n1\n2\n", encoding="utf-8")
    age = QuasiIdentifier(hierarchy.from_file("trees/age.csv"))
    models = [KAnonymity(2), KMap(2, population="people.csv")]
    Path("policies").mkdir()
    policy = Policy(attributes={"age": age}, models=models, algorithm="full-domain", rows="persons")
    policy.to_file("policies/p.yaml", heading=["Mine."])
    assert Path("policies/p.yaml").read_text("utf-8").startswith("# Mine.\nversion: 1\n")
    monkeypatch.chdir(tmp_path / "policies")
    back = Policy.from_file("p.yaml")
    assert back.to_dict()["models"][1]["population"] == "../people.csv"
    assert ka.anonymize(pl.DataFrame({"age": [1, 2]}), back).rows_out == 2


def test_a_policy_that_no_file_can_hold_is_not_written(tmp_path):
    """A population table in memory is refused, with the name of the model."""
    models = [KMap(2, population=TABLE)]
    with pytest.raises(PolicyError, match="k-map: its population table is in memory"):
        Policy(
            attributes=ATTRIBUTES, others="insensitive", models=models, algorithm="full-domain"
        ).to_file(tmp_path / "p.yaml")


def test_schema_gives_every_column_its_role():
    """Columns that the policy does not name get the role of the others."""
    policy = Policy(attributes=ATTRIBUTES, others="insensitive", models=[KAnonymity(2)])
    schema = policy.schema_for(["ward", "disease", "age"])
    assert list(schema.attributes) == ["ward", "disease", "age"]
    assert schema.attributes["ward"] == Insensitive()


def test_unclassified_columns_are_listed():
    """Without a role for the others, columns that nobody classified are listed as an error."""
    policy = Policy(attributes=ATTRIBUTES, models=[KAnonymity(2)])
    with pytest.raises(SchemaError, match="ward, floor"):
        policy.schema_for(["ward", "age", "floor", "disease"])


def test_short_form_is_the_policy_it_stands_for(tmp_path):
    """The short form equals the policy that it abbreviates; l and t hold for each attribute."""
    file = tmp_path / "age.csv"
    file.write_text("7;0-9;*\n12;10-19;*\n", "utf-8")
    short = Policy.from_columns(
        quasi_identifiers=["age", "zip"],
        sensitive=["job", "pay"],
        identifiers=["name"],
        hierarchies={"age": file, "zip": hierarchy.masking()},
        k=5,
        l=3,
        t=0.2,
        algorithm={"type": "mondrian", "split": "span"},
        others="insensitive",
        suppression_limit=0.1,
    )
    assert short == Policy(
        attributes={
            "name": Identifier(),
            "age": QuasiIdentifier(hierarchy=hierarchy.from_file(str(file), folder=Path())),
            "zip": QuasiIdentifier(hierarchy=hierarchy.masking()),
            "job": Sensitive(),
            "pay": Sensitive(),
        },
        models=[
            KAnonymity(5),
            LDiversity("job", 3),
            LDiversity("pay", 3),
            TCloseness("job", 0.2),
            TCloseness("pay", 0.2),
        ],
        algorithm=Mondrian(split="span"),
        others="insensitive",
        suppression_limit=0.1,
    )


def test_short_form_takes_numbers_of_numpy():
    """Parameters that come out of an array are numbers like any other."""
    policy = Policy.from_columns(
        quasi_identifiers=["age"], sensitive=["job"], k=np.int64(5), beta=np.float64(1.5)
    )
    assert policy.models == (KAnonymity(5), BetaLikeness("job", 1.5))


@pytest.mark.parametrize(
    ("short", "message"),
    [
        ({"sensitive": ["age"], "k": 2}, "'age' is in two roles: quasi-identifier and sensitive"),
        (
            {"identifiers": ["age"], "k": 2},
            "'age' is in two roles: identifier and quasi-identifier",
        ),
        ({"k": 0}, "^k: is 0; it must be an integer of at least 1"),
        ({"sensitive": ["job"], "t": -1}, "^t: is -1; it must be a number of at least 0"),
        ({"sensitive": ["job", "pay"], "l": 0}, "^l: is 0; it must be an integer of at least 1$"),
        ({"l": 2}, "^l: needs a sensitive attribute"),
        ({"sensitive": ["job"], "alpha": 0.5}, "^alpha: needs k as well"),
        ({}, "nothing is required: give at least one of k, l, t"),
        ({"k": 2, "sensitive": "job"}, "list of columns, not the text 'job'"),
        ({"k": 2, "hierarchies": {"ag": "a.csv"}}, "^hierarchies.ag: is neither"),
        ({"k": 2, "hierarchies": {"age": "no.csv"}}, "^hierarchies.age: .*no.csv cannot be read"),
        ({"k": 2, "sensitiv": ["job"]}, "did you mean 'sensitive'?"),
        ({"k": 2, "seed": "x"}, "^seed: must be a valid integer"),
    ],
)
def test_fault_of_a_short_form_is_told_in_its_words(short, message):
    """A fault of a short form names the parameter that the caller wrote."""
    with pytest.raises(PolicyError, match=message):
        Policy.from_columns(quasi_identifiers=["age"], **short)


@pytest.mark.parametrize(
    ("place", "given"),
    [
        ("models[0].type", {"models": [{"type": ["k-anonymity"]}]}),
        ("algorithm.type", {"models": [KAnonymity(2)], "algorithm": {"type": {}}}),
        ("attributes.age.role", {"attributes": {"age": {"role": ["sensitive"]}}}),
    ],
)
def test_a_type_or_role_that_is_no_text_is_a_fault(place, given):
    """A list or a mapping in the place of a name is refused with its place in the policy."""
    parts = {"attributes": {"age": QuasiIdentifier()}} | given
    with pytest.raises(PolicyError, match=re.escape(f"{place}: ")):
        Policy(**parts)


@pytest.mark.parametrize("role", [QuasiIdentifier, Sensitive])
def test_a_table_is_no_hierarchy(role):
    """A hierarchy that cannot be bound to a column is refused where it is given."""
    with pytest.raises(PolicyError, match="DataFrame is none"):
        role(hierarchy=pl.DataFrame({"age": [1], "level": ["young"]}))


@dataclass(frozen=True)
class Majority(PerClass):
    """No value of the attribute has more than the required share of a class."""

    attribute: str
    required: float
    type = "majority"

    def criteria(self):
        """Return the one condition."""
        return (Criterion(MEASURES["largest-share"], self.attribute, self.required, "<="),)


@pytest.mark.parametrize("algorithm", ["mondrian", "segmentation", "full-domain"])
def test_a_requirement_of_ones_own_is_met_and_verified(algorithm):
    """A model of a class that users define is asked by algorithms, and by verification."""
    table = pl.DataFrame({"age": [*range(20, 60)], "income": ["low", "low", "high", "low"] * 10})
    columns = {"quasi_identifiers": ["age"], "sensitive": ["income"]}
    models = [Majority("income", 0.75)]
    release = ka.anonymize(table, **columns, models=models, algorithm=algorithm)
    assert release.verification.n_classes > 1
    shares = release.frame.group_by("age").agg(pl.col("income").value_counts(normalize=True))
    most = shares.explode("income").unnest("income")["proportion"].max()
    assert most <= 0.75
    stricter = Policy.from_columns(**columns, models=[Majority("income", 0.5)])
    assert not ka.verify(release.frame, stricter).satisfied
