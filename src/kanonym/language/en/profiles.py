"""The page on an original table: histograms, pairs, missing values, what distinguishes people."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "profile.title": "Profile of a table",
    "profile.original": "This page shows original data",
    "profile.keep": "keep it where you keep the table, and do not publish it",
    "profile.made": "kanonym {version}",
    "profile.lead": (
        "{records} in {columns}. {uniques} of the records are unique in the quasi-identifiers that "
        "are suggested below ({names}): anyone who knows these values of a person finds the record."
    ),
    "profile.lead.none": "{records} in {columns}. No column is suggested as a quasi-identifier.",
    "tile.records": "records",
    "tile.columns": "columns",
    "tile.unique": "of the records are unique in their quasi-identifiers",
    "tile.smallest": "records in the smallest group of equal quasi-identifiers",
    "section.distinguish": "What distinguishes people",
    "distinguish.text": (
        "The share of all pairs of records in which the two differ in a column. A column near "
        "100 % nearly identifies records by itself."
    ),
    "distinguish.sets": "Sets of columns without two equal records, or with few",
    "distinguish.none": "No set of columns distinguishes nearly all records.",
    "head.combinations": "combinations",
    "head.uniques": "unique records",
    "section.persons": "Who the persons may be",
    "section.suggested": "Suggested roles, and why",
    "head.content": "content",
    "section.missing": "Missing values",
    "missing.none": "No value is missing.",
    "missing.axis": "share of the records without a value",
    "section.histograms": "Histograms",
    "histograms.text": (
        "How many records have which values; long tails and rare values are joined. Columns of "
        "identifiers and of running text are left out."
    ),
    "histograms.some": "The {shown} of {all} columns that distinguish most records are drawn.",
    "section.pairs": "Pairs of columns",
    "pairs.text": (
        "How strongly two columns go together (Cramér's V of the bars above, 0 not at all to 1): "
        "who knows one of them may infer the other."
    ),
    "content.values": ("{values} value", "{values} values"),
    "content.nulls": "{nulls} missing",
    "alt.distinguish": "Bar chart of distinguishable pairs: most by {most}, {much}.",
    "alt.missing": "Bar chart of missing values: most in {most}, {much}.",
    "alt.histogram": "Histogram of “{name}”: {bars}; most records, {number}, at “{label}”.",
    "alt.pairs": "Heat map of associations: strongest between {most}, {much}.",
}
