"""Hierarchies in the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.hierarchies.recoding": "Values are released as",
    "wb.hierarchies.recoding.usual": "chosen under Run ({recoding})",
    "wb.recoding.hierarchy": "labels of this hierarchy",
    "wb.recoding.interval": "intervals, or labels of the hierarchy for texts",
    "wb.recoding.range": "two columns: lowest and highest value",
    "wb.recoding.set": "sets of values",
    "wb.recoding.mean": "means",
    "wb.recoding.median": "medians",
    "wb.recoding.mode": "most frequent values",
    "wb.did.recoding": "How {column} is released",
    "wb.screen.hierarchies": "Hierarchies",
    "wb.hierarchies.lead": (
        "A hierarchy says by which labels the values of a column may be released, from the "
        "value to *, which stands for any value."
    ),
    "wb.hierarchies.nocolumn": "No column is a quasi-identifier or sensitive.",
    "wb.hierarchies.suggested": (
        "This column has no hierarchy of its own. Below is the one that fits its values; it is "
        "used where an algorithm needs one."
    ),
    "wb.hierarchies.covers": "It covers all {values} values. Labels by level: {levels}.",
    "wb.hierarchies.export": "Export as CSV",
    "wb.hierarchies.ticked": "Put ticked values into the group",
    "wb.hierarchies.name": "name of the group",
    "wb.hierarchies.level": "level",
    "wb.hierarchies.at": "level {level}",
    "wb.hierarchies.new": "a new level",
    "wb.hierarchies.group": "Group",
    "wb.hierarchies.into": "Move the ticked values into {label}",
    "wb.hierarchies.drag": "Drag a value onto a group, or tick values and press ⇥ at the group.",
    "wb.hierarchies.tree": "Levels as a tree",
    "wb.hierarchies.all": "Tick all values shown",
    "wb.hierarchies.records": "records",
    "wb.hierarchies.seek": "Search values and groups",
    "wb.field.group": "There is no group “{name}” at this level.",
    "wb.field.long": "The file is too large: at most {most} MB.",
    "wb.hierarchies.rename": "Rename a group",
    "wb.hierarchies.newname": "New name",
    "wb.hierarchies.build": "Build by a rule",
    "wb.hierarchies.do": "Build",
    "wb.hierarchies.import": "Import a file (CSV as ARX writes it)",
    "wb.hierarchies.import.do": "Import",
    "wb.hierarchies.remove": "Remove this hierarchy",
    "wb.hierarchies.none": "Tick at least one value first.",
    "wb.builder.intervals": "Numbers: intervals, wider from level to level; width: [5, 10, 20].",
    "wb.builder.groups": "Values in their order, some at a time; fan_outs: [3, 2].",
    "wb.builder.masking": "Codes: one more character hidden at every level.",
    "wb.builder.dates": "Dates: months, quarters, years, decades.",
    "wb.builder.prefix": "Texts: those that begin alike.",
    "wb.builder.frequency": "Rare values together.",
    "wb.builder.flat": "The value, or *.",
    "wb.did.hierarchy": "Hierarchy of {column}",
}
