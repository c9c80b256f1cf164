"""Define the error of a file, or a sheet, that cannot be read."""

from labgen.problems.problem import Pointer
from labgen.problems.text import say

COPY_AGAIN = say("copy it again")
SAVE_AGAIN = say("open it in a spreadsheet, and save it again")


class UnreadableError(Exception):
    """Why a file or one of its sheets cannot be read, as one sentence.

    `hint` says what to do, `pointer` leads to a sheet, and to one of its rows; `code` is that of the problem.
    """

    def __init__(
        self, message: str, hint: str = "", pointer: Pointer = (), code: str = "unreadable-table"
    ) -> None:
        super().__init__(message)
        self.hint, self.pointer, self.code = hint, pointer, code
