"""Determine the correction of a wrong value if it is certain, for `labgen check --fix`.

A hint may guess, a correction may not: if the hint of a problem leaves a doubt, there is no correction.
"""

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from html import unescape

from labgen.formats.rewrite import Value
from labgen.model.german import normalised_title
from labgen.model.web_addresses import is_email, is_website
from labgen.problems.date_hints import suggest_date
from labgen.problems.hints import LETTERS, nearest
from labgen.problems.problem import Problem
from labgen.problems.text import say
from labgen.source.checks.address_hints import REMOVE_SPACE, SLIP_OF_SCHEME, email_alone, without_zero_width
from labgen.source.checks.field_hints import GERMAN_FIELDS
from labgen.source.checks.texts import ENTITY, repaired, without_invisible

EARLIEST = "1900"
"""An earlier year is a slip."""
ALIKE = 0.8
"""The least similarity (`difflib`) of an unknown key and the key that was probably meant."""


def correction(problem: Problem, given: object) -> Value | None:
    """Return the correct value, or the correct key of an unknown field; None if it is not certain."""
    find = _BY_CODE.get(problem.code)
    return find(given, problem.hint) if find else None


def _date(given: object, _hint: str) -> str | None:
    date = suggest_date(given) if isinstance(given, str) else ""
    if not date:
        return None
    year, month, _ = date.split("-")
    text = str(given).strip()
    written = re.match(r"[0-9]{4}[-/.]([0-9]{1,2})[-/.]", text)
    is_swapped = written is not None and int(written[1]) != int(month)
    is_whole = year in text and year >= EARLIEST
    return date if is_whole and not is_swapped else None


def _decimal(given: object, _hint: str) -> str | None:
    text = str(given).strip()
    return text.replace(",", ".") if re.fullmatch(r"[0-9]+,[0-9]{1,2}", text) else None


def _type(given: object, hint: str) -> Value | None:
    if isinstance(given, str):
        return _of_text(given, hint)
    if type(given) is not int:  # of a number with a point, zeros may be lost
        return None
    if hint.startswith(say("put it in quotes: ")):
        return str(given)
    if hint == _BRACKETS:
        return [given]
    return {"write true": True, "write false": False}.get(hint)


_BRACKETS = say("put it in brackets: [ … ]")


def _of_text(given: str, hint: str) -> Value | None:
    text = given.strip()
    if hint in ("write true", "write false") or hint.startswith(say("write it without quotes, and small")):
        return hint == "write true" or text.lower() == "true"
    if hint.startswith('write ["'):
        return re.findall(r"[0-9]+", text)
    if re.fullmatch(r"[0-9]{1,15}", text):
        return [int(text)] if hint == _BRACKETS else int(text) if hint.startswith("write ") else None
    if found := re.fullmatch(r"([0-9]{1,15})[.,]0", text):
        return int(found[1]) if hint == say("write {found}", found=found[1]) else None
    if hint.startswith("write [") and re.fullmatch(r"[0-9]+(\s*[,;|]\s*[0-9]+)+", text):
        return [int(one) for one in re.findall(r"[0-9]+", text)]
    named = re.fullmatch(r"write ([0-9]+), the id of (.*)", hint)
    return int(named[1]) if named and normalised_title(named[2]) == normalised_title(text) else None


def _reference(given: object, hint: str) -> str | None:
    """Return the iso_code of a country that is given by its code in capitals, or by its name."""
    named = re.fullmatch(r'did you mean "([a-z]{2})" \((.*)\)\?', hint)
    return (
        named[1] if named and normalised_title(str(given)) in (named[1], normalised_title(named[2])) else None
    )


def _small(given: object, _hint: str) -> str | None:
    return given.lower() if isinstance(given, str) and re.fullmatch("[A-Za-z]{2}", given) else None


def _status(given: object, hint: str) -> str | None:
    """Return the key of a status that is given by its title, or by its key with other capitals."""
    named = re.fullmatch(r"did you mean `(.*?)` \((.*)\)\?", hint)
    exact = map(normalised_title, named.groups()) if named else ()
    return named[1] if named and normalised_title(str(given)) in exact else None


def _key(given: object, hint: str) -> str | None:
    near = re.fullmatch(r"did you mean `(\w+)`\?", hint)
    if near is None or given in _OF_CLIENTS:
        return None
    folded = str(given).strip().casefold()
    is_slip = nearest(folded, (near[1],), LETTERS + "_") is not None
    is_alike = SequenceMatcher(None, folded, near[1]).ratio() >= ALIKE
    return near[1] if is_slip or is_alike or GERMAN_FIELDS.get(folded) == (near[1],) else None


_OF_CLIENTS = ("id", "url", "encoded_email", "encoded_phone")
"""Keys of the API's documents whose values differ from those of the fields that were probably meant."""


def _stripped(given: object, _hint: str) -> str | None:
    return given.strip() if isinstance(given, str) and given.strip() != given else None


def _picture(given: object, hint: str) -> str | None:
    """Return the name of a picture without outer spaces, if these alone are wrong."""
    stripped = _stripped(given, hint)
    return stripped if hint in (REMOVE_SPACE, say('did you mean "{stripped}"?', stripped=stripped)) else None


def _without_entities(given: object, _hint: str) -> str | None:
    text = ENTITY.sub(_character, str(given))
    makes_markup = len(re.findall("[<>]", text)) > len(re.findall("[<>]", str(given)))
    return None if makes_markup or text == given else text


def _character(found: re.Match[str]) -> str:
    meant = unescape(found[0])
    return " " if meant.isspace() else meant if meant.isprintable() else found[0]


def _visible(given: object, _hint: str) -> str | None:
    text = without_invisible(str(given))
    return text if text != given else None


def _repaired(given: object, _hint: str) -> str | None:
    text = repaired(str(given))
    return text if text != given and "\ufffd" not in text else None


def _email(given: object, _hint: str) -> str | None:
    alone = email_alone(str(given))
    return alone if is_email(alone) else None


def _url(given: object, hint: str) -> str | None:
    seen = without_zero_width(str(given))
    if seen != given:
        return seen if is_website(seen) and seen.count("://") == 1 else None
    meant = re.fullmatch(r"did you mean (https?://(\S+))\?", hint)
    is_slip_of_scheme = meant and re.fullmatch(rf"{SLIP_OF_SCHEME}{re.escape(meant[2])}", str(given))
    return meant[1] if meant and is_slip_of_scheme else _stripped(given, hint)


def _number(_given: object, hint: str) -> str | None:
    meant = re.match(r'did you mean "(.*)"\?', hint)
    return meant[1] if meant else None


def _designation(_given: object, hint: str) -> str | None:
    meant = re.fullmatch(r"write (.*?)(?:, as the entry .*)? \(rule .*\)", hint)
    return meant[1] if meant else None


_BY_CODE: dict[str, Callable[[object, str], Value | None]] = {
    "certificate-number": _number,
    "designation": _designation,
    "entity": _without_entities,
    "invalid-country": _small,
    "invalid-date": _date,
    "invalid-email": _email,
    "invalid-number": _decimal,
    "invalid-path": _picture,
    "mislabelled-image": _picture,
    "invalid-url": _url,
    "invisible-character": _visible,
    "missing-image": _picture,
    "mojibake": _repaired,
    "outer-space": _stripped,
    "unknown-field": _key,
    "unknown-reference": _reference,
    "unknown-status": _status,
    "wrong-type": _type,
}
