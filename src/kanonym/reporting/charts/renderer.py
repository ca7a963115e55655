"""The chart library: a specification in, SVG or PNG out, and no panic of its own.

Charts are XML, which forbids some characters: the library aborts on them. They are replaced
before it sees them, and whatever else makes it panic ends as an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import vl_convert

from kanonym.data.errors import DataError
from kanonym.reporting.printable import printable

SHARPNESS = 2.0  # pixels of a PNG for one of the SVG
Drawn = TypeVar("Drawn")


def to_svg(spec: dict[str, Any], **options: Any) -> str:
    """Draw a Vega-Lite specification as SVG."""
    return _call_safely(lambda: str(vl_convert.vegalite_to_svg(_printable_parts(spec), **options)))


def to_png(spec: dict[str, Any], **options: Any) -> bytes:
    """Draw a Vega-Lite specification as PNG."""
    return _call_safely(
        lambda: bytes(
            vl_convert.vegalite_to_png(_printable_parts(spec), scale=SHARPNESS, **options)
        )
    )


def _call_safely(draw: Callable[[], Drawn]) -> Drawn:
    try:
        return draw()
    except (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of Rust is no Exception
        last = printable(str(error)).strip().splitlines()[:1] or [type(error).__name__]
        raise DataError(f"the chart library could not draw it: {last[0][:200]}") from None


def _printable_parts(part: Any) -> Any:
    """Return a copy of a specification whose texts are printable."""
    if isinstance(part, str):
        return printable(part)
    if isinstance(part, dict):
        return {printable(str(key)): _printable_parts(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_printable_parts(value) for value in part]
    return part
