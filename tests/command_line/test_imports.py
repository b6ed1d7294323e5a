"""What a command may load: its own, and not what others need."""

import sys
from pathlib import Path

import pytest

from tests.architecture.test_import_budget import among
from tests.command_line.program import Program

NETWORK = {"asyncio", "http", "socket", "ssl", "urllib3", "uvicorn"}
TERMINAL = {"rich"}
FORMATS = {"ruamel", "tomlkit"}
PEER = {"paddock.client"}
ZOO = {"sqlalchemy", "alembic", "litestar"}

PROBE = """
import sys
from paddock.cli import main
try:
    main()
finally:
    with open({file!r}, "w") as file:
        print(*sys.modules, file=file)
"""


@pytest.mark.parametrize(
    ("words", "denied"),
    [
        ([], NETWORK | TERMINAL | FORMATS | PEER | {"paddock.named_servers", "paddock.installer"}),
        (["servers"], NETWORK | TERMINAL | PEER | {"paddock.installer", "ruamel"}),
        (["show", "Demo"], NETWORK | TERMINAL | PEER | {"paddock.installer", "ruamel"}),
        (
            ["tools"],
            NETWORK | TERMINAL | FORMATS | PEER | {"paddock.installer", "paddock.named_servers"},
        ),
        (["clients"], NETWORK | TERMINAL | FORMATS | PEER),
        (["zoo"], NETWORK | TERMINAL | FORMATS | PEER | ZOO | {"paddock.installer"}),
        (["zoo", "starters"], NETWORK | TERMINAL | PEER | ZOO | {"paddock.installer", "ruamel"}),
        (["zoo", "list"], TERMINAL | FORMATS | PEER | {"litestar", "uvicorn"}),
        (["completion", "zsh"], NETWORK | TERMINAL | FORMATS | PEER | {"paddock.named_servers"}),
    ],
)
def test_a_command_loads_nothing_that_only_others_need(
    paddock: Program, tmp_path: Path, words: list[str], denied: set[str]
) -> None:
    file = tmp_path / "modules"
    paddock.command = [sys.executable, "-c", PROBE.format(file=str(file))]
    assert paddock(*words).code == 0
    assert among(denied, set(file.read_text(encoding="utf-8").split())) == set()
