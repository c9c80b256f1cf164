"""Input that nobody should write, and somebody will: each a problem or a sentence, soon, and nothing lost."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import ALPHA, BETA, SITE, codes, laboratory, lines

from labgen.checks import contacts
from labgen.model.records import LaboratoryRecord
from labgen.output.errors import OutputError
from labgen.output.file_lists import MARKER

LAB = "data/laboratories/00001.json"
YAML = "data/laboratories/00001.yaml"
GOOD = '{"display_id": "00001", "name": "A", "country": "de", "deal_status": "premium", "verification_status": "partner"'
GOOD_YAML = "display_id: '00001'\nname: A\ncountry: de\ndeal_status: premium\nverification_status: partner\n"


@pytest.fixture
def alone(site):
    """A project whose one laboratory the test writes itself."""
    for path in (site.root / "data/laboratories").iterdir():
        path.unlink()
    return site


HOSTILE_FILES = [
    ({LAB: '{"a": {"x": 1, "x": 2}, oops}'}, f"invalid-json {LAB}:1:25 o"),
    ({LAB: GOOD + ', "[key]": 1}'}, f'unknown-field {LAB}:1:115 "[key]"'),
    ({LAB: GOOD + ', "rating": 4,5}'}, f"invalid-json {LAB}:1:127 5"),
    ({LAB: GOOD + ', "is_verified": True}'}, f"invalid-json {LAB}:1:130 T"),
    ({LAB: GOOD + ', "\\ud800": 1}'}, f'control-character {LAB}:1:115 "\\ud800"'),
    ({YAML: GOOD_YAML + "materials: " + "[" * 600 + "]" * 600}, f"invalid-yaml {YAML}:6:111 ["),
    ({YAML: GOOD_YAML + "materials: " + "[" * 100_000 + "]" * 100_000}, f"invalid-yaml {YAML}:6:111 ["),
    ({YAML: "- " * 100_000}, f"invalid-yaml {YAML}:1:201 -"),
    ({YAML: GOOD_YAML + "materials: &a [*a]\n"}, f"invalid-yaml {YAML}:6:12 &a ["),
    ({YAML: GOOD_YAML + "materials: [!!int foo]\n"}, f"invalid-yaml {YAML}:6:13 !!int foo"),
    ({YAML: GOOD_YAML + "address: &x foo\n"}, f"invalid-yaml {YAML}:6:10 &x foo"),
    ({YAML: GOOD_YAML + "? [a]\n: b\n"}, f"invalid-yaml {YAML}:6:3 ["),
    ({YAML: GOOD_YAML + 'about: "abc\n\n'}, f'invalid-yaml {YAML}:6:8 "'),
    ({YAML: GOOD_YAML + "about: a: b\n"}, f"invalid-yaml {YAML}:6:9 :"),
    ({YAML: GOOD_YAML + "about: a\u2028b\n"}, f"invalid-yaml {YAML}:6:9"),
    ({YAML: GOOD_YAML + 'about: "a\x85b"\n'}, f"invalid-yaml {YAML}:6:10"),
    ({YAML: GOOD_YAML + "materials: [" + "9" * 2000 + "]\n"}, f"invalid-yaml {YAML}:6:13 " + "9" * 2000),
    ({YAML: GOOD_YAML + "is_verified: yes\n"}, f"wrong-type {YAML}:6:14 yes"),
    ({"data/site.toml": "name = 0x" + "F" * 4000 + SITE.replace('name = "Verzeichnis"', "")}, "wrong-type data/site.toml:1:8"),
    ({"data/site.toml": 'limits = {limit = 1, similar_limit = "x"}' + SITE}, 'wrong-type data/site.toml:1:38 "x"'),
    ({"data/site.toml": "a" + ".a" * 20_000 + " = 1\n" + SITE}, "invalid-toml data/site.toml:1:1 a"),
    ({"data/site.toml": SITE + "premium = 1\n[deal_statuses]\n"}, "invalid-toml data/site.toml:8:1 ["),
    ({"data/site.toml": 'base_url = "https://x.example?"\n' + SITE}, 'invalid-url data/site.toml:1:12 "https://x.example?"'),
    ({"data/certifications.csv": "id,title\n1.5,a\n"}, "wrong-type data/certifications.csv:2:1 1.5"),
    ({"data/certifications.csv": "id,title\n2_0,a\n"}, "wrong-type data/certifications.csv:2:1 2_0"),
    ({"data/certifications.csv": "1,a\n2,b\n"}, "missing-field data/certifications.csv:1:1 1,a"),
    ({"data/certifications.csv": "foo,bar\n"}, "missing-field data/certifications.csv:1:1 foo,bar"),
    ({"data/certifications.csv": "\n\nid,title\nx,b\n"}, "wrong-type data/certifications.csv:4:1 x"),
    ({"data/certifications.csv": "id,title,\n1,a,b\n"}, "invalid-csv data/certifications.csv:1:10"),
    ({"data/certifications.csv": "id,title\r1,a\rx,b\r"}, "wrong-type data/certifications.csv:3:1 x"),
    ({"data/certifications.csv": "id,title" + "," * 300_000}, "too-large data/certifications.csv:1:1 id,title" + "," * 300_000),
    ({"data/certifications.csv": "\x00" * 100}, "not-utf-8 data/certifications.csv"),
    ({"data/certifications.csv": "id,title\n1,Stahl\n".encode("utf-16-be")}, "not-utf-8 data/certifications.csv"),
    ({LAB: (GOOD + "}").encode("utf-16-be")}, f"not-utf-8 {LAB}"),
    ({LAB: GOOD + ', "about": "a\x07b"}'}, f"invalid-json {LAB}:1:126 \x07"),
    ({LAB: GOOD + ', "rating": 1e99999999999999999999}'}, f"invalid-json {LAB}:1:125 1e99999999999999999999"),
    ({LAB: GOOD + ', "postal_code": -5}'}, f"wrong-type {LAB}:1:130 -5"),
    ({LAB: GOOD + ', "website": "https://.../"}'}, f'invalid-url {LAB}:1:126 "https://.../"'),
    ({LAB: GOOD + ', "gallery": ["a.png", "a.png"], "logo": "a.png"}'}, f'missing-image {LAB}:1:154 "a.png"'),
    ({"data/site.toml": SITE.replace("premium =", '"a\\nb" = "x"\npremium =')}, 'control-character data/site.toml:4:1 "a\\nb"'),
    ({"data/site.toml": SITE + '"\\U00000061" = 1\n'}, "wrong-type data/site.toml:7:16 1"),
    ({"data/site.toml": "limits.limit = 1e99999999999999999999\n" + SITE}, "invalid-toml data/site.toml:1:1 l"),
    ({"data/certifications.csv": "IDs,title\n1,a\n"}, "unknown-field data/certifications.csv:1:1 IDs"),
    ({"data/certifications.jsonl": '{"id": 1, "title": "a"} {"id": 2, "title": "b"}'}, "invalid-json data/certifications.jsonl:1:25 {"),
    ({"data/site.toml": "limit.limit = 8\n" + SITE}, "unknown-field data/site.toml:1:1 limit.limit"),
    ({"data/site.toml": SITE + "[stat.projects]\n"}, "unknown-field data/site.toml:7:2 stat.projects"),
    ({"data/equipments.xlsx": "PK"}, "unreadable-table data/equipments.xlsx"),
    ({"data/equipments.db": "PK"}, "unreadable-table data/equipments.db"),
    ({"templates/page.html": "{% for a in b %}" * 30 + "{% endfor %}" * 30}, "template-error templates/page.html"),
    ({"templates/page.html": "{{ " + "(" * 3000 + " }}"}, "template-error templates/page.html"),
    ({"templates/page.html": b"\xff"}, "not-utf-8 templates/page.html"),
    ({"templates/page.html": '{% include "none.html" %}'}, "template-error templates/page.html:1:1 {"),
    ({"templates/page.html": '{{ site.static("none.png") }}'}, "template-error templates/page.html:1:1 {"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), HOSTILE_FILES, ids=lambda value: str(value)[:70])
def test_one_mistake_is_one_problem_at_its_place(alone, files, expected):
    if not any(name.startswith("data/laboratories/") for name in files):
        files = files | {LAB: GOOD + "}"}
    for name, content in files.items():
        alone.file(name, content)
    started = time.process_time()
    found = lines(alone.check())
    assert len(found) == 1
    assert found[0].startswith(expected[:200])
    assert time.process_time() - started < 20  # endless is meant, not slow


@pytest.mark.parametrize(
    "files",
    [
        {"data/countries.csv": "iso_code,name\nDE,Deutschland\n"},
        {"data/materials.json": '[{"id": true, "title": "Stahl"}]'},
        {"data/materials.json": '[null, {"id": 471, "title": "Edelstahl"}]'},
        {"data/materials.json": '[{"ID": 12, "title": "Stahl"}]'},
    ],
)  # fmt: skip
def test_what_names_an_entry_whose_key_is_wrong_is_no_second_problem(site, files):
    site.write(laboratories=[ALPHA | {"materials": [12, 471]}, BETA])
    for name, content in files.items():
        (site.root / name).with_suffix(".json").unlink()
        site.file(name, content)
    assert len(site.check().problems) == 1


def test_a_yaml_file_that_would_grow_without_end_is_one_problem(alone):
    laughs = "".join(f"b{n}: &b{n} [{', '.join([f'*b{n - 1}'] * 9)}]\n" for n in range(1, 9))
    alone.file(YAML, GOOD_YAML + "b0: &b0 [x, x, x]\n" + laughs)
    assert set(codes(alone.check())) == {"invalid-yaml"}


def test_work_grows_with_the_data_and_not_faster(alone):
    """Each of these took minutes, or the machine's memory, with an obvious way of doing it."""
    statuses = "".join(f's{n} = "x"\n' for n in range(1000))
    alone.file("data/site.toml", SITE.replace('premium = "Premium"', statuses))
    records = [laboratory(f"{n:05}", deal_status=f"t{n}") for n in range(5000)]
    records[0] |= {"about": "@" + "a" * 300_000, "k" * 1_000_000: 1}
    records[1] |= {"about": "@" + "a" * 300_000, "contact_person": {"email": "a" * 300_000}}
    alone.without_folder("data/laboratories").file(
        "data/laboratories.jsonl", "\n".join(json.dumps(record) for record in records)
    )
    one_line = "[" + ", ".join(f'{{"id": {n}, "id": {n}, "title": ""}}' for n in range(10_000)) + "]\r\n"
    alone.file("data/certifications.json", one_line).file("data/standards.json", "[" * 30_000)
    started = time.process_time()
    outcome = alone.check()
    assert len(outcome.problems) > 20_000
    assert max(len(one.problem.message) for one in outcome.problems) < 300
    assert time.process_time() - started < 60  # work of seconds, whatever else the machine does


