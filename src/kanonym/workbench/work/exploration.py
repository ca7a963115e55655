"""Other solutions: many releases compared, or every node of the lattice."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import kanonym as ka
from kanonym.comparison.frontier import frontier
from kanonym.data.frames import to_polars
from kanonym.language import LANGUAGES
from kanonym.policy import Policy
from kanonym.reporting.wording import relation, symbol
from kanonym.workbench.work.facts import Exploration, Solution

MOST_NODES = 400
"""Of a lattice that a page shows: those of least loss."""
SIZES = (2, 3, 5, 10, 20)


def compare(frame: Any, policy: Policy, step: Callable[[str], None]) -> Exploration:
    """Make releases by several algorithms and class sizes, and measure them."""
    sweep: dict[str, Any] = {"algorithm": ["mondrian", "segmentation", "full-domain"]}
    if any(model.type == "k-anonymity" for model in policy.models):
        sweep["k"] = SIZES
    found = ka.compare(frame, policy, sweep=sweep, progress=step)
    front, knee = found.frontier, found.knee
    solutions = []
    for one in found.trials:
        privacy, loss = found.privacy_of(one), found.utility_of(one)
        if one.policy is None or not math.isfinite(privacy) or not math.isfinite(loss):
            continue
        form = one.policy.to_dict()
        keys = ("models", "algorithm", "recoding", "suppression_limit")
        solutions.append(
            Solution(
                label=one.label,
                privacy=privacy,
                loss=loss,
                suppressed=one.suppressed or 0,
                classes=one.classes or 0,
                satisfied=True,
                front=one in front,
                knee=one is knee,
                parts={key: form.get(key) for key in keys},
            )
        )
    return Exploration(
        "comparison",
        {code: found.axes_in(says) for code, says in LANGUAGES.items()},
        {code: found.reason_in(says) for code, says in LANGUAGES.items()},
        tuple(solutions),
        len(found.trials),
    )


def lattice(frame: Any, policy: Policy, step: Callable[[str], None]) -> Exploration:
    """Evaluate the nodes of the lattice; a page shows those of least loss."""
    policy = policy.model_copy(update={"recoding": None})  # a node releases labels of levels
    nodes = to_polars(ka.lattice(frame, policy, progress=step))
    first = policy.models[0]
    form = {"type": first.type, **first.to_dict()}
    upward = relation(first.type, form) == "≥"
    names = [name.removeprefix("level_") for name in nodes.columns if name.startswith("level_")]
    achieved_at = nodes.columns.index("satisfied") + 1
    shown = nodes.head(MOST_NODES).rows()
    at = {name: place for place, name in enumerate(nodes.columns)}
    privacy = np.array([float(row[achieved_at]) for row in shown])
    loss = np.array([float(row[at["score"]]) for row in shown])
    holds = np.array([bool(row[at["satisfied"]]) for row in shown], np.bool_)
    score = privacy if upward else -privacy
    front = set(frontier(np.where(holds, score, np.nan), loss).tolist())
    solutions = []
    for place, row in enumerate(shown):
        if not math.isfinite(privacy[place]):
            continue
        levels = dict(zip(names, (int(level) for level in row[: len(names)]), strict=True))
        solutions.append(
            Solution(
                label=", ".join(f"{name} {level}" for name, level in levels.items()),
                privacy=float(privacy[place]),
                loss=float(loss[place]),
                suppressed=int(row[at["suppressed"]]),
                classes=int(row[at["classes"]]),
                satisfied=bool(holds[place]),
                front=place in front,
                knee=place == 0 and bool(holds[0]),
                parts={"algorithm": {"type": "full-domain", "levels": levels}, "recoding": None},
            )
        )
    axes = {
        code: (f"{first.type} ({symbol(first.type, form, says)})", says.text("wb.explore.loss"))
        for code, says in LANGUAGES.items()
    }
    return Exploration("lattice", axes, {}, tuple(solutions), nodes.height)
