"""A workshop on anonymizing loans, step by step, and an answer to its exercise.

Four numbers about each loan identify who took it. The workshop clusters them, finds that one
loan is a cluster of its own, leaves it out, clusters again, and microaggregates. Its exercise:
better privacy and less loss.

    python examples/loans.py [LOANS.csv]

Without a file it generates 307,511 loans like those of the workshop: nobody in them exists.
LOANS.csv has the columns AMT_INCOME_TOTAL, AMT_CREDIT, DAYS_BIRTH and DAYS_EMPLOYED, as the
loans of Home Credit on Kaggle (application_data.csv) have. Loans are numbered where there is no
SK_ID_CURR; other columns are not looked at.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

import kanonym as ka

IDENTIFIER = "SK_ID_CURR"
COLUMNS = ["AMT_INCOME_TOTAL", "AMT_CREDIT", "DAYS_BIRTH", "DAYS_EMPLOYED"]


@dataclass(frozen=True)
class Result:
    """What one way to anonymize the loans keeps private, and what it loses."""

    way: str
    records: int
    k: int
    classes: int
    uniques: int
    rmse: dict[str, float]  # of each column, in its own unit
    lost: float  # share of a column's variance, mean of the columns
    seconds: float

    @property
    def mean(self) -> float:
        """Mean of the columns' RMSE, by which the workshop compares."""
        return statistics.fmean(self.rmse.values())

    def beats(self, other: Result) -> str:
        """Say where it loses less with a higher k on the same loans; nothing if it does not."""
        if self.records != other.records or self.k <= other.k:
            return ""
        if all(self.rmse[name] < other.rmse[name] for name in COLUMNS):
            return "every column"
        return "on average" if self.mean < other.mean and self.lost < other.lost else ""


@dataclass(frozen=True)
class Workshop:
    """What the workshop finds on its way."""

    k_identified: int  # with the identifier
    k: int  # without it
    classes: pl.DataFrame  # the clusters of the first k-means, with their numbers of records
    outliers: pl.DataFrame  # loans that are a cluster of their own, with their rows from 0
    loans: pl.DataFrame  # the others
    results: list[Result]


def anonymize(loans: pl.DataFrame, algorithm: object, k: int | None = None) -> ka.Release:
    """Release the means of classes, in the order of the loans; the identifier is dropped."""
    return ka.anonymize(
        loans,
        identifiers=[IDENTIFIER],
        quasi_identifiers=COLUMNS,
        algorithm=algorithm,
        recoding="mean",
        k=k,
        keep_order=True,
    )


def measured(
    way: str, loans: pl.DataFrame, release: ka.Release, weights: Mapping[str, float] | None = None
) -> Result:
    """Measure a release; k is counted in the released table, as anybody can who gets it.

    Columns that were multiplied by weights are divided by them again.
    """
    by = weights or {}
    frame = release.frame.with_columns(pl.col(name) / by[name] for name in by)
    counted = ka.measure(frame, quasi_identifiers=COLUMNS)
    rmse = {name: release.utility.rmse[name] / by.get(name, 1) for name in COLUMNS}
    return Result(
        way=way,
        records=counted.rows,
        k=counted.k,
        classes=counted.classes,
        uniques=counted.uniques,
        rmse=rmse,
        lost=statistics.fmean(rmse[name] ** 2 / loans[name].var(ddof=0) for name in COLUMNS),
        seconds=sum(release.seconds.values()),
    )


def workshop(loans: pl.DataFrame) -> Workshop:
    """Do what the workshop does; its distances are raw, so columns of large numbers decide."""
    k_identified = ka.measure(loans, quasi_identifiers=[IDENTIFIER, *COLUMNS]).k
    k = ka.measure(loans, quasi_identifiers=COLUMNS).k

    clusters = ka.algorithms.KMeans(clusters=4, standardize=False)
    clustered = anonymize(loans, clusters)
    alone = clustered.frame.select(pl.len().over(COLUMNS) == 1).to_series()
    rest = loans.filter(~alone)

    again = anonymize(rest, clusters)
    by_column = anonymize(
        rest, ka.algorithms.KMeans(clusters=4, per_column=True, standardize=False)
    )
    microaggregated = anonymize(rest, ka.MDAV(standardize=False), k=500)
    return Workshop(
        k_identified=k_identified,
        k=k,
        classes=clustered.aggregate().sort("count"),
        outliers=loans.with_row_index("row").filter(alone),
        loans=rest,
        results=[
            measured("k-means, 4 clusters", loans, clustered),
            measured("k-means, 4 clusters, no outlier", rest, again),
            measured("k-means, 4 clusters a column", rest, by_column),
            measured("MDAV, k = 500", rest, microaggregated),
        ],
    )


