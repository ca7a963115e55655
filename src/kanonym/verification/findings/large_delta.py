"""Find a δ that allows a mechanism to publish some records as they are.

1 / n would be the limit, but n is private: there are at least as many as were released.
"""

from __future__ import annotations

import math

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind

MOST_DELTA = 1e-4
"""A larger δ is found, whatever the size of the table."""


@finding_kind(
    "large-delta",
    "identity",
    "δ is a chance of 1 in {one_in}, and {released} records were released: such a δ allows a "
    "mechanism to publish some records as they are. Use 1e-6 or less.",
)
def large_delta(view: ReleaseView) -> Evidence:
    if view.mechanism is None:
        return
    delta, rows = view.mechanism.delta, view.checked.rows
    if delta > MOST_DELTA or delta * rows > 1:
        one_in = math.floor(1 / delta)
        message = (
            f"delta is a chance of 1 in {one_in:,}, and {rows:,} records were released: with "
            "such a delta, a mechanism may publish some records as they are. Use 1e-6 or less"
        )
        yield (), message, {"one_in": one_in, "released": rows}
