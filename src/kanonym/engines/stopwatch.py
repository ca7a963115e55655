"""Seconds of the stages of a run, and what they tell while it goes on."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kanonym.data.errors import Progress

_logger = logging.getLogger(__name__)


class Stopwatch:
    """Seconds by stage; tells a listener when a stage begins, and what the stage says."""

    def __init__(self, listener: Callable[[str], None] | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self._listener = listener
        self._stage = ""

    def tell(self, sentence: str) -> None:
        """Tell how the stage proceeds: `stage: sentence`."""
        _logger.debug("%s: %s", self._stage, sentence)
        if self._listener is not None:
            if isinstance(sentence, Progress):
                self._listener(sentence.of(self._stage))
            else:
                self._listener(f"{self._stage}: {sentence}")

    def warn(self, sentence: str) -> None:
        """Tell what the owner of the table has to know; without a listener, the log warns."""
        if self._listener is None:
            _logger.warning("%s", sentence)
        else:
            self._listener(f"encode: {sentence}")

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time one stage."""
        self._stage = name
        if self._listener is not None:
            self._listener(name)
        start = time.perf_counter()
        yield
        seconds = time.perf_counter() - start
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        _logger.info("%s: %.2f s", name, seconds)
