"""An assessment as the report takes it, with units and evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kanonym.evaluation.risk.presets import PRESETS
from kanonym.metrics.measured_value import MeasuredValue
from kanonym.reporting.document import FINEST, round_amount, round_share

if TYPE_CHECKING:
    from kanonym.evaluation.risk.table_risk import Risk
    from kanonym.evaluation.utility.table_utility import Utility


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
