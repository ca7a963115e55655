"""What commands take before and beside their work: CPU, clock, modules, the heaviest imports.

    python benches/start.py [SRC ...]

Each command runs five times on a table of 1,000 patients, with kernels that are compiled already;
the best counts. First runs have an empty cache of kernels: one alone, the next one, three at once;
and as in a container, where the package cannot be written and the home is empty.
SRC: folders of other versions of the package, measured in the same run.
"""

from __future__ import annotations

import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

OWN = Path(__file__).parents[1] / "src"
RUNS = 5
START = [sys.executable, "-c", "from kanonym.cli import main; main()"]
POLICY = """\
attributes:
  name: {role: identifier}
  zip: {role: quasi-identifier, hierarchy: {masking: {from: right}}}
  age: {role: quasi-identifier}
  sex: {role: quasi-identifier}
  disease: {role: sensitive}
models: [{type: k-anonymity, k: 5}, {type: l-diversity, attribute: disease, l: 3}]
rows: persons
suppression_limit: 0.02
"""
COMMANDS = (
    "--version",
    "--help",
    "anonymize patients.csv -p policy.yaml -o released.csv",
    "verify released.csv -p policy.yaml",
    "check policy.yaml",
    "check policy.yaml patients.csv",
    "anonymize no.csv -p policy.yaml -o no_release.csv",
    "anonymize patients.csv --no-such-option",
)
FIRST = (
    *(f"{COMMANDS[2]} --algorithm {name}" for name in ("mondrian", "auto", "full-domain")),
    "demo --directory {folder}",
)


def patients(rows: int = 1000) -> str:
    """Return a CSV of patients."""
    draw = random.Random(0)  # noqa: S311 - nothing is secret
    lines = ["name,zip,age,sex,disease"]
    lines += [
        f"p{i},{draw.randrange(10000, 10400)},{draw.randrange(18, 95)},{draw.choice('fm')},"
        f"{draw.choice(('flu', 'asthma', 'cancer', 'fracture', 'diabetes'))}"
        for i in range(rows)
    ]
    return "\n".join(lines)


def run(source: Path, line: str, *options: str, **places: str) -> tuple[float, float, str]:
    """Return seconds of CPU and clock of a command, and what it writes on standard error."""
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ran = subprocess.run(  # noqa: S603 - our own command line
        [START[0], *options, *START[1:], *line.split()],
        env={**os.environ, "PYTHONPATH": str(source), **places},
        capture_output=True,
        text=True,
        check=False,
    )
    clock = time.perf_counter() - clock
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, clock, ran.stderr


def imports(source: Path, line: str) -> list[tuple[int, int, str]]:
    """Return (self, cumulative, module) of each import of a command, in microseconds."""
    told = run(source, line, "-X", "importtime")[2]
    rows = re.findall(r"^import time: +(\d+) \| +(\d+) \| *(\S+)$", told, re.MULTILINE)
    return [(int(own), int(whole), name) for own, whole, name in rows]


def read_only(source: Path, container: str) -> Path:
    """Return a copy of a package beside whose modules nothing can be written, even by root."""
    copy = Path(container, "src")
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for module in copy.rglob("__init__.py"):
        module.with_name("__pycache__").touch()
    return copy


def first_runs(source: Path) -> None:
    """Print what commands take with an empty cache of kernels."""
    columns = ("first run", "alone", "next", "three at once", "read-only package", "next")
    print(f"\nCPU and clock, s\n\n| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    for line in FIRST:
        alone, together = tempfile.mkdtemp(), tempfile.mkdtemp()

        def start(
            cache: str, line: str = line, place: Path = source, **home: str
        ) -> tuple[float, float, str]:
            folder = f"{tempfile.mkdtemp()}/demo"
            return run(place, line.format(folder=folder), NUMBA_CACHE_DIR=cache, **home)

        runs = [start(alone), start(alone)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        with ThreadPoolExecutor(3) as pool:
            longest = max(clock for _, clock, _ in pool.map(start, [together] * 3))
        of_all = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        runs.append((of_all, longest, ""))
        with tempfile.TemporaryDirectory() as container:
            place, home = read_only(source, container), f"{container}/home"
            runs += [start("", place=place, HOME=home, XDG_CACHE_HOME="") for _ in range(2)]
        told = " | ".join(f"{cpu:.1f}, {clock:.1f}" for cpu, clock, _ in runs)
        print(f"| `{line}` | {told} |", flush=True)


def main() -> None:
    """Print a table for each version, and the ten packages that this one imports longest."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("patients.csv").write_text(patients())
        Path("policy.yaml").write_text(POLICY)
        for source in [*map(Path, sys.argv[1:]), OWN]:
            for line in COMMANDS:  # compiles, and writes .pyc files
                run(source, line)
            print(f"\n{source}\n\n| command | CPU, s | clock, s | modules |\n|---|---|---|---|")
            for line in COMMANDS:
                cpu, clock, _ = min(run(source, line) for _ in range(RUNS))
                print(f"| `{line}` | {cpu:.2f} | {clock:.2f} | {len(imports(source, line)):,} |")
            first_runs(source)
        packages: dict[str, list[int]] = {}
        for own, _, name in imports(OWN, COMMANDS[2]):
            packages.setdefault(name.partition(".")[0], []).append(own)
        print(f"\n`{COMMANDS[2]}`\n\n| package | modules | import, ms |\n|---|---|---|")
        for name, each in sorted(packages.items(), key=lambda one: -sum(one[1]))[:10]:
            print(f"| {name} | {len(each)} | {sum(each) / 1000:.0f} |")


if __name__ == "__main__":
    main()
