"""File formats by name and content."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from kanonym.data.errors import DataError
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


FORMATS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
    ".xlsx": "excel",
    ".xls": "excel",
    ".sav": "spss",
    ".zsav": "spss",
    ".por": "spss",
    ".dta": "stata",
    ".xpt": "sas",
    ".sas7bdat": "sas",
}

TEXT = ("csv", "tsv", "jsonl", "json")
BOM = b"\xef\xbb\xbf"


def format_of(path: str | Path, given: str | None) -> str | None:
    """Return the format asked for, or that of the extension; None where there is none."""
    known = sorted(set(FORMATS.values()))
    if given is not None:
        if given not in known:
            raise DataError(f"format {given!r} is unknown; it is one of {', '.join(known)}")
        return given
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    packed = suffixes[-1:] == [".gz"]
    if packed:
        suffixes.pop()
    if not suffixes:
        return None
    kind = FORMATS.get(suffixes[-1])
    if kind is None or (packed and kind not in TEXT):
        raise DataError(
            f"{path}: unknown extension; name the format ({', '.join(known)}) "
            f"or use one of {', '.join(FORMATS)}"
        )
    return kind


def is_text(path: str | Path, given: str | None) -> bool:
    """Whether a table may be a text file: by the format asked for, or by its extension."""
    return (format_of(path, given) or "csv") in TEXT


def is_statistical(path: str | Path) -> bool:
    """Whether the extension is one of SPSS, Stata or SAS."""
    return FORMATS.get(Path(path).suffix.lower()) in ("spss", "stata", "sas")


def sniff_format(data: bytes) -> str:
    """Return the format that the first bytes of a file tell."""
    for magic, kind in (
        (b"PAR1", "parquet"),
        (b"ARROW1", "feather"),
        (b"\xff\xff\xff\xff", "feather"),
        (b"PK\x03\x04", "excel"),
        (b"\xd0\xcf\x11\xe0", "excel"),
        (b"$FL2", "spss"),
        (b"$FL3", "spss"),
        (b"<stata_dta>", "stata"),
        (b"HEADER RECORD", "sas"),
    ):
        if data.startswith(magic):
            return kind
    if b"SPSSPORT" in data[:600]:
        return "spss"
    first = data.removeprefix(BOM)[:4096].lstrip()[:1]
    return {b"[": "json", b"{": "jsonl"}.get(first, "csv")
