"""How the numbers of a column are written: their unit, their marks and their digits."""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.readings.bounds import sides_of, split_bounds
from kanonym.data.readings.cells import Cells
from kanonym.data.readings.numbers import (
    CELL,
    NumberReading,
    ascii_digits,
    singulars,
    with_plain_marks,
)

MANY_FRACTIONS = 50
_CLOCK = re.compile(r"\s?[AaPp]\.?[Mm]\.?$|T[0-9]")
"""What is no unit: 8.30 pm, 20240304T1015."""


def detect_numbers(cells: Cells) -> NumberReading | None:
    """Return the style of the numbers among cells; None where there are none."""
    texts, zero = _own_script(cells)
    bare, _ = split_bounds(with_plain_marks(texts))
    parts = bare.str.extract_groups(CELL).struct.unnest()
    if not parts["number"].is_not_null().any():
        return None
    parts = parts.with_columns(
        pl.col("prefix", "suffix").fill_null(""), n=cells.counts, text=bare
    ).drop_nulls("number")
    parts, plus = _without_lone_pluses(parts)
    if not len(parts):
        return None
    prefix, suffix = _unit(parts)
    own = parts.filter(
        (pl.col("prefix").str.strip_chars() == prefix.strip())
        & pl.col("suffix").str.strip_chars().is_in([suffix.strip(), *singulars(suffix.strip())])
    )
    if not suffix and not prefix and _are_codes(own):
        return None
    if _CLOCK.match(suffix) or (
        suffix.strip() == "Uhr" and own["number"].str.contains("[.,]").any()
    ):
        return None  # 20.30 Uhr is half past eight
    scored = [
        (int(own["n"].filter(values.is_not_null()).sum()), style, values)
        for style in _candidates(own, prefix, suffix, zero, plus=plus)
        if (values := style.read(_in_script(own["text"], zero))).is_not_null().any()
    ]
    if not scored:
        return None
    most = max(number for number, _, _ in scored)
    fits = [(style, values) for number, style, values in scored if number == most]
    first, values = fits[0]
    if _are_bounds(first.read(cells.texts)):
        return None
    for other, others in fits[1:]:
        both = values.is_not_null() & others.is_not_null()
        if 2 * most < cells.total:  # they are no column of numbers
            continue
        if (values.cast(pl.Float64) != others.cast(pl.Float64)).filter(both).any():
            raise DataError(
                f"column {cells.name!r}: the separator in its numbers may be that of thousands or "
                "of decimals, and no value shows which. Declare it in the policy: type: number, "
                f"format: {first.example!r} or {other.example!r}"
            )
    return first


def _without_lone_pluses(parts: pl.DataFrame) -> tuple[pl.DataFrame, bool]:
    """Return the cells that are numbers, and whether some have a plus as their sign.

    Without numbers below 0 beside it, a plus may be that of a telephone or a school mark.
    """
    is_plus = (pl.col("sign") == "+").fill_null(value=False)
    below = pl.any_horizontal(pl.col("open", "inner", "after").is_not_null())
    below |= pl.col("sign").is_not_null() & ~is_plus
    some, others = parts.select(is_plus.any(), below.any().alias("below")).row(0)
    return (parts, True) if some and others else (parts.filter(~is_plus), False)


def _are_bounds(values: pl.Series) -> bool:
    """Tell whether most distinct values are bounds, as `1+`, `2+` and `3+` are."""
    distinct = values.drop_nulls().unique()
    if not distinct.dtype.is_float():
        return False
    return 2 * int((sides_of(distinct.to_numpy())[1] != 0).sum()) >= len(distinct)


def _own_script(cells: Cells) -> tuple[pl.Series, str]:
    """Return texts with the digits of the most frequent script as those of ASCII, and its 0."""
    foreign = cells.texts.str.contains(r"[\p{Nd}--0-9]")
    if 2 * cells.number(foreign) <= cells.total:
        return cells.texts, "0"
    _, zero = ascii_digits(cells.texts.filter(foreign))
    return ascii_digits(cells.texts, zero)


