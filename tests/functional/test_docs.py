"""README and docs: their Python examples run, and their links lead somewhere."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from kanonym.cli import main

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
EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
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


def commands(page: Path) -> list[str]:
    """Return the commands of a page: what stands behind `$` in its console blocks."""
    blocks = CONSOLE.findall(page.read_text("utf-8"))
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Return a folder with what `kanonym demo` writes, of few patients."""
    folder = tmp_path_factory.mktemp("demo") / "kanonym-demo"
    with pytest.raises(SystemExit) as ended:
        main(["demo", "--rows", "800", "--directory", str(folder)])
    assert not ended.value.code
    return folder


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=name_of)
def test_commands_run_as_printed(page, demo, tmp_path, monkeypatch, capsys):
    """The commands of a page run one after another beside the demo's files, and end with 0."""
    folder = tmp_path / "kanonym-demo"
    shutil.copytree(demo, folder)
    monkeypatch.chdir(folder)
    for line in commands(page):
        program, *arguments = shlex.split(line)
        if program != "kanonym":
            subprocess.run(["bash", "-c", line], check=True)  # noqa: S607
            continue
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert not ended.value.code, f"{line}: {capsys.readouterr().err}"


@pytest.mark.parametrize("page", ["README.md", "docs/start.md", "docs/cli.md"])
def test_the_first_pages_print_no_command_that_is_not_run(page):
    """Outside of console blocks, no block has a command but the installation and streams."""
    text = CONSOLE.sub("", (ROOT / page).read_text("utf-8"))
    blocks = re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    found = [line for block in blocks for line in block.splitlines() if "kanonym " in line]
    assert all(".venv/bin" in line or line.startswith("kanonym sigo") for line in found), found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    """Every relative link leads to a file, and to one of its headings if it names one."""
    for target, fragment in LINK.findall(page.read_text("utf-8")):
        file = (page.parent / target) if target else page
        assert file.exists(), f"{target} does not exist"
        if fragment:
            headings = HEADING.findall(file.read_text("utf-8"))
            assert fragment in {anchor(heading) for heading in headings}, f"{target}#{fragment}"
