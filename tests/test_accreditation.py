"""What is known of accreditation: forms of numbers, editions of standards, spellings, shared certificates."""

import re

from conftest import SITE, codes, laboratory, line

from labgen.model.accreditation_rules import NUMBER_RULES, RULE_NAMES, STANDARD_RULES
from labgen.source.checks.designations import designation_in

STANDARD = {"id": 1, "search_val": "iso-iec-17025", "title": "Labore", "standard": "ISO/IEC 17025:2017"}


def certified(display_id, *numbers, body="DAkkS", **more):
    listed = [
        {"id": place, "accreditation_standard": 1, "accreditation_body": body, "number": number}
        for place, number in enumerate(numbers, 1)
    ]
    return laboratory(display_id, accreditations=listed, **more)


def found(site, *laboratories, standards=(STANDARD,), **more):
    outcome = site.write(
        laboratories=list(laboratories), accreditation_standards=list(standards), **more
    ).check()
    return [(one.problem.code, one.problem.message, one.problem.hint) for one in outcome.problems]


def test_each_form_of_numbers_has_its_example_and_takes_no_words():
    assert all(re.fullmatch(one.pattern, one.example) for one in NUMBER_RULES)
    assert not any(re.fullmatch(one.pattern, "siehe Urkunde") for one in NUMBER_RULES)


def test_each_rule_has_a_name_of_its_own_and_a_source():
    assert len(set(RULE_NAMES)) == len(RULE_NAMES)
    assert all("https://" in one.source for one in (*NUMBER_RULES, *STANDARD_RULES))


MEANT = [
    ("DAkkS", "D-PL-12345-01-00 (Kat. III)", None),
    ("DAkkS", "D-PL-1234-01-00", "they look like D-PL-12345-01-00"),
    ("Deutsche Akkreditierungsstelle GmbH", "D\u2011PL\u201112345\u201101\u201100", 'did you mean "D-PL-12345-01-00"?'),
    ("dakks", "d-k-12345-01-00", 'did you mean "D-K-12345-01-00"?'),
    ("DAkkS", "D - ZE - 12345 - 01 - 00", 'did you mean "D-ZE-12345-01-00"?'),
    ("DAkkS", "DAkkS D-EP-12345-01-00", 'did you mean "D-EP-12345-01-00"?'),
    ("UKAS", "UKAS No. 0123", 'did you mean "0123"?'),
    ("SAS", "STS-0123", 'did you mean "STS 0123"?'),
    ("A2LA", "1234", "they look like 1234.01"),
    ("ILAC", "unbekannt", None),
    ("UKAS", "", None),
]  # fmt: skip


def test_a_number_in_another_form_is_warned_of_with_what_was_probably_meant(site):
    every = found(
        site, *(certified(f"{place:05}", number, body=body) for place, (body, number, _) in enumerate(MEANT))
    )
    warned = [one for one in every if one[0] != "placeholder"]  # of `unbekannt`
    assert {code for code, _, _ in warned} == {"certificate-number"}
    assert [hint.partition(" (rule")[0] for _, _, hint in warned] == [hint for _, _, hint in MEANT if hint]


def test_a_number_of_two_organisations_is_warned_of_once_and_sites_of_one_share_it(site):
    one = certified(
        "00001", "D-PL-12345-01-00", "D-PL-12345-01-00 (Kat. III)", website="https://www.a.example/x"
    )
    branch = certified("00002", "D-PL-12345-01-00", website="http://a.example")
    other = certified("00003", "D-PL-99999-01-00", "D-PL-12345-01-00", website="https://b.example")
    assert found(site, one, branch) == []
    assert [message for _, message, _ in found(site, one, branch, other)] == [
        "`number` D-PL-12345-01-00 is also that of the laboratory 00001 (Labor 00001)"
    ]
    (warned,) = site.build().problems
    assert line(warned) == 'shared-certificate data/laboratories/00003.json:18:17 "D-PL-12345-01-00"'


def test_a_copy_of_a_laboratory_is_one_mistake(site):
    site.write(laboratories=[certified("00001", "D-PL-12345-01-00")], accreditation_standards=[STANDARD])
    copy = (site.root / "data/laboratories/00001.json").read_bytes()
    assert codes(site.file("data/laboratories/Kopie.json", copy).check()) == ["duplicate-id"]


def test_a_shared_number_is_still_warned_of_after_another_edit_and_not_after_it_is_mended(site):
    one, other = certified("00001", "D-PL-12345-01-00"), certified("00002", "D-PL-12345-01-00")
    third = laboratory("00003")
    site.write(laboratories=[one, other, third], accreditation_standards=[STANDARD])
    assert codes(site.build()) == ["shared-certificate"]
    site.write(laboratories=[one, other, third | {"name": "Neu"}])
    assert codes(site.build()) == ["shared-certificate"]
    site.write(laboratories=[certified("00001", "D-PL-54321-01-00"), other, third])
    assert codes(site.build()) == []


