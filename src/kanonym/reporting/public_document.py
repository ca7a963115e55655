"""The report that may go along with a release under differential privacy: public figures alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kanonym.data.message import gettext as _
from kanonym.reporting.document import Bullets, Cell, Document, Paragraph, Table, Text
from kanonym.reporting.promise_parts import (
    PARAMETERS,
    UNITS,
    file_table,
    format_parameter,
    framed,
    meaning_of,
    other_releases,
)

if TYPE_CHECKING:
    from kanonym.data.files import Content
    from kanonym.language import Translator
    from kanonym.release.promise import Promise

_PERSONS = {"person": "one-each", "record": "several"}


def public_document(
    promise: Promise,
    columns: Sequence[str],
    says: Translator,
    title: str | None = None,
    output: Content | None = None,
) -> Document:
    """Return the document; it is made of the promise, so that nothing else can get into it."""
    unit = says.text(UNITS[promise.protects])
    sections = (
        ("meaning", meaning_of(promise, unit, _PERSONS[promise.protects], "small", says)),
        ("parameters", (_parameters(promise, says),)),
        ("made", (_making(promise, says),)),
        (
            "public",
            (
                Paragraph(
                    says.text(
                        _(
                            "These hierarchies are part of the mechanism. A value that one does "
                            "not list is released as the root; an empty cell has a branch of its "
                            "own."
                        )
                    )
                ),
                _levels(promise, columns, says),
            ),
        ),
        (
            "verified",
            (
                Paragraph(
                    says.text(
                        _(
                            "In the released values: every class has at least k records, each "
                            "column has the labels of one level, and there is no other column."
                        )
                    )
                ),
                Paragraph(
                    says.text(
                        _(
                            "Released values cannot show that records were sampled, that nobody "
                            "can repeat the draws, and that hierarchies, levels and parameters "
                            "were chosen without looking at the table. For this, the publisher "
                            "vouches."
                        )
                    )
                ),
            ),
        ),
        ("others", other_releases(promise.spent, says)),
        *((("file", (file_table(output),)),) if output else ()),
    )
    return framed(
        promise, unit, sections, says, title or says.text(_("Differentially private release"))
    )


def _parameters(promise: Promise, says: Translator) -> Table:
    given: list[tuple[str, str, str]] = [
        ("ε", format_parameter(promise.epsilon, says), "epsilon"),
        ("δ", format_parameter(promise.delta, says), "delta"),
    ]
    if promise.search_epsilon is not None:
        given.append(("ε₁", format_parameter(promise.search_epsilon, says), "search"))
    given += [
        ("β", format_parameter(promise.beta, says), "beta"),
        ("k", says.count(promise.k), "k"),
    ]
    header = tuple(says.text(key) for key in (_("parameter"), _("value"), _("meaning")))
    rows = tuple((sign, value, says.text(PARAMETERS[key])) for sign, value, key in given)
    return Table(header, rows, frozenset({1}))


def _making(promise: Promise, says: Translator) -> Bullets:
    levels = (
        _("Every attribute has one level of its hierarchy, chosen without looking at the table.")
        if promise.search_epsilon is None
        else _(
            "Every attribute has one level of its hierarchy. The levels were drawn by the "
            "exponential mechanism from all nodes, with the part of ε named above."
        )
    )
    told = (
        says.text(key)
        for key in (
            levels,
            _(
                "Each record was sampled with probability β, independently, by the system’s random "
                "source."
            ),
            _(
                "Records whose values read the same form a class. Classes of fewer than k sampled "
                "records are missing, and so are all records that were not sampled."
            ),
        )
    )
    return Bullets(tuple(("", one) for one in told))


def _levels(promise: Promise, columns: Sequence[str], says: Translator) -> Table:
    header = (
        says.text(_("attribute")),
        says.text(_("level")),
        says.text(_("hierarchy")),
    )
    rows = tuple(
        (
            name,
            says.text(
                _("{level} of {highest}"), level=promise.levels[name], highest=promise.highest[name]
            ),
            _form(promise.hierarchies[name], says),
        )
        for name in columns
    )
    return Table(header, rows)


def _form(hierarchy: dict[str, Any], says: Translator) -> Text:
    """Write the form that a hierarchy has in a policy; a long list is counted."""
    kind, given = next(iter(hierarchy.items()))
    if kind == "mapping":
        return says.text(_("{n} listed values"), n=says.count(_leaves(given)))
    if isinstance(given, dict):
        return Cell(f"{kind}: {', '.join(f'{key} {one}' for key, one in given.items())}", "code")
    return Cell(f"{kind}: {given}", "code")


def _leaves(mapping: object) -> int:
    """Count the values of a mapping, in either of its forms."""
    if isinstance(mapping, dict):
        below = list(mapping.values())
        if len(mapping) == 1 and isinstance(below[0], dict):
            return sum(_leaves_of_tree(one) for one in below)
        return len(mapping)
    return 1


def _leaves_of_tree(tree: object) -> int:
    if isinstance(tree, dict):
        return sum(map(_leaves_of_tree, tree.values()))
    return len(tree) if isinstance(tree, list | tuple) else 1
