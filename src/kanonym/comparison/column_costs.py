"""What quasi-identifiers cost each other: the loss of a release of all, and of fewer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanonym.data import frames
from kanonym.data.errors import Message
from kanonym.data.schema import Role
from kanonym.engines.decision import run_task
from kanonym.engines.local import bind_actions, encoded_columns
from kanonym.engines.stopwatch import Stopwatch
from kanonym.pipeline.planning import task_of, with_readings
from kanonym.policy import Policy
from kanonym.profiling import Profile

MANY = 20
"""Of fewer quasi-identifiers nothing is proposed."""
KEPT = (100, 40, 15)
"""Numbers of columns that are tried."""
CELLS = 200_000
"""Cells of the sample: Mondrian looks at every column of every class."""
LEAST_ROWS, MOST_ROWS = 200, 2_000
NAMED = 5


@dataclass(frozen=True, slots=True)
class ColumnCost:
    """What a release of some quasi-identifiers loses; the columns that lose least come first."""

    columns: tuple[str, ...]
    loss: float


def column_costs(
    frame: Any, profile: Profile, k: int = 5, progress: Callable[[str], None] | None = None
) -> tuple[ColumnCost, ...]:
    """Return the span loss of all quasi-identifiers together, and of fewer of them.

    Of the columns those are kept that keep most of their detail in a release of all. Nothing for
    fewer than 20 quasi-identifiers. Errors as of `anonymize`.

    Notes
    -----
    Of Mondrian with k-anonymity on a sample of at most 200,000 cells, always the same: the whole
    table loses less or as much.

    """
    names = tuple(profile.names(Role.QUASI_IDENTIFIER))
    native = frames.to_eager(frame)
    if len(names) < MANY or frames.n_rows(native) < k:
        return ()
    wanted = min(max(CELLS // len(names), LEAST_ROWS, k), MOST_ROWS, frames.n_rows(native))
    rows = np.sort(np.random.default_rng(0).choice(frames.n_rows(native), wanted, replace=False))
    sample = frames.assemble(native, rows, list(names))
    form = Policy.from_text(profile.policy_text(k)).to_dict()["attributes"]
    watch = Stopwatch(progress)
    costs: list[ColumnCost] = []
    for number in (len(names), *(cost for cost in KEPT if cost < len(names))):
        kept = list(costs[0].columns[:number]) if costs else list(names)
        policy = Policy(
            attributes={name: form[name] for name in kept},
            others="insensitive",
            models=[{"type": "k-anonymity", "k": k}],
            recoding="interval",
        )
        policy, _ = with_readings(policy, sample, lenient=True)
        task = task_of(policy, sample)
        column = encoded_columns(sample, policy, bind_actions(sample, task.schema, None))
        decision = run_task(task, column, wanted, watch)
        loss = decision.loss(np.bincount(decision.labels[decision.labels >= 0]))
        lost = {name: cost.loss for name, cost in loss.coverage.items()}
        ranked = sorted(kept, key=lambda name: lost[name])
        costs.append(ColumnCost(tuple(ranked), loss.span_loss))
    return tuple(costs)


def cost_sentences(costs: tuple[ColumnCost, ...]) -> tuple[str, ...]:
    """Say what columns cost, and which could stay; nothing without figures."""
    if not costs:
        return ()
    every, *fewer = costs
    return (
        Message(
            "made coarser together, the {columns} columns lose {loss:.0f} % of their detail",
            columns=len(every.columns),
            loss=100 * every.loss,
        ),
        *(
            Message(
                "with {columns} of them, {loss:.0f} %: {names}",
                columns=len(cost.columns),
                loss=100 * cost.loss,
                names=", ".join(cost.columns[:NAMED])
                + (", …" if len(cost.columns) > NAMED else ""),
            )
            for cost in fewer
        ),
    )
