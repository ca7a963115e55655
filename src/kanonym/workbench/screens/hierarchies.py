"""Hierarchies: built by a rule, edited by hand, imported and exported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from kanonym.data.errors import HierarchyError, KanonymError, PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.hierarchy import SOURCES
from kanonym.data.schema import RECODINGS, Role
from kanonym.workbench.forms import (
    Field,
    FieldError,
    fields_of,
    parse_fields,
    summary_of,
    with_sent,
)
from kanonym.workbench.project.hierarchy_rows import (
    Row,
    branches_of,
    rename_label,
    to_csv,
    with_group,
    with_level,
    write_rows,
)
from kanonym.workbench.project.history import columns_of, with_attribute
from kanonym.workbench.view import Screen, View

BUILDERS = tuple(name for name in SOURCES if name not in ("file", "mapping", "automatic"))
"""Rules with a form: a file is imported, and what is automatic needs no choice."""
SHOWN = 200
"""Values of a hierarchy on a page, and groups that are proposed."""
LONGEST_FILE = 1 << 28


async def show(view: View) -> dict[str, Any]:
    """Return the hierarchy of a column, and the builders for another one."""
    known = _columns(view)
    column = _column(view, known)
    if column is None:
        return {"known": known, "column": None}
    own = _own(view, column)
    builder = view.asked("builder") or next(iter(own or {}), "")
    builder = builder if builder in BUILDERS else ""
    given = (own or {}).get(builder) or {} if isinstance(own, Mapping) else {}
    inputs = _inputs(builder, given) if builder else []
    try:
        tree, fault = await view.project.answers.hierarchy(column, own), ""
    except KanonymError as error:
        tree, fault = None, str(error)
    seek = view.asked("seek").strip()
    places = _places(tree.rows, seek) if tree else range(0)
    asked = view.asked("row")
    start = min(int(asked), max(len(places) - 1, 0)) // SHOWN * SHOWN if asked.isdecimal() else 0
    page = places[start : start + SHOWN]
    groups = await view.project.answers.groups(column, own) if tree else ()
    return {
        "is_generalized": column in columns_of(view.project.form, Role.QUASI_IDENTIFIER),
        "seek": seek,
        "start": start,
        "found": len(places),
        "page": page,
        "known": known,
        "marked": {name for name in known if _own(view, name) is not None},
        "column": column,
        "own": own,
        "recoding": view.project.form["attributes"][column].get("recoding", ""),
        "recodings": RECODINGS,
        "usual": view.project.form.get("recoding", ""),
        "tree": tree,
        "fault": fault,
        "step": SHOWN,
        "builders": {name: summary_of(SOURCES[name]) for name in BUILDERS},
        "builder": builder,
        "inputs": with_sent(inputs, view.sent, view.faults) if view.sent.get("builder") else inputs,
        "opened": bool(builder and view.asked("builder")),
        "ticked": set(view.every("value")),
        "named": view.sent.get("name", ""),
        "groups": groups[:SHOWN],
        "labels": [label for _, label in groups if seek.casefold() in label.casefold()][:SHOWN],
        "branches": branches_of([tree.rows[i] for i in page], [tree.counts[i] for i in page])
        if tree
        else [],
    }


async def build(view: View) -> str | None:
    """Build a hierarchy by a rule."""
    column, builder = _requested_column(view), view.sent.get("builder", "")
    if builder not in BUILDERS:
        raise HierarchyError(f"a hierarchy is built by one of {', '.join(BUILDERS)}")
    given = parse_fields(_inputs(builder, {}), view.sent)
    form = {builder: {name.rstrip("_"): one for name, one in given.items()} or None}
    return await _take(view, column, form)


async def remove(view: View) -> str | None:
    """Take the hierarchy of a column away: what is suggested holds again."""
    column = _requested_column(view)
    form = with_attribute(view.project.form, column, {"hierarchy": None, "recoding": None})
    view.project.change(form, _("Hierarchy of {column}"), column=column)
    return _place(view, column)


async def recode(view: View) -> str | None:
    """Say how the values of a column are released."""
    column, recoding = _requested_column(view), view.sent.get("recoding", "")
    if recoding and recoding not in RECODINGS:
        raise PolicyError(f"a recoding is one of {', '.join(RECODINGS)}")
    changed = with_attribute(view.project.form, column, {"recoding": recoding or None})
    view.project.change(changed, _("How {column} is released"), column=column)
    return _place(view, column)


async def group(view: View) -> str | None:
    """Put ticked values into a group."""
    column, level = _requested_column(view), view.sent.get("level", "")
    name = view.sent.get("name", "")
    if "into" in view.sent:  # dropped on a group, or its button was pressed
        level, _colon, name = view.sent["into"].partition(":")
    tree = await view.project.answers.hierarchy(column, _own(view, column))
    rows = list(tree.rows)
    if level == "new":
        rows = with_level(rows)
        level = str(len(rows[0]) - 2)
    places = [int(one) for one in view.every("value") if one.isdecimal() and int(one) < len(rows)]
    if not places or not level.isdecimal():
        raise HierarchyError(view.says.text(_("Tick at least one value first.")))
    ticked = {rows[place][0] for place in places}
    return await _keep(view, column, with_group(rows, ticked, int(level), name))


async def rename(view: View) -> str | None:
    """Give a group another name."""
    column = _requested_column(view)
    tree = await view.project.answers.hierarchy(column, _own(view, column))
    level, _colon, old = view.sent.get("label", "").partition(":")
    if "old" in view.sent:
        level, old = view.sent.get("level", ""), view.sent["old"].strip()
    groups = await view.project.answers.groups(column, _own(view, column))
    if not level.isdecimal() or (int(level), old) not in set(groups):
        raise FieldError("old", "group", name=old)
    rows = rename_label(tree.rows, int(level), old, view.sent.get("name", ""))
    return await _keep(view, column, rows)


async def import_file(view: View) -> str | None:
    """Take a hierarchy file, such as ARX writes it."""
    column = _requested_column(view)
    async with view.request.form() as form:
        file = form.get("file")
        data = b"" if file is None or isinstance(file, str) else await file.read(LONGEST_FILE + 1)
    if len(data) > LONGEST_FILE:
        raise FieldError("file", "long", most=LONGEST_FILE >> 20)
    if not data:
        raise FieldError("file", "required")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise HierarchyError("the file is not UTF-8; save it as UTF-8") from None
    return await _take(view, column, {"file": _write(view, column, text)})


async def export(view: View) -> tuple[str, str]:
    """Return the hierarchy of a column as a file."""
    column = view.request.query_params.get("column", "")
    tree = await view.project.answers.hierarchy(column, _own(view, column))
    return f"hierarchy_{column}.csv", to_csv(tree.rows)


async def _keep(view: View, column: str, rows: list[Row]) -> str:
    return await _take(view, column, {"file": _write(view, column, to_csv(rows))})


async def _take(view: View, column: str, form: Mapping[str, Any]) -> str:
    """Give a column a hierarchy, once it is found to cover it."""
    await view.project.answers.hierarchy(column, form)
    # What a person builds here is what is released, not intervals or sets of values.
    parts: dict[str, Any] = {"hierarchy": dict(form)}
    if column in columns_of(view.project.form, Role.QUASI_IDENTIFIER):
        parts["recoding"] = "hierarchy"
    changed = with_attribute(view.project.form, column, parts)
    view.project.change(changed, _("Hierarchy of {column}"), column=column)
    return _place(view, column)


def _write(view: View, column: str, text: str) -> str:
    history = view.project.history
    number = 1 if history is None else history.next_number
    return write_rows(view.project.folder.path, column, number, text)


def _own(view: View, column: str) -> Any:
    own = view.project.form.get("attributes", {}).get(column, {}).get("hierarchy")
    return {own: None} if isinstance(own, str) else own


def _column(view: View, known: list[str]) -> str | None:
    """Return the column that is asked for, else the first one."""
    asked = view.request.query_params.get("column", "") or view.sent.get("column", "")
    return asked if asked in known else next(iter(known), None)


def _requested_column(view: View) -> str:
    column = view.sent.get("column", "")
    if column not in _columns(view):
        raise HierarchyError(f"{column!r} is no quasi-identifier, and not sensitive")
    return column


def _columns(view: View) -> list[str]:
    """Return the columns that may have a hierarchy."""
    roles = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    return [name for role in roles for name in columns_of(view.project.form, role)]


def _place(view: View, column: str) -> str:
    """Return the address of a column, at the page of its values where somebody was."""
    more = {name: view.sent[name] for name in ("seek", "row") if view.sent.get(name)}
    return f"hierarchies?{urlencode({'column': column, **more})}"


def _places(rows: Sequence[Row], seek: str) -> Sequence[int]:
    """Return where rows are that have some letters in a label, whatever the case."""
    if not seek:
        return range(len(rows))
    sought = seek.casefold()
    return [i for i, row in enumerate(rows) if any(sought in (one or "").casefold() for one in row)]


def _inputs(builder: str, given: Mapping[str, Any]) -> list[Field]:
    kind = SOURCES[builder]
    return fields_of(
        kind, {f"{name}_" if name == "from" else name: v for name, v in given.items()}, {}
    )


SCREEN = Screen(
    "hierarchies",
    show,
    {
        "build": build,
        "remove": remove,
        "group": group,
        "rename": rename,
        "recode": recode,
        "import": import_file,
    },
    downloads={"export": export},
)
