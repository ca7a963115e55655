"""Pseudonyms by HMAC-SHA-256."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from action_context import applied
from kanonym import DataError, PolicyError
from kanonym.actions import KeyedHash

KEY = {"env": "STUDY_KEY"}
MATERIAL = "a key of more than sixteen bytes"


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("STUDY_KEY", MATERIAL)


@pytest.mark.parametrize("length", [8, 32, 64])
def test_a_pseudonym_is_the_start_of_the_hash_of_the_text(length):
    """Anybody with the key can compute it, in any language."""
    (pseudonym,) = applied(KeyedHash(key=KEY, length=length), ["Zoë"])
    expected = hmac.new(MATERIAL.encode(), "Zoë".encode(), hashlib.sha256).hexdigest()
    assert pseudonym == expected[:length]


def test_the_first_test_case_of_rfc_4231_is_met(tmp_path):
    """Twenty bytes 0x0b as key."""
    (tmp_path / "key").write_bytes(b"\x0b" * 20)
    (pseudonym,) = applied(KeyedHash(key={"file": tmp_path / "key"}, length=64), ["Hi There"])
    assert pseudonym == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"


def test_values_that_collide_are_refused():
    """Of 200,000 values, some have the same 32 bits."""
    values = [str(number) for number in range(200_000)]
    with pytest.raises(DataError, match="column 'x': two values have the same pseudonym of 8"):
        applied(KeyedHash(key=KEY, length=8), values)
    assert len(set(applied(KeyedHash(key=KEY, length=32), values))) == len(values)


@pytest.mark.parametrize("length", [7, 65, 16.0])
def test_lengths_out_of_range_are_refused(length):
    """Less than 32 bits collide soon, more than 256 there are not."""
    with pytest.raises(PolicyError, match=f"keyed-hash: length is {length}; it must be"):
        KeyedHash(key=KEY, length=length)
