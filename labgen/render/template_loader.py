"""Find and read template files: a project's own first, then the built-in ones."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

import jinja2
from jinja2.loaders import split_template_path

from labgen.formats.encodings import decode
from labgen.formats.read_files import reason
from labgen.problems.problem import Place, Problem, Span
from labgen.problems.text import say
from labgen.system.input_files import read_bytes

BUILT_IN = "built-in"
"""The first part of the name of a built-in template, so that an override can extend what it overrides."""
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""A character that a page must not contain: a control character, or half of a surrogate pair."""


class TemplateFailedError(Exception):
    """A template that cannot be read, compiled or rendered; `problem` says where and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


class TemplateLoader(jinja2.BaseLoader):
    """Finds templates by name in folders; the last folder is that of the built-in ones."""

    def __init__(self, root: Path, folders: Sequence[Path]) -> None:
        self.root = root.resolve()
        self.folders = folders

    def get_source(self, _: jinja2.Environment, template: str) -> tuple[str, str, None]:
        """Return a template's text and file. Raises `TemplateNotFound` and `TemplateFailedError`."""
        path = self.find(template)
        return read_template(path, self.file_name(path)), str(path), None

    def find(self, template: str) -> Path:
        """Return the file of a template. Raises `TemplateNotFound`."""
        parts = split_template_path(template)
        paths = [folder.joinpath(*parts) for folder in self.folders]
        if parts[:1] == [BUILT_IN]:
            paths.append(self.folders[-1].joinpath(*parts[1:]))
        found = next((path for path in paths if os.path.isfile(path)), None)  # noqa: PTH113 - no name is too long
        if found is None:
            raise jinja2.TemplateNotFound(template)
        return found

    def list_templates(self) -> list[str]:
        """Return the names of all files in the folders."""
        found = {path.relative_to(folder) for folder in self.folders for path in folder.rglob("*")}
        return sorted(path.as_posix() for path in found)

    def holds(self, file: str) -> bool:
        """Return whether a file is in a template folder, unlike modules of programs."""
        return any(Path(file).is_relative_to(folder) for folder in self.folders)

    def is_own(self, file: str) -> bool:
        """Return whether a file is the project's, and not a built-in one."""
        return Path(file).resolve().is_relative_to(self.root)

    def file_name(self, file: str | Path) -> str:
        """Return the path of a file in the project, or the name of a built-in one after `built-in/`."""
        path = Path(file).resolve()
        return path.relative_to(self.root).as_posix() if self.is_own(str(file)) else f"{BUILT_IN}/{path.name}"


def read_template(path: Path, name: str) -> str:
    """Return a file's text. Raises `TemplateFailedError` unless it is UTF-8 without control characters."""
    try:
        data = read_bytes(path)
    except OSError as error:
        message = say("`{name}` cannot be read: {error}", name=name, error=reason(error))
        raise TemplateFailedError(Problem("unreadable-file", message, Place(name))) from None
    text, problems = decode(data, name)
    problems += _controls(text or "", name)
    if text is None or problems:
        raise TemplateFailedError(problems[0])
    return text


def _controls(text: str, name: str) -> list[Problem]:
    """Report the first character of a file that a page must not contain."""
    found = CONTROL.search(text)
    if found is None:
        return []
    before = text[: found.start()]
    place = Place(name, span=Span(before.count("\n") + 1, len(before) - before.rfind("\n"), 1))
    return [
        Problem(
            "control-character",
            say("`{name}` holds {described}", name=name, described=described(found[0])),
            place,
            say("remove it"),
        )
    ]


def described(char: str) -> str:
    """Return the description of a character that cannot be shown, for a message."""
    return (
        say("the control character U+{ord:04X}", ord=ord(char))
        if ord(char) < FIRST_SURROGATE
        else say("U+{ord:X}, half of a character", ord=ord(char))
    )


FIRST_SURROGATE = 0xD800
