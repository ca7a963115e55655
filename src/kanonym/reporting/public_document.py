"""The report that may go along with a release under differential privacy: public figures alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kanonym.release import versions
from kanonym.reporting.document import (
    Banner,
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


def public_document(
    promise: Promise,
    columns: Sequence[str],
    says: Translator,
    title: str | None = None,
    output: Content | None = None,
) -> Document:
    """Return the document; it is made of the promise, so that nothing else can get into it.

    Parameters
    ----------
    promise
        What the mechanism promises.
    columns
        The released columns.
    says
        The language.
    title
        Title of the report.
    output
        The file of the release.

    """
    state = "kept" if promise.private else "void"
    unit = says.text(f"private.{promise.protects}")
    facts = {
        "epsilon": _number(promise.epsilon, says),
        "delta": _number(promise.delta, says),
        "unit": unit,
    }
    banner = Banner(
        "satisfied" if promise.private else "failed",
        says.text(f"private.{state}"),
        says.text(f"private.{state}.note", **facts),
    )
    sections = (
        ("meaning", _meaning(promise, says, unit)),
        ("parameters", (_parameters(promise, says),)),
        ("made", (_making(promise, says),)),
        ("public", (Paragraph(says.text("private.public.text")), _levels(promise, columns, says))),
        (
            "verified",
            (
                Paragraph(says.text("private.verified.text")),
                Paragraph(says.text("private.unverified.text")),
            ),
        ),
        ("others", _others(promise, says)),
        *((("file", (_file(output),)),) if output else ()),
    )
    return Document(
        language=says.code,
        title=title or says.text("private.title"),
        verdict=banner,
        dated=f"kanonym {versions()['kanonym']}",
        signed=(),
        tiles=(),
        lead=(Paragraph(says.text("private.audience"), "note"),),
        first=(),
        foot=(),
        details=tuple(
            Section(key, says.text(f"private.{key}"), blocks) for key, blocks in sections
        ),
        contents=says.text("contents"),
    )


def _meaning(promise: Promise, says: Translator, unit: str) -> tuple[Paragraph | Bullets, ...]:
    if not promise.private:
        return (Paragraph(says.text("private.void.text"), "strong"),)
    told = says.text(
        "private.meaning.text",
        unit=unit,
        odds=_number(_round_up(math.exp(promise.epsilon)), says),
        chance=says.chance(promise.delta)
        if promise.delta > 1e-4
        else says.text("one-in.short", number=says.count(math.floor(1 / promise.delta + 1e-6))),
    )
    persons = "one-each" if promise.protects == "person" else "several"
    items = ("whatever", "together", persons, "about-groups", "small", "scale")
    return (
        Paragraph(told),
        Bullets(tuple(("", says.text(f"private.{one}")) for one in items)),
    )


def _parameters(promise: Promise, says: Translator) -> Table:
    given: list[tuple[str, str, str]] = [
        ("ε", _number(promise.epsilon, says), "epsilon"),
        ("δ", _number(promise.delta, says), "delta"),
    ]
    if promise.search_epsilon is not None:
        given.append(("ε₁", _number(promise.search_epsilon, says), "search"))
    given += [
        ("β", _number(promise.beta, says), "beta"),
        ("k", says.count(promise.k), "k"),
    ]
    header = tuple(says.text(f"private.head.{key}") for key in ("parameter", "value", "meaning"))
    rows = tuple((sign, value, says.text(f"private.{key}")) for sign, value, key in given)
    return Table(header, rows, frozenset({1}))


def _making(promise: Promise, says: Translator) -> Bullets:
    levels = "levels.named" if promise.search_epsilon is None else "levels.drawn"
    told = (says.text(f"private.made.{key}") for key in (levels, "sample", "classes"))
    return Bullets(tuple(("", one) for one in told))


def _levels(promise: Promise, columns: Sequence[str], says: Translator) -> Table:
    header = (
        says.text("head.attribute"),
        says.text("private.head.level"),
        says.text("private.head.hierarchy"),
    )
    rows = tuple(
        (
            name,
            says.text("private.level", level=promise.levels[name], highest=promise.highest[name]),
            _form(promise.hierarchies[name], says),
        )
        for name in columns
    )
    return Table(header, rows)


def _form(hierarchy: dict[str, Any], says: Translator) -> Text:
    """Write the form that a hierarchy has in a policy; a long list is counted."""
    kind, given = next(iter(hierarchy.items()))
    if kind == "mapping":
        return says.text("private.listed", n=says.count(_leaves(given)))
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


def _others(promise: Promise, says: Translator) -> tuple[Paragraph, ...]:
    spent = promise.spent
    if spent is None:
        return (Paragraph(says.text("private.others.unknown")),)
    told = [
        says.text(
            "private.others.known",
            spent["releases"],
            releases=says.count(spent["releases"]),
            epsilon=_number(spent["epsilon"], says),
            delta=_number(spent["delta"], says),
        )
    ]
    if "rho" in spent:
        told.append(
            says.text(
                "private.others.rho",
                epsilon=_number(spent["epsilon_with_rho"], says),
                delta=_number(spent["delta_with_rho"], says),
            )
        )
    return (Paragraph(" ".join(told)),)


def _file(output: Content) -> Table:
    return Table(("", ""), ((output.name, Cell(output.sha256, "code")),), style="hashes")


def _number(number: float, says: Translator) -> str:
    """Write a parameter: `1e-06`, `0.8647`."""
    return says.localize(f"{number:.4g}")


def _round_up(number: float) -> float:
    """Return a factor rounded up to two digits: a promise is never told as smaller than it is."""
    step = 10.0 ** (math.floor(math.log10(number)) - 1)
    return math.ceil(number / step) * step
