"""The choice of a release: comparison and frontier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.full_domain import evaluate_nodes
from kanonym.language import ENGLISH, Translator
from kanonym.release.account import published_account
from kanonym.reporting import account_wording, wording
from kanonym.reporting.document import round_count

if TYPE_CHECKING:
    from kanonym.comparison import Comparison
    from kanonym.release import Release


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


@dataclass(frozen=True, slots=True)
class Run:
    """One release that was tried."""

    label: str
    private: float
    useful: float
    suppressed: int
    frontier: bool
    knee: bool


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What was compared."""

    privacy: str
    measure: str
    runs: tuple[Run, ...]
    refused: int
    reason: str

    @property
    def frontier(self) -> list[Run]:
        """Those that nothing beats, in the order of privacy's value."""
        return sorted((run for run in self.runs if run.frontier), key=lambda one: one.private)


def alternatives_of(
    comparison: Comparison | None, base: int = 1, says: Translator = ENGLISH
) -> Alternatives | None:
    """Take over a comparison; None where there is none.

    Numbers of suppressed records are rounded to multiples of `base`: runs differ by few records.
    """
    if comparison is None:
        return None
    best = {id(one) for one in comparison.frontier}
    runs = []
    for trial in comparison.trials:
        private = trial.k if comparison.privacy == "k" else trial.average_risk
        useful = trial.utility.get(comparison.measure)
        if trial.has_release and private and useful is not None:
            runs.append(
                Run(
                    label=trial.label,
                    private=float(private),
                    useful=useful,
                    suppressed=round_count(trial.suppressed or 0, base),
                    frontier=id(trial) in best,
                    knee=trial is comparison.knee,
                )
            )
    refused = sum(not one.has_release for one in comparison.trials)
    return Alternatives(
        comparison.privacy, comparison.measure, tuple(runs), refused, comparison.reason_in(says)
    )


PROOF = (
    *("metric", "score", "lattice_size", "nodes_checked"),
    *("optimal", "interrupted", "gap", "lower_bound"),
)
"""What an account says about the search itself."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The node beside the chosen one: another level of one attribute."""

    attribute: str
    level: int
    score: float
    suppressed: int
    classes: int
    satisfied: bool


@dataclass(frozen=True, slots=True)
class Price:
    """One attribute of the chosen node, and what a level less or more would cost."""

    attribute: str
    level: int
    highest: int
    example: str | None
    finer: Neighbour | None
    coarser: Neighbour | None


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen node among its neighbours."""

    metric: str
    score: float
    account: Mapping[str, Any]
    sentences: tuple[str, ...]
    suppressed: int
    classes: int
    prices: tuple[Price, ...]


def choice_of(release: Release, base: int = 1, says: Translator = ENGLISH) -> Choice | None:
    """Return the chosen node among its neighbours, where the lattice was searched for one.

    All of them are asked about the released records alone. Neighbours differ from the chosen node
    by few records: their numbers of suppressed records are rounded to multiples of `base`.
    """
    account = published_account(release)
    search = release.policy.algorithm.lattice
    if search is None or "highest_levels" not in account or "drawn" in account:
        return None  # under differential privacy none is better or worse by the metric
    levels, highest = account["levels"], account["highest_levels"]
    lowest = account.get("premerged", {}).get("levels", {})  # lower ones cannot be counted
    beside = [
        (name, level + step)
        for name, level in levels.items()
        for step in (-1, 1)
        if lowest.get(name, 0) <= level + step <= highest[name]
    ]
    table, gone = release.decision.encoded().released.table, release.suppressed
    left = release.policy.suppression_limit * release.rows_in - gone
    chosen, *nodes = evaluate_nodes(
        replace(search, levels={}),
        table,
        release.policy.models,
        min(max(left, 0) / max(table.n_rows, 1), 1),
        [
            tuple(levels.values()),
            *(tuple({**levels, name: level}.values()) for name, level in beside),
        ],
    )
    account["score"] = chosen.score
    neighbours = {
        (name, level): Neighbour(
            name,
            level,
            node.score,
            round_count(gone + node.suppressed, base),
            node.classes,
            node.satisfied,
        )
        for (name, level), node in zip(beside, nodes, strict=True)
    }
    return Choice(
        metric=account["metric"],
        score=chosen.score,
        account={key: account[key] for key in PROOF if key in account},
        sentences=account_wording.search_text(says, account),
        suppressed=release.suppressed,
        classes=release.verification.n_classes,
        prices=tuple(
            Price(
                attribute=name,
                level=level,
                highest=highest[name],
                example=release.examples[name],
                finer=neighbours.get((name, level - 1)),
                coarser=neighbours.get((name, level + 1)),
            )
            for name, level in levels.items()
        ),
    )
