"""DeFinetti's attack, slowly: person by person, value by value."""

from __future__ import annotations

import math


def assigned(profiles, classes, shares):
    """Return for each person a dict of how likely each value is.

    profiles: a tuple of known values a person. classes: the class of each person. shares: a
    dict of a class's values and their shares.
    """
    people = range(len(profiles))
    values = sorted({value for one in shares.values() for value in one})
    found = [dict(shares[classes[i]]) for i in people]
    for _ in range(15):
        likelihood = {}
        for column in range(len(profiles[0])):
            domain = {profile[column] for profile in profiles}
            for value in values:
                counts = {
                    known: [profile[column] for profile in profiles].count(known) / len(profiles)
                    + sum(found[i].get(value, 0) for i in people if profiles[i][column] == known)
                    for known in domain
                }
                total = sum(counts.values())
                for known, count in counts.items():
                    likelihood[column, known, value] = count / total
        found = [
            {
                value: share
                * math.prod(likelihood[c, known, value] for c, known in enumerate(profiles[i]))
                for value, share in shares[classes[i]].items()
            }
            for i in people
        ]
        for one in set(classes):
            fit([found[i] for i in people if classes[i] == one], shares[one])
    return found


def fit(members, shares):
    """Scale the members of a class, in place: each adds up to 1, each value to its number."""
    for _ in range(1000):
        for one in members:
            total = sum(one.values())
            for value in one:
                one[value] /= total
        for value, share in shares.items():
            total = sum(one[value] for one in members)
            for one in members:
                one[value] *= share * len(members) / total
