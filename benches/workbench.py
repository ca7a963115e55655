"""The workbench on a large table: seconds of each screen, and memory against the library's.

Usage: python benches/workbench.py [RECORDS] (default 1,000,000), of 20 columns. Linux only.

Each screen is asked for as a browser does, once after what it shows was computed, then five times;
the median and the largest of these are printed. Memory is the largest that the server and its
worker held together; the library's is that of a process that reads the same table, profiles it,
counts violations, makes the same release, writes it, and summarizes it as the report does.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from workbench_servers import PATIENCE, Visitor, act, state_of, until

START = "from kanonym.cli import main; main()"
SCREENS = (
    "open",
    "open?row=500000",
    "columns",
    "hierarchies",
    "actions",
    "requirements",
    "run",
    "explore",
    "results",
    "records",
    "export",
    "history",
    "status",
)
AIM = 0.3
LIBRARY = """
import resource, sys, tempfile
from pathlib import Path
import kanonym as ka
from kanonym import profiling
from kanonym.language import translator
from kanonym.pipeline.planning import count_violations
from kanonym.policy import Policy
from kanonym.reporting import Cover, KnownResults, summarize
table, place = sys.argv[1:]
frame = ka.read_table(table)
profiling.profile(frame)
policy = Policy.from_file(place)
count_violations(frame, policy)
release = ka.anonymize(frame, policy)
with tempfile.TemporaryDirectory() as folder:
    release.write(Path(folder) / "released.csv")
summarize(release, Cover.of(None, "", "", "en"), KnownResults())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)
"""


def table_of(rows: int) -> pl.DataFrame:
    """Return people of 20 columns: a key, six quasi-identifiers, a diagnosis, twelve others."""
    rng = np.random.default_rng(0)
    columns = {
        "person_id": np.arange(rows),
        "age": rng.integers(18, 95, rows),
        "sex": rng.choice(["female", "male"], rows),
        "postal_code": [f"{one:05d}" for one in rng.integers(1000, 1400, rows)],
        "education": rng.choice(["primary", "secondary", "bachelor", "master", "doctor"], rows),
        "occupation": rng.choice([f"occupation {one}" for one in range(30)], rows),
        "country": rng.choice([f"country {one}" for one in range(40)], rows),
        "diagnosis": rng.choice([f"diagnosis {one}" for one in range(25)], rows),
    }
    columns |= {f"visits_{one}": rng.poisson(3, rows) for one in range(6)}
    columns |= {f"value_{one}": rng.normal(100, 15, rows).round(2) for one in range(6)}
    return pl.DataFrame(columns)


class Memory(threading.Thread):
    """Watches what processes hold, in megabytes."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.most, self._pid = 0, pid

    def run(self) -> None:
        """Look every fifth of a second."""
        while True:
            try:
                children = Path(f"/proc/{self._pid}/task/{self._pid}/children").read_text().split()
            except (FileNotFoundError, ProcessLookupError):
                return  # the server ended
            self.most = max(self.most, sum(map(held, [self._pid, *children])))
            time.sleep(0.2)


def held(pid: int | str) -> int:
    """Return the megabytes that a process holds; 0 of one that is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) >> 10 if found else 0


def idle(visitor: Visitor) -> float:
    """Wait until no long work is under way, and return how long that took."""
    begun = time.monotonic()
    until(lambda: "data-events" not in visitor.get(f"{visitor.at}/history").text, 30 * PATIENCE)
    return time.monotonic() - begun


def seconds_of(visitor: Visitor, screen: str) -> list[float]:
    """Return how long a screen took, of five times after the first."""
    found = []
    for _ in range(6):
        begun = time.monotonic()
        answer = visitor.get(f"{visitor.at}/{screen}")
        found.append(time.monotonic() - begun)
        if answer.status != 200:
            raise RuntimeError(answer.text)
        if "data-events" in answer.text:
            idle(visitor)
    return found[1:]


def main(rows: int) -> None:
    """Measure, and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table_of(rows).write_parquet(folder / "people.parquet")
        words = [str(folder / "people.parquet"), "--project", str(folder / "project")]
        command = [sys.executable, "-c", START, "workbench", *words, "--no-browser"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - this package
            try:
                address = re.search(r"http\S+", process.stderr.readline())[0]
                memory = Memory(process.pid)
                memory.start()
                visitor = Visitor.enter(address)
                visitor.at = visitor.place.rpartition("/")[0]
                print(f"{rows:,} records of 20 columns")
                print(f"| read and profiled | {idle(visitor):.1f} s |")
                places = list(range(8, 20))
                act(visitor, "columns/role", column=places, ticked="insensitive")
                act(visitor, "run/save", type="mondrian", strict="on", split="auto")
                visitor.send("POST", f"{visitor.at}/run/start", {"state": state_of(visitor)})
                print(f"| released, written, summarized | {idle(visitor):.1f} s |", flush=True)
                print("| screen | median | largest |\n|---|---|---|")
                for screen in SCREENS:
                    spent = seconds_of(visitor, screen)
                    late = "" if max(spent) <= AIM else " (late)"
                    middle = statistics.median(spent)
                    print(
                        f"| {screen} | {middle * 1000:.0f} ms | {max(spent) * 1000:.0f} ms{late} |"
                    )
            finally:
                process.kill()
        policy = folder / "project" / "policy.yaml"
        words = [str(folder / "people.parquet"), str(policy)]
        alone = subprocess.run(  # noqa: S603 - as above
            [sys.executable, "-c", LIBRARY, *words], check=True, capture_output=True, text=True
        )
        library = int(alone.stdout)
        print(f"memory: {memory.most:,} MB; the library alone {library:,} MB: ", end="")
        print(f"{memory.most / library:.2f} times")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
