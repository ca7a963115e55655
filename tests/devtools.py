"""A browser without a window, driven by its DevTools protocol over a pipe: no library needed."""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import subprocess
import sys
import time

SECONDS = 60
START = """
import os, sys
os.dup2(int(sys.argv[1]), 200)
os.dup2(int(sys.argv[2]), 201)
os.dup2(200, 3)
os.dup2(201, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""The protocol has its ends at the descriptors 3 and 4."""


class Browser:
    """One page of a browser of its own, with an empty profile.

    Attributes
    ----------
    events
        What the browser told without being asked: `{"method": …, "params": …}` each.

    """

    def __init__(self, command, profile):
        to_browser, commands = os.pipe()
        answers, from_browser = os.pipe()
        arguments = [
            *("--headless", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
            *("--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"),
        ]
        if os.geteuid() == 0:
            arguments.insert(0, "--no-sandbox")
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, str(to_browser), str(from_browser), command, *arguments],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._commands, self._answers = commands, answers
        self._numbers, self._rest, self._session = itertools.count(1), b"", None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        """Ask the browser for something and return its answer."""
        number = next(self._numbers)
        asked = {"id": number, "method": method, "params": parameters}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._commands, json.dumps(asked).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == number:
                assert "error" not in told, told["error"]
                return told["result"]
            self.events.append(told)

    def open(self, path):
        """Load a file and wait until all of it is there."""
        self.go(path.as_uri())

    def go(self, address):
        """Load an address and wait until all of it is there."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        while not any(told["method"] == "Page.loadEventFired" for told in self.events):
            self.events.append(self._next())

    def look(self, width, height=900, media="", scheme="light"):
        """Give the window a size, and show the page as on a screen or as printed."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def run(self, script):
        """Return the value of a script's expression."""
        told = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def until(self, script, seconds=SECONDS):
        """Wait until a script's expression holds."""
        end = time.monotonic() + seconds
        while True:
            # Between two pages there is nothing to ask.
            asked = f"Boolean({script})"
            told = self.call("Runtime.evaluate", expression=asked, returnByValue=True)
            if "exceptionDetails" not in told and told["result"].get("value"):
                return
            assert time.monotonic() < end, script
            time.sleep(0.05)

    def press(self, key, modifiers=0, text=""):
        """Press a key, as a person does."""
        for kind in ("keyDown", "keyUp"):
            known = {"type": kind, "key": key, "code": key, "modifiers": modifiers}
            codes = {"Tab": 9, "Enter": 13, " ": 32}
            known["windowsVirtualKeyCode"] = codes.get(key, 0)
            typed = {"\r": "\r"}.get(text, text)
            if kind == "keyDown" and typed:
                known["text"] = typed
            self.call("Input.dispatchKeyEvent", **known)

    def picture(self, path):
        """Keep a picture of the whole page."""
        told = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(told["data"]))

    def close(self):
        """End the browser."""
        self._session = None
        try:
            os.write(self._commands, b'{"id": 0, "method": "Browser.close"}\0')
            self._process.wait(SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._commands)
        os.close(self._answers)

    def _next(self):
        """Return the next message."""
        end = time.monotonic() + SECONDS
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._answers], [], [], max(0, end - time.monotonic()))
            data = os.read(self._answers, 1 << 20) if ready else b""
            assert data, "the browser says nothing more"
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)
