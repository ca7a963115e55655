"""What takes the green off: rows of one person, amounts, hollow classes, empty requirements."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka

N = 120
VISITS = pl.DataFrame(
    {
        "patient_id": [1000 + 37 * i % N // 3 for i in range(N)],
        "age": [20 + i % 40 for i in range(N)],
        "disease": [("flu", "cold", "burn", "gout")[(i + i // 40) % 4] for i in range(N)],
        "salary": [30_000 + 37 * i for i in range(N)],
    }
)
ROLES = {"patient_id": ka.Identifier(), "age": ka.QuasiIdentifier(), "disease": ka.Sensitive()}
K, L = ka.KAnonymity(4), ka.LDiversity("disease", l=2)


def policy(*models, roles=ROLES, **options):
    """Return a policy over the visits without their salary."""
    return ka.Policy(attributes=roles, models=list(models), **options)


def kinds(found):
    """Return the kinds of warnings."""
    return [one.kind for one in found.findings]


# --- several rows of one person -------------------------------------------------------


def test_a_repeated_identifier_takes_the_green_off():
    """Without a decision in the policy k counts rows, and the release says so."""
    found = ka.anonymize(VISITS.drop("salary"), policy(K, L)).verification
    assert (found.satisfied, found.verdict) == (True, "satisfied with findings")
    (warning,) = found.findings
    assert (warning.kind, warning.columns) == ("repeated-identifier", ("patient_id",))
    assert warning.counts == {"values": 40, "records": N}
    assert "entity: patient_id" in warning.message
    assert "rows: persons" in warning.message


def test_the_policy_may_say_that_rows_are_persons():
    """With the decision the same release is green."""
    found = ka.anonymize(VISITS.drop("salary"), policy(K, L, rows="persons")).verification
    assert found.verdict == "satisfied"


def test_the_policy_may_count_persons():
    """With an entity the same table is green, for k is one of persons."""
    asked = policy(ka.KAnonymity(4, entity="patient_id"), L)
    assert ka.anonymize(VISITS.drop("salary"), asked).verification.verdict == "satisfied"


def test_both_decisions_exclude_each_other():
    """Rows that are persons have no entity."""
    with pytest.raises(ka.PolicyError, match="rows: is 'persons', but k-anonymity counts"):
        policy(ka.KAnonymity(4, entity="patient_id"), rows="persons")


def test_an_unknown_kind_of_rows_is_refused():
    """`rows` has one word."""
    with pytest.raises(ka.PolicyError, match="rows"):
        policy(K, rows="visits")


def test_who_the_persons_are_is_stated_and_never_assumed():
    """An identifier that differs in every row is no finding, and persons are not assessed."""
    table = VISITS.drop("salary").with_columns(patient_id=pl.int_range(N))
    found = ka.anonymize(table, policy(K, L)).verification
    assert (found.verdict, found.findings) == ("not assessed", ())
    assert {one.name: one.verdict for one in found.parts} == {
        "identity": "checked",
        "attributes": "checked",
        "persons": "not assessed",
    }
    assert "rows: persons" in found.parts[2].rests_on


def test_without_a_sensitive_attribute_attributes_are_not_assessed():
    """Nothing says what must not be learned, so nobody looked."""
    roles = {name: one for name, one in ROLES.items() if name != "disease"}
    table = VISITS.select("patient_id", "age")
    found = ka.anonymize(table, policy(K, roles=roles, rows="persons")).verification
    assert (found.verdict, found.parts[1].verdict) == ("not assessed", "not assessed")


@pytest.mark.parametrize("role", [ka.Insensitive(), ka.QuasiIdentifier()])
def test_a_column_that_looks_like_an_identifier_is_checked_too(role):
    """A number of patients that nobody declared an identifier repeats as well."""
    asked = policy(K, L, roles={**ROLES, "patient_id": role})
    warning = ka.anonymize(VISITS.drop("salary"), asked).verification.findings[0]
    assert warning.kind == "repeated-identifier"
    assert "make it an identifier" in warning.message


def test_a_table_without_its_identifier_is_not_assessed():
    """Verification of a release that lacks the identifier cannot see who has several rows."""
    release = ka.anonymize(VISITS.drop("salary"), policy(K, L))
    assert ka.verify(release.frame, policy(K, L)).verdict == "not assessed"
    assert kinds(ka.verify(release.frame, policy(K, L), original=VISITS.drop("salary"))) == [
        "repeated-identifier"
    ]
    assert ka.verify(release.frame, policy(K, L, rows="persons")).verdict == "satisfied"


def test_messages_show_no_value():
    """Numbers and names of columns, and no value of a person."""
    asked = policy(ka.KAnonymity(4), roles={**ROLES, "salary": ka.Insensitive()})
    told = " ".join(one.message for one in ka.anonymize(VISITS, asked).verification.findings)
    for value in ("1000", "1039", "30,037", "30037", "gout"):
        assert value not in told


# --- sensitive attributes -------------------------------------------------------------


def test_a_sensitive_attribute_without_a_model_is_told():
    """k-anonymity alone lets a class share its secret."""
    found = ka.anonymize(VISITS.drop("salary"), policy(K, rows="persons")).verification
    assert kinds(found) == ["unprotected-sensitive"]
    assert found.findings[0].columns == ("disease",)


def test_a_sensitive_column_of_lists_is_released_and_told():
    """What cannot be counted is unprotected, too, and no error."""
    table = pl.DataFrame({"age": [1, 1, 2, 2], "notes": [[1], [2], [1], [3]]})
    roles = {"age": ka.QuasiIdentifier(), "notes": ka.Sensitive()}
    release = ka.anonymize(table, policy(ka.KAnonymity(2), roles=roles))
    assert kinds(release.verification) == ["unprotected-sensitive"]
    assert kinds(ka.verify(release.frame, release.policy)) == ["unprotected-sensitive"]


def test_the_worst_class_stands_beside_the_verdict():
    """The share of the commonest value is the largest over the classes, models or none."""
    table = pl.DataFrame(
        {"age": ["a"] * 4 + ["b"] * 6, "disease": ["flu"] * 3 + ["cold"] + ["flu", "cold"] * 3}
    )
    roles = {"age": ka.QuasiIdentifier(), "disease": ka.Sensitive()}
    (share,) = ka.verify(table, policy(ka.KAnonymity(2), roles=roles)).largest_shares
    assert (share.attribute, share.share, share.records) == ("disease", 0.75, 4)
    assert share.table_share == 0.6


def hollow(n, others):
    """Return a verification of a class of n records of which all but some share a value."""
    disease = ["flu"] * (n - others) + ["cold"] * others
    table = pl.DataFrame(
        {"age": ["a"] * n + ["b"] * n, "disease": disease + ["cold", "gout"] * (n // 2)}
    )
    roles = {"age": ka.QuasiIdentifier(), "disease": ka.Sensitive()}
    return ka.verify(table, policy(ka.KAnonymity(2), L, roles=roles))


@pytest.mark.parametrize(("n", "others", "warned"), [(40, 2, True), (40, 4, False), (10, 1, False)])
def test_a_class_that_is_nearly_all_one_value_takes_the_green_off(n, others, warned):
    """From 95 % of a class on, guessing is wrong at most once in twenty."""
    found = hollow(n, others)
    assert found.satisfied
    assert kinds(found) == (["dominant-value"] if warned else [])


def test_a_class_like_the_whole_table_tells_nothing():
    """What nearly all records of the table share is known without the class."""
    table = pl.DataFrame(
        {"age": ["a"] * 40 + ["b"] * 40, "disease": (["flu"] * 38 + ["cold"] * 2) * 2}
    )
    roles = {"age": ka.QuasiIdentifier(), "disease": ka.Sensitive()}
    assert kinds(ka.verify(table, policy(ka.KAnonymity(2), L, roles=roles))) == []


# --- amounts --------------------------------------------------------------------------


@pytest.mark.parametrize("role", [ka.Insensitive(), ka.Sensitive()])
def test_an_amount_that_one_person_has_is_told(role):
    """A salary that is released as it is names its owner."""
    asked = policy(K, L, roles={**ROLES, "salary": role}, rows="persons")
    warnings = {one.kind: one for one in ka.anonymize(VISITS, asked).verification.findings}
    assert warnings["identifying-amount"].columns == ("salary",)
    assert warnings["identifying-amount"].counts == {"records": N}


@pytest.mark.parametrize(
    "salary",
    [
        pl.Series([30_000 + 1000 * (i % 15) for i in range(N)]),
        pl.Series([30_000 + 1000 * (i // 4) for i in range(N)]),
    ],
    ids=["few values", "no value of one person"],
)
def test_amounts_that_several_have_are_no_names(salary):
    """Twenty values are categories, and a value of four records names nobody."""
    asked = policy(K, L, roles={**ROLES, "salary": ka.Insensitive()}, rows="persons")
    found = ka.anonymize(VISITS.with_columns(salary=salary), asked).verification
    assert "identifying-amount" not in kinds(found)


def test_numbers_as_text_are_amounts():
    """A CSV of texts has the same amounts."""
    asked = policy(K, L, roles={**ROLES, "salary": ka.Insensitive()}, rows="persons")
    table = VISITS.with_columns(pl.col("salary").cast(pl.String))
    assert kinds(ka.anonymize(table, asked).verification) == ["identifying-amount"]


def test_a_value_of_one_person_in_several_rows_has_one_owner():
    """With an entity the owners of an amount are persons, not rows."""
    owner = pl.when(pl.col("patient_id") < 1030).then("patient_id").otherwise(0)
    table = VISITS.with_columns(salary=30_000 + owner * 11)
    asked = policy(
        ka.KAnonymity(4, entity="patient_id"), L, roles={**ROLES, "salary": ka.Insensitive()}
    )
    (warning,) = ka.anonymize(table, asked).verification.findings
    assert (warning.kind, warning.counts["records"]) == ("identifying-amount", 30)


# --- free text --------------------------------------------------------------------------


@pytest.mark.parametrize("role", [ka.Insensitive, ka.Sensitive])
@pytest.mark.parametrize("scrubbed", [True, False])
def test_free_text_is_told_scrubbed_or_not(role, scrubbed):
    """Sentences may name anybody, whatever was replaced in them: the verdict warns."""
    notes = [f"Visit {i}: Mrs Quill came with pain in the left knee again" for i in range(N)]
    action = ka.actions.ScrubText() if scrubbed else None
    asked = policy(K, L, roles={**ROLES, "salary": role(action=action)}, rows="persons")
    found = ka.anonymize(VISITS.with_columns(salary=pl.Series(notes)), asked).verification
    (warning,) = [one for one in found.findings if one.kind == "free-text"]
    assert warning.counts == {"scrubbed": int(scrubbed)}
    assert "identifying-amount" not in kinds(found)


# --- requirements that ask nothing ----------------------------------------------------


@pytest.mark.parametrize(
    "models",
    [
        [ka.KAnonymity(1)],
        [ka.TCloseness("disease", t=1)],
        [ka.LDiversity("disease", l=1)],
        [ka.models.AlphaKAnonymity(1, 1, "disease")],
        [ka.models.BetaLikeness("disease", beta=1000)],
        [ka.models.DeltaDisclosure("disease", delta=1000)],
        [ka.models.AverageRisk(1)],
        [ka.models.SampleUniqueness(1)],
    ],
    ids=lambda models: models[0].type,
)
def test_models_that_allow_everything_require_nothing(models):
    """Where classes of one record would do, no verdict is green, and the models are named."""
    table = VISITS.select("age", "disease")
    roles = {"age": ka.QuasiIdentifier(), "disease": ka.Sensitive()}
    found = ka.verify(table, policy(*models, roles=roles))
    assert found.verdict == "nothing required"
    assert "trivial-model" in kinds(found)


def test_a_model_that_asks_something_is_not_trivial():
    """One record tells more than k = 2, l = 2, t = 0.5 and α = 0.9 allow."""
    table = ka.anonymize(
        VISITS.select("age", "disease"), quasi_identifiers=["age"], sensitive=["disease"], k=8, l=2
    ).frame
    roles = {"age": ka.QuasiIdentifier(), "disease": ka.Sensitive()}
    models = [
        ka.KAnonymity(2),
        L,
        ka.TCloseness("disease", t=0.5),
        ka.models.AlphaKAnonymity(0.9, 2, "disease"),
    ]
    found = ka.verify(table, policy(*models, roles=roles, rows="persons"))
    assert not any(one.trivial for one in found.checks)
    assert found.verdict == "satisfied"


def test_half_of_a_model_that_asks_nothing_is_told():
    """(α, k)-anonymity with α = 1 is k-anonymity: the attribute is not protected."""
    roles = {"age": ka.QuasiIdentifier(), "disease": ka.Sensitive()}
    release = ka.anonymize(
        VISITS.select("age", "disease"),
        policy(ka.models.AlphaKAnonymity(1, 4, "disease"), roles=roles),
    )
    assert release.verification.verdict == "satisfied with findings"
    assert "trivial-model" in kinds(release.verification)


def test_what_must_be_less_than_required_is_shown_so():
    """Of recursive l-diversity, c itself is too much; other models allow what is required."""
    table = pl.DataFrame({"age": [1] * 3, "disease": ["flu", "flu", "cold"]})
    roles = {"age": ka.QuasiIdentifier(), "disease": ka.Sensitive()}
    recursive = ka.LDiversity("disease", l=2, kind="recursive", c=2)
    found = ka.verify(table, policy(K, recursive, roles=roles))
    assert [one.strict for one in found.checks] == [False, True]
    assert (found.checks[1].achieved, found.checks[1].satisfied) == (2, False)
    assert "< 2" in str(found.tables()[0].rows)


def test_a_release_without_a_record_is_not_assessed():
    """Nothing was checked where nothing was released: no part is assessed."""
    table = VISITS.select("age", "disease").clear()
    roles = {"age": ka.QuasiIdentifier(), "disease": ka.Sensitive()}
    found = ka.verify(table, policy(K, L, roles=roles))
    assert (found.verdict, kinds(found)) == ("not assessed", ["no-records"])
    assert {one.verdict for one in found.parts} == {"not assessed"}


# --- what keeps refusals from those who know the algorithm ------------------------------


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"algorithm": ka.Mondrian()}, "is left to chance"),
        ({"algorithm": ka.Mondrian(), "minimality": "none"}, "is not hidden"),
        ({"algorithm": ka.Mondrian(strict=False)}, "is not hidden"),
        ({"algorithm": ka.Segmentation()}, "is left to chance"),
    ],
)
def test_the_part_attributes_says_whether_refusals_are_hidden(options, says):
    """A release says by which defence; the released values alone do not show one."""
    asked = policy(K, L, **options)
    release = ka.anonymize(VISITS.drop("salary"), asked)
    assert says in release.verification.parts[1].rests_on
    assert "refused" not in ka.verify(release.frame, asked).parts[1].rests_on
    by_size = ka.anonymize(VISITS.drop("salary"), policy(K, **options)).verification
    assert "refused" not in by_size.parts[1].rests_on


def test_segmentation_hides_refusals_of_distinct_l_diversity_alone():
    """For models that a class may fail although it has grown, no bound is derived."""
    entropy = ka.LDiversity("disease", l=1.1, kind="entropy")
    for algorithm, hidden in ((ka.Segmentation(), False), (ka.LocalRecoding(), True)):
        assert policy(K, entropy, algorithm=algorithm).hides_refusals == hidden
        assert policy(K, L, algorithm=algorithm).hides_refusals
