"""Whole projects, drawn at random: what is published of them fits the tables of the specification, field by field.

The tables stand here once more, by hand: nothing of labgen's own schemas judges its documents.
"""

import html
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from conftest import COUNTRIES, UPGRADE_OPTIONS, Project, picture
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from labgen.model.german import collation_key
from labgen.source.checks.placeholders import is_placeholder

Check = Callable[[Any], bool]
Table = Mapping[str, "Check | Table | list[Table]"]


def text(value: Any) -> bool:
    return type(value) is str


def whole(value: Any) -> bool:
    return type(value) is int


def flag(value: Any) -> bool:
    return type(value) is bool


def matching(pattern: str) -> Check:
    return lambda value: text(value) and re.fullmatch(pattern, value) is not None


def or_null(check: Check) -> Check:
    return lambda value: value is None or check(value)


PATH = matching(r"/[^\s]*")
CODES = matching(r"([0-9]+(,[0-9]+)*)?")
COUNTRY = {"iso_code": matching("[a-z]{2}"), "slug": text, "name": text, "link": or_null(PATH)}
STATUS = {"id": text, "title": text}
CONTACT = {
    "first_name": text,
    "last_name": text,
    "position": text,
    "encoded_email": CODES,
    "encoded_phone": CODES,
}
STAT = {"key": text, "value": text, "value_level": text, "label": text}
LABORATORY = {
    "display_id": matching("[0-9]+"), "name": text, "is_verified": flag, "country": COUNTRY, "logo_url": PATH, "logo2x_url": PATH,
    "locality": text, "url": matching(r"(/[^/\s]+)+/"), "deal_status": STATUS, "verification_status": STATUS, "about": text,
    "contact_person": CONTACT, "address": text, "postal_code": text, "website": or_null(text), "stats": {"projects": STAT},
    "rating": matching(r"[0-9]+\.[0-9]{2}"),
}  # fmt: skip
SIMILAR = {
    "display_id": text,
    "name": text,
    "image_url": or_null(PATH),
    "locality": text,
    "country": COUNTRY,
    "url": PATH,
}
IMAGE = {"preview_url": PATH, "large_url": PATH}
OPTION = {
    "billing": text,
    "billing_label": text,
    "freq": text,
    "plan": text,
    "plan_label": text,
    "recommend": flag,
}
PLAIN = {"id": whole, "search_val": text, "title": text}
ITEMS: dict[str, tuple[str, Table]] = {
    "materials": ("materials__in", PLAIN),
    "test_methods": ("test_methods__in", PLAIN | {"summary": text, "price": lambda value: value is None}),
    "accreditations": ("accreditation_standards__in", PLAIN | {"accreditation_body": text, "standard": text, "number": text}),
    "certifications": ("certifications__in", PLAIN),
    "standards": ("tests__in", PLAIN | {"summary": text}),
}  # fmt: skip
"""By section: the name of the search argument, and the fields of an entry (specification 2.7)."""


def envelope(section: str, limit: int) -> Table:
    search_arg, item = ITEMS[section]
    return {
        "name": section.__eq__, "title": text, "search_arg": search_arg.__eq__, "limit": limit.__eq__, "hidden_count": (0).__eq__,
        "items": [item],
    }  # fmt: skip


def faults(value: Any, table: Any, at: str = "") -> Iterator[str]:
    """Yield where a value is not what a table says; the order of fields counts, and others are faults."""
    if isinstance(table, list):
        for place, one in enumerate(value):
            yield from faults(one, table[0], f"{at}/{place}")
    elif isinstance(table, Mapping):
        if list(value) != list(table):
            yield f"{at}: {list(value)}"
        for name in table.keys() & value.keys():
            yield from faults(value[name], table[name], f"{at}/{name}")
    elif not table(value):
        yield f"{at}: {value!r}"


ODD = [
    "", " ", "0", "null", "<b>&amp;</b>", '"', "\\", "a\u2028b\u2029c", "\u00a0x ", "e\u0301", "é", "\u202eabc", "🧪", "𝒳", "{{ x }}", "</script>",
    ";;", "H<sub>2</sub>O", "ﬀ", "İ", "ſ", "\ufeffx", "\u200b", "٣", "a,b;c", "'", "%41", "--", "[]", "=1+1", "\U0010fffd",
]  # fmt: skip
NOTHING = ["--", "''", '"', "0", "null"]
"""Of the odd texts, and two in a row, those that stand for nothing: a field that may be empty is empty."""


