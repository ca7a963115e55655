"""The recoding of a release, kept for further batches, and a batch that is released by it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kanonym import series
from kanonym.data import files, frames
from kanonym.data.errors import DataError, KanonymError
from kanonym.data.files.disk import lock_file
from kanonym.release import Release
from kanonym.release.promise import manifest_path
from kanonym.series import Fitted
from kanonym.series.fitted import check_recoding
from kanonym.workbench.work.facts import ReleasedBatch

Step = Callable[[str], None]


def recoding_fault(frame: Any, release: Release) -> str:
    """Return why the recoding of a release is none for further batches; empty where it is."""
    try:
        check_recoding(frame, release)
    except KanonymError as error:
        return str(error)
    return ""


def keep_recoding(frame: Any, release: Release, place: Path, step: Step) -> None:
    """Fit the recoding of a release, count the release as its first batch, and write both."""
    fitted = series.fit(frame, release.policy, progress=step)
    first = fitted.apply(frame, progress=step)
    ours, theirs = (frames.to_polars(one.frame) for one in (release, first))
    names = ours.columns
    same = set(names) == set(theirs.columns) and ours.sort(names).equals(
        theirs.select(names).sort(names)
    )
    if not same:
        raise DataError(
            "applied to this table, the recoding would give another release than the one that was "
            "made, so that both together could be compared: choose full-domain, or do without "
            "suppressed records and random actions"
        )
    place.parent.mkdir(parents=True, exist_ok=True)
    fitted.save(place)


def apply_recoding(
    recoding: Path, batch: str, step: Step, encoding: str | None = None
) -> ReleasedBatch:
    """Release a further batch, and count it once the release is in its place.

    encoding: of the table of the recoding, for a text file that is not UTF-8.
    """
    step("read")
    batch = str(Path(batch).expanduser())
    encoding = encoding if files.is_text(batch, None) else None
    frame, source = files.read_with_content(batch, encoding=encoding)
    with lock_file(recoding):
        fitted = Fitted.load(recoding)
        release = fitted.apply(frame, progress=step)
        output = recoding.with_name(f"{recoding.stem}-batch-{release.batch}.csv")
        step("write")
        with files.atomic_write(recoding) as counted:
            fitted.save(counted)
            files.write_table(
                frames.to_polars(release.frame),
                output,
                like=batch,
                coded=release.coded_columns,
                beside=lambda content: release.manifest(
                    manifest_path(output), input=source, output=content
                ),
            )
    return ReleasedBatch(str(output), release.to_dict())
