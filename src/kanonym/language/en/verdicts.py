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
    "verdict.warned": (
        "but one warning stands: read it before you publish",
        "but {warnings} warnings stand: read them before you publish",
    ),
    "verdict.failed": "Policy NOT satisfied",
    "verdict.failed.note": "do not publish this table",
    "verdict.none": "Nothing was required",
    "verdict.none.note": "look at the smallest class before you publish",
    "verdict.empty": "No record was released",
    "question": (
        "Is the released table protected as was asked, what can somebody still find out, and what "
        "did it cost?"
    ),
    "answer.satisfied": (
        "Yes: the requirement is met.",
        "Yes: all {requirements} requirements are met.",
    ),
    "answer.satisfied.two": "Yes: both requirements are met.",
    "answer.failed": "No: the released table does NOT satisfy its policy. Do not publish it.",
    "answer.warned": (
        "But there is a warning: the requirement alone does not protect everybody.",
        "But there are {warnings} warnings: the requirements alone do not protect everybody.",
    ),
    "answer.none": (
        "Nothing was required, so nothing is promised. The release happens to be "
        "{smallest}-anonymous."
    ),
    "answer.empty": "No record was released: there is nothing to find out, and nothing to use.",
    "answer.checked": "This was checked on the released values themselves.",
    "answer.classes": (
        "The released {records} forms {classes}; the smallest has {smallest}.",
        "The {records} that were released form {classes}; the smallest has {smallest}.",
    ),
    "answer.chance": (
        "Somebody who knows all quasi-identifiers of a person in the table picks that person’s "
        "record with a chance of at most {highest}, {average} on average; blindly, without any "
        "knowledge, it would be {blind}."
    ),
    "answer.found": (
        "Who knows of a person in the table what may be known (the quasi-identifiers) picks the "
        "right record with a chance of at most {highest}, blindly of {blind}."
    ),
    "answer.attacked": (
        "Of {attacks} tried, “{title}” gained most over chance: right in {rate} of the attempts, "
        "by chance {chance}, a gain of {risk} of what chance leaves."
    ),
    "answer.lost": "On average a released value covers {share} of its column’s range.",
    "price.none": "The original table holds no record.",
    "price.suppressed": (
        "{suppressed} of {records} ({share}) was left out (suppressed); {limit} were allowed.",
        "{suppressed} of {records} ({share}) were left out (suppressed); {limit} were allowed.",
    ),
    "price.complete": "No record was left out: all {rows} are in the release.",
    "price.lost": (
        "On average a released value of a quasi-identifier covers {share} of its column’s "
        "range (0 %: exact, 100 %: nothing left)."
    ),
    "price.columns": "Column by column: {columns}.",
    "price.column": "{name} {share}",
    "price.uncounted": "Not counted in this: {names}.",
    "price.blanked": (
        "{cells} of {every} of quasi-identifiers ({share}) are left blank; all others are true."
    ),
    "price.dropped": "dropped columns ({names})",
    "price.kept": "sensitive columns ({names})",
    "inside": "Keep this report inside.",
    "inside.note": "It shows distributions of the original table next to the released ones.",
    "limit.shared": "Secrets that a class shares",
    "limit.shared.unprotected": (
        "No requirement was put on {names}. Where all records of a class agree on a value, it is "
        "disclosed for everybody in the class."
    ),
    "limit.shared.none": (
        "No attribute was declared sensitive, so only the size of classes was looked at."
    ),
    "limit.other": "Other knowledge",
    "limit.other.text": "An intruder is taken to know at most the quasi-identifiers.",
    "limit.other.insensitive": (
        "If somebody can look up one of {names}, which are released unchanged, the protection "
        "does not hold."
    ),
    "limit.ruling": "Ruling out",
    "limit.ruling.text": (
        "Who can rule out some values for a person learns more from a class than these numbers "
        "say. This is not differential privacy."
    ),
    "limit.being": "Being in the table",
    "limit.being.text": "That a person is in the table is not hidden.",
    "limit.releases": "Several releases",
    "limit.releases.text": (
        "Two releases about the same people can be combined and then protect less."
    ),
    "limit.records": "Several records a person",
    "limit.records.text": (
        "One record counts as one person: records of one person can fill a class."
    ),
    "limit.records.entity": (
        "k-anonymity and the chances here count the persons that “{attribute}” tells apart. "
        "Attacks and sizes of classes count records."
    ),
    "limit.tried": "The attacks",
    "limit.tried.text": (
        "Attacks show what these intruders achieve with the knowledge they are given. That they "
        "fail proves nothing about cleverer ones; the intervals say only how far chance may have "
        "moved the numbers, {confidence} of the time."
    ),
    "limit.untried": "No attack was tried, so chances are those of class sizes alone.",
    "limit.loss": "The loss",
    "limit.loss.text": (
        "The loss counts how wide released values are. Whether an analysis still gives the same "
        "answer must be tried with that analysis."
    ),
    "limit.law": "The law",
    "limit.law.text": (
        "Whether this is anonymous in law depends on who receives it and what else they have. The "
        "numbers are evidence for that judgement."
    ),
    "limits.short": "Not covered: {headings}. The section “{section}” says why.",
    "gdpr.intro": (
        "The data protection authorities of the European Union ask three questions of anonymized "
        "data (Article 29 Working Party, Opinion 05/2014, WP 216, section 3). The figures are "
        "what attacks achieved on this release; where none was tried, what class sizes imply."
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
        "Somebody with the quasi-identifiers of a person in the table links the right record with "
        "a chance of at most {highest}, {average} on average."
    ),
    "gdpr.inference": "Inference",
    "gdpr.inference.question": (
        "Can somebody deduce the value of an attribute with significant probability?"
    ),
    "gdpr.inference.protected": (
        "Requirements hold on {names} in every class: they bound what a class tells, but do not "
        "make it nothing."
    ),
    "gdpr.inference.unprotected": (
        "No requirement bounds what a class tells of {names}: a class whose records agree on a "
        "value gives it away."
    ),
    "gdpr.inference.none": (
        "No attribute was declared sensitive: what a class tells of the others was not looked at."
    ),
    "gdpr.attacked": (
        "Tried: {attacks}. Most was gained by “{title}”: right in {rate} of {attempts} attempts, "
        "by chance {chance}; that is {risk} of what chance leaves ({low} to {high})."
    ),
    "gdpr.beyond": "So the release does help such an intruder.",
    "gdpr.not-beyond": "More than chance was not shown.",
    "gdpr.untried": "No attack of this kind was tried; `kanonym attack` tries them.",
    "gdpr.empty": "Nothing was released.",
}
