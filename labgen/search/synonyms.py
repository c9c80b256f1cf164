"""Know which words and phrases mean the same (labgen/search/README.md, "Synonyms")."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from labgen.search.foldings import readable
from labgen.search.items import Item, items_of
from labgen.search.words import stems

Phrase = tuple[frozenset[str], ...]
"""The words and signs of a phrase, each in its foldings."""


def groups_of(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the groups of words that mean the same, in the order of the pairs that say so."""
    groups: list[list[str]] = []
    for pair in pairs:
        own = [one for one in groups if not set(pair).isdisjoint(one)]
        joined = list(dict.fromkeys([word for one in own for word in one] + list(pair)))
        groups = [one for one in groups if one not in own] + [joined]
    return groups


class Synonyms:
    """Groups of words and phrases that mean the same, to be found in texts."""

    def __init__(self, groups: Iterable[Sequence[str]]) -> None:
        self.by_word: defaultdict[str, list[tuple[Phrase, Sequence[str]]]] = defaultdict(list)
        for group in groups:
            for text in group:
                phrase = tuple(frozenset(one.forms) for one in items_of(readable(text)))
                for word in phrase[0] if phrase else ():
                    self.by_word[word].append((phrase, group))

    def at(self, items: Sequence[Item], place: int) -> tuple[Sequence[str], int] | None:
        """Return the group of the longest phrase that begins at an item, and the next item."""
        found = [
            (len(phrase), group)
            for word in dict.fromkeys(_spellings(items[place]))
            for phrase, group in self.by_word.get(word, ())
            if len(phrase) <= len(items) - place and _is_at(phrase, items, place)
        ]
        if not found:
            return None
        length = max(one for one, _ in found)
        return next((group, place + length) for one, group in found if one == length)

    def expanded(self, text: str) -> str:
        """Return a text with the synonyms of what is in it, as it is indexed."""
        if not self.by_word:
            return text
        items, others = items_of(readable(text)), dict[str, None]()
        for place in range(len(items)):
            if found := self.at(items, place):
                others |= dict.fromkeys(found[0])
        return " | ".join([text, *others])


def _spellings(item: Item) -> list[str]:
    return [*item.forms, *(stem for form in item.forms for stem in stems(form))]


def _is_at(phrase: Phrase, items: Sequence[Item], place: int) -> bool:
    return all(
        not words.isdisjoint(_spellings(item)) for words, item in zip(phrase, items[place:], strict=False)
    )
