"""The entry point of the command `labgen`, also as `python -m labgen`."""

import gc
import os
import sys

from labgen.report.language import ENGLISH, wanted_language
from labgen.report.translate import language_in_use, use
from labgen.system.interruption import Interruption, catch_signals, exit_now, receive


def run() -> None:
    """Run the command; a signal ends it without a traceback, also while it is loading and when it is done."""
    catch_signals(exit_now)
    open_streams()
    gc.disable()  # while modules are loaded; `cli.group` enables it again, except for a build
    use(wanted_language(os.environ, sys.argv[1:]))  # before click, which asks `gettext` for its words
    from labgen.cli import main
    from labgen.cli.group import show_helps_in_language

    if language_in_use() != ENGLISH:
        show_helps_in_language(main)
    catch_signals(receive)
    try:
        main(prog_name="labgen")
    except Interruption as interruption:
        sys.exit(interruption.exit_code)
    finally:
        catch_signals(exit_now)
        gc.freeze()  # or else Python looks for cycles in all that a build has made, before it ends


def open_streams() -> None:
    """Open those of the standard streams that were closed (`2>&-`): what is written to them is discarded."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


if __name__ == "__main__":
    run()
