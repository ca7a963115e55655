"""`ka.attack`: what intruders get from a release, whoever made it, against chance."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from attack_tables import HIDDEN, ILLNESS, KNOWN, banded, people, released, shuffled, starred
from conftest import FRAMES
from effort import examples
from kanonym.data.errors import Progress
from kanonym.evaluation.attacks import ATTACKS
from kanonym.evaluation.attacks.classes.homogeneity import BackgroundKnowledge, Homogeneity
from kanonym.evaluation.attacks.inference import Inference
from kanonym.evaluation.attacks.linking.linkage import Linkability, Linkage
from kanonym.evaluation.attacks.membership import Membership
from kanonym.evaluation.attacks.singling_out import SinglingOut

EVERY = [name for name, one in ATTACKS.items() if not one.needs_sets]
SLOW = [SinglingOut(), Linkability(), Inference(), Membership(), Homogeneity()]
NAMED = {"quasi_identifiers": KNOWN, "sensitive": HIDDEN}
AGES = ka.hierarchy.intervals(width=[5, 10, 20], origin=0)
TOWNS = {"Ulm": "south", "Bonn": "west", "Kiel": "north", "Jena": "east"}
BUILT = {
    "groups": ka.hierarchy.groups(fan_outs=3),
    "intervals from the least": ka.hierarchy.intervals(width=[5, 10, 20]),
    "intervals": AGES,
    "built for it": None,
}


def policy(k=5, *, age=None, town=None, action=None, sensitive=("disease",), **more):
    """Return a policy for `people`."""
    return ka.Policy(
        attributes={
            "age": ka.QuasiIdentifier(age, action=action),
            "sex": ka.QuasiIdentifier(),
            "town": ka.QuasiIdentifier(town),
            **{name: ka.Sensitive() for name in sensitive},
        },
        **{"models": [ka.KAnonymity(k)], "others": "insensitive", **more},
    )


def rates(found):
    """Return the rate of every attack that was carried out."""
    return {one.type: one.targets.rate for one in found.results if one.targets.attempts}


def few(n):
    """Return n persons with unique ages: everybody is found by them, and few by anything else."""
    random = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "age": np.arange(n) + 0.5,
            "rooms": random.permutation(n) / 4,
            "disease": random.choice(["flu", "cold", "gout", "angina"], n),
        }
    )


# --- kinds of tables --------------------------------------------------------------------


def test_the_library_of_the_frames_does_not_matter(frame):
    """All attacks tell the same of the same tables in every library."""
    table, control, second = people(90), people(60, 1), released(people(90), 3)
    release = released(table, 4)
    expected = ka.attack(table, release, control=control, second=second, **NAMED)
    tables = [frame(one.to_dict(as_series=False)) for one in (table, release, control, second)]
    found = ka.attack(tables[0], tables[1], control=tables[2], second=tables[3], **NAMED)
    assert found == expected
    assert [one.type for one in found.results] == EVERY


def test_lazy_frames_are_read():
    """A LazyFrame is as good as the frame that it collects to."""
    table, release = people(60), released(people(60), 3)
    expected = ka.attack(table, release, control=table, **NAMED)
    assert ka.attack(table.lazy(), release.lazy(), control=table.lazy(), **NAMED) == expected


def test_a_policy_says_what_names_say():
    """With the policy of the release the outcomes are those of its columns by name."""
    table, asked = people(120), policy()
    release = ka.anonymize(table, asked).frame
    expected = ka.attack(table, release, quasi_identifiers=KNOWN, sensitive=["disease"])
    found = ka.attack(table, release, asked)
    differing = {a.type for a, b in zip(found, expected, strict=True) if a != b}
    assert differing == {"minimality"}  # only the policy says which algorithm it was


def test_a_release_brings_its_policy_and_who_is_who():
    """Attacks on a shuffled `Release` find what they find in its frame with the policy."""
    table = people(150)
    release = ka.anonymize(table, policy())
    found, of_frame = ka.attack(table, release), ka.attack(table, release.frame, policy())
    same = [name for name in rates(of_frame) if name != "downcoding"]
    assert {name: rates(found)[name] for name in same} == pytest.approx(
        {name: rates(of_frame)[name] for name in same}
    )


@pytest.mark.parametrize("keep_order", [True, False])
def test_order_that_is_kept_says_who_is_who(keep_order):
    """Of changed values, linkage is judged where `keep_order` says which record is whose."""
    table, asked = people(100), policy(keep_order=keep_order)
    changed = ka.anonymize(table, asked).frame.with_columns(age=pl.lit("[900, 901]"))
    assert ka.attack(table, changed, asked)["linkage"].targets.attempts == 100 * keep_order


def test_a_release_of_suppressed_records_is_attacked():
    """Who was suppressed is attacked as the others, and is not found."""
    table = people(150)
    release = ka.anonymize(table, policy(10, algorithm=ka.FullDomain(), suppression_limit=0.2))
    assert release.rows_out < release.rows_in
    found = ka.attack(table, release, control=people(50, 1))
    assert found["linkage"].targets.attempts == 150
    assert found["linkage"].targets.rate <= 0.1
    assert found["homogeneity"].targets.attempts == 150


def test_a_release_is_of_the_table_that_is_attacked():
    """Another number of records is another table."""
    release = ka.anonymize(people(50), policy())
    with pytest.raises(ka.DataError, match="made of a table of 50 records"):
        ka.attack(people(60), release)


# --- what is attacked -------------------------------------------------------------------


def test_the_original_unchanged_is_full_success():
    """Where nobody has an equal everybody is found, and everything is learnt."""
    table, others = few(80), few(120)[80:].with_columns(age=pl.col("age") + 900)
    found = ka.attack(
        table,
        shuffled(table),
        quasi_identifiers=["age", "rooms"],
        sensitive=["disease"],
        control=others,
        second=shuffled(table, 1),
        aligned=None,
    )
    reached = rates(found)
    full = [
        "singling-out", "linkage", "linkability", "similarity-reidentification", "inference",
        "homogeneity", "background-knowledge", "skewness", "membership", "intersection",
        "downcoding", "unique-exact-matches", "apparent-matches",
    ]  # fmt: skip
    assert {name: reached[name] for name in full} == dict.fromkeys(full, 1)
    gaining = set(full) - {"intersection", "downcoding"}
    assert min(found[name].risk for name in gaining) > 0.9


def test_everything_suppressed_is_the_baseline():
    """Of a release of one class no attack on the known values gains anything."""
    table = people(200)
    found = ka.attack(
        table,
        starred(table, KNOWN),
        control=people(100, 1),
        second=starred(table, KNOWN),
        aligned=True,
        hierarchies={"disease": ka.hierarchy.from_mapping(ILLNESS)},
        **NAMED,
    )
    for one in found.results:
        guesses = ("singling-out", "inference", "similarity-reidentification")
        if one.type not in guesses:
            assert one.targets.rate == pytest.approx(one.baseline.rate)
        assert one.interval[0] == 0 or one.type == "singling-out"
    assert found["downcoding"].targets.rate == 0
    known = ka.attack(
        table.select(KNOWN), starred(table.select(KNOWN), KNOWN), quasi_identifiers=KNOWN
    )
    assert known["singling-out"].risk == 0


def test_rates_fall_as_k_grows():
    """On Mondrian no attack does better at a larger k, but for chance."""
    table, control = people(600), people(300, 1)
    sweep = [
        rates(ka.attack(table, ka.anonymize(table, policy(k)), control=control))
        for k in (2, 8, 40, 200)
    ]
    # Tables of labels have no exact matches, but where a class has one value in each column.
    for name in set.intersection(*map(set, sweep)):
        path = [found[name] for found in sweep]
        noise = 0.06 if name in ("membership", "similarity-reidentification", "inference") else 0.01
        if name != "singling-out":  # the costs, which are not grouped, are unique
            assert all(b <= a + noise for a, b in pairwise(path)), name
    for name in ("linkage", "homogeneity", "background-knowledge", "skewness", "downcoding"):
        assert sweep[0][name] > 1.5 * sweep[-1][name]
    assert sweep[0]["inference"] > sweep[-1]["inference"] + 0.1


def test_l_diversity_leaves_homogeneity_nothing():
    """With two distinct values in each class no value is certain; with three, none but one."""
    table = people(300)
    for diversity, attacks in ((2, [Homogeneity()]), (3, [Homogeneity(), BackgroundKnowledge()])):
        models = [ka.KAnonymity(2), ka.LDiversity("disease", diversity)]
        found = ka.attack(table, ka.anonymize(table, policy(models=models)), attacks=attacks)
        assert set(rates(found).values()) == {0}


def test_without_a_sensitive_attribute_persons_are_still_sought():
    """Attacks on values say that there is none; those on persons are carried out."""
    table = people(60)
    found = ka.attack(table, released(table, 3), quasi_identifiers=KNOWN, control=people(40, 1))
    idle = {one.type for one in found.results if not one.targets.attempts}
    assert {"inference", "homogeneity", "background-knowledge", "skewness", "similarity"} <= idle
    assert {"singling-out", "linkage", "linkability", "membership", "downcoding"} <= set(
        rates(found)
    )
    assert all(found[name].reason for name in idle)


def test_a_release_without_a_record_gives_nothing_away():
    """Nobody is found in it, and no attack fails."""
    table = people(30)
    found = ka.attack(table, released(table, 3)[:0], control=people(20, 1), **NAMED)
    assert set(rates(found).values()) <= {0}


def test_nulls_are_values_and_suppressed_cells():
    """Columns of nulls, in the original, the release or the control, are attacked as others."""
    table = pl.DataFrame(
        {"age": [None] * 4 + [30, 31], "sex": [None, "f"] * 3, "disease": ["flu", None] * 3}
    )
    release = table.with_columns(age=pl.Series([None] * 4 + ["[30, 31]"] * 2))
    found = ka.attack(
        table,
        release,
        control=table,
        second=release,
        quasi_identifiers=["age", "sex"],
        sensitive=["disease"],
        aligned=True,
    )
    assert found["homogeneity"].targets.rate == 1
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_tiny_tables_are_attacked(n):
    """Of one person there is nothing to tell apart, and of few, little; nothing fails."""
    table = people(n)
    found = ka.attack(table, table, control=people(n, 1), second=table, **NAMED)
    for one in found.results:
        assert one.targets.attempts or one.reason
        assert 0 <= one.interval[0] <= one.risk <= one.interval[1] <= 1
    if n == 1:
        assert found["linkage"].risk == found["homogeneity"].interval[0] == 0


def test_the_second_release_adds_to_the_first():
    """Classes that cross leave one value where either release alone leaves two."""
    table = pl.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "ill": ["x", "y", "z", "w"]})
    by_a, by_b = table.with_columns(b=pl.lit("*")), table.with_columns(a=pl.lit("*"))
    asked = {"quasi_identifiers": ["a", "b"], "sensitive": ["ill"], "attacks": ["intersection"]}
    found = ka.attack(table, by_a, second=by_b, **asked)["intersection"]
    assert (found.targets.rate, found.baseline.rate, found.risk) == (1, 0, 1)
    alone = ka.attack(table, by_a, **asked)["intersection"]
    assert (alone.targets.attempts, alone.risk) == (0, 0)
    assert "no second release" in alone.reason


def test_a_second_release_brings_its_hierarchies():
    """A `Release` is read by its own labels, which the first one need not have."""
    table = people(200)
    tree = ka.hierarchy.from_mapping(TOWNS)
    asked = policy(town=tree, recoding="hierarchy", algorithm=ka.FullDomain(levels={"town": 1}))
    second = ka.anonymize(table, asked)
    assert "south" in second.frame["town"].to_list()
    first = ka.anonymize(table, policy())
    assert ka.attack(table, first, second=second)["intersection"].targets.attempts == 200
    with pytest.raises(ka.SchemaError, match="'town'"):
        ka.attack(table, first, second=second.frame)


# --- people who are not in the original -------------------------------------------------


def test_a_control_is_what_statistics_say():
    """What hangs together in everybody is guessed of others as well: that is no risk of a record.

    Without a control it would be taken for one.
    """
    table, control = (
        people(400, seed).with_columns(
            disease=pl.when(pl.col("age") < 50).then(pl.lit("flu")).otherwise(pl.lit("gout"))
        )
        for seed in (0, 1)
    )
    asked = {
        "quasi_identifiers": ["age"],
        "sensitive": ["disease"],
        "attacks": ["inference", "homogeneity"],
    }
    release = banded(table, 10)
    alone = ka.attack(table, release, **asked)
    beside = ka.attack(table, release, control=control, **asked)
    for name in ("inference", "homogeneity"):
        assert alone[name].control is None
        assert alone[name].risk > 0.7
        assert beside[name].targets == alone[name].targets
        assert beside[name].control.attempts == 400
        assert beside[name].risk == 0


@pytest.mark.parametrize("age", BUILT)
@pytest.mark.parametrize("recodes", ["classes", "levels"])
def test_the_original_as_control_leaves_no_risk(age, recodes):
    """Whatever hierarchy the release has, the same persons have the same success."""
    table = people(200)
    chosen = {"algorithm": ka.FullDomain(), "suppression_limit": 0.1} if recodes == "levels" else {}
    asked = policy(age=BUILT[age], recoding="hierarchy", **chosen)
    found = ka.attack(table, ka.anonymize(table, asked), control=table, attempts=10**6)
    assert found["membership"].risk == 0
    for name in ("inference", "homogeneity", "skewness"):
        assert found[name].control.rate == found[name].targets.rate


@pytest.mark.parametrize("age", BUILT)
def test_members_are_not_told_from_the_population_by_strange_values(age):
    """Ages that the original lacks are read within released labels, not as nobody's.

    Of a release whose labels are wide, nobody can tell a member from others of the same ages.
    """
    random = np.random.default_rng(0)
    ages = random.permutation(np.arange(20, 80, 0.1))
    table, control = (
        pl.DataFrame({"age": part, "disease": random.choice(["flu", "cold"], 300)})
        for part in (ages[:300], ages[300:])
    )
    asked = ka.Policy(
        attributes={"age": ka.QuasiIdentifier(BUILT[age]), "disease": ka.Sensitive()},
        models=[ka.KAnonymity(20)],
        recoding="hierarchy",
    )
    found = ka.attack(table, ka.anonymize(table, asked), control=control, attacks=["membership"])
    assert found["membership"].targets.rate < 0.7


def test_a_hierarchy_is_not_rebuilt_around_the_control():
    """What `other` stands for is said by the original: there the control does not change it."""
    tree = ka.hierarchy.frequency(shares=[0.3])
    table = pl.DataFrame({"town": ["Ulm"] * 6 + ["Jena"] * 2 + ["Kiel"] * 2})
    control = pl.DataFrame({"town": ["Jena"] * 40 + ["Paris"] * 2})
    asked = ka.Policy(
        attributes={"town": ka.QuasiIdentifier(tree)},
        models=[ka.KAnonymity(4)],
        algorithm=ka.FullDomain(),
    )
    release = ka.anonymize(table, asked)
    assert sorted(set(release.frame["town"])) == ["Ulm", "other"]
    for one in ((release,), (release.frame, asked)):
        found = ka.attack(table, *one, control=control, attacks=["linkage"])
        assert found["linkage"].parts["control_compatible"] == pytest.approx(40 / 42)


@pytest.mark.parametrize("kind", ["masking", "mapping", "file"])
def test_a_control_may_have_values_that_no_hierarchy_has(kind, tmp_path):
    """Strangers are put under a mask, and are nobody's where a mapping or a file lacks them."""
    coast = {"0131": "west", "0132": "west", "0455": "east", "0456": "east"}
    rows = [f"{code};{side};*\n" for code, side in coast.items()]
    (tmp_path / "zips.csv").write_text("".join(rows), "utf-8")
    tree = {
        "masking": ka.hierarchy.masking(),
        "mapping": ka.hierarchy.from_mapping(coast),
        "file": ka.hierarchy.from_file(tmp_path / "zips.csv"),
    }[kind]
    table = pl.DataFrame({"zip": ["0131", "0132", "0455", "0456"] * 2, "ill": list("abcdabcd")})
    control = pl.DataFrame({"zip": ["0131", "0139", "9999", None], "ill": list("abcd")})
    asked = ka.Policy(
        attributes={"zip": ka.QuasiIdentifier(tree), "ill": ka.Sensitive()},
        models=[ka.KAnonymity(4)],
        recoding="hierarchy",
    )
    release = ka.anonymize(table, asked)
    assert set(release.frame["zip"]) == (
        {"013*", "045*"} if kind == "masking" else {"west", "east"}
    )
    for one in ((release,), (release.frame, asked)):
        found = ka.attack(table, *one, control=control)
        compatible = found["linkage"].parts["control_compatible"]
        assert compatible == (0.5 if kind == "masking" else 0.25)


