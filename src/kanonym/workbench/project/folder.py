"""The folder of a project, and the releases in it."""

from __future__ import annotations

import json
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, get_args

from kanonym.data.errors import DataError
from kanonym.data.errors import gettext as _
from kanonym.data.files import sha256, write_text
from kanonym.data.files.disk import lock_file
from kanonym.policy import document
from kanonym.policy.writing import policy_yaml
from kanonym.verification.verdict import Verdict
from kanonym.workbench.project.history import Form, History
from kanonym.workbench.work.facts import MadeRelease, Rows, Source, WrittenFiles

SETTINGS, HISTORY, POLICY, RELEASES = "project.json", "history.json", "policy.yaml", "releases"
PRIVATE_SEED = "private-seed"
VERSION = 1
NOTE = (
    "Written by kanonym workbench.",
    "The seeds make the release repeatable: whoever has them can undo the shuffle, and what chance",
    "hides. Keep them as secret as the table.",
)


class ChangedError(DataError):
    """Somebody else changed the project: what is on the disk was not written here."""


class ProjectFolder:
    """A project on the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._seen: tuple[bytes, ...] | None = None

    @property
    def exists(self) -> bool:
        """Whether a project was saved here."""
        return (self.path / SETTINGS).is_file()

    @property
    def releases(self) -> Path:
        """Where releases are written, a folder each."""
        return self.path / RELEASES

    @property
    def private_seed(self) -> Path:
        """The file of the private seed."""
        return self.path / PRIVATE_SEED

    def save(self, source: Source, history: History) -> None:
        """Write the project, each file whole or not at all."""
        if self.path.exists() and not self.exists and any(self.path.iterdir()):
            raise DataError(f"{self.path} is not empty and holds no project; name another folder")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"{self.path} cannot be made: {error.strerror}") from None
        if not self.private_seed.exists():
            write_text(self.private_seed, secrets.token_hex(32) + "\n")
        form = history.state.form
        settings = {"version": VERSION, "table": asdict(source.displayable)}
        with lock_file(self.path / SETTINGS):
            if self.exists and self._seen != self._contents():
                raise ChangedError(f"{self.path} was changed by another workbench, or by hand")
            write_text(self.path / HISTORY, json.dumps(history.to_dict(), ensure_ascii=False))
            write_text(self.path / POLICY, policy_yaml(form, NOTE, {}))
            told = json.dumps(settings, indent=2, ensure_ascii=False)
            write_text(self.path / SETTINGS, told + "\n")
            self._seen = self._contents()

    def load(self) -> tuple[Source, History]:
        """Read the project; a policy that was edited by hand is a further state."""
        source = self._source()
        self._seen = self._contents()
        place = self.path / HISTORY
        form = self._form()
        try:
            history = History.from_dict(json.loads(place.read_text("utf-8")))
        except FileNotFoundError:
            history = History.of(form)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise DataError(
                f"{place} is damaged; remove it, and the project starts from its policy"
            ) from None
        if form != history.state.form:
            history = history.after(form, _("The policy file was edited by hand"), {})
        return source, history

    def _contents(self) -> tuple[bytes, ...]:
        """Return what the files that hold the policy say."""
        places = [self.path / name for name in (HISTORY, POLICY)]
        return tuple(place.read_bytes() if place.is_file() else b"" for place in places)

    def _source(self) -> Source:
        place = self.path / SETTINGS
        try:
            settings = json.loads(place.read_text("utf-8"))
            if settings["version"] != VERSION:
                raise DataError(f"{place} is of another version of kanonym")
            return Source(**settings["table"])
        except FileNotFoundError:
            raise DataError(f"{self.path} holds no project: there is no {SETTINGS}") from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise DataError(f"{place} is damaged, or no settings of a project") from None

    def _form(self) -> Form:
        place = self.path / POLICY
        return document.parse(document.read_text(place), str(place))


RELEASE_NOTE = "release.json"
"""The last file of a folder: one without it is not whole."""
NEW, OLD = ".new", ".old"
LOCKED = "releases"
"""Names the lock on all folders."""
STAMPED = (".xlsx", ".sav", ".dta")
"""How files end that hold the time at which they were written: no two have the same bytes."""
_NAME = re.compile(r"(hierarchies/)?\w[\w. -]*")


@dataclass(frozen=True, slots=True)
class KeptRelease:
    """A release that was written into the project."""

    state: int
    asked: Form
    table: str
    made: MadeRelease
    written: WrittenFiles
    attacks: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> str:
        """Return the text of its note."""
        made = self.made
        form = {
            "state": self.state,
            "asked": self.asked,
            "table": self.table,
            "form": made.form,
            "figures": made.figures,
            "rows": asdict(made.rows),
            "files": self.written.names,
            "sha256": self.written.sha256,
            "attacks": self.attacks,
        }
        return json.dumps(form, ensure_ascii=False) + "\n"

    @classmethod
    def load(cls, folder: Path) -> KeptRelease | None:
        """Return the release of a folder; None where its note is damaged."""
        try:
            given = json.loads((folder / RELEASE_NOTE).read_text("utf-8"))
            names = tuple(one for one in given["files"] if _NAME.fullmatch(one))
            rows = given["rows"]
            cells = tuple(tuple(row) for row in rows["cells"])
            shown = Rows(tuple(rows["header"]), cells, int(rows["start"]), int(rows["total"]))
            figures = _checked_figures(given["figures"])
            return cls(
                int(given["state"]),
                dict(given["asked"]),
                str(given["table"]),
                MadeRelease(dict(given["form"]), figures, shown),
                WrittenFiles(folder.name, names, str(given["sha256"])),
                tuple(_checked_attack(one) for one in given.get("attacks", ())),
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None


def load_releases(place: Path) -> list[KeptRelease]:
    """Return the releases of a project, the oldest first."""
    if not place.is_dir():
        return []
    folders = [one for one in place.iterdir() if one.name.isdecimal()]
    folders.sort(
        key=lambda one: (
            (one / RELEASE_NOTE).stat().st_mtime if (one / RELEASE_NOTE).is_file() else 0
        )
    )
    return [one for one in map(KeptRelease.load, folders) if one is not None]


@contextmanager
def staged_folder(place: Path, *, own: bool = False) -> Iterator[Path]:
    """Give a new folder that takes the place of another one when all of it is written.

    What was there stays until then; a process that is killed loses neither. own: take the place
    of none, and the next number that is free.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    with lock_file(place.parent / LOCKED):
        _settle(place)
        while own and place.exists():
            place = place.with_name(f"{int(place.name) + 1:04d}")
            _settle(place)
        fresh = place.with_name(place.name + NEW)
        fresh.mkdir()
        try:
            yield fresh
            if place.exists():
                place.rename(place.with_name(place.name + OLD))
            fresh.rename(place)
        finally:
            _settle(place)


