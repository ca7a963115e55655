"""`kanonym apply`: a batch through a recoding that was fitted before."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from kanonym.cli import locations, options
from kanonym.cli.making.papers import Papers, tell_of_manifest

if TYPE_CHECKING:
    from kanonym.series import PersonColumn


def apply(
    recoding: Annotated[
        str, typer.Argument(metavar="RECODING", help="Recoding written by `kanonym fit`.")
    ],
    batch: Annotated[
        str, typer.Argument(metavar="BATCH", help="Table to release; - for standard input.")
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="Release; - for standard output."),
    ],
    update: Annotated[
        bool,
        typer.Option(
            "--update",
            help="Add the batch to RECODING, so that the next one is verified together with it.",
        ),
    ] = False,
    person: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Identifier of persons (or several: a,b): look for those in several batches.",
        ),
    ] = None,
    person_key: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Key of persons: a file, or env:NAME; the same for every batch.",
        ),
    ] = None,
    least_values: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="M",
            help="Suppress persons of whom all batches leave fewer than M sensitive values open.",
        ),
    ] = 1,
    manifest: options.Manifest = None,
    no_manifest: options.NoManifest = False,
    no_input_hash: options.NoInputHash = False,
    no_read_back: options.NoReadBack = False,
    safe_cells: options.SafeCells = False,
    format: options.Format = None,
    user_missing: options.UserMissing = None,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> None:
    """Release a batch by a fitted recoding, verified alone and with all earlier batches.

    RECODING counts the batches that were released with --update. Use --update for every batch
    that is published: only these are in the union that is verified.
    """
    from contextlib import nullcontext
    from functools import partial

    from kanonym.cli.printing.series import batch_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.tables import seconds_with_files, write_table
    from kanonym.cli.terminal import show, show_json
    from kanonym.data.files import (
        atomic_write,
        check_output,
        check_table_output,
        read_with_content,
    )
    from kanonym.data.files.lock import lock_file
    from kanonym.data.frames import to_polars
    from kanonym.series import Fitted

    persons = _person_column(person, person_key, least_values)
    if json and output == "-":
        raise typer.BadParameter("standard output cannot hold both", param_hint="--json and -o -")
    if update and recoding == "-":
        raise typer.BadParameter("standard input cannot be updated", param_hint="RECODING")
    papers = Papers([], manifest, [], None, not no_input_hash)
    options.check_places({"RECODING": recoding, "BATCH": batch}, [("-o", output), *papers.options])
    kind = options.format_of(output, format)
    check_table_output(output, kind)
    if manifest is not None:
        check_output(manifest)
    counts = update and Path(recoding).exists()
    with show_progress() as step, lock_file(recoding) if counts else nullcontext():
        start = perf_counter()
        step("read")
        fitted = Fitted.load(recoding)
        place = locations.Place(output)
        papers = papers.with_manifest(place, fitted.policy, None, left_out=no_manifest)
        frame, source = read_with_content(
            batch,
            options.format_of(batch, format),
            user_missing=user_missing,
            columns=options.COLUMNS.get(),
        )
        reading = perf_counter() - start
        release = fitted.apply(frame, person=persons, progress=step)
        step("write")
        start = perf_counter()
        released = to_polars(release.frame)
        write = partial(
            write_table,
            like=batch,
            no_read_back=no_read_back,
            safe_cells=safe_cells,
            coded=release.coded_columns,
            catalog=catalog,
            beside=partial(papers.write_manifest, release, source),
        )
        # The count takes its place only after the release is in its own.
        with atomic_write(recoding) if update else nullcontext() as counted:
            if counted is not None:
                fitted.save(counted)
            result = write(released, output, format)
        tell_of_manifest(release, papers.manifest, manifest, result)
        writing = perf_counter() - start
    found = {**release.to_dict(), "counted": update}
    found["seconds"] = seconds_with_files(found["seconds"], reading, writing)
    if json:
        show_json(found)
    else:
        beside = [] if papers.manifest is None else [str(papers.manifest)]
        written = [output, *beside, *([recoding] if update else [])]
        show(*batch_tables(found, written), to_stderr=output == "-")


def _person_column(column: str | None, key: str | None, least: int) -> PersonColumn | None:
    """Return how persons are recognized, if that is asked for."""
    from kanonym.series import PersonColumn

    if column is None:
        if key is not None or least != 1:
            raise typer.BadParameter("needs --person", param_hint="--person-key, --least-values")
        return None
    if key is None:
        raise typer.BadParameter("needs --person-key FILE", param_hint="--person")
    return PersonColumn(options.parse_names([column]), options.parse_secret(key), least)