@pytest.mark.parametrize(
    "text",
    [
        "labor@alpha.example", "(LABOR@Alpha.Example)", "'labor@alpha.example'", "x=labor@alpha.example/y",
        "https://x.example/?m=labor%40alpha.example", "+49 30 23125-001", "+493023125001", "030 23125-001",
        "+49  30 23125-001", "Tel. 030/23125001.", "0049 30 23125 001", "030 23125-001 (24 Stunden)",
        "https://x.example/?t=030%2023125001", "https://x.example/tel:+4930%2023125-001", "030_23125_001", "030  -  23125001",
        "0 3 0 2 3 1 2 5 0 0 1", "０３０ ２３１２５００１", "%6Cabor@alpha.example", "labor&#64;alpha.example",
        "12345 030 23125-001", "030 23125-001 / 030 23125-002", "030\u202f23125\u2011001", "labor@alpha.example.Bitte",
    ],
)  # fmt: skip
@pytest.mark.parametrize("where", ["own", "other", "catalogue", "settings"])
def test_a_contact_is_published_in_no_spelling_and_nowhere(site, text, where):
    contact = {"email": "labor@alpha.example", "phone": "+49 30 23125-001"}
    alpha = ALPHA | {"contact_person": contact}
    site.write(laboratories=[alpha, BETA])
    match where:
        case "own":
            site.write(laboratories=[alpha | {"about": f"Ruf: {text} gern"}, BETA])
        case "other":
            site.write(laboratories=[alpha, BETA | {"about": f"Ruf: {text} gern"}])
        case "catalogue":
            site.write(standards=[{"id": 1, "search_val": "x", "title": "x", "summary": text}])
        case _:
            site.file("data/site.toml", SITE.replace("Verzeichnis", text))
    assert codes(site.check()) == ["contact-in-text"]


