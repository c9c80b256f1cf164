"""The entry point of the command `labgen`, also as `python -m labgen`."""

import gc
import os
import sys

from labgen.report.language import ENGLISH, wanted_language
from labgen.system.interruption import Interruption, catch_signals, exit_now, receive


def run() -> None:
    """Run the command; a signal ends it without a traceback, also while it is loading and when it is done."""
    catch_signals(exit_now)
    open_streams()
    gc.disable()  # while modules are loaded; `cli.group` enables it again, except for a build
    choose_language()
    from labgen.cli import main

    catch_signals(receive)
    try:
        main(prog_name="labgen")
    except Interruption as interruption:
        sys.exit(interruption.exit_code)
    finally:
        catch_signals(exit_now)


def choose_language() -> None:
    """Load the texts of the user's language before click is loaded, which asks `gettext` for its words."""
    if (language := wanted_language(os.environ, sys.argv[1:])) != ENGLISH:
        from labgen.report.translate import use

        use(language)


def open_streams() -> None:
    """Open those of the standard streams that were closed (`2>&-`): what is written to them is discarded."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


if __name__ == "__main__":
    run()
