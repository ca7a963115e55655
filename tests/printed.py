"""Commands that are printed, read as a shell reads them, and run in a folder."""

from __future__ import annotations

import re
import subprocess

PRINTED = re.compile(r"^  (kanonym .*)$", re.MULTILINE)
"""A line of a terminal that is a command."""
STUB = 'kanonym() { printf "%s\\0" "$@"; }\n'


def words_of(command):
    """Return what a shell hands over to `kanonym`."""
    line = ["/bin/sh", "-c", STUB + command]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout.split("\0")[:-1]


def printed_commands(text):
    """Return the commands that a terminal shows."""
    return PRINTED.findall(text)
