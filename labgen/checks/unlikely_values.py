"""Warn of values of the right form that are hardly meant: telephone numbers, dates and ratings."""

import re
from collections.abc import Iterator
from decimal import Decimal

from labgen.model.records import LaboratoryRecord
from labgen.problems.problem import Place, Problem, shown
from labgen.problems.text import say
from labgen.source.read_laboratory import SourceLaboratory

MOST_DIGITS = 15
"""The digits of the longest telephone number, with the code of its country (ITU-T E.164, section 6)."""
FEWEST_DIGITS = 5
EARLIEST, LATEST = "1950", "2040"
"""The years within which dates of a directory lie. They are fixed: a build does not know the clock."""
_PHONE = re.compile(r"[+(]{0,2}[0-9][-0-9 ()/.\u2013]*")
_SEVERAL = re.compile(r"[;,|]| / | oder | und |/ *[+0]")
_EXPONENT = re.compile(r"[0-9]+([.,][0-9]+)?[eE][+-]?[0-9]+")
_EXTENSION = re.compile(r"\b(ext|extension|durchwahl|dw|app|apparat|x)\b\.?|-0\b", re.IGNORECASE)


def check_unlikely_values(source: SourceLaboratory, highest_rating: int) -> list[Problem]:
    """Warn of a laboratory's telephone number, dates and ratings that are hardly meant."""
    record = source.record
    phone = record.contact_person.phone
    problems = []
    if phone and (wrong := _wrong_phone(phone)):
        problems.append(_warning("unlikely-phone", *wrong, source.place("contact_person", "phone")))
    if float(record.rating) > highest_rating or record.reviews:
        problems += _ratings(source, highest_rating)
    if record.published_on or record.job_listings or record.reviews:
        problems += _dates(source)
    return problems


def _wrong_phone(phone: str) -> tuple[str, str] | None:
    """Return what is wrong with a telephone number, and a hint; None if it can be one."""
    digits = len(re.sub("[^0-9]", "", phone))
    if _PHONE.fullmatch(phone) and FEWEST_DIGITS <= digits <= MOST_DIGITS:
        return None
    if _EXPONENT.fullmatch(phone.strip()):
        message = say("`phone` is {phone}: a spreadsheet cut its digits", phone=shown(phone))
        return message, say("look up what it was, and write it into a cell that is formatted as text")
    if words := re.findall(r"[^\W\d_]{2,}", _EXTENSION.sub("", phone)):
        alone = re.search(r"[+(]{0,2}[0-9][-0-9 ()/.\u2013]*[0-9]", phone)
        is_sure = alone and digits >= FEWEST_DIGITS
        hint = say("write the number alone: {number}", number=alone[0]) if alone and is_sure else ""
        message = say("`phone` holds the word {word}, and clients dial what it holds", word=shown(words[0]))
        return message, hint
    if digits < FEWEST_DIGITS:
        message = say("`phone` {phone} is too short for a telephone number", phone=shown(phone))
        return message, say("write it with its area code")
    if digits > MOST_DIGITS and not _SEVERAL.search(phone):
        message = say(
            "`phone` has {digits} digits, but a telephone number has at most {most}",
            digits=digits,
            most=MOST_DIGITS,
        )
        return message, ""
    return None


def _ratings(source: SourceLaboratory, highest: int) -> Iterator[Problem]:
    rated: list[tuple[str, tuple[str | int, ...]]] = [(source.record.rating, ("rating",))]
    rated += [(one.rating, ("reviews", at, "rating")) for at, one in enumerate(source.record.reviews)]
    for rating, steps in rated:
        if Decimal(rating) > highest:
            message = say(
                "`rating` is {rating}, but the highest is {highest}", rating=rating, highest=highest
            )
            near = Decimal(rating) / 10
            hint = say("the highest rating is `limits.highest_rating` in data/site.toml")
            if 1 <= near <= highest:
                hint = say("was it {near}? {hint}", near=f"{near:.2f}", hint=hint)
            yield _warning("unlikely-rating", message, hint, source.place(*steps))


def _dates(source: SourceLaboratory) -> Iterator[Problem]:
    for name, date, steps in _dates_of(source.record):
        if date and not EARLIEST <= date[:4] < LATEST:
            message = say("`{name}` is {date}, a year that is hardly meant", name=name, date=date)
            year = _year_meant(date[:4])
            hint = say("was it {date}?", date=f"{year}{date[4:]}") if year else ""
            yield _warning("unlikely-date", message, hint, source.place(*steps))


def _dates_of(record: LaboratoryRecord) -> Iterator[tuple[str, str | None, tuple[str | int, ...]]]:
    """Yield each date of a laboratory, with its name and its pointer."""
    yield "published_on", record.published_on, ("published_on",)
    for at, job in enumerate(record.job_listings):
        yield "published_on", job.published_on, ("job_listings", at, "published_on")
        yield "valid_through", job.valid_through, ("job_listings", at, "valid_through")
    for at, review in enumerate(record.reviews):
        yield "created_on", review.created_on, ("reviews", at, "created_on")


def _year_meant(year: str) -> str:
    """Return the year of this century that ends so, or the one that two exchanged digits give, or ""."""
    if year.startswith("00"):
        return f"20{year[2:]}"
    swapped = [year[:at] + year[at + 1] + year[at] + year[at + 2 :] for at in range(3)]
    fitting = [one for one in swapped if "1990" <= one < LATEST]
    return fitting[0] if len(fitting) == 1 and year[0] != "0" else ""


def _warning(code: str, message: str, hint: str, place: Place) -> Problem:
    return Problem(code, message, place, hint, severity="warning")
