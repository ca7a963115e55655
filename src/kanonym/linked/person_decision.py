"""Which persons and rows are released at some levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kanonym.linked.level_search import Levels
from kanonym.linked.persons.known_columns import KnownColumn
from kanonym.linked.persons.linked_rows import LinkedRows, Masks
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
    ranks
        By table the order in which equal rows are preferred.
    parts
        By table the codes of the columns of its key that count.

    """

    policy: LinkedPolicy
    rows: LinkedRows
    known: list[KnownColumn]
    models: PersonModels
    ranks: Mapping[str, Codes]
    parts: Mapping[str, Sequence[Codes]]
    _own: dict[tuple[str, Levels], Codes] = field(default_factory=dict)

    def satisfies(self, levels: Levels) -> bool:
        """Whether few enough persons are in classes that fail."""
        _, failing = self.rows_at(levels)
        return int(failing.sum()) <= self.policy.suppression_limit * self.rows.n_persons and not (
            failing.all() and self.rows.n_persons
        )

    def rows_at(self, levels: Levels) -> tuple[Masks, np.ndarray[Any, Any]]:
        """Return by table which rows are released, and which persons are suppressed."""
        own = {name: self._codes(name, levels) for name in self.policy.order}
        kept = self.rows.merged(own, self.ranks)
        trees = self.rows.trees(own, kept, self.policy.counting)
        classes = combine([own[self.policy.person], trees], self.rows.n_persons)
        failing = self.models.failing(classes)[classes]
        return self.rows.without(failing, kept), failing

    def suppressed_at_roots(self) -> int:
        """Return the persons in classes that fail where nothing but numbers of rows is left."""
        _, failing = self.rows_at(tuple(one.highest for one in self.known))
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
