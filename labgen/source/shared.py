"""All of data/ but the laboratories: settings, catalogues, and which images there are."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import orjson

from labgen.directory import Directory
from labgen.german import dictionary_key
from labgen.inputs import DATA, MEDIA, Stamps, digest_of
from labgen.media import Renditions
from labgen.problems import Place, Problem
from labgen.records import MaterialRecord, SiteRecord, UpgradeOptionRecord
from labgen.source.layout import LIST_FILES, SETTINGS, check_names
from labgen.source.lists import SourceList, load_list
from labgen.source.settings import load_settings
from labgen.source.upgrade_options import check_upgrade_options


@dataclass(frozen=True, slots=True)
class Shared:
    """What laboratories name, and are checked against.

    `rank` is each material's place in German dictionary order, `files` all files that were found. Without
    settings (None), statuses are not looked up; `has_media` is False where images cannot be. `originals` are
    the digests of those that laboratories name, when these are known.
    """

    root: Path
    site: SiteRecord | None
    lists: Mapping[str, SourceList]
    options: tuple[UpgradeOptionRecord, ...]
    rank: Mapping[int, int]
    files: Stamps
    has_media: bool = True
    originals: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def directory(self) -> Directory:
        """What all documents share. There must be settings."""
        assert self.site  # noqa: S101 - an error says that there are none
        lists: dict[str, Any] = {stem: one.records for stem, one in self.lists.items()}
        renditions = Renditions(self.originals, self.site.image_format)
        lists["upgrade_options"] = self.options
        return Directory(self.site, rank=self.rank, renditions=renditions, **lists)

    def entries(self) -> dict[str, dict[str, str]]:
        """Return a digest of each entry of each list, by stem and key, and of the settings."""
        settings = {"": digest_of(self.site.model_dump_json().encode()).hex()} if self.site else {}
        return {SETTINGS: settings} | {stem: dict(_digests(one)) for stem, one in self.lists.items()}


def _digests(source_list: SourceList) -> Iterator[tuple[str, str]]:
    for key, record in source_list.records.items():
        yield str(key), digest_of(orjson.dumps(record.__dict__)).hex()


def load_shared(root: Path, files: Stamps) -> tuple[Shared, list[Problem]]:
    """Return what can be read of it, and all problems; `files` are all files but laboratories."""
    data = root / DATA
    problems = check_names(data)
    site, found = load_settings(data)
    problems += found
    lists: dict[str, SourceList] = {}
    for listed in LIST_FILES:
        lists[listed.stem], found = load_list(data, listed)
        problems += found
    options, found = check_upgrade_options(lists["upgrade_options"])
    problems += found
    has_media = (data / MEDIA).resolve().is_relative_to(data.resolve())
    if not has_media:
        message = f"`{DATA}/{MEDIA}` is a symbolic link that leaves data/"
        hint = "put the images themselves into data/"
        problems.append(Problem("outside-data", message, Place(f"{DATA}/{MEDIA}"), hint))
    rank = _rank_by_title(lists["materials"])
    return Shared(root, site, lists, options, rank, files, has_media), problems


def _rank_by_title(materials: SourceList) -> dict[int, int]:
    """Return each material's place in German dictionary order (specification 2.7, rule 1)."""
    records = cast("Iterable[MaterialRecord]", materials.records.values())
    ordered = sorted(records, key=lambda record: (dictionary_key(record.title), record.id))
    return {record.id: place for place, record in enumerate(ordered)}
