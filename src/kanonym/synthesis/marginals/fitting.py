"""The model of highest entropy that is nearest to noisy marginals (Private-PGM, by hand).

McKenna, Sheldon, Miklau 2019. The model is p(x) ∝ Π exp(θ_r(x_r)) over measured sets r. Σ
½‖marginal - measurement‖²/σ² is minimised by mirror descent with momentum: θ_r ← θ_r + m_r, m_r ←
k/(k+3)·m_r - step·(marginal - measurement)/σ². A step that lowers the loss is taken, and the next
one is longer; otherwise it is halved and momentum starts anew. It halves the loss that is left
after as many steps without it. All of it is done on noisy numbers, and costs no privacy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Ints
from kanonym.synthesis.marginals.graphical_model import (
    Attributes,
    GraphicalModel,
    JunctionTree,
    SharedSums,
    axes_without,
    build_tree,
    divide,
    spread,
)

LONGER, SHORTER = 1.2, 0.5
LEAST = 1e-100
"""Of a potential that is no structural zero: what is too small for a number could not return."""
FINEST_STEP = 1e-12


@dataclass(slots=True)
class Measurement:
    """All that was measured of one set, combined by precision."""

    values: Floats
    precision: Floats

    def add(self, values: Ints, precision: Floats) -> None:
        """Combine with another measurement of the same set."""
        both = self.precision + precision
        self.values = (self.values * self.precision + values * precision) / both
        self.precision = both


@dataclass(slots=True)
class Potentials:
    """What a fit starts from, and the next one goes on with: θ of each measured set."""

    logs: dict[Attributes, Floats]
    step: float = 1.0


def estimate_total(measured: Mapping[Attributes, Measurement]) -> float:
    """Return the number of records as the noisy sums tell it, at least 1."""
    weights = np.array([1 / (1 / one.precision).sum() for one in measured.values()])
    sums = np.array([one.values.sum() for one in measured.values()])
    return max(1.0, float(weights @ sums / weights.sum()))


def fit_model(
    sizes: Sequence[int],
    measured: Mapping[Attributes, Measurement],
    start: Potentials,
    iterations: int,
    impossible: Mapping[Attributes, Bools],
) -> GraphicalModel:
    """Fit a model to measurements, and leave its potentials in `start`."""
    tree = build_tree([*measured, *impossible], sizes)
    for one, measurement in measured.items():
        start.logs.setdefault(one, np.zeros(measurement.values.shape))
    descent = _Descent(tree, sizes, measured, impossible)
    tables = descent.potentials(start.logs)
    beliefs = calibrate(tree, sizes, tables)
    loss, slopes = descent.loss(beliefs)
    moves = {one: np.zeros_like(slope) for one, slope in slopes.items()}
    run = 0
    for _ in range(iterations):
        kept = run / (run + 3)
        tried_moves = {one: kept * moves[one] - start.step * slope for one, slope in slopes.items()}
        tried = descent.moved(tables, tried_moves)
        tried_beliefs = calibrate(tree, sizes, tried)
        tried_loss, tried_slopes = descent.loss(tried_beliefs)
        if tried_loss < loss:
            tables, beliefs, loss, slopes = tried, tried_beliefs, tried_loss, tried_slopes
            moves, run = tried_moves, run + 1
            for one, move in moves.items():
                start.logs[one] += move
            start.step *= LONGER
        else:
            run = 0
            start.step *= SHORTER
            if start.step < FINEST_STEP:
                break
    start.step = max(start.step, FINEST_STEP)
    return GraphicalModel(tree, beliefs)


class _Descent:
    """The loss of a model, and its slope for each measured set."""

    def __init__(
        self,
        tree: JunctionTree,
        sizes: Sequence[int],
        measured: Mapping[Attributes, Measurement],
        impossible: Mapping[Attributes, Bools],
    ) -> None:
        self._measured = measured
        self._total = estimate_total(measured)
        # The loss as a share of the total: the same step suits tables of any length.
        self._scale = 1 / self._total
        held: list[list[Attributes]] = [[] for _ in tree.cliques]
        for one in measured:
            held[tree.clique_of(one, sizes)].append(one)
        self._held = held
        self._sums = [
            SharedSums(clique, parts, sizes)
            for clique, parts in zip(tree.cliques, held, strict=True)
        ]
        self._possible: dict[int, Bools] = {}
        for one, never in impossible.items():
            place = tree.clique_of(one, sizes)
            possible = ~never.reshape(spread(tree.cliques[place], one, sizes))
            self._possible[place] = self._possible.get(place, np.True_) & possible

    def potentials(self, logs: Mapping[Attributes, Floats]) -> list[Floats]:
        """Return a table of potentials for each clique."""
        return [self._powers(place, logs) for place in range(len(self._held))]

    def moved(self, tables: Sequence[Floats], moves: Mapping[Attributes, Floats]) -> list[Floats]:
        """Return the potentials after a step."""
        return [
            self._bounded(table * self._powers(place, moves), place) if self._held[place] else table
            for place, table in enumerate(tables)
        ]

    def loss(self, beliefs: Sequence[Floats]) -> tuple[float, dict[Attributes, Floats]]:
        """Return the loss, and its slope for the potentials of each measured set."""
        total = 0.0
        slopes = {}
        for held, sums, table in zip(self._held, self._sums, beliefs, strict=True):
            ours = sums.marginals(table)
            for one in held:
                measurement = self._measured[one]
                apart = ours[one] * self._total - measurement.values
                slopes[one] = apart * (measurement.precision * self._scale)
                total += 0.5 * float(np.vdot(apart, slopes[one]))
        return total, slopes

    def _powers(self, place: int, logs: Mapping[Attributes, Floats]) -> Floats:
        """Return exp of the sum of what belongs to a clique, at most 1."""
        together = self._sums[place].spread({one: logs[one] for one in self._held[place]})
        return self._bounded(np.exp(together - together.max()), place)

    def _bounded(self, table: Floats, place: int) -> Floats:
        """Return potentials of at most 1, and 0 exactly where no record can be."""
        bounded: Floats = np.maximum(table / table.max(), LEAST)
        return bounded * self._possible[place] if place in self._possible else bounded


def calibrate(
    tree: JunctionTree, sizes: Sequence[int], potentials: Sequence[Floats]
) -> list[Floats]:
    """Return the distribution of each clique that the product of all potentials has.

    Two passes: sums go up to the root, and come down again.
    """
    beliefs = list(potentials)
    sums: dict[int, Floats] = {}
    for place in range(len(beliefs) - 1, 0, -1):
        parent, separator = tree.parents[place], tree.separators[place]
        message = beliefs[place].sum(axis=axes_without(tree.cliques[place], separator))
        message = np.maximum(message / message.max(), LEAST)
        sums[place] = message
        shape = spread(tree.cliques[parent], separator, sizes)
        product = beliefs[parent] * message.reshape(shape)
        beliefs[parent] = product / product.max()  # else many small factors may become 0
    beliefs[0] = beliefs[0] / beliefs[0].sum()
    for place in range(1, len(beliefs)):
        parent, separator = tree.parents[place], tree.separators[place]
        down = beliefs[parent].sum(axis=axes_without(tree.cliques[parent], separator))
        shape = spread(tree.cliques[place], separator, sizes)
        table = beliefs[place] * divide(down, sums[place]).reshape(shape)
        beliefs[place] = table / table.sum()
    return beliefs
