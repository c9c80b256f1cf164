"""Load the templates and static files: the built-in ones, unless a project's templates/ overrides them."""

import hashlib
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from labgen.contract.http_contract import MEDIA_TYPES
from labgen.formats.read_files import is_readable
from labgen.model.site_paths import visible_name
from labgen.problems.problem import Place, Problem, count_errors
from labgen.problems.text import cause_of, say
from labgen.render.environment import Codes, PageEnvironment
from labgen.render.frames import FrameEnvironment
from labgen.render.scripts import for_browsers
from labgen.render.template_checks import check_own_styles, check_own_templates
from labgen.render.template_loader import TemplateLoader
from labgen.system.input_files import TEMPLATES, built_in_templates, is_ignored, is_of_system

STATIC = "static"
ICON = "favicon.ico"


@dataclass(frozen=True, slots=True)
class Templates:
    """The templates and their names, and the static files as (file under out/, bytes) by their name.

    `pages` renders templates, and `frames` makes frames of them; `icon` is the favicon.ico at the root.
    `codes` are the compiled templates.
    """

    codes: Codes
    pages: PageEnvironment
    frames: FrameEnvironment
    names: frozenset[str]
    static: dict[str, tuple[str, bytes]]
    icon: bytes

    def has(self, name: str) -> bool:
        """Return whether there is a template with this name."""
        return name in self.names

    def render(self, name: str, path: str, **variables: Any) -> bytes:
        """Return a page as UTF-8; failures are reported with `path`."""
        return self.pages.render(name, variables, say(" (rendering {path})", path=path))


def load_templates(
    root: Path, published: Collection[str] = (), codes: Codes | None = None
) -> tuple[Templates | None, list[Problem]]:
    """Return the templates (None if there are errors) and all problems; compile the project's own.

    `published` are patterns of static files that are published whatever their suffixes are. `codes` are the
    compiled templates of the last build; templates with the same text are not compiled again.
    """
    if problems := list(_unreadable_folders(root)):
        return None, problems
    folders = [folder for folder in (root / TEMPLATES, built_in_templates()) if folder.is_dir()]
    loader = TemplateLoader(root, folders)
    try:
        static = _static_files(_static_bytes(folders, published))
        icon = next(folder / ICON for folder in folders if (folder / ICON).is_file()).read_bytes()
    except OSError as error:
        message = say("a static file cannot be read: {strerror}", strerror=cause_of(error))
        return None, [Problem("template-error", message, Place(loader.file_name(str(error.filename))))]
    problems = _check_files(root)
    names, codes = _names(folders), {} if codes is None else codes
    pages = PageEnvironment(loader, codes)
    own = [name for name in names if loader.is_own(str(loader.find(name)))]
    problems += [problem for name in own if (problem := pages.compile_problem(name))]
    if count_errors(problems):
        return None, problems
    problems += check_own_templates(pages, _files(root / TEMPLATES))
    problems += check_own_styles(pages, _own_styles(root))
    problems += _check_static(root, published)
    frames = FrameEnvironment(loader, codes)
    return Templates(codes, pages, frames, frozenset(names), static, icon), problems


def _unreadable_folders(root: Path) -> Iterator[Problem]:
    """Yield a problem for each unreadable template folder: built-in files must not replace its files."""
    below = [Path(folder, name) for folder, names, _ in os.walk(root / TEMPLATES) for name in sorted(names)]
    for folder in (root / TEMPLATES, *below):
        if folder.is_dir() and not is_readable(folder):
            file = visible_name(str(folder.relative_to(root)))
            yield Problem(
                "unreadable-file", say("`{file}` cannot be read: permission denied", file=file), Place(file)
            )


def _check_files(root: Path) -> list[Problem]:
    """Report entries with the name of a template that are not files, and names that are not UTF-8."""
    own = root / TEMPLATES
    problems = []
    if os.path.lexists(own) and not own.is_dir():
        problems.append(Problem("not-a-file", say("`templates` is not a folder"), Place(TEMPLATES)))
    for path in sorted([*_pages(own), *own.glob(f"{STATIC}/*")]):
        file = visible_name(str(path.relative_to(root)))
        if not path.is_file():
            problems.append(
                Problem("not-a-file", say("`{file}` is not a file that can be read", file=file), Place(file))
            )
        elif not file.endswith(path.name):
            problems.append(
                Problem(
                    "unreadable-file",
                    say("the name `{file}` is not UTF-8", file=file),
                    Place(file),
                    say("rename it"),
                )
            )
    return problems


