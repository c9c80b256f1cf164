"""`labgen publish` on a server of S3's protocol and over rsync: what differs is sent, and all is whole at any time."""

import base64
import hashlib
import hmac
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import formatdate
from pathlib import Path
from urllib.request import Request, urlopen

import obstore
import pytest
from click.testing import CliRunner, Result
from conftest import ALPHA, BETA, EXHAUSTIVE, SITE, Project, laboratory, picture
from obstore.store import AzureStore, S3Store
from obstore.store import ObjectStore as ObjectStoreOfLibrary
from publishers import folder_files, needs_rsync, without_marks
from servers import free_port, running

from labgen.cli import main
from labgen.contract.http_contract import IMMUTABLE, PAGE_TYPE, REVALIDATED
from labgen.mirror.plan import Plan, by_rank
from labgen.model.site_paths import MARK, RELEASES
from labgen.output.published_manifest import INDEX
from labgen.publish.object_stores import ObjectStore, publish_error
from labgen.publish.publish import publish
from labgen.publish.target import Names, PublishError

Files = dict[str, bytes]


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[str]:
    """The address of a server that speaks S3's protocol, which the environment names."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("AWS_ENDPOINT", address),
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ALLOW_HTTP", "true"),
        ):
            patch.setenv(name, value)
        try:
            _wait_for(address)
            yield address
        finally:
            process.terminate()
            process.wait()


def _wait_for(address: str) -> None:
    for _ in range(300):
        try:
            with urlopen(f"{address}/moto-api/data.json"):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(address)


@pytest.fixture(scope="module")
def versions(tmp_path_factory) -> list[Project]:
    """A site as it was first; with a new laboratory and picture; and with a laboratory less."""
    site = (
        Project(tmp_path_factory.mktemp("site")).sound().file("data/site.toml", f'hosts = ["nginx"]\n{SITE}')
    )
    last = laboratory("00003")
    found = []
    for number, (colour, laboratories) in enumerate(
        (("red", [ALPHA, BETA]), ("blue", [ALPHA | {"name": "Neu"}, BETA, last]), ("blue", [ALPHA, last]))
    ):
        site.file("data/media/a.png", picture(colour))
        site.write(laboratories=[laboratories[0] | {"image": "a.png"}, *laboratories[1:]]).build()
        copy = tmp_path_factory.mktemp(f"version{number}")
        shutil.copytree(site.root, copy, dirs_exist_ok=True)
        found.append(Project(copy))
    return found


def public(site: Project) -> Files:
    return {
        name: data
        for name, data in site.tree().items()
        if not name.startswith(".") and not name.endswith(".gz")
    }


@pytest.fixture
def bucket(server, request) -> str:
    name = f"b{random.Random(request.node.name).randrange(10**12)}"
    with urlopen(_put(f"{server}/{name}")):
        return name


def _put(address: str) -> Request:
    return Request(address, method="PUT", headers={"Authorization": "AWS4-HMAC-SHA256 Credential=key/20240101/us-east-1/s3/aws4_request"})  # fmt: skip


def held(bucket: str, prefix: str = "") -> Files:
    return held_in(S3Store(bucket, prefix=prefix or None))


def held_in(store: ObjectStoreOfLibrary) -> Files:
    """Return what a store holds, except what is kept of releases."""
    names = [one["path"] for batch in obstore.list(store) for one in batch]
    seen = [name for name in names if not name.startswith(RELEASES)]
    return {name: bytes(obstore.get(store, name).bytes()) for name in seen}


def run(site: Project, target: str, *options: str) -> Result:
    result = CliRunner().invoke(
        main, ["publish", target, "-C", str(site.root), "-o", str(site.out), *options]
    )
    assert isinstance(result.exception, SystemExit | None), result.exception
    return result


def test_a_bucket_gets_what_differs_and_loses_what_is_gone(versions, bucket):
    first, second, third = versions
    target = f"s3://{bucket}/labs"
    assert run(first, target).exit_code == 0
    assert held(bucket, "labs") == public(first)
    assert "0 files sent (0 new, 0 replaced), 0 removed, by 6 requests (" in run(first, target).stdout
    was, now = public(first), public(second)
    store = ObjectStore(target, 4)
    done = publish(second.root, second.out, store)
    parts = {name for name in now if name.startswith("manifest/")}
    assert {*done.plan.new, *done.plan.replaced} == {
        name for name in now if was.get(name) != now[name]
    } - parts
    # the manifest's index twice and its part, what differs, part and index, what is gone by rank; the lease is taken by
    # two requests, listed before four steps, and given back by four
    assert store.requests <= 3 + done.plan.sent + 2 + 3 + 2 + 1 + 1 + 4 + 4
    assert held(bucket, "labs") == now
    assert run(third, target).exit_code == 0
    assert held(bucket, "labs") == public(third)


def test_objects_have_the_header_fields_of_the_site(versions, bucket, server):
    run(versions[0], f"s3://{bucket}")
    picture_name = next(name for name in public(versions[0]) if name.endswith(".webp"))
    for name, media_type, kept in (
        ("api/v1/laboratory/laboratories/00001/index.json", "application/json", REVALIDATED),
        ("api/v1/laboratory/laboratories/00001/api.html", PAGE_TYPE, REVALIDATED),
        (picture_name, "image/webp", IMMUTABLE),
    ):
        attributes = obstore.get(S3Store(bucket), name).attributes
        assert (attributes["Content-Type"], attributes["Cache-Control"]) == (media_type, kept)


class Dying(ObjectStore):
    """A store that is there no more after so many writes and removals, also amid a removal of many."""

    left = 10**9

    def _live(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise PublishError("killed")

    def _put(self, name: str, data: bytes) -> None:
        self._live()
        super()._put(name, data)

    def remove(self, names: Names) -> None:
        self._live()
        super().remove(names[: self.left + 1])
        if len(names) > self.left + 1:
            raise PublishError("killed")


def named_by(data: bytes) -> set[str]:
    """Return the files that a document names: pictures, and pages for people."""
    named = data.decode().split('"')
    return {one[1:] for one in named if one.startswith("/media/")} | {
        f"{one[1:]}index.html" for one in named if one.startswith(("/labor/", "/land/"))
    }


def test_what_a_document_names_is_sent_before_it_and_removed_after_it(versions):
    files = public(versions[1])
    sent = {name: number for number, names in enumerate(by_rank(files)) for name in names}
    removed = {
        name: number for number, names in enumerate(Plan(gone=tuple(files)).removals()) for name in names
    }
    pairs = [
        (one, name)
        for name, data in files.items()
        if name.startswith("api/") and name.endswith("/index.json")
        for one in named_by(data)
    ]
    assert {one.partition("/")[0] for one, _ in pairs} == {"media", "labor", "land"}
    assert [one for one in pairs if sent[one[0]] >= sent[one[1]] or removed[one[0]] <= removed[one[1]]] == []


def require_whole(files: Files, *versions: Files) -> None:
    """Prove that each file is one of a version, and no document lacks its page or its pictures."""
    for name, data in files.items():
        assert name.startswith(MARK) or any(one.get(name) == data for one in versions), name
        if name.startswith("api/") and name.endswith("index.json"):
            assert name.replace("index.json", "api.html") in files
            assert named_by(data) <= files.keys()


def test_a_publication_that_breaks_anywhere_leaves_no_document_alone_and_goes_on(versions, bucket):
    first, second, third = versions
    was, now = public(first), public(second)
    changed = sum(was.get(name) != data for name, data in now.items() if not name.startswith("manifest/"))
    for left in (0, 1, 17, 31, changed + 2, changed + 4, changed + 6)[:: 1 if EXHAUSTIVE else 2]:
        target = f"s3://{bucket}/at{left}"
        publish(first.root, first.out, ObjectStore(target, 8))
        dying = Dying(target, 1)
        dying.left = left
        with pytest.raises(PublishError, match="killed"):
            publish(second.root, second.out, dying)
        require_whole(held(bucket, f"at{left}"), was, now)
        goal = (first, second, third)[left % 3]  # the data may have changed in between
        again = publish(goal.root, goal.out, ObjectStore(target, 8))
        assert held(bucket, f"at{left}") == public(goal)
        if goal is second:
            sent = max(0, min(left - 3, changed))  # two marks are written before, one is removed
            assert (again.before, again.plan.sent) == (sent, changed - sent)


def test_a_killed_process_goes_on_where_it_stopped(versions, bucket):
    first, second, _ = versions
    target = f"s3://{bucket}"
    command = [sys.executable, "-m", "labgen", "publish", target, "-C", str(second.root), "-o", str(second.out), "--connections", "1"]  # fmt: skip
    publish(first.root, first.out, ObjectStore(target, 8))
    for seconds in (0.4, 0.7, 1.0):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
        require_whole(held(bucket), public(first), public(second))
    assert run(second, target).exit_code == 0
    assert held(bucket) == public(second)


def test_a_second_process_is_refused_and_one_that_slept_while_another_took_its_place_notices(
    versions, bucket
):
    first, second, third = versions
    store, target = S3Store(bucket), f"s3://{bucket}"
    run(first, target)
    with started(second, target, "--connections", "1") as asleep:
        while not any(b'"changes"' in data for data in marks_in(store)):
            assert asleep.poll() is None
        asleep.send_signal(signal.SIGSTOP)  # a request of its own may still be under way
        refused = run(third, target)
        assert re.search(
            "error: .*@.* has been publishing to s3://.* since .*: nothing was changed", refused.stderr
        )
        assert refused.exit_code == 1
        require_whole(public_in(store), public(first), public(second))
        assert public(first).keys() <= public_in(store).keys()
        assert run(third, target, "--break-lease").exit_code == 0
        assert held(bucket) == public(third)
        asleep.send_signal(signal.SIGCONT)
        assert "another publication has taken" in asleep.communicate()[1]
        assert asleep.returncode == 1
    assert run(third, target).exit_code == 0
    assert held(bucket) == public(third)


@contextmanager
def started(site: Project, target: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Yield a publication in a process of its own, which ends with the test, also where it sleeps."""
    command = [sys.executable, "-m", "labgen", "publish", target, "-C", str(site.root), "-o", str(site.out)]
    with subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def marks_in(store: ObjectStoreOfLibrary) -> list[bytes]:
    found = []
    for one in obstore.list_with_delimiter(store)["objects"]:
        if one["path"].startswith(MARK):
            with suppress(FileNotFoundError):  # it is replaced by another
                found.append(bytes(obstore.get(store, one["path"]).bytes()))
    return found


