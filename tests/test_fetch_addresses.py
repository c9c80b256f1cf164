"""Addresses that users type, and that hosts send: read as browsers do, and never a traceback."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labgen.fetch.urls import joined, parse_address, redirected, split_untrusted, without_credentials

SITE = split_untrusted("https://me:secret@labs.example/a")


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("https://labor-müller.example", "https://xn--labor-mller-zhb.example"),
        ("https://faß.example/ü b/", None),
        ("https://faß.example:8443/ü/", "https://xn--fa-hia.example:8443/%C3%BC/"),
        ("http://例え.example", "http://xn--r8jz45g.example"),
        ("http://u\u0308.example", "http://xn--tda.example"),
        ("http://[::1]:8000/a%20b", "http://[::1]:8000/a%20b"),
        ("http://a.example.", "http://a.example."),
        ("HTTP://a.example", "http://a.example"),
        ("http://[", None),
        ("http://a..example", None),
        (f"http://{'a' * 64}.example", None),
        ("http://a.example:99999", None),
        ("http://a.example:x", None),
        ("ftp://a.example", None),
        ("a.example", None),
        ("http://a.example/?b", None),
        ("http://a.example/\n", None),
    ],
)
def test_the_address_of_a_host_is_read_as_it_is_sent(typed, read):
    parts = parse_address(typed)
    assert (parts.geturl() if parts else None) == read


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/b/?c=d#e", "/b/?c=d"),
        ("", "/a/x"),
        ("y", "/a/y"),
        ("https://labs.example/b", "/b"),
        ("https://labs.example", "/"),
        ("/\xc3\xbc b?\xff", "/%C3%BC%20b?%FF"),
        ("/%C3%BC", "/%C3%BC"),
        ("http://labs.example/b", None),
        ("//other.example/b", None),
        ("https://labs.example:8443/b", None),
        ("http://[", None),
    ],
)
def test_a_redirect_is_followed_on_the_same_host(location, target):
    assert redirected(SITE, "/a/x", location) == target


@given(st.text() | st.from_regex(r"(https?:)?//[^a]*", fullmatch=True))
def test_no_address_ends_in_a_traceback(text):
    parts = parse_address(text)
    assert parts is None or (parts.path.isascii() and without_credentials(parts).netloc.isascii())
    split_untrusted(text), joined(SITE, text), redirected(SITE, "/", text)
