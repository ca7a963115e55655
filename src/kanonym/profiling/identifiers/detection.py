"""What tells that a column identifies persons, from its name and its values."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from kanonym.data.schema import Role
from kanonym.profiling.identifiers.check_digits import CODES, find_accounts, find_numbers
from kanonym.profiling.identifiers.contacts import find_addresses, find_coordinates, find_phones
from kanonym.profiling.identifiers.formats import find_formats, find_named
from kanonym.profiling.identifiers.free_text import find_free_text
from kanonym.profiling.identifiers.persons import find_persons, find_records
from kanonym.profiling.identifiers.sample import Finding, Sample
from kanonym.profiling.reasons import Reason
from kanonym.profiling.words import name_hints, safe_harbor

_RANK = {"both": 0, "values": 1, "name": 2}


def find_identifiers(column: pl.Series) -> tuple[Finding, ...]:
    """Return what tells that a column is a direct identifier, the best evidence first.

    column: (n,) values; null is no value. Its name counts as evidence.

    Notes
    -----
    At most 2,000 different values are looked at, chosen by their hash: the same table gives
    the same findings in any order of its rows. Cost: two or three passes over the column, and
    some tens of milliseconds for its sample.

    Examples
    --------
    >>> column = pl.Series("contact", [f"user{n}@example.org" for n in range(30)])
    >>> [(finding.kind, finding.by) for finding in find_identifiers(column)]
    [('e-mail address', 'values')]
    >>> find_identifiers(pl.Series("age", [34, 51, 28]))
    ()
    """
    sample = Sample.of(column)
    named = find_named(sample)
    hints = name_hints(sample.name)
    identifying = {hint for hint in hints if hint.role is Role.IDENTIFIER}
    hinted = frozenset(hint.what for hint in identifying)
    findings = find_formats(sample, hinted) or find_numbers(sample, hinted)
    findings = findings or find_phones(sample, hinted)
    if not findings and not hints - identifying:
        findings = find_accounts(sample, hinted)
    # Two cities look like names and addresses: here the column's name is believed.
    other = sample.has_few_values and bool(hints) and not identifying
    findings = findings or find_coordinates(sample, hinted)
    if not findings and not other:
        findings = find_addresses(sample, hinted)
    if not findings and not other:
        sure = any(hint.sure and hint.what == "name of a person" for hint in identifying)
        findings = find_persons(sample, hinted, sure=sure) or find_free_text(sample, hinted)
    # A postal code that differs in every row of a short table is no number of its record.
    if not findings and (hinted or not hints):
        findings = find_records(sample, column, hinted)
    return _merge_findings(named, findings, hinted)


def _merge_findings(
    named: tuple[Finding, ...], found: tuple[Finding, ...], hinted: frozenset[str]
) -> tuple[Finding, ...]:
    """Return the findings by name and by values, one a kind."""
    rest = list(named)
    joined = []
    for finding in found:
        same = next((other for other in rest if _is_same_kind(other.kind, finding.kind)), None)
        if same is not None:
            rest.remove(same)
            kind = _kind(same.kind, finding.kind)
            reasons = Reason("named", terms=(same.kind,)), *finding.reasons
            joined.append(Finding(kind, reasons, finding.share, "both", safe_harbor(kind)))
        elif finding.kind in hinted:
            reasons = Reason("hinted"), *finding.reasons
            joined.append(replace(finding, reasons=reasons, by="both"))
        else:
            joined.append(finding)
    order = sorted([*joined, *rest], key=lambda finding: (_RANK[finding.by], -finding.share))
    return tuple({finding.kind: finding for finding in reversed(order)}.values())[::-1]


def _is_same_kind(named: str, found: str) -> bool:
    return named == found or {named, found} <= CODES | {"UUID"}


def _kind(named: str, found: str) -> str:
    """Return the more telling of two kinds of number."""
    if found == "record number" or (
        found in {"national number", "UUID"} and named != "record number"
    ):
        return named
    return found