def public_in(store: ObjectStoreOfLibrary) -> Files:
    return {name: data for name, data in held_in(store).items() if not name.startswith(MARK)}


def test_a_dry_run_changes_nothing_and_names_what_would_be_done(versions, bucket):
    first, _, third = versions
    run(first, f"s3://{bucket}")
    result = run(third, f"s3://{bucket}", "--dry-run")
    assert "new api/v1/laboratory/laboratories/00003/index.json\n" in result.stdout
    assert "remove api/v1/laboratory/laboratories/00002/index.json\n" in result.stdout
    assert held(bucket) == public(first)


def test_many_removals_change_nothing(versions, bucket):
    first, _, third = versions
    run(first, f"s3://{bucket}")
    result = run(third, f"s3://{bucket}", "--max-deletes", "3")
    assert (result.exit_code, held(bucket)) == (1, public(first))
    assert "files would be removed, and --max-deletes is 3: nothing was changed" in result.stderr


def test_a_bucket_with_other_files_is_left_alone(versions, bucket):
    obstore.put(S3Store(bucket), "thesis.tex", b"x")
    result = run(versions[0], f"s3://{bucket}")
    assert (result.exit_code, held(bucket)) == (1, {"thesis.tex": b"x"})
    assert "--take-over" in result.stderr
    assert run(versions[0], f"s3://{bucket}", "--take-over").exit_code == 0
    assert held(bucket) == public(versions[0]) | {"thesis.tex": b"x"}


