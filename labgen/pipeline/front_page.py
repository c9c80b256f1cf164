"""Stage the front page, with what is counted of the directory."""

from collections.abc import Mapping, Sequence

from labgen.api.search_facets import SearchFacet
from labgen.memory.facet_values import CountedValues
from labgen.model.summaries import Town
from labgen.pipeline.staging import SiteBuild
from labgen.render.front_page import (
    MOST_VALUES,
    CountedCountry,
    CountedFacet,
    CountedValue,
    Overview,
    render_front_page,
)
from labgen.render.site_values import FRONT_PAGE
from labgen.search_index.contents import commonest

SHOWN = ("test_categories", "test_methods", "material_categories", "materials", "standards")
"""The facets of the front page, in this order."""


def stage_front_page(
    site: SiteBuild,
    facets: Sequence[SearchFacet],
    values: CountedValues,
    towns: Mapping[str, Sequence[Town]],
) -> None:
    """Stage the front page; `values` are those of all facets."""
    by_name = {one.facet.name: one for one in facets}
    some = [by_name[name] for name in SHOWN if name in by_name]
    counted = [
        _counted(one, {name: count.laboratories for name, count in values[one.facet.name].items()})
        for one in some
    ]
    overview = Overview(counted, [CountedCountry(code, towns[code]) for code in sorted(towns)])
    directory = site.source.shared.directory
    page = render_front_page(directory, site.templates, site.hosts.abilities, overview)
    site.folder.put(site.hosts.companions.beside({FRONT_PAGE: page}))


def _counted(one: SearchFacet, counts: Mapping[str, int]) -> CountedFacet:
    """Return a facet with its commonest values; standards are counted, but not shown."""
    titles = one.facet.values
    values = [
        CountedValue(value, titles[value].title, counts[value]) for value in commonest(counts, MOST_VALUES)
    ]
    return CountedFacet(
        one.facet.name, one.facet.title, [] if one.facet.name == "standards" else values, len(counts)
    )
