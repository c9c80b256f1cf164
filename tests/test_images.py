"""Renditions: every picture in exactly the sizes that the contract names, or one clear problem."""

import os
import re
import shutil
import struct
import sys
import zlib
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from conftest import ALPHA, BETA, SITE, Project, codes, laboratory, lines, pages_of, picture
from PIL import Image, ImageCms, ImageDraw
from PIL.PngImagePlugin import PngInfo

LAB = "api/v1/laboratory/laboratories"
SIZES = {(100, 80), (200, 160), (160, 224), (160, 160), (1600, 900)}


def saved(image: Image.Image, kind: str, **how: Any) -> bytes:
    written = BytesIO()
    image.save(written, kind, **how)
    return written.getvalue()


def photograph(mode: str = "RGB", size: tuple[int, int] = (1800, 1200)) -> Image.Image:
    """Return a picture that is red on the left, blue on the right, and green along the top."""
    image = Image.new("RGB", size, "red")
    draw = ImageDraw.Draw(image)
    draw.rectangle((size[0] // 2, 0, *size), fill="blue")
    draw.rectangle((0, 0, size[0], size[1] // 3), fill="lime")
    return image.convert(mode)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I4s", len(data), kind) + data + struct.pack(">I", zlib.crc32(kind + data))


def png(
    size: tuple[int, int], depth: int, colour: int, rows: bytes, before: bytes = b"", after: bytes = b""
) -> bytes:
    """Return a PNG of any kind, which Pillow would not write."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", *size, depth, colour, 0, 0, 0))
    data = chunk(b"IDAT", zlib.compress(rows, 1))
    return b"\x89PNG\r\n\x1a\n" + head + before + data + after + chunk(b"IEND", b"")


def with_original(site: Project, name: str, data: bytes, **more: Any) -> Project:
    """Let a laboratory show an original in every way."""
    site.file(f"data/media/{name}", data)
    shown = ALPHA | {"logo": name, "image": name, "gallery": [name]} | more
    return site.write(laboratories=[shown, BETA | {"similar_labs": ["00001"]}])


def addresses(site: Project) -> dict[tuple[int, int], str]:
    """Return the addresses of all renditions that documents name, by the size in the address."""
    laboratory, (shown,) = site.document("laboratories/00001"), site.document("laboratories/00001/gallery")
    similar = site.document("laboratories/00002/similar_labs")
    found = [
        laboratory["logo_url"],
        laboratory["logo2x_url"],
        *shown.values(),
        *(one["image_url"] for one in similar),
    ]
    named = ((re.search(r"-(\d+)x(\d+)\.\w+$", one), one) for one in found)
    return {(int(size[1]), int(size[2])): one for size, one in named if size}


def renditions(site: Project) -> dict[tuple[int, int], Image.Image]:
    """Build, and return all renditions, decoded."""
    site.build()
    return {size: decoded(site.out / one.strip("/")) for size, one in addresses(site).items()}


def decoded(file: Path) -> Image.Image:
    image = Image.open(file)
    image.load()
    return image


def colour_at(image: Image.Image, x: float, y: float) -> str:
    """Return the main colour at a point, in shares of width and height."""
    pixel = image.convert("RGBA").getpixel((int((image.width - 1) * x), int((image.height - 1) * y)))
    assert isinstance(pixel, tuple)
    red, green, blue, alpha = pixel
    if alpha == 0:
        return "none"
    if min(red, green, blue) > 230:
        return "white"
    return max(("red", red), ("green", green), ("blue", blue), key=lambda one: one[1])[0]


def rgba() -> Image.Image:
    image = photograph("RGBA")
    image.putalpha(Image.linear_gradient("L").resize(image.size))
    return image


def moving(kind: str) -> bytes:
    """Return a picture of which only the first one counts."""
    loud = photograph(size=(1600, 900))
    return saved(loud, kind, save_all=True, append_images=[Image.new("RGB", loud.size)], duration=9)


ODD: dict[str, Callable[[], bytes]] = {
    "cmyk.jpg": lambda: saved(photograph("CMYK"), "JPEG"),
    "grey.jpg": lambda: saved(photograph("L"), "JPEG"),
    "progressive.JPG": lambda: saved(photograph(), "JPEG", progressive=True),
    "several.jpeg": lambda: saved(photograph(), "MPO", save_all=True, append_images=[photograph()]),
    "palette.png": lambda: saved(photograph("P"), "PNG"),
    "palette with a hole.png": lambda: saved(photograph("P"), "PNG", transparency=0),
    "black and white.png": lambda: saved(photograph("1"), "PNG"),
    "grey and alpha.png": lambda: saved(rgba().convert("LA"), "PNG"),
    "alpha.png": lambda: saved(rgba(), "PNG"),
    "16 bit grey.png": lambda: png((1600, 900), 16, 0, (b"\0" + b"\x80\0" * 1600) * 900),
    "16 bit.png": lambda: png((1600, 900), 16, 2, (b"\0" + b"\xff\xff\0\0\0\0" * 1600) * 900),
    "16 bit alpha.png": lambda: png((1600, 900), 16, 6, (b"\0" + b"\xff\xff\0\0\0\0\x80\0" * 1600) * 900),
    "web.webp": lambda: saved(rgba(), "WEBP"),
    "new.avif": lambda: saved(photograph(), "AVIF", speed=10),
    "moving.gif": lambda: moving("GIF"),
    "moving.webp": lambda: moving("WEBP"),
    "Größe & 100 %.png": lambda: saved(photograph(), "PNG"),
    f"{'lang' * 60}.png": lambda: saved(photograph(), "PNG"),
    "wide.png": lambda: saved(photograph(size=(19_000, 900)), "PNG"),
    "tall.png": lambda: saved(photograph(size=(1600, 9000)), "PNG"),
}


@pytest.mark.parametrize("name", ODD)
def test_every_rendition_of_every_kind_of_original_has_exactly_the_size_that_its_address_names(site, name):
    with_original(site, name, ODD[name]())
    assert site.build().problems == ()
    found = renditions(site)
    assert found.keys() == SIZES
    assert {size: image.size for size, image in found.items()} == {size: size for size in SIZES}
    assert {image.format for image in found.values()} == {"WEBP"}
    if (
        "grey" not in name
        and "black" not in name
        and "16" not in name
        and "hole" not in name
        and "wide" not in name
    ):
        assert colour_at(found[1600, 900], 0.02, 0.98) == "red"
        assert colour_at(found[1600, 900], 0.98, 0.98) == "blue"


@pytest.mark.parametrize(("image_format", "suffix"), [("webp", "webp"), ("jpeg", "jpg"), ("png", "png")])
def test_the_format_is_a_setting_and_the_address_ends_in_what_it_is(site, image_format, suffix):
    site.file("data/site.toml", f'image_format = "{image_format}"\n{SITE}')
    found = renditions(with_original(site, "alpha.png", ODD["alpha.png"]()))
    assert {image.format for image in found.values()} == {image_format.upper()}
    assert {address.rpartition(".")[2] for address in addresses(site).values()} == {suffix}
    assert {size: image.size for size, image in found.items()} == {size: size for size in SIZES}


@pytest.mark.parametrize(("image_format", "beside"), [("webp", "none"), ("jpeg", "white"), ("png", "none")])
def test_a_logo_is_shown_whole_in_the_middle_of_an_empty_canvas(site, image_format, beside):
    site.file("data/site.toml", f'image_format = "{image_format}"\n{SITE}')
    found = renditions(with_original(site, "tall.png", saved(photograph(size=(1600, 3200)), "PNG")))
    for size in ((100, 80), (200, 160)):
        logo = found[size]
        seen = {(x, y): colour_at(logo, x, y) for x in (0.05, 0.45, 0.55, 0.95) for y in (0.1, 0.9)}
        assert {seen[x, y] for x in (0.05, 0.95) for y in (0.1, 0.9)} == {beside}
        assert seen[0.45, 0.1] == seen[0.55, 0.1] == "green"
        assert (seen[0.45, 0.9], seen[0.55, 0.9]) == ("red", "blue")


@pytest.mark.parametrize(
    ("focus", "left", "right"), [(None, "red", "blue"), ([0, 50], "red", "red"), ([100, 50], "blue", "blue")]
)
def test_pictures_are_filled_around_their_focus(site, focus, left, right):
    more = {"focus": {"a.png": focus}} if focus else {}
    found = renditions(with_original(site, "a.png", saved(photograph(size=(3200, 900)), "PNG"), **more))
    for size in ((160, 224), (160, 160), (1600, 900)):
        assert (colour_at(found[size], 0.05, 0.9), colour_at(found[size], 0.95, 0.9)) == (left, right), size
    assert (colour_at(found[200, 160], 0.05, 0.5), colour_at(found[200, 160], 0.95, 0.5)) == ("red", "blue")


TURNED = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


def noted(orientation: int) -> bytes:
    """Return EXIF with an orientation and a place on earth."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010E] = "SECRET"
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 31.0, 12.0), 3: "E", 4: (13.0, 24.0, 18.0)})
    return exif.tobytes()


@pytest.mark.parametrize(
    ("kind", "orientation"), [*(("jpg", one) for one in TURNED), ("png", 6), ("webp", 6), ("avif", 6)]
)
def test_pictures_stand_upright_as_exif_says(site, kind, orientation):
    turn = TURNED[orientation]
    original = photograph().transpose(turn) if turn is not None else photograph()
    how = {"speed": 10} if kind == "avif" else {}
    data = saved(original, {"jpg": "JPEG"}.get(kind, kind.upper()), exif=noted(orientation), **how)
    found = renditions(with_original(site, f"a.{kind}", data))
    for size in ((200, 160), (1600, 900), (160, 224)):
        image, top = found[size], 0.25 if size == (200, 160) else 0.05
        assert colour_at(image, 0.5, top) == "green", size
        assert (colour_at(image, 0.2, 0.75), colour_at(image, 0.8, 0.75)) == ("red", "blue"), size


XMP = b'<x:xmpmeta><rdf:Description tiff:Orientation="3"/></x:xmpmeta>'


@pytest.mark.parametrize("kind", ["jpg", "png", "webp", "avif"])
def test_an_orientation_that_only_xmp_tells_is_not_applied_as_browsers_do_not(site, kind):
    said = PngInfo()
    said.add_itxt("XML:com.adobe.xmp", XMP.decode())
    how: dict[str, Any] = {"pnginfo": said} if kind == "png" else {"xmp": XMP, "speed": 10}
    data = saved(photograph(size=(900, 600)), {"jpg": "JPEG"}.get(kind, kind.upper()), **how)
    assert colour_at(renditions(with_original(site, f"a.{kind}", data))[1600, 900], 0.5, 0.05) == "green"


@pytest.mark.parametrize(("depth", "colour"), [(1, 0), (2, 0), (4, 0), (8, 0), (16, 0), (8, 2), (16, 2)])
def test_the_transparent_colour_of_a_png_is_kept_at_every_depth(site, depth, colour):
    """The left half is transparent, the right half has the next shade that eight bits can tell from it."""
    clear, other = (1 << depth) // 2, (1 << depth) // 2 - max(1, 1 << depth - 8 if depth > 8 else 1)
    channels = 3 if colour else 1
    bits = "".join(f"{one:0{depth}b}" * channels for one in [clear] * 800 + [other] * 800)
    row = b"\0" + int(bits, 2).to_bytes(len(bits) // 8)
    transparent = chunk(b"tRNS", struct.pack(">H", clear) * channels)
    data = png((1600, 1280), depth, colour, row * 1280, transparent)
    logo = renditions(with_original(site, "a.png", data))[200, 160].getchannel("A")
    assert (logo.getpixel((20, 80)), logo.getpixel((180, 80))) == (0, 255)


def test_exif_behind_the_pixels_of_a_png_counts_too(site):
    upside_down = photograph().transpose(Image.Transpose.ROTATE_180)
    data = saved(upside_down, "PNG").removesuffix(chunk(b"IEND", b""))
    data += chunk(b"eXIf", noted(3).removeprefix(b"Exif\0\0")) + chunk(b"IEND", b"")
    assert colour_at(renditions(with_original(site, "a.png", data))[1600, 900], 0.5, 0.05) == "green"


@pytest.mark.parametrize("image_format", ["webp", "jpeg", "png"])
def test_nothing_that_was_said_beside_the_pixels_is_published(site, image_format):
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    how = {"exif": noted(1), "icc_profile": profile, "comment": b"SECRET", "dpi": (72, 72)}
    data = saved(photograph(), "JPEG", xmp=b"<x:xmpmeta>SECRET</x:xmpmeta>", **how)
    assert data.count(b"SECRET") == 3
    site.file("data/site.toml", f'image_format = "{image_format}"\n{SITE}')
    for image in renditions(with_original(site, "a.jpg", data)).values():
        assert image.info.keys() <= {
            "jfif",
            "jfif_version",
            "jfif_unit",
            "jfif_density",
            "background",
            "loop",
            "duration",
            "timestamp",
        }
        assert dict(image.getexif()) == {}
    for data in site.tree().values():
        for said in (b"SECRET", b"Exif", b"ICCP", b"iCCP", b"ICC_PROFILE", b"xmp", b"XMP"):
            assert said not in data


def swapped() -> bytes:
    """Return a colour profile in which red is green."""
    data = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    data = data.replace(b"\0s\0R\0G\0B", b"\0x\0R\0G\0B")
    return data.replace(b"rXYZ", b"????", 1).replace(b"gXYZ", b"rXYZ", 1).replace(b"????", b"gXYZ", 1)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_colours_are_brought_to_srgb_by_the_profile_of_the_original(site, kind):
    data = saved(Image.new("RGB", (1600, 900), (200, 40, 30)), kind, icc_profile=swapped())
    name = f"a.{'jpg' if kind == 'JPEG' else kind.lower()}"
    for image in renditions(with_original(site, name, data)).values():
        assert colour_at(image, 0.5, 0.5) == "green"


@pytest.mark.parametrize(
    "profile", [b"\0" * 200, ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()]
)
def test_a_profile_that_is_of_no_use_is_passed_over(site, profile):
    data = saved(photograph(), "JPEG", icc_profile=profile)
    assert colour_at(renditions(with_original(site, "a.jpg", data))[1600, 900], 0.1, 0.9) == "red"


@cache
def jpeg() -> bytes:
    return saved(photograph(), "JPEG")


@cache
def png_with_alpha() -> bytes:
    return saved(rgba(), "PNG")


@cache
def webp() -> bytes:
    return saved(photograph(), "WEBP")


def half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def with_long_text() -> bytes:
    texts = chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(50_000_000), 9))
    return png((400, 300), 8, 0, bytes(401 * 300), before=texts)


