"""Every action by its name, and actions carried out on the columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import takewhile
from typing import Any

import numpy as np
import polars as pl

from kanonym.actions import free_text
from kanonym.actions.base import Action, After, Context, Drawn
from kanonym.data.loading import LazyRegistry
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Int32s, Ints

ACTIONS: LazyRegistry[type[Action]] = LazyRegistry(
    "kanonym.actions",
    {
        "keep": "masking.masks:Keep",
        "redact": "masking.masks:Redact",
        "round": "masking.numbers:Round",
        "top-bottom": "masking.numbers:TopBottom",
        "bin": "masking.numbers:Bin",
        "suppress": "masking.masks:Suppress",
        "truncate-date": "masking.dates:TruncateDate",
        "shift-date": "masking.dates:ShiftDate",
        "mask-email": "masking.masks:MaskEmail",
        "mask-phone": "masking.masks:MaskPhone",
        "mask-iban": "masking.masks:MaskIban",
        "keyed-hash": "pseudonymization.keyed_pseudonyms:KeyedHash",
        "surrogate": "pseudonymization.keyed_pseudonyms:Surrogate",
        "ff1": "pseudonymization.ff1:FF1",
        "fake": "pseudonymization.fake:Fake",
        "laplace-noise": "perturbation.noise:LaplaceNoise",
        "gaussian-noise": "perturbation.noise:GaussianNoise",
        "correlated-noise": "perturbation.noise:CorrelatedNoise",
        "rank-swap": "perturbation.swapping:RankSwap",
        "swap": "perturbation.swapping:Swap",
        "shuffle": "perturbation.swapping:Shuffle",
        "pram": "perturbation.pram:Pram",
        "randomized-response": "perturbation.pram:RandomizedResponse",
        "scrub-text": "free_text.scrub_text:ScrubText",
    },
    "kanonym.actions",
)
"""Every action by the name that a policy gives it."""

ROOT = 0x616374
"""Keeps the draws of actions apart from those of the released order."""


def unwrap(several: Iterable[Action | After]) -> list[Action]:
    """Return the actions themselves, whenever they come."""
    return [one.action if isinstance(one, After) else one for one in several]


def random_actions(several: Iterable[Action | After]) -> list[str]:
    """Return the names of the actions that draw random numbers."""
    return [one.type for one in unwrap(several) if one.draws]


def works_on_values(several: Iterable[Action | After]) -> bool:
    """Say whether all actions need numbers or dates, so that texts must be read as such first."""
    return all(action.by_value for action in unwrap(several))


def keeps_values(several: Iterable[Action | After]) -> bool:
    """Say whether no action makes values that the column did not have."""
    return all(action.keeps_values for action in unwrap(several))


def share_kept(several: Sequence[Action | After], released: pl.Series | None) -> dict[str, Any]:
    """Return what the last action tells of the values that it leaves alone; {} if nothing.

    released: what the actions have left; None where that is released in another form.
    """
    last = unwrap(several)[-1:]
    if not last or not last[0].tells_share:
        return {}
    return {"action": last[0].type, "share": last[0].share_kept(released)}


def record_actions(several: Iterable[Action | After]) -> list[str]:
    """Return the names of the actions that look at records, not at distinct values alone."""
    return [
        one.action.type if isinstance(one, After) else one.type
        for one in several
        if isinstance(one, After) or not one.per_value
    ]


def has_late_actions(several: Iterable[Action | After]) -> bool:
    """Say whether actions change released values."""
    return any(isinstance(one, After) for one in several)


def conflicting_shifts(actions: Mapping[str, Iterable[Action | After]]) -> dict[str, str]:
    """Return the columns whose dates would not shift as other dates of the same subject, and why.

    actions: of each column. The days between the dates of a subject would change.
    """
    conflicts: dict[str, str] = {}
    first: dict[str | None, tuple[str, Any]] = {}
    for name, several in actions.items():
        shifts: list[Any] = [one for one in unwrap(several) if one.type == "shift-date"]
        if len(shifts) > 1:
            conflicts[name] = "shifts dates twice: keep one shift-date"
        for one in shifts:
            other, shift = first.setdefault(one.subject, (name, one))
            if shift.bounds != one.bounds:
                conflicts[name] = (
                    f"dates of one subject would shift by different amounts here and in {other!r}: "
                    "give shift-date the same days, multiple_of and key in both"
                )
    return conflicts


@dataclass(frozen=True, repr=False)
class ColumnActions(ShortRepr):
    """The columns of a table as their actions leave them.

    Each action of each column draws from a generator of its own, all of one root, so
    that a column does not depend on what is done to others; but for what is drawn once for all
    of them, in their order (`Action.remembers`).
    """

    column: Callable[[str], pl.Series]
    actions: Mapping[str, Sequence[Action | After]]
    seed: int = field(repr=False)
    drawn: dict[Hashable, Drawn] = field(default_factory=dict, repr=False)
    _done: dict[str, pl.Series] = field(default_factory=dict, repr=False)

    def rehearsed(self) -> ColumnActions:
        """Return the actions before the algorithm for a trial: none writes a file."""
        actions = {
            name: tuple(one.rehearsed() for one in several if not isinstance(one, After))
            for name, several in self.actions.items()
        }
        return ColumnActions(self.column, actions, self.seed)

    @property
    def late_attributes(self) -> list[str]:
        """The attributes whose released values are changed."""
        return [name for name, several in self.actions.items() if has_late_actions(several)]

    def before(self, name: str) -> pl.Series:
        """Return a column after the actions that come before the algorithm; kept for later."""
        if name not in self._done:
            if self._remembers(name):
                for other in takewhile(lambda other: other != name, self.actions):
                    if self._remembers(other):
                        self.before(other)
            steps = [
                (i, one)
                for i, one in enumerate(self.actions.get(name, ()))
                if not isinstance(one, After)
            ]
            self._done[name] = self._apply(self.column(name), steps, None)
        return self._done[name]

    def _remembers(self, name: str) -> bool:
        """Whether what is drawn for a column before the algorithm is that of columns before it."""
        several = self.actions.get(name, ())
        return any(one.remembers for one in several if not isinstance(one, After))

    def after(
        self, name: str, released: pl.Series, classes: Int32s, rows: Ints | None = None
    ) -> pl.Series:
        """Return a released column after the actions on released values.

        classes: (n_released,) int32, the class of each released record. rows: (n_released,)
        int64, which records of the table they are; None for all.
        """
        steps = [
            (i, one.action)
            for i, one in enumerate(self.actions.get(name, ()))
            if isinstance(one, After)
        ]
        return self._apply(released, steps, classes, rows)

    def _pseudonyms(self, name: str) -> pl.Series | None:
        """Return a column after its actions before the algorithm; None where it has none."""
        several = [one for one in self.actions.get(name, ()) if not isinstance(one, After)]
        if not several or any(one.type in free_text.TYPES for one in several):
            return None
        return self.before(name)

    def _apply(
        self,
        values: pl.Series,
        steps: Iterable[tuple[int, Action]],
        classes: Int32s | None,
        rows: Ints | None = None,
    ) -> pl.Series:
        own = int.from_bytes(sha256(values.name.encode()).digest()[:4], "big")
        for number, action in steps:
            root = np.random.SeedSequence([self.seed, ROOT], spawn_key=(own, number))
            random = np.random.default_rng(root)
            context = Context(
                random, self.column, classes, rows, self._pseudonyms, self.drawn, self._of_records
            )
            values = action.apply(values, context)
        return values

    def _of_records(self, *numbers: int) -> np.random.Generator:
        """Return a generator that is the same for all columns."""
        root = np.random.SeedSequence([self.seed, ROOT], spawn_key=(0, *numbers))
        return np.random.default_rng(root)
