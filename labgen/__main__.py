"""Where the command `labgen` begins; `python -m labgen` is the same."""

import gc
import os
import signal
import sys

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended (128 + SIGINT)."""


def run() -> None:
    """Run the command; Ctrl-C while it is still loading ends it without a traceback."""
    before = signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(INTERRUPTED))
    gc.disable()  # while modules are loaded; `cli.group` switches it on again, but for a build
    from labgen.cli import main

    signal.signal(signal.SIGINT, before)
    signal.signal(signal.SIGTERM, before if callable(before) else signal.SIG_DFL)
    try:
        main(prog_name="labgen")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    run()
