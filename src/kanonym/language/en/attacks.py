"""Attacks by their names in the JSON contract, and what is said of them."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "attack.homogeneity": "Homogeneity",
    "attack.homogeneity.question": (
        "Which sensitive value does a person have, where all records of the class agree?"
    ),
    "attack.background-knowledge": "Background knowledge",
    "attack.background-knowledge.question": (
        "Which sensitive value does a person have, where some values can be ruled out?"
    ),
    "attack.skewness": "Skewness",
    "attack.skewness.question": (
        "Whose sensitive value has become much more probable than in the whole table?"
    ),
    "attack.similarity": "Similarity",
    "attack.similarity.question": (
        "What kind of sensitive value does a person have, where those of a class are alike?"
    ),
    "attack.similarity-reidentification": "Re-identification by similarity",
    "attack.similarity-reidentification.question": (
        "Which class is most similar to a person, and does it give the sensitive value away?"
    ),
    "attack.linkage": "Record linkage",
    "attack.linkage.question": "Which released record is that of a known person?",
    "attack.optimal-linkage": "Record linkage, all at once",
    "attack.optimal-linkage.question": (
        "Which released record is whose, if all persons are matched at once?"
    ),
    "attack.linkability": "Linkability of two sources",
    "attack.linkability.question": (
        "Which entries of two sources with different columns are one person’s?"
    ),
    "attack.singling-out": "Singling out",
    "attack.singling-out.question": "Which description fits exactly one person of the table?",
    "attack.inference": "Attribute inference",
    "attack.inference.question": ("Which value does a person have in a column that is not known?"),
    "attack.membership": "Membership",
    "attack.membership.question": "Is a known person in the table at all?",
    "attack.intersection": "Intersection of two releases",
    "attack.intersection.question": (
        "Which sensitive value does a person have, if two releases are laid on each other?"
    ),
    "attack.downcoding": "Downcoding",
    "attack.downcoding.question": "Which exact values stand behind the released ones?",
    "attack.inference.question.of": "Which {name} does a known person have?",
    "attack.skewness.question.of": "Whose {name} is now easier to guess than in the whole table?",
    "attack.homogeneity.told": (
        "Knows quasi-identifiers. Of 100 known persons {right} are told for sure, by chance "
        "{chance}."
    ),
    "attack.background-knowledge.told": (
        "Knows quasi-identifiers, and some values that the person does not have. Of 100 known "
        "persons {right} are told for sure, by chance {chance}."
    ),
    "attack.skewness.told": (
        "Knows quasi-identifiers. Of 100 known persons {right} are guessed right, by chance "
        "{chance}."
    ),
    "attack.similarity.told": (
        "Knows quasi-identifiers. Of 100 known persons {right} are told nearly, by chance {chance}."
    ),
    "attack.similarity-reidentification.told": (
        "Knows quasi-identifiers. Of 100 known persons {right} are guessed right, by chance "
        "{chance}."
    ),
    "attack.linkage.told": (
        "Knows quasi-identifiers. Of 100 known persons {right} are matched to their own record, by "
        "chance {chance}."
    ),
    "attack.optimal-linkage.told": (
        "Knows the quasi-identifiers of everybody. Of 100 persons {right} are matched to their own "
        "record, by chance {chance}."
    ),
    "attack.linkability.told": (
        "Knows some quasi-identifiers from one source, others from another. Of 100 persons {right} "
        "are joined right, by chance {chance}."
    ),
    "attack.singling-out.told": (
        "Knows nobody: describes somebody by all released columns, sensitive ones too, which "
        "k-anonymity leaves out. Of 100 descriptions {right} fit one person, by chance {chance}."
    ),
    "attack.inference.told": (
        "Knows quasi-identifiers. Of 100 known persons {right} are guessed right, by chance "
        "{chance}."
    ),
    "attack.membership.told": (
        "Knows quasi-identifiers. Of 100 decisions {right} are right, by chance {chance}."
    ),
    "attack.intersection.told": (
        "Knows quasi-identifiers and a second release. Of 100 known persons {right} are told for "
        "sure, by chance {chance}."
    ),
    "attack.downcoding.told": (
        "Knows the release alone. Of 100 blurred values {right} are named right, by chance "
        "{chance}."
    ),
    "attacks.reading": (
        "By chance: the same guess without the release, or on people who are not in the table. "
        "Gain: the share of what chance leaves that the release adds, (right − chance) / "
        "(1 − chance); below it where it may lie, {confidence} of the time. The policy sets no "
        "limit for attacks, so no verdict is given on them."
    ),
    "attacks.tried": "of {attempts}",
    "attacks.intro": (
        "Each attack was carried out on the release. An attempt is right where what the intruder "
        "says of a person is true. Chance is what the same intruder achieves on persons who are "
        "not in the table (control), and where there are none without the release (baseline)."
    ),
    "attacks.note": (
        "Gain: (right − chance) / (1 − chance), the share of what chance leaves that the release "
        "adds; with its interval, {confidence} of the time. The policy sets no limit for attacks, "
        "so no verdict is given on them."
    ),
    "attacks.hidden.baseline": (
        "The baseline succeeds as often: only a control, people who are not in the table, would "
        "show whether the release helps."
    ),
    "attacks.hidden.control": (
        "The attack succeeds more often on the control than on the table: they are not of one "
        "population, and the gain cannot be told."
    ),
    "attacks.none": (
        "No attack was tried on this release. `kanonym attack ORIGINAL RELEASED --policy POLICY` "
        "tries them."
    ),
    "attacks.sizes": (
        "Whoever knows the quasi-identifiers of a person in the table finds the right record:"
    ),
    "attacks.sizes.most": "at most",
    "attacks.sizes.mean": "on average",
    "attacks.sizes.blind": "blindly, by chance",
    "attacks.untried": "{title}: not tried",
    "attacks.parts": "Parts",
    "attacks.part.rate": "{subject}",
    "attacks.part.named": "{subject}: named right",
    "attacks.part.claimed": "{subject}: a value was claimed",
    "attacks.part.baseline": "{subject}: without the release",
    "attacks.part.control": "{subject}: on persons who are not in the table",
    "attacks.part.risk": "{subject}: gain",
    "attacks.part.attempts": "{subject}: descriptions tried",
    "attacks.part.first release alone": "{subject}: with the first release alone",
    "attacks.part.second release alone": "{subject}: with the second release alone",
    "attacks.part.values left": "{subject}: values left, on average",
    "attacks.part.alone": "found with no other record as near",
    "attacks.part.control_compatible": "persons of the control whom a class fits",
    "attacks.part.generalized": "generalized cells",
    "attacks.part.minimal": "named cells whose generalization is minimal",
    "attacks.part.advantage": "members found minus others taken for members",
    "attacks.part.auc": "area under the ROC curve",
    "attacks.part.with sensitive values": "right, if sensitive values are known too",
    "attacks.part.advantage with sensitive values": (
        "members found minus others taken for members, if sensitive values are known too"
    ),
    "attacks.part.auc with sensitive values": (
        "area under the ROC curve, if sensitive values are known too"
    ),
    "mode.univariate": "descriptions by one column",
    "mode.multivariate": "descriptions by several columns",
    "mode.whole records": "descriptions by all columns",
    "mode.multivariate one-sided": "descriptions by one end of ranges",
    "attacks.kept": "The first {shown} of {all} parts.",
    "interval": "{low} to {high}",
}
