"""What public reports under differential privacy share: promise in words, ledger, file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from kanonym.data.message import gettext as _
from kanonym.data.message import ngettext
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
)

if TYPE_CHECKING:
    from kanonym.data.files import Content
    from kanonym.language import Translator


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
    state = "kept" if promise.private else "void"
    facts = {
        "epsilon": format_parameter(promise.epsilon, says),
        "delta": format_parameter(promise.delta, says),
        "unit": unit,
    }
    banner = Banner(
        "satisfied" if promise.private else "failed",
        says.text(f"private.{state}"),
        says.text(f"private.{state}.note", **facts),
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
            Section(key, says.text(f"private.{key}"), tuple(blocks)) for key, blocks in sections
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
        Bullets(tuple(("", says.text(f"private.{item}", **numbers)) for item in items)),
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
