"""Releases in series: a recoding is fitted once, kept, and applied to batch after batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import polars as pl

from kanonym.actions.registry import has_late_actions
from kanonym.data import frames
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.hierarchy import (
    FromFile,
    FromMapping,
    Hierarchy,
    from_mapping,
)
from kanonym.data.schema import Attribute, QuasiIdentifier, Role, Sensitive
from kanonym.engines.stopwatch import Stopwatch
from kanonym.pipeline import (
    anonymize,
    bind_actions,
    encoded_columns,
    parse_with_policy,
    resolve_policy,
    task_of,
)
from kanonym.policy import Policy, PolicySource
from kanonym.policy.keywords import Keywords, takes_keywords
from kanonym.series.batch_release import BatchRelease
from kanonym.series.fitted import Fitted
from kanonym.series.learning import learn_recoding
from kanonym.series.persons import PersonColumn, RepeatedPersons
from kanonym.series.tally import Series
from kanonym.verification import sensitive_names

if TYPE_CHECKING:
    from kanonym.release import Release

__all__ = ["BatchRelease", "Fitted", "PersonColumn", "RepeatedPersons", "fit"]


@takes_keywords
def fit(
    frame: Any,
    policy: PolicySource | None = None,
    *,
    unseen: Literal["root", "error"] = "root",
    each_batch: bool = True,
    progress: Callable[[str], None] | None = None,
    **short: Unpack[Keywords],
) -> Fitted:
    """Fit a recoding to a table, to apply it to further tables.

    Nothing is released by this: to release the table itself, apply the recoding to it. By
    levels and, where no record is suppressed, by boxes, that gives what `anonymize` does.

    Parameters
    ----------
    frame
        A pandas or polars DataFrame, a polars LazyFrame or a pyarrow Table.
    policy
        What every batch and the union of all must satisfy; or leave it out and use the
        short forms of `anonymize`.
    unseen
        What becomes of a value of a quasi-identifier that the recoding does not know, and with
        boxes of a record in no class. `root`: the root of its attribute, null where values keep
        a type of their own. `error`: the batch is refused. Numbers and dates within an interval
        or the bounds of a class are known, and codes that masking can mask. A sensitive value
        never seen counts as one more value.
    each_batch
        Whether a batch must satisfy the policy by itself; else in the union alone.
    progress, short
        As of `anonymize`.

    Returns
    -------
    Fitted
        By levels after full-domain search; by boxes, the bounds of each class, after
        algorithms whose classes do not overlap.

    Raises
    ------
    PolicyError
        The policy counts persons in the union alone, samples records, changes released values,
        suppresses cells, or its algorithm makes classes that overlap.
    SchemaError, HierarchyError, DataError, InfeasibleError
        As of `anonymize`.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [23, 25, 41, 44], "disease": ["flu", "flu", "cold", "flu"]})
    >>> fitted = fit(table, quasi_identifiers=["age"], sensitive=["disease"], k=2)
    >>> batch = pl.DataFrame({"age": [24, 23, 99, 98], "disease": ["flu", "cold", "flu", "flu"]})
    >>> release = fitted.apply(batch)
    >>> sorted(release.frame["age"]), release.outside
    (['*', '*', '[23, 25]', '[23, 25]'], 2)
    >>> release.union.k
    2

    """
    policy = resolve_policy(policy, short)
    if unseen not in ("root", "error"):
        raise PolicyError(f"unseen is {unseen!r}; it must be 'root' or 'error'")
    told = Stopwatch(progress).warn
    native = frames.without_exceptions(parse_with_policy(frame, policy, told))
    task = task_of(policy, native)
    _refuse_unsuitable(policy, dict(task.schema.attributes), each_batch=each_batch)
    if not frames.n_rows(native):
        raise DataError("the table has no record to fit a recoding to")
    # What is learned is learned of the values that were drawn for this very release.
    acting = bind_actions(native, task.schema, policy.seed)
    release = anonymize(native, policy.with_seed(acting.seed), progress=progress)
    column = encoded_columns(native, policy, acting)
    hidden = sensitive_names(task.schema, policy.models)
    series = Series(
        policy=_embed_hierarchies(policy),
        recoding=learn_recoding(task, release.decision.encoded(), column),
        unseen=unseen,
        each_batch=bool(each_batch),
        sensitive={name: column(name).dtype for name in hidden if name not in policy.entities},
    )
    found = release.to_dict()
    account = {"rows": release.rows_in, "suppressed": release.suppressed}
    account |= {name: found["verification"][name] for name in ("classes", "models")}
    account |= {name: found["utility"][name] for name in ("span_loss", "gcp")}
    return Fitted(series, account)


def check_recoding(frame: Any, release: Release) -> None:
    """Refuse a release whose recoding, applied to its own table, would not give it again."""
    policy = release.policy
    native = frames.without_exceptions(parse_with_policy(frame, policy))
    task = task_of(policy, native)
    _refuse_unsuitable(policy, dict(task.schema.attributes), each_batch=True)
    decision = release.decision.encoded()
    if decision.account.get("levels") is None:
        if release.suppressed:
            raise PolicyError(
                "there is no recoding to keep: classes have bounds, within which records lie that "
                f"were suppressed ({release.suppressed:,}). Allow none, or choose full-domain"
            )
        acting = bind_actions(native, task.schema, policy.seed)
        learn_recoding(task, decision, encoded_columns(native, policy, acting))


def _refuse_unsuitable(
    policy: Policy, attributes: dict[str, Attribute], *, each_batch: bool
) -> None:
    """Refuse what has no meaning for a batch, or for the union of several."""
    kinds = {one.guarantee: one.type for one in policy.models}
    sets = [name for name, one in attributes.items() if one.role is Role.SET]
    after = [name for name, one in attributes.items() if has_late_actions(one.action)]
    reason = ""
    if "mechanism" in kinds:
        reason = (
            f"{kinds['mechanism']} samples the records of each release, and a recoding would "
            "release all of them: anonymize each batch"
        )
    elif policy.entities and not each_batch:
        reason = (
            f"k-anonymity counts persons by {policy.entities[0]!r}: those of several batches "
            "cannot be counted without keeping who they are. Let each batch satisfy the policy"
        )
    elif "population" in kinds:
        reason = f"{kinds['population']} counts persons of a population table"
    elif policy.algorithm.recodes == "cells":
        reason = f"{policy.algorithm.type} decides cell by cell"
    elif sets:
        reason = f"the items of {sets[0]!r} are recoded with all records of a table"
    elif after:
        reason = f"an action changes the released values of {after[0]!r}: let it come before"
    if reason:
        raise PolicyError(f"there is no recoding to keep: {reason}")


def _embed_hierarchies(policy: Policy) -> Policy:
    """Return the policy with its hierarchies as mappings: a recoding needs no file beside it."""
    attributes = dict(policy.attributes)
    for name, one in policy.attributes.items():
        if not isinstance(one, QuasiIdentifier | Sensitive):
            continue
        if isinstance(one.hierarchy, FromFile | FromMapping | Hierarchy):
            rows = one.hierarchy.bind(pl.Series(name, [], dtype=pl.String)).rows()
            # JSON has no key for null, which gets its own branch.
            known = {leaf: list(above) for leaf, *above in rows if leaf is not None}
            attributes[name] = replace(one, hierarchy=from_mapping(known))
    return policy.model_copy(update={"attributes": attributes})