def settle_folders(releases: Path) -> None:
    """Finish or drop what a process that was killed left behind."""
    if releases.is_dir():
        with lock_file(releases / LOCKED):
            for name in {one.stem for one in releases.iterdir() if one.suffix in (NEW, OLD)}:
                _settle(releases / name)


def _settle(place: Path) -> None:
    fresh, old = place.with_name(place.name + NEW), place.with_name(place.name + OLD)
    if not place.exists() and (fresh / RELEASE_NOTE).is_file():
        fresh.rename(place)
    elif not place.exists() and old.exists():
        old.rename(place)
    for left in (fresh, old):
        shutil.rmtree(left, ignore_errors=True)


def keep_files(before: Path, fresh: Path, written: WrittenFiles) -> tuple[WrittenFiles, Any]:
    """Take files of a release that were written before along, and what attacks found then.

    Returns all files, and the attacks. Files of the same name must be of the same release.
    """
    kept = KeptRelease.load(before)
    if kept is None:
        return written, ()
    table = written.names[0]
    is_stated = (before / table).is_file() and not table.endswith(STAMPED)
    if is_stated and sha256(before / table) != written.sha256:
        raise DataError(f"{before / table} is of another release: it was not overwritten")
    others = [name for name in kept.written.names if name not in written.names]
    others = [one for one in others if (before / one).is_file()]
    for other in others:
        (fresh / other).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(before / other, fresh / other)
    return replace(written, names=(*written.names, *others)), kept.attacks


def write_note(folder: Path, kept: KeptRelease) -> None:
    """Write the note: from then on the folder is whole."""
    write_text(folder / RELEASE_NOTE, kept.to_json())


def _checked_attack(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is shown of an attack."""
    numbers = {name: float(given[name]) for name in ("rate", "chance")}
    return {"type": str(given["type"]), "beyond": bool(given["beyond"]), **numbers}


def _checked_figures(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return figures that have what pages show."""
    checked = given["verification"]
    if checked["verdict"] not in get_args(Verdict):
        raise ValueError("verdict")
    for part, name in ((given, "rows_in"), (given, "rows_out"), (checked, "classes")):
        int(part[name])
    if not isinstance(given["algorithm"]["type"], str):
        raise TypeError("algorithm")
    return {**given}
