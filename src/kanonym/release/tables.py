"""What a release shows of itself: figures, the verdict, and what each attribute lost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kanonym.data.results import ResultTable, format_number

if TYPE_CHECKING:
    from kanonym.release import Release
    from kanonym.release.promise import Promise

Rows = list[tuple[str, object]]


def record_rows(release: Release[Any]) -> Rows:
    """Return the lines about the records that were read, released and suppressed."""
    released = f"{release.rows_in:,} in, {release.rows_out:,} released"
    return [("records", released), ("suppressed", release.suppressed)]


def lost_row(loss: float, where: str = "") -> tuple[str, object]:
    """Return the line about the information that was lost."""
    return f"information lost{where}", f"{100 * loss:.1f} % (span loss)"


def release_tables(release: Release[Any], examples: Mapping[str, str | None]) -> list[ResultTable]:
    """Return the figures of a release, its verdict, and a row for each attribute.

    examples: a released label of each attribute, where they are shown.
    """
    algorithm, loss = release.algorithm, release.utility
    of_sets_alone = "items" in algorithm and not loss.coverage
    known = [model.known_items for model in release.policy.models]
    apart = loss.coverage and any(items and not items.by_class for items in known)
    facts = ResultTable.of_facts(
        *record_rows(release),
        ("records per class", loss.average_class_size),
        *([] if of_sets_alone else [lost_row(loss.span_loss)]),
        ("prosecutor risk", f"at most {format_number(release.risk.highest)}"),
        *([("risk by items as well", "not limited: see the finding")] if apart else []),
        *_item_rows(algorithm),
        *_promise_rows(release.promise),
        *_search_rows(algorithm),
        *_cell_rows(algorithm),
        *kept_value_rows(release.values_kept),
    )
    return [facts, *release.verification.tables(), *_lost_table(release, examples)]


def _lost_table(release: Release[Any], examples: Mapping[str, str | None]) -> list[ResultTable]:
    """Return what each attribute lost, with one of its labels where there are examples."""
    covered, algorithm = release.utility.coverage, release.algorithm
    if not covered:
        return []
    levels, highest = (algorithm.get(key) for key in ("levels", "highest_levels"))
    cells = algorithm.get("cells")
    listed = any(one.longest_list > 1 for one in covered.values())
    further = [*(["level"] if highest else []), *(["cells blanked"] if cells else [])]
    further += ["listed exactly, %"] if listed else []
    rows = []
    for name, one in covered.items():
        more = [f"{levels[name]} of {highest[name]}"] if levels and highest else []
        more += [format_number(cells[name])] if cells else []
        more += [f"{100 * one.listed:.1f}"] if listed else []
        named = format_number(float(f"{one.values:.3g}"))
        shown = ["null" if examples.get(name) is None else str(examples[name])] if examples else []
        rows.append((name, *more, named, f"{100 * one.loss:.1f}", *shown))
    header = ("attribute", *further, "values per label", "span loss, %")
    table = ResultTable(
        (*header, "example") if examples else header, rows, frozenset(range(1, len(header)))
    )
    return [table.first(order=[-one.loss for one in covered.values()])]


def kept_value_rows(kept: Mapping[str, Mapping[str, Any]]) -> Rows:
    """Return a line for each column of which an action leaves values alone by design."""
    lines: Rows = []
    for name, one in kept.items():
        share = one["share"]
        told = "more values stay true than its diagonal says"
        if share is not None:
            told = f"{100 * share:.1f} % of the values are expected to be true"
        lines.append((one["action"], f"{name}: {told}"))
    return lines


def _search_rows(algorithm: Mapping[str, Any]) -> Rows:
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
    score = f"{format_number(algorithm['score'])}, {proof}"
    lines: Rows = [(f"score ({algorithm['metric']})", score)]
    if "lattice_size" in algorithm:
        checked, size = algorithm["nodes_checked"], algorithm["lattice_size"]
        lines.append(("nodes checked", f"{checked:,} of {size:,}"))
    return lines


def _cell_rows(algorithm: Mapping[str, Any]) -> Rows:
    """Return the lines about suppressed cells, if there are any."""
    if "cells" not in algorithm:
        return []
    blanked = format_number(algorithm["suppressed_cells"])
    if "lower_bound" in algorithm:
        blanked += f"; nothing that suffices blanks fewer than {algorithm['lower_bound']:,}"
    lines: Rows = [("cells blanked", blanked)]
    counts = {"k": algorithm}
    if "subsets" in algorithm and isinstance(algorithm["subsets"], Mapping):
        counts[f"k of every {algorithm['subsets']['size']}"] = algorithm["subsets"]
    for name, counted in counts.items():
        if "k" in counted:
            wildcard = format_number(counted["k_wildcard"])
            lines.append((name, f"{counted['k']:,}, with null as a wildcard {wildcard}"))
    return lines


def _item_rows(algorithm: Mapping[str, Any]) -> Rows:
    """Return the lines about the loss of items, if there are any."""
    items = algorithm.get("items")
    if items is None:
        return []
    lines: Rows = [("items lost", f"{100 * items['loss']:.1f} % (NCP)")]
    if "loss_at_least" in items:
        lines.append(("lost by any cut", f"at least {100 * items['loss_at_least']:.1f} %"))
    if "items_dropped" in items:
        lines.append(("distinct items dropped", items["items_dropped"]))
    if items.get("classes_merged"):
        lines.append(("classes merged for them", items["classes_merged"]))
    return [*lines, ("records without items left", items["records_emptied"])]


def _promise_rows(promise: Promise | None) -> Rows:
    """Return the lines about differential privacy, if it was asked for."""
    if promise is None:
        return []
    numbers = f"epsilon {promise.epsilon:g}, delta {promise.delta:g}, for one {promise.protects}"
    lines: Rows = [
        ("promise", numbers if promise.private else "NOT PRIVATE"),
        ("sampled with", f"beta {promise.beta:.4g}, k {promise.k}"),
    ]
    if promise.spent is not None:
        spent = promise.spent
        many = f"{spent['releases']} release{'s' if spent['releases'] > 1 else ''}"
        total = f"epsilon {spent['epsilon']:g}, delta {spent['delta']:g}; {many}"
        lines.append(("spent in all", total))
    return [*lines, ("keep this", "these figures depend on the records and are not private")]
