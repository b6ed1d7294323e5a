"""The official SDK's client logs in: it finds the issuer, registers and asks its user."""

import json
import subprocess
from urllib.parse import parse_qs, urlsplit

import pytest

from external.environments import ROOT
from external.python_sdks import OFFICIAL
from tests.authorization.issuer import Issuer
from tests.authorization.protected import Client


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_that_knows_only_the_url_gets_in_and_asks_for_more_when_it_needs_it(
    client: Client, issuer: Issuer, mode: str
) -> None:
    command = [str(OFFICIAL.prepare()), "-m", "tests.authorization.official_client"]
    asked = []
    with subprocess.Popen(
        [*command, client.url, mode],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            while (said := process.stdout.readline()).startswith("http"):
                question = parse_qs(urlsplit(said).query)
                asked.append((question["resource"], question["scope"]))
                process.stdin.write(issuer.agree(said.strip()) + "\n")
                process.stdin.flush()
        finally:
            process.kill()
    assert json.loads(said) == ["1", "wrote Hello"]
    assert asked == [
        ([client.url], ["notes:read"]),
        ([client.url], ["notes:read notes:write"]),
    ]
