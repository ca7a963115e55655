"""Scores of releases of national2019 beside those that NIST published of other tools.

Every record is kept, every column is a quasi-identifier, and k is verified from the released
values. Needs ../shared/data and ../shared/golden beside the checkout.

    python benches/nist.py [--quick | --wide]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import polars as pl
from inputs import nist

import kanonym as ka

HEADS = (
    f"{'release':<40}{'K-marginal':>11}{'lowest':>8}{'sample':>8}{'records':>9}{'unique %':>9}"
    f"{'apparent':>9}{'pMSE':>8}{'slope, intercept':>18}{'Pearson':>9}{'Kendall':>9}{'DiSCO':>8}"
    f"{'cannot be':>10}{'inference':>10}{'seconds':>9}"
)
GUESSED = "PINCP_DECILE"
"""The column that the attack `inference` guesses from the others, but for the income itself."""

HELD_OUT = 0.2


def line(
    name: str, found: nist.Scores, seconds: float | None = None, risk: float | None = None
) -> None:
    """Print the scores of a release."""

    def shown(value: float | None, digits: int, width: int) -> str:
        return f"{'–' if value is None else format(value, f'.{digits}f'):>{width}}"

    print(
        f"{name:<40}{found.k_marginal:>11.1f}{shown(found.lowest, 0, 8)}"
        f"{shown(found.sample, 2, 8)}{found.records:>9,}{found.unique_exact:>9.2f}"
        f"{found.apparent:>9}{found.pmse:>8.4f}{found.slope:>9.2f},{found.intercept:>8.2f}"
        f"{found.pearson:>9.4f}{shown(found.kendall, 4, 9)}{shown(found.disco, 3, 8)}"
        f"{found.inconsistent:>10,}{shown(risk, 3, 10)}{shown(seconds, 1, 9)}",
        flush=True,
    )


def published(features: str) -> None:
    """Print what NIST published of other tools' releases of a set of columns."""
    for row in pl.read_csv(nist.PUBLISHED).filter(feature_set=features).to_dicts():
        epsilon = "" if row["epsilon"] is None else f" ε = {row['epsilon']}"
        found = nist.Scores(
            k_marginal=row["k_marginal"],
            lowest=row["worst_puma"],
            sample=float(row["resembles_subsample"].rstrip("%")) / 100,
            records=row["records"],
            unique_exact=row["unique_exact_match_percent"],
            apparent=row["apparent_matches"],
            pmse=row["propensity_mse"],
            slope=row["regression_slope"],
            intercept=row["regression_intercept"],
            pearson=row["pearson_mean_abs_difference"],
            kendall=row["kendall_mean_abs_difference"],
            disco=row["disco_mean"],
            inconsistent=row["age_inconsistent"] + row["housing_inconsistent"],
        )
        line(f"published: {row['library']} {row['algorithm']}{epsilon}", found)


def released(table: pl.DataFrame, k: int, algorithm: str) -> pl.DataFrame:
    """Return balanced values of a typed table, in its order; no record is missing."""
    release = ka.anonymize(
        table,
        quasi_identifiers=table.columns,
        k=k,
        algorithm=algorithm,
        recoding="balanced",
        keep_order=True,
        keep_integers=True,
        seed=0,
    )
    if not release.verification.satisfied or release.suppressed:
        raise AssertionError("not verified, or a record is missing")
    return release.frame


def centroids(table: pl.DataFrame, k: int, algorithm: str) -> pl.DataFrame:
    """Return medians of numbers and ordered codes, and modes of others."""
    attributes = {
        name: ka.QuasiIdentifier(recoding="mode" if dtype == pl.String else "median")
        for name, dtype in table.schema.items()
    }
    policy = ka.Policy(
        attributes=attributes,
        models=[ka.KAnonymity(k)],
        algorithm=algorithm,
        keep_order=True,
        keep_integers=True,
        seed=0,
    )
    return ka.anonymize(table, policy).frame


def inference_risk(
    table: pl.DataFrame, release_of: Callable[[pl.DataFrame], pl.DataFrame]
) -> float:
    """Return what a release of four in five persons tells of their income, beside the others.

    release_of: makes a typed release of some records of the typed table.
    """
    out = np.random.default_rng(0).random(len(table)) < HELD_OUT
    kept, control = table.filter(~out), table.filter(out)
    found = ka.attack(
        kept,
        release_of(kept),
        control=control,
        quasi_identifiers=[name for name in table.columns if name not in (GUESSED, "PINCP")],
        sensitive=[GUESSED],
        attacks=["inference"],
        aligned=False,
    )
    return found["inference"].risk


def demographic(ks: Sequence[int], algorithms: Sequence[str]) -> None:
    """Score releases of the ten demographic columns."""
    table = nist.national().select(nist.DEMOGRAPHIC)
    line("the table itself", nist.scores(table, table))
    half = table[::2]
    line("every second record", nist.scores(table, half))
    published("demographic-focused")
    given = nist.typed(table)
    for k in ks:
        for algorithm in algorithms:
            for recoding in (None, "balanced"):
                release_of = (
                    partial(centroids, k=k, algorithm=algorithm)
                    if recoding is None
                    else partial(released, k=k, algorithm=algorithm)
                )
                start = time.perf_counter()
                made = release_of(given)
                seconds = time.perf_counter() - start
                risk = inference_risk(given, release_of)
                name = f"k = {k}, {algorithm}, {recoding or 'median, mode'}"
                line(name, nist.scores(table, nist.as_codes(made)), seconds, risk)


def by_region(table: pl.DataFrame, k: int, algorithm: str) -> pl.DataFrame:
    """Return balanced values of each region of a typed table, one below the other."""
    parts = []
    for region in table.partition_by("PUMA", maintain_order=True):
        constant = [name for name in ("PUMA", "DENSITY") if name in table.columns]
        made = released(region.drop(constant), k, algorithm)
        made = made.with_columns(  # a release has the categories that it holds alone
            pl.col(name).cast(pl.String).cast(dtype)
            for name, dtype in table.schema.items()
            if isinstance(dtype, pl.Enum)
        )
        parts.append(made.with_columns(region.select(constant)).select(table.columns))
    whole = pl.concat(parts)
    if whole.group_by(table.columns).len()["len"].min() < k:  # type: ignore[operator]
        raise AssertionError("the releases of all regions together are not k-anonymous")
    return whole


def wide(k: int, algorithms: Sequence[str]) -> None:
    """Score releases of 21 and of 24 columns, where each region counts for itself."""
    table = nist.national()
    sets = nist.feature_sets(table)
    for features in ("custom-features-21", "all-features"):
        chosen = table.select(sets[features])
        published(features)
        given = nist.typed(chosen)
        for algorithm in algorithms:
            for way, how in ((released, ""), (by_region, ", by region")):
                release_of = partial(way, k=k, algorithm=algorithm)
                start = time.perf_counter()
                made = nist.as_codes(release_of(given))
                seconds = time.perf_counter() - start
                risk = inference_risk(given, release_of)
                name = f"k = {k}, {algorithm}, balanced{how}"
                line(name, nist.scores(chosen, made, full=False), seconds, risk)


def main() -> None:
    """Print a table of the ten demographic columns, or of each wider set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one release of each set")
    parser.add_argument("--wide", action="store_true", help="21 and 24 columns")
    options = parser.parse_args()
    print(HEADS)
    algorithms = ["mdav"] if options.quick else ["mdav", "segmentation", "mondrian"]
    if options.wide:
        wide(6, algorithms[:2])
    else:
        demographic([6] if options.quick else [6, 20], algorithms)


if __name__ == "__main__":
    main()
