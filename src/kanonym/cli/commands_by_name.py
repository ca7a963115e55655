"""The commands by name, each imported when it is called."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from kanonym.cli.command_options import declared_options
from kanonym.cli.group import CommandGroup, PanelCommand
from kanonym.data.loading.lazy_registry import LazyRegistry

SUMMARIES = {
    "anonymize": "Anonymize a table, verify the release, and write it.",
    "verify": "Verify a released table against a policy.",
    "check": "Check a policy, and whether it fits a table, without anonymizing.",
    "measure": "Measure the k, l, t and other values of a table.",
    "profile": "Suggest a role for each column, with the reasons.",
    "assess": "Measure the risk of a table, or the risk and utility of a release.",
    "attack": "Attack a release as an intruder would, and compare with chance.",
    "audit": "Audit a differentially private mechanism by canaries in one run.",
    "compare": "Anonymize a table in many ways, and recommend a release.",
    "recommend": "Recommend a first policy: roles from the profile, the algorithm by trying a few.",
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
