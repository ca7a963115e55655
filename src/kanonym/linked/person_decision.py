"""Which persons and rows are released at some levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kanonym.linked.level_search import Levels
from kanonym.linked.persons.known_columns import KnownColumn
from kanonym.linked.persons.linked_rows import LinkedRows
from kanonym.linked.persons.person_models import PersonModels
from kanonym.linked.persons.person_trees import Codes, combine
from kanonym.linked.policies.linked_policy import LinkedPolicy


@dataclass
class PersonDecision:
    """Which persons and rows are released at some levels.

    Attributes
    ----------
    policy, rows, known, models
        What is asked, and of what.
    further
        By table that merges rows, equal numbers for rows that are equal but for their levels.
    parts
        By table the codes of the columns of its key that count.

    """

    policy: LinkedPolicy
    rows: LinkedRows
    known: list[KnownColumn]
    models: PersonModels
    further: Mapping[str, Codes]
    parts: Mapping[str, Sequence[Codes]]
    _own: dict[tuple[str, Levels], Codes] = field(default_factory=dict)

    def satisfies(self, levels: Levels) -> bool:
        """Whether few enough persons are in classes that fail."""
        _, failing = self.at(levels)
        return int(failing.sum()) <= self.policy.suppression_limit * self.rows.n_persons and not (
            failing.all() and self.rows.n_persons
        )

    def at(self, levels: Levels) -> tuple[dict[str, Codes], np.ndarray[Any, Any]]:
        """Return by table the row that stands for each, and which persons are suppressed."""
        own = {name: self._codes(name, levels) for name in self.policy.order}
        equal = {name: combine([own[name], one], len(one)) for name, one in self.further.items()}
        stands = self.rows.merged(equal)
        trees = self.rows.trees(own, stands, self.policy.counting)
        classes = combine([own[self.policy.person], trees], self.rows.n_persons)
        return stands, self.models.failing(classes)[classes]

    def suppressed_at_roots(self) -> int:
        """Return the persons in classes that fail where nothing but numbers of rows is left."""
        _, failing = self.at(tuple(one.highest for one in self.known))
        return int(failing.sum())

    def _codes(self, name: str, levels: Levels) -> Codes:
        """Return equal numbers for equal rows of one table; kept for other levels elsewhere."""
        mine = tuple(
            level for one, level in zip(self.known, levels, strict=True) if one.table == name
        )
        if (name, mine) not in self._own:
            several = [one for one in self.known if one.table == name]
            codes = [one.codes(level) for one, level in zip(several, mine, strict=True)]
            self._own[name, mine] = combine([*codes, *self.parts[name]], self.rows.sizes[name])
        return self._own[name, mine]
