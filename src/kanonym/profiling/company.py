"""What the other columns of a table say of a column whose name says nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from kanonym.data.schema import Role
from kanonym.profiling.columns import Content
from kanonym.profiling.groupings import CodedColumn
from kanonym.profiling.reasons import Reason
from kanonym.profiling.words import PERIOD, Hint, is_like_known, name_words

CONFIDENTIAL = frozenset(
    (
        *("health", "diagnosis", "operation", "treatment", "test result"),
        *("crime", "genetic data", "sexual life", "substance use"),
    )
)
MONEY = frozenset(("income", "wealth or debt"))
LEAST_CONFIDENTIAL = 3
"""A table is about such things if the names of at least so many columns say so, and no fewer
than say that others know a column; beside money, occupation and household count as known."""
OF_PERSONS = frozenset(("age", "sex", "date of birth"))
"""One column of these shows that a table is of persons, not of weather or counties."""
FEW_VALUES = 10
"""Texts of more values may be places, occupations and the like, numbers those of persons."""
LEAST_LETTERS = 3
"""Names of fewer letters say nothing at all: `aa` may be an ethnic group."""
LEAST_ITEMS = 5
"""So many columns of the same few answers make a questionnaire."""
ANSWERS = range(4, 12)
LEAST_VALUES = 10
"""A column of fewer values may agree with another by chance."""

_NUMBERED = re.compile(r".*[^\W\d][\W_]*\d+[\W_]*[a-zA-Z]?")


def confidential_by_company(
    contents: Sequence[Content],
    hints: Mapping[str, frozenset[Hint]],
    coded: Mapping[str, CodedColumn],
) -> dict[str, Reason]:
    """Return why columns whose names say nothing are measured or told, by name.

    Their name tells a period, as of what was done in the last 30 days; they are answers of a
    questionnaire; they take another value where a sensitive column does, as its logarithm; or
    most names in the table are those of confidential columns.
    """
    roles = {
        name: {hint.role for hint in some if hint.sure and hint.role is not Role.IDENTIFIER}
        for name, some in hints.items()
    }
    sensitive = [name for name, suggested in roles.items() if suggested == {Role.SENSITIVE}]
    outside = [
        name
        for name, some in hints.items()
        if any(hint.role is Role.QUASI_IDENTIFIER and not hint.yields for hint in some)
    ]
    described = sum(Role.QUASI_IDENTIFIER in suggested for suggested in roles.values())
    subjects = [{hint.what for hint in hints[name]} for name in sensitive]
    health = sum(bool(subject & CONFIDENTIAL) for subject in subjects)
    money = sum(bool(subject & (CONFIDENTIAL | MONEY)) for subject in subjects)
    about = any(
        hint.sure and hint.what in OF_PERSONS for some in hints.values() for hint in some
    ) and (
        health >= max(LEAST_CONFIDENTIAL, len(outside))
        or money >= max(LEAST_CONFIDENTIAL, described)
    )
    items = _questionnaire([content for content in contents if content.name not in outside])
    reasons: dict[str, Reason] = {}
    for content in contents:
        name = content.name
        if roles[name] or content.trouble:
            continue
        twin = next((other for other in sensitive if _same_groups(other, name, coded)), None)
        if PERIOD.search(name):
            reasons[name] = Reason("period")
        elif name in items:
            reasons[name] = Reason("items", {"columns": len(items)})
        elif twin is not None:
            reasons[name] = Reason("twin", detail=twin)
        elif about and not _may_be_outside(content, outside, coded, numbers=bool(hints[name])):
            reasons[name] = Reason("company", {"columns": money})
    return reasons


def _questionnaire(contents: Sequence[Content]) -> set[str]:
    """Return the columns of the same answers: numbered ones, or scales such as 1 to 5."""
    sizes = {content.name: content.counted.distinct - (content.nulls > 0) for content in contents}
    numbered = {
        content.name: sizes[content.name]
        for content in contents
        if content.type in ("integer", "real number", "categories", "ordered categories")
        and _NUMBERED.fullmatch(content.name)
    }
    scales = {
        content.name: trait
        for content in contents
        for trait in content.traits
        if trait.startswith("scale") and sizes[content.name] in ANSWERS
    }
    answers, same = Counter(numbered.values()), Counter(scales.values())
    return {
        name
        for name, size in numbered.items()
        if size in ANSWERS and sum(answers[size + more] for more in (-1, 0, 1)) >= LEAST_ITEMS
    } | {name for name, scale in scales.items() if same[scale] >= LEAST_ITEMS}


def _may_be_outside(
    content: Content, outside: Sequence[str], coded: Mapping[str, CodedColumn], *, numbers: bool
) -> bool:
    """Whether others may know a column whose name says nothing.

    It has many texts or numbers of persons, a name of one or two letters or like `educdec`, or
    is empty exactly where a column is that others know: the day of a death is missing where its
    year is.
    """
    if content.counted.distinct > FEW_VALUES and (
        numbers or content.type in ("text", "categories")
    ):
        return True
    words = name_words(content.name)
    if max(map(len, words), default=0) < LEAST_LETTERS or any(map(is_like_known, words)):
        return True
    if not content.nulls:
        return False
    column = coded[content.name]
    empty = column.codes == column.null
    others = (coded[name] for name in outside if name in coded and coded[name].null >= 0)
    return any(bool((empty == (other.codes == other.null)).all()) for other in others)


def _same_groups(first: str, second: str, coded: Mapping[str, CodedColumn]) -> bool:
    """Whether two columns group the records alike, with two records a group or more."""
    if first not in coded or second not in coded:
        return False
    left, right = coded[first], coded[second]
    if left.size != right.size or not LEAST_VALUES <= left.size <= len(left.codes) / 2:
        return False
    return len(np.unique(left.codes.astype(np.int64) * right.size + right.codes)) == left.size
