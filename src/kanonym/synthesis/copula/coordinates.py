"""The coordinates of the copula: for each column its value, and whether it has one; and gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr
from kanonym.evaluation.risk.dependence import positive_definite
from kanonym.synthesis.copula.axes import bin_axis
from kanonym.synthesis.copula.correlation import fit_correlation
from kanonym.synthesis.copula.nominal import Attribute, order_nominal
from kanonym.synthesis.copula.scales import Codes, Scale

Floats = NDArray[np.float64]


class Axis(NamedTuple):
    """What a coordinate is about."""

    kind: Literal["value", "presence", "gap"]
    of: int


class _Read(NamedTuple):
    """An axis, the (n,) int32 place of each record on it, and the (m + 1,) shares below."""

    axis: Axis
    codes: Codes
    cumulative: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Coordinates(ShortRepr):
    """The axes of the copula and how they hang together.

    correlation: (d, d) float64, each pair as it was found: together they may contradict each other.
    """

    axes: Mapping[Axis, int]
    correlation: Floats

    def among(self, chosen: Sequence[Axis]) -> Floats:
        """Return the correlations of some axes, made positive definite."""
        places = [self.axes[axis] for axis in chosen]
        if not places:
            return np.empty((0, 0))
        return positive_definite(self.correlation[np.ix_(places, places)])


def coordinates_of(
    columns: Sequence[tuple[Scale, Codes]], gaps: Sequence[tuple[Scale, Codes]]
) -> tuple[list[Scale], Coordinates]:
    """Return the scales of the columns, nominal values ordered, and the coordinates.

    columns, gaps: A scale, and the (n,) int32 place of each record on it, -1 for none, of each
    column and of each constraint.
    """
    read = _axes(columns, gaps)
    scales = [scale for scale, _ in columns]
    nominal = [one.axis.kind == "value" and scales[one.axis.of].is_nominal for one in read]
    chance = [0.0] * len(read)
    for at, found in order_nominal(
        [_attribute(one, is_nominal=named) for one, named in zip(read, nominal, strict=True)]
    ).items():
        axis, codes, _ = read[at]
        scales[axis.of] = scales[axis.of].reorder(found.order)
        place = np.full(len(found.order) + 1, -1, np.int32)
        place[found.order] = np.arange(len(found.order), dtype=np.int32)
        read[at] = _Read(axis, place[codes], scales[axis.of].cumulative)
        chance[at] = found.chance
    bins = [
        bin_axis(one.codes, one.cumulative, is_nominal=named)
        for one, named in zip(read, nominal, strict=True)
    ]
    correlation = fit_correlation(bins, chance)
    return scales, Coordinates({one.axis: at for at, one in enumerate(read)}, correlation)


def _axes(
    columns: Sequence[tuple[Scale, Codes]], gaps: Sequence[tuple[Scale, Codes]]
) -> list[_Read]:
    read = []
    for at, (scale, codes) in enumerate(columns):
        if scale.n_null and len(scale.values):
            missing = (codes < 0).astype(np.int32)
            read.append(_Read(Axis("presence", at), missing, np.array([0, scale.present, 1.0])))
        if len(scale.values) > 1:
            read.append(_Read(Axis("value", at), codes, scale.cumulative))
    for at, (scale, codes) in enumerate(gaps):
        if len(scale.values) > 1:
            read.append(_Read(Axis("gap", at), codes, scale.cumulative))
    return read


def _attribute(read: _Read, *, is_nominal: bool) -> Attribute:
    if is_nominal:
        m = len(read.cumulative) - 1
        codes = np.where(read.codes < 0, m, read.codes).astype(np.int64)
        return Attribute(codes, np.diff(read.cumulative), is_nominal)
    bins = bin_axis(read.codes, read.cumulative)
    return Attribute(bins.codes, np.diff(bins.lines), is_nominal)
