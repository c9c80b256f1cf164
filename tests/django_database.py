"""A PostgreSQL of its own, with the tables that a Django service of the specification would have."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb
from servers import missing

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
NOBODY = 65534

SCHEMA = """
CREATE TABLE laboratory_country (id serial PRIMARY KEY, iso_code varchar(2) UNIQUE, slug varchar(80), name varchar(80));
CREATE TABLE laboratory_laboratory (
    id serial PRIMARY KEY, display_id varchar(16) UNIQUE, name varchar(200), is_verified boolean, is_published boolean,
    country_id integer REFERENCES laboratory_country, locality varchar(200), slug varchar(200),
    deal_status varchar(20), verification_status varchar(20), about text, address varchar(200),
    postal_code varchar(20), website varchar(200), rating numeric(4, 2), logo varchar(100), image varchar(100),
    focus jsonb, stats jsonb, similar_display_ids varchar(16)[], published_at timestamptz);
CREATE TABLE laboratory_contactperson (id serial PRIMARY KEY, laboratory_id integer UNIQUE REFERENCES laboratory_laboratory,
    first_name varchar(80), last_name varchar(80), position varchar(80), email varchar(80), phone varchar(80));
CREATE TABLE laboratory_galleryimage (id serial PRIMARY KEY, laboratory_id integer REFERENCES laboratory_laboratory,
    position smallint, image varchar(100));
CREATE TABLE laboratory_accreditationstandard (id integer PRIMARY KEY, title text, search_val text, standard text);
CREATE TABLE laboratory_accreditation (pk serial PRIMARY KEY, id integer, laboratory_id integer REFERENCES laboratory_laboratory,
    standard_id integer REFERENCES laboratory_accreditationstandard, accreditation_body varchar(80), number varchar(80));
CREATE TABLE laboratory_resource (pk serial PRIMARY KEY, id integer, laboratory_id integer REFERENCES laboratory_laboratory,
    title text, summary text, url text);
CREATE TABLE laboratory_landingslink (id serial PRIMARY KEY, laboratory_id integer REFERENCES laboratory_laboratory, title text, link text);
CREATE TABLE laboratory_joblisting (pk serial PRIMARY KEY, id integer, laboratory_id integer REFERENCES laboratory_laboratory,
    title text, locality text, country_id integer REFERENCES laboratory_country, published_at timestamptz, valid_through date, url text);
CREATE TABLE laboratory_review (pk serial PRIMARY KEY, id integer, laboratory_id integer REFERENCES laboratory_laboratory,
    rating numeric(4, 2), title text, text text, author text, created_at timestamptz);
