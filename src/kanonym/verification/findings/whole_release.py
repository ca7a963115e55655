"""What is found of a release as a whole: its requirements, its mechanism, its records, its file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kanonym.verification.verdict import NO_RECORDS, Evidence, column_names_text, finding_kind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView

MOST_DELTA = 1e-4
"""A larger δ is found, whatever the size of the table."""


@finding_kind("items-apart", "identity")
def items_apart(view: ReleaseView) -> Iterator[Evidence]:
    """Find sets of items whose model does not look at classes, beside quasi-identifiers."""
    known = [model.known_items for model in view.models if model.known_items is not None]
    if view.sets is not None and view.labels and any(not items.by_class for items in known):
        names = view.sets.tree.names
        message = (
            f"{column_names_text(names)}: items and quasi-identifiers are protected apart. "
            "Whoever knows both may find fewer records; require k-km-anonymity to protect "
            "them together"
        )
        yield names, message, {}


@finding_kind("drawn-values", "identity")
def drawn_values(view: ReleaseView) -> Iterator[Evidence]:
    """Find values that were drawn from labels, as the manifest tells."""
    if view.recorded is not None and view.recorded.drawn_cells:
        columns = view.recorded.drawn_columns
        message = (
            f"values of {', '.join(columns)} were drawn from labels: records with equal "
            "values are together by chance, and what a model says of them protects nobody. "
            "Verify the released table with its labels"
        )
        yield columns, message, {"cells": view.recorded.drawn_cells}


@finding_kind("trivial-model", "identity")
def trivial_model(view: ReleaseView) -> Iterator[Evidence]:
    """Find models that require nothing: classes of a single record would satisfy them."""
    pairs = zip(view.models, view.checked.checks, strict=True)
    trivial = [
        model
        for model, check in pairs
        if check.trivial or len(check.protects) < len(model.protects)
    ]
    if trivial:
        named = ", ".join(
            f"{one.type} {one.required:g}" + (f" of {one.attribute}" if one.attribute else "")
            for one in trivial
        )
        message = (
            f"{named}: requires nothing, because in this table even classes of one record "
            "satisfy it. Require more, or remove it"
        )
        columns = dict.fromkeys(one.attribute for one in trivial if one.attribute)
        yield tuple(columns), message, {"models": len(trivial), "requirements": len(view.models)}


@finding_kind("not-private", "identity")
def not_private(view: ReleaseView) -> Iterator[Evidence]:
    """Find a seed, which repeats what a mechanism drew."""
    if view.mechanism is not None and view.mechanism.repeatable:
        message = (
            "a seed was given, and whoever knows or guesses it can repeat what was drawn: "
            "this release is not differentially private. Leave the seed out for a release; "
            "use one for tests only"
        )
        yield (), message, {}


@finding_kind("unrecorded", "identity")
def unrecorded(view: ReleaseView) -> Iterator[Evidence]:
    """Find that no ledger adds up what was spent; a release from a seed spends nothing."""
    mechanism = view.mechanism
    if mechanism is not None and mechanism.recorded is False and not mechanism.repeatable:
        message = (
            "not recorded in a ledger: each further release of the same table adds its "
            "epsilon; give a ledger, which sums them"
        )
        yield (), message, {}


@finding_kind("foreign-labels", "identity")
def foreign_labels(view: ReleaseView) -> Iterator[Evidence]:
    """Find released columns that the mechanism does not make."""
    if view.mechanism is not None and view.mechanism.foreign:
        columns = view.mechanism.foreign
        message = (
            f"{column_names_text(columns)}: released values that are no labels of one level "
            "of the hierarchy, or a column that the policy does not release. The mechanism "
            "did not make this table"
        )
        yield columns, message, {}


@finding_kind("large-delta", "identity")
def large_delta(view: ReleaseView) -> Iterator[Evidence]:
    """Find a δ that allows a mechanism to publish some records as they are.

    1 / n would be the limit, but n is private: there are at least as many as were released.
    """
    if view.mechanism is None:
        return
    delta, rows = view.mechanism.delta, view.checked.rows
    if delta > MOST_DELTA or delta * rows > 1:
        one_in = math.floor(1 / delta)
        message = (
            f"delta is a chance of 1 in {one_in:,}, and {rows:,} records were released: with "
            "such a delta, a mechanism may publish some records as they are. Use 1e-6 or less"
        )
        yield (), message, {"one_in": one_in, "released": rows}


@finding_kind("unread-parts", "identity")
def unread_parts(view: ReleaseView) -> Iterator[Evidence]:
    """Find what the file has beside its table: further sheets, comments, metadata."""
    if view.unread:
        message = (
            f"the file has more than its table, and it is not verified: "
            f"{column_names_text(view.unread)}. Take it away: write the table to a new file"
        )
        yield (), message, {"parts": len(view.unread)}


@finding_kind("no-records", "identity")
def no_records(view: ReleaseView) -> Iterator[Evidence]:
    """Find a release without a record."""
    if not view.checked.rows:
        yield (), NO_RECORDS, {}
