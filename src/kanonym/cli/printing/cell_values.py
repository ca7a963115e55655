"""Releases with one value per cell as tables on the terminal; they read the JSON contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType

from kanonym.cli.terminal import drawn_rows, grid, written_files_table


def drawn_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym draw` tells: what was drawn, and what its verification means."""
    facts = grid(*drawn_rows(found), ("seconds", f"{found['seconds']['total']:.2f}"))
    return [facts, f"  {found['meaning']}\n", written_files_table(found["written"])]
