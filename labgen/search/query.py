"""Answer a search query from the static files of a published site. Needs only the standard library."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, TypeVar

from labgen.search.index_files import VERSION, Files, OtherBuildError, sort_key
from labgen.search.lists import intersection, union, unpack
from labgen.search.lookup import Found, Sought, look_up
from labgen.search.ranking import Ranking
from labgen.search.reader import Read
from labgen.search.request import (
    LONGEST_QUERY,
    OWN_PARAMETERS,
    Request,
    address_of,
    invalid_in,
    page_in,
    pairs_of,
    parse_query,
    understood,
)

OK, INVALID, NOT_FOUND = 200, 400, 404
MOST_BEGINNINGS = 3
"""How often a search begins, if the site is being replaced."""
MOST_VALUES = 8
"""Maximum number of values of a facet in a response, besides the selected values."""
FEW_IN_SAMPLE = 16
"""If fewer laboratories are in the sample, the first ones that are found are counted instead."""
COUNTED_ONE_BY_ONE = 200
"""At most so many laboratories are counted by their own values, and exactly."""


Result = TypeVar("Result")


class Answer(NamedTuple):
    """The response to a search: the HTTP status and the document."""

    status: int
    document: dict[str, Any]

    def body(self) -> bytes:
        """Return the document as JSON, encoded as labgen encodes all documents."""
        text = json.dumps(self.document, ensure_ascii=False, separators=(",", ":"))
        return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode("utf-8", "replace")


class Search:
    """Answers searches of one site. It caches the files that it reads, so one object serves many searches."""

    def __init__(self, read: Read) -> None:
        self.files = Files(read)

    def __call__(self, query: str) -> Answer:
        """Return the response to a query such as `materials__in=2,5&q=stahl`, or to an address with one.

        Begins again if the site is built anew meanwhile: an answer never mixes two builds. Raises LookupError
        if the site has no search index, one of another version, or lacks a file of it. Raises what the reader
        raises.
        """
        return self._of_one_build(lambda: self._answer(query))

    def _answer(self, query: str) -> Answer:
        index = self._index()
        parameters = parse_query(query)
        request = understood(parameters, index, self.files)
        if invalid := invalid_in(request, index):
            return Answer(INVALID, invalid)
        selection, sought = self._select(request, index)
        ranking, size = Ranking(self.files, sought, request.text), index["page_size"]
        ranked, values = self._in_order(request, selection.slots(), ranking, size)
        last = max(1, -(-len(ranked) // size))
        page = page_in(parameters, last)
        if page is None:
            return Answer(NOT_FOUND, {"detail": index["invalid_page"]})
        shown = ranked[(page - 1) * size : page * size]
        document: dict[str, Any] = {
            "count": len(ranked),
            "next": address_of(index["path"], parameters, page + 1) if page < last else None,
            "previous": address_of(index["path"], parameters, page - 1) if page > 1 else None,
            "results": [card for card in map(self.files.card, shown) if card],
        }
        if request.wants_matches:
            document["matches"] = [{**self._matches(ranking, slot), **values.get(slot, {})} for slot in shown]
        if request.counted:
            facets = [one for one in index["facets"] if one["name"] in request.counted]
            document["facets"] = [self._facet(one, selection) for one in facets]
        return Answer(OK, document | _notes(sought) | self._unknown(request))

    def _in_order(
        self, request: Request, slots: Sequence[int], ranking: Ranking, size: int
    ) -> tuple[list[int], Mapping[int, Mapping[str, str]]]:
        """Return slots in the order that is asked for, and what they are ordered by, where no card has it."""
        if not request.ordering:
            return ranking.ranked(slots, self.files.slots("is_verified", "true"), size), {}
        field, some = request.ordering.removeprefix("-"), frozenset(slots)
        groups = self.files.order(field)[:: -1 if request.ordering.startswith("-") else 1]
        values = {slot: {field: value} for value, group in groups if value for slot in group}
        return [slot for _, group in groups for slot in group if slot in some], values

    def _index(self) -> Mapping[str, Any]:
        index: Mapping[str, Any] | None = self.files.index()
        if index is None:
            raise LookupError("the site has no search index")
        if index["version"] != VERSION:
            message = f"the search index has version {index['version']}; this client reads version {VERSION}"
            raise LookupError(message)
        return index

    def is_asked(self, query: str) -> bool:
        """Return whether a query string has a parameter of the search, and the site has an index.

        Otherwise, the URL is that of the list of all laboratories.
        """
        names = {name for name, _ in parse_query(query)}
        index = self.files.index() if names else None
        if index is None:
            return False
        return not names.isdisjoint({*(one["search_arg"] for one in index["facets"]), *OWN_PARAMETERS})

    def suggest(self, text: str, query: str = "", only: str = "") -> dict[str, Any]:
        """Return the entries that a text may mean, with the numbers of laboratories that match the rest, too.

        The rest is the other words of the text, the query, and its choices of other arguments.
        `only` is the name of the facet whose entries are suggested; "": all.
        """
        return self._of_one_build(lambda: self._suggest(text, query, only))

    def values(self, facet: str) -> list[dict[str, Any]] | None:
        """Return the values of a facet that laboratories have, in no order; None if there is no such facet.

        Each has `search_val`, `title` and `count`.
        """
        return self._of_one_build(lambda: self._values(facet))

    def _values(self, facet: str) -> list[dict[str, Any]] | None:
        if facet not in (one["name"] for one in self._index()["facets"]):
            return None
        found = ((value, self.files.value_of(facet, value)) for value in self.files.keys(f"facets/{facet}"))
        return [
            {"search_val": value, "title": one["title"], "count": len(unpack(one["labs"]))}
            for value, one in found
        ]

    def _of_one_build(self, work: Callable[[], Result]) -> Result:
        """Return the result of some work; it begins again if the site is built anew meanwhile."""
        for _ in range(MOST_BEGINNINGS):
            try:
                return work()
            except OtherBuildError as error:
                missing = str(error)
                self.files = Files(self.files.read)
        raise LookupError(f"the search index lacks {missing}")

    def _suggest(self, text: str, query: str, only: str) -> dict[str, Any]:
        index = self._index()
        request = understood(parse_query(query), index, self.files)
        if invalid_in(request, index):
            return {"suggestions": []}
        sought = next(look_up(self.files, text[:LONGEST_QUERY], has_texts=False))
        ranking = Ranking(self.files, sought, text)
        names = [one["name"] for one in index["facets"] if only in ("", one["name"])]

        @cache  # most suggestions have the same rest
        def others(rest: str) -> _Selection:
            return self._select(replace(request, text=f"{request.text} {rest}"), index)[0]

        found = []
        for match in ranking.suggested(names):
            entry, having = ranking.entry(match), self.files.entry(*match.key).get("labs")
            rest = " ".join([one.text for one in ranking.with_words(~match.words)])
            labs = intersection([unpack(having), others(rest).slots(without=entry["search_arg"])])
            found.append({**entry, "count": len(labs), "rest": rest})
        return {"suggestions": [one for one in found if one["count"]]}

    def _matches(self, ranking: Ranking, slot: int) -> dict[str, Any]:
        """Return why a laboratory was found: entries, and words that only its free texts have."""
        entries, texts = ranking.shown(slot)
        card = self.files.card(slot) or {}
        return {
            "display_id": card.get("display_id", ""),
            "entries": [ranking.entry(one) for one in entries],
            "texts": texts,
        }

    def _unknown(self, request: Request) -> dict[str, Any]:
        """Return the values of a request that no laboratory has, by argument."""
        known = {
            argument: {value for name, value in pairs_of(request, argument, self.files)
                       if self.files.has(name, value)}
            for argument in request.chosen
        }  # fmt: skip
        unknown = {
            argument: some
            for argument, values in request.chosen.items()
            if (some := [value for value in values if value not in known[argument]])
        }
        return {"unknown": unknown} if unknown else {}

    def _select(self, request: Request, index: Mapping[str, Any]) -> tuple["_Selection", Sequence[Sought]]:
        """Return what a request selects, by the first reading of its text that finds laboratories."""
        first = selection = None
        for sought in look_up(self.files, request.text, has_texts=index["has_texts"]):
            selection = _Selection(self.files, request, [one.found for one in sought], selection)
            first = first or (selection, sought)
            if selection.slots():
                return selection, sought
        return first or (_Selection(self.files, request, []), [])

    def _facet(self, facet: Mapping[str, Any], selection: "_Selection") -> dict[str, Any]:
        """Return the commonest values of a facet with counts, ignoring the query's own filter on it."""
        name, base = facet["name"], selection.counted(facet["search_arg"])
        chosen = selection.request.chosen.get(facet["search_arg"], [])
        counts = self.files.counts(name)
        titles = {value: title for value, title, _ in counts["values"]}
        known: Mapping[str, Any] = {}
        sample = frozenset([slot for slot in base if slot < counts["below"]])
        numbers = {value: len(sample.intersection(unpack(some))) for value, _, some in counts["values"]}
        is_whole = len(sample) == len(base) and len(titles) == facet["values"]
        is_exact = is_whole or len(base) <= COUNTED_ONE_BY_ONE or facet["values"] <= MOST_VALUES
        best = sorted(filter(numbers.get, numbers), key=lambda one: (-numbers[one], sort_key(one)))
        if not is_whole and (len(base) <= COUNTED_ONE_BY_ONE or len(sample) < FEW_IN_SAMPLE):
            known = self._most_frequent(name, base[:COUNTED_ONE_BY_ONE])
            best = [*known]
        best = best if is_exact else list(dict.fromkeys([*best, *titles]))
        shown = dict.fromkeys([*best[:MOST_VALUES], *chosen])
        if not is_whole:
            everyone = frozenset(base)
            found = {value: known.get(value) or self.files.value_of(name, value) for value in shown}
            titles = {value: one.get("title", value) for value, one in found.items()}
            numbers = {
                value: len(everyone.intersection(unpack(one.get("labs")))) for value, one in found.items()
            }
        own = frozenset(selection.slots(without=facet["search_arg"])) if chosen else frozenset()
        numbers |= {one: len(own.intersection(self.files.slots(name, one))) for one in chosen}
        items: list[dict[str, Any]] = [
            {
                "search_val": one,
                "title": titles.get(one, one),
                "count": numbers.get(one, 0),
                "is_selected": one in chosen,
            }
            for one in shown
            if numbers.get(one) or one in chosen
        ]
        items.sort(key=lambda one: (-one["count"], sort_key(one["search_val"])))
        about = {key: facet[key] for key in ("name", "title", "search_arg")}
        return {**about, "is_exact": is_exact, "items": items}

    def _most_frequent(self, facet: str, slots: Sequence[int]) -> dict[str, Any]:
        """Return the values that most of these laboratories have; of equally frequent ones, the first.

        Of entries, it returns what is known of them, too (see `Files.entry`).
        """
        counts = Counter(one for slot in slots for one in self.files.values(facet, slot))
        most = sorted(counts, key=lambda one: (-counts[one], one if isinstance(one, int) else sort_key(one)))
        known: dict[str, Any] = {}
        for one in most[:MOST_VALUES]:
            entry = {} if isinstance(one, str) else self.files.entry(facet, one)
            known[entry.get("search_val", one)] = entry
        return known


