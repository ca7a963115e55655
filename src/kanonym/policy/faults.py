"""Faults of a policy, with the place and the nearest right name."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from pydantic import ValidationError

from kanonym.data.errors import KanonymError, PolicyError, shown_value

LISTING = {"hierarchy": ("mapping", "order"), "action": ("matrix", "values")}
"""The keys of hierarchies and actions that list values of a table."""


def without_values(policy: Mapping[str, Any]) -> dict[str, Any]:
    """Return a policy with the SHA-256 of the values that its hierarchies and actions list."""

    def hash_values(form: Any, listing: Sequence[str]) -> Any:
        if isinstance(form, list | tuple):
            return [hash_values(part, listing) for part in form]
        if not isinstance(form, Mapping):
            return form
        return {
            name: {"sha256": sha256(json.dumps(part).encode()).hexdigest()}
            if name in listing
            else hash_values(part, listing)
            for name, part in form.items()
        }

    attributes = {
        name: {
            key: hash_values(part, LISTING[key]) if key in LISTING else part
            for key, part in attribute.items()
            if part is not None
        }
        for name, attribute in policy.get("attributes", {}).items()
    }
    return {**policy, "attributes": attributes}


def policy_hash(form: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a policy's form without values, as JSON with sorted keys."""
    text = json.dumps(without_values(form), sort_keys=True, ensure_ascii=False, default=str)
    return sha256(text.encode()).hexdigest()


Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: where, and why."""

    path: Path
    reason: str

    def __str__(self) -> str:
        """Return `models[1].l: reason`."""
        where = "".join(f"[{key}]" if type(key) is int else f".{key}" for key in self.path)
        return f"{where.removeprefix('.')}: {self.reason}" if where else self.reason

    def below(self, path: Path) -> Fault:
        """Return the fault as seen from higher up."""
        return Fault((*path, *self.path), self.reason)


class FaultsFoundError(Exception):
    """Several faults at once, on their way to the `PolicyError` that lists them."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = list(faults)
        super().__init__(*map(str, self.faults))


class Faults(list[Fault]):
    """Faults that are gathered, to be raised together."""

    @contextmanager
    def below(self, *path: str | int) -> Iterator[None]:
        """Add the faults that are found below a path."""
        try:
            yield
        except FaultsFoundError as error:
            self.extend(fault.below(path) for fault in error.faults)

    def raise_all(self) -> None:
        """Raise the faults, if there are any."""
        if self:
            raise FaultsFoundError(self)


def policy_error(faults: Sequence[Fault], source: str) -> PolicyError:
    """Return the error that lists all faults of a policy, one a line, each once."""
    texts = list(dict.fromkeys(map(str, faults)))
    start = f"{source}: " if source else ""
    if len(texts) == 1:
        return PolicyError(start + texts[0])
    return PolicyError("\n  ".join([f"{start}{len(texts)} faults", *texts]))


def raise_together(checks: Iterable[Callable[[], object]]) -> None:
    """Carry out all checks, and raise what they find: one error as it is, several in a list."""
    errors: list[KanonymError] = []
    for check in checks:
        try:
            check()
        except KanonymError as error:
            errors.append(error)
    if len({str(error) for error in errors}) == 1:
        raise errors[0]
    if errors:
        raise policy_error([Fault((), str(error)) for error in errors], "")


def faults_of(error: ValidationError, known: Sequence[str]) -> list[Fault]:
    """Translate what pydantic found into faults; `known` are the keys it could have met."""
    faults: list[Fault] = []
    for entry in error.errors(include_url=False):
        context, kind, given = entry.get("ctx", {}), entry["type"], entry["input"]
        if "faults" in context:
            faults += [fault.below(entry["loc"]) for fault in context["faults"]]
            continue
        if kind == "extra_forbidden":
            reason = unknown_name("key", entry["loc"][-1], known)
        elif kind == "missing":
            reason = "is missing"
        elif kind in ("literal_error", "enum") and isinstance(given, str):
            allowed = context["expected"].replace(" or ", ", ").replace("'", "").split(", ")
            reason = unknown_name("value", given, allowed)
        else:
            must = entry["msg"].replace("Input should be", "must be", 1)
            reason = f"{must}, not {shown_value(given)}"
        faults.append(Fault(entry["loc"], reason))
    return faults


def unknown_name(what: str, name: object, allowed: Iterable[str]) -> str:
    """Say that a name is none of the allowed ones, and which one was probably meant."""
    allowed = [str(entry) for entry in allowed]
    near = difflib.get_close_matches(str(name), allowed, n=1)
    guess = f"; did you mean {near[0]!r}?" if near else ""
    return f"{name!r} is an unknown {what}{guess} (known: {', '.join(allowed)})"
