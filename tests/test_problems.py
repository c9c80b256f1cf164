"""Every kind of mistake, with the place that is shown for it: `code file:line:column text`."""

import os

import pytest
from conftest import ALPHA, BETA, SITE, UPGRADE_OPTIONS, codes, laboratory, line, lines

from labgen.problems.codes import CODES, VERIFY_CODES
from labgen.problems.hints import FEW, closest

LAB = "data/laboratories/00001.json"
CSV = "data/certifications.csv"


def test_each_explanation_has_its_code_as_its_title():
    for codes_, severity in ((CODES, True), (VERIFY_CODES, False)):
        for code, explained in codes_.items():
            title = (codes_.folder / "en" / f"{code}.md").read_text("utf-8").partition("\n")[0]
            assert title == f"# {code}" + (f" ({explained.severity})" if severity else "")


def lab(**fields):
    return {"laboratories": [laboratory("00001", **fields)]}


OPTIONS = "data/upgrade_options.csv"


def options(*rows):
    """Return the files of a project whose upgrade options have these plans, frequencies and billings."""
    lines = ["plan,freq,billing,plan_label,billing_label", *(f"{row},B,1" for row in rows)]
    return {OPTIONS: "\n".join(lines) + "\n", "data/upgrade_options.json": None}


MISTAKES_IN_A_LABORATORY = [
    (lab(name=1860), f"wrong-type {LAB}:3:11 1860"),
    (lab(name=None), f"wrong-type {LAB}:3:11 null"),
    (lab(name=["Alpha"]), f"wrong-type {LAB}:3:11 ["),
    (lab(name=" "), f'empty-text {LAB}:3:11 " "'),
    (lab(name="Al\x07pha"), rf'control-character {LAB}:3:11 "Al\u0007pha"'),
    (lab(name="Alpha\nBeta"), rf'control-character {LAB}:3:11 "Alpha\nBeta"'),
    (lab(about="\x00"), rf'control-character {LAB}:7:12 "\u0000"'),
    (lab(locality="\x96"), f'odd-character {LAB}:7:15 "\x96"'),
    (lab(locality="Prüm\x96"), f'odd-character {LAB}:7:15 "Prüm\x96"'),
    (lab(locality="Bo\u200bnn"), f'invisible-character {LAB}:7:15 "Bo\u200bnn"'),
    (lab(name="PrÃ¼fung"), f'mojibake {LAB}:3:11 "PrÃ¼fung"'),
    (lab(name="Pr&uuml;fung"), f'entity {LAB}:3:11 "Pr&uuml;fung"'),
    (lab(about="<p>Wir</p>"), f'markup {LAB}:7:12 "<p>Wir</p>"'),
    (lab(about="Mail: b@b.example"), f'email-in-text {LAB}:7:12 "Mail: b@b.example"'),
    (lab(adress="Weg 1"), f'unknown-field {LAB}:7:3 "adress"'),
    (lab(contact_person={"mail": "a@b.example"}), f'unknown-field {LAB}:8:5 "mail"'),
    (lab(contact_person={"email": "a at b"}), f'invalid-email {LAB}:8:14 "a at b"'),
    (lab(contact_person={"phone": "keins"}), f'invalid-phone {LAB}:8:14 "keins"'),
    (lab(contact_person=[]), f"wrong-type {LAB}:7:21 ["),
    ({"laboratories": [ALPHA, laboratory("117") | {"display_id": 117}]}, "unquoted-id data/laboratories/117.json:2:17 117"),
    (lab(country="DE"), f'unknown-reference {LAB}:4:14 "DE"'),
    (lab(country="xx"), f'unknown-reference {LAB}:4:14 "xx"'),
    (lab(deal_status="premum"), f'unknown-status {LAB}:5:18 "premum"'),
    (lab(verification_status=""), f'unknown-status {LAB}:6:26 ""'),
    ({"laboratories": [laboratory("00001"), laboratory("2a")]}, 'invalid-id data/laboratories/2a.json:2:17 "2a"'),
    (lab(is_verified="ja"), f'wrong-type {LAB}:7:18 "ja"'),
    (lab(rating="4.567"), f'invalid-number {LAB}:7:13 "4.567"'),
    (lab(rating="4,5"), f'invalid-number {LAB}:7:13 "4,5"'),
    (lab(rating=float("nan")), f"invalid-number {LAB}:7:13 NaN"),
    (lab(website="javascript:alert(1)"), f'invalid-url {LAB}:7:14 "javascript:alert(1)"'),
    (lab(website="https://"), f'invalid-url {LAB}:7:14 "https://"'),
    (lab(website="https://a.example%20/"), f'invalid-url {LAB}:7:14 "https://a.example%20/"'),
    (lab(website="https://a .example/"), f'invalid-url {LAB}:7:14 "https://a .example/"'),
    (lab(website="https://a.example/ b"), f'invalid-url {LAB}:7:14 "https://a.example/ b"'),
    (lab(slug="Prüf Labor"), f'invalid-value {LAB}:7:11 "Prüf Labor"'),
    (lab(materials="12"), f'wrong-type {LAB}:7:16 "12"'),
    (lab(materials=[12, "471"]), f'wrong-type {LAB}:9:5 "471"'),
    (lab(materials=[12, True]), f"wrong-type {LAB}:9:5 true"),
    (lab(materials=[12, -1]), f"invalid-number {LAB}:9:5 -1"),
    (lab(materials=[12, 2**70]), f"invalid-number {LAB}:9:5 {2**70}"),
    (lab(materials=[12, 417]), f"unknown-reference {LAB}:9:5 417"),
    (lab(materials=[12, 471, 12]), f"duplicate-reference {LAB}:10:5 12"),
    (lab(similar_labs=["00003"]), f'unknown-reference {LAB}:8:5 "00003"'),
    (lab(similar_labs=["00001"]), f'unknown-reference {LAB}:8:5 "00001"'),
    (lab(logo="logos/alpha.png"), f'missing-image {LAB}:7:11 "logos/alpha.png"'),
    (lab(gallery=["/etc/passwd"]), f'invalid-path {LAB}:8:5 "/etc/passwd"'),
    (lab(image="../site.toml"), f'invalid-path {LAB}:7:12 "../site.toml"'),
    (lab(image="."), f'invalid-path {LAB}:7:12 "."'),
    (
        lab(about="Mail: a@b.example", contact_person={"email": "a@b.example"}),
        f'contact-in-text {LAB}:7:12 "Mail: a@b.example"',
    ),
    (
        lab(about="Ruf: +49 30 23125-117!", contact_person={"phone": "+49 30 23125-117"}),
        f'contact-in-text {LAB}:7:12 "Ruf: +49 30 23125-117!"',
    ),
    (lab(published_on="2024-02-30"), f'invalid-date {LAB}:7:19 "2024-02-30"'),
    (lab(published_on="1.5.2024"), f'invalid-date {LAB}:7:19 "1.5.2024"'),
    (lab(published_on=20240501), f"invalid-date {LAB}:7:19 20240501"),
    (lab(equipments=[3]), f"missing-file {LAB}:8:5 3"),
    (lab(landings_links=[{"title": "x", "link": "seite.html"}]), f'invalid-url {LAB}:10:15 "seite.html"'),
    (lab(landings_links=[{"title": "x", "link": "//a.example/"}]), f'invalid-url {LAB}:10:15 "//a.example/"'),
    (lab(landings_links=[{"title": "x", "link": "/a b"}]), f'invalid-url {LAB}:10:15 "/a b"'),
    (lab(landings_links=[{"title": "x", "link": "/api/v1/laboratory/laboratories/7/"}]),
     f'dead-link {LAB}:10:15 "/api/v1/laboratory/laboratories/7/"'),
    (lab(resources=[{"id": 1, "title": "x\x96", "url": "/x"}]), f'odd-character {LAB}:10:16 "x\x96"'),
    (lab(resources=[{"id": 1, "title": "x", "url": "/x"}, {"id": 1, "title": "y", "url": "/y"}]), f"duplicate-id {LAB}:14:13 1"),
    (lab(resources=[{"id": 1, "titel": "x", "url": "/x"}]), f'unknown-field {LAB}:10:7 "titel"'),
    (lab(job_listings=[{"id": 1, "title": "x", "published_on": "2024-05-01", "country": "dd"}]), f'unknown-reference {LAB}:12:18 "dd"'),
    (lab(job_listings=[{"id": 1, "title": "x", "published_on": "2024-05-01", "valid_through": "2024-04-30"}]),
     f'reversed-dates {LAB}:12:24 "2024-04-30"'),
    (lab(job_listings=[{"id": 1, "title": "x"}]), f"missing-field {LAB}:8:5 {{"),
    (lab(postal_code=1067), f"postal-code {LAB}:7:18 1067"),
    (lab(postal_code="053111"), f'postal-code {LAB}:7:18 "053111"'),
    (lab(postal_code="O1067"), f'postal-code {LAB}:7:18 "O1067"'),
    (lab(reviews=[{"id": 1, "rating": 4, "created_on": "2024-05-01"}]), f"rating-not-mean {LAB}:7:14 ["),
    (lab(rating=4, reviews=[{"id": 1, "rating": "4.01", "created_on": "2024-05-01"}]), f"rating-not-mean {LAB}:7:13 4"),
    (
        lab(rating=4, reviews=[{"id": 1, "rating": 4, "created_on": "2024-05-01", "text": "a@b.example"}], contact_person={"email": "a@b.example"}),
        f'contact-in-text {LAB}:13:15 "a@b.example"',
    ),
    (lab(rating="4,5", reviews=[{"id": 1, "rating": 4, "created_on": "2024-05-01"}]), f'invalid-number {LAB}:7:13 "4,5"'),
    (lab(rating=4, reviews=[{"id": 1, "rating": "4.567", "created_on": "2024-05-01"}]), f'invalid-number {LAB}:11:17 "4.567"'),
    (
        lab(accreditations=[{"id": 1, "accreditation_standard": 1, "accreditation_body": "", "number": "1"}]),
        f"missing-file {LAB}:10:33 1",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), MISTAKES_IN_A_LABORATORY, ids=lambda value: str(value)[:60])
