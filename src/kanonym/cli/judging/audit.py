"""`kanonym audit`: a lower bound of the epsilon that a mechanism has, by canaries."""

from __future__ import annotations

from typing import Annotated

import typer

from kanonym.cli import options
from kanonym.data.option import Option


def audit(
    table: options.Table,
    policy: Annotated[
        str,
        Option(
            "Policy with the model differential-privacy, or with the domain of each column.",
            "FILE",
            "-p",
        ),
    ],
    epsilon: Annotated[
        float | None, Option("Audit a synthetic table with this budget.", "E")
    ] = None,
    delta: Annotated[
        float, Option("Probability with which a synthetic table may fail.", "D")
    ] = 1e-9,
    method: Annotated[str | None, Option("Synthesizer: aim (default) or mst.", "NAME")] = None,
    canaries: Annotated[
        int, Option("Records that are put in, or left out, by a coin each.", "N", least=100)
    ] = 1_000,
    seed: options.Seed = 0,
    *,
    reading: options.ReadingOptions,
    json: options.Json = False,
) -> None:
    """Audit a differentially private mechanism by canaries in one run.

    Canaries are put into the table, each by a coin, and guessed from what is released. The exit
    code is 1 where the guesses contradict the stated epsilon. An audit finds blunders, not small
    excesses: the guarantee rests on the proof.

    Example: kanonym audit patients.csv --policy policy.yaml --epsilon 1
    """
    from kanonym.audit import audit_policy
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_result
    from kanonym.policy.attribute_policy import attribute_policy

    asked = attribute_policy(policy)
    with show_progress() as step:
        step("read")
        frame = reading.rows(table, declared=asked.attributes)
        step("audit")
        found = audit_policy(
            frame, asked, epsilon=epsilon, delta=delta, method=method, canaries=canaries, seed=seed
        )
    show_result(found.to_dict(), found.tables, json=json)
    if not found.satisfied:
        raise typer.Exit(1)
