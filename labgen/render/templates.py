"""The templates and static files: built in, and overridden file by file by a project's own templates/."""

import hashlib
import os
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from labgen.model.site_paths import visible_name
from labgen.problems.problem import Place, Problem, Span
from labgen.system.input_files import built_in_templates

STATIC = "static"
BUILT_IN = "built-in"
"""Before the name of a template: the built-in one, for an override that extends what it overrides."""


class TemplateFailedError(Exception):
    """A template that cannot be compiled or rendered; `problem` says where and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Templates:
    """Compiled templates and their names, and the static files as (file under out/, bytes) by their name."""

    root: Path
    environment: jinja2.Environment
    names: frozenset[str]
    static: dict[str, tuple[str, bytes]]

    def has(self, name: str) -> bool:
        """Say whether there is a template with this name."""
        return name in self.names

    def render(self, name: str, path: str, **variables: Any) -> bytes:
        """Return a page as UTF-8; `path` is the one that a failure is reported with."""
        try:
            return self.environment.get_template(name).render(variables).encode()
        except Exception as error:  # a template may raise anything
            raise TemplateFailedError(_problem(error, self.root, f" (rendering {path})")) from error


def load_templates(root: Path) -> tuple[Templates | None, list[Problem]]:
    """Return a project's templates, all compiled, or None and what is wrong with them."""
    folders = [folder for folder in (root / "templates", built_in_templates()) if folder.is_dir()]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [
                jinja2.FileSystemLoader(folders),
                jinja2.PrefixLoader({BUILT_IN: jinja2.FileSystemLoader(built_in_templates())}),
            ]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    del environment.globals["lipsum"], environment.filters["random"]  # equal data give equal bytes
    try:
        static = {name: _static_file(name, data) for name, data in _static_bytes(folders).items()}
    except OSError as error:
        message = f"a static file cannot be read: {(error.strerror or '').lower()}"
        return None, [Problem("template-error", message, Place(_file_name(str(error.filename), root)))]
    problems = _check_files(root)
    names = _names(folders)
    problems += [problem for name in names if (problem := _compile(environment, name, root))]
    return (None if problems else Templates(root, environment, frozenset(names), static)), problems


def _check_files(root: Path) -> list[Problem]:
    """Report what has the name of a template but is no file, and names that no address can hold."""
    own = root / "templates"
    problems = []
    if os.path.lexists(own) and not own.is_dir():
        problems.append(Problem("not-a-file", "`templates` is not a folder", Place("templates")))
    for path in sorted([*own.glob("*.html"), *own.glob(f"{STATIC}/*")]):
        file = visible_name(str(path.relative_to(root)))
        if not path.is_file():
            problems.append(Problem("not-a-file", f"`{file}` is not a file that can be read", Place(file)))
        elif not file.endswith(path.name):
            problems.append(
                Problem("unreadable-file", f"the name `{file}` is not UTF-8", Place(file), "rename it")
            )
    return problems


def _names(folders: list[Path]) -> list[str]:
    return sorted({path.name for folder in folders for path in folder.glob("*.html") if path.is_file()})


def _compile(environment: jinja2.Environment, name: str, root: Path) -> Problem | None:
    try:
        environment.get_template(name)
    except UnicodeDecodeError:
        file = f"templates/{name}"
        return Problem("not-utf-8", f"`{file}` is not valid UTF-8", Place(file), "save the file as UTF-8")
    except Exception as error:  # noqa: BLE001 - a template can make its compiler fail in any way
        return _problem(error, root, "", f"templates/{name}")
    return None


def _problem(error: Exception, root: Path, where: str, compiled: str = "templates") -> Problem:
    if isinstance(error, jinja2.TemplateSyntaxError):
        file, line = error.filename or error.name or "templates", error.lineno
        what = error.message or "syntax error"
    else:
        frames = [
            frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(".html")
        ]
        own = [frame for frame in frames if Path(frame.filename).resolve().is_relative_to(root.resolve())]
        last = (own or frames)[-1:]
        file, line = (last[0].filename, last[0].lineno or 1) if last else (compiled, 0)
        what = str(error) or type(error).__name__
        what = "it includes itself" if isinstance(error, RecursionError) else what
    place = Place(_file_name(file, root) if line else file, span=Span(line, 1, 1) if line else None)
    return Problem("template-error", f"the template fails: {what}{where}", place)


def _file_name(file: str, root: Path) -> str:
    """Return a template's name in the project, or among the built-in ones."""
    path, project = Path(file).resolve(), root.resolve()
    return path.relative_to(project).as_posix() if path.is_relative_to(project) else f"{BUILT_IN}/{path.name}"


def _static_bytes(folders: list[Path]) -> dict[str, bytes]:
    """Return the static files by name; the first folder that has one wins."""
    found: dict[str, bytes] = {}
    for folder in folders:
        for path in sorted((folder / STATIC).glob("*")):
            if path.is_file() and not path.name.startswith("."):
                found.setdefault(path.name, path.read_bytes())
    return found


def _static_file(name: str, data: bytes) -> tuple[str, bytes]:
    """Return a content-addressed file, which may be cached for ever, and its bytes."""
    stem, dot, suffix = name.partition(".")
    return f"{STATIC}/{stem}.{hashlib.sha256(data).hexdigest()[:12]}{dot}{suffix}", data
