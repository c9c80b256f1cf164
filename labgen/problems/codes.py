"""Collect the explanations of all problem codes, except those of `labgen verify` (`verify_codes`)."""

from typing import NamedTuple


class Code(NamedTuple):
    """The explanation of a problem code: meaning, reason for the rule, example, remedy."""

    meaning: str
    reason: str
    example: str
    remedy: str


CODES: dict[str, Code] = {
    "blocked-content": Code(
        "A template puts something into a page that the page's own Content-Security-Policy forbids.",
        "Browsers do not show or run it. The policy keeps scripts of others out of the pages.",
        '<b style="color: red">, or <img src="https://elsewhere.example/a.png">',
        'Put it into a file in templates/static/, whose address is site.static("name").',
    ),
    "broken-image": Code(
        "An original cannot be decoded: it ends too early, is damaged, or is no picture.",
        "No rendition can be made of it.",
        "data/media/halle.jpg was cut off when it was copied",
        "Save it again with an image program, or fetch it again.",
    ),
    "byte-order-mark": Code(
        "A file begins with the bytes EF BB BF. (In CSV they are accepted, because Excel writes them.)",
        "Many readers of JSON, YAML and TOML take these bytes for a part of the first key, or refuse them.",
        "an old Notepad writes them",
        "Open the file in an editor and save it as UTF-8 without BOM (VS Code: click on `UTF-8 with BOM`; "
        "Notepad: the menu of `Save as`).",
    ),
    "cannot-write": Code(
        "The site cannot be written to out/.",
        "The folder holds files that labgen did not write, is in use, or the disk is full or read-only.",
        "out/ holds an index.html of yours",
        "Do what the message says; the site in out/ is as it was.",
    ),
    "certificate-number": Code(
        "The number of a certificate does not have the form that its accreditation body uses.",
        "It is probably a slip of the keyboard, or a number of another kind. The forms "
        "that labgen knows are in docs/reference/accreditation.md.",
        '"accreditation_body": "DAkkS", "number": "D-PL-1234-01-00"',
        "Compare it with the certificate. A rule that is wrong for your data is switched off by [[accept]] "
        "in data/site.toml, with its name in `rules`.",
    ),
    "contact-in-text": Code(
        "A text holds the e-mail address or telephone number of a contact person.",
        "Both are published only in their encoded form; in a text, every collector could read them.",
        '"about": "Schreiben Sie an info@alpha.example"',
        "Take it out of the text: `contact_person` publishes it encoded.",
    ),
    "control-character": Code(
        "A text or a page holds a character that cannot be shown, or a text of one line holds a line break.",
        "Clients stumble over it. `about` and `summary` may hold line breaks and tabs.",
        '"name": "Labor\\u0007 Alpha"',
        "Remove the character.",
    ),
    "dead-link": Code(
        "A link into the site leads to a document or a picture that the site does not publish.",
        "Whoever follows it gets an error. Addresses of other sites are not fetched.",
        '"link": "/api/v1/laboratory/laboratories/00999/", but there is no laboratory 00999',
        "Correct the address. That of a picture changes with the picture: link to the gallery instead.",
    ),
    "designation": Code(
        "A standard is not designated as its publisher does it, or as another entry does it.",
        "Those who search for the one spelling do not find the other.",
        "DIN EN ISO 17025:2018 instead of DIN EN ISO/IEC 17025:2018",
        "Write it as the hint says, or switch the rule off by [[accept]] in data/site.toml.",
    ),
    "duplicate-id": Code(
        "Two entries of a list, two laboratories, or two entries of a list in a laboratory have the same id.",
        "The id is the address; only one of them could be published.",
        "data/materials.csv has two rows with the id 12",
        "Give one of them an id of its own.",
    ),
    "duplicate-key": Code(
        "A key stands twice in one object, or a column twice in a header.",
        "Readers keep one of the two values, and do not agree which.",
        '{"name": "Alpha", "name": "Beta"}',
        "Remove one of the two.",
    ),
    "duplicate-reference": Code(
        "A laboratory names the same entry twice in one list.",
        "The section would show it twice.",
        '"materials": [12, 417, 12]',
        "Remove one of the two.",
    ),
    "duplicate-search-val": Code(
        "Two entries of a catalogue have the same `search_val`.",
        "A client that searches by it finds the laboratories of both (specification, 1 and 2.7).",
        "two rows of data/standards.csv with the search_val din-en-10002",
        "Give one of them a value of its own, or keep one entry.",
    ),
    "duplicate-title": Code(
        "Two entries of a catalogue have the same title, but for capitals and spaces.",
        "Clients show two lines that nobody can tell apart.",
        "data/materials.csv has Stahl with the id 12, and stahl with the id 417",
        "Make the titles differ, or keep one entry and name that.",
    ),
    "email-in-text": Code(
        "A text holds an e-mail address, of nobody who is a contact person.",
        "Texts are published as they are, so every collector can read it.",
        '"about": "Schreiben Sie an info@alpha.example"',
        "Take it out, if it should not be collected; `contact_person` publishes an address encoded.",
    ),
    "empty-file": Code(
        "A file holds nothing but white space.",
        "It is probably an export that failed.",
        "data/materials.csv has 0 bytes",
        "Fill it, or delete it. A list without entries is written [].",
    ),
    "empty-text": Code(
        "A text that must say something is empty, or only spaces.",
        "Names and titles are what clients show.",
        '"name": " "',
        "Write the text.",
    ),
    "entity": Code(
        "A text holds an entity of HTML.",
        "Texts are no HTML, so clients show it as it stands.",
        '"title": "Pr&uuml;fung N&deg; 3"',
        "Write the character itself: Prüfung N° 3",
    ),
    "guessed-encoding": Code(
        "A table is not UTF-8, and was read in the encoding that fits its letters best.",
        "Excel saves tables as Windows-1252, older programs in other encodings, and no file says which.",
        "laboratories.csv that Excel saved as `CSV (separated)`",
        "Look whether ä, ö, ü and ß are right on the pages; to be sure, save the table as `CSV UTF-8`.",
    ),
    "ignored-file": Code(
        "A file lies where labgen reads, but under a name that it does not read.",
        "It is probably a slip in the name, and its content would be missing without a word. It is an error "
        "where that is data: a laboratory, a list in another format or in capital letters.",
        "data/laboratories/00002.json.txt",
        "Rename it, or move it out of data/. Notes (.md, .txt), hidden files, backups of editors and what "
        "systems leave behind (Thumbs.db) are passed over.",
    ),
    "ignored-sheet": Code(
        "A sheet of a workbook is not called like a table, so it is not read.",
        "A slip in its name would leave out data.",
        "a sheet `Materialien` beside the sheet `laboratories`",
        "Give it the name of a table; begin the name of one with notes with _, or hide it.",
    ),
    "image-too-large": Code(
        "An original has more than 100,000,000 pixels, 20,000 on a side, or 100,000,000 bytes.",
        "A picture of a few bytes can unpack to more than a machine's memory: labgen decodes under limits.",
        "a scan of 60,000 pixels in width",
        "Scale it down: 3,200 pixels on the longer side are plenty for the largest rendition, 1600x900.",
    ),
    "invalid-country": Code(
        "A country code is not two lower-case letters.",
        "The specification's `iso_code` is (2.2).",
        "iso_code DE",
        "Write it small: de.",
    ),
    "invalid-csv": Code(
        "A row of a CSV file has more or fewer cells than the header, or a quote is not closed.",
        "Which cell belongs to which column cannot be known.",
        "12,Öl, raffiniert",
        'Put a cell that holds the separator into double quotes: 12,"Öl, raffiniert"',
    ),
    "invalid-date": Code(
        "A date is not written as year, month and day, or is not a day of the calendar.",
        "It is published as it stands, and lists are ordered by it.",
        '"published_on": "1.5.2024"',
        "Write 2024-05-01.",
    ),
    "invalid-email": Code(
        "An e-mail address is none.",
        "It is published encoded, so nobody would notice.",
        '"email": "info at alpha.example"',
        'Write it plainly, as info@alpha.example; "" if there is none.',
    ),
    "invalid-id": Code(
        "A display_id is not made of digits, or a row of a table begins with a word such as `Summe`.",
        "It is a part of the address, beside words such as `new` (specification, section 1).",
        '"display_id": "LAB-7"',
        "Use digits only; leading zeros are kept. Remove rows of totals.",
    ),
    "invalid-json": Code(
        "A file, or a line of a JSON Lines file, is not valid JSON (RFC 8259).",
        "Nothing after the place could be read.",
        '{"name": "Alpha",}',
        "Mend the place that is underlined. Texts and keys stand in double quotes; no final comma.",
    ),
    "invalid-number": Code(
        "A number is out of range, or has too many decimals.",
        "A rating has at most two decimals; labgen does not round what you wrote.",
        '"rating": "4.567"',
        "Write 4.57, with a point.",
    ),
    "invalid-path": Code(
        "The name of an image leads out of data/media/, or a base path is not of the form /a/b.",
        "Only files below data/media/ are published.",
        '"logo": "../../secret.png"',
        "Name the file as it lies below data/media/: logos/alpha.png",
    ),
    "invalid-phone": Code(
        "A telephone number holds no digit.",
        "It is published encoded, so nobody would notice.",
        '"phone": "auf Anfrage"',
        'Write the number, or "" if there is none.',
    ),
    "invalid-toml": Code(
        "data/site.toml is not valid TOML.",
        "Nothing after the place could be read.",
        "language = de",
        'Mend the place that is underlined. Texts stand in quotes: language = "de"',
    ),
    "invalid-url": Code(
        "A website is not an address that begins with https:// or http://; other links may begin with / too.",
        "Clients make a link of it; javascript: and the like would run in their readers' browsers.",
        '"website": "www.alpha.example"',
        "Write the whole address: https://www.alpha.example/",
    ),
    "invalid-value": Code(
        "A value is not one of those that its field can have.",
        "Clients rely on the form that the specification gives.",
        '"slug": "Prüf Labor"',
        "Write what the message asks for.",
    ),
    "invalid-yaml": Code(
        "A file is not valid YAML, or uses more of YAML than labgen reads: anchors, aliases or tags.",
        "Data needs none of these, and they can make a small file endless.",
        "base: &x 1",
        "Mend the place that is underlined; write values out where they are used.",
    ),
    "invisible-character": Code(
        "A text holds a character that nobody sees and that has no use there: a zero width space, a byte "
        "order mark, a mark that sets the direction of text.",
        "It came along where the text was copied. It is published as it stands, and texts that look alike "
        "are not equal. Soft hyphens, joiners, and marks beside letters from right to left are fine.",
        '"name": "Werk\\u200bstoffe"',
        "Remove it: delete the letters around it, and write them again.",
    ),
    "line-break": Code(
        "A title holds a line break or a tab.",
        "It is published as it stands, but clients show titles on one line.",
        '"title": "Prüfung\\nvon Stahl"',
        "Remove it, if it was not meant.",
    ),
    "lost-zeros": Code(
        "A number in a table seems to have lost its leading zeros.",
        "Spreadsheets take 00042 for the number 42. The display_id is a part of public addresses.",
        "a display_id 42 beside 00001, or the postal code 1067 in Germany",
        "Format the column as text and write the zeros again, or say in data/site.toml how many digits a "
        "display_id has: [tables] digits = 5",
    ),
    "many-removals": Code(
        "A build would remove more than five laboratories, and more than a tenth of them.",
        "Data that was cut off on its way (an export of the first lines) would empty the site.",
        "data/laboratories/ holds 5 files, but the site in out/ has 300 laboratories",
        "Bring the data back. If they are meant to go: labgen build --allow-removals. "
        "`removed_percent` below [limits] in data/site.toml sets another share.",
    ),
    "low-contrast": Code(
        "A colour in the settings is hard to read on the ground of the pages.",
        "Links are in this colour, and many people could not read them.",
        'colour = "#7fb0e0"',
        "Take a darker one for light pages, a lighter one for dark pages: a contrast of 4.5 or more.",
    ),
    "markup": Code(
        "A plain text holds a tag of HTML; or a summary of a catalogue holds others than <sub> and <sup>, or "
        "does not close what it opens.",
        "Clients show these two as markup, in summaries alone (specification 2.7, rule 2). The text is "
        "published as it stands.",
        '"about": "Wir prüfen <b>Stahl</b>."',
        "Remove the tag. A < that is meant as such may stay.",
    ),
    "merge-conflict": Code(
        "A file holds the marks that Git leaves where two versions of a line do not go together.",
        "Both versions stand in the file, and labgen does not choose.",
        "<<<<<<< HEAD",
        "Choose between the two versions, and remove the lines with <<<<<<<, ======= and >>>>>>>.",
    ),
    "mislabelled-image": Code(
        "An original is of another format than its name says, or of one that labgen does not read.",
        "Some programs go by the name, and fail. HEIC, TIFF and SVG are not read; an SVG can hold scripts.",
        "a screenshot in PNG that is called halle.jpg",
        "Call it what it is, or export it as JPEG, PNG, WebP, AVIF or GIF.",
    ),
    "mismatch": Code(
        "A value that labgen makes from others was written, and differs.",
        "`billing` is `<plan>:<freq>`; the `search_val` of materials and certifications is their id as text.",
        '{"plan": "business", "freq": "annual", "billing": "business:monthly"}',
        "Leave it out.",
    ),
    "missing-field": Code(
        "A field that every record of this kind needs is not there.",
        "No value could be published that would be true.",
        '{"display_id": "00123"} without a name',
        "Write it.",
    ),
    "missing-file": Code(
        "A file that is needed is not there.",
        "Settings, laboratories and upgrade options are always needed; a catalogue when an entry is named.",
        "a laboratory names materials, but there is no data/materials.csv",
        "Write it; `labgen init` shows one of each.",
    ),
    "missing-image": Code(
        "An image that a laboratory names is not below data/media/.",
        "The API would name an address that does not exist.",
        '"logo": "logos/alpha.png"',
        "Put the file there, or correct the name; upper and lower case count.",
    ),
    "missing-package": Code(
        "A package is not installed that a file needs: for YAML, workbooks or pictures, or to compress.",
        "These are extras, so that those who do not use them need not install them.",
        "data/materials.yaml, or a laboratory that names a picture",
        "Install what the message names, such as pip install pyyaml",
    ),
    "missing-words": Code(
        "A language that labgen does not know lacks words of the interface.",
        "Pages show them in English, in the middle of another language.",
        "templates/languages/rm.toml without `download`",
        "Write them below [words]; labgen's own files of words show all of them.",
    ),
    "mojibake": Code(
        "A text holds letters of UTF-8 that were read in another encoding.",
        "It is published as it stands: WerkstoffprÃ¼fung.",
        '"name": "WerkstoffprÃ¼fung"',
        "Write what the message says; if there are many, export the data again as UTF-8.",
    ),
    "not-a-file": Code(
        "A folder, or something that is not an ordinary file, has the name of a source file.",
        "There is nothing in it that could be read.",
        "data/materials.csv/ is a folder",
        "Put the file there.",
    ),
    "not-utf-8": Code(
        "A file is in another encoding than UTF-8, or is no text at all.",
        "Umlauts would be published wrong.",
        "a JSON file that an old editor saved as Windows-1252",
        "Save it as UTF-8. In Excel: save it as `CSV UTF-8`.",
    ),
    "odd-character": Code(
        "A text holds a control character between U+0080 and U+009F, or U+FFFD.",
        "It is published as it stands, but was probably a dash or a quote in the encoding Windows-1252. "
        "U+FFFD stands for a letter that was lost.",
        '"title": "Stahl \\u0096 Prüfung"',
        "Write the character that was meant.",
    ),
    "outer-space": Code(
        "A text of one line begins or ends with a space.",
        "It is published as it stands, and two texts that look alike are not equal.",
        '"name": "Labor Alpha "',
        "Remove the space.",
    ),
    "outside-data": Code(
        "A symbolic link leads out of data/.",
        "What is published should lie in the project, and not anywhere on the machine that builds it.",
        "data/materials.csv -> /home/me/materials.csv",
        "Put the file itself into data/.",
    ),
    "outside-project": Code(
        "A symbolic link in templates/ leads out of the project, or to what is hidden in it (.git/, .env).",
        "What is published should lie in the project, and not anywhere on the machine that builds it.",
        "templates/static/logo.svg -> /home/me/logo.svg",
        "Put the file itself into templates/.",
    ),
    "over-limit": Code(
        "The site is larger than a host takes.",
        "The host would refuse the deployment, or serve a part of the site.",
        "labgen build --host cloudflare, with 1,300 laboratories: over 20,000 files",
        "Do what the message says. `--allow-over-limit` builds all the same, for a plan that takes more.",
    ),
    "placeholder": Code(
        "A text is what a program writes where there is nothing, or where a formula failed.",
        "It is published as it stands.",
        '"title": "NULL", or "#REF!"',
        "Write the text, or leave it empty.",
    ),
    "rating-not-mean": Code(
        "The rating of a laboratory is not the mean of its reviews.",
        "Clients show both beside one another. The mean is rounded half up to two decimals.",
        '"rating": "4.20", with two reviews of 4.00 and 5.00',
        "Write the mean that the message names.",
    ),
    "replaced-standard": Code(
        "An entry names a standard, or an edition of it, that was replaced by another.",
        "Certificates by it are no longer valid, or soon will not be. The editions that labgen knows are in "
        "docs/reference/accreditation.md.",
        '"standard": "ISO/IEC 17025:2005"',
        "Name the current edition. An entry that is kept for former certificates says so in its title: "
        "(frühere Ausgabe). A rule is switched off by [[accept]] in data/site.toml.",
    ),
    "reversed-dates": Code(
        "A job listing ends before it was published.",
        "It is probably a slip in one of the two dates.",
        '"published_on": "2024-05-01", "valid_through": "2023-06-30"',
        "Correct the date that is wrong.",
    ),
    "search-val-is-id": Code(
        "The search_val of a test method or standard is its id as text.",
        "The specification says that the two differ in these sections (2.7).",
        '{"id": 12, "search_val": "12"}',
        "Write the value that a search takes.",
    ),
    "shared-certificate": Code(
        "Two laboratories have the number of one certificate, and not the same website.",
        "An accreditation body gives each number to one organisation. Its sites may share it: they have one "
        "website.",
        '"number": "D-PL-12345-01-00" in 00117.json and in 00118.json',
        "Correct the number of one of them, or switch the rule off by [[accept]] in data/site.toml.",
    ),
    "small-image": Code(
        "An original is smaller than the largest rendition that is made of it.",
        "The API names pictures of fixed sizes (specification 2.1, 2.5, 2.6): it is enlarged, and blurred.",
        "a logo of 64x64 pixels: it is shown in 200x160",
        "Put a larger one in its place: logos need 200x160 pixels, `image` 160x224, `gallery` 1600x900.",
    ),
    "source-changed": Code(
        "A file was changed while the site was built.",
        "What was checked is no longer what would be published.",
        "an editor saves data/laboratories/00001.json during a build",
        "Build again.",
    ),
    "template-error": Code(
        "A template cannot be compiled, or fails when a page is rendered.",
        "Nothing is written before all pages are rendered.",
        "{{ page.titel }}",
        "Mend the line that is named; docs/guides/templates.md lists the variables that templates see.",
    ),
    "two-files": Code(
        "The same list, or the laboratories, are there in two formats.",
        "labgen does not guess which one counts.",
        "data/materials.csv and data/materials.json",
        "Remove one of the two.",
    ),
    "two-hosts": Code(
        "Two hosts need a file of the same name with other contents.",
        "Both would read what was written for one of them.",
        'hosts = ["netlify-rules", "cloudflare-assets"]',
        "Build once for each host, into a folder of its own: --host and --out.",
    ),
    "two-recommended": Code(
        "More than one option of a plan is recommended.",
        "`recommend` marks the one that a client puts first (specification 2.8).",
        "monthly and annual both say recommend: true",
        "Recommend one.",
    ),
    "unknown-block": Code(
        "A template has a block that none of the templates has which it extends.",
        "A block replaces the one of the same name; without one, what it holds is shown nowhere.",
        "{% block mian %}, in a template that extends built-in/page.html",
        "Correct the name; docs/guides/templates.md lists the blocks.",
    ),
    "unknown-field": Code(
        "A key is not one that a record of this kind has.",
        "It is probably a slip, and what it says would be missing without a word.",
        '"adress": "Musterweg 1"',
        "Correct the key, or remove it. In data/site.toml, a key below a table's header is that table's.",
    ),
    "unknown-host": Code(
        "labgen does not know the host, or it cannot serve the API at all.",
        "What a host needs can be written only for those that labgen knows.",
        'hosts = ["ngnix"]',
        "`labgen hosts` lists them; `files` is for any other.",
    ),
    "unknown-reference": Code(
        "A laboratory names an entry, a country or a laboratory that is not there, or `publish` a section.",
        "The section would miss an entry without a word.",
        '"materials": [12, 417], but data/materials.csv has no 417',
        "Correct the id, or add the entry to its list.",
    ),
    "unknown-status": Code(
        "A deal_status or verification_status is not in the settings.",
        "The settings hold the title that is published with it.",
        '"deal_status": "premum"',
        "Correct it, or add it to [deal_statuses] or [verification_statuses] in data/site.toml.",
    ),
    "unnamed-column": Code(
        "A column of a sheet holds texts, but the header does not name it.",
        "Nobody knows what the texts are.",
        "a remark beside the table",
        "Name it in the header (_note for a note), or empty it.",
    ),
    "unquoted-id": Code(
        "A display_id is written as a number, and not as a text in quotes.",
        "00117 is the number 117 for most programs: leading zeros are lost, and the display_id is a part of "
        "public addresses. It is published as it is written.",
        '"display_id": 117',
        'Write it in quotes, with its zeros: "00117". Where a program exports it, let it export a text.',
    ),
    "unreadable-file": Code(
        "The operating system does not let labgen read a file.",
        "Its permissions forbid it, or it is a symbolic link to nothing.",
        "data/materials.csv belongs to another user",
        "Correct the permissions or the link.",
    ),
    "unreadable-table": Code(
        "A workbook or a database cannot be read: it is damaged, protected, or something else.",
        "Its data would be missing.",
        "laboratories.xlsx that is protected by a password",
        "Open it in the program that made it, and save it again.",
    ),
    "unused-copies": Code(
        "`copies` asks for compressed copies that none of the chosen hosts serves.",
        "They are not made, so clients that take this compression get another one, or none.",
        'hosts = ["nginx"] and copies = ["gz", "zst"]',
        "Leave it out of `copies`, or build for a host that serves it.",
    ),
    "unused-image": Code(
        "A file below data/media/ is named by no laboratory.",
        "It is probably a slip in a name, or was left behind. It is not published.",
        "data/media/logos/alpha-alt.png",
        "Name it in a record, or remove it. Notes (.md, .txt) and hidden files are passed over.",
    ),
    "unused-packs": Code(
        "`packs` is set, but none of the chosen hosts has a function that cuts files out of packs.",
        "No packs are made, and each document is a file that counts.",
        'hosts = ["nginx"] and packs = ["laboratories"]',
        "Leave out `packs`, or build for a host with such a function (`labgen hosts`).",
    ),
    "unused-template": Code(
        "A file in templates/ is used by no page.",
        "It is probably a slip in the name, and what it says would be missing without a word.",
        "view-laboratry.html lies in templates/",
        "Rename it, or remove it. Notes (.md, .txt) and hidden files are passed over.",
    ),
    "unusual-option": Code(
        "The upgrade options are others than one monthly and one annual of the plan `business`.",
        "That is what the specification shows (2.8, and the table of section 4); clients may know no other.",
        '"freq": "weekly"',
        "Correct the slip. What is meant so is published as it stands.",
    ),
    "wrong-type": Code(
        "A value is of another kind than its field: a number where a text belongs, null for a list.",
        "labgen does not guess what was meant.",
        '"name": 1860',
        'Write texts in quotes, numbers without; "" for a text that is not there.',
    ),
    "yaml-comment": Code(
        "In YAML, what follows a space and # is a comment; here it stands right behind a text.",
        "The text ends before it, and the rest would be missing without a word.",
        "name: Labor #1",
        'Put the text in quotes: "Labor #1". If it is a comment, write a space after #.',
    ),
}
