"""Stage the search index of a site: all of it, made from what is remembered."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files as package_files

from labgen.api.document_parts import similar_lab
from labgen.api.endpoint import LABORATORIES
from labgen.api.search_facets import SearchFacet, search_facets
from labgen.memory.laboratories import cards
from labgen.memory.named_by import Kind, all_holders
from labgen.memory.searched import NAMES, NUMBERS, TEXTS, all_found, new_slots
from labgen.model.directory import Directory
from labgen.model.site_paths import JSON_FILE, SEARCH_FOLDER, folder_of
from labgen.output.staged_units import Staged, stage
from labgen.pipeline.staging import Site
from labgen.render.texts import TEXTS as MESSAGES
from labgen.search_index.build import SearchIndex
from labgen.search_index.records import IndexSettings, Postings, Size, Slots
from labgen.system.workers import FEW, spread

CLIENT = "client.js"


def stage_search(site: Site, jobs: int) -> None:
    """Stage the search index, if the site has one."""
    folder, beside = site.folder, site.hosts.companions.beside
    if not site.source.shared.directory.site.search.enabled:
        return
    index = _index(site)
    out, staging = str(folder.out), str(folder.staging)

    def work(names: Sequence[str]) -> list[Staged]:
        made = ((f"{SEARCH_FOLDER}/{name}", index.files(name)) for name in names)
        return [stage(out, staging, one, beside(files, has_documents=False)) for one, files in made]

    few = 1 if index.postings.size.total >= FEW else len(index.folders) + 1
    for staged in spread(work, index.folders, jobs, few=few, batch=1):
        folder.add(staged)
    own = {JSON_FILE: index.document(), CLIENT: package_files("labgen.search").joinpath(CLIENT).read_bytes()}
    folder.put(beside({f"{SEARCH_FOLDER}/{name}": data for name, data in own.items()}, has_documents=False))
    if folder.known:
        had = {one for one in folder.known.units if one.startswith(f"{SEARCH_FOLDER}/")}
        folder.drop(had - {f"{SEARCH_FOLDER}/{name}" for name in index.folders})


def index_settings(directory: Directory) -> IndexSettings:
    """Return what clients of the index must know."""
    site = directory.site
    return IndexSettings(
        path=site.base_path + LABORATORIES,
        section=f"{folder_of(LABORATORIES)}/{{}}/{{}}/{JSON_FILE}",
        page_size=site.limits.page_size,
        invalid_page=MESSAGES[site.language]["invalid_page"],
        has_texts=site.search.texts,
    )


def _index(site: Site) -> SearchIndex:
    """Return the whole index; what must be asked of the memory is asked now."""
    memory, directory = site.memory, site.source.shared.directory
    slots = new_slots(memory)
    found = search_facets(directory)
    entries = all_holders(memory, Kind.FACET) | all_holders(memory, Kind.ENTRY)

    def slots_of(numbers: "array[int]") -> Slots:
        return sorted([slots.by_number[number] for number in numbers])

    def all_slots(kind: str) -> dict[str, Slots]:
        return {key: slots_of(numbers) for key, numbers in all_found(memory, kind)}

    holders = {
        one.facet.name: {key: slots_of(numbers) for key, numbers in _of_entries(one, entries)}
        if one.catalogue
        else all_slots(one.facet.name)
        for one in found
    }
    some = slots.by_display_id
    shown = cards(memory, some)
    documents = ((slot, similar_lab(shown[one], directory)) for one, slot in some.items())
    size = Size(len(some), max(some.values(), default=0))
    postings = Postings(holders, all_slots(NAMES), all_slots(TEXTS), all_slots(NUMBERS), size)
    return SearchIndex([one.facet for one in found], postings, documents, index_settings(directory))


def _of_entries(one: SearchFacet, holders: "Mapping[int, array[int]]") -> "Iterator[tuple[str, array[int]]]":
    """Yield the values of a facet that laboratories have, and who has each."""
    assert one.catalogue  # noqa: S101 - else its values are no entries
    for value, number in zip(one.ids, one.catalogue.facets(one.ids.values()), strict=True):
        if number in holders:
            yield value, holders[number]
