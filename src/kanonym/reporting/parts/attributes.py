"""Roles and why, and what happened to each attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanonym.data.errors import gettext as _
from kanonym.reporting.document import Cell, Paragraph, Section, Table, Text

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.reporting.distributions.examples import Transformation
    from kanonym.reporting.summary import Summary


ROLES = {
    "identifier": _("identifier"),
    "quasi-identifier": _("quasi-identifier"),
    "sensitive": _("sensitive"),
    "insensitive": _("insensitive"),
    "set": _("set of items"),
}

FATES = {
    "identifier": _("removed"),
    "quasi-identifier": _("recoded (see 4)"),
    "sensitive": _("unchanged"),
    "insensitive": _("unchanged"),
    "set": _("items recoded or dropped (see 4)"),
}

CHANGED = {
    "identifier": _("replaced"),
    "quasi-identifier": _("changed, then recoded (see 4)"),
    "sensitive": _("changed"),
    "insensitive": _("changed"),
}

RECODINGS = {
    "interval": _("each class gets the interval from its lowest to its highest value"),
    "range": _("each class gets two columns: its lowest and its highest value"),
    "set": _("each class gets the set of its values"),
    "hierarchy": _("each class gets the finest label of the hierarchy that covers its values"),
    "mean": _("each class gets the mean of its values"),
    "median": _("each class gets the median of its values"),
    "mode": _("each class gets its most frequent value"),
    "balanced": _(
        "each class gets one of its values, chosen so that tables of two columns stay close to the "
        "original’s"
    ),
    "value": _("original value or blank"),
}
"""What each recoding does."""


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the sections on attributes."""
    return _roles(summary, says), _transformations(summary, says)


def role_of(role: str, says: Translator) -> str:
    """Name a role in the language of the report."""
    base, _comma, changed = role.partition(", ")
    named = says.translate(ROLES.get(base, base))
    return says.text(_("{role}, changed"), role=named) if changed else named


def role_treatment(role: str, summary: Summary, says: Translator) -> str:
    """Say what becomes of the attributes of a role."""
    base, _comma, changed = role.partition(", ")
    if base == "quasi-identifier" and "cells" in summary.origin.algorithm and not changed:
        return says.text(_("original value or blank"))
    return says.text((CHANGED if changed else FATES)[base])


def _roles(summary: Summary, says: Translator) -> Section:
    evidence = summary.columns.evidence
    note = Paragraph(
        says.text(
            _("The roles are set in the policy. `kanonym profile TABLE` gives evidence for them.")
            if evidence is None
            else _(
                "The evidence comes from a profile of the table; it shows no value of the table."
            )
        ),
        "note",
    )
    rows: list[tuple[str, Text, Text]] = []
    for name, role in summary.columns.roles.items():
        reasons = () if evidence is None else evidence.reasons.get(name, ())
        said = "; ".join(reasons) or says.text(_("set in the policy"))
        why: Text = said
        if evidence is not None and name in evidence.suggested:
            other = says.text(
                _("the profile suggests: {role}"), role=role_of(evidence.suggested[name], says)
            )
            why = Cell(said, note=other)
        rows.append((name, role_of(role, says), why))
    header = tuple(says.text(key) for key in (_("attribute"), _("role"), _("why")))
    table = Table(header, _merge_rows(rows, says), style="reasons")
    return Section("roles", says.text(_("Roles, and why")), (note, table))


def _transformations(summary: Summary, says: Translator) -> Section:
    header = tuple(
        says.text(key)
        for key in (_("attribute"), _("what was done"), _("invented value → released as"))
    )
    rows = [
        (
            transformation.name,
            describe_transformation(transformation, says),
            Cell(
                "\n".join(
                    says.text(_("{invented} → {released}"), invented=invented, released=released)
                    if invented
                    else released
                    for invented, released in transformation.examples
                )
                or "–",
                "code" if transformation.examples else "",
            ),
        )
        for transformation in summary.columns.transformations
    ]
    note = Paragraph(
        says.text(
            _(
                "The labels on the right are in the release. The values on the left are invented, "
                "or occur in the label itself and are shared by at least {floor} released records. "
                "No value of an identifier or of a sensitive attribute is shown."
            ),
            floor=says.count(summary.loss.floor),
        ),
        "note",
    )
    return Section(
        "transformations",
        says.text(_("What happened to each attribute")),
        (note, Table(header, _merge_rows(rows, says), style="examples")),
    )


def _merge_rows(
    rows: Sequence[tuple[str, Text, Text]], says: Translator
) -> tuple[tuple[Text, ...], ...]:
    """Return one row for all attributes of which a table says the same."""
    names: dict[tuple[Text, Text], list[str]] = {}
    for name, *said in rows:
        names.setdefault((said[0], said[1]), []).append(name)
    return tuple((says.names(some), *said) for said, some in names.items())


def describe_transformation(one: Transformation, says: Translator) -> str:
    """Say what was done to an attribute."""
    changed = one.actions and says.text(
        _("changed value by value: {actions}"), actions=", ".join(one.actions)
    )
    if one.recoding is None:
        if changed:
            return changed
        done = {
            "identifier": _("dropped: it is not in the release"),
            "set": _("items got the labels of a hierarchy, or were dropped"),
        }
        return says.text(done.get(one.role, _("released unchanged")))
    recoded = _describe_recoding(one, says)
    return (
        says.text(_("{first}; then {second}"), first=changed, second=recoded)
        if changed
        else recoded
    )


def _describe_recoding(one: Transformation, says: Translator) -> str:
    if one.level is not None and one.highest is not None:
        return says.text(
            _("level {level} of {highest} of its hierarchy, in every record"),
            level=one.level,
            highest=one.highest,
        )
    return says.translate(RECODINGS.get(str(one.recoding), str(one.recoding)))
