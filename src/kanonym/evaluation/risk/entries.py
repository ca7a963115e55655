"""The entries of a risk assessment: what each number means, by its name.

Names are who is found, or by whom, and then what is measured: `_highest` and `_average`
over the records, `_expected` number of re-identifications, `_at_risk` the share and
`_number_at_risk` the number with a risk strictly above the threshold.
"""

from __future__ import annotations

import math

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
            f"{who}_number_at_risk",
            f"number of {found} above the threshold",
            source,
            math.inf,
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