def test_a_mistake_in_a_laboratory_is_one_problem_at_its_place(site, given, expected):
    outcome = site.write(**given).check()
    assert lines(outcome) == [expected]


def raw(text: str, file: str = LAB) -> dict[str, str | bytes]:
    return {file: text}


GOOD = '{"display_id": "00001", "name": "A", "country": "de", "deal_status": "premium", "verification_status": "partner"'
MISTAKES_IN_FILES = [
    # the bytes
    ({LAB: b""}, f"empty-file {LAB}:1:1"),
    ({LAB: b" \r\n"}, f"empty-file {LAB}:1:1"),
    ({LAB: b"\xef\xbb\xbf" + GOOD.encode() + b"}"}, f"byte-order-mark {LAB}:1:1 {{"),
    ({LAB: GOOD.encode("utf-16") + b"}"}, f"not-utf-8 {LAB}"),
    ({CSV: "id,title\n1,Öl\n2,Pr\xfcfung\n".encode("cp1252")}, f"guessed-encoding {CSV}"),
    ({CSV: "id,title\n1,Öl\n2,Pr".encode() + b"\xfcf"}, f"not-utf-8 {CSV}:3:5 \ufffd"),
    # JSON
    ({LAB: '{\n  "name": "Alpha",\n}'}, f"invalid-json {LAB}:2:18 ,"),
    ({LAB: '{"name": "Alpha" "country": "de"}'}, f'invalid-json {LAB}:1:16 "'),
    ({LAB: "{'name': 1}"}, f"invalid-json {LAB}:1:2 '"),
    ({LAB: '{"name": "Labor "Alpha" GmbH"}'}, f'invalid-json {LAB}:1:17 "'),
    ({LAB: '{"display_id": 00123}'}, f"invalid-json {LAB}:1:16 0"),
    ({LAB: '{"name": "Alpha'}, f'invalid-json {LAB}:1:10 "'),
    ({LAB: "[" * 100_000}, f"invalid-json {LAB}:1:1 ["),
    ({LAB: '{"display_id": ' + "9" * 5000 + "}"}, f"invalid-json {LAB}:1:16 " + "9" * 5000),
    ({LAB: GOOD + ',\n "name": "B"}'}, f'duplicate-key {LAB}:2:2 "name"'),
    ({LAB: GOOD + ',\n "contact_person": {"email": "", "email": ""}}'}, f'duplicate-key {LAB}:2:34 "email"'),
    ({LAB: GOOD + ', "about": "\\ud800"}'}, f'control-character {LAB}:1:124 "\\ud800"'),
    ({LAB: "[]"}, f"wrong-type {LAB}:1:1 ["),
    # JSON Lines
    ({"data/certifications.jsonl": '{"id": 1, "title": "a"}\n\n{"id": 2,}'}, "invalid-json data/certifications.jsonl:3:9 ,"),
    ({"data/certifications.jsonl": '{"id": 1, "title": "a\u2028"}\n{"id": 1, "title": "b"}'},
     "duplicate-id data/certifications.jsonl:2:8 1"),
    # CSV
    ({CSV: "id,title\n1,Öl\n\n2,Holz,Papier\n"}, f"invalid-csv {CSV}:4:1 2,Holz,Papier"),
    ({CSV: 'id,title\n1,"Öl\n'}, f'invalid-csv {CSV}:2:3 "'),
    ({CSV: 'id,title\n1,"Öl"x\n'}, f'invalid-csv {CSV}:2:3 "'),
    ({CSV: 'id,search_val,title\n1,"1","a, b"\nx,,Holz\n'}, f"wrong-type {CSV}:3:1 x"),
    ({CSV: "id;title\n1;a,b\n1;Holz\n"}, f"duplicate-id {CSV}:3:1 1"),
    ({CSV: "id,titel\n1,a\n"}, f"unknown-field {CSV}:1:4 titel"),
    ({CSV: "id,title,id\n1,a,2\n"}, f"duplicate-key {CSV}:1:10 id"),
    ({CSV: "id,title\n1,\n"}, f"missing-field {CSV}:2:3"),
    # YAML
    ({"data/certifications.yaml": "- id: 1\n  title: a\n  titel: b\n"}, "unknown-field data/certifications.yaml:3:3 titel"),
    ({"data/certifications.yaml": "- id: 1\n  title: 7\n"}, "wrong-type data/certifications.yaml:2:10 7"),
    ({"data/certifications.yaml": "- id: 1\n  title: a\n  title: b\n"}, "duplicate-key data/certifications.yaml:3:3 title"),
    ({"data/certifications.yaml": "- &x {id: 1, title: a}\n"}, "invalid-yaml data/certifications.yaml:1:3 &x {"),
    ({"data/certifications.yaml": "- id: 1\n\ttitle: a\n"}, "invalid-yaml data/certifications.yaml:2:1"),
    ({"data/certifications.yaml": "a: !!python/name:os.system x"}, "invalid-yaml data/certifications.yaml:1:4 !!python/name:os.system x"),
    ({"data/certifications.yaml": "a: 1\n---\nb: 1\n"}, "invalid-yaml data/certifications.yaml:2:1 ---"),
    ({"data/certifications.yaml": "title: a\n"}, "wrong-type data/certifications.yaml:1:1 title: a"),
    # settings
    ({"data/site.toml": SITE + "nmae = 1\n"}, "wrong-type data/site.toml:7:8 1"),
    ({"data/site.toml": SITE + '[looks]\ncolour = "#7fb0e0"\n'}, 'low-contrast data/site.toml:8:10 "#7fb0e0"'),
    ({"templates/static/a.svg": "<svg/>", "data/site.toml": SITE + '[looks]\nsocial_picture = "a.svg"\n'}, 'unfit-preview data/site.toml:8:18 "a.svg"'),
    (
        {"data/site.toml": 'language = "rm"\n' + SITE, "templates/languages/rm.toml": '[words]\nskip = "A"\n'},
        "missing-words templates/languages/rm.toml",
    ),
    ({"data/site.toml": 'titel = "x"\n' + SITE}, "unknown-field data/site.toml:1:1 titel"),
    ({"data/site.toml": SITE + '[sections]\nmaterial = "x"\n'}, "unknown-field data/site.toml:8:1 material"),
    ({"data/site.toml": 'publish = ["reviews", "reveiws"]\n' + SITE}, 'unknown-reference data/site.toml:1:23 "reveiws"'),
    ({"data/site.toml": 'publish = "reviews"\n' + SITE}, 'wrong-type data/site.toml:1:11 "reviews"'),
    ({"data/site.toml": "language = de\n" + SITE}, "invalid-toml data/site.toml:1:12 d"),
    ({"data/site.toml": 'language = "xy"\n' + SITE}, 'invalid-value data/site.toml:1:12 "xy"'),
    ({"data/site.toml": 'base_path = "x/"\n' + SITE}, 'invalid-path data/site.toml:1:13 "x/"'),
    ({"data/site.toml": 'base_url = "https://a.example/b"\n' + SITE}, 'invalid-url data/site.toml:1:12 "https://a.example/b"'),
    ({"data/site.toml": 'name = "a"\n[deal_statuses]\npremium = "P"\n'}, "missing-field data/site.toml:1:1 n"),
    # lists
    ({"data/equipments.csv": "id,title,search_val\n1,a,2\n"}, "mismatch data/equipments.csv:2:5 2"),
    ({"data/test_categories.yaml": "- {id: 1, title: a}\n- {id: 1, title: b}\n"}, "duplicate-id data/test_categories.yaml:2:8 1"),
    ({"data/material_categories.jsonl": '{"id": 1}\n'}, "missing-field data/material_categories.jsonl:1:1 {"),
    ({"data/countries.json": '[{"iso_code": "DE", "name": "D"}]'}, 'invalid-country data/countries.json:1:15 "DE"'),
    ({"data/materials.json": '[{"id": 1, "title": "a\\nb"}]'}, 'line-break data/materials.json:1:21 "a\\nb"'),
    ({CSV: "id,title\n2,Öle\n4,O\u0308le\n"}, f"duplicate-title {CSV}:3:3 O\u0308le"),
    ({"data/materials.json": '[{"id": 1, "title": "Stahl"}, {"id": 2, "title": "St\u00adahl"}]'}, 'duplicate-title data/materials.json:1:50 "St\u00adahl"'),
    ({"data/materials.json": '[{"id": 1, "title": "a"}, {"id": 2, "title": "A"}]'}, 'duplicate-title data/materials.json:1:46 "A"'),
    ({"data/standards.json": '[{"id": 1, "title": "a", "search_val": "x"}, {"id": 2, "title": "b", "search_val": "x"}]'},
     'duplicate-search-val data/standards.json:1:84 "x"'),
    ({"data/materials.json": '[{"id": 1, "title": "a", "search_val": "2"}]'}, 'mismatch data/materials.json:1:40 "2"'),
    ({"data/standards.json": '[{"id": 1, "title": "a", "search_val": "1"}]'}, 'search-val-is-id data/standards.json:1:40 "1"'),
    ({"data/standards.json": '[{"id": 1, "title": "a", "search_val": "x", "summary": "<b>x</b>"}]'},
     'markup data/standards.json:1:56 "<b>x</b>"'),
    ({"data/standards.json": '[{"id": 1, "title": "a", "search_val": "x", "summary": "H<sub>2O"}]'},
     'markup data/standards.json:1:56 "H<sub>2O"'),
    ({"data/standards.json": '[{"id": 1, "title": "a", "search_val": "x"},\n{"id": 2, "title": "b", "search_val": "x"}]'},
     'duplicate-search-val data/standards.json:2:39 "x"'),
    ({"data/accreditation_standards.csv": "id,title,search_val,standard\n1,a,x,s\n2,b,x,t\n"}, "duplicate-search-val data/accreditation_standards.csv:3:5 x"),
    (options("business,monthly,", "business,annual,business:a"), f"mismatch {OPTIONS}:3:17 business:a"),
    (options("business,monthly,", "business,annual,", "business,annual,"), f"duplicate-id {OPTIONS}:4:10 annual"),
    (options("business,monthly,", "business,annual,", "business,annual,business:annual"), f"duplicate-id {OPTIONS}:4:17 business:annual"),
    (options("business,monthly,"), f"unusual-option {OPTIONS}:2:1 business"),
    (options("business,monthly,", "business,,"), f"missing-field {OPTIONS}:3:10 ,"),
    (options("business,monthly,", "business,anual,"), f"unusual-option {OPTIONS}:3:10 anual"),
    (options("business,monthly,", "business,annual,", "business,weekly,"), f"unusual-option {OPTIONS}:4:10 weekly"),
    (options("business,monthly,", "business,yearly,"), f"unusual-option {OPTIONS}:3:10 yearly"),
    (options("busines,monthly,", "busines,annual,"), f"unusual-option {OPTIONS}:2:1 busines"),
    (options("business,monthly,", "business,annual,", "pro,annual,"), f"unusual-option {OPTIONS}:4:1 pro"),
    ({"data/certifications.csv": "id,title\n1,a\n", "data/certifications.json": "[]"}, "two-files data/certifications.json"),
    ({"data/laboratories.jsonl": "{}"}, "two-files data/laboratories.jsonl"),
    ({"data/material.csv": "id,title\n"}, "ignored-file data/material.csv"),
    ({"data/laboratories/00003.jsn": "{}"}, "ignored-file data/laboratories/00003.jsn"),
    ({"data/laboratories/copy.json": GOOD + "}"}, 'duplicate-id data/laboratories/copy.json:1:16 "00001"'),
    ({"data/site.toml": SITE + "<<<<<<< HEAD\n"}, "merge-conflict data/site.toml:7:1 <<<<<<<"),
    ({CSV: "id,title\n1,NULL\n"}, f"placeholder {CSV}:2:3 NULL"),
    ({CSV: "id,title\n1,Stahl \n"}, f"outer-space {CSV}:2:3 Stahl"),
    ({"data/certifications.yaml": "- id: 1\n  title: Nr #1\n"}, "yaml-comment data/certifications.yaml:2:13 #1"),
    # templates
    ({"templates/page.html": "\n{% if %}"}, "template-error templates/page.html:2:1 {"),
    ({"templates/page.html": "a\nb {{ page.titel }}"}, "template-error templates/page.html:2:1 b"),
    ({"templates/page.html": "{{ document.name + 1 }}"}, "template-error templates/page.html:1:1 {"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), MISTAKES_IN_FILES, ids=lambda value: str(value)[:70])
