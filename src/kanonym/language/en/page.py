"""Headings, tables and notes of the page."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "title": "Anonymization report",
    "yes": "yes",
    "no": "no",
    "met": "✓ yes",
    "unmet": "✗ no",
    "under": "under {least}",
    "small": "under {least}",
    "over": "over {most}",
    "fewer": "under {number}",
    "most": "over {number}",
    "of": "{part} of {whole}",
    "noun.record": ("record", "records"),
    "noun.item": ("item", "items"),
    "noun.column": ("column", "columns"),
    "noun.class": ("class", "classes"),
    "noun.node": ("node", "nodes"),
    "noun.cell": ("cell", "cells"),
    "noun.other": ("other", "others"),
    "noun.other-person": ("other person", "other people"),
    "noun.person": ("person", "people"),
    "noun.attack": ("attack", "attacks"),
    "noun.description": ("description", "descriptions"),
    "noun.decision": ("decision", "decisions"),
    "noun.person-cells": ("person (cell by cell)", "people (cell by cell)"),
    "noun.record-cells": ("record (cell by cell)", "records (cell by cell)"),
    "noun.rectangle": ("rectangle", "rectangles"),
    "noun.pair": ("pair", "pairs"),
    "noun.bar": ("bar", "bars"),
    "noun.run": ("run", "runs"),
    "tile.found": "highest chance of picking a record by its quasi-identifiers",
    "tile.found.persons": (
        "highest chance of picking a person in a class by the quasi-identifiers of one record"
    ),
    "tile.found.items": (
        "highest chance of picking a person’s record by what the requirement covers"
    ),
    "tile.found.note": "(smallest class: {records})",
    "first.released": "What was released?",
    "first.required": "Which requirement was set, and was it met?",
    "first.intruder": "What can an intruder do with it, compared with chance?",
    "first.lost": "What was lost?",
    "first.repeat": "How can it be reproduced and checked?",
    "first.made": (
        "Released: {records} with {columns}, made from {source} with {records_in} and {columns_in}."
    ),
    "first.table": "a table",
    "first.drawn": (
        "A seed was drawn and is kept nowhere: with the same table, policy and versions, the first "
        "command gives a release of the same kind; its classes, the order of its rows and random "
        "values may differ. {checks} The policy and all versions are listed under “{section}”."
    ),
    "first.repeated": (
        "With the same table, policy, seed and versions, the first command gives the same release, "
        "byte for byte. {checks} The policy and all versions are listed under “{section}”."
    ),
    "numbers": "The numbers",
    "section.roles": "Roles, and why",
    "section.transformations": "What happened to each attribute",
    "section.privacy": "Privacy: required and achieved",
    "section.attacks": "Attacks: success compared with chance",
    "section.gdpr": "The three questions of data protection",
    "section.risk": "Risk in figures",
    "section.utility": "Utility: what is left",
    "section.maps": "Classes over two quasi-identifiers",
    "section.choice": "The chosen node and its neighbours",
    "section.comparison": "Alternatives: privacy and loss",
    "section.limits": "Limits: what this does not protect against",
    "section.repeat": "How to reproduce it",
    "part.sizes": "Class sizes",
    "part.losses": "Loss per attribute",
    "part.marginals": "Distributions before and after",
    "part.associations": "Associations between columns",
    "part.measures": "Measures of utility",
    "part.suda": "Special uniques",
    "part.presets": "Regulatory thresholds",
    "role.identifier": "identifier",
    "role.quasi-identifier": "quasi-identifier",
    "role.sensitive": "sensitive",
    "role.insensitive": "insensitive",
    "role.set": "set of items",
    "role.changed": "{role}, changed",
    "fate.identifier": "removed",
    "fate.quasi-identifier": "recoded (see 4)",
    "fate.sensitive": "unchanged",
    "fate.insensitive": "unchanged",
    "fate.set": "items recoded or dropped (see 4)",
    "fate.identifier.changed": "replaced",
    "fate.quasi-identifier.changed": "changed, then recoded (see 4)",
    "fate.sensitive.changed": "changed",
    "fate.insensitive.changed": "changed",
    "fate.blanked": "original value or blank",
    "head.role": "role",
    "head.attributes": "attributes",
    "head.attribute": "attribute",
    "head.fate": "released",
    "head.why": "why",
    "head.done": "what was done",
    "head.examples": "invented value → released as",
    "head.requirement": "requirement",
    "head.required": "required",
    "head.achieved": "achieved",
    "head.met": "met",
    "head.attack": "attack",
    "head.wants": "what the intruder wants to know and already knows",
    "head.attempts": "attempts",
    "head.right": "right",
    "head.chance": "by chance",
    "head.baseline": "baseline",
    "head.control": "control",
    "head.beyond": "beyond chance",
    "head.question": "question",
    "head.answer": "answer",
    "head.measure": "measure",
    "head.value": "value",
    "head.unit": "unit",
    "head.better": "better",
    "head.part": "part",
    "head.preset": "threshold",
    "head.reason": "why",
    "head.records": "records",
    "head.class-size": "records in the class",
    "head.classes": "classes",
    "head.recoding": "recoding",
    "head.lost": "span loss",
    "head.listed": "listed exactly",
    "head.named": "values per label",
    "head.rmse": "RMSE",
    "head.values": "values before",
    "head.released-values": "values released",
    "head.bar": "value",
    "head.before": "before",
    "head.after": "after",
    "head.level": "level",
    "head.example": "most frequent label",
    "head.finer": "finer: {what}",
    "head.coarser": "coarser: {what}",
    "head.suppressed": "suppressed",
    "head.satisfies": "satisfies",
    "head.run": "release",
    "head.frontier": "frontier",
    "head.difference": "change",
    "head.columns": "columns",
    "done.identifier": "dropped: it is not in the release",
    "done.items": "items got the labels of a hierarchy, or were dropped",
    "done.unchanged": "released unchanged",
    "done.actions": "changed value by value: {actions}",
    "done.interval": "each class gets the interval from its lowest to its highest value",
    "done.range": "each class gets two columns: its lowest and its highest value",
    "done.set": "each class gets the set of its values",
    "done.hierarchy": "each class gets the finest label of the hierarchy that covers its values",
    "done.levels": "level {level} of {highest} of its hierarchy, in every record",
    "done.mean": "each class gets the mean of its values",
    "done.median": "each class gets the median of its values",
    "done.mode": "each class gets its most frequent value",
    "done.balanced": (
        "each class gets one of its values, chosen so that tables of two columns stay close to the "
        "original’s"
    ),
    "done.value": "original value or blank",
    "done.and": "{first}; then {second}",
    "example": "{invented} → {released}",
    "presets.met": "met",
    "presets.unmet": "not met",
    "presets.unknown": "unknown",
    "repeat.policy": "Policy.",
    "repeat.drawn": (
        "A seed was drawn and is kept nowhere: the first command gives a release of the same kind; "
        "its classes, the order of its rows and random values may differ. The SHA-256 below is "
        "that of this release, written as CSV; that of the policy is of its JSON form with sorted "
        "keys. {checks}"
    ),
    "repeat.sentence": (
        "Run the first command on the same input. The release, written as CSV, has the SHA-256 "
        "below; that of the policy is of its JSON form with sorted keys. {checks}"
    ),
    "repeat.checks": (
        "`kanonym verify` checks a released file by itself, whatever tool made it; "
        "`kanonym attack` attacks it."
    ),
    "repeat.unchecked": (
        "`kanonym attack` attacks a released file. `kanonym verify` cannot check this one: persons "
        "were counted by an identifier that it no longer has, and no manifest of a file has their "
        "number."
    ),
    "repeat.algorithm": "algorithm",
    "repeat.seed": "seed",
    "repeat.seconds": "seconds",
    "repeat.versions": "versions",
    "repeat.input": "input",
    "repeat.output": "output",
    "repeat.date": "date of this report",
    "repeat.policy-form": "as JSON, keys sorted",
    "repeat.release-form": "as CSV",
    "repeat.policy-hash": "SHA-256 of the policy",
    "repeat.release-hash": "SHA-256 of the release",
    "repeat.input-hash": "SHA-256 of the input",
    "repeat.output-hash": "SHA-256 of the output",
    "repeat.source": "Article 29 Working Party, Opinion 05/2014 on Anonymisation Techniques",
    "repeat.save": "To run the commands with {file}, save this as {file}.",
    "repeat.listing": (
        "Values listed in hierarchies and actions are replaced by their SHA-256, because they may "
        "come from the table."
    ),
}
