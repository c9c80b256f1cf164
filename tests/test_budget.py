"""Sources that would take all memory or time: each ends soon, in little memory, with a problem at its place."""

import os
import re
import sqlite3
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from contextlib import closing
from operator import itemgetter

import openpyxl
import pytest
from conftest import ALPHA, BETA, EXHAUSTIVE, SITE, codes, lines, of_each

from labgen.formats.budget import DEFAULT
from labgen.source.tables import databases
from labgen.source.tables.unreadable import UnreadableError

MEMORY = 1 << 30
"""What a command may take, in bytes."""
SECONDS = 120
"""What a command may take of a processor: endless is meant, not slow."""
HEADER = ["display_id", "name", "country", "deal_status", "verification_status"]
ROW = ["00001", "Alpha", "de", "premium", "partner"]
SHEET = "xl/worksheets/sheet1.xml"
ODS_HEAD = (
    '<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet>'
    '<table:table table:name="laboratories">'
)
ODS_END = "</table:table></office:spreadsheet></office:body></office:document-content>"


def run(*arguments, folder):
    """Run labgen with as much memory as it may take; return the exit code and what it says."""
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({2 * MEMORY}, {2 * MEMORY}));"
        f"resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}));"
        "from labgen.__main__ import run\n"
        "try: run()\n"
        "finally:\n import sys; sys.stderr.write('\\npeak ' + open('/proc/self/status').read())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True, timeout=600, check=False,
        env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip
    said, _, peak = done.stderr.rpartition("\npeak ")
    assert peak, done.stderr[-2000:]
    assert "Traceback" not in said
    (found,) = re.findall(r"VmHWM:\s*([0-9]+) kB", peak)
    most = int(found)  # of this program alone: a child begins with its parent's maximum
    assert most * 1024 < MEMORY, f"{most // 1024} MB"
    return done.returncode, done.stdout + said


def workbook(path, *, rows=(HEADER, ROW)):
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "laboratories"
    for row in rows:
        sheet.append(row)
    book.save(path)
    return path


def replaced(path, name, edit):
    """Write an archive again, with one of its parts edited."""
    with zipfile.ZipFile(path) as archive:
        parts = {one: archive.read(one) for one in archive.namelist()}
    parts[name] = edit(parts[name])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for one, data in parts.items():
            archive.writestr(one, data)


def with_cell(reference, value=b"x"):
    cell = b'<row r="9"><c r="' + reference + b'" t="inlineStr"><is><t>' + value + b"</t></is></c></row>"
    return lambda data: data.replace(b"</sheetData>", cell + b"</sheetData>")


def ods(path, rows):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", ODS_HEAD + rows + ODS_END)
        archive.writestr("META-INF/manifest.xml", "<x/>")


def ods_row(cells, attributes=""):
    texts = "".join(
        f'<table:table-cell office:value-type="string"><text:p>{one}</text:p></table:table-cell>'
        for one in cells
    )
    return f"<table:table-row{attributes}>{texts}</table:table-row>"


def far_cell(path):
    replaced(workbook(path), SHEET, with_cell(b"XFD1048576"))


def far_cell_in_single_quotes(path):
    def edit(data):
        return with_cell(b"XFD1048576")(data).replace(b'r="XFD1048576"', b"r='&#88;FD1048576'")

    replaced(workbook(path), SHEET, edit)


def large_comment(path):
    replaced(workbook(path), SHEET, lambda data: data + b"<!--" + b"x" * 100_000_000 + b"-->")


def lying_size(path):
    """A part of 700 MB whose header says that it has 10 bytes."""
    workbook(path)
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    megabyte = pack.compress(b"<x/>" * 250_000) + pack.flush(zlib.Z_FULL_FLUSH)
    packed = megabyte * 700 + pack.flush()
    name = b"xl/media/x.bin"
    with zipfile.ZipFile(path, "a", zipfile.ZIP_STORED) as archive:
        archive.writestr(name.decode(), packed)
    data = path.read_bytes()
    for start, method, size in ((data.rindex(b"PK\x03\x04"), 8, 22), (data.rindex(b"PK\x01\x02"), 10, 24)):
        data = data[: start + method] + b"\x08\0" + data[start + method + 2 :]
        data = data[: start + size] + (10).to_bytes(4, "little") + data[start + size + 4 :]
    path.write_bytes(data)


