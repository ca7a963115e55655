"""The side of the process that computes: it reads requests and answers them until it is ended."""

from __future__ import annotations

import os
import queue
import signal
import threading
from multiprocessing.connection import Connection

from kanonym.data.errors import KanonymError
from kanonym.data.progress import Progress
from kanonym.workbench.work.messages import Answer, Refusal, Request, Step
from kanonym.workbench.work.table_work import TableWork


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