class _Selection:
    """The laboratories that a request selects: by each argument, and by each word.

    `before` is what the reading before selects, which finds nothing.
    """

    def __init__(
        self, files: Files, request: Request, found: Sequence[Found], before: "_Selection | None" = None
    ) -> None:
        self.files, self.request, self.before = files, request, before
        self.by_argument = {
            argument: union([files.slots(name, value) for name, value in pairs_of(request, argument, files)])
            for argument in request.chosen
        }
        self.by_word = [one.slots for one in found if not one.is_common]

    def slots(self, without: str = "") -> list[int]:
        """Return the slots that all words and all arguments except `without` select, in order."""
        lists = [some for argument, some in self.by_argument.items() if argument != without] + self.by_word
        return intersection(lists) if lists else self.everyone()

    def counted(self, without: str) -> list[int]:
        """Return the slots of the first reading that finds any, as if `without` had no values."""
        return (self.before.counted(without) if self.before else []) or self.slots(without)

    def everyone(self) -> list[int]:
        """Return the slots of all laboratories."""
        return union([self.files.slots("is_verified", value) for value in ("true", "false")])


def _notes(sought: Sequence[Sought]) -> dict[str, Any]:
    """Return the words that are too common to narrow a search, and what replaced words that are not found."""
    ignored = [one.text for one in sought if one.found.is_common]
    instead = {one.text: list(one.found.instead) for one in sought if one.found.instead}
    return ({"ignored": ignored} if ignored else {}) | ({"instead": instead} if instead else {})