def many_parts(path):
    with zipfile.ZipFile(workbook(path), "a") as archive:
        for number in range(11_000):
            archive.writestr(f"xl/{number}.txt", "")


def cut_at_its_beginning(path):
    path.write_bytes(workbook(path).read_bytes()[50:])
    path.write_bytes(b"PK" + path.read_bytes())


def own_entities(path):
    laugh = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
    replaced(workbook(path), "xl/workbook.xml", lambda data: laugh + data)


def many_filled_rows(path):
    row = b"<row><c><v>1</v></c></row>"
    replaced(
        workbook(path), SHEET, lambda data: data.replace(b"</sheetData>", row * 1_100_000 + b"</sheetData>")
    )


def repeated_rows(path):
    ods(path, ods_row(HEADER) + ods_row(ROW, ' table:number-rows-repeated="4000000000"'))


def repeated_columns(path):
    cell = '<table:table-cell table:number-columns-repeated="4000000000" office:value="1"/>'
    ods(path, ods_row(HEADER) + f"<table:table-row>{cell}</table:table-row>")


def late_row(path):
    ods(path, ods_row(HEADER) + ods_row([], ' table:number-rows-repeated="4000000000"') + ods_row(ROW))


def no_number(path):
    ods(path, ods_row(HEADER) + ods_row(ROW, ' table:number-rows-repeated="1e9"'))


def long_text_in_many_cells(path):
    row = b"<row>" + b'<c t="s"><v>0</v></c>' * 50 + b"</row>"
    replaced(workbook(path), SHEET, lambda data: data.replace(b"</sheetData>", row * 1000 + b"</sheetData>"))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", "<sst><si><t>" + "x" * 30_000 + "</t></si></sst>")


def long_text_in_repeated_rows(path):
    ods(path, ods_row(HEADER) + ods_row(["x" * 100_000], ' table:number-rows-repeated="100000"'))


def repeated_spaces(path):
    row = ods_row(ROW).replace("Alpha", 'A<text:s text:c="90000000"/>' * 200)
    ods(path, ods_row(HEADER) + row)


def record(kind, data=b""):
    return struct.pack("<HH", kind, len(data)) + data


def old_workbook(path, cells, dimensions):
    """Write a workbook in the format of Excel 97 (`.xls`), with one sheet of numbers."""

    def begin(what):
        return record(0x809, struct.pack("<HHHHII", 0x600, what, 0x0DBB, 1996, 0, 6))

    def entry(name, kind, start, size, child=0xFFFFFFFF):
        raw = name.encode("utf-16-le") + b"\0\0"
        sizes = struct.pack("<HBBIII", len(raw), kind, 1, 0xFFFFFFFF, 0xFFFFFFFF, child)
        return raw.ljust(64, b"\0") + sizes + bytes(36) + struct.pack("<IQ", start, size)

    name = b"laboratories"
    called = bytes([len(name), 0]) + name
    start = len(begin(5) + record(0x85, bytes(6) + called) + record(0x0A))
    book = begin(5) + record(0x85, struct.pack("<IBB", start, 0, 0) + called) + record(0x0A)
    book += begin(0x10) + record(0x200, struct.pack("<IIHHH", *dimensions, 0))
    book += b"".join(record(0x203, struct.pack("<HHHd", row, column, 0, 1.0)) for row, column in cells)
    stream = (book + record(0x0A)).ljust(4096, b"\0")
    chain = [0xFFFFFFFD, 0xFFFFFFFE, *range(3, 10), 0xFFFFFFFE]
    chain += [0xFFFFFFFF] * (128 - len(chain))
    head = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(16)
        + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
        + bytes(6)
    )
    head += struct.pack("<10I", 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0, 0) + b"\xff" * 432
    folder = entry("Root Entry", 5, 0xFFFFFFFE, 0, 1) + entry("Workbook", 2, 2, len(stream)) + bytes(256)
    path.write_bytes(head + struct.pack("<128I", *chain) + folder + stream)


