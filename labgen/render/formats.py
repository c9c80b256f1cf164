"""Format numbers, dates and ratings in the site's language."""

import re
from collections.abc import Mapping
from functools import lru_cache

from markupsafe import Markup, escape

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?", re.ASCII)
_SIGNS = re.compile("1(.*)234(.*)5")
"""1234.5 as a language writes it, with its separators of thousands and of decimals."""
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", re.ASCII)
NO_RATING = "0.00"
"""The rating in documents of a laboratory that nobody has rated."""


def number(value: object, texts: Mapping[str, str]) -> str:
    """Format a decimal number such as 1340 or 4.65; return anything else unchanged."""
    return _number(str(value), texts["number"])


@lru_cache(maxsize=4096)
def _number(text: str, sample: str) -> str:
    signs = _SIGNS.fullmatch(sample)
    if not signs or not _NUMBER.fullmatch(text):
        return text
    whole, point, places = text.partition(".")
    return f"{int(whole):,}".replace(",", signs[1]) + (signs[2] + places if point else "")


def counted(count: int, name: str, texts: Mapping[str, str]) -> str:
    """Return a number with what it counts, in the singular or the plural: `name` is that of the two texts."""
    return texts[f"{name}_{'one' if count == 1 else 'many'}"].format(count=number(count, texts))


def date(value: str, texts: Mapping[str, str]) -> str:
    """Format a date such as 2024-05-06; return anything else unchanged."""
    found = _DATE.fullmatch(value)
    months = texts["months"].split()
    if not found or not 1 <= int(found[2]) <= len(months):
        return value
    year, month, day = found.groups()
    parts = {
        "{day}": texts["first_day"] if day == "01" else str(int(day)),
        "{month}": months[int(month) - 1],
        "{year}": year,
    }
    return re.sub(r"\{\w+\}", lambda part: parts.get(part[0], part[0]), texts["date"])


def rating(value: str, texts: Mapping[str, str]) -> str:
    """Format a rating with its two decimals, or return the text for no rating."""
    return texts["no_rating"] if value == NO_RATING else number(value, texts)


def stars(value: str, texts: Mapping[str, str]) -> str:
    """Show a rating as stars and as a number, for the style in half stars; or return the text for none."""
    if value == NO_RATING or not _NUMBER.fullmatch(value):
        return rating(value, texts)
    halves = min(round(float(value) * 2), 2 * len(STARS))
    shown = Markup('<span class="stars" data-halves="{}" aria-hidden="true">{}</span> <b>{}</b>')
    of_all = Markup(' <span class="unseen">{}</span>').format(texts["of_stars"].format(count=len(STARS)))
    return shown.format(halves, STARS, number(value, texts)) + of_all


STARS = "★★★★★"


def prose(value: str) -> Markup:
    """Return a text with an element for each of its paragraphs, which empty lines divide."""
    parts = [part.strip() for part in _PARAGRAPH.split(value)]
    return Markup("").join([Markup('<p dir="auto">{}</p>').format(part) for part in parts if part])


_PARAGRAPH = re.compile(r"(?:\r?\n[ \t]*){2,}|\r(?!\n)(?:[ \t]*\r)+")


def rich(value: str) -> Markup:
    """Return a text with its `<sub>` and `<sup>` as elements, and a line for each description (`;;`)."""
    text = str(escape(value))
    if ";;" in text or "\n" in text or "\r" in text:
        text = _LINES.sub("<br>", text.strip())
    if "&lt;su" in text:
        text = _MARKUP.sub(r"<\1>\2</\1>", text)
    return Markup(text)  # noqa: S704 - escaped, but for the elements that are made here


_LINES = re.compile(r"(?:[ \t]*(?:;;|\r?\n|\r))+[ \t]*")
_MARKUP = re.compile(r"&lt;(su[bp])&gt;((?:(?!&lt;/?su[bp]&gt;).)*)&lt;/\1&gt;", re.DOTALL)


def bare(value: str) -> str:
    """Return a URL without its scheme and its last slash."""
    return value.partition("://")[2].removesuffix("/") or value


def inline(text: str) -> Markup:
    """Return a sentence as HTML; text between backticks becomes code."""
    parts = re.split(r"`([^`]*)`", text)
    code = Markup("<code>{}</code>")
    return Markup("").join(code.format(one) if at % 2 else escape(one) for at, one in enumerate(parts))
