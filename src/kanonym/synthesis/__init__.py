"""Records of people who do not exist: added to a table, or a table of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.loading import lazy_names

if TYPE_CHECKING:
    from kanonym.synthesis.cell_values.draw import DrawnTable, draw_values
    from kanonym.synthesis.injection.inject import Injection, inject
    from kanonym.synthesis.injection.marks import Marks, injected_rows
    from kanonym.synthesis.private import PrivateSynthesis, Promise
    from kanonym.synthesis.result import Synthesis, Synthesizer
    from kanonym.synthesis.tables import synthesize
    from kanonym.synthesis.trees import SequentialTrees

__all__ = [
    "DrawnTable",
    "Injection",
    "Marks",
    "PrivateSynthesis",
    "Promise",
    "SequentialTrees",
    "Synthesis",
    "Synthesizer",
    "draw_values",
    "inject",
    "injected_rows",
    "synthesize",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "kanonym.synthesis.cell_values.draw": "DrawnTable draw_values",
        "kanonym.synthesis.injection.inject": "Injection inject",
        "kanonym.synthesis.injection.marks": "Marks injected_rows",
        "kanonym.synthesis.private": "PrivateSynthesis Promise",
        "kanonym.synthesis.trees": "SequentialTrees",
        "kanonym.synthesis.result": "Synthesis Synthesizer",
        "kanonym.synthesis.tables": "synthesize",
    },
)
