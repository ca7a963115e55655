"""What opens tables and projects for a session: by path, by upload, or from the command line."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from starlette.datastructures import UploadFile

from kanonym.data.databases import database_kind, sqlite_url
from kanonym.data.errors import DataError
from kanonym.data.errors import gettext as _
from kanonym.data.files import FORMATS, sha256
from kanonym.policy import Policy
from kanonym.workbench.forms import FieldError
from kanonym.workbench.open_project import OpenProject
from kanonym.workbench.project.folder import SETTINGS, ProjectFolder
from kanonym.workbench.project.history import History, with_absolute_files
from kanonym.workbench.sessions import Session, Sessions
from kanonym.workbench.work.facts import Source

_ODD = re.compile(r"[^\w.\- ]")
LONGEST_NAME = 150
"""Bytes of a name that is made from another one: disks take 255."""
POLICIES = (".yaml", ".yml")
"""How the names of policy files end."""


class Desk:
    """What a workbench opens."""

    def __init__(self, sessions: Sessions, given: str | None, folder: Path | None) -> None:
        self.sessions = sessions
        self._given = given
        self._folder = folder
        self._private: Path | None = None
        self._projects: dict[Path, OpenProject] = {}

    def begin(self, session: Session) -> str | None:
        """Open what the command line named, and return where it is shown; None for nothing."""
        if self._given is None:
            return None
        if Path(self._given).suffix.lower() in POLICIES:
            session.policy = str(Path(self._given).resolve())
            return None
        if self.tables({"path": self._given}):
            session.database = self._given
            return None
        return self.open(session, {"path": self._given}, self._folder)

    def open(self, session: Session, sent: Mapping[str, str], folder: Path | None = None) -> str:
        """Open a table or a project that a person named, and return where it is shown."""
        path = _with_scheme(sent.get("path", "").strip())
        if not path:
            raise FieldError("path", "required")
        place = Path(path).expanduser()
        database = "://" in path
        if not database and (place.is_dir() or place.name == SETTINGS):
            return self._resume(session, ProjectFolder(place if place.is_dir() else place.parent))
        if not database and not place.is_file():
            raise FieldError("path", "absent", path=place)
        if not database:
            _check_ending("path", place)
        source = Source(
            path if database else str(place.resolve()),
            sheet=sent.get("sheet") or None,
            table=sent.get("table") or None,
        )
        named = folder or _named_folder(sent)
        kept = self._own_folder(source) if named is None else ProjectFolder(named)
        if kept.exists:
            known, history = kept.load()
            if known.is_place_of(source) and not sent.get("policy"):
                return self._start(session, kept, replace(known, path=source.path), history)
            raise FieldError("folder", "folder", path=kept.path)
        return self._start(session, kept, source, _history_of(sent.get("policy", "")))

    async def open_upload(self, session: Session, form: Any) -> str:
        """Keep a file in a private folder until the end, and open it; errors as of `open`."""
        file = form.get("file")
        if not isinstance(file, UploadFile) or not file.filename:
            raise FieldError("file", "required")
        name = _ODD.sub("_", Path(file.filename.replace("\\", "/")).name).lstrip(".") or "table"
        _check_ending("file", Path(name))
        name = _shortened(name)
        place, content = await asyncio.to_thread(self._keep, file.file, name)
        sent = {key: value for key, value in form.items() if isinstance(value, str)}
        return self._open_kept(session, Source(str(place), uploaded=True, content=content), sent)

    def tables(self, sent: Mapping[str, str]) -> Sequence[str]:
        """Return the tables of a database of which a person named none; nothing of others."""
        path = _with_scheme(sent.get("path", "").strip())
        kind = None if sent.get("table") else database_kind(path)
        if kind is None or ("://" not in path and not Path(path).expanduser().is_file()):
            return ()
        from kanonym.engines import database, duckdb  # noqa: PLC0415 - slow, and seldom needed

        names = duckdb.table_names(path) if kind == "duckdb" else database.table_names(path)
        if not names:
            raise FieldError("path", "empty")
        return names

    def _own_folder(self, source: Source) -> ProjectFolder:
        """Return the folder of a table's project where nobody named one, or a new one.

        Another table of the same name has another folder.
        """
        first = _folder_for(source)
        for number in count(1):
            place = first if number == 1 else first.with_name(f"{first.name}-{number}")
            kept = ProjectFolder(place)
            opened = self._projects.get(kept.path)
            if kept.exists:
                is_own = kept.load()[0].is_place_of(source)
            elif opened is not None and opened.unread is not None:
                is_own = opened.unread.is_place_of(source)
            else:
                is_own = not place.exists() or not any(place.iterdir())
            if is_own:
                break
        return kept

    def _keep(self, file: BinaryIO, name: str) -> tuple[Path, str]:
        """Write a file into the private folder, which its owner alone may read; with its hash."""
        if self._private is None:
            self._private = Path(tempfile.mkdtemp(prefix="kanonym-"))
        place = Path(tempfile.mkdtemp(dir=self._private)) / name
        with place.open("wb") as target:
            shutil.copyfileobj(file, target)
        return place, sha256(place)

    def _open_kept(self, session: Session, source: Source, sent: Mapping[str, str]) -> str:
        named = _named_folder(sent)
        kept = self._own_folder(source) if named is None else ProjectFolder(named)
        history = _history_of(sent.get("policy", ""))
        if kept.exists:
            known, history = kept.load()
            if not known.uploaded or Path(known.path).name != Path(source.path).name:
                raise FieldError("folder", "folder", path=kept.path)
            source = replace(known, path=source.path, content=source.content)
        return self._start(session, kept, source, history)

    def close(self) -> None:
        """End all processes, and delete what was uploaded."""
        for project in self._projects.values():
            project.close()
        if self._private is not None:
            shutil.rmtree(self._private, ignore_errors=True)

    def _resume(self, session: Session, folder: ProjectFolder) -> str:
        """Go on with a project as it was."""
        project = self._projects.get(folder.path)
        if project is not None and project.table is not None:
            return f"/p/{session.add(project)}/columns"
        source, history = folder.load()
        if "://***" in source.path:
            raise DataError(
                f"the table of this project is in {source.path}: name the whole address, its table "
                f"{source.table}, and {folder.path} as the folder of the project"
            )
        if source.uploaded and not Path(source.path).is_file():
            name = Path(source.path).name
            raise DataError(
                f"the table {name} of this project was uploaded, and is gone: upload it again, "
                f"with {folder.path} as the folder of the project"
            )
        return self._start(session, folder, source, history)

    def _start(
        self, session: Session, folder: ProjectFolder, source: Source, history: History | None
    ) -> str:
        """Show a project, which is open once for all sessions: what one changes, all see."""
        project = self._projects.setdefault(folder.path, OpenProject(folder))
        name = session.add(project)
        project.open_again(source, history)
        return f"/p/{name}/open"


def _with_scheme(path: str) -> str:
    """Return the URL of a SQLite file; other paths as they are."""
    place = Path(path).expanduser()
    if "://" in path or database_kind(path) != "sqlite" or not place.is_file():
        return path
    return sqlite_url(place.resolve())


def _named_folder(sent: Mapping[str, str]) -> Path | None:
    """Return the folder of the project that a person named."""
    named = sent.get("folder", "").strip()
    return Path(named).expanduser() if named else None


def _folder_for(source: Source) -> Path:
    """Return the folder of a table's project where nobody named one."""
    stem = source.table or Path(source.path).name.split(".")[0]
    return Path.cwd() / f"{_shortened(_ODD.sub('_', stem))}-project"


def _check_ending(field: str, place: Path) -> None:
    """Refuse a file whose name ends as no table's does."""
    endings = [suffix.lower() for suffix in place.suffixes]
    ending = next((one for one in reversed(endings) if one != ".gz"), "")
    if ending and ending not in FORMATS and database_kind(str(place)) is None:
        raise FieldError(field, "ending", ending=ending[:20], known=", ".join(FORMATS))


def _shortened(name: str) -> str:
    """Return the end of a name that is too long for a disk."""
    return name.encode()[-LONGEST_NAME:].decode(errors="ignore")


def _history_of(policy: str) -> History | None:
    """Return a history that starts with a policy file; None without one."""
    path = policy.strip()
    if not path:
        return None
    file = Path(path).expanduser().resolve()
    form = Policy.from_file(file).to_dict()
    return History.of(with_absolute_files(form, file.parent), _("Opened with a policy file"))
