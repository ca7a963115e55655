"""Actions in a policy: from the file to the release, its manifest and its report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data.example_tables import patients
from kanonym.data.files import read_table, write_table

KEY = "4f1d0c8b7a69584736251403f2e1d0cf"
POLICY = """\
version: 1
attributes:
  name: {role: identifier}
  national_number: {role: identifier, action: {type: keyed-hash, key: {env: PSEUDONYM_KEY}}}
  postal_code: {role: quasi-identifier, action: {type: keep, first: 3}}
  birth_date:
    role: quasi-identifier
    action:
      - {type: shift-date, days: 30, subject: national_number}
      - {type: truncate-date, to: month}
  sex: {role: quasi-identifier}
  occupation: {role: quasi-identifier}
  diagnosis: {role: sensitive}
  income: {role: insensitive, action: [{type: round, to: 1000}, {type: rank-swap, percent: 2}]}
rows: persons
models:
  - {type: k-anonymity, k: 5}
  - {type: l-diversity, attribute: diagnosis, l: 3}
minimality: none
seed: 604177253911
"""


@pytest.fixture
def folder(tmp_path):
    """Return a folder with generated patients, their income, and a policy of many actions."""
    table = patients(600)
    income = np.random.default_rng(7).lognormal(10.3, 0.4, len(table)).round(2)
    write_table(table.with_columns(income=pl.Series(income)), tmp_path / "patients.parquet")
    (tmp_path / "policy.yaml").write_text(POLICY, "utf-8")
    return tmp_path


@pytest.fixture
def key(monkeypatch):
    """Set the key of pseudonyms in the environment."""
    monkeypatch.setenv("PSEUDONYM_KEY", KEY)
    return KEY


RUN = "anonymize patients.parquet -p policy.yaml -o out.parquet"


def test_many_actions_in_one_policy(kanonym, key):
    """Pseudonym, mask, shift, rounding and swap come before Mondrian, and all is verified."""
    done = kanonym(f"{RUN} --manifest manifest.json --report report.html --report report.md")
    assert done.code == 0, done.error
    before, after = read_table("patients.parquet"), read_table("out.parquet")
    assert after.columns == [name for name in before.columns if name != "name"]
    assert after["national_number"].n_unique() == len(after) == len(before)
    assert not set(after["national_number"]) & set(before["national_number"])
    assert set("".join(after["postal_code"].to_list())) <= set("0123456789*{}, ")
    incomes = (before["income"] / 1000).round() * 1000
    assert after["income"].sort().to_list() == incomes.sort().to_list()
    assert kanonym("verify out.parquet -p policy.yaml").code == 0
    for file in ("manifest.json", "report.html", "report.md"):
        text = Path(file).read_text("utf-8")
        assert key not in text
        assert "keyed-hash" in text
        assert not [one for one in before["national_number"] if one in text]
    named = json.loads(Path("manifest.json").read_text("utf-8"))["policy"]["attributes"]
    assert [one["type"] for one in named["income"]["action"]] == ["round", "rank-swap"]
    assert [one["type"] for one in named["birth_date"]["action"]] == ["shift-date", "truncate-date"]
    text = Path("report.md").read_text("utf-8")
    assert "| identifier, changed | national\\_number | replaced |" in text
    assert "| identifier | name | removed |" in text


@pytest.mark.usefixtures("key")
def test_one_seed_gives_one_release(kanonym, folder):
    """The same seed draws the same shifts and swaps, another seed others."""
    released = []
    for seed in (1, 1, 2):
        text = POLICY.replace("604177253911", str(seed))
        (folder / "policy.yaml").write_text(text, "utf-8")
        assert kanonym(RUN).code == 0
        released.append(read_table("out.parquet"))
    assert released[0].equals(released[1])
    assert sorted(released[0]["national_number"]) == sorted(released[2]["national_number"])
    assert not released[0]["income"].equals(released[2]["income"])


def test_without_its_key_nothing_is_released(kanonym, folder, monkeypatch):
    """The message names the variable, and no file is written."""
    monkeypatch.delenv("PSEUDONYM_KEY", raising=False)
    done = kanonym(RUN)
    assert done.code == 3
    assert "PSEUDONYM_KEY" in done.error
    assert not (folder / "out.parquet").exists()


@pytest.mark.parametrize(
    ("attribute", "said"),
    [
        ("{role: insensitive, action: {type: rond, to: 5}}", "did you mean 'round'"),
        ("{role: insensitive, action: {type: round, too: 5}}", "did you mean 'to'"),
        ("{role: sensitive, action: {type: shuffle, when: later}}", "'later'"),
        ("{role: insensitive, action: {type: laplace-noise, scale: -1}}", "scale"),
    ],
)
def test_a_wrong_action_is_refused_with_its_place(kanonym, folder, attribute, said):
    """The fault names the attribute, what is wrong, and the nearest right name."""
    line = next(one for one in POLICY.splitlines() if one.startswith("  diagnosis"))
    wrong = POLICY.replace(line, f"  diagnosis: {attribute}").replace(
        "  - {type: l-diversity, attribute: diagnosis, l: 3}\n", ""
    )
    (folder / "policy.yaml").write_text(wrong, "utf-8")
    done = kanonym(RUN)
    assert done.code == 3
    assert "attributes.diagnosis.action" in done.error
    assert said in done.error


def test_what_tears_classes_apart_is_not_released():
    """Noise on released values leaves no class of k, and the message says whose fault it is."""
    frame = pl.DataFrame({"age": list(range(40))})
    policy = {"attributes": {"age": {"role": "quasi-identifier"}}, "models": [ka.KAnonymity(4)]}
    noisy = ka.QuasiIdentifier(
        recoding="mean", action=ka.actions.After(ka.actions.LaplaceNoise(scale=3.0))
    )
    with pytest.raises(ka.InfeasibleError, match=r"split equivalence classes \(age\)"):
        ka.anonymize(frame, ka.Policy(**{**policy, "attributes": {"age": noisy}, "seed": 5}))
    rounded = ka.QuasiIdentifier(recoding="mean", action=ka.actions.After(ka.actions.Round(to=10)))
    release = ka.anonymize(frame, ka.Policy(**{**policy, "attributes": {"age": rounded}}))
    assert set(release.frame["age"]) <= {0.0, 10.0, 20.0, 30.0, 40.0}
    assert release.verification.satisfied


def test_models_look_at_what_actions_leave():
    """A sensitive attribute that an action makes constant is not diverse."""
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "disease": ["a", "b", "c", "d"]})
    asked = {"age": ka.QuasiIdentifier(), "disease": ka.Sensitive(action=ka.actions.Redact("x"))}
    with pytest.raises(ka.InfeasibleError, match="l-diversity"):
        ka.anonymize(frame, ka.Policy(attributes=asked, models=[ka.LDiversity("disease", 2)]))
    release = ka.anonymize(frame, ka.Policy(attributes=asked, models=[ka.KAnonymity(2)]))
    assert release.frame["disease"].to_list() == ["x"] * 4


def test_actions_are_given_in_any_form():
    """A form, a name, an object, alone or in a list, mean the same; policies compare by them."""
    forms = [
        {"type": "shuffle"},
        "shuffle",
        ka.actions.Shuffle(),
        [ka.actions.Shuffle()],
        (ka.actions.Shuffle(),),
    ]
    policies = [
        ka.Policy(
            attributes={"age": ka.QuasiIdentifier(), "pay": ka.Insensitive(action=form)},
            models=[ka.KAnonymity(2)],
            seed=9,
        )
        for form in forms
    ]
    assert all(one == policies[0] for one in policies)
    assert ka.Policy.from_text(json.dumps(policies[0].to_dict())) == policies[0]


def test_what_is_drawn_is_not_drawn_from_the_seed_that_everybody_tries():
    """With seed 0 a policy whose actions draw is refused, one without draws is not."""
    for action, draws in (
        (ka.actions.Shuffle(), True),
        (ka.actions.Surrogate(), True),
        (ka.actions.Round(to=5), False),
    ):
        asked = {
            "attributes": {"age": ka.QuasiIdentifier(), "pay": ka.Insensitive(action=action)},
            "models": [ka.KAnonymity(2)],
        }
        ka.Policy(**asked, seed=1)
        assert ka.Policy(**asked).seed is None
        if draws:
            with pytest.raises(ka.PolicyError, match=r"seed: is 0, but .* of 'pay' must not be"):
                ka.Policy(**asked, seed=0)
        else:
            ka.Policy(**asked, seed=0)


@pytest.mark.usefixtures("own_order")
def test_without_a_seed_actions_draw_anew_each_time():
    """Nobody can draw again what was drawn by a seed that is kept nowhere."""
    frame = pl.DataFrame({"age": [30, 31] * 50, "pay": range(100)})
    asked = ka.Policy(
        attributes={
            "age": ka.QuasiIdentifier(),
            "pay": ka.Insensitive(action=ka.actions.Shuffle()),
        },
        models=[ka.KAnonymity(2)],
        keep_order=True,
    )
    one, other = (ka.anonymize(frame, asked).frame["pay"].to_list() for _ in range(2))
    assert one != other
    assert sorted(one) == sorted(other)


@pytest.mark.parametrize("first", [0, 30, 60])
def test_actions_on_released_values_do_not_mind_who_is_suppressed(first):
    """The first record may be suppressed, or the last."""
    ages = [20 + place // 5 for place in range(60)]
    frame = pl.DataFrame({"age": [*ages[:first], 999, *ages[first:]], "pay": range(61)})
    asked = ka.Policy(
        attributes={
            "age": ka.QuasiIdentifier(hierarchy=ka.hierarchy.intervals(width=[10, 20], origin=0)),
            "pay": ka.Insensitive(action=ka.actions.After(ka.actions.Swap())),
        },
        models=[ka.KAnonymity(5)],
        algorithm=ka.FullDomain(),
        suppression_limit=0.05,
    )
    release = ka.anonymize(frame, asked)
    assert sorted(release.frame["pay"]) == [pay for pay in range(61) if pay != first]


def test_values_are_swapped_within_the_classes_that_are_released():
    """Each class keeps its sensitive values, so its models hold; who has which is not told."""
    rng = np.random.default_rng(5)
    pay = rng.permutation(300)
    frame = pl.DataFrame({"age": rng.integers(20, 60, 300), "pay": pay, "grade": pay // 100})
    swapped, kept = (
        ka.anonymize(
            frame,
            ka.Policy(
                attributes={"age": ka.QuasiIdentifier(), "pay": ka.Sensitive(action=action)},
                others="insensitive",
                models=[ka.KAnonymity(10), ka.LDiversity("pay", 10)],
                seed=11,
                suppression_limit=0.1,
            ),
        )
        for action in (ka.actions.After(ka.actions.Swap()), ())
    )
    assert swapped.verification.satisfied
    by_class = [
        {key: sorted(rows["pay"]) for (key,), rows in one.frame.group_by("age")}
        for one in (swapped, kept)
    ]
    assert by_class[0] == by_class[1]
    assert (kept.frame["pay"] // 100 == kept.frame["grade"]).all()
    assert not (swapped.frame["pay"] // 100 == swapped.frame["grade"]).all()


def test_what_pram_keeps_by_design_is_told(kanonym, folder):
    """Terminal and manifest say that 0.8 of an invariant matrix leaves more than 80 % alone."""
    pl.DataFrame({"age": [30, 40] * 50, "job": ["a"] * 30 + ["b"] * 70}).write_csv("in.csv")
    (folder / "pram.yaml").write_text(
        "attributes:\n  age: {role: quasi-identifier}\n"
        "  job: {role: insensitive, action: {type: pram, diagonal: 0.8}}\n"
        "models: [{type: k-anonymity, k: 5}]\nseed: 1\n"
    )
    done = kanonym("anonymize in.csv -p pram.yaml -o out.csv --manifest m.json")
    assert done.code == 0, done.error
    counts = pl.read_csv("out.csv")["job"].value_counts(normalize=True)["proportion"]
    share = 0.8 + 0.2 * float((counts**2).sum())
    told = json.loads(Path("m.json").read_text("utf-8"))["values_kept"]
    assert told == {"job": {"action": "pram", "share": pytest.approx(share)}}
    assert f"job: {100 * share:.1f} % of the values are expected to be true" in done.text