def _in_script(texts: pl.Series, zero: str) -> pl.Series:
    if zero == "0":
        return texts
    return texts.str.replace_many([*"0123456789"], [chr(ord(zero) + digit) for digit in range(10)])


def _unit(parts: pl.DataFrame) -> tuple[str, str]:
    """Return what stands around most numbers, in its most frequent form with or without a blank."""
    bare = parts.with_columns(
        p=pl.col("prefix").str.strip_chars(), s=pl.col("suffix").str.strip_chars()
    )
    grouped = bare.group_by("p", "s", maintain_order=True).agg(pl.col("n").sum())
    ranked = grouped.sort("n", descending=True, maintain_order=True)
    prefix, suffix = ranked.row(0)[:2]
    for plural in ranked["s"].to_list():
        if suffix and suffix in singulars(plural):
            suffix = plural
    own = bare.filter((pl.col("p") == prefix) & (pl.col("s") == suffix))
    grouped = own.group_by("prefix", "suffix", maintain_order=True).agg(pl.col("n").sum())
    forms = grouped.sort("n", descending=True, maintain_order=True)
    before, behind = forms.row(0)[:2]
    return str(before), str(behind)


def _are_codes(parts: pl.DataFrame) -> bool:
    """Tell whether digits are codes: four or more, a leading zero among them; or IP addresses."""
    digits = parts.filter(pl.col("number").str.contains("^[0-9]+$"))
    zeros = digits["number"].str.contains("^0[0-9]{3}")
    if zeros.any() and digits["number"].str.len_chars().n_unique() == 1:
        return True
    fours = parts["number"].str.contains(r"^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$")
    return bool(parts["n"].filter(fours).sum() * 2 > parts["n"].sum())


def _candidates(
    parts: pl.DataFrame, prefix: str, suffix: str, zero: str, *, plus: bool
) -> list[NumberReading]:
    """Return the styles that the marks within numbers allow, simple ones first."""
    numbers = parts["number"]
    occurring = set(re.sub("[0-9]", "", "".join(numbers.unique().to_list())))
    found = []
    for decimal in ".,":
        if decimal not in occurring:
            continue
        lengths = numbers.str.extract(rf"\{decimal}([0-9]+)$", 1).drop_nulls().str.len_chars()
        whole = numbers.len() == len(lengths) and lengths.n_unique() == 1
        decimals = int(lengths[0]) if whole else 1
        is_plain = decimal == "." and not prefix and not suffix and zero == "0"
        for thousands in sorted({"", *occurring} - {decimal}):
            kept = 0 if is_plain and not thousands else decimals
            style = NumberReading(decimal, thousands, prefix, suffix, kept, zero=zero)
            found += [style, replace(style, indian=True)] if thousands else [style]
    for mark in sorted(occurring):
        if mark == "." and not prefix and not suffix and are_computed(numbers):
            continue
        # Numbers of one length, in several groups, may be those of telephones.
        same_length = numbers.str.replace_all("[^0-9]", "").str.len_chars().n_unique() == 1
        several = numbers.str.count_matches(mark, literal=True).max() != 1
        several &= numbers.str.contains(rf"^[0-9]{{2,}}{re.escape(mark)}").any()
        if same_length and several and mark not in ",'’" and not (prefix or suffix):
            continue
        other = "," if mark == "." else "."
        found.append(NumberReading(other, mark, prefix, suffix, zero=zero))
        found.append(NumberReading(other, mark, prefix, suffix, indian=True, zero=zero))
    if not occurring:
        found.append(NumberReading(".", "", prefix, suffix, zero=zero))
    return [replace(style, plus=plus) for style in found]


def are_computed(numbers: pl.Series) -> bool:
    """Tell whether fractions of three digits are those of a program, which drops a last 0.

    Of many numbers that people write with a mark between thousands, some end in 0.
    """
    parted = numbers.filter(numbers.str.contains(".", literal=True))
    return len(parted) >= MANY_FRACTIONS and not parted.str.ends_with("0").any()
