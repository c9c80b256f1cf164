"""Choose the language of messages: the user's, or else that of the project."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

ENGLISH = "en"
LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
"""The variables of the locale, the strongest first (POSIX, 8.2)."""
DEFAULT = "de"
"""The language of a project that does not say it (`model.settings`)."""
_LANGUAGE = re.compile(r"""^[ \t]*language[ \t]*=[ \t]*["']([A-Za-z]+)""", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


def wanted_language(environment: Mapping[str, str], arguments: Sequence[str]) -> str:
    """Return the code of a language: from LABGEN_LANG, the locale, or the settings of the project.

    `C` and `POSIX` name no language. The settings are only searched for one line, because they are read
    before anything else, and may have errors.
    """
    own = environment.get("LABGEN_LANG", "")
    locale = next(filter(None, (environment.get(name, "") for name in LOCALE)), "")
    for one in (own, locale):
        code = re.split(r"[_.@-]", one)[0].lower()
        if code and code not in ("c", "posix"):
            return code
    return _of_project(project_in(arguments))


def project_in(arguments: Sequence[str]) -> Path:
    """Return the folder of the project that a command line names, or the current one."""
    for at, one in enumerate(arguments):
        if one in ("-C", "--project") and at + 1 < len(arguments):
            return Path(arguments[at + 1])
        if one.startswith("--project="):
            return Path(one.partition("=")[2])
        if one.startswith("-C") and not one.startswith("--"):
            return Path(one[2:])
    return Path()


def _of_project(root: Path) -> str:
    try:
        text = (root / "data" / "site.toml").read_text("utf-8", errors="replace")
    except OSError:
        return ENGLISH
    found = _LANGUAGE.search(_TABLE.split(text, maxsplit=1)[0])
    return found[1].lower() if found else DEFAULT
