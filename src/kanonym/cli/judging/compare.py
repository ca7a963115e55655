"""`kanonym compare`: many ways to anonymize a table, and which to take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kanonym.cli import inputs, options
from kanonym.cli.commands import anonymize_command, next_command, option_words
from kanonym.cli.policy_options import OPTIONS, PolicyOptions, takes_policy
from kanonym.data.option import Option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kanonym.comparison.comparison import Comparison, Privacy

PRIVACY: dict[str, Privacy] = {"k": "k", "average-risk": "average_risk"}


@takes_policy(
    *("quasi_identifiers", "sensitive", "identifiers", "others", "k", "entity", "rows", "l", "t"),
    *("models", "hierarchies"),
)
def compare(
    context: typer.Context,
    table: options.Table,
    *,
    asked: PolicyOptions,
    sweep: Annotated[
        Sequence[str],
        Option(
            "Values to try of algorithm, k, l, t, suppression_limit, recoding or "
            "algorithm.PARAMETER; may be repeated. Default: four algorithms, k from 2 to 50.",
            "KEY=A,B",
            kind="values",
        ),
    ] = (),
    measure: Annotated[
        Sequence[str],
        Option(
            "Measures of utility, as in assess, or accuracy-COLUMN: of a model that predicts the "
            "column. Releases are compared by the first; default: span-loss.",
            "A,B",
        ),
    ] = (),
    privacy: Annotated[
        Literal["k", "average-risk"] | None,
        Option("Measure of privacy: k or average-risk; default: k if it is swept.", "NAME"),
    ] = None,
    workers: Annotated[
        int | None,
        Option(
            "Number of combinations to run at once; default: the number of cores, at most 4.",
            "N",
            rare=True,
            least=1,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        Option(
            "File that keeps the results, line by line; the next run continues from it.",
            "FILE",
            group=options.OUTPUT,
        ),
    ] = None,
    output: Annotated[
        str | None,
        Option(
            "Table with one row per combination; - for standard output.",
            "FILE",
            "-o",
            group=options.OUTPUT,
        ),
    ] = None,
    write: options.WrittenPolicy = None,
    chart: options.Chart = None,
    language: options.Language = "en",
    reading: options.ReadingOptions,
    json: options.Json = False,
) -> None:
    """Anonymize a table in many ways, and recommend a release.

    Every combination of the values of --sweep is tried; combinations without a release are listed
    with the reason. No release is written. The exit code is 1 if no combination has a release.

    Example: kanonym compare patients.csv --policy policy.yaml --sweep k=2,5,10
    """
    from kanonym import comparison, pipeline
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import closing, show_result
    from kanonym.data.files import check_output, check_table_output, write_table
    from kanonym.data.frames import to_polars

    inputs.check_chart(chart)
    swept = _parse_sweep(sweep)
    first = {} if asked.file else comparison.with_first_values({}, swept or {"k": [5]})
    policy = asked.policy(**{**first, **asked.given})
    inputs.check_places(
        {"INPUT": table, **asked.files},
        [("-o", output), ("--write", write), ("--chart", chart), ("--resume", resume)],
        policy,
        json=json,
    )
    if output is not None:
        check_table_output(output, reading.format_of(output))
    if write is not None:
        check_output(write)
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame = reading.rows(table)
        policy, _ = pipeline.with_readings(policy, frame, inputs.sentence_printer(step))
        with _announce_resume(resume):
            found = comparison.compare(
                frame,
                policy,
                sweep=swept,
                measures=measure or ("span-loss",),
                workers=workers,
                progress=step,
                resume=resume,
            )
        if privacy is not None:
            found = found.on(privacy=PRIVACY[privacy])
        step("write")
        if output is not None:
            write_table(to_polars(found.table), output, reading.format_of(output))
        policies = _write(found, chart, write, language)
    written = [str(place) for place in (output, chart, resume, *policies) if place is not None]
    seconds = perf_counter() - start
    knee = None if found.knee is None else found.knee.parameters
    more = next_command(context, table, policies) or _command(context, table, knee)
    show_result(
        {**found.to_dict(), "seconds": seconds, "written": written},
        found.tables,
        *closing(seconds, written or None),
        *more,
        json=json,
        to_stderr=output == "-",
    )
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


def _parse_sweep(given: Sequence[str]) -> dict[str, list[Any]] | None:
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
