"""Define the callback with which long-running work reports its progress."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with the name of the stage, the number of finished laboratories (or pictures), and the total."""


def silent(_what: str, _done: int, _total: int) -> None:
    """Report nothing."""
