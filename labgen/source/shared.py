"""Load all source data except the laboratories: settings, language, catalogues and other shared lists."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import orjson

from labgen.model.catalogues import CATALOGUES, COUNTRIES, SHARED_LISTS, SYNONYMS, UPGRADE_OPTIONS
from labgen.model.directory import Directory
from labgen.model.fingerprints import fingerprint
from labgen.model.german import collation_key
from labgen.model.language import Language, english
from labgen.model.records import PlainRecord, UpgradeOptionRecord
from labgen.model.renditions import RenditionPaths
from labgen.model.settings import SiteRecord
from labgen.model.summaries import Dated
from labgen.problems.problem import Place, Problem
from labgen.problems.text import say
from labgen.source.file_names import check_names, is_misnamed
from labgen.source.languages import load_language
from labgen.source.read_lists import SourceList, load_list
from labgen.source.read_settings import load_settings
from labgen.source.tables.find import Tables
from labgen.source.upgrade_plans import check_upgrade_options
from labgen.system.input_files import DATA, MEDIA, Stamps, digest_of


@dataclass(frozen=True, slots=True)
class SharedData:
    """The data that laboratories refer to and are checked against.

    `ranks` are positions in German dictionary order, `files` all files except laboratories. Without settings
    (None), statuses are not checked; if `has_media` is False, images are not checked. When the laboratories
    are known, `originals` has the digests of their pictures; `Directory` explains `appearing` and `newest`.
    """

    root: Path
    site: SiteRecord | None
    language: Language
    lists: Mapping[str, SourceList]
    options: tuple[UpgradeOptionRecord, ...]
    ranks: Mapping[str, Mapping[int, int]]
    files: Stamps
    has_media: bool = True
    originals: Mapping[str, bytes] = field(default_factory=dict)
    appearing: frozenset[str] = frozenset()
    newest: tuple[Dated, ...] = ()

    @property
    def directory(self) -> Directory:
        """The data that all documents share. There must be settings."""
        assert self.site  # noqa: S101 - an error says that there are none
        records: dict[str, dict[Any, Any]] = {stem: one.records for stem, one in self.lists.items()}
        return Directory(
            self.site,
            self.language,
            records[COUNTRIES.stem],
            {one.stem: records[one.stem] for one in CATALOGUES},
            self.ranks,
            self.options,
            RenditionPaths(self.originals, self.site.image_format),
            self.appearing,
            self.newest,
            tuple(records[SYNONYMS.stem].values()),
        )

    def entry_digests(self, stem: str) -> dict[str, str]:
        """Return a digest of each entry of a list, by its key."""
        records = self.lists[stem].records.items()
        return {str(key): digest_of(orjson.dumps(one.__dict__, default=dict)).hex() for key, one in records}

    def entry_fingerprints(self, stem: str) -> dict[str, bytes]:
        """Return the fingerprint of each entry of a list, by its key, in the order of the source."""
        return {str(key): fingerprint(one).tobytes() for key, one in self.lists[stem].records.items()}


def settings_entries(site: SiteRecord | None) -> dict[str, str]:
    """Return the digest of the settings in the form of a list with one entry."""
    return {"": digest_of(site.model_dump_json().encode()).hex()} if site else {}


def load_shared(
    root: Path, files: Stamps, tables: Tables, sound: Mapping[str, bytes]
) -> tuple[SharedData, list[Problem]]:
    """Return the shared data that can be read, and all problems.

    `files` are all files except laboratories, `tables` the project's tables, `sound` the digests of files
    that had no problems before.
    """
    data = root / DATA
    problems = check_names(data)
    site, found = load_settings(data)
    problems += found
    language, found = load_language(root, site.language) if site else (None, [])
    problems += found
    lists: dict[str, SourceList] = {}
    for listed in SHARED_LISTS:
        lists[listed.stem], found = load_list(data, listed, tables, sound)
        problems += found
    options, found = check_upgrade_options(lists[UPGRADE_OPTIONS.stem])
    problems += found
    is_inside = os.path.realpath(data / MEDIA).startswith(os.path.realpath(data) + os.sep)
    has_media = is_inside and not is_misnamed(data, MEDIA)
    if not is_inside:
        message = say("`{data}/{media}` is a symbolic link that leaves data/", data=DATA, media=MEDIA)
        hint = say("put the images themselves into data/")
        problems.append(Problem("outside-data", message, Place(f"{DATA}/{MEDIA}"), hint))
    ranks = {one.stem: _rank_by_title(lists[one.stem]) for one in CATALOGUES if one.is_by_title}
    return SharedData(root, site, language or english(), lists, options, ranks, files, has_media), problems


def _rank_by_title(catalogue: SourceList) -> dict[int, int]:
    """Return each entry's position in German dictionary order (specification 2.7, rule 1)."""
    records = cast("Iterable[PlainRecord]", catalogue.records.values())
    ordered = sorted(records, key=lambda record: (collation_key(record.title), record.id))
    return {record.id: place for place, record in enumerate(ordered)}
