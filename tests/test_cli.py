"""The command as it is used: what it prints where, and how it exits."""

import json
import re

import pytest
from click import unstyle
from click.testing import CliRunner, Result
from conftest import ALPHA, BETA, laboratory

from labgen.cli import main
from labgen.problems.codes import CODES, VERIFY_CODES
from labgen.problems.problem import Located, Place, Problem, Span
from labgen.report.bar import ProgressBar
from labgen.report.text import render_problems
from labgen.system.input_files import built_in_templates

WRONG = [ALPHA | {"materials": [12, 417]}, BETA]
SHOWN = """\
error[unknown-reference]: `materials` names 417, which is not in `data/materials.json`
 --> data/laboratories/00001.json:9:5
  |
9 |     417
  |     ^^^
  = help: did you mean 471 (Edelstahl)?
"""


def test_a_build_says_what_was_done(run, site):
    result = run("build")
    assert re.fullmatch(r"(\d+) files: \1 written, 0 removed, 0 unchanged, in \d\.\d s\n", result.stdout)
    assert (result.stderr, result.exit_code) == ("", 0)
    site.write(laboratories=[ALPHA])
    again = re.match(r"(\d+) files: (\d+) written, (\d+) removed, (\d+) unchanged", run("build").stdout)
    assert again
    files, written, removed, unchanged = map(int, again.groups())
    assert (files, removed >= 18) == (written + unchanged, True)


def test_problems_go_to_standard_error_and_make_the_exit_code_1(run, site):
    site.write(laboratories=WRONG)
    result = run("build")
    assert (result.stdout, result.exit_code) == ("", 1)
    assert result.stderr == SHOWN + "\n1 error: nothing was written\n"
    assert not (site.root / "out").exists()


def test_check_writes_nothing(run, site):
    before = sorted(site.root.rglob("*"))
    assert run("check").stdout == "2 laboratories: no problems\n"
    assert sorted(site.root.rglob("*")) == before


def test_a_warning_does_not_stop_a_build_unless_asked(run, site):
    site.file("data/material.csv", "")
    assert run("build", "--strict").exit_code == 1
    assert not (site.root / "out").exists()
    result = run("build")
    assert result.exit_code == 0
    assert result.stderr.startswith(
        "warning[ignored-file]: `data/material.csv` is not read\n --> data/material.csv\n"
    )


def test_quiet_says_nothing_but_errors_and_verbose_names_the_files(run, site):
    site.file("data/material.csv", "")
    assert run("build", "-q").output == ""
    site.write(laboratories=[ALPHA])
    assert "removed out/api/v1/laboratory/laboratories/00002/api.html\n" in run("build", "-v").stderr
    assert "error[missing-file]" in run_without_settings(run, site).stderr


def run_without_settings(run, site) -> Result:
    site.without("data/site.toml")
    result: Result = run("check", "-q")
    return result


def test_ten_thousand_errors_do_not_print_ten_thousand_lines(run, site):
    site.write(laboratories=[ALPHA | {"materials": list(range(1000, 11_000))}])
    result = run("check")
    assert len(result.stderr.splitlines()) < 40
    assert "\nand 9,997 more like this; --all shows every one\n" in result.stderr
    assert result.stderr.endswith("10,000 errors\n")
    assert run("check", "--all").stderr.count("error[unknown-reference]") == 10_000


def test_a_project_elsewhere_is_named_from_here(run, site, monkeypatch):
    site.write(laboratories=WRONG)
    monkeypatch.chdir(site.root.parent)
    assert (
        f" --> {site.root.name}/data/laboratories/00001.json:9:5\n"
        in run("check", "-C", site.root.name).stderr
    )


def test_a_folder_without_data_is_wrong_use(run, site, monkeypatch):
    monkeypatch.chdir(site.root / "data")
    result = run("build")
    assert (result.exit_code, "there is no folder data/ in" in result.stderr) == (2, True)


@pytest.mark.parametrize("out", [".", "data", "data/out", ".."])
def test_the_site_is_not_written_over_the_project(run, out):
    assert run("build", "--out", out).exit_code == 2


def test_a_foreign_folder_is_refused_in_a_sentence(run, site):
    site.file("web/index.html", "mine")
    result = run("build", "-o", "web")
    assert (result.exit_code, result.stderr) == (
        1,
        "error: web is not empty, and labgen did not write it\n"
        "  = help: choose another folder with --out, or empty this one yourself\n",
    )


def test_foreign_files_are_named(run, site):
    run("build")
    site.file("out/CNAME", "x").file("out/robots.txt", "x")
    assert run("build").stderr == "note: 2 files in out not written by labgen, and kept: CNAME, robots.txt\n"


