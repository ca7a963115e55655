"""One value in several spellings is one value, whatever a model counts."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.columns.spellings import one_spelling

AGES = [20 + i // 6 for i in range(120)]
ROLES = {"age": ka.QuasiIdentifier(), "disease": ka.Sensitive()}


def verified(diseases, *models, roles=ROLES):
    """Return what verification says of classes of six records with these diseases."""
    table = pl.DataFrame({"age": AGES, "disease": list(diseases) * (120 // len(diseases))})
    return ka.verify(table, ka.Policy(attributes=roles, models=list(models), rows="persons"))


def spelled(found):
    """Return the columns and counts of warnings of spellings."""
    return [(one.columns, dict(one.counts)) for one in found.findings if one.kind == "spellings"]


@pytest.mark.parametrize(
    "diseases",
    [
        ("flu", "Flu", "FLU "),
        ("flu", "unknown", "N/A"),
        ("flu", None, "n/a"),
        ("hay fever", "hay\u00a0 fever", "Hay Fever"),
        ("caf\u00e9", "cafe\u0301", "CAF\u00c9"),
    ],
)
def test_diversity_by_spelling_alone_takes_the_green_off(diseases):
    """Three spellings satisfy l = 3 as values, and do not as what they say."""
    found = verified(diseases, ka.LDiversity("disease", l=3))
    assert (found.satisfied, found.verdict) == (True, "satisfied with findings")
    ((columns, counts),) = spelled(found)
    assert columns == ("disease",)
    assert counts["values"] == 3 > counts["different"]


def test_spellings_are_no_matter_where_the_models_hold_without_them():
    """A column may have two spellings of a value in classes that are diverse anyway."""
    diseases = ("flu", "Flu", "cold", "burn", "gout", "mumps")
    assert not spelled(verified(diseases, ka.LDiversity("disease", l=3)))


def test_a_violated_model_is_violated_and_not_warned_of():
    """Spellings are asked about only where the values as they are satisfy a model."""
    found = verified(("flu", "Flu"), ka.LDiversity("disease", l=3))
    assert found.verdict == "violated"
    assert not spelled(found)


def test_a_hierarchy_declares_the_values():
    """Labels of a declared hierarchy are values of their own."""
    tree = ka.hierarchy.from_mapping({"flu": "*", "Flu": "*", "FLU": "*"})
    roles = {**ROLES, "disease": ka.Sensitive(tree)}
    assert not spelled(verified(("flu", "Flu", "FLU"), ka.LDiversity("disease", l=3), roles=roles))


def test_a_release_is_warned_of_when_it_is_made():
    """What `anonymize` returns has the warning, as `verify` of its table has."""
    table = pl.DataFrame({"age": AGES, "disease": ["flu", "Flu", "FLU"] * 40})
    release = ka.anonymize(
        table, quasi_identifiers=["age"], sensitive=["disease"], k=3, l=3, rows="persons"
    )
    assert spelled(release.verification) == [(("disease",), {"values": 3, "different": 1})]


def test_values_that_read_alike_become_equal_and_others_stay_apart():
    """Case, spaces and Unicode forms go; accents and signs stay."""
    texts = pl.Series(["Flu", " flu", None, "N.A.", "caf\u00e9", "cafe", "non-smoker"])
    assert one_spelling(texts).to_list() == [
        *("flu", "flu", None, None, "caf\u00e9", "cafe", "non-smoker")
    ]
