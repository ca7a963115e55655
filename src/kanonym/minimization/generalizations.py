"""What was found, in the words of the data: cells, generalizations, hierarchies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.minimization.nodes import Feature, categories_of
from kanonym.algorithms.minimization.search import Minimization
from kanonym.data.hierarchy import Flat, FromMapping, HierarchySource, Intervals
from kanonym.kernels.arrays import Bools, Floats
from kanonym.minimization.encoding import Categories, Encoding, Numbers, OneHot
from kanonym.minimization.model import Records

_CLOSE = 1e-6  # share of the domain that a bound may differ from the tree's threshold


def names_of(encoding: Encoding) -> list[str]:
    """Return the features to minimize, in the order of the search."""
    return [kind.name for kind in encoding.kinds]


def generalizations_of(encoding: Encoding, found: Minimization, names: list[str]) -> dict[str, Any]:
    """Return `ranges`, `categories` and `untouched`, as `Minimizer.generalizations_` says.

    names: all columns of the data.
    """
    inner = found.nodes.above(found.cells)
    ranges: dict[str, list[float]] = {}
    categories: dict[str, list[list[Any]]] = {}
    minimized: set[str] = set()
    for place, (kind, feature) in enumerate(zip(encoding.kinds, encoding.features, strict=True)):
        if place in found.exempted:
            continue
        minimized.update(kind.columns)
        if isinstance(kind, Numbers):
            ranges[kind.name] = thresholds(found, feature, inner).tolist()
        else:
            alone = separable_categories(found, feature, inner)
            both = zip(kind.categories, alone.tolist(), strict=True)
            rest = [one for one, single in both if not single]
            both = zip(kind.categories, alone.tolist(), strict=True)
            categories[kind.name] = [[one] for one, single in both if single]
            if rest:
                categories[kind.name].append(rest)
    exempted = [name for f in found.exempted for name in encoding.kinds[f].columns]
    others = [name for name in names if name not in minimized and name not in exempted]
    return {"ranges": ranges, "categories": categories, "untouched": [*exempted, *others]}


def cells_of(
    encoding: Encoding, found: Minimization, representatives: Records, classes: Any
) -> list[dict[str, Any]]:
    """Return what each cell holds, as `Minimizer.cells_` says."""
    features = encoding.features
    labels = None if classes is None else classes.tolist()
    columns = {
        name: representatives.column(name).to_list()
        for kind in encoding.kinds
        for name in kind.columns
    }
    cells = []
    for place, node in enumerate(found.cells.tolist()):
        cell: dict[str, Any] = {
            "records": int(found.counts[place]),
            "prediction": None if labels is None else labels[found.majority[place]],
            "ranges": {},
            "categories": {},
            "representative": {},
        }
        for f, (kind, feature) in enumerate(zip(encoding.kinds, features, strict=True)):
            if f in found.exempted:
                continue
            if isinstance(kind, Numbers):
                bounds = (float(found.boxes.low[node, f]), float(found.boxes.high[node, f]))
                low, high = (bound if np.isfinite(bound) else None for bound in bounds)
                cell["ranges"][kind.name] = (low, high)
            else:
                left = categories_of(found.nodes, feature, node).tolist()
                both = zip(kind.categories, left, strict=True)
                cell["categories"][kind.name] = [one for one, inside in both if inside]
            cell["representative"] |= {name: columns[name][place] for name in kind.columns}
        cells.append(cell)
    return cells


def hierarchies_of(
    encoding: Encoding, found: Minimization, matrix: Floats
) -> dict[str, HierarchySource]:
    """Return a hierarchy a column, as `Minimizer.hierarchies` says; matrix: the fitted records."""
    levels = [found.nodes.above(cells) for cells in (found.cells, *found.coarser)]
    sources: dict[str, HierarchySource] = {}
    for place, (kind, feature) in enumerate(zip(encoding.kinds, encoding.features, strict=True)):
        if place in found.exempted:
            continue
        if isinstance(kind, Numbers):
            cuts = [thresholds(found, feature, inner) for inner in levels]
            sources[kind.name] = _intervals(kind, cuts, matrix[:, feature.first])
        elif isinstance(kind, Categories):
            alone = [separable_categories(found, feature, inner) for inner in levels]
            sources[kind.name] = _groups(kind, alone)
        elif isinstance(kind, OneHot):
            # A group of categories is no group of one column's values.
            sources |= {name: Flat() for name in kind.columns}
    return sources


def thresholds(found: Minimization, feature: Feature, inner: Bools) -> Floats:
    """Return the numbers, ascending, at which some cell below the inner nodes ends.

    A split between null and the lowest number is none.
    """
    here = inner & (found.nodes.column == feature.first)
    cuts: Floats = np.unique(found.nodes.threshold[here])
    return cuts[cuts >= np.float32(feature.low)]


def separable_categories(found: Minimization, feature: Feature, inner: Bools) -> Bools:
    """Return (n_categories,) bool: the categories that some cell tells from all others.

    A split parts one category from the rest of its node, so those that are never
    split off are in the same cells.
    """
    alone = np.zeros(feature.n_columns, np.bool_)
    columns = found.nodes.column[inner] - feature.first
    alone[columns[(columns >= 0) & (columns < feature.n_columns)]] = True
    return alone


def _intervals(kind: Numbers, cuts: list[Floats], numbers: Floats) -> HierarchySource:
    values = np.unique(numbers)
    single = values.astype(np.float32)  # the tree compares in single precision
    bounds: list[list[float]] = []
    for level in cuts:
        kept = sorted({_bound(kind, cut, values, single) for cut in level.tolist()})
        if kept and (not bounds or kept != bounds[-1]):
            bounds.append(kept)
    return Intervals(bounds=bounds) if bounds else Flat()


def _bound(kind: Numbers, cut: float, values: Floats, single: NDArray[np.float32]) -> float:
    """Return where an interval starts that holds the numbers above a threshold.

    Fitted values fall on the same side as in the tree; of the numbers that part them so
    it is the shortest one near the threshold, for a label that people can read.
    """
    after = int(np.searchsorted(single, cut, side="right"))
    below, above = float(values[after - 1]), float(values[min(after, len(values) - 1)])
    if kind.whole:
        return int(min(max(np.floor(cut), below) + 1, above))
    near = _CLOSE * (kind.high - kind.low)
    for digits in range(1, 18):
        bound = float(f"{cut:.{digits}g}")
        if abs(bound - cut) <= near and below < bound <= above:
            return bound
    return above


def _groups(kind: Categories, levels: list[Bools]) -> HierarchySource:
    labels: dict[Any, list[str]] = {value: [] for value in kind.categories if value is not None}
    texts = {value: _text(value) for value in labels}
    before = None
    for alone in levels:
        singles = dict(zip(kind.categories, alone.tolist(), strict=True))
        rest = [value for value in labels if not singles[value]]
        if len(rest) < 2 or len(rest) == len(labels) or rest == before:
            continue
        before = rest
        merged = "{" + ", ".join(texts[value] for value in rest) + "}"
        for value, above in labels.items():
            above.append(texts[value] if singles[value] else merged)
    return FromMapping(labels) if before else Flat()


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
