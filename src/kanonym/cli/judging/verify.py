"""`kanonym verify`: whether a released table satisfies a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanonym.cli import inputs, locations, options
from kanonym.cli.group import REFUSED
from kanonym.data.option import Option
from kanonym.data.results import ResultTable, format_number

if TYPE_CHECKING:
    from kanonym.policy import Policy
    from kanonym.verification.release_view import RecordedRelease
    from kanonym.verification.verdict import Verification

SHOWN = 10  # violating classes on the terminal; --json has up to 100


def verify(
    ctx: typer.Context,
    released: options.Released,
    policy: options.Policy,
    original: Annotated[
        str | None,
        Option("Original table, as the reference for t-closeness and similar models.", "FILE"),
    ] = None,
    count: Annotated[
        str | None, Option("Column of record counts, if RELEASED is aggregated.", "COLUMN")
    ] = None,
    manifest: Annotated[
        Path | None,
        Option(
            "Manifest of the release, with what was counted and found beside the original; "
            "default: RELEASED.manifest.json.",
            "FILE",
        ),
    ] = None,
    accept_findings: Annotated[
        bool, Option("Exit with code 0 if all models hold, whatever was found or not assessed.")
    ] = False,
    *,
    reading: options.EngineReading,
    original_table: Annotated[
        str | None,
        Option("Table to read if --original is a database.", "NAME", group=options.INPUT),
    ] = None,
    long: options.LongTable = None,
    sql: options.Statement = None,
    json: options.Json = False,
) -> None:
    """Verify a released table against a policy.

    Exit code 0: satisfied, all parts of the verdict assessed, and nothing found. Exit code 1:
    violated (violating classes are listed by their first rows, with --show-values also by their
    values); or nothing required, or no record released; or, unless --accept-findings, satisfied
    with findings or with parts that were not assessed. Only the released values count:
    records with the same quasi-identifiers form a class. With a policy about several tables,
    RELEASED is a folder, a SQLite or DuckDB file, or a PostgreSQL database. With --sql, RELEASED is
    the name of a table, and the statement that is printed returns the violating classes.

    Example: kanonym verify released.csv --policy policy.yaml
    """
    from kanonym import pipeline
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_result
    from kanonym.data.files import CellTexts
    from kanonym.engines import engine_of, is_local
    from kanonym.policy import Policy
    from kanonym.policy.document import is_linked

    if sql is not None:
        beside = {"--original": original, "--manifest": manifest, "--long": long, "--json": json}
        about = {"--table": reading.table_name, "--schema": reading.schema}
        several = {"a policy about several tables": is_linked(policy)}
        inputs.refuse_beside_sql({**beside, **about, **several})
    if is_linked(policy):
        if long is not None:
            raise typer.BadParameter("not with a policy about several tables", param_hint="--long")
        from kanonym.cli.judging.linked import verify_linked

        verify_linked(
            released, reading.schema, policy, original, accept_findings=accept_findings, json=json
        )
        return
    asked = Policy.from_file(policy)
    if sql is not None:
        from kanonym.data.loading import require_extra

        with require_extra("sql"):
            from kanonym.engines.sql.model_query import violations_query

        inputs.print_statement(violations_query(released, asked, sql, count), released)
        return
    columns = inputs.long_columns(long, asked)
    texts = CellTexts()
    missing = locations.user_missing_of(reading.user_missing, released, original)
    with show_progress() as step:
        step("read")
        frame = reading.table(released, texts=texts, user_missing=missing[released])
        before = (
            None
            if original is None
            else locations.table_at(
                original,
                inputs.format_of(original, None),
                name=original_table,
                option="--original-table",
                schema=reading.schema if locations.is_database(original) else None,
                user_missing=missing[original],
            )
        )
        frame, before = (inputs.group_long(one, columns) for one in (frame, before))
        if is_local(frame):
            asked, _ = pipeline.with_readings(
                asked, frame, lambda _sentence: None, lenient=True, released=True
            )
        step("verify")
        lacking = pipeline.uncounted_entities(asked, engine_of(frame).columns)
        wanted = manifest is not None or bool(lacking) or before is None
        release = _recorded_release(manifest, released, asked, lacking) if wanted else None
        found = pipeline.verify(
            frame,
            asked,
            original=before,
            count=count,
            texts=texts,
            recorded=release,
            unread=texts.unread,
        )
    values = ctx.find_root().params.get("show_values", False)
    violating = [_violations(found, values=values)] if found.violating else []
    show_result(found.to_dict(), found.tables, *violating, json=json)
    failed = tell_of_violations(found, locations.place_name(released), "classes")
    compares = (model.type in failed and model.compares_with_table for model in asked.models)
    if original is None and any(compares):
        typer.echo(
            "kanonym: classes were compared with the released table; if records were suppressed, "
            "give the original table with --original",
            err=True,
        )
    exit_by_verdict(found, accept_findings=accept_findings)


def tell_of_violations(found: Verification, place: str, classes: str) -> list[str]:
    """Say on standard error which models a table fails; return them."""
    failed = list(dict.fromkeys(check.type for check in found.checks if not check.satisfied))
    if failed:
        typer.echo(
            f"kanonym: error: {place} violates {', '.join(failed)}: "
            f"{found.n_violating} of {found.n_classes} {classes}",
            err=True,
        )
    return failed


def exit_by_verdict(found: Verification, *, accept_findings: bool) -> None:
    """End with exit code 1 unless a verification is accepted; say why on standard error."""
    verdict = found.verdict
    if found.not_looked_for and found.satisfied:
        typer.echo(
            f"kanonym: not looked for: {', '.join(found.not_looked_for)}, which show beside the "
            "original alone. Put the manifest beside the release, or give --original",
            err=True,
        )
    if verdict == "satisfied":
        return
    reasons = [
        *([f"{n} finding{'s' if n > 1 else ''}"] if (n := len(found.findings)) else []),
        *(
            f"{part.name} not assessed: {part.rests_on}"
            for part in found.parts
            if part.verdict == "not assessed"
        ),
    ]
    if not found.rows:
        typer.echo(f"kanonym: the verdict is {verdict!r}: no record was released", err=True)
    elif verdict in ("satisfied with findings", "not assessed"):
        if accept_findings:
            return
        typer.echo(
            f"kanonym: all models hold, but the verdict is {verdict!r} ({'; '.join(reasons)}). "
            "Answer these, or accept them with --accept-findings",
            err=True,
        )
    elif verdict == "nothing required":
        typer.echo("kanonym: no model requires anything of this table", err=True)
    raise typer.Exit(REFUSED)


def _violations(found: Verification, *, values: bool) -> ResultTable:
    """Return the first of the classes that fail a model, each once; with their values, if asked."""
    classes: dict[str, list[Mapping[str, Any]]] = {}
    for one in found.violating:
        classes.setdefault(str(one["class"]), []).append(one)
    numbered = "row" in found.violating[0]
    rows = []
    for same in list(classes.values())[:SHOWN]:
        first = same[0]
        named = ", ".join(f"{name} {value}" for name, value in first["class"].items())
        number = [format_number(first["row"])] if numbered else []
        models = ", ".join(dict.fromkeys(each["model"] for each in same))
        rows.append((*([named] if values else []), *number, format_number(first["size"]), models))
    header = (*(["violating class"] if values else []), *(["first row"] if numbered else []))
    total = found.n_violating
    more = f"the smallest of {total:,} failing classes; --json lists up to 100"
    return ResultTable(
        (*header, "records", "fails"),
        rows,
        frozenset(range(int(values), len(header) + 1)),
        notes=(more,) if total > SHOWN else (),
    )


def _recorded_release(
    manifest: Path | None, released: str, policy: Policy, lacking: Sequence[str]
) -> RecordedRelease | None:
    """Return what a manifest recorded: the one that is named, or one beside the table.

    lacking: by which persons are counted, and the table no longer has it. Without it, a manifest
    beside the table that is of another file is left out, which is told.
    """
    from kanonym import pipeline
    from kanonym.cli.progress import print_note
    from kanonym.data.errors import DataError
    from kanonym.release.promise import is_manifest, manifest_path

    if manifest is not None:
        return pipeline.recorded_release(manifest, released, policy)
    beside = manifest_path(released)
    there = beside.is_file() if lacking else is_manifest(beside)
    if locations.file_at(released) is None or not there:
        return None
    try:
        release = pipeline.recorded_release(beside, released, policy)
    except DataError as error:
        if lacking:
            raise
        print_note(f"{beside} is ignored: {error}")
        return None
    counted = f", and how many persons by {', '.join(lacking)}" if lacking else ""
    print_note(f"{beside} tells what was found beside the original{counted}")
    # Persons whom the table still tells apart are counted again.
    persons = {name: number for name, number in release.persons.items() if name in lacking}
    return replace(release, persons=persons)
