"""Define the rules of accreditation as data: formats of certificate numbers, current editions of standards.

docs/reference/accreditation.md is generated from these rows. A format is listed only if it is certain, and
rather allows too much than too little. Numbers of accreditation bodies that are not listed are not checked.
"""

from typing import NamedTuple


class NumberRule(NamedTuple):
    """The format of the certificate numbers of an accreditation body.

    `bodies` are the names of the body, `pattern` is a regular expression for a whole number without a suffix
    in parentheses. If `is_unique`, a number belongs to one organisation only.
    """

    name: str
    bodies: tuple[str, ...]
    pattern: str
    example: str
    source: str
    is_unique: bool = True


class StandardRule(NamedTuple):
    """A standard by which laboratories are accredited or certified, with its current edition.

    `year` is the year of the current international edition, `current` its full designation. `former` are
    designations of the standards that it replaced.
    """

    name: str
    designation: str
    year: int
    current: str
    source: str
    former: tuple[str, ...] = ()


NUMBER_RULES = (
    NumberRule(
        "dakks",
        ("DAkkS", "Deutsche Akkreditierungsstelle", "Deutsche Akkreditierungsstelle GmbH"),
        r"D-[A-Z]{1,2}-\d{5}-\d{2}-\d{2}",
        "D-PL-12345-01-00",
        "DAkkS, structure of the registration number (https://www.dakks.de/en/step-2-application-.html)",
    ),
    NumberRule(
        "akkreditierung-austria",
        ("Akkreditierung Austria",),
        r"\d{4}",
        "0123",
        "Akkreditierung Austria, list of accredited bodies (https://www.akkreditierung-austria.gv.at/)",
        is_unique=False,
    ),
    NumberRule(
        "sas",
        ("SAS", "Schweizerische Akkreditierungsstelle", "Swiss Accreditation Service"),
        r"S[A-Z]{2,3}[a-z]? \d{3,4}",
        "STS 0123",
        "SAS, register of accredited bodies (https://www.sas.admin.ch/)",
    ),
    NumberRule(
        "ukas",
        ("UKAS", "United Kingdom Accreditation Service"),
        r"\d{3,5}",
        "0123",
        "UKAS, register of accredited organisations (https://www.ukas.com/find-an-organisation/)",
        is_unique=False,
    ),
    NumberRule(
        "cofrac",
        ("COFRAC", "Comité français d'accréditation"),
        r"\d-\d{4}(?: ?[Rr][ée]v\.? ?\d+)?",
        "1-0123",
        "COFRAC, search of accredited bodies (https://www.cofrac.fr/)",
    ),
    NumberRule(
        "rva",
        ("RvA", "Raad voor Accreditatie", "Dutch Accreditation Council"),
        r"[A-Z] ?\d{3}",
        "L 123",
        "RvA, register of accredited organisations (https://www.rva.nl/)",
    ),
    NumberRule(
        "belac",
        ("BELAC",),
        r"\d{3}-[A-Z]{1,5}",
        "123-TEST",
        "BELAC, list of accredited bodies (https://economie.fgov.be/belac)",
    ),
    NumberRule(
        "pca",
        ("PCA", "Polskie Centrum Akredytacji", "Polish Centre for Accreditation"),
        r"[A-Z]{2} ?\d{3,4}",
        "AB 123",
        "PCA, accredited organisations (https://www.pca.gov.pl/)",
    ),
    NumberRule(
        "swedac",
        ("SWEDAC",),
        r"\d{4}",
        "1234",
        "Swedac, register of accredited bodies (https://www.swedac.se/)",
        is_unique=False,
    ),
    NumberRule(
        "finas",
        ("FINAS",),
        r"[A-Z]\d{3}",
        "T123",
        "FINAS, accredited organisations (https://www.finas.fi/)",
    ),
    NumberRule(
        "tuerkak",
        ("TÜRKAK", "TURKAK"),
        r"AB-\d{4}-[A-Z]{1,2}",
        "AB-0123-T",
        "TÜRKAK, search of accredited bodies (https://www.turkak.org.tr/)",
    ),
    NumberRule(
        "a2la",
        ("A2LA", "American Association for Laboratory Accreditation"),
        r"\d{4}\.\d{2,3}",
        "1234.01",
        "A2LA, directory of accredited organizations (https://a2la.org/)",
    ),
    NumberRule(
        "anab",
        ("ANAB", "ANSI National Accreditation Board"),
        r"[A-Z]{1,4}-?\d{3,4}(?:[.-]\d{1,3})?",
        "AT-1234",
        "ANAB, directory of accredited organizations (https://anab.ansi.org/)",
    ),
    NumberRule(
        "nvlap",
        ("NVLAP",),
        r"\d{6}-\d",
        "200123-0",
        "NIST, directory of NVLAP (https://www.nist.gov/nvlap)",
    ),
    NumberRule(
        "nabl",
        ("NABL", "National Accreditation Board for Testing and Calibration Laboratories"),
        r"[A-Z]{1,2}-\d{3,5}",
        "TC-12345",
        "NABL, search of accredited laboratories (https://nabl-india.org/)",
    ),
    NumberRule(
        "cnas",
        ("CNAS",),
        r"(?:CNAS )?[A-Z]{1,2}\d{3,5}(?:-[A-Z]{1,2})?",
        "L12345",
        "CNAS, list of accredited bodies (https://www.cnas.org.cn/english/)",
    ),
    NumberRule(
        "nata",
        ("NATA", "National Association of Testing Authorities"),
        r"\d{1,5}",
        "12345",
        "NATA, search of accredited organisations (https://nata.com.au/)",
        is_unique=False,
    ),
)
"""The formats of certificate numbers, by accreditation body."""

