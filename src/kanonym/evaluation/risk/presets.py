"""The entries of a risk assessment, and presets of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.metrics.measured_value import Meaning

BOOK = "El Emam (2013), Guide to the de-identification of personal health information, ch. 16"
FRANCONI = "Benedetti and Franconi (1998); Franconi and Polettini (2004), §2"
DANKAR = "Dankar, El Emam, Neisa and Roffey (2012), BMC Med. Inform. Decis. Mak. 12:66"
SOURCES = {
    "prosecutor": BOOK,
    "journalist": BOOK,
    "person": f"{BOOK}; persons counted in place of records",
    "individual": FRANCONI,
    "household": "Franconi and Polettini (2004), §5",
}


def _meaning(
    name: str,
    unit: str,
    source: str,
    high: float = 1.0,
    *,
    title: str,
    counted: str,
    short: str = "",
) -> Meaning:
    return Meaning(name, 0.0, high, "lower", unit, source, title, counted, short)


def _common_entries(who: str, found: str, *titles: str) -> list[Meaning]:
    """Return what every kind of risk has; titles: of the five entries, or of the first ones."""
    most = math.inf
    counted = {"persons": (_("individuals"), _("share of the individuals"))}.get(
        found, (_("records"), _("share of the records"))
    )
    chance = _("probability")
    entries = (
        ("highest", "highest probability of re-identification", 1.0, chance),
        ("average", f"mean probability over the {found}", 1.0, chance),
        ("expected", f"expected number of re-identified {found}", most, counted[0]),
        ("at_risk", f"share of the {found} above the threshold", 1.0, counted[1]),
        ("number_at_risk", f"number of {found} above the threshold", most, counted[0]),
    )
    return [
        _meaning(f"{who}_{key}", unit, SOURCES[who], high, title=title, counted=counts)
        for title, (key, unit, high, counts) in zip(titles, entries, strict=False)
    ]


ENTRIES: dict[str, Meaning] = {
    meaning.name: meaning
    for meaning in (
        *_common_entries(
            "prosecutor",
            "records",
            _("Highest chance of finding a person’s record (prosecutor)"),
            _("Average chance of finding a person’s record (prosecutor)"),
            _("Expected number of records found (prosecutor)"),
            _("Share of records above the threshold (prosecutor)"),
            _("Number of records above the threshold (prosecutor)"),
        ),
        *_common_entries(
            "journalist",
            "records",
            _("Highest chance of finding a person’s record (journalist)"),
            _("Average chance of finding a person’s record (journalist)"),
            _("Expected number of records found (journalist)"),
            _("Share of records above the threshold (journalist)"),
            _("Number of records above the threshold (journalist)"),
        ),
        _meaning(
            "marketer",
            "expected share of re-identified records",
            "Dankar and El Emam (2010), EDBT workshops; " + BOOK,
            title=_("Expected share of records found if all are attacked (marketer)"),
            counted=_("share of the records"),
        ),
        _meaning(
            "known_items_highest",
            "highest probability if items are known, too",
            "Terrovitis, Mamoulis and Kalnis (2008), PVLDB 1; in the classes of the table",
            title=_("Highest probability of picking a person’s record, if items are known, too"),
            counted=_("probability"),
        ),
        _meaning(
            "uniques",
            "number of records alone in their class",
            BOOK,
            math.inf,
            title=_("Records alone in their class"),
            counted=_("records"),
        ),
        _meaning(
            "unique_share",
            "share of the records alone in their class",
            BOOK,
            title=_("Share of records alone in their class"),
            counted=_("share of the records"),
        ),
        *_common_entries(
            "person",
            "persons",
            _("Highest chance of finding a person’s record (counting people)"),
            _("Average chance of finding a person’s record (counting people)"),
            _("Expected number of people found (counting people)"),
            _("Share of people above the threshold (counting people)"),
            _("Number of people above the threshold (counting people)"),
        ),
        _meaning(
            "person_uniques",
            "number of persons alone in a class",
            SOURCES["person"],
            math.inf,
            title=_("People alone in a class"),
            counted=_("individuals"),
        ),
        *_common_entries(
            "individual",
            "records",
            _("Highest chance of finding a person’s record (sampling weights)"),
            _("Average chance of finding a person’s record (sampling weights)"),
            _("Expected number of records found (sampling weights)"),
            _("Share of records above the threshold (sampling weights)"),
            _("Number of records above the threshold (sampling weights)"),
        ),
        *_common_entries(
            "household",
            "records",
            _("Highest chance of finding a person’s record (household)"),
            _("Average chance of finding a person’s record (household)"),
            _("Expected number of records found (household)"),
        ),
        _meaning(
            "population_uniques_pitman",
            "estimated number of persons unique in the population",
            "Hoshino (2001), J. Off. Stat. 17(4); " + DANKAR,
            math.inf,
            title=_("Estimated population uniques (Pitman)"),
            counted=_("individuals"),
            short="unique persons, Pitman",
        ),
        _meaning(
            "population_uniques_zayatz",
            "estimated number of persons unique in the population",
            "Zayatz (1991); " + DANKAR,
            math.inf,
            title=_("Estimated population uniques (Zayatz)"),
            counted=_("individuals"),
            short="unique persons, Zayatz",
        ),
        _meaning(
            "population_uniques_snb",
            "estimated number of persons unique in the population",
            "Chen and Keller-McNulty (1998), J. Off. Stat. 14(1); " + DANKAR,
            math.inf,
            title=_("Estimated population uniques (negative binomial)"),
            counted=_("individuals"),
            short="unique persons, SNB",
        ),
        _meaning(
            "population_uniques_dankar",
            "estimated number of persons unique in the population",
            DANKAR,
            math.inf,
            title=_("Estimated population uniques (Dankar’s rule)"),
            counted=_("individuals"),
            short="unique persons, Dankar",
        ),
    )
}
"""Every entry by name, in the order of a report."""


Basis = Literal["guidance", "policy", "custom"]

NO_POPULATION = Message("the number of persons that the table is a sample of is needed")

RECORDS = Message("records")

EL_EMAM = (
    "El Emam (2013), Guide to the de-identification of personal health information, ch. 16, "
    "cell size precedents"
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a table meets a preset."""

    met: bool | None
    reason: str


