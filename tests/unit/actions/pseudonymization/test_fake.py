"""Invented names and addresses."""

from __future__ import annotations

import builtins

import pytest

from action_context import applied
from kanonym import PolicyError
from kanonym.actions import Fake
from kanonym.actions.pseudonymization.fake import KINDS

KEY = {"env": "STUDY_KEY"}


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("STUDY_KEY", "0123456789abcdef")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_one_line_of_text(kind):
    """Addresses of several lines are joined by commas; a number is text."""
    for fake in applied(Fake(kind), ["a", "b"]):
        assert isinstance(fake, str)
        assert fake
        assert "\n" not in fake


def test_without_a_key_different_values_have_different_fakes():
    """300 first names of a locale that has enough of them."""
    fakes = applied(Fake("first-name"), [str(number) for number in range(300)])
    assert len(set(fakes)) == 300


def test_a_locale_that_runs_out_gives_a_fake_twice():
    """There are far fewer first names than 2,000; the work stays bounded."""
    fakes = applied(Fake("first-name", locale="nl_BE"), [str(number) for number in range(2000)])
    assert len(fakes) == 2000
    assert 300 < len(set(fakes)) < 2000


def test_nobody_is_given_the_name_that_they_have():
    """Each first name of the locale is replaced by another."""
    names = sorted(set(applied(Fake("first-name"), [str(number) for number in range(300)])))
    for action in (Fake("first-name"), Fake("first-name", key=KEY)):
        fakes = applied(action, names)
        assert all(fake != name for fake, name in zip(fakes, names, strict=True))


def test_emails_belong_to_nobody():
    """Their domains are the reserved ones of RFC 2606."""
    for address in applied(Fake("email"), ["a", "b", "c"]):
        assert address.split("@")[1] in ("example.com", "example.org", "example.net")


def test_a_locale_is_that_of_faker():
    """Names in Japanese; an unknown locale is refused."""
    (name,) = applied(Fake("last-name", locale="ja_JP"), ["a"])
    assert not name.isascii()
    with pytest.raises(PolicyError, match="fake: locale is 'xx_XX', which Faker does not know"):
        applied(Fake("name", locale="xx_XX"), ["a"])


def test_without_the_library_the_refusal_says_what_to_install(monkeypatch):
    """Faker is an extra."""
    real = builtins.__import__

    def without(name, *rest):
        if name == "faker":
            raise ImportError
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(PolicyError, match=r"fake needs Faker.*pip install 'kanonym\[fake\]'"):
        applied(Fake("name"), ["a"])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kind": "nam"}, "fake: kind is 'nam'; it must be name or first-name or"),
        ({"kind": "name", "locale": ""}, "fake: locale is ''; it must be one such as en_US"),
    ],
)
def test_fake_refuses_parameters_that_make_no_sense(parameters, message):
    """The message names the parameter."""
    with pytest.raises(PolicyError, match=message):
        Fake(**parameters)
