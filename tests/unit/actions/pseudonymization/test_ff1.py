"""Format-preserving encryption."""

from __future__ import annotations

import builtins

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from action_context import applied, context
from effort import examples
from kanonym import DataError, PolicyError
from kanonym.actions import FF1

KEY = {"env": "CARD_KEY"}
BYTES = "2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94"
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("CARD_KEY", BYTES)


@pytest.mark.parametrize(
    ("digits", "plain", "by_tweak", "long"),
    [
        (32, "2433477484", "6124200773", "a9tv40mll9kdu509eum"),
        (48, "2830668132", "2496655549", "xbj3kv35jrawxv32ysr"),
        (64, "6657667009", "1001623463", "xs8a0azh2avyalyzuwd"),
    ],
)
def test_the_samples_of_nist_are_met(monkeypatch, digits, plain, by_tweak, long):
    """All nine FF1 samples that NIST published for AES-128, AES-192 and AES-256."""
    monkeypatch.setenv("CARD_KEY", BYTES[:digits])
    assert applied(FF1(key=KEY), ["0123456789"]) == [plain]
    assert applied(FF1(key=KEY, tweak="9876543210"), ["0123456789"]) == [by_tweak]
    letters = FF1(key=KEY, alphabet=LETTERS, tweak="7777pqrs777")
    assert applied(letters, ["0123456789abcdefghi"]) == [long]


@given(st.from_regex(r"\A[0-9]{6,9}[-. x]{0,2}[0-9]{1,3}\Z"))
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_values_come_back_by_restore_and_keep_their_form(text):
    """Length and other characters stay; decryption is the inverse of encryption."""
    action = FF1(key=KEY)
    hidden = action.apply(pl.Series("x", [text]), context())
    assert action.restore(hidden).to_list() == [text]
    pairs = list(zip(text, hidden[0], strict=True))
    assert all(new.isdecimal() if old.isdecimal() else new == old for old, new in pairs)


def test_different_values_have_different_pseudonyms():
    """Encryption is a permutation of the values of one length."""
    values = [f"{number:06}" for number in range(2000)]
    assert len(set(applied(FF1(key=KEY), values))) == 2000


@pytest.mark.parametrize("alphabet", ["ab]^-\\", "éü.*"])
def test_any_characters_may_be_the_alphabet(alphabet):
    """Also those that mean something in a regular expression."""
    value = alphabet * 4
    (hidden,) = applied(FF1(key=KEY, alphabet=alphabet), [value])
    assert set(hidden) <= set(alphabet)
    assert len(hidden) == len(value)


@pytest.mark.parametrize("value", ["12345", "1-2-3-4-5", "Anna", ""])
def test_values_that_could_be_tried_out_are_refused(value):
    """Below a million possible values; the message names the row and not the value."""
    with pytest.raises(DataError, match=r"column 'x', row 2: \d characters of the alphabet") as no:
        applied(FF1(key=KEY), ["123456", value])
    assert not value or value not in str(no.value)


def test_without_the_library_the_refusal_says_what_to_install(monkeypatch):
    """FF1 is an extra."""
    real = builtins.__import__

    def without(name, *rest):
        if name == "ffx":
            raise ImportError
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(PolicyError, match=r"ff1 needs libffx.*pip install 'kanonym\[fpe\]'"):
        applied(FF1(key=KEY), ["123456"])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alphabet": "0"}, "ff1: alphabet is '0'; it must be two or more characters"),
        ({"alphabet": "010"}, "ff1: alphabet is '010'; it must be two or more characters, each"),
        ({"tweak": b"a"}, "ff1: tweak is b'a'; it must be a text"),
    ],
)
def test_ff1_refuses_parameters_that_make_no_sense(parameters, message):
    """The message names the parameter."""
    with pytest.raises(PolicyError, match=message):
        FF1(key=KEY, **parameters)
