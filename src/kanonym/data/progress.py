"""What a long run tells of its progress."""

from __future__ import annotations


class Progress(str):
    """A sentence on how far a step is, with the figures behind it.

    Examples
    --------
    >>> told = Progress("3 of 10 combinations done", done=3, total=10)
    >>> told, told.done / told.total
    ('3 of 10 combinations done', 0.3)

    """

    __slots__ = ("done", "total")

    done: int
    total: int

    def __new__(cls, sentence: str, *, done: int, total: int) -> Progress:  # noqa: PYI034 - final
        """Write a sentence."""
        progress = super().__new__(cls, sentence)
        progress.done, progress.total = done, total
        return progress

    def of(self, stage: str) -> Progress:
        """Return the same after the name of its stage: `stage: sentence`."""
        return Progress(f"{stage}: {self}", done=self.done, total=self.total)
