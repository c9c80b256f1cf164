"""Below `cli`, nothing depends on the environment, the clock or chance, but for what stands here with a reason."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import labgen

PACKAGE = Path(labgen.__file__).parent

ASKS = re.compile(
    r"os\.(environb?|getenvb?|urandom|getlogin|times)|os\.path\.expand(user|vars)|pathlib\.Path\.home"
    r"|time\.\w+|(locale|random|secrets|uuid|tempfile|getpass|platform)(\.\w+)*"
    r"|datetime\.(datetime|date)\.(utc)?(now|today)"
    r"|urllib\.request\.(getproxies|proxy_bypass)\w*|ssl\.create_default_context|socket\.gethostname"
)
"""What depends on where and when a program runs, by its name in full."""

ALLOWED = {
    "__main__.py": {"os.environ": "it says in which language a person reads"},
    "client/directory.py": {"time.sleep": "a host is asked again after a pause"},
    "fetch/ask.py": {
        "time.monotonic": "a host has a limited time to answer",
        "time.sleep": "a host is asked again after a pause",
    },
    "fetch/client.py": {"time.monotonic": "a host has a limited time to answer"},
    "memory/database.py": {"tempfile.mkstemp": "the file of a new database, which loses its name at once"},
    "output/commit.py": {"time.sleep": "old files go a moment after new ones came"},
    "output/errors.py": {"tempfile.TemporaryDirectory": "a folder of its own, which is removed again"},
    "output/open_folder.py": {
        "time.monotonic": "another build is waited for, but not for ever",
        "time.sleep": "another build is waited for, but not for ever",
    },
    "pipeline/load_project.py": {"tempfile.gettempdir": "a full disk of temporary files is named"},
    "publish/folders.py": {"os.environ": "rsync gets it, with another time zone"},
    "publish/lease.py": dict.fromkeys(
        ["getpass", "getpass.getuser", "platform", "platform.node", "secrets", "secrets.token_hex"],
        "a publication tells others whose it is, by a name of its own",
    ),
    "publish/proof.py": dict.fromkeys(["secrets", "secrets.token_hex"], "a file of a process of its own"),
    "publish/publish.py": dict.fromkeys(
        ["time.time", "time.sleep"], "a lease is renewed, and others are waited for"
    ),
    "publish/releases.py": dict.fromkeys(
        ["secrets", "secrets.token_hex"], "the folder of a release has a name that nobody guesses"
    ),
    "render/feed.py": dict.fromkeys(["uuid.uuid5", "uuid.NAMESPACE_URL"], "computed from an address"),
    "report/bar.py": {"time.monotonic": "a bar on a terminal appears after a second"},
    "serve/server.py": {"time.monotonic": "of many idle clients, the one that waits longest goes"},
    "source/fix.py": dict.fromkeys(
        ["tempfile", "tempfile.NamedTemporaryFile"], "a file is written beside its place and moved there"
    ),
    "source/tables/databases.py": {"time.thread_time": "a query without an end is ended"},
    "source/tables/read_apart.py": {"os.environ": "the process that reads a table gets it"},
    "system/input_files.py": {"time.time_ns": "a file that was changed a moment ago is read again"},
    "system/timings.py": {"time.monotonic_ns": "`--timings` is asked for"},
    "system/workers.py": {"time.sleep": "a process watches whether its parent is there"},
    "verify/verify.py": {
        "time.monotonic": "a report says how long it took",
        "time.time": "a certificate is valid for so many days",
    },
}


def asked(source: str) -> Iterator[str]:
    """Yield the names in full of what a module imports and uses."""
    names: dict[str, str] = {}
    nodes = list(ast.walk(ast.parse(source)))
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            names |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.Import):
            names |= {one.asname or one.name: one.name for one in node.names}
    yield from names.values()
    for node in nodes:
        first, dot, rest = (
            ast.unparse(node).partition(".") if isinstance(node, ast.Attribute) else ("", "", "")
        )
        if first in names:
            yield names[first] + dot + rest


def test_what_depends_on_where_and_when_it_runs_is_listed_with_a_reason():
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        uses = {use for use in asked(path.read_text()) if ASKS.fullmatch(use)}
        if uses and not name.startswith("cli/"):
            found[name] = uses
    assert found == {name: set(reasons) for name, reasons in ALLOWED.items()}


def test_all_ways_to_ask_the_environment_are_found():
    for source in (
        "import os\nos.environ.get('A')",
        "import os as system\nsystem.getenv('A')",
        "from os import environ",
        "import random",
        "from time import time",
        "import time as clock\nclock.time()",
        "from datetime import date\ndate.today()",
        "from pathlib import Path\nPath.home()",
        "from urllib.request import getproxies",
    ):
        assert any(ASKS.fullmatch(use) for use in asked(source)), source


def test_placeholders_in_sql_have_no_numbers_which_python_refuses_from_3_14_on():
    for path in PACKAGE.rglob("*.py"):
        assert not re.search(r"(SELECT|UPDATE|WHERE|VALUES)\b.*\?\d", path.read_text()), path
