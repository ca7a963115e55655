"""The table that was opened: its rows, its types, and what was guessed in reading it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kanonym.data.errors import DataError
from kanonym.data.errors import gettext as _
from kanonym.workbench.project.history import with_attribute
from kanonym.workbench.view import Screen, View

ROWS = 25
"""Of a page of the preview."""

ENCODINGS = ("windows-1252", "windows-1250", "windows-1251", "iso-8859-15", "utf-16", "shift_jis")
"""Which the page proposes."""


async def show(view: View) -> dict[str, Any]:
    """Return a page of the table."""
    project = view.project
    if project.table is None:
        return {"rows": None, "source": project.unread, "encodings": ENCODINGS}
    asked = view.request.query_params.get("row", "0")
    start = int(asked) if asked.isdecimal() else 0
    start = min(start, max(project.table.rows - 1, 0)) // ROWS * ROWS
    rows = await project.answers.rows(start, ROWS)
    return {
        "rows": rows,
        "step": ROWS,
        "table": project.table,
        "source": project.source,
        "encodings": ENCODINGS,
        "readings": await project.answers.readings(project.form),
    }


async def read(view: View) -> str | None:
    """Read the table again, as the person says."""
    project = view.project
    source = project.source or project.unread
    if source is None:
        raise DataError("no table is open")
    row = view.sent.get("header_row", "").strip()
    if row and not row.isdecimal():
        raise DataError(f"row of the names: {row!r} is no number")
    project.open(
        replace(
            source,
            sheet=view.sent.get("sheet") or None,
            header_row=int(row) if row else None,
            encoding=view.sent.get("encoding", "").strip() or None,
            columns=view.sent.get("columns", "").strip() or None,
        )
    )
    return None


async def reading(view: View) -> str | None:
    """Say how a column writes its numbers, dates, times or bands."""
    kind, form = view.sent.get("type", ""), view.sent.get("format", "").strip()
    changed = {
        "type": kind or None,
        "format": form if form and kind in ("date", "time", "number") else None,
    }
    name = view.sent.get("column", "")
    view.project.change(
        with_attribute(view.project.form, name, changed),
        _("{column} is read in another way"),
        column=name,
    )
    return None


SCREEN = Screen("open", show, {"read": read, "reading": reading}, needs="nothing")
