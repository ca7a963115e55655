"""How the texts of columns are read: as dates or numbers, as a policy says."""

from __future__ import annotations

from typing import Any

import polars as pl

from kanonym.data import frames
from kanonym.data.errors import DataError
from kanonym.pipeline.readings import parse_with_policy
from kanonym.policy import Policy

TRIED, SHOWN = 1000, 3
"""Records that are read, and texts of a column that are shown."""


def readings_of(frame: Any, policy: Policy) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return by column some texts and what each is read as, of the first records.

    A column that cannot be read as its policy says has no texts: one pair of nothing and why.
    """
    first = frames.to_polars(frame).head(TRIED)
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for name, one in policy.attributes.items():
        if name not in first.columns or getattr(one, "type", None) not in ("date", "number"):
            continue
        try:
            read = parse_with_policy(first.select(name), policy)
        except DataError as error:
            found[name] = (("", str(error)),)
            continue
        both = pl.DataFrame({"was": first[name], "is": frames.to_polars(read)[name]})
        several = both.drop_nulls().unique("was", maintain_order=True).head(SHOWN)
        found[name] = tuple((str(was), str(value)) for was, value in several.iter_rows())
    return found