@pytest.mark.parametrize("action", [ka.actions.Round(10), ka.actions.TopBottom(30, 60)])
def test_actions_are_done_to_the_control(action):
    """Where labels are of rounded or coded values, so are the control's: nobody stands out."""
    table, control = people(300), people(300, 1)
    asked = policy(age=AGES, action=action, recoding="hierarchy")
    release = ka.anonymize(table, asked)
    for one in ((release,), (release.frame, asked)):
        found = ka.attack(table, *one, control=control, attacks=["membership"])
        assert found["membership"].targets.rate < 0.6
    held = ka.attack(table, policy=asked, hold_out=0.5, attacks=["membership"])
    assert held["membership"].targets.rate < 0.6


def test_actions_may_change_the_type():
    """Dates that are released as years are compared as years, of the control as well."""
    born = [dt.date(1950 + i, 1 + i % 12, 1 + i % 28) for i in range(60)]
    table = pl.DataFrame({"born": born, "ill": ["flu", "cold"] * 30})
    asked = ka.Policy(
        attributes={
            "born": ka.QuasiIdentifier(action=ka.actions.TruncateDate("year")),
            "ill": ka.Sensitive(),
        },
        models=[ka.KAnonymity(3)],
        recoding="hierarchy",
    )
    release = ka.anonymize(table, asked)
    found = ka.attack(table, release, control=table, attacks=["inference"])
    assert found["inference"].control.rate == found["inference"].targets.rate


