"""Write what a page of a facet value says of its laboratories: where they are, and what else they have."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from labgen.model.german import collation_key
from labgen.render.formats import number as written
from labgen.render.pages import NavigationLink

MOST_TOWNS = 5
"""The number of towns that a page of a value names."""


def places_of(towns: Mapping[str, int], texts: Mapping[str, str], data_lang: str) -> Markup:
    """Return in which towns laboratories are, those with most of them first, "" if there is none."""
    ranked = sorted(towns, key=lambda town: (-towns[town], collation_key(town)))
    shown = ranked if len(ranked) <= MOST_TOWNS + 1 else ranked[:MOST_TOWNS]
    town = Markup("<bdi{}>{{}}</bdi>").format(data_lang)
    names = [
        town.format(one) + (f" ({written(towns[one], texts)})" if towns[one] > 1 else "") for one in shown
    ]
    word = "search_places_more" if len(shown) < len(ranked) else "search_places"
    rest = written(len(ranked) - len(shown), texts)
    text = Markup.escape(texts[word])
    return text.format(places=Markup(", ").join(names), count=rest) if names else Markup()


def related_values(links: Sequence[NavigationLink], texts: Mapping[str, str], data_lang: str) -> Markup:
    """Return which other values the laboratories have, "" if there is none."""
    link = Markup('<a href="{}" dir="auto"{}>{}</a>')
    values = [link.format(one.href, data_lang, one.title) for one in links]
    text = Markup.escape(texts["search_related"])
    return text.format(values=Markup(", ").join(values)) if values else Markup()
