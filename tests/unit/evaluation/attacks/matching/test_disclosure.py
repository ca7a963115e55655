"""Laws of what a release says of sensitive values."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from kanonym.evaluation.attacks.classes.homogeneity import Homogeneity
from kanonym.evaluation.attacks.matching import disclosure
from kanonym.evaluation.attacks.matching.disclosure import LookupSource, look_up_values
from kanonym.evaluation.attacks.matching.values import values_of
from naive_candidates import open_to
from scenes import KNOWN, banded, people, scene


@pytest.mark.parametrize(("at_once", "cells"), [(7, 1 << 22), (512, 9), (512, 1 << 22)])
def test_values_of_all_open_records_are_counted(monkeypatch, at_once, cells):
    """The counts of a person are those of the records that could be the person's."""
    monkeypatch.setattr(disclosure, "AT_ONCE", at_once)
    monkeypatch.setattr(disclosure, "CELLS", cells)
    table = people(60)
    pair = scene(table, banded(table, 10), KNOWN, ["disease"]).pair
    values, persons = values_of(pair, "disease"), np.arange(0, 60, 3)
    place = 0
    for some, ((one,),) in look_up_values([LookupSource(pair, [values], nearest=False)], persons):
        assert some.tolist() == persons[place : place + len(some)].tolist()
        place += len(some)
        for person, row in zip(some, one.counts.toarray(), strict=True):
            open_ = open_to(pair, np.array([person]), np.arange(60), tuple(KNOWN))[0]
            expected = Counter(values.released[open_].tolist())
            assert {code: n for code, n in enumerate(row.tolist()) if n} == expected
        assert one.includes_own.all()
        assert one.distinct.tolist() == (one.counts.toarray() > 0).sum(axis=1).tolist()
    assert place == len(persons)


def test_the_attribute_of_the_largest_risk_is_chosen():
    """An attribute that chance discloses stands behind one that the classes disclose."""
    table = {"age": [1, 1, 2, 2], "same": ["x"] * 4, "disease": ["flu", "flu", "cold", "gout"]}
    found = Homogeneity().run(
        scene(table, table, ["age"], ["same", "disease"]), np.random.default_rng(0)
    )
    assert found.parts == {"same": 1, "disease": 0.5}
    assert (found.targets.rate, found.baseline.rate) == (0.5, 0)
