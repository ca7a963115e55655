"""Text without the characters that XML forbids: charts and pages hold none of them."""

from __future__ import annotations

import re

INSTEAD = "\N{REPLACEMENT CHARACTER}"
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    r"""Replace the characters that XML 1.0 forbids by U+FFFD.

    Examples
    --------
    >>> printable("a\x00b") == "a\ufffdb"
    True

    """
    return _FORBIDDEN.sub(INSTEAD, text)
