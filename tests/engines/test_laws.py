"""Laws of releases hold on every engine: what is drawn, what labels cover, what is published."""

from __future__ import annotations

import datetime as dt
import json

import polars as pl
import pytest

import kanonym as ka
from engines.held_tables import ordered
from laws.test_suppressed_values import ODD, people, policy_text

DAY = dt.date(2020, 6, 1)
DAYS = dt.timedelta(hours=31, seconds=13)
BOTH = ("payer", "payee")
PAYMENTS = pl.DataFrame(
    {
        "age": [30, 40] * 30,
        "payer": [f"p{i % 12}" for i in range(60)],
        "payee": [f"p{i * 7 % 31}" for i in range(60)],
        "begins": [DAY + dt.timedelta(days=i) for i in range(60)],
        "ends": [DAY + dt.timedelta(days=i + 4) for i in range(60)],
    }
)


def policy(actions, **further):
    """Return a policy of insensitive columns with actions."""
    form = {name: {"role": "insensitive", "action": action} for name, action in actions.items()}
    return ka.Policy(
        attributes={"age": {"role": "quasi-identifier"}, **form},
        others="insensitive",
        models=[ka.KAnonymity(2)],
        rows="persons",
        **further,
    )


@pytest.mark.nightly(on="spark")
@pytest.mark.parametrize("subject", ["payer", None])
def test_shifts_of_dates_are_refused_and_not_drawn_for_each_column(engine_holder, subject):
    """What an engine cannot draw once for a person it does not draw at all."""
    hold, _, place = engine_holder
    shift = {"type": "shift-date", "days": 300, "subject": subject}
    with pytest.raises(ka.PolicyError, match="action shift-date: not supported by the engine"):
        ka.anonymize(hold(PAYMENTS), policy({"begins": shift, "ends": shift}), output=place())


@pytest.mark.nightly(on="spark")
@pytest.mark.parametrize("action", ["surrogate", {"type": "fake", "kind": "name"}], ids=str)
def test_a_person_has_one_pseudonym_in_all_columns(engine_holder, action):
    """Persons and pseudonyms are matched one to one over both columns, as in this process."""
    hold, read, place = engine_holder
    asked = policy(dict.fromkeys(BOTH, action), seed=604177253911)
    found = ordered(read(ka.anonymize(hold(PAYMENTS), asked, output=place())))
    assert found.select(BOTH).equals(ordered(ka.anonymize(PAYMENTS, asked).frame).select(BOTH))
    assert len({*found["payer"], *found["payee"]}) == 31


MOMENTS = [dt.datetime(1971, 1, 1, 21, 0, 7, tzinfo=dt.UTC) + i * DAYS for i in range(24)]


@pytest.mark.nightly(on="spark")
@pytest.mark.parametrize("zone", ["Africa/Monrovia", "Europe/Berlin"])
@pytest.mark.parametrize("recoding", ["interval", "set"])
def test_labels_of_moments_cover_them(engine_holder, zone, recoding):
    """Python reads the ends, or the members, of each label: it has its moments."""
    hold, read, place = engine_holder
    at = pl.Series("at", MOMENTS).dt.convert_time_zone(zone)
    asked = ka.Policy(
        attributes={"at": ka.QuasiIdentifier(recoding=recoding), "i": ka.Insensitive()},
        models=[ka.KAnonymity(3)],
        rows="persons",
    )
    table = pl.DataFrame({"at": at, "i": range(24)})
    released = read(ka.anonymize(hold(table), asked, output=place()))
    for label, i in released.select("at", "i").rows():
        named = [dt.datetime.fromisoformat(text) for text in label.strip("[]{}").split(", ")]
        covered = min(named) <= MOMENTS[i] <= max(named)
        assert covered if recoding == "interval" else MOMENTS[i] in named, label


@pytest.mark.nightly(on="spark")
@pytest.mark.parametrize("algorithm", ["full-domain", "mondrian", "local-recoding"])
def test_values_of_a_suppressed_person_are_not_published(engine_holder, algorithm, tmp_path):
    """Release and manifest are the same, whoever is suppressed."""
    hold, read, place = engine_holder
    asked = ka.Policy.from_text(policy_text(algorithm))
    published = []
    for odd in (ODD[0], ODD[1], ODD[3]):
        release = ka.anonymize(hold(people(odd)), asked, output=place())
        assert release.suppressed == 1
        release.manifest(tmp_path / "m.json")
        told = json.loads((tmp_path / "m.json").read_text())
        published.append((ordered(read(release)).rows(), {**told, "seconds": None}))
    assert published[1:] == published[:1] * 2


@pytest.mark.nightly(on="spark")
def test_synthetic_records_have_no_identifier(engine_holder):
    """What seems to identify people in a table on an engine is left out, and said."""
    hold, _, _ = engine_holder
    table = pl.DataFrame({"age": [30, 40] * 30, "patient_id": [f"P-{i:05}" for i in range(60)]})
    made = ka.synthesize(hold(table), seed=1)
    assert made.frame.columns == ["age"]
    assert "seems to identify people            patient_id" in str(made)
