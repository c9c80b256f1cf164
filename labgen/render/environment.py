"""Configure Jinja for pages, and convert errors in templates to problems with file and line."""

import re
import traceback
from collections.abc import Iterator, Mapping
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.bccache import Bucket
from jinja2.environment import TemplateModule
from jinja2.utils import Cycler, Joiner, Namespace
from markupsafe import Markup

from labgen.problems.hints import did_you_mean
from labgen.problems.problem import Place, Problem, Span
from labgen.problems.text import say
from labgen.render.template_hints import explain
from labgen.render.template_limits import (
    MEMORY,
    MOST_TURNS,
    LimitReachedError,
    add_limits,
    limited_memory,
    limited_power,
    limited_product,
    limited_range,
)
from labgen.render.template_loader import BUILT_IN, CONTROL, TemplateFailedError, TemplateLoader, described
from labgen.system.input_files import TEMPLATES


class UnwritableError(Exception):
    """A template outputs something that a page must not contain; `code` is that of the problem."""

    def __init__(self, what: str, code: str = "control-character") -> None:
        super().__init__(what)
        self.code = code


Codes = dict[str, bytes]
"""Compiled templates, by keys made of their names and of the class of their environment."""


class PageTemplate(jinja2.Template):
    """A template; values that others import from it must not change, because all pages share them."""

    def make_module(
        self,
        vars: dict[str, Any] | None = None,  # noqa: A002 - named by Jinja
        shared: bool = False,
        locals: Mapping[str, Any] | None = None,  # noqa: A002
    ) -> TemplateModule:
        """Return the module that a template exports. Without `vars`, Jinja keeps it for all pages."""
        context = self.new_context(vars, shared, locals)
        module = TemplateModule(self, context)
        changing = [name for name, value in context.vars.items() if isinstance(value, CHANGING)]
        if vars is None and changing:
            raise jinja2.TemplateRuntimeError(
                say(
                    "`{changing}` of `{name}` changes from page to page: import it `with context`",
                    changing=changing[0],
                    name=self.name,
                )
            )
        return module