def test_json_holds_every_problem_with_its_place(run, site):
    site.write(laboratories=WRONG)
    result = run("check", "--format", "json")
    assert json.loads(result.stdout) == {
        "errors": 1,
        "warnings": 0,
        "problems": [
            {
                "code": "unknown-reference", "severity": "error",
                "message": "`materials` names 417, which is not in `data/materials.json`",
                "file": "data/laboratories/00001.json", "line": 9, "column": 5, "end_column": 8,
                "hint": "did you mean 471 (Edelstahl)?",
            }
        ],
    }  # fmt: skip
    assert result.stderr == "1 error\n"


def test_github_gets_annotations_and_a_job_summary(run, site, monkeypatch, tmp_path):
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(site.root.parent))
    site.write(laboratories=[ALPHA | {"name": "100 %, \n: x"}])
    result = run("build", "--format", "github")
    assert result.stdout == (
        f"::error file={site.root.name}/data/laboratories/00001.json,title=control-character,line=3,col=11,endColumn=25"
        "::`name` holds a line break (remove this character)\n"
    )
    assert "| ❌ error | `" in summary.read_text()
    assert (
        "/data/laboratories/00001.json:3:11` | `name` holds a line break | remove this character |"
        in summary.read_text()
    )
    site.write(laboratories=[ALPHA])
    run("build", "--format", "github")
    assert summary.read_text().endswith("### labgen: no problems\n")


def test_what_annotations_hold_is_escaped():
    from labgen.report.machine import render_github

    place = Place("data/a,b:c%.json", span=Span(1, 2, 3))
    text = render_github([Located(Problem("x", "50 %\r\nnext: y", place), place.span)], "")
    assert text == "::error file=data/a%2Cb%3Ac%25.json,title=x,line=1,col=2,endColumn=5::50 %25%0D%0Anext: y"


def test_sarif_holds_rules_results_and_regions(run, site):
    site.write(laboratories=WRONG).file("data/m ü.csv", "")
    log = json.loads(run("check", "--format", "sarif").stdout)
    (sarif_run,) = log["runs"]
    assert (log["version"], sarif_run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    for result in sarif_run["results"]:
        assert sarif_run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    located = [result["locations"][0]["physicalLocation"] for result in sarif_run["results"]]
    assert located == [
        {
            "artifactLocation": {"uri": "data/laboratories/00001.json"},
            "region": {"startLine": 9, "startColumn": 5, "endColumn": 8},
        },
        {"artifactLocation": {"uri": "data/m%20%C3%BC.csv"}},
    ]
    assert [result["level"] for result in sarif_run["results"]] == ["error", "warning"]


def test_explain_tells_of_every_code_and_lists_them(run):
    listed = run("explain").stdout
    for code, explained in {**CODES, **VERIFY_CODES}.items():
        assert f"{code} " in listed
        assert explained.remedy in run("explain", code).stdout
    wrong = run("explain", "unknown-refrence")
    assert (wrong.exit_code, "did you mean `unknown-reference`?" in wrong.stderr) == (2, True)


def test_init_makes_a_project_that_builds_without_a_problem(run, tmp_path, monkeypatch):
    folder = tmp_path / "neu" / "verzeichnis"
    assert run("init", str(folder)).exit_code == 0
    monkeypatch.chdir(folder)
    assert run("check", "--strict").stdout == "2 laboratories: no problems\n"
    assert run("build").exit_code == 0
    assert {".gitignore", ".github", ".labgen", "README.md", "data", "out", "schemas"} == {
        path.name for path in folder.iterdir()
    }


def test_the_settings_of_a_new_project_name_all_languages(run, tmp_path):
    assert run("init", str(tmp_path / "x")).exit_code == 0
    line = next(
        one for one in (tmp_path / "x/data/site.toml").read_text().splitlines() if one.startswith("# Sprache")
    )
    languages = sorted(one.stem for one in (built_in_templates() / "languages").iterdir())
    assert re.findall('"([a-z]+)"', line) == languages


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [(("build", "--fail-on", "breaking"), "--dry-run"), (("check", "--yes"), "--fix")],
)
def test_an_option_without_the_one_that_it_needs_is_wrong_use_and_the_help_names_it(
    run, site, arguments, needed
):
    result = run(*arguments)
    assert (result.exit_code, f"{arguments[1]} needs {needed}" in result.stderr) == (2, True)
    text = " ".join(unstyle(run(arguments[0], "--help").stdout).split())
    assert re.search(rf"{arguments[1]} (KIND )?With {needed}[: ]", text)


def test_init_overwrites_nothing(run, tmp_path, monkeypatch):
    (tmp_path / "x" / "data").mkdir(parents=True)
    (tmp_path / "x" / "data" / "site.toml").write_text("mine")
    result = run("init", str(tmp_path / "x"))
    assert (result.exit_code, "already holds data/site.toml; nothing was written" in result.stderr) == (
        2,
        True,
    )
    assert [path.name for path in (tmp_path / "x").rglob("*")] == ["data", "site.toml"]


