"""The blocks of a page, run in their order in one folder, and compared with what is printed there.

- `python`: runs; names of earlier blocks of the page are known. A `text` block right below it
  is what it prints.
- `console`: lines behind `$ ` run; lines below them are what they print.
- `yaml` that starts with `# NAME.yaml`: is written to that file.
- In what is printed, `…` stands for any text. With `numbers vary` behind the fence, any numbers
  may stand in the places of those on the page: they depend on the version of a library.
- Blocks of other kinds, and those below a comment
  `<!-- not run: REASON -->`, are not run.

`python tests/pages.py PAGE…` writes what is printed into the pages again, where it differs.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
"""A page that writes a picture of the same name, as SVG, refreshes it."""

BLOCK = re.compile(
    r"(?P<skip><!-- not run: [^\n]*-->\n+)?^```(?P<kind>\w*)(?P<manner>[^\n]*)\n(?P<text>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
SHELL = re.compile(r"[|&;*$]")
NUMBER = re.compile(r"\d[\d,]*(?:\\\.\d+)?")
"""A number in an escaped pattern."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page.

    kind: what stands behind the fence. text: its lines. start, stop: where the text stands in the
    page. after: the kind of the block right above it, with nothing between; else empty. skipped:
    whether the page says that it is not run. varies: whether its numbers may be others.
    """

    kind: str
    text: str
    start: int
    stop: int
    after: str
    skipped: bool
    varies: bool


@dataclass(frozen=True)
class Printed:
    """What a page says that is printed at a place of it, and what was.

    varies: whether numbers may be others.
    """

    start: int
    stop: int
    told: str
    found: str
    varies: bool

    @property
    def agrees(self) -> bool:
        """Whether it is the same, spaces at ends of lines aside."""
        pattern = ".*?".join(map(re.escape, _plain(self.told).split("…")))
        if self.varies:
            pattern = NUMBER.sub(r"\\d[\\d,.]*", pattern)
        return re.fullmatch(pattern, _plain(self.found), re.DOTALL) is not None


def blocks(text: str) -> list[Block]:
    """Return the blocks of a page."""
    found: list[Block] = []
    end = 0
    for one in BLOCK.finditer(text):
        above = found[-1].kind if found and not text[end : one.start()].strip() else ""
        span = one.span("text")
        skipped, varies = one["skip"] is not None, one["manner"].strip() == "numbers vary"
        found.append(Block(one["kind"], one["text"], *span, above, skipped, varies))
        end = one.end()
    return found


def run(page: Path) -> Iterator[Printed]:
    """Run the blocks of a page in the working directory; yield what is printed."""
    names: dict[str, object] = {}
    printed = ""
    for number, block in enumerate(blocks(page.read_text("utf-8")), start=1):
        if block.skipped:
            continue
        if block.kind == "yaml" and (name := re.match(r"# (\S+\.yaml)\n", block.text)):
            Path(name[1]).write_text(block.text, "utf-8")
        elif block.kind == "python":
            code = compile(block.text, f"{page.name}, block {number}", "exec")
            with _captured() as caught:
                exec(code, names)  # noqa: S102
            printed = caught.getvalue()
        elif block.kind == "text" and block.after == "python":
            yield Printed(block.start, block.stop, block.text, printed, block.varies)
        elif block.kind == "console":
            yield from _run_console(block)


def _run_console(block: Block) -> Iterator[Printed]:
    """Run the commands of a block; yield what each prints where the page says something of it."""
    for part in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        found = run_command(part[1])
        if part[2]:
            start, stop = (block.start + end for end in part.span(2))
            yield Printed(start, stop, part[2], found, block.varies)


def run_command(line: str) -> str:
    """Run a command and return what it prints; ours run in this process, which is fast."""
    from kanonym.cli import main

    program, *arguments = shlex.split(line)
    if program != "kanonym" or SHELL.search(re.sub(r"'[^']*'", "", line)):
        bin_ = Path(sys.executable).parent
        path = {**os.environ, "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(
            ["/bin/bash", "-o", "pipefail", "-c", line],
            check=True,
            env=path,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        return done.stdout
    given, taken = _redirections(arguments)
    stdin = sys.stdin
    code: object = None
    with _captured() as caught, Path(given.get("<", os.devnull)).open(encoding="utf-8") as file:
        sys.stdin = file
        try:
            main(taken)
        except SystemExit as ended:
            code = ended.code
        finally:
            sys.stdin = stdin
    if code:
        raise RuntimeError(f"{line}: exit code {code}")
    if ">" in given:
        Path(given[">"]).write_text(caught.getvalue(), "utf-8")
        return ""
    return caught.getvalue()


def _redirections(arguments: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the files of `<` and `>`, and the other arguments."""
    given, taken = {}, []
    rest = iter(arguments)
    for one in rest:
        if one in "<>":
            given[one] = next(rest)
        else:
            taken.append(one)
    return given, taken


class _Capture(io.TextIOWrapper):
    """A text stream in memory that has a buffer for bytes, too."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def getvalue(self) -> str:
        """Return all that was written."""
        self.flush()
        return self.buffer.getvalue().decode("utf-8")


@contextmanager
def _captured() -> Iterator[_Capture]:
    caught = _Capture()
    with redirect_stdout(caught):
        yield caught


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def refreshed(text: str, found: list[Printed]) -> str:
    """Return a page with what was printed where it says something else."""
    for one in reversed(found):
        if not one.agrees:
            text = text[: one.start] + _plain(one.found) + "\n" + text[one.stop :]
    return text


@contextmanager
def folder_of(demo: Path | None) -> Iterator[Path]:
    """Work in a new folder with `examples/`, and with copies of the demo's files."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "kanonym-demo"
        if demo is None:
            folder.mkdir()
        else:
            shutil.copytree(demo, folder)
        (folder / "examples").symlink_to(ROOT / "examples")
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def needs_demo(page: Path) -> bool:
    """Whether commands of a page take the files of `kanonym demo`, not those of `examples/`."""
    found = [one.text for one in blocks(page.read_text("utf-8")) if one.kind == "console"]
    return bool(found) and "examples/" not in "".join(found)


def is_run(page: Path) -> bool:
    """Whether a page has a block that runs."""
    found = blocks(page.read_text("utf-8"))
    return any(one.kind in ("python", "console") and not one.skipped for one in found)


def main_refresh(pages: list[Path]) -> None:
    """Write what is printed into pages again."""
    for page in map(Path.resolve, pages):
        with tempfile.TemporaryDirectory() as place:
            demo = None
            if needs_demo(page):
                demo = Path(place) / "demo"
                run_command(f"kanonym demo --rows 800 --directory {demo}")
            with folder_of(demo) as folder:
                found = list(run(page))
                for picture in folder.glob("*.svg"):
                    if (PICTURES / picture.name).exists():
                        shutil.copy(picture, PICTURES / picture.name)
        text = page.read_text("utf-8")
        new = refreshed(text, found)
        if new != text:
            page.write_text(new, "utf-8")
            sys.stdout.write(f"{page.relative_to(ROOT)} refreshed\n")


if __name__ == "__main__":
    main_refresh([Path(one) for one in sys.argv[1:]])
