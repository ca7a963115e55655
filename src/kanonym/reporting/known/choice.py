"""The node that a search of the lattice chose, and the price of one level more or less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kanonym.algorithms.full_domain import evaluate_nodes
from kanonym.language import ENGLISH
from kanonym.reporting import wording
from kanonym.reporting.rounding import rounded

if TYPE_CHECKING:
    from kanonym.release import Release

PROOF = (
    *("metric", "score", "lattice_size", "nodes_checked"),
    *("optimal", "interrupted", "gap", "lower_bound"),
)
"""What an account says about the search itself."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The node beside the chosen one: another level of one attribute.

    Attributes
    ----------
    attribute, level
        What differs.
    score
        What it loses; where it does not satisfy, with all that fails suppressed.
    suppressed, classes
        Its suppressed records and its classes.
    satisfied
        Whether it satisfies the policy.

    """

    attribute: str
    level: int
    score: float
    suppressed: int
    classes: int
    satisfied: bool


@dataclass(frozen=True, slots=True)
class Price:
    """One attribute of the chosen node, and what a level less or more would cost.

    Attributes
    ----------
    attribute
        Its name.
    level, highest
        The chosen level, and that of the root.
    example
        The released label that most records have; None for null, or without a record.
    finer, coarser
        The nodes one level below and above; None where there is no such level.

    """

    attribute: str
    level: int
    highest: int
    example: str | None
    finer: Neighbour | None
    coarser: Neighbour | None


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen node among its neighbours.

    Attributes
    ----------
    metric, score
        What was minimized, and the least of it that was found.
    account
        What the search tells of itself: its proof, or how far it came.
    sentences
        The same for readers without statistics.
    suppressed, classes
        Of the chosen node.
    prices
        One `Price` a quasi-identifier.

    """

    metric: str
    score: float
    account: dict[str, Any]
    sentences: tuple[str, ...]
    suppressed: int
    classes: int
    prices: tuple[Price, ...]


def coarse_choice(choice: Choice, base: int, sentences: tuple[str, ...]) -> Choice:
    """Return a choice for publication: suppressed records of its neighbours are rounded.

    Neighbours differ from the chosen node by few records.
    """

    def coarse(node: Neighbour | None) -> Neighbour | None:
        return node and replace(node, suppressed=rounded(node.suppressed, base))

    prices = tuple(
        replace(price, finer=coarse(price.finer), coarser=coarse(price.coarser))
        for price in choice.prices
    )
    return replace(choice, sentences=sentences, prices=prices)


def choice_of(
    *,
    account: Mapping[str, Any],
    highest: Mapping[str, int],
    examples: Mapping[str, str | None],
    neighbours: Sequence[Neighbour],
    suppressed: int,
    classes: int,
) -> Choice:
    """Gather what is to say about the chosen node.

    Parameters
    ----------
    account
        What the search tells: `levels`, `score`, `metric`, `optimal`, `lattice_size`.
    highest
        The level of the root of each quasi-identifier.
    examples
        The most frequent released label of each.
    neighbours
        The nodes that differ in one level of one attribute.
    suppressed, classes
        Of the chosen node.

    """
    beside = {(one.attribute, one.level): one for one in neighbours}
    return Choice(
        metric=account["metric"],
        score=account["score"],
        account={key: account[key] for key in PROOF if key in account},
        sentences=wording.search(ENGLISH, account),
        suppressed=suppressed,
        classes=classes,
        prices=tuple(
            Price(
                attribute=name,
                level=level,
                highest=highest[name],
                example=examples[name],
                finer=beside.get((name, level - 1)),
                coarser=beside.get((name, level + 1)),
            )
            for name, level in account["levels"].items()
        ),
    )


def choice_of_release(release: Release) -> Choice | None:
    """Return the chosen node among its neighbours, where the lattice was searched for one."""
    account, search = release.decision.account, release.policy.algorithm.lattice
    if search is None or "levels" not in account:
        return None
    levels, highest = account["levels"], release.highest_levels
    lowest = account.get("premerged", {}).get("levels", {})  # lower ones cannot be counted
    beside = [
        (name, level + step)
        for name, level in levels.items()
        for step in (-1, 1)
        if lowest.get(name, 0) <= level + step <= highest[name]
    ]
    nodes = evaluate_nodes(
        replace(search, levels={}),
        release.decision.table,
        release.policy.models,
        release.policy.suppression_limit,
        [tuple({**levels, name: level}.values()) for name, level in beside],
    )
    return choice_of(
        account=account,
        highest=highest,
        examples=release.examples,
        neighbours=[
            Neighbour(name, level, node.score, node.suppressed, node.classes, node.satisfied)
            for (name, level), node in zip(beside, nodes, strict=True)
        ],
        suppressed=release.suppressed,
        classes=release.verification.n_classes,
    )
