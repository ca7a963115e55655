"""The file of a fitted recoding: JSON that people can read, refused once it was changed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kanonym.data import files
from kanonym.data.errors import DataError
from kanonym.data.files.disk import decode, read_bytes
from kanonym.policy import Policy

KIND = "fitted recoding"
VERSION = 1


def document_text(content: Mapping[str, Any]) -> str:
    """Return the text of a file: what it is, the content, and the SHA-256 of both."""
    # Through JSON and back: what is hashed is what will be read.
    plain = json.loads(json.dumps({"kanonym": KIND, "version": VERSION, **content}))
    lines = [f"{_key(name)}{_lay_out(value, 1)}" for name, value in plain.items()]
    lines.append(f'{_key("sha256")}"{_digest(plain)}"')
    return "{\n" + ",\n".join(f" {line}" for line in lines) + "\n}\n"


def save(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write a file, whole or not at all.

    Raises
    ------
    DataError
        It cannot be written.

    """
    files.write_text(path, document_text(content))


def load(path: str | Path) -> dict[str, Any]:
    """Return the content of a file.

    Raises
    ------
    DataError
        It cannot be read, is no fitted recoding, is one of a later version, or was changed
        since it was written.

    """
    text = decode(read_bytes(path), str(path))
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("kanonym") != KIND:
        raise DataError(f"{path} is not a recoding that `kanonym fit` has written")
    if content.get("version") != VERSION:
        raise DataError(
            f"{path} is of version {content.get('version')!r}; this kanonym reads {VERSION}: "
            "use the kanonym that wrote it, or fit again"
        )
    if content.pop("sha256", None) != _digest(content):
        raise DataError(
            f"{path} was changed since kanonym wrote it: its SHA-256 is another one. "
            "Take it from a copy, or fit again"
        )
    return content


def _digest(content: Mapping[str, Any]) -> str:
    compact = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(compact.encode()).hexdigest()


def _lay_out(value: Any, depth: int) -> str:
    """Return JSON with a line for each part of the first levels, and for each class or row."""
    if depth > 3 or not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = " " * (depth + 1)
    if isinstance(value, dict):
        parts = [f"{_key(name)}{_lay_out(one, depth + 1)}" for name, one in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + "\n" + " " * depth + "}"
    if not isinstance(value[0], dict | list):
        return json.dumps(value, ensure_ascii=False)
    parts = [json.dumps(one, ensure_ascii=False) for one in value]
    return "[\n" + ",\n".join(inner + part for part in parts) + "\n" + " " * depth + "]"


def _key(name: str) -> str:
    return f"{json.dumps(name, ensure_ascii=False)}: "


def policy_of(form: Mapping[str, Any], path: str | Path) -> Policy:
    """Return the policy of a file; files that it names are relative to the file's folder."""
    return Policy.from_text(json.dumps(form), Path(path).parent, source=str(path))


def rebase_form(form: Mapping[str, Any], path: str | Path) -> dict[str, Any]:
    """Return a policy's form with its files relative to the folder of a path.

    Keys and mappings of actions are all: hierarchies are in the form.
    """
    folder = Path(path).resolve().parent
    attributes = {
        name: {**one, "action": [_rebase_action(action, folder) for action in one["action"]]}
        if one.get("action")
        else one
        for name, one in form["attributes"].items()
    }
    return {**form, "attributes": attributes}


def _rebase_action(action: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the form of an action."""
    given = dict(action)
    key = given.get("key")
    if isinstance(key, Mapping) and "file" in key:
        given["key"] = {**key, "file": _relative_path(folder, key["file"])}
    if "mapping" in given:
        given["mapping"] = _relative_path(folder, given["mapping"])
    return given


def _relative_path(folder: Path, file: str) -> str:
    """Return a file as seen from a folder; one on another drive keeps its whole path."""
    own = Path(file)
    if not own.is_absolute():
        own = own.resolve()
        with contextlib.suppress(ValueError):
            own = Path(os.path.relpath(own, folder))
    return str(own)
