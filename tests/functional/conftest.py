"""The command line as tests call it: in this process, in a folder of its own."""

from __future__ import annotations

import io
import json
import re
import sys
from typing import NamedTuple

import pytest

from kanonym.cli import main

PATIENTS = """\
name,age,zip,sex,disease
Ada,23,01234,f,flu
Bob,25,01235,m,cold
Eve,28,01310,f,asthma
Dan,29,01311,m,flu
Kim,41,04555,f,cold
Lea,43,04556,f,flu
Max,47,04780,m,asthma
Ned,49,04781,m,cold
"""
POLICY = """\
version: 1
attributes:
  name:    {role: identifier}
  age:     {role: quasi-identifier}
  zip:     {role: quasi-identifier, hierarchy: masking}
  sex:     {role: quasi-identifier}
  disease: {role: sensitive}
rows: persons
models:
  - {type: k-anonymity, k: 2}
  - {type: l-diversity, attribute: disease, l: 2}
"""


class Outcome(NamedTuple):
    """How a command ended: exit code, standard output and standard error."""

    code: int
    out: bytes
    error: str

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.out.decode()

    @property
    def json(self) -> dict:
        """Standard output as the one JSON object that it must be."""
        return json.loads(self.out)


@pytest.fixture
def folder(tmp_path):
    """Return an empty folder with `patients.csv` and `policy.yaml` in it."""
    (tmp_path / "patients.csv").write_text(PATIENTS, "utf-8")
    (tmp_path / "policy.yaml").write_text(POLICY, "utf-8")
    return tmp_path


@pytest.fixture
def kanonym(folder, capfdbinary, monkeypatch):
    """Return a function that runs a command line in the folder, words separated by blanks."""
    monkeypatch.chdir(folder)

    def run(line: str, *more: str, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfdbinary.readouterr()
        with pytest.raises(SystemExit) as caught:
            main([*line.split(), *more])
        captured = capfdbinary.readouterr()
        return Outcome(caught.value.code or 0, captured.out, captured.err.decode())

    return run


@pytest.fixture
def refused(kanonym, folder):
    """Return a function that runs a command that must fail, and gives its error line.

    It must end with exit code 3 (1 where a requirement cannot be met) and one error on
    standard error, say nothing on standard output, show no traceback, and leave no file behind.
    """

    def run(line: str, *more: str, stdin: bytes = b"", expected: int = 3) -> str:
        before = sorted(folder.rglob("*"))
        code, out, error = kanonym(line, *more, stdin=stdin)
        parts = error.split("kanonym: ")
        # What is told on the way: of kernels, of hierarchies, and of the seconds on a slow machine.
        on_the_way = re.compile(r"compiling| built |^\w+ \(\d+ s\)$")
        told = [part for part in parts if part and not on_the_way.search(part.rstrip())]
        assert (code, out) == (expected, b"")
        assert len(told) == 1
        assert told[0].startswith("error: ")
        assert "Traceback" not in error
        left = sorted(one for one in folder.rglob("*") if one.suffix != ".lock")  # empty files
        assert left == before
        return told[0].removeprefix("error: ").strip()

    return run
