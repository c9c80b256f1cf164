"""Define how long-running work reports its progress."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with what is done, the number of laboratories (or pictures) it is done with, and of all."""


def silent(_what: str, _done: int, _total: int) -> None:
    """Tell nobody."""
