"""Find values that were drawn from labels, as the manifest tells."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind


@finding_kind(
    "drawn-values",
    "identity",
    "Values of {columns} were drawn from labels: records with equal values are together by "
    "chance, and the figures below protect nobody. What counts is the table with the labels.",
)
def drawn_values(view: ReleaseView) -> Evidence:
    if view.recorded is not None and view.recorded.drawn_cells:
        columns = view.recorded.drawn_columns
        message = (
            f"values of {', '.join(columns)} were drawn from labels: records with equal "
            "values are together by chance, and what a model says of them protects nobody. "
            "Verify the released table with its labels"
        )
        yield columns, message, {"cells": view.recorded.drawn_cells}
