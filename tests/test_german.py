import pytest

from labgen.model.german import dictionary_key, slugify


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
    ],
)
def test_an_address_is_made_from_a_name_the_german_way(name, slug):
    assert slugify(name) == slug


def test_materials_stand_in_the_order_of_a_german_dictionary():
    ordered = [
        "Aal", "Aale", "Äcker", "Acrylat", "Bar", "Bär", "Bärlapp", "Barren", "masse", "Masse", "Maße", "Massen",
        "Ofen", "Öfen", "Öl", "Ole", "Öle", "Strasse", "Straße", "Straßen", "Zebra", "Ørsted",
    ]  # fmt: skip
    ordered.insert(ordered.index("Strasse"), ordered.pop())
    assert sorted(sorted(ordered), key=dictionary_key) == ordered
