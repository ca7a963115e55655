"""Laws of numbering released cells."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.evaluation.attacks.matching.cells import cell_codes, regroup_records
from pairs import categorical, numeric, pair
from scenes import scene, shuffled

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
