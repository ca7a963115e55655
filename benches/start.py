"""What commands take before and beside their work: CPU, clock, modules, the heaviest imports.

    python benches/start.py [SRC ...]

Each command runs five times on a table of 1,000 patients, with kernels that are compiled already;
the best counts. First runs have an empty cache of kernels: one alone, the next one, three at once.
SRC: folders of other versions of the package, measured in the same run.
"""

from __future__ import annotations

import os
import random
import re
import resource
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


def first_runs(source: Path) -> None:
    """Print what commands take with an empty cache of kernels."""
    print("\n| first run | CPU, s | clock, s | next | three at once |\n|---|---|---|---|---|")
    for line in FIRST:
        alone, together = tempfile.mkdtemp(), tempfile.mkdtemp()

        def start(cache: str, line: str = line) -> tuple[float, float, str]:
            folder = f"{tempfile.mkdtemp()}/demo"
            return run(source, line.format(folder=folder), NUMBA_CACHE_DIR=cache)

        cpu, clock, _ = start(alone)
        again = start(alone)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        with ThreadPoolExecutor(3) as pool:
            longest = max(clock for _, clock, _ in pool.map(start, [together] * 3))
        of_all = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        print(
            f"| `{line}` | {cpu:.1f} | {clock:.1f} | {again[0]:.1f}, {again[1]:.1f}"
            f" | {of_all:.1f}, {longest:.1f} |",
            flush=True,
        )


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
