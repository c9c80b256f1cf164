"""What the data lost by accident does not go from the site without a word."""

import pytest
from conftest import SITE, codes, laboratory

MANY = [laboratory(f"{number:05}") for number in range(60)]


def test_a_build_that_would_remove_many_laboratories_stops_names_them_and_writes_nothing(site):
    site.write(laboratories=MANY).build()
    before = site.tree()
    outcome = site.write(laboratories=MANY[:5]).build()
    assert [one.message for one in outcome.found] == [
        "55 of 60 laboratories would be removed: 00005, 00006, 00007, 00008, 00009 and 50 more"
    ]
    assert codes(outcome) == ["many-removals"]
    assert (outcome.written, site.tree()) == (None, before)


def test_a_table_that_was_cut_is_named_as_the_place(site):
    header = "display_id,name,country,deal_status,verification_status\n"
    rows = [f"{one['display_id']},Labor,de,premium,partner\n" for one in MANY]
    file = "data/laboratories.csv"
    site.without_folder("data/laboratories").file(file, header + "".join(rows)).build()
    outcome = site.file(file, header + "".join(rows[:5])).build()
    assert [(one.code, one.place.file) for one in outcome.found] == [("many-removals", file)]


def test_what_is_meant_to_go_goes_when_it_is_said(site, run):
    site.write(laboratories=MANY).build()
    site.write(laboratories=MANY[:5])
    stopped = run("build")
    assert (stopped.exit_code, "labgen build --allow-removals" in stopped.stderr) == (1, True)
    assert run("build", "--allow-removals").exit_code == 0
    assert len(site.document("laboratories/")["results"]) == 5


@pytest.mark.parametrize(
    ("had", "gone", "is_stopped"), [(60, 6, False), (60, 7, True), (10, 5, False), (10, 6, True)]
)
def test_a_tenth_may_go_and_five_always(site, had, gone, is_stopped):
    site.write(laboratories=MANY[:had]).build()
    outcome = site.write(laboratories=MANY[: had - gone]).build()
    assert (outcome.written is None) is is_stopped


def test_the_settings_say_how_many_may_go(site):
    site.write(laboratories=MANY).file("data/site.toml", SITE + "[limits]\nremoved_percent = 50\n").build()
    assert site.write(laboratories=MANY[:30]).build().written
    assert not site.write(laboratories=MANY[:10]).build().written


def test_pages_of_the_list_are_no_laboratories(site):
    site.write(laboratories=MANY).file("data/site.toml", SITE + "[limits]\npage_size = 2\n").build()
    assert site.file("data/site.toml", SITE).build().written


def test_laboratories_that_only_get_other_files_are_not_removed(site):
    site.write(laboratories=MANY).build()
    text = "".join(f'{{"display_id": "{one["display_id"]}", "name": "A", "country": "de", "deal_status": "premium", "verification_status": "partner"}}\n' for one in MANY)  # fmt: skip
    site.without_folder("data/laboratories").file("data/laboratories.jsonl", text)
    assert not site.build().errors
