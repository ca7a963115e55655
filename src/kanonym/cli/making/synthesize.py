"""`kanonym synthesize`: a table of records of nobody, drawn from what a model learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from kanonym.cli import inputs, options
from kanonym.cli.making.papers import PRIVATE, PublicPapers
from kanonym.data.option import Option

if TYPE_CHECKING:
    from kanonym.data.readings import Reading
    from kanonym.synthesis.result import Synthesizer

JUDGED = "Evaluation"


@dataclass(frozen=True, kw_only=True)
class Trees:
    """What trees learn, without differential privacy."""

    leaf: Annotated[
        int | None,
        Option("Records in a leaf of a tree, at least 5; without --epsilon. Default: 20.", "N"),
    ] = None
    order: Annotated[
        Sequence[str],
        Option("Columns to draw first, without --epsilon; default: those of -q.", "A,B"),
    ] = ()

    def synthesizer(self, known: Sequence[str]) -> Synthesizer:
        """Return trees with the parameters that were given; known: columns to draw first."""
        from kanonym.synthesis.trees import LEAF, SequentialTrees

        return SequentialTrees(LEAF if self.leaf is None else self.leaf, self.order or known)


@dataclass(frozen=True, kw_only=True)
class BudgetOptions:
    """What differential privacy needs besides epsilon."""

    delta: Annotated[
        float | None,
        Option("Probability with which the guarantee may fail; default: 1e-9.", "D", group=PRIVATE),
    ] = None
    policy: Annotated[
        str | None,
        Option(
            "Policy that declares each column's domain, or a hierarchy file; for aim and mst.",
            "FILE",
            group=PRIVATE,
        ),
    ] = None
    entity: Annotated[
        str | None,
        Option(
            "Identifier of a person: protect persons, not single records.", "COLUMN", group=PRIVATE
        ),
    ] = None
    records_per_person: Annotated[
        int | None,
        Option(
            "Records of each person that are used; default: 1. Needs --entity.",
            "N",
            group=PRIVATE,
            least=1,
        ),
    ] = None
    ledger: Annotated[
        str | None,
        Option(
            "File that sums what releases of INPUT have spent; keep it, do not publish it. "
            "Required for aim and mst.",
            "FILE",
            group=PRIVATE,
        ),
    ] = None


def synthesize(
    table: options.Table,
    output: options.Output,
    rows: Annotated[
        int | None,
        Option("Number of records; default: as many as were learned from.", "N", least=1),
    ] = None,
    drop: Annotated[
        Sequence[str],
        Option(
            "Columns to drop; without --epsilon, those that seem to identify people, too.", "A,B"
        ),
    ] = (),
    constraints: options.Constraints = (),
    epsilon: Annotated[
        float | None, Option("Differential privacy with this budget; for aim and mst.", "E")
    ] = None,
    method: Annotated[
        str | None, Option("aim (default) or mst; needs --epsilon.", "NAME", group=PRIVATE)
    ] = None,
    seed: Annotated[
        int | None,
        Option(
            "Random seed; default: 0. For aim and mst there is none: with one, the table is not "
            "private.",
            "N",
            least=0,
        ),
    ] = None,
    *,
    trees: Trees,
    budget: BudgetOptions,
    papers: PublicPapers,
    hold_out: Annotated[
        float | None,
        Option("Hold out this share of INPUT as the control for attacks.", "SHARE", group=JUDGED),
    ] = None,
    judge: Annotated[
        bool, Option("Compare the table with the original, and attack it.", group=JUDGED)
    ] = False,
    quasi_identifiers: Annotated[
        Sequence[str],
        Option(
            "What intruders know; default: all columns that are not sensitive.",
            "A,B",
            "-q",
            group=JUDGED,
        ),
    ] = (),
    sensitive: Annotated[
        Sequence[str],
        Option("What intruders want to learn.", "C", "-s", kind="columns", group=JUDGED),
    ] = (),
    writing: options.Writing,
    reading: options.ReadingOptions,
    json: options.Json = False,
) -> None:
    """Draw a synthetic table from a model of the original.

    With --epsilon the table is differentially private:
    --policy policy.yaml --epsilon 1 --ledger ledger.json

    Without, it promises nothing: no record is copied on purpose, but some may equal a real one.
    Judge such a table before you share it: --hold-out 0.2 --judge -q age,zip -s disease
    """
    from kanonym import synthesis
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_result
    from kanonym.data.files import check_table_output
    from kanonym.data.readings import styled_table
    from kanonym.policy.attribute_policy import attribute_policy

    if not judge and (quasi_identifiers or sensitive):
        raise typer.BadParameter("needs --judge", param_hint="-q and -s")
    if hold_out is not None and not 0 < hold_out < 1:
        raise typer.BadParameter(f"{hold_out:g} is not between 0 and 1", param_hint="--hold-out")
    written = [("-o", output), ("--ledger", budget.ledger), *papers.options]
    inputs.check_places({"INPUT": table}, written, json=json)
    check_table_output(output, reading.format_of(output))
    private = _is_private(method, epsilon)
    _check_budget(budget, papers, trees, seed, private=private)
    declared = attribute_policy(budget.policy).attributes if private and budget.policy else None
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame = reading.rows(table, declared=declared)
        kept = [name for name in frame.columns if name not in drop]
        styles: Mapping[str, Reading] = {}
        if not private:  # how people write dates is found in the values: that would be disclosed
            frame, styles = inputs.read_values(frame, step, kept)
        step("learn and draw")
        made = synthesis.synthesize(
            frame,
            rows=rows,
            drop=drop,
            constraints=constraints,
            method=method or (None if private else trees.synthesizer(quasi_identifiers)),
            epsilon=epsilon,
            **{one.name: getattr(budget, one.name) for one in fields(budget)},
            hold_out=hold_out,
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            seed=seed,
        )
        if judge:
            step("judge")
        found = made.to_dict() if judge else made.facts()
        step("write")
        writing.write(
            styled_table(made.frame, styles),
            output,
            reading.format,
            None if private else table,  # labels and styles of its file may tell of values
            coded=() if private else inputs.columns_of_known_values(frame, made.frame),
        )
        if isinstance(made, synthesis.PrivateSynthesis):
            papers.write_public(made, None if output == "-" else output)
    files = [output, *(str(one) for _, one in papers.options if one)]
    seconds = None
    if not private:  # how long it took depends on the table
        seconds = perf_counter() - start
        found |= {"seconds": {"total": seconds}}
    show_result(
        found | {"written": files},
        partial(made.tables, judged=judge),
        json=json,
        to_stderr=output == "-",
        seconds=seconds,
        written=files,
    )


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
    budget: BudgetOptions, papers: PublicPapers, trees: Trees, seed: int | None, *, private: bool
) -> None:
    """Refuse options that only aim and mst have, and what lacks for them."""
    for name, value in {**vars(budget), **vars(papers)}.items():
        if value not in (None, ()) and not private:
            flag = f"--{name.replace('_', '-')}"
            raise typer.BadParameter("needs --epsilon", param_hint=flag)
    if private and budget.policy is None:
        raise typer.BadParameter(
            "needs --policy FILE, which declares the domain of each column", param_hint="--epsilon"
        )
    if private and (trees.leaf or trees.order):
        raise typer.BadParameter("is not for --epsilon", param_hint="--leaf and --order")
    if private and seed is None and budget.ledger is None:
        raise typer.BadParameter(
            "missing option: each table drawn from INPUT spends more of its privacy. Give a file "
            "that adds it up, the same for every release of INPUT",
            param_hint="--ledger",
        )
    if seed is not None and budget.ledger is not None:
        raise typer.BadParameter(
            "a table drawn from a seed is not private: no budget covers it", param_hint="--seed"
        )