def test_a_mistake_in_a_file_is_one_problem_at_its_place(site, files, expected):
    for name, content in files.items():
        site.without(name) if content is None else site.file(name, content)
    assert lines(site.check()) == [expected]


def test_two_recommended_options_are_one_warning(site):
    site.write(upgrade_options=[one | {"recommend": True} for one in UPGRADE_OPTIONS])
    assert lines(site.check()) == ["two-recommended data/upgrade_options.json:1:217 true"]


@pytest.mark.parametrize(
    ("rows", "message", "hint"),
    [
        (["business,monthly,"], "`business` has no annual option, but the specification shows one monthly and one annual (4)", ""),
        (["business,monthly,", "business,anual,"], '`freq` is "anual", but the specification shows `monthly` and `annual` (2.8)', "did you mean `annual`?"),
        (["busines,monthly,", "busines,annual,"], '`plan` is "busines", but the specification shows `business` alone (2.8)', "did you mean `business`?"),
    ],
)  # fmt: skip
def test_an_upgrade_option_that_the_specification_does_not_show_is_a_warning_with_its_clause(
    site, rows, message, hint
):
    for name, content in options(*rows).items():
        site.without(name) if content is None else site.file(name, content)
    (found,) = site.check().problems
    assert (found.problem.message, found.problem.hint, found.problem.severity) == (message, hint, "warning")