def exercise(loans: pl.DataFrame, found: Workshop) -> Iterator[Result]:
    """Try other algorithms and parameters, for more than the k of the workshop's results."""
    _, clustered, _, microaggregated = (one.k + 1 for one in found.results)
    one_block = ka.algorithms.MONA(block=len(loans), standardize=False)
    for way, algorithm, k in (
        ("MDAV, raw", ka.MDAV(standardize=False), clustered),
        ("k-means, 16 clusters, raw", ka.algorithms.KMeans(16, standardize=False), clustered),
        ("MDAV", ka.MDAV(), clustered),
        ("k-means, 8 clusters a column", ka.algorithms.KMeans(8, per_column=True), 20),
        ("k-means, 6 clusters a column", ka.algorithms.KMeans(6, per_column=True), 100),
        ("individual ranking, k = 500", ka.algorithms.IndividualRanking(500), None),
        ("individual ranking, then k = 20", ka.algorithms.IndividualRanking(500), 20),
        ("Mondrian", ka.Mondrian(), 100),
        ("segmentation, Hilbert order", ka.Segmentation("hilbert"), 100),
        ("MONA", ka.algorithms.MONA(), 100),
        ("MDAV", ka.MDAV(), 1500),
        ("MDAV", ka.MDAV(), microaggregated),
        ("MONA, one block, raw", one_block, microaggregated),
    ):
        yield measured(way, found.loans, anonymize(found.loans, algorithm, k))
    # What is multiplied counts more in distances: a weighting between raw and standardized.
    weights = {"AMT_INCOME_TOTAL": 1.2, "DAYS_BIRTH": 2.0}
    heavier = found.loans.with_columns(pl.col(name) * by for name, by in weights.items())
    release = anonymize(heavier, one_block, k=520)
    yield measured("MONA, one block, weighted", found.loans, release, weights)
    yield measured("MDAV, outlier included", loans, anonymize(loans, ka.MDAV(), k=20))


def generated(rows: int = 307_511) -> pl.DataFrame:
    """Return loans like those of Home Credit, always the same; one income is far from all others.

    Incomes and credits are log-normal and go together; 18 % have the code of no work.
    """
    rng = np.random.default_rng(20231018)
    wealth = rng.standard_normal(rows)
    income = np.clip(np.round(np.exp(11.90 + 0.487 * wealth) / 4500) * 4500, 25_650, 18_000_090)
    income[12_840] = 117_000_000.0
    other = 0.35 * wealth + np.sqrt(1 - 0.35**2) * rng.standard_normal(rows)
    credit = np.clip(np.round(np.exp(13.08 + 0.70 * other) / 4.5) * 4.5, 45_000, 4_050_000)
    birth = -(7_489 + np.round((25_229 - 7_489) * rng.beta(1.6, 1.75, rows))).astype(int)
    since = np.minimum(np.round(rng.exponential(2_385, rows)) + 1, -birth - 5_800).astype(int)
    retired = rng.random(rows) < np.where(-birth > 20_000, 0.62, 0.045)
    employed = np.where(retired, 365_243, -since)
    return pl.DataFrame(dict(zip(COLUMNS, (income, credit, birth, employed), strict=True)))


def read(path: str) -> pl.DataFrame:
    """Read the loans."""
    table = ka.read_table(path)
    missing = [name for name in COLUMNS if name not in table.columns]
    if missing:
        sys.exit(f"{path} has no column {', '.join(missing)}; it has {', '.join(table.columns)}")
    return table


def numbered(table: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of the story, with numbers for loans that have none."""
    if IDENTIFIER not in table.columns:
        table = table.with_row_index(IDENTIFIER, offset=100_000)
    return table.select(IDENTIFIER, *COLUMNS)


def heading(last: str = "") -> str:
    """Return the head of a Markdown table of results."""
    names = ["", "k", "classes", "unique", "income", "credit", "birth", "employed", "mean", "lost"]
    names += ["s", *([last] if last else [])]
    return f"| {' | '.join(names)} |\n|---|{'--:|' * 10}{'---|' if last else ''}"


def line(name: str, one: Result, last: str | None = None) -> str:
    """Return a result as a row below `heading`."""
    numbers = [one.k, one.classes, one.uniques, *(one.rmse[name] for name in COLUMNS), one.mean]
    cells = [name, *(f"{number:,.0f}" for number in numbers), f"{one.lost:.1%}"]
    cells += [f"{one.seconds:.1f}", *([] if last is None else [last])]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Tell the story of a file of loans."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("loans", metavar="LOANS.csv", nargs="?")
    given = parser.parse_args().loans
    loans = numbered(read(given) if given else generated())
    found = workshop(loans)
    print(f"{len(loans):,} loans: k is {found.k_identified} with {IDENTIFIER}, {found.k} without")
    print(f"\nThe workshop\n\n{heading()}")
    for number, one in enumerate(found.results, start=1):
        print(line(f"{number}  {one.way}", one))

    print("\nThe classes of 1, and the loans that are alone (rows count from 0)")
    for values in found.classes.iter_rows(named=True):
        print("".join(f"{values[name]:>14,.0f}" for name in [*COLUMNS, "count"]))
    for values in found.outliers.iter_rows(named=True):
        told = ", ".join(f"{name} {values[name]:,.10g}" for name in COLUMNS)
        print(f"row {values['row']}: {told}")

    print(f"\nThe exercise\n\n{heading('beats')}")
    for one in exercise(loans, found):
        beaten = {number: one.beats(other) for number, other in enumerate(found.results, start=1)}
        told = ", ".join(f"{number} {how}" for number, how in beaten.items() if how)
        print(line(one.way, one, told))
    print(
        "\nlost: share of its variance that a column lost, mean of the columns. "
        "raw: distances are not standardized."
        "\nbeats: of the same loans, k is higher, and the RMSE of every column is lower;"
        "\n       or on average: both the mean RMSE and what was lost are lower."
    )


if __name__ == "__main__":
    main()
