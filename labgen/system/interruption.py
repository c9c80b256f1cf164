"""Handle the signals that end a command: SIGINT (Ctrl-C), SIGTERM and SIGHUP.

The first signal raises `Interruption` in the main thread; during work that must not be left incomplete, it is
deferred. Later signals do not interrupt cleanup: they print what the command still does. If there is nothing
to clean up, a later signal ends the process at once.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption(BaseException):
    """Raised when a signal asks the command to end.

    Not an `Exception`, so that no handler of failures catches it.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = exit_code(number)


def exit_code(number: int) -> int:
    """Return the exit code of a command that is ended by a signal: 130 for SIGINT, 143 for SIGTERM."""
    return 128 + number


@dataclass(slots=True)
class _State:
    """The first signal, the tasks to finish before the command ends, and whether signals are deferred."""

    first: int | None = None
    tasks: list[str] = field(default_factory=list)
    is_waiting: bool = False


_state = _State()


def catch_signals(receiver: Callable[[int, FrameType | None], None]) -> None:
    """Install a handler for the signals that are not ignored (`nohup` ignores HUP)."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, receiver)


def exit_now(number: int, _frame: FrameType | None) -> NoReturn:
    """Handle a signal by ending the process at once, when there is nothing to clean up."""
    os._exit(exit_code(number))


def receive(number: int, frame: FrameType | None) -> None:
    """Handle a signal while a command is running, as the module's docstring describes."""
    if _state.first is None:
        _state.first = number
        if not _state.is_waiting:
            raise Interruption(number)
    elif _state.tasks:
        with suppress(OSError):  # not by sys.stderr: the main thread may be writing to it right now
            os.write(STANDARD_ERROR, f"\nlabgen ends as soon as {_state.tasks[-1]}\n".encode())
    else:
        exit_now(number, frame)


STANDARD_ERROR = 2


def is_interrupted() -> bool:
    """Return whether a deferred signal is pending."""
    return _state.first is not None


def raise_pending() -> NoReturn:
    """Raise the pending `Interruption`."""
    assert _state.first is not None  # noqa: S101 - `is_interrupted` says so
    raise Interruption(_state.first)


@contextmanager
def finishing(task: str) -> Iterator[None]:
    """Ignore further signals during cleanup, with a message: `task` completes "labgen ends as soon as"."""
    _state.tasks.append(task)
    try:
        yield
    finally:
        _state.tasks.pop()


@contextmanager
def uninterrupted(task: str) -> Iterator[None]:
    """Defer all signals; at the end, raise `Interruption` if a signal was received."""
    if _state.is_waiting or threading.current_thread() is not threading.main_thread():
        with finishing(task):
            yield
        return
    with finishing(task), _caught():
        _state.is_waiting = True
        try:
            was_interrupted = is_interrupted()
            yield
        finally:
            _state.is_waiting = False
        if not was_interrupted and _state.first is not None:
            raise_pending()


@contextmanager
def _caught() -> Iterator[None]:
    """Install the handlers during the context, if the program that uses labgen has not done so."""
    before = {number: handler for number in SIGNALS if (handler := signal.getsignal(number)) is not None}
    catch_signals(receive)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if receive not in before.values():
            _state.first = None
