"""What can be checked of a release under differential privacy, and what voids its promise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import polars as pl

from kanonym.algorithms.full_domain import FullDomain
from kanonym.algorithms.full_domain.private import allowed_levels
from kanonym.data.schema import QuasiIdentifier
from kanonym.differential_privacy.public_hierarchies import public_hierarchy
from kanonym.models.differential import sampling_model
from kanonym.policy import Policy
from kanonym.verification import Verification


def check_private_release(
    found: Verification,
    policy: Policy,
    columns: Sequence[str],
    column: Callable[[str], pl.Series],
) -> Verification:
    """Return a verification with what differential privacy adds to it.

    Class sizes are checked as of any model. Here: each column has the labels of one level that
    the policy allows, and there is no other column. That records were sampled cannot be seen; a
    seed in the policy says that it is repeatable.

    Parameters
    ----------
    found
        What was found of the classes.
    policy
        What is asked.
    columns, column
        The released columns, and what gives them.

    """
    model = sampling_model(policy.models)
    if model is None:
        return found
    algorithm = cast("FullDomain", policy.algorithm)
    known = {
        name: public_hierarchy(name, one.hierarchy)
        for name, one in policy.attributes.items()
        if isinstance(one, QuasiIdentifier)
    }
    foreign = [name for name in columns if name not in known]
    for name, hierarchy in known.items():
        allowed = allowed_levels(
            hierarchy.tree, algorithm.levels.get(name), algorithm.degree, hierarchy.lowest
        )
        if not set(hierarchy.levels_of(column(name))) & set(allowed):
            foreign.append(name)
    found = found.with_foreign_labels(foreign).with_delta(model.delta)
    return found if policy.seed is None else found.repeated_by_seed()
