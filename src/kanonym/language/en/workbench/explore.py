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
    "wb.accuracy": "Accuracy of models",
    "wb.accuracy.note": (
        "Models learn to predict a column, once from the release and once from the table, and are "
        "tried on records that neither has seen. This takes some seconds."
    ),
    "wb.accuracy.column": "Column to predict",
    "wb.accuracy.do": "Train and compare",
    "wb.accuracy.found": "{share} of what the table has over a guess is left",
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
    "wb.records.person": "Look somebody up",
    "wb.records.person.note": (
        "Enter what somebody may know about a person, as the table writes it. It is compared "
        "on this machine and kept nowhere."
    ),
    "wb.records.suppressed": "only suppressed records",
    "wb.records.find": "Find",
    "wb.records.all": "All records",
    "wb.records.found": "Records: {number}",
    "wb.records.before": "records the same before",
    "wb.records.before.persons": "people the same before",
    "wb.records.after": "records the same after",
    "wb.records.after.persons": "people the same after",
    "wb.records.gone": "suppressed",
    "wb.records.telling": "what tells it apart",
    "wb.why.records": (
        "With {column} {value} instead of {released}, its class would have {records}; at least "
        "{required} are required."
    ),
    "wb.why.model": (
        "With {column} {value} instead of {released}, its class would have {records} and a "
        "{model} of {measured}; required is {relation} {required}."
    ),
    "wb.why.others.records": (
        "With {column} {value} instead of {released}, {records} of its class would be left over; "
        "at least {required} are required."
    ),
    "wb.why.others.model": (
        "With {column} {value} instead of {released}, the rest of its class would have a {model} "
        "of {measured}; required is {relation} {required}."
    ),
    "wb.why.nothing": (
        "With {column} {value} instead of {released}, no requirement on its class would fail: the "
        "algorithm divides the records in another way."
    ),
    "wb.why.suppressed.records": (
        "Suppressed: with the values it has, its class would have {records}; at least {required} "
        "are required."
    ),
    "wb.why.suppressed.model": (
        "Suppressed: with the values it has, its class would have {records} and a {model} of "
        "{measured}; required is {relation} {required}."
    ),
    "wb.why.suppressed.nothing": (
        "Suppressed, although a class of the values it has would satisfy every requirement on "
        "classes: the algorithm divides the records in another way."
    ),
    "wb.why.suppressed.levels.records": (
        "Suppressed: at the levels of this release its class would have {records}; at least "
        "{required} are required."
    ),
    "wb.why.suppressed.levels.model": (
        "Suppressed: at the levels of this release its class would have {records} and a {model} "
        "of {measured}; required is {relation} {required}."
    ),
    "wb.why.suppressed.levels.nothing": (
        "Suppressed, although its class at the levels of this release would satisfy every "
        "requirement on classes."
    ),
    "wb.records.without": "without {column}: {number} the same",
}
