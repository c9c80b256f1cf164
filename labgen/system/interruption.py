"""Handle the signals that end a command: Ctrl-C, TERM and HUP.

The first signal raises `Interruption` in the main thread, or waits while something is done that must not be
left half done. Later signals interrupt nothing: they say what the command still does.
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
    """A signal asks the command to end. It is no `Exception`, so that nobody takes it for a failure."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = exit_code(number)


def exit_code(number: int) -> int:
    """Return the exit code of a command that a signal ended: 130 for Ctrl-C, 143 for SIGTERM."""
    return 128 + number


@dataclass(slots=True)
class _State:
    """The signal that came first, what is still done before the command ends, and whether signals wait."""

    first: int | None = None
    tasks: list[str] = field(default_factory=list)
    is_waiting: bool = False


_state = _State()


def catch_signals(receiver: Callable[[int, FrameType | None], None]) -> None:
    """Let a function receive the signals, but for those that are ignored, as by `nohup`."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, receiver)


def leave(number: int, _frame: FrameType | None) -> NoReturn:
    """Receive a signal where there is nothing to put in order."""
    os._exit(exit_code(number))


def receive(number: int, frame: FrameType | None) -> None:
    """Receive a signal where a command is at work."""
    if _state.first is None:
        _state.first = number
        if not _state.is_waiting:
            raise Interruption(number)
    elif _state.tasks:
        with suppress(OSError):  # not by sys.stderr: the main thread may be writing to it right now
            os.write(STANDARD_ERROR, f"\nlabgen ends as soon as {_state.tasks[-1]}\n".encode())
    else:
        leave(number, frame)


STANDARD_ERROR = 2


def is_interrupted() -> bool:
    """Say whether a signal waits."""
    return _state.first is not None


def end() -> NoReturn:
    """Raise the `Interruption` that waits."""
    assert _state.first is not None  # noqa: S101 - `is_interrupted` says so
    raise Interruption(_state.first)


@contextmanager
def finishing(task: str) -> Iterator[None]:
    """Let a second signal wait until this is left; `task` ends the sentence "labgen ends as soon as"."""
    _state.tasks.append(task)
    try:
        yield
    finally:
        _state.tasks.pop()


@contextmanager
def uninterrupted(task: str) -> Iterator[None]:
    """Let the first signal wait too, and raise `Interruption` when this is done."""
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
            end()


@contextmanager
def _caught() -> Iterator[None]:
    """Receive signals, also in a program that uses labgen and does not let it receive them elsewhere."""
    before = {number: handler for number in SIGNALS if (handler := signal.getsignal(number)) is not None}
    catch_signals(receive)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if receive not in before.values():
            _state.first = None
