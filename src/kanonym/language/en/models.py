"""What each privacy model asks, and what a search found."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "requirement.k-anonymity": (
        "Every record must look the same as at least {others}: each class has at least {records}."
    ),
    "requirement.k-anonymity.entity": (
        "Every record must look the same as those of at least {others}: each class has records of "
        "at least {persons}, identified by “{attribute}”."
    ),
    "requirement.alpha-k-anonymity": (
        "Each class has at least {k} records, and no value of “{attribute}” makes up more than "
        "{share} of a class."
    ),
    "requirement.l-diversity.distinct": (
        "In every class, “{attribute}” has at least {asked} distinct values."
    ),
    "requirement.l-diversity.entropy": (
        "In every class, “{attribute}” is at least as varied as {asked} equally frequent values."
    ),
    "requirement.l-diversity.recursive": (
        "In every class, the most frequent value of “{attribute}” has fewer records than {asked} "
        "times those of the {rank} most frequent value and all rarer ones together."
    ),
    "requirement.t-closeness": (
        "In every class, the distribution of “{attribute}” is close to that of the whole table: at "
        "a distance of at most {asked}, on a scale from 0 (the same) to 1."
    ),
    "requirement.t-closeness.largest-difference": (
        "In every class, the share of each value of “{attribute}” differs by at most {asked} from "
        "its share in the whole table."
    ),
    "requirement.t-closeness.kullback-leibler": (
        "In every class, the Kullback-Leibler divergence of the distribution of “{attribute}” from "
        "that of the whole table is at most {asked}; 0 is the same."
    ),
    "requirement.beta-likeness.basic": (
        "In no class is a value of “{attribute}” more than {times} times as frequent as in the "
        "whole table."
    ),
    "requirement.beta-likeness.enhanced": (
        "In no class is a value of “{attribute}” more than {times} times as frequent as in the "
        "whole table; for frequent values the limit is lower."
    ),
    "requirement.delta-disclosure": (
        "In every class, each value of “{attribute}” that occurs is less than {times} times as "
        "frequent as in the whole table, and more than 1/{times} times."
    ),
    "requirement.average-risk": (
        "On average over all records, the chance of picking a person’s record is at most {share}: "
        "there are at most {share} as many classes as records."
    ),
    "requirement.sample-uniqueness": "At most {share} of the records are alone in their class.",
    "requirement.population-uniqueness": (
        "The table is treated as a random sample of {population}. By estimate, at most {share} of "
        "them are unique in their quasi-identifiers."
    ),
    "requirement.k-map": "Every record matches at least {persons} of the population.",
    "requirement.delta-presence": (
        "Somebody who finds a person in the population can infer with a probability of at most "
        "{share} that this person’s record is released."
    ),
    "requirement.delta-presence.between": (
        "Somebody who finds a person in the population can infer with a probability of {least} to "
        "{share} that this person’s record is released."
    ),
    "requirement.km-anonymity": (
        "Whoever knows up to {items} of a person finds at least {records} that could be theirs."
    ),
    "requirement.k-km-anonymity": (
        "Each class has at least {records}, and whoever knows a person’s class and up to {items} "
        "of theirs finds at least as many in it that could be theirs."
    ),
    "requirement.differential-privacy": (
        "The release is differentially private with ε = {asked} and δ = {delta}: whatever anybody "
        "learns from it, they would learn almost the same without any single {unit}."
    ),
    "requirement.other": "The model {type} is required with the value {asked}.",
    "requirement.other.of": "The model {type} on “{attribute}” is required with the value {asked}.",
    "requirement.shared": (
        "In one class, {share} of the records have the same value of “{attribute}”."
    ),
    "symbol.risk": "risk",
    "symbol.share": "share",
    "nothing": "No requirement was set, so nothing is guaranteed.",
    "class": (
        "Quasi-identifiers are the columns that somebody may know about a person. All released "
        "records with the same values in them form a class: nobody can distinguish them by these "
        "columns alone."
    ),
    "counting": (
        "For the requirement, {ways}. The classes and chances in this report treat an empty cell "
        "as a value of its own, and use all quasi-identifiers together."
    ),
}
