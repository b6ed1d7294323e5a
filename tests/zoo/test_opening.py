"""Opening a zoo: new ones, old ones, and files that must not be touched."""

import os
import re
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from paddock.zoo.errors import ZooUnavailableError
from paddock.zoo.opening import get_database_info, open_zoo
from paddock.zoo.service import Zoo
from paddock.zoo.store import migrations, revisions, schema
from tests.privileges import as_others_may
from tests.zoo.conftest import connected
from tests.zoo.postgresql import PostgreSQL

RELEASED = Path(__file__).with_name("released")


def test_a_zoo_is_made_where_nothing_is_and_opened_again(empty_address: str) -> None:
    with open_zoo(empty_address) as zoo:
        agent = zoo.agents.create({"name": "Sage"})
    with open_zoo(empty_address) as zoo:
        assert zoo.agents.get("sage") == agent


def test_many_may_make_the_same_zoo_at_once(empty_address: str) -> None:
    program = """
import sys
from paddock.zoo.opening import open_zoo

with open_zoo(sys.argv[1]) as zoo:
    zoo.agents.create({"name": "Sage"})
"""
    command = [sys.executable, "-c", program, empty_address]
    makers = [subprocess.Popen(command) for _ in range(4)]
    assert [maker.wait() for maker in makers] == [0, 0, 0, 0]
    with open_zoo(empty_address) as zoo:
        assert len(zoo.agents.list_summaries().items) == 4


def test_the_zoo_of_the_user_is_in_the_data_directory_unless_a_variable_says_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PADDOCK_DATA_DIR", str(tmp_path / "data"))
    with open_zoo() as zoo:
        assert get_database_info(zoo).location == str(tmp_path / "data" / "zoo" / "zoo.db")
        assert Path(get_database_info(zoo).location).stat().st_mode & 0o777 == 0o600
    odd = tmp_path / "a ?b%20#é.db"
    monkeypatch.setenv("PADDOCK_ZOO_DATABASE", str(odd))
    with open_zoo() as zoo:
        assert get_database_info(zoo).location == str(odd)
    assert odd.exists()


def test_a_password_is_not_told(postgresql: PostgreSQL) -> None:
    address = f"postgresql://postgres:secret@/missing?host={postgresql.directory}"
    with pytest.raises(ZooUnavailableError) as refused:
        open_zoo(address)
    assert "secret" not in str(refused.value)
    assert "missing" in str(refused.value)
    for odd in ("mysql://user:secret@host/zoo", "postgresql://user:1:secret/zoo"):
        with pytest.raises(ZooUnavailableError, match="not a URL of a database") as refused:
            open_zoo(odd)
        assert "secret" not in str(refused.value)


def test_the_migrations_make_the_tables_that_the_store_uses(empty_address: str) -> None:
    open_zoo(empty_address).close()
    with connected(empty_address) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        found = compare_metadata(context, schema.metadata)
    # The index of words has a form of its own in each database.
    of_search = re.compile(r"entry_words|entries_by_words|word_vector")
    assert [one for one in found if not of_search.search(str(one))] == []


def test_the_newest_migration_is_the_current_revision() -> None:
    (directory,) = migrations.__path__
    assert ScriptDirectory(directory, version_locations=[directory]).get_heads() == [
        revisions.CURRENT_REVISION
    ]


def test_there_is_content_of_every_revision_to_migrate() -> None:
    (directory,) = migrations.__path__
    script = ScriptDirectory(directory, version_locations=[directory])
    known = {one.revision for one in script.walk_revisions()}
    assert {file.stem for file in RELEASED.glob("*.sql")} == known


@pytest.mark.parametrize("file", sorted(RELEASED.glob("*.sql")), ids=lambda file: file.stem)
def test_a_zoo_of_any_revision_is_read_as_it_was(empty_address: str, file: Path) -> None:
    with connected(empty_address) as connection:
        revisions.migrate_tables(connection, empty_address, to=file.stem)
        for statement in file.read_text(encoding="utf-8").split(";\n"):
            if statement.strip():
                connection.exec_driver_sql(statement)
    with open_zoo(empty_address) as zoo:
        sage = zoo.agents.get("sage")
        assert (sage.name, sage.version, sage.system_prompt) == ("Sage", 2, "Be wise.")
        assert (sage.skills[0].description, sage.context_refs) == ("Prove it.", ["docs/"])
        assert sage.extra == {"claude": {"model": "opus"}}
        assert [one.content for one in zoo.brain.query_entries("sage").items] == [
            *("Ships on Friday", "We keep it in SQLite"),
        ]
        assert [hit.entry.id for hit in zoo.brain.search("sqlite")] == ["one"]
        assert [one.version for one in zoo.history.list_versions("sage")] == [1]
        assert [one.id for one in zoo.library.list_skills(pack_id="proving")] == ["proofs"]
        assert [one.kind for one in zoo.events.list_after(0)] == ["agent:created"]
        assert zoo.for_owner("ada").agents.get("sage").name == "Sage of Ada"
        assert zoo.agents.update("sage", {"description": "Knows more"}).version == 3


