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
        "Take {release}: the frontier bends there. {way}. The way up to the bend brings {gained} "
        "of the privacy, counted in doublings, for {paid} of the loss; the rest of the way brings "
        "{further} for {further_paid}."
    ),
    "take.only": (
        "Take {release}: no other release is more private, and none that is as private is more "
        "useful."
    ),
    "take.no-knee": (
        "The frontier has no knee. {way}; {why}. Take the first release on it that is private "
        "enough for you."
    ),
    "take.two": "two releases make no bend",
    "take.straight": (
        "on the way, each doubling of privacy costs about as much as the one before it, or less"
    ),
    "take.not-measured": (
        "No release has both {privacy} and {measure}: there is nothing to choose by. Judge by "
        "another measure."
    ),
    "take.none": "No combination gave a release: there is nothing to choose from.",
    "take.useless": (
        "No release can be recommended: by {measure}, none is more useful than guessing without "
        "it. Ask for less privacy, or release other columns."
    ),
    "axis.useful": "{name} ({better})",
    "comparison.title": "Releases compared",
    "comparison.this": "take this",
    "comparison.taken": "{label} (take this)",
    "comparison.caption": (
        "Each dot is a verified release of the same table; gray lines connect releases that differ "
        "only in thresholds. The blue line is the frontier: no other release is at least as "
        "private and loses less. A circle marks the one to take."
    ),
    "comparison.frontier": "The frontier",
    "comparison.order": "From the least private release to the most private one.",
    "comparison.refused": "Without a release",
    "comparison.combinations": "combinations",
    "comparison.dots": "a release; lines connect thresholds",
    "comparison.front": "frontier: nothing beats it in both",
    "alt.comparison": (
        "Chart of {runs} by {privacy} and {measure}; the table below names those on the frontier."
    ),
    "lattice.title": "Privacy and loss over the lattice",
    "lattice.nodes": (
        "{nodes} evaluated: ways to choose one level of generalization for each of {names}. "
        "{satisfied} of them satisfy the policy."
    ),
    "lattice.caption": (
        "Each dot is a node. The line connects those that no other one beats in privacy and in "
        "loss; a search chooses the one with the lowest loss. The dashed line is what the policy "
        "requires: {required}."
    ),
    "lattice.front": "The front",
    "lattice.order": (
        "From the lowest loss to the highest privacy. Higher levels are coarser; level 0 leaves a "
        "value as it is."
    ),
    "lattice.first": "The first {shown} of {all} are shown.",
    "lattice.fails": "fails the policy",
    "lattice.holds": "satisfies it",
    "lattice.best": "front: nothing beats it in both",
    "lattice.chosen": "chosen",
    "lattice.achieved": "{model} achieved",
    "lattice.of": "{model} of {attribute}",
    "lattice.loss": "loss",
}
