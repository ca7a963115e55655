"""The last defence: a release is verified from what was written, before it is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kanonym.actions.registry import has_late_actions
from kanonym.data.errors import DataError, InfeasibleError
from kanonym.data.item_sets import EncodedSets, encode_sets, names_of_sets, read_sets
from kanonym.data.schema import Schema
from kanonym.engines.base import StagedRelease
from kanonym.engines.decision import Decision
from kanonym.engines.frequency_set import FrequencySet
from kanonym.engines.task import sensitive_names
from kanonym.pipeline.checks import countable_columns, model_columns, unmodelled_attributes
from kanonym.pipeline.person_checks import amount_warnings
from kanonym.pipeline.planning import counting_of, persons_of_policy
from kanonym.pipeline.private_checks import check_private_release
from kanonym.policy import Policy
from kanonym.verification import (
    SensitiveColumn,
    Verification,
    classes_of_release,
    dominance,
    group_released,
    unprotected_warnings,
    verify_columns,
)


def verify_staged(
    staged: StagedRelease, decision: Decision, policy: Policy, schema: Schema
) -> Verification:
    """Group what was written, ask every model again, and refuse what fails.

    Raises
    ------
    DataError
        Other records were written than were decided about.
    InfeasibleError
        A class does not satisfy the policy.

    """
    names, free = decision.columns, unmodelled_attributes(schema, policy)
    hidden = sensitive_names(schema, policy.models)
    every = staged.take([*names, *hidden])
    # A row a record: further columns cost nothing. Else each makes the frequency set longer.
    further = countable_columns(free, every.column) if every.counts is None else []
    found = verify_columns(
        [every.column(name) for name in names],
        # Suppression shifts the distribution that t-closeness and the like compare with:
        # what counts is that of the input.
        model_columns(every.column, schema, policy, decision.original, further),
        policy.models,
        every.n_rows,
        every.counts,
        persons_of_policy(policy, schema),
        counting_of(policy),
        every.as_text(names),
        sets_of_release(every, schema, decision),
    )
    if found.rows != decision.rows_out:
        raise DataError(
            f"{decision.rows_out} records were counted for the release, and {found.rows} were "
            "written. Nothing is released. If others write to the table, work on a copy; else a "
            "join or a view gives other rows each time"
        )
    changed = [
        name
        for name, one in schema.attributes.items()
        if one.action and has_late_actions(one.action)
    ]
    require_satisfied(found, changed)
    left = [name for name in free if name not in further]
    found = found.with_warnings(*unprotected_warnings(left, policy.models))
    if every.counts is not None:
        for name in left:
            found = _with_share(found, staged, names, name)
    found = check_private_release(found, policy, staged.columns, every.column)
    return found.with_warnings(*amount_warnings(policy, schema, staged.columns, staged.values))


def sets_of_release(
    released: FrequencySet, schema: Schema, decision: Decision
) -> EncodedSets | None:
    """Return the released sets of items, read from what was written; None without them."""
    if decision.sets is None or released.sets is None:
        return None
    attributes = names_of_sets(schema.attributes)
    lists = {name: read_sets(released.sets(name), one) for name, one in attributes.items()}
    return encode_sets(decision.sets.given.tree, lists, released.n_rows, any_level=True)


def _with_share(
    found: Verification, staged: StagedRelease, names: list[str], attribute: str
) -> Verification:
    """Add what one sensitive attribute tells that no model names; nothing where it is too long."""
    try:
        released = staged.take([*names, attribute])
    except DataError:
        return found
    groups = group_released([released.column(name) for name in names], released.n_rows)
    column = SensitiveColumn(released.column(attribute))
    classes = classes_of_release(groups, [column], released.counts)
    shares, warned = dominance(classes, [attribute])
    shared = replace(found, largest_shares=(*found.largest_shares, *shares))
    return shared.with_warnings(*warned)


def require_satisfied(verification: Verification, changed: Sequence[str] = ()) -> None:
    """Refuse a release that its own verification refuses: the last defence.

    changed: attributes whose released values actions have changed.

    Raises
    ------
    InfeasibleError
        Classes fail a model; the message counts them.

    """
    if verification.satisfied is False:
        failing = [check for check in verification.checks if not check.satisfied]
        failed = [check.type for check in failing]
        reason = "This is a defect of kanonym: please report it"
        if any(check.guarantee == "population" for check in failing):
            reason = (
                "A label that stands for different values at several levels of its hierarchy is "
                "read at the lowest: give each level labels of its own"
            )
        if changed:
            reason = (
                f"Actions with `when: after` split equivalence classes ({', '.join(changed)}): "
                f"remove them, or apply them before the algorithm"
            )
        raise InfeasibleError(
            f"the recoded table fails {', '.join(failed)} in {verification.n_violating} classes; "
            f"nothing is released. {reason}"
        )
