"""Hierarchies in the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.recoding.hierarchy": "labels of this hierarchy",
    "wb.recoding.interval": "intervals, or labels of the hierarchy for texts",
    "wb.recoding.range": "two columns: lowest and highest value",
    "wb.recoding.set": "sets of values",
    "wb.recoding.mean": "means",
    "wb.recoding.median": "medians",
    "wb.recoding.mode": "most frequent values",
    "wb.did.recoding": "How {column} is released",
    "wb.screen.hierarchies": "Hierarchies",
    "wb.field.group": "There is no group “{name}” at this level.",
    "wb.field.long": "The file is too large: at most {most} MB.",
    "wb.builder.intervals": "Numbers: intervals, wider from level to level; width: [5, 10, 20].",
    "wb.builder.groups": "Values in their order, some at a time; fan_outs: [3, 2].",
    "wb.builder.masking": "Codes: one more character hidden at every level.",
    "wb.builder.dates": "Dates: months, quarters, years, decades.",
    "wb.builder.prefix": "Texts: those that begin alike.",
    "wb.builder.frequency": "Rare values together.",
    "wb.builder.flat": "The value, or *.",
    "wb.did.hierarchy": "Hierarchy of {column}",
}
