"""`kanonym compile`: kernels compiled ahead of commands; and what compiles beside a command."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROWS = 2000
KNOWN = "postal_code,birth_date,sex,occupation"
BY_VALUES = ("mondrian", "segmentation", "full-domain", "local-recoding")
BY_SIZE = ("auto", "k-member", "mdav")

USES = {
    "auto": ["refine suppressing_cuts"],
    "full-domain": ["try_levels"],
    "mondrian": ["refine suppressing_cuts"],
    "report": ["_search tied_records shared_neighbours _sort_into_leaves"],
    "segmentation": ["join_failing refine", "cut exchange_records"],
}
"""What each process compiles for a use, in this order."""


@contextmanager
def compile_ahead(*uses: str) -> Iterator[None]:
    """Let other processes compile what uses need, once anything is compiled inside the block.

    They end with the block. On one core there are none.
    """
    from kanonym.kernels.compile import announce_compilation
    from kanonym.kernels.parallel import cores

    with ExitStack() as processes:

        def start() -> None:
            for names in (names for use in uses for names in USES.get(use, ())):
                command = [sys.executable, "-m", "kanonym.kernels.ahead", *names.split()]
                nowhere = subprocess.DEVNULL
                child = subprocess.Popen(  # noqa: S603 - our own module
                    command, stdin=nowhere, stdout=nowhere, stderr=nowhere
                )
                processes.callback(child.wait)
                processes.callback(child.terminate)

        if cores() < 2:
            yield
        else:
            with announce_compilation(start):
                yield


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
    from kanonym.kernels.parallel import cores

    with tempfile.TemporaryDirectory() as folder, show_progress() as step:
        table = Path(folder) / "patients.csv"
        write_table(patients(ROWS), table)
        jobs = dict(_jobs(table))
        with ThreadPoolExecutor(2 * cores()) as pool:  # half may wait for what others compile
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