class CompiledTemplates(jinja2.BytecodeCache):
    """Keeps compiled templates: `codes` are those of the last build, to which those of this one are added."""

    def __init__(self, codes: Codes) -> None:
        self.codes = codes

    def get_bucket(
        self, environment: jinja2.Environment, name: str, filename: str | None, source: str
    ) -> Bucket:
        """Return the code of a template, if it was compiled from the same text in the same file."""
        kind = type(environment).__name__  # they compile differently
        return super().get_bucket(environment, f"{kind} {name}", None, f"{filename}\n{source}")

    def load_bytecode(self, bucket: Bucket) -> None:
        """Set the code that was compiled from the same text, if there is any."""
        bucket.bytecode_from_string(self.codes.setdefault(bucket.key, COMPILED.get(bucket.key, b"")))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the compiled code, in place of earlier code of the same name."""
        self.codes[bucket.key] = COMPILED[bucket.key] = bucket.bytecode_to_string()


COMPILED: Codes = {}
"""The templates that this process compiled last, for the other projects that it builds."""


CHANGING = (Namespace, Cycler, Joiner, Iterator)


class PageEnvironment(jinja2.Environment):
    """The Jinja environment that renders pages; the same data gives the same bytes."""

    template_class = PageTemplate
    loader: TemplateLoader

    def __init__(self, loader: TemplateLoader, codes: Codes, finalize: Any = None) -> None:
        super().__init__(
            loader=loader,
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            auto_reload=False,
            bytecode_cache=CompiledTemplates(codes),
            finalize=finalize or checked,
        )
        del self.globals["lipsum"], self.filters["random"]
        self.globals["range"] = limited_range
        self.turns = 0

    limited_power = staticmethod(limited_power)
    limited_product = staticmethod(limited_product)

    def count_turn(self) -> None:
        """Count a turn of a loop, or a call of a macro. Raises `LimitReachedError` if there are too many."""
        self.turns += 1
        if self.turns > MOST_TURNS:
            raise LimitReachedError(
                say(
                    "its loops and macros take more than {most_turns:,} turns for one page",
                    most_turns=MOST_TURNS,
                )
            )

    def _generate(
        self, source: nodes.Template, name: str | None, filename: str | None, defer_init: bool = False
    ) -> str:
        """Return the code of a template; a project's own ones with limits."""
        if filename and self.loader.is_own(filename):
            add_limits(source)
        return super()._generate(source, name, filename, defer_init)

    def render(self, name: str, variables: Mapping[str, Any], where: str) -> bytes:
        """Return a page as UTF-8. Raises `TemplateFailedError`, whose message ends in `where`."""
        self.turns = 0
        try:
            with limited_memory():
                return encoded(self.get_template(name).render(variables))
        except UnwritableError as error:
            raise TemplateFailedError(self._unwritable(error, name, variables, where)) from error
        except Exception as error:  # a template may raise anything
            raise TemplateFailedError(self.problem(error, name, where)) from error

    def compile_problem(self, name: str) -> Problem | None:
        """Return the problem if a template cannot be read or compiled, else None."""
        try:
            with limited_memory():
                self.get_template(name)
        except Exception as error:  # noqa: BLE001 - a template can make its compiler fail in any way
            return self.problem(error, name)
        return None

    def problem(self, error: Exception, name: str, where: str = "") -> Problem:
        """Convert an error in a template to a problem, with the file and line that the project can fix."""
        if isinstance(error, TemplateFailedError):
            return error.problem
        place, hint = self._place(error, name), ""
        what: str
        match error:
            case jinja2.TemplateNotFound():
                what = say("there is no template `{name}`", name=error.name)
                known = self.loader.list_templates()
                hint = did_you_mean(str(error.name), [*known, *(f"{BUILT_IN}/{one}" for one in known)])
            case MemoryError():
                what = say("it takes more than {memory} MB for one page", memory=MEMORY >> 20)
            case RecursionError():
                what = say("it includes itself, or is nested too deeply")
                own = place.file.removeprefix(f"{TEMPLATES}/")
                hint = say(
                    "to extend the built-in one that it overrides, name `{built_in}/{own}`",
                    built_in=BUILT_IN,
                    own=own,
                )
            case _:
                what, hint = explain(error)
        return Problem(
            "template-error", say("the template fails: {what}{where}", what=what, where=where), place, hint
        )

    def _place(self, error: Exception, name: str) -> Place:
        """Return where a template failed: in the project's templates if possible, else in a built-in one."""
        if isinstance(error, jinja2.TemplateSyntaxError):
            return self._line(error.filename or str(self.loader.find(name)), error.lineno)
        trace = traceback.extract_tb(error.__traceback__)
        frames = [frame for frame in trace if self.loader.holds(frame.filename)]
        own = [frame for frame in frames if self.loader.is_own(frame.filename)]
        for last in (own or frames)[-1:]:
            return self._line(last.filename, last.lineno or 1)
        return Place(f"{TEMPLATES}/{name}")

    def _line(self, file: str, line: int) -> Place:
        return Place(self.loader.file_name(file), span=Span(line, 1, 1))

    def _unwritable(
        self, error: UnwritableError, name: str, variables: Mapping[str, Any], where: str
    ) -> Problem:
        """Return the problem of unwritable output; the page is rendered again to find the line."""
        looking = self.overlay(finalize=_looked_at, bytecode_cache=None)
        try:
            looking.get_template(name).render(variables)
        except Exception as found:  # noqa: BLE001 - any error has the place
            place = self._place(found, name)
        else:
            place = Place(f"{TEMPLATES}/{name}")
        return Problem(
            error.code, say("the template outputs {error}{where}", error=error, where=where), place
        )


def checked(value: Any) -> Any:
    """Return a value that a template outputs. Raises if it has no text, or a different one in each build."""
    if type(value) in PLAIN or isinstance(value, jinja2.Undefined):
        return value
    if callable(value) or _ADDRESS.search(str(value)):
        name = type(value).__name__
        raise jinja2.TemplateRuntimeError(
            say("a `{name}` is no text: call it with (), or join its parts by |join", name=name)
        )
    return value


PLAIN = (str, Markup, int, float, bool, type(None))
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+>")
"""The end of Python's default text for an object, with its address in memory."""


def encoded(text: str) -> bytes:
    """Return a text as UTF-8. Raises `UnwritableError` if a page must not contain it."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise UnwritableError(described(text[error.start])) from None
    if len(data.translate(None, _CONTROLS)) < len(data) and (found := CONTROL.search(text)):
        raise UnwritableError(described(found[0]))
    if " at 0x" in text and _ADDRESS.search(text):  # in texts of the data, > is escaped
        raise UnwritableError(say("an object that is no text"), "template-error")
    return data


_CONTROLS = bytes(code for code in range(128) if CONTROL.match(chr(code)))


def _looked_at(value: Any) -> Any:
    if isinstance(value, str):
        encoded(value)
    return value
