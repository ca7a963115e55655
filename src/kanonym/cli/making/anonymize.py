"""`kanonym anonymize`: a table in, a verified release out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kanonym.cli import locations, options
from kanonym.cli.making import linked
from kanonym.cli.making.papers import Papers, check_private
from kanonym.cli.making.repetition import repetition
from kanonym.cli.policy_options import OPTIONS, PolicyOptions, takes_policy

if TYPE_CHECKING:
    from kanonym.policy import Policy
    from kanonym.release import Release
    from kanonym.synthesis import DrawnTable

ATTACKED = 200_000  # larger releases are attacked for their report if that is asked for


@takes_policy(*OPTIONS)
def anonymize(
    context: typer.Context,
    table: options.TableOrNone = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Release; - for standard output, or a database. Required without --dry-run.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    *,
    asked: PolicyOptions,
    aggregate: Annotated[
        bool,
        typer.Option(
            "--aggregate",
            help="Release one row per class and sensitive value, with a count.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = False,
    report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Report, .html, .pdf, .md or .json; may be repeated.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Title of the report.", rich_help_panel=options.WRITTEN),
    ] = None,
    purpose: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="Purpose of the release, shown in the report.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = "",
    author: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="Author of the release, shown in the report.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = "",
    language: options.Language = "en",
    attack: Annotated[
        bool | None,
        typer.Option(
            "--attack/--no-attack",
            help=(
                "Attack and assess the release for the report; default: yes, up to 200,000 records."
            ),
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="How to reproduce and check the release, as JSON.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=(
                "Under differential privacy: the file, kept by you, that adds up what the table "
                "has spent. Required without --dry-run."
            ),
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    public_report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help=(
                "Under differential privacy: the report that may go along with the release, as "
                ".html, .pdf, .md or .json; may be repeated."
            ),
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    public_manifest: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Under differential privacy: the manifest that may go along, as JSON.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    drawn: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A second table with one value per cell, for programs that cannot read labels.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    drawn_by: Annotated[
        str,
        typer.Option(
            metavar="label|class",
            help=(
                "What --drawn draws by: any value that the label leaves open, or those of the "
                "class, as frequent as there, which tells more than the labels."
            ),
            rich_help_panel=options.WRITTEN,
        ),
    ] = "label",
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help=(
                "Condition that every record of --drawn meets, such as 'discharge >= admission'; "
                "may be repeated."
            ),
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Anonymize and verify, but write nothing.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = False,
    several: locations.SourceOfTables = None,
    to: locations.PlaceOfTables = None,
    schema: locations.SchemaName = None,
    to_schema: locations.OutputSchemaName = None,
    engine: locations.Engine = None,
    memory: locations.Memory = None,
    table_name: locations.TableName = None,
    output_table: locations.OutputTable = None,
    no_read_back: options.NoReadBack = False,
    safe_cells: options.SafeCells = False,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    catalog: options.Catalog = None,
    long: options.LongTable = None,
    json: options.Json = False,
) -> None:
    """Anonymize a table, verify the release, and write it.

    Requirements come from a policy file or from options: the columns (-q, -s, -i) and the
    privacy models (-k, -l, -t; -l and -t apply to each sensitive attribute). Options override
    the policy file; parameters of an algorithm select that algorithm. A release that does not
    satisfy its policy is never written.

    Several tables about the same persons, by a policy with `tables`: --from and --to name a
    folder of files, a SQLite or DuckDB file, or a PostgreSQL database.
    """
    if several is not None or to is not None:
        linked.anonymize_linked(
            asked,
            (several, schema),
            (to, to_schema),
            refused={
                "INPUT": table,
                "-o": output,
                "--drawn": drawn,
                "--engine": engine,
                "--table": table_name,
                "--aggregate": aggregate,
                "--safe-cells": safe_cells,
                "--attack": attack,
                "--long": long,
            },
            reports=report or [],
            about={"title": title, "purpose": purpose, "author": author, "language": language},
            manifest=manifest,
            dry_run=dry_run,
            json=json,
            format=format,
        )
        return
    table = _named_table(table)
    from kanonym import pipeline
    from kanonym.cli.progress import show_progress
    from kanonym.data.files import check_table_output
    from kanonym.data.frames import to_polars
    from kanonym.data.sets import to_long
    from kanonym.engines import is_local

    papers = Papers(report or [], manifest, public_report or [], public_manifest)
    _check_output(output, json=json, dry_run=dry_run)
    papers.check()
    place = locations.Place.of(output or os.devnull, table, table_name, output_table)
    policy = asked.policy()
    columns = _long_columns(long, policy, aggregate=aggregate, drawn=drawn)
    options.check_places(
        {"INPUT": table, **asked.files, "-o": output if place.table else None},
        [
            ("-o", output and place.file),
            *papers.options,
            ("--ledger", ledger),
            ("--drawn", drawn),
        ],
        policy,
    )
    private = check_private(policy, ledger, papers, drawn, drawn_by, dry_run=dry_run)
    _check_drawn(
        drawn,
        drawn_by,
        constraint,
        format,
        stays=bool(place.table or engine or locations.is_database(table)),
    )
    if output is not None and place.file is not None and engine is None:
        check_table_output(output, options.format_of(output, format))
    papers, written = _outputs(place, papers, drawn, dry_run=dry_run)
    with show_progress() as step:
        step("read")
        start = perf_counter()
        frame, source = locations.table_with_content(
            table,
            options.format_of(table, format),
            engine=engine,
            memory=memory,
            name=table_name,
            sheet=sheet,
            header_row=header_row,
            user_missing=user_missing,
        )
        frame = options.group_long(frame, columns)
        reading = perf_counter() - start
        stays, tell = not is_local(frame), options.sentence_printer(step)
        there = (
            place.for_engine(aggregate=aggregate, as_file=no_read_back or safe_cells)
            if stays and not dry_run
            else None
        )
        # Under differential privacy, how texts are read must not follow from their values.
        policy, notes = (
            (policy, ()) if stays or private else pipeline.with_conventions(policy, frame, tell)
        )
        release = pipeline.anonymize(
            frame, policy, output=there, ledger=None if dry_run else ledger, progress=step
        )
        values = None if dry_run or drawn is None else _draw(release, drawn_by, constraint, step)
        step("write")
        start = perf_counter()
        result = locations.content_at(output or "-") if stays else None
        if not stays and not dry_run:
            released = to_polars(release.aggregate() if aggregate else release.frame)
            if columns:
                released = to_long(released, *columns, seed=policy.seed)
            result = place.write(
                released,
                format,
                locations.file_at(table),
                no_read_back=no_read_back,
                safe_cells=safe_cells,
                coded=release.coded_columns,
                catalog=catalog,
            )
        told = _write_drawn(values, drawn, format, locations.file_at(table))
        known = (
            _evaluate_release(frame, release, step, wanted=attack)
            if papers.reports and not stays
            else {}
        )
        source = locations.verify_unchanged(table, source) if stays else source
        about: dict[str, Any] = {
            "title": title,
            "purpose": purpose,
            "author": author,
            "language": language,
            **repetition(context)._asdict(),
            **known,
        }
        places: dict[str, Any] = {"input": source, "output": result}
        papers.write(release, about, places, detected=notes, drawn=told)
        writing = perf_counter() - start
    _show_release(release, told, written, (reading, writing), json=json, to_stderr=output == "-")


def _long_columns(
    long: str | None, policy: Policy, *, aggregate: bool, drawn: str | None
) -> tuple[str, str] | None:
    """Return the columns of persons and items; refuse outputs that have no such rows."""
    found = options.long_columns(long, policy)
    if found is not None and (aggregate or drawn is not None):
        hint = "--aggregate" if aggregate else "--drawn"
        raise typer.BadParameter("not with a long table of sets", param_hint=hint)
    return found


def _named_table(table: str | None) -> str:
    """Return the table; refuse a command without one."""
    if table is None:
        raise typer.BadParameter("Missing argument INPUT: name a table, or give --from and --to")
    return table


def _show_release(
    release: Release,
    drawn: dict[str, Any] | None,
    written: list[str],
    seconds: tuple[float, float],
    *,
    json: bool,
    to_stderr: bool,
) -> None:
    """Print what was released; seconds: of reading and writing files."""
    from kanonym.cli.progress import print_note
    from kanonym.cli.terminal import release_tables, show, show_json

    found = {**release.to_dict(), **({"drawn": drawn} if drawn else {})}
    if found["algorithm"].get("interrupted"):
        print_note("the search was stopped: this is the best so far")
    found["seconds"] = _seconds(found["seconds"], *seconds)
    if json:
        show_json(found)
    else:
        show(*release_tables(found, written, release.examples), to_stderr=to_stderr)


def _outputs(
    place: locations.Place, papers: Papers, drawn: str | None, *, dry_run: bool
) -> tuple[Papers, list[str]]:
    """Return what is written and all its places, once they are found writable."""
    from kanonym.data.files import check_output

    beside = [str(one) for _, one in papers.options if one]
    for file in beside:
        check_output(file)
    beside += [] if drawn is None else [drawn]
    return (Papers([], None, [], None), []) if dry_run else (papers, [place.display_name, *beside])


def _check_output(output: str | None, *, json: bool, dry_run: bool) -> None:
    """Refuse a missing output, and two outputs on one stream."""
    if output is None and not dry_run:
        raise typer.BadParameter("missing option: give -o FILE or --dry-run", param_hint="-o")
    if json and output == "-":
        raise typer.BadParameter("standard output cannot hold both", param_hint="--json and -o -")


def _check_drawn(
    drawn: str | None,
    by: str,
    constraint: list[str] | None,
    format: str | None,
    *,
    stays: bool,
) -> None:
    """Refuse options of a second table without one, and a place where it cannot be written."""
    from kanonym.data.files import check_table_output

    if drawn is None:
        if constraint or by != "label":
            raise typer.BadParameter("needs --drawn", param_hint="--drawn-by and --constraint")
        return
    _parse_drawn_by(by)
    if drawn == "-":
        raise typer.BadParameter("needs a file of its own", param_hint="--drawn")
    if stays:
        raise typer.BadParameter("only for tables in memory", param_hint="--drawn")
    check_table_output(drawn, options.format_of(drawn, format))


def _draw(
    release: Release, by: str, constraint: list[str] | None, step: Callable[[str], None]
) -> DrawnTable:
    """Return a release with one value per cell, before anything is written."""
    from kanonym.synthesis import draw_values

    step("draw")
    return draw_values(release, by=_parse_drawn_by(by), constraints=constraint or ())


def _write_drawn(
    values: DrawnTable | None, file: str | None, format: str | None, like: str | None
) -> dict[str, Any] | None:
    """Write drawn values, and return what is told of them and of their file."""
    from kanonym.cli.tables import write_table

    if values is None or file is None:
        return None
    content = write_table(values.frame, file, format, like)
    return {**values.to_dict(), "file": content.name, "sha256": content.sha256}


def _parse_drawn_by(by: str) -> Literal["label", "class"]:
    """Return what values are drawn by; refuse other words."""
    if by == "label":
        return "label"
    if by == "class":
        return "class"
    raise typer.BadParameter(f"{by!r} is neither label nor class", param_hint="--drawn-by")


def _evaluate_release(
    frame: Any, release: Release, step: Callable[[str], None], *, wanted: bool | None
) -> dict[str, Any]:
    """Return what attacks and measures find of a release, for its report."""
    if not (len(frame) <= ATTACKED if wanted is None else wanted):
        return {}
    import kanonym as ka
    from kanonym import profiling
    from kanonym.cli.progress import print_note
    from kanonym.data.errors import KanonymError

    try:
        attacks = ka.attack(frame, release, progress=step)
        step("assess")
        # A table of sets alone has no quasi-identifier whose risk could be measured.
        measured = {"risk": ka.risk(release)} if release.decision.recoded else {}
        utility = ka.utility(frame, release)
        step("profile")
        return {
            "attacks": attacks,
            **measured,
            "utility": utility,
            "profile": profiling.profile(frame),
        }
    except KanonymError as error:
        if wanted:
            raise
        # The release is verified and written: its report can do without.
        print_note(f"not attacked for the report: {error}")
        return {}


def _seconds(stages: dict[str, Any], reading: float, writing: float) -> dict[str, float]:
    """Return the seconds of all stages, files included."""
    every = {name: value for name, value in stages.items() if name != "total"}
    every |= {"read": every.get("read", 0.0) + reading, "write": writing}
    return {**every, "total": sum(every.values())}
