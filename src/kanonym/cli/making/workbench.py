"""`kanonym workbench`: everything in a browser, on the user's own machine."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from kanonym.data.option import Option

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
        Path | None, Option("Folder of the project; default: NAME-project.", "FOLDER")
    ] = None,
    port: Annotated[int, Option("Port; default: a free one.", "N", least=0, most=65535)] = 0,
    upload_limit: Annotated[
        int, Option("Largest file that may be uploaded, in MB.", "MB", least=1)
    ] = 1024,
    browser: Annotated[
        bool, Option("Open the page in the browser.", flag="--browser/--no-browser")
    ] = True,
) -> None:
    """Work on a release in the browser, on this machine alone.

    The address that it prints works once; then it prints another one. Ctrl-C ends it.

    Example: kanonym workbench patients.csv
    """
    from kanonym.data.files.disk import require_file
    from kanonym.data.loading import require_extra
    from kanonym.data.replacing import REPLACING

    if place is not None and "://" not in place and not Path(place).is_dir():
        require_file(place)
    REPLACING.set(None)  # a project keeps its own releases

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
