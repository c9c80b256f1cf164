"""Convert between positions of cells and the names that spreadsheets give them."""

import re
from functools import cache


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell in spreadsheets, such as `D2`; row and column are counted from 0."""
    return f"{column_letters(column)}{row + 1}"


def column_letters(number: int) -> str:
    """Return the letters for a column in spreadsheets, counted from 0: `A`, `Z`, `AA`."""
    letters = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


@cache
def column_number(letters: str) -> int | None:
    """Return the number of a column, counted from 0: 0 for `A`, 26 for `AA`; None for other texts."""
    if not re.fullmatch("[A-Z]{1,3}", letters):
        return None
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