def says_something(line: str) -> bool:
    """Return whether a text is none that stands for nothing; others than the odd ones are not tried."""
    return not is_placeholder(line.strip()) and line.strip() != "None"


LINES = st.sampled_from(ODD) | st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="@0123456789"), max_size=12
).filter(says_something)
FILLED = LINES.map(lambda line: line if line.strip() else f"x{line}")
BLOCKS = st.lists(LINES | st.sampled_from(["\r\n", "\t", "\n", "\r"]), max_size=4).map("".join)
IDS = st.sampled_from([0, 1, 7, 2**53 - 1]) | st.integers(0, 10_000)
WORDS = st.sampled_from(["a", "A-1", "_", "labor", "0"])
EMAILS = st.sampled_from(
    ["", "a@b.example", "jörg@prüf.example", "o'neil+x@geheim.example", "𝒳@x.example", "0@0.example"]
)
PHONES = st.sampled_from(
    ["", 0, "0", " 0", "00", "+49 (0)30 / 123-45 67", "☎ 030 7654321", "0\u00a030 998877", "110", 49301234567]
)
RATINGS = st.sampled_from(["0", 4, "4.5", "999999.99", "0.1", "00012.3"])


def entries(**fields: Any) -> st.SearchStrategy[list[dict[str, Any]]]:
    entry = st.fixed_dictionaries({"id": IDS, "title": FILLED, **fields})
    return st.lists(entry, max_size=4, unique_by=lambda one: one["id"])


CODED = IDS.map(lambda number: f"s-{number}") | FILLED.filter(lambda one: not one.strip().isdigit())
CATALOGUES = st.fixed_dictionaries(
    {
        "materials": entries(),
        "certifications": entries(),
        "test_methods": entries(search_val=CODED, summary=BLOCKS),
        "standards": entries(search_val=CODED, summary=BLOCKS),
        "accreditation_standards": entries(search_val=CODED, standard=FILLED),
    }
)


