"""Does a policy fit a table? Looked at without running an algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanonym.algorithms.criteria import require_feasible
from kanonym.data import frames
from kanonym.data.item_sets import encode_sets, names_of_sets, read_sets, tree_of
from kanonym.engines.local import LocalEngine, bind_actions, encoded_columns, encoded_table
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import prepare
from kanonym.pipeline.planning import task_of
from kanonym.policy import Policy
from kanonym.profiling.persons import ProposedPersons, proposed_persons


@dataclass(frozen=True, slots=True)
class PolicyCheck:
    """What a policy means for a table."""

    rows: int
    roles: dict[str, str]
    distinct: int
    built_hierarchies: dict[str, str]
    persons: tuple[ProposedPersons, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "rows": self.rows,
            "roles": self.roles,
            "distinct": self.distinct,
            "built_hierarchies": self.built_hierarchies,
            "proposed_persons": [one.to_dict() for one in self.persons],
        }


def check_policy(frame: Any, policy: Policy) -> PolicyCheck:
    """Check that a policy fits a table: columns, types, hierarchies, and that a release may exist.

    Notes
    -----
    Cost: reading and encoding the table, and the search for persons; no algorithm runs. What
    passes may still be refused later, where an algorithm or an action finds out more.

    """
    given = frames.to_eager(frame)
    task = task_of(policy, given)
    native = encoded_table(given, policy, task.schema)
    acting = bind_actions(native, task.schema, policy.seed)
    for name in acting.actions:
        acting.before(name)
    ready = prepare(
        task, encoded_columns(native, policy, acting), frames.n_rows(native), Stopwatch()
    )
    sets = names_of_sets(task.schema.attributes)
    lists = {name: read_sets(frames.raw_column(native, name), one) for name, one in sets.items()}
    encode_sets(tree_of(sets, lists), lists, frames.n_rows(native))
    if ready.table.n_rows and not (policy.suppression_limit or task.samples):
        require_feasible(ready.table, policy.models)
    return PolicyCheck(
        rows=ready.table.n_rows,
        roles={name: str(one.role) for name, one in task.schema.attributes.items()},
        distinct=int((ready.table.weights > 0).sum()),
        built_hierarchies=dict(ready.built),
        persons=() if policy.entities else proposed_persons(LocalEngine(given).records()),
    )
