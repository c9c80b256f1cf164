"""What a build does for hosts: their files, compressed copies, limits, and what it says of each."""

import gzip
from importlib import import_module
from pathlib import Path

import pytest
import zstandard
from click.testing import CliRunner, Result
from conftest import ALPHA, SITE, Project, codes, laboratory, lines

from labgen.cli import main
from labgen.contract.contract_rows import all_rows
from labgen.contract.http_contract import Level
from labgen.hosts import PROFILES, REFUSED
from labgen.hosts.companions import COMPRESSORS, Companions
from labgen.hosts.preflight import preflight
from labgen.hosts.profile import HOSTS, HostClass, HostSite, Limit, Measure, Profile, results


def run(site: Project, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["build", "-C", str(site.root), *arguments])


def settings(site: Project, text: str) -> Project:
    return site.file("data/site.toml", f"{text}\n{SITE}")


@pytest.mark.parametrize("name", PROFILES)
def test_each_host_gets_its_files_and_no_other_ones_when_it_is_left(site, name):
    plain = site.build().written
    hosted = site.build(hosts=(name,)).written
    assert plain
    assert hosted
    again = site.build().written
    assert again
    assert again.total == plain.total
    assert not (site.out / HOSTS).exists()


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("base_path", ["", "/verzeichnis"])
def test_no_configuration_has_a_name_left_to_fill_in(name, base_path):
    site = HostSite(base_path, "no {method}", b'{"detail":"a"}', b'{"detail":"b"}', (".gz", ".br", ".zst"))
    usable = tuple(one for one in site.copies if one in PROFILES[name].copies)
    for data in PROFILES[name].files(site._replace(copies=usable)).values():
        assert not any(mark in data for mark in (b"@BASE", b"@ID@", b"@METHODS@"))


def test_hosts_may_stand_in_the_settings_and_the_command_takes_their_place(site):
    settings(site, 'hosts = ["nginx"]')
    assert run(site).exit_code == 0
    assert (site.out / HOSTS / "nginx/server.conf").is_file()
    assert run(site, "--host", "caddy").exit_code == 0
    assert not (site.out / HOSTS / "nginx").exists()
    assert (site.out / HOSTS / "caddy").is_dir()


def test_a_second_build_for_the_same_host_writes_nothing(site):
    first = run(site, "--host", "nginx")
    second = run(site, "--host", "nginx")
    assert ": 0 written" not in first.stdout
    assert " 0 written, 0 removed" in second.stdout