def test_a_search_val_that_is_the_id_is_warned_of_with_the_clause(site):
    site.write(standards=[{"id": 7, "title": "a", "search_val": "7"}])
    (found,) = site.check().problems
    assert (
        found.problem.message
        == "`search_val` is the id 7, but in this section it differs from it (specification, 2.7)"
    )


def test_a_search_val_that_several_entries_have_is_one_warning_that_names_them(site):
    site.write(standards=[{"id": one, "title": f"T{one}", "search_val": "x"} for one in (1, 2, 3)])
    (found,) = site.check().found
    assert found.message == '`search_val` is "x" in 3 entries: a search by it finds all of them'
    assert found.hint == "these are the entries 1, 2, 3"


@pytest.mark.parametrize("name", ["site.toml", "upgrade_options.json"])
def test_a_file_that_is_needed_and_missing_is_a_problem(site, name):
    assert lines(site.without(f"data/{name}").check()) == ["missing-file data"]


def test_a_project_without_laboratories_is_a_problem(empty, site):
    for record in (site.root / "data/laboratories").iterdir():
        record.unlink()
    (site.root / "data/laboratories").rmdir()
    assert lines(site.check()) == ["missing-file data"]


def test_a_catalogue_that_is_missing_is_reported_once_however_many_name_it(site):
    site.without("data/materials.json").write(
        laboratories=[ALPHA | {"materials": [1, 2]}, BETA | {"materials": [3]}]
    )
    assert codes(site.check()) == ["missing-file"]


