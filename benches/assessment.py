"""Risk, utility and attacks of Adult: seconds.

Needs ../shared/data/adult beside the checkout.

    python benches/assessment.py [--quick]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kanonym as ka

DATA = Path(__file__).parents[2] / "shared" / "data" / "adult" / "adult.csv"
SENSITIVE = ["occupation", "salary-class"]


def timed(name: str, function: Callable[[], Any]) -> Any:
    """Print the seconds of a second call, and return what it gave."""
    function()
    start = time.perf_counter()
    found = function()
    print(f"{name:46}{time.perf_counter() - start:8.2f} s", flush=True)
    return found


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without models that are trained")
    quick = parser.parse_args().quick
    table = ka.read_table(DATA)
    known = [name for name in table.columns if name not in SENSITIVE]
    release = ka.anonymize(table, quasi_identifiers=known, sensitive=SENSITIVE, k=5)
    timed("ka.profile", lambda: ka.profile(table))
    timed("ka.risk with SUDA", lambda: ka.risk(table, quasi_identifiers=known))
    timed("ka.utility", lambda: ka.utility(table, release))
    timed("ka.attack, all that apply", lambda: ka.attack(table, release))
    if not quick:
        start = time.perf_counter()
        ka.utility(table, release, target="salary-class", measures=[])
        print(f"{'learning salary-class':46}{time.perf_counter() - start:8.2f} s")


if __name__ == "__main__":
    main()
