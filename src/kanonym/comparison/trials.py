"""Trials of a comparison, and the file that keeps them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, fields
from hashlib import sha256
from io import BufferedRandom
from os import PathLike, fsync
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from kanonym.comparison.sweep import Combination, single_line, with_parts
from kanonym.data import files, frames
from kanonym.data.columns.rebuild import Frame
from kanonym.data.errors import DataError, InfeasibleError, PolicyError, Progress, SchemaError
from kanonym.data.results import ShortRepr
from kanonym.evaluation.utility.table_utility import utility
from kanonym.kernels.parallel import cores
from kanonym.models.base import PrivacyModel
from kanonym.pipeline import anonymize
from kanonym.policy import Policy
from kanonym.policy.referenced_files import input_files
from kanonym.release import Release, versions

MARK = b'{"kanonym comparison": '
"""How each line starts."""

FORMAT = 1


class State:
    """Rows by key, in memory and in a file of JSON Lines.

    A line is written whole as soon as its row is there. A last line that was cut off, as by a
    power failure, is taken away. No value of a table stands in the file.
    """

    def __init__(self, file: BufferedRandom | None) -> None:
        self._file = file
        self._lock = Lock()
        self._rows: dict[str, dict[str, Any]] = {}
        if file is not None:
            *lines, rest = file.read().split(b"\n")
            if _parse_row(rest) is None:
                file.seek(-len(rest), 2)
                file.truncate()
            else:
                file.write(b"\n")
            for line in (*lines, rest):
                found = _parse_row(line)
                if found is not None:
                    self._rows[found["key"]] = found["row"]

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the row of a key, if it is known."""
        return self._rows.get(key)

    def add(self, key: str, row: Mapping[str, Any]) -> None:
        """Note a row; it is on the disk when this returns."""
        if self._file is None:
            return
        said = {"kanonym comparison": FORMAT, "key": key, "row": row}
        with self._lock:
            self._file.write(json.dumps(said, ensure_ascii=False).encode() + b"\n")
            self._file.flush()
            fsync(self._file.fileno())


@contextmanager
def open_state(path: str | Path | None) -> Iterator[State]:
    """Open a state, new or not; without a path nothing is kept."""
    if path is None:
        yield State(None)
        return
    if not Path(path).exists():  # else it is gone on with
        files.check_output(path)
    try:
        with Path(path).open("a+b") as file:
            file.seek(0)
            start = file.read(len(MARK))
            if not MARK.startswith(start):
                raise DataError(
                    f"{path} holds something else than a comparison: name another file to resume "
                    "from, or a new one"
                )
            file.seek(0)
            yield State(file)
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from error


