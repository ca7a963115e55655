"""Keys: named by a policy, held by the environment or a file, and shown by nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from kanonym.data.errors import PolicyError

LEAST_BYTES = 16
_MAKE = "`openssl rand -hex 32` makes one"


def check_source(action: str, source: object) -> None:
    """Refuse anything but `{env: NAME}` or `{file: path}`.

    The message does not repeat what was given: it may be the key.
    """
    if isinstance(source, Mapping) and len(source) == 1:
        ((kind, name),) = source.items()
        if kind == "env" and isinstance(name, str) and name:
            return
        if kind == "file" and isinstance(name, str | Path) and str(name):
            return
    raise PolicyError(
        f"{action}: key must be {{env: NAME}} or {{file: path}}; "
        "a policy never contains the key itself"
    )


def read_key(action: str, source: Mapping[str, str | Path]) -> bytes:
    """Return the key: the bytes of a file without the newline at its end, or a variable's."""
    ((kind, name),) = source.items()
    if kind == "env":
        where = f"the environment variable {name}"
        text = os.environ.get(str(name))
        if text is None:
            raise PolicyError(f"{action}: {where} is not set; put the key there ({_MAKE})")
        key = os.fsencode(text)
    else:
        where = f"the key file {name}"
        try:
            key = Path(name).read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise PolicyError(f"{action}: {where} cannot be read: {reason}") from None
    key = key.rstrip(b"\r\n")
    if len(key) < LEAST_BYTES:
        raise PolicyError(
            f"{action}: {where} holds fewer than {LEAST_BYTES} bytes, so the key can be guessed; "
            f"use a longer one ({_MAKE})"
        )
    return key