REPLACED, SPELLING = "replaced-standard", "designation"
DESIGNATIONS = [
    ("ISO/IEC 17025:2005", "Labore", REPLACED),
    ("DIN EN ISO/IEC 17025:2005-08", "Labore", REPLACED),
    ("DIN EN ISO/IEC 17025:2005", "Labore (frühere Ausgabe)", None),
    ("DIN EN ISO/IEC 17025:2018-03", "Labore", None),
    ("ISO/IEC 17025", "Labore", None),
    ("DIN EN 45001", "Labore", REPLACED),
    ("ISO/IEC 17021:2011", "Zertifizierung", REPLACED),
    ("DIN EN ISO/IEC 17043:2010", "Eignung", REPLACED),
    ("DIN EN ISO/IEC 17021-2:2019", "Zertifizierung", None),
    ("ISO 15189:2012", "Medizin", REPLACED),
    ("DIN EN 15195:2015", "Cetanzahl", None),
    ("DIN EN ISO 17025:2018", "Labore", SPELLING),
    ("ISO-IEC 17025-2017", "Labore", SPELLING),
    ("ISO/IEC 9001:2015", "Labore", SPELLING),
    ("Fachmodul Wasser", "Wasser", None),
]


def test_replaced_standards_and_odd_designations_are_warned_of(site):
    entries = [
        {"id": place, "search_val": f"s{place}", "title": f"{title} {place}", "standard": standard}
        for place, (standard, title, _) in enumerate(DESIGNATIONS)
    ]
    outcome = site.write(accreditation_standards=entries).check()
    assert [(one.problem.place.pointer[0], one.problem.code) for one in outcome.problems] == [
        (place, code) for place, (_, _, code) in enumerate(DESIGNATIONS) if code
    ]


def test_the_designation_that_is_right_is_offered_with_the_entry_that_has_it(site):
    second = STANDARD | {"id": 2, "search_val": "b", "title": "Prüflabore", "standard": "ISO 17025 : 2017"}
    ((code, _, hint),) = found(site, laboratory("1"), standards=[STANDARD, second])
    assert (code, hint) == (
        "designation",
        "write ISO/IEC 17025:2017, as the entry 1 does (rule `iso-iec-17025`)",
    )
    own = [STANDARD | {"id": 1, "standard": "Fachmodul Wasser"}, STANDARD | {"id": 2, "search_val": "b", "title": "W", "standard": "Fachmodul  WASSER"}]  # fmt: skip
    assert [hint for _, _, hint in found(site, laboratory("1"), standards=own)] == [
        "write Fachmodul Wasser, as the entry 1 does"
    ]


def test_certifications_are_checked_by_the_first_standard_of_their_title(site):
    titles = ["ISO 9001:2008", "ISO 19443:2018, Anwendung der ISO 9001:2008", "ISO 9001 – Qualität", "OHSAS 18001:2007"]  # fmt: skip
    entries = [{"id": place, "title": title} for place, title in enumerate(titles)]
    assert [message for _, message, _ in found(site, laboratory("1"), certifications=entries)] == [
        "`title` names ISO 9001:2008, which was replaced by ISO 9001:2015 (DIN EN ISO 9001:2015)",
        "`title` names OHSAS 18001, which was replaced by ISO 45001:2018 (DIN EN ISO 45001:2023)",
    ]


def test_the_current_edition_of_each_standard_is_written_as_its_rule_says():
    for rule in STANDARD_RULES:
        for text in re.split(r" \(|\)", rule.current)[:2]:
            named = designation_in(text)
            assert named
            assert (named.rule, named.canonical, named.is_replaced) == (rule, text, False)
        assert all(map(designation_in, rule.former))
        assert all(named.is_replaced for one in rule.former if (named := designation_in(one)))


def test_a_rule_is_switched_off_by_its_name(site):
    accept = '[[accept]]\ncode = "certificate-number"\nrules = ["dakks"]\nreason = "alte Nummern"\n'
    site.file("data/site.toml", SITE + accept)
    both = certified("00001", "1", "2"), certified("00002", "x", body="UKAS")
    assert [message.split()[-4] for _, message, _ in found(site, *both)] == ["UKAS"]
    (unknown,) = site.file("data/site.toml", SITE + accept.replace("dakks", "daks")).check().problems[:1]
    assert (unknown.problem.hint, unknown.span[:2]) == ("did you mean `dakks`?", (9, 10))
