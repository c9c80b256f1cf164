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
from labgen.problems.text import say
from labgen.source.file_formats import LABORATORY_SUFFIXES, LIST_SUFFIXES, SETTINGS, STEMS
from labgen.source.tables.databases import SIDE_FILES
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
_ONE_OF = say(
    "{laboratory_suffixes} or {laboratory_suffixes_2}",
    laboratory_suffixes=", ".join(LABORATORY_SUFFIXES[:-1]),
    laboratory_suffixes_2=LABORATORY_SUFFIXES[-1],
)


def check_names(data: Path) -> list[Problem]:
    """Report the files in data/ that are not read, except notes; as errors if their data would be missing."""
    try:
        names = sorted(path.name for path in data.iterdir())
    except OSError as error:
        return [
            Problem(
                "unreadable-file", say("`data` cannot be read: {error}", error=reason(error)), Place(DATA)
            )
        ]
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
        return [
            Problem(
                "unreadable-file",
                say("the name `{visible}` is not UTF-8", visible=visible),
                Place(visible),
                say("rename it"),
            )
        ]
    if file.endswith(LABORATORY_SUFFIXES):
        return []
    folder, name = (root / file).parent, file.rpartition("/")[2]
    if (root / file).is_dir():
        message: str = say("`{file}` is a folder, and what is in it is not read", file=file)
        hint: str = say("move its files up into {folder}/", folder=FOLDER)
    else:
        message, hint = _unread_laboratory(file, name)
    right = _right_name(name)
    other = folder / right
    if right != name and other.exists() and not other.samefile(root / file):
        hint = say(
            "there is a {right} already: move this file out of {folder}",
            right=right,
            folder=say("the folder"),
        )
    return [Problem("ignored-file", message, Place(file), hint)]


def _unread_laboratory(file: str, name: str) -> tuple[str, str]:
    dot, suffix = name.rpartition(".")[1:]
    if not dot:
        what = say("does not end in {one_of}", one_of=_ONE_OF)
        return say("`{file}` is not read: its name {what}", file=file, what=what), say(
            "rename it, or move it out of the folder"
        )
    if name != name.strip():
        return say("`{file}` is not read: its name ends in a space", file=file), say(
            "rename it to {right_name}", right_name=_right_name(name.strip())
        )
    right = _right_name(name)
    is_right = right.endswith(LABORATORY_SUFFIXES)
    hint = (
        say("rename it to {right}", right=right)
        if is_right
        else say("write a laboratory as {one_of}", one_of=_ONE_OF)
    )
    return say("`{file}` is not read: its name ends in .{suffix}", file=file, suffix=suffix), hint


def _unread(name: str, names: list[str]) -> Problem:
    visible, right, stem = visible_name(name), _right_name(name), _stem_of(name)
    message = say("`{data}/{visible}` is not read", data=DATA, visible=visible)
    severity: Severity = "error"
    if right != name and right in names:
        hint = say(
            "there is a {right} already: move this file out of {folder}", right=right, folder=f"{DATA}/"
        )
    elif right in _EXPECTED:
        hint = say("rename it to {right}", right=right)
    elif stem == LABORATORIES:
        hint = say(
            "laboratories are {one_of} files in {folder}/, lines of {bulk}, or rows of {table_files}",
            one_of=_ONE_OF,
            folder=FOLDER,
            bulk=BULK,
            table_files=_TABLE_FILES,
        )
    elif stem == _SETTINGS_STEM:
        hint = say("the settings are written in {data}/{settings}", data=DATA, settings=SETTINGS)
    elif stem in STEMS and right.endswith(PACKED):
        hint = say("unpack it")
    elif stem in STEMS:
        hint = say("save it as {list_suffixes}", list_suffixes=", ".join(LIST_SUFFIXES))
        severity = "warning" if any(stem + suffix in names for suffix in LIST_SUFFIXES) else "error"
    elif stem.isdecimal() and right.endswith(LABORATORY_SUFFIXES):
        message, hint = (
            say("{message}: it looks like a laboratory", message=message),
            say("move it into {folder}/", folder=FOLDER),
        )
    else:
        near = _near_stem(name)
        hint = (
            say("did you mean `{renamed}`?", renamed=_renamed(visible, near))
            if near
            else say("move it out of data/")
        )
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
            return say(
                "rename {data}/{near} to {renamed}",
                data=DATA,
                near=visible_name(near),
                renamed=visible_name(_renamed(near, stem)),
            )
    return ""
