"""Find all texts that people read, and write them into the catalogues of other languages: `make words`."""

import ast
import errno
import inspect
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

import labgen
from labgen.api.sections import ENDPOINTS
from labgen.cli import main
from labgen.contract.http_contract import TOPICS
from labgen.hosts import PROFILES, REFUSED
from labgen.hosts.capacity import WAYS
from labgen.hosts.profile import HostClass, Measure
from labgen.model import records, settings
from labgen.model.records import Record
from labgen.report.changes import _nouns
from labgen.report.translate import FOLDER, LANGUAGES, entries
from labgen.verify.policies import NEEDED

PACKAGE = Path(labgen.__file__).parent
CALLS = {"say": 0, "noun": 0, "plural": 1, "Share": 2}
"""The functions whose literals are texts, each with the position of the first one."""
OF_CLICK = ("_", "gettext", "ngettext")
CAUSES = "EACCES EADDRINUSE EADDRNOTAVAIL EBUSY ECONNREFUSED ECONNRESET EEXIST EHOSTUNREACH EINVAL EIO EISDIR ELOOP EMFILE ENAMETOOLONG ENETUNREACH ENOENT ENOSPC ENOTDIR EPERM EPIPE EROFS ETIMEDOUT"
"""The errors of the operating system that are translated."""


class Words(NamedTuple):
    """An English text: its plural, if it is a noun with a number, and where it is from."""

    text: str
    many: str
    origin: str


def all_words() -> dict[str, Words]:
    """Return each text once, by its English words."""
    found: dict[str, Words] = {}
    for one in (*in_code(), *in_tables(), *in_helps(), *of_click()):
        if has_letters(one.text) and (one.text not in found or one.many):
            found[one.text] = one
    return found


def has_letters(template: str) -> bool:
    """Say whether a template has letters outside its places."""
    depth = 0
    for char in template:
        depth += (char == "{") - (char == "}")
        if char.isalpha() and not depth:
            return True
    return False


def in_code() -> Iterator[Words]:
    """Yield the literals that `say`, `plural` and `noun` are called with."""
    for file in sorted(PACKAGE.rglob("*.py")):
        name = f"labgen/{file.relative_to(PACKAGE)}"
        for call in calls_in(file):
            if (first := CALLS.get(name_of(call))) is not None:
                texts = texts_of(call.args[first:])
                if name_of(call) == "plural" and len(texts) == 1:
                    texts.append(f"{texts[0]}s")
                if texts:
                    yield Words(texts[0], "".join(texts[1:2]), name)


def in_tables() -> Iterator[Words]:
    """Yield the texts of tables, which `term` makes texts of."""
    tables = {
        "labgen/contract/http_contract.py": TOPICS.values(),
        "labgen/hosts/profile.py": [*HostClass, *Measure],
        "labgen/hosts/capacity.py": [way for way, _ in WAYS],
        "labgen/verify/policies.py": NEEDED,
        "os.strerror": [os.strerror(getattr(errno, name)).lower() for name in CAUSES.split()],
        "labgen/hosts": [
            text
            for one in PROFILES.values()
            for text in (one.does, one.cannot, *(limit.help for limit in one.limits))
        ]
        + [text for refused in REFUSED.values() for text in refused],
    }
    for origin, texts in tables.items():
        yield from (Words(str(text), "", origin) for text in texts)
    for module in (records, settings):
        for _, one in inspect.getmembers(module, inspect.isclass):
            if issubclass(one, Record) and one is not Record:
                noun = one.noun()
                yield Words(f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}", "", module.__name__)
                yield Words(f"this {noun}", "", module.__name__)
    for endpoint in ENDPOINTS:
        yield Words(*_nouns(endpoint.name), "labgen/report/changes.py")


def in_helps() -> Iterator[Words]:
    """Yield the help of each command and option."""
    for path, command in commands():
        yield Words(inspect.cleandoc(command.help or ""), "", f"labgen {path}")
        for parameter in command.params:
            yield from (Words(text, "", f"labgen {path}") for text in helps_of(parameter))


def helps_of(parameter: click.Parameter) -> Iterator[str]:
    """Yield the texts of a parameter that its help shows."""
    if isinstance(parameter, click.Option) and parameter.help:
        yield parameter.help
    if parameter.metavar:
        yield parameter.metavar


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield the program and its commands, by name."""
    yield "", main
    yield from sorted(main.commands.items())


def of_click() -> Iterator[Words]:
    """Yield the texts of click itself."""
    for file in sorted(Path(click.__file__).parent.rglob("*.py")):
        for call in calls_in(file):
            if name_of(call) in OF_CLICK:
                texts = texts_of(call.args)
                if texts:
                    yield Words(texts[0], "".join(texts[1:2]), f"click/{file.name}")


def calls_in(file: Path) -> Iterator[ast.Call]:
    """Yield the calls in a file."""
    yield from (node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call))


def name_of(call: ast.Call) -> str:
    """Return the name of a function that is called by its name alone."""
    return call.func.id if isinstance(call.func, ast.Name) else ""


def texts_of(arguments: list[ast.expr]) -> list[str]:
    """Return the literal texts among arguments."""
    literals = (one.value for one in arguments if isinstance(one, ast.Constant))
    return [one for one in literals if isinstance(one, str)]


def write_catalogue(file: Path) -> None:
    """Write all texts to a catalogue: what it has stays, what is new has no words yet, what is gone goes."""
    head = file.read_text("utf-8").partition("\n\n")[0]
    had = {(context, text): strings for context, text, strings in entries(file)}
    blocks = [head]
    for one in sorted(all_words().values(), key=lambda one: (one.origin, one.text)):
        contexts = sorted(context for context, text in had if text == one.text and context)
        for context in ("", *contexts):
            strings = had.get((context, one.text), [""] * (2 if one.many else 1))
            blocks.append(block(one, context, strings))
    file.write_text("\n\n".join(blocks) + "\n", "utf-8")


def block(one: Words, context: str, strings: list[str]) -> str:
    """Return an entry of a catalogue."""
    lines = [f"#: {one.origin}"]
    lines += [f"msgctxt {quoted(context)}"] if context else []
    lines.append(f"msgid {quoted(one.text)}")
    if one.many:
        lines.append(f"msgid_plural {quoted(one.many)}")
        strings = (strings * 2)[:2]
        lines += [f"msgstr[{number}] {quoted(text)}" for number, text in enumerate(strings)]
    else:
        lines.append(f"msgstr {quoted(strings[0])}")
    return "\n".join(lines)


def quoted(text: str) -> str:
    """Return a text as gettext writes it: a line for each line of it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\r", "\\r")
    parts = escaped.splitlines(keepends=True)
    if len(parts) < 2:
        return f'"{escaped}"'.replace("\n", "\\n")
    return "\n".join(['""', *('"' + part.replace("\n", "\\n") + '"' for part in parts)])


if __name__ == "__main__":
    for language in LANGUAGES:
        write_catalogue(FOLDER / f"{language}.po")
