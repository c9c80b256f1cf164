"""Read what `labgen explain` prints about a problem code: a file for each code and language."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, get_args

from labgen.problems.problem import Severity

FOLDER = Path(__file__).parent / "explanations"
ENGLISH = "en"


class Explanation(NamedTuple):
    """The explanation of a problem code: meaning, reason for the rule, example, remedy, severities."""

    meaning: str
    reason: str
    example: str
    remedy: str
    severities: tuple[Severity, ...] = ("error",)

    @property
    def severity(self) -> str:
        """What a problem of this code is, in words."""
        return " or ".join(self.severities)


class Explanations(Mapping[str, Explanation]):
    """The explanations of a folder by code, in English. It has a folder for each language."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __getitem__(self, code: str) -> Explanation:
        """Return the explanation of a code, which is read when it is asked for."""
        if code not in self.names:
            raise KeyError(code)
        return read_explanation(self.folder / ENGLISH / f"{code}.md")

    def __contains__(self, code: object) -> bool:
        """Return whether a code is explained, without reading its explanation."""
        return code in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return all codes, sorted."""
        return tuple(sorted(file.stem for file in (self.folder / ENGLISH).glob("*.md")))

    def in_language(self, language: str) -> Mapping[str, Explanation]:
        """Return all explanations in a language; in English where that has none."""
        files = {code: self.folder / language / f"{code}.md" for code in self}
        return {
            code: read_explanation(file)._replace(severities=self[code].severities)
            if file.is_file()
            else self[code]
            for code, file in files.items()
        }


def read_explanation(file: Path) -> Explanation:
    """Return an explanation: after its title, the meaning, the reason, the example and the remedy."""
    title, meaning, reason, example, remedy = file.read_text("utf-8").rstrip("\n").split("\n\n")
    plain = "\n".join(line.removeprefix("    ") for line in example.splitlines())
    severities = tuple(one for one in get_args(Severity) if one in title.partition("(")[2])
    return Explanation(meaning, reason, plain, remedy, severities or ("error",))
