"""Suggest the id of a catalogue entry if a laboratory has the entry's title instead."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from labgen.model.german import normalised_title
from labgen.model.record_fields import resolve_pointer
from labgen.problems.hints import DIGITS, LETTERS, nearest
from labgen.problems.problem import Pointer, Problem, short
from labgen.source.shared import SharedData

_BETWEEN = re.compile(r"\s*[,;|]\s*")
_ALPHABET = LETTERS + "äöüß" + DIGITS + " -"
LISTS_OF_IDS = (
    "materials",
    "test_methods",
    "certifications",
    "standards",
    "test_categories",
    "equipments",
    "material_categories",
)


@dataclass(slots=True)
class Titles:
    """Finds the ids of entries by their titles, designations and search values.

    The index of a catalogue is built on first use, because few builds need it.
    """

    shared: SharedData
    ids: dict[str, dict[str, int]] = field(default_factory=dict)

    def offer(self, problems: Iterable[Problem], written: object, depth: int) -> list[Problem]:
        """Return the problems of a laboratory; if a title stands for an id, the problem's hint has the id.

        `written` is the parsed laboratory, `depth` the length of the pointer to it.
        """
        return [
            replace(one, hint=self._hint(one.place.pointer[depth:], written) or one.hint)
            if one.code == "wrong-type" and one.place.pointer
            else one
            for one in problems
        ]

    def _hint(self, pointer: Pointer, written: object) -> str:
        stem, given = _catalogue_of(pointer), resolve_pointer(written, pointer)
        if not stem or not isinstance(given, str):
            return ""
        if pointer[-1] == stem:
            return self._whole_list(stem, given)
        number = self.id_of(stem, given)
        if number is not None:
            return f"write {number}, the id of {short(_title(self.shared.lists[stem].records[number]))}"
        file = self.shared.lists[stem].file
        if file is None or given.isdecimal():
            return ""
        return f"write an id: {file} lists them"

    def _whole_list(self, stem: str, given: str) -> str:
        """Return a hint with the list of ids that was meant by a text of several titles or ids, or ""."""
        parts = [int(one) if one.isdecimal() else self.id_of(stem, one) for one in _BETWEEN.split(given)]
        known = self.shared.lists[stem].records
        return f"write {parts}" if all(one in known for one in parts) else ""

    def id_of(self, stem: str, text: str) -> int | None:
        """Return the id of the entry with this or a similar title, designation or search value, or None."""
        if stem not in self.ids:
            self.ids[stem] = _index(self.shared.lists[stem].records)
        folded = normalised_title(text)
        near = folded if folded in self.ids[stem] else nearest(folded, self.ids[stem], _ALPHABET)
        return self.ids[stem][near] if near else None


def _index(records: dict[Any, Any]) -> dict[str, int]:
    """Return the ids by search value, designation and title; titles take precedence."""
    names = ("search_val", "standard", "title")
    return {
        normalised_title(text): key
        for name in names
        for key, one in records.items()
        if (text := getattr(one, name, ""))
    }


def _title(record: Any) -> str:
    return str(record.title)


def _catalogue_of(pointer: Pointer) -> str:
    """Return the catalogue whose id belongs at a pointer into a laboratory, or ""."""
    if pointer[:1] == ("accreditations",) and pointer[-1] == "accreditation_standard":
        return "accreditation_standards"
    return str(pointer[0]) if pointer and pointer[0] in LISTS_OF_IDS else ""
