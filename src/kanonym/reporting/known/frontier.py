"""The nodes of a lattice by privacy and loss, and those of them that nothing beats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanonym.reporting import wording


@dataclass(frozen=True, slots=True)
class FrontNode:
    """A node on the front: its levels, its privacy, and what it costs."""

    levels: tuple[int, ...]
    achieved: float
    score: float
    suppressed: int
    classes: int


@dataclass(frozen=True, slots=True, eq=False)
class Frontier:
    """Nodes by the privacy that they achieve and what they lose.

    achieved, score: (n_nodes,) float64; nodes without a finite value or without a class are left
    out.
    satisfied: (n_nodes,) bool, whether a node satisfies every model.
    """

    names: tuple[str, ...]
    model: str
    attribute: str | None
    symbol: str
    relation: str
    required: float
    metric: str
    achieved: NDArray[np.float64]
    score: NDArray[np.float64]
    satisfied: NDArray[np.bool_]
    front: tuple[FrontNode, ...]
    n_nodes: int
    n_satisfied: int

    @property
    def least_loss_node(self) -> FrontNode | None:
        """The node of least loss, which a search chooses; None where none satisfies."""
        return self.front[-1] if self.front else None

    @property
    def upward(self) -> bool:
        """Whether larger values of the model are more private."""
        return self.relation == "≥"


def frontier_of(
    *,
    names: Sequence[str],
    model: Mapping[str, Any],
    required: float,
    metric: str,
    levels: NDArray[np.int64],
    achieved: NDArray[np.float64],
    score: NDArray[np.float64],
    suppressed: NDArray[np.int64],
    classes: NDArray[np.int64],
    satisfied: NDArray[np.bool_],
) -> Frontier:
    """Find the nodes that nothing beats.

    achieved, score, suppressed, classes, satisfied: (n_nodes,) each.

    Notes
    -----
    Cost: one sort of the nodes.

    """
    relation = wording.relation(model["type"], model)
    worse = -achieved if relation == "≥" else achieved
    # A node that suppresses all records releases nothing that could be private.
    shown = np.flatnonzero(np.isfinite(achieved) & np.isfinite(score) & (classes > 0))
    able = shown[satisfied[shown]]
    order = able[np.lexsort((suppressed[able], score[able], worse[able]))]
    least = np.minimum.accumulate(score[order]) if len(order) else score[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = least[1:] < least[:-1]
    return Frontier(
        names=tuple(names),
        model=model["type"],
        attribute=model.get("attribute"),
        symbol=wording.symbol(model["type"], model),
        relation=relation,
        required=required,
        metric=metric,
        achieved=achieved[shown],
        score=score[shown],
        satisfied=satisfied[shown],
        front=tuple(
            FrontNode(
                tuple(levels[i].tolist()),
                float(achieved[i]),
                float(score[i]),
                int(suppressed[i]),
                int(classes[i]),
            )
            for i in order[first].tolist()
        ),
        n_nodes=len(score),
        n_satisfied=int(satisfied.sum()),
    )