def test_a_zoo_of_a_newer_paddock_is_left_alone(zoo_address: str) -> None:
    with connected(zoo_address) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(ZooUnavailableError) as refused:
        open_zoo(zoo_address)
    assert "9999" in refused.value.message
    assert refused.value.hint == "update Paddock; nothing was changed"
    with connected(zoo_address) as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "9999"


def test_a_database_of_something_else_is_left_alone(empty_address: str) -> None:
    if "://" not in empty_address:
        with closing(sqlite3.connect(empty_address)) as file:
            file.execute("CREATE TABLE orders (id INTEGER)")
    else:
        with psycopg.connect(empty_address, autocommit=True) as server:
            server.execute("CREATE TABLE orders (id INTEGER)")
    with pytest.raises(ZooUnavailableError) as refused:
        open_zoo(empty_address)
    assert refused.value.message == "the database has tables, but not those of an agent zoo"


@pytest.fixture
def file(tmp_path: Path, sqlite_template: Path) -> Path:
    """The file of a zoo that has something in it."""
    path = tmp_path / "zoo.db"
    path.write_bytes(sqlite_template.read_bytes())
    with open_zoo(str(path)) as zoo:
        zoo.agents.create({"name": "Sage", "systemPrompt": "x" * 50_000})
        for number in range(30):
            zoo.brain.create_entry("sage", "note", f"{number} " * 500)
    return path


@pytest.mark.parametrize("share", [0, 0.001, 0.3, 0.7, 0.99])
def test_a_file_that_was_cut_off_is_reported_and_not_written(file: Path, share: float) -> None:
    whole = file.read_bytes()
    cut = whole[: int(len(whole) * share)]
    file.write_bytes(cut)
    with pytest.raises(ZooUnavailableError) as refused:
        open_zoo(str(file))
    assert refused.value.where == str(file)
    assert refused.value.hint is not None
    assert file.read_bytes() == cut


def test_a_file_with_damage_inside_is_reported(file: Path) -> None:
    data = bytearray(file.read_bytes())
    page = 4096
    data[page * 2 :] = os.urandom(len(data) - page * 2)
    file.write_bytes(data)
    with pytest.raises(ZooUnavailableError) as refused, open_zoo(str(file)) as zoo:
        zoo.brain.create_entry("sage", "note", "x")
    assert refused.value.where == str(file)