def test_colours_are_for_terminals_and_can_be_turned_off(run, site, monkeypatch):
    site.write(laboratories=WRONG)
    coloured = CliRunner().invoke(main, ["check"], color=True).stderr
    assert "\x1b[31m" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert CliRunner().invoke(main, ["check"], color=True).stderr == run("check").stderr


def shown(line: str, column: int, length: int) -> list[str]:
    place = Place("data/x.json", span=Span(1, column, length))
    text = render_problems([Located(Problem("x", "y", place), place.span, line)], {}, "")
    return unstyle(text).splitlines()[3:5]


def test_the_underline_stands_below_the_text_whatever_its_width():
    assert shown('{"a": 12}', 7, 2) == ['1 | {"a": 12}', "  |       ^^"]
    assert shown('\t"é\u0301北京": 12', 10, 2) == ['1 |     "é\u0301北京": 12', "  |              ^^"]


def test_a_long_line_is_shown_around_the_place():
    text, marks = shown("a" * 5000 + "WRONG" + "b" * 5000, 5001, 5)
    assert text.startswith("1 | …aaa")
    assert text.endswith("b…")
    assert text[marks.index("^") : marks.rindex("^") + 1] == "WRONG"


def test_nothing_that_a_file_holds_moves_the_cursor_of_the_terminal(run, site):
    site.write(laboratories=[ALPHA | {"na\x1b[2Jme": "\x1b]0;x\x07\u202e"}])
    output = run("check").stderr
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", output)


def test_a_bar_is_drawn_only_when_the_work_is_long(monkeypatch, capsys):
    with ProgressBar(is_shown=True) as bar:
        bar.update("built", 1, 10)
    assert capsys.readouterr().err == ""
    bar.next_time = 0
    with bar:
        bar.update("built", 5, 10)
    assert "[###############---------------] 5 of 10 laboratories built" in capsys.readouterr().err
    with ProgressBar(is_shown=False) as hidden:
        hidden.next_time = 0
        hidden.update("built", 5, 10)
    assert capsys.readouterr().err == ""


def test_version_and_help_are_there(run):
    assert re.fullmatch(r"labgen \d+\.\d+\.\d+\n", run("--version").stdout)
    for command in main.commands:
        assert run(command, "--help").exit_code == 0


def test_laboratories_may_be_written_in_each_format(run, site):
    site.write(laboratories=[]).file("data/laboratories/a.yaml", "display_id: 00007\nname: A\ncountry: de\n"
        "deal_status: premium\nverification_status: partner\npostal_code: 01067\nmaterials: [12]\n")  # fmt: skip
    site.file("data/laboratories/b.yml", json.dumps(laboratory("00008")))
    assert run("build").exit_code == 0
    assert site.document("laboratories/00007")["postal_code"] == "01067"
    for path in (site.root / "data/laboratories").iterdir():
        path.unlink()
    (site.root / "data/laboratories").rmdir()
    site.file("data/laboratories.jsonl", "\n".join(json.dumps(laboratory(f"{n:05}")) for n in (7, 8)))
    assert run("build").exit_code == 0
    assert site.document("laboratories/00008")["name"] == "Labor 00008"


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "yaml", "yml"])
def test_a_list_may_be_written_in_each_format(run, site, suffix):
    written = {
        "csv": 'id,search_val,title,summary\n7,"zug","Öl, roh",\n',
        "json": '[{"id": 7, "search_val": "zug", "title": "Öl, roh"}]',
        "jsonl": '{"id": 7, "search_val": "zug", "title": "Öl, roh"}\n',
        "yaml": "- id: 7\n  search_val: zug\n  title: Öl, roh\n",
        "yml": "- {id: 7, search_val: zug, title: 'Öl, roh'}\n",
    }
    site.file(f"data/standards.{suffix}", written[suffix]).write(laboratories=[ALPHA | {"standards": [7]}])
    assert run("build").exit_code == 0
    assert site.document("laboratories/00001/standards")["items"] == [
        {"id": 7, "search_val": "zug", "title": "Öl, roh", "summary": ""}
    ]


def test_the_way_to_a_new_project_can_be_pasted_into_a_shell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["init", "Prüf #1 & Co"])
    assert result.stdout.endswith("\nNow: cd 'Prüf #1 & Co' && labgen build\n")


@pytest.mark.parametrize("command", [["check"], ["build"], ["new", "A"], ["publish", "x"]])
def test_a_command_in_a_folder_that_was_removed_says_so(tmp_path, monkeypatch, command):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    result = CliRunner().invoke(main, command)
    assert (
        result.stderr
        == "error: the folder that this command runs in was removed\n  = help: go to one that is there\n"
    )
