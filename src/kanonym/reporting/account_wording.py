"""What an algorithm says of its release in words: items, cells, errors and searches."""

from __future__ import annotations

import math

from kanonym.data.errors import gettext as _
from kanonym.data.errors import ngettext
from kanonym.language import Translator
from kanonym.reporting.wording import Parameters


def items_text(speech: Translator, algorithm: Parameters) -> tuple[str, ...]:
    """Say what the items of sets lost, if there are any."""
    found = algorithm.get("items")
    if not found:
        return ()
    emptied = int(found["records_emptied"])
    lost = speech.text(
        _(
            "On average, an item lost {share} of its hierarchy (0 %: released as it is; 100 %: "
            "dropped)."
        ),
        share=speech.tenths(found["loss"]),
    )
    without = speech.text(
        ngettext("{records} record has no item left.", "{records} records have no item left."),
        emptied,
        records=speech.count(emptied),
    )
    return (f"{lost} {without}",)


def suppressed_cells_text(speech: Translator, algorithm: Parameters, rows: int) -> tuple[str, ...]:
    """Say how many cells were suppressed, if any could be."""
    if "cells" not in algorithm or not rows:
        return ()
    cells, every = algorithm["suppressed_cells"], rows * len(algorithm["cells"])
    return (
        speech.text(
            _(
                "{cells} of {every} of quasi-identifiers ({share}) are blank; all others have "
                "their original value."
            ),
            cells=speech.count(cells),
            every=speech.plural(every, ngettext("cell", "cells")),
            share=speech.percent(cells / every),
        ),
    )


def squared_error_text(speech: Translator, account: Parameters) -> tuple[str, ...]:
    """Say what microaggregation lost, and what other classes would lose at least."""
    if "squared_error" not in account:
        return ()
    error = speech.text(
        _(
            "Released as means of their classes, the records have a squared error of {error} % of "
            "what one mean for all would have."
        ),
        error=speech.value(100 * account["squared_error"]),
    )
    if "lower_bound" not in account:
        return (error,)
    least = math.floor(1e4 * account["lower_bound"]) / 1e2  # a bound is never rounded up
    bound = speech.text(
        _("No other classes of the required size have less than {bound} %."),
        bound=speech.value(least),
    )
    return (f"{error} {bound}",)


def counting_text(speech: Translator, nulls: str | None, subsets: int | None) -> str:
    """Say how k was counted, where it is not by the classes; else nothing."""
    ways = (
        [speech.text(_("a suppressed (empty) cell counts as any value"))]
        if nulls == "wildcard"
        else []
    )
    if subsets is not None:
        ways.append(
            speech.text(
                _("every combination of {subsets} quasi-identifiers is checked separately"),
                subsets=subsets,
            )
        )
    return (
        speech.text(
            _(
                "For the requirement, {ways}. The classes and chances in this report treat an "
                "empty cell as a value of its own, and use all quasi-identifiers together."
            ),
            ways=speech.names(ways),
        )
        if ways
        else ""
    )


def search_text(speech: Translator, account: Parameters) -> tuple[str, ...]:
    """Say what a search of the lattice found, and whether it is proven to be the best."""
    found = speech.text(
        _("The chosen node has a score of {score} by the metric “{metric}”; lower is better."),
        score=speech.value(account["score"]),
        metric=account["metric"],
    )
    size = account.get("lattice_size")
    if size == 1:
        return found, speech.text(_("The levels were given: no search was needed."))
    nodes = speech.text(_("nodes"))
    if size is not None:
        nodes = speech.plural(size, ngettext("node", "nodes"))
    if account.get("optimal"):
        return found, speech.text(
            _("Of the lattice’s {nodes}, no other that satisfies the policy has a lower score."),
            nodes=nodes,
        )
    proof = [speech.text(_("Not all of the lattice’s {nodes} were checked."), nodes=nodes)]
    if "nodes_checked" in account:
        checked = speech.count(account["nodes_checked"])
        proof = [
            speech.text(
                _("Of the lattice’s {nodes}, {checked} were checked."), nodes=nodes, checked=checked
            )
        ]
    if account.get("interrupted"):
        proof.append(speech.text(_("The search was stopped by the user.")))
    if "gap" in account:
        bound = speech.value(account["lower_bound"])
        proof.append(
            speech.text(
                _(
                    "It is not proven that this node is the best: another may score up to {gap} "
                    "lower, but none below {bound}."
                ),
                gap=speech.value(account["gap"]),
                bound=bound,
            )
        )
    return found, " ".join(proof)
