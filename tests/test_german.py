import re
import unicodedata

import pytest

from labgen.model.german import collation_key, normalised_title, slugify


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Werkstoffprüfung Beispiel GmbH", "werkstoffpruefung-beispiel-gmbh"),
        ("Straße & Öl AG", "strasse-oel-ag"),
        ("ÄTZEREI GROẞ", "aetzerei-gross"),
        ("Łódź–Ørsted", "lodz-orsted"),
        ("Crème d’Œuf", "creme-doeuf"),
        ("Pru\u0308flabor", "prueflabor"),
        ("  3M / H₂O  ", "3m-h2o"),
        ("İstanbul", "istanbul"),
        ("北京", ""),
        ("Werk\u00adstoff\u00adprüfung", "werkstoffpruefung"),
        ("Bakı Sınaq Mərkəzi", "baki-sinaq-merkezi"),
        ("Đorđe & Þór & Ħal", "dorde-thor-hal"),
        ("ŋaɐƒʃʒɔɛ", "naafszoe"),
        ("ǣ Ǆ ŀ ĳ ﬁ Ꜳ", "ae-dz-l-ij-fi-aa"),
        ("ĸ ƣ ʉ ǃ", "q-oi-u"),
    ],
)
def test_an_address_is_made_from_a_name_the_german_way(name, slug):
    assert slugify(name) == slug


@pytest.mark.parametrize(
    "title", ["Öle und Fette", "O\u0308le und Fette", "Öle  und\u00a0fette ", "Ö\u00adle und \u200bFette"]
)
def test_titles_that_look_the_same_are_equal_in_comparisons(title):
    assert normalised_title(title) == "öle und fette"


def test_every_letter_of_the_latin_script_is_spelt():
    letters = [chr(code) for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)) if chr(code).isalpha()]
    spoken = [one for one in letters if not re.search("CLICK|TONE|STOP|TWO", unicodedata.name(one))]
    assert len(spoken) > 600
    assert [one for one in spoken if not re.fullmatch("[a-z]+", slugify(one))] == []


def test_signs_stand_in_the_order_of_unicodes_german_collation():
    ordered = [
        "Al Mg", "Al-Mg", "Al–Mg", "Al, rein", "Al’s", "Al“s", "Al(rein)", "Al/Mg", "Al®", "Al+Mg", "Al−Mg", "Al1", "Ala",
    ]  # fmt: skip
    assert sorted(set(ordered), key=collation_key) == ordered
    assert collation_key("d'Orme")[0] == collation_key("d’Orme")[0]


def test_materials_stand_in_the_order_of_a_german_dictionary():
    ordered = [
        "Aal", "Aale", "Äcker", "Acrylat", "Bar", "Bär", "Bärlapp", "Barren", "masse", "Masse", "Maße", "Massen",
        "Ofen", "Öfen", "Öl", "Ole", "Öle", "Strasse", "Straße", "Straßen", "Zebra", "Ørsted",
    ]  # fmt: skip
    ordered.insert(ordered.index("Strasse"), ordered.pop())
    assert sorted(sorted(ordered), key=collation_key) == ordered
