"""Check the postal code of a laboratory."""

from labgen.problems.problem import Problem
from labgen.source.read_laboratory import SourceLaboratory

GERMAN_LENGTH = 5
"""The number of digits of a postal code in Germany."""


def check_postal_code(source: SourceLaboratory) -> list[Problem]:
    """Warn if a German postal code has another number of digits: a zero at its beginning may be lost."""
    code = source.record.postal_code
    is_german = source.record.country == "de" and code.isdecimal()
    if not is_german or len(code) == GERMAN_LENGTH or "postal_code" in source.unsound:
        return []
    message = f"`postal_code` {code} has {len(code)} digits, but those of Germany have five"
    hint = f'a zero may be lost: "0{code}"' if len(code) == GERMAN_LENGTH - 1 else ""
    return [Problem("postal-code", message, source.place("postal_code"), hint, "warning")]
