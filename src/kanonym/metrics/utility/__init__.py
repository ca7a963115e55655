"""What a release lost, and what it is still good for."""

from __future__ import annotations

from kanonym.metrics.utility.release import Utility, measure_utility

__all__ = ["Utility", "measure_utility"]
