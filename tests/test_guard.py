"""Data that is right by its form, and wrong by its meaning, does not go to the site without a word."""

import csv
import io
import json
import random
import re
import shutil
import sqlite3
from array import array
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, NamedTuple
from unicodedata import normalize

import pytest
from conftest import SITE, Project, codes, laboratory
from openpyxl import Workbook
from servers import served

from labgen.model.fingerprints import POSITION, VERSION, columns, fingerprint
from labgen.model.records import LaboratoryRecord, MaterialRecord, Record
from labgen.pipeline.accidents import Limits, find_accidents
from labgen.pipeline.published_columns import SAMPLE, every_of, sampled
from labgen.serve.answer import Answer

COUNT = 60
FIRST = ["Anna", "Jürgen", "Maëlle", "Ole", "Çiğdem", "Björn", "Eva", "Peter", "Zoë", "Karl"]
LAST = ["Groß", "Müller", "Şahin", "Weiß", "Köhler", "Schulz", "Ng", "Thiel", "Jäger", "Lang", "Öztürk"]
TOWNS = [
    "Berlin",
    "Köln",
    "München",
    "Graz",
    "Linz",
    "Bern",
    "Görlitz",
    "Ulm",
    "Jena",
    "Fürth",
    "Kiel",
    "Bonn",
    "Trier",
    "Hof",
]
KINDS = ["Prüflabor", "Werkstofflabor", "Materialprüfanstalt", "Institut für Bauphysik", "Kalibrierstelle"]
TITLES = [
    f"{kind} {what}"
    for what in ("Stahl", "Holz", "Glas", "Beton", "Gummi", "Öl")
    for kind in ("warmfester", "alter", "grober", "weißer")
]

Row = dict[str, Any]


class Office(NamedTuple):
    """The tables of an office: laboratories, materials, and reviews, which are a table of their own."""

    rows: list[Row]
    materials: list[Row]
    reviews: list[Row]


def office(count: int = COUNT) -> Office:
    """Return what the office published last; the same each time."""
    some = random.Random(7)
    return Office(
        [_row(number, some) for number in range(1, count + 1)],
        [{"id": at, "title": title} for at, title in enumerate(TITLES, 100)],
        [{"display_id": f"{at:05}", "id": 1, "rating": f"{some.uniform(1, 5):.2f}", "created_on": f"2024-{1 + at % 9:02}-{10 + at % 3:02}", "text": f"War gut, Nr. {at}"} for at in range(1, count + 1, 2)],
    )  # fmt: skip


def _row(number: int, some: random.Random) -> Row:
    first, last, town = some.choice(FIRST), some.choice(LAST), some.choice(TOWNS)
    row = {
        "display_id": f"{number:05}",
        "name": f"{some.choice(KINDS)} {last} {town} {number}",
        "country": some.choice(["de", "de", "de", "li"]),
        "locality": town,
        "deal_status": some.choice(["premium", "basic", "basic"]),
        "verification_status": "partner",
        "about": f"Gegründet {1950 + number}.\nWir prüfen für {town}.",
        "first_name": first,
        "last_name": last,
        "email": f"labor{number}@pruefung{number % 7}.example",
        "phone": f"0{some.randrange(200, 999)} {some.randrange(10_000, 99_999)}",
        "address": f"Straße {some.randrange(1, 200)}",
        "postal_code": f"{some.randrange(1_000, 99_999):05}",
        "website": f"http://www.labor{number}.example/" if number % 6 else "",
        "rating": f"{some.uniform(1, 5):.2f}" if number % 5 else "",
        "materials": ";".join(map(str, sorted(some.sample(range(100, 124), 3)))),
        "published_on": f"20{some.randrange(10, 24)}-0{some.randrange(1, 9)}-1{some.randrange(9)}" if number % 3 == 0 else "",
        "is_verified": str(number % 4 == 0).lower(),
        "slug": f"labor-{number}" if number % 10 == 0 else "",
    }  # fmt: skip
    code = row["postal_code"]
    row["postal_code"] = f"1{code[1:]}" if row["country"] == "de" else f"94{85 + int(code) % 14}"
    return row


HEADERS = {one: f"contact_person.{one}" for one in ("first_name", "last_name", "email", "phone")}
STATUSES = SITE.replace('premium = "Premium"', 'premium = "Premium"\nbasic = "Basis"\ngold = "Gold"')
STATUSES += '[[accept]]\ncode = "rating-not-mean"\nreason = "these reviews are only some"\n'


def table(rows: list[Row]) -> str:
    """Return rows as CSV; a column is there if any row has it."""
    written = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    output = csv.writer(written)
    output.writerow([HEADERS.get(name, name) for name in names])
    output.writerows([row.get(name, "") for name in names] for row in rows)
    return written.getvalue()


def put(site: Project, given: Office) -> Project:
    site.file("data/laboratories.csv", table(given.rows))
    site.file("data/materials.csv", table(given.materials))
    if given.reviews:
        return site.file("data/reviews.csv", table(given.reviews))
    return site.without("data/reviews.csv")


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Project:
    """The project of the office, with its site."""
    site = Project(tmp_path_factory.mktemp("guard")).sound()
    site.without_folder("data/laboratories").without("data/materials.json").file("data/site.toml", STATUSES)
    assert put(site, office()).build().written
    return site


def emptied(*names: str, among: slice = slice(None)) -> Callable[[Office], None]:
    def change(given: Office) -> None:
        for row in given.rows[among]:
            row.update(dict.fromkeys(names, ""))

    return change


def renamed(name: str, to: str) -> Callable[[Office], None]:
    def change(given: Office) -> None:
        for row in given.rows:
            row[to] = row.pop(name)

    return change


def set_values(
    name: str, make: Callable[[list[Any]], list[Any]], which: str = "rows"
) -> Callable[[Office], None]:
    """Replace the values of a column as a whole."""

    def change(given: Office) -> None:
        rows = getattr(given, which)
        for row, value in zip(rows, make([row[name] for row in rows]), strict=True):
            row[name] = value

    return change


