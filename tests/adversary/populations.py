"""Independent checkers of models about persons: who could be meant, and who is unique.

Nothing of kanonym is imported here.
"""

from __future__ import annotations

import math
from collections import Counter

from scipy.optimize import minimize

NEAR = 1 + 1e-6


def key_of(row, names):
    """Return what tells the class of a released record."""
    return tuple((type(row[name]).__name__, str(row[name])) for name in names)


def persons_hold(k, rows, names, person_of):
    """Return whether every class has records of k different persons."""
    found = {}
    for row in rows:
        found.setdefault(key_of(row, names), set()).add(person_of[int(row["id"])])
    return all(len(persons) >= k for persons in found.values())


def population_holds(model, rows, known, table, population):
    """Return whether k-map or delta-presence holds where each value has one label.

    table, population: columns by name; the population has no value that the release lacks.
    """
    label_of = {name: {} for name in known}
    for row in rows:
        for name in known:
            value = plain(table[name][int(row["id"])])
            if label_of[name].setdefault(value, row[name]) != row[name]:
                return False  # one value, two labels: no full-domain recoding
    records = Counter(key_of(row, known) for row in rows)
    persons = Counter(
        key_of({name: label_of[name][plain(population[name][i])] for name in known}, known)
        for i in range(len(population[known[0]]))
    )
    if model["type"] == "k-map":
        return all(persons[one] >= model["k"] for one in records)
    low, high = model["minimum"] / NEAR, model["maximum"] * NEAR
    return records.keys() <= persons.keys() and all(
        low <= records[one] / persons[one] <= high for one in persons
    )


def plain(value):
    """Return a value as it compares: not-a-number is none."""
    return None if isinstance(value, float) and math.isnan(value) else value


def uniqueness_holds(model, sizes):
    """Return whether the estimated share of unique persons is at most the threshold.

    sizes: of the released classes.
    """
    n, persons, alone = sum(sizes), model["population"], sizes.count(1)
    if not alone:
        return True
    if n >= persons:
        uniques = alone
    elif alone == n:
        uniques = persons
    else:
        kind = model["estimator"]
        if kind == "dankar":
            kind = "pitman" if n <= 0.1 * persons else "smaller"
        uniques = {
            "pitman": pitman,
            "zayatz": zayatz,
            "snb": slide_negative_binomial,
            "smaller": lambda *given: min(zayatz(*given), slide_negative_binomial(*given)),
        }[kind](sizes, persons)
    # The likelihood is climbed by another method than the library's.
    return uniques / persons <= model["threshold"] * (1 + 1e-3) + 1e-6


def zayatz(sizes, persons):
    """Return the sample uniques by the chance that a sample unique is one of the population.

    Zayatz (1991): Bayes' rule over class sizes as they are in the sample.
    """
    n, counts = sum(sizes), Counter(sizes)

    def drawn_once(size):
        ways = size * math.comb(persons - size, n - 1)
        return ways / math.comb(persons, n)

    weights = {size: count * drawn_once(size) for size, count in counts.items()}
    return counts[1] * weights[1] / sum(weights.values()) * persons / n


def pitman(sizes, persons):
    """Return the expected uniques of Pitman's formula at its most likely parameters."""
    u, n = len(sizes), sum(sizes)

    def parameters(point):
        alpha = 1 - math.exp(-max(min(point[0], 14), -14))
        least = math.exp(max(min(point[1], 60), -60))  # the smallest theta + i alpha, 0 < i < u
        return least - (alpha if alpha > 0 else (u - 1) * alpha), alpha

    def unlikely(point):
        theta, alpha = parameters(point)
        try:
            drawn = sum(math.log(theta + i * alpha) for i in range(1, u))
            drawn -= sum(math.log(theta + i) for i in range(1, n))
            drawn += sum(math.log(i - alpha) for size in sizes for i in range(1, size))
        except ValueError:
            return math.inf
        return -drawn

    starts = [(x, y) for x in (-2, 0, 0.7, 2) for y in (-1, 1, 3, 6)]
    best = min(
        (
            minimize(
                unlikely,
                start,
                method="Nelder-Mead",
                options={"xatol": 1e-7, "fatol": 1e-10, "maxiter": 2000},
            )
            for start in sorted(starts, key=unlikely)[:3]
        ),
        key=lambda one: one.fun,
    )
    theta, alpha = parameters(best.x)
    # E = N prod_{i < N} (theta + alpha + i - 1) / (theta + i), term by term.
    logs = sum(math.log1p((alpha - 1) / (theta + i)) for i in range(1, persons))
    return persons * math.exp(logs)


def slide_negative_binomial(sizes, persons):
    """Return the expected uniques where a class has 1 + X persons, X negative binomial.

    The parameters are those at which a sample is expected to have the classes of one and two
    that it has; infinite where there are none.
    """
    n, counts = sum(sizes), Counter(sizes)
    f, miss = n / persons, 1 - n / persons
    if not counts[2]:
        return math.inf
    first = sum(c * i * f**2 * (1 - f**2) ** (i - 1) for i, c in counts.items())
    second = sum(c * miss**i * ((1 + f) ** i - 1) for i, c in counts.items())
    third = sum(c * i * f * miss ** (i - 1) for i, c in counts.items())
    missed = sum(c * miss**i for i, c in counts.items())
    classes = len(sizes) + counts[1] * first / second * (missed / third) ** 2

    def derivatives(alpha, beta):
        # G(z) = z h(z), h(z) = (beta / (1 - q z))^alpha, at the share that is missed.
        q = 1 - beta
        inside = 1 - q * miss
        h = (beta / inside) ** alpha
        slope, bend = alpha * q / inside * h, alpha * (alpha + 1) * (q / inside) ** 2 * h
        return f * (h + miss * slope), f * f / 2 * (2 * slope + miss * bend)

    def alpha_for(beta):
        low, high = -40.0, 40.0
        for _ in range(200):
            middle = (low + high) / 2
            one, two = derivatives(math.exp(middle), beta)
            if one == 0 or two / one > counts[2] / counts[1]:
                high = middle
            else:
                low = middle
        return math.exp(low)

    def ones(at):
        beta = 1 / (1 + math.exp(-at))
        return classes * derivatives(alpha_for(beta), beta)[0], beta

    low, high = -25.0, 25.0
    if not ones(low)[0] < counts[1] < ones(high)[0]:
        return math.inf
    for _ in range(100):
        middle = (low + high) / 2
        if ones(middle)[0] < counts[1]:
            low = middle
        else:
            high = middle
    beta = ones(high)[1]
    return min(classes * beta ** alpha_for(beta), persons)
