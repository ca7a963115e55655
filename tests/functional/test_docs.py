"""README and docs: their Python examples run, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def name_of(page: Path) -> str:
    """Return a page's path inside the project."""
    return str(page.relative_to(ROOT))


def anchor(heading: str) -> str:
    """Return the anchor that forges give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize(
    "page", [page for page in PAGES if EXAMPLE.search(page.read_text("utf-8"))], ids=name_of
)
def test_examples_run(page, tmp_path, monkeypatch):
    """The Python examples of a page run one after another in an empty folder."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, example in enumerate(EXAMPLE.findall(page.read_text("utf-8")), start=1):
        code = compile(example, f"{name_of(page)}, example {number}", "exec")
        exec(code, names)  # noqa: S102


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    """Every relative link leads to a file, and to one of its headings if it names one."""
    for target, fragment in LINK.findall(page.read_text("utf-8")):
        file = (page.parent / target) if target else page
        assert file.exists(), f"{target} does not exist"
        if fragment:
            headings = HEADING.findall(file.read_text("utf-8"))
            assert fragment in {anchor(heading) for heading in headings}, f"{target}#{fragment}"
