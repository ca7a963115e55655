"""Labels of charts in lines: wrapped, and cut where they are very long."""

from __future__ import annotations

import textwrap

from kanonym.reporting.document import printable

LONGEST = 22  # letters of a line
MOST_LINES = 5
LONGEST_BELOW = 28  # letters of a value that cannot be wrapped
LONGEST_SLANTED = LONGEST * MOST_LINES  # letters of a column's name that cannot be wrapped
CUT = "…"
LETTER = 8.6  # pixels of most letters and digits at 13 pixels: the widest of the usual fonts
NARROW, WIDE = frozenset("iljtfrI.,:;'|!()[] "), frozenset("mwMW@%…")
EAST_ASIAN = "\u2e80"  # from here on, signs are squares


def width_of(text: str) -> float:
    """Return how many pixels a text takes in any font that a reader may have.

    >>> width_of("ill") < width_of("011") < width_of("mmm")
    True
    """
    return sum(
        5.4 if letter in NARROW else 13.2 if letter in WIDE or letter >= EAST_ASIAN else LETTER
        for letter in text
    )


def lines_of(label: str, letters: int = LONGEST, most: int = MOST_LINES) -> list[str]:
    """Wrap a label; beyond `most` lines it is cut, and ends with an ellipsis.

    >>> lines_of("General internal medicine and geriatrics")
    ['General internal', 'medicine and', 'geriatrics']
    """
    label = printable(label)  # before it becomes a literal, whose escapes would hide it
    return textwrap.wrap(label, letters, max_lines=most, placeholder=CUT) or [label]


def cut(label: str, letters: int = LONGEST_BELOW) -> str:
    """Return a label in one line."""
    label = printable(label)
    return label if len(label) <= letters else f"{label[: letters - 1]}{CUT}"


def is_cut(label: str, *, slanted: bool = False) -> bool:
    """Return whether an axis does not show all of a label.

    >>> is_cut("General internal medicine and geriatrics")
    False
    >>> is_cut("General internal medicine and geriatrics", slanted=True)
    True
    """
    return (cut(label) if slanted else lines_of(label)[-1]).endswith(CUT)
