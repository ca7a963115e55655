"""Pages of commands: each with its help and its options, as `--help` prints them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import typer

from kanonym.cli import app
from reference.markdown import cell, code, table


def all_commands() -> Iterator[tuple[str, Any]]:
    """Yield each command with the words that call it, those of groups too."""

    def walk(words: str, command: Any) -> Iterator[tuple[str, Any]]:
        yield words, command
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk(f"{words} {name}", inner)

    yield from walk("kanonym", typer.main.get_command(app))


def pages() -> dict[str, str]:
    """Return a page for each command, and one that lists them."""
    found = {place(words): _page(words, command) for words, command in all_commands()}
    names = "\n".join(name.removeprefix("commands/") for name in found)
    rows = [
        (
            f"[{words}]({place(words).removeprefix('commands/')})",
            cell(command.get_short_help_str(200)),
        )
        for words, command in all_commands()
    ]
    found["commands/index.md"] = (
        "# Commands\n\n[Examples, output and exit codes](../../cli.md).\n\n"
        f"{table(('', ''), rows)}\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    )
    return found


def place(words: str) -> str:
    """Return the place of a command's page."""
    return f"commands/{words.replace(' ', '-')}.md"


def _page(words: str, command: Any) -> str:
    context = command.make_context(words, [], resilient_parsing=True)
    usage = " ".join([words, *command.collect_usage_pieces(context)])
    panels: dict[str, list[tuple[str, str]]] = {}
    for one in command.get_params(context):
        record = one.get_help_record(context)
        if record is not None:
            kind = "Arguments" if one.param_type_name == "argument" else "Options"
            panel = getattr(one, "rich_help_panel", None) or kind
            panels.setdefault(panel, []).append((code(record[0]), cell(record[1])))
    sections = [
        f"## {name}\n\n{table(('', ''), rows)}"
        for name, rows in sorted(panels.items(), key=lambda panel: panel[0] == "Options")
    ]
    text = inspect.cleandoc(command.help or "").split("\f")[0]
    return "\n".join(
        [f"# {words}\n", f"```text\n{usage}\n```\n", f"{cell_free(text)}\n", *sections]
    )


def cell_free(text: str) -> str:
    """Return the text of a help as Markdown."""
    return text.replace("*", r"\*").replace("<", "&lt;")
