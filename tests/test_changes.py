"""`labgen build --dry-run` and `labgen diff` say what would change, by laboratory and field, and what of it breaks clients."""

import json
from errno import ENOSPC

import pytest
from conftest import ALPHA, BETA, MATERIALS, SITE, UPGRADE_OPTIONS, Project, laboratory, picture

from labgen.changes.change import Breaking, Change, Subject
from labgen.changes.compare import compare
from labgen.changes.compare_sites import preview_build
from labgen.changes.documents import Named, Unit
from labgen.changes.meaning import is_other_meaning
from labgen.pipeline.build_options import Options
from labgen.report.changes import detail, render_changes, render_changes_as_markdown

STEEL = {"id": 12, "search_val": "12", "title": "Stahl"}
HEAD = {
    "name": "materials",
    "title": "Materialien",
    "search_arg": "materials__in",
    "limit": 8,
    "hidden_count": 0,
}


def changes(old, new, section="laboratory"):
    """Return what changed in a document of laboratory 1."""
    name = Named("1", section)
    return compare([Unit("1", {name: old}, {name: new})])


def materials(*items, **head):
    return {**HEAD, **head, "items": list(items)}


def breaking(found):
    return [one.breaking for one in found if one.breaking]


# What is compared.


def test_a_field_is_named_with_its_values_before_and_after():
    (found,) = changes({"contact_person": {"position": "a"}}, {"contact_person": {"position": "b"}})
    assert found == Change(Subject("laboratory", "1"), "contact_person.position", "changed", "a", "b")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ({"name": "a", "locality": "b"}, {"name": "a"}, Breaking.FIELD_GONE),
        ({"website": "https://a.example"}, {"website": None}, Breaking.NEW_NULL),
        ({"rating": "4.50"}, {"rating": 4.5}, Breaking.OTHER_TYPE),
        ({"is_verified": True}, {"is_verified": 1}, Breaking.OTHER_TYPE),
        ({"name": "Alpha GmbH", "address": "Weg 1"}, {"name": "Zentrum Beton", "address": "Allee 7"}, Breaking.OTHER_MEANING),
        ([], {}, Breaking.OTHER_TYPE),
    ],
)  # fmt: skip
def test_changes_of_the_contract_are_breaking(old, new, reason):
    assert breaking(changes(old, new)) == [reason]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"website": None}, {"website": "https://a.example"}),
        ({"name": "a"}, {"name": "a", "fax": "b"}),
        ({"name": "Alpha GmbH", "address": "Weg 1"}, {"name": "Zentrum Beton", "address": "Weg 1"}),
        ({"rating": "4.50"}, {"rating": "1.00"}),
    ],
)
def test_what_clients_must_expect_is_not_breaking(old, new):
    found = changes(old, new)
    assert (len(found) > 0, breaking(found)) == (True, [])


def test_an_entry_that_came_is_one_change_and_its_order_another():
    found = changes([{"id": 1}, {"id": 2}], [{"id": 2}, {"id": 1}, {"id": 3}], "resources")
    assert [(one.verb, one.entry) for one in found] == [("added", "3"), ("reordered", "")]


def test_an_entry_that_stands_twice_is_not_lost():
    (found,) = changes([{"id": 1}], [{"id": 1}, {"id": 1}], "resources")
    assert (found.verb, found.entry) == ("added", "1 (2)")


def test_a_certificate_is_the_laboratorys_own_and_its_standard_is_shared():
    old = {"id": 1, "search_val": "17025", "title": "Prüflabor", "standard": "EN 17025:2005", "number": "D-1"}
    new = old | {"standard": "EN 17025:2018", "number": "D-2"}
    shared, own = changes(materials(old), materials(new), "accreditations")
    assert (shared.subject, shared.field) == (Subject("accreditation_standards", "17025"), "standard")
    assert (own.entry, own.part, own.new) == ("1", "number", "D-2")


def test_an_entry_that_many_show_is_one_change_with_their_number():
    name, other = Named("1", "materials"), Named("2", "materials")
    old, new = materials(STEEL), materials(STEEL | {"title": "Beton"})
    (found,) = compare([Unit("1", {name: old}, {name: new}), Unit("2", {other: old}, {other: new})])
    assert (found.subject, found.laboratories) == (Subject("materials", "12"), 2)
    assert found.breaking is Breaking.OTHER_MEANING