def test_a_build_for_another_host_is_the_same_as_a_new_one(site):
    for hosts in (("nginx",), ("caddy", "nginx"), (), ("github-pages",)):
        site.build(hosts=hosts)
        fresh = Project(site.root)
        before = site.tree()
        for path in sorted(site.out.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        fresh.build(hosts=hosts)
        assert fresh.tree() == before


@pytest.mark.parametrize("where", ["settings", "command"])
def test_a_host_that_nobody_knows_is_named_with_the_one_that_was_meant(site, where):
    if where == "settings":
        result = run(settings(site, 'hosts = ["ngnix"]'))
        assert "data/site.toml:1:" in result.stderr
    else:
        result = run(site, "--host", "ngnix")
    assert result.exit_code == (1 if where == "settings" else 2)
    assert "labgen knows no host `ngnix`" in result.stderr
    assert "did you mean nginx?" in result.stderr


@pytest.mark.parametrize("name", REFUSED)
def test_a_host_that_cannot_serve_the_contract_is_refused_with_the_way_out(site, name):
    result = run(site, "--host", name)
    assert result.exit_code == 2
    assert all(text in result.stderr for text in REFUSED[name])
    assert codes(settings(site, f'hosts = ["{name}"]').build()) == ["unknown-host"]


def test_two_hosts_that_need_the_same_file_are_built_apart(site):
    outcome = site.build(hosts=("netlify-rules", "cloudflare-assets"))
    assert codes(outcome) == ["two-hosts"]
    assert not site.out.exists()


def test_a_build_says_what_a_host_cannot_do(site):
    result = run(site, "--host", "github-pages")
    profile = PROFILES["github-pages"]
    assert f"note: {profile.title} {profile.cannot}" in result.stderr
    assert "note:" not in run(site, "--host", "github-pages", "--quiet").stderr


def test_the_hosts_are_listed_as_a_table():
    result = CliRunner().invoke(main, ["hosts"])
    for profile in PROFILES.values():
        assert any(
            line.startswith(profile.name) and profile.host_class in line for line in result.stdout.split("\n")
        )
    assert "azure-static-web-apps: refused" in result.stdout


# Compressed copies.

OPENERS = {
    ".gz": gzip.decompress,
    ".br": import_module("brotli").decompress,
    ".zst": lambda data: zstandard.ZstdDecompressor().decompress(data),
}


def test_copies_are_made_where_the_host_uses_them_and_hold_what_their_originals_hold(site):
    settings(site, 'copies = ["gz", "br", "zst"]').build(hosts=("files",))
    tree = site.tree()
    copies = [name for name in tree if name.endswith(tuple(OPENERS))]
    assert {Path(name).suffix for name in copies} == set(OPENERS)
    for name in copies:
        original, _, suffix = name.rpartition(".")
        assert OPENERS[f".{suffix}"](tree[name]) == tree[original]
        assert len(tree[name]) < len(tree[original])


def test_copies_are_not_made_where_the_host_compresses_itself(site):
    site.build(hosts=("cloudflare",))
    assert not [name for name in site.tree() if name.endswith(".gz")]


@pytest.mark.parametrize(("host", "unused"), [("nginx", "zst"), ("lighttpd", "br"), ("cloudflare", "br")])
def test_copies_that_no_chosen_host_serves_are_warned_of_where_they_are_asked_for(site, host, unused):
    outcome = settings(site, f'copies = ["gz", "{unused}"]').build(hosts=(host,))
    assert lines(outcome) == [f'unused-copies data/site.toml:1:17 "{unused}"']
    assert outcome.problems[0].problem.severity == "warning"
    assert codes(site.build(hosts=(host, "files"))) == []


@pytest.mark.parametrize("name", PROFILES)
def test_the_copies_that_are_made_by_default_are_warned_of_for_no_host(site, name):
    assert codes(site.build(hosts=(name,))) == []


def test_a_copy_that_is_not_smaller_than_its_original_is_not_made():
    companions = Companions([PROFILES["nginx"]], [".gz"])
    assert companions.beside({"a.json": b"[]", "b.json": b"[" + b"1," * 500 + b"1]"}).keys() == {
        "a.json",
        "b.json",
        "b.json.gz",
    }


def test_no_copy_is_left_behind_when_its_original_changes_or_goes(site):
    about = {"about": "Wir prüfen Stahl. " * 50}
    site.write(laboratories=[ALPHA | about]).build(hosts=("nginx",))
    file = "api/v1/laboratory/laboratories/00001/index.json.gz"
    assert file in site.tree()
    site.write(laboratories=[ALPHA | {"about": "Wir prüfen Holz. " * 50}]).build(hosts=("nginx",))
    tree = site.tree()
    assert gzip.decompress(tree[file]) == tree[file.removesuffix(".gz")]
    site.write(laboratories=[laboratory("00002")]).build(hosts=("nginx",))
    assert not [name for name in site.tree() if "00001" in name]


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_equal_bytes_give_equal_copies(suffix):
    data = b"Labor " * 400
    assert COMPRESSORS[suffix](data) == COMPRESSORS[suffix](data)


def test_a_copy_that_cannot_be_made_says_what_to_install(site, monkeypatch):
    monkeypatch.setattr("labgen.hosts.companions.PACKAGES", {".br": "not_installed_here"})
    monkeypatch.setattr("labgen.hosts.choose_hosts.PACKAGES", {".br": "not_installed_here"})
    outcome = settings(site, 'copies = ["br"]').build(hosts=("nginx",))
    assert codes(outcome) == ["missing-package"]
    assert outcome.problems[0].problem.hint == "pip install 'labgen[not_installed_here]'"


# Limits.


def host_with(*limits: Limit) -> Profile:
    return Profile("small", "Small", HostClass.FULL, "", lambda _: {}, limits=limits)


SIZES = [("a/index.json", 10), ("a/api.html", 30), ("b/index.json", 20), ("404.json", 5)]


@pytest.mark.parametrize(
    ("limit", "message", "file"),
    [
        (Limit(Measure.FILES, 3, "take another host: files, nginx"), "4 files are more than Small takes: 3", "out"),
        (Limit(Measure.FILE_SIZE, 29, "take another host: files, nginx"), "30 bytes in one file are more than Small takes: 29", "out/a/api.html"),
        (Limit(Measure.SITE_SIZE, 64, "take another host: files, nginx"), "65 bytes in all files are more than Small takes: 64", "out"),
        (Limit(Measure.FOLDER_FILES, 2, "take another host: files, nginx"), "3 files and folders in one folder are more than Small takes: 2", "out"),
    ],
)  # fmt: skip
def test_what_is_beyond_a_limit_is_said_with_the_number_and_the_limit(limit, message, file):
    (problem,) = preflight([host_with(limit)], SIZES, is_allowed=False)
    assert (problem.message, problem.place.file) == (message, file)
    assert problem.hint == "take another host: files, nginx; `--allow-over-limit` builds all the same"
    assert problem.severity == "error"
    assert preflight([host_with(limit._replace(most=limit.most + 1))], SIZES, is_allowed=False) == []


def test_a_site_beyond_a_limit_is_not_written_unless_that_is_allowed(site, monkeypatch):
    small = PROFILES["nginx"].__class__(
        "nginx",
        "nginx",
        HostClass.FULL,
        "",
        lambda _: {},
        limits=(Limit(Measure.FILES, 10, "take another host: files, nginx"),),
    )
    monkeypatch.setitem(PROFILES, "nginx", small)
    result = run(site, "--host", "nginx")
    assert result.exit_code == 1
    assert "error[over-limit]" in result.stderr
    assert "help: take another host: files, nginx; `--allow-over-limit` builds all the same" in result.stderr
    assert not (site.out / "404.json").exists()
    allowed = run(site, "--host", "nginx", "--allow-over-limit")
    assert (allowed.exit_code, "warning[over-limit]" in allowed.stderr) == (0, True)
    assert run(site, "--host", "nginx").exit_code == 1, "what was allowed once is asked again"


def test_the_limits_of_a_host_are_positive_and_say_what_helps():
    for profile in PROFILES.values():
        for limit in profile.limits:
            assert limit.most > 0
            assert limit.help


def test_a_full_host_that_was_tried_itself_misses_nothing_and_the_others_say_what():
    must = {row.name for row in all_rows(["/"]) if row.level is Level.MUST}
    for profile in PROFILES.values():
        if profile.host_class is HostClass.FULL and "stand-in" not in results()[profile.name].proof:
            assert not profile.failed_rows & must, profile.name
        elif profile.failed_rows & must:
            assert profile.cannot, profile.name
    assert results().keys() == PROFILES.keys()


def test_a_host_that_needs_an_index_in_each_folder_is_built_alone(site):
    assert codes(site.build(hosts=("firebase", "github-pages"))) == ["two-hosts"]
