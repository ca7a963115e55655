"""Looking around before a release: every way to generalize a table, and what each costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.algorithms.base import Algorithm
from kanonym.algorithms.full_domain import FullDomain
from kanonym.data import files, frames
from kanonym.data.columns.rebuild import TableSource
from kanonym.engines.decision import evaluate_nodes_of_task
from kanonym.engines.local import bind_actions, encoded_columns, encoded_table
from kanonym.engines.stopwatch import Stopwatch
from kanonym.pipeline import resolve_policy
from kanonym.pipeline.planning import task_of
from kanonym.policy import Policy, PolicySource
from kanonym.policy.algorithms import parameters_of
from kanonym.policy.keywords import Keywords, takes_keywords


@takes_keywords
def lattice(
    frame: TableSource,
    policy: PolicySource | None = None,
    *,
    chart: str | Path | None = None,
    language: str = "en",
    progress: Callable[[str], None] | None = None,
    **short: Unpack[Keywords],
) -> Any:
    """Evaluate every node of the generalization lattice.

    If the lattice has more than 100,000 nodes, the policy's search is run, and the best 1,000 of
    the satisfying nodes that it finds are returned. If full-domain's `seconds` are not enough for
    all nodes, those that were evaluated by then and the best that the search finds are returned.

    Parameters
    ----------
    frame, policy, progress
        As of `anonymize`. Of an algorithm other than full-domain, what it shares with
        full-domain is taken (metric, levels, weights); else the defaults are.
    chart
        Where to draw the privacy–utility frontier, if anywhere: .html, .svg or .png. The
        privacy is that of the policy's first model.
    language
        Of the chart: `en` or `es`.
    short
        As of `anonymize`.

    Returns
    -------
    frame
        One row a node, of the type of the table that came in; nodes that satisfy the
        policy first, by score. Columns: `level_` and its name for each quasi-identifier,
        `score`, `suppressed` (records) and `classes` (kept), `satisfied`, and a column of
        what is achieved for each model.

    Raises
    ------
    PolicyError, SchemaError, HierarchyError, DataError
        As `anonymize`.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [23, 25, 41, 42], "sex": ["f", "f", "m", "m"]})
    >>> lattice(table, quasi_identifiers=["age", "sex"], k=2)["level_age", "level_sex", "satisfied"]
    shape: (4, 3)
    ┌───────────┬───────────┬───────────┐
    │ level_age ┆ level_sex ┆ satisfied │
    │ ---       ┆ ---       ┆ ---       │
    │ i64       ┆ i64       ┆ bool      │
    ╞═══════════╪═══════════╪═══════════╡
    │ 1         ┆ 0         ┆ true      │
    │ 1         ┆ 1         ┆ true      │
    │ 0         ┆ 0         ┆ false     │
    │ 0         ┆ 1         ┆ false     │
    └───────────┴───────────┴───────────┘

    """
    policy = resolve_policy(policy, **short)
    search = full_domain_of(policy.algorithm)
    asked = policy.with_algorithm(search.without_draws() if policy.leaves_to_chance else search)
    watch = Stopwatch(progress)
    with watch.stage("read"):
        frame = files.table_of(frame)
        native = frames.to_eager(frame)
        task = task_of(asked, native)
        native = encoded_table(native, asked, task.schema)
    acting = bind_actions(native, task.schema, asked.seed)
    names, nodes = evaluate_nodes_of_task(
        task, encoded_columns(native, asked, acting), frames.n_rows(native), watch
    )
    nodes = sorted(nodes, key=lambda one: (not one.satisfied, one.score, one.suppressed))
    levels = np.array([one.levels for one in nodes], np.int64).reshape(len(nodes), len(names))
    achieved = np.array([one.achieved for one in nodes], np.float64)
    columns = {
        **{f"level_{name}": levels[:, a] for a, name in enumerate(names)},
        "score": np.array([one.score for one in nodes], np.float64),
        "suppressed": np.array([one.suppressed for one in nodes], np.int64),
        "classes": np.array([one.classes for one in nodes], np.int64),
        "satisfied": np.array([one.satisfied for one in nodes], np.bool_),
    }
    if chart is not None:
        with watch.stage("draw"):
            _draw(chart, language, asked, names, levels, achieved[:, 0], columns)
    for place, name in enumerate(_model_names(policy)):
        values = achieved[:, place]
        whole = isinstance(policy.models[place].required, int) and (values % 1 == 0).all()
        columns[name] = values.astype(np.int64) if whole else values
    rows = np.zeros(len(nodes), np.int64)
    series = [pl.Series(name, values) for name, values in columns.items()]
    return frames.assemble(native, rows, series, frame)


def _draw(
    chart: str | Path,
    language: str,
    policy: Policy,
    names: Sequence[str],
    levels: NDArray[np.int64],
    achieved: NDArray[np.float64],
    columns: Mapping[str, NDArray[Any]],
) -> None:
    from kanonym import reporting as reports  # noqa: PLC0415 - reports stand above results

    form = policy.to_dict()
    frontier = reports.frontier_of(
        names=names,
        model=form["models"][0],
        required=policy.models[0].required,
        metric=form["algorithm"]["metric"]["type"],
        levels=levels,
        achieved=achieved,
        score=columns["score"],
        suppressed=columns["suppressed"],
        classes=columns["classes"],
        satisfied=columns["satisfied"],
    )
    form_of_chart = reports.chart_format(chart)
    files.write_bytes(chart, reports.render_frontier(frontier, form_of_chart, language))


def _model_names(policy: Policy) -> list[str]:
    """Return a name for each model; a second one of a name gets its number."""
    names: list[str] = []
    for model in policy.models:
        of = f" of {model.attribute}" if model.attribute else ""
        name = f"{model.type}{of}"
        before = sum(one.split(" #")[0] == name for one in names)
        names.append(f"{name} #{before + 1}" if before else name)
    return names


def full_domain_of(algorithm: Algorithm) -> FullDomain:
    """Return the search of the lattice that an algorithm makes, or would make."""
    if algorithm.lattice is not None:
        return algorithm.lattice
    given = parameters_of(algorithm)
    shared = ("metric", "levels", "weights")
    return FullDomain(**{name: given[name] for name in shared if name in given})