def test_the_head_of_a_section_is_said_once_and_another_argument_is_breaking():
    (found,) = changes(materials(limit=8), materials(limit=20), "materials")
    assert (found.subject, found.field, found.breaking) == (Subject("sections", "materials"), "limit", None)
    assert breaking(changes(materials(), materials(search_arg="m"), "materials")) == [Breaking.OTHER_MEANING]


SAME = [
    ("Stal", "Stahl"), ("Edelstahl", "edel-Stahl"), ("EN 10204", "DIN EN 10204"), ("DIN ISO 17025", "DIN EN ISO/IEC 17025"),
    ("Stahl", "Stahl und Eisen"), ("Metalle", "flüssige Metalle"), ("Stähle", "Staehle"), ("Stahl", "Stähle"), ("legierter Stahl", "Legierte Stähle"),
    ("Prüfung", "Prüfungen"), ("Prüfumg von Metall", "Prüfung von Metall"), ("Werkstof", "Werkstoff"), ("Sthal", "Stahl"),
    ("Nicht metallisch", "nichtmetallisch"), ("Détecteur", "Detecteur"), ("Young’s modulus", "Youngs modulus"), ("10204", "EN 10204"),
    ("EN 10204-2", "EN 10204 Teil 2"),
]  # fmt: skip
OPPOSITES = [
    # letters before a word
    ("Wasser", "Abwasser"), ("organische Stoffe", "anorganische Stoffe"), ("metallisch", "nichtmetallisch"), ("legierte Stähle", "unlegierte Stähle"),
    ("Prüfung metallischer Werkstoffe", "Prüfung nichtmetallischer Werkstoffe"), ("aerob", "anaerob"), ("typisch", "atypisch"), ("stabil", "instabil"),
    ("ferrous metals", "nonferrous metals"), ("Metalle", "Nicht-Metalle"), ("statisch", "antistatisch"), ("Mineralisierung", "Demineralisierung"),
    ("Ladung", "Entladung"), ("reversibel", "irreversibel"), ("Infektion", "Desinfektion"), ("Stahl", "Edelstahl"), ("Luft", "Abluft"), ("Leiter", "Halbleiter"),
    # other letters before a word
    ("Belüftung", "Entlüftung"), ("Überdruck", "Unterdruck"), ("Eingangsspannung", "Ausgangsspannung"), ("Aufladung", "Abladung"), ("endotherm", "exotherm"),
    ("Mikroskopie von Stahl", "Makroskopie von Stahl"), ("Warmumformung", "Kaltumformung"), ("Emissionen", "Immissionen"), ("Innendurchmesser", "Außendurchmesser"),
    # words
    ("legierte Stähle", "nicht legierte Stähle"), ("Kunststoffe", "Kunststoffe ohne Halogene"), ("Prüfung mit Dichtung", "Prüfung ohne Dichtung"),
    ("alle Metalle, außer Blei", "alle Metalle, Blei"), ("Farben", "Farben, frei von Blei"), ("vor dem Brand", "nach dem Brand"), ("Stahl", "kein Stahl"),
    # letters within and behind a word
    ("Sulfat", "Sulfit"), ("Sulfit", "Sulfid"), ("Ethan", "Ethen"), ("Zink", "Zinn"), ("Gas", "Glas"), ("Eis", "Eisen"), ("Absorption", "Adsorption"),
    ("hydrophil", "hydrophob"), ("Blei", "bleifrei"), ("Stahl", "Beton"), ("Stahl", "Stahlbeton"), ("鋼", "銅"),
    # numbers, signs and single letters
    ("EN 10204-2", "EN 10204-3"), ("Chrom(VI) in Leder", "Chrom(III) in Leder"), ("Schutzklasse A", "Schutzklasse B"), ("Prüfung bei 20 °C", "Prüfung bei -20 °C"),
    ("pH < 7", "pH > 7"), ("Gehalt in mg/l", "Gehalt in µg/l"), ("Wasser in Öl", "Öl in Wasser"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), SAME)
def test_a_title_that_was_corrected_or_completed_means_the_same(old, new):
    assert (is_other_meaning(old, new), is_other_meaning(new, old)) == (False, False)


