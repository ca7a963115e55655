"""What intruders get from a release, against chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

import numpy as np
import polars as pl

from kanonym.data import errors, frames
from kanonym.data.columns.rebuild import Frame, TableSource
from kanonym.data.files import table_of
from kanonym.data.partition import Replay
from kanonym.data.person_key import columns_of
from kanonym.evaluation.attacks import ATTACKS, setup
from kanonym.evaluation.attacks.base import NOT_REPLAYED, Attack, AttackContext, codes_of_persons
from kanonym.evaluation.attacks.classes.minimality import Minimality
from kanonym.evaluation.attacks.linking.known_records import linked_units
from kanonym.evaluation.attacks.result import AttackResults
from kanonym.evaluation.columns import ColumnKeywords, name_list
from kanonym.evaluation.pair.aligned_tables import AlignedTables, align_tables
from kanonym.evaluation.pair.tables import TablePair, with_control
from kanonym.evaluation.releases import hierarchies_of, unpack_release
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.models import KAnonymity
from kanonym.models.base import check_integer, check_number
from kanonym.pipeline import anonymize
from kanonym.pipeline.planning import to_canonical
from kanonym.pipeline.reasons import decide_again, replay
from kanonym.policy import Policy, PolicySource
from kanonym.policy.definition import policy_from
from kanonym.policy.faults import unknown_name


def attack(
    original: TableSource,
    released: TableSource | None = None,
    policy: PolicySource | None = None,
    *,
    control: TableSource | None = None,
    hold_out: float | None = None,
    second: TableSource | None = None,
    attacks: Sequence[str | Attack] | None = None,
    attempts: int = 2000,
    seed: int = 0,
    released_only: bool = False,
    progress: Callable[[str], None] | None = None,
    **columns: Unpack[ColumnKeywords],
) -> AttackResults:
    """Attack a release as an intruder would, and compare with chance.

    Parameters
    ----------
    original
        The table before anonymization: the persons who are attacked. Like every other table here,
        it may be the path of a file.
    released
        The release, whoever made it; or a `Release`, which brings its policy, its
        hierarchies, and which records are which.
    policy
        Whose quasi-identifiers, sensitive attributes and hierarchies are meant; or leave it
        out and name them. Where it, or that of the `Release`, counts persons by an identifier
        (`entity`), persons are attacked with all of their records: the original and the control
        have that column.
    control
        People of the same population who are not in the original. What an attack learns of
        them is learnt from statistics, not from anybody's record in the release. If more of
        its records are equal to one of the original than chance explains, a note says so.
    hold_out
        In the place of a release and a control: anonymize the original without this share of
        it, in (0, 1), by the policy, and attack that release, with the rest as control. Where
        the policy counts persons by an identifier, all records of a person stay together.
    second
        A further release of the same people, for `intersection`: a table whose labels are of
        the same hierarchies, or a `Release`, which brings its own.
    attacks
        Names of `attacks.registry.ATTACKS`, or attacks with their parameters; None for all.
    attempts
        Persons attacked at most, by the attacks that are named; at least 2.
    seed
        Of what is drawn; each attack has a generator of its own.
    released_only
        Of a `Release`: attack only persons whose records are released, so that the values of
        suppressed ones change nothing. For what is published, such as a report.
    progress
        Called with the name of each stage as it begins: `read`, and each attack; and with a
        `Progress`, `attack: 35% done`, where an attack knows its share.
    columns
        `quasi_identifiers`, `sensitive`, `hierarchies` and `aligned`, as of `utility`.

    Raises
    ------
    SchemaError, DataError, HierarchyError
        The tables do not fit each other, a released value cannot be read, or the control has
        people of the original by an identifier.
    PolicyError
        There is no such attack, or parameters contradict each other.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [23, 25, 41, 44], "ill": ["flu", "flu", "cold", "flu"]})
    >>> release = people.with_columns(age=pl.Series(["[23, 25]"] * 2 + ["[41, 44]"] * 2))
    >>> found = attack(
    ...     people,
    ...     release,
    ...     quasi_identifiers=["age"],
    ...     sensitive=["ill"],
    ...     attacks=["homogeneity"],
    ... )
    >>> found["homogeneity"].targets.rate
    0.5
    """
    check_integer("attack", "seed", seed, 0)
    check_integer("attack", "attempts", attempts, 2)
    chosen = _select_attacks(attacks, attempts)
    original = table_of(original)
    released = None if released is None else table_of(released)
    control = None if control is None else table_of(control)
    second = None if second is None else table_of(second)
    step = progress or _ignore_progress
    if hold_out is not None:
        given = released is not None or control is not None or any(columns.values())
        if given or policy is None:
            raise errors.PolicyError(
                "hold_out makes a release and its control: it needs a policy alone"
            )
        step("anonymize")
        whole = policy_from(policy)
        original, control = split_hold_out(original, whole, hold_out, seed)
        released, policy = anonymize(original, whole), None
    elif released is None:
        raise errors.PolicyError("attack needs a release, or hold_out and a policy to make one")
    step("read")
    tables = align_tables(original, released, policy, released_only=released_only, **columns)
    policies = [one for one in (tables.policy, policy_of(released)) if one is not None]
    persons = _persons(original, control, policies, tables.kept)
    stated = any(one.entities or one.rows for one in policies)
    beside = None if control is None else setup.control_columns(control, tables)
    notes: tuple[str, ...] = ()
    if control is not None and beside is not None and hold_out is None:
        setup.require_other_people(original, control, policies)
        notes = setup.overlap_notes(tables.before, beside, persons)
    scene = _attack_context(tables, beside, second, persons)
    scene = replace(scene, units=_linked_units(released, policies, scene.pair))
    if any(one.type == Minimality.type for one in chosen):
        scene = replace(scene, replay=_replay_release(original, released, tables.policy, scene))
    scene = replace(scene, minimal_for=_minimal_for(policy_of(released) or tables.policy))
    if tables.sets is not None:
        further = None if control is None else frames.to_eager(control)
        sets = with_control(tables.sets, further, tables.policy)
        scene = replace(scene, pair=replace(tables.with_sets(scene.pair), sets=sets))
    elif attacks is None:
        chosen = [one for one in chosen if not one.needs_sets]
    results = []
    for one in chosen:
        step(one.type)
        random = np.random.default_rng([seed, *one.type.encode()])
        told = partial(_report_share, step, one.type)
        result = one.run(replace(scene, told=told), random)
        unit = one.unit if stated else one.unit.replace("person", "record")
        results.append(replace(result, seed=int(seed), unit=unit))
    limits = next((one.attack_limits for one in policies), {})
    return AttackResults(tuple(results), (*notes, *_notes(scene.pair.new)), limits)


def _replay_release(
    original: Any, released: Any, policy: Policy | None, scene: AttackContext
) -> Replay | str:
    """Return what the algorithm behind a release refused, or why nobody knows."""
    _, own, release = unpack_release(released, policy, named=False)
    if release is not None:
        return replay(release.decision, release.policy)
    if own is None or scene.pair.classes is None:
        return NOT_REPLAYED
    try:
        decision = decide_again(original, own)
    except errors.KanonymError:
        return NOT_REPLAYED
    sizes = np.bincount(scene.pair.classes)
    if not np.array_equal(np.sort(sizes), np.sort(decision.class_sizes)):
        return NOT_REPLAYED
    return replay(decision, own)


def _minimal_for(policy: Policy | None) -> int:
    """Return the k of classes that are known to be generalized step by step; else 0."""
    if policy is None or not policy.algorithm.stepwise:
        return 0
    kept = [
        model for model in policy.models if model.type == KAnonymity.type and model.entity is None
    ]
    sizes = [int(one.required) for one in kept]
    return max(sizes, default=0) if len(sizes) == len(policy.models) else 0


def _notes(new: Mapping[str, int]) -> tuple[str, ...]:
    """Return what is to be known of categories that the original lacks."""
    return tuple(
        f"Column {name!r}: {n} released records have a value that the original lacks. It is taken "
        "for a new category; if it is a label for several values, give its hierarchy, or the "
        "attacks look weaker than they are."
        for name, n in new.items()
    )


def _report_share(step: Callable[[str], None], attack: str, done: int, total: int) -> None:
    """Tell which share of an attack is done."""
    if 0 < done < total:
        step(errors.Progress(f"{done / total:.0%} done", done=done, total=total).of(attack))


def _ignore_progress(stage: str) -> None:
    del stage


def policy_of(released: object) -> Policy | None:
    """Return the policy of a `Release`."""
    _, policy, _ = unpack_release(released, None, named=False)
    return policy


def _select_attacks(attacks: Sequence[str | Attack] | None, attempts: int) -> list[Attack]:
    """Return the attacks that are asked for; those that are named attack so many persons."""
    if isinstance(attacks, str):
        name_list(attacks, "attacks")  # refuses a text
    given: Sequence[str | Attack] = list(ATTACKS) if attacks is None else attacks
    chosen: list[Attack] = []
    for one in given:
        if isinstance(one, Attack):
            chosen.append(one)
        elif not isinstance(one, str):
            raise errors.PolicyError(
                "attacks are given by name, or as objects such as Linkage(attempts=100); this "
                f"is {errors.shown_value(one)}"
            )
        elif one in ATTACKS:
            kind = ATTACKS[one]
            limited = {"attempts": attempts} if hasattr(kind, "attempts") else {}
            chosen.append(kind(**limited))
        else:
            raise errors.PolicyError(unknown_name("attack", one, ATTACKS))
    return chosen


def split_hold_out(
    original: Frame, policy: Policy, hold_out: float, seed: int
) -> tuple[Frame, Frame]:
    """Return the part of a table that is anonymized, and the part that is held out."""
    check_number("attack", "hold_out", hold_out, above=0, maximum=1)
    native = frames.to_eager(original)
    persons, noun = np.arange(frames.n_rows(native)), "records"
    if entities := policy.entities:
        persons, noun = codes_of_persons(frames.column(native, entities[0])), "persons"
    n = int(persons.max(initial=-1)) + 1
    held = round(n * hold_out)
    if not 0 < held < n:
        raise errors.DataError(
            f"hold_out is {hold_out:g} of {n} {noun}: both parts need at least one of them"
        )
    out = np.zeros(n, np.bool_)
    out[np.random.default_rng([seed, *b"hold out"]).permutation(n)[:held]] = True
    names = frames.column_names(native)
    kept, rest = (
        frames.assemble(native, np.flatnonzero(out[persons] == part), names, original)
        for part in (False, True)
    )
    return kept, rest


def _attack_context(
    tables: AlignedTables,
    control: dict[str, pl.Series] | None,
    second: Frame | None,
    persons: tuple[setup.Persons, setup.Persons],
) -> AttackContext:
    """Return what the intruders see."""
    further, _, release = unpack_release(second, None, named=False)
    return setup.build_context(
        tables.before,
        tables.after,
        tables.known,
        tables.sensitive,
        control=control,
        second=None if second is None else _columns(further, tables.policy),
        hierarchies=tables.trees,
        sources=tables.sources,
        second_hierarchies=None if release is None else hierarchies_of(release),
        aligned=tables.aligned,
        rows=tables.rows,
        persons=persons,
    )


def _persons(
    original: Frame, control: Frame | None, policies: Sequence[Policy], kept: Ints | None
) -> tuple[setup.Persons, setup.Persons]:
    """Return whose the records of both tables are, by the identifier that a policy counts by.

    kept: the records of the original that are attacked; None for all.
    """
    entity = next((name for policy in policies for name in policy.entities), None)
    if entity is None:
        return None, None
    found = []
    for noun, table in (("original", original), ("control", control)):
        native = None if table is None else frames.to_eager(table)
        names = [] if native is None else frames.column_names(native)
        lacking = [name for name in columns_of([entity]) if name not in names]
        if native is not None and lacking:
            raise errors.SchemaError(
                f"the {noun} has no column {lacking[0]!r}, by which the policy counts persons: "
                "give it, or a policy without entity, which takes each record for a person"
            )
        codes = None
        if native is not None:
            column = frames.column(native, entity)
            if kept is not None and noun == "original":
                column = column.gather(kept)
            codes = codes_of_persons(column)
        alone = codes is None or int(codes.max(initial=-1)) + 1 == len(codes)
        found.append(None if alone else codes)
    return found[0], found[1]


def _linked_units(released: Any, policies: Sequence[Policy], pair: TablePair) -> Int32s | None:
    """Return the records that a released column, no quasi-identifier, shows to be of one person."""
    policy = next((policy for policy in policies if policy.entities), None)
    if policy is None:
        return None
    table: Any = frames.to_eager(unpack_release(released, None, named=False)[0])
    entity, columns = policy.entities[0], dict[str, pl.Series]()
    names = frames.column_names(table)
    if {*columns_of([entity])} <= {*names}:
        names = [*dict.fromkeys([*names, entity])]
    for name in names:
        changed = name == entity and policy.perturbs(name)
        if name not in pair.quasi_identifiers and not changed:
            with suppress(errors.DataError):  # lists and the like are not compared
                columns[name] = frames.column(table, name)
    return linked_units(columns, pair, entity)


def _columns(table: Frame, policy: Policy | None) -> dict[str, pl.Series]:
    native = to_canonical(table, policy)
    return {name: frames.column(native, name) for name in frames.column_names(native)}
