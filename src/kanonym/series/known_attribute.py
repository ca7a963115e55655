"""What a recoding knows of one quasi-identifier, and the column of a batch placed in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.data.hierarchy import Hierarchy, HierarchySource, from_dict
from kanonym.data.results.short_repr import ShortRepr
from kanonym.data.table import Domain, encode_column, kind_of
from kanonym.series.hierarchies import extend_hierarchy, from_rows, to_rows
from kanonym.series.values import (
    align_column,
    categories_as_text,
    stack_columns,
    type_form,
    type_of,
)


@dataclass(frozen=True, repr=False)
class PlacedColumn(ShortRepr):
    """The column of one quasi-identifier in a batch, encoded.

    Attributes
    ----------
    domain
        Its values, and those that the recoding names.
    codes
        (n_rows,) int32.
    bounds
        (m,) int32, the codes of the values that were to be placed, too.
    strange
        (size,) bool: values of which the recoding knows nothing.
    new
        (size,) bool: values that the fitted hierarchy does not have; strange ones are among
        them, the others were placed by its rule.
    levels
        The level of the domain's hierarchy for each level of the fitted one; () without one.
    dtype
        The type of the column.

    """

    domain: Domain
    codes: NDArray[np.int32]
    bounds: NDArray[np.int32]
    strange: NDArray[np.bool_]
    new: NDArray[np.bool_]
    levels: tuple[int, ...]
    dtype: pl.DataType


@dataclass(frozen=True, repr=False)
class KnownAttribute(ShortRepr):
    """What a recoding knows of one quasi-identifier.

    Attributes
    ----------
    name, dtype
        Of its column in the table that was fitted, after the actions on it.
    hierarchy
        The hierarchy in use, or None.
    rule
        Says the labels of values that the hierarchy does not have; None where nothing does.

    """

    name: str
    dtype: pl.DataType
    hierarchy: Hierarchy | None = None
    rule: HierarchySource | None = None

    def place(self, column: pl.Series, further: pl.Series) -> PlacedColumn:
        """Encode the column of a batch together with (m,) values that the recoding names.

        Raises
        ------
        DataError
            A cell is of another type than the column in the fit, or an infinite number.

        """
        held = align_column(column, self.dtype)
        _refuse_infinite(held)
        words = categories_as_text(held)
        if self.hierarchy is None:
            return self._place_by_value(words, further, held.dtype)
        wider = extend_hierarchy(self.hierarchy, self.rule, words.unique())
        codes = wider.hierarchy.leaf_of(words)
        tree = wider.hierarchy
        domain = Domain(
            self.name,
            kind_of(self.dtype),
            tree.values[:-1] if tree.has_null else tree.values,
            tree.has_null,
            np.bincount(codes, minlength=tree.size) > 0,
            tree,
        )
        bounds = tree.leaf_of(further) if len(further) else np.zeros(0, np.int32)
        new = self.hierarchy.leaf_of(tree.values) < 0
        return PlacedColumn(domain, codes, bounds, wider.strangers, new, wider.levels, held.dtype)

    def _place_by_value(
        self, words: pl.Series, further: pl.Series, dtype: pl.DataType
    ) -> PlacedColumn:
        """Encode by order of value."""
        n = len(words)
        domain, codes = encode_column(stack_columns(words, further), by_value=True)
        observed = np.bincount(codes[:n], minlength=domain.size) > 0
        strange = np.zeros(domain.size, np.bool_)
        if isinstance(self.dtype, pl.Enum):
            # Of a category that the fit did not have, nobody knows where it stands.
            new = ~domain.values.cast(pl.String).is_in(self.dtype.categories.to_list())
            strange[: len(new)] = new.to_numpy()
        domain = Domain(
            self.name, domain.kind, domain.values, domain.has_null, observed, domain.hierarchy
        )
        return PlacedColumn(domain, codes[:n], codes[n:], strange, strange, (), dtype)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        form: dict[str, Any] = {"type": type_form(self.dtype)}
        if self.hierarchy is not None:
            form["leaves"] = type_form(self.hierarchy.values.dtype)
            form["hierarchy"] = to_rows(self.hierarchy)
        if self.rule is not None:
            form["rule"] = self.rule.to_dict()
        return form

    @classmethod
    def from_dict(cls, name: str, form: dict[str, Any]) -> KnownAttribute:
        """Return what `to_dict` wrote."""
        rows = form.get("hierarchy")
        return cls(
            name,
            type_of(form["type"]),
            None if rows is None else from_rows(name, rows, type_of(form["leaves"])),
            None if "rule" not in form else from_dict(form["rule"]),
        )


def _refuse_infinite(column: pl.Series) -> None:
    if column.dtype.is_float() and (infinite := column.is_infinite()).any():
        row = infinite.arg_max() or 0
        raise DataError(
            f"column {column.name!r}, row {row + 1}: {column[row]} is not a finite number; "
            "replace it, or leave the cell empty for a missing value"
        )