@pytest.mark.parametrize(("old", "new"), OPPOSITES)
def test_an_opposite_is_another_meaning_however_few_letters_it_takes(old, new):
    assert (is_other_meaning(old, new), is_other_meaning(new, old)) == (True, True)


def test_documents_of_unknown_shapes_are_compared_too():
    assert changes([1, [2]], [1, [3]], "gallery")
    assert changes(None, [], "materials")
    assert changes({"laboratory": {"business": [1]}}, {"laboratory": 3}, "upgrade_options") == []


# How it is shown.


def test_text_in_markdown_is_no_markup():
    found = changes({"name": "a"}, {"name": "<b>|`@all`\n"})
    assert r"&lt;b>\|\`@&#8203;all\`\\n" in render_changes_as_markdown(found)


def test_long_lists_are_cut_and_all_shows_them():
    units = [
        Unit(f"{n}", {Named(f"{n}", "laboratory"): {"a": 1}}, {Named(f"{n}", "laboratory"): {"a": 2}})
        for n in range(400)
    ]
    found = compare(units)
    shown = ["a: changed in 400 laboratories", *(f"  {n}: a 1 → 2" for n in range(3))]
    counted = "400 laboratories changed, 0 added, 0 removed; nothing is breaking"
    assert render_changes(found).splitlines() == [
        *shown,
        "400 laboratories with nothing else; --all shows every one",
        counted,
    ]
    assert len(render_changes(found, show_all=True).splitlines()) == 405
    apart = [one._replace(field=f"field-{one.subject.key}") for one in found]
    assert "and 350 more; --all shows every one" in render_changes(apart)
    assert len(render_changes_as_markdown(found)) < 65_536


def test_a_field_that_is_emptied_in_all_laboratories_is_one_breaking_line_and_what_else_changed_its_own():
    had = {"contact": {"phone": "1"}, "name": "a"}
    now = {"contact": {"phone": ""}, "name": "a"}
    units = [
        Unit(
            f"{n}",
            {Named(f"{n}", "laboratory"): had},
            {Named(f"{n}", "laboratory"): now | {"name": "b" if n == 7 else "a"}},
        )
        for n in range(10)
    ]
    lines = render_changes(compare(units), total=10).splitlines()
    assert lines[0] == "breaking: contact.phone: emptied in 10 of 10 laboratories [emptied]"
    assert lines[4:] == [
        "7: contact.phone, name",
        "9 laboratories with nothing else; --all shows every one",
        "10 laboratories changed, 0 added, 0 removed; 10 breaking changes",
    ]
    assert "| contact.phone | emptied in 10 laboratories" in render_changes_as_markdown(compare(units))


def test_what_an_edit_moved_in_many_laboratories_does_not_hide_the_edit_in_a_comment():
    keys = [Named(f"{n:03}", "laboratory") for n in range(300)]
    names = {keys[299]: "b"}
    units = [
        Unit(one.laboratory, {one: {"a": 1, "name": "a"}}, {one: {"a": 2, "name": names.get(one, "a")}})
        for one in keys
    ]
    before, _, values = render_changes_as_markdown(compare(units)).partition("<details>")
    assert before.splitlines()[-4:-1] == ["| 299 | a, name |", "", "and 299 laboratories with nothing else"]
    assert values.splitlines()[4] == '| 299 | name "a" → "b" |'


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a" * 60 + "b", "a" * 60 + "c", f'"…{"a" * 20}b" → "…{"a" * 20}c"'),
        ("a" * 58, "a" * 58 + " GmbH", f'"…{"a" * 20}" → "…{"a" * 20} GmbH"'),
        ("b" + "a" * 80, "c" + "a" * 80, f'"b{"a" * 58}…" → "c{"a" * 58}…"'),
        ("a" * 59 + "b", "a" * 59 + "c", f'"{"a" * 59}b" → "{"a" * 59}c"'),
        ("Alpha", "Alpha GmbH", '"Alpha" → "Alpha GmbH"'),
        ("a" * 90, None, f'"{"a" * 59}…" → null'),
    ],
)
def test_of_long_values_the_part_is_shown_that_differs(old, new, expected):
    (found,) = changes({"about": old}, {"about": new})
    assert detail(found) == f"about {expected}"


# The commands.


