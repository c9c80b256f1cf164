"""An audit makes part of a site anew, and finds what builds left old, whatever the reason."""

import pytest
from conftest import ALPHA, BETA, SITE, Project, codes

from labgen.output.units import UnitKind, UnitSample
from labgen.pipeline.audit import audit
from labgen.pipeline.build_options import DEFAULTS
from labgen.pipeline.quick_check import quick_check
from labgen.pipeline.result import Outcome

LAB = "api/v1/laboratory/laboratories"
PACKED = (
    f'hosts = ["cloudflare"]\npacks = ["laboratories"]\nexports = ["jsonl"]\n{SITE}[limits]\npage_size = 1\n'
)


@pytest.fixture
def packed(site: Project) -> Project:
    """A site with files of each kind."""
    site.file("data/site.toml", PACKED)
    site.write(laboratories=[ALPHA | {"materials": [12]}, BETA | {"materials": [12]}]).build()
    return site


def audited(site: Project) -> Outcome:
    built = Outcome(site.root, written=quick_check(site.root, site.out).unchanged_result())
    assert built.written is not None
    return audit(site.root, site.out, built, DEFAULTS, UnitSample(100, seed=1))


@pytest.mark.parametrize(
    "start",
    [
        *(f"{LAB}/00001/index", f"{LAB}/00002/materials/api", f"{LAB}/page/2/"),
        *("search/files/words/", "search/files/cards/", "suche/materials/", "api/packs/"),
        *("laboratories-export/", "openapi", "manifest/0"),
    ],
)
def test_a_file_that_was_changed_but_not_in_size_is_found_and_made_anew(packed, start):
    before = packed.tree()
    name = next(one for one in sorted(before) if one.startswith(start))
    (packed.out / name).write_bytes(bytes(len(before[name])))
    found = audited(packed)
    assert codes(found) == ["stale-output"]
    assert name in found.found[0].message
    assert packed.tree() == before
    assert codes(audited(packed)) == []


def test_a_build_that_forgets_what_an_edit_reaches_is_found(packed, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr("labgen.output.site_folder.SiteFolder.touched", lambda *_: set())
        packed.write(laboratories=[ALPHA | {"materials": [12]}, BETA | {"name": "Neu"}]).build()
    found = audited(packed)
    assert codes(found) == ["stale-output"]
    assert "api/packs/" in found.found[0].message


def test_an_audit_that_finds_nothing_writes_nothing(packed):
    times = {path: path.stat().st_mtime_ns for path in packed.out.rglob("*")}
    assert codes(audited(packed)) == []
    assert {path: path.stat().st_mtime_ns for path in packed.out.rglob("*")} == times


def test_a_sample_has_about_the_share_that_was_asked_for_and_all_of_the_search():
    keys = set(map(str, range(10_000)))
    assert 50 < len(UnitSample(1, seed=3).of(UnitKind.LABORATORY, keys)) < 200
    assert UnitSample(100, seed=3).of(UnitKind.LABORATORY, keys) == keys
    assert UnitSample(1, seed=3).of(UnitKind.LABORATORY, keys) != UnitSample(1, seed=4).of(
        UnitKind.LABORATORY, keys
    )
    assert UnitSample(1, seed=3).of(UnitKind.INDEX, keys) == keys


@pytest.mark.parametrize(
    ("share", "expected"), [("1%", 0), ("0,5", 0), ("100", 0), ("0", 2), ("101%", 2), ("x", 2)]
)
def test_a_share_is_a_number_of_percent(packed, run, share, expected):
    assert run("build", "--audit", share).exit_code == expected


def test_an_audit_and_a_dry_run_do_not_go_together(packed, run):
    assert "--dry-run builds nothing" in run("build", "--audit", "1%", "--dry-run").output