def _parse_row(line: bytes) -> dict[str, Any] | None:
    """Return what a line says, None where it is not whole or of another format."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    if not isinstance(found, dict) or found.get("kanonym comparison") != FORMAT:
        return None
    whole = isinstance(found.get("key"), str) and isinstance(found.get("row"), dict)
    return found if whole else None


def key_of(table: str, policy: Policy, measures: Sequence[str]) -> str:
    """Return the key of a row: equal for the same table, policy, measures and versions.

    Files that the policy reads and population tables count by what they hold. table: of
    `table_digest`.
    """
    population = policy.population
    in_memory = [] if population is None or isinstance(population, str | PathLike) else [population]
    contents = [
        *(files.sha256(path) for path in input_files(policy).values()),
        *(table_digest(persons) for persons in in_memory),
    ]
    parts = [table, repr(policy.to_dict()), *contents, repr(sorted(measures)), repr(versions())]
    return sha256("\0".join(parts).encode()).hexdigest()


def table_digest(frame: Frame) -> str:
    """Return the SHA-256 of a table: names, types and values of its columns in order.

    Columns that hold something else than values (lists, structures) count by name. Cost: a pass
    over the table.
    """
    native = frames.to_eager(frame)
    whole = sha256(str(frames.n_rows(native)).encode())
    for name in frames.column_names(native):
        whole.update(f"\0{name}\0".encode())
        try:
            column = frames.column(native, name)
        except DataError:
            continue
        whole.update(str(column.dtype).encode())
        whole.update(np.packbits(column.is_null().to_numpy()).tobytes())
        texts = column.cast(str).fill_null("")
        whole.update(texts.str.len_bytes().to_numpy().tobytes())
        whole.update((texts.str.join("").item() or "").encode())
    return whole.hexdigest()


MOST_WORKERS = 4
"""Each holds a release: more would cost memory, and most kernels use several cores anyway."""

ALONE = ("kmeans",)
"""Algorithms that limit the threads of the whole process while they run."""

REFUSALS = (PolicyError, SchemaError, InfeasibleError)
"""What a combination says no with; other errors may be faults of the table."""

NUMBERS = ("k", "classes", "suppressed", "average_risk", "highest_risk", "seconds")
"""What a row of a release always has."""

SPAN_LOSS = "span-loss"
"""The measure by which releases are judged if nobody names another: it is comparable between
ranges, lists and labels of hierarchies."""

ALWAYS = (SPAN_LOSS, "gcp")
"""Measures of utility that every trial has."""

_alone = Lock()


@dataclass(frozen=True, slots=True, repr=False)
class Trial(ShortRepr):
    """One combination, and what its release is worth.

    column_losses: by quasi-identifier, the span loss. largest_shares: by sensitive attribute, the
    largest share that one value has in a class.
    """

    parameters: Mapping[str, Any]
    policy: Policy | None
    reason: str | None = None
    achieved: Mapping[str, float | None] = field(default_factory=dict)
    k: int | None = None
    classes: int | None = None
    suppressed: int | None = None
    utility: Mapping[str, float | None] = field(default_factory=dict)
    average_risk: float | None = None
    highest_risk: float | None = None
    seconds: float | None = None
    guesses: Mapping[str, float | None] = field(default_factory=dict)
    column_losses: Mapping[str, float | None] = field(default_factory=dict)
    largest_shares: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def has_release(self) -> bool:
        """Whether there is a release."""
        return self.reason is None

    @property
    def label(self) -> str:
        """The values that were swept, in a line."""
        return label(self.parameters)

    def row(self) -> dict[str, Any]:
        """Return what was found, as JSON has it."""
        names = [one.name for one in fields(self) if one.name not in ("parameters", "policy")]
        return {name: getattr(self, name) for name in names}


def run(
    native: Frame,
    asked: Sequence[Combination],
    *,
    measures: Sequence[str] = (),
    workers: int | None = None,
    progress: Callable[[str], None] | None = None,
    resume: str | Path | None = None,
) -> list[Trial]:
    """Carry out combinations on a table, in their order whatever order they finish in."""
    tell = progress or (lambda _text: None)
    known: set[str] = set()
    trials: list[Trial | None] = [None] * len(asked)
    faults: list[DataError] = []
    with open_state(resume) as state:
        table = "" if resume is None else table_digest(native)
        keys = [_key(resume, table, one.policy, measures) for one in asked]
        waiting = []
        for place, (combination, key) in enumerate(zip(asked, keys, strict=True)):
            if combination.policy is None:
                trials[place] = Trial(combination.parameters, None, combination.reason)
            elif key is not None:
                trials[place] = _read_trial(combination, state.get(key), measures)
            if trials[place] is None:
                waiting.append(place)
        done = len(asked) - len(waiting)
        tell(_progress(done, len(asked)))

        def carry_out(place: int) -> tuple[int, Trial, list[str]]:
            built: list[str] = []
            one, key = asked[place], keys[place]
            try:
                trial = _try_combination(native, one, measures, built)
            except DataError as error:
                # Not kept: it may end the next comparison, too.
                faults.append(error)
                return place, _refused_trial(one, error), built
            if key is not None:
                state.add(key, trial.row())
            return place, trial, built

        n_workers = min(workers or min(cores(), MOST_WORKERS), len(waiting))
        for place, trial, built in _run_each(carry_out, waiting, n_workers):
            trials[place] = trial
            done += 1
            for sentence in built:
                if sentence not in known:
                    known.add(sentence)
                    tell(sentence)
            tell(_progress(done, len(asked), f": {trial.label}"))
    policies = sum(one.policy is not None for one in asked)
    if len(faults) == policies and len({str(error) for error in faults}) == 1:
        raise faults[0]
    return [one for one in trials if one is not None]


def _progress(done: int, total: int, last: str = "") -> Progress:
    return Progress(f"compare: {done} of {total} combinations done{last}", done=done, total=total)


def _run_each(
    work: Callable[[int], tuple[int, Trial, list[str]]], places: Sequence[int], workers: int
) -> Iterator[tuple[int, Trial, list[str]]]:
    """Work on every place and give what comes of it as it is there."""
    if workers < 2:
        yield from map(work, places)
        return
    pool = ThreadPoolExecutor(workers)
    try:
        for future in as_completed([pool.submit(work, place) for place in places]):
            yield future.result()
    finally:
        # After an error or Ctrl-C: what runs comes to its end, and nothing else begins.
        pool.shutdown(cancel_futures=True)


def _key(
    resume: str | Path | None, table: str, policy: Policy | None, measures: Sequence[str]
) -> str | None:
    return None if resume is None or policy is None else key_of(table, policy, measures)


def _try_combination(
    native: Any, one: Combination, measures: Sequence[str], built: list[str]
) -> Trial:
    """Release a table as a combination says, and measure the release.

    built: gets the sentences about hierarchies that were built.
    """
    policy = one.policy
    assert policy is not None  # noqa: S101 - others are never carried out
    # The order of the records changes no class; in their own, measures can compare them.
    sampled = any(model.sampling is not None for model in policy.models)
    ordered = policy if sampled else with_parts(policy, keep_order=True)

    def listen(text: str) -> None:
        if text.startswith("encode: "):
            built.append(text)

    try:
        with _alone if policy.algorithm.type in ALONE else nullcontext():
            release = anonymize(native, ordered, progress=listen)
    except REFUSALS as error:
        return _refused_trial(one, error)
    verification, risk = release.verification, release.risk
    names = model_names(policy.models)
    measured, guesses = _measure_release(native, release, measures)
    return Trial(
        parameters=one.parameters,
        policy=policy,
        achieved={
            name: check.to_dict()["achieved"]
            for name, check in zip(names, verification.checks, strict=True)
        },
        k=_smallest(release),
        classes=verification.n_classes,
        suppressed=release.suppressed,
        utility={SPAN_LOSS: release.utility.span_loss, "gcp": release.utility.gcp, **measured},
        average_risk=risk.average,
        highest_risk=risk.highest,
        seconds=sum(release.seconds.values()),
        guesses=guesses,
        column_losses={name: one.loss for name, one in release.utility.coverage.items()},
        largest_shares={one.attribute: one.share for one in verification.largest_shares},
    )


def _refused_trial(one: Combination, error: Exception) -> Trial:
    """Return a combination without a release, with the reason that an error tells."""
    return Trial(one.parameters, one.policy, _without_values(single_line(error)))


def _smallest(release: Release) -> int:
    """Return the records in the smallest class, or what k-anonymity with an entity counts."""
    verification = release.verification
    checks = zip(release.policy.models, verification.checks, strict=True)
    persons = [check.achieved for model, check in checks if entity_of([model]) is not None]
    return int(min(persons)) if persons and verification.n_classes else verification.k


def entity_of(models: Sequence[PrivacyModel]) -> str | None:
    """Return the identifier by which a model counts persons; None where none does."""
    return next((model.entity for model in models if model.entity is not None), None)


def _read_trial(
    one: Combination, row: Mapping[str, Any] | None, measures: Sequence[str]
) -> Trial | None:
    """Return what a file has of a combination; None where it is not a whole row."""
    if row is None or row.keys() != Trial({}, None).row().keys():
        return None
    if isinstance(row["reason"], str):
        return Trial(one.parameters, one.policy, row["reason"])
    named = [value for value in row.values() if isinstance(value, dict)]
    if len(named) < sum(isinstance(part, dict) for part in Trial({}, None).row().values()):
        return None
    if row["utility"].keys() != {*ALWAYS, *measures}:
        return None
    numbers = [row[name] for name in NUMBERS]
    maybe = [value for part in named for value in part.values() if value is not None]
    whole = row["reason"] is None and all(type(value) in (int, float) for value in numbers + maybe)
    return Trial(one.parameters, one.policy, **row) if whole else None


def _measure_release(
    native: Any, release: Release, measures: Sequence[str]
) -> tuple[dict[str, float | None], dict[str, float | None]]:
    """Return further measures of the utility of a release, and what guessing reaches of them."""
    further = [name for name in measures if name not in ALWAYS]
    if not further:
        return {}, {}
    try:
        with _alone:
            found = utility(native, release, measures=further, seed=release.policy.seed or 0)
    except (DataError, SchemaError):
        # Released values that cannot be read are no reason to end a comparison.
        return dict.fromkeys(further), {}
    values = {name: found.measured[name].value for name in further}
    guesses = {name: found.measured[name].guess for name in further}
    return values, {name: value for name, value in guesses.items() if value is not None}


def model_names(models: Sequence[PrivacyModel]) -> list[str]:
    """Return a name for each model; a second one of a name gets its number."""
    names: list[str] = []
    for model in models:
        name = f"{model.type} of {model.attribute}" if model.attribute else model.type
        before = sum(one.split(" #")[0] == name for one in names)
        names.append(f"{name} #{before + 1}" if before else name)
    return names


def label(parameters: Mapping[str, Any]) -> str:
    """Return swept values in a line: `mondrian, k 5`."""
    said = []
    for key, value in parameters.items():
        if value is None and key != "recoding":
            continue
        text = _format_value(value)
        said.append(text if key == "algorithm" else f"{key.removeprefix('algorithm.')} {text}")
    return ", ".join(said)


def _format_value(value: Any) -> str:
    """Return a swept value for a reader: `mondrian (split loss)`."""
    if isinstance(value, Mapping):
        given = ", ".join(
            f"{key} {_format_value(part)}" for key, part in value.items() if key != "type"
        )
        return f"{value['type']} ({given})" if "type" in value else f"({given})"
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_format_value, value))})"
    if value is None:
        return "by column"
    return f"{value:g}" if isinstance(value, float) else str(value).replace("_", " ")


def _without_values(reason: str) -> str:
    """Return a reason without the released values of classes that it names."""
    return re.sub(r" \(\{.*\}\)", "", reason)