@pytest.fixture
def edited(site):
    """A built site whose data was edited since."""
    site.write(laboratories=[ALPHA | {"materials": [12], "website": "https://a.example"}, BETA]).build()
    edit = {"name": "Alpha Neu", "materials": [12, 471]}
    return site.write(laboratories=[ALPHA | edit, laboratory("00003", name="Gamma")])


DRY = """\
breaking: 00001: website "https://a.example" → null [new-null]
breaking: 00002: removed ("Beta") [laboratory-gone]
00001: name, logo_url, logo2x_url, url, website, 1 material added
00002: removed
00003: added
1 laboratory changed, 1 added, 1 removed; 2 breaking changes
"""


def test_a_dry_run_says_what_would_change_and_changes_nothing(run, edited):
    before = edited.tree()
    result = run("build", "--dry-run")
    assert result.stdout == DRY
    assert "would be written" in result.stderr
    assert result.exit_code == 0
    assert edited.tree() == before
    assert edited.build().written.written_count > 0


def test_a_dry_run_of_what_is_built_says_that_nothing_would_change(run, site):
    site.build()
    assert run("build", "--dry-run").stdout == "nothing would change\n"


@pytest.mark.parametrize("command", [["build", "--dry-run"], ["diff"], ["verify", "out"]])
def test_what_only_compares_does_not_finish_an_interrupted_build(run, site, monkeypatch, command):
    def full_disk(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    site.write(laboratories=[ALPHA]).build()
    site.write(laboratories=[ALPHA | {"name": "Alpha Neu"}])
    with monkeypatch.context() as context:
        context.setattr("labgen.output.commit.move_rest", full_disk)
        assert "again to finish" in run("build").stderr
    site.write(laboratories=[ALPHA])
    before = site.tree()
    result = run(*command)
    assert (result.exit_code, result.stderr.splitlines()[-2:]) == (
        1,
        [
            "error: out holds a build that was interrupted; nothing in it was changed",
            "  = help: `labgen build` finishes it, and publishes what data/ holds now",
        ],
    )
    assert site.tree() == before
    assert run("build").exit_code == 0
    assert run("build", "--dry-run").stdout == "nothing would change\n"


@pytest.mark.parametrize("is_built", [True, False])
def test_a_dry_run_needs_no_right_to_write(open_site, is_built):
    """With a picture, whose renditions have to be made."""
    lab = ALPHA | {"image": "a.png"}
    open_site.write(laboratories=[lab]).file("data/media/a.png", picture())
    if is_built:
        open_site.build()
        edited = lab | {"name": "Alpha Neu", "logo": "b.png"}
        open_site.write(laboratories=[edited]).file("data/media/b.png", picture("blue"))
    before = open_site.tree() if is_built else None
    folders = [open_site.root, *(path for path in open_site.root.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        preview = preview_build(open_site.root, open_site.out, Options())
    finally:
        for folder in folders:
            folder.chmod(0o755)
    fields = {one.field for one in preview.changes if one.subject.key == "00001"}
    assert ("name" in fields) == is_built
    assert preview.outcome.found == []
    assert (open_site.tree() if is_built else None) == before
    assert open_site.out.exists() == is_built


def test_a_dry_run_says_that_a_build_would_stop(run, site):
    site.write(laboratories=[laboratory(f"{n:05}") for n in range(1, 31)]).build()
    site.write(laboratories=[laboratory(f"{n:05}") for n in range(1, 11)])
    result = run("build", "--dry-run")
    assert ("many-removals" in result.stderr, "a build would stop" in result.stderr) == (True, True)
    assert ("00030: removed" in result.stdout, result.exit_code) == (True, 1)


def test_a_kind_of_change_makes_the_command_fail(run, edited):
    assert run("diff", "--fail-on", "breaking").exit_code == 3
    assert run("build", "--dry-run", "--fail-on", "breaking").exit_code == 3
    assert run("diff", "--fail-on", "laboratory-gone").exit_code == 3
    assert run("diff", "--fail-on", "other-meaning").exit_code == 0
    assert run("build", "--fail-on", "any").exit_code == 2
    edited.write(
        laboratories=[ALPHA | {"materials": [12], "website": "https://a.example", "about": "x"}, BETA]
    )
    assert run("diff", "--fail-on", "breaking").exit_code == 0
    assert run("diff", "--fail-on", "any").exit_code == 3


def test_folders_and_projects_are_compared_in_each_pairing(run, edited, tmp_path_factory):
    other = (
        Project(tmp_path_factory.mktemp("other"))
        .sound()
        .write(laboratories=[ALPHA | {"materials": [12], "website": "https://a.example"}, BETA])
    )
    by_memory = json.loads(run("diff", "--format", "json").stdout)
    assert (by_memory["changed"], by_memory["added"], by_memory["removed"]) == (1, 1, 1)
    for old in (str(edited.out), str(other.root)):
        assert json.loads(run("diff", old, "--format", "json").stdout) == by_memory
        assert json.loads(run("diff", old, ".", "--format", "json").stdout) == by_memory
    assert run("diff", str(other.root), str(edited.out)).stdout == "nothing would change\n"
    assert not other.out.exists()


def test_other_files_of_the_site_are_compared_by_what_they_show(run, site):
    site.build()
    site.file("data/site.toml", SITE + '[sections]\nmaterials = "Werkstoffe"\n')
    site.write(upgrade_options=[UPGRADE_OPTIONS[0] | {"billing_label": "50 €"}])
    text = run("diff", "--values").stdout
    assert '  title "Materialien" → "Werkstoffe", shown by 2 laboratories\n' in text
    assert 'business:monthly.billing_label "49 €" → "50 €"' in text
    assert "site: 1 upgrade option removed, 1 upgrade option changed" in text


def test_a_section_that_goes_for_all_is_said_once(run, site):
    site.write(
        reviews=[], laboratories=[ALPHA | {"resources": [{"id": 1, "title": "Blatt", "url": "/b/"}]}, BETA]
    )
    site.without("data/reviews.json").build()
    site.write(laboratories=[ALPHA, BETA])
    assert (
        "breaking: sections resources: removed, shown by 2 laboratories [document-gone]" in run("diff").stdout
    )


def test_paths_that_go_are_breaking_beside_the_api_too(run, site):
    site.build()
    site.file("data/site.toml", 'directory_path = "/verzeichnis/"\n' + SITE)
    text = run("diff", "--fail-on", "document-gone")
    assert "breaking: path /directory/v1/{catalogue}/: removed [document-gone]" in text.stdout
    assert "path /verzeichnis/laboratories/{display_id}/: added" in text.stdout
    assert text.exit_code == 3
    site.file("data/site.toml", 'directory_path = ""\n' + SITE)
    assert run("diff", "--fail-on", "document-gone").exit_code == 3
    assert run("diff", str(site.out), ".", "--fail-on", "document-gone").exit_code == 3


def test_an_entry_that_no_laboratory_shows_is_compared_by_its_catalogue(run, site):
    wood, glass, sand = (
        MATERIALS[0] | {"id": n, "search_val": str(n), "title": t}
        for n, t in ((90, "Holz"), (91, "Glas"), (92, "Sand"))
    )
    site.write(materials=[*MATERIALS, wood, glass]).build()
    site.write(materials=[*MATERIALS, wood | {"title": "Papier"}, sand])
    for arguments in ([], [str(site.out), "."]):
        text = run("diff", "--values", *arguments).stdout
        assert 'breaking: materials 90: title "Holz" → "Papier" [other-meaning]' in text
        assert 'materials 91: removed\n  removed ("Glas")' in text
        assert 'materials 92: added\n  added ("Sand")' in text


def test_an_entry_that_laboratories_show_is_not_said_twice(run, site):
    site.build()
    site.write(materials=[*MATERIALS, MATERIALS[0] | {"id": 90, "search_val": "90", "title": "Holz"}])
    site.write(laboratories=[ALPHA | {"materials": [12, 90]}, BETA])
    assert "materials 90" not in run("diff").stdout


def test_data_with_errors_and_folders_without_a_site_are_not_compared(run, edited, tmp_path_factory):
    edited.write(materials=[MATERIALS[1]], laboratories=[ALPHA | {"materials": [12]}])
    assert (run("diff").exit_code, run("diff", ".", ".").exit_code) == (1, 1)
    empty = str(tmp_path_factory.mktemp("empty"))
    assert "holds no site" in run("diff", empty, str(edited.out)).stderr
    assert run("diff", "nowhere").exit_code == 2
