"""Small bars within a page: SVG without style, so that the page may forbid it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.workbench.work.facts import Solution

WIDTH, HEIGHT, GAP = 160, 36, 1
FRAME = (720, 380, 68, 44)
"""Of a picture of solutions: width, height, and room on the left and below."""
SCALED = 20.0
"""From this ratio of the largest value to the smallest, or to 1, the axis is logarithmic."""


def bars_svg(labels: Sequence[str], counts: Sequence[int], alternative: str) -> Markup:
    """Return a histogram; each bar has its label and number as a tooltip."""
    most = max(counts, default=0) or 1
    step = WIDTH / max(len(counts), 1)
    parts = []
    for place, (label, number) in enumerate(zip(labels, counts, strict=True)):
        height = 0 if not number else max(HEIGHT * number / most, 1)
        parts.append(
            f'<rect x="{place * step:.1f}" y="{HEIGHT - height:.1f}" '
            f'width="{max(step - GAP, 1):.1f}" height="{height:.1f}">'
            f"<title>{escape(label)}: {number:,}</title></rect>"
        )
    return Markup(  # noqa: S704 - labels are escaped, all else are numbers
        f'<svg class="bars" role="img" aria-label="{escape(alternative)}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">{"".join(parts)}</svg>'
    )


def dots_svg(
    solutions: Sequence[Solution],
    chosen: int | None,
    axes: tuple[str, str],
    says: Translator,
    place: str,
) -> Markup:
    """Return solutions by privacy and loss; each is a link that chooses it."""
    width, height, left, below = FRAME
    x = _scale([one.privacy for one in solutions], left, width - 14)
    y = _scale([one.loss for one in solutions], height - below, 12)
    order = sorted(range(len(solutions)), key=lambda i: (solutions[i].front, i == chosen))
    foot = height - below
    parts = [f'<path class="axis" d="M{left} 0V{foot}H{width}"/>']
    parts += [_tick(x(v), foot + 16, says.value(v)) for v in _ends([s.privacy for s in solutions])]
    parts += [
        _tick(left - 6, y(v) + 4, says.value(v), "end") for v in _ends([s.loss for s in solutions])
    ]
    parts.append(_tick((left + width) / 2, height - 8, axes[0]))
    parts.append(_tick(left + 6, 12, axes[1], "start"))
    for i in order:
        solution = solutions[i]
        kind = "front" if solution.front else "holds" if solution.satisfied else "fails"
        kind += " chosen" if i == chosen else ""
        privacy, loss = says.value(solution.privacy), says.value(solution.loss)
        told = f"{solution.label}: {axes[0]} {privacy}, {axes[1]} {loss}"
        parts.append(
            f'<a href="{escape(place)}?solution={i}#chosen" aria-label="{escape(told)}">'
            f'<circle class="{kind}" cx="{x(solution.privacy):.1f}" cy="{y(solution.loss):.1f}" '
            f'r="{8 if i == chosen else 6}"><title>{escape(told)}</title></circle></a>'
        )
    return Markup(  # noqa: S704 - labels are escaped, all else are numbers
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"{''.join(parts)}</svg>"
    )


def _tick(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _ends(values: Sequence[float]) -> list[float]:
    return sorted({min(values), max(values)}) if values else []


def _scale(values: Sequence[float], start: float, stop: float) -> Callable[[float], float]:
    """Return what places a value between two ends, with some room at both."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    logarithmic = low >= 0 and high > SCALED * max(low, 1.0)
    place = math.log1p if logarithmic else float
    first, last = place(low), place(high)
    room = (stop - start) * 0.04
    whole = (last - first) or 1.0
    return lambda value: start + room + (stop - start - 2 * room) * (place(value) - first) / whole
