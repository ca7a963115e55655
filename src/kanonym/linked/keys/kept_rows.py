"""Tables with the rows that stay: references lead to the rows that stand for merged ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.linked.keys.integrity import Tables, as_key
from kanonym.linked.keys.key_parts import Part, numbered_parts
from kanonym.linked.persons.linked_rows import LinkedRows
from kanonym.linked.persons.person_trees import Codes


@dataclass(frozen=True)
class KeptRows:
    """The rows of tables that are released.

    Attributes
    ----------
    tables
        All rows of all tables.
    rows
        How they hang together.
    kept
        By table with persons, which rows stay: (n_rows,) bool. Other tables keep all.
    stands
        By table, the row that stands for each: as of `LinkedRows.merged`.
    random
        Numbers anew what `numbered_parts` names; None leaves it.

    """

    tables: Tables
    rows: LinkedRows
    kept: Mapping[str, NDArray[np.bool_]]
    stands: Mapping[str, Codes]
    random: np.random.Generator | None = None
    _new: dict[Part, pl.Series] = field(default_factory=dict)

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return the tables: references to merged rows follow, those to other rows become null.

        Raises
        ------
        PolicyError
            A key refers to rows that are not released.

        """
        return {
            name: pl.DataFrame([self._column(name, one) for one in self.tables[name].columns])
            for name in self.rows.policy.tables
        }

    def _column(self, name: str, column: str) -> pl.Series:
        if (name, column) not in self._new:
            values = self.tables[name][column]
            values = values.filter(pl.Series(self.kept[name])) if name in self.kept else values
            if self.random is not None and column in numbered_parts(self.rows.policy, name):
                values = self._numbers(name, self.random)
            self._new[name, column] = self._followed(name, values).alias(column)
        return self._new[name, column]

    def _followed(self, name: str, values: pl.Series) -> pl.Series:
        """Return a column with the keys of the rows that its reference leads to."""
        policy = self.rows.policy
        table = policy.tables[name]
        for one in sorted(table.references, key=lambda one: one != table.owner):
            if values.name not in one.columns or one.table not in self.kept:
                continue
            key = policy.tables[one.table].key[one.columns.index(values.name)]
            if (one.table, key) == (name, values.name):
                continue
            target = self.rows.targets[name][one]
            target = target[self.kept[name]] if name in self.kept else target
            row = self.stands[one.table][np.maximum(target, 0)]
            gone = (target < 0) | ~self.kept[one.table][row]
            if values.name in table.key and gone.any():
                raise PolicyError(
                    f"{name}.{values.name} is in a key and refers to rows of {one.table} that are "
                    f"not released: leave out the key of {name}, where nothing refers to it"
                )
            place = np.where(gone, -1, np.cumsum(self.kept[one.table])[row] - 1)
            places = pl.Series(place).set(pl.Series(gone), None)
            return self._column(one.table, key).gather(places)
        return values

    def _numbers(self, name: str, random: np.random.Generator) -> pl.Series:
        """Return (n_rows,) 1, 2, … in random order within the rows that agree in the rest of a key.

        The order of the rows does not matter. All parts have the same numbers.
        """
        key, parts = self.rows.policy.tables[name].key, numbered_parts(self.rows.policy, name)
        held = [one for one in parts if (name, one) in self._new]
        if held:
            return self._new[name, held[0]]
        frame = self.tables[name].filter(pl.Series(self.kept[name]))
        order = frame.select(as_key(frame[one]) for one in key).select(pl.arg_sort_by(key))
        drawn = np.empty(frame.height, np.int64)
        drawn[order.to_series().to_numpy()] = random.permutation(frame.height)
        rest = [self._column(name, one) for one in key if one not in parts]
        ranks = pl.DataFrame([*rest, pl.Series("\0drawn", drawn)]).select(
            pl.col("\0drawn").rank("ordinal").over([pl.lit(0), *(one.name for one in rest)])
        )
        return ranks.to_series().cast(pl.Int64)
