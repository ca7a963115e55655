"""What differential privacy promises, as lines on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def promise_rows(told: Mapping[str, Any] | None) -> list[tuple[str, object]]:
    """Return the lines about differential privacy, if it was asked for."""
    if told is None:
        return []
    numbers = f"epsilon {told['epsilon']:g}, delta {told['delta']:g}"
    sampled = f"beta {told['beta']:.4g}, k {told['k']}"
    lines: list[tuple[str, object]] = [
        ("promise", f"{numbers}, for {told['protects']}" if told["private"] else "NOT PRIVATE"),
        ("sampled with", sampled),
    ]
    if "spent_by_the_table" in told:
        spent = told["spent_by_the_table"]
        many = f"{spent['releases']} release{'s' if spent['releases'] > 1 else ''}"
        lines.append(
            ("spent in all", f"epsilon {spent['epsilon']:g}, delta {spent['delta']:g}; {many}")
        )
    lines.append(("keep this", "these figures depend on the records and are not private"))
    return lines
