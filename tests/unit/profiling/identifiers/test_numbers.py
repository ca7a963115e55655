"""Numbers with check digits: found where they are, and nowhere else."""

from __future__ import annotations

import importlib
import random
import string

import polars as pl
import pytest

from kanonym.profiling.identifiers import find_identifiers
from kanonym.profiling.identifiers.check_digits import SCHEMES, is_evidence, pass_rate_by_chance

N = 60
DIGITS = string.digits


def digits(rng, count):
    """Return random digits."""
    return "".join(rng.choices(DIGITS, k=count))


def day(rng, form):
    """Return a day of birth as digits, as %d%m%y or another form says."""
    parts = {
        "d": f"{rng.randint(1, 28):02d}",
        "m": f"{rng.randint(1, 12):02d}",
        "y": f"{rng.randint(50, 99)}",
        "Y": f"19{rng.randint(50, 99)}",
    }
    return "".join(parts[letter] for letter in form)


def italian(rng):
    """Return a fiscal code but for its last letter."""
    name = "".join(rng.choices("BCDFGLMNPRST", k=6))
    return f"{name}{rng.randint(40, 99)}{rng.choice('ABCDEHLMPRST')}{rng.randint(1, 28):02d}H501"


def german(rng):
    """Return ten digits of which one comes twice and another is missing."""
    several = rng.sample(DIGITS, 9)
    several.append(several[rng.randrange(1, 9)])
    rng.shuffle(several)
    return "".join(several)


# Module of python-stdnum, a number without its end, and what can stand at its end.
TWO = [f"{number:02d}" for number in range(100)]
MAKERS = {
    "at.vnr": (lambda r: f"{r.randint(100, 999)}?{day(r, 'dmy')}", DIGITS),
    "be.nn": (lambda r: day(r, "ymd") + digits(r, 3), TWO),
    "bg.egn": (lambda r: day(r, "ymd") + digits(r, 3), DIGITS),
    "br.cpf": (lambda r: digits(r, 9), TWO),
    "ca.sin": (lambda r: "4" + digits(r, 7), DIGITS),
    "ch.ssn": (lambda r: "756" + digits(r, 9), DIGITS),
    "cl.rut": (lambda r: "1" + digits(r, 7), DIGITS + "K"),
    "cn.ric": (lambda r: "110101" + day(r, "Ymd") + digits(r, 3), DIGITS + "X"),
    "cz.rc": (lambda r: day(r, "ymd") + digits(r, 3), DIGITS),
    "de.idnr": (german, DIGITS),
    "ee.ik": (lambda r: r.choice("34") + day(r, "ymd") + digits(r, 3), DIGITS),
    "es.nif": (lambda r: digits(r, 8), string.ascii_uppercase),
    "fi.hetu": (
        lambda r: day(r, "dmy") + "-" + str(r.randint(100, 899)),
        DIGITS + "ABCDEFHJKLMNPRSTUVWXY",
    ),
    "fr.nir": (lambda r: r.choice("12") + day(r, "ym") + "75" + digits(r, 6), TWO),
    "gb.nhs": (lambda r: "4" + digits(r, 8), DIGITS),
    "gr.amka": (lambda r: day(r, "dmy") + digits(r, 4), DIGITS),
    "hr.oib": (lambda r: digits(r, 10), DIGITS),
    "ie.pps": (lambda r: digits(r, 7), string.ascii_uppercase),
    "il.idnr": (lambda r: digits(r, 8), DIGITS),
    "in_.aadhaar": (lambda r: "3" + digits(r, 10), DIGITS),
    "is_.kennitala": (lambda r: day(r, "dmy") + digits(r, 2), [f"{d}9" for d in DIGITS]),
    "it.codicefiscale": (italian, string.ascii_uppercase),
    "jp.in_": (lambda r: digits(r, 11), DIGITS),
    "kr.rrn": (lambda r: day(r, "ymd") + r.choice("12") + digits(r, 5), DIGITS),
    "nl.bsn": (lambda r: "2" + digits(r, 7), DIGITS),
    "no.fodselsnummer": (lambda r: day(r, "dmy") + digits(r, 3), TWO),
    "pl.pesel": (lambda r: day(r, "ymd") + digits(r, 4), DIGITS),
    "pt.cc": (lambda r: digits(r, 9) + r.choice(["ZZ", "ZY"]), DIGITS),
    "ro.cnp": (lambda r: r.choice("12") + day(r, "ymd") + "12" + digits(r, 3), DIGITS),
    "se.personnummer": (lambda r: day(r, "ymd") + digits(r, 3), DIGITS),
    "si.emso": (lambda r: day(r, "dm") + "9" + day(r, "y") + "50" + digits(r, 3), DIGITS),
    "th.pin": (lambda r: "1" + digits(r, 11), DIGITS),
    "tr.tckimlik": (lambda r: str(r.randint(1, 9)) + digits(r, 8), TWO),
    "za.idnr": (lambda r: day(r, "ymd") + digits(r, 4) + "08", DIGITS),
    "mx.curp": (lambda r: "BADD" + day(r, "ymd") + "HCMLNS", [f"0{d}" for d in DIGITS]),
    "iban": (str, ()),
    "luhn": (lambda r: "4" + digits(r, 14), DIGITS),
    "imei": (lambda r: "35" + digits(r, 12), DIGITS),
}


