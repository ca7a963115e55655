"""Laws of public domains: nothing of the table reaches them, and each value has a cell."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data import hierarchy
from kanonym.data.domain import Domain
from kanonym.differential_privacy.cells import canonical_texts
from kanonym.synthesis.columns import Constraint
from kanonym.synthesis.marginals import domains
from kanonym.synthesis.marginals.domains import cell_domains, count_beyond, impossible_cells

RANDOM = np.random.default_rng(0)


def domain_of(name="x", **parts):
    """Return the cells of one declared column."""
    return cell_domains([name], {name: ka.Sensitive(domain=Domain(**parts))})[0]


def encode(domain, values):
    """Return the cells of values of any type."""
    return domain.encode(canonical_texts(values))


def test_listed_values_come_back():
    """Decoding the cells of listed values gives these values, in the type of the list."""
    for values, dtype in [(["a", "b"], pl.String), ([3, 1], pl.Int64), ([True, False], pl.Boolean)]:
        found = domain_of(values=values)
        given = pl.Series("x", [*values, None])
        back = found.decode(encode(found, given), RANDOM)
        assert back.to_list() == [*values, None]
        assert back.dtype == dtype


def test_unknown_values_are_read_as_null():
    """A value outside the list has the cell of null, and no error tells of it."""
    found = domain_of(values=["a", "b"])
    cells = encode(found, pl.Series(["a", "zebra", None]))
    assert cells.tolist() == [0, 2, 2]
    assert found.decode(cells, RANDOM).to_list() == ["a", None, None]


def test_a_list_may_name_other():
    """Where `other` is listed, unknown values join it, and null where it has no cell."""
    assert encode(domain_of(values=["a", "other"]), pl.Series(["zebra", None])).tolist() == [1, 2]
    found = domain_of(values=["a", "other"], nulls=False)
    assert found.size == 2
    assert encode(found, pl.Series(["zebra", None, "a"])).tolist() == [1, 1, 0]


def test_values_of_a_closed_domain_only_have_cells():
    """Without null and `other`, a value that is not listed, or a missing one, has no cell."""
    listed = domain_of(values=["a", "b"], nulls=False)
    assert encode(listed, pl.Series(["b", "zebra", None])).tolist() == [1, -1, -1]


def test_columns_of_types_that_are_no_values_are_null():
    """Lists and bytes have no text: they are read as missing, without an error."""
    found = domain_of(values=["a"])
    assert encode(found, pl.Series([[1], [2]])).tolist() == [1, 1]


@pytest.mark.parametrize(
    "parts",
    [
        {"minimum": 0, "maximum": 99, "bins": 7},
        {"minimum": -5, "maximum": 5},
        {"minimum": 0, "maximum": 2, "step": 0.25, "bins": 4},
        {"minimum": "2024-01-01", "maximum": "2024-03-01", "bins": 6},
    ],
)
def test_each_value_of_a_range_is_drawn_from_its_own_bin(parts):
    """What is drawn for the cell of a value has the same cell; every value of a bin may come."""
    found = domain_of(**parts)
    low, high = found.ends()
    places = np.arange(found.domain.number_of_values)
    values = found.values_at(places, np.zeros(len(places), np.int32))
    cells = encode(found, values)
    assert (np.bincount(cells) == high - low + 1).all()
    again = found.decode(cells, RANDOM)
    assert again.dtype == values.dtype == found.dtype
    assert (encode(found, again) == cells).all()
    assert encode(found, values.cast(pl.String)).tolist() == cells.tolist()


def test_values_beyond_a_range_are_clipped_in_silence():
    """A number beyond an end has the cell of that end, infinite ones included."""
    found = domain_of(minimum=0, maximum=99, bins=10)
    given = pl.Series([-7.0, 1e300, float("inf"), float("nan"), None])
    assert encode(found, given).tolist() == [0, 9, 9, 10, 10]


def test_missing_values_of_a_range_without_nulls_have_no_cell():
    """Where nulls are declared impossible there is no cell for them."""
    found = domain_of(minimum=0, maximum=9, nulls=False)
    assert found.size == 10
    assert encode(found, pl.Series(["x", None, "9"])).tolist() == [-1, -1, 9]


def test_leaves_of_a_hierarchy_are_a_domain():
    """A mapping's values are categories, null a further one."""
    source = hierarchy.from_mapping({"Lyon": "France", "Rome": "Italy"})
    found = cell_domains(["city"], {"city": ka.QuasiIdentifier(hierarchy=source)})[0]
    assert found.texts == ("Lyon", "Rome")
    assert found.size == 3


