"""A running workbench, and a browser that is none: requests as bytes over a connection."""

from __future__ import annotations

import html
import http.client
import re
import threading
import time
import urllib.parse
from contextlib import contextmanager, suppress

from kanonym.workbench.launch import Workbench

PATIENCE = 90.0


@contextmanager
def running(given=None, **options):
    """Run a workbench in a thread; gives the server, and the addresses that it announced."""
    addresses = []
    workbench = Workbench(given, addresses.append, **options)
    thread = threading.Thread(target=workbench.run, daemon=True)
    thread.start()
    until(lambda: addresses)
    try:
        yield workbench, addresses
    finally:
        workbench.stop()
        thread.join(20)
        assert not thread.is_alive()


def until(holds, seconds=PATIENCE):
    """Wait until something holds, and return it."""
    end = time.monotonic() + seconds
    pause = 0.02  # then longer: who asks takes time from the process that is waited for
    while not (found := holds()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(pause)
        pause = min(1.5 * pause, 0.25)
    return found


class Visitor:
    """Somebody who sends requests to a port, with the headers of a browser's own pages."""

    def __init__(self, port, cookie=""):
        self.port, self.cookie = port, cookie

    @classmethod
    def enter(cls, address):
        """Open a session by an address that was announced."""
        parts = urllib.parse.urlsplit(address)
        visitor = cls(parts.port)
        answer = visitor.send("GET", f"{parts.path}?{parts.query}")
        assert answer.status == 200, answer.text
        visitor.cookie = answer.headers["set-cookie"].partition(";")[0]
        visitor.place = re.search(r'<a href="([^"]*)"', answer.text)[1]
        return visitor

    def send(self, method, path, body=None, host=None, **headers):
        """Send a request; a header that is None is left out."""
        own = {
            "Host": host or f"127.0.0.1:{self.port}",
            "Cookie": self.cookie or None,
            "Origin": None if method in ("GET", "HEAD") else f"http://127.0.0.1:{self.port}",
            "Sec-Fetch-Site": "same-origin",
        }
        own |= {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(body, dict):
            body = urllib.parse.urlencode(body, doseq=True)
            own["Content-Type"] = "application/x-www-form-urlencoded"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        data = b"" if body is None else body.encode() if isinstance(body, str) else body
        if data and "Content-Length" not in own:
            own["Content-Length"] = str(len(data))
        for name, value in own.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders()
        with suppress(BrokenPipeError):  # the server may answer before all was sent
            connection.send(data)
        answer = connection.getresponse()
        answer.text = answer.read().decode("utf-8", "replace")
        connection.close()
        return answer

    def get(self, path, **headers):
        """Get a page."""
        return self.send("GET", path, **headers)

    def post(self, path, form=None, **headers):
        """Send a form, and follow where it leads."""
        answer = self.send("POST", path, form or {}, **headers)
        return self.get(answer.headers["location"]) if answer.status == 303 else answer


def idle(visitor):
    """Wait until no long work is under way."""
    until(lambda: "data-events" not in visitor.get(f"{visitor.at}/history").text)


def text_of(answer):
    """Return the text of a page without its marks."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


def state_of(visitor):
    """Return the number of the state at work."""
    return re.search(r'name="state" value="(\d+)"', visitor.get(f"{visitor.at}/columns").text)[1]


def act(visitor, action, **form):
    """Send a form of a screen, with the state at work."""
    return visitor.post(f"{visitor.at}/{action}", {"state": state_of(visitor), **form})


def release(visitor):
    """Make a release, and wait for it."""
    page = act(visitor, "run/start")
    assert page.status == 200, text_of(page)
    idle(visitor)


def opened(visitor, answer):
    """Wait for the table of a project that was begun."""
    assert answer.status == 303, text_of(answer)
    visitor.at = answer.headers["location"].rpartition("/")[0]
    idle(visitor)


def exported(visitor):
    """Make a release, write it as CSV, and return the hash and the Python that the page shows."""
    act(visitor, "run/save", type="mondrian", strict="on", split="auto", recoding="interval")
    release(visitor)
    act(visitor, "export/write", format=".csv")
    idle(visitor)
    page = visitor.get(f"{visitor.at}/export").text
    hashed = re.search(r"<code>([0-9a-f]{64})</code>", page)[1]
    shown = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.DOTALL)
    return hashed, html.unescape(shown[-1])
