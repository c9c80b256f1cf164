"""The shipped sample: large and odd enough to be worth looking at, and published whole."""

import json
import re
from pathlib import Path

import pytest
from conftest import EXTRAS
from draw_pictures import draw, named
from PIL import Image, ImageChops, ImageStat
from pydantic import TypeAdapter

from labgen.api.sections import PER_LABORATORY, PER_SITE
from labgen.model.picture_fields import PICTURE_FIELDS
from labgen.pipeline.build import build
from labgen.render.encode_json import render_json

ROOT = Path(__file__).resolve().parent.parent
MEDIA = ROOT / "data/media"


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    outcome = build(ROOT, folder)
    assert outcome.problems == ()
    return folder


RECORDS = [json.loads(path.read_bytes()) for path in sorted((ROOT / "data/laboratories").glob("*.json"))]


def count(name: str) -> int:
    text = next((ROOT / "data").glob(f"{name}.*")).read_text(encoding="utf-8")
    return (
        len(json.loads(text)) if text.startswith("[") else len(text.splitlines()) - (not text.startswith("{"))
    )


def test_the_sample_is_as_large_as_a_directory_worth_looking_at():
    assert len(RECORDS) >= 24
    assert len({record["country"] for record in RECORDS}) >= 5
    for name, least in {
        "materials": 60, "test_methods": 80, "standards": 1500, "accreditation_standards": 20, "certifications": 20, "test_categories": 12, "equipments": 12, "material_categories": 12,
    }.items():  # fmt: skip
        assert count(name) >= least, name


def test_the_sample_holds_what_is_odd():
    assert max(len(record.get("standards", [])) for record in RECORDS) > 1200
    assert any(
        not record.get("locality") and not record.get("website") and not record.get("image")
        for record in RECORDS
    )
    texts = "".join(json.dumps(record, ensure_ascii=False) for record in RECORDS)
    standards = (ROOT / "data/standards.jsonl").read_text(encoding="utf-8")
    for odd in (r"\r\n", r"\t", ";;", "</script>", "ß", "ü"):
        assert odd in texts
    assert re.search("[\U0001f300-\U0001faff]", texts)
    for odd in ("<sub>", "<sup>", ";;", r"\r\n", r"\t", "&", " < "):
        assert odd in standards


def test_the_sample_has_data_for_every_section_that_not_every_directory_has(out):
    for endpoint in (one for one in PER_LABORATORY if one.is_optional):
        counts = [len(record.get(endpoint.name, [])) for record in RECORDS]
        assert sum(counts) >= 2, endpoint.name
    assert len({record.get("published_on") for record in RECORDS}) > 8
    assert any(not EXTRAS.keys() & record.keys() - {"rating"} for record in RECORDS)
    assert len(json.loads((out / "api/v1/laboratory/laboratories/new/index.json").read_bytes())) == 8


def test_several_accreditations_share_what_they_are_about():
    for record in RECORDS:
        named = [one["accreditation_standard"] for one in record.get("accreditations", [])]
        if len(named) - len(set(named)) >= 2:
            return
    pytest.fail("none does")


def test_every_path_of_every_laboratory_is_there_and_valid(out):
    for record in RECORDS:
        for endpoint in PER_LABORATORY:
            folder = out / endpoint.path_for(record["display_id"]).strip("/")
            data = (folder / "index.json").read_bytes()
            assert render_json(TypeAdapter(endpoint.document).validate_json(data, strict=True)) == data
            assert (folder / "api.html").is_file()
    assert all((out / endpoint.path.strip("/") / "index.json").is_file() for endpoint in PER_SITE)


def test_every_picture_that_the_documents_name_is_there_in_its_size(out):
    addresses: set[str] = set()
    for path in (out / "api").rglob("index.json"):
        addresses |= set(re.findall(r'"(/media/[^"]+)"', path.read_text(encoding="utf-8")))
    sizes = {re.sub(r".*-(\d+x\d+)\.\w+$", r"\1", address) for address in addresses}
    assert sizes == {str(size) for field in PICTURE_FIELDS.values() for size in field.declared.sizes}
    assert addresses == {f"/{path.relative_to(out)}" for path in out.glob("media/*/*")}
    for address in addresses:
        if address.endswith(".webp"):
            with Image.open(out / address.strip("/")) as image:
                image.load()
                assert address.endswith(f"-{image.width}x{image.height}.webp")


def test_the_pictures_of_the_sample_are_small_and_drawn_by_a_script():
    files = {path.relative_to(MEDIA).as_posix(): path for path in MEDIA.rglob("*") if path.is_file()}
    assert files.keys() == named()
    assert sum(path.stat().st_size for path in files.values()) < 1_500_000
    for name in sorted(files)[::20]:
        with Image.open(files[name]) as image:
            difference = ImageChops.difference(image.convert("RGB"), draw(name).convert("RGB"))
            assert max(ImageStat.Stat(difference).mean) < (3 if name.endswith(".webp") else 0.01), name


def test_no_address_and_no_number_of_the_source_is_published_plainly(out):
    contacts = [record["contact_person"] for record in RECORDS if "contact_person" in record]
    secrets = {
        contact[key].encode() for contact in contacts for key in ("email", "phone") if contact.get(key)
    }
    assert len(secrets) > 24
    for path in out.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert not [secret for secret in secrets if secret in data], path


def test_all_contact_data_of_the_sample_is_reserved_for_invention():
    for record in RECORDS:
        contact = record.get("contact_person", {})
        assert re.fullmatch(r"(\S+@\S+\.example)?", contact.get("email", ""))
        for address in re.findall(r"https?://[^\"]*", json.dumps(record)):
            assert re.fullmatch(r"https?://[^/]+\.example(/.*)?", address)
        assert re.fullmatch(
            r"(\+49 (30 23125|69 90009|40 66969|221 4710|89 99998)-\d{3})?", contact.get("phone", "")
        )
