"""Warn of certificate numbers that have the wrong form, or that two organisations share."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from urllib.parse import urlsplit

from labgen.memory.database import Memory
from labgen.memory.digest_index import Digested, holders_of_shared
from labgen.memory.remembered_laboratories import known
from labgen.model.accreditation_rules import NUMBER_RULES, NumberRule
from labgen.model.records import LaboratoryRecord
from labgen.model.summaries import Certificate, Summary
from labgen.problems.problem import Place, Problem, shown
from labgen.problems.text import say
from labgen.source.checks.rules import letters_and_digits, rule_warning
from labgen.source.read_laboratory import SourceLaboratory

_SUFFIX = re.compile(r"\s*\([^()]*\)\s*$")
_BODIES = {letters_and_digits(name): rule for rule in NUMBER_RULES for name in rule.bodies}
_PATTERNS = {rule.name: re.compile(rule.pattern) for rule in NUMBER_RULES}


def check_numbers(source: SourceLaboratory) -> list[Problem]:
    """Warn of certificate numbers that do not have the form that their accreditation body uses."""
    return [
        _odd_number(rule, one.number, source.place("accreditations", position, "number"))
        for position, one in enumerate(source.record.accreditations)
        if one.number and (rule := rule_of(one.accreditation_body)) and not _fits(rule, one.number)
    ]


@cache
def rule_of(body: str) -> NumberRule | None:
    """Return the rule for the certificate numbers of an accreditation body, or None."""
    return _BODIES.get(letters_and_digits(body))


def _fits(rule: NumberRule, number: str) -> bool:
    return _PATTERNS[rule.name].fullmatch(_without_suffix(number)) is not None


def _without_suffix(number: str) -> str:
    return _SUFFIX.sub("", number) if ")" in number else number


def _odd_number(rule: NumberRule, number: str, place: Place) -> Problem:
    message = say(
        "`number` is {number}, which is not how {bodies} writes its numbers",
        number=shown(number),
        bodies=rule.bodies[0],
    )
    suffix = number[len(_without_suffix(number)) :]
    near = next((one for one in _likely(rule, number.removesuffix(suffix)) if _fits(rule, one)), None)
    hint = (
        say("did you mean {near}?", near=shown(near + suffix))
        if near
        else say("they look like {example}", example=rule.example)
    )
    return rule_warning(rule.name, "certificate-number", message, place, hint)


def _likely(rule: NumberRule, number: str) -> Iterator[str]:
    """Yield likely corrections of a number: typographic hyphens, lower case, words before it, spaces."""
    text = re.sub(r"[\u2010-\u2015\u2212]", "-", re.sub(r"\s+", " ", number)).strip()
    yield text
    yield text.upper()
    yield re.sub(r" ?- ?", "-", text.upper())
    words = "|".join(map(re.escape, (*rule.bodies, "nr", "no", "n°", "reg")))
    text = re.sub(rf"^(?:(?:{words})[.:]* *)+", "", text, flags=re.IGNORECASE).upper()
    yield text
    yield text.replace(" ", "-")
    yield re.sub(r"^([A-Z]+)[ -]?(?=\d)", r"\1 ", text)


def certificates_of(record: LaboratoryRecord) -> tuple[Certificate, ...]:
    """Return the certificates of a laboratory whose numbers belong to a single organisation, each once."""
    found: dict[str, Certificate] = {}
    host = _host(record.website) if record.accreditations else ""
    for position, one in enumerate(record.accreditations):
        rule = rule_of(one.accreditation_body)
        if rule and rule.is_unique and _fits(rule, one.number):
            number = _without_suffix(one.number).replace(" ", "").upper()
            found.setdefault(number, Certificate(f"{rule.name} {number}", position, host))
    return tuple(found.values())


def _host(website: str | None) -> str:
    """Return the host of a website without `www.`, by which organisations are compared, or ""."""
    return (urlsplit(website).hostname or "").removeprefix("www.") if website else ""


def check_shared_numbers(memory: Memory) -> list[Problem]:
    """Warn of each certificate number that laboratories of different organisations share."""
    having: defaultdict[str, list[Summary]] = defaultdict(list)
    for one in known(memory, "number", holders_of_shared(memory, Digested.CERTIFICATE)).values():
        for certificate in one.summary.certificates:
            having[certificate.key].append(one.summary)
    return [
        _shared_number(key, *pair) for key, some in sorted(having.items()) if (pair := _strangers(key, some))
    ]


def _strangers(key: str, some: Iterable[Summary]) -> tuple[Summary, Summary] | None:
    """Return the first laboratory and the next that does not have the same website; None if all have it.

    Laboratories with a duplicate display_id are left out: that is reported already.
    """
    published = [one for one in some if one.card.display_id.isdecimal()]
    host = _named(published[0], key).host if published else ""
    others = (one for one in published[1:] if not host or host != _named(one, key).host)
    return next(((published[0], other) for other in others), None)


def _named(one: Summary, key: str) -> Certificate:
    return next(certificate for certificate in one.certificates if certificate.key == key)


def _shared_number(key: str, first: Summary, second: Summary) -> Problem:
    rule, _, number = key.partition(" ")
    inside = () if second.line is None else (second.line,)
    place = Place(second.file, (*inside, "accreditations", _named(second, key).position, "number"))
    other = say("{display_id} ({name})", display_id=first.card.display_id, name=first.card.name)
    message = say("`number` {number} is also that of the laboratory {other}", number=number, other=other)
    hint = say("sites of one organisation have the same website; else one of the two is wrong")
    return rule_warning(rule, "shared-certificate", message, place, hint)
