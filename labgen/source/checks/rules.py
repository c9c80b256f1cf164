"""What the rules of accreditation have in common: how names are compared, and the warning of a rule."""

import re

from labgen.problems.problem import Place, Problem
from labgen.problems.text import say


def letters_and_digits(text: str) -> str:
    """Return only the letters and digits of a text, in lower case, to compare spellings of a name."""
    return "".join(re.findall(r"\w", text.casefold()))


def rule_warning(rule: str, code: str, message: str, place: Place, hint: str) -> Problem:
    """Return the warning of a rule, with the rule's name, so that the settings can switch it off."""
    return Problem(
        code,
        message,
        place,
        say("{hint} (rule `{rule}`)", hint=hint, rule=rule),
        severity="warning",
        rule=rule,
    )