def test_the_control_has_the_columns_of_the_original():
    """A column that is missing, or of another type, or has no finite square, is refused."""
    table = people(40).with_columns(pl.col("age").cast(float))
    release, control = released(table, 3), people(20, 1)
    with pytest.raises(ka.SchemaError, match="the control has no column 'town'"):
        ka.attack(table, release, control=control.drop("town"), **NAMED)
    texts = control.with_columns(pl.col("age").cast(str))
    with pytest.raises(ka.SchemaError, match="'age' is String in the control and Float64"):
        ka.attack(table, release, control=texts, **NAMED)
    endless = control.with_columns(age=pl.lit(float("inf")))
    with pytest.raises(ka.DataError, match="the control: quasi-identifier 'age', row 1: inf"):
        ka.attack(table, release, control=endless, **NAMED)


def test_the_control_needs_no_identifiers():
    """What the policy drops need not be there, and further columns do no harm."""
    table = people(60).with_columns(name=pl.int_range(60).cast(str))
    asked = ka.Policy(
        attributes={"name": ka.Identifier(), **policy().attributes},
        models=[ka.KAnonymity(3)],
        others="insensitive",
    )
    control = people(40, 1).with_columns(colour=pl.lit("red"))
    found = ka.attack(table, ka.anonymize(table, asked), control=control)
    assert found["membership"].targets.attempts == 40


