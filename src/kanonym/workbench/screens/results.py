"""Results: the verdict, what was lost, before and after, risk and attacks."""

from __future__ import annotations

from typing import Any

from kanonym.data.errors import SchemaError
from kanonym.data.schema import Role
from kanonym.workbench.project.history import columns_of
from kanonym.workbench.view import Screen, View
from kanonym.workbench.work.facts import ReportPart


async def show(view: View) -> dict[str, Any]:
    """Return the verdict, and the sections of the report."""
    project = view.project
    assert project.release is not None  # noqa: S101 - the screen needs it
    language = view.session.language
    sections: tuple[ReportPart, ...] = ()
    if (
        not project.busy
        and not project.answers.knows_report(language)
        and not project.held.has_release
        and project.release_has_seed
    ):
        project.hold_release(language)
    if not project.busy and (project.answers.knows_report(language) or project.held.has_release):
        sections = await project.answers.report_parts(language)
    return {
        "release": project.release,
        "sections": sections,
        "targets": _targets(view),
        "accuracies": project.accuracies,
    }


async def accuracy(view: View) -> str | None:
    """Measure how well models that learn from the release predict a column."""
    target = view.sent.get("target", "")
    if target not in _targets(view):
        raise SchemaError(f"column {target!r} is not released")
    view.project.measure_accuracy(target)
    return None


def _targets(view: View) -> list[str]:
    """Return the columns that models may predict, the sensitive ones first."""
    roles = (Role.SENSITIVE, Role.INSENSITIVE, Role.QUASI_IDENTIFIER)
    return [name for role in roles for name in columns_of(view.project.form, role)]


async def attack(view: View) -> str | None:
    """Attack and assess the release."""
    view.project.attack(view.session.language)
    return None


SCREEN = Screen("results", show, {"attack": attack, "accuracy": accuracy}, needs="release")