def shifted(by: int, start: int = 0) -> Callable[[list[Any]], list[Any]]:
    """Return what moves values: a cell was inserted (by > 0) or removed at a row."""

    def move(values: list[Any]) -> list[Any]:
        head, rest = values[:start], values[start:]
        return head + ([""] * by + rest[:-by] if by > 0 else rest[-by:] + [""] * -by)

    return move


def exchanged(one: str, other: str) -> Callable[[Office], None]:
    def change(given: Office) -> None:
        for row in given.rows:
            row[one], row[other] = row[other], row[one]

    return change


def filled_down(values: list[Any]) -> list[Any]:
    return [values[0]] * len(values)


def drawn_down(values: list[Any]) -> list[Any]:
    """Fill each fourth cell into the three below it."""
    return [values[at - at % 4] for at in range(len(values))]


def in_ascii(half: bool = False) -> Callable[[Office], None]:
    def change(given: Office) -> None:
        for row in given.rows[:: 2 if half else 1]:
            row.update({name: value.encode("ascii", "replace").decode() for name, value in row.items()})

    return change


def in_latin(given: Office) -> None:
    """Read UTF-8 as Latin-1."""
    for row in given.rows:
        row.update({name: value.encode().decode("latin-1") for name, value in row.items()})


def without_accents(given: Office) -> None:
    for row in given.rows:
        row["name"] = row["name"].encode("ascii", "ignore").decode()


def unplaced(given: Office) -> None:
    """Sort the column of numbers alone: all the rest belongs to another one then."""
    ids = [row["display_id"] for row in given.rows]
    for row, one in zip(given.rows, random.Random(1).sample(ids, len(ids)), strict=True):
        row["display_id"] = one


def mixed(values: list[Any]) -> list[Any]:
    return random.Random(2).sample(values, len(values))


def copied(one: str, other: str) -> Callable[[Office], None]:
    def change(given: Office) -> None:
        for row in given.rows:
            row[one] = row[other]

    return change


def in_chain(*names: str) -> Callable[[Office], None]:
    """Paste the columns one column too far to the right."""

    def change(given: Office) -> None:
        for row in given.rows:
            values = [row[name] for name in names]
            row.update(zip(names, ["", *values], strict=False))

    return change


def american(values: list[Any]) -> list[Any]:
    """Exchange day and month where both readings are a date."""
    return [f"{one[:4]}{one[7:]}{one[4:7]}" if one and int(one[8:]) <= MONTHS else one for one in values]


MONTHS = 12


def reviews_of_one(given: Office) -> None:
    """Join the tables without a condition, so that each laboratory has the reviews of the first."""
    first = given.reviews[0]
    given.reviews[:] = [
        first | {"display_id": row["display_id"], "id": at} for at, row in enumerate(given.rows, 1)
    ]


