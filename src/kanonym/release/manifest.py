"""The manifest beside a release: its place, and what a file there is."""

from __future__ import annotations

import json
from pathlib import Path


def manifest_path(released: str | Path) -> Path:
    """Return the place of the manifest of a released file.

    >>> manifest_path("out/released.csv").name
    'released.csv.manifest.json'
    """
    return Path(f"{released}.manifest.json")


def is_manifest(path: str | Path) -> bool:
    """Whether a file is a manifest."""
    try:
        form = json.loads(Path(path).read_bytes())
    except (OSError, ValueError):
        return False
    made = form.get("versions") if isinstance(form, dict) else None
    return isinstance(made, dict) and "kanonym" in made
