"""SIGO's configuration: what is read, and what is refused with its reason."""

from __future__ import annotations

import pytest

from kanonym.data.errors import PolicyError
from kanonym.policy.sigo_configuration import SigoConfiguration, sigo_configuration


def read(folder, text):
    """Read a configuration from a text."""
    file = folder / "sigo.yml"
    file.write_text(text, "utf-8")
    return sigo_configuration(file)


def test_every_key_is_read(tmp_path):
    """A configuration with all keys says all that the flags could."""
    text = (
        "version: '1'\nkAnonymity: 4\nlDiversity: 3\nsensitives: [s]\n"
        "aggregation: meanAggregation\nrules:\n  - name: y\n  - name: x\n"
    )
    expected = SigoConfiguration(4, 3, ("s",), "meanAggregation", ("y", "x"))
    assert read(tmp_path, text) == expected


def test_absent_keys_say_nothing(tmp_path):
    """What a configuration leaves out is None, so that defaults hold."""
    assert read(tmp_path, "rules: [{name: x}]") == SigoConfiguration(quasi_identifiers=("x",))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("kanonymity: 3", "'kanonymity' is an unknown key; did you mean 'kAnonymity'"),
        ("kAnonymity: 0", "kAnonymity: must be an integer of at least 1, not 0"),
        ("kAnonymity: '3'", "kAnonymity: must be an integer of at least 1, not '3'"),
        ("lDiversity: true", "lDiversity: must be an integer of at least 0, not True"),
        ("sensitives: z", "sensitives: must be a list of column names"),
        ("aggregation: [mean]", "aggregation: must be the name of a method"),
        ("rules: [{title: x}]", "rules: must be a list of entries `name: column`"),
        ("rules: {name: x}", "rules: must be a list of entries `name: column`"),
        ("- x", "a configuration is a mapping of version"),
        ("", "a configuration is a mapping of version"),
        ("rules: [", "not valid YAML"),
    ],
)
def test_faults_are_told(tmp_path, text, reason):
    """What is wrong in a configuration is told with its key and what would be right."""
    with pytest.raises(PolicyError) as caught:
        read(tmp_path, text)
    assert reason in str(caught.value)


def test_a_missing_file_is_an_error(tmp_path):
    """A configuration that is not there is an error, not a default."""
    with pytest.raises(PolicyError, match=r"no\.yml: no such configuration file"):
        sigo_configuration(tmp_path / "no.yml")
