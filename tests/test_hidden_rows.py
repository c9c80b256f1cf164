"""Hidden rows of workbooks: a filter hides laboratories from the keeper, and labgen publishes them."""

from zipfile import ZipFile

import openpyxl
import pytest

from labgen.problems.problem import Place

LAB = ["display_id", "name", "country", "deal_status", "verification_status"]


@pytest.fixture
def bare(site):
    """The sound project without laboratories."""
    return site.without_folder("data/laboratories")


def workbook(project, *hidden, title=(), count=6):
    """Write laboratories.xlsx with some laboratories and a note below them, and hide these of its rows."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "laboratories"
    for row in [*title, LAB]:
        sheet.append(row)
    for number in range(1, count + 1):
        sheet.append([f"{number:05}", f"Labor {number}", "de", "premium", "partner"])
    sheet.auto_filter.ref = sheet.dimensions
    for number in hidden:
        sheet.row_dimensions[number].hidden = True
    book.save(project.root / "data/laboratories.xlsx")
    return project


HIDDEN = {
    "by a filter": ((3, 5, 6, 7), (), "4 rows (3, 5, 6 and 1 more)", 2),
    "one by hand": ((4,), (), "1 row (4)", 3),
    "some above the header": ((1, 3), ([None, "Stand 2024"],), "1 row (3)", 2),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_rows_that_a_workbook_hides_are_published_with_one_warning(bare, name):
    hidden, title, rows, place = HIDDEN[name]
    result = workbook(bare, *hidden, title=title).build()
    (found,) = result.found
    said = f"sheet `laboratories` of `data/laboratories.xlsx` hides what is published all the same: {rows}"
    assert (found.code, found.severity, found.message) == ("hidden-rows", "warning", said)
    assert found.place == Place("data/laboratories.xlsx", ("laboratories", place))
    assert len(list((bare.root / "out/labor").iterdir())) == 6
    assert [one.code for one in bare.build().found] == ["hidden-rows"]


def test_columns_that_a_workbook_hides_are_published_with_one_warning(bare):
    file = workbook(bare).root / "data/laboratories.xlsx"
    book = openpyxl.load_workbook(file)
    sheet = book.worksheets[0]
    for column, (name, value) in {"F": ("contact_person.phone", "+49 30 1"), "G": ("_note", "x")}.items():
        sheet[f"{column}1"], sheet[f"{column}2"] = name, value
        sheet.column_dimensions[column].hidden = True
    book.save(file)
    (found,) = bare.build().found
    assert (found.code, found.severity, found.hint) == (
        "hidden-rows", "warning", "delete the columns that should not be published, or show them again"
    )  # fmt: skip
    assert found.message.endswith("hides what is published all the same: 1 column (F)")


@pytest.mark.parametrize("hidden", [(), (1,), (8, 9)])
def test_a_filter_that_hides_no_laboratory_is_no_problem(bare, hidden):
    assert workbook(bare, *hidden).check().found == []


def test_who_leaves_a_filter_on_accepts_the_warning(bare):
    accepted = '[[accept]]\ncode = "hidden-rows"\nreason = "the filter stays"\n'
    settings = bare.root / "data/site.toml"
    settings.write_text(settings.read_text() + accepted)
    assert workbook(bare, 3, 5).check().found == []


def test_rows_that_a_workbook_of_opendocument_hides_are_found_with_their_repetitions(tmp_path):
    from labgen.source.tables.hidden_rows import Hidden, hidden_in_ods

    cell = "<table:table-cell/>"
    sheets = (
        f'<table:table table:name="A"><table:table-row table:visibility="filter">{cell}</table:table-row></table:table>'
        f'<table:table table:name="B &amp; C"><table:table-column/>'
        '<table:table-column table:number-columns-repeated="2" table:visibility="collapse"/>'
        f'<table:table-row table:number-rows-repeated="2">{cell}</table:table-row>'
        f'<table:table-row table:number-rows-repeated="2" table:visibility="collapse">{cell}</table:table-row>'
        f'<table:table-row>{cell}</table:table-row><table:table-row table:visibility="filter">{cell}</table:table-row></table:table>'
    )
    file = tmp_path / "a.ods"
    with ZipFile(file, "w") as archive:
        archive.writestr("content.xml", sheets)
    assert hidden_in_ods(file, "B & C") == Hidden(frozenset({2, 3, 5}), frozenset({1, 2}))
    assert hidden_in_ods(file, "A") == Hidden(frozenset({0}))


def test_formulas_without_a_value_are_one_error_for_each_column_at_its_first_cell(bare):
    workbook(bare)
    file = bare.root / "data/laboratories.xlsx"
    book = openpyxl.load_workbook(file)
    sheet = book.worksheets[0]
    sheet["F1"] = "_note"
    for number in range(2, 8):
        sheet[f"B{number}"], sheet[f"F{number}"] = f'="Labor "&{number}', "=1+1"
    sheet["C4"], sheet["I4"] = '="de"', "=1"
    book.save(file)
    found = [one for one in bare.check().found if one.severity == "error"]
    assert [(one.place.pointer, one.message) for one in found] == [
        (("laboratories", 1, "name"), "`name` has a formula without a value in B2, B3, B4 and 3 more"),
        (("laboratories", 3, "country"), "`country` has a formula without a value in C4"),
    ]


def test_an_empty_sheet_is_no_sheet_that_is_not_read(bare):
    workbook(bare)
    file = bare.root / "data/laboratories.xlsx"
    book = openpyxl.load_workbook(file)
    book.create_sheet("Tabelle2")
    book.create_sheet("Tabelle3").append(["x"])
    book.save(file)
    assert [one.place.pointer for one in bare.check().found] == [("Tabelle3",)]
