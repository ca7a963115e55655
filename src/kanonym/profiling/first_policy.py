"""The first policy of a table: what the profile suggests, and what a person answered.

`profile`, `recommend` and the workbench all write this one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kanonym.data.readings import declared_form
from kanonym.data.schema import Role
from kanonym.policy.writing import policy_yaml
from kanonym.profiling.columns import Content
from kanonym.profiling.reasons import NOTHING_TO_RECODE

if TYPE_CHECKING:
    from kanonym.profiling.profile import ColumnProfile, Profile

MOST_FREQUENT = 0.8
"""l-diversity is asked of a sensitive attribute if no value has more of the records, else
t-closeness."""

DOMINATES = 0.5
FEW_VALUES = 3
"""Entropy l-diversity is asked if a value has more of the records, or there are no more values."""

HEADING = (
    "Values do not show what a column means: read the reasons, and correct what is wrong.",
    "When in doubt a column is a quasi-identifier. Identifiers are dropped.",
)
RECODED = (
    "Numbers, dates and ordered categories are released as ranges of the values in their class, "
    "other columns as labels of their hierarchies; columns without one, of few values, as lists. "
    "Without this line all hierarchies are used."
)
LISTED = 5
"""Columns of at most so many values may be released as lists of them."""
NO_LISTS = ("codes", "dates as text", "dates as other text", "numbers as text", "leading zeros")
"""Texts of these forms are never released as lists: a list tells little, and shows their values."""
LEAST_T = 0.02
"""t of t-closeness is at least so much: of a rarer value a small class could have no record."""
ALGORITHM = {"type": "auto"}
"""The algorithm of a first policy, which tries several."""
OF_LEVELS = ("full-domain", "local-recoding")
"""Algorithms that release levels of hierarchies, and leave no choice of a recoding."""
K_ANSWERED = "k is that of whoever receives the table, as answered."
NONE_SENSITIVE = (
    "Answered: nothing in this table would hurt a person if it became known. The verdict calls it "
    "a statement of the custodian."
)
PERSONS_OPEN = (
    "Who are the persons? Add “rows: persons” if no person has two records; else make the column "
    "that numbers them an identifier, and name it as entity of k-anonymity. Until then the part "
    "persons of the verdict is not assessed, and verify ends with 1."
)
MODELS = {
    "entropy": (
        "Entropy l-diversity: of a column of few values, or with one that most records have, "
        "classes must be about half as mixed as the table."
    ),
    "t-closeness": (
        "t-closeness: where nearly all records have one value, no class may have much more of the "
        "others than the table has."
    ),
}
"""Why these models are asked."""
SHOWN = 5
"""Column sets that a policy's heading names."""


def policy_text(profile: Profile, k: int, algorithm: Mapping[str, Any] = ALGORITHM) -> str:
    """Return the YAML text of the first policy, with the evidence as comments.

    profile: with what a person answered. algorithm: the form of another one, to be tried.
    """
    levels = algorithm["type"] in OF_LEVELS
    entity, columns = profile.entity, profile.columns
    counted = {"entity": entity.name} if entity.values >= k else {}
    models: list[dict[str, Any]] = [
        {"type": "k-anonymity", "k": k, **counted},
        *(
            _model(column)
            for column in columns
            if column.role is Role.SENSITIVE and column.content.counted.distinct >= 2
        ),
    ]
    form = {
        "version": 1,
        "attributes": {column.name: attribute_form(column) for column in columns},
        "models": models,
        **({"rows": "persons"} if entity.rows_are_persons else {}),
        **({"sensitive": "none"} if profile.answers.sensitive == () else {}),
        "algorithm": dict(algorithm),
        **({} if levels else {"recoding": "interval"}),
        "suppression_limit": 0.0,
    }
    comments: dict[tuple[str, ...], list[str]] = {
        ("attributes", column.name): [
            _as_remark(text)
            for text in (
                *column.evidence,
                *(() if column.role is Role.IDENTIFIER else column.remarks),
            )
        ]
        for column in columns
    }
    comments["models",] = [K_ANSWERED] if profile.answers.k else []
    kinds = {one.get(key) for one in models for key in ("type", "kind")}
    comments["models",] += [text for kind, text in MODELS.items() if kind in kinds]
    if entity.reason:
        place = "rows" if entity.rows_are_persons else "models"
        comments[place,] = [*comments.get((place,), []), _as_remark(entity.reason)]
    if not counted and not entity.rows_are_persons:
        comments["models",].append(PERSONS_OPEN)
    comments["sensitive",] = [NONE_SENSITIVE]
    comments["recoding",] = [RECODED]
    return policy_yaml(form, _heading(profile, k), comments)


