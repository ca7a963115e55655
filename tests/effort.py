"""How many examples a law draws: a tenth by default, twice as many in the nightly run."""

from __future__ import annotations

from hypothesis import settings

FEWEST = 4
NIGHTLY = settings.default.max_examples > 100
"""Whether this is the nightly run, which takes whole tables and every combination."""


def examples(number):
    """Return the share of a number of examples that the current profile asks for.

    The profile's `max_examples` is the share, in percent: 10 by default, 200 at night.
    """
    return max(FEWEST, number * settings.default.max_examples // 100)
