"""README and docs: their blocks run and print what they say, and their links lead somewhere."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

from pages import blocks, folder_of, is_run, needs_demo, run, run_command

ROOT = Path(__file__).parents[2]
WRITTEN = (ROOT / "docs" / "reference", ROOT / "docs" / "_build")
"""Folders that a build of the site fills."""

PAGES = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY", "SUPPORT")),
    *(
        page
        for page in sorted((ROOT / "docs").rglob("*.md"))
        if not any(page.is_relative_to(folder) for folder in WRITTEN)
    ),
]
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def name_of(page: Path) -> str:
    """Return a page's path inside the project."""
    return str(page.relative_to(ROOT))


def anchor(heading: str) -> str:
    """Return the anchor that forges give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Return a folder with what `kanonym demo` writes, of few patients."""
    folder = tmp_path_factory.mktemp("demo") / "kanonym-demo"
    run_command(f"kanonym demo --rows 800 --directory {folder}")
    return folder


SPANISH = ROOT / "docs" / "es"
TRANSLATED = [page for page in PAGES if SPANISH in page.parents and page.name != "index.md"]
FENCE = re.compile(r"^```[^\n{]*\n.*?^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", TRANSLATED, ids=name_of)
def test_a_translated_page_has_the_blocks_of_the_original(page):
    """Code, commands and what they print are those of the English page, which is run."""
    original = ROOT / "docs" / page.relative_to(SPANISH)
    assert FENCE.findall(page.read_text("utf-8")) == FENCE.findall(original.read_text("utf-8"))


RUN = [page for page in PAGES if is_run(page) and page not in TRANSLATED]


@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_a_page_runs_and_prints_what_it_says(page, request):
    """The blocks of a page run one after another, and print what the page says that they print."""
    demo = request.getfixturevalue("demo") if needs_demo(page) else None
    with folder_of(demo):
        for one in run(page):
            assert one.agrees, f"the page says\n{one.told}\nbut this is printed:\n{one.found}"


COMMAND = re.compile(r"^(?:kanonym|python3?|pip|just|ka\.|\.venv/bin/)\b", re.MULTILINE)


def test_commands_that_are_not_run_say_why():
    """A block with commands is one that runs, or stands below a comment that says why not."""
    ran = ("python", "console", "text", "yaml")
    silent = [
        (name_of(page), block.text)
        for page in PAGES
        if page not in TRANSLATED
        for block in blocks(page.read_text("utf-8"))
        if not (block.kind in ran or block.skipped) and COMMAND.search(block.text)
    ]
    assert silent == []


def test_links_lead_somewhere():
    """Every relative link leads to a file, and to one of its headings if it names one."""
    broken = []
    for page in PAGES:
        for target, fragment in LINK.findall(page.read_text("utf-8")):
            file = (page.parent / target) if target else page
            headings = (
                HEADING.findall(file.read_text("utf-8")) if fragment and file.exists() else []
            )
            if not file.exists() or (fragment and fragment not in map(anchor, headings)):
                broken.append((name_of(page), target, fragment))
    assert broken == []


def test_the_tables_of_the_stories_are_the_generated_ones(tmp_path, monkeypatch):
    """`examples/tables.py` writes the tables that ship, byte by byte."""
    monkeypatch.setattr(sys, "argv", ["tables.py", str(tmp_path)])
    runpy.run_path(str(ROOT / "examples" / "tables.py"), run_name="__main__")
    written = sorted(tmp_path.iterdir())
    assert len(written) == 4
    for file in written:
        assert file.read_bytes() == (ROOT / "examples" / "data" / file.name).read_bytes()