def _heading(profile: Profile, k: int) -> list[str]:
    known = profile.names(Role.QUASI_IDENTIFIER)
    dropped = set(profile.names(Role.IDENTIFIER))
    heading = [f"Suggested from {profile.rows:,} records.", *HEADING]
    if known and profile.answers.known is None:
        heading.append(
            f"As the table is, {profile.together.uniques:,} of the records are unique in their "
            f"quasi-identifiers."
        )
    near = profile.near_unique_sets
    for how, found in (
        ("All records differ in", profile.unique_sets),
        (f"A record equals at most {near.others:g} others, on average, in", near),
    ):
        sets = [names for names, _ in found.sets if not dropped & {*names}]
        if sets:
            named = "; ".join(", ".join(names) for names in sets[:SHOWN])
            more = f"; and {len(sets) - SHOWN} more" if len(sets) > SHOWN else ""
            heading.append(f"{how}: {named}{more}.")
    if not known:
        heading.append(_as_remark(NOTHING_TO_RECODE.to_text()))
    if profile.rows < k:
        heading.append(f"There are fewer than {k} records: no release satisfies this policy.")
    return heading


def attribute_form(one: ColumnProfile) -> dict[str, Any]:
    """Return the policy's form of a column; one that may be released as lists has no hierarchy."""
    form: dict[str, Any] = {"role": str(one.role)}
    hierarchy = one.role is Role.QUASI_IDENTIFIER and not _listable(one.content)
    if hierarchy and one.content.suggestion is not None:
        ((kind, given),) = one.content.suggestion.builder.to_dict().items()
        form["hierarchy"] = {kind: given} if given else kind
    if one.reading is not None and one.role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        given = declared_form(one.reading)
        form |= {name: value for name, value in given.items() if value is not None}
    actions = action_form(one)
    return form | ({"action": actions} if actions else {})


def action_form(one: ColumnProfile) -> list[dict[str, Any]] | None:
    """Return what is suggested to do to the values before the release."""
    rounding = one.content.rounding
    return rounding.actions if rounding and one.role is Role.SENSITIVE else None


def _listable(content: Content) -> bool:
    """Whether a list of the column's values is short, and tells as much as a range would."""
    named = content.type in ("text", "categories", "yes or no")
    return named and content.counted.distinct <= LISTED and not content.traits & {*NO_LISTS}


def _model(one: ColumnProfile) -> dict[str, Any]:
    """Return what is asked of a sensitive column: one that the whole table satisfies."""
    distinct, share = _value_counts(one.content)
    if share <= MOST_FREQUENT:
        diversity = _diversity(distinct, share)
        return {"type": "l-diversity", "attribute": one.name, **diversity}
    t = max(LEAST_T, (math.ceil(100 * (1 - share) / 2 - 1e-9) - 1) / 100)
    return {"type": "t-closeness", "attribute": one.name, "t": t}


def _value_counts(content: Content) -> tuple[int, float]:
    """Return the distinct values and the share of the most frequent one, after its action."""
    counted, rounding = content.counted, content.rounding
    if rounding is None:
        return counted.distinct, content.largest / counted.records
    largest = max(rounding.largest, content.nulls)
    return rounding.values + (content.nulls > 0), largest / counted.records


def _diversity(distinct: int, share: float) -> dict[str, Any]:
    """Return which l-diversity is asked of a column: one that the whole table satisfies.

    Two distinct values are little where there are few, or where one has most of the records: a
    class of a thousand records, all but one of which agree, has two. Entropy l-diversity then asks
    for half of the way from one value to what the table has at the least, given the share p of its
    most frequent value: as many values of that share as there is room for, and one of the rest.
    """
    if distinct > FEW_VALUES and share <= DOMINATES:
        return {"l": 2}
    rest = 1 - share * math.floor(1 / share)
    shares = [*[share] * math.floor(1 / share), *([rest] if rest > 0 else [])]
    possible = math.exp(-sum(p * math.log(p) for p in shares))
    return {"l": math.floor(100 * (1 + possible) / 2) / 100, "kind": "entropy"}


def _as_remark(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:] + "."
