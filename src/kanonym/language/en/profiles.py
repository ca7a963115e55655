"""The page on an original table: histograms, pairs, missing values, what distinguishes people."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "section.distinguish": "What distinguishes people",
    "head.combinations": "combinations",
    "head.uniques": "unique records",
    "section.persons": "Who the persons may be",
    "section.suggested": "Suggested roles, and why",
    "head.content": "content",
    "section.missing": "Missing values",
    "section.histograms": "Histograms",
    "section.pairs": "Pairs of columns",
    "alt.distinguish": "Bar chart of distinguishable pairs: most by {most}, {much}.",
    "alt.missing": "Bar chart of missing values: most in {most}, {much}.",
}
