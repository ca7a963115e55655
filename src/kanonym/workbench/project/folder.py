"""The folder of a project: written whole at each change, so that nothing is lost by a stop."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict
from pathlib import Path

from kanonym.data.errors import DataError
from kanonym.data.files import write_text
from kanonym.data.files.lock import lock_file
from kanonym.data.message import gettext as _
from kanonym.policy import document
from kanonym.policy.writing import policy_yaml
from kanonym.workbench.project.history import Form, History
from kanonym.workbench.work.facts import Source

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
