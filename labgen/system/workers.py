"""Run work in several processes, in batches of laboratories.

Processes are forked for each stage, so that they share the data loaded by then without a copy. Work is done
in batches, which keeps code and data in the processor's caches.
"""

import ctypes
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import islice
from typing import Any, TypeVar

from labgen.system.interruption import SIGNALS, is_interrupted, raise_pending, uninterrupted

Task = TypeVar("Task")
Result = TypeVar("Result")

FEW = 200
"""With fewer tasks, one process is faster than starting several."""
BATCH = 32
AHEAD = 3
"""Queued batches per process: enough that none is idle, few enough to stop soon."""


class WorkerLostError(Exception):
    """A worker process was killed, probably because memory ran out."""


def cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(
    work: Callable[[Sequence[Task]], Iterable[Result]],
    tasks: Sequence[Task],
    jobs: int,
    *,
    few: int = FEW,
    batch: int = BATCH,
    meanwhile: Callable[[], None] = lambda: None,
) -> Iterator[Result]:
    """Distribute tasks to `jobs` processes, batch by batch, and yield the results in any order.

    `work` returns the results of a batch; this process does `meanwhile` during the first batches. Fewer than
    `few` tasks are done in this process. An exception in a batch, or in `meanwhile`, is raised here, when the
    running batches are done. A signal waits until `meanwhile` has ended. Raises `WorkerLostError`.
    """
    batches = [tasks[start : start + batch] for start in range(0, len(tasks), batch)]
    if not is_spread(tasks, jobs, few):
        meanwhile()
        for some in batches:
            yield from work(some)
        return
    # Signals are deferred: an exception inside the pool's code could leave one of its locks held.
    with uninterrupted("its processes have ended"):
        yield from _spread(work, batches, jobs, meanwhile)


def _spread(
    work: Callable[[Sequence[Task]], Iterable[Result]],
    batches: Iterable[Sequence[Task]],
    jobs: int,
    meanwhile: Callable[[], None],
) -> Iterator[Result]:
    context = multiprocessing.get_context("fork")
    _return_free_memory()
    with ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_start, initargs=(work, os.getpid())
    ) as pool:
        waiting = iter(batches)
        try:
            pending: set[Future[Any]] = {pool.submit(_run, some) for some in islice(waiting, jobs * AHEAD)}
            meanwhile()
            while pending:
                done, pending = wait(pending, timeout=LOOK, return_when=FIRST_COMPLETED)
                if is_interrupted():
                    _end_processes()
                    raise_pending()
                for future in done:
                    yield from future.result()
                more = islice(waiting, jobs * AHEAD - len(pending))
                pending.update(pool.submit(_run, some) for some in more)
        except BrokenProcessPool as error:
            _end_processes()
            raise WorkerLostError from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _return_free_memory() -> None:
    """Return this process's free memory to the system, before worker processes need theirs (glibc only)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _end_processes() -> None:
    """Kill the worker processes: their results are no longer needed."""
    for process in multiprocessing.active_children():
        process.kill()


LOOK = 0.1
"""Seconds between two checks for signals."""


def is_spread(tasks: Sequence[Task], jobs: int, few: int = FEW) -> bool:
    """Return whether so many tasks are distributed to several processes."""
    return jobs > 1 and len(tasks) >= few


_work: Callable[..., Iterable[Any]] | None = None


def _start(work: Callable[..., Iterable[Any]], parent: int) -> None:
    """Initialise a worker process: store `work`, and ignore signals, which the main process handles."""
    global _work  # noqa: PLW0603 - the one thing that a forked process keeps
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    _end_with(parent)
    _work = work


def _end_with(parent: int) -> None:
    """Make this process end when its parent ends, for any reason.

    It ends at once on Linux, elsewhere within a second.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent ended before the line above
        os._exit(1)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


PR_SET_PDEATHSIG = 1
"""From Linux's sys/prctl.h."""


def _run(batch: Sequence[Any]) -> list[Any]:
    assert _work is not None  # noqa: S101 - _start ran
    return list(_work(batch))
