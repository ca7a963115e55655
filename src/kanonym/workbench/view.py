"""What a screen is, and what it sees of a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from starlette.datastructures import UploadFile
from starlette.requests import Request

from kanonym.language import Translator, translator
from kanonym.workbench.open_project import OpenProject
from kanonym.workbench.sessions import Session


@dataclass(frozen=True, slots=True)
class View:
    """One request for a screen of a project."""

    request: Request
    session: Session
    name: str
    project: OpenProject
    sent: Mapping[str, str] = field(default_factory=dict)
    every: Callable[[str], list[str]] = lambda _name: []
    faults: Mapping[str, str] = field(default_factory=dict)

    @property
    def says(self) -> Translator:
        """The words of the session's language."""
        return translator(self.session.language)

    def asked(self, name: str) -> str:
        """Return what a form said, else the address; empty where neither does."""
        return self.sent.get(name) or self.request.query_params.get(name, "")

    @property
    def is_trial(self) -> bool:
        """Whether a form asks what it would do, and changes nothing."""
        return self.request.path_params.get("action") == "try"

    def place(self, screen: str) -> str:
        """Return the address of a screen."""
        return f"/p/{self.name}/{screen}"


Show = Callable[[View], Awaitable[dict[str, Any]]]
Act = Callable[[View], Awaitable[str | None]]
"""Does what a form asks for; returns the screen to go to, with a query; None for the same one."""

Download = Callable[[View], Awaitable[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen: one module and one template, listed in `screens.SCREENS`."""

    name: str
    show: Show
    actions: Mapping[str, Act] = field(default_factory=dict)
    trials: Collection[str] = ()
    downloads: Mapping[str, Download] = field(default_factory=dict)
    needs: Literal["nothing", "table", "release"] = "table"


def texts_of(form: Any) -> dict[str, str]:
    """Return the texts of a form, without its files."""
    return {name: value for name, value in form.multi_items() if not isinstance(value, UploadFile)}
