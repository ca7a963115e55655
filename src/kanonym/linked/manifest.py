"""The manifest of a set of tables: one file for all of them, without a value of any record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kanonym.data import files
from kanonym.linked.linked_release import LinkedRelease
from kanonym.release import versions

PROMISE = (
    "k counts persons with all their rows in all tables of this release, joined by their keys. A "
    "further release about the same persons is judged together with this one"
)


def write_manifest(release: LinkedRelease, path: str | Path, facts: Mapping[str, Any]) -> None:
    """Write what was asked, promised and found.

    Parameters
    ----------
    release
        From `anonymize`.
    path
        Where to.
    facts
        Places and SHA-256 of what was read and written.

    Raises
    ------
    DataError
        The file cannot be written.

    """
    parts = {
        "versions": versions(),
        "policy": release.policy.form,
        "promise": PROMISE,
        "counting": release.policy.counting,
        **facts,
        **release.to_dict(),
    }
    files.write_text(path, json.dumps(parts, indent=2, ensure_ascii=False, default=str) + "\n")
