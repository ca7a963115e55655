"""Releases, verdicts, measurements and transformations on the terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeVar

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kanonym.cli.terminal import (
    format_number,
    grid,
    plain_table,
    records_row,
    text_table,
    written_files_table,
)
from kanonym.metrics.measured_value import short_name

STYLES = {
    "satisfied": "green",
    "satisfied with findings": "yellow",
    "not assessed": "bold",
    "violated": "bold red",
    "not private": "bold red",
    "nothing required": "bold",
}
EXAMPLES = 4  # labels of a level that are shown
MOST_COLUMNS = 12  # rows of a table about columns; of more, the first of them are shown
FIRST = 5
FINDINGS = 6
WORST = 1
Row = TypeVar("Row")


def drawn_rows(drawn: Mapping[str, Any] | None) -> list[tuple[str, object]]:
    """Return the lines about a table with one value per cell, and what was verified."""
    if drawn is None:
        return []
    labels, values = drawn["verified"], drawn["values"]
    told = "verified" if values["verified"] else "not verified"
    return [
        ("cells drawn", f"{format_number(drawn['cells'])} by {drawn['by']}"),
        *(("constraint", one) for one in drawn["constraints"]),
        ("labels", f"{labels['verdict']}, k = {format_number(labels['k'])}"),
        ("drawn values", f"{told}, smallest class {format_number(values['k'])}"),
    ]


def release_tables(
    found: Mapping[str, Any], written: Sequence[str], examples: Mapping[str, str | None]
) -> list[RenderableType]:
    """Return what `kanonym anonymize` tells: the contract of a release, and its files.

    examples: a released label of each quasi-identifier.
    """
    utility, risk, seconds = found["utility"], found["risk"], found["seconds"]
    covered = utility.get("coverage", {})
    of_sets_alone = "items" in found["algorithm"] and not covered
    span = ("information lost", f"{100 * utility['span_loss']:.1f} % (span loss)")
    facts = grid(
        records_row(found, "released"),
        ("suppressed", found["suppressed"]),
        ("classes", found["verification"]["classes"]),
        ("records per class", utility["average_class_size"]),
        *([] if of_sets_alone else [span]),
        ("prosecutor risk", f"at most {format_number(risk['prosecutor']['highest'])}"),
        *risk_of_both_rows(found["verification"]),
        *item_rows(found["algorithm"]),
        *promise_rows(found.get("differential_privacy")),
        *_search(found["algorithm"]),
        *_cells(found["algorithm"]),
        *kept_value_rows(found),
        *drawn_rows(found.get("drawn")),
        ("seconds", f"{seconds['total']:.2f}"),
    )
    levels, highest = (found["algorithm"].get(key) for key in ("levels", "highest_levels"))
    cells = found["algorithm"].get("cells")
    further = [*(["level"] if highest else []), *(["cells blanked"] if cells else [])]
    listed = any(one["longest_list"] > 1 for one in covered.values())
    further += ["listed exactly, %"] if listed else []
    lost = plain_table("attribute", *further, "values per label", "span loss, %")
    lost.add_column("example", overflow="fold")
    lost.columns[0].min_width = min(max(map(len, covered), default=0), LONGEST_NAME)
    for name, one in first_rows(lost, covered.items(), lambda item: -item[1]["loss"]):
        more = [f"{levels[name]} of {highest[name]}"] if highest else []
        more += [format_number(cells[name])] if cells else []
        more += [f"{100 * one['listed']:.1f}"] if listed else []
        example = examples.get(name)
        shown = Text("null" if example is None else example)
        named = format_number(float(f"{one['values']:.3g}"))
        lost.add_row(Text(name), *more, named, f"{100 * one['loss']:.1f}", shown)
    files = written_files_table(written) if written else "  nothing written (dry run)\n"
    return [facts, *verdict_tables(found["verification"]), lost, files]


LONGEST_NAME = 24
"""Letters of a column's name that stand on one line beside its figures."""


def first_rows(
    table: Table, rows: Iterable[Row], order: Callable[[Row], float] | None = None
) -> list[Row]:
    """Return the rows of a table; of many, the first in an order, with how many more there are."""
    listed = list(rows)
    if len(listed) <= MOST_COLUMNS:
        return listed
    more = format_number(len(listed) - FIRST)
    which = "that lose or fail most" if order else "first"
    table.caption = f"the {FIRST} {which}; --json has {more} more"
    table.caption_justify = "left"
    return sorted(listed, key=order)[:FIRST] if order else listed[:FIRST]


