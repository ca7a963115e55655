"""The side of the process that serves pages: it asks, is told of progress, and ends the work."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Literal

from kanonym.data.errors import KanonymError, Progress
from kanonym.workbench.work.table_work import TableWork

Lane = Literal["quick", "long"]
"""`quick`: answered at once, also while long work is done. `long`: one after another."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of the process: a method of `TableWork`, with its arguments."""

    number: int
    lane: Lane
    task: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """How far long work is."""

    number: int
    sentence: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What was computed."""

    number: int
    value: Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing was computed."""

    number: int
    sentence: str
    kind: str


def serve_requests(connection: Connection) -> None:
    """Answer requests until the other side is gone.

    Quick ones are answered by this thread, long ones by another, one after another: pages are
    shown while a release is made.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, which ends this
    work, sending = TableWork(), threading.Lock()
    waiting: queue.SimpleQueue[Request] = queue.SimpleQueue()

    def send(message: Answer | Refusal | Step) -> None:
        with sending:
            connection.send(message)

    def answer(request: Request) -> None:
        def step(sentence: str) -> None:
            told = isinstance(sentence, Progress)
            done, total = (sentence.done, sentence.total) if told else (0, 0)  # type: ignore[attr-defined]
            send(Step(request.number, str(sentence), done, total))

        try:
            value = getattr(work, request.task)(step, **request.arguments)
            send(Answer(request.number, value))
        except KanonymError as error:
            send(Refusal(request.number, str(error), type(error).__name__))
        except MemoryError:
            send(Refusal(request.number, "not enough memory", "MemoryError"))
        except Exception as error:  # noqa: BLE001 - the text of a foreign error may quote data
            kind = type(error).__name__
            send(Refusal(request.number, f"internal error ({kind})", kind))

    def work_off() -> None:
        while True:
            answer(waiting.get())

    threading.Thread(target=work_off, daemon=True).start()
    try:
        while True:
            request = connection.recv()
            if request.lane == "long":
                waiting.put(request)
            else:
                answer(request)
    except (EOFError, OSError):
        os._exit(0)  # the server is gone: nobody waits for what is under way


CANCELLED = "Cancelled"
ENDED = "Ended"


class WorkError(KanonymError):
    """What was asked could not be computed."""

    def __init__(self, sentence: str, kind: str) -> None:
        super().__init__(sentence)
        self.kind = kind


class Worker:
    """A process that holds a table."""

    def __init__(self) -> None:
        self.generation = 0
        self._number = 0
        self._process: Any = None
        self._connection: Connection | None = None
        self._asked: dict[int, tuple[asyncio.Future[Any], Callable[[Step], None] | None]] = {}

    @property
    def pid(self) -> int | None:
        """The process's number; None where there is none."""
        return self._process.pid if self.alive else None

    @property
    def alive(self) -> bool:
        """Whether there is a process."""
        return self._process is not None and self._process.is_alive()

    def start(self) -> None:
        """Start a process where there is none."""
        if self.alive:
            return
        self.generation += 1
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(target=serve_requests, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._connection = ours
        loop = asyncio.get_running_loop()
        reading = threading.Thread(target=self._read, args=(ours, loop), daemon=True)
        reading.start()

    async def ask(
        self,
        task: str,
        lane: Lane = "quick",
        step: Callable[[Step], None] | None = None,
        **arguments: Any,
    ) -> Any:
        """Have something computed, and return it."""
        self.start()
        assert self._connection is not None  # noqa: S101 - it was started
        self._number += 1
        number = self._number
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked[number] = (answer, step)
        try:
            self._connection.send(Request(number, lane, task, arguments))
        except OSError:
            del self._asked[number]
            raise WorkError("the computing process ended", ENDED) from None
        return await answer

    def stop(self, kind: str = CANCELLED) -> None:
        """End the process at once, whatever it does."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join(5)
        self._connection = None  # the thread that reads it closes it
        sentence = "cancelled" if kind == CANCELLED else "the computing process ended"
        self._fail_all(sentence, kind)

    def _read(self, connection: Connection, loop: asyncio.AbstractEventLoop) -> None:
        """Hand over what the process says, in a thread of its own."""
        try:
            while True:
                message = connection.recv()
                loop.call_soon_threadsafe(self._hear, message)
        except (EOFError, OSError):
            connection.close()
            with contextlib.suppress(RuntimeError):  # the loop may be closed by now
                loop.call_soon_threadsafe(self._end, connection)

    def _hear(self, message: Answer | Refusal | Step) -> None:
        if message.number not in self._asked:
            return
        answer, step = self._asked[message.number]
        if isinstance(message, Step):
            if step is not None:
                step(message)
            return
        del self._asked[message.number]
        if answer.done():
            return
        if isinstance(message, Answer):
            answer.set_result(message.value)
        else:
            answer.set_exception(WorkError(message.sentence, message.kind))

    def _end(self, connection: Connection) -> None:
        """Fail what waits for a process that is gone."""
        if self._connection is connection:
            self.stop(ENDED)

    def _fail_all(self, sentence: str, kind: str) -> None:
        asked, self._asked = self._asked, {}
        for answer, _ in asked.values():
            if not answer.done():
                answer.set_exception(WorkError(sentence, kind))
