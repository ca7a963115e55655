"""Numbers of persons with check digits."""

from __future__ import annotations

import functools
import importlib
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from kanonym.kernels.arrays import Bools
from kanonym.profiling.identifiers.sample import Finding, Sample, finding_by_values, share_reason
from kanonym.profiling.reasons import Reason

DRAWS = 1_000
EVIDENCE = 6.0
"""A column is believed when chance explains it with a probability under ten to the minus this."""


def pass_rate_by_chance(numbers: Sequence[str], passes: Callable[[str], bool]) -> float:
    """Return the share of shuffled numbers that pass, estimated from above.

    At each position a character of that position is drawn from any of the numbers, so the shuffled
    ones have the same length, the same constant parts and the same digits in each place, but no
    check digit of their own. Numbers that are valid by their form alone then pass as often as the
    column does, those with a check digit one time in ten or less. The same numbers give the same
    share: the generator has a fixed seed.
    """
    length = Counter(map(len, numbers)).most_common(1)[0][0]
    letters = np.array([list(number) for number in numbers if len(number) == length])
    rng = np.random.default_rng(0)
    drawn = letters[rng.integers(len(letters), size=(DRAWS, length)), np.arange(length)]
    passed = sum(passes("".join(row)) for row in drawn.tolist())
    return (passed + 1) / (DRAWS + 2)


def is_evidence(passed: int, by_chance: float) -> bool:
    """Return whether so many different numbers cannot have passed by chance.

    Examples
    --------
    >>> is_evidence(20, 1 / 11), is_evidence(5, 1 / 11), is_evidence(2_000, 0.999)
    (True, False, False)
    """
    return -passed * math.log10(by_chance) >= EVIDENCE


# American Express, Diners, JCB, Mastercard (two ranges), Maestro, Discover, UnionPay, Visa.
_CARD = (
    r"3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|(?:2131|1800)\d{11}|5[1-5]\d{14}"
    r"|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|(?:5[06789]|6)\d{10,17}|4\d{12}(?:\d{3}){0,2}"
)


@dataclass(frozen=True, slots=True)
class Scheme:
    """How one authority makes its numbers."""

    kind: str
    title: str
    module: str
    form: re.Pattern[str] = field(repr=False)
    written: re.Pattern[str] | None = None
    telling: bool = False


def _national(module: str, title: str, form: str, written: str = "") -> Scheme:
    return Scheme(
        "national number", title, module, re.compile(form), re.compile(written) if written else None
    )


_DAY = r"(?:0[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0[1-9]|1[0-2])"

