"""Starting and ending the workbench."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from kanonym.data.errors import DataError, KanonymError
from kanonym.data.errors import gettext as _
from kanonym.language import LANGUAGES, translator
from kanonym.workbench.forms import FieldError
from kanonym.workbench.guard import ENTRANCE, Guard, TooLargeError
from kanonym.workbench.opening import Desk
from kanonym.workbench.pages import language_of, page, told_page
from kanonym.workbench.project_pages import project_routes, redirect, session_of
from kanonym.workbench.sessions import COOKIE, Session, Sessions
from kanonym.workbench.view import texts_of

STATIC = Path(__file__).parent / "static"
OWN_PLACE = re.compile(r"/(p/[\w-]+/[a-z]+)?")
"""Addresses to which a form may lead back."""


class Pages:
    """What answers requests that the guard let through."""

    def __init__(self, desk: Desk, port: int) -> None:
        self._desk = desk
        self._cookie = COOKIE.format(port=port)

    def application(self) -> Starlette:
        """Return the application."""
        return Starlette(
            routes=[
                Route(ENTRANCE, self.enter),
                Route("/", self.start),
                Route("/open", self.open, methods=["POST"]),
                Route("/upload", self.upload, methods=["POST"]),
                Route("/language", self.language, methods=["POST"]),
                *project_routes(),
                Mount("/static", StaticFiles(directory=STATIC)),
            ],
            exception_handlers={
                TooLargeError: _too_large,
                HTTPException: _not_found,
                Exception: _internal,
            },
            lifespan=self._lifespan,
        )

    async def enter(self, request: Request) -> Response:
        """Open a session for a token."""
        opened = self._desk.sessions.open(request.query_params.get("token", ""))
        if opened is None:
            says = translator(language_of(request.headers))
            return PlainTextResponse(
                says.text(
                    _(
                        "This address was used already, or is not complete. Take the newest one "
                        "that kanonym workbench printed in the terminal."
                    )
                )
                + "\n",
                403,
            )
        secret, session = opened
        session.language = language_of(request.headers)
        place = "/"
        with contextlib.suppress(KanonymError):
            place = self._desk.begin(session) or "/"
        # A page of its own, and no redirection: a SameSite=Strict cookie is sent with what the
        # page asks for, wherever the address was clicked.
        answer = HTMLResponse(
            f'<!doctype html><meta charset="utf-8"><title>kanonym</title>'
            f'<link rel="icon" href="/static/icon.svg">'
            f'<meta http-equiv="refresh" content="0; url={place}"><a href="{place}">kanonym</a>'
        )
        answer.set_cookie(self._cookie, secret, httponly=True, samesite="strict")
        return answer

    async def start(self, request: Request) -> Response:
        """Show where a table or a project is opened."""
        session = session_of(request)
        sent = {"path": session.database, "policy": session.policy}
        session.database = ""
        return await self._tables_or(session, sent) or self._start_page(session, sent=sent)

    async def open(self, request: Request) -> Response:
        """Open what a person named."""
        session, sent = session_of(request), texts_of(await request.form())
        if listed := await self._tables_or(session, sent):
            return listed
        try:
            return redirect(self._desk.open(session, sent))
        except (KanonymError, OSError) as error:
            return self._start_page(session, error, sent, "path")

    async def upload(self, request: Request) -> Response:
        """Open a file that a person uploaded."""
        session = session_of(request)
        async with request.form(max_files=1, max_fields=20) as form:
            try:
                return redirect(await self._desk.open_upload(session, form))
            except (KanonymError, OSError) as error:
                return self._start_page(session, error, texts_of(form), "file")

    async def language(self, request: Request) -> Response:
        """Go on in another language."""
        session, sent = session_of(request), texts_of(await request.form())
        if sent.get("language") in LANGUAGES:
            session.language = sent["language"]
        place = sent.get("place", "/")
        return redirect(place if OWN_PLACE.fullmatch(place) else "/")

    async def _tables_or(self, session: Session, sent: dict[str, str]) -> Response | None:
        """Show the tables of a database of which none was named; None of anything else."""
        try:
            tables = await asyncio.to_thread(self._desk.tables, sent)
        except (KanonymError, OSError) as error:
            return self._start_page(session, error, sent, "path")
        return self._start_page(session, sent=sent, tables=tables) if tables else None

    def _start_page(
        self,
        session: Session,
        error: Exception | None = None,
        sent: dict[str, str] | None = None,
        field: str = "",
        tables: Sequence[str] = (),
    ) -> Response:
        says = translator(session.language)
        problem = "" if error is None else error.args[0] if error.args else ""
        if isinstance(error, FieldError):
            problem, field = error.text(says), error.field
        elif isinstance(error, OSError):
            problem = says.text(_("The file cannot be opened: {reason}."), reason=error.strerror)
        return page(
            "start.html",
            session.language,
            status=422 if problem else 200,
            problem=problem,
            field=field,
            tables=tables,
            sent=sent or {"policy": session.policy},
            folder=str(Path.cwd()),
            projects=session.projects,
        )

    @contextlib.asynccontextmanager
    async def _lifespan(self, _application: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            self._desk.close()


async def _too_large(request: Request, error: Exception) -> Response:
    most = error.args[0] if error.args else 0
    return told_page("large", session_of(request).language, 413, most=most >> 20)


async def _not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    if status == 405 and request.method == "GET":
        return redirect("/")  # the page of a refused form was loaded again
    return told_page("missing", session_of(request).language, status)


async def _internal(request: Request, error: Exception) -> Response:
    # The text of a foreign error may quote data, so only its kind is told.
    language = session_of(request).language
    return told_page("internal", language, 500, kind=type(error).__name__)


LOOPBACK = "127.0.0.1"


class Workbench:
    """A server of the workbench, to this machine alone."""

    def __init__(
        self,
        given: str | None,
        announce: Callable[[str], None],
        *,
        folder: Path | None = None,
        port: int = 0,
        upload_limit: int = 1 << 30,
    ) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((LOOPBACK, port))
        except OSError as error:
            self._socket.close()
            raise DataError(f"port {port} cannot be used: {error.strerror}") from None
        self._socket.listen()
        self.host, self.port = self._socket.getsockname()
        address = f"http://{LOOPBACK}:{self.port}{ENTRANCE}?token="
        self.sessions = Sessions(lambda token: announce(address + token))
        desk = Desk(self.sessions, given, folder)
        pages = Pages(desk, self.port).application()
        config = uvicorn.Config(
            Guard(pages, self.port, self.sessions, upload_limit),
            log_config=None,
            log_level="critical",  # addresses hold tokens, and errors may quote data
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Serve until the process is interrupted, or `stop` is called by another thread."""
        self.sessions.issue()
        with self._socket:
            self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """End the server."""
        self._server.should_exit = True
