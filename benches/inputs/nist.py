"""national2019, the table of NIST's Collaborative Research Cycle, and the scores of its releases.

Formulas as in SDNist 2.5; what is of use for any table is a measure or an attack of the library,
the rest is here.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import kendalltau
from sklearn.tree import DecisionTreeClassifier

from kanonym.evaluation.attacks.base import AttackContext
from kanonym.evaluation.attacks.classes.homogeneity import find_disclosed
from kanonym.evaluation.attacks.linking.exact_matches import ApparentMatches, UniqueExactMatches
from kanonym.evaluation.attacks.matching.lookup import person_values, record_values
from kanonym.evaluation.pair.reading import read_pair
from kanonym.evaluation.pair.tables import TablePair
from kanonym.evaluation.utility.cells import NumericCells
from kanonym.evaluation.utility.k_marginal import k_marginal, k_marginal_by, marginal_cells

SHARED = Path(__file__).parents[3] / "shared"
TABLE = SHARED / "data" / "nist" / "national2019.csv"
PUBLISHED = SHARED / "golden" / "nist.csv"

NUMBERS = ("AGEP", "PINCP", "POVPIP", "PWGTP", "WGTP")
"""Columns that NIST bins."""

ORDERED = {
    "EDU": range(1, 13),
    "PINCP_DECILE": range(10),
    "DVET": range(1, 7),
    "NOC": range(21),
    "NPF": range(21),
}
"""Codes and counts that have an order, below which stands `N`."""

UNCORRELATED = ("PINCP", "POVPIP", "INDP", "PWGTP", "WGTP")
MATCHED = ("SEX", "MSP", "RAC1P", "OWN_RENT", "EDU", "PUMA", "INDP_CAT", "HISP")
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


class Scores(NamedTuple):
    """What NIST's program says of a release."""

    k_marginal: float
    lowest: float | None
    sample: float | None
    records: int
    unique_exact: float
    apparent: int
    pmse: float
    slope: float
    intercept: float
    pearson: float
    kendall: float | None
    disco: float | None
    inconsistent: int


def national() -> pl.DataFrame:
    """Return the table as text, `N` where a question does not apply."""
    return pl.read_csv(TABLE, infer_schema=False)


def feature_sets(table: pl.DataFrame) -> dict[str, list[str]]:
    """Return the columns of each published set."""
    return {
        "demographic-focused": list(DEMOGRAPHIC),
        "custom-features-21": [name for name in table.columns if name not in WEIGHTS],
        "all-features": table.columns,
    }


