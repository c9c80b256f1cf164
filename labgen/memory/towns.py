"""Count the laboratories of countries and towns, and look up those of a town."""

from collections import defaultdict
from collections.abc import Iterable

from labgen.memory.database import LISTED, Memory, listed
from labgen.memory.remembered_laboratories import CARD_COLUMNS
from labgen.memory.row_conversion import card_of
from labgen.model.german import town_slug
from labgen.model.summaries import Card, Town


def towns_of(memory: Memory) -> dict[str, list[Town]]:
    """Return the towns of each country by its iso_code; names with the same slug are one town."""
    found: defaultdict[str, defaultdict[str, list[tuple[int, str]]]] = defaultdict(lambda: defaultdict(list))
    for country, name, count in memory.execute(
        "SELECT country, locality, count(*) FROM laboratory GROUP BY country, locality"
    ):
        found[country][town_slug(name)].append((-count, name))
    return {
        country: [
            Town(slug, tuple([name for _, name in sorted(names)]), -sum(count for count, _ in names))
            for slug, names in towns.items()
        ]
        for country, towns in found.items()
    }


def cards_of_town(memory: Memory, country: str, names: Iterable[str]) -> list[Card]:
    """Return the laboratories of a country in places with these names, by display_id."""
    sql = f"SELECT {CARD_COLUMNS} FROM laboratory WHERE locality {LISTED} AND country = ? ORDER BY display_id"
    return [card_of(row) for row in memory.execute(sql, listed(names), country)]
