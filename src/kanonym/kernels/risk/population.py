"""How many persons are unique in a population, estimated from the class sizes of a sample.

Every estimator takes the histogram of class sizes of the sample, `sizes` (distinct,
int64, at least 1) and `counts` (number of classes of each size, int64), and the number
of persons of the population. It returns the expected number of population uniques, in
[0, population], or NaN where it has no estimate. Nothing is random, and no search has
a time limit: one histogram gives one number.

What all of them agree on is decided before any of them is asked: without a sample
unique the estimate is 0; where the sample is the population, its uniques are counted;
where all records of the sample are unique, everybody is.

u is the number of classes, n of records, N of persons, f = n / N, s_i the number of
classes of i records; a unique is a class of one.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kanonym.kernels.arrays import Ints
from kanonym.kernels.compile import kernel, part

Estimator = Callable[[Ints, Ints, int], float]

SMALL_FRACTION = 0.1
"""Up to this sampling fraction, Dankar's rule takes Pitman's model."""

FLATTEST = -14.0
"""Pitman's 1 - alpha is sought up to exp(14), a million: beyond it, no class differs."""

STEPS = 200
"""A search for a root ends after so many steps; it needs about ten."""

PRECISION = 1e-13


def histogram(class_sizes: Ints) -> tuple[Ints, Ints]:
    """Return distinct sizes ascending, and the number of classes of each."""
    sizes, counts = np.unique(class_sizes[class_sizes > 0], return_counts=True)
    return sizes.astype(np.int64), counts.astype(np.int64)


def zayatz(sizes: Ints, counts: Ints, population: int) -> float:
    """Estimate population uniques with the equivalence class model.

    Bayes' rule gives the probability that a sample unique comes from a class of one in the
    population, if population classes had the sizes that sample classes have: P = p_1 h_1 / sum p_j
    h_j, with p_j = s_j / u and h_j the hypergeometric probability that a sample of n out of N draws
    one of j. The estimate is s_1 P / f. It is too high where f is small, since population classes
    are larger than those of the sample. Zayatz (1991), "Estimation of the number of unique
    population elements using a sample"; Dankar et al. (2012), appendix A. Cost O(largest class).
    """
    known = _exact_uniques(sizes, counts, population)
    if known is not None:
        return known
    n = int(sizes @ counts)
    # h_j = j f prod_{i < j} (N - n - i + 1) / (N - i), and f cancels.
    i = np.arange(1, sizes[-1], dtype=np.float64)
    with np.errstate(divide="ignore"):
        factors = np.log(np.maximum(population - n - i + 1, 0)) - np.log(population - i)
    others_missed = np.exp(np.concatenate([[0.0], np.cumsum(factors)]))[sizes - 1]
    share = counts[0] / float(counts @ (sizes * others_missed))
    return float(counts[0] * share * population / n)


def pitman(sizes: Ints, counts: Ints, population: int) -> float:
    """Estimate population uniques with Pitman's sampling formula.

    Its parameters alpha < 1 and theta are those of maximum likelihood in the sample
    (`pitman_parameters`). The estimate is the expected number of classes of one among N persons, N
    G(theta + 1) G(theta + alpha + N - 1) / (G(theta + alpha) G(theta + N)) with G the gamma
    function. Hoshino (2001), "Applying Pitman's sampling formula to microdata disclosure risk
    assessment", J. Off. Stat. 17(4). Deviation: he gives the limit of that expectation for large N,
    G(theta + 1) / G(theta + alpha) N^alpha, which exceeds N for large theta; where N is far larger
    than theta the two are equal.
    """
    known = _exact_uniques(sizes, counts, population)
    if known is not None:
        return known
    theta, alpha = pitman_parameters(sizes, counts)
    if math.isnan(alpha):
        return math.nan
    exponent = _gamma_ratio(theta + alpha, 1 - alpha)
    exponent -= _gamma_ratio(theta + alpha + population - 1, 1 - alpha)
    return population * math.exp(min(exponent, 0.0))


