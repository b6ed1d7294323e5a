"""Commands for servers behind a URL."""

import pytest
from click.testing import CliRunner

from paddock.cli.commands import root_command
from tests.unit.client.http.web import STATELESS, Asked, Web

TOOL = {"name": "greet", "inputSchema": {"type": "object", "properties": {}}}


def discover(asked: Asked) -> None:
    if asked.headers.get("authorization") == "Bearer secret-1":
        asked.reply({**STATELESS, "capabilities": {"tools": {}}})
    else:
        asked.body(b"", 401, WWW_Authenticate='Bearer scope="all"')


def run(*arguments: str) -> tuple[int, str, Web]:
    with Web(
        {
            "server/discover": discover,
            "tools/list": lambda asked: asked.reply({"tools": [TOOL]}),
            "tools/call": lambda asked: asked.say("hello"),
        }
    ) as web:
        command = [one.replace("URL", web.url) for one in arguments]
        result = CliRunner().invoke(root_command, command, env={"SHOP_TOKEN": "secret-1"})
    return result.exit_code, result.output, web


def test_a_tool_behind_a_url_is_called_with_a_token_from_the_environment() -> None:
    code, output, web = run(
        *("call", "URL", "greet", "--show"),
        *("--token-env", "SHOP_TOKEN", "--header", "X-Team: paddock", "--header", "X-Two:2"),
    )
    assert code == 0
    assert output.endswith("hello\n")
    assert "secret-1" not in output
    assert {asked.headers["x-team"] + asked.headers["x-two"] for asked in web.asked} == {"paddock2"}


def test_a_server_behind_a_url_is_described() -> None:
    code, output, _ = run("inspect", "URL", "--token-env", "SHOP_TOKEN")
    assert (code, "greet" in output) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("inspect", "URL"), "it requires scope 'all'"),
        (("inspect", "URL", "--token-env", "NO_SUCH"), "The environment variable NO_SUCH"),
        (("inspect", "URL", "--header", "just-a-secret"), "--header: Expected NAME:VALUE"),
        (("inspect", "cat", "--header", "a:b"), "headers applies only to servers with a URL"),
    ],
)
def test_what_is_missing_is_reported(arguments: tuple[str, ...], complaint: str) -> None:
    code, output, _ = run(*arguments)
    assert code == 2
    assert complaint in output
    assert "just-a-secret" not in output
