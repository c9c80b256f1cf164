"""The example of each problem in docs/reference/problems.md gives its code: it is read, and put into a project."""

import json
import re
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO

import openpyxl
import pytest
from click.testing import CliRunner
from conftest import ALPHA, BETA, SITE, UPGRADE_OPTIONS, Project, laboratory, picture

from labgen.cli import main
from labgen.problems.codes import CODES
from labgen.render.template_loader import BUILT_IN

HEADER = ["display_id", "name", "country", "deal_status", "verification_status"]
ROW = ["00001", "Alpha", "de", "premium", "partner"]
MODIFIED = datetime(2024, 5, 1, tzinfo=UTC)


def members(example):
    """Return the members of an object of JSON that an example begins with."""
    text = example if example.startswith("{") else "{" + example
    for end in range(len(text), 0, -1):
        with suppress(ValueError):
            return json.loads(text[:end]) if example.startswith("{") else json.loads(text[:end] + "}")
    raise AssertionError(example)


def files_in(example):
    """Return the files and folders that an example names."""
    return re.findall(r"(?:data|templates|out)/[\w./-]+[\w/]", example)


def parts(pattern, example):
    """Return the groups of a pattern that an example must hold."""
    found = re.search(pattern, example)
    assert found, example
    return found.groups()


def numbers_in(example):
    return [int(one.replace(",", "")) for one in re.findall(r"\b[0-9][0-9,]*\b", example)]


def put_fields(site, example):
    """Put members into the record whose fields they are."""
    given = members(example)
    match list(given):
        case ["display_id"]:
            return site.write(laboratories=[ALPHA, laboratory("x") | given])
        case ["title"]:
            return site.write(test_categories=[{"id": 1} | given])
        case ["link"]:
            return of_alpha(site, landings_links=[{"title": "x"} | given])
        case ["email"] | ["phone"]:
            return of_alpha(site, contact_person=given)
        case ["accreditation_body", "number"]:
            return certified(site, given)
        case ["published_on", "valid_through"]:
            return of_alpha(site, job_listings=[{"id": 1, "title": "x"} | given])
        case ["standard"]:
            return site.write(accreditation_standards=[{"id": 1, "title": "x", "search_val": "y"} | given])
        case ["id", "search_val"]:
            return site.write(standards=[given | {"title": "x"}])
        case ["freq"] | ["plan", *_]:
            return site.write(upgrade_options=[UPGRADE_OPTIONS[0], UPGRADE_OPTIONS[1] | given])
    return of_alpha(site, **given)


def of_alpha(site, **fields):
    return site.write(laboratories=[ALPHA | fields, BETA])


def certified(site, *given):
    site.write(
        accreditation_standards=[
            {"id": 1, "title": "x", "search_val": "y", "standard": "DIN EN ISO/IEC 17025:2018"}
        ],
        laboratories=[
            laboratory(one.pop("of", "00001"), accreditations=[{"id": 1, "accreditation_standard": 1, **one}])
            for one in given
        ],
    )
    return site


def put_text(file):
    """Return a function that puts the example into a file, as it stands."""
    return lambda site, example: site.file(file, example)


def put_settings(site, example):
    """Put settings before the others."""
    return site.file("data/site.toml", "\n".join(example.split(" and ")) + SITE)


def put_file(content):
    """Return a function that writes the files that the example names."""

    def put(site, example):
        names = files_in(example)
        assert names
        for name in names:
            site.file(name, content)
        return site

    return put


def workbook(site, *sheets, merged="", hidden=()):
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        if merged:
            sheet.merge_cells(merged)
        for number in hidden:
            sheet.row_dimensions[number].hidden = True
    book.properties.modified = MODIFIED
    written = BytesIO()
    book.save(written)
    return site.without_folder("data/laboratories").file("data/laboratories.xlsx", written.getvalue())


def csv(*rows):
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def put_contact(site, example):
    given = members(example)
    address = parts(r"(\S+@\S+)", given["about"])[0]
    return of_alpha(site, **given, contact_person={"email": address})


REPEATED = {"id": ("title,search_val", "a,x", "b,y"), "search_val": ("id,title", "1,a", "2,b")}
"""The other columns of a catalogue, and two rows of them, by the column whose value is there twice."""


def put_repeated(site, example):
    (file,), (column, value) = files_in(example), parts(r"the (id|search_val) (\S+)", example)
    head, *rows = REPEATED[column]
    site.without("data/materials.json")
    return site.file(file, f"{column},{head}\n" + "".join(f"{value},{one}\n" for one in rows))


