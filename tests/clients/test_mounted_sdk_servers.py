"""Servers on the official Python SDK, mounted in one of Paddock."""

from pathlib import Path

import pytest

from external.environments import PythonEnvironment
from external.python_sdks import OFFICIAL, OFFICIAL_V1
from paddock import ImageContent, Server
from paddock.testing import ERAS, Answers, accept, connect

PROGRAM = Path(__file__).with_name("sdk_upstream.py")
STATELESS, SESSION = ERAS[:2]
PATIENCE = 60


@pytest.mark.parametrize("era", [SESSION, STATELESS])
@pytest.mark.parametrize(
    ("environment", "theirs"),
    [(OFFICIAL, SESSION), (OFFICIAL, STATELESS), (OFFICIAL_V1, SESSION)],
    ids=["version-2-session", "version-2-stateless", "version-1"],
)
def test_a_server_on_the_official_sdk_can_be_mounted(
    environment: PythonEnvironment, theirs: str, era: str
) -> None:
    server = Server("s")
    command = [str(environment.prepare()), str(PROGRAM)]
    server.mount(command, "sdk", era=theirs, list_timeout=PATIENCE, timeout=PATIENCE)
    progress: list[object] = []
    user = Answers(accept(name="Ada"))
    with connect(
        server, era=era, timeout=PATIENCE, on_elicit=user, on_progress=progress.append
    ) as peer:
        names = [tool.name for tool in peer.tools()]
        assert names == ["sdk_add", "sdk_picture", "sdk_greet", "sdk_steps", "sdk_fail"]
        assert peer.call("sdk_add", a=1, b=2).structured == {"result": 3}
        assert isinstance(peer.call("sdk_picture").content[0], ImageContent)
        assert peer.call("sdk_steps").text == "done"
        assert len(progress) == 3
        assert peer.call("sdk_fail").is_error
        assert peer.prompt("sdk_letter", name="Ada").messages[0].role == "user"
        assert peer.read("notes://monday").text == "monday was fine"
        assert peer.read("sdk+notes://monday").text == "monday was fine"
        if theirs == SESSION:  # the SDK's own handlers cannot ask in the other era
            assert peer.call("sdk_greet").text == "Hello, Ada"
