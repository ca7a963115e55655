"""A project that is open: its folder, the process that holds its table, and what was computed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from kanonym.data.errors import KanonymError
from kanonym.pipeline.action_example import ActionExample
from kanonym.pipeline.violations import Violations
from kanonym.policy import Policy
from kanonym.policy.writing import policy_yaml
from kanonym.workbench.project.edits import suggested_form
from kanonym.workbench.project.folder import ProjectFolder
from kanonym.workbench.project.history import Form, History
from kanonym.workbench.work.facts import (
    BoundHierarchy,
    Exploration,
    MadeRelease,
    OpenedTable,
    RecordRisks,
    ReportPart,
    Rows,
    Source,
    WrittenFiles,
)
from kanonym.workbench.work.messages import Step
from kanonym.workbench.work.worker import CANCELLED, ENDED, Worker, WorkError

GONE = (CANCELLED, ENDED)
"""Kinds of errors that say nothing of what was asked."""
SNAPSHOTS = 32
"""Policies whose violations are remembered."""


@dataclass(eq=False)
class Job:
    """Long work: what it is, how far it is, and how it ended.

    Attributes
    ----------
    task
        `open`, `release`, `explore`, `attack` or `write`.
    begun
        When, by the monotonic clock.
    sentence, done, total
        What it told last, and its share where it knows that.
    changed
        Set whenever something of this changes, and made anew.

    """

    task: str
    begun: float = field(default_factory=monotonic)
    sentence: str = ""
    done: int = 0
    total: int = 0
    ended: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return monotonic() - self.begun

    def hear(self, step: Step) -> None:
        """Take over what the process tells."""
        self.sentence, self.done, self.total = step.sentence, step.done, step.total
        self._tell()

    def end(self) -> None:
        """Say that it is over."""
        self.ended = True
        self._tell()

    def _tell(self) -> None:
        event, self.changed = self.changed, asyncio.Event()
        event.set()


class OpenProject:
    """A project in a session.

    Attributes
    ----------
    folder, source, history
        What is on the disk.
    table, release, written, exploration
        What was computed; None until then.
    sought, only_suppressed
        Which records are looked for: values by quasi-identifier.
    explored
        The policy beside which other solutions were looked for.
    job
        The long work that is under way, or was last.
    problem
        Why the last work failed; None where it did not.

    """

    def __init__(self, folder: ProjectFolder) -> None:
        self.folder = folder
        self.source: Source | None = None
        self.history: History | None = None
        self.table: OpenedTable | None = None
        self.release: MadeRelease | None = None
        self.written: WrittenFiles | None = None
        self.exploration: Exploration | None = None
        self.explored: Form = {}
        self.sought: dict[str, str] = {}
        self.only_suppressed = False
        self.job: Job | None = None
        self.problem: WorkError | None = None
        self.worker = Worker()
        self._generation = 0
        self._released = 0
        self._asked: Form = {}
        self._parts: dict[str, tuple[ReportPart, ...]] = {}
        self._violations: dict[str, Violations | KanonymError] = {}
        self._running: set[asyncio.Task[None]] = set()

    @property
    def form(self) -> Form:
        """The policy at work."""
        return {} if self.history is None else self.history.state.form

    @property
    def busy(self) -> bool:
        """Whether long work is under way."""
        return self.job is not None and not self.job.ended

    @property
    def release_is_current(self) -> bool:
        """Whether the release was made by the policy at work."""
        return self.release is not None and self._asked == self.form

    def policy(self) -> Policy:
        """Return the policy at work.

        Raises
        ------
        PolicyError
            It has faults, or is not complete yet.

        """
        return Policy.from_text(self._text(), self.folder.path, source="policy")

    def change(self, form: Form, change: str, **facts: str) -> None:
        """Go on to another policy, and save it."""
        if self.history is None or form == self.form:
            return
        self.keep(self.history.after(form, change, facts))

    def keep(self, history: History) -> None:
        """Go on with another history, and save it."""
        if self.source is not None:
            self.folder.save(self.source, history)
        self.history = history

    def open(self, source: Source, history: History | None = None) -> None:
        """Read a table; a project without a history starts with what is suggested."""

        async def work(job: Job) -> None:
            table: OpenedTable = await self._ask("open", job, source=source)
            self.source, self.table = source, table
            self.release = self.written = self.exploration = None
            self.sought, self.only_suppressed = {}, False
            self._violations.clear()
            self._generation = self.worker.generation
            self.keep(history or History.of(suggested_form(table.profile)))

        self._begin("open", work)

    def make_release(self, language: str) -> None:
        """Make a release by the policy at work, and its report in a language."""
        asked, text = self.form, self._text()

        async def work(job: Job) -> None:
            await self._ready(job)
            folder = str(self.folder.path)
            made = await self._ask("release", job, policy=text, folder=folder)
            self.release, self._asked, self.written = made, asked, None
            self._released = self.worker.generation
            await self._report(job, language)

        self._begin("release", work)

    def explore(self, kind: str) -> None:
        """Look for other solutions: `compare` or `lattice`."""
        asked, text, folder = self.form, self._text(), str(self.folder.path)

        async def work(job: Job) -> None:
            await self._ready(job)
            self.exploration = await self._ask(
                "explore", job, kind=kind, policy=text, folder=folder
            )
            self.explored = asked

        self._begin("explore", work)

    def attack(self, language: str) -> None:
        """Attack and assess the release, and make its report in a language."""

        async def work(job: Job) -> None:
            await self._ready(job, released=True)
            self.release = await self._ask("attack", job)
            await self._report(job, language)

        self._begin("attack", work)

    def write(self, table: str, reports: tuple[str, ...], language: str) -> None:
        """Write the release and what belongs to it into the project."""
        assert self.history is not None  # noqa: S101 - there is a release
        folder = self.folder.releases / f"{self.history.state.number:04d}"

        async def work(job: Job) -> None:
            await self._ready(job, released=True)
            self.written = await self._ask(
                "write",
                job,
                project=str(self.folder.path),
                folder=str(folder),
                table=table,
                reports=reports,
                language=language,
            )

        self._begin("write", work)

    def cancel(self) -> None:
        """End the long work at once; the table is read again when it is needed."""
        if self.busy:
            self.worker.stop()

    async def rows(self, start: int, count: int) -> Rows:
        """Return some rows of the table."""
        found: Rows = await self._question("rows", start=start, count=count)
        return found

    async def violations(self) -> Violations:
        """Return how many records violate the policy at work.

        Raises
        ------
        KanonymError
            The policy has faults, or does not fit the table.

        """
        text = self._text()
        if text not in self._violations:
            try:
                found: Violations | KanonymError = await self._question(
                    "violations", policy=text, folder=str(self.folder.path)
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

    async def records(
        self, start: int, count: int, sought: Mapping[str, str], *, suppressed: bool
    ) -> RecordRisks:
        """Return records before and after, the riskiest first."""
        found: RecordRisks = await self._question(
            "records",
            released=True,
            start=start,
            count=count,
            sought=dict(sought),
            suppressed=suppressed,
        )
        return found

    async def hierarchy(self, column: str, form: Any) -> BoundHierarchy:
        """Bind a hierarchy to a column; without a form, what is suggested.

        Raises
        ------
        WorkError
            The form is wrong, or does not cover the column.

        """
        found: BoundHierarchy = await self._question(
            "hierarchy", column=column, form=form, folder=str(self.folder.path)
        )
        return found

    async def action_example(self, form: Form, column: str) -> ActionExample:
        """Carry out the actions that a policy gives a column on its cells.

        Raises
        ------
        KanonymError
            The policy has faults, or an action cannot be carried out.

        """
        found: ActionExample = await self._question(
            "action_example", column=column, policy=_text_of(form), folder=str(self.folder.path)
        )
        return found

    async def report_parts(self, language: str) -> tuple[ReportPart, ...]:
        """Return the sections of the report on the release."""
        if language not in self._parts:
            self._parts[language] = await self._question(
                "report_parts", released=True, language=language
            )
        return self._parts[language]

    def close(self) -> None:
        """End the process."""
        self.worker.stop()

    def _begin(self, task: str, work: Callable[[Job], Awaitable[None]]) -> None:
        """Begin long work, unless some is under way."""
        if self.busy:
            return
        job = self.job = Job(task)
        self.problem = None

        async def run() -> None:
            try:
                await work(job)
            except WorkError as error:
                self.problem = error
            except KanonymError as error:
                self.problem = WorkError(str(error), type(error).__name__)
            finally:
                job.end()

        running = asyncio.get_running_loop().create_task(run())
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    async def _report(self, job: Job, language: str) -> None:
        """Have the sections of the report made, in the lane of long work: charts take seconds."""
        self._parts = {language: await self._ask("report_parts", job, language=language)}

    async def _ask(self, task: str, job: Job, **arguments: Any) -> Any:
        return await self.worker.ask(task, "long", job.hear, **arguments)

    async def _question(self, task: str, *, released: bool = False, **arguments: Any) -> Any:
        """Ask something that is answered at once; again where the process was ended meanwhile.

        released: whether it is about the release.
        """
        try:
            await self._ready(None, released=released)
            return await self.worker.ask(task, **arguments)
        except WorkError as error:
            if error.kind not in GONE:
                raise
        await self._ready(None, released=released)
        return await self.worker.ask(task, **arguments)

    async def _ready(self, job: Job | None, *, released: bool = False) -> None:
        """Have the process hold the table, and the release, again if it was ended."""
        hear = None if job is None else job.hear
        if not self.worker.alive or self._generation != self.worker.generation:
            await self.worker.ask("reopen", "long", hear, source=self.source)
            self._generation = self.worker.generation
        if released and self._released != self.worker.generation:
            text, folder = _text_of(self._asked), str(self.folder.path)
            await self.worker.ask("release", "long", hear, policy=text, folder=folder)
            self._released = self.worker.generation

    def _text(self) -> str:
        return _text_of(self.form)


def _text_of(form: Form) -> str:
    return policy_yaml(form, (), {})
