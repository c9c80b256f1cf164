"""Explain the codes of problems with the values in source files."""

from labgen.problems.explanation import EITHER, WARNING, Explanation

DATA_CODES: dict[str, Explanation] = {
    "certificate-number": Explanation(
        "The number of a certificate does not have the form that its accreditation body uses.",
        "It is probably a slip of the keyboard, or a number of another kind. The forms "
        "that labgen knows are in docs/reference/accreditation.md.",
        '"accreditation_body": "DAkkS", "number": "D-PL-1234-01-00"',
        "Compare it with the certificate. A rule that is wrong for your data is switched off by [[accept]] "
        "in data/site.toml, with its name in `rules`.",
        WARNING,
    ),
    "contact-in-text": Explanation(
        "A text holds the e-mail address or telephone number of a contact person.",
        "Both are published only in their encoded form; in a text, every collector could read them.",
        '"about": "Schreiben Sie an info@alpha.example"',
        "Take it out of the text: `contact_person` publishes it encoded.",
    ),
    "dead-link": Explanation(
        "A link into the site leads to a document or a picture that the site does not publish.",
        "Whoever follows it gets an error. Addresses of other sites are not fetched.",
        '"link": "/api/v1/laboratory/laboratories/00999/", but there is no laboratory 00999',
        "Correct the address. That of a picture changes with the picture: link to the gallery instead.",
        WARNING,
    ),
    "designation": Explanation(
        "A standard is not designated as its publisher does it, or as another entry does it.",
        "Those who search for the one spelling do not find the other.",
        "DIN EN ISO 17025:2018 instead of DIN EN ISO/IEC 17025:2018",
        "Write it as the hint says, or switch the rule off by [[accept]] in data/site.toml.",
        WARNING,
    ),
    "duplicate-id": Explanation(
        "Two entries of a list, two laboratories, or two entries of a list in a laboratory have the same id.",
        "The id is the address; only one of them could be published.",
        "data/materials.csv has two rows with the id 12",
        "Give one of them an id of its own.",
    ),
    "duplicate-reference": Explanation(
        "A laboratory names the same entry twice in one list.",
        "The section would show it twice.",
        '"materials": [12, 417, 12]',
        "Remove one of the two.",
        EITHER,
    ),
    "duplicate-search-val": Explanation(
        "Two entries of a catalogue have the same `search_val`.",
        "A client that searches by it finds the laboratories of both (specification, 1 and 2.7).",
        "two rows of data/standards.csv with the search_val din-en-10002",
        "Give one of them a value of its own, or keep one entry.",
        WARNING,
    ),
    "duplicate-title": Explanation(
        "Two entries of a catalogue have the same title, but for capitals, spaces and what nobody sees.",
        "Clients show two lines that nobody can tell apart.",
        "data/materials.csv has Stahl with the id 12, and stahl with the id 417",
        "Make the titles differ, or keep one entry and name that.",
        WARNING,
    ),
    "email-in-text": Explanation(
        "A text holds an e-mail address, of nobody who is a contact person.",
        "Texts are published as they are, so every collector can read it.",
        '"about": "Schreiben Sie an info@alpha.example"',
        "Take it out, if it should not be collected; `contact_person` publishes an address encoded.",
        WARNING,
    ),
    "empty-text": Explanation(
        "A text that must say something is empty, or only spaces.",
        "Names and titles are what clients show.",
        '"name": " "',
        "Write the text.",
    ),
    "entity": Explanation(
        "A text holds an entity of HTML.",
        "Texts are no HTML, so clients show it as it stands.",
        '"title": "Pr&uuml;fung N&deg; 3"',
        "Write the character itself: Prüfung N° 3",
        WARNING,
    ),
    "invalid-country": Explanation(
        "A country code is not two lower-case letters.",
        "The specification's `iso_code` is (2.2).",
        "iso_code DE",
        "Write it small: de.",
    ),
    "invalid-date": Explanation(
        "A date is not written as year, month and day, or is not a day of the calendar.",
        "It is published as it stands, and lists are ordered by it.",
        '"published_on": "1.5.2024"',
        "Write 2024-05-01.",
    ),
    "invalid-email": Explanation(
        "An e-mail address is none, or has something around it, such as quotes or a full stop.",
        "It is published encoded, so nobody would notice.",
        '"email": "info at alpha.example"',
        'Write it plainly, as info@alpha.example; "" if there is none.',
    ),
    "invalid-id": Explanation(
        "A display_id is not made of digits, or a row of a table begins with a word such as `Summe`.",
        "It is a part of the address, beside words such as `new` (specification, section 1).",
        '"display_id": "LAB-7"',
        "Use digits only; leading zeros are kept. Remove rows of totals.",
    ),
    "invalid-number": Explanation(
        "A number is out of range, or has too many decimals.",
        "A rating has at most two decimals; labgen does not round what you wrote.",
        '"rating": "4.567"',
        "Write 4.57, with a point.",
    ),
    "invalid-path": Explanation(
        "The name of an image leads out of data/media/, or a base path is not of the form /a/b.",
        "Only files below data/media/ are published.",
        '"logo": "../../secret.png"',
        "Name the file as it lies below data/media/: logos/alpha.png",
    ),
    "invalid-phone": Explanation(
        "A telephone number holds no digit.",
        "It is published encoded, so nobody would notice.",
        '"phone": "auf Anfrage"',
        'Write the number, or "" if there is none.',
    ),
    "invalid-url": Explanation(
        "A website is not an address that begins with https:// or http://; other links may begin with / too. "
        "Or its host holds a character that no domain has.",
        "Clients make a link of it; javascript: and the like would run in their readers' browsers.",
        '"website": "www.alpha.example"',
        "Write the whole address: https://www.alpha.example/",
    ),
    "invalid-value": Explanation(
        "A value is not one of those that its field can have.",
        "Clients rely on the form that the specification gives.",
        '"slug": "Prüf Labor"',
        "Write what the message asks for.",
    ),
    "invisible-character": Explanation(
        "A text holds a character that nobody sees and that has no use there: a zero width space, a byte "
        "order mark, a mark that sets the direction of text.",
        "It came along where the text was copied. It is published as it stands, and texts that look alike "
        "are not equal. Soft hyphens, joiners, and marks beside letters from right to left are fine.",
        '"name": "Werk\\u200bstoffe"',
        "Remove it: delete the letters around it, and write them again.",
        WARNING,
    ),
    "line-break": Explanation(
        "A title holds a line break or a tab.",
        "It is published as it stands, but clients show titles on one line.",
        '"title": "Prüfung\\nvon Stahl"',
        "Remove it, if it was not meant.",
        WARNING,
    ),
    "markup": Explanation(
        "A plain text holds a tag of HTML; or a summary of a catalogue holds others than <sub> and <sup>, or "
        "does not close what it opens.",
        "Clients show these two as markup, in summaries alone (specification 2.7, rule 2). The text is "
        "published as it stands.",
        '"about": "Wir prüfen <b>Stahl</b>."',
        "Remove the tag. A < that is meant as such may stay.",
        WARNING,
    ),
    "mismatch": Explanation(
        "A value that labgen makes from others was written, and differs.",
        "`billing` is `<plan>:<freq>`; the `search_val` of materials and certifications is their id as text.",
        '{"plan": "business", "freq": "annual", "billing": "business:monthly"}',
        "Leave it out.",
    ),
    "missing-field": Explanation(
        "A field that every record of this kind needs is not there.",
        "No value could be published that would be true.",
        '{"display_id": "00123"} without a name',
        "Write it.",
    ),
    "mojibake": Explanation(
        "A text holds letters of UTF-8 that were read in another encoding.",
        "It is published as it stands: WerkstoffprÃ¼fung.",
        '"name": "WerkstoffprÃ¼fung"',
        "Write what the message says; if there are many, export the data again as UTF-8.",
        WARNING,
    ),
    "odd-character": Explanation(
        "A text holds a control character between U+0080 and U+009F, U+FFFD, or `?` in a word.",
        "It is published as it stands, but was probably a dash or a quote in the encoding Windows-1252. "
        "U+FFFD and `?` in a word stand for letters that were lost.",
        '"title": "Stahl \\u0096 Prüfung"',
        "Write the character that was meant.",
        WARNING,
    ),
    "outer-space": Explanation(
        "A text of one line begins or ends with a space.",
        "It is published as it stands, and two texts that look alike are not equal.",
        '"name": "Labor Alpha "',
        "Remove the space.",
        WARNING,
    ),
    "placeholder": Explanation(
        "A text is what a program or a person writes where there is nothing, or where a formula failed.",
        "It is published as it stands.",
        '"title": "NULL", or "#REF!"',
        "Write the text, or leave it empty.",
        WARNING,
    ),
    "postal-code": Explanation(
        "A postal code in Germany is not five digits.",
        "Spreadsheets, and programs that read their cells as numbers, take 01067 for the number 1067. "
        "The place and the country have fields of their own.",
        '"country": "de", "postal_code": "1067"',
        'Write the zero, in quotes: "01067". In a spreadsheet, format the column as text.',
        WARNING,
    ),
    "rating-not-mean": Explanation(
        "The rating of a laboratory is not the mean of its reviews.",
        "Clients show both beside one another. The mean is rounded half up to two decimals.",
        '"rating": "4.20", with two reviews of 4.00 and 5.00',
        "Write the mean that the message names.",
        WARNING,
    ),
    "replaced-standard": Explanation(
        "An entry names a standard, or an edition of it, that was replaced by another.",
        "Certificates by it are no longer valid, or soon will not be. The editions that labgen knows are in "
        "docs/reference/accreditation.md.",
        '"standard": "ISO/IEC 17025:2005"',
        "Name the current edition. An entry that is kept for former certificates says so in its title: "
        "(frühere Ausgabe). A rule is switched off by [[accept]] in data/site.toml.",
        WARNING,
    ),
    "reversed-dates": Explanation(
        "A job listing ends before it was published.",
        "It is probably a slip in one of the two dates.",
        '"published_on": "2024-05-01", "valid_through": "2023-06-30"',
        "Correct the date that is wrong.",
        WARNING,
    ),
    "search-val-is-id": Explanation(
        "The search_val of a test method or standard is its id as text.",
        "The specification says that the two differ in these sections (2.7).",
        '{"id": 12, "search_val": "12"}',
        "Write the value that a search takes.",
        WARNING,
    ),
    "shared-certificate": Explanation(
        "Two laboratories have the number of one certificate, and not the same website.",
        "An accreditation body gives each number to one organisation. Its sites may share it: they have one "
        "website.",
        '"number": "D-PL-12345-01-00" in 00117.json and in 00118.json',
        "Correct the number of one of them, or switch the rule off by [[accept]] in data/site.toml.",
        WARNING,
    ),
    "two-recommended": Explanation(
        "More than one option of a plan is recommended.",
        "`recommend` marks the one that a client puts first (specification 2.8).",
        "monthly and annual both say recommend: true",
        "Recommend one.",
        WARNING,
    ),
    "unknown-field": Explanation(
        "A key is not one that a record of this kind has.",
        "It is probably a slip, and what it says would be missing without a word.",
        '"adress": "Musterweg 1"',
        "Correct the key, or remove it. In data/site.toml, a key below a table's header is that table's.",
        EITHER,
    ),
    "unknown-reference": Explanation(
        "A laboratory names an entry, a country or a laboratory that is not there, `publish` a section, or "
        "the mapping of an import a sheet or a column.",
        "What it means would be missing without a word.",
        '"materials": [12, 417], but data/materials.csv has no 417',
        "Correct the id, the title in a table or the name, or add the entry to its list.",
    ),
    "unknown-status": Explanation(
        "A deal_status or verification_status is not in the settings.",
        "The settings hold the title that is published with it.",
        '"deal_status": "premum"',
        "Correct it, or add it to [deal_statuses] or [verification_statuses] in data/site.toml.",
    ),
    "unquoted-id": Explanation(
        "A display_id is written as a number, and not as a text in quotes.",
        "00117 is the number 117 for most programs: leading zeros are lost, and the display_id is a part of "
        "public addresses. It is published as it is written.",
        '"display_id": 117',
        'Write it in quotes, with its zeros: "00117". Where a program exports it, let it export a text.',
        WARNING,
    ),
    "wrong-type": Explanation(
        "A value is of another kind than its field: a number where a text belongs, null for a list.",
        "labgen does not guess what was meant.",
        '"name": 1860',
        'Write texts in quotes, numbers without; "" for a text that is not there.',
    ),
}