def damaged(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes(byte ^ 0x5A for byte in data[middle : middle + 40]) + data[middle + 40 :]


UNFIT: list[tuple[str, Callable[[], bytes], str, str]] = [
    ("a.jpg", lambda: b"", "broken-image", "it is empty"),
    ("a.jpg", lambda: b"hello", "broken-image", "it is no picture that labgen can read"),
    ("a.jpg", lambda: jpeg()[:100], "broken-image", "it ends too early"),
    ("a.jpg", lambda: half(jpeg()), "broken-image", "it ends too early"),
    ("a.jpg", lambda: jpeg()[:-30], "broken-image", "it ends too early"),
    ("a.jpg", lambda: jpeg() + b"\xff\xda" * 200, "broken-image", "scans"),
    ("a.png", lambda: png_with_alpha()[:60], "broken-image", "it ends too early"),
    ("a.png", lambda: half(png_with_alpha()), "broken-image", "it ends too early"),
    ("a.png", lambda: damaged(png_with_alpha()), "broken-image", "it cannot be decoded"),
    ("a.png", with_long_text, "broken-image", "it cannot be decoded"),
    ("a.webp", lambda: half(webp()), "broken-image", "it cannot be decoded"),
    ("a.webp", lambda: damaged(webp()), "broken-image", "it cannot be decoded"),
    ("a.avif", lambda: half(ODD["new.avif"]()), "broken-image", "AVIF"),
    ("a.gif", lambda: b"GIF89a", "broken-image", "GIF"),
    ("a.jpg", png_with_alpha, "mislabelled-image", "it is in the format PNG"),
    ("a.webp", jpeg, "mislabelled-image", "it is in the format JPEG"),
    ("a.jpg", lambda: b"\0\0\0\x18ftypheic" + bytes(200), "mislabelled-image", "it is in the format HEIC"),
    ("a.png", lambda: b'<?xml version="1.0"?>\n<svg/>', "mislabelled-image", "it is in the format SVG"),
    ("a.png", lambda: saved(photograph(), "TIFF"), "mislabelled-image", "it is in the format TIFF"),
    ("a.png", lambda: saved(Image.new("L", (60_000, 10)), "PNG"), "image-too-large", "60,000x10 pixels"),
    ("a.png", lambda: png((10_010, 10_000), 8, 2, b""), "image-too-large", "100,000,000 pixels"),
    ("a.png", lambda: png((65_000, 65_000), 8, 2, b""), "image-too-large", "100,000,000 pixels"),
    ("a.jpg", lambda: saved(Image.new("L", (20_001, 1)), "JPEG"), "image-too-large", "20,001x1 pixels"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data", "code", "reason"), UNFIT, ids=lambda one: one[:25] if isinstance(one, str) else ""
)
def test_an_original_that_cannot_be_used_is_one_problem_with_its_file_and_the_reason(
    site, name, data, code, reason
):
    outcome = with_original(site, name, data()).check()
    assert lines(outcome) == [f"{code} data/media/{name}"]
    assert f"`data/media/{name}` cannot be used: " in outcome.problems[0].problem.message
    assert reason in outcome.problems[0].problem.message
    assert outcome.problems[0].problem.hint
    built = site.build()
    assert lines(built) == lines(outcome)
    assert not site.out.exists()


def test_a_pillow_that_cannot_read_a_format_says_so(site, monkeypatch):
    monkeypatch.setattr("PIL.features.check", lambda name: name != "avif")
    outcome = with_original(site, "a.avif", half(ODD["new.avif"]())).check()
    assert lines(outcome) == ["missing-package data/media/a.avif"]


def test_media_behind_a_link_out_of_the_data_are_not_opened(site, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "a.jpg").write_bytes(b"secret")
    (site.root / "data/media").symlink_to(outside)
    outcome = site.write(laboratories=[ALPHA | {"logo": "a.jpg"}]).check()
    assert lines(outcome) == lines(site.build()) == ["outside-data data/media"]


def test_an_original_of_too_many_bytes_is_not_read(site):
    with_original(site, "a.jpg", jpeg())
    os.truncate(site.root / "data/media/a.jpg", 100_000_001)
    assert lines(site.check()) == ["image-too-large data/media/a.jpg"]


def test_copies_of_a_broken_original_are_named_each_and_so_is_a_copy_under_a_wrong_name(site):
    for name, data in (
        ("a.jpg", jpeg()[:999]),
        ("b.jpg", jpeg()[:999]),
        ("c.png", png_with_alpha()),
        ("d.gif", png_with_alpha()),
    ):
        site.file(f"data/media/{name}", data)
    shown = ALPHA | {"gallery": ["a.jpg", "b.jpg", "c.png", "d.gif"]}
    expected = [
        "broken-image data/media/a.jpg",
        "broken-image data/media/b.jpg",
        "mislabelled-image data/media/d.gif",
    ]
    assert lines(site.write(laboratories=[shown]).check()) == expected
    assert lines(site.build()) == lines(site.build()) == expected


def test_an_original_that_is_too_small_is_enlarged_with_one_warning(site):
    with_original(site, "a.png", picture(size=(64, 48)))
    assert lines(site.check()) == ["small-image data/media/a.png"]
    assert site.build().problems[0].problem.message == (
        "`data/media/a.png` has 64x48 pixels: enlarged to 1600x900, it is blurred"
    )
    assert {size: image.size for size, image in renditions(site).items()} == {size: size for size in SIZES}
    assert codes(site.build()) == ["small-image"]
    assert site.build().written.written == ()


@pytest.mark.parametrize(
    ("size", "field", "is_small"),
    [
        ((200, 160), "logo", False), ((200, 10), "logo", False), ((10, 160), "logo", False), ((199, 159), "logo", True),
        ((160, 224), "image", False), ((159, 3000), "image", True), ((1600, 900), "gallery", False), ((1599, 900), "gallery", True),
    ],
)  # fmt: skip
def test_what_is_too_small_depends_on_where_it_is_shown(site, size, field, is_small):
    value = ["a.png"] if field == "gallery" else "a.png"
    site.file("data/media/a.png", picture(size=size)).write(laboratories=[ALPHA | {field: value}])
    assert codes(site.check()) == (["small-image"] if is_small else [])


def test_an_original_that_nobody_names_is_a_warning(site):
    site.file("data/media/alt/a.png", b"x").file("data/media/README.md", "x").file(
        "data/media/.DS_Store", "x"
    )
    assert lines(site.check()) == lines(site.build()) == ["unused-image data/media/alt/a.png"]
    assert not list(site.out.glob("media/*/a-*"))


def test_nobody_is_said_to_name_an_original_only_where_all_laboratories_can_be_read(site):
    site.file("data/media/a.png", b"x").file("data/laboratories/00009.json", "{")
    assert codes(site.check()) == ["invalid-json"]


@pytest.mark.parametrize(
    ("focus", "expected"),
    [
        ({"a.png": [30, 50]}, []),
        ({"b.png": [30, 50]}, ['unknown-reference data/laboratories/00001.json:9:5 "b.png"']),
        ({"logo.png": [30, 50]}, ['unknown-reference data/laboratories/00001.json:9:5 "logo.png"']),
        ({"a.png": [30]}, ["invalid-value data/laboratories/00001.json:9:14 ["]),
        ({"a.png": [30, 101]}, ["invalid-number data/laboratories/00001.json:11:7 101"]),
        ({"a.png": "center"}, ['wrong-type data/laboratories/00001.json:9:14 "center"']),
    ],
)
def test_a_focus_is_a_point_of_a_picture_that_is_cropped(site, focus, expected):
    site.file("data/media/a.png", picture()).file("data/media/logo.png", picture())
    site.write(laboratories=[ALPHA | {"image": "a.png", "focus": focus, "logo": "logo.png"}])
    found = [one for one in lines(site.check()) if "unused" not in one]
    assert found == expected


def test_an_svg_is_refused_with_the_way_out(site):
    outcome = site.write(laboratories=[ALPHA | {"logo": "logos/a.svg"}]).check()
    assert lines(outcome) == ['mislabelled-image data/laboratories/00001.json:7:11 "logos/a.svg"']
    assert (
        outcome.problems[0].problem.hint
        == "an SVG can hold scripts: export it as a PNG of at least 200x160 pixels"
    )


def test_without_pillow_a_project_with_originals_says_what_to_install(site, monkeypatch):
    with_original(site, "a.png", picture())
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert codes(site.check()) == ["missing-package"]
    outcome = site.build()
    assert lines(outcome) == ["missing-package data/media"]
    assert outcome.problems[0].problem.hint == "install it: pip install pillow"
    assert site.write(laboratories=[ALPHA]).without("data/media/a.png").build().problems == ()


def kept(site: Project) -> dict[str, int]:
    """Return what is kept of pictures, and when each file of it was made."""
    folder = site.root / ".labgen/renditions"
    return {
        path.relative_to(folder).as_posix(): path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_second_build_makes_no_rendition_and_writes_no_file(site):
    with_original(site, "a.png", picture()).build()
    before = kept(site)
    assert len(before) == len(SIZES)
    site.write(
        laboratories=[ALPHA | {"logo": "a.png", "image": "a.png", "gallery": ["a.png"], "name": "Neu"}, BETA]
    )
    assert not any(file.startswith("media/") for file in site.build().written.written)
    assert site.build().written.written == ()
    assert kept(site) == before


def test_renditions_survive_the_removal_of_the_site(site):
    with_original(site, "a.png", picture()).build()
    before, tree = kept(site), site.tree()
    shutil.rmtree(site.out)
    site.build()
    assert (kept(site), site.tree()) == (before, tree)


def test_what_no_record_names_any_more_is_removed_from_what_is_kept_and_from_the_site(site):
    with_original(site, "a.png", picture("red")).build()
    before, named = kept(site), set(addresses(site).values())
    site.file("data/media/a.png", picture("blue")).build()
    assert not before.keys() & kept(site).keys()
    assert len(kept(site)) == len(SIZES)
    assert not [one for one in named if (site.out / one.strip("/")).exists()]
    site.write(laboratories=[ALPHA]).without("data/media/a.png").build()
    assert kept(site) == {}


def test_an_original_that_changed_reaches_the_documents_that_show_it_and_no_others(site):
    gamma = laboratory("00003", similar_labs=[])
    with_original(site, "a.png", picture("red"), similar_labs=[])
    records = [ALPHA | {"image": "a.png", "similar_labs": []}, BETA | {"similar_labs": ["00001"]}, gamma]
    site.write(laboratories=records).build()
    written = pages_of(site.file("data/media/a.png", picture("blue")).build())
    lists = (LAB, f"{LAB}/00002/similar_labs")
    assert written == {f"{folder}/{name}" for folder in lists for name in ("index.json", "api.html")}


def test_records_that_name_the_same_original_share_its_renditions(site):
    both = [one | {"logo": "a.png", "gallery": ["a.png"]} for one in (ALPHA, BETA)]
    outcome = site.file("data/media/a.png", picture()).write(laboratories=both).build()
    assert len([file for file in outcome.written.written if file.startswith("media/")]) == 4


def test_the_same_originals_give_the_same_bytes_in_one_process_or_in_many(site, tmp_path):
    names = [f"{number}.png" for number in range(6)]
    for number, name in enumerate(names):
        site.file(f"data/media/{name}", saved(photograph(size=(1600, 900 + number)), "PNG"))
    site.write(laboratories=[ALPHA | {"gallery": names}]).build(jobs=3)
    tree = site.tree()
    shutil.rmtree(site.root / ".labgen")
    shutil.rmtree(site.out)
    site.build(jobs=1)
    assert site.tree() == tree


def test_a_rendition_has_the_same_bytes_whatever_else_is_made_of_its_original(site):
    site.file("data/media/a.png", saved(photograph(), "PNG"))
    site.write(laboratories=[ALPHA | {"logo": "a.png"}, BETA]).build()
    site.write(laboratories=[ALPHA | {"logo": "a.png", "gallery": ["a.png"]}, BETA]).build()
    tree = site.tree()
    shutil.rmtree(site.root / ".labgen")
    shutil.rmtree(site.out)
    site.build()
    assert site.tree() == tree


def test_an_original_that_changes_while_the_site_is_built_is_said(site):
    with_original(site, "a.png", picture("red"))

    def progress(what: str, done: int, total: int) -> None:
        if (what, done) == ("scaled", total):
            site.file("data/media/a.png", picture("blue"))

    assert codes(site.build(progress=progress)) == ["source-changed"]
    assert site.build().problems == ()


def test_what_is_kept_is_not_removed_while_another_build_uses_it(site):
    from labgen.images.store import Store

    with_original(site, "a.png", picture("red")).build()
    before = kept(site)
    with Store(site.root).shared_lock():
        site.file("data/media/a.png", picture("blue")).build()
    assert before.keys() < kept(site).keys()
    site.write(laboratories=[ALPHA | {"logo": "a.png"}]).build()
    assert not before.keys() & kept(site).keys()


def test_a_laboratory_without_a_logo_has_its_initials_in_both_sizes(site):
    site.write(laboratories=[ALPHA | {"name": "Prüflabor Öl & Gas"}]).build()
    document = site.document("laboratories/00001")
    for key, size in (("logo_url", (100, 80)), ("logo2x_url", (200, 160))):
        text = (site.out / document[key].strip("/")).read_text(encoding="utf-8")
        assert f'width="{size[0]}" height="{size[1]}"' in text
        assert ">PÖ</text>" in text