def test_numbers_and_addresses_of_nobody_are_not_taken_for_contacts(site):
    contact = {"email": "labor@alpha.example", "phone": "+49 30 23125-001"}
    text = "DIN 23125, 030 23125-002, 2312-5001 x, beta@alpha.example, labor@alpha.example2"
    site.write(
        laboratories=[ALPHA | {"contact_person": contact, "about": text.replace("labor@alpha.example2", "")}]
    )
    assert codes(site.check()) == ["email-in-text"]


def test_media_that_are_a_link_out_of_the_data_are_not_published(site):
    (site.root / "data/media").symlink_to("/etc")
    records = [record | {"logo": "hostname.png"} for record in (ALPHA, BETA)]
    assert lines(site.write(laboratories=records).check()) == ["outside-data data/media"]


@pytest.mark.parametrize(
    ("named", "hint"),
    [
        ("logos/ALPHA.png", 'did you mean "logos/alpha.png"?'),
        ("media/logos/alpha.png", 'did you mean "logos/alpha.png"?'),
        ("lo\u0308we.png", 'did you mean "löwe.png", whose letters are composed of other characters?'),
        ("logos/beta.png", ""),
    ],
)
def test_an_image_under_another_spelling_is_hinted_at(site, named, hint):
    site.file("data/media/logos/alpha.png", b"").file("data/media/löwe.png", b"")
    (problem,) = site.write(laboratories=[ALPHA | {"logo": named}]).check().problems
    assert problem.problem.hint == hint


