"""A check for frameworks of data tests: which records are in a class that violates a policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from kanonym.data import frames
from kanonym.pipeline.checks import verify
from kanonym.pipeline.planning import resolve_policy
from kanonym.policy import PolicySource
from kanonym.verification.verdict import Verification


def record_check(policy: PolicySource) -> Callable[[Any], Any]:
    """Return a function that says of each record whether its class satisfies a policy.

    It is what `pandera.Check` takes as a check of a whole table, and `specially` of pointblank.
    The records that fail are those of up to 100 violating classes, the smallest first; or all of
    them, where a model of the whole table fails alone. Findings are no failure: see `verify`.

    Parameters
    ----------
    policy
        What is required: a file, its form, or a `Policy`.

    Returns
    -------
    A function of a released table, of pandas or polars. It returns Booleans, one a record, in the
    form of the table: a series with its index, or a frame of one column.

    Examples
    --------
    >>> import polars as pl
    >>> policy = {
    ...     "version": 1,
    ...     "attributes": {"age": {"role": "quasi-identifier"}},
    ...     "models": [{"type": "k-anonymity", "k": 2}],
    ... }
    >>> record_check(policy)(pl.DataFrame({"age": [30, 30, 40]}))["satisfied"].to_list()
    [True, True, False]

    """
    asked = resolve_policy(policy)

    def check(table: Any) -> Any:
        given = getattr(table, "lazyframe", table)  # pandera hands over polars so
        native = frames.to_eager(given)
        found = verify(native, asked)
        answer = frames.assemble(native, None, [_satisfied(native, found)], like=given)
        return answer["satisfied"].set_axis(native.index) if frames.is_pandas(native) else answer

    return check


def _satisfied(native: Any, found: Verification) -> pl.Series:
    """Return of each record whether it is in none of the violating classes."""
    if found.satisfied or not found.violating:
        return pl.repeat(bool(found.satisfied), frames.n_rows(native), eager=True).alias(
            "satisfied"
        )
    keys = [frames.column(native, name) for name in found.violating[0]["class"]]
    table = pl.DataFrame(keys).with_row_index("\0")
    failing = table[sorted({one["row"] - 1 for one in found.violating})].drop("\0")
    records = table.join(failing, on=failing.columns, how="semi", nulls_equal=True)["\0"]
    return (~table["\0"].is_in(records.implode())).alias("satisfied")