def test_what_names_an_unsound_entry_is_no_second_problem(site):
    site.write(materials=[{"id": 12, "titel": "Stahl"}], laboratories=[ALPHA | {"materials": [12]}])
    assert codes(site.check()) == ["unknown-field"]


def test_what_names_an_entry_of_an_unreadable_list_is_no_second_problem(site):
    site.file("data/materials.json", "[").write(laboratories=[ALPHA | {"materials": [12]}])
    assert codes(site.check()) == ["invalid-json"]


def test_all_problems_of_all_files_are_shown_in_one_run_in_the_order_of_their_places(site):
    site.write(countries=[{"iso_code": "de"}, {"iso_code": "xyz", "name": "X"}])
    site.write(laboratories=[ALPHA | {"name": ""}, BETA | {"materials": [9], "rating": "x"}])
    assert lines(site.check()) == [
        "missing-field data/countries.json:1:2 {",
        'invalid-country data/countries.json:1:35 "xyz"',
        'empty-text data/laboratories/00001.json:3:11 ""',
        "unknown-reference data/laboratories/00002.json:8:5 9",
        'invalid-number data/laboratories/00002.json:10:13 "x"',
    ]


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (lab(materials=[12, 417]), "did you mean 471 (Edelstahl)?"),
        (lab(adress="x"), "did you mean `address`?"),
        (lab(Name="x"), "remove it, or what stands in `name`"),
        (lab(deal_status="premum"), "did you mean `premium` (Premium)?"),
        (lab(country="DE"), 'did you mean "de" (Deutschland)?'),
        (lab(country="ed"), 'did you mean "de" (Deutschland)?'),
        (lab(country="dk"), "correct it, or add the country there"),
        (lab(country="deu"), 'did you mean "de" (Deutschland)?'),
        (lab(similar_labs=["1", "00020"]), None),
        (lab(similar_labs=["2"]), 'did you mean "00002"?'),
        (lab(rating="4,5"), "write a point: 4.5"),
        (lab(website="www.alpha.example"), "did you mean https://www.alpha.example?"),
        (lab(name=1860), 'put it in quotes: "1860"'),
        (lab(materials=["12"]), "write it without quotes: 12"),
        (lab(materials=12), "put it in brackets: [ … ]"),
        (lab(landings_links=[{"title": "x", "link": ""}]), ""),
        (lab(published_on="1.5.2024"), "write 2024-05-01"),
        (lab(materials=["Stahl"]), "write 12, the id of Stahl"),
        (lab(materials=["edelstahl"]), "write 471, the id of Edelstahl"),
        (lab(materials=["Edelstal"]), "write 471, the id of Edelstahl"),
        (lab(materials=["Holz"]), "write an id: data/materials.json lists them"),
        (lab(materials="Stahl; Edelstahl"), "write [12, 471]"),
        (lab(materials="12,471"), "write [12, 471]"),
        (lab(materials="Stahl und Holz"), "put it in brackets: [ … ]"),
        (lab(materials=[{"id": 12, "title": "Stahl"}]), "write its id alone: 12"),
        (lab(deal_status="PREMIUM"), "did you mean `premium` (Premium)?"),
        (lab(deal_status={"id": "premium", "title": "Premium"}), 'write its id alone: "premium"'),
        (lab(country={"iso_code": "de"}), 'write its iso_code alone: "de"'),
        (
            lab(rating=4, reviews=[{"id": 1, "rating": "4.01", "created_on": "2024-05-01"}]),
            "write 4.01",
        ),
    ],
    ids=str,
)
def test_a_hint_says_what_was_probably_meant(site, given, hint):
    problems = site.write(laboratories=[*given["laboratories"], BETA]).check().problems
    assert problems[0].problem.hint == hint or hint is None


