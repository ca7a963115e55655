"""An assessment as the report takes it, with units and evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kanonym.data.errors import gettext as _
from kanonym.evaluation.risk.presets import PRESETS
from kanonym.metrics.measured_value import MeasuredValue
from kanonym.reporting.document import FINEST, round_amount, round_share

if TYPE_CHECKING:
    from kanonym.evaluation.risk.table_risk import Risk
    from kanonym.evaluation.utility.table_utility import Utility


WHO = {
    "prosecutor": "records",
    "journalist": "records",
    "person": "persons",
    "individual": "records",
    "household": "records",
}
_OF_WHO = {
    "highest": "probability",
    "average": "probability",
    "expected": "{}",
    "at_risk": "share-of-{}",
    "number_at_risk": "{}",
}

MEASURES: Mapping[str, str] = {
    **{
        f"{who}_{key}": unit.format(counted)
        for who, counted in WHO.items()
        for key, unit in _OF_WHO.items()
    },
    "k": "records",
    "k_wildcard": "records",
    "suppressed": "records",
    "k_unsuppressed": "records",
    "anonymity_set": "records-per-class",
    "alpha": "share-of-class",
    "l_distinct": "values",
    "l_entropy": "effective-values",
    "t_equal": "share-of-records",
    "t_ordered": "share-of-order",
    "t_hierarchical": "share-of-height",
    "basic_beta": "relative-gain",
    "enhanced_beta": "relative-gain",
    "delta_disclosure": "logarithm",
    "average_risk": "probability",
    "marketer": "share-of-records",
    "known_items_highest": "probability",
    "uniques": "records",
    "unique_share": "share-of-records",
    "person_uniques": "persons",
    "population_uniques_pitman": "persons",
    "population_uniques_zayatz": "persons",
    "population_uniques_snb": "persons",
    "population_uniques_dankar": "persons",
    "suda_highest": "score",
    "suda_mean": "score",
    "dis_highest": "probability",
    "span_loss": "share-of-range",
    "gcp": "share-of-range",
    "loss": "share-of-domain",
    "loss_arithmetic": "share-of-domain",
    "average_class_size": "records-per-class",
    "discernibility": "pairs",
    "non_uniform_entropy": "bits",
    "normalized_entropy": "share-of-entropy",
    "precision": "share-of-height",
    "height": "levels",
    "kl_divergence": "bits",
    "ambiguity": "combinations",
    "item_loss": "share-of-domain",
    "item_ncp": "share-of-domain",
    "items_dropped": "share-of-items",
    "item_labels": "labels",
    "frequent_itemsets_lost": "share-of-itemsets",
    "item_pair_error": "relative-error",
    "rmse": "units",
    "mse": "squared-units",
    "sse_sst": "percent-of-variance",
    "il1s": "deviations",
    "eigenvalues": "relative-differences",
    "unchanged_cells": "share-of-cells",
    "total_variation": "share-of-records",
    "hellinger": "share-of-distance",
    "jensen_shannon": "share-of-distance",
    "wasserstein": "share-of-range",
    "pairwise_total_variation": "share-of-records",
    "k_marginal": "points-of-thousand",
    "correlation_difference": "coefficients",
    "cramers_v_difference": "coefficients",
    "correlation_ratio_difference": "coefficients",
    "interval_overlap": "share-of-interval",
    "interval_overlap_regression": "share-of-interval",
    "query_error": "relative-error",
    "pmse": "squared-probability",
    "detection": "area",
    "learning": "share-of-advantage",
    "accuracy": "share-of-predictions",
}
"""The unit of each measure of risk and utility, by its name in the JSON contract."""

UNIT_NAMES: Mapping[str, str] = {
    "records": _("records"),
    "persons": _("individuals"),
    "attempts": _("attempts"),
    "values": _("values"),
    "effective-values": _("equally frequent values"),
    "values-per-person": _("values per person"),
    "records-per-class": _("records per class"),
    "pairs": _("pairs of records"),
    "combinations": _("combinations of values"),
    "levels": _("levels"),
    "bits": _("bits"),
    "score": _("score"),
    "points-of-thousand": _("points of 1,000"),
    "units": _("units of the column"),
    "squared-units": _("squared units of the column"),
    "deviations": _("standard deviations × √2"),
    "logarithm": _("natural logarithm"),
    "probability": _("probability"),
    "squared-probability": _("squared probability, at most 0.25"),
    "area": _("from 0 to 1; 0.5 is chance"),
    "coefficients": _("difference of coefficients"),
    "relative-gain": _("gain / share in the table"),
    "relative-error": _("error / true count"),
    "relative-differences": _("sum of relative differences"),
    "percent-of-variance": _("% of the variance"),
    "share-of-records": _("share of the records"),
    "share-of-persons": _("share of the individuals"),
    "share-of-control": _("share of the control"),
    "share-of-attempts": _("share of the attempts"),
    "share-of-claims": _("share of the claims"),
    "share-of-chance": _("share of what fails by chance"),
    "share-of-cells": _("share of the cells"),
    "share-of-bits": _("share of the bits"),
    "share-of-class": _("share of the class"),
    "share-of-range": _("share of the range"),
    "share-of-order": _("share of the range of ranks"),
    "share-of-items": _("share of the items of all records"),
    "share-of-itemsets": _("share of the frequent itemsets"),
    "labels": _("labels"),
    "share-of-domain": _("share of the domain"),
    "share-of-entropy": _("share of the entropy"),
    "share-of-height": _("share of the hierarchy’s height"),
    "share-of-distance": _("share of the largest distance"),
    "share-of-interval": _("share of the confidence interval"),
    "share-of-advantage": _("share of the original’s advantage"),
    "share-of-predictions": _("share of the predictions, or R²"),
    "share-difference": _("difference of shares"),
}


ASSOCIATIONS = ("correlation_difference", "cramers_v_difference", "correlation_ratio_difference")
OF_THE_RELEASE = (
    *("span_loss", "gcp", "loss", "loss_arithmetic", "precision", "height"),
    *("average_class_size", "discernibility"),
)
"""Measures of utility that only the released labels decide: they are not rounded to persons."""
MOST_COLUMNS = 14
PAIR = " × "


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold that an authority or a book names, and whether the release meets it."""

    title: str
    met: bool | None
    reason: str
    source: str


