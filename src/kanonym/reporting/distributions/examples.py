"""What was done to each attribute, with examples of values that nobody in the table gave.

An example shows which released label an invented value would get. Numbers and dates are
made up within bounds that the release itself shows, masks are filled with other digits.
Categories cannot be made up: one is named only where the released label names it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.registry import unwrap
from kanonym.reporting.distributions.label_ends import ends_of_label
from kanonym.reporting.distributions.rectangles import POINTS, Extent

if TYPE_CHECKING:
    from kanonym.data.partition import RecodedAttribute
    from kanonym.data.schema import Attribute
    from kanonym.data.table import Domain, EncodedTable

SHOWN = 3
ROOT = "*"
DIGITS = "4720615839"


@dataclass(frozen=True, slots=True)
class Transformation:
    """What was done to one attribute."""

    name: str
    role: str
    recoding: str | None
    level: int | None
    highest: int | None
    actions: tuple[str, ...]
    examples: tuple[tuple[str, str], ...]


def transformations_of(
    attributes: Mapping[str, Attribute],
    table: EncodedTable,
    recoded: Sequence[RecodedAttribute],
    sizes: NDArray[np.int64],
    held: Sequence[NDArray[np.int64]],
    floor: int,
    account: Mapping[str, Any],
) -> tuple[Transformation, ...]:
    """Say what was done to every attribute, in the order of the table.

    sizes: (n_classes,) released records of each class.
    """
    place = {one.name: a for a, one in enumerate(recoded)}
    found = []
    for name, attribute in attributes.items():
        a = place.get(name)
        done = tuple(action.type for action in unwrap(attribute.action))
        examples: tuple[tuple[str, str], ...] = ()
        if a is not None and not done:
            examples = examples_of(table.domains[a], recoded[a], sizes, held[a], floor)
        found.append(
            Transformation(
                name=name,
                role=str(attribute.role),
                recoding=None if a is None else str(recoded[a].recoding),
                level=_level(account, "levels", name),
                highest=_level(account, "highest_levels", name),
                actions=done,
                examples=examples,
            )
        )
    return tuple(found)


def _level(account: Mapping[str, Any], key: str, name: str) -> int | None:
    levels = account.get(key)
    level = levels.get(name) if isinstance(levels, Mapping) else None
    return int(level) if isinstance(level, int) else None


def examples_of(
    domain: Domain,
    recoded: RecodedAttribute,
    sizes: NDArray[np.int64],
    counts: NDArray[np.int64],
    floor: int,
) -> tuple[tuple[str, str], ...]:
    """Return up to three `(invented value, released label)`, of the labels most records have.

    sizes: (n_classes,) released records of each class.
    """
    n_labels = len(recoded.columns[0])
    if not n_labels or not sizes.any():
        return ()
    extent = Extent.of(domain, recoded)
    records = np.bincount(recoded.label_of_class, sizes, n_labels)
    found: list[tuple[str, str]] = []
    for label in np.argsort(-records, kind="stable").tolist():
        if len(found) == SHOWN or not records[label]:
            break
        class_ = int(np.argmax(recoded.label_of_class == label))
        low, high = int(extent.low[class_]), int(extent.high[class_])
        if high >= domain.apart:  # a missing value or an exception is not invented
            continue
        released = [column[label] for column in recoded.columns]
        recoding = str(recoded.recoding)
        if recoding in ("set", "value") and counts[low] < floor:
            continue  # few have the value that the label would be shown with
        invented = _invent_value(domain, recoding, released[0], low, high, counts, floor)
        found.append((invented, " – ".join(map(str, released))))
    return tuple(found)


def _invent_value(
    domain: Domain,
    recoding: str,
    label: Any,
    low: int,
    high: int,
    counts: NDArray[np.int64],
    floor: int,
) -> str:
    """Make up a value that gets a label; empty where only the table could give one."""
    line = domain.kind in ("number", "temporal")
    if recoding in POINTS:
        return _round_near(label)
    if recoding in ("interval", "range") and line:
        return _value_between(domain.values, low, high)
    if recoding == "hierarchy" and isinstance(label, str):
        ends = ends_of_label(label) if domain.kind == "number" else None
        if ends is not None:
            return _invent_within(ends.low, ends.high)
        if ROOT in label and len(label) == len(str(domain.values[low])) > 1:
            return _fill_mask(label)
    # An end of the label, or one of its members: the release names it.
    named = recoding != "hierarchy" or low == high
    return str(domain.values[low]) if named and counts[low] >= floor else ""


def _invent_within(low: float, high: float) -> str:
    """Make up a number between the ends of a label, or beyond its only end."""
    if math.isinf(low) and math.isinf(high):
        return ""
    if math.isinf(high):
        return _middle(low, low + max(abs(low) / 4, 1))
    if math.isinf(low):
        return _middle(high - max(abs(high) / 4, 1), high)
    return _middle(low, high)


def _round_near(label: Any) -> str:
    """Return a round number near a released mean; other centroids are values already."""
    if isinstance(label, float):
        return f"{label:.2g}" if abs(label) < 10 else f"{label:.0f}"
    return "" if label is None else str(label)


def _value_between(values: pl.Series, low: int, high: int) -> str:
    """Return the middle of two values, rounded as far as it stays between them."""
    if values.dtype.is_numeric():
        return _middle(float(values[low]), float(values[high]))
    steps = values.to_physical()
    middle = (int(steps[low]) + int(steps[high])) // 2
    return str(pl.Series([middle], dtype=steps.dtype).cast(values.dtype)[0])


def _middle(low: float, high: float) -> str:
    """Return the roundest number near the middle of two."""
    middle = (low + high) / 2
    for digits in range(-6, 12):
        rounded = round(middle, digits)
        near = abs(rounded - middle) <= (high - low) / 4
        if near and low <= rounded <= high:
            return f"{rounded:.{max(0, digits)}f}"
    return f"{low:g}"


def _fill_mask(label: str) -> str:
    """Put digits in place of the asterisks of a mask."""
    digits = cycle(DIGITS)
    return "".join(next(digits) if mark == ROOT else mark for mark in label)
