"""Explain the codes of problems with files: missing, unreadable, in the wrong encoding or syntax."""

from labgen.problems.explanation import EITHER, WARNING, Explanation

FILE_CODES: dict[str, Explanation] = {
    "byte-order-mark": Explanation(
        "A file begins with the bytes EF BB BF. (In CSV they are accepted, because Excel writes them.)",
        "Many readers of JSON, YAML and TOML take these bytes for a part of the first key, or refuse them.",
        "an old Notepad writes them",
        "Open the file in an editor and save it as UTF-8 without BOM (VS Code: click on `UTF-8 with BOM`; "
        "Notepad: the menu of `Save as`).",
    ),
    "control-character": Explanation(
        "A text or a page holds a character that cannot be shown, or a text of one line holds a line break.",
        "Clients stumble over it. `about` and `summary` may hold line breaks and tabs.",
        '"name": "Labor\\u0007 Alpha"',
        "Remove the character.",
    ),
    "duplicate-key": Explanation(
        "A key stands twice in one object, or a column twice in a header.",
        "Readers keep one of the two values, and do not agree which.",
        '{"name": "Alpha", "name": "Beta"}',
        "Remove one of the two.",
    ),
    "empty-file": Explanation(
        "A file holds nothing but white space.",
        "It is probably an export that failed.",
        "data/materials.csv has 0 bytes",
        "Fill it, or delete it. A list without entries is written [].",
    ),
    "guessed-encoding": Explanation(
        "A table is not UTF-8, and was read in the encoding that fits its letters best.",
        "Excel saves tables as Windows-1252, older programs in other encodings, and no file says which.",
        "laboratories.csv that Excel saved as `CSV (separated)`",
        "Look whether ä, ö, ü and ß are right on the pages; to be sure, save the table as `CSV UTF-8`.",
        WARNING,
    ),
    "ignored-file": Explanation(
        "A file lies where labgen reads, but under a name that it does not read.",
        "It is probably a slip in the name, and its content would be missing without a word. It is an error "
        "where that is data: a laboratory, a list in another format or in capital letters.",
        "data/laboratories/00002.json.txt",
        "Rename it, or move it out of data/. Notes (.md, .txt), hidden files, backups of editors and what "
        "systems leave behind (Thumbs.db) are passed over.",
        EITHER,
    ),
    "ignored-sheet": Explanation(
        "A sheet of a workbook is not called like a table, so it is not read.",
        "A slip in its name would leave out data.",
        "a sheet `Materialien` beside the sheet `laboratories`",
        "Give it the name of a table; begin the name of one with notes with _, or hide it.",
        WARNING,
    ),
    "invalid-csv": Explanation(
        "A row of a CSV file has more or fewer cells than the header, or a quote is not closed.",
        "Which cell belongs to which column cannot be known.",
        "12,Öl, raffiniert",
        'Put a cell that holds the separator into double quotes: 12,"Öl, raffiniert"',
    ),
    "invalid-json": Explanation(
        "A file, or a line of a JSON Lines file, is not valid JSON (RFC 8259).",
        "Nothing after the place could be read.",
        '{"name": "Alpha",}',
        "Mend the place that is underlined. Texts and keys stand in double quotes; no final comma.",
    ),
    "invalid-toml": Explanation(
        "data/site.toml is not valid TOML.",
        "Nothing after the place could be read.",
        "language = de",
        'Mend the place that is underlined. Texts stand in quotes: language = "de"',
    ),
    "invalid-yaml": Explanation(
        "A file is not valid YAML, or uses more of YAML than labgen reads: anchors, aliases or tags.",
        "Data needs none of these, and they can make a small file endless.",
        "base: &x 1",
        "Mend the place that is underlined; write values out where they are used.",
    ),
    "lost-zeros": Explanation(
        "A display_id, or another number in a table, seems to have lost its leading zeros. It is an error "
        "where a laboratory of the site in out/ would get another address by it.",
        "Spreadsheets take 00042 for the number 42. The display_id is a part of public addresses.",
        "a table has the display_id 42 beside 00001, or data of any format has 42 where the site has 00042",
        "Format the column as text and write the zeros again, or say in data/site.toml how many digits a "
        "display_id has: [tables] digits = 5. Where laboratories are to get other addresses: labgen build "
        "--allow-removals",
        EITHER,
    ),
    "merge-conflict": Explanation(
        "A file holds the marks that Git leaves where two versions of a line do not go together.",
        "Both versions stand in the file, and labgen does not choose.",
        "<<<<<<< HEAD",
        "Choose between the two versions, and remove the lines with <<<<<<<, ======= and >>>>>>>.",
    ),
    "merged-cells": Explanation(
        "Cells of a sheet are merged across rows or columns of the table.",
        "Only the first of them has a value, and the laboratories in the other rows would be published "
        "without it. Merged cells above the header do no harm.",
        "D2:D3 are merged, and show `Dresden` for two laboratories",
        "Unmerge them, and write the value into each row. In .xlsb, they are not found.",
    ),
    "missing-file": Explanation(
        "A file that is needed is not there.",
        "Settings, laboratories and upgrade options are always needed; a catalogue when an entry is named.",
        "a laboratory names materials, but there is no data/materials.csv",
        "Write it; `labgen init` shows one of each.",
    ),
    "missing-package": Explanation(
        "A package is not installed that a file needs: for YAML, workbooks or pictures, or to compress.",
        "These are extras, so that those who do not use them need not install them.",
        "data/materials.yaml, or a laboratory that names a picture",
        "Install what the message names, such as pip install pyyaml",
    ),
    "not-a-file": Explanation(
        "A folder, or something that is not an ordinary file, has the name of a source file.",
        "There is nothing in it that could be read.",
        "data/materials.csv/ is a folder",
        "Put the file there.",
    ),
    "not-utf-8": Explanation(
        "A file is in another encoding than UTF-8, or is no text at all.",
        "Umlauts would be published wrong.",
        "a JSON file that an old editor saved as Windows-1252",
        "Save it as UTF-8. In Excel: save it as `CSV UTF-8`.",
    ),
    "outside-data": Explanation(
        "A symbolic link leads out of data/.",
        "What is published should lie in the project, and not anywhere on the machine that builds it.",
        "data/materials.csv -> /home/me/materials.csv",
        "Put the file itself into data/.",
    ),
    "outside-project": Explanation(
        "A symbolic link in templates/ leads out of the project, or to what is hidden in it (.git/, .env).",
        "What is published should lie in the project, and not anywhere on the machine that builds it.",
        "templates/static/logo.svg -> /home/me/logo.svg",
        "Put the file itself into templates/.",
    ),
    "source-changed": Explanation(
        "A file was changed while the site was built.",
        "What was checked is no longer what would be published.",
        "an editor saves data/laboratories/00001.json during a build",
        "Build again.",
    ),
    "too-large": Explanation(
        "A file, a laboratory, a table or a text is larger than the settings below [limits] allow.",
        "It would take the memory of the machine, and is probably a slip: a cell far behind the table, a row "
        "that is repeated to the end of the sheet, a view without an end.",
        "a blank in the last cell of a sheet (XFD1048576)",
        "Remove what is not meant. If it is meant, raise the setting that the message names.",
    ),
    "too-many-problems": Explanation(
        "A file has so many problems that the rest of it was not checked.",
        "They probably have one cause, and nobody reads them all.",
        "a table with 100,000 rows whose columns are shifted by one",
        "Mend those that are shown, and check again.",
    ),
    "two-files": Explanation(
        "The same list, or the laboratories, are there in two formats.",
        "labgen does not guess which one counts.",
        "data/materials.csv and data/materials.json",
        "Remove one of the two.",
    ),
    "unnamed-column": Explanation(
        "A column of a sheet holds texts, but the header does not name it.",
        "Nobody knows what the texts are.",
        "a remark beside the table",
        "Name it in the header (_note for a note), or empty it.",
    ),
    "unreadable-file": Explanation(
        "The operating system does not let labgen read a file.",
        "Its permissions forbid it, or it is a symbolic link to nothing.",
        "data/materials.csv belongs to another user",
        "Correct the permissions or the link.",
    ),
    "unreadable-table": Explanation(
        "A workbook or a database cannot be read: it is damaged, protected, or something else.",
        "Its data would be missing.",
        "laboratories.xlsx that is protected by a password",
        "Open it in the program that made it, and save it again.",
    ),
    "yaml-comment": Explanation(
        "In YAML, what follows a space and # is a comment; here it stands right behind a text.",
        "The text ends before it, and the rest would be missing without a word.",
        "name: Labor #1",
        'Put the text in quotes: "Labor #1". If it is a comment, write a space after #.',
        WARNING,
    ),
}
