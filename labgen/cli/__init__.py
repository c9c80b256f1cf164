"""Define the command line: each command defines its options, calls one function and shows the result.

Exit codes: 0 done; 1 the data, a host or a target has errors, or a file cannot be written; 2 the command was
used wrongly; 3 a change is of a kind given to --fail-on; 129, 130 or 143 ended by a signal.
"""

from labgen.cli import (
    build_command,
    diff_command,
    export_command,
    import_command,
    new_command,
    project_commands,
    publish_command,
    serve_command,
    sync_command,
    verify_command,
)
from labgen.cli.group import main

__all__ = [
    "build_command",
    "diff_command",
    "export_command",
    "import_command",
    "main",
    "new_command",
    "project_commands",
    "publish_command",
    "serve_command",
    "sync_command",
    "verify_command",
]
