"""Equal rows of a person are released once: what is equal, what is counted, what follows."""

from __future__ import annotations

import json

import polars as pl
import pytest

from kanonym.data.errors import PolicyError, SchemaError
from kanonym.linked import LinkedPolicy, anonymize, verify
from kanonym.reporting import report_linked

from .conftest import hospital, hospital_form

KEPT = {"role": "insensitive"}
STAYS = hospital_form()["tables"]["admissions"]


def merging(**changes):
    """Return the policy of the worked hospital in which equal admissions are merged."""
    admissions = {**STAYS, "merge": True, **changes.pop("admissions", {})}
    return LinkedPolicy.from_dict(hospital_form(admissions=admissions, **changes))


def costly(costs):
    """Return the worked hospital, with what each admission cost."""
    tables = hospital()
    stays = tables["admissions"].with_columns(cost=pl.Series(costs, dtype=pl.Int64))
    return {**tables, "admissions": stays}


@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
def test_rows_that_differ_in_a_released_value_stay(role):
    """Rows that are equal but for a sensitive or insensitive value are not merged."""
    attributes = {**STAYS["attributes"], "cost": {"role": role}}
    policy = merging(admissions={"attributes": attributes}, suppression_limit=0.5)
    release = anonymize(costly(range(12)), policy)
    assert release.merged["admissions"].rows == 0
    same = anonymize(costly([1] * 12), policy)
    assert same.rows_out["admissions"] == 8
    dropped = {**STAYS["attributes"], "cost": {"role": "identifier"}}
    assert anonymize(costly(range(12)), merging(admissions={"attributes": dropped})).merged[
        "admissions"
    ] == (4, 8, 0)


def test_rows_below_a_merged_row_belong_to_the_one_that_stays():
    """Eight of twelve admissions stay with all thirteen diagnoses of the same persons."""
    release = anonymize(hospital(), merging())
    assert dict(release.rows_out) == {"patients": 8, "admissions": 8, "diagnoses": 13}
    stays = release.frames["admissions"].join(release.frames["diagnoses"], on="admission")
    codes = sorted(tuple(sorted(one)) for one in stays.group_by("patient").agg("icd10")["icd10"])
    assert codes == sorted(
        tuple(one.split())
        for one in ("E11 I21 I21", "I21 I21", "I21", "K35", "K35", "K35 K35 K40", "O80", "O80")
    )


def test_merged_rows_are_counted_in_every_account(tmp_path):
    """Release, JSON, report and manifest say how many rows were merged, and that no value went."""
    release = anonymize(hospital(), merging())
    counted = {"rows": 4, "different": 8, "lost": 0}
    assert release.merged["admissions"]._asdict() == counted
    assert release.to_dict()["tables"]["admissions"]["merged"] == counted
    assert "merged" not in release.to_dict()["tables"]["diagnoses"]
    release.manifest(tmp_path / "m.json", {})
    told = json.loads((tmp_path / "m.json").read_text("utf-8"))
    assert told["tables"]["admissions"]["merged"] == counted
    for language, sentence in (
        ("en", "Of 8 different rows of persons, 0 were lost"),
        ("es", "De 8 filas distintas de personas se perdieron 0"),
    ):
        report_linked(release, tmp_path / "r.md", facts={}, language=language)
        assert sentence in (tmp_path / "r.md").read_text("utf-8")


def test_references_to_a_merged_row_lead_to_the_one_that_stays():
    """A letter of another patient about a merged admission is about the one that stands for it."""
    letters = {
        "references": {"writer": "patients", "admission": "admissions"},
        "owner": "writer",
        "rows": "unknown",
        "attributes": {"admission": KEPT},
    }
    form = dict(merging().form)
    policy = LinkedPolicy.from_dict({**form, "tables": {**form["tables"], "letters": letters}})
    written = pl.DataFrame({"writer": ["p8", "p8", "p8"], "admission": ["a08", "a09", "a10"]})
    release = anonymize({**hospital(), "letters": written}, policy)
    assert release.frames["letters"]["admission"].n_unique() == 1
    followed = release.frames["letters"].join(release.frames["admissions"], on="admission")
    assert followed["ward"].to_list() == ["surgery"] * 3


def test_rows_that_a_key_below_needs_stay_apart():
    """Admissions are not merged where rows below would then have one key."""
    diagnoses = {"key": ["admission", "icd10"], "attributes": {"icd10": KEPT}}
    release = anonymize(hospital(), merging(diagnoses=diagnoses, suppression_limit=0.5))
    assert release.merged["admissions"].rows == 0
    found = release.frames["diagnoses"]
    assert found.n_unique() == found.height


def test_keys_that_others_can_follow_are_values():
    """Rows whose key is released as it is, or by a keyed hash, are different rows."""
    attributes = {**STAYS["attributes"], "admission": KEPT}
    policy = merging(admissions={"attributes": attributes}, suppression_limit=0.5)
    assert anonymize(hospital(), policy).merged["admissions"].rows == 0


def test_a_key_that_refers_to_rows_that_go_is_refused():
    """A key cannot become empty: the message says which key, and what to do."""
    met = {
        "key": ["patient", "other"],
        "references": {"patient": "patients", "other": "patients"},
        "owner": "patient",
        "rows": "unknown",
        "attributes": {"other": KEPT},
    }
    form = hospital_form(suppression_limit=0.5)
    policy = LinkedPolicy.from_dict({**form, "tables": {**form["tables"], "met": met}})
    pairs = pl.DataFrame({"patient": ["p1", "p2"], "other": ["p3", "p3"]})
    with pytest.raises(PolicyError, match=r"met\.other is in a key and refers to rows of patients"):
        anonymize({**hospital(), "met": pairs}, policy)


@pytest.mark.parametrize("banded", ["admissions", "diagnoses"])
def test_models_of_banded_tables_are_refused(banded):
    """A model about a column that `band` does not release is a fault of the policy."""
    alpha = {"type": "alpha-k-anonymity", "alpha": 0.9, "k": 2, "attribute": "diagnoses.icd10"}
    with pytest.raises(PolicyError, match=r"'diagnoses\.icd10' is not released: band"):
        LinkedPolicy.from_dict(hospital_form(models=[alpha], **{banded: {"band": 2}}))


def test_a_release_without_a_column_that_a_model_is_about_is_refused():
    """Verification names the table and the column that it lacks."""
    alpha = {"type": "alpha-k-anonymity", "alpha": 0.9, "k": 2, "attribute": "diagnoses.icd10"}
    tables = hospital()
    tables["diagnoses"] = tables["diagnoses"].drop("icd10")
    with pytest.raises(SchemaError, match="diagnoses has no column 'icd10', which a model is"):
        verify(tables, LinkedPolicy.from_dict(hospital_form(models=[alpha])))