def _pages(folder: Path) -> list[Path]:
    """Return the entries with the name of a template, except files left behind by an editor or the system."""
    return [path for path in folder.glob("*.html") if not is_ignored(path.name)]


def _names(folders: list[Path]) -> list[str]:
    return sorted({path.name for folder in folders for path in _pages(folder) if path.is_file()})


def _files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*") if path.is_file() and not is_ignored(path.name))


def _static_bytes(folders: list[Path], published: Collection[str]) -> dict[str, bytes]:
    """Return the static files by name; of files with the same name, that of the first folder wins."""
    found: dict[str, bytes] = {}
    for folder in folders:
        for path in sorted((folder / STATIC).glob("*")):
            if path.is_file() and _is_published(path.name, published):
                found.setdefault(path.name, path.read_bytes())
    for own in sorted((folders[-1] / STATIC).glob("*.js")):
        if found[own.name] == (script := own.read_bytes()):
            found[own.name] = for_browsers(script.decode()).encode()
    return found


def _is_published(name: str, published: Collection[str]) -> bool:
    """Return whether a static file is published: one for browsers by its name, or one that is named."""
    is_named = any(fnmatchcase(name, one) for one in published)
    return not name.startswith(".") and (is_named or name.lower().endswith(WEB_SUFFIXES))


WEB_SUFFIXES = (
    *MEDIA_TYPES,
    *(".mjs", ".wasm", ".webmanifest", ".woff", ".woff2", ".ttf", ".otf"),
    *(".mp3", ".mp4", ".ogg", ".webm", ".vtt", ".pdf"),
)
"""Suffixes of files for browsers. Others were left behind, are for programs, or should not be public."""


def _check_static(root: Path, published: Collection[str]) -> Iterator[Problem]:
    """Yield a warning for each static file of the project that is not published, except hidden ones."""
    for path in sorted((root / TEMPLATES / STATIC).glob("*")):
        name = path.name
        if not (name.startswith(".") or is_of_system(name) or _is_published(name, published)):
            file = f"{TEMPLATES}/{STATIC}/{name}"
            message = say("`{file}` is not published: its name is not that of a file for browsers", file=file)
            hint = say(
                'remove it; or write `static_files = ["{name}"]` in data/site.toml, which publishes it',
                name=name,
            )
            yield Problem("unpublished-file", message, Place(file), hint, severity="warning")


def _own_styles(root: Path) -> dict[str, str]:
    """Return the texts of a project's own stylesheets by the names of their files."""
    folder = root / TEMPLATES / STATIC
    paths = [path for path in sorted(folder.glob("*.css")) if path.is_file() and not is_ignored(path.name)]
    return {f"{TEMPLATES}/{STATIC}/{path.name}": path.read_bytes().decode(errors="replace") for path in paths}


def _static_files(data: Mapping[str, bytes]) -> dict[str, tuple[str, bytes]]:
    """Return the static files by name: their paths and bytes. Stylesheets name other files by their paths."""
    others = {name: _static_file(name, one) for name, one in data.items() if not name.endswith(".css")}

    def published(found: re.Match[bytes]) -> bytes:
        path, _ = others.get(found[1].decode(errors="replace"), ("", b""))
        return b'url("%s")' % path.rpartition("/")[2].encode() if path else found[0]

    return {
        name: others.get(name) or _static_file(name, URL.sub(published, one)) for name, one in data.items()
    }


URL = re.compile(rb"""url\(\s*["']?([^"'()\s]+)["']?\s*\)""")
"""An address in a stylesheet."""


def _static_file(name: str, data: bytes) -> tuple[str, bytes]:
    """Return the path and the bytes of a static file; it has a digest, so it may be cached for ever."""
    stem, dot, suffix = name.partition(".")
    return f"{STATIC}/{stem}.{hashlib.sha256(data).hexdigest()[:12]}{dot}{suffix}", data
