"""Nodes of the lattices of small random tables, for the slow twins and for the metrics."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl
from hypothesis import strategies as st

from kanonym.data.hierarchy.base import with_null
from kanonym.data.table import Domain, EncodedTable
from kanonym.metrics.information_loss import Generalized
from tables import levels as random_levels
from tables import pick, random_rows, tree
from twins.metrics import Node


@dataclass(frozen=True)
class Lattice:
    """A table whose quasi-identifiers all have hierarchies, and what was drawn with it.

    Attributes
    ----------
    table
        The encoded table.
    weights
        Of some of its attributes.
    low, high
        A node, and one at or above it.
    rng
        For whatever else a test draws.

    """

    table: EncodedTable
    weights: dict[str, float]
    low: tuple[int, ...]
    high: tuple[int, ...]
    rng: np.random.Generator

    @property
    def trees(self):
        """The hierarchies, as lists of labels."""
        return [domain.hierarchy.codes.tolist() for domain in self.table.domains]

    @property
    def records(self):
        """The records, as tuples of leaves."""
        counted = zip(self.table.codes.tolist(), self.table.weights.tolist(), strict=True)
        return [tuple(codes) for codes, weight in counted for _ in range(weight)]

    def subset(self, levels):
        """Return some of the classes of a node, at times none and at times all."""
        share = pick(self.rng, [0.0, 0.3, 0.7, 1.0])
        every = dict.fromkeys(self.node(levels).labels(record) for record in self.records)
        return frozenset(labels for labels in every if self.rng.random() < share)

    def node(self, levels, lost=frozenset(), factor=0.5):
        """Return a node for the twins."""
        weights = [self.weights.get(domain.name, 1.0) for domain in self.table.domains]
        return Node(
            records=self.records,
            trees=self.trees,
            levels=levels,
            lost=lost,
            factor=Fraction(factor),
            weights=[Fraction(weight) / Fraction(max(weights)) for weight in weights],
        )

    def classes(self, levels, lost=frozenset()):
        """Return a node for the metrics, its classes in random order."""
        sizes = Counter(map(self.node(levels).labels, self.records))
        keys = [tuple(one) for one in self.rng.permutation(list(sizes)).tolist()]
        return Generalized(
            levels=np.array(levels, np.int64),
            labels=np.array(keys, np.int32).reshape(len(keys), len(levels)),
            sizes=np.array([sizes[key] for key in keys], np.int64),
            kept=np.array([key not in lost for key in keys], np.bool_),
        )


def random_lattice(n, seed):
    """Return a table of up to n distinct tuples and 1 to 4 attributes, and two nodes of it."""
    rng = np.random.default_rng(seed)
    domains = []
    for a in range(pick(rng, [1, 2, 3, 4])):
        name, size, null = f"q{a}", pick(rng, [1, 2, 3, 6, 9]), pick(rng, [False, True])
        known = tree(name, random_levels(rng, size))
        known = with_null(known) if null else known
        values = pl.Series(name, range(size), dtype=pl.Int64)
        observed = np.ones(size + null, np.bool_)
        domains.append(Domain(name, "nominal", values, null, observed, known))
    rows = sorted(random_rows(rng, n, domains, ()))
    weights = np.array([row.weight for row in rows], np.int64)
    table = EncodedTable(
        domains=tuple(domains),
        sensitive=(),
        codes=np.array([row.codes for row in rows], np.int32).reshape(len(rows), len(domains)),
        sensitive_codes=np.zeros((len(rows), 0), np.int32),
        weights=weights,
        tuple_of_row=np.repeat(np.arange(len(rows), dtype=np.int32), weights),
    )
    high = [int(rng.integers(domain.hierarchy.n_levels)) for domain in domains]
    low = [int(rng.integers(level + 1)) for level in high]
    named = {domain.name: pick(rng, [0.25, 0.5, 2.0]) for domain in domains if rng.random() < 0.3}
    return Lattice(table, named, tuple(low), tuple(high), rng)


def lattices(*sizes):
    """Draw lattices of tables of some numbers of tuples, each from one seed."""
    sizes = sizes or (1, 2, 4, 8, 16)
    return st.builds(random_lattice, st.sampled_from(sizes), st.integers(0, 2**32 - 1))