def snb(sizes: Ints, counts: Ints, population: int) -> float:
    """Estimate population uniques with the slide negative binomial model.

    A population class has 1 + X persons, X negative binomial: it is a unique with probability
    beta^alpha. K, the number of population classes, is estimated as Haas and Stokes do; alpha and
    beta are such that s_1 and s_2 are what a sample with fraction f expects, E s_2 / E s_1 rises
    with alpha, so each beta has one alpha, the root of a quadratic equation; along these E s_1
    rises with beta, and bisection finds s_1. About 0.2 ms.

        E s_1 = K f (beta / (1 - d))^alpha (1 + alpha d / (1 - d)),
        E s_2 = K f^2 / 2 alpha (1 - beta) beta^alpha (2 - (1 - alpha) d) / (1 - d)^(alpha + 2)

    with d = (1 - f) (1 - beta): the derivatives of the generating function of 1 + X at 1 - f. The
    estimate is K beta^alpha. There is none where the equations have no solution: without a class of
    two, or where fewer than s_1 uniques are expected even of a Poisson X. Chen and Keller-McNulty
    (1998), "Estimation of identification disclosure risk in microdata", J. Off. Stat. 14(1); Haas
    and Stokes (1998), "Estimating the number of classes in a finite population", JASA 93(444),
    third Shlosser estimator. Deviation from ARX, whose equations mostly have no solution: it
    multiplies E s_2 by (1 - d)^(alpha + 2) where the derivative divides, and in K subtracts the 1
    of (1 - f)^i ((1 + f)^i - 1) after the product.
    """
    known = _exact_uniques(sizes, counts, population)
    if known is not None:
        return known
    if sizes[1] != 2:
        return math.nan
    f = float(sizes @ counts) / population
    classes = _shlosser(sizes, counts, f)
    uniques = float(counts[0])
    ratio = float(counts[1]) / uniques
    low, high = -700.0, 30.0
    if (
        not _expected_ratio(low, f, ratio)[0]
        < uniques / classes
        < _expected_ratio(high, f, ratio)[0]
    ):
        return math.nan
    while high - low > PRECISION * max(1.0, abs(high)):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if _expected_ratio(middle, f, ratio)[0] < uniques / classes:
            low = middle
        else:
            high = middle
    return min(classes * _expected_ratio(high, f, ratio)[1], float(population))


def dankar(sizes: Ints, counts: Ints, population: int) -> float:
    """Estimate population uniques with the rule that chooses among the other three.

    Up to a sampling fraction of 0.1 it is Pitman's estimate; above, the smaller of Zayatz' and that
    of the slide negative binomial model. Where the chosen one has no estimate it is Zayatz', which
    always has one. Dankar, El Emam, Neisa and Roffey (2012), "Estimating the re-identification risk
    of clinical data sets", BMC Med. Inform. Decis. Mak. 12:66.
    """
    sample = int(sizes @ counts)
    chosen = pitman if sample <= SMALL_FRACTION * population else snb
    estimate = chosen(sizes, counts, population)
    if chosen is pitman and not math.isnan(estimate):
        return estimate
    return float(np.fmin(estimate, zayatz(sizes, counts, population)))


ESTIMATORS: dict[str, Estimator] = {
    "pitman": pitman,
    "zayatz": zayatz,
    "snb": snb,
    "dankar": dankar,
}
"""Every estimator by name."""


def pitman_parameters(sizes: Ints, counts: Ints) -> tuple[float, float]:
    """Return theta and alpha of Pitman's formula that make a sample most likely.

    Both are NaN where the likelihood has no maximum: all classes of one size but the
    sample's only class, or classes more equal than chance makes them.

    Notes
    -----
    log L = sum_{i<u} log(theta + i alpha) - sum_{i<n} log(theta + i)
            + sum_j s_j sum_{i<j} log(i - alpha)

    For each alpha there is one best theta (the derivative falls from infinity below 0);
    on the curve of these, alpha is where the derivative changes its sign. Both roots
    are bracketed and then closed in by false position (Illinois), which cannot leave
    the bracket: some ten steps each. Sums of reciprocals are taken in O(1), see
    `harmonic`, so the cost is O(number of distinct sizes), about 0.1 ms.
    """
    theta, alpha = _maximum_likelihood(sizes, counts)
    return float(theta), float(alpha)