def test_a_damaged_manifest_at_the_target_is_found(versions, bucket):
    run(versions[0], f"s3://{bucket}")
    obstore.put(S3Store(bucket), "manifest/0000.json", b"{}")
    result = run(versions[1], f"s3://{bucket}")
    assert "manifest/0000.json is not what its index says" in result.stderr
    assert "--all sends all files anew" in result.stderr
    obstore.put(S3Store(bucket), INDEX, b"<html>")
    assert run(versions[1], f"s3://{bucket}").exit_code == 1
    assert run(versions[1], f"s3://{bucket}", "--all").exit_code == 0
    assert public(versions[1]).items() <= held(bucket).items()


def test_all_sends_what_was_changed_by_hand_and_removes_what_is_gone(versions, bucket):
    first, _, third = versions
    run(first, f"s3://{bucket}")
    obstore.put(S3Store(bucket), "index.html", b"by hand")
    result = run(third, f"s3://{bucket}", "--all")
    assert held(bucket) == public(third)
    assert " 0 removed" not in result.stdout


@needs_rsync
def test_all_removes_what_is_gone_from_a_folder(versions, tmp_path):
    first, _, third = versions
    run(first, f"{tmp_path}/labs")
    (tmp_path / "labs/index.html").write_text("by hand")
    run(third, f"{tmp_path}/labs", "--all")
    assert without_marks(folder_files(tmp_path / "labs")) == third.tree()