ACCIDENTS: dict[str, tuple[Callable[[Office], None], str]] = {
    **{f"{name} emptied": (emptied(name), f"emptied-field `{name}` is empty") for name in ("email", "website", "about", "materials", "rating", "postal_code", "locality", "published_on", "phone", "address")},
    "half of a column emptied": (emptied("email", among=slice(30)), "emptied-field `email` is empty in 30 of 60 laboratories; 60 had a value: 00001, 00002, 00003 and 27 more"),
    "two columns emptied together": (emptied("email", "phone"), "emptied-field `email` and `phone` are empty in 60 of 60 laboratories; 60 had a value"),
    "a column renamed to a note": (renamed("website", "_website"), "emptied-field `website` is empty in 50 of 60"),
    "a header on another column": (renamed("address", "stats.projects.label"), "emptied-field `address` is empty"),
    "names one row down": (set_values("name", lambda values: [values[0], *values[:-1]]), "moved-values `name` moved 1 row down in 59 of 60 laboratories, from 00002 on: 00002, 00003, 00004 and 56 more"),
    "names one row up from the middle": (set_values("name", lambda values: [*values[:20], *values[21:], values[20]]), "moved-values `name` moved 1 row up in 40 of 60 laboratories, from 00021 on"),
    "a few names at the end one row down": (set_values("name", lambda values: [*values[:50], values[50], *values[50:-1]]), "moved-values `name` moved 1 row down in 9 of 60 laboratories, from 00052 on"),
    "e-mails seven rows down": (set_values("email", shifted(7)), "moved-values `email` moved 7 rows down"),
    "materials one row down": (set_values("materials", shifted(1)), "moved-values `materials` moved 1 row down"),
    "ratings one row up": (set_values("rating", shifted(-1)), "moved-values `rating` moved 1 row up"),
    "statuses one row down": (set_values("deal_status", lambda values: [values[-1], *values[:-1]]), "moved-values `deal_status` moved 1 row down"),
    "dates, which few have, one row down": (set_values("published_on", shifted(1)), "moved-values `published_on` moved 1 row down"),
    "names sorted alone": (set_values("name", sorted), "moved-values `name` holds values of others"),
    "e-mails sorted alone": (set_values("email", sorted), "moved-values `email` holds values of others"),
    "ratings sorted alone": (set_values("rating", sorted), "moved-values `rating` holds values of others"),
    "materials sorted alone": (set_values("materials", sorted), "moved-values `materials` holds values of others"),
    "countries sorted alone": (set_values("country", sorted), "moved-values `country` holds values of others"),
    "towns sorted alone": (set_values("locality", sorted), "moved-values `locality` holds values of others"),
    "numbers sorted alone": (unplaced, "moved-values `name`, `locality`, `slug` and 9 more columns hold values of others"),
    "e-mails mixed": (set_values("email", mixed), "moved-values `email` holds values of others"),
    "two columns exchanged": (exchanged("first_name", "last_name"), "moved-values `first_name` and `last_name` are exchanged in 60 of 60 laboratories"),
    "columns that have nothing in common exchanged": (exchanged("phone", "postal_code"), "moved-values `phone` and `postal_code` are exchanged"),
    "a column over another": (copied("locality", "address"), "moved-values `locality` holds what `address` held in 60 of 60 laboratories"),
    "columns pasted too far to the right": (in_chain("first_name", "last_name", "locality", "address"), "moved-values `locality`, `last_name` and `address` hold what other columns held in 60 of 60"),
    "e-mails filled down": (set_values("email", filled_down), "repeated-value `email` repeats values in 59 of 60 laboratories; 60 were different, and now 1"),
    "e-mails drawn down here and there": (set_values("email", drawn_down), "repeated-value `email` repeats values"),
    "countries filled down": (set_values("country", filled_down), "repeated-value `country` repeats values"),
    "a third of the e-mails filled down": (set_values("email", lambda values: [values[0]] * 20 + values[20:]), "repeated-value `email` repeats values in 19 of 60"),
    "all laboratories verified": (set_values("is_verified", lambda values: ["true"] * len(values)), "repeated-value `is_verified` is yes in all, and in 45 of 60 laboratories only now; 15 had it"),
    "letters became question marks": (in_ascii(), "changed-field `name`, `locality`, `about` and 3 more columns have `?` in place of letters"),
    "letters became question marks in half": (in_ascii(half=True), "changed-field `name`, `locality`, `about` and 3 more columns have `?` in place of letters"),
    "umlauts dropped": (without_accents, "changed-field `name` lost umlauts or accents"),
    "phones drawn as a series": (set_values("phone", lambda values: [f"{values[0]}{at}" for at in range(len(values))]), "changed-field `phone` changed in 60 of 60"),
    "zeros of phones lost": (set_values("phone", lambda values: [value[1:] for value in values]), "changed-field `phone` lost the zeros at the beginning in 60 of 60"),
    "a word replaced in all names": (set_values("name", lambda values: [value[:9] for value in values]), "repeated-value `name` repeats values"),
    "zeros of phones lost, which look otherwise": (set_values("phone", lambda values: [value[1:].replace(" ", "/") for value in values]), "changed-field `phone` lost the zeros at the beginning in 60 of 60"),
    "dates read as American ones": (set_values("published_on", american), "changed-field `published_on` has day and month exchanged in "),
    "letters in the wrong encoding": (in_latin, "changed-field `name`, `locality`, `about` and 3 more columns have letters such as `Ã¼` in place of `ü`"),
    "names in capitals": (set_values("name", lambda values: [value.upper() for value in values]), "changed-field `name` lost upper or lower case in 52 of 60"),
    "names in Proper Case": (set_values("name", lambda values: [value.title() for value in values]), "changed-field `name` lost upper or lower case in "),
    "towns in small letters": (set_values("locality", lambda values: [value.lower() for value in values]), "changed-field `locality` lost upper or lower case in 60 of 60"),
    "titles of a catalogue one row down": (set_values("title", lambda values: [*values[-1:], *values[:-1]], "materials"), "moved-values `materials.title` moved 1 row down in 24 of 24 entries"),
    "titles of a catalogue sorted": (set_values("title", sorted, "materials"), "moved-values `materials.title` holds values of others in"),
    "titles of a catalogue replaced": (set_values("title", lambda values: [f"{value} (neu)" for value in values], "materials"), "changed-field `materials.title` changed in 24 of 24 entries"),
    "a table of the reviews deleted": (lambda given: given.reviews.clear(), "emptied-field `reviews` is empty in 30 of 60 laboratories"),
    "a column of the reviews emptied": (set_values("text", lambda values: [""] * len(values), "reviews"), "emptied-field `reviews.text` is empty in 30 of 60 laboratories"),
    "dates of the reviews read as American ones": (set_values("created_on", american, "reviews"), "changed-field `reviews.created_on` has day and month exchanged in "),
    "reviews of one laboratory for all": (reviews_of_one, "repeated-value `reviews` repeats values in 29 of 30 laboratories; 30 were different, and now 1"),
    "reviews one row down": (set_values("display_id", lambda values: [*values[1:], values[0]], "reviews"), "moved-values `reviews`"),
}  # fmt: skip


def guarded(site: Project) -> list[str]:
    """Return what a check says of changes: the code and the message of errors."""
    outcome = site.check()
    return [f"{one.code} {one.message}" for one in outcome.found if one.severity == "error"]


@pytest.mark.parametrize("name", ACCIDENTS)
def test_an_accident_is_an_error_that_says_what_happened(published, name):
    change, said = ACCIDENTS[name]
    given = office()
    change(given)
    try:
        found = guarded(put(published, given))
    finally:
        put(published, office())
    assert any(one.startswith(said) for one in found), found


def lost_rows(given: Office) -> None:
    del given.rows[30:]


def lost_materials(given: Office) -> None:
    del given.materials[12:]


def dates_in_texts(given: Office) -> None:
    for one in given.reviews:
        one["created_on"], one["text"] = one["text"], one["created_on"]


