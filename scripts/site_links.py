"""Check the links of the built site: each leads to a file of it, and to a place in that file.

python scripts/site_links.py docs/_build/html

Links that leave the site are not followed: the check needs no network.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the places that links may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names and where it leads."""
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.links.append(value)
            elif value and (name == "id" or (tag == "a" and name == "name")):
                self.places.add(value)


@cache
def page_of(file: Path) -> Page:
    """Return a page of the site."""
    return Page(file.read_text("utf-8"))


def broken(file: Path) -> Iterator[str]:
    """Yield the links of a page that lead nowhere."""
    for link in page_of(file).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        if not target.is_file():
            yield f"{link}: no such file"
        elif parts.fragment and target.suffix == ".html":
            place = unquote(parts.fragment)
            if place not in page_of(target).places:
                yield f"{link}: no such place"


def main() -> int:
    """Print the broken links of all pages, and return the exit code."""
    site = Path(sys.argv[1]).resolve()
    files = [file for file in sorted(site.rglob("*.html")) if "_static" not in file.parts]
    faults = [f"{file.relative_to(site)}: {fault}" for file in files for fault in broken(file)]
    print("\n".join(faults) or f"{len(files)} pages, every internal link leads somewhere")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
