"""What became of sets of items, as lines on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def item_rows(algorithm: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return the lines about the loss of items, if there are any."""
    if "items" not in algorithm:
        return []
    found = algorithm["items"]
    lines: list[tuple[str, object]] = [("items lost", f"{100 * found['loss']:.1f} % (NCP)")]
    if "loss_at_least" in found:
        lines.append(("lost by any cut", f"at least {100 * found['loss_at_least']:.1f} %"))
    if "items_dropped" in found:
        lines.append(("distinct items dropped", found["items_dropped"]))
    if found.get("classes_merged"):
        lines.append(("classes merged for them", found["classes_merged"]))
    return [*lines, ("records without items left", found["records_emptied"])]


def risk_of_both_rows(verification: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return the line about who knows both, where items are protected apart."""
    if not any(one["kind"] == "items-apart" for one in verification["findings"]):
        return []
    return [("risk by items as well", "not limited: see the finding")]
