"""Source data for benchmarks: a directory of any size, the same for the same size on every machine.

    python tests/bench/generate.py FOLDER LABORATORIES

Each laboratory has about 60 entries in materials, test methods, accreditations and certifications, and a
median of 60 standards; one in a hundred has 1,500. A few specialities are common and most are rare; a third of
the laboratories name the material 1.
"""

import json
import random
import sys
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from labgen.model.catalogues import CATALOGUES, Catalogue, list_naming

MATERIALS, TEST_METHODS, ACCREDITATION_STANDARDS, CERTIFICATIONS, STANDARDS = 2_000, 2_000, 60, 200, 20_000
LARGE_EVERY, LARGE = 100, 1_500
MEDIAN_STANDARDS = 60

WORDS = [
    "Prüfung",
    "Bestimmung",
    "Ermittlung",
    "Festigkeit",
    "Härte",
    "Zähigkeit",
    "Korrosion",
    "Schwingung",
    "Dichte",
    "Körnung",
    "Feuchte",
    "Wärme",
    "Leitfähigkeit",
    "Stahl",
    "Grauguss",
    "Beton",
    "Kunststoff",
    "Gummi",
    "Öl",
    "Wasser",
    "Boden",
    "Luft",
    "Holz",
    "Glas",
    "Keramik",
    "Papier",
    "Leder",
    "Straße",
    "Asphalt",
    "Schmierstoff",
    "metallischer",
    "mineralischer",
    "organischer",
    "wässriger",
    "gasförmiger",
    "fester",
    "flüssiger",
    "überzogener",
    "geschweißter",
    "gehärteter",
]
PLACES = [
    "Köln",
    "München",
    "Düsseldorf",
    "Nürnberg",
    "Würzburg",
    "Görlitz",
    "Saarbrücken",
    "Lübeck",
    "Münster",
    "Gießen",
    "Wien",
    "Zürich",
    "Graz",
]


def text(rng: random.Random, words: int) -> str:
    """Return some German words."""
    return " ".join(rng.choices(WORDS, k=words))


def entries(catalogue: Catalogue[Any], count: int) -> Iterator[dict[str, Any]]:
    """Yield entries of a catalogue, with the fields that its records have."""
    rng = random.Random(f"{catalogue.stem} of labgen's benchmark")
    fields = catalogue.record.model_fields
    for number in range(1, count + 1):
        entry: dict[str, Any] = {"id": number, "title": f"{text(rng, 3).capitalize()} {number}"}
        if fields["search_val"].is_required():
            entry["search_val"] = f"{catalogue.stem[:2]}-{number}"
        if "summary" in fields:
            entry["summary"] = (
                "" if rng.random() < 0.25 else f"{text(rng, 12)}; H<sub>2</sub>O\t;;{text(rng, 6)}"
            )
        if "standard" in fields:
            entry["standard"] = f"DIN EN ISO/IEC {17000 + number}"
        yield entry


class Picker:
    """Picks entries of a catalogue, a few of them often and most of them seldom."""

    def __init__(self, count: int) -> None:
        self.numbers = range(1, count + 1)
        self.weights = list(accumulate(1 / (number + 20) for number in self.numbers))

    def pick(self, rng: random.Random, count: int) -> list[int]:
        """Return about `count` different entries."""
        return list(dict.fromkeys(rng.choices(self.numbers, cum_weights=self.weights, k=count)))


def laboratories(count: int) -> Iterator[dict[str, Any]]:
    """Yield the records of all laboratories."""
    rng = random.Random("laboratories of labgen's benchmark")
    pickers = {one.stem: Picker(size_of(one)) for one in COMPARED}
    others = [one for one in COMPARED if one.stem not in SIZES]
    for number in range(1, count + 1):
        materials = pickers["materials"].pick(rng, 28)
        standards = LARGE if number % LARGE_EVERY == 0 else max(1, round(rng.lognormvariate(4.094, 0.6)))
        display_id = f"{number:06}"
        record = {
            "display_id": display_id,
            "name": f"{text(rng, 2).title()} {rng.choice(PLACES)} {number}",
            "is_verified": rng.random() < 0.5,
            "country": (country := rng.choice(["de", "de", "de", "at", "ch"])),
            "locality": rng.choice(PLACES),
            "deal_status": "premium",
            "verification_status": "partner",
            "about": f"{text(rng, 20)}.\r\n{text(rng, 20)}.",
            "contact_person": {
                "first_name": "Erika",
                "last_name": "Mustermann",
                "position": "Laborleitung",
                "email": f"labor-{display_id}@labor.example",
                "phone": f"+49 30 23125-{number % 1000:03}",
            },
            "address": f"Musterstraße {number % 200}",
            "postal_code": f"{10_000 + number % 30_000 if country == 'de' else 1_000 + number % 9_000}",
            "website": f"https://labor-{display_id}.example/",
            "rating": f"{rng.randint(0, 500) / 100:.2f}",
            "materials": [1, *(one for one in materials if one != 1)] if number % 3 == 0 else [one for one in materials if one != 1],
            "test_methods": pickers["test_methods"].pick(rng, 26),
            "accreditations": [
                {"id": number * 10 + one, "accreditation_standard": rng.randint(1, ACCREDITATION_STANDARDS),
                 "accreditation_body": "DAkkS", "number": f"D-PL-{number % 100_000:05}-{one:02}-00"}
                for one in range(rng.randint(0, 4))
            ],
            "certifications": pickers["certifications"].pick(rng, 5),
            "standards": pickers["standards"].pick(rng, standards),
        }  # fmt: skip
        yield record | {list_naming(one): pickers[one.stem].pick(rng, FEW) for one in others}


COMPARED = [one for one in CATALOGUES if one.is_compared]
FEW = 5
"""Entries that a laboratory has of a catalogue that is not measured by itself."""


def size_of(catalogue: Catalogue[Any]) -> int:
    return SIZES.get(catalogue.stem, CERTIFICATIONS)


SIZES = {
    "materials": MATERIALS,
    "test_methods": TEST_METHODS,
    "accreditation_standards": ACCREDITATION_STANDARDS,
    "certifications": CERTIFICATIONS,
    "standards": STANDARDS,
}
SETTINGS = """
[deal_statuses]
premium = "Premium"
[verification_statuses]
partner = "Partner"
"""
COUNTRIES = "iso_code,slug,name\nde,deutschland,Deutschland\nat,oesterreich,Österreich\nch,schweiz,Schweiz\n"


def generate(folder: Path, count: int) -> None:
    """Write a project with as many laboratories."""
    data = folder / "data"
    (data / "laboratories").mkdir(parents=True)
    (data / "site.toml").write_text(SETTINGS, encoding="utf-8")
    (data / "countries.csv").write_text(COUNTRIES, encoding="utf-8")
    (data / "upgrade_options.json").write_text("[]", encoding="utf-8")
    for one in COMPARED:
        lines = (json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries(one, size_of(one)))
        (data / f"{one.stem}.jsonl").write_text("".join(lines), encoding="utf-8")
    for record in laboratories(count):
        path = data / "laboratories" / f"{record['display_id']}.json"
        path.write_text(json.dumps(record, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    generate(Path(sys.argv[1]), int(sys.argv[2]))
