"""`kanonym sigo`: SIGO's flags, configuration, input, output and log."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from kanonym.cli import options
from kanonym.data.errors import KanonymError

CONFIGURATION = Path("sigo.yml")
_FLAGS = ("--entropy", "--log-json")


class Bounds(StrEnum):
    """What `-a general` prints."""

    CELL = "cell"
    RANGE = "range"


class Color(StrEnum):
    """Whether the log is coloured."""

    AUTO = "auto"
    YES = "yes"
    NO = "no"


class Sigo(TyperGroup):
    """A group whose flags may carry a value: `--entropy=true`, as in Go, or `--entropy true`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take `--entropy=true` and `--entropy true` for `--entropy`; leave out those of false."""
        off = [f"{flag}=false" for flag in _FLAGS]
        joined: list[str] = []
        for arg in args:
            if joined and joined[-1] in _FLAGS and arg in ("true", "false"):
                joined[-1] += f"={arg}"
            else:
                joined.append(arg)
        plain = [arg.removesuffix("=true") if arg.startswith(_FLAGS) else arg for arg in joined]
        return super().parse_args(ctx, [arg for arg in plain if arg not in off])


app = typer.Typer(
    cls=Sigo, invoke_without_command=True, rich_markup_mode=None, add_completion=False
)

QuasiIdentifiers = Annotated[
    list[str] | None,
    typer.Option(
        "--quasi-identifier", "-q", metavar="A,B", help="Quasi-identifiers, in the order of cuts."
    ),
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option("--sensitive", "-s", metavar="C", help="Sensitive attributes."),
]
Verbosity = Annotated[
    str,
    typer.Option(
        "--verbosity",
        "-v",
        metavar="LEVEL",
        help="none (0), error (1), warn (2), info (3), debug (4) or trace (5).",
    ),
]
LogJson = Annotated[bool, typer.Option("--log-json", help="Log as JSON, one object per line.")]
Colored = Annotated[Color, typer.Option("--color", help="Colour the log.")]
Output = Annotated[
    str, typer.Option("--output", metavar="FILE", help="Where to write; - for standard output.")
]


@app.callback()
def sigo(
    ctx: typer.Context,
    k: Annotated[
        int | None,
        typer.Option("--k-value", "-k", min=1, metavar="K", help="Records per cluster; default 3."),
    ] = None,
    l: Annotated[
        int | None,
        typer.Option(
            "--l-value", "-l", min=0, metavar="L", help="Sensitive values per cluster; default 1."
        ),
    ] = None,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--anonymizer",
            "-a",
            metavar="NAME",
            help="NoAnonymizer (default), general, meanAggregation, medianAggregation, outlier, "
            "laplaceNoise, gaussianNoise, swapping or reidentification.",
        ),
    ] = None,
    cluster_info: Annotated[
        str,
        typer.Option("--cluster-info", "-i", metavar="KEY", help="Key of the cluster's number."),
    ] = "",
    entropy: Annotated[bool, typer.Option("--entropy", help="Entropy l-diversity.")] = False,
    configuration: Annotated[
        Path | None,
        typer.Option(
            "--configuration",
            "-c",
            metavar="FILE",
            help="Configuration, YAML; sigo.yml if there is one.",
        ),
    ] = None,
    arguments: Annotated[
        list[str] | None,
        typer.Option("--args", metavar="COLUMN", help="Attributes to find; for reidentification."),
    ] = None,
    bounds: Annotated[
        Bounds,
        typer.Option(help="Output of general: bounds of the cell, or smallest and largest value."),
    ] = Bounds.CELL,
    seed: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Seed of noise and swapping.")
    ] = None,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="Output; - for standard output."),
    ] = "-",
    verbosity: Verbosity = "info",
    log_json: LogJson = False,
    color: Colored = Color.AUTO,
    profiling: Annotated[
        bool, typer.Option("--profiling", "-p", help="Accepted, but no profile is written.")
    ] = False,
) -> None:
    """Anonymize JSON Lines as SIGO does, from standard input.

    Same flags, rows, order and values as SIGO; on an error, nothing is printed. Where SIGO is
    wrong, kanonym differs: see docs/sigo.md.
    """
    if ctx.invoked_subcommand is not None:
        if quasi_identifiers or sensitive:
            raise typer.BadParameter("must come after reidentification", param_hint="-q and -s")
        return
    tell = _log(ctx, verbosity, log_json, color)

    def work() -> bytes:
        from kanonym.data.files import check_output
        from kanonym.policy.sigo_configuration import SigoConfiguration, sigo_configuration
        from kanonym.sigo import Request, anonymize_file

        file = configuration or (CONFIGURATION if CONFIGURATION.is_file() else None)
        options.check_places({"--configuration": file}, [("--output", output)])
        check_output(output)
        said = sigo_configuration(file) if file else SigoConfiguration()
        asked = {
            "quasi_identifiers": tuple(options.parse_names(quasi_identifiers))
            or said.quasi_identifiers,
            "sensitive": tuple(options.parse_names(sensitive)) or said.sensitive,
            "k": said.k if k is None else k,
            "l": said.l if l is None else l,
            "method": said.method if method is None else method,
        }
        known: dict[str, Any] = {name: one for name, one in asked.items() if one is not None}
        request = Request(
            **{"quasi_identifiers": (), **known},
            cluster_info=cluster_info,
            entropy=entropy,
            arguments=tuple(options.parse_names(arguments)),
            bounds=bounds.value,
            seed=seed,
        )
        start = {
            "configuration": str(file or ""),
            "k-anonymity": request.k,
            "l-diversity": request.l,
            "Quasi-Identifiers": request.quasi_identifiers,
            "Sensitive": request.sensitive,
            "Method": request.method,
            "Cluster-Info": request.cluster_info,
        }
        tell("info", "Start SIGO", start)
        if profiling:
            tell("warn", "No profile is written: kanonym has none", {})
        return anonymize_file("-", request, tell)

    _run(ctx, work, output, tell)


@app.command()
def reidentification(
    ctx: typer.Context,
    original: Annotated[
        str,
        typer.Option("--load-original", "-o", metavar="FILE", help="Open data."),
    ],
    masked: Annotated[
        str,
        typer.Option("--load-masked", "-m", metavar="FILE", help="Anonymized data."),
    ],
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold", "-t", min=0.0, max=1.0, metavar="S", help="Minimum similarity, 0 to 1."
        ),
    ] = 0.5,
    output: Output = "-",
    verbosity: Verbosity = "info",
    log_json: LogJson = False,
    color: Colored = Color.AUTO,
) -> None:
    """Re-identify open data by its similarity to anonymized data."""
    options.check_places(
        {"--load-original": original, "--load-masked": masked}, [("--output", output)]
    )
    tell = _log(ctx, verbosity, log_json, color)

    def work() -> bytes:
        from kanonym.sigo import reidentify_files

        return reidentify_files(
            original,
            masked,
            tuple(options.parse_names(quasi_identifiers)),
            tuple(options.parse_names(sensitive)),
            threshold,
            tell,
        )

    _run(ctx, work, output, tell)


def _log(ctx: Any, verbosity: str, log_json: bool, color: Color) -> Any:
    from kanonym.cli.making.sigo_log import LEVELS, Log, is_colored

    if ctx.find_root().params.get("quiet"):
        verbosity = "error"
    level = LEVELS[int(verbosity)] if verbosity in map(str, range(len(LEVELS))) else verbosity
    if level not in LEVELS:
        raise typer.BadParameter(f"{verbosity!r} is none of {', '.join(LEVELS)}", param_hint="-v")
    return Log(level, log_json, is_colored(color))


def _run(ctx: Any, work: Callable[[], bytes], output: str, tell: Any) -> None:
    """Do the work, write all of its output, or log one error in SIGO's form."""
    from kanonym.data.files import write_bytes
    from kanonym.kernels.compile import announce_compilation

    def compiling() -> None:
        tell("info", "Compiling the kernels (once per machine)", {})

    try:
        with announce_compilation(compiling):
            printed = work()
        write_bytes(output, printed)
    except UnicodeEncodeError:
        half = "a text holds half of a surrogate pair, such as \\ud800, which is no character"
        tell("error", f"{half}; replace it", {})
        raise typer.Exit(1) from None
    except KanonymError as error:
        if isinstance(error.__cause__, BrokenPipeError):
            raise
        if ctx.find_root().params.get("debug"):
            traceback.print_exc(file=sys.stderr)
        tell("error", str(error), {})
        raise typer.Exit(1) from None
