import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from paddock.cli.commands import root_command

SERVER = '''
from typing import Annotated, Literal

from paddock import Server

server = Server("shop", version="1.2", title="The shop", instructions="Ask before buying.")


@server.tool
def buy(item: str, count: int = 1, size: Literal["S", "L"] = "S") -> str:
    """Buy something.

    Args:
        item: What to buy.
        count: How many.
    """
    return item


@server.prompt
def haggle(price: str) -> str:
    """Ask for a discount."""
    return price


@server.resource("shop://motto", mime_type="text/plain")
def motto() -> str:
    """Our values."""
    return "Small"


@server.resource("shop://items/{key}")
def item(key: str) -> str:
    return key
'''

SHOWN = """\
shop 1.2 - The shop
  protocol      2025-11-25
  capabilities  tools (listChanged), prompts (listChanged), resources (subscribe, listChanged), \
completions, logging, tasks (list, cancel, requests)

  Ask before buying.

Tools (1)
  buy
    Buy something.
      item   string     required     What to buy.
      count  integer    default 1    How many.
      size   "S" | "L"  default "S"

Prompts (1)
  haggle
    Ask for a discount.
      price  required

Resources (1)
  shop://motto  [text/plain]
    Our values.

Resource templates (1)
  shop://items/{key}
"""


@pytest.fixture
def server(tmp_path: Path) -> str:
    file = tmp_path / "shop.py"
    file.write_text(SERVER, encoding="utf-8")
    return str(file)


def test_a_server_is_described_for_people(server: str) -> None:
    result = CliRunner().invoke(root_command, ["inspect", server, "--era", "2025-11-25"])
    assert (result.exit_code, result.stdout) == (0, SHOWN)


def test_json_has_everything_as_the_server_sent_it(server: str) -> None:
    command = ["--", sys.executable, "-m", "paddock", "serve", server]
    result = CliRunner().invoke(root_command, ["inspect", "--json", *command])
    found = json.loads(result.stdout)
    assert list(found) == [
        *("protocolVersion", "serverInfo", "capabilities", "instructions"),
        *("tools", "prompts", "resources", "resourceTemplates"),
    ]
    assert found["tools"][0]["inputSchema"]["required"] == ["item"]


def test_a_server_that_cannot_be_reached_is_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(root_command, ["inspect", str(tmp_path / "missing.py")])
    assert result.exit_code == 2
    assert result.stderr == f"Error: No such file: {tmp_path / 'missing.py'}\n"


def test_a_method_that_a_server_declares_and_does_not_know_is_an_empty_list(
    tmp_path: Path,
) -> None:
    file = tmp_path / "odd.py"
    file.write_text(
        """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    answer = {"error": {"code": -32601, "message": "?"}}
    if request["method"] == "initialize":
        answer = {"result": {"protocolVersion": "2025-06-18", "capabilities": {"resources": {}}}}
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
""",
        encoding="utf-8",
    )
    command = ["inspect", "--", sys.executable, str(file)]
    result = CliRunner().invoke(root_command, command)
    assert result.exit_code == 0
    assert result.stdout == (
        "(a server without a name)\n  protocol      2025-06-18\n  capabilities  resources\n"
    )


def test_help_names_every_command() -> None:
    result = CliRunner().invoke(root_command, ["--help"])
    assert result.exit_code == 0
    for name in ("call", "inspect", "serve"):
        assert f"  {name} " in result.stdout


def test_a_command_loads_no_other() -> None:
    program = (
        "import sys; from paddock.cli.commands import root_command;"
        "root_command(['call', '--help'], standalone_mode=False);"
        "sys.exit('paddock.cli.inspect' in sys.modules or 'paddock.serving' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=False)
    assert done.returncode == 0
