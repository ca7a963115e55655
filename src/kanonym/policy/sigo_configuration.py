"""SIGO's configuration file: what its flags say, in YAML."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kanonym.data.errors import PolicyError
from kanonym.policy.document import parse_value, read_text
from kanonym.policy.faults import Fault, policy_error, unknown_name

KEYS = ("version", "kAnonymity", "lDiversity", "sensitives", "aggregation", "rules")


@dataclass(frozen=True, slots=True)
class SigoConfiguration:
    """What a configuration says; None where it is silent."""

    k: int | None = None
    l: int | None = None
    sensitive: tuple[str, ...] | None = None
    method: str | None = None
    quasi_identifiers: tuple[str, ...] | None = None


def sigo_configuration(path: Path) -> SigoConfiguration:
    """Read a configuration file of SIGO."""
    if not path.is_file():
        raise PolicyError(f"{path}: no such configuration file")
    form = parse_value(read_text(path), str(path))
    if not isinstance(form, dict):
        raise PolicyError(f"{path}: a configuration is a mapping of {', '.join(KEYS)}")
    faults = [Fault((), unknown_name("key", key, KEYS)) for key in form if key not in KEYS]
    k = _integer(form, "kAnonymity", 1, faults)
    l = _integer(form, "lDiversity", 0, faults)
    method = form.get("aggregation")
    if method is not None and not isinstance(method, str):
        faults.append(Fault(("aggregation",), "must be the name of a method"))
    sensitive = _names(form, "sensitives", form.get("sensitives"), faults)
    rules = form.get("rules")
    if isinstance(rules, list):
        rules = [rule.get("name") if isinstance(rule, dict) else rule for rule in rules]
    known = _names(form, "rules", rules, faults)
    if faults:
        raise policy_error(faults, str(path))
    return SigoConfiguration(k, l, sensitive, method, known)


def _integer(form: dict[Any, Any], key: str, least: int, faults: list[Fault]) -> int | None:
    value = form.get(key)
    if value is None or (type(value) is int and value >= least):
        return value
    faults.append(Fault((key,), f"must be an integer of at least {least}, not {value!r}"))
    return None


def _names(
    form: dict[Any, Any], key: str, names: Any, faults: list[Fault]
) -> tuple[str, ...] | None:
    if form.get(key) is None:
        return None
    if isinstance(names, list) and all(isinstance(name, str) and name for name in names):
        return tuple(names)
    each = "entries `name: column`" if key == "rules" else "column names"
    faults.append(Fault((key,), f"must be a list of {each}"))
    return None
