"""Differentially private synthetic tables: what is asked, what is promised, what is public."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data import files
from kanonym.data.errors import PolicyError, SchemaError, shown_value
from kanonym.data.results import ResultTable
from kanonym.data.schema import Attribute, Role, Schema
from kanonym.differential_privacy import noise
from kanonym.differential_privacy.cells import declared_cells
from kanonym.differential_privacy.ledger import MOST_EPSILON, Budget, Spending, Unit, rho_for, spend
from kanonym.differential_privacy.sampling import exact_number
from kanonym.models.base import check_integer, check_number
from kanonym.policy import Policy
from kanonym.policy.attribute_policy import attribute_policy
from kanonym.policy.faults import unknown_name
from kanonym.release import versions
from kanonym.release.promise import public_manifest
from kanonym.synthesis.columns import Constraint
from kanonym.synthesis.marginals.domains import cell_domains
from kanonym.synthesis.marginals.generation import FITS, generate
from kanonym.synthesis.marginals.measuring import first_variance
from kanonym.synthesis.result import Synthesis

DEFAULT_DELTA = 1e-9
MOST_DELTA = 1e-4
"""A larger δ would let a mechanism publish some records as they are."""
NOT_PRIVATE = "not private: drawn from a seed, which repeats the noise; for tests only"
NOT_RECORDED = (
    "not recorded in a ledger: each further release of the same table adds its epsilon; give a "
    "ledger, which sums them"
)
EVALUATION = (
    "detection, copies, utility and attacks compare with the original table: they are not covered "
    "by epsilon; keep them to yourself"
)


@dataclass(frozen=True, slots=True)
class Promise:
    """What a differentially private synthetic table guarantees; all of it is public.

    Attributes
    ----------
    epsilon, delta
        As asked.
    rho
        The same as zero-concentrated differential privacy; what was spent is not more.
    records_per_person
        None: the unit of protection is one record. Otherwise one person, of whom at most so many
        records were used.
    private
        Whether the noise came from the operating system. From a seed there is no guarantee.
    domains
        What was declared about each column.
    measured
        The columns of each noisy table that the model was made from.
    spent
        What the original table has spent with this one, from its ledger; None without one.
    """

    epsilon: float
    delta: float
    rho: float
    records_per_person: int | None
    private: bool
    domains: Mapping[str, Mapping[str, Any]]
    measured: tuple[tuple[str, ...], ...]
    spent: Mapping[str, Any] | None = None

    @property
    def protects(self) -> Unit:
        """One record, or one person."""
        return "record" if self.records_per_person is None else "person"

    @property
    def unit(self) -> str:
        """What is protected, in words."""
        most = self.records_per_person
        if most is None:
            return "one record"
        return f"one person, with at most {most} record{'s' * (most > 1)}"

    @property
    def sentence(self) -> str:
        """The guarantee in plain words."""
        if not self.private:
            return NOT_PRIVATE
        times = np.exp(self.epsilon)
        whose = "the record" if self.records_per_person is None else "the person's records"
        return (
            f"Whatever anybody concludes from this table, they would conclude almost the same if "
            f"{whose} had been left out: any conclusion becomes at most {times:.3g} times as "
            f"likely, except with a probability of {self.delta:g}."
        )

    def public(self) -> dict[str, Any]:
        """Return the JSON form of what two tables under one policy have in common."""
        return {
            "guarantee": "differential-privacy",
            "private": self.private,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "rho": self.rho,
            "protects": self.unit,
            "records_per_person": self.records_per_person,
            "meaning": self.sentence,
            "public": {name: dict(facts) for name, facts in self.domains.items()},
            "ledger": None if self.spent is None else dict(self.spent),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**self.public(), "measured": [list(one) for one in self.measured]}


@dataclass(frozen=True, eq=False, repr=False)
class PrivateSynthesis(Synthesis):
    """A synthetic table under differential privacy.

    `facts` and `print` hold only what is public. `detection`, `copies`, `utility`, `attacks` and
    `to_dict` compare with the original: they are for its holder, and outside the guarantee.

    Attributes
    ----------
    promise
        What is guaranteed, to whom, and what was public.
    """

    _shown: ClassVar[tuple[str, ...]] = ("method", "rows", "promise")

    promise: Promise = field(kw_only=True)

    def facts(self) -> dict[str, Any]:
        """Return how the table was made, in JSON form: only what may be published."""
        return {
            "method": self.method,
            "rows": self.rows,
            "dropped": list(self.dropped),
            "constraints": list(self.constraints),
            **self.promise.to_dict(),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return how the table was made, and, for its holder alone, how it compares."""
        return {
            **self.facts(),
            "evaluation": EVALUATION,
            "detection": self.detection.to_dict(),
            "copies": self.copies.to_dict(),
            "utility": self.utility.to_dict(),
            **self.attacks.to_dict(),
        }

    def public_manifest(
        self, path: str | Path, *, output: str | Path | files.Content | None = None
    ) -> None:
        """Write what may go along with the table, as JSON: promise, domains and constraints.

        Nothing in it depends on the records, but the name and the SHA-256 of `output`, the file of
        the synthetic table, where it is given.
        """
        promise = {**self.promise.public(), "method": self.method}
        promise |= {"constraints": list(self.constraints)}
        parts = public_manifest(promise, list(self.promise.domains), output, versions()["kanonym"])
        files.write_text(path, json.dumps(parts, indent=2, ensure_ascii=False) + "\n")

    def public_report(
        self,
        path: str | Path,
        *,
        title: str | None = None,
        language: str = "en",
        output: str | Path | files.Content | None = None,
    ) -> None:
        """Write the report that may go along with the table; all of it is public.

        path: `.html`, `.pdf`, `.md` or `.json`. output: as of `public_manifest`.
        """
        from kanonym.reporting import public_report  # noqa: PLC0415 - reports stand above

        public_report(self, path, title=title, language=language, output=output)

    def tables(self, *, judged: bool = False) -> list[ResultTable]:
        """Return what was promised; judged: also, for its holder, how the table compares."""
        promise = self.promise
        guarantee: list[tuple[str, object]] = [("guarantee", promise.sentence)]
        if promise.private:
            guarantee = [
                ("guarantee", f"epsilon {promise.epsilon:g}, delta {promise.delta:g}"),
                ("protects", promise.unit),
                ("meaning", promise.sentence),
                (
                    "spent so far",
                    NOT_RECORDED if promise.spent is None else spent_text(promise.spent),
                ),
            ]
        facts = ResultTable.of_facts(
            ("synthetic", f"{self.rows:,} by {self.method}"),
            *guarantee,
            ("public before", "the domain of each column: values, ranges and bins; constraints"),
            ("dropped", ", ".join(self.dropped) or "no column"),
            *(("constraint", constraint) for constraint in self.constraints),
            *(self._quality() if judged else ()),
            notes=(EVALUATION,) if judged else (),
        )
        rows = [
            (name, str(domain["cells"]), "yes" if domain["nulls"] else "no")
            for name, domain in promise.domains.items()
        ]
        domains = ResultTable(("column", "cells", "nulls"), rows, frozenset({1})).first()
        return [facts, domains, *(self._judged() if judged else ())]


