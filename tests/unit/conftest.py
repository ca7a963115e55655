"""Settings of the unit tests."""

from __future__ import annotations

from hypothesis import settings

# The first example of a law may compile a kernel: time is measured in benches, not here.
settings.register_profile("kanonym", deadline=None)
settings.load_profile("kanonym")
