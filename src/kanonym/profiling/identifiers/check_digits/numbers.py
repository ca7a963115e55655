"""Numbers that states, banks and makers of devices give out, told by their check digits."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from kanonym.profiling.identifiers.check_digits.chance import is_evidence, pass_rate_by_chance
from kanonym.profiling.identifiers.check_digits.schemes import CODES, SCHEMES, Scheme
from kanonym.profiling.identifiers.finding import Finding, finding_by_values, share_reason
from kanonym.profiling.identifiers.sample import Sample
from kanonym.profiling.reasons import Reason

LEAST = 0.95
"""Share of the rows whose number must pass; 0.8 where the column's name says it too."""
LEAST_HINTED = 0.8

ACCOUNT = 5
"""Digits that an account number has at least;"""
WIDTHS = 2
"""all but a few have no more than so many digits less than the longest."""

_FIRST_LOOK = 60
_HOPELESS = 0.5


def find_numbers(sample: Sample, hinted: frozenset[str]) -> tuple[Finding, ...]:
    """Return the best scheme that nearly all values follow, as one finding or none.

    Notes
    -----
    A number counts when its check digit is right. Where the column's name says nothing, at
    least `LEAST` of the rows must pass, and shuffled digits must pass so seldom that so many
    different numbers cannot all be right by chance (`pass_rate_by_chance`); IBANs are believed
    without.
    Numbers without a check digit
    count only as written with their separators. Leading zeros that a reader of numbers
    lost are put back.

    """
    if sample.form == "other" or not sample.values:
        return ()
    numbers = _number_texts(sample)
    best: tuple[bool, float, float, Finding] | None = None
    for scheme in SCHEMES:
        named = bool(hinted & CODES) and scheme.kind != "record number"
        least = LEAST_HINTED if named else LEAST
        matching = _passes_check(_check(scheme, as_written=scheme.kind not in hinted), numbers)
        share = sample.share(matching)
        if share < least:
            continue
        kept = [number for number, match in zip(numbers, matching, strict=True) if match]
        by_chance = pass_rate_by_chance(kept, _check(scheme, as_written=False))
        believed = by_chance < _HOPELESS if named else is_evidence(len(kept), by_chance)
        if scheme.written is None and not scheme.telling and not believed:
            continue
        reasons = [share_reason("valid", share, scheme.title)]
        if by_chance < _HOPELESS:
            reasons.append(share_reason("shuffled", by_chance))
        # Cards and IBANs say what they are; among national numbers the rarer form wins.
        key = (scheme.kind != "record number", -round(by_chance, 1), share)
        if best is None or key > best[:3]:
            best = (*key, finding_by_values(scheme.kind, share, *reasons))
    return () if best is None else (best[3],)


def find_accounts(sample: Sample, hinted: frozenset[str]) -> tuple[Finding, ...]:
    """Return whether bare numbers are those of accounts, where the column's name hints at them.

    A column `account` may count accounts, too, or hold amounts: numbers of accounts are long,
    and about equally long.
    """
    if "account number" not in hinted or sample.form == "other" or not sample.values:
        return ()
    longest = max(map(len, sample.values))
    least = max(ACCOUNT, longest - WIDTHS)
    digits = sample.matching(lambda value: value.isdecimal() and len(value) >= least)
    share = sample.share(digits)
    if share < LEAST:
        return ()
    reason = Reason("account", {"least": least, "longest": longest}, {"share": share})
    return (finding_by_values("account number", share, reason),)


_SEPARATORS = str.maketrans("", "", " .-/–")


def _number_texts(sample: Sample) -> list[str]:
    """Return the numbers as they are written, integers with the zeros that they lost."""
    if sample.form == "text":
        return list(sample.values)
    width = max(map(len, sample.values))
    short = sample.share(sample.matching(lambda value: len(value) < width))
    lost = short < 0.2 and not any(value.startswith("-") for value in sample.values)
    return [value.zfill(width) if lost else value for value in sample.values]


def _passes_check(check: Callable[[str], bool], numbers: list[str]) -> NDArray[np.bool_]:
    """Return (n,) bool: which numbers pass a check; none after a bad first look."""
    matching = np.zeros(len(numbers), np.bool_)
    for place, number in enumerate(numbers):
        matching[place] = check(number)
        if place + 1 == _FIRST_LOOK and matching[:_FIRST_LOOK].mean() < _HOPELESS:
            return np.zeros(len(numbers), np.bool_)
    return matching


def _check(scheme: Scheme, *, as_written: bool) -> Callable[[str], bool]:
    def check(number: str) -> bool:
        if as_written and scheme.written is not None and not scheme.written.fullmatch(number):
            return False
        plain = number.translate(_SEPARATORS)
        # Finnish codes need their separators; the bare Luhn algorithm does not know any.
        whole = plain if scheme.module == "luhn" else number
        return scheme.form.fullmatch(plain) is not None and _validator(scheme.module)(whole)

    return check


@functools.cache
def _validator(module: str) -> Callable[[str], bool]:
    if not module:
        return bool  # a text that has the form is not empty
    valid: Callable[[str], bool] = importlib.import_module(f"stdnum.{module}").is_valid
    return valid
