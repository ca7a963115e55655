"""A comparison: the releases that were tried, those that nothing beats, and the one to take."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import polars as pl

from kanonym.comparison import sentences
from kanonym.comparison.frontier import Knee, frontier, knee
from kanonym.comparison.trials import ALWAYS, SPAN_LOSS, Trial, entity_of, label
from kanonym.data import files, frames
from kanonym.data.errors import PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.results import Result, ResultTable, format_number
from kanonym.evaluation.utility.table_utility import measure_of
from kanonym.language import ENGLISH, Translator
from kanonym.metrics.disclosure import K
from kanonym.policy import Policy
from kanonym.policy.faults import unknown_name

KNEE, FRONT = "●", "○"
LEGEND = f"{KNEE} recommended   {FRONT} on the frontier: none is better in both"

Privacy = Literal["k", "average_risk"]


PRIVACY_NAMES = {
    "k": _("smallest class"),
    "persons": _("fewest people in a class"),
    "average_risk": _("average risk"),
}
PRIVACY_TITLES: Mapping[str, str] = {
    "k": K.title,
    "average_risk": _("Average chance of finding a record"),
}
"""What privacy is measured by in reports."""


def measure_title(name: str, says: Translator, *, axis: bool = False) -> str:
    """Name a measure of utility; axis: as on an axis."""
    measure = measure_of(name)
    if measure is None:
        return name.replace("-", " ")
    meaning = measure.meaning
    return says.translate((axis and meaning.axis) or meaning.title or meaning.label)


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Releases of one table, side by side.

    Attributes
    ----------
    trials
        One a combination, in the order of the sweep.
    rows
        Records of the table.
    privacy
        By what releases are called private: `k`, the records in the smallest class (persons,
        where k-anonymity has an entity), or `average_risk`, the average prosecutor risk.
    measure
        By what they are called useful: `span-loss`, or another measure that was taken.

    """

    _shown: ClassVar[tuple[str, ...]] = ("rows", "privacy", "measure", "trials")

    trials: tuple[Trial, ...]
    rows: int
    privacy: Privacy = "k"
    measure: str = SPAN_LOSS
    _like: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.privacy not in get_args(Privacy):
            raise PolicyError(unknown_name("axis of privacy", self.privacy, get_args(Privacy)))
        taken = dict.fromkeys([*ALWAYS, *(name for trial in self.trials for name in trial.utility)])
        if self.measure not in taken:
            raise PolicyError(
                f"{self.measure!r} was not measured; it was: {', '.join(taken)}. "
                "Name it in measures"
            )

    def on(self, *, privacy: Privacy | None = None, measure: str | None = None) -> Comparison:
        """Return the same releases, judged by another privacy or another measure of utility.

        Raises
        ------
        PolicyError
            The measure was not taken.

        """
        return replace(self, privacy=privacy or self.privacy, measure=measure or self.measure)

    @cached_property
    def frontier(self) -> tuple[Trial, ...]:
        """The releases that no other one beats in privacy and utility, least private first.

        Releases that are of no more use than guessing are not among them.
        """
        privacy = np.array([self.privacy_score(trial) for trial in self.trials], np.float64)
        loss = np.array([self.loss_score(trial) for trial in self.trials], np.float64)
        return tuple(self.trials[place] for place in frontier(privacy, loss).tolist())

    @property
    def knee(self) -> Trial | None:
        """The release to take: where the frontier bends; None where it has no knee.

        A frontier of one release has it for its knee: nothing else is as private or as useful.
        """
        if len(self.frontier) == 1:
            return self.frontier[0]
        return None if self._knee is None else self.frontier[self._knee.place]

    @cached_property
    def _knee(self) -> Knee | None:
        return knee(
            np.array([self.privacy_score(one) for one in self.frontier], np.float64),
            np.array([self.loss_score(one) for one in self.frontier], np.float64),
        )

    @property
    def reason(self) -> str:
        """Why the knee is the release to take, or why there is none, in plain sentences."""
        return self.reason_in(ENGLISH)

    def reason_in(self, says: Translator) -> str:
        """Return the reason in a language."""
        axes = self.axes_in(says)
        points = [
            sentences.Point(one.label, self.privacy_of(one), self.utility_of(one))
            for one in self.frontier
        ]
        released = [trial for trial in self.trials if trial.has_release]
        if released and not any(map(self.beats_guessing, released)):
            return sentences.useless_sentence(axes[1], says)
        return sentences.reason_sentence(points, self._knee, axes, says, released=bool(released))

    @property
    def policy(self) -> Policy | None:
        """The policy of the release to take; None where the frontier has no knee."""
        return None if self.knee is None else self.knee.policy

    def write_policy(self, path: str | Path) -> None:
        """Write the policy of the release to take as YAML.

        Raises
        ------
        PolicyError
            The frontier has no knee, so no release is recommended.
        DataError
            The path cannot be written.

        """
        if self.policy is None:
            raise PolicyError(f"no release is recommended, so no policy is written: {self.reason}")
        self.policy.to_file(path, heading=[self.reason])

    @property
    def axes(self) -> tuple[str, str]:
        """What privacy and utility are measured by, in words."""
        return self.axes_in(ENGLISH)

    def axes_in(self, says: Translator) -> tuple[str, str]:
        """Return the axes in a language."""
        persons = self.privacy == "k" and self.counted_unit == "persons"
        privacy = "persons" if persons else self.privacy
        return says.text(PRIVACY_NAMES[privacy]), measure_title(self.measure, says, axis=True)

    @property
    def counted_unit(self) -> Literal["records", "persons"]:
        """What `k` and `smallest_class` count: persons, where k-anonymity has an entity."""
        known = next((trial.policy for trial in self.trials if trial.policy is not None), None)
        return "records" if known is None or entity_of(known.models) is None else "persons"

    def beats_guessing(self, one: Trial) -> bool:
        """Return whether a release is more useful than guessing without it.

        Where the measure of utility does not say what guessing reaches, it is.
        """
        guess = one.guesses.get(self.measure)
        if guess is None:
            return True
        better = self.utility_of(one) - guess
        return better > 0 if self.better == "higher" else better < 0

    def privacy_score(self, one: Trial) -> float:
        """Return how private a release is, more is more.

        NaN where nothing was released, or nothing that beats guessing.
        """
        if not one.has_release or not one.classes or not self.beats_guessing(one):
            return math.nan
        value = self.privacy_of(one)
        return value if self.privacy == "k" else 1 / value

    def loss_score(self, one: Trial) -> float:
        """Return how little use a release is, lower is better; NaN where it is not known."""
        value = self.utility_of(one)
        return value if self.better == "lower" else -value

    def privacy_of(self, one: Trial) -> float:
        """Return the value of privacy of a release; NaN where there is none."""
        return _number(one.k if self.privacy == "k" else one.average_risk)

    def utility_of(self, one: Trial) -> float:
        """Return the measure of utility of a release; NaN where it was not measured."""
        return _number(one.utility.get(self.measure))

    @property
    def better(self) -> str:
        """Whether `lower` or `higher` values of the measure of utility are better."""
        measure = measure_of(self.measure)
        return "lower" if measure is None else measure.meaning.better

    @cached_property
    def table(self) -> Any:
        """One row a combination, of the type of the table that was compared.

        Columns: the parameters of the sweep; `released`; a column of what is achieved for each
        model; `smallest_class` (see `counted_unit`), `classes` and `suppressed`; the measures of
        utility; `average_risk` and `highest_risk`; `seconds`; whether it is on
        the `frontier`, and whether it is the `knee`; and the `reason` where there is no release.
        """
        series = [
            pl.Series(name, values, pl.String if name == "reason" else None)
            for name, values in self._columns().items()
        ]
        like = pl.DataFrame({"row": [0]}) if self._like is None else self._like
        rows = np.zeros(len(self.trials), np.int64)
        return frames.assemble(frames.to_eager(like), rows, series, like)

    def _columns(self) -> dict[str, list[Any]]:
        every = self.trials

        def collect(part: Callable[[Trial], Mapping[str, Any]]) -> dict[str, list[Any]]:
            names = dict.fromkeys(name for one in every for name in part(one))
            return {name: [part(one).get(name) for one in every] for name in names}

        knee, best = self.knee, self._best
        return {
            **{
                key: _unify_type(values)
                for key, values in collect(lambda one: one.parameters).items()
            },
            "released": [one.has_release for one in every],
            **{
                key: _unify_type(values)
                for key, values in collect(lambda one: one.achieved).items()
            },
            "smallest_class": [one.k for one in every],
            "classes": [one.classes for one in every],
            "suppressed": [one.suppressed for one in every],
            **collect(lambda one: one.utility),
            "average_risk": [one.average_risk for one in every],
            "highest_risk": [one.highest_risk for one in every],
            "seconds": [one.seconds for one in every],
            "frontier": [id(one) in best for one in every],
            "knee": [one is knee for one in every],
            "reason": [one.reason for one in every],
        }

    @property
    def _best(self) -> set[int]:
        return {id(one) for one in self.frontier}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: every combination, the knee's parameters, and the reason."""
        knee, best = self.knee, self._best
        return {
            "rows": self.rows,
            "privacy": self.privacy,
            "measure": self.measure,
            "counted": self.counted_unit,
            "combinations": [
                {
                    "label": trial.label,
                    "parameters": dict(trial.parameters),
                    "released": trial.has_release,
                    **trial.row(),
                    "frontier": id(trial) in best,
                    "knee": trial is knee,
                }
                for trial in self.trials
            ],
            "knee": None if knee is None else dict(knee.parameters),
            "reason": self.reason,
        }

    def write(self, path: str | Path) -> None:
        """Write the table, whole or not at all; the extension says the format.

        Raises
        ------
        DataError
            The path cannot be written.

        """
        files.write_table(frames.to_polars(frames.to_eager(self.table)), path)

    def chart(self, path: str | Path, *, language: str = "en") -> None:
        """Draw privacy and loss of all releases; the extension says the form: .html, .svg, .png.

        Parameters
        ----------
        path
            Where to.
        language
            `en` or `es`.

        Raises
        ------
        DataError
            The path has another extension, or cannot be written; or there is no such language.

        """
        from kanonym.reporting import chart_format, render_comparison  # noqa: PLC0415 - it is above

        files.write_bytes(path, render_comparison(self, chart_format(path), language))

    def plot(self, language: str = "en") -> Any:
        """Return an Altair chart of the releases by privacy and loss, with the frontier."""
        from kanonym.reporting.plots import plot_comparison  # noqa: PLC0415 - reports stand above

        return plot_comparison(self, language)

    def tables(self) -> list[ResultTable]:
        """Return a row for each release, the reasons where there is none, and what to take."""
        released = [trial for trial in self.trials if trial.has_release]
        counts = f"records {self.rows:,} · combinations {len(self.trials):,}"
        lead = f"{counts}, {len(released):,} with a release"
        stopped: dict[str, list[str]] = {}
        for one in self.trials:
            if one.reason is not None:
                stopped.setdefault(one.reason, []).append(one.label)
        refused = [("\n".join(several), reason) for reason, several in stopped.items()]
        reason = ResultTable((), [], notes=(self.reason,))
        return [
            *([self.releases(lead)] if released else [ResultTable((), [], lead=lead)]),
            *([ResultTable(("no release", "why"), refused)] if refused else []),
            reason,
        ]

    def releases(self, lead: str = "") -> ResultTable:
        """Return a row for each release; further measures and models are in the JSON form."""
        released = [trial for trial in self.trials if trial.has_release]
        judged = [] if self.measure == SPAN_LOSS else [self.measure]
        suppressed = any(one.suppressed for one in released)
        rows = [
            (
                KNEE if one is self.knee else FRONT if id(one) in self._best else "",
                one.label,
                format_number(one.k),
                format_number(one.classes),
                *([format_number(one.suppressed)] if suppressed else []),
                *(_digits(one.utility.get(name)) for name in (SPAN_LOSS, *judged)),
                _digits(one.average_risk),
                *([] if judged else [f"{one.seconds or 0:.2f}"]),
            )
            for one in released
        ]
        smallest = "fewest persons" if self.counted_unit == "persons" else "smallest class"
        header = (
            *("", "release", smallest, "classes", *(["suppressed"] if suppressed else [])),
            *("span loss", *(name.replace("-", " ") for name in judged), "average risk"),
            *([] if judged else ["seconds"]),
        )
        return ResultTable(header, rows, frozenset(range(2, len(header))), lead, (LEGEND,))


def _digits(value: float | None) -> str:
    """Return a measured value with three digits."""
    return format_number(value if value is None else float(f"{value:.3g}"))


def as_frame_type(native: Any, frame: Any) -> Any:
    """Return a frame of the type of another one, without its values.

    native: the eager form of `frame`.
    """
    return frames.assemble(native, np.zeros(1, np.int64), [pl.Series("row", [0])], frame)


def _unify_type(values: list[Any]) -> list[Any]:
    """Return values of one type: numbers as they are, others as a reader sees them."""
    numbers = all(value is None or _is_number(value) for value in values)
    if not numbers:
        return [None if one is None else label({"algorithm": one}) for one in values]
    if any(isinstance(value, float) and not value.is_integer() for value in values):
        return [None if one is None else float(one) for one in values]
    return [None if one is None else int(one) for one in values]


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
