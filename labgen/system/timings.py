"""Measure how long each stage of a command takes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

REST = "the rest"


@dataclass(slots=True)
class Timings:
    """Nanoseconds by stage, in the order in which the stages began.

    Time counts towards the innermost running stage, or else towards `REST`. So the sum of the stages is the
    total time.
    """

    nanoseconds: dict[str, int] = field(default_factory=dict)
    inside: list[str] = field(default_factory=lambda: [REST])
    since: int = field(default_factory=time.monotonic_ns)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time spent in the context to a stage."""
        self._count()
        self.nanoseconds.setdefault(name, 0)
        self.inside.append(name)
        try:
            yield
        finally:
            self._count()
            self.inside.pop()

    def seconds(self) -> dict[str, float]:
        """Return the duration of each stage until now, in seconds; `REST` is last."""
        self._count()
        rest = self.nanoseconds.pop(REST, 0)
        self.nanoseconds[REST] = rest
        return {name: spent / 1e9 for name, spent in self.nanoseconds.items()}

    def _count(self) -> None:
        now, name = time.monotonic_ns(), self.inside[-1]
        self.nanoseconds[name] = self.nanoseconds.get(name, 0) + now - self.since
        self.since = now
