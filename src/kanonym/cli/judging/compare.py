"""`kanonym compare`: many ways to anonymize a table, and which to take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanonym.cli import locations, options
from kanonym.cli.commands import anonymize_command, next_command, option_words
from kanonym.cli.policy_options import OPTIONS, PolicyOptions, takes_policy

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kanonym.comparison.comparison import Comparison, Privacy

CHARTS = (".html", ".svg", ".png")
PRIVACY: dict[str, Privacy] = {"k": "k", "average-risk": "average_risk"}


@takes_policy(
    *("quasi_identifiers", "sensitive", "identifiers", "others", "k", "l", "t", "models"),
    "hierarchies",
)
def compare(
    context: typer.Context,
    table: options.Table,
    *,
    asked: PolicyOptions,
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=A,B",
            help=(
                "Values to try of algorithm, k, l, t, suppression_limit, recoding or "
                "algorithm.PARAMETER; may be repeated. Default: four algorithms, k from 2 to 50."
            ),
            rich_help_panel="Combinations",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help=(
                "Measures of utility, as in assess, or accuracy-COLUMN: of a model that predicts "
                "the column. Releases are compared by the first; default: span-loss."
            ),
            rich_help_panel="Combinations",
        ),
    ] = None,
    privacy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Measure of privacy: k or average-risk; default: k if it is swept.",
            rich_help_panel="Combinations",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Number of combinations to run at once; default: the number of cores, at most 4.",
            rich_help_panel="Combinations",
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File that keeps the results, line by line; the next run continues from it.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Table with one row per combination; - for standard output.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File for the policy of the recommended release, as YAML.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    chart: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Chart of privacy and loss of the releases: .html, .svg or .png.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    language: options.Language = "en",
    table_name: locations.TableName = None,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    json: options.Json = False,
) -> None:
    """Anonymize a table in many ways, and recommend a release.

    Every combination of the values of --sweep is tried; combinations without a release are listed
    with the reason. No release is written. The exit code is 1 if no combination has a release.
    """
    from kanonym import comparison, pipeline
    from kanonym.cli.printing.comparison import comparison_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show, show_json
    from kanonym.data.files import check_output, check_table_output, write_table
    from kanonym.data.frames import to_polars

    if json and output == "-":
        raise typer.BadParameter("standard output cannot hold both", param_hint="--json and -o -")
    _check_names(chart, privacy)
    swept = _parse_sweep(sweep)
    first = {} if asked.file else comparison.with_first_values({}, swept or {"k": [5]})
    policy = asked.policy(**{**first, **asked.given})
    options.check_places(
        {"INPUT": table, **asked.files},
        [
            ("-o", output),
            ("--write", write),
            ("--chart", chart),
            ("--resume", resume),
        ],
        policy,
    )
    if output is not None:
        check_table_output(output, options.format_of(output, format))
    for place in filter(None, (chart, write)):
        check_output(place)
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame = locations.rows_at(
            table,
            options.format_of(table, format),
            name=table_name,
            sheet=sheet,
            header_row=header_row,
            columns=options.COLUMNS.get(),
            user_missing=user_missing,
        )
        policy, _ = pipeline.with_readings(policy, frame, options.sentence_printer(step))
        with _announce_resume(resume):
            found = comparison.compare(
                frame,
                policy,
                sweep=swept,
                measures=options.parse_names(measure) or ("span-loss",),
                workers=workers,
                progress=step,
                resume=resume,
            )
        if privacy is not None:
            found = found.on(privacy=PRIVACY[privacy])
        step("write")
        if output is not None:
            write_table(to_polars(found.table), output, options.format_of(output, format))
        policies = _write(found, chart, write, language)
    places = [output, chart, resume, *policies]
    contract = {
        **found.to_dict(),
        "seconds": perf_counter() - start,
        "written": [str(place) for place in places if place is not None],
    }
    if json:
        show_json(contract)
    else:
        more = next_command(context, table, policies) or _command(context, table, contract["knee"])
        show(*comparison_tables(contract), *more, to_stderr=output == "-")
    if not any(trial.has_release for trial in found.trials):
        raise typer.Exit(1)


def _write(found: Comparison, chart: Path | None, write: Path | None, language: str) -> list[str]:
    """Write the chart, and the policy if there is one; return where the policy is."""
    if chart is not None:
        found.chart(chart, language=language)
    if write is None or found.policy is None:
        return []
    found.write_policy(write)
    return [str(write)]


def _command(
    context: typer.Context, table: str, knee: Mapping[str, Any] | None
) -> list[RenderableType]:
    """Return the command that makes the recommended release; nothing where there is none.

    knee: the swept values.
    """
    flags = {key: f"--{key.replace('_', '-')}" for key in ("algorithm", "suppression_limit")}
    flags |= {key: f"-{key}" for key in ("k", "l", "t")} | {"recoding": "--recoding"}
    if knee is None:
        return []
    if any(key not in flags or isinstance(value, dict) for key, value in knee.items()):
        return ["\nTo run it, write its policy: --write policy.yaml"]
    asked: list[object] = [*option_words(context, ["policy", *(OPTIONS.keys() - knee.keys())])]
    for key, value in knee.items():
        asked += [] if value is None else [flags[key], value]
    return ["\nTo run it:", anonymize_command(context, table, asked)]


def _check_names(chart: Path | None, privacy: str | None) -> None:
    """Refuse a chart of another form, and another privacy than there is."""
    if chart is not None and chart.suffix.lower() not in CHARTS:
        raise typer.BadParameter(f"{chart} must end in {', '.join(CHARTS)}", param_hint="--chart")
    if privacy is not None and privacy not in PRIVACY:
        raise typer.BadParameter(
            f"{privacy!r} is neither {' nor '.join(PRIVACY)}", param_hint="--privacy"
        )


@contextmanager
def _announce_resume(resume: Path | None) -> Iterator[None]:
    """Tell who interrupts a comparison where it goes on."""
    try:
        yield
    except KeyboardInterrupt:
        if resume is not None:
            typer.echo(
                f"kanonym: {resume} has the results so far; run the same command to continue",
                err=True,
            )
        raise


def _parse_sweep(given: list[str] | None) -> dict[str, list[Any]] | None:
    """Return the values by key that `--sweep k=2,5 --sweep algorithm=mondrian` asks for."""
    from kanonym.policy.document import parse_value

    if not given:
        return None
    swept: dict[str, list[Any]] = {}
    for entry in given:
        key, equals, values = entry.partition("=")
        if not (key and equals and values.strip()):
            raise typer.BadParameter(f"{entry!r} is not KEY=VALUE,VALUE", param_hint="--sweep")
        swept.setdefault(key.strip(), []).extend(parse_value(f"[{values}]", f"--sweep {key}"))
    return swept
