"""Small random tables, as lists of rows for the slow twins and encoded for the algorithms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import polars as pl
from hypothesis import strategies as st

from kanonym.data.hierarchy.base import Hierarchy, with_null
from kanonym.data.schema import Recoding
from kanonym.data.table import Domain, EncodedTable
from kanonym.kernels.classes.histograms import Costs
from kanonym.metrics.certainty import certainty_costs, weighted_costs
from kanonym.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    PrivacyModel,
    TCloseness,
)
from twins.mondrian import Attribute, Range, Requirement, Row, Set, Tree


@dataclass(frozen=True)
class Table:
    """One table in both forms, and models that may or may not hold."""

    rows: list[Row]
    attributes: list[Attribute]
    domains: tuple[Domain, ...]
    recodings: tuple[Recoding, ...]
    sensitive: tuple[Domain, ...]
    models: list[PrivacyModel]

    @property
    def costs(self) -> Costs:
        """The costs of the domains."""
        weights = np.array([float(one.weight) for one in self.attributes])
        return weighted_costs(certainty_costs(self.domains, self.recodings), weights)

    @property
    def satisfies(self) -> Requirement:
        """The models as the twins ask them."""
        return requirement(self, self.rows)

    @property
    def only_sizes(self) -> bool:
        """Whether no model looks at a sensitive attribute."""
        return all(isinstance(model, KAnonymity) for model in self.models)

    def encoded(self) -> EncodedTable:
        """Return the rows as an encoded table, its records in the order of the rows."""
        weights = np.array([row.weight for row in self.rows], np.int64)
        return EncodedTable(
            domains=self.domains,
            sensitive=self.sensitive,
            codes=_codes([row.codes for row in self.rows]),
            sensitive_codes=_codes([row.secrets for row in self.rows]),
            weights=weights,
            tuple_of_row=np.repeat(np.arange(len(weights), dtype=np.int32), weights),
        )


def requirement(table: Table, reference: list[Row]) -> Requirement:
    """Return the models of a table, asked against the distribution of some rows."""
    paths = {
        domain.name: {
            value: domain.hierarchy.codes[1:, value].tolist() for value in range(domain.size)
        }
        for domain in table.sensitive
        if domain.hierarchy is not None
    }
    return Requirement(table.models, [d.name for d in table.sensitive], reference, paths)


def _codes(rows: list[tuple[int, ...]]) -> np.ndarray:
    return np.ascontiguousarray(np.array(rows, np.int32).reshape(len(rows), -1))


def tree(name: str, levels: list[list[int]]) -> Hierarchy:
    """Return a hierarchy over the numbers 0, 1, ... with these labels, level 0 included."""
    return Hierarchy(
        values=pl.Series(name, levels[0], dtype=pl.Int64),
        labels=tuple(
            tuple(f"{level}:{label}" for label in dict.fromkeys(labels))
            for level, labels in enumerate(levels)
        ),
        codes=np.array(levels, np.int32),
    )


def pick(rng, options):
    """Return one of several options."""
    return options[rng.integers(len(options))]


def levels(rng, n_values):
    """Return the labels of leaves by level: neighbours merge step by step, up to one root."""
    known = [list(range(n_values))]
    for _ in range(pick(rng, [0, 1, 2])):
        labels = [0]
        for i in range(1, n_values):
            parted = known[-1][i] != known[-1][i - 1] and rng.random() < 0.5
            labels.append(labels[-1] + parted)
        known.append(labels)
    return [*known, [0] * n_values]


def quasi_identifier(rng, name):
    """Return a quasi-identifier: its twin, its domain, its recoding."""
    kind: Recoding = pick(rng, ["interval", "set", "hierarchy"])
    size = pick(rng, [2, 4, 7, 11] if kind == "interval" else [2, 3, 4, 6])
    null = pick(rng, [False, True])
    named = size if kind == "interval" or not null else size - 1
    values = pl.Series(name, range(named), dtype=pl.Int64)
    observed = np.ones(named + null, np.bool_)
    if kind == "interval":
        places = tuple(Fraction(i, size - 1) for i in range(size))
        twin: Attribute = Range(places, size if null else -1)
        return twin, Domain(name, "number", values, null, observed, None), kind
    if kind == "set":
        return Set(size), Domain(name, "nominal", values, null, observed, None), kind
    known = tree(name, levels(rng, named))
    known = with_null(known) if null else known
    paths = tuple(zip(*known.codes.tolist(), strict=True))
    return Tree(paths), Domain(name, "nominal", values, null, observed, known), kind


def sensitive_attribute(rng, name):
    """Return the domain of a sensitive attribute, with or without a hierarchy."""
    size = pick(rng, [2, 3, 4, 5])
    known = tree(name, levels(rng, size)) if pick(rng, [False, True]) else None
    values = pl.Series(name, range(size), dtype=pl.Int64)
    return Domain(name, "nominal", values, False, np.ones(size, np.bool_), known)  # noqa: FBT003


def model_of(rng, domain):
    """Return a model of a sensitive attribute that some classes of a few records satisfy."""
    name, share = domain.name, pick(rng, [0.3, 0.5, 0.7, 0.9])
    distances = ["equal", "ordered", *(["hierarchical"] if domain.hierarchy is not None else [])]
    return pick(
        rng,
        [
            AlphaKAnonymity(share, pick(rng, [1, 2, 3]), name),
            LDiversity(name, pick(rng, [1, 2, 3])),
            LDiversity(name, pick(rng, [1.5, 2, 2.3]), "entropy"),
            LDiversity(name, pick(rng, [1, 2, 3]), "recursive", pick(rng, [1, 2, 3.5])),
            TCloseness(name, share, pick(rng, distances)),
            BetaLikeness(name, pick(rng, [0.5, 1.3, 3]), pick(rng, ["basic", "enhanced"])),
            DeltaDisclosure(name, pick(rng, [0.7, 1.5, 2.5])),
        ],
    )


def random_rows(rng, n, domains, sensitive):
    """Return up to n rows, low codes more often than high ones, few nulls that do not count."""
    columns = [
        np.minimum(*rng.integers(0, domain.size, (2, n))) for domain in (*domains, *sensitive)
    ]
    d = len(domains)
    for hidden in columns[d:]:
        hidden[rng.random(n) < 0.1] = -1
    rows = dict.fromkeys(zip(*(column.tolist() for column in columns), strict=True))
    return [Row(one[:d], one[d:], pick(rng, [1, 2, 3])) for one in rows]


def weighted(rng, twins):
    """Return attributes of which the first has weight 1, and others at times a smaller one."""
    weights = [1, *(pick(rng, [1, 1, Fraction(1, 2), Fraction(1, 4), 0]) for _ in twins[1:])]
    return [replace(one, weight=Fraction(w)) for one, w in zip(twins, weights, strict=True)]


def random_table(n, seed):
    """Return a table of up to n rows, 1 to 3 quasi-identifiers and 0 to 2 sensitive attributes."""
    rng = np.random.default_rng(seed)
    drawn = [quasi_identifier(rng, f"q{a}") for a in range(pick(rng, [1, 2, 3]))]
    twins, domains, recodings = zip(*drawn, strict=True)
    sensitive = [sensitive_attribute(rng, name) for name in pick(rng, [(), ("s",), ("s", "u")])]
    models = [model_of(rng, domain) for domain in sensitive for _ in range(pick(rng, [0, 1, 2]))]
    models.insert(rng.integers(len(models) + 1), KAnonymity(pick(rng, [1, 2, 3, 4])))
    rows = sorted(random_rows(rng, n, domains, sensitive))
    return Table(rows, weighted(rng, twins), domains, recodings, tuple(sensitive), models)


def tables(*sizes):
    """Draw random tables of some numbers of rows.

    All of a table comes from one seed: what hypothesis draws piece by piece is mostly
    too small to be cut, and takes longer than the law.
    """
    sizes = sizes or (1, 2, 3, 5, 8, 12, 16)
    return st.builds(random_table, st.sampled_from(sizes), st.integers(0, 2**32 - 1))
