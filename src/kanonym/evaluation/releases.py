"""What a release of ours brings along: its table, its policy, and which records are which."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanonym.data import frames
from kanonym.data.errors import DataError
from kanonym.data.hierarchy import Hierarchy
from kanonym.policy import Policy, PolicySource
from kanonym.policy.definition import policy_from
from kanonym.release import Release


def unpack_release(
    given: Any, source: PolicySource | None, *, named: bool
) -> tuple[Any, Policy | None, Release | None]:
    """Return the table of what was given, the policy that is meant, and the release it is.

    source: the policy, or its file. named: whether columns are named in its place.
    """
    policy = None if source is None else policy_from(source)
    if not isinstance(given, Release):
        return given, policy, None
    return given.frame, given.policy if policy is None and not named else policy, given


def hierarchies_of(release: Release, *, released_only: bool = False) -> dict[str, Hierarchy]:
    """Return the hierarchies of a release, bound to its input: given ones and built ones.

    released_only: bound to the released records alone.

    None of one under differential privacy: its hierarchies are over public texts, and who compares
    it with the original reads both by those of the policy.
    """
    if release.promise is not None:
        return {}
    decision = release.decision.encoded()
    return {
        domain.name: domain.hierarchy
        for domain in (decision.released if released_only else decision).table.domains
        if domain.hierarchy is not None
    }


def require_made_of(release: Release, n_rows: int) -> None:
    """Refuse an original that has not as many records as the input of the release."""
    if release.rows_in != n_rows:
        raise DataError(
            f"the release was made of a table of {release.rows_in} records, and the original has "
            f"{n_rows}: give the table that was anonymized"
        )


def released_originals(original: Any, release: Release) -> Any:
    """Return the records of the input of a release that are released, in their order."""
    kept = released_records(release)
    if kept is None:
        return original
    native = frames.to_eager(original)
    return frames.assemble(native, kept, frames.column_names(native))


def released_records(release: Release) -> NDArray[np.int64] | None:
    """Return the records of the input that are released, ascending.

    None where all are, where records were sampled, or where an engine does not tell which.
    """
    if release.rows is None or not release.suppressed or release.promise is not None:
        return None
    return np.sort(release.rows)
