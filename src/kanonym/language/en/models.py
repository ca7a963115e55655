"""What each privacy model asks, and what a search found."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "requirement.k-anonymity": (
        "Every record must look the same as at least {others}: each class has at least {records}."
    ),
    "requirement.k-anonymity.entity": (
        "Every record must look the same as those of at least {others}: each class has records "
        "of at least {persons}, told apart by “{attribute}”."
    ),
    "requirement.alpha-k-anonymity": (
        "Each class has at least {k} records, and no value of “{attribute}” makes up more than "
        "{share} of a class."
    ),
    "requirement.l-diversity.distinct": (
        "In every class, “{attribute}” takes at least {asked} different values."
    ),
    "requirement.l-diversity.entropy": (
        "In every class, “{attribute}” is at least as varied as {asked} equally frequent values."
    ),
    "requirement.l-diversity.recursive": (
        "In every class, the most frequent value of “{attribute}” has fewer records than {asked} "
        "times those of the {rank} most frequent value and all rarer ones together."
    ),
    "requirement.t-closeness": (
        "In every class, the values of “{attribute}” are distributed much as in the whole table: "
        "at most {asked} away, on a scale from 0 (the same) to 1."
    ),
    "requirement.beta-likeness.basic": (
        "In no class is a value of “{attribute}” more than {times} times as frequent as in the "
        "whole table."
    ),
    "requirement.beta-likeness.enhanced": (
        "In no class is a value of “{attribute}” more than {times} times as frequent as in the "
        "whole table, and frequent values less than that."
    ),
    "requirement.delta-disclosure": (
        "In every class, each value of “{attribute}” that occurs is less than {times} times as "
        "frequent as in the whole table, and more than 1/{times} times."
    ),
    "requirement.average-risk": (
        "There are at most {share} as many classes as records: a person’s record is picked with "
        "at most this chance, on average over all records."
    ),
    "requirement.sample-uniqueness": "At most {share} of the records are alone in their class.",
    "requirement.population-uniqueness": (
        "The table is taken for a random sample of {population}. By estimate, at most {share} of "
        "them are the only one with their quasi-identifiers."
    ),
    "requirement.k-map": ("Every record could be that of at least {persons} of the population."),
    "requirement.delta-presence": (
        "Whoever finds a person in the population learns that their record is released with a "
        "probability of at most {share}."
    ),
    "requirement.delta-presence.between": (
        "Whoever finds a person in the population learns that their record is released with a "
        "probability from {least} to {share}."
    ),
    "requirement.other": "The model {type} holds with the value {asked}.",
    "requirement.other.of": "The model {type} on “{attribute}” holds with the value {asked}.",
    "requirement.shared": "In one class, {share} of the records share one value of “{attribute}”.",
    "symbol.risk": "risk",
    "symbol.share": "share",
    "nothing": "Nothing was required, so nothing is promised.",
    "class": (
        "Quasi-identifiers are the columns that somebody may know of a person. All released "
        "records that agree in them form a class: nobody can tell them apart by these columns "
        "alone."
    ),
    "counting.wildcard": "a suppressed (empty) cell counts as any value",
    "counting.subsets": "every {subsets} quasi-identifiers are looked at by themselves",
    "counting": (
        "For the requirement, {ways}. The classes and chances here take an empty cell for a value "
        "of its own, and all quasi-identifiers together."
    ),
    "search.found": (
        "The chosen node has a score of {score} by the metric “{metric}”; less is better."
    ),
    "search.given": "The levels were given: there was nothing to search.",
    "search.optimal": "No other of the lattice’s {nodes} that satisfy the policy scores less.",
    "search.looked": "Of the lattice’s {nodes}, {checked} were looked at.",
    "search.stopped": "The search was stopped by its user.",
    "search.gap": (
        "That this is the best is not proven: another may score up to {gap} less, but none less "
        "than {bound}."
    ),
    "choice.note": (
        "Level 0 leaves values as they are, the highest level is “*”. Finer and coarser: the same "
        "release with that one level changed, and all records suppressed whose class then fails. "
        "A level finer keeps more of its attribute, but more records may have to be suppressed, "
        "or too many."
    ),
}
