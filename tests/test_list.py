"""The list of all laboratories, in pages (docs/reference/decisions.md)."""

import json
from itertools import pairwise

import pytest
from conftest import SITE, codes, laboratory

LIST = "api/v1/laboratory/laboratories/"


RECORDS = {f"{number:05}": laboratory(f"{number:05}", name=f"Labor {number}") for number in range(1, 8)}


def write(site, **edits: dict[str, object] | None):
    """Write the laboratories with these edits, by what follows an underscore; None removes one."""
    edited = RECORDS | {name.lstrip("_"): record for name, record in edits.items()}
    return site.write(laboratories=[record for record in edited.values() if record])


@pytest.fixture
def listed(site):
    """Seven laboratories in pages of three."""
    site.file("data/site.toml", f"{SITE}[limits]\npage_size = 3\n")
    write(site).build()
    return site


def page(site, number: int):
    return json.loads(site.read(LIST if number == 1 else f"{LIST}page/{number}/"))


def ids(site, number: int):
    return [one["display_id"] for one in page(site, number)["results"]]


def written(site) -> set[str]:
    return set(site.build().written.written)


def test_all_laboratories_are_listed_in_pages_that_are_linked(listed):
    assert listed.read(f"{LIST}page/2/").decode() == (
        '{"count":7,"next":"/api/v1/laboratory/laboratories/page/3/","previous":"/api/v1/laboratory/laboratories/",'
        '"results":[{"display_id":"00004","name":"Labor 4","image_url":null,"locality":"","country":{"iso_code":"de",'
        '"slug":"deutschland","name":"Deutschland","link":"/land/deutschland/"},"url":"/labor/00004/labor-4/"},'
        + ",".join(
            f'{{"display_id":"0000{number}","name":"Labor {number}","image_url":null,"locality":"",'
            '"country":{"iso_code":"de","slug":"deutschland","name":"Deutschland","link":"/land/deutschland/"},'
            f'"url":"/labor/0000{number}/labor-{number}/"}}' for number in (5, 6)
        )
        + "]}"
    )  # fmt: skip
    pages = [page(listed, number) for number in (1, 2, 3)]
    assert [one["count"] for one in pages] == [7, 7, 7]
    assert pages[0]["previous"] is None
    assert pages[2]["next"] is None
    for (number, before), (following, after) in pairwise(enumerate(pages, 1)):
        assert before["next"] == f"/{LIST}page/{following}/"
        assert after["previous"] == (f"/{LIST}" if number == 1 else f"/{LIST}page/{number}/")
    assert [ids(listed, number) for number in (1, 2, 3)] == [
        ["00001", "00002", "00003"], ["00004", "00005", "00006"], ["00007"],
    ]  # fmt: skip


def test_addresses_of_the_list_follow_the_base_path(listed):
    listed.file("data/site.toml", f'base_path = "/verzeichnis"\n{SITE}[limits]\npage_size = 3\n').build()
    assert page(listed, 1)["next"] == f"/verzeichnis/{LIST}page/2/"
    assert page(listed, 2)["previous"] == f"/verzeichnis/{LIST}"


def test_a_page_of_the_list_links_the_pages_beside_and_each_laboratory(listed):
    text = listed.read(f"{LIST}page/3/", "api.html").decode()
    assert '<a rel="prev" href="../2/api.html">' in text
    assert 'rel="next"' not in text
    assert '<a href="../../00007/api.html">"00007"</a>' in text
    assert "Labore – Seite 3</h1>" in text
    first = listed.read(LIST, "api.html").decode()
    assert '<a rel="next" href="page/2/api.html">' in first
    assert '<a href="00001/api.html">"00001"</a>' in first
    assert '<a rel="prev" href="../../api.html">' in listed.read(f"{LIST}page/2/", "api.html").decode()


def test_an_edit_that_the_list_does_not_show_rewrites_none_of_its_pages(listed):
    write(listed, _00002=RECORDS["00002"] | {"about": "Neu"})
    assert not {name for name in written(listed) if name.removeprefix(LIST).startswith(("page", "index"))}


def test_a_renamed_laboratory_rewrites_the_page_that_shows_it(listed):
    write(listed, _00005=RECORDS["00005"] | {"name": "Anders"})
    pages = {name for name in written(listed) if f"{LIST}page" in name}
    assert pages == {f"{LIST}page/2/index.json", f"{LIST}page/2/api.html"}


def test_an_added_laboratory_moves_those_behind_it_and_a_removed_one_takes_its_page_along(listed):
    more = {f"_{one}": laboratory(one) for one in ("00000", "00008", "00009")}
    write(listed, **more).build()
    assert [ids(listed, number)[0] for number in (1, 2, 3, 4)] == ["00000", "00003", "00006", "00009"]
    outcome = write(listed, **more | {"_00009": None}).build()
    assert {name for name in outcome.written.removed if "page" in name} == {
        f"{LIST}page/4/index.json", f"{LIST}page/4/api.html",
    }  # fmt: skip
    assert page(listed, 3)["next"] is None


def test_a_page_that_was_removed_by_hand_comes_back(listed):
    (listed.out / f"{LIST}page/3/index.json").unlink()
    (listed.out / f"{LIST}page/3/api.html").unlink()
    (listed.out / f"{LIST}page/3").rmdir()
    assert written(listed) == {f"{LIST}page/3/index.json", f"{LIST}page/3/api.html"}


@pytest.mark.parametrize("size", ["0", "1001", '"3"'])
def test_a_size_that_no_page_can_have_is_an_error(site, size):
    site.file("data/site.toml", f"{SITE}[limits]\npage_size = {size}\n")
    assert len(codes(site.build())) == 1
