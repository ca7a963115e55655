"""`kanonym anonymize`: a table in, a verified release out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanonym.cli import locations, options
from kanonym.cli.commands import repetition
from kanonym.cli.making import linked
from kanonym.cli.making.drawn import Drawing
from kanonym.cli.making.papers import Papers, check_private, tell_of_manifest
from kanonym.cli.policy_options import OPTIONS, PolicyOptions, takes_policy

if TYPE_CHECKING:
    from kanonym.data.files import Content
    from kanonym.policy import Policy
    from kanonym.release import Release

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
    manifest: options.Manifest = None,
    no_manifest: options.NoManifest = False,
    no_input_hash: options.NoInputHash = False,
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
                "--no-input-hash": no_input_hash,
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
    from kanonym.engines import is_local

    papers = Papers(
        report or [], manifest, public_report or [], public_manifest, not no_input_hash
    ).checked()
    drawing = Drawing(drawn, drawn_by, constraint or [], format)
    _check_output(output, json=json, dry_run=dry_run)
    place = locations.Place.of(output or os.devnull, table, table_name, output_table)
    policy = asked.policy()
    papers = papers.with_manifest(place, policy, engine, left_out=no_manifest)
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
    drawing.check(stays=bool(place.table or engine or locations.is_database(table)))
    papers, written = _outputs(place, papers, drawing, dry_run=dry_run, staying=engine is not None)
    with show_progress() as step:
        step("read")
        start = perf_counter()
        frame, source = locations.table_with_content(
            table,
            options.format_of(table, format),
            engine=engine,
            memory=memory,
            name=table_name,
            schema=schema,
            sheet=sheet,
            header_row=header_row,
            columns=options.COLUMNS.get(),
            user_missing=user_missing,
            declared=policy.attributes if private else None,
            decimals=(decimals := dict[str, int]()),
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
            (policy, ())
            if private
            else pipeline.with_readings(policy, frame, tell, decimals=decimals)
        )
        release = pipeline.anonymize(
            frame, policy, output=there, ledger=None if dry_run else ledger, progress=step
        )
        values = None if dry_run else drawing.draw(release, step)
        step("write")
        start = perf_counter()
        told: dict[str, Any] = {}
        result, like = None, locations.file_at(table)

        def write_beside(content: Content | None) -> None:
            told.update(drawing.write(values, like))
            papers.write_manifest(release, source, content, detected=notes, drawn=told)

        if stays:
            source = locations.verify_unchanged(table, source)
            result = locations.content_at(output or "-")
            write_beside(result)
        elif not dry_run:
            result = place.write(
                _released_rows(release, columns, aggregate=aggregate),
                format,
                like,
                no_read_back=no_read_back,
                safe_cells=safe_cells,
                coded=release.coded_columns,
                catalog=catalog,
                beside=write_beside,
            )
        verifiable = dry_run or tell_of_manifest(release, papers.manifest, manifest, result)
        about = {"title": title, "purpose": purpose, "author": author, "language": language}
        if papers.reports:
            about |= repetition(context, policy, place, verifiable=verifiable)._asdict()
            about |= _evaluate_release(frame, release, step, wanted=False if stays else attack)
        papers.write(release, about, source, result)
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


def _released_rows(release: Release, columns: tuple[str, str] | None, *, aggregate: bool) -> Any:
    """Return what is written of a release; columns: of persons and items, of a long table."""
    from kanonym.data.frames import to_polars
    from kanonym.data.sets import to_long

    released = to_polars(release.aggregate() if aggregate else release.frame)
    return to_long(released, *columns, seed=release.policy.seed) if columns else released


def _show_release(
    release: Release,
    drawn: dict[str, Any],
    written: list[str],
    seconds: tuple[float, float],
    *,
    json: bool,
    to_stderr: bool,
) -> None:
    """Print what was released; seconds: of reading and writing files."""
    from kanonym.cli.progress import print_note
    from kanonym.cli.tables import seconds_with_files
    from kanonym.cli.terminal import release_tables, show, show_json

    found = {**release.to_dict(), **({"drawn": drawn} if drawn else {})}
    if found["algorithm"].get("interrupted"):
        print_note("the search was stopped: this is the best so far")
    found["seconds"] = seconds_with_files(found["seconds"], *seconds)
    if json:
        show_json(found)
    else:
        show(*release_tables(found, written, release.examples), to_stderr=to_stderr)


def _outputs(
    place: locations.Place, papers: Papers, drawing: Drawing, *, dry_run: bool, staying: bool
) -> tuple[Papers, list[str]]:
    """Return what is written and all its places, once they are found writable.

    staying: whether an engine writes the release, which has formats of its own.
    """
    from kanonym.data.files import check_output, check_table_output

    if place.file not in (None, os.devnull) and not staying:
        check_table_output(place.given, options.format_of(place.given, drawing.format))
    beside = [str(one) for _, one in papers.options if one]
    for file in beside:
        check_output(file)
    beside += [] if drawing.file is None else [drawing.file]
    return (Papers([], None, [], None), []) if dry_run else (papers, [place.display_name, *beside])


def _check_output(output: str | None, *, json: bool, dry_run: bool) -> None:
    """Refuse a missing output, and two outputs on one stream."""
    if output is None and not dry_run:
        raise typer.BadParameter("missing option: give -o FILE or --dry-run", param_hint="-o")
    if json and output == "-":
        raise typer.BadParameter("standard output cannot hold both", param_hint="--json and -o -")


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
    from kanonym.differential_privacy.cells import table_of_cells
    from kanonym.evaluation.releases import released_originals

    if release.promise is not None:
        frame = table_of_cells(frame)
    try:
        attacks = ka.attack(frame, release, released_only=True, progress=step)
        step("assess")
        # A table of sets alone has no quasi-identifier whose risk could be measured.
        measured = {"risk": ka.risk(release)} if release.decision.recoded else {}
        utility = ka.utility(frame, release)
        step("profile")
        return {
            "attacks": attacks,
            **measured,
            "utility": utility,
            "profile": profiling.profile(released_originals(frame, release)),
        }
    except KanonymError as error:
        if wanted:
            raise
        # The release is verified and written: its report can do without.
        print_note(f"not attacked for the report: {error}")
        return {}
