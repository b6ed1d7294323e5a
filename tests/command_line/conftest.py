"""The program in a scratch home."""

from pathlib import Path

import pytest

from tests.command_line.program import Program


@pytest.fixture
def paddock(tmp_path: Path) -> Program:
    """`paddock` as a user with an empty home has it."""
    return Program(tmp_path)


@pytest.fixture
def cursor(paddock: Program) -> Path:
    """The file, not there yet, of a client that is on this computer."""
    file = paddock.home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    return file