SCHEMES: tuple[Scheme, ...] = (
    Scheme("IBAN", "IBANs", "iban", re.compile(r"[A-Z]{2}\d\d[A-Z0-9]{11,30}"), telling=True),
    Scheme("card number", "payment card numbers", "luhn", re.compile(_CARD)),
    Scheme(
        "social security number",
        "US social security numbers",
        "us.ssn",
        re.compile(r"\d{9}"),
        re.compile(r"\d{3}-\d{2}-\d{4}"),
    ),
    _national("at.vnr", "Austrian insurance numbers", r"[1-9]\d{9}"),
    _national("be.nn", "Belgian national numbers", r"\d{11}"),
    _national("bg.egn", "Bulgarian civil numbers", r"\d{10}"),
    _national("br.cpf", "Brazilian CPF numbers", r"\d{11}"),
    _national("ca.sin", "Canadian social insurance numbers", r"[1-79]\d{8}"),
    _national("ch.ssn", "Swiss insurance numbers", r"756\d{10}"),
    _national("cl.rut", "Chilean RUT numbers", r"\d{7,8}[\dKk]"),
    _national("cn.ric", "Chinese resident identity numbers", r"[1-9]\d{16}[\dXx]"),
    _national("cz.rc", "Czech or Slovak birth numbers", r"\d{10}"),
    _national("de.idnr", "German tax identification numbers", r"[1-9]\d{10}"),
    _national(
        "dk.cpr", "Danish CPR numbers", rf"{_DAY}{_MONTH}\d{{6}}", rf"{_DAY}{_MONTH}\d\d-\d{{4}}"
    ),
    _national("ee.ik", "Estonian or Lithuanian personal codes", rf"[1-8]\d\d{_MONTH}{_DAY}\d{{4}}"),
    _national("es.nif", "Spanish DNI or NIE numbers", r"[\dXYZKLMxyzklm]\d{7}[A-Za-z]"),
    _national("fi.hetu", "Finnish personal codes", rf"{_DAY}{_MONTH}\d\d[+A-FU-Y]?\d{{3}}[0-9A-Y]"),
    _national("fr.nir", "French social security numbers", r"[1-478]\d{4}[\dAB]\d{9}"),
    _national("gb.nhs", "British NHS numbers", r"\d{10}"),
    _national("gr.amka", "Greek AMKA numbers", rf"{_DAY}{_MONTH}\d{{7}}"),
    _national("hr.oib", "Croatian OIB numbers", r"\d{11}"),
    _national("ie.pps", "Irish PPS numbers", r"\d{7}[A-Wa-w][ABHWTXabhwtx]?"),
    _national("il.idnr", "Israeli identity numbers", r"\d{9}"),
    _national("in_.aadhaar", "Indian Aadhaar numbers", r"[2-9]\d{11}"),
    _national("is_.kennitala", "Icelandic identity codes", rf"{_DAY}{_MONTH}\d{{6}}"),
    _national(
        "it.codicefiscale",
        "Italian fiscal codes",
        r"[A-Za-z]{6}[\dA-Za-z]{2}[A-Za-z][\dA-Za-z]{2}[A-Za-z][\dA-Za-z]{3}[A-Za-z]",
    ),
    _national("jp.in_", "Japanese individual numbers", r"\d{12}"),
    _national("kr.rrn", "Korean resident registration numbers", rf"\d\d{_MONTH}{_DAY}\d{{7}}"),
    _national("mx.curp", "Mexican CURP codes", r"[A-Za-z]{4}\d{6}[HMhm][A-Za-z]{5}[\dA-Za-z]\d"),
    _national("nl.bsn", "Dutch citizen service numbers", r"\d{9}"),
    _national("no.fodselsnummer", "Norwegian birth numbers", r"\d{11}"),
    _national("pl.pesel", "Polish PESEL numbers", r"\d{11}"),
    _national("pt.cc", "Portuguese citizen card numbers", r"\d{9}[A-Z][\dA-Z]\d"),
    _national("ro.cnp", "Romanian personal codes", rf"[1-9]\d\d{_MONTH}{_DAY}\d{{6}}"),
    _national(
        "se.personnummer", "Swedish personal numbers", rf"(?:19|20)?\d\d{_MONTH}{_DAY}\+?\d{{4}}"
    ),
    _national("si.emso", "Slovenian citizen numbers", rf"{_DAY}{_MONTH}\d{{9}}"),
    _national("th.pin", "Thai identity numbers", r"[1-8]\d{12}"),
    _national("tr.tckimlik", "Turkish identity numbers", r"[1-9]\d{10}"),
    _national("za.idnr", "South African identity numbers", rf"\d\d{_MONTH}{_DAY}\d{{7}}"),
    _national(
        "",
        "British national insurance numbers",
        r"[A-Za-z]{2}\d{6}[A-Da-d]",
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]",
    ),
    Scheme("device identifier", "IMEI numbers of phones", "imei", re.compile(r"\d{15}")),
    Scheme("record number", "numbers with a Luhn check digit", "luhn", re.compile(r"\d{8,18}")),
)
"""In order of preference among those that fit equally well. Numbers of companies are left
out; those of many identity cards, Argentina's among them, have no check digit, and only the
column's name tells them."""

CODES = frozenset(
    {
        "national number",
        "social security number",
        "insurance number",
        "medical record number",
        "passport number",
        "licence number",
        "account number",
        "IBAN",
        "card number",
        "device identifier",
        "record number",
    }
)
"""Kinds that are numbers or codes; names of columns mix them up."""


LEAST = 0.95
"""Share of the rows whose number must pass; 0.8 where the column's name says it too."""
LEAST_HINTED = 0.8

ACCOUNT = 5
"""Digits that an account number has at least;"""
WIDTHS = 2
"""all but a few have no more than so many digits less than the longest."""

