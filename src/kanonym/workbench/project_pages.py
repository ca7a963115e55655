"""The addresses of a project: its screens, what their forms do, its progress and its files."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from kanonym.data.errors import KanonymError
from kanonym.data.errors import gettext as _
from kanonym.workbench.forms import FieldError
from kanonym.workbench.guard import REPORT_POLICY
from kanonym.workbench.open_project import OpenProject
from kanonym.workbench.pages import page, told_step
from kanonym.workbench.project.folder import ChangedError
from kanonym.workbench.project.history import is_private
from kanonym.workbench.screens import SCREENS
from kanonym.workbench.sessions import Session
from kanonym.workbench.view import Screen, View, texts_of
from kanonym.workbench.work.held import UNREPEATABLE
from kanonym.workbench.work.worker import CANCELLED, ENDED, WorkError

CHANGED_ELSEWHERE = _(
    "The policy was changed elsewhere in the meantime: in another tab or workbench. Nothing was "
    "overwritten: look at it as it is now, and repeat your change."
)


async def status_of(view: View) -> dict[str, Any]:
    """Return what the strip says: violations of the table as it is, and of the release."""
    project, violations, reason = view.project, None, ""
    if project.table is not None and not (project.busy and project.job.task == "open"):  # type: ignore[union-attr]
        try:
            violations = await project.answers.violations(project.form)
        except KanonymError as error:
            reason = str(error).splitlines()[0]
    private = is_private(project.form)
    return {"project": project, "found": violations, "reason": reason, "private": private}


LEAST_SHARE = 0.05
"""From which on the time left is told."""
BY_NAME = {screen.name: screen for screen in SCREENS}


def project_routes() -> list[Route]:
    """Return the addresses of a project, and what answers them."""
    at = "/p/{project}"
    return [
        Route(f"{at}/status", status),
        Route(f"{at}/events", events),
        Route(f"{at}/cancel", cancel, methods=["POST"]),
        Route(f"{at}/cancel", cancelled),
        Route(f"{at}/files/{{folder}}/{{name:path}}", file),
        Route(f"{at}/{{screen}}", show),
        Route(f"{at}/{{screen}}/{{action}}", act, methods=["POST"]),
        Route(f"{at}/{{screen}}/{{action}}", download),
    ]


async def show(request: Request) -> Response:
    """Show a screen."""
    view, screen = _view(request), _screen(request)
    return await _screen_page(view, screen)


async def act(request: Request) -> Response:
    """Do what a form asks for, and show what came of it."""
    view, screen = _view(request), _screen(request)
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
            return await _screen_page(view, screen, view.says.text(CHANGED_ELSEWHERE), 409)
        view.project.problem = None
        if action is None:
            return await _screen_page(view, screen)
        try:
            place = await action(view)
        except ChangedError:
            return await _screen_page(view, screen, view.says.text(CHANGED_ELSEWHERE), 409)
        except FieldError as error:
            view = replace(view, faults={error.field: error.text(view.says)})
            return await _screen_page(view, screen, view.faults[error.field], 422)
        except KanonymError as error:
            return await _screen_page(view, screen, str(error), 422)
    known = place is not None and place.partition("?")[0] in BY_NAME
    return redirect(view.place(place if known and place else screen.name))


async def download(request: Request) -> Response:
    """Hand over a file that a screen makes."""
    view, screen = _view(request), _screen(request)
    asked = request.path_params["action"]
    make = screen.downloads.get(asked)
    if make is None and (asked in screen.actions or asked in screen.trials):
        return redirect(view.place(screen.name))  # the page of a refused form was loaded again
    if make is None or view.project.table is None:
        raise HTTPException(404)
    try:
        name, text = await make(view)
    except KanonymError as error:
        return await _screen_page(view, screen, str(error), 422)
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return PlainTextResponse(text, headers={"Content-Disposition": disposition})


async def status(request: Request) -> Response:
    """Show how many records violate the policy now."""
    view = _view(request)
    return page("status.html", view.session.language, **await status_of(view))


async def events(request: Request) -> Response:
    """Tell how far long work is, until it ends."""
    view = _view(request)
    job, says = view.project.job, view.says

    async def stream() -> AsyncIterator[str]:
        while job is not None:
            changed = job.changed
            if job.ended:
                break
            share = f"{job.done / job.total:.3f}" if job.total else ""
            words, rest = told_step(says, " ".join(job.sentence.split()))
            taken, left = f"{job.seconds:.0f} s", ""
            if job.total and job.done > LEAST_SHARE * job.total:
                seconds = job.seconds * (job.total - job.done) / job.done
                left = says.text(_("about {seconds} s left"), seconds=says.count(round(seconds)))
            times = f"{taken}, {left}" if left else taken
            yield f"event: step\ndata: {share}|{times}|{words}|{rest}\n\n"
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), 1.0)
        yield "event: end\ndata:\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


async def cancel(request: Request) -> Response:
    """End long work."""
    view = _view(request)
    view.project.cancel()
    return redirect(view.place(texts_of(await request.form()).get("screen", "open")))


async def cancelled(request: Request) -> Response:
    """Lead to the table, where the page of an ended work was loaded again."""
    return redirect(_view(request).place("open"))


async def file(request: Request) -> Response:
    """Hand over a file of a release: only those that were written by this project."""
    project = _view(request).project
    folder, name = request.path_params["folder"], request.path_params["name"]
    if not any(
        release.written.folder == folder and name in release.written.names
        for release in project.kept
    ):
        raise HTTPException(404)
    place = project.folder.releases / folder / name
    inside = place.resolve().is_relative_to(project.folder.releases.resolve())
    if not inside or not place.is_file():  # a project of others may hold links to elsewhere
        raise HTTPException(404)
    if request.query_params.get("view") and place.suffix == ".html":
        return FileResponse(place, headers={"Content-Security-Policy": REPORT_POLICY})
    return FileResponse(place, filename=place.name)


def _view(request: Request) -> View:
    session, name = session_of(request), request.path_params["project"]
    if name not in session.projects:
        raise HTTPException(404)
    return View(request, session, name, session.projects[name])


def _screen(request: Request) -> Screen:
    screen = BY_NAME.get(request.path_params["screen"])
    if screen is None:
        raise HTTPException(404)
    return screen


async def _screen_page(
    view: View, screen: Screen, problem: str = "", status: int = 200
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


def _missing(project: OpenProject, screen: Screen) -> str:
    """Return what a screen needs and is not there."""
    if screen.needs != "nothing" and project.table is None:
        return "table"
    return "release" if screen.needs == "release" and project.release is None else ""


def _problem_text(problem: WorkError, view: View) -> str:
    key = {
        CANCELLED: _("Cancelled. Nothing was changed; the table is read again when it is needed."),
        ENDED: _(
            "The computing process ended unexpectedly, perhaps for lack of memory. The project is "
            "as it was; try again."
        ),
        UNREPEATABLE: _(
            "This release was made without a seed, so the same one cannot be made again to look at "
            "its records. Its files are kept. Run again for another release."
        ),
    }.get(problem.kind)
    return view.says.text(key) if key else str(problem)


def session_of(request: Request) -> Session:
    """Return the session that the guard found."""
    session: Session = request.scope["session"]
    return session


def redirect(place: str) -> Response:
    """Lead to another address."""
    return RedirectResponse(place, 303)
