"""What the data lost by accident does not go from the site without a word."""

import shutil

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
    text = "".join(f'{{"display_id": "{one["display_id"]}", "name": "{one["name"]}", "country": "de", "deal_status": "premium", "verification_status": "partner"}}\n' for one in MANY)  # fmt: skip
    site.without_folder("data/laboratories").file("data/laboratories.jsonl", text)
    assert not site.build().errors


SHORTER = [(1, "1 laboratory", "00001 is now 1"), (15, "15 laboratories", "00001 is now 1, 00002 is now 2, 00003 is now 3, 00004 is now 4, 00005 is now 5 and 10 more")]  # fmt: skip


@pytest.mark.parametrize("is_known", [True, False], ids=["known", "memory lost"])
@pytest.mark.parametrize(("count", "called", "named"), SHORTER)
def test_laboratories_that_come_back_without_their_zeros_stop_a_build(site, count, called, named, is_known):
    header = "display_id,name,country,deal_status,verification_status\n"
    file, rows = "data/laboratories.csv", [f"{one},Labor,de,premium,partner\n" for one in range(1, count + 1)]
    site.without_folder("data/laboratories")
    site.file(file, header + "".join(f"{row.partition(',')[0]:0>5},{row.partition(',')[2]}" for row in rows))
    assert site.build().written
    if not is_known:
        shutil.rmtree(site.root / ".labgen")
    outcome = site.file(file, header + "".join(rows)).build()
    message = f"{called} would get another address, because `display_id` lost its zeros: {named}"
    hint = "format the column as text and write them again, or set `digits = 5` below [tables] in data/site.toml; if that is meant: labgen build --allow-removals"
    assert [(one.code, one.message, one.hint) for one in outcome.found] == [("lost-zeros", message, hint)]
    assert outcome.written is None
    assert site.file("data/site.toml", SITE + "[tables]\ndigits = 5\n").build().written


def test_files_without_the_zeros_of_the_site_stop_a_build_until_it_is_said_that_they_are_meant(site, run):
    site.write(laboratories=[laboratory("00001"), laboratory("00002"), laboratory("3")]).build()
    site.write(laboratories=[laboratory("1"), laboratory("3")])
    stopped = run("build")
    assert (stopped.exit_code, "lost its zeros: 00001 is now 1\n" in stopped.stderr) == (1, True)
    assert "write them again, in quotes; if that is meant: labgen build --allow-removals" in stopped.stderr
    assert run("build", "--allow-removals").exit_code == 0


def test_what_is_removed_beside_a_shorter_number_that_was_there_before_is_only_removed(site):
    site.write(laboratories=[laboratory("00001"), laboratory("1")]).build()
    assert site.write(laboratories=[laboratory("1")]).build().written


CUT = [(MANY[:5], "many-removals", "55 of 60 laboratories would be removed"), ([laboratory(str(int(one["display_id"]))) for one in MANY], "lost-zeros", "lost its zeros")]  # fmt: skip


@pytest.mark.parametrize("is_known", [True, False], ids=["known", "memory lost"])
@pytest.mark.parametrize(("left", "code", "said"), CUT, ids=["cut", "zeros"])
def test_a_check_says_what_a_build_would_refuse_to_remove_from_the_built_site(
    site, run, left, code, said, is_known
):
    site.write(laboratories=MANY).build()
    if not is_known:
        shutil.rmtree(site.root / ".labgen")
    before = site.tree()
    site.write(laboratories=left)
    checked, built = run("check"), run("build")
    assert (checked.exit_code, built.exit_code) == (1, 1)
    assert checked.stderr.partition("\n\n1 error")[0] == built.stderr.partition("\n\n1 error")[0]
    assert (f"error[{code}]" in checked.stderr, said in checked.stderr) == (True, True)
    assert run("check", "--allow-removals").exit_code == 0
    assert site.tree() == before


def test_a_check_compares_with_the_site_that_it_is_told_and_with_none_where_there_is_none(site, run):
    site.write(laboratories=MANY)
    assert run("build", "--out", "elsewhere").exit_code == 0
    site.write(laboratories=MANY[:5])
    assert run("check").exit_code == 0
    assert run("check", "--out", "elsewhere").exit_code == 1
