"""Warn of suspicious texts: wrong encodings, HTML entities and tags, e-mail addresses, broken lines."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from html import unescape

from labgen.model.record_fields import inner_model, is_list, keys_of
from labgen.model.records import CatalogueRecord, LaboratoryRecord, Record, StatRecord
from labgen.model.settings import SiteRecord
from labgen.problems.problem import Place, Pointer, Problem, shown
from labgen.problems.text import say
from labgen.source.checks.placeholders import LONGEST_PLACEHOLDER, is_placeholder, placeholder_shown
from labgen.source.checks.value_hints import FAILED_FORMULAS

SHOWN_AS_WRITTEN = (StatRecord, SiteRecord)
"""The records whose texts may be `keine Angabe` or a dash on purpose: levels, and labels of statuses."""


def may_be_suspicious(record: LaboratoryRecord, texts: Iterable[str]) -> bool:
    """Return whether `check_texts` can find a problem in a laboratory with these texts: a fast test.

    Line breaks in titles are not tested: no title of a laboratory's own lists may have one.
    """
    titles = (one.title for name in TITLED for one in getattr(record, name))
    return any(map(is_damaged_title, titles)) or any(
        _SUSPICIOUS.search(text)
        or "E+" in text
        or ((len(text) <= LONGEST_PLACEHOLDER or text[0] == "#") and is_placeholder(text))
        or text[:1] in _SPACES
        or text[-1:] in _SPACES
        for text in texts
        if text
    )


TITLED = tuple(
    name
    for name, field in LaboratoryRecord.model_fields.items()
    if is_list(field.annotation) and "title" in getattr(inner_model(field.annotation), "model_fields", ())
)
"""The lists of a laboratory whose entries have titles of their own."""


def check_texts(record: Record, file: str, pointer: Pointer) -> list[Problem]:
    """Warn of suspicious texts in a record and in its parts."""
    problems: list[Problem] = []
    for inner, name, text, place in _texts(record, pointer):
        if _SUSPICIOUS.search(text):
            problems += _check(inner, name, text, Place(file, place))
        if "E+" in text and name != "phone" and _EXPONENT.fullmatch(text.strip()):
            message = say(
                "`{name}` is {text}: a spreadsheet cut the digits of a number", name=name, text=shown(text)
            )
            problems.append(_warning("cell-type", message, Place(file, place), AS_TEXT))
        elif name == "title" and _DAMAGED.fullmatch(text.strip()):
            message = say(
                "`{name}` is {text}: a spreadsheet may have made it of another text",
                name=name,
                text=shown(text),
            )
            problems.append(_warning("cell-type", message, Place(file, place), AS_TEXT))
        if is_placeholder(text) and not isinstance(inner, SHOWN_AS_WRITTEN):
            problems.append(placeholder_shown(type(inner), name, text, Place(file, place)))
        if name not in MULTILINE_FIELDS and text.strip(_SPACES) not in ("", text):
            message = say("`{name}` begins or ends with a space", name=name)
            problems.append(_warning("outer-space", message, Place(file, place), say("remove it")))
        if name == "title" and _BREAK.search(text):
            problems.append(
                _warning("line-break", say("`title` holds a line break or a tab"), Place(file, place))
            )
    return problems


_EXPONENT = re.compile(r"[0-9]+(?:[.,][0-9]+)?[eE][+-][0-9]+")
_MONTHS = "jan|feb|mrz|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez|mar|may|oct|dec"
_DAMAGED = re.compile(
    rf"{_EXPONENT.pattern}|[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?: .*)?|[0-9]{{1,2}}\.[0-9]{{1,2}}\.[0-9]{{4}}"
    rf"|(?:[0-9]{{1,2}}\.? ?)?(?:{_MONTHS})[. -]+[0-9]{{2,4}}|[0-9]{{1,2}}\. ?(?:{_MONTHS})"
    r"|true|false|wahr|falsch",
    re.IGNORECASE,
)
"""What spreadsheets make of texts that look like numbers and days."""
AS_TEXT = say('format the column as text ("Zellen formatieren", "Text"), and write it again')


def is_damaged_title(text: str) -> bool:
    """Return whether a text is what a spreadsheet makes of `1.4301`, or shows where a formula failed."""
    text = text.strip()
    return _DAMAGED.fullmatch(text) is not None or text.upper() in FAILED_FORMULAS


MULTILINE_FIELDS = ("about", "summary", "text")
"""The fields whose texts may have several lines."""
_SPACES = " \u00a0\u202f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

_SUSPICIOUS = re.compile(
    "^=|[+]A[M-P]|[&<@?\x80-\x9fÂÃâ\ufffd\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
)
"""A text that this does not match passes all checks of `_check`; most texts have none of them."""
_BREAK = re.compile("[\t\r\n]")


def _texts(record: Record, pointer: Pointer) -> Iterator[tuple[Record, str, str, Pointer]]:
    """Yield each text of a record: the inner record that holds it, its key, the text, and its pointer."""
    keys = keys_of(type(record))
    for name, part in record.__dict__.items():
        kind = type(part)
        if kind is str:
            yield record, keys[name], part, (*pointer, keys[name])
        elif kind is list:
            for position, one in enumerate(part if part and isinstance(part[0], Record) else ()):
                yield from _texts(one, (*pointer, keys[name], position))
        elif kind is dict:
            of_table = ((key, one) for key, one in part.items() if type(one) is str)
            yield from ((record, key, one, (*pointer, keys[name], key)) for key, one in of_table)
        elif isinstance(part, Record):
            yield from _texts(part, (*pointer, keys[name]))


MAILBOXES = frozenset({"report_to", "href"})
"""The settings that may be an e-mail address, which is published on purpose."""


def _check(record: Record, name: str, text: str, place: Place) -> Iterator[Problem]:
    if wrong := _MOJIBAKE.search(text):
        yield _mojibake(name, text, wrong.start(), place)
    elif odd := _ODD.search(text):
        yield _odd_character(name, odd[0], place)
    elif "?" in text and (damaged := _lost_letter(text)):
        message = say("`{name}` holds `?` in a word: {damaged}", name=name, damaged=shown(damaged))
        hint = say("a letter was lost when the data was saved in an encoding that lacks it: write it again")
        yield _warning("odd-character", message, place, hint)
    yield from _invisible(name, text, place)
    if entity := next((one for one in ENTITY.findall(text) if unescape(one) != one), None):
        yield _entity(name, entity, place)
    if "<" in text:
        may_hold_markup = name == "summary" and isinstance(
            record, CatalogueRecord
        )  # specification 2.7, rule 2
        yield from _check_markup(text, place) if may_hold_markup else _check_plain(name, text, place)
    is_private = name not in record.encoded and name not in MAILBOXES
    if "@" in text and is_private and (address := _ADDRESS.search(text)):
        message = say(
            "`{name}` publishes the e-mail address {address} plainly", name=name, address=address[0]
        )
        yield _warning("email-in-text", message, place, say("take it out, if it should not be collected"))


def _warning(code: str, message: str, place: Place, hint: str = "") -> Problem:
    return Problem(code, message, place, hint, severity="warning")


_LOST = re.compile(r"[^\W\d_]\?+(?:[a-zß-öø-ÿ]|(?<=[A-ZÀ-Þ]\?)[A-Z])")
"""A question mark in a word; before a capital that follows small letters, it ends a sentence."""
_OF_ADDRESSES = frozenset("/=.&@")


def _lost_letter(text: str) -> str:
    """Return the first word with `?` in place of a letter, or ""; addresses hold them for other reasons."""
    words = (one for one in text.split() if "?" in one and _OF_ADDRESSES.isdisjoint(one.strip(".,;:")))
    return next((word.strip(".,;:()") for word in words if _LOST.search(word)), "")


_ODD = re.compile("[\x80-\x9f\ufffd]")


def _odd_character(name: str, char: str, place: Place) -> Problem:
    if char == "\ufffd":
        message = say("`{name}` holds U+FFFD: a letter was lost when the text was converted", name=name)
        return _warning("odd-character", message, place)
    meant = bytes([ord(char)]).decode("cp1252", "replace")
    hint = say('was this "{meant}", read with the wrong encoding?', meant=meant) if meant != "\ufffd" else ""
    return _warning(
        "odd-character",
        say("`{name}` holds the control character U+{ord:04X}", name=name, ord=ord(char)),
        place,
        hint,
    )


_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
"""A letter of Hebrew, Arabic or another script that is written from right to left."""
_WORD = "[A-Za-z0-9\u00c0-\u024f\u0370-\u052f]"
"""A digit, or a letter of Latin, Greek or Cyrillic, where spaces separate words."""
_OVERRIDE = re.compile("[\u202d\u202e]")
_UNSEEN = re.compile(f"[\u202d\u202e\ufeff]|(?:^|(?<=\\s)|(?<={_WORD}))[\u200b\u2060]+(?=$|\\s|{_WORD})")
_UNSEEN_OR_MARK = re.compile(f"{_UNSEEN.pattern}|[\u200e\u200f\u202a-\u202c\u2066-\u2069]")


def _invisible(name: str, text: str, place: Place) -> Iterator[Problem]:
    """Warn of an invisible character that has no use at its position.

    Joiners and soft hyphens have a use in many languages, zero width spaces in scripts without other spaces,
    and direction marks beside right-to-left letters. In long texts, only overrides are reported.
    """
    found = (_OVERRIDE if name in MULTILINE_FIELDS else _useless_in(text)).search(text)
    if found:
        before = text[max(0, found.start() - SHOWN_BEFORE) : found.start()]
        where = say("after {before}", before=shown(before)) if before else say("at its beginning")
        called = f"U+{ord(found[0][0]):04X} ({unicodedata.name(found[0][0]).lower()})"
        yield _warning(
            "invisible-character",
            say("`{name}` holds {called} {where}", name=name, called=called, where=where),
            place,
            say("remove it"),
        )


def without_invisible(text: str) -> str:
    """Return a text without invisible characters that have no use at their position."""
    return _useless_in(text).sub("", text)


def _useless_in(text: str) -> re.Pattern[str]:
    return _UNSEEN if _RIGHT_TO_LEFT.search(text) else _UNSEEN_OR_MARK


SHOWN_BEFORE = 20
"""How many characters before an invisible character a message shows."""

_FOLLOWING = {chr(byte): byte for byte in range(0x80, 0xC0)}
_FOLLOWING |= {char: byte for byte in range(0x80, 0xA0) if (char := bytes([byte]).decode("cp1252", "ignore"))}
"""The continuation bytes of UTF-8, by the characters that they are in Latin-1 and in Windows-1252."""
_NEXT = f"[{''.join(map(re.escape, _FOLLOWING))}]"
_UTF_7 = "[+]A[M-P][048AEIMQUYcgkosw](?:A[w-z0-9+/][AQgw](?:D[A-Za-z0-9+/])?)?-"
"""One to three letters of Latin-1 in UTF-7, which is ASCII: `Gr+APYA3w-e`."""
_MOJIBAKE = re.compile(f"[ÂÃ]{_NEXT}|â[\x80\x82€‚]{_NEXT}|{_UTF_7}")
"""A letter, a dash or a quote in UTF-8 that was read as Latin-1 or Windows-1252; or letters in UTF-7."""


def repaired(text: str) -> str:
    """Repair mojibake in a text, including text that was decoded wrongly more than once."""
    once = _MOJIBAKE.sub(_letter, text)
    return repaired(once) if once != text else text


def _letter(found: re.Match[str]) -> str:
    if found[0].startswith("+"):
        return found[0].encode().decode("utf-7")
    data = bytes(_FOLLOWING.get(char) or ord(char) for char in found[0])
    return data.decode("utf-8", "replace")


def _mojibake(name: str, text: str, at: int, place: Place) -> Problem:
    word = next(one for one in re.finditer(r"[^ \t\r\n]+", text) if one.end() > at)[0].strip(",;.:!?()")
    message = say("`{name}` holds letters in the wrong encoding: {word}", name=name, word=shown(word))
    return _warning(
        "mojibake", message, place, say("did you mean {repaired}?", repaired=shown(repaired(word)))
    )


ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def _entity(name: str, entity: str, place: Place) -> Problem:
    meant = unescape(entity)
    hint = (
        say("write {meant}", meant=meant)
        if meant.isprintable() and not meant.isspace()
        else say("write a space")
    )
    message = say(
        "`{name}` holds the HTML entity {entity}, and clients show it as that", name=name, entity=entity
    )
    return _warning("entity", message, place, hint)


_TAG = re.compile(r"</?[A-Za-z!?][^<>]*>")
_GOOD_TAGS = ("<sub>", "</sub>", "<sup>", "</sup>")
_NAMES = (
    "a|abbr|b|big|blockquote|body|br|center|code|dd|div|dl|dt|em|font|h[1-6]|hr|html|i|iframe|img|li|ol|p|pre|s|"
    "script|small|span|strike|strong|style|sub|sup|table|tbody|td|th|thead|tr|tt|u|ul"
)
_HTML_TAG = re.compile(rf"</?(?:{_NAMES})(?:[\s/][^<>]*)?>", re.IGNORECASE)


def _check_plain(name: str, text: str, place: Place) -> Iterator[Problem]:
    if tag := _HTML_TAG.search(text):
        is_break = re.match(r"</?(br|p)\b", tag[0], re.IGNORECASE)
        hint = (
            say("write a line break instead") if is_break else say("remove it: clients show it as it stands")
        )
        yield _warning(
            "markup",
            say("`{name}` holds {tag}, but it is plain text", name=name, tag=shown(tag[0])),
            place,
            hint,
        )


def _check_markup(summary: str, place: Place) -> Iterator[Problem]:
    tags = _TAG.findall(summary)
    others = [tag for tag in tags if tag not in _GOOD_TAGS]
    if others:
        message = say(
            "`summary` holds {others}, but only <sub> and <sup> are markup there", others=shown(others[0])
        )
        yield _warning("markup", message, place)
    elif tags.count("<sub>") != tags.count("</sub>") or tags.count("<sup>") != tags.count("</sup>"):
        yield _warning("markup", say("`summary` opens and closes <sub> or <sup> unequally often"), place)


_ADDRESS = re.compile(r"(?<![\w.%+-])[\w.%+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}")
