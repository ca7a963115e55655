"""Find classes that are nearly all one value."""

from __future__ import annotations

import numpy as np

from kanonym.data.partition import Distribution
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import NEARLY_ALL

USUAL_T = 0.2
"""The t that a message names: what papers on t-closeness commonly take."""


@finding_kind(
    "dominant-value",
    "attributes",
    "In {classes} of the classes, with {records} of the records, nearly all records share one "
    "value of “{columns}”, up to {share}: there it is as good as known.",
)
def dominant_value(view: ReleaseView) -> Evidence:
    for name in view.sensitive:
        shares, sizes, n_classes = view.dominated_classes(name)
        if not len(shares):
            continue
        classes, records, share = len(shares), int(sizes.sum()), float(shares.max())
        percent = "100 %" if share == 1 else f"{min(100 * share, 99.9):.1f} %"
        message = (
            f"{name}: in {classes:,} of {n_classes:,} classes ({records:,} {view.unit}) "
            f"at least {NEARLY_ALL:.0%} share one value, up to {percent}: it is "
            f"practically known for everybody there. Require t-closeness of it (t {USUAL_T}, say)"
        )
        own = view.distributions.get(name)  # of linked tables only the persons' own are there
        if own is not None and (entropy := _entropy_l(own)) > 1:
            message += f", or entropy l-diversity of less than {entropy:.2f}; both cost detail"
        yield [name], message, {"share": share, "classes": classes, "records": records}


def _entropy_l(distribution: Distribution) -> float:
    """Return the entropy l of all records as one class, which no release exceeds, rounded down."""
    counts = np.bincount(distribution.values, distribution.counts)
    shares = counts[counts > 0] / max(counts.sum(), 1)
    return float(np.floor(100 * np.exp(-(shares @ np.log(shares)))) / 100)
