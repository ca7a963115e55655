"""Risk and utility as tables on the terminal; they read the JSON contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kanonym.cli.terminal import NAMED, format_number, written_files_table

BY_COLUMN = ("span_loss", "gcp", "rmse", "total_variation", "wasserstein", "interval_overlap")
"""Measures whose parts are shown by column; --json has those of all."""

NAMES = {
    **NAMED,
    "k_wildcard": "k, null as wildcard",
    "population_uniques_pitman": "unique persons, Pitman",
    "population_uniques_zayatz": "unique persons, Zayatz",
    "population_uniques_snb": "unique persons, SNB",
    "population_uniques_dankar": "unique persons, Dankar",
    "suda_highest": "SUDA highest",
    "suda_mean": "SUDA mean",
    "dis_highest": "DIS highest",
    "gcp": "GCP",
    "rmse": "RMSE",
    "mse": "MSE",
    "sse_sst": "SSE/SST",
    "il1s": "IL1s",
    "hellinger": "Hellinger",
    "jensen_shannon": "Jensen-Shannon",
    "wasserstein": "Wasserstein",
    "cramers_v_difference": "Cramér's V difference",
    "pmse": "pMSE",
}

BEST_TO_WORST = "best to\nworst"


def assessment_tables(found: Mapping[str, Any], written: Sequence[str]) -> list[RenderableType]:
    """Return what `kanonym assess` tells: risk, presets, and utility where it was measured."""
    risk = _relevant_measures(found["risk"])
    shown: list[RenderableType] = [
        *_measures("risk", risk),
        _preset_table(found["risk"]["presets"]),
    ]
    if "utility" in found:
        utility = found["utility"]
        shown += _measures("utility", utility)
        columns = _column_table(utility)
        if columns is not None:
            shown.append(columns)
    return [*shown, *([written_files_table(written)] if written else [])]


def _relevant_measures(risk: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the measures of risk; the journalist's only where they are not the prosecutor's."""
    same = {
        name: risk.get(name.replace("journalist", "prosecutor"), {}).get("value") == one["value"]
        for name, one in risk.items()
        if name.startswith("journalist_")
    }
    left_out = {"presets", *(same if all(same.values()) else ())}
    return {name: one for name, one in risk.items() if name not in left_out}


def _measures(heading: str, entries: Mapping[str, Mapping[str, Any]]) -> list[RenderableType]:
    """Return a table of the measures with a value, and one of those without, by reason."""
    table = _table(heading)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column(BEST_TO_WORST, justify="right", no_wrap=True)
    table.add_column("what it counts", overflow="fold")
    missing: dict[str, list[str]] = {}
    for name, one in entries.items():
        if one["value"] is None:
            missing.setdefault(one["reason"], []).append(_measure_name(name))
        else:
            text = Text(_unit(one))
            table.add_row(Text(_measure_name(name)), _figure(one["value"]), _ends(one), text)
    lacking = _table("no value")
    lacking.add_column("why", overflow="fold")
    for reason, names in missing.items():
        lacking.add_row(Text("\n".join(names)), Text(reason))
    return [*([table] if table.row_count else []), *([lacking] if missing else [])]


def _table(heading: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
    table.add_column(heading, overflow="fold")
    return table


def _measure_name(name: str) -> str:
    return NAMES.get(name, name.replace("_", " "))


def _unit(one: Mapping[str, Any]) -> str:
    """Return what a measure counts, with the threshold where it goes by one."""
    threshold = one.get("parts", {}).get("threshold")
    return one["unit"] if threshold is None else f"{one['unit']}, {format_number(threshold)}"


def _ends(one: Mapping[str, Any]) -> str:
    """Return the range of a measure, its good end first."""
    low, high = ("∞" if one[end] is None else format_number(one[end]) for end in ("low", "high"))
    return f"{low} to {high}" if one["better"] == "lower" else f"{high} to {low}"


def _figure(value: float | None) -> str:
    """Return a number; large ones as whole numbers, without an exponent."""
    if value is not None and 1e3 <= abs(value) < 1e15:
        return f"{value:,.0f}"
    return format_number(value)


def _preset_table(presets: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return what the presets say; those that say the same stand together."""
    together: dict[tuple[bool | None, str], list[str]] = {}
    for name, one in presets.items():
        together.setdefault((one["met"], one["reason"]), []).append(name)
    table = _table("preset")
    table.add_column("met", no_wrap=True)
    table.add_column("why", overflow="fold")
    for (met, reason), names in together.items():
        said = {True: "yes", False: "NO", None: "–"}[met]
        style = {True: "green", False: "bold red", None: ""}[met]
        table.add_row(Text("\n".join(names)), Text(said, style=style), Text(reason))
    return table


def _column_table(utility: Mapping[str, Mapping[str, Any]]) -> Table | None:
    """Return the measures that say most of a single column, one column a line."""
    parts = {name: utility[name].get("parts", {}) for name in BY_COLUMN if name in utility}
    names = list(dict.fromkeys(name for of_measure in parts.values() for name in of_measure))
    held = [measure for measure, of_measure in parts.items() if of_measure]
    if not names:
        return None
    table = _table("column")
    for measure in held:
        table.add_column(_measure_name(measure), justify="right", overflow="fold")
    for name in names:
        cells = [_figure(parts[measure].get(name)) for measure in held]
        table.add_row(Text(name), *cells)
    return table
