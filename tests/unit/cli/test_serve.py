"""What `paddock serve` says to a command line that cannot be meant like that."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from paddock.cli.commands import root_command


@pytest.fixture
def server(tmp_path: Path) -> str:
    file = tmp_path / "server.py"
    file.write_text("from paddock import Server\nserver = Server('s')\n", encoding="utf-8")
    return str(file)


def said(*arguments: str) -> str:
    result = CliRunner().invoke(root_command, ["serve", *arguments])
    assert result.exit_code == 2
    return result.output


def test_a_target_after_http_is_pointed_out(server: str) -> None:
    assert f"paddock serve {server} --http" in said("--http", server)


def test_options_of_http_need_it(server: str) -> None:
    assert "require --http" in said(server, "--path", "/other")
    assert "require --http" in said(server, "--allowed-host", "example.org")


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("http://127.0.0.1:80", "is a URL"),
        ("nonsense", "is not an address"),
        ("0.0.0.0:0", "--allowed-host"),
        ("127.0.0.1:99999", "is not an address"),
        ("256.1.1.1:0", "Cannot listen on 256.1.1.1:0"),
    ],
)
def test_a_wrong_address_is_explained(server: str, address: str, text: str) -> None:
    assert text in said(server, "--http", address)


def test_a_path_that_is_taken_is_refused(server: str) -> None:
    assert "/health is reserved" in said(server, "--http", "127.0.0.1:0", "--path", "/health")
