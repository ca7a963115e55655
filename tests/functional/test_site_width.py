"""No page of the site is wider than its window: only blocks of code scroll sideways.

It needs the built site (`just docs` builds it and then runs this), and a Chromium.
"""

from __future__ import annotations

from pathlib import Path

import pytest

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
WIDTHS = (390, 1280)
OVERFLOWING = """() => {
    const root = document.documentElement;
    const found = root.scrollWidth > root.clientWidth ? ["page"] : [];
    for (const one of document.querySelectorAll("body *")) {
        const scrolls = ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
        if (scrolls && one.scrollWidth > one.clientWidth + 1 && !one.closest("pre, .highlight"))
            found.push(`${one.tagName} ${one.className}`);
    }
    return found;
}"""
"""Names what is wider than there is room for, and is no code."""

pytestmark = pytest.mark.skipif(
    not (SITE / "searchindex.js").exists(), reason="the site is not built"
)


def test_pages_fit_their_window(page):
    """Written pages fit a phone and a desktop, tables included; of generated ones every eighth."""
    wide = {}
    places = sorted(SITE.rglob("*.html"))
    generated = [place for place in places if "reference" in place.relative_to(SITE).parts]
    for place in [*generated[::8], *(one for one in places if one not in generated)]:
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        page.goto(place.as_uri())
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            if found := page.evaluate(OVERFLOWING):
                wide[f"{place.relative_to(SITE)} at {width}"] = found
    assert not wide, "\n".join(f"{at}: {found}" for at, found in wide.items())
