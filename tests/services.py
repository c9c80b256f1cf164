"""A service with this API, as a stand-in: documents by their paths, as Django REST framework sends them."""

import json
from typing import Any

from stand_ins import Answer, Asked

LABORATORIES = "/api/v1/laboratory/laboratories/"
Documents = dict[str, Any]


def codes(text: str) -> str:
    return ",".join(str(ord(char)) for char in text)


COUNTRY = {"iso_code": "de", "slug": "deutschland", "name": "Deutschland", "link": "/land/deutschland/"}


def detail(display_id: str, **fields: Any) -> dict[str, Any]:
    """Return the document of a laboratory, in the order of the specification."""
    name = fields.get("name", f"Labor {display_id}")
    document = {
        "display_id": display_id,
        "name": name,
        "is_verified": True,
        "country": COUNTRY,
        "logo_url": f"/media/cache/logo-{display_id}-100.png",
        "logo2x_url": f"/media/cache/logo-{display_id}-200.png",
        "locality": "Köln",
        "url": f"/labor/{display_id}/labor-{display_id}/",
        "deal_status": {"id": "premium", "title": "Premium"},
        "verification_status": {"id": "partner", "title": "Partner"},
        "about": "Wir prüfen.\r\nGern.",
        "contact_person": {
            "first_name": "Eva",
            "last_name": "Muster",
            "position": "",
            "encoded_email": codes(f"eva@labor-{display_id}.example"),
            "encoded_phone": codes("+49 221 1234"),
        },
        "address": "Weg 1",
        "postal_code": "01067",
        "website": None,
        "stats": {"projects": {"key": "completed", "value": "viele", "value_level": "gray", "label": "Projekte"}},
        "rating": "4.50",
    }  # fmt: skip
    return document | fields


SECTIONS = {
    "materials": ("Materialien", "materials__in"),
    "test_methods": ("Prüfverfahren", "test_methods__in"),
    "accreditations": ("Akkreditierungen", "accreditation_standards__in"),
    "certifications": ("Zertifizierungen", "certifications__in"),
    "standards": ("Normen", "tests__in"),
}


def section(name: str, *items: dict[str, Any], **head: Any) -> dict[str, Any]:
    title, argument = SECTIONS[name]
    document = {"name": name, "title": title, "search_arg": argument, "limit": 8, "hidden_count": 0}
    return {**document, **head, "items": list(items)}


def material(number: int, title: str, **fields: Any) -> dict[str, Any]:
    return {"id": number, "search_val": str(number), "title": title, **fields}


def laboratory(display_id: str, sections: Documents | None = None, **fields: Any) -> Documents:
    """Return all documents of a laboratory by their paths; `sections` replace some, None takes one away."""
    every = {
        "": detail(display_id, **fields),
        "gallery": [],
        "similar_labs": [],
        **{name: section(name) for name in SECTIONS},
        **(sections or {}),
    }
    paths = {f"{LABORATORIES}{display_id}/{name}/".replace("//", "/"): one for name, one in every.items()}
    return {path: one for path, one in paths.items() if one is not None}


def card(display_id: str, **fields: Any) -> dict[str, Any]:
    own = detail(display_id)
    document = {"display_id": display_id, "name": own["name"], "image_url": None, "locality": own["locality"]}
    return {**document, "country": COUNTRY, "url": own["url"], **fields}


def listing(*display_ids: str) -> Documents:
    """Return the list of laboratories."""
    cards = [card(one) for one in display_ids]
    return {LABORATORIES: {"count": len(cards), "next": None, "previous": None, "results": cards}}


UPGRADES = {"/api/v1/laboratory/upgrade-options/": {"laboratory": {"business": [
    {"billing": "business:monthly", "billing_label": "49 €", "freq": "monthly", "plan": "business", "plan_label": "Business", "recommend": False},
]}}}  # fmt: skip


class Service:
    """Answers with documents, or pictures, and counts what it is asked."""

    def __init__(self, *documents: Documents) -> None:
        self.documents = {path: one for some in documents for path, one in some.items()}
        self.asked: list[Asked] = []
        self.answers: dict[str, Answer] = {}

    def __call__(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        target = f"{asked.path}?{asked.query}" if asked.query else asked.path
        if target in self.answers:
            return self.answers[target]
        if target.endswith(".png"):
            return Answer(200, {"Content-Type": "image/png"}, b"\x89PNG" + target.encode())
        if target not in self.documents:
            return Answer(404, {"Content-Type": "application/json"}, b'{"detail":"Nicht gefunden."}')
        body = json.dumps(self.documents[target], ensure_ascii=False, separators=(",", ":")).encode()
        etag = f'"{hash(body)}"'
        if asked.fields.get("if-none-match") == etag:
            return Answer(304, {"ETag": etag})
        return Answer(200, {"Content-Type": "application/json", "ETag": etag}, body)
