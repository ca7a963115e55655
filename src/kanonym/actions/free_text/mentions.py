"""Identifiers mentioned in a text: where they are, and of which kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Kind = Literal["contact", "date", "name", "number", "place"]


class Mention(NamedTuple):
    """A part of a text that identifies somebody."""

    start: int
    end: int
    kind: Kind
    replacement: str | None = None


def merge_mentions(found: Iterable[Mention]) -> list[Mention]:
    """Return mentions that do not overlap, in the order of the text.

    Those that overlap become one, which covers them all: it has kind and replacement of the one
    that came first in `found`.
    """
    ranked = sorted(enumerate(found), key=lambda one: (one[1].start, one[0]))
    merged: list[tuple[int, Mention]] = []
    for rank, mention in ranked:
        if not merged or mention.start >= merged[-1][1].end:
            merged.append((rank, mention))
            continue
        first, last = merged[-1]
        best = last if first < rank else mention
        widest = best._replace(start=last.start, end=max(last.end, mention.end))
        merged[-1] = (min(first, rank), widest)
    return [one for _, one in merged]