MALFORMED: dict[str, tuple[Callable[[Office], None], str, str]] = {
    "a required column emptied": (emptied("name"), "emptied-field `name` is empty in 60 of 60 laboratories", "60 errors belong to it, the first: `name` is missing from this laboratory"),
    "e-mails and phones exchanged": (exchanged("email", "phone"), "moved-values `email` and `phone` are exchanged in 60 of 60", "60 errors belong to it, the first: `contact_person.email` is not an e-mail address"),
    "websites and ratings exchanged": (exchanged("website", "rating"), "moved-values `website` and `rating` are exchanged", "errors belong to it, the first: `"),
    "countries and towns exchanged": (exchanged("country", "locality"), "moved-values `country` and `locality` are exchanged in 60 of 60", "60 errors belong to it"),
    "names one row down, and the first empty": (set_values("name", shifted(1)), "moved-values `name` moved 1 row down in 60 of 60", "1 error belongs to it: `name` is missing"),
    "e-mails as links": (set_values("email", lambda values: [f"<{one}>x" for one in values]), "changed-field `email` changed in 60 of 60", "60 errors belong to it"),
    "a column renamed to what is not known": (renamed("website", "Internet"), "emptied-field `website` is empty in 50 of 60", "1 error belongs to it: the column `Internet` is not known"),
    "ratings as dates": (set_values("rating", lambda values: [f"{one[:1]}. Jan" if one else "" for one in values]), "repeated-value `rating` repeats values in 48 of 48", "48 errors belong to it"),
    "materials joined": (set_values("materials", lambda values: [one.replace(";", "") for one in values]), "changed-field `materials` changed in 60 of 60", "60 errors belong to it"),
    "half of a catalogue lost": (lost_materials, "emptied-field 12 of 24 entries of `materials` would be removed", "errors belong to it, the first: `materials` names"),
    "half of the laboratories lost, but not their reviews": (lost_rows, "many-removals 30 of 60 laboratories would be removed", "15 errors belong to it, the first: `display_id` is"),
    "numbers filled down": (set_values("display_id", filled_down), "many-removals 59 of 60 laboratories would be removed", "the first: `display_id` 00001 is also that of another laboratory"),
    "dates of reviews and their texts exchanged": (dates_in_texts, "moved-values `reviews.text` and `reviews.created_on` are exchanged in 30 of 60", "30 errors belong to it"),
    "ratings of the reviews emptied": (set_values("rating", lambda values: [""] * len(values), "reviews"), "emptied-field `reviews.rating` is empty in 30 of 60", "30 errors belong to it, the first: `rating` is missing from this entry of `reviews`"),
    "titles of a catalogue emptied": (set_values("title", lambda values: [""] * len(values), "materials"), "emptied-field 24 of 24 entries of `materials` would be removed", "errors belong to it"),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_an_accident_that_led_to_errors_of_form_is_one_error_that_counts_them(published, name):
    change, said, counted = MALFORMED[name]
    given = office()
    change(given)
    try:
        found = [*put(published, given).build().found], [*published.check().found]
    finally:
        put(published, office())
    for problems in found:
        (error,) = [one for one in problems if one.severity == "error"]
        assert (f"{error.code} {error.message}".startswith(said), counted in error.hint) == (True, True), (
            error
        )


def test_ids_that_moved_are_the_cause_of_all_that_moved(published):
    given = office()
    unplaced(given)
    try:
        (error,) = [one for one in put(published, given).check().found if one.severity == "error"]
    finally:
        put(published, office())
    assert error.hint.startswith("the ids were sorted or moved without the rest of their rows")


def test_columns_in_which_a_letter_was_replaced_everywhere_are_one_error(published):
    given = office()
    for row in given.rows:
        row |= {name: row[name].replace("r", "x") for name in ("name", "address", "about")}
    try:
        found = guarded(put(published, given))
    finally:
        put(published, office())
    assert [one.split(" changed in")[0] for one in found] == ["changed-field `name`, `about` and `address`"]


def test_errors_that_belong_to_an_accident_are_mended_and_shown_one_by_one_where_all_are_asked_for(site, run):
    for name in ("laboratories", "materials", "reviews"):
        site.without(f"data/{name}.csv")
    assert as_lines(site, office()).build().written
    file = site.root / "data/laboratories.jsonl"
    sound = file.read_text()
    file.write_text(re.sub(r'"rating": "(.)\.', r'"rating": "\1,', sound))
    assert "48 errors belong to it" in run("check").stderr
    assert run("check", "--all").stderr.count("error[invalid-number]") == 48 + 30
    assert run("check", "--fix", "--yes").exit_code == 0
    assert file.read_text() == sound


def test_laboratories_whose_names_are_missing_are_not_said_to_be_there_twice(empty):
    nameless = [laboratory(f"{at:05}", locality="Bonn") | {"name": ""} for at in range(1, 4)]
    assert {*codes(empty.sound().write(laboratories=nameless).check())} == {"empty-text"}


def test_errors_of_single_laboratories_are_told_as_they_are(published):
    given = office()
    set_values("email", lambda values: [*values[:3], "x", "y", *values[5:]])(given)
    set_values("name", lambda values: ["", *values[1:]])(given)
    try:
        found = guarded(put(published, given))
    finally:
        put(published, office())
    assert [one.split()[0] for one in found] == ["missing-field", "invalid-email", "invalid-email"]


def test_laboratories_that_could_not_be_read_are_not_said_to_be_removed(empty):
    site = as_files(empty.sound().without_folder("data/laboratories"), office())
    assert site.file("data/site.toml", STATUSES).build().written
    for row in office().rows[:30]:
        site.file(f"data/laboratories/{row['display_id']}.json", "{")
    assert {*codes(site.build())} == {"invalid-json"}


def filled(name: str, make: Callable[[Row], Any]) -> Callable[[Office], None]:
    """Fill a column from the other values of a row."""

    def change(given: Office) -> None:
        for row in given.rows:
            row[name] = make(row)

    return change


def more_laboratories(given: Office) -> None:
    given.rows.extend(office(COUNT + 40).rows[COUNT:])


def laboratories_in_between(given: Office) -> None:
    for at in range(0, COUNT, 3):
        given.rows.insert(at, _row(900 + at, random.Random(at)))


def more_materials(given: Office) -> None:
    given.materials[:0] = [{"id": at, "title": f"Neu {at}"} for at in range(1, 60)]


def one_more_material(given: Office) -> None:
    given.materials.append({"id": 200, "title": "Verbundstoff"})
    for row in given.rows:
        row["materials"] += ";200"


def more_reviews(given: Office) -> None:
    given.reviews.extend([one | {"id": 2, "rating": "4.00"} for one in given.reviews])


def reviews_with_other_ids(given: Office) -> None:
    for at, one in enumerate(given.reviews):
        one["id"] = 900 + at


def renumbered_reviews(given: Office) -> None:
    for one in given.reviews:
        one |= {"id": 5, "rating": "2.50", "text": f"Neu, {one['display_id']}"}


def inevery_of(step: int, name: str, make: Callable[[Any], Any]) -> Callable[[Office], None]:
    def change(given: Office) -> None:
        for row in given.rows[::step]:
            row[name] = make(row[name])

    return change


def people_leave(given: Office) -> None:
    for at in range(0, COUNT, 12):
        given.rows[at] |= {
            "first_name": "Ida",
            "last_name": "Roth",
            "email": f"roth{at}@neu.example",
            "phone": f"040 {at}1234",
        }


def a_few_removed(given: Office) -> None:
    del given.rows[3:8]
    del given.reviews[1:4]


def two_names(given: Office) -> None:
    one, other = given.rows[:2]
    one["name"], other["name"] = other["name"], one["name"]


def in_other_order(given: Office) -> None:
    given.rows.sort(key=lambda row: row["name"])
    given.materials.reverse()


def materials_in_other_order(given: Office) -> None:
    for row in given.rows:
        row["materials"] = ";".join(reversed(row["materials"].split(";")))


def columns_in_other_order(given: Office) -> None:
    given.rows[:] = [dict(reversed(row.items())) for row in given.rows]


def decomposed(given: Office) -> None:
    for row in given.rows:
        row.update({name: normalize("NFD", value) for name, value in row.items()})


HONEST: dict[str, Callable[[Office], None]] = {
    "nothing": lambda _: None,
    "a new column filled": filled("logo", lambda row: f"https://logo.example/{row['display_id']}.png"),
    "a new column of one value filled": filled("stats.projects.label", lambda _: "Projekte"),
    "the gaps of a column filled": filled("rating", lambda row: row["rating"] or "3.00"),
    "laboratories added": more_laboratories,
    "laboratories added in between": laboratories_in_between,
    "a few laboratories removed": a_few_removed,
    "a catalogue grown at its beginning": more_materials,
    "a material for all": one_more_material,
    "a few titles corrected": set_values("title", lambda values: [*values[:3], *(f"{one}." for one in values[3:6]), *values[6:]], "materials"),
    "websites to https": set_values("website", lambda values: [one.replace("http:", "https:") for one in values]),
    "websites without the last slash": set_values("website", lambda values: [one.rstrip("/") for one in values]),
    "e-mails in small letters": set_values("email", lambda values: [one.upper() for one in values]),
    "a country added": lambda given: given.rows.extend(_row(800 + at, random.Random(at)) | {"country": "li", "postal_code": "9490"} for at in range(8)),
    "a status renamed": set_values("deal_status", lambda values: ["gold" if one == "premium" else one for one in values]),
    "a few laboratories with another status": inevery_of(10, "deal_status", lambda one: "basic" if one == "premium" else "premium"),
    "a few e-mails new": inevery_of(12, "email", lambda one: f"neu-{one}"),
    "a few people new": people_leave,
    "a few ratings new": inevery_of(11, "rating", lambda _: "4.44"),
    "phones with other separators": set_values("phone", lambda values: [one.replace(" ", "-") for one in values]),
    "a few dates": inevery_of(10, "published_on", lambda _: "2024-06-01"),
    "a few texts rewritten": inevery_of(11, "about", lambda one: f"{one}\nAuch samstags."),
    "two names exchanged": two_names,
    "five websites closed": emptied("website", among=slice(5)),
    "texts with other line breaks": set_values("about", lambda values: [one.replace("\n", "\r\n") for one in values]),
    "texts with decomposed letters": decomposed,
    "a few laboratories verified": inevery_of(10, "is_verified", lambda _: "true"),
    "rows in another order": in_other_order,
    "materials in another order": materials_in_other_order,
    "columns in another order": columns_in_other_order,
    "reviews added": more_reviews,
    "reviews replaced": renumbered_reviews,
    "reviews with other ids": reviews_with_other_ids,
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_change_passes_without_a_word(published, name):
    given = office()
    HONEST[name](given)
    try:
        outcome = put(published, given).check()
    finally:
        put(published, office())
    assert [one.message for one in outcome.found] == []


def test_a_tenth_of_a_column_is_worth_a_warning_which_the_settings_can_accept(published):
    given = office()
    inevery_of(6, "about", lambda one: f"{one}\nAuch samstags.")(given)
    accepted = '[[accept]]\ncode = "changed-field"\nreason = "texts are written anew all the time"\n'
    try:
        warned = put(published, given).check()
        strict = published.check(is_strict=True)
        silent = published.file("data/site.toml", STATUSES + accepted).check()
    finally:
        put(published, office()).file("data/site.toml", STATUSES)
    message = "`about` changed in 10 of 60 laboratories: 00001, 00007, 00013 and 7 more"
    assert [(one.severity, one.code, one.message) for one in warned.found] == [
        ("warning", "changed-field", message)
    ]
    assert ([one.severity for one in strict.found], list(silent.found)) == (["error"], [])


@pytest.mark.parametrize(("count", "is_told"), [(9, True), (6, False)])
def test_a_third_of_a_column_of_reviews_is_worth_a_warning(published, count, is_told):
    given = office()
    set_values("text", lambda values: [values[-1]] * count + values[count:], "reviews")(given)
    try:
        outcome = put(published, given).check()
    finally:
        put(published, office())
    assert [(one.severity, one.code, one.message.partition(",")[0]) for one in outcome.found] == [
        ("warning", "changed-field", "`reviews.text` changed in 9 of 30 laboratories")
    ] * is_told


@pytest.fixture
def site(published, tmp_path) -> Project:
    """A copy of the published project that a test may build."""
    shutil.copytree(published.root, tmp_path / "verzeichnis")
    return Project(tmp_path / "verzeichnis")


NO_MAIL = [row | {"email": ""} for row in office().rows]


def test_a_build_stops_until_the_change_is_allowed_and_forgets_it_then(site, run):
    before = site.tree()
    put(site, office()._replace(rows=NO_MAIL))
    stopped = run("build")
    assert (stopped.exit_code, site.tree() == before) == (1, True)
    assert "error[emptied-field]: `email` is empty in 60 of 60 laboratories; 60 had a value" in stopped.stderr
    assert (
        "the column is missing, renamed or empty; if it is meant: labgen build --allow-change email"
        in stopped.stderr
    )
    assert run("build").exit_code == 1
    assert run("build", "--allow-change", "phone").exit_code == 1
    assert run("build", "--allow-change", "website,contact_person.email").exit_code == 0
    assert site.tree() != before
    assert "email" not in run("build").stderr


def test_an_allowed_column_allows_no_other_accident(site, run):
    rows = [row | {"email": "", "website": ""} for row in office().rows]
    put(site, office()._replace(rows=rows))
    stopped = run("build", "--allow-change", "email")
    assert (stopped.exit_code, "`website` is empty" in stopped.stderr) == (1, True)


def test_a_column_that_is_not_there_cannot_be_allowed(site, run):
    refused = run("build", "--allow-change", "emial")
    assert (refused.exit_code, 'there is no column "emial"; did you mean `email`?' in refused.stderr) == (
        2,
        True,
    )


def test_a_dry_run_says_that_a_build_would_stop(site, run):
    put(site, office()._replace(rows=NO_MAIL))
    result = run("build", "--dry-run")
    assert (result.exit_code, "emptied-field" in result.stderr, "a build would stop" in result.stderr) == (
        1,
        True,
        True,
    )


def test_a_comparison_shows_the_accident_and_what_it_changed_by_field(site, run):
    put(site, office()._replace(rows=NO_MAIL))
    result = run("diff")
    assert (result.exit_code, "`email` is empty in 60 of 60 laboratories" in result.stderr) == (0, True)
    first = result.stdout.splitlines()[0]
    assert first == "breaking: contact_person.encoded_email: emptied in 60 of 60 laboratories [emptied]"


def test_the_settings_say_how_much_may_change(site):
    given = office()
    emptied("email", among=slice(30))(given)
    limits = "[limits]\nemptied_percent = 60\n"
    outcome = put(site, given).file("data/site.toml", STATUSES + limits).build()
    assert [(one.severity, one.code) for one in outcome.found] == [("warning", "emptied-field")]


def test_what_a_build_warned_of_changes_it_does_not_repeat(site, run):
    given = office()
    inevery_of(6, "about", lambda one: f"{one}\nAuch samstags.")(given)
    put(site, given)
    first, second = run("build"), run("build")
    assert ("changed-field" in first.stderr, "changed-field" in second.stderr) == (True, False)
    given.rows[0]["name"] = "Anders"
    assert "changed-field" not in (put(site, given), run("build"))[1].stderr


def test_another_version_of_the_settings_does_not_forget_what_was(site):
    put(site, office()._replace(rows=NO_MAIL)).file(
        "data/site.toml", STATUSES.replace("Verzeichnis", "Anders")
    )
    assert codes(site.build()) == ["emptied-field"]


def test_few_laboratories_are_not_compared(empty):
    site = empty.sound().write(laboratories=[laboratory(f"{at:05}", about=f"Text {at}") for at in range(19)])
    site.build()
    again = site.write(laboratories=[laboratory(f"{at:05}") for at in range(19)]).build()
    assert (list(again.found), again.notes, again.errors) == ([], (), 0)


def test_a_build_that_has_nothing_to_compare_with_says_so_once(site, run):
    shutil.rmtree(site.root / ".labgen")
    said = "note: no earlier build is remembered here, so the data was compared with nothing"
    put(site, office()._replace(rows=NO_MAIL))
    assert (said in run("build").stderr, said in run("build").stderr) == (True, False)
    put(site, office())
    assert said not in run("build").stderr


def on_a_fresh_machine(site: Project) -> None:
    """Remove what the last build made and remembered."""
    shutil.rmtree(site.root / ".labgen")
    shutil.rmtree(site.out)


@pytest.fixture
def live(published) -> Iterator[str]:
    """The address of the published site."""

    def respond(_method: str, target: str, _fields: dict[str, str]) -> Answer:
        file = published.out / target.lstrip("/")
        return Answer(200, (), file.read_bytes()) if file.is_file() else Answer(404, ())

    with served(respond) as address:
        yield address


@pytest.mark.parametrize("name", ["email emptied", "names one row down", "titles of a catalogue sorted"])
def test_a_fresh_machine_compares_with_what_is_live(site, run, live, name):
    on_a_fresh_machine(site)
    change, said = ACCIDENTS[name]
    given = office()
    change(given)
    put(site, given)
    stopped = run("build", "--against", live)
    assert (stopped.exit_code, site.out.exists()) == (1, False)
    assert said.partition(" ")[2][:30] in stopped.stderr
    put(site, office())
    assert run("build", "--against", f"{live}/").exit_code == 0


def test_a_folder_and_the_file_of_a_manifest_are_compared_with_too(site, run, published):
    on_a_fresh_machine(site)
    put(site, office()._replace(rows=NO_MAIL))
    for against in (published.out, published.out / "manifest/index.json"):
        assert "`email` is empty in 60 of 60" in run("build", "--against", str(against)).stderr
        assert run("check", "--against", str(against)).exit_code == 1
    assert run("build", "--against", str(published.out), "--allow-change", "email").exit_code == 0


def test_another_labgen_which_sees_other_things_in_values_accuses_nobody(site, run, published, monkeypatch):
    monkeypatch.setattr("labgen.memory.fingerprints.VERSION", VERSION + 1)
    monkeypatch.setattr("labgen.pipeline.quick_check.program", lambda: "another")
    put(site, office()._replace(rows=NO_MAIL))
    first = run("build")
    assert (first.exit_code, "the data was compared with nothing" in first.stderr) == (0, True)
    monkeypatch.setattr("labgen.pipeline.published_columns.VERSION", VERSION + 1)
    refused = run("build", "--against", str(published.out))
    assert (refused.exit_code, "leave out --against once" in refused.stderr) == (1, True)


def test_what_went_from_a_live_site_is_noticed_on_a_fresh_machine(site, run, published):
    on_a_fresh_machine(site)
    put(site, office()._replace(rows=office().rows[:20], reviews=[]))
    stopped = run("build", "--against", str(published.out), "--allow-change", "reviews")
    assert (stopped.exit_code, "40 of 60 laboratories would be removed" in stopped.stderr) == (1, True)


def test_what_cannot_be_compared_with_is_an_error_that_says_how_to_go_on(site, run, tmp_path):
    nowhere = run("build", "--against", str(tmp_path / "nowhere"))
    assert (nowhere.exit_code, "for the first publication, leave out --against" in nowhere.stderr) == (
        1,
        True,
    )
    site.file("damaged.json", "{}")
    damaged = run("build", "--against", "damaged.json")
    assert (damaged.exit_code, "cannot be used" in damaged.stderr) == (1, True)
    silent = run("build", "--against", "http://127.0.0.1:9")
    assert (silent.exit_code, "without --against, nothing is compared" in silent.stderr) == (1, True)


def test_a_manifest_is_the_same_whichever_builds_led_to_it(site):
    given = office()
    people_leave(given)
    del given.rows[7]
    given.rows[30]["display_id"] = "00999"
    put(site, given._replace(reviews=[])).build(are_changes_allowed=True)
    warm = site.read("manifest")
    on_a_fresh_machine(site)
    assert (site.build().errors, site.read("manifest") == warm) == (0, True)


def test_a_sample_of_a_large_directory_shows_an_accident():
    rows = {
        f"{at:05}": fingerprint(LaboratoryRecord(**laboratory(f"{at:05}", about=f"Text {at}")))
        for at in range(3000)
    }
    emptied_rows = {
        key: array("I", [one for one in row if one >> POSITION != ABOUT]) for key, row in rows.items()
    }
    chosen = sampled(rows, every_of(len(rows)))
    assert 100 < len(chosen) < SAMPLE * 2
    before = {key: row.tobytes() for key, row in chosen.items()}
    found = find_accidents(
        columns(LaboratoryRecord),
        before,
        {key: row.tobytes() for key, row in emptied_rows.items()},
        Limits(25, 50, 10),
    )
    assert [(one.kind, one.columns) for one in found] == [("emptied-field", ("about",))]


def prints(records: dict[str, Record]) -> dict[str, bytes]:
    return {key: fingerprint(one).tobytes() for key, one in records.items()}


def test_numbers_of_certificates_that_moved_are_noticed_where_laboratories_have_several():
    def certified(moved: int) -> dict[str, Record]:
        return {
            row["display_id"]: LaboratoryRecord.model_validate(
                laboratory(row["display_id"])
                | {
                    "accreditations": [
                        {"id": 10 * at + one, "accreditation_standard": 1, "accreditation_body": "X",
                         "number": f"X {3 * at + one + moved}"}
                        for one in range(3)
                    ]
                }
            )
            for at, row in enumerate(office().rows)
        }  # fmt: skip

    found = find_accidents(
        columns(LaboratoryRecord), prints(certified(0)), prints(certified(1)), Limits(25, 50, 10)
    )
    assert [(one.kind, one.columns, one.is_error) for one in found] == [
        ("changed-field", ("accreditations.number",), True)
    ]


@pytest.mark.parametrize(
    ("moved", "column"),
    [
        (("id", "accreditation_standard", "number"), "accreditations"),
        (("id",), "accreditations.id"),
        (("number",), "accreditations.number"),
    ],
)
def test_entries_that_moved_to_other_laboratories_are_noticed_where_these_have_several(moved, column):
    def certified(by: int) -> dict[str, Record]:
        rows = [
            {"id": at, "accreditation_standard": at % 7, "accreditation_body": "X", "number": f"X {at}"}
            for at in range(120)
        ]
        rotated = [row | {name: rows[(at + by) % 120][name] for name in moved} for at, row in enumerate(rows)]
        owners = [f"{number:05}" for number in range(60) for _ in range(1 + number % 3)]
        own = {
            one: [row for row, owner in zip(rotated, owners, strict=False) if owner == one] for one in owners
        }
        return {
            one: LaboratoryRecord.model_validate(laboratory(one) | {"accreditations": entries})
            for one, entries in own.items()
        }  # fmt: skip

    found = find_accidents(
        columns(LaboratoryRecord), prints(certified(0)), prints(certified(1)), Limits(25, 50, 10)
    )
    assert [(one.kind, one.columns, one.is_error) for one in found] == [("moved-values", (column,), True)]


def test_a_body_that_is_written_out_in_all_certificates_is_no_change():
    def certified(*bodies: str) -> dict[str, Record]:
        certificates = [
            {"id": at, "accreditation_standard": 1, "accreditation_body": bodies[at % 2], "number": f"X {at}"}
            for at in range(120)
        ]
        rows = {f"{at:05}": certificates[at : at + 1 + at % 2] for at in range(60)}
        return {
            one: LaboratoryRecord.model_validate(laboratory(one) | {"accreditations": own})
            for one, own in rows.items()
        }

    before, after = (
        prints(certified("DAkkS", "UKAS")),
        prints(certified("Deutsche Akkreditierungsstelle", "UKAS")),
    )
    assert find_accidents(columns(LaboratoryRecord), before, after, Limits(25, 50, 10)) == []


def test_new_job_listings_with_numbers_that_others_had_are_no_accident():
    def with_jobs(first: int, title: str) -> dict[str, Record]:
        return {
            f"{at:05}": LaboratoryRecord.model_validate(
                laboratory(f"{at:05}")
                | {
                    "job_listings": [
                        {"id": first + at, "title": f"{title} {at}", "published_on": "2024-05-01"}
                    ]
                }
            )
            for at in range(60)
        }

    before, after = prints(with_jobs(1, "Laborant")), prints(with_jobs(11, "Auditorin"))
    assert find_accidents(columns(LaboratoryRecord), before, after, Limits(25, 50, 10)) == []


def test_ratings_of_reviews_in_the_reverse_order_are_an_accident():
    def rated(make: Callable[[int], int]) -> dict[str, Record]:
        return {
            f"{at:05}": LaboratoryRecord.model_validate(
                laboratory(f"{at:05}")
                | {
                    "reviews": [
                        {"id": 1, "rating": f"{make(at % 5)}.00", "created_on": "2024-05-01", "text": str(at)}
                    ]
                }
            )
            for at in range(60)
        }

    before, after = (prints(rated(make)) for make in (lambda rank: 1 + rank, lambda rank: 5 - rank))
    (found,) = find_accidents(columns(LaboratoryRecord), before, after, Limits(25, 50, 10))
    assert (found.columns, found.is_error) == (("reviews.rating",), True)


@pytest.mark.parametrize(("count", "is_found"), [(12, False), (13, True)])
def test_few_values_may_have_new_names_in_all_rows_but_many_were_converted(count, is_found):
    def rated(form: str) -> dict[str, Record]:
        rows = ((f"{at:05}", form.format(100 + at % count)) for at in range(count * 20))
        return {
            one: LaboratoryRecord.model_validate(laboratory(one) | {"address": said}) for one, said in rows
        }

    before, after = prints(rated("Haus {}")), prints(rated("Gebäude {}"))
    found = find_accidents(columns(LaboratoryRecord), before, after, Limits(25, 50, 10))
    assert [one.kind for one in found] == ["changed-field"] * is_found


@pytest.mark.parametrize(("fill", "is_found"), [(lambda at: at - 1, True), (lambda at: at, False)])
def test_gaps_that_took_the_value_of_the_row_above_are_an_accident(fill, is_found):
    def placed(at_gap: Callable[[int], str]) -> dict[str, Record]:
        rows = ((at, f"Haus {at}" if at % 5 else at_gap(at)) for at in range(1, 121))
        return {
            f"{at:05}": LaboratoryRecord.model_validate(laboratory(f"{at:05}") | {"address": said})
            for at, said in rows
        }

    before, after = prints(placed(lambda _: "")), prints(placed(lambda at: f"Haus {fill(at)}"))
    found = find_accidents(columns(LaboratoryRecord), before, after, Limits(25, 50, 10))
    assert [(one.kind, len(one.rows)) for one in found] == [("repeated-value", 24)] * is_found


def test_titles_of_a_short_list_that_were_filled_down_by_one_row_are_noticed():
    titles = [f"Werkstoff {at}" for at in range(4)]
    before, after = (
        prints({str(at): MaterialRecord(id=at, title=title) for at, title in enumerate(some)})
        for some in (titles, [titles[0], *titles[:-1]])
    )
    found = find_accidents(columns(MaterialRecord), before, after, Limits(25, 50, 10), are_few_compared=True)
    assert [one.columns for one in found] == [("title",)]


@pytest.mark.parametrize(
    ("count", "moved", "is_found"), [(6, 6, True), (6, 3, False), (3, 3, True), (2, 2, False)]
)
def test_titles_that_moved_are_noticed_in_short_lists_too(count, moved, is_found):
    titles = [f"Werkstoff {at}" for at in range(count)]
    now = [*titles[1:moved], titles[0], *titles[moved:]]
    before, after = (
        prints({str(at): MaterialRecord(id=at, title=title) for at, title in enumerate(some)})
        for some in (titles, now)
    )
    found = find_accidents(columns(MaterialRecord), before, after, Limits(25, 50, 10), are_few_compared=True)
    assert [one.columns for one in found] == [("title",)] * is_found


def test_letters_that_get_small_or_capital_again_are_no_change():
    titles = [
        ("PRÜFSTELLE AG", "Prüfstelle AG"),
        ("Stahl Gmbh", "Stahl GmbH"),
        ("HOLZ", "Holz"),
        ("glas", "Glas"),
    ]
    before, after = (
        prints(
            {str(at): MaterialRecord(id=at, title=f"{one[which]} {at}") for at, one in enumerate(titles * 6)}
        )
        for which in (0, 1)
    )
    limits = Limits(25, 50, 10)
    assert find_accidents(columns(MaterialRecord), before, after, limits) == []
    [found] = find_accidents(columns(MaterialRecord), after, before, limits)
    assert (found.columns, len(found.rows), found.is_error) == (("title",), 24, True)


ABOUT = 1 + [one.name for one in columns(LaboratoryRecord)].index("about")


def tables_of(given: Office) -> dict[str, list[list[Any]]]:
    """Return the tables as rows, each with its header."""
    named = {"laboratories": given.rows, "materials": given.materials, "reviews": given.reviews}
    return {name: [*csv.reader(io.StringIO(table(rows)))] for name, rows in named.items() if rows}


def as_workbook(site: Project, given: Office) -> Project:
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in tables_of(given).items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    written = io.BytesIO()
    book.save(written)
    return site.file("data/laboratories.xlsx", written.getvalue())


def as_database(site: Project, given: Office) -> Project:
    file = site.root / "data/laboratories.sqlite"
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as database:
        for name, (header, *rows) in tables_of(given).items():
            names = ", ".join(f'"{one}"' for one in header)
            database.execute(f"CREATE TABLE {name} ({names})")
            database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(header))})", rows)
        database.commit()
    return site


