"""What refused cuts give away, and what hiding that costs: Adult and national2019, l = 2.

Needs ../shared/data beside the checkout. For each release: persons whose sensitive value is
certain to somebody who knows the algorithm and everybody's quasi-identifiers (attack
`minimality`), the span loss, and the GCP beside that of the release without a defence.

`chance` is what policies do by themselves (`minimality: chance`), beside `none`. `blind` decides
cuts by the quasi-identifiers alone and makes those whose sides satisfy the model: one cut a class
is refused. `margin` asks for l + 1 and promises l, where the attribute has so many values.

    python benches/minimality.py [K ...] [--only ALGORITHM] [--tried]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import kanonym as ka
from kanonym.algorithms.base import Algorithm, Problem, compile_criteria
from kanonym.algorithms.mondrian import Mondrian, _in_table_order, _records
from kanonym.data.partition import Partition
from kanonym.kernels.partitioning.mondrian import refine
from kanonym.kernels.partitioning.workspace import workspace
from kanonym.models import LDiversity

Way = tuple[Algorithm, str]
DATA = Path(__file__).parents[2] / "shared" / "data"
CENSUS = ["AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "DVET", "DEYE"]


class BlindMondrian(Mondrian):
    """Cuts chosen by quasi-identifiers alone; made where both sides satisfy the models."""

    def partition(self, problem: Problem) -> Partition:
        """Divide a table; see the class."""
        table = problem.table
        sizes = [model for model in problem.models if model.attribute is None]
        least = next(m.l for m in problem.models if isinstance(m, LDiversity))
        records = _records(table, by_row=False)
        criteria = compile_criteria(sizes, table)
        work = workspace(len(records), problem.costs)
        marks = np.zeros(len(records), np.bool_)
        leaves, waiting = [], [(0, len(records))]
        while waiting:
            start, stop = waiting.pop()
            cut = int(refine(records, start, stop, problem.costs, criteria, work, marks, True))  # noqa: FBT003
            sides = [(start, cut), (cut, stop)]
            if cut >= 0 and all(len(np.unique(records[a:b, -3])) >= least for a, b in sides):
                waiting += sides
            else:
                leaves.append(start)
        starts = np.zeros(len(records), np.int32)
        starts[leaves] = 1
        labels = _in_table_order(records, np.cumsum(starts, dtype=np.int32) - np.int32(1))
        return Partition(labels, len(leaves))

    def refusals(self, problem: Problem, partition: Partition) -> None:
        """Nothing is replayed: one cut a class is refused."""
        del problem, partition


def tables() -> Iterator[tuple[str, pl.DataFrame, list[str], str]]:
    """Yield name, table, quasi-identifiers and sensitive attribute."""
    adult = ka.read_table(DATA / "adult" / "adult.csv")
    known = [name for name in adult.columns if name not in ("salary-class", "occupation")]
    yield "adult salary", adult, [*known, "occupation"], "salary-class"
    yield "adult occupation", adult, known, "occupation"
    census = pl.read_csv(DATA / "nist" / "national2019.csv", infer_schema_length=None)
    census = census.filter(pl.col("AGEP").cast(pl.Int64, strict=False) > 15)
    census = census.with_columns(pl.col("AGEP", "EDU").cast(pl.Int64, strict=False))
    others = [name for name in CENSUS if name not in ("AGEP", "EDU")]
    census = census.with_columns(pl.col(*others, "PINCP_DECILE", "INDP_CAT").cast(pl.String))
    yield "national2019 income", census, CENSUS, "PINCP_DECILE"
    yield "national2019 industry", census, CENSUS, "INDP_CAT"


def measured(
    frame: pl.DataFrame, known: list[str], hidden: str, k: int, l: int, way: Way
) -> tuple[int | None, float, float]:
    """Return persons who are certain (None: not replayed), span loss and GCP."""
    algorithm, minimality = way
    recoding = None if algorithm.recodes == "levels" else "set"
    policy = ka.Policy(
        attributes={**{name: ka.QuasiIdentifier() for name in known}, hidden: ka.Sensitive()},
        models=[ka.KAnonymity(k), ka.LDiversity(hidden, l=l)],
        algorithm=algorithm,
        recoding=recoding,
        minimality=minimality,
        seed=1,
    )
    frame = frame.select(*known, hidden)
    release = ka.anonymize(frame, policy)
    found = ka.attack(frame, release, attacks=["minimality"])["minimality"].targets
    certain = round(found.successes) if found.attempts else None
    return certain, release.utility.span_loss, release.utility.gcp


def main() -> None:
    """Print a line a release."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("k", nargs="*", type=int, default=[2, 5, 10, 20])
    parser.add_argument("--only", help="the type of one algorithm")
    parser.add_argument("--tried", action="store_true", help="blind cuts and a margin, too")
    asked = parser.parse_args()
    algorithms = [ka.Mondrian(), ka.Segmentation(), ka.LocalRecoding(), ka.FullDomain()]
    for name, frame, known, hidden in tables():
        several = frame[hidden].n_unique() > 2
        for k in asked.k:
            for algorithm in algorithms:
                if asked.only not in (None, algorithm.type):
                    continue
                ways: dict[str, tuple[Way, int]] = {
                    algorithm.type: ((algorithm, "none"), 2),
                    "  chance": ((algorithm, "chance"), 2),
                }
                if asked.tried and algorithm.type == "mondrian":
                    ways["  blind"] = (BlindMondrian(), "none"), 2
                    if several:
                        ways["  margin, l + 1"] = (algorithm, "none"), 3
                plain = 0.0
                for way, (made, l) in ways.items():
                    certain, span, gcp = measured(frame, known, hidden, k, l, made)
                    plain = plain or gcp
                    told = "not replayed" if certain is None else f"{certain} certain"
                    print(
                        f"{name:<22} k={k:<3} {way:<16}{told:>15}   span loss {span:.4f}   "
                        f"GCP {gcp:.4f} ({gcp / plain - 1:+.1%})",
                        flush=True,
                    )


if __name__ == "__main__":
    if DATA.exists():
        main()
    else:
        print(f"skipped: no {DATA}")
