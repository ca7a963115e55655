"""`kanonym workbench`: everything in a browser, on the user's own machine."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

MEGABYTE = 1 << 20


def workbench(
    place: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE | POLICY | PROJECT]",
            help="Table, policy file or folder of a project to open.",
        ),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder of the project; default: NAME-project."),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="Port; default: a free one.")
    ] = 0,
    upload_limit: Annotated[
        int, typer.Option(min=1, metavar="MB", help="Largest file that may be uploaded, in MB.")
    ] = 1024,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Work on a release in the browser, on this machine alone.

    The address that it prints works once; then it prints another one. Ctrl-C ends it.
    """
    from kanonym.data.loading.extras import require_extra

    with require_extra("workbench"):
        from kanonym.workbench.launch import Workbench

    opened = False

    def announce(address: str) -> None:
        nonlocal opened
        again = "for another browser: " if opened else "open "
        typer.echo(f"kanonym: {again}{address}", err=True)
        if browser and not opened:
            webbrowser.open(address)
        opened = True

    Workbench(
        place, announce, folder=project, port=port, upload_limit=upload_limit * MEGABYTE
    ).run()