def spent_text(total: Mapping[str, Any]) -> str:
    """Return what releases of a table have spent, in words."""
    numbers = f"epsilon {total['epsilon']:g}, delta {total['delta']:g}"
    return f"{numbers} in {total['releases']:,} release{'s' if total['releases'] > 1 else ''}"


@dataclass(frozen=True, slots=True)
class PrivateRequest:
    """What is asked of a differentially private synthetic table; see `synthesize`."""

    method: Any
    epsilon: float | None
    delta: float
    policy: Policy | str | os.PathLike[str] | Mapping[str, Attribute] | None
    entity: str | None
    records_per_person: int | None
    seed: int | None
    ledger: str | Path | None

    def check(self) -> None:
        """Refuse parameters that promise nothing."""
        if not isinstance(self.method, str) or self.method not in FITS:
            raise PolicyError(
                f"{shown_value(getattr(self.method, 'name', self.method))} has no epsilon: it is "
                f"not differentially private; choose {' or '.join(FITS)}"
            )
        if self.epsilon is None:
            raise PolicyError(f"{self.method} needs a privacy budget: give epsilon, such as 1")
        check_number("synthesize", "epsilon", self.epsilon, above=0, maximum=MOST_EPSILON)
        check_number("synthesize", "delta", self.delta, above=0, maximum=MOST_DELTA)
        if self.policy is None:
            raise PolicyError(
                f"{self.method} needs a policy that declares the domain of each column: values "
                "found in the table would disclose them"
            )
        if self.records_per_person is not None:
            check_integer("synthesize", "records_per_person", self.records_per_person, 1)
        if self.seed is not None and self.ledger is not None:
            raise PolicyError("a table drawn from a seed is not private: no ledger counts it")

    def enter(self, protects: Unit) -> Mapping[str, Any] | None:
        """Add what the table spends to its ledger, if there is one, and return the sum."""
        if self.ledger is None:
            return None
        spending = Spending(
            self.method,
            exact_number(self.epsilon or 0.0),
            exact_number(self.delta),
            protects=protects,
        )
        return spend(self.ledger, spending).total


@dataclass(frozen=True, slots=True)
class PrivateDraw:
    """Synthetic records, their promise, and the original ones for their holder."""

    drawn: pl.DataFrame
    method: str
    dropped: tuple[str, ...]
    promise: Promise
    learned: pl.DataFrame
    rest: pl.DataFrame | None

    @property
    def rows(self) -> int:
        """Synthetic records."""
        return len(self.drawn)

    def result(self, shown: Any, **told: Any) -> PrivateSynthesis:
        """Return the result, with the table as the caller gets it."""
        return PrivateSynthesis(
            frame=shown,
            method=self.method,
            rows=self.rows,
            dropped=self.dropped,
            promise=self.promise,
            _learned=_of_types(self.learned, self.drawn),
            _synthetic=self.drawn,
            _rest=None if self.rest is None else _of_types(self.rest, self.drawn),
            **told,
        )


