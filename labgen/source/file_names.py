"""Report files in data/ that are not read because of their names, and suggest the correct name."""

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from labgen.formats.read_files import reason
from labgen.model.german import slugify
from labgen.model.site_paths import visible_name
from labgen.model.tables import OWN_TABLES, TABLES
from labgen.problems.hints import closest
from labgen.problems.problem import Place, Problem, Severity
from labgen.source.file_formats import LABORATORY_SUFFIXES, LIST_SUFFIXES, SETTINGS, STEMS
from labgen.source.tables.books import SIDE_FILES
from labgen.source.tables.sheets import german_tables
from labgen.system.input_files import (
    BOOKS,
    DATA,
    DATABASES,
    LABORATORIES,
    MEDIA,
    SOURCE_SUFFIXES,
    is_ignored,
)

FOLDER = f"{DATA}/{LABORATORIES}"
BULK = f"{FOLDER}.jsonl"
_SETTINGS_STEM = Path(SETTINGS).stem
_EXPECTED = {SETTINGS, LABORATORIES, MEDIA, f"{LABORATORIES}.jsonl"}
_EXPECTED |= {stem + suffix for stem in STEMS for suffix in LIST_SUFFIXES}
_EXPECTED |= {stem + suffix for stem in TABLES for suffix in BOOKS}
_EXPECTED |= {stem + suffix for stem in (LABORATORIES, *OWN_TABLES) for suffix in (".csv",)}
_EXPECTED |= {stem + suffix + end for stem in TABLES for suffix in DATABASES for end in SIDE_FILES}
_TABLE_FILES = f"{LABORATORIES}.csv, .xlsx or .sqlite"
_ONE_OF = f"{', '.join(LABORATORY_SUFFIXES[:-1])} or {LABORATORY_SUFFIXES[-1]}"


def check_names(data: Path) -> list[Problem]:
    """Report the files in data/ that are not read, except notes; as errors if their data would be missing."""
    try:
        names = sorted(path.name for path in data.iterdir())
    except OSError as error:
        return [Problem("unreadable-file", f"`data` cannot be read: {reason(error)}", Place(DATA))]
    unread = [name for name in names if name not in _EXPECTED and not is_ignored(name)]
    return [_unread(name, names) for name in unread]


def is_misnamed(data: Path, stem: str) -> bool:
    """Return whether data/ has a file with this stem under a wrong name, which `check_names` reports."""
    with suppress(OSError):
        names = [path.name for path in data.iterdir()]
        return any(_stem_of(one) == stem and one not in _EXPECTED and not is_ignored(one) for one in names)
    return False


def check_laboratory_name(root: Path, file: str) -> list[Problem]:
    """Report a file or folder among the laboratories that is not read because of its name."""
    visible = visible_name(file)
    if visible != file:
        return [Problem("unreadable-file", f"the name `{visible}` is not UTF-8", Place(visible), "rename it")]
    if file.endswith(LABORATORY_SUFFIXES):
        return []
    if (root / file).is_dir():
        message, hint = (
            f"`{file}` is a folder, and what is in it is not read",
            f"move its files up into {FOLDER}/",
        )
    else:
        message, hint = _unread_laboratory(file, file.rpartition("/")[2])
    return [Problem("ignored-file", message, Place(file), hint)]


def _unread_laboratory(file: str, name: str) -> tuple[str, str]:
    dot, suffix = name.rpartition(".")[1:]
    if not dot:
        what = f"does not end in {_ONE_OF}"
        return f"`{file}` is not read: its name {what}", "rename it, or move it out of the folder"
    if name != name.strip():
        return f"`{file}` is not read: its name ends in a space", f"rename it to {_right_name(name.strip())}"
    right = _right_name(name)
    is_right = right.endswith(LABORATORY_SUFFIXES)
    hint = f"rename it to {right}" if is_right else f"write a laboratory as {_ONE_OF}"
    return f"`{file}` is not read: its name ends in .{suffix}", hint


def _unread(name: str, names: list[str]) -> Problem:
    visible, right, stem = visible_name(name), _right_name(name), _stem_of(name)
    message = f"`{DATA}/{visible}` is not read"
    severity: Severity = "error"
    if right in _EXPECTED:
        hint = f"rename it to {right}"
    elif stem == LABORATORIES:
        hint = f"laboratories are {_ONE_OF} files in {FOLDER}/, lines of {BULK}, or rows of {_TABLE_FILES}"
    elif stem == _SETTINGS_STEM:
        hint = f"the settings are written in {DATA}/{SETTINGS}"
    elif stem in STEMS and right.endswith(PACKED):
        hint = "unpack it"
    elif stem in STEMS:
        hint = f"save it as {', '.join(LIST_SUFFIXES)}"
        severity = "warning" if any(stem + suffix in names for suffix in LIST_SUFFIXES) else "error"
    elif stem.isdecimal() and right.endswith(LABORATORY_SUFFIXES):
        message, hint = f"{message}: it looks like a laboratory", f"move it into {FOLDER}/"
    else:
        near = _near_stem(name)
        hint = f"did you mean `{_renamed(visible, near)}`?" if near else "move it out of data/"
        severity = "warning"
    return Problem("ignored-file", message, Place(f"{DATA}/{visible}"), hint, severity)


def _right_name(name: str) -> str:
    """Return the name that was meant: in lower case, at least its suffix, and without an extra `.txt`."""
    stem, dot, suffix = name.rpartition(".")
    if suffix.lower() == "txt" and stem.lower().endswith(SOURCE_SUFFIXES):
        return _right_name(stem)
    right = f"{stem}{dot}{suffix.lower()}"
    return right.lower() if right.lower() in _EXPECTED else right


def _stem_of(name: str) -> str:
    return name.lower().partition(".")[0]


PACKED = (".gz", ".zip", ".7z", ".rar", ".xz", ".bz2")
_STEMS = tuple(sorted(STEMS | {LABORATORIES, MEDIA, _SETTINGS_STEM}))


def _near_stem(name: str) -> str | None:
    """Return the stem that was probably meant by a nearly right or German name, or None."""
    stems = (*_STEMS, *OWN_TABLES) if name.lower().endswith((".csv", *BOOKS)) else _STEMS
    german = _german_stems().get(slugify(_stem_of(name)))
    return german if german in stems else closest(_stem_of(name).replace("-", "_").replace(" ", "_"), stems)


@cache
def _german_stems() -> Mapping[str, str]:
    """Return the stems that are read from data/, by the slugs of their German names."""
    names = {**german_tables(), "bilder": MEDIA, "einstellungen": _SETTINGS_STEM}
    return {slugify(name): stem for name, stem in names.items()}


def _renamed(name: str, stem: str) -> str:
    dot, suffixes = name.partition(".")[1:]
    return stem + dot + suffixes.lower()


def rename_hint(data: Path, stem: str) -> str:
    """Return a hint to rename the file in data/ that was probably meant to have this stem, or ""."""
    with suppress(OSError):
        names = sorted(path.name for path in data.iterdir())
        unread = (name for name in names if name not in _EXPECTED and not is_ignored(name))
        if near := next((name for name in unread if _near_stem(name) == stem), None):
            return f"rename {DATA}/{visible_name(near)} to {visible_name(_renamed(near, stem))}"
    return ""
