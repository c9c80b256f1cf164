"""Merged cells: only the first of them has a value, and the laboratories in the other rows lack it."""

from typing import Any
from zipfile import ZipFile

import openpyxl
import pytest

LAB = ["display_id", "name", "country", "deal_status", "verification_status"]
ALPHA_ROW = ["00001", "Alpha", "de", "premium", "partner"]
BETA_ROW = ["00002", "Beta", "de", "premium", "partner"]


@pytest.fixture
def bare(site):
    """The sound project without laboratories."""
    return site.without_folder("data/laboratories")


def workbook(project, rows, *merged):
    """Write laboratories.xlsx, and merge these ranges of its cells."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "laboratories"
    for row in rows:
        sheet.append(row)
    for cells in merged:
        sheet.merge_cells(cells)
    book.save(project.root / "data/laboratories.xlsx")


MERGED = [
    ("F2:F3", ["the cells F2:F3 of sheet `laboratories` of `data/laboratories.xlsx` are merged, so only F2 has a value"]),
    ("C2:C3", ["the cells C2:C3 of sheet `laboratories` of `data/laboratories.xlsx` are merged, so only C2 has a value"]),
    ("F2:G2", ["the cells F2:G2 of sheet `laboratories` of `data/laboratories.xlsx` are merged, so only F2 has a value"]),
    ("F1:F2", ["the cells F1:F2 of sheet `laboratories` of `data/laboratories.xlsx` are merged, so only F1 has a value"]),
    ("F1:G1", []),
    ("F3:F4", []),
    ("G2:H3", []),
    ("H2:H3", []),
    ("I2:J3", []),
]  # fmt: skip
"""Ranges that are merged, and the problems: none in the header, or for blank rows, empty cells and notes."""


@pytest.mark.parametrize(("cells", "expected"), MERGED)
def test_merged_cells_that_hide_values_of_a_table_are_one_error(bare, cells, expected):
    more: list[list[Any]] = [
        ["locality", "address", "_note"],
        ["Dresden", None, "x"],
        ["Dresden", None, None],
    ]
    rows = [row + others for row, others in zip([LAB, ALPHA_ROW, BETA_ROW], more, strict=True)]
    workbook(bare, rows, cells)
    found = bare.check().found
    assert [one.message for one in found] == expected
    assert {one.code for one in found} <= {"merged-cells"}


def test_a_merged_cell_is_told_where_its_value_is_missing(bare):
    workbook(bare, [["Labore"], LAB, ALPHA_ROW, BETA_ROW], "A1:E1", "C3:C4")
    (told,) = bare.check().problems
    assert told.problem.message.startswith("the cells C3:C4 of sheet `laboratories`")
    assert told.where == "sheet `laboratories`, row 4, column C (`country`)"
    assert told.problem.hint == "unmerge them, and write the value into each row"


SPACE = "urn:oasis:names:tc:opendocument:xmlns"


def ods(project, rows):
    """Write laboratories.ods; a cell is a text, or a text with the rows and the columns that it spans."""
    cells = [[one if isinstance(one, tuple) else (one, 1, 1) for one in row] for row in rows]
    xml = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string" table:number-columns-spanned="{width}" table:number-rows-spanned="{height}"><text:p>{text}</text:p></table:table-cell>'
            if text
            else "<table:covered-table-cell/>"
            for text, height, width in row
        )
        + "</table:table-row>"
        for row in cells
    )
    spaces = " ".join(f'xmlns:{one}="{SPACE}:{one}:1.0"' for one in ("office", "table", "text"))
    blank = '<table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="5"/></table:table-row>'
    sheets = (
        f'<table:table table:name="_Notiz"/><table:table table:name="laboratories">{blank}{xml}</table:table>'
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    with ZipFile(project.root / "data/laboratories.ods", "w") as archive:
        archive.writestr("mimetype", kind)
        archive.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{SPACE}:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>',
        )
        archive.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body></office:document-content>",
        )


def test_merged_cells_of_an_opendocument_workbook_are_found(bare):
    top = [[("Labore", 1, 7), *[""] * 6], [*LAB, "locality", "address"]]
    ods(bare, [*top, [*ALPHA_ROW, "Ulm", "Weg 1"], [*BETA_ROW, "Ulm", "Weg 1"]])
    assert bare.check().found == []
    gamma = ["00003", "Gamma", *BETA_ROW[2:], "Ulm", ""]
    ods(bare, [*top, [*ALPHA_ROW, ("Ulm", 2, 1), "Weg 1"], [*BETA_ROW, "", ("Weg 2", 2, 1)], gamma])
    assert [one.message for one in bare.check().found] == [
        f"the cells {cells} of sheet `laboratories` of `data/laboratories.ods` are merged, so only {first} has a value"
        for cells, first in (("F5:F6", "F5"), ("G6:G7", "G6"))
    ]
