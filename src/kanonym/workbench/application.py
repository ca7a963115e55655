"""The addresses of the workbench, and what answers them."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from kanonym.data.errors import KanonymError
from kanonym.language import LANGUAGES
from kanonym.workbench.guard import ENTRANCE, REPORT_POLICY, TooLargeError
from kanonym.workbench.open_project import OpenProject
from kanonym.workbench.opening import Desk
from kanonym.workbench.pages import page
from kanonym.workbench.screens import SCREENS
from kanonym.workbench.sessions import COOKIE, Session
from kanonym.workbench.status import status_of
from kanonym.workbench.view import Screen, View, texts_of
from kanonym.workbench.work.held import UNREPEATABLE
from kanonym.workbench.work.worker import CANCELLED, ENDED, WorkError

STATIC = Path(__file__).parent / "static"
BY_NAME = {one.name: one for one in SCREENS}
OWN_PLACE = re.compile(r"/(p/[\w-]+/[a-z]+)?")
"""Addresses to which a form may lead back."""


class Pages:
    """What answers requests that the guard let through.

    Parameters
    ----------
    desk
        What opens tables and projects.
    port
        Of the server.

    """

    def __init__(self, desk: Desk, port: int) -> None:
        self._desk = desk
        self._cookie = COOKIE.format(port=port)

    def application(self) -> Starlette:
        """Return the application."""
        at = "/p/{project}"
        return Starlette(
            routes=[
                Route(ENTRANCE, self.enter),
                Route("/", self.start),
                Route("/open", self.open, methods=["POST"]),
                Route("/upload", self.upload, methods=["POST"]),
                Route("/language", self.language, methods=["POST"]),
                Route(f"{at}/status", self.status),
                Route(f"{at}/events", self.events),
                Route(f"{at}/cancel", self.cancel, methods=["POST"]),
                Route(f"{at}/files/{{folder}}/{{name:path}}", self.file),
                Route(f"{at}/{{screen}}", self.show),
                Route(f"{at}/{{screen}}/{{action}}", self.act, methods=["POST"]),
                Route(f"{at}/{{screen}}/{{action}}", self.download),
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
            return PlainTextResponse(
                "This address was used already, or is not complete. Take the newest one that "
                "kanonym workbench printed in the terminal.\n",
                403,
            )
        secret, session = opened
        session.language = _language_of(request)
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
        return self._start_page(_session(request))

    async def open(self, request: Request) -> Response:
        """Open what a person named."""
        session, sent = _session(request), texts_of(await request.form())
        try:
            return _go(self._desk.open(session, sent))
        except KanonymError as error:
            return self._start_page(session, str(error), sent)

    async def upload(self, request: Request) -> Response:
        """Open a file that a person uploaded."""
        session = _session(request)
        async with request.form(max_files=1, max_fields=20) as form:
            try:
                return _go(await self._desk.open_upload(session, form))
            except KanonymError as error:
                return self._start_page(session, str(error), texts_of(form))

    async def language(self, request: Request) -> Response:
        """Go on in another language."""
        session, sent = _session(request), texts_of(await request.form())
        if sent.get("language") in LANGUAGES:
            session.language = sent["language"]
        place = sent.get("place", "/")
        return _go(place if OWN_PLACE.fullmatch(place) else "/")

    async def show(self, request: Request) -> Response:
        """Show a screen."""
        view, screen = self._view(request), self._screen(request)
        return await self._screen_page(view, screen)

    async def act(self, request: Request) -> Response:
        """Do what a form asks for, and show what came of it."""
        view, screen = self._view(request), self._screen(request)
        async with request.form(max_files=1, max_fields=20_000) as form:
            view = View(
                request,
                view.session,
                view.name,
                view.project,
                texts_of(form),
                lambda name: [str(one) for one in form.getlist(name)],
            )
            asked = request.path_params["action"]
            action = screen.actions.get(asked)
            if action is None and asked not in screen.trials:
                raise HTTPException(404)
            history = view.project.history
            stated = view.sent.get("state")
            if stated is not None and history and stated != str(history.state.number):
                return await self._screen_page(view, screen, view.says.text("wb.stale"), 409)
            view.project.problem = None
            if action is None:
                return await self._screen_page(view, screen)
            try:
                place = await action(view)
            except KanonymError as error:
                return await self._screen_page(view, screen, str(error), 422)
        known = place is not None and place.partition("?")[0] in BY_NAME
        return _go(view.place(place if known and place else screen.name))

    async def download(self, request: Request) -> Response:
        """Hand over a file that a screen makes."""
        view, screen = self._view(request), self._screen(request)
        make = screen.downloads.get(request.path_params["action"])
        if make is None or view.project.table is None:
            raise HTTPException(404)
        try:
            name, text = await make(view)
        except KanonymError as error:
            return await self._screen_page(view, screen, str(error), 422)
        disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
        return PlainTextResponse(text, headers={"Content-Disposition": disposition})

    async def status(self, request: Request) -> Response:
        """Show how many records violate the policy now."""
        view = self._view(request)
        return page("status.html", view.session.language, **await status_of(view))

    async def events(self, request: Request) -> Response:
        """Tell how far long work is, until it ends."""
        job = self._view(request).project.job

        async def stream() -> AsyncIterator[str]:
            while job is not None:
                changed = job.changed
                if job.ended:
                    break
                share = f"{job.done / job.total:.3f}" if job.total else ""
                sentence = " ".join(job.sentence.split())
                yield f"event: step\ndata: {job.seconds:.0f}|{share}|{sentence}\n\n"
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), 1.0)
            yield "event: end\ndata:\n\n"

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def cancel(self, request: Request) -> Response:
        """End long work."""
        view = self._view(request)
        view.project.cancel()
        return _go(view.place(texts_of(await request.form()).get("screen", "open")))

    async def file(self, request: Request) -> Response:
        """Hand over a file of a release: only those that were written by this project."""
        project = self._view(request).project
        folder, name = request.path_params["folder"], request.path_params["name"]
        if not any(
            one.written.folder == folder and name in one.written.names for one in project.kept
        ):
            raise HTTPException(404)
        place = project.folder.releases / folder / name
        if not place.is_file():
            raise HTTPException(404)
        if request.query_params.get("view") and place.suffix == ".html":
            return FileResponse(place, headers={"Content-Security-Policy": REPORT_POLICY})
        return FileResponse(place, filename=place.name)

    def _view(self, request: Request) -> View:
        session, name = _session(request), request.path_params["project"]
        if name not in session.projects:
            raise HTTPException(404)
        return View(request, session, name, session.projects[name])

    def _screen(self, request: Request) -> Screen:
        screen = BY_NAME.get(request.path_params["screen"])
        if screen is None:
            raise HTTPException(404)
        return screen

    def _start_page(
        self, session: Session, problem: str = "", sent: dict[str, str] | None = None
    ) -> Response:
        return page(
            "start.html",
            session.language,
            status=422 if problem else 200,
            problem=problem,
            sent=sent or {"policy": session.policy},
            folder=str(Path.cwd()),
            projects=session.projects,
        )

    async def _screen_page(
        self, view: View, screen: Screen, problem: str = "", status: int = 200
    ) -> Response:
        """Show a screen, or why it cannot be shown yet."""
        project, template = view.project, f"{screen.name}.html"
        facts = {}
        missing = _missing(project, screen)
        if project.problem is not None and not problem and not project.busy:
            problem = _problem_text(project.problem, view)
        if missing:
            template = "missing.html"
        else:
            try:
                facts = await screen.show(view)
            except KanonymError as error:
                problem, template, missing = str(error), "missing.html", "nothing"
        return page(
            template,
            view.session.language,
            status,
            view=view,
            screen=screen,
            screens=SCREENS,
            project=project,
            problem=problem,
            missing=missing,
            at=f"/p/{view.name}",
            **facts,
        )

    @contextlib.asynccontextmanager
    async def _lifespan(self, _application: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            self._desk.close()


def _missing(project: OpenProject, screen: Screen) -> str:
    """Return what a screen needs and is not there."""
    if screen.needs != "nothing" and project.table is None:
        return "table"
    return "release" if screen.needs == "release" and project.release is None else ""


def _problem_text(problem: WorkError, view: View) -> str:
    key = {
        CANCELLED: "wb.cancelled",
        ENDED: "wb.ended",
        UNREPEATABLE: "wb.unrepeatable",
    }.get(problem.kind)
    return view.says.text(key) if key else str(problem)


def _session(request: Request) -> Session:
    session: Session = request.scope["session"]
    return session


def _language_of(request: Request) -> str:
    """Return the first language that the browser prefers and the pages have."""
    for one in request.headers.get("accept-language", "").split(","):
        code = one.strip().partition(";")[0].partition("-")[0].lower()
        if code in LANGUAGES:
            return code
    return "en"


def _go(place: str) -> Response:
    return RedirectResponse(place, 303)


async def _too_large(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("too large\n", 413)


async def _not_found(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return PlainTextResponse("there is no such page\n", status)


async def _internal(_request: Request, error: Exception) -> Response:
    # The text of a foreign error may quote data, so only its kind is told.
    return PlainTextResponse(f"internal error ({type(error).__name__})\n", 500)
