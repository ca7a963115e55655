"""Thresholds on the risk of re-identification that regulators and custodians go by.

None of them is law: a law asks that the risk be "very small" (HIPAA), or that a person be
not identifiable by means reasonably likely to be used (GDPR, recital 26), and guidance,
policy and custom put numbers to it. A preset says which of these it is, and where it
comes from. To meet one is an argument for a release, not a clearance: each also asks for
identifiers to be removed, and for the context of the release to be judged.

The thresholds are class sizes, of which risks are the rounded reciprocals: 0.09 stands
for 1/11, 0.05 for 1/20, 0.33 for 1/3. A class of 11 meets 0.09 here, though 1/11 is
0.0909.

What is behind the numbers, and how far it was checked:

- 45 CFR 164.514(b) has two ways to de-identify. Expert determination, (b)(1), asks for a
  "very small" risk and names no number (read in the rule). Safe Harbor, (b)(2), is a list
  of 18 kinds of identifiers to be removed and no measure of classes, so no preset judges it.
- Cells of 1 to 10 are not shown under the data use agreements of the Centers for Medicare
  & Medicaid Services (read in its cell size suppression policy). To read this as 11
  records a class, and that as what an expert determination needs, is custom.
- 0.04 % is quoted as the share of the population of the United States that is unique
  after Safe Harbor, attributed to L. Sweeney's testimony to the National Committee on
  Vital and Health Statistics (2007). The testimony was not found for checking.
- The European Medicines Agency and Health Canada recommend 0.09 for the publication of
  clinical reports (EMA/90915/2016; Public Release of Clinical Information, 2019). That
  number was confirmed from accounts of both, not word for word in them; both take
  justified others.
- Health Canada's guidance was not found to name 0.05 or 0.33. They stand beside its 0.09
  as the precedents that El Emam (2013, ch. 16) collects: 20 for public data in Canada, 3 as
  the smallest among custodians. To match them to highly sensitive data and to trusted
  recipients is custom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from kanonym.data.message import Message

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