def iban(rng):
    """Return a British IBAN."""
    account = "NWBK" + digits(rng, 14)
    whole = int("".join(str(int(letter, 36)) for letter in account + "GB00"))
    return f"GB{98 - whole % 97:02d}{account}"


def valid_numbers(module, count=N, seed=1):
    """Return different valid numbers of one scheme, made with the library that checks them."""
    rng, made = random.Random(seed), set()  # noqa: S311 - made-up numbers
    passes = importlib.import_module(f"stdnum.{module}").is_valid
    start, ends = MAKERS[module]
    for _ in range(500 * count):
        if module == "iban":
            made.add(iban(rng))
        else:
            begun = start(rng)
            each = (begun.replace("?", end) if "?" in begun else begun + end for end in ends)
            made.update([number for number in each if passes(number)][:1])
        if len(made) == count:
            return sorted(made)
    raise AssertionError(module)


def with_wrong_end(numbers, place=-1):
    """Return numbers with the next sign in one place, that of the check digit."""
    after = str.maketrans(DIGITS + string.ascii_uppercase, "1234567890BCDEFGHIJKLMNOPQRSTUVWXYZA")
    texts = [list(number) for number in numbers]
    for text in texts:
        text[place] = text[place].translate(after)
    return ["".join(text) for text in texts]


@pytest.mark.parametrize("module", MAKERS)
def test_numbers_with_a_check_digit_are_found_by_their_values(module):
    """Sixty valid numbers in a column of no telling name are claimed, shuffled digits are few."""
    findings = find_identifiers(pl.Series("v", valid_numbers(module)))
    kinds = {"iban": "IBAN", "luhn": "card number", "imei": "device identifier"}
    assert findings[0].kind == kinds.get(module, "national number")
    assert findings[0].by == "values"
    assert findings[0].share == 1.0
    assert "shuffled" in findings[0].evidence


@pytest.mark.parametrize("module", MAKERS)
def test_near_misses_are_no_such_numbers(module):
    """The same numbers with a wrong last sign are claimed by no scheme."""
    place = -2 if module == "is_.kennitala" else -1  # a century stands behind its check digit
    findings = find_identifiers(pl.Series("v", with_wrong_end(valid_numbers(module), place)))
    assert {finding.kind for finding in findings} <= {"record number", "phone number"}


def test_every_scheme_with_a_check_digit_is_made_here():
    """No scheme is without its test; those without a check digit are tested by their form."""
    checked = {scheme.module for scheme in SCHEMES if scheme.written is None}
    assert checked == set(MAKERS)


