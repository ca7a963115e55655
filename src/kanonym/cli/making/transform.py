"""`kanonym transform`: actions on columns, without classes and without a promise."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from kanonym.cli import inputs, options
from kanonym.data.option import Option
from kanonym.data.results import ResultTable

if TYPE_CHECKING:
    from kanonym.actions.base import Action, After


def _list_actions(asked: bool) -> None:
    if not asked:
        return
    from kanonym.cli.terminal import show
    from kanonym.policy.actions import describe_actions

    for kind, actions in describe_actions().items():
        rows = []
        for action in actions:
            name = action.pop("type")
            for heading, told in action.items():
                rows += [(name, heading, told)] if told else []
                name = "" if told else name
        show(ResultTable((kind, "", ""), rows))
    raise typer.Exit


def transform(
    table: options.Table,
    output: options.Output,
    action: Annotated[
        Sequence[str],
        Option(
            "Action on a column: a name or YAML; may be repeated, applied in order.", "COLUMN=FORM"
        ),
    ] = (),
    drop: options.Drop = (),
    sample: Annotated[
        float | None, Option("Share of the rows to keep, drawn at random.", "SHARE")
    ] = None,
    seed: options.DrawnSeed = None,
    every: Annotated[
        bool,
        typer.Option(
            "--list",
            callback=_list_actions,
            is_eager=True,
            help="List all actions: their parameters, what each protects and what it does not.",
        ),
    ] = False,
    *,
    writing: options.Writing,
    reading: options.ReadingOptions,
    json: options.Json = False,
) -> None:
    """Mask, pseudonymize or perturb columns, cell by cell.

    Rows keep their order. No privacy model is checked: for a release that satisfies a model, put
    the actions into a policy, and run anonymize.

    Example: kanonym transform in.csv -o out.csv --action 'pay={type: round, to: 100}'
    """
    from kanonym.actions.registry import keeps_values, share_kept, works_on_values
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_written
    from kanonym.data.files import check_table_output
    from kanonym.data.readings import styled_table
    from kanonym.pipeline import transformation
    from kanonym.policy.actions import action_text, form_of
    from kanonym.policy.referenced_files import mapping_files
    from kanonym.release.tables import kept_value_rows

    del every  # has ended the command already
    dropped = list(drop)
    if not (action or dropped or sample is not None):
        raise typer.BadParameter(
            "missing option: give --action, --drop or --sample; --list shows all actions",
            param_hint="--action",
        )
    asked = _actions(action)
    inputs.check_places({"INPUT": table}, [("-o", output)], asked, json=json)
    check_table_output(output, reading.format_of(output))
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame = reading.rows(table)
        by_value = [name for name, several in asked.items() if works_on_values(several)]
        frame, styles = inputs.read_values(
            frame, step, [name for name in by_value if name in frame.columns]
        )
        step("transform")
        changed = transformation.transform(frame, asked, drop=dropped, sample=sample, seed=seed)
        told = {name: share_kept(several, changed[name]) for name, several in asked.items()}
        kept = {name: one for name, one in told.items() if one}
        step("write")
        released = styled_table(changed, styles)
        coded = [name for name in released.columns if keeps_values(asked.get(name, ()))]
        writing.write(released, output, reading.format, table, coded=coded)
    seconds = perf_counter() - start
    found = {
        "rows_in": len(frame),
        "rows_out": len(changed),
        "actions": {name: [form_of(one) for one in several] for name, several in asked.items()},
        "dropped": dropped,
        **({"values_kept": kept} if kept else {}),
    }
    facts = ResultTable.of_facts(
        ("records", f"{len(frame):,} in, {len(changed):,} written"),
        ("dropped", ", ".join(dropped) or "no column"),
        *kept_value_rows(kept),
    )
    rows = [(name, action_text(one)) for name, several in asked.items() for one in several]
    done = [ResultTable(("column", "action"), rows)] if rows else []
    files = mapping_files(asked).values()
    show_written(found, lambda: [facts, *done], seconds, output, *files, json=json)


def _actions(given: Sequence[str]) -> dict[str, list[Action | After]]:
    """Return the actions of each column, in the order in which they were given."""
    from kanonym.policy.actions import actions_of_text

    asked: dict[str, list[Action | After]] = {}
    for entry in given:
        column, equals, form = entry.partition("=")
        if not (column and equals and form.strip()):
            raise typer.BadParameter(f"{column!r} is not COLUMN=FORM", param_hint="--action")
        asked.setdefault(column, []).extend(actions_of_text(form, f"--action {column}"))
    return asked
