"""The strip above every screen: how many records violate the policy now."""

from __future__ import annotations

from typing import Any

from kanonym.data.errors import KanonymError
from kanonym.workbench.project.history import is_private
from kanonym.workbench.view import View


async def status_of(view: View) -> dict[str, Any]:
    """Return what the strip says: violations of the table as it is, and of the release."""
    project, violations, reason = view.project, None, ""
    if project.table is not None and not (project.busy and project.job.task == "open"):  # type: ignore[union-attr]
        try:
            violations = await project.answers.violations(project.form)
        except KanonymError as error:
            reason = str(error).splitlines()[0]
    private = is_private(project.form)
    return {"project": project, "found": violations, "reason": reason, "private": private}
