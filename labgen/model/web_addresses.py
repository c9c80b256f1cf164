"""Check the addresses of websites, of e-mail, and of what links lead to.

The checks raise a `PydanticCustomError` whose type is the code of the problem.
"""

import re
from unicodedata import category, normalize
from urllib.parse import SplitResult, urlsplit

from pydantic_core import PydanticCustomError

from labgen.model.refusals import refusal
from labgen.problems.text import say

_PLAIN_ADDRESS = re.compile(r"https?://(?:[a-z0-9-]+\.)+[a-z]+(?:/[A-Za-z0-9/._~-]*)?", re.ASCII)
"""Plain web URLs, which need no further checks: the fast path."""


INVISIBLE = "\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
"""Characters of zero width, as in a set of a pattern, which are often copied from pages along with a text."""
_NO_ADDRESS = re.compile(rf"[\s\x00-\x20\x7f-\x9f<>\"\\{INVISIBLE}]")


def _bad_character() -> PydanticCustomError:
    return refusal("invalid-url", say("holds a character that an address cannot hold"))


def check_website(value: str) -> str:
    """Return a web address unchanged, if it is one."""
    if _PLAIN_ADDRESS.fullmatch(value):
        return value
    if not re.match(r"https?://", value, re.IGNORECASE):
        raise refusal("invalid-url", say("must begin with https:// or http://"))
    if _NO_ADDRESS.search(value):
        raise _bad_character()
    try:
        parts = urlsplit(value)
        is_good = _is_host_of(parts) and (parts.port or 1) > 0
    except ValueError:
        is_good = False
    if not is_good or re.match("(https?://){2}", value, re.IGNORECASE):
        raise refusal("invalid-url", say("is not a web address"))
    return value


def _is_host_of(parts: SplitResult) -> bool:
    is_number = parts.netloc.rpartition("@")[2].startswith("[")
    return is_number or _is_host(parts.hostname or "")


def _is_host(name: str) -> bool:
    """Return whether a name has only characters that the DNS or IDNA 2008 allow in the name of a host.

    Capitals, `_`, and letters that are not composed (NFD) are accepted, too.
    """
    if not name.isascii():
        if normalize("NFKC", name) != normalize("NFC", name):
            return False
        name = "".join("a" if category(one) in _LETTERS or one in _IN_CONTEXT else one for one in name)
    return _HOST.fullmatch(name) is not None and re.search("[A-Za-z0-9]", name) is not None


_HOST = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
_LETTERS = ("Ll", "Lu", "Lt", "Lo", "Lm", "Mn", "Mc", "Nd")
"""The categories of letters, marks and digits (RFC 5892, section 2.1), and of capitals."""
_IN_CONTEXT = "\u00b7\u0375\u05f3\u05f4\u200c\u200d\u30fb"
"""The marks that some scripts need in names (RFC 5892, appendix A)."""


def is_website(text: str) -> bool:
    """Return whether a text is a web address alone."""
    try:
        return bool(check_website(text))
    except PydanticCustomError:
        return False


def check_target(value: str) -> str:
    """Return what a link leads to unchanged: a web address, or a path that begins with /."""
    if value.startswith("/") and not value.startswith("//"):
        if _NO_ADDRESS.search(value):
            raise _bad_character()
        return value
    if not re.match(r"https?://", value, re.IGNORECASE):
        raise refusal("invalid-url", say("must begin with https://, http:// or /"))
    return check_website(value)


_PLAIN_EMAIL = re.compile(r"[A-Za-z0-9._+-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]+", re.ASCII)
"""Plain e-mail addresses, which need no further checks: the fast path."""
MAILBOX = rf"[^\s@,;:<>()\[\]\"\\„“”‚‘’«»‹›{INVISIBLE}]+"


def is_email(text: str) -> bool:
    """Return whether a text is an e-mail address alone."""
    if _PLAIN_EMAIL.fullmatch(text):
        return True
    local, _, host = text.partition("@")
    return re.fullmatch(MAILBOX, local) is not None and "." in host and _is_host(host)


def check_email(value: str) -> str:
    """Return an e-mail address, or an empty text, unchanged."""
    if value and not is_email(value):
        raise refusal("invalid-email", say("is not an e-mail address"))
    return value


def check_link(value: str) -> str:
    """Return the target of a link: as `check_target`, or `mailto:` and an e-mail address."""
    scheme, colon, address = value.partition(":")
    if colon and scheme.lower() == "mailto":
        return f"mailto:{check_email(address or ' ')}"
    return check_target(value)