@st.composite
def records(draw: st.DrawFn, catalogues: Mapping[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Laboratories that name entries of catalogues, and one another."""
    display_ids = draw(
        st.lists(st.from_regex("[0-9]{1,6}", fullmatch=True), min_size=1, max_size=4, unique=True)
    )
    return [draw(record(one, display_ids, catalogues)) for one in display_ids]


@st.composite
def record(
    draw: st.DrawFn, display_id: str, others: list[str], catalogues: Mapping[str, list[dict[str, Any]]]
) -> dict[str, Any]:
    def some(values: list[Any]) -> list[Any]:
        return draw(st.lists(st.sampled_from(values), unique=True, max_size=4)) if values else []

    numbers = {name: [one["id"] for one in listed] for name, listed in catalogues.items()}
    standards = numbers["accreditation_standards"]
    certificates = [
        {"id": place, "accreditation_standard": one, "accreditation_body": draw(LINES), "number": draw(LINES)}
        for place, one in enumerate([*some(standards), *some(standards)])
    ]
    fields: dict[str, Any] = {
        "is_verified": draw(st.booleans()), "locality": draw(LINES), "about": draw(BLOCKS), "address": draw(LINES),
        "postal_code": draw(LINES | st.just(1067)), "website": draw(st.none() | st.just("https://a.example/ü?x=1&y")), "rating": draw(RATINGS),
        "contact_person": {"first_name": draw(LINES), "last_name": draw(LINES), "position": draw(LINES), "email": draw(EMAILS), "phone": draw(PHONES)},
        "stats": {"projects": {"key": draw(WORDS), "value": draw(LINES), "value_level": draw(WORDS), "label": draw(LINES)}},
        "accreditations": certificates, "similar_labs": some([one for one in others if one != display_id]),
        "logo": draw(st.sampled_from([None, "a.png", "ö b.png"])), "gallery": draw(st.sampled_from([[], [], ["a.png"]])),
    }  # fmt: skip
    fields |= {
        name: some(numbers[name]) for name in ("materials", "test_methods", "certifications", "standards")
    }
    kept = {name: value for name, value in fields.items() if value is not None and draw(st.integers(0, 4))}
    country, slug = draw(st.sampled_from(["de", "li"])), draw(st.none() | WORDS)
    named = {
        "display_id": display_id,
        "name": draw(FILLED),
        "country": country,
        "deal_status": "p",
        "verification_status": "q",
    }
    return named | kept | ({"slug": slug} if slug else {})


@st.composite
def sources(draw: st.DrawFn) -> dict[str, Any]:
    catalogues = draw(CATALOGUES)
    settings = {
        "name": draw(FILLED), "language": draw(st.sampled_from(["de", "en"])), "base_path": draw(st.sampled_from(["", "/a", "/a/b~c"])),
        "limit": draw(st.sampled_from([0, 8, 1_000_000])), "page_size": draw(st.sampled_from([1, 2, 100])), "word": draw(WORDS),
        "title": draw(FILLED),
    }  # fmt: skip
    suffix = draw(st.sampled_from(["json", "jsonl"]))
    return {
        "settings": settings,
        "catalogues": catalogues,
        "records": draw(records(catalogues)),
        "suffix": suffix,
    }


def toml(line: str) -> str:
    return json.dumps(line, ensure_ascii=False)


def written(folder: Path, source: Mapping[str, Any]) -> Project:
    project, own = Project(folder), source["settings"]
    statuses = f"[deal_statuses]\np = {toml(own['title'])}\n[verification_statuses]\nq = 'Q'\n"
    head = "".join(f"{name} = {toml(own[name])}\n" for name in ("name", "language", "base_path"))
    limits = f"[limits]\nlimit = {own['limit']}\npage_size = {own['page_size']}\n[words]\nlaboratory = '{own['word']}'\n"
    project.file("data/site.toml", head + limits + statuses)
    project.write(countries=COUNTRIES, upgrade_options=UPGRADE_OPTIONS, laboratories=source["records"])
    for name in ("a.png", "ö b.png"):
        project.file(f"data/media/{name}", picture(size=(200, 160)))
    for name, listed in source["catalogues"].items():
        lines = [json.dumps(one, ensure_ascii=False) for one in listed]
        whole_list = "\n".join(lines) if source["suffix"] == "jsonl" and lines else f"[{','.join(lines)}]"
        project.file(f"data/{name}.{source['suffix'] if lines else 'json'}", whole_list)
    return project


def decoded(codes: str) -> str:
    return "".join(chr(int(code)) for code in codes.split(",")) if codes else ""


def is_there(project: Project, base_path: str, address: str) -> bool:
    inside = address.removeprefix(base_path)
    return address.startswith(f"{base_path}/") and (project.out / inside.lstrip("/")).is_file()


def canonical(document: Any) -> bytes:
    """Return a document as the specification's framework sends it."""
    sent = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return sent.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode()


def meant(value: Any) -> Any:
    return "" if text(value) and value.strip().lower() in NOTHING else value


def check_laboratory(project: Project, source: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Hold all documents of a laboratory against the tables, and against what was written."""
    settings, path = source["settings"], f"laboratories/{given['display_id']}/"
    base_path, told = settings["base_path"], project.document(path)
    assert list(faults(told, LABORATORY)) == []
    assert (told["display_id"], told["name"]) == (given["display_id"], given["name"])
    optional = ("locality", "about", "address", "website", "is_verified")
    assert {name: told[name] for name in optional} == {
        name: meant(given.get(name, told[name])) for name in optional
    }
    contact = given.get("contact_person", {})
    assert decoded(told["contact_person"]["encoded_email"]) == meant(contact.get("email", ""))
    assert decoded(told["contact_person"]["encoded_phone"]) == str(meant(contact.get("phone", "")))
    assert told["url"].startswith(f"{base_path}/{settings['word']}/{given['display_id']}/")
    assert (told["country"]["link"] is None) == (told["country"]["slug"] == "")
    addresses = [told["logo_url"], told["logo2x_url"]]
    gallery = project.document(f"{path}gallery/")
    assert list(faults(gallery, [IMAGE])) == []
    assert len(gallery) == len(given.get("gallery", []))
    addresses += [address for image in gallery for address in image.values()]
    assert [one for one in addresses if not is_there(project, base_path, one)] == []
    similar = project.document(f"{path}similar_labs/")
    assert list(faults(similar, [SIMILAR])) == []
    shown = [one["display_id"] for one in similar]
    assert shown == given.get("similar_labs", shown)
    assert given["display_id"] not in shown
    for one in similar:
        assert {name: one[name] for name in ("name", "url", "country")}.items() <= project.document(
            f"laboratories/{one['display_id']}/"
        ).items()
    for section in ITEMS:
        check_section(project.document(f"{path}{section}/"), section, source, given)


def check_section(told: Any, section: str, source: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    assert list(faults(told, envelope(section, source["settings"]["limit"]))) == []
    named = given.get(section, [])
    items = told["items"]
    stem = "accreditation_standards" if section == "accreditations" else section
    catalogue = {one["id"]: one for one in source["catalogues"][stem]}
    if section == "accreditations":
        assert [(one["id"], one["number"], one["accreditation_body"]) for one in items] == [
            (one["id"], one["number"], one["accreditation_body"]) for one in named
        ]
        expected = [catalogue[one["accreditation_standard"]] for one in named]
    else:
        ordered = sorted(named, key=lambda one: (collation_key(catalogue[one]["title"]), one))
        assert [one["id"] for one in items] == (ordered if section == "materials" else named)
        expected = [catalogue[one["id"]] for one in items]
    for item, entry in zip(items, expected, strict=True):
        of_entry = {name: entry[name] for name in item.keys() & entry.keys() if name != "id"}
        assert of_entry == {name: item[name] for name in of_entry}
        if section in ("materials", "certifications"):
            assert item["search_val"] == str(item["id"])
        if section in ("test_methods", "standards"):
            assert item["search_val"] != str(item["id"])


def check_lists(project: Project, source: Mapping[str, Any]) -> None:
    options = project.document("upgrade-options/")
    assert list(faults(options, {"laboratory": {"business": [OPTION]}})) == []
    base_path, display_ids = (
        source["settings"]["base_path"],
        sorted(one["display_id"] for one in source["records"]),
    )
    seen, path = [], f"{base_path}/api/v1/laboratory/laboratories/"
    while path:
        page = json.loads((project.out / path.removeprefix(base_path).strip("/") / "index.json").read_bytes())
        assert (
            list(
                faults(
                    page,
                    {
                        "count": len(display_ids).__eq__,
                        "next": or_null(PATH),
                        "previous": or_null(PATH),
                        "results": [SIMILAR],
                    },
                )
            )
            == []
        )
        seen += [one["display_id"] for one in page["results"]]
        path = page["next"]
    assert seen == display_ids


def check_secrets(project: Project, source: Mapping[str, Any]) -> None:
    """Look for contacts' addresses and numbers in every file of the site, in the spellings of files."""
    contacts = [one.get("contact_person", {}) for one in source["records"]]
    secrets = {str(contact.get(name, "")) for contact in contacts for name in ("email", "phone")}
    spelled = {
        form
        for one in secrets
        if len(one) > 5
        for form in (one, html.escape(one), quote(one), json.dumps(one)[1:-1])
    }
    for file, data in project.tree().items():
        assert [one for one in spelled if one.encode() in data] == [], file


@settings(
    max_examples=10, deadline=None, suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a shorter case would take minutes to find
)  # fmt: skip
@given(source=sources())
def test_all_that_is_published_fits_the_tables_of_the_specification(source):
    with tempfile.TemporaryDirectory() as folder:
        project = written(Path(folder), source)
        outcome = project.build()
        assert [one.problem.message for one in outcome.problems if one.problem.severity == "error"] == []
        for file in project.out.rglob("api/**/index.json"):
            data = file.read_bytes()
            assert canonical(json.loads(data)) == data
            assert (file.parent / "api.html").is_file()
        for given_record in source["records"]:
            check_laboratory(project, source, given_record)
        check_lists(project, source)
        check_secrets(project, source)
