"""Show a progress bar on a terminal."""

import time
from types import TracebackType
from typing import Self

import click

from labgen.problems.text import plural, say
from labgen.report.text import visible

NOUNS = {
    "scaled": ("picture", "pictures"),
    "decoded": ("picture", "pictures"),
    "tried": ("request", "requests"),
    "fetched": ("file", "files"),
    "sent": ("file", "files"),
}
"""The nouns (singular, plural) of the counted objects, by what is done; laboratories if not listed."""


CLEARED = "\r\x1b[K"
"""The control sequence that clears the line of the bar."""


class ProgressBar:
    """A progress bar on a terminal, for work that takes longer than a second."""

    PATIENCE = 1.0
    INTERVAL = 0.1
    WIDTH = 30

    def __init__(self, *, is_shown: bool) -> None:
        self.is_shown = is_shown
        self.next_time = time.monotonic() + self.PATIENCE
        self.has_drawn = False

    def __enter__(self) -> Self:
        return self

    def update(self, what: str, done: int, total: int) -> None:
        """Show how many laboratories, pictures, requests or files are done."""
        if self.is_shown and (now := time.monotonic()) >= self.next_time:
            self.next_time = now + self.INTERVAL
            self.has_drawn = True
            filled = self.WIDTH * done // max(1, total)
            bar = "#" * filled + "-" * (self.WIDTH - filled)
            counted = say(
                "{done:,} of {counted} {what}",
                done=done,
                counted=plural(total, *NOUNS.get(what, ("laboratory", "laboratories"))),
                what=what,
            )
            click.echo(f"\r[{bar}] {counted}\x1b[K", nl=False, err=True)

    def say(self, text: str) -> None:
        """Print a note in the line of the bar, which is drawn again below it."""
        click.echo(
            say("{cleared}note: {text}", cleared=CLEARED if self.has_drawn else "", text=visible(text)),
            err=True,
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.has_drawn:
            click.echo(CLEARED, nl=False, err=True)
