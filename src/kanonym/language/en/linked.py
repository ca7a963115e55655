"""The report on linked tables."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "linked.title": "Release of linked tables",
    "linked.failed": "do not publish these tables",
    "linked.satisfied": "persons are alike with all rows that an intruder may know by the policy",
    "linked.lead": (
        "Somebody who knows the quasi-identifiers of a person, and all of the person’s rows in"
        " {tables} with how often each occurs, cannot tell the person from at least {others} "
        "others. This was counted on the released tables themselves, joined by their keys."
    ),
    "linked.lead.set": (
        "Somebody who knows the quasi-identifiers of a person, and which rows the person has "
        "in {tables} but not how often, cannot tell the person from at least {others} others. "
        "This was counted on the released tables themselves, joined by their keys."
    ),
    "linked.persons": "Persons",
    "linked.k": "Smallest class",
    "linked.suppressed": "Suppressed persons",
    "linked.loss": "Span loss",
    "linked.tables": "Tables",
    "linked.table": "table",
    "linked.rows.in": "rows in",
    "linked.rows.out": "rows out",
    "linked.tables.note": (
        "A suppressed person takes all rows along; each reference leads to a row that was "
        "released, or is empty."
    ),
    "linked.merged": "rows merged",
    "linked.merged.note": (
        "Merged rows of {table} have the person and every released value of a row that stays, to "
        "which the rows below them now refer. Of {different} different rows of persons, {lost} "
        "were lost."
    ),
    "linked.not-released": "not released",
    "linked.levels": "Levels",
    "linked.column": "quasi-identifier",
    "linked.level": "level",
    "linked.level.of": "{level} of {highest}",
    "linked.levels.note": (
        "Each column has one level in all rows. {checked} of {size} combinations of levels "
        "were tried; {proof}."
    ),
    "linked.optimal": "none loses less",
    "linked.not-optimal": "one that loses less may exist",
    "linked.built": "Hierarchies that were built because none was given: {names}.",
    "linked.knows": "What an intruder knows",
    "linked.known": "an intruder knows",
    "linked.class": "persons in the smallest class",
    "linked.persons_k": "only the table of persons",
    "linked.persons_by_set_k": "all rows, not how often each occurs",
    "linked.persons_by_multiset_k": "all rows, and how often each occurs",
    "linked.persons_by_count_k": "the number of rows in each table",
    "linked.alone": (
        "One person is alone in a class by all rows.",
        "{alone} persons are alone in a class by all rows.",
    ),
    "linked.by-table": "The same for each table",
    "linked.one-row": "one known row",
    "linked.two-rows": "two known rows",
    "linked.all-rows": "number of rows",
    "linked.most": "most rows of a person",
    "linked.numbers": (
        "Numbers of rows identify: a person with many rows is rare. In the policy, cap, merge "
        "and band bound them."
    ),
    "linked.requirements": "Requirements",
    "linked.model": "model",
    "linked.required": "required",
    "linked.achieved": "achieved",
    "linked.keys": "Keys",
    "linked.space": "key",
    "linked.values": "values",
    "linked.pseudonyms": "pseudonyms",
    "linked.keys.note": (
        "Pseudonyms by a key (keyed-hash) are the same in every release under this key: "
        "whoever has two releases can follow a person from one to the other. Numbers "
        "(surrogate) are drawn anew for each release."
    ),
    "linked.none": "released as they are",
    "linked.limits": "What this does not say",
    "linked.limit.dates": (
        "Dates that are shifted by person keep the time between them, which can identify; one "
        "known date reveals all the others of the person."
    ),
    "linked.limit.next": (
        "A further release about the same persons must be judged together with this one."
    ),
    "linked.limit.links": (
        "Free text, and columns that the policy calls insensitive, are not counted."
    ),
    "linked.finding.unprotected-sensitive": (
        "{columns}: no model bounds what a class discloses of it."
    ),
    "linked.finding.dominant-value": (
        "{columns}: nearly all persons of a class have one value; it is practically known of "
        "everybody there."
    ),
    "linked.source": "{source} → {output}",
    "linked.lead.own": (
        "Somebody who knows the quasi-identifiers of a person cannot tell the person from at "
        "least {others} others. This was counted on the released tables themselves; rows of "
        "other tables are not counted."
    ),
}
