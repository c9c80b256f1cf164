"""Find the catalogue entry that was meant if a laboratory has a title instead of an id."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from labgen.checks.entry_hints import several
from labgen.checks.references import missing_list, unknown_entry
from labgen.model.catalogues import CATALOGUES, REFERENCES, Reference
from labgen.model.german import normalised_title
from labgen.model.record_fields import last_key, resolve_pointer
from labgen.problems.hints import DIGITS, LETTERS, nearest
from labgen.problems.problem import Pointer, Problem, short
from labgen.problems.text import say
from labgen.source.shared import SharedData

_BETWEEN = re.compile(r"\s*[,;|]\s*")
_ALPHABET = LETTERS + "äöüß" + DIGITS + " -"


@dataclass(slots=True)
class Titles:
    """Finds the ids of entries by their titles, designations and search values.

    The index of a catalogue is built on first use, because few builds need it.
    """

    shared: SharedData
    ids: dict[str, dict[str, list[int]]] = field(default_factory=dict)

    def offer(
        self, problems: Iterable[Problem], written: object, depth: int, *, is_row: bool
    ) -> list[Problem]:
        """Return the problems of a laboratory; if a title stands for an id, the problem's hint has the id.

        `written` is the parsed laboratory, `depth` the length of the pointer to it. In a row of a table,
        titles may stand for ids, so a title that no entry has is an unknown reference.
        """
        return [
            self._told(one, one.place.pointer[depth:], written, is_row=is_row)
            if one.code == "wrong-type" and one.place.pointer
            else one
            for one in problems
        ]

    def _told(self, problem: Problem, pointer: Pointer, written: object, *, is_row: bool) -> Problem:
        reference, given = _reference_at(pointer), resolve_pointer(written, pointer)
        if reference is None or not isinstance(given, str):
            return problem
        stem = reference.listed.stem
        if reference.is_list and pointer == reference.path:
            return replace(problem, hint=self._whole_list(stem, given) or problem.hint)
        if given.strip().isdecimal():
            return problem
        ids, listed = self.ids_called(stem, given), self.shared.lists[stem]
        if is_row and not problem.hint and normalised_title(given) not in self._titles_of(stem, ids):
            if listed.file is None and listed.is_complete:
                return missing_list(listed, given, last_key(pointer), problem.place)
            if listed.is_complete and len(listed.known) == len(listed.records):
                hint = self._near_title(stem, ids) or say("add it to {called}", called=listed.called)
                return unknown_entry(listed, given, last_key(pointer), problem.place, hint)
        hint = self._id_hint(stem, ids) or problem.hint
        if not hint and listed.file is not None:
            hint = say("write an id: {file} lists them", file=listed.file)
        return replace(problem, hint=hint)

    def _id_hint(self, stem: str, ids: list[int]) -> str:
        """Return a hint with the ids of the entries that were meant, which have one title; "" if none."""
        if not ids:
            return ""
        title = short(_title(self.shared.lists[stem].records[ids[0]]))
        return (
            say("write {ids}, the id of {title}", ids=ids[0], title=title)
            if len(ids) == 1
            else several(title, map(str, ids))
        )

    def _near_title(self, stem: str, ids: list[int]) -> str:
        """Return a hint with the title that was meant, or with the ids if several entries have that title."""
        if not ids:
            return ""
        title = _title(self.shared.lists[stem].records[ids[0]])
        called = self.ids_called(stem, title)
        return (
            say("did you mean `{title}`?", title=short(title))
            if len(called) == 1
            else self._id_hint(stem, called)
        )

    def _titles_of(self, stem: str, ids: Iterable[int]) -> set[str]:
        return {normalised_title(_title(self.shared.lists[stem].records[one])) for one in ids}

    def _whole_list(self, stem: str, given: str) -> str:
        """Return a hint with the list of ids that was meant by a text of several titles or ids, or ""."""
        parts = [
            [int(one)] if one.isdecimal() else self.ids_called(stem, one) for one in _BETWEEN.split(given)
        ]
        known = self.shared.lists[stem].records
        is_sure = all(len(one) == 1 and one[0] in known for one in parts)
        return say("write {parts}", parts=[one[0] for one in parts]) if is_sure else ""

    def ids_called(self, stem: str, text: str) -> list[int]:
        """Return the ids of the entries with this or a similar title, designation or search value."""
        if stem not in self.ids:
            self.ids[stem] = _index(self.shared.lists[stem].records)
        folded = normalised_title(text)
        near = folded if folded in self.ids[stem] else nearest(folded, self.ids[stem], _ALPHABET)
        return self.ids[stem][near] if near and _digits(near) == _digits(folded) else []


def _digits(text: str) -> str:
    """Return the digits of a text: `1.4301` and `1.4310` are two materials, and no slip."""
    return "".join(filter(str.isdecimal, text))


def _index(records: dict[Any, Any]) -> dict[str, list[int]]:
    """Return the ids by search value, designation and title; titles take precedence."""
    index: dict[str, list[int]] = {}
    for name in ("search_val", "standard", "title"):
        ids: defaultdict[str, list[int]] = defaultdict(list)
        for key, one in records.items():
            if text := getattr(one, name, ""):
                ids[normalised_title(text)].append(key)
        index |= ids
    return index


def _title(record: Any) -> str:
    return str(record.title)


def _reference_at(pointer: Pointer) -> Reference | None:
    """Return the reference to a catalogue whose ids belong at a pointer into a laboratory, or None."""
    path = tuple(step for step in pointer if isinstance(step, str))
    return next((one for one in REFERENCES if one.path == path and one.listed in CATALOGUES), None)
