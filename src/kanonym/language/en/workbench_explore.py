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
    "wb.screen.records": "Records",
    "wb.records.lead": (
        "The records that are easiest to find come first. Before: {uniques} were unique. "
        "{suppressed} are not released."
    ),
    "wb.records.person": "Look somebody up",
    "wb.records.person.note": (
        "Enter what somebody may know about a person, as the table writes it. It is compared "
        "on this machine and kept nowhere."
    ),
    "wb.records.suppressed": "only suppressed records",
    "wb.records.find": "Find",
    "wb.records.all": "All records",
    "wb.records.found": "Records: {number}",
    "wb.records.before": "same before",
    "wb.records.after": "same after",
    "wb.records.gone": "suppressed",
    "wb.records.telling": "what tells it apart",
    "wb.records.without": "without {column}: {number} the same",
}