def put_titles(site, example):
    rows = re.findall(r"(\w+) with the id (\d+)", example)
    (file,) = files_in(example)
    return site.without("data/materials.json").file(
        file, "id,title\n" + csv(*((key, title) for title, key in rows))
    )


def put_designation(site, example):
    return put_fields(site, f'"standard": "{example.partition(" instead of ")[0]}"')


def put_certificates(site, example):
    (number,) = members(example).values()
    names = re.findall(r"(\d+)\.json", example)
    one = {"accreditation_body": "DAkkS", "number": number}
    return certified(site, *(one | {"of": name} for name in names))


def put_ratings(site, example):
    ratings = re.findall(r"\d\.\d\d", example)[1:]
    reviews = [{"id": at, "rating": one, "created_on": "2024-05-01"} for at, one in enumerate(ratings)]
    return of_alpha(site, **members(example), reviews=reviews)


def put_shorter_ids(site, example):
    short, first, long = re.findall(r"\d+", example)[0], *re.findall(r"\b0\d+", example)
    site.write(laboratories=[laboratory(long), laboratory(first)]).build()
    by_site = site.write(laboratories=[laboratory(short), laboratory(first)]).check().found
    assert [(one.code, one.severity) for one in by_site] == [("lost-zeros", "error")]
    (site.root / "out/.labgen-site.json").unlink()
    site.without_folder("data/laboratories")
    return site.file("data/laboratories.csv", csv(HEADER, [first, *ROW[1:]], [short, *ROW[1:]]))


def put_emptied(site, example):
    (column,), count = parts("`(.*?)`", example), numbers_in(example)[0]
    return put_changed(site, {column: "https://www.labor{at}.example"}, {column: None}, count)


def put_moved(site, example):
    (column,), (count, by) = parts("`(.*?)`", example), numbers_in(example)
    return put_changed(site, {column: "Labor {at}"}, {column: "Labor {before}"}, count, by)


def put_repeated_mail(site, example):
    (column,), count = parts("`(.*?)`", example), numbers_in(example)[0]
    return put_changed(
        site,
        {"contact_person": {column: "labor{at}@pruefung.example"}},
        {"contact_person": {column: "labor0@pruefung.example"}},
        count,
    )


def put_numbers(site, example):
    column, before, now = parts("`(.*?)` in .* was (.*), and is (.*)", example)
    made = {"contact_person": {column: f"{before}{{at}}"}}, {"contact_person": {column: f"{now}{{at}}"}}
    return put_changed(site, *made, numbers_in(example)[0])


def put_changed(site, had, has, count, by=0):
    """Build laboratories with these fields, and write them with others."""

    def filled(value, at):
        if isinstance(value, dict):
            return {name: filled(inner, at) for name, inner in value.items()}
        return value and value.format(at=at, before=at - by)

    for fields in (had, has):
        site.write(laboratories=[laboratory(f"{at:05}") | filled(fields, at) for at in range(count)])
        if fields is had:
            site.build()
    return site


def put_fewer(site, example):
    left, had = numbers_in(example)
    some = [laboratory(f"{number:05}") for number in range(had)]
    site.write(laboratories=some).build()
    return site.write(laboratories=some[:left])


def put_many(site, example):
    host, count = parts(r"--host (\S+), with ([\d,]+) lab", example)
    site.write(laboratories=[laboratory(f"{number:05}") for number in range(int(count.replace(",", "")))])
    return site.file("data/site.toml", f'hosts = ["{host}"]\n{SITE}')


def put_picture(site, name, data, use="image"):
    return of_alpha(site, **{use: name}).file(f"data/media/{name}", data)


def put_cut_picture(site, example):
    name = files_in(example)[0].removeprefix("data/media/")
    return put_picture(site, name, picture(kind="JPEG")[:300])


def put_screenshot(site, example):
    return put_picture(site, parts(r"called (\S+)", example)[0], picture(kind="PNG"))


def put_scan(site, example):
    (width,) = numbers_in(example)
    return put_picture(site, "scan.png", picture(size=(width, 1)))


def put_logo(site, example):
    width, height = map(int, parts(r"(\d+)x(\d+) pixels", example))
    return put_picture(site, "logo.png", picture(size=(width, height)), "logo")