@dataclass(frozen=True, slots=True)
class Preset:
    """A named threshold."""

    name: str
    title: str
    quoted: float
    smallest: int | None
    basis: Basis
    source: str

    def judge(
        self,
        fewest: int | None,
        noun: str = RECORDS,
        unique_share: float | None = None,
        no_share: str | None = None,
    ) -> Verdict:
        """Say whether a table meets it.

        Examples
        --------
        >>> PRESETS["ema-0070"].judge(11).met
        True
        >>> PRESETS["ema-0070"].judge(3, "persons").reason
        'the smallest number of persons in a class is 3, a highest risk of 0.333;
        11 is the least allowed (0.09)'
        """
        if fewest is None:
            return Verdict(met=True, reason=Message("the table has no record to be found"))
        if self.smallest is None:
            return self._judge_uniques(unique_share, no_share)
        met = fewest >= self.smallest
        return Verdict(
            met=met,
            reason=Message(
                "the smallest number of {noun} in a class is {fewest}, a highest risk of "
                "{risk:.3g}; {smallest} is the least allowed ({quoted:g})",
                noun=noun,
                fewest=fewest,
                risk=1 / fewest,
                smallest=self.smallest,
                quoted=self.quoted,
            ),
        )

    def _judge_uniques(self, share: float | None, no_share: str | None) -> Verdict:
        """Compare a share of population uniques with the threshold."""
        if share is None:
            return Verdict(
                met=None,
                reason=Message(
                    "the population uniques were not estimated: {why}",
                    why=no_share or NO_POPULATION,
                ),
            )
        return Verdict(
            met=share <= self.quoted,
            reason=Message(
                "an estimated {share:.3g}% of the population are unique; "
                "at most {most:.3g}% may be",
                share=100 * share,
                most=100 * self.quoted,
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what the preset asks, as plain values."""
        return {
            "title": self.title,
            "threshold": self.quoted,
            "smallest": self.smallest,
            "basis": self.basis,
            "source": self.source,
        }


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "hipaa-cell-size",
            Message("HIPAA expert determination, by the cell size of CMS"),
            0.09,
            11,
            "policy",
            "CMS cell size suppression policy: no cell of 1 to 10; 45 CFR 164.514(b)(1) has no "
            "number",
        ),
        Preset(
            "hipaa-population-uniques",
            Message("HIPAA expert determination, population uniqueness of Safe Harbor"),
            0.0004,
            None,
            "custom",
            "attributed to Sweeney's testimony to NCVHS (2007); 45 CFR 164.514(b)(1) has no number",
        ),
        Preset(
            "ema-0070",
            Message("European Medicines Agency, policy 0070"),
            0.09,
            11,
            "guidance",
            "EMA/90915/2016, external guidance on policy 0070, ch. 3 (anonymisation)",
        ),
        Preset(
            "health-canada",
            Message("Health Canada, public release of clinical information"),
            0.09,
            11,
            "guidance",
            "Health Canada (2019), Public Release of Clinical Information: guidance document",
        ),
        Preset(
            "health-canada-sensitive",
            Message("Beside Health Canada's: highly sensitive data"),
            0.05,
            20,
            "custom",
            EL_EMAM,
        ),
        Preset(
            "health-canada-trusted",
            Message("Beside Health Canada's: trusted recipients, not the public"),
            0.33,
            3,
            "custom",
            EL_EMAM,
        ),
    )
}
"""Every preset by name."""
