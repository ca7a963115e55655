"""Scores of tables made of national2019, as NIST's own report program gave them."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kanonym.evaluation.attacks.base import AttackContext
from kanonym.evaluation.attacks.classes.homogeneity import find_disclosed
from kanonym.evaluation.attacks.linking.exact_matches import (
    AGREE,
    ApparentMatches,
    UniqueExactMatches,
)
from kanonym.evaluation.attacks.matching.lookup import person_values, record_values
from kanonym.evaluation.pair.reading import read_pair
from kanonym.evaluation.utility.k_marginal import k_marginal, k_marginal_by, marginal_cells

NUMBERS = ("AGEP", "PINCP", "POVPIP", "PWGTP", "WGTP")
KNOWN = ("SEX", "MSP", "RAC1P", "OWN_RENT", "EDU", "PUMA", "INDP_CAT", "HISP")
DEMOGRAPHIC = (
    "AGEP",
    "SEX",
    "MSP",
    "RAC1P",
    "HOUSING_TYPE",
    "OWN_RENT",
    "EDU",
    "PINCP_DECILE",
    "DVET",
    "DEYE",
)
WEIGHTS = ("DENSITY", "PWGTP", "WGTP")
AGE = pl.col("AGEP")
MADE = {
    "records 1 to 10,000": lambda table: table[:10_000],
    "every second record, from the first": lambda table: table[::2],
    "AGEP rounded down to tens": lambda table: table.with_columns(AGE // 10 * 10),
    "SEX moved down by 1 record and EDU by 100 (the last come first)": lambda table: (
        table.with_columns(_moved("SEX", 1), _moved("EDU", 100))
    ),
    "AGEP plus 5, at most 99": lambda table: table.with_columns((AGE + 5).clip(upper_bound=99)),
}
"""How anybody can make the tables, by their names in the golden file."""

GOLDEN = Path(__file__).resolve().parents[2].parent / "shared" / "golden" / "nist_checks.csv"
ROWS = list(csv.DictReader(GOLDEN.read_text("utf-8").splitlines())) if GOLDEN.exists() else []
CASES = [
    pytest.param(row, id=f"{row['feature_set']}: {row['table']}", marks=marks)
    for row in ROWS
    for marks in [() if row["feature_set"] == "demographic-focused" else pytest.mark.nightly]
]


def _moved(name, rows):
    column = pl.col(name)
    return pl.concat([column.tail(rows), column.head(pl.len() - rows)])


@pytest.fixture(scope="module")
def target(shared_data):
    """Return the table as NIST's program prepares it: null is `N`, densities are binned."""
    table = pl.read_csv(shared_data / "nist" / "national2019.csv", infer_schema=False)
    bins = [0, 150, *np.logspace(1, np.log10(53364.7), 21)[-13:]]
    density = np.searchsorted(bins, table["DENSITY"].cast(pl.Float64))
    return table.with_columns(
        *(pl.col(name).replace("N", None).cast(pl.Float64) for name in NUMBERS),
        pl.Series("DENSITY", density.astype(str)),
    )


def pair_of(target, row):
    """Return the pair of a golden row: the target, and the table that is made of it."""
    names = {
        "demographic-focused": DEMOGRAPHIC,
        "custom-features-21": [name for name in target.columns if name not in WEIGHTS],
        "all-features": target.columns,
    }[row["feature_set"]]
    table = target.select(names)
    both = [{one.name: one for one in made} for made in (table, MADE[row["table"]](table))]
    known = [name for name in KNOWN if name in names]
    return read_pair(*both, known, {}, aligned=False)


@pytest.mark.skipif(not ROWS, reason="needs ../shared/golden beside the checkout")
@pytest.mark.parametrize("row", CASES)
def test_scores_are_those_of_nist(target, row):
    """K-marginal, lowest region, unique exact and apparent matches agree in every digit."""
    pair = pair_of(target, row)
    random = np.random.default_rng(0)
    wide = row["worst_puma"] != ""
    found = k_marginal_by(pair, random, "PUMA") if wide else k_marginal(pair, random)
    assert f"{found.value:.4f}" == row["k_marginal"]
    if wide:
        assert found.parts["lowest"] == pytest.approx(float(row["worst_puma"]), abs=5e-5)
    scene = AttackContext(pair, None, ())
    unique = UniqueExactMatches().run(scene, random)
    assert unique.targets.attempts == int(row["unique_target_records"])
    assert unique.targets.successes == int(row["unique_exact_matches"])
    apparent = ApparentMatches().run(scene, random)
    assert apparent.targets.successes == int(row["apparent_matches"])
    similarity = float(row["apparent_match_similarity"])
    assert 100 * apparent.parts[AGREE] == pytest.approx(similarity, abs=5e-5)


@pytest.mark.nightly
@pytest.mark.parametrize("row", [case for case in CASES if case.values[0]["disco_mean"]])
def test_disco_is_that_of_nist(target, row):
    """The mean over all pairs of known columns agrees for the release and for the original."""
    pair = pair_of(target, row)
    names = [column.name for column in pair.columns]
    limits = {"AGEP": marginal_cells(pair.column("AGEP")).borders}
    persons, records = (values(pair, names, limits) for values in (person_values, record_values))
    free = [name for name in names if name not in ("RAC1P", "SEX")]
    shares = [
        [
            int(find_disclosed(persons[asked], table[asked], secret).sum())
            for table in (records, persons)
        ]
        for known in combinations(free, 2)
        for secret in free
        if secret not in known
        for asked in [["RAC1P", "SEX", *known, secret]]
    ]
    means = np.mean(shares, axis=0) / len(persons)
    assert [f"{one:.4f}" for one in means] == [row["disco_mean"], row["dio_mean"]]


@pytest.mark.skipif(not ROWS, reason="needs ../shared/golden beside the checkout")
def test_chance_meets_as_many_unique_records_as_other_people(target):
    """Half of the persons meet 13.6 % of the other half's unique records, as measured there."""
    pair = pair_of(target, ROWS[0])
    found = UniqueExactMatches().run(AttackContext(pair, None, ()), np.random.default_rng(0))
    assert found.baseline.rate == pytest.approx(0.136, abs=0.01)