def records_of(given: Office) -> Iterator[dict[str, Any]]:
    for row in given.rows:
        record = {name: value for name, value in row.items() if value and name not in HEADERS}
        record["contact_person"] = {name: row[name] for name in HEADERS if row[name]}
        record["is_verified"] = row["is_verified"] == "true"
        record["materials"] = [int(one) for one in row["materials"].split(";") if one]
        own = (one for one in given.reviews if one["display_id"] == row["display_id"])
        yield record | {"reviews": [{name: one[name] for name in one if name != "display_id"} for one in own]}


def as_lines(site: Project, given: Office) -> Project:
    lines = "".join(f"{json.dumps(record)}\n" for record in records_of(given))
    return site.file("data/laboratories.jsonl", lines).write(materials=given.materials)


def as_files(site: Project, given: Office) -> Project:
    return site.write(materials=given.materials, laboratories=[*records_of(given)])


@pytest.mark.parametrize("write", [as_workbook, as_database, as_lines, as_files])
def test_accidents_are_found_in_all_formats(empty, write):
    site = empty.sound().without_folder("data/laboratories").without("data/materials.json")
    assert write(site.file("data/site.toml", STATUSES), office()).build().written
    for name in (
        "email emptied",
        "names one row down",
        "a table of the reviews deleted",
        "titles of a catalogue sorted",
    ):
        change, said = ACCIDENTS[name]
        given = office()
        change(given)
        found = [f"{one.code} {one.message}" for one in write(site, given).build().found]
        assert any(one.startswith(said) for one in found), (name, found)
    assert write(site, office()).build().errors == 0
