"""Small bars within a page: SVG without style, so that the page may forbid it."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

WIDTH, HEIGHT, GAP = 160, 36, 1


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
