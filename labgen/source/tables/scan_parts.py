"""Parse the parts of a workbook, piece by piece, for how large its sheets are; only numbers are kept."""

from array import array
from collections.abc import Callable
from typing import NoReturn
from xml.parsers import expat
from zipfile import ZipFile

from labgen.formats.budget import MEGABYTE, Budget
from labgen.problems.problem import Place, Problem, short
from labgen.problems.text import plural, say
from labgen.source.tables.cell_names import cell_name, column_number
from labgen.source.tables.formulas import sheet_of_part
from labgen.source.tables.unreadable import SAVE_AGAIN, UnreadableError

UNPACKED = 4
"""How many times as large as a file its parts may be together."""
LONGEST_TOKEN = 8 * MEGABYTE
"""The longest tag or comment in XML, in bytes: a parser keeps it until it ends."""
SPARSE = 8_000_000
"""How many cells the rectangle of a sheet may always have, in any case four times as many as are filled."""


class Scan:
    """A scan of a part in XML; the plain one finds tags that are too long, and definitions of entities."""

    def __init__(self, file: str, budget: Budget) -> None:
        self.file, self.budget, self.fed = file, budget, 0
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = self._refuse_definitions

    def _refuse_definitions(self, *_: object) -> None:
        raise UnreadableError(say("`{file}` defines entities of its own in XML", file=self.file), SAVE_AGAIN)

    def feed(self, piece: bytes) -> None:
        """Parse a piece of the part."""
        self.fed += len(piece)
        try:
            self.parser.Parse(piece)
        except expat.ExpatError as error:
            message = say(
                "`{file}` is damaged: its XML cannot be read ({error})", file=self.file, error=error
            )
            raise UnreadableError(message, SAVE_AGAIN) from None
        if self.fed - max(self.parser.CurrentByteIndex, 0) > LONGEST_TOKEN:
            message = say(
                "`{file}` holds a comment or a tag of more than {longest_token} MB",
                file=self.file,
                longest_token=LONGEST_TOKEN // MEGABYTE,
            )
            raise UnreadableError(message, SAVE_AGAIN, code="too-large")

    def end(self) -> None:
        """Check what was found in the whole part."""


class SharedScan(Scan):
    """A scan of the texts that cells share, which keeps their lengths."""

    def __init__(self, file: str, budget: Budget, lengths: "array[int]") -> None:
        super().__init__(file, budget)
        self.lengths = lengths
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.CharacterDataHandler = self._text

    def _start(self, tag: str, _: object) -> None:
        if tag == "si" or tag[-3:] == ":si":
            self.lengths.append(0)

    def _text(self, text: str) -> None:
        if self.lengths:
            self.lengths[-1] += len(text)


class SheetScan(Scan):
    """A scan of a sheet in Excel's XML: the rectangle of its cells, and the size of the texts they share."""

    def __init__(self, archive: ZipFile, part: str, file: str, budget: Budget, shared: "array[int]") -> None:
        super().__init__(file, budget)
        self.archive, self.part, self.shared = archive, part, shared
        self.box = _Box(file, budget, self._name)
        self.row = self.column = 0
        self.is_shared = False
        self.parser.ordered_attributes = True
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.CharacterDataHandler = self._value

    def _start(self, tag: str, attributes: list[str]) -> None:
        """Take a cell if it holds something: `v` and `is` hold its value."""
        if tag in ("v", "is") or tag[-2:] == ":v" or tag[-3:] == ":is":
            self.box.add(self.row, self.column)
        elif tag == "c" or tag[-2:] == ":c":
            self.column += 1
            self.is_shared = False
            for number in range(0, len(attributes), 2):
                if attributes[number] == "r":
                    self.row, self.column = self._cell(attributes[number + 1])
                elif attributes[number] == "t":
                    self.is_shared = attributes[number + 1] == "s"
        elif tag == "row" or tag[-4:] == ":row":
            self.row, self.column = self.row + 1, -1
            if "r" in attributes[::2]:
                self.row = _number(attributes[attributes.index("r") + 1], self.file) - 1

    def _value(self, text: str) -> None:
        """Take the text whose number is in a cell."""
        if self.is_shared and len(text) < LONGEST_NAME and text.isdecimal():
            number = int(text)
            if number < len(self.shared):
                self.box.add_text(self.shared[number])

    def _cell(self, name: str) -> tuple[int, int]:
        letters = name.rstrip("0123456789")
        column = column_number(letters)
        if column is None or len(name) == len(letters) or len(name) > LONGEST_NAME:
            raise UnreadableError(
                say("`{file}` holds a cell with the name {name}", file=self.file, name=short(name)),
                SAVE_AGAIN,
            )
        return int(name[len(letters) :]) - 1, column

    def _name(self) -> str:
        return sheet_of_part(self.archive, self.part)

    def feed(self, piece: bytes) -> None:
        """Parse a piece of the sheet; too many cells are found before its end."""
        super().feed(piece)
        if self.box.row > self.budget.rows or self.box.filled > self.budget.values:
            self.box.check()

    def end(self) -> None:
        """Check the rectangle of the sheet."""
        self.box.check()