def typed(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with the order that its codes have: `N` is the lowest, no null."""
    columns = []
    for column in table.get_columns():
        name = column.name
        if name in ORDERED:
            column = column.cast(pl.Enum(["N", *map(str, ORDERED[name])]))  # noqa: PLW2901
        elif name in (*NUMBERS, "DENSITY"):
            lowest = "-9001" if name == "PINCP" else "-1"
            column = column.replace("N", lowest).cast(pl.Float64)  # noqa: PLW2901
            column = column if name == "DENSITY" else column.cast(pl.Int64)  # noqa: PLW2901
        columns.append(column)
    return pl.DataFrame(columns)


def as_codes(release: pl.DataFrame) -> pl.DataFrame:
    """Return a release of `typed` as text again."""
    lowest = {name: "-9001" if name == "PINCP" else "-1" for name in NUMBERS}
    return release.select(
        pl.col(name).cast(pl.String).replace(lowest.get(name, "N"), "N") for name in release.columns
    )


def scores(target: pl.DataFrame, release: pl.DataFrame, *, full: bool = True) -> Scores:
    """Score a release, as text, of the same columns as its target.

    full: also what takes seconds, Kendall's correlations and DiSCO.
    """
    names = target.columns
    pair = read_pair(
        *({one.name: one for one in _prepared(table)} for table in (target, release)),
        [name for name in MATCHED if name in names],
        {},
        aligned=False,
    )
    random = np.random.default_rng(0)
    wide = "PUMA" in names
    score = k_marginal_by(pair, random, "PUMA") if wide else k_marginal(pair, random)
    scene = AttackContext(pair, None, ())
    before, after = _codes(target), _codes(release)
    correlated = [name for name in names if name not in UNCORRELATED]
    slope, intercept = _regression(after)
    return Scores(
        k_marginal=float(score.value or 0.0),
        lowest=score.parts.get("lowest"),
        sample=score.parts.get("as good as a sample of"),
        records=len(release),
        unique_exact=100 * UniqueExactMatches().run(scene, random).targets.rate,
        apparent=int(ApparentMatches().run(scene, random).targets.successes),
        pmse=_propensity_error(before, after),
        slope=slope,
        intercept=intercept,
        pearson=_correlation_difference(before, after, correlated, "pearson"),
        kendall=_correlation_difference(before, after, correlated, "kendall") if full else None,
        disco=_disco(pair) if full else None,
        inconsistent=int(_inconsistent(after).sum()),
    )


def _prepared(table: pl.DataFrame) -> list[pl.Series]:
    """Return columns as NIST's program bins them: numbers with null for `N`, bins of densities."""
    bins = [0, 150, *np.logspace(1, np.log10(53364.7), 21)[-13:]]
    columns = []
    for column in table.get_columns():
        if column.name in NUMBERS:
            columns.append(column.replace("N", None).cast(pl.Float64))
        elif column.name == "DENSITY":
            places = np.searchsorted(bins, column.cast(pl.Float64))
            columns.append(pl.Series(column.name, places.astype(str)))
        else:
            columns.append(column)
    return columns


def _codes(table: pl.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Return every column as numbers: `N` is one below the least value."""
    found = {}
    for column in _prepared(table):
        text = column.cast(pl.String)
        if column.name == "PUMA":
            text = text.rank("dense").cast(pl.String)
        lowest = "-9001" if column.name == "PINCP" else "-1"
        found[column.name] = text.fill_null("N").replace("N", lowest).cast(pl.Float64).to_numpy()
    return found


def _propensity_error(
    before: dict[str, NDArray[np.float64]], after: dict[str, NDArray[np.float64]]
) -> float:
    """Return pMSE by a classification tree of depth 6, in its own training data."""
    first, second = (np.column_stack(list(one.values())) for one in (before, after))
    released = np.repeat([0, 1], [len(first), len(second)])
    both = np.concatenate([first, second])
    tree = DecisionTreeClassifier(max_depth=6, random_state=0).fit(both, released)
    return float(np.mean((tree.predict_proba(both)[:, 1] - released.mean()) ** 2))


def _regression(codes: dict[str, NDArray[np.float64]]) -> tuple[float, float]:
    """Return slope and intercept of income decile on education, of those who have both."""
    x, y = codes["EDU"], codes["PINCP_DECILE"]
    held = (x >= 0) & (y >= 0)
    slope, intercept = np.polyfit(x[held], y[held], 1)
    return float(slope), float(intercept)


def _correlation_difference(
    before: dict[str, NDArray[np.float64]],
    after: dict[str, NDArray[np.float64]],
    names: list[str],
    kind: str,
) -> float:
    """Return the mean absolute difference of correlations over pairs of columns."""

    def correlation(codes: dict[str, NDArray[np.float64]], a: str, b: str) -> float:
        if not (np.ptp(codes[a]) and np.ptp(codes[b])):
            return 0.0
        if kind == "kendall":
            return float(kendalltau(codes[a], codes[b]).statistic)
        return float(np.corrcoef(codes[a], codes[b])[0, 1])

    pairs = combinations(names, 2)
    return float(np.mean([abs(correlation(after, *p) - correlation(before, *p)) for p in pairs]))


def _disco(pair: TablePair) -> float:
    """Return DiSCO, mean over each two known columns beside race and sex, and each other."""
    names = [column.name for column in pair.columns]
    cells = map(marginal_cells, pair.columns)
    limits = {one.name: one.borders for one in cells if isinstance(one, NumericCells)}
    persons, records = (values(pair, names, limits) for values in (person_values, record_values))
    free = [name for name in names if name not in ("RAC1P", "SEX")]
    found = [
        int(find_disclosed(persons[asked], records[asked], secret).sum())
        for known in combinations(free, 2)
        for secret in free
        if secret not in known
        for asked in [["RAC1P", "SEX", *known, secret]]
    ]
    return float(np.mean(found)) / len(persons)


def _inconsistent(codes: dict[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Return which records cannot be, by age and by housing."""

    def absent(name: str) -> NDArray[np.bool_]:
        return codes[name] == (-9001 if name == "PINCP" else -1)

    age = codes["AGEP"]
    wrong = (age < 15) & (codes["EDU"] == 12)
    wrong |= (age < 5) & (codes["EDU"] >= 5)
    wrong |= (age < 3) & ~absent("EDU")
    for least, names in (
        (15, ("MSP", "PINCP", "PINCP_DECILE", "DVET", "INDP", "INDP_CAT")),
        (5, ("DPHY", "DREM")),
    ):
        for name in names:
            if name in codes:
                wrong |= (age < least) & ~absent(name)
    for name in ("MSP", "PINCP", "PINCP_DECILE", "EDU", "DPHY", "DREM"):
        if name in codes:
            wrong |= (age > 15) & absent(name)
    shared = codes["HOUSING_TYPE"] >= 2
    wrong |= shared & (codes["OWN_RENT"] > 0)
    wrong |= ~shared & (codes["OWN_RENT"] == 0)
    if "NOC" in codes:
        wrong |= shared & ~(absent("NOC") & absent("NPF"))
        wrong |= ~shared & absent("NOC")
        wrong |= ~absent("NPF") & (codes["NOC"] >= codes["NPF"])
    return wrong
