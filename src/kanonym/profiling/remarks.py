"""What a column's content suggests to do about it."""

from __future__ import annotations

from kanonym.data.errors import Message
from kanonym.profiling.columns import Content


def remarks_of(content: Content) -> list[str]:
    """Return a sentence on each thing about the content that a person should look at."""
    counted, outliers = content.counted, content.outliers
    remarks: list[str] = []
    if content.nulls and not content.constant:
        remarks.append(
            Message(
                "{nulls:,} of {records:,} records have no value",
                nulls=content.nulls,
                records=counted.records,
            )
        )
    remarks += [
        Message(
            "{value}, in {records:,} records, seems to stand for a missing value: if it does, "
            "leave these cells empty",
            value=Message("a number far from the others")
            if sentinel.value is None
            else repr(sentinel.value),
            records=sentinel.records,
        )
        for sentinel in content.sentinels
    ]
    if outliers is not None and outliers.far:
        remarks.append(
            Message(
                "1 number lies far from the others; as an action, {advice} hides it",
                advice=outliers.advice,
            )
            if outliers.far == 1
            else Message(
                "{far:,} numbers lie far from the others; as an action, {advice} hides them",
                far=outliers.far,
                advice=outliers.advice,
            )
        )
    if "dates as other text" in content.traits:
        remarks.append(
            Message("its texts are dates: written as 2024-12-31 they could be recoded as dates")
        )
    if "dates as text" in content.traits and content.type == "text":
        remarks.append(
            Message("its texts are ISO dates: as a column of dates they would lose less")
        )
    if "numbers as text" in content.traits:
        remarks.append(
            Message("its texts are numbers: as a column of numbers they would lose less")
        )
    if "leading zeros" in content.traits:
        remarks.append(Message("its numbers start with zeros: it is a code, and stays text"))
    return remarks
