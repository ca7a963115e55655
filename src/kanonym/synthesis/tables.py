"""Synthetic tables: records of nobody, drawn by a model of a table, and judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from kanonym.data import frames
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.files import table_of
from kanonym.data.schema import Attribute
from kanonym.evaluation.columns import name_list
from kanonym.models.base import check_integer, check_number
from kanonym.policy import PolicySource
from kanonym.policy.faults import raise_together, unknown_name
from kanonym.profiling import identifiers_of
from kanonym.synthesis.columns import Constraint
from kanonym.synthesis.marginals.generation import FITS
from kanonym.synthesis.private import DEFAULT_DELTA, PrivateRequest, synthesize_private
from kanonym.synthesis.result import ROOT, Synthesis, Synthesizer, draw_valid_records
from kanonym.synthesis.trees import SequentialTrees


def synthesize(
    frame: Any,
    *,
    rows: int | None = None,
    drop: Sequence[str] = (),
    constraints: Sequence[str | Constraint] = (),
    method: str | Synthesizer | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    policy: PolicySource | Mapping[str, Attribute] | None = None,
    entity: str | None = None,
    records_per_person: int | None = None,
    ledger: str | Path | None = None,
    hold_out: float | None = None,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    seed: int | None = None,
) -> Synthesis:
    """Fit a model to a table, and draw a synthetic table from it.

    With `epsilon` it is differentially private: what is learned of the table is noisy counts over
    domains that the policy declares, and the result says what that promises (`PrivateSynthesis`).

    Without `epsilon` this is not anonymization, and promises nothing. No record is copied on
    purpose, but a drawn record may equal a real one, each value of the table may occur in it, and a
    synthesizer that memorized records discloses them. Evaluate the table before you share it: with
    `hold_out`, attacks on people in the training data are compared with attacks on people who are
    not.

    Parameters
    ----------
    frame
        A pandas or polars DataFrame, a polars LazyFrame, a pyarrow Table or the path of a file.
    rows
        Synthetic records, at least 1; None for as many as were learned from, or, with `epsilon`,
        as many as noisy counts say.
    drop
        Columns to leave out. Without `epsilon`, columns that `profile` calls identifiers are left
        out as well (`Synthesis.identifiers`), unless they are named in `quasi_identifiers`,
        `sensitive` or `constraints`: their values are real.
    constraints
        What holds between two columns in every record, such as "discharge >= admission".
    method
        With `epsilon`: `aim` (the default) or `mst`. Without: an object with a name and `fit`,
        by default `SequentialTrees` that draw the quasi-identifiers first.
    epsilon, delta
        The privacy budget, above 0, and the probability with which it may fail; 1e-9 by default.
    policy
        With `epsilon`: a policy, its form or its file, or its attributes alone. Identifiers are
        dropped; every other column has a `domain`, or a hierarchy from a file or a mapping. Models
        are not needed.
    entity, records_per_person
        With `epsilon`: the identifier that tells persons apart, and how many records of each are
        used, by default 1. The guarantee then protects persons, otherwise single records. Records
        that name no person are left out.
    ledger
        With `epsilon`: the file that sums what releases of the table have spent. It is written
        before anything is drawn. None: the result says that the cost is not recorded.
    hold_out
        Share of the records that are not learned from, in (0, 1): those that attacks are
        compared with. None: all are learned from, and nobody can tell what was learned by heart.
        With `epsilon` a coin decides about each record, so that the share is not exact.
    quasi_identifiers, sensitive
        For the attacks: what intruders know of a person (by default all that is not
        sensitive), and what they want to learn. Quasi-identifiers are drawn first.
    seed
        Of all that is drawn, at least 0, by default 0: the same one gives the same table, on every
        frame library. With `epsilon` noise comes from the operating system; a seed is for tests,
        and the result says "not private".

    Raises
    ------
    SchemaError
        There is no such column, one has two roles, or one cannot be imitated, as free text.
    DataError
        The table has too few records, a record breaks a constraint, or the method draws none
        that keeps it.
    PolicyError
        There is no such method, or a parameter is no number in its range.

    Notes
    -----
    Columns keep their type, and no value is missing in a column that misses none. Trees keep
    every constraint by themselves: records of other synthesizers that break one are drawn again,
    up to 20 times as many. Cost: of the synthesizer.

    Examples
    --------
    >>> import polars as pl
    >>> stays = pl.DataFrame({"age": [34, 57, 61, 45] * 5, "ward": ["a", "b", "b", "a"] * 5})
    >>> synthesize(stays, rows=3, seed=1).frame.shape
    (3, 2)
    """
    private = epsilon is not None or (isinstance(method, str) and method in FITS)
    frame = table_of(frame)
    native = frames.to_eager(frame)
    names = frames.column_names(native)
    dropped, known, hidden = (
        name_list(given, "columns") for given in (drop, quasi_identifiers, sensitive)
    )
    fixed = 0 if seed is None else seed
    default = next(iter(FITS)) if private else SequentialTrees(order=tuple(known))
    chosen = default if method is None else method
    request = PrivateRequest(
        method=chosen,
        epsilon=epsilon,
        delta=DEFAULT_DELTA if delta is None else delta,
        policy=policy,
        entity=entity,
        records_per_person=records_per_person,
        seed=seed,
        ledger=ledger,
    )
    raise_together(
        [
            partial(check_integer, "synthesize", "seed", fixed, 0),
            *([] if rows is None else [partial(check_integer, "synthesize", "rows", rows, 1)]),
            request.check if private else partial(_check_not_private, chosen, delta, request),
            *column_checks(names, dropped, (*known, *hidden)),
            *constraint_checks(constraints, names, dropped),
        ]
    )
    kept = kept_columns(names, dropped, known, hidden)
    rules = [
        constraint if isinstance(constraint, Constraint) else Constraint.parse(constraint)
        for constraint in constraints
    ]
    _check_rules(rules, kept)
    identifiers: list[str] = []
    if not private:
        meant = {
            *dropped,
            *known,
            *hidden,
            *(name for rule in rules for name in (rule.left, rule.right)),
        }
        identifiers = identifiers_of(native, meant)
        kept = _without_identifiers(kept, identifiers)
    told: dict[str, Any] = {
        "rows_in": frames.n_rows(native),
        "seed": int(fixed),
        "identifiers": tuple(identifiers),
        "constraints": tuple(map(str, rules)),
        "_known": tuple(known),
        "_sensitive": tuple(hidden),
    }
    if private:
        made = synthesize_private(native, kept, hold_out, request, rows, rules, dropped)
        # Types are those of the domains: of the table, only its library is taken.
        shown = frames.assemble(
            frames.select(native, ()),
            np.zeros(made.rows, np.int64),
            made.drawn.get_columns(),
            frame,
        )
        held_out = 0 if made.rest is None else len(made.rest)
        return made.result(shown, held_out=held_out, **told)
    assert not isinstance(chosen, str)  # noqa: S101 - it has no epsilon
    table = pl.DataFrame([frames.column(native, name) for name in kept])
    learned, rest = _split_hold_out(table, hold_out, fixed)
    random = np.random.default_rng([fixed, ROOT])
    model = chosen.fit(learned.get_columns(), rules, random)
    drawn = draw_valid_records(
        model, len(learned) if rows is None else rows, learned, rules, random
    )
    shape = np.zeros(len(drawn), np.int64)
    return Synthesis(
        frame=frames.assemble(native, shape, drawn.get_columns(), frame),
        method=chosen.name,
        rows=len(drawn),
        dropped=(*dropped, *identifiers),
        held_out=0 if rest is None else len(rest),
        _learned=learned,
        _synthetic=drawn,
        _rest=rest,
        **told,
    )


def _check_not_private(
    method: str | Synthesizer, delta: float | None, request: PrivateRequest
) -> None:
    """Refuse what only differential privacy knows, and a method that is none."""
    for name, given in (
        ("delta", delta),
        ("policy", request.policy),
        ("entity", request.entity),
        ("records_per_person", request.records_per_person),
        ("ledger", request.ledger),
    ):
        if given is not None:
            raise PolicyError(f"{name} is for differentially private synthesis: give epsilon, too")
    if isinstance(method, type) or not (hasattr(method, "fit") and hasattr(method, "name")):
        raise PolicyError(
            f"method is {' or '.join(FITS)} with epsilon, or a synthesizer such as "
            f"SequentialTrees(leaf=50), with a name and fit; this is {method!r}"
        )


def kept_columns(
    names: list[str], dropped: list[str], known: list[str], hidden: list[str]
) -> list[str]:
    """Return the columns to imitate; refuse names that mean none, or two things."""
    for name in (*dropped, *known, *hidden):
        if name not in names:
            raise SchemaError(unknown_name("column", name, names))
    for name in (*known, *hidden):
        if name in dropped:
            raise SchemaError(f"column {name!r} is dropped: no intruder finds it in the table")
    both = [name for name in hidden if name in known]
    if both:
        raise SchemaError(f"{both[0]!r} is both quasi-identifying and sensitive; choose one")
    kept = [name for name in names if name not in dropped]
    if not kept:
        raise SchemaError("every column is dropped; keep one")
    return kept


def _without_identifiers(kept: list[str], identifiers: Sequence[str]) -> list[str]:
    """Return the columns without those that identify people; refuse to be left without one."""
    left = [name for name in kept if name not in identifiers]
    if not left:
        raise SchemaError(
            f"every column seems to identify people: {', '.join(identifiers)}. Name those that do "
            "not in quasi_identifiers (--quasi-identifiers)"
        )
    return left


def column_checks(
    names: list[str], dropped: Sequence[str], meant: Sequence[str]
) -> list[Callable[[], None]]:
    """Return a check of each column that is named: that it is there, and not dropped if meant."""

    def check(name: str) -> None:
        if name not in names:
            raise SchemaError(unknown_name("column", name, names))
        if name in dropped and name in meant:
            raise SchemaError(f"column {name!r} is dropped, and named as one that is kept")

    return [partial(check, name) for name in dict.fromkeys((*dropped, *meant))]


def constraint_checks(
    given: Sequence[str | Constraint], names: list[str], dropped: Sequence[str]
) -> list[Callable[[], None]]:
    """Return a check of each constraint: that it is one, of columns that are kept."""
    kept = [name for name in names if name not in dropped]

    def check(one: str | Constraint) -> None:
        _check_rules([one if isinstance(one, Constraint) else Constraint.parse(one)], kept)

    return [] if isinstance(given, str) else [partial(check, one) for one in given]


def _check_rules(rules: Sequence[Constraint], kept: list[str]) -> None:
    for rule in rules:
        for name in (rule.left, rule.right):
            if name not in kept:
                raise SchemaError(f"constraint {rule}: {unknown_name('column', name, kept)}")


def _split_hold_out(
    table: pl.DataFrame, hold_out: float | None, seed: int
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Return the records that are learned from, and those that are held out."""
    n = len(table)
    if n < 2:
        raise DataError(f"the table has {n} records: there is nothing to learn from")
    if hold_out is None:
        return table, None
    check_number("synthesize", "hold_out", hold_out, above=0, maximum=1)
    held = round(n * hold_out)
    if not 0 < held < n - 1:
        raise DataError(
            f"hold_out is {hold_out:g} of {n} records: at least one must be held out, and two "
            "learned from"
        )
    out = np.zeros(n, np.bool_)
    out[np.random.default_rng([seed, *b"hold out"]).permutation(n)[:held]] = True
    return table.filter(pl.Series(~out)), table.filter(pl.Series(out))
