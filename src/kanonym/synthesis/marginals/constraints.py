"""Constraints are public: cells of two attributes that no record can have."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.synthesis.columns import Constraint
from kanonym.synthesis.marginals.domains import CellDomain, Range
from kanonym.synthesis.marginals.junction_tree import Attributes


def impossible_cells(
    domains: Sequence[CellDomain], rules: Sequence[Constraint]
) -> dict[Attributes, NDArray[np.bool_]]:
    """Return which cells of two attributes break a constraint, whatever their values are."""
    found: dict[Attributes, NDArray[np.bool_]] = {}
    names = [domain.name for domain in domains]
    for rule in rules:
        low, high = names.index(rule.low), names.index(rule.high)
        least, most = _reach(domains[low], rule)[0], _reach(domains[high], rule)[1]
        if isinstance(least[0], date) is not isinstance(most[0], date):
            raise PolicyError(f"constraint {rule}: one column has numbers, the other one dates")
        table = np.zeros((domains[low].size, domains[high].size), np.bool_)
        for place, smallest in enumerate(least):
            for other, largest in enumerate(most):
                table[place, other] = smallest >= largest if rule.strict else smallest > largest
        if table[: len(least), : len(most)].all():
            raise PolicyError(f"constraint {rule}: no values of the two domains satisfy it")
        key, part = ((low, high), table) if low < high else ((high, low), table.T)
        found[key] = found.get(key, np.zeros_like(part)) | part
    return found


def _reach(domain: CellDomain, rule: Constraint) -> tuple[list[Any], list[Any]]:
    """Return the smallest and the largest value of each bin."""
    if not isinstance(domain, Range):
        raise PolicyError(
            f"constraint {rule}: column {domain.name!r} needs a domain with minimum and maximum"
        )
    cells = np.arange(domain.groups, dtype=np.int32)
    first, last = (domain.values_at(end, cells).to_list() for end in domain.ends())
    return first, last
