"""The entries of a risk assessment, and presets of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from kanonym.data.errors import Message
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


def _meaning(name: str, unit: str, source: str, high: float = 1.0) -> Meaning:
    return Meaning(name, 0.0, high, "lower", unit, source)


def _common_entries(who: str, found: str) -> list[Meaning]:
    """Return what every kind of risk has."""
    source = SOURCES[who]
    return [
        _meaning(f"{who}_highest", "highest probability of re-identification", source),
        _meaning(f"{who}_average", f"mean probability over the {found}", source),
        _meaning(f"{who}_expected", f"expected number of re-identified {found}", source, math.inf),
        _meaning(f"{who}_at_risk", f"share of the {found} above the threshold", source),
        _meaning(
            f"{who}_number_at_risk", f"number of {found} above the threshold", source, math.inf
        ),
    ]


ENTRIES: dict[str, Meaning] = {
    meaning.name: meaning
    for meaning in (
        *_common_entries("prosecutor", "records"),
        *_common_entries("journalist", "records"),
        _meaning(
            "marketer",
            "expected share of re-identified records",
            "Dankar and El Emam (2010), EDBT workshops; " + BOOK,
        ),
        _meaning(
            "known_items_highest",
            "highest probability if items are known, too",
            "Terrovitis, Mamoulis and Kalnis (2008), PVLDB 1; in the classes of the table",
        ),
        _meaning("uniques", "number of records alone in their class", BOOK, math.inf),
        _meaning("unique_share", "share of the records alone in their class", BOOK),
        *_common_entries("person", "persons"),
        _meaning(
            "person_uniques", "number of persons alone in a class", SOURCES["person"], math.inf
        ),
        *_common_entries("individual", "records"),
        *_common_entries("household", "records")[:3],
        _meaning(
            "population_uniques_pitman",
            "estimated number of persons unique in the population",
            "Hoshino (2001), J. Off. Stat. 17(4); " + DANKAR,
            math.inf,
        ),
        _meaning(
            "population_uniques_zayatz",
            "estimated number of persons unique in the population",
            "Zayatz (1991); " + DANKAR,
            math.inf,
        ),
        _meaning(
            "population_uniques_snb",
            "estimated number of persons unique in the population",
            "Chen and Keller-McNulty (1998), J. Off. Stat. 14(1); " + DANKAR,
            math.inf,
        ),
        _meaning(
            "population_uniques_dankar",
            "estimated number of persons unique in the population",
            DANKAR,
            math.inf,
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