CASCO = "ISO, standards of ISO/CASCO (https://www.iso.org/committee/54998.html)"
ISO = "ISO, catalogue of standards (https://www.iso.org/standards-catalogue/)"

STANDARD_RULES = (
    StandardRule(
        "iso-iec-17025",
        "ISO/IEC 17025",
        2017,
        "ISO/IEC 17025:2017 (DIN EN ISO/IEC 17025:2018)",
        CASCO,
        ("EN 45001", "ISO/IEC Guide 25"),
    ),
    StandardRule(
        "iso-iec-17020",
        "ISO/IEC 17020",
        2012,
        "ISO/IEC 17020:2012 (DIN EN ISO/IEC 17020:2012)",
        CASCO,
        ("EN 45004", "ISO/IEC Guide 39"),
    ),
    StandardRule(
        "iso-iec-17021-1",
        "ISO/IEC 17021-1",
        2015,
        "ISO/IEC 17021-1:2015 (DIN EN ISO/IEC 17021-1:2015)",
        CASCO,
        ("EN 45012", "ISO/IEC 17021", "ISO/IEC Guide 62", "ISO/IEC Guide 66"),
    ),
    StandardRule(
        "iso-iec-17024",
        "ISO/IEC 17024",
        2012,
        "ISO/IEC 17024:2012 (DIN EN ISO/IEC 17024:2012)",
        CASCO,
        ("EN 45013",),
    ),
    StandardRule(
        "iso-iec-17043",
        "ISO/IEC 17043",
        2023,
        "ISO/IEC 17043:2023 (DIN EN ISO/IEC 17043:2023)",
        CASCO,
        ("ISO/IEC Guide 43-1",),
    ),
    StandardRule(
        "iso-iec-17065",
        "ISO/IEC 17065",
        2012,
        "ISO/IEC 17065:2012 (DIN EN ISO/IEC 17065:2013)",
        CASCO,
        ("EN 45011", "ISO/IEC Guide 65"),
    ),
    StandardRule(
        "iso-17034",
        "ISO 17034",
        2016,
        "ISO 17034:2016 (DIN EN ISO 17034:2017)",
        "ISO, standards of ISO/TC 334 (https://www.iso.org/committee/8645414.html)",
        ("ISO Guide 34",),
    ),
    StandardRule(
        "iso-15189",
        "ISO 15189",
        2022,
        "ISO 15189:2022 (DIN EN ISO 15189:2023)",
        "ISO, standards of ISO/TC 212 (https://www.iso.org/committee/54916.html)",
        ("ISO 22870",),
    ),
    StandardRule("iso-15195", "ISO 15195", 2018, "ISO 15195:2018 (DIN EN ISO 15195:2019)", ISO),
    StandardRule("iso-14065", "ISO 14065", 2020, "ISO 14065:2020 (DIN EN ISO 14065:2022)", ISO),
    StandardRule("iso-9001", "ISO 9001", 2015, "ISO 9001:2015 (DIN EN ISO 9001:2015)", ISO),
    StandardRule("iso-14001", "ISO 14001", 2015, "ISO 14001:2015 (DIN EN ISO 14001:2015)", ISO),
    StandardRule(
        "iso-45001", "ISO 45001", 2018, "ISO 45001:2018 (DIN EN ISO 45001:2023)", ISO, ("OHSAS 18001",)
    ),
    StandardRule("iso-50001", "ISO 50001", 2018, "ISO 50001:2018 (DIN EN ISO 50001:2018)", ISO),
    StandardRule("iso-13485", "ISO 13485", 2016, "ISO 13485:2016 (DIN EN ISO 13485:2021)", ISO),
    StandardRule("iso-22000", "ISO 22000", 2018, "ISO 22000:2018 (DIN EN ISO 22000:2018)", ISO),
    StandardRule(
        "iso-iec-27001", "ISO/IEC 27001", 2022, "ISO/IEC 27001:2022 (DIN EN ISO/IEC 27001:2024)", ISO
    ),
)
"""The current editions of standards known to this version of labgen. A later year is never reported."""

RULE_NAMES = tuple(one.name for one in (*NUMBER_RULES, *STANDARD_RULES))
"""The names of all rules, with which `[[accept]]` in the settings switches them off."""
