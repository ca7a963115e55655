"""`kanonym attack`: what an intruder gets from a release, against chance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from kanonym.cli import inputs, options
from kanonym.cli.group import REFUSED
from kanonym.cli.policy_options import COLUMNS, PolicyOptions, takes_policy
from kanonym.data.option import Option


def _list_attacks(asked: bool) -> None:
    if not asked:
        return
    from kanonym.cli.terminal import show
    from kanonym.data.results import ResultTable
    from kanonym.evaluation.attacks import ATTACKS

    rows = [(name, one.question) for name, one in ATTACKS.items()]
    show(ResultTable(("attack", "question"), rows))
    raise typer.Exit


@takes_policy(*COLUMNS)
def attack(
    original: Annotated[
        str,
        typer.Argument(
            metavar="ORIGINAL", help="Table before anonymization; - for standard input."
        ),
    ],
    released: Annotated[
        str | None,
        typer.Argument(metavar="[RELEASED]", help="The release; omit it with --hold-out."),
    ] = None,
    *,
    asked: PolicyOptions,
    control: Annotated[
        str | None, Option("People of the same population who are not in ORIGINAL.", "FILE")
    ] = None,
    hold_out: Annotated[
        float | None,
        Option(
            "Hold out this share of ORIGINAL as the control, and anonymize the rest by --policy.",
            "SHARE",
        ),
    ] = None,
    second: Annotated[
        str | None,
        Option("Another release of the same people, for the intersection attack.", "FILE"),
    ] = None,
    attacks: Annotated[
        Sequence[str], Option("Attacks to run; default: all.", "A,B", "--attack")
    ] = (),
    attempts: Annotated[int, Option("Maximum number of people to attack.", "N", least=2)] = 2000,
    aligned: options.Aligned = None,
    seed: options.Seed = 0,
    every: Annotated[
        bool,
        typer.Option("--list", callback=_list_attacks, is_eager=True, help="List all attacks."),
    ] = False,
    reading: options.ReadingOptions,
    released_table: options.ReleasedTable = None,
    long: options.LongTable = None,
    json: options.Json = False,
) -> None:
    """Attack a release as an intruder would, and compare with chance.

    Every attack reports its success rate, the rate without the release (baseline), and the rate
    on people who are not in the table (--control or --hold-out): what is learned about them comes
    from statistics, not from their own records. Exit code 1: an attack exceeds a limit of the
    policy (attack_limits). With a policy about several tables, ORIGINAL and RELEASED are folders,
    SQLite or DuckDB files, or PostgreSQL databases: the intruder knows a person and 0, 1, 2 or
    all of the person's rows.

    Example: kanonym attack patients.csv released.csv -q age,zip -s disease
    """
    import kanonym as ka
    from kanonym.cli.judging.linked import attack_linked
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_result
    from kanonym.policy.document import is_linked

    del every  # has ended the command already
    if asked.file is not None and is_linked(asked.file):
        refused: dict[str, Any] = {"-q, -s, --hierarchy": asked.given or None}
        refused |= {"--control": control, "--hold-out": hold_out, "--second": second}
        refused |= {"--attack": attacks or None, "--aligned": aligned, "--long": long}
        refused |= {"--table": reading.table_name, "--released-table": released_table}
        attack_linked(
            original,
            released,
            Path(asked.file),
            refused=refused,
            attempts=attempts,
            seed=seed,
            json=json,
        )
        return
    if (released is None) == (hold_out is None):
        raise typer.BadParameter(
            "name a release, or use --hold-out to make one", param_hint="RELEASED"
        )
    if hold_out is not None and (asked.file is None or control is not None or aligned is not None):
        raise typer.BadParameter(
            "needs --policy, and makes its own control", param_hint="--hold-out"
        )
    if hold_out is not None and not 0 < hold_out < 1:
        raise typer.BadParameter(f"{hold_out:g} is not between 0 and 1", param_hint="--hold-out")
    named = {"ORIGINAL": original, "RELEASED": released, "--control": control, "--second": second}
    inputs.check_places(named, [])
    columns = asked.columns()
    grouped = inputs.long_columns(long, columns.get("policy"))
    with show_progress() as step:
        step("read")
        read = reading.with_release(original, released, released_table, control, second)
        tables = [inputs.group_long(one, grouped) for one in read]
        columns, (before, after, beside, other), _ = inputs.read_like_first_table(
            columns, tables, step
        )
        results = ka.attack(
            before,
            after,
            **columns,
            control=beside,
            hold_out=hold_out,
            second=other,
            attacks=attacks or None,
            attempts=attempts,
            aligned=aligned,
            seed=seed,
            progress=step,
        )
    show_result(results.to_dict(), results.tables, json=json)
    if results.verdict == "exceeded":
        above = [check.type for check in results.checks if check.verdict == "exceeded"]
        typer.echo(
            f"kanonym: error: above the limit of the policy: {', '.join(dict.fromkeys(above))}",
            err=True,
        )
        raise typer.Exit(REFUSED)
