"""Answer, price, limits, and the three questions of data protection."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "verdict.satisfied": (
        "The chosen requirement is met",
        "The {requirements} chosen requirements are met",
    ),
    "verdict.satisfied.two": "Both chosen requirements are met",
    "verdict.satisfied.note": (
        "Not a legal finding of anonymity: see what an intruder can still do (3)"
    ),
    "verdict.findings": (
        "but there is one finding: read it before you publish",
        "but there are {findings} findings: read them before you publish",
    ),
    "verdict.not-assessed.note": "but not everything was assessed: see below",
    "part.identity": "Identity",
    "part.identity.question": "Can a person be found in the table?",
    "part.attributes": "Attributes",
    "part.attributes.question": "What is learned about a person?",
    "part.persons": "Persons",
    "part.persons.question": "Are persons what was counted?",
    "part.checked": "checked",
    "part.by construction": "by construction",
    "part.not assessed": "not assessed",
    "part.violated": "violated",
    "verdict.failed": "Policy NOT satisfied",
    "verdict.failed.note": "do not publish this table",
    "verdict.not-private": "NOT private: a seed was given",
    "verdict.not-private.note": "do not publish this table",
    "verdict.none": "No requirement was set",
    "verdict.none.note": "check the smallest class before you publish",
    "verdict.empty": "No record was released",
    "verdict.attacked": "but an attack exceeds its limit: do not publish this table as it is",
    "verdict.attacks.unset": "Attacks: no limit was set",
    "verdict.attacks.unset.note": (
        "What intruders achieve has no verdict; a policy sets limits by attack_limits"
    ),
    "verdict.attacks.unset.untried.note": (
        "No attack was run either; a policy sets limits by attack_limits"
    ),
    "verdict.attacks.kept": (
        "Attacks: the limit is kept",
        "Attacks: all {limits} limits are kept",
    ),
    "verdict.attacks.exceeded": (
        "Attacks: the limit is exceeded",
        "Attacks: a limit is exceeded",
    ),
    "verdict.attacks.undecided": "Attacks: undecided",
    "verdict.attacks.not run": "Attacks: not assessed",
    "verdict.attacks.note": ("Limits of the policy, judged by {confidence} confidence intervals"),
    "verdict.attacks.others": (
        "{note}; {others} other attack has no limit",
        "{note}; {others} other attacks have no limit",
    ),
    "question": (
        "Does the released table meet its requirements, what can somebody still find out, and what "
        "was lost?"
    ),
    "answer.satisfied": (
        "Yes: the requirement is met.",
        "Yes: all {requirements} requirements are met.",
    ),
    "answer.satisfied.two": "Yes: both requirements are met.",
    "answer.failed": "No: the released table does NOT satisfy its policy. Do not publish it.",
    "answer.not-private": (
        "No: a seed was given, so what was drawn can be repeated, and nothing is promised. Do not "
        "publish this table."
    ),
    "answer.findings": (
        "But there is a finding: the requirement alone does not protect everybody.",
        "But there are {findings} findings: the requirements alone do not protect everybody.",
    ),
    "answer.not-assessed": (
        "But not everything was assessed: the parts of the verdict say what to answer."
    ),
    "answer.none": (
        "No requirement was set, so nothing is guaranteed. The release happens to be "
        "{smallest}-anonymous."
    ),
    "answer.empty": "No record was released: there is nothing to find out, and nothing to use.",
    "answer.checked": "This was checked on the released values themselves.",
    "answer.constructed": (
        "The released values were checked as far as they show it; that records were sampled rests "
        "on how the release was made."
    ),
    "answer.classes": (
        "The released {records} forms {classes}; the smallest has {smallest}.",
        "The {records} that were released form {classes}; the smallest has {smallest}.",
    ),
    "answer.chance": (
        "Somebody who knows all quasi-identifiers of a record of the table picks this record with "
        "a chance of at most {highest}, {average} on average; without any knowledge, the chance "
        "would be {blind}."
    ),
    "answer.chance.persons": (
        "Somebody who knows all quasi-identifiers of one record of a person picks this person "
        "among those of the class with a chance of at most {highest}, {average} on average. Who "
        "has several records is easier to find."
    ),
    "answer.chance.items": (
        "Somebody who knows up to {items} of a person in the table, and the quasi-identifiers as "
        "far as the requirement covers them, picks that person’s record with a chance of at most "
        "{highest}; without any knowledge, the chance would be {blind}."
    ),
    "answer.found.items": (
        "Somebody who knows as many items of a person in the table as the requirement assumes "
        "picks the right record with a chance of at most {highest}; without any knowledge, {blind}."
    ),
    "answer.found": (
        "Somebody who knows the quasi-identifiers of a record of the table picks this record with "
        "a chance of at most {highest}; without any knowledge, {blind}."
    ),
    "answer.found.persons": (
        "Somebody who knows the quasi-identifiers of one record of a person picks this person "
        "among those of the class with a chance of at most {highest}. Who has several records is "
        "easier to find."
    ),
    "answer.attacked": (
        "Of {attacks} run, {number} surely succeeds more often than by chance.",
        "Of {attacks} run, {number} surely succeed more often than by chance.",
    ),
    "answer.attacked.none": "None of {attacks} run surely succeeds more often than by chance.",
    "answer.unknown": "For {number} it is unknown whether the release helps.",
    "answer.clearest": "The clearest is “{title}”. {told}",
    "answer.lost": "On average, a released value covers {share} of its column’s range.",
    "price.none": "The original table holds no record.",
    "price.suppressed": (
        "{suppressed} of {records} ({share}) was suppressed; {limit} were allowed.",
        "{suppressed} of {records} ({share}) were suppressed; {limit} were allowed.",
    ),
    "price.sampled": (
        "{suppressed} of {records} ({share}) was left out: not sampled, or in too small a class.",
        "{suppressed} of {records} ({share}) were left out: not sampled, or in too small a class.",
    ),
    "price.complete": "No record was suppressed: all {rows} are in the release.",
    "price.lost": (
        "On average, a released value of a quasi-identifier covers {share} of its column’s range "
        "(0 %: exact; 100 %: no information)."
    ),
    "price.items": (
        "On average, an item lost {share} of its hierarchy (0 %: released as it is; 100 %: "
        "dropped)."
    ),
    "price.emptied": (
        "{records} record has no item left.",
        "{records} records have no item left.",
    ),
    "price.columns": "Column by column: {columns}.",
    "price.column": "{name} {share}",
    "price.uncounted": "Not counted here: {names}.",
    "price.blanked": (
        "{cells} of {every} of quasi-identifiers ({share}) are blank; all others have their "
        "original value."
    ),
    "price.error": (
        "Released as means of their classes, the records have a squared error of {error} % of what "
        "one mean for all would have."
    ),
    "price.least_error": "No other classes of the required size have less than {bound} %.",
    "price.dropped": "dropped columns ({names})",
    "price.kept": "sensitive columns ({names})",
    "limit.shared": "Values shared by a class",
    "limit.shared.unprotected": (
        "No requirement was set for {names}. Where all records of a class have the same value, it "
        "is disclosed for everybody in the class."
    ),
    "limit.shared.none": "No attribute was declared sensitive, so only class sizes were checked.",
    "limit.other": "Other knowledge",
    "limit.other.text": "An intruder is assumed to know at most the quasi-identifiers.",
    "limit.other.insensitive": (
        "If somebody can look up one of {names}, which no requirement protects, the protection "
        "does not hold."
    ),
    "limit.ruling": "Ruling out values",
    "limit.ruling.text": (
        "Somebody who can rule out some values for a person learns more from a class than these "
        "figures show. This is not differential privacy."
    ),
    "limit.being": "Membership in the table",
    "limit.being.text": "The release does not hide that a person is in the table.",
    "limit.releases": "Several releases",
    "limit.releases.text": (
        "Two releases about the same people can be combined and then protect less."
    ),
    "limit.records": "Several records per person",
    "limit.records.text": (
        "Each record counts as one person: the records of one person can fill a class."
    ),
    "limit.records.entity": (
        "k-anonymity, the chances here and the attacks count the people identified by "
        "“{attribute}”. Class sizes count records."
    ),
    "limit.holder": "This report",
    "limit.holder.text": (
        "Its figures depend on the records and are no part of the promise. Keep it, and publish "
        "the public report instead (`kanonym anonymize --public-report`)."
    ),
    "limit.groups": "Facts about groups",
    "limit.groups.text": (
        "What is true of many people stays visible, and may be concluded for a person whether or "
        "not this person is in the table."
    ),
    "limit.records.one": "Several records per person",
    "limit.records.one.text": (
        "One record is protected. For a person with m records the effective ε is m times as large."
    ),
    "limit.persons.one": "One record per person",
    "limit.persons.one.text": (
        "At most one record of each person took part, so persons are protected."
    ),
    "limit.budget": "Other releases",
    "limit.budget.text": (
        "Whoever has several releases of the same table has the sum of their ε and δ; the ledger "
        "adds them up. Trying settings and keeping the best result costs as much as publishing all."
    ),
    "limit.tried": "The attacks",
    "limit.tried.text": (
        "Attacks show what these intruders achieve with the knowledge they are given. Their "
        "failure proves nothing about cleverer ones; the intervals ({confidence} confidence) only "
        "show how far chance may have moved the figures."
    ),
    "limit.untried": "No attack was run, so the chances are based on class sizes alone.",
    "limit.loss": "The loss",
    "limit.loss.text": (
        "The loss measures how wide released values are. Whether an analysis still gives the same "
        "answer must be tested with that analysis."
    ),
    "limit.law": "The law",
    "limit.law.text": (
        "Whether this is anonymous in law depends on who receives it and what else they have. The "
        "figures are evidence for that assessment."
    ),
    "gdpr.intro": (
        "The data protection authorities of the European Union ask three questions about "
        "anonymized data (Article 29 Working Party, Opinion 05/2014, WP 216, section 3). The "
        "figures show what attacks achieved on this release or, where none was run, what class "
        "sizes imply. “Sign a release” in the documentation of kanonym (docs/sign.md) explains "
        "what they say about the GDPR, HIPAA and other rules."
    ),
    "gdpr.singling-out": "Singling out",
    "gdpr.singling-out.question": "Can somebody isolate the records of one person?",
    "gdpr.singling-out.sizes": (
        "No released record is alone in its class: the smallest class has {smallest}."
    ),
    "gdpr.singling-out.persons": (
        "Nobody has a class to themselves: the smallest class has records of {smallest}."
    ),
    "gdpr.singling-out.alone": (
        "Yes: some released records are alone in their class, and so can be isolated by the "
        "quasi-identifiers."
    ),
    "gdpr.linkability": "Linkability",
    "gdpr.linkability.question": (
        "Can somebody link records of the same person, in this table or in another one?"
    ),
    "gdpr.linkability.sizes": (
        "Judging by class sizes alone, somebody who knows the quasi-identifiers of a record of the "
        "table picks this record with a chance of at most {highest}, {average} on average."
    ),
    "gdpr.linkability.persons": (
        "Judging by class sizes alone, somebody who knows the quasi-identifiers of one record of a "
        "person picks this person among those of the class with a chance of at most {highest}, "
        "{average} on average. Who has several records is easier to find."
    ),
    "gdpr.inference": "Inference",
    "gdpr.inference.question": (
        "Can somebody deduce the value of an attribute with significant probability?"
    ),
    "gdpr.inference.protected": (
        "Every class meets requirements on {names}: they limit what a class reveals, but do not "
        "reduce it to nothing."
    ),
    "gdpr.inference.unprotected": (
        "No requirement limits what a class reveals about {names}: a class whose records have the "
        "same value discloses it."
    ),
    "gdpr.inference.none": (
        "No attribute was declared sensitive, so what a class reveals about the others was not "
        "checked."
    ),
    "gdpr.untried": "No attack of this kind was run; `kanonym attack` runs them.",
    "gdpr.empty": "Nothing was released.",
}
