"""Laws of policy texts: what is no YAML, no JSON, no mapping or twice the same key."""

from __future__ import annotations

import pytest

from kanonym.data.errors import PolicyError
from kanonym.policy import Policy
from kanonym.policy.document import parse

REFUSED = {
    "empty": ("", "p: the policy is empty"),
    "comment": ("# nothing yet\n", "p: the policy is empty"),
    "list": ("- age\n- sex\n", "a policy is a mapping .* not a list"),
    "text": ("k-anonymity", "a policy is a mapping .* not a str"),
    "syntax": ("models: [\n  {type: k-anonymity\n", "p, line 3, column 1: not valid YAML"),
    "tab": ("models:\n\t- 1\n", "p, line 2, column 1: not valid YAML"),
    "tag": ("a: !!python/object:os.system {}\n", "p, line 1, column 4: not valid YAML"),
    "control": ("a: \x00", "p: not valid YAML"),
    "column in two roles": (
        "attributes:\n  age: {role: sensitive}\n  age: {role: identifier}\n",
        r"p, line 3: 'age' is given twice \(first in line 2\); a column has one role",
    ),
    "JSON column in two roles": ('{"a": {"age": 1, "age": 2}}', "p: given twice: age; a column"),
    "key that is no text": ("1: {}\n", "the key 1 .* quotes"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_bad_text_is_refused_with_its_place(text, message):
    """A text that holds no policy is an error that names the file and the line."""
    with pytest.raises(PolicyError, match=message):
        parse(text, "p")


def test_every_key_that_stands_twice_is_told():
    """All keys that stand twice are told at once."""
    with pytest.raises(PolicyError, match=r"(?s)line 2: 'a'.*line 3: 'c'"):
        parse("a: 1\na: 2\nb: {c: 1, c: 2}\n", "p")


def test_flow_mapping_that_is_no_json_is_yaml():
    """A text in braces without quotes is YAML, not broken JSON."""
    assert parse("{a: [1, 2]}", "p") == {"a": [1, 2]}


def test_byte_order_mark_is_no_part_of_the_policy(tmp_path):
    """A policy that an editor saved with a byte order mark is read."""
    file = tmp_path / "policy.yaml"
    text = "attributes: {a: {role: quasi-identifier}}\nmodels: [{type: k-anonymity, k: 2}]\n"
    file.write_text(text, "utf-8-sig")
    assert list(Policy.from_file(file).attributes) == ["a"]


def test_missing_policy_is_named(tmp_path):
    """A policy file that does not exist is named."""
    with pytest.raises(PolicyError, match=r"nowhere\.yaml: no such policy file"):
        Policy.from_file(tmp_path / "nowhere.yaml")


def test_folder_is_no_policy(tmp_path):
    """A folder in place of a policy file is told, without a traceback."""
    with pytest.raises(PolicyError, match="cannot be read"):
        Policy.from_file(tmp_path)


def test_policy_that_is_not_utf8_is_refused(tmp_path):
    """A policy in another encoding is refused, with the byte that is wrong."""
    file = tmp_path / "policy.yaml"
    file.write_bytes("attributes: {größe: {role: sensitive}}".encode("latin-1"))
    with pytest.raises(PolicyError, match=r"policy.yaml: byte 15 is not UTF-8"):
        Policy.from_file(file)


def test_error_names_the_policy_file(tmp_path):
    """The faults of a policy file are told with the name of the file."""
    file = tmp_path / "policy.yaml"
    file.write_text("attributes: {a: {role: quasi-identifier}}\nmodels: []\n", "utf-8")
    with pytest.raises(PolicyError, match=r"policy.yaml: models: must be"):
        Policy.from_file(file)


def test_numbers_are_those_of_yaml_1_2():
    """What only YAML 1.1 takes for a number, a boolean or a date is text."""
    texts = ["1_0", "1:30:00", "010", "yes", "off", "2024-02-29", "0b11", "1e", "0xg"]
    document = parse("a: [" + ", ".join(texts) + "]", "p")
    assert document["a"] == texts
    plain = parse("a: [10, 0x1F, 0o17, 1e3, -.5, 1., true, False, null, ~]", "p")
    assert plain["a"] == [10, 31, 15, 1000.0, -0.5, 1.0, True, False, None, None]


BEYOND_LIMITS = {
    "alias bomb": (
        "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
        + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10)),
        "more than 1,000,000 values",
    ),
    "alias of itself": ("a: &a [*a]\n", "line 1, column 8: .* contains itself"),
    "deep list": ("a: " + "[" * 100_000, "more than 64 levels"),
    "deep block": ("".join(" " * i + "a:\n" for i in range(2000)), "more than 64 levels"),
    "deep JSON": ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "more than 64 levels"),
    "JSON a little too deep": ('{"a": ' + "[" * 70 + "]" * 70 + "}", "more than 64 levels"),
    "long number": ("a: " + "9" * 5000, "line 1, column 4: .*no int that can be read"),
    "long JSON number": ('{"a": ' + "9" * 5000 + "}", "the number 9{20}… is too large"),
    "number beyond floats": ("a: 1e999", "no float that can be read"),
    "JSON number beyond floats": ('{"a": 1e999}', "the number 1e999… is too large"),
    "NaN": ('{"a": NaN}', "NaN is not JSON"),
    "half a pair": ('{"a": "\\ud800"}', "half of a surrogate pair"),
    "tag of a wrong value": ("a: !!bool maybe", "no bool that can be read"),
    "unknown tag": ("a: !!timestamp 2024-02-29", "could not determine a constructor"),
    "list as key": ("? [a]\n: 1\n", "unhashable key"),
    "mapping that is a list": ("a: !!map [1]", "expected a mapping node"),
}


@pytest.mark.parametrize(("text", "message"), BEYOND_LIMITS.values(), ids=BEYOND_LIMITS)
def test_what_is_beyond_the_limits_is_a_policy_error(text, message):
    """A document that is too deep, too large or holds what no policy needs is refused."""
    with pytest.raises(PolicyError, match=message):
        parse(text, "p")


def test_an_endless_file_is_refused():
    """A policy is read up to a limit, whatever the file gives."""
    with pytest.raises(PolicyError, match="larger than 16 MB"):
        Policy.from_file("/dev/zero")


def test_aliases_and_merged_mappings_are_read():
    """An anchor may be used again, whole or merged into a mapping."""
    text = "x: &x {role: sensitive}\nb: *x\nc: {<<: *x, nulls: exclude}\n"
    assert parse(text, "p")["c"] == {"role": "sensitive", "nulls": "exclude"}
