"""Sessions of the workbench, and the job each runs."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from kanonym.workbench.work.worker import Step

if TYPE_CHECKING:
    from kanonym.workbench.open_project import OpenProject


@dataclass(eq=False)
class Job:
    """Long work."""

    task: str
    begun: float = field(default_factory=monotonic)
    sentence: str = ""
    done: int = 0
    total: int = 0
    ended: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return monotonic() - self.begun

    def hear(self, step: Step) -> None:
        """Take over what the process tells."""
        self.sentence, self.done, self.total = step.sentence, step.done, step.total
        self._tell()

    def end(self) -> None:
        """Say that it is over."""
        self.ended = True
        self._tell()

    def _tell(self) -> None:
        event, self.changed = self.changed, asyncio.Event()
        event.set()


COOKIE = "kanonym_workbench_{port}"
"""Browsers keep cookies by host and not by port: each workbench on a machine has its own name."""


@dataclass(eq=False)
class Session:
    """One browser."""

    language: str = "en"
    projects: dict[str, OpenProject] = field(default_factory=dict)
    policy: str = ""
    database: str = ""

    def add(self, project: OpenProject) -> str:
        """Hold a project, and return the name that it has in addresses."""
        for name, known in self.projects.items():
            if known is project:
                return name
        name = secrets.token_urlsafe(9)
        self.projects[name] = project
        return name


class Sessions:
    """The sessions of one workbench."""

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._announce = announce
        self._token = ""
        self._sessions: dict[str, Session] = {}

    def issue(self) -> str:
        """Make a token that opens one session, tell it, and return it."""
        self._token = secrets.token_urlsafe(32)
        self._announce(self._token)
        return self._token

    def open(self, token: str) -> tuple[str, Session] | None:
        """Return a new session and its secret for a token, which no longer opens another one."""
        if not self._token or not hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        secret, session = secrets.token_urlsafe(32), Session()
        self._sessions[secret] = session
        self.issue()
        return secret, session

    def find(self, secret: str | None) -> Session | None:
        """Return the session of a cookie."""
        return None if secret is None else self._sessions.get(secret)

    @property
    def every(self) -> list[Session]:
        """All sessions."""
        return list(self._sessions.values())