@needs_rsync
def test_configurations_of_hosts_that_are_dropped_are_removed_from_a_folder_and_come_back(versions, tmp_path):
    site = Project(shutil.copytree(versions[0].root, tmp_path / "site"))
    trees: list[Files] = []
    for hosts in ('"nginx", "apache"', '"lighttpd"'):
        site.file(
            "data/site.toml", f"hosts = [{hosts}]\n{SITE.replace('Verzeichnis', str(len(trees)))}"
        ).build()
        assert run(site, f"{tmp_path}/labs").exit_code == 0
        trees.append(without_marks(folder_files(tmp_path / "labs")))
        assert trees[-1] == site.tree()
    back = run(site, f"{tmp_path}/labs", "--rollback")
    assert (back.exit_code, back.stderr) == (0, "")
    assert without_marks(folder_files(tmp_path / "labs")) == trees[0]


@needs_rsync
def test_all_leaves_no_old_copy_beside_a_file_whose_copies_are_gone(versions, tmp_path):
    first, _, third = versions
    run(first, f"{tmp_path}/labs")
    (tmp_path / "labs/manifest/index.json").write_text("damaged")
    plain = Project(shutil.copytree(third.root, tmp_path / "plain"))
    plain.file("data/site.toml", f'hosts = ["lighttpd"]\n{SITE}').build()
    assert run(plain, f"{tmp_path}/labs", "--all").exit_code == 0
    assert without_marks(folder_files(tmp_path / "labs")) == plain.tree()
    assert not [*(tmp_path / "labs").rglob("*.gz")]


@needs_rsync
@pytest.mark.parametrize("target", ["labs", "../beside/labs", "./-labs"])
def test_a_new_folder_may_be_named_from_the_current_one(versions, tmp_path, monkeypatch, target):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    result = run(versions[0], target)
    assert (result.exit_code, result.stderr) == (0, "")
    assert (here / target / "index.html").read_bytes() == (versions[0].out / "index.html").read_bytes()


def test_a_target_that_does_not_answer_and_a_site_without_a_manifest_are_sentences(
    versions, tmp_path, server
):
    result = run(versions[0], "s3://no-such-bucket")
    assert (result.exit_code, "Traceback" in result.stderr) == (1, False)
    result = run(Project(tmp_path), f"{tmp_path}/target")
    assert (result.exit_code, "`labgen build` writes it" in result.stderr) == (1, True)


def test_a_target_without_a_name_is_not_the_root_of_the_machine(versions):
    result = run(versions[0], "", "--dry-run", "--take-over")
    assert (result.exit_code, "no target is named" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    "address", ["https://labs.example.org", "ftp://labs.example.org/www", "s4://bucket", "memory:///"]
)
def test_a_target_that_is_no_object_store_is_refused_with_those_that_are(versions, address):
    result = run(versions[0], address)
    assert result.exit_code == 1
    assert f"{address} is neither an object store nor a folder" in result.stderr
    assert "s3://, gs://, az:// or a folder" in result.stderr


@pytest.mark.parametrize("target", ["", "/labs"])
def test_a_site_is_not_published_into_itself(versions, target):
    before = versions[0].tree()
    result = run(versions[0], f"{versions[0].out}{target}")
    assert (result.exit_code, "lies in the site itself" in result.stderr) == (1, True)
    assert versions[0].tree() == before


def test_an_object_store_that_refuses_says_what_is_missing(versions, server):
    result = run(versions[0], "s3://no-such-bucket")
    assert "s3://no-such-bucket: there is no such bucket or container" in result.stderr
    assert "= help: make it first" in result.stderr


