"""Generalization hierarchies: read, build and check them.

Made by hand: `from_file` (ARX's CSV format) and `from_mapping`. Built from the data: `intervals`,
`groups`, `masking`, `dates`, `prefix`, `frequency`, `flat`, and `automatic`, which picks one of
them. Each is a source: `source.bind(values, counts)` gives the `Hierarchy` over a column.
"""

from __future__ import annotations

from kanonym.data.hierarchy.base import Hierarchy, HierarchySource
from kanonym.data.hierarchy.builders.calendar_date import Dates
from kanonym.data.hierarchy.builders.codes import Masking, Prefix
from kanonym.data.hierarchy.builders.group import Frequency, Groups
from kanonym.data.hierarchy.builders.interval import Intervals
from kanonym.data.hierarchy.builders.suggestion import Automatic, Flat, Suggestion
from kanonym.data.hierarchy.csv_file import FromFile
from kanonym.data.hierarchy.mapping import SOURCES, FromMapping, from_dict

# The verbs of the library are functions; these happen to be constructors.
from_file = FromFile
from_mapping = FromMapping
intervals = Intervals
groups = Groups
masking = Masking
dates = Dates
prefix = Prefix
frequency = Frequency
flat = Flat
automatic = Automatic

__all__ = [
    "SOURCES",
    "Automatic",
    "Dates",
    "Flat",
    "Frequency",
    "FromFile",
    "FromMapping",
    "Groups",
    "Hierarchy",
    "HierarchySource",
    "Intervals",
    "Masking",
    "Prefix",
    "Suggestion",
    "automatic",
    "dates",
    "flat",
    "frequency",
    "from_dict",
    "from_file",
    "from_mapping",
    "groups",
    "intervals",
    "masking",
    "prefix",
]
