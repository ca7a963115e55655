"""ONA's loss on the reference tables of the microaggregation literature."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import kanonym as ka

PATH = Path(__file__).resolve().parents[3] / "shared" / "golden" / "microaggregation.csv"

REACHED = {
    ("CASCrefmicrodata", 3): 4.84,
    ("CASCrefmicrodata", 4): 6.26,
    ("CASCrefmicrodata", 5): 7.54,
    ("CASCrefmicrodata", 10): 11.76,
    ("Tarragona", 3): 14.53,
    ("Tarragona", 4): 17.32,
    ("Tarragona", 5): 20.40,
    ("Tarragona", 10): 30.49,
    ("EIA", 3): 0.353,
    ("EIA", 4): 0.491,
    ("EIA", 5): 0.748,
    ("EIA", 10): 2.03,
}
"""Squared error as percentages of the table's, rounded up; MDAV's stand in the file."""


def rows():
    """Return the rows of the file, none where it is absent."""
    if not PATH.is_file():
        return [pytest.param(None, marks=pytest.mark.skip("needs ../shared beside the checkout"))]
    with PATH.open(encoding="utf-8", newline="") as file:
        return [
            pytest.param(row, id=f"{row['dataset']}-{row['k']}") for row in csv.DictReader(file)
        ]


def lost(row, folder, algorithm):
    """Return the squared error of a release as a percentage of the table's, in standard units."""
    table = ka.read_table(folder / "microaggregation" / f"{row['dataset']}.csv")
    names = table.columns
    if row["columns"] != "all 13":
        names = ["UTILITYID", *names[names.index("RESREVENUE") :]]
    release = ka.anonymize(
        table.select(names),
        quasi_identifiers=names,
        k=int(row["k"]),
        algorithm=algorithm,
        keep_order=True,
    )
    assert release.verification.satisfied
    shares = (
        ((table[name] - release.frame[name]) ** 2).mean() / table[name].var(ddof=0)
        for name in names
    )
    return 100 * sum(shares) / len(names)


@pytest.mark.parametrize("row", rows())
def test_information_loss_of_ona(row, shared_data):
    """It is below MDAV's by a twentieth or more, and no more than what the search reaches."""
    found = lost(row, shared_data, ka.algorithms.ONA())
    assert found < 0.95 * float(row["sse_over_sst_percent"])
    assert found <= REACHED[row["dataset"], int(row["k"])]


@pytest.mark.parametrize("row", rows())
def test_information_loss_of_mona(row, shared_data):
    """Where the table is one block, less effort still loses less than MDAV."""
    assert lost(row, shared_data, ka.algorithms.MONA()) < float(row["sse_over_sst_percent"])
