"""`kanonym sigo`: SIGO's flags, configuration, input, output and log."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from kanonym.cli import inputs, options
from kanonym.cli.command_options import declared_options
from kanonym.data.errors import KanonymError
from kanonym.data.option import Option

LEVELS = ("none", "error", "warn", "info", "debug", "trace")
"""By their numbers, 0 to 5."""

_MARKS = {
    "error": ("ERR", 31),
    "warn": ("WRN", 33),
    "info": ("INF", 32),
    "debug": ("DBG", 35),
    "trace": ("TRC", 34),
}
_GREY, _CYAN = 90, 36
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:+")


@dataclass(frozen=True, slots=True)
class Log:
    """Where log lines go."""

    verbosity: str = "info"
    as_json: bool = False
    color: bool = False

    def __call__(self, level: str, message: str, fields: dict[str, Any]) -> None:
        """Write one line if its level is shown."""
        if level != "error" and LEVELS.index(level) > LEVELS.index(self.verbosity):
            return
        line = (
            self._object(level, message, fields)
            if self.as_json
            else self._line(level, message, fields)
        )
        sys.stderr.write(f"{line}\n")

    def _object(self, level: str, message: str, fields: dict[str, Any]) -> str:
        line = {"level": level, **dict(sorted(fields.items())), "message": message}
        return json.dumps(line, ensure_ascii=False, separators=(",", ":"))

    def _line(self, level: str, message: str, fields: dict[str, Any]) -> str:
        mark, color = _MARKS[level]
        now = datetime.now().astimezone()
        time = f"{now.hour % 12 or 12}:{now:%M}{'AM' if now.hour < 12 else 'PM'}"
        words = [self._colorize(_GREY, time), self._colorize(color, mark), message]
        words += [
            f"{self._colorize(_CYAN, f'{name}=')}{_text(fields[name])}" for name in sorted(fields)
        ]
        return " ".join(words)

    def _colorize(self, color: int, text: str) -> str:
        return f"\x1b[{color}m{text}\x1b[0m" if self.color else text


def is_colored(mode: str) -> bool:
    """Say whether `--color yes`, `no` or `auto` (a terminal, unless NO_COLOR is set) colours."""
    if mode == "auto":
        return sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    return mode == "yes"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value if _PLAIN.issuperset(value) else json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


CONFIGURATION = Path("sigo.yml")
_FLAGS = ("--entropy", "--log-json")


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
    Sequence[str],
    Option("Quasi-identifiers, in the order of cuts.", "A,B", "--quasi-identifier -q"),
]
Sensitive = Annotated[Sequence[str], Option("Sensitive attributes.", "C", "-s", kind="columns")]


@dataclass(frozen=True, kw_only=True)
class Logging:
    """What is logged, and how."""

    verbosity: Annotated[
        str,
        Option("none (0), error (1), warn (2), info (3), debug (4) or trace (5).", "LEVEL", "-v"),
    ] = "info"
    log_json: Annotated[bool, Option("Log as JSON, one object per line.")] = False
    color: Annotated[Literal["auto", "yes", "no"], Option("Colour the log.", "auto|yes|no")] = (
        "auto"
    )


@app.callback()
@declared_options
def sigo(
    ctx: typer.Context,
    k: Annotated[
        int | None, Option("Records per cluster; default 3.", "K", "--k-value -k", least=1)
    ] = None,
    l: Annotated[
        int | None, Option("Sensitive values per cluster; default 1.", "L", "--l-value -l", least=0)
    ] = None,
    quasi_identifiers: QuasiIdentifiers = (),
    sensitive: Sensitive = (),
    method: Annotated[
        str | None,
        Option(
            "NoAnonymizer (default), general, meanAggregation, medianAggregation, outlier, "
            "laplaceNoise, gaussianNoise, swapping or reidentification.",
            "NAME",
            "--anonymizer -a",
        ),
    ] = None,
    cluster_info: Annotated[str, Option("Key of the cluster's number.", "KEY", "-i")] = "",
    entropy: Annotated[bool, Option("Entropy l-diversity.")] = False,
    configuration: Annotated[
        Path | None, Option("Configuration, YAML; sigo.yml if there is one.", "FILE", "-c")
    ] = None,
    arguments: Annotated[
        Sequence[str],
        Option("Attributes to find; for reidentification.", "COLUMN", "--args", kind="columns"),
    ] = (),
    bounds: Annotated[
        Literal["cell", "range"],
        Option(
            "Output of general: bounds of the cell, or smallest and largest value.", "cell|range"
        ),
    ] = "cell",
    seed: Annotated[int | None, Option("Seed of noise and swapping.", "N", least=0)] = None,
    output: options.Output = "-",
    *,
    log: Logging,
    profiling: Annotated[bool, Option("Accepted, but no profile is written.", flag="-p")] = False,
) -> None:
    """Anonymize JSON Lines as SIGO does, from standard input.

    Same flags, rows, order and values as SIGO; on an error, nothing is printed. Where SIGO is
    wrong, kanonym differs: see docs/sigo.md.
    """
    if ctx.invoked_subcommand is not None:
        if quasi_identifiers or sensitive:
            raise typer.BadParameter("must come after reidentification", param_hint="-q and -s")
        return
    tell = _log(ctx, log)

    def work() -> bytes:
        from kanonym.data.files import check_output
        from kanonym.policy.sigo_configuration import SigoConfiguration, sigo_configuration
        from kanonym.sigo import Request, anonymize_file

        file = configuration or (CONFIGURATION if CONFIGURATION.is_file() else None)
        inputs.check_places({"--configuration": file}, [("--output", output)])
        check_output(output)
        said = sigo_configuration(file) if file else SigoConfiguration()
        asked = {
            "quasi_identifiers": tuple(quasi_identifiers) or said.quasi_identifiers,
            "sensitive": tuple(sensitive) or said.sensitive,
            "k": said.k if k is None else k,
            "l": said.l if l is None else l,
            "method": said.method if method is None else method,
        }
        known: dict[str, Any] = {name: one for name, one in asked.items() if one is not None}
        request = Request(
            **{"quasi_identifiers": (), **known},
            cluster_info=cluster_info,
            entropy=entropy,
            arguments=tuple(arguments),
            bounds=bounds,
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
@declared_options
def reidentification(
    ctx: typer.Context,
    original: Annotated[str, Option("Open data.", "FILE", "--load-original -o")],
    masked: Annotated[str, Option("Anonymized data.", "FILE", "--load-masked -m")],
    quasi_identifiers: QuasiIdentifiers = (),
    sensitive: Sensitive = (),
    threshold: Annotated[float, Option("Minimum similarity", "S", "-t", least=0, most=1)] = 0.5,
    output: Annotated[str, Option("Where to write; - for standard output.", "FILE")] = "-",
    *,
    log: Logging,
) -> None:
    """Re-identify open data by its similarity to anonymized data."""
    inputs.check_places(
        {"--load-original": original, "--load-masked": masked}, [("--output", output)]
    )
    tell = _log(ctx, log)

    def work() -> bytes:
        from kanonym.sigo import reidentify_files

        return reidentify_files(
            original, masked, tuple(quasi_identifiers), tuple(sensitive), threshold, tell
        )

    _run(ctx, work, output, tell)


def _log(ctx: Any, log: Logging) -> Any:
    if ctx.find_root().params.get("quiet"):
        log = replace(log, verbosity="error")
    verbosity = log.verbosity
    level = LEVELS[int(verbosity)] if verbosity in map(str, range(len(LEVELS))) else verbosity
    if level not in LEVELS:
        raise typer.BadParameter(f"{verbosity!r} is none of {', '.join(LEVELS)}", param_hint="-v")
    return Log(level, log.log_json, is_colored(log.color))


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