def test_a_control_without_a_person_is_no_control():
    """Chance is the baseline then."""
    table = people(60)
    release = released(table, 3)
    found = ka.attack(table, release, control=people(10)[:0], **NAMED)
    alone = ka.attack(table, release, **NAMED)
    assert {one.type: one.risk for one in found.results} == {
        one.type: one.risk for one in alone.results
    }
    assert "two persons each" in found["membership"].reason


# --- hold_out ---------------------------------------------------------------------------


def test_what_is_held_out_is_the_control():
    """The share is not anonymized, and attacked as people who are not in the release."""
    found = ka.attack(people(200), policy=policy(), hold_out=0.25)
    assert found["linkage"].targets.attempts == 150
    assert found["inference"].control.attempts == 50
    assert found["membership"].targets.attempts == 50


def test_who_is_held_out_depends_on_the_seed_alone():
    """One seed, one division; another seed, another one."""
    table = people(200)
    asked = {"policy": policy(), "hold_out": 0.3, "attacks": ["inference", "linkage"]}
    first, again, other = (ka.attack(table, **asked, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert rates(first) != rates(other)


@pytest.mark.parametrize("library", FRAMES)
def test_the_held_out_are_the_same_in_every_library(library):
    """The division is of rows, whatever table they are in."""
    table = people(80)
    asked = {"policy": policy(3), "hold_out": 0.4, "attacks": ["linkage", "inference"]}
    made = FRAMES[library](table.to_dict(as_series=False))
    assert ka.attack(made, **asked) == ka.attack(table, **asked)


def test_persons_are_held_out_with_all_their_records(monkeypatch):
    """Where k-anonymity counts persons, nobody is on both sides; a null is one of its own."""
    made = []

    def noted(table, asked):
        made.append(ka.anonymize(table, asked))
        return made[-1]

    monkeypatch.setattr("kanonym.evaluation.attacks.table_attacks.anonymize", noted)
    n = 40
    table = pl.DataFrame(
        {
            "who": [f"p{i % n}" for i in range(4 * n)] + [None] * n,
            "age": [i % n // 8 for i in range(5 * n)],
            "ill": ["flu", "cold"] * (5 * n // 2),
        }
    )
    asked = ka.Policy(
        attributes={
            "who": ka.Identifier(action=ka.actions.Surrogate()),
            "age": ka.QuasiIdentifier(),
            "ill": ka.Sensitive(),
        },
        models=[ka.KAnonymity(2, entity="who")],
        seed=271828182845904,
    )
    found = ka.attack(table, policy=asked, hold_out=0.5, attacks=["homogeneity"])
    kept = made[0].frame["who"]
    nulls = kept.null_count()
    records = kept.drop_nulls().value_counts()["count"]
    assert set(records) == {4}
    assert len(records) + nulls == n
    assert found["homogeneity"].targets.attempts == len(records) + nulls
    with pytest.raises(ka.DataError, match=r"0\.5 of 1 persons"):
        ka.attack(table.filter(pl.col("who") == "p1"), policy=asked, hold_out=0.5)


@pytest.mark.parametrize("share", [0, -0.5, 1.5, float("nan"), "half", True])
def test_a_share_lies_between_0_and_1(share):
    """Anything else is refused."""
    with pytest.raises(ka.PolicyError, match="hold_out"):
        ka.attack(people(10), policy=policy(2), hold_out=share)


@pytest.mark.parametrize(("n", "share"), [(10, 1), (10, 0.01), (10, 0.99), (1, 0.5), (0, 0.5)])
def test_both_parts_have_a_record(n, share):
    """A share that leaves one part empty is refused, whatever the size of the table."""
    with pytest.raises(ka.DataError, match="at least one"):
        ka.attack(people(10)[:n], policy=policy(2), hold_out=share)


def test_a_part_that_is_too_small_for_the_policy_is_infeasible():
    """What is left must satisfy the policy, or there is no release to attack."""
    with pytest.raises(ka.InfeasibleError):
        ka.attack(people(10), policy=policy(8), hold_out=0.5)


def test_hold_out_makes_release_and_control_itself():
    """With a release, a control or columns beside it, or without a policy, it is refused."""
    table, asked = people(40), policy(3)
    release = ka.anonymize(table, asked)
    for wrong in (
        {"released": release, "policy": asked},
        {"control": table, "policy": asked},
        {"policy": asked, "quasi_identifiers": ["age"]},
        {"policy": asked, "aligned": True},
        {},
        NAMED,
    ):
        with pytest.raises(ka.PolicyError, match="it needs a policy alone"):
            ka.attack(table, **wrong, hold_out=0.2)
    with pytest.raises(ka.PolicyError, match="needs a release, or hold_out"):
        ka.attack(table, policy=asked)


def test_policies_of_persons_are_attacked():
    """A release that counts persons by an identifier is attacked by its columns."""
    table = pl.DataFrame(
        {"who": [i // 2 for i in range(40)], "age": list(range(40)), "ill": ["flu", "cold"] * 20}
    )
    asked = ka.Policy(
        attributes={"who": ka.Identifier(), "age": ka.QuasiIdentifier(), "ill": ka.Sensitive()},
        models=[ka.KAnonymity(3, entity="who")],
    )
    found = ka.attack(table, ka.anonymize(table, asked))
    assert found["inference"].targets.attempts == found["homogeneity"].targets.attempts == 20


# --- which attacks ----------------------------------------------------------------------


def test_all_attacks_are_carried_out_unless_some_are_asked_for():
    """In the registry's order, or in the order asked for."""
    table = people(50)
    release = released(table, 3)
    assert [one.type for one in ka.attack(table, release, **NAMED).results] == EVERY
    asked = ["skewness", "linkage"]
    found = ka.attack(table, release, attacks=asked, **NAMED)
    assert [one.type for one in found.results] == asked


def test_attacks_have_parameters():
    """An attack as an object is carried out as it is; `attempts` is of those by name."""
    table = people(100)
    chosen = [
        "homogeneity",
        Linkage(attempts=10),
        Linkability(columns_a=["age"], columns_b=["town"], attempts=20),
        Inference("town"),
        BackgroundKnowledge(m=100),
    ]
    found = ka.attack(table, released(table, 3), attacks=chosen, attempts=30, **NAMED)
    tried = [one.targets.attempts for one in found.results]
    assert tried[:3] == [30, 10, 20]
    assert "town" in found["inference"].parts
    assert found["background-knowledge"].targets.rate > 0.9


def test_attempts_bound_the_persons():
    """Every attack by name tries at most so many, singling out so many of each mode."""
    table = people(100)
    found = ka.attack(
        table, released(table, 3), control=people(80, 1), second=table, attempts=7, **NAMED
    )
    for one in found.results:
        assert one.targets.attempts <= (14 if one.type == "singling-out" else 7)


@pytest.mark.parametrize(
    ("wrong", "kind", "said"),
    [
        ({"attacks": ["linkge"]}, ka.PolicyError, "unknown attack; did you mean 'linkage'"),
        ({"attacks": "linkage"}, ka.SchemaError, "give a list of attacks, not the text 'linkage'"),
        ({"attacks": [Linkage]}, ka.PolicyError, "by name, or as objects"),
        ({"attacks": [3]}, ka.PolicyError, "by name, or as objects"),
        ({"attempts": 1}, ka.PolicyError, "attempts is 1; it must be an integer of at least 2"),
        ({"attempts": 2.5}, ka.PolicyError, "attempts is 2.5"),
        ({"seed": -1}, ka.PolicyError, "seed is -1; it must be an integer of at least 0"),
        ({"seed": "x"}, ka.PolicyError, "seed is 'x'"),
        ({"seed": 1.5}, ka.PolicyError, "seed is 1.5"),
        ({"quasi_identifiers": ["height"]}, ka.SchemaError, "height"),
        ({"quasi_identifiers": "age"}, ka.SchemaError, "give a list of columns"),
        ({"policy": 3, "quasi_identifiers": ()}, ka.PolicyError, "policy must be a Policy"),
        ({"policy": policy()}, ka.PolicyError, "not both"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, kind, said):
    """Before anything is attacked, with the right word where one was misspelt."""
    table = people(20)
    with pytest.raises(kind, match=said):
        ka.attack(table, released(table, 3), **{"quasi_identifiers": KNOWN, **wrong})


def test_an_original_without_a_record_is_refused():
    """There is nobody to attack."""
    with pytest.raises(ka.DataError, match="the original has no record"):
        ka.attack(people(5)[:0], people(5), quasi_identifiers=["age"])


# --- seeds ------------------------------------------------------------------------------


def test_one_seed_is_one_outcome():
    """The same seed draws the same, and is told; another one draws others."""
    table = people(300)
    asked = {"control": people(200, 1), "attempts": 40, **NAMED}
    release = released(table, 3)
    first, again, other = (ka.attack(table, release, seed=seed, **asked) for seed in (3, 3, 4))
    assert first == again
    assert {one.seed for one in first.results} == {3}
    assert rates(first) != rates(other)
    assert ka.attack(table, release, seed=np.int64(3), **asked).to_dict() == first.to_dict()
    json.dumps(ka.attack(table, release, seed=np.int64(3), **asked).to_dict())


def test_an_attack_does_not_depend_on_the_others():
    """Each draws of a generator of its own: alone, in another order, the outcome is the same."""
    table = people(200)
    asked = {"control": people(100, 1), "attempts": 30, **NAMED}
    release = released(table, 3)
    every = ka.attack(table, release, **asked)
    turned = ka.attack(table, release, attacks=EVERY[::-1], **asked)
    for name in EVERY:
        assert turned[name] == every[name]
        assert ka.attack(table, release, attacks=[name], **asked)[name] == every[name]


def test_the_order_of_released_records_does_not_matter():
    """A shuffled release has the same outcome, but where who is who is known."""
    table = people(200)
    release = released(table, 3)
    asked = {"control": people(100, 1), "aligned": False, **NAMED}
    found, other = (ka.attack(table, one, **asked) for one in (release, shuffled(release)))
    drawn = {"singling-out"}  # of predicates that are equally good, which are tried
    assert {n: r for n, r in rates(found).items() if n not in drawn} == pytest.approx(
        {n: r for n, r in rates(other).items() if n not in drawn}
    )


def test_progress_tells_each_stage():
    """It is told before each stage: making the release, reading, and every attack."""
    told = []
    ka.attack(
        people(40),
        policy=policy(3),
        hold_out=0.3,
        attacks=["linkage", "skewness"],
        progress=told.append,
    )
    stages = dict.fromkeys(one.partition(": ")[0] for one in told)
    assert list(stages) == ["anonymize", "read", "linkage", "skewness"]


@pytest.mark.parametrize("attack", SLOW, ids=lambda one: one.type)
def test_an_attack_that_takes_long_tells_its_share(attack):
    """What is told of an attack grows, and never beyond the whole."""
    table = people(300)
    told = []
    given = {"control": people(300, 1), "attacks": [attack], "progress": told.append, **NAMED}
    ka.attack(table, released(table, 3), aligned=True, **given)
    shares = [one for one in told if isinstance(one, Progress)]
    assert shares
    assert all(one.startswith(f"{attack.type}: ") for one in shares)
    parts = [one.done / one.total for one in shares]
    assert parts == sorted(parts)
    assert max(parts) < 1


# --- what is told -----------------------------------------------------------------------


def test_the_json_form_is_that_of_the_contract():
    """One entry an attack, with the fields of design §9, and nothing that is no JSON."""
    table = people(80)
    found = ka.attack(table, released(table, 3), control=people(40, 1), **NAMED).to_dict()
    assert list(found) == ["attacks"]
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    for one in found["attacks"]:
        assert one.keys() >= {
            "type", "rate", "baseline", "control", "risk", "interval", "confidence", "attempts",
            "seed",
        }  # fmt: skip


def test_print_shows_an_attack_a_line():
    """The rate beside chance, the risk and its interval, or why it was not carried out.

    What the attacks show stands below, and whether they keep the limits of the policy.
    """
    table = people(80)
    found = ka.attack(table, released(table, 3), **NAMED)
    lines = str(found).splitlines()
    hidden = [one.type for one in found.results if one.hidden_by]
    note = f"whether the release helps: {', '.join(hidden)}."
    assert note in " ".join(str(found).split())
    limited = replace(found, limits={"linkage": 0.5, "membership": 0.1})
    assert str(limited).splitlines()[: len(lines)] == lines
    below = str(limited).splitlines()[len(lines) :]
    told = [line[21:].partition(":")[0] for line in below if line[:4].strip()]
    assert told == ["what is known", "membership", "linkage"]
    assert lines[0].split() == ["attack", "rate", "baseline", "control", "risk", "interval"]
    tried = [one.type for one in found.results if one.attempts]
    assert [line.split()[0] for line in lines[1 : 1 + len(tried)]] == tried
    assert "give a control table" in next(line for line in lines if "membership" in line)


@pytest.mark.parametrize(
    ("stated", "unit"), [({}, "record"), ({"rows": "persons"}, "person")], ids=["unsaid", "said"]
)
def test_attempts_say_what_they_are_about(stated, unit):
    """A record counts as a person only where the policy says so; descriptions never do."""
    table = people(60)
    found = ka.attack(table, ka.anonymize(table, policy(**stated)))
    units = {one.type: one.unit for one in found}
    assert units["linkage"] == units["inference"] == unit
    assert units["downcoding"] == f"{unit}-cells"
    assert (units["singling-out"], units["membership"]) == ("description", "decision")
    assert {one["type"]: one["unit"] for one in found.to_dict()["attacks"]} == units


def test_limits_are_those_of_the_policy():
    """Of a `Release` its own policy's, of a table those of the policy that is given."""
    table, limits = people(60), {"linkage": 0.4, "inference": 0.5}
    asked = policy(attack_limits=limits)
    release = ka.anonymize(table, asked)
    for place in ((release,), (release.frame, asked)):
        found = ka.attack(table, *place, attacks=["linkage"])
        assert found.limits == limits
        assert [(one.type, one.verdict) for one in found.checks] == [
            ("inference", "not run"),
            ("linkage", "kept"),
        ]
        assert found.verdict == "not run"
    assert ka.attack(table, release.frame, **NAMED, attacks=["linkage"]).verdict is None
    assert ka.attack(table, policy=asked, hold_out=0.2, attacks=["linkage"]).limits == limits


def test_outcomes_are_had_by_name():
    """A misspelt one is refused with the nearest right one."""
    table = people(30)
    found = ka.attack(table, released(table, 3), attacks=["linkage"], **NAMED)
    assert found["linkage"] is found.results[0]
    with pytest.raises(KeyError, match="did you mean 'linkage'"):
        found["linkge"]


MARKS = ["MARKED-a", "MARKED-b", "MARKED-c", None]


@given(st.data())
@settings(max_examples=examples(25))
def test_no_value_of_a_person_is_told(data):
    """The JSON form has names of columns and rates; no quasi-identifier, no sensitive value."""
    n = data.draw(st.integers(2, 20))
    texts = st.lists(st.sampled_from(MARKS), min_size=n, max_size=n)
    ages = st.lists(st.sampled_from([770001, 770013, 770029]), min_size=n, max_size=n)
    table = pl.DataFrame(
        {"age": data.draw(ages), "town": data.draw(texts), "ill": data.draw(texts)},
        schema={"age": pl.Int64, "town": pl.String, "ill": pl.String},
    )
    known, mine = ["age", "town"], ["age", "town", "ill"]
    k = data.draw(st.integers(1, n))
    release = ka.anonymize(table, quasi_identifiers=known, sensitive=["ill"], k=k)
    other = table.with_columns(town=pl.lit("MARKED-z"), ill=pl.lit("MARKED-y"))
    found = ka.attack(table, release, control=other, second=table).to_dict()
    numbers, texts = [], []

    def walk(part):
        if isinstance(part, dict):
            texts.extend(part)
            part = list(part.values())
        if isinstance(part, list):
            for one in part:
                walk(one)
        else:
            (texts if isinstance(part, str) else numbers).append(part)

    walk(found)
    assert not any("MARKED" in text or "7700" in text for text in texts)
    assert all(number is None or number <= max(2000, 10 * n) for number in numbers)
    assert mine[2] in found["attacks"][EVERY.index("homogeneity")]["parts"]


def test_pandas_indexes_do_not_matter():
    """Rows are taken by place, whatever their index says."""
    table = people(60).to_pandas()
    release = ka.anonymize(table, policy(3)).frame
    other = table.set_index(pd.Index(np.arange(60)[::-1]))
    asked = {"quasi_identifiers": KNOWN, "sensitive": ["disease"]}
    assert ka.attack(other, release, **asked) == ka.attack(table, release, **asked)


def visits(n=100, each=3, seed=0):
    """Return records of n persons, each with as many of one age, and a policy that counts them."""
    ages = np.repeat(np.random.default_rng(seed).integers(20, 80, n), each)
    ill = np.where(ages > 50, "a", "b")
    table = pl.DataFrame({"pid": np.repeat(np.arange(n), each) + seed * n, "age": ages, "ill": ill})
    asked = ka.Policy(
        attributes={"pid": ka.Identifier(), "age": ka.QuasiIdentifier(), "ill": ka.Sensitive()},
        models=[ka.KAnonymity(3, entity="pid")],
    )
    return table, asked


def test_persons_of_several_columns_are_attacked_as_persons():
    """What persons are by a number, they are by the columns that it is made of."""
    table, asked = visits()
    sites = table.with_columns(site=pl.col("pid") % 3, number=pl.col("pid") // 3).drop("pid")
    both = ka.Policy(
        attributes={
            **{name: ka.Identifier() for name in ("site", "number")},
            **{name: one for name, one in asked.attributes.items() if name != "pid"},
        },
        models=[ka.KAnonymity(3, entity=["site", "number"])],
    )
    expected = ka.attack(table, policy=asked, hold_out=0.3).to_dict()
    assert ka.attack(sites, policy=both, hold_out=0.3).to_dict() == expected
    made = ka.anonymize(sites, both)
    for name in ("person_highest", "person_average"):
        same = ka.risk(ka.anonymize(table, asked)).entries()[name]
        assert ka.risk(made).entries()[name] == same
        assert ka.risk(sites, both).entries()[name] == ka.risk(table, asked).entries()[name]
    # Others may have the values of each column: only the same combination is the same person.
    others = sites.with_columns(number=pl.col("number") + 100)
    ka.attack(sites, made, control=others.vstack(others.with_columns(number=-pl.col("number"))))
    with pytest.raises(ka.DataError, match=r"100 of .* values of \['site', 'number'\]"):
        ka.attack(sites, made, control=sites)
    with pytest.raises(ka.SchemaError, match="the control has no column 'number'"):
        ka.attack(sites, made, control=sites.drop("number"))


@pytest.mark.parametrize("given", ["release", "policy", "names"])
def test_persons_of_several_records_are_attacked_as_persons(given):
    """Where the policy counts persons, attempts are persons, whichever way it is given."""
    table, asked = visits()
    release = ka.anonymize(table, asked)
    control = visits(seed=1)[0]
    found = {
        "release": lambda: ka.attack(table, release, control=control),
        "policy": lambda: ka.attack(table, release.frame, asked, control=control),
        "names": lambda: ka.attack(
            table, release, control=control, quasi_identifiers=["age"], sensitive=["ill"]
        ),
    }[given]()
    idle = {"known-records", "linkability", "similarity", "minimality", "intersection"}
    assert {one.type for one in found if not one.attempts} == idle
    counted = {one.type: one.attempts for one in found if one.attempts}
    # Predicates, persons with a generalized cell, and persons whose values nobody shares.
    for one in ("singling-out", "downcoding", "unique-exact-matches"):
        counted.pop(one, None)
    assert set(counted.values()) == {100}
    if given != "policy":
        assert found["minimality"].reason.startswith("persons have several records")


def test_without_their_identifier_persons_cannot_be_attacked():
    """An original or a control without the column that persons are counted by is refused."""
    table, asked = visits()
    release = ka.anonymize(table, asked)
    with pytest.raises(ka.SchemaError, match="the control has no column 'pid', by which"):
        ka.attack(table, release, control=table.drop("pid"))
    with pytest.raises(ka.SchemaError, match="the original has no column 'pid', by which"):
        ka.attack(table.drop("pid"), release.frame, asked)


def test_an_identifier_of_one_record_each_changes_nothing():
    """Persons of one record are attacked as records are; only what an attempt is about differs."""
    table = few(60).with_columns(pid=pl.int_range(pl.len()))
    attributes = {
        "pid": ka.Identifier(),
        "age": ka.QuasiIdentifier(),
        "rooms": ka.QuasiIdentifier(),
        "disease": ka.Sensitive(),
    }
    first, second = (
        ka.attack(
            table, ka.anonymize(table, ka.Policy(attributes=attributes, models=[model], seed=1))
        )
        for model in (ka.KAnonymity(3), ka.KAnonymity(3, entity="pid"))
    )
    assert {one.unit for one in first} == {"record", "record-cells", "description", "decision"}
    alike, others = (
        [replace(one, unit="") for one in each if one.type != "minimality"]
        for each in (first, second)
    )
    assert alike == others


# --- controls that hold people of the original ------------------------------------------


def test_a_control_with_an_identifier_of_the_original_is_refused():
    """How many values both tables have is told, and none of them."""
    table, asked = visits()
    release = ka.anonymize(table, asked)
    control = pl.concat([visits(seed=1)[0], table[:6]])
    with pytest.raises(ka.DataError, match="2 of the control's 102 values of 'pid' are in"):
        ka.attack(table, release, control=control)


def test_people_may_have_one_name():
    """An identifier that records of the original share does not make two people one."""
    table = people(60).with_columns(name=pl.lit("Ann"))
    named = ka.Policy(
        attributes={"name": ka.Identifier(), "age": ka.QuasiIdentifier()},
        models=[ka.KAnonymity(2)],
        others="insensitive",
    )
    others = people(60, 1).with_columns(name=pl.lit("Ann"))
    ka.attack(table, ka.anonymize(table, named), control=others, attacks=["linkage"])
    unique = table.with_columns(name=pl.format("Ann {}", pl.int_range(pl.len())))
    with pytest.raises(ka.DataError, match="1 of the control's 1 values of 'name'"):
        ka.attack(
            unique,
            ka.anonymize(unique, named),
            control=others.with_columns(name=pl.lit("Ann 3")),
            attacks=["linkage"],
        )


@pytest.mark.parametrize(("shared", "told"), [(0, False), (30, True), (200, True)])
def test_a_control_with_records_of_the_original_is_told(shared, told):
    """A note counts records that are equal, where they are more than the original's own."""
    table, others = people(200).drop("cost"), people(400, 1).drop("cost")
    found = ka.attack(
        table,
        released(table, 3, sensitive=["disease"]),
        control=pl.concat([table[:shared], others[: 200 - shared]]),
        quasi_identifiers=KNOWN,
        sensitive=["disease"],
        attacks=["homogeneity"],
    )
    assert any("equal in all columns" in note for note in found.notes) == told
    assert not told or "of the control's 200 records" in found.notes[0]


def test_equal_records_alone_are_no_overlap():
    """In a table of few values other people are equal to those of the original by chance."""
    random = np.random.default_rng(0)
    table, control = (
        pl.DataFrame({"age": random.integers(0, 3, 300), "ill": random.choice(["a", "b"], 300)})
        for _ in range(2)
    )
    found = ka.attack(table, table, control=control, quasi_identifiers=["age"], attacks=["linkage"])
    assert found.notes == ()