def kept_value_rows(found: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return a line for each column of which an action leaves values alone by design."""
    lines: list[tuple[str, object]] = []
    for name, one in found.get("values_kept", {}).items():
        share = one["share"]
        told = "more values stay true than its diagonal says"
        if share is not None:
            told = f"{100 * share:.1f} % of the values are expected to be true"
        lines.append((one["action"], f"{name}: {told}"))
    return lines


def _search(algorithm: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return the lines about a search of the lattice, if there was one."""
    if "squared_error" in algorithm:
        told = f"{100 * algorithm['squared_error']:.4g} % of the table's"
        if "lower_bound" in algorithm:
            least = math.floor(1e6 * algorithm["lower_bound"]) / 1e4  # never rounded up
            told += f"; no other classes have less than {least:.5g} %"
        return [("squared error", told)]
    if "score" not in algorithm:
        return []
    proof = "minimal" if algorithm.get("optimal") else "not proven minimal"
    if "gap" in algorithm:
        proof += f": at most {format_number(algorithm['gap'])} above it"
    lines: list[tuple[str, object]] = [
        (f"score ({algorithm['metric']})", f"{format_number(algorithm['score'])}, {proof}")
    ]
    if "lattice_size" in algorithm:
        checked, size = algorithm["nodes_checked"], algorithm["lattice_size"]
        lines.append(("nodes checked", f"{format_number(checked)} of {format_number(size)}"))
    return lines


def _cells(algorithm: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return the lines about suppressed cells, if there are any."""
    if "cells" not in algorithm:
        return []
    blanked = format_number(algorithm["suppressed_cells"])
    if "lower_bound" in algorithm:
        blanked += f"; nothing that suffices blanks fewer than {algorithm['lower_bound']:,}"
    lines: list[tuple[str, object]] = [("cells blanked", blanked)]
    counts = {"k": algorithm}
    if "subsets" in algorithm and isinstance(algorithm["subsets"], Mapping):
        counts[f"k of every {algorithm['subsets']['size']}"] = algorithm["subsets"]
    for name, counted in counts.items():
        if "k" in counted:
            wildcard = format_number(counted["k_wildcard"])
            both = f"{format_number(counted['k'])}, with null as a wildcard {wildcard}"
            lines.append((name, both))
    return lines


def lattice_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym lattice` tells: how many nodes there are, and the best."""
    best = found["best"]
    facts = grid(
        ("nodes", found["nodes"]),
        ("satisfying the policy", found["satisfied"]),
        ("seconds", f"{found['seconds']['total']:.2f}"),
    )
    if best is None:
        return [facts, written_files_table(found["written"])]
    levels = plain_table("best node", "level")
    for name, level in best["levels"].items():
        levels.add_row(Text(name), format_number(level))
    values = grid(
        ("score", best["score"]),
        ("suppressed", best["suppressed"]),
        ("classes", best["classes"]),
        *best["achieved"].items(),
    )
    return [facts, levels, values, written_files_table(found["written"])]


def verdict_tables(verification: Mapping[str, Any]) -> list[RenderableType]:
    """Return what was required and achieved, and the verdict on it."""
    return [requirements_view(verification), findings_table(verification)]


def findings_table(verification: Mapping[str, Any]) -> Table:
    """Return the verdict with its parts, the worst class of each attribute, and the findings."""
    found = verification["verdict"]
    facts = Table(box=None, show_header=False, padding=(0, 2))
    facts.add_column()
    facts.add_column(overflow="fold")
    facts.add_row("verdict", Text(found, style=STYLES[found]))
    for name, part in verification["parts"].items():
        words = Text(part["verdict"], style=STYLES.get(part["verdict"], "green"))
        facts.add_row(f"  {name}", words.append(f": {part['rests_on']}", style="none"))
    for one in verification.get("models", []):
        if "rests_on" in one and one["verdict"] == "by construction":
            facts.add_row("rests on", Text(one["rests_on"]))
    shares = verification["largest_shares"]
    if len(shares) > MOST_COLUMNS:
        shares = sorted(shares, key=itemgetter("share"), reverse=True)[:WORST]
    for one in shares:
        facts.add_row("worst class", Text(_largest_share(one)))
    findings = verification["findings"]
    for one in findings[:FINDINGS]:
        facts.add_row(Text("finding", style="yellow"), Text(one["message"]))
    if len(findings) > FINDINGS:
        more = len(findings) - FINDINGS
        facts.add_row(Text("findings", style="yellow"), f"{more} more: --json has all")
    if "text_columns" in verification:
        facts.add_row("counted as", Text(_both_readings(verification["text_columns"])))
    return facts


def _both_readings(columns: Sequence[str]) -> str:
    return (
        f"values and as text, the worse of both: in {', '.join(columns)} several texts "
        "stand for one value (as 1 and 1.0 do), and another reader distinguishes them"
    )


def _largest_share(one: Mapping[str, Any]) -> str:
    records = f"{format_number(one['records'])} record{'' if one['records'] == 1 else 's'}"
    return (
        f"{format_percent(one['share'])} of {records} share one {one['attribute']}; "
        f"in the whole table {format_percent(one['table_share'])}"
    )


def format_percent(share: float) -> str:
    """Return a share as people read it; 100 % and 0 % only for all and none."""
    if 0 < share < 1:
        share = min(max(share, 0.001), 0.999)
    return f"{100 * share:.1f} %".replace(".0 %", " %")


def requirements_view(verification: Mapping[str, Any]) -> RenderableType:
    """Return what was required and what was achieved, one model a line."""
    if verification["models"]:
        return _models(verification["models"], assessed=bool(verification["classes"]))
    k = verification["k"]
    return f"  no privacy model was required; smallest class: {k} record{'' if k == 1 else 's'}\n"


def _models(checks: Iterable[Mapping[str, Any]], *, assessed: bool) -> Table:
    table = plain_table("model", "required", "achieved", "satisfied")
    for check in first_rows(table, checks, itemgetter("satisfied")):
        of = f" of {check['attribute']}" if "attribute" in check else ""
        of += f", every {check['subsets']} attributes" if "subsets" in check else ""
        of += ", as recorded" if check.get("recorded") else ""
        of += ", null as a wildcard" if check.get("nulls") == "wildcard" else ""
        satisfied = check["satisfied"]
        table.add_row(
            Text(f"{check['type']}{of}"),
            f"{'< ' if check.get('strict') else ''}{format_number(check['required'])}",
            format_number(check["achieved"]),
            Text("NO", style="bold red")
            if not satisfied
            else Text("yes", style="green")
            if assessed
            else Text("–"),
        )
    return table


def violations_table(
    violating: Sequence[Mapping[str, Any]], total: int, shown: int, *, values: bool
) -> Table:
    """Return the first of the classes that fail a model, each once; with their values, if asked."""
    classes: dict[str, list[Mapping[str, Any]]] = {}
    for one in violating:
        classes.setdefault(str(one["class"]), []).append(one)
    rows = "row" in violating[0]
    table = plain_table(
        *(["violating class"] if values else []),
        *(["first row"] if rows else []),
        "records",
        "fails",
    )
    for same in list(classes.values())[:shown]:
        one = same[0]
        named = ", ".join(f"{name} {value}" for name, value in one["class"].items())
        table.add_row(
            *([Text(named)] if values else []),
            *([format_number(one["row"])] if rows else []),
            format_number(one["size"]),
            ", ".join(dict.fromkeys(each["model"] for each in same)),
        )
    if total > shown:
        table.caption = (
            f"the smallest of {format_number(total)} failing classes; --json lists up to 100"
        )
    return table


def measurement_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym measure` tells."""
    sizes = found["anonymity_set"]
    facts = grid(
        ("records", found["rows"]),
        ("classes", found["classes"]),
        ("k", found["k"]),
        ("k, null as wildcard", found["k_wildcard"]),
        ("records alone in their class", found["uniques"]),
        ("records per class", _spread(sizes)),
    )
    if "suppressed" in found:
        facts.add_row("* in every quasi-identifier", f"{found['suppressed']:,} records")
        facts.add_row("k of the others", f"{found['k_unsuppressed']:,}")
    if "text_columns" in found:
        facts.add_row("counted as", Text(_both_readings(found["text_columns"])))
    if "uncounted_sets" in found:
        from kanonym.metrics.disclosure import uncounted

        facts.add_row("not counted", Text(uncounted(found["uncounted_sets"])))
    attributes = found["attributes"]
    if not attributes:
        return [facts]
    table = plain_table("sensitive attribute", *attributes)
    for measure in next(iter(attributes.values())):
        cells = [_cell(attribute[measure]) for attribute in attributes.values()]
        table.add_row(short_name(measure), *cells)
    return [facts, table]


def level_table(labels: Sequence[Sequence[str | None]]) -> Table:
    """Return the levels of a hierarchy file, from the values to the root."""
    table = plain_table("level", "labels")
    table.add_column("example", overflow="fold")
    for level, names in enumerate(labels):
        shown = ", ".join("null" if name is None else name for name in names[:EXAMPLES])
        more = ", …" if len(names) > EXAMPLES else ""
        table.add_row(str(level), format_number(len(names)), Text(shown + more))
    return table


def transform_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym transform` tells: what was done, to which columns."""
    facts = grid(
        records_row(found, "written"),
        ("dropped", ", ".join(found["dropped"]) or "no column"),
        *kept_value_rows(found),
        ("seconds", f"{found['seconds']['total']:.2f}"),
    )
    done = text_table("column", "action")
    for name, forms in found["actions"].items():
        for form in forms:
            given = ", ".join(f"{key}: {value}" for key, value in form.items() if key != "type")
            done.add_row(Text(name), Text(f"{form['type']} ({given})" if given else form["type"]))
    return [facts, *([done] if found["actions"] else []), written_files_table(found["written"])]


def action_list(kinds: Mapping[str, Sequence[Mapping[str, str]]]) -> list[RenderableType]:
    """Return every action, by kind: its name, and what it says of itself, line by line."""
    shown: list[RenderableType] = []
    for kind, actions in kinds.items():
        table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
        table.add_column(kind, no_wrap=True)
        table.add_column("")
        table.add_column("")
        for action in actions:
            name = action["type"]
            for heading, said in action.items():
                if heading != "type" and said:
                    table.add_row(Text(name), heading, Text(said))
                    name = ""
            table.add_section()
        shown.append(table)
    return shown


def _cell(value: Any) -> str:
    if not isinstance(value, Mapping):
        return format_number(value)
    if "mean" in value:
        return _spread(value)
    return "\n".join(f"l={l}: {format_number(c)}" for l, c in value.items())


def _spread(value: Mapping[str, float]) -> str:
    low, high, mean = (format_number(value[key]) for key in ("min", "max", "mean"))
    return f"{low} to {high}, mean {mean}"


def item_rows(algorithm: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return the lines about the loss of items, if there are any."""
    if "items" not in algorithm:
        return []
    found = algorithm["items"]
    lines: list[tuple[str, object]] = [("items lost", f"{100 * found['loss']:.1f} % (NCP)")]
    if "loss_at_least" in found:
        lines.append(("lost by any cut", f"at least {100 * found['loss_at_least']:.1f} %"))
    if "items_dropped" in found:
        lines.append(("distinct items dropped", found["items_dropped"]))
    if found.get("classes_merged"):
        lines.append(("classes merged for them", found["classes_merged"]))
    return [*lines, ("records without items left", found["records_emptied"])]


def risk_of_both_rows(verification: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return the line about who knows both, where items are protected apart."""
    if not any(one["kind"] == "items-apart" for one in verification["findings"]):
        return []
    return [("risk by items as well", "not limited: see the finding")]


def promise_rows(told: Mapping[str, Any] | None) -> list[tuple[str, object]]:
    """Return the lines about differential privacy, if it was asked for."""
    if told is None:
        return []
    numbers = f"epsilon {told['epsilon']:g}, delta {told['delta']:g}"
    sampled = f"beta {told['beta']:.4g}, k {told['k']}"
    lines: list[tuple[str, object]] = [
        ("promise", f"{numbers}, for {told['protects']}" if told["private"] else "NOT PRIVATE"),
        ("sampled with", sampled),
    ]
    if "spent_by_the_table" in told:
        spent = told["spent_by_the_table"]
        many = f"{spent['releases']} release{'s' if spent['releases'] > 1 else ''}"
        lines.append(
            ("spent in all", f"epsilon {spent['epsilon']:g}, delta {spent['delta']:g}; {many}")
        )
    lines.append(("keep this", "these figures depend on the records and are not private"))
    return lines