def put_link(site, example):
    link, target = parts(r"(\S+) -> (\S+)", example)
    path = site.root / link
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".json").unlink(missing_ok=True)
    elsewhere = site.root.parent / f"{site.root.name}-elsewhere" / target.rpartition("/")[2]
    elsewhere.parent.mkdir(exist_ok=True)
    elsewhere.write_text("id,title\n1,x\n")
    path.symlink_to(elsewhere)
    return site


def put_folder(site, example):
    site.without("data/materials.json")
    (site.root / files_in(example)[0]).mkdir()
    return site


def put_two_files(site, example):
    for name in files_in(example):
        site.file(name, "[]" if name.endswith("json") else "id,title\n")
    return site


def put_words(site, example):
    (file,), (lacking,) = files_in(example), re.findall("`(.*?)`", example)
    words = site_words() - {lacking}
    text = "[words]\n" + "".join(f'{name} = "{name}"\n' for name in sorted(words))
    return site.file("data/site.toml", f'language = "rm"\n{SITE}').file(file, text)


def site_words():
    from labgen.model.language import built_in

    return {name for name, text in built_in("en").words.items() if "{" not in text}


def put_template(site, example):
    block, extended = parts(r"(\{.*?\}), in a template that extends (\S+)", example)
    name = extended.removeprefix(f"{BUILT_IN}/")
    return site.file(f"templates/{name}", f'{{% extends "{extended}" %}}\n{block}x{{% endblock %}}')


def put_in_page(site, example):
    for number, part in enumerate(example.split(", or ")):
        site.file(
            "templates/page.html",
            f'{{% extends "built-in/page.html" %}}{{% block main %}}{part}{{% endblock %}}',
        )
        if number:
            return site
        assert "blocked-content" in {one.code for one in site.check().found}
    raise AssertionError(example)


def put_merged(site, example):
    cells, value = parts(r"(\w+:\w+) .*`(\w+)`", example)
    rows = [
        [*HEADER[:3], "locality", *HEADER[3:]],
        [*ROW[:3], value, *ROW[3:]],
        ["00002", *ROW[1:3], None, *ROW[3:]],
    ]
    return workbook(site, ("laboratories", rows), merged=cells)


def put_hidden(site, example):
    rows, (name,) = [int(one) for one in re.findall(r"\d+", example)], re.findall("`(.*?)`", example)
    return workbook(site, (name, [HEADER, ROW, ["00002", *ROW[1:]]]), hidden=rows)


def put_sheets(site, example):
    other, named = re.findall("`(.*?)`", example)
    return workbook(site, (named, [HEADER, ROW]), (other, [["id", "title"], [1, "x"]]))


def put_cell(site, example):
    (column, _), (day,) = re.findall("`(.*?)`", example), re.findall(r"\d{4}-\d{2}-\d{2}", example)
    row = [1, datetime.fromisoformat(day).replace(tzinfo=None)]
    site.without("data/materials.json")
    return workbook(site, ("laboratories", [HEADER, ROW]), ("materials", [["id", column], row]))


def put_namesakes(site, example):
    fields = members("{" + parts(r'("name".*)', example)[0] + "}")
    return site.write(laboratories=[laboratory(one) | fields for one in ("00001", "00002")])


