"""`kanonym verify`, `kanonym measure` and `kanonym attack` of several linked tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer


def verify_linked(
    released: str,
    schema: str | None,
    policy: Path,
    original: str | None,
    *,
    accept_findings: bool,
    json: bool,
) -> None:
    """Verify released tables against a policy about all of them; see `kanonym verify`."""
    from kanonym.cli.judging.verify import exit_by_verdict, tell_of_violations
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_result
    from kanonym.linked import LinkedPolicy, verify
    from kanonym.linked.given_tables import Place, banded_policy, read_tables

    asked = LinkedPolicy.from_file(policy)
    place = Place.of(released, schema)
    with show_progress() as step:
        step("read")
        tables = read_tables(place, list(banded_policy(asked).tables))
        before = None
        if original is not None:
            before = read_tables(Place.of(original), list(asked.tables))
        step("verify")
        verification = verify(tables, asked, original=before)
    show_result(verification.to_dict(), verification.tables, json=json)
    tell_of_violations(verification, place.display_name, "classes of persons")
    exit_by_verdict(verification, accept_findings=accept_findings)


def measure_linked(given: str, schema: str | None, policy: Path, *, json: bool) -> None:
    """Measure what several tables tell of the persons in them; see `kanonym measure`."""
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_result
    from kanonym.linked import LinkedPolicy, measure
    from kanonym.linked.given_tables import Place, read_tables
    from kanonym.policy.document import is_linked

    if not is_linked(policy):
        raise typer.BadParameter(
            "is about one table: name its columns by -q and -s", param_hint="--policy"
        )
    asked = LinkedPolicy.from_file(policy)
    with show_progress() as step:
        step("read")
        tables = read_tables(Place.of(given, schema), list(asked.tables))
        step("measure")
        found = measure(tables, asked)
    show_result(found.to_dict(), found.tables, json=json)


def attack_linked(
    original: str,
    released: str | None,
    policy: Path,
    *,
    refused: Mapping[str, Any],
    attempts: int,
    seed: int,
    json: bool,
) -> None:
    """Attack released tables by what is known of persons in all of them; see `kanonym attack`.

    refused: by name, options that are for one table.
    """
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_result
    from kanonym.linked import LinkedPolicy, attack
    from kanonym.linked.given_tables import Place, banded_policy, read_tables

    given = [name for name, value in refused.items() if value is not None]
    if given:
        raise typer.BadParameter(
            "not with a policy about several tables", param_hint=", ".join(given)
        )
    if released is None:
        raise typer.BadParameter("name a release", param_hint="RELEASED")
    asked = LinkedPolicy.from_file(policy)
    with show_progress() as step:
        step("read")
        before = read_tables(Place.of(original), list(asked.tables))
        after = read_tables(Place.of(released), list(banded_policy(asked).tables))
        results = attack(before, after, asked, attempts=attempts, seed=seed, progress=step)
    show_result(results.to_dict(), results.tables, json=json)
