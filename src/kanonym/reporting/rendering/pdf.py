"""The report as PDF: a browser that is installed prints the page, without a window."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from kanonym.data.errors import DataError

COMMANDS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "microsoft-edge-stable", "msedge"),
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
"""Where browsers are that are not on the path of commands."""

SECONDS = 120
WITHOUT = "install Chromium, Google Chrome or Microsoft Edge, or write .html and print it"


def browser() -> str:
    """Return the command of a browser that prints."""
    found = next(filter(None, map(shutil.which, COMMANDS)), None)
    found = found or next((place for place in PLACES if Path(place).is_file()), None)
    if found is None:
        raise DataError(f"a report as .pdf is printed by a browser, and none was found: {WITHOUT}")
    return found


def print_pdf(page: str) -> bytes:
    """Print an HTML page on A4.

    Notes
    -----
    Starts a browser of its own with an empty profile: some seconds. The page is on disk
    meanwhile, in a folder that only its user may read.

    """
    command = browser()
    with TemporaryDirectory(prefix="kanonym-", ignore_cleanup_errors=True) as folder:
        source, target = Path(folder) / "report.html", Path(folder) / "report.pdf"
        source.write_text(page, encoding="utf-8")
        arguments = [
            command,
            "--headless",
            "--disable-gpu",
            "--disable-extensions",
            "--no-first-run",
            f"--user-data-dir={Path(folder) / 'profile'}",
            "--no-pdf-header-footer",
            "--generate-pdf-document-outline",  # bookmarks; older browsers ignore it
            f"--print-to-pdf={target}",
            source.as_uri(),
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            # The administrator's browser has no sandbox; the page runs no script.
            arguments.insert(1, "--no-sandbox")
        try:
            done = subprocess.run(  # noqa: S603 - our own arguments
                arguments, capture_output=True, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DataError(f"{command} did not print the report ({error}): {WITHOUT}") from None
        data = target.read_bytes() if target.is_file() else b""
    if not data.startswith(b"%PDF"):
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise DataError(f"{command} did not print the report ({last[0]}): {WITHOUT}")
    return data