def synthesize_private(
    frame: Any,
    names: Sequence[str],
    hold_out: float | None,
    request: PrivateRequest,
    rows: int | None,
    rules: Sequence[Constraint],
    dropped: Sequence[str],
) -> PrivateDraw:
    """Draw a synthetic table under (ε, δ)."""
    epsilon, given = request.epsilon or 0.0, request.policy or {}  # both checked before
    policy = attribute_policy(given)
    entity = request.entity or next(iter(policy.entities), None)
    roles = {
        name: attribute for name, attribute in policy.attributes.items() if name not in dropped
    }
    schema = Schema.resolve(names, roles, policy.others)
    domains = cell_domains(names, schema.attributes)
    most = None
    if entity is None and request.records_per_person is not None:
        raise PolicyError("records_per_person needs an entity: the identifier of a person")
    if entity is not None:
        most = request.records_per_person or 1
        _check_entity(entity, schema)
    person = [] if entity is None else [entity]
    needed = {*(domain.name for domain in domains), *person}
    table = declared_cells(
        frame,
        {name: attribute for name, attribute in schema.attributes.items() if name in needed},
        exact=person,
    )
    bits: noise.Bits = (
        noise.SystemBits() if request.seed is None else noise.SeededBits(request.seed)
    )
    table, rest = hold_out_records(table, hold_out, bits)
    rho = rho_for(exact_number(epsilon), exact_number(request.delta))
    if first_variance(rho, len(domains), most or 1) > noise.LARGEST_SIGMA**2:
        raise PolicyError(
            f"synthesize: epsilon is {epsilon:g}, too small for {len(domains)} columns: counts "
            "would be nothing but noise; use a larger one"
        )
    kept = table if entity is None else limit_records(table, entity, most or 1, bits)
    spent = request.enter(protects="record" if most is None else "person")
    made = generate(
        [kept[domain.name] for domain in domains],
        domains,
        request.method,
        Budget(rho),
        bits,
        per_person=most or 1,
        rows=rows,
        rules=rules,
    )
    promise = Promise(
        epsilon=float(epsilon),
        delta=float(request.delta),
        rho=float(rho),
        records_per_person=most,
        private=bits.private,
        domains={domain.name: domain.facts() for domain in domains},
        measured=made.measured,
        spent=spent,
    )
    imitated = [domain.name for domain in domains]
    identifiers = [name for name in names if name not in imitated]
    return PrivateDraw(
        drawn=made.table,
        method=request.method,
        dropped=(*dropped, *identifiers),
        promise=promise,
        learned=table.select(imitated),
        rest=None if rest is None else rest.select(imitated),
    )


def _check_entity(entity: str, schema: Schema) -> None:
    """Refuse an entity that is no identifier of the table."""
    if type(entity) is not str:  # a list, or the key of a policy
        raise PolicyError(
            f"persons are identified by {entity!r} together, and synthesis takes one column of "
            "them: join these in the table, and name it"
        )
    if entity not in schema.attributes:
        raise SchemaError(unknown_name("column", entity, list(schema.attributes)))
    if schema.attributes[entity].role is not Role.IDENTIFIER:
        raise SchemaError(f"entity {entity!r} is not an identifier; give it that role")


def limit_records(table: pl.DataFrame, entity: str, most: int, bits: noise.Bits) -> pl.DataFrame:
    """Return at most so many records of each person, chosen without looking at their values.

    Records without a value of the entity are left out: they may be of anybody, also of somebody who
    has as many already.
    """
    persons = pl.DataFrame({"person": table[entity], "word": bits.words(len(table))})
    place = persons.select(pl.col("word").rank("ordinal").over("person")).to_series()
    return table.filter(persons["person"].is_not_null() & (place <= most))


def hold_out_records(
    table: pl.DataFrame, share: float | None, bits: noise.Bits
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Return the records that are learned from, and those that are held out, if there are any.

    A coin of its own decides about each record. A share of all of them would depend on how many
    there are: one record more could change which others are learned from.
    """
    if share is None:
        return table, None
    check_number("synthesize", "hold_out", share, above=0, maximum=1)
    out = pl.Series(noise.bernoulli(exact_number(share), len(table), bits))
    return table.filter(~out), table.filter(out) if out.any() else None


def _of_types(table: pl.DataFrame, like: pl.DataFrame) -> pl.DataFrame:
    """Return texts with the types of another table, for comparisons; null where that fails."""
    return pl.DataFrame(
        [_of_type(table[column.name], column.dtype) for column in like.get_columns()]
    )


def _of_type(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    if dtype == pl.Date:
        return texts.str.slice(0, 10).str.to_date(strict=False)
    if dtype == pl.Boolean:
        return texts.replace_strict(
            {"true": True, "false": False}, default=None, return_dtype=dtype
        )
    return texts.cast(dtype, strict=False)
