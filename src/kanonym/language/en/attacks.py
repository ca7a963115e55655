"""Attacks by their names in the JSON contract, and what is said of them."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "attack.homogeneity": "Homogeneity",
    "attack.homogeneity.question": (
        "What is a person’s sensitive value, where all records of the class have the same one?"
    ),
    "attack.background-knowledge": "Background knowledge",
    "attack.background-knowledge.question": (
        "What is a person’s sensitive value, if some values can be ruled out?"
    ),
    "attack.skewness": "Skewness",
    "attack.skewness.question": (
        "Whose sensitive value is much more probable in their class than in the whole table?"
    ),
    "attack.similarity": "Similarity",
    "attack.similarity.question": (
        "What kind of sensitive value does a person have, where the values of a class are alike?"
    ),
    "attack.similarity-reidentification": "Re-identification by similarity",
    "attack.similarity-reidentification.question": (
        "Which class is most similar to a person, and does it disclose the sensitive value?"
    ),
    "attack.unique-exact-matches": "Unique exact matches",
    "attack.unique-exact-matches.question": (
        "Which released record has exactly the values of a person who is the only one with them?"
    ),
    "attack.apparent-matches": "Apparent matches",
    "attack.apparent-matches.question": (
        "Which person and which released record are both the only ones with the known values?"
    ),
    "attack.disco": "DiSCO",
    "attack.disco.question": (
        "What is a person’s sensitive value, where all records with exactly the known values have "
        "the same one?"
    ),
    "attack.linkage": "Record linkage",
    "attack.linkage.question": "Which released record belongs to a known person?",
    "attack.known-items": "Known items",
    "attack.known-items.question": (
        "Which released record belongs to a person of whom some items are known?"
    ),
    "attack.known-records": "Several known records",
    "attack.known-records.question": (
        "Which pseudonym belongs to a person of whom several records are known?"
    ),
    "attack.linkability": "Linkability of two sources",
    "attack.linkability.question": (
        "Which entries of two sources with different columns belong to the same person?"
    ),
    "attack.singling-out": "Singling out",
    "attack.singling-out.question": "Which description matches exactly one person in the table?",
    "attack.inference": "Attribute inference",
    "attack.inference.question": (
        "Which value does a person have in a column that the intruder does not know?"
    ),
    "attack.membership": "Membership",
    "attack.membership.question": "Is a known person in the table at all?",
    "attack.intersection": "Intersection of two releases",
    "attack.intersection.question": (
        "What is a person’s sensitive value, if two releases are combined?"
    ),
    "attack.definetti": "DeFinetti’s attack",
    "attack.definetti.question": (
        "Which sensitive value of a class is whose, judging by all classes together?"
    ),
    "attack.minimality": "Minimality",
    "attack.minimality.question": (
        "Which sensitive value does a person have, given what the algorithm did not do?"
    ),
    "attack.downcoding": "Downcoding",
    "attack.downcoding.question": "Which exact values are behind the released ones?",
    "attack.inference.question.of": "What is the {name} of a known person?",
    "attack.skewness.question.of": "Whose {name} is now easier to guess than from the whole table?",
    "attack.homogeneity.told": (
        "Knows the quasi-identifiers. Of 100 known people, the value of {right} is certain; by "
        "chance, of {chance}."
    ),
    "attack.background-knowledge.told": (
        "Knows the quasi-identifiers, and some values that the person does not have. Of 100 known "
        "people, the value of {right} is certain; by chance, of {chance}."
    ),
    "attack.skewness.told": (
        "Knows the quasi-identifiers. Of 100 known people, {right} are guessed right; by chance, "
        "{chance}."
    ),
    "attack.similarity.told": (
        "Knows the quasi-identifiers. Of 100 known people, the value of {right} is known "
        "approximately; by chance, of {chance}."
    ),
    "attack.similarity-reidentification.told": (
        "Knows the quasi-identifiers. Of 100 known people, {right} are guessed right; by chance, "
        "{chance}."
    ),
    "attack.unique-exact-matches.told": (
        "Knows everybody’s values. Of 100 people whose values nobody shares, a released record has "
        "exactly those of {right}; by chance, of {chance}."
    ),
    "attack.apparent-matches.told": (
        "Knows everybody’s quasi-identifiers. Of 100 people, {right} seem to match one released "
        "record; by chance, {chance}."
    ),
    "attack.disco.told": (
        "Knows the quasi-identifiers. Of 100 known people, the value of {right} is the only one in "
        "records with exactly these values; by chance, of {chance}."
    ),
    "attack.linkage.told": (
        "Knows the quasi-identifiers. Of 100 known people, {right} are matched to their own "
        "record; by chance, {chance}."
    ),
    "attack.known-items.told": (
        "Knows some of the items of a person. Of 100 known people, {right} are matched to their "
        "own record; by chance, {chance}."
    ),
    "attack.known-records.told": (
        "Knows the quasi-identifiers of all records of a person. Of 100 known people, {right} are "
        "the only ones left; by chance, {chance}."
    ),
    "attack.linkability.told": (
        "Knows some quasi-identifiers from one source and others from another. Of 100 people, "
        "{right} are linked correctly; by chance, {chance}."
    ),
    "attack.singling-out.told": (
        "Knows nobody: describes a person by all released columns, including the sensitive ones, "
        "which k-anonymity does not cover. Of 100 descriptions, {right} match exactly one person; "
        "by chance, {chance}."
    ),
    "attack.inference.told": (
        "Knows the quasi-identifiers. Of 100 known people, {right} are guessed right; by chance, "
        "{chance}."
    ),
    "attack.membership.told": (
        "Knows the quasi-identifiers. Of 100 decisions, {right} are right; by chance, {chance}."
    ),
    "attack.intersection.told": (
        "Knows the quasi-identifiers and a second release. Of 100 known people, the value of "
        "{right} is certain; by chance, of {chance}."
    ),
    "attack.definetti.told": (
        "Knows everybody’s quasi-identifiers, and shares the values of each class out by likeness. "
        "Of 100 known people, {right} are guessed right; by chance, {chance}."
    ),
    "attack.minimality.told": (
        "Knows the quasi-identifiers of everybody and the algorithm with its parameters. Of 100 "
        "persons {right} are told for sure, by the classes alone {chance}. What may as well have "
        "been left out by chance is not counted."
    ),
    "attack.downcoding.told": (
        "Knows only the release. Of 100 generalized values, {right} are named correctly; by "
        "chance, {chance}."
    ),
    "attacks.chosen": "The table has the most successful attack on each question.",
    "attacks.finding.beyond": "The release helps such an intruder.",
    "attacks.finding.none": "No success beyond chance was shown.",
    "attacks.finding.baseline": (
        "It does not surely succeed more often than the baseline, which is another attack; only a "
        "control (people who are not in the table) would show whether the release helps."
    ),
    "attacks.finding.control": (
        "It succeeds more often on the control than on the table: they are not from the same "
        "population, and what the release adds is unknown."
    ),
    "attacks.limit.kept": "{title}: at most {most} beyond chance; the limit of {limit} is kept.",
    "attacks.limit.exceeded": (
        "{title}: at least {least} beyond chance; the limit of {limit} is exceeded."
    ),
    "attacks.limit.undecided": (
        "{title}: {least} to {most} beyond chance; whether the limit of {limit} is kept is "
        "undecided."
    ),
    "attacks.limit.undecided.control": (
        "Chance is that of another attack and bounds nothing; a control (people who are not in the "
        "table) may decide it."
    ),
    "attacks.limit.undecided.attempts": "More attempts may decide it.",
    "attacks.limit.not run": (
        "{title}: not run, so whether the limit of {limit} is kept is unknown."
    ),
    "attacks.limit.not run.why": (
        "{title}: not run, so whether the limit of {limit} is kept is unknown ({reason})."
    ),
    "attacks.sizes": (
        "Chance that somebody who knows the quasi-identifiers of a record of the table picks this "
        "record:"
    ),
    "attacks.sizes.persons": (
        "Chance that somebody who knows the quasi-identifiers of one record of a person picks this "
        "person among those of the class (who has several records is easier to find):"
    ),
    "attacks.sizes.most": "at most",
    "attacks.sizes.mean": "on average",
    "attacks.sizes.blind": "at random, without any knowledge",
    "attacks.part.rate": "{subject}",
    "attacks.part.named": "{subject}: named correctly",
    "attacks.part.claimed": "{subject}: a value was claimed",
    "attacks.part.baseline": "{subject}: without the release",
    "attacks.part.control": "{subject}: on people who are not in the table",
    "attacks.part.risk": "{subject}: beyond chance",
    "attacks.part.attempts": "{subject}: descriptions tried",
    "attacks.part.first release alone": "{subject}: with the first release alone",
    "attacks.part.second release alone": "{subject}: with the second release alone",
    "attacks.part.values left": "{subject}: values that remain possible, on average",
    "attacks.part.alone": "found with no other record equally close",
    "attacks.part.one record known": "identified, if one record is known",
    "attacks.part.two records known": "identified, if two records are known",
    "attacks.part.three records known": "identified, if three records are known",
    "attacks.part.other values that agree": "other values of matches that agree",
    "attacks.part.in the original": "{subject}: if the original were published",
    "attacks.part.control_compatible": "people of the control who fit a class",
    "attacks.part.generalized": "generalized cells",
    "attacks.part.minimal": "named cells with a minimal generalization",
    "attacks.part.labels present": "cells of which all labels one level below are known to occur",
    "attacks.part.counts known": "cells of which all numbers one level below are known",
    "attacks.part.bits told": "what the algorithm tells of the labels one level below",
    "attacks.part.fewer than l values": "persons with fewer than l values left",
    "attacks.part.claimed from dissolved classes": (
        "persons whose class for size alone was not released, and whose value is claimed"
    ),
    "attacks.part.right of the claimed": "claims that are right",
    "attacks.part.right by the class alone": "claims that would be right by the class alone",
    "attacks.part.sure": "{subject}: surer than 90 %",
    "attacks.part.sure by the class alone": "{subject}: surer than 90 % by the class alone",
    "attacks.part.advantage": "true positive rate minus false positive rate",
    "attacks.part.auc": "area under the ROC curve",
    "attacks.part.with sensitive values": "right, if sensitive values are also known",
    "attacks.part.advantage with sensitive values": (
        "true positive rate minus false positive rate, if sensitive values are also known"
    ),
    "attacks.part.auc with sensitive values": (
        "area under the ROC curve, if sensitive values are also known"
    ),
    "mode.univariate": "descriptions using one column",
    "mode.multivariate": "descriptions using several columns",
    "mode.whole records": "descriptions using all columns",
    "mode.multivariate one-sided": "descriptions using one end of ranges",
    "interval": "{low} to {high}",
}
