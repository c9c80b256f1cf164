"""Check the postal code of a laboratory."""

import re

from labgen.problems.problem import Problem, shown
from labgen.problems.text import say
from labgen.source.checks.placeholders import PLACEHOLDERS
from labgen.source.checks.texts import without_invisible
from labgen.source.read_laboratory import SourceLaboratory

GERMANY = "de"
UNUSED = ("00", "05", "43", "62")
"""The beginnings that no postal code of Germany has."""
FORMS = {
    "at": (r"[1-9][0-9]{3}", "1010"), "be": (r"[1-9][0-9]{3}", "1000"), "bg": (r"[1-9][0-9]{3}", "1000"),
    "ch": (r"[1-9][0-9]{3}", "8001"), "cz": (r"[1-7][0-9]{2} ?[0-9]{2}", "110 00"),
    "dk": (r"[0-9]{4}", "1050"),
    "es": (r"(0[1-9]|[1-4][0-9]|5[0-2])[0-9]{3}", "28001"), "fi": (r"[0-9]{5}", "00100"),
    "fr": (r"[0-9]{2} ?[0-9]{3}( CEDEX( [0-9]+)?)?", "75001"), "gr": (r"[1-8][0-9]{2} ?[0-9]{2}", "104 31"),
    "hr": (r"[1-5][0-9]{4}", "10000"), "hu": (r"[1-9][0-9]{3}", "1011"), "it": (r"[0-9]{5}", "00118"),
    "li": (r"94(8[5-9]|9[0-8])", "9490"), "lu": (r"[1-9][0-9]{3}", "1111"),
    "nl": (r"[1-9][0-9]{3}( ?[A-Z]{2})?", "1012 AB"), "no": (r"[0-9]{4}", "0150"),
    "pl": (r"[0-9]{2}-?[0-9]{3}", "00-001"), "pt": (r"[1-9][0-9]{3}([- ]?[0-9]{3})?", "1000-001"),
    "ro": (r"[0-9]{6}", "010011"), "se": (r"[1-9][0-9]{2} ?[0-9]{2}", "111 20"),
    "si": (r"[1-9][0-9]{3}", "1000"),
    "sk": (r"[089][0-9]{2} ?[0-9]{2}", "811 01"), "us": (r"[0-9]{5}(-[0-9]{4})?", "10001"),
}  # fmt: skip
"""The forms of the postal codes of other countries, each with an example; others are not checked."""
_COUNTRY_BEFORE = re.compile(r"^[A-Z]{1,3}[- ]+(?=[0-9])")


def check_postal_code(source: SourceLaboratory) -> list[Problem]:
    """Warn if the country of a laboratory has no such postal code: a zero is lost, or the place is with it.

    What other warnings name is left to them: spaces around it, invisible characters, `NULL`.
    """
    record = source.record
    if not record.postal_code or "postal_code" in source.unsound:
        return []
    code = without_invisible(record.postal_code).strip()
    if not code or code.lower() in PLACEHOLDERS:
        return []
    message, hint = _german(code) if record.country == GERMANY else _foreign(code, record.country)
    return [Problem("postal-code", message, source.place("postal_code"), hint, "warning")] if message else []


def _german(code: str) -> tuple[str, str]:
    """Return what is wrong with a postal code of Germany, and a hint; "" if nothing is."""
    if not re.fullmatch("[0-9]{5}", code):
        message = say(
            "`postal_code` {code} is not five digits, as the postal codes of Germany are", code=shown(code)
        )
        return message, _hint(code)
    if code.startswith(UNUSED):
        return say(
            "`postal_code` {code} does not exist: none in Germany begins with {beginning}",
            code=shown(code),
            beginning=code[:2],
        ), ""
    return "", ""


def _foreign(code: str, country: str) -> tuple[str, str]:
    """Return what is wrong with a postal code of another country, and a hint; "" if that is not known."""
    form, example = FORMS.get(country, ("", ""))
    if not form or re.fullmatch(form, _COUNTRY_BEFORE.sub("", code.upper())):
        return "", ""
    message = say(
        "`postal_code` {code} is not one of the country `{country}`", code=shown(code), country=country
    )
    return message, say('they look like "{example}" there; is the country right?', example=example)


def _hint(code: str) -> str:
    if re.fullmatch("[0-9]{4}", code):
        return say('a zero may be lost: "0{code}"', code=code)
    alone = re.findall("(?<![0-9])[0-9]{5}(?![0-9])", code)
    read = re.sub("^D[- ]+|\\s", "", code).translate(_READ_ALIKE)
    if len(alone) != 1 and re.fullmatch("[0-9]{5}", read):
        alone = [read]
    return say('write "{alone}"', alone=alone[0]) if len(alone) == 1 else ""


_READ_ALIKE = str.maketrans("OoIl", "0011")
"""Letters that are written, or read from paper, for digits."""
