"""Attacks on a report with nothing but its files: subtract, and search for what labels hide.

The checkers read the files with the standard library and share no code with kanonym.
"""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

import kanonym as ka

K = 5
FORMS = ("html", "md", "json")
EXTREME_AGE, EXTREME_INCOME = 117.5, 98_765_432.5
CANARIES = ("117.5", "117", "118", "98765432", "98,765,432", "98765433", "9.87e", "9.88e", "Zzyzx")


class Tables(HTMLParser):
    """Reads every table of a page as rows of texts, and every text of its charts."""

    def __init__(self):
        super().__init__()
        self.tables, self.drawn, self._cell, self._svg = [], [], None, 0

    def handle_starttag(self, tag, _attrs):
        """Open a table, a row, a cell or a chart."""
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self._cell = []
        elif tag == "svg":
            self._svg += 1

    def handle_endtag(self, tag):
        """Close a cell or a chart."""
        if tag in {"td", "th"}:
            self.tables[-1][-1].append(" ".join("".join(self._cell).split()))
            self._cell = None
        elif tag == "svg":
            self._svg -= 1

    def handle_data(self, data):
        """Keep the text of a cell or a chart."""
        if self._cell is not None:
            self._cell.append(data)
        if self._svg and data.strip():
            self.drawn.append(data.strip())


def records(seed, odd_age=EXTREME_AGE, odd_town="Zzyzx"):
    """Return a table in which one record cannot but be suppressed."""
    random = np.random.default_rng(seed)
    n = 300
    towns = random.choice(["Bern", "Chur", "Arosa"], n - 1).tolist()
    ages = random.integers(20, 60, n - 1).astype(float).tolist()
    return pl.DataFrame(
        {
            "age": [*ages, odd_age],
            "town": [*towns, odd_town],
            "income": [*random.integers(10, 60, n - 1).astype(float) * 100, EXTREME_INCOME],
            "ill": random.choice(["flu", "gout", "cold"], n).tolist(),
        }
    )


def suppressing(table, folder, name, **known):
    """Release the table at fixed levels, and write its report in every form."""
    policy = ka.Policy(
        attributes={
            "age": ka.QuasiIdentifier(hierarchy=ka.hierarchy.intervals(bounds=[[30, 40, 50, 60]])),
            "town": ka.QuasiIdentifier(),
            "income": ka.Insensitive(),
            "ill": ka.Sensitive(),
        },
        models=[ka.KAnonymity(K)],
        algorithm=ka.FullDomain(levels={"age": 1, "town": 0}),
        suppression_limit=0.1,
    )
    release = ka.anonymize(table, policy)
    for form in FORMS:
        release.report(folder / f"{name}.{form}", **known)
    return release


def bars_of(text):
    """Return (before, after) of every bar of a report in JSON."""
    return [
        (label, before, after)
        for one in json.loads(text)["marginals"]
        for label, before, after in zip(one["labels"], one["before"], one["after"], strict=True)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_no_subtraction_gives_a_suppressed_record(tmp_path, seed):
    """Bars before and after differ by no fewer than k records, and count no suppressed one."""
    release = suppressing(records(seed), tmp_path, "r")
    assert release.suppressed >= 1
    bars = bars_of((tmp_path / "r.json").read_text())
    assert bars
    assert not [bar for bar in bars if bar[1] % K or bar[2] % K or 0 < abs(bar[1] - bar[2]) < K]
    page = Tables()
    page.feed((tmp_path / "r.html").read_text())
    shown = [table for table in page.tables if table[0][1:] == ["before", "after"]]
    assert len(shown) == 2
    for _, *rows in shown:
        for _, before, after in rows:
            assert int(before.replace(",", "")) % K == int(after.replace(",", "")) % K == 0


@pytest.mark.parametrize("form", FORMS)
def test_the_values_of_suppressed_records_change_nothing(tmp_path, form):
    """Two tables that differ in what was suppressed alone have the same report."""
    written = []
    for i, table in enumerate((records(0), records(0, odd_age=64.0, odd_town="Aarau"))):
        suppressing(table, tmp_path, f"r{i}")
        text = (tmp_path / f"r{i}.{form}").read_text()
        text = re.sub(r"[0-9a-f]{64}", "", text)
        written.append(re.sub(r'"seconds": .*|\|? ?seconds.*|<td.*encode \d.*', "", text))
    assert written[0] == written[1]


@pytest.mark.parametrize("form", FORMS)
def test_what_is_measured_on_both_tables_does_not_tell_either(tmp_path, form):
    """With attacks, assessment and profile handed over, no canary stands in a report."""
    table = records(1)
    release = suppressing(table, tmp_path, "plain")
    assessed = ka.assess(table, release)
    known = {
        "risk": assessed.risk,
        "utility": assessed.utility,
        "attacks": ka.attack(table, release),
        "profile": ka.profile(table),
    }
    release.report(tmp_path / f"r.{form}", **known)
    text = html.unescape((tmp_path / f"r.{form}").read_text())
    text = re.sub(r"[0-9a-f]{64}", "", text)
    if form == "html":
        page = Tables()
        page.feed(text)
        text = " ".join(
            [*page.drawn, *(cell for rows in page.tables for row in rows for cell in row)]
        )
    for canary in CANARIES:
        assert not re.search(rf"(?<![\d.]){re.escape(canary)}(?!\d)", text), canary


@pytest.mark.parametrize("form", FORMS)
def test_no_axis_goes_beyond_the_labels(tmp_path, form):
    """An open-ended label is drawn to the edge of the axis, wherever its extreme value lies."""
    random = np.random.default_rng(2)
    n = 400
    incomes = random.integers(10, 60, n).astype(float) * 100
    incomes[0] = EXTREME_INCOME
    ages = random.integers(20, 90, n).astype(float)
    ages[ages.argmax()] = EXTREME_AGE
    bounds = {"age": [30, 40, 50, 60], "income": [2000, 3000, 4000]}
    release = ka.anonymize(
        pl.DataFrame({"age": ages, "income": incomes}),
        ka.Policy(
            attributes={
                name: ka.QuasiIdentifier(hierarchy=ka.hierarchy.intervals(bounds=[own]))
                for name, own in bounds.items()
            },
            models=[ka.KAnonymity(K)],
            algorithm=ka.FullDomain(levels={"age": 1, "income": 1}),
        ),
    )
    release.report(tmp_path / f"r.{form}")
    text = (tmp_path / f"r.{form}").read_text()
    if form == "html":
        page = Tables()
        page.feed(text)
        ticks = [float(one.replace(",", "")) for one in page.drawn if re.fullmatch(r"[\d,.]+", one)]
        assert ticks
        assert max(ticks) <= max(bounds["income"])
    elif form == "json":
        (shown,) = json.loads(text)["maps"]
        for axis, first in ((shown["x"], 0), (shown["y"], 2)):
            low, high = min(bounds[axis["name"]]), max(bounds[axis["name"]])
            ends = [end for one in shown["rectangles"] for end in one[first : first + 2]]
            assert low - 0.1 * (high - low) - 1 <= min(ends)
            assert max(ends) <= high + 0.1 * (high - low) + 1
    for canary in CANARIES:
        assert not re.search(
            rf"(?<![\d.]){re.escape(canary)}(?!\d)", re.sub(r"[0-9a-f]{64}|<svg.*?</svg>", "", text)
        ), canary