def lying_dimensions(path):
    old_workbook(path, [(0, 0)], (0, 2**32 - 1, 0, 2**16 - 1))


def far_cell_in_an_old_workbook(path):
    old_workbook(path, [(0, 0), (65535, 255)], (0, 65536, 0, 256))


def test_an_old_workbook_is_read(tmp_path):
    old_workbook(project(tmp_path) / "data/laboratories.xls", [(0, 0), (1, 1)], (0, 2, 0, 2))
    assert "sheet `laboratories`, row 1" in run("check", folder=tmp_path)[1]


WORKBOOKS = [
    (far_cell, "x.xlsx", "sheet `laboratories`, row 1048576"),
    (far_cell_in_single_quotes, "x.xlsx", "sheet `laboratories`, row 1048576"),
    (large_comment, "x.xlsx", "holds a comment or a tag of more than 8 MB"),
    (lying_size, "x.xlsx", "when it is unpacked"),
    (many_parts, "x.xlsx", "holds more than 10,000 parts"),
    (cut_at_its_beginning, "x.xlsx", "is no workbook: invalid zip archive"),
    (own_entities, "x.xlsx", "defines entities of its own"),
    (many_filled_rows, "x.xlsx", "has more than 1,048,576 rows"),
    (repeated_rows, "x.ods", "has more than 1,048,576 rows"),
    (repeated_columns, "x.ods", "holds more than 5,000,000 values"),
    (late_row, "x.ods", "reaches to row 4,000,000,002"),
    (long_text_in_many_cells, "x.xlsx", "holds texts of more than 128,000,000 characters"),
    (long_text_in_repeated_rows, "x.ods", "holds texts of more than 128,000,000 characters"),
    (repeated_spaces, "x.ods", "holds texts of more than 128,000,000 characters"),
    (no_number, "x.ods", "where a number should be"),
    (lying_dimensions, "x.xls", "takes more than 800 MB to read, or is damaged"),
    (far_cell_in_an_old_workbook, "x.xls", "takes more than 800 MB to read, or is damaged"),
]


def project(folder, **files):
    (folder / "data").mkdir(parents=True)
    for name, content in {
        "site.toml": SITE,
        "countries.json": '[{"iso_code": "de", "slug": "deutschland", "name": "Deutschland"}]',
        "upgrade_options.json": "[]",
    }.items():
        (folder / "data" / name).write_text(files.pop(name, content))
    return folder


@pytest.mark.parametrize(
    ("write", "name", "expected"), WORKBOOKS, ids=lambda one: getattr(one, "__name__", "")
)
def test_a_workbook_that_would_take_all_memory_is_a_problem_at_its_place(tmp_path, write, name, expected):
    file = project(tmp_path) / "data" / name.replace("x", "laboratories", 1)
    write(file)
    code, said = run("check", folder=tmp_path)
    assert (code, expected in said) == (1, True), said
    assert f"--> data/{file.name}" in said


IMPORTED = [one for one, _, _ in WORKBOOKS] if EXHAUSTIVE else [lying_size, repeated_rows, lying_dimensions]
"""All, or one of each format."""


