"""`kanonym apply`: a batch through a recoding that was fitted before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kanonym.cli import inputs, locations, options
from kanonym.cli.command_options import parse_secret
from kanonym.cli.making.papers import Manifest, tell_of_manifest
from kanonym.data.option import Option

if TYPE_CHECKING:
    from kanonym.series import Fitted, PersonColumn

UNCOUNTED = (
    "\n  Not counted: the next batch is verified without this one.\n"
    "  If you release it, run again with --update.\n"
)


def apply(
    recoding: Annotated[
        str, typer.Argument(metavar="RECODING", help="Recoding written by `kanonym fit`.")
    ],
    batch: Annotated[
        str, typer.Argument(metavar="BATCH", help="Table to release; - for standard input.")
    ],
    output: options.Output,
    update: Annotated[
        bool,
        Option("Add the batch to RECODING, so that the next one is verified together with it."),
    ] = False,
    person: Annotated[
        Sequence[str],
        Option(
            "Identifier of persons, or columns that identify them together: look for those in "
            "several batches.",
            "A,B",
        ),
    ] = (),
    person_key: Annotated[
        str | None, Option("Key of persons: a file, or env:NAME; the same for every batch.", "FILE")
    ] = None,
    least_values: Annotated[
        int,
        Option(
            "Suppress persons of whom all batches leave fewer than M sensitive values open.",
            "M",
            least=1,
        ),
    ] = 1,
    *,
    papers: Manifest,
    writing: options.Writing,
    reading: options.ReadingOptions,
    sql: options.Statement = None,
    kind: Annotated[
        Literal["view", "table"],
        Option("What the statement of --sql makes.", "view|table", "--as", group=options.OUTPUT),
    ] = "view",
    json: options.Json = False,
) -> None:
    """Release a batch by a fitted recoding, verified alone and with all earlier batches.

    RECODING counts the batches that were released with --update. Use --update for every batch
    that is published: only these are in the union that is verified. With --sql, BATCH is the name
    of a table and -o that of the view (or, with --as table, the table) that the statement makes,
    - for the SELECT alone; a second statement returns the classes that violate the policy.

    Example: kanonym apply recoding.json march.csv -o released.csv --update
    """
    from contextlib import nullcontext
    from functools import partial

    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import closing, show_result
    from kanonym.data.files import atomic_write, check_output, check_table_output
    from kanonym.data.files.disk import lock_file
    from kanonym.pipeline import with_own_types
    from kanonym.series import Fitted

    if sql is not None:
        unheeded = {"--update": update, "--person": person, "--manifest": papers.manifest}
        about = {"--table": reading.table_name, "--schema": reading.schema, "--json": json}
        inputs.refuse_beside_sql({**unheeded, **about})
        _print_statements(Fitted.load(recoding), batch, sql, output, kind)
        return
    persons = _person_column(person, person_key, least_values)
    if update and recoding == "-":
        raise typer.BadParameter("standard input cannot be updated", param_hint="RECODING")
    named = papers.manifest
    places = {"RECODING": recoding, "BATCH": batch}
    inputs.check_places(places, [("-o", output), *papers.options], json=json)
    check_table_output(output, reading.format_of(output))
    if named is not None:
        check_output(named)
    counts = update and Path(recoding).exists()
    with show_progress() as step, lock_file(recoding) if counts else nullcontext():
        start = perf_counter()
        step("read")
        fitted = Fitted.load(recoding)
        place = locations.Place(output)
        papers = papers.with_manifest(place, fitted.policy)
        frame, source = reading.table_with_content(batch)
        seconds = perf_counter() - start
        release = fitted.apply(frame, person=persons, progress=step)
        step("write")
        start = perf_counter()
        released = with_own_types(release, frame, partial(reading.read_again, batch, source))
        # The count takes its place only after the release is in its own.
        with atomic_write(recoding) if update else nullcontext() as counted:
            if counted is not None:
                fitted.save(counted)
            result = writing.write(
                released,
                output,
                reading.format,
                batch,
                coded=release.coded_columns,
                beside=partial(papers.write_manifest, release, source),
            )
        tell_of_manifest(release, papers.manifest, named, result)
        writing_seconds = perf_counter() - start
    found = {**release.to_dict(), "counted": update}
    found["seconds"] = inputs.seconds_with_files(found["seconds"], seconds, write=writing_seconds)
    beside = [] if papers.manifest is None else [str(papers.manifest)]
    written = [output, *beside, *([recoding] if update else [])]
    show_result(
        found,
        release.tables,
        *closing(found["seconds"]["total"], written),
        *([] if update else [UNCOUNTED]),
        json=json,
        to_stderr=output == "-",
    )


def _print_statements(
    fitted: Fitted, table: str, dialect: str, name: str, kind: Literal["view", "table"]
) -> None:
    """Print the statement that recodes a table, and one that judges what it makes."""
    from kanonym.data.errors import PolicyError
    from kanonym.data.loading import require_extra

    with require_extra("sql"):
        from kanonym.engines.sql.model_query import violations_query

    made = fitted.to_sql(table, dialect, None if name == "-" else name, kind)
    inputs.print_statement(made, table)
    if name == "-":
        return
    try:
        judging = violations_query(name, fitted.policy, dialect) + ";"
    except PolicyError as error:
        judging = f"-- Verify {name} by kanonym: {error}"
    typer.echo(f"\n{judging}")


def _person_column(columns: Sequence[str], key: str | None, least: int) -> PersonColumn | None:
    """Return how persons are recognized, if that is asked for."""
    from kanonym.series import PersonColumn

    if not columns:
        if key is not None or least != 1:
            raise typer.BadParameter("needs --person", param_hint="--person-key, --least-values")
        return None
    if key is None:
        raise typer.BadParameter("needs --person-key FILE", param_hint="--person")
    return PersonColumn(list(columns), parse_secret(key), least)
