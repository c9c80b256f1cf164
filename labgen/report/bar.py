"""Show a progress bar on a terminal."""

import time
from types import TracebackType
from typing import Self

import click

from labgen.problems.text import Text, plural, say
from labgen.report.text import shown_sentence
from labgen.report.translate import translate


def _counted(what: str, done: int, total: int) -> Text:
    """Return how many objects are done, by what is done with them."""
    match what:
        case "scaled":
            return say("{done:,} of {pictures} scaled", done=done, pictures=plural(total, "picture"))
        case "decoded":
            return say("{done:,} of {pictures} decoded", done=done, pictures=plural(total, "picture"))
        case "tried":
            return say("{done:,} of {requests} tried", done=done, requests=plural(total, "request"))
        case "fetched":
            return say("{done:,} of {files} fetched", done=done, files=plural(total, "file"))
        case "rows":
            return plural(done, "row read", "rows read")
        case "written":
            return say(
                "{done:,} of {laboratories} written",
                done=done,
                laboratories=plural(total, "laboratory", "laboratories"),
            )
        case "sent":
            return say("{done:,} of {files} sent", done=done, files=plural(total, "file"))
    laboratories = plural(total, "laboratory", "laboratories")
    if what == "read":
        return say("{done:,} of {laboratories} read", done=done, laboratories=laboratories)
    return say("{done:,} of {laboratories} built", done=done, laboratories=laboratories)


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
            click.echo(f"\r[{bar}] {translate(_counted(what, done, total))}\x1b[K", nl=False, err=True)

    def say(self, text: str) -> None:
        """Print a note in the line of the bar, which is drawn again below it."""
        click.echo(
            f"{CLEARED if self.has_drawn else ''}{translate(say('note'))}: {shown_sentence(text)}", err=True
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.has_drawn:
            click.echo(CLEARED, nl=False, err=True)
