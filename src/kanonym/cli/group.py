"""How the command line helps and ends: option groups, exit codes, one line for an error."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from kanonym.cli import logs
from kanonym.data.errors import InfeasibleError, KanonymError

REFUSED = 1  # the requirement is not met
INVALID = 3  # a table, policy or other file is wrong, or cannot be read or written
INTERNAL = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # 128 + SIGINT, as shells count
PIPE_CLOSED = 141  # 128 + SIGPIPE

_ARGUMENTS = "kanonym.arguments"


class PanelCommand(TyperCommand):
    """A command of many options, whose help lists them by their panel."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then a section for each panel, options without one last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
                panel = getattr(parameter, "rich_help_panel", None) or kind
                sections.setdefault(panel, []).append(record)
        for panel in sorted(sections, key="Options".__eq__):
            with formatter.section(panel):
                formatter.write_dl(sections[panel])


class CommandGroup(TyperGroup):
    """A group of commands whose errors reach the user as one line.

    Exit codes: 0 done, 1 requirement not met, 2 wrong usage (typer's own), 3 invalid input
    or policy, 70 internal error, 130 interrupted, 141 the reader of standard output went away.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Let the options of every command stand anywhere on the line."""
        ctx.meta[_ARGUMENTS] = list(args)
        return super().parse_args(ctx, logs.common_options_first(args))

    def invoke(self, ctx: Any) -> Any:
        """Run a command and turn whatever it raises into an exit code."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt:
            typer.echo("kanonym: interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            _leave_quietly()
        except KanonymError as error:
            if isinstance(error.__cause__, BrokenPipeError):
                _leave_quietly()
            if ctx.params.get("show_values"):
                for value in error.values:
                    typer.echo("null" if value is None else repr(str(value)), err=True)
            _fail(ctx, str(error), REFUSED if isinstance(error, InfeasibleError) else INVALID)
        except MemoryError:
            _fail(ctx, "not enough memory", INTERNAL)
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            _fail(ctx, f"{place}{error.strerror or error}", INVALID)
        except Exception as error:
            if isinstance(error, typer.Abort) or hasattr(error, "exit_code"):
                if hasattr(error, "message"):
                    error.message = _without_credentials(ctx, str(error.message))
                raise  # typer's own: wrong usage, or a command that ends on purpose
            # The text of a foreign error may quote data, so only its kind is told.
            kind = type(error).__name__
            _fail(ctx, f"internal error ({kind}); --debug shows the traceback", INTERNAL)
        return result


def _without_credentials(ctx: Any, message: str) -> str:
    """Return a message without user, password and host of a URL that was typed."""
    typed: list[str] = ctx.meta.get(_ARGUMENTS, [])
    places = [part for one in typed for part in (one, one.partition("=")[2])]
    if not any("@" in one or "://" in one or "=" in one for one in typed):
        return message
    from kanonym.data.credentials import displayable_url

    for place in sorted(places, key=len, reverse=True):
        if (known := displayable_url(place)) != place:
            for form in (place, str(Path(place))):  # a path loses its second stroke
                message = message.replace(form, known)
    return message


def _leave_quietly() -> NoReturn:
    """End after the reader of standard output went away."""
    _drop_output()
    raise typer.Exit(PIPE_CLOSED)


def _drop_output() -> None:
    """Let what is still in the buffer go nowhere, else Python complains at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(ctx: Any, message: str, code: int) -> NoReturn:
    """Print one error line, and end with an exit code."""
    try:
        sys.stdout.flush()
    except OSError:  # it may be the error itself
        _drop_output()
    if ctx.params.get("debug"):
        typer.echo(_without_credentials(ctx, traceback.format_exc()), err=True)
    typer.echo(f"kanonym: error: {_without_credentials(ctx, message)}", err=True)
    raise typer.Exit(code)
