"""Findings: why a release that satisfies its models may still not protect the people in it."""

from __future__ import annotations

import numpy as np

from kanonym.data.loading import LazyRegistry
from kanonym.verification.release_view import FindingKind, ReleaseView
from kanonym.verification.verdict import Finding, Verification, largest_share, parts_of

KINDS: LazyRegistry[FindingKind] = LazyRegistry(
    __name__,
    {
        kind.replace("_", "-"): f"{kind}:{kind}"
        for kind in (
            "repeated_identifier",
            "person_column",
            "repeated_persons",
            "batches_together",
            "unprotected_sensitive",
            "dominant_value",
            "near_values",
            "similar_values",
            "spellings",
            "shifted_distribution",
            "identifying_amount",
            "free_text",
            "dependent_column",
            "knowable_column",
            "copied_column",
            "date_intervals",
            "unshifted_dates",
            "long_list",
            "items_apart",
            "drawn_values",
            "trivial_model",
            "not_private",
            "unrecorded",
            "foreign_labels",
            "large_delta",
            "unread_parts",
            "no_records",
        )
    },
    "kanonym.findings",
)
"""Every kind by its name, that of its module and function, in the order in which they are told."""

FINDINGS: tuple[FindingKind, ...] = tuple(KINDS.values())
"""Every kind that is looked for in a release."""


def verify_release(view: ReleaseView) -> Verification:
    """Return the verdict on a release: findings beside a missing original are of its manifest."""
    checked = view.checked
    checks = checked.checks
    sizes, numbers = np.unique(checked.classes.sizes, return_counts=True)
    if view.recorded is not None:
        smallest = int(sizes[sizes > 0][:1].sum())  # ascending; 0 without a record
        checks = view.recorded.with_checks(checks, view.policy.models, smallest)
    findings: list[Finding] = []
    not_looked_for = []
    for kind in FINDINGS:
        if view.mechanism is not None and kind.rests_on_original:
            continue  # what is found beside the original depends on records that are not released
        if view.original is None and view.recorded is not None and kind.rests_on_original:
            findings += [finding for finding in view.recorded.findings if finding.kind == kind.type]
        elif view.original is not None or not kind.needs_original:
            findings += kind.find(view)
        elif view.linked or not kind.linked:
            not_looked_for.append(kind.type)
    if not checked.rows:
        findings = [finding for finding in findings if finding.kind == "no-records"]
    shares = [largest_share(name, one) for name, one in view.distributions.items()]
    return Verification(
        rows=checked.rows,
        n_classes=len(checked.classes.sizes),
        checks=checks,
        violating=checked.violating,
        n_violating=checked.n_violating,
        class_sizes=dict(zip(sizes.tolist(), numbers.tolist(), strict=True)),
        largest_shares=tuple(share for share in shares if share),
        findings=tuple(findings),
        parts=parts_of(
            checks,
            view.sensitive,
            view.persons,
            checked.rows,
            none_sensitive=view.policy.sensitive is not None,
            hides_refusals=view.hides_refusals,
        ),
        not_looked_for=tuple(not_looked_for),
        text_columns=checked.text_columns,
    )
