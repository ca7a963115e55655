"""Tests: what the records that could be a person's disclose."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attack_tables import KNOWN, banded, people, scene, shuffled
from effort import examples
from kanonym.evaluation.attacks.classes.homogeneity import Homogeneity
from kanonym.evaluation.attacks.matching import disclosure
from kanonym.evaluation.attacks.matching.disclosure import LookupSource, look_up_values
from kanonym.evaluation.attacks.matching.guessing import values_of
from kanonym.evaluation.attacks.matching.predicates import cell_codes, regroup_records
from twins.cells import open_to
from utility_pairs import categorical, numeric, pair


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


CELLS = st.sampled_from([None, 1.0, 2.0, (1.0, 2.0), "*"])
PLACES = st.sampled_from([None, "Ulm", "Bonn", ("Bonn", "Ulm"), "*"])


@given(st.lists(st.tuples(CELLS, PLACES), min_size=1, max_size=12))
@settings(max_examples=examples(100), deadline=None)
def test_equal_cells_have_one_code(rows):
    """Records have the same class exactly where they leave the same values open."""
    cells, places = zip(*rows, strict=True)
    tables = pair(
        numeric("a", [1.0, 2.0, None], list(cells)),
        categorical("b", ["Ulm", "Bonn", None], list(places)),
    )
    found = regroup_records(tables, ["a", "b"])
    for i, one in enumerate(rows):
        assert [bool(found[i] == found[j]) for j in range(len(rows))] == [
            one == other for other in rows
        ]


def test_no_column_makes_one_class():
    """Compared by nothing, all released records are alike."""
    tables = pair(numeric("a", [1.0, 2.0]))
    assert regroup_records(tables, []).tolist() == [0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_codes_do_not_depend_on_the_order_of_records(seed):
    """A shuffled release has the codes of its records in their new order."""
    table = {"town": ["Ulm", "Bonn", "Kiel", "Ulm", None]}
    release = pl.DataFrame({"town": ["{Kiel, Ulm}", "Bonn", "{Kiel, Ulm}", "*", None]})
    places = pl.DataFrame({"place": np.arange(5)})
    mixed = shuffled(release.hstack(places), seed=seed)
    codes = [
        cell_codes(scene(table, one.select("town"), ["town"]).pair.column("town"))[0]
        for one in (release, mixed)
    ]
    assert codes[1].tolist() == codes[0][mixed["place"].to_numpy()].tolist()
