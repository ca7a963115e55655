"""The compiled distances and neighbours against their plain twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_linkage
from effort import examples
from kanonym.evaluation.attacks.attacked_persons import AttackedPersons
from linkages import linkages


@given(linkages(most=7), st.integers(1, 4))
@settings(max_examples=examples(100))
def test_neighbours_of_both_sets_of_columns(tables, wanted):
    """Neighbours have one in common as often as among all sets that could be the nearest."""
    from kanonym.evaluation.attacks.linking.linkability import _count_links

    names = tables.quasi_identifiers
    halves = (names[:1], names[1:] or names)
    wanted = min(wanted, tables.n_released)
    everyone = AttackedPersons.of(tables, np.arange(tables.n_original))
    found = _count_links((tables, tables), halves, wanted, everyone, lambda: None)
    expected = [
        naive_linkage.linked(tables, person, halves, wanted) for person in range(tables.n_original)
    ]
    assert found.successes == pytest.approx(sum(expected))
    assert found.attempts == tables.n_original
