"""What cannot be done on the fragments of a table."""

from __future__ import annotations

from collections.abc import Sequence

from kanonym.algorithms.base import Algorithm
from kanonym.algorithms.microaggregation.records import class_size, require_number
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.table import Domain
from kanonym.engines.task import Prepared
from kanonym.kernels.classes.disclosure import ALPHA, DISTINCT, ENTROPY, RECURSIVE, SIZE
from kanonym.models.base import PrivacyModel, lost_by_joining

OF_CLASS_ALONE = {SIZE, DISTINCT, ENTROPY, RECURSIVE, ALPHA}
"""Measures of a class that are not compared with the table."""

OTHERWISE = "give the source a larger most_tuples, so that its whole frequency set is loaded"


def fragment_limit(
    algorithm: Algorithm, models: Sequence[PrivacyModel], suppression_limit: float
) -> int:
    """Return how many tuples a fragment has at the most; refuse what has to see all of them."""
    name = algorithm.type
    if algorithm.largest_fragment is None:
        raise PolicyError(
            f"{name} needs every distinct tuple, and there are too many to load: "
            f"choose mondrian or segmentation, or {OTHERWISE}"
        )
    if algorithm.target is not None:
        raise PolicyError(
            f"{name}: a target needs the whole frequency set to be loaded: remove it, or "
            f"{OTHERWISE}"
        )
    if suppression_limit > 0 and algorithm.spends_limit:
        raise PolicyError(
            f"suppression_limit: {name} spends it where it saves most in the whole table, but sees "
            f"only fragments: set it to 0, or {OTHERWISE}"
        )
    counting = [model.type for model in models if model.guarantee == "population"]
    if counting:
        raise PolicyError(
            f"{counting[0]} needs an algorithm that counts the population table in every class: "
            "choose full-domain"
        )
    comparing = [
        model.type
        for model in models
        if not {one.measure for one in model.criteria() or ()} <= OF_CLASS_ALONE
    ]
    if comparing and algorithm.cuts is None:
        raise PolicyError(
            f"{comparing[0]} compares classes with the whole table, of which {name} would see only "
            f"fragments: choose strict mondrian, or {OTHERWISE}"
        )
    return algorithm.largest_fragment


def require_values(algorithm: Algorithm, ready: Prepared, models: Sequence[PrivacyModel]) -> None:
    """Refuse what the columns themselves do not allow."""
    # Known here, and not from whichever worker comes first to a fragment.
    if algorithm.by_size:
        class_size(models, ready.table, algorithm.type)
    for domain in ready.table.domains:
        if algorithm.needs_numbers:
            require_number(domain, algorithm.type)
        if algorithm.needs_values and domain.has_null and domain.kind != "nominal":
            raise DataError(
                f"column {domain.name!r}: some record has no value, and {algorithm.type} has no "
                f"distance to a missing value: fill it in, remove the record, or choose another "
                f"algorithm, "
                "such as mondrian"
            )
    if "balanced" in ready.recodings:
        raise PolicyError(
            "recoding balanced compares the classes with the whole table, of which only fragments "
            f"are loaded: choose median or mode, or {OTHERWISE}"
        )
    if any(map(lost_by_joining, models)) and not all(
        map(_releases_distinct_values, ready.table.domains, ready.recodings)
    ):
        raise PolicyError(
            "delta-disclosure may be lost where classes of equal released values become one, which "
            "only the whole table shows: recode numbers and dates as interval or range, or "
            f"{OTHERWISE}"
        )


def _releases_distinct_values(domain: Domain, recoding: str) -> bool:
    """Say whether classes that do not overlap release different values."""
    line = domain.kind in ("number", "temporal") and not domain.has_null
    return line and recoding in ("interval", "range")
