"""Groups of commands, each imported when it is called, and what every command tells."""

from __future__ import annotations

import inspect
import json
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from kanonym.cli.command_options import declared_options
from kanonym.data.errors import InfeasibleError, KanonymError
from kanonym.data.loading import LazyRegistry
from kanonym.data.replacing import REPLACING, Replacing

FLAGS = ("--debug", "--overwrite", "--quiet", "--show-values", "--verbose", "--version")
SHORT = ("-v", "-vv")
VALUED = ("--threads", "--encoding", "--columns")

THREAD_VARIABLES = (
    "KANONYM_THREADS",
    "POLARS_MAX_THREADS",
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
)
"""Read by this package and the libraries below it, when they are loaded."""


def common_options_first(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the options of every command in front of the command.

    After `--` nothing is moved, and after `sigo` no `-v`, which has another meaning in the tool
    that it replaces.
    """
    front: list[str] = []
    rest: list[str] = []
    pending = list(arguments)
    while pending:
        argument = pending.pop(0)
        if argument == "--":
            rest += [argument, *pending]
            break
        flags = FLAGS if "sigo" in rest else FLAGS + SHORT
        if argument in flags or argument.startswith(tuple(f"{option}=" for option in VALUED)):
            front.append(argument)
        elif argument in VALUED and pending:
            front += [argument, pending.pop(0)]
        else:
            rest.append(argument)
    return [*front, *rest]


def configure(verbose: int, *, quiet: bool) -> None:
    """Send the log of the package to standard error.

    verbose: 0 for warnings, 1 for stages and their seconds, 2 for details. quiet: errors alone.
    """
    logger = logging.getLogger("kanonym")
    for handler in list(logger.handlers):
        if isinstance(handler, _ToStandardError):
            logger.removeHandler(handler)
    handler = _ToStandardError()
    handler.setFormatter(logging.Formatter("kanonym: %(message)s"))
    logger.addHandler(handler)
    levels = (logging.WARNING, logging.INFO, logging.DEBUG)
    logger.setLevel(logging.ERROR if quiet else levels[min(verbose, 2)])


def limit_threads(number: int) -> None:
    """Limit the threads of this process; libraries that are loaded already keep theirs."""
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(number)


class _ToStandardError(logging.Handler):
    """Write records to what standard error is at that moment."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        sys.stderr.write(f"{self.format(record)}\n")


REFUSED = 1  # the requirement is not met
INVALID = 3  # a table, policy or other file is wrong, or cannot be read or written
INTERNAL = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # 128 + SIGINT, as shells count
PIPE_CLOSED = 141  # 128 + SIGPIPE

_ARGUMENTS = "kanonym.arguments"
COLUMN_FLAGS = {"-q", "-s", "-i", "--quasi-identifiers", "--sensitive", "--identifiers", "--drop"}


SCREEN = 50  # lines of a help that fits on a screen
FIRST = ("Arguments", "Requirements", "Targets for classes (at least one)")
LAST = ("Options", "Output", "Input")


class PanelCommand(TyperCommand):
    """A command whose help lists its options by their panel, on one screen."""

    rare: frozenset[str] = frozenset()

    def show_all(self, ctx: Any) -> None:
        """Print the help with all options, and end."""
        rare, self.rare = self.rare, frozenset()
        typer.echo(self.get_help(ctx))
        self.rare = rare
        raise typer.Exit

    def get_help(self, ctx: Any) -> str:
        """Return the help: all of it where that fits on a screen, else without what is rare."""
        rare, self.rare = self.rare, frozenset()
        whole: str = super().get_help(ctx)
        if not rare or whole.count("\n") < SCREEN:
            return whole
        self.rare = rare
        return str(super().get_help(ctx))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and requirements, then a section for each panel."""
        sections: dict[str, list[tuple[str, str]]] = {}
        left_out: list[str] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None or parameter.name in ("help", "help_all"):
                continue
            if parameter.name in self.rare and not parameter.required:
                left_out.append(str(getattr(parameter, "rich_help_panel", None) or "Options"))
                continue
            kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
            panel = getattr(parameter, "rich_help_panel", None) or kind
            sections.setdefault(panel, []).append(record)
        for panel in sorted(sections, key=_place_of_panel):
            with formatter.section(panel):
                formatter.write_dl(sections[panel])
        if left_out:
            panels = ", ".join(sorted({*left_out}))
            formatter.write_paragraph()
            formatter.write_text(f"--help-all shows {len(left_out)} more: {panels}.")

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write which options every command has."""
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text(EVERY_COMMAND)


EVERY_COMMAND = "Every command also takes -v, --quiet and more: see kanonym --help"


def _place_of_panel(panel: str) -> int:
    """Return where a panel stands: requirements first, the input and what is general last."""
    if panel in FIRST:
        return FIRST.index(panel) - len(FIRST)
    return 1 + LAST.index(panel) if panel in LAST else 0


class CommandGroup(TyperGroup):
    """A group of commands whose errors reach the user as one line.

    Exit codes: 0 done, 1 requirement not met, 2 wrong usage (typer's own), 3 invalid input
    or policy, 70 internal error, 130 interrupted, 141 the reader of standard output went away.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Let the options of every command stand anywhere on the line."""
        ctx.meta[_ARGUMENTS] = list(args)
        return super().parse_args(ctx, common_options_first(args))

    def invoke(self, ctx: Any) -> Any:
        """Run a command and turn whatever it raises into an exit code."""
        replacing = REPLACING.set(REPLACING.get() or Replacing(_tell_of_replaced))
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
                    error.message = _without_credentials(ctx, _with_commas(ctx, error.message))
                    described = getattr(error, "format_message", error.message.__str__)()
                    _print_error(ctx, described, getattr(error, "exit_code", 2))
                raise  # typer's own: wrong usage, or a command that ends on purpose
            # The text of a foreign error may quote data, so only its kind is told.
            kind = type(error).__name__
            _fail(ctx, f"internal error ({kind}); --debug shows the traceback", INTERNAL)
        finally:
            REPLACING.reset(replacing)
        return result


def _tell_of_replaced(sentence: str) -> None:
    """Say on standard error what is replaced."""
    from kanonym.cli.progress import print_note

    print_note(sentence)


def _with_commas(ctx: Any, message: str) -> str:
    """Return the message on words too many, with what they may be: columns without commas."""
    typed: list[str] = ctx.meta.get(_ARGUMENTS, [])
    if "unexpected extra argument" not in message or not COLUMN_FLAGS & {*typed}:
        return message
    return f"{message.removesuffix('.')}: separate columns by commas, as in -q age,zip"


def _print_error(ctx: Any, message: str, code: int) -> None:
    """Print an error as JSON, too, where that is how the command prints."""
    typed: list[str] = ctx.meta.get(_ARGUMENTS, [])
    taken = any(flag.startswith("-") and place == "-" for flag, place in pairwise(typed))
    if "--json" in typed and not taken:
        error = {"error": {"message": message, "exit_code": code}}
        typer.echo(json.dumps(error, indent=2, ensure_ascii=False))


def _without_credentials(ctx: Any, message: str) -> str:
    """Return a message without user, password and host of a URL that was typed."""
    typed: list[str] = ctx.meta.get(_ARGUMENTS, [])
    places = [part for one in typed for part in (one, one.partition("=")[2])]
    if not any("@" in one or "://" in one or "=" in one for one in typed):
        return message
    from kanonym.data.databases import displayable_url

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
    message = _without_credentials(ctx, message)
    typer.echo(f"kanonym: error: {message}", err=True)
    _print_error(ctx, message, code)
    raise typer.Exit(code)


SUMMARIES = {
    "anonymize": "Anonymize a table, verify the release, and write it.",
    "report": "Write the report on a release that was made before.",
    "verify": "Verify a released table against a policy.",
    "check": "Check a policy, and whether it fits a table, without anonymizing.",
    "measure": "Measure the k, l, t and other values of a table.",
    "profile": "Suggest a role for each column, with the reasons.",
    "assess": "Measure the risk of a table, or the risk and utility of a release.",
    "attack": "Attack a release as an intruder would, and compare with chance.",
    "audit": "Audit a differentially private mechanism by canaries in one run.",
    "compare": "Anonymize a table in many ways, and recommend a release.",
    "recommend": "Recommend the first policy of a table, and try it beside other algorithms.",
    "lattice": "Evaluate every node of the generalization lattice.",
    "transform": "Mask, pseudonymize or perturb columns, cell by cell.",
    "draw": "Draw one value per cell from the labels of a released table.",
    "fit": "Fit a recoding to a table, and save it for future batches.",
    "apply": "Release a batch by a fitted recoding, verified alone and with all earlier batches.",
    "inject": "Add records that look real, until classes reach a target size and diversity.",
    "synthesize": "Draw a synthetic table from a model of the original.",
    "minimize": "Minimize the data that a model of one column needs.",
    "workbench": "Work on a release in the browser, on this machine alone.",
    "compile": "Compile what the usual commands need, so that none of them waits for it.",
    "demo": "Run the whole workflow on generated patients.",
    "hierarchy": "Build, check and show generalization hierarchies.",
    "sigo": "Anonymize JSON Lines as SIGO does, from standard input.",
}
"""What the help of kanonym says of each command: the first sentence of the command's own."""

_JUDGING = {"assess", "attack", "audit", "check", "compare", "measure", "profile"}
_JUDGING |= {"recommend", "verify"}
_GROUPS = {"hierarchy", "sigo"}


class Commands(LazyRegistry[Any]):
    """Commands by name, each built when it is first looked up."""

    def __getitem__(self, name: str) -> Any:
        """Return a command."""
        found = super().__getitem__(name)
        if isinstance(found, TyperCommand | TyperGroup):
            return found
        if isinstance(found, typer.Typer):
            self[name] = get_command(found)
            self[name].name = name
            return self[name]
        alone = typer.Typer(rich_markup_mode=None, add_completion=False)
        command: Any = declared_options(found)
        alone.command(name, cls=PanelCommand)(_with_whole_help(command))
        self[name] = get_command(alone)
        self[name].rare = frozenset(command.rare)
        return self[name]


def _with_whole_help(command: Any) -> Any:
    """Return a command with `--help-all`."""

    def show_all(ctx: typer.Context, asked: bool) -> None:
        if asked and isinstance(ctx.command, PanelCommand):
            ctx.command.show_all(ctx)

    info = typer.Option(
        "--help-all",
        callback=show_all,
        is_eager=True,
        expose_value=False,
        help="Show the help with all options and exit.",
    )
    whole = inspect.Parameter(
        "help_all", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, info]
    )
    parameters = command.__signature__.parameters.values()
    command.__signature__ = inspect.Signature([*parameters, whole])
    command.__annotations__ = {one.name: one.annotation for one in [*parameters, whole]}
    return command


class AllCommands(CommandGroup):
    """Every command of kanonym."""

    def __init__(self, **given: Any) -> None:
        """Take the place of a group whose commands are all imported."""
        places = {
            name: f"{'judging' if name in _JUDGING else 'making'}.{name}:"
            f"{'app' if name in _GROUPS else name}"
            for name in SUMMARIES
        }
        super().__init__(
            **{**given, "commands": Commands("kanonym.cli", places, "kanonym.commands")}
        )

    def list_commands(self, ctx: object) -> list[str]:  # noqa: ARG002
        """Return the names, importing nothing."""
        return list(self.commands)

    def format_commands(self, ctx: object, formatter: Any) -> None:  # noqa: ARG002
        """Write what each command does, importing nothing."""
        limit = formatter.width - 6 - max(map(len, SUMMARIES))
        told: dict[str, Any] = {
            name: TyperCommand(name, help=said) for name, said in SUMMARIES.items()
        }
        # Commands of other packages have no summary here: they are imported for it.
        told |= {name: self.commands[name] for name in self.commands if name not in told}
        with formatter.section("Commands"):
            formatter.write_dl([(n, one.get_short_help_str(limit)) for n, one in told.items()])
