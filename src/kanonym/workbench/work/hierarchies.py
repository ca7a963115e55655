"""Hierarchies over the columns of the table, and their files beside an exported policy."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np

from kanonym.data.errors import DataError
from kanonym.data.hierarchy import Automatic, FromFile
from kanonym.data.schema import QuasiIdentifier, Sensitive
from kanonym.data.table import encode_column
from kanonym.policy import Policy
from kanonym.policy.construction import build_source
from kanonym.policy.faults import FaultsFoundError, policy_error
from kanonym.workbench.work.facts import BoundHierarchy

MOST_VALUES = 1_000_000
"""Of a hierarchy that is shown or edited by hand."""


def bind(column: Any, form: Any, folder: str) -> BoundHierarchy:
    """Bind a hierarchy to a column."""
    try:
        source = None if form is None else build_source(form, Path(folder))
    except FaultsFoundError as error:
        raise policy_error(error.faults, "hierarchy") from None
    if source is None:
        source = Automatic().suggest(column.unique()).builder
    domain, codes = encode_column(column, source)
    tree = domain.hierarchy
    assert tree is not None  # noqa: S101 - it was bound
    if tree.size > MOST_VALUES:
        raise DataError(
            f"column {column.name!r} has {tree.size:,} values: too many to be shown here"
        )
    counts = np.bincount(codes, minlength=tree.size)
    rows = zip(*(tree.generalize(level) for level in range(tree.n_levels)), strict=True)
    return BoundHierarchy(
        source.to_dict(),
        tuple(rows),
        tuple(int(number) for number in counts),
        tuple(len(names) for names in tree.labels),
    )


def copy_hierarchies(policy: Policy, project: Path, place: Path) -> tuple[str, ...]:
    """Copy hierarchy files of a project to where its policy is exported; return their names."""
    copied = []
    for attribute in policy.attributes.values():
        if not isinstance(attribute, QuasiIdentifier | Sensitive):
            continue
        source = attribute.hierarchy
        if isinstance(source, FromFile) and not Path(source.path).is_absolute():
            target = place / source.path
            if not target.resolve().is_relative_to(place.resolve()):
                raise DataError(
                    f"hierarchy file {source.path} lies outside the project: name its whole path"
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(project / source.path, target)
            copied.append(str(source.path))
    return tuple(dict.fromkeys(copied))
