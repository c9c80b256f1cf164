"""Where the command `labgen` begins; `python -m labgen` is the same."""

import sys

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended (128 + SIGINT)."""


def run() -> None:
    """Run the command; Ctrl-C while it is still loading is no traceback."""
    try:
        from labgen.cli import main
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    main(prog_name="labgen")


if __name__ == "__main__":
    run()
