"""Random searches of small lattices: for the twin in plain Python, and for the real one."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from kanonym.algorithms import base
from kanonym.algorithms.full_domain import FullDomain
from kanonym.data.errors import InfeasibleError
from kanonym.data.hierarchy.base import with_null
from kanonym.data.table import Domain, EncodedTable
from kanonym.metrics.certainty import certainty_costs
from kanonym.metrics.information_loss import METRICS, Metric
from kanonym.models import MODELS as EVERY_MODEL
from kanonym.models import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    PopulationModel,
    PopulationUniqueness,
    PrivacyModel,
    SampleUniqueness,
    TCloseness,
)
from tables import levels as random_levels
from tables import pick, random_rows, tree
from twins import lattice as naive_lattice
from twins.lattice import Problem
from twins.mondrian import Requirement, Row

MODELS = {
    name: one for name, one in EVERY_MODEL.items() if one.guarantee not in ("itemsets", "mechanism")
}
"""What classes of a node are asked."""


REGISTER = "register.csv"
LARGEST = 100
"""Most nodes of a lattice."""

COSTS = certainty_costs([], [])
"""What full-domain does not look at."""


@dataclass(frozen=True)
class Search:
    """A table and what is asked of it.

    Attributes
    ----------
    domains, sensitive
        Of its attributes.
    rows, persons
        Its tuples, and the records of the population in each, or None.
    models, metric, limit
        What is required, and minimized.
    levels, weights
        By attribute.

    """

    domains: tuple[Domain, ...]
    sensitive: tuple[Domain, ...]
    rows: list[Row]
    persons: list[int] | None
    models: list[PrivacyModel]
    metric: Metric
    limit: float
    levels: dict[str, int | tuple[int, int]]
    weights: dict[str, float]

    @property
    def n_rows(self) -> int:
        """Number of records."""
        return sum(row.weight for row in self.rows)

    def table(self, order: np.random.Generator | None = None) -> EncodedTable:
        """Return the encoded table, its records in the order of the tuples or in another."""
        weights = np.array([row.weight for row in self.rows], np.int64)
        of_row = np.repeat(np.arange(len(weights), dtype=np.int32), weights)
        return EncodedTable(
            domains=self.domains,
            sensitive=self.sensitive,
            codes=_codes([row.codes for row in self.rows], len(self.domains)),
            sensitive_codes=_codes([row.secrets for row in self.rows], len(self.sensitive)),
            weights=weights,
            tuple_of_row=of_row if order is None else order.permutation(of_row),
            population=None if self.persons is None else np.array(self.persons, np.int64),
        )

    def problem(self) -> Problem:
        """Return the same for the twin."""
        names = [domain.name for domain in self.domains]
        heights = [domain.hierarchy.n_levels - 1 for domain in self.domains]
        given = [self.levels.get(name, (0, top)) for name, top in zip(names, heights, strict=True)]
        pairs = [(one, one) if isinstance(one, int) else one for one in given]
        weights = [self.weights.get(name, 1.0) for name in names]
        paths = {
            domain.name: {
                value: domain.hierarchy.codes[1:, value].tolist() for value in range(domain.size)
            }
            for domain in self.sensitive
            if domain.hierarchy is not None
        }
        hidden = [domain.name for domain in self.sensitive]
        return Problem(
            rows=self.rows,
            persons=self.persons,
            trees=[domain.hierarchy.codes.tolist() for domain in self.domains],
            requirement=Requirement(self.models, hidden, self.rows, paths),
            metric=self.metric,
            weights=[Fraction(one) / Fraction(max(weights)) for one in weights],
            budget=int(Fraction(str(self.limit)) * self.n_rows),
            lowest=tuple(low for low, _ in pairs),
            highest=tuple(high for _, high in pairs),
        )

    def algorithm(self, **options) -> FullDomain:
        """Return the search."""
        return FullDomain(self.metric, levels=self.levels, weights=self.weights, **options)

    def partition(self, **options):
        """Carry out the search."""
        algorithm = self.algorithm(**options)
        return algorithm.partition(base.Problem(self.table(), COSTS, self.models, self.limit))


def _codes(rows, width):
    return np.ascontiguousarray(np.array(rows, np.int32).reshape(len(rows), width))


def quasi_identifiers(rng, most=LARGEST):
    """Return attributes with hierarchies of 2 to 4 levels whose lattice is not too large."""
    domains, nodes = [], 1
    for a in range(pick(rng, [1, 2, 3, 3, 4])):
        name, size, null = f"q{a}", pick(rng, [1, 2, 3, 6, 9]), pick(rng, [False, True])
        known = tree(name, random_levels(rng, size))
        known = with_null(known) if null else known
        nodes *= known.n_levels
        if domains and nodes > most:
            break
        values = pl.Series(name, range(size), dtype=pl.Int64)
        observed = np.ones(size + null, np.bool_)
        domains.append(Domain(name, "nominal", values, null, observed, known))
    return tuple(domains)


def sensitive_attribute(rng, name):
    """Return an attribute with or without a hierarchy, null being a value, left out or absent."""
    size, null = pick(rng, [2, 3, 4]), pick(rng, ["absent", "value", "excluded"])
    known = tree(name, random_levels(rng, size)) if pick(rng, [False, True]) else None
    if known is not None and null != "absent":
        known = with_null(known)  # also where it is excluded: the hierarchy holds it anyway
    values = pl.Series(name, range(size), dtype=pl.Int64)
    is_value = null == "value"
    return Domain(name, "nominal", values, is_value, np.ones(size + is_value, np.bool_), known)


def model_of(rng, kind, sensitive, n_rows):
    """Return a model of some kind that some nodes of a small table satisfy."""
    domain = pick(rng, sensitive)
    name, share = domain.name, pick(rng, [0.3, 0.5, 0.7, 0.9])
    distances = ["equal", "ordered", *(["hierarchical"] if domain.hierarchy is not None else [])]
    diverse = [
        LDiversity(name, pick(rng, [1, 2, 3])),
        LDiversity(name, pick(rng, [1.5, 2, 2.3]), "entropy"),
        LDiversity(name, pick(rng, [1, 2, 3]), "recursive", pick(rng, [1, 2, 3.5])),
    ]
    estimator = pick(rng, ["pitman", "zayatz", "snb", "dankar"])
    people = pick(rng, [n_rows, 3 * n_rows, 1000])
    made = {
        KAnonymity: lambda: KAnonymity(pick(rng, [1, 2, 3, 5])),
        AlphaKAnonymity: lambda: AlphaKAnonymity(share, pick(rng, [1, 2, 3]), name),
        LDiversity: lambda: pick(rng, diverse),
        TCloseness: lambda: TCloseness(name, share / 1.5, pick(rng, distances)),
        BetaLikeness: lambda: BetaLikeness(
            name, pick(rng, [0.5, 1.3, 3]), pick(rng, ["basic", "enhanced"])
        ),
        DeltaDisclosure: lambda: DeltaDisclosure(name, pick(rng, [0.7, 1.5, 2.5])),
        AverageRisk: lambda: AverageRisk(pick(rng, [0.15, 0.25, 0.4, 0.75])),
        SampleUniqueness: lambda: SampleUniqueness(pick(rng, [0, 0.1, 0.25, 0.5])),
        PopulationUniqueness: lambda: PopulationUniqueness(
            pick(rng, [0.005, 0.02, 0.1, 0.3]), people, estimator
        ),
        KMap: lambda: KMap(pick(rng, [1, 3, 6, 10]), REGISTER),
        DeltaPresence: lambda: DeltaPresence(
            pick(rng, [0, 0, 0, 0.1, 0.3]), pick(rng, [0.4, 0.6, 0.9, 1]), REGISTER
        ),
    }
    return made[kind]()


def metric_of(rng, kind):
    """Return a metric of some type, with any factor, or a sum of two others."""
    made = METRICS[kind]
    if kind == "weighted":
        parts = [metric_of(rng, pick(rng, [one for one in METRICS if one != kind])) for _ in "ab"]
        return made([(parts[0], pick(rng, [0.5, 1, 3])), (parts[1], pick(rng, [0, 0.25, 2]))])
    factors = [field.name for field in fields(made)]
    return made(pick(rng, [0, 0.25, 0.5, 0.5, 0.75, 1])) if factors else made()


def bounds_of(rng, domains):
    """Return levels of some attributes: one that is fixed, or the lowest and the highest."""
    found = {}
    for domain in domains:
        if rng.random() < 0.2:
            low, high = sorted(rng.integers(domain.hierarchy.n_levels, size=2).tolist())
            found[domain.name] = low if low == high else (low, high)
    return found


def weights_of(rng, domains):
    """Return weights of some attributes, never 0 for all."""
    named = {
        domain.name: pick(rng, [0.0, 0.25, 0.5, 2.0]) for domain in domains if rng.random() < 0.3
    }
    return named if len(named) < len(domains) else {**named, domains[0].name: 0.5}


def population_of(rng, rows, domains, n_hidden):
    """Return the rows with those of the population alone, and the persons of each."""
    known = {row.codes for row in rows}
    drawn = random_rows(rng, pick(rng, [0, 3, 8]), domains, ())
    others = [Row(one.codes, (-1,) * n_hidden, 0) for one in drawn if one.codes not in known]
    contains = rng.random() < 0.7
    every = sorted([*rows, *others])
    persons = []
    for i, row in enumerate(every):
        first = i == 0 or every[i - 1].codes != row.codes
        own = sum(one.weight for one in every if one.codes == row.codes)
        more = int(rng.integers(1 if not own else 0, 6))
        persons.append((own * contains + more) * first)
    return every, persons


def random_search(seed, metric=None, models=None, n=None):
    """Return a search of a table of up to n distinct tuples.

    metric, models: the types that must be among its own.
    """
    rng = np.random.default_rng(seed)
    domains = quasi_identifiers(rng)
    sensitive = tuple(sensitive_attribute(rng, name) for name in pick(rng, [("s",), ("s", "u")]))
    n = pick(rng, [1, 2, 5, 8, 12, 20]) if n is None else n
    rows = sorted(_without_null(rng, random_rows(rng, n, domains, sensitive), sensitive))
    n_rows = sum(row.weight for row in rows)
    kinds = [*(models or []), *(pick(rng, [*MODELS]) for _ in range(pick(rng, [0, 0, 1, 2])))]
    chosen = [model_of(rng, MODELS[kind], sensitive, n_rows) for kind in kinds or ["k-anonymity"]]
    chosen = [chosen[i] for i in rng.permutation(len(chosen))]
    persons = None
    if any(isinstance(model, PopulationModel) for model in chosen):
        rows, persons = population_of(rng, rows, domains, len(sensitive))
    return Search(
        domains=domains,
        sensitive=sensitive,
        rows=rows,
        persons=persons,
        models=chosen,
        metric=metric_of(rng, metric or pick(rng, [*METRICS])),
        limit=pick(rng, [0, 0.05, 0.1, 0.3, 0.3, 1.0]),
        levels=bounds_of(rng, domains),
        weights=weights_of(rng, domains),
    )


def _without_null(rng, rows, sensitive):
    """Give records whose value is left out one where nulls are values, or absent."""
    found = {}
    for row in rows:
        hidden = []
        for domain, code in zip(sensitive, row.secrets, strict=True):
            known = domain.hierarchy
            excluded = known is None or known.size > domain.size
            absent = code < 0 and not (excluded and rng.random() < 0.7)
            hidden.append(int(rng.integers(domain.size)) if absent else code)
        found[row.codes, tuple(hidden)] = row.weight
    return [Row(codes, hidden, weight) for (codes, hidden), weight in found.items()]


def searches(metric=None, models=None, n=None):
    """Draw searches, each from one seed."""
    return st.builds(
        random_search, st.integers(0, 2**32 - 1), st.just(metric), st.just(models), st.just(n)
    )


# --- compared with the twin ------------------------------------------------------------


def near(one, other):
    """Compare two scores that may differ by rounding; infinite ones are equal."""
    return one == other or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def nodes_of(problem):
    """Return every node, of problems where no rounding decides what is suppressed."""
    nodes = naive_lattice.every_node(problem)
    assume(not any(node.vague for node in nodes.values()))
    return nodes


def best_of(nodes):
    """Return the best node that satisfies the models, or None."""
    satisfied = [node for node in nodes.values() if node.satisfied]
    return min(satisfied, key=lambda node: node.rank, default=None)


def lost_of(search, partition, levels):
    """Return the labels of the suppressed classes of a partition."""
    problem = search.problem()
    lost = zip(search.rows, partition.labels.tolist(), strict=True)
    return {problem.labels(levels, row.codes) for row, label in lost if label < 0 and row.weight}


def require_optimum(search, **options):
    """Carry out a search that proves its result, and compare it with the twin."""
    nodes = nodes_of(search.problem())
    best = best_of(nodes)
    if best is None:
        with pytest.raises(InfeasibleError):
            search.partition(**options)
        return
    partition = search.partition(**options)
    account = partition.account
    levels = tuple(account["levels"].values())
    assert near(account["score"], best.score)
    assert nodes[levels].satisfied
    assert near(account["score"], nodes[levels].score)
    assert lost_of(search, partition, levels) == nodes[levels].lost
    assert partition.n_classes == nodes[levels].classes
    assert (partition.levels == np.array(levels)).all()
    assert account["optimal"] is True
    assert account["lattice_size"] == len(nodes)
    assert account["nodes_checked"] >= 1