def test_a_designation_with_other_digits_is_not_taken_for_a_slip(site):
    steels = [{"id": 1, "title": "1.4310"}, {"id": 2, "title": "1.431"}]
    problems = site.write(materials=steels, laboratories=[ALPHA | {"materials": ["1.4301"]}]).check().problems
    assert problems[0].problem.hint == "write an id: data/materials.json lists them"


UNESCAPED = [
    '{"name": "Labor "Alpha" GmbH"}', '{"na"me": 1}', '{"name": "Rohr 12"", "country": "de"}', '{"name": ""Alpha" sagt"}',
    '{"about": "Die „Prüfung" ist gut"}', '["a "b" c"]',
]  # fmt: skip


@pytest.mark.parametrize("text", UNESCAPED)
def test_a_quote_that_is_not_escaped_is_named_as_such(site, text):
    (found,) = site.file(LAB, text).check().found
    assert found.message == "this quote ends the text, but more of it follows"
    assert found.hint == r"write \" for a quote inside a text"


SYNTAX = [
    ('{"name": "Alpha";}', "a semicolon stands where a comma should be", "write ,"),
    ('{"name": "Alpha",, "country": "de"}', "a comma stands where nothing is before it", "remove the comma"),
    ('{"rating": , "country": "de"}', "a value is missing here", "write null if there is none"),
    ('{"name": Alpha}', "texts stand in double quotes", 'write "Alpha"'),
    ('{name: "Alpha"}', "keys stand in double quotes", 'write "name"'),
    ('{"name": "Alpha,\n "country": "de"}', "a text goes on beyond the end of its line", r'a " is missing, or write \n for a line break'),
    ('{"name": "Al\tpha"}', "a text holds a raw tab", r"write \t"),
    ('{"rating": 4,5}', "a number is written with a point", "write 4.5"),
    ('{"phone": +49}', "JSON does not write a number as +49", "put it in quotes"),
    ('{"rating": .5}', "JSON does not write a number as .5", "write 0.5"),
    ('{"is_verified": True}', "JSON does not know True", "write true"),
    ('{"a": 1}}', "a closing bracket is there twice", "remove it"),
    ('"name": "Alpha"', "the value has ended, but more text follows", "put braces around it: { … }"),
    ('{"a": 1}\n{"a": 2}', "the value has ended, but more text follows", "write one laboratory a file, or one a line of data/laboratories.jsonl"),
    ('{"a": 1 // eins\n}', "JSON has no comments", 'remove it, or write a note: "_note": "…"'),
    ("<!DOCTYPE html><p>502", "this is a page of the web or XML, not JSON", "fetch or export it again"),
    ('{"logo": "logos\\alpha.png"}', "this backslash escapes nothing that JSON knows", r"write \\ for a backslash, / between folder and file"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "hint"), SYNTAX)
