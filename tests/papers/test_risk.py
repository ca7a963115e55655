"""Risk on real tables, as sdcMicro 5.8.1 and ARX report it."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kanonym.evaluation.risk import measure_risk

PATH = Path(__file__).resolve().parents[3] / "shared" / "golden" / "risk.csv"
UNITED_STATES = 317_238_626
MEASURES = {
    "expected_reidentifications (Benedetti-Franconi)": "individual_expected",
    "global_risk": "individual_average",
    "household expected_reidentifications": "household_expected",
    "expected_reidentifications (1/f)": "prosecutor_expected",
}


def codes(table, names):
    """Return a code for each row, the same for equal rows of some columns."""
    found = table.select(pl.struct(names).rank("dense") - 1).to_series()
    return found.to_numpy().astype(np.int32)


def rows():
    """Return the rows of the file, none where it is absent."""
    if not PATH.is_file():
        return [pytest.param(None, marks=pytest.mark.skip("needs ../shared beside the checkout"))]
    with PATH.open(encoding="utf-8", newline="") as file:
        return [pytest.param(row, id=row["measure"]) for row in csv.DictReader(file)]


@pytest.mark.parametrize("row", rows())
def test_sdcmicro_agrees(row, shared_data):
    """Expected re-identifications, global and household risk agree to 1e-9."""
    table = pl.read_csv(shared_data / row["dataset"])
    labels = codes(table, row["quasi_identifiers"].split("|"))
    given = {}
    if row["weight"]:
        given["weights"] = table[row["weight"]].cast(pl.Float64).to_numpy()
    if row["household"]:
        given["households"] = codes(table, [row["household"]])
    found = measure_risk(labels, int(labels.max()) + 1, **given).to_dict()
    assert found[MEASURES[row["measure"]]]["value"] == pytest.approx(float(row["value"]), rel=1e-9)


@pytest.fixture(scope="module")
def adult(shared_data):
    """Return the risk of Adult's nine attributes."""
    table = pl.read_csv(shared_data / "adult" / "adult.csv", separator=";")
    labels = codes(table, table.columns)
    return measure_risk(labels, int(labels.max()) + 1, population=UNITED_STATES, threshold=0.05)


def test_arx_agrees_on_adult(adult):
    """Average prosecutor risk, uniques and the records above 0.05 are ARX's."""
    assert adult.prosecutor.average == pytest.approx(0.6465751607983555, rel=1e-12)
    assert adult.uniques == 15_512
    assert round(adult.prosecutor.share_at_risk, 4) == 0.9709
    assert adult.marketer == adult.journalist.average == adult.prosecutor.average


def test_pitmans_model_is_chosen_for_adult(adult):
    """A sample of one in ten thousand is below the tenth up to which Dankar's rule takes it."""
    assert adult.population.chosen == "pitman"
    assert adult.population.estimates["dankar"] == adult.population.estimates["pitman"]
