"""MDAV's loss on the reference tables of the microaggregation literature, to the printed digits."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import kanonym as ka

PATH = Path(__file__).resolve().parents[3] / "shared" / "golden" / "microaggregation.csv"


def rows():
    """Return the rows of the file, none where it is absent."""
    if not PATH.is_file():
        return [pytest.param(None, marks=pytest.mark.skip("needs ../shared beside the checkout"))]
    with PATH.open(encoding="utf-8", newline="") as file:
        return [
            pytest.param(row, id=f"{row['dataset']}-{row['k']}") for row in csv.DictReader(file)
        ]


@pytest.mark.parametrize("row", rows())
def test_information_loss_of_mdav(row, shared_data):
    """The squared error of the release is the printed share of the table's, in standard units."""
    table = ka.read_table(shared_data / "microaggregation" / f"{row['dataset']}.csv")
    names = table.columns
    if row["columns"] != "all 13":
        names = ["UTILITYID", *names[names.index("RESREVENUE") :]]
    release = ka.anonymize(
        table.select(names),
        quasi_identifiers=names,
        k=int(row["k"]),
        algorithm=ka.MDAV(),
        keep_order=True,
    )
    assert release.verification.satisfied
    lost = 0.0
    for name in names:
        error = ((table[name] - release.frame[name]) ** 2).mean()
        lost += error / table[name].var(ddof=0)
    assert f"{100 * lost / len(names):.6f}" == row["sse_over_sst_percent"]
