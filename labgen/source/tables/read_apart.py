"""Read workbooks in binary formats in a process of its own, whose memory and time are limited.

`.xls` and `.xlsb` say in many places how large they are, and their reader believes it. What it cannot get
ends that process, and not the program. It prints JSON: the visible and the hidden sheets, or the rows of one.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from labgen.source.tables.cell_texts import cell_text, kinds_of, without_blanks

SUFFIXES = (".xls", ".xlsb")
MEMORY = 800_000_000
SECONDS = 60
_PACKAGE = Path(__file__).resolve().parents[3]


def ask(path: Path, sheet: str | None = None) -> Any:
    """Return what it prints: `sheets`, `hidden`, or `rows` with `merged` and `kinds`, or `error`; or None."""
    command = [sys.executable, "-m", __name__, str(path), *([] if sheet is None else [sheet])]
    paths = os.pathsep.join([str(_PACKAGE), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
    done = subprocess.run(  # noqa: S603 - this very program
        command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, check=False
    )
    return orjson.loads(done.stdout) if done.returncode == 0 else None


def _answer(path: str, sheet: str | None) -> dict[str, Any]:
    import python_calamine as calamine

    try:
        book = calamine.load_workbook(path)
        if sheet is None:
            visible = calamine.SheetVisibleEnum.Visible
            found: dict[str, list[str]] = {"sheets": [], "hidden": []}
            for one in book.sheets_metadata:
                found["sheets" if one.visible == visible else "hidden"].append(one.name)
            return found
        opened = book.get_sheet_by_name(sheet)
        values = list(opened.iter_rows())
        rows = without_blanks([cell_text(value) for value in row] for row in values)
        seen: dict[str, str] = {}
        kinds = [kinds_of(row, seen) for row in values]
    except calamine.PasswordError:
        return {"error": "", "is_locked": True}
    except (calamine.CalamineError, OSError) as error:
        return {"error": str(error).lower()}
    return {"rows": rows, "merged": opened.merged_cell_ranges or (), "kinds": kinds}


def _main(arguments: Sequence[str]) -> None:
    for what, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))
    path, *sheets = arguments
    sys.stdout.buffer.write(orjson.dumps(_answer(path, sheets[0] if sheets else None)))


if __name__ == "__main__":
    _main(sys.argv[1:])
