"""Other solutions in the workbench."""

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
    "wb.explore.front": "no other is better in both",
    "wb.explore.holds": "satisfies the policy",
    "wb.explore.fails": "does not",
    "wb.explore.suppressed": "suppressed records",
    "wb.explore.classes": "classes",
    "wb.explore.solution": "solution",
    "wb.explore.choose": "Choose this one",
    "wb.explore.knee": "recommended",
    "wb.explore.loss": "loss",
    "wb.did.solution": "Solution: {solution}",
}
