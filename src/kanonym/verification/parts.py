"""The three parts of a verdict: identity, attributes, persons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from kanonym.data.message import Message
from kanonym.verification.finding import PartName, column_names_text
from kanonym.verification.verdict import ModelCheck, Part, PartVerdict

NO_RECORDS = Message("no record was released, so there is nothing that models could check")


def parts_of(
    checks: Sequence[ModelCheck],
    sensitive: Sequence[str],
    persons: Message | None,
    rows: int,
    *,
    hides_refusals: bool | None = None,
) -> tuple[Part, ...]:
    """Return the parts of a verdict.

    checks: of all models. sensitive: the attributes that the policy declares sensitive. persons:
    who the policy states the persons to be; None where it does not say. rows: of the release.
    hides_refusals: whether the algorithm left to chance what it refused because of sensitive
    values; None where it refused nothing for them, or is not known.
    """
    if not rows:
        return tuple(Part(name, "not assessed", NO_RECORDS) for name in get_args(PartName))
    return (
        _identity([one for one in checks if "identity" in one.protects]),
        _attributes(
            [one for one in checks if "attributes" in one.protects],
            sensitive,
            hides_refusals=hides_refusals,
        ),
        _persons(checks, persons),
    )


def _identity(checks: Sequence[ModelCheck]) -> Part:
    asking = [one for one in checks if not one.trivial]
    if not asking:
        return Part(
            "identity",
            "not assessed",
            Message("no model limits how well a person can be found: require k-anonymity"),
        )
    return Part("identity", _verdict(asking), _models_text(asking, named=False))


def _attributes(
    checks: Sequence[ModelCheck], sensitive: Sequence[str], *, hides_refusals: bool | None
) -> Part:
    asking = [one for one in checks if not one.trivial]
    everything = any(one.guarantee == "mechanism" for one in asking)
    protected = {one.attribute for one in asking}
    unprotected = [name for name in sensitive if name not in protected]
    if asking and (_verdict(asking) == "violated" or everything or not unprotected):
        verdict, text = _verdict(asking), _models_text(asking)
        if verdict == "checked" and hides_refusals is not None:
            text = _with_defence(text, hides_refusals=hides_refusals)
        return Part("attributes", verdict, text)
    if unprotected:
        reason = Message(
            "no model protects {columns}: require l-diversity or t-closeness",
            columns=column_names_text(unprotected),
        )
    else:
        reason = Message(
            "no sensitive attribute is declared: declare what must not be learned about a person "
            "as sensitive, and require l-diversity or t-closeness"
        )
    return Part("attributes", "not assessed", reason)


def _with_defence(text: Message, *, hides_refusals: bool) -> Message:
    """Add what keeps those who know the algorithm from reading values off what it refused."""
    if hides_refusals:
        return Message("{models}; what the algorithm refused is left to chance", models=text)
    return Message(
        "{models}; what the algorithm refused is not hidden from those who know it", models=text
    )


def _persons(checks: Sequence[ModelCheck], persons: Message | None) -> Part:
    if persons is None:
        return Part(
            "persons",
            "not assessed",
            Message(
                "the policy does not state it: set rows: persons if each row is a person, or else "
                "entity, the columns that tell persons apart"
            ),
        )
    linked = [one for one in checks if one.linked_by]
    if any(not one.satisfied for one in linked):
        return Part(
            "persons",
            "violated",
            Message(
                "{columns} tells whose rows are whose, and too few persons are alike in all rows",
                columns=column_names_text(linked[0].linked_by),
            ),
        )
    return Part("persons", "checked", persons)


def _verdict(checks: Sequence[ModelCheck]) -> PartVerdict:
    verdicts = {one.verdict for one in checks}
    if verdicts & {"violated", "not private"}:
        return "violated"
    return "by construction" if verdicts == {"by construction"} else "checked"


def _models_text(checks: Sequence[ModelCheck], *, named: bool = True) -> Message:
    """Say which models a part rests on; named: with their attributes."""
    attributes: dict[str, list[str]] = {}
    for one in checks:
        attributes.setdefault(one.type, []).extend(
            [] if one.attribute is None or not named else [one.attribute]
        )
    names = ", ".join(
        f"{model} of {column_names_text(of)}" if of else model for model, of in attributes.items()
    )
    failing = [one for one in checks if one.verdict in ("violated", "not private")]
    if failing:
        return Message(
            "{models} does not hold", models=", ".join(dict.fromkeys(one.type for one in failing))
        )
    if all(one.verdict == "by construction" for one in checks):
        return Message("{models}, by how the release was made", models=names)
    if any(one.recorded for one in checks):
        return Message("{models}, with the persons that the manifest recorded", models=names)
    return Message("{models}, counted in the released values", models=names)