def test_a_slip_of_the_syntax_of_json_is_named(site, text, message, hint):
    (found,) = site.file(LAB, text).check().found
    assert (found.message, found.hint) == (message, hint)


def test_a_status_may_be_found_by_its_title(site):
    site.file(
        "data/site.toml", SITE.replace('premium = "Premium"', 'premium = "Premium"\nfree = "Kostenlos"')
    )
    (found,) = site.write(laboratories=[ALPHA | {"deal_status": "kostenlos"}, BETA]).check().found
    assert found.hint == "did you mean `free` (Kostenlos)?"


def test_an_accreditation_standard_may_be_found_by_its_designation(site):
    site.write(
        accreditation_standards=[
            {"id": 5, "title": "Prüflabor", "search_val": "17025", "standard": "DIN EN ISO/IEC 17025:2018"}
        ]
    )
    one = {
        "id": 1,
        "accreditation_standard": "DIN EN ISO/IEC 17025:2018",
        "accreditation_body": "DAkkS",
        "number": "1",
    }
    (found,) = site.write(laboratories=[ALPHA | {"accreditations": [one]}, BETA]).check().found
    assert found.hint == "write 5, the id of Prüflabor"


DATES = [
    ("2024-5-1", "2024-05-01"), ("2024/12/24", "2024-12-24"), ("2024.12.24", "2024-12-24"), ("24.12.2024", "2024-12-24"), ("1. 5. 2024", "2024-05-01"),
    ("2024-05-01T00:00:00", "2024-05-01"), ("2024-05-01 12:30:00+02:00", "2024-05-01"), ("2024-05-01T22:00:00.000Z", "2024-05-01"),
    ("24.12.2024 08:15", "2024-12-24"), ("20240501", "2024-05-01"), (20240501, "2024-05-01"), ("24/12/2024", "2024-12-24"), ("12/24/2024", "2024-12-24"),
    ("01.05.24", "2024-05-01"), ("1. Mai 2024", "2024-05-01"), ("3. März 2024", "2024-03-03"), ("May 1, 2024", "2024-05-01"), ("2024-31-12", "2024-12-31"),
    (" 2024-05-01 ", "2024-05-01"), (45413, "2024-05-01"), ("45413", "2024-05-01"),
    ("05/06/2024", ""), ("Mai 2024", ""), ("bald", ""), (True, ""), ({}, ""), (7, ""), (99999999, ""),
]  # fmt: skip


@pytest.mark.parametrize(("given", "meant"), DATES, ids=str)
def test_the_date_that_was_meant_is_suggested(site, given, meant):
    (found,) = site.write(laboratories=[ALPHA | {"published_on": given}, BETA]).check().found
    assert (found.code, found.hint) == (
        "invalid-date",
        f"write {meant}" if meant else "write year, month and day, such as 2024-05-01",
    )