_FIRST_LOOK = 60
_HOPELESS = 0.5


def find_numbers(sample: Sample, hinted: frozenset[str]) -> tuple[Finding, ...]:
    """Return the best scheme that nearly all values follow, as one finding or none.

    Notes
    -----
    A number counts when its check digit is right. Where the column's name says nothing, at least
    `LEAST` of the rows must pass, and shuffled digits must pass so seldom that so many different
    numbers cannot all be right by chance (`pass_rate_by_chance`); IBANs are believed without.
    Numbers without a check digit count only as written with their separators. Leading zeros that a
    reader of numbers lost are put back.
    """
    if sample.form == "other" or not sample.values:
        return ()
    numbers = _number_texts(sample)
    best: tuple[bool, float, float, Finding] | None = None
    for scheme in SCHEMES:
        named = bool(hinted & CODES) and scheme.kind != "record number"
        least = LEAST_HINTED if named else LEAST
        matching = _passes_check(_check(scheme, as_written=scheme.kind not in hinted), numbers)
        share = sample.share(matching)
        if share < least:
            continue
        kept = [number for number, match in zip(numbers, matching, strict=True) if match]
        by_chance = pass_rate_by_chance(kept, _check(scheme, as_written=False))
        believed = by_chance < _HOPELESS if named else is_evidence(len(kept), by_chance)
        if scheme.written is None and not scheme.telling and not believed:
            continue
        reasons = [share_reason("valid", share, scheme.title)]
        if by_chance < _HOPELESS:
            reasons.append(share_reason("shuffled", by_chance))
        # Cards and IBANs say what they are; among national numbers the rarer form wins.
        key = (scheme.kind != "record number", -round(by_chance, 1), share)
        if best is None or key > best[:3]:
            best = (*key, finding_by_values(scheme.kind, share, *reasons))
    return () if best is None else (best[3],)


def find_accounts(sample: Sample, hinted: frozenset[str]) -> tuple[Finding, ...]:
    """Return whether bare numbers are those of accounts, where the column's name hints at them."""
    if "account number" not in hinted or sample.form == "other" or not sample.values:
        return ()
    longest = max(map(len, sample.values))
    least = max(ACCOUNT, longest - WIDTHS)
    digits = sample.matching(lambda value: value.isdecimal() and len(value) >= least)
    share = sample.share(digits)
    if share < LEAST:
        return ()
    reason = Reason("account", {"least": least, "longest": longest}, {"share": share})
    return (finding_by_values("account number", share, reason),)


_SEPARATORS = str.maketrans("", "", " .-/–")


def _number_texts(sample: Sample) -> list[str]:
    """Return the numbers as they are written, integers with the zeros that they lost."""
    if sample.form == "text":
        return list(sample.values)
    width = max(map(len, sample.values))
    short = sample.share(sample.matching(lambda value: len(value) < width))
    lost = short < 0.2 and not any(value.startswith("-") for value in sample.values)
    return [value.zfill(width) if lost else value for value in sample.values]


def _passes_check(check: Callable[[str], bool], numbers: list[str]) -> Bools:
    """Return (n,) bool: which numbers pass a check; none after a bad first look."""
    matching = np.zeros(len(numbers), np.bool_)
    for place, number in enumerate(numbers):
        matching[place] = check(number)
        if place + 1 == _FIRST_LOOK and matching[:_FIRST_LOOK].mean() < _HOPELESS:
            return np.zeros(len(numbers), np.bool_)
    return matching


def _check(scheme: Scheme, *, as_written: bool) -> Callable[[str], bool]:
    def check(number: str) -> bool:
        if as_written and scheme.written is not None and not scheme.written.fullmatch(number):
            return False
        plain = number.translate(_SEPARATORS)
        # Finnish codes need their separators; the bare Luhn algorithm does not know any.
        whole = plain if scheme.module == "luhn" else number
        return scheme.form.fullmatch(plain) is not None and _validator(scheme.module)(whole)

    return check


@functools.cache
def _validator(module: str) -> Callable[[str], bool]:
    if not module:
        return bool  # a text that has the form is not empty
    valid: Callable[[str], bool] = importlib.import_module(f"stdnum.{module}").is_valid
    return valid
