"""Compile kernels without running them: python -m kanonym.kernels.ahead KERNEL ...

The types of arguments are written as `i4` (int32)
and `i4_2` (an array of two dimensions); names are those of tuples.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from numba.core import types
from numba.np.numpy_support import from_dtype
from numpy import dtype

TUPLES = {
    "Axes": "lattice.walk.Axes i8_2 i4_3 f8_3 f8_3 f8_2 f8_2 f8_2 f8_1 f8_1 i8_1",
    "Bounds": "neighbours.class_tree.ClassBounds f8_2 f8_2 b1_2 i8_2 i8_1 i4_1 i8_1",
    "Costs": "classes.histograms.Costs i8_2 f8_1 i4_2 f8_2 f8_1",
    "Criteria": "classes.conditions.Criteria i8 i8_2 f8_1 f8_3 i4_3 f8 i8",
    "Limits": "partitioning.segmentation.Limits b1_1 b1 i8 f8_1 f8_1",
    "Purity": "partitioning.segmentation.Purity i8_1 i8_1 f8",
    "State": "lattice.walk.State i8_1 f8_1 i8_1 i8_2",
    "Tree": "neighbours.class_tree.ClassTree Bounds i8_1 i8_1 u8_1 i8_1 f8_3 b1_2 u8_2 f8_2",
    "Workspace": "partitioning.workspace.Workspace i8_2 f8_2 f8_2 i8_1 i8",
    "cells": "tuple i4_2 i4_2",
    "columns": "tuple f8_2 f8_2",
    "pair": "tuple i8_1 i8_1",
    "secrets": "tuple u8_1 u8",
    "trees": "tuple Tree Tree",
}
KERNELS = {
    "lattice.walk.try_levels": "u8_2 i8_2 Axes i8 State i8_1",
    "neighbours.class_tree._sort_into_leaves": "f8_2",
    "neighbours.nearest_classes.shared_neighbours": "trees columns cells i8_2 i8 i8_3",
    "neighbours.nearest_classes.tied_records": "Tree f8_2 i4_2 i8_1 i8_1",
    "partitioning.class_joining.join_failing": "i4_2 i4_2 i4_1 secrets i8 Costs Criteria",
    "partitioning.mondrian.refine": "i4_2 i8 i8 Costs Criteria Workspace b1_1 b1",
    "partitioning.mondrian.suppressing_cuts": "i4_2 i8_1 i8_1 Costs Criteria Workspace i8",
    "partitioning.record_exchange.exchange_records": "i4_2 i4_1 pair i8 i8 Costs",
    "partitioning.segmentation.cut": "i4_2 i4_2 i8_1 Limits Costs Criteria Purity",
    "risk.suda._search": "i4_2 i8_1 b1_1 i8_1 i8",
}
"""The kernels that compile longest: a command begins with smaller ones itself."""


def _type(word: str) -> Any:
    """Return the type that a word stands for."""
    if word in TUPLES:
        name, *fields = TUPLES[word].split()
        kind = None if name == "tuple" else _member(name)
        make: Any = types.BaseTuple.from_types
        return make([_type(field) for field in fields], kind)
    code, _, dimensions = word.partition("_")
    scalar = from_dtype(dtype(code))
    return types.Array(scalar, int(dimensions), "C") if dimensions else scalar


def _member(place: str) -> Any:
    module, _, name = place.rpartition(".")
    return getattr(import_module(f"kanonym.kernels.{module}"), name)


def compile_kernels(names: Iterable[str]) -> None:
    """Compile kernels, or load them, one after the other."""
    places = {place.rpartition(".")[2]: place for place in KERNELS}
    for name in names:
        arguments = tuple(_type(word) for word in KERNELS[places[name]].split())
        _member(places[name]).dispatcher.compile(arguments)


if __name__ == "__main__":
    compile_kernels(sys.argv[1:])
