"""Linked tables and series of batches on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from kanonym.cli.printing.releases import (
    findings_table,
    kept_value_rows,
    requirements_view,
    verdict_tables,
)
from kanonym.cli.terminal import (
    format_number,
    grid,
    plain_table,
    records_row,
    text_table,
    written_files_table,
)

UNCOUNTED = (
    "  Not counted: the next batch is verified without this one.\n"
    "  If you release it, run again with --update.\n"
)


def fit_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym fit` tells: the recoding, and what it makes of its own table."""
    own = found["fitted"]
    boxes = "" if found["form"] == "levels" else f"{format_number(found['boxes'])} boxes, "
    facts = grid(
        ("fitted to", f"{format_number(own['rows'])} records"),
        ("recoding", f"by {found['form']}: {boxes}{format_number(own['classes'])} classes"),
        ("suppressed in the fit", own["suppressed"]),
        ("information lost in the fit", f"{100 * own['span_loss']:.1f} % (span loss)"),
        ("unseen values", _unseen_text(found["unseen"])),
        ("must satisfy", "each batch, and the union" if found["each_batch"] else "the union"),
        ("seconds", f"{found['seconds']['total']:.2f}"),
    )
    table = text_table("attribute")
    table.add_column("type")
    table.add_column("recoding" if found["form"] == "boxes" else "level", justify="right")
    for name, one in found["attributes"].items():
        how = one.get("recoding") or f"{one['level']} of {one['highest']}"
        table.add_row(Text(name), one["type"], how)
    checked = {"models": own["models"], "k": own.get("k", 0), "classes": own["classes"]}
    return [facts, requirements_view(checked), table, written_files_table(found["written"])]


def _unseen_text(what: str) -> str:
    return "released as the root" if what == "root" else "an error"


def _repeated_rows(repeated: Mapping[str, Any] | None) -> list[tuple[str, object]]:
    """Return the lines about persons who are in several batches."""
    if repeated is None:
        return []
    lines: list[tuple[str, object]] = [
        ("persons of earlier batches", repeated["persons"]),
        (
            "persons in several batches",
            f"{format_number(repeated['in_several'])} of {format_number(repeated['in_series'])}",
        ),
        ("suppressed for them", repeated["suppressed"]),
    ]
    for name, n in repeated["known"].items():
        fewer, least = repeated["fewer"][name], format_number(repeated["least"][name])
        told = f"all batches together leave fewer values open of {format_number(fewer)} persons, "
        told += f"one of {format_number(n)}; at least {least}"
        lines.append((name, told))
    return lines


def batch_tables(found: Mapping[str, Any], written: Sequence[str]) -> list[RenderableType]:
    """Return what `kanonym apply` tells: the batch, and all that was released so far."""
    batch, union, utility = found["batch"], found["union"], found["utility"]
    unseen = {name: n for name, n in batch["unseen"].items() if n}
    facts = grid(
        ("batch", batch["number"]),
        records_row(found, "released"),
        ("suppressed", found["suppressed"]),
        ("classes", found["verification"]["classes"]),
        ("information lost", f"{100 * utility['span_loss']:.1f} % (span loss)"),
        (
            "unseen values",
            ", ".join(f"{name} {format_number(n)}" for name, n in unseen.items()) or "none",
        ),
        ("in no class", batch["outside"]),
        *_repeated_rows(found.get("repeated")),
        *kept_value_rows(found),
        (
            "released so far",
            f"{format_number(union['rows'])} in {format_number(union['classes'])} classes",
        ),
        ("seconds", f"{found['seconds']['total']:.2f}"),
    )
    table = text_table("model")
    for name in ("required", "batch", "union"):
        table.add_column(name, justify="right")
    table.add_column("satisfied", justify="right")
    pairs = zip(found["verification"]["models"], union["models"], strict=True)
    for alone, together in pairs:
        of = f" of {alone['attribute']}" if "attribute" in alone else ""
        table.add_row(
            Text(f"{alone['type']}{of}"),
            format_number(alone["required"]),
            format_number(alone["achieved"]),
            format_number(together["achieved"]),
            _verdict_text(alone["satisfied"], together["satisfied"]),
        )
    models: list[RenderableType] = [table] if union["models"] else []
    models.append(findings_table(union))
    still: list[RenderableType] = [] if found["counted"] else ["", UNCOUNTED]
    return [facts, *models, written_files_table(written), *still]


def _verdict_text(alone: bool, together: bool) -> Text:
    """Return whether both satisfy; of a batch that need not, that the union does."""
    if alone and together:
        return Text("yes", style="green")
    return Text("in the union", style="yellow") if together else Text("NO", style="bold red")


_MEANINGS = (
    ("persons_k", "the table of persons alone"),
    ("persons_by_set_k", "all rows, not how often each occurs"),
    ("persons_by_multiset_k", "all rows, repeated ones included"),
    ("persons_by_count_k", "the numbers of rows"),
)


def linked_release_tables(found: Mapping[str, Any], written: Sequence[str]) -> list[RenderableType]:
    """Return what `kanonym anonymize --from --to` tells."""
    search = found["algorithm"]
    proof = "minimal" if search["optimal"] else "not proven minimal"
    facts = grid(
        ("suppressed persons", found["suppressed_persons"]),
        ("span loss", f"{100 * search['score']:.1f} %, {proof}"),
        (
            "combinations of levels",
            f"{format_number(search['nodes_checked'])} of {format_number(search['lattice_size'])}",
        ),
        ("seconds", f"{found['seconds']['total']:.2f}"),
    )
    rows = plain_table("table", "rows in", "rows out", "merged")
    for name, one in found["tables"].items():
        given = "–" if one["rows_in"] is None else format_number(one["rows_in"])
        merged = format_number(one["merged"]["rows"]) if "merged" in one else "–"
        rows.add_row(Text(name), given, format_number(one["rows_out"]), merged)
    levels = plain_table("quasi-identifier", "level")
    for name, level in search["levels"].items():
        levels.add_row(Text(name), f"{level} of {search['highest_levels'][name]}")
    files = written_files_table(written) if written else "  nothing written (dry run)\n"
    return [facts, rows, levels, *verdict_of_tables(found["verification"]), files]


def verdict_of_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return the verdict on released tables, other meanings of k, and notes."""
    notes = [Text(f"  note: {one}") for one in found["notes"]]
    return [*verdict_tables(found), *notes, *measured_tables(found["measured"])]


def measured_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return the smallest classes of persons for intruders who know more or less."""
    whole = plain_table("an intruder knows", "persons in the smallest class")
    for key, words in _MEANINGS:
        whole.add_row(words, format_number(found[key]))
    whole.add_row("persons who are alone", format_number(found["unique_persons"]))
    header = ["joined", "1 known row", "2 known rows", "number of rows"]
    table = plain_table("smallest class by", *header, "most rows of one")
    for name, one in found["tables"].items():
        known = one["known_rows_k"]
        numbers = [one["join_persons_k"], known["1"], known["2"], one["by_count_k"]]
        table.add_row(Text(name), *(format_number(n) for n in [*numbers, one["most_rows"]]))
    return [whole, table] if found["tables"] else [whole]
