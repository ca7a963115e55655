"""The command line. Commands have no logic of their own: they read, call and print.

Each command is imported when it is called, and imports what it needs when it runs, so that
`kanonym --help` stays fast.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from functools import cache
from io import BufferedWriter, FileIO, RawIOBase, TextIOWrapper
from typing import Annotated, Any

import typer

import kanonym
from kanonym.cli import group, inputs
from kanonym.cli.command_options import parse_names
from kanonym.cli.group import AllCommands
from kanonym.data.replacing import REPLACING
from kanonym.data.text_encoding import ENCODING

GARBAGE = 500_000
"""Objects that a command makes between collections of garbage: more than loading modules makes."""

app = typer.Typer(
    name="kanonym",
    cls=AllCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"kanonym {kanonym.__version__}")
        raise typer.Exit


@app.callback()
def _every_command(
    version: Annotated[  # noqa: ARG001 - its callback prints it
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    verbose: Annotated[
        int,
        typer.Option(
            "--verbose",
            "-v",
            count=True,
            metavar="",
            show_default=False,
            help="Log each stage and its time; repeat for details.",
        ),
    ] = 0,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Show only errors: no progress, notes or warnings.")
    ] = False,
    threads: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Number of threads; default: all cores.")
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Encoding of text files that are not UTF-8: windows-1252, …"
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C", help="Names of the columns, if the CSV or Excel input has no header."
        ),
    ] = None,
    show_values: Annotated[  # noqa: ARG001 - `CommandGroup` and `verify` read it
        bool,
        typer.Option("--show-values", help="Show the values of the table that an error is about."),
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace output files that exist, whoever wrote them."),
    ] = False,
    debug: Annotated[  # noqa: ARG001 - `CommandGroup` reads it
        bool, typer.Option("--debug", help="Show the traceback of an error.")
    ] = False,
) -> None:
    """Anonymize tables about people, and verify the result.

    These options can be anywhere on the command line; `-` is standard input or output.

    Exit codes: 0 done, 1 requirement not met, 2 wrong usage, 3 invalid input or policy,
    70 internal error, 130 interrupted.
    """
    group.configure(verbose, quiet=quiet)
    ENCODING.set(encoding)
    replacing = REPLACING.get()
    if replacing is not None:
        replacing.overwrite = overwrite
    inputs.COLUMNS.set(None if columns is None else parse_names([columns]))
    if threads is not None:
        group.limit_threads(threads)


def _leave_garbage() -> None:
    """Spare the last look through all objects for garbage, a fifth of many commands' time.

    DuckDB tells on standard error what is left of it then, so its objects are collected.
    """
    if "_duckdb" not in sys.modules:
        gc.freeze()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    gc.set_threshold(GARBAGE)
    # Kernels have threads of their own; those of BLAS take longer to start than most commands run.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # pydantic would read what each installed package offers, to find plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    atexit.register(_leave_garbage)
    if isinstance(sys.stdout, TextIOWrapper) and isinstance(sys.stdout.buffer, RawIOBase):
        # Unbuffered, Python drops what a full disk or a slow pipe did not take at once.
        whole = BufferedWriter(FileIO(sys.stdout.fileno(), "w", closefd=False))
        sys.stdout = TextIOWrapper(whole, encoding=sys.stdout.encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal or pipe that has no β shows a question mark, not an error.
            stream.reconfigure(errors="replace")
    _command()(arguments, prog_name="kanonym")


@cache
def _command() -> Any:
    """Return the whole command line; typer takes longer to build it than many commands run."""
    return typer.main.get_command(app)
