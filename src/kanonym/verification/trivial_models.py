"""Models whose parameter asks nothing: every record could be released as it is."""

from __future__ import annotations

import numpy as np

from kanonym.data.partition import Classes, Distribution
from kanonym.models import Criterion, PrivacyModel

BLOCK = 1024
"""Values that are tried at a time; the first block nearly always settles it."""


def requires_nothing(model: PrivacyModel, classes: Classes) -> bool:
    """Return whether classes of one record each would satisfy a model, in this table.

    A class of one record tells everything, and no class can be worse: k = 1, l = 1, t = 1
    and α = 1 allow it in every table; a large β or t in this one.
    """
    if model.guarantee != "per class":
        return model.trivial
    return all(_allows_single_records(one, classes) for one in model.criteria())


def bounds_nothing(model: PrivacyModel, classes: Classes) -> bool:
    """Return whether what a model asks of its sensitive attribute is nothing.

    It may ask something else: (α, k)-anonymity with α = 1 is k-anonymity.
    """
    own = [one for one in model.criteria() if one.attribute is not None]
    return bool(own) and all(_allows_single_records(one, classes) for one in own)


def _allows_single_records(criterion: Criterion, classes: Classes) -> bool:
    if criterion.attribute is None:
        return bool(criterion.satisfied(Classes(np.ones(1, np.int64), {})).all())
    given = classes.distributions[criterion.attribute]
    values = np.flatnonzero(given.table).astype(np.int32)
    for start in range(0, len(values), BLOCK):
        block = values[start : start + BLOCK]
        ones = np.ones(len(block), np.int64)
        alone = Distribution(np.arange(len(block) + 1), block, ones, given.table, given.ancestors)
        single = Classes(ones, {criterion.attribute: alone})
        if not criterion.satisfied(single).all():
            return False
    return True
