"""Comparing releases of one table: algorithms, thresholds and parameters, and which to take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from kanonym.comparison.comparison import Comparison, as_frame_type
from kanonym.comparison.recommendation import Recommendation, recommend
from kanonym.comparison.sweep import (
    combinations,
    default_sweep,
    sweep_lists,
    with_first_values,
    without_recoding,
)
from kanonym.comparison.trials import SPAN_LOSS, Trial, run
from kanonym.data import frames
from kanonym.data.columns.rebuild import TableSource
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.files import table_of
from kanonym.evaluation.utility.table_utility import MEASURES, measure_of, target_of
from kanonym.models.base import check_integer
from kanonym.pipeline import resolve_policy
from kanonym.policy import PolicySource
from kanonym.policy.faults import unknown_name
from kanonym.policy.keywords import Keywords, takes_keywords

__all__ = ["Comparison", "Recommendation", "Trial", "compare", "recommend", "with_first_values"]


@takes_keywords
def compare(
    frame: TableSource,
    policy: PolicySource | None = None,
    *,
    sweep: Mapping[str, Iterable[Any]] | None = None,
    measures: Sequence[str] = (SPAN_LOSS,),
    workers: int | None = None,
    progress: Callable[[str], None] | None = None,
    resume: str | Path | None = None,
    **short: Unpack[Keywords],
) -> Comparison:
    """Anonymize a table in many ways, and find the Pareto-optimal releases.

    Parameters
    ----------
    frame, policy
        As of `anonymize`. Thresholds that the sweep states need not be given.
    sweep
        The values to be tried, by parameter; every combination of them is. Parameters are
        `algorithm` (names, forms or objects; of the policy's own type, with its parameters),
        `algorithm.` and a parameter of an algorithm (for those that have it), `suppression_limit`,
        `recoding`, and thresholds of the policy's models: `k`, `l`, `t` … of all that have
        one of that name, `l-diversity.l` of those of one type. None: the algorithms mondrian,
        segmentation, auto and full-domain, and 2, 5, 10, 20 and 50 for k. The policy's recoding
        is left out for algorithms that release levels of hierarchies, as full-domain does.
    measures
        Names of measures of `utility`. The first is the one by which releases are judged:
        `span-loss` if none is named, which charges lists of values as ranges; it and `gcp` are
        always taken. Others take a second or more for each release of a large table.
        `accuracy-` or `learning-` and a column: how well models that learn from the release
        predict it.
    workers
        How many combinations are carried out at once; None for as many as there are cores, at
        most 4. The result is the same for any number.
    progress
        Called with `compare: sentence` as each combination is done, and with what is told of
        hierarchies that are built.
    resume
        A file that keeps every finished combination at once, as a line of JSON: parameters
        and what was measured, no value of the table. What it knows already of the same table,
        policy, measures and versions is not carried out again.
    short
        As of `anonymize`.

    Returns
    -------
    Comparison
        Releases are judged by the smallest class where several k are swept, in persons where
        k-anonymity has an entity, else by the average risk; see `Comparison.on`.

    Raises
    ------
    PolicyError
        A parameter or a measure is unknown, or no combination is a policy. Values that
        do not fit each other, policies that no release satisfies, and tables that one algorithm
        cannot take, are rows with a reason.
    SchemaError, HierarchyError, DataError
        As `anonymize`, a DataError only where every combination has the same; or the file to
        resume from is something else.

    Notes
    -----
    Each release is verified as that of `anonymize` is, and forgotten. Its order, which changes
    no class, is that of the table, so that measures can compare records.

    Examples
    --------
    >>> from kanonym.data.example_tables import patients
    >>> found = compare(
    ...     patients(300),
    ...     quasi_identifiers=["birth_date", "sex"],
    ...     others="insensitive",
    ...     sweep={"algorithm": ["mondrian", "full-domain"], "k": [2, 8]},
    ... )
    >>> [one.label for one in found.trials]
    ['mondrian, k 2', 'mondrian, k 8', 'full-domain, k 2', 'full-domain, k 8']
    >>> [one.label for one in found.frontier]
    ['mondrian, k 2', 'mondrian, k 8', 'full-domain, k 2']

    """
    swept = None if sweep is None else sweep_lists(sweep)
    if policy is None:
        short = with_first_values(short, swept or {"k": [5]})
    asked = resolve_policy(policy, **short)
    if workers is not None:
        check_integer("compare", "workers", workers, 1)
    if isinstance(measures, str):
        raise PolicyError(f"give a list of measures, not the text {measures!r}")
    for name in measures:
        if measure_of(name) is None:
            raise PolicyError(unknown_name("measure", name, MEASURES))
    wanted = default_sweep(asked) if swept is None else swept
    every = combinations(asked, wanted)
    for name in without_recoding(asked, every):
        if progress is not None:
            progress(
                f"encode: the policy's recoding {asked.recoding} is ignored for {name}, which "
                f"releases levels of hierarchies"
            )
    frame = table_of(frame)
    native = frames.to_eager(frame)
    columns = frames.column_names(native)
    asked.schema_for(columns)
    for target in map(target_of, measures):
        if target is not None and target not in columns:
            raise PolicyError(f"measures: {unknown_name('column', target, columns)}")
    if not frames.n_rows(native):
        raise DataError("the table has no record: there is nothing to compare")
    trials = run(
        native, every, measures=measures, workers=workers, progress=progress, resume=resume
    )
    by_size = any(
        key.rpartition(".")[2] == "k" and len(values) > 1 for key, values in wanted.items()
    )
    return Comparison(
        tuple(trials),
        frames.n_rows(native),
        "k" if by_size else "average_risk",
        measures[0] if measures else SPAN_LOSS,
        as_frame_type(native, frame),
    )
