"""Changes of roles in the workbench: what a policy says of a column and may still say is kept."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.schema import Role
from kanonym.workbench.project.edits import with_roles

SAID = {
    "hierarchy": "masking",
    "recoding": "span",
    "action": {"type": "mask"},
    "type": "string",
    "format": "%d/%m/%Y",
    "domain": {"values": ["a"]},
    "nulls": "value",
    "separator": ";",
    "missing": "unknown",
    "person": "pid",
}
"""Something for every key that an attribute can have."""


@pytest.mark.parametrize(
    ("role", "kept"),
    [
        (Role.IDENTIFIER, {"action"}),
        (Role.QUASI_IDENTIFIER, {"hierarchy", "recoding", "action", "type", "format", "domain"}),
        (Role.SENSITIVE, {"hierarchy", "nulls", "action", "type", "format", "domain"}),
        (Role.INSENSITIVE, {"action", "domain"}),
        (Role.SET, {"hierarchy", "separator", "missing", "person"}),
    ],
)
def test_a_new_role_keeps_what_it_may_say(role, kept):
    """The other keys go with the old role."""
    profile = ka.profile(pl.DataFrame({"items": ["a;b", "b", "a", "c"]}))
    form = {"attributes": {"items": {"role": "quasi-identifier", **SAID}}}
    changed = with_roles(form, ["items"], role, profile)["attributes"]["items"]
    assert {key for key, value in changed.items() if SAID.get(key) == value} == kept
