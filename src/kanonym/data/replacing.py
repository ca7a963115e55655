"""Which files a command may replace: what it wrote itself, and what --overwrite says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kanonym.data.errors import DataError

PAGE_MARK = b'<meta name="generator" content="kanonym">'
"""In the head of every page that kanonym writes."""
HEAD = 4096


@dataclass(slots=True)
class Replacing:
    """What the command that runs may replace.

    inputs: the names of the files that it reads. manifests: those that it writes elsewhere than
    beside the release. settled: files that it has replaced, written or
    locked. tell: says what is replaced.
    """

    tell: Callable[[str], None]
    overwrite: bool = False
    inputs: Collection[str] = ()
    manifests: Collection[Path] = ()
    settled: set[Path] = field(default_factory=set)

    def check(self, path: str | Path, final: Path) -> None:
        """Refuse a file that is there, unless it is an own former output that nobody changed."""
        if final in self.settled or not final.is_file():
            return
        if self.overwrite:
            self.tell(f"{path} is replaced, by --overwrite")
        elif self._is_own(final):
            self.tell(f"{path} is replaced: the same command wrote it before")
        else:
            raise DataError(
                f"{path} exists, and is nothing that this command wrote from the same input and "
                "that is unchanged: name another file, or replace it with --overwrite"
            )
        self.settled.add(final)

    def _is_own(self, final: Path) -> bool:
        """Whether a file is a release with its manifest, a manifest, or a page of kanonym."""
        own = _record_of(final)
        if own is not None:
            return self._is_about(own)
        with final.open("rb") as file:
            if PAGE_MARK in file.read(HEAD):
                return True
        places = (final.with_name(f"{final.name}.manifest.json"), *self.manifests)
        records = [record for record in map(_record_of, places) if record is not None]
        if not records:
            return False
        with final.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return any(
            self._is_about(record) and record.get("output", {}).get("sha256") == digest
            for record in records
        )

    def _is_about(self, record: dict[str, Any]) -> bool:
        """Whether a record is of the same input, as far as it names one."""
        table = record.get("input") or record.get("source") or {}
        name = table.get("file") if isinstance(table, dict) else None
        return not self.inputs or name is None or name in self.inputs


REPLACING: ContextVar[Replacing | None] = ContextVar("REPLACING", default=None)
"""What the command that runs may replace; None outside of commands, where all is replaced."""


def _record_of(path: Path) -> dict[str, Any] | None:
    """Return a manifest or a report in JSON; None of any other file."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return None
    try:
        form = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(form, dict) or "verification" not in form:
        return None
    made = form.get("versions")
    return form if isinstance(made, dict) and "kanonym" in made else None