@dataclass(frozen=True, slots=True)
class Associations:
    """How far associations moved: `(column, column, change)`; `all_columns` is their number."""

    columns: tuple[str, ...]
    pairs: tuple[tuple[str, str, float], ...]
    all_columns: int


@dataclass(frozen=True, slots=True)
class AssessmentFigures:
    """What an assessment measured."""

    risk: Mapping[str, MeasuredValue]
    utility: Mapping[str, MeasuredValue]
    presets: tuple[Threshold, ...]
    suda: tuple[tuple[str, float], ...]
    associations: Associations | None


def assessment_figures(
    risk: Risk | None, utility: Utility | None, step: float = FINEST
) -> AssessmentFigures | None:
    """Take over what was measured of risk and utility; None where neither was.

    Measures of utility compare the release with all records of the original table, suppressed
    ones included. Their shares are rounded to `step`, the others to as many digits.
    """
    if risk is None and utility is None:
        return None
    of_risk = {} if risk is None else risk.entries()
    of_utility = {} if utility is None else utility.entries()
    verdicts = {} if risk is None else risk.assessment.verdicts
    suda = of_risk.get("suda_mean")
    return AssessmentFigures(
        risk=of_risk,
        utility={name: _round_figure(name, value, step) for name, value in of_utility.items()},
        presets=tuple(
            Threshold(PRESETS[name].title, verdict.met, verdict.reason, PRESETS[name].source)
            for name, verdict in verdicts.items()
        ),
        suda=() if suda is None else tuple(suda.parts.items()),
        associations=_associations(of_utility, step),
    )


def is_share(one: MeasuredValue) -> bool:
    """Whether a measure is a share, from 0 to 1."""
    return (one.meaning.low, one.meaning.high) == (0, 1)


def _round_figure(name: str, one: MeasuredValue, step: float) -> MeasuredValue:
    """Round a measure of both tables so that no fewer persons show in it than a class has."""
    own = FINEST if name in OF_THE_RELEASE else step
    if name in OF_THE_RELEASE and not is_share(one):
        return one
    round_to = round_share if is_share(one) else round_amount
    return replace(
        one,
        value=None if one.value is None else round_to(one.value, own),
        parts={part: round_to(value, own) for part, value in one.parts.items()},
    )


def _associations(utility: Mapping[str, MeasuredValue], step: float) -> Associations | None:
    """Join the changes of all pairs of columns, whatever measures them."""
    parts = [utility[name].parts for name in ASSOCIATIONS if name in utility]
    pairs = [
        (names[0], names[1], round_share(change, step))
        for part in parts
        for pair, change in part.items()
        if len(names := pair.split(PAIR)) == 2
    ]
    columns = list(dict.fromkeys(name for a, b, _ in pairs for name in (a, b)))
    if not columns:
        return None
    moved = {name: max(c for a, b, c in pairs if name in (a, b)) for name in columns}
    most = sorted(columns, key=lambda name: -moved[name])[:MOST_COLUMNS]
    shown = [name for name in columns if name in most]
    return Associations(
        tuple(shown),
        tuple((a, b, change) for a, b, change in pairs if a in shown and b in shown),
        len(columns),
    )
