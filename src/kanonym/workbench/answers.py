"""What pages ask of the process: answered at once, and remembered where it takes a while."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kanonym.data.errors import KanonymError
from kanonym.evaluation.contingency import Contingency
from kanonym.pipeline.planning import Violations
from kanonym.pipeline.transformation import ActionExample
from kanonym.workbench.project.hierarchy_rows import groups_of, is_foreign_file
from kanonym.workbench.project.history import Form, text_of
from kanonym.workbench.work.facts import (
    BoundHierarchy,
    ComparedRisk,
    QuickRelease,
    ReadCell,
    RecordRisks,
    ReportPart,
    Rows,
)
from kanonym.workbench.work.held import GONE, HeldTable
from kanonym.workbench.work.worker import WorkError

SNAPSHOTS = 32
"""Policies whose violations are remembered, and hierarchies."""


class Answers:
    """Answers about a table and its release."""

    def __init__(self, held: HeldTable, folder: Path) -> None:
        self._held = held
        self._folder = str(folder)
        self.forget()

    def forget(self) -> None:
        """Remember nothing: another table was opened."""
        self._parts: dict[str, tuple[ReportPart, ...]] = {}
        self._bound: dict[str, BoundHierarchy] = {}
        self._groups: tuple[BoundHierarchy | None, tuple[tuple[int, str], ...]] = (None, ())
        self._violations: dict[str, Violations | KanonymError] = {}
        self._unkept: str | None = None
        self._risk: tuple[tuple[Any, ...], ComparedRisk] | None = None

    def knows_report(self, language: str) -> bool:
        """Whether the sections of the report are there without any work."""
        return language in self._parts

    def take_report(self, language: str, parts: tuple[ReportPart, ...]) -> None:
        """Take the sections of a report, in the place of all earlier ones."""
        self._parts, self._unkept, self._risk = {language: parts}, None, None

    async def rows(self, start: int, count: int) -> Rows:
        """Return some rows of the table."""
        rows: Rows = await self._held.question("rows", start=start, count=count)
        return rows

    async def readings(self, form: Form) -> dict[str, tuple[ReadCell, ...]]:
        """Return how texts of columns are read; nothing where the policy has faults.

        By column, some cells and what each is read as; or why it cannot be read.
        """
        try:
            found: dict[str, tuple[ReadCell, ...]] = await self._held.question(
                "readings", policy=text_of(form), folder=self._folder
            )
        except WorkError as error:
            if error.kind in GONE:
                raise
            return {}
        return found

    async def violations(self, form: Form) -> Violations:
        """Return how many records violate a policy."""
        text = text_of(form)
        if text not in self._violations:
            try:
                found: Violations | KanonymError = await self._held.question(
                    "violations", policy=text, folder=self._folder
                )
            except WorkError as error:
                if error.kind in GONE:
                    raise
                found = error
            if len(self._violations) >= SNAPSHOTS:
                self._violations.clear()
            self._violations[text] = found
        known = self._violations[text]
        if isinstance(known, KanonymError):
            raise known
        return known

    async def quick_release(self, form: Form) -> QuickRelease:
        """Return what a quick release of some records lost."""
        found: QuickRelease = await self._held.question(
            "quick_release", policy=text_of(form), folder=self._folder
        )
        return found

    async def records(
        self,
        start: int,
        count: int,
        sought: Mapping[str, str],
        *,
        suppressed: bool,
        by_class: bool = False,
    ) -> RecordRisks:
        """Return records before and after, the riskiest first, or class by class."""
        risks: RecordRisks = await self._held.question(
            "records",
            released=True,
            start=start,
            count=count,
            sought=dict(sought),
            suppressed=suppressed,
            by_class=by_class,
        )
        return risks

    async def contingency(self, row: str, column: str) -> Contingency:
        """Return how often values of two columns occur together, before and after."""
        found: Contingency = await self._held.question(
            "contingency", released=True, row=row, column=column
        )
        return found

    async def compared_risk(self, given: Mapping[str, Any]) -> ComparedRisk:
        """Return the risk of the table and of its release; given: keywords of `risk`."""
        key = tuple(sorted(given.items()))
        if self._risk is None or self._risk[0] != key:
            found = await self._held.question("compared_risk", released=True, given=dict(given))
            self._risk = key, found
        return self._risk[1]

    async def hierarchy(self, column: str, form: Any) -> BoundHierarchy:
        """Bind a hierarchy to a column; without a form, what is suggested."""
        key = f"{column}\0{json.dumps(form, default=str)}"
        if key in self._bound:
            return self._bound[key]
        hierarchy: BoundHierarchy = await self._held.question(
            "hierarchy", column=column, form=form, folder=self._folder
        )
        if not is_foreign_file(form):
            if len(self._bound) >= SNAPSHOTS:
                self._bound.clear()
            self._bound[key] = hierarchy
        return hierarchy

    async def groups(self, column: str, form: Any) -> tuple[tuple[int, str], ...]:
        """Return the labels between the values and the root of a hierarchy, by level."""
        tree = await self.hierarchy(column, form)
        if self._groups[0] is not tree:
            self._groups = (tree, groups_of(tree.rows))
        return self._groups[1]

    async def recoding_fault(self) -> str:
        """Return why the recoding of the release cannot be kept for further batches."""
        if self._unkept is None:
            self._unkept = await self._held.question("recoding_fault", released=True)
        return self._unkept

    async def action_example(self, form: Form, column: str) -> ActionExample:
        """Carry out the actions that a policy gives a column on its cells."""
        example: ActionExample = await self._held.question(
            "action_example", column=column, policy=text_of(form), folder=self._folder
        )
        return example

    async def report_parts(self, language: str) -> tuple[ReportPart, ...]:
        """Return the sections of the report on the release."""
        if language not in self._parts:
            self._parts[language] = await self._held.question(
                "report_parts", released=True, language=language
            )
        return self._parts[language]
