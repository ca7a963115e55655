"""Records: the riskiest ones before and after, and a person that is looked up."""

from __future__ import annotations

from typing import Any

from kanonym.data.schema import Role
from kanonym.workbench.project.edits import columns_of
from kanonym.workbench.view import Screen, View

ROWS = 20
SOUGHT = "is:"
"""Before the name of a quasi-identifier whose value is sought."""


async def show(view: View) -> dict[str, Any]:
    """Return a page of records."""
    query = view.request.query_params
    known = columns_of(view.project.form, Role.QUASI_IDENTIFIER)
    sought, suppressed = view.project.sought, view.project.only_suppressed
    start = int(query["row"]) if query.get("row", "").isdecimal() else 0
    found = await view.project.records(start, ROWS, sought, suppressed=suppressed)
    return {
        "found": found,
        "known": known,
        "sought": sought,
        "suppressed": suppressed,
        "step": ROWS,
        "prefix": SOUGHT,
    }


async def find(view: View) -> str | None:
    """Look for the records with some values; no address holds them, so no browser keeps them."""
    known = columns_of(view.project.form, Role.QUASI_IDENTIFIER)
    given = {name: view.sent.get(f"{SOUGHT}{name}", "").strip() for name in known}
    view.project.sought = {name: value for name, value in given.items() if value}
    view.project.only_suppressed = "suppressed" in view.sent
    return None


async def find_all(view: View) -> str | None:
    """Show all records again."""
    view.project.sought, view.project.only_suppressed = {}, False
    return None


SCREEN = Screen("records", show, {"find": find, "all": find_all}, needs="release")
