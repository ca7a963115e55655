"""The public report on a release under differential privacy."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "private.title": "Differentially private release",
    "private.kept": "Differentially private by construction",
    "private.kept.note": "ε = {epsilon}, δ = {delta}; protected: one {unit}",
    "private.void": "NOT private: a seed was given",
    "private.void.note": "what was drawn can be repeated, so nothing is promised",
    "private.audience": (
        "This report may go along with the release: its figures are public parameters, and do not "
        "depend on the records."
    ),
    "private.meaning": "What is promised",
    "private.meaning.text": (
        "Whatever anybody learns from this table about a person, they would learn almost the same "
        "if the {unit} had been left out: any conclusion becomes at most {odds} times as likely, "
        "or as unlikely, but for a chance of {chance}."
    ),
    "private.void.text": (
        "A seed repeats what was drawn. The parameters below were used, but they promise nothing."
    ),
    "private.record": "record",
    "private.person": "person’s record",
    "private.whatever": (
        "It holds whatever an intruder knows or will know, also about everybody else in the table."
    ),
    "private.together": (
        "With other releases of the same table it holds if their ε and δ are added up."
    ),
    "private.about-groups": (
        "It is no promise that facts about groups stay hidden: what is true of many people can be "
        "concluded for a person whether or not this person is in the table."
    ),
    "private.small": "It is no promise of accuracy: small groups are missing from the release.",
    "private.scale": (
        "ε in use elsewhere, as a scale and not as a recommendation: the United States used about "
        "17 to 20 for the persons of the 2020 census."
    ),
    "private.several": (
        "One record is protected. A person with m records has m times the ε, so this is a promise "
        "to persons only where each has one record."
    ),
    "private.one-each": "At most one record of each person took part: persons are protected.",
    "private.parameters": "Parameters",
    "private.head.parameter": "parameter",
    "private.head.value": "value",
    "private.head.meaning": "meaning",
    "private.epsilon": "how much a single record can show, in all",
    "private.delta": "the chance with which it may show more",
    "private.search": "the part of ε for which the levels were drawn",
    "private.beta": "the probability with which each record was sampled",
    "private.k": "classes of fewer sampled records were left out",
    "private.made": "How it was made",
    "private.made.levels.named": (
        "Every attribute has one level of its hierarchy, chosen without looking at the table."
    ),
    "private.made.levels.drawn": (
        "Every attribute has one level of its hierarchy. The levels were drawn by the exponential "
        "mechanism from all nodes, with the part of ε named above."
    ),
    "private.made.sample": (
        "Each record was sampled with probability β, independently, by the system’s random source."
    ),
    "private.made.classes": (
        "Records whose values read the same form a class. Classes of fewer than k sampled records "
        "are missing, and so are all records that were not sampled."
    ),
    "private.public": "What was public beforehand",
    "private.public.text": (
        "These hierarchies are part of the mechanism. A value that one does not list is released "
        "as the root; an empty cell has a branch of its own."
    ),
    "private.head.level": "level",
    "private.head.hierarchy": "hierarchy",
    "private.level": "{level} of {highest}",
    "private.listed": "{n} listed values",
    "private.verified": "What was checked",
    "private.verified.text": (
        "In the released values: every class has at least k records, each column has the labels of "
        "one level, and there is no other column."
    ),
    "private.unverified.text": (
        "Released values cannot show that records were sampled, that nobody can repeat the draws, "
        "and that hierarchies, levels and parameters were chosen without looking at the table. For "
        "this, the publisher vouches."
    ),
    "private.others": "Other releases of the same table",
    "private.others.known": (
        "By its ledger, this is the only release of the table: ε = {epsilon}, δ = {delta}.",
        "By its ledger, {releases} releases of the table: together ε = {epsilon}, δ = {delta}.",
    ),
    "private.others.rho": "Synthetic tables among them: together ε = {epsilon} at δ = {delta}.",
    "private.others.unknown": "No ledger was kept: what else was released is not known here.",
    "private.synthetic.title": "Differentially private synthetic table",
    "private.records": "person’s records",
    "private.some-each": (
        "At most {most} records of each person took part: all of them together are protected."
    ),
    "private.noise": (
        "It is no promise of accuracy: counts are noisy, and those of small groups mostly noise."
    ),
    "private.rho": "the same as zero-concentrated differential privacy",
    "private.made.noise": (
        "Records were counted by a few columns at a time, and noise was added to each count: the "
        "discrete Gaussian distribution, drawn exactly by the system’s random source."
    ),
    "private.made.model.aim": (
        "Method AIM: again and again, the columns were drawn that the model explained worst, and "
        "counted, until the budget was spent."
    ),
    "private.made.model.mst": (
        "Method MST: each column was counted, and pairs of columns that form a tree, which were "
        "drawn with a third of the budget."
    ),
    "private.made.drawn": (
        "Every record of the table was drawn from the model of these noisy counts. None is of a "
        "person. Their number was chosen, or follows from the noisy counts."
    ),
    "private.domains": (
        "These domains were declared without looking at the table. A value that one does not list "
        "is read as “other” if that is listed, otherwise as missing; numbers beyond a range as its "
        "nearer end. Where neither is a value, the record was left out."
    ),
    "private.head.domain": "domain",
    "private.head.nulls": "may be missing",
    "private.range": "{minimum} to {maximum}, in {bins} bins",
    "private.constraints": "Constraints that every record keeps",
    "private.unverified.synthetic": (
        "Values of a synthetic table cannot show that noise was added, that nobody can repeat the "
        "draws, and that domains and parameters were chosen without looking at the table. For "
        "this, the publisher vouches."
    ),
    "private.file": "File",
}
