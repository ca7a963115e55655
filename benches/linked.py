"""Linked tables: seconds, memory and what an intruder gets, on generated hospitals.

python benches/linked.py [PATIENTS ...]
"""

from __future__ import annotations

import resource
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from time import process_time

import kanonym as ka
from kanonym.cli.making import demo
from kanonym.data.example_tables import hospital

PATIENTS = (5_000, 20_000)


def main(sizes: list[int]) -> None:
    """Print CPU seconds of each step, peak memory so far, and the attack."""
    with tempfile.TemporaryDirectory() as folder:
        policy = Path(folder) / "hospital.yaml"
        policy.write_text(demo.policy_text("demo_linked.yaml"))
        (Path(folder) / "key").write_text("k" * 64)
        asked = ka.linked.LinkedPolicy.from_file(policy)
        for size in sizes:
            tables = hospital(size)
            steps = [process_time()]
            release = ka.linked.anonymize(tables, asked)
            steps.append(process_time())
            ka.linked.verify(release.frames, asked)
            steps.append(process_time())
            found = ka.linked.attack(tables, release.frames, asked)
            steps.append(process_time())
            spent = [after - before for before, after in pairwise(steps)]
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"{size:,} patients: anonymize {spent[0]:.1f} s, verify {spent[1]:.1f} s, attack "
                f"{spent[2]:.1f} s, {memory:,.0f} MiB, {release.suppressed} suppressed"
            )
            print(found)


if __name__ == "__main__":
    main([int(one) for one in sys.argv[1:]] or list(PATIENTS))
