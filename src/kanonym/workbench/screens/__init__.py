"""The screens, in the order of the work: each a module here and a template of the same name."""

from __future__ import annotations

from kanonym.workbench.screens import (
    actions,
    columns,
    explore,
    export,
    hierarchies,
    history,
    opened,
    records,
    requirements,
    results,
    run,
)
from kanonym.workbench.view import Screen

SCREENS: tuple[Screen, ...] = (
    opened.SCREEN,
    columns.SCREEN,
    hierarchies.SCREEN,
    actions.SCREEN,
    requirements.SCREEN,
    run.SCREEN,
    explore.SCREEN,
    results.SCREEN,
    records.SCREEN,
    export.SCREEN,
    history.SCREEN,
)
"""Every screen: a further one is a module, a template, `wb.screen.NAME`, and its name here."""
