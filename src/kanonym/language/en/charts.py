"""Titles, axes and text alternatives of charts, and labels of bars."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "bar.under": "under {start}",
    "bar.over": "{start}+",
    "bar.before": "before {start}",
    "bar.from": "from {start}",
    "axis.span-loss": "information lost (span loss)",
    "axis.gcp": "information lost (GCP)",
}
