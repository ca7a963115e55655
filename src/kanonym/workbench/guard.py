"""What stands before every page: who may ask, from where, how much, and what a page may do.

A local page can be reached by every other page in the same browser. Requests are refused
unless they name this server as their host (DNS rebinding), come from its own pages
(cross-site requests), and carry the cookie of a session.
"""

from __future__ import annotations

from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kanonym.data.errors import gettext as _
from kanonym.language import translator
from kanonym.workbench.pages import language_of, told_page
from kanonym.workbench.sessions import COOKIE, Sessions

ENTRANCE = "/enter"
"""The only address without a session: it opens one."""
STREAM = "/events"
"""How the addresses of streams end."""
UPLOAD = ("/upload", "/hierarchies/import")
"""How the addresses end that take a file."""
SAFE = ("GET", "HEAD")
LONGEST_FORM = 4 << 20
"""Bytes of a form without a file."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        "object-src 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Not no-referrer: with it browsers send the Origin of forms as null.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""Of reports, which hold their style and no script."""


class TooLargeError(Exception):
    """A request has more bytes than it may."""


class Guard:
    """Refuse requests that are none of this workbench's own."""

    def __init__(self, app: ASGIApp, port: int, sessions: Sessions, upload_limit: int) -> None:
        self._app = app
        self._sessions = sessions
        self._cookie = COOKIE.format(port=port)
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._upload_limit = upload_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no page opens a WebSocket
        guarded = _with_headers(send)
        refused = self._refusal(scope)
        if refused is not None:
            await refused(scope, receive, guarded)
            return
        limit = self._upload_limit if scope["path"].endswith(UPLOAD) else LONGEST_FORM
        length = Headers(scope=scope).get("content-length", "0")
        if not length.isdecimal() or int(length) > limit:
            language = scope["session"].language if "session" in scope else "en"
            response = told_page("large", language, 413, most=limit >> 20)
            await response(scope, receive, guarded)
            return
        await self._app(scope, _limit_body(receive, limit), guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return what a request is refused with; None for one that is served."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return _answer(421, "this address is not the workbench's own")
        path, method = scope["path"], scope["method"]
        if path != ENTRANCE and not self._same_origin(headers, path, method):
            return _answer(403, "refused: the request comes from another page")
        if path == ENTRANCE:
            return None if method == "GET" else _answer(405, "only GET")
        session = self._sessions.find(_cookie_of(headers.getlist("cookie"), self._cookie))
        if session is None:
            says = translator(language_of(headers))
            return _answer(
                403,
                says.text(
                    _(
                        "This page belongs to a session of kanonym workbench. Open the newest "
                        "address that it printed in the terminal; each address works once."
                    )
                ),
            )
        scope["session"] = session
        return None

    def _same_origin(self, headers: Headers, path: str, method: str) -> bool:
        """Whether a request comes from a page of this server, or from no page at all.

        What changes something, and streams, must say where they come from: browsers do.
        """
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site not in (None, "same-origin", "none"):
            return False
        if origin is not None and origin.lower() != f"http://{headers['host'].lower()}":
            return False
        if method in SAFE and not path.endswith(STREAM):
            return True
        return origin is not None or site == "same-origin"


def _answer(status: int, text: str) -> PlainTextResponse:
    return PlainTextResponse(text + "\n", status)


def _cookie_of(headers: Iterable[str], name: str) -> str | None:
    """Return the value of a cookie."""
    for header in headers:
        try:
            morsel = SimpleCookie(header).get(name)
        except CookieError:
            continue
        if morsel is not None:
            return morsel.value
    return None


def _with_headers(send: Send) -> Send:
    """Return what sends a response with the headers that all have, unless it has its own."""

    async def send_complete(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            more = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            headers = [*message["headers"], *(one for one in more if one[0] not in own)]
            message = {**message, "headers": headers}
        await send(message)

    return send_complete


def _limit_body(receive: Receive, limit: int) -> Receive:
    """Return what receives at most so many bytes of a body."""
    received = 0

    async def receive_some() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise TooLargeError(limit)
        return message

    return receive_some