def test_numbers_of_the_united_states_are_told_by_their_hyphens():
    """A social security number has no check digit: with hyphens it is one, bare it is not."""
    rng = random.Random(2)  # noqa: S311
    parts = [
        (rng.randint(100, 600), rng.randint(10, 99), rng.randint(1000, 9999)) for _ in range(N)
    ]
    written = pl.Series("v", [f"{a}-{b}-{c}" for a, b, c in parts])
    bare = pl.Series("v", [f"{a}{b}{c}" for a, b, c in parts])
    (finding,) = find_identifiers(written)
    assert (finding.kind, finding.safe_harbor[:3]) == ("social security number", "(G)")
    assert all(finding.kind != "social security number" for finding in find_identifiers(bare))
    assert find_identifiers(bare.alias("ssn"))[0].by == "both"


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda r: f"AB {digits(r, 2)} {digits(r, 2)} {digits(r, 2)} {r.choice('ABCD')}", "NINO"),
        (lambda r: f"{day(r, 'dmy')}-{digits(r, 4)}", "CPR"),
    ],
)
def test_other_numbers_without_a_check_digit_are_told_by_how_they_are_written(make, kind):
    """British and Danish numbers are claimed with their blanks and hyphens."""
    rng = random.Random(3)  # noqa: S311
    (finding,) = find_identifiers(pl.Series("v", [make(rng) for _ in range(N)]))
    assert finding.kind == "national number", kind


@pytest.mark.parametrize("module", ["nl.bsn", "pl.pesel", "luhn"])
def test_numbers_that_were_read_as_integers_are_found(module):
    """A reader of numbers takes leading zeros away; they are put back."""
    numbers = [int(number) for number in valid_numbers(module)]
    assert find_identifiers(pl.Series("v", numbers))[0].share >= 0.95


def test_numbers_with_separators_are_found():
    """Cards in groups of four and hyphens are cards."""
    cards = ["-".join((n[:4], n[4:8], n[8:12], n[12:])) for n in valid_numbers("luhn")]
    assert find_identifiers(pl.Series("v", cards))[0].kind == "card number"


def test_a_few_wrong_numbers_do_not_hide_the_others():
    """Of a hundred numbers four may be mistyped; of ten invalid ones the column is none."""
    numbers = valid_numbers("gb.nhs", 100)
    some = with_wrong_end(numbers[:4]) + numbers[4:]
    many = with_wrong_end(numbers[:10]) + numbers[10:]
    assert find_identifiers(pl.Series("v", some))[0].kind == "national number"
    assert all(f.kind != "national number" for f in find_identifiers(pl.Series("v", many)))


def test_a_name_asks_for_less():
    """Three valid numbers may be chance; in a column of that name they are national numbers."""
    numbers = valid_numbers("gb.nhs", 3)
    assert find_identifiers(pl.Series("v", numbers)) == ()
    (finding,) = find_identifiers(pl.Series("nhs_number", numbers))
    assert (finding.kind, finding.by) == ("national number", "both")


def test_any_digits_with_a_luhn_digit_are_numbers_of_records():
    """Ten digits that end in their Luhn digit are somebody's numbers, whoever gave them out."""
    luhn = importlib.import_module("stdnum.luhn")
    rng = random.Random(4)  # noqa: S311
    bodies = [f"{rng.randint(0, 10**9 - 1):09d}" for _ in range(N)]
    (finding,) = find_identifiers(
        pl.Series("v", [body + luhn.calc_check_digit(body) for body in bodies] * 2)
    )
    assert finding.kind == "record number"
    assert "Luhn" in finding.evidence


def test_chance_is_what_shuffled_digits_reach():
    """One of ten shuffled numbers ends in its Luhn digit, all are valid without a check."""
    luhn = importlib.import_module("stdnum.luhn")
    numbers = valid_numbers("luhn")
    assert pass_rate_by_chance(numbers, luhn.is_valid) == pytest.approx(0.1, abs=0.03)
    assert pass_rate_by_chance(numbers, str.isdigit) > 0.99
    assert pass_rate_by_chance(numbers, luhn.is_valid) == pass_rate_by_chance(
        numbers, luhn.is_valid
    )


def test_evidence_is_what_chance_does_not_explain():
    """Five values that pass one in eleven times are no evidence, six are."""
    assert not is_evidence(5, 1 / 11)
    assert is_evidence(6, 1 / 11)
    assert not is_evidence(10**6, 1.0)
