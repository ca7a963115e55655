"""Results: the verdict, what was lost, before and after, risk and attacks."""

from __future__ import annotations

from typing import Any

from kanonym.workbench.view import Screen, View
from kanonym.workbench.work.facts import ReportPart


async def show(view: View) -> dict[str, Any]:
    """Return the verdict, and the sections of the report."""
    project = view.project
    assert project.release is not None  # noqa: S101 - the screen needs it
    language = view.session.language
    sections: tuple[ReportPart, ...] = ()
    if not project.busy and not project.knows_report(language) and not project.held.has_release:
        project.hold_release(language)
    if not project.busy and (project.knows_report(language) or project.held.has_release):
        sections = await project.report_parts(language)
    return {"release": project.release, "sections": sections}


async def attack(view: View) -> str | None:
    """Attack and assess the release."""
    view.project.attack(view.session.language)
    return None


SCREEN = Screen("results", show, {"attack": attack}, needs="release")
