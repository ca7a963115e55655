"""Small random tables, as lists of rows for the slow twins and encoded for the algorithms.

Domains have 2, 3, 5 or 9 values, so that every loss is a multiple of 1/8, floats hold
it exactly, and ties are ties in both.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl
from hypothesis import strategies as st

from kanonym.data.hierarchy.base import Hierarchy, with_null
from kanonym.data.schema import Recoding
from kanonym.data.table import Domain, EncodedTable
from kanonym.kernels.penalty import Costs
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    PrivacyModel,
    TCloseness,
)
from naive_mondrian import Attribute, Range, Requirement, Row, Set, Tree

SENSITIVE = ("s", "u")


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
        return certainty_costs(self.domains, self.recodings)

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


@st.composite
def levels(draw, n_values):
    """Draw the labels of leaves by level: neighbours merge step by step, up to one root."""
    known = [list(range(n_values))]
    for _ in range(draw(st.integers(0, 2))):
        joined = draw(st.lists(st.booleans(), min_size=n_values, max_size=n_values))
        labels = [0]
        for i in range(1, n_values):
            labels.append(labels[-1] + (known[-1][i] != known[-1][i - 1] and not joined[i]))
        known.append(labels)
    return [*known, [0] * n_values]


@st.composite
def attributes(draw, name):
    """Draw a quasi-identifier: its twin, its domain, its recoding."""
    kind = draw(st.sampled_from(["interval", "set", "hierarchy"]))
    size = draw(st.sampled_from([2, 3, 5, 9] if kind == "interval" else [2, 3, 5]))
    null = draw(st.booleans())
    named = size if kind == "interval" or not null else size - 1
    values = pl.Series(name, range(named), dtype=pl.Int64)
    observed = np.ones(named + null, np.bool_)
    if kind == "interval":
        places = tuple(Fraction(i, size - 1) for i in range(size))
        twin: Attribute = Range(places, size if null else -1)
        return twin, Domain(name, "number", values, null, observed, None), kind
    if kind == "set":
        return Set(size), Domain(name, "nominal", values, null, observed, None), kind
    known = tree(name, draw(levels(named)))
    known = with_null(known) if null else known
    paths = tuple(zip(*known.codes.tolist(), strict=True))
    return Tree(paths), Domain(name, "nominal", values, null, observed, known), kind


@st.composite
def models_of(draw, name, has_tree):
    """Draw a model of a sensitive attribute that some classes of a few records satisfy."""
    share = st.sampled_from([0.3, 0.5, 0.7, 0.9])
    kinds = {
        "alpha": st.builds(AlphaKAnonymity, share, st.integers(1, 3), st.just(name)),
        "distinct": st.builds(LDiversity, st.just(name), st.integers(1, 3)),
        "entropy": st.builds(
            LDiversity, st.just(name), st.sampled_from([1.5, 2, 2.3]), st.just("entropy")
        ),
        "recursive": st.builds(
            LDiversity,
            st.just(name),
            st.integers(1, 3),
            st.just("recursive"),
            st.sampled_from([1, 2, 3.5]),
        ),
        "t": st.builds(
            TCloseness,
            st.just(name),
            share,
            st.sampled_from(["equal", "ordered", *(["hierarchical"] if has_tree else [])]),
        ),
        "beta": st.builds(
            BetaLikeness,
            st.just(name),
            st.sampled_from([0.5, 1.3, 3]),
            st.sampled_from(["basic", "enhanced"]),
        ),
        "delta": st.builds(DeltaDisclosure, st.just(name), st.sampled_from([0.7, 1.5, 2.5])),
    }
    return draw(kinds[draw(st.sampled_from(sorted(kinds)))])


@st.composite
def tables(draw, sizes=(8, 16, 12, 5, 3, 2, 1), max_weight=3):
    """Draw a table of 1 to 3 quasi-identifiers and 0 to 2 sensitive attributes, with models.

    Rows come from a seed, for lists that hypothesis draws are mostly too short to be
    cut; equal ones are dropped.
    """
    drawn = [draw(attributes(f"q{a}")) for a in range(draw(st.sampled_from([2, 3, 1])))]
    sensitive, models = [], [KAnonymity(draw(st.sampled_from([2, 1, 3, 4])))]
    for name in SENSITIVE[: draw(st.sampled_from([1, 2, 0]))]:
        size = draw(st.sampled_from([2, 3, 4, 5]))
        known = tree(name, draw(levels(size))) if draw(st.booleans()) else None
        values = pl.Series(name, range(size), dtype=pl.Int64)
        observed = np.ones(size, np.bool_)
        sensitive.append(Domain(name, "nominal", values, False, observed, known))  # noqa: FBT003
        n_models = draw(st.sampled_from([1, 2, 0]))
        models += [draw(models_of(name, known is not None)) for _ in range(n_models)]
    twins, domains, recodings = zip(*drawn, strict=True)
    n, seed = draw(st.sampled_from(sizes)), draw(st.integers(0, 9999))
    rows = _rows(np.random.default_rng(seed), n, domains, sensitive, max_weight)
    models = draw(st.permutations(models))
    return Table(sorted(rows), list(twins), domains, recodings, tuple(sensitive), models)


def _rows(rng, n, domains, sensitive, max_weight):
    """Return up to n rows, low codes more often than high ones, few nulls that do not count."""
    columns = [
        np.minimum(*rng.integers(0, domain.size, (2, n))) for domain in (*domains, *sensitive)
    ]
    d = len(domains)
    for hidden in columns[d:]:
        hidden[rng.random(n) < 0.1] = -1
    rows = dict.fromkeys(zip(*(column.tolist() for column in columns), strict=True))
    return [Row(one[:d], one[d:], int(rng.integers(1, max_weight + 1))) for one in rows]
