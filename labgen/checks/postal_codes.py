"""Check the postal code of a laboratory."""

import re

from labgen.problems.problem import Problem, shown
from labgen.problems.text import say
from labgen.source.checks.texts import PLACEHOLDERS, without_invisible
from labgen.source.read_laboratory import SourceLaboratory


def check_postal_code(source: SourceLaboratory) -> list[Problem]:
    """Warn if a German postal code is not five digits: a zero may be lost, or the place stands with it.

    What other warnings name is left to them: spaces around it, invisible characters, `NULL`.
    """
    code = without_invisible(source.record.postal_code).strip()
    is_checked = source.record.country == "de" and "postal_code" not in source.unsound
    if not is_checked or not code or re.fullmatch("[0-9]{5}", code) or code.lower() in PLACEHOLDERS:
        return []
    message = say(
        "`postal_code` {code} is not five digits, as the postal codes of Germany are", code=shown(code)
    )
    return [Problem("postal-code", message, source.place("postal_code"), _hint(code), "warning")]


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