@pytest.mark.parametrize(
    ("write", "name"),
    [(write, name) for write, name, _ in WORKBOOKS if write in IMPORTED],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_an_import_of_such_a_workbook_ends_with_a_sentence(tmp_path, write, name):
    write(tmp_path / name)
    code, said = run("import", name, "p", folder=tmp_path)
    assert code == 1
    assert "error" in said
    assert "= help: " in said
    assert not (tmp_path / "p").exists()


def test_blank_cells_behind_a_table_are_cut(tmp_path):
    file = project(tmp_path) / "data/laboratories.xlsx"
    replaced(workbook(file), SHEET, with_cell(b"B1048576", b" "))
    assert run("check", folder=tmp_path)[0] == 0
    styled = b'<row r="1048576"><c r="XFD1048576" s="0"/></row></sheetData>'
    replaced(workbook(file), SHEET, lambda data: data.replace(b"</sheetData>", styled))
    assert run("check", folder=tmp_path)[0] == 0
    ods(
        file.with_suffix(".ods"),
        ods_row(HEADER) + ods_row(ROW) + ods_row([], ' table:number-rows-repeated="1048574"'),
    )
    file.unlink()
    assert run("check", folder=tmp_path)[0] == 0


COUNTING = "WITH RECURSIVE c(display_id, name, country, deal_status, verification_status) AS (SELECT 1, 'a', 'de', 'premium', 'partner' UNION ALL SELECT display_id + 1, name, country, deal_status, verification_status FROM c)"
VIEWS = [
    (f"{COUNTING} SELECT * FROM c", "holds more than 5,000,000 values"),
    (f"{COUNTING} SELECT count(*) AS display_id FROM c", "takes too long, or has no end"),
    (f"{COUNTING} SELECT * FROM c ORDER BY name", "takes too long, or has no end"),
    (f"{COUNTING} SELECT group_concat(name) AS display_id FROM c", "takes too long, or has no end"),
    ("SELECT hex(zeroblob(900000000)) AS display_id", "holds a value of more than 32 MB"),
    ("SELECT 1 AS display_id, printf('%2000000d', 1) AS name", "a text has 2,000,000 characters"),
    (
        f"{COUNTING} SELECT hex(randomblob(200000)) AS display_id FROM c",
        "holds texts of more than 128,000,000",
    ),
    ("SELECT 1 AS display_id, CAST(x'c328' AS TEXT) AS name", "cannot be read by SQLite"),
]


@pytest.mark.parametrize(
    ("view", "expected"),
    of_each(VIEWS, itemgetter(1)),
    ids=lambda one: "" if "SELECT" in one else one,
)
def test_a_database_without_an_end_is_a_problem_of_its_table(tmp_path, view, expected):
    file = project(tmp_path) / "data/laboratories.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"CREATE VIEW laboratories AS {view}")
    code, said = run("check", folder=tmp_path)
    assert (code, expected in said) == (1, True), said
    assert "--> data/laboratories.sqlite, table `laboratories`" in said


def test_what_is_done_with_the_rows_of_a_query_is_not_its_time(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(time, "thread_time", lambda: clock[0])
    with closing(sqlite3.connect(":memory:")) as connection:
        steps = databases.Steps(connection)
        numbers = "WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n"
        count = 0
        for _ in steps.texts(connection.execute(numbers)):
            clock[0] += databases.MOST_SECONDS
            count += 1
    assert count == 1000


def test_a_view_whose_instructions_are_slow_ends_too(tmp_path, monkeypatch):
    monkeypatch.setattr(databases, "MOST_SECONDS", 0.1)
    slow = f"{COUNTING} SELECT max(length(hex(zeroblob(15000000)) || display_id)) AS display_id FROM c"
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection:
        connection.execute(f"CREATE VIEW laboratories AS {slow}")
    with pytest.raises(UnreadableError, match="takes too long"):
        databases.open_database(tmp_path / "a.sqlite", "a.sqlite", DEFAULT).read("laboratories")


def many(count: int) -> int:
    """Return how often a text is repeated: what takes the square of 100,000 never ends, and 50,000 errors are told."""
    return count if EXHAUSTIVE else min(count, 100_000)


TEXTS = [
    ("laboratories.csv", lambda: ",".join(HEADER) + "\n" + "1,\n" * 60_000, "too-many-problems"),
    ("laboratories.csv", lambda: ",".join(HEADER) + "\n1," + "x" * 100_000_000 + ",de,premium,partner\n", "too-large"),
    ("laboratories.csv", lambda: ",".join(HEADER) + "\n" + ",,,,1é\n" * 30_000_000, "too-large"),
    ("laboratories.csv", lambda: ",".join(HEADER) + "\n" + "," * 60_000_000, "too-large"),
    ("laboratories.csv", lambda: ",".join(HEADER) + "\n" * 120_000_000, "too-large"),
    ("laboratories.csv", lambda: ",".join(HEADER) + "\n" + '"' * 60_000_000 + "x", "invalid-csv"),
    ("laboratories.jsonl", lambda: "\n" * 120_000_000, "too-large"),
    ("laboratories.jsonl", lambda: "{}\n" * many(1_000_000), "too-many-problems"),
    ("laboratories.jsonl", lambda: "{}\n" * 1_100_000, "too-large"),
    ("laboratories.jsonl", lambda: '{"display_id": "' + "1" * 40_000_000 + '"}', "too-large"),
    ("materials.json", lambda: "[" + "0," * 6_000_000 + "0]", "too-large"),
    ("materials.json", lambda: '[{"id": 1, "title": "' + "x" * 90_000_000 + '"}]', "too-large"),
    ("materials.json", lambda: "[" + "{}," * many(1_000_000) + "{}]", "too-many-problems"),
    ("materials.json", lambda: "[" + "[" * 1_000_000, "invalid-json"),
    ("materials.jsonl", lambda: "{}\n" * many(600_000), "too-many-problems"),
    ("materials.yaml", lambda: "- a\n" * 3_000_000, "too-large"),
    ("materials.yaml", lambda: "- " + "x" * 60_000_000, "too-large"),
    ("materials.csv", lambda: "id,title\n" + "1,a\n" * many(400_000), "too-many-problems"),
    ("laboratories/1.json", lambda: '{"display_id": "1", "name": "' + "x" * 200_000_000 + '"}', "too-large"),
    ("laboratories/1.json", lambda: '{"name": "' + "x" * 5_000_000 + '"}', "too-large"),
    ("laboratories/1.json", lambda: "{" + ", ".join(f'"k{n}": 1' for n in range(many(300_000))) + "}", "unknown-field"),
    ("laboratories/1.json", lambda: "{" + ", ".join(f'"k{n % 7}": 1' for n in range(many(300_000))) + "}", "duplicate-key"),
    ("laboratories/1.json", lambda: '{"materials": [' + '"x",' * many(300_000) + '"x"]}', "wrong-type"),
    ("laboratories/1.json", lambda: '{"reviews": [' + "{}," * many(300_000) + "{}]}", "missing-field"),
    ("laboratories/1.json", lambda: '{"reviews": [' + '{"a":1},' * many(300_000) + "{}]}", "unknown-field"),
    ("laboratories/1.json", lambda: '{"name": [' + '"\\ud800",' * many(300_000) + "1]}", "control-character"),
    ("laboratories/1.yaml", lambda: "".join(f"k{n}: 1\n" for n in range(many(300_000))), "unknown-field"),
    ("laboratories/1.yaml", lambda: "".join(f"k: {n}\n" for n in range(many(300_000))), "duplicate-key"),
    ("site.toml", lambda: "x = " + "[" * 1000 + "]" * 1000 + "\n" + SITE, "invalid-toml"),
    ("site.toml", lambda: "x = " + "[" * 400 + "]" * 400 + "\n" + SITE, "invalid-toml"),
    ("site.toml", lambda: "x = " + "{a = " * 1000 + "1" + "}" * 1000 + "\n" + SITE, "invalid-toml"),
    ("site.toml", lambda: SITE + "x = '" + "x" * 200_000_000 + "'", "too-large"),
    ("site.toml", lambda: SITE + "".join(f"k{n} = 1\n" for n in range(60_000)), "wrong-type"),
]  # fmt: skip
ENDLESS_ROWS = [
    ("laboratories.csv", lambda: ",".join(HEADER) + "\n" + ",".join(ROW) + "\n" + ",,,,1\n" * 1_100_000, "too-large"),
    ("laboratories.csv", lambda: ",".join(HEADER) + "\n" + ",,,,\n" * 8_000_000, "too-large"),
]  # fmt: skip
"""Those that take longest; that rows are counted, `test_rows_are_counted_also_where_they_are_blank` says with few."""


@pytest.mark.parametrize(
    ("name", "write", "expected"),
    of_each(TEXTS, itemgetter(0, 2)) + (ENDLESS_ROWS if EXHAUSTIVE else []),
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_text_file_that_would_take_all_memory_or_time_is_a_problem_at_its_place(
    tmp_path, name, write, expected
):
    file = project(tmp_path) / "data" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(write())
    if not name.startswith("laboratories"):
        (file.parent / "laboratories.csv").write_text(",".join(HEADER) + "\n" + ",".join(ROW) + "\n")
    code, said = run("check", folder=tmp_path)
    assert (code, f"[{expected}]" in said) == (1, True), said[:2000]
    assert f"--> data/{name}" in said


TEMPLATES = [
    "{% for one in range(10**9) %}x{% endfor %}",
    "{{ range(1000000000) | sum }}",
    "{% for a in range(50000) %}{% for b in range(50000) %}x{% endfor %}{% endfor %}",
    "{{ 'x' * 10**9 }}",
    "{{ 'x' * 1000000000 }}",
    "{{ [0] * 1000000000 }}",
    "{{ 10 ** (10 ** 8) }}",
    "{{ 'x' | center(1000000000) }}",
    "{{ 'x'.ljust(1000000000) }}",
    "{{ '%1000000000d' | format(1) }}",
    "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(40) }}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% set ns = namespace(x='x') %}{% for one in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_without_an_end_is_a_problem_with_its_line(tmp_path, template):
    project(tmp_path)
    (tmp_path / "data/laboratories.csv").write_text(",".join(HEADER) + "\n" + ",".join(ROW) + "\n")
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/page.html").write_text("<p>\n" + template + "\n")
    for command in ("check", "build") if EXHAUSTIVE or template in TEMPLATES[:2] else ("build",):
        code, said = run(command, folder=tmp_path)
        assert (code, "[template-error]" in said) == (1, True), said
        assert "--> templates/page.html:2:1" in said


def test_a_template_may_do_what_pages_need(site):
    site.file(
        "templates/404.html",
        "{% for a in range(300) %}{% for b in range(300) %}{{ '-' * 3 }}{% endfor %}{% endfor %}",
    )
    site.write(laboratories=[ALPHA, BETA]).build()
    assert (site.out / "404.html").read_text() == "---" * 90_000


def test_limits_are_settings(site):
    site.file("data/site.toml", SITE + "[limits]\ntext_characters = 1000\n")
    site.write(laboratories=[ALPHA | {"about": "x" * 1001}, BETA])
    assert lines(site.check())[0].startswith('too-large data/laboratories/00001.json:7:12 "xxx')
    site.file("data/site.toml", SITE + "[limits]\ntext_characters = 2000\n")
    assert lines(site.check()) == []


@pytest.mark.parametrize("row", [",,,,1\n", ",,,,\n"])
def test_rows_are_counted_also_where_they_are_blank(site, row):
    site.without_folder("data/laboratories").file("data/site.toml", SITE + "[limits]\ntable_rows = 1000\n")
    rows = ",".join(HEADER) + "\n" + ",".join(ROW) + "\n"
    site.file("data/laboratories.csv", rows + row * 2000)
    assert codes(site.check())[-1:] == ["too-large"]


def test_the_error_of_a_formula_behind_the_last_row_is_told(tmp_path):
    file = workbook(project(tmp_path) / "data/laboratories.xlsx")
    failed = b'<row r="4"><c r="A4" t="e"><f>1/0</f><v>#DIV/0!</v></c></row></sheetData>'
    replaced(file, SHEET, lambda data: data.replace(b"</sheetData>", failed))
    assert (
        'not "#DIV/0!"\n --> data/laboratories.xlsx, sheet `laboratories`, row 4'
        in run("check", folder=tmp_path)[1]
    )
