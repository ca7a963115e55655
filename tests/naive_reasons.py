"""The slow twin of the reasons for generalized values: loops over records, k and distinct l."""

from __future__ import annotations


def failure(records, secrets, k, diversity):
    """Return the first of k-anonymity and l-diversity that a class fails, and what it has."""
    if not records:
        return None
    if len(records) < k:
        return ("k-anonymity", len(records))
    values = {secrets[i] for i in records}
    return ("l-diversity", len(values)) if len(values) < diversity else None


def reason(values, labels, secrets, row, asked):
    """Return the size of the class that shares a record's value, what fails, and in which part."""
    k, diversity = asked
    members = [i for i, label in enumerate(labels) if label == labels[row]]
    own = [i for i in members if values[i] == values[row]]
    rest = [i for i in members if values[i] != values[row]]
    first = failure(own, secrets, k, diversity)
    if first is not None:
        return len(own), first, False
    second = failure(rest, secrets, k, diversity)
    return len(own), second, second is not None
