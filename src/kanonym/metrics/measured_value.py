"""A measured value, what it means, and the names of measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kanonym.data.errors import gettext as _
from kanonym.data.results import ResultTable

MEASURE_NAMES: Mapping[str, str] = {
    "k": _("Records in the smallest class (k)"),
    "k_wildcard": _("The same, if a missing value matches every value"),
    "suppressed": _("Records that are * in every quasi-identifier"),
    "k_unsuppressed": _("Records in the smallest class of the others"),
    "anonymity_set": _("Average class size"),
    "alpha": _("Largest share of one value in a class (α)"),
    "l_distinct": _("Fewest distinct values in a class (l)"),
    "l_entropy": _("Lowest entropy l-diversity of a class"),
    "t_equal": _("Largest distance between a class and the table (t)"),
    "t_ordered": _("The same, with ordered distance"),
    "t_hierarchical": _("The same, with hierarchical distance"),
    "basic_beta": _("Largest gain of a value in a class (β)"),
    "enhanced_beta": _("The same, enhanced"),
    "delta_disclosure": _("Largest log ratio of shares in class and table (δ)"),
    "prosecutor_highest": _("Highest chance of finding a person’s record (prosecutor)"),
    "prosecutor_average": _("Average chance of finding a person’s record (prosecutor)"),
    "prosecutor_expected": _("Expected number of records found (prosecutor)"),
    "prosecutor_at_risk": _("Share of records above the threshold (prosecutor)"),
    "prosecutor_number_at_risk": _("Number of records above the threshold (prosecutor)"),
    "journalist_highest": _("Highest chance of finding a person’s record (journalist)"),
    "journalist_average": _("Average chance of finding a person’s record (journalist)"),
    "journalist_expected": _("Expected number of records found (journalist)"),
    "journalist_at_risk": _("Share of records above the threshold (journalist)"),
    "journalist_number_at_risk": _("Number of records above the threshold (journalist)"),
    "person_highest": _("Highest chance of finding a person’s record (counting people)"),
    "person_average": _("Average chance of finding a person’s record (counting people)"),
    "person_expected": _("Expected number of people found (counting people)"),
    "person_at_risk": _("Share of people above the threshold (counting people)"),
    "person_number_at_risk": _("Number of people above the threshold (counting people)"),
    "individual_highest": _("Highest chance of finding a person’s record (sampling weights)"),
    "individual_average": _("Average chance of finding a person’s record (sampling weights)"),
    "individual_expected": _("Expected number of records found (sampling weights)"),
    "individual_at_risk": _("Share of records above the threshold (sampling weights)"),
    "individual_number_at_risk": _("Number of records above the threshold (sampling weights)"),
    "household_highest": _("Highest chance of finding a person’s record (household)"),
    "household_average": _("Average chance of finding a person’s record (household)"),
    "household_expected": _("Expected number of records found (household)"),
    "household_at_risk": _("Share of records above the threshold (household)"),
    "household_number_at_risk": _("Number of records above the threshold (household)"),
    "average_risk": _("Average chance of finding a record"),
    "marketer": _("Expected share of records found if all are attacked (marketer)"),
    "known_items_highest": _(
        "Highest probability of picking a person’s record, if items are known, too"
    ),
    "uniques": _("Records alone in their class"),
    "unique_share": _("Share of records alone in their class"),
    "person_uniques": _("People alone in a class"),
    "population_uniques_pitman": _("Estimated population uniques (Pitman)"),
    "population_uniques_zayatz": _("Estimated population uniques (Zayatz)"),
    "population_uniques_snb": _("Estimated population uniques (negative binomial)"),
    "population_uniques_dankar": _("Estimated population uniques (Dankar’s rule)"),
    "suda_highest": _("Highest score of a special unique (SUDA)"),
    "suda_mean": _("Mean score of special uniques (SUDA)"),
    "dis_highest": _("Highest chance that a unique match is correct (DIS)"),
    "span_loss": _("Range covered by released values (span loss)"),
    "gcp": _("Certainty penalty (GCP)"),
    "loss": _("Loss, geometric mean"),
    "loss_arithmetic": _("Loss, arithmetic mean"),
    "average_class_size": _("Average class size"),
    "discernibility": _("Discernibility"),
    "non_uniform_entropy": _("Non-uniform entropy"),
    "normalized_entropy": _("Normalized entropy"),
    "precision": _("Height of the hierarchies used (precision)"),
    "height": _("Levels used (height)"),
    "kl_divergence": _("Kullback–Leibler divergence"),
    "ambiguity": _("Ambiguity"),
    "item_loss": _("Items: loss (NCP)"),
    "item_ncp": _("Items: loss as Terrovitis counts it"),
    "items_dropped": _("Items: share that is dropped"),
    "item_labels": _("Items: distinct labels"),
    "frequent_itemsets_lost": _("Items: frequent itemsets that are lost (tKd)"),
    "item_pair_error": _("Items: relative error of pairs"),
    "rmse": _("Error of numbers (RMSE)"),
    "mse": _("Squared error of numbers (MSE)"),
    "sse_sst": _("Squared error relative to variance (SSE/SST)"),
    "il1s": _("Error in standard deviations (IL1s)"),
    "eigenvalues": _("Change of the eigenvalues of the covariance"),
    "unchanged_cells": _("Cells released unchanged"),
    "total_variation": _("Distributions: share of records that would have to change"),
    "hellinger": _("Distributions: Hellinger distance"),
    "jensen_shannon": _("Distributions: Jensen–Shannon distance"),
    "wasserstein": _("Distributions: how far values move (Wasserstein)"),
    "pairwise_total_variation": _("Pairs of columns: share of records that would have to change"),
    "k_marginal": _("Pairs of columns: K-marginal score"),
    "correlation_difference": _("Change of correlations"),
    "cramers_v_difference": _("Change of associations of categories (Cramér’s V)"),
    "correlation_ratio_difference": _("Change of correlation ratios"),
    "interval_overlap": _("Overlap of confidence intervals of means and shares"),
    "interval_overlap_regression": _("Overlap of confidence intervals of slopes"),
    "query_error": _("Relative error of counting queries (median)"),
    "pmse": _("Distinguishability of release and original (pMSE)"),
    "detection": _("Distinguishability of records of release and original (AUC)"),
    "accuracy": _("Accuracy of predictions learned from the release"),
    "learning": _("Quality of predictions learned from the release"),
}

SHORT_NAMES: Mapping[str, str] = {"span_loss": _("span loss"), "gcp": _("GCP")}
"""Names for axes."""

_COLUMN_NAMES = {
    "l_distinct": "l, distinct",
    "l_entropy": "l, entropy",
    "l_recursive_c": "c of recursive (c, l)",
    "t_equal": "t, equal",
    "t_ordered": "t, ordered",
    "t_hierarchical": "t, hierarchical",
    "basic_beta": "β, basic",
    "enhanced_beta": "β, enhanced",
    "delta_disclosure": "δ, natural logarithm",
    "diversity_percent": "distinct values, % of a class",
    "kl_divergence": "KL divergence",
    "alpha": "α, largest share",
    "enhanced_excess": "β, enhanced: excess",
    "k_wildcard": "k, null as wildcard",
    "population_uniques_pitman": "unique persons, Pitman",
    "population_uniques_zayatz": "unique persons, Zayatz",
    "population_uniques_snb": "unique persons, SNB",
    "population_uniques_dankar": "unique persons, Dankar",
    "suda_highest": "SUDA highest",
    "suda_mean": "SUDA mean",
    "dis_highest": "DIS highest",
    "gcp": "GCP",
    "rmse": "RMSE",
    "mse": "MSE",
    "sse_sst": "SSE/SST",
    "il1s": "IL1s",
    "hellinger": "Hellinger",
    "jensen_shannon": "Jensen-Shannon",
    "wasserstein": "Wasserstein",
    "cramers_v_difference": "Cramér's V difference",
    "pmse": "pMSE",
}


def short_name(measure: str) -> str:
    """Return the name of a measure in a column of a table, in English."""
    return _COLUMN_NAMES.get(measure, measure.replace("_", " "))


Better = Literal["lower", "higher"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """How to read the numbers of one measure."""

    name: str
    low: float = 0.0
    high: float = 1.0
    better: Better = "lower"
    unit: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """One measured number."""

    meaning: Meaning
    value: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    reason: str | None = None
    guess: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9; infinite bounds become null."""
        meaning = self.meaning
        return {
            "value": self.value,
            "low": meaning.low if math.isfinite(meaning.low) else None,
            "high": meaning.high if math.isfinite(meaning.high) else None,
            "better": meaning.better,
            "unit": meaning.unit,
            "source": meaning.source,
            **({"parts": dict(self.parts)} if self.parts else {}),
            **({"reason": self.reason} if self.reason else {}),
        }


def measured_table(
    heading: str, entries: Mapping[str, MeasuredValue], lead: str = "", notes: tuple[str, ...] = ()
) -> ResultTable:
    """Return a row for each number, those of its parts below it; or the reason why there is none.

    Parts that are pairs of columns are left out; `to_dict` has them.
    """
    rows = []
    for name, one in entries.items():
        if one.value is None:
            rows.append((name, "–", one.reason or ""))
            continue
        rows.append((name, format_figure(one.value), one.meaning.better))
        rows += [
            (f"  {part}", format_figure(value), "")
            for part, value in one.parts.items()
            if " × " not in part
        ]
    return ResultTable((heading, "value", "better"), rows, frozenset({1}), lead, notes)


def format_figure(value: float) -> str:
    """Return a number with six digits; counts in full."""
    return f"{value:,.0f}" if abs(value) >= 1e6 else f"{value:,.6g}"
