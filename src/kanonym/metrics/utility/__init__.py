"""What a release lost, and what it is still good for."""

from __future__ import annotations

from kanonym.metrics.utility.release import Utility, coverages, measure_utility

__all__ = ["Utility", "coverages", "measure_utility"]
