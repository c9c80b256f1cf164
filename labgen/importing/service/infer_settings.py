"""Recover the settings and the shared lists of a site from what its documents show."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

from labgen.api.sections import facets
from labgen.fetch.urls import split_untrusted
from labgen.importing.service.convert_records import UNKNOWN_STATUS
from labgen.importing.service.deviations import Deviation
from labgen.importing.service.mend import mend
from labgen.importing.service.survey import CATALOGUES, STANDARD_FIELDS, Survey, commonest
from labgen.importing.write_project import tidy
from labgen.model.catalogues import ACCREDITATION_STANDARDS, COUNTRIES, UPGRADE_OPTIONS
from labgen.model.language import built_in, built_in_languages
from labgen.model.records import PlainRecord, StatRecord
from labgen.model.settings import LimitsRecord, SiteRecord, WordsRecord
from labgen.problems.text import say

FACETS = {one.name: one.title for one in facets.ENDPOINTS}
"""The English titles of sections, by their names."""
LANGUAGES = sorted(
    built_in_languages(), key=lambda code: (code != SiteRecord.model_fields["language"].default, code)
)
ONE_LIMIT = say("the commonest was taken for all sections")
FIRST_DATE = date(2000, 1, 1)

Lists = dict[str, list[dict[str, Any]]]


def settings_of(
    survey: Survey, openapi: Any, limits: Mapping[str, int]
) -> tuple[dict[str, Any], list[Deviation]]:
    """Return the settings that documents show, and those in `openapi.json` if it exists; and deviations."""
    titles = {
        section: commonest(votes)
        for (section, name), votes in survey.heads.items()
        if name == "title" and section in FACETS
    }
    language = max(LANGUAGES, key=lambda one: _matches(titles, one))
    counted: Counter[Any] = sum(
        (votes for (_, name), votes in survey.heads.items() if name == "limit"), Counter()
    )
    settings: dict[str, Any] = {
        **_of_openapi(openapi),
        "base_path": commonest(survey.words["base_path"]) if "base_path" in survey.words else "",
        "language": language,
        "words": {
            name: commonest(survey.words[name]) for name in WordsRecord.model_fields if name in survey.words
        },
        "limits": {**limits, **({"limit": commonest(counted)} if counted else {})},
        "sections": {name: text for name, text in titles.items() if text != _title(name, language)},
        "deal_statuses": _titles(survey.deal_statuses),
        "verification_statuses": _titles(survey.verification_statuses),
    }
    if survey.stats and not set(commonest(survey.stats)) <= StatRecord().model_dump().items():
        settings["stats"] = {"projects": dict(commonest(survey.stats))}
    deviations = (
        [Deviation("limit", say("sections have different limits"), ONE_LIMIT)] if len(counted) > 1 else []
    )
    settings, found = _mended(settings)
    return settings, deviations + found


def _title(section: str, language: str) -> str:
    """Return the built-in title of a section in a language."""
    return built_in(language).titles.get(section, FACETS[section])


def _matches(titles: Mapping[str, str], language: str) -> int:
    """Return how many sections have the built-in titles of a language."""
    return sum(_title(section, language) == text for section, text in titles.items())


def _mended(settings: dict[str, Any]) -> tuple[dict[str, Any], list[Deviation]]:
    mended, deviations = mend(SiteRecord, settings, "settings")
    return tidy(SiteRecord, mended or settings), deviations


def _titles(votes: Mapping[Any, Counter[Any]]) -> dict[str, str]:
    return {str(key): commonest(found) for key, found in votes.items()} or {UNKNOWN_STATUS: "Unbekannt"}


def _of_openapi(openapi: Any) -> dict[str, Any]:
    """Return the name, the licence and the base URL of a site, if its openapi.json has them."""
    info = openapi.get("info") if isinstance(openapi, dict) else None
    if not isinstance(info, dict):
        return {}
    found = {"name": info.get("title"), "license": info.get("license")}
    servers = openapi.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else None
    address = split_untrusted(first.get("url") if isinstance(first, dict) else None)
    if address.scheme in ("http", "https") and address.netloc:
        found["base_url"] = f"{address.scheme}://{address.netloc}"
    return {key: value for key, value in found.items() if value}


def limits_of(first_page: Any, new: Any, similar: int) -> dict[str, int]:
    """Return the lengths of lists that can be inferred from the documents."""
    found = {}
    if (
        isinstance(first_page, dict)
        and first_page.get("next")
        and isinstance(first_page.get("results"), list)
    ):
        found["page_size"] = len(first_page["results"])
    if isinstance(new, list) and len(new) > LimitsRecord().new_limit:
        found["new_limit"] = len(new)
    if similar:
        found["similar_limit"] = similar
    return found


def invented_dates(new: Any) -> dict[str, str]:
    """Make up dates that keep the order of the laboratories in `new`, as the real dates are not published."""
    cards = new if isinstance(new, list) else []
    shown = [
        one["display_id"] for one in cards if isinstance(one, dict) and isinstance(one.get("display_id"), str)
    ]
    return {
        one: (FIRST_DATE + timedelta(days=len(shown) - place)).isoformat() for place, one in enumerate(shown)
    }


def lists_of(survey: Survey) -> tuple[Lists, dict[tuple[str, ...], int], list[Deviation]]:
    """Return the shared lists, the ids given to the standards of certificates, and the deviations."""
    lists: Lists = {}
    deviations: list[Deviation] = []
    codes = sorted((str(code), commonest(votes)) for code, votes in survey.countries.items())
    countries = [{"iso_code": code, "slug": slug, "name": name} for code, (slug, name) in codes]
    lists[COUNTRIES.stem] = _sound(COUNTRIES, countries, deviations)
    for section, votes in survey.entries.items():
        catalogue = CATALOGUES[section]
        entries = [
            _entry(catalogue, number, dict(commonest(found)), deviations)
            for number, found in sorted(votes.items(), key=lambda one: int(str(one[0])))
        ]
        lists[catalogue.stem] = _sound(catalogue, entries, deviations)
    numbers = {standard: number for number, standard in enumerate(sorted(survey.standards), 1)}
    standards = [
        {"id": number, **dict(zip(STANDARD_FIELDS, one, strict=True))} for one, number in numbers.items()
    ]
    sound = _sound(ACCREDITATION_STANDARDS, standards, deviations)
    lists[ACCREDITATION_STANDARDS.stem] = sound
    kept = {entry["id"] for entry in sound}
    return lists, {one: number for one, number in numbers.items() if number in kept}, deviations


def _entry(
    catalogue: Any, number: Any, fields: dict[str, Any], deviations: list[Deviation]
) -> dict[str, Any]:
    """Return an entry of a catalogue; if it needs a `search_val` and has none, this is its id."""
    if not issubclass(catalogue.record, PlainRecord) and "search_val" not in fields:
        fields["search_val"] = str(number)
        deviations.append(
            Deviation(
                say("{stem} {number}", stem=catalogue.stem, number=number),
                say("an entry has no `search_val`"),
                say("it is the id now"),
            )
        )
    return {"id": number, **fields}


def _sound(
    listed: Any, entries: Iterable[dict[str, Any]], deviations: list[Deviation]
) -> list[dict[str, Any]]:
    """Return the entries that are valid for a list, corrected if necessary; add to the deviations."""
    sound = []
    for entry in entries:
        mended, found = mend(
            listed.record, entry, say("{stem} {entry}", stem=listed.stem, entry=entry[listed.key])
        )
        deviations += found
        sound += [mended] if mended else []
    return sound


def upgrade_options_of(document: Any) -> tuple[list[dict[str, Any]], list[Deviation]]:
    """Return the paid plans, and the deviations."""
    plans = document.get("laboratory") if isinstance(document, dict) else None
    deviations: list[Deviation] = []
    options = []
    for plan, listed in plans.items() if isinstance(plans, dict) else ():
        for item in listed if isinstance(listed, list) else ():
            fields = (
                {name: item.get(name) for name in UPGRADE_OPTIONS.record.model_fields if name in item}
                if isinstance(item, dict)
                else {}
            )
            option, found = mend(
                UPGRADE_OPTIONS.record, {"plan": plan, **fields}, say("upgrade_options {plan}", plan=plan)
            )
            deviations += found
            options += [option] if option else []
    return options, deviations
