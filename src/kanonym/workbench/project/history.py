"""Everything that was done to a policy: undo, redo, named states."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kanonym.data.message import gettext as _

Form = Mapping[str, Any]
"""A policy as its file has it; it may be incomplete while somebody works on it."""

LONGEST = 200
"""States that are kept; of more, the oldest without a name go."""


@dataclass(frozen=True, slots=True)
class State:
    """A policy at one time."""

    number: int
    form: Form
    change: str
    facts: Mapping[str, str]
    name: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """States, oldest first, and which of them is at work.

    Examples
    --------
    >>> history = History.of({"k": 5}).after({"k": 7}, "wb.did.model", {"model": "k-anonymity"})
    >>> history.state.form, history.undone().state.form, history.undone().redone().state.form
    ({'k': 7}, {'k': 5}, {'k': 7})

    """

    states: tuple[State, ...]
    position: int = 0
    last: int = 0

    @classmethod
    def of(cls, form: Form, change: str = _("Opened, with suggested roles")) -> History:
        """Return a history of one state."""
        return cls((State(1, form, change, {}),))

    @property
    def state(self) -> State:
        """The state at work."""
        return self.states[self.position]

    @property
    def undoable(self) -> bool:
        """Whether there is an earlier state."""
        return self.position > 0

    @property
    def redoable(self) -> bool:
        """Whether a state was undone."""
        return self.position < len(self.states) - 1

    @property
    def next_number(self) -> int:
        """The number of the next state: none is used twice, also where states went."""
        return max(self.last, *(state.number for state in self.states)) + 1

    def after(
        self, form: Form, change: str, facts: Mapping[str, str], kept: Collection[int] = ()
    ) -> History:
        """Return the history with a further state.

        States that were undone go, but those that have a name, or are `kept`.
        """
        number = self.next_number
        held = [bool(state.name) or state.number in kept for state in self.states]
        past = self.states[: self.position + 1]
        after = range(self.position + 1, len(self.states))
        named = tuple(self.states[i] for i in after if held[i])
        states = [*past[:-1], *named, past[-1], State(number, form, change, dict(facts))]
        while len(states) > LONGEST:
            loose = (
                i for i, one in enumerate(states[:-1]) if not one.name and one.number not in kept
            )
            del states[next(loose, 0)]
        return History(tuple(states), len(states) - 1, number)

    def undone(self) -> History:
        """Return the history at the state before."""
        return replace(self, position=max(self.position - 1, 0))

    def redone(self) -> History:
        """Return the history at the state after."""
        return replace(self, position=min(self.position + 1, len(self.states) - 1))

    def with_name(self, number: int, name: str) -> History:
        """Return the history with a name for a state."""
        states = tuple(
            replace(state, name=name) if state.number == number else state for state in self.states
        )
        return replace(self, states=states)

    def find(self, number: int) -> State | None:
        """Return a state by its number."""
        return next((state for state in self.states if state.number == number), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "position": self.position,
            "last": self.last,
            "states": [
                {
                    "number": state.number,
                    "form": state.form,
                    "change": state.change,
                    "facts": dict(state.facts),
                    "name": state.name,
                }
                for state in self.states
            ],
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> History:
        """Return the history of a JSON form."""
        listed: Sequence[Mapping[str, Any]] = given["states"]
        states = tuple(
            State(
                int(one["number"]),
                dict(one["form"]),
                str(one["change"]),
                {str(key): str(value) for key, value in one["facts"].items()},
                str(one["name"]),
            )
            for one in listed
        )
        position = int(given["position"])
        if not 0 <= position < len(states):
            raise ValueError("position")
        return cls(states, position, int(given.get("last", 0)))
