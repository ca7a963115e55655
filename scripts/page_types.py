"""Type-check the Python blocks of README and of the pages with pyright; exit code 1 for an error.

The blocks of a page are one module with the page's line numbers, so that an error leads to its
line. Blocks that are not run are checked, too; libraries that are not installed are unknown types.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from pages import blocks  # noqa: E402 - found by the line above

SETTINGS = {
    "pythonVersion": "3.11",
    "typeCheckingMode": "standard",
    "reportMissingImports": "none",
    "extraPaths": [str(ROOT / "src")],
}


def module_of(page: Path) -> str:
    """Return the Python blocks of a page, each at its own lines; empty without one."""
    text = page.read_text("utf-8")
    lines = [""] * text.count("\n")
    for block in blocks(text):
        if block.kind == "python":
            first = text.count("\n", 0, block.start)
            own = block.text.splitlines()
            lines[first : first + len(own)] = own
    return "\n".join(lines).strip("\n") and "\n".join(lines)


def main() -> int:
    """Check every page; print each error with its page and line."""
    written = (ROOT / "docs" / "reference", ROOT / "docs" / "_build", ROOT / "docs" / "es")
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    pages = [page for page in pages if not any(page.is_relative_to(one) for one in written)]
    modules = {page: text for page in pages if (text := module_of(page))}
    with tempfile.TemporaryDirectory() as folder:
        places = {}
        for number, (page, text) in enumerate(modules.items()):
            place = Path(folder, f"page{number}.py")
            place.write_text(text, "utf-8")
            places[str(place.resolve())] = page.relative_to(ROOT)
        Path(folder, "pyrightconfig.json").write_text(json.dumps(SETTINGS), "utf-8")
        command = ["pyright", "--project", folder, "--pythonpath", sys.executable, "--outputjson"]
        done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")  # noqa: S603
    found = json.loads(done.stdout)
    errors = [one for one in found["generalDiagnostics"] if one["severity"] == "error"]
    for one in errors:
        line = one["range"]["start"]["line"] + 1
        sys.stdout.write(f"{places[one['file']]}:{line}: {one['message']}\n")
    sys.stdout.write(f"{len(modules)} pages, {len(errors)} errors of types\n")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
