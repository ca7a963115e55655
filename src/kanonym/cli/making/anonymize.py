"""`kanonym anonymize`: a table in, a verified release out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanonym.cli import inputs, locations, options
from kanonym.cli.commands import repetition
from kanonym.cli.locations import is_database
from kanonym.cli.making import linked
from kanonym.cli.making.compile import compile_ahead
from kanonym.cli.making.draw import Drawing
from kanonym.cli.making.papers import PRIVATE, Papers, check_private, tell_of_manifest
from kanonym.cli.policy_options import OPTIONS, PolicyOptions, takes_policy
from kanonym.data.option import Option

if TYPE_CHECKING:
    from kanonym.data.files import Content
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
        Option(
            "Release; - for standard output, or a database. Required without --dry-run.",
            "FILE",
            "-o",
            group=options.OUTPUT,
        ),
    ] = None,
    *,
    asked: PolicyOptions,
    aggregate: Annotated[
        bool,
        Option(
            "Release one row per class and sensitive value, with a count.",
            group=options.OUTPUT,
            rare=True,
        ),
    ] = False,
    papers: Papers,
    dry_run: Annotated[
        bool, Option("Anonymize and verify, but write nothing.", group=options.OUTPUT)
    ] = False,
    writing: options.Writing,
    output_table: Annotated[
        str | None,
        Option(
            "Table to create if -o is a database; default: NAME_released.",
            "NAME",
            group=options.OUTPUT,
            rare=True,
        ),
    ] = None,
    ledger: Annotated[
        Path | None,
        Option(
            "File, kept by you, that adds up what the table has spent. Required without --dry-run.",
            "FILE",
            group=PRIVATE,
        ),
    ] = None,
    drawing: Drawing,
    reading: options.EngineReading,
    long: options.LongTable = None,
    tables: linked.LinkedPlaces,
    json: options.Json = False,
) -> None:
    """Anonymize a table, verify the release, and write it.

    Requirements come from a policy file or from options: the columns (-q, -s, -i) and the models
    (-k, -l, -t; -l and -t apply to each sensitive attribute). Options override the policy file. A
    release that does not satisfy its policy is never written. Several tables about the same
    persons have a policy with `tables`, and places --from and --to.

    Example: kanonym anonymize patients.csv -q age,zip -s disease -k 5 -l 2 -o released.csv
    """
    if tables.is_given:
        refused = {
            "INPUT": table,
            "-o": output,
            "--aggregate": aggregate,
            "--long": long,
            "--drawn": drawing.drawn,
            "--engine": reading.engine,
            "--table": reading.table_name,
            "--safe-cells": writing.safe_cells,
            "--attack": papers.attack,
            "--no-input-hash": papers.no_input_hash,
        }
        linked.refuse_options(refused, asked)
        linked.anonymize_linked(
            asked.file,
            tables,
            papers,
            dry_run=dry_run,
            json=json,
            format=reading.format,
            schema=reading.schema,
        )
        return
    from kanonym.cli.progress import show_progress
    from kanonym.engines import is_local

    table = _check_given(table, output, dry_run=dry_run)
    place = locations.Place.of(output or os.devnull, table, reading.table_name, output_table)
    policy = asked.policy()
    named, papers = papers.manifest, papers.with_manifest(place, policy, reading.engine)
    columns = _long_columns(long, policy, aggregate=aggregate, drawn=drawing.drawn)
    beside = [*papers.options, ("--ledger", ledger), ("--drawn", drawing.drawn)]
    inputs.check_places(
        {"INPUT": table, **asked.files, "-o": output if place.table else None},
        [("-o", output and place.file), *beside],
        policy,
        json=json,
    )
    private = check_private(policy, ledger, papers, drawing, dry_run=dry_run)
    stays = bool(place.table or reading.engine or is_database(table))
    drawing.check(reading.format, stays=stays)
    papers, written = _check_outputs(place, papers, drawing, reading, dry_run=dry_run)
    uses = [policy.algorithm.type, *(["report"] if papers.report else [])]
    with show_progress() as step, compile_ahead(*uses):
        step("read")
        start = perf_counter()
        frame, source = reading.table_with_content(
            table,
            declared=policy.attributes if private else None,
            decimals=(decimals := dict[str, int]()),
        )
        frame = inputs.group_long(frame, columns)
        seconds = {"read": perf_counter() - start}
        stays, tell = not is_local(frame), inputs.sentence_printer(step)
        there = place.for_engine(writing, aggregate=aggregate) if stays and not dry_run else None
        release, published, notes = released_table(
            frame,
            policy,
            tell,
            None if private else decimals,
            None if columns else partial(reading.read_again, table, source),
            output=there,
            ledger=None if dry_run else ledger,
            progress=step,
        )
        values = None if dry_run else drawing.draw(release, step)
        step("write")
        start = perf_counter()
        told: dict[str, Any] = {}
        result, like = None, locations.file_at(table)

        def write_beside(content: Content | None) -> None:
            told.update(drawing.write(values, reading.format, like))
            papers.write_manifest(published, source, content, detected=notes, drawn=told)

        if stays:
            source = locations.verify_unchanged(table, source)
            result = locations.content_at(output or "-")
            write_beside(result)
        elif not dry_run:
            result = place.write(
                _released_rows(published, columns, aggregate=aggregate),
                reading.format,
                like,
                writing,
                coded=release.coded_columns,
                beside=write_beside,
            )
        seconds["write"] = perf_counter() - start
        start = perf_counter()
        verifiable = dry_run or tell_of_manifest(release, papers.manifest, named, result)
        about = (
            {
                **repetition(context, published.policy, place, verifiable=verifiable)._asdict(),
                **evaluate_release(frame, release, step, wanted=False if stays else papers.attack),
            }
            if papers.report
            else {}
        )
        papers.write(published, about, source, result)
        if papers.report:
            seconds["report"] = perf_counter() - start
    _show_release(release, (values, told), written, seconds, json=json, to_stderr=output == "-")


def _check_given(table: str | None, output: str | None, *, dry_run: bool) -> str:
    """Return the table; refuse a command without one, or without an output."""
    if table is None:
        raise typer.BadParameter("Missing argument INPUT: name a table, or give --from and --to")
    if output is None and not dry_run:
        raise typer.BadParameter("missing option: give -o FILE or --dry-run", param_hint="-o")
    return table


def released_table(
    frame: Any,
    policy: Policy,
    tell: Callable[[str], None],
    decimals: Mapping[str, int] | None,
    read_again: Callable[..., Any] | None,
    **how: Any,
) -> tuple[Release, Release, tuple[str, ...]]:
    """Return a release, the same as it is published, and sentences on readings of its records.

    decimals: None under differential privacy, where readings must not follow from values.
    """
    from kanonym import pipeline

    if decimals is None:
        release = pipeline.anonymize(frame, policy, **how)
        return release, release, ()
    read, notes = pipeline.with_readings(policy, frame, tell, decimals=decimals)
    release = pipeline.anonymize(frame, read, **how)
    return release, *pipeline.publish_own_records(release, policy, frame, notes, read_again)


def _long_columns(
    long: str | None, policy: Policy, *, aggregate: bool, drawn: str | None
) -> tuple[str, str] | None:
    """Return the columns of persons and items; refuse outputs that have no such rows."""
    columns = inputs.long_columns(long, policy)
    if columns is not None and (aggregate or drawn is not None):
        hint = "--aggregate" if aggregate else "--drawn"
        raise typer.BadParameter("not with a long table of sets", param_hint=hint)
    return columns


def _released_rows(release: Release, columns: tuple[str, str] | None, *, aggregate: bool) -> Any:
    """Return what is written of a release; columns: of persons and items, of a long table."""
    from kanonym.data.frames import to_polars
    from kanonym.data.sets import to_long

    released = to_polars(release.aggregate() if aggregate else release.frame)
    return to_long(released, *columns, seed=release.policy.seed) if columns else released


def _show_release(
    release: Release,
    drawn: tuple[DrawnTable | None, dict[str, Any]],
    written: list[str],
    seconds: dict[str, float],
    *,
    json: bool,
    to_stderr: bool,
) -> None:
    """Print what was released; drawn: with its facts; seconds: of reading, writing, reporting."""
    from kanonym.cli.progress import print_note
    from kanonym.cli.terminal import show_result

    if release.algorithm.get("interrupted"):
        print_note("the search was stopped: this is the best so far")
    found = release.to_dict()
    found["seconds"] = inputs.seconds_with_files(found["seconds"], **seconds)
    values, told = drawn
    show_result(
        {**found, **({"drawn": told} if told else {})},
        lambda: [*release.tables(examples=True), *(values.tables() if values else ())],
        json=json,
        to_stderr=to_stderr,
        seconds=found["seconds"]["total"],
        written=written,
    )


def _check_outputs(
    place: locations.Place,
    papers: Papers,
    drawing: Drawing,
    reading: options.EngineReading,
    *,
    dry_run: bool,
) -> tuple[Papers, list[str]]:
    """Return what is written and all its places, once they are found writable.

    An engine has formats of its own, in which it writes the release.
    """
    from kanonym.data.files import check_output, check_table_output

    if place.file not in (None, os.devnull) and reading.engine is None:
        check_table_output(place.given, reading.format_of(place.given))
    beside = [str(one) for _, one in papers.options if one]
    for file in beside:
        check_output(file)
    beside += [] if drawing.drawn is None else [drawing.drawn]
    return (Papers(), []) if dry_run else (papers, [place.display_name, *beside])


def evaluate_release(
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
        profile = profiling.profile(released_originals(frame, release))
    except KanonymError as error:
        if wanted:
            raise
        # The release is verified and written: its report can do without.
        print_note(f"not attacked for the report: {error}")
        return {}
    step("report")
    return {"attacks": attacks, **measured, "utility": utility, "profile": profile}
