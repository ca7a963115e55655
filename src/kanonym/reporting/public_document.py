"""The report for the public."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from kanonym.data.errors import gettext as _
from kanonym.data.errors import ngettext
from kanonym.release import versions
from kanonym.reporting.document import (
    Banner,
    Block,
    Bullets,
    Cell,
    Document,
    Paragraph,
    Section,
    Table,
    Text,
)

if TYPE_CHECKING:
    from kanonym.data.files import Content
    from kanonym.language import Translator
    from kanonym.release.promise import Promise


HEADINGS = {
    "meaning": _("What is promised"),
    "parameters": _("Parameters"),
    "made": _("How it was made"),
    "public": _("What was public beforehand"),
    "verified": _("What was checked"),
    "others": _("Other releases of the same table"),
    "constraints": _("Constraints that every record keeps"),
    "file": _("File"),
}
"""The headings of sections."""

PROMISES = {
    "whatever": _(
        "It holds whatever an intruder knows or will know, also about everybody else in the table."
    ),
    "together": _("With other releases of the same table it holds if their ε and δ are added up."),
    "several": _(
        "One record is protected. A person with m records has m times the ε, so this is a promise "
        "to persons only where each has one record."
    ),
    "one-each": _("At most one record of each person took part: persons are protected."),
    "some-each": _(
        "At most {most} records of each person took part: all of them together are protected."
    ),
    "about-groups": _(
        "It is no promise that facts about groups stay hidden: what is true of many people can be "
        "concluded for a person whether or not this person is in the table."
    ),
    "small": _("It is no promise of accuracy: small groups are missing from the release."),
    "noise": _(
        "It is no promise of accuracy: counts are noisy, and those of small groups mostly noise."
    ),
    "scale": _(
        "ε in use elsewhere, as a scale and not as a recommendation: the United States used about "
        "17 to 20 for the persons of the 2020 census."
    ),
}
"""What is promised, and what is not."""

UNITS = {"record": _("record"), "person": _("person’s record")}
"""What is protected."""

PARAMETERS = {
    "epsilon": _("how much a single record can show, in all"),
    "delta": _("the chance with which it may show more"),
    "rho": _("the same as zero-concentrated differential privacy"),
    "search": _("the part of ε for which the levels were drawn"),
    "beta": _("the probability with which each record was sampled"),
    "k": _("classes of fewer sampled records were left out"),
}
"""What each parameter means."""


class Promised(Protocol):
    """ε and δ, and whether they hold."""

    @property
    def epsilon(self) -> float:
        """ε in all."""

    @property
    def delta(self) -> float:
        """The chance that ε does not hold."""

    @property
    def private(self) -> bool:
        """Whether nobody can repeat the draws."""


def framed(
    promise: Promised,
    unit: str,
    sections: Iterable[tuple[str, Sequence[Block]]],
    says: Translator,
    title: str,
) -> Document:
    """Return a report: its verdict, and sections by the keys of their headings."""
    state = (
        (
            _("Differentially private by construction"),
            _("ε = {epsilon}, δ = {delta}; protected: one {unit}"),
        )
        if promise.private
        else (
            _("NOT private: a seed was given"),
            _("what was drawn can be repeated, so nothing is promised"),
        )
    )
    facts = {
        "epsilon": format_parameter(promise.epsilon, says),
        "delta": format_parameter(promise.delta, says),
        "unit": unit,
    }
    banner = Banner(
        "satisfied" if promise.private else "failed",
        says.text(state[0]),
        says.text(state[1], **facts),
    )
    return Document(
        language=says.code,
        title=title,
        verdict=banner,
        dated=f"kanonym {versions()['kanonym']}",
        signed=(),
        tiles=(),
        lead=(
            Paragraph(
                says.text(
                    _(
                        "This report may go along with the release: its figures are public "
                        "parameters, and do not depend on the records."
                    )
                ),
                "note",
            ),
        ),
        first=(),
        foot=(),
        details=tuple(
            Section(key, says.text(HEADINGS[key]), tuple(blocks)) for key, blocks in sections
        ),
        contents=says.text(_("Contents")),
    )


def meaning_of(
    promise: Promised, unit: str, persons: str, small: str, says: Translator, **numbers: str
) -> tuple[Block, ...]:
    """Return ε and δ in words; persons, small: keys of what is said of them."""
    if not promise.private:
        return (
            Paragraph(
                says.text(
                    _(
                        "A seed repeats what was drawn. The parameters below were used, but they "
                        "promise nothing."
                    )
                ),
                "strong",
            ),
        )
    told = says.text(
        _(
            "Whatever anybody learns from this table about a person, they would learn almost the "
            "same if the {unit} had been left out: any conclusion becomes at most {odds} times as "
            "likely, or as unlikely, but for a chance of {chance}."
        ),
        unit=unit,
        odds=format_parameter(_round_up(math.exp(promise.epsilon)), says),
        chance=says.chance(promise.delta)
        if promise.delta > 1e-4
        else says.text(_("1 in {number}"), number=says.count(math.floor(1 / promise.delta + 1e-6))),
    )
    items = ("whatever", "together", persons, "about-groups", small, "scale")
    return (
        Paragraph(told),
        Bullets(tuple(("", says.text(PROMISES[item], **numbers)) for item in items)),
    )


def other_releases(spent: Mapping[str, Any] | None, says: Translator) -> tuple[Paragraph, ...]:
    """Return what a ledger says of all releases of the table."""
    if spent is None:
        return (
            Paragraph(
                says.text(_("No ledger was kept: what else was released is not known here."))
            ),
        )
    told = [
        says.text(
            ngettext(
                "By its ledger, this is the only release of the table: ε = {epsilon}, δ = {delta}.",
                "By its ledger, {releases} releases of the table: together ε = {epsilon}, δ = "
                "{delta}.",
            ),
            spent["releases"],
            releases=says.count(spent["releases"]),
            epsilon=format_parameter(spent["epsilon"], says),
            delta=format_parameter(spent["delta"], says),
        )
    ]
    if "rho" in spent:
        told.append(
            says.text(
                _("Synthetic tables among them: together ε = {epsilon} at δ = {delta}."),
                epsilon=format_parameter(spent["epsilon_with_rho"], says),
                delta=format_parameter(spent["delta_with_rho"], says),
            )
        )
    return (Paragraph(" ".join(told)),)


def file_table(output: Content) -> Table:
    """Return the file of the release and its hash."""
    return Table(("", ""), ((output.name, Cell(output.sha256, "code")),), style="hashes")


def format_parameter(number: float, says: Translator) -> str:
    """Write a parameter: `1e-06`, `0.8647`."""
    return says.localize(f"{number:.4g}")


def _round_up(number: float) -> float:
    """Return a factor rounded up to two digits: a promise is never told as smaller than it is."""
    step = 10.0 ** (math.floor(math.log10(number)) - 1)
    return math.ceil(number / step) * step


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
    header = (says.text(_("attribute")), says.text(_("level")), says.text(_("hierarchy")))
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