def test_a_file_of_something_else_is_reported_and_not_written(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("My only copy of my notes.\n" * 100, encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(ZooUnavailableError):
        open_zoo(str(path))
    assert path.read_bytes() == before


def test_a_file_that_is_gone_is_reported_and_not_made_again(file: Path) -> None:
    with closing(sqlite3.connect(file)), open_zoo(str(file)) as zoo:
        everything_in_use = [zoo.for_owner(str(number)) for number in range(3)]
        file.rename(file.with_suffix(".moved"))
        found: list[ZooUnavailableError] = []

        def ask(one: Zoo) -> None:
            try:
                one.backups.create(file.with_name("backup.db"))
            except ZooUnavailableError as error:
                found.append(error)

        for one in everything_in_use:
            ask(one)
    assert len(found) == 3
    assert not file.exists()


def test_a_locked_file_is_reported_after_waiting(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with open_zoo(str(file), wait_seconds=0.1) as zoo:
            assert zoo.agents.get("sage").name == "Sage"
            with pytest.raises(ZooUnavailableError) as refused:
                zoo.brain.create_entry("sage", "note", "x")
            assert refused.value.message == "another program holds the write lock"
            other.execute("ROLLBACK")
            zoo.brain.create_entry("sage", "note", "x")


def test_a_writer_of_postgresql_waits_for_another_only_so_long(
    postgresql: PostgreSQL, postgresql_template: str
) -> None:
    address = postgresql.new_database(postgresql_template)
    with open_zoo(address, wait_seconds=0.1) as zoo, psycopg.connect(address) as other:
        zoo.agents.create({"name": "Sage"})
        other.execute("SELECT pg_advisory_xact_lock(8026223, hashtext(''))")
        assert zoo.agents.get("sage").name == "Sage"
        with pytest.raises(ZooUnavailableError) as refused:
            zoo.brain.create_entry("sage", "note", "x")
        assert refused.value.message == "another program holds the write lock"
        zoo.for_owner("ada").agents.create({"name": "Not waiting"})
        other.rollback()
        zoo.brain.create_entry("sage", "note", "x")


def test_a_writer_waits_for_another(file: Path) -> None:
    with (
        closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other,
        open_zoo(str(file)) as zoo,
    ):
        other.execute("BEGIN IMMEDIATE")
        begun = threading.Event()
        ending = threading.Thread(target=lambda: (begun.wait(), other.execute("COMMIT")))
        ending.start()
        begun.set()
        zoo.brain.create_entry("sage", "note", "x")
        ending.join()


def test_a_file_that_may_only_be_read_is_reported_and_not_written(file: Path) -> None:
    before = file.read_bytes()
    file.chmod(0o400)
    file.parent.chmod(0o500)
    try:
        with (
            as_others_may(),
            pytest.raises(ZooUnavailableError) as refused,
            open_zoo(str(file)) as zoo,
        ):
            zoo.brain.create_entry("sage", "note", "x")
    finally:
        file.parent.chmod(0o700)
    assert refused.value.where == str(file)
    assert file.read_bytes() == before


def test_a_directory_that_may_not_be_written_is_reported(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with as_others_may(), pytest.raises(ZooUnavailableError) as refused:
            open_zoo(str(tmp_path / "deep" / "zoo.db"))
    finally:
        tmp_path.chmod(0o700)
    assert refused.value.where is not None
    assert list(tmp_path.iterdir()) == []


FILLING = """
import resource
import sys
from paddock.zoo.errors import ZooUnavailableError
from paddock.zoo.opening import open_zoo

with open_zoo(sys.argv[1]) as zoo:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    for number in range(1_000):
        try:
            zoo.brain.create_entry("sage", "note", f"{number} " * 2_000)
        except ZooUnavailableError as error:
            print(number, str(error))
            break
"""


def test_a_full_disk_is_reported_and_what_was_kept_stays(tmp_path: Path, file: Path) -> None:
    """A limit on the size of files means the disk: SQLite sees the same failing writes."""
    with open_zoo(str(file)) as zoo:
        before = len(zoo.brain.query_entries("sage").items)
    command = [sys.executable, "-c", FILLING, str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    kept, _, told = ended.stdout.partition(" ")
    assert told.startswith(str(file)), ended
    with open_zoo(str(file)) as zoo:
        assert len(zoo.brain.query_entries("sage").items) == before + int(kept)
        zoo.brain.create_entry("sage", "note", "there is space again")


def test_a_server_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ZooUnavailableError) as refused:
        open_zoo(f"postgresql://nobody@/zoo?host={tmp_path}", wait_seconds=2)
    assert "reported an error" in refused.value.message


def test_a_zoo_comes_back_when_its_server_has_dropped_the_connections(
    postgresql: PostgreSQL, postgresql_template: str
) -> None:
    address = postgresql.new_database(postgresql_template)
    with open_zoo(address) as zoo:
        zoo.agents.create({"name": "Sage"})
        with psycopg.connect(postgresql.address("postgres"), autocommit=True) as server:
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname LIKE 'zoo%' AND pid <> pg_backend_pid()"
            )
        assert zoo.agents.get("sage").name == "Sage"


def test_what_killed_makers_have_left_is_cleared_away(tmp_path: Path) -> None:
    old, recent = tmp_path / ".zoo.db.1.new-wal", tmp_path / ".zoo.db.2.new"
    for left in (old, recent):
        left.write_bytes(b"half")
    os.utime(old, (0, 0))
    with open_zoo(str(tmp_path / "zoo.db")) as zoo:
        zoo.agents.create({"name": "Sage"})
    assert {file.name for file in tmp_path.iterdir()} == {"zoo.db", recent.name}


def test_what_is_not_installed_is_reported(file: Path) -> None:
    program = """
import sys
sys.modules["sqlalchemy"] = None
from paddock.zoo.errors import ZooUnavailableError
from paddock.zoo.opening import open_zoo
try:
    open_zoo(sys.argv[1])
except ZooUnavailableError as error:
    print(error)
"""
    command = [sys.executable, "-c", program, str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    told = 'the module sqlalchemy is not installed (pip install "paddock[zoo]")'
    assert ended.stdout.strip() == told


def test_an_up_to_date_zoo_opens_without_alembic_and_the_model_without_sqlalchemy(
    file: Path,
) -> None:
    program = """
import sys
import paddock.zoo.prompt_compiler, paddock.zoo.model, paddock.zoo.opening
before = "sqlalchemy" in sys.modules
paddock.zoo.opening.open_zoo(sys.argv[1]).close()
print(before, "sqlalchemy" in sys.modules, "alembic" in sys.modules, "psycopg" in sys.modules)
"""
    command = [sys.executable, "-c", program, str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["False", "True", "False", "False"]