def _exact_uniques(sizes: Ints, counts: Ints, population: int) -> float | None:
    """Return what needs no estimate, or None."""
    if not len(sizes) or sizes[0] != 1:
        return 0.0
    if int(sizes @ counts) >= population:
        return float(counts[0])
    if len(sizes) == 1:
        return float(population)
    return None


def _shlosser(sizes: Ints, counts: Ints, f: float) -> float:
    """Estimate the number of population classes (Haas and Stokes 1998, D_Sh3)."""
    i = sizes.astype(np.float64)
    missed = (1 - f) ** i
    first = float(counts @ (i * f * f * (1 - f * f) ** (i - 1)))
    second = float(counts @ ((1 - f * f) ** i - missed))
    third = float(counts @ (i * f * (1 - f) ** (i - 1)))
    return float(counts.sum() + counts[0] * first / second * (counts @ missed / third) ** 2)


def _expected_ratio(at: float, f: float, ratio: float) -> tuple[float, float]:
    """Return E s_1 / K of a sample and beta^alpha, with log(beta / (1 - beta)) = `at`.

    ratio: s_2 / s_1, which gives alpha.
    """
    rest = 1 / (1 + math.exp(at))  # 1 - beta
    log_beta = at - math.log1p(math.exp(at)) if at < 0 else -math.log1p(math.exp(-at))
    d = (1 - f) * rest
    c = 2 * ratio * (1 - d) / (f * rest)
    # d alpha^2 + b alpha - c (1 - d) = 0
    b = 2 - d - c * d
    root = math.sqrt(b * b + 4 * d * c * (1 - d))
    alpha = 2 * c * (1 - d) / (b + root) if b > 0 else (root - b) / (2 * d)
    drawn = f * math.exp(alpha * (log_beta - math.log1p(-d))) * (1 + alpha * d / (1 - d))
    return drawn, math.exp(alpha * log_beta)


def _gamma_ratio(x: float, s: float) -> float:
    """Return log(G(x + s) / G(x)) for x > 0 and s > 0, also where both logarithms are huge."""
    if x < 20:
        return math.lgamma(x + s) - math.lgamma(x)
    y = x + s
    series = (1 / y - 1 / x) / 12 - (y**-3 - x**-3) / 360 + (y**-5 - x**-5) / 1260
    return (x - 0.5) * math.log1p(s / x) + s * math.log(y) - s + series


@part
def harmonic(a: float, m: float) -> float:
    """Return 1/a + 1/(a + 1) + ... + 1/(a + m - 1), for a > 0 and whole m.

    Terms below 16 are added; the rest is a difference of two digamma functions in their
    asymptotic series, term by term, so that nothing cancels. Relative error 1e-14.
    """
    total = 0.0
    while m > 0 and a < 16:
        total += 1 / a
        a += 1
        m -= 1
    if m > 0:
        b = a + m
        total += math.log1p(m / a) + m / (2 * a * b)
        total += (a**-2 - b**-2) / 12 - (a**-4 - b**-4) / 120
        total += (a**-6 - b**-6) / 252 - (a**-8 - b**-8) / 240
    return total


@part
def _between(low: float, high: float, at_low: float, at_high: float) -> float:
    """Return where a line through the ends of a bracket crosses 0, inside of the bracket."""
    middle = high - at_high * (high - low) / (at_high - at_low)
    return middle if low < middle < high else (low + high) / 2