def test_hidden_files_among_the_laboratories_are_passed_over(site):
    for name in ("._00001.json", ".00003.json", "00001.json~", "00001.json.bak"):
        site.file(f"data/laboratories/{name}", "?")
    (site.root / "data/laboratories/.#00001.json").symlink_to("nowhere")
    assert codes(site.check()) == []


def test_a_folder_without_laboratories_does_not_publish_an_empty_site(site):
    site.build()
    before = site.tree()
    assert codes(site.write(laboratories=[]).build()) == ["missing-file"]
    assert site.tree() == before


def test_names_that_are_not_utf_8_are_problems_in_every_format(site):
    root = os.fsencode(site.root)
    for raw in (b"data/mat\xff.csv", b"data/laboratories/\xff.json", b"templates/static/\xff.css"):
        os.makedirs(os.path.dirname(root + b"/" + raw), exist_ok=True)  # noqa: PTH103, PTH120
        with open(root + b"/" + raw, "wb"):  # noqa: PTH123
            pass
    for name in ("text", "json", "github", "sarif"):
        done = labgen(site, "check", "--format", name, "--strict")
        assert (done.returncode, "Traceback" in done.stderr) == (1, False)
        assert "\\xff" in done.stdout + done.stderr or "%5Cxff" in done.stdout or "\\\\xff" in done.stdout


