"""The values of the privacy models among the measures of risk: how to read each."""

from __future__ import annotations

import math

from kanonym.metrics.disclosure import AttributeMeasurement, Measurement
from kanonym.metrics.measured_value import Meaning, MeasuredValue

_NO_BOUND = math.inf
_MACHANAVAJJHALA = "Machanavajjhala et al. (2007), ACM TKDD 1(1)"
_LI = "Li, Li and Venkatasubramanian (2007), ICDE"
_CAO = "Cao and Karras (2012), PVLDB 5(11)"

K = Meaning("k", 0, _NO_BOUND, "higher", "records in the smallest class", "Sweeney (2002)")
K_WILDCARD = Meaning(
    "k_wildcard",
    0,
    _NO_BOUND,
    "higher",
    "records in the smallest class, a null matching every value",
    "Franconi and Polettini (2004), mu-Argus",
)
SUPPRESSED = Meaning(
    "suppressed",
    0,
    _NO_BOUND,
    "lower",
    "records that are * in every quasi-identifier",
    "Prasser et al. (2020), ARX",
)
K_UNSUPPRESSED = Meaning(
    "k_unsuppressed",
    0,
    _NO_BOUND,
    "higher",
    "records in the smallest class of the others",
    "Prasser et al. (2020), ARX",
)
ANONYMITY_SET = Meaning(
    "anonymity_set",
    0,
    _NO_BOUND,
    "higher",
    "records in a class, mean over the classes",
    "Goldsteen et al. (2023), AI privacy toolkit, its extensions",
)
ATTRIBUTE: tuple[Meaning, ...] = (
    Meaning("alpha", 0, 1, "lower", "largest share of a value in a class", "Wong et al. (2006)"),
    Meaning(
        "l_distinct", 0, _NO_BOUND, "higher", "fewest distinct values in a class", _MACHANAVAJJHALA
    ),
    Meaning(
        "l_entropy", 0, _NO_BOUND, "higher", "smallest exp(entropy) of a class", _MACHANAVAJJHALA
    ),
    Meaning("t_equal", 0, 1, "lower", "largest distance between a class and the table", _LI),
    Meaning("t_ordered", 0, 1, "lower", "the same with the order of the values", _LI),
    Meaning("t_hierarchical", 0, 1, "lower", "the same with the hierarchy's distances", _LI),
    Meaning("basic_beta", 0, _NO_BOUND, "lower", "largest relative gain of a value", _CAO),
    Meaning("enhanced_beta", 0, _NO_BOUND, "lower", "the same, at most -ln of its share", _CAO),
    Meaning(
        "delta_disclosure",
        0,
        _NO_BOUND,
        "lower",
        "largest |ln| of the ratio of a value's shares in class and table",
        "Brickell and Shmatikov (2008), KDD; natural logarithm here",
    ),
)
"""What each sensitive attribute has; the value is the worst over the attributes."""


def disclosure_entries(measurement: Measurement) -> dict[str, MeasuredValue]:
    """Return k under both meanings of null, class sizes, and the values of sensitive models.

    The value is the worst over the sensitive attributes; `parts` has one an attribute.
    """
    found = {
        "k": MeasuredValue(K, float(measurement.k)),
        "k_wildcard": MeasuredValue(K_WILDCARD, float(measurement.k_wildcard)),
        "anonymity_set": MeasuredValue(
            ANONYMITY_SET,
            measurement.anonymity_set.mean,
            {"min": measurement.anonymity_set.min, "max": measurement.anonymity_set.max},
        ),
    }
    if measurement.k_unsuppressed is not None:
        found["suppressed"] = MeasuredValue(SUPPRESSED, float(measurement.suppressed))
        found["k_unsuppressed"] = MeasuredValue(K_UNSUPPRESSED, float(measurement.k_unsuppressed))
    for meaning in ATTRIBUTE:
        parts = {
            name: float(value)
            for name, attribute in measurement.attributes.items()
            if (value := _value(attribute, meaning.name)) is not None
        }
        if parts:
            worst = max if meaning.better == "lower" else min
            found[meaning.name] = MeasuredValue(meaning, worst(parts.values()), parts)
    return found


def _value(attribute: AttributeMeasurement, name: str) -> float | None:
    value: float | None = getattr(attribute, name)
    return value
