"""The slow twin of `kernels.neighbours.containing_box`: every box is asked about every point."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Box:
    """One box: from low to high by dimension, or the set of values that it holds there."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    members: tuple[set[int] | None, ...]

    def contains(self, point: tuple[int, ...]) -> bool:
        """Say whether a point lies in the box."""
        return all(
            low <= value <= high and (own is None or value in own)
            for value, low, high, own in zip(point, self.low, self.high, self.members, strict=True)
        )


def containing(points: list[tuple[int, ...]], boxes: list[Box]) -> list[int]:
    """Return the first box that contains each point, -1 for none."""
    return [
        next((number for number, box in enumerate(boxes) if box.contains(point)), -1)
        for point in points
    ]
