"""A table of 200 columns stays usable."""

from __future__ import annotations

import re
import time

import polars as pl
import pytest

from kanonym.data.files import write_table
from workbench_servers import Visitor, act, idle, running, text_of

COLUMNS = 200
PATIENCE = 3.0
"""Seconds of a screen, on a machine that is busy with other tests."""


@pytest.fixture(scope="module", name="visitor")
def fixture_visitor(tmp_path_factory):
    """Give somebody who opened a table of 200 columns."""
    folder = tmp_path_factory.mktemp("wide")
    columns = {f"answer_{one:03d}": [(row * one) % 7 for row in range(40)] for one in range(1, 199)}
    ages = {"age": list(range(20, 60)), "sex": ["f", "m"] * 20}
    write_table(pl.DataFrame({**ages, **columns}), folder / "wide.csv")
    with running(str(folder / "wide.csv"), folder=folder / "project") as (_, addresses):
        visitor = Visitor.enter(addresses[-1])
        visitor.at = visitor.place.rpartition("/")[0]
        idle(visitor)
        yield visitor


def test_many_columns_get_a_role_in_one_form(visitor):
    """All ticked columns get a role at once, and the counts say so."""
    places = list(range(2, COLUMNS))
    page = act(visitor, "columns/role", column=places, ticked="insensitive")
    assert page.status == 200
    assert "insensitive 198" in text_of(page)


@pytest.mark.parametrize("screen", ["open", "columns", "hierarchies", "actions", "requirements"])
def test_screens_answer_soon(visitor, screen):
    """No screen takes seconds, however many columns there are."""
    begun = time.monotonic()
    assert visitor.get(f"{visitor.at}/{screen}").status == 200
    assert time.monotonic() - begun < PATIENCE


def test_columns_are_chosen_from_a_list_and_not_from_a_wall_of_links(visitor):
    """Where there are many columns, a field of choices names them, with the current one."""
    page = visitor.get(f"{visitor.at}/actions?column=answer_150").text
    assert len(re.findall("<option", page)) >= COLUMNS
    assert re.search(r'<option value="answer_150" selected', page)
    assert page.count("?column=") < 40
