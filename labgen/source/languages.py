"""Load the texts of the site's language: the built-in texts, and those that a project adds or changes."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from labgen.api.proposed import PROPOSED_NAMES
from labgen.api.sections import SECTION_NAMES
from labgen.model.language import (
    FOLDER,
    SUFFIX,
    Language,
    LanguageRecord,
    built_in,
    built_in_languages,
    english,
)
from labgen.problems.hints import closest, did_you_mean
from labgen.problems.problem import Place, Problem, Severity, count_errors, shown
from labgen.problems.text import joined, say
from labgen.source.checks.validate import validate
from labgen.source.read_lists import read_file
from labgen.source.read_settings import SETTINGS_FILE
from labgen.system.input_files import TEMPLATES, is_ignored

MOST_NAMED = 5
"""How many missing words a warning lists at most."""


def load_language(root: Path, code: str) -> tuple[Language | None, list[Problem]]:
    """Return the language with this code, or None if it is unknown or has errors, and all problems."""
    file = f"{TEMPLATES}/{FOLDER}/{code}{SUFFIX}"
    is_known = code in built_in_languages()
    unread = [*_unread(root, code)]
    if not os.path.lexists(root / file):
        return (built_in(code), unread) if is_known else (None, [_unknown(code, file), *unread])
    entries, problems, _ = read_file(root / TEMPLATES, file)
    problems += unread
    if not entries or count_errors(problems):
        return None, problems
    record, found = validate(LanguageRecord, entries[0].value, file, ())
    problems += found
    if record is None:
        return None, problems
    problems += _check(record, file)
    if not is_known and (missing := [name for name in english().words if name not in record.words]):
        problems.append(_missing(missing, file))
    known = built_in(code) if is_known else english(code)
    return (None if count_errors(problems) else known.over(record)), problems


def _unread(root: Path, code: str) -> Iterator[Problem]:
    """Yield a warning of each file beside those of languages that is none of them."""
    with suppress(OSError):
        known = (*built_in_languages(), code)
        for name in sorted(path.name for path in (root / TEMPLATES / FOLDER).iterdir()):
            stem, _, suffix = name.partition(".")
            if is_ignored(name) or (stem in known and f".{suffix}" == SUFFIX):
                continue
            near = closest(stem, known)
            hint = say("did you mean `{near}`?", near=f"{near}{SUFFIX}") if near else ""
            where = Place(f"{TEMPLATES}/{FOLDER}/{name}")
            message = say("no page uses `templates/{name}`", name=f"{FOLDER}/{name}")
            otherwise = say("the words of this site are read from {file}", file=f"{code}{SUFFIX}")
            yield Problem("unused-template", message, where, hint or otherwise, severity="warning")


def _unknown(code: str, file: str) -> Problem:
    known = built_in_languages()
    near = closest(code, known)
    hint = say('did you mean "{near}"?', near=near) if near else say("write its words into {file}", file=file)
    listed = ", ".join(f"`{one}`" for one in known)
    message = say(
        "there are no words in the language {code}; labgen has {listed}", code=shown(code), listed=listed
    )
    return Problem("invalid-value", message, Place(SETTINGS_FILE, ("language",)), hint)


def _missing(names: list[str], file: str) -> Problem:
    listed = ", ".join(f"`{name}`" for name in names[:MOST_NAMED])
    more = say(" and {count} more", count=len(names) - MOST_NAMED) if len(names) > MOST_NAMED else ""
    message = say(
        "the language lacks the words {listed}{more}, which are shown in English", listed=listed, more=more
    )
    return Problem("missing-words", message, Place(file), severity="warning")


def _check(record: LanguageRecord, file: str) -> Iterator[Problem]:
    """Yield a problem for each text with an unknown name or with the wrong placeholders.

    An unknown description is only a warning: another version of labgen may describe a field in other words.
    """
    words, described = english().words, tuple(built_in("de").descriptions)
    known = {
        "words": tuple(words),
        "titles": (*SECTION_NAMES, *PROPOSED_NAMES),
        "about": (*SECTION_NAMES, *PROPOSED_NAMES),
        "descriptions": described,
    }
    for table, names in known.items():
        texts: Mapping[str, str] = getattr(record, table)
        for name in texts:
            if name not in names:
                message = say("labgen has no text `{name}` in `{table}`", name=name, table=table)
                place = Place(file, (table, name), "key")
                severity: Severity = "warning" if table == "descriptions" else "error"
                yield Problem("unknown-field", message, place, did_you_mean(name, names), severity)
    for name, text in record.words.items():
        if name in words and (slots := _slots(words[name])) != _slots(text):
            must = (
                say("must hold {slots}", slots=joined(slots, by=say(" and ")))
                if slots
                else say("must hold nothing in braces")
            )
            yield Problem(
                "invalid-value", say("`{name}` {must}", name=name, must=must), Place(file, ("words", name))
            )


def _slots(text: str) -> list[str]:
    """Return the placeholders of a text, sorted, and any unpaired brace."""
    return sorted(set(re.findall(r"\{[^{}]*\}|[{}]", text)))
