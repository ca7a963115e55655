"""Starting and ending the workbench."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from kanonym.data.errors import DataError
from kanonym.workbench.application import Pages
from kanonym.workbench.guard import ENTRANCE, Guard
from kanonym.workbench.opening import Desk
from kanonym.workbench.sessions import Sessions

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
