"""Titles, axes and text alternatives of charts, and labels of bars."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "bar.missing": "(missing)",
    "bar.all": "all values",
    "bar.or-missing": "{label} or missing",
    "chart.sideways": "Scroll the chart sideways to see all of it.",
    "marginals.undrawn": "Not shown: {label}, {before} of the records before and {after} after.",
    "bar.other": "other ({number} values)",
    "bar.absent": "not in the original",
    "bar.under": "under {start}",
    "bar.over": "{start}+",
    "bar.to": "{start} to {end}",
    "bar.before": "before {start}",
    "bar.from": "from {start}",
    "axis.class-size": "records in the class",
    "axis.records": "records",
    "axis.risk": "probability of re-identification",
    "axis.at-least": "records with at least this probability",
    "axis.separation": "distinguishable pairs of records",
    "axis.lost": "share of the range covered (span loss)",
    "axis.unnamed": "{name} (too many labels to show)",
    "axis.ends": "{title}; the axis ends at {end}",
    "axis.right": "successful attempts",
    "axis.suda": "share of all contributions to the scores",
    "axis.span-loss": "information lost (span loss)",
    "axis.gcp": "information lost (GCP)",
    "legend.per-class": "records per class",
    "legend.rate": "this release, with interval",
    "legend.baseline": "baseline",
    "legend.control": "control",
    "axis.private": "{name} (more private to the right)",
    "legend.run": "release",
    "legend.frontier": "Pareto frontier: none is better in both",
    "alt.class-sizes": (
        "Bar chart of class sizes: {classes}, from {smallest} to {largest} records; half of them "
        "have at most {median}."
    ),
    "alt.losses": (
        "Bar chart of the loss per attribute: highest for {most}, {much}; lowest for {least}, "
        "{little}."
    ),
    "alt.marginal": (
        "Bar chart of “{name}” before and after: {bars}; the largest difference is at “{label}”, "
        "{before} before and {after} after."
    ),
    "alt.marginal.same": ("Bar chart of “{name}”: {bars}, the same before and after."),
    "alt.map": (
        "Map of the classes over “{x}” and “{y}”: {rectangles}, darker where a class has more "
        "records."
    ),
    "alt.attacks": (
        "Chart of {attacks}: the success rate of each, with its interval, baseline and control. "
        "The first is {title}: {rate}; by chance {chance}."
    ),
    "alt.associations": (
        "Heat map of the change of associations between {columns}: largest between {most}, {much}."
    ),
    "alt.suda": "Bar chart of contributions to special uniques: highest for {most}, {much}.",
    "alt.frontier": "Chart of {runs} by privacy and loss.",
}
