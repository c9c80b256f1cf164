"""Suggest what to write instead of an invalid e-mail address or web address."""

import re
from html import unescape
from unicodedata import normalize
from urllib.parse import unquote

from labgen.model.web_addresses import INVISIBLE, is_email, is_website
from labgen.problems.text import say

NOTHING = ("-", "--", "–", "keine", "keiner", "kein", "none", "null", "n/a", "n.a.", "k.a.", "k. a.")
"""What is written where there is nothing."""
REMOVE_SPACE = say("remove the space")


def suggest_email(given: object) -> str:
    """Return a hint for a text that is no e-mail address; `write …` is certain, `did you mean …` a guess."""
    alone = email_alone(str(given))
    if is_email(alone):
        return say("write {alone}", alone=alone)
    spelt = _AT.sub("@", _DOT.sub(".", unescape(alone)))
    found = _MAILBOX.findall(spelt)
    if len(found) > 1:
        return say("write one address: {found}", found=found[0])
    guess = normalize("NFKC", spelt).replace(",", ".").replace("’", "'").strip(_MARKS)
    if is_email(guess):
        return say("did you mean {guess}?", guess=guess)
    wanted = say("address alone, without spaces and other words") if found else say("whole address")
    return say("write the {wanted}, such as info@alpha.example", wanted=wanted)


_AT = re.compile(r"\s*(?:@|[(\[]\s*(?:at|ät)\s*[)\]])\s*", re.IGNORECASE)
_DOT = re.compile(r"\s*[(\[]\s*(?:dot|punkt)\s*[)\]]\s*", re.IGNORECASE)
_MAILBOX = re.compile(r"(?<![\w.%+-])[\w.%+-]+@(?:[\w-]+\.)+[\w-]+")
_QUOTES = "\"'„“”‚‘’«»‹›"
_MARKS = f"{_QUOTES} .;:!?/()[]<>"
"""What may stand at the ends of an address by mistake."""


def email_alone(text: str) -> str:
    """Return an e-mail address without what is certainly no part of it, or the text as it is.

    Those are invisible characters, and around the whole: spaces, quotes, `mailto:`, and `Name <…>`.
    """
    text = without_zero_width(text).strip()
    for _ in range(_LAYERS):
        found = _SURROUNDED.fullmatch(text)
        if found is None or _AT.search(found["name"] or ""):
            break
        text = (found["quoted"] or found["linked"] or found["bracketed"]).strip()
    return text


_LAYERS = 4
"""How often an address may be surrounded, as in `"Erika M <mailto:…>"`."""
_SURROUNDED = re.compile(
    rf"[{_QUOTES}](?P<quoted>.+)[{_QUOTES}]|mailto:(?P<linked>.+)|(?P<name>[^<>@]*\s)?<(?P<bracketed>[^<>]+)>",
    re.IGNORECASE,
)


def without_zero_width(address: str) -> str:
    """Return an address without characters that nobody sees; it can hold none."""
    return re.sub(f"[{INVISIBLE}]", "", address)


def suggest_website(given: object) -> str:
    """Return a hint for a text that is no web address, or ""."""
    text = without_zero_width(str(given))
    if text != given:
        return say("write {text}", text=text)
    return next((hint for find in _MISTAKES if (hint := find(text))), "")


def _several(text: str) -> str:
    parts = re.split(r"[\s,;]+", text.strip())
    is_list = len(parts) > 1 and all(re.match(r"https?://|www\.", one) for one in parts)
    return say("write one address: {parts}", parts=parts[0]) if is_list else ""


def _outer(text: str) -> str:
    if text != text.strip():
        return REMOVE_SPACE
    bare = text.strip(_QUOTES + "<>")
    return say("did you mean {bare}?", bare=bare) if is_website(bare) else ""


def _something_else(text: str) -> str:
    if is_email(text):
        return say("this is an e-mail address: write it as `email` of `contact_person`")
    if re.fullmatch(r"[\w/-]+\.(pdf|html?|docx?|xlsx?|zip|png|jpe?g)", text, re.IGNORECASE):
        return say("write the whole address, or a path from / on: /{text}", text=text)
    return say("leave it out if there is none") if text.lower() in NOTHING else ""


def _host(text: str) -> str:
    found = re.fullmatch(r"(https?://)([^/?#]+)(.*)", text, re.IGNORECASE)
    if found is None or is_website(found[1] + found[2]):
        return ""
    scheme, host, rest = found.groups()
    if re.search(r"\S\s+\S", host):
        return say("remove the space, or what stands after it")
    names = host.split(",")
    if len(names) > 1:
        is_several = all("." in name for name in names)
        return (
            say("write one address: {scheme}{names}", scheme=scheme, names=names[0])
            if is_several
            else say("write . for ,")
        )
    guess = scheme + normalize("NFKC", unquote(host)).strip(_QUOTES + " .;!?()<>") + rest.rstrip(_QUOTES)
    return say("did you mean {guess}?", guess=guess) if is_website(guess) else ""


def _sign(text: str) -> str:
    sign = re.match(r'https?://[^\s/?#"<>\\^`{|}]+[/?#][^\s"<>\\^`{|}]*([ "<>\\^`{|}])', text)
    return (
        say(
            "write %{ord:02X} for {sign}",
            ord=ord(sign[1]),
            sign=say("a space") if sign[1] == " " else sign[1],
        )
        if sign
        else ""
    )


def _scheme(text: str) -> str:
    if re.fullmatch(r"[\w-]+(\.[\w-]+)+(/\S*)?", text):
        return say("did you mean https://{text}?", text=text)
    slip = re.fullmatch(rf"{SLIP_OF_SCHEME}([\w-]+(?:\.[\w-]+)+(?:/\S*)?)", text)
    return say("did you mean {slip}://{slip_2}?", slip=slip[1], slip_2=slip[2]) if slip else ""


SLIP_OF_SCHEME = "(?:https?://)?(https?)[:/;]{1,3}"
"""What is written for `https://`, or is written twice."""


def _whole(text: str) -> str:
    is_begun = not text or text.startswith(("/", "http"))
    return "" if is_begun else say("write the whole address, such as https://www.alpha.example/")


_MISTAKES = (_several, _outer, _something_else, _host, _sign, _scheme, _whole)
