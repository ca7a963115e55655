"""Why a column has its role: a kind and figures, which the catalogues word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kanonym.data.errors import gettext as _
from kanonym.data.errors import ngettext
from kanonym.language import ENGLISH, Translator

EVIDENCE = {
    "given": _("declared as a quasi-identifier"),
    "trouble": _("{detail}; until then it counts as an identifier and is dropped"),
    "counts-records": _("consecutive numbers: it numbers records, such as people or households"),
    "counts-groups": _(
        "consecutive numbers: it numbers groups of records, such as people or households"
    ),
    "own-text": _("{own} of {records} records have a unique text"),
    "entity": _(
        "{values} values for {records} records: if it names people or households with several "
        "records, it is their entity"
    ),
    "persons": _(
        "{values} values for {records} records, on which other columns depend: it seems to number "
        "persons with several records, or groups such as households"
    ),
    "constant": _("the same in every record: it distinguishes nobody"),
    "constant-sensitive": _(
        "the same in every record: anyone known to be in the table is known to have it, and "
        "recoding other columns does not change that"
    ),
    "name": _("the name suggests: {what}"),
    "name-sensitive": _("the name suggests: {what}, which is sensitive"),
    "amount": ngettext(
        "one number occurs once and identifies whoever is known to have it: it is rounded",
        "{records} numbers occur once and identify whoever is known to have them: they are rounded",
    ),
    "many-values": _(
        "but {values} values for {records} records, released unchanged, identify the records"
    ),
    "seen": _("but people who meet a person may know it too"),
    "seen-as": _("but people who meet a person may know it too ({what})"),
    "most-frequent": _("{values} values; the most frequent one is in {share} of the records"),
    "period": _("the name tells a period: it is what was done or measured in it"),
    "items": _("one of {columns} columns with the same few answers, as of a questionnaire"),
    "twin": _("it differs where {detail} does, which is sensitive"),
    "company": _(
        "{columns} other columns are measured or told in confidence, and its name does not say "
        "that others know it"
    ),
    "weight": _(
        "probably a sampling weight: weights depend on the strata of a survey and so reveal them; "
        "insensitive only if the strata are not secret"
    ),
    "unknown": _("assumed knowable: no evidence either way"),
    "tells": ngettext(
        "1 value distinguishes {share} of the pairs of records",
        "{values} values distinguish {share} of the pairs of records",
    ),
    "alone": ngettext("one record has a unique value", "{records} records have a unique value"),
    "nothing-to-recode": _(
        "no column is a quasi-identifier: the suggested policy does not run until one is"
    ),
    "named": _("the name suggests '{what}'"),
    "hinted": _("the name suggests it"),
    "no-values": _("it has no values"),
    "possible": _("{share} of the values could be one"),
    "unusual": _("{share} of the values have a common form of it, and most are distinct"),
    "form": _("{share} of the values are {what}"),
    "international-phones": _("{share} of the values are telephone numbers with a country code"),
    "national-phones": _(
        "{share} of the values are telephone numbers in a national numbering plan"
    ),
    "names": _("{share} of the values look like names"),
    "full-names": _("{share} of the values are full names with a common given name"),
    "given-names": _("{share} of the values have a common given name"),
    "valid": _("{share} of the values are valid {what}"),
    "shuffled": _("with their digits shuffled, {share} are valid"),
    "account": _("{share} of the values are numbers with {least} to {longest} digits"),
    "house-numbers": _("{share} of the values are words with a house number"),
    "streets": _("{share} of the values contain a type of street"),
    "pairs": _("{share} of the values are pairs of latitude and longitude"),
    "latitudes": _(
        "{share} of the values are within ±90 degrees and have two or more decimals (one kilometre "
        "or finer)"
    ),
    "longitudes": _(
        "{share} of the values are within ±180 degrees and have two or more decimals (one "
        "kilometre or finer)"
    ),
    "unshared": _("no two records share a value, as far as examined"),
    "counter": _("values are distinct and fill their range, like a counter"),
    "serial": _("values are distinct and have {digits} digits each, like serial numbers"),
    "pattern": _(
        "values are distinct and follow one pattern of letters and digits, like record codes"
    ),
    "free-text": _("values are texts of {words} words on average, and most are distinct"),
    "mentions": _("{share} of the texts examined mention one"),
    "answered-identifier": _("answered: it identifies persons, and is dropped"),
    "answered-quasi-identifier": _("answered: others may know it"),
    "answered-sensitive": _("answered: it would hurt a person if it became known"),
    "answered-insensitive": _("answered: anybody may see it, whoever it is about"),
    "answered-open": _("answered: it is in no list, so others count as knowing it"),
    "answered-unneeded": _("answered: nobody needs it, so it is dropped"),
}
"""The sentence of each kind of reason."""

PUBLISHABLE = {
    "trouble": _(
        "it cannot be recoded as it is; until then it counts as an identifier and is dropped"
    ),
    "own-text": _("nearly all records have a unique text"),
    "entity": _(
        "fewer values than records: if it names people or households with several records, it is "
        "their entity"
    ),
    "persons": _(
        "its values repeat, and other columns depend on them: it seems to number persons with "
        "several records, or groups such as households"
    ),
    "amount": _("numbers that occur once identify whoever is known to have them: they are rounded"),
    "many-values": _("but its many values, released unchanged, identify the records"),
    "most-frequent": _("its most frequent value is in {share} of the records"),
    "items": _("columns with the same few answers are a questionnaire"),
    "company": _(
        "most other columns are measured or told in confidence, and its name does not say that "
        "others know it"
    ),
    "tells": _("its values distinguish {share} of the pairs of records"),
    "account": _("{share} of the values are long numbers"),
    "serial": _("values are distinct and have the same number of digits, like serial numbers"),
    "free-text": _("values are texts of several words, and most are distinct"),
}
"""The same in reports, where counts of records are left out."""

TERMS = (
    _("IBAN"),
    _("IP address"),
    _("MAC address"),
    _("UUID"),
    _("account number"),
    _("biometric"),
    _("card number"),
    _("coordinates"),
    _("device identifier"),
    _("e-mail address"),
    _("fax number"),
    _("free text"),
    _("insurance number"),
    _("licence number"),
    _("medical record number"),
    _("name of a person"),
    _("national number"),
    _("passport number"),
    _("phone number"),
    _("photograph"),
    _("record number"),
    _("social security number"),
    _("street address"),
    _("user name"),
    _("vehicle identifier"),
    _("web address"),
    _("sampling weight"),
    _("age"),
    _("body measure"),
    _("country"),
    _("date"),
    _("date of birth"),
    _("education"),
    _("household"),
    _("housing"),
    _("income"),
    _("language"),
    _("marital status"),
    _("nationality"),
    _("occupation"),
    _("place"),
    _("postal code"),
    _("race or ethnicity"),
    _("region"),
    _("religion"),
    _("sex"),
    _("veteran or disability status"),
    _("crime"),
    _("genetic data"),
    _("health"),
    _("political opinion or union"),
    _("score or grade"),
    _("sexual life"),
    _("substance use"),
    _("test result"),
    _("treatment"),
    _("opinion"),
    _("answers"),
    _("event"),
    _("diagnosis"),
    _("operation"),
    _("habit"),
    _("membership"),
    _("care or institution"),
    _("wealth or debt"),
    _("e-mail addresses"),
    _("IP addresses"),
    _("MAC addresses of network devices"),
    _("UUIDs"),
    _("web addresses"),
    _("account names that start with @"),
    _("IBANs"),
    _("payment card numbers"),
    _("US social security numbers"),
    _("Austrian insurance numbers"),
    _("Belgian national numbers"),
    _("Bulgarian civil numbers"),
    _("Brazilian CPF numbers"),
    _("Canadian social insurance numbers"),
    _("Swiss insurance numbers"),
    _("Chilean RUT numbers"),
    _("Chinese resident identity numbers"),
    _("Czech or Slovak birth numbers"),
    _("German tax identification numbers"),
    _("Danish CPR numbers"),
    _("Estonian or Lithuanian personal codes"),
    _("Spanish DNI or NIE numbers"),
    _("Finnish personal codes"),
    _("French social security numbers"),
    _("British NHS numbers"),
    _("Greek AMKA numbers"),
    _("Croatian OIB numbers"),
    _("Irish PPS numbers"),
    _("Israeli identity numbers"),
    _("Indian Aadhaar numbers"),
    _("Icelandic identity codes"),
    _("Italian fiscal codes"),
    _("Japanese individual numbers"),
    _("Korean resident registration numbers"),
    _("Mexican CURP codes"),
    _("Dutch citizen service numbers"),
    _("Norwegian birth numbers"),
    _("Polish PESEL numbers"),
    _("Portuguese citizen card numbers"),
    _("Romanian personal codes"),
    _("Swedish personal numbers"),
    _("Slovenian citizen numbers"),
    _("Thai identity numbers"),
    _("Turkish identity numbers"),
    _("South African identity numbers"),
    _("British national insurance numbers"),
    _("IMEI numbers of phones"),
    _("numbers with a Luhn check digit"),
)
"""What columns are or hold, as reasons name it."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason; no value of the table is in it."""

    kind: str
    counts: Mapping[str, int] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    terms: Sequence[str] = ()
    detail: str = ""

    def to_text(self, says: Translator = ENGLISH) -> str:
        """Say it in a language.

        Examples
        --------
        >>> Reason("tells", {"values": 1072}, {"share": 0.97816}).to_text()
        '1,072 values distinguish 97.82 % of the pairs of records'
        """
        return says.text(
            EVIDENCE[self.kind],
            next(iter(self.counts.values()), None),
            **{name: says.count(number) for name, number in self.counts.items()},
            **{name: says.exact_percent(share) for name, share in self.shares.items()},
            what=says.terms(self.terms),
            detail=self.detail,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "kind": self.kind,
            "counts": dict(self.counts),
            "shares": dict(self.shares),
            "terms": list(self.terms),
            "detail": self.detail,
        }


NOTHING_TO_RECODE = Reason("nothing-to-recode")
"""What is said where all columns are dropped or are the same in every record."""
