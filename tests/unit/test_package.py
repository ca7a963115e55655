"""The package as a whole: its public names, what importing it costs, the size of its modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import kanonym

SOURCE = Path(kanonym.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))


def name_of(module: Path) -> str:
    """Return a module's path inside the package."""
    return str(module.relative_to(SOURCE))


PACKAGES = {"actions", "algorithms", "attacks", "audit", "engines", "hierarchy", "linked"}
PACKAGES |= {"metrics", "models", "series", "sets", "synthesis"}


@pytest.mark.parametrize("name", kanonym.__all__)
def test_public_name_resolves(name):
    """Every public name leads to the object of that name; few are modules."""
    value = getattr(kanonym, name)
    assert value.__name__.split(".")[-1] == name
    assert isinstance(value, ModuleType) == (name in PACKAGES)


def test_dir_lists_public_names_before_they_are_loaded():
    """`dir(kanonym)` lists every public name, loaded or not, and no other."""
    assert [name for name in dir(kanonym) if not name.startswith("__")] == sorted(kanonym.__all__)
    assert "Round" in dir(kanonym.actions)


def test_unknown_name_is_an_attribute_error():
    """A name that kanonym does not have is an AttributeError that says it."""
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        kanonym.anonymise  # noqa: B018


@pytest.mark.parametrize(
    "library", ["numba", "numpy", "polars", "pandas", "pyarrow", "pydantic", "altair", "typer"]
)
def test_import_loads_no_heavy_library(library):
    """`import kanonym` alone loads no library that takes time to load."""
    code = f"import sys, kanonym; sys.exit({library!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_modules_are_short():
    """No module is longer than 500 lines."""
    lengths = {name_of(one): len(one.read_text(encoding="utf-8").splitlines()) for one in MODULES}
    assert not {name: length for name, length in lengths.items() if length > 500}


def test_modules_are_named_for_what_they_hold():
    """No module and no folder has a name that fits anything."""
    drawers = {"utils", "misc", "core", "helpers", "common", "manager", "handler"}
    parts = {
        module: {part.strip("_") for part in module.relative_to(SOURCE).with_suffix("").parts}
        for module in MODULES
    }
    assert not [name_of(module) for module, some in parts.items() if some & drawers]
