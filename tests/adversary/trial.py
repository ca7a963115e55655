"""A hostile trial: random tables and policies through the library, judged by independent checkers.

Each run ends in a release that all checkers accept, or in one of kanonym's errors with nothing
written. Everything else is wrong, and told with what repeats it.

    python tests/adversary/trial.py --runs 2000 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from hostile import hostile_table
from independent import classes, contains, rows_by_pandas, rows_of_file, rows_of_sqlite, satisfied

import kanonym as ka
from kanonym.data.errors import KanonymError
from kanonym.database import write_table
from kanonym.policy.algorithms import ALGORITHMS

MODELS = (
    [{"type": "k-anonymity", "k": 2}],
    [{"type": "k-anonymity", "k": 5}],
    [{"type": "k-anonymity", "k": 3}, {"type": "l-diversity", "attribute": "s", "l": 2}],
    [{"type": "l-diversity", "attribute": "s", "l": 1.3, "kind": "entropy"}],
    [{"type": "l-diversity", "attribute": "s", "l": 2, "kind": "recursive", "c": 3}],
    [{"type": "alpha-k-anonymity", "alpha": 0.9, "k": 2, "attribute": "s"}],
    [{"type": "k-anonymity", "k": 2}, {"type": "t-closeness", "attribute": "s", "t": 0.3}],
    [{"type": "beta-likeness", "attribute": "s", "beta": 2}],
    [{"type": "beta-likeness", "attribute": "s", "beta": 2, "kind": "enhanced"}],
    [{"type": "delta-disclosure", "attribute": "s", "delta": 3}],
    [{"type": "average-risk", "threshold": 0.4}, {"type": "k-anonymity", "k": 2}],
    [{"type": "sample-uniqueness", "threshold": 0.1}, {"type": "k-anonymity", "k": 2}],
)
FORMATS = ("csv", "tsv", "jsonl", "json", "parquet", "feather", "xlsx", "csv.gz", "jsonl.gz")
ENGINES = ("local", "local", "local", "duckdb", "sqlite")
RECODINGS = (None, None, "interval", "set", "range", "hierarchy", "mode", "median")
PARAMETERS = {"kmeans": {"clusters": 3}}
BY_SIZE = (
    "mdav",
    "v-mdav",
    "ona",
    "mona",
    "univariate",
    "individual-ranking",
    "k-member",
    "kmeans",
)
"""Algorithms that take models of class sizes alone."""
BY_NUMBERS = ("ona", "mona", "univariate", "individual-ranking", "kmeans", "t-closeness-first")
"""Algorithms that take numbers without null alone."""


REASONS: Counter[str] = Counter()


class WrongReleaseError(AssertionError):
    """A release that a checker refuses."""


def models_for(algorithm, turn):
    """Return the models of a turn that an algorithm takes."""
    if algorithm == "t-closeness-first":
        near = {"type": "t-closeness", "attribute": "s", "t": 0.4, "distance": "ordered"}
        return [{"type": "k-anonymity", "k": 2 + turn % 4}, near]
    if algorithm in BY_SIZE:
        return [{"type": "k-anonymity", "k": 2 + turn % 5}]
    return MODELS[turn % len(MODELS)]


def run_once(algorithm, models, engine, form, rng, folder):
    """Make one release of a hostile table; return what came of it: `released` or `refused`."""
    few = 1 if algorithm == "univariate" else 4
    table, known = hostile_table(rng, numbers=algorithm in BY_NUMBERS, most=few)
    before = table.clone()
    roles = {name: {"role": "quasi-identifier"} for name in known} | {"s": {"role": "sensitive"}}
    recoding = RECODINGS[int(rng.integers(len(RECODINGS)))]
    if ALGORITHMS[algorithm].recodes != "spans":
        recoding = None
    path = folder / f"released.{form}"
    try:
        policy = ka.Policy(
            attributes=roles,
            others="insensitive",
            models=models,
            algorithm={"type": algorithm, **PARAMETERS.get(algorithm, {})},
            suppression_limit=float(rng.choice([0.0, 0.0, 0.2])),
            **({} if recoding is None else {"recoding": recoding}),
        )
        release, rows = _released(table, policy, engine, path)
    except KanonymError as error:
        REASONS[str(error)[:70]] += 1
        if any(folder.iterdir()) and engine != "sqlite":
            raise WrongReleaseError("a refused run left a file") from None
        return "refused"
    if not table.equals(before, null_equal=True):
        raise WrongReleaseError("the input was changed")
    for read in rows:
        _judge(read, table, known, models, release, algorithm)
    return "released"


def _released(table, policy, engine, path):
    """Return a release, and its rows as independent readers see them."""
    if engine == "duckdb":
        release = ka.anonymize(ka.DuckDB(table), policy, output=path)
        return release, [rows_of_file(path)]
    if engine == "sqlite":
        file = path.with_name("hostile.db")
        write_table(table, f"sqlite:///{file}", "t")
        release = ka.anonymize(ka.Database(f"sqlite:///{file}", "t"), policy, output="t_released")
        return release, [rows_of_sqlite(file, "t_released")]
    release = ka.anonymize(table, policy)
    release.write(path)
    rows = [rows_of_file(path)]
    if path.name.endswith((".csv", ".tsv", ".csv.gz")) and release.rows_out:
        rows.append(rows_by_pandas(path))
    return release, rows


def _judge(rows, table, known, models, release, algorithm):
    """Refuse rows that are not what the release promises."""
    if len(rows) != release.rows_out:
        raise WrongReleaseError(f"{len(rows)} rows in the file, {release.rows_out} in the release")
    if release.rows_out + release.suppressed != len(table) or release.rows_in != len(table):
        raise WrongReleaseError("records do not add up")
    ids = [int(row["id"]) for row in rows]
    if len(set(ids)) != len(ids) or not set(ids) <= set(range(len(table))):
        raise WrongReleaseError("a record was released twice, or invented")
    secrets = table["s"].to_list()
    if any(row["s"] != secrets[int(row["id"])] for row in rows):
        raise WrongReleaseError("a sensitive value belongs to another record")
    names = [] if not rows else [name for name in rows[0] if name not in ("id", "s")]
    groups = classes(rows, names, "s")
    if algorithm != "cell-suppression":
        for model in models:
            if rows and not satisfied(model, groups, secrets):
                raise WrongReleaseError(f"{model} does not hold")
    for name in known:
        if table[name].dtype.is_integer() and rows and name in rows[0]:
            values = table[name].to_list()
            if any(contains(row[name], values[int(row["id"])]) is False for row in rows):
                raise WrongReleaseError("a label does not hold its own value")


def trial(runs, seed, algorithms=tuple(ALGORITHMS)):
    """Return counts by algorithm and outcome, and the descriptions of what was wrong.

    runs: of each algorithm. Models, formats and engines take turns, so that all are met.
    """
    counts = Counter()
    wrong = []
    for algorithm in algorithms:
        for number in range(runs):
            turn = seed + number
            models, form = models_for(algorithm, turn), FORMATS[turn % len(FORMATS)]
            engine = ENGINES[turn % len(ENGINES)]
            rng = np.random.default_rng([seed, number, *algorithm.encode()])
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    outcome = run_once(algorithm, models, engine, form, rng, Path(folder))
                except BaseException as error:
                    if isinstance(error, KeyboardInterrupt):
                        raise
                    outcome = "wrong"
                    told = "".join(traceback.format_exception_only(error)).strip()[:300]
                    wrong.append(f"{algorithm} {models} {engine} {form} run {number}: {told}")
            counts[algorithm, outcome] += 1
            counts[engine, outcome] += 1
            counts[form, outcome] += 1
    return counts, wrong


def main():
    """Run a trial and print its counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="of each algorithm")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--algorithms", nargs="*", default=list(ALGORITHMS))
    parser.add_argument("--reasons", action="store_true", help="say why runs were refused")
    asked = parser.parse_args()
    counts, wrong = trial(asked.runs, asked.seed, asked.algorithms)
    print(f"{'':20}{'tried':>8}{'released':>10}{'refused':>9}{'wrong':>7}")
    for name in dict.fromkeys(one for one, _ in counts):
        found = [counts[name, outcome] for outcome in ("released", "refused", "wrong")]
        print(f"{name:20}{sum(found):8}{found[0]:10}{found[1]:9}{found[2]:7}")
    for line in wrong:
        print(line)
    if asked.reasons:
        for reason, count in REASONS.most_common(30):
            print(f"{count:6} {reason}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
