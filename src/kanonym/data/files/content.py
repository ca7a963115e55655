"""What a file held when it was read or written: its name, and the SHA-256 of those bytes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from kanonym.data.files.disk import sha256


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file as they were read or written."""

    name: str
    sha256: str

    @classmethod
    def from_bytes(cls, path: str | Path, data: bytes) -> Content:
        """Return the content of a file whose bytes are at hand."""
        return cls(Path(path).name, hashlib.sha256(data).hexdigest())

    @classmethod
    def of(cls, file: str | Path | Content) -> Content:
        """Return the content of a file as it is now, or the one that is given."""
        return file if isinstance(file, Content) else cls(Path(file).name, sha256(file))
