"""Scripts of other tools, as the guides print them, beside ours on the same tables.

Each guide to another tool has blocks `<!-- not run: it needs NAME==VERSION -->`: a script, and a
block with what it printed. They are run with the given Python, whose environment has the tool;
then our own script below them is run with this one. Both outputs are printed.

    python -m venv .peers/pycanon && .peers/pycanon/bin/pip install pycanon==1.3.6
    python benches/peers.py pycanon=.peers/pycanon/bin/python anjana=.peers/anjana/bin/python ...

`--write` puts what was printed into the pages. anonypy and ai-privacy-toolkit do not install what
they import: add `pandas<3`, and `pandas<3 scikit-learn<1.6 adversarial-robustness-toolbox torch
packaging`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
GUIDES = ROOT / "docs" / "guides"
SCRIPT = re.compile(
    r"<!-- not run: it needs (?P<name>[\w-]+)==(?P<version>[\d.]+) -->\n"
    r"```python\n(?P<code>.*?)```\n+```\n(?P<printed>.*?)```\n",
    re.DOTALL,
)
OURS = re.compile(
    r"(?<!-->\n)```python\n(?P<code>.*?)```\n+```text\n(?P<printed>.*?)```", re.DOTALL
)
VERSION = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"


def main() -> None:
    """Run the scripts of the tools that are named, and say where a page prints something else."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peers", nargs="+", metavar="NAME=PYTHON")
    parser.add_argument(
        "--write", action="store_true", help="Write what is printed into the pages."
    )
    asked = parser.parse_args()
    pythons = dict(one.split("=", 1) for one in asked.peers)
    differs = False
    for page in sorted(GUIDES.glob("from_*.md")):
        text = page.read_text("utf-8")
        for found in reversed(list(SCRIPT.finditer(text))):
            if found["name"] not in pythons:
                continue
            python = pythons[found["name"]]
            version = run(python, VERSION, found["name"]).strip()
            printed = run(python, found["code"])
            ours = OURS.search(text, found.end())
            print(f"\n== {page.name}: {found['name']} {version}")
            print(printed, end="")
            if ours is not None:
                print("-- kanonym")
                print(run(sys.executable, ours["code"]), end="")
            if version != found["version"] or printed != found["printed"]:
                print(f"!! the page has {found['name']} {found['version']}, and prints")
                print(found["printed"], end="")
                differs = True
                text = text[: found.start("printed")] + printed + text[found.end("printed") :]
        if asked.write:
            page.write_text(text, "utf-8")
    sys.exit(differs and not asked.write)


def run(python: str, code: str, *arguments: str) -> str:
    """Return what a script prints where the examples are."""
    command = [python, "-W", "ignore", "-c", code, *arguments]
    done = subprocess.run(  # noqa: S603 - a Python that the caller names
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, encoding="utf-8"
    )
    return done.stdout


if __name__ == "__main__":
    main()