PLACES = {
    "blocked-content": put_in_page,
    "broken-image": put_cut_picture,
    "byte-order-mark": lambda site, _: site.file("data/materials.json", b"\xef\xbb\xbf[]"),
    "cannot-write": lambda site, example: site.file("/".join(parts(r"(\w+)/ holds an (\S+) of yours", example)), "x"),
    "cell-type": put_cell,
    "changed-field": put_numbers,
    "contact-in-text": put_contact,
    "designation": put_designation,
    "duplicate-id": put_repeated,
    "duplicate-key": put_text("data/laboratories/00001.json"),
    "duplicate-laboratory": put_namesakes,
    "duplicate-search-val": put_repeated,
    "duplicate-title": put_titles,
    "emptied-field": put_emptied,
    "empty-file": lambda site, example: put_file("")(site.without("data/materials.json"), example),
    "guessed-encoding": lambda site, _: site.without_folder("data/laboratories").file("data/laboratories.csv", csv(HEADER, [ROW[0], "Prüflabor", *ROW[2:]]).replace(",", ";").encode("cp1252")),
    "hidden-rows": put_hidden,
    "ignored-file": put_file("{}"),
    "ignored-sheet": put_sheets,
    "image-too-large": put_scan,
    "invalid-country": lambda site, example: site.write(countries=[{example.split()[0]: example.split()[1], "name": "x", "slug": "x"}]),
    "invalid-csv": lambda site, example: site.file("data/certifications.csv", f"id,title\n{example}\n"),
    "invalid-json": put_text("data/laboratories/00001.json"),
    "invalid-toml": put_settings,
    "invalid-yaml": put_text("data/equipments.yaml"),
    "lost-zeros": put_shorter_ids,
    "low-contrast": lambda site, example: site.file("data/site.toml", f"{SITE}[looks]\n{example}\n"),
    "many-removals": put_fewer,
    "merge-conflict": put_text("data/equipments.json"),
    "merged-cells": put_merged,
    "mislabelled-image": put_screenshot,
    "missing-field": lambda site, example: site.file("data/laboratories/00123.json", json.dumps(members(example))),
    "missing-file": lambda site, _: of_alpha(site, materials=[1]).without("data/materials.json"),
    "missing-package": lambda site, example: put_file("[]")(site.without("data/materials.json"), example),
    "missing-words": put_words,
    "moved-values": put_moved,
    "not-a-file": put_folder,
    "not-utf-8": lambda site, _: site.file("data/laboratories/00001.json", json.dumps(ALPHA | {"name": "Prüflabor"}, ensure_ascii=False).encode("cp1252")),
    "outside-data": put_link,
    "outside-project": put_link,
    "over-limit": put_many,
    "placeholder": lambda site, example: site.write(equipments=[{"id": at, "title": one} for at, one in enumerate(re.findall('"([^":]+)"(?!:)', example))]),
    "rating-not-mean": put_ratings,
    "repeated-value": put_repeated_mail,
    "shared-certificate": put_certificates,
    "small-image": put_logo,
    "template-error": put_text("templates/page.html"),
    "two-files": put_two_files,
    "two-hosts": put_settings,
    "two-recommended": lambda site, _: site.write(upgrade_options=[one | {"recommend": True} for one in UPGRADE_OPTIONS]),
    "unfit-preview": lambda site, example: site.file("templates/static/logo.svg", "<svg/>").file("data/site.toml", f"{SITE}[looks]\n{example}\n"),
    "unknown-host": put_settings,
    "unnamed-column": lambda site, example: workbook(site, ("laboratories", [HEADER, [*ROW, None, example]])),
    "unreadable-table": lambda site, _: site.without_folder("data/laboratories").file("data/laboratories.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4096)),
    "unpublished-file": lambda site, example: site.file(example.partition(",")[0], "x"),
    "unused-block": put_template,
    "unused-copies": put_settings,
    "unused-image": put_file(picture()),
    "unused-packs": put_settings,
    "unused-template": lambda site, example: site.file(f"templates/{example.split()[0]}", "x"),
    "yaml-comment": lambda site, example: site.without("data/laboratories/00001.json").file("data/laboratories/00001.yaml", f'display_id: "00001"\n{example}\ncountry: de\ndeal_status: premium\nverification_status: partner\n'),
}  # fmt: skip
"""How the examples of codes are put into a project that are not members of one record."""
OF_BUILDS = ("cannot-write", "over-limit")
"""The codes that `labgen check` does not find."""
ELSEWHERE = {
    "source-changed": "test_incremental.py",
    "stale-output": "test_audit.py",
    "too-large": "test_budget.py",
    "too-many-problems": "test_budget.py",
    "unreadable-file": "test_problems.py",
}
"""Codes whose examples take another process or user, and the tests that make them."""


@pytest.mark.parametrize("code", sorted(CODES.keys() - ELSEWHERE.keys()))
def test_the_example_of_a_problem_gives_its_code_as_it_says(site, monkeypatch, code):
    found = problems_of(code, PLACES.get(code, put_fields)(site, CODES[code].example), monkeypatch)
    severities = {one["severity"] for one in found if one["code"] == code}
    assert severities, (found, CODES[code].example)
    assert severities <= set(CODES[code].severities)


def problems_of(code, site: Project, monkeypatch):
    """Return the problems that the command reports for a project, as a program reads them."""
    if code == "missing-package":
        from labgen.formats import yaml_format

        yaml_format._parser.cache_clear()
        monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    command = "build" if code in OF_BUILDS else "check"
    result = CliRunner().invoke(main, [command, "-C", str(site.root), "--format", "json", "--jobs", "1"])
    monkeypatch.undo()
    return json.loads(result.stdout)["problems"]
