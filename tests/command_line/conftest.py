"""The program in a scratch home."""

from pathlib import Path

import pytest

from tests.command_line.program import Program


@pytest.fixture
def paddock(tmp_path: Path) -> Program:
    """`paddock` as a user with an empty home has it."""
    return Program(tmp_path)
