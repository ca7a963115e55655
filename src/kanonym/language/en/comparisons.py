"""Comparing releases or nodes of a lattice: pages, charts, and which release to take."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "short.span_loss": "span loss",
    "short.gcp": "GCP",
    "privacy.k": "smallest class",
    "privacy.persons": "fewest people in a class",
    "privacy.average_risk": "average risk",
    "take.at": "{label} ({privacy} {private}, {measure} {useful})",
    "take.way": "It runs from {first} to {last}",
    "take.knee": (
        "Take {release}, the knee of the frontier. {way}. Up to the knee, {paid} of the loss buys "
        "{gained} of the privacy, counted in doublings; beyond it, {further_paid} buys {further}."
    ),
    "take.only": (
        "Take {release}: no other release is more private, and none that is as private is more "
        "useful."
    ),
    "take.no-knee": (
        "The frontier has no knee. {way}; {why}. Take the first release on it that is private "
        "enough."
    ),
    "take.two": "two releases have no knee",
    "take.straight": (
        "along it, each doubling of privacy costs about as much as the one before, or less"
    ),
    "take.not-measured": (
        "No release has both {privacy} and {measure}: there is nothing to choose by. Use another "
        "measure."
    ),
    "take.none": "No combination produced a release: there is nothing to choose from.",
    "take.useless": (
        "No release can be recommended: by {measure}, none is more useful than guessing without "
        "it. Require less privacy, or release other columns."
    ),
    "axis.useful": "{name} ({better})",
    "comparison.title": "Releases compared",
    "comparison.this": "recommended",
    "comparison.taken": "{label} (recommended)",
    "comparison.caption": (
        "Each dot is a verified release of the same table; gray lines connect releases that differ "
        "only in thresholds. The blue line is the frontier: no other release is at least as "
        "private and loses less. A circle marks the recommended one."
    ),
    "comparison.frontier": "The frontier",
    "comparison.order": "From the least private release to the most private one.",
    "comparison.refused": "Without a release",
    "comparison.combinations": "combinations",
    "comparison.dots": "release; lines connect thresholds",
    "comparison.front": "Pareto frontier: none is better in both",
    "alt.comparison": (
        "Chart of {runs} by {privacy} and {measure}; the table below names those on the frontier."
    ),
    "lattice.title": "Privacy and loss over the lattice",
    "lattice.nodes": (
        "{nodes} evaluated: ways to choose one level of generalization for each of {names}. "
        "{satisfied} of them satisfy the policy."
    ),
    "lattice.caption": (
        "Each dot is a node. The line connects those that no other beats in both privacy and loss; "
        "a search chooses the one with the lowest loss. The dashed line is the requirement of the "
        "policy: {required}."
    ),
    "lattice.front": "The Pareto front",
    "lattice.order": (
        "From the lowest loss to the highest privacy. Higher levels are coarser; level 0 keeps the "
        "values as they are."
    ),
    "lattice.first": "The first {shown} of {all} are shown.",
    "lattice.fails": "fails the policy",
    "lattice.holds": "satisfies it",
    "lattice.best": "Pareto front: none is better in both",
    "lattice.chosen": "chosen",
    "lattice.achieved": "{model} achieved",
    "lattice.of": "{model} of {attribute}",
    "lattice.loss": "loss",
}
