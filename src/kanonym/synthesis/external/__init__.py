"""Synthesizers of other libraries, which may be absent; each loads its library when it learns."""

from __future__ import annotations

from kanonym.synthesis.external.sdv import SDV
from kanonym.synthesis.external.smartnoise import SmartNoise

LIBRARIES: dict[str, type[SDV | SmartNoise]] = {"sdv": SDV, "smartnoise": SmartNoise}
"""Every library by the name that stands before the colon, as in `sdv:tvae`."""

__all__ = ["LIBRARIES", "SDV", "SmartNoise"]