class OdsScan(Scan):
    """A scan of the sheets of OpenDocument, which finds the rectangle of each, with all that is repeated."""

    def __init__(self, file: str, budget: Budget) -> None:
        super().__init__(file, budget)
        self.name = ""
        self.box = _Box(file, budget, lambda: self.name)
        self.row = self.below = self.column = self.width = 0
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.CharacterDataHandler = self._text

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "text:p":
            self._fill()
        elif tag == "text:s":
            self._add_text(self._repeats(attributes, "text:c"))
        elif tag in ("table:table-cell", "table:covered-table-cell"):
            self.column += self.width
            self.width = self._repeats(attributes, "table:number-columns-repeated")
            if any(one.startswith("office:") for one in attributes):
                self._fill()
                self._add_text(sum(map(len, attributes.values())))
        elif tag == "table:table-row":
            self.row = self.below
            self.column = self.width = 0
            self.below += self._repeats(attributes, "table:number-rows-repeated")
        elif tag == "table:table":
            self.end()
            self.box = _Box(self.file, self.budget, lambda: self.name)
            self.name, self.row, self.below = attributes.get("table:name", ""), 0, 0

    def _repeats(self, attributes: dict[str, str], name: str) -> int:
        return _number(attributes.get(name, "1"), self.file)

    def _text(self, text: str) -> None:
        if self.width:
            self._add_text(len(text))

    def _add_text(self, length: int) -> None:
        self.box.add_text(length * self._times())

    def _fill(self) -> None:
        """Take the current cell, with its repetitions, once."""
        self.box.add(self.below - 1, self.column + self.width - 1, self._times())

    def _times(self) -> int:
        """Return how many cells the current one stands for."""
        return (self.below - self.row) * self.width

    def end(self) -> None:
        """Check the rectangle of the last sheet."""
        self.box.check()


class _Box:
    """The rectangle of the filled cells: its last row and column, their number, and their characters."""

    def __init__(self, file: str, budget: Budget, name: Callable[[], str]) -> None:
        self.file, self.budget, self.name = file, budget, name
        self.filled, self.characters, self.row, self.column = 0, 0, -1, -1
        self.last = (-1, -1)

    def add(self, row: int, column: int, count: int = 1) -> None:
        """Take a filled cell, or several that end there; the same cell may be given twice."""
        if self.last != (row, column):
            self.filled += count
            self.last = (row, column)
        if row > self.row:  # noqa: PLR1730 - a sheet has millions of cells
            self.row = row
        if column > self.column:  # noqa: PLR1730
            self.column = column

    def add_text(self, length: int) -> None:
        """Take the characters of a cell, or of several. Raises `UnreadableError` if they are too many."""
        self.characters += length
        if self.characters > self.budget.file:
            self.check_size()
            self._refuse(self.budget.of_texts(Place(self.file), f"sheet `{self.name()}` of `{self.file}`"))

    def check_size(self) -> None:
        """Raise `UnreadableError` if more is filled than the budget allows."""
        for is_reached, problem in (
            (self.row > self.budget.rows, self.budget.of_rows),
            (self.filled > self.budget.values, self.budget.of_values),
        ):
            if is_reached:
                self._refuse(
                    problem(
                        Place(self.file), say("sheet `{name}` of `{file}`", name=self.name(), file=self.file)
                    )
                )

    def check(self) -> None:
        """Raise `UnreadableError` if the sheet is too large, or nearly empty and very large."""
        if (self.row + 1) * (self.column + 1) > max(SPARSE, UNPACKED * self.filled):
            is_endless = max(self.row, self.column) > ENDLESS
            end = say("row {row:,}", row=self.row + 1) if is_endless else cell_name(self.row, self.column)
            filled = plural(self.filled, "cell")
            message = say(
                "sheet `{name}` of `{file}` reaches to {end}, but has only {filled} with a value",
                name=self.name(),
                file=self.file,
                end=end,
                filled=filled,
            )
            hint = say(
                "delete the rows and columns behind the table, also those that look empty, and save it again"
            )
            self._refuse(Problem("too-large", message, Place(self.file), hint))
        self.check_size()

    def _refuse(self, problem: Problem) -> NoReturn:
        raise UnreadableError(problem.message, problem.hint, (self.name(), self.row), problem.code)


def _number(text: str, file: str) -> int:
    if not text.isdecimal() or len(text) > LONGEST_NUMBER:
        raise UnreadableError(
            say("`{file}` holds {text} where a number should be", file=file, text=short(text)), SAVE_AGAIN
        )
    return int(text)


LONGEST_NAME, LONGEST_NUMBER = 12, 20
ENDLESS = 10_000_000
