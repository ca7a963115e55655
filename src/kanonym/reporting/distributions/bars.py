"""Distributions as bars, also of class sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import gettext as _
from kanonym.language import ENGLISH, Translator

if TYPE_CHECKING:
    from kanonym.data.table import Domain


FEW_BARS = 12
WIDE = 10
"""From this ratio of the largest to the smallest size on, bars grow: 5–9, 10–19, 20–49."""


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """The sizes of the released classes."""

    smallest: int
    median: float
    mean: float
    largest: int
    labels: tuple[str, ...]
    classes: tuple[int, ...]
    records: tuple[int, ...]

    @classmethod
    def of(cls, classes_of_size: Mapping[int, int]) -> ClassSizes:
        """Summarize `{size: number of classes}`; the largest 1 % share the last bar."""
        if not classes_of_size:
            return cls(0, 0.0, 0.0, 0, (), (), ())
        sizes = np.array(sorted(classes_of_size), np.int64)
        classes = np.array([classes_of_size[size] for size in sizes.tolist()], np.int64)
        upto = np.cumsum(classes)
        n, smallest = int(upto[-1]), int(sizes[0])
        top = int(sizes[np.searchsorted(upto, 0.99 * n)])
        grown = top >= WIDE * smallest
        starts = _growing_starts(smallest, top) if grown else _even_starts(smallest, top)
        bar = np.searchsorted(starts, sizes, side="right") - 1
        labels = [f"{a}" if a == b - 1 else f"{a}–{b - 1}" for a, b in pairwise(starts)]
        alone = sizes[-1] == starts[-1]
        labels.append(f"{starts[-1]}" if alone else f"{starts[-1]}+")
        middle = sizes[np.searchsorted(upto, [(n + 1) // 2, n // 2 + 1])]
        return cls(
            smallest=smallest,
            median=float(middle.mean()),
            mean=float((sizes * classes).sum() / n),
            largest=int(sizes[-1]),
            labels=tuple(labels),
            classes=tuple(np.bincount(bar, classes).astype(int).tolist()),
            records=tuple(np.bincount(bar, classes * sizes).astype(int).tolist()),
        )


def _even_starts(smallest: int, top: int) -> list[int]:
    """Return where bars of one width begin."""
    width = next(
        digit * 10**power
        for power in count()
        for digit in (1, 2, 5)
        if (top - smallest) // (digit * 10**power) < FEW_BARS
    )
    return list(range(smallest, top + 1, width))


def _growing_starts(smallest: int, top: int) -> list[int]:
    """Return the smallest size, and the sizes 1, 2 and 5 times a power of ten above it."""
    powers = range(len(str(top)))
    steps = (digit * 10**power for power in powers for digit in (1, 2, 5))
    return [smallest, *(step for step in steps if smallest < step <= top)]


MOST_JOINED = 3
"""Names of one bar."""
FEWEST_BARS = 4
TINY, HUGE = 1e-300, 1e300
"""Numbers that are not so far apart, or farther, share a bar: their steps are no numbers."""
WHOLE = 2**62
"""Integers that are farther apart have steps beyond 64 bits."""
NAMEABLE = 0.8
"""A level of a hierarchy is shown if so many records have a label there that is told apart."""
_CALENDAR = (
    ("m", 1), ("m", 15), ("h", 1), ("D", 1), ("M", 1), ("M", 3),
    ("Y", 1), ("Y", 5), ("Y", 10), ("Y", 50), ("Y", 100), ("Y", 1000),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bars:
    """The bars of one attribute."""

    labels: tuple[str, ...]
    bar_of_code: NDArray[np.int64]
    rest: int | None = None


@dataclass(frozen=True, slots=True)
class _Grid:
    """Equal steps over a line: the step of each value, and how steps are called."""

    step_of_code: NDArray[np.int64]
    start: Callable[[int], str]
    span: Callable[[int, int], str]
    tails: tuple[str, str]


def bars_of(
    domain: Domain,
    counts: NDArray[np.int64],
    floor: int,
    most: int = 24,
    speech: Translator = ENGLISH,
    marks: NDArray[np.uint64] | None = None,
) -> Bars:
    """Choose at most `most` bars (one more for null), none with 1 to `floor` - 1 records.

    Notes
    -----
    Numbers and dates are binned in round steps between their first and 99th
    percentile, with open ends; other values are named where frequent and called
    "other" together. Costs one sort of the domain.

    """
    known = counts[: domain.apart]
    nulls, total = int(counts.sum() - known.sum()), int(known.sum())
    rest = None
    if marks is None:
        marks = np.arange(len(counts), dtype=np.uint64)
    marks = marks[: len(known)]
    held = np.unique(marks[known > 0])
    if 0 < total < floor or not counts.any():
        return Bars((speech.text(_("all values")),), np.zeros(domain.size, np.int64))
    if not total:
        return Bars((speech.text(_("(missing)")),), np.zeros(domain.size, np.int64))
    if len(held) == 1 < int((known > 0).sum()):
        labels, bar_of_code = [speech.text(_("all values"))], np.zeros(len(known), np.int64)
    elif int((known > 0).sum()) == 1:
        labels = [str(domain.values[int(np.argmax(known))])]
        bar_of_code = np.zeros(len(known), np.int64)
    elif domain.kind in ("number", "temporal"):
        labels, bar_of_code = _steps(domain, known, marks, floor, most, speech)
    else:
        labels, bar_of_code, rest = _names(domain, known, marks, floor, most, speech)
    if domain.apart < domain.size:
        fullest = int(np.argmax(np.bincount(bar_of_code, known)))
        others = np.full(domain.size - domain.apart, len(labels) if nulls >= floor else fullest)
        bar_of_code = np.append(bar_of_code, others)
        if nulls >= floor:
            labels.append(speech.text(_("(missing)")))
        elif nulls:
            labels[fullest] = speech.text(_("{label} or missing"), label=labels[fullest])
    return Bars(tuple(labels), bar_of_code, rest)


def numbers(domain: Domain) -> NDArray[Any]:
    """Return (n,) the non-null values of a `number` or `temporal` attribute for arithmetic.

    Integers of 64 bits stay integers, times of day are moments of 1970-01-01, durations are hours.
    """
    values = domain.values.head(domain.apart)
    if values.dtype.is_integer():
        whole = values.cast(pl.Int64, strict=False)
        return (values.cast(float) if whole.null_count() else whole).to_numpy()
    if domain.kind == "number":
        return values.cast(float).to_numpy()
    name = str(values.dtype)
    if name.startswith("Duration"):
        return values.to_numpy() / np.timedelta64(1, "h")
    if name.startswith("Time"):
        return values.to_physical().to_numpy().view("datetime64[ns]")
    return values.to_numpy()


def _names(
    domain: Domain,
    counts: NDArray[np.int64],
    marks: NDArray[np.uint64],
    floor: int,
    most: int,
    speech: Translator,
) -> tuple[list[str], NDArray[np.int64], int | None]:
    """Name values, or labels of the finest level of the hierarchy that has few enough.

    The number is the bar of those that are not named.
    """
    texts, of_code = _texts(domain, counts, marks, most)
    by_text = np.bincount(of_code, counts, minlength=len(texts)).astype(np.int64)
    apart = _is_distinguishable(of_code, marks, len(texts))
    shown = _frequent_names(by_text, apart, floor, most)
    if domain.kind != "nominal":
        shown = np.sort(shown)
    bar_of_text = np.full(len(texts), len(shown), np.int64)
    bar_of_text[shown] = np.arange(len(shown))
    named = [texts[code] for code in shown.tolist()]
    rest = int((by_text > 0).sum()) - len(shown)
    if rest:
        other = speech.text(_("other ({number} values)"), number=speech.count(rest))
        named.append(other if len(shown) else speech.text(_("all values")))
    elif len(shown) < len(texts) and domain.hierarchy is not None:  # which alone knows the rest
        named.append(speech.text(_("not in the original")))
    bar_of_code = np.minimum(bar_of_text, len(named) - 1)[of_code]
    return named, bar_of_code, len(shown) if rest and len(shown) else None


def _texts(
    domain: Domain, counts: NDArray[np.int64], marks: NDArray[np.uint64], most: int
) -> tuple[list[str], NDArray[np.int64]]:
    """Return what bars may be called, and which of it each code is called."""
    values = [str(text) for text in domain.values.head(domain.apart).cast(str).to_list()]
    if domain.hierarchy is None:
        # Values that are always released together are named together.
        _, first, group = np.unique(marks, return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first))[group]
        members: list[list[str]] = [[] for _turn in first]
        for text, count, code in zip(values, counts.tolist(), place.tolist(), strict=True):
            if count or len(first) == len(values):
                members[code].append(text)
        return [_join_names(member) for member in members], place.astype(np.int64)
    ways: list[tuple[list[str], NDArray[np.int64]]] = [(values, np.arange(len(counts)))]
    for labels, codes in zip(domain.hierarchy.labels, domain.hierarchy.codes, strict=True):
        known = list(labels[: len(labels) - (domain.size - domain.apart)])  # and exceptions
        if 1 < len(known) < len(ways[-1][0]):
            ways.append(([str(text) for text in known], codes[: len(counts)].astype(np.int64)))
    few = [way for way in ways if len(way[0]) <= most] or ways[-1:]

    def nameable(way: tuple[list[str], NDArray[np.int64]]) -> float:
        return float(counts[_is_distinguishable(way[1], marks, len(way[0]))[way[1]]].sum())

    enough = NAMEABLE * counts.sum()
    return next((way for way in few if nameable(way) >= enough), max(few, key=nameable))


def _join_names(texts: Sequence[str]) -> str:
    if len(texts) > MOST_JOINED:
        return f"{', '.join(texts[:MOST_JOINED])} +{len(texts) - MOST_JOINED}"
    return ", ".join(texts)


def _is_distinguishable(
    of_code: NDArray[np.int64], marks: NDArray[np.uint64], n_texts: int
) -> NDArray[np.bool_]:
    """Return (n_texts,) whether the release tells a text's codes from all others.

    Codes that no label covers have the mark 0, and do not matter.
    """
    covered = marks != 0
    _, mark = np.unique(marks[covered], return_inverse=True)
    pairs = np.unique(np.stack([mark, of_code[covered]], axis=1), axis=0)
    straddles = np.bincount(pairs[:, 0]) > 1
    apart = np.ones(n_texts, np.bool_)
    apart[pairs[straddles[pairs[:, 0]], 1]] = False
    return apart


def _frequent_names(
    counts: NDArray[np.int64], apart: NDArray[np.bool_], floor: int, most: int
) -> NDArray[np.int64]:
    """Return the most frequent entries told apart, so that what is left is not rare itself."""
    by_count = np.argsort(-np.where(apart, counts, -1), kind="stable")
    present, shown = int((counts > 0).sum()), int(((counts >= floor) & apart).sum())
    if shown > most or shown < present:
        shown = min(shown, most - 1)
    while shown and 0 < counts[by_count[shown:]].sum() < floor:
        shown -= 1
    return by_count[:shown]


def _steps(
    domain: Domain,
    counts: NDArray[np.int64],
    marks: NDArray[np.uint64],
    floor: int,
    most: int,
    speech: Translator,
) -> tuple[list[str], NDArray[np.int64]]:
    """Bin a line in the finest round steps that give few enough bars."""
    line = numbers(domain)
    if line.dtype.kind == "i" and int(line.max()) - int(line.min()) > WHOLE:
        line = line.astype(np.float64)
    order = np.argsort(line, kind="stable")
    held = order[counts[order] > 0]  # what only suppressed records have shapes no bar
    ascending, cumulated = line[held], np.cumsum(counts[held])
    total = int(cumulated[-1])
    for tail in (max(floor, total // 100), floor):
        at = np.searchsorted(cumulated, (min(tail, total), max(total - tail, 0) + 1))
        low, high = ascending[at[0]], ascending[at[1]]
        if low < high:
            break
    else:
        low = high = ascending[at[0]]
    if line.dtype.kind != "M" and not TINY < float(high) - float(low) < HUGE:
        return [speech.text(_("all values"))], np.zeros(len(line), np.int64)
    shown = line[(marks != 0) | (counts > 0)]
    below, above = shown.min() < low, shown.max() > high
    whole = line.dtype.kind != "M" and bool((ascending == np.floor(ascending)).all())
    line = np.clip(line, low, high)
    tried = [
        (grid, _starts(grid.step_of_code[held], counts[held], marks[held], floor))
        for grid in _few_steps(_grids(line, low, high, most, speech, whole=whole), most)
    ]
    grid, starts = next(
        (one for one in tried if len(one[1]) >= FEWEST_BARS),
        max(tried, key=lambda one: len(one[1])),
    )
    first, last = int(grid.step_of_code.min()), int(grid.step_of_code.max())
    ends = [*starts[1:], last - first + 1]
    labels = [grid.span(first + a, first + b - 1) for a, b in zip(starts, ends, strict=True)]
    bar = np.searchsorted(starts, grid.step_of_code - first, side="right") - 1
    if len(labels) == 1:
        return [speech.text(_("all values")) if below or above else labels[0]], bar
    if below or ends[0] > 1:
        labels[0] = speech.text(grid.tails[0], start=grid.start(first + ends[0]))
    if above or ends[-1] - starts[-1] > 1:
        labels[-1] = speech.text(grid.tails[1], start=grid.start(first + starts[-1]))
    return labels, bar


def _few_steps(grids: Iterator[_Grid], most: int) -> Iterator[_Grid]:
    """Yield grids of few enough steps from fine to coarse, up to one that has a single step."""
    for grid in grids:
        steps = int(np.ptp(grid.step_of_code))
        if steps < most:
            yield grid
        if steps < FEWEST_BARS:
            return


def _starts(
    step: NDArray[np.int64], counts: NDArray[Any], marks: NDArray[np.uint64], floor: int
) -> list[int]:
    """Return the first step of each bar: it holds `floor` records, and the release tells it apart.

    Values stand in ascending order.
    """
    step = step - step[0]
    sums = np.bincount(step, counts)
    allowed = np.zeros(len(sums), np.bool_)
    turns = np.flatnonzero((step[1:] > step[:-1]) & (marks[1:] != marks[:-1])) + 1
    allowed[step[turns]] = True
    starts, held = [0], 0.0
    for place in range(1, len(sums)):
        held += sums[place - 1]
        if held >= floor and allowed[place]:
            starts.append(place)
            held = 0.0
    held += sums[-1]
    while len(starts) > 1 and held < floor:
        held += sums[starts[-2] : starts[-1]].sum()
        starts.pop()
    return starts


def _grids(
    line: NDArray[Any],
    low: np.generic,
    high: np.generic,
    most: int,
    speech: Translator,
    *,
    whole: bool,
) -> Iterator[_Grid]:
    """Yield grids over a line from fine to coarse."""
    if line.dtype.kind == "M":
        yield from (_calendar(line, unit, width) for unit, width in _CALENDAR)
        return
    spread = float(high) - float(low)
    power = max(0, math.floor(math.log10(spread / most))) if whole and spread else 0
    if not whole:
        power = math.floor(math.log10(spread / most)) if spread else -3
    while True:
        for digit in (1, 2, 5):
            yield _whole(line, digit * 10**power) if whole else _real(line, digit, power, speech)
        power += 1


def _whole(line: NDArray[Any], width: int) -> _Grid:
    def span(a: int, b: int) -> str:
        low, high = a * width, (b + 1) * width - 1
        return f"{low}" if low == high else f"{low}–{high}"

    return _Grid(
        np.floor_divide(line, line.dtype.type(width)).astype(np.int64),
        lambda a: f"{a * width}",
        span,
        (_("under {start}"), _("{start}+")),
    )


def _real(line: NDArray[Any], digit: int, power: int, speech: Translator) -> _Grid:
    def start(a: int) -> str:
        return speech.localize(f"{a * digit * 10.0**power:.{max(0, -power)}f}")

    return _Grid(
        np.floor(line / (digit * 10.0**power)).astype(np.int64),
        start,
        lambda a, b: speech.text(_("{start} to {end}"), start=start(a), end=start(b + 1)),
        (_("under {start}"), _("{start}+")),
    )


def _calendar(line: NDArray[Any], unit: Any, width: int) -> _Grid:
    shift = 1970 if unit == "Y" else 0  # decades start in 1970, not 1970 years ago

    def moment(a: int) -> str:
        text = str(np.datetime64(a * width - shift, unit))
        return text.replace("T", " ") + (":00" if unit == "h" else "")

    def span(a: int, b: int) -> str:
        first, last = moment(a), str(np.datetime64((b + 1) * width - shift - 1, unit))
        dash = "–" if unit == "Y" else " – "
        return first if a == b and width == 1 else f"{first}{dash}{last.replace('T', ' ')}"

    return _Grid(
        np.floor_divide(line.astype(f"datetime64[{unit}]").astype(np.int64) + shift, width),
        moment,
        span,
        (_("before {start}"), _("from {start}")),
    )
