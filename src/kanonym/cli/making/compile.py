"""`kanonym compile`: the kernels that usual commands need, compiled ahead of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROWS = 2000
KNOWN = "postal_code,birth_date,sex,occupation"
BY_VALUES = ("mondrian", "segmentation", "full-domain", "local-recoding")
BY_SIZE = ("auto", "k-member", "mdav")


def compile() -> None:  # noqa: A001 - the name of the command
    """Compile what the usual commands need, so that none of them waits for it.

    For images of containers and for CI. Every command compiles what it lacks by itself: this one
    runs them on generated patients, on all cores, and keeps the machine code where they look for it
    (beside the package, or else in the user's cache directory).
    """
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show
    from kanonym.data.example_tables import patients
    from kanonym.data.files import write_table

    with tempfile.TemporaryDirectory() as folder, show_progress() as step:
        table = Path(folder) / "patients.csv"
        write_table(patients(ROWS), table)
        jobs = dict(_jobs(table))
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            running = {pool.submit(_run, folder, job): name for name, job in jobs.items()}
            n_jobs = len(jobs)
            for number, done in enumerate(as_completed(running), 1):
                if not done.result():
                    jobs.pop(running[done])
                step(f"compile: {number} of {n_jobs} ({running[done]})")
    show(f"Compiled the kernels of {', '.join(jobs)}.")


def _jobs(table: Path) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield command lines by what they compile for; those of one job run after each other."""
    roles = ["-q", KNOWN, "-s", "diagnosis", "--others", "identifier"]
    for name in BY_VALUES:
        released = str(table.with_name(f"{name}.csv"))
        asked = [*roles, "-k", "5", "-l", "2", "-t", "0.6", "--suppression-limit", "0.05"]
        made = ["anonymize", str(table), *asked, "--algorithm", name, "-o", released]
        yield name, [made, ["measure", released, *roles[:4]]]
    for name in BY_SIZE:
        released = str(table.with_name(f"{name}.csv"))
        asked = [*roles, "-k", "5", "--algorithm", name]
        yield name, [["anonymize", str(table), *asked, "-o", released]]
    report = str(table.with_name("report.html"))
    asked = [*roles, "-k", "5", "-o", str(table.with_name("reported.csv")), "--report", report]
    yield "report", [["profile", str(table)], ["anonymize", str(table), *asked]]


def _run(folder: str, lines: list[list[str]]) -> bool:
    """Run command lines; say whether all did what they were asked."""
    command = shutil.which("kanonym", path=str(Path(sys.executable).parent)) or "kanonym"
    ended = [
        subprocess.run(  # noqa: S603 - our own command
            [command, "--quiet", *words],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        ).returncode
        for words in lines
    ]
    return not any(ended)
