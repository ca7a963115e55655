"""Telephone numbers, by Google's numbering plans (phonenumbers)."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kanonym.data.loading.lazy_module import LazyModule
from kanonym.profiling.identifiers.finding import Finding, finding_by_values, share_reason
from kanonym.profiling.identifiers.sample import Sample

if TYPE_CHECKING:
    import phonenumbers
else:
    phonenumbers = LazyModule("phonenumbers")

LOOKED_AT = 200
"""A check takes about 40 microseconds, twice that where it fails."""

LEAST = 0.9
WRITTEN = 0.5
LEAST_HINTED = 0.5
"""Shares of the rows: with digits only, grouped as in telephone numbers, and valid in the best
fitting plan, which numbers that were made up for tests often are not."""

REGIONS = (
    "US", "GB", "DE", "FR", "ES", "IT", "PT", "NL", "BE", "AT", "CH", "SE", "DK", "NO", "FI",
    "PL", "CZ", "BR", "MX", "AR", "IN", "CN", "JP", "KR", "AU", "ZA", "TR",
)  # fmt: skip
"""Whose national numbers are known, in order of trial."""

_INTERNATIONAL = re.compile(r"(?:tel:)?(?:\+|00)[\d\s()./-]{7,20}(?:\s?(?:x|ext\.?|#)\s?\d{1,6})?")
# Groups of digits as people write them: an area code in brackets, a leading zero, or 3-3-4.
_NATIONAL = re.compile(
    r"(?:\(\d{2,5}\)\s?\d[\d\s/.-]{4,12}|0\d{1,4}[\s/.-]\d[\d\s/.-]{4,12}"
    r"|(?:1[\s.-])?\d{3}[\s.-]\d{3}[\s.-]\d{4})(?:\s?(?:x|ext\.?|#)\s?\d{1,6})?"
)
_BARE = re.compile(r"[+(]?\d[\d\s()./x#-]{5,24}")
# Days and amounts are digits with dots and hyphens too.
_QUANTITY = re.compile(
    r"\d{1,2}([-/.])\d{1,2}\1\d{2,4}.*|\d{4}([-/.])\d{1,2}\2\d{1,2}.*|\d+\.\d{1,2}"
)


def find_phones(sample: Sample, hinted: frozenset[str]) -> tuple[Finding, ...]:
    """Return whether the values are telephone numbers."""
    named = hinted & {"phone number", "fax number"}
    if sample.form == "other" or (sample.form != "text" and not named):
        return ()
    looked = Sample(
        sample.name, sample.form, sample.values[:LOOKED_AT], sample.counts[:LOOKED_AT], 0
    )
    international = looked.matching(lambda value: _is_international(value, strict=not named))
    share = looked.share(international)
    if share >= LEAST:
        kind = "fax number" if "fax number" in hinted else "phone number"
        return (finding_by_values(kind, share, share_reason("international-phones", share)),)
    best = _best_plan(looked, international, named=bool(named))
    if best < LEAST_HINTED:
        return ()
    kind = "fax number" if "fax number" in hinted else "phone number"
    return (finding_by_values(kind, best, share_reason("national-phones", best)),)


def _best_plan(sample: Sample, international: NDArray[np.bool_], *, named: bool) -> float:
    """Return the share of the rows with a number of the plan that fits best, or 0."""
    written = international | sample.matching(
        lambda value: _NATIONAL.fullmatch(value) and not _QUANTITY.fullmatch(value)
    )
    bare = written | sample.matching(
        lambda value: _BARE.fullmatch(value) and not _QUANTITY.fullmatch(value)
    )
    if not named and (sample.share(written) < WRITTEN or sample.share(bare) < LEAST):
        return 0.0
    best = 0.0
    for region in REGIONS:
        valid = bare & sample.matching(partial(_is_number, region=region, possible=named))
        best = max(best, sample.share(valid | international))
        if best > LEAST:
            break
    return best


def _is_international(value: str, *, strict: bool) -> bool:
    if _INTERNATIONAL.fullmatch(value) is None:
        return False
    number = re.sub(r"^(?:tel:)?00", "+", value)
    return _is_number(number, region=None, possible=not strict)


def _is_number(value: str, *, region: str | None, possible: bool) -> bool:
    try:
        number = phonenumbers.parse(value, region)
    except phonenumbers.NumberParseException:
        return False
    if possible:
        return phonenumbers.is_possible_number(number)
    return phonenumbers.is_valid_number(number)
