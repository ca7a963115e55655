"""Keys: where they come from, and that they show nowhere."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from action_context import applied
from kanonym import PolicyError
from kanonym.actions import FF1, Fake, KeyedHash
from kanonym.policy.construction import call_with_values
from kanonym.policy.faults import FaultsFoundError

MATERIAL = "0123456789abcdef0123456789abcdef"
KEYED = [
    lambda key: KeyedHash(key=key),
    lambda key: FF1(key=key),
    lambda key: Fake("city", key=key),
]
every = pytest.mark.parametrize("keyed", KEYED, ids=["keyed-hash", "ff1", "fake"])


@every
def test_a_key_is_the_same_from_the_environment_and_from_a_file(keyed, monkeypatch, tmp_path):
    """A newline at the end of the file is no part of it."""
    monkeypatch.setenv("STUDY_KEY", MATERIAL)
    (tmp_path / "key").write_text(f"{MATERIAL}\n", encoding="utf-8")
    values = ["1234567", "7654321"]
    by_variable = applied(keyed({"env": "STUDY_KEY"}), values)
    assert applied(keyed({"file": tmp_path / "key"}), values) == by_variable
    assert applied(keyed({"file": str(tmp_path / "key")}), values) == by_variable


@every
def test_another_key_gives_other_pseudonyms(keyed, monkeypatch):
    """A pseudonym is worth no more than its key."""
    values = [f"{number:07}" for number in range(20)]
    monkeypatch.setenv("STUDY_KEY", MATERIAL)
    before = applied(keyed({"env": "STUDY_KEY"}), values)
    monkeypatch.setenv("STUDY_KEY", MATERIAL[::-1])
    after = applied(keyed({"env": "STUDY_KEY"}), values)
    assert sum(one == other for one, other in zip(before, after, strict=True)) <= 1


@every
def test_an_action_does_not_hold_its_key(keyed, monkeypatch):
    """Neither its text nor its fields show more than where the key is."""
    monkeypatch.setenv("STUDY_KEY", MATERIAL)
    action = keyed({"env": "STUDY_KEY"})
    applied(action, ["1234567"])
    assert MATERIAL not in repr(action)
    assert asdict(action)["key"] == {"env": "STUDY_KEY"}


@every
def test_a_key_that_is_not_there_is_named(keyed, monkeypatch, tmp_path):
    """The message names the variable or the file."""
    monkeypatch.delenv("STUDY_KEY", raising=False)
    with pytest.raises(PolicyError, match="environment variable STUDY_KEY is not set"):
        applied(keyed({"env": "STUDY_KEY"}), ["1234567"])
    with pytest.raises(PolicyError, match=r"key file .*key cannot be read: No such file"):
        applied(keyed({"file": tmp_path / "key"}), ["1234567"])


@every
def test_a_key_that_can_be_guessed_is_refused_and_not_shown(keyed, monkeypatch):
    """Fifteen bytes are too few; the message does not repeat them."""
    monkeypatch.setenv("STUDY_KEY", MATERIAL[:15])
    with pytest.raises(PolicyError, match="STUDY_KEY holds fewer than 16 bytes") as refusal:
        applied(keyed({"env": "STUDY_KEY"}), ["1234567"])
    assert MATERIAL[:15] not in str(refusal.value)


@every
@pytest.mark.parametrize(
    "source",
    [MATERIAL, {"value": MATERIAL}, {"env": ""}, {"env": "A", "file": "b"}, {}, {"env": 1}],
)
def test_a_key_in_the_policy_is_refused_and_not_shown(keyed, source):
    """Only the name of a variable or of a file may stand there."""
    with pytest.raises(PolicyError, match="a policy never contains the key itself") as refusal:
        keyed(source)
    assert MATERIAL not in str(refusal.value)


@pytest.mark.parametrize("kind", [KeyedHash, FF1, Fake])
def test_a_policy_with_the_key_in_it_is_refused_without_showing_it(kind):
    """What a policy file says of wrong types does not repeat the key either."""
    with pytest.raises(FaultsFoundError, match="a policy never contains") as refusal:
        call_with_values(
            kind, {"key": MATERIAL} | ({"kind": "name"} if kind is Fake else {}), kind.type
        )
    assert MATERIAL not in str(refusal.value)


@pytest.mark.parametrize("text", [MATERIAL[:31], f"{MATERIAL[:31]}g", MATERIAL * 3, "ä" * 16])
def test_ff1_takes_aes_keys_alone(monkeypatch, text):
    """They are 16, 24 or 32 bytes in hexadecimal; the message does not repeat what is there."""
    monkeypatch.setenv("STUDY_KEY", text)
    with pytest.raises(PolicyError, match="STUDY_KEY holds no AES key") as refusal:
        applied(FF1(key={"env": "STUDY_KEY"}), ["1234567"])
    assert text not in str(refusal.value)