def test_many_leaves_are_grouped_by_level_one(monkeypatch):
    """Beyond the limit the cells are labels of level 1, and values are drawn among their leaves."""
    monkeypatch.setattr(domains, "MOST_CATEGORIES", 3)
    source = hierarchy.from_mapping({"a": "1", "b": "2", "c": "1", "d": "2"})
    found = cell_domains(["x"], {"x": ka.QuasiIdentifier(hierarchy=source)})[0]
    cells = encode(found, pl.Series(["a", "b", "c", "d", "e"]))
    assert cells.tolist() == [0, 1, 0, 1, 2]
    drawn = found.decode(np.zeros(100, np.int32), RANDOM)
    assert set(drawn) == {"a", "c"}


def test_columns_without_a_public_domain_are_listed():
    """No domain, a hierarchy from the data, free text: refused together, by name."""
    attributes = {
        "name": ka.Identifier(),
        "age": ka.QuasiIdentifier(hierarchy=hierarchy.intervals(quantiles=4)),
        "note": ka.Insensitive(),
        "sex": ka.Sensitive(domain=Domain(values=["f", "m"])),
    }
    with pytest.raises(ka.PolicyError, match="no public domain: age, note") as refused:
        cell_domains(list(attributes), attributes)
    assert "sex" not in str(refused.value)


def test_a_table_of_identifiers_has_nothing_to_synthesize():
    """Identifiers are dropped; if nothing else is there, that is an error."""
    with pytest.raises(ka.PolicyError, match="nothing is left"):
        cell_domains(["name"], {"name": ka.Identifier()})


def test_a_value_twice_in_a_list_is_refused():
    """1 and 1.0 mean one value."""
    with pytest.raises(ka.PolicyError, match="twice"):
        domain_of(values=["1", "1.0"])


def test_constraints_leave_cells_that_no_record_can_have():
    """Bins that break a rule whatever their values are, are structural zeros; null never is."""
    days = {"minimum": "2024-01-01", "maximum": "2024-01-10", "bins": 2}
    both = [domain_of("start", **days), domain_of("end", **days)]
    never = impossible_cells(both, [Constraint.parse("end >= start")])[0, 1]
    assert never.tolist() == [[False] * 3, [True, False, False], [False] * 3]
    assert both[0].domain.start == date(2024, 1, 1)


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ({"values": ["a"]}, {"minimum": 0, "maximum": 9}, "needs a domain with minimum"),
        ({"minimum": 0, "maximum": 9}, {"minimum": "2024-01-01", "maximum": "2024-02-01"}, "dates"),
        ({"minimum": 10, "maximum": 19}, {"minimum": 0, "maximum": 9}, "no values"),
    ],
)
def test_constraints_that_no_domain_can_keep_are_refused(one, other, reason):
    """Both columns need ranges of one kind that leave room."""
    both = [domain_of("a", **one), domain_of("b", **other)]
    with pytest.raises(ka.PolicyError, match=reason):
        impossible_cells(both, [Constraint.parse("a <= b")])


@pytest.mark.parametrize(
    ("parts", "values", "beyond"),
    [
        ({"values": ["a", "b"]}, ["a", "zebra", None], 1),
        ({"values": ["a", "b"], "nulls": False}, ["a", "zebra", None], 2),
        ({"minimum": 0, "maximum": 9}, [0, 9, 10, -1, None], 2),
        ({"minimum": 0, "maximum": 9, "nulls": False}, [0, 9, 10, -1, None], 3),
        ({"minimum": "2024-02-01", "maximum": "2024-02-07"}, ["2024-02-07", "2024-03-01"], 1),
    ],
)
def test_values_beyond_a_domain_are_counted(parts, values, beyond):
    """Whoever holds the table can see beforehand which columns have values beyond their domain."""
    attributes = {"x": ka.Sensitive(domain=Domain(**parts)), "y": ka.Sensitive()}
    frame = pl.DataFrame({"x": values, "y": values})
    assert count_beyond(frame, attributes) == {"x": beyond}
