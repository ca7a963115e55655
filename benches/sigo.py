"""What docs/sigo.md says of speed: `kanonym sigo` in a fresh process, seconds and peak memory.

Each command runs once before it is timed, so that its kernels are compiled. SIGO's own times
were taken elsewhere, on two cores as well: 1,000,000 records had not ended after 186 s,
10,000 records against 10,000 not after 60 s.

    python benches/sigo.py [--quick]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

METHODS = ("meanAggregation", "general", "laplaceNoise")
KANONYM = [sys.executable, "-c", "import kanonym.cli; kanonym.cli.main()", "sigo"]


def measured(arguments: list[str], source: Path, runs: int) -> tuple[float, float]:
    """Return the median seconds and the largest peak memory, in GiB, of a command."""
    times, peaks = [], []
    for _ in range(runs + 1):
        start = time.perf_counter()
        with source.open("rb") as given:
            running = subprocess.Popen(  # noqa: S603 - our own command
                [*KANONYM, *arguments, "-v", "error"], stdin=given, stdout=subprocess.DEVNULL
            )
            _, status, used = os.wait4(running.pid, 0)
        times.append(time.perf_counter() - start)
        peaks.append(used.ru_maxrss / 1024**2)
        running.returncode = os.waitstatus_to_exitcode(status)
        if running.returncode:
            raise SystemExit(f"kanonym sigo {' '.join(arguments)} failed")
    return statistics.median(times[1:]), max(peaks)


def line(title: str, seconds: float, peak: float, note: str = "") -> None:
    """Print what a command took."""
    print(f"{title:<58}{seconds:>8.2f} s{peak:>7.2f} GiB  {note}".rstrip(), flush=True)


def records(path: Path, n_rows: int, seed: int, sensitive: int = 0) -> None:
    """Write two columns of standard normal numbers, and a sensitive one of so many values."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"x": rng.standard_normal(n_rows), "y": rng.standard_normal(n_rows)})
    if sensitive:
        frame = frame.with_columns(z=pl.Series(rng.integers(0, sensitive, n_rows)).cast(pl.String))
    frame.write_ndjson(path)


def anonymization(folder: Path, n_rows: int, runs: int) -> None:
    """Time three anonymizers."""
    path = folder / "data.json"
    records(path, n_rows, 0)
    for method in METHODS:
        asked = ["-k", "5", "-q", "x,y", "-a", method, "--seed", "0"]
        note = "(SIGO: over 186 s)" if n_rows == 1_000_000 and method == METHODS[0] else ""
        line(f"{n_rows:,} x 2, k=5, {method}", *measured(asked, path, runs), note)


def nesting(folder: Path, n_rows: int, runs: int) -> None:
    """Time records that have a nested value beside equal ones that have not."""
    plain, nested = folder / "plain.json", folder / "nested.json"
    records(plain, n_rows, 0)
    text = plain.read_text("utf-8")
    plain.write_text(text.replace("}\n", ',"tag":1}\n'), "utf-8")
    nested.write_text(text.replace("}\n", ',"tag":{"a":1}}\n'), "utf-8")
    asked = ["-k", "5", "-q", "x,y", "-a", "meanAggregation"]
    one, other = (measured(asked, path, runs)[0] for path in (plain, nested))
    more = 1e6 * (other - one) / n_rows
    print(f"a nested value in each of {n_rows:,} records: {more:.0f} microseconds a record more")


def reidentification(folder: Path, n_rows: int, runs: int) -> None:
    """Time open records against as many different anonymized ones."""
    known, masked = folder / "open.json", folder / "masked.json"
    records(known, n_rows, 0)
    records(masked, n_rows, 1, sensitive=20)
    asked = ["reidentification", "-q", "x,y", "-s", "z", "-o", str(known), "-m", str(masked)]
    found = measured([*asked, "-t", "0.5"], known, runs)
    line(f"re-identification, {n_rows:,} against {n_rows:,}", *found, "(SIGO: over 60 s)")


def main() -> None:
    """Time every command, in its own process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="100,000 records, once")
    quick = parser.parse_args().quick
    n_rows, runs = (100_000, 1) if quick else (1_000_000, 3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        anonymization(folder, n_rows, runs)
        nesting(folder, n_rows // 5, runs)
        reidentification(folder, 10_000, runs)


if __name__ == "__main__":
    main()
