"""What results show of themselves when they are printed, pickled or end a notebook's cell."""

from __future__ import annotations

import copy
import pickle
import re
from functools import partial

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.results import Result, ResultTable

N = 60
PEOPLE = pl.DataFrame(
    {
        "age": [7000 + place for place in range(N)],
        "zip": [f"ZIP{place:03d}" for place in range(N)],
        "pay": [f"PAY{place % 7}" for place in range(N)],
    }
)
ASKED = {"quasi_identifiers": ["age", "zip"], "sensitive": ["pay"]}
RAW = re.compile(r"70\d\d|ZIP\d|PAY\d|array\(|shape:|Series")


@pytest.fixture(scope="module")
def release():
    """Return a release of the people, of which some are suppressed."""
    table = pl.concat([PEOPLE, pl.DataFrame({"age": [99999], "zip": ["ZIP999"], "pay": ["PAY0"]})])
    policy = ka.Policy.from_columns(**ASKED, k=5, l=2, suppression_limit=0.1)
    return ka.anonymize(table, policy)


RESULTS = {
    "release": lambda release: release,
    "decision": lambda release: release.decision,
    "encoded table": lambda release: release.decision.table,
    "domain": lambda release: release.decision.table.domains[0],
    "partition": lambda release: release.decision.partition,
    "recoded attribute": lambda release: release.decision.recoded[0],
    "verification": lambda release: release.verification,
    "violated verification": lambda _: ka.verify(PEOPLE, ka.Policy.from_columns(**ASKED, k=2)),
    "utility": lambda release: release.utility,
    "risk": lambda release: release.risk,
    "attacks": lambda release: ka.attack(PEOPLE, release.frame, policy=release.policy),
    "attack": lambda release: ka.attack(PEOPLE, release.frame, policy=release.policy).results[0],
    "comparison": lambda _: ka.compare(PEOPLE, **ASKED, sweep={"k": [2, 3]}),
    "assessment": lambda release: ka.assess(PEOPLE, release.frame, policy=release.policy),
    "table risk": lambda _: ka.risk(PEOPLE, **ASKED),
    "measurement": lambda _: ka.measure(PEOPLE, **ASKED),
    "profile": lambda _: ka.profile(PEOPLE),
    "fitted": lambda _: ka.fit(PEOPLE, **ASKED, k=5),
    "batch": lambda _: ka.fit(PEOPLE, **ASKED, k=5).apply(PEOPLE),
    "injection": lambda _: ka.inject(
        PEOPLE.select("age", "pay"), quasi_identifiers=["age"], sensitive=["pay"], size=2
    ),
    "synthesis": lambda _: ka.synthesize(PEOPLE.select("age", "pay")),
}


@pytest.mark.parametrize("make", RESULTS.values(), ids=RESULTS)
def test_no_result_prints_a_value_a_code_or_a_row(make, release):
    """The `repr` is short, and has neither values of the table nor arrays of codes or rows."""
    shown = repr(make(release))
    assert RAW.search(shown) is None
    assert len(shown) < 1000


NAMED = ["Release", "Verification", "Risk", "Utility", "AttackResult", "Comparison", "Profile"]


@pytest.mark.parametrize("make", RESULTS.values(), ids=RESULTS)
def test_tables_of_a_result_hold_no_value(make, release):
    """What `print` and a notebook show has figures and names, and no value of a record."""
    found = make(release)
    if isinstance(found, Result):
        for shown in (str(found), found._repr_html_()):
            assert RAW.search(shown) is None
            assert "object at" not in shown
        assert found.to_dict()


@pytest.mark.parametrize("name", NAMED)
def test_the_named_results_are_plain_frozen_data(name):
    """Each is a frozen dataclass with one way to be printed, shown and put in JSON."""
    kind = getattr(ka, name)
    assert issubclass(kind, Result)
    assert kind.__dataclass_params__.frozen
    assert kind.__str__ is Result.__str__
    assert kind._repr_html_ is Result._repr_html_


def test_a_table_of_a_result_is_escaped_in_a_notebook():
    """A column may be called anything."""
    made = ResultTable(("<b>", "n"), [("a & b", "1")], frozenset({1}), "<i>", ("<u>",))
    assert made.to_text() == "<i>\n\n<b>    n\na & b  1\n<u>"
    shown = made.to_html()
    assert not any(tag in shown for tag in ("<b>", "<i>", "<u>"))
    assert "a &amp; b" in shown


def test_a_release_says_what_it_is(release):
    """Its `repr` has the records, k and the verdict."""
    assert repr(release) == (
        "Release(engine='local', rows_in=61, rows_out=60, suppressed=1, k=7, "
        "verdict='not assessed')"
    )


@pytest.mark.parametrize("write", [pickle.dumps, partial(pickle.dumps, protocol=2)])
def test_a_pickled_release_does_not_tell_who_is_who(write):
    """It has the frame and the figures; of suppressed records and of the order it has nothing."""
    table = PEOPLE.with_columns(note=pl.format("CANARY{}", "zip"))
    policy = ka.Policy.from_columns(**ASKED, k=20, others="insensitive", suppression_limit=0.4)
    odd = table.head(1).with_columns(age=pl.lit(10**6), note=pl.lit("CANARY suppressed"))
    release = ka.anonymize(pl.concat([table, odd.cast(table.schema)]), policy)
    text = write(release)
    assert release.suppressed
    assert b"CANARY suppressed" not in text
    assert release.rows.tobytes() not in text
    again = pickle.loads(text)  # noqa: S301 - written here
    assert again.rows is None
    assert again.frame.equals(release.frame)
    assert again.to_dict() == release.to_dict()


def test_what_a_pickled_release_has_not_is_said(release, tmp_path):
    """Reports need the encoded table: the message says where they can be made."""
    again = copy.copy(release)
    with pytest.raises(ka.DataError, match="pickled or copied has no decision"):
        again.report(tmp_path / "report.html")
    assert not hasattr(again, "anything_else")
