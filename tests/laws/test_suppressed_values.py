"""What a suppressed person's values are changes nothing that is published of a release."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.cli import main

POLICY = """\
version: 1
attributes:
  name: {{role: identifier}}
  age:  {{role: quasi-identifier{age}}}
  town: {{role: quasi-identifier}}
  income: {{role: insensitive}}
  note: {{role: insensitive}}
  ill:  {{role: sensitive}}
models:
  - {{type: k-anonymity, k: 5}}
{models}
suppression_limit: 0.1
seed: 7
{algorithm}
"""
LEVELS = ", hierarchy: {intervals: {width: [20, 40], origin: 0}}"
ALGORITHMS = {
    "full-domain": (LEVELS, "algorithm: {type: full-domain, levels: {town: 0}}"),
    "entropy": (LEVELS, "algorithm: {type: full-domain, metric: non-uniform-entropy}"),
    "mondrian": ("", "algorithm: {type: mondrian}"),
    "local-recoding": (LEVELS, "algorithm: {type: local-recoding}"),
}
ODD = {
    "first": {"name": "p7", "age": 117, "town": "Zzyzx", "income": 98_765, "ill": "plague"},
    "another value": {"name": "q", "age": 119, "town": "Ypres", "income": 7, "ill": "scurvy"},
    "a common town": {"name": "n", "age": 118, "town": "Bern", "income": 20, "ill": "cold"},
    "one of others": {"name": "p9", "age": 117, "town": "Zzyzx", "income": 20, "ill": "flu"},
    "one of theirs": {"name": "z", "age": 117, "town": "Zzyzx", "income": 98_765, "ill": "plaguE"},
}


def people(odd):
    """Return records of which the last cannot but be suppressed."""
    random = np.random.default_rng(3)
    n = 150
    rows = {
        "name": [f"p{i}" for i in range(n - 1)],
        "age": random.integers(20, 60, n - 1).tolist(),
        "town": random.choice(["Bern", "Chur", "Arosa"], n - 1).tolist(),
        "income": random.integers(10, 60, n - 1).tolist(),
        "note": random.choice(["a", "b"], n - 1).tolist(),
        "ill": random.choice(["flu", "gout", "cold", "gout"], n - 1).tolist(),
    }
    last = {"note": "b", **odd}
    return pl.DataFrame({name: [*values, last[name]] for name, values in rows.items()})


def policy_text(algorithm, models=""):
    """Return a policy file."""
    age, text = ALGORITHMS[algorithm]
    return POLICY.format(age=age, algorithm=text, models=models)


def without_hashes_and_seconds(text):
    """Return a text without hashes of files and measured times."""
    text = re.sub(r"[0-9a-f]{64}", "", text)
    text = re.sub(r'"seconds": \{[^}]*\}', "", text)
    text = re.sub(r"encode \d[\d.]*, algorithm [^<|]*", "", text)
    text = re.sub(r"\d+\.\d+ s\b|\b\d+(\.\d+)? m?s\b", "", text)
    return re.sub(r"(?m)^kanonym: .*\(\)\n", "", text)  # a stage that took long


def published(folder, table, form, line, capfd):
    """Run a command on a table; return everything that it wrote and printed, and its exit code."""
    folder.mkdir()
    here = Path.cwd()
    try:
        import os

        os.chdir(folder)
        Path("p.yaml").write_text(Path("../p.yaml").read_text())
        ka.write_table(table, f"in.{form}")
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(line.split())
        printed = capfd.readouterr()
    finally:
        os.chdir(here)
    texts = {"exit code": ended.value.code or 0, "out": printed.out, "err": printed.err}
    for path in sorted(folder.iterdir()):
        if path.name not in (f"in.{form}", "p.yaml"):
            texts[path.name] = path.read_bytes().decode("utf-8", "replace")
    return {
        name: text if isinstance(text, int) else without_hashes_and_seconds(text)
        for name, text in texts.items()
    }


@pytest.mark.parametrize(
    ("algorithm", "models"),
    [
        ("full-domain", ""),
        ("full-domain", "  - {type: t-closeness, attribute: ill, t: 0.5}"),
        ("entropy", ""),
        ("mondrian", ""),
        ("local-recoding", ""),
    ],
)
def test_everything_published_is_the_same(tmp_path, capfd, algorithm, models):
    """Release, manifest, reports, what is printed and logged, and the exit code."""
    (tmp_path / "p.yaml").write_text(policy_text(algorithm, models))
    line = (
        "anonymize in.csv --policy p.yaml -o out.csv --manifest m.json --report r.html "
        "--report r.md --report r.json --json -vv"
    )
    found = {
        name: published(tmp_path / str(i), people(odd), "csv", line, capfd)
        for i, (name, odd) in enumerate(ODD.items())
    }
    first = found["first"]
    assert first["exit code"] == 0
    assert re.search(r'"suppressed": [1-9]', first["m.json"])
    for name, one in found.items():
        for part, text in one.items():
            assert text == first[part], (name, part)