@part
def _reciprocals(alpha: float, smallest: float, u: float) -> tuple[float, float]:
    """Return theta, and the sum of 1 / (theta + i alpha) over 0 < i < u.

    smallest: the smallest of these theta + i alpha, above 0; it stands for theta.
    """
    if alpha > 0:
        return smallest - alpha, harmonic(smallest / alpha, u - 1) / alpha
    if alpha < 0:
        return smallest - (u - 1) * alpha, harmonic(-smallest / alpha, u - 1) / -alpha
    return smallest, (u - 1) / smallest


@part
def _by_theta(alpha: float, at: float, u: float, n: float) -> float:
    """Return d log L / d theta where the smallest term is exp(at)."""
    theta, total = _reciprocals(alpha, math.exp(at), u)
    return total - harmonic(theta + 1, n - 1)


@part
def _best_theta(alpha: float, u: float, n: float) -> tuple[float, float]:
    """Return theta where log L is largest for one alpha, and the sum of reciprocals there."""
    low, high = -1.0, 1.0
    at_low, at_high = _by_theta(alpha, low, u, n), _by_theta(alpha, high, u, n)
    while at_low <= 0 and low > -600:
        high, at_high = low, at_low
        low = 2 * low
        at_low = _by_theta(alpha, low, u, n)
    while at_high > 0 and high < 80:
        low, at_low = high, at_high
        high = 2 * high
        at_high = _by_theta(alpha, high, u, n)
    side = 0
    for _ in range(STEPS):
        if high - low <= PRECISION * max(1.0, abs(high)):
            break
        middle = _between(low, high, at_low, at_high)
        at_middle = _by_theta(alpha, middle, u, n)
        if at_middle > 0:
            low, at_low = middle, at_middle
            if side > 0:
                at_high /= 2
            side = 1
        else:
            high, at_high = middle, at_middle
            if side < 0:
                at_low /= 2
            side = -1
    return _reciprocals(alpha, math.exp((low + high) / 2), u)


@part
def _by_alpha(at: float, sizes: Ints, counts: Ints, u: float, n: float) -> float:
    """Return (1 - alpha) d log L / d alpha at the best theta, with alpha = 1 - exp(-at)."""
    alpha = -math.expm1(-at)
    theta, total = _best_theta(alpha, u, n)
    if abs(alpha) * u < 1e-5 * theta:
        gained = u * (u - 1) / 2 / theta * (1 - alpha / theta * (2 * u - 1) / 3)
    else:
        gained = (u - 1 - theta * total) / alpha
    lost = 0.0
    for i in range(len(sizes)):
        lost += counts[i] * harmonic(1 - alpha, float(sizes[i] - 1))
    return (1 - alpha) * (gained - lost)


@kernel
def _maximum_likelihood(sizes: Ints, counts: Ints) -> tuple[float, float]:
    """Return theta and alpha as `pitman_parameters`; (n_sizes,) int64 both."""
    u, n = float(counts.sum()), float((sizes * counts).sum())
    if u < 2 or u == n:
        return math.nan, math.nan
    low, high = 0.0, 0.0
    at_low = at_high = _by_alpha(0.0, sizes, counts, u, n)
    while at_low <= 0 and low > FLATTEST:
        high, at_high = low, at_low
        low -= 1
        at_low = _by_alpha(low, sizes, counts, u, n)
    while at_high > 0 and high < 30:
        low, at_low = high, at_high
        high += 1
        at_high = _by_alpha(high, sizes, counts, u, n)
    if at_low <= 0 or at_high > 0:
        return math.nan, math.nan
    side = 0
    for _ in range(STEPS):
        if high - low <= PRECISION * max(1.0, abs(high)):
            break
        middle = _between(low, high, at_low, at_high)
        at_middle = _by_alpha(middle, sizes, counts, u, n)
        if at_middle > 0:
            low, at_low = middle, at_middle
            if side > 0:
                at_high /= 2
            side = 1
        else:
            high, at_high = middle, at_middle
            if side < 0:
                at_low /= 2
            side = -1
    alpha = -math.expm1(-(low + high) / 2)
    return _best_theta(alpha, u, n)[0], alpha
