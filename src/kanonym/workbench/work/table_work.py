"""What the process does with its table: each public method answers one question of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanonym.data import files, frames
from kanonym.data.databases import table_list
from kanonym.data.errors import DataError
from kanonym.policy import Policy
from kanonym.workbench.work.facts import (
    PUBLIC,
    BoundHierarchy,
    ComparedRisk,
    Exploration,
    Histogram,
    MadeRelease,
    OpenedTable,
    QuickRelease,
    ReadCell,
    RecordRisks,
    ReleasedBatch,
    ReportPart,
    Rows,
    Source,
    WrittenFiles,
)

if TYPE_CHECKING:
    from kanonym.evaluation.attacks.result import AttackResult
    from kanonym.evaluation.contingency import Contingency
    from kanonym.pipeline.planning import Violations
    from kanonym.pipeline.transformation import ActionExample
    from kanonym.release import Release
    from kanonym.reporting import KnownResults
    from kanonym.workbench.work.records import RankedRecords

Step = Callable[[str], None]
SHOWN = 12
"""Released records that a page shows."""
ATTEMPTS = 500
"""Persons attacked: enough for an interval of a few percent."""


class TableWork:
    """A table, and the release that was made of it last."""

    def __init__(self) -> None:
        self._frame: Any = None
        self._values: Any = None
        self._source: Source | None = None
        self._content: files.Content | None = None
        self._release: Release | None = None
        self._published: Release | None = None
        self._known: KnownResults | None = None
        self._ranked: RankedRecords | None = None
        self._notes: tuple[str, ...] = ()
        self._ledger: str | None = None

    def open(self, step: Step, source: Source) -> OpenedTable:
        """Read a table, and look at its columns."""
        from kanonym import profiling

        step("read")
        sheets = self._read(source)
        profile = profiling.profile(self._frame, progress=step)
        step("columns")
        content = self._content
        return OpenedTable(
            name=Path(source.path).name if content is None else content.name,
            sha256="" if content is None else content.sha256,
            profile=profile,
            histograms=self._histograms(profile.columns),
            sheets=sheets,
        )

    def reopen(self, step: Step, source: Source, sha256: str) -> None:
        """Read a table again that is known already, after the process was ended."""
        step("read")
        self._read(source)
        if self._content is not None and self._content.sha256 != sha256:
            self._frame = None
            raise DataError(f"{source.path} was changed since it was opened: open it again")

    def rows(self, step: Step, start: int, count: int) -> Rows:
        """Return some rows of the table."""
        del step
        return _rows_of(self._table(), start, count)

    def readings(self, step: Step, policy: str, folder: str) -> dict[str, tuple[ReadCell, ...]]:
        """Return cells of columns of text that are read as values, and what each is read as."""
        from kanonym.workbench.work.records import readings_of

        del step
        return readings_of(self._table(), _policy(policy, folder))

    def violations(self, step: Step, policy: str, folder: str) -> Violations:
        """Count the records that violate a policy as the table is."""
        from kanonym.pipeline.planning import count_violations

        del step
        return count_violations(self._table(), _policy(policy, folder))

    def quick_release(self, step: Step, policy: str, folder: str) -> QuickRelease:
        """Release some records by the fastest algorithm, to tell what a policy would cost."""
        from kanonym.workbench.work.exploration import release_sample

        del step
        return release_sample(self._table(), _policy(policy, folder))

    def hierarchy(self, step: Step, column: str, form: Any, folder: str) -> BoundHierarchy:
        """Bind a hierarchy to a column: one of a policy, or without one what is suggested."""
        from kanonym.workbench.work.held import bind

        del step
        return bind(frames.column(self._typed_table(), column), form, folder)

    def action_example(self, step: Step, column: str, policy: str, folder: str) -> ActionExample:
        """Carry out the actions of a column on its cells; no file is written."""
        from kanonym.pipeline.transformation import example_of_actions

        del step
        return example_of_actions(self._table(), _policy(policy, folder), column)

    def explore(self, step: Step, kind: str, policy: str, folder: str) -> Exploration:
        """Find other solutions: releases by other algorithms (`compare`), or the `lattice`."""
        from kanonym import pipeline
        from kanonym.workbench.work import exploration

        asked, _ = pipeline.with_readings(_policy(policy, folder), self._table(), None)
        find = exploration.lattice if kind == "lattice" else exploration.compare
        return find(self._table(), asked, step)

    def release(self, step: Step, policy: str, folder: str, ledger: str | None) -> MadeRelease:
        """Make a release, as the command line does, and keep it.

        ledger: spent from under differential privacy, before there is a release.
        """
        from kanonym import pipeline
        from kanonym.models.differential import sampling_model
        from kanonym.workbench.work.records import RankedRecords

        asked = _policy(policy, folder)
        private = sampling_model(asked.models) is not None
        if private and ledger is None and asked.seed is None:
            raise DataError("a release under differential privacy needs a ledger to spend from")
        self._notes, given = (), asked
        if not private:  # else how texts are read must not follow from their values
            asked, self._notes = pipeline.with_readings(
                asked, self._table(), lambda note: step(f"encode: {note}")
            )
        made = pipeline.anonymize(
            self._cells(asked) if private else self._table(),
            asked,
            ledger=ledger if private else None,
            progress=step,
        )
        self._published, self._notes = pipeline.publish_own_records(
            made, given, self._table(), self._notes, self._read_again
        )
        # The release before stays until there is another one.
        self._ranked = RankedRecords(self._table(), made)
        self._release, self._known, self._ledger = made, None, ledger
        return self._facts()

    def records(
        self,
        step: Step,
        start: int,
        count: int,
        sought: Mapping[str, str],
        *,
        suppressed: bool,
        by_class: bool,
    ) -> RecordRisks:
        """Return records before and after, the riskiest first, or class by class."""
        del step
        self._last_release()
        assert self._ranked is not None  # noqa: S101 - there is a release
        return self._ranked.page(sought, start, count, suppressed=suppressed, by_class=by_class)

    def contingency(self, step: Step, row: str, column: str) -> Contingency:
        """Count how often values of two columns occur together, before and after."""
        from kanonym.evaluation.contingency import contingency

        del step
        return contingency(self._table(), self._last_release(), row, column)

    def compared_risk(self, step: Step, given: Mapping[str, Any]) -> ComparedRisk:
        """Measure the risk of the table beside that of its release."""
        from kanonym.workbench.work.compared_risk import compared_risk

        del step
        return compared_risk(self._table(), self._last_release(), given)

    def attack(self, step: Step) -> None:
        """Attack and assess the release."""
        import kanonym as ka
        from kanonym import profiling
        from kanonym.reporting import KnownResults

        release = self._last_release()
        attacks = ka.attack(
            self._table(), release, attempts=ATTEMPTS, released_only=True, progress=step
        )
        step("assess")
        assessed = ka.assess(self._table(), release)
        self._known = KnownResults(
            tuple(attacks), assessed.risk, assessed.utility, None, profiling.profile(self._table())
        )

    def accuracy(self, step: Step, target: str) -> Mapping[str, Any]:
        """Return how well models that learn from the release predict a column."""
        import kanonym as ka

        step(f"models: {target}")
        utility = ka.utility(self._table(), self._last_release(), measures=[f"learning-{target}"])
        (figures,) = utility.to_dict().values()
        return figures  # type: ignore[no-any-return]

    def recoding_fault(self, step: Step) -> str:
        """Return why the recoding of the release cannot be kept; empty where it can."""
        from kanonym.workbench.work.batches import recoding_fault

        del step
        return recoding_fault(self._table(), self._last_release())

    def keep_recoding(self, step: Step, place: str) -> None:
        """Keep the recoding of the release for further batches."""
        from kanonym.workbench.work.batches import keep_recoding

        keep_recoding(self._table(), self._last_release(), Path(place), step)

    def apply_recoding(self, step: Step, recoding: str, batch: str) -> ReleasedBatch:
        """Release a further batch by a recoding."""
        from kanonym.workbench.work.batches import apply_recoding

        encoding = None if self._source is None else self._source.encoding
        return apply_recoding(Path(recoding), batch, step, encoding)

    def report_parts(self, step: Step, language: str) -> tuple[ReportPart, ...]:
        """Return the sections of the report on the release."""
        from kanonym.workbench.work.report_parts import parts_of

        return parts_of(self._last_release(), self._known, language, step)

    def write(
        self,
        step: Step,
        project: str,
        folder: str,
        table: str,
        reports: Sequence[str],
        language: str,
        kept: Mapping[str, Any],
        *,
        own: bool,
    ) -> WrittenFiles:
        """Write the release, its policy, its manifest and reports into a folder, or nothing.

        own: into a folder that no other release has; else beside what is written there already.
        """
        from kanonym.reporting.known.attacks import rank_attacks
        from kanonym.workbench.project.folder import (
            KeptRelease,
            keep_files,
            staged_folder,
            write_note,
        )

        step("write")
        place, content = Path(folder), self._content
        with staged_folder(place, own=own) as fresh:
            names, sha256 = self._write_files(step, Path(project), fresh, table, reports, language)
            written = WrittenFiles(fresh.stem, names, sha256)
            attacks: Any = ()
            if not own:
                written, attacks = keep_files(place, fresh, written)
            if self._known is not None:
                tried = [attack for attack in self._known.attacks if attack.attempts]
                attacks = tuple(map(_attack_facts, rank_attacks(tried)))
            input_sha256 = "" if content is None else content.sha256
            note = KeptRelease(table=input_sha256, written=written, attacks=attacks, **kept)
            write_note(fresh, note)
        return written

    def _write_files(
        self,
        step: Step,
        project: Path,
        place: Path,
        table: str,
        reports: Sequence[str],
        language: str,
    ) -> tuple[tuple[str, ...], str]:
        """Write the files; returns their names, and the hash of the table."""
        from kanonym.policy.writing import policy_yaml
        from kanonym.release.promise import manifest_path
        from kanonym.workbench.work.held import copy_hierarchies

        release = self._last_published()
        name, output = self._write_table(place, table)
        copied = copy_hierarchies(release.policy, project, place)
        files.write_text(place / "policy.yaml", policy_yaml(release.policy.to_dict(), (), {}))
        content: dict[str, Any] = {"input": self._content, "output": output}
        manifest = manifest_path(place / name)
        release.manifest(manifest, **content, detected=self._notes)
        known = {} if self._known is None else vars_of(self._known)
        known |= {"command": self._commands(name), "policy_file": "policy.yaml"}
        for report in reports:
            step(f"report: {report}")
            release.report(place / report, language=language, **content, **known)
        public = () if release.promise is None else PUBLIC
        if public:
            release.public_report(place / public[0], language=language, output=output)
            release.public_manifest(place / public[1], output=output)
        return (name, "policy.yaml", manifest.name, *copied, *public, *reports), output.sha256

    def _commands(self, released: str) -> tuple[str, ...]:
        """Return the commands that make and check a release, in a folder that has all files."""
        from kanonym.reporting.known.provenance import commands_of

        source, policy = self._source, self._last_release().policy.to_dict()
        table = ["TABLE.csv"]
        if source is not None and not source.in_database:
            table = [Path(source.path).name, *source.options]
        ledger = Path(self._ledger or "LEDGER.json").name
        return commands_of(policy, "policy.yaml", table, released, ledger=ledger)

    def _write_table(self, place: Path, name: str) -> tuple[str, files.Content]:
        """Write the released table; without a name as CSV, or as Parquet where CSV cannot."""
        release = self._last_published()
        source = None if self._source is None or self._content is None else self._source.path
        table = frames.to_polars(release.frame)
        coded = release.coded_columns
        if not name:
            try:
                name = "released.csv"
                return name, files.write_table(table, place / name, like=source, coded=coded)
            except DataError:
                name = "released.parquet"
        return name, files.write_table(table, place / name, like=source, coded=coded)

    def _read(self, source: Source) -> tuple[str, ...]:
        self._frame = self._values = self._release = self._known = self._ranked = None
        self._source = source
        if source.in_database:
            self._frame, self._content = _from_database(source), None
            return ()
        self._frame, self._content = _from_file(source)
        return files.sheet_names(source.path)

    def _cells(self, policy: Policy) -> Any:
        """Return the table with each cell as its file has it, read alone."""
        source = self._source
        if source is None or source.in_database:
            return self._table()
        frame, content = _from_file(source, policy.attributes)
        if self._content is not None and content.sha256 != self._content.sha256:
            raise DataError(f"{source.path} was changed since it was opened: open it again")
        return frame

    def _read_again(self, *some: Any) -> Any:
        """Return some records of the table; some: as of `files.read_again`."""
        source = self._source
        if source is None or source.in_database:
            return None
        how: dict[str, Any] = {"encoding": source.encoding, "columns": source.column_names}
        how |= {"sheet": source.sheet, "header_row": source.header_row}
        return files.read_again(source.path, self._content, *some, **how)

    def _histograms(self, columns: Sequence[Any]) -> dict[str, dict[str, Histogram]]:
        from kanonym.language import LANGUAGES
        from kanonym.workbench.work.records import histogram_of

        native = self._typed_table()
        found: dict[str, dict[str, Histogram]] = {code: {} for code in LANGUAGES}
        for column in columns:
            if column.content.trouble:
                continue
            several = histogram_of(frames.column(native, column.name))
            for code, histogram in several.items():
                found[code][column.name] = histogram
        return found

    def _typed_table(self) -> Any:
        """Return the table with dates and numbers in the place of texts that are such."""
        from kanonym.data.readings import detect_readings, typed_table

        if self._values is None:
            native = self._table()
            self._values = typed_table(native, detect_readings(native, lenient=True).readings)
        return self._values

    def _facts(self) -> MadeRelease:
        release = self._last_release()
        return MadeRelease(
            release.policy.to_dict(), release.to_dict(), _rows_of(release.frame, 0, SHOWN)
        )

    def _table(self) -> Any:
        if self._frame is None:
            raise DataError("no table is open")
        return self._frame

    def _last_release(self) -> Release:
        return self._last_releases()[0]

    def _last_published(self) -> Release:
        return self._last_releases()[1]

    def _last_releases(self) -> tuple[Release, Release]:
        """Return the last release, and the same as it is published."""
        if self._release is None or self._published is None:
            raise DataError("there is no release yet: make one first")
        return self._release, self._published


def _rows_of(frame: Any, start: int, count: int) -> Rows:
    part = frames.to_polars(frame)[start : start + count]
    cells = tuple(
        tuple(None if value is None else str(value) for value in row) for row in part.rows()
    )
    return Rows(tuple(frames.column_names(frame)), cells, start, frames.n_rows(frame))


def _attack_facts(one: AttackResult) -> dict[str, Any]:
    """Return what pages say of an attack."""
    figures = {"rate": one.targets.rate, "chance": one.chance.rate}
    return {"type": one.type, "beyond": one.finding == "beyond", **figures}


def vars_of(known: KnownResults) -> dict[str, Any]:
    """Return what is known as keywords of `Release.report`."""
    return {
        "attacks": known.attacks,
        "risk": known.risk,
        "utility": known.utility,
        "profile": known.profile,
    }


def _policy(text: str, folder: str) -> Policy:
    return Policy.from_text(text, Path(folder), source="policy")


def _from_file(source: Source, declared: Iterable[str] | None = None) -> tuple[Any, files.Content]:
    """Return the rows of a file, and its hash; declared: as of `read_table`."""
    return files.read_with_content(
        source.path,
        sheet=source.sheet,
        header_row=source.header_row,
        encoding=source.encoding,
        columns=source.column_names,
        declared=declared,
    )


def _from_database(source: Source) -> Any:
    """Return the rows of a table in a database."""
    from kanonym.engines import database, duckdb

    if not source.table:
        names = (duckdb if source.in_duckdb else database).table_names(source.path)
        raise DataError(f"name the table of the database ({table_list(names)})")
    if source.in_duckdb:
        return duckdb.scan_duckdb(source.path, name=source.table).to_polars()
    return frames.to_eager(database.scan_database(source.path, source.table))
