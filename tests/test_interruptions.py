"""A signal ends a command with the usual exit code, and leaves the site whole and nothing behind."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import ALPHA, BETA, laboratory, picture

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True, scope="module")
def signals_are_not_ignored():
    """Where the tests are started with `nohup`, SIGHUP is ignored, and in the processes that they start, too."""
    had = signal.signal(signal.SIGHUP, lambda *_: None)  # a function: so these get the default
    yield
    signal.signal(signal.SIGHUP, had)


def labgen(site, before: str, *arguments: str, **how) -> "subprocess.CompletedProcess[str]":
    """Run a build in a process that carries out some lines before."""
    code = f"import os, signal, time\n{before}\nfrom labgen.__main__ import run\nrun()"
    command = [sys.executable, "-P", "-c", code, "build", "-C", str(site.root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **how)


def signals_at(place: str, *numbers: int) -> str:
    """Return lines that let a process send itself signals when a function is called."""
    module, _, name = place.rpartition(".")
    return (
        f"def prepare(numbers):\n"
        f"    import {module} as module\n"
        f"    had = module.{name}\n"
        f"    def change(*arguments, **named):\n"
        f"        for number in numbers:\n"
        f"            os.kill(os.getpid(), number)\n"
        f"        return had(*arguments, **named)\n"
        f"    module.{name} = change\n"
        f"prepare({[int(number) for number in numbers]})\n"
    )


STAGING, MOVING, REMOVING = (
    "labgen.output.staged_units.write_all",
    "labgen.output.commit.move_rest",
    "shutil.rmtree",
)


def left_behind(site) -> list[str]:
    """Return what lies in the project that is neither source, site nor memory."""
    found = [path.relative_to(site.root).as_posix() for path in site.root.glob(".labgen/**/*")]
    return [name for name in found if "staging" in name or ".new" in name]


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_while_files_are_moved_waits_for_the_end(site, number):
    site.build()
    site.write(laboratories=[ALPHA | {"name": "Neu"}, BETA])
    done = labgen(site, signals_at(MOVING, number))
    assert (done.returncode, left_behind(site)) == (128 + number, [])
    assert site.document("laboratories/00001/")["name"] == "Neu"
    assert site.build().written.written == ()


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_while_files_are_staged_leaves_the_site_and_nothing_else(site, number):
    site.build()
    before = site.tree()
    site.write(laboratories=[ALPHA | {"name": "Neu"}, BETA])
    done = labgen(site, signals_at(STAGING, number, number))
    assert (done.returncode, left_behind(site)) == (128 + number, [])
    assert done.stderr.splitlines()[-1].startswith("error: interrupted; the site in out/ is whole")
    assert site.tree() == before


def test_a_signal_in_the_first_build_leaves_no_folder(site):
    done = labgen(site, signals_at(STAGING, signal.SIGTERM))
    assert (done.returncode, [path.name for path in site.root.iterdir()]) == (143, ["data"])


@pytest.mark.parametrize(
    ("first", "second", "waits_for"),
    [
        (MOVING, MOVING, "all files of the site are in their places"),
        (STAGING, REMOVING, "what was prepared is removed"),
    ],
)
def test_a_second_signal_says_what_is_waited_for(site, first, second, waits_for):
    site.build()
    site.write(laboratories=[ALPHA | {"name": "Neu"}, BETA])
    done = labgen(site, signals_at(second, signal.SIGTERM, signal.SIGHUP) + signals_at(first, signal.SIGINT))
    assert done.returncode == 130
    assert done.stderr.count(f"labgen ends as soon as {waits_for}\n") >= 2
    assert left_behind(site) == []


def test_a_signal_that_is_ignored_stays_ignored(site):
    ignored = "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    done = labgen(site, ignored + signals_at(MOVING, signal.SIGHUP))
    assert (done.returncode, site.out.is_dir()) == (0, True)


def test_a_signal_before_the_command_is_loaded_and_after_it_is_done_is_no_traceback(site):
    for place in ("gc.disable", "labgen.cli.main"):
        done = labgen(site, signals_at(place, signal.SIGTERM))
        assert (done.returncode, "Traceback" in done.stderr) == (143, False)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found in /proc")
def test_a_signal_to_all_processes_of_a_build_ends_them_all(site, number):
    """As a terminal sends it, and systemd."""
    site.write(laboratories=[laboratory(f"{one:05}", about="x" * 2000) for one in range(2000)])
    command = [sys.executable, "-m", "labgen", "build", "-C", str(site.root), "--jobs", "2"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while process.poll() is None and len(members(process.pid)) < 3:
        time.sleep(0.01)
    os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, members(process.pid), left_behind(site)) == (128 + number, [], [])
    assert errors == "error: interrupted; the site in out/ is whole, as it was or as it was to be\n"


def members(session: int) -> list[int]:
    """Return the processes of a session."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(ProcessLookupError):
            if os.getsid(int(process.name)) == session:
                found.append(int(process.name))
    return found


def test_a_signal_while_pictures_are_made_leaves_no_half_of_one(site):
    records = [laboratory(f"{one:05}", logo=f"{one}.png") for one in range(8)]
    for one in range(8):
        site.file(f"data/media/{one}.png", picture(f"#{one}{one}{one}"))
    unfinished = (
        "from pathlib import Path\n"
        "def rename(*_):\n"
        "    os.kill(os.getppid(), signal.SIGTERM)\n"
        "    time.sleep(60)\n"
        "Path.rename = rename\n"
    )
    done = labgen(site.write(laboratories=records), unfinished, "--jobs", "2")
    assert (done.returncode, left_behind(site)) == (143, [])


def test_a_command_whose_streams_were_closed_does_its_work(site):
    close = "for number in range(3): os.close(number)"
    command = [sys.executable, "-P", "-m", "labgen", "check", "-C", str(site.root)]
    script = f"import os, sys\n{close}\nos.execv(sys.executable, {command!r})"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0
