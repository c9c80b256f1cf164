"""`labgen import postgresql://…` from a real server, by the mapping file that labgen prints."""

import json
import shutil
from operator import itemgetter

import psycopg
import pytest
from click.testing import CliRunner
from conftest import Project, copy_of_sample
from django_database import fill, postgresql
from write_tables import lists_of

from labgen.cli import main


def labgen(*arguments):
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    project = Project(copy_of_sample(tmp_path_factory.mktemp("sample")))
    shutil.rmtree(project.root / "data/media")
    (project.root / "data/synonyms.csv").unlink()  # no database of such a service has them
    for file in (project.root / "data/laboratories").iterdir():
        record = json.loads(file.read_text(encoding="utf-8"))
        for name in ("logo", "image", "gallery", "focus"):
            record.pop(name, None)
        for name in ("accreditations", "resources", "job_listings", "reviews"):
            record.get(name, []).sort(key=itemgetter("id"))
        file.write_text(json.dumps(record), encoding="utf-8")
    assert not project.build().errors
    return project


@pytest.fixture(scope="module")
def address(sample):
    with postgresql() as address:
        laboratories = [
            json.loads(file.read_text(encoding="utf-8"))
            for file in sorted((sample.root / "data/laboratories").iterdir())
        ]
        fill(address, laboratories, lists_of(sample.root))
        yield address


@pytest.fixture
def mapping(tmp_path):
    file = tmp_path / "mapping.toml"
    file.write_text(labgen("import", "--mapping-example").output, encoding="utf-8")
    return file


def test_a_database_that_is_imported_gives_the_bytes_of_the_same_data_in_files(
    sample, address, mapping, tmp_path
):
    result = labgen("import", address, tmp_path / "project", "--mapping", mapping)
    assert result.exit_code == 0, result.stderr
    assert (
        "28 laboratories in 40 files written: 1 warning" in result.stdout
    )  # markup in `about`, which is text
    project = Project(tmp_path / "project")
    shutil.copy(sample.root / "data/site.toml", project.root / "data/site.toml")
    project.build()
    assert project.published() == sample.published()


def test_what_is_wrong_with_the_sql_is_told_with_the_table(address, mapping, tmp_path):
    text = mapping.read_text(encoding="utf-8")
    mapping.write_text(text.replace("FROM laboratory_review", "FROM laboratory_reviews"), encoding="utf-8")
    result = labgen("import", address, tmp_path / "project", "--mapping", mapping)
    assert result.exit_code == 1
    assert 'the SQL of `reviews` fails: relation "laboratory_reviews" does not exist' in result.stderr
    assert not (tmp_path / "project").exists()


def test_a_database_is_not_changed_and_percent_signs_are_sql(address, tmp_path):
    mapping = tmp_path / "mapping.toml"
    mapping.write_text('[sql]\nlaboratories = "DELETE FROM laboratory_review"\n')
    result = labgen("import", address, tmp_path / "project", "--mapping", mapping)
    assert "cannot execute DELETE in a read-only transaction" in result.stderr
    mapping.write_text(
        "[sql]\nlaboratories = \"SELECT display_id, name FROM laboratory_laboratory WHERE name LIKE '%GmbH%' AND id % 2 = 0\"\n"
    )
    result = labgen(
        "import",
        address,
        tmp_path / "project",
        "--mapping",
        mapping,
        "--set",
        "country=de",
        "--set",
        "deal_status=Kostenlos",
        "--set",
        "verification_status=Offen",
    )
    assert result.exit_code == 0, result.stderr
    with psycopg.connect(address) as connection:
        found = connection.execute(
            "SELECT count(*) FROM laboratory_laboratory WHERE name LIKE '%GmbH%' AND id % 2 = 0"
        ).fetchall()
    assert len(list((tmp_path / "project/data/laboratories").iterdir())) == found[0][0] > 0


UNREACHABLE = [
    ("postgresql://labgen:geheim@127.0.0.1:1/x", "the database cannot be reached"),
    ("nodatabase://x", "the address of the database is not understood"),
]


@pytest.mark.parametrize(("address", "message"), UNREACHABLE)
def test_a_database_that_cannot_be_reached_is_a_sentence_without_the_password(
    address, message, mapping, tmp_path
):
    result = labgen("import", address, tmp_path / "project", "--mapping", mapping)
    assert (result.exit_code, message in result.stderr, "geheim" in result.output) == (1, True, False)
