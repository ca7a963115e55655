"""How states, banks and makers of devices make the numbers that they give out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

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
        "national number",
        title,
        module,
        re.compile(form),
        re.compile(written) if written else None,
    )


_DAY = r"(?:0[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0[1-9]|1[0-2])"

SCHEMES: tuple[Scheme, ...] = (
    Scheme(
        "IBAN",
        "IBANs",
        "iban",
        re.compile(r"[A-Z]{2}\d\d[A-Z0-9]{11,30}"),
        telling=True,
    ),
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
