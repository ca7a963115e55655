"""Libraries that only some need, installed as extras."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from kanonym.data.errors import DataError


@contextlib.contextmanager
def require_extra(extra: str) -> Iterator[None]:
    """Say what is missing where an import inside fails, and how to get it."""
    try:
        yield
    except ImportError as error:
        raise DataError(f"{error.name} is not installed; pip install 'kanonym[{extra}]'") from None
