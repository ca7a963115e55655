"""Laws of printing: Go's numbers, and records as lines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.sigo.attributes import round_half_away
from kanonym.sigo.records import go_number, go_numbers, iso_dates

# What Go's encoding/json writes, from its specification: 'f' with the shortest digits, but 'e'
# below 1e-6 and from 1e21 on, and no leading zero in an exponent of two digits.
GO = {
    0.0: "0",
    3.0: "3",
    -2.5: "-2.5",
    18.17: "18.17",
    0.1 + 0.2: "0.30000000000000004",
    1e-5: "0.00001",
    1.5e-6: "0.0000015",
    1e-6: "0.000001",
    9.5e-7: "9.5e-7",
    1e-7: "1e-7",
    -1e-10: "-1e-10",
    5e-324: "5e-324",
    123456789012345680.0: "123456789012345680",
    1e16: "10000000000000000",
    1e20: "100000000000000000000",
    1e21: "1e+21",
    1.25e22: "1.25e+22",
    1e100: "1e+100",
}


@pytest.mark.parametrize(("value", "text"), GO.items(), ids=GO.values())
def test_numbers_are_written_as_go_does(value, text):
    """A number has Go's shortest form."""
    assert go_number(value) == text


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_read_back(values):
    """Every text reads back as its number, and never ends in `.0`."""
    texts = go_numbers(np.array(values)).to_list()
    assert [float(text) for text in texts] == values
    assert not any(text.endswith(".0") for text in texts)


def test_halves_are_rounded_away_from_zero():
    """Rounding is Go's: half away from zero of what the float is, not of what was written."""
    values = np.array([0.125, -0.125, 2.675, 0.005, 1.0, 0.49999999999999994])
    assert round_half_away(values, 2).tolist() == [0.13, -0.13, 2.68, 0.01, 1.0, 0.5]
    assert round_half_away(values[-1:], 0).tolist() == [0.0]


def test_dates_are_iso():
    """Days since 1970 are printed as dates, in quotes."""
    assert iso_dates(np.array([0.0, 18262.0, -1.0])).to_list() == [
        '"1970-01-01"',
        '"2020-01-01"',
        '"1969-12-31"',
    ]
