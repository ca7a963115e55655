"""Verify a release: ask its models again, look for findings, and judge the parts."""

from __future__ import annotations

import numpy as np

from kanonym.verification.finding import Finding
from kanonym.verification.findings import FINDINGS
from kanonym.verification.findings.dominant_value import largest_share
from kanonym.verification.parts import parts_of
from kanonym.verification.release_view import ReleaseView
from kanonym.verification.verdict import Verification


def verify_release(view: ReleaseView) -> Verification:
    """Return the verdict on a release, from its released values.

    Findings that show only beside the original come from the manifest, where one is given
    instead; without both, the verification names their kinds. Under differential privacy none of
    these is looked for.
    """
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
            findings += [one for one in view.recorded.findings if one.kind == kind.type]
        elif view.original is not None or not kind.needs_original:
            findings += kind.find(view)
        elif view.linked or not kind.linked:
            not_looked_for.append(kind.type)
    if not checked.rows:
        findings = [one for one in findings if one.kind == "no-records"]
    shares = [largest_share(name, one) for name, one in view.distributions.items()]
    return Verification(
        rows=checked.rows,
        n_classes=len(checked.classes.sizes),
        checks=checks,
        violating=checked.violating,
        n_violating=checked.n_violating,
        class_sizes=dict(zip(sizes.tolist(), numbers.tolist(), strict=True)),
        largest_shares=tuple(one for one in shares if one),
        findings=tuple(findings),
        parts=parts_of(
            checks, view.sensitive, view.persons, checked.rows, hides_refusals=view.hides_refusals
        ),
        not_looked_for=tuple(not_looked_for),
        text_columns=checked.text_columns,
    )