@pytest.mark.parametrize("given", ["2024-02-30", "30.02.2024", "1.13.2024"])
def test_a_day_that_the_calendar_lacks_is_said_to_be_none(site, given):
    (found,) = site.write(laboratories=[ALPHA | {"published_on": given}, BETA]).check().found
    assert (found.code, found.hint) == ("invalid-date", "the calendar has no such day")


def test_a_link_that_leaves_data_is_a_problem(site, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "certifications.csv"
    outside.write_text("id,title\n1,Geheim\n")
    (site.root / CSV).symlink_to(outside)
    assert lines(site.check()) == [f"outside-data {CSV}"]


def test_a_link_within_data_is_read(site):
    site.file("data/alt/c.csv", "id,title\n1,a\n").write(laboratories=[ALPHA | {"certifications": [1]}])
    (site.root / CSV).symlink_to(site.root / "data/alt/c.csv")
    assert codes(site.check()) == ["ignored-file"]


def test_a_link_to_nothing_or_to_itself_is_a_problem(site):
    (site.root / CSV).symlink_to("nowhere.csv")
    assert lines(site.check()) == [f"unreadable-file {CSV}"]
    (site.root / CSV).unlink()
    (site.root / CSV).symlink_to("certifications.csv")
    assert lines(site.check()) == [f"unreadable-file {CSV}"]


@pytest.mark.parametrize("name", [CSV, "data/site.toml", LAB, "data/laboratories/00009.json"])
def test_a_folder_where_a_file_should_be_is_a_problem(site, name):
    (site.root / name).unlink(missing_ok=True)
    (site.root / name).mkdir()
    assert lines(site.check()) == [f"not-a-file {name}"]


def test_a_pipe_is_a_problem_and_not_waited_for(site):
    os.mkfifo(site.root / CSV)
    assert lines(site.check()) == [f"not-a-file {CSV}"]


def test_an_image_that_is_a_folder_or_a_link_out_of_the_media_is_a_problem(site):
    site.file("data/media/logos.png/alpha.png", b"").write(laboratories=[ALPHA | {"logo": "logos.png"}])
    (site.root / "data/media/site.png").symlink_to(site.root / "data/site.toml")
    assert codes(site.check()) == ["not-a-file"]
    assert codes(site.write(laboratories=[ALPHA | {"logo": "site.png"}]).check()) == ["outside-data"]


def test_a_file_that_may_not_be_read_is_a_problem(open_site):
    (open_site.root / LAB).chmod(0)
    assert lines(open_site.check()) == [f"unreadable-file {LAB}"]


def test_yaml_without_its_package_is_a_problem_with_the_way_out(site, monkeypatch):
    from labgen.formats import yaml_format

    yaml_format._parser.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    outcome = site.file("data/certifications.yaml", "[]").check()
    monkeypatch.undo()
    assert [one.problem.hint for one in outcome.problems] == ["install it: pip install pyyaml"]
    assert codes(outcome) == ["missing-package"]


def test_warnings_become_errors_when_asked(site):
    site.file("data/material.csv", "")
    assert (site.check().errors, site.check(is_strict=True).errors) == (0, 1)


def test_ten_thousand_mistakes_take_no_quadratic_time(site):
    records = [{"id": number, "titel": "x", "search_val": "y"} for number in range(10_000)]
    site.write(standards=records, laboratories=[ALPHA | {"materials": list(range(20_000, 30_000))}])
    outcome = site.check()
    assert len(outcome.problems) == 20_000
    assert line(outcome.problems[0]).startswith("unknown-reference data/laboratories/00001.json:8:5")


def test_every_code_is_explained_and_raised_by_a_test():
    raised = {text.split()[0] for _, text in MISTAKES_IN_A_LABORATORY + MISTAKES_IN_FILES}
    by_themselves = {
        "blocked-content",
        "broken-image",
        "cannot-write",
        "cell-type",
        "certificate-number",
        "changed-field",
        "designation",
        "duplicate-laboratory",
        "emptied-field",
        "ignored-sheet",
        "image-too-large",
        "lost-zeros",
        "many-removals",
        "merged-cells",
        "mislabelled-image",
        "missing-package",
        "moved-values",
        "hidden-rows",
        "not-a-file",
        "outside-data",
        "outside-project",
        "over-limit",
        "repeated-value",
        "unlikely-date",
        "unlikely-phone",
        "unlikely-rating",
        "replaced-standard",
        "shared-certificate",
        "small-image",
        "source-changed",
        "stale-output",
        "too-large",
        "too-many-problems",
        "two-hosts",
        "two-recommended",
        "unused-block",
        "unknown-host",
        "unnamed-column",
        "unpublished-file",
        "unreadable-file",
        "unreadable-table",
        "unused-copies",
        "unused-image",
        "unused-packs",
        "unused-template",
    }
    assert raised | by_themselves == CODES.keys()


def test_of_names_that_are_one_slip_away_that_with_the_same_beginning_is_meant():
    names = ("ax", "de", *(f"name-{number}" for number in range(FEW)))
    assert closest("dx", names) == "de"
    assert closest("xe", names) == "de"
