"""One value in several spellings is one value, whatever a model counts."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.columns.texts import one_spelling

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
    """Case, spaces, accents and Unicode forms go; other signs stay."""
    texts = pl.Series(["Flu", " flu", None, "N.A.", "caf\u00e9", "cafe", "non-smoker"])
    assert one_spelling(texts).to_list() == [
        *("flu", "flu", None, None, "cafe", "cafe", "non-smoker")
    ]


ONE_VALUE = {
    "case and spaces": ("flu", "Flu", " flu\u00a0"),
    "digits of other scripts": ("12", "١٢", "۱۲", "१२"),
    "zero-width characters": ("flu", "f\u200blu", "\ufeffflu", "flu\u200d"),
    "soft hyphens": ("flu", "fl\u00adu"),
    "letters of other scripts": (
        *("TOPE", "tope"),
        *("\u0422\u041e\u0420\u0415", "\u03a4\u039f\u03a1\u0395"),  # Cyrillic, Greek
    ),
    "letters of Cherokee and Lisu": (
        "trace",
        "\u13a2\u13d2\u13aa\u13df\u13ac",
        "\uab72\uaba2\uab7a\uabaf\uab7c",  # in lower case
        "\ua4d4\ua4e3\ua4ee\ua4da\ua4f0",
    ),
    "brackets and quotes": ("Bern", "(Bern)", "[bern]", '"Bern"', "'Bern'"),
    "thousands": ("1000", "1,000", "1.000", "1 000", "1'000", "1,000.00"),
    "millions": ("1234567", "1,234,567", "1.234.567", "1 234 567,0"),
    "decimals": ("1.25", "1.250", "1,25", "1,250"),
    "units": ("7", "7 kg", "7kg", "7.0 KG"),
    "a plural": ("1", "1 year", "1 years"),
    "percent": ("45", "45 %", "45%"),
    "ligatures and full width": ("flu", "\ufb02u", "\uff46\uff4c\uff55"),
    "accents": ("creme", "cr\u00e8me", "cre\u0300me", "CR\u00c8ME"),
    "letters with a stroke": ("Lodz", "\u0141\u00f3d\u017a"),
    "punctuation at the end": ("flu", "flu.", "flu,", "Flu !", "flu;"),
    "numbers": ("1", "1.0", "01", "+1", "1,0", "1."),
    "zero": ("0", "-0", "00", "0.0"),
    "dates": (
        *("2020-03-01", "1.3.2020", "01.03.2020", "1 March 2020", "Mar 1, 2020", "20200301"),
        *("2020/03/01", "01/03/2020", "2020-03-01T00:00:00", "2020-03-01 00:00"),
    ),
    "months before days": ("2020-03-31", "3/31/2020"),
    "words for none": (None, "unknown", "N/A", "?", "Unknown.", ""),
}


@pytest.mark.parametrize("spellings", ONE_VALUE.values(), ids=ONE_VALUE)
@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_spellings_of_one_value_are_found(spellings, dtype):
    """A class of l spellings of one value discloses it, whatever tells them apart."""
    least = len(spellings)
    n = 12 * least
    values = pl.Series(list(spellings) * 12, dtype=pl.String).cast(dtype)
    table = pl.DataFrame({"age": [20 + i // (6 * least) for i in range(n)], "disease": values})
    policy = ka.Policy(
        attributes={"age": ka.QuasiIdentifier(), "disease": ka.Sensitive()},
        models=[ka.KAnonymity(2), ka.LDiversity("disease", l=least)],
        rows="persons",
    )
    found = ka.verify(table, policy)
    assert found.satisfied
    assert spelled(found) == [(("disease",), {"values": least, "different": 1})]


@pytest.mark.parametrize(
    "texts",
    [
        ("HIV+", "HIV-"),
        ("B20.1", "B20.10", "B20"),
        ("<5", "5", "-5", "50", "0.5"),
        ("2020-01-03", "2020-03-01"),
        ("1-2", "2-1"),
        ("12345678901234567890", "12345678901234567891"),
        ("non-smoker", "smoker"),
        ("7 kg", "7 g"),
        ("7", "7 kg", "7 lb"),
        ("7a", "7"),
        ("(7)", "7"),
        ("1,000", "1,001", "2"),
        ("(a) or (b)", "a or b"),
    ],
)
def test_different_values_stay_apart(texts):
    """What a reader tells apart is not taken for one value."""
    assert one_spelling(pl.Series(texts)).n_unique() == len(texts)