@pytest.mark.parametrize(
    ("address", "text", "message", "hint"),
    [
        ("s3://b", "Error performing PUT http://169.254.169.254/latest/api/token", "no credentials", "AWS_ACCESS_KEY_ID"),
        ("gs://b", "Error performing GET http://169.254.169.254/computeMetadata/v1", "no credentials", "GOOGLE_APPLICATION_CREDENTIALS"),
        ("az://c", "Generic MicrosoftAzure error: Account must be specified", "no credentials", "AZURE_STORAGE_ACCOUNT_NAME"),
        ("s3://b", "403 Forbidden: <Error>\n<Code>AccessDenied</Code>", "access is denied", "s3:PutObject"),
    ],
)  # fmt: skip
def test_what_a_store_refuses_is_said_in_words_and_what_helps(address, text, message, hint):
    said = publish_error(address, text)
    assert message in str(said)
    assert hint in said.hint


AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The key of Azurite's account, which is the same everywhere."""


@pytest.fixture
def azure(monkeypatch, tmp_path) -> Iterator[AzureStore]:
    """A container of Azurite, which the environment names."""
    program = Path(os.environ.get("LABGEN_NODE_MODULES", "none")) / ".bin/azurite-blob"
    if not program.exists():
        pytest.skip("LABGEN_NODE_MODULES does not name a node_modules folder with azurite in it")
    port = free_port()
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "devstoreaccount1")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", AZURE_KEY)
    monkeypatch.setenv("AZURE_STORAGE_ENDPOINT", f"http://127.0.0.1:{port}/devstoreaccount1")
    monkeypatch.setenv("AZURE_ALLOW_HTTP", "true")
    options = ["-l", str(tmp_path), "--blobPort", str(port), "--skipApiVersionCheck", "--disableTelemetry"]
    with running([str(program), *options], port, tmp_path / "azurite.log"):
        address = f"http://127.0.0.1:{port}/devstoreaccount1/web?restype=container"
        urlopen(
            signed_for_azure(address, "/devstoreaccount1/devstoreaccount1/web\nrestype:container")
        ).close()
        yield AzureStore("web")


def signed_for_azure(address: str, resource: str) -> Request:
    """Return a request that makes a container; publishing does not make any."""
    date = formatdate(usegmt=True)
    signed = f"PUT{12 * chr(10)}x-ms-date:{date}\nx-ms-version:2021-08-06\n{resource}"
    digest = hmac.new(base64.b64decode(AZURE_KEY), signed.encode(), hashlib.sha256).digest()
    fields = {
        "x-ms-date": date,
        "x-ms-version": "2021-08-06",
        "Authorization": f"SharedKey devstoreaccount1:{base64.b64encode(digest).decode()}",
        "Content-Length": "0",
    }
    return Request(address, method="PUT", headers=fields)


def test_azure_gets_what_differs_and_loses_what_is_gone(versions, azure):
    for site in versions:
        assert run(site, "az://web").exit_code == 0
        assert held_in(azure) == public(site)
    kind = obstore.get(azure, "index.html").attributes["Content-Type"]
    assert kind == PAGE_TYPE
    assert "0 files sent" in run(versions[2], "az://web").stdout


@needs_rsync
def test_a_folder_gets_copies_and_hidden_files_too(versions, tmp_path):
    first, second, third = versions
    target = tmp_path / "srv/labs"
    for site in (first, second, third):
        assert run(site, str(target)).exit_code == 0
        assert without_marks(folder_files(target)) == site.tree()
    assert not (target / "api/v1/laboratory/laboratories/00002").exists()
    assert "0 files sent" in run(third, str(target)).stdout
    (target / "note.txt").write_text("the keeper's own")
    run(first, str(target))
    assert (target / "note.txt").exists()
    assert (target / "index.html").stat().st_mode & 0o777 == 0o644


@needs_rsync
def test_a_server_may_read_what_a_user_with_a_strict_umask_published(versions, tmp_path):
    target = tmp_path / "labs"
    target.mkdir()
    strict = os.umask(0o077)
    try:
        run(versions[0], str(target))
    finally:
        os.umask(strict)
    wrong = [
        path
        for path in target.rglob("*")
        if path.stat().st_mode & 0o555 != (0o555 if path.is_dir() else 0o444)
    ]
    assert not wrong
