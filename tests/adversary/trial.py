"""A hostile trial: random tables and policies through the library, judged by independent checkers.

Each run ends in a release that all checkers accept, or in one of kanonym's errors with nothing
written. Everything else is wrong, and told with what repeats it. A policy that an algorithm or an
engine declares to be beyond it is no run: another one is drawn.

    python tests/adversary/trial.py --runs 2000 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1]))

import kanonym as ka
from adversary.hostile import hostile_table
from adversary.independent import classes, contains, fits, satisfied
from adversary.places import FORMATS, Places
from adversary.populations import persons_hold, population_holds, uniqueness_holds
from adversary.requirements import COUNTING, MODELS, OF_PERSONS, SICK, with_population
from kanonym.data.errors import KanonymError
from kanonym.policy.algorithms import ALGORITHMS

SHARES = {"local": 0.4, "duckdb": 0.25, "sqlite": 0.2, "postgresql": 0.1, "spark": 0.05}
"""How often each engine is drawn: Spark takes seconds for a run."""
RECODINGS = (None, None, "interval", "set", "range", "hierarchy", "mode", "median")
PARAMETERS = {"kmeans": {"clusters": 2}}
BY_NUMBERS = ("ona", "mona", "individual-ranking", "kmeans")
"""Algorithms that take numbers without null alone."""
WITHOUT_NULL = (*BY_NUMBERS, "mdav")
DRAWS = 40
"""So many policies are drawn for a run; the last one counts, whatever it is."""
DRAWN = [*MODELS, *4 * OF_PERSONS]
"""What models are drawn from: one algorithm alone takes those of a population."""
OUTCOMES = ("released", "refused", "wrong")


class WrongReleaseError(AssertionError):
    """A release that a checker refuses."""


class Run:
    """One release of a hostile table: what is drawn for it, and what came of it."""

    def __init__(self, algorithm, engines, places, rng, folder):
        self.algorithm, self.places, self.rng, self.folder = algorithm, places, rng, folder
        share = np.array([SHARES[one] for one in engines])
        self.engine = str(rng.choice(engines, p=share / share.sum()))
        self.form = str(rng.choice(FORMATS[self.engine]))
        self.name, self.reason = "", ""
        table, self.known = hostile_table(
            rng, numbers=algorithm in BY_NUMBERS, nulls=algorithm not in WITHOUT_NULL, most=4
        )
        self.table = table
        self.identified = True

    def carry_out(self):
        """Release the table, and return the outcome: `released` or `refused`."""
        for draw in range(DRAWS):
            self.name = str(self.rng.choice(DRAWN))
            # SQLite cannot distinguish equal records if columns beside the policy's are released.
            self.identified = self.engine != "sqlite" or draw % 2 == 0
            if not self.identified and self.name in (*OF_PERSONS, *COUNTING):
                continue
            try:
                return self._carry_out_once()
            except ka.PolicyError as error:
                self._require_nothing_written()
                self.reason = str(error)
            except KanonymError as error:
                self._require_nothing_written()
                self.reason = str(error)
                return "refused"
        return "refused"

    def _carry_out_once(self):
        named = any("attribute" in one for one in MODELS[self.name])
        beside = [] if self.identified else ["id"] if named else ["id", "s"]
        table = self.table.drop(beside)
        population = (
            table[self.rng.integers(0, len(table), 2 * len(table))] if len(table) else table
        )
        population = table.vstack(population).select(self.known)
        counts = self.name in OF_PERSONS
        roles = {name: {"role": "quasi-identifier"} for name in self.known}
        if "s" in table.columns:
            roles["s"] = {"role": "sensitive"}
        roles["person"] = {"role": "identifier"}
        if self.name == "k-anonymity of persons by site":
            numbers = table["person"].str.slice(1).cast(pl.Int64)
            table = table.with_columns(site=numbers % 3, number=numbers // 3)
            roles |= {name: {"role": "identifier"} for name in ("site", "number")}
        if self.name == "t hierarchical":
            roles["s"]["hierarchy"] = ka.hierarchy.from_mapping(SICK)
        recoding = RECODINGS[int(self.rng.integers(len(RECODINGS)))]
        if ALGORITHMS[self.algorithm].recodes != "spans":
            recoding = None
        # A population is judged through the labels of released values: none is suppressed.
        limit = 0.0 if counts else float(self.rng.choice([0.0, 0.0, 0.2]))
        policy = ka.Policy(
            attributes=roles,
            others="insensitive",
            models=with_population(MODELS[self.name], population),
            algorithm={"type": self.algorithm, **PARAMETERS.get(self.algorithm, {})},
            suppression_limit=limit,
            **({} if self.name in COUNTING else {"rows": "persons"}),
            **({} if recoding is None else {"recoding": recoding}),
        )
        before = table.clone()
        release, read = self.places.released(table, policy, self.engine, self.form, self.folder)
        if not table.equals(before, null_equal=True):
            raise WrongReleaseError("the input was changed")
        for rows in read:
            self._judge(rows, release, population)
        return "released"

    def _require_nothing_written(self):
        held = [one.name for one in self.folder.iterdir() if one.name != "hostile.db"]
        if held:
            raise WrongReleaseError(f"a refused run left {held}")
        for one in self.folder.iterdir():
            one.unlink()

    def _judge(self, rows, release, population):
        """Refuse rows that are not what the release promises."""
        table = self.table
        if len(rows) != release.rows_out:
            raise WrongReleaseError(f"{len(rows)} rows written, {release.rows_out} in the release")
        if release.rows_out + release.suppressed != len(table) or release.rows_in != len(table):
            raise WrongReleaseError("records do not add up")
        secrets = table["s"].to_list()
        if Counter(row["s"] for row in rows if "s" in row) - Counter(secrets):
            raise WrongReleaseError("a sensitive value was invented")
        if any("person" in row for row in rows):
            raise WrongReleaseError("an identifier was released")
        if self.identified:
            self._judge_records(rows, secrets)
        names = [] if not rows else [name for name in rows[0] if name not in ("id", "s")]
        groups = classes(rows, names, "s" if rows and "s" in rows[0] else None)
        for model in MODELS[self.name] if rows else ():
            if not self._holds(model, rows, names, groups, population):
                raise WrongReleaseError(f"{model} does not hold")

    def _judge_records(self, rows, secrets):
        ids = [int(row["id"]) for row in rows]
        if len(set(ids)) != len(ids) or not set(ids) <= set(range(len(self.table))):
            raise WrongReleaseError("a record was released twice, or invented")
        if any(row["s"] != secrets[int(row["id"])] for row in rows):
            raise WrongReleaseError("a sensitive value belongs to another record")
        for name in self.known:
            if self.table[name].dtype.is_integer() and rows and name in rows[0]:
                values = self.table[name].to_list()
                if any(contains(row[name], values[int(row["id"])]) is False for row in rows):
                    raise WrongReleaseError("a label does not hold its own value")

    def _holds(self, model, rows, names, groups, population):
        """Return whether a model holds, by the checker that judges it."""
        if self.algorithm == "cell-suppression":
            return fits(rows, names, model["k"])
        if model.get("entity"):
            return persons_hold(model["k"], rows, names, self.table["person"].to_list())
        if model["type"] in ("k-map", "delta-presence"):
            held = [one.to_dict(as_series=False) for one in (self.table, population)]
            return population_holds(model, rows, self.known, *held)
        if model["type"] == "population-uniqueness":
            return uniqueness_holds(model, [len(one) for one in groups])
        return satisfied(model, groups, self.table["s"].to_list())


def trial(runs, seed, algorithms=tuple(ALGORITHMS), engines=tuple(SHARES), seconds=float("inf")):
    """Return counts by what was drawn and outcome, what was wrong, and why runs were refused.

    runs: of each algorithm, in turn. seconds: no run begins after so many.
    """
    counts, reasons, wrong = Counter(), Counter(), []
    ends = time.monotonic() + seconds
    with Places() as places, warnings.catch_warnings():
        engines = [one for one in engines if places.start(one)]
        warnings.simplefilter("error")
        for number in range(runs):
            for algorithm in algorithms:
                if time.monotonic() > ends:
                    break
                rng = np.random.default_rng([seed, number, *algorithm.encode()])
                with tempfile.TemporaryDirectory() as folder:
                    run = Run(algorithm, engines, places, rng, Path(folder))
                    try:
                        outcome = run.carry_out()
                    except KeyboardInterrupt:
                        raise
                    except BaseException as error:
                        outcome = "wrong"
                        told = "".join(traceback.format_exception_only(error)).strip()[:300]
                        wrong.append(
                            f"{algorithm}, {run.name}, {run.form}, {run.engine}, "
                            f"run {number}: {told}"
                        )
                        print(wrong[-1], file=sys.stderr, flush=True)
                if outcome == "refused":
                    reasons[run.reason[:90]] += 1
                counts[algorithm, run.name, run.form, run.engine, outcome] += 1
        for engine, reason in places.absent.items():
            reasons[f"{engine} is absent: {reason}"] += 1
    return counts, wrong, reasons


def table_of(counts, places):
    """Yield lines of counts, summed over all that is drawn but the given places."""
    sums = Counter()
    for (*drawn, outcome), count in counts.items():
        sums[" × ".join(drawn[place] for place in places), outcome] += count
    for name in sorted({name for name, _ in sums}):
        found = [sums[name, outcome] for outcome in OUTCOMES]
        yield f"{name:60}{sum(found):8}{found[0]:10}{found[1]:9}{found[2]:7}"


def main():
    """Run a trial and print its counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="of each algorithm")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--algorithms", nargs="*", default=list(ALGORITHMS))
    parser.add_argument("--engines", nargs="*", default=list(SHARES))
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no run later")
    parser.add_argument("--brief", action="store_true", help="leave out single combinations")
    asked = parser.parse_args()
    counts, wrong, reasons = trial(
        asked.runs, asked.seed, asked.algorithms, asked.engines, 60 * asked.minutes
    )
    head = f"{'':60}{'tried':>8}{'released':>10}{'refused':>9}{'wrong':>7}"
    if not asked.brief:
        print(head, *table_of(counts, range(4)), sep="\n")
    for places in ([0], [1], [2], [3], []):
        print(head, *table_of(counts, places), sep="\n")
    met = {tuple(drawn) for *drawn, _ in counts}
    print(f"{len(met)} combinations of algorithm × model × format × engine")
    for reason, count in reasons.most_common():
        print(f"{count:6} refused: {reason}")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
