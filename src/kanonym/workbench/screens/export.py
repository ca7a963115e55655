"""Export: the files of a release, and the command and the Python that make it again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from kanonym.data.databases import displayable_url
from kanonym.data.errors import DataError
from kanonym.data.errors import gettext as _
from kanonym.data.files import sha256
from kanonym.data.option import command_line
from kanonym.language import LANGUAGES
from kanonym.workbench.open_project import OpenProject
from kanonym.workbench.project.folder import STAMPED
from kanonym.workbench.view import Screen, View
from kanonym.workbench.work.facts import PUBLIC

FORMATS = (".csv", ".parquet", ".xlsx", ".feather", ".jsonl", ".tsv", ".sav", ".dta")
REPORTS = {"html": "report.html", "pdf": "report.pdf", "md": "report.md"}


FILES = {
    "publish": _("May be published"),
    "secret": _("Keep secret"),
    "table": _("the released records"),
    "covered": _("says what is promised, and nothing else of the table"),
    "values": _("lists values of the table, also of records that are not released"),
    "figures": _("has figures of the table itself"),
    "seed": _("holds the seed: whoever has it can undo the shuffle"),
    "account": _("says how the release was made and checked"),
}
"""Why a file may be published, or may not."""


async def show(view: View) -> dict[str, Any]:
    """Return what can be written, and what was."""
    project = view.project
    return {
        "formats": FORMATS,
        "reports": REPORTS,
        "written": project.written,
        "folder": project.folder.path,
        "hashes": _hashes(project),
        "listed": _listed(project),
        "command": command(project) if project.written else "",
        "python": python(project) if project.written else "",
        "repeated": repeated(project),
        "unkept": await _unkept(project),
        "recoding": str(project.recoding) if project.recoding.is_file() else "",
        "batch": project.batch,
        "next_batch": view.sent.get("batch", ""),
        "apply": command_line(
            "kanonym", "apply", project.recoding, "NEXT.csv", "-o", "OUT.csv", "--update"
        ),
    }


def _hashes(project: OpenProject) -> dict[str, str]:
    """Return the hashes of the written tables, of the files that are handed over."""
    if project.written is None:
        return {}
    folder = project.folder.releases / project.written.folder
    places = [folder / name for name in _tables(project)]
    return {
        place.name: _hash_of(place, place.stat().st_mtime_ns) for place in places if place.is_file()
    }


def _listed(project: OpenProject) -> list[tuple[str, str, bool]]:
    """Return each written file, the key of why, and whether it may be published."""
    found = []
    for name in () if project.written is None else project.written.names:
        is_report = name in REPORTS.values()
        if name in _tables(project):
            why, public = "table", True
        elif name in PUBLIC:
            why, public = "covered", True
        elif name.startswith("hierarchies/"):
            why, public = "values", False
        elif project.release_is_private or (is_report and project.attacks):
            why, public = "figures", False
        elif project.release.form.get("seed") is not None:  # type: ignore[union-attr]
            why, public = "seed", False
        else:
            why, public = "account", True
        found.append((name, FILES[why], public))
    return sorted(found, key=lambda one: not one[2])


def _tables(project: OpenProject) -> list[str]:
    """Return the names of the written tables."""
    names = () if project.written is None else project.written.names
    return [name for name in names if Path(name).suffix in FORMATS]


@lru_cache
def _hash_of(place: Path, changed: int) -> str:
    """Return the hash of a file; `changed` is when it was written last."""
    del changed
    return sha256(place)


async def write(view: View) -> str | None:
    """Write the release, its policy, its manifest and the reports that are wanted."""
    project, extension = view.project, view.sent.get("format", ".csv")
    if extension not in FORMATS:
        raise DataError(f"a release is written as {', '.join(FORMATS)}")
    if not project.release_is_current:
        raise DataError(
            view.says.text(_("The policy was changed after the release was made: run again first."))
        )
    reports = tuple(file for kind, file in REPORTS.items() if kind in view.every("report"))
    language = view.sent.get("language", "")
    language = language if language in LANGUAGES else view.session.language
    project.write(f"released{extension}", reports, language)
    return None


def repeated(project: OpenProject) -> str:
    """Return the key of the sentence on what the command and the Python make."""
    if project.release_has_seed:
        table = "" if project.written is None else project.written.names[0]
        same = not table.endswith(STAMPED)
        return (
            _("This makes the same file, byte for byte.")
            if same
            else _(
                "This makes the same records. The file differs in some bytes: its format holds the "
                "time at which it was written."
            )
        )
    return (
        _(
            "This makes another release, with other records, and spends ε anew: a draw of "
            "differential privacy is not repeated. If both are published, their ε add up."
        )
        if project.release_is_private
        else _(
            "This makes a release by the same policy. The policy has no seed, so its records come "
            "in another order, and what is drawn at random differs."
        )
    )


def command(project: OpenProject) -> str:
    """Return the command that makes the written release again; of a database there is none.

    There a command leaves the table in the database, and orders the records in another way.
    """
    source, written = project.source, project.written
    assert source is not None  # noqa: S101 - something was written
    assert written is not None  # noqa: S101 - as above
    if source.in_database:
        return ""
    policy = project.folder.releases / written.folder / "policy.yaml"
    words = [source.path, *source.options, "--policy", str(policy)]
    words += ["--ledger", str(project.ledger)] if project.release_is_private else []
    return command_line("kanonym", "anonymize", *words, "-o", written.names[0])


def python(project: OpenProject) -> str:
    """Return the Python that makes the written release again."""
    source, written = project.source, project.written
    assert source is not None  # noqa: S101 - something was written
    assert written is not None  # noqa: S101 - as above
    policy = str(Path(project.folder.releases / written.folder / "policy.yaml"))
    given = [repr(source.path)]
    given += [f"sheet={source.sheet!r}"] if source.sheet else []
    given += [f"header_row={source.header_row}"] if source.header_row else []
    given += [f"encoding={source.encoding!r}"] if source.encoding else []
    given += [f"columns={source.column_names!r}"] if source.columns else []
    if project.release_is_private:
        given.append(f"declared=ka.Policy.from_file({policy!r}).attributes")
    read = f"ka.read_table({', '.join(given)})"
    if source.in_database:
        place = displayable_url(source.path)
        read = f"ka.engines.scan_database({place!r}, {source.table!r}).to_polars()"
    if source.in_duckdb:
        read = f"ka.engines.scan_duckdb({source.path!r}, name={source.table!r}).to_polars()"
    spent = f", ledger={str(project.ledger)!r}" if project.release_is_private else ""
    return (
        "import kanonym as ka\n\n"
        f"table = {read}\n"
        f"release = ka.anonymize(table, {policy!r}{spent})\n"
        f"release.write({written.names[0]!r})\n"
    )


async def notebook(view: View) -> tuple[str, str]:
    """Return the Python as a notebook, with what was checked and lost."""
    project = view.project
    if project.written is None:
        raise DataError(view.says.text(_("There is no release yet. Make one first.")))
    imported, _gap, steps = python(project).partition("\n\n")
    read, made, written = steps.splitlines()
    note = (
        _(
            "The policy, the manifest and the report hold the seed. Do not publish them with the "
            "release, or remove the seed first."
        )
        if project.release_has_seed
        else repeated(project)
    )
    cells = [
        f"# {project.folder.path.name}\n\n{view.says.text(note)}",
        f"{imported}\n\n{read}",
        made,
        "release.verification",
        "release.utility",
        "release.risk",
        written,
    ]
    return "release.ipynb", json.dumps(notebook_of(cells), indent=1, ensure_ascii=False) + "\n"


def notebook_of(cells: Sequence[str]) -> dict[str, Any]:
    """Return a notebook of version 4.5: the first cell is text, the others are Python."""
    first, *others = cells
    code: dict[str, Any] = {"cell_type": "code", "execution_count": None, "outputs": []}
    parts: list[dict[str, Any]] = [{"cell_type": "markdown"}, *(dict(code) for _ in others)]
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"language_info": {"name": "python"}},
        "cells": [
            {**part, "id": f"cell-{place}", "metadata": {}, "source": text}
            for place, (part, text) in enumerate(zip(parts, (first, *others), strict=True))
        ],
    }


async def fit(view: View) -> str | None:
    """Keep the recoding for the next batches."""
    if not view.project.release_is_current:
        raise DataError(
            view.says.text(_("The policy was changed after the release was made: run again first."))
        )
    if view.project.release_is_private:
        raise DataError(
            view.says.text(
                _(
                    "No recoding is kept under differential privacy: a next batch is a release of "
                    "its own, with an ε of its own."
                )
            )
        )
    view.project.keep_recoding()
    return None


async def _unkept(project: OpenProject) -> str:
    """Return why the recoding of the release is none for further batches; empty where it is."""
    if project.release_is_private or project.recoding.is_file() or not project.held.has_release:
        return ""
    return "" if project.busy else await project.answers.recoding_fault()


async def batch(view: View) -> str | None:
    """Release a further batch."""
    place = view.sent.get("batch", "").strip()
    if not place:
        raise DataError(view.says.text(_("Table of the next batch")))
    view.project.apply_recoding(place)
    return None


SCREEN = Screen(
    "export",
    show,
    {"write": write, "fit": fit, "batch": batch},
    downloads={"notebook": notebook},
    needs="release",
)