CREATE TABLE laboratory_upgradeoption (id serial PRIMARY KEY, plan text, plan_label text, freq text, billing_label text, recommend boolean);
"""
CATALOGUES = {
    "materials": "material", "test_methods": "testmethod", "certifications": "certification",
    "standards": "standard", "test_categories": "testcategory", "equipments": "equipment",
    "material_categories": "materialcategory",
}  # fmt: skip
"""What Django calls the tables of lists that laboratories name by ids."""

Rows = Sequence[Mapping[str, Any]]


@contextmanager
def postgresql() -> Iterator[str]:
    """Start a server that listens on a socket in a folder of its own alone; the address of its database."""
    if not BINARIES:
        missing("postgresql")
    user = NOBODY if os.geteuid() == 0 else os.geteuid()
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    os.chown(folder, user, -1)

    def run(program: str, *arguments: str) -> None:
        command = [str(BINARIES[-1] / program), *arguments]
        subprocess.run(
            command, check=True, capture_output=True, user=user, extra_groups=[], cwd=folder, timeout=120
        )

    data = str(folder / "data")
    try:
        run("initdb", "-D", data, "-U", "labgen", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        settings = (
            f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off -c shared_buffers=4MB"
        )
        run("pg_ctl", "start", "-w", "-D", data, "-l", str(folder / "log"), "-o", settings)
        yield f"postgresql://labgen@/postgres?host={quote(str(folder), safe='')}"
        run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", data)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fill(address: str, laboratories: Rows, lists: Mapping[str, Rows]) -> None:
    """Write a directory into the tables of a Django service."""
    with psycopg.connect(address) as connection:
        connection.execute(SCHEMA)
        for catalogue, name in CATALOGUES.items():
            table = sql.Identifier(f"laboratory_{name}")
            through = sql.Identifier(f"laboratory_laboratory_{catalogue}")
            connection.execute(
                sql.SQL(
                    "CREATE TABLE {} (id integer PRIMARY KEY, title text, search_val text, summary text)"
                ).format(table)
            )
            connection.execute(
                sql.SQL(
                    "CREATE TABLE {} (id serial PRIMARY KEY, laboratory_id integer REFERENCES laboratory_laboratory, {} integer REFERENCES {})"
                ).format(through, sql.Identifier(f"{name}_id"), table)
            )
        _fill_lists(connection, lists)
        for one in laboratories:
            _fill_laboratory(connection, one)


def _fill_lists(connection: Any, lists: Mapping[str, Rows]) -> None:
    for one in lists["countries"]:
        insert(connection, "laboratory_country", one)
    for catalogue, name in CATALOGUES.items():
        for one in lists[catalogue]:
            insert(connection, f"laboratory_{name}", one)
    for one in lists["accreditation_standards"]:
        insert(connection, "laboratory_accreditationstandard", one)
    for one in lists["upgrade_options"]:
        insert(connection, "laboratory_upgradeoption", one)


def insert(connection: Any, table: str, row: Mapping[str, Any]) -> int:
    row = {key: value for key, value in row.items() if value is not None}
    columns = sql.SQL(", ").join(map(sql.Identifier, row))
    marks = sql.SQL(", ").join([sql.Placeholder()] * len(row))
    command = sql.SQL("INSERT INTO {} ({}) VALUES ({}) RETURNING *").format(
        sql.Identifier(table), columns, marks
    )
    return int(connection.execute(command, list(row.values())).fetchone()[0])


OWN = {
    "resources": "resource", "landings_links": "landingslink", "job_listings": "joblisting", "reviews": "review",
    "accreditations": "accreditation",
}  # fmt: skip
RENAMED = {
    "published_on": "published_at",
    "created_on": "created_at",
    "accreditation_standard": "standard_id",
}


def _fill_laboratory(connection: Any, one: Mapping[str, Any]) -> None:
    row = {RENAMED.get(key, key): value for key, value in one.items() if not isinstance(value, dict | list)}
    row |= {key: Jsonb(one[key]) for key in ("focus", "stats") if key in one}
    row |= {"similar_display_ids": one["similar_labs"]} if "similar_labs" in one else {}
    row |= {"is_published": True, "country_id": _country(connection, row.pop("country"))}
    number = insert(connection, "laboratory_laboratory", row)
    if contact := one.get("contact_person"):
        insert(connection, "laboratory_contactperson", contact | {"laboratory_id": number})
    for position, image in enumerate(one.get("gallery", ())):
        insert(
            connection,
            "laboratory_galleryimage",
            {"laboratory_id": number, "position": position, "image": image},
        )
    for catalogue, name in CATALOGUES.items():
        for key in one.get(catalogue, ()):
            insert(
                connection, f"laboratory_laboratory_{catalogue}", {"laboratory_id": number, f"{name}_id": key}
            )
    for field, name in OWN.items():
        for entry in one.get(field, ()):
            entered = {RENAMED.get(key, key): value for key, value in entry.items()} | {
                "laboratory_id": number
            }
            if code := entered.pop("country", None):
                entered["country_id"] = _country(connection, code)
            insert(connection, f"laboratory_{name}", entered)


def _country(connection: Any, code: str) -> int:
    found = connection.execute("SELECT id FROM laboratory_country WHERE iso_code = %s", (code,))
    return int(found.fetchone()[0])
