"""`kanonym synthesize`: a table of records of nobody, drawn from what a model learned."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from kanonym.cli import options
from kanonym.cli.making.papers import Papers

if TYPE_CHECKING:
    from kanonym.data.readings import Reading
    from kanonym.synthesis.synthesizer import Synthesizer

JUDGED = "Evaluation"
PRIVATE = "Differential privacy"


def synthesize(
    table: options.Table,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Synthetic table; - for standard output."
        ),
    ],
    rows: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Number of records; default: as many as were learned from."
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Columns to drop; without --epsilon, those that seem to identify people, too.",
        ),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help=(
                "Condition that every record meets, such as 'discharge >= admission'; may be "
                "repeated."
            ),
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="aim (default) or mst; needs --epsilon.",
            rich_help_panel=PRIVATE,
        ),
    ] = None,
    leaf: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Records in a leaf of a tree, at least 5; without --epsilon. Default: 20.",
        ),
    ] = None,
    order: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Columns to draw first, without --epsilon; default: those of -q.",
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            metavar="E",
            help="Differential privacy with this budget; for aim and mst.",
        ),
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(
            metavar="D",
            help="Probability with which the guarantee may fail; default: 1e-9.",
            rich_help_panel=PRIVATE,
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            metavar="FILE",
            help="Policy that declares each column's domain, or a hierarchy file; for aim and mst.",
            rich_help_panel=PRIVATE,
        ),
    ] = None,
    entity: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Identifier of a person: protect persons, not single records.",
            rich_help_panel=PRIVATE,
        ),
    ] = None,
    records_per_person: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Records of each person that are used; default: 1. Needs --entity.",
            rich_help_panel=PRIVATE,
        ),
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File that sums what releases of INPUT have spent; keep it, do not publish it. "
            "Required for aim and mst.",
            rich_help_panel=PRIVATE,
        ),
    ] = None,
    public_report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Report that may go along with the table, as .html, .pdf, .md or .json; may be "
            "repeated.",
            rich_help_panel=PRIVATE,
        ),
    ] = None,
    public_manifest: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Manifest that may go along with the table, as JSON.",
            rich_help_panel=PRIVATE,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Random seed; default: 0. For aim and mst there is none: with one, the table is "
            "not private.",
        ),
    ] = None,
    hold_out: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Hold out this share of INPUT as the control for attacks.",
            rich_help_panel=JUDGED,
        ),
    ] = None,
    judge: Annotated[
        bool,
        typer.Option(
            "--judge",
            help="Compare the table with the original, and attack it.",
            rich_help_panel=JUDGED,
        ),
    ] = False,
    quasi_identifiers: Annotated[
        list[str] | None,
        typer.Option(
            "--quasi-identifiers",
            "-q",
            metavar="A,B",
            help="What intruders know; default: all columns that are not sensitive.",
            rich_help_panel=JUDGED,
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            "--sensitive",
            "-s",
            metavar="C",
            help="What intruders want to learn.",
            rich_help_panel=JUDGED,
        ),
    ] = None,
    no_read_back: options.NoReadBack = False,
    safe_cells: options.SafeCells = False,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> None:
    """Draw a synthetic table from a model of the original.

    With --epsilon the table is differentially private:
    --policy policy.yaml --epsilon 1 --ledger ledger.json

    Without, it promises nothing: no record is copied on purpose, but some may equal a real one.
    Judge such a table before you share it: --hold-out 0.2 --judge -q age,zip -s disease
    """
    from kanonym import synthesis
    from kanonym.cli.printing.synthesis import synthesis_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.tables import columns_of_known_values, write_table
    from kanonym.cli.terminal import show, show_json
    from kanonym.data.files import check_table_output, read_table
    from kanonym.data.readings import styled_table
    from kanonym.policy.attribute_policy import attribute_policy

    if json and output == "-":
        raise typer.BadParameter("standard output cannot hold both", param_hint="--json and -o -")
    if not judge and (quasi_identifiers or sensitive):
        raise typer.BadParameter("needs --judge", param_hint="-q and -s")
    if hold_out is not None and not 0 < hold_out < 1:
        raise typer.BadParameter(f"{hold_out:g} is not between 0 and 1", param_hint="--hold-out")
    papers = Papers([], None, public_report or [], public_manifest).checked()
    options.check_places({"INPUT": table}, [("-o", output), ("--ledger", ledger), *papers.options])
    check_table_output(output, options.format_of(output, format))
    private = _is_private(method, epsilon)
    asked = {
        "delta": delta,
        "policy": policy,
        "entity": entity,
        "records_per_person": records_per_person,
        "ledger": ledger,
        "public_report": public_report,
        "public_manifest": public_manifest,
    }
    known, first = options.parse_names(quasi_identifiers), options.parse_names(order)
    _check_budget(asked, seed, (leaf, first), private=private)
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame = read_table(
            table,
            options.format_of(table, format),
            sheet=sheet,
            header_row=header_row,
            user_missing=user_missing,
            columns=options.COLUMNS.get(),
            declared=attribute_policy(policy).attributes if private and policy else None,
        )
        dropped = options.parse_names(drop)
        kept = [name for name in frame.columns if name not in dropped]
        written: Mapping[str, Reading] = {}
        if not private:  # how people write dates is found in the values: that would be disclosed
            frame, written = options.read_values(frame, step, kept)
        step("learn and draw")
        made = synthesis.synthesize(
            frame,
            rows=rows,
            drop=dropped,
            constraints=constraint or (),
            method=method or _trees(leaf, first or known, private=private),
            epsilon=epsilon,
            delta=delta,
            policy=policy,
            entity=entity,
            records_per_person=records_per_person,
            ledger=ledger,
            hold_out=hold_out,
            quasi_identifiers=known,
            sensitive=options.parse_names(sensitive),
            seed=seed,
        )
        if judge:
            step("judge")
        found = made.to_dict() if judge else made.facts()
        step("write")
        released = styled_table(made.frame, written)
        write_table(
            released,
            output,
            format,
            None if private else table,  # labels and styles of its file may tell of values
            no_read_back=no_read_back,
            safe_cells=safe_cells,
            coded=() if private else columns_of_known_values(frame, made.frame),
            catalog=catalog,
        )
        if isinstance(made, synthesis.PrivateSynthesis):
            papers.write_public(made, None if output == "-" else output)
    if not private:  # how long it took depends on the table
        found |= {"seconds": {"total": perf_counter() - start}}
    found |= {"written": [output, *(str(one) for _, one in papers.options if one)]}
    if json:
        show_json(found)
    else:
        attacks = made.attacks if judge else None
        show(*synthesis_tables(found, attacks), to_stderr=output == "-")


def _is_private(method: str | None, epsilon: float | None) -> bool:
    """Return whether differential privacy is asked for."""
    from kanonym.synthesis.marginals.generation import FITS

    if epsilon is not None and method not in {None, *FITS}:
        raise typer.BadParameter(
            f"{method} is not differentially private; use {' or '.join(FITS)}",
            param_hint="--method",
        )
    return method in FITS or epsilon is not None


def _check_budget(
    asked: Mapping[str, object], seed: int | None, parts: tuple[object, ...], *, private: bool
) -> None:
    """Refuse options that only aim and mst have, and what lacks for them."""
    for name, value in asked.items():
        if value is not None and not private:
            flag = f"--{name.replace('_', '-')}"
            raise typer.BadParameter("needs --epsilon", param_hint=flag)
    if private and asked["policy"] is None:
        raise typer.BadParameter(
            "needs --policy FILE, which declares the domain of each column", param_hint="--epsilon"
        )
    if private and any(parts):
        raise typer.BadParameter("is not for --epsilon", param_hint="--leaf and --order")
    if private and seed is None and asked["ledger"] is None:
        raise typer.BadParameter(
            "missing option: each table drawn from INPUT spends more of its privacy. Give a file "
            "that adds it up, the same for every release of INPUT",
            param_hint="--ledger",
        )
    if seed is not None and asked["ledger"] is not None:
        raise typer.BadParameter(
            "a table drawn from a seed is not private: no budget covers it", param_hint="--seed"
        )


def _trees(leaf: int | None, order: list[str], *, private: bool) -> Synthesizer | None:
    """Return trees with the parameters that were given; with epsilon, none."""
    if private:
        return None
    from kanonym.synthesis.trees import LEAF, SequentialTrees

    return SequentialTrees(LEAF if leaf is None else leaf, order)
