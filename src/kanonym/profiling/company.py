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
    said = {
        name: {hint.role for hint in found if hint.sure and hint.role is not Role.IDENTIFIER}
        for name, found in hints.items()
    }
    sensitive = [name for name, roles in said.items() if roles == {Role.SENSITIVE}]
    known = [
        name
        for name, found in hints.items()
        if any(one.role is Role.QUASI_IDENTIFIER and not one.yields for one in found)
    ]
    whats = [{hint.what for hint in hints[name]} for name in sensitive]
    told = sum(bool(each & CONFIDENTIAL) for each in whats)
    money = sum(bool(each & (CONFIDENTIAL | MONEY)) for each in whats)
    described = sum(Role.QUASI_IDENTIFIER in roles for roles in said.values())
    about = any(
        hint.sure and hint.what in OF_PERSONS for one in hints.values() for hint in one
    ) and (
        told >= max(LEAST_CONFIDENTIAL, len(known)) or money >= max(LEAST_CONFIDENTIAL, described)
    )
    items = _questionnaire([one for one in contents if Role.QUASI_IDENTIFIER not in said[one.name]])
    reasons: dict[str, Reason] = {}
    for one in contents:
        if said[one.name] or one.trouble:
            continue
        twin = next((name for name in sensitive if _same_groups(name, one.name, coded)), None)
        if PERIOD.search(one.name):
            reasons[one.name] = Reason("period")
        elif one.name in items:
            reasons[one.name] = Reason("items", {"columns": len(items)})
        elif twin is not None:
            reasons[one.name] = Reason("twin", detail=twin)
        elif about and not _may_be_known(
            one, known, coded, numbers_something=bool(hints[one.name])
        ):
            reasons[one.name] = Reason("company", {"columns": money})
    return reasons


def _questionnaire(contents: Sequence[Content]) -> set[str]:
    """Return the columns of the same answers: numbered ones, or scales such as 1 to 5."""
    numbered = {
        one.name: one.counted.distinct - (one.nulls > 0)
        for one in contents
        if one.type in ("integer", "real number", "categories", "ordered categories")
        and _NUMBERED.fullmatch(one.name)
    }
    scales = {
        one.name: trait
        for one in contents
        for trait in one.traits
        if trait.startswith("scale") and one.counted.distinct - (one.nulls > 0) in ANSWERS
    }
    answers, same = Counter(numbered.values()), Counter(scales.values())
    return {
        name
        for name, several in numbered.items()
        if several in ANSWERS and sum(answers[several + more] for more in (-1, 0, 1)) >= LEAST_ITEMS
    } | {name for name, scale in scales.items() if same[scale] >= LEAST_ITEMS}


def _may_be_known(
    one: Content,
    known: Sequence[str],
    coded: Mapping[str, CodedColumn],
    *,
    numbers_something: bool,
) -> bool:
    """Whether a column may be what others know.

    It has many texts or numbers of persons, a name of one or two letters or like `educdec`, or
    is empty exactly where a column is that others know: the day of a death is missing where its
    year is.
    """
    many = one.counted.distinct > FEW_VALUES
    if many and (numbers_something or one.type in ("text", "categories")):
        return True
    words = name_words(one.name)
    if max(map(len, words), default=0) < LEAST_LETTERS or any(map(is_like_known, words)):
        return True
    if not one.nulls:
        return False
    column = coded[one.name]
    empty = column.codes == column.null
    others = (coded[name] for name in known if name in coded and coded[name].null >= 0)
    return any(bool((empty == (other.codes == other.null)).all()) for other in others)


def _same_groups(first: str, second: str, coded: Mapping[str, CodedColumn]) -> bool:
    """Whether two columns group the records alike, with two records a group or more."""
    if first not in coded or second not in coded:
        return False
    one, two = coded[first], coded[second]
    if one.size != two.size or not LEAST_VALUES <= one.size <= len(one.codes) / 2:
        return False
    return len(np.unique(one.codes.astype(np.int64) * two.size + two.codes)) == one.size
