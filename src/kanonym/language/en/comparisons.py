"""Comparing releases or nodes of a lattice: pages, charts, and which release to take."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "short.span_loss": "span loss",
    "short.gcp": "GCP",
    "privacy.k": "smallest class",
    "privacy.persons": "fewest people in a class",
    "privacy.average_risk": "average risk",
    "comparison.dots": "release; lines connect thresholds",
    "comparison.front": "Pareto frontier: none is better in both",
    "lattice.fails": "fails the policy",
    "lattice.holds": "satisfies it",
    "lattice.best": "Pareto front: none is better in both",
}
