"""The node that a search of the lattice chose, and the price of one level more or less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kanonym.algorithms.full_domain import evaluate_nodes
from kanonym.language import ENGLISH, Translator
from kanonym.release.account import published_account
from kanonym.reporting import wording
from kanonym.reporting.rounding import round_count

if TYPE_CHECKING:
    from kanonym.release import Release

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
    account = published_account(release.algorithm, release.suppressed)
    search = release.policy.algorithm.lattice
    if search is None or "levels" not in account or "drawn" in account:
        return None  # under differential privacy none is better or worse by the metric
    levels, highest = account["levels"], release.highest_levels
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
        sentences=wording.search_text(says, account),
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
