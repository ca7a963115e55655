"""A project that is open: its folder, the process that holds its table, and what was computed."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from kanonym.data.errors import DataError, KanonymError
from kanonym.differential_privacy.ledger import read_ledger
from kanonym.policy import Policy
from kanonym.workbench.answers import Answers
from kanonym.workbench.project.folder import (
    ChangedError,
    KeptRelease,
    ProjectFolder,
    load_releases,
    settle_folders,
)
from kanonym.workbench.project.history import (
    Form,
    History,
    is_private,
    is_repeatable,
    suggested_form,
    text_of,
)
from kanonym.workbench.sessions import Job
from kanonym.workbench.work.facts import (
    Exploration,
    MadeRelease,
    OpenedTable,
    ReleasedBatch,
    Source,
    WrittenFiles,
)
from kanonym.workbench.work.held import HeldTable
from kanonym.workbench.work.worker import WorkError


class OpenProject:
    """A project in a session."""

    def __init__(self, folder: ProjectFolder) -> None:
        self.folder = folder
        self.source: Source | None = None
        self.unread: Source | None = None
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
        self.accuracies: dict[str, Mapping[str, Any]] = {}
        self.batch: ReleasedBatch | None = None
        self.kept: list[KeptRelease] = []
        self.held = HeldTable()
        self.answers = Answers(self.held, folder.path)
        self._state = self._attacked_of = 0
        self._stamp: tuple[int, int] | None = None
        self._asked: Form = {}
        self._given: History | None = None
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
    def attacked(self) -> bool:
        """Whether the release was attacked and assessed, by the process that is there now."""
        return self.held.has_release and self._attacked_of == self.held.worker.generation

    @property
    def attacks(self) -> tuple[Mapping[str, Any], ...]:
        """What attacks on the release found, the most successful first; also before a restart."""
        folder = None if self.written is None else self.written.folder
        return next(
            (release.attacks for release in self.kept if release.written.folder == folder), ()
        )

    @property
    def recoding(self) -> Path:
        """Where the recoding of the release is kept, once it is."""
        name = f"{self._state:04d}" if self.written is None else self.written.folder
        return self.folder.path / "recodings" / f"{name}.json"

    @property
    def ledger(self) -> Path:
        """The file that adds up what releases under differential privacy spend of the table."""
        source = self.source
        if source is not None and source.ledger is not None:
            return Path(source.ledger)
        if source is None or source.uploaded or source.in_database:
            return self.folder.path / "ledger.json"
        return Path(source.path).with_suffix(".ledger.json")

    @property
    def is_private(self) -> bool:
        """Whether the policy at work, or that of the release, asks for differential privacy."""
        return is_private(self.form) or self.release_is_private

    @property
    def can_hold(self) -> bool:
        """Whether the process holds the release, or can make the very same one again."""
        return self.held.has_release or self.release_has_seed

    @property
    def release_is_private(self) -> bool:
        """Whether the release was made under differential privacy."""
        return is_private(self._asked)

    @property
    def release_has_seed(self) -> bool:
        """Whether the release is repeated byte for byte."""
        return is_repeatable(self._asked)

    @property
    def release_is_current(self) -> bool:
        """Whether the release was made by the policy at work."""
        return self.release is not None and self._asked == self.form

    def policy(self) -> Policy:
        """Return the policy at work."""
        return Policy.from_text(self._text(), self.folder.path, source="policy")

    @property
    def faults(self) -> list[str]:
        """What is wrong with the policy at work, one sentence each; empty where it is complete."""
        try:
            self.policy()
        except KanonymError as error:
            first, *more = str(error).splitlines()
            return [one.strip() for one in more] or [first]
        return []

    def change(self, form: Form, change: str, **facts: str) -> None:
        """Go on to another policy, and save it."""
        if self.history is None or form == self.form:
            return
        kept = {one.state for one in self.kept}
        self.keep(self.history.after(form, change, facts, kept))

    def keep(self, history: History) -> None:
        """Go on with another history, and save it; with that of the disk where it is another."""
        try:
            if self.source is not None:
                self.folder.save(self.source, history)
        except ChangedError:
            _, self.history = self.folder.load()
            self.kept = load_releases(self.folder.releases)
            raise
        self.history = history

    def set_ledger(self, path: str) -> None:
        """Have further releases under differential privacy spend from a file."""
        ledger = Path(path).expanduser().resolve()
        if self.source is None or self.history is None or ledger == self.ledger:
            return
        if not ledger.parent.is_dir():
            raise DataError(f"ledger {ledger}: there is no folder {ledger.parent}")
        read_ledger(ledger)
        self.source = replace(self.source, ledger=str(ledger))
        self.folder.save(self.source, self.history)

    def open_again(self, source: Source, history: History | None) -> None:
        """Read the table where that is not done, or where it is another by now."""
        known = self.source or self.unread
        moved = known is not None and known.path != source.path
        if not self.busy and (self.table is None or moved or self._stamp != _stamp_of(source)):
            self.open(source, self.history or history)

    def open(self, source: Source, history: History | None = None) -> None:
        """Read a table; a project without a history starts with what is suggested."""
        if self.source is None:
            self.unread, self._given = source, history or self._given
            history = self._given

        async def work(job: Job) -> None:
            stamp = _stamp_of(source)
            table = await self.held.open(source, job.hear)
            self._stamp = stamp
            self.source, self.table, self.unread = source, table, None
            self.release = self.written = self.exploration = None
            self.batch, self.accuracies = None, {}
            self.sought, self.only_suppressed = {}, False
            self.answers.forget()
            self.keep(
                history or History.of(suggested_form(table.profile, self.folder.private_seed))
            )
            settle_folders(self.folder.releases)
            self._resume_release()

        self._begin("open", work)

    def make_release(self, language: str) -> None:
        """Make a release by the policy at work, write it, and make its report in a language."""
        asked, text = self.form, self._text()
        state = 0 if self.history is None else self.history.state.number

        async def work(job: Job) -> None:
            made = await self.held.release(
                text,
                str(self.folder.path),
                job.hear,
                repeatable=is_repeatable(asked),
                ledger=str(self.ledger) if is_private(asked) else None,
            )
            same = self._same_release(asked, made)
            self._state = state if same is None else same.state
            kept = None if same is None else same.written
            table = "" if same is None else _usual_table(same.written)
            self.written = await self._write(job, asked, made, table, (), language, kept)
            self.release, self._asked, self._attacked_of = made, asked, 0
            self.accuracies = {}
            await self._report(job, language)

        self._begin("release", work)

    def hold_release(self, language: str) -> None:
        """Have the process hold the release again: it was ended, or the project was resumed.

        Nothing is begun where that has just failed.
        """
        if self.problem is not None and self.job is not None and self.job.task == "hold":
            return

        async def work(job: Job) -> None:
            await self.held.ready(job.hear, released=True)
            await self._report(job, language)

        self._begin("hold", work)

    def explore(self, kind: str) -> None:
        """Look for other solutions: `compare` or `lattice`."""
        asked, text, folder = self.form, self._text(), str(self.folder.path)

        async def work(job: Job) -> None:
            await self.held.ready(job.hear)
            self.exploration = await self.held.do(
                "explore", job.hear, kind=kind, policy=text, folder=folder
            )
            self.explored = asked

        self._begin("explore", work)

    def attack(self, language: str) -> None:
        """Attack and assess the release, and write its report in a language."""

        async def work(job: Job) -> None:
            await self._attack(job)
            assert self.release is not None  # noqa: S101 - it was attacked
            await self._report(job, language)
            if self.written is not None:
                names = self.written.names
                table = _usual_table(self.written)
                reports = tuple({*(n for n in names if n.startswith("report.")), "report.html"})
                self.written = await self._write(
                    job, self._asked, self.release, table, reports, language, self.written
                )

        self._begin("attack", work)

    def write(self, table: str, reports: tuple[str, ...], language: str) -> None:
        """Write the release and what belongs to it into the project."""

        async def work(job: Job) -> None:
            await self.held.ready(job.hear, released=True)
            assert self.release is not None  # noqa: S101 - it is shown
            if reports and self.attacks and not self.attacked:
                await self._attack(job)  # its report has the attacks: none replaces it without
            self.written = await self._write(
                job, self._asked, self.release, table, reports, language, self.written
            )

        self._begin("write", work)

    def measure_accuracy(self, target: str) -> None:
        """Measure how well models that learn from the release predict a column."""

        async def work(job: Job) -> None:
            await self.held.ready(job.hear, released=True)
            self.accuracies[target] = await self.held.do("accuracy", job.hear, target=target)

        self._begin("accuracy", work)

    def keep_recoding(self) -> None:
        """Keep the recoding of the release for further batches."""

        async def work(job: Job) -> None:
            await self.held.ready(job.hear, released=True)
            await self.held.do("keep_recoding", job.hear, place=str(self.recoding))

        self._begin("fit", work)

    def apply_recoding(self, batch: str) -> None:
        """Release a further batch by the recoding of the release."""

        async def work(job: Job) -> None:
            self.batch = await self.held.do(
                "apply_recoding", job.hear, recoding=str(self.recoding), batch=batch
            )

        self._begin("batch", work)

    def cancel(self) -> None:
        """End the long work at once; the table is read again when it is needed."""
        if self.busy:
            self.held.worker.stop()

    def discard(self, folder: str) -> None:
        """Remove the files of a release from the project."""
        if any(release.written.folder == folder for release in self.kept):
            shutil.rmtree(self.folder.releases / folder, ignore_errors=True)
            self.kept = load_releases(self.folder.releases)
            if self.written is not None and self.written.folder == folder:
                self.written = None

    def close(self) -> None:
        """End the process."""
        self.held.worker.stop()

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
            except Exception as error:  # noqa: BLE001 - the text of a foreign error may quote data
                kind = type(error).__name__
                self.problem = WorkError(f"internal error ({kind})", kind)
            finally:
                job.end()

        running = asyncio.get_running_loop().create_task(run())
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    async def _attack(self, job: Job) -> None:
        """Attack and assess the release, which the process holds from then on with the results."""
        await self.held.ready(job.hear, released=True)
        await self.held.do("attack", job.hear)
        self._attacked_of = self.held.worker.generation

    async def _report(self, job: Job, language: str) -> None:
        """Have the sections of the report made, in the lane of long work: charts take seconds."""
        parts = await self.held.do("report_parts", job.hear, language=language)
        self.answers.take_report(language, parts)

    async def _write(
        self,
        job: Job,
        asked: Form,
        made: MadeRelease,
        table: str,
        reports: tuple[str, ...],
        language: str,
        before: WrittenFiles | None,
    ) -> WrittenFiles:
        """Write the release beside what was written of it before, else into a new folder.

        table: its file, empty for the usual one.
        """
        own = before is None
        folder = f"{self._state:04d}" if before is None else before.folder
        written: WrittenFiles = await self.held.do(
            "write",
            job.hear,
            project=str(self.folder.path),
            folder=str(self.folder.releases / folder),
            own=own,
            table=table,
            reports=reports,
            language=language,
            kept={"state": self._state, "asked": asked, "made": made},
        )
        self.kept = load_releases(self.folder.releases)
        return written

    def _same_release(self, asked: Form, made: MadeRelease) -> KeptRelease | None:
        """Return the release that was written before and is the same, byte for byte."""
        table = None if self.table is None else self.table.sha256
        if not is_repeatable(asked) or not table:
            return None
        for release in reversed(self.kept):
            if (release.asked, release.table, release.made.rows) == (asked, table, made.rows):
                return release
        return None

    def _resume_release(self) -> None:
        """Take over the release that was written last, if it is one of this very table."""
        self.kept = load_releases(self.folder.releases)
        last = next(reversed(self.kept), None)
        if last is None or self.table is None or not last.table:
            return
        if last.table == self.table.sha256:
            self.release, self.written = last.made, last.written
            self._asked, self._state = last.asked, last.state
            self.held.expect(
                text_of(last.asked), str(self.folder.path), repeatable=self.release_has_seed
            )

    def _text(self) -> str:
        return text_of(self.form)


def _usual_table(written: WrittenFiles) -> str:
    """Return the table that every release is written as first."""
    usual = ("released.csv", "released.parquet")
    return next((name for name in usual if name in written.names), written.names[0])


def _stamp_of(source: Source) -> tuple[int, int] | None:
    """Return what tells whether a file was changed; None where there is none."""
    try:
        found = Path(source.path).stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size