def labgen(site, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {
        "PATH": os.environ["PATH"],
        "LABGEN_LANG": "en",
        "LC_ALL": "C",
        "PYTHONIOENCODING": "ascii",
        **environment,
    }
    command = [sys.executable, "-m", "labgen", *arguments]
    return subprocess.run(
        command, cwd=site.root, env=variables, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("name", [MARKER, f"{MARKER}.new"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_marker_that_is_a_link_or_a_pipe_is_not_followed_or_waited_for(site, tmp_path_factory, name, kind):
    victim = tmp_path_factory.mktemp("outside") / "victim"
    victim.write_text("precious")
    site.build()
    (site.out / name).unlink(missing_ok=True)
    if kind == "link":
        (site.out / name).symlink_to(victim)
    else:
        os.mkfifo(site.out / name)
    done = labgen(site.write(laboratories=[ALPHA | {"name": "Neu"}]), "build")
    assert (done.returncode, "Traceback" in done.stderr) == (1 if name == MARKER else 0, False)
    assert victim.read_text() == "precious"


def test_a_marker_that_is_garbage_is_refused_without_a_traceback(site):
    site.build()
    for garbage in (
        "[" * 100_000,
        '{"written_by": "labgen", "format": 1, "units": [{"in": "", "folders": ["a"], "files": ["\\ud800"]}]}',
    ):
        site.file(f"out/{MARKER}", garbage)
        with pytest.raises(OutputError, match="is damaged"):
            site.build()


def test_a_state_folder_that_is_a_link_is_not_followed(site, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "staging-out").mkdir()
    (elsewhere / "staging-out/precious").write_text("x")
    (site.root / ".labgen").symlink_to(elsewhere)
    with pytest.raises(OutputError, match="is not a folder"):
        site.build()
    assert (elsewhere / "staging-out/precious").read_text() == "x"


def test_an_empty_folder_where_a_file_must_go_is_no_hindrance(site):
    site.build()
    (site.out / "404.json").unlink()
    (site.out / "404.json").mkdir()
    assert site.build().written.written == ("404.json",)


def test_output_that_cannot_be_written_is_one_sentence(site):
    for arguments in (["check"], ["check", "--format", "json"], ["explain"]):
        with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123
            command = [sys.executable, "-m", "labgen", *arguments]
            done = subprocess.run(
                command, cwd=site.root, stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        assert (done.returncode, done.stderr) == (
            1, "error: the output of this command cannot be written: the disk is full\n"
        )  # fmt: skip


def test_a_job_summary_that_cannot_be_written_is_a_note(site):
    done = labgen(site, "check", "--format", "github", GITHUB_STEP_SUMMARY="/nowhere/x")
    assert (done.returncode, "note: the job summary cannot be written" in done.stderr) == (0, True)


def test_a_removed_current_folder_is_no_traceback(site, tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    code = f"import os; os.chdir({str(folder)!r}); os.rmdir({str(folder)!r})\nfrom labgen.__main__ import run\nrun()"
    command = [
        sys.executable,
        "-P",
        "-c",
        code,
        "check",
        "-C",
        str(site.root),
    ]  # -P: as the installed command
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_while_the_command_is_loading_is_no_traceback(site):
    for delay in (0.12, 0.16, 0.2, 0.25):
        process = subprocess.Popen(
            [sys.executable, "-c", "from labgen.__main__ import run; print('on', flush=True); run()", "check"],
            cwd=site.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout
        process.stdout.readline()
        time.sleep(delay - 0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert "Traceback" not in errors


def run_with_small_files(folder, size, *arguments):
    """Run labgen where no file may be larger than a number of bytes."""
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"
        "from labgen.__main__ import run; run()"
    )
    command = [sys.executable, "-B", "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_init_on_a_disk_that_takes_no_more_leaves_nothing(site, tmp_path):
    done = run_with_small_files(tmp_path, 700, "init", "x/y")
    said = "error: x/y cannot be written: a file would be too large; nothing was kept\n"
    assert (done.returncode, done.stderr) == (1, said)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("form", ["jsonl", "csv", "sqlite"])
def test_export_to_a_disk_that_takes_no_more_says_so(site, form):
    site.write(materials=[{"id": number, "title": f"Stahl {number}"} for number in range(1, 2000)])
    done = run_with_small_files(site.root, 20_000, "export", "x", f"--format={form}")
    assert done.returncode == 1
    assert re.fullmatch(r"error: x cannot be written: .*; nothing was kept\n", done.stderr)


def test_folders_that_may_not_be_read_are_problems(open_site):
    (open_site.root / "data/laboratories").chmod(0)
    assert codes(open_site.check()) == ["unreadable-file"]
    (open_site.root / "data/laboratories").chmod(0o755)
    open_site.file("data/media/a.png", b"1").write(laboratories=[ALPHA | {"logo": "a.png"}])
    (open_site.root / "data/media/a.png").chmod(0)
    assert codes(open_site.check()) == ["unreadable-file"]
    (open_site.root / "data").chmod(0o311)
    assert codes(open_site.check())[0] == "unreadable-file"
    (open_site.root / "data").chmod(0o755)


def test_what_would_give_other_bytes_at_every_build_is_not_in_templates(site):
    for template in ("{{ lipsum() }}", "{{ [1, 2, 3]|random }}"):
        assert codes(site.file("templates/page.html", template).check()) == ["template-error"]


@pytest.mark.parametrize("format_", ["json", "sarif", "github"])
def test_programs_are_told_too_that_the_site_cannot_be_written(site, format_):
    site.file("out/mine.html", "x")
    done = labgen(site, "build", "--format", format_)
    assert (done.returncode, "cannot-write" in done.stdout, "Traceback" in done.stderr) == (1, True, False)


def test_the_site_is_not_written_into_the_templates(site):
    (site.root / "templates").mkdir()
    assert labgen(site, "build", "-o", "templates").returncode == 2


@pytest.mark.parametrize(
    ("phone", "text"),
    [
        ("030 23125-001, 0171 1234567", "Ruf: 0171 1234567"), ("030 23125-001 / 002", "030 23125-001"),
        ("030 231250 App. 12", "030 231250"), ("[+49] 30 23125001", "030 23125001"), ("(+49) 30 23125001", "030 23125001"),
    ],
)  # fmt: skip
def test_each_number_of_a_contact_is_kept(site, phone, text):
    site.write(laboratories=[ALPHA | {"contact_person": {"phone": phone}}, BETA | {"about": text}])
    assert codes(site.check()) == ["contact-in-text"]


def test_a_template_publishes_no_contact(site):
    site.file("templates/404.html", "labor@alpha.example")
    site.write(laboratories=[ALPHA | {"contact_person": {"email": "labor@alpha.example"}}])
    assert lines(site.check()) == ["contact-in-text templates/404.html"]


@pytest.mark.parametrize(("field", "hint"), [("name", ""), ("country", "")])
def test_what_must_be_there_is_not_said_to_be_left_out(site, field, hint):
    (problem,) = site.write(laboratories=[ALPHA | {field: None}]).check().problems
    assert problem.problem.hint == hint


def test_contacts_are_looked_for_in_every_text_that_is_published():
    """The texts that are looked through at once are those that are looked through one by one."""
    long = {name: f"<{name}>" for name in ("name", "locality", "about", "address")}
    record = LaboratoryRecord(
        **laboratory(
            "1", **long, postal_code="1", website="https://a.example/", similar_labs=["2"], gallery=["a.png"]
        ),
        stats={"projects": {"label": "<label>"}},
        accreditations=[
            {"id": 1, "accreditation_standard": 2, "accreditation_body": "<body>", "number": "<n>"}
        ],
        contact_person={"position": "<position>", "email": "a@b.example", "phone": "0231 1"},
    )
    one_by_one = [text for _, text in contacts._texts(record, ())]
    assert list(contacts.published_texts(record)) == one_by_one
    assert {"<label>", "<body>", "<n>", "<position>", "2", "a.png"} <= set(one_by_one)
    assert not {"a@b.example", "0231 1"} & set(one_by_one)
