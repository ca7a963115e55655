"""How likely a person is re-identified."""

from __future__ import annotations

from kanonym.metrics.risk.sizes import Risk

__all__ = ["Risk"]
