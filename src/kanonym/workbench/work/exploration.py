"""Other solutions: many releases compared, or every node of the lattice."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np
import polars as pl

import kanonym as ka
from kanonym.comparison.frontier import frontier
from kanonym.comparison.lattice_nodes import full_domain_of
from kanonym.data import frames
from kanonym.data.errors import KanonymError, Progress
from kanonym.data.errors import gettext as _
from kanonym.data.frames import to_polars
from kanonym.data.person_key import columns_of
from kanonym.language import LANGUAGES
from kanonym.pipeline import with_readings
from kanonym.policy import Policy
from kanonym.reporting.wording import relation, symbol
from kanonym.workbench.work.facts import Exploration, QuickRelease, Solution

QUICK_RECORDS = 20_000
"""Records of a quick release."""
MOST_NODES = 400
"""Of a lattice that a page shows: those of least loss."""
SIZES = (1.0, 1.5, 2.0, 3.0, 5.0)
"""Multiples of the smallest class that the policy requires: none is below it."""
SECONDS = 60.0
"""After which what is known is shown."""
VISITED = 10_000_000
"""Records that full-domain groups in a comparison: its nodes are limited by it, not by seconds,
so that a solution that is chosen gives the same release again."""


def compare(frame: Any, policy: Policy, step: Callable[[str], None]) -> Exploration:
    """Make releases by several algorithms and class sizes, and measure them.

    After `SECONDS` no further one is begun: those that are there are compared.
    """
    required = max((getattr(model, "k", 0) for model in policy.models), default=0)
    rows = frames.n_rows(frame)
    larger = [math.ceil(required * one) for one in SIZES]
    steps = max(100, VISITED // max(rows, 1))
    compared: list[Any] = ["mondrian", "segmentation", {"type": "full-domain", "steps": steps}]
    sizes: list[dict[str, list[int]]] = [
        {"k": [k]} for k in dict.fromkeys(larger) if k == required or k <= rows
    ]
    sizes = sizes if required else [{}]
    asked = [(one, size) for size in sizes for one in compared]
    made: list[ka.Comparison] = []
    end = monotonic() + SECONDS
    for done, (algorithm, size) in enumerate(asked):
        if made and monotonic() > end:
            break
        name = algorithm if isinstance(algorithm, str) else algorithm["type"]
        sweep: dict[str, list[Any]] = {"algorithm": [algorithm], **size}
        sentence = f"compare: {done} of {len(asked)} combinations done; next: {name}"
        step(Progress(sentence, done=done, total=len(asked)))
        made.append(ka.compare(frame, policy, sweep=sweep, workers=1))
    trials = tuple(trial for one in made for trial in one.trials)
    comparison = replace(made[0], trials=trials, privacy="k" if required else "average_risk")
    front, knee = comparison.frontier, comparison.knee
    solutions = []
    for one in comparison.trials:
        privacy, loss = comparison.privacy_of(one), comparison.utility_of(one)
        if one.policy is None or not math.isfinite(privacy) or not math.isfinite(loss):
            continue
        form = one.policy.to_dict()
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
                parts={key: form.get(key) for key in ("algorithm", "recoding")},
                size=one.parameters.get("k"),
                achieved=one.achieved,
                losses=one.column_losses,
                shares=one.largest_shares,
                risk=one.average_risk,
            )
        )
    return Exploration(
        "comparison",
        {code: comparison.axes_in(translator) for code, translator in LANGUAGES.items()},
        {code: comparison.reason_in(translator) for code, translator in LANGUAGES.items()},
        tuple(solutions),
        len(trials),
        len(asked) if len(trials) < len(asked) else 0,
    )


def release_sample(frame: Any, policy: Policy) -> QuickRelease:
    """Release some records of a table by Mondrian: what a policy costs, within a moment.

    Persons with several records are drawn with all of them.
    """
    table = frames.to_polars(frame)
    sampled = table.height > QUICK_RECORDS
    if sampled:
        keys = [name for entity in policy.entities for name in columns_of([entity])]
        persons = table.select(keys or pl.int_range(pl.len()).alias("row")).to_struct()
        known = persons.unique()
        share = QUICK_RECORDS / table.height
        drawn = known.sample(max(int(share * len(known)), 1), seed=0)
        table = table.filter(persons.is_in(drawn.implode()))
    quick = policy.model_copy(update={"algorithm": ka.Mondrian()})
    try:
        asked, _notes = with_readings(quick, table, None)
        made = ka.anonymize(table, asked)
    except KanonymError as error:
        return QuickRelease(table.height, sampled, reason=str(error))
    return QuickRelease(table.height, sampled, made.suppressed, made.utility.span_loss)


def lattice(frame: Any, policy: Policy, step: Callable[[str], None]) -> Exploration:
    """Evaluate the nodes of the lattice, within `SECONDS`; a page shows those of least loss."""
    search = full_domain_of(policy.algorithm)
    limited = replace(search, seconds=min(search.seconds or SECONDS, SECONDS))
    # A node releases labels of levels: another recoding has no meaning.
    policy = policy.model_copy(update={"recoding": None, "algorithm": limited})
    whole = 0

    def listen(sentence: str) -> None:
        nonlocal whole
        whole = max(whole, sentence.total if isinstance(sentence, Progress) else 0)
        step(sentence)

    nodes = to_polars(ka.lattice(frame, policy, progress=listen))
    rows, first = frames.n_rows(frame), policy.models[0]
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
                achieved=dict(zip(nodes.columns[achieved_at:], row[achieved_at:], strict=True)),
                risk=row[at["classes"]] / max(rows - row[at["suppressed"]], 1),
            )
        )
    axes = {
        code: (f"{first.type} ({symbol(first.type, form, says)})", says.text(_("loss")))
        for code, says in LANGUAGES.items()
    }
    missing = whole if nodes.height < whole else 0
    return Exploration("lattice", axes, {}, tuple(solutions), nodes.height, missing)
