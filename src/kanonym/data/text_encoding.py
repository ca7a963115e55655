"""Text files that are not UTF-8."""

from __future__ import annotations

import codecs
import contextlib
import re
from contextvars import ContextVar

from kanonym.data.errors import DataError

ENCODING: ContextVar[str | None] = ContextVar("ENCODING", default=None)
"""How text files of this run are encoded that are not UTF-8, where a call does not say it."""

_SAMPLE_BYTES = 1 << 16


def to_utf8(data: bytes, where: str, encoding: str | None) -> bytes:
    """Return the bytes of a text file in UTF-8."""
    encoding = _utf16_of(data) or encoding or ENCODING.get()
    if encoding is None or _is_utf8(data):
        return data
    try:
        return data.decode(encoding).encode()
    except LookupError:
        raise DataError(
            f"encoding {encoding!r} is unknown; examples are windows-1252, windows-1250, "
            "iso-8859-15 and utf-16"
        ) from None
    except UnicodeError as error:
        place = f" at byte {error.start + 1}" if isinstance(error, UnicodeDecodeError) else ""
        raise DataError(f"{where} is not encoded as {encoding}{place}") from None


def _utf16_of(data: bytes) -> str | None:
    """Return the form of UTF-16 that a text has by its mark, or else by its first line ends."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    sample = data[:_SAMPLE_BYTES]
    if sample.count(0) * 50 < len(sample):  # separators, digits and line ends have one
        return None
    for form in ("utf-16-le", "utf-16-be"):
        with contextlib.suppress(UnicodeDecodeError):
            text = sample.decode(form)
            if "\0" not in text and re.search("[\n\r,;\t]", text):
                return form
    return None


def _is_utf8(data: bytes) -> bool:
    if b"\0" in data:  # letters of UTF-16, mostly
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
