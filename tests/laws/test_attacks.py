"""Laws of every attack on random small tables, whatever is in them."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kanonym as ka
from conftest import FRAMES
from effort import examples
from kanonym.evaluation.attacks import ATTACKS
from releases import KINDS, SOURCES, policy_of, tables, typed

KNOWN = list(KINDS)
TRIED = settings(
    max_examples=examples(15),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
# What is drawn depends on the order of released records.
BY_ORDER = {"singling-out"}
OF_SETS = {"known-items"}  # these tables have none


def table_of(draw):
    """Draw a table of at least one record, without its column of numbers in order."""
    columns = draw(tables().filter(lambda one: len(one["s"]) > 0))
    return typed(columns).drop("id")


@st.composite
def scenes(draw):
    """Draw an original, a release of it by Mondrian with any recoding, and a control."""
    table = table_of(draw)
    k = draw(st.integers(1, min(len(table), 5)))
    trees = draw(st.booleans())
    attributes = {name: ka.QuasiIdentifier(SOURCES[name] if trees else None) for name in KNOWN}
    attributes["s"] = ka.Sensitive()
    asked = policy_of(
        attributes, [ka.KAnonymity(k)], ka.Mondrian(), recoding="hierarchy" if trees else None
    )
    return table, ka.anonymize(table, asked), table_of(draw) if draw(st.booleans()) else None


@TRIED
@given(scenes())
def test_every_outcome_is_one(scene):
    """Rate, chance, risk and interval lie in [0, 1], the risk in its interval, and JSON holds."""
    table, release, control = scene
    for one in ka.attack(table, release, control=control, second=release, attempts=50).results:
        low, high = one.interval
        assert 0 <= low <= one.risk + 1e-12
        assert one.risk - 1e-12 <= high <= 1
        for counted in (one.targets, one.baseline, *([one.control] if one.control else [])):
            assert 0 <= counted.successes <= counted.attempts + 1e-9
        assert (one.targets.attempts == 0) == (one.reason is not None)
        assert one.risk == 0 or one.targets.rate > one.chance.rate
        assert high > 0 or one.reason is not None or one.targets.exact


@TRIED
@given(scenes())
def test_what_is_suppressed_gives_nothing_away(scene):
    """Where every cell of the release is suppressed, no attack is better than chance."""
    table, _, control = scene
    release = table.with_columns(pl.lit("*").alias(name) for name in KNOWN)
    # Of other people than these, a guess for everybody may be right less often.
    same = None if control is None else table
    asked = {"quasi_identifiers": KNOWN, "control": same, "attempts": 10**6, "aligned": True}
    persons = ka.attack(table.select(KNOWN), release.select(KNOWN), **asked)
    values = ka.attack(
        table,
        release,
        sensitive=["s"],
        second=release,
        attacks=[name for name in ATTACKS if name != "singling-out"],
        **asked,
    )
    for one in (*persons.results, *values.results):
        assert one.risk <= 1e-9, one.type


@TRIED
@given(scenes(), st.randoms(use_true_random=False))
def test_order_of_records_does_not_matter(scene, random):
    """Of a shuffled release every attack has the rate that it has of the release."""
    table, release, control = scene
    order = list(range(len(release.frame)))
    random.shuffle(order)
    found, other = (
        ka.attack(table, one, release.policy, control=control, aligned=False, attempts=10**6)
        for one in (release.frame, release.frame[order])
    )
    for name in set(ATTACKS) - BY_ORDER - OF_SETS:
        assert found[name].targets.rate == pytest.approx(other[name].targets.rate), name
        assert found[name].risk == pytest.approx(other[name].risk), name


@settings(TRIED, max_examples=examples(6))
@given(scenes())
def test_every_library_gives_the_same(scene):
    """The same tables have the same outcomes in every frame library."""
    table, release, _ = scene
    asked = {"quasi_identifiers": KNOWN, "sensitive": ["s"], "attempts": 50}
    frame = release.frame
    # A column of nulls alone has no type in other libraries, and pandas holds whole numbers
    # with nulls as floats: of these, [4, 6) goes up to 6, of whole numbers to 5.
    columns = [one for part in (table, frame) for one in part.get_columns()]
    if any(one.null_count() == len(one) for one in columns):
        return
    if any(one.dtype.is_integer() and one.null_count() for one in columns):
        return
    expected = ka.attack(table, frame, **asked)
    for make in FRAMES.values():
        made = (make(part.to_dict(as_series=False)) for part in (table, frame))
        assert ka.attack(*made, **asked) == expected


@TRIED
@given(scenes())
def test_the_original_as_its_own_control_leaves_no_risk(scene):
    """Of people who are the same, attacks on values and membership succeed as often."""
    table, release, _ = scene
    asked = [
        "inference", "homogeneity", "background-knowledge", "skewness",
        "similarity",
    ]  # fmt: skip
    found = ka.attack(table, release, control=table, attempts=10**6, attacks=asked)
    for one in found.results:
        if one.control is not None:
            assert one.control.rate == pytest.approx(one.targets.rate), one.type
        assert one.risk <= 1e-9
