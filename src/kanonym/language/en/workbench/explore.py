"""Other solutions and single records in the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.screen.explore": "Explore",
    "wb.job.explore": "Looking for other solutions",
    "wb.explore.lead": (
        "Look at other solutions before you choose one: more privacy costs more information. "
        "Nothing is changed until you choose."
    ),
    "wb.explore.compare": "Compare algorithms and class sizes",
    "wb.explore.lattice": "Evaluate all combinations of levels",
    "wb.explore.comparison": "Compared releases",
    "wb.explore.older": "They were found beside an earlier policy.",
    "wb.explore.shown": "{shown} of {total} are shown.",
    "wb.explore.limited": (
        "These are the best so far: {total} of {whole} were tried before the time was over."
    ),
    "wb.explore.front": "no other is better in both",
    "wb.explore.holds": "satisfies the policy",
    "wb.explore.fails": "does not",
    "wb.explore.below": "It does not satisfy the policy as it is now. Compare again.",
    "wb.explore.sets": "The policy then requires classes of k ≥ {size}.",
    "wb.explore.not": "not enough for the policy",
    "wb.explore.suppressed": "suppressed records",
    "wb.explore.classes": "classes",
    "wb.explore.solution": "solution",
    "wb.explore.choose": "Choose this one",
    "wb.explore.knee": "recommended",
    "wb.explore.loss": "loss",
    "wb.did.solution": "Solution: {solution}",
    "wb.job.accuracy": "Training models on the release",
    "wb.screen.records": "Records",
    "wb.records.lead": (
        "Sorted by how many records of the original table have the same quasi-identifiers, "
        "fewest first. Records alone with theirs: {uniques} of {whole}. Records not released: "
        "{suppressed}."
    ),
    "wb.records.lead.persons": (
        "The records of the people who are easiest to find come first. Unique before: {uniques} of "
        "{whole}. Records that are not released: {suppressed}."
    ),
}
