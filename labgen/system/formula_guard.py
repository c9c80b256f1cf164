"""Keep texts in CSV from being run as formulas by spreadsheets, and undo that (OWASP, "CSV injection").

A text that begins like a formula gets an apostrophe in front. The same holds after a line break, a tab or a
semicolon, where programs that separate cells in another way see a new cell. A text that has such apostrophes
already gets one more, so every text is read as it was written.
"""

import re

_BEGINNING = "=+\\-@＝＋－＠"
_CELL = re.compile(rf"""\A["']*(?=[{_BEGINNING}\t\r\n])|(?<=[;\t\r\n])["']*(?=[{_BEGINNING}])""")
"""What stands between the beginning of a cell and the sign of a formula."""


def guarded(text: str) -> str:
    """Return a text as it is written to CSV."""
    return _CELL.sub(lambda found: f"'{found[0]}", text)


def unguarded(text: str) -> str:
    """Return the text of a cell that is read from CSV."""
    return _CELL.sub(lambda found: found[0].removeprefix("'"), text) if "'" in text else text
